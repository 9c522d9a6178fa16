/* tensor/: views, operations, the tape, accounting. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("views", view_tests),
        SUITE("tape", tape_tests),
        SUITE("graphs", graph_tests),
        SUITE("segments", segment_tests),
        SUITE("gradients", gradient_tests),
        SUITE("products", product_tests),
        SUITE("attention", attention_tests),
        SUITE("named axes", named_tests),
        SUITE("files", file_tests),
        SUITE("safetensors", safetensors_tests),
        SUITE("the same bits", same_tests),
        SUITE("failures", failure_tests),
        SUITE("memory", memory_tests),
        SUITE("golden", golden_tests),
        SUITE("maths", maths_tests),
        SUITE("accuracy", accuracy_tests),
        SUITE("the caller's environment", environment_tests),
        SUITE("policies", policy_tests),
        SUITE("statistics", statistics_tests),
        SUITE("gains of norms", gain_tests),
        SUITE("scales", scaling_tests),
        CU_SUITE_INFO_NULL,
    };
    skip_missing_back_ends();
    return run_suites(suites);
}
