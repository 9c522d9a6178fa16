/* The codec against the oracle, against enumeration, and against answers that are written down. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("codes", code_tests),
        SUITE("order", order_tests),
        SUITE("midpoints", midpoint_tests),
        SUITE("stochastic", stochastic_tests),
        SUITE("wide and custom formats", wide_tests),
        SUITE("sources", source_tests),
        SUITE("witnesses", witness_tests),
        SUITE("dialects", dialect_tests),
        SUITE("one call per format", float_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
