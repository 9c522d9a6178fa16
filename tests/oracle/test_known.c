/* Answers that can be worked out by hand. */
#include <stdio.h>
#include <string.h>

#include "tests/support/operands.h"
#include "tests.h"

typedef struct witness {
    const char *format;
    double x;
    bnd_rule rule;
    uint64_t random;
    uint64_t code;
    uint32_t flags;
    int ternary;
} witness;

static bool holds(const witness *w)
{
    bnd_format f = format_named(w->format);
    bnd_result r = bnd_oracle_encode(&f, w->x, w->rule, w->random);
    bool same = r.code == w->code && r.flags == w->flags && r.ternary == w->ternary;
    if (!same) {
        printf("%s, %s: %a gives 0x%llx flags %u ternary %d, not 0x%llx flags %u ternary %d\n", w->format,
               bnd_rounding_name(w->rule.rounding), w->x, (unsigned long long)r.code, (unsigned)r.flags, (int)r.ternary,
               (unsigned long long)w->code, (unsigned)w->flags, w->ternary);
    }
    return same;
}

#define INEXACT   BND_FLAG_INEXACT
#define UNDERFLOW (BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT)
#define ZEROED    (BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT | BND_FLAG_TO_ZERO)
#define OVERFLOW  (BND_FLAG_OVERFLOW | BND_FLAG_INEXACT)
#define STUCK     (BND_FLAG_OVERFLOW | BND_FLAG_INEXACT | BND_FLAG_SATURATED)

/* clang-format off */
static const witness nearest[] = {
    /* one rounding, not two */
    {"e4m3", -431.99999999999994, {0}, 0, 0xfd, INEXACT, 1},
    {"fp16", 0x1.0020000001p+0, {0}, 0, 0x3c01, INEXACT, 1},
    {"bf16", 0x1.0100000001p+0, {0}, 0, 0x3f81, INEXACT, 1},
    /* the user's examples */
    {"fp32", 0.1, {0}, 0, 0x3dcccccd, INEXACT, 1},
    {"fp16", 0.1, {0}, 0, 0x2e66, INEXACT, -1},
    {"bf16", 0.1, {0}, 0, 0x3dcd, INEXACT, 1},
    {"e4m3", 0.1, {0}, 0, 0x1d, INEXACT, 1},
    {"e5m2", 0.1, {0}, 0, 0x2e, INEXACT, -1},
    {"fp16", 1e-8, {0}, 0, 0x0000, ZEROED, -1},
    {"bf16", 1e-8, {0}, 0, 0x322c, INEXACT, 1},
    {"fp32", 0.5, {0}, 0, 0x3f000000, 0, 0},
    /* e4m3 at a glance */
    {"e4m3", 464.0, {0}, 0, 0x7e, INEXACT, -1},
    {"e4m3", 0x1.d000000000001p+8, {0}, 0, 0x7f, OVERFLOW, 0},
    {"e4m3", 0x1p-10, {0}, 0, 0x00, ZEROED, -1},
    {"e4m3", 0x1.8p-9, {0}, 0, 0x02, UNDERFLOW, 1},
    {"e4m3", 0x1.0000000000001p-10, {0}, 0, 0x01, UNDERFLOW, 1},
    {"e5m2", 61440.0, {0}, 0, 0x7c, OVERFLOW, 1},
    {"e5m2", 0x1.dffffffffffffp+15, {0}, 0, 0x7b, INEXACT, -1},
    /* tininess after and before rounding */
    {"fp32", 0x1.ffffffp-127, {0}, 0, 0x00800000, INEXACT, 1},
    {"fp32", 0x1.fffffep-127, {0}, 0, 0x00800000, UNDERFLOW, 1},
    {"fp32", 0x1.ffffffp-127, {.tiny_before = true}, 0, 0x00800000, UNDERFLOW, 1},
    {"fp32", 0x1.fffffep-127, {.tiny_before = true}, 0, 0x00800000, UNDERFLOW, 1},
    {"fp32", 0x1p-140, {0}, 0, 0x200, 0, 0},
    {"fp32", 0x1p-140, {.tiny_before = true}, 0, 0x200, 0, 0},
    {"fp32", 0x1p-140, {.flush_out = true}, 0, 0, ZEROED, -1},
    {"fp32", -0x1p-1060, {.flush_in = true}, 0, 0x80000000, BND_FLAG_TO_ZERO, 1},
    {"fp64", 0x1p-1060, {0}, 0, 0x4000, 0, 0},
    {"fp64", 0x1p-1060, {.flush_in = true}, 0, 0, BND_FLAG_TO_ZERO, -1},
    /* formats without subnormals: nothing between 0 and the least number */
    {"dlfloat16", 0x1.008p-32, {0}, 0, 0x0000, ZEROED, -1},
    {"dlfloat16", 0x1.0080000000001p-32, {0}, 0, 0x0001, UNDERFLOW, 1},
    {"dlfloat16", 0x1.008p-32, {.rounding = BND_ROUND_RNA}, 0, 0x0001, UNDERFLOW, 1},
    {"dlfloat16", 0x1.008p-31, {0}, 0, 0x0001, 0, 0},
    {"dlfloat16", 0x1.004p-31, {.rounding = BND_ROUND_RUP}, 0, 0x0001, BND_FLAG_INEXACT, 1},
    {"dlfloat16", 0x1p-31, {.rounding = BND_ROUND_RUP}, 0, 0x0001, UNDERFLOW, 1},
    /* signs and zeros that a format lacks */
    {"fp16", -0.0, {0}, 0, 0x8000, 0, 0},
    {"e4m3fnuz", -0.0, {0}, 0, 0x00, 0, 0},
    {"e4m3fnuz", -0x1p-40, {0}, 0, 0x00, ZEROED, 1},
    {"binary8p3ue", -0.0, {0}, 0, 0x00, 0, 0},
    {"binary8p3ue", -1.0, {0}, 0, 0xff, BND_FLAG_INVALID, 0},
    {"e8m0", 0.0, {0}, 0, 0x00, BND_FLAG_INVALID, 1},
    {"e8m0", 0.0, {.zero = BND_ZERO_NAN}, 0, 0xff, BND_FLAG_INVALID, 0},
    {"e8m0", -4.0, {.negative = BND_NEGATIVE_MAGNITUDE}, 0, 0x81, 0, 1},
    {"e8m0", 0x1p-140, {.rounding = BND_ROUND_RDN}, 0, 0x00, UNDERFLOW, 1},
};

/* precision 1: whose even? */
static const witness one_bit[] = {
    {"e8m0", 1.5, {0}, 0, 128, INEXACT, 1},
    {"e8m0", 3.0, {0}, 0, 129, INEXACT, 1},
    {"e8m0", 6.0, {0}, 0, 130, INEXACT, 1},
    {"e8m0", 1.5, {.tie_rule = BND_TIE_RULE_CODE}, 0, 128, INEXACT, 1},
    {"e8m0", 3.0, {.tie_rule = BND_TIE_RULE_CODE}, 0, 128, INEXACT, -1},
    {"e8m0", 6.0, {.tie_rule = BND_TIE_RULE_CODE}, 0, 130, INEXACT, 1},
    {"binary8p1se", 1.5, {0}, 0, 64, INEXACT, -1},
    {"binary8p1se", 3.0, {0}, 0, 66, INEXACT, 1},
    {"binary8p1se", 6.0, {0}, 0, 66, INEXACT, -1},
    {"binary8p1se", 3.0, {.tie_rule = BND_TIE_RULE_SIGNIFICAND}, 0, 66, INEXACT, 1},
    {"binary8p1se", 1.5, {.tie_rule = BND_TIE_RULE_SIGNIFICAND}, 0, 65, INEXACT, 1},
    {"binary8p1se", 0x1p-64, {0}, 0, 0, ZEROED, -1},
    {"binary8p1se", 0x1p-64, {.rounding = BND_ROUND_RTO}, 0, 1, UNDERFLOW, 1},
    {"e8m0", 3.0, {.rounding = BND_ROUND_RTO}, 0, 128, INEXACT, -1},
};

static const witness directed[] = {
    {"e4m3", 1000.0, {.rounding = BND_ROUND_RTZ}, 0, 0x7e, STUCK, -1},
    {"e4m3", 470.0, {.rounding = BND_ROUND_RTZ}, 0, 0x7e, INEXACT, -1},
    {"e4m3", -1000.0, {.rounding = BND_ROUND_RUP}, 0, 0xfe, STUCK, 1},
    {"e4m3", -1000.0, {.rounding = BND_ROUND_RDN}, 0, 0xff, OVERFLOW, 0},
    {"e4m3", -1000.0, {.rounding = BND_ROUND_RDN, .nan = BND_NAN_SIGNED}, 0, 0xff, OVERFLOW, 0},
    {"e4m3", -1000.0, {.rounding = BND_ROUND_RDN, .nan = BND_NAN_CANONICAL}, 0, 0x7f, OVERFLOW, 0},
    {"fp16", 1e6, {.rounding = BND_ROUND_RUP}, 0, 0x7c00, OVERFLOW, 1},
    {"fp16", 1e6, {.rounding = BND_ROUND_RTO}, 0, 0x7bff, STUCK, -1},
    {"fp16", 65504.0625, {.rounding = BND_ROUND_RTO}, 0, 0x7bff, INEXACT, -1},
    {"e5m2", 57345.0, {.rounding = BND_ROUND_RTO}, 0, 0x7b, INEXACT, -1},
    {"fp16", 1.0001, {.rounding = BND_ROUND_RTO}, 0, 0x3c01, INEXACT, 1},
    {"fp16", 0x1p-30, {.rounding = BND_ROUND_RUP}, 0, 1, UNDERFLOW, 1},
    {"fp16", -0x1p-30, {.rounding = BND_ROUND_RUP}, 0, 0x8000, ZEROED, 1},
    {"e4m3", 464.0, {.rounding = BND_ROUND_RNA}, 0, 0x7f, OVERFLOW, 0},
    {"e4m3", 464.0, {.rounding = BND_ROUND_RNA, .overflow = BND_OVERFLOW_SATURATE}, 0, 0x7e, STUCK, -1},
};

/* 1 + 3/8 of a step in e4m3 is 1.046875: 3 of 8, 2^3 equal parts. */
static const witness stochastic[] = {
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SRA, .random_bits = 3}, 4, 0x38, INEXACT, -1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SRA, .random_bits = 3}, 5, 0x39, INEXACT, 1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SRB, .random_bits = 3}, 4, 0x38, INEXACT, -1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SRB, .random_bits = 3}, 5, 0x39, INEXACT, 1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SR, .random_bits = 3}, 4, 0x38, INEXACT, -1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SR, .random_bits = 3}, 5, 0x39, INEXACT, 1},
    /* one bit: v is 3/8, v 2^1 is 3/4, which C rounds to 1 and A to 0; B has 1 of 4 */
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SRA, .random_bits = 1}, 1, 0x38, INEXACT, -1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SRB, .random_bits = 1}, 1, 0x39, INEXACT, 1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SRB, .random_bits = 1}, 0, 0x38, INEXACT, -1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SR, .random_bits = 1}, 1, 0x39, INEXACT, 1},
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SR, .random_bits = 1}, 0, 0x38, INEXACT, -1},
    /* 1/4: C's tie between 0 and 1 goes to 0; 3/4: between 1 and 2 to 2, certain */
    {"e4m3", 1.03125, {.rounding = BND_ROUND_SR, .random_bits = 1}, 1, 0x38, INEXACT, -1},
    {"e4m3", 1.09375, {.rounding = BND_ROUND_SR, .random_bits = 1}, 0, 0x39, INEXACT, 1},
    {"e4m3", -1.03125, {.rounding = BND_ROUND_SR_EQUAL}, 7, 0xb9, INEXACT, -1},
    {"e4m3", -1.03125, {.rounding = BND_ROUND_SR_EQUAL}, 6, 0xb8, INEXACT, 1},
    /* only the lowest N bits count, and exact values stay */
    {"e4m3", 1.046875, {.rounding = BND_ROUND_SRA, .random_bits = 3}, 0xf4, 0x38, INEXACT, -1},
    {"e4m3", 1.0, {.rounding = BND_ROUND_SR, .random_bits = 62}, UINT64_MAX, 0x38, 0, 0},
    {"e4m3", 0x1.0000000000001p+0, {.rounding = BND_ROUND_SR, .random_bits = 62}, UINT64_MAX, 0x39, INEXACT, 1},
    {"e4m3", 0x1.0000000000001p+0, {.rounding = BND_ROUND_SR}, UINT64_MAX, 0x38, INEXACT, -1},
};
/* clang-format on */

static void run(const witness *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT(holds(&table[i]));
    }
}

#define RUN(table) run(table, sizeof(table) / sizeof(table)[0])

static void test_nearest(void)
{
    RUN(nearest);
}

static void test_one_bit(void)
{
    RUN(one_bit);
}

static void test_directed(void)
{
    RUN(directed);
}

static void test_stochastic(void)
{
    RUN(stochastic);
}

static void test_text(void)
{
    bnd_format fp16 = format_named("fp16");
    bnd_rule rule = {0};
    static const struct {
        const char *text;
        uint64_t code;
        uint32_t flags;
    } table[] = {
        {"0.1", 0x2e66, BND_FLAG_INEXACT},
        {"-3/1024", 0x9a00, 0},
        {"1/3", 0x3555, BND_FLAG_INEXACT},
        {"-0", 0x8000, 0},
        {"65519.99999999999999999999999999", 0x7bff, BND_FLAG_INEXACT},
        {"65520", 0x7c00, OVERFLOW},
        {"+1e-8", 0, ZEROED},
        {".5", 0x3800, 0},
        {"5.", 0x4500, 0},
        {"25e-1", 0x4100, 0},
        {"1.00048828125000000000000000000000000000000000000000000001", 0x3c01, BND_FLAG_INEXACT},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        bnd_result r;
        CU_ASSERT_EQUAL(bnd_oracle_encode_text(&r, &fp16, table[i].text, rule, 0, NULL), BND_OK);
        CU_ASSERT_EQUAL(r.code, table[i].code);
        CU_ASSERT_EQUAL(r.flags, table[i].flags);
    }
    static const char *const bad[] = {"",   ".",  "e5",   "1e",  "1,5", "1_000", "1 ",  " 1",    "0x1", "inf",
                                      "1/", "/2", "1/-2", "--1", "1e+", "1.5/2", "nan", "1/2/3", "1/0", "1e100001"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bnd_result r = {7, 7, 7};
        bnd_error why;
        CU_ASSERT_NOT_EQUAL(bnd_oracle_encode_text(&r, &fp16, bad[i], rule, 0, &why), BND_OK);
        CU_ASSERT(r.code == 7 && why.message[0] != '\0');
    }
}

CU_TestInfo known_tests[] = {
    {"to nearest", test_nearest},    {"one bit", test_one_bit}, {"directed", test_directed},
    {"stochastic", test_stochastic}, {"text", test_text},       CU_TEST_INFO_NULL,
};
