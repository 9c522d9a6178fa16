/* Handles: the contents of a bnd_tensor, and its reference counts. */
#ifndef BINADE_SRC_TENSOR_HANDLE_H
#define BINADE_SRC_TENSOR_HANDLE_H

#include "tensor/buffer.h"
#include "tensor/shape.h"

typedef struct bndi_node bndi_node;

struct bnd_tensor {
    size_t references, owed; /* all, and those that the caller has to give back */
    bnd_engine *engine;
    uint64_t serial;
    bnd_tensor *previous, *next; /* in the engine's list, by serial */
    bndi_buffer *buffer;
    bnd_format format;
    bndi_shape shape;
    ptrdiff_t stride[BND_TENSOR_RANK_MAX]; /* in elements */
    size_t offset;
    bool wants_gradient;
    bnd_tensor *gradient; /* of a leaf */
    bndi_node *made_by;   /* NULL: a leaf */
};

/* A row-major tensor with storage of its own; what is in it is not set. */
BND_CHECKED bnd_status bndi_tensor_make(bnd_tensor **out, bnd_engine *engine, const bnd_format *f,
                                        const bndi_shape *shape, bnd_role role, bool zeros, bnd_error *why);

/* A row-major tensor over this storage. It takes over the reference, which is released on failure. */
BND_CHECKED bnd_status bndi_tensor_over(bnd_tensor **out, bndi_buffer *buffer, const bnd_format *f,
                                        const bndi_shape *shape, bnd_error *why);

/* A handle on the storage of `base`, on no tape. */
BND_CHECKED bnd_status bndi_view_make(bnd_tensor **out, const bnd_tensor *base, const bndi_shape *shape,
                                      const ptrdiff_t *stride, size_t offset, bnd_error *why);

/* References that are the library's own: not owed. */
bnd_tensor *bndi_hold(bnd_tensor *t);
void bndi_drop(bnd_tensor *t);
void bndi_owe(bnd_tensor *t); /* a new handle's one reference becomes the caller's */

/* Refuses NULL, which bnd_tensor_gradient returns where there is no gradient. */
BND_CHECKED bnd_status bndi_check_tensor(const bnd_tensor *t, bnd_error *why);

/* Refuses NULL, constant storage and shared scales. */
BND_CHECKED bnd_status bndi_check_writable(const bnd_tensor *t, bnd_error *why);

/* Refuses NULL among the operands of `who`, and tensors of different engines. */
BND_CHECKED bnd_status bndi_check_operands(bnd_tensor *const *in, size_t count, const char *who, bnd_error *why);

#endif
