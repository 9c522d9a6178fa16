/* Tiles of aligned groups in fp32 and integers, with AVX-512: sixteen lanes instead of eight doubles, and each product
 * is made once. A part of tile_kernels.c; tile_aligned_template.h has the rule and does the tiles that are refused
 * here.
 *
 *   - A product is rounded toward zero to fp32. That keeps its exponent, and cuts off nothing that the group keeps: the
 *     unit of a group is at least the last place of each of its products, since it has at most 24 bits, and at least
 *     2^(-126 - 23), fp32's least number. Cutting off twice is cutting off once.
 *   - Scaled by a power of two, so that the unit is 1, and converted to an integer toward zero, a term has less than
 *     2^24 units; 65 of them fit 32 bits. What underflows in the scaling is less than a unit, and becomes 0.
 *   - The sum as fp32, toward zero, less its bits after the first `bits`; scaled back it is a number of fp32, or from
 *     2^128 on infinite.
 *
 * Terms of 2^127 and more are not done here, nor are infinities and NaNs: as integers their magnitudes are the largest.
 *
 * Instructions per product of 16 lanes: multiply, and, maximum, store; scale, convert, add. That is 7, where doubles
 * took 13 for 8 lanes. */
#ifndef BINADE_SRC_MATMUL_TILE_ALIGNED_AVX512_H
#define BINADE_SRC_MATMUL_TILE_ALIGNED_AVX512_H

#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

/* Sums of a row, the largest magnitude of all terms so far (as bits), and constants. */
typedef struct aligned_row {
    __m512 s[2];
    __m512i most, keep;
    __m512 last; /* `bits` - 1 */
} aligned_row;

static ALWAYS_INLINE __m512i magnitude_of(V x)
{
    return _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(INT32_MAX));
}

/* A group of n products: 32 columns of one row. */
static ALWAYS_INLINE void aligned_group(aligned_row *w, const float *a, const float *b, size_t n)
{
    const __m512i normal = _mm512_set1_epi32(0x00800000); /* 2^-126 */
    __m512 p[BND_GROUP_MAX][2];
    __m512i most[2], total[2];
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        most[v] = _mm512_max_epu32(magnitude_of(w->s[v]), normal);
    }
    for (size_t at = 0; at < n; at++) {
        UNROLL
        for (size_t v = 0; v < 2; v++) {
            const V y = load(b + at * COLUMNS + v * LANES);
            p[at][v] = _mm512_mul_round_ps(all(a[at]), y, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
            most[v] = _mm512_max_epu32(most[v], magnitude_of(p[at][v]));
        }
    }
    __m512 shift[2];
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        shift[v] = _mm512_sub_ps(w->last, _mm512_getexp_ps(_mm512_castsi512_ps(most[v])));
        w->most = _mm512_max_epu32(w->most, most[v]);
        total[v] = _mm512_cvttps_epi32(_mm512_scalef_ps(w->s[v], shift[v]));
    }
    for (size_t at = 0; at < n; at++) {
        UNROLL
        for (size_t v = 0; v < 2; v++) {
            total[v] = _mm512_add_epi32(total[v], _mm512_cvttps_epi32(_mm512_scalef_ps(p[at][v], shift[v])));
        }
    }
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        __m512 sum = _mm512_cvt_roundepi32_ps(total[v], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
        sum = _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(sum), w->keep));
        w->s[v] = _mm512_scalef_ps(sum, _mm512_sub_ps(_mm512_setzero_ps(), shift[v]));
    }
}

/* False where a term is too large; C is then unchanged. */
static bool aligned_in_integers(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    const size_t group = (size_t)sum->group;
    aligned_row w = {.most = _mm512_setzero_si512(),
                     .keep = _mm512_set1_epi32(-(1 << (24 - sum->bits))),
                     .last = all((float)(sum->bits - 1))};
    V sums[ALIGNED_ROWS][2];
    for (size_t i = 0; i < ALIGNED_ROWS; i++) {
        w.s[0] = load(c + i * pitch);
        w.s[1] = load(c + i * pitch + LANES);
        w.most = _mm512_max_epu32(w.most, magnitude_of(w.s[0]));
        w.most = _mm512_max_epu32(w.most, magnitude_of(w.s[1]));
        for (size_t at = 0; at < k; at += group) {
            aligned_group(&w, a + i * BNDI_PITCH + at, b + at * COLUMNS, k - at < group ? k - at : group);
        }
        sums[i][0] = w.s[0];
        sums[i][1] = w.s[1];
    }
    if (_mm512_cmpge_epu32_mask(w.most, _mm512_set1_epi32(0x7f000000)) != 0) {
        return false;
    }
    for (size_t i = 0; i < ALIGNED_ROWS; i++) {
        store(c + i * pitch, sums[i][0]);
        store(c + i * pitch + LANES, sums[i][1]);
    }
    return true;
}

#endif
