/* The groups of tests of scan/. */
#ifndef TESTS_SCAN_TESTS_H
#define TESTS_SCAN_TESTS_H

#include <CUnit/CUnit.h>
#include <binade-lab/scan.h>

extern CU_TestInfo sum_tests[];
extern CU_TestInfo candidate_tests[];
extern CU_TestInfo figure_tests[];
extern CU_TestInfo count_tests[];
extern CU_TestInfo result_tests[];

#endif
