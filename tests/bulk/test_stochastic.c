/* The mean of the stochastic modes over many elements: A falls short by 2^-(N+1) of a step, B and C do not. */
#include <math.h>
#include <stdlib.h>

#include "expected.h"
#include "tests.h"

enum { COUNT = 1 << 17, N = 4 };

/* Numbers of [1, 2) that e5m2 has steps of 1/4 for, with the discarded fraction v anywhere: 21 random bits of it. The
 * error of element i in steps is 1 - v with probability p and -v otherwise, so that its mean is p - v, and
 *     A  p = floor(v 2^N) / 2^N                 mean over v: -(1 - 2^-(21-N)) 2^-(N+1)
 *     B  p = (floor(v 2^(N+1)) + 1) / 2 / 2^N, rounded down to a multiple of 2^-N: to nearest, ties up: + 2^-22
 *     C  p = v 2^N to nearest even, over 2^N:   0
 * Its variance is at most 1/4 from the random bits, whatever v is, and less than 2^-2N / 3 = 0.0013 from p - v: the
 * standard deviation is below 0.51, that of the mean of COUNT elements below 0.51 / sqrt(COUNT), and six of those are
 * the bound: 0.0085, to be told from A's 2^-5 = 0.031. */
static double mean_error(bnd_rounding mode, uint64_t seed, bool negative)
{
    bnd_format f = format_named("e5m2");
    bnd_array how = {.rule = {.rounding = (uint8_t)mode, .random_bits = N}, .seed = seed, .purpose = 17};
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
    return sum / 0.25 / COUNT;
}

static void test_means(void)
{
    const double bound = 6 * 0.51 / sqrt(COUNT), shortfall = ldexp(1, -N - 1);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (int negative = 0; negative < 2; negative++) {
            CU_ASSERT(fabs(mean_error(BND_SRA, seed, negative) + shortfall) < bound);
            CU_ASSERT(fabs(mean_error(BND_SRB, seed, negative)) < bound);
            CU_ASSERT(fabs(mean_error(BND_SR, seed, negative)) < bound);
        }
    }
}

/* One number, v = 5/16 of the way: with 8 random bits up in 5/16 of the cases in every variant, since v 2^8 is whole.
 * The number of ups is binomial; six standard deviations are 6 sqrt(COUNT 5/16 11/16). sr-equal: one half. */
static void test_one_number(void)
{
    static const struct {
        uint8_t mode;
        double probability;
    } cases[] = {{BND_SR, 0.3125}, {BND_SRA, 0.3125}, {BND_SRB, 0.3125}, {BND_SR_EQUAL, 0.5}};
    bnd_format f = format_named("e4m3");
    double *x = memory_of(COUNT * sizeof *x), *y = memory_of(COUNT * sizeof *y);
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = -(1 + 5.0 / 16 / 8);
    }
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        bnd_array how = {.rule = {.rounding = cases[k].mode, .random_bits = 8}, .seed = 4, .purpose = k};
        CU_ASSERT_EQUAL(bnd_round_f64(y, x, COUNT, &f, &how, NULL, NULL), BND_OK);
        double ups = 0, p = cases[k].probability;
        for (size_t i = 0; i < COUNT; i++) {
            ups += y[i] == -1.125;
        }
        CU_ASSERT(fabs(ups - COUNT * p) < 6 * sqrt(COUNT * p * (1 - p)));
    }
    free(x);
    free(y);
}

CU_TestInfo stochastic_tests[] = {
    {"bias of A, B and C", test_means},
    {"one number", test_one_number},
    CU_TEST_INFO_NULL,
};
