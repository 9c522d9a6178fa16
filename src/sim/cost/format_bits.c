/* How many bits numbers and their scales take. */
#include "cost/cost.h"

#include <binade/bulk.h>

#include "format/format.h"
#include "tensor/scaled.h"

/* Eight codes take as many bytes as one takes bits. */
double bndi_bits(const bnd_format *f)
{
    return (double)bndi_packed_codes(f, 8);
}

double bndi_bytes_of(const bnd_format *f, double n)
{
    return __builtin_ceil(n * bndi_bits(f) / 8);
}

/* The names of block formats that have a scale are tried first: "e4m3/tensor" is not a number format. Without a scale,
 * integers are value sets like others: numbers without codes. */
bnd_status bndi_element_parse(bnd_format *out, bnd_block *block, bool *scaled, const char *name, bnd_error *why)
{
    bnd_error of_block;
    bnd_format f;
    bnd_status status = BND_OK;
    const bnd_status other = bnd_block_parse(block, name, &of_block);
    *scaled = other == BND_OK;
    if (*scaled) {
        f = block->element;
    } else {
        status = bnd_format_parse(&f, name, why);
    }
    if (status != BND_OK && bnd_lab_is_block_name(name, bndi_length(name))) {
        return bnd_fail(why, other, of_block.where, "%s", of_block.message);
    }
    if (status == BND_OK && f.width == 0 && (!*scaled || bndi_bits(&f) == 0)) {
        status =
            bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set: it has no codes, and so no size in memory", f.name);
    }
    if (status == BND_OK) {
        *out = f;
    }
    return status;
}

bnd_status bndi_scale_bytes(double *out, const bnd_block *block, uint64_t rows, uint64_t columns, bnd_error *why)
{
    size_t extent[] = {(size_t)(columns > 0 ? rows : 1), (size_t)(columns > 0 ? columns : rows)};
    bnd_shape shape;
    bnd_status status = bnd_block_shape(&shape, block, extent, 2, 1, why);
    if (status == BND_OK) {
        *out = (double)bnd_block_scales_size(block, shape) + (block->tensor ? 4 : 0);
    }
    return status;
}

/* A scale for a whole row or tensor is nothing, where these are large. */
double bndi_scale_bytes_each(const bnd_block *block)
{
    bool whole = block->sharing == BND_SHARE_TENSOR || block->along == 0;
    double sharers = (double)block->along * (double)(block->sharing == BND_SHARE_TILE ? block->across : 1);
    return whole || sharers == 0 ? 0 : block->scale.width / 8.0 / sharers;
}
