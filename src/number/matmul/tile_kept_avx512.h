/* The hooks of tile_kept_template.h, with AVX-512: sixteen lanes of fp32 (_f) and eight of fp64 (_d). An instruction
 * can carry its own rounding mode; a result to odd is two instructions, down and up, and of the two results the odd
 * one. */
#ifndef BINADE_SRC_MATMUL_TILE_KEPT_AVX512_H
#define BINADE_SRC_MATMUL_TILE_KEPT_AVX512_H

#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

enum { ROWS_f = 8, VECTORS_f = 2, LANES_f = 16, ROWS_d = 4, VECTORS_d = 4, LANES_d = 8 };
enum { NATIVE_ROWS_f = 12, NATIVE_ROWS_d = 6 };
typedef __m512 vector_f;
typedef __m512d vector_d;
typedef __m512i words_f;
typedef __m512i words_d;

#define TOWARD_ZERO (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define UPWARD      (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
#define DOWNWARD    (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)

/* The odd one of two neighbours; where nothing was rounded they are the same, or zeros: +0 then. */
static ALWAYS_INLINE vector_f odd_of_f(vector_f down, vector_f up)
{
    __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(up, odd, down);
}

static ALWAYS_INLINE vector_d odd_of_d(vector_d down, vector_d up)
{
    __mmask8 odd = _mm512_test_epi64_mask(_mm512_castpd_si512(down), _mm512_set1_epi64(1));
    return _mm512_mask_mov_pd(up, odd, down);
}

/* An operation in a direction; `otherwise` where the rounding is to nearest or to odd. */
#define DIRECTED(direction, operation, otherwise, ...)                                                                 \
    ((direction) == BNDI_ZERO   ? operation(__VA_ARGS__, TOWARD_ZERO)                                                  \
     : (direction) == BNDI_UP   ? operation(__VA_ARGS__, UPWARD)                                                       \
     : (direction) == BNDI_DOWN ? operation(__VA_ARGS__, DOWNWARD)                                                     \
                                : (otherwise))
#define TO_ODD(odd, operation, ...) odd(operation(__VA_ARGS__, DOWNWARD), operation(__VA_ARGS__, UPWARD))

/* a b + c, a b, a + b: toward zero, up, down; else to odd. Products of fp32 numbers are exact in double. */
static ALWAYS_INLINE vector_f fma_by_f(bndi_toward to, vector_f a, vector_f b, vector_f c)
{
    return DIRECTED(to, _mm512_fmadd_round_ps, TO_ODD(odd_of_f, _mm512_fmadd_round_ps, a, b, c), a, b, c);
}

static ALWAYS_INLINE vector_d fma_by_d(bndi_toward to, vector_d a, vector_d b, vector_d c)
{
    return DIRECTED(to, _mm512_fmadd_round_pd, TO_ODD(odd_of_d, _mm512_fmadd_round_pd, a, b, c), a, b, c);
}

static ALWAYS_INLINE vector_f product_by_f(bndi_toward to, vector_f a, vector_f b)
{
    return DIRECTED(to, _mm512_mul_round_ps, TO_ODD(odd_of_f, _mm512_mul_round_ps, a, b), a, b);
}

static ALWAYS_INLINE vector_d product_by_d(bndi_toward to, vector_d a, vector_d b)
{
    (void)to;
    return a * b;
}

/* Toward zero: the exponent is that of the exact product. */
static ALWAYS_INLINE vector_f product_f(vector_f a, vector_f b)
{
    return _mm512_mul_round_ps(a, b, TOWARD_ZERO);
}

static ALWAYS_INLINE vector_d product_d(vector_d a, vector_d b)
{
    return a * b;
}

static ALWAYS_INLINE vector_f sum_by_f(bndi_toward to, vector_f a, vector_f b)
{
    return DIRECTED(to, _mm512_add_round_ps, TO_ODD(odd_of_f, _mm512_add_round_ps, a, b), a, b);
}

static ALWAYS_INLINE vector_d sum_by_d(bndi_toward to, vector_d a, vector_d b)
{
    return DIRECTED(to, _mm512_add_round_pd, TO_ODD(odd_of_d, _mm512_add_round_pd, a, b), a, b);
}

static ALWAYS_INLINE vector_d fma_d(vector_d a, vector_d b, vector_d c)
{
    return _mm512_fmadd_pd(a, b, c);
}

static ALWAYS_INLINE vector_f fma_f(vector_f a, vector_f b, vector_f c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static ALWAYS_INLINE vector_f all_f(double x)
{
    return _mm512_set1_ps((float)x);
}

static ALWAYS_INLINE vector_d all_d(double x)
{
    return _mm512_set1_pd(x);
}

static ALWAYS_INLINE vector_f operand_f(const float *b)
{
    return _mm512_loadu_ps(b);
}

static ALWAYS_INLINE vector_d operand_d(const float *b)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(b));
}

static ALWAYS_INLINE vector_f get_f(const float *s)
{
    return _mm512_loadu_ps(s);
}

static ALWAYS_INLINE vector_d get_d(const double *s)
{
    return _mm512_loadu_pd(s);
}

static ALWAYS_INLINE void put_f(float *s, vector_f x)
{
    _mm512_storeu_ps(s, x);
}

static ALWAYS_INLINE void put_d(double *s, vector_d x)
{
    _mm512_storeu_pd(s, x);
}

/* Sign and exponent: a power of two, or a zero. */
static ALWAYS_INLINE vector_f power_in_f(vector_f x)
{
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32((int)0xff800000)));
}

static ALWAYS_INLINE vector_d power_in_d(vector_d x)
{
    const int64_t upper = (int64_t)(UINT64_C(0xfff) << 52);
    return _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(x), _mm512_set1_epi64(upper)));
}

/* The larger magnitude, with the sign of the second one; the larger of a running maximum and a magnitude. */
static ALWAYS_INLINE vector_f farther_f(vector_f a, vector_f b)
{
    return _mm512_range_ps(b, a, 0x3);
}

static ALWAYS_INLINE vector_d farther_d(vector_d a, vector_d b)
{
    return _mm512_range_pd(b, a, 0x3);
}

static ALWAYS_INLINE vector_f larger_f(vector_f a, vector_f b)
{
    return _mm512_range_ps(a, b, 0xb);
}

static ALWAYS_INLINE vector_d larger_d(vector_d a, vector_d b)
{
    return _mm512_range_pd(a, b, 0xb);
}

/* x | (y & sign) */
static ALWAYS_INLINE vector_f with_sign_f(vector_f x, vector_f y, vector_f sign)
{
    return signed_as(x, y, sign);
}

static ALWAYS_INLINE vector_d with_sign_d(vector_d x, vector_d y, vector_d sign)
{
    return _mm512_castsi512_pd(
        _mm512_ternarylogic_epi64(_mm512_castpd_si512(x), _mm512_castpd_si512(y), _mm512_castpd_si512(sign), 0xf8));
}

/* (word of x + r) & keep, as a number again. */
static ALWAYS_INLINE vector_f plus_bits_f(vector_f x, words_f r, words_f keep)
{
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), r), keep));
}

static ALWAYS_INLINE vector_d plus_bits_d(vector_d x, words_d r, words_d keep)
{
    return _mm512_castsi512_pd(_mm512_and_si512(_mm512_add_epi64(_mm512_castpd_si512(x), r), keep));
}

static ALWAYS_INLINE words_f all_words_f(uint64_t x)
{
    return _mm512_set1_epi32((int)(uint32_t)x);
}

static ALWAYS_INLINE words_d all_words_d(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

/* Random entries of `bytes` bytes from number `at` on, one per lane. Those of fp32 always have two. */
static ALWAYS_INLINE words_f random_f(const char *entries, unsigned bytes, size_t at)
{
    (void)bytes;
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(entries + 2 * at)));
}

static ALWAYS_INLINE words_d random_d(const char *entries, unsigned bytes, size_t at)
{
    const void *from = entries + bytes * at;
    return bytes == 2   ? _mm512_cvtepu16_epi64(_mm_loadu_si128(from))
           : bytes == 4 ? _mm512_cvtepu32_epi64(_mm256_loadu_si256(from))
                        : _mm512_loadu_si512(from);
}

static ALWAYS_INLINE bool beyond_f(vector_f a, vector_f b)
{
    return any_above(a, b);
}

static ALWAYS_INLINE bool beyond_d(vector_d a, vector_d b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ) != 0;
}

static ALWAYS_INLINE bool unordered_f(vector_f a)
{
    return any_nan(a);
}

static ALWAYS_INLINE bool unordered_d(vector_d a)
{
    return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q) != 0;
}

#endif
