/* Tiles of sums rounded to nearest with ties away from zero: fp32's own products and sums, each rounded, in fp32 lanes
 * (doubles take twice as many instructions), and fp64's own sums. A part of tile_kernels.c.
 *
 *   product  z = RZ(x y) has the binade of x y, h is half the distance of fp32's numbers there, with the sign of z:
 *            RZ(x y + h), one fused operation. Where x y + h reaches the next binade, it is less than its first number
 *            plus h, and becomes that.
 *   sum      t = RN(s + p), to even, and e = s + p - t, exact: p - (t - s) with |s| >= |p|. The two roundings differ in
 *            ties that went toward zero: there e is half the distance at t, with the sign of t, and t + 2 e is the
 *            neighbour away from zero. A tie below a power of two went up to it already, since that is even.
 *
 * h must be a number: products from 2^-125 on, or zeros. So the least magnitudes but zero among the operands are looked
 * for first. A product of more than the largest number becomes that in RZ. What may be either is done in doubles, by
 * the tile that mends; sums need no such care: h is zero only where they are exact, and fp32's own overflow is right,
 * since the first tie that is infinite goes to infinity in both roundings.
 *
 * x y = 1 + 2^-24: z = 1, h = 2^-24, RZ(1 + 2^-23) = 3f800001. s = 1, p = 2^-24: t = 1, e = 2^-24 = h, t + 2 e =
 * 3f800001; s = 1 + 2^-23: t = 3f800002, e = -2^-24: t stays.
 *
 * fp64: the same sum, of exact products. No product and no sum is near its ends.
 *
 * Instructions: 14 for 16 sums in fp32 (4 for the product, 9 for the sum, one for the largest product), 10 for 8 in
 * fp64. */
#ifndef BINADE_SRC_MATMUL_TILE_AWAY_H
#define BINADE_SRC_MATMUL_TILE_AWAY_H

#include "matmul/matmul.h"

/* The least magnitude but zero of n numbers, as bits less one: a zero becomes the largest word. */
static ALWAYS_INLINE __m512i least_of(__m512i least, __m512i bits)
{
    const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(INT32_MAX));
    return _mm512_min_epu32(least, _mm512_sub_epi32(magnitude, _mm512_set1_epi32(1)));
}

static float least_magnitude(const float *x, size_t n)
{
    __m512i least = _mm512_set1_epi32(-1);
    for (size_t i = 0; i < n; i += LANES_32) {
        const __mmask16 there = n - i < LANES_32 ? (__mmask16)((1u << (n - i)) - 1) : (__mmask16)0xffff;
        least = least_of(least, _mm512_maskz_loadu_epi32(there, x + i));
    }
    const uint32_t bits = _mm512_reduce_min_epu32(least) + 1;
    return bits == 0 ? 1 : bndi_float_of_bits(bits); /* 1: nothing but zeros */
}

/* Are all products of the tile zero, or 2^-125 or more? Infinities and NaNs pass. */
static bool products_have_halves(const float *a, const float *b, size_t k)
{
    float least = __builtin_inff();
    for (size_t i = 0; i < ROWS_32; i++) {
        const float some = least_magnitude(a + i * BNDI_PITCH, k);
        least = some < least ? some : least;
    }
    return (double)least * (double)least_magnitude(b, k * COLUMNS) >= 0x1p-125;
}

static ALWAYS_INLINE vector_32 sum_away(vector_32 s, vector_32 p, vector_32 half)
{
    const vector_32 high = _mm512_range_ps(s, p, 0x7);
    const vector_32 low = _mm512_castsi512_ps(
        _mm512_ternarylogic_epi32(_mm512_castps_si512(s), _mm512_castps_si512(p), _mm512_castps_si512(high), 0x96));
    const vector_32 t = high + low, e = low - (t - high);
    const __mmask16 tie = _mm512_cmp_ps_mask(e, power_in_32(t) * half, _CMP_EQ_OQ);
    return _mm512_mask3_fmadd_ps(e, _mm512_set1_ps(2), t, tie);
}

/* False where a product was the largest number, or more: the state is then unchanged. */
static bool away_in_fp32(float *state, const float *a, const float *b, size_t k)
{
    const vector_32 half = all_32(0x1p-24), largest = all_32(0x1.fffffcp127);
    vector_32 s[ROWS_32][VECTORS_32], most = all_32(0);
    take_sums_32(s, state);
    for (size_t at = 0; at < k; at++) {
        vector_32 y[VECTORS_32];
        take_row_32(y, b + at * COLUMNS);
        ALL_ROWS
        for (size_t i = 0; i < ROWS_32; i++) {
            const vector_32 x = all_32((double)a[i * BNDI_PITCH + at]);
            UNROLL
            for (size_t v = 0; v < VECTORS_32; v++) {
                const vector_32 h = power_in_32(product_32(x, y[v])) * half;
                const vector_32 p = fma_by_32(BNDI_ZERO, x, y[v], h);
                most = larger_32(most, p);
                s[i][v] = sum_away(s[i][v], p, half);
            }
        }
    }
    if (beyond_32(most, largest)) {
        return false;
    }
    put_sums_32(state, s);
    return true;
}

/* fp64's sums of exact products: nothing is refused. */
static bool away_fp64(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,
                      const bndi_draws *draws)
{
    const vector_64 half = all_64(0x1p-53);
    double *sums = state;
    vector_64 s[ROWS_64][VECTORS_64];
    (void)sum;
    (void)draws;
    take_sums_64(s, sums);
    for (size_t at = 0; at < k; at++) {
        vector_64 y[VECTORS_64];
        take_row_64(y, b + at * COLUMNS);
        ALL_ROWS
        for (size_t i = 0; i < ROWS_64; i++) {
            const vector_64 x = all_64((double)a[i * BNDI_PITCH + at]);
            UNROLL
            for (size_t v = 0; v < VECTORS_64; v++) {
                const vector_64 p = x * y[v], high = farther_of_64(s[i][v], p), low = other_of_64(s[i][v], p, high);
                const vector_64 t = high + low, e = low - (t - high);
                s[i][v] = moved_where_64(t, e, power_in_64(t) * half);
            }
        }
    }
    put_sums_64(sums, s);
    return true;
}

/* The entry: in fp32 where that is right, else in doubles, which refuse nothing. */
static bool each_away(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,
                      const bndi_draws *draws)
{
    float *sums = state;
    double in_double[ROWS_64 * COLUMNS];
    _Static_assert(ROWS_32 % ROWS_64 == 0, "whole tiles of doubles");
    if (products_have_halves(a, b, k) && away_in_fp32(sums, a, b, k)) {
        return true;
    }
    for (size_t row = 0; row < ROWS_32; row += ROWS_64) {
        for (size_t e = 0; e < (size_t)ROWS_64 * COLUMNS; e++) {
            in_double[e] = (double)sums[row * COLUMNS + e];
        }
        mended_each_zero_adds_64(sum, in_double, a + row * BNDI_PITCH, b, k, draws);
        for (size_t e = 0; e < (size_t)ROWS_64 * COLUMNS; e++) {
            sums[row * COLUMNS + e] = (float)in_double[e];
        }
    }
    return true;
}

#endif
