/* The same bits on every back end and with any number of threads, of every operation and its gradients. */
#include "battery.h"
#include "tests/support/operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What came out: the result, then the gradient of each operand, and what was counted. */
typedef struct answer {
    double *numbers;
    size_t count, room;
    uint64_t flops, read, written;
    bnd_stats counted[BND_ROLE_COUNT]; /* where the policy asks for casts */
} answer;

static void add_numbers(answer *a, const bnd_tensor *t)
{
    size_t n = bnd_tensor_count(t);
    bnd_error why;
    if (a->count + n > a->room) {
        a->room = 2 * (a->count + n);
        a->numbers = realloc(a->numbers, a->room * sizeof *a->numbers);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(a->numbers);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f64(a->numbers + a->count, n, t, &why), &why));
    a->count += n;
}

/* sum(weights y): every element of y has a gradient of its own. */
static bnd_status weigh(bnd_tensor **loss, bnd_tensor *y, bnd_error *why)
{
    bnd_tensor *weights = NULL, *product = NULL;
    bnd_status status = bnd_tensor_new(&weights, bnd_tensor_engine(y), bnd_tensor_format(y), bnd_tensor_shape(y),
                                       bnd_tensor_rank(y), BND_ROLE_ACT, why);
    if (status == BND_OK) {
        status = bnd_tensor_uniform(weights, 0.25, 2, 99, 0, why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_pair(&product, BND_TENSOR_OP_MUL, y, weights, why);
    }
    return status == BND_OK ? bnd_tensor_map(loss, BND_TENSOR_OP_SUM, product, why) : status;
}

static void ask(answer *a, const question *q, const bnd_format *f, const bnd_context *context, const bnd_policy *policy,
                size_t rows, size_t columns)
{
    bnd_engine *engine = NULL;
    bnd_error why;
    bnd_tensor *in[OPERANDS_MOST], *y = NULL, *loss = NULL;
    CU_ASSERT_FATAL(succeeds(bnd_engine_new(&engine, context, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_engine_set_policy(engine, policy, &why), &why));
    bnd_engine_set_seed(engine, 11, 2);
    CU_ASSERT_FATAL(succeeds(bnd_engine_take_statistics(engine, 1, &why), &why));
    a->count = 0;
    CU_ASSERT_FATAL(succeeds(question_operands(in, engine, q, f, rows, columns, &why), &why));
    CU_ASSERT_FATAL(succeeds(question_ask(&y, in, q, &why), &why));
    add_numbers(a, y);
    if (bnd_tensor_wants_gradient(y)) {
        CU_ASSERT_FATAL(succeeds(weigh(&loss, y, &why), &why));
        CU_ASSERT_FATAL(succeeds(bnd_tensor_backward(loss, 1, &why), &why));
    }
    for (size_t i = 0; i < question_operand_count(q); i++) {
        if (bnd_tensor_gradient(in[i]) != NULL) {
            add_numbers(a, bnd_tensor_gradient(in[i]));
        }
    }
    bnd_account account;
    bnd_engine_account(&account, engine);
    a->flops = bnd_account_flops(&account);
    a->read = account.bytes_read;
    a->written = account.bytes_written;
    memset(a->counted, 0, sizeof a->counted);
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        (void)bnd_engine_statistics(&a->counted[role], engine, (bnd_role)role, BND_PLACE_ALL);
    }
    bnd_engine_free(engine);
}

static bool same_answer(const answer *a, const answer *b)
{
    return a->count == b->count && memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) == 0 &&
           a->flops == b->flops && a->read == b->read && a->written == b->written;
}

static unsigned differences(const question *q, const bnd_format *f, const bnd_policy *policy, size_t rows,
                            size_t columns)
{
    static const bnd_context contexts[] = {
        {.backend = BND_BACKEND_PORTABLE, .threads = 1}, {.backend = BND_BACKEND_PORTABLE, .threads = 2},
        {.backend = BND_BACKEND_AVX2, .threads = 1},     {.backend = BND_BACKEND_AVX2, .threads = 2},
        {.backend = BND_BACKEND_AVX512, .threads = 1},   {.backend = BND_BACKEND_AVX512, .threads = 2},
        {.backend = BND_BACKEND_BEST, .threads = 0}};
    answer first = {.numbers = NULL}, other = {.numbers = NULL};
    unsigned wrong = 0;
    ask(&first, q, f, &contexts[0], policy, rows, columns);
    for (size_t i = 1; i < sizeof contexts / sizeof contexts[0]; i++) {
        if (!bnd_backend_here((bnd_backend)contexts[i].backend)) {
            continue;
        }
        ask(&other, q, f, &contexts[i], policy, rows, columns);
        if (!same_answer(&first, &other)) {
            wrong++;
            printf("\n    %s of %s (%s), %zu rows of %zu: context %zu has other bits\n",
                   bnd_tensor_operation_name(q->operation), q->operands, f->name, rows, columns, i);
        }
    }
    free(first.numbers);
    free(other.numbers);
    return wrong;
}

static unsigned all_questions(const bnd_policy *policy, const char *const *formats, size_t count, size_t rows,
                              size_t columns)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < question_count; i++) {
        for (size_t j = 0; j < count; j++) {
            bnd_format f = format_named(formats[j]);
            wrong += differences(&questions[i], &f, policy, rows, columns);
        }
    }
    return wrong;
}

static void test_every_operation(void)
{
    static const char *const formats[] = {"fp32", "fp64", "bf16", "e4m3", "e2m1"};
    CU_ASSERT_EQUAL(all_questions(NULL, formats, 2, 67, 131), 0);
    CU_ASSERT_EQUAL(all_questions(NULL, formats + 2, 3, 21, 131), 0);
    CU_ASSERT_EQUAL(all_questions(NULL, formats, 1, 2, 2600), 0); /* rows of more than a chunk */
}

/* fp32 numbers that many threads divide: every question, with NaNs of other payloads, infinities and -0 among the
 * numbers of two of them, and what is counted. */
enum { SHARED_ROWS = 300, SHARED_COLUMNS = 230, SHARED = SHARED_ROWS * SHARED_COLUMNS };

static void ask_shared(uint32_t *bits, bnd_stats *counted, bnd_tensor_operation operation, const float *x,
                       unsigned threads)
{
    const bnd_context context = {.threads = threads};
    const size_t shape[2] = {SHARED_ROWS, SHARED_COLUMNS};
    const bnd_format f = format_named("fp32");
    bnd_engine *engine = NULL;
    bnd_tensor *in = NULL, *y = NULL;
    bnd_error why;
    CU_ASSERT_FATAL(succeeds(bnd_engine_new(&engine, &context, &why), &why));
    bnd_policy policy = {.name = "test", .accumulator = "fp32"};
    policy.cast[BND_ROLE_ACT] = policy.cast[BND_ROLE_CAREFUL] = (bnd_cast){.given = true, .format = f};
    CU_ASSERT_FATAL(succeeds(bnd_engine_set_policy(engine, &policy, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_engine_take_statistics(engine, 1, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_tensor_from_f32(&in, engine, &f, x, shape, 2, BND_ROLE_ACT, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_tensor_map(&y, operation, in, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_tensor_read_f32((float *)(void *)bits, SHARED, y, &why), &why));
    memset(counted, 0, sizeof *counted);
    const bool careful = operation == BND_TENSOR_OP_SOFTMAX;
    CU_ASSERT_PTR_NOT_NULL(
        bnd_engine_statistics(counted, engine, careful ? BND_ROLE_CAREFUL : BND_ROLE_ACT, BND_PLACE_ALL));
    bnd_engine_free(engine);
}

/* Three threads and one: every question, or every `apart`-th. */
static unsigned differences_of_threads(const bnd_policy *policy, const char *format, size_t apart)
{
    const bnd_format f = format_named(format);
    unsigned wrong = 0;
    for (size_t i = 0; i < question_count; i += apart) {
        static const bnd_context contexts[] = {{.threads = 1}, {.threads = 3}};
        answer one = {.numbers = NULL}, three = {.numbers = NULL};
        ask(&one, &questions[i], &f, &contexts[0], policy, SHARED_ROWS, SHARED_COLUMNS);
        ask(&three, &questions[i], &f, &contexts[1], policy, SHARED_ROWS, SHARED_COLUMNS);
        if (!same_answer(&one, &three) || memcmp(one.counted, three.counted, sizeof one.counted) != 0) {
            wrong++;
            printf("\n    %s of %s: three threads have other bits\n", bnd_tensor_operation_name(questions[i].operation),
                   questions[i].operands);
        }
        free(one.numbers);
        free(three.numbers);
    }
    return wrong;
}

static void test_shared(void)
{
    static const bnd_tensor_operation operations[] = {BND_TENSOR_OP_GELU, BND_TENSOR_OP_NEG, BND_TENSOR_OP_SOFTMAX};
    static float x[SHARED];
    static uint32_t first[SHARED], other[SHARED];
    static const uint32_t special[] = {0x7fc12345, 0xffc00000, 0x7f800000, 0xff800000, 0x80000000, 0x00000001};
    for (size_t i = 0; i < SHARED; i++) {
        x[i] = (float)(i % 1999) * 0.003f - 3;
    }
    for (size_t i = 0; i < 6; i++) {
        memcpy(&x[SHARED / 7 * (i + 1)], &special[i], sizeof special[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        bnd_stats counted, again;
        ask_shared(first, &counted, operations[i], x, 1);
        CU_ASSERT_EQUAL(first[SHARED / 7], 0x7fc00000); /* one NaN */
        CU_ASSERT(counted.elements > 0);
        for (unsigned threads = 2; threads <= 5; threads += 3) {
            ask_shared(other, &again, operations[i], x, threads);
            CU_ASSERT_EQUAL(memcmp(first, other, sizeof first), 0);
            CU_ASSERT_EQUAL(memcmp(&counted, &again, sizeof counted), 0);
        }
    }
    CU_ASSERT_EQUAL(differences_of_threads(NULL, "fp32", 1), 0);
}

/* The same under policies: codes, random bits, scales; and what is counted, sums of squares to the last bit. */
static void test_shared_codes(void)
{
    static const char *const policies[] = {
        "act=bf16,careful=fp32,grad=bf16,norm.w=fp16,dact=bf16:sr:16",
        "act=e4m3,dact=e5m2:sr:8,careful=bf16,gemm=bf16,gemm_fwd.w=fp16:sr:8,gemm_dgrad.dy=e5m2",
        "act=bf16,gemm=e4m3/current,gemm_dgrad.dy=e5m2/delayed,gemm_wgrad.dy=e5m2/current",
        "act=fp16,gemm=e4m3/tile:1x128,gemm_wgrad=mxfp8,gemm_fwd.w=e2m1/nvfp4:16x16,gemm_dgrad.dy=nvfp4:sr:16",
    };
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        if (!in_turn(i, 2)) {
            continue;
        }
        bnd_policy policy = {.accumulator = ""};
        bnd_error why;
        CU_ASSERT_FATAL(succeeds(bnd_policy_parse(&policy, policies[i], &why), &why));
        CU_ASSERT_EQUAL(differences_of_threads(&policy, i % 2 == 0 ? "bf16" : "fp32", 1 + i % 2), 0);
    }
}

/* Casts that a policy asks for, with random bits. */
static void test_with_a_policy(void)
{
    static const char *const formats[] = {"fp32", "bf16"};
    static const struct {
        bnd_role role;
        const char *format;
        uint8_t rounding;
    } casts[] = {{BND_ROLE_ACT, "bf16", BND_ROUND_SR},           {BND_ROLE_DACT, "e5m2", BND_ROUND_SR},
                 {BND_ROLE_GRAD, "fp16", BND_ROUND_RNE},         {BND_ROLE_FWD_X, "e4m3", BND_ROUND_SR},
                 {BND_ROLE_FWD_W, "e4m3", BND_ROUND_RNE},        {BND_ROLE_DGRAD_DY, "e5m2", BND_ROUND_SR},
                 {BND_ROLE_WGRAD_DY, "e5m2", BND_ROUND_SR_EQUAL}};
    bnd_policy policy = {.name = "test", .accumulator = "bf16:sr:8"};
    for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++) {
        policy.cast[casts[i].role] =
            (bnd_cast){.given = true, .format = format_named(casts[i].format), .rule = {.rounding = casts[i].rounding}};
    }
    CU_ASSERT_EQUAL(all_questions(&policy, formats, 2, 31, 97), 0);
}

/* Whoever adds an operation adds a question. */
static void test_none_is_left_out(void)
{
    for (unsigned operation = BND_TENSOR_OP_NONE + 1; operation < BND_TENSOR_OP_COUNT; operation++) {
        bool asked = operation == BND_TENSOR_OP_VIEW || operation == BND_TENSOR_OP_CHECKPOINT;
        for (size_t i = 0; i < question_count; i++) {
            asked = asked || questions[i].operation == operation;
        }
        CU_ASSERT_TRUE(asked);
    }
}

CU_TestInfo same_tests[] = {
    {"none is left out", test_none_is_left_out}, {"every operation", test_every_operation},
    {"divided among threads", test_shared},      {"codes divided among threads", test_shared_codes},
    {"with a policy", test_with_a_policy},       CU_TEST_INFO_NULL,
};
