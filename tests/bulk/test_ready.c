/* Conversions made ready once: what the codec says, also where all of a group is NaN, infinite or too large. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bulk/bulk.h"
#include "compare.h"
#include "tests.h"

enum { N = 389 }; /* groups of all sizes, and a rest */

static uint64_t word_of(bndi_width width, double x)
{
    uint64_t word = 0;
    float narrow = (float)x;
    memcpy(&word, width == BNDI_WORDS_32 ? (const void *)&narrow : (const void *)&x, width == BNDI_WORDS_32 ? 4 : 8);
    return word;
}

/* Runs of 64 of a kind: random bits, NaNs of both signs, infinities, around the largest number, all of these. */
static uint64_t number(const bnd_format *f, bndi_width width, uint64_t i)
{
    const uint64_t bits = bnd_random_bits(3, 1, i, 62),
                   top = width == BNDI_WORDS_32 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
    const uint64_t sign = (bits >> 7 & 1) << (width == BNDI_WORDS_32 ? 31 : 63);
    const double largest = bnd_decode(f, f->max_code);
    switch (i / 64 % 5 == 4 ? bits % 4 : i / 64 % 5) {
    case 0:
        return width == BNDI_WORDS_32 ? bits & 0xffffffff : bits << 2;
    case 1:
        return top | sign | (bits >> 9 & 0xff) | 1;
    case 2:
        return top | sign;
    default:
        return word_of(width, largest * (0.9 + (double)(bits >> 32 & 63) / 128)) ^ sign;
    }
}

static void check_ready(const bnd_format *f, bndi_width width, bnd_rule rule, const bnd_context *context)
{
    static bndi_ready r;
    const bnd_format *words = bnd_lab_format_of_words(width);
    const unsigned size = width == BNDI_WORDS_32 ? 4 : 8;
    unsigned char x[8 * N], codes[8 * N], rounded[8 * N], back[8 * N];
    if (!bnd_lab_ready_make(&r, width, f, rule, context)) {
        CU_ASSERT(!bnd_lab_words_hold(width, f));
        return;
    }
    CU_ASSERT(bnd_lab_ready_for(&r, width, f, rule));
    for (size_t i = 0; i < N; i++) {
        bndi_put(x, size, i, number(f, width, i));
    }
    bnd_lab_ready_encode(&r, codes, x, N);
    bnd_lab_ready_round(&r, rounded, x, N);
    bnd_lab_ready_decode(&r, back, codes, N);
    size_t wrong = 0;
    for (size_t i = 0; i < N; i++) {
        const uint64_t want = bnd_convert(f, words, bndi_get(x, size, i), rule, 0).code;
        const uint64_t code = bndi_get(codes, r.plan.code_bytes, i) >> r.plan.code_shift;
        const uint64_t value = bnd_convert(words, f, code, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0).code;
        wrong += code != want || bndi_get(back, size, i) != value || bndi_get(rounded, size, i) != value;
    }
    if (wrong > 0) {
        fprintf(stderr, "%s, fp%u, %s, %s: %zu of %d are wrong\n", f->name, 8 * size,
                bnd_rounding_name(bnd_rule_rounding(rule)), context_name(context), wrong, N);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_all(void)
{
    const bnd_rule rules[] = {{.rounding = BND_ROUND_RNE},
                              {.rounding = BND_ROUND_RTZ},
                              {.rounding = BND_ROUND_RUP, .overflow = BND_OVERFLOW_SATURATE},
                              {.rounding = BND_ROUND_RNE, .nan = BND_NAN_PROPAGATE},
                              {.rounding = BND_ROUND_RDN}};
    for (size_t row = 0; row < bnd_format_count(); row++) {
        const bnd_format f = *bnd_format_at(row);
        for (size_t i = 0; i < back_ends_here()->count; i++) {
            for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
                check_ready(&f, BNDI_WORDS_32, rules[rule], &back_ends_here()->at[i]);
                check_ready(&f, BNDI_WORDS_64, rules[rule], &back_ends_here()->at[i]);
            }
        }
    }
}

/* fp32 numbers that are counted as they are: plain ones, and such as a mask, a softmax or a fault makes. */
static float counted_number(uint64_t i)
{
    const uint64_t bits = bnd_random_bits(3, 2, i, 62);
    const float x = (float)(int64_t)((bits & 0xffff) - 0x8000) * 0x1p-14f, sign = (bits >> 20 & 1) != 0 ? -1.0f : 1.0f;
    switch (i / 64 * 7 % 16) {
    case 0:
    case 1:
        return i % 64 > i / 64 % 64 ? -INFINITY : x;
    case 2:
        return sign * INFINITY;
    case 3:
        return bits % 3 == 0 ? sign * INFINITY : sign * 0.0f;
    case 4:
        return bits % 3 == 0 ? -INFINITY : sign * (float)(bits >> 30 & 0xff) * 0x1p-149f;
    case 5:
        return bits % 7 == 0 ? NAN : bits % 7 == 1 ? INFINITY : x;
    case 6:
        return bits % 3 == 0 ? -INFINITY : x * 0x1p-40f;
    case 7:
        return bits % 5 == 0 ? x * 0x1p-30f : sign * 0.0f;
    default:
        return x;
    }
}

/* All back ends count what the definition counts, a number at a time. */
static void test_counted(void)
{
    enum { MANY = 64 * 150 + 23 };
    static float x[MANY];
    static bndi_ready r;
    static bndi_tally all, is;
    const bnd_format *fp32 = bnd_lab_format_of_words(BNDI_WORDS_32);
    for (size_t i = 0; i < MANY; i++) {
        x[i] = counted_number(i);
    }
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        const bnd_rule rule = {.nan = BND_NAN_CANONICAL};
        CU_ASSERT_TRUE_FATAL(bnd_lab_ready_make(&r, BNDI_WORDS_32, fp32, rule, &back_ends_here()->at[i]));
        for (size_t from = 0; from < 64 * 40; from += 64 * 3 + 16) {
            memset(&all, 0, sizeof all);
            memset(&is, 0, sizeof is);
            bndi_tally_32(&r.plan, &all, x + from, x + from, NULL, MANY - from);
            bnd_lab_ready_count(&r, &is, x + from, x + from, MANY - from);
            CU_ASSERT_EQUAL(memcmp(&all, &is, sizeof is), 0);
        }
    }
}

/* The same of doubles, and of runs of plain numbers that end in a group with a small one. */
static void test_doubles_counted(void)
{
    enum { MANY = 16 * 200 + 7 };
    static double x[MANY];
    static bndi_ready r;
    static bndi_tally all, is;
    const bnd_format *fp64 = bnd_lab_format_of_words(BNDI_WORDS_64);
    for (size_t i = 0; i < MANY; i++) {
        const double plain = 1.0 + (double)i * 0x1p-20 / 3;
        x[i] = i < 900 ? plain : (double)counted_number(i) * (i % 5 == 0 ? plain : i % 31 == 0 ? 0x1p-1000 : 1);
    }
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        const bnd_rule rule = {.nan = BND_NAN_CANONICAL};
        CU_ASSERT_TRUE_FATAL(bnd_lab_ready_make(&r, BNDI_WORDS_64, fp64, rule, &back_ends_here()->at[i]));
        for (size_t from = 0; from < 1800; from += 37) {
            memset(&all, 0, sizeof all);
            memset(&is, 0, sizeof is);
            bndi_tally_64(&r.plan, &all, x + from, x + from, NULL, MANY - from);
            bnd_lab_ready_count(&r, &is, x + from, x + from, MANY - from);
            CU_ASSERT_EQUAL(memcmp(&all, &is, sizeof is), 0);
        }
    }
}

/* Random bits need a call. */
static void test_refused(void)
{
    static bndi_ready r;
    const bnd_format f = *bnd_format_at(1);
    CU_ASSERT_FALSE(bnd_lab_ready_make(&r, BNDI_WORDS_32, &f, (bnd_rule){.rounding = BND_ROUND_SR}, NULL));
}

CU_TestInfo ready_tests[] = {
    {"the codec's bits", test_all},
    {"fp32 counted as it is", test_counted},
    {"fp64 counted as it is", test_doubles_counted},
    {"what needs a call", test_refused},
    CU_TEST_INFO_NULL,
};
