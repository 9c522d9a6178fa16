/* Shapes: making, broadcasting and printing them. */
#ifndef BINADE_SRC_TENSOR_SHAPE_H
#define BINADE_SRC_TENSOR_SHAPE_H

#include <binade-lab/tensor.h>

typedef struct bndi_shape {
    size_t rank, extent[BND_TENSOR_RANK_MAX];
} bndi_shape;

size_t bndi_count(const bndi_shape *s); /* elements; shapes that exist do not overflow */
bool bndi_same_shape(const bndi_shape *a, const bndi_shape *b);
void bndi_strides_of(ptrdiff_t *stride, const bndi_shape *s); /* row-major */

/* "(16, 32)": for messages, into a buffer of this size. */
enum { BNDI_SHAPE_TEXT = 192 };
const char *bndi_shape_text(char *out, const bndi_shape *s);

BND_CHECKED bnd_status bndi_shape_make(bndi_shape *out, const size_t *extent, size_t rank, bnd_error *why);
BND_CHECKED bnd_status bndi_shape_join(bndi_shape *out, const bndi_shape *a, const bndi_shape *b, const char *who,
                                       bnd_error *why); /* numpy's broadcasting */
BND_CHECKED bnd_status bndi_axis(size_t *out, int axis, size_t rank, const char *who, bnd_error *why);

#endif
