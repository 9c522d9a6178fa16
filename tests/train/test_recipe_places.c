/* Which tensors a recipe casts: layers, products, data, and updates that are lost. */
#include "recipes.h"

#include <binade/block.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t elements_at(bnd_run *run, bnd_role role, const char *place)
{
    bnd_stats stats = {.elements = 0};
    for (unsigned i = 0; i < bnd_run_places(run); i++) {
        if (strcmp(bnd_run_place_name(run, i), place) == 0) {
            CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&stats, bnd_run_engine(run), role, i));
            return stats.elements;
        }
    }
    CU_FAIL("no such place");
    return 0;
}

static void test_places(void)
{
    static const struct {
        const char *recipe;
        bool head, down, up; /* cast? */
    } cases[] = {{"nvfp4", false, false, true},
                 {"nvfp4+fp32", false, false, true},
                 {"nvfp4,high_last=0", true, true, true},
                 {"nvfp4,high_last=1", false, true, true},
                 {"nvfp4,high_last=100", false, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = small_transformer(cases[i].recipe);
        bnd_run *run = run_of(&t, NULL); /* 9 layers: 15 % are two */
        bnd_error why;
        CU_ASSERT_TRUE(
            succeeds(bnd_engine_take_statistics(bnd_run_engine(run), (unsigned)bnd_run_places(run), &why), &why));
        (void)steps_of(run, 1);
        for (bnd_role role = BND_ROLE_FWD_X; role <= BND_ROLE_WGRAD_DY; role++) {
            CU_ASSERT_EQUAL(elements_at(run, role, "head") > 0, cases[i].head);
            CU_ASSERT_EQUAL(elements_at(run, role, "blocks.1.down") > 0, cases[i].down);
            CU_ASSERT_EQUAL(elements_at(run, role, "blocks.1.up") > 0, cases[i].up);
            CU_ASSERT_EQUAL(elements_at(run, role, "blocks.0.qkv") > 0, cases[i].up);
        }
        /* Attention's products are others. */
        size_t rows = t.batch * t.context;
        uint64_t once = cases[i].up ? rows * t.width : 0;
        CU_ASSERT_EQUAL(elements_at(run, BND_ROLE_FWD_X, "blocks.0.qkv"), once);
        bnd_run_free(run);
    }
}

/* Pure recipes cast what a model reads, once per batch; not tokens and classes. */
static void test_data(void)
{
    static const struct {
        const char *model;
        size_t x, y; /* numbers of a row */
    } cases[] = {{"linear", 64, 1}, {"mlp", 64, 0}, {"student", 64, 64}, {"transformer", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of(cases[i].model, "adamw", "bf16-pure");
        bnd_stats stats = {.elements = 0};
        bnd_error why;
        t.batch = 4;
        bnd_run *run = run_of(&t, NULL);
        CU_ASSERT_TRUE(succeeds(bnd_engine_take_statistics(bnd_run_engine(run), 1, &why), &why));
        (void)steps_of(run, 1);
        CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&stats, bnd_run_engine(run), BND_ROLE_DATA, BND_PLACE_ALL));
        CU_ASSERT_EQUAL(stats.elements, 4 * (cases[i].x + cases[i].y));
        bnd_run_free(run);
    }
}

/* Updates that a scaled weight loses are counted; with a power of two for a scale, so that numbers stay what they
 * were. */
static void test_lost(void)
{
    double nearest = share_lost("param=e4m3/tensor:rceil", 1e-4),
           stochastic = share_lost("param=e4m3:sr/tensor:rceil", 1e-4);
    CU_ASSERT_TRUE(nearest > 0.9 && nearest <= 1);
    CU_ASSERT_TRUE(stochastic < nearest);
}

CU_TestInfo recipe_place_tests[] = {
    {"which layers", test_places},
    {"data", test_data},
    {"lost updates", test_lost},
    CU_TEST_INFO_NULL,
};
