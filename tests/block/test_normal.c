/* What the scale rules do to normally distributed numbers, in blocks of 32: how often something exceeds the largest
 * element, and the mean squared error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tests.h"

enum { LENGTH = 32, COUNT = 1 << 15 };

/* Relative mean squared error, and the share of blocks with an element beyond the largest. */
typedef struct outcome {
    double error, exceeded, saturated;
} outcome;

static float *sample(size_t blocks)
{
    float *x = memory_of(blocks * LENGTH * sizeof *x);
    for (size_t i = 0; i < blocks * LENGTH; i++) {
        x[i] = normal_number(2026, i);
    }
    return x;
}

static outcome outcome_of(const char *name, const float *x, size_t blocks)
{
    bnd_block block = block_named(name);
    size_t n = blocks * LENGTH;
    unsigned char *codes = memory_of(n), *scales = memory_of(n);
    float *y = memory_of(n * sizeof *y), tensor = 1;
    double max = ldexp((double)block.element.max_significand, block.element.max_quantum), input = 0, error = 0,
           clamped = 0;
    size_t exceeded = 0;
    bnd_stats stats = {.elements = 0};
    const bnd_shape shape = {1, n, 1};
    CU_ASSERT_EQUAL(bnd_quantize_f32(codes, scales, &tensor, x, shape, &block, NULL, &stats, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_dequantize_f32(y, codes, scales, tensor, shape, &block, NULL, NULL), BND_OK);
    for (size_t i = 0; i < blocks; i++) {
        bool beyond = false;
        double scale = 0;
        for (size_t j = i * LENGTH; j < (i + 1) * LENGTH; j++) {
            if (j % 16 == 0) { /* every block here is a multiple of 16 long */
                scale = scale_value(&block, scales, scale_of(&block, shape, j)) * (double)tensor;
            }
            const bool above = fabs((double)x[j]) > max * scale;
            const double square = ((double)y[j] - (double)x[j]) * ((double)y[j] - (double)x[j]);
            beyond = beyond || above;
            input += (double)x[j] * (double)x[j];
            error += square;
            clamped += above ? square : 0;
        }
        exceeded += beyond;
    }
    CU_ASSERT_EQUAL(stats.elements, n);
    CU_ASSERT(fabs(stats.squared_error / error - 1) < 1e-9);
    CU_ASSERT(fabs(stats.squared_input / input - 1) < 1e-9);
    CU_ASSERT(fabs(stats.clamped_error - clamped) <= 1e-9 * error);
    CU_ASSERT(strstr(name, "floor") == NULL || stats.clamped_error > 0);
    free(codes);
    free(scales);
    free(y);
    return (outcome){error / input, (double)exceeded / (double)blocks, (double)stats.saturated / (double)n};
}

/* P(|x| <= a) of one, and so P(all 32 are) of a block. */
static double all_within(double a)
{
    return pow(erf(a / sqrt(2)), LENGTH);
}

/* The share of blocks whose amax lies between max and the next power of two, in units of some power of two: those that
 * the rule floor saturates. */
static double share_beyond(double fraction)
{
    double share = 0;
    for (int e = -6; e < 6; e++) {
        share += all_within(ldexp(2, e)) - all_within(ldexp(fraction, e));
    }
    return share;
}

/* Six standard deviations of a share of `blocks`. */
static double margin(double share, size_t blocks)
{
    return 6 * sqrt(share * (1 - share) / (double)blocks);
}

static void near(const char *what, double got, double want, double within)
{
    CU_ASSERT(fabs(got - want) <= within);
    if (!(fabs(got - want) <= within)) {
        printf("    %s: %.6g, not %.6g within %.2g\n", what, got, want, within);
    }
}

/* What was measured elsewhere is 17.1 % for e4m3 and 30.1 % for e2m1. The distribution itself says 16.9 % and 29.6 %,
 * less than 1.2 standard deviations of a sample of ten thousand blocks away; the samples here are held to those. */
static void test_saturation(void)
{
    const size_t blocks = (size_t)scaled(COUNT);
    float *x = sample(blocks);
    double e4m3 = share_beyond(1.75), e2m1 = share_beyond(1.5), measured = 3 * sqrt(0.17 * 0.83 / 10000);
    near("e4m3, expected", e4m3, 0.171, measured);
    near("e2m1, expected", e2m1, 0.301, 3 * sqrt(0.3 * 0.7 / 10000));
    near("e4m3 floor", outcome_of("mxfp8:floor", x, blocks).exceeded, e4m3, margin(e4m3, blocks));
    near("e2m1 floor", outcome_of("mxfp4:floor", x, blocks).exceeded, e2m1, margin(e2m1, blocks));
    CU_ASSERT_EQUAL(outcome_of("mxfp8", x, blocks).exceeded, 0);
    CU_ASSERT_EQUAL(outcome_of("mxfp4", x, blocks).exceeded, 0);
    CU_ASSERT_EQUAL(outcome_of("mxfp4:ceil", x, blocks).exceeded, 0);
    CU_ASSERT_EQUAL(outcome_of("mxfp8", x, blocks).saturated, 0);
    CU_ASSERT(outcome_of("mxfp8:floor", x, blocks).saturated > 0);
    CU_ASSERT_EQUAL(outcome_of("mxfp4:even", x, blocks).saturated, 0); /* beyond 6, and rounded to it */
    free(x);
}

/* Three digits, of which the last may be off by one; wider where BND_TEST_SCALE leaves few blocks. The squares of a
 * block's errors vary about as much as their mean, so that a mean of n blocks is known to 1 / sqrt(n). */
static void test_errors(void)
{
    static const struct {
        const char *name;
        double error, last;
    } cases[] = {
        {"mxfp8:floor", 8.6e-4, 0.1e-4}, {"mxfp8", 7.0e-4, 0.1e-4},        {"mxfp4:floor", 1.32e-2, 0.01e-2},
        {"mxfp4", 1.34e-2, 0.01e-2},     {"mxfp4:even", 1.25e-2, 0.01e-2},
    };
    const size_t blocks = (size_t)scaled(COUNT);
    float *x = sample(blocks);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        outcome o = outcome_of(cases[i].name, x, blocks);
        near(cases[i].name, o.error, cases[i].error, cases[i].last + 3 * cases[i].error / sqrt((double)blocks));
    }
    free(x);
}

/* The finer the scales, the smaller the error; and a scale beside a scale costs nothing. */
static void test_order(void)
{
    const size_t blocks = (size_t)scaled(COUNT / 4) + 512;
    float *x = sample(blocks);
    double tile = outcome_of("e4m3/row", x, blocks).error;
    CU_ASSERT(outcome_of("nvfp4", x, blocks).error < outcome_of("mxfp4", x, blocks).error);
    CU_ASSERT(outcome_of("mxint8", x, blocks).error < outcome_of("mxfp8", x, blocks).error);
    CU_ASSERT(tile < outcome_of("mxfp8-e5m2", x, blocks).error);
    free(x);
}

CU_TestInfo normal_tests[] = {
    {"how often elements saturate", test_saturation},
    {"mean squared errors", test_errors},
    {"which is better", test_order},
    CU_TEST_INFO_NULL,
};
