/* The hooks of tile_aligned_words.h, with AVX2. The tile runs in the processor's mode toward zero (`mode` of its way).
 *
 * Scaling is a multiplication by a power of two, which must be a number of fp32, and so must its inverse: from 2^-126
 * to 2^126. The largest term of a group must be 2^(bits - 127) or more, or zero. Where it is not, the tile is done
 * again, `small`: by two powers, which are enough for 2^-126, below which nothing is aligned. A sum of 65 terms below
 * 2^121 is below 2^128, so that scaling it back never overflows.
 *
 * Bits 24, the largest term 2^-100: the unit is 2^-123, the scale 2^123. The largest 2^-110: 2^133, as 2^126 and
 * 2^7. */
#ifndef BINADE_SRC_MATMUL_TILE_ALIGNED_AVX2_H
#define BINADE_SRC_MATMUL_TILE_ALIGNED_AVX2_H

#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

enum { HAS_SMALL = 1 };
typedef __m256i words;

/* The powers of two, and their inverses. */
typedef struct aligned_scale {
    V by[2], back[2];
} aligned_scale;

/* Exponent fields, where they are in a number: of the least term that one power is enough for, and what gives a power
 * (of `first` - 23 fields) less a term's field. */
typedef struct aligned_constants {
    words keep, least, first;
} aligned_constants;

typedef struct aligned_seen {
    words most, least; /* less one: a zero is the largest word */
} aligned_seen;

static ALWAYS_INLINE words field_of(int32_t exponent)
{
    return _mm256_set1_epi32((int)((uint32_t)exponent << 23));
}

static ALWAYS_INLINE aligned_constants aligned_constants_of(int32_t bits)
{
    return (aligned_constants){
        .keep = _mm256_set1_epi32(-(1 << (24 - bits))), .least = field_of(bits), .first = field_of(bits + 253)};
}

static ALWAYS_INLINE words magnitude_of(V x)
{
    return _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(INT32_MAX));
}

static ALWAYS_INLINE words larger_word(words a, words b)
{
    return _mm256_max_epu32(a, b);
}

static ALWAYS_INLINE words plus_words(words a, words b)
{
    return _mm256_add_epi32(a, b);
}

/* In the tile's mode. */
static ALWAYS_INLINE V product_toward_zero(V a, V b)
{
    return _mm256_mul_ps(a, b);
}

static ALWAYS_INLINE aligned_seen nothing_seen(void)
{
    return (aligned_seen){_mm256_setzero_si256(), _mm256_set1_epi32(-1)};
}

static ALWAYS_INLINE void see(aligned_seen *seen, words most)
{
    seen->most = _mm256_max_epu32(seen->most, most);
    seen->least = _mm256_min_epu32(seen->least, _mm256_sub_epi32(most, _mm256_set1_epi32(1)));
}

/* Is everything below 2^121, and no group too small? As unsigned words, a <= b where the larger one is b. */
static ALWAYS_INLINE bool are_fine(bool small, const aligned_seen *seen, const aligned_constants *is)
{
    const words largest = _mm256_set1_epi32(0x7bffffff), least = _mm256_sub_epi32(is->least, _mm256_set1_epi32(1));
    const words below = _mm256_cmpeq_epi32(_mm256_max_epu32(seen->most, largest), largest);
    const words above = _mm256_cmpeq_epi32(_mm256_min_epu32(seen->least, least), least);
    return _mm256_movemask_epi8(small ? below : _mm256_and_si256(below, above)) == -1;
}

/* From a group's largest magnitude, taken as the least one where it is less. */
static ALWAYS_INLINE aligned_scale scale_of(bool small, const aligned_constants *is, words most)
{
    const words field = _mm256_and_si256(_mm256_max_epu32(most, small ? field_of(1) : is->least), field_of(0xff));
    const words power = _mm256_sub_epi32(is->first, field);
    const words one = small ? _mm256_min_epu32(power, field_of(253)) : power;
    const words two = _mm256_add_epi32(_mm256_sub_epi32(power, one), field_of(127));
    return (aligned_scale){.by = {_mm256_castsi256_ps(one), _mm256_castsi256_ps(two)},
                           .back = {_mm256_castsi256_ps(_mm256_sub_epi32(field_of(254), one)),
                                    _mm256_castsi256_ps(_mm256_sub_epi32(field_of(254), two))}};
}

static ALWAYS_INLINE words whole(bool small, V x, aligned_scale scale)
{
    V y = x * scale.by[0];
    if (small) {
        y = y * scale.by[1];
    }
    return _mm256_cvttps_epi32(y);
}

static ALWAYS_INLINE V cut_off(bool small, const aligned_constants *is, words total, aligned_scale scale)
{
    const words sum = _mm256_castps_si256(_mm256_cvtepi32_ps(total));
    V kept = _mm256_castsi256_ps(_mm256_and_si256(sum, is->keep)) * scale.back[0];
    if (small) {
        kept = kept * scale.back[1];
    }
    return kept;
}

#endif
