/* Tests of convert/: plans, codes and outputs of quantize. */
#include "convert.h"

#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("names", name_tests),        SUITE("texts", text_tests),     SUITE("plans", plan_tests),
        SUITE("codes", code_tests),        SUITE("outputs", run_tests),    SUITE("experts", expert_tests),
        SUITE("relayout", relayout_tests), SUITE("changes", change_tests), CU_SUITE_INFO_NULL};
    return run_suites(suites);
}
