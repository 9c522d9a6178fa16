/* Test vectors: what is asked and answered, what is read and refused, and who is recognized by answers. */
#include "tests/support/suites.h"
#include "tests.h"

int main(void)
{
    CU_SuiteInfo suites[] = {SUITE("answers", answer_tests),
                             SUITE("lines", line_tests),
                             SUITE("dialects", dialect_tests),
                             SUITE("rules", rule_tests),
                             SUITE("coverage", coverage_tests),
                             SUITE("faults", fault_tests),
                             CU_SUITE_INFO_NULL};
    return run_suites(suites);
}
