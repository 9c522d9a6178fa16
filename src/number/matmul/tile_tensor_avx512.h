/* The hooks of tile_tensor_words.h, with AVX-512, beside those of tile_aligned_avx512.h. fields_of gives the exponents'
 * fields of numbers, at least `least`, and NOTHING for zero: with least 121, e4m3's,
 *
 *   x          1     2^-6   2^-9   0
 *   fields     127   121    121    NOTHING
 *
 * sum_of_words adds in double, which holds the sum, and cuts it off by a mask, so that fp32 holds it. */
#ifndef BINADE_SRC_MATMUL_TILE_TENSOR_AVX512_H
#define BINADE_SRC_MATMUL_TILE_TENSOR_AVX512_H

#include "matmul/tile_aligned_avx512.h"

static ALWAYS_INLINE words all_words(int32_t x)
{
    return _mm512_set1_epi32(x);
}

static ALWAYS_INLINE words larger_signed(words a, words b)
{
    return _mm512_max_epi32(a, b);
}

static ALWAYS_INLINE words smaller_word(words a, words b)
{
    return _mm512_min_epu32(a, b);
}

static ALWAYS_INLINE words less_words(words a, words b)
{
    return _mm512_sub_epi32(a, b);
}

/* The exponents' fields, at least `least`; NOTHING for zero. */
static ALWAYS_INLINE words fields_of(V x, words least)
{
    const words magnitude = magnitude_of(x);
    const words field = _mm512_max_epi32(_mm512_srli_epi32(magnitude, 23), least);
    return _mm512_mask_mov_epi32(field, _mm512_testn_epi32_mask(magnitude, magnitude), all_words(NOTHING));
}

static ALWAYS_INLINE V with_field(words field)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(field, 23));
}

static ALWAYS_INLINE words either(words a, V b)
{
    return _mm512_or_si512(a, _mm512_castps_si512(b));
}

static ALWAYS_INLINE void store_words(int32_t *to, words x)
{
    _mm512_storeu_si512(to, x);
}

static ALWAYS_INLINE words toward_zero(V x)
{
    return _mm512_cvttps_epi32(x);
}

static ALWAYS_INLINE bool any_word_above(words a, words b)
{
    return _mm512_cmpgt_epu32_mask(a, b) != 0;
}

static ALWAYS_INLINE V as_numbers(words x, words keep)
{
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(_mm512_cvtepi32_ps(x)), keep));
}

static ALWAYS_INLINE __m256 half_of_sum(__m256i a, __m256i b, int64_t keep)
{
    const __m512d sum = _mm512_add_pd(_mm512_cvtepi32_pd(a), _mm512_cvtepi32_pd(b));
    return _mm512_cvtpd_ps(_mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(sum), _mm512_set1_epi64(keep))));
}

/* a + b in double, cut off, which fp32 holds then. */
static ALWAYS_INLINE V sum_of_words(words a, words b, int64_t keep)
{
    const __m256 low = half_of_sum(_mm512_castsi512_si256(a), _mm512_castsi512_si256(b), keep);
    const __m256 high = half_of_sum(_mm512_extracti64x4_epi64(a, 1), _mm512_extracti64x4_epi64(b, 1), keep);
    return _mm512_castpd_ps(
        _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}

#endif
