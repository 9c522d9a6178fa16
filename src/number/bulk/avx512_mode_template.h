/* For AVX-512: rounding by x + M in the mode that is set (FLOAT_MODE of lanes_template.h), for plans with nothing
 * special at zero: `round` from fp32 words to words, and `encode` from fp64 words to codes of one or two bytes. A part
 * of avx512.c.
 *
 * Results of special and large numbers are blended in by masks within the loop, so arrays full of NaNs, infinities and
 * numbers that are too large take as long as others. Four lanes of round, e5m2 (2 fraction bits, max 57344 = 47600000,
 * next power of two 47800000 = beyond, infinities kept):
 *
 *                              1.3            1e5            NaN             -inf
 *   x                          3fa66666       47c35000       7fc00000        ff800000
 *   M                          4a000000       52000000       0a000000        8a000000   of the last two: wrapped around
 *   r = x + M - M              3fa00000       47c00000       7fc00000        ff800000   1.25, 98304
 *   u > top (nan)              0              0              1               0
 *   u == top (infinite)        0              0              0               1
 *   u >= beyond, or            0              1              1               1          over: NaN and infinity are
 *     u > max and |r| > max                                                             overwritten next
 *   after over                 3fa00000       7f800000       7f800000        ff800000
 *   after infinite             3fa00000       7f800000       7f800000        ff800000
 *   after nan                  3fa00000       7f800000       7fc00000        ff800000 */

/* What the codec makes of overflow, infinities and NaNs, as words or as codes; and the thresholds. */
typedef struct extremes {
    bndi_results results;
    __m512i top, max, beyond; /* magnitudes, as words of 32 or 64 bits */
} extremes;

/* Plans of family FLOAT whose rounding is one of the processor's modes, for signed formats with both zeros. */
static bool goes_by_mode(const bndi_plan *plan)
{
    const unsigned rounding = plan->rule.rounding;
    return plan->family == BNDI_FLOAT && plan->extra == 0 && rounding != BND_ROUND_RTO &&
           rounding != BND_ROUND_SR_EQUAL && plan->plain_low == 0 && plan->format.is_signed;
}

/* A call would spill every register: so the common case is inlined, and the codec is called once. */
static ALWAYS_INLINE void ask_once(extremes *e, const bndi_plan *plan, bool as_codes)
{
    if (__builtin_expect(!e->results.asked, 0)) {
        bndi_ask(plan, as_codes, &e->results);
    }
}

/* ---- 16 words of fp32 ---- */

/* Masks of a vector's lanes: NaNs, infinities, what is rounded beyond the largest number, and negative lanes. */
typedef struct lanes_apart {
    __mmask16 nan, infinite, over, negative;
} lanes_apart;

/* The thresholds; the results come from the codec when they are needed. */
static ALWAYS_INLINE extremes extremes_32(const bndi_plan *plan)
{
    return (extremes){.results = {.asked = false},
                      .top = _mm512_set1_epi32(0x7f800000),
                      .max = _mm512_set1_epi32((int)plan->max),
                      .beyond = _mm512_set1_epi32((int)plan->overflow_from)};
}

/* x, and x rounded as if without limits. Both conditions of `over` are needed: a number above max may round down to
 * max, and one at `beyond` or above overflows in every mode, for any value of x + M. */
static ALWAYS_INLINE lanes_apart set_apart_32(const extremes *e, __m512i x, __m512i rounded)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    __m512i u = _mm512_and_si512(x, magnitude), size = _mm512_and_si512(rounded, magnitude);
    __mmask16 too_large = _mm512_cmpgt_epu32_mask(u, e->max);
    lanes_apart a = {.nan = _mm512_cmpgt_epu32_mask(u, e->top),
                     .infinite = _mm512_cmpeq_epi32_mask(u, e->top),
                     .negative = _mm512_movepi32_mask(x)};
    a.over = _mm512_mask_cmpgt_epu32_mask(too_large, size, e->max) | _mm512_cmpge_epu32_mask(u, e->beyond);
    return a;
}

/* The results of the lanes in `lanes`, by sign. */
static ALWAYS_INLINE __m512i put_in_32(__m512i result, __mmask16 lanes, __mmask16 negative, const uint64_t by_sign[2])
{
    result = _mm512_mask_mov_epi32(result, lanes, _mm512_set1_epi32((int)by_sign[0]));
    return _mm512_mask_mov_epi32(result, lanes & negative, _mm512_set1_epi32((int)by_sign[1]));
}

/* In this order: `over` includes infinities and NaNs. */
static ALWAYS_INLINE __m512i with_extremes_32(const extremes *e, __m512i result, __m512i x, __m512i rounded)
{
    lanes_apart a = set_apart_32(e, x, rounded);
    result = put_in_32(result, a.over, a.negative, e->results.overflow);
    result = put_in_32(result, a.infinite, a.negative, e->results.infinity);
    return put_in_32(result, a.nan, a.negative, e->results.nan);
}

/* No magnitude of four vectors above max: one comparison. */
static ALWAYS_INLINE bool all_plain(const __m512i *x, __m512i magnitude, __m512i max)
{
    __m512i a = _mm512_max_epu32(_mm512_and_si512(x[0], magnitude), _mm512_and_si512(x[1], magnitude));
    __m512i b = _mm512_max_epu32(_mm512_and_si512(x[2], magnitude), _mm512_and_si512(x[3], magnitude));
    return _mm512_cmpgt_epu32_mask(_mm512_max_epu32(a, b), max) == 0;
}

/* GROUP vectors. */
static ALWAYS_INLINE void load_four(__m512i *x, const char *in)
{
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        x[i] = _mm512_loadu_si512(in + i * 64);
    }
}

/* Words to words; the last few go through the template. */
static void round_by_mode_32(const bndi_plan *plan, void *y, const void *x, size_t n)
{
    const __m512i top = _mm512_set1_epi32(0x7f800000), sign_free = _mm512_set1_epi32(0x7fffffff);
    const __m512i bottom = _mm512_set1_epi32((int)((uint32_t)plan->bottom << 23));
    const __m512i magic = _mm512_set1_epi32((int)plan->magic), max = _mm512_set1_epi32((int)plan->max);
    extremes e = extremes_32(plan);
    const char *in = x;
    char *out = y;
    for (; n >= 64; n -= 64, in += 256, out += 256) {
        __m512i v[GROUP], r[GROUP];
        load_four(v, in);
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            __m512i power = _mm512_add_epi32(_mm512_max_epi32(_mm512_and_si512(v[i], top), bottom), magic);
            __m512 m = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(power, v[i], sign_free, 0xe4));
            __m512 t = _mm512_sub_ps(_mm512_add_ps(_mm512_castsi512_ps(v[i]), m), m);
            r[i] = _mm512_ternarylogic_epi32(_mm512_castps_si512(t), v[i], sign_free, 0xe4);
        }
        if (!all_plain(v, sign_free, max)) {
            ask_once(&e, plan, false);
            UNROLL
            for (size_t i = 0; i < GROUP; i++) {
                r[i] = with_extremes_32(&e, r[i], v[i], r[i]);
            }
        }
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            put_32(out + i * 64, r[i], plan->stream);
        }
    }
    by_step_32(plan, false, out, in, NULL, n);
}

/* ---- 8 words of fp64, to codes of one or two bytes ---- */

/* The same for 8 lanes of fp64, to codes. */
static ALWAYS_INLINE __m512i put_in_64(__m512i result, __mmask8 lanes, __mmask8 negative, const uint64_t by_sign[2])
{
    result = _mm512_mask_mov_epi64(result, lanes, _mm512_set1_epi64((long long)by_sign[0]));
    return _mm512_mask_mov_epi64(result, lanes & negative, _mm512_set1_epi64((long long)by_sign[1]));
}

static ALWAYS_INLINE __m512i with_extremes_64(const extremes *e, __m512i code, __m512i x, __m512i rounded)
{
    const __m512i magnitude = _mm512_set1_epi64(INT64_MAX);
    __m512i u = _mm512_and_si512(x, magnitude), size = _mm512_and_si512(rounded, magnitude);
    __mmask8 too_large = _mm512_cmpgt_epu64_mask(u, e->max), negative = _mm512_movepi64_mask(x);
    __mmask8 over = _mm512_mask_cmpgt_epu64_mask(too_large, size, e->max) | _mm512_cmpge_epu64_mask(u, e->beyond);
    code = put_in_64(code, over, negative, e->results.overflow);
    code = put_in_64(code, _mm512_cmpeq_epi64_mask(u, e->top), negative, e->results.infinity);
    return put_in_64(code, _mm512_cmpgt_epu64_mask(u, e->top), negative, e->results.nan);
}

/* fp64 to codes of one or two bytes: x + M with the code's offset in M, plus the exponent field, as in
 * lanes_template.h. The conversion to bytes or 16-bit words takes the low part of each lane, so bits above the code do
 * not matter. */
static void encode_by_mode_64(const bndi_plan *plan, void *codes, const void *x, size_t n)
{
    const unsigned magnitude_bits = bnd_magnitude_bits(&plan->format);
    const __m512i top = _mm512_set1_epi64((long long)0x7ff0000000000000), sign_free = _mm512_set1_epi64(INT64_MAX);
    const __m512i bottom = _mm512_set1_epi64((long long)((uint64_t)(uint32_t)plan->bottom << 52));
    const __m512i magic = _mm512_set1_epi64((long long)plan->code_magic);
    const __m512i code_bits = _mm512_set1_epi64((1LL << magnitude_bits) - 1);
    const __m128i to_code = _mm_cvtsi32_si128(52 - plan->format.fraction_bits);
    const __m128i to_sign = _mm_cvtsi32_si128((int)(63 - magnitude_bits));
    extremes e = {.results = {.asked = false},
                  .top = top,
                  .max = _mm512_set1_epi64((long long)plan->max),
                  .beyond = _mm512_set1_epi64((long long)plan->overflow_from)};
    const char *in = x;
    char *out = codes;
    for (; n >= 8; n -= 8, in += 64, out += 8 * plan->code_bytes) {
        __m512i v = _mm512_loadu_si512(in), power = _mm512_max_epi64(_mm512_and_si512(v, top), bottom);
        __m512d m = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_add_epi64(power, magic), v, sign_free, 0xe4));
        __m512d t = _mm512_add_pd(_mm512_castsi512_pd(v), m);
        __m512i code = _mm512_add_epi64(_mm512_castpd_si512(t), _mm512_srl_epi64(power, to_code));
        code = _mm512_ternarylogic_epi64(code, _mm512_srl_epi64(v, to_sign), code_bits, 0xe4);
        if (_mm512_cmpgt_epu64_mask(_mm512_and_si512(v, sign_free), e.max) != 0) {
            ask_once(&e, plan, true);
            code = with_extremes_64(&e, code, v, _mm512_castpd_si512(_mm512_sub_pd(t, m)));
        }
        if (plan->code_bytes == 1) {
            _mm_storel_epi64((void *)out, _mm512_cvtepi64_epi8(code));
        } else {
            _mm_storeu_si128((void *)out, _mm512_cvtepi64_epi16(code));
        }
    }
    by_step_64(plan, true, out, in, NULL, n);
}
