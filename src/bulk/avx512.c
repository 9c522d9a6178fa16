/* The back end for AVX-512 (F, BW, DQ, VL): 16 numbers of fp32 or 8 of fp64 at a time. */
#include "bulk/avx512.h"

enum { GROUP = 4 };
#define BYTES 64

/* ---- what the instruction set says better than the compiler's vectors, for lanes of 32 bits ---- */

typedef uint32_t lanes_32 __attribute__((vector_size(BYTES), may_alias));
typedef int32_t signed_lanes_32 __attribute__((vector_size(BYTES)));
typedef float floats_32 __attribute__((vector_size(BYTES)));

static ALWAYS_INLINE lanes_32 select_32(lanes_32 mask, lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)mask, 0xe4);
}

static ALWAYS_INLINE lanes_32 max_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static ALWAYS_INLINE lanes_32 umax_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm512_max_epu32((__m512i)a, (__m512i)b);
}

static ALWAYS_INLINE bool any_above_32(lanes_32 a, lanes_32 b)
{
    return _mm512_cmpgt_epu32_mask((__m512i)a, (__m512i)b) != 0;
}

static ALWAYS_INLINE void stream_32(void *memory, lanes_32 v)
{
    _mm512_stream_si512(memory, (__m512i)v);
}

static ALWAYS_INLINE void put_32(void *memory, __m512i v, bool stream)
{
    if (stream) {
        _mm512_stream_si512(memory, v);
    } else {
        _mm512_storeu_si512(memory, v);
    }
}

/* Packing works within quarters of a vector: their words of 32 bits are put in order at the end. */
static ALWAYS_INLINE void store_bytes(void *memory, const lanes_32 *c, bool stream)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i low = _mm512_packus_epi32((__m512i)c[0], (__m512i)c[1]);
    __m512i high = _mm512_packus_epi32((__m512i)c[2], (__m512i)c[3]);
    put_32(memory, _mm512_permutexvar_epi32(order, _mm512_packus_epi16(low, high)), stream);
}

static ALWAYS_INLINE void store_halves(void *memory, const lanes_32 *c, bool stream)
{
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    __m512i low = _mm512_packus_epi32((__m512i)c[0], (__m512i)c[1]);
    __m512i high = _mm512_packus_epi32((__m512i)c[2], (__m512i)c[3]);
    put_32(memory, _mm512_permutexvar_epi64(order, low), stream);
    put_32((char *)memory + 64, _mm512_permutexvar_epi64(order, high), stream);
}

static ALWAYS_INLINE void store_codes_32(void *memory, const lanes_32 *c, unsigned bytes, unsigned shift, bool stream)
{
    switch (bytes) {
    case 1:
        store_bytes(memory, c, stream);
        break;
    case 2:
        store_halves(memory, c, stream);
        break;
    default:
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            put_32((char *)memory + i * 64, (__m512i)(c[i] << shift), stream);
        }
        break;
    }
}

static ALWAYS_INLINE void load_some_32(lanes_32 *c, const void *memory, unsigned bytes, size_t count)
{
    const char *from = memory;
    if (bytes == 1) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)(from + i * 16)));
        }
    } else if (bytes == 2) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)(from + i * 32)));
        }
    } else {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm512_loadu_si512(from + i * 64);
        }
    }
}

#define LANE_BITS 32
#include "bulk/lanes.h"

/* ---- and of 64 ---- */

typedef uint64_t lanes_64 __attribute__((vector_size(BYTES), may_alias));
typedef int64_t signed_lanes_64 __attribute__((vector_size(BYTES)));
typedef double floats_64 __attribute__((vector_size(BYTES)));

static ALWAYS_INLINE lanes_64 select_64(lanes_64 mask, lanes_64 a, lanes_64 b)
{
    return (lanes_64)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)mask, 0xe4);
}

static ALWAYS_INLINE lanes_64 max_64(lanes_64 a, lanes_64 b)
{
    return (lanes_64)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

static ALWAYS_INLINE lanes_64 umax_64(lanes_64 a, lanes_64 b)
{
    return (lanes_64)_mm512_max_epu64((__m512i)a, (__m512i)b);
}

static ALWAYS_INLINE bool any_above_64(lanes_64 a, lanes_64 b)
{
    return _mm512_cmpgt_epu64_mask((__m512i)a, (__m512i)b) != 0;
}

static ALWAYS_INLINE void stream_64(void *memory, lanes_64 v)
{
    _mm512_stream_si512(memory, (__m512i)v);
}

static ALWAYS_INLINE void store_codes_64(void *memory, const lanes_64 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        __m512i v = (__m512i)(c[i] << shift);
        switch (bytes) {
        case 1:
            _mm_storel_epi64((void *)(to + i * 8), _mm512_cvtepi64_epi8(v));
            break;
        case 2:
            _mm_storeu_si128((void *)(to + i * 16), _mm512_cvtepi64_epi16(v));
            break;
        case 4:
            if (stream) {
                _mm256_stream_si256((void *)(to + i * 32), _mm512_cvtepi64_epi32(v));
            } else {
                _mm256_storeu_si256((void *)(to + i * 32), _mm512_cvtepi64_epi32(v));
            }
            break;
        default:
            put_32(to + i * 64, v, stream);
            break;
        }
    }
}

static ALWAYS_INLINE void load_some_64(lanes_64 *c, const void *memory, unsigned bytes, size_t count)
{
    const char *from = memory;
    for (size_t i = 0; i < count; i++) {
        switch (bytes) {
        case 1:
            c[i] = (lanes_64)_mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)(from + i * 8)));
            break;
        case 2:
            c[i] = (lanes_64)_mm512_cvtepu16_epi64(_mm_loadu_si128((const void *)(from + i * 16)));
            break;
        case 4:
            c[i] = (lanes_64)_mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)(from + i * 32)));
            break;
        default:
            c[i] = (lanes_64)_mm512_loadu_si512(from + i * 64);
            break;
        }
    }
}

#define LANE_BITS 64
#include "bulk/lanes.h"

/* ---- kernels of their own: fp16, bf16, and every format of at most 8 bits ----
 *
 * They take the plain groups and leave the others to the generic one. */

typedef struct hot {
    bool made;
    bndi_results special;
    constants_32 k;
} hot;

static NOT_INLINE void mend_group(hot *h, bndi_step step, const bndi_plan *plan, void *codes, const void *x)
{
    if (!h->made) {
        set_constants_32(&h->k, plan);
        h->special.asked = false;
        h->made = true;
    }
    if (step == FLOAT_MODE) {
        group_32(&h->k, FLOAT_MODE, plan, &h->special, true, false, plan->code_bytes, false, codes, x, NULL);
    } else {
        group_32(&h->k, BITS_NEAREST, plan, &h->special, true, false, plan->code_bytes, false, codes, x, NULL);
    }
}

static ALWAYS_INLINE bool all_plain(const __m512i *x, __m512i magnitude, __m512i max)
{
    __m512i a = _mm512_max_epu32(_mm512_and_si512(x[0], magnitude), _mm512_and_si512(x[1], magnitude));
    __m512i b = _mm512_max_epu32(_mm512_and_si512(x[2], magnitude), _mm512_and_si512(x[3], magnitude));
    return _mm512_cmpgt_epu32_mask(_mm512_max_epu32(a, b), max) == 0;
}

/* Where results go past the caches, what comes in is worth asking for early: the processor's own prefetching ends with
 * every page. A prefetch beyond the array does nothing. */
static ALWAYS_INLINE void ask_for(const char *in, size_t lines)
{
    enum { AHEAD = 4096 }; /* measured: 512 is too late, 2048 a little worse */
    for (size_t i = 0; i < lines; i++) {
        _mm_prefetch(in + AHEAD + i * 64, _MM_HINT_T0);
    }
}

static ALWAYS_INLINE void load_four(__m512i *x, const char *in)
{
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        x[i] = _mm512_loadu_si512(in + i * 64);
    }
}

static bool is_half(const bnd_format *f)
{
    return f->is_signed && f->exponent_bits == 5 && f->fraction_bits == 10 && f->bias == 15 && f->ieee_nans &&
           f->has_subnormals;
}

/* Is any of 64 codes of 16 bits, their signs apart, above `last`? */
static ALWAYS_INLINE bool any_code_above(__m512i a, __m512i b, __m512i last)
{
    const __m512i magnitude = _mm512_set1_epi16(0x7fff);
    __m512i larger = _mm512_max_epu16(_mm512_and_si512(a, magnitude), _mm512_and_si512(b, magnitude));
    return _mm512_cmpgt_epu16_mask(larger, last) != 0;
}

/* The instruction rounds as MXCSR says. Where it makes the largest number of one too large (toward zero), so does every
 * policy; where it makes an infinity or a NaN, the generic kernel has a look. */
static void encode_half(const bndi_plan *plan, void *codes, const void *x, size_t n)
{
    const __m512i last = _mm512_set1_epi16(0x7bff);
    const bool stream = plan->stream;
    const char *in = x;
    char *out = codes;
    hot h;
    h.made = false;
    for (; n >= 64; n -= 64, in += 256, out += 128) {
        __m512i c[2];
        if (stream) {
            ask_for(in, GROUP);
        }
        UNROLL
        for (size_t i = 0; i < 2; i++) {
            __m256i low = _mm512_cvtps_ph(_mm512_loadu_ps(in + i * 128), _MM_FROUND_CUR_DIRECTION);
            __m256i high = _mm512_cvtps_ph(_mm512_loadu_ps(in + i * 128 + 64), _MM_FROUND_CUR_DIRECTION);
            c[i] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        }
        if (any_code_above(c[0], c[1], last)) {
            mend_group(&h, FLOAT_MODE, plan, out, in);
            continue;
        }
        put_32(out, c[0], stream);
        put_32(out + 64, c[1], stream);
    }
    by_step_32(plan, true, out, in, NULL, n);
}

/* NaNs come out quiet, with sign and payload. */
static void decode_half(const bndi_plan *plan, void *y, const void *codes, size_t n)
{
    const char *in = codes;
    char *out = y;
    for (; n >= 16; n -= 16, in += 32, out += 64) {
        __m256i c = _mm256_loadu_si256((const void *)in);
        put_32(out, _mm512_castps_si512(_mm512_cvtph_ps(c)), plan->stream);
    }
    bndi_decode_32(plan, out, in, n);
}

/* Formats with the exponents of fp32 and 16 bits, to nearest even: up where the lower half, and one more if the upper
 * half is odd, is above a half. */
static ALWAYS_INLINE __m512i rounded_halves(__m512i upper, __m512i lower)
{
    const __m512i one = _mm512_set1_epi16(1), half = _mm512_set1_epi16((short)0x8000);
    __m512i rest = _mm512_adds_epu16(lower, _mm512_and_si512(upper, one));
    return _mm512_mask_add_epi16(upper, _mm512_cmpgt_epu16_mask(rest, half), upper, one);
}

static void encode_upper(const bndi_plan *plan, void *codes, const void *x, size_t n)
{
    const __m512i last = _mm512_set1_epi16(0x7f7e), one = _mm512_set1_epi16(1);
    const __m512i even = _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26,
                                          24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi16(even, one);
    const bool stream = plan->stream;
    const char *in = x;
    char *out = codes;
    hot h;
    h.made = false;
    for (; n >= 64; n -= 64, in += 256, out += 128) {
        __m512i v[GROUP], upper[2], lower[2];
        if (stream) {
            ask_for(in, GROUP);
        }
        load_four(v, in);
        UNROLL
        for (size_t i = 0; i < 2; i++) {
            upper[i] = _mm512_permutex2var_epi16(v[2 * i], odd, v[2 * i + 1]);
            lower[i] = _mm512_permutex2var_epi16(v[2 * i], even, v[2 * i + 1]);
        }
        if (any_code_above(upper[0], upper[1], last)) {
            mend_group(&h, BITS_NEAREST, plan, out, in);
            continue;
        }
        put_32(out, rounded_halves(upper[0], lower[0]), stream);
        put_32(out + 64, rounded_halves(upper[1], lower[1]), stream);
    }
    by_step_32(plan, true, out, in, NULL, n);
}

static void decode_upper(const bndi_plan *plan, void *y, const void *codes, size_t n)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff), infinity = _mm512_set1_epi32(0x7f800000);
    const __m512i quiet = _mm512_set1_epi32(0x00400000);
    const char *in = codes;
    char *out = y;
    for (; n >= 16; n -= 16, in += 32, out += 64) {
        __m512i v = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)in)), 16);
        __mmask16 nan = _mm512_cmpgt_epi32_mask(_mm512_and_si512(v, magnitude), infinity);
        put_32(out, _mm512_mask_or_epi32(v, nan, v, quiet), plan->stream);
    }
    bndi_decode_32(plan, out, in, n);
}

/* Codes of at most 8 bits: the code's magnitude is in the lowest byte of x + M plus the exponent, where it is put, its
 * sign in the highest byte of x; two permutations take them for 32 numbers each. Whether a number is too large is asked
 * of its exponent first. */
__attribute__((target("avx512vbmi"))) static void encode_bytes(const bndi_plan *plan, void *codes, const void *x,
                                                               size_t n)
{
    const unsigned magnitude_bits = bnd_magnitude_bits(&plan->format);
    const __m512i top = _mm512_set1_epi32(0x7f800000), sign_free = _mm512_set1_epi32(0x7fffffff);
    const __m512i max = _mm512_set1_epi32((int)plan->max),
                  highest = _mm512_set1_epi32((int)(plan->max & 0x7f800000) - 1);
    const __m512i bottom = _mm512_set1_epi32((int)((uint32_t)plan->bottom << 23));
    const __m512i magic = _mm512_set1_epi32((int)plan->code_magic);
    const __m512i to_code = _mm512_set1_epi32((int)plan->drop);
    const __m512i code_bits = _mm512_set1_epi8((char)((1u << magnitude_bits) - 1));
    const __m512i sign_bit = _mm512_set1_epi8((char)(1u << magnitude_bits));
    const __m128i to_sign = _mm_cvtsi32_si128((int)(7 - magnitude_bits));
    unsigned char places[64];
    for (unsigned i = 0; i < 64; i++) { /* the lowest bytes of two vectors, twice */
        places[i] = (unsigned char)(4 * (i % 32));
    }
    const __m512i lowest = _mm512_loadu_si512(places);
    const __m512i highest_byte = _mm512_add_epi8(lowest, _mm512_set1_epi8(3));
    const char *in = x;
    char *out = codes;
    hot h;
    h.made = false;
    for (; n >= 64; n -= 64, in += 256, out += 64) {
        __m512i v[GROUP], a[GROUP], e[GROUP];
        if (plan->stream) {
            ask_for(in, GROUP);
        }
        load_four(v, in);
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            e[i] = _mm512_max_epi32(_mm512_and_si512(v[i], top), bottom);
            __m512i m = _mm512_ternarylogic_epi32(_mm512_add_epi32(e[i], magic), v[i], sign_free, 0xe4);
            __m512i t = _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(v[i]), _mm512_castsi512_ps(m)));
            a[i] = _mm512_add_epi32(t, _mm512_srlv_epi32(e[i], to_code));
        }
        __m512i large = _mm512_max_epi32(_mm512_max_epi32(e[0], e[1]), _mm512_max_epi32(e[2], e[3]));
        if (_mm512_cmpgt_epi32_mask(large, highest) != 0 && !all_plain(v, sign_free, max)) {
            mend_group(&h, FLOAT_MODE, plan, out, in);
            continue;
        }
        __m512i low = _mm512_permutex2var_epi8(a[0], lowest, a[1]), high = _mm512_permutex2var_epi8(a[2], lowest, a[3]);
        __m512i code = _mm512_mask_blend_epi64(0xf0, low, high);
        low = _mm512_permutex2var_epi8(v[0], highest_byte, v[1]);
        high = _mm512_permutex2var_epi8(v[2], highest_byte, v[3]);
        __m512i sign = _mm512_srl_epi16(_mm512_mask_blend_epi64(0xf0, low, high), to_sign);
        /* (code & code_bits) | (sign & sign_bit) */
        code = _mm512_ternarylogic_epi32(_mm512_and_si512(code, code_bits), sign, sign_bit, 0xf8);
        put_32(out, code, plan->stream);
    }
    by_step_32(plan, true, out, in, NULL, n);
}

/* Codes of at most 8 bits by a table of the upper halves of their words. */
__attribute__((target("avx512vbmi"))) static void decode_bytes(const bndi_plan *plan, void *y, const void *codes,
                                                               size_t n)
{
    uint8_t every[128], lower[128], upper[128];
    uint32_t words[128];
    const __m512i count = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int i = 0; i < 8; i++) {
        __m128i sixteen = _mm512_cvtepi32_epi8(_mm512_add_epi32(count, _mm512_set1_epi32(16 * i)));
        _mm_storeu_si128((void *)(every + 16 * i), sixteen);
    }
    bndi_plan whole = *plan;
    whole.stream = false;
    decode_32(&whole, words, every, 128);
    __m512i lost = _mm512_setzero_si512();
    for (size_t i = 0; i < 8; i++) {
        __m512i word = _mm512_loadu_si512(words + 16 * i);
        _mm_storeu_si128((void *)(lower + 16 * i), _mm512_cvtepi32_epi8(_mm512_srli_epi32(word, 16)));
        _mm_storeu_si128((void *)(upper + 16 * i), _mm512_cvtepi32_epi8(_mm512_srli_epi32(word, 24)));
        lost = _mm512_or_si512(lost, _mm512_slli_epi32(word, 16));
    }
    if (_mm512_test_epi32_mask(lost, lost) != 0) {
        decode_32(plan, y, codes, n);
        return;
    }
    const __m512i lower_0 = _mm512_loadu_si512(lower), lower_1 = _mm512_loadu_si512(lower + 64);
    const __m512i upper_0 = _mm512_loadu_si512(upper), upper_1 = _mm512_loadu_si512(upper + 64);
    const __m512i sign = _mm512_set1_epi8(plan->format.width == 8 ? (char)0x80 : 0), zero = _mm512_setzero_si512();
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i zero_nan = _mm512_set1_epi8((char)0x80);
    const bool has_zero_nan = plan->format.zero_nan && plan->format.width == 8;
    uint32_t nan_word = 0;
    if (has_zero_nan) {
        bndi_decode_32(&whole, &nan_word, &(uint8_t){0x80}, 1);
    }
    const __m512i nan_lower = _mm512_set1_epi8((char)(nan_word >> 16)),
                  nan_upper = _mm512_set1_epi8((char)(nan_word >> 24));
    const char *in = codes;
    char *out = y;
    for (; n >= 64; n -= 64, in += 64, out += 256) {
        if (plan->stream) {
            ask_for(in, 1);
        }
        __m512i c = _mm512_permutexvar_epi32(order, _mm512_loadu_si512(in));
        __m512i low = _mm512_permutex2var_epi8(lower_0, c, lower_1);
        __m512i high = _mm512_permutex2var_epi8(upper_0, c, upper_1);
        high = _mm512_ternarylogic_epi32(high, c, sign, 0xf8);
        if (has_zero_nan) {
            __mmask64 nan = _mm512_cmpeq_epi8_mask(c, zero_nan);
            low = _mm512_mask_mov_epi8(low, nan, nan_lower);
            high = _mm512_mask_mov_epi8(high, nan, nan_upper);
        }
        __m512i first = _mm512_unpacklo_epi8(low, high), second = _mm512_unpackhi_epi8(low, high);
        put_32(out, _mm512_unpacklo_epi16(zero, first), plan->stream);
        put_32(out + 64, _mm512_unpackhi_epi16(zero, first), plan->stream);
        put_32(out + 128, _mm512_unpacklo_epi16(zero, second), plan->stream);
        put_32(out + 192, _mm512_unpackhi_epi16(zero, second), plan->stream);
    }
    whole.stream = false;
    decode_32(&whole, out, in, n);
}

static bool has_byte_permutations(void)
{
    return __builtin_cpu_supports("avx512vbmi");
}

static void encode_any_32(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    const bnd_format *f = &plan->format;
    bool by_mode = plan->family == BNDI_FLOAT && plan->extra == 0 && plan->rule.rounding != BND_RTO &&
                   plan->rule.rounding != BND_SR_EQUAL && plan->low == 0 && f->is_signed && plan->code_shift == 0;
    bool upper = plan->family == BNDI_UNIFORM && plan->low == 0 && plan->drop == 16 && plan->bottom == 1 &&
                 f->is_signed && plan->rule.rounding == BND_RNE && plan->code_bytes == 2;
    if (by_mode && plan->code_bytes == 2 && is_half(f)) {
        encode_half(plan, codes, x, n);
    } else if (by_mode && plan->code_bytes == 1 && has_byte_permutations()) {
        encode_bytes(plan, codes, x, n);
    } else if (upper) {
        encode_upper(plan, codes, x, n);
    } else {
        encode_32(plan, codes, x, random, n);
    }
}

static void decode_any_32(const bndi_plan *plan, void *y, const void *codes, size_t n)
{
    enum { WORTH_A_TABLE = 1024 };
    const bnd_format *f = &plan->format;
    bool plain_16 = plan->exact && f->width == 16 && plan->code_bytes == 2 && f->is_signed && f->ieee_nans;
    if (plain_16 && is_half(f)) {
        decode_half(plan, y, codes, n);
    } else if (plain_16 && f->exponent_bits == 8 && f->bias == 127 && f->has_subnormals) {
        decode_upper(plan, y, codes, n);
    } else if (plan->exact && plan->code_bytes == 1 && (f->width < 8 || f->is_signed) && n >= WORTH_A_TABLE &&
               has_byte_permutations()) {
        decode_bytes(plan, y, codes, n);
    } else {
        decode_32(plan, y, codes, n);
    }
}

void bndi_fill_avx512(bndi_kernels *kernels)
{
    fill_32(kernels);
    fill_64(kernels);
    kernels->encode[BNDI_WORDS_32] = encode_any_32;
    kernels->decode[BNDI_WORDS_32] = decode_any_32;
    kernels->random = bndi_random_avx512;
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg") &&
        has_byte_permutations() && __builtin_cpu_supports("gfni")) {
        kernels->tally[BNDI_WORDS_32] = bndi_tally_avx512;
        kernels->counts = bndi_counts_avx512;
        kernels->count = bndi_count_avx512;
    }
}
