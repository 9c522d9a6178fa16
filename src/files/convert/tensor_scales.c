/* Scales of whole tensors, from the largest magnitude of each; in a group they are equal.
 *
 * NVFP4 of ModelOpt stores the factor amax / (448 6); compressed-tensors stores the divisor 448 6 / amax, and engines
 * invert it: the codes are for that factor. Each quotient is one rounding to fp32. */
#include "convert/quantize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float largest_of(const bndi_quantizing *job, size_t index)
{
    float amax;
    memcpy(&amax, &job->amax[index], sizeof amax);
    return amax;
}

/* The groups' largest magnitude becomes that of each member. */
static bnd_status share(bndi_quantizing *job, bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    uint32_t *most = calloc(plan->totals.groups + 1, sizeof *most);
    if (most == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the scales of %zu groups", plan->totals.groups);
    }
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < plan->count; i++) {
            size_t group = plan->weights[i].group;
            if (group != SIZE_MAX && round == 0) {
                most[group] = job->amax[i] > most[group] ? job->amax[i] : most[group];
            } else if (group != SIZE_MAX) {
                job->amax[i] = most[group];
            }
        }
    }
    free(most);
    return BND_OK;
}

/* The scale of one number of this magnitude is that of all. */
static bnd_status scale_of(float *scale, const bnd_block *block, float amax, bnd_error *why)
{
    unsigned char bytes[8];
    bnd_shape one = {1, 1, 1};
    if (block->tensor) {
        return bnd_quantize_given_f32(NULL, NULL, scale, &amax, one, block, NULL, NULL, NULL, why);
    }
    bnd_status status = bnd_quantize_given_f32(NULL, bytes, NULL, &amax, one, block, NULL, NULL, NULL, why);
    return status == BND_OK ? bnd_decode_f32(scale, bytes, 1, &block->scale, NULL, why) : status;
}

/* The divisor of compressed-tensors; 1 where there is no finite one. What is divided, 448 6 for NVFP4, is a whole
 * number, and the reciprocal of the scale of 1 is next to it. */
static bnd_status divisor_of(float *divisor, const bnd_block *block, float amax, bnd_error *why)
{
    float unit;
    bnd_status status = scale_of(&unit, block, 1.0F, why);
    if (status == BND_OK) {
        float quotient = amax > 0 ? (float)rint(1.0 / (double)unit) / amax : 1.0F;
        *divisor = isfinite(quotient) && quotient > 0 ? quotient : 1.0F;
    }
    return status;
}

bnd_status bndi_tensor_scales(bndi_quantizing *job, bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    bnd_status status = share(job, why);
    for (size_t i = 0; status == BND_OK && i < plan->count; i++) {
        const bnd_planned_weight *weight = &plan->weights[i];
        const bnd_block *block = &weight->block;
        bool whole = block->sharing == BND_SHARE_TENSOR;
        if (weight->conversion != BND_QUANTIZED || !(block->tensor || whole)) {
            continue;
        }
        float stored, amax = largest_of(job, i);
        bool divides = block->tensor && plan->how.layout->second_divides;
        status = divides ? divisor_of(&stored, block, amax, why) : scale_of(&stored, block, amax, why);
        if (status == BND_OK) {
            unsigned char bytes[4];
            const bnd_format *format = whole ? &block->scale : bnd_format_at(BND_FORMAT_FP32);
            job->factors[i] = divides ? 1.0F / stored : stored;
            size_t part = whole ? BND_PART_SCALES : BND_PART_SECOND;
            status = bnd_encode_f32(bytes, &stored, 1, format, NULL, NULL, why);
            status = status == BND_OK ? bnd_checkpoint_writer_put(job->writer, plan->work[i].tensors[part], 0, bytes,
                                                                  format->width / 8U, why)
                                      : status;
        }
    }
    return status;
}
