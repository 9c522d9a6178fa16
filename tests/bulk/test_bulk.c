/* bulk/: the same bits as the codec gives one number at a time, wherever the array lies and however it is cut. */
#include "tests.h"
#include "tests/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("bits", bit_tests),
        SUITE("codes to codes", convert_tests),
        SUITE("memory", memory_tests),
        SUITE("statistics", stats_tests),
        SUITE("stochastic means", stochastic_tests),
        SUITE("refusals", refusal_tests),
        SUITE("the caller's environment", environment_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
