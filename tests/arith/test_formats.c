/* Every operation on stratified operands: wide and custom formats, mixed ones, any rule at all, random bits too. */
#include <stdio.h>

#include "driver.h"
#include "tests.h"

static const char *const wide[] = {"fp16", "bf16", "fp32", "fp64", "tf32", "dlfloat16"};
static const char *const custom[] = {
    "e15m48",      "e11m52", "e2m20",    "e8m0",  "e1m30", "e10m1",     "e5m10nosub",   "e5m3b40",
    "e4m3",        "e6m9fn", "e5m2fnuz", "e3m2",  "e2m1",  "e15m1none", "binary15p7se", "binary9p1ue",
    "binary8p3ue", "e8m7b0", "e8m28",    "e8m29", "e7m31", "e9m40fnuz",
};
enum { WIDE = sizeof wide / sizeof wide[0], CUSTOM = sizeof custom / sizeof custom[0], FORMATS = WIDE + CUSTOM };

static void load(bnd_format *formats)
{
    for (size_t i = 0; i < FORMATS; i++) {
        formats[i] = format_named(i < WIDE ? wide[i] : custom[i - WIDE]);
    }
}

static bnd_operation operation_at(uint64_t i)
{
    return (bnd_operation)(1 + i % (BND_OP_COUNT - 1));
}

/* Where the rows are used: the default rule but for the mode. */
static void test_modes(void)
{
    trial t;
    trial_open(&t, "operations in each mode");
    bnd_format formats[FORMATS];
    load(formats);
    uint64_t count = scaled(600000);
    for (uint64_t i = 0; i < count; i++) {
        const bnd_format *f = &formats[i % 16 < 15 ? i % WIDE : i / 16 % FORMATS];
        const bnd_format *const from[] = {f, f, f};
        uint64_t codes[BND_OPERANDS_MAX], more = bnd_random(23, 1, i);
        bnd_operation operation = operation_at(more >> 8);
        bnd_rule rule = {.rounding = (uint8_t)((more & 0xff) % BND_ROUND_COUNT)};
        bndi_stratified_operands(codes, operation, from, 23, i);
        judge_operation(&t, f, operation, from, codes, rule, bnd_random(23, 2, i));
    }
    trial_close(&t);
}

static void test_rules(void)
{
    trial t;
    trial_open(&t, "operations under any rule");
    bnd_format formats[FORMATS];
    load(formats);
    uint64_t count = scaled(300000);
    for (uint64_t i = 0; i < count; i++) {
        const bnd_format *f = &formats[i % FORMATS];
        const bnd_format *const from[] = {f, f, f};
        uint64_t codes[BND_OPERANDS_MAX];
        bnd_operation operation = operation_at(i / FORMATS);
        bnd_rule rule = random_rule(bnd_random(29, 3, i));
        bndi_stratified_operands(codes, operation, from, 29, i);
        judge_operation(&t, f, operation, from, codes, rule, bnd_random(29, 4, i));
    }
    trial_close(&t);
}

static void test_mixed(void)
{
    trial t;
    trial_open(&t, "operations on mixed formats");
    bnd_format formats[FORMATS];
    load(formats);
    uint64_t count = scaled(200000);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t which = bnd_random(31, 5, i);
        const bnd_format *const from[] = {&formats[which % FORMATS], &formats[(which >> 8) % FORMATS],
                                          &formats[(which >> 16) % FORMATS]};
        const bnd_format *to = &formats[(which >> 24) % FORMATS];
        uint64_t codes[BND_OPERANDS_MAX];
        bnd_operation operation = operation_at(which >> 32);
        bnd_rule rule = random_rule(bnd_random(31, 6, i));
        rule.rounding = i % 4 == 0 ? rule.rounding : rule.rounding % BND_ROUND_DETERMINISTIC_COUNT;
        bndi_stratified_operands(codes, operation, from, 31, i);
        judge_operation(&t, to, operation, from, codes, rule, bnd_random(31, 7, i));
    }
    trial_close(&t);
}

CU_TestInfo format_tests[] = {
    {"each mode", test_modes},
    {"any rule", test_rules},
    {"mixed formats", test_mixed},
    CU_TEST_INFO_NULL,
};
