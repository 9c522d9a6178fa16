/* What the tests of the tape share: small graphs of fp32 numbers. */
#ifndef TESTS_TENSOR_GRAPHS_H
#define TESTS_TENSOR_GRAPHS_H

#include "tests.h"

#define DO(call) CU_ASSERT_FATAL(succeeds((call), &why))

/* Are these a tensor's numbers? Says where they are not. */
bool holds(const bnd_tensor *t, const double *x, size_t n);
#define HOLDS(t, ...) holds(t, (double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

/* A vector that wants a gradient, and a single number that does not. */
bnd_tensor *leaf_of(bnd_engine *engine, const double *x, size_t n);
bnd_tensor *number_of(bnd_engine *engine, double x);

bnd_tensor *sum_of(bnd_tensor *x);
bnd_tensor *product(bnd_tensor *a, bnd_tensor *b);

uint64_t bytes_now(const bnd_engine *engine);

#endif
