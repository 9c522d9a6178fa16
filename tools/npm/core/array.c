/* Arrays, in pieces that JavaScript copies into memory: numbers to codes and back, with statistics. */
#include "array.h"

static bnd_array how;
static bnd_stats counted;

/* The choices of the calls that follow. `packed`: codes that are not whole words lie back to back. */
EXPORT(array_rule)
void core_array_rule(uint32_t rule, uint64_t seed, uint64_t purpose, bool packed)
{
    uint8_t packing = packed ? BND_PACKING_PACKED : BND_PACKING_UNPACKED;
    how = (bnd_array){.rule = core_rule(rule), .seed = seed, .purpose = purpose};
    how.packing_in = packing;
    how.packing_out = packing;
    counted = (bnd_stats){0};
}

EXPORT(array_size) size_t core_array_size(uint32_t format, size_t n)
{
    return bnd_codes_size(core_format(format), n, (bnd_packing)how.packing_out);
}

/* `wide`: the numbers are doubles. `first`: the index of the first element, for random bits. */
EXPORT(encode_array)
bnd_status core_encode_array(void *codes, const void *x, size_t n, bool wide, uint32_t format, uint64_t first,
                             bool count)
{
    const bnd_format *f = core_format(format);
    bnd_stats *stats = count ? &counted : NULL;
    how.first = first;
    return wide ? bnd_encode_f64(codes, x, n, f, &how, stats, &core_error)
                : bnd_encode_f32(codes, x, n, f, &how, stats, &core_error);
}

EXPORT(decode_array) bnd_status core_decode_array(void *y, const void *codes, size_t n, bool wide, uint32_t format)
{
    const bnd_format *f = core_format(format);
    return wide ? bnd_decode_f64(y, codes, n, f, &how, &core_error) : bnd_decode_f32(y, codes, n, f, &how, &core_error);
}

/* Numbers of the same type with values of the format, which may be a value set. `y` may be `x`. */
EXPORT(round_array)
bnd_status core_round_array(void *y, const void *x, size_t n, bool wide, uint32_t format, uint64_t first, bool count)
{
    const bnd_format *f = core_format(format);
    bnd_stats *stats = count ? &counted : NULL;
    how.first = first;
    return wide ? bnd_round_f64(y, x, n, f, &how, stats, &core_error)
                : bnd_round_f32(y, x, n, f, &how, stats, &core_error);
}

EXPORT(convert_array)
bnd_status core_convert_array(void *out, uint32_t to, const void *in, uint32_t from, size_t n, uint64_t first,
                              bool count)
{
    how.first = first;
    return bnd_convert_codes(out, core_format(to), in, core_format(from), n, &how, count ? &counted : NULL,
                             &core_error);
}

EXPORT(check_codes)
bnd_status core_check_codes(const void *codes, size_t n, uint32_t format, uint64_t first)
{
    how.first = first;
    return bnd_codes_check(codes, n, core_format(format), &how, &core_error);
}

/* ---- statistics ---- */

const bnd_array *core_how(void)
{
    return &how;
}

bnd_stats *core_counted(void)
{
    return &counted;
}

EXPORT(statistics) const bnd_stats *core_statistics(void)
{
    return &counted;
}

EXPORT(mean_squared_error) double core_mean_squared_error(void)
{
    return bnd_stats_mean_squared_error(&counted);
}

EXPORT(signal_to_noise) double core_signal_to_noise(void)
{
    return bnd_stats_signal_to_noise_ratio(&counted);
}

/* ---- random bits ---- */

EXPORT(random_fill)
void core_random_fill(uint64_t *out, size_t count, uint64_t seed, uint64_t purpose, uint64_t first, unsigned bits)
{
    bnd_random_fill(out, count, seed, purpose, first, bits);
}

/* ---- sums ---- */

/* The sum in a format, every operation rounded. The answer is its value: the library does not tell the flags of the
 * additions, nor the exact sum. */
EXPORT(sum)
bnd_status core_sum(uint32_t format, uint32_t order, const void *x, size_t n, bool wide)
{
    const bnd_format *f = core_format(format);
    const bnd_operand operand = {.data = x, .format = bnd_format_at(wide ? BND_FORMAT_FP64 : BND_FORMAT_FP32)};
    uint64_t code;
    how.first = 0;
    bnd_status status = bnd_sum_codes(&code, f, (bnd_summation)order, &operand, n, &how, &core_error);
    if (status == BND_OK) {
        core_tell(f, bnd_unpack(f, code), 0, 0);
        core_answered.code = code;
    }
    return status;
}
