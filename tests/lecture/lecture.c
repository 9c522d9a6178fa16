/* The lecture on resource accounting of CS336 ("PyTorch, resource accounting"), its statements in its order, each a
 * line that runs: a suite a section. doc/tutorials/resource-accounting.md walks through the same with the command. */
#include "tests/lecture/lecture.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("1. motivating questions", lecture_questions),
        SUITE("2. memory of a tensor", lecture_memory),
        SUITE("3. underflow", lecture_underflow),
        SUITE("4. tensors are pointers with strides", lecture_pointers),
        SUITE("5. FLOPs", lecture_flops),
        SUITE("6. models, randomness, data, optimizers", lecture_models),
        SUITE("7. mixed precision", lecture_precision),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
