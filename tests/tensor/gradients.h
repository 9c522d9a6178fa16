/* Gradients against central differences in fp64. */
#ifndef TESTS_TENSOR_GRADIENTS_H
#define TESTS_TENSOR_GRADIENTS_H

#include "tests.h"

enum { LEAVES_MOST = 4 };

/* Computes *out, of any shape, from the tensors. */
typedef bnd_status function(bnd_tensor **out, bnd_tensor *const *in, const void *data, bnd_error *why);

/* How a leaf reaches the function: as it is, or as a view of a leaf that lies otherwise in memory. */
typedef enum layout { PLAIN, TRANSPOSED, STRIDED, LAYOUTS } layout;

typedef struct leaf {
    size_t shape[BND_TENSOR_RANK_MAX], rank; /* of what the function gets */
    layout layout;    /* TRANSPOSED: the last two axes; STRIDED: every second element of the last */
    double low, high; /* its numbers, uniform; equal: not differentiated, and `values` are they */
    const double *values;
} leaf;

/* d(sum of w f)/d leaf by the tape, and by (f(x + h) - f(x - h)) / 2h, w random. The worst difference, relative to the
 * largest slope of the leaf. */
double worst_difference(function *f, const void *data, const leaf *leaves, size_t count, uint64_t seed);

#endif
