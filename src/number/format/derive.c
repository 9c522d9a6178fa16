/* Computes every limit of a format from its layout. No other code does this at run time (constant.h does it for the
 * rows). */
#include "format/format.h"

/* The magnitude `code` as significand * 2^quantum, by the definition. In a format with subnormals, an exponent field of
 * 0 means 0.fraction at the lowest exponent. In a format without, it is an ordinary binade. */
static void finite_value(const bnd_format *f, uint64_t code, uint64_t *significand, int32_t *quantum)
{
    uint64_t one = UINT64_C(1) << f->fraction_bits;
    uint64_t field = code >> f->fraction_bits;
    bool subnormal = f->has_subnormals && field == 0;
    *significand = (code & (one - 1)) | (subnormal ? 0 : one);
    *quantum = (int32_t)field + subnormal - f->bias - f->fraction_bits;
}

static int32_t floor_log2(uint64_t x)
{
    int32_t n = -1;
    for (; x != 0; x >>= 1) {
        n++;
    }
    return n;
}

static void place_specials(bnd_format *f, const bndi_layout *layout)
{
    bool p3109 = layout->specials == BNDI_P3109_EXTENDED || layout->specials == BNDI_P3109_FINITE;
    f->ieee_nans = layout->specials == BNDI_IEEE;
    f->has_infinity = f->ieee_nans || layout->specials == BNDI_P3109_EXTENDED;
    f->zero_nan = layout->specials == BNDI_FNUZ || (p3109 && f->is_signed);
    if (f->ieee_nans) {
        f->high_nans = (UINT64_C(1) << f->fraction_bits) - 1;
    } else {
        f->high_nans = layout->specials == BNDI_FN || (p3109 && !f->is_signed);
    }
    f->has_nan = f->high_nans > 0 || f->zero_nan;
    f->has_negative_zero = f->is_signed && f->has_zero && !f->zero_nan;

    uint64_t top = (UINT64_C(1) << bnd_magnitude_bits(f)) - 1;
    f->max_code = top - f->high_nans - f->has_infinity;
    f->infinity_code = f->has_infinity ? f->max_code + 1 : 0;
    if (f->zero_nan) {
        f->nan_code = top + 1;
    } else if (f->ieee_nans && f->has_nan) {
        f->nan_code = f->infinity_code | UINT64_C(1) << (f->fraction_bits - 1); /* quiet, nothing else */
    } else {
        f->nan_code = f->has_nan ? top : 0;
    }
}

static bnd_format_internal internals_of(const bnd_format *f)
{
    const uint64_t one = UINT64_C(1) << f->fraction_bits;
    const uint64_t unbias = (uint64_t)(int64_t)(1 - f->bias) << f->fraction_bits;
    const bool is_quick = f->fraction_bits > 0 && f->fraction_bits <= BNDI_QUICK_FRACTION_MAX && f->max_code >= one;
    return (bnd_format_internal){
        .sign_code = f->is_signed ? UINT64_C(1) << (f->width - 1) : 0,
        .exponent_mask = 0 - one,
        .normals = f->max_code - one,
        .unbias = unbias,
        .unbias_twice = unbias - ((uint64_t)f->fraction_bits << f->fraction_bits),
        .quick_modes = is_quick ? BND_ROUND_DETERMINISTIC_COUNT : 0,
    };
}

bnd_format bndi_format_of_layout(const bndi_layout *layout)
{
    bnd_format f = {
        .row = -1,
        .width = (uint8_t)(layout->is_signed + layout->exponent_bits + layout->fraction_bits),
        .exponent_bits = (uint8_t)layout->exponent_bits,
        .fraction_bits = (uint8_t)layout->fraction_bits,
        .precision = (uint8_t)(layout->fraction_bits + 1),
        .is_signed = layout->is_signed,
        .has_zero = !layout->no_zero,
        /* Without fraction bits, zero is the only value with an exponent field of 0. */
        .has_subnormals = !layout->no_subnormals || (layout->fraction_bits == 0 && !layout->no_zero),
        .bias = layout->bias,
        .ties = (uint8_t)layout->ties,
    };
    f.emin = f.has_subnormals - f.bias;
    place_specials(&f, layout);
    finite_value(&f, f.max_code, &f.max_significand, &f.max_quantum);
    finite_value(&f, f.has_zero, &f.least_significand, &f.least_quantum);
    if (f.has_subnormals) {
        f.normal_significand = UINT64_C(1) << f.fraction_bits;
        f.normal_quantum = f.emin - f.fraction_bits;
    } else {
        f.normal_significand = f.least_significand;
        f.normal_quantum = f.least_quantum;
    }
    f.emax = f.max_quantum + floor_log2(f.max_significand);
    f.internal = internals_of(&f);
    return f;
}

bnd_format bnd_lab_value_set(unsigned precision, int32_t emin, int32_t emax)
{
    int32_t below = (int32_t)precision - 1;
    uint64_t leading = UINT64_C(1) << below;
    return (bnd_format){
        .row = -1,
        .precision = (uint8_t)precision,
        .is_signed = true,
        .has_zero = true,
        .has_negative_zero = true,
        .has_subnormals = true,
        .has_infinity = true,
        .has_nan = true,
        .ieee_nans = true,
        .ties = BND_TIES_SIGNIFICAND,
        .emin = emin,
        .emax = emax,
        .max_significand = leading | (leading - 1),
        .max_quantum = emax - below,
        .normal_significand = leading,
        .normal_quantum = emin - below,
        .least_significand = 1,
        .least_quantum = emin - below,
    };
}

bnd_format bndi_p3109(unsigned width, unsigned precision, bool is_signed, bool extended)
{
    unsigned exponent_bits = width - precision + !is_signed;
    bndi_layout layout = {
        .is_signed = is_signed,
        .exponent_bits = exponent_bits,
        .fraction_bits = precision - 1,
        .bias = (int32_t)1 << (exponent_bits - 1),
        .specials = extended ? BNDI_P3109_EXTENDED : BNDI_P3109_FINITE,
        .ties = BND_TIES_CODE,
    };
    bnd_format f = bndi_format_of_layout(&layout);
    bndi_text name = bndi_text_in(f.name, sizeof f.name);
    bndi_text_string(&name, "binary");
    bndi_text_unsigned(&name, width, 10, 1);
    bndi_text_char(&name, 'p');
    bndi_text_unsigned(&name, precision, 10, 1);
    bndi_text_char(&name, is_signed ? 's' : 'u');
    bndi_text_char(&name, extended ? 'e' : 'f');
    return f;
}

bnd_format bndi_p3109_at(unsigned width, size_t i)
{
    /* Four formats per precision; the last precision has only unsigned ones. */
    unsigned precision = (unsigned)(i / 4) + 1, which = (unsigned)(i % 4) + (precision == width ? 2 : 0);
    return bndi_p3109(width, precision, which < 2, which % 2 == 0);
}
