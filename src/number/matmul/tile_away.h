/* Tiles of sums rounded to nearest with ties away from zero: fp32's own products and sums, each rounded, in fp32 lanes
 * (doubles take twice as many instructions), and fp64's own sums. A part of tile_kernels.c; the hooks are in
 * tile_wide_avx512.h and tile_wide_avx2.h.
 *
 *   sum      t = RN(s + p), to even, and e = s + p - t, exact: p - (t - s) with |s| >= |p|. The two roundings differ in
 *            ties that went toward zero: there e is half the distance at t, with the sign of t, and t + 2 e is the
 *            neighbour away from zero. A tie below a power of two went up to it already, since that is even.
 *   product  with AVX-512 z = RZ(x y) has the binade of x y, h is half the distance of fp32's numbers there, with the
 *            sign of z: RZ(x y + h), one fused operation. Where x y + h reaches the next binade, it is less than its
 *            first number plus h, and becomes that.
 *            With AVX2 as sums: t = RN(x y), and e = x y - t in a fused operation.
 *
 * h must be a number: products from 2^-125 on, or zeros; and e, whose last bit has the product of the last places of x
 * and y: from 2^-101 on. So the least magnitudes but zero among the operands are looked for first. A product of more
 * than the largest number becomes that in RZ. What may be either is done in doubles, by the tile that mends; sums need
 * no such care, nor do products to nearest: h is zero only where they are exact, and fp32's own overflow is right,
 * since the first tie that is infinite goes to infinity in both roundings.
 *
 * x y = 1 + 2^-24: z = 1, h = 2^-24, RZ(1 + 2^-23) = 3f800001. s = 1, p = 2^-24: t = 1, e = 2^-24 = h, t + 2 e =
 * 3f800001; s = 1 + 2^-23: t = 3f800002, e = -2^-24: t stays.
 *
 * fp64: the same sum, of exact products. No product and no sum is near its ends.
 *
 * Instructions: 14 for 16 sums in fp32 with AVX-512 (4 for the product, 9 for the sum, one for the largest product), 20
 * for 8 with AVX2 (7 and 13); 10 for 8 and, as compiled, 17 for 4 in fp64. */
#ifndef BINADE_SRC_MATMUL_TILE_AWAY_H
#define BINADE_SRC_MATMUL_TILE_AWAY_H

#include "base/bits.h"
#include "bulk/environment.h"
#include "matmul/matmul.h"

/* The least magnitude but zero of n numbers: as bits less one, so that a zero becomes the largest word. */
static float least_magnitude(const float *x, size_t n)
{
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint32_t magnitude = (bndi_bits_of_float(x[i]) & INT32_MAX) - 1;
        least = magnitude < least ? magnitude : least;
    }
    return least == UINT32_MAX ? 1 : bndi_float_of_bits(least + 1); /* 1: nothing but zeros */
}

/* Are all products of the tile zero, or large enough? Infinities and NaNs pass. */
static bool products_have_halves(const float *a, const float *b, size_t k)
{
    float least = __builtin_inff();
    for (size_t i = 0; i < ROWS_32; i++) {
        const float some = least_magnitude(a + i * BNDI_PITCH, k);
        least = some < least ? some : least;
    }
    return (double)least * (double)least_magnitude(b, k * BNDI_STRIP) >= LEAST_WITH_HALF;
}

/* Some columns of the tile: those that registers hold. False where a product was the largest number, or more: the
 * state is then unchanged. */
static ALWAYS_INLINE bool away_in_fp32(float *state, const float *a, const float *b, size_t k)
{
    vector_32 s[ROWS_32][VECTORS_32], most = all_32(0);
    take_sums_32(s, state);
    for (size_t at = 0; at < k; at++) {
        vector_32 y[VECTORS_32];
        take_row_32(y, b + at * BNDI_STRIP);
        ALL_ROWS
        for (size_t i = 0; i < ROWS_32; i++) {
            const vector_32 x = all_32((double)a[i * BNDI_PITCH + at]);
            UNROLL
            for (size_t v = 0; v < VECTORS_32; v++) {
                s[i][v] = sum_away_32(s[i][v], product_away_32(x, y[v], &most));
            }
        }
    }
    if (are_products_seen(most)) {
        return false;
    }
    put_sums_32(state, s);
    return true;
}

static ALWAYS_INLINE void away_in_fp64(double *state, const float *a, const float *b, size_t k)
{
    vector_64 s[ROWS_64][VECTORS_64];
    take_sums_64(s, state);
    for (size_t at = 0; at < k; at++) {
        vector_64 y[VECTORS_64];
        take_row_64(y, b + at * BNDI_STRIP);
        ALL_ROWS
        for (size_t i = 0; i < ROWS_64; i++) {
            const vector_64 x = all_64((double)a[i * BNDI_PITCH + at]);
            UNROLL
            for (size_t v = 0; v < VECTORS_64; v++) {
                s[i][v] = sum_away_64(s[i][v], x * y[v]);
            }
        }
    }
    put_sums_64(state, s);
}

/* fp64's sums of exact products: nothing is refused. */
static bool away_fp64(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,
                      const bndi_draws *draws)
{
    double *sums = state;
    (void)sum;
    (void)draws;
    for (size_t first = 0; first < BNDI_STRIP; first += PART_64) {
        away_in_fp64(sums + first, a, b + first, k);
    }
    return true;
}

/* The columns from `first` on, in doubles, which refuse nothing; in the processor's mode of that tile. */
static NOT_INLINE void away_in_doubles(const bndi_sum *sum, float *sums, const float *a, const float *b, size_t k,
                                       size_t first)
{
    double in_double[ROWS_64 * BNDI_STRIP];
    _Static_assert(ROWS_32 % ROWS_64 == 0, "whole tiles of doubles");
    for (size_t row = 0; row < ROWS_32; row += ROWS_64) {
        for (size_t e = 0; e < (size_t)ROWS_64 * BNDI_STRIP; e++) {
            in_double[e] = (double)sums[row * BNDI_STRIP + e];
        }
        mended_each_zero_adds_64(sum, in_double, a + row * BNDI_PITCH, b, k, NULL);
        for (size_t e = 0; e < (size_t)ROWS_64 * BNDI_STRIP; e++) {
            const size_t column = e % BNDI_STRIP;
            sums[row * BNDI_STRIP + e] = column < first ? sums[row * BNDI_STRIP + e] : (float)in_double[e];
        }
    }
}

/* The entry: in fp32 where that is right, else in doubles. */
static bool each_away(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,
                      const bndi_draws *draws)
{
    float *sums = state;
    size_t first = 0;
    (void)draws;
    if (products_have_halves(a, b, k)) {
        while (first < BNDI_STRIP && away_in_fp32(sums + first, a, b + first, k)) {
            first += PART_32;
        }
    }
    if (first < BNDI_STRIP) {
        bndi_set_rounding(AWAY_MODE_OF_DOUBLES);
        away_in_doubles(sum, sums, a, b, k, first);
        bndi_set_rounding(BND_ROUND_RNE);
    }
    return true;
}

#endif
