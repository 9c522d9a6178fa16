/* The elementary functions, signs and reciprocals: every code of narrow formats and a choice of 16 bits against the
 * oracle, in six modes; the 128 bits of a choice of all operands; the ends; what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arith/elementary.h"
#include "verify/verify.h"
#include "verify/operands.h"
#include "driver.h"
#include "tests.h"

static const bnd_operation operations[] = {BND_OP_NEG,       BND_OP_ABS,     BND_OP_EXP,       BND_OP_LOG,
                                           BND_OP_TANH,      BND_OP_SIGMOID, BND_OP_ERF,       BND_OP_GELU,
                                           BND_OP_GELU_TANH, BND_OP_RSQRT,   BND_OP_RECIPROCAL};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static void test_narrow(void)
{
    trial t;
    trial_open(&t, "elementary functions of narrow formats");
    size_t count = small_formats(NULL, 8, 8);
    bnd_format *formats = calloc(count, sizeof *formats);
    CU_ASSERT_FATAL(formats != NULL);
    small_formats(formats, 8, 8);
    for (size_t i = 0; i < count; i++) {
        uint64_t stride = scaled_stride();
        for (uint64_t code = i % stride; code < UINT64_C(1) << formats[i].width; code += stride) {
            for (size_t k = 0; k < OPERATIONS; k++) {
                judge_operation_in_all_modes(&t, &formats[i], operations[k], code);
            }
        }
    }
    free(formats);
    trial_close(&t);
}

static const char *const of_16_bits[] = {"fp16",      "bf16",          "dlfloat16",   "e1m14none", "e2m13",
                                         "e4m11fnuz", "e6m9nosub",     "e8m7b200",    "e9m6",      "e11m4",
                                         "e3m12fn",   "binary15p15ue", "binary15p7sf"};

/* `binade verify` takes all of them. */
static void test_halves(void)
{
    trial t;
    trial_open(&t, "elementary functions of 16 bits");
    for (size_t i = 0; i < sizeof of_16_bits / sizeof of_16_bits[0]; i++) {
        bnd_format f = format_named(of_16_bits[i]);
        uint64_t stride = (i < 2 ? 61 : 241) * scaled_stride();
        for (uint64_t code = i; code < UINT64_C(1) << f.width; code += stride) {
            for (size_t k = 0; k < OPERATIONS; k++) {
                judge_operation_in_all_modes(&t, &f, operations[k], code);
            }
        }
    }
    trial_close(&t);
}

/* Results of other formats than the operand's, under any rule, with random bits. */
static void test_mixed(void)
{
    static const char *const results[] = {"fp16", "bf16",     "fp32", "fp64",     "e15m48",
                                          "e4m3", "e5m2fnuz", "e8m0", "dlfloat16"};
    enum { FROM = sizeof of_16_bits / sizeof of_16_bits[0], TO = sizeof results / sizeof results[0] };
    bnd_format from[FROM], to[TO];
    for (size_t i = 0; i < FROM; i++) {
        from[i] = format_named(of_16_bits[i]);
    }
    for (size_t i = 0; i < TO; i++) {
        to[i] = format_named(results[i]);
    }
    trial t;
    trial_open(&t, "elementary functions, mixed formats and any rule");
    uint64_t count = scaled(60000);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t which = bnd_random(83, 1, i), code;
        const bnd_format *const one[] = {&from[which % FROM]};
        bnd_operation operation = operations[(which >> 16) % OPERATIONS];
        bndi_stratified_operands(&code, operation, one, 83, i);
        bnd_rule rule = random_rule(bnd_random(83, 2, i));
        judge_operation(&t, &to[(which >> 8) % TO], operation, one, &code, rule, bnd_random(83, 3, i));
    }
    trial_close(&t);
}

/* x of few bits or many, where the functions are neither out of reach nor their own limits, and a little beyond. Of log
 * it is positive. */
static double wide_operand(bnd_operation operation, uint64_t random)
{
    int deepest = operation == BND_OP_LOG ? 1058 : 150, highest = operation == BND_OP_LOG ? 1007 : 1;
    uint64_t m = (random & 7) == 0 ? 1 + (random >> 32 & 15) : random >> 32 & 0xffff;
    int exponent = (int)((random >> 8 & 0xffff) % (uint64_t)(deepest + highest + 1)) - deepest;
    if ((random & 0x30) == 0) {
        exponent = -16 + (int)(random >> 8 & 7); /* where most of each function happens */
    }
    return ldexp(operation != BND_OP_LOG && (random & 8) != 0 ? -(double)m : (double)m, exponent);
}

/* The 128 bits that a rounding sees, and that something is left: against MPFR's 200. */
static void test_bits(void)
{
    enum { FAR = 1 << 18 };
    bnd_format fp64 = format_named("fp64");
    const bnd_format *const from[] = {&fp64};
    trial t;
    trial_open(&t, "128 bits of elementary functions");
    uint64_t count = scaled(100000);
    for (uint64_t i = 0; i < count; i++) {
        bnd_operation operation = (bnd_operation)(BND_OP_EXP + i % (BND_OP_GELU_TANH - BND_OP_EXP + 1));
        double x = wide_operand(operation, bnd_random(89, 1, i));
        bnd_exact operand = bnd_exact_double(x);
        if (x == 0 || x == 1) {
            continue;
        }
        uint64_t code = bndi_bits_of_double(x);
        uint32_t flags;
        bndi_oracle_answer answer;
        bndi_oracle_operate(&answer, &t.problem, &fp64, bndi_oracle_operation_named(bnd_operation_name(operation)),
                            from, &code, (bnd_rule){0}, 0);
        const bndi_oracle_number *exact = &t.problem.exact;
        bndi_oracle_set_quotient(&t.b.x, exact->negative, exact->numerator, exact->denominator, exact->scale);
        bnd_exact want = exact_of(&t.b);
        bnd_exact got = bnd_operate_exact(operation, &fp64, &operand, (bnd_rule){0}, 0, &flags);
        if (got.exponent < -FAR && want.exponent < -FAR && got.negative == want.negative) {
            continue; /* the oracle goes no further */
        }
        bool same = got.kind == BND_KIND_FINITE && got.negative == want.negative && got.high == want.high &&
                    got.low == want.low && got.exponent == want.exponent && got.sticky && want.sticky && flags == 0;
        if (comparison_note(&t.b, same)) {
            printf("%s of %a: 0x%016llx%016llxp%d, MPFR 0x%016llx%016llxp%d\n", bnd_operation_name(operation), x,
                   (unsigned long long)got.high, (unsigned long long)got.low, (int)got.exponent,
                   (unsigned long long)want.high, (unsigned long long)want.low, (int)want.exponent);
        }
    }
    trial_close(&t);
}

typedef struct known {
    bnd_operation operation;
    double x, value;
    uint32_t flags;
    int ternary;
} known;

static void expect(const bnd_format *f, const known *k, bnd_rule rule)
{
    bnd_result r =
        bndi_call_operation(f, k->operation, (uint64_t[]){bnd_encode(f, k->x, (bnd_rule){0}, 0).code}, rule, 0);
    double got = bnd_decode(f, r.code);
    bool same = isnan(k->value) ? isnan(got) : got == k->value && !signbit(got) == !signbit(k->value);
    same = same && r.flags == k->flags && r.ternary == k->ternary;
    if (!same) {
        printf("%s %s of %g in %s: %g, flags 0x%02x, ternary %d, want %g, 0x%02x, %d\n", f->name,
               bnd_operation_name(k->operation), k->x, bnd_rounding_name(rule.rounding), got, (unsigned)r.flags,
               (int)r.ternary, k->value, (unsigned)k->flags, k->ternary);
    }
    CU_ASSERT(same);
}

/* Exact answers, limits, poles, and what has no answer. */
static void test_ends(void)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const known cases[] = {
        {BND_OP_EXP, 0.0, 1, 0, 0},
        {BND_OP_EXP, -0.0, 1, 0, 0},
        {BND_OP_EXP, inf, inf, 0, 0},
        {BND_OP_EXP, -inf, 0.0, 0, 0},
        {BND_OP_EXP, 12, inf, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT, 1},
        {BND_OP_EXP, -18, 0.0, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT | BND_FLAG_TO_ZERO, -1},
        {BND_OP_EXP, -0x1p-24, 1, BND_FLAG_INEXACT, 1},
        {BND_OP_LOG, 1, 0.0, 0, 0},
        {BND_OP_LOG, 0.0, -inf, BND_FLAG_DIVBYZERO, 0},
        {BND_OP_LOG, -0.0, -inf, BND_FLAG_DIVBYZERO, 0},
        {BND_OP_LOG, -1, nan, BND_FLAG_INVALID, 0},
        {BND_OP_LOG, -inf, nan, BND_FLAG_INVALID, 0},
        {BND_OP_LOG, inf, inf, 0, 0},
        {BND_OP_TANH, -0.0, -0.0, 0, 0},
        {BND_OP_TANH, -inf, -1, 0, 0},
        {BND_OP_TANH, 60000, 1, BND_FLAG_INEXACT, 1},
        {BND_OP_TANH, -0x1p-24, -0x1p-24, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT, -1},
        {BND_OP_SIGMOID, -0.0, 0.5, 0, 0},
        {BND_OP_SIGMOID, inf, 1, 0, 0},
        {BND_OP_SIGMOID, -inf, 0.0, 0, 0},
        {BND_OP_SIGMOID, 0x1p-24, 0.5, BND_FLAG_INEXACT, -1},
        {BND_OP_ERF, -0.0, -0.0, 0, 0},
        {BND_OP_ERF, inf, 1, 0, 0},
        {BND_OP_ERF, -4, -1, BND_FLAG_INEXACT, -1},
        {BND_OP_GELU, -0.0, -0.0, 0, 0},
        {BND_OP_GELU, inf, inf, 0, 0},
        {BND_OP_GELU, -inf, -0.0, 0, 0},
        {BND_OP_GELU, 60000, 60000, BND_FLAG_INEXACT, 1},
        {BND_OP_GELU, -60000, -0.0, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT | BND_FLAG_TO_ZERO, 1},
        {BND_OP_GELU_TANH, -0.0, -0.0, 0, 0},
        {BND_OP_GELU_TANH, -inf, -0.0, 0, 0},
        {BND_OP_RSQRT, 0.0, inf, BND_FLAG_DIVBYZERO, 0},
        {BND_OP_RSQRT, -0.0, -inf, BND_FLAG_DIVBYZERO, 0},
        {BND_OP_RSQRT, -1, nan, BND_FLAG_INVALID, 0},
        {BND_OP_RSQRT, inf, 0.0, 0, 0},
        {BND_OP_RSQRT, 0x1p-24, 4096, 0, 0},
        {BND_OP_RSQRT, 4, 0.5, 0, 0},
        {BND_OP_RECIPROCAL, -0.0, -inf, BND_FLAG_DIVBYZERO, 0},
        {BND_OP_RECIPROCAL, -inf, -0.0, 0, 0},
        {BND_OP_RECIPROCAL, -0x1p-15, -32768, 0, 0},
        {BND_OP_RECIPROCAL, 3, 0x1.554p-2, BND_FLAG_INEXACT, -1},
        {BND_OP_NEG, 0.0, -0.0, 0, 0},
        {BND_OP_ABS, -inf, inf, 0, 0},
    };
    bnd_format fp16 = format_named("fp16");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(&fp16, &cases[i], (bnd_rule){0});
    }
    const bnd_rule up = {.rounding = BND_ROUND_RUP}, down = {.rounding = BND_ROUND_RDN};
    expect(&fp16, &(known){BND_OP_TANH, 60000, 1 - 0x1p-11, BND_FLAG_INEXACT, -1}, down);
    expect(&fp16, &(known){BND_OP_EXP, 0x1p-24, 1 + 0x1p-10, BND_FLAG_INEXACT, 1}, up);
    expect(&fp16, &(known){BND_OP_EXP, -60000, 0x1p-24, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT, 1}, up);
    expect(&fp16, &(known){BND_OP_GELU, -60000, -0x1p-24, BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT, -1}, down);
}

/* A code and its sign: no flags, no rule, NaNs as they are. */
static void test_signs(void)
{
    static const struct {
        const char *name;
        uint64_t code, opposite, magnitude;
    } cases[] = {
        {"fp16", 0x7c01, 0xfc01, 0x7c01},  {"fp16", 0xfe05, 0x7e05, 0x7e05}, {"fp16", 0x8001, 0x0001, 0x0001},
        {"fp16", 0xf0000, 0x8000, 0x0000}, {"e4m3", 0x7f, 0xff, 0x7f},       {"e4m3fnuz", 0x80, 0x80, 0x80},
        {"e4m3fnuz", 0x00, 0x00, 0x00},    {"e4m3fnuz", 0x81, 0x01, 0x01},   {"fp64", UINT64_MAX, INT64_MAX, INT64_MAX},
        {"binary8p3se", 0x80, 0x80, 0x80},
    };
    const bnd_rule rule = {.nan = BND_NAN_ONES, .flush_in = true, .flush_out = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_format f = format_named(cases[i].name);
        bnd_result neg = bnd_neg(&f, cases[i].code, rule, 0), abs = bnd_abs(&f, cases[i].code, rule, 0);
        CU_ASSERT(neg.code == cases[i].opposite && neg.flags == 0 && neg.ternary == 0);
        CU_ASSERT(abs.code == cases[i].magnitude && abs.flags == 0 && abs.ternary == 0);
    }
    bnd_format e8m0 = format_named("e8m0");
    CU_ASSERT_EQUAL(bnd_neg(&e8m0, 0x7f, (bnd_rule){0}, 0).code, 0xff);
    CU_ASSERT_EQUAL(bnd_neg(&e8m0, 0x7f, (bnd_rule){0}, 0).flags, BND_FLAG_INVALID);
    CU_ASSERT_EQUAL(bnd_neg(&e8m0, 0x7f, (bnd_rule){.negative = BND_NEGATIVE_MAGNITUDE}, 0).code, 0x7f);
    CU_ASSERT_EQUAL(bnd_abs(&e8m0, 0x7f, (bnd_rule){0}, 0).code, 0x7f);
}

static void refused(const char *name, bnd_operation operation, const char *message)
{
    bnd_format f = format_named(name);
    const bnd_format *const from[] = {&f, &f, &f};
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_operation_serves(operation, from, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_STRING_EQUAL(why.message, message);
    uint64_t codes[] = {1, 1, 1};
    bnd_result r = bnd_operate(&f, operation, from, codes, (bnd_rule){0}, 0);
    CU_ASSERT(r.code == 0 && r.flags == BND_FLAG_INVALID && r.ternary == 0);
}

static void test_refusals(void)
{
    refused("fp32", BND_OP_EXP,
            "exp takes operands of at most 16 bits; fp32 has 32; convert it first (the result may have any format)");
    refused(
        "e12m3", BND_OP_GELU_TANH,
        "gelu_tanh takes operands whose values fp64 has; e12m3 has values that fp64 does not have; convert it first");
    refused("p11", BND_OP_ERF, "erf takes operands whose values fp64 has; p11 has no codes; convert it first");
    refused("fp16", BND_OP_COUNT, "unknown operation 30 (available: 0 to 29)");
    bnd_format fp64 = format_named("fp64"), bf16 = format_named("bf16");
    const bnd_format *const wide[] = {&fp64, &fp64, &fp64}, *const narrow[] = {&bf16, &bf16, &bf16};
    for (int i = 0; i < BND_OP_COUNT; i++) {
        bool takes_all = i < BND_OP_EXP || i > BND_OP_GELU_TANH;
        CU_ASSERT_EQUAL(bnd_operation_serves((bnd_operation)i, wide, NULL) == BND_OK, takes_all);
        CU_ASSERT_EQUAL(bnd_operation_serves((bnd_operation)i, narrow, NULL), BND_OK);
    }
    const double bits_of_17 = 0x1.00008p0, too_small[] = {0x1p-1074, 0x1p1023, bits_of_17, 0x1.fffep0};
    const bool served[] = {true, true, false, true};
    for (size_t i = 0; i < 4; i++) {
        bnd_exact x = bnd_exact_double(too_small[i]);
        uint32_t flags;
        bnd_exact y = bnd_operate_exact(BND_OP_LOG, &fp64, &x, (bnd_rule){0}, 0, &flags);
        CU_ASSERT_EQUAL(y.kind == BND_KIND_FINITE, served[i]);
        CU_ASSERT_EQUAL(flags, served[i] ? 0 : BND_FLAG_INVALID);
    }
}

CU_TestInfo elementary_tests[] = {
    {"narrow formats", test_narrow}, {"16 bits", test_halves}, {"mixed formats", test_mixed}, {"128 bits", test_bits},
    {"the ends", test_ends},         {"signs", test_signs},    {"refusals", test_refusals},   CU_TEST_INFO_NULL,
};
