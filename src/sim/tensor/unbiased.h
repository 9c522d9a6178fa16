/* Casts by blocks whose expectation is the number: scales that clamp nothing, and MS-EDEN. */
#ifndef BINADE_SRC_TENSOR_UNBIASED_H
#define BINADE_SRC_TENSOR_UNBIASED_H

#include "tensor/casts.h"
#include "tensor/scaling.h"

/* y = x as how->unbiased says; they may be the same, and must not overlap otherwise. */
BND_CHECKED bnd_status bndi_unbiased(bnd_engine *engine, float *y, const float *x, bnd_shape shape,
                                     const bndi_scaling *how, const bnd_array *array, bnd_stats *stats, bnd_error *why);

#endif
