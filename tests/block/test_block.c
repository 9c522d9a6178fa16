/* block/: every scale and every element as rational numbers have it, wherever blocks run and however work is cut. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("names", name_tests),
        SUITE("scales and elements", quantize_tests),
        SUITE("NaN, infinity, zero, the ends of the range", special_tests),
        SUITE("normally distributed numbers", normal_tests),
        SUITE("the same bits", same_tests),
        SUITE("given scales", given_tests),
        SUITE("refusals", refusal_tests),
        SUITE("Hadamard transform", hadamard_tests),
        SUITE("dynamic codes", dynamic_tests),
        SUITE("GGUF", gguf_tests),
        CU_SUITE_INFO_NULL,
    };
    skip_missing_back_ends();
    return run_suites(suites);
}
