/* For AVX-512: blocks of 32 neighbours whose scales are powers of two in e8m0, and elements of seven magnitudes. A set
 * is 16 blocks, each of two vectors, so that the 16 scales of a set fill one vector. block_kernels.c has the same for
 * the other back ends and for the remaining blocks, and an example of the steps.
 *
 * Encoding finds the scales of a set and goes over its numbers, which are still in the first cache, once more: product,
 * one rounding, codes, packing, with no store in between.
 *
 * The largest lane of each of 16 vectors is found by a tree that halves the vectors and mixes lanes, four times. For 4
 * vectors of 4 lanes, a0 .. a3 to d0 .. d3, with | for the maximum of lanes:
 *
 *   v[0] = max(unpacklo(a, b), unpackhi(a, b))   a0|a2  b0|b2  a1|a3  b1|b3
 *   v[1] = the same of c, d                      c0|c2  d0|d2  c1|c3  d1|d3
 *   max(unpacklo64, unpackhi64 of both)          a0|a1|a2|a3   b..   c..   d..     one lane per vector, in order
 *
 * A set in numbers: 512 elements, 16 scales, and 512 codes of a byte (8 lines of 64 bytes), 384 bytes of 6 bits (6
 * lines), or 256 bytes of 4 bits (4 lines): always whole lines, so the offset of the codes within a line is the same
 * for every set (`misplaced`). */
#include "block/block.h"
#include "bulk/avx512.h"

/* A block is a PAIR of vectors, a SET 16 blocks; prefetches are AHEAD bytes early. */
enum { LANES = 16, PAIR = 2 * LANES, SET = LANES * PAIR, FRACTION = 23, BIAS = 127, AHEAD = 8192, LINE = 64 };
static const int32_t INFINITE = 0x7f800000;

/* ---- scales ---- */

/* Of each of 16 vectors, in their order: 8 + 4 + 2 + 1 = 15 maxima in place of 64. shuffle_i32x4 takes quarters: 88
 * takes 0 and 2 of a, then of b, and dd takes 1 and 3. With each quarter as one place:
 *
 *   a, b after two rounds      a0 a1 a2 a3   b0 b1 b2 b3
 *   88, dd                     a0 a2 b0 b2   a1 a3 b1 b3
 *   maximum                    a0|a1  a2|a3  b0|b1  b2|b3 */
static ALWAYS_INLINE __m512i largest_lanes(__m512i v[LANES])
{
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++) {
        __m512i a = v[2 * i], b = v[2 * i + 1];
        v[i] = _mm512_max_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        __m512i a = v[2 * i], b = v[2 * i + 1];
        v[i] = _mm512_max_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < 2; i++) {
        __m512i a = v[2 * i], b = v[2 * i + 1];
        v[i] = _mm512_max_epi32(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
    }
    return _mm512_max_epi32(_mm512_shuffle_i32x4(v[0], v[1], 0x88), _mm512_shuffle_i32x4(v[0], v[1], 0xdd));
}

/* A prefetch of n elements AHEAD bytes further on; beyond the array it does nothing and cannot fault. */
static ALWAYS_INLINE void ask_for(const float *x, size_t n)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i += LINE / sizeof(float)) {
        _mm_prefetch((const void *)((uintptr_t)(x + i) + AHEAD), _MM_HINT_T0);
    }
}

/* The largest magnitudes of 16 blocks; the next numbers are prefetched meanwhile (`asks`). */
static ALWAYS_INLINE __m512i amax_of_set(const float *x, bool asks)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    __m512i v[LANES];
#pragma GCC unroll 16
    for (size_t g = 0; g < LANES; g++) {
        __m512i a = _mm512_loadu_si512(x + g * PAIR), b = _mm512_loadu_si512(x + g * PAIR + LANES);
        v[g] = _mm512_max_epi32(_mm512_and_si512(a, magnitude), _mm512_and_si512(b, magnitude));
        if (asks) {
            ask_for(x + g * PAIR, PAIR);
        }
    }
    return largest_lanes(v);
}

/* 16 codes of scales, and their reciprocals as floats. find_powers in block_kernels.c explains it: exponent of amax
 * minus emax, plus one if the fraction reaches `limit`. A subnormal amax, f 2^-149, has a scale above the lowest one
 * only where emax is 0 and it is 1.m 2^-127, that is 2 f = 2^23 + m, with m at least the limit. Four blocks of e4m3
 * (emax 8, limit never reached):
 *
 *   amax            3.7 (406ccccd)   448 (43e00000)   2^-140 (00000200)   inf (7f800000)
 *   field           128              135              0                   255
 *   s               -7               0                -135, at least -127 -- (code 255)
 *   code            120 (2^-7)       127 (1)          0 (2^-127)          255 (NaN)
 *   1 / scale       2^7 (43000000)   1 (3f800000)     2^127 (7f000000)    any */
static ALWAYS_INLINE __m512 reciprocals(unsigned char *codes, __m512i amax, const bndi_power_rule *rule)
{
    const __m512i bias = _mm512_set1_epi32(BIAS), fractions = _mm512_set1_epi32((1 << FRACTION) - 1);
    /* The exponent of the scale, before the fraction is tested. */
    __m512i s = _mm512_sub_epi32(_mm512_srli_epi32(amax, FRACTION), _mm512_set1_epi32(BIAS + rule->emax));
    __mmask16 below = _mm512_cmple_epi32_mask(amax, fractions);
    __m512i limit = _mm512_mask_mov_epi32(_mm512_set1_epi32(rule->limit), below,
                                          _mm512_set1_epi32(((1 << FRACTION) + rule->limit + 1) / 2));
    __mmask16 more = _mm512_cmpge_epi32_mask(_mm512_and_si512(amax, fractions), limit);
    s = _mm512_mask_add_epi32(s, more, s, _mm512_set1_epi32(1));
    s = _mm512_max_epi32(s, _mm512_set1_epi32(-BIAS));
    /* An infinite or NaN amax: the scale is NaN. */
    __mmask16 strange = _mm512_cmpge_epi32_mask(amax, _mm512_set1_epi32(INFINITE));
    __m512i code = _mm512_mask_mov_epi32(_mm512_add_epi32(s, bias), strange, _mm512_set1_epi32(255));
    _mm_storeu_si128((void *)codes, _mm512_cvtepi32_epi8(code));
    __m512i up = _mm512_slli_epi32(_mm512_sub_epi32(bias, s), FRACTION);
    __mmask16 subnormal = _mm512_cmpeq_epi32_mask(s, bias);
    return _mm512_castsi512_ps(_mm512_mask_mov_epi32(up, subnormal, _mm512_set1_epi32(1 << (FRACTION - 1))));
}

/* ---- products, for kernels that take them from memory ---- */

/* Products of a set, for kernels that take them from memory. The clamp turns a NaN into `low`; *finite of
 * bndi_scale_pairs is then false, and the products are not used. */
static ALWAYS_INLINE void multiply_set(float *y, const float *x, __m512 up, bool clamps, float most)
{
    const __m512 high = _mm512_set1_ps(most), low = _mm512_set1_ps(-most);
    float factors[LANES];
    _mm512_storeu_ps(factors, up);
#pragma GCC unroll 16
    for (size_t g = 0; g < LANES; g++) {
        __m512 factor = _mm512_set1_ps(factors[g]);
        __m512 a = _mm512_mul_ps(_mm512_loadu_ps(x + g * PAIR), factor);
        __m512 b = _mm512_mul_ps(_mm512_loadu_ps(x + g * PAIR + LANES), factor);
        if (clamps) {
            a = _mm512_min_ps(_mm512_max_ps(a, low), high);
            b = _mm512_min_ps(_mm512_max_ps(b, low), high);
        }
        _mm512_storeu_ps(y + g * PAIR, a);
        _mm512_storeu_ps(y + g * PAIR + LANES, b);
    }
}

/* Whole sets: scales and products. Returns how many elements; *finite is false if any was infinite or NaN. */
size_t bndi_scale_pairs(unsigned char *codes, float *y, const float *x, size_t n, const bndi_power_rule *rule,
                        bool *finite)
{
    __m512i largest = _mm512_setzero_si512();
    size_t at = 0;
    for (; at + SET <= n; at += SET) {
        __m512i amax = amax_of_set(x + at, true);
        __m512 up = reciprocals(codes + at / PAIR, amax, rule);
        largest = _mm512_max_epi32(largest, amax);
        if (rule->clamps) {
            multiply_set(y + at, x + at, up, true, rule->most);
        } else {
            multiply_set(y + at, x + at, up, false, 0);
        }
    }
    *finite = _mm512_reduce_max_epi32(largest) < INFINITE;
    return at;
}

/* ---- codes of a byte ----
 *
 * As encode_bytes of bulk/avx512_codes_template.h, of which it has the plain half: no product is beyond the largest
 * number, or the codes are held back to it, where a product below twice the power of two of the largest number still
 * has a code of a byte. M takes the sign of x here, so that only the lowest byte of a sum matters, where the code's
 * magnitude is. */

/* The plan of the elements as vectors. */
typedef struct coder {
    __m512i signed_top, magic, to_code, most, sign_bit, three_of_four;
    __m512 bottom, integer_magic, high, low;
    __m128i to_sign;
} coder;

/* M has the offset of the codes in its low byte only, as that byte is all that is read. lower_three picks three of
 * every four bytes. */
static ALWAYS_INLINE coder coder_of(const bndi_block_coding *how)
{
    const bndi_plan *plan = how->plan;
    const bnd_format *f = &plan->format;
    const unsigned magnitude_bits = how->integer ? 7 : bnd_magnitude_bits(f);
    const uint32_t offset = 0 - ((uint32_t)plan->code_bottom << f->fraction_bits);
    static const unsigned char lower_three[64] = {0,  1,  2,  4,  5,  6,  8,  9,  10, 12, 13, 14, 16, 17, 18, 20,
                                                  21, 22, 24, 25, 26, 28, 29, 30, 32, 33, 34, 36, 37, 38, 40, 41,
                                                  42, 44, 45, 46, 48, 49, 50, 52, 53, 54, 56, 57, 58, 60, 61, 62};
    return (coder){.signed_top = _mm512_set1_epi32((int32_t)0xff800000),
                   .bottom = _mm512_castsi512_ps(_mm512_set1_epi32((int)((uint32_t)plan->bottom << FRACTION))),
                   .magic = _mm512_set1_epi32((int)((uint32_t)plan->magic + (offset & 0xff))),
                   .to_code = _mm512_set1_epi32((int)plan->drop),
                   .most = _mm512_set1_epi8((char)f->max_code),
                   .sign_bit = _mm512_set1_epi8((char)(1u << magnitude_bits)),
                   .to_sign = _mm_cvtsi32_si128((int)(7 - magnitude_bits)),
                   .three_of_four = _mm512_loadu_si512(lower_three),
                   .integer_magic = _mm512_set1_ps(how->integer_magic),
                   .high = _mm512_set1_ps(how->rule.most),
                   .low = _mm512_set1_ps(-how->rule.most)};
}

/* 64 codes of a byte from four vectors of products. The signs of M and of the exponent e come from y by range_ps
 * (larger magnitude, sign of the first). For e4m3 and y = 38.4: e = 42000000 (32), M = e + 0a000038 = 4c000038, t = y +
 * M = 4c000042, t + (e >> 20) = 4c000462, whose low byte 62 is the code of 40. */
BNDI_VBMI static ALWAYS_INLINE __m512i coded(const coder *k, const __m512i y[4], bool clamps)
{
    enum { LARGER_MAGNITUDE_SIGN_OF_FIRST = 3 };
    __m512i a[4];
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        __m512 power = _mm512_castsi512_ps(_mm512_and_si512(y[i], k->signed_top));
        __m512i e = _mm512_castps_si512(_mm512_range_ps(power, k->bottom, LARGER_MAGNITUDE_SIGN_OF_FIRST));
        __m512 m = _mm512_castsi512_ps(_mm512_add_epi32(e, k->magic));
        __m512i t = _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(y[i]), m));
        a[i] = _mm512_add_epi32(t, _mm512_srlv_epi32(e, k->to_code));
    }
    __m512i code = bndi_byte_planes(a, 0), sign = _mm512_srl_epi16(bndi_byte_planes(y, 3), k->to_sign);
    if (clamps) {
        code = _mm512_min_epu8(code, k->most);
    }
    return _mm512_ternarylogic_epi32(code, sign, k->sign_bit, 0xf8); /* code | (sign & sign_bit) */
}

/* Integers: y + 1.5 2^23 least, whose lowest byte is the number of `least`s, in two's complement. Units of 2^-6: the
 * addend is 48400000, 1.5 gives 48400060 and -0.25 gives 483ffff0: the bytes 60 and f0. */
BNDI_VBMI static ALWAYS_INLINE __m512i counted(const coder *k, const __m512i y[4], bool clamps)
{
    __m512i a[4];
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        __m512 v = _mm512_castsi512_ps(y[i]);
        if (clamps) {
            v = _mm512_min_ps(_mm512_max_ps(v, k->low), k->high);
        }
        a[i] = _mm512_castps_si512(_mm512_add_ps(v, k->integer_magic));
    }
    return bndi_byte_planes(a, 0);
}

/* 64 codes of a byte, of which `bits` each are stored. Codes of 4 bits: maddubs with the weights 1 and 16 joins two.
 * Codes of 6 bits, 01 02 03 04: weights 1 and 40 make 0081 and 0103, weights 1 and 1000 make 00103081, and of its four
 * bytes three are stored. May write 64 bytes in any case. 4 bits, codes 01 02 03 04: 1 + 2 * 16 = 21, 3 + 4 * 16 = 43.
 */
BNDI_VBMI static ALWAYS_INLINE void put_codes(const coder *k, unsigned char *to, __m512i code, unsigned bits)
{
    const __m512i of_4 = _mm512_set1_epi16(0x1001), of_6 = _mm512_set1_epi16(0x4001);
    const __m512i pair_of_6 = _mm512_set1_epi32(0x10000001);
    switch (bits) {
    case 4:
        _mm256_storeu_si256((void *)to, _mm512_cvtepi16_epi8(_mm512_maddubs_epi16(code, of_4)));
        break;
    case 6:
        code = _mm512_madd_epi16(_mm512_maddubs_epi16(code, of_6), pair_of_6);
        _mm512_storeu_si512(to, _mm512_permutexvar_epi8(k->three_of_four, code));
        break;
    default:
        _mm512_storeu_si512(to, code);
        break;
    }
}

/* The scales of a set, the factors up, and the largest magnitude so far. */
static ALWAYS_INLINE void find_scales(float up[LANES], __m512i *largest, unsigned char *scales, const float *x,
                                      const bndi_power_rule *rule)
{
    __m512i amax = amax_of_set(x, false);
    _mm512_storeu_ps(up, reciprocals(scales, amax, rule));
    *largest = _mm512_max_epi32(*largest, amax);
}

/* The output is written in whole cache lines, wherever in a line the codes begin: one line of the previous set for
 * every two blocks. Stores past the caches that come in bursts would wait for each other. The bytes of a set are a
 * multiple of a line.
 *
 *   sets[i % 2]    | misplaced | codes of set i ...                          | the last `misplaced` bytes
 *   written          begins with the end of set i - 1, so each LINE is whole   go to the front of the next set */
typedef struct output {
    unsigned char *line;                                   /* the place of the next line */
    size_t misplaced, bytes;                               /* before the codes of a set in their first line; of a set */
    bool stream;                                           /* past the caches */
    _Alignas(64) unsigned char sets[2][LINE + SET + LINE]; /* may be written to for LINE bytes too many */
} output;

/* A line; of the first line only the bytes that belong to this output. */
static ALWAYS_INLINE void put_line(output *o, const unsigned char *from, bool is_first)
{
    if (is_first && o->misplaced > 0) { /* the bytes before belong to other codes */
        __builtin_memcpy(o->line + o->misplaced, from + o->misplaced, LINE - o->misplaced);
    } else if (o->stream) {
        _mm512_stream_si512((void *)o->line, _mm512_load_si512(from));
    } else {
        _mm512_store_si512((void *)o->line, _mm512_load_si512(from));
    }
    o->line += LINE;
}

/* The codes of set i, and meanwhile the lines of the set before. A set has 64 * `bits` bytes, that is `bits` lines:
 * step g / 2 of eight writes line g / 2, as long as there is one. */
BNDI_VBMI static ALWAYS_INLINE void encode_set(output *o, size_t i, const float *x, const float up[LANES],
                                               const coder *k, unsigned bits, bool integer, bool clamps)
{
    /* The end of the previous set comes first, so that lines are whole. */
    const unsigned char *before = o->sets[(i + 1) % 2];
    unsigned char *to = o->sets[i % 2];
    _mm512_store_si512((void *)to, _mm512_load_si512(before + o->bytes)); /* the last of the set before */
    to += o->misplaced;
    for (size_t g = 0; g < LANES; g += 2, to += 8 * bits) {
        __m512i y[4];
        UNROLL
        for (size_t j = 0; j < 4; j++) {
            __m512 v = _mm512_loadu_ps(x + g * PAIR + j * LANES);
            y[j] = _mm512_castps_si512(_mm512_mul_ps(v, _mm512_set1_ps(up[g + j / 2])));
        }
        ask_for(x + g * PAIR, 2 * PAIR);
        put_codes(k, to, integer ? counted(k, y, clamps) : coded(k, y, clamps), bits);
        if (i > 0 && g / 2 < bits) {
            put_line(o, before + g / 2 * LINE, i == 1 && g == 0);
        }
    }
}

/* The lines of the last set, and the bytes after the last whole line. */
static void put_last_set(output *o, size_t i)
{
    const unsigned char *from = o->sets[i % 2];
    for (size_t at = 0; at < o->bytes; at += LINE) {
        put_line(o, from + at, i == 0 && at == 0);
    }
    __builtin_memcpy(o->line, from + o->bytes, o->misplaced);
}

/* Whole sets; returns how many elements. The scales of a set are found before the previous set is encoded: the path
 * from numbers to scales is long, and this way there is other work meanwhile. */
BNDI_VBMI static ALWAYS_INLINE size_t encode_sets(unsigned char *codes, unsigned char *scales, const float *x, size_t n,
                                                  const bndi_block_coding *how, unsigned bits, bool integer,
                                                  bool clamps, bool *finite)
{
    const bndi_power_rule rule = how->rule;
    const coder k = coder_of(how);
    const size_t sets = n / SET, misplaced = (uintptr_t)codes % LINE;
    __m512i largest = _mm512_setzero_si512();
    float up[2][LANES];
    output o;
    o.line = codes - misplaced;
    o.misplaced = misplaced;
    o.bytes = SET / 8 * bits;
    o.stream = how->stream;
    if (sets == 0) {
        return 0;
    }
    find_scales(up[0], &largest, scales, x, &rule);
    for (size_t i = 0; i < sets; i++) {
        if (i + 1 < sets) {
            find_scales(up[(i + 1) % 2], &largest, scales + (i + 1) * LANES, x + (i + 1) * SET, &rule);
        }
        encode_set(&o, i, x + i * SET, up[i % 2], &k, bits, integer, clamps);
    }
    put_last_set(&o, sets - 1);
    *finite = _mm512_reduce_max_epi32(largest) < INFINITE;
    return sets * SET;
}

/* An instance per width of codes and kind of clamping. */
BNDI_VBMI static size_t encode_by_bytes(unsigned char *codes, unsigned char *scales, const float *x, size_t n,
                                        const bndi_block_coding *how, bool *finite)
{
    const bool clamps = how->rule.clamps;
    if (how->integer) {
        return encode_sets(codes, scales, x, n, how, 8, true, clamps, finite);
    }
    switch (how->bits) {
    case 4:
        return encode_sets(codes, scales, x, n, how, 4, false, clamps, finite);
    case 6:
        return encode_sets(codes, scales, x, n, how, 6, false, clamps, finite);
    default:
        return clamps ? encode_sets(codes, scales, x, n, how, 8, false, true, finite)
                      : encode_sets(codes, scales, x, n, how, 8, false, false, finite);
    }
}

/* Needs VBMI; without it nothing is done and the caller takes the other path. */
size_t bndi_encode_pairs(unsigned char *codes, unsigned char *scales, const float *x, size_t n,
                         const bndi_block_coding *how, bool *finite)
{
    *finite = true;
    return __builtin_cpu_supports("avx512vbmi") ? encode_by_bytes(codes, scales, x, n, how, finite) : 0;
}

/* ---- elements of zero and seven magnitudes: as in block_kernels.c, 16 at a time ---- */

enum { MIDPOINTS = 7, PLACES = 8, SIGN = 8 };

/* As in block_kernels.c, which has an example: eight midpoints in a vector of doubles. aa (hex) has a bit for each odd
 * k. */
static ALWAYS_INLINE void find_thresholds(int32_t thresholds[PLACES], __m512d midpoints, double scale)
{
    const __mmask8 upper_is_even = 0xaa;
    __m512d exact = _mm512_mul_pd(midpoints, _mm512_set1_pd(scale));
    __m256 near = _mm512_cvtpd_ps(exact);
    __m512d back = _mm512_cvtps_pd(near);
    __mmask8 less =
        _mm512_cmp_pd_mask(back, exact, _CMP_GT_OQ) | _mm512_mask_cmp_pd_mask(upper_is_even, back, exact, _CMP_EQ_OQ);
    __m256i bits = _mm256_castps_si256(near);
    bits = _mm256_mask_sub_epi32(bits, less, bits, _mm256_set1_epi32(1));
    _mm256_storeu_si256((void *)thresholds, bits);
}

/* How many thresholds each of 16 magnitudes is above, and the sign, which movepi32_mask takes from the top bits. e2m1
 * with scale 0.5: 0.375 is above two thresholds, and -0.75 above three, so the codes are 2 and 8 + 3 = b. */
static ALWAYS_INLINE __m128i encoded_lanes(__m512i bits, const int32_t thresholds[PLACES])
{
    const __m512i one = _mm512_set1_epi32(1), sign = _mm512_set1_epi32(SIGN);
    __m512i code = _mm512_setzero_si512(), size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
#pragma GCC unroll 7
    for (size_t k = 0; k < MIDPOINTS; k++) {
        __mmask16 above = _mm512_cmpgt_epi32_mask(size, _mm512_set1_epi32(thresholds[k]));
        code = _mm512_mask_add_epi32(code, above, code, one);
    }
    return _mm512_cvtepi32_epi8(_mm512_mask_or_epi32(code, _mm512_movepi32_mask(bits), code, sign));
}

/* Groups of `across` with one scale each; the last few of a group by a mask. */
void bndi_encode_by_midpoints(unsigned char *codes, const float *x, const double *scales, const double *midpoints,
                              size_t n, size_t across)
{
    const __m512d all = _mm512_loadu_pd(midpoints);
    int32_t thresholds[PLACES];
    for (size_t i = 0; i < n; scales++) {
        const size_t end = n - i < across ? n : i + across;
        find_thresholds(thresholds, all, *scales);
        for (; end - i >= LANES; i += LANES) {
            _mm_storeu_si128((void *)(codes + i), encoded_lanes(_mm512_loadu_si512(x + i), thresholds));
        }
        if (i < end) {
            const __mmask16 left = (__mmask16)((1u << (end - i)) - 1);
            _mm_mask_storeu_epi8(codes + i, left, encoded_lanes(_mm512_maskz_loadu_epi32(left, x + i), thresholds));
            i = end;
        }
    }
}
