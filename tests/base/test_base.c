/* base/: messages, nearest names, random bits by index. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("messages", message_tests),
        SUITE("nearest names", nearest_tests),
        SUITE("random bits", random_tests),
        SUITE("preconditions", verify_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
