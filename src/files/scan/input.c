/* What the numbers of a tensor are: range, exponents, zeros, NaNs. */
#include "scan/scan.h"

#include <float.h>
#include <math.h>

enum { BINS = 64 };

/* As bnd_stats counts exponents. */
static size_t bin_of(int exponent)
{
    int bin = exponent - BND_HISTOGRAM_LOWEST + 1;
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (size_t)bin;
}

static void add_range(bnd_stats *stats, double largest, double smallest)
{
    stats->largest = largest > stats->largest ? largest : stats->largest;
    stats->smallest = smallest > 0 && (stats->smallest == 0 || smallest < stats->smallest) ? smallest : stats->smallest;
}

void bndi_input_add(bndi_input *input, float x, uint64_t times, double normal)
{
    const double magnitude = fabs((double)x);
    input->stats.elements += times;
    input->stats.nans_in += isnan(x) ? times : 0;
    input->stats.infinities_in += isinf(x) ? times : 0;
    input->zeros += x == 0 ? times : 0;
    if (isfinite(x) && x != 0) {
        add_range(&input->stats, magnitude, magnitude);
        input->stats.exponents[bin_of(ilogb(magnitude))] += times;
        input->subnormals += magnitude < normal ? times : 0;
        bndi_sum_add_times(&input->squared, magnitude * magnitude, times);
    }
}

void bndi_input_merge(bndi_input *sum, const bndi_input *more)
{
    bnd_stats_add(&sum->stats, &more->stats);
    sum->zeros += more->zeros;
    sum->subnormals += more->subnormals;
    bndi_sum_add(&sum->squared, &more->squared);
}

/* Rounding to fp32 changes nothing and counts; the sum is that of squared differences from 0. */
void bndi_input_add_all(bndi_input *input, uint64_t bins[BNDI_BINS_SIZE], const float *x, size_t n, double normal)
{
    enum { RUN = 4096 };
    static const float zero[RUN];
    float same[RUN];
    bndi_comparison magnitudes = {.elements = 0};
    bnd_stats stats = {.elements = 0};
    for (size_t at = 0; at < n; at += RUN) {
        size_t run = n - at < RUN ? n - at : RUN;
        bnd_status status = bnd_round_f32(same, x + at, run, bnd_format_at(BND_FORMAT_FP32), NULL, &stats, NULL);
        (void)status; /* a format, and no choices */
        bndi_compare(&magnitudes, bins, x + at, zero, run);
        for (size_t i = 0; i < run; i++) {
            double magnitude = fabs((double)x[at + i]);
            input->zeros += magnitude == 0;
            input->subnormals += magnitude < normal && magnitude > 0;
        }
    }
    stats.exact = stats.inexact = stats.compared = stats.underflows = stats.nans_out = 0;
    stats.squared_error = stats.squared_input = 0;
    bnd_stats_add(&input->stats, &stats);
    bndi_sum_add(&input->squared, &magnitudes.squared_error);
}
