/* The hooks of tile_aligned_words.h, with AVX-512: an instruction scales by any power of two, and to an infinity where
 * it must. */
#ifndef BINADE_SRC_MATMUL_TILE_ALIGNED_AVX512_H
#define BINADE_SRC_MATMUL_TILE_ALIGNED_AVX512_H

#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

enum { HAS_SMALL = 0 }; /* no term is too small */
typedef __m512i words;
typedef __m512 aligned_scale; /* an exponent */

/* `last`: bits - 1, as a number. */
typedef struct aligned_constants {
    words keep;
    V last;
} aligned_constants;

typedef struct aligned_seen {
    words most;
} aligned_seen;

static ALWAYS_INLINE aligned_constants aligned_constants_of(int32_t bits)
{
    return (aligned_constants){.keep = _mm512_set1_epi32(-(1 << (24 - bits))), .last = all((float)(bits - 1))};
}

static ALWAYS_INLINE words magnitude_of(V x)
{
    return _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(INT32_MAX));
}

static ALWAYS_INLINE words larger_word(words a, words b)
{
    return _mm512_max_epu32(a, b);
}

static ALWAYS_INLINE words plus_words(words a, words b)
{
    return _mm512_add_epi32(a, b);
}

static ALWAYS_INLINE V product_toward_zero(V a, V b)
{
    return _mm512_mul_round_ps(a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

static ALWAYS_INLINE aligned_seen nothing_seen(void)
{
    return (aligned_seen){_mm512_setzero_si512()};
}

static ALWAYS_INLINE void see(aligned_seen *seen, words most)
{
    seen->most = _mm512_max_epu32(seen->most, most);
}

/* Is everything below 2^127? */
static ALWAYS_INLINE bool are_fine(bool small, const aligned_seen *seen, const aligned_constants *is)
{
    (void)small;
    (void)is;
    return _mm512_cmpge_epu32_mask(seen->most, _mm512_set1_epi32(0x7f000000)) == 0;
}

/* From a group's largest magnitude, taken as 2^-126 where it is less. */
static ALWAYS_INLINE aligned_scale scale_of(bool small, const aligned_constants *is, words most)
{
    const words normal = _mm512_set1_epi32(0x00800000);
    (void)small;
    return _mm512_sub_ps(is->last, _mm512_getexp_ps(_mm512_castsi512_ps(_mm512_max_epu32(most, normal))));
}

static ALWAYS_INLINE words whole(bool small, V x, aligned_scale scale)
{
    (void)small;
    return _mm512_cvttps_epi32(_mm512_scalef_ps(x, scale));
}

static ALWAYS_INLINE V cut_off(bool small, const aligned_constants *is, words total, aligned_scale scale)
{
    const V sum = _mm512_cvt_roundepi32_ps(total, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const V kept = _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(sum), is->keep));
    (void)small;
    return _mm512_scalef_ps(kept, _mm512_sub_ps(_mm512_setzero_ps(), scale));
}

#endif
