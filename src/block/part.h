/* Part of an array whose elements share scales, for who decodes elements himself. */
#ifndef BINADE_SRC_BLOCK_PART_H
#define BINADE_SRC_BLOCK_PART_H

#include <binade/block.h>

/* y[i] = y[i] times the scale of element at + i of an array of this shape, rounded once. The block format, the shape
 * and the place are good ones. */
void bndi_scale_part(float *y, size_t at, size_t n, bnd_shape shape, const bnd_block *block, const void *scales,
                     float tensor_scale);

#endif
