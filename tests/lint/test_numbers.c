/* What lint counts of a tensor of scales, compared with a count number by number. */
#include "tests.h"

#include "lint/lint.h"

#include <binade/base.h>
#include <binade/codec.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 3 * 4096 + 77 };

/* Numbers at from .. to - 1 are added, one by one. */
static void count(bndi_scale_values *out, const unsigned char *data, const bnd_format *f, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        int exponent;
        double x = bnd_decode(f, data[i]);
        uint64_t bad = out->nans + out->infinities + out->zeros + out->negatives;
        out->nans += isnan(x) != 0;
        out->infinities += isinf(x) != 0;
        out->zeros += x == 0;
        out->negatives += isfinite(x) && x < 0;
        out->read++;
        if (isfinite(x) && x > 0) {
            out->powers_of_two += frexp(x, &exponent) == 0.5;
            out->integers += x <= 254 && floor(x) == x;
            out->least = out->least == 0 ? x : fmin(out->least, x);
            out->largest = fmax(out->largest, x);
        } else if (bad == 0) {
            out->first_bad = i;
        }
    }
}

static bool same(const bndi_scale_values *a, const bndi_scale_values *b)
{
    return a->count == b->count && a->read == b->read && a->nans == b->nans && a->infinities == b->infinities &&
           a->zeros == b->zeros && a->negatives == b->negatives && a->powers_of_two == b->powers_of_two &&
           a->integers == b->integers && a->least == b->least && a->largest == b->largest &&
           a->first_bad == b->first_bad;
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
        bad += found.zeros + found.nans + found.negatives > 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_TRUE(bad > 20 && bad < 180);
}

CU_TestInfo lint_numbers_tests[] = {
    {"codes of 8 bits", test_codes},
    CU_TEST_INFO_NULL,
};
