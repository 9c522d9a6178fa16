/* Operations have the same bits whatever floating-point environment the caller has set, and leave it as it is. */
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "tests.h"

#if defined(__SSE2__)
static unsigned be_hostile(unsigned kind)
{
    static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    enum { FLUSH_AND_DAZ = 0x8040 };
    unsigned before = _mm_getcsr();
    fesetround(roundings[kind % 4]);
    _mm_setcsr(_mm_getcsr() | (kind % 2 == 0 || kind == 3 ? FLUSH_AND_DAZ : 0));
    return before;
}

static unsigned control(void)
{
    return _mm_getcsr();
}

static void be_kind(unsigned before)
{
    fesetround(FE_TONEAREST);
    _mm_setcsr(before);
}
#else
static unsigned be_hostile(unsigned kind)
{
    static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    fesetround(roundings[kind % 4]);
    return 0;
}

static unsigned control(void)
{
    return (unsigned)fegetround();
}

static void be_kind(unsigned before)
{
    (void)before;
    fesetround(FE_TONEAREST);
}
#endif
enum { HOSTILE_KINDS = 4, SIDE = 24 };

typedef struct one_way {
    bnd_tensor_operation operation;
    size_t operands;
    double number;
    bool positive; /* of positive numbers only */
} one_way;

/* What an operation and its way back make of fp32 numbers, some subnormal: the result first, then the gradients. */
static size_t run_operation(float *out, const one_way *w, const char *policy_text)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_policy policy;
    bnd_format fp32 = format_named("fp32");
    float x[SIDE * SIDE];
    bnd_tensor *in[3] = {NULL}, *y = NULL, *squares = NULL, *loss = NULL;
    bnd_attributes attributes = {.number = {w->number}, .flag = false};
    size_t n = 0;
    CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&policy, policy_text, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_engine_set_policy(engine, &policy, &why), &why));
    for (size_t i = 0; i < w->operands; i++) {
        bool vector = i == 2 || (i == 1 && w->operation == BND_TENSOR_OP_LAYER_NORM);
        bool indices = i == 1 && w->operation == BND_TENSOR_OP_CROSS_ENTROPY;
        for (size_t j = 0; j < SIDE * SIDE; j++) {
            uint32_t bits = (uint32_t)bnd_random(5 + i, 0, j) & (w->positive ? 0x407fffff : 0xc07fffff);
            bits = indices ? 0 : j % 5 == 0 ? bits & 0x807fffff : (bits & 0xc07fffff) | 0x38000000;
            memcpy(&x[j], &bits, sizeof bits);
        }
        CU_ASSERT_TRUE(succeeds(bnd_tensor_from_f32(&in[i], engine, &fp32, x, (size_t[]){SIDE, SIDE},
                                                    vector || indices ? 1 : 2, BND_ROLE_PARAM, &why),
                                &why));
        bnd_tensor_want_gradient(in[i], !indices);
    }
    if (!succeeds(bnd_tensor_apply(&y, w->operation, in, w->operands, &attributes, &why), &why) ||
        !succeeds(bnd_tensor_pair(&squares, BND_TENSOR_OP_MUL, y, y, &why), &why) ||
        !succeeds(bnd_tensor_map(&loss, BND_TENSOR_OP_SUM, squares, &why), &why)) {
        CU_FAIL_FATAL("an operation that should work is refused");
    }
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(out, bnd_tensor_count(y), y, &why), &why));
    n += bnd_tensor_count(y);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_backward(loss, 1, &why), &why));
    for (size_t i = 0; i < w->operands; i++) {
        const bnd_tensor *gradient = bnd_tensor_gradient(in[i]);
        if (gradient != NULL) {
            CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(out + n, bnd_tensor_count(gradient), gradient, &why), &why));
            n += bnd_tensor_count(gradient);
        }
    }
    bnd_engine_free(engine);
    return n;
}

static bool same_floats(const float *a, const float *b, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        same = same && same_double((double)a[i], (double)b[i]);
    }
    return same;
}

static void test_environment(void)
{
    static const one_way ways[] = {
        {BND_TENSOR_OP_ADD, 2, 0, false},
        {BND_TENSOR_OP_MUL, 2, 0, false},
        {BND_TENSOR_OP_DIV, 2, 0, true},
        {BND_TENSOR_OP_POW, 1, 0.3, true},
        {BND_TENSOR_OP_SCALE, 1, 0.3, false},
        {BND_TENSOR_OP_EXP, 1, 0, false},
        {BND_TENSOR_OP_LOG, 1, 0, true},
        {BND_TENSOR_OP_SQRT, 1, 0, true},
        {BND_TENSOR_OP_RSQRT, 1, 0, true},
        {BND_TENSOR_OP_TANH, 1, 0, false},
        {BND_TENSOR_OP_ERF, 1, 0, false},
        {BND_TENSOR_OP_SIGMOID, 1, 0, false},
        {BND_TENSOR_OP_GELU, 1, 0, false},
        {BND_TENSOR_OP_GELU_TANH, 1, 0, false},
        {BND_TENSOR_OP_SILU, 1, 0, false},
        {BND_TENSOR_OP_SOFTMAX, 1, 0, false},
        {BND_TENSOR_OP_LOG_SOFTMAX, 1, 0, false},
        {BND_TENSOR_OP_LOGSUMEXP, 1, 0, false},
        {BND_TENSOR_OP_MEAN, 1, 0, false},
        {BND_TENSOR_OP_MAX, 1, 0, false},
        {BND_TENSOR_OP_LAYER_NORM, 3, 1e-3, false},
        {BND_TENSOR_OP_CROSS_ENTROPY, 2, 0, false},
        {BND_TENSOR_OP_MATMUL, 2, 0, false},
        {BND_TENSOR_OP_LINEAR, 3, 0, false},
        {BND_TENSOR_OP_DROPOUT, 1, 0.3, false},
        {BND_TENSOR_OP_TRIL, 1, 0, false},
    };
    static const char *const policies[] = {"", "pure=bf16,saved=e5m2", "act=fp16:sr,gemm=e4m3/mx,acc=fp16"};
    static float want[4 * SIDE * SIDE], got[4 * SIDE * SIDE];
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
            size_t n = run_operation(want, &ways[i], policies[p]);
            for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
                unsigned before = be_hostile(kind), hostile = control();
                size_t count = run_operation(got, &ways[i], policies[p]);
                unsigned after = control();
                be_kind(before);
                bool same = count == n && same_floats(want, got, n);
                if (!same) {
                    printf("\n    %s under \"%s\": other bits where the caller rounds otherwise (%u)\n",
                           bnd_tensor_operation_name(ways[i].operation), policies[p], kind);
                }
                CU_ASSERT_TRUE(same);
                CU_ASSERT_EQUAL(after & ~0x3fu, hostile & ~0x3fu);
            }
        }
    }
}

CU_TestInfo environment_tests[] = {
    {"the caller's environment", test_environment},
    CU_TEST_INFO_NULL,
};
