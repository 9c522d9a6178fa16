/* The groups of tests of matmul/. Each is a table that CUnit runs. */
#ifndef TESTS_MATMUL_TESTS_H
#define TESTS_MATMUL_TESTS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo card_tests[];
extern CU_TestInfo name_tests[];
extern CU_TestInfo product_tests[];
extern CU_TestInfo same_tests[];
extern CU_TestInfo symmetric_tests[];
extern CU_TestInfo known_tests[];
extern CU_TestInfo refusal_tests[];
extern CU_TestInfo zero_tests[];

#endif
