/* Operations: the row of each, and a call of one in the forward and backward pass.
 *
 * A buffer is memory with a role; its bytes are counted from allocation to release, and views share it. A handle
 * (bnd_tensor) is a buffer, a format, a shape, strides and an offset. A walk is a handle as a shape broadcasts it, with
 * axes joined where memory allows. Readers deliver its numbers 2,048 at a time in fp32 or fp64, in place if they are
 * stored in that format already. So no operation depends on a format or a stride.
 *
 * The backward pass visits nodes from the newest to the oldest, calls each row's `backward` for the gradients that are
 * wanted, and adds them to nodes and leaves; it is checked before anything is written. A node holds the nodes of its
 * operands and is held by its result, so memory that no gradient can reach is freed immediately. What the backward pass
 * keeps is counted by one walk over the tape: an operand of a matrix product in its own format, where that is narrower.
 *
 * Roles decide formats. Every result has a role, and the policy gives the format, the rounding rule and the shared
 * scales of that role. Without a setting for its role, a result has the format of its operands, where a parameter
 * counts as fp32. Parameters without a setting are kept in fp32.
 *
 * Scales. Operands get a scaled copy in fp32, in blocks along the summed axis. A delayed scale follows from earlier
 * steps; a cast is identified by its role and by its number in the step, so that a recomputed segment finds the same
 * scale. States that share scales (parameters, masters, gradients, moments) are a buffer of codes and a buffer of
 * scales. Any view reads them as fp32. They are written as a whole: decoded to fp32 ("thawed"), updated, and encoded
 * again ("frozen").
 *
 * A stochastic cast has its own random stream, derived from the step and from its number in the step. A recomputed
 * segment (bnd_tensor_checkpoint) counts from the same number again, and so gets the same bits. */
#ifndef BINADE_SRC_TENSOR_OPERATION_H
#define BINADE_SRC_TENSOR_OPERATION_H

#include "bulk/bulk.h"
#include "tensor/handle.h"

enum { BNDI_OPERANDS = 4, BNDI_OUT = BNDI_OPERANDS, BNDI_SAVED }; /* saved: the operands, and the result */

/* Of `saves` in a row: what the backward pass needs. */
enum { BNDI_SAVE_A = 1, BNDI_SAVE_B = 2, BNDI_SAVE_C = 4, BNDI_SAVE_OUT = 1 << BNDI_OUT };

/* How a view came from its operand. */
typedef struct bndi_view {
    enum { BNDI_PERMUTED, BNDI_RESHAPED, BNDI_SLICED, BNDI_BROADCAST } kind;
    size_t axis, first; /* of a slice */
    ptrdiff_t step;
    size_t from[BND_TENSOR_RANK_MAX]; /* of a permutation: axis i is the operand's axis from[i] */
} bndi_view;

/* An operation on its way forward, and (with what was saved) back. */
typedef struct bndi_call {
    const struct bndi_row *row;
    bnd_tensor_operation operation;
    bnd_engine *engine;
    bnd_role role; /* of the result */
    bnd_attributes attributes;
    bnd_format cast_format; /* where attributes.format points */
    bndi_view view;         /* of BND_TENSOR_OP_VIEW */
    bnd_segment *segment;   /* of a checkpoint, with its data, and the casts that were made before it */
    void *data;
    uint64_t casts;
    unsigned place; /* of the engine, for the statistics of the backward pass */
    unsigned count;
    bndi_width work;
    bndi_shape in_shape[BNDI_OPERANDS], shape; /* of the operands and the result */
    bnd_format in_format[BNDI_OPERANDS];
    bnd_tensor *saved[BNDI_SAVED]; /* forward: the operands and the result; backward: those of row->saves */
    bndi_buffer *kept;             /* what its backward pass needs in addition to tensors; counted as activations */
} bndi_call;

typedef struct bndi_edge {
    bndi_node *node;  /* where an operand came from */
    bnd_tensor *leaf; /* or the leaf that it is; both NULL: no gradient is wanted */
} bndi_edge;

/* The gradient of operand i: NULL where none is wanted. The row fills out[i] for each i that wanted[i] says;
 * references go over to the caller. */
typedef struct bndi_gradients {
    bool wanted[BNDI_OPERANDS];
    bnd_role role[BNDI_OPERANDS]; /* grad where the operand is a leaf, else dact */
    bnd_tensor *out[BNDI_OPERANDS];
    const bndi_edge *edges; /* where they go: for checkpoints, which deliver them there themselves */
} bndi_gradients;

/* A row of operations.c. */
typedef struct bndi_row {
    const char *name;
    unsigned least, most; /* operands */
    bool careful;         /* its result has the role `careful`, not act */
    bool product;         /* its result has the role gemm_fwd.y */
    unsigned indices;     /* a bit an operand: of numbers that count, whose format is nothing to the result */
    unsigned saves;
    /* The shape of the result: refused where operands do not go together. NULL: they broadcast. */
    bnd_status (*shape)(bndi_call *c, bnd_error *why);
    bnd_status (*forward)(bndi_call *c, bnd_error *why);
    /* NULL: no gradient goes through. `d` is that of the result, of its shape, in any format and strides. */
    bnd_status (*backward)(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why);
    uint64_t (*flops)(const bndi_call *c); /* NULL: one a result */
    const void *kernels;                   /* what forward and backward of several rows share */
} bndi_row;

/* The rows, by their files. */
extern const bndi_row bndi_view_row, bndi_checkpoint_row, bndi_copy_row, bndi_cast_row, bndi_sum_row, bndi_mean_row,
    bndi_layer_norm_row, bndi_rms_norm_row, bndi_embedding_row, bndi_cross_entropy_row, bndi_triu_row, bndi_tril_row,
    bndi_masked_row, bndi_dropout_row, bndi_matmul_row, bndi_linear_row, bndi_rope_row;
extern const bndi_row bndi_row_rows[BND_TENSOR_OP_COUNT];         /* by operation, as below */
extern const bndi_row bndi_elementwise_rows[BND_TENSOR_OP_COUNT]; /* by operation; the others have no name */

/* The FLOPs of what only moves numbers, or counts for itself. */
static inline uint64_t bndi_no_flops(const bndi_call *c)
{
    (void)c;
    return 0;
}

const bndi_row *bndi_row_of(bnd_tensor_operation operation); /* NULL if there is none */

/* The operation without the tape, its result for a role; *out is held, not owed. */
BND_CHECKED bnd_status bndi_do(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in, unsigned count,
                               const bnd_attributes *attributes, bnd_role role, bnd_error *why);

/* bnd_tensor_apply, with a result of this role; BND_ROLE_COUNT: of the row's. */
BND_CHECKED bnd_status bndi_apply_as(bnd_tensor **out, bnd_tensor_operation operation, bnd_tensor *const *in,
                                     size_t count, const bnd_attributes *attributes, bnd_role role, bnd_error *why);

#endif
