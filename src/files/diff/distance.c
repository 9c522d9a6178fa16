/* Distances in ulps, and errors. */
#include "diff/distance.h"

#include <math.h>
#include <string.h>

enum { LANES = 16 };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* fp32's numbers are counted by their bits. A format of p bits has every 2^(24 - p)-th of them, from its least normal
 * number on; below it, multiples of its least number. */
double bndi_place_among(float x, const bnd_format *unit)
{
    const uint32_t magnitude = bits_of(x) & 0x7fffffff;
    const double sign = bits_of(x) >> 31 != 0 ? -1 : 1;
    const int p = unit->precision, emin = unit->emin;
    if (p >= 24 || p == 0 || emin < -126 || emin > 126) {
        return sign * (double)magnitude;
    }
    const uint32_t normal = (uint32_t)(emin + 127) << 23;
    if (magnitude < normal) {
        return sign * ldexp(fabs((double)x), p - 1 - emin);
    }
    return sign * (ldexp((double)(magnitude - normal), p - 24) + ldexp(1, p - 1));
}

static size_t bin_of(double distance)
{
    if (distance == 0) {
        return 0;
    }
    int exponent;
    bool power = frexp(distance, &exponent) == 0.5; /* distance <= 2^exponent, and 2^(exponent - 1) if it is that */
    exponent -= power ? 1 : 0;
    int bin = exponent < -1 ? 1 : exponent + 2;
    return bin < BND_DIFFERENCE_BINS ? (size_t)bin : BND_DIFFERENCE_BINS - 1;
}

typedef struct lanes {
    double error[LANES], squared_error[LANES], squared_b[LANES];
} lanes;

static double add_lanes(double *lane)
{
    for (size_t step = LANES / 2; step > 0; step /= 2) {
        for (size_t i = 0; i < step; i++) {
            lane[i] += lane[i + step];
        }
    }
    return lane[0];
}

void bndi_tally_differences(bnd_difference_sums *sums, const float *a, const float *b, uint64_t at, size_t n,
                            const bnd_format *unit)
{
    lanes l = {.error = {0}};
    sums->elements += n;
    for (size_t i = 0; i < n; i++) {
        const double x = (double)a[i], y = (double)b[i], error = fabs(x - y);
        if (bits_of(a[i]) == bits_of(b[i]) || (x != x && y != y)) {
            sums->equal++;
            if (y - y == 0) {
                sums->bins[0]++;
                l.squared_b[i % LANES] += y * y;
            }
            continue;
        }
        if (x - x != 0 || y - y != 0) {
            sums->nonfinite++;
            continue;
        }
        sums->zero_signs += error == 0;
        l.error[i % LANES] += error;
        l.squared_error[i % LANES] += error * error;
        l.squared_b[i % LANES] += y * y;
        const double distance = fabs(bndi_place_among(a[i], unit) - bndi_place_among(b[i], unit));
        sums->bins[bin_of(distance)]++;
        sums->largest_ulps = distance > sums->largest_ulps ? distance : sums->largest_ulps;
        if (error > sums->largest_error) {
            sums->largest_error = error;
            sums->largest_at = at + i;
        }
    }
    sums->error_sum += add_lanes(l.error);
    sums->squared_error += add_lanes(l.squared_error);
    sums->squared_b += add_lanes(l.squared_b);
}

void bndi_add_differences(bnd_difference_sums *sum, const bnd_difference_sums *more)
{
    sum->elements += more->elements;
    sum->equal += more->equal;
    sum->below_fp32 += more->below_fp32;
    sum->zero_signs += more->zero_signs;
    sum->nonfinite += more->nonfinite;
    for (size_t i = 0; i < BND_DIFFERENCE_BINS; i++) {
        sum->bins[i] += more->bins[i];
    }
    sum->largest_ulps = more->largest_ulps > sum->largest_ulps ? more->largest_ulps : sum->largest_ulps;
    if (more->largest_error > sum->largest_error) {
        sum->largest_error = more->largest_error;
        sum->largest_at = more->largest_at;
    }
    sum->error_sum += more->error_sum;
    sum->squared_error += more->squared_error;
    sum->squared_b += more->squared_b;
}

double bnd_difference_mean(const bnd_difference_sums *sums)
{
    uint64_t compared = 0;
    for (size_t i = 0; i < BND_DIFFERENCE_BINS; i++) {
        compared += sums->bins[i];
    }
    return compared == 0 ? NAN : sums->error_sum / (double)compared;
}

double bnd_difference_sqnr(const bnd_difference_sums *sums)
{
    return sums->squared_b == 0 ? NAN : 10 * log10(sums->squared_b / sums->squared_error);
}
