/* The error relative to the number itself and in units, each as the nearest double. */
#include "base/memory.h"
#include "codec/codec.h"
#include "format/format.h"
#include "text/common_scale.h"
#include "text/leading_bits.h"

static double nearest_double(bnd_exact exact)
{
    const bndi_layout layout = {.is_signed = true, .exponent_bits = 11, .fraction_bits = 52, .bias = 1023};
    bnd_format fp64 = bndi_format_of_layout(&layout);
    uint64_t code = bnd_encode_exact(&fp64, exact, (bnd_rule){0}, 0).code;
    double x;
    memcpy(&x, &code, sizeof x);
    return x;
}

static double infinite(bool negative)
{
    return nearest_double((bnd_exact){.kind = BND_KIND_INFINITE, .negative = negative});
}

/* above / below * 2^exponent. The leading 129 bits of the quotient and a sticky bit are enough; `below` and `above`
 * have room for BNDI_NATURAL_WORDS(130) words more than the longer one. `above` becomes the remainder. */
static bnd_exact divide_magnitudes(bndi_natural *above, const bndi_natural *below, bool negative, int64_t exponent)
{
    uint64_t words[5];
    bndi_natural quotient = {.word = words};
    int64_t shift = 130 + (int64_t)bndi_natural_bits(below) - (int64_t)bndi_natural_bits(above);
    if (shift > 0) {
        bndi_natural_shift_left(above, (uint64_t)shift);
        exponent -= shift;
    }
    size_t left_out = shift < 0 ? (size_t)(-shift / 64) : 0; /* words that do not reach those bits */
    bndi_natural top = {.word = above->word + left_out, .size = above->size - left_out};
    bool rest = bndi_natural_has_below(above, 64 * (uint64_t)left_out);
    bndi_natural_divide(&quotient, &top, below);
    return bndi_exact_from_natural(negative, &quotient, exponent + 64 * (int64_t)left_out, rest || top.size > 0);
}

/* The operands of both calls. The exponents of the leading bits are known for numbers of any size. `fits`: the exact
 * integers are available, too. */
typedef struct operands {
    bndi_parts parts;
    bnd_exact rough_value, rough_number, rough_unit;
    bool fits;
} operands;

static bnd_exact rough(bnd_exact value)
{
    return bnd_lab_exact_from_bits(value.negative, value.high, value.low, value.exponent, false);
}

static int64_t leading_of(bnd_exact value)
{
    return value.kind == BND_KIND_ZERO ? INT32_MIN : (int64_t)value.exponent + 127;
}

/* If the result is BND_OK, the caller calls bndi_parts_close. */
static bnd_status open_operands(operands *o, bnd_exact value, const bnd_number *number, bnd_exact unit, bnd_error *why)
{
    o->rough_value = rough(value);
    o->rough_number = rough(number->value);
    o->rough_unit = rough(unit);
    return bndi_parts_open(&o->parts, &o->fits, value, number, unit, false, why);
}

/* For integers that are too large. If v and t are far apart the answer is known: with |v| < 2^-300 |t|, v/t - 1 is
 * nearest to -1; with |v| > 2^1100 |t| it is beyond every double. */
static bnd_status relative_of_far(double *out, const operands *o, bnd_error *why)
{
    int64_t apart = leading_of(o->rough_number) - leading_of(o->rough_value);
    if (apart > 300) {
        *out = -1;
        return BND_OK;
    }
    if (apart < -1101) {
        *out = infinite(o->rough_value.negative != o->rough_number.negative);
        return BND_OK;
    }
    return bndi_refuse_digits(why);
}

/* (value - number) / below, all on the same scale. */
static double quotient_of_difference(bndi_parts *parts, const bndi_part *below)
{
    bndi_part *error = bndi_parts_subtract(parts);
    if (error->magnitude.size == 0) {
        return 0;
    }
    return nearest_double(
        divide_magnitudes(&error->magnitude, &below->magnitude, error->negative != below->negative, 0));
}

/* The number is subtracted and is also the divisor, so it is copied into the place of the unit. */
static double quotient_by_number(bndi_parts *parts)
{
    bndi_part *copy = &parts->unit;
    memcpy(copy->magnitude.word, parts->number.magnitude.word, parts->number.magnitude.size * sizeof(uint64_t));
    copy->magnitude.size = parts->number.magnitude.size;
    copy->negative = parts->number.negative;
    return quotient_of_difference(parts, copy);
}

bnd_status bnd_relative_error(double *out, bnd_exact value, const bnd_number *number, bnd_error *why)
{
    operands o;
    bnd_exact no_unit = {.kind = BND_KIND_ZERO};
    bnd_status status = open_operands(&o, value, number, no_unit, why);
    if (status != BND_OK) {
        return status;
    }
    if (o.rough_number.kind == BND_KIND_ZERO) {
        if (o.rough_value.kind == BND_KIND_ZERO) {
            *out = 0;
        } else {
            status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "an error relative to zero is not defined");
        }
    } else if (o.fits) {
        *out = quotient_by_number(&o.parts);
    } else {
        status = relative_of_far(out, &o, why);
    }
    bndi_parts_close(&o.parts);
    return status;
}

/* value / unit, made slightly larger or smaller, by less than any rounding distinguishes. With a unit of at most 128
 * bits, a nonzero remainder of a division is at least 2^-128 of the last place; the nudge is smaller. */
static double nudged_quotient(bnd_exact value, bnd_exact unit, bool larger)
{
    uint64_t above_words[8], below_words[8];
    bndi_natural above = bndi_natural_of(above_words, value.high, value.low);
    bndi_natural below = bndi_natural_of(below_words, unit.high, unit.low);
    bnd_exact quotient = divide_magnitudes(&above, &below, value.negative, (int64_t)value.exponent - unit.exponent);
    return nearest_double(bndi_nudged(quotient, larger));
}

/* As above, in units. If one of |v| and |t| is at least twice the other, the difference is at least half the larger
 * one: beyond every double if that is more than 2^1100 units. A value of 0 and a tiny number: zero. A number below
 * 2^-300 of the value only nudges value / unit. */
static bnd_status units_of_far(double *out, const operands *o, bnd_exact value, bnd_exact unit, bnd_error *why)
{
    int64_t v = leading_of(o->rough_value), t = leading_of(o->rough_number), u = leading_of(o->rough_unit);
    if (t > v + 1 && t - u > 1100) {
        *out = infinite(!o->rough_number.negative);
        return BND_OK;
    }
    if (v > t + 1 && v - u > 1100) {
        *out = infinite(o->rough_value.negative);
        return BND_OK;
    }
    if (o->rough_value.kind == BND_KIND_ZERO && u - t > 1200) {
        *out = nearest_double((bnd_exact){.kind = BND_KIND_ZERO, .negative = !o->rough_number.negative});
        return BND_OK;
    }
    if (v - t > 300) {
        *out = nudged_quotient(value, unit, o->rough_value.negative != o->rough_number.negative);
        return BND_OK;
    }
    return bndi_refuse_digits(why);
}

bnd_status bnd_error_in_units(double *out, bnd_exact value, const bnd_number *number, bnd_exact unit, bnd_error *why)
{
    if (unit.kind != BND_KIND_FINITE || unit.negative || (unit.high | unit.low) == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the unit must be a positive finite number");
    }
    operands o;
    bnd_status status = open_operands(&o, value, number, unit, why);
    if (status != BND_OK) {
        return status;
    }
    if (o.fits) {
        *out = quotient_of_difference(&o.parts, &o.parts.unit);
    } else {
        status = units_of_far(out, &o, value, unit, why);
    }
    bndi_parts_close(&o.parts);
    return status;
}
