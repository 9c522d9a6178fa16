/* For AVX2: encode and decode kernels of their own for fp16, bf16 and every format of at most 8 bits. A part of avx2.c.
 *
 * Each does 32 elements per step; a step whose group has one special number stores nothing (plain_groups). The
 * alternation with the generic kernel for an array with one NaN at element 100:
 *
 *   encode_halves   elements 0 to 95     three groups; the fourth has the NaN
 *   encode_32       elements 96 to 351   A_WHILE elements, any numbers
 *   encode_halves   from 352 on */

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
