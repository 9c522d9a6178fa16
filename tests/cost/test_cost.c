/* cost/: resource accounting on paper. */
#include "tests/cost/tests.h"
#include "tests/support/suites.h"

#include <binade-lab/train.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool is_near(double x, double expected, double share)
{
    bool near = fabs(x - expected) <= share * fabs(expected);
    if (!near) {
        printf("\n    %.17g instead of %.17g\n", x, expected);
    }
    return near;
}

bnd_machine machine_named(const char *name)
{
    bnd_machine m;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_machine_find(&m, name, &why), &why));
    return m;
}

bnd_architecture model_named(const char *name)
{
    bnd_architecture a;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_architecture_find(&a, name, &why), &why));
    return a;
}

bnd_plan plan_of(const char *recipe, const char *optimizer)
{
    bnd_plan plan = {.ranks = 1, .tensor = 1};
    bnd_error why;
    size_t row = 0;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&plan.policy, recipe, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_optimizer_find(&row, optimizer, &why), &why));
    plan.keeps = bnd_optimizer_keeps;
    plan.optimizer = row;
    return plan;
}

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("the lecture's numbers, and training's", number_tests),
        SUITE("on paper as measured", measured_tests),
        SUITE("memory by hand", by_hand_tests),
        SUITE("on paper as in PyTorch", pytorch_tests),
        SUITE("machines, models, what people write", row_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
