/* bulk/: the same bits as the codec gives one number at a time, whichever back end works, wherever the array lies and
 * however it is cut. */
#include "compare.h"
#include "tests.h"
#include "tests/support/suites.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("the caller's environment", environment_tests), /* first: before there are threads */
        SUITE("bits", bit_tests),
        SUITE("places", place_tests),
        SUITE("memory", memory_tests),
        SUITE("made ready", ready_tests),
        SUITE("statistics", stats_tests),
        SUITE("stochastic rounding", stochastic_tests),
        SUITE("threads", thread_tests),
        SUITE("past the caches", stream_tests),
        SUITE("refusals", refusal_tests),
        SUITE("operations", operate_tests),
        SUITE("chosen operands", chosen_operand_tests),
        SUITE("sums", sum_tests),
        SUITE("contexts", context_tests),
        CU_SUITE_INFO_NULL,
    };
    skip_missing_back_ends();
    say_what_traps();
    return run_suites(suites);
}
