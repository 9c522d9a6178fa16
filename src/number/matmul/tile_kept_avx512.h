/* The hooks of tile_kept_template.h, with AVX-512: sixteen lanes of fp32 (_32) and eight of fp64 (_64). An instruction
 * can carry its own rounding mode; a result to odd is two instructions, down and up, and of the two results the odd
 * one. */
#ifndef BINADE_SRC_MATMUL_TILE_KEPT_AVX512_H
#define BINADE_SRC_MATMUL_TILE_KEPT_AVX512_H

#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

enum { ROWS_32 = 8, VECTORS_32 = 2, LANES_32 = 16, ROWS_64 = 4, VECTORS_64 = 4, LANES_64 = 8 };
enum { NATIVE_ROWS_32 = 12, NATIVE_ROWS_64 = 6, CONVERTS_32 = 0, CONVERTS_64 = 0 };
typedef __m512 vector_32;
typedef __m512d vector_64;
typedef __m512i words_32;
typedef __m512i words_64;

#define TOWARD_ZERO (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define UPWARD      (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
#define DOWNWARD    (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)

/* The odd one of two neighbours; where nothing was rounded they are the same, or zeros: +0 then. */
static ALWAYS_INLINE vector_32 odd_of_32(vector_32 down, vector_32 up)
{
    __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(up, odd, down);
}

static ALWAYS_INLINE vector_64 odd_of_64(vector_64 down, vector_64 up)
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
static ALWAYS_INLINE vector_32 fma_by_32(bndi_toward to, vector_32 a, vector_32 b, vector_32 c)
{
    return DIRECTED(to, _mm512_fmadd_round_ps, TO_ODD(odd_of_32, _mm512_fmadd_round_ps, a, b, c), a, b, c);
}

static ALWAYS_INLINE vector_64 fma_by_64(bndi_toward to, vector_64 a, vector_64 b, vector_64 c)
{
    return DIRECTED(to, _mm512_fmadd_round_pd, TO_ODD(odd_of_64, _mm512_fmadd_round_pd, a, b, c), a, b, c);
}

static ALWAYS_INLINE vector_32 product_by_32(bndi_toward to, vector_32 a, vector_32 b)
{
    return DIRECTED(to, _mm512_mul_round_ps, TO_ODD(odd_of_32, _mm512_mul_round_ps, a, b), a, b);
}

static ALWAYS_INLINE vector_64 product_by_64(bndi_toward to, vector_64 a, vector_64 b)
{
    (void)to;
    return a * b;
}

/* Toward zero: the exponent is that of the exact product. */
static ALWAYS_INLINE vector_32 product_32(vector_32 a, vector_32 b)
{
    return _mm512_mul_round_ps(a, b, TOWARD_ZERO);
}

static ALWAYS_INLINE vector_64 product_64(vector_64 a, vector_64 b)
{
    return a * b;
}

static ALWAYS_INLINE vector_32 sum_by_32(bndi_toward to, vector_32 a, vector_32 b)
{
    return DIRECTED(to, _mm512_add_round_ps, TO_ODD(odd_of_32, _mm512_add_round_ps, a, b), a, b);
}

static ALWAYS_INLINE vector_64 sum_by_64(bndi_toward to, vector_64 a, vector_64 b)
{
    return DIRECTED(to, _mm512_add_round_pd, TO_ODD(odd_of_64, _mm512_add_round_pd, a, b), a, b);
}

static ALWAYS_INLINE vector_64 fma_64(vector_64 a, vector_64 b, vector_64 c)
{
    return _mm512_fmadd_pd(a, b, c);
}

static ALWAYS_INLINE vector_32 fma_32(vector_32 a, vector_32 b, vector_32 c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static ALWAYS_INLINE vector_32 all_32(double x)
{
    return _mm512_set1_ps((float)x);
}

static ALWAYS_INLINE vector_64 all_64(double x)
{
    return _mm512_set1_pd(x);
}

static ALWAYS_INLINE vector_32 operand_32(const float *b)
{
    return _mm512_loadu_ps(b);
}

static ALWAYS_INLINE vector_64 operand_64(const float *b)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(b));
}

static ALWAYS_INLINE vector_32 get_32(const float *s)
{
    return _mm512_loadu_ps(s);
}

static ALWAYS_INLINE vector_64 get_64(const double *s)
{
    return _mm512_loadu_pd(s);
}

static ALWAYS_INLINE void put_32(float *s, vector_32 x)
{
    _mm512_storeu_ps(s, x);
}

static ALWAYS_INLINE void put_64(double *s, vector_64 x)
{
    _mm512_storeu_pd(s, x);
}

/* Sign and exponent: a power of two, or a zero. */
static ALWAYS_INLINE vector_32 power_in_32(vector_32 x)
{
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32((int)0xff800000)));
}

static ALWAYS_INLINE vector_64 power_in_64(vector_64 x)
{
    const int64_t upper = (int64_t)(UINT64_C(0xfff) << 52);
    return _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(x), _mm512_set1_epi64(upper)));
}

/* The larger magnitude, with the sign of the second one; the larger of a running maximum and a magnitude. */
static ALWAYS_INLINE vector_32 farther_32(vector_32 a, vector_32 b)
{
    return _mm512_range_ps(b, a, 0x3);
}

static ALWAYS_INLINE vector_64 farther_64(vector_64 a, vector_64 b)
{
    return _mm512_range_pd(b, a, 0x3);
}

static ALWAYS_INLINE vector_32 larger_32(vector_32 a, vector_32 b)
{
    return _mm512_range_ps(a, b, 0xb);
}

static ALWAYS_INLINE vector_64 larger_64(vector_64 a, vector_64 b)
{
    return _mm512_range_pd(a, b, 0xb);
}

/* r; where its magnitude is not at most `largest`, what `special` has for the class of x. Its tokens for fixupimm come
 * from gemm_plan.c; the token 0 leaves what is there, which is `largest` with the sign of x. */
static ALWAYS_INLINE vector_32 mended_32(vector_32 r, vector_32 x, vector_32 largest, words_32 special)
{
    const __mmask16 strange = _mm512_cmp_ps_mask(_mm512_abs_ps(r), largest, _CMP_NLE_UQ);
    r = _mm512_mask_range_ps(r, strange, x, largest, 0x2);
    return _mm512_mask_fixupimm_ps(r, strange, x, special, 0);
}

static ALWAYS_INLINE vector_64 mended_64(vector_64 r, vector_64 x, vector_64 largest, words_64 special)
{
    const __mmask8 strange = _mm512_cmp_pd_mask(_mm512_abs_pd(r), largest, _CMP_NLE_UQ);
    r = _mm512_mask_range_pd(r, strange, x, largest, 0x2);
    return _mm512_mask_fixupimm_pd(r, strange, x, special, 0);
}

/* x | (y & sign) */
static ALWAYS_INLINE vector_32 with_sign_32(vector_32 x, vector_32 y, vector_32 sign)
{
    return signed_as(x, y, sign);
}

static ALWAYS_INLINE vector_64 with_sign_64(vector_64 x, vector_64 y, vector_64 sign)
{
    return _mm512_castsi512_pd(
        _mm512_ternarylogic_epi64(_mm512_castpd_si512(x), _mm512_castpd_si512(y), _mm512_castpd_si512(sign), 0xf8));
}

/* (word of x + r) & keep, as a number again. */
static ALWAYS_INLINE vector_32 plus_bits_32(vector_32 x, words_32 r, words_32 keep)
{
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), r), keep));
}

static ALWAYS_INLINE vector_64 plus_bits_64(vector_64 x, words_64 r, words_64 keep)
{
    return _mm512_castsi512_pd(_mm512_and_si512(_mm512_add_epi64(_mm512_castpd_si512(x), r), keep));
}

static ALWAYS_INLINE words_32 all_words_32(uint64_t x)
{
    return _mm512_set1_epi32((int)(uint32_t)x);
}

static ALWAYS_INLINE words_64 all_words_64(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

/* Random entries of `bytes` bytes from number `at` on, one per lane. Those of fp32 always have two. */
static ALWAYS_INLINE words_32 random_32(const char *entries, unsigned bytes, size_t at)
{
    (void)bytes;
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(entries + 2 * at)));
}

static ALWAYS_INLINE words_64 random_64(const char *entries, unsigned bytes, size_t at)
{
    const void *from = entries + bytes * at;
    return bytes == 2   ? _mm512_cvtepu16_epi64(_mm_loadu_si128(from))
           : bytes == 4 ? _mm512_cvtepu32_epi64(_mm256_loadu_si256(from))
                        : _mm512_loadu_si512(from);
}

static ALWAYS_INLINE bool beyond_32(vector_32 a, vector_32 b)
{
    return any_above(a, b);
}

static ALWAYS_INLINE bool beyond_64(vector_64 a, vector_64 b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ) != 0;
}

static ALWAYS_INLINE bool unordered_32(vector_32 a)
{
    return any_nan(a);
}

static ALWAYS_INLINE bool unordered_64(vector_64 a)
{
    return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q) != 0;
}

#endif
