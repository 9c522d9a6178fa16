/* The body of the portable kernels: round, encode, decode, one word at a time in plain C. It is a template for one type
 * of words; portable.c includes it once for fp32 and once for fp64. Vector kernels fall back to these functions, so
 * they must take every format that the words hold, every rule and every bit pattern; what words cannot express they
 * leave to the codec.
 *
 * Parameters: WORD, the unsigned type; FRACTION, its fraction bits (23, 52); NAME(x), the name of a function for this
 * type.
 *
 * Rounding is done on the bits. A positive number with significand s (hidden bit included) and exponent field e lies
 * between two multiples of 2^discard of its last place, where discard = drop bits that the format lacks, and one more
 * for each binade below the format's lowest normal one. The multiple below is the word with these bits cleared; the one
 * above is that plus 2^discard, and its carry into the exponent field is right by the layout of IEEE words.
 *
 * Worked example, fp32 to fp16 (drop = 13, bottom = 113) by nearest even:
 *
 *                            1.0007324       65519           3e-6                 2^-25 + 2^-40
 *   word                     3f801800        477fef00        3649539c             33000100
 *   field, discard           127, 13         142, 13         108, 13 + 5 = 18     102, 13 + 11 = 24
 *   significand              801800          ffef00          c9539c               800100
 *   rest (discarded bits)    1800            0f00            1539c                800100
 *   half                     1000            1000            20000                800000
 *   rest > half?             yes: up         no: down        no: down             yes: up, but discard > 23:
 *   result                   3f802000        477fe000        36480000             33800000 (the least number)
 *   value                    1.0009766       65504           2.9802322e-6         2^-24 */

#define BITS      (8 * (int)sizeof(WORD))
#define HIDDEN    ((WORD)1 << FRACTION)
#define MAGNITUDE ((WORD)-1 >> 1)
#define TOP       (MAGNITUDE & ~(HIDDEN - 1)) /* infinity; above it are the NaNs */

/* Element i of an array that needs no alignment. */
static inline WORD NAME(get)(const void *words, size_t i)
{
    WORD word;
    __builtin_memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
    return word;
}

/* Stores element i. */
static inline void NAME(put)(void *words, size_t i, WORD word)
{
    __builtin_memcpy((char *)words + i * sizeof word, &word, sizeof word);
}

/* A nonzero number within range, its sign apart. DEEP: at 62 discarded bits the remainder is already below any half and
 * not zero, so more would change nothing; is_deep keeps the stochastic modes, for which it would, away. Where discard >
 * FRACTION the number is below the least one and both neighbours are known: zero and `least`. `odd` is the parity of
 * the code's last bit: the last bit kept, or that of the exponent field where the format has one bit of precision
 * (code_parity). */
static inline WORD NAME(round_finite)(const bndi_plan *plan, WORD u, bool negative, uint64_t random)
{
    enum { DEEP = 62 }; /* with 62 bits discarded, the fraction is nonzero and below any half */
    WORD raw_field = u >> FRACTION;
    int32_t field = raw_field == 0 ? 1 : (int32_t)raw_field;
    uint64_t significand = (u & (HIDDEN - 1)) | (raw_field == 0 ? 0 : HIDDEN);
    int32_t below = plan->bottom - field;
    int32_t discard = (int32_t)plan->drop + (below > 0 ? below : 0);
    discard = discard < DEEP ? discard : DEEP;
    uint64_t rest = significand & ((UINT64_C(1) << discard) - 1);
    if (rest == 0) {
        return u;
    }
    bool odd = (significand >> discard & 1) != 0;
    if (plan->code_parity && significand >> discard != 0) {
        odd = (((uint32_t)field + plan->parity_offset) & 1) != 0;
    }
    bool up = rest_rounds_up(plan->rule.rounding, plan->random_bits, rest, (unsigned)discard, odd, negative, random);
    if (discard > FRACTION) {
        return up ? (WORD)plan->least : 0;
    }
    WORD step = (WORD)1 << discard;
    return (u & ~(step - 1)) + (up ? step : 0);
}

/* A NaN: the canonical one that the codec gives by sign, or sign and payload kept as far as they fit, made quiet. For
 * bf16 (drop 16) 7f812345 keeps 7f81 and becomes 7fc10000. */
static inline WORD NAME(nan_word)(const bndi_plan *plan, bndi_results *special, WORD bits)
{
    if (!plan->keeps_payload) {
        bndi_ask(plan, false, special);
        return (WORD)special->nan[bits >> (BITS - 1)];
    }
    WORD quiet = HIDDEN >> 1, kept = ~(((WORD)1 << plan->drop) - 1) & (plan->format.is_signed ? ~(WORD)0 : MAGNITUDE);
    return (bits & kept) | quiet; /* kept is without it where there is one bit of precision */
}

/* `special` keeps the codec's results for the special numbers of this call, so that the codec is called once per array.
 * Any word by any rule, in the order of the codec's own decisions: NaN, zero (or a flushed input), a sign that the
 * format lacks, infinity, numbers that words cannot round, then rounding and the limits above and below. */
static NOT_INLINE WORD NAME(round_one)(const bndi_plan *plan, bndi_results *special, WORD bits, uint64_t random)
{
    unsigned sign = (unsigned)(bits >> (BITS - 1));
    WORD u = bits & MAGNITUDE;
    if (u > TOP) {
        return NAME(nan_word)(plan, special, bits);
    }
    if (u == 0 || (plan->rule.flush_in && u < HIDDEN)) {
        bndi_ask(plan, false, special);
        return (WORD)special->zero[sign];
    }
    if (sign != 0 && !plan->format.is_signed) {
        if (plan->nonnegative_only) {
            bndi_ask(plan, false, special);
            return (WORD)special->negative;
        }
        sign = 0;
    }
    if (u == TOP) {
        bndi_ask(plan, false, special);
        return (WORD)special->infinity[sign];
    }
    if (u < plan->codec_below || (plan->random_bits > 0 && NAME(is_deep)(plan, u))) {
        return (WORD)bndi_round_word(plan, bits, random);
    }
    WORD y = NAME(round_finite)(plan, u, sign != 0, random);
    if (y > plan->max) {
        bndi_ask(plan, false, special);
        return (WORD)special->overflow[sign];
    }
    if (y == 0 || (plan->rule.flush_out && y < plan->normal)) {
        bndi_ask(plan, false, special);
        return (WORD)special->zero[sign];
    }
    return y | (WORD)sign << (BITS - 1);
}

/* The loop. `rounding` is a constant wherever this is called. Between the smallest normal number and the largest one
 * exactly `drop` bits are discarded; everything else goes to round_one. A format that is not signed keeps the sign in
 * u, so that a negative number is above max and goes to round_one as well. For fp16 normal is 38800000 and max
 * 477fe000; 3f801800 is between them: rest 1800, lower 3f800000. */
static ALWAYS_INLINE void NAME(round_by)(unsigned rounding, const bndi_plan *plan, bndi_results *special, void *out,
                                         const void *in, const void *random, size_t n)
{
    const WORD normal = (WORD)plan->normal, max = (WORD)plan->max, step = (WORD)1 << plan->drop;
    const WORD signs = plan->format.is_signed ? MAGNITUDE : (WORD)-1; /* a sign that may not be makes u too large */
    const unsigned drop = plan->drop, bits = plan->random_bits;
    const bool uniform = plan->format.precision > 1; /* else the last bit kept is the hidden one */
    for (size_t i = 0; i < n; i++) {
        WORD x = NAME(get)(in, i), u = x & signs, rest = u & (step - 1), lower = u - rest;
        uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, i) : 0;
        /* Everything that is not a normal number in range: zeros, subnormals, large numbers, specials, wrong signs. */
        if (!uniform || u < normal || u > max) {
            NAME(put)(out, i, NAME(round_one)(plan, special, x, r));
            continue;
        }
        bool negative = x >> (BITS - 1) != 0, odd = (u >> drop & 1) != 0;
        bool up = rest_rounds_up(rounding, bits, rest, drop, odd, negative, r) & (rest != 0);
        WORD rounded = lower + ((WORD)up << drop), sign = x & ~MAGNITUDE;
        NAME(put)(out, i, rounded | sign); /* max is on the grid: nothing up to it is rounded beyond it */
    }
}

/* Where words cannot hold the format's values (plan->exact is false): the codec, one number at a time. */
static void NAME(round_by_codec)(const bndi_plan *plan, void *out, const void *in, const void *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, i) : 0;
        NAME(put)(out, i, (WORD)bndi_round_word(plan, NAME(get)(in, i), r));
    }
}

/* One loop per mode, so that rest_rounds_up has a constant to switch on. */
static void NAME(round_with)(const bndi_plan *plan, bndi_results *special, void *out, const void *in,
                             const void *random, size_t n)
{
    if (!plan->exact) {
        NAME(round_by_codec)(plan, out, in, random, n);
        return;
    }
    switch (plan->rule.rounding) {
    case BND_ROUND_RNE:
        NAME(round_by)(BND_ROUND_RNE, plan, special, out, in, NULL, n);
        break;
    case BND_ROUND_RNA:
        NAME(round_by)(BND_ROUND_RNA, plan, special, out, in, NULL, n);
        break;
    case BND_ROUND_RTZ:
        NAME(round_by)(BND_ROUND_RTZ, plan, special, out, in, NULL, n);
        break;
    case BND_ROUND_RUP:
        NAME(round_by)(BND_ROUND_RUP, plan, special, out, in, NULL, n);
        break;
    case BND_ROUND_RDN:
        NAME(round_by)(BND_ROUND_RDN, plan, special, out, in, NULL, n);
        break;
    case BND_ROUND_RTO:
        NAME(round_by)(BND_ROUND_RTO, plan, special, out, in, NULL, n);
        break;
    case BND_ROUND_SR_EQUAL:
        NAME(round_by)(BND_ROUND_SR_EQUAL, plan, special, out, in, random, n);
        break;
    case BND_ROUND_SRA:
        NAME(round_by)(BND_ROUND_SRA, plan, special, out, in, random, n);
        break;
    case BND_ROUND_SRB:
        NAME(round_by)(BND_ROUND_SRB, plan, special, out, in, random, n);
        break;
    default:
        NAME(round_by)(BND_ROUND_SR, plan, special, out, in, random, n);
        break;
    }
}

/* The kernel of the table. */
void NAME(bndi_round)(const bndi_plan *plan, void *out, const void *in, const void *random, size_t n)
{
    bndi_results special = {.asked = false};
    NAME(round_with)(plan, &special, out, in, random, n);
}

/* ---- codes ---- */

/* The exponent field of a word minus this is the exponent field of the code; one less where subnormals take field 0. */
static inline int32_t NAME(field_offset)(const bndi_plan *plan)
{
    return plan->bottom - plan->format.has_subnormals;
}

/* Infinity and NaN as codes. IEEE-like formats keep the upper payload bits, fnuz formats have one NaN, others a single
 * code. */
static inline uint64_t NAME(special_code)(const bndi_plan *plan, WORD u, uint64_t sign)
{
    const bnd_format *f = &plan->format;
    if (u == TOP) {
        return sign | f->infinity_code;
    }
    if (f->zero_nan) {
        return f->nan_code;
    }
    return sign | (f->ieee_nans ? f->infinity_code | (u & (HIDDEN - 1)) >> plan->drop : f->nan_code);
}

/* Codes of four fp32 words that are values of e4m3 (drop = 20, bottom = 121, offset = 120 << 3 = 3c0):
 *
 *   word u       u >> 20 - 3c0                             code
 *   3ea00000     3ea - 3c0 = 2a                            2a      0.3125
 *   43e00000     43e - 3c0 = 7e                            7e      448
 *   3c400000     below normal 3c800000: field 120,         06      6 2^-9, significand c00000 >> (20 + 121 - 120)
 *   00000000     zero                                      00
 * Any word that is a value of the format, as a code. A subnormal's significand is shifted by as many bits as it is
 * below the lowest normal binade; no bit is lost, since the word was rounded before. */
static NOT_INLINE uint64_t NAME(code_of)(const bndi_plan *plan, WORD bits)
{
    const bnd_format *f = &plan->format;
    WORD u = bits & MAGNITUDE;
    uint64_t sign = f->is_signed ? (uint64_t)(bits >> (BITS - 1)) << bnd_magnitude_bits(f) : 0;
    if (u >= TOP) {
        return NAME(special_code)(plan, u, sign);
    }
    if (u == 0) {
        return sign;
    }
    if (u >= plan->normal) {
        return sign | ((u >> plan->drop) - ((uint64_t)(int64_t)NAME(field_offset)(plan) << f->fraction_bits));
    }
    WORD raw_field = u >> FRACTION;
    uint64_t significand = (u & (HIDDEN - 1)) | (raw_field == 0 ? 0 : HIDDEN);
    int32_t field = raw_field == 0 ? 1 : (int32_t)raw_field;
    return sign | significand >> ((int32_t)plan->drop + plan->bottom - field);
}

/* Rounded words to codes: a shift and a subtraction for normal numbers, code_of for the others. */
static void NAME(codes_of_rounded)(const bndi_plan *plan, void *codes, size_t at, const WORD *x, size_t n)
{
    const WORD normal = (WORD)plan->normal, max = (WORD)plan->max;
    const unsigned drop = plan->drop, to_sign = plan->format.is_signed ? bnd_magnitude_bits(&plan->format) : 63;
    const uint64_t offset = (uint64_t)(int64_t)NAME(field_offset)(plan) << plan->format.fraction_bits;
    for (size_t i = 0; i < n; i++) {
        WORD u = x[i] & MAGNITUDE;
        uint64_t sign = (uint64_t)(x[i] >> (BITS - 1)) << to_sign; /* unsigned formats have no word with a sign here */
        uint64_t code = u >= normal && u <= max ? sign | ((u >> drop) - offset) : NAME(code_of)(plan, x[i]);
        bndi_put(codes, plan->code_bytes, at + i, code << plan->code_shift);
    }
}

/* Straight from the word to the code, where no word is between them. */
static void NAME(encode_by_codec)(const bndi_plan *plan, void *codes, const void *in, const void *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, i) : 0;
        uint64_t code = bnd_convert(&plan->format, plan->words, NAME(get)(in, i), plan->rule, r).code;
        bndi_put(codes, plan->code_bytes, i, code << plan->code_shift);
    }
}

/* Encode is round, then words to codes, in blocks that stay in the first cache. */
void NAME(bndi_encode)(const bndi_plan *plan, void *codes, const void *in, const void *random, size_t n)
{
    enum { BLOCK = 256 };
    WORD rounded[BLOCK];
    bndi_results special = {.asked = false};
    if (!plan->exact) {
        NAME(encode_by_codec)(plan, codes, in, random, n);
        return;
    }
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        const char *r = random != NULL ? (const char *)random + at * plan->random_bytes : NULL;
        NAME(round_with)(plan, &special, rounded, (const char *)in + at * sizeof(WORD), r, count);
        NAME(codes_of_rounded)(plan, codes, at, rounded, count);
    }
}

/* Any code as a word. Special codes and formats that the words do not hold go to the codec. A subnormal is normalised
 * by shifting its significand until the hidden bit is in place, one step of the exponent field per shift; where the
 * words run out of exponents (field 1) it stays a subnormal of the words. */
static NOT_INLINE WORD NAME(word_of)(const bndi_plan *plan, uint64_t code)
{
    const bnd_format *f = &plan->format;
    unsigned bits = bnd_magnitude_bits(f);
    uint64_t magnitude = code & ((UINT64_C(1) << bits) - 1);
    WORD sign = f->is_signed ? (WORD)(code >> bits & 1) << (BITS - 1) : 0;
    bool zero_nan = f->zero_nan && magnitude == 0 && sign != 0;
    if (!plan->exact || magnitude > f->max_code || zero_nan || (magnitude == 0 && !f->has_zero)) {
        return (WORD)bndi_decode_word(plan, code);
    }
    if (magnitude == 0) {
        return sign;
    }
    if (!f->has_subnormals || magnitude >> f->fraction_bits != 0) {
        uint64_t offset = (uint64_t)(int64_t)NAME(field_offset)(plan) << f->fraction_bits;
        return sign | (WORD)((magnitude + offset) << plan->drop);
    }
    /* A subnormal: its leading bit moves to the hidden one's place, and the exponent field goes down as far. */
    int32_t field = plan->bottom;
    WORD significand = (WORD)magnitude << plan->drop;
    for (; significand < HIDDEN && field > 1; field--) {
        significand <<= 1;
    }
    return sign | (((WORD)(field - 1) << FRACTION) + significand);
}

/* Codes to words: a shift and an addition for normal codes, word_of for the others. */
void NAME(bndi_decode)(const bndi_plan *plan, void *out, const void *codes, size_t n)
{
    const bnd_format *f = &plan->format;
    const unsigned drop = plan->drop, bits = bnd_magnitude_bits(f), bytes = plan->code_bytes, shift = plan->code_shift;
    const uint64_t mask = (UINT64_C(1) << bits) - 1, signs = f->is_signed, max = f->max_code;
    const uint64_t normal = UINT64_C(1) << f->fraction_bits, offset = (uint64_t)(int64_t)NAME(field_offset)(plan)
                                                                      << f->fraction_bits;
    for (size_t i = 0; i < n; i++) {
        uint64_t code = bndi_get(codes, bytes, i) >> shift, magnitude = code & mask;
        WORD sign = (WORD)(code >> bits & signs) << (BITS - 1);
        bool plain = plan->exact && magnitude >= normal && magnitude <= max;
        NAME(put)(out, i, plain ? sign | (WORD)((magnitude + offset) << drop) : NAME(word_of)(plan, code));
    }
}

#undef BITS
#undef HIDDEN
#undef MAGNITUDE
#undef TOP
