/* The hooks of tile_wide.h and tile_away.h, with AVX2: the tile runs in one mode of the processor, toward zero for
 * modes that cut off, else to nearest. Wherever a hook does not depend on `to`, it is right in both. */
#ifndef BINADE_SRC_MATMUL_TILE_WIDE_AVX2_H
#define BINADE_SRC_MATMUL_TILE_WIDE_AVX2_H

#include "matmul/matmul.h"

/* ---- sums in doubles ---- */

/* Two numbers, the one with the larger magnitude first. */
typedef struct ordered_64 {
    vector_64 high, low;
} ordered_64;

static ALWAYS_INLINE ordered_64 ordered_of_64(vector_64 a, vector_64 b)
{
    const vector_64 sign = _mm256_set1_pd(-0.0);
    const vector_64 other = _mm256_cmp_pd(_mm256_andnot_pd(sign, b), _mm256_andnot_pd(sign, a), _CMP_GT_OQ);
    return (ordered_64){_mm256_blendv_pd(a, b, other), _mm256_blendv_pd(b, a, other)};
}

/* Sign and exponent: a power of two, or a zero. */
static ALWAYS_INLINE vector_64 power_in_64(vector_64 x)
{
    return of_words_64(_mm256_and_si256(words_of_64(x), _mm256_set1_epi64x((long long)(UINT64_C(0xfff) << 52))));
}

static ALWAYS_INLINE vector_32 power_in_32(vector_32 x)
{
    return of_words_32(_mm256_and_si256(words_of_32(x), _mm256_set1_epi32((int)0xff800000)));
}

/* The word of t, less one where e has the other sign: what RN(t + e) = t is toward zero. All ones are -1 in such lanes.
 * A zero has no sign here: no word is taken from a zero. */
static ALWAYS_INLINE words_64 cut_word(vector_64 t, vector_64 e)
{
    const vector_64 along = _mm256_xor_pd(e, _mm256_and_pd(t, _mm256_set1_pd(-0.0)));
    const vector_64 back = _mm256_cmp_pd(along, _mm256_setzero_pd(), _CMP_LT_OQ);
    return _mm256_add_epi64(words_of_64(t), words_of_64(back));
}

/* A number in the binade of s + p = t + e. */
static ALWAYS_INLINE vector_64 binade_of_sum(bndi_toward to, vector_64 s, vector_64 p, vector_64 t, vector_64 e)
{
    (void)s;
    (void)p;
    return to == BNDI_NEAREST ? of_words_64(cut_word(t, e)) : t;
}

/* To nearest, the rest can be negative. */
static ALWAYS_INLINE double middle_of(bndi_toward to)
{
    return to == BNDI_NEAREST ? 1.5 : 1;
}

/* The larger magnitude, with the sign of x; `least` is positive. */
static ALWAYS_INLINE vector_64 with_far_64(vector_64 least, vector_64 x)
{
    const vector_64 sign = _mm256_set1_pd(-0.0);
    return _mm256_or_pd(_mm256_max_pd(_mm256_andnot_pd(sign, x), least), _mm256_and_pd(sign, x));
}

/* Toward zero in a tile that cuts off; else to either of the numbers around. */
static ALWAYS_INLINE vector_64 sum_toward_zero(vector_64 a, vector_64 b)
{
    return a + b;
}

/* rest + e, cut off; or to odd: h = RN(rest + e) and its error, exact since e is less than the last place of rest, or
 * rest is zero. Where there is an error, the last bit of h toward zero becomes 1. */
static ALWAYS_INLINE vector_64 rest_by(bndi_toward to, vector_64 rest, vector_64 e)
{
    const vector_64 h = rest + e;
    if (to != BNDI_NEAREST) {
        return h;
    }
    const vector_64 error = e - (h - rest);
    const vector_64 exact = _mm256_cmp_pd(error, _mm256_setzero_pd(), _CMP_EQ_OQ);
    return of_words_64(_mm256_or_si256(cut_word(h, error), _mm256_andnot_si256(words_of_64(exact), all_words_64(1))));
}

/* To odd: M, and its neighbour if there is a rest, which is less than two places. */
static ALWAYS_INLINE vector_64 multiple_by(bndi_toward to, vector_64 rest, vector_64 m)
{
    if (to != BNDI_ODD_ONE) {
        return rest + m;
    }
    const vector_64 some = _mm256_cmp_pd(rest, _mm256_setzero_pd(), _CMP_NEQ_UQ);
    return of_words_64(_mm256_sub_epi64(words_of_64(m), words_of_64(some)));
}

static ALWAYS_INLINE vector_64 mended_or_64(const constants_64 *is, vector_64 r, vector_64 x)
{
    const vector_64 where = not_within_64(r, is->largest);
    return any_64(where) ? mended_64(is, r, where, x) : r;
}

/* t; where w is NaN. */
static ALWAYS_INLINE vector_64 unless_nan_64(vector_64 w, vector_64 t)
{
    return by_sign_64(are_nan_64(w), t, w);
}

/* ---- to nearest away, in the mode to nearest ---- */

enum { AWAY_MODE_OF_DOUBLES = BND_ROUND_RTZ };
#define LEAST_WITH_HALF 0x1p-101 /* errors of products are numbers */

/* t, or where -e is half the distance at t with t's sign, the next number; `less` is -e. t - 2 (-0) would be +0 for t =
 * -0: t - 2 (+0) is not, so e is taken away. */
static ALWAYS_INLINE vector_32 moved_32(vector_32 t, vector_32 less)
{
    const vector_32 tie = _mm256_cmp_ps(less, power_in_32(t) * _mm256_set1_ps(-0x1p-24f), _CMP_EQ_OQ);
    return _mm256_fnmadd_ps(_mm256_and_ps(less, tie), _mm256_set1_ps(2), t);
}

/* RN(x y) and its error. An infinite product has none, and stays. */
static ALWAYS_INLINE vector_32 product_away_32(vector_32 x, vector_32 y, vector_32 *most)
{
    const vector_32 p = x * y;
    (void)most;
    return moved_32(p, _mm256_fnmadd_ps(x, y, p));
}

static ALWAYS_INLINE bool are_products_seen(vector_32 most)
{
    (void)most;
    return false;
}

static ALWAYS_INLINE vector_32 sum_away_32(vector_32 s, vector_32 p)
{
    const vector_32 sign = _mm256_set1_ps(-0.0f);
    const vector_32 other = _mm256_cmp_ps(_mm256_andnot_ps(sign, p), _mm256_andnot_ps(sign, s), _CMP_GT_OQ);
    const vector_32 high = _mm256_blendv_ps(s, p, other), low = _mm256_blendv_ps(p, s, other), t = high + low;
    return moved_32(t, (t - high) - low);
}

static ALWAYS_INLINE vector_64 sum_away_64(vector_64 s, vector_64 p)
{
    const ordered_64 by = ordered_of_64(s, p);
    const vector_64 t = by.high + by.low, less = (t - by.high) - by.low;
    const vector_64 tie = _mm256_cmp_pd(less, power_in_64(t) * _mm256_set1_pd(-0x1p-53), _CMP_EQ_OQ);
    return _mm256_fnmadd_pd(_mm256_and_pd(less, tie), _mm256_set1_pd(2), t);
}

#endif
