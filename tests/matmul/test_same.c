/* The same bits for any number of threads, any back end, and in a hostile floating-point environment. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "tests.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static const char *const names[] = {"fp32",           "fp16",      "bf16",
                                    "e4m3",           "fma:fp16",  "fma:bf16",
                                    "each:fp32",      "fp64",      "trunc14/promote128",
                                    "fp16/promote64", "bf16:sr:8", "fma:fp16:rtz",
                                    "fma:bf16:sr:32"};
enum { NAMES = sizeof names / sizeof names[0], M = 190, N = 210, K = 53 /* more than threads start at */ };

static void ask(question *q, bnd_context *context)
{
    q->how.context = context;
    CU_ASSERT_EQUAL(question_ask(q, NULL), BND_OK);
}

static void test_threads(void)
{
    for (size_t i = 0; i < NAMES; i++) {
        bnd_context context = {.threads = 1};
        bnd_gemm how = {.accumulator = accumulator_named(names[i]), .add = i % 2 == 1, .seed = 3};
        question one, some;
        question_open(&one, M, N, K, &how, 0);
        question_fill(&one, DATA_NORMAL, &how.accumulator.format, 1);
        ask(&one, &context);
        for (unsigned k = 0; k < 8; k++) {
            if (!in_turn(i + k, 3)) {
                continue;
            }
            static const bnd_backend backends[] = {BND_BACKEND_BEST, BND_BACKEND_PORTABLE, BND_BACKEND_AVX2,
                                                   BND_BACKEND_AVX512};
            context = (bnd_context){.backend = (uint8_t)backends[k % 4], .threads = 2 + k / 4};
            question_open(&some, M, N, K, &how, 0);
            question_fill(&some, DATA_NORMAL, &how.accumulator.format, 1);
            ask(&some, &context);
            const bool same = memcmp(some.c, one.c, one.c_size * sizeof(float)) == 0;
            if (!same) {
                printf("%s: not the same bits by %s with %u threads\n", names[i], bnd_backend_name(backends[k % 4]),
                       context.threads);
            }
            CU_ASSERT(same);
            question_close(&some);
        }
        question_close(&one);
    }
}

/* The rounding of the caller, subnormals flushed in and out: nothing changes, and the environment stays. */
static void test_environment(void)
{
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < NAMES; i++) {
        bnd_context context = {.threads = 1 + (uint32_t)i % 2};
        bnd_gemm how = {.accumulator = accumulator_named(names[i]), .seed = 3};
        question plain, hostile;
        question_open(&plain, M, N, K, &how, 0);
        question_fill(&plain, DATA_FRINGE, &how.accumulator.format, 1);
        ask(&plain, &context);
        question_open(&hostile, M, N, K, &how, 0);
        question_fill(&hostile, DATA_FRINGE, &how.accumulator.format, 1);
        CU_ASSERT_EQUAL(fesetround(modes[i % 3]), 0);
#if defined(__SSE2__)
        _mm_setcsr(_mm_getcsr() | 0x8040);
        unsigned before = _mm_getcsr();
#endif
        ask(&hostile, &context);
#if defined(__SSE2__)
        bool stayed = _mm_getcsr() == before;
        _mm_setcsr(_mm_getcsr() & ~0x8040u);
        CU_ASSERT(stayed);
#endif
        CU_ASSERT_EQUAL(fegetround(), modes[i % 3]);
        CU_ASSERT_EQUAL(fesetround(FE_TONEAREST), 0);
        CU_ASSERT_EQUAL(memcmp(plain.c, hostile.c, plain.c_size * sizeof(float)), 0);
        question_close(&plain);
        question_close(&hostile);
    }
}

/* Every mode in formats of all kinds, by both kinds of sums and every policy for what is too large, with operands of
 * all kinds: what a back end does in lanes, where the processor rounds down, up or toward zero, against loops. */
static void test_modes(void)
{
    static const char *const formats[] = {"bf16", "fp16", "e4m3", "e5m2fnuz", "e8m14", "tf32", "fp32", "fp64"};
    static const char *const modes[] = {"rne",  "rtz",   "rup",   "rdn",   "rto",   "rna",
                                        "sr:8", "sra:3", "srb:8", "sr:16", "sr:32", "sr-equal"};
    enum { FORMATS = sizeof formats / sizeof formats[0], MODES = sizeof modes / sizeof modes[0] };
    for (size_t i = 0; i < FORMATS * MODES * 2 * DATA_KINDS; i++) {
        const size_t kind = i % DATA_KINDS, which = i / DATA_KINDS;
        char name[BND_ACCUMULATOR_NAME_SIZE];
        snprintf(name, sizeof name, "%s:%s:%s", which % 2 == 0 ? "fma" : "each", formats[which / 2 % FORMATS],
                 modes[which / 2 / FORMATS]);
        bnd_gemm how = {.accumulator = accumulator_named(name), .add = i % 3 == 1, .seed = i};
        how.accumulator.rule.overflow = (uint8_t)(i / 5 % BND_OVERFLOW_COUNT);
        bnd_context portable = {.backend = BND_BACKEND_PORTABLE}, best = {.threads = 1};
        question one, other;
        question_open(&one, 5 + i % 4, 33 + i % 9, 19, &how, 0);
        question_fill(&one, (data_kind)kind, &how.accumulator.format, i);
        ask(&one, &portable);
        question_open(&other, one.m, one.n, one.k, &how, 0);
        question_fill(&other, (data_kind)kind, &how.accumulator.format, i);
        ask(&other, &best);
        const bool same = memcmp(other.c, one.c, one.c_size * sizeof(float)) == 0;
        if (!same) {
            printf("%s, overflow %u, data %zu: not the bits of the portable back end\n", name,
                   (unsigned)how.accumulator.rule.overflow, kind);
        }
        CU_ASSERT(same);
        question_close(&one);
        question_close(&other);
    }
}

/* Aligned groups of all sizes, with products from 2^-149 to what is infinite: where a group's unit is next to fp32's
 * least number, where the scale to it is no number of fp32, and where a sum leaves fp32. */
static void test_groups(void)
{
    static const char *const groups[] = {"trunc14",          "trunc24",          "trunc24g1",     "trunc2g64",
                                         "trunc8g3",         "trunc24g64",       "hopper-fp8",    "hopper-fp16",
                                         "hopper-fp16-fp16", "tensor40g64:fp32", "tensor1g3:e8m5"};
    static const int scales[] = {-149, -127, -120, -105, -100, -60, 0, 60, 115, 120, 124, 127};
    enum { GROUPS = sizeof groups / sizeof groups[0], SCALES = sizeof scales / sizeof scales[0] };
    for (size_t i = 0; i < GROUPS * SCALES * DATA_KINDS; i++) {
        const data_kind kind = (data_kind)(i % DATA_KINDS);
        const size_t which = i / DATA_KINDS;
        bnd_gemm how = {.accumulator = accumulator_named(groups[which % GROUPS]), .add = i % 3 == 1};
        how.accumulator.promote = i % 5 == 1 ? 50 : 0;
        bnd_context portable = {.backend = BND_BACKEND_PORTABLE}, best = {.threads = 1};
        question one, other;
        question_open(&one, 5 + i % 4, 33, 75, &how, 0);
        question_open(&other, one.m, one.n, one.k, &how, 0);
        question_fill(&one, kind, &how.accumulator.format, i);
        for (size_t e = 0; e < one.a_size; e++) {
            one.a[e] = ldexpf(one.a[e], scales[which / GROUPS]);
        }
        question_fill(&other, kind, &how.accumulator.format, i);
        memcpy(other.a, one.a, one.a_size * sizeof(float));
        ask(&one, &portable);
        ask(&other, &best);
        const bool same = memcmp(other.c, one.c, one.c_size * sizeof(float)) == 0;
        if (!same) {
            printf("%s, data %u times 2^%d: not the bits of the portable back end\n", groups[which % GROUPS],
                   (unsigned)kind, scales[which / GROUPS]);
        }
        CU_ASSERT(same);
        question_close(&one);
        question_close(&other);
    }
}

/* What tensor cores take, at scales at which groups are done in words, and at which they are not. */
static void test_tensor_cores(void)
{
    static const struct {
        const char *accumulator, *a, *b;
    } cases[] = {{"hopper-fp8", "e4m3", "e4m3"},       {"hopper-fp8", "e5m2", "e4m3"},
                 {"hopper-fp8", "e5m2", "e5m2"},       {"hopper-fp16", "fp16", "fp16"},
                 {"hopper-bf16", "bf16", "bf16"},      {"hopper-tf32", "tf32", "tf32"},
                 {"ampere-fp16", "fp16", "bf16"},      {"blackwell-fp8", "e4m3", "e5m2"},
                 {"tensor25g17:fp32", "fp16", "fp16"}, {"tensor13g64:e8m13/promote100", "e4m3", "e4m3"},
                 {"hopper-fp16", "fp32", "fp32"},      {"hopper-fp16", "e8m12", "e8m12"}};
    enum { CASES = sizeof cases / sizeof cases[0], SCALES = 6 };
    static const int scales[SCALES] = {0, -105, -60, 60, -140, 122};
    size_t wrong = 0;
    for (size_t i = 0; i < CASES * SCALES * DATA_KINDS; i++) {
        const size_t which = i % CASES, scale = i / CASES % SCALES;
        const bnd_format a = format_named(cases[which].a), b = format_named(cases[which].b);
        const bool wide = a.emin == -126;
        bnd_gemm how = {.accumulator = accumulator_named(cases[which].accumulator), .add = i % 3 == 1};
        how.round_a = &a;
        how.round_b = &b;
        question q;
        question_open(&q, 5, 33, 41 + i % 3 * 20, &how, (unsigned)(i % MATRIX_LAYOUTS));
        question_fill(&q, (data_kind)(i / CASES / SCALES), &a, i);
        for (size_t e = 0; e < q.a_size && (wide || scale % 2 == 1); e++) { /* or subnormal numbers of A */
            q.a[e] = ldexpf(q.a[e], wide ? scales[scale] : a.emin - 1);
        }
        for (size_t e = 0; e < q.b_size && !wide && scale % 2 == 1; e++) { /* by numbers far apart */
            q.b[e] = ldexpf(q.b[e], (int)(7 * e % 14) - 7);
        }
        ask(&q, NULL);
        wrong += differences(&q, "tensor cores", BY_OPERATE);
        question_close(&q);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* All elements of a product are the same sum of three products, stochastically rounded: from `least` to `most` of them
 * are `low`, the others `high`, and those of the portable back end are. */
enum { SIDE = 40, STEPS = 3 };
static void compare_sums(const char *name, const float of_row[STEPS], const float of_column[STEPS], float low,
                         float high, double least, double most)
{
    float a[SIDE * STEPS], b[STEPS * SIDE], c[2][SIDE * SIDE];
    for (size_t i = 0; i < (size_t)SIDE * STEPS; i++) {
        a[i] = of_row[i % STEPS];
        b[i] = of_column[i / SIDE];
    }
    for (uint64_t seed = 0; seed < 4; seed++) {
        size_t lower = 0, other = 0;
        for (unsigned k = 0; k < 2; k++) {
            bnd_context context = {.backend = k == 0 ? BND_BACKEND_PORTABLE : BND_BACKEND_BEST, .threads = 1};
            const bnd_gemm how = {.accumulator = accumulator_named(name), .seed = seed, .context = &context};
            CU_ASSERT_EQUAL(bnd_gemm_f32(c[k], SIDE, SIDE, a, b, STEPS, &how, NULL), BND_OK);
        }
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
            lower += c[0][i] == low;
            other += c[0][i] != low && c[0][i] != high;
        }
        CU_ASSERT_EQUAL(other, 0);
        const double share = (double)lower / (SIDE * SIDE);
        CU_ASSERT(share >= least && share <= most);
        CU_ASSERT_EQUAL(memcmp(c[0], c[1], sizeof c[0]), 0);
    }
}

/* A sum with more bits than a double keeps of what it rounds off, next to a tie. In e8m46, (2^24 - 1)^2 2^-47 and what
 * came before, 2^-55 + 2^-101, are the format's number below plus 128 + 1/2 + 2^-47 units of eight random bits: 129 of
 * 256 up, 128 if 2^-101 gets lost. Taking the product away again leaves 2^-47 or -2^-47. 2^46 + 1 is 8384513 times
 * 8392705. */
static void test_far_bits(void)
{
    const float most = 0x1p24f - 1, of_row[STEPS] = {8384513 * 0x1p-50f, most * 0x1p-23f, -most * 0x1p-23f};
    const float of_column[STEPS] = {8392705 * 0x1p-51f, most * 0x1p-24f, most * 0x1p-24f};
    compare_sums("fma:e8m46:sr:8", of_row, of_column, -0x1p-47f, 0x1p-47f, 0.4, 0.6);
}

/* A sum that a double rounds up to a power of two: the format's numbers below are half as far apart as those above.
 * 1 - 2^-55 of fp64 goes down to 1 - 2^-53 in a quarter of the cases, 1 - 2^-54 of e8m46 to 1 - 2^-47 in 2 of 256. */
static void test_below_power(void)
{
    static const float of_row[2][STEPS] = {{1, -0x1p-30f, -1}, {1, -0x1p-30f, -1}};
    static const float of_column[2][STEPS] = {{1, 0x1p-25f, 1}, {1, 0x1p-24f, 1}};
    compare_sums("fp64:sr:8", of_row[0], of_column[0], -0x1p-53f, 0, 0.2, 0.3);
    compare_sums("fp64:sra:8", of_row[0], of_column[0], -0x1p-53f, 0, 0.2, 0.3);
    compare_sums("fma:e8m46:sr:8", of_row[1], of_column[1], -0x1p-47f, 0, 0.001, 0.02);
    compare_sums("fma:e8m46:sra:8", of_row[1], of_column[1], -0x1p-47f, 0, 0.001, 0.02);
}

CU_TestInfo same_tests[] = {
    {"threads and back ends", test_threads},
    {"modes", test_modes},
    {"groups", test_groups},
    {"tensor cores", test_tensor_cores},
    {"far bits", test_far_bits},
    {"below a power of two", test_below_power},
    {"a hostile environment", test_environment},
    CU_TEST_INFO_NULL,
};
