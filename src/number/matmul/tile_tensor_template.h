/* Tiles of groups of products as tensor cores add them, in double. A part of tile_kernels.c. tile_aligned_template.h
 * aligns to the largest term; here terms are aligned to the largest exponent before the product is normalised:
 *
 *   - The exponent of a product is the sum of its factors' exponents. That of a subnormal factor is its format's least.
 *   - Terms of zero do not count. The largest exponent is at least the format's
 *     least less 7.
 *   - Terms are truncated `fraction` bits below, and added exactly. The sum is rounded to the accumulator's format:
 *     toward zero where it has fp32's exponents, to nearest even otherwise. A result of zero is +0.
 *
 * One lane, fraction 3, format of 4 bits, s = 1, products 1.5 * 1.5 and 0.375 * 0.5:
 *
 *   exponents          0 for s, 0 + 0, -2 - 1 = -3: the largest is 0, although 2.25 is above 2
 *   unit               2^(0 - 3) = 0.125
 *   truncated          1, 2.25, 0.1875 -> 0.125
 *   sum                3.375, to 4 bits 3.25 */
#ifndef BINADE_SRC_MATMUL_TILE_TENSOR_TEMPLATE_H
#define BINADE_SRC_MATMUL_TILE_TENSOR_TEMPLATE_H

#include "matmul/tile_aligned_template.h"

/* 2^e, e being the exponent of u >= 0 in a format whose least is that of `least`. */
static inline double power_of(double u, double least)
{
    const uint64_t exponents = UINT64_C(0x7ff) << 52;
    return bndi_double_of_bits(bndi_bits_of_double(u > least ? u : least) & exponents);
}

/* The unit of a group, M, and the plain sum. */
static inline void align_exponents(aligned_lanes *w, const bndi_sum *sum, const float *a, const float *b, size_t k)
{
    const uint64_t down = (uint64_t)(uint32_t)sum->tensor.fraction << 52;
    double most[LANES];
    for (int l = 0; l < LANES; l++) {
        double u = __builtin_fabs(w->s[l]), e = power_of(u, sum->tensor.least);
        most[l] = u > 0 && e > sum->tensor.lowest ? e : sum->tensor.lowest;
        w->uncut[l] = w->s[l];
    }
    for (size_t at = 0; at < k; at++) {
        const double of_a = power_of(__builtin_fabs((double)a[at]), sum->tensor.least_a);
        for (int l = 0; l < LANES; l++) {
            double y = (double)b[at * COLUMNS + (size_t)l], p = (double)a[at] * y;
            double e = of_a * power_of(__builtin_fabs(y), sum->tensor.least_b);
            e = p != 0 ? e : 0;
            most[l] = e > most[l] ? e : most[l];
            w->uncut[l] += p;
        }
    }
    for (int l = 0; l < LANES; l++) {
        uint64_t word = bndi_bits_of_double(most[l]) - down;
        w->unit[l] = bndi_double_of_bits(word);
        w->magic[l] = bndi_double_of_bits(word + (UINT64_C(52) << 52));
    }
}

/* The sum of the truncated terms is exact in a double: 65 terms of less than 2^(fraction + 2) units. It is rounded as
 * the terms are, to the last place of the format there. */
static inline void add_tensor_group(aligned_lanes *w, const bndi_sum *sum, const float *a, const float *b, size_t k)
{
    const uint64_t down = (uint64_t)(uint32_t)(sum->bits - 1) << 52;
    add_truncated(w, a, b, k);
    for (int l = 0; l < LANES; l++) {
        const double u = __builtin_fabs(w->total[l]);
        const uint64_t place = bndi_bits_of_double(power_of(u, sum->tensor.least)) - down;
        const double unit = bndi_double_of_bits(place), magic = bndi_double_of_bits(place + (UINT64_C(52) << 52));
        double r = (u + magic) - magic;
        r = r > u && sum->tensor.toward_zero ? r - unit : r;
        r = r >= sum->tensor.beyond ? __builtin_inf() : r;
        bool number = w->uncut[l] - w->uncut[l] == 0;
        w->s[l] = number ? __builtin_copysign(r, w->total[l]) + 0.0 : w->uncut[l]; /* -0 becomes +0 */
    }
}

static inline void aligned_to_exponents(aligned_lanes *w, const bndi_sum *sum, const float *a, const float *b, size_t k)
{
    align_exponents(w, sum, a, b, k);
    add_tensor_group(w, sum, a, b, k);
}

static bool tensor(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    return by_groups(aligned_to_exponents, sum, c, pitch, a, b, k);
}

#endif
