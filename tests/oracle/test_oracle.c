/* The oracle on its own: known answers, its two engines against each other, the processor's own casts against it. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("limits", limit_tests),      SUITE("known answers", known_tests),  SUITE("two engines", engine_tests),
        SUITE("hardware", hardware_tests), SUITE("operations", operation_tests), CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
