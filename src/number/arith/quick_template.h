/* The fast path of the most frequent operations: operands that are not NaN or infinite, at least 2 bits of precision,
 * and a mode without random bits. One word then holds the exact result or enough of it, and if the result is neither
 * too large nor too small, no policy applies. Other results are rounded by the codec. Other operands take slower paths,
 * in the end bnd_operate, the definition. Only integers are used: the caller's floating-point environment is neither
 * read nor changed. There are no branches on unpredictable operands: a misprediction costs more than an operation.
 *
 * This file is compiled once per word size, so it has no include guard. The including file defines
 *   word, signed_word, WORD_BITS  the integers, and how long they are
 *   SUBNORMALS                    whether operands may be subnormal
 *   is_open(f, rounding)          whether the way is open to this format and mode
 *   WAY(name)                     what a call is named here: add sub mul div fma sqrt
 *   LONGER(name)                  and where that is named which this one is too short for
 *   divide(word, uint64_t)        the quotient, rounded down, where 64 bits hold it
 *   root_of(word, fraction_bits, odd)
 *                                 the root of 2^odd times a significand, its leading one brought to bit
 *                                 fraction_bits + GUARD, the last bit sticky
 *
 * The cost of a call is its number of instructions. So nothing is computed here that bnd_format already holds, and rare
 * cases are in separate functions that are tail calls. */
#include "arith/quick_shared.h"
#include "format/format.h"

#include <stddef.h>

#if defined(__GNUC__)
#define QUICK static inline __attribute__((always_inline))
#define APART static __attribute__((noinline)) /* so that the fast path does not save its registers */
#else
#define QUICK static inline
#define APART static
#endif
#define RARELY(condition) BNDI_RARELY(condition)

/* ---- operands ---- */

/* The bits below the last place of a significand that is to be rounded. A product and two bits of ROOM above it take 2
 * fraction_bits + 4 bits, and the longest total fraction_bits + GUARD + 1: a fraction has GUARD - 4 bits at most. */
enum { GUARD = WORD_BITS / 2 };
_Static_assert(WORD_BITS != 64 || (int)GUARD - 4 == (int)BNDI_QUICK_FRACTION_MAX, "what derive.c says is open");

/* Exponents keep the place that they have in a code, above the fraction, but are one less: adding the significand with
 * its leading one corrects that. */
typedef struct operand {
    word significand, exponent;
} operand;

/* A 64-bit member of the format, sign-extended to a word. */
QUICK word extended(uint64_t x)
{
    return (word)(signed_word)(int64_t)x;
}

/* A subnormal number, normalized as if the exponent range had no lower end. */
QUICK bool take_subnormal(operand *x, const bnd_format *f, const bnd_rule *rule, uint64_t magnitude)
{
    unsigned up = bndi_leading_zeros(magnitude, 0) + f->fraction_bits - 63;
    x->significand = (word)magnitude << (up & 63);
    x->exponent = (0 - (word)up) << f->fraction_bits;
    return magnitude != 0 && magnitude < 0 - f->internal.exponent_mask && f->has_subnormals && !rule->flush_in;
}

QUICK uint64_t magnitude_of(const bnd_format *f, uint64_t code)
{
    return code & (f->internal.sign_code - 1);
}

/* False if the fast path does not support the operand. */
QUICK bool take(operand *x, const bnd_format *f, const bnd_rule *rule, uint64_t magnitude)
{
    uint64_t beyond = magnitude + f->internal.exponent_mask, exponent = beyond & f->internal.exponent_mask;
    x->significand = magnitude - exponent;
    x->exponent = exponent;
    return beyond <= f->internal.normals || (SUBNORMALS && take_subnormal(x, f, rule, magnitude));
}

/* All bits set if x is negative, else 0. */
QUICK word if_negative(word x)
{
    return (word)((signed_word)x >> (WORD_BITS - 1));
}

/* The index of the leading bit of a nonzero word. */
QUICK unsigned leading_bit(word x)
{
    return (WORD_BITS - 1) ^ bndi_leading_zeros((uint64_t)(x >> (WORD_BITS - 64)), (uint64_t)x);
}

/* ---- rounding ---- */

/* The addend to a significand whose carry into the kept bits does the rounding. */
QUICK word directed_increment(uint8_t rounding, bool negative, bool odd)
{
    word below = ((word)1 << GUARD) - 1;
    switch (rounding) {
    case BND_ROUND_RNA:
        return (below >> 1) + 1;
    case BND_ROUND_RUP:
        return negative ? 0 : below;
    case BND_ROUND_RDN:
        return negative ? below : 0;
    case BND_ROUND_RTO:
        return odd ? 0 : below;
    default:
        return 0;
    }
}

/* The significand without its guard bits, rounded. */
QUICK word kept_of(word significand, uint64_t sign, const bnd_rule *rule)
{
    word odd = significand >> GUARD & 1, increment = (((word)1 << (GUARD - 1)) - 1) + odd;
    if (RARELY(rule->rounding != BND_ROUND_RNE)) {
        increment = directed_increment(rule->rounding, sign != 0, odd != 0);
    }
    return (significand + increment) >> GUARD;
}

/* The flags if it is inexact, and the ternary value: a magnitude that is rounded up is above the exact number if
 * positive. */
QUICK bnd_result result_of(uint64_t sign, uint64_t magnitude, word kept, word significand, uint32_t flags_if_inexact)
{
    uint64_t inexact = 0 - (uint64_t)((significand & (((word)1 << GUARD) - 1)) != 0);
    uint64_t above = ((uint64_t)(kept ^ significand >> GUARD) + (sign != 0)) & 1;
    uint64_t both = ((2 * above - 1) << 32 | flags_if_inexact) & inexact;
    bnd_result out = {.code = magnitude | sign, .flags = (uint32_t)both, .ternary = (int32_t)(both >> 32)};
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* The same once more: without it gcc 12 splits `both` and joins it again. */
    __builtin_memcpy((char *)&out + offsetof(bnd_result, flags), &both, sizeof both);
#endif
    return out;
}

/* The results that finish() cannot round: ordinary subnormal numbers here, all others by the codec. The last bit of the
 * significand is sticky: it can stand for less than its weight, but not for zero. A zero is the result of cancellation.
 * A number that rounds to a subnormal one is tiny both before and after rounding: if it rounded to the smallest normal
 * number at full precision, it would also do so on the coarser subnormal grid. */
APART bnd_result finish_rarely(const bnd_format *f, uint64_t sign, word exponent, word significand, bnd_rule rule)
{
    signed_word field = (signed_word)exponent >> f->fraction_bits;
    if (field < 0 && field > -GUARD && f->has_subnormals && !rule.flush_out && significand != 0) {
        unsigned down = (unsigned)-field;
        word left = significand >> down | ((significand & (((word)1 << down) - 1)) != 0);
        word kept = kept_of(left, sign, &rule);
        if (kept - 1 < ((word)1 << f->fraction_bits) - 1) {
            return result_of(sign, (uint64_t)kept, kept, left, BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW);
        }
    }
    bnd_exact x = {.kind = BND_KIND_ZERO, .negative = rule.rounding == BND_ROUND_RDN};
    if (significand != 0) {
        x = (bnd_exact){.low = (uint64_t)significand, .kind = BND_KIND_FINITE, .negative = sign != 0};
        x.high = WORD_BITS > 64 ? (uint64_t)(significand >> (WORD_BITS - 64)) : 0;
        x.exponent = (int32_t)(field + 1 - f->bias - f->fraction_bits - GUARD);
    }
    return bnd_encode_exact(f, x, bnd_rule_of_operation(rule), 0);
}

/* A number to be rounded: a significand with its leading one in bit fraction_bits + GUARD, the last bit sticky. */
typedef struct unrounded {
    uint64_t sign;
    word exponent, significand;
} unrounded;

/* A carry of the rounding goes into the exponent, which is correct. False if finish_rarely is needed. That includes the
 * smallest normal number: it may be the rounded form of a smaller number, which counts as tiny. */
QUICK bool finish(bnd_result *out, const bnd_format *f, const unrounded *x, const bnd_rule *rule)
{
    word kept = kept_of(x->significand, x->sign, rule), magnitude = x->exponent + kept;
    *out = result_of(x->sign, (uint64_t)magnitude, kept, x->significand, BND_FLAG_INEXACT);
    return magnitude + extended(f->internal.exponent_mask) - 1 < f->internal.normals;
}

/* ---- sums ---- */

/* The terms of a sum. The first is positive, and a one in bit fraction_bits + place of it has this exponent. The sign
 * is the first one's, and the second is negative if theirs differ. */
typedef struct terms {
    uint64_t sign, differ;
    word exponent, first;
    unsigned place;
    operand second;
} terms;

/* x, or -x where `minus`. */
QUICK word with_sign(word x, bool minus)
{
    return minus ? 0 - x : x;
}

/* The sum of the terms. Its leading one can be in any bit up to that of an unrounded number. */
typedef struct total {
    word exponent, sum;
    unsigned place;
} total;

/* x shifted down; the lost bits are ORed into the last bit (sticky). */
QUICK word jammed(word x, unsigned down)
{
    down = down < WORD_BITS - 2 ? down : WORD_BITS - 2;
    word moved = (word)((signed_word)x >> down);
    return moved | (moved << down != x);
}

/* The second term is shifted up to the exponent of the first. If it does not fit, the smaller one is shifted down with
 * a sticky bit. That is enough: the other term is so much larger that the total keeps all places but one, and two bits
 * or more below them; or only the zeros of ROOM are lost. */
QUICK void total_of(total *out, const bnd_format *f, const terms *t)
{
    signed_word apart = (signed_word)(t->second.exponent - t->exponent) >> f->fraction_bits;
    unsigned up = (unsigned)apart + t->place;
    word first = t->first, exponent = t->exponent;
    word second = with_sign(t->second.significand, (t->differ & f->internal.sign_code) != 0);
    if (RARELY(up >= GUARD)) {
        if (apart < 0) {
            second = jammed(second, 0 - up);
            up = 0;
        } else {
            up -= (unsigned)GUARD - 1;
            exponent -= up * extended(f->internal.exponent_mask);
            first = jammed(first, up);
            up = GUARD - 1;
        }
    }
    *out = (total){exponent, first + (second << up), t->place};
}

/* False where the total is zero. */
QUICK bool unrounded_total(unrounded *out, const bnd_format *f, uint64_t sign, const total *t)
{
    word negative = if_negative(t->sum), size = (t->sum ^ negative) - negative;
    if (RARELY(size == 0)) {
        *out = (unrounded){.significand = 0};
        return false;
    }
    unsigned up = f->fraction_bits + (unsigned)GUARD - leading_bit(size);
    word lower = (word)((signed_word)up + t->place - GUARD);
    *out = (unrounded){.sign = (sign ^ (uint64_t)negative) & f->internal.sign_code,
                       .exponent = t->exponent + lower * extended(f->internal.exponent_mask),
                       .significand = size << up};
    return true;
}

QUICK bool make_terms(terms *out, const bnd_format *f, uint64_t a, uint64_t b, const bnd_rule *rule)
{
    enum { PLACE = GUARD / 2 };
    operand x, y;
    if (!take(&x, f, rule, magnitude_of(f, a)) || !take(&y, f, rule, magnitude_of(f, b))) {
        return false;
    }
    *out = (terms){a, a ^ b, x.exponent, x.significand << PLACE, PLACE, y};
    return true;
}

/* The product is not shortened: a one in bit fraction_bits + ROOM is fraction_bits below its leading one. */
QUICK bool product_and_sum(terms *out, const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, const bnd_rule *rule)
{
    enum { ROOM = 2 };
    operand x, y, z;
    if (!take(&x, f, rule, magnitude_of(f, a)) || !take(&y, f, rule, magnitude_of(f, b)) ||
        !take(&z, f, rule, magnitude_of(f, c))) {
        return false;
    }
    word exponent = x.exponent + y.exponent + extended(f->internal.unbias_twice);
    *out = (terms){a ^ b, a ^ b ^ c, exponent, x.significand * y.significand << ROOM, ROOM, z};
    return true;
}

/* ---- products, quotients and roots ---- */

QUICK bool product(unrounded *out, const bnd_format *f, uint64_t a, uint64_t b, const bnd_rule *rule)
{
    operand x, y;
    if (!take(&x, f, rule, magnitude_of(f, a)) || !take(&y, f, rule, magnitude_of(f, b))) {
        return false;
    }
    word significand = x.significand * y.significand << (GUARD - 1 - f->fraction_bits);
    word carried = significand >> GUARD & (0 - extended(f->internal.exponent_mask)); /* the product is 2 or more */
    significand += significand & if_negative(carried + extended(f->internal.exponent_mask));
    *out = (unrounded){(a ^ b) & f->internal.sign_code,
                       x.exponent + y.exponent + extended(f->internal.unbias) + carried, significand};
    return true;
}

/* Three bits below the last place, and a sticky one. */
QUICK bool quotient(unrounded *out, const bnd_format *f, uint64_t a, uint64_t b, const bnd_rule *rule)
{
    enum { MORE = 3 };
    operand x, y;
    if (!take(&x, f, rule, magnitude_of(f, a)) || !take(&y, f, rule, magnitude_of(f, b))) {
        return false;
    }
    unsigned below_one = x.significand < y.significand;
    word dividend = x.significand << (f->fraction_bits + (unsigned)MORE + below_one);
    word digits = divide(dividend, (uint64_t)y.significand);
    *out = (unrounded){.sign = (a ^ b) & f->internal.sign_code,
                       .exponent = x.exponent - y.exponent - extended(f->internal.unbias) +
                                   below_one * extended(f->internal.exponent_mask),
                       .significand = digits << (GUARD - MORE) | (digits * y.significand != dividend)};
    return true;
}

QUICK bool root(unrounded *out, const bnd_format *f, uint64_t a, const bnd_rule *rule)
{
    operand x;
    if (!take(&x, f, rule, a)) { /* a set sign bit fails the range check */
        return false;
    }
    word exponent = x.exponent + extended(f->internal.unbias), odd = exponent >> f->fraction_bits & 1;
    word half =
        (word)((signed_word)exponent >> 1) & extended(f->internal.exponent_mask); /* the fraction's place stays empty */
    *out = (unrounded){.exponent = half - extended(f->internal.unbias),
                       .significand = root_of(x.significand, f->fraction_bits, (unsigned)odd)};
    return true;
}

/* ---- the calls: each slow path is a tail call, so it costs no registers ---- */

bnd_result WAY(add)(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    terms t;
    total both;
    unrounded x;
    bnd_result out;
    if (!is_open(f, rule.rounding)) {
        return LONGER(add)(f, a, b, rule, random);
    }
    if (!make_terms(&t, f, a, b, &rule)) {
        return LONGER(add)(f, a, b, rule, 0);
    }
    total_of(&both, f, &t);
    if (RARELY(!unrounded_total(&x, f, t.sign, &both) || !finish(&out, f, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

/* A NaN keeps its sign: a - b is a + -b for numbers only, and on the fast path b is a number. */
bnd_result WAY(sub)(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    terms t;
    total both;
    unrounded x;
    bnd_result out;
    if (!is_open(f, rule.rounding)) {
        return LONGER(sub)(f, a, b, rule, random);
    }
    if (f->internal.sign_code == 0 || !make_terms(&t, f, a, b ^ f->internal.sign_code, &rule)) {
        return LONGER(sub)(f, a, b, rule, 0);
    }
    total_of(&both, f, &t);
    if (RARELY(!unrounded_total(&x, f, t.sign, &both) || !finish(&out, f, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

bnd_result WAY(mul)(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    unrounded x;
    bnd_result out;
    if (!is_open(f, rule.rounding)) {
        return LONGER(mul)(f, a, b, rule, random);
    }
    if (!product(&x, f, a, b, &rule)) {
        return LONGER(mul)(f, a, b, rule, 0);
    }
    if (RARELY(!finish(&out, f, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

bnd_result WAY(div)(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    unrounded x;
    bnd_result out;
    if (!is_open(f, rule.rounding)) {
        return LONGER(div)(f, a, b, rule, random);
    }
    if (!quotient(&x, f, a, b, &rule)) {
        return LONGER(div)(f, a, b, rule, 0);
    }
    if (RARELY(!finish(&out, f, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

bnd_result WAY(fma)(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random)
{
    terms t;
    total both;
    unrounded x;
    bnd_result out;
    if (!is_open(f, rule.rounding)) {
        return LONGER(fma)(f, a, b, c, rule, random);
    }
    if (!product_and_sum(&t, f, a, b, c, &rule)) {
        return LONGER(fma)(f, a, b, c, rule, 0);
    }
    total_of(&both, f, &t);
    if (RARELY(!unrounded_total(&x, f, t.sign, &both) || !finish(&out, f, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}

bnd_result WAY(sqrt)(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    unrounded x;
    bnd_result out;
    if (!is_open(f, rule.rounding)) {
        return LONGER(sqrt)(f, a, rule, random);
    }
    if (!root(&x, f, a, &rule)) {
        return LONGER(sqrt)(f, a, rule, 0);
    }
    if (RARELY(!finish(&out, f, &x, &rule))) {
        return finish_rarely(f, x.sign, x.exponent, x.significand, rule);
    }
    return out;
}
