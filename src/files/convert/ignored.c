/* What configs say of layers that are not quantized.
 *
 * Of experts, vLLM asks for the linear layers <module>.0.gate_proj, .0.up_proj and .0.down_proj, and takes them as not
 * quantized only if all three are listed: vllm-project/vllm@003a1930:vllm/model_executor/layers/quantization/
 * compressed_tensors/compressed_tensors_moe.py, the class CompressedTensorsMoEMethod. It may rename modules before, in
 * lists of names but not in expressions: apply_vllm_mapper of the same folder, and hf_to_vllm_mapper of its models. In
 * ModelOpt's list "*" stands for all of a module: apply_vllm_mapper of vLLM's modelopt.py. */
#include "convert/quantization_config.h"

#include "convert/names.h"

#include <string.h>

bool bndi_is_head(const char *weight)
{
    const size_t length = bndi_module_length(weight);
    return length == strlen("lm_head") && memcmp(weight, "lm_head", length) == 0;
}

/* The module that holds an array: "model.layers.0.mlp.experts" of "model.layers.0.mlp.experts.down_proj". */
static size_t experts_length(const char *array)
{
    const char *name = strrchr(array, '.'), *experts = NULL;
    for (const char *at = array; name != NULL && (at = strstr(at, "experts")) != NULL && at < name; at++) {
        experts = at;
    }
    return experts == NULL ? bndi_module_length(array) : (size_t)(experts - array) + strcspn(experts, ".");
}

/* Text that stands for itself in an expression. */
static void put_literally(bndi_long_text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("\\.^$*+?{}[]()|#", text[i]) != NULL) {
            bndi_long_text_put(out, "\\");
        }
        bndi_long_text_add(out, text + i, 1);
    }
}

/* An expression for all that a module holds. Models of text and images have two names in vLLM and transformers. */
static void put_expression(bndi_long_text *out, const char *module, size_t length)
{
    static const char before[] = "model.language_model.";
    const size_t begin = sizeof before - 1;
    const bool two = length > begin && memcmp(module, before, begin) == 0;
    bndi_long_text_put(out, two ? "re:(model\\.language_model|language_model\\.model)\\." : "re:");
    put_literally(out, module + (two ? begin : 0), length - (two ? begin : 0));
    bndi_long_text_put(out, "\\..*");
}

/* False: no memory. */
static bool put_experts(bnd_lab_json *json, const char *module, size_t length, bnd_layout_family family)
{
    bndi_long_text entry = {0};
    if (family == BND_LAYOUT_COMPRESSED_TENSORS) {
        put_expression(&entry, module, length);
    } else {
        bndi_long_text_add(&entry, module, length);
        bndi_long_text_put(&entry, family == BND_LAYOUT_MODELOPT ? "*" : "");
    }
    const bool memory = !entry.failed;
    if (memory) {
        bnd_lab_json_string_n(json, NULL, entry.bytes, entry.length);
    }
    bndi_long_text_free(&entry);
    return memory;
}

bool bndi_put_ignored(bnd_lab_json *json, const char *key, const bndi_ignored *ignored, bnd_layout_family family)
{
    bool head = ignored->but_head, memory = true;
    const char *last = "";
    size_t last_length = 0;
    bnd_lab_json_array(json, key);
    for (size_t i = 0; i < ignored->count; i++) {
        head = head || bndi_is_head(ignored->names[i]);
        bnd_lab_json_string_n(json, NULL, ignored->names[i], bndi_module_length(ignored->names[i]));
    }
    for (size_t i = 0; i < ignored->expert_count; i++) { /* the arrays of a module follow each other */
        const char *array = ignored->experts[i];
        const size_t length = experts_length(array);
        if (length != last_length || memcmp(array, last, length) != 0) {
            memory = put_experts(json, array, length, family) && memory;
        }
        last = array;
        last_length = length;
    }
    if (!head) { /* a tied output head has no weight of its own, and is a module nevertheless */
        bnd_lab_json_string(json, NULL, "lm_head");
    }
    bnd_lab_json_end(json);
    return memory;
}
