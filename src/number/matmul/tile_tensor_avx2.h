/* The hooks of tile_tensor_words.h, with AVX2, beside those of tile_aligned_avx2.h. fields_of gives the exponents'
 * fields of numbers, at least `least`, and NOTHING for zero: with least 121, e4m3's,
 *
 *   x          1     2^-6   2^-9   0
 *   fields     127   121    121    NOTHING
 *
 * sum_of_words adds in double, which holds the sum, and cuts it off by a mask, so that fp32 holds it. */
#ifndef BINADE_SRC_MATMUL_TILE_TENSOR_AVX2_H
#define BINADE_SRC_MATMUL_TILE_TENSOR_AVX2_H

#include "matmul/tile_aligned_avx2.h"

static ALWAYS_INLINE words all_words(int32_t x)
{
    return _mm256_set1_epi32(x);
}

static ALWAYS_INLINE words larger_signed(words a, words b)
{
    return _mm256_max_epi32(a, b);
}

static ALWAYS_INLINE words smaller_word(words a, words b)
{
    return _mm256_min_epu32(a, b);
}

static ALWAYS_INLINE words less_words(words a, words b)
{
    return _mm256_sub_epi32(a, b);
}

static ALWAYS_INLINE words fields_of(V x, words least)
{
    const words magnitude = magnitude_of(x);
    const words field = _mm256_max_epi32(_mm256_srli_epi32(magnitude, 23), least);
    return _mm256_blendv_epi8(field, all_words(NOTHING), _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256()));
}

static ALWAYS_INLINE V with_field(words field)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(field, 23));
}

static ALWAYS_INLINE words either(words a, V b)
{
    return _mm256_or_si256(a, _mm256_castps_si256(b));
}

static ALWAYS_INLINE void store_words(int32_t *to, words x)
{
    _mm256_storeu_si256((__m256i *)(void *)to, x);
}

static ALWAYS_INLINE words toward_zero(V x)
{
    return _mm256_cvttps_epi32(x);
}

static ALWAYS_INLINE bool any_word_above(words a, words b)
{
    const words most = _mm256_max_epu32(a, b); /* b where a is not above */
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(most, b)) != -1;
}

static ALWAYS_INLINE V as_numbers(words x, words keep)
{
    return _mm256_castsi256_ps(_mm256_and_si256(_mm256_castps_si256(_mm256_cvtepi32_ps(x)), keep));
}

static ALWAYS_INLINE __m128 half_of_sum(__m128i a, __m128i b, int64_t keep)
{
    const __m256d sum = _mm256_add_pd(_mm256_cvtepi32_pd(a), _mm256_cvtepi32_pd(b));
    return _mm256_cvtpd_ps(_mm256_castsi256_pd(_mm256_and_si256(_mm256_castpd_si256(sum), _mm256_set1_epi64x(keep))));
}

static ALWAYS_INLINE V sum_of_words(words a, words b, int64_t keep)
{
    const __m128 low = half_of_sum(_mm256_castsi256_si128(a), _mm256_castsi256_si128(b), keep);
    const __m128 high = half_of_sum(_mm256_extracti128_si256(a, 1), _mm256_extracti128_si256(b, 1), keep);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

#endif
