/* The values of a format, from its fields alone: sign, exponent, fraction, bias and its special values. */
#include "oracle/oracle.h"

#include <string.h>

static uint64_t ones(unsigned count)
{
    return count == 0 ? 0 : UINT64_MAX >> (64 - count);
}

static bndi_oracle_value finite(uint64_t significand, int64_t quantum)
{
    return (bndi_oracle_value){
        .kind = BND_ORACLE_FINITE, .negative = false, .significand = significand, .quantum = quantum};
}

/* Magnitudes from the top: NaNs, infinity, the largest number. */
static void describe_codes(bndi_oracle_shape *shape, const bnd_format *f)
{
    shape->magnitude_bits = (unsigned)f->exponent_bits + f->fraction_bits;
    shape->fraction_bits = f->fraction_bits;
    shape->bias = f->bias;
    shape->sign_bit = f->is_signed ? UINT64_C(1) << shape->magnitude_bits : 0;
    uint64_t top = ones(shape->magnitude_bits) - f->high_nans;
    shape->infinity_code = f->has_infinity ? top : 0;
    shape->max_code = f->has_infinity ? top - 1 : top;
    if (f->ieee_nans && f->fraction_bits > 0) {
        shape->quiet_bit = UINT64_C(1) << (f->fraction_bits - 1);
        shape->nan_code = (ones(f->exponent_bits) << f->fraction_bits) | shape->quiet_bit;
    } else if (f->has_nan) {
        shape->nan_code = f->zero_nan ? shape->sign_bit : ones(shape->magnitude_bits);
    }
    shape->max = bndi_oracle_grid_value(shape, shape->max_code);
}

/* As if codes began at the lowest binade, field 1, however far down that is. */
static void describe_set(bndi_oracle_shape *shape, const bnd_format *f)
{
    shape->fraction_bits = f->precision - 1U;
    shape->bias = 1 - (int64_t)f->emin;
    shape->max = finite(ones(f->precision), (int64_t)f->emax - shape->fraction_bits);
}

void bndi_oracle_describe(bndi_oracle_shape *shape, const bnd_format *f)
{
    memset(shape, 0, sizeof *shape);
    shape->is_signed = f->is_signed;
    shape->zero = f->has_zero;
    shape->negative_zero = f->has_negative_zero;
    shape->subnormals = f->has_subnormals;
    shape->infinity = f->has_infinity;
    shape->nan = f->has_nan;
    shape->ties_by_code = f->width > 0 && f->ties == BND_TIES_CODE;
    if (f->width > 0) {
        describe_codes(shape, f);
    } else {
        describe_set(shape, f);
    }
    int64_t fraction_bits = shape->fraction_bits;
    uint64_t one = UINT64_C(1) << fraction_bits;
    if (shape->subnormals) {
        shape->normal = finite(one, 1 - shape->bias - fraction_bits);
        shape->least = finite(1, 1 - shape->bias - fraction_bits);
    } else {
        shape->normal = finite(shape->zero ? one + 1 : one, -shape->bias - fraction_bits);
        shape->least = shape->normal;
    }
}

bndi_oracle_value bndi_oracle_grid_value(const bndi_oracle_shape *shape, uint64_t magnitude)
{
    int64_t fraction_bits = shape->fraction_bits;
    uint64_t one = UINT64_C(1) << fraction_bits;
    int64_t field = (int64_t)(magnitude >> fraction_bits);
    uint64_t fraction = magnitude & (one - 1);
    if (magnitude == 0 && shape->zero) {
        return finite(0, 0);
    }
    if (field == 0 && shape->subnormals) {
        return finite(fraction, 1 - shape->bias - fraction_bits);
    }
    return finite(one + fraction, field - shape->bias - fraction_bits);
}

static bndi_oracle_value nan_of(const bndi_oracle_shape *shape, bool negative, uint64_t magnitude)
{
    bndi_oracle_value nan = {.kind = BND_ORACLE_NAN, .negative = negative, .significand = UINT64_C(1) << 63};
    if (shape->quiet_bit != 0) {
        nan.significand = magnitude << (64 - shape->fraction_bits);
        nan.kind = magnitude & shape->quiet_bit ? BND_ORACLE_NAN : BND_ORACLE_SIGNALING_NAN;
    }
    return nan;
}

bndi_oracle_value bndi_oracle_value_of(const bndi_oracle_shape *shape, uint64_t code)
{
    if (shape->magnitude_bits == 0) {
        return finite(0, 0);
    }
    uint64_t magnitude = code & ones(shape->magnitude_bits);
    bool negative = (code & shape->sign_bit) != 0;
    if (negative && magnitude == 0 && shape->nan && shape->nan_code == shape->sign_bit) {
        return nan_of(shape, false, 0);
    }
    if (shape->infinity && magnitude == shape->infinity_code) {
        return (bndi_oracle_value){.kind = BND_ORACLE_INFINITE, .negative = negative};
    }
    if (magnitude > shape->max_code) {
        return nan_of(shape, negative, magnitude);
    }
    bndi_oracle_value value = bndi_oracle_grid_value(shape, magnitude);
    value.negative = negative;
    return value;
}

int64_t bndi_oracle_exponent(const bndi_oracle_value *value)
{
    int64_t exponent = value->quantum;
    for (uint64_t rest = value->significand; rest > 1; rest >>= 1) {
        exponent++;
    }
    return exponent;
}

uint64_t bndi_oracle_code_of(const bndi_oracle_shape *shape, const bndi_oracle_value *value)
{
    if (shape->magnitude_bits == 0) {
        return 0;
    }
    uint64_t sign = value->negative ? shape->sign_bit : 0;
    if (value->significand == 0) {
        return shape->negative_zero ? sign : 0;
    }
    int64_t field = bndi_oracle_exponent(value) + shape->bias;
    int64_t unit = (field > 0 || !shape->subnormals ? field : 1) - shape->bias - (int64_t)shape->fraction_bits;
    uint64_t steps = value->quantum >= unit ? value->significand << (value->quantum - unit)
                                            : value->significand >> (unit - value->quantum);
    uint64_t fraction = steps & ((UINT64_C(1) << shape->fraction_bits) - 1);
    if (field < 0 || (field == 0 && shape->subnormals)) {
        field = 0;
    }
    return sign | ((uint64_t)field << shape->fraction_bits) | fraction;
}
