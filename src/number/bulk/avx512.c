/* The back end for AVX-512 (F, BW, DQ, VL): 16 numbers of fp32 or 8 of fp64 per vector. It holds the hooks of
 * lanes_template.h and the choice of a kernel for each plan; avx512_mode_template.h, avx512_codes_template.h and
 * avx512_bytes_template.h, included below, have the kernels that go beyond the template.
 *
 * `select` is one instruction: ternarylogic(a, b, m, constant) looks up, for each bit, the bit of its constant whose
 * number is a b m in binary:
 *
 *   a b m        111 110 101 100 011 010 001 000
 *   m ? a : b     1   1   1   0   0   1   0   0      = e4 hex
 *
 * The other constants of this back end, in the same order of columns:
 *
 *   a | (b & c)   1   1   1   1   1   0   0   0      = f8
 *   a ^ b ^ c     1   0   0   1   0   1   1   0      = 96
 *
 * Narrowing works within 128-bit quarters, so one permutation at the end puts things in order, as in avx2.c. 64 words
 * from four vectors a, b, c, d to bytes (store_bytes), four bytes to each 32-bit word:
 *
 *   packus_epi32(a, b)            a0-3 b0-3  | a4-7 b4-7 | a8-11 b8-11 | a12-15 b12-15      16-bit words
 *   packus_epi16(that, c d)       a b c d of 0-3 | of 4-7 | of 8-11 | of 12-15              bytes
 *   permute by 0 4 8 12 1 5 ..    a0-15 | b0-15 | c0-15 | d0-15
 *
 * Which kernel a call gets, from the most special on (encode_any_32):
 *
 *   fp16, processor's modes           encode_half            the conversion instruction
 *   at most 8 bits, those modes       encode_bytes           x + M and byte permutations
 *   bf16 and its like, nearest even   encode_upper           upper halves
 *   the same, few random bits         encode_..._randomly    random bits below the last one kept
 *   everything else                   encode_32              lanes_template.h and its fallbacks */
#include "bulk/avx512.h"

enum { GROUP = 4 };
#define BYTES 64
#include "bulk/vectors_template.h"

/* ---- what instructions do better than the compiler's vectors, for lanes of 32 bits ---- */

/* Hooks for lanes of 32 bits. */
static ALWAYS_INLINE lanes_32 select_32(lanes_32 mask, lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)mask, 0xe4);
}

/* Signed and unsigned maxima of 16 lanes: of 80000000 and 1 the signed one takes 1, the unsigned one 80000000. Exponent
 * fields and magnitudes have a top bit of 0, so either does for them. */
static ALWAYS_INLINE lanes_32 max_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

static ALWAYS_INLINE lanes_32 umax_32(lanes_32 a, lanes_32 b)
{
    return (lanes_32)_mm512_max_epu32((__m512i)a, (__m512i)b);
}

/* Comparisons make a mask of one bit per lane in a register of its own, so "any lane" is one test of that register. */
static ALWAYS_INLINE bool any_above_32(lanes_32 a, lanes_32 b)
{
    return _mm512_cmpgt_epu32_mask((__m512i)a, (__m512i)b) != 0;
}

/* A store past the caches, of a whole line. */
static ALWAYS_INLINE void stream_32(void *memory, lanes_32 v)
{
    _mm512_stream_si512(memory, (__m512i)v);
}

/* 64 bytes to memory; `stream` needs them at a multiple of 64, which the caller of a plan with `stream` guarantees.
 * Such a store fills a whole line, so the line is not read first. */
static ALWAYS_INLINE void put_32(void *memory, __m512i v, bool stream)
{
    if (stream) {
        _mm512_stream_si512(memory, v);
    } else {
        _mm512_storeu_si512(memory, v);
    }
}

/* 64 words to 64 bytes: the picture at the top. The packs saturate, which changes nothing: codes are below 256, and
 * packus_epi16 reads its words as signed, of which none is negative. Words 2a, d8, 06, 7f of c[0] lie in the first
 * quarter as 002a 00d8 0006 007f, and then as the bytes 2a d8 06 7f. `order` collects the 32-bit words 0, 4, 8 and 12,
 * which are the bytes of c[0], then those of c[1], c[2] and c[3]. */
static ALWAYS_INLINE void store_bytes(void *memory, const lanes_32 *c, bool stream)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i low = _mm512_packus_epi32((__m512i)c[0], (__m512i)c[1]);
    __m512i high = _mm512_packus_epi32((__m512i)c[2], (__m512i)c[3]);
    put_32(memory, _mm512_permutexvar_epi32(order, _mm512_packus_epi16(low, high)), stream);
}

/* 64 words to 64 words of 16 bits: within quarters again, so quarters of 64 bits are put in order. packus_epi32
 * saturates at ffff, which a code of 16 bits does not exceed. With a, b for c[0], c[1]:
 *
 *   packus_epi32(a, b)   a0-3 b0-3 | a4-7 b4-7 | a8-11 b8-11 | a12-15 b12-15      places 0 1 | 2 3 | 4 5 | 6 7
 *   0 2 4 6 1 3 5 7      a0-3 a4-7 | a8-11 a12-15 | b0-3 b4-7 | b8-11 b12-15 */
static ALWAYS_INLINE void store_halves(void *memory, const lanes_32 *c, bool stream)
{
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    __m512i low = _mm512_packus_epi32((__m512i)c[0], (__m512i)c[1]);
    __m512i high = _mm512_packus_epi32((__m512i)c[2], (__m512i)c[3]);
    put_32(memory, _mm512_permutexvar_epi64(order, low), stream);
    put_32((char *)memory + 64, _mm512_permutexvar_epi64(order, high), stream);
}

/* GROUP vectors of codes to words of 1 or 2 bytes. */
static ALWAYS_INLINE void store_narrow_32(void *memory, const lanes_32 *c, unsigned bytes, unsigned shift, bool stream)
{
    (void)shift;
    if (bytes == 1) {
        store_bytes(memory, c, stream);
    } else {
        store_halves(memory, c, stream);
    }
}

/* A vector of codes from 16 bytes, or 16 words of 16 bits. */
static ALWAYS_INLINE lanes_32 from_bytes_32(const char *codes)
{
    return (lanes_32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)codes));
}

static ALWAYS_INLINE lanes_32 from_halves_32(const char *codes)
{
    return (lanes_32)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)codes));
}

#define LANE_BITS 32
#include "bulk/lanes_template.h"

/* ---- and of 64 ---- */

/* Hooks for lanes of 64 bits. The blend works on single bits, so the size of a lane does not matter to it. */
static ALWAYS_INLINE lanes_64 select_64(lanes_64 mask, lanes_64 a, lanes_64 b)
{
    return (lanes_64)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)mask, 0xe4);
}

/* Maxima of 64-bit lanes exist here, signed and unsigned. AVX2 has to make them of comparisons and blends. */
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

/* The same for lanes of 64 bits. */
static ALWAYS_INLINE void stream_64(void *memory, lanes_64 v)
{
    _mm512_stream_si512(memory, (__m512i)v);
}

/* The conversions cvtepi64_* keep the low part of each lane, in order: no permutation is needed. A vector of eight
 * lanes is 8, 16 or 32 bytes. Only words of 4 and 8 bytes are stored past the caches. */
static ALWAYS_INLINE void store_narrow_64(void *memory, const lanes_64 *c, unsigned bytes, unsigned shift, bool stream)
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
        default:
            if (stream) {
                _mm256_stream_si256((void *)(to + i * 32), _mm512_cvtepi64_epi32(v));
            } else {
                _mm256_storeu_si256((void *)(to + i * 32), _mm512_cvtepi64_epi32(v));
            }
            break;
        }
    }
}

/* A vector of eight codes from words of 1, 2 or 4 bytes. */
static ALWAYS_INLINE lanes_64 from_bytes_64(const char *codes)
{
    return (lanes_64)_mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)codes));
}

static ALWAYS_INLINE lanes_64 from_halves_64(const char *codes)
{
    return (lanes_64)_mm512_cvtepu16_epi64(_mm_loadu_si128((const void *)codes));
}

static ALWAYS_INLINE lanes_64 from_words_64(const char *codes)
{
    return (lanes_64)_mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)codes));
}

#define LANE_BITS 64
#include "bulk/lanes_template.h"

#include "bulk/avx512_mode_template.h"

#include "bulk/avx512_codes_template.h"

#include "bulk/avx512_bytes_template.h"

/* VBMI: permutations of bytes. Not every processor with AVX-512 has them, so this is tested where a kernel needs them.
 * Ice Lake and Zen 4 have them; Skylake and Cascade Lake do not, and take the template's kernels. */
static bool has_byte_permutations(void)
{
    return __builtin_cpu_supports("avx512vbmi");
}

/* Stochastic rounding with at most 16 random bits, in formats with nothing special at zero. Returns whether it did it.
 * SR with fewer than 16 bits for bf16, SRB for bytes, and SR_EQUAL have no special kernel: encode_32 takes them. */
static bool encodes_randomly(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    const unsigned rounding = plan->rule.rounding, bits = plan->random_bits;
    /* Nothing special at zero, a sign, and random entries of two bytes. */
    bool plain = plan->plain_low == 0 && plan->format.is_signed && plan->code_shift == 0 && plan->random_bytes == 2;
    if (!plain || rounding == BND_ROUND_SR_EQUAL) {
        return false;
    }
    if (plan->upper_half && (rounding != BND_ROUND_SR || bits == 16)) {
        encode_upper_randomly(plan, codes, x, random, n);
        return true;
    }
    if (plan->family == BNDI_FLOAT && plan->code_bytes == 1 && rounding != BND_ROUND_SRB && has_byte_permutations()) {
        encode_bytes_randomly(plan, codes, x, random, n);
        return true;
    }
    return false;
}

/* The entries of the table: the most special kernel that fits the plan. */
static void encode_any_32(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    const bnd_format *f = &plan->format;
    /* by_mode: x + M in the processor's rounding mode gives the result. upper: the code is the upper half of the word,
     * with nothing special at zero. */
    bool by_mode = goes_by_mode(plan) && plan->code_shift == 0;
    bool upper = plan->upper_half && plan->plain_low == 0 && f->is_signed && plan->rule.rounding == BND_ROUND_RNE;
    if (by_mode && plan->code_bytes == 2 && is_half(f)) {
        encode_half(plan, codes, x, n);
    } else if (by_mode && plan->code_bytes == 1 && has_byte_permutations()) {
        encode_bytes(plan, codes, x, n);
    } else if (upper) {
        encode_upper(plan, codes, x, n);
    } else if (encodes_randomly(plan, codes, x, random, n)) {
        return;
    } else {
        encode_32(plan, codes, x, random, n);
    }
}

/* Rounding by the processor's mode with masks for special numbers, where NaNs have no payload to keep; otherwise the
 * template. Masks put one NaN per sign into the lanes, so a payload would be lost. */
static void round_any_32(const bndi_plan *plan, void *y, const void *x, const void *random, size_t n)
{
    if (goes_by_mode(plan) && !plan->keeps_payload) {
        round_by_mode_32(plan, y, x, n);
    } else {
        round_32(plan, y, x, random, n);
    }
}

/* fp64 words to codes of one or two bytes by the processor's mode. The template takes wider codes, plans with `stream`,
 * and NaNs whose payload is kept. */
static void encode_any_64(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    if (goes_by_mode(plan) && !plan->keeps_payload && plan->code_bytes <= 2 && !plan->stream) {
        encode_by_mode_64(plan, codes, x, n);
    } else {
        encode_64(plan, codes, x, random, n);
    }
}

/* A table of a byte format's words pays from WORTH_A_TABLE elements on, since split_words decodes 128 codes to make
 * one, or from WORTH_LOADING on where it exists already (converter.c keeps it for many short arrays). Shorter arrays
 * and processors without VBMI use the template. Formats of 8 bits need a sign: bit 7 is not looked up. */
static void decode_any_32(const bndi_plan *plan, void *y, const void *codes, size_t n)
{
    enum { WORTH_A_TABLE = 1024, WORTH_LOADING = 64 };
    const size_t worth_it = plan->known != NULL ? WORTH_LOADING : WORTH_A_TABLE;
    const bnd_format *f = &plan->format;
    /* Codes that the decoders of 16 bits take: IEEE specials, which move along with the other codes. */
    bool plain_16 = plan->exact && f->width == 16 && plan->code_bytes == 2 && f->is_signed && f->ieee_nans;
    if (plain_16 && is_half(f)) {
        decode_half(plan, y, codes, n);
    } else if (plain_16 && f->exponent_bits == 8 && f->bias == 127 && f->has_subnormals) {
        decode_upper(plan, y, codes, n);
    } else if (plan->exact && plan->code_bytes == 1 && (f->width < 8 || f->is_signed) && n >= worth_it &&
               has_byte_permutations()) {
        decode_bytes(plan, y, codes, n);
    } else {
        decode_32(plan, y, codes, n);
    }
}

/* The template's kernels first, then what this back end does better. The statistics need more than the back end does:
 * VPOPCNTDQ, BITALG, VBMI and GFNI. Without them the table keeps the tally of AVX2, which was filled in before. */
void bndi_fill_avx512(bndi_kernels *kernels)
{
    fill_32(kernels);
    fill_64(kernels);
    kernels->round[BNDI_WORDS_32] = round_any_32;
    kernels->encode[BNDI_WORDS_32] = encode_any_32;
    kernels->encode[BNDI_WORDS_64] = encode_any_64;
    kernels->decode[BNDI_WORDS_32] = decode_any_32;
    kernels->random = bndi_random_avx512;
    kernels->random_blocks = bndi_random_blocks_avx512;
    kernels->random_runs = bndi_random_runs_avx512;
    bndi_fill_avx512_operations(kernels);
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg") &&
        has_byte_permutations() && __builtin_cpu_supports("gfni")) {
        kernels->tally[BNDI_WORDS_32] = bndi_tally_avx512;
        kernels->counts = bndi_counts_avx512;
        kernels->count = bndi_count_avx512;
    }
}
