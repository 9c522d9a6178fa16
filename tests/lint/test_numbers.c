/* What lint counts of a tensor of scales, compared with a count number by number; names in configs. */
#include "tests.h"

#include "lint/lint.h"

#include <binade/base.h>
#include <binade/codec.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 3 * 4096 + 77 };

static void count_bad(bndi_bad_scales *bad, bool is_bad, size_t i)
{
    bad->first = is_bad && bad->count == 0 ? i : bad->first;
    bad->count += is_bad;
}

/* Numbers at from .. to - 1 are added, one by one. */
static void count(bndi_scale_values *out, const unsigned char *data, const bnd_format *f, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        int exponent;
        double x = bnd_decode(f, data[i]);
        count_bad(&out->nans, isnan(x), i);
        count_bad(&out->infinities, isinf(x), i);
        count_bad(&out->zeros, x == 0, i);
        count_bad(&out->negatives, isfinite(x) && x < 0, i);
        out->read++;
        if (isfinite(x) && x > 0) {
            out->powers_of_two += frexp(x, &exponent) == 0.5;
            out->integers += x <= 254 && floor(x) == x;
            out->least = out->least == 0 ? x : fmin(out->least, x);
            out->largest = fmax(out->largest, x);
        }
    }
}

static bool same_bad(const bndi_bad_scales *a, const bndi_bad_scales *b)
{
    return a->count == b->count && a->first == b->first;
}

static bool same(const bndi_scale_values *a, const bndi_scale_values *b)
{
    return a->count == b->count && a->read == b->read && same_bad(&a->nans, &b->nans) &&
           same_bad(&a->infinities, &b->infinities) && same_bad(&a->zeros, &b->zeros) &&
           same_bad(&a->negatives, &b->negatives) && a->powers_of_two == b->powers_of_two &&
           a->integers == b->integers && a->least == b->least && a->largest == b->largest;
}

/* Codes from 0x20 to 0x5f, among them some of any kind, or none. */
static void fill(unsigned char *data, size_t n, uint64_t seed)
{
    uint64_t any = bnd_random(seed, 0, 1) % 5;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = bnd_random(seed, i, 2);
        data[i] = any > 0 && r % 2000 < any ? (unsigned char)(r >> 32) : (unsigned char)(0x20 + (r >> 32) % 0x40);
    }
}

static void test_codes(void)
{
    static const char *const names[] = {"e4m3", "e8m0", "e5m2", "e4m3fnuz"};
    static unsigned char data[MOST];
    size_t wrong = 0, bad = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        bnd_format f;
        bndi_scale_values found, wanted = {0};
        size_t n = seed % 4 == 0 ? MOST : (size_t)(1 + bnd_random(seed, 0, 0) % 1500);
        uint64_t shape[] = {n}, most = seed % 8 == 0 ? 2 * 4096 : 0;
        bnd_stored_tensor t = {.bits = 8, .rank = 1, .shape = shape, .count = n, .size = n, .data = data};
        CU_ASSERT_EQUAL_FATAL(bnd_format_parse(&f, names[seed % 3 + (seed % 5 == 0)], NULL), BND_OK);
        fill(data, n, seed);
        wanted.count = n;
        count(&wanted, data, &f, 0, most > 0 ? 4096 : n);
        if (most > 0) { /* the first and the last piece */
            count(&wanted, data, &f, n - 4096, n);
        }
        CU_ASSERT_TRUE(bndi_read_scale_values(&found, &t, &f, most));
        wrong += !same(&found, &wanted);
        bad += found.zeros.count + found.nans.count + found.negatives.count > 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_TRUE(bad > 20 && bad < 180);
}

/* Names of modules against expressions, as Python's re.match tells. */
static void test_names(void)
{
    static const struct {
        const char *pattern, *name;
        int matches;
    } all[] = {
        {"re:^lm_head$", "lm_head", 1},
        {"re:(^|.*\\.)lm_head$", "lm_head", 1},
        {"re:(^|.*\\.)lm_head$", "a.lm_head", 1},
        {"re:(^|.*\\.)lm_head$", "a.lm_headless", 0},
        {"re:.*^lm_head", "a.lm_head", 0},
        {"re:.*^lm_head", "lm_head", 1},
        {"re:(a$|b)", "a", 1},
        {"re:(a$|b)", "ac", 0},
        {"re:a$b", "a$b", 0},
        {"re:a\\^b", "a^b", 1},
        {"re:x|^a", "ab", 1},
        {"re:[^a]b", "cb", 1},
        {"re:^*a", "a", -1},
        {"re:(?!a)b", "b", -1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CU_ASSERT_EQUAL(bndi_name_matches(all[i].pattern, all[i].name), all[i].matches);
    }
}

CU_TestInfo lint_numbers_tests[] = {
    {"codes of 8 bits", test_codes},
    {"names in configs", test_names},
    CU_TEST_INFO_NULL,
};
