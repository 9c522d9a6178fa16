/* Sums of squares are exact until they are rounded once; comparisons count what became of numbers. */
#include "block/differences.h"
#include "model.h"
#include "scan/scan.h"
#include "tests.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static float any_float(uint64_t *seed, bool finite)
{
    for (;;) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t bits = (uint32_t)(*seed >> 32);
        float x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x) || !finite) {
            return x;
        }
    }
}

/* Floats of every exponent, in several orders: the sum is that of an expansion, to the last bit. */
static void test_sums_are_exact(void)
{
    enum { N = 20000 };
    float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    uint64_t *bins = calloc(BNDI_BINS_SIZE, sizeof *bins), seed = 1;
    unsigned wrong = 0;
    for (int round = 0; round < 8; round++) {
        bndi_comparison *forwards = calloc(1, sizeof *forwards), *parts = calloc(2, sizeof *parts);
        exact_sum sum = {.count = 0};
        for (size_t i = 0; i < N; i++) {
            x[i] = any_float(&seed, true);
            y[i] = round % 2 == 0 ? any_float(&seed, true) : (float)((double)x[i] * (1 + (double)(i % 9) * 0x1p-20));
            x[i] = round >= 4 ? ldexpf(x[i], -60) : x[i]; /* subnormals, too */
            y[i] = isfinite(y[i]) ? y[i] : 0;
            double d = (double)x[i] - (double)y[i];
            sum_put(&sum, d * d);
        }
        bndi_compare(forwards, bins, x, y, N);
        bndi_compare(&parts[1], bins, x + N / 3, y + N / 3, N - N / 3);
        for (size_t i = 0; i < N / 3; i++) {
            bndi_compare_times(&parts[0], x[i], y[i], 1);
        }
        bndi_comparison_add(&parts[0], &parts[1]);
        wrong += bndi_sum_rounded(&forwards->squared_error) != sum_get(&sum);
        wrong += memcmp(forwards, &parts[0], sizeof *forwards) != 0 &&
                 bndi_sum_rounded(&parts[0].squared_error) != sum_get(&sum);
        wrong += forwards->exact != parts[0].exact || forwards->to_zero != parts[0].to_zero;
        free(forwards);
        free(parts);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    for (size_t i = 0; i < BNDI_BINS_SIZE; i++) {
        wrong += bins[i] != 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    free(x);
    free(y);
    free(bins);
}

/* Whether differences of x and y can be added in vectors; if so, they are, to the last bit. */
static bool in_vectors(unsigned *wrong, const float *x, const float *y, size_t n)
{
    bndi_differences d;
    exact_sum sum = {.count = 0};
    uint64_t same = 0, to_zero = 0;
    const bool good = bnd_lab_square_differences(&d, x, y, n, NULL);
    for (unsigned backend = 0; backend < BND_BACKEND_COUNT; backend++) {
        const bnd_context context = {.backend = (uint8_t)backend};
        bndi_differences other;
        *wrong += bnd_lab_square_differences(&other, x, y, n, &context) != good;
        *wrong += good && (d.low != other.low || d.high != other.high || d.unit != other.unit || d.same != other.same ||
                           d.to_zero != other.to_zero);
    }
    if (!good) {
        return false;
    }
    bndi_comparison *all = calloc(1, sizeof *all);
    uint64_t *bins = calloc(BNDI_BINS_SIZE, sizeof *bins);
    for (size_t i = 0; i < n; i++) {
        double difference = (double)x[i] - (double)y[i];
        sum_put(&sum, difference * difference);
        same += x[i] == y[i];
        to_zero += y[i] == 0 && x[i] != 0;
    }
    bndi_compare(all, bins, x, y, n);
    *wrong += bndi_sum_rounded(&all->squared_error) != sum_get(&sum);
    *wrong += d.same != same || d.to_zero != to_zero || all->exact != same || all->to_zero != to_zero;
    free(all);
    free(bins);
    return true;
}

/* Weights and what formats of few bits make of them, at all scales, in runs of all lengths; and what does not fit. */
static void test_sums_in_vectors(void)
{
    float x[BNDI_DIFFERENCES], y[BNDI_DIFFERENCES];
    uint64_t seed = 7;
    unsigned wrong = 0, outside = 0;
    for (int round = 0; round < 250; round++) {
        const size_t n = round % 2 == 0 ? BNDI_DIFFERENCES : (size_t)round * 8 + (size_t)round % 8;
        for (size_t i = 0; i < n; i++) {
            const int small = -(int)(i % 20), few = (int)(i % 5); /* 2^(2 small) is far below the largest square */
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            x[i] = ldexpf(1 + (float)(seed >> 57) / 128, small + round - 125);
            y[i] = i % 7 == 0 ? 0 : ldexpf(rintf(ldexpf(x[i], 128 - round + few)), round - 128 - few);
            x[i] = i % 3 == 0 ? -x[i] : x[i];
            y[i] = i % 3 == 0 ? -y[i] : y[i];
        }
        outside += !in_vectors(&wrong, x, y, n);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(outside, 0);
    CU_ASSERT(in_vectors(&wrong, (float[]){FLT_MAX, 1}, (float[]){0, 1}, 2));
    CU_ASSERT(in_vectors(&wrong, (float[]){1, 0x1p-42F}, (float[]){0, 0}, 2));
    CU_ASSERT(!in_vectors(&wrong, (float[]){1, 0x1p-60F}, (float[]){0, 0}, 2));
    CU_ASSERT(!in_vectors(&wrong, (float[]){1, 2}, (float[]){0x1p-30F, 0}, 2)); /* 1 - 2^-30 is not a float */
    CU_ASSERT(!in_vectors(&wrong, (float[]){1, NAN}, (float[]){0, 0}, 2));
    CU_ASSERT(!in_vectors(&wrong, (float[]){1, 1}, (float[]){0, INFINITY}, 2));
    CU_ASSERT(!in_vectors(&wrong, (float[]){FLT_MAX}, (float[]){-FLT_MAX}, 1));
    CU_ASSERT_EQUAL(wrong, 0);
}

static double sum_of(const double *squares, const uint64_t *times, size_t n)
{
    bndi_squares *sum = calloc(1, sizeof *sum);
    for (size_t i = 0; i < n; i++) {
        bndi_sum_add_times(sum, squares[i], times[i]);
    }
    double rounded = bndi_sum_rounded(sum);
    free(sum);
    return rounded;
}

/* Halfway cases of the one rounding, carries through all words, and the ends of the range. */
static void test_sums_are_rounded_once(void)
{
    const uint64_t one[3] = {1, 1, 1};
    CU_ASSERT_EQUAL(sum_of(NULL, NULL, 0), 0);
    CU_ASSERT_EQUAL(sum_of((double[]){0x1p53, 1}, one, 2), 0x1p53);
    CU_ASSERT_EQUAL(sum_of((double[]){0x1p53 + 2, 1}, one, 2), 0x1p53 + 4);
    CU_ASSERT_EQUAL(sum_of((double[]){0x1p53, 1, 0x1p-298}, one, 3), 0x1p53 + 2);
    CU_ASSERT_EQUAL(sum_of((double[]){0x1.fffffffffffffp+257, 0x1p204}, one, 2), 0x1p258);
    CU_ASSERT_EQUAL(sum_of((double[]){0x1p-298}, (uint64_t[]){UINT64_MAX / 2}, 1), 0x1p-235);
    CU_ASSERT_EQUAL(sum_of((double[]){0x1p258, 0x1p258}, (uint64_t[]){UINT64_MAX, 1}, 2), 0x1p322);
    CU_ASSERT_EQUAL(sum_of((double[]){0.1 * 0.1}, (uint64_t[]){UINT64_C(1) << 40}, 1), ldexp(0.1 * 0.1, 40));
    CU_ASSERT_EQUAL(sum_of((double[]){3.0}, (uint64_t[]){0}, 1), 0);
}

static void test_comparisons_count(void)
{
    const float x[] = {1, 0, -0.0F, 2, 3, NAN, NAN, INFINITY, -INFINITY, INFINITY, 5, 6, 1e-40F};
    const float y[] = {1, 0, 0.0F, 0, 4, NAN, 1, INFINITY, INFINITY, 448, NAN, INFINITY, 0};
    enum { N = sizeof x / sizeof x[0] };
    uint64_t *bins = calloc(BNDI_BINS_SIZE, sizeof *bins);
    bndi_comparison *sum = calloc(1, sizeof *sum);
    bndi_compare(sum, bins, x, y, N);
    CU_ASSERT_EQUAL(sum->elements, N);
    CU_ASSERT_EQUAL(sum->exact, 5);   /* 1, 0, -0, NaN, infinity */
    CU_ASSERT_EQUAL(sum->to_zero, 2); /* 2, 1e-40 */
    CU_ASSERT_EQUAL(sum->broken, 5);  /* NaN to 1, -infinity to infinity, infinity to 448, 5 to NaN, 6 to infinity */
    CU_ASSERT_EQUAL(bndi_sum_rounded(&sum->squared_error), 5 + (double)1e-40F * (double)1e-40F);
    free(bins);
    free(sum);
}

CU_TestInfo sum_tests[] = {
    {"sums are exact", test_sums_are_exact},
    {"sums in vectors are the same", test_sums_in_vectors},
    {"sums are rounded once", test_sums_are_rounded_once},
    {"comparisons count", test_comparisons_count},
    CU_TEST_INFO_NULL,
};
