/* Codes and C's number types as exact values, and the reverse. Nothing is rounded here. */
#include "codec/codec.h"

static uint64_t low_bits(unsigned count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/* A fraction of `bits` bits moved to the top of 64; 0 where there are none. */
static uint64_t to_top(uint64_t fraction, unsigned bits)
{
    return bits > 0 ? fraction << (64 - bits) : 0;
}

/* Members that are not arguments are zero. */
static inline void set(bnd_exact *out, bnd_kind kind, bool negative, uint64_t high, uint64_t low, int32_t exponent)
{
    out->high = high;
    out->low = low;
    out->exponent = exponent;
    out->kind = (uint8_t)kind;
    out->negative = negative;
    out->sticky = false;
}

static inline void set_nan(bnd_exact *out, bool negative, uint64_t payload)
{
    bool quiet = payload >> 63 != 0;
    set(out, quiet ? BND_KIND_QUIET_NAN : BND_KIND_SIGNALING_NAN, negative, payload, 0, 0);
}

/* Field and fraction of a finite number by the common rule; a significand of zero gives zero. */
static inline void set_finite(bnd_exact *out, bool negative, uint64_t field, uint64_t fraction, unsigned fraction_bits,
                              int32_t bias, bool has_subnormals)
{
    bool subnormal = has_subnormals && field == 0;
    uint64_t significand = fraction | (subnormal ? 0 : UINT64_C(1) << fraction_bits);
    int32_t exponent = (int32_t)field + subnormal - bias - (int32_t)fraction_bits;
    bool zero = significand == 0;
    set(out, zero ? BND_KIND_ZERO : BND_KIND_FINITE, negative, 0, significand, zero ? 0 : exponent);
}

void bnd_lab_unpack(bnd_exact *out, const bnd_format *f, uint64_t code)
{
    unsigned bits = bnd_magnitude_bits(f);
    uint64_t magnitude = code & low_bits(bits);
    bool negative = f->is_signed && (code >> bits & 1) != 0;
    uint64_t fraction = magnitude & low_bits(f->fraction_bits);
    if (f->width == 0 || (negative && f->zero_nan && magnitude == 0)) {
        set_nan(out, false, UINT64_C(1) << 63);
    } else if (f->has_infinity && magnitude == f->infinity_code) {
        set(out, BND_KIND_INFINITE, negative, 0, 0, 0);
    } else if (magnitude > f->max_code) {
        set_nan(out, negative, f->ieee_nans ? to_top(fraction, f->fraction_bits) : UINT64_C(1) << 63);
    } else if (f->has_zero && magnitude == 0) {
        set(out, BND_KIND_ZERO, negative, 0, 0, 0);
    } else {
        set_finite(out, negative, magnitude >> f->fraction_bits, fraction, f->fraction_bits, f->bias,
                   f->has_subnormals);
    }
}

bnd_exact bnd_unpack(const bnd_format *f, uint64_t code)
{
    bnd_exact x;
    bnd_lab_unpack(&x, f, code);
    return x;
}

static uint64_t pack_nan(const bnd_format *f, const bnd_exact *value, uint64_t *magnitude)
{
    if (f->zero_nan || !f->has_nan) {
        *magnitude = f->nan_code;
        return 0;
    }
    *magnitude = f->nan_code & low_bits(bnd_magnitude_bits(f));
    if (f->ieee_nans) {
        uint64_t fraction = value->high >> (64 - f->fraction_bits);
        *magnitude = f->infinity_code | fraction | (fraction == 0); /* a payload that does not fit is still a NaN */
    }
    return value->negative && f->is_signed;
}

static uint64_t pack_finite(const bnd_format *f, const bnd_exact *value)
{
    uint64_t significand = value->low;
    int32_t exponent = value->exponent;
    uint64_t one = UINT64_C(1) << f->fraction_bits;
    int32_t lowest = f->emin - f->fraction_bits;
    /* The significand may have any number of trailing zeros: shift it to the format's own quantum. */
    while (exponent > lowest && significand < one) {
        significand <<= 1;
        exponent--;
    }
    while (significand >= one << 1 || (exponent < lowest && significand != 0)) {
        significand >>= 1;
        exponent++;
    }
    bool subnormal = f->has_subnormals && significand < one;
    uint64_t field = subnormal ? 0 : (uint64_t)(int64_t)(exponent + f->fraction_bits + f->bias);
    return field << f->fraction_bits | (significand & (one - 1));
}

uint64_t bndi_pack(const bnd_format *f, const bnd_exact *value)
{
    if (f->width == 0) {
        return 0;
    }
    uint64_t sign = value->negative && f->is_signed, magnitude = 0;
    switch (value->kind) {
    case BND_KIND_ZERO:
        sign = sign && f->has_negative_zero;
        break;
    case BND_KIND_FINITE:
        magnitude = pack_finite(f, value);
        break;
    case BND_KIND_INFINITE:
        magnitude = f->infinity_code;
        break;
    default:
        sign = pack_nan(f, value, &magnitude);
        break;
    }
    return sign << bnd_magnitude_bits(f) | magnitude;
}

uint64_t bnd_pack(const bnd_format *f, bnd_exact value)
{
    return bndi_pack(f, &value);
}

/* ---- C's number types ---- */

void bndi_unpack_ieee(bnd_exact *out, uint64_t code, unsigned exponent_bits, unsigned fraction_bits)
{
    bool negative = (code >> (exponent_bits + fraction_bits) & 1) != 0;
    uint64_t top = low_bits(exponent_bits);
    uint64_t field = code >> fraction_bits & top, fraction = code & low_bits(fraction_bits);
    if (field != top) {
        set_finite(out, negative, field, fraction, fraction_bits, (int32_t)(top >> 1), true);
    } else if (fraction == 0) {
        set(out, BND_KIND_INFINITE, negative, 0, 0, 0);
    } else {
        set_nan(out, negative, to_top(fraction, fraction_bits));
    }
}

bnd_exact bnd_exact_double(double x)
{
    uint64_t code;
    bnd_exact value;
    __builtin_memcpy(&code, &x, sizeof code);
    bndi_unpack_ieee(&value, code, 11, 52);
    return value;
}

bnd_exact bnd_exact_float(float x)
{
    uint32_t code;
    bnd_exact value;
    __builtin_memcpy(&code, &x, sizeof code);
    bndi_unpack_ieee(&value, code, 8, 23);
    return value;
}

bnd_exact bnd_exact_uint64(uint64_t x)
{
    return (bnd_exact){.low = x, .kind = x != 0 ? BND_KIND_FINITE : BND_KIND_ZERO};
}

bnd_exact bnd_exact_int64(int64_t x)
{
    bnd_exact value = bnd_exact_uint64(x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
    value.negative = x < 0;
    return value;
}

/* ---- classes ---- */

bnd_class bnd_classify(const bnd_format *f, bnd_exact value)
{
    switch (value.kind) {
    case BND_KIND_ZERO:
        return BND_CLASS_ZERO;
    case BND_KIND_INFINITE:
        return BND_CLASS_INFINITY;
    case BND_KIND_QUIET_NAN:
        return BND_CLASS_NAN;
    case BND_KIND_SIGNALING_NAN:
        return BND_CLASS_SIGNALING_NAN;
    default:
        break;
    }
    bnd_exact normal = {.low = f->normal_significand, .exponent = f->normal_quantum, .kind = BND_KIND_FINITE};
    value.negative = false;
    return bnd_exact_compare(value, normal) < 0 ? BND_CLASS_SUBNORMAL : BND_CLASS_NORMAL;
}

const char *bnd_class_name(bnd_class c)
{
    static const char *const names[] = {"zero", "subnormal", "normal", "infinity", "nan", "signaling nan"};
    return (unsigned)c < sizeof names / sizeof names[0] ? names[c] : "";
}
