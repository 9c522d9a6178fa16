/* The body of the vector kernels, for one type of words and one size of vector: a back end includes it once for fp32
 * and once for fp64. Written in the compiler's own vectors; what an instruction set does better than they say comes as
 * hooks.
 *
 * LANE_BITS: 32 or 64; BYTES: of a vector; NAME(x): the name of a function for this type. Hooks, on lanes:
 * NAME(select): a where the mask has ones, else b; NAME(max) of signed numbers, NAME(umax) of unsigned ones,
 * NAME(any_above): is any lane of a above its lane of b, unsigned?; NAME(store_codes), NAME(load_some): vectors of
 * codes to and from words of 1, 2, 4 or 8 bytes; NAME(stream): a store past the caches.
 *
 * What is no plain number, by the plan's low and span, is looked for once a group of vectors; a group that has any goes
 * the way with blends, `mend`, and numbers that no blend does go to the portable kernels. */

#if LANE_BITS == 32
#define WORD     uint32_t
#define FRACTION 23
#define NAME(x)  x##_32
#else
#define WORD     uint64_t
#define FRACTION 52
#define NAME(x)  x##_64
#endif
#define BITS      (8 * (int)sizeof(WORD))
#define LANES     (BYTES / (int)sizeof(WORD))
#define MAGNITUDE ((WORD)-1 >> 1)
#define SIGN      (~MAGNITUDE)
#define HIDDEN    ((WORD)1 << FRACTION)
#define TOP       (MAGNITUDE & ~(HIDDEN - 1)) /* infinity; above it are the NaNs */
#define V         NAME(lanes)
#if !defined(SHIFT)
#define SHIFT V
#endif
#define GROUP_LEN ((size_t)GROUP * (size_t)LANES)

static ALWAYS_INLINE V NAME(all)(uint64_t word)
{
    return (V){0} + (WORD)word;
}

/* A count of bits for all lanes: SHIFT is a vector or a number, what the instruction set takes in one instruction. */
static ALWAYS_INLINE SHIFT NAME(shift)(unsigned bits)
{
    return (SHIFT){0} + (WORD)bits;
}

static ALWAYS_INLINE V NAME(load)(const void *memory)
{
    V v;
    __builtin_memcpy(&v, memory, sizeof v);
    return v;
}

static ALWAYS_INLINE void NAME(store)(void *memory, V v)
{
    __builtin_memcpy(memory, &v, sizeof v);
}

static ALWAYS_INLINE V NAME(sum)(V a, V b)
{
    return (V)((NAME(floats))a + (NAME(floats))b);
}

static ALWAYS_INLINE V NAME(difference)(V a, V b)
{
    return (V)((NAME(floats))a - (NAME(floats))b);
}

static ALWAYS_INLINE V NAME(greater)(V a, V b)
{
    return (V)((NAME(signed_lanes))a > (NAME(signed_lanes))b);
}

static ALWAYS_INLINE V NAME(signs_of)(V x)
{
    return (V)((NAME(signed_lanes))x >> (BITS - 1));
}

/* The entries of LANES random numbers. */
static ALWAYS_INLINE V NAME(load_random)(const void *random, unsigned bytes, size_t at)
{
    V r[1];
    NAME(load_some)(r, (const char *)random + at * bytes, bytes, 1);
    return r[0];
}

/* ---- one rounding ---- */

/* What a step needs of the plan, as vectors. */
typedef struct NAME(constants) {
    V bottom, magic, code_magic, keep, unit, magnitude, usable, low, span, one, base, flip, plus;
    V code_offset, code_mask;
    SHIFT to_code, drop, extra, to_sign, right, left;
    unsigned bytes, shift;
    bool half_more;
} NAME(constants);

/* The random addend of stochastic rounding below `drop` bits, that is R 2^drop / 2^bits, and for B half a step more. */
static void NAME(set_random)(NAME(constants) * k, const bndi_plan *plan)
{
    unsigned drop = plan->drop, bits = plan->random_bits;
    unsigned left = bits < drop ? drop - bits : 0;
    k->right = NAME(shift)(bits > drop ? bits - drop : 0);
    k->left = NAME(shift)(left);
    k->plus = NAME(all)(plan->rule.rounding == BND_ROUND_SRB && bits < drop ? (WORD)1 << (drop - bits - 1) : 0);
    /* C rounds to a multiple of 2^left first. */
    bool rounds = plan->rule.rounding == BND_ROUND_SR && bits < drop;
    k->base = NAME(all)(rounds ? ((WORD)1 << left >> 1) - 1 : 0);
    k->one = NAME(all)(rounds);
    k->flip = NAME(all)(rounds ? ~(((WORD)1 << left) - 1) : (WORD)-1);
}

static void NAME(set_constants)(NAME(constants) * k, const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    const WORD unit = (WORD)1 << plan->drop, half = unit >> 1;
    const unsigned magnitude = bnd_magnitude_bits(f), rounding = plan->rule.rounding;
    k->bottom = NAME(all)((WORD)plan->bottom << FRACTION);
    k->magic = NAME(all)(plan->magic);
    k->code_magic = NAME(all)(plan->code_magic);
    k->unit = NAME(all)(unit);
    k->keep = NAME(all)(~(unit - 1));
    k->low = NAME(all)(plan->low);
    k->span = NAME(all)(plan->span);
    k->usable = NAME(all)(f->is_signed ? MAGNITUDE : (WORD)-1); /* a sign that may not be makes a number too large */
    k->magnitude = NAME(all)((WORD)(((uint64_t)1 << magnitude) - 1));
    k->to_code = NAME(shift)(FRACTION - f->fraction_bits);
    k->to_sign = NAME(shift)(BITS - 1 - magnitude);
    k->drop = NAME(shift)(plan->drop);
    k->extra = NAME(shift)(plan->extra);
    k->bytes = plan->random_bytes;
    k->shift = plan->code_shift;
    k->half_more = rounding == BND_ROUND_SRB;
    k->code_mask = NAME(all)(plan->family == BNDI_FLOAT ? ~(((WORD)1 << plan->extra) - 1) : 0);
    k->code_offset = NAME(all)(((WORD)plan->code_bottom - 1) << f->fraction_bits);
    /* At one bit of precision ties go up, or to the even code, whose parity is that of the field and an offset. */
    const bool ties_up = f->precision == 1 && !plan->code_parity;
    const WORD last = plan->code_parity ? (WORD)(plan->parity_offset & 1) : 0;
    k->base = NAME(all)(rounding == BND_ROUND_RNE && half != 0 ? half - !ties_up
                        : rounding == BND_ROUND_RNA            ? half
                                                               : 0);
    k->one = NAME(all)(rounding == BND_ROUND_RNE && half != 0 && !ties_up);
    k->flip = NAME(all)(rounding == BND_ROUND_RUP ? (WORD)-1 : rounding == BND_ROUND_RNE ? last : 0);
    k->plus = NAME(all)(0);
    k->right = k->left = NAME(shift)(0);
    if (plan->random_bits > 0 && plan->family == BNDI_UNIFORM) {
        NAME(set_random)(k, plan);
    }
    if (plan->family == BNDI_FLOAT) {
        k->code_offset = NAME(all)((WORD)plan->code_bottom << f->fraction_bits);
    }
}

/* x + M, M having the sign of x: below the last bit that is kept nothing is left. `magic` may put more into M's low
 * bits, which come out again in the sum's. */
static ALWAYS_INLINE V NAME(float_step)(const NAME(constants) * k, bndi_step step, V x, V magic, V random, V *m,
                                        V *exponent)
{
    *exponent = NAME(max)(x & TOP, k->bottom);
    *m = NAME(select)(NAME(all)(MAGNITUDE), *exponent + magic, x);
    V t = NAME(sum)(x, *m);
    if (step == FLOAT_ADD) {
        t = (t + random) & k->code_mask;
    }
    return t;
}

/* To odd, or up or down by one random bit: where anything was discarded. */
static ALWAYS_INLINE V NAME(odd_step)(const NAME(constants) * k, V x, V t, V m, V random, bool by_random)
{
    V lost = (V)(((NAME(difference)(t, m) ^ x) & MAGNITUDE) != 0) & 1;
    (void)k;
    return by_random ? t + (lost & random) : t | lost;
}

static ALWAYS_INLINE V NAME(bits_step)(const NAME(constants) * k, bndi_step step, V x, V random, bool by_random)
{
    V rest;
    switch (step) {
    case BITS_NEAREST:
        return (x + k->base + (((x >> k->drop) ^ k->flip) & k->one)) & k->keep;
    case BITS_ADD:
        return (x + k->base) & k->keep;
    case BITS_SIGNED:
        return (x + ((NAME(signs_of)(x) ^ k->flip) & ~k->keep)) & k->keep;
    case BITS_ODD:
        rest = ((x & ~k->keep) + ~k->keep) & k->unit; /* the unit, where anything is discarded */
        return by_random ? (x & k->keep) + (rest & ((V){0} - (random & 1))) : (x & k->keep) | rest;
    default:
        x = (x + k->base + ((x >> k->left) & k->one)) & k->flip;
        return (x + ((random >> k->right) << k->left) + k->plus) & k->keep;
    }
}

/* A word of the format's precision with the sign of x, before the limits; and what its code is made of. */
static ALWAYS_INLINE V NAME(rounded)(const NAME(constants) * k, bndi_step step, V x, V random, bool by_random)
{
    if (step > FLOAT_ODD) {
        return NAME(bits_step)(k, step, x, random, by_random);
    }
    V m, exponent, t = NAME(float_step)(k, step, x, k->magic, random, &m, &exponent);
    if (step == FLOAT_ODD) {
        t = NAME(odd_step)(k, x, t, m, random, by_random);
    }
    return NAME(select)(NAME(all)(MAGNITUDE), NAME(difference)(t, m), x);
}

static ALWAYS_INLINE V NAME(with_sign)(const NAME(constants) * k, V code, V x)
{
    return NAME(select)(k->magnitude, code, x >> k->to_sign);
}

/* The code of what `rounded` returns, without going there. */
static ALWAYS_INLINE V NAME(coded)(const NAME(constants) * k, bndi_step step, V x, V random, bool by_random)
{
    if (step > FLOAT_ODD) {
        V y = NAME(bits_step)(k, step, x, random, by_random);
        return NAME(with_sign)(k, (y >> k->drop) - k->code_offset, x);
    }
    V m, exponent;
    if (step == FLOAT_ADD) {
        V t = NAME(float_step)(k, step, x, k->magic, random, &m, &exponent);
        return NAME(with_sign)(k, ((t - m) >> k->extra) + (exponent >> k->to_code) - k->code_offset, x);
    }
    V t = NAME(float_step)(k, step, x, k->code_magic, random, &m, &exponent);
    if (step == FLOAT_ODD) {
        t = NAME(odd_step)(k, x, t, m, random, by_random);
    }
    return NAME(with_sign)(k, t + (exponent >> k->to_code), x);
}

/* ---- what is no plain number ---- */

static ALWAYS_INLINE V NAME(pick)(V negative, const uint64_t by_sign[2])
{
    return NAME(select)(negative, NAME(all)(by_sign[1]), NAME(all)(by_sign[0]));
}

/* Lanes whose result is the portable kernel's. */
static ALWAYS_INLINE V NAME(hard_lanes)(const bndi_plan *plan, V x, V u)
{
    V hard = NAME(greater)(NAME(all)(plan->hard), u) & (V)(u != 0);
    if (plan->keeps_payload) {
        hard |= NAME(greater)(u, NAME(all)(TOP));
    }
    if (!plan->format.is_signed) {
        hard |= NAME(signs_of)(x);
    }
    return hard;
}

static NOT_INLINE void NAME(do_hard)(const bndi_plan *plan, bool to_codes, WORD *results, const WORD *x,
                                     const WORD *hard, const WORD *random)
{
    bndi_plan one = *plan;
    one.code_bytes = sizeof(WORD);
    one.code_shift = 0;
    one.random_bytes = sizeof(WORD);
    for (int i = 0; i < LANES; i++) {
        const WORD *r = plan->random_bits > 0 ? random + i : NULL;
        if (hard[i] == 0) {
            continue;
        }
        if (to_codes) {
            NAME(bndi_encode)(&one, results + i, x + i, r, 1);
        } else {
            NAME(bndi_round)(&one, results + i, x + i, r, 1);
        }
    }
}

/* `result`: what plain numbers have; y: the word rounded as if there were no limits. */
static NOT_INLINE V NAME(mend)(const bndi_plan *plan, bndi_results *special, bool to_codes, V result, V x, V y,
                               V random)
{
    V u = x & MAGNITUDE, negative = NAME(signs_of)(x), size = y & MAGNITUDE, max = NAME(all)(plan->max);
    V least = NAME(all)(plan->rule.flush_out ? plan->normal : 1);
    bndi_ask(plan, to_codes, special);
    result = NAME(select)(NAME(greater)(least, size), NAME(pick)(negative, special->zero), result);
    V over = ~NAME(greater)(NAME(all)(plan->beyond), u) | (NAME(greater)(u, max) & NAME(greater)(size, max));
    result = NAME(select)(over, NAME(pick)(negative, special->overflow), result);
    result = NAME(select)((V)(u == TOP), NAME(pick)(negative, special->infinity), result);
    result = NAME(select)(NAME(greater)(u, NAME(all)(TOP)), NAME(pick)(negative, special->nan), result);
    V hard = NAME(hard_lanes)(plan, x, u);
    if (NAME(any_above)(hard, NAME(all)(0))) {
        WORD results[LANES], words[LANES], which[LANES], bits[LANES];
        NAME(store)(results, result);
        NAME(store)(words, x);
        NAME(store)(which, hard);
        NAME(store)(bits, random);
        NAME(do_hard)(plan, to_codes, results, words, which, bits);
        result = NAME(load)(results);
    }
    return result;
}

/* ---- groups and arrays ---- */

/* B adds 2 R + 1 to one bit more. */
static ALWAYS_INLINE V NAME(addend)(const NAME(constants) * k, bndi_step step, bool by_random, V random)
{
    if (step == FLOAT_ADD && by_random && k->half_more) {
        return random + random + 1;
    }
    return random;
}

/* GROUP vectors from x to y (words, or codes in words of the plan's code_bytes). */
static ALWAYS_INLINE void NAME(group)(const NAME(constants) * k, bndi_step step, const bndi_plan *plan,
                                      bndi_results *special, bool to_codes, bool by_random, unsigned code_bytes,
                                      bool stream, void *y, const void *in, const void *random)
{
    V x[GROUP], r[GROUP], result[GROUP], check = NAME(all)(0);
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        x[i] = NAME(load)((const char *)in + i * BYTES);
        r[i] = NAME(all)(0);
        if (by_random) {
            r[i] = NAME(load_random)(random, k->bytes, i * (size_t)LANES);
        } else if (step == FLOAT_ADD) {
            r[i] = NAME(all)(1); /* RNA is A with one random bit that is 1 */
        }
        V addend = NAME(addend)(k, step, by_random, r[i]);
        result[i] =
            to_codes ? NAME(coded)(k, step, x[i], addend, by_random) : NAME(rounded)(k, step, x[i], addend, by_random);
        check = NAME(umax)(check, (x[i] & k->usable) - k->low);
    }
    if (NAME(any_above)(check, k->span)) {
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            V addend = NAME(addend)(k, step, by_random, r[i]);
            V rounded = to_codes ? NAME(rounded)(k, step, x[i], addend, by_random) : result[i];
            result[i] = NAME(mend)(plan, special, to_codes, result[i], x[i], rounded, r[i]);
        }
    }
    if (to_codes) {
        NAME(store_codes)(y, result, code_bytes, k->shift, stream);
        return;
    }
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        if (stream) {
            NAME(stream)((char *)y + i * BYTES, result[i]);
        } else {
            NAME(store)((char *)y + i * BYTES, result[i]);
        }
    }
}

static ALWAYS_INLINE void NAME(loop)(bndi_step step, bool by_random, const bndi_plan *plan, bool to_codes, void *y,
                                     const void *x, const void *random, size_t n)
{
    NAME(constants) made;
    NAME(set_constants)(&made, plan);
    const NAME(constants) k = made; /* of its own: nothing that is stored can change it, and it stays in registers */
    bndi_results special = {.asked = false};
    const unsigned code_bytes = plan->code_bytes;
    const bool stream = plan->stream;
    const size_t step_out = GROUP_LEN * (to_codes ? plan->code_bytes : sizeof(WORD));
    const size_t step_random = random != NULL ? GROUP_LEN * plan->random_bytes : 0;
    const char *in = x, *r = random;
    char *out = y;
    for (; n >= GROUP_LEN; n -= GROUP_LEN) {
        NAME(group)(&k, step, plan, &special, to_codes, by_random, code_bytes, stream, out, in, r);
        in += GROUP_LEN * sizeof(WORD);
        out += step_out;
        r = r != NULL ? r + step_random : NULL;
    }
    if (n > 0) {
        WORD last_in[GROUP * LANES] = {0}, last_out[GROUP * LANES];
        uint64_t last_random[GROUP * LANES] = {0};
        __builtin_memcpy(last_in, in, n * sizeof(WORD));
        if (random != NULL) {
            __builtin_memcpy(last_random, r, n * plan->random_bytes);
        }
        NAME(group)(&k, step, plan, &special, to_codes, by_random, code_bytes, false, last_out, last_in, last_random);
        __builtin_memcpy(out, last_out, n * (to_codes ? plan->code_bytes : sizeof(WORD)));
    }
}

static ALWAYS_INLINE void NAME(by_step)(const bndi_plan *plan, bool to_codes, void *y, const void *x,
                                        const void *random, size_t n)
{
    const bool is_float = plan->family == BNDI_FLOAT;
    if (n == 0) {
        return;
    }
    switch (plan->rule.rounding) {
    case BND_ROUND_RNE:
        if (is_float) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_NEAREST, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RTZ:
    case BND_ROUND_RNA:
        if (is_float && plan->rule.rounding == BND_ROUND_RTZ) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else if (is_float) {
            NAME(loop)(FLOAT_ADD, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_ADD, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RUP:
    case BND_ROUND_RDN:
        if (is_float) {
            NAME(loop)(FLOAT_MODE, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_SIGNED, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_RTO:
        if (is_float) {
            NAME(loop)(FLOAT_ODD, false, plan, to_codes, y, x, NULL, n);
        } else {
            NAME(loop)(BITS_ODD, false, plan, to_codes, y, x, NULL, n);
        }
        break;
    case BND_ROUND_SR_EQUAL:
        if (is_float) {
            NAME(loop)(FLOAT_ODD, true, plan, to_codes, y, x, random, n);
        } else {
            NAME(loop)(BITS_ODD, true, plan, to_codes, y, x, random, n);
        }
        break;
    default:
        if (is_float) {
            NAME(loop)(FLOAT_ADD, true, plan, to_codes, y, x, random, n);
        } else {
            NAME(loop)(BITS_RANDOM, true, plan, to_codes, y, x, random, n);
        }
        break;
    }
}

static void NAME(round)(const bndi_plan *plan, void *y, const void *x, const void *random, size_t n)
{
    if (plan->family == BNDI_PORTABLE) {
        NAME(bndi_round)(plan, y, x, random, n);
    } else {
        NAME(by_step)(plan, false, y, x, random, n);
    }
}

static void NAME(encode)(const bndi_plan *plan, void *codes, const void *x, const void *random, size_t n)
{
    if (plan->family == BNDI_PORTABLE) {
        NAME(bndi_encode)(plan, codes, x, random, n);
    } else {
        NAME(by_step)(plan, true, codes, x, random, n);
    }
}

/* ---- codes to words ---- */

/* What is no plain code: infinities and NaNs that look as those of the words do, moved into place and quieted; others
 * by what they are, as they have no payload; the rest by the portable kernel. */
static NOT_INLINE V NAME(decode_specials)(const bndi_plan *plan, V codes, V words, V special)
{
    const bnd_format *f = &plan->format;
    V magnitude = codes & (WORD)(((uint64_t)1 << bnd_magnitude_bits(f)) - 1);
    V above = NAME(greater)(magnitude, NAME(all)(f->max_code));
    if (f->ieee_nans) {
        V nan = NAME(greater)(magnitude, NAME(all)(f->infinity_code));
        V word = (words & SIGN) | TOP | ((magnitude << plan->drop) & (HIDDEN - 1)) | (nan & (HIDDEN >> 1));
        words = NAME(select)(above, word, words);
        special &= ~above;
    } else {
        V infinite = f->has_infinity ? (V)(magnitude == (WORD)f->infinity_code) : NAME(all)(0);
        V nan = above & ~infinite;
        words = NAME(select)(above | infinite, (words & SIGN) | TOP | (nan & (HIDDEN >> 1)), words);
        special &= ~(above | infinite);
        if (f->zero_nan) { /* the whole code: without subnormals +0 is no plain code either */
            V negative_zero = (V)((codes & (WORD)(((uint64_t)2 << (f->width - 1)) - 1)) == (WORD)f->nan_code);
            words = NAME(select)(negative_zero, NAME(all)(TOP | HIDDEN >> 1), words);
            special &= ~negative_zero;
        }
    }
    if (!NAME(any_above)(special, NAME(all)(0))) {
        return words;
    }
    WORD in[LANES], out[LANES], which[LANES];
    bndi_plan one = *plan;
    one.code_bytes = sizeof(WORD);
    one.code_shift = 0;
    NAME(store)(in, codes);
    NAME(store)(out, words);
    NAME(store)(which, special);
    for (int i = 0; i < LANES; i++) {
        if (which[i] != 0) {
            NAME(bndi_decode)(&one, out + i, in + i, 1);
        }
    }
    return NAME(load)(out);
}

typedef struct NAME(decoding) {
    V magnitudes, signs, low, span, offset, normal, bottom, width, nan;
    SHIFT to_sign, drop, shift;
    unsigned bytes;
} NAME(decoding);

static void NAME(set_decoding)(NAME(decoding) * d, const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    const unsigned magnitude_bits = bnd_magnitude_bits(f);
    d->magnitudes = NAME(all)(((uint64_t)1 << magnitude_bits) - 1);
    d->normal = NAME(all)((uint64_t)1 << f->fraction_bits);
    d->bottom = NAME(all)((WORD)plan->bottom << FRACTION);
    d->signs = NAME(all)(f->is_signed ? SIGN : 0);
    d->low = NAME(all)(plan->code_low);
    d->span = NAME(all)(plan->code_span);
    d->offset = NAME(all)(((WORD)plan->code_bottom - 1) << f->fraction_bits);
    d->width = NAME(all)(((uint64_t)2 << (f->width - 1)) - 1);
    d->nan = NAME(all)(f->nan_code);
    d->to_sign = NAME(shift)(BITS - 1 - magnitude_bits);
    d->drop = NAME(shift)(plan->drop);
    d->shift = NAME(shift)(plan->code_shift);
    d->bytes = plan->code_bytes;
}

/* The fields are moved into place. A subnormal number 0.f 2^e is 1.f 2^e - 2^e, which needs no subnormal operand (those
 * cost some processors a hundred cycles); where the words have the format's own exponents it stays as it is. */
static ALWAYS_INLINE void NAME(decode_group)(bool by_difference, bool zero_nan, const bndi_plan *plan,
                                             const NAME(decoding) * d, bool stream, void *y, const void *codes)
{
    V c[GROUP], word[GROUP], check = NAME(all)(0), check_nan = NAME(all)(0);
    NAME(load_some)(c, codes, d->bytes, GROUP);
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        c[i] >>= d->shift;
        V magnitude = c[i] & d->magnitudes;
        V value = (magnitude + d->offset) << d->drop;
        if (by_difference) {
            V subnormal = NAME(greater)(d->normal, magnitude);
            value = NAME(difference)(value + (subnormal & HIDDEN), subnormal & d->bottom);
        }
        word[i] = NAME(select)(NAME(all)(SIGN), (c[i] << d->to_sign) & d->signs, value); /* a difference may be -0 */
        check = NAME(umax)(check, magnitude - d->low);
        if (zero_nan) {
            check_nan =
                NAME(umax)(check_nan, ((c[i] & d->width) ^ d->nan) - 1); /* the NaN wraps around to the largest */
        }
    }
    if (NAME(any_above)(check, d->span) || (zero_nan && NAME(any_above)(check_nan, NAME(all)(MAGNITUDE)))) {
        for (size_t i = 0; i < GROUP; i++) {
            V special = (V)((c[i] & d->magnitudes) - d->low > d->span);
            if (zero_nan) {
                special |= (V)((c[i] & d->width) == d->nan);
            }
            word[i] = NAME(decode_specials)(plan, c[i], word[i], special);
        }
    }
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        if (stream) {
            NAME(stream)((char *)y + i * BYTES, word[i]);
        } else {
            NAME(store)((char *)y + i * BYTES, word[i]);
        }
    }
}

static ALWAYS_INLINE void NAME(decode_loop)(bool by_difference, bool zero_nan, const bndi_plan *plan, void *y,
                                            const void *codes, size_t n)
{
    NAME(decoding) made;
    NAME(set_decoding)(&made, plan);
    const NAME(decoding) d = made;
    const size_t step_in = GROUP_LEN * plan->code_bytes;
    const bool stream = plan->stream;
    const char *in = codes;
    char *out = y;
    for (; n >= GROUP_LEN; n -= GROUP_LEN) {
        NAME(decode_group)(by_difference, zero_nan, plan, &d, stream, out, in);
        in += step_in;
        out += GROUP_LEN * sizeof(WORD);
    }
    if (n > 0) {
        uint64_t last_in[GROUP * LANES] = {0};
        WORD last_out[GROUP * LANES];
        __builtin_memcpy(last_in, in, n * plan->code_bytes);
        NAME(decode_group)(by_difference, zero_nan, plan, &d, false, last_out, last_in);
        __builtin_memcpy(out, last_out, n * sizeof(WORD));
    }
}

static void NAME(decode)(const bndi_plan *plan, void *y, const void *codes, size_t n)
{
    if (!plan->exact || plan->code_bytes > sizeof(WORD)) {
        NAME(bndi_decode)(plan, y, codes, n);
    } else if (plan->decode_family == BNDI_FLOAT) {
        if (plan->format.zero_nan) {
            NAME(decode_loop)(true, true, plan, y, codes, n);
        } else {
            NAME(decode_loop)(true, false, plan, y, codes, n);
        }
    } else if (plan->format.zero_nan) {
        NAME(decode_loop)(false, true, plan, y, codes, n);
    } else {
        NAME(decode_loop)(false, false, plan, y, codes, n);
    }
}

/* The slots that this body can fill. */
static void NAME(fill)(bndi_kernels *kernels)
{
    const bndi_width width = LANE_BITS == 32 ? BNDI_WORDS_32 : BNDI_WORDS_64;
    kernels->round[width] = NAME(round);
    kernels->encode[width] = NAME(encode);
    kernels->decode[width] = NAME(decode);
}

#undef BITS
#undef LANES
#undef MAGNITUDE
#undef SIGN
#undef HIDDEN
#undef TOP
#undef V
#undef SHIFT
#undef GROUP_LEN
#undef WORD
#undef FRACTION
#undef NAME
#undef LANE_BITS
