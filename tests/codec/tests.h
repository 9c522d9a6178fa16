/* The groups of tests of the codec. Each is a table that CUnit runs. */
#ifndef TESTS_CODEC_TESTS_H
#define TESTS_CODEC_TESTS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo code_tests[];
extern CU_TestInfo order_tests[];
extern CU_TestInfo midpoint_tests[];
extern CU_TestInfo stochastic_tests[];
extern CU_TestInfo wide_tests[];
extern CU_TestInfo source_tests[];
extern CU_TestInfo witness_tests[];
extern CU_TestInfo float_tests[];
extern CU_TestInfo dialect_tests[];

#endif
