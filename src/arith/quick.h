/* The short way of the operations that are made most often: operands that are numbers, 2 bits of precision or more, and
 * a mode without random bits. Then one word holds the exact result or enough of it, and if the result is neither too
 * large nor too small, no policy has a say. Other results are rounded by the codec; other operands go a longer way,
 * which comes to bnd_operate, the definition. Integers only: the caller's floating-point environment is neither read
 * nor changed. Written without branches where operands decide at random: a wrong guess costs more than an operation.
 *
 * This text is compiled once for each size of word, and has no guard for that reason. Who includes it defines
 *   word, signed_word, WORD_BITS  the integers, and how long they are
 *   SUBNORMALS                    whether operands may be subnormal
 *   WAY(name)                     what a call is named here: add sub mul div fma sqrt
 *   LONGER(name)                  and where that is named which this one is too short for
 *   divide(word, uint64_t)        the quotient, rounded down, where 64 bits hold it
 *   root_of(word, fraction_bits, odd)
 *                                 the root of 2^odd times a significand, its leading one brought to bit
 *                                 fraction_bits + GUARD, the last bit sticky */
#include "arith/quick_ways.h"

#if defined(__GNUC__)
#define QUICK             static inline __attribute__((always_inline))
#define APART             static __attribute__((noinline)) /* so that the short way does not pay for its registers */
#define RARELY(condition) __builtin_expect((condition), 0)
#else
#define QUICK             static inline
#define APART             static
#define RARELY(condition) (condition)
#endif

/* ---- operands ---- */

enum {
    GUARD = WORD_BITS / 2, /* bits below the last place when a significand comes to be rounded */
    FRACTION_MAX = GUARD - 4
};

/* The format's constants. Exponents stay where a code has them, above the fraction, and are one less than there: the
 * leading one of the significand makes up for it. */
typedef struct shape {
    unsigned fraction_bits;
    uint64_t one;           /* the leading one of a significand, and the magnitude of the smallest normal number */
    uint64_t sign, normals; /* how many normal numbers come after the smallest */
} shape;

typedef struct operand {
    word significand, exponent;
} operand;

/* False where this way is closed. */
QUICK bool open_shape(shape *s, const bnd_format *f, const bnd_rule *rule)
{
    s->fraction_bits = f->fraction_bits;
    s->one = UINT64_C(1) << (f->fraction_bits & 63);
    s->sign = (uint64_t)f->is_signed << ((f->width - 1) & 63);
    s->normals = f->max_code - s->one;
    return f->fraction_bits - 1u < FRACTION_MAX && f->max_code >= s->one && rule->rounding < BND_DETERMINISTIC_MODES;
}

/* What the exponents of two factors come to have too much of, or too little. */
QUICK word unbias(const shape *s, const bnd_format *f)
{
    return (word)(signed_word)(1 - f->bias) << s->fraction_bits;
}

/* A subnormal number as if the exponent went on below. */
QUICK bool take_subnormal(operand *x, const shape *s, const bnd_format *f, const bnd_rule *rule, uint64_t magnitude)
{
    unsigned up = bndi_leading_zeros(magnitude, 0) + s->fraction_bits - 63;
    x->significand = (word)magnitude << (up & 63);
    x->exponent = (0 - (word)up) << s->fraction_bits;
    return magnitude != 0 && magnitude < s->one && f->has_subnormals && !rule->flush_in;
}

/* False where the operand is none for this way. */
QUICK bool take(operand *x, const shape *s, const bnd_format *f, const bnd_rule *rule, uint64_t code)
{
    uint64_t magnitude = code & (s->sign - 1), beyond = magnitude - s->one, exponent = beyond & (0 - s->one);
    x->significand = magnitude - exponent;
    x->exponent = exponent;
    return beyond <= s->normals || (SUBNORMALS && take_subnormal(x, s, f, rule, magnitude));
}

/* All bits where x is negative, else none. */
QUICK word if_negative(word x)
{
    return (word)((signed_word)x >> (WORD_BITS - 1));
}

/* Of a word that is not zero. */
QUICK unsigned leading_bit(word x)
{
    return (WORD_BITS - 1) ^ bndi_leading_zeros((uint64_t)(x >> (WORD_BITS - 64)), (uint64_t)x);
}

/* ---- rounding ---- */

/* What is added to a significand so that what carries into the kept bits is the rounding. */
QUICK word directed_increment(uint8_t rounding, bool negative, bool odd)
{
    word below = ((word)1 << GUARD) - 1;
    switch (rounding) {
    case BND_RNA:
        return (below >> 1) + 1;
    case BND_RUP:
        return negative ? 0 : below;
    case BND_RDN:
        return negative ? below : 0;
    case BND_RTO:
        return odd ? 0 : below;
    default:
        return 0;
    }
}

/* The significand without its guard bits, rounded. */
QUICK word kept_of(word significand, uint64_t sign, const bnd_rule *rule)
{
    word odd = significand >> GUARD & 1, increment = (((word)1 << (GUARD - 1)) - 1) + odd;
    if (RARELY(rule->rounding != BND_RNE)) {
        increment = directed_increment(rule->rounding, sign != 0, odd != 0);
    }
    return (significand + increment) >> GUARD;
}

QUICK bnd_result result_of(uint64_t sign, uint64_t magnitude, word kept, word significand, uint32_t flags_if_inexact)
{
    uint32_t inexact = (significand & (((word)1 << GUARD) - 1)) != 0;
    uint32_t up = (uint32_t)(kept - (significand >> GUARD)), minus = 0 - (uint32_t)(sign != 0);
    return (bnd_result){.code = magnitude | sign,
                        .flags = flags_if_inexact == BND_INEXACT ? inexact : flags_if_inexact & (0 - inexact),
                        .ternary = (int32_t)(((2 * up - inexact) ^ minus) - minus)};
}

/* What finish() cannot round: by the codec, if it is not a plain subnormal number. The last bit of the significand can
 * stand for less than it says, though not for nothing. A zero is what is left of terms that cancel.
 * A number that rounds to a subnormal one is tiny whichever way that is asked: its neighbour would be the smallest
 * normal number before that were so at full precision. */
APART bnd_result finish_rarely(const bnd_format *f, uint64_t sign, word exponent, word significand, bnd_rule rule)
{
    signed_word field = (signed_word)exponent >> f->fraction_bits;
    if (field < 0 && field > -GUARD && f->has_subnormals && !rule.flush_out && significand != 0) {
        unsigned down = (unsigned)-field;
        word left = significand >> down | ((significand & (((word)1 << down) - 1)) != 0);
        word kept = kept_of(left, sign, &rule);
        if (kept - 1 < ((word)1 << f->fraction_bits) - 1) {
            return result_of(sign, (uint64_t)kept, kept, left, BND_INEXACT | BND_UNDERFLOW);
        }
    }
    bnd_exact x = {.kind = BND_ZERO, .negative = rule.rounding == BND_RDN};
    if (significand != 0) {
        x = (bnd_exact){.low = (uint64_t)significand, .kind = BND_FINITE, .negative = sign != 0};
        x.high = WORD_BITS > 64 ? (uint64_t)(significand >> (WORD_BITS - 64)) : 0;
        x.exponent = (int32_t)(field + 1 - f->bias - f->fraction_bits - GUARD);
    }
    return bnd_encode_exact(f, x, rule, 0);
}

/* What is to be rounded: a significand with its leading one in bit fraction_bits + GUARD, the last bit sticky.
 * What carries goes into the exponent, where it belongs. */
typedef struct unrounded {
    uint64_t sign;
    word exponent, significand;
} unrounded;

/* False where it takes finish_rarely. So does the smallest normal number: it may be one after rounding only, and then
 * it counts as tiny. */
QUICK bool finish(bnd_result *out, const shape *s, const unrounded *x, const bnd_rule *rule)
{
    word kept = kept_of(x->significand, x->sign, rule), magnitude = x->exponent + kept;
    *out = result_of(x->sign, (uint64_t)magnitude, kept, x->significand, BND_INEXACT);
    return magnitude - s->one - 1 < s->normals;
}

/* Of a total, whose leading one can be in any bit. In bit `place` it has this exponent. */
QUICK unrounded unrounded_total(const shape *s, uint64_t sign, word exponent, word total, word lost, unsigned place)
{
    if (RARELY(total == 0)) {
        return (unrounded){.significand = 0};
    }
    unsigned leading = leading_bit(total);
    return (unrounded){.sign = sign,
                       .exponent = exponent + (((word)leading - place) << s->fraction_bits),
                       .significand = total << (s->fraction_bits + GUARD - leading) | lost};
}

/* ---- sums ---- */

/* Where the last term of all has left a word, but for its sign. */
enum { DISTANCE_MAX = WORD_BITS - 2 };

/* large + small / 2^distance, rounded down, both with a sign, and in `lost` whether it was rounded. A sticky bit is
 * enough then: both have a zero at least in the last place; and where bits are lost, the larger term is so much larger
 * that the total keeps all places but one, and two bits or more below them. */
QUICK word total_of(word *lost, word large, word small, unsigned distance)
{
    word shifted = (word)((signed_word)small >> distance);
    *lost = shifted << distance != small;
    return large + shifted;
}

/* x, or -x where `minus`. */
QUICK word with_sign(word x, bool minus)
{
    return minus ? 0 - x : x;
}

/* How far the smaller term is to be moved. Beyond the end nothing is left of it but a sticky bit. */
QUICK unsigned distance_of(const shape *s, word apart)
{
    unsigned distance = (unsigned)(apart >> s->fraction_bits);
    return distance < DISTANCE_MAX ? distance : DISTANCE_MAX;
}

QUICK bool sum(unrounded *out, const shape *s, const bnd_format *f, uint64_t a, uint64_t b, const bnd_rule *rule)
{
    operand x, y;
    uint64_t differ = a ^ b, swap = differ & (0 - (uint64_t)((a & (s->sign - 1)) < (b & (s->sign - 1))));
    uint64_t large = a ^ swap, small = b ^ swap;
    if (!take(&x, s, f, rule, large) || !take(&y, s, f, rule, small)) {
        return false;
    }
    word added = with_sign(y.significand << (GUARD - 1), (differ & s->sign) != 0), lost;
    word total = total_of(&lost, x.significand << (GUARD - 1), added, distance_of(s, x.exponent - y.exponent));
    *out = unrounded_total(s, large & s->sign, x.exponent, total, lost, s->fraction_bits + GUARD - 1);
    return true;
}

/* The product, counted as positive, and c, each with two zeros or more below it. */
QUICK bool product_and_sum(unrounded *out, const shape *s, const bnd_format *f, uint64_t a, uint64_t b, uint64_t c,
                           const bnd_rule *rule)
{
    operand x, y, z;
    if (!take(&x, s, f, rule, a) || !take(&y, s, f, rule, b) || !take(&z, s, f, rule, c)) {
        return false;
    }
    word exponent = x.exponent + y.exponent + unbias(s, f);
    word apart = exponent - z.exponent, swap = if_negative(apart), product = x.significand * y.significand << 2;
    word term = with_sign(z.significand << s->fraction_bits << 2, ((a ^ b ^ c) & s->sign) != 0);
    word large = (product & ~swap) | (term & swap), small = (product & swap) | (term & ~swap);
    word lost, total = total_of(&lost, large, small, distance_of(s, (apart ^ swap) - swap));
    word negative = if_negative(total);
    total = (total ^ negative) - (negative & (lost - 1)); /* what is rounded down stays so */
    *out = unrounded_total(s, (a ^ b ^ (uint64_t)negative) & s->sign, exponent - (apart & swap), total, lost,
                           2 * s->fraction_bits + 2);
    return true;
}

/* ---- products, quotients and roots ---- */

QUICK bool product(unrounded *out, const shape *s, const bnd_format *f, uint64_t a, uint64_t b, const bnd_rule *rule)
{
    operand x, y;
    if (!take(&x, s, f, rule, a) || !take(&y, s, f, rule, b)) {
        return false;
    }
    word significand = x.significand * y.significand << (GUARD - 1 - s->fraction_bits);
    word carried = significand >> GUARD & s->one; /* the product is 2 or more */
    significand += significand & if_negative(carried - s->one);
    *out = (unrounded){(a ^ b) & s->sign, x.exponent + y.exponent + unbias(s, f) + carried, significand};
    return true;
}

/* Three bits below the last place, and a sticky one. */
QUICK bool quotient(unrounded *out, const shape *s, const bnd_format *f, uint64_t a, uint64_t b, const bnd_rule *rule)
{
    enum { MORE = 3 };
    operand x, y;
    if (!take(&x, s, f, rule, a) || !take(&y, s, f, rule, b)) {
        return false;
    }
    word below_one = x.significand < y.significand;
    word dividend = x.significand << (s->fraction_bits + MORE) << below_one;
    word digits = divide(dividend, (uint64_t)y.significand);
    *out = (unrounded){.sign = (a ^ b) & s->sign,
                       .exponent = x.exponent - y.exponent - unbias(s, f) - (below_one << s->fraction_bits),
                       .significand = digits << (GUARD - MORE) | (digits * y.significand != dividend)};
    return true;
}

QUICK bool root(unrounded *out, const shape *s, const bnd_format *f, uint64_t a, const bnd_rule *rule)
{
    operand x;
    if (!take(&x, s, f, rule, a) || (a & s->sign) != 0) {
        return false;
    }
    word exponent = x.exponent + unbias(s, f), odd = exponent >> s->fraction_bits & 1;
    word half = (word)((signed_word)exponent >> 1) & ~((word)s->one - 1); /* the fraction's place stays empty */
    *out = (unrounded){.exponent = half - unbias(s, f),
                       .significand = root_of(x.significand, s->fraction_bits, (unsigned)odd)};
    return true;
}

/* ---- the calls: in each what does not come back is the last thing that is done, and costs no registers ---- */

bnd_result WAY(add)(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    shape s;
    unrounded x;
    bnd_result out;
    if (!open_shape(&s, f, &rule) || !sum(&x, &s, f, a, b, &rule)) {
        return LONGER(add)(f, a, b, rule, random);
    }
    if (RARELY(!finish(&out, &s, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

/* A NaN keeps its sign: a - b is a + -b for numbers only, and b is one if the way is open. */
bnd_result WAY(sub)(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    shape s;
    unrounded x;
    bnd_result out;
    if (!open_shape(&s, f, &rule) || s.sign == 0 || !sum(&x, &s, f, a, b ^ s.sign, &rule)) {
        return LONGER(sub)(f, a, b, rule, random);
    }
    if (RARELY(!finish(&out, &s, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

bnd_result WAY(mul)(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    shape s;
    unrounded x;
    bnd_result out;
    if (!open_shape(&s, f, &rule) || !product(&x, &s, f, a, b, &rule)) {
        return LONGER(mul)(f, a, b, rule, random);
    }
    if (RARELY(!finish(&out, &s, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

bnd_result WAY(div)(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    shape s;
    unrounded x;
    bnd_result out;
    if (!open_shape(&s, f, &rule) || !quotient(&x, &s, f, a, b, &rule)) {
        return LONGER(div)(f, a, b, rule, random);
    }
    if (RARELY(!finish(&out, &s, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

bnd_result WAY(fma)(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random)
{
    shape s;
    unrounded x;
    bnd_result out;
    if (!open_shape(&s, f, &rule) || !product_and_sum(&x, &s, f, a, b, c, &rule)) {
        return LONGER(fma)(f, a, b, c, rule, random);
    }
    if (RARELY(!finish(&out, &s, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

bnd_result WAY(sqrt)(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    shape s;
    unrounded x;
    bnd_result out;
    if (!open_shape(&s, f, &rule) || !root(&x, &s, f, a, &rule)) {
        return LONGER(sqrt)(f, a, rule, random);
    }
    if (RARELY(!finish(&out, &s, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}
