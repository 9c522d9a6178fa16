/* The groups of tests of block/. Each is a table that CUnit runs. */
#ifndef TESTS_BLOCK_TESTS_H
#define TESTS_BLOCK_TESTS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo name_tests[];
extern CU_TestInfo quantize_tests[];
extern CU_TestInfo special_tests[];
extern CU_TestInfo normal_tests[];
extern CU_TestInfo same_tests[];
extern CU_TestInfo given_tests[];
extern CU_TestInfo refusal_tests[];
extern CU_TestInfo hadamard_tests[];
extern CU_TestInfo dynamic_tests[];
extern CU_TestInfo gguf_tests[];

#endif
