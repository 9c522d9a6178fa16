/* The bits of a run depend on its recipe and seeds only; roles that a recipe does not name are fp32. */
#include "recipes.h"

#include <binade/block.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t digest_bytes(uint64_t sum, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < n; i++) {
        sum = (sum ^ bytes[i]) * 1099511628211u;
    }
    return sum;
}

/* Of everything that stays: codes, scales, and what the engine carries. */
static uint64_t digest(bnd_run *run)
{
    static const bnd_role parts[] = {BND_ROLE_PARAM, BND_ROLE_MASTER, BND_ROLE_M, BND_ROLE_V, BND_ROLE_EXTRA};
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < bnd_run_parameters(run); i++) {
        for (size_t k = 0; k < 5; k++) {
            bnd_tensor *t = bnd_run_parameter(run, i, parts[k]);
            size_t bytes = 0;
            if (t != NULL) {
                sum = digest_bytes(sum, bnd_tensor_codes(t), bnd_tensor_bytes(t));
                const void *scales = bnd_tensor_scales(t, &bytes);
                sum = digest_bytes(sum, scales, bytes);
            }
        }
    }
    size_t n = bnd_engine_state_count(bnd_run_engine(run));
    double *state = malloc((n + 1) * sizeof *state);
    CU_ASSERT_PTR_NOT_NULL_FATAL(state);
    bnd_engine_state_get(state, bnd_run_engine(run));
    sum = digest_bytes(sum, state, n * sizeof *state);
    free(state);
    return sum;
}

bnd_training small_transformer(const char *recipe)
{
    bnd_training t = training_of("transformer", "adamw", recipe);
    t.batch = 2;
    t.context = 20; /* 40 rows: blocks of 32 and of 16 are cut short */
    t.width = 48;
    t.heads = 2;
    return t;
}

/* Every recipe takes steps, and they have the same bits with two threads, on every back end, with layers computed
 * again, with statistics, and with a validation in between. */
static void test_same_bits(void)
{
    enum { VARIANTS = 6 };
    static const bnd_backend backends[VARIANTS] = {BND_BACKEND_BEST,     BND_BACKEND_BEST, BND_BACKEND_AVX2,
                                                   BND_BACKEND_PORTABLE, BND_BACKEND_BEST, BND_BACKEND_BEST};
    for (size_t row = 0; row < bnd_recipe_count(); row++) {
        const char *recipe = bnd_recipe_name(row);
        uint64_t first = 0;
        for (unsigned variant = 0; variant < VARIANTS; variant++) {
            if (variant > 0 && !in_turn(row + variant, 3)) {
                continue;
            }
            bnd_training t = small_transformer(recipe);
            bnd_context context = {.backend = (uint8_t)backends[variant], .threads = variant == 1 ? 2 : 1};
            bnd_error why;
            double loss;
            t.recompute = variant == 4;
            bnd_run *run = run_of(&t, &context);
            if (variant == 5) {
                CU_ASSERT_TRUE(succeeds(bnd_engine_take_statistics(bnd_run_engine(run), 1, &why), &why));
            }
            (void)steps_of(run, 1);
            if (variant == 5) {
                CU_ASSERT_TRUE(succeeds(bnd_run_validate(&loss, run, 1, &why), &why));
            }
            (void)steps_of(run, 1);
            first = variant == 0 ? digest(run) : first;
            if (digest(run) != first) {
                printf("\n    %s, variant %u\n", recipe, variant);
            }
            CU_ASSERT_EQUAL(digest(run), first);
            bnd_run_free(run);
        }
    }
}

/* What an engine carries goes from one run to another: the second goes on as the first would have. */
static void test_state(void)
{
    bnd_training t = small_transformer("base=fp8-delayed,gemm_fwd.x=e4m3/delayed:3,gemm_wgrad.dy=e5m2/delayed:16:1");
    bnd_run *a = run_of(&t, NULL), *b = run_of(&t, NULL);
    bnd_engine *from = bnd_run_engine(a), *to = bnd_run_engine(b);
    bnd_error why;
    double of_a, of_b;
    t.lr = 0;
    (void)steps_of(a, 4);
    (void)steps_of(b, 4);
    size_t n = bnd_engine_state_count(from);
    double *state = malloc(n * sizeof *state), *again = malloc(n * sizeof *again);
    CU_ASSERT_TRUE_FATAL(state != NULL && again != NULL && n > 0);
    bnd_engine_state_get(state, from);
    CU_ASSERT_TRUE(succeeds(bnd_engine_set_policy(to, &t.policy, &why), &why));
    CU_ASSERT_EQUAL(bnd_engine_state_count(to), 0);
    CU_ASSERT_TRUE(succeeds(bnd_engine_state_set(to, state, n, &why), &why));
    bnd_engine_state_get(again, to);
    CU_ASSERT_EQUAL(memcmp(state, again, n * sizeof *state), 0);
    CU_ASSERT_TRUE(succeeds(bnd_run_validate(&of_a, a, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_validate(&of_b, b, 1, &why), &why));
    CU_ASSERT_EQUAL(of_a, of_b);
    (void)steps_of(a, 2);
    (void)steps_of(b, 2);
    CU_ASSERT_EQUAL(digest(a), digest(b));

    /* Refused, with nothing changed. */
    bnd_engine_state_get(state, from);
    CU_ASSERT_EQUAL(bnd_engine_state_set(from, state, n - 1, &why), BND_BAD_ARGUMENT);
    static const struct {
        size_t at;
        double x;
    } wrong[] = {{0, -1}, {0, 0.5}, {0, NAN},      {0, 1e300}, {1, 0}, {1, 1e9}, {1, NAN},
                 {2, 0},  {2, NAN}, {2, INFINITY}, {3, 1e9},   {3, 0}, {3, NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double was = state[wrong[i].at];
        state[wrong[i].at] = wrong[i].x;
        CU_ASSERT_EQUAL(bnd_engine_state_set(from, state, n, &why), BND_BAD_ARGUMENT);
        state[wrong[i].at] = was;
    }
    bnd_engine_state_get(again, from);
    CU_ASSERT_EQUAL(memcmp(state, again, n * sizeof *state), 0);
    free(state);
    free(again);
    bnd_run_free(a);
    bnd_run_free(b);
}

/* ---- roles that are not given ---- */

static void copy_weights(bnd_run *to, const bnd_run *from)
{
    for (size_t i = 0; i < bnd_run_parameters(from); i++) {
        const bnd_tensor *t = bnd_run_parameter(from, i, BND_ROLE_PARAM);
        size_t n = bnd_tensor_count(t);
        float *w = malloc(n * sizeof *w);
        bnd_error why;
        CU_ASSERT_PTR_NOT_NULL_FATAL(w);
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(w, n, t, &why), &why));
        bnd_tensor *out = bnd_run_parameter(to, i, BND_ROLE_PARAM);
        CU_ASSERT_TRUE_FATAL(
            succeeds(bnd_tensor_write_f32(out, w, n, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
        free(w);
    }
}

/* With weights alone in a narrow format everything else is fp32: the loss and the gradients are those of an fp32 run
 * with the same weights, bit by bit, and so is every byte. */
static void test_not_given(void)
{
    static const char *const models[] = {"linear", "logistic", "mlp", "student", "transformer"};
    static const char *const recipes[] = {"param=e4m3,master=fp32", "param=bf16", "param=e4m3/tensor"};
    for (size_t i = 0; i < 15; i++) {
        bnd_training t = training_of(models[i % 5], "adamw", recipes[i / 5]);
        t.batch = 4;
        bnd_run *low = run_of(&t, NULL);
        CU_ASSERT_EQUAL_FATAL(bnd_policy_parse(&t.policy, "fp32", NULL), BND_OK);
        bnd_run *same = run_of(&t, NULL);
        copy_weights(same, low);
        bnd_step a = steps_of(low, 1), b = steps_of(same, 1);
        bnd_account of_low, of_same;
        bnd_engine_account(&of_low, bnd_run_engine(low));
        bnd_engine_account(&of_same, bnd_run_engine(same));
        CU_ASSERT_EQUAL(a.loss, b.loss);
        CU_ASSERT_EQUAL(a.gradient_norm, b.gradient_norm);
        for (bnd_role role = BND_ROLE_ACT; role <= BND_ROLE_V; role++) {
            CU_ASSERT_EQUAL(of_low.peak_by_role[role], of_same.peak_by_role[role]);
        }
        bnd_run_free(low);
        bnd_run_free(same);
    }
}

CU_TestInfo recipe_bit_tests[] = {
    {"same bits", test_same_bits},
    {"what an engine carries", test_state},
    {"roles that are not given", test_not_given},
    CU_TEST_INFO_NULL,
};
