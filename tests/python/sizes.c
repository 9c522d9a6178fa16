/* Where each field of the library's types lies, one a line, for the Python mirror of them to be compared with. */
#include <binade.h>
#include <binade/block.h>
#include <stddef.h>
#include <stdio.h>

#define SIZE(type)         printf("%s %zu\n", #type, sizeof(type))
#define FIELD(type, field) printf("%s.%s %zu\n", #type, #field, offsetof(type, field))
#define VALUE(name)        printf("%s %d\n", #name, (int)(name))

static void rule_and_array(void)
{
    SIZE(bnd_rule);
    FIELD(bnd_rule, rounding);
    FIELD(bnd_rule, overflow);
    FIELD(bnd_rule, nan);
    FIELD(bnd_rule, no_nan);
    FIELD(bnd_rule, negative);
    FIELD(bnd_rule, zero);
    FIELD(bnd_rule, tie_rule);
    FIELD(bnd_rule, random_bits);
    FIELD(bnd_rule, flush_in);
    FIELD(bnd_rule, flush_out);
    FIELD(bnd_rule, tiny_before);
    FIELD(bnd_rule, reserved);
    SIZE(bnd_context);
    FIELD(bnd_context, backend);
    FIELD(bnd_context, reserved);
    FIELD(bnd_context, threads);
    SIZE(bnd_array);
    FIELD(bnd_array, context);
    FIELD(bnd_array, rule);
    FIELD(bnd_array, seed);
    FIELD(bnd_array, purpose);
    FIELD(bnd_array, first);
    FIELD(bnd_array, stride_in);
    FIELD(bnd_array, stride_out);
    FIELD(bnd_array, packing_in);
    FIELD(bnd_array, packing_out);
    FIELD(bnd_array, reserved);
    VALUE(BND_PACKING_PACKED);
    VALUE(BND_PACKING_UNPACKED);
}

static void format(void)
{
    SIZE(bnd_format);
    FIELD(bnd_format, name);
    FIELD(bnd_format, row);
    FIELD(bnd_format, width);
    FIELD(bnd_format, exponent_bits);
    FIELD(bnd_format, fraction_bits);
    FIELD(bnd_format, precision);
    FIELD(bnd_format, is_signed);
    FIELD(bnd_format, has_zero);
    FIELD(bnd_format, has_negative_zero);
    FIELD(bnd_format, has_subnormals);
    FIELD(bnd_format, has_infinity);
    FIELD(bnd_format, has_nan);
    FIELD(bnd_format, zero_nan);
    FIELD(bnd_format, ieee_nans);
    FIELD(bnd_format, ties);
    FIELD(bnd_format, bias);
    FIELD(bnd_format, emin);
    FIELD(bnd_format, emax);
    FIELD(bnd_format, internal);
    FIELD(bnd_format, high_nans);
    FIELD(bnd_format, max_code);
    FIELD(bnd_format, infinity_code);
    FIELD(bnd_format, nan_code);
    FIELD(bnd_format, max_significand);
    FIELD(bnd_format, normal_significand);
    FIELD(bnd_format, least_significand);
    FIELD(bnd_format, max_quantum);
    FIELD(bnd_format, normal_quantum);
    FIELD(bnd_format, least_quantum);
    VALUE(BND_ECOSYSTEM_COUNT);
}

static void stats_and_error(void)
{
    SIZE(bnd_stats);
    FIELD(bnd_stats, elements);
    FIELD(bnd_stats, exact);
    FIELD(bnd_stats, inexact);
    FIELD(bnd_stats, underflows);
    FIELD(bnd_stats, to_zero);
    FIELD(bnd_stats, overflows);
    FIELD(bnd_stats, saturated);
    FIELD(bnd_stats, infinities_in);
    FIELD(bnd_stats, nans_in);
    FIELD(bnd_stats, nans_out);
    FIELD(bnd_stats, compared);
    FIELD(bnd_stats, largest);
    FIELD(bnd_stats, smallest);
    FIELD(bnd_stats, squared_error);
    FIELD(bnd_stats, squared_input);
    FIELD(bnd_stats, clamped_error);
    FIELD(bnd_stats, scale_smallest);
    FIELD(bnd_stats, scale_largest);
    FIELD(bnd_stats, exponents);
    FIELD(bnd_stats, reserved);
    SIZE(bnd_error);
    FIELD(bnd_error, status);
    FIELD(bnd_error, where);
    FIELD(bnd_error, message);
    VALUE(BND_OK);
    VALUE(BND_BAD_NAME);
    VALUE(BND_BAD_SYNTAX);
    VALUE(BND_BAD_ARGUMENT);
    VALUE(BND_NO_MEMORY);
    VALUE(BND_BAD_FILE);
    VALUE(BND_BAD_STREAM);
}

static void block(void)
{
    SIZE(bnd_block);
    FIELD(bnd_block, name);
    FIELD(bnd_block, element);
    FIELD(bnd_block, scale);
    FIELD(bnd_block, rule);
    FIELD(bnd_block, sharing);
    FIELD(bnd_block, tensor);
    FIELD(bnd_block, integer);
    FIELD(bnd_block, least);
    FIELD(bnd_block, along);
    FIELD(bnd_block, across);
    FIELD(bnd_block, reserved);
    SIZE(bnd_shape);
    FIELD(bnd_shape, outer);
    FIELD(bnd_shape, length);
    FIELD(bnd_shape, inner);
    SIZE(bnd_given_scales);
    FIELD(bnd_given_scales, scales);
    FIELD(bnd_given_scales, tensor_scale);
    VALUE(BND_SHARE_BLOCK);
    VALUE(BND_SHARE_TILE);
    VALUE(BND_SHARE_TENSOR);
}

int main(void)
{
    rule_and_array();
    format();
    stats_and_error();
    block();
    return 0;
}
