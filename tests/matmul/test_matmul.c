/* matmul/: every bit of a product as plain loops over k have it, whatever the accumulator, the back end, the shape. */
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("names", name_tests),       SUITE("products", product_tests),    SUITE("the same bits", same_tests),
        SUITE("zeros", zero_tests),       SUITE("symmetric", symmetric_tests), SUITE("known", known_tests),
        SUITE("refusals", refusal_tests), SUITE("a card", card_tests),         CU_SUITE_INFO_NULL,
    };
    skip_missing_back_ends();
    return run_suites(suites);
}
