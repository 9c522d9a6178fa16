/* What configs say of a quantized model, key by key as its loaders read it.
 *
 * compressed-tensors refuses keys that it does not know (extra="forbid" of QuantizationArgs and QuantizationScheme).
 * Sources: vllm-project/compressed-tensors@ac8e2ba8:src/compressed_tensors/quantization/quant_args.py, quant_scheme.py,
 * quant_config.py; vllm-project/vllm@0071b24b:vllm/model_executor/layers/quantization/fp8.py (ignored_layers) and
 * huggingface/transformers:src/transformers/utils/quantization_config.py, FineGrainedFP8Config
 * (modules_to_not_convert);
 * huggingface/transformers@0189b1d0:src/transformers/integrations/mxfp4.py (gpt-oss);
 * Comfy-Org/ComfyUI@311c0140:QUANTIZATION.md;
 * NVIDIA/Model-Optimizer@a2fbac7b:modelopt/torch/export/convert_hf_config.py and quant_utils.py; mixed schemes:
 * NVIDIA/Model-Optimizer@0030d2b3:modelopt/torch/export/convert_hf_config.py (quantized_layers) and the class
 * ModelOptMixedPrecisionConfig of vLLM's modelopt.py. The KV cache: the same file of Model-Optimizer
 * (kv_cache_quant_algo, kv_cache_scheme); vllm-project/vllm@00155cde:vllm/model_executor/layers/quantization/
 * modelopt.py (from_config), and in vLLM's compressed_tensors.py the class CompressedTensorsKVCacheMethod, which needs
 * 8 bits, "float" and the strategy "tensor". FP8 of transformers and of vLLM has no such key. vLLM's
 * model_loader/weight_utils.py (maybe_remap_kv_scale_name) reads both names of KV scales, k_proj.k_scale and
 * self_attn.k_scale. */
#define _POSIX_C_SOURCE 200809L
#include "convert/quantization_config.h"

#include "base/base.h"
#include "block/block.h"
#include "checkpoint/weights.h"
#include "convert/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A format of 8 bits or less is "float", of its bits; codes of integers are "int". */
static void put_number(bnd_lab_json *json, const bnd_block *block)
{
    bnd_lab_json_unsigned(json, "num_bits", block->integer ? 8 : block->element.width);
    bnd_lab_json_string(json, "type", block->integer ? "int" : "float");
}

static bool is_grouped(const bnd_block *block)
{
    return block->sharing == BND_SHARE_BLOCK && block->along > 0;
}

/* ---- the KV cache: read ---- */

static bndi_kv_cache kv_of_word(const char *word)
{
    return bndi_same_word(word, strlen(word), "FP8") ? BNDI_KV_FP8 : BNDI_KV_OTHER;
}

static bool is_or_absent(const char *word, const char *wanted)
{
    return word == NULL || strcmp(word, wanted) == 0;
}

static bndi_kv_cache kv_of(const bndi_quantization *q)
{
    const bndi_quantization_args *args = &q->kv_cache;
    const char *word = json_string_value(json_object_get(q->json, "kv_cache_scheme")); /* of ModelOpt's older files */
    if (q->kv_algorithm != NULL || word != NULL) {
        return kv_of_word(q->kv_algorithm != NULL ? q->kv_algorithm : word);
    }
    const bool fp8 = args->num_bits == 8 && args->type != NULL && strcmp(args->type, "float") == 0 && args->symmetric &&
                     is_or_absent(args->strategy, "tensor") && is_or_absent(args->dynamic, "false");
    return !args->given ? BNDI_KV_NOTHING : fp8 ? BNDI_KV_FP8 : BNDI_KV_OTHER;
}

bndi_kv_cache bndi_kv_cache_of(const bnd_checkpoint *checkpoint)
{
    const bndi_quantizations *all = bndi_checkpoint_quantizations(checkpoint);
    bndi_kv_cache kv = BNDI_KV_NOTHING;
    for (size_t i = 0; i < all->count; i++) {
        const bndi_kv_cache says = kv_of(&all->rows[i]);
        kv = says > kv ? says : kv;
    }
    return kv;
}

/* ---- compressed-tensors ---- */

static void put_scale_dtype(bnd_lab_json *json, const bnd_block *block)
{
    if (is_grouped(block)) { /* scales of 8 bits: they tell NVFP4 and MX apart */
        bnd_lab_json_string(json, "scale_dtype", block->tensor ? "torch.float8_e4m3fn" : "torch.uint8");
        bnd_lab_json_null(json, "zp_dtype");
    }
}

static const char *strategy_of(const bnd_block *block)
{
    return block->tensor                        ? "tensor_group"
           : is_grouped(block)                  ? "group"
           : block->sharing == BND_SHARE_TENSOR ? "tensor"
           : block->sharing == BND_SHARE_TILE   ? "block"
                                                : "channel";
}

/* STATIC: with stored scales. LOCAL: the scale of the tensor is stored, those of blocks are found at run time. */
typedef enum when { OF_WEIGHTS, STATIC, LOCAL, DYNAMIC } when;

static void put_args(bnd_lab_json *json, const char *key, const bnd_block *block, const char *strategy, size_t group,
                     when found)
{
    bnd_lab_json_object(json, key);
    put_number(json, block);
    bnd_lab_json_boolean(json, "symmetric", true);
    bnd_lab_json_string(json, "strategy", strategy);
    if (group > 0) {
        bnd_lab_json_unsigned(json, "group_size", group);
    } else {
        bnd_lab_json_null(json, "group_size");
    }
    if (strcmp(strategy, "block") == 0) {
        bnd_lab_json_array(json, "block_structure");
        bnd_lab_json_unsigned(json, NULL, block->along);
        bnd_lab_json_unsigned(json, NULL, block->across);
        bnd_lab_json_end(json);
    } else {
        bnd_lab_json_null(json, "block_structure");
    }
    if (found == LOCAL) {
        bnd_lab_json_string(json, "dynamic", "local");
    } else {
        bnd_lab_json_boolean(json, "dynamic", found == DYNAMIC);
    }
    bnd_lab_json_null(json, "actorder");
    put_scale_dtype(json, block);
    if (found == DYNAMIC) {
        bnd_lab_json_null(json, "observer");
    } else {
        bnd_lab_json_string(json, "observer", found == OF_WEIGHTS ? "memoryless_minmax" : "static_minmax");
    }
    bnd_lab_json_object(json, "observer_kwargs");
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

/* Activations with static scales have one per tensor. Others have groups as weights have, or are scaled by token:
 * tiles of weights meet groups of activations. */
static void put_activations(bnd_lab_json *json, const bndi_how *how)
{
    const bnd_block *block = &how->block;
    size_t group = is_grouped(block) ? block->along : block->sharing == BND_SHARE_TILE ? block->across : 0;
    if (how->with_inputs && block->tensor) {
        put_args(json, "input_activations", block, "tensor_group", group, LOCAL);
    } else if (how->with_inputs) {
        put_args(json, "input_activations", block, "tensor", 0, STATIC);
    } else if (how->dynamic) {
        put_args(json, "input_activations", block, group > 0 ? "group" : "token", group, DYNAMIC);
    } else {
        bnd_lab_json_null(json, "input_activations");
    }
}

/* All modules of the class, or those of one of several schemes by name. */
static void put_targets(bnd_lab_json *json, const bndi_schemes *schemes, const bndi_scheme *scheme)
{
    bnd_lab_json_array(json, "targets");
    for (size_t i = 0; i < scheme->count && schemes->count > 1; i++) {
        bnd_lab_json_string_n(json, NULL, scheme->names[i], bndi_module_length(scheme->names[i]));
    }
    if (schemes->count == 1) {
        bnd_lab_json_string(json, NULL, "Linear");
    }
    bnd_lab_json_end(json);
}

static void open_group(bnd_lab_json *json, size_t index)
{
    char name[32];
    (void)snprintf(name, sizeof name, "group_%zu", index);
    bnd_lab_json_object(json, name);
}

/* The word of all schemes, or `mixed`. */
static const char *word_of(const bndi_schemes *schemes, const char *mixed)
{
    for (size_t i = 1; i < schemes->count; i++) {
        if (strcmp(schemes->at[i].how->word, schemes->at[0].how->word) != 0) {
            return mixed;
        }
    }
    return schemes->at[0].how->word;
}

/* False: no memory. */
static bool put_compressed_tensors(bnd_lab_json *json, const bndi_schemes *schemes, const bndi_ignored *ignored)
{
    bnd_lab_json_object(json, "config_groups");
    for (size_t i = 0; i < schemes->count; i++) {
        const bndi_how *how = schemes->at[i].how;
        open_group(json, i);
        put_targets(json, schemes, &schemes->at[i]);
        put_args(json, "weights", &how->block, strategy_of(&how->block), is_grouped(&how->block) ? how->block.along : 0,
                 OF_WEIGHTS);
        put_activations(json, how);
        bnd_lab_json_null(json, "output_activations");
        bnd_lab_json_string(json, "format", how->word);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_string(json, "format", word_of(schemes, "mixed-precision"));
    bnd_lab_json_null(json, "global_compression_ratio");
    const bool memory = bndi_put_ignored(json, "ignore", ignored, BND_LAYOUT_COMPRESSED_TENSORS);
    if (schemes->kv_fp8) {
        const bnd_block fp8 = {.element = *bnd_format_at(BND_FORMAT_E4M3), .sharing = BND_SHARE_TENSOR};
        put_args(json, "kv_cache_scheme", &fp8, "tensor", 0, STATIC);
    } else {
        bnd_lab_json_null(json, "kv_cache_scheme");
    }
    bnd_lab_json_string(json, "quant_method", "compressed-tensors");
    bnd_lab_json_string(json, "quantization_status", "compressed");
    return memory;
}

/* ---- fp8 ---- */

/* False: no memory. */
static bool put_fp8(bnd_lab_json *json, const bndi_how *how, const bndi_ignored *ignored)
{
    const bnd_block *block = &how->block;
    bnd_lab_json_string(json, "activation_scheme", how->with_inputs ? "static" : "dynamic");
    bnd_lab_json_string(json, "fmt", "e4m3");
    bool memory = bndi_put_ignored(json, "ignored_layers", ignored, BND_LAYOUT_FP8);
    memory = bndi_put_ignored(json, "modules_to_not_convert", ignored, BND_LAYOUT_FP8) && memory;
    bnd_lab_json_string(json, "quant_method", "fp8");
    if (block->sharing == BND_SHARE_TILE && bndi_gives_powers(block)) {
        bnd_lab_json_string(json, "scale_fmt", "ue8m0"); /* powers of two: as DeepSeek-V3.1 */
    }
    if (block->sharing == BND_SHARE_TILE) {
        bnd_lab_json_array(json, "weight_block_size");
        bnd_lab_json_unsigned(json, NULL, block->along);
        bnd_lab_json_unsigned(json, NULL, block->across);
        bnd_lab_json_end(json);
    } else {
        bnd_lab_json_null(json, "weight_block_size");
    }
    return memory;
}

/* ---- ModelOpt ---- */

static void put_producer(bnd_lab_json *json)
{
    bnd_lab_json_object(json, "producer");
    bnd_lab_json_string(json, "name", "modelopt"); /* loaders know the layout by it */
    bnd_lab_json_string(json, "version", "binade " BND_VERSION_STRING);
    bnd_lab_json_end(json);
}

/* Weights, and activations and the KV cache with static scales. */
static void put_fixed(bnd_lab_json *json, const char *key, const bnd_block *block)
{
    bnd_lab_json_object(json, key);
    bnd_lab_json_boolean(json, "dynamic", false);
    put_number(json, block);
    if (is_grouped(block)) {
        bnd_lab_json_unsigned(json, "group_size", block->along);
    }
    bnd_lab_json_end(json);
}

/* A member named as the module of a weight. False: no memory. */
static bool open_module(bnd_lab_json *json, const char *weight)
{
    char *module = strndup(weight, bndi_module_length(weight));
    if (module != NULL) {
        bnd_lab_json_object(json, module);
    }
    free(module);
    return module != NULL;
}

/* The word of each module: vLLM reads it where schemes are mixed. False: no memory. */
static bool put_layers(bnd_lab_json *json, const bndi_schemes *schemes)
{
    bnd_lab_json_object(json, "quantized_layers");
    for (size_t i = 0; i < schemes->count; i++) {
        const bndi_scheme *s = &schemes->at[i];
        for (size_t k = 0; k < s->count; k++) {
            if (!open_module(json, s->names[k])) {
                return false;
            }
            bnd_lab_json_string(json, "quant_algo", s->how->word);
            if (is_grouped(&s->how->block)) {
                bnd_lab_json_unsigned(json, "group_size", s->how->block.along);
            }
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
    return true;
}

static bool put_modelopt(bnd_lab_json *json, const bndi_schemes *schemes, const bndi_ignored *ignored)
{
    const bnd_block *block = &schemes->at[0].how->block;
    const bool mixed = schemes->count > 1;
    bnd_lab_json_object(json, "config_groups");
    for (size_t i = 0; i < schemes->count; i++) {
        const bndi_how *how = schemes->at[i].how;
        open_group(json, i);
        put_fixed(json, "weights", &how->block);
        if (how->with_inputs) {
            put_fixed(json, "input_activations", &how->block);
        }
        put_targets(json, schemes, &schemes->at[i]);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    if (is_grouped(block) && !mixed) {
        bnd_lab_json_unsigned(json, "group_size", block->along);
    }
    bool memory = bndi_put_ignored(json, "ignore", ignored, BND_LAYOUT_MODELOPT);
    if (schemes->kv_fp8) {
        const bnd_block fp8 = {.element = *bnd_format_at(BND_FORMAT_E4M3), .sharing = BND_SHARE_TENSOR};
        put_fixed(json, "kv_cache_scheme", &fp8);
    }
    bnd_lab_json_string(json, "quant_algo", mixed ? "MIXED_PRECISION" : schemes->at[0].how->word);
    memory = (!mixed || put_layers(json, schemes)) && memory;
    put_producer(json);
    bnd_lab_json_string(json, "quant_method", "modelopt");
    return memory;
}

bool bndi_can_be_mixed(const bndi_how *how)
{
    static const char *const read_by_vllm[] = {"FP8", "NVFP4", "W4A16_NVFP4",
                                               "MXFP8"}; /* others: as if not quantized */
    bool listed = how->layout->family == BND_LAYOUT_COMPRESSED_TENSORS;
    for (size_t i = 0; i < 4 && how->layout->family == BND_LAYOUT_MODELOPT; i++) {
        listed = listed || strcmp(how->word, read_by_vllm[i]) == 0;
    }
    return listed;
}

/* ---- gpt-oss and ComfyUI ---- */

/* False: no memory. */
static bool put_gpt_oss(bnd_lab_json *json, const bndi_how *how, const bndi_ignored *ignored)
{
    const bool memory = bndi_put_ignored(json, "modules_to_not_convert", ignored, BND_LAYOUT_GPT_OSS);
    bnd_lab_json_string(json, "quant_method", how->word);
    return memory;
}

void bndi_comfy_metadata(bndi_long_text *out, const bndi_how *how, const bndi_ignored *quantized)
{
    bnd_lab_json json;
    bnd_lab_json_begin(&json, bndi_long_text_add, out);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "format_version", "1.0");
    bnd_lab_json_object(&json, "layers");
    for (size_t i = 0; i < quantized->count; i++) {
        if (!open_module(&json, quantized->names[i])) {
            out->failed = true;
            break;
        }
        bnd_lab_json_string(&json, "format", how->word);
        bnd_lab_json_end(&json);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
}

bool bndi_hf_quant_config(bndi_long_text *out, const bndi_schemes *schemes, const bndi_ignored *ignored)
{
    bnd_lab_json json;
    const bndi_how *how = schemes->at[0].how;
    const bool mixed = schemes->count > 1;
    if (how->layout == NULL || how->layout->family != BND_LAYOUT_MODELOPT) {
        return false;
    }
    bnd_lab_json_begin(&json, bndi_long_text_add, out);
    bnd_lab_json_object(&json, NULL);
    put_producer(&json);
    bnd_lab_json_object(&json, "quantization");
    bnd_lab_json_string(&json, "quant_algo", mixed ? "MIXED_PRECISION" : how->word);
    if (schemes->kv_fp8) {
        bnd_lab_json_string(&json, "kv_cache_quant_algo", "FP8");
    } else {
        bnd_lab_json_null(&json, "kv_cache_quant_algo");
    }
    if (is_grouped(&how->block) && !mixed) {
        bnd_lab_json_unsigned(&json, "group_size", how->block.along);
    }
    out->failed = (mixed && !put_layers(&json, schemes)) || out->failed;
    out->failed = !bndi_put_ignored(&json, "exclude_modules", ignored, BND_LAYOUT_MODELOPT) || out->failed;
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    return true;
}

void bndi_quantization_config(bndi_long_text *out, const bndi_schemes *schemes, const bndi_ignored *ignored)
{
    bnd_lab_json json;
    const bndi_how *how = schemes->at[0].how;
    bnd_lab_json_begin(&json, bndi_long_text_add, out);
    bnd_lab_json_object(&json, NULL);
    bool memory;
    switch (how->layout->family) {
    case BND_LAYOUT_GPT_OSS:
        memory = put_gpt_oss(&json, how, ignored);
        break;
    case BND_LAYOUT_FP8:
        memory = put_fp8(&json, how, ignored);
        break;
    case BND_LAYOUT_MODELOPT:
        memory = put_modelopt(&json, schemes, ignored);
        break;
    default:
        memory = put_compressed_tensors(&json, schemes, ignored);
    }
    out->failed = !memory || out->failed;
    bnd_lab_json_end(&json);
}
