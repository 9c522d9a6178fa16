/* Layer 8: checkpoints in other formats and layouts. The input is any checkpoint that bnd_checkpoint_new opens; the
 * output is .safetensors. */
#ifndef BINADE_CONVERT_H
#define BINADE_CONVERT_H

#include <binade-lab/checkpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- quantizing: what is wanted ---- */

/* NULL and 0 are the defaults. */
typedef struct bnd_quantize {
    const char *to;           /* e4m3, e5m2, nvfp4, mxfp4, mxfp8, int8; or bf16, fp16, fp32, which dequantize */
    const char *layout;       /* a family, compressed-tensors by default; or fp8-block: fp8 with tiles of 128 x 128 */
    const char *scale;        /* what shares a scale: tensor, row, tile:128x128, mx, nvfp4; by default by `to` */
    const char *rule;         /* of scales: amax, mse, 4/6, floor, ceil, even, rceil, ct; by default the layout's own */
    const char *scale_format; /* fp32, bf16, fp16: of scales that are not of 8 bits; by default the layout's own */
    const char *activations;  /* what the config asks for at run time: none, dynamic, or static: input scales of the
                                 input. By default static where the layout has them and all weights do; else by `to` */
    const char *const *keep;  /* globs (* and ?) of weights or modules that stay as they are;
                                 one that matches no weight is refused, also in `also`; in `also` one that matches
                                 nothing but integers, too */
    size_t keeps;             /* patterns in `keep` */
    const char *const *also;  /* globs of matrices that are quantized although they stay by default */
    size_t alsos;             /* patterns in `also` */
    bool unfused;             /* weights of a fused layer have tensor scales of their own */
    bool allow_nonfinite;     /* not a failure: a NaN or an infinity, which makes the scale that it is under a NaN; and
                                 a number that overflows to infinity in bf16, fp16 or fp32 */
    bnd_rule rounding;        /* of elements; in formats of blocks what overflows is saturated */
    uint64_t seed;            /* of stochastic rounding */
    uint64_t shard_size;      /* as in bnd_checkpoint_plan; 0: one file if the input or the output is one, else
                                 files of 5 GB */
    const bnd_context *context; /* NULL: one thread */
} bnd_quantize;

/* ---- the plan ---- */

typedef enum bnd_conversion {
    BND_STAYS,     /* its bytes are copied */
    BND_DECODED,   /* it was quantized: its values in `dtype` */
    BND_CAST,      /* its values, rounded to `dtype` */
    BND_QUANTIZED, /* codes with scales */
    BND_CONVERSIONS
} bnd_conversion;

/* Returns: "stays", "decoded", "cast", "quantized"; "" for another number. */
const char *bnd_conversion_name(bnd_conversion conversion);

/* A weight of the input, and what it is in the output; or one of the linear layers that an array of experts becomes:
 * then they all have the same `weight`. */
typedef struct bnd_planned_weight {
    const bnd_stored_weight *weight;
    const char *name; /* in the output, as an unquantized checkpoint calls it */
    size_t rank;
    const uint64_t *shape; /* in the output; experts of one array are [E, out, in] if they are quantized, and
                              [E, in, out] if they were blocks of gpt-oss and are decoded */
    uint64_t count;        /* elements */
    bnd_conversion conversion;
    const char *reason;           /* for programs: "linear", "kept", "embedding", "head", "router", "vector" ... */
    const char *because;          /* for people, a few words */
    const char *dtype;            /* of its values or codes in the output */
    bnd_block block;              /* if it is quantized */
    size_t group;                 /* weights of one group have one tensor scale; SIZE_MAX: it is alone */
    uint64_t bytes_in, bytes_out; /* with scales */
} bnd_planned_weight;

/* Returns: what a weight is in the output: a format of blocks, "nvfp4", or a dtype. */
const char *bnd_planned_to(const bnd_planned_weight *weight);

/* Weights that are stored alike and become the same for the same reason. */
typedef struct bnd_planned_kind {
    const bnd_planned_weight *first;                 /* of them */
    uint64_t weights, elements, bytes_in, bytes_out; /* sums */
} bnd_planned_kind;

typedef struct bnd_plan_totals {
    uint64_t parameters;             /* elements of float weights */
    uint64_t quantized;              /* those of them that are quantized in the output */
    uint64_t bytes_in, bytes_out;    /* of tensors */
    uint64_t memory;                 /* bytes that the work needs in addition to mapped files, at most */
    uint64_t work;                   /* what bnd_watch counts to */
    size_t weights[BND_CONVERSIONS]; /* how many there are of each kind */
    size_t groups;                   /* weights with a shared tensor scale count once */
    size_t inputs, inputs_kept;      /* weights of the input with static input scales; those that have them still */
} bnd_plan_totals;

typedef struct bnd_quantize_plan bnd_quantize_plan;

/* Decides for each weight whether it is quantized, decoded or stays. Reads names, shapes and the config; no data.
 * Arguments: `checkpoint` is used until the plan is freed. `how` is copied; its texts are not needed afterwards.
 * On failure: BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT: the layout cannot hold the format, a weight cannot be
 *     decoded, its width is not a multiple of the block, static input scales are asked for or needed and a quantized
 *     weight has none, a part of an array of experts would stay, nothing would be quantized; BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_quantize_plan_new(bnd_quantize_plan **out, const bnd_checkpoint *checkpoint,
                                             const bnd_quantize *how, bnd_error *why);

/* NULL does nothing. */
void bnd_quantize_plan_free(bnd_quantize_plan *plan);

/* Returns: the number of weights; one of them, in the order of the input; NULL if there is none. */
size_t bnd_quantize_plan_count(const bnd_quantize_plan *plan);
const bnd_planned_weight *bnd_quantize_plan_at(const bnd_quantize_plan *plan, size_t index);

/* Returns: the number of kinds of weights; one of them, in the order of their first weights; NULL if there is none. */
size_t bnd_quantize_plan_kinds(const bnd_quantize_plan *plan);
const bnd_planned_kind *bnd_quantize_plan_kind_at(const bnd_quantize_plan *plan, size_t index);

/* Returns: sums over all weights. */
bnd_plan_totals bnd_quantize_plan_totals(const bnd_quantize_plan *plan);

/* Returns: the row of layouts.def that quantized weights are written in; NULL if none are. */
const bnd_layout *bnd_quantize_plan_layout(const bnd_quantize_plan *plan);

/* Returns: the rule of scales, "amax", and the format that scales are stored in, "bf16"; "" if nothing is quantized. */
const char *bnd_quantize_plan_rule(const bnd_quantize_plan *plan);
const char *bnd_quantize_plan_scale_format(const bnd_quantize_plan *plan);

/* Returns: the text of config.json, or of another file of JSON, as it will be written; NULL if it is not. */
const char *bnd_quantize_plan_text(const bnd_quantize_plan *plan, const char *file_name, size_t *length);

/* ---- the work ---- */

/* Writes the output of a plan: with `path` as in bnd_checkpoint_writer_new. Other files of the input's folder, such as
 * the tokenizer's, are copied; files of weights in other formats are not. The bits do not depend on the number of
 * threads.
 * On failure: nothing is left behind. BND_BAD_ARGUMENT: `path` is in the input, or a weight that is not copied has a
 *     NaN or an infinity or overflows to one, or a static input scale is not a positive number with a reciprocal (the
 *     message names it); BND_BAD_STREAM; BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_checkpoint_quantize(const bnd_quantize_plan *plan, const char *path, bool durable,
                                               const bnd_watch *watch, bnd_error *why);

/* Writes a line of the answer in words: "weights: 11 quantized, 6 stay as they are", the layout, scales, bytes, and
 * where the output is.
 * Arguments: at most `size` bytes are written, with a final 0 byte. `label` (out, or NULL): the length of the line's
 *     first part, "weights:"; a blank follows. `path`: the output, or NULL: nothing was written. `line`: from 0 on.
 * Returns: the length of the whole line, as snprintf; 0, with an empty text: there are no more lines. */
size_t bnd_quantize_plan_print_line(char *out, size_t size, size_t *label, const bnd_quantize_plan *plan,
                                    const char *path, size_t line);

/* ---- another layout of the same codes ---- */

typedef struct bnd_relayout {
    const char *layout;         /* a family: compressed-tensors, fp8, modelopt; or the one that the input came from */
    uint64_t shard_size;        /* as in bnd_checkpoint_plan */
    const bnd_context *context; /* NULL: one thread */
    bnd_watch watch;
} bnd_relayout;

typedef struct bnd_relayout_result {
    const bnd_layout *from, *to; /* of the first weight that was laid out anew */
    size_t weights;              /* that were laid out anew */
    size_t scales_cast;          /* tensors of scales in another format, exactly */
    size_t seconds;              /* tensor scales that are stored as reciprocals now */
    size_t seconds_moved;        /* those of them for which the reciprocal of the reciprocal is another number */
    size_t inputs;               /* static scales of inputs */
    size_t inputs_inverted;      /* those of them that are stored as reciprocals now */
    size_t inputs_moved;         /* those of these for which the reciprocal of the reciprocal is another number */
    bool restored;               /* the input had been laid out anew from this family; names, dtypes, configs and
                                    metadata are again as they were */
} bnd_relayout_result;

/* Writes a checkpoint with other names, shapes, packing and reciprocals. Codes are the same numbers, in the same order
 * of tensors. What the other layout cannot hold is kept in the metadata (keys "binade.relayout..."), so that a relayout
 * to the first layout gives the same tensors, configs and metadata.
 * Arguments: `path` as in bnd_checkpoint_writer_new.
 * On failure: nothing is left behind. BND_BAD_NAME: the layout does not exist; BND_BAD_ARGUMENT: `path` is in the
 *     input, or the layout cannot hold a weight (the message names it and says what is available); BND_BAD_STREAM;
 *     BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_checkpoint_relayout(bnd_relayout_result *out, const bnd_checkpoint *in, const char *path,
                                               const bnd_relayout *how, bool durable, bnd_error *why);

/* Compares the static input scales of two checkpoints, weight by weight of `a`. Two are the same if they are the same
 * number; or, where one checkpoint has divisors and the other factors, if each is the reciprocal of the other, rounded
 * to fp32. A weight that has a scale in one of them only counts, too.
 * Returns: how many there are. Arguments: `same` (out): how many of them are the same. */
size_t bnd_relayout_compare_inputs(size_t *same, const bnd_checkpoint *a, const bnd_checkpoint *b);

/* The values of both checkpoints, compared: by bnd_diff_new and by bnd_relayout_compare_inputs. */
typedef struct bnd_relayout_compared {
    size_t weights, weights_same; /* how many; how many of them decode to the same values */
    size_t inputs, inputs_same;   /* the same of static input scales */
} bnd_relayout_compared;

/* Writes a line of the answer in words: "11 weights: modelopt/nvfp4 -> compressed-tensors/nvfp4, written to OUT", and
 * whether the values are the same.
 * Arguments: at most `size` bytes are written, with a final 0 byte. `path`: the output. `compared`: NULL if values were
 *     not compared. `line`: from 0 on.
 * Returns: the length of the whole line, as snprintf; 0, with an empty text: there are no more lines. */
size_t bnd_relayout_print_line(char *out, size_t size, const bnd_relayout_result *result, const char *path,
                               const bnd_relayout_compared *compared, size_t line);

/* ---- what relayout changed ---- */

typedef enum bnd_relaid_change {
    BND_RELAID_RENAMED,
    BND_RELAID_RESHAPED,
    BND_RELAID_CAST,      /* the same numbers in another format */
    BND_RELAID_RETYPED,   /* the same bytes under another dtype */
    BND_RELAID_REORDERED, /* the two codes of a byte changed places, or scales are in another order */
    BND_RELAID_INVERTED,  /* a factor became a divisor, or a divisor a factor */
    BND_RELAID_CHANGES    /* how many there are */
} bnd_relaid_change;

/* Returns: "renamed", "reshaped" ...; "" for another number. */
const char *bnd_relaid_change_name(bnd_relaid_change change);

/* A tensor of a quantized weight, in input and output. */
typedef struct bnd_relaid_tensor {
    const bnd_stored_weight *weight; /* in the input */
    bnd_part part;                   /* in the input */
    const bnd_stored_tensor *from, *to;
    unsigned changes;             /* bit c: bnd_relaid_change c */
    bool is_reciprocal;           /* it is inverted, and both numbers are positive: the members below are set */
    float number_from, number_to; /* in the input and in the output */
    float number_back;            /* 1 / number_to, rounded to fp32: what a loader or a relayout back computes */
    uint64_t ulps;                /* from number_from to number_back */
} bnd_relaid_tensor;

typedef struct bnd_relayout_changes bnd_relayout_changes;

/* Compares the tensors of a checkpoint and of the one that relayout made of it: their names, dtypes and shapes; of the
 * data only numbers that are inverted.
 * Arguments: `in` and `after` are used until the result is freed.
 * On failure: BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_relayout_changes_new(bnd_relayout_changes **out, const bnd_checkpoint *in,
                                                const bnd_checkpoint *after, bnd_error *why);

/* NULL does nothing. */
void bnd_relayout_changes_free(bnd_relayout_changes *changes);

/* Returns: the number of tensors; one of them, in the order of the weights of the input; NULL if there is none. */
size_t bnd_relayout_changes_count(const bnd_relayout_changes *changes);
const bnd_relaid_tensor *bnd_relayout_changes_at(const bnd_relayout_changes *changes, size_t index);

/* Returns: the number of tensors with a change; for BND_RELAID_CHANGES of those with none. */
size_t bnd_relayout_changes_with(const bnd_relayout_changes *changes, bnd_relaid_change change);

/* Returns: a text of the metadata that a relayout back needs, by the order of keys; NULL if there are fewer. */
const bnd_safetensors_pair *bnd_relayout_kept_at(const bnd_checkpoint *checkpoint, size_t index);

#ifdef __cplusplus
}
#endif
#endif
