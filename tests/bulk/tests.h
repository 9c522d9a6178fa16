/* The groups of tests of bulk/. Each is a table that CUnit runs. */
#ifndef TESTS_BULK_TESTS_H
#define TESTS_BULK_TESTS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo bit_tests[];
extern CU_TestInfo place_tests[];
extern CU_TestInfo memory_tests[];
extern CU_TestInfo ready_tests[];
extern CU_TestInfo stats_tests[];
extern CU_TestInfo stochastic_tests[];
extern CU_TestInfo refusal_tests[];
extern CU_TestInfo environment_tests[];
extern CU_TestInfo thread_tests[];
extern CU_TestInfo stream_tests[];
extern CU_TestInfo context_tests[];
extern CU_TestInfo operate_tests[];
extern CU_TestInfo chosen_operand_tests[];
extern CU_TestInfo sum_tests[];

#endif
