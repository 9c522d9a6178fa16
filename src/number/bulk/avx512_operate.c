/* Operations with AVX-512: the hooks of operations_template.h for words of either type, and those of fused_template.h
 * for fp16 and bf16 without a detour through memory.
 *
 * Round to odd is simple here, since an instruction can carry its own rounding mode: compute the operation rounded down
 * and rounded up. If both agree the result is exact; otherwise they are neighbours, one of them odd. The one with the
 * lower magnitude, with its last bit set, is that one. In fp32:
 *
 *   operation          down         up           equal?   min, | 1       odd result
 *   1 + 2^-30          3f800000     3f800001     no       3f800001       1 + 2^-23
 *   3 - 2^-30          403fffff     40400000     no       403fffff       3 - 2^-22
 *   -1 - 2^-30         bf800001     bf800000     no       bf800001       -1 - 2^-23
 *   1 + 1              40000000     40000000     yes      40000000       2, unchanged
 *   1 - 1              80000000     00000000     yes      00000000       +0; -0 (max) where the rule rounds down */
#include "bulk/avx512.h"

#define BYTES 64
#include "bulk/vectors_template.h"

/* Hooks of the operations: one rounding each, in the mode that is set. a b + c with a = b = 1 + 2^-12, c = -1 is 2^-11
 * + 2^-24; a product rounded before the addition would lose the 2^-24. */
static ALWAYS_INLINE lanes_32 fused_32(lanes_32 a, lanes_32 b, lanes_32 c)
{
    return (lanes_32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static ALWAYS_INLINE lanes_64 fused_64(lanes_64 a, lanes_64 b, lanes_64 c)
{
    return (lanes_64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

/* Square roots, correctly rounded. */
static ALWAYS_INLINE lanes_32 root_32(lanes_32 a)
{
    return (lanes_32)_mm512_sqrt_ps((__m512)a);
}

static ALWAYS_INLINE lanes_64 root_64(lanes_64 a)
{
    return (lanes_64)_mm512_sqrt_pd((__m512d)a);
}

/* Has any lane a bit set? A 64-bit lane has one where either of its 32-bit halves has, so both types use the same test.
 */
static ALWAYS_INLINE bool any_32(lanes_32 a)
{
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0;
}

static ALWAYS_INLINE bool any_64(lanes_64 a)
{
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0;
}

/* All operations to odd: the picture at the top. min of words as unsigned integers is the lower magnitude, since both
 * have the same sign, or are zeros of both signs, of which +0 is the lower word. */
#define HAS_ODD
#define UP   (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
#define DOWN (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)

/* One operation in one direction; `operation` and `up` are constants. The mode is part of the instruction and must be a
 * constant there: hence two instructions per case. Only five operations come here: the template turns a - b into a + -b
 * beforehand. */
static ALWAYS_INLINE lanes_32 rounded_32(bnd_operation operation, bool up, lanes_32 x, lanes_32 y, lanes_32 z)
{
    const __m512 a = (__m512)x, b = (__m512)y, c = (__m512)z;
    switch (operation) {
    case BND_OP_ADD:
        return (lanes_32)(up ? _mm512_add_round_ps(a, b, UP) : _mm512_add_round_ps(a, b, DOWN));
    case BND_OP_MUL:
        return (lanes_32)(up ? _mm512_mul_round_ps(a, b, UP) : _mm512_mul_round_ps(a, b, DOWN));
    case BND_OP_DIV:
        return (lanes_32)(up ? _mm512_div_round_ps(a, b, UP) : _mm512_div_round_ps(a, b, DOWN));
    case BND_OP_SQRT:
        return (lanes_32)(up ? _mm512_sqrt_round_ps(a, UP) : _mm512_sqrt_round_ps(a, DOWN));
    default:
        return (lanes_32)(up ? _mm512_fmadd_round_ps(a, b, c, UP) : _mm512_fmadd_round_ps(a, b, c, DOWN));
    }
}

/* Where both results are equal as numbers the operation was exact; NaNs compare unordered and stay, as `nearer`. 1 - 1
 * gives +0 and -0, which are equal as numbers: not inexact, and minus_zero chooses which of the two words it is. */
static ALWAYS_INLINE lanes_32 odd_32(bnd_operation operation, bool minus_zero, lanes_32 x, lanes_32 y, lanes_32 z)
{
    const __m512i up = (__m512i)rounded_32(operation, true, x, y, z), one = _mm512_set1_epi32(1);
    const __m512i down = (__m512i)rounded_32(operation, false, x, y, z), nearer = _mm512_min_epu32(up, down);
    __mmask16 inexact = _mm512_cmp_ps_mask((__m512)up, (__m512)down, _CMP_NEQ_OQ);
    __m512i exact = minus_zero ? _mm512_max_epu32(up, down) : nearer;
    return (lanes_32)_mm512_mask_or_epi32(exact, inexact, nearer, one);
}

/* The same for lanes of 64 bits. */
static ALWAYS_INLINE lanes_64 rounded_64(bnd_operation operation, bool up, lanes_64 x, lanes_64 y, lanes_64 z)
{
    const __m512d a = (__m512d)x, b = (__m512d)y, c = (__m512d)z;
    switch (operation) {
    case BND_OP_ADD:
        return (lanes_64)(up ? _mm512_add_round_pd(a, b, UP) : _mm512_add_round_pd(a, b, DOWN));
    case BND_OP_MUL:
        return (lanes_64)(up ? _mm512_mul_round_pd(a, b, UP) : _mm512_mul_round_pd(a, b, DOWN));
    case BND_OP_DIV:
        return (lanes_64)(up ? _mm512_div_round_pd(a, b, UP) : _mm512_div_round_pd(a, b, DOWN));
    case BND_OP_SQRT:
        return (lanes_64)(up ? _mm512_sqrt_round_pd(a, UP) : _mm512_sqrt_round_pd(a, DOWN));
    default:
        return (lanes_64)(up ? _mm512_fmadd_round_pd(a, b, c, UP) : _mm512_fmadd_round_pd(a, b, c, DOWN));
    }
}

/* The same for lanes of 64 bits. */
static ALWAYS_INLINE lanes_64 odd_64(bnd_operation operation, bool minus_zero, lanes_64 x, lanes_64 y, lanes_64 z)
{
    const __m512i up = (__m512i)rounded_64(operation, true, x, y, z), one = _mm512_set1_epi64(1);
    const __m512i down = (__m512i)rounded_64(operation, false, x, y, z), nearer = _mm512_min_epu64(up, down);
    __mmask8 inexact = _mm512_cmp_pd_mask((__m512d)up, (__m512d)down, _CMP_NEQ_OQ);
    __m512i exact = minus_zero ? _mm512_max_epu64(up, down) : nearer;
    return (lanes_64)_mm512_mask_or_epi64(exact, inexact, nearer, one);
}

#define LANE_BITS 32
#include "bulk/operations_template.h"

#define LANE_BITS 64
#include "bulk/operations_template.h"

/* ---- codes of 16 bits ---- */

/* Hooks of the fused kernels: 16 codes of fp16 as words. */
static ALWAYS_INLINE lanes_32 words_of_halves(const void *codes)
{
    return (lanes_32)_mm512_cvtph_ps(_mm256_loadu_si256(codes));
}

/* 32 words as codes of fp16, in the mode that is set: a gives the lower 256 bits, b the upper ones, so the codes are in
 * the order of the words. A word beyond 65504 becomes 7bff or 7c00 by the mode; any_code_above finds the latter. */
static ALWAYS_INLINE lanes_32 halves_of_words(lanes_32 a, lanes_32 b)
{
    __m256i low = _mm512_cvtps_ph((__m512)a, _MM_FROUND_CUR_DIRECTION);
    __m256i high = _mm512_cvtps_ph((__m512)b, _MM_FROUND_CUR_DIRECTION);
    return (lanes_32)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* The running maximum of magnitudes, as 16-bit words. */
static ALWAYS_INLINE lanes_32 larger_codes(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm512_max_epu16((__m512i)a, (__m512i)b);
}

/* Is any of 32 magnitudes above `last`? */
static ALWAYS_INLINE bool any_code_above(lanes_32 codes, uint16_t last)
{
    return _mm512_cmpgt_epu16_mask((__m512i)codes, _mm512_set1_epi16((short)last)) != 0;
}

/* A vector of 32 codes; `stream` needs a multiple of 64. */
static ALWAYS_INLINE void put(void *memory, lanes_32 v, bool stream)
{
    if (stream) {
        _mm512_stream_si512(memory, (__m512i)v);
    } else {
        _mm512_storeu_si512(memory, (__m512i)v);
    }
}

/* A prefetch of what is read soon. */
static ALWAYS_INLINE void ask_for(const char *memory)
{
    _mm_prefetch(memory, _MM_HINT_T0);
}

#include "bulk/fused_template.h"

void bndi_fill_avx512_operations(bndi_kernels *kernels)
{
    fill_operations_32(kernels);
    fill_operations_64(kernels);
    kernels->fused = fused_codes;
}
