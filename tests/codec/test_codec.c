/* The codec against the oracle, against enumeration, and against answers that are written down. */
#include <CUnit/Basic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        {"codes", NULL, NULL, NULL, NULL, code_tests},
        {"order", NULL, NULL, NULL, NULL, order_tests},
        {"midpoints", NULL, NULL, NULL, NULL, midpoint_tests},
        {"stochastic", NULL, NULL, NULL, NULL, stochastic_tests},
        {"wide and custom formats", NULL, NULL, NULL, NULL, wide_tests},
        {"sources", NULL, NULL, NULL, NULL, source_tests},
        {"witnesses", NULL, NULL, NULL, NULL, witness_tests},
        {"dialects", NULL, NULL, NULL, NULL, dialect_tests},
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
