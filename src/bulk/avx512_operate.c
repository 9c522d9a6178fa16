/* Operations with AVX-512: words of either type, and fp16 and bf16 without a detour by memory. */
#include "bulk/avx512.h"

#define BYTES 64

typedef uint32_t lanes_32 __attribute__((vector_size(BYTES), may_alias));
typedef int32_t signed_lanes_32 __attribute__((vector_size(BYTES)));
typedef float floats_32 __attribute__((vector_size(BYTES)));
typedef uint64_t lanes_64 __attribute__((vector_size(BYTES), may_alias));
typedef int64_t signed_lanes_64 __attribute__((vector_size(BYTES)));
typedef double floats_64 __attribute__((vector_size(BYTES)));

static ALWAYS_INLINE lanes_32 fused_32(lanes_32 a, lanes_32 b, lanes_32 c)
{
    return (lanes_32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static ALWAYS_INLINE lanes_64 fused_64(lanes_64 a, lanes_64 b, lanes_64 c)
{
    return (lanes_64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static ALWAYS_INLINE lanes_32 root_32(lanes_32 a)
{
    return (lanes_32)_mm512_sqrt_ps((__m512)a);
}

static ALWAYS_INLINE lanes_64 root_64(lanes_64 a)
{
    return (lanes_64)_mm512_sqrt_pd((__m512d)a);
}

static ALWAYS_INLINE bool any_32(lanes_32 a)
{
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0;
}

static ALWAYS_INLINE bool any_64(lanes_64 a)
{
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0;
}

#define LANE_BITS 32
#include "bulk/operations.h"

#define LANE_BITS 64
#include "bulk/operations.h"

/* ---- codes of 16 bits ---- */

static ALWAYS_INLINE lanes_32 words_of_halves(const void *codes)
{
    return (lanes_32)_mm512_cvtph_ps(_mm256_loadu_si256(codes));
}

/* In the mode that is set. */
static ALWAYS_INLINE lanes_32 halves_of_words(lanes_32 a, lanes_32 b)
{
    __m256i low = _mm512_cvtps_ph((__m512)a, _MM_FROUND_CUR_DIRECTION);
    __m256i high = _mm512_cvtps_ph((__m512)b, _MM_FROUND_CUR_DIRECTION);
    return (lanes_32)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

static ALWAYS_INLINE lanes_32 larger_codes(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm512_max_epu16((__m512i)a, (__m512i)b);
}

static ALWAYS_INLINE bool any_code_above(lanes_32 codes, uint16_t last)
{
    return _mm512_cmpgt_epu16_mask((__m512i)codes, _mm512_set1_epi16((short)last)) != 0;
}

static ALWAYS_INLINE void put(void *memory, lanes_32 v, bool stream)
{
    if (stream) {
        _mm512_stream_si512(memory, (__m512i)v);
    } else {
        _mm512_storeu_si512(memory, (__m512i)v);
    }
}

static ALWAYS_INLINE void ask_for(const char *memory)
{
    _mm_prefetch(memory, _MM_HINT_T0);
}

#include "bulk/fused.h"

void bndi_fill_avx512_operations(bndi_kernels *kernels)
{
    kernels->compute[BNDI_WORDS_32] = compute_32;
    kernels->compute[BNDI_WORDS_64] = compute_64;
    kernels->fused = fused;
}
