/* Answers that are written down: conversions where a second rounding would show, ties of one bit of precision,
 * underflow before and after rounding, what raises which flag. The oracle is not asked. */
#include <math.h>
#include <stdio.h>

#include "tests/support/comparison.h"
#include "tests.h"

typedef struct witness {
    const char *format;
    double x;
    bnd_rule rule;
    uint64_t code;
    uint32_t flags;
    int ternary;
} witness;

#define INEXACT BND_FLAG_INEXACT
#define TINY    (BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT)
#define ZEROED  (BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT | BND_FLAG_TO_ZERO)
#define LARGE   (BND_FLAG_OVERFLOW | BND_FLAG_INEXACT)
#define STUCK   (BND_FLAG_OVERFLOW | BND_FLAG_INEXACT | BND_FLAG_SATURATED)
#define SNAN    bndi_double_of_bits(UINT64_C(0x7ff0000000000001))
#define INF     ((double)INFINITY)
#define QNAN    ((double)NAN)
static const bnd_rule saturate = {.overflow = BND_OVERFLOW_SATURATE};
static const bnd_rule propagate = {.overflow = BND_OVERFLOW_PROPAGATE};

static bool holds(const witness *w)
{
    bnd_format f = format_named(w->format);
    bnd_result r = bnd_encode(&f, w->x, w->rule, 0);
    bool same = r.code == w->code && r.flags == w->flags && r.ternary == w->ternary;
    if (!same) {
        printf("%s, %s: %a gives 0x%llx flags %u ternary %d, not 0x%llx flags %u ternary %d\n", w->format,
               bnd_rounding_name(w->rule.rounding), w->x, (unsigned long long)r.code, (unsigned)r.flags, (int)r.ternary,
               (unsigned long long)w->code, (unsigned)w->flags, w->ternary);
    }
    return same;
}

static void run(const witness *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT(holds(&table[i]));
    }
}

#define RUN(table) run(table, sizeof(table) / sizeof(table)[0])

/* clang-format off */
static void test_one_rounding(void)
{
    const witness table[] = {
        {"e4m3", -431.99999999999994, {0}, 0xfd, INEXACT, 1},   /* -416, not -448 by way of float */
        {"fp16", 1 + 0x1p-11 + 0x1p-40, {0}, 0x3c01, INEXACT, 1},
        {"bf16", 1 + 0x1p-8 + 0x1p-40, {0}, 0x3f81, INEXACT, 1},
        {"fp16", 0.1, {0}, 0x2e66, INEXACT, -1},
        {"bf16", 0.1, {0}, 0x3dcd, INEXACT, 1},
        {"fp32", 0.1, {0}, 0x3dcccccd, INEXACT, 1},
        {"e4m3", 0.1, {0}, 0x1d, INEXACT, 1},
        {"e5m2", 0.1, {0}, 0x2e, INEXACT, -1},
        {"fp16", 1e-8, {0}, 0x0000, ZEROED, -1},
        {"bf16", 1e-8, {0}, 0x322c, INEXACT, 1},
        {"fp32", 0.5, {0}, 0x3f000000, 0, 0},                   /* exponent field 126 */
        {"fp64", 0.1, {0}, 0x3fb999999999999a, 0, 0},
    };
    RUN(table);
}

static void test_e4m3(void)
{
    const witness table[] = {
        {"e4m3", 464, {0}, 0x7e, INEXACT, -1},
        {"e4m3", 0x1.d000000000001p+8, {0}, 0x7f, LARGE, 0},
        {"e4m3", 0x1p-10, {0}, 0x00, ZEROED, -1},
        {"e4m3", 0x1.8p-9, {0}, 0x02, TINY, 1},
        {"e4m3", 0x1.0000000000001p-10, {0}, 0x01, TINY, 1},
        {"e4m3", 448, {0}, 0x7e, 0, 0},
        {"e4m3ieee", 240, {0}, 0x77, 0, 0},
        {"e4m3ieee", 248, {0}, 0x78, LARGE, 1},
    };
    RUN(table);
}

static void test_one_bit(void)
{
    const bnd_rule code = {.tie_rule = BND_TIE_RULE_CODE}, significand = {.tie_rule = BND_TIE_RULE_SIGNIFICAND};
    const witness table[] = {
        {"e8m0", 1.5, {0}, 128, INEXACT, 1},  /* 2 */
        {"e8m0", 3, {0}, 129, INEXACT, 1},    /* 4 */
        {"e8m0", 6, {0}, 130, INEXACT, 1},    /* 8 */
        {"e8m0", 1.5, code, 128, INEXACT, 1}, /* 2 */
        {"e8m0", 3, code, 128, INEXACT, -1},  /* 2 */
        {"e8m0", 6, code, 130, INEXACT, 1},   /* 8 */
        {"binary8p1se", 1.5, {0}, 64, INEXACT, -1}, /* 1 */
        {"binary8p1se", 3, {0}, 66, INEXACT, 1},    /* 4 */
        {"binary8p1se", 6, {0}, 66, INEXACT, -1},   /* 4 */
        {"binary8p1se", 1.5, significand, 65, INEXACT, 1},
        {"binary8p1se", 3, significand, 66, INEXACT, 1},
        {"binary8p1se", 6, significand, 67, INEXACT, 1},
    };
    RUN(table);
}

static void test_underflow(void)
{
    const bnd_rule before = {.tiny_before = true};
    const witness table[] = {
        {"fp32", 0x1p-126 - 0x1p-151, {0}, 0x00800000, INEXACT, 1},
        {"fp32", 0x1p-126 - 0x1p-151, before, 0x00800000, TINY, 1},
        {"fp32", 0x1p-126 - 0x1p-150, {0}, 0x00800000, TINY, 1},
        {"fp32", 0x1p-126 - 0x1p-150, before, 0x00800000, TINY, 1},
        {"fp32", 0x1p-140, {0}, 0x200, 0, 0},
        {"fp32", 0x1p-140, before, 0x200, 0, 0},
        {"fp32", 0x1p-140, {.flush_out = true}, 0, ZEROED, -1},
        {"fp32", 0x1p-140, {.flush_out = BND_FLUSH_TINY}, 0, ZEROED, -1},
        {"fp32", 0x1p-126 - 0x1p-150, {.flush_out = true}, 0x00800000, TINY, 1},
        {"fp32", 0x1p-126 - 0x1p-150, {.flush_out = BND_FLUSH_TINY}, 0, ZEROED, -1},
        {"fp32", 0x1p-126 - 0x1p-151, {.flush_out = BND_FLUSH_TINY}, 0x00800000, INEXACT, 1},
        {"fp32", 0x1p-126 - 0x1p-151, {.flush_out = BND_FLUSH_TINY, .tiny_before = true}, 0, ZEROED, -1},
        {"fp32", -0x1p-140, {.rounding = BND_ROUND_RDN, .flush_out = BND_FLUSH_TINY}, 0x80000000, ZEROED, 1},
        {"e8m0", 0x1p-128, {.flush_out = BND_FLUSH_TINY}, 0, TINY, 1},
        {"dlfloat16", 0x1.0080000000001p-32, {.flush_out = BND_FLUSH_TINY}, 0, ZEROED, -1},
        {"fp32", -0x1p-140, {.flush_out = true}, 0x80000000, ZEROED, 1},
        {"fp32", 0x1p-1040, {.flush_in = true}, 0, BND_FLAG_TO_ZERO, -1},
        {"fp64", -0x1p-1040, {.flush_in = true}, 0x8000000000000000, BND_FLAG_TO_ZERO, 1},
        {"fp64", 0x1p-1040, {.flush_out = true}, 0, ZEROED, -1},
        {"dlfloat16", 0x1.008p-32, {0}, 0, ZEROED, -1},
        {"dlfloat16", 0x1.0080000000001p-32, {0}, 1, TINY, 1},
        {"e8m0", 0x1p-128, {0}, 0, TINY, 1},
        {"e8m0", 0x1p-128, {.rounding = BND_ROUND_RDN}, 0, TINY, 1},
    };
    RUN(table);
}

static void test_flags(void)
{
    const witness table[] = {
        {"fp16", SNAN, {0}, 0x7e00, BND_FLAG_INVALID, 0},
        {"fp16", QNAN, {0}, 0x7e00, 0, 0},
        {"e2m1", QNAN, {0}, 0x7, BND_FLAG_INVALID, 0},
        {"e2m1", -QNAN, {0}, 0x7, BND_FLAG_INVALID, 0},
        {"e2m1", QNAN, {.no_nan = BND_NO_NAN_ZERO}, 0x8, BND_FLAG_INVALID, 0},
        {"e2m1", -QNAN, {.no_nan = BND_NO_NAN_ZERO}, 0x0, BND_FLAG_INVALID, 0},
        {"fp16", 65520, {0}, 0x7c00, LARGE, 1},
        {"fp16", 65520, saturate, 0x7bff, STUCK, -1},
        {"fp16", 65520, propagate, 0x7bff, STUCK, -1},
        {"fp16", INF, {0}, 0x7c00, 0, 0},
        {"fp16", INF, saturate, 0x7bff, BND_FLAG_SATURATED, -1},
        {"fp16", INF, propagate, 0x7c00, 0, 0},
        {"e4m3", INF, {0}, 0x7f, BND_FLAG_INVALID, 0},
        {"e4m3", -INF, saturate, 0xfe, BND_FLAG_SATURATED, 1},
        {"e4m3", INF, propagate, 0x7f, BND_FLAG_INVALID, 0},
        {"e2m1", INF, {0}, 0x7, BND_FLAG_INVALID | BND_FLAG_SATURATED, -1},
        {"e2m1", INF, saturate, 0x7, BND_FLAG_SATURATED, -1},
        {"e2m1", INF, propagate, 0x7, BND_FLAG_INVALID | BND_FLAG_SATURATED, -1},
        {"e2m1", 1000, {0}, 0x7, STUCK, -1},
        {"fp16", 1e9, {.rounding = BND_ROUND_RTZ}, 0x7bff, STUCK, -1},
        {"fp16", 1e9, {.rounding = BND_ROUND_RDN}, 0x7bff, STUCK, -1},
        {"fp16", -1e9, {.rounding = BND_ROUND_RDN}, 0xfc00, LARGE, -1},
        {"fp16", -1e9, {.rounding = BND_ROUND_RUP}, 0xfbff, STUCK, 1},
        {"e4m3", 1e9, {.rounding = BND_ROUND_RTO}, 0x7e, STUCK, -1},
        {"fp16", 1e9, {.rounding = BND_ROUND_RTO}, 0x7bff, STUCK, -1},
        {"e8m0", 0.0, {0}, 0x00, BND_FLAG_INVALID, 1},
        {"e8m0", -0.0, {0}, 0x00, BND_FLAG_INVALID, 1},
        {"e8m0", 0.0, {.zero = BND_ZERO_NAN}, 0xff, BND_FLAG_INVALID, 0},
        {"e8m0", -2.0, {0}, 0xff, BND_FLAG_INVALID, 0},
        {"e8m0", -2.0, {.negative = BND_NEGATIVE_MAGNITUDE}, 0x80, 0, 1},
        {"e8m0", -INF, {0}, 0xff, BND_FLAG_INVALID, 0},
        {"binary8p3ue", -0.0, {0}, 0x00, 0, 0},
        {"e4m3fnuz", -0.0, {0}, 0x00, 0, 0},
        {"e4m3fnuz", -0x1p-30, {0}, 0x00, ZEROED, 1},
    };
    RUN(table);
}
/* clang-format on */

/* A NaN's bits, policy by policy. */
static void test_nans(void)
{
    static const struct {
        const char *format;
        bnd_nan nan;
        uint64_t from_nan, from_negative_nan, from_overflow, from_negative_overflow;
    } table[] = {
        {"fp16", BND_NAN_DEFAULT, 0x7e00, 0xfe00, 0x7c00, 0xfc00},
        {"e4m3", BND_NAN_DEFAULT, 0x7f, 0xff, 0x7f, 0xff},
        {"e4m3fnuz", BND_NAN_DEFAULT, 0x80, 0x80, 0x80, 0x80},
        {"fp16", BND_NAN_CANONICAL, 0x7e00, 0x7e00, 0x7c00, 0xfc00},
        {"fp16", BND_NAN_SIGNED, 0x7e00, 0xfe00, 0x7c00, 0xfc00},
        {"fp16", BND_NAN_ONES, 0x7fff, 0x7fff, 0x7c00, 0xfc00},
        {"fp16", BND_NAN_SIGNED_ONES, 0x7fff, 0xffff, 0x7c00, 0xfc00},
        {"fp16", BND_NAN_PROPAGATE, 0x7e80, 0xfe80, 0x7c00, 0xfc00},
        {"fp16", BND_NAN_X86, 0x7e80, 0xfe80, 0x7c00, 0xfc00},
        {"e4m3", BND_NAN_CANONICAL, 0x7f, 0x7f, 0x7f, 0x7f},
        {"e4m3", BND_NAN_SIGNED, 0x7f, 0xff, 0x7f, 0xff},
        {"e4m3", BND_NAN_ONES, 0x7f, 0x7f, 0x7f, 0xff},
        {"e4m3", BND_NAN_SIGNED_ONES, 0x7f, 0xff, 0x7f, 0xff},
        {"e4m3", BND_NAN_PROPAGATE, 0x7f, 0xff, 0x7f, 0xff},
        {"e4m3", BND_NAN_X86, 0x7f, 0xff, 0xff, 0xff},
        {"e4m3fnuz", BND_NAN_X86, 0x80, 0x80, 0x80, 0x80},
        {"binary8p3se", BND_NAN_SIGNED, 0x80, 0x80, 0x7f, 0xff},
    };
    double payload =
        bndi_double_of_bits(UINT64_C(0x7ffa000000000001)); /* quiet, then 1 0 1 of the payload's first bits */
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        bnd_format f = format_named(table[i].format);
        bnd_rule rule = {.nan = (uint8_t)table[i].nan};
        CU_ASSERT_EQUAL(bnd_encode(&f, payload, rule, 0).code, table[i].from_nan);
        CU_ASSERT_EQUAL(bnd_encode(&f, -payload, rule, 0).code, table[i].from_negative_nan);
        CU_ASSERT_EQUAL(bnd_encode(&f, 1e30, rule, 0).code, table[i].from_overflow);
        CU_ASSERT_EQUAL(bnd_encode(&f, -1e30, rule, 0).code, table[i].from_negative_overflow);
    }
}

CU_TestInfo witness_tests[] = {
    {"one rounding", test_one_rounding},
    {"e4m3 at a glance", test_e4m3},
    {"one bit of precision", test_one_bit},
    {"underflow", test_underflow},
    {"what raises what", test_flags},
    {"NaNs", test_nans},
    CU_TEST_INFO_NULL,
};
