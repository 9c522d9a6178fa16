/* The hooks of tile_kept_template.h, with AVX2: eight lanes of fp32 (_32) and four of fp64 (_64). Instructions round as
 * the processor's mode says, which by_sums.c sets for each call of a tile: a tile has one mode from its first operation
 * to its last.
 *
 *   tiles                               mode            kept_tiles.mode
 *   toward zero, up, down               their own
 *   to odd, and to nearest of formats   down            both directions: down, and up as below
 *   fp64's own sums to nearest          to nearest      native
 *
 * Up in the mode down: - RD(-x) = RU(x), and -(a b) - c is one instruction, so that both directions cost two. A
 * difference of equal numbers is -0 in the mode down. Compilers take the mode to be nearest, where -(-a b - c) is a b +
 * c: what has been negated passes `opaque`, which is no instruction, and which they cannot look through. */
#ifndef BINADE_SRC_MATMUL_TILE_KEPT_AVX2_H
#define BINADE_SRC_MATMUL_TILE_KEPT_AVX2_H

#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

enum { ROWS_32 = 4, VECTORS_32 = 2, LANES_32 = 8, ROWS_64 = 4, VECTORS_64 = 2, LANES_64 = 4 };
enum { NATIVE_ROWS_32 = 6, NATIVE_ROWS_64 = 6, CONVERTS_32 = 0, CONVERTS_64 = 1 };
typedef __m256 vector_32;
typedef __m256d vector_64;
typedef __m256i words_32;
typedef __m256i words_64;

/* Between numbers and words: no instructions. */
static ALWAYS_INLINE words_32 words_of_32(vector_32 x)
{
    return _mm256_castps_si256(x);
}

static ALWAYS_INLINE words_64 words_of_64(vector_64 x)
{
    return _mm256_castpd_si256(x);
}

static ALWAYS_INLINE vector_32 of_words_32(words_32 x)
{
    return _mm256_castsi256_ps(x);
}

static ALWAYS_INLINE vector_64 of_words_64(words_64 x)
{
    return _mm256_castsi256_pd(x);
}

static ALWAYS_INLINE vector_32 opaque_32(vector_32 x)
{
    __asm__("" : "+x"(x));
    return x;
}

static ALWAYS_INLINE vector_64 opaque_64(vector_64 x)
{
    __asm__("" : "+x"(x));
    return x;
}

static ALWAYS_INLINE vector_32 minus_32(vector_32 x)
{
    return opaque_32(_mm256_xor_ps(opaque_32(x), _mm256_set1_ps(-0.0f)));
}

static ALWAYS_INLINE vector_64 minus_64(vector_64 x)
{
    return opaque_64(_mm256_xor_pd(opaque_64(x), _mm256_set1_pd(-0.0)));
}

/* -(a b) - c. */
static ALWAYS_INLINE vector_32 minus_fma_32(vector_32 a, vector_32 b, vector_32 c)
{
    return opaque_32(_mm256_fnmsub_ps(a, b, c));
}

static ALWAYS_INLINE vector_64 minus_fma_64(vector_64 a, vector_64 b, vector_64 c)
{
    return opaque_64(_mm256_fnmsub_pd(a, b, c));
}

static ALWAYS_INLINE vector_32 fma_32(vector_32 a, vector_32 b, vector_32 c)
{
    return _mm256_fmadd_ps(a, b, c);
}

static ALWAYS_INLINE vector_64 fma_64(vector_64 a, vector_64 b, vector_64 c)
{
    return _mm256_fmadd_pd(a, b, c);
}

/* a; b where the last bit of a is 1. The blend looks at the first bit of each lane. */
static ALWAYS_INLINE vector_32 unless_odd_32(vector_32 a, vector_32 b)
{
    return _mm256_blendv_ps(a, b, of_words_32(_mm256_slli_epi32(words_of_32(a), 31)));
}

static ALWAYS_INLINE vector_64 unless_odd_64(vector_64 a, vector_64 b)
{
    return _mm256_blendv_pd(a, b, of_words_64(_mm256_slli_epi64(words_of_64(a), 63)));
}

/* The odd one of two neighbours; where nothing was rounded they are the same, or zeros: +0 then. */
static ALWAYS_INLINE vector_32 odd_of_32(vector_32 down, vector_32 up)
{
    return _mm256_blendv_ps(up, down, of_words_32(_mm256_slli_epi32(words_of_32(down), 31)));
}

static ALWAYS_INLINE vector_64 odd_of_64(vector_64 down, vector_64 up)
{
    return _mm256_blendv_pd(up, down, of_words_64(_mm256_slli_epi64(words_of_64(down), 63)));
}

/* a where x is negative, else b. */
static ALWAYS_INLINE vector_32 by_sign_32(vector_32 x, vector_32 a, vector_32 b)
{
    return _mm256_blendv_ps(b, a, x);
}

static ALWAYS_INLINE vector_64 by_sign_64(vector_64 x, vector_64 a, vector_64 b)
{
    return _mm256_blendv_pd(b, a, x);
}

/* a b + c, a b, a + b of fp32's and fp64's own sums: in the tile's mode, or to odd. Products of fp32 numbers are exact
 * in double. */
static ALWAYS_INLINE vector_32 fma_by_32(bndi_toward to, vector_32 a, vector_32 b, vector_32 c)
{
    const vector_32 d = _mm256_fmadd_ps(a, b, c);
    return to == BNDI_ODD_ONE ? odd_of_32(d, minus_32(minus_fma_32(a, b, c))) : d;
}

static ALWAYS_INLINE vector_64 fma_by_64(bndi_toward to, vector_64 a, vector_64 b, vector_64 c)
{
    const vector_64 d = _mm256_fmadd_pd(a, b, c);
    return to == BNDI_ODD_ONE ? odd_of_64(d, minus_64(minus_fma_64(a, b, c))) : d;
}

static ALWAYS_INLINE vector_32 product_by_32(bndi_toward to, vector_32 a, vector_32 b)
{
    const vector_32 d = a * b;
    return to == BNDI_ODD_ONE ? odd_of_32(d, minus_32(minus_32(a) * b)) : d;
}

static ALWAYS_INLINE vector_64 product_by_64(bndi_toward to, vector_64 a, vector_64 b)
{
    (void)to;
    return a * b;
}

static ALWAYS_INLINE vector_32 sum_by_32(bndi_toward to, vector_32 a, vector_32 b)
{
    const vector_32 d = a + b;
    return to == BNDI_ODD_ONE ? odd_of_32(d, minus_32(minus_32(a) - b)) : d;
}

static ALWAYS_INLINE vector_64 sum_by_64(bndi_toward to, vector_64 a, vector_64 b)
{
    const vector_64 d = a + b;
    return to == BNDI_ODD_ONE ? odd_of_64(d, minus_64(minus_64(a) - b)) : d;
}

static ALWAYS_INLINE vector_32 all_32(double x)
{
    return _mm256_set1_ps((float)x);
}

static ALWAYS_INLINE vector_64 all_64(double x)
{
    return _mm256_set1_pd(x);
}

static ALWAYS_INLINE words_32 all_words_32(uint64_t x)
{
    return _mm256_set1_epi32((int)(uint32_t)x);
}

static ALWAYS_INLINE words_64 all_words_64(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}

static ALWAYS_INLINE vector_32 operand_32(const float *b)
{
    return _mm256_loadu_ps(b);
}

static ALWAYS_INLINE vector_64 operand_64(const float *b)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(b));
}

static ALWAYS_INLINE vector_32 get_32(const float *s)
{
    return _mm256_loadu_ps(s);
}

static ALWAYS_INLINE vector_64 get_64(const double *s)
{
    return _mm256_loadu_pd(s);
}

static ALWAYS_INLINE void put_32(float *s, vector_32 x)
{
    _mm256_storeu_ps(s, x);
}

static ALWAYS_INLINE void put_64(double *s, vector_64 x)
{
    _mm256_storeu_pd(s, x);
}

/* The power of two in the magnitude of x, but at least `least`, which is one. */
static ALWAYS_INLINE vector_32 power_of_32(vector_32 x, vector_32 least)
{
    const words_32 exponent = _mm256_and_si256(words_of_32(x), _mm256_set1_epi32(0x7f800000));
    return of_words_32(_mm256_max_epu32(exponent, words_of_32(least)));
}

static ALWAYS_INLINE vector_64 power_of_64(vector_64 x, vector_64 least)
{
    const __m256i exponents = _mm256_set1_epi64x((long long)(UINT64_C(0x7ff) << 52));
    return _mm256_max_pd(_mm256_and_pd(x, of_words_64(exponents)), least);
}

/* The lower one of two such powers. */
static ALWAYS_INLINE vector_32 lower_32(vector_32 a, vector_32 b)
{
    return of_words_32(_mm256_min_epu32(words_of_32(a), words_of_32(b)));
}

static ALWAYS_INLINE vector_64 lower_64(vector_64 a, vector_64 b)
{
    return _mm256_min_pd(a, b);
}

/* Such a power times `up`, infinite where that is more than the largest number. In the directions toward zero and down
 * a product would be the largest number instead: in fp32 the exponents are added. In fp64 all of this is small. */
static ALWAYS_INLINE vector_32 scaled_32(vector_32 power, vector_32 up)
{
    const words_32 one = _mm256_set1_epi32(0x3f800000), infinity = _mm256_set1_epi32(0x7f800000);
    const words_32 by = _mm256_sub_epi32(words_of_32(up), one);
    return of_words_32(_mm256_min_epu32(_mm256_add_epi32(words_of_32(power), by), infinity));
}

static ALWAYS_INLINE vector_64 scaled_64(vector_64 power, vector_64 up)
{
    return power * up;
}

/* The larger of a running maximum and a magnitude; the maximum where that is NaN. */
static ALWAYS_INLINE vector_32 larger_32(vector_32 a, vector_32 b)
{
    return _mm256_max_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), b), a);
}

static ALWAYS_INLINE vector_64 larger_64(vector_64 a, vector_64 b)
{
    return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), b), a);
}

/* x | (y & sign) */
static ALWAYS_INLINE vector_32 with_sign_32(vector_32 x, vector_32 y, vector_32 sign)
{
    return _mm256_or_ps(x, _mm256_and_ps(y, sign));
}

static ALWAYS_INLINE vector_64 with_sign_64(vector_64 x, vector_64 y, vector_64 sign)
{
    return _mm256_or_pd(x, _mm256_and_pd(y, sign));
}

/* x | (~y & sign) */
static ALWAYS_INLINE vector_32 with_other_sign_32(vector_32 x, vector_32 y, vector_32 sign)
{
    return _mm256_or_ps(x, _mm256_andnot_ps(y, sign));
}

static ALWAYS_INLINE vector_64 with_other_sign_64(vector_64 x, vector_64 y, vector_64 sign)
{
    return _mm256_or_pd(x, _mm256_andnot_pd(y, sign));
}

/* (word of x + r) & keep, as a number again. */
static ALWAYS_INLINE vector_32 plus_bits_32(vector_32 x, words_32 r, words_32 keep)
{
    return of_words_32(_mm256_and_si256(_mm256_add_epi32(words_of_32(x), r), keep));
}

static ALWAYS_INLINE vector_64 plus_bits_64(vector_64 x, words_64 r, words_64 keep)
{
    return of_words_64(_mm256_and_si256(_mm256_add_epi64(words_of_64(x), r), keep));
}

/* Random entries of `bytes` bytes from number `at` on, one per lane. Those of fp32 always have two. */
static ALWAYS_INLINE words_32 random_32(const char *entries, unsigned bytes, size_t at)
{
    (void)bytes;
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(entries + 2 * at)));
}

static ALWAYS_INLINE words_64 random_64(const char *entries, unsigned bytes, size_t at)
{
    const void *from = entries + bytes * at;
    return bytes == 2   ? _mm256_cvtepu16_epi64(_mm_loadl_epi64(from))
           : bytes == 4 ? _mm256_cvtepu32_epi64(_mm_loadu_si128(from))
                        : _mm256_loadu_si256(from);
}

static ALWAYS_INLINE bool beyond_32(vector_32 a, vector_32 b)
{
    return any_above(a, b);
}

static ALWAYS_INLINE bool beyond_64(vector_64 a, vector_64 b)
{
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ)) != 0;
}

static ALWAYS_INLINE bool unordered_32(vector_32 a)
{
    return any_nan(a);
}

static ALWAYS_INLINE bool unordered_64(vector_64 a)
{
    return _mm256_movemask_pd(_mm256_cmp_pd(a, a, _CMP_UNORD_Q)) != 0;
}

/* Lanes whose magnitude is not at most `largest`, or not a number; those that are NaN; the infinite ones. */
static ALWAYS_INLINE vector_32 not_within_32(vector_32 x, vector_32 largest)
{
    return _mm256_cmp_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), x), largest, _CMP_NLE_UQ);
}

static ALWAYS_INLINE vector_64 not_within_64(vector_64 x, vector_64 largest)
{
    return _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x), largest, _CMP_NLE_UQ);
}

static ALWAYS_INLINE vector_32 are_nan_32(vector_32 x)
{
    return _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
}

static ALWAYS_INLINE vector_64 are_nan_64(vector_64 x)
{
    return _mm256_cmp_pd(x, x, _CMP_UNORD_Q);
}

static ALWAYS_INLINE bool any_32(vector_32 lanes)
{
    return _mm256_movemask_ps(lanes) != 0;
}

static ALWAYS_INLINE bool any_64(vector_64 lanes)
{
    return _mm256_movemask_pd(lanes) != 0;
}

#endif
