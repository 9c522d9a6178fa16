/* The vectors of a tile, with AVX-512: sixteen lanes in each of 32 registers; 14 rows of chains use 28 for sums. An
 * instruction can carry its own rounding mode, so an fma to odd is two of them: down and up, and of the two the odd
 * one.
 *
 *   a b + c           down        up          odd?                  result
 *   1 + 2^-30         3f800000    3f800001    down is even: up      3f800001
 *   3 - 2^-30         403fffff    40400000    down is odd           403fffff
 *   1 + 1             40000000    40000000    the same              40000000 */
#ifndef BINADE_SRC_MATMUL_TILE_LANES_AVX512_H
#define BINADE_SRC_MATMUL_TILE_LANES_AVX512_H

#include "bulk/inline.h"
#include <immintrin.h>
#include <stdbool.h>

enum { LANES = 16, CHAIN_ROWS = 14, CHAIN_STEPS = 4, EACH_ROWS = 8, FUSED_ROWS = 8 };
typedef __m512 V;

/* Hooks of the tiles; tile_lanes_portable.h defines each, lane by lane. */
static ALWAYS_INLINE V all(float x)
{
    return _mm512_set1_ps(x);
}

/* Unaligned loads and stores. */
static ALWAYS_INLINE V load(const float *x)
{
    return _mm512_loadu_ps(x);
}

static ALWAYS_INLINE void store(float *x, V v)
{
    _mm512_storeu_ps(x, v);
}

/* Where a b is exact. */
static ALWAYS_INLINE V fma_exactly(V a, V b, V c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static ALWAYS_INLINE V fma_lanes(V a, V b, V c)
{
    return _mm512_fmadd_ps(a, b, c);
}

/* range_ps with 7: the larger magnitude (bits 1:0 = 3), with the sign of the second source or as it is. */
static ALWAYS_INLINE V farther(V a, V b)
{
    return _mm512_range_ps(a, b, 0x7);
}

/* The larger of a, which is positive, and the magnitude of b; where that is NaN, a. */
static ALWAYS_INLINE V larger_magnitude(V a, V b)
{
    return _mm512_range_ps(a, b, 0xb);
}

/* f8 is x | (y & sign). */
static ALWAYS_INLINE V signed_as(V x, V y, V sign)
{
    const __m512i r = _mm512_ternarylogic_epi32(_mm512_castps_si512(x), _mm512_castps_si512(y),
                                                _mm512_castps_si512(sign), 0xf8); /* x | (y & sign) */
    return _mm512_castsi512_ps(r);
}

/* Comparisons make masks of a bit per lane. */
static ALWAYS_INLINE bool any_above(V a, V b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0;
}

static ALWAYS_INLINE bool any_zero(V a)
{
    return _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_EQ_OQ) != 0;
}

static ALWAYS_INLINE bool any_nan(V a)
{
    return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q) != 0;
}

static ALWAYS_INLINE bool any_minus_zero(V a)
{
    return _mm512_cmpeq_epi32_mask(_mm512_castps_si512(a), _mm512_set1_epi32(INT32_MIN)) != 0;
}

/* NaNs become the canonical one, on every back end the same. */
static ALWAYS_INLINE V one_nan(V a)
{
    return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), _mm512_set1_ps(__builtin_nanf("")));
}

/* Rounded down and rounded up, and of these the odd one: where nothing is rounded they are the same. `near` is one of
 * them, too, and is there earlier. */
static ALWAYS_INLINE V fma_to_odd(V a, V b, V c, V *near)
{
    V down = _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    V up = _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    *near = down;
    __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(up, odd, down);
}

#endif
