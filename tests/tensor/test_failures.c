/* Every allocation fails once: a message, nothing written, nothing leaked, and the same call made again does what it
 * would have done. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/allocations.h"
#include "battery.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(BND_WITH_WRAP) /* without that of the linker nothing can be made to fail */
enum { NEVER_MORE = 2000, ROWS = 5, COLUMNS = 6, LARGEST = 3 * ROWS * COLUMNS };

static char path[PATH_SIZE];

/* One call that makes a tensor. */
typedef struct task {
    bnd_tensor *in[OPERANDS_MOST];
    const void *data;
} task;
typedef bnd_status work(bnd_tensor **out, task *t, bnd_error *why);

/* Fails the call's allocations one after another, then lets it succeed: how many it needs. Each time everything must
 * be as before. */
static uint64_t fail_each(bnd_tensor **out, work *f, task *t, bnd_engine *engine, const char *what)
{
    bnd_account before, after;
    bnd_error why;
    bnd_tensor *untouched = (bnd_tensor *)(void *)&before, *made = untouched;
    int64_t living = allocations_living();
    bnd_engine_account(&before, engine);
    for (uint64_t i = 0; i < NEVER_MORE; i++) {
        why = (bnd_error){.message = ""};
        allocations_fail(i, false);
        bnd_status status = f(&made, t, &why);
        allocations_fail(UINT64_MAX, false);
        bnd_engine_account(&after, engine);
        if (status == BND_OK) {
            *out = made;
            return i;
        }
        bool clean = status == BND_NO_MEMORY && why.message[0] != 0 && made == untouched &&
                     allocations_living() == living && after.bytes_now == before.bytes_now &&
                     memcmp(after.bytes, before.bytes, sizeof after.bytes) == 0;
        if (!clean) {
            printf("\n    %s, allocation %llu: status %d (%s), %lld more are living, %lld bytes\n", what,
                   (unsigned long long)i, (int)status, why.message, (long long)(allocations_living() - living),
                   (long long)(after.bytes_now - before.bytes_now));
        }
        CU_ASSERT_TRUE(clean);
        made = untouched;
    }
    CU_FAIL_FATAL("a call never succeeds");
    return 0;
}

static bnd_engine *open_engine(void)
{
    bnd_engine *engine = new_engine();
    bnd_engine_set_seed(engine, 5, 1);
    return engine;
}

static bool same_numbers(const bnd_tensor *a, const bnd_tensor *b)
{
    double x[LARGEST], y[LARGEST];
    bnd_error why;
    size_t n = bnd_tensor_count(a);
    return n <= LARGEST && succeeds(bnd_tensor_read_f64(x, n, a, &why), &why) &&
           succeeds(bnd_tensor_read_f64(y, n, b, &why), &why) && memcmp(x, y, n * sizeof *x) == 0;
}

/* ---- operations ---- */

static bnd_status ask(bnd_tensor **out, task *t, bnd_error *why)
{
    return question_ask(out, t->in, t->data, why);
}

/* Sums it and goes back, each allocation failing once: after a failure the way back has to be gone anew from the
 * beginning, so the whole is built anew each time. Nothing must be left over when it is all released. */
static void fail_on_the_way_back(const question *q, const bnd_format *f)
{
    bnd_error why;
    bool done = false;
    for (uint64_t i = 0; !done && i < NEVER_MORE; i++) {
        int64_t living = allocations_living();
        bnd_engine *engine = open_engine();
        bnd_account account;
        bnd_tensor *in[OPERANDS_MOST], *y = NULL, *loss = NULL;
        CU_ASSERT_FATAL(succeeds(question_operands(in, engine, q, f, ROWS, COLUMNS, &why), &why));
        CU_ASSERT_FATAL(succeeds(question_ask(&y, in, q, &why), &why));
        CU_ASSERT_FATAL(succeeds(bnd_tensor_map(&loss, BND_TENSOR_OP_SUM, y, &why), &why));
        why = (bnd_error){.message = ""};
        allocations_fail(i, false);
        bnd_status status = bnd_tensor_wants_gradient(loss) ? bnd_tensor_backward(loss, 1, &why) : BND_OK;
        allocations_fail(UINT64_MAX, false);
        CU_ASSERT_TRUE(status == BND_OK || (status == BND_NO_MEMORY && why.message[0] != 0));
        done = status == BND_OK;
        bnd_tensor_release(loss);
        bnd_tensor_release(y);
        for (size_t j = 0; j < question_operand_count(q); j++) {
            bnd_tensor_drop_gradient(in[j]);
            bnd_tensor_release(in[j]);
        }
        bnd_engine_account(&account, engine);
        if (account.bytes_now != 0) {
            printf("\n    %s of %s, way back, allocation %llu: %llu bytes are left\n",
                   bnd_tensor_operation_name(q->operation), q->operands, (unsigned long long)i,
                   (unsigned long long)account.bytes_now);
        }
        CU_ASSERT_EQUAL(account.bytes_now, 0);
        bnd_engine_free(engine);
        CU_ASSERT_EQUAL(allocations_living(), living);
    }
    CU_ASSERT_TRUE(done);
}

static void fail_question(const question *q, const char *format)
{
    bnd_error why;
    bnd_format f = format_named(format);
    int64_t living = allocations_living();
    bnd_engine *engine = open_engine(), *other = open_engine();
    bnd_tensor *y = NULL, *in[OPERANDS_MOST], *expected = NULL;
    task t = {.data = q};
    CU_ASSERT_FATAL(succeeds(question_operands(t.in, engine, q, &f, ROWS, COLUMNS, &why), &why));
    CU_ASSERT_FATAL(succeeds(question_operands(in, other, q, &f, ROWS, COLUMNS, &why), &why));
    uint64_t needed = fail_each(&y, ask, &t, engine, bnd_tensor_operation_name(q->operation));
    CU_ASSERT_TRUE(needed >= 2);
    /* The failures have left no trace, not even in random bits. */
    CU_ASSERT_FATAL(succeeds(question_ask(&expected, in, q, &why), &why));
    CU_ASSERT_TRUE(same_numbers(y, expected));
    bnd_engine_free(engine);
    bnd_engine_free(other);
    CU_ASSERT_EQUAL(allocations_living(), living);
    fail_on_the_way_back(q, &f);
}

static void test_operations(void)
{
    for (size_t i = 0; i < question_count; i++) {
        fail_question(&questions[i], "fp32");
        fail_question(&questions[i], i % 2 == 0 ? "e4m3" : "fp64");
    }
}

/* ---- views, names, copies ---- */

static bnd_status slice(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_slice(out, t->in[0], 1, 1, 2, 2, why);
}

static bnd_status pick(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_select(out, t->in[0], 0, 1, why);
}

static bnd_status turn(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_transpose(out, t->in[0], 0, 1, why);
}

static bnd_status see(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_view(out, t->in[0], (size_t[]){2, ROWS, BND_TENSOR_INFER}, 3, why);
}

static bnd_status see_as(bnd_tensor **out, task *t, bnd_error *why)
{
    bnd_format f = format_named("e8m23none");
    return bnd_tensor_view_as(out, t->in[0], &f, why);
}

static bnd_status repeat(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_broadcast(out, t->in[0], (size_t[]){3, ROWS, COLUMNS}, 3, why);
}

static bnd_status reshape_turned(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_reshape(out, t->in[1], (size_t[]){ROWS * COLUMNS}, 1, why);
}

static bnd_status einsum(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_einsum(out, "row i, row j, row i -> j row", (bnd_tensor *[]){t->in[0], t->in[2], t->in[0]}, 3,
                             why);
}

static bnd_status rearrange(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_rearrange(out, t->in[0], "row (a b) -> b (a row)", "a=2", why);
}

static bnd_status reduce(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_reduce(out, t->in[0], "row (a b) -> b row", "a=2", BND_TENSOR_OP_MAX, why);
}

static bnd_status layers(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why)
{
    bnd_tensor *product = NULL;
    (void)count;
    (void)data;
    bnd_status status = bnd_tensor_pair(&product, BND_TENSOR_OP_MUL, in[0], in[1], why);
    if (status == BND_OK) {
        status = bnd_tensor_map(out, BND_TENSOR_OP_TANH, product, why);
        bnd_tensor_release(product);
    }
    return status;
}

static bnd_status checkpoint(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_checkpoint(out, layers, NULL, (bnd_tensor *[]){t->in[0], t->in[2]}, 2, why);
}

static bnd_status make(bnd_tensor **out, task *t, bnd_error *why)
{
    static const float x[4] = {1, 2, 3, 4};
    bnd_format f = format_named("e2m1");
    return bnd_tensor_from_f32(out, bnd_tensor_engine(t->in[0]), &f, x, (size_t[]){2, 2}, 2, BND_ROLE_PARAM, why);
}

static bnd_status load_mapped(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_load(out, bnd_tensor_engine(t->in[0]), path, NULL, BND_ROLE_DATA, why);
}

static bnd_status load_copied(bnd_tensor **out, task *t, bnd_error *why)
{
    return bnd_tensor_load(out, bnd_tensor_engine(t->in[0]), path, NULL, BND_ROLE_PARAM, why);
}

static void test_everything_else(void)
{
    static const struct {
        const char *name;
        work *f;
    } cases[] = {{"slice", slice},
                 {"select", pick},
                 {"transpose", turn},
                 {"view", see},
                 {"view as", see_as},
                 {"broadcast", repeat},
                 {"reshape", reshape_turned},
                 {"einsum", einsum},
                 {"rearrange", rearrange},
                 {"reduce", reduce},
                 {"checkpoint", checkpoint},
                 {"new", make},
                 {"load, mapped", load_mapped},
                 {"load", load_copied}};
    static const question operands = {BND_TENSOR_OP_NONE, "atb", {.seed = 0}, NULL};
    bnd_format f = format_named("fp32");
    bnd_error why;
    open_folder();
    in_folder(path, "array.npy");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t living = allocations_living();
        bnd_engine *engine = open_engine();
        bnd_tensor *y = NULL;
        task t = {.data = NULL};
        CU_ASSERT_FATAL(succeeds(question_operands(t.in, engine, &operands, &f, ROWS, COLUMNS, &why), &why));
        CU_ASSERT_FATAL(succeeds(bnd_tensor_save(t.in[0], path, &why), &why));
        CU_ASSERT_TRUE(fail_each(&y, cases[i].f, &t, engine, cases[i].name) >= 1);
        bnd_tensor_release(y);
        bnd_engine_free(engine);
        CU_ASSERT_EQUAL(allocations_living(), living);
    }
    unlink(path);
    close_empty_folder();
}

/* Files: the old one stays, and nothing is left beside it. */
static void test_saving(void)
{
    bnd_error why;
    open_folder();
    in_folder(path, "array.npy");
    for (unsigned there = 0; there < 2; there++) {
        int64_t living = allocations_living();
        bnd_engine *engine = open_engine();
        bnd_tensor *t = tensor_of(engine, "fp32", (double[]){1, 2}, (size_t[]){2}, 1);
        bnd_status status = BND_NO_MEMORY;
        for (uint64_t i = 0; status != BND_OK && i < NEVER_MORE; i++) {
            int64_t before = allocations_living();
            allocations_fail(i, false);
            status = bnd_tensor_save(t, path, &why);
            allocations_fail(UINT64_MAX, false);
            CU_ASSERT_EQUAL(allocations_living(), before);
            CU_ASSERT_EQUAL(access(path, F_OK) == 0, status == BND_OK || there == 1);
        }
        CU_ASSERT_EQUAL(status, BND_OK);
        bnd_engine_free(engine);
        CU_ASSERT_EQUAL(allocations_living(), living);
    }
    unlink(path);
    close_empty_folder();
}

static void test_engines(void)
{
    bnd_error why;
    int64_t living = allocations_living();
    bnd_engine *none = NULL, *engine = NULL;
    bnd_stats stats;
    allocations_fail(0, false);
    CU_ASSERT_EQUAL(bnd_engine_new(&none, NULL, &why), BND_NO_MEMORY);
    CU_ASSERT_PTR_NULL(none);
    CU_ASSERT_FATAL(succeeds(bnd_engine_new(&engine, NULL, &why), &why));
    allocations_fail(0, false);
    CU_ASSERT_EQUAL(bnd_engine_take_statistics(engine, 1, &why), BND_NO_MEMORY);
    CU_ASSERT_PTR_NULL(bnd_engine_statistics(&stats, engine, BND_ROLE_ACT, BND_PLACE_ALL));
    CU_ASSERT_TRUE(succeeds(bnd_engine_take_statistics(engine, 1, &why), &why));
    bnd_engine_free(engine);
    CU_ASSERT_EQUAL(allocations_living(), living);
}

/* What an engine keeps for later goes before anybody is refused. */
static void test_spared_memory(void)
{
    bnd_engine *engine = open_engine();
    bnd_error why;
    bnd_format f = format_named("fp32");
    bnd_tensor *t = NULL, *stays = NULL, *other = NULL;
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&stays, engine, &f, (size_t[]){100000}, 1, BND_ROLE_ACT, &why), &why));
    int64_t living = allocations_living();
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&t, engine, &f, (size_t[]){100000}, 1, BND_ROLE_ACT, &why), &why));
    bnd_tensor_release(t);
    CU_ASSERT_EQUAL(allocations_living(), living + 1); /* kept: it may be asked for again */
    allocations_fail(1, false);                        /* the buffer is described, its memory is not there */
    CU_ASSERT_TRUE(succeeds(bnd_tensor_new(&other, engine, &f, (size_t[]){99000}, 1, BND_ROLE_ACT, &why), &why));
    allocations_fail(UINT64_MAX, false);
    CU_ASSERT_EQUAL(allocations_living(), living + 3); /* handle, description, memory */
    bnd_engine_free(engine);
}

#endif

static void test_too_large(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_format f = format_named("fp64");
    bnd_tensor *none = NULL;
    CU_ASSERT_EQUAL(bnd_tensor_new(&none, engine, &f, (size_t[]){SIZE_MAX / 2, 4}, 2, BND_ROLE_ACT, &why),
                    BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_tensor_new(&none, engine, &f, (size_t[]){SIZE_MAX / 16}, 1, BND_ROLE_ACT, &why),
                    BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NULL(none);
    bnd_engine_free(engine);
}

/* Rules, contexts and policies of a program's own, which no parser has seen. Nothing is written or made. */
static void test_impossible_choices(void)
{
    static const bnd_rule rules[] = {
        {.rounding = 66}, {.overflow = 66}, {.nan = 66}, {.no_nan = 66}, {.random_bits = 99}};
    static const bnd_context contexts[] = {{.backend = 99}, {.threads = 99999}, {.reserved = {1}}};
    bnd_engine *engine = new_engine(), *refused = NULL;
    bnd_error why;
    bnd_format f = format_named("e4m3");
    const float one = 1, two = 2;
    float x = 0;
    bnd_tensor *t = NULL, *none = NULL;
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&t, engine, &f, (size_t[]){1}, 1, BND_ROLE_ACT, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_tensor_write_f32(t, &one, 1, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        CU_ASSERT_EQUAL(bnd_tensor_write_f32(t, &two, 1, rules[i], &why), BND_BAD_ARGUMENT);
        CU_ASSERT_EQUAL(bnd_tensor_cast(&none, t, &f, rules[i], &why), BND_BAD_ARGUMENT);
        bnd_policy policy = {.name = "mine"};
        policy.cast[BND_ROLE_ACT] = (bnd_cast){.given = true, .format = f, .rule = rules[i]};
        CU_ASSERT_EQUAL(bnd_engine_set_policy(engine, &policy, &why), BND_BAD_ARGUMENT);
    }
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(&x, 1, t, &why), &why) && x == 1);
    for (size_t i = 0; i < sizeof contexts / sizeof contexts[0]; i++) {
        CU_ASSERT_EQUAL(bnd_engine_new(&refused, &contexts[i], &why), BND_BAD_ARGUMENT);
    }
    CU_ASSERT_TRUE(
        refuses(bnd_engine_set_policy(engine, &(bnd_policy){.update = 77}, &why), &why, "unknown update 77"));
    CU_ASSERT_TRUE(refuses(bnd_engine_set_policy(engine, &(bnd_policy){.high_last = 200}, &why), &why,
                           "high_last must be at most 100 per cent, not 200"));
    const bnd_policy shrinks = {.loss_scale = {.given = true, .initial = -3}};
    CU_ASSERT_TRUE(refuses(bnd_engine_set_policy(engine, &shrinks, &why), &why, "the loss scale must be from"));
    CU_ASSERT_PTR_NULL(none);
    CU_ASSERT_PTR_NULL(refused);
    bnd_tensor_release(t);
    bnd_engine_free(engine);
}

/* Operands: none where one may be missing, none where it may not, too many axes, and no tensor at all. */
static void test_operands_left_out(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_format f = format_named("fp32");
    bnd_tensor *x = NULL, *gain = NULL, *y = NULL, *none = NULL;
    const float d = 1;
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&x, engine, &f, (size_t[]){2, 3}, 2, BND_ROLE_ACT, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_tensor_new(&gain, engine, &f, (size_t[]){3}, 1, BND_ROLE_PARAM, &why), &why));
    bnd_tensor *without_bias[] = {x, gain, NULL}, *without_gain[] = {x, NULL, gain};
    const bnd_attributes attributes = {.number = {1e-5}}, many = {.axes = 9};
    CU_ASSERT_TRUE(succeeds(bnd_tensor_apply(&y, BND_TENSOR_OP_LAYER_NORM, without_bias, 3, &attributes, &why), &why) &&
                   y != NULL);
    CU_ASSERT_TRUE(refuses(bnd_tensor_apply(&none, BND_TENSOR_OP_LAYER_NORM, without_gain, 3, &attributes, &why), &why,
                           "operand 2 is missing"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_apply(&none, BND_TENSOR_OP_SUM, &x, 1, &many, &why), &why, "at most 8 axes"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_set_gradient(NULL, &d, 1, &why), &why, "expected a tensor"));
    CU_ASSERT_TRUE(refuses(bnd_tensor_pull(NULL, 0, NULL, &d, 0, false, &why), &why, "expected a tensor"));
    CU_ASSERT_PTR_NULL(none);
    bnd_tensor_release(y);
    bnd_tensor_release(gain);
    bnd_tensor_release(x);
    bnd_engine_free(engine);
}

CU_TestInfo failure_tests[] = {
#if defined(BND_WITH_WRAP)
    {"operations", test_operations},
    {"views, names, copies, files", test_everything_else},
    {"saving", test_saving},
    {"engines", test_engines},
    {"spared memory", test_spared_memory},
#else
    ALLOCATIONS_SKIPPED,
#endif
    {"larger than memory", test_too_large},
    {"impossible choices", test_impossible_choices},
    {"operands left out", test_operands_left_out},
    CU_TEST_INFO_NULL,
};
