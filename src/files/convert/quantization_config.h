/* What configs say of a quantized model. */
#ifndef BINADE_SRC_CONVERT_QUANTIZATION_CONFIG_H
#define BINADE_SRC_CONVERT_QUANTIZATION_CONFIG_H

#include "convert/how.h"
#include "convert/text.h"
#include "store/json_writer.h"

/* What configs list as not quantized: modules of the class Linear, and modules that hold arrays of experts. */
typedef struct bndi_ignored {
    const char *const *names; /* of weights */
    size_t count;
    bool but_head;              /* the output head is quantized */
    const char *const *experts; /* arrays: the module that holds them is listed with all below it */
    size_t expert_count;
} bndi_ignored;

/* Puts them into a list, in the words of a family. False: no memory. */
bool bndi_put_ignored(bnd_lab_json *json, const char *key, const bndi_ignored *ignored, bnd_layout_family family);

/* Is it the weight of the output head? */
bool bndi_is_head(const char *weight);

/* What a config says of some weights; the names matter only where there are several schemes. */
typedef struct bndi_scheme {
    const bndi_how *how;
    const char *const *names;
    size_t count;
} bndi_scheme;
typedef struct bndi_schemes {
    const bndi_scheme *at;
    size_t count;
    bool kv_fp8; /* the KV cache is e4m3 with static scales of tensors: families whose configs can say so */
} bndi_schemes;

/* What the configs of a checkpoint say of the KV cache. */
typedef enum bndi_kv_cache {
    BNDI_KV_NOTHING, /* it is not quantized */
    BNDI_KV_FP8,     /* e4m3, one static scale for keys and one for values of a layer */
    BNDI_KV_OTHER
} bndi_kv_cache;
bndi_kv_cache bndi_kv_cache_of(const bnd_checkpoint *checkpoint);

/* quantization_config of config.json, as JSON on one line. */
void bndi_quantization_config(bndi_long_text *out, const bndi_schemes *schemes, const bndi_ignored *ignored);

/* Can a config of this family say that some weights are in one scheme and others in this one? */
bool bndi_can_be_mixed(const bndi_how *how);

/* The text of `_quantization_metadata` in ComfyUI's files. `quantized`: names of weights that are. */
void bndi_comfy_metadata(bndi_long_text *out, const bndi_how *how, const bndi_ignored *quantized);

/* hf_quant_config.json of ModelOpt; false if the layout has no such file. */
bool bndi_hf_quant_config(bndi_long_text *out, const bndi_schemes *schemes, const bndi_ignored *ignored);

#endif
