/* Rounding for the statistics of AVX-512 (avx512_tally.c): the steps of lanes_template.h for numbers in range only,
 * whose results are wanted as words too, to be counted, and stored as words or codes in the same pass.
 *
 * Two of the steps exist here: x + M - M, and nearest even by an addition to the bits. An example of each, e4m3 and
 * bf16:
 *
 *   rounded_float   u = 3e99999a (0.3)    e = 3e800000, M = e + 0a000038 = 48800038, t = 48800042, y = t - M = 3ea00000
 *                                         code = t + (e >> 20) = 4880042a: low byte 2a
 *   rounded_bits    x = 3f818000          odd = 1, x + 7fff + 1 = 3f820000, & ffff0000: y = 3f820000, code 3f82
 *
 * Note that M carries the code's offset 38 for codes and none for words: y is the same, since t - M takes it away
 * again. */
#ifndef BINADE_SRC_BULK_AVX512_ROUNDING_H
#define BINADE_SRC_BULK_AVX512_ROUNDING_H

#include "bulk/avx512_histogram.h"

enum { TOP = 0x7f800000 };

/* What a run does with a number: it counts results that exist already (GIVEN), or results equal to the input (SAME), or
 * it rounds by one of the two steps and writes words, bytes or 16-bit codes. */
typedef enum way { GIVEN, SAME, FLOAT_WORDS, FLOAT_BYTES, FLOAT_HALVES, BITS_WORDS, BITS_HALVES, WAYS } way;

/* The plan as vectors. */
typedef struct rounding {
    __m512i bottom, magic, base, one, keep, drop, code_bits, sign_bit;
    __m128i to_sign;
} rounding;

/* From the plan; `to_codes` decides whether M has the code's offset. */
static void set_rounding(rounding *r, const bndi_plan *plan, bool to_codes)
{
    const unsigned magnitude_bits = bnd_magnitude_bits(&plan->format);
    const bool bytes = plan->code_bytes == 1;
    const uint32_t unit = (uint32_t)1 << plan->drop;
    /* e4m3: bottom 3c800000 (2^-6), magic 0a000000 (20 << 23) or code_magic 0a000038, code_bits 7f, sign_bit 80,
     * to_sign 0. bf16: unit 10000, base 7fff, keep ffff0000. */
    r->bottom = _mm512_set1_epi32((int)((uint32_t)plan->bottom << 23));
    r->magic = _mm512_set1_epi32((int)(to_codes ? plan->code_magic : plan->magic));
    r->base = _mm512_set1_epi32((int)(unit / 2 - 1));
    r->one = _mm512_set1_epi32(1);
    r->keep = _mm512_set1_epi32((int)~(unit - 1));
    r->drop = _mm512_set1_epi32((int)plan->drop);
    r->code_bits = bytes ? _mm512_set1_epi8((char)((1u << magnitude_bits) - 1))
                         : _mm512_set1_epi16((short)((1u << magnitude_bits) - 1));
    r->sign_bit =
        bytes ? _mm512_set1_epi8((char)(1u << magnitude_bits)) : _mm512_set1_epi16((short)(1u << magnitude_bits));
    r->to_sign = _mm_cvtsi32_si128((int)((bytes ? 7 : 15) - magnitude_bits));
}

/* x + M - M. For codes x is a magnitude: signs play no part in nearest and toward zero, and are put in when codes are
 * stored. For words M takes the sign of x; where zeros may occur (`zeros`) the result takes it, too. */
static ALWAYS_INLINE __m512i rounded_float(const rounding *r, way w, bool zeros, __m512i x, __m512i *code)
{
    const __m512i top = _mm512_set1_epi32(TOP), magnitude = _mm512_set1_epi32(0x7fffffff);
    __m512i e = _mm512_max_epi32(_mm512_and_si512(x, top), r->bottom), m = _mm512_add_epi32(e, r->magic);
    if (w == FLOAT_WORDS) {
        m = _mm512_ternarylogic_epi32(m, x, magnitude, 0xe4);
    }
    __m512 t = _mm512_add_ps(_mm512_castsi512_ps(x), _mm512_castsi512_ps(m));
    __m512i y = _mm512_castps_si512(_mm512_sub_ps(t, _mm512_castsi512_ps(m)));
    if (w == FLOAT_WORDS) {
        return zeros ? _mm512_ternarylogic_epi32(y, x, magnitude, 0xe4) : y; /* zeros have the sign of x */
    }
    *code = _mm512_add_epi32(_mm512_castps_si512(t), _mm512_srlv_epi32(e, r->drop));
    return y;
}

/* BITS_NEAREST of lanes_template.h: half a unit less one, and one more if the last bit kept is odd, so that ties go to
 * even. 3f808000: odd 0, sum 3f80ffff, cut to 3f800000. 3f818000: odd 1, sum 3f820000. A carry into the exponent is
 * right by the layout of the word. */
static ALWAYS_INLINE __m512i rounded_bits(const rounding *r, __m512i x)
{
    __m512i odd = _mm512_and_si512(_mm512_srlv_epi32(x, r->drop), r->one);
    return _mm512_and_si512(_mm512_add_epi32(_mm512_add_epi32(x, r->base), odd), r->keep);
}

/* Stores 64 codes of a byte: their magnitudes are the lowest bytes of four vectors, their signs the top bits of x. Two
 * permutations of two vectors each, twice. Returns the magnitudes, by which results of zero are counted. */
TARGET static ALWAYS_INLINE __m512i put_bytes(const rounding *r, char *out, const __m512i *code, const __m512i *x)
{
    static const uint8_t bytes[64] = {0,  4,  8,  12, 16, 20, 24, 28, 32, 36,  40,  44,  48,  52,  56,  60,
                                      64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124,
                                      0,  4,  8,  12, 16, 20, 24, 28, 32, 36,  40,  44,  48,  52,  56,  60,
                                      64, 68, 72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 124};
    const __m512i lowest = _mm512_loadu_si512(bytes), highest = _mm512_add_epi8(lowest, _mm512_set1_epi8(3));
    __m512i low = _mm512_permutex2var_epi8(code[0], lowest, code[1]);
    __m512i high = _mm512_permutex2var_epi8(code[2], lowest, code[3]);
    __m512i codes = _mm512_mask_blend_epi64(0xf0, low, high);
    low = _mm512_permutex2var_epi8(x[0], highest, x[1]);
    high = _mm512_permutex2var_epi8(x[2], highest, x[3]);
    __m512i signs = _mm512_srl_epi16(_mm512_mask_blend_epi64(0xf0, low, high), r->to_sign);
    codes = _mm512_and_si512(codes, r->code_bits);
    _mm512_storeu_si512(out, _mm512_ternarylogic_epi32(codes, signs, r->sign_bit, 0xf8));
    return codes;
}

/* The lower halves of two vectors' words, in order; and the upper ones. */
static ALWAYS_INLINE __m512i lower_halves(__m512i a, __m512i b)
{
    const __m512i even = _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26,
                                          24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_epi16(a, even, b);
}

/* The odd 16-bit words of two vectors, in order: the codes of bf16. */
static ALWAYS_INLINE __m512i upper_halves(__m512i a, __m512i b)
{
    const __m512i odd = _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29, 27, 25,
                                         23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    return _mm512_permutex2var_epi16(a, odd, b);
}

/* Stores 64 codes of 16 bits, with the signs of x. */
static ALWAYS_INLINE void put_halves(const rounding *r, char *out, const __m512i *code, const __m512i *x)
{
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        __m512i codes = lower_halves(code[2 * i], code[2 * i + 1]);
        __m512i signs = _mm512_srl_epi16(upper_halves(x[2 * i], x[2 * i + 1]), r->to_sign);
        codes = _mm512_ternarylogic_epi32(_mm512_and_si512(codes, r->code_bits), signs, r->sign_bit, 0xf8);
        _mm512_storeu_si512(out + 64 * i, codes);
    }
}

/* Stores a group in the way `w` says. Returns bytes that are zero where results are zero: codes, or exponent fields of
 * results. */
TARGET static ALWAYS_INLINE __m512i put_group(const rounding *r, way w, char *out, const __m512i *y,
                                              const __m512i *code, const __m512i *x, places p)
{
    if (w == FLOAT_BYTES) {
        return put_bytes(r, out, code, x);
    }
    if (w == FLOAT_HALVES) {
        put_halves(r, out, code, x);
    } else if (w == BITS_HALVES) {
        _mm512_storeu_si512(out, upper_halves(y[0], y[1]));
        _mm512_storeu_si512(out + 64, upper_halves(y[2], y[3]));
    } else if (w > SAME) {
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            _mm512_storeu_si512(out + 64 * i, y[i]);
        }
    }
    return exponents_of(y, p);
}

/* Bytes per result; 4 for GIVEN and SAME, which write nothing but prefetch as if. */
static ALWAYS_INLINE size_t bytes_out(way w)
{
    return w == FLOAT_BYTES ? 1 : w == FLOAT_HALVES || w == BITS_HALVES ? 2 : 4;
}

#endif
