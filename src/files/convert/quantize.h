/* The plan of `quantize`, and what its files share. */
#ifndef BINADE_SRC_CONVERT_QUANTIZE_H
#define BINADE_SRC_CONVERT_QUANTIZE_H

#include "convert/experts.h"
#include "convert/how.h"
#include "convert/quantization_config.h"

/* What a weight takes part in, besides what everyone may know of it. */
typedef struct bndi_weight_work {
    bnd_shape shape;                /* for calls on its block format */
    size_t tensors[BND_PART_COUNT]; /* numbers in the output; SIZE_MAX: it has no such part */
    size_t columns;                 /* elements of a row */
    uint64_t step;                  /* elements of a piece */
    uint64_t first_piece;           /* pieces are numbered through all weights */
    uint64_t first_element;         /* so are elements, for random bits */
    const bnd_format *to;           /* of values that are decoded or cast */
    bool experts;                   /* experts of one array: all of them, or a linear layer of one */
    bool half;                      /* an array of experts that stays, while its partner is quantized */
    bool gathered;                  /* its elements are those of `view` */
    bndi_expert_view view;
    bool turned;            /* it is decoded, and the last two axes change places */
    uint64_t dimensions[3]; /* the shape of experts */
} bndi_weight_work;

/* Memory of a piece: elements, and bytes of codes or values and of scales. */
typedef struct bndi_piece_size {
    size_t elements, codes, scales, gathered;
} bndi_piece_size;

enum { BNDI_PLAN_TEXTS = 2 };

struct bnd_quantize_plan {
    const bnd_checkpoint *in;
    bndi_how how;
    bndi_model_config config;
    bnd_rule rounding;
    uint64_t seed, shard_size;
    bool allow_nonfinite;
    bnd_context context;
    bnd_planned_weight *weights;
    bndi_weight_work *work;
    size_t count;
    uint64_t pieces;
    bndi_piece_size largest; /* the most of each that a piece needs */
    bnd_planned *tensors;
    size_t tensor_count;
    char *names;      /* of tensors, one after the other */
    char *layers;     /* names of linear layers of experts, the same */
    uint64_t *shapes; /* the same */
    bnd_plan_totals totals;
    bnd_planned_kind *kinds;
    size_t kind_count;
    bndi_long_text texts[BNDI_PLAN_TEXTS]; /* config.json, hf_quant_config.json */
    bndi_long_text quantization_config;
};

/* Do quantized weights have scales of the whole tensor? They are found before the rest. */
static inline bool bndi_has_tensor_scales(const bnd_quantize_plan *plan)
{
    return !plan->how.dequantizes && (plan->how.block.tensor || plan->how.block.sharing == BND_SHARE_TENSOR);
}

/* ---- units.c: what the output's weights are ---- */

/* Makes plan->weights and plan->work: one for each weight of the input, or several for an array of experts. */
BND_CHECKED bnd_status bndi_make_units(bnd_quantize_plan *plan, const bnd_quantize *asked, bnd_error *why);

/* ---- inputs.c: static input scales ---- */

/* Which kinds of static input scales the weights of a checkpoint have. */
bndi_inputs bndi_inputs_of(const bnd_checkpoint *checkpoint);

/* The dtype of a weight's input scale in the output: the same, if it is one of these words. */
const char *bndi_input_dtype(const bnd_stored_weight *weight, const char *dtypes);

/* Decides whether static input scales are carried over: all quantized weights need one, or none has one. */
BND_CHECKED bnd_status bndi_settle_inputs(bnd_quantize_plan *plan, const bnd_quantize *asked, bnd_error *why);

/* ---- choose.c: which weights are quantized ---- */

/* Does a pattern match a weight or its module? */
bool bndi_matches(const char *const *patterns, size_t count, const char *weight);

/* A format that is copied and gathered: fp32, bf16, fp16. */
bool bndi_is_plain(const bnd_format *f);

/* Fills in plan->weights. */
BND_CHECKED bnd_status bndi_choose(bnd_quantize_plan *plan, const bnd_quantize *asked, bnd_error *why);

/* Fills in the groups of weights with a shared tensor scale. `refuses`: a group of which a part stays is a failure. */
BND_CHECKED bnd_status bndi_group(bnd_quantize_plan *plan, bool refuses, bnd_error *why);

/* The format that scales of 16 and 32 bits are stored in, where they follow the weight. */
const bnd_format *bndi_scale_format_of(const bnd_quantize_plan *plan, const bnd_stored_weight *weight);

/* ---- tensors.c: names, dtypes and shapes of the output ---- */

BND_CHECKED bnd_status bndi_plan_tensors(bnd_quantize_plan *plan, bnd_error *why);

/* The shape of some rows of a weight for calls on its block format. */
bnd_shape bndi_shape_of_rows(const bnd_block *block, size_t rows, size_t columns);

/* ---- pieces.c: the work on a piece ---- */

/* The work on a plan. Parts of it run on several threads: each takes the next piece until there are no more. */
typedef struct bndi_quantizing {
    const bnd_quantize_plan *plan;
    bnd_checkpoint_writer *writer;
    const bnd_watch *watch;
    size_t workers;
    uint32_t *amax;       /* of each weight, bits of a float */
    float *factors;       /* the tensor scale of each weight, as a factor */
    bool measures;        /* amax is looked for; otherwise the output is written */
    uint64_t next;        /* piece; these are shared */
    uint64_t done, total; /* bytes */
    uint32_t stopped;
    struct bndi_outcome {
        uint64_t piece; /* which failed; UINT64_MAX: none */
        bnd_status status;
        bnd_error why;
    } * outcomes; /* of each worker */
} bndi_quantizing;

/* The memory of a worker. */
typedef struct bndi_piece_memory {
    float *x;
    unsigned char *codes, *scales, *gathered;
} bndi_piece_memory;

/* Works on a piece: finds its largest magnitude, or writes it. */
BND_CHECKED bnd_status bndi_do_piece(bndi_quantizing *job, uint64_t piece, const bndi_piece_memory *memory,
                                     bnd_error *why);

/* ---- tensor_scales.c ---- */

/* From amax of each weight its tensor scale, shared in groups: fills in factors, and writes what is stored. */
BND_CHECKED bnd_status bndi_tensor_scales(bndi_quantizing *job, bnd_error *why);

/* Writes static input scales, where they are carried over. A factor becomes a divisor, and back, with one rounding to
 * fp32. */
BND_CHECKED bnd_status bndi_write_inputs(bndi_quantizing *job, bnd_error *why);

/* ---- side_files.c ---- */

/* The files next to the tensors, and the texts of the metadata. */
typedef struct bndi_around {
    bnd_side_file *side;
    char **paths; /* of copied files */
    size_t side_count;
    bnd_safetensors_pair pairs[16];
    size_t pair_count;
    char seed[24], rounding[24];
} bndi_around;

BND_CHECKED bnd_status bndi_plan_around(bndi_around *out, const bnd_quantize_plan *plan, const char *path,
                                        bnd_error *why);
void bndi_free_around(bndi_around *around);

/* ---- plan_kinds.c ---- */

/* Sums the weights of each kind, when all weights are planned. */
BND_CHECKED bnd_status bndi_plan_kinds(bnd_quantize_plan *plan, bnd_error *why);

/* ---- texts.c: config.json and its like ---- */

BND_CHECKED bnd_status bndi_plan_texts(bnd_quantize_plan *plan, bnd_error *why);

#endif
