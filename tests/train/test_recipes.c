/* Recipes in runs: their bytes, bits, scales and places, and whether they learn. */
#include "recipes.h"
#include "tests/support/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Recipes that are meant to work come down on the transformer's text. */
static void test_learning(void)
{
    static const char *const works[] = {"fp16-amp",    "bf16-amp",       "bf16-master", "bf16-sr",   "bf16-kahan",
                                        "fp8-delayed", "fp8-current",    "fp8-rowwise", "fp8-block", "mxfp8",
                                        "mxfp6",       "nvfp4",          "fp8-lm",      "adam8bit",  "mxint8",
                                        "nvfp4-46",    "fp4-all-the-way"};
    double reference = NAN;
    for (size_t i = 0; i <= sizeof works / sizeof works[0]; i++) {
        bnd_training t = training_of("transformer", "adamw", i == 0 ? "fp32" : works[i - 1]);
        bnd_error why;
        double loss = NAN;
        t.batch = 8;
        t.context = 16;
        t.lr = 3e-3;
        bnd_run *run = run_of(&t, NULL);
        (void)steps_of(run, scaled(40));
        CU_ASSERT_TRUE(succeeds(bnd_run_validate(&loss, run, 4, &why), &why));
        reference = i == 0 ? loss : reference;
        if (!(loss < reference + 0.1) || getenv("BND_TEST_SHOW") != NULL) {
            printf("\n    %s: %g, fp32 %g\n", t.policy.name, loss, reference);
        }
        CU_ASSERT_TRUE(loss < reference + 0.1);
        bnd_run_free(run);
    }
}

static CU_TestInfo learning_tests[] = {
    {"those that work learn", test_learning},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("memory", recipe_memory_tests),
        SUITE("bits", recipe_bit_tests),
        SUITE("learning", learning_tests),
        SUITE("stored with scales", recipe_scale_tests),
        SUITE("places", recipe_place_tests),
        SUITE("layers", layer_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
