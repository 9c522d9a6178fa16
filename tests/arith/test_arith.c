/* The arithmetic against the oracle, against the processor, and against answers that are written down. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("known answers", known_tests),
        SUITE("comparison", comparison_tests),
        SUITE("every format", format_tests),
        SUITE("hardware", hardware_tests),
        SUITE("narrow formats", narrow_tests),
        SUITE("16 bits", half_tests),
        SUITE("elementary functions", elementary_tests),
        SUITE("256 bits", wide_tests),
        SUITE("short ways", quick_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
