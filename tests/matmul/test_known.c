/* Sums whose results are known from elsewhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tests.h"
#include "tests/support/outcome.h"

static float dot(const char *name, const float *a, const float *b, size_t n)
{
    bnd_gemm how = {.accumulator = accumulator_named(name)};
    float out = NAN;
    CU_ASSERT_EQUAL(bnd_dot_f32(&out, a, b, n, &how, NULL), BND_OK);
    return out;
}

/* A sum of ones stays where one more is half a unit: published for each of these formats. */
static void test_ones(void)
{
    static const struct {
        const char *name;
        float stalls;
    } cases[] = {{"fp16", 2048},
                 {"bf16", 256},
                 {"e4m3", 16},
                 {"e5m2", 8},
                 {"fp32", 5000},
                 {"fma:fp16", 2048},
                 {"fp16/promote1000", 5000},
                 {"fp64", 5000}};
    float *ones = memory_of(5000 * sizeof(float));
    for (size_t i = 0; i < 5000; i++) {
        ones[i] = 1;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_EQUAL(dot(cases[i].name, ones, ones, 5000), cases[i].stalls);
    }
    free(ones);
}

/* The harmonic sum stalls too; where is known, with its terms rounded first. */
static void test_harmonic(void)
{
    static const struct {
        const char *name;
        float sum;
    } cases[] = {{"fp16", 7.0859375f}, {"bf16", 5.0625f}, {"e4m3", 3.0f}, {"e5m2", 2.0f}};
    float terms[1000], ones[1000];
    for (size_t i = 0; i < 1000; i++) {
        terms[i] = 1.0f / (float)(i + 1);
        ones[i] = 1;
    }
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(dot(cases[i].name, terms, ones, 1000), cases[i].sum);
    }
}

/* Fourteen bits lose a long sum of e4m3 numbers, as DeepSeek-V3 says (nearly 2 % at K = 4096); promotions every 128
 * steps keep it. Positive numbers, as theirs: the sum grows. */
static void test_long(void)
{
    enum { LONG = 4096 };
    const bnd_format e4m3 = format_named("e4m3");
    float *a = memory_of(LONG * sizeof(float)), *b = memory_of(LONG * sizeof(float));
    double worst = 0, promoted = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        for (size_t i = 0; i < LONG; i++) {
            a[i] = fabsf(number_of(DATA_NORMAL, NULL, 2 * seed, i));
            b[i] = fabsf(number_of(DATA_NORMAL, NULL, 2 * seed + 1, i));
        }
        CU_ASSERT_EQUAL(bnd_round_f32(a, a, LONG, &e4m3, NULL, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_round_f32(b, b, LONG, &e4m3, NULL, NULL, NULL), BND_OK);
        double exact = 0;
        for (size_t i = 0; i < LONG; i++) {
            exact += (double)a[i] * (double)b[i];
        }
        double error = fabs((double)dot("trunc14", a, b, LONG) - exact) / exact;
        double kept = fabs((double)dot("trunc14/promote128", a, b, LONG) - exact) / exact;
        worst = error > worst ? error : worst;
        promoted = kept > promoted ? kept : promoted;
        CU_ASSERT(fabs((double)dot("fp64", a, b, LONG) - exact) <= 0x1p-24 * exact);
    }
    printf("K = 4096: trunc14 is off by %.2e, promoted every 128 by %.2e ", worst, promoted);
    CU_ASSERT(worst > 1e-3 && worst < 0.1);
    CU_ASSERT(promoted * 3 < worst);
    free(a);
    free(b);
}

/* A group in which all but the largest product fall below the last place kept: they are lost, one by one. */
static void test_truncation(void)
{
    float a[33], b[33];
    for (size_t i = 0; i < 33; i++) {
        a[i] = i == 0 ? 1.0f : 0x1.8p-14f;
        b[i] = 1;
    }
    CU_ASSERT_EQUAL(dot("trunc14", a, b, 32), 1.0f);                 /* 31 * 1.5 * 2^-14 is lost */
    CU_ASSERT_EQUAL(dot("trunc15", a, b, 32), 1.0f + 31 * 0x1p-14f); /* a third of each is */
    CU_ASSERT_EQUAL(dot("trunc14", a + 1, b, 32), 32 * 0x1.8p-14f);
    CU_ASSERT_EQUAL(dot("trunc14", a, b, 33), 1.0f);
}

/* fmaf, in the order of k. */
static void test_chain(void)
{
    float a[777], b[777], sum = 0;
    for (size_t i = 0; i < 777; i++) {
        a[i] = number_of(DATA_WIDE, NULL, 1, i);
        b[i] = number_of(DATA_WIDE, NULL, 2, i);
        sum = fmaf(a[i], b[i], sum);
    }
    CU_ASSERT_EQUAL(dot("fp32", a, b, 777), sum);
}

/* A sum that is promoted is added to +0 or to what is in C: never a zero below zero, but where nothing is summed. */
static void test_promoted_zeros(void)
{
    static const char *const names[] = {"fp32/promote1", "fp32/promote128", "fp32/promote300"};
    const float least = 0x1p-100f, minus = -0x1p-100f; /* their product is a zero below zero */
    for (size_t i = 0; i < 3; i++) {
        const bnd_gemm how = {.accumulator = accumulator_named(names[i]), .add = true};
        float c = -0.0f;
        CU_ASSERT_FALSE(signbit(dot(names[i], &least, &minus, 1)));
        CU_ASSERT_EQUAL(bnd_gemm_f32(&c, 1, 1, &least, &minus, 0, &how, NULL), BND_OK);
        CU_ASSERT(signbit(c) && c == 0);
        CU_ASSERT_EQUAL(bnd_gemm_f32(&c, 1, 1, &least, &minus, 1, &how, NULL), BND_OK);
        CU_ASSERT(signbit(c) && c == 0);
    }
    CU_ASSERT_TRUE(signbit(dot("fp32", &least, &minus, 1)));
}

/* A sum that is promoted is rounded once: by integers, as the compiler converts them to fp32. Sums of two products are
 * exact in all of these; each is 2^24 and more beside an odd number, or at a tie with a little beside it. */
static void test_promoted_once(void)
{
    enum { COUNT = 2000 };
    static const char *const names[] = {"fp64/promote2",   "each:fp64/promote2", "fp64:rup/promote2",
                                        "e11m44/promote2", "fma:e8m45/promote2", "p50/promote2"};
    for (size_t at = 0; at < sizeof names / sizeof names[0]; at++) {
        const bnd_gemm how = {.accumulator = accumulator_named(names[at]), .add = true};
        size_t wrong = 0, twice = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            const uint64_t r = bnd_random(3, 1, i);
            const int64_t c = (int64_t)(r & 0xffffff) << 20, little = (int64_t)(r >> 60) - 8;
            const int64_t large = (int64_t)((r >> 24 & 0xffff) * 2 + 1) << 19;
            const float a[2] = {(float)large, (float)little}, b[2] = {1, 1};
            float got = (float)c;
            CU_ASSERT_EQUAL(bnd_gemm_f32(&got, 1, 1, a, b, 2, &how, NULL), BND_OK);
            wrong += got != (float)(c + large + little);
            twice += (float)((float)c + (float)(large + little)) != (float)(c + large + little);
        }
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT(twice > COUNT / 8); /* it can fail */
    }
}

/* The sum of a group is not an infinity before it is added. */
static void test_promoted_beyond(void)
{
    const bnd_gemm how = {.accumulator = accumulator_named("fp64/promote2"), .add = true};
    const float a[2] = {-0x1p127f, -0x1p126f}, b[2] = {2, 1};
    float c = 0x1p127f;
    CU_ASSERT_EQUAL(bnd_gemm_f32(&c, 1, 1, a, b, 2, &how, NULL), BND_OK);
    CU_ASSERT_EQUAL(c, -0x1.8p127f);
    const float least[2] = {0x1p-24f, 0x1p-30f}, ones[2] = {1, 0x1p-30f};
    c = 1;
    CU_ASSERT_EQUAL(bnd_gemm_f32(&c, 1, 1, least, ones, 2, &how, NULL), BND_OK);
    CU_ASSERT_EQUAL(c, 0x1.000002p+0f);
}

/* Where NaN becomes a zero with the opposite sign, its sign is that of bnd_operate's NaN, on every back end. */
static void test_no_nan(void)
{
    static const char *const names[] = {"e2m1", "fma:e4m3none", "e8m10none", "e8m20none"};
    static const float values[] = {1, -1, 0, INFINITY, -INFINITY};
    const float nan = bndi_float_of_bits(0x7fc00001), minus_nan = bndi_float_of_bits(0xffc00001);
    size_t wrong = 0;
    for (size_t at = 0; at < (size_t)4 * 49 * BND_BACKEND_COUNT; at++) {
        const size_t x = at / 4 % 7, y = at / 28 % 7;
        const bnd_context context = {.backend = (uint8_t)(at / (4 * 49))};
        bnd_gemm how = {.context = &context, .accumulator = accumulator_named(names[at % 4]), .add = true};
        how.accumulator.rule.no_nan = BND_NO_NAN_ZERO;
        question q;
        question_open(&q, 3, 4, 2, &how, 0);
        for (size_t i = 0; i < 12; i++) {
            q.a[i % 6] = x < 5 ? values[x] : x == 5 ? nan : minus_nan;
            q.b[i % 8] = y < 5 ? values[y] : y == 5 ? nan : minus_nan;
            q.start[i] = values[i % 3];
        }
        CU_ASSERT_EQUAL(question_ask(&q, NULL), BND_OK);
        wrong += differences(&q, "no NaN", BY_OPERATE);
        question_close(&q);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Sums up to the largest numbers of formats with fp32's exponents: 2^k or -1.5 2^k and a product of 1 or -1, which
 * changes nothing, in the last step. Tiles multiply sums on the way, by up to 2^16 for bf16. */
static void test_large_sums(void)
{
    static const char *const names[] = {"bf16", "fma:bf16", "tf32", "e8m3", "each:fp32", "bf16:rtz", "bf16:rna"};
    enum { SIDE = 36 };
    static float a[SIDE], b[SIDE], c[SIDE * SIDE];
    for (size_t name = 0; name < sizeof names / sizeof names[0]; name++) {
        for (int k = 100; k < 128; k++) {
            const float sum = ldexpf(k % 2 == 0 ? 1.0f : -1.5f, k);
            bnd_gemm how = {.accumulator = accumulator_named(names[name]), .add = true};
            size_t wrong = 0;
            for (size_t i = 0; i < SIDE; i++) {
                a[i] = sum > 0 ? 1 : -1;
                b[i] = 1;
            }
            for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
                c[i] = sum;
            }
            CU_ASSERT_EQUAL(bnd_gemm_f32(c, SIDE, SIDE, a, b, 1, &how, NULL), BND_OK);
            for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
                wrong += c[i] != sum;
            }
            CU_ASSERT_EQUAL(wrong, 0);
        }
    }
}

/* No steps: C stays, and a NaN becomes the canonical one. */
static void test_no_steps(void)
{
    static const char *const names[] = {"fp32",          "fp32/promote4",    "fp16/promote4", "fp64:rto/promote4",
                                        "p9/promote100", "bf16:sr/promote4", "trunc14",       "trunc14/promote32"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const float none[3] = {0};
        float c[3] = {bndi_float_of_bits(0xffc12345), -0.0f, 1.5f};
        bnd_gemm how = {.accumulator = accumulator_named(names[i]), .add = true};
        CU_ASSERT_EQUAL(bnd_gemm_f32(c, 1, 3, none, none, 0, &how, NULL), BND_OK);
        CU_ASSERT_EQUAL(bndi_bits_of_float(c[0]), 0x7fc00000);
        CU_ASSERT_EQUAL(bndi_bits_of_float(c[1]), 0x80000000);
        CU_ASSERT_EQUAL(c[2], 1.5f);
    }
}

/* Groups ignore the rule, where C is added to as well. */
static void test_rule_of_groups(void)
{
    static const char *const names[] = {"trunc14", "tensor13:fp32", "tensor13:e8m13", "tensor25:fp16"};
    static const float start[] = {0x1p-130F, INFINITY, -0x1p-140F, 70000};
    static const bnd_rule rules[] = {{.flush_in = true},
                                     {.flush_out = BND_FLUSH_SUBNORMAL},
                                     {.overflow = BND_OVERFLOW_SATURATE},
                                     {.nan = BND_NAN_SIGNED}};
    for (size_t i = 0; i < 4 * 4 * 4; i++) {
        const float zero = 0;
        float plain = start[i / 4 % 4], ruled = plain;
        bnd_gemm how = {.accumulator = accumulator_named(names[i / 16]), .add = true};
        CU_ASSERT_EQUAL(bnd_gemm_f32(&plain, 1, 1, &zero, &zero, 1, &how, NULL), BND_OK);
        how.accumulator.rule = rules[i % 4];
        CU_ASSERT_EQUAL(bnd_gemm_f32(&ruled, 1, 1, &zero, &zero, 1, &how, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(&plain, &ruled, sizeof plain), 0);
    }
}

/* Operands rounded to a format with more exponents than fp32: here no other numbers than those of e8m10. */
static void test_wide_operands(void)
{
    const bnd_format wide = format_named("e15m10"), narrow = format_named("e8m10");
    const float a[] = {1.5F, 0x1p-40F, -3, 0x1.8p-100F}, b[] = {2, 0x1.4p-7F, 1.25F, 0x1p-20F};
    float want, got;
    bnd_gemm how = {.accumulator = accumulator_named("tensor13:fp32"), .round_a = &narrow, .round_b = &narrow};
    CU_ASSERT_EQUAL(bnd_gemm_f32(&want, 1, 1, a, b, 4, &how, NULL), BND_OK);
    how.round_a = how.round_b = &wide;
    CU_ASSERT_EQUAL(bnd_gemm_f32(&got, 1, 1, a, b, 4, &how, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(&want, &got, sizeof got), 0);
}

/* A NaN that becomes a zero of its sign, in a product of a matrix and its transpose: the same for two rows and many. */
static void test_nan_to_zero(void)
{
    enum { ROWS = 96, DEPTH = 32 };
    float *a = memory_of(ROWS * DEPTH * sizeof *a), *few = memory_of(4 * sizeof *few),
          *many = memory_of(ROWS * ROWS * sizeof *many);
    bnd_gemm how = {.accumulator = accumulator_named("fma:e2m1"), .b = {.row = 1, .column = DEPTH}};
    how.accumulator.rule.no_nan = BND_NO_NAN_ZERO;
    for (size_t i = 0; i < ROWS * DEPTH; i++) {
        a[i] = 1;
    }
    a[DEPTH - 1] = NAN;
    a[2 * DEPTH - 1] = -NAN;
    CU_ASSERT_EQUAL(bnd_gemm_f32(few, 2, 2, a, a, DEPTH, &how, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_gemm_f32(many, ROWS, ROWS, a, a, DEPTH, &how, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(few, many, 2 * sizeof *few), 0);
    CU_ASSERT_EQUAL(memcmp(few + 2, many + ROWS, 2 * sizeof *few), 0);
    free(a);
    free(few);
    free(many);
}

/* Terms are cut off below the greatest exponent, that of a number that is subnormal in fp32 too, and never below the
 * least of its format, which value sets have as well. */
static void test_least_exponents(void)
{
    static const struct {
        const char *accumulator, *format;
        float a[2], b[2], expected;
    } cases[] = {{"tensor13g4:fp32", "e4m3b140", {0x1p-135f, 0x1p-135f}, {0x1p100f, 0x1p92f}, 0x1.01p-35f},
                 {"hopper-fp8", "e4m3b140", {0x1p-135f, 0x1p-135f}, {0x1p100f, 0x1p92f}, 0x1.01p-35f},
                 {"tensor3g4:fp32", "e4m3", {0x1p-9f, 0x1p-9f}, {1, 0.25f}, 0x1p-9f},
                 {"tensor3g4:fp32", "p4emin-6emax8", {0x1p-9f, 0x1p-9f}, {1, 0.25f}, 0x1p-9f}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const bnd_backend backends[] = {BND_BACKEND_BEST, BND_BACKEND_PORTABLE, BND_BACKEND_AVX2};
        for (size_t k = 0; k < 3; k++) {
            const bnd_format f = format_named(cases[i].format);
            const bnd_context context = {.threads = 1, .backend = (uint8_t)backends[k]};
            const bnd_gemm how = {
                .accumulator = accumulator_named(cases[i].accumulator), .round_a = &f, .context = &context};
            bnd_error why;
            float c = 0;
            bnd_status status = bnd_gemm_f32(&c, 1, 1, cases[i].a, cases[i].b, 2, &how, &why);
            CU_ASSERT_TRUE(succeeds(status, &why));
            CU_ASSERT_EQUAL(c, cases[i].expected);
        }
    }
}

CU_TestInfo known_tests[] = {
    {"ones", test_ones},
    {"harmonic sums", test_harmonic},
    {"long sums", test_long},
    {"truncation", test_truncation},
    {"least exponents of operands", test_least_exponents},
    {"large sums", test_large_sums},
    {"fmaf", test_chain},
    {"promoted zeros", test_promoted_zeros},
    {"no steps", test_no_steps},
    {"promoted with one rounding", test_promoted_once},
    {"promoted at the ends of fp32", test_promoted_beyond},
    {"no NaN", test_no_nan},
    {"the rule of groups", test_rule_of_groups},
    {"operands of many exponents", test_wide_operands},
    {"NaN becomes zero", test_nan_to_zero},
    CU_TEST_INFO_NULL,
};
