/* Plans of `quantize`: made, asked, freed. */
#include "convert/quantize.h"

#include <stdlib.h>
#include <string.h>

const char *bnd_conversion_name(bnd_conversion conversion)
{
    static const char *const names[] = {
        [BND_STAYS] = "stays", [BND_DECODED] = "decoded", [BND_CAST] = "cast", [BND_QUANTIZED] = "quantized"};
    return conversion < BND_CONVERSIONS ? names[conversion] : "";
}

/* ComfyUI runs each layer by itself, and joins none. */
static bool is_comfy(const bnd_quantize_plan *plan)
{
    return plan->how.layout != NULL && plan->how.layout->family == BND_LAYOUT_COMFYUI;
}

static bnd_status make(bnd_quantize_plan *plan, const bnd_quantize *how, bnd_error *why)
{
    size_t length = 0;
    const char *config = bnd_checkpoint_text(plan->in, "config.json", &length);
    bnd_status status = bndi_settle_how(&plan->how, how, bndi_inputs_of(plan->in), why);
    status = status == BND_OK && config != NULL ? bndi_read_model_config(&plan->config, config, length, why) : status;
    status = status == BND_OK ? bndi_make_units(plan, how, why) : status;
    status = status == BND_OK ? bndi_choose(plan, how, why) : status;
    status = status == BND_OK ? bndi_settle_inputs(plan, how, why) : status;
    status = status == BND_OK ? bndi_group(plan, !how->unfused && !is_comfy(plan), why) : status;
    status = status == BND_OK ? bndi_plan_tensors(plan, why) : status;
    status = status == BND_OK ? bndi_plan_kinds(plan, why) : status;
    return status == BND_OK ? bndi_plan_texts(plan, why) : status;
}

bnd_status bnd_quantize_plan_new(bnd_quantize_plan **out, const bnd_checkpoint *checkpoint, const bnd_quantize *how,
                                 bnd_error *why)
{
    bnd_quantize_plan *plan = calloc(1, sizeof *plan);
    if (plan != NULL) {
        *plan = (bnd_quantize_plan){.in = checkpoint,
                                    .rounding = how->rounding,
                                    .seed = how->seed,
                                    .shard_size = how->shard_size,
                                    .allow_nonfinite = how->allow_nonfinite,
                                    .context = how->context != NULL ? *how->context : (bnd_context){.threads = 1}};
    }
    if (plan == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a plan");
    }
    bnd_status status = make(plan, how, why);
    if (status != BND_OK) {
        bnd_quantize_plan_free(plan);
        return status;
    }
    uint64_t threads = plan->context.threads > 0 ? plan->context.threads : 1;
    uint64_t piece =
        plan->largest.elements * sizeof(float) + plan->largest.codes + plan->largest.scales + plan->largest.gathered;
    plan->totals.memory += threads * piece + plan->count * (sizeof *plan->weights + sizeof *plan->work);
    *out = plan;
    return BND_OK;
}

void bnd_quantize_plan_free(bnd_quantize_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    for (size_t i = 0; i < BNDI_PLAN_TEXTS; i++) {
        bndi_long_text_free(&plan->texts[i]);
    }
    bndi_long_text_free(&plan->quantization_config);
    free(plan->weights);
    free(plan->kinds);
    free(plan->work);
    free(plan->tensors);
    free(plan->names);
    free(plan->layers);
    free(plan->shapes);
    free(plan);
}

size_t bnd_quantize_plan_count(const bnd_quantize_plan *plan)
{
    return plan->count;
}

const bnd_planned_weight *bnd_quantize_plan_at(const bnd_quantize_plan *plan, size_t index)
{
    return index < plan->count ? &plan->weights[index] : NULL;
}

bnd_plan_totals bnd_quantize_plan_totals(const bnd_quantize_plan *plan)
{
    return plan->totals;
}

const bnd_layout *bnd_quantize_plan_layout(const bnd_quantize_plan *plan)
{
    return plan->how.layout;
}

const char *bnd_quantize_plan_rule(const bnd_quantize_plan *plan)
{
    return plan->how.rule;
}

const char *bnd_quantize_plan_scale_format(const bnd_quantize_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->weights[i].conversion == BND_QUANTIZED) {
            return plan->weights[i].block.scale.name;
        }
    }
    return "";
}

const char *bnd_quantize_plan_text(const bnd_quantize_plan *plan, const char *file_name, size_t *length)
{
    static const char *const names[BNDI_PLAN_TEXTS] = {"config.json", "hf_quant_config.json"};
    for (size_t i = 0; i < BNDI_PLAN_TEXTS; i++) {
        if (strcmp(file_name, names[i]) == 0 && plan->texts[i].bytes != NULL) {
            if (length != NULL) {
                *length = plan->texts[i].length;
            }
            return plan->texts[i].bytes;
        }
    }
    return NULL;
}
