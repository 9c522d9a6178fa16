/* diff/: distances, and the search for how codes and scales were made. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("distances", distance_tests),
        SUITE("scales", scale_tests),
        SUITE("codes", code_tests),
        SUITE("searches", search_tests),
        SUITE("experts", expert_tests),
        SUITE("memory", memory_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
