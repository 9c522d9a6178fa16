/* What a format is: its layout as integers, its limits and special values as numbers, its names as lines. */
#include "core.h"

/* The names and the title, as lines: title, hardware, then the names in each ecosystem. */
static void describe_names(const bnd_format *f)
{
    size_t row = (size_t)f->row;
    core_begin();
    core_put(f->name);
    core_put(f->row >= 0 ? bnd_format_title(row) : "");
    core_put(f->row >= 0 ? bnd_format_hardware(row) : "");
    for (unsigned where = 0; where < BND_ECOSYSTEM_COUNT; where++) {
        core_put(bnd_ecosystem_name((bnd_ecosystem)where));
        core_put(f->row >= 0 ? bnd_format_names(row, (bnd_ecosystem)where) : "");
    }
}

/* The order of the integers is that of tools/npm/lib/tables.js. */
EXPORT(describe) void core_describe(uint32_t format)
{
    const bnd_format *f = core_format(format);
    const int32_t integers[] = {f->width,   f->is_signed,      f->exponent_bits, f->fraction_bits,    f->precision,
                                f->bias,    f->emin,           f->emax,          f->has_zero,         f->has_infinity,
                                f->has_nan, f->has_subnormals, f->row,           f->has_negative_zero};
    _Static_assert(sizeof integers <= sizeof core_answered.integers, "the answer holds them");
    memcpy(core_answered.integers, integers, sizeof integers);
    describe_names(f);
}

EXPORT(describe_width) uint32_t core_describe_width(uint32_t format)
{
    return core_format(format)->width;
}

/* True if fp32 has every value of the format. */
EXPORT(fits_fp32) bool core_fits_fp32(uint32_t format)
{
    const bnd_format *f = core_format(format), *fp32 = bnd_format_at(BND_FORMAT_FP32);
    return f->precision <= fp32->precision && f->emax <= fp32->emax && f->least_quantum >= fp32->least_quantum;
}

/* ---- limits and special values ---- */

typedef enum limit { MAX, MIN, SMALLEST_NORMAL, SMALLEST, EPSILON, ZERO, NEGATIVE_ZERO, INFINITE, NAN_VALUE } limit;

static bool is_limited(const bnd_format *f)
{
    return f->emax < BND_EXPONENT_UNLIMITED && f->emin > -BND_EXPONENT_UNLIMITED;
}

/* The distance from 1 to the next number, if the format has both. */
static bool epsilon(bnd_exact *out, const bnd_format *f)
{
    bnd_exact next, one = bnd_round_exact(f, bnd_exact_uint64(1), (bnd_rule){0}, 0).value;
    if (bnd_exact_compare(one, bnd_exact_uint64(1)) != 0 || !bnd_neighbour(&next, f, one, 1) ||
        next.kind != BND_KIND_FINITE) {
        return false;
    }
    int32_t quantum = 1 - f->precision;
    *out = (bnd_exact){.low = 1,
                       .exponent = quantum > f->least_quantum || !f->has_subnormals ? quantum : f->least_quantum,
                       .kind = BND_KIND_FINITE};
    return true;
}

static bool find(bnd_exact *out, const bnd_format *f, limit which)
{
    *out = (bnd_exact){.kind = BND_KIND_FINITE};
    switch (which) {
    case MAX:
    case MIN:
        *out = (bnd_exact){.low = f->max_significand, .exponent = f->max_quantum, .kind = BND_KIND_FINITE};
        out->negative = which == MIN;
        return is_limited(f) && (which == MAX || f->is_signed);
    case SMALLEST_NORMAL:
        *out = (bnd_exact){.low = f->normal_significand, .exponent = f->normal_quantum, .kind = BND_KIND_FINITE};
        return is_limited(f);
    case SMALLEST:
        *out = (bnd_exact){.low = f->least_significand, .exponent = f->least_quantum, .kind = BND_KIND_FINITE};
        return is_limited(f);
    case EPSILON:
        return epsilon(out, f);
    case ZERO:
    case NEGATIVE_ZERO:
        *out = (bnd_exact){.kind = BND_KIND_ZERO, .negative = which == NEGATIVE_ZERO};
        return which == ZERO ? f->has_zero : f->has_negative_zero;
    case INFINITE:
        *out = (bnd_exact){.kind = BND_KIND_INFINITE};
        return f->has_infinity;
    case NAN_VALUE:
        *out = bnd_unpack(f, f->nan_code);
        return f->has_nan && f->width != 0;
    }
    return false;
}

/* One of them as an answer; false if the format does not have it. epsilon is a distance, which the format need not have
 * as a value: it is told as an fp64 number. */
EXPORT(describe_limit) bool core_describe_limit(uint32_t format, uint32_t which)
{
    const bnd_format *f = core_format(format);
    bnd_exact value;
    if (!find(&value, f, (limit)which)) {
        return false;
    }
    core_tell(which == EPSILON ? bnd_format_at(BND_FORMAT_FP64) : f, value, 0, 0);
    return true;
}
