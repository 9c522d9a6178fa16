/* Encodes doubles, floats and integers; decodes codes to doubles. */
#include "base/bits.h"
#include "codec/codec.h"
#include "format/format.h"

static inline bnd_result encoded_result(const bnd_format *f, const bnd_rounded *r)
{
    return (bnd_result){.code = bndi_pack(f, &r->value), .flags = r->flags, .ternary = r->ternary};
}

bnd_result bnd_encode_exact(const bnd_format *f, bnd_exact x, bnd_rule rule, uint64_t random)
{
    bnd_rounded r;
    bndi_round(&r, f, &x, rule, random);
    return encoded_result(f, &r);
}

/* A source that is subnormal in its own format and counts as zero (DAZ). Nothing is rounded. The ternary value compares
 * the result with the source before this flush. */
static void round_flushed(bnd_rounded *out, const bnd_format *f, const bnd_exact *x, bnd_rule rule)
{
    *out = bnd_round_exact(f, (bnd_exact){.kind = BND_KIND_ZERO, .negative = x->negative}, rule, 0);
    out->flags |= BND_FLAG_TO_ZERO;
    out->ternary = out->value.kind == BND_KIND_QUIET_NAN ? 0 : bnd_exact_compare(out->value, *x);
}

/* `normal_exponent`: of the leading bit of the source format's smallest normal number. */
static inline void round_from(bnd_rounded *out, const bnd_format *f, const bnd_exact *x, int32_t normal_exponent,
                              bnd_rule rule, uint64_t random)
{
    if (rule.flush_in && x->kind == BND_KIND_FINITE &&
        x->exponent + 127 - (int32_t)bndi_leading_zeros(x->high, x->low) < normal_exponent) {
        round_flushed(out, f, x, rule);
    } else {
        bndi_round(out, f, x, rule, random);
    }
}

static inline bnd_result encode_from(const bnd_format *f, const bnd_exact *x, int32_t normal_exponent, bnd_rule rule,
                                     uint64_t random)
{
    bnd_rounded r;
    round_from(&r, f, x, normal_exponent, rule, random);
    return encoded_result(f, &r);
}

bnd_result bnd_encode(const bnd_format *f, double x, bnd_rule rule, uint64_t random)
{
    uint64_t code;
    bnd_exact value;
    __builtin_memcpy(&code, &x, sizeof code);
    bndi_unpack_ieee(&value, code, 11, 52);
    return encode_from(f, &value, -1022, rule, random);
}

bnd_result bnd_encode_float(const bnd_format *f, float x, bnd_rule rule, uint64_t random)
{
    uint32_t code;
    bnd_exact value;
    __builtin_memcpy(&code, &x, sizeof code);
    bndi_unpack_ieee(&value, code, 8, 23);
    return encode_from(f, &value, -126, rule, random);
}

bnd_result bnd_encode_int64(const bnd_format *f, int64_t x, bnd_rule rule, uint64_t random)
{
    return bnd_encode_exact(f, bnd_exact_int64(x), rule, random);
}

bnd_result bnd_encode_uint64(const bnd_format *f, uint64_t x, bnd_rule rule, uint64_t random)
{
    return bnd_encode_exact(f, bnd_exact_uint64(x), rule, random);
}

bnd_rounded bnd_round_code(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule, uint64_t random)
{
    bnd_exact value;
    bnd_rounded out;
    bnd_lab_unpack(&value, from, code);
    round_from(&out, to, &value, from->emin, rule, random);
    return out;
}

bnd_result bnd_convert(const bnd_format *to, const bnd_format *from, uint64_t code, bnd_rule rule, uint64_t random)
{
    bnd_exact value;
    bnd_lab_unpack(&value, from, code);
    return encode_from(to, &value, from->emin, rule, random);
}

/* ---- decode ---- */

/* sign, significand * 2^exponent as a double if it is exactly representable: a significand of at most 53 bits, above
 * the lowest quantum and below 2^1024. */
static bool exact_double_code(bnd_exact x, uint64_t *code)
{
    uint64_t sign = (uint64_t)x.negative << 63, one = UINT64_C(1) << 52;
    if (x.kind == BND_KIND_ZERO) {
        *code = sign;
        return true;
    }
    int32_t leading = 63 - ((int32_t)bndi_leading_zeros(0, x.low) - 64); /* index of the leading bit */
    if (x.kind != BND_KIND_FINITE || leading > 52 || x.exponent < -1074 || x.exponent + leading > 1023) {
        return false;
    }
    int32_t up = 52 - leading; /* to the full 53 bits, but not below the lowest quantum */
    up = up < x.exponent + 1074 ? up : x.exponent + 1074;
    uint64_t significand = x.low << up;
    int32_t quantum = x.exponent - up;
    uint64_t field = significand < one ? 0 : (uint64_t)(int64_t)(quantum + 1075);
    *code = sign | field << 52 | (significand & (one - 1));
    return true;
}

double bnd_decode_flags(const bnd_format *f, uint64_t code, uint32_t *flags)
{
    bnd_exact x = bnd_unpack(f, code);
    uint64_t bits;
    if (exact_double_code(x, &bits)) {
        *flags = 0;
        return bndi_double_of_bits(bits);
    }
    const bndi_layout binary64 = {.is_signed = true, .exponent_bits = 11, .fraction_bits = 52, .bias = 1023};
    bnd_format fp64 = bndi_format_of_layout(&binary64);
    bnd_result r = bnd_encode_exact(&fp64, x, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0);
    *flags = r.flags;
    return bndi_double_of_bits(r.code);
}

double bnd_decode(const bnd_format *f, uint64_t code)
{
    uint32_t flags;
    return bnd_decode_flags(f, code, &flags);
}
