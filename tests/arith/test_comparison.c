/* Comparison: the order of the oracle, IEEE's predicates as sets, and which of them signal. */
#include <stdio.h>

#include <binade-lab/oracle.h>

#include "driver.h"
#include "tests.h"

static bool is_signaling(const bnd_format *f, uint64_t code)
{
    double value;
    return bnd_oracle_decode(&value, f, code) == BND_ORACLE_SIGNALING_NAN;
}

static void judge_comparison(comparison *b, const bnd_format *f, uint64_t x, const bnd_format *g, uint64_t y)
{
    int order;
    bool ordered = bnd_oracle_compare(&order, f, x, g, y), signals = is_signaling(f, x) || is_signaling(g, y);
    unsigned relation = !ordered    ? BND_RELATION_UNORDERED
                        : order < 0 ? BND_RELATION_LESS
                        : order > 0 ? BND_RELATION_GREATER
                                    : BND_RELATION_EQUAL;
    for (unsigned set = 0; set < 32; set++) {
        bnd_result r = bnd_compare_mixed(f, x, g, y, set, (bnd_rule){0});
        bool invalid = signals || (!ordered && (set & BND_RELATION_SIGNALING) != 0);
        bool same = r.code == ((set & relation) != 0) && r.flags == (invalid ? BND_FLAG_INVALID : 0u) && r.ternary == 0;
        if (comparison_note(b, same)) {
            printf("%s 0x%llx with %s 0x%llx, set %u: %llu, flags 0x%02x\n", f->name, (unsigned long long)x, g->name,
                   (unsigned long long)y, set, (unsigned long long)r.code, (unsigned)r.flags);
        }
    }
}

static void test_pairs(void)
{
    static const char *const names[] = {"e5m2", "e4m3fnuz", "e2m1", "e8m0"};
    comparison b;
    comparison_open(&b, "comparison");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bnd_format f = format_named(names[i]), g = format_named(names[(i + i / 2) % 4]);
        uint64_t stride = scaled_stride() * 7, pairs = UINT64_C(1) << (f.width + g.width);
        for (uint64_t pair = 0; pair < pairs; pair += stride) {
            judge_comparison(&b, &f, pair >> g.width, &g, pair & ((UINT64_C(1) << g.width) - 1));
        }
    }
    comparison_close(&b);
}

static void test_wide(void)
{
    static const char *const names[] = {"fp64", "fp32", "fp16", "e15m48", "dlfloat16"};
    comparison b;
    comparison_open(&b, "comparison of wide formats");
    uint64_t count = scaled(20000);
    for (uint64_t i = 0; i < count; i++) {
        bnd_format f = format_named(names[i % 5]), g = format_named(names[i / 5 % 5]);
        const bnd_format *const from[] = {&f, &g, &g};
        uint64_t codes[BND_OPERANDS_MAX];
        bndi_stratified_operands(codes, BND_OP_SUB, from, 41, i);
        judge_comparison(&b, &f, codes[0], &g, codes[1]);
        judge_comparison(&b, &f, codes[0], &f, codes[0]);
    }
    comparison_close(&b);
}

static void test_flushed(void)
{
    bnd_format fp16 = format_named("fp16");
    bnd_rule flush = {.flush_in = true};
    bnd_result r = bnd_compare(&fp16, 0x0001, 0x8000, BND_RELATION_EQUAL, flush);
    CU_ASSERT_EQUAL(r.code, 1);
    CU_ASSERT_EQUAL(r.flags, BND_FLAG_TO_ZERO);
    CU_ASSERT_EQUAL(bnd_compare(&fp16, 0x0001, 0x8000, BND_RELATION_GREATER, (bnd_rule){0}).code, 1);
    CU_ASSERT_EQUAL(bnd_compare(&fp16, 0x0000, 0x8000, BND_RELATION_EQUAL, (bnd_rule){0}).code, 1);
}

CU_TestInfo comparison_tests[] = {
    {"pairs of narrow formats", test_pairs},
    {"wide and mixed formats", test_wide},
    {"subnormals that count as zero", test_flushed},
    CU_TEST_INFO_NULL,
};
