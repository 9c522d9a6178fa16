/* The one rounding. Every conversion of every format ends here.
 *
 * A finite x is written in the form kept * 2^quantum + (fraction / 2^64 + a bit) * 2^quantum: an integer of at most 64
 * bits, the first 64 discarded bits, and a sticky bit for the rest. From these three the rounding mode decides up or
 * down. Then the limits are applied. */
#include "codec/codec.h"

/* A magnitude between two neighbours of the grid with this quantum. */
typedef struct position {
    uint64_t kept, fraction;
    bool sticky; /* the discarded part is more than fraction / 2^64 */
    int32_t quantum;
} position;

/* x (normalized, below 2^128) on the grid of multiples of 2^quantum; at most 64 bits are kept. */
static inline position on_grid(const bnd_exact *x, int32_t quantum)
{
    position p = {.quantum = quantum, .sticky = x->sticky};
    /* 64 or more, since at most 64 of the 128 bits are kept */
    int64_t discarded = (int64_t)quantum - x->exponent;
    if (discarded == 64) {
        p.kept = x->high;
        p.fraction = x->low;
    } else if (discarded < 128) {
        unsigned shift = (unsigned)(discarded - 64);
        p.kept = x->high >> shift;
        p.fraction = x->high << (64 - shift) | x->low >> shift;
        p.sticky |= x->low << (64 - shift) != 0;
    } else if (discarded == 128) {
        p.fraction = x->high;
        p.sticky |= x->low != 0;
    } else if (discarded < 192) {
        unsigned shift = (unsigned)(discarded - 128);
        p.fraction = x->high >> shift;
        p.sticky |= x->high << (64 - shift) != 0 || x->low != 0;
    } else {
        p.sticky = true;
    }
    return p;
}

/* x below the least number L = significand * 2^quantum of a format without subnormals but with a zero. The position
 * between zero and L is x / L, computed by long division, one bit of the quotient per step. */
static position below_least(const bnd_format *f, const bnd_exact *x)
{
    position p = {.quantum = f->least_quantum, .sticky = x->sticky};
    /* x / L = (high:low) * 2^e / significand with e below -64 - 11, since x < L < 2^53 * 2^least_quantum. Shift the 128
     * bits until the integer part is zero: the remainder starts as floor(x / 2^least_quantum), at most the significand,
     * and every further bit of x enters it from below. */
    int64_t shift = (int64_t)f->least_quantum - x->exponent; /* bits of x below the quantum: above 75 */
    uint64_t remainder = 0, bits_high = x->high, bits_low = x->low;
    for (int64_t taken = 0; taken < 128 - shift; taken++) {
        remainder = remainder << 1 | bits_high >> 63;
        bits_high = bits_high << 1 | bits_low >> 63;
        bits_low <<= 1;
    }
    int64_t gap = shift > 128 ? shift - 128 : 0; /* zeros between the quantum and the top of x */
    for (int i = 0; i < 64; i++) {
        uint64_t next = 0;
        if (gap > 0) {
            gap--;
        } else {
            next = bits_high >> 63;
            bits_high = bits_high << 1 | bits_low >> 63;
            bits_low <<= 1;
        }
        remainder = remainder << 1 | next;
        bool one = remainder >= f->least_significand;
        remainder -= one ? f->least_significand : 0;
        p.fraction = p.fraction << 1 | one;
    }
    p.sticky |= remainder != 0 || bits_high != 0 || bits_low != 0;
    return p;
}

/* The upper `bits` bits of the fraction, to nearest even: P3109's StochasticC. At most 2^62. */
static uint64_t nearest_bits(const position *p, unsigned bits)
{
    uint64_t kept = p->fraction >> (64 - bits), rest = p->fraction << bits;
    uint64_t half = UINT64_C(1) << 63;
    bool up = rest > half || (rest == half && (p->sticky || (kept & 1) != 0));
    return kept + up;
}

static bool stochastic_up(const position *p, bnd_rule rule, uint64_t random)
{
    unsigned bits = bnd_rule_random_bits(rule);
    uint64_t one = UINT64_C(1) << bits, r = random & (one - 1);
    switch (rule.rounding) {
    case BND_ROUND_SRA:
        return (p->fraction >> (64 - bits)) + r >= one;
    case BND_ROUND_SRB:
        return (p->fraction >> (63 - bits)) + 2 * r + 1 >= 2 * one;
    default:
        return nearest_bits(p, bits) + r >= one;
    }
}

/* Away from zero? `odd`: the neighbour toward zero is the odd one. */
static inline bool rounds_up(const position *p, bool odd, bool negative, bnd_rule rule, uint64_t random)
{
    uint64_t half = UINT64_C(1) << 63;
    if (p->fraction == 0 && !p->sticky) {
        return false;
    }
    switch (rule.rounding) {
    case BND_ROUND_RNE:
        return p->fraction > half || (p->fraction == half && (p->sticky || odd));
    case BND_ROUND_RNA:
        return p->fraction >= half;
    case BND_ROUND_RTZ:
        return false;
    case BND_ROUND_RUP:
        return !negative;
    case BND_ROUND_RDN:
        return negative;
    case BND_ROUND_RTO:
        return !odd;
    case BND_ROUND_SR_EQUAL:
        return (random & 1) != 0;
    default:
        return stochastic_up(p, rule, random);
    }
}

/* Is the neighbour toward zero the odd one? With two bits of precision or more, significand and code agree. */
static inline bool is_odd(const bnd_format *f, const position *p, bnd_rule rule)
{
    if (f->precision == 1 && p->kept != 0 && bnd_ties_by_code(f, rule)) {
        return ((p->quantum + f->bias) & 1) != 0; /* the code has only the exponent */
    }
    return (p->kept & 1) != 0;
}

static inline void increment(const bnd_format *f, position *p)
{
    p->kept++;
    bool carried = f->precision == 64 ? p->kept == 0 : p->kept >> f->precision != 0;
    if (carried) {
        p->kept = UINT64_C(1) << (f->precision - 1);
        p->quantum++;
    }
}

/* kept * 2^quantum against significand * 2^other. Each has either the format's full precision or its lowest quantum, so
 * the number with the larger quantum is larger. */
static inline bool exceeds(const position *p, uint64_t significand, int32_t quantum)
{
    return p->quantum > quantum || (p->quantum == quantum && p->kept > significand);
}

/* Is x tiny: below the smallest normal number, either after rounding with an unbounded exponent or before rounding? */
static bool is_tiny(const bnd_format *f, const bnd_exact *x, bnd_rule rule, uint64_t random)
{
    int32_t exponent = x->exponent + 127; /* of the leading bit */
    if (exponent > f->emin || exponent < f->emin - 1) {
        return exponent < f->emin; /* no rounding crosses the smallest normal number */
    }
    position p = on_grid(x, exponent + 1 - f->precision);
    if (!rule.tiny_before && rounds_up(&p, is_odd(f, &p, rule), x->negative, rule, random)) {
        increment(f, &p);
    }
    return p.quantum < f->normal_quantum || (p.quantum == f->normal_quantum && p.kept < f->normal_significand);
}

static bnd_rounded special(uint8_t kind, bool negative, uint32_t flags, int32_t ternary)
{
    return (bnd_rounded){.value = {.kind = kind, .negative = negative}, .flags = flags, .ternary = ternary};
}

static bnd_rounded largest_rounded(const bnd_format *f, bool negative, uint32_t flags, int32_t ternary)
{
    bnd_exact value = {
        .low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE, .negative = negative};
    return (bnd_rounded){.value = value, .flags = flags, .ternary = ternary};
}

/* A NaN with this payload (the fraction bits below the quiet bit) and sign, as far as the format can hold them. */
static bnd_exact nan_value(const bnd_format *f, uint64_t payload, bool negative)
{
    uint64_t fraction = UINT64_C(1) << 63;
    unsigned bits = f->width != 0 ? f->fraction_bits : f->precision - 1u;
    if (f->ieee_nans && bits > 0) {
        fraction |= payload >> (64 - bits) << (64 - bits);
    }
    bool has_sign = f->is_signed && !f->zero_nan;
    return (bnd_exact){.high = fraction, .kind = BND_KIND_QUIET_NAN, .negative = has_sign && negative};
}

/* The NaN that the rule gives for a NaN operand, or for a number that becomes a NaN. */
static bnd_exact chosen_nan(const bnd_format *f, bnd_rule rule, const bnd_exact *x)
{
    bool from_nan = x->kind == BND_KIND_QUIET_NAN || x->kind == BND_KIND_SIGNALING_NAN;
    switch (rule.nan) {
    case BND_NAN_CANONICAL:
        return nan_value(f, 0, false);
    case BND_NAN_ONES:
        return nan_value(f, UINT64_MAX, x->negative && !from_nan);
    case BND_NAN_SIGNED_ONES:
        return nan_value(f, UINT64_MAX, x->negative);
    case BND_NAN_PROPAGATE:
        return nan_value(f, from_nan ? x->high : 0, x->negative);
    case BND_NAN_X86:
        return nan_value(f, from_nan ? x->high : 0, x->negative || !from_nan);
    default: /* signed: operations have set their own choice before */
        return nan_value(f, 0, x->negative);
    }
}

static bnd_rounded rounded_nan(const bnd_format *f, bnd_rule rule, const bnd_exact *x, uint32_t flags)
{
    return (bnd_rounded){.value = chosen_nan(f, rule, x), .flags = flags};
}

/* ---- NaNs, infinities, overflow, negative numbers in unsigned formats ---- */

static bnd_rounded round_nan(const bnd_format *f, const bnd_exact *x, bnd_rule rule)
{
    if (f->has_nan) {
        return rounded_nan(f, rule, x, x->kind == BND_KIND_SIGNALING_NAN ? BND_FLAG_INVALID : 0);
    }
    if (rule.no_nan == BND_NO_NAN_ZERO) {
        return special(BND_KIND_ZERO, !x->negative && f->has_negative_zero, BND_FLAG_INVALID, 0);
    }
    return largest_rounded(f, false, BND_FLAG_INVALID, 0);
}

static bnd_rounded round_zero(const bnd_format *f, const bnd_exact *x, bnd_rule rule)
{
    if (f->has_zero) {
        return special(BND_KIND_ZERO, x->negative && f->has_negative_zero, 0, 0);
    }
    if (rule.zero == BND_ZERO_NAN && f->has_nan) {
        return rounded_nan(f, rule, x, BND_FLAG_INVALID);
    }
    bnd_exact least = {.low = f->least_significand, .exponent = f->least_quantum, .kind = BND_KIND_FINITE};
    return (bnd_rounded){.value = least, .flags = BND_FLAG_INVALID, .ternary = 1};
}

static bnd_rounded round_infinity(const bnd_format *f, const bnd_exact *x, bnd_rule rule, bool negative)
{
    int32_t inward = negative ? 1 : -1;
    bool maximum_instead = rule.overflow == BND_OVERFLOW_FORMAT_MAX || rule.overflow == BND_OVERFLOW_PROPAGATE_MAX;
    if (rule.overflow == BND_OVERFLOW_SATURATE || (maximum_instead && !f->has_infinity)) {
        return largest_rounded(f, negative, BND_FLAG_SATURATED, inward);
    }
    if (f->has_infinity) {
        return special(BND_KIND_INFINITE, negative, 0, 0);
    }
    return f->has_nan ? rounded_nan(f, rule, x, BND_FLAG_INVALID)
                      : largest_rounded(f, negative, BND_FLAG_INVALID | BND_FLAG_SATURATED, inward);
}

/* A negative number or infinity in an unsigned format. */
static bnd_rounded round_negative(const bnd_format *f, const bnd_exact *x, bnd_rule rule)
{
    if (f->has_nan) {
        return rounded_nan(f, rule, x, BND_FLAG_INVALID);
    }
    bnd_exact least = {.low = f->least_significand, .exponent = f->least_quantum, .kind = BND_KIND_FINITE};
    return (bnd_rounded){
        .value = f->has_zero ? (bnd_exact){.kind = BND_KIND_ZERO} : least, .flags = BND_FLAG_INVALID, .ternary = 1};
}

static bool overflows_inward(bool negative, bnd_rule rule)
{
    return rule.rounding == BND_ROUND_RTZ || rule.rounding == BND_ROUND_RTO ||
           rule.rounding == (negative ? BND_ROUND_RUP : BND_ROUND_RDN);
}

static bnd_rounded overflow(const bnd_format *f, const bnd_exact *x, bnd_rule rule)
{
    bool negative = x->negative;
    uint32_t flags = BND_FLAG_OVERFLOW | BND_FLAG_INEXACT;
    bool as_format = rule.overflow == BND_OVERFLOW_FORMAT || rule.overflow == BND_OVERFLOW_FORMAT_MAX;
    if (as_format && !overflows_inward(negative, rule)) {
        if (f->has_infinity) {
            return special(BND_KIND_INFINITE, negative, flags, negative ? -1 : 1);
        }
        if (f->has_nan && rule.overflow == BND_OVERFLOW_FORMAT) {
            return rounded_nan(f, rule, x, flags);
        }
    }
    return largest_rounded(f, negative, flags | BND_FLAG_SATURATED, negative ? 1 : -1);
}

/* ---- finite numbers ---- */

/* Where x lies between two neighbours of the format. Only a format without subnormals has an uneven grid at its lower
 * end; one without a zero has no neighbour below the least number. */
static inline position locate(const bnd_format *f, const bnd_exact *x)
{
    int32_t exponent = x->exponent + 127; /* of the leading bit */
    position p = on_grid(x, (exponent > f->emin ? exponent : f->emin) - (f->precision - 1));
    bool uneven = !f->has_subnormals &&
                  (p.quantum < f->least_quantum || (p.quantum == f->least_quantum && p.kept < f->least_significand));
    return uneven && f->has_zero ? below_least(f, x) : p;
}

static bool is_subnormal_position(const bnd_format *f, const position *p)
{
    return p->quantum < f->normal_quantum || (p->quantum == f->normal_quantum && p->kept < f->normal_significand);
}

static bool is_flushed(const bnd_format *f, const position *p, bnd_rule rule, bool tiny)
{
    return rule.flush_out == BND_FLUSH_TINY ? tiny && f->has_zero : rule.flush_out && is_subnormal_position(f, p);
}

static void round_finite(bnd_rounded *out, const bnd_format *f, const bnd_exact *given, bnd_rule rule, uint64_t random,
                         bool negative)
{
    bnd_exact x = {.high = given->high, .low = given->low, .exponent = given->exponent, .negative = negative};
    x.sticky = given->sticky;
    bndi_normalize(&x);
    position p = locate(f, &x);
    bool inexact = p.fraction != 0 || p.sticky, lifted = false;
    bool up = rounds_up(&p, is_odd(f, &p, rule), negative, rule, random);
    if (up) {
        increment(f, &p);
    }
    if (!f->has_subnormals && p.kept < f->least_significand && p.quantum == f->least_quantum && (up || !f->has_zero)) {
        p.kept = f->least_significand; /* the step from zero, or the least number itself */
        inexact = lifted = true;
    }
    if (exceeds(&p, f->max_significand, f->max_quantum)) {
        *out = overflow(f, &x, rule);
        return;
    }
    uint32_t flags = inexact ? BND_FLAG_INEXACT : 0;
    bool tiny = (inexact || rule.flush_out == BND_FLUSH_TINY) && is_tiny(f, &x, rule, random);
    if (inexact && tiny) {
        flags |= BND_FLAG_UNDERFLOW;
    }
    int32_t outward = !inexact ? 0 : up || lifted ? 1 : -1;
    if (p.kept != 0 && is_flushed(f, &p, rule, tiny)) {
        p.kept = 0;
        flags = BND_FLAG_UNDERFLOW | BND_FLAG_INEXACT;
        outward = -1;
    }
    bool zero = p.kept == 0;
    out->value.high = 0;
    out->value.low = p.kept;
    out->value.exponent = zero ? 0 : p.quantum;
    out->value.kind = zero ? BND_KIND_ZERO : BND_KIND_FINITE;
    out->value.negative = negative && (!zero || f->has_negative_zero);
    out->value.sticky = false;
    out->flags = flags | (zero ? BND_FLAG_TO_ZERO : 0);
    out->ternary = negative ? -outward : outward;
}

static void round_magnitude(bnd_rounded *out, const bnd_format *f, const bnd_exact *x, bnd_rule rule, uint64_t random,
                            bool negative)
{
    bool nothing = (x->high | x->low) == 0 && !x->sticky; /* a zero significand means zero, even if kind is FINITE */
    if (x->kind == BND_KIND_INFINITE) {
        *out = round_infinity(f, x, rule, negative);
    } else if (x->kind == BND_KIND_ZERO || nothing) {
        *out = round_zero(f, x, rule);
    } else {
        round_finite(out, f, x, rule, random, negative);
    }
}

void bndi_round(bnd_rounded *out, const bnd_format *f, const bnd_exact *x, bnd_rule rule, uint64_t random)
{
    if (x->kind == BND_KIND_QUIET_NAN || x->kind == BND_KIND_SIGNALING_NAN) {
        *out = round_nan(f, x, rule);
    } else if (!x->negative || f->is_signed || x->kind == BND_KIND_ZERO) {
        round_magnitude(out, f, x, rule, random, x->negative);
    } else if (rule.negative == BND_NEGATIVE_NAN) {
        *out = round_negative(f, x, rule);
    } else {
        round_magnitude(out, f, x, rule, random, false);
        out->ternary = out->value.kind == BND_KIND_QUIET_NAN ? 0 : 1; /* any magnitude is above the negative source */
    }
}

bnd_rounded bnd_round_exact(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random)
{
    bnd_rounded out;
    bndi_round(&out, f, &x, rule, random);
    return out;
}
