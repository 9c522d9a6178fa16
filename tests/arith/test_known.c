/* Answers that are written down: what the literature says of sums that stall, and what IEEE 754 says of the ends. */
#include <math.h>
#include <stdio.h>

#include "driver.h"
#include "tests.h"

static const bnd_rule default_rule = {0};

static uint64_t code_of(const bnd_format *f, double x)
{
    return bnd_encode(f, x, default_rule, 0).code;
}

static void expect(const char *name, bnd_operation operation, double a, double b, double c, double value,
                   uint32_t flags)
{
    bnd_format f = format_named(name);
    uint64_t codes[] = {code_of(&f, a), code_of(&f, b), code_of(&f, c)};
    bnd_result r = bndi_call_operation(&f, operation, codes, default_rule, 0);
    double got = bnd_decode(&f, r.code);
    bool same = isnan(value) ? isnan(got) : got == value && !signbit(got) == !signbit(value);
    if (!same || r.flags != flags) {
        printf("%s %s %g %g %g: %g, flags 0x%02x, want %g, 0x%02x\n", name, bnd_operation_name(operation), a, b, c, got,
               (unsigned)r.flags, value, (unsigned)flags);
    }
    CU_ASSERT(same);
    CU_ASSERT_EQUAL(r.flags, flags);
}

static void test_sums(void)
{
    expect("fp16", BND_OP_ADD, 2048, 1, 0, 2048, BND_FLAG_INEXACT);
    expect("fp16", BND_OP_ADD, 2050, 1, 0, 2052, BND_FLAG_INEXACT); /* a tie, to even */
    expect("bf16", BND_OP_ADD, 256, 1, 0, 256, BND_FLAG_INEXACT);
    expect("e4m3", BND_OP_ADD, 16, 1, 0, 16, BND_FLAG_INEXACT);
    expect("e5m2", BND_OP_ADD, 8, 1, 0, 8, BND_FLAG_INEXACT);
    expect("fp64", BND_OP_ADD, 0x1p53, 1, 0, 0x1p53, BND_FLAG_INEXACT);
    expect("fp32", BND_OP_SUB, 1, 1, 0, 0.0, 0);
    expect("fp16", BND_OP_SUB, 0x1p-24, 0x1p-14, 0, -0x1.ff8p-15, 0); /* a subnormal, exact */
    expect("fp16", BND_OP_ADD, (double)INFINITY, -(double)INFINITY, 0, (double)NAN, BND_FLAG_INVALID);
}

static void test_products(void)
{
    expect("e4m3", BND_OP_MUL, 448, 2, 0, (double)NAN, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT);
    expect("e5m2", BND_OP_MUL, 57344, 2, 0, (double)INFINITY, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT);
    expect("e2m1", BND_OP_MUL, 6, -6, 0, -6, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT | BND_FLAG_SATURATED);
    expect("fp16", BND_OP_MUL, 0x1p-24, 0.5, 0, 0.0, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT | BND_FLAG_TO_ZERO);
    expect("fp16", BND_OP_MUL, 0.0, -(double)INFINITY, 0, (double)NAN, BND_FLAG_INVALID);
    expect("e4m3fnuz", BND_OP_MUL, -1, 0.0, 0, 0.0, 0); /* no negative zero */
    /* (1 + 2^-10)^2 - (1 + 2^-9) is 2^-20 exactly: the product is not rounded. */
    expect("fp16", BND_OP_FMA, 1 + 0x1p-10, 1 + 0x1p-10, -(1 + 0x1p-9), 0x1p-20, 0);
    expect("e8m0", BND_OP_MUL, 0x1p-100, 0x1p-100, 0, 0x1p-127, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT);
}

static void test_quotients(void)
{
    expect("fp16", BND_OP_DIV, 1, 3, 0, 0x1.554p-2, BND_FLAG_INEXACT);
    expect("fp16", BND_OP_DIV, -1, 0.0, 0, -(double)INFINITY, BND_FLAG_DIVBYZERO);
    expect("e4m3", BND_OP_DIV, 1, 0.0, 0, (double)NAN, BND_FLAG_DIVBYZERO | BND_FLAG_INVALID);
    expect("e2m3", BND_OP_DIV, 1, -0.0, 0, -7.5, BND_FLAG_DIVBYZERO | BND_FLAG_INVALID | BND_FLAG_SATURATED);
    expect("fp16", BND_OP_DIV, 0.0, 0.0, 0, (double)NAN, BND_FLAG_INVALID);
    expect("fp16", BND_OP_SQRT, 2, 0, 0, 0x1.6ap+0, BND_FLAG_INEXACT);
    expect("fp16", BND_OP_SQRT, -0.0, 0, 0, -0.0, 0);
    expect("fp16", BND_OP_SQRT, -1, 0, 0, (double)NAN, BND_FLAG_INVALID);
    expect("fp64", BND_OP_SQRT, 2, 0, 0, 0x1.6a09e667f3bcdp+0, BND_FLAG_INEXACT);
    expect("fp16", BND_OP_REM, 5, 2, 0, 1, 0); /* 2.5 is nearest to 2, the even one */
    expect("fp16", BND_OP_REM, 7, 2, 0, -1, 0);
    expect("fp16", BND_OP_REM, -6, 3, 0, -0.0, 0);
    expect("fp16", BND_OP_REM, 65504, 0x1p-24, 0, 0.0, 0);
}

static void test_steps(void)
{
    expect("fp16", BND_OP_NEXT_UP, 65504, 0, 0, (double)INFINITY, 0);
    expect("fp16", BND_OP_NEXT_UP, -0x1p-24, 0, 0, -0.0, 0);
    expect("fp16", BND_OP_NEXT_DOWN, 0.0, 0, 0, -0x1p-24, 0);
    expect("e4m3", BND_OP_NEXT_UP, 448, 0, 0, (double)NAN, BND_FLAG_INVALID);
    expect("e8m0", BND_OP_NEXT_DOWN, 0x1p-127, 0, 0, (double)NAN, BND_FLAG_INVALID);
    expect("fp16", BND_OP_ULP, 1, 0, 0, 0x1p-10, 0);
    expect("fp16", BND_OP_ULP, 0.0, 0, 0, 0x1p-24, 0);
    expect("fp16", BND_OP_ULP, -65504, 0, 0, 32, 0);
    expect("fp16", BND_OP_LOGB, -0x1p-24, 0, 0, -24, 0);
    expect("fp16", BND_OP_LOGB, 0.0, 0, 0, -(double)INFINITY, BND_FLAG_DIVBYZERO);
    expect("e5m2", BND_OP_LOGB, 57344, 0, 0, 16, BND_FLAG_INEXACT); /* 15 has four bits */
    expect("fp16", BND_OP_RINT, 2.5, 0, 0, 2, BND_FLAG_INEXACT);
    expect("fp16", BND_OP_NEARBY, -0.25, 0, 0, -0.0, 0);
    expect("e2m3", BND_OP_RINT, 7.5, 0, 0, 7.5,
           BND_FLAG_INEXACT | BND_FLAG_OVERFLOW | BND_FLAG_SATURATED); /* 8 is too large */
    expect("fp16", BND_OP_MIN, 0.0, -0.0, 0, -0.0, 0);
    expect("fp16", BND_OP_MAX, -0.0, 0.0, 0, 0.0, 0);
    expect("fp16", BND_OP_MIN, 1, (double)NAN, 0, (double)NAN, 0);
    expect("fp16", BND_OP_MIN_NUMBER, 1, (double)NAN, 0, 1, 0);
}

static void test_scalb(void)
{
    bnd_format fp16 = format_named("fp16");
    static const struct {
        double x;
        int64_t n;
        double value;
        uint32_t flags;
    } cases[] = {
        {1, 15, 32768, 0},
        {1.5, 16, (double)INFINITY, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT},
        {1.5, -24, 0x1p-23, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT},
        {-1, INT64_MIN, -0.0, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT | BND_FLAG_TO_ZERO},
        {-1, INT64_MAX, -(double)INFINITY, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT},
        {0, INT64_MAX, 0, 0},
        {(double)INFINITY, INT64_MIN, (double)INFINITY, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_result r = bnd_scalb(&fp16, code_of(&fp16, cases[i].x), cases[i].n, default_rule, 0);
        double got = bnd_decode(&fp16, r.code);
        CU_ASSERT(got == cases[i].value && !signbit(got) == !signbit(cases[i].value));
        CU_ASSERT_EQUAL(r.flags, cases[i].flags);
    }
}

/* The integer as a double has it, with zeros below its last bit. */
static void test_exact_scalb(void)
{
    static const double shifts[] = {3, -7, 1024, -1048576};
    bnd_format fp32 = format_named("fp32");
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        const bnd_exact x[BND_OPERANDS_MAX] = {bnd_exact_double(1.5), bnd_exact_double(shifts[i])};
        uint32_t flags = 0;
        bnd_exact got = bnd_operate_exact(BND_OP_SCALB, &fp32, x, default_rule, 0, &flags);
        CU_ASSERT_EQUAL(
            bnd_exact_compare(got, (bnd_exact){.low = 3, .exponent = (int32_t)shifts[i] - 1, .kind = BND_KIND_FINITE}),
            0);
    }
}

/* (1 - 2^-7) (1 + 2^-7) 2^-14 is less than fp16's smallest normal number by a quarter of a place, and rounds to it:
 * tiny before rounding, not after it. */
static void test_tininess(void)
{
    bnd_format fp16 = format_named("fp16");
    uint64_t a = code_of(&fp16, 1 - 0x1p-7), b = code_of(&fp16, 0x1p-14 + 0x1p-21);
    bnd_rule before = {.tiny_before = true};
    bnd_result r = bnd_mul(&fp16, a, b, before, 0);
    CU_ASSERT_EQUAL(r.code, 0x0400);
    CU_ASSERT_EQUAL(r.flags, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT);
    r = bnd_mul(&fp16, a, b, default_rule, 0);
    CU_ASSERT_EQUAL(r.code, 0x0400);
    CU_ASSERT_EQUAL(r.flags, BND_FLAG_INEXACT);
}

/* Ones added up, each sum rounded: where they stay. */
static void test_stalls(void)
{
    static const struct {
        const char *name;
        double limit;
    } cases[] = {{"fp16", 2048}, {"bf16", 256}, {"e4m3", 16}, {"e5m2", 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_format f = format_named(cases[i].name);
        uint64_t one = code_of(&f, 1), sum = code_of(&f, 0);
        for (int step = 0; step < 5000; step++) {
            sum = bnd_add(&f, sum, one, default_rule, 0).code;
        }
        CU_ASSERT_EQUAL(bnd_decode(&f, sum), cases[i].limit);
    }
}

static void test_nans(void)
{
    bnd_format fp16 = format_named("fp16"), e4m3fnuz = format_named("e4m3fnuz");
    bnd_rule propagate = {.nan = BND_NAN_PROPAGATE}, x86 = {.nan = BND_NAN_X86};
    uint64_t signaling = 0xfc01, quiet = 0x7e02, infinity = 0x7c00;
    CU_ASSERT_EQUAL(bnd_add(&fp16, signaling, quiet, propagate, 0).code, 0xfe01);
    CU_ASSERT_EQUAL(bnd_add(&fp16, quiet, signaling, propagate, 0).code, quiet);
    CU_ASSERT_EQUAL(bnd_add(&fp16, quiet, signaling, propagate, 0).flags, BND_FLAG_INVALID);
    CU_ASSERT_EQUAL(bnd_add(&fp16, quiet, signaling, default_rule, 0).code, 0x7e00);
    CU_ASSERT_EQUAL(bnd_sub(&fp16, infinity, infinity, default_rule, 0).code, 0x7e00);
    CU_ASSERT_EQUAL(bnd_sub(&fp16, infinity, infinity, x86, 0).code, 0xfe00);
    CU_ASSERT_EQUAL(bnd_fma(&fp16, infinity, 0, quiet, default_rule, 0).flags, BND_FLAG_INVALID);
    CU_ASSERT_EQUAL(bnd_fma(&fp16, infinity, 0, quiet, x86, 0).flags, 0);
    CU_ASSERT_EQUAL(bnd_fma(&fp16, infinity, 0, quiet, x86, 0).code, quiet);
    CU_ASSERT_EQUAL(bnd_min_number(&fp16, signaling, 0x3c00, default_rule, 0).code, 0x3c00);
    CU_ASSERT_EQUAL(bnd_min_number(&fp16, signaling, 0x3c00, default_rule, 0).flags, BND_FLAG_INVALID);
    CU_ASSERT_EQUAL(bnd_div(&e4m3fnuz, 0, 0, default_rule, 0).code, 0x80);
}

/* -500 is beyond e4m3: a conversion keeps the sign of what became NaN, an operation does not. */
static void test_default_nan(void)
{
    bnd_format fp16 = format_named("fp16"), e4m3 = format_named("e4m3");
    const bnd_format *const from[] = {&fp16, &fp16, &fp16};
    const uint64_t operands[] = {code_of(&fp16, -500), code_of(&fp16, 1), code_of(&fp16, 0)}, nan[] = {0xfe00, 0, 0};
    static const bnd_operation computed[] = {BND_OP_MUL, BND_OP_DIV, BND_OP_FMA, BND_OP_MIN, BND_OP_NEXT_DOWN};
    for (size_t i = 0; i < sizeof computed / sizeof computed[0]; i++) {
        bnd_result r = bnd_operate(&e4m3, computed[i], from, operands, default_rule, 0);
        CU_ASSERT_EQUAL(r.code, 0x7f);
        r = bnd_operate(&e4m3, computed[i], from, operands, (bnd_rule){.nan = BND_NAN_SIGNED}, 0);
        CU_ASSERT_EQUAL(r.code, 0xff);
        CU_ASSERT_EQUAL(bnd_operate(&fp16, computed[i], from, nan, default_rule, 0).code, 0x7e00);
    }
    CU_ASSERT_EQUAL(bnd_operate(&e4m3, BND_OP_CONVERT, from, operands, default_rule, 0).code, 0xff);
    CU_ASSERT_EQUAL(bnd_operate(&e4m3, BND_OP_CONVERT, from, nan, default_rule, 0).code, 0xff);
    CU_ASSERT_EQUAL(bnd_operate(&fp16, BND_OP_CONVERT, from, nan, default_rule, 0).code, 0xfe00);
    CU_ASSERT_EQUAL(bnd_mul(&e4m3, code_of(&e4m3, 448), code_of(&e4m3, -448), default_rule, 0).code, 0x7f);
}

/* 448 * 57344 + 1 in fp32: operands of two formats, a result in a third. */
static void test_mixed(void)
{
    bnd_format e4m3 = format_named("e4m3"), e5m2 = format_named("e5m2"), fp32 = format_named("fp32");
    const bnd_format *const from[] = {&e4m3, &e5m2, &fp32};
    const uint64_t codes[] = {0x7e, 0x7b, 0x3f800000};
    bnd_result r = bnd_operate(&fp32, BND_OP_FMA, from, codes, default_rule, 0);
    CU_ASSERT_EQUAL(bnd_decode(&fp32, r.code), 448.0 * 57344.0 + 1.0 - 1.0); /* 2^24.6 has no room for the 1 */
    CU_ASSERT_EQUAL(r.flags, BND_FLAG_INEXACT);
    CU_ASSERT_EQUAL(r.ternary, -1);
}

static void test_names(void)
{
    bnd_error why;
    for (int i = 0; i < BND_OP_COUNT; i++) {
        bnd_operation found = BND_OP_COUNT;
        const char *name = bnd_operation_name((bnd_operation)i);
        CU_ASSERT(bnd_operation_parse(&found, name, &why) == BND_OK && (int)found == i);
        CU_ASSERT(bnd_operation_operands((bnd_operation)i) >= 1);
        CU_ASSERT(bnd_operation_operands((bnd_operation)i) <= BND_OPERANDS_MAX);
    }
    bnd_operation untouched = BND_OP_DIV;
    CU_ASSERT_EQUAL(bnd_operation_parse(&untouched, "sqr", &why), BND_BAD_NAME);
    CU_ASSERT_EQUAL(untouched, BND_OP_DIV);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(why.message, "unknown operation 'sqr'; did you mean sqrt or rsqrt? (available: convert, "));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, bnd_operation_name((bnd_operation)(BND_OP_COUNT - 1))));
    CU_ASSERT_STRING_EQUAL(bnd_operation_name(BND_OP_COUNT), "");
    CU_ASSERT_EQUAL(bnd_operation_operands(BND_OP_COUNT), 0);
    bnd_format fp16 = format_named("fp16");
    const bnd_format *const from[] = {&fp16, &fp16, &fp16};
    const uint64_t codes[] = {0x3c00, 0x3c00, 0x3c00};
    CU_ASSERT_EQUAL(bnd_operate(&fp16, BND_OP_COUNT, from, codes, default_rule, 0).flags, BND_FLAG_INVALID);
}

CU_TestInfo known_tests[] = {
    {"sums", test_sums},
    {"products", test_products},
    {"quotients", test_quotients},
    {"steps", test_steps},
    {"scalb", test_scalb},
    {"scalb of exact numbers", test_exact_scalb},
    {"tininess", test_tininess},
    {"ones that stall", test_stalls},
    {"NaNs", test_nans},
    {"the default NaN", test_default_nan},
    {"mixed formats", test_mixed},
    {"names", test_names},
    CU_TEST_INFO_NULL,
};
