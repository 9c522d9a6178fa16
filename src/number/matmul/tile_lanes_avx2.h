/* The vectors of a tile, with AVX2: eight lanes in each of 16 registers. CHAIN_ROWS x 2 sums, two vectors of B and one
 * of A use 15 of the 16 registers; the ways that round need some for M and for checks, so they have fewer rows.
 *
 * fma_to_odd is made of doubles, four lanes at a time: the product of two fp32 numbers is exact there, the sum is
 * rounded to odd, and odd again to fp32. For a b + c = 1 * 1 + 2^-30 and 3 - 2^-30:
 *
 *                           1 + 2^-30                 3 - 2^-30
 *   s in double             3ff0000000400000          4007ffffffe00000      both exact
 *   f = (float)s            3f800000                  40400000              nearest: 1 and 3
 *   differs and even?       yes                       yes
 *   outside (|f| > |s|)?    no: step + 1              yes: step - 1
 *   result                  3f800001                  403fffff              odd */
#ifndef BINADE_SRC_MATMUL_TILE_LANES_AVX2_H
#define BINADE_SRC_MATMUL_TILE_LANES_AVX2_H

#include "bulk/inline.h"
#include <immintrin.h>
#include <stdbool.h>

enum { LANES = 8, CHAIN_ROWS = 6, EACH_ROWS = 4, FUSED_ROWS = 4 };
typedef __m256 V;

/* Hooks of the tiles; tile_lanes_portable.h defines each, lane by lane. */
static ALWAYS_INLINE V all(float x)
{
    return _mm256_set1_ps(x);
}

/* Unaligned loads and stores. */
static ALWAYS_INLINE V load(const float *x)
{
    return _mm256_loadu_ps(x);
}

static ALWAYS_INLINE void store(float *x, V v)
{
    _mm256_storeu_ps(x, v);
}

/* Where a b is exact. */
static ALWAYS_INLINE V fma_exactly(V a, V b, V c)
{
    return _mm256_fmadd_ps(a, b, c);
}

static ALWAYS_INLINE V fma_lanes(V a, V b, V c)
{
    return _mm256_fmadd_ps(a, b, c);
}

/* The larger of a, which is positive, and the magnitude of b, with the sign of b; where b is NaN, a. */
static ALWAYS_INLINE V farther(V a, V b)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_max_ps(_mm256_andnot_ps(sign, b), a), _mm256_and_ps(sign, b));
}

static ALWAYS_INLINE V larger_magnitude(V a, V b)
{
    return _mm256_max_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), b), a); /* of a NaN and a number the second one */
}

static ALWAYS_INLINE V signed_as(V x, V y, V sign)
{
    return _mm256_or_ps(x, _mm256_and_ps(y, sign));
}

static ALWAYS_INLINE bool any_above(V a, V b)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0;
}

/* By comparison: both zeros are equal. */
static ALWAYS_INLINE bool any_zero(V a)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_EQ_OQ)) != 0;
}

static ALWAYS_INLINE bool any_nan(V a)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, a, _CMP_UNORD_Q)) != 0;
}

/* By bits. */
static ALWAYS_INLINE bool any_minus_zero(V a)
{
    __m256i same = _mm256_cmpeq_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(INT32_MIN));
    return _mm256_movemask_epi8(same) != 0;
}

static ALWAYS_INLINE V one_nan(V a)
{
    return _mm256_blendv_ps(a, _mm256_set1_ps(__builtin_nanf("")), _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
}

/* Four lanes in double: the error of the sum is a number (Knuth), and where it is not zero an even sum moves to the
 * neighbour on the error's side. */
static ALWAYS_INLINE __m256d sum_to_odd(__m256d p, __m256d c)
{
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256d zero = _mm256_setzero_pd();
    __m256d s = _mm256_add_pd(p, c), back = _mm256_sub_pd(s, p);
    __m256d e = _mm256_add_pd(_mm256_sub_pd(p, _mm256_sub_pd(s, back)), _mm256_sub_pd(c, back));
    __m256i bits = _mm256_castpd_si256(s);
    __m256d change = _mm256_cmp_pd(e, zero, _CMP_NEQ_OQ);              /* false for the NaN of an infinite sum */
    __m256i even = _mm256_sub_epi64(_mm256_and_si256(bits, one), one); /* all bits, or none */
    __m256i apart = _mm256_castpd_si256(_mm256_xor_pd(e, s));
    __m256i step = _mm256_or_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), apart), one); /* -1 or 1 */
    step = _mm256_and_si256(_mm256_and_si256(step, even), _mm256_castpd_si256(change));
    return _mm256_castsi256_pd(_mm256_add_epi64(bits, step));
}

/* Four doubles to fp32, to odd: to nearest first; where that changed the number and the result is even, the neighbour
 * on the other side of s is the odd one. `outside`: the result is farther from zero than s, so the step is towards
 * zero. */
static ALWAYS_INLINE __m128 fp32_to_odd(__m256d s)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    __m128 f = _mm256_cvtpd_ps(s);
    __m256d g = _mm256_cvtps_pd(f);
    __m256d outside = _mm256_cmp_pd(_mm256_andnot_pd(sign, g), _mm256_andnot_pd(sign, s), _CMP_GT_OQ);
    __m256d other = _mm256_cmp_pd(g, s, _CMP_NEQ_OQ);
    const __m256i low = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    __m128i beyond = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(outside), low));
    __m128i inexact = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(other), low));
    const __m128i one = _mm_set1_epi32(1);
    __m128i bits = _mm_castps_si128(f), even = _mm_sub_epi32(_mm_and_si128(bits, one), one);
    __m128i step = _mm_and_si128(_mm_and_si128(_mm_or_si128(beyond, one), even), inexact);
    return _mm_castsi128_ps(_mm_add_epi32(bits, step));
}

/* Four lanes of a b + c. */
static ALWAYS_INLINE __m128 half_to_odd(__m128 a, __m128 b, __m128 c)
{
    __m256d p = _mm256_mul_pd(_mm256_cvtps_pd(a), _mm256_cvtps_pd(b));
    return fp32_to_odd(sum_to_odd(p, _mm256_cvtps_pd(c)));
}

/* Eight lanes. `near` is the rounded result, of which M is made meanwhile. */
static ALWAYS_INLINE V fma_to_odd(V a, V b, V c, V *near)
{
    *near = _mm256_fmadd_ps(a, b, c);
    __m128 low = half_to_odd(_mm256_castps256_ps128(a), _mm256_castps256_ps128(b), _mm256_castps256_ps128(c));
    __m128 high = half_to_odd(_mm256_extractf128_ps(a, 1), _mm256_extractf128_ps(b, 1), _mm256_extractf128_ps(c, 1));
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

#endif
