/* The back end for AVX2, with F16C and BMI2: 8 numbers of fp32 or 4 of fp64 per vector. It has three parts: the hooks
 * of lanes_template.h (what the instruction set does better than the compiler's vectors), kernels of their own for
 * fp16, bf16 and codes of at most 8 bits (avx2_codes_template.h, included below), and the choice between them. What the
 * AVX-512 back end lacks it takes from here.
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
 * The packs saturate, which changes nothing: with_sign leaves no bit above the code's sign. */
#include "bulk/avx2.h"
#include "bulk/vectors_template.h"

enum { GROUP = 4 };

/* ---- what instructions do better than the compiler's vectors, for lanes of 32 bits ---- */

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

/* GROUP vectors of codes to words of 1 or 2 bytes. */
static ALWAYS_INLINE void store_narrow_32(void *memory, const lanes_32 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
    (void)shift;
    if (bytes == 1) {
        store_bytes(memory, c, stream);
    } else {
        bndi_put_32_bytes(to, halves((__m256i)c[0], (__m256i)c[1]), stream);
        bndi_put_32_bytes(to + BYTES, halves((__m256i)c[2], (__m256i)c[3]), stream);
    }
}

/* A vector of codes from 8 bytes, or 8 words of 16 bits. */
static ALWAYS_INLINE lanes_32 from_bytes_32(const char *codes)
{
    return (lanes_32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)codes));
}

static ALWAYS_INLINE lanes_32 from_halves_32(const char *codes)
{
    return (lanes_32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)codes));
}

#define LANE_BITS 32
#include "bulk/lanes_template.h"

/* ---- and of 64 ---- */

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

/* GROUP vectors of codes, 16 in all, to words of 1, 2 or 4 bytes: 64 to 32 bits first, then to 16 and to 8. */
static ALWAYS_INLINE void store_narrow_64(void *memory, const lanes_64 *c, unsigned bytes, unsigned shift, bool stream)
{
    char *to = memory;
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

/* A vector of four codes from words of 1, 2 or 4 bytes. */
static ALWAYS_INLINE lanes_64 from_bytes_64(const char *codes)
{
    return (lanes_64)_mm256_cvtepu8_epi64(load_4(codes));
}

static ALWAYS_INLINE lanes_64 from_halves_64(const char *codes)
{
    return (lanes_64)_mm256_cvtepu16_epi64(_mm_loadl_epi64((const void *)codes));
}

static ALWAYS_INLINE lanes_64 from_words_64(const char *codes)
{
    return (lanes_64)_mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)codes));
}

#define LANE_BITS 64
#include "bulk/lanes_template.h"

#include "bulk/avx2_codes_template.h"

/* ---- which kernel ---- */

/* IEEE binary16 in every field. */
static bool is_half(const bnd_format *f)
{
    return f->is_signed && f->exponent_bits == 5 && f->fraction_bits == 10 && f->bias == 15 && f->ieee_nans &&
           f->has_subnormals;
}

/* The special kernel for a plan, or NULL, where the template's kernel is used. No special kernel supports random bits,
 * unsigned formats or special zeros. The kernels, the first that fits:
 *
 *   codes of a byte, up and down                   encode_bytes_by_sign
 *   codes of a byte, nearest even, toward zero     encode_bytes_by_size
 *   fp16, these modes                              encode_halves
 *   bf16 and its like, nearest even                encode_uppers */
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
    return plan->upper_half && plan->rule.rounding == BND_ROUND_RNE ? encode_uppers : NULL;
}

/* The same for codes to words:
 *
 *   codes of a byte whose values are numbers of fp16 times a power of two     decode_bytes
 *   fp16                                                                      decode_halves
 *   bf16                                                                      decode_uppers */
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

/* The table: the template's kernels, then what this back end does better. The AVX-512 back end begins with this table
 * and replaces slots of it. */
void bndi_fill_avx2(bndi_kernels *kernels)
{
    fill_32(kernels);
    fill_64(kernels);
    kernels->encode[BNDI_WORDS_32] = encode_any_32;
    kernels->decode[BNDI_WORDS_32] = decode_any_32;
    kernels->tally[BNDI_WORDS_32] = bndi_tally_avx2;
    kernels->tally[BNDI_WORDS_64] = bndi_tally_64_avx2;
    kernels->random = bndi_random_avx2;
    kernels->random_blocks = bndi_random_blocks_avx2;
    kernels->random_runs = bndi_random_runs_avx2;
    bndi_fill_avx2_operations(kernels);
    kernels->pack = bndi_pack_avx2;
    kernels->unpack = bndi_unpack_avx2;
}
