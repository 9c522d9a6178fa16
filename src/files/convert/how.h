/* What `quantize` was asked for, with every default filled in; and what a model's config.json says of it. */
#ifndef BINADE_SRC_CONVERT_HOW_H
#define BINADE_SRC_CONVERT_HOW_H

#include <binade-lab/convert.h>

/* ---- model_config.c ---- */

enum { BNDI_WORD = 64 };

/* What config.json says; "" and false where it says nothing. */
typedef struct bndi_model_config {
    char model_type[BNDI_WORD], dtype[BNDI_WORD]; /* dtype: "bfloat16" */
    bool tied;                                    /* the output head is the embedding */
    bool quantized;                               /* it has a quantization_config */
} bndi_model_config;

BND_CHECKED bnd_status bndi_read_model_config(bndi_model_config *out, const char *text, size_t length, bnd_error *why);

/* ---- how.c ---- */

/* A row of writes.def. */
typedef struct bndi_written {
    const char *layout, *dynamic, *weights, *with_inputs, *rule, *scales;
} bndi_written;

/* Kinds of static input scales. They are of one kind if they mean the same: amax / 448 for E4M3, amax / (6 448) for
 * NVFP4, or its reciprocal. */
typedef enum bndi_inputs { BNDI_INPUTS_NONE = 0, BNDI_INPUTS_E4M3 = 1, BNDI_INPUTS_NVFP4 = 2 } bndi_inputs;

/* The static scale of a weight's input; NULL: it has none, or the weight is not quantized. */
const bnd_stored_tensor *bndi_input_of(const bnd_stored_weight *weight);

/* The kind that inputs of this layout have; 0 if they have none. */
bndi_inputs bndi_inputs_kind(const bnd_layout *layout, const bnd_block *block);

typedef struct bndi_how {
    bool dequantizes;
    bnd_format to;            /* if it dequantizes */
    const bnd_layout *layout; /* if it does not */
    const bndi_written *written;
    const char *word; /* what the config calls it */
    bnd_block block;
    bool scales_as_weight; /* scales have the format of the weight that they belong to */
    bool dynamic;          /* activations */
    bool with_inputs;      /* activations have static scales */
    bool shares;           /* fused weights share their tensor scales */
    const char *rule;
} bndi_how;

/* The word of a config for weights with static input scales or without, as relayout writes them; "": it has none. */
const char *bndi_written_word(const bndi_written *row, bool with_inputs);

/* The row of writes.def of a layout; NULL: it is not written. */
const bndi_written *bndi_written_row(const bnd_layout *layout);

/* Scales are stored in another format of 16 or 32 bits. */
void bndi_set_scale_format(bnd_block *block, const bnd_format *format);

/* On failure: BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT, with what is available. */
BND_CHECKED bnd_status bndi_settle_how(bndi_how *out, const bnd_quantize *asked, bndi_inputs inputs, bnd_error *why);

/* Activations alone, once more: static where the option is not against it, the layout has input scales and `inputs`
 * are of their kind. */
BND_CHECKED bnd_status bndi_settle_activations(bndi_how *out, const char *asked, bndi_inputs inputs, bnd_error *why);

#endif
