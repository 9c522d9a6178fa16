/* Block formats: arrays whose elements share scales. */
#include "array.h"

static bnd_block block;
static bnd_shape shape;

/* A block format by name, and a scale rule by name ("" is the block format's own). */
EXPORT(name_block)
bnd_status core_name_block(const char *name, size_t name_length, const char *rule, size_t rule_length)
{
    const char *block_name = core_text(name, name_length), *rule_name = core_text(rule, rule_length);
    bnd_block named;
    if (block_name == NULL || rule_name == NULL) {
        return core_error.status;
    }
    bnd_status status = bnd_block_parse(&named, block_name, &core_error);
    if (status == BND_OK && rule_name[0] != '\0') {
        status = bnd_scale_rule_parse(&named, rule_name, &core_error);
    }
    if (status == BND_OK) {
        block = named;
    }
    return status;
}

/* The array's dimensions, and the axis that blocks run along. */
EXPORT(block_shape) bnd_status core_block_shape(const size_t *dimensions, size_t rank, size_t axis)
{
    return bnd_block_shape(&shape, &block, dimensions, rank, axis, &core_error);
}

/* The parts: names as lines (block, note, element, scale, rule), and integers. */
EXPORT(describe_block) void core_describe_block(void)
{
    const int32_t integers[] = {block.element.width,   block.scale.width, block.sharing, (int32_t)block.along,
                                (int32_t)block.across, block.tensor,      block.integer};
    memcpy(core_answered.integers, integers, sizeof integers);
    core_begin();
    core_put(block.name);
    core_put(bnd_block_note(&block));
    core_put(block.element.name);
    core_put(block.scale.name);
    core_put(bnd_scale_rule_name((bnd_scale_rule)block.rule));
}

EXPORT(block_scales) size_t core_block_scales(void)
{
    return bnd_block_scales(&block, shape);
}

EXPORT(block_scales_size) size_t core_block_scales_size(void)
{
    return bnd_block_scales_size(&block, shape);
}

EXPORT(block_codes_size) size_t core_block_codes_size(void)
{
    return bnd_block_codes_size(&block, shape, (bnd_packing)core_how()->packing_out);
}

EXPORT(quantize_block)
bnd_status core_quantize_block(void *codes, void *scales, float *tensor_scale, const float *x, bool count)
{
    return bnd_quantize_f32(codes, scales, tensor_scale, x, shape, &block, core_how(), count ? core_counted() : NULL,
                            &core_error);
}

EXPORT(dequantize_block)
bnd_status core_dequantize_block(float *y, const void *codes, const void *scales, const float *tensor_scale)
{
    return bnd_dequantize_f32(y, codes, scales, *tensor_scale, shape, &block, core_how(), &core_error);
}
