/* config.json with the quantization of the output, and hf_quant_config.json of ModelOpt. */
#include "convert/quantize.h"

#include "convert/names.h"

#include <stdlib.h>
#include <string.h>

static bnd_status no_memory(bnd_error *why)
{
    return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the text of a config");
}

static bnd_status set_config(bnd_quantize_plan *plan, const char *value, bnd_error *why)
{
    size_t length = 0;
    const char *given = bnd_checkpoint_text(plan->in, "config.json", &length);
    return given == NULL && value == NULL ? BND_OK : bndi_config_quantized(&plan->texts[0], given, length, value, why);
}

static bnd_status make_texts(bnd_quantize_plan *plan, const bndi_ignored *ignored, bnd_error *why)
{
    bndi_long_text second = {0}, *config = &plan->quantization_config, *out = &plan->texts[1];
    if (plan->how.layout->family == BND_LAYOUT_COMFYUI) {
        bndi_comfy_metadata(config, &plan->how, ignored);
        return config->failed ? no_memory(why) : set_config(plan, NULL, why);
    }
    const bndi_scheme scheme = {.how = &plan->how};
    const bndi_schemes schemes = {&scheme, 1, bndi_kv_cache_of(plan->in) == BNDI_KV_FP8};
    bndi_quantization_config(config, &schemes, ignored);
    bool both = bndi_hf_quant_config(&second, &schemes, ignored);
    bnd_status status = config->failed || second.failed ? no_memory(why) : set_config(plan, config->bytes, why);
    if (status == BND_OK && both) {
        bndi_json_indent(out, second.bytes, second.length, "    ", 4, 0);
        bndi_long_text_put(out, "\n");
        status = out->failed ? no_memory(why) : BND_OK;
    }
    bndi_long_text_free(&second);
    return status;
}

bnd_status bndi_plan_texts(bnd_quantize_plan *plan, bnd_error *why)
{
    if (plan->how.dequantizes) {
        return set_config(plan, NULL, why);
    }
    const char **names = calloc(2, (plan->count + 1) * sizeof *names);
    if (names == NULL) {
        return no_memory(why);
    }
    const char **experts = names + plan->count + 1;
    bndi_ignored ignored = {.names = names, .experts = experts};
    bool comfy = plan->how.layout->family == BND_LAYOUT_COMFYUI; /* lists what is quantized */
    for (size_t i = 0; i < plan->count; i++) {
        const bnd_planned_weight *weight = &plan->weights[i];
        const bnd_stored_weight *stored = weight->weight;
        const bndi_role role = bndi_role_of(stored->name, stored->rank, plan->config.model_type, false);
        bool quantized = weight->conversion == BND_QUANTIZED, stays = !quantized && stored->is_float;
        bool half = plan->work[i].half, linear = half || stored->layout != NULL || role.linear;
        ignored.but_head = ignored.but_head || (quantized && bndi_is_head(weight->name));
        if (!comfy && stays && role.experts && !half) {
            experts[ignored.expert_count++] = weight->name;
        } else if (comfy ? quantized : stays && linear) {
            names[ignored.count++] = weight->name;
        }
    }
    bnd_status status = make_texts(plan, &ignored, why);
    free(names);
    return status;
}
