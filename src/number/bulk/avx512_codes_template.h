/* For AVX-512: encode and decode kernels of their own for fp16 and bf16, and what they share with those for formats of
 * at most 8 bits (avx512_bytes_template.h). A part of avx512.c.
 *
 * Each takes 64 elements (GROUP vectors of 16) per step and leaves a group that has numbers out of range or special
 * ones to the template's `group` (mend_group), or blends in the codec's results by masks (with_extreme_codes).
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

/* A group of 64 by the template, in the step that the caller's kernel implements. Each case is an instance with
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

/* bf16 and formats like it to nearest even: upper halves, plus one if the lower half rounds up (rounded_halves). */
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
