/* The operations that are made most often, and their short way: normal operands of a signed format of 2 to 29 bits of
 * precision, and a mode without random bits. Then an integer of 64 bits holds the exact result or enough of it, and if
 * the result is a normal number that does not overflow, no policy has a say, and the only flag is inexact. Other
 * results are rounded by the codec; other operands go the long way, bnd_operate, which is the definition. Integers
 * only: the caller's floating-point environment is neither read nor changed. Written without branches where operands
 * decide at random: a wrong guess costs more than an operation. */
#include "arith/arith.h"

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
    FRACTION_MAX = 28,
    GUARD = 32 /* bits below the last place when a significand comes to be rounded */
};

/* The format's constants. Exponents stay where a code has them, above the fraction. */
typedef struct shape {
    unsigned fraction_bits;
    uint64_t one; /* the leading one of a significand, and the magnitude of the smallest normal number */
    uint64_t sign, max_code;
    uint64_t bias;
} shape;

typedef struct operand {
    uint64_t significand, exponent;
} operand;

/* False where the short way is closed. */
QUICK bool open_shape(shape *s, const bnd_format *f, bnd_rule rule)
{
    s->fraction_bits = f->fraction_bits;
    s->one = UINT64_C(1) << f->fraction_bits;
    s->sign = UINT64_C(1) << ((f->width - 1) & 63);
    s->max_code = f->max_code;
    s->bias = (uint64_t)(int64_t)f->bias << f->fraction_bits;
    return f->fraction_bits - 1u < FRACTION_MAX && f->is_signed && rule.rounding < BND_DETERMINISTIC_MODES;
}

QUICK uint64_t significand_of(const shape *s, uint64_t magnitude)
{
    return (magnitude & (s->one - 1)) | s->one;
}

/* False where the operand is not a normal number. */
QUICK bool take(operand *x, const shape *s, uint64_t code)
{
    uint64_t magnitude = code & (s->sign - 1);
    x->significand = significand_of(s, magnitude);
    x->exponent = magnitude & (0 - s->one);
    return magnitude >= s->one && magnitude <= s->max_code;
}

/* All bits where x is negative, else none. */
QUICK uint64_t if_negative(uint64_t x)
{
    return (uint64_t)((int64_t)x >> 63);
}

/* ---- rounding ---- */

/* What finish() cannot round, by the codec; its last bit can stand for less than it says, though not for nothing. A
 * zero is what is left of terms that cancel. */
APART bnd_result finish_in_codec(const bnd_format *f, uint64_t sign, uint64_t exponent, uint64_t significand,
                                 bnd_rule rule)
{
    bnd_exact x = {.kind = BND_ZERO, .negative = rule.rounding == BND_RDN};
    if (significand != 0) {
        int64_t field = ((int64_t)exponent >> f->fraction_bits) + 1;
        x = (bnd_exact){.low = significand, .kind = BND_FINITE, .negative = sign != 0};
        x.exponent = (int32_t)(field - f->bias - f->fraction_bits - GUARD);
    }
    return bnd_encode_exact(f, x, rule, 0);
}

/* What is added to a significand so that what carries into the kept bits is the rounding. */
QUICK uint64_t directed_increment(uint8_t rounding, bool negative, bool odd)
{
    uint64_t below = UINT32_MAX;
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

/* Rounds a significand with its leading one in bit fraction_bits + GUARD, the last bit sticky. The exponent is one less
 * than that of a code: the leading one makes up for it, and what carries goes where it belongs. Not for the smallest
 * normal number: it may be one after rounding only, and then it counts as tiny. */
QUICK bnd_result finish(const bnd_format *f, const shape *s, uint64_t sign, uint64_t exponent, uint64_t significand,
                        const bnd_rule *rule)
{
    uint64_t truncated = significand >> GUARD, increment = (UINT32_MAX >> 1) + (truncated & 1);
    if (RARELY(rule->rounding != BND_RNE)) {
        increment = directed_increment(rule->rounding, sign != 0, (truncated & 1) != 0);
    }
    uint64_t kept = (significand + increment) >> GUARD, magnitude = exponent + kept;
    if (RARELY(magnitude <= s->one || magnitude > s->max_code)) {
        return finish_in_codec(f, sign, exponent, significand, *rule);
    }
    uint32_t inexact = (uint32_t)significand != 0;
    uint32_t above = (uint32_t)(kept - truncated) ^ (sign != 0);
    return (bnd_result){.code = magnitude | sign,
                        .flags = inexact, /* BND_INEXACT is 1 */
                        .ternary = (int32_t)((2 * above - 1) & (0 - inexact))};
}

/* The same for a total, whose leading one can be in any bit. In bit `place` it has this exponent. */
QUICK bnd_result finish_total(const bnd_format *f, const shape *s, uint64_t sign, uint64_t exponent, uint64_t total,
                              uint64_t lost, uint64_t place, const bnd_rule *rule)
{
    if (RARELY(total == 0)) {
        return finish_in_codec(f, 0, 0, 0, *rule);
    }
    uint64_t leading = 63 ^ bndi_leading_zeros(total, 0), moved = leading - place;
    return finish(f, s, sign, exponent + (moved << s->fraction_bits),
                  total << (s->fraction_bits + GUARD - leading) | lost, rule);
}

/* ---- sums ---- */

/* Terms further apart than this go the long way. */
enum { DISTANCE_MAX = 62 };

/* large + small / 2^distance, rounded down, both with a sign, and in `lost` whether it was rounded. A sticky bit is
 * enough then: both have a zero at least in the last place; and where bits are lost, the larger term is so much larger
 * that the total keeps all places but one, and two bits or more below them. */
QUICK uint64_t total_of(uint64_t *lost, uint64_t large, uint64_t small, uint64_t distance)
{
    *lost = (small & ((UINT64_C(1) << distance) - 1)) != 0;
    return large + (uint64_t)((int64_t)small >> distance);
}

/* x, or -x where `minus`. */
QUICK uint64_t with_sign(uint64_t x, bool minus)
{
    uint64_t mask = 0 - (uint64_t)minus;
    return (x ^ mask) - mask;
}

APART bnd_result long_sum(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_ADD, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

bnd_result bnd_add(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    shape s;
    if (!open_shape(&s, f, rule)) {
        return long_sum(f, a, b, rule, random);
    }
    uint64_t x = a & (s.sign - 1), y = b & (s.sign - 1);
    uint64_t large = x < y ? y : x, small = x < y ? x : y, sign = (x < y ? b : a) & s.sign;
    uint64_t upper = significand_of(&s, large), lower = significand_of(&s, small);
    uint64_t distance = (large >> s.fraction_bits) - (small >> s.fraction_bits);
    if (small < s.one || large > s.max_code || distance > DISTANCE_MAX) {
        return long_sum(f, a, b, rule, random);
    }
    uint64_t added = with_sign(lower << (GUARD - 1), ((a ^ b) & s.sign) != 0), lost;
    uint64_t total = total_of(&lost, upper << (GUARD - 1), added, distance);
    return finish_total(f, &s, sign, (large & (0 - s.one)) - s.one, total, lost, s.fraction_bits + GUARD - 1, &rule);
}

APART bnd_result long_difference(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_SUB, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

/* A NaN keeps its sign, so that a - b is a + -b for numbers only. */
bnd_result bnd_sub(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    uint64_t sign = UINT64_C(1) << ((f->width - 1) & 63), magnitude = b & (sign - 1);
    if (f->is_signed && magnitude != 0 && magnitude <= f->max_code) {
        return bnd_add(f, a, b ^ sign, rule, random);
    }
    return long_difference(f, a, b, rule, random);
}

APART bnd_result long_fma(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_FMA, (const bnd_format *const[]){f, f, f}, (uint64_t[]){a, b, c}, rule, random);
}

/* The product, counted as positive, and c, each with two zeros or more below it. */
bnd_result bnd_fma(const bnd_format *f, uint64_t a, uint64_t b, uint64_t c, bnd_rule rule, uint64_t random)
{
    shape s;
    operand x, y, z;
    if (!open_shape(&s, f, rule) || !take(&x, &s, a) || !take(&y, &s, b) || !take(&z, &s, c)) {
        return long_fma(f, a, b, c, rule, random);
    }
    uint64_t exponent = x.exponent + y.exponent - s.bias, apart = exponent - z.exponent, swap = if_negative(apart);
    uint64_t distance = ((apart ^ swap) - swap) >> s.fraction_bits;
    if (distance > DISTANCE_MAX) {
        return long_fma(f, a, b, c, rule, random);
    }
    uint64_t product = x.significand * y.significand << 2, lost;
    uint64_t term = with_sign(z.significand << s.fraction_bits << 2, ((a ^ b ^ c) & s.sign) != 0);
    uint64_t large = (product & ~swap) | (term & swap), small = (product & swap) | (term & ~swap);
    uint64_t total = total_of(&lost, large, small, distance), negative = if_negative(total);
    total = (total ^ negative) - (negative & (lost - 1)); /* what is rounded down stays so */
    return finish_total(f, &s, (a ^ b ^ negative) & s.sign, exponent - (apart & swap) - s.one, total, lost,
                        2 * s.fraction_bits + 2, &rule);
}

/* ---- products and quotients ---- */

APART bnd_result long_product(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_MUL, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

bnd_result bnd_mul(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    shape s;
    operand x, y;
    if (!open_shape(&s, f, rule) || !take(&x, &s, a) || !take(&y, &s, b)) {
        return long_product(f, a, b, rule, random);
    }
    uint64_t product = x.significand * y.significand << (GUARD - 1 - s.fraction_bits);
    uint64_t carried = product >> GUARD & s.one; /* the product is 2 or more */
    product += product & if_negative(carried - s.one);
    return finish(f, &s, (a ^ b) & s.sign, x.exponent + y.exponent - s.bias - s.one + carried, product, &rule);
}

APART bnd_result long_quotient(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_DIV, (const bnd_format *const[]){f, f}, (uint64_t[]){a, b}, rule, random);
}

/* Three bits below the last place, and a sticky one. */
bnd_result bnd_div(const bnd_format *f, uint64_t a, uint64_t b, bnd_rule rule, uint64_t random)
{
    enum { MORE = 3 };
    shape s;
    operand x, y;
    if (!open_shape(&s, f, rule) || !take(&x, &s, a) || !take(&y, &s, b)) {
        return long_quotient(f, a, b, rule, random);
    }
    uint64_t below_one = x.significand < y.significand;
    uint64_t dividend = x.significand << (s.fraction_bits + MORE) << below_one, digits = dividend / y.significand;
    uint64_t quotient = digits << (GUARD - MORE) | (digits * y.significand != dividend);
    uint64_t exponent = x.exponent - y.exponent + s.bias - s.one - (below_one << s.fraction_bits);
    return finish(f, &s, (a ^ b) & s.sign, exponent, quotient, &rule);
}

/* ---- roots ---- */

/* The root of z 2^30, z from 1 to 4, in 16 bits: rounded down, or one more. The quadratic 0.51855 + 0.52602 z -
 * 0.03954 z^2, the best there is, has a relative error of at most 0.0051 in these integers; a step of Heron's makes of
 * an error e one of e^2 / 2, above the root: 0.86 of a unit here. Then it is rounded down. */
QUICK uint64_t guess_root(uint64_t number)
{
    uint64_t z = number >> 15;
    uint64_t guess = (UINT64_C(543735) * (1 << 15) + UINT64_C(551568) * z - ((UINT64_C(41462) * z >> 15) * z)) >> 20;
    return (guess + (uint32_t)number / (uint32_t)guess) >> 1; /* narrow words divide faster */
}

/* Of z 2^30, in 16 bits, and whether that is all. */
QUICK uint64_t short_root(uint64_t number, bool *exact)
{
    uint64_t root = guess_root(number);
    root -= root * root > number;
    *exact = root * root == number;
    return root;
}

/* Of z 2^60, in 31 bits. The guess is off by less than a unit in 2^15, so that another step leaves less than one in
 * 2^30 above the root. */
QUICK uint64_t long_root(uint64_t number, bool *exact)
{
    uint64_t guess = guess_root(number >> 30) << 15, root = (guess + number / guess) >> 1;
    root -= root * root > number;
    *exact = root * root == number;
    return root;
}

APART bnd_result long_root_of(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    return bnd_operate(f, BND_SQRT, &f, &a, rule, random);
}

bnd_result bnd_sqrt(const bnd_format *f, uint64_t a, bnd_rule rule, uint64_t random)
{
    enum { SHORT = 12 };
    shape s;
    operand x;
    if (!open_shape(&s, f, rule) || !take(&x, &s, a) || (a & s.sign) != 0) {
        return long_root_of(f, a, rule, random);
    }
    uint64_t exponent = x.exponent - s.bias, odd = exponent >> s.fraction_bits & 1, root;
    bool exact;
    if (s.fraction_bits <= SHORT) {
        root = short_root(x.significand << (30 - s.fraction_bits) << odd, &exact) << (s.fraction_bits + GUARD - 15);
    } else {
        root = long_root(x.significand << (60 - s.fraction_bits) << odd, &exact) << (s.fraction_bits + GUARD - 30);
    }
    uint64_t half = (uint64_t)((int64_t)exponent >> 1) & ~(s.one - 1); /* the fraction's place stays empty */
    return finish(f, &s, 0, half + s.bias - s.one, root | !exact, &rule);
}
