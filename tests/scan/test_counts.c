/* Codes that are counted per scale give the figures of numbers that are rounded one by one. */
#include "model.h"
#include "scan/scan.h"
#include "tests.h"
#include "tests/support/operands.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"mxfp8",  "mxfp8:floor",       "mxfp4",           "mxfp6-e2m3:ct",    "mxfp4:mse",
                                    "nvfp4",  "nvfp4:4/6",         "e2m1/nvfp4:4x16", "e4m3/row:48:e4m3", "e4m3/row",
                                    "mxint8", "e5m2/tile:4x4:e8m0"};
enum { CANDIDATES = sizeof names / sizeof names[0], ROWS = 500, COLUMNS = 1330 };

static void parse_all(bnd_candidate *out)
{
    for (size_t i = 0; i < CANDIDATES; i++) {
        CU_ASSERT_EQUAL_FATAL(bnd_candidate_parse(&out[i], names[i], NULL), BND_OK);
    }
}

static bnd_scan *scan_of(const example *e, const bnd_candidate *candidates, unsigned threads)
{
    const bnd_context context = {.threads = threads};
    const bnd_scan_options options = {.context = &context};
    bnd_scan *scan = NULL;
    CU_ASSERT_EQUAL_FATAL(bnd_scan_new_of_array(&scan, "x", e->codes, e->format, e->shape, e->rank, candidates,
                                                CANDIDATES, &options, NULL),
                          BND_OK);
    return scan;
}

static bool same_loss(const bnd_loss *a, const bnd_loss *b)
{
    const double sums[2][3] = {{a->squared_error, a->squared_input, a->sqnr},
                               {b->squared_error, b->squared_input, b->sqnr}};
    return a->elements == b->elements && a->broken == b->broken && a->overflows == b->overflows &&
           a->to_zero == b->to_zero && a->exact == b->exact && memcmp(sums[0], sums[1], sizeof sums[0]) == 0;
}

/* The codes of 16 bits are counted, the same numbers in fp32 are not. */
static unsigned differences(const example *narrow, unsigned threads)
{
    bnd_candidate candidates[CANDIDATES];
    example wide = *narrow;
    unsigned wrong = 0;
    parse_all(candidates);
    wide.format = bnd_format_at(BND_FORMAT_FP32);
    wide.codes = (unsigned char *)narrow->x;
    bnd_scan *a = scan_of(narrow, candidates, threads), *b = scan_of(&wide, candidates, 1);
    for (size_t i = 0; i < CANDIDATES; i++) {
        wrong += !same_loss(&bnd_scan_at(a, 0)->losses[i], &bnd_scan_at(b, 0)->losses[i]);
    }
    bnd_scan_free(a);
    bnd_scan_free(b);
    return wrong;
}

static void test_both_ways_agree(void)
{
    static const size_t formats[] = {BND_FORMAT_BF16, BND_FORMAT_FP16};
    const uint64_t shape[] = {ROWS, COLUMNS};
    for (size_t format = 0; format < 2; format++) {
        for (int what = 0; what < EXAMPLES; what++) {
            if (!in_turn(format + (size_t)what, 3)) {
                continue;
            }
            example e = example_new(bnd_format_at(formats[format]), shape, 2, what, 5);
            CU_ASSERT_EQUAL(differences(&e, 1 + (unsigned)what % 2), 0);
            example_free(&e);
        }
    }
}

/* Blocks with one of `scales` exponents from `lowest` on. */
static void set_exponents(example *e, size_t from, size_t to, size_t lowest, size_t scales)
{
    for (size_t i = from; i < to; i++) {
        const size_t exponent = lowest + i % COLUMNS / 64 * 37 % scales + i / COLUMNS * 11 % 5;
        const uint32_t code = (uint32_t)(exponent << 7 | (i * 2654435761u >> 8) % 128u) & 0x7fff;
        const uint32_t word = (i % 3 == 0 ? code | 0x8000 : code) << 16;
        memcpy(&e->x[i], &word, sizeof word);
        e->codes[2 * i] = (unsigned char)(word >> 16);
        e->codes[2 * i + 1] = (unsigned char)(word >> 24);
    }
}

/* With more scales than there are counters for: from the start, and after many elements. */
static void test_many_scales(void)
{
    const uint64_t shape[] = {ROWS, COLUMNS};
    example e = example_new(bnd_format_at(BND_FORMAT_BF16), shape, 2, PLAIN, 1);
    set_exponents(&e, 0, e.count, 1, 240);
    CU_ASSERT_EQUAL(differences(&e, 1), 0);
    set_exponents(&e, 0, e.count / 2, 30, 80);
    set_exponents(&e, e.count / 2, e.count, 140, 80);
    CU_ASSERT_EQUAL(differences(&e, 1), 0);
    example_free(&e);
}

/* Elements with a number of which there is no negative, and scales of more than 8 bits, are not counted. */
static void test_what_is_counted(void)
{
    const uint64_t shape[] = {ROWS, COLUMNS};
    bnd_candidate candidates[CANDIDATES];
    bool done[CANDIDATES] = {false}, counted[CANDIDATES] = {false};
    bndi_tensor t = {.format = bnd_format_at(BND_FORMAT_BF16), .rank = 2, .shape = shape, .count = ROWS * COLUMNS};
    bndi_scan_job job = {.tensor = &t, .candidates = candidates, .count = CANDIDATES, .threads = 2, .done = done};
    bndi_count_plan plan;
    parse_all(candidates);
    CU_ASSERT_FATAL(bndi_plan_counts(&plan, &job));
    for (size_t g = 0; g < plan.count; g++) {
        for (size_t i = 0; i < plan.groups[g].count; i++) {
            counted[plan.groups[g].members[i]] = true;
        }
    }
    free(plan.values);
    for (size_t i = 0; i < CANDIDATES; i++) {
        CU_ASSERT_EQUAL(counted[i], i < 7 || i == 8);
    }
    t.count = 1000;
    CU_ASSERT_FATAL(bndi_plan_counts(&plan, &job));
    CU_ASSERT_EQUAL(plan.count, 0);
}

CU_TestInfo count_tests[] = {
    {"counted or not, figures are the same", test_both_ways_agree},
    {"more scales than counters", test_many_scales},
    {"which candidates are counted", test_what_is_counted},
    CU_TEST_INFO_NULL,
};
