/* What the files of the tape share: edges, gradients on their way (gradient.c), the way back (tape.c), which segments
 * that are computed again go a part of by themselves (recompute.c). */
#ifndef BINADE_SRC_TAPE_H
#define BINADE_SRC_TAPE_H

#include "tensor/tensor.h"

/* To where the gradient of t goes; it holds that. */
bndi_edge bndi_edge_to(bnd_tensor *t);
void bndi_edge_release(bndi_edge *edge);

/* A tensor of the format that gradients of this role have. `like`: the operand's own format and shape. */
BND_CHECKED bnd_status bndi_gradient_new(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bnd_format *like,
                                         const bndi_shape *shape, bool zeros, bnd_error *why);

/* Adds d to what is there; takes over the reference to d. */
BND_CHECKED bnd_status bndi_deliver(bndi_edge *to, bnd_tensor *d, bnd_error *why);

/* The gradient of a part is added to that part of the whole's, so that many parts of one tensor cost no more than it
 * has elements. */
BND_CHECKED bnd_status bndi_deliver_slice(bndi_node *node, const bnd_tensor *d, bnd_error *why);

/* Notes what the tape saves, where that is more than was noted so far: when a backward pass begins, and when a segment
 * has been computed again (saved_tensors.c). */
void bndi_note_saved(bnd_engine *engine);

/* From the newest node to `stop`, which is older than what is to be gone through. */
BND_CHECKED bnd_status bndi_go_back(bnd_engine *engine, const bndi_node *stop, bnd_error *why);

#endif
