/* Stochastic rounding over many elements: the mean of A falls short by 2^-(N+1) of a step, B's and C's does not; every
 * number goes up as often as it should; and neighbours do not know of each other. By every back end. */
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "tests.h"

enum { COUNT = 1 << 17, N = 4 };

/* ---- means ---- */

/* Numbers of [1, 2) that e5m2 has steps of 1/4 for, with the discarded fraction v anywhere: 21 random bits of it. The
 * error of element i in steps is 1 - v with probability p and -v otherwise, so that its mean is p - v, and
 *     A  p = floor(v 2^N) / 2^N                 mean over v: -(1 - 2^-(21-N)) 2^-(N+1)
 *     B  p = (floor(v 2^(N+1)) + 1) / 2 / 2^N, rounded down to a multiple of 2^-N: to nearest, ties up: + 2^-22
 *     C  p = v 2^N to nearest even, over 2^N:   0
 * Its variance is at most 1/4 from the random bits, whatever v is, and less than 2^-2N / 3 = 0.0013 from p - v: the
 * standard deviation is below 0.51, that of the mean of COUNT elements below 0.51 / sqrt(COUNT), and six of those are
 * the bound: 0.0085, to be told from A's 2^-5 = 0.031. */
static double mean_error(const bnd_context *context, bnd_rounding mode, uint64_t seed, bool negative)
{
    bnd_format f = format_named("e5m2");
    bnd_array how = {.context = context, .seed = seed, .purpose = 17};
    how.rule = (bnd_rule){.rounding = (uint8_t)mode, .random_bits = N};
    float *x = memory_of(COUNT * sizeof *x), *y = memory_of(COUNT * sizeof *y);
    for (size_t i = 0; i < COUNT; i++) {
        float magnitude = 1.0f + ldexpf((float)(bnd_random(seed, 18, i) >> 41), -23);
        x[i] = negative ? -magnitude : magnitude;
    }
    CU_ASSERT_EQUAL(bnd_round_f32(y, x, COUNT, &f, &how, NULL, NULL), BND_OK);
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        sum += fabs((double)y[i]) - fabs((double)x[i]);
    }
    free(x);
    free(y);
    return sum / 0.25 / (double)COUNT;
}

static void test_means(void)
{
    const double bound = 6 * 0.51 / sqrt(COUNT), shortfall = ldexp(1, -N - 1);
    for (size_t k = 0; k < back_ends_here()->count; k++) {
        const bnd_context *by = &back_ends_here()->at[k];
        for (uint64_t seed = 1; seed <= 4; seed++) {
            CU_ASSERT(fabs(mean_error(by, BND_ROUND_SRA, seed, seed % 2) + shortfall) < bound);
            CU_ASSERT(fabs(mean_error(by, BND_ROUND_SRB, seed, seed % 2)) < bound);
            CU_ASSERT(fabs(mean_error(by, BND_ROUND_SR, seed, seed % 2)) < bound);
        }
    }
}

/* ---- chi-square ---- */

/* Is a sum of squares of `cells` standard deviations one that chance gives? By Wilson and Hilferty its cube root is
 * nearly normal; five of its standard deviations to either side, 6 in ten million. */
static bool by_chance(double chi_square, double cells)
{
    double variance = 2 / (9 * cells);
    return fabs(cbrt(chi_square / cells) - (1 - variance)) < 5 * sqrt(variance);
}

/* The probability to go up for v = k / 2^8: v itself where there are as many random bits or more. With 4 of them, by
 * the definitions of A, B and C. */
static double probability(bnd_rounding mode, unsigned bits, unsigned k)
{
    double v = k / 256.0, steps = ldexp(v, (int)bits);
    switch (mode) {
    case BND_ROUND_SRA:
        return floor(steps) / ldexp(1, (int)bits);
    case BND_ROUND_SRB: /* 2R >= 2^(N+1) - 1 - floor(2 v 2^N) */
        return floor((floor(2 * steps) + 1) / 2) / ldexp(1, (int)bits);
    case BND_ROUND_SR_EQUAL:
        return k == 0 ? 0 : 0.5;
    default:
        return rint(steps) / ldexp(1, (int)bits);
    }
}

/* Every v of 256 in turn. A cell is a v: how often it went up, against the binomial's mean and variance. Where the
 * probability is 0 or 1 there is no chance, and none may differ. */
static bool ups_are_fair(const bnd_context *context, bnd_rounding mode, unsigned bits, const bnd_format *f, double base)
{
    enum { TIMES = 512 };
    bnd_array how = {.context = context, .seed = 77 + bits, .purpose = mode, .first = 3};
    how.rule = (bnd_rule){.rounding = (uint8_t)mode, .random_bits = (uint8_t)bits};
    float *x = memory_of(256 * TIMES * sizeof *x), *y = memory_of(256 * TIMES * sizeof *y);
    double step = ldexp(base, -(int)f->fraction_bits), chi_square = 0, cells = 0;
    for (unsigned i = 0; i < 256 * TIMES; i++) {
        x[i] = (float)(base + step * (i % 256) / 256);
    }
    bool fair = bnd_round_f32(y, x, 256 * TIMES, f, &how, NULL, NULL) == BND_OK;
    for (unsigned k = 0; k < 256; k++) {
        double ups = 0, p = probability(mode, bits, k);
        for (unsigned i = k; i < 256 * TIMES; i += 256) {
            ups += y[i] > base;
        }
        if (p == 0 || p == 1) {
            fair &= ups == p * (double)TIMES;
        } else {
            chi_square += (ups - p * (double)TIMES) * (ups - p * (double)TIMES) / (p * (1 - p) * (double)TIMES);
            cells++;
        }
    }
    free(x);
    free(y);
    return fair && by_chance(chi_square, cells);
}

static void test_ups(void)
{
    static const uint8_t bits[] = {4, 8, 11, 16, 24, 32, 62};
    bnd_format e4m3 = format_named("e4m3"), bf16 = format_named("bf16");
    for (size_t k = 0; k < back_ends_here()->count; k++) {
        const bnd_context *by = &back_ends_here()->at[k];
        for (size_t i = 0; i < sizeof bits; i++) {
            CU_ASSERT(ups_are_fair(by, BND_ROUND_SR, bits[i], &e4m3, 16));
            CU_ASSERT(ups_are_fair(by, BND_ROUND_SRA, bits[i], &e4m3, 0.5));
            CU_ASSERT(ups_are_fair(by, BND_ROUND_SRB, bits[i], &bf16, 0x1p-40));
        }
        CU_ASSERT(ups_are_fair(by, BND_ROUND_SR_EQUAL, 0, &bf16, 1));
    }
}

/* Sixteen neighbours that go up or down with equal chances: which of the first eight, which of the last, and which of
 * four next to each other in different blocks of random bits. All 256 (16) patterns are as frequent. */
static bool patterns_are_fair(const unsigned char *up, size_t first, size_t length)
{
    enum { GROUPS = COUNT / 16 };
    double seen[256] = {0}, patterns = ldexp(1, (int)length), chi_square = 0, mean = (double)GROUPS / patterns;
    for (size_t group = 0; group < GROUPS; group++) {
        size_t pattern = 0;
        for (size_t i = 0; i < length; i++) {
            pattern = 2 * pattern + up[16 * group + first + i];
        }
        seen[pattern]++;
    }
    for (size_t i = 0; i < 1u << length; i++) {
        chi_square += (seen[i] - mean) * (seen[i] - mean) / mean;
    }
    return by_chance(chi_square, patterns - 1);
}

static void test_neighbours(void)
{
    static const uint8_t bits[] = {1, 7, 16, 23, 33};
    bnd_format f = format_named("e3m2");
    double *x = memory_of(COUNT * sizeof *x), *y = memory_of(COUNT * sizeof *y);
    unsigned char *up = memory_of(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = -(4 + 0.5); /* half way from 4 to 5 */
    }
    for (size_t k = 0; k < back_ends_here()->count * sizeof bits; k++) {
        bnd_array how = {.context = &back_ends_here()->at[k / sizeof bits], .seed = 5, .purpose = 99};
        how.rule = (bnd_rule){.rounding = BND_ROUND_SR, .random_bits = bits[k % sizeof bits]};
        CU_ASSERT_EQUAL(bnd_round_f64(y, x, COUNT, &f, &how, NULL, NULL), BND_OK);
        for (size_t i = 0; i < COUNT; i++) {
            up[i] = y[i] == -5;
        }
        CU_ASSERT(patterns_are_fair(up, 0, 8));
        CU_ASSERT(patterns_are_fair(up, 8, 8));
        CU_ASSERT(patterns_are_fair(up, 6, 4));
    }
    free(up);
    free(x);
    free(y);
}

CU_TestInfo stochastic_tests[] = {
    {"bias of A, B and C", test_means},
    {"every number goes up as often as it should", test_ups},
    {"neighbours do not know of each other", test_neighbours},
    CU_TEST_INFO_NULL,
};
