/* Shapes of the parts of a quantized matrix. */
#ifndef BINADE_SRC_CONVERT_TENSOR_SHAPES_H
#define BINADE_SRC_CONVERT_TENSOR_SHAPES_H

#include "checkpoint/layouts.h"

/* The shape of a part of a matrix, at most 4 entries; returns its rank. */
size_t bndi_shape_of_part(uint64_t *shape, bndi_part_shape kind, const bnd_block *block, size_t rows, size_t columns);

#endif
