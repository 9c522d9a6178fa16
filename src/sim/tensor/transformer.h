/* What the options of a transformer's blocks mean: shapes and operations, for models that run (train/) and for their
 * memory on paper (cost/). */
#ifndef BINADE_SRC_TENSOR_TRANSFORMER_H
#define BINADE_SRC_TENSOR_TRANSFORMER_H

#include <binade-lab/tensor.h>

/* The tensors of a block, in the order in which they are parameters. */
typedef enum bndi_block_part {
    BNDI_NORM1,
    BNDI_Q, /* joined: queries, keys and values */
    BNDI_K,
    BNDI_V,
    BNDI_NORM_Q,
    BNDI_NORM_K,
    BNDI_PROJECTION,
    BNDI_NORM2,
    BNDI_GATE,
    BNDI_MLP_UP,
    BNDI_MLP_DOWN,
    BNDI_PARTS
} bndi_block_part;

typedef struct bndi_blocks {
    bool centred;   /* layer norms; else RMS norms */
    bool learned;   /* a table of positions */
    bool rotated;   /* RoPE */
    bool gated;     /* the MLP has a third matrix */
    bool biased;    /* products and layer norms add a bias */
    bool normed;    /* queries and keys have norms */
    bool separate;  /* queries, keys and values are three products */
    bool by_inputs; /* weights are (inputs, outputs) */
    bool unit;      /* static factors behind products, norms at the end of branches */
    bool rooted;    /* the square root of softmax */
    bnd_tensor_operation activation;
    size_t width, heads, kv_heads, head, inner, positions; /* head: the width of one */
    double epsilon, theta, tau;
    double scaling[3]; /* of rope: the factor (0: none), the wavelengths above and below which it holds fully and not */
} bndi_blocks;

/* A model whose blocks have options. */
bool bndi_has_blocks(const char *model);

/* On failure: BND_BAD_NAME or BND_BAD_ARGUMENT; the message names the option. */
BND_CHECKED bnd_status bndi_blocks_of(bndi_blocks *out, const char *model, const bnd_transformer *options, size_t width,
                                      size_t heads, size_t context, bnd_error *why);

/* The shape of a part: of a norm there are `outputs` numbers and no inputs. False: the blocks have no such part. */
bool bndi_block_part_shape(size_t *outputs, size_t *inputs, const bndi_blocks *b, bndi_block_part part);
bool bndi_block_part_has_bias(const bndi_blocks *b, bndi_block_part part);
size_t bndi_block_part_tensors(const bndi_blocks *b, bndi_block_part part); /* 0, 1, or 2 with a bias */

/* How Adam-mini divides a parameter into blocks, by its outputs: the first `grouped` of them in groups of `group`, each
 * of the others alone. All zero: each output is a block. Heads of queries and keys are blocks, and the gain of a norm
 * is one. */
typedef struct bndi_partition {
    size_t grouped, group;
    bool by_columns; /* outputs are columns, not rows */
} bndi_partition;
bndi_partition bndi_block_part_partition(const bndi_blocks *b, bndi_block_part part);
size_t bndi_partition_blocks(const bndi_partition *p, size_t outputs);

static inline size_t bndi_partition_block(const bndi_partition *p, size_t output)
{
    return output < p->grouped ? output / p->group : (p->grouped > 0 ? p->grouped / p->group : 0) + output - p->grouped;
}

#endif
