/* Recipes in runs: what they take, whether they learn, and that their bits depend on nothing but the seeds. */
#include <CUnit/CUnit.h>
#include <binade/block.h>
#include <binade-lab/train.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/operands.h"
#include "tests/support/outcome.h"
#include "tests/support/suites.h"

static bnd_training training_of(const char *model, const char *optimizer, const char *recipe)
{
    bnd_training t;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, model, optimizer, recipe, &why), &why));
    t.seed_init = 1;
    t.seed_data = 2;
    return t;
}

static bnd_run *run_of(const bnd_training *t, const bnd_context *context)
{
    bnd_run *run = NULL;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, t, context, &why), &why));
    return run;
}

static bnd_step steps_of(bnd_run *run, uint64_t n)
{
    bnd_step step = {.loss = NAN};
    bnd_error why;
    for (uint64_t i = 0; i < n; i++) {
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
    }
    return step;
}

/* ---- memory ---- */

static size_t blocks(size_t n, size_t size)
{
    return (n + size - 1) / size;
}

/* Bytes of scales of a tensor that stays between steps. */
typedef size_t scales_of(size_t rows, size_t columns);

static size_t none(size_t rows, size_t columns)
{
    (void)rows;
    (void)columns;
    return 0;
}

static size_t of_kahan(size_t rows, size_t columns)
{
    return 2 * rows * columns;
}

static size_t of_wide_kahan(size_t rows, size_t columns)
{
    return 4 * rows * columns;
}

static size_t of_tiles(size_t rows, size_t columns) /* param */
{
    return 4 * blocks(rows, 128) * blocks(columns, 128);
}

static size_t of_three(size_t rows, size_t columns) /* master, m and v */
{
    (void)rows;
    (void)columns;
    return 3 * 4;
}

static size_t of_moments(size_t rows, size_t columns) /* m and v */
{
    return rows * columns < 4096 ? 0 : 2 * 4 * blocks(rows * columns, 256);
}

/* Bytes a parameter of training.md's table, under AdamW; what is transient is at its peak in brackets there. */
static const struct memory {
    const char *recipe;
    unsigned param, transient, grad, master, m, v;
    scales_of *extra;
    unsigned in_small; /* m and v of tensors of fewer than 4096 */
} memories[] = {
    {"fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"tf32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp16-amp-noscale", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp16-amp-static", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp16-amp", 4, 0, 4, 0, 4, 4, none, 0},
    {"bf16-amp", 4, 0, 4, 0, 4, 4, none, 0},
    {"bf16-master", 2, 0, 2, 4, 4, 4, none, 0},
    {"base=bf16-master,grad=fp32", 2, 0, 4, 4, 4, 4, none, 0},
    {"fp16-pure", 2, 0, 2, 0, 2, 2, none, 0},
    {"bf16-pure", 2, 0, 2, 0, 2, 2, none, 0},
    {"e4m3-pure", 1, 0, 1, 0, 1, 1, none, 0},
    {"e5m2-pure", 1, 0, 1, 0, 1, 1, none, 0},
    {"bf16-sr", 2, 0, 2, 0, 4, 4, none, 0},
    {"bf16-kahan", 2, 0, 2, 0, 4, 4, of_kahan, 0},
    {"bf16-kahan-pure", 2, 0, 2, 0, 2, 2, of_kahan, 0},
    {"fp8-unscaled", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-unscaled+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-e4m3-unscaled", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-e4m3-unscaled+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-current", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-current+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-rowwise", 2, 0, 2, 4, 4, 4, none, 0},
    {"fp8-rowwise+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp8", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp8+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp8-floor", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp8-floor+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp8-norms", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp8-norms+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp6", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp6+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp4", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp4+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"mxfp4-rceil", 2, 0, 2, 4, 4, 4, none, 0},
    {"mxfp4-rceil+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"nvfp4", 2, 0, 2, 4, 4, 4, none, 0},
    {"nvfp4+fp32", 4, 0, 4, 0, 4, 4, none, 0},
    {"fp8-block", 1, 0, 4, 4, 2, 2, of_tiles, 0},
    {"fp8-block+fp32", 1, 0, 4, 4, 2, 2, of_tiles, 0},
    {"fp8-lm", 0, 1, 1, 2, 1, 2, of_three, 0},
    {"fp8-lm+fp32", 0, 1, 1, 2, 1, 2, of_three, 0},
    {"param=e4m3,master=fp32", 1, 0, 4, 4, 4, 4, none, 0},
    {"param=bf16,update=kahan", 2, 0, 4, 0, 4, 4, of_wide_kahan, 0},
    {"adam8bit", 2, 0, 2, 4, 1, 1, of_moments, 4},
};
enum { MEMORIES = sizeof memories / sizeof memories[0] };

static void check_memory(const struct memory *c)
{
    bnd_training t = training_of("mlp", "adamw", c->recipe);
    bnd_run *run = run_of(&t, NULL);
    const uint64_t n = steps_of(run, 1).weights;
    uint64_t small = 0, extra = 0;
    bnd_account a;
    bnd_engine_account(&a, bnd_run_engine(run));
    for (size_t layer = 0, in = t.inputs; layer <= t.depth; layer++) {
        size_t out = layer < t.depth ? t.width : 10;
        extra += c->extra(out, in) + c->extra(1, out);
        small += (in * out < 4096 ? in * out : 0) + out;
        in = out;
    }
    small = c->in_small > 0 ? small : 0;
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_PARAM], c->param * n);
    CU_ASSERT_EQUAL(a.peak_by_role[BND_ROLE_PARAM], (c->param + c->transient) * n);
    CU_ASSERT_EQUAL(a.peak_by_role[BND_ROLE_GRAD], c->grad * n);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_MASTER], c->master * n);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_M], c->m * (n - small) + c->in_small * small);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_V], c->v * (n - small) + c->in_small * small);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_EXTRA], extra);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_GRAD] + a.bytes[BND_ROLE_ACT] + a.bytes[BND_ROLE_DACT] +
                        a.bytes[BND_ROLE_SCRATCH] + a.bytes[BND_ROLE_DATA],
                    0);
    bnd_run_free(run);
}

static void test_memory(void)
{
    for (size_t i = 0; i < MEMORIES; i++) {
        unsigned before = CU_get_number_of_failures();
        check_memory(&memories[i]);
        if (CU_get_number_of_failures() > before) {
            printf("\n    %s\n", memories[i].recipe);
        }
    }
    for (size_t row = 0; row < bnd_recipe_count(); row++) { /* none is forgotten; fp8-delayed has histories */
        bool found = strncmp(bnd_recipe_name(row), "fp8-delayed", strlen("fp8-delayed")) == 0;
        for (size_t i = 0; i < MEMORIES; i++) {
            found = found || strcmp(bnd_recipe_name(row), memories[i].recipe) == 0;
        }
        CU_ASSERT_TRUE(found);
    }
}

/* 4 bytes for each of 16 steps, for the six operands of each of the mlp's layers (the first has no gradient of x). */
static void test_memory_of_histories(void)
{
    bnd_training t = training_of("mlp", "adamw",
                                 "base=fp8-delayed+fp32,gemm=e4m3/delayed:16,gemm_dgrad.dy=e5m2/delayed:16,"
                                 "gemm_wgrad.dy=e5m2/delayed:16");
    bnd_run *run = run_of(&t, NULL);
    const uint64_t n = steps_of(run, 2).weights, layers = t.depth + 1;
    bnd_account a;
    bnd_engine_account(&a, bnd_run_engine(run));
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_PARAM] + a.bytes[BND_ROLE_M] + a.bytes[BND_ROLE_V], 12 * n);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_EXTRA], (6 * layers - 2) * 16 * 4);
    CU_ASSERT_EQUAL(bnd_engine_state_count(bnd_run_engine(run)), (6 * layers - 2) * (4 + 16));
    bnd_run_free(run);
}

/* Bytes a parameter of a wide model, all that stays and the gradient: training.md's totals. */
static void test_totals(void)
{
    static const struct {
        const char *recipe, *optimizer;
        double bytes;
    } cases[] = {{"fp32", "adamw", 16},      {"bf16-master", "adamw", 16}, {"bf16-kahan", "adamw", 14},
                 {"fp8-block", "adamw", 13}, {"fp8-lm", "adamw", 6},       {"adam8bit", "adamw", 10.03125},
                 {"fp32", "lion", 12},       {"fp32", "sgd", 8},           {"fp32", "momentum", 12},
                 {"bf16-pure", "adamw", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of("mlp", cases[i].optimizer, cases[i].recipe);
        bnd_account a;
        t.width = t.inputs = 384;
        t.batch = 2;
        bnd_run *run = run_of(&t, NULL);
        double n = (double)steps_of(run, 1).weights;
        bnd_engine_account(&a, bnd_run_engine(run));
        double bytes = (double)(a.bytes[BND_ROLE_PARAM] + a.peak_by_role[BND_ROLE_GRAD] + a.bytes[BND_ROLE_MASTER] +
                                a.bytes[BND_ROLE_M] + a.bytes[BND_ROLE_V] + a.bytes[BND_ROLE_EXTRA]);
        CU_ASSERT_DOUBLE_EQUAL(bytes / n, cases[i].bytes, 0.01 * cases[i].bytes);
        bnd_run_free(run);
    }
}

/* ---- roles that are not given ---- */

static void copy_weights(bnd_run *to, const bnd_run *from)
{
    for (size_t i = 0; i < bnd_run_parameters(from); i++) {
        const bnd_tensor *t = bnd_run_parameter(from, i, BND_ROLE_PARAM);
        size_t n = bnd_tensor_count(t);
        float *w = malloc(n * sizeof *w);
        bnd_error why;
        CU_ASSERT_PTR_NOT_NULL_FATAL(w);
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(w, n, t, &why), &why));
        bnd_tensor *out = bnd_run_parameter(to, i, BND_ROLE_PARAM);
        CU_ASSERT_TRUE_FATAL(
            succeeds(bnd_tensor_write_f32(out, w, n, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
        free(w);
    }
}

/* With weights alone in a narrow format everything else is fp32: the loss and the gradients are those of an fp32 run
 * with the same weights, bit by bit, and so is every byte. */
static void test_not_given(void)
{
    static const char *const models[] = {"linear", "logistic", "mlp", "student", "transformer"};
    static const char *const recipes[] = {"param=e4m3,master=fp32", "param=bf16", "param=e4m3/tensor"};
    for (size_t i = 0; i < 15; i++) {
        bnd_training t = training_of(models[i % 5], "adamw", recipes[i / 5]);
        t.batch = 4;
        bnd_run *low = run_of(&t, NULL);
        CU_ASSERT_EQUAL_FATAL(bnd_policy_parse(&t.policy, "fp32", NULL), BND_OK);
        bnd_run *same = run_of(&t, NULL);
        copy_weights(same, low);
        bnd_step a = steps_of(low, 1), b = steps_of(same, 1);
        bnd_account of_low, of_same;
        bnd_engine_account(&of_low, bnd_run_engine(low));
        bnd_engine_account(&of_same, bnd_run_engine(same));
        CU_ASSERT_EQUAL(a.loss, b.loss);
        CU_ASSERT_EQUAL(a.gradient_norm, b.gradient_norm);
        for (bnd_role role = BND_ROLE_ACT; role <= BND_ROLE_V; role++) {
            CU_ASSERT_EQUAL(of_low.peak_by_role[role], of_same.peak_by_role[role]);
        }
        bnd_run_free(low);
        bnd_run_free(same);
    }
}

static double activations_of(const char *recipe)
{
    bnd_training t = training_of("transformer", "adamw", recipe);
    bnd_account a;
    t.batch = 4;
    t.context = 16;
    bnd_run *run = run_of(&t, NULL);
    (void)steps_of(run, 1);
    bnd_engine_account(&a, bnd_run_engine(run));
    bnd_run_free(run);
    return (double)a.peak_by_role[BND_ROLE_ACT];
}

static void test_activations(void)
{
    double fp32 = activations_of("fp32"), bf16 = activations_of("bf16-pure"), e4m3 = activations_of("e4m3-pure");
    double amp = activations_of("bf16-amp"), fp16 = activations_of("fp16-pure");
    CU_ASSERT_TRUE(bf16 < 0.55 * fp32 && bf16 > 0.45 * fp32);
    CU_ASSERT_TRUE(e4m3 < 0.32 * fp32 && e4m3 > 0.22 * fp32);
    CU_ASSERT_EQUAL(fp16, bf16);
    CU_ASSERT_TRUE(amp < 0.9 * fp32 && amp > bf16);
}

static bnd_account account_of(const char *model, const char *recipe, bool recompute)
{
    bnd_training t = training_of(model, "adamw", recipe);
    bnd_account a;
    t.recompute = recompute;
    bnd_run *run = run_of(&t, NULL);
    (void)steps_of(run, 1);
    bnd_engine_account(&a, bnd_run_engine(run));
    bnd_run_free(run);
    return a;
}

/* Results that no operation saves are gone at once: what is held at the most is what is saved, and what is at work. */
static void test_freed(void)
{
    static const char *const models[] = {"transformer", "student"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        bnd_account a = account_of(models[i], "fp32", false);
        CU_ASSERT_TRUE(a.saved > 0 && a.saved + a.saved_beside <= a.peak_by_role[BND_ROLE_ACT]);
        CU_ASSERT_TRUE((double)a.peak_by_role[BND_ROLE_ACT] < 1.25 * (double)(a.saved + a.saved_beside));
    }
}

/* A format for what is saved makes activations smaller, and by its width: the copy stands instead of the tensor. */
static void test_saved(void)
{
    for (int recompute = 0; recompute < 2; recompute++) {
        bnd_account wide = account_of("transformer", "fp32", recompute == 1);
        bnd_account half = account_of("transformer", "saved=bf16", recompute == 1);
        bnd_account quarter = account_of("transformer", "saved=e4m3", recompute == 1);
        CU_ASSERT_TRUE(half.peak_by_role[BND_ROLE_ACT] < wide.peak_by_role[BND_ROLE_ACT]);
        CU_ASSERT_TRUE(quarter.peak_by_role[BND_ROLE_ACT] < half.peak_by_role[BND_ROLE_ACT]);
        CU_ASSERT_TRUE(half.saved < wide.saved && quarter.saved < half.saved);
        CU_ASSERT_TRUE(recompute == 1 || (2 * half.saved == wide.saved && 4 * quarter.saved == wide.saved));
    }
}

/* ---- bits ---- */

static uint64_t digest_bytes(uint64_t sum, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < n; i++) {
        sum = (sum ^ bytes[i]) * 1099511628211u;
    }
    return sum;
}

/* Of everything that stays: codes, scales, and what the engine carries. */
static uint64_t digest(bnd_run *run)
{
    static const bnd_role parts[] = {BND_ROLE_PARAM, BND_ROLE_MASTER, BND_ROLE_M, BND_ROLE_V, BND_ROLE_EXTRA};
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < bnd_run_parameters(run); i++) {
        for (size_t k = 0; k < 5; k++) {
            bnd_tensor *t = bnd_run_parameter(run, i, parts[k]);
            size_t bytes = 0;
            if (t != NULL) {
                sum = digest_bytes(sum, bnd_tensor_codes(t), bnd_tensor_bytes(t));
                const void *scales = bnd_tensor_scales(t, &bytes);
                sum = digest_bytes(sum, scales, bytes);
            }
        }
    }
    size_t n = bnd_engine_state_count(bnd_run_engine(run));
    double *state = malloc((n + 1) * sizeof *state);
    CU_ASSERT_PTR_NOT_NULL_FATAL(state);
    bnd_engine_state_get(state, bnd_run_engine(run));
    sum = digest_bytes(sum, state, n * sizeof *state);
    free(state);
    return sum;
}

static bnd_training small_transformer(const char *recipe)
{
    bnd_training t = training_of("transformer", "adamw", recipe);
    t.batch = 2;
    t.context = 20; /* 40 rows: blocks of 32 and of 16 are cut short */
    t.width = 48;
    t.heads = 2;
    return t;
}

/* Every recipe takes steps, and they have the same bits with two threads, on every back end, with layers computed
 * again, with statistics, and with a validation in between. */
static void test_same_bits(void)
{
    enum { VARIANTS = 6 };
    static const bnd_backend backends[VARIANTS] = {BND_BACKEND_BEST,     BND_BACKEND_BEST, BND_BACKEND_AVX2,
                                                   BND_BACKEND_PORTABLE, BND_BACKEND_BEST, BND_BACKEND_BEST};
    for (size_t row = 0; row < bnd_recipe_count(); row++) {
        const char *recipe = bnd_recipe_name(row);
        uint64_t first = 0;
        for (unsigned variant = 0; variant < VARIANTS; variant++) {
            if (variant > 0 && !in_turn(row + variant, 3)) {
                continue;
            }
            bnd_training t = small_transformer(recipe);
            bnd_context context = {.backend = (uint8_t)backends[variant], .threads = variant == 1 ? 2 : 1};
            bnd_error why;
            double loss;
            t.recompute = variant == 4;
            bnd_run *run = run_of(&t, &context);
            if (variant == 5) {
                CU_ASSERT_TRUE(succeeds(bnd_engine_take_statistics(bnd_run_engine(run), 1, &why), &why));
            }
            (void)steps_of(run, 1);
            if (variant == 5) {
                CU_ASSERT_TRUE(succeeds(bnd_run_validate(&loss, run, 1, &why), &why));
            }
            (void)steps_of(run, 1);
            first = variant == 0 ? digest(run) : first;
            if (digest(run) != first) {
                printf("\n    %s, variant %u\n", recipe, variant);
            }
            CU_ASSERT_EQUAL(digest(run), first);
            bnd_run_free(run);
        }
    }
}

/* What an engine carries goes from one run to another: the second goes on as the first would have. */
static void test_state(void)
{
    bnd_training t = small_transformer("base=fp8-delayed,gemm_fwd.x=e4m3/delayed:3,gemm_wgrad.dy=e5m2/delayed:16:1");
    bnd_run *a = run_of(&t, NULL), *b = run_of(&t, NULL);
    bnd_engine *from = bnd_run_engine(a), *to = bnd_run_engine(b);
    bnd_error why;
    double of_a, of_b;
    t.lr = 0;
    (void)steps_of(a, 4);
    (void)steps_of(b, 4);
    size_t n = bnd_engine_state_count(from);
    double *state = malloc(n * sizeof *state), *again = malloc(n * sizeof *again);
    CU_ASSERT_TRUE_FATAL(state != NULL && again != NULL && n > 0);
    bnd_engine_state_get(state, from);
    CU_ASSERT_TRUE(succeeds(bnd_engine_set_policy(to, &t.policy, &why), &why));
    CU_ASSERT_EQUAL(bnd_engine_state_count(to), 0);
    CU_ASSERT_TRUE(succeeds(bnd_engine_state_set(to, state, n, &why), &why));
    bnd_engine_state_get(again, to);
    CU_ASSERT_EQUAL(memcmp(state, again, n * sizeof *state), 0);
    CU_ASSERT_TRUE(succeeds(bnd_run_validate(&of_a, a, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_validate(&of_b, b, 1, &why), &why));
    CU_ASSERT_EQUAL(of_a, of_b);
    (void)steps_of(a, 2);
    (void)steps_of(b, 2);
    CU_ASSERT_EQUAL(digest(a), digest(b));

    /* Refused, with nothing changed. */
    bnd_engine_state_get(state, from);
    CU_ASSERT_EQUAL(bnd_engine_state_set(from, state, n - 1, &why), BND_BAD_ARGUMENT);
    static const struct {
        size_t at;
        double x;
    } wrong[] = {{0, -1}, {0, 0.5}, {0, NAN},      {0, 1e300}, {1, 0}, {1, 1e9}, {1, NAN},
                 {2, 0},  {2, NAN}, {2, INFINITY}, {3, 1e9},   {3, 0}, {3, NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double was = state[wrong[i].at];
        state[wrong[i].at] = wrong[i].x;
        CU_ASSERT_EQUAL(bnd_engine_state_set(from, state, n, &why), BND_BAD_ARGUMENT);
        state[wrong[i].at] = was;
    }
    bnd_engine_state_get(again, from);
    CU_ASSERT_EQUAL(memcmp(state, again, n * sizeof *state), 0);
    free(state);
    free(again);
    bnd_run_free(a);
    bnd_run_free(b);
}

/* ---- learning ---- */

/* Recipes that are meant to work come down on the transformer's text. */
static void test_learning(void)
{
    static const char *const works[] = {"fp16-amp",    "bf16-amp",    "bf16-master", "bf16-sr",   "bf16-kahan",
                                        "fp8-delayed", "fp8-current", "fp8-rowwise", "fp8-block", "mxfp8",
                                        "mxfp6",       "nvfp4",       "fp8-lm",      "adam8bit"};
    double reference = NAN;
    for (size_t i = 0; i <= sizeof works / sizeof works[0]; i++) {
        bnd_training t = training_of("transformer", "adamw", i == 0 ? "fp32" : works[i - 1]);
        bnd_error why;
        double loss = NAN;
        t.batch = 8;
        t.context = 16;
        t.lr = 3e-3;
        bnd_run *run = run_of(&t, NULL);
        (void)steps_of(run, scaled(40));
        CU_ASSERT_TRUE(succeeds(bnd_run_validate(&loss, run, 4, &why), &why));
        reference = i == 0 ? loss : reference;
        if (!(loss < reference + 0.1) || getenv("BND_TEST_SHOW") != NULL) {
            printf("\n    %s: %g, fp32 %g\n", t.policy.name, loss, reference);
        }
        CU_ASSERT_TRUE(loss < reference + 0.1);
        bnd_run_free(run);
    }
}

/* ---- stored with scales ---- */

static uint64_t below(uint64_t limit, uint64_t seed, uint64_t i)
{
    return bnd_random(seed, 0, i) % limit;
}

static void fill(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        double share = (double)below(1u << 24, seed, i) * 0x1p-24;
        x[i] = (float)ldexp(share - 0.5, (int)below(12, seed + 1, i) - 8);
    }
}

enum { ROWS = 150, COLUMNS = 200, N = ROWS * COLUMNS };

static bnd_tensor *stored(bnd_run **run, const char *recipe, bnd_role part)
{
    bnd_training t = training_of("mlp", "adamw", recipe);
    t.inputs = COLUMNS;
    t.width = ROWS;
    t.depth = 1;
    *run = run_of(&t, NULL);
    bnd_tensor *tensor = bnd_run_parameter(*run, 0, part);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tensor);
    CU_ASSERT_EQUAL_FATAL(bnd_tensor_count(tensor), N);
    return tensor;
}

/* Codes and scales are block's, and so are the numbers that are read, a transposed view's and a row's too. */
static void check_blocks(const char *recipe, const char *block_name)
{
    static float x[N], y[N], expected[N];
    static unsigned char codes[4 * N], scales[4 * N];
    float tensor_scale = 1;
    bnd_block block;
    bnd_shape shape;
    bnd_error why;
    bnd_run *run;
    bnd_tensor *t = stored(&run, recipe, BND_ROLE_PARAM), *turned, *row;
    size_t bytes;
    fill(x, N, 7);
    CU_ASSERT_TRUE(succeeds(bnd_block_parse(&block, block_name, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_block_shape(&shape, &block, (size_t[]){ROWS, COLUMNS}, 2, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_quantize_f32(codes, scales, &tensor_scale, x, shape, &block,
                                             &(bnd_array){.packing_out = BND_PACKING_PACKED}, NULL, &why),
                            &why));
    CU_ASSERT_TRUE(succeeds(bnd_dequantize_f32(expected, codes, scales, tensor_scale, shape, &block,
                                               &(bnd_array){.packing_in = BND_PACKING_PACKED}, &why),
                            &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_write_f32(t, x, N, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
    CU_ASSERT_EQUAL(memcmp(bnd_tensor_codes(t), codes, bnd_tensor_bytes(t)), 0);
    const void *stored_scales = bnd_tensor_scales(t, &bytes);
    size_t size = bnd_block_scales_size(&block, shape);
    CU_ASSERT_EQUAL(bytes, size + (block.tensor ? 4 : 0));
    CU_ASSERT_EQUAL(memcmp(stored_scales, scales, size), 0);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, N, t, &why), &why));
    CU_ASSERT_EQUAL(memcmp(y, expected, sizeof y), 0);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_transpose(&turned, t, 0, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, N, turned, &why), &why));
    for (size_t i = 0; i < N; i++) {
        CU_ASSERT_EQUAL(y[i % COLUMNS * ROWS + i / COLUMNS], expected[i]);
    }
    CU_ASSERT_TRUE(succeeds(bnd_tensor_slice(&row, t, 0, 133, 1, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, COLUMNS, row, &why), &why));
    CU_ASSERT_EQUAL(memcmp(y, expected + 133 * COLUMNS, COLUMNS * sizeof *y), 0);
    CU_ASSERT_EQUAL(bnd_tensor_fill(row, 1, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_tensor_write_f32(row, x, COLUMNS, (bnd_rule){.rounding = BND_ROUND_RNE}, &why),
                    BND_BAD_ARGUMENT);
    bnd_tensor_release(turned);
    bnd_tensor_release(row);
    bnd_run_free(run);
}

static void test_blocks(void)
{
    static const struct {
        const char *recipe, *block;
    } cases[] = {{"param=e4m3/tile:128x128", "e4m3/tile:128x128"},
                 {"param=e4m3/tensor,master=fp32", "e4m3/tensor"},
                 {"param=fp16/tensor", "fp16/tensor"},
                 {"param=mxfp8", "e4m3/mx"},
                 {"param=mxfp6", "e3m2/mx"},
                 {"param=mxfp4", "e2m1/mx:floor"},
                 {"param=e2m1/mx:floor", "e2m1/mx:floor"},
                 {"param=nvfp4", "nvfp4"},
                 {"param=e2m1/nvfp4:16x16", "e2m1/nvfp4:16x16"},
                 {"param=e5m2/row", "e5m2/row"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned before = CU_get_number_of_failures();
        check_blocks(cases[i].recipe, cases[i].block);
        if (CU_get_number_of_failures() > before) {
            printf("\n    %s\n", cases[i].recipe);
        }
    }
}

static void test_dynamic(void)
{
    static float x[N], y[N], expected[N], scales[N];
    static unsigned char codes[N];
    bnd_error why;
    for (int i = 0; i < 2; i++) {
        bnd_run *run;
        bnd_tensor *t = stored(&run, "adam8bit", i == 0 ? BND_ROLE_M : BND_ROLE_V);
        const bnd_dynamic how = {.block = 256, .is_signed = i == 0};
        size_t bytes;
        fill(x, N, 9);
        CU_ASSERT_TRUE(succeeds(bnd_dynamic_quantize_f32(codes, scales, x, N, &how, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_dynamic_dequantize_f32(expected, codes, scales, N, &how, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_write_f32(t, x, N, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
        CU_ASSERT_EQUAL(bnd_tensor_bytes(t), N);
        CU_ASSERT_EQUAL(memcmp(bnd_tensor_codes(t), codes, N), 0);
        CU_ASSERT_EQUAL(memcmp(bnd_tensor_scales(t, &bytes), scales, 4 * blocks(N, 256)), 0);
        CU_ASSERT_EQUAL(bytes, 4 * blocks(N, 256));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, N, t, &why), &why));
        CU_ASSERT_EQUAL(memcmp(y, expected, sizeof y), 0);
        CU_ASSERT_PTR_NULL(bnd_tensor_scales(bnd_run_parameter(run, 1, BND_ROLE_M), &bytes)); /* a bias */
        bnd_run_free(run);
    }
}

/* ---- which layers and which products ---- */

static uint64_t elements_at(bnd_run *run, bnd_role role, const char *place)
{
    bnd_stats stats = {.elements = 0};
    for (unsigned i = 0; i < bnd_run_places(run); i++) {
        if (strcmp(bnd_run_place_name(run, i), place) == 0) {
            CU_ASSERT_TRUE(bnd_engine_statistics(&stats, bnd_run_engine(run), role, i));
            return stats.elements;
        }
    }
    CU_FAIL("no such place");
    return 0;
}

static void test_places(void)
{
    static const struct {
        const char *recipe;
        bool head, down, up; /* cast? */
    } cases[] = {{"nvfp4", false, false, true},
                 {"nvfp4+fp32", false, false, true},
                 {"nvfp4,high_last=0", true, true, true},
                 {"nvfp4,high_last=1", false, true, true},
                 {"nvfp4,high_last=100", false, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = small_transformer(cases[i].recipe);
        bnd_run *run = run_of(&t, NULL); /* 9 layers: 15 % are two */
        bnd_error why;
        CU_ASSERT_TRUE(
            succeeds(bnd_engine_take_statistics(bnd_run_engine(run), (unsigned)bnd_run_places(run), &why), &why));
        (void)steps_of(run, 1);
        for (bnd_role role = BND_ROLE_FWD_X; role <= BND_ROLE_WGRAD_DY; role++) {
            CU_ASSERT_EQUAL(elements_at(run, role, "head") > 0, cases[i].head);
            CU_ASSERT_EQUAL(elements_at(run, role, "blocks.1.down") > 0, cases[i].down);
            CU_ASSERT_EQUAL(elements_at(run, role, "blocks.1.up") > 0, cases[i].up);
            CU_ASSERT_EQUAL(elements_at(run, role, "blocks.0.qkv") > 0, cases[i].up);
        }
        /* Attention's products are others. */
        size_t rows = t.batch * t.context;
        uint64_t once = cases[i].up ? rows * t.width : 0;
        CU_ASSERT_EQUAL(elements_at(run, BND_ROLE_FWD_X, "blocks.0.qkv"), once);
        bnd_run_free(run);
    }
}

/* Pure recipes cast what a model reads, once per batch; not tokens and classes. */
static void test_data(void)
{
    static const struct {
        const char *model;
        size_t x, y; /* numbers of a row */
    } cases[] = {{"linear", 64, 1}, {"mlp", 64, 0}, {"student", 64, 64}, {"transformer", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of(cases[i].model, "adamw", "bf16-pure");
        bnd_stats stats = {.elements = 0};
        bnd_error why;
        t.batch = 4;
        bnd_run *run = run_of(&t, NULL);
        CU_ASSERT_TRUE(succeeds(bnd_engine_take_statistics(bnd_run_engine(run), 1, &why), &why));
        (void)steps_of(run, 1);
        CU_ASSERT_TRUE(bnd_engine_statistics(&stats, bnd_run_engine(run), BND_ROLE_DATA, BND_EVERYWHERE));
        CU_ASSERT_EQUAL(stats.elements, 4 * (cases[i].x + cases[i].y));
        bnd_run_free(run);
    }
}

/* Updates that a scaled weight loses are counted; with a power of two for a scale, so that numbers stay what they
 * were. */
static void test_cancelled(void)
{
    double lost[2];
    for (int i = 0; i < 2; i++) {
        bnd_training t = training_of("mlp", "adamw", i == 0 ? "param=e4m3/tensor:rceil" : "param=e4m3:sr/tensor:rceil");
        t.lr = 1e-4;
        bnd_run *run = run_of(&t, NULL);
        bnd_step step = steps_of(run, 3);
        lost[i] = (double)step.cancelled / (double)step.updates;
        bnd_run_free(run);
    }
    CU_ASSERT_TRUE(lost[0] > 0.9 && lost[0] <= 1);
    CU_ASSERT_TRUE(lost[1] < lost[0]);
}

static CU_TestInfo recipe_tests[] = {
    {"bytes a parameter", test_memory},
    {"bytes of histories", test_memory_of_histories},
    {"bytes of a wide model", test_totals},
    {"bytes of activations", test_activations},
    {"results that nothing saves", test_freed},
    {"a format for what is saved", test_saved},
    {"roles that are not given", test_not_given},
    {"same bits", test_same_bits},
    {"what an engine carries", test_state},
    {"those that work learn", test_learning},
    {"stored blocks", test_blocks},
    {"stored dynamic codes", test_dynamic},
    {"which layers", test_places},
    {"data", test_data},
    {"cancelled updates", test_cancelled},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("recipes", recipe_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
