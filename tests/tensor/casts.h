/* What the tests of policies share: tensors of numbers with roles, operations on them, statistics of their casts. */
#ifndef TESTS_TENSOR_CASTS_H
#define TESTS_TENSOR_CASTS_H

#include "tests.h"

/* Numbers around 1 and a good way below, of both signs. */
void fill(float *x, size_t n, uint64_t seed);

/* A matrix; what an operation makes; numbers read. Each ends the test where it fails. */
bnd_tensor *tensor(bnd_engine *engine, const char *format, const float *x, size_t rows, size_t columns, bnd_role role);
bnd_tensor *map(bnd_tensor_operation operation, bnd_tensor *x);
bnd_tensor *pair(bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b);
void numbers_of(float *x, size_t n, const bnd_tensor *t);

/* Sums of squares may be added up in another order. */
bool same_statistics(const bnd_stats *got, const bnd_stats *want);

#endif
