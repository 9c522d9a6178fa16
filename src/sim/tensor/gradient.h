/* Gradients during the backward pass: the formats they have, and how they are added. */
#ifndef BINADE_SRC_TENSOR_GRADIENT_H
#define BINADE_SRC_TENSOR_GRADIENT_H

#include "tensor/operation.h"

/* A tensor of the format that gradients of this role have. `like`: the operand's own format and shape. */
BND_CHECKED bnd_status bndi_gradient_new(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bnd_format *like,
                                         const bndi_shape *shape, bool zeros, bnd_error *why);

/* One that stays: with its scales, where the role has some. */
BND_CHECKED bnd_status bndi_gradient_stored(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bnd_format *like,
                                            const bndi_shape *shape, bnd_error *why);

/* The tensor that a gradient for operand i goes into, in the format that the policy has for it. */
BND_CHECKED bnd_status bndi_gradient_of_operand(bnd_tensor **out, const bndi_call *c, const bndi_gradients *g,
                                                unsigned i, bool zeros, bnd_error *why);

/* Adds d to what is there; takes over the reference to d. */
BND_CHECKED bnd_status bndi_deliver(bndi_edge *to, bnd_tensor *d, bnd_error *why);

/* The gradient of a part is added to that part of the whole's, so that many parts of one tensor cost no more than it
 * has elements. */
BND_CHECKED bnd_status bndi_deliver_slice(bndi_node *node, const bnd_tensor *d, bnd_error *why);

#endif
