/* The groups of tests of the arithmetic. Each is a table that CUnit runs. */
#ifndef TESTS_ARITH_TESTS_H
#define TESTS_ARITH_TESTS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo known_tests[];
extern CU_TestInfo comparison_tests[];
extern CU_TestInfo elementary_tests[];
extern CU_TestInfo format_tests[];
extern CU_TestInfo half_tests[];
extern CU_TestInfo hardware_tests[];
extern CU_TestInfo narrow_tests[];
extern CU_TestInfo quick_tests[];
extern CU_TestInfo wide_tests[];

#endif
