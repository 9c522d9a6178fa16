/* What the files of a checkpoint say about its quantization: `quantization_config` or `compression_config` in
 * config.json, hf_quant_config.json, and `_quantization_metadata` in the metadata of a .safetensors file.
 *
 * Nothing here is checked against the tensors. A key that its loaders do not know, and a value of the wrong kind, are
 * remarks; the rest is read nevertheless. */
#ifndef BINADE_SRC_QUANTIZATION_H
#define BINADE_SRC_QUANTIZATION_H

#include "checkpoint/arena.h"
#include <binade-lab/checkpoint.h>
#include <jansson.h>

/* How numbers are quantized: compressed-tensors' QuantizationArgs. A text that is not given is NULL. */
typedef struct bndi_quantization_args {
    bool given;
    int64_t num_bits;   /* 0: not given */
    int64_t group_size; /* 0: not given, -1: a whole row */
    int64_t block[2];   /* block_structure; 0: not given */
    bool symmetric;
    const char *type, *strategy;
    const char *dynamic; /* "true", "false" or "local" */
    const char *actorder, *scale_dtype, *zp_dtype, *observer;
} bndi_quantization_args;

typedef struct bndi_quantization_group {
    const char *name, *format;
    const char *const *targets;
    size_t target_count;
    bool preset; /* the name is one of compressed-tensors' presets, which says everything but the targets */
    bndi_quantization_args weights, inputs, outputs;
} bndi_quantization_group;

/* A layer that has its own way: ModelOpt's `quantized_layers`, ComfyUI's `layers` and `.comfy_quant`, MLX's objects by
 * the names of modules. */
typedef struct bndi_quantized_layer {
    const char *name, *algorithm;
    int64_t group_size; /* 0: not given */
    int64_t bits;       /* of MLX; 0: not given */
    bool rotated;       /* ComfyUI's convrot: weights are rotated before they are quantized */
} bndi_quantized_layer;

typedef enum bndi_remark_kind {
    BNDI_REMARK_UNKNOWN, /* a key that the loaders do not know */
    BNDI_REMARK_REFUSED, /* the same, and compressed-tensors refuses to load it */
    BNDI_REMARK_VALUE    /* a value of the wrong kind */
} bndi_remark_kind;

typedef struct bndi_remark {
    bndi_remark_kind kind;
    const char *place; /* "quantization_config.config_groups.group_0.weights.nbits" */
    const char *expected;
} bndi_remark;

typedef struct bndi_quantization {
    const char *file, *place; /* "config.json", "quantization_config" */
    bool comfy;               /* it is ComfyUI's, in the metadata */
    const char *quant_method;
    const char *format, *status;
    const char *algorithm, *kv_algorithm; /* quant_algo, kv_cache_quant_algo */
    const char *activation_scheme, *fmt, *scale_fmt, *expert_dtype;
    int64_t weight_block[2];  /* weight_block_size; 0: not given */
    int64_t group_size, bits; /* 0: not given */
    bndi_quantization_args kv_cache;
    const bndi_quantization_group *groups;
    size_t group_count;
    const char *const *ignored; /* ignore, exclude_modules, ignored_layers, modules_to_not_convert */
    size_t ignored_count;
    const bndi_quantized_layer *layers;
    size_t layer_count;
    const bndi_remark *remarks;
    size_t remark_count;
    const json_t *json; /* all of it */
} bndi_quantization;

/* A text that cannot be read. */
typedef struct bndi_bad_text {
    const char *file;
    bnd_error why;
} bndi_bad_text;

enum { BNDI_QUANTIZATIONS = 4 };

typedef struct bndi_quantizations {
    bndi_quantization rows[BNDI_QUANTIZATIONS]; /* the one that loaders read first comes first */
    size_t count;
    bndi_quantization mlx; /* what MLX reads: bits, group_size and layers alone */
    bndi_bad_text bad[BNDI_QUANTIZATIONS];
    size_t bad_count;
    json_t *roots[BNDI_QUANTIZATIONS];
    size_t root_count;
    bndi_arena arena;
} bndi_quantizations;

/* Reads them from the texts of a checkpoint. `out` is all zero before. bndi_quantizations_free releases it, also after
 * a failure, which is BND_NO_MEMORY. */
BND_CHECKED bnd_status bndi_quantizations_read(bndi_quantizations *out, const bnd_checkpoint *checkpoint,
                                               bnd_error *why);
void bndi_quantizations_free(bndi_quantizations *quantizations);

/* Sets `mlx` from the object of config.json, whose texts stay with it. False: no memory. */
bool bndi_read_mlx(bndi_quantizations *all, const json_t *config);

/* Takes the layers of an object, whose values have the algorithm under `key`. False: no memory. */
bool bndi_read_layers(bndi_quantization *q, bndi_arena *arena, json_t *layers, const char *key);

/* The layer of this name, which has no 0 byte; NULL if there is none. */
const bndi_quantized_layer *bndi_find_layer(const bndi_quantization *quantization, const char *name, size_t length);

/* The text of a .comfy_quant tensor, or of a layer in `_quantization_metadata`. Its texts live in the arena. Returns
 * false if it is not JSON of that kind. */
bool bndi_comfy_note(bndi_quantized_layer *out, bndi_arena *arena, const void *bytes, size_t length);

/* The group of a preset of compressed-tensors, "FP8_DYNAMIC", in any case; false if there is none. */
bool bndi_quantization_preset(bndi_quantization_group *out, const char *name);

#endif
