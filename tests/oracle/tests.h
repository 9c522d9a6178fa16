/* The groups of tests of the oracle. Each is a table that CUnit runs. */
#ifndef TESTS_ORACLE_TESTS_H
#define TESTS_ORACLE_TESTS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo limit_tests[];
extern CU_TestInfo known_tests[];
extern CU_TestInfo engine_tests[];
extern CU_TestInfo hardware_tests[];
extern CU_TestInfo operation_tests[];

#endif
