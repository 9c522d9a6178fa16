/* An error against the number itself and against a unit, each as the nearest double. */
#include "text/decimal.h"
#include "text/difference.h"
#include "format/format.h"

#include <string.h>

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

/* above / below * 2^exponent, made larger by less than anything that matters where `nudge` > 0, smaller where it is
 * < 0. The quotient gets at least 129 bits, so that 128 and a sticky one are left of it; with `below` at most 128 bits
 * long, what is left of a division that has a remainder is 2^-128 of the last place or more, which no nudge reaches. */
static double divide(const mpz_t above, const mpz_t below, int64_t exponent, int nudge)
{
    bool negative = mpz_sgn(above) * mpz_sgn(below) < 0;
    mpz_t quotient, remainder;
    mpz_init(quotient);
    mpz_init(remainder);
    mpz_abs(quotient, above);
    int64_t shift = 130 + (int64_t)mpz_sizeinbase(below, 2) - (int64_t)mpz_sizeinbase(above, 2);
    shift = shift > 0 ? shift : 0;
    mpz_mul_2exp(quotient, quotient, (mp_bitcnt_t)shift);
    mpz_tdiv_qr(quotient, remainder, quotient, below);
    mpz_abs(quotient, quotient);
    bool rest = mpz_sgn(remainder) != 0;
    if (!rest && nudge < 0) {
        mpz_sub_ui(quotient, quotient, 1);
    }
    bnd_exact exact = bnd_lab_exact_from_integer(negative, quotient, exponent - shift, rest || nudge != 0);
    mpz_clear(remainder);
    mpz_clear(quotient);
    return nearest_double(exact);
}

/* Everything that both calls start from. The magnitudes' leading bits, 2^leading, are known for text of any size;
 * `fits` says that the exact integers are at hand. */
typedef struct operands {
    bndi_decimal_scaled value, text, unit;
    bnd_exact rough_value, rough_text, rough_unit;
    bool fits;
} operands;

static void open_operands(operands *o)
{
    bnd_lab_scaled_open(&o->value);
    bnd_lab_scaled_open(&o->text);
    bnd_lab_scaled_open(&o->unit);
}

static void close_operands(operands *o)
{
    bnd_lab_scaled_close(&o->unit);
    bnd_lab_scaled_close(&o->text);
    bnd_lab_scaled_close(&o->value);
}

static bnd_exact rough(bnd_exact value)
{
    return bndi_exact_from_bits(value.negative, value.high, value.low, value.exponent, false);
}

static int64_t leading(bnd_exact value)
{
    return value.kind == BND_KIND_ZERO ? INT32_MIN : (int64_t)value.exponent + 127;
}

static bnd_status read_operands(operands *o, bnd_exact value, const char *text, size_t text_length, bnd_exact unit,
                                bnd_error *why)
{
    bndi_scanned number;
    bnd_status status = bndi_scan_finite(&number, text, text_length, why);
    if (status == BND_OK) {
        status = bnd_lab_scaled_from_value(&o->value, value, "value", why);
    }
    if (status == BND_OK) {
        status = bnd_lab_scaled_from_value(&o->unit, unit, "unit", why);
    }
    if (status == BND_OK) {
        status = bnd_parse_exact(&o->rough_text, text, text_length, why);
    }
    if (status != BND_OK) {
        return status;
    }
    o->rough_value = rough(value);
    o->rough_unit = rough(unit);
    status = bnd_lab_scaled_from_number(&o->text, &number, NULL);
    if (status == BND_NO_MEMORY) {
        return bnd_fail(why, status, 0, "no memory for %zu digits", number.count);
    }
    int64_t place;
    bndi_decimal_scaled *const parts[] = {&o->value, &o->text, &o->unit};
    o->fits = status == BND_OK && bndi_common_place(&place, parts, 3, false);
    for (size_t i = 0; o->fits && i < 3; i++) {
        bndi_bring_to_place(parts[i], place);
    }
    return BND_OK;
}

/* Where the integers are too large, v and t are often so far apart that the answer is plain: with |v| < 2^-300 |t|,
 * v/t - 1 is nearest to -1; with |v| > 2^1100 |t| it is beyond every double. */
static bnd_status relative_of_far(double *out, const operands *o, bnd_error *why)
{
    int64_t apart = leading(o->rough_text) - leading(o->rough_value);
    if (apart > 300) {
        *out = -1;
        return BND_OK;
    }
    if (apart < -1101) {
        *out = infinite(o->rough_value.negative != o->rough_text.negative);
        return BND_OK;
    }
    return bndi_refuse_digits(why);
}

bnd_status bnd_relative_error(double *out, bnd_exact value, const char *text, size_t text_length, bnd_error *why)
{
    operands o;
    open_operands(&o);
    bnd_exact no_unit = {.kind = BND_KIND_ZERO};
    bnd_status status = read_operands(&o, value, text, text_length, no_unit, why);
    if (status == BND_OK && o.rough_text.kind == BND_KIND_ZERO) {
        if (o.rough_value.kind == BND_KIND_ZERO) {
            *out = 0;
        } else {
            status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "no error is relative to zero");
        }
    } else if (status == BND_OK && o.fits) {
        mpz_sub(o.value.integer, o.value.integer, o.text.integer);
        *out = mpz_sgn(o.value.integer) == 0 ? 0 : divide(o.value.integer, o.text.integer, 0, 0);
    } else if (status == BND_OK) {
        status = relative_of_far(out, &o, why);
    }
    close_operands(&o);
    return status;
}

/* As above. One of |v| and |t| that is at least twice the other makes a difference of at least half of itself: beyond
 * every double where it is more than 2^1100 units. A value of 0 and a tiny text: zero. A text below 2^-300 of the value
 * only nudges value / unit. */
static bnd_status units_of_far(double *out, const operands *o, bnd_exact value, bnd_exact unit, bnd_error *why)
{
    int64_t v = leading(o->rough_value), t = leading(o->rough_text), u = leading(o->rough_unit);
    if (t > v + 1 && t - u > 1100) {
        *out = infinite(!o->rough_text.negative);
        return BND_OK;
    }
    if (v > t + 1 && v - u > 1100) {
        *out = infinite(o->rough_value.negative);
        return BND_OK;
    }
    if (o->rough_value.kind == BND_KIND_ZERO && u - t > 1200) {
        *out = nearest_double((bnd_exact){.kind = BND_KIND_ZERO, .negative = !o->rough_text.negative});
        return BND_OK;
    }
    if (v - t > 300) {
        mpz_t above, below;
        mpz_init(above);
        mpz_init(below);
        bndi_significand(above, value);
        bndi_significand(below, unit);
        if (value.negative) {
            mpz_neg(above, above);
        }
        int nudge = o->rough_value.negative == o->rough_text.negative ? -1 : 1;
        *out = divide(above, below, (int64_t)value.exponent - unit.exponent, nudge);
        mpz_clear(below);
        mpz_clear(above);
        return BND_OK;
    }
    return bndi_refuse_digits(why);
}

bnd_status bnd_error_in_units(double *out, bnd_exact value, const char *text, size_t text_length, bnd_exact unit,
                              bnd_error *why)
{
    if (unit.kind != BND_KIND_FINITE || unit.negative || (unit.high | unit.low) == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the unit is not a positive finite number");
    }
    operands o;
    open_operands(&o);
    bnd_status status = read_operands(&o, value, text, text_length, unit, why);
    if (status == BND_OK && o.fits) {
        mpz_sub(o.value.integer, o.value.integer, o.text.integer);
        *out = mpz_sgn(o.value.integer) == 0 ? 0 : divide(o.value.integer, o.unit.integer, 0, 0);
    } else if (status == BND_OK) {
        status = units_of_far(out, &o, value, unit, why);
    }
    close_operands(&o);
    return status;
}
