/* What every CUnit program here does: run its suites, and fail where a test fails or none has run. */
#ifndef TESTS_SUPPORT_SUITES_H
#define TESTS_SUPPORT_SUITES_H

#include <CUnit/Basic.h>
#include <stdbool.h>
#include <stdlib.h>

#define SUITE(name, tests)                                                                                             \
    {                                                                                                                  \
        name, NULL, NULL, NULL, NULL, tests                                                                            \
    }

static inline int run_suites(CU_SuiteInfo *suites)
{
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_ErrorCode ran = CU_basic_run_tests();
    bool passed = ran == CUE_SUCCESS && CU_get_number_of_failures() == 0 && CU_get_number_of_tests_run() > 0;
    CU_cleanup_registry();
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
