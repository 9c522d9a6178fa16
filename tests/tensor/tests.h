/* The groups of tests of tensor/, and what they share. */
#ifndef TESTS_TENSOR_TESTS_H
#define TESTS_TENSOR_TESTS_H

#include <CUnit/CUnit.h>
#include <binade-lab/tensor.h>

#include "tests/oracle/operands.h"
#include "tests/outcome.h"

extern CU_TestInfo view_tests[];
extern CU_TestInfo gradient_tests[];
extern CU_TestInfo named_tests[];
extern CU_TestInfo product_tests[];
extern CU_TestInfo tape_tests[];
extern CU_TestInfo graph_tests[];
extern CU_TestInfo segment_tests[];
extern CU_TestInfo file_tests[];
extern CU_TestInfo safetensors_tests[];
extern CU_TestInfo memory_tests[];
extern CU_TestInfo failure_tests[];
extern CU_TestInfo same_tests[];
extern CU_TestInfo golden_tests[];
extern CU_TestInfo maths_tests[];
extern CU_TestInfo accuracy_tests[];
extern CU_TestInfo environment_tests[];
extern CU_TestInfo policy_tests[];
extern CU_TestInfo statistics_tests[];
extern CU_TestInfo gain_tests[];
extern CU_TestInfo scaling_tests[];

/* An engine whose release is the test's; ends the program where there is none. */
bnd_engine *new_engine(void);
bnd_engine *engine_under(const char *policy);

/* A tensor of these numbers; ends the program where it cannot be made. */
bnd_tensor *tensor_of(bnd_engine *engine, const char *format, const double *x, const size_t *shape, size_t rank);

void must(bnd_status status, const bnd_error *why); /* ends the test where it does not */

bool same_double(double x, double y); /* bit for bit, but that a NaN is as good as another */

/* A random number below `limit` that depends on nothing but these. */
uint64_t below(uint64_t limit, uint64_t seed, uint64_t index);

#endif
