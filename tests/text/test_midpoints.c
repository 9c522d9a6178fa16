/* The exact decimal of every midpoint between neighbours, and what lies beside it in the last place and in a far one:
 * text straight into codes, against the oracle, in code, flags and ternary value. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compare(const char *text, const bnd_format *f, bnd_rule rule, uint64_t *mismatches)
{
    bnd_result read = {0}, judged = {0};
    bool both = bnd_parse(&read, f, text, rule, 0, NULL) == BND_OK &&
                bnd_oracle_encode_text(&judged, f, text, rule, 0, NULL) == BND_OK;
    bool same = both && read.code == judged.code && read.flags == judged.flags && read.ternary == judged.ternary;
    if (!same && worth_printing(mismatches)) {
        printf("%s %s %.300s: 0x%llx flags %u ternary %d, the oracle 0x%llx flags %u ternary %d\n", f->name,
               bnd_rounding_name(rule.rounding), text, (unsigned long long)read.code, (unsigned)read.flags,
               (int)read.ternary, (unsigned long long)judged.code, (unsigned)judged.flags, (int)judged.ternary);
    }
}

/* All moves of the midpoint above a magnitude: two deterministic modes each by turns, nearest even always. */
static void check_midpoint(const bnd_format *f, uint64_t magnitude, uint64_t *mismatches)
{
    mpz_t significand;
    mpz_init(significand);
    int64_t exponent;
    if (midpoint_above(significand, &exponent, f, magnitude)) {
        for (move how = STAY; how < MOVES; how++) {
            bool negative = f->is_signed && ((magnitude ^ how) & 1) != 0;
            char *text = decimal_of_dyadic(negative, significand, exponent, how);
            uint64_t other = 1 + (magnitude + how) % (BND_ROUND_DETERMINISTIC_COUNT - 1);
            compare(text, f, (bnd_rule){.rounding = BND_ROUND_RNE}, mismatches);
            compare(text, f, (bnd_rule){.rounding = (uint8_t)other}, mismatches);
            compare(text, f, (bnd_rule){.rounding = BND_ROUND_RNA, .overflow = BND_OVERFLOW_SATURATE}, mismatches);
            free(text);
        }
    }
    mpz_clear(significand);
}

static void check_all_midpoints(const bnd_format *f, uint64_t *mismatches)
{
    uint64_t stride = scaled_stride();
    for (uint64_t magnitude = 0; magnitude <= f->max_code; magnitude += stride) {
        check_midpoint(f, magnitude, mismatches);
    }
}

static void reads_every_midpoint_of_narrow_rows(void)
{
    uint64_t mismatches = 0;
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        if (f.width <= 8) {
            check_all_midpoints(&f, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

static void reads_every_midpoint_of_narrow_p3109(void)
{
    uint64_t mismatches = 0;
    for (size_t i = 0; i < bnd_group_size("p3109-all"); i++) {
        bnd_format f;
        (void)bnd_group_at(&f, "p3109-all", i);
        if (f.width <= 8) {
            check_all_midpoints(&f, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* The bottom, the top and a random rest. */
static void reads_midpoints_of_wide_rows(void)
{
    uint64_t mismatches = 0;
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        uint64_t cases = f.width <= 8 ? 0 : scaled(f.width <= 32 ? 900 : 300);
        for (uint64_t i = 0; i < cases; i++) {
            uint64_t random = bnd_random(21, row, i) % (f.max_code + 1);
            check_midpoint(&f, i < 8 ? i : i < 16 ? f.max_code - (i - 8) : random, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* Custom formats with the widest exponents: midpoints of ten thousand digits. */
static void reads_midpoints_of_custom_formats(void)
{
    static const char *const names[] = {"e15m48", "e15m10", "e15m0", "e9m20fn", "e5m10b12fn", "e8m23nosub", "e4m3none"};
    uint64_t mismatches = 0;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k]);
        uint64_t cases = scaled(f.exponent_bits > 9 ? 12 : 100);
        for (uint64_t i = 0; i < cases; i++) {
            uint64_t random = bnd_random(22, k, i) % (f.max_code + 1);
            check_midpoint(&f, i < 3 ? i : i < 6 ? f.max_code - (i - 3) : random, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

CU_TestInfo midpoint_tests[] = {
    {"every midpoint of every row of at most 8 bits", reads_every_midpoint_of_narrow_rows},
    {"every midpoint of P3109, K up to 8", reads_every_midpoint_of_narrow_p3109},
    {"midpoints of wider rows", reads_midpoints_of_wide_rows},
    {"midpoints of custom formats", reads_midpoints_of_custom_formats},
    CU_TEST_INFO_NULL,
};
