/* base/: messages, nearest names, random bits by index, the JSON writer. */
#include <CUnit/Basic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        {"messages", NULL, NULL, NULL, NULL, message_tests},
        {"nearest names", NULL, NULL, NULL, NULL, nearest_tests},
        {"random bits", NULL, NULL, NULL, NULL, random_tests},
        {"json", NULL, NULL, NULL, NULL, json_tests},
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
