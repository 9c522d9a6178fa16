/* The groups of tests of tensor/. */
#ifndef TESTS_TENSOR_TESTS_H
#define TESTS_TENSOR_TESTS_H

#include "tests/support/tensors.h"

extern CU_TestInfo view_tests[];
extern CU_TestInfo gradient_tests[];
extern CU_TestInfo named_tests[];
extern CU_TestInfo product_tests[];
extern CU_TestInfo attention_tests[];
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

#endif
