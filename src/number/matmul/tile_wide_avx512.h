/* The hooks of tile_wide.h and tile_away.h, with AVX-512: an instruction carries its own rounding mode, which is to
 * nearest where none is named. */
#ifndef BINADE_SRC_MATMUL_TILE_WIDE_AVX512_H
#define BINADE_SRC_MATMUL_TILE_WIDE_AVX512_H

#include "matmul/matmul.h"

/* ---- sums in doubles ---- */

/* Two numbers, the one with the larger magnitude first. */
typedef struct ordered_64 {
    vector_64 high, low;
} ordered_64;

static ALWAYS_INLINE ordered_64 ordered_of_64(vector_64 a, vector_64 b)
{
    const vector_64 high = _mm512_range_pd(a, b, 0x7);
    const vector_64 low = _mm512_castsi512_pd(
        _mm512_ternarylogic_epi64(_mm512_castpd_si512(a), _mm512_castpd_si512(b), _mm512_castpd_si512(high), 0x96));
    return (ordered_64){high, low};
}

/* A number in the binade of s + p: that toward zero. */
static ALWAYS_INLINE vector_64 binade_of_sum(bndi_toward to, vector_64 s, vector_64 p, vector_64 t, vector_64 e)
{
    (void)to;
    (void)t;
    (void)e;
    return sum_by_64(BNDI_ZERO, s, p);
}

/* The rest is never negative: nothing need be added to M. */
static ALWAYS_INLINE double middle_of(bndi_toward to)
{
    (void)to;
    return 1;
}

static ALWAYS_INLINE vector_64 with_far_64(vector_64 least, vector_64 x)
{
    return farther_64(least, x);
}

static ALWAYS_INLINE vector_64 sum_toward_zero(vector_64 a, vector_64 b)
{
    return sum_by_64(BNDI_ZERO, a, b);
}

/* rest + e, cut off or to odd. */
static ALWAYS_INLINE vector_64 rest_by(bndi_toward to, vector_64 rest, vector_64 e)
{
    return sum_by_64(to == BNDI_NEAREST ? BNDI_ODD_ONE : to, rest, e);
}

static ALWAYS_INLINE vector_64 multiple_by(bndi_toward to, vector_64 rest, vector_64 m)
{
    vector_64 w = rest + m;
    if (to != BNDI_NEAREST) {
        w = sum_by_64(to, rest, m);
    }
    return w;
}

static ALWAYS_INLINE vector_64 mended_or_64(const constants_64 *is, vector_64 r, vector_64 x)
{
    return mended_64(r, x, is->largest, is->special);
}

/* t; where w is NaN. */
static ALWAYS_INLINE vector_64 unless_nan_64(vector_64 w, vector_64 t)
{
    return _mm512_mask_mov_pd(w, _mm512_cmp_pd_mask(w, w, _CMP_UNORD_Q), t);
}

/* ---- to nearest away ---- */

enum { AWAY_MODE_OF_DOUBLES = BND_ROUND_RNE };
#define LEAST_WITH_HALF 0x1p-125

/* RZ(x y + h); a product of the largest number or more is seen in `most`. */
static ALWAYS_INLINE vector_32 product_away_32(vector_32 x, vector_32 y, vector_32 *most)
{
    const vector_32 h = power_in_32(product_32(x, y)) * all_32(0x1p-24);
    const vector_32 p = fma_by_32(BNDI_ZERO, x, y, h);
    *most = larger_32(*most, p);
    return p;
}

static ALWAYS_INLINE bool are_products_seen(vector_32 most)
{
    return beyond_32(most, all_32(0x1.fffffcp127));
}

static ALWAYS_INLINE vector_32 sum_away_32(vector_32 s, vector_32 p)
{
    const vector_32 high = _mm512_range_ps(s, p, 0x7);
    const vector_32 low = _mm512_castsi512_ps(
        _mm512_ternarylogic_epi32(_mm512_castps_si512(s), _mm512_castps_si512(p), _mm512_castps_si512(high), 0x96));
    const vector_32 t = high + low, e = low - (t - high);
    const __mmask16 tie = _mm512_cmp_ps_mask(e, power_in_32(t) * all_32(0x1p-24), _CMP_EQ_OQ);
    return _mm512_mask3_fmadd_ps(e, _mm512_set1_ps(2), t, tie);
}

static ALWAYS_INLINE vector_64 sum_away_64(vector_64 s, vector_64 p)
{
    const ordered_64 by = ordered_of_64(s, p);
    const vector_64 t = by.high + by.low, e = by.low - (t - by.high);
    const __mmask8 tie = _mm512_cmp_pd_mask(e, power_in_64(t) * all_64(0x1p-53), _CMP_EQ_OQ);
    return _mm512_mask3_fmadd_pd(e, _mm512_set1_pd(2), t, tie);
}

#endif
