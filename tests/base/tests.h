/* The groups of tests of base/. Each is a table that CUnit runs. */
#ifndef TESTS_BASE_TESTS_H
#define TESTS_BASE_TESTS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo message_tests[];
extern CU_TestInfo nearest_tests[];
extern CU_TestInfo random_tests[];
extern CU_TestInfo verify_tests[];

#endif
