/* The body of the portable kernels, for one type of words: included by portable.c once for fp32 and once for fp64.
 *
 * WORD: the unsigned type; FRACTION: its fraction bits; NAME(x): the name of a function for this type. */

#define BITS      (8 * (int)sizeof(WORD))
#define HIDDEN    ((WORD)1 << FRACTION)
#define MAGNITUDE ((WORD)-1 >> 1)
#define TOP       (MAGNITUDE & ~(HIDDEN - 1)) /* infinity; above it are the NaNs */

/* Arrays need no alignment. */
static inline WORD NAME(get)(const void *words, size_t i)
{
    WORD word;
    __builtin_memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
    return word;
}

static inline void NAME(put)(void *words, size_t i, WORD word)
{
    __builtin_memcpy((char *)words + i * sizeof word, &word, sizeof word);
}

/* A number in range, its sign apart. It lies between two multiples of 2^discard of the significand's unit; the word of
 * the lower one is u with these bits cleared, and adding one multiple carries into the exponent field as it should. */
static inline WORD NAME(round_finite)(const bndi_plan *plan, WORD u, bool negative, uint64_t random)
{
    enum { DEEP = 62 }; /* so many bits are discarded that what remains is below any half, and not zero */
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

static inline WORD NAME(nan_word)(const bndi_plan *plan, bndi_results *special, WORD bits)
{
    if (!plan->keeps_payload) {
        bndi_ask(plan, false, special);
        return (WORD)special->nan[bits >> (BITS - 1)];
    }
    WORD quiet = HIDDEN >> 1, kept = ~(((WORD)1 << plan->drop) - 1);
    return (bits & kept) | quiet; /* kept is without it where there is one bit of precision */
}

/* Any word by any rule. */
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
    if (u < plan->difficult || (plan->random_bits > 0 && NAME(is_deep)(plan, u))) {
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

/* `rounding` is a constant wherever this is called. Between the smallest normal number and the largest the discarded
 * bits are always the same, `drop` of them; whatever else there is goes to round_one. */
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

/* Where words cannot hold the format's values: by the codec. */
static void NAME(round_by_codec)(const bndi_plan *plan, void *out, const void *in, const void *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, i) : 0;
        NAME(put)(out, i, (WORD)bndi_round_word(plan, NAME(get)(in, i), r));
    }
}

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

void NAME(bndi_round)(const bndi_plan *plan, void *out, const void *in, const void *random, size_t n)
{
    bndi_results special = {.asked = false};
    NAME(round_with)(plan, &special, out, in, random, n);
}

/* ---- codes ---- */

/* The exponent field of a word, less this, is the exponent field of the code. */
static inline int32_t NAME(field_offset)(const bndi_plan *plan)
{
    return plan->bottom - plan->format.has_subnormals;
}

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

/* Any word. */
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

/* Straight from the word to the code. */
static void NAME(encode_by_codec)(const bndi_plan *plan, void *codes, const void *in, const void *random, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, i) : 0;
        uint64_t code = bnd_convert(&plan->format, plan->words, NAME(get)(in, i), plan->rule, r).code;
        bndi_put(codes, plan->code_bytes, i, code << plan->code_shift);
    }
}

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

/* Any code. */
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
