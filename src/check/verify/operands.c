/* Stratified operands of operations. Each depends only on the seed and its index. */
#include "verify/operands.h"

#include <math.h>

static uint64_t magnitude_mask(const bnd_format *f)
{
    return (UINT64_C(1) << bnd_magnitude_bits(f)) - 1;
}

static uint64_t with_sign(const bnd_format *f, uint64_t magnitude, uint64_t random)
{
    bool negative = f->is_signed && (random >> 63) != 0;
    return (magnitude & magnitude_mask(f)) | (uint64_t)negative << bnd_magnitude_bits(f);
}

/* NaNs, infinities, zero, and the numbers at the ends. */
static uint64_t special(const bnd_format *f, uint64_t random)
{
    uint64_t one = UINT64_C(1) << f->fraction_bits;
    uint64_t ones = f->bias > 0 ? (uint64_t)(uint32_t)f->bias << f->fraction_bits : one;
    const uint64_t all[] = {
        0,
        1,
        one - 1,
        one,
        one + 1,
        ones,
        f->max_code,
        f->max_code - 1,
        f->max_code + 1,
        f->max_code + 2, /* where NaNs carry a payload: a signaling one */
        magnitude_mask(f),
        f->nan_code,
    };
    return with_sign(f, all[(random & 0xffff) % (sizeof all / sizeof all[0])], random);
}

/* A fraction of few bits, or of ones but for a few. */
static uint64_t plain_fraction(const bnd_format *f, uint64_t random, uint64_t more)
{
    uint64_t one = UINT64_C(1) << f->fraction_bits, fraction = more & (one - 1);
    unsigned keep = (unsigned)(random & 63);
    if (keep < f->fraction_bits) {
        fraction &= ~(UINT64_MAX >> (64 - f->fraction_bits + keep));
    }
    return (random >> 6 & 1) != 0 ? (one - 1) ^ (fraction >> (random >> 7 & 1)) : fraction;
}

static uint64_t any_operand(const bnd_format *f, uint64_t random, uint64_t more)
{
    uint64_t one = UINT64_C(1) << f->fraction_bits, fields = (f->max_code >> f->fraction_bits) + 1;
    switch (random >> 8 & 15) {
    case 0:
        return special(f, random);
    case 1:
    case 2:
        return with_sign(f, more, random);
    case 3: /* the bottom, subnormal or nearly so */
        return with_sign(f, more % (3 * one), random);
    case 4: /* the top */
        return with_sign(f, f->max_code - more % (2 * one), random);
    case 5:
    case 6:
    case 7:
        return with_sign(f, more % (f->max_code + 1), random);
    default:
        return with_sign(f, (random >> 12 & 0xffffff) % fields << f->fraction_bits | plain_fraction(f, random, more),
                         random);
    }
}

/* A number of almost the same exponent as a number of another format, where both have it. */
static uint64_t close_by(const bnd_format *f, const bnd_format *other, uint64_t code, uint64_t random, uint64_t more)
{
    int64_t field = (int64_t)((code & magnitude_mask(other)) >> other->fraction_bits) - other->bias + f->bias;
    int64_t spread = (random >> 4 & 1) != 0 ? 2 : (int64_t)f->precision + 3;
    field += (int64_t)((random >> 16 & 0xffff) % (uint64_t)(2 * spread + 1)) - spread;
    int64_t top = (int64_t)(f->max_code >> f->fraction_bits);
    field = field < 0 ? 0 : field > top ? top : field;
    return with_sign(f, (uint64_t)field << f->fraction_bits | plain_fraction(f, random, more), random);
}

/* A number rounded to the format, and then a few codes further or none. */
static uint64_t near_to(const bnd_format *f, double x, uint64_t random)
{
    bnd_rule rule = {.overflow = BND_OVERFLOW_SATURATE, .rounding = BND_ROUND_RTZ};
    uint64_t code = bnd_encode(f, x, rule, 0).code;
    static const int steps[] = {0, 0, 0, 1, -1, 2, -2, 3};
    return code + (uint64_t)(int64_t)steps[random & 7];
}

static bool tries_to_fit(uint64_t random)
{
    return (random & 3) == 0;
}

void bndi_stratified_operands(uint64_t *codes, bnd_operation operation, const bnd_format *const *from, uint64_t seed,
                              uint64_t i)
{
    unsigned operands = bnd_operation_operands(operation);
    uint64_t random[BND_OPERANDS_MAX + 1], x[BND_OPERANDS_MAX];
    for (unsigned k = 0; k < operands; k++) {
        random[k] = bnd_random(seed, 10 + k, i);
        x[k] = bnd_random(seed, 20 + k, i);
        bool integer = operation == BND_OP_SCALB && k == 1;
        if (integer) {
            uint64_t range = (uint64_t)(from[0]->emax - from[0]->emin) + 70;
            codes[k] = (random[k] & 31) == 0 ? x[k] : x[k] % (2 * range) - range;
        } else if (k == 1 && (random[k] & 3) == 1) {
            codes[k] = close_by(from[k], from[0], codes[0], random[k], x[k]);
        } else {
            codes[k] = any_operand(from[k], random[k], x[k]);
        }
    }
    uint64_t last = bnd_random(seed, 30, i);
    double a = bnd_decode(from[0], codes[0]);
    if (!tries_to_fit(last)) {
        return;
    }
    if (operation == BND_OP_FMA) {
        codes[2] = near_to(from[2], -a * bnd_decode(from[1], codes[1]), last >> 8);
    } else if (operation == BND_OP_ADD || operation == BND_OP_SUB) {
        codes[1] = near_to(from[1], operation == BND_OP_ADD ? -a : a, last >> 8);
    } else if (operation == BND_OP_DIV || operation == BND_OP_REM) {
        codes[0] = near_to(from[0], a * bnd_decode(from[1], codes[1]), last >> 8);
    } else if (operation == BND_OP_SQRT) {
        codes[0] = near_to(from[0], a * a, last >> 8);
    } else if (operation >= BND_OP_EXP && operation <= BND_OP_GELU_TANH) { /* where the functions are neither 0 nor 1 */
        double near_one = ldexp((double)(last >> 48), -12 - (int)(last >> 8 & 7));
        codes[0] = near_to(from[0], (last >> 11 & 1) != 0 ? -near_one : near_one, last >> 12);
    }
}
