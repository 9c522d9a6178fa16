/* Operations with AVX2 and FMA: the hooks of operations_template.h for words of either type, and those of
 * fused_template.h for fp16 and bf16 without a detour through memory.
 *
 * There is no HAS_ODD here (AVX2 has no rounding mode per instruction), so odd results come from the error of the
 * rounded one; operations_template.h has the example. A vector of 16 fp16 codes is computed as two vectors of words:
 *
 *   codes     x0 .. x7          x8 .. x15         two loads of 16 bytes
 *   cvtph_ps  8 words           8 words           exact
 *   operation 8 words           8 words           rounded to fp32, which arithmetic.c shows to be innocuous
 *   cvtps_ph  r0 .. r7        | r8 .. r15         rounded as MXCSR says, joined to one vector of 32 bytes
 *
 * so 2047 + 1 = 2048 in fp16 is 67ff + 3c00: 44ffe000 + 3f800000 = 45000000, then 6800. */
#include "bulk/avx2.h"
#include "bulk/vectors_template.h"

/* Hooks of the operations. */
static ALWAYS_INLINE lanes_32 fused_32(lanes_32 a, lanes_32 b, lanes_32 c)
{
    return (lanes_32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static ALWAYS_INLINE lanes_64 fused_64(lanes_64 a, lanes_64 b, lanes_64 c)
{
    return (lanes_64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

/* Square roots, correctly rounded. */
static ALWAYS_INLINE lanes_32 root_32(lanes_32 a)
{
    return (lanes_32)_mm256_sqrt_ps((__m256)a);
}

static ALWAYS_INLINE lanes_64 root_64(lanes_64 a)
{
    return (lanes_64)_mm256_sqrt_pd((__m256d)a);
}

/* Has any lane a bit set? */
static ALWAYS_INLINE bool any_32(lanes_32 a)
{
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
}

static ALWAYS_INLINE bool any_64(lanes_64 a)
{
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
}

#define LANE_BITS 32
#include "bulk/operations_template.h"

#define LANE_BITS 64
#include "bulk/operations_template.h"

/* ---- codes of 16 bits ---- */

/* Hooks of the fused kernels: 8 codes of fp16 as words. */
static ALWAYS_INLINE lanes_32 words_of_halves(const void *codes)
{
    return (lanes_32)_mm256_cvtph_ps(_mm_loadu_si128(codes));
}

/* 16 words as codes of fp16, in the mode that is set. */
static ALWAYS_INLINE lanes_32 halves_of_words(lanes_32 a, lanes_32 b)
{
    __m128i low = _mm256_cvtps_ph((__m256)a, _MM_FROUND_CUR_DIRECTION);
    __m128i high = _mm256_cvtps_ph((__m256)b, _MM_FROUND_CUR_DIRECTION);
    return (lanes_32)_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* The running maximum of magnitudes, as 16-bit words. */
static ALWAYS_INLINE lanes_32 larger_codes(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm256_max_epu16((__m256i)a, (__m256i)b);
}

/* Magnitudes have a clear sign bit, so a signed comparison will do. */
static ALWAYS_INLINE bool any_code_above(lanes_32 codes, uint16_t last)
{
    __m256i above = _mm256_cmpgt_epi16((__m256i)codes, _mm256_set1_epi16((short)last));
    return !_mm256_testz_si256(above, above);
}

/* A vector of 16 codes. */
static ALWAYS_INLINE void put(void *memory, lanes_32 v, bool stream)
{
    bndi_put_32_bytes(memory, (__m256i)v, stream);
}

/* A prefetch of what is read soon. */
static ALWAYS_INLINE void ask_for(const char *memory)
{
    _mm_prefetch(memory, _MM_HINT_T0);
}

#include "bulk/fused_template.h"

void bndi_fill_avx2_operations(bndi_kernels *kernels)
{
    fill_operations_32(kernels);
    fill_operations_64(kernels);
    kernels->fused = fused_codes;
}
