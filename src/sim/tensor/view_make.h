/* Views without the tape. */
#ifndef BINADE_SRC_TENSOR_VIEW_MAKE_H
#define BINADE_SRC_TENSOR_VIEW_MAKE_H

#include "tensor/handle.h"

/* `t` in other words, without the tape, held: another shape over the same elements, copied where strides ask for it; a
 * permutation; a part of an axis. */
BND_CHECKED bnd_status bndi_reshaped(bnd_tensor **out, const bnd_tensor *t, const bndi_shape *shape, bnd_error *why);
BND_CHECKED bnd_status bndi_permuted(bnd_tensor **out, const bnd_tensor *t, const size_t *from, bnd_error *why);
BND_CHECKED bnd_status bndi_sliced(bnd_tensor **out, const bnd_tensor *t, size_t axis, size_t first, size_t count,
                                   ptrdiff_t step, bnd_error *why);
BND_CHECKED bnd_status bndi_broadcast_to(bnd_tensor **out, const bnd_tensor *t, const bndi_shape *shape,
                                         bnd_error *why);

/* The strides of `shape` over the elements of t in their order. False: there are none; `axis` is the first axis of t
 * that does not follow the next one in memory. */
bool bndi_view_strides(ptrdiff_t *stride, const bnd_tensor *t, const bndi_shape *shape, size_t *axis);

/* The shape that a caller asks for, with the extent that is to be inferred. */
BND_CHECKED bnd_status bndi_wanted_shape(bndi_shape *out, const bnd_tensor *t, const size_t *extent, size_t rank,
                                         const char *who, bnd_error *why);

#endif
