/* The groups of tests of the proofs. Each is a table that CUnit runs. */
#ifndef TESTS_VERIFY_TESTS_H
#define TESTS_VERIFY_TESTS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo proof_tests[];

#endif
