/* The oracle on its own: known answers, its two engines against each other, the processor's own casts against it. */
#include <CUnit/Basic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        {"limits", NULL, NULL, NULL, NULL, limit_tests},
        {"known answers", NULL, NULL, NULL, NULL, known_tests},
        {"two engines", NULL, NULL, NULL, NULL, engine_tests},
        {"hardware", NULL, NULL, NULL, NULL, hardware_tests},
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
