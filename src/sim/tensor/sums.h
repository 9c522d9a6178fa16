/* Sums over axes. */
#ifndef BINADE_SRC_TENSOR_SUMS_H
#define BINADE_SRC_TENSOR_SUMS_H

#include "tensor/casts.h"
#include "tensor/operation.h"

/* `d`, of the shape that operands were broadcast to, summed to the shape of operand i: for the gradients of what
 * broadcasts. */
BND_CHECKED bnd_status bndi_sum_to(bnd_tensor **out, const bndi_call *c, const bndi_gradients *g, unsigned i,
                                   const bnd_tensor *d, bnd_error *why);

/* sums += t over the axes of the bits `reduced`, in the row-major order of the others; and stored, times a factor. */
BND_CHECKED bnd_status bndi_reduced_axes(unsigned *reduced, const bndi_call *c, bnd_error *why);
BND_CHECKED bnd_status bndi_shape_of_reduction(bndi_call *c, bnd_error *why); /* a row's `shape` */
void bndi_reduced_shape(bndi_shape *out, const bndi_shape *in, unsigned reduced, bool keep);
void bndi_sum_axes(double *sums, const bnd_tensor *t, unsigned reduced);
void bndi_store_sums(bnd_tensor *out, const double *sums, double over, const bndi_store *how); /* divided by `over` */

#endif
