/* What stands on the oracle: the proofs. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("proofs", proof_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
