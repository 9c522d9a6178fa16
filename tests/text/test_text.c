/* Reading and writing numbers: against the oracle, against GMP, against the C library, and against hand-made cases. */
#include <CUnit/Basic.h>
#include <stdlib.h>

#include "tests.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        {"grammar", NULL, NULL, NULL, NULL, grammar_tests},
        {"reading", NULL, NULL, NULL, NULL, reading_tests},
        {"midpoints", NULL, NULL, NULL, NULL, midpoint_tests},
        {"writing", NULL, NULL, NULL, NULL, writing_tests},
        {"shortest", NULL, NULL, NULL, NULL, shortest_tests},
        {"random strings", NULL, NULL, NULL, NULL, mutation_tests},
        {"differences", NULL, NULL, NULL, NULL, difference_tests},
        CU_SUITE_INFO_NULL,
    };
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_ErrorCode ran = CU_basic_run_tests();
    bool passed = ran == CUE_SUCCESS && CU_get_number_of_failures() == 0 && CU_get_number_of_tests_run() > 0;
    CU_cleanup_registry();
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
