/* Static input scales: what a calibration found of a layer's inputs. Weights do not tell it, so those of a quantized
 * input are carried over where the layout of the output has them. */
#include "convert/quantize.h"

#include "checkpoint/layouts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the input ---- */

/* The kind of a weight's input scale, if it can be carried over: one number of 16 or 32 bits. */
static bndi_inputs kind_of(const bnd_stored_weight *weight)
{
    const bnd_stored_tensor *input = bndi_input_of(weight);
    bool one = input != NULL && input->count == 1 && bndi_is_plain(input->format);
    return one ? bndi_inputs_kind(weight->layout, &weight->block) : BNDI_INPUTS_NONE;
}

const char *bndi_input_dtype(const bnd_stored_weight *weight, const char *dtypes)
{
    const char *dtype = bndi_input_of(weight)->dtype;
    return bndi_has_word(dtypes, dtype) ? dtype : "F32";
}

bndi_inputs bndi_inputs_of(const bnd_checkpoint *checkpoint)
{
    unsigned all = 0;
    for (size_t i = 0; i < bnd_checkpoint_weights(checkpoint); i++) {
        all |= (unsigned)kind_of(bnd_checkpoint_weight_at(checkpoint, i));
    }
    return (bndi_inputs)all;
}

/* ---- the plan ---- */

bnd_status bndi_settle_inputs(bnd_quantize_plan *plan, const bnd_quantize *asked, bnd_error *why)
{
    const bnd_planned_weight *lacks = NULL;
    bndi_inputs kind = plan->how.dequantizes ? BNDI_INPUTS_NONE : bndi_inputs_kind(plan->how.layout, &plan->how.block);
    for (size_t i = 0; i < plan->count; i++) {
        const bnd_planned_weight *weight = &plan->weights[i];
        plan->totals.inputs += bndi_input_of(weight->weight) != NULL;
        if (weight->conversion == BND_QUANTIZED) {
            plan->totals.inputs_kept++;
            lacks = lacks == NULL && (kind_of(weight->weight) & kind) == 0 ? weight : lacks;
        }
    }
    if (!plan->how.with_inputs || lacks != NULL) {
        plan->totals.inputs_kept = 0;
    }
    if (!plan->how.with_inputs || lacks == NULL) {
        return BND_OK;
    }
    if (asked->activations != NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has no static input scale; try activations dynamic or none",
                        lacks->name);
    }
    return bndi_settle_activations(&plan->how, NULL, BNDI_INPUTS_NONE, why);
}

/* ---- the work ---- */

static bool is_divisor(const bnd_layout *layout, bool second)
{
    return second && layout->second_divides;
}

static bnd_status write_input(bndi_quantizing *job, size_t index, bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    const bnd_stored_weight *weight = plan->weights[index].weight;
    const bnd_stored_tensor *from = bndi_input_of(weight);
    size_t part = plan->work[index].tensors[BND_PART_INPUT] != SIZE_MAX ? BND_PART_INPUT : BND_PART_INPUT_SECOND;
    size_t tensor = plan->work[index].tensors[part];
    bool before = is_divisor(weight->layout, weight->parts[BND_PART_INPUT] == NULL);
    bool after = is_divisor(plan->how.layout, part == BND_PART_INPUT_SECOND);
    bool same = strcmp(plan->tensors[tensor].dtype, from->dtype) == 0; /* else it becomes fp32 */
    const bnd_format *to = same ? from->format : bnd_format_at(BND_FORMAT_FP32);
    unsigned char bytes[4];
    float x;
    bnd_status status = bnd_decode_f32(&x, from->data, 1, from->format, NULL, why);
    if (status == BND_OK && !(isfinite(x) && x > 0 && isfinite(1.0F / x))) {
        char scale[32];
        (void)snprintf(scale, sizeof scale, "%g", (double)x);
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is %s and cannot scale anything; try activations none or dynamic",
                        from->name, scale);
    }
    x = before != after ? 1.0F / x : x;
    status = status == BND_OK ? bnd_encode_f32(bytes, &x, 1, to, NULL, NULL, why) : status;
    return status == BND_OK ? bnd_checkpoint_writer_put(job->writer, tensor, 0, bytes, to->width / 8U, why) : status;
}

bnd_status bndi_write_inputs(bndi_quantizing *job, bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && plan->how.with_inputs && i < plan->count; i++) {
        status = plan->weights[i].conversion == BND_QUANTIZED ? write_input(job, i, why) : BND_OK;
    }
    return status;
}
