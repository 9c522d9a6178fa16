/* What stands next to the tensors: files that are copied, configs, and where the output comes from. */
#include "convert/quantize.h"

#include "checkpoint/checkpoint.h"
#include "convert/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weights in other kinds of files, which would be those of the input; and texts that say how it was quantized. */
static const char *const left_out[] = {"*.bin",
                                       "*.pt",
                                       "*.pth",
                                       "*.gguf",
                                       "*.onnx",
                                       "*.onnx_data",
                                       "*.h5",
                                       "*.ckpt",
                                       "*.msgpack",
                                       "*.ot",
                                       "*.npz",
                                       "*.npy",
                                       "*.mlmodel",
                                       "*.tflite",
                                       "*.tmp",
                                       "*.bin.index.json",
                                       "recipe.yaml",
                                       "hf_quant_config.json",
                                       "quant_config.json",
                                       "quantize_config.json",
                                       "config.json"};

static bool is_copied(const char *name)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (bndi_glob(left_out[i], name, strlen(name))) {
            return false;
        }
    }
    return true;
}

/* ---- metadata ---- */

static void add_pair(bndi_around *out, const char *key, const char *value)
{
    if (value[0] != '\0' && out->pair_count < sizeof out->pairs / sizeof *out->pairs) {
        out->pairs[out->pair_count++] = (bnd_safetensors_pair){key, value};
    }
}

/* The layout of the input's weights: the first that has one. */
static const char *layout_of_input(const bnd_quantize_plan *plan)
{
    static const char *const kinds[] = {"safetensors", "gguf", "npy"};
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->weights[i].weight->layout != NULL) {
            return plan->weights[i].weight->layout->name;
        }
    }
    return kinds[bnd_checkpoint_kind_of(plan->in)];
}

/* transformers refuses files without "format"; configs have no room for keys of others. */
static void describe(bndi_around *out, const bnd_quantize_plan *plan)
{
    bool quantizes = !plan->how.dequantizes, random = plan->rounding.rounding != BND_ROUND_RNE;
    (void)snprintf(out->seed, sizeof out->seed, "%llu", (unsigned long long)plan->seed);
    const char *rounding = bnd_rounding_name(bnd_rule_rounding(plan->rounding));
    const unsigned bits = plan->rounding.random_bits;
    (void)(bits > 0 ? snprintf(out->rounding, sizeof out->rounding, "%s:%u", rounding, bits)
                    : snprintf(out->rounding, sizeof out->rounding, "%s", rounding));
    add_pair(out, "format", "pt");
    add_pair(out, "binade.version", BND_VERSION_STRING);
    add_pair(out, "binade.source", layout_of_input(plan));
    add_pair(out, "binade.to", quantizes ? plan->how.block.name : plan->how.to.name);
    add_pair(out, "binade.layout", quantizes ? plan->how.layout->name : "");
    add_pair(out, "binade.scale_rule", plan->how.rule);
    add_pair(out, "binade.scale_format", bnd_quantize_plan_scale_format(plan));
    add_pair(out, "binade.rounding", out->rounding);
    add_pair(out, "binade.seed", random ? out->seed : "");
    add_pair(out, "binade.input_scales",
             plan->totals.inputs_kept > 0 ? "of the input"
             : plan->totals.inputs > 0    ? "of the input were dropped"
                                          : "");
    add_pair(out, "binade.fused", plan->totals.groups > 0 ? "tensor scales are shared" : "");
}

/* ---- files ---- */

static bool add_copies(bndi_around *out, const bnd_quantize_plan *plan)
{
    const char *folder = bnd_checkpoint_folder(plan->in);
    for (size_t i = 0; i < bnd_checkpoint_others(plan->in); i++) {
        const char *name = bnd_checkpoint_other_name(plan->in, i);
        if (!is_copied(name)) {
            continue;
        }
        size_t length = strlen(folder) + strlen(name) + 2;
        char *path = malloc(length);
        if (path == NULL) {
            return false;
        }
        snprintf(path, length, "%s/%s", folder, name);
        out->paths[out->side_count] = path;
        out->side[out->side_count++] = (bnd_side_file){.name = name, .from = path};
    }
    return true;
}

static void add_texts(bndi_around *out, const bnd_quantize_plan *plan)
{
    static const char *const names[BNDI_PLAN_TEXTS] = {"config.json", "hf_quant_config.json"};
    for (size_t i = 0; i < BNDI_PLAN_TEXTS; i++) {
        size_t length;
        const char *text = bnd_quantize_plan_text(plan, names[i], &length);
        if (text != NULL) {
            out->side[out->side_count++] = (bnd_side_file){.name = names[i], .text = text, .length = length};
        }
    }
}

bnd_status bndi_plan_around(bndi_around *out, const bnd_quantize_plan *plan, const char *path, bnd_error *why)
{
    size_t most = bnd_checkpoint_others(plan->in) + BNDI_PLAN_TEXTS;
    *out = (bndi_around){.side = calloc(most, sizeof *out->side), .paths = calloc(most, sizeof *out->paths)};
    bool memory = out->side != NULL && out->paths != NULL;
    bool comfy = plan->how.layout != NULL && plan->how.layout->family == BND_LAYOUT_COMFYUI;
    describe(out, plan);
    if (memory && !bndi_ends_with(path, ".safetensors")) {
        memory = add_copies(out, plan);
        add_texts(out, plan);
    } else if (memory && !comfy && plan->quantization_config.bytes != NULL) {
        add_pair(out, "quantization_config", plan->quantization_config.bytes); /* a file alone has no config.json */
    }
    if (memory && comfy) {
        add_pair(out, "_quantization_metadata", plan->quantization_config.bytes);
    }
    if (!memory) {
        bndi_free_around(out);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a list of %zu files", most);
    }
    return BND_OK;
}

void bndi_free_around(bndi_around *around)
{
    for (size_t i = 0; around->paths != NULL && i < around->side_count; i++) {
        free(around->paths[i]);
    }
    free(around->paths);
    free(around->side);
    *around = (bndi_around){0};
}
