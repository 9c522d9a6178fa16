/* scan/: what weights lose in other formats. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("exact sums", sum_tests),         SUITE("candidates", candidate_tests), SUITE("figures", figure_tests),
        SUITE("counts per scale", count_tests), SUITE("results", result_tests),       CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
