/* For AVX-512: encode and decode kernels for every format of at most 8 bits. A part of avx512.c, after
 * avx512_codes_template.h, whose mend_group and ask_for it uses.
 *
 * The byte kernels spend few instructions per element because the code is a byte of a word, and two byte permutations
 * collect 64 such bytes (bndi_byte_planes). Four numbers to e4m3 by nearest even; bytes of a word are written high to
 * low, and e = max(x & TOP, 2^-6), M = e + 0a000038 as in lanes_template.h:
 *
 *                         0.3            -17            0.011          1000
 *   v (bits of x)         3e 99 99 9a    c1 88 00 00    3c 34 39 58    44 7a 00 00
 *   a = (x + M) + e >> 20 48 80 04 2a    cb 80 04 58    46 80 04 06    4e 00 04 88
 *   byte plane 0 of a     2a             58             06             88             the code's magnitude
 *     & 7f                2a             58             06             08
 *   byte plane 3 of v     3e             c1             3c             44             has the sign in bit 7
 *   | (plane 3 & 80)      2a             d8             06             08
 *   with_extreme_codes    2a             d8             06             7f             1000 is beyond 448
 *
 * The 8 of the last lane results from a carry out of the byte; a lane above `max` is always replaced. */

/* The codes of the lanes in `lanes`, by sign: the positive code in all of them, then the negative one over it. by_sign
 * = 7f, ff:
 *
 *   codes      2a  08  d8  06        lanes  0 1 1 0        negative  0 0 1 0
 *   first      2a  7f  7f  06
 *   then       2a  7f  ff  06 */
static ALWAYS_INLINE __m512i put_in_8(__m512i codes, __mmask64 lanes, __mmask64 negative, const uint64_t by_sign[2])
{
    codes = _mm512_mask_mov_epi8(codes, lanes, _mm512_set1_epi8((char)by_sign[0]));
    return _mm512_mask_mov_epi8(codes, lanes & negative, _mm512_set1_epi8((char)by_sign[1]));
}

/* The codes of 64 words of which some are not plain. x rounded (t - M) is computed again here, since the loop made only
 * the code. `powers` and `magic` are what M is made of. Masks of 16 lanes are joined to 64 bits, one per byte. */
static ALWAYS_INLINE __m512i with_extreme_codes(const extremes *e, __m512i code, const __m512i *x,
                                                const __m512i *powers, __m512i magic)
{
    const __m512i sign_free = _mm512_set1_epi32(0x7fffffff);
    __mmask64 over = 0, infinite = 0, nan = 0, negative = 0;
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        __m512i m = _mm512_ternarylogic_epi32(_mm512_add_epi32(powers[i], magic), x[i], sign_free, 0xe4);
        __m512 t = _mm512_add_ps(_mm512_castsi512_ps(x[i]), _mm512_castsi512_ps(m));
        lanes_apart a = set_apart_32(e, x[i], _mm512_castps_si512(_mm512_sub_ps(t, _mm512_castsi512_ps(m))));
        over |= (__mmask64)a.over << 16 * i;
        infinite |= (__mmask64)a.infinite << 16 * i;
        nan |= (__mmask64)a.nan << 16 * i;
        negative |= (__mmask64)a.negative << 16 * i;
    }
    code = put_in_8(code, over, negative, e->results.overflow);
    code = put_in_8(code, infinite, negative, e->results.infinity);
    return put_in_8(code, nan, negative, e->results.nan);
}

/* Codes of at most 8 bits in the processor's rounding modes; the head has the example. Whether a number is too large is
 * first tested on its exponent field e, which is in a register: `highest` is one below the largest number's, so that
 * comparison passes a group only if it has a number in the highest binade or above; then all_plain looks at the
 * magnitudes. */
BNDI_VBMI static void encode_bytes(const bndi_plan *plan, void *codes, const void *x, size_t n)
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
    const char *in = x;
    char *out = codes;
    extremes special = extremes_32(plan);
    hot h;
    start_hot(&h);
    for (; n >= 64; n -= 64, in += 256, out += 64) {
        __m512i v[GROUP], a[GROUP], e[GROUP];
        if (plan->stream) {
            ask_for(in, GROUP);
        }
        load_four(v, in);
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            /* The power of two of x, not below the lowest normal one; M; the sum; the code in its lowest byte. */
            e[i] = _mm512_max_epi32(_mm512_and_si512(v[i], top), bottom);
            __m512i m = _mm512_ternarylogic_epi32(_mm512_add_epi32(e[i], magic), v[i], sign_free, 0xe4);
            __m512i t = _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(v[i]), _mm512_castsi512_ps(m)));
            a[i] = _mm512_add_epi32(t, _mm512_srlv_epi32(e[i], to_code));
        }
        /* Exponents decide for most groups; only one in the highest binade or above needs the magnitudes. */
        __m512i large = _mm512_max_epi32(_mm512_max_epi32(e[0], e[1]), _mm512_max_epi32(e[2], e[3]));
        bool extreme = _mm512_cmpgt_epi32_mask(large, highest) != 0 && !all_plain(v, sign_free, max);
        if (extreme && plan->keeps_payload) {
            mend_group(&h, FLOAT_MODE, plan, out, in, NULL);
            continue;
        }
        /* Both permutations, then the signs to their place in the code. */
        __m512i code = bndi_byte_planes(a, 0), sign = _mm512_srl_epi16(bndi_byte_planes(v, 3), to_sign);
        /* (code & code_bits) | (sign & sign_bit) */
        code = _mm512_ternarylogic_epi32(_mm512_and_si512(code, code_bits), sign, sign_bit, 0xf8);
        if (extreme) {
            ask_once(&special, plan, true);
            code = with_extreme_codes(&special, code, v, e, magic);
        }
        put_32(out, code, plan->stream);
    }
    by_step_32(plan, true, out, in, NULL, n);
}

/* 16 of 32 random entries of 16 bits, widened to words. A place is a word, whose upper half names entry 0; the mask
 * 55555555 has a bit for each lower half and zeroes the upper ones. For entries 6666, 6667, .. and upper = false:
 * 00006666 00006667 .. */
static ALWAYS_INLINE __m512i half_of_entries(__m512i entries, bool upper)
{
    const __m512i low = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i places = upper ? _mm512_add_epi32(low, _mm512_set1_epi32(16)) : low;
    return _mm512_maskz_permutexvar_epi16(0x55555555, places, entries);
}

/* Codes of at most 8 bits with at most 16 random bits, by SRA, and by SR (P3109's C) as the addition rounds to nearest
 * there. x + M has `random_bits` bits below the format's last one; R is added to them; moved up to 16 bits, the code's
 * magnitude is in byte 2, less an offset. M has the sign of x, taken along with its exponent by range_ps: the larger
 * magnitude of (power of x, lowest normal power) with the sign of the first. Signs do not reach byte 2. For 0.3 to
 * e4m3, SRA with 16 random bits (M = 40800000, 2^4 times 2^-2, so that one unit of the code is 1 << 16 in t):
 *
 *   t = x + M          40899999                                  9 units and 9999 of 10000 (hex)
 *   + R = 6666         4089ffff + (e >> 4) 03e80000 = 4471ffff   byte 2 = 71, - c8 (offset), & 7f: 29, 9 units
 *   + R = 6667         408a0000 + (e >> 4) 03e80000 = 44720000   byte 2 = 72, - c8, & 7f:          2a, 10 units */
BNDI_VBMI static ALWAYS_INLINE void encode_bytes_by(bool all_16, const bndi_plan *plan, void *codes, const void *x,
                                                    const void *random, size_t n)
{
    enum { LARGER_MAGNITUDE_SIGN_OF_FIRST = 3, LARGER_MAGNITUDE = 11 };
    const bnd_format *f = &plan->format;
    const unsigned magnitude_bits = bnd_magnitude_bits(f);
    const __m512i signed_top = _mm512_set1_epi32((int32_t)0xff800000), sign_free = _mm512_set1_epi32(0x7fffffff);
    const __m512i max = _mm512_set1_epi32((int)plan->max);
    const __m512i highest = _mm512_set1_epi32((int)(plan->max & 0x7f800000) - 1);
    const __m512 bottom = _mm512_castsi512_ps(_mm512_set1_epi32((int)((uint32_t)plan->bottom << 23)));
    const __m512i magic = _mm512_set1_epi32((int)plan->magic), to_code = _mm512_set1_epi32((int)plan->drop - 16);
    const __m512i to_16 = _mm512_set1_epi32(16 - (int)plan->random_bits);
    const __m512i offset = _mm512_set1_epi8((char)((uint32_t)plan->code_bottom << f->fraction_bits));
    const __m512i code_bits = _mm512_set1_epi8((char)((1u << magnitude_bits) - 1));
    const __m512i sign_bit = _mm512_set1_epi8((char)(1u << magnitude_bits));
    const __m128i to_sign = _mm_cvtsi32_si128((int)(7 - magnitude_bits));
    const char *in = x, *bits = random;
    char *out = codes;
    hot h;
    start_hot(&h);
    for (; n >= 64; n -= 64, in += 256, bits += 128, out += 64) {
        __m512i v[GROUP], a[GROUP];
        __m512 e[GROUP];
        if (plan->stream) {
            ask_for(in, GROUP);
        }
        load_four(v, in);
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            /* The random bits of these sixteen elements. */
            __m512i r = half_of_entries(_mm512_loadu_si512(bits + i / 2 * 64), i % 2 != 0);
            __m512 power = _mm512_castsi512_ps(_mm512_and_si512(v[i], signed_top));
            /* The signed power of x or the lowest normal one, whichever is larger, with the sign of x. */
            e[i] = _mm512_range_ps(power, bottom, LARGER_MAGNITUDE_SIGN_OF_FIRST);
            __m512 m = _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(e[i]), magic));
            __m512i t = _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(v[i]), m));
            t = _mm512_add_epi32(t, r);
            t = all_16 ? t : _mm512_sllv_epi32(t, to_16);
            a[i] = _mm512_add_epi32(t, _mm512_srlv_epi32(_mm512_castps_si512(e[i]), to_code));
        }
        __m512 large = _mm512_range_ps(_mm512_range_ps(e[0], e[1], LARGER_MAGNITUDE),
                                       _mm512_range_ps(e[2], e[3], LARGER_MAGNITUDE), LARGER_MAGNITUDE);
        if (_mm512_cmpgt_epi32_mask(_mm512_castps_si512(large), highest) != 0 && !all_plain(v, sign_free, max)) {
            mend_group(&h, FLOAT_ADD, plan, out, in, bits);
            continue;
        }
        __m512i code = _mm512_and_si512(_mm512_sub_epi8(bndi_byte_planes(a, 2), offset), code_bits);
        __m512i sign = _mm512_srl_epi16(bndi_byte_planes(v, 3), to_sign);
        put_32(out, _mm512_ternarylogic_epi32(code, sign, sign_bit, 0xf8), plan->stream);
    }
    by_step_32(plan, true, out, in, bits, n);
}

/* 16 random bits are the commonest count and need no shift. */
BNDI_VBMI static void encode_bytes_randomly(const bndi_plan *plan, void *codes, const void *x, const void *random,
                                            size_t n)
{
    if (plan->random_bits == 16) {
        encode_bytes_by(true, plan, codes, x, random, n);
    } else {
        encode_bytes_by(false, plan, codes, x, random, n);
    }
}

/* A table for decoding: bytes 2 and 3 of the words of the codes 0 to 127. False where a word has more in its low half:
 * then no such table exists (formats of 8 bits have at most 8 significant bits, so only NaN payloads could do that). */
static bool split_words(const bndi_plan *plan, uint8_t lower[128], uint8_t upper[128])
{
    uint8_t every[128];
    uint32_t words[128];
    const __m512i count = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int i = 0; i < 8; i++) {
        __m128i sixteen = _mm512_cvtepi32_epi8(_mm512_add_epi32(count, _mm512_set1_epi32(16 * i)));
        _mm_storeu_si128((void *)(every + 16 * i), sixteen);
    }
    decode_32(plan, words, every, 128);
    __m512i lost = _mm512_setzero_si512();
    for (size_t i = 0; i < 8; i++) {
        /* Bytes 2 and 3 of each word; the lower half must be empty. */
        __m512i word = _mm512_loadu_si512(words + 16 * i);
        _mm_storeu_si128((void *)(lower + 16 * i), _mm512_cvtepi32_epi8(_mm512_srli_epi32(word, 16)));
        _mm_storeu_si128((void *)(upper + 16 * i), _mm512_cvtepi32_epi8(_mm512_srli_epi32(word, 24)));
        lost = _mm512_or_si512(lost, _mm512_slli_epi32(word, 16));
    }
    return _mm512_test_epi32_mask(lost, lost) == 0;
}

/* Codes of at most 8 bits by the table of 128 words' upper halves: one permutation of bytes looks up 64 entries of 128
 * at a time. The sign of a code of 8 bits is its bit 7, which the permutation ignores; it is put into the word's top
 * byte by ternarylogic (high | (c & sign)). For the e4m3 codes 2a, d9 and 01:
 *
 *   c                 2a          d9          01
 *   low, high         a0 3e       90 41       00 3b      entries 2a, 59, 01 of the tables
 *   high | (c & 80)   3e          c1          3b
 *   words             3ea00000    c1900000    3b000000   0.3125, -18, 2^-9
 *
 * `order` interleaves the codes beforehand so that unpacking within quarters leaves the words in order. */
BNDI_VBMI static void decode_bytes(const bndi_plan *plan, void *y, const void *codes, size_t n)
{
    bndi_plan whole = *plan;
    whole.stream = false;
    uint8_t lower[128], upper[128];
    const bool by_halves = plan->known != NULL ? plan->known->upper_halves : split_words(&whole, lower, upper);
    if (!by_halves) {
        decode_32(plan, y, codes, n);
        return;
    }
    const uint8_t *third = plan->known != NULL ? plan->known->third : lower;
    const uint8_t *fourth = plan->known != NULL ? plan->known->fourth : upper;
    const __m512i lower_0 = _mm512_loadu_si512(third), lower_1 = _mm512_loadu_si512(third + 64);
    const __m512i upper_0 = _mm512_loadu_si512(fourth), upper_1 = _mm512_loadu_si512(fourth + 64);
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
        /* 64 codes in the order that unpacking undoes. */
        __m512i c = _mm512_permutexvar_epi32(order, _mm512_loadu_si512(in));
        __m512i low = _mm512_permutex2var_epi8(lower_0, c, lower_1);
        __m512i high = _mm512_permutex2var_epi8(upper_0, c, upper_1);
        high = _mm512_ternarylogic_epi32(high, c, sign, 0xf8);
        if (has_zero_nan) {
            __mmask64 nan = _mm512_cmpeq_epi8_mask(c, zero_nan);
            low = _mm512_mask_mov_epi8(low, nan, nan_lower);
            high = _mm512_mask_mov_epi8(high, nan, nan_upper);
        }
        /* Unpacking works within the four quarters. Quarter q of c has the codes of 32-bit words q, 4 + q, 8 + q and 12
         * + q of the input; `first` has the upper halves of the words from q and 4 + q. So the first output has words
         * 0-3 | 4-7 | 8-11 | 12-15 in its quarters, and the next ones have 16 to 31, 32 to 47 and 48 to 63. */
        /* Bytes 2 and 3 of a word side by side, then zeros below them. */
        __m512i first = _mm512_unpacklo_epi8(low, high), second = _mm512_unpackhi_epi8(low, high);
        put_32(out, _mm512_unpacklo_epi16(zero, first), plan->stream);
        put_32(out + 64, _mm512_unpackhi_epi16(zero, first), plan->stream);
        put_32(out + 128, _mm512_unpacklo_epi16(zero, second), plan->stream);
        put_32(out + 192, _mm512_unpackhi_epi16(zero, second), plan->stream);
    }
    whole.stream = false;
    decode_32(&whole, out, in, n);
}
