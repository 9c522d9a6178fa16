/* When can words, numbers of q bits (24 of fp32, 53 of fp64), compute an operation whose exact result is to be rounded
 * once to a format F? The following is for operands that the words can represent, and for results that are numbers
 * below the words' top binade. A kernel leaves all others to the codec.
 *
 * Notation: p the precision of F, g the exponent of its lowest bit; p_a, g_a those of an operand; w the exponent of the
 * words' lowest bit. A breakpoint is a number at which the result of a rounding to F changes: a value of F or the
 * midpoint M of two (in the gap above zero: half the least number). An integer multiple of 2^(g-1), below 2^(p+1) units
 * of half the last place.
 *
 * BNDI_ODD. The result is rounded to odd: if it is no word, to that one of the two words around it whose last bit is 1.
 * A breakpoint that has a word on either side closer than half the distance to the next breakpoint, and whose last bit
 * in the words is 0, is then hit by no result but itself, and every result stays on its side of it. That is so where
 * the words have two bits more than F, in precision (q >= p + 2) and below its lowest bit (w <= g - 2). Stochastic
 * modes look at N bits of what is discarded, and at the one below, which is rounded: N more of either. So every mode,
 * policy and count of F is right when it is asked about the word instead. Where it matters whether a number is tiny, in
 * counts and where tiny results become zero, there is one breakpoint more: the midpoint of the smallest normal number
 * and the one below it if the exponent had no limit. It needs one more bit of either. The way to odd, in the mode to
 * nearest:
 *
 *     sums       s = a + b, and 2Sum's error, a word, exact with subnormals and all;
 *     products   s = a b, and the error fma(a, b, -s), exact where the product is a multiple of 2^w: where
 *                g_a + g_b >= w, or where |s| >= 2^(emin + q), since it has no more than 2 q bits;
 *     quotients  s = a / b, and the remainder fma(-s, b, a), whose sign is right where it is a multiple of 2^w: it is
 *                one of ulp(s) ulp(b), so it is where |a| >= 2^(emin + q) and s is normal (then |s b| is not below
 *                |a| / 2, and ulp(s) ulp(b) >= 2^(emin + q - 1 - 2 (q - 1)) = 2^w);
 *     roots      s = sqrt(a), and fma(-s, s, a), a multiple of ulp(s)^2 >= 2^w where a >= 2^(emin + q);
 *     fma        a b exact (p_a + p_b <= q, and g_a + g_b >= w or |a b| >= 2^(emin + q)), then as a sum;
 *
 * and where the error is not zero and the last bit of s is 0, s moves by one in its last place to the error's side.
 *
 * BNDI_PLAIN: two roundings, to words and then to F. Not where tiny results become zero: the first rounding may have
 * raised them to the smallest normal number.
 *
 *     Toward zero, up, down: the same direction twice is that direction once, F's values being words. Any operation.
 *     F is the words' own format: there is no second rounding.
 *     To nearest even, double rounding can only hurt where the word s is a breakpoint M and the exact result x another
 *     number within half a last place of the words, h <= M 2^-q (or 2^(w-1), where s is subnormal in the words).
 *
 *     products   exact where p_a + p_b <= q and g_a + g_b >= w. Where only the second fails, x is a word all the same
 *                unless it is below 2^(w + p_a + p_b - 1); if that is at most half the least number, the worst that
 *                happens is that s is that half: it goes to the even side, zero, as x does. So g - (p_a + p_b) >= w and
 *                a format with subnormals (its least number is 2^g) are enough.
 *     sums       of values of F (p_a, p_b <= p, g_a, g_b >= g), q >= 2 p + 2. Below the words' normal numbers they are
 *                exact. Say |a| >= |b|. If x is no word, b has a bit below 2^(e - q + 1), 2^e the leading bit of x, so
 *                |b| < 2^(e - q + 1 + p) <= 2^(e - p - 1), a quarter of F's last place 2^(e - p + 1). M is no value of
 *                F, and a is one, or of the next lower binade, so that both are multiples of 2^(e - p) and differ by
 *                that at least. But |a - M| <= |b| + h < 2^(e - p).
 *     quotients  M b is not a. Both are multiples of the smaller one of ulp(a) and 2^u ulp(b), 2^u the unit of which M
 *                is a multiple below 2^(p+1). If ulp(a) is the smaller one, |x - M| >= ulp(a) / |b| > |x| 2^-p_a;
 *                otherwise it is >= 2^u ulp(b) / |b| > 2^(u - p_b), and h <= 2^(u + p - q). So q >= p + p_b and
 *                q > p_a are enough; and where s is subnormal, u >= g - 1 and h <= 2^(w - 1), that g - p_b >= w and
 *                g - p_a >= w.
 *     roots      In units of 2^u, a / 4^u is an integer A (p_a <= 2 p + 1 and g_a >= 2 g - 2) and not M^2. So
 *                |sqrt(A) - M| = |A - M^2| / (sqrt(A) + M) > 1 / (2 M + 1) > 2^-(p + 2), and h <= 2^(p - q), so that
 *                q >= 2 p + 2 is enough.
 *
 * Reciprocal roots, in doubles: 1 / sqrt(a) with two roundings is off by less than three last places. Taken for the
 * result where no number of 40 bits (BNDI_RSQRT_BITS) is as near as that, it is on the right side of each: all that a
 * rounding to p + N + 2 <= 40 bits looks at. The others, of which one in a thousand is, are left to the codec, and so
 * are statistics, which look at all 53 bits.
 *
 * Minima, maxima and conversions are exact. In a format without a sign or a zero the first rounding may not make a zero
 * of anything, nor may it choose a side before the sign is dropped: there it is to odd. */
#include "bulk/bulk.h"
#include "bulk/environment.h"

/* The lowest exponent of a bit in any value of f. */
static int32_t lowest(const bnd_format *f)
{
    return f->emin - (f->precision - 1);
}

/* The quantities of the notation above. */
typedef struct term_limits {
    int32_t q, w, emin, p, g;
    int32_t p_a, g_a, p_b, g_b;
    bool has_half_of_least; /* 2^(g-1), halfway between zero (even) and the least number */
} term_limits;

static term_limits terms_of(bndi_width width, unsigned operands, const bnd_format *to, const bnd_format *const *from)
{
    const bnd_format *words = bnd_lab_format_of_words(width), *a = from[0], *b = operands > 1 ? from[1] : a;
    return (term_limits){.q = words->precision,
                         .w = lowest(words),
                         .emin = words->emin,
                         .p = to->precision,
                         .g = lowest(to),
                         .p_a = a->precision,
                         .g_a = lowest(a),
                         .p_b = b->precision,
                         .g_b = lowest(b),
                         .has_half_of_least = to->has_subnormals && to->has_zero};
}

static bool is_exact_in_words(bnd_operation operation, const term_limits *t)
{
    switch (operation) {
    case BND_OP_CONVERT:
    case BND_OP_MIN:
    case BND_OP_MAX:
    case BND_OP_MIN_NUMBER:
    case BND_OP_MAX_NUMBER:
        return true;
    case BND_OP_MUL:
        return t->p_a + t->p_b <= t->q && t->g_a + t->g_b >= t->w;
    default:
        return false;
    }
}

static bool is_innocuous_to_nearest(bnd_operation operation, const term_limits *t)
{
    switch (operation) {
    case BND_OP_ADD:
    case BND_OP_SUB:
        return t->p_a <= t->p && t->p_b <= t->p && t->g_a >= t->g && t->g_b >= t->g && t->q >= 2 * t->p + 2;
    case BND_OP_MUL:
        return t->p_a + t->p_b <= t->q && t->has_half_of_least && t->g - (t->p_a + t->p_b) >= t->w;
    case BND_OP_DIV:
        return t->q >= t->p + t->p_b && t->q > t->p_a && t->g - t->p_b >= t->w && t->g - t->p_a >= t->w;
    case BND_OP_SQRT:
        return t->q >= 2 * t->p + 2 && t->p_a <= 2 * t->p + 1 && t->g_a >= 2 * t->g - 2;
    default:
        return false;
    }
}

static bool is_directed(bnd_rule rule)
{
    return rule.rounding == BND_ROUND_RTZ || rule.rounding == BND_ROUND_RUP || rule.rounding == BND_ROUND_RDN;
}

static bool plain_will_do(bnd_operation operation, const term_limits *t, bndi_width width, const bnd_format *to,
                          bnd_rule rule)
{
    if (is_exact_in_words(operation, t)) {
        return true;
    }
    if (!to->is_signed || !to->has_zero || rule.flush_out == BND_FLUSH_TINY) {
        return false;
    }
    if (is_directed(rule)) {
        return BNDI_HAS_ENVIRONMENT;
    }
    return rule.rounding == BND_ROUND_RNE &&
           (bnd_format_same(to, bnd_lab_format_of_words(width)) || is_innocuous_to_nearest(operation, t));
}

static bool odd_will_do(bnd_operation operation, const term_limits *t, bnd_rule rule, bool counts)
{
    int32_t looked_at = rule.rounding == BND_ROUND_SR_EQUAL ? 0 : (int32_t)bnd_rule_random_bits(rule);
    looked_at += counts || rule.flush_out == BND_FLUSH_TINY;
    if (t->q < t->p + looked_at + 2 || t->w > t->g - looked_at - 2) {
        return false;
    }
    return operation != BND_OP_FMA || t->p_a + t->p_b <= t->q;
}

/* Does the operation have a kernel? */
static bool is_computed(bnd_operation operation)
{
    switch (operation) {
    case BND_OP_CONVERT:
    case BND_OP_ADD:
    case BND_OP_SUB:
    case BND_OP_MUL:
    case BND_OP_DIV:
    case BND_OP_FMA:
    case BND_OP_SQRT:
    case BND_OP_RSQRT:
    case BND_OP_MIN:
    case BND_OP_MAX:
    case BND_OP_MIN_NUMBER:
    case BND_OP_MAX_NUMBER:
        return true;
    default:
        return false;
    }
}

/* The word 2^exponent. */
static uint64_t power(const bnd_format *words, int32_t exponent)
{
    return (uint64_t)(uint32_t)(exponent + words->bias) << words->fraction_bits;
}

/* Sets the limits below which the error of a step to odd is not exact. */
static void set_operand_limits(bndi_arithmetic *a, const term_limits *t, const bnd_format *const *from)
{
    const bnd_format *words = bnd_lab_format_of_words(a->width);
    a->high = power(words, words->emax);
    if (a->way != BNDI_ODD || is_exact_in_words(a->operation, t)) {
        return;
    }
    const uint64_t safe = power(words, t->emin + t->q);
    switch (a->operation) {
    case BND_OP_MUL:
    case BND_OP_FMA:
        a->low_result = t->g_a + t->g_b >= t->w ? 0 : safe;
        break;
    case BND_OP_DIV: /* the least quotient is above 2^g_a / 2^(emax_b + 1) */
        a->low_from = t->g_a >= t->emin + t->q ? 0 : safe;
        a->low_result = t->g_a - from[1]->emax - 1 >= t->emin ? 0 : power(words, t->emin);
        break;
    case BND_OP_SQRT:
        a->low_from = t->g_a >= t->emin + t->q ? 0 : safe;
        break;
    default:
        break;
    }
}

/* fp16, and 16-bit formats with the exponents of fp32; all operands and the result must have the same. */
static bndi_fused fused_format(const bnd_format *f)
{
    bool usual = f->width == 16 && f->is_signed && f->ieee_nans && f->has_subnormals && f->has_zero;
    if (!usual || f->exponent_bits > 8 || f->exponent_bits < 5) {
        return BNDI_NOT_FUSED;
    }
    return f->exponent_bits == 5 && f->bias == 15    ? BNDI_FUSED_HALF
           : f->exponent_bits == 8 && f->bias == 127 ? BNDI_FUSED_UPPER
                                                     : BNDI_NOT_FUSED;
}

static bool is_fused(bnd_operation operation)
{
    return operation == BND_OP_ADD || operation == BND_OP_SUB || operation == BND_OP_MUL || operation == BND_OP_DIV ||
           operation == BND_OP_SQRT || operation == BND_OP_FMA;
}

static bndi_fused fused_of(const bndi_arithmetic *a, const bnd_format *to, const bnd_format *const *from, bnd_rule rule)
{
    bndi_fused fused = fused_format(to);
    bool has_mode = rule.rounding == BND_ROUND_RNE || (BNDI_HAS_ENVIRONMENT && is_directed(rule));
    for (unsigned i = 0; i < a->operands; i++) {
        fused = fused_format(from[i]) == fused ? fused : BNDI_NOT_FUSED;
    }
    bool can = a->width == BNDI_WORDS_32 && a->way != BNDI_BY_CODEC && has_mode && !rule.flush_in && !rule.flush_out;
    return can && is_fused(a->operation) ? fused : BNDI_NOT_FUSED;
}

static bool words_hold_all(bndi_width width, unsigned operands, const bnd_format *to, const bnd_format *const *from)
{
    bool held = bnd_lab_words_hold(width, to);
    for (unsigned i = 0; i < operands; i++) {
        held = held && bnd_lab_words_hold(width, from[i]);
    }
    return held;
}

void bndi_arithmetic_make(bndi_arithmetic *a, bndi_width width, bnd_operation operation, const bnd_format *to,
                          const bnd_format *const *from, bnd_rule rule, bool odd)
{
    const unsigned operands = bnd_operation_operands(operation);
    *a = (bndi_arithmetic){.operation = operation, .operands = operands, .width = width, .way = BNDI_BY_CODEC};
    if (!is_computed(operation) || !words_hold_all(width, operands, to, from)) {
        return;
    }
    term_limits t = terms_of(width, operands, to, from);
    const bool exact = is_exact_in_words(operation, &t), is_near = operation == BND_OP_RSQRT;
    if (is_near) {
        t.q = width == BNDI_WORDS_64 && !odd ? BNDI_RSQRT_BITS : 0;
    }
    if (!is_near && plain_will_do(operation, &t, width, to, rule) && (!odd || exact)) {
        a->way = BNDI_PLAIN;
    } else if (odd_will_do(operation, &t, rule, odd)) {
        a->way = BNDI_ODD;
    }
    a->mode =
        a->way == BNDI_PLAIN && is_directed(rule) && BNDI_HAS_ENVIRONMENT ? rule.rounding : (unsigned)BND_ROUND_RNE;
    a->minus_zero = a->way == BNDI_ODD && rule.rounding == BND_ROUND_RDN;
    a->fused = odd ? (uint8_t)BNDI_NOT_FUSED : (uint8_t)fused_of(a, to, from, rule);
    set_operand_limits(a, &t, from);
}
