/* For AVX-512: encode and decode kernels of their own for fp16, bf16 and every format of at most 8 bits. A part of
 * avx512.c.
 *
 * Each takes 64 elements (GROUP vectors of 16) per step and leaves a group that has numbers out of range or special
 * ones to the template's `group` (mend_group), or blends in the codec's results by masks (with_extreme_codes).
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
 * The 8 of the last lane is what is left of a carry out of the byte; a lane above `max` is always replaced.
 *
 * Groups: 64 elements are four vectors of input and one vector of codes of a byte, or two of 16 bits. The repairs of a
 * group:
 *
 *   encode_half     codes above 7bff: with_chosen_nans, if infinities_agree; else mend_group
 *   encode_bytes    magnitudes above max: with_extreme_codes, unless NaNs keep their payload; else mend_group
 *   the others      mend_group, the template's `group` with the same step and the same random bits
 *
 * Prefetches: stores past the caches make the processor's own prefetching less useful, so inputs are prefetched AHEAD
 * bytes early. */

/* What mend_group needs, made when the first group needs it: most arrays never do. */
typedef struct hot {
    bool made;
    bndi_results special;
    constants_32 k;
} hot;

/* Nothing is made yet. */
static ALWAYS_INLINE void start_hot(hot *h)
{
    h->made = h->special.asked = false;
}

/* Out of line, as are the repairs: the vectors of a loop stay in registers. */
static NOT_INLINE void make_hot(hot *h, const bndi_plan *plan)
{
    set_constants_32(&h->k, plan);
    h->made = true;
}

/* A group of 64 by the template, in the step that the caller's kernel stands for. Each case is an instance with
 * constants. */
static NOT_INLINE void mend_group(hot *h, bndi_step step, const bndi_plan *plan, void *codes, const void *x,
                                  const void *random)
{
    if (!h->made) {
        make_hot(h, plan);
    }
    /* Each case passes a constant step, for which `group` has an instance. */
    switch (step) {
    case FLOAT_MODE:
        group_32(&h->k, FLOAT_MODE, plan, &h->special, true, false, plan->code_bytes, false, codes, x, NULL);
        break;
    case FLOAT_ADD:
        group_32(&h->k, FLOAT_ADD, plan, &h->special, true, true, plan->code_bytes, false, codes, x, random);
        break;
    case BITS_RANDOM:
        group_32(&h->k, BITS_RANDOM, plan, &h->special, true, true, plan->code_bytes, false, codes, x, random);
        break;
    default:
        group_32(&h->k, BITS_NEAREST, plan, &h->special, true, false, plan->code_bytes, false, codes, x, NULL);
        break;
    }
}

/* Where results go past the caches, inputs are worth a prefetch: the processor's own prefetching ends with every page.
 * A prefetch beyond the array does nothing. */
static ALWAYS_INLINE void ask_for(const char *in, size_t lines)
{
    enum { AHEAD = 4096 }; /* measured: 512 is too late, 2048 a little worse */
    for (size_t i = 0; i < lines; i++) {
        _mm_prefetch(in + AHEAD + i * 64, _MM_HINT_T0);
    }
}

/* IEEE binary16 in every field. */
static bool is_half(const bnd_format *f)
{
    return f->is_signed && f->exponent_bits == 5 && f->fraction_bits == 10 && f->bias == 15 && f->ieee_nans &&
           f->has_subnormals;
}

/* Is any of 64 codes of 16 bits, their signs apart, above `last`? One comparison for two vectors: for the codes 3c00,
 * fbff (-65504) and 7e00 (NaN) the magnitudes are 3c00, 7bff and 7e00, and only 7e00 is above 7bff. */
static ALWAYS_INLINE bool any_code_above(__m512i a, __m512i b, __m512i last)
{
    const __m512i magnitude = _mm512_set1_epi16(0x7fff);
    __m512i larger = _mm512_max_epu16(_mm512_and_si512(a, magnitude), _mm512_and_si512(b, magnitude));
    return _mm512_cmpgt_epu16_mask(larger, last) != 0;
}

/* Is what the instruction makes of numbers that are too large, and of infinities, what the rule says? Then NaNs alone
 * need attention in a group with large codes. */
static bool infinities_agree(hot *h, const bndi_plan *plan)
{
    const bndi_results *s = &h->special;
    bndi_ask(plan, true, &h->special);
    return !plan->keeps_payload && s->infinity[0] == 0x7c00 && s->infinity[1] == 0xfc00 && s->overflow[0] == 0x7c00 &&
           s->overflow[1] == 0xfc00;
}

/* NaNs of fp16 codes replaced by the codec's, by sign: first in every lane with a NaN, then again in the negative ones.
 * With special->nan = 7e00, fe00:
 *
 *   code                 3400   7e01   fc00   fe01
 *   & 7fff > 7c00        0      1      0      1        infinities are not NaNs
 *   negative and NaN     0      0      0      1
 *   result               3400   7e00   fc00   fe00 */
static ALWAYS_INLINE __m512i with_chosen_nans(__m512i code, const bndi_results *special)
{
    const __m512i magnitude = _mm512_set1_epi16(0x7fff), infinity = _mm512_set1_epi16(0x7c00);
    __mmask32 nan = _mm512_cmpgt_epu16_mask(_mm512_and_si512(code, magnitude), infinity);
    __mmask32 negative = nan & _mm512_movepi16_mask(code);
    code = _mm512_mask_mov_epi16(code, nan, _mm512_set1_epi16((short)special->nan[0]));
    return _mm512_mask_mov_epi16(code, negative, _mm512_set1_epi16((short)special->nan[1]));
}

/* The instruction rounds as MXCSR says. Where it makes the largest number of one too large (toward zero), so does every
 * policy; where it makes an infinity or a NaN, the generic kernel or with_chosen_nans decides. */
static void encode_half(const bndi_plan *plan, void *codes, const void *x, size_t n)
{
    const __m512i last = _mm512_set1_epi16(0x7bff);
    const bool stream = plan->stream;
    const char *in = x;
    char *out = codes;
    hot h;
    start_hot(&h);
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
            if (!infinities_agree(&h, plan)) {
                mend_group(&h, FLOAT_MODE, plan, out, in, NULL);
                continue;
            }
            c[0] = with_chosen_nans(c[0], &h.special);
            c[1] = with_chosen_nans(c[1], &h.special);
        }
        put_32(out, c[0], stream);
        put_32(out + 64, c[1], stream);
    }
    by_step_32(plan, true, out, in, NULL, n);
}

/* fp16 to fp32 by the instruction: NaNs come out quiet, with sign and payload, as the codec has them. */
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
 * half is odd, is above a half. The addition saturates: at ffff it must not wrap to 0.
 *
 *   x                           3f808000   3f818000   3f81ffff   c0490fdb
 *   rest = lower + (upper & 1)  8000       8001       ffff       0fdc
 *   rest > 8000                 0          1          1          0
 *   result                      3f80       3f82       3f82       c049 */
static ALWAYS_INLINE __m512i rounded_halves(__m512i upper, __m512i lower)
{
    const __m512i one = _mm512_set1_epi16(1), half = _mm512_set1_epi16((short)0x8000);
    __m512i rest = _mm512_adds_epu16(lower, _mm512_and_si512(upper, one));
    return _mm512_mask_add_epi16(upper, _mm512_cmpgt_epu16_mask(rest, half), upper, one);
}

/* The upper and lower halves of 64 words, 32 in a vector. */
static ALWAYS_INLINE void split_four(__m512i upper[2], __m512i lower[2], const char *in)
{
    const __m512i even = _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26,
                                          24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi16(even, _mm512_set1_epi16(1));
    __m512i v[GROUP];
    load_four(v, in);
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        upper[i] = _mm512_permutex2var_epi16(v[2 * i], odd, v[2 * i + 1]);
        lower[i] = _mm512_permutex2var_epi16(v[2 * i], even, v[2 * i + 1]);
    }
}

enum { LAST_UPPER = 0x7f7e }; /* and no more: the next one can round to an infinity */

/* bf16 and formats like it to nearest even: upper halves, one more where the lower half says so (rounded_halves). */
static void encode_upper(const bndi_plan *plan, void *codes, const void *x, size_t n)
{
    const __m512i last = _mm512_set1_epi16(LAST_UPPER);
    const bool stream = plan->stream;
    const char *in = x;
    char *out = codes;
    hot h;
    start_hot(&h);
    for (; n >= 64; n -= 64, in += 256, out += 128) {
        /* The codes, rounded down, and what is cut off. */
        __m512i upper[2], lower[2];
        if (stream) {
            ask_for(in, GROUP);
        }
        split_four(upper, lower, in);
        if (any_code_above(upper[0], upper[1], last)) {
            mend_group(&h, BITS_NEAREST, plan, out, in, NULL);
            continue;
        }
        put_32(out, rounded_halves(upper[0], lower[0]), stream);
        put_32(out + 64, rounded_halves(upper[1], lower[1]), stream);
    }
    by_step_32(plan, true, out, in, NULL, n);
}

/* The same formats with at most 16 random bits. Stochastic rounding is a carry: the random bits, moved up to the top of
 * 16, are added to the discarded lower half, and a carry out of 16 bits (the sum is less than an addend) adds one to
 * the upper half. B adds half a step of the random bits. For 3dcc cccd (0.1) with 8 random bits:
 *
 *   lower half   cccd     addend R << 8    3300 -> cccd + 3300 = ffcd, no carry: 3dcc
 *                                          3400 -> cccd + 3400 = 1 00cd, carry:   3dcd     up for 204 of 256 draws */
static void encode_upper_randomly(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    const unsigned left = 16 - plan->random_bits;
    const bool half_more = plan->rule.rounding == BND_ROUND_SRB && left > 0;
    const __m512i last = _mm512_set1_epi16(LAST_UPPER), one = _mm512_set1_epi16(1);
    const __m512i plus = _mm512_set1_epi16((short)(half_more ? 1 << (left - 1) : 0));
    const __m128i to_top = _mm_cvtsi32_si128((int)left);
    const bool stream = plan->stream;
    const char *in = x, *bits = random;
    char *out = codes;
    hot h;
    start_hot(&h);
    for (; n >= 64; n -= 64, in += 256, bits += 128, out += 128) {
        __m512i upper[2], lower[2];
        if (stream) {
            ask_for(in, GROUP);
        }
        split_four(upper, lower, in);
        if (any_code_above(upper[0], upper[1], last)) {
            mend_group(&h, BITS_RANDOM, plan, out, in, bits);
            continue;
        }
        UNROLL
        for (size_t i = 0; i < 2; i++) {
            __m512i addend = _mm512_or_si512(_mm512_sll_epi16(_mm512_loadu_si512(bits + i * 64), to_top), plus);
            __mmask32 carry = _mm512_cmplt_epu16_mask(_mm512_add_epi16(lower[i], addend), addend);
            put_32(out + i * 64, _mm512_mask_add_epi16(upper[i], carry, upper[i], one), stream);
        }
    }
    by_step_32(plan, true, out, in, bits, n);
}

/* bf16 to fp32: a shift; NaNs are made quiet. 7f81 becomes 7f810000, is above 7f800000, and the quiet bit makes it
 * 7fc10000. Magnitudes compare as signed integers, as their top bit is 0. */
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
