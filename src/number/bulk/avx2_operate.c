/* Operations with AVX2 and FMA: words of either type, and fp16 and bf16 without a detour by memory. */
#include "bulk/avx2.h"

typedef uint32_t lanes_32 __attribute__((vector_size(BYTES), may_alias));
typedef int32_t signed_lanes_32 __attribute__((vector_size(BYTES)));
typedef float floats_32 __attribute__((vector_size(BYTES)));
typedef uint64_t lanes_64 __attribute__((vector_size(BYTES), may_alias));
typedef int64_t signed_lanes_64 __attribute__((vector_size(BYTES)));
typedef double floats_64 __attribute__((vector_size(BYTES)));

static ALWAYS_INLINE lanes_32 fused_32(lanes_32 a, lanes_32 b, lanes_32 c)
{
    return (lanes_32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static ALWAYS_INLINE lanes_64 fused_64(lanes_64 a, lanes_64 b, lanes_64 c)
{
    return (lanes_64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

static ALWAYS_INLINE lanes_32 root_32(lanes_32 a)
{
    return (lanes_32)_mm256_sqrt_ps((__m256)a);
}

static ALWAYS_INLINE lanes_64 root_64(lanes_64 a)
{
    return (lanes_64)_mm256_sqrt_pd((__m256d)a);
}

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

static ALWAYS_INLINE lanes_32 words_of_halves(const void *codes)
{
    return (lanes_32)_mm256_cvtph_ps(_mm_loadu_si128(codes));
}

/* In the mode that is set. */
static ALWAYS_INLINE lanes_32 halves_of_words(lanes_32 a, lanes_32 b)
{
    __m128i low = _mm256_cvtps_ph((__m256)a, _MM_FROUND_CUR_DIRECTION);
    __m128i high = _mm256_cvtps_ph((__m256)b, _MM_FROUND_CUR_DIRECTION);
    return (lanes_32)_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

static ALWAYS_INLINE lanes_32 larger_codes(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm256_max_epu16((__m256i)a, (__m256i)b);
}

/* Magnitudes: their signs are clear. */
static ALWAYS_INLINE bool any_code_above(lanes_32 codes, uint16_t last)
{
    __m256i above = _mm256_cmpgt_epi16((__m256i)codes, _mm256_set1_epi16((short)last));
    return !_mm256_testz_si256(above, above);
}

static ALWAYS_INLINE void put(void *memory, lanes_32 v, bool stream)
{
    bndi_put_32_bytes(memory, (__m256i)v, stream);
}

static ALWAYS_INLINE void ask_for(const char *memory)
{
    _mm_prefetch(memory, _MM_HINT_T0);
}

#include "bulk/fused_template.h"

void bndi_fill_avx2_operations(bndi_kernels *kernels)
{
    fill_operations_32(kernels);
    fill_operations_64(kernels);
    kernels->fused = fused;
}
