/* The groups of tests of calc/. */
#ifndef TESTS_CALC_TESTS_H
#define TESTS_CALC_TESTS_H

#include <CUnit/Basic.h>

extern CU_TestInfo random_tests[];
extern CU_TestInfo value_tests[];

#endif
