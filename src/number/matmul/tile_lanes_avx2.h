/* The vectors of a tile, with AVX2: eight lanes in each of 16 registers. CHAIN_ROWS x 2 sums, two vectors of B and one
 * of A use 15 of the 16 registers; the ways that round need some for M and for checks, so they have fewer rows. Sums
 * with one rounding per step, which other back ends make of a b + c to odd, are those of tile_kept_template.h here.
 *
 * There is no instruction for the larger magnitude. M for sums of bf16 (tile_rounded_template.h), a = 2^-117, b = -3:
 *
 *   b without its sign        3
 *   max with a                3
 *   | sign of b               -3        one `and` for each of the two, max, `or`: four instructions
 */
#ifndef BINADE_SRC_MATMUL_TILE_LANES_AVX2_H
#define BINADE_SRC_MATMUL_TILE_LANES_AVX2_H

#include "bulk/inline.h"
#include <immintrin.h>
#include <stdbool.h>

enum { LANES = 8, CHAIN_ROWS = 6, CHAIN_STEPS = 4, EACH_ROWS = 4 };
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

/* The larger of a, which is positive, and the magnitude of b; where that is NaN, a. */
static ALWAYS_INLINE V larger_magnitude(V a, V b)
{
    return _mm256_max_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), b), a); /* of a NaN and a number the second one */
}

/* Comparisons make ones or zeros of each lane, of which one bit is looked at. */
static ALWAYS_INLINE bool any_above(V a, V b)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0;
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

/* NaNs become the canonical one, on every back end the same. */
static ALWAYS_INLINE V one_nan(V a)
{
    return _mm256_blendv_ps(a, _mm256_set1_ps(__builtin_nanf("")), _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
}

#endif
