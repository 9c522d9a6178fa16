/* Reading and writing numbers: against the oracle, against GMP, against the C library, and against hand-made cases. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("naturals", naturals_tests),      SUITE("allocations", allocation_tests),
        SUITE("grammar", grammar_tests),        SUITE("reading", reading_tests),
        SUITE("midpoints", midpoint_tests),     SUITE("writing", writing_tests),
        SUITE("shortest", shortest_tests),      SUITE("random strings", mutation_tests),
        SUITE("differences", difference_tests), CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
