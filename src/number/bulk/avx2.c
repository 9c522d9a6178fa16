/* The back end for AVX2, with F16C and BMI2: 8 numbers of fp32 or 4 of fp64 per vector. It has three parts: the hooks
 * of lanes_template.h (what the instruction set does better than the compiler's vectors), kernels of their own for
 * fp16, bf16 and codes of at most 8 bits, and the choice between them. What the AVX-512 back end lacks it takes from
 * here.
 *
 * AVX2 instructions that narrow lanes work within the two 128-bit halves of a vector, so that their results are out of
 * order and one permutation at the end restores it. For 32 words a0 .. d7 in four vectors to 32 bytes (store_bytes):
 *
 *   c[0]                          a0 a1 a2 a3             | a4 a5 a6 a7                32-bit words
 *   c[1]                          b0 b1 b2 b3             | b4 b5 b6 b7
 *   packus_epi32(c[0], c[1])      a0 a1 a2 a3 b0 b1 b2 b3 | a4 a5 a6 a7 b4 b5 b6 b7    16-bit words
 *   packus_epi16(that, c d)       a0-3 b0-3 c0-3 d0-3     | a4-7 b4-7 c4-7 d4-7        bytes, four to a 32-bit word
 *   permutevar by 0 4 1 5 2 6 3 7 a0-3 a4-7 b0-3 b4-7     | c0-3 c4-7 d0-3 d4-7        in order
 *
 * The packs saturate, which changes nothing: with_sign leaves no bit above the code's sign.
 *
 * Kernels of their own, and what they leave (plain_groups): 32 elements per step; a step whose group has one special
 * number stores nothing. The alternation with the generic kernel for an array with one NaN at element 100:
 *
 *   encode_halves   elements 0 to 95     three groups; the fourth has the NaN
 *   encode_32       elements 96 to 351   A_WHILE elements, any numbers
 *   encode_halves   from 352 on */
#include "bulk/avx2.h"

enum { GROUP = 4 };

/* ---- what the instruction set says better than the compiler's vectors, for lanes of 32 bits ---- */

typedef uint32_t lanes_32 __attribute__((vector_size(BYTES), may_alias));
typedef int32_t signed_lanes_32 __attribute__((vector_size(BYTES)));
typedef float floats_32 __attribute__((vector_size(BYTES)));

/* Hooks for lanes of 32 bits. */
static ALWAYS_INLINE lanes_32 select_32(lanes_32 mask, lanes_32 a, lanes_32 b)
{
    return (a & mask) | (b & ~mask);
}

/* Signed and unsigned maxima of 8 lanes. */
static ALWAYS_INLINE lanes_32 max_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static ALWAYS_INLINE lanes_32 umax_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm256_max_epu32((__m256i)a, (__m256i)b);
}

/* a > b unsigned without such a comparison: max(a, b) differs from b exactly there.
 *   a            5          3          80000000
 *   b            4          7          7fffffff
 *   max ^ b      5 ^ 4 = 1  7 ^ 7 = 0  80000000 ^ 7fffffff = ffffffff      a signed maximum would miss the last */
static ALWAYS_INLINE bool any_above_32(lanes_32 a, lanes_32 b)
{
    __m256i above = _mm256_xor_si256(_mm256_max_epu32((__m256i)a, (__m256i)b), (__m256i)b);
    return !_mm256_testz_si256(above, above);
}

/* A store past the caches. */
static ALWAYS_INLINE void stream_32(void *memory, lanes_32 v)
{
    _mm256_stream_si256(memory, (__m256i)v);
}

/* 32 words to 32 bytes: the picture at the top. */
static ALWAYS_INLINE void store_bytes(void *memory, const lanes_32 *c, bool stream)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i low = _mm256_packus_epi32((__m256i)c[0], (__m256i)c[1]);
    __m256i high = _mm256_packus_epi32((__m256i)c[2], (__m256i)c[3]);
    bndi_put_32_bytes(memory, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order), stream);
}

/* 16 words to 16-bit words: one pack, then the 64-bit quarters in the order 0, 2, 1, 3. An order has two bits per
 * place, the lowest place first: d8 is 11 01 10 00.
 *   packus_epi32(a, b)   a0-3 b0-3 | a4-7 b4-7
 *   permuted             a0-3 a4-7 | b0-3 b4-7 */
static ALWAYS_INLINE __m256i halves(__m256i a, __m256i b)
{
    enum { ORDER = 0xd8 }; /* 0, 2, 1, 3 */
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), ORDER);
}

/* GROUP vectors of codes to words of 1, 2 or 4 bytes. `shift` is for tf32, whose codes stand in the upper bits of a
 * word. */
static ALWAYS_INLINE void store_codes_32(void *memory, const lanes_32 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
    switch (bytes) {
    case 1:
        store_bytes(memory, c, stream);
        break;
    case 2:
        bndi_put_32_bytes(to, halves((__m256i)c[0], (__m256i)c[1]), stream);
        bndi_put_32_bytes(to + BYTES, halves((__m256i)c[2], (__m256i)c[3]), stream);
        break;
    default:
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            bndi_put_32_bytes(to + i * BYTES, (__m256i)(c[i] << shift), stream);
        }
        break;
    }
}

/* Vectors of codes from words of 1, 2 or 4 bytes, with zeros above. */
static ALWAYS_INLINE void load_some_32(lanes_32 *c, const void *memory, unsigned bytes, size_t count)
{
    const char *from = memory;
    if (bytes == 1) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(from + i * 8)));
        }
    } else if (bytes == 2) {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(from + i * 16)));
        }
    } else {
        UNROLL
        for (size_t i = 0; i < count; i++) {
            c[i] = (lanes_32)_mm256_loadu_si256((const void *)(from + i * 32));
        }
    }
}

#define LANE_BITS 32
#include "bulk/lanes_template.h"

/* ---- and of 64 ---- */

typedef uint64_t lanes_64 __attribute__((vector_size(BYTES), may_alias));
typedef int64_t signed_lanes_64 __attribute__((vector_size(BYTES)));
typedef double floats_64 __attribute__((vector_size(BYTES)));

/* Hooks for lanes of 64 bits. Codes of 8 bytes exist here; narrower ones are packed by 32-bit words first. */
static ALWAYS_INLINE lanes_64 select_64(lanes_64 mask, lanes_64 a, lanes_64 b)
{
    return (a & mask) | (b & ~mask);
}

/* The larger of two exponent fields in place. There is no maximum of 64-bit integers, but these words are powers of
 * two, zero or infinity as doubles, whose order is the same, and no subnormal or NaN is among them. */
static ALWAYS_INLINE lanes_64 max_64(lanes_64 a, lanes_64 b)
{
    return (lanes_64)_mm256_max_pd((__m256d)a, (__m256d)b);
}

/* a > b unsigned: only a signed comparison exists, so both sign bits are flipped. 8000000000000000 > 1 becomes 0 >
 * 8000000000000001, which as signed numbers is true, too. */
static ALWAYS_INLINE __m256i above_64(lanes_64 a, lanes_64 b)
{
    const lanes_64 sign = (lanes_64){0} + (UINT64_C(1) << 63); /* there are only signed comparisons */
    return _mm256_cmpgt_epi64((__m256i)(a ^ sign), (__m256i)(b ^ sign));
}

/* The larger unsigned lane: compared, then blended. */
static ALWAYS_INLINE lanes_64 umax_64(lanes_64 a, lanes_64 b)
{
    return (lanes_64)_mm256_blendv_epi8((__m256i)b, (__m256i)a, above_64(a, b));
}

/* Any byte of any lane of the mask. */
static ALWAYS_INLINE bool any_above_64(lanes_64 a, lanes_64 b)
{
    return _mm256_movemask_epi8(above_64(a, b)) != 0;
}

/* The same for lanes of 64 bits. */
static ALWAYS_INLINE void stream_64(void *memory, lanes_64 v)
{
    _mm256_stream_si256(memory, (__m256i)v);
}

/* The lower 32-bit words of eight 64-bit lanes: one shuffle takes the even words of both, per half; then the order 0,
 * 2, 1, 3. EVEN, 10 00 10 00, takes words 0 and 2 of a, then of b:
 *   shuffle     a0 a1 b0 b1 | a2 a3 b2 b3
 *   permuted    a0 a1 a2 a3 | b0 b1 b2 b3 */
static ALWAYS_INLINE __m256i lower_words(lanes_64 a, lanes_64 b)
{
    enum { EVEN = 0x88, ORDER = 0xd8 };
    __m256 words = _mm256_shuffle_ps((__m256)a, (__m256)b, EVEN);
    return _mm256_permute4x64_epi64((__m256i)words, ORDER);
}

/* GROUP vectors of codes, 16 in all, to words of 1, 2, 4 or 8 bytes: 64 to 32 bits first, then to 16 and to 8. */
static ALWAYS_INLINE void store_codes_64(void *memory, const lanes_64 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
    if (bytes == 8) {
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            bndi_put_32_bytes(to + i * BYTES, (__m256i)(c[i] << shift), stream);
        }
        return;
    }
    __m256i low = lower_words(c[0] << shift, c[1] << shift), high = lower_words(c[2] << shift, c[3] << shift);
    if (bytes == 4) {
        bndi_put_32_bytes(to, low, stream);
        bndi_put_32_bytes(to + BYTES, high, stream);
        return;
    }
    __m256i all = halves(low, high);
    if (bytes == 2) {
        bndi_put_32_bytes(to, all, stream);
    } else {
        __m128i narrow = _mm_packus_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
        _mm_storeu_si128((void *)to, narrow);
    }
}

/* Four bytes into the low end of a vector. */
static ALWAYS_INLINE __m128i load_4(const void *memory)
{
    int32_t word;
    __builtin_memcpy(&word, memory, sizeof word);
    return _mm_cvtsi32_si128(word);
}

/* Vectors of codes from words of 1, 2, 4 or 8 bytes, zeros above. */
static ALWAYS_INLINE void load_some_64(lanes_64 *c, const void *memory, unsigned bytes, size_t count)
{
    const char *from = memory;
    UNROLL
    for (size_t i = 0; i < count; i++) {
        switch (bytes) {
        case 1:
            c[i] = (lanes_64)_mm256_cvtepu8_epi64(load_4(from + i * 4));
            break;
        case 2:
            c[i] = (lanes_64)_mm256_cvtepu16_epi64(_mm_loadl_epi64((const void *)(from + i * 8)));
            break;
        case 4:
            c[i] = (lanes_64)_mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)(from + i * 16)));
            break;
        default:
            c[i] = (lanes_64)_mm256_loadu_si256((const void *)(from + i * 32));
            break;
        }
    }
}

#define LANE_BITS 64
#include "bulk/lanes_template.h"

/* ---- kernels of their own: fp16, bf16, and formats of at most 8 bits ---- */

/* Each of the following kernels does whole groups of 32 elements for as long as all of them are plain and returns how
 * many elements that was. The next A_WHILE elements are then the generic kernel's, which costs little and gets past a
 * cluster of special numbers. */
typedef size_t plain_groups(const bndi_plan *plan, char *out, const char *in, size_t n);

enum { PLAIN = 32, A_WHILE = 256 };

/* Unaligned load of 32 bytes. */
static ALWAYS_INLINE __m256i load(const char *in)
{
    return _mm256_loadu_si256((const void *)in);
}

/* Where results bypass the caches, the inputs are prefetched. A prefetch beyond the array does nothing and cannot
 * fault. */
static ALWAYS_INLINE void ask_for(const char *in, size_t bytes)
{
    enum { AHEAD = 2048, LINE = 64 };
    const uintptr_t from = (uintptr_t)in + AHEAD;
    for (size_t i = 0; i < bytes; i += LINE) {
        _mm_prefetch((const void *)(from + i), _MM_HINT_T0);
    }
}

/* No bit set: the test at the end of a group. */
static ALWAYS_INLINE bool is_zero(__m256i v)
{
    return _mm256_testz_si256(v, v);
}

/* fp32 to fp16 by the instruction, which rounds as MXCSR says. Codes up to 7bff (65504) are right for every policy:
 * toward zero the instruction gives the largest number for a number one step too large, and so does every policy. A
 * code of 7c00 or more, an infinity or a NaN, means that the number was not plain, and the group is given up before it
 * is stored. */
static size_t encode_halves(const bndi_plan *plan, char *out, const char *in, size_t n)
{
    const __m256i magnitude = _mm256_set1_epi16(0x7fff), last = _mm256_set1_epi16(0x7bff);
    const bool stream = plan->stream;
    size_t done = 0;
    for (; n - done >= PLAIN; done += PLAIN, in += PLAIN * 4, out += PLAIN * 2) {
        if (stream) {
            ask_for(in, PLAIN * 4);
        }
        __m128i c[4];
        UNROLL
        for (size_t i = 0; i < 4; i++) {
            c[i] = _mm256_cvtps_ph(_mm256_loadu_ps((const void *)(in + i * BYTES)), _MM_FROUND_CUR_DIRECTION);
        }
        /* Codes of 32 numbers in two vectors; their magnitudes may not be above 7bff. */
        __m256i low = _mm256_set_m128i(c[1], c[0]), high = _mm256_set_m128i(c[3], c[2]);
        __m256i larger = _mm256_max_epu16(_mm256_and_si256(low, magnitude), _mm256_and_si256(high, magnitude));
        if (!is_zero(_mm256_subs_epu16(larger, last))) {
            break;
        }
        bndi_put_32_bytes(out, low, stream);
        bndi_put_32_bytes(out + BYTES, high, stream);
    }
    return done;
}

/* fp16 to fp32 by the instruction, all codes: a NaN comes out quiet, with sign and payload, as the codec has it. */
static size_t decode_halves(const bndi_plan *plan, char *out, const char *in, size_t n)
{
    const bool stream = plan->stream;
    size_t done = 0;
    for (; n - done >= PLAIN; done += PLAIN, in += PLAIN * 2, out += PLAIN * 4) {
        if (stream) {
            ask_for(in, PLAIN * 2);
        }
        UNROLL
        for (size_t i = 0; i < 4; i++) {
            __m256 x = _mm256_cvtph_ps(_mm_loadu_si128((const void *)(in + i * 16)));
            bndi_put_32_bytes(out + i * BYTES, _mm256_castps_si256(x), stream);
        }
    }
    return done;
}

/* fp32 to bf16, 16 numbers at a time as halves of words, to nearest even. The upper half is the code; it goes up by one
 * where the lower half is above 8000, or equal to it and the upper one odd. Adding the odd bit to the lower half
 * (saturating) turns both conditions into one:
 *
 *   x                             3f80 8000    3f81 8000    c049 0fdb    3dcc cccd
 *   upper                         3f80         3f81         c049         3dcc
 *   lower                         8000         8000         0fdb         cccd
 *   rest = lower + (upper & 1)    8000         8001         0fdc         cccd
 *   stays: rest <= 8000           -1           0            -1           0
 *   upper + 1 + stays             3f80         3f82         c049         3dcd
 *
 * rest <= half is min(rest, half) == rest, since there is no unsigned comparison of 16-bit words. */
static ALWAYS_INLINE __m256i rounded_halves(__m256i a, __m256i b, __m256i *upper)
{
    const __m256i one = _mm256_set1_epi16(1), half = _mm256_set1_epi16((short)0x8000), zero = _mm256_setzero_si256();
    *upper = _mm256_packus_epi32(_mm256_srli_epi32(a, 16), _mm256_srli_epi32(b, 16));
    __m256i lower = _mm256_packus_epi32(_mm256_blend_epi16(a, zero, 0xaa), _mm256_blend_epi16(b, zero, 0xaa));
    __m256i rest = _mm256_adds_epu16(lower, _mm256_and_si256(*upper, one));
    __m256i stays = _mm256_cmpeq_epi16(_mm256_min_epu16(rest, half), rest);
    return _mm256_add_epi16(_mm256_add_epi16(*upper, one), stays);
}

/* Formats with the exponents of fp32 and 16 bits, nearest even. 7f7e is the last upper half that cannot round to
 * infinity. */
static size_t encode_uppers(const bndi_plan *plan, char *out, const char *in, size_t n)
{
    enum { ORDER = 0xd8 };
    const __m256i magnitude = _mm256_set1_epi16(0x7fff), last = _mm256_set1_epi16(0x7f7e);
    const bool stream = plan->stream;
    size_t done = 0;
    for (; n - done >= PLAIN; done += PLAIN, in += PLAIN * 4, out += PLAIN * 2) {
        if (stream) {
            ask_for(in, PLAIN * 4);
        }
        __m256i upper[2], code[2];
        UNROLL
        for (size_t i = 0; i < 2; i++) {
            const char *at = in + 2 * i * BYTES;
            code[i] = rounded_halves(load(at), load(at + BYTES), upper + i);
        }
        /* The upper half of the input decides, before rounding. */
        __m256i larger = _mm256_max_epu16(_mm256_and_si256(upper[0], magnitude), _mm256_and_si256(upper[1], magnitude));
        if (!is_zero(_mm256_subs_epu16(larger, last))) {
            break;
        }
        bndi_put_32_bytes(out, _mm256_permute4x64_epi64(code[0], ORDER), stream);
        bndi_put_32_bytes(out + BYTES, _mm256_permute4x64_epi64(code[1], ORDER), stream);
    }
    return done;
}

/* All codes but NaNs, which must come out quiet: zeros below every code make the words. Interleaving with zeros works
 * within halves, so the codes are permuted beforehand; z is 0000:
 *   c[i]                c0-3 c4-7 | c8-11 c12-15
 *   permuted            c0-3 c8-11 | c4-7 c12-15
 *   unpacklo(z, c)      z c0 z c1 z c2 z c3 | z c4 ..     the words of c0-7: 3f80 gives 3f800000
 *   unpackhi(z, c)      the words of c8-15 */
static size_t decode_uppers(const bndi_plan *plan, char *out, const char *in, size_t n)
{
    enum { ORDER = 0xd8 };
    const __m256i magnitude = _mm256_set1_epi16(0x7fff), last = _mm256_set1_epi16(0x7f80);
    const __m256i zero = _mm256_setzero_si256();
    const bool stream = plan->stream;
    size_t done = 0;
    for (; n - done >= PLAIN; done += PLAIN, in += PLAIN * 2, out += PLAIN * 4) {
        if (stream) {
            ask_for(in, PLAIN * 2);
        }
        __m256i c[2] = {load(in), load(in + BYTES)};
        __m256i larger = _mm256_max_epu16(_mm256_and_si256(c[0], magnitude), _mm256_and_si256(c[1], magnitude));
        if (!is_zero(_mm256_subs_epu16(larger, last))) {
            break;
        }
        UNROLL
        for (size_t i = 0; i < 2; i++) {
            char *to = out + 2 * i * BYTES;
            c[i] = _mm256_permute4x64_epi64(c[i], ORDER);
            bndi_put_32_bytes(to, _mm256_unpacklo_epi16(zero, c[i]), stream);
            bndi_put_32_bytes(to + BYTES, _mm256_unpackhi_epi16(zero, c[i]), stream);
        }
    }
    return done;
}

/* Codes of at most 8 bits, by x + M as in lanes_template.h (its head has the example): the code's magnitude is in the
 * lowest byte of the sum plus the exponent field, and the masks of four vectors are packed as above. Signs travel
 * apart: packs with signed saturation keep the sign of each word, so one byte per number has it in bit 7, from where it
 * is shifted to the code's. by_size: the mode ignores the sign (nearest, toward zero), so magnitudes are rounded and M
 * needs no sign.
 *
 * `largest` is the largest magnitude of the group. u > max covers NaN and infinity as well, signed: magnitudes are
 * positive. Signs, for words 3e99999a (0.3), c1880000 (-17) and ff800000 (-infinity):
 *   packs_epi32   7fff  8000  8000      saturated to 16 bits with the sign of the word
 *   packs_epi16   7f    80    80        bit 7 is the sign */
static ALWAYS_INLINE size_t encode_bytes(bool by_size, const bndi_plan *plan, char *out, const char *in, size_t n)
{
    const unsigned magnitude_bits = bnd_magnitude_bits(&plan->format);
    const int code_bits = (1 << magnitude_bits) - 1;
    const __m256i magnitude = _mm256_set1_epi32(0x7fffffff), top = _mm256_set1_epi32(0x7f800000);
    const __m256i max = _mm256_set1_epi32((int)plan->max), magic = _mm256_set1_epi32((int)plan->code_magic);
    const __m256i bottom = _mm256_set1_epi32((int)((uint32_t)plan->bottom << 23));
    const __m256i to_code = _mm256_set1_epi32((int)plan->drop), code_mask = _mm256_set1_epi32(code_bits);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7), sign_bit = _mm256_set1_epi8((char)0x80);
    const __m128i to_sign = _mm_cvtsi32_si128((int)(7 - magnitude_bits));
    const bool stream = plan->stream;
    size_t done = 0;
    for (; n - done >= PLAIN; done += PLAIN, in += PLAIN * 4, out += PLAIN) {
        if (stream) {
            ask_for(in, PLAIN * 4);
        }
        __m256i x[4], c[4], largest = _mm256_setzero_si256();
        UNROLL
        for (size_t i = 0; i < 4; i++) {
            /* u is the magnitude, e its power of two, not below the lowest normal one, m is M. */
            x[i] = load(in + i * BYTES);
            __m256i u = _mm256_and_si256(x[i], magnitude);
            __m256i e = _mm256_max_epi32(_mm256_and_si256(u, top), bottom);
            __m256i m = _mm256_add_epi32(e, magic), number = u;
            if (!by_size) {
                m = _mm256_or_si256(m, _mm256_xor_si256(x[i], u));
                number = x[i];
            }
            __m256 t = _mm256_add_ps(_mm256_castsi256_ps(number), _mm256_castsi256_ps(m));
            c[i] = _mm256_add_epi32(_mm256_castps_si256(t), _mm256_srlv_epi32(e, to_code));
            c[i] = _mm256_and_si256(c[i], code_mask);
            largest = _mm256_max_epi32(largest, u);
        }
        if (!is_zero(_mm256_cmpgt_epi32(largest, max))) {
            break;
        }
        /* Magnitudes and signs are packed alike, so one permutation orders both. */
        __m256i code = _mm256_packus_epi16(_mm256_packus_epi32(c[0], c[1]), _mm256_packus_epi32(c[2], c[3]));
        __m256i sign = _mm256_packs_epi16(_mm256_packs_epi32(x[0], x[1]), _mm256_packs_epi32(x[2], x[3]));
        sign = _mm256_srl_epi16(_mm256_and_si256(sign, sign_bit), to_sign);
        code = _mm256_permutevar8x32_epi32(_mm256_or_si256(code, sign), order);
        bndi_put_32_bytes(out, code, stream);
    }
    return done;
}

/* Nearest and toward zero. */
static size_t encode_bytes_by_size(const bndi_plan *plan, char *out, const char *in, size_t n)
{
    return encode_bytes(true, plan, out, in, n);
}

/* Up and down: the sum must see the sign of x. */
static size_t encode_bytes_by_sign(const bndi_plan *plan, char *out, const char *in, size_t n)
{
    return encode_bytes(false, plan, out, in, n);
}

/* Codes of at most 8 bits, and at most 4 exponent bits or the specials of fp16: the fields are moved to where fp16 has
 * its own, converted, and multiplied by the power of two by which the biases differ, 2^(emin + 14), which is exact. The
 * instruction handles subnormals, so there is no case for them. e4m3, to_place = 7, scale = 2^8:
 *
 *   code            2a            01                 d9
 *   magnitude << 7  1500          0080               2c80
 *   | sign << 8     1500          0080               ac80
 *   as fp16         1.25 2^-10    2^-17 (subnormal)  -1.125 2^-4
 *   * 2^8           0.3125        2^-9               -18
 *
 * Codes above `last` (NaNs) end the run; the fnuz NaN, the code of negative zero, is compared apart, and `never`
 * switches that comparison off for other formats. */
static size_t decode_bytes(const bndi_plan *plan, char *out, const char *in, size_t n)
{
    const bnd_format *f = &plan->format;
    const unsigned magnitude_bits = bnd_magnitude_bits(f), sign = 1u << magnitude_bits;
    const bool like_half = f->exponent_bits == 5;
    const __m256i magnitude = _mm256_set1_epi16((short)(sign - 1)), sign_bit = _mm256_set1_epi16((short)sign);
    const __m256i magnitudes = _mm256_set1_epi8((char)(sign - 1)), width = _mm256_set1_epi8((char)(2 * sign - 1));
    const __m256i last = _mm256_set1_epi8((char)(like_half ? 0xff : f->max_code));
    const __m256i zero_nan = _mm256_set1_epi8((char)(f->zero_nan ? f->nan_code : 0xff));
    const __m256i never = _mm256_set1_epi8((char)(f->zero_nan ? 0xff : 0));
    const __m128i to_place = _mm_cvtsi32_si128(10 - f->fraction_bits);
    const __m128i to_sign = _mm_cvtsi32_si128((int)(15 - magnitude_bits));
    const __m256 scale = _mm256_castsi256_ps(_mm256_set1_epi32((f->emin + 14 + 127) << 23));
    const bool stream = plan->stream;
    size_t done = 0;
    for (; n - done >= PLAIN; done += PLAIN, in += PLAIN, out += PLAIN * 4) {
        if (stream) {
            ask_for(in, PLAIN);
        }
        /* Special codes first: magnitudes above the last finite one, and the NaN of fnuz formats. */
        __m256i c = load(in);
        __m256i above = _mm256_subs_epu8(_mm256_and_si256(c, magnitudes), last);
        __m256i nan = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(c, width), zero_nan), never);
        if (!is_zero(_mm256_or_si256(above, nan))) {
            break;
        }
        UNROLL
        for (size_t i = 0; i < 2; i++) {
            /* 16 codes as words of 16 bits, their fields where fp16 has them. */
            __m256i w = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(in + i * 16)));
            __m256i h = _mm256_or_si256(_mm256_sll_epi16(_mm256_and_si256(w, magnitude), to_place),
                                        _mm256_sll_epi16(_mm256_and_si256(w, sign_bit), to_sign));
            __m256 low = _mm256_mul_ps(_mm256_cvtph_ps(_mm256_castsi256_si128(h)), scale);
            __m256 high = _mm256_mul_ps(_mm256_cvtph_ps(_mm256_extracti128_si256(h, 1)), scale);
            bndi_put_32_bytes(out + 2 * i * BYTES, _mm256_castps_si256(low), stream);
            bndi_put_32_bytes(out + (2 * i + 1) * BYTES, _mm256_castps_si256(high), stream);
        }
    }
    return done;
}

/* ---- which kernel ---- */

/* IEEE binary16 in every field. */
static bool is_half(const bnd_format *f)
{
    return f->is_signed && f->exponent_bits == 5 && f->fraction_bits == 10 && f->bias == 15 && f->ieee_nans &&
           f->has_subnormals;
}

/* The special kernel for a plan, or NULL. They know nothing of random bits, unsigned formats or special zeros. */
static plain_groups *encoder(const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    /* Numbers from 0 to the largest one must be plain, zeros and subnormals among them. */
    bool every_number = plan->plain_low == 0 && f->is_signed && plan->code_shift == 0;
    bool by_mode = plan->family == BNDI_FLOAT && plan->extra == 0 && plan->rule.rounding != BND_ROUND_RTO &&
                   plan->rule.rounding != BND_ROUND_SR_EQUAL;
    if (!every_number) {
        return NULL;
    }
    if (by_mode && plan->code_bytes == 1) {
        bool up_or_down = plan->mode_to_set == BND_ROUND_RUP || plan->mode_to_set == BND_ROUND_RDN;
        return up_or_down ? encode_bytes_by_sign : encode_bytes_by_size;
    }
    if (by_mode && is_half(f)) {
        return encode_halves;
    }
    bool upper = plan->family == BNDI_UNIFORM && plan->drop == 16 && plan->bottom == 1 && plan->code_bytes == 2;
    return upper && plan->rule.rounding == BND_ROUND_RNE ? encode_uppers : NULL;
}

/* The same for codes to words. */
static plain_groups *decoder(const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    if (!plan->exact || !f->is_signed || !f->has_subnormals || !f->has_zero || plan->code_shift != 0) {
        return NULL;
    }
    if (plan->code_bytes == 1) {
        int field = f->emin + 14 + 127; /* of the power of two */
        bool as_half = f->exponent_bits < 5 || (f->exponent_bits == 5 && f->ieee_nans && f->has_infinity);
        return as_half && field >= 1 && field <= 254 ? decode_bytes : NULL;
    }
    if (f->width != 16 || !f->ieee_nans) {
        return NULL;
    }
    bool upper = f->exponent_bits == 8 && f->bias == 127 && f->has_infinity;
    return is_half(f) ? decode_halves : upper ? decode_uppers : NULL;
}

/* Alternates between the special kernel and the generic one, until nothing is left. The generic one also takes the end
 * of the array, which is not a whole group. step_in and step_out are the bytes per element on either side. */
static ALWAYS_INLINE void by_groups(const bndi_plan *plan, bool to_codes, plain_groups *plain, void *y, const void *x,
                                    size_t n)
{
    const size_t step_in = to_codes ? 4 : plan->code_bytes, step_out = to_codes ? plan->code_bytes : 4;
    const char *in = x;
    char *out = y;
    while (n > 0) {
        size_t done = plain(plan, out, in, n), rest = n - done < A_WHILE ? n - done : A_WHILE;
        in += done * step_in;
        out += done * step_out;
        if (to_codes) {
            encode_32(plan, out, in, NULL, rest);
        } else {
            decode_32(plan, out, in, rest);
        }
        in += rest * step_in;
        out += rest * step_out;
        n -= done + rest;
    }
}

/* The entries of the table. */
static void encode_any_32(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    plain_groups *plain = encoder(plan);
    if (plain != NULL) {
        by_groups(plan, true, plain, codes, x, n);
    } else {
        encode_32(plan, codes, x, random, n);
    }
}

/* Codes to words: the special kernel if there is one. */
static void decode_any_32(const bndi_plan *plan, void *y, const void *codes, size_t n)
{
    plain_groups *plain = decoder(plan);
    if (plain != NULL) {
        by_groups(plan, false, plain, y, codes, n);
    } else {
        decode_32(plan, y, codes, n);
    }
}

/* The table: the template's kernels, then what this back end does better. */
void bndi_fill_avx2(bndi_kernels *kernels)
{
    fill_32(kernels);
    fill_64(kernels);
    kernels->encode[BNDI_WORDS_32] = encode_any_32;
    kernels->decode[BNDI_WORDS_32] = decode_any_32;
    kernels->tally[BNDI_WORDS_32] = bndi_tally_avx2;
    kernels->tally[BNDI_WORDS_64] = bndi_tally_64_avx2;
    kernels->random = bndi_random_avx2;
    bndi_fill_avx2_operations(kernels);
    kernels->pack = bndi_pack_avx2;
    kernels->unpack = bndi_unpack_avx2;
}
