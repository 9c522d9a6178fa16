/* What configs say of a quantized model. */
#ifndef BINADE_SRC_CONVERT_QUANTIZATION_CONFIG_H
#define BINADE_SRC_CONVERT_QUANTIZATION_CONFIG_H

#include "convert/how.h"
#include "convert/text.h"

/* Modules of the class Linear that are not quantized, as configs list them. */
typedef struct bndi_ignored {
    const char *const *names; /* of weights */
    size_t count;
} bndi_ignored;

/* quantization_config of config.json, as JSON on one line. */
void bndi_quantization_config(bndi_long_text *out, const bndi_how *how, const bndi_ignored *ignored);

/* The text of `_quantization_metadata` in ComfyUI's files. `quantized`: names of weights that are. */
void bndi_comfy_metadata(bndi_long_text *out, const bndi_how *how, const bndi_ignored *quantized);

/* hf_quant_config.json of ModelOpt; false if the layout has no such file. */
bool bndi_hf_quant_config(bndi_long_text *out, const bndi_how *how, const bndi_ignored *ignored);

#endif
