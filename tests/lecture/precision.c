/* Section 7: mixed precision. Every entry of the lecture's table is measured, on a small transformer. */
#include "tests/lecture/lecture.h"

#include <binade-lab/cost.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a run of a few steps came to. */
typedef struct outcome {
    double start, end; /* validation loss before the first step and after the last */
    uint64_t kept;     /* bytes of parameters, gradients, what the optimizer keeps, and activations, at their most */
    bnd_stats stats[BND_ROLE_COUNT];
} outcome;

static uint64_t bytes_kept(const bnd_account *a)
{
    static const bnd_role roles[] = {BND_ROLE_PARAM, BND_ROLE_GRAD, BND_ROLE_MASTER, BND_ROLE_M,
                                     BND_ROLE_V,     BND_ROLE_ACT,  BND_ROLE_DACT};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        sum += a->peak_by_role[roles[i]];
    }
    return sum;
}

static outcome train(const char *recipe, uint64_t steps)
{
    outcome o = {.start = NAN};
    bnd_training t;
    bnd_run *run = NULL;
    bnd_error why;
    bnd_step step;
    CU_ASSERT_FATAL(succeeds(bnd_training_default(&t, "transformer", "adamw", recipe, &why), &why));
    t.seed_init = 1;
    t.seed_data = 2;
    t.batch = 8;
    t.lr = 5e-3;
    CU_ASSERT_FATAL(succeeds(bnd_run_new(&run, &t, NULL, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_run_validate(&o.start, run, 2, &why), &why));
    CU_ASSERT_FATAL(succeeds(bnd_engine_take_statistics(bnd_run_engine(run), 1, &why), &why));
    for (uint64_t i = 0; i < steps; i++) {
        CU_ASSERT_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
    }
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        (void)bnd_engine_statistics(&o.stats[role], bnd_run_engine(run), (bnd_role)role, BND_PLACE_ALL);
    }
    bnd_account account = account_of(bnd_run_engine(run));
    o.kept = bytes_kept(&account);
    CU_ASSERT_FATAL(succeeds(bnd_run_validate(&o.end, run, 2, &why), &why));
    bnd_run_free(run);
    return o;
}

/* The share of numbers other than zero that became zero (of all that were cast, zeros included). */
static double flushed(const outcome *o, bnd_role role)
{
    const bnd_stats *s = &o->stats[role];
    return s->elements > 0 ? (double)s->to_zero / (double)s->elements : 0;
}

/* Power of the signal over that of the rounding error. */
static double clearness(const outcome *o, bnd_role role)
{
    return bnd_stats_signal_to_noise_ratio(&o->stats[role]);
}

/* Fewer where tests are scaled down; whether a recipe learns is seen in all of them only. */
enum { STEPS = 24 };

static bool learns(const outcome *o)
{
    return o->end < o->start - 0.25;
}

static bool learns_if_all(const outcome *o)
{
    return scaled(STEPS) < STEPS ? isfinite(o->end) : learns(o);
}

/* fp32: memory no, stability yes. fp16: half of it, with underflow. bf16: half of it, with loss of precision. fp8: a
 * quarter of it, at high risk. */
static void test_table(void)
{
    outcome fp32 = train("fp32", scaled(STEPS)), fp16 = train("fp16-pure", 1), bf16 = train("bf16-pure", scaled(STEPS));
    outcome e4m3 = train("e4m3-pure", 1), e5m2 = train("e5m2-pure", 2);
    CU_ASSERT_TRUE(learns_if_all(&fp32));
    CU_ASSERT_DOUBLE_EQUAL((double)fp16.kept / (double)fp32.kept, 0.50, 0.005);
    CU_ASSERT_DOUBLE_EQUAL((double)bf16.kept / (double)fp32.kept, 0.50, 0.005);
    CU_ASSERT_DOUBLE_EQUAL((double)e4m3.kept / (double)fp32.kept, 0.25, 0.01);
    CU_ASSERT_DOUBLE_EQUAL((double)e5m2.kept / (double)fp32.kept, 0.25, 0.01);
    /* Underflow: gradients of activations. */
    CU_ASSERT_TRUE(flushed(&fp16, BND_ROLE_DGRAD_DX) > 1e-3);
    CU_ASSERT_EQUAL(flushed(&bf16, BND_ROLE_DGRAD_DX), 0);
    CU_ASSERT_EQUAL(flushed(&fp32, BND_ROLE_DGRAD_DX), 0);
    /* Loss of precision: three bits less, and so eight times the error. It learns all the same. */
    CU_ASSERT_DOUBLE_EQUAL(sqrt(clearness(&fp16, BND_ROLE_FWD_Y) / clearness(&bf16, BND_ROLE_FWD_Y)), 8, 0.5);
    CU_ASSERT_TRUE(learns_if_all(&bf16));
    /* High risk: not a number after one step, and after two. */
    CU_ASSERT_TRUE(isnan(e4m3.end) && isnan(e5m2.end));
    printf("(bytes: fp16 %.3f, bf16 %.3f, fp8 %.3f; flushed: fp16 %.4f) ", (double)fp16.kept / (double)fp32.kept,
           (double)bf16.kept / (double)fp32.kept, (double)e4m3.kept / (double)fp32.kept,
           flushed(&fp16, BND_ROLE_DGRAD_DX));
}

/* fp32 by default, low precision where it can be: products in bf16, parameters and what the optimizer keeps in fp32. */
static void test_amp(void)
{
    outcome fp32 = train("fp32", scaled(STEPS)), bf16 = train("bf16-amp", scaled(STEPS));
    bnd_policy policy;
    bnd_error why;
    bnd_machine h100;
    double slow = 0, fast = 0;
    CU_ASSERT_DOUBLE_EQUAL(bf16.end, fp32.end, 0.02);
    DO(bnd_policy_parse(&policy, "bf16-amp", &why));
    CU_ASSERT_STRING_EQUAL(policy.cast[BND_ROLE_FWD_X].format.name, "bf16");
    CU_ASSERT_FALSE(policy.cast[BND_ROLE_PARAM].given || policy.cast[BND_ROLE_M].given ||
                    policy.cast[BND_ROLE_V].given);
    CU_ASSERT_TRUE(bf16.kept < fp32.kept); /* activations */
    /* And speed, on paper. */
    DO(bnd_machine_find(&h100, "h100", &why));
    DO(bnd_machine_peak(&slow, &h100, "fp32", false, &why));
    DO(bnd_machine_peak(&fast, &h100, "bf16", false, &why));
    CU_ASSERT_TRUE(fast > 10 * slow);
}

/* Gradients in fp16 underflow; a loss scale, fixed or dynamic, brings them back. bf16 needs none. */
static void test_loss_scale(void)
{
    outcome without = train("fp16-amp-noscale", 4), bf16 = train("bf16-amp", 4);
    outcome fixed = train("fp16-amp-static", scaled(STEPS)), dynamic = train("fp16-amp", scaled(STEPS));
    CU_ASSERT_TRUE(flushed(&without, BND_ROLE_DGRAD_DX) > 1e-3);
    CU_ASSERT_TRUE(flushed(&fixed, BND_ROLE_DGRAD_DX) < 1e-2 * flushed(&without, BND_ROLE_DGRAD_DX));
    CU_ASSERT_TRUE(flushed(&dynamic, BND_ROLE_DGRAD_DX) < 1e-2 * flushed(&without, BND_ROLE_DGRAD_DX));
    CU_ASSERT_EQUAL(flushed(&bf16, BND_ROLE_DGRAD_DX), 0);
    CU_ASSERT_TRUE(learns_if_all(&fixed) && learns_if_all(&dynamic));
}

/* E4M3 forward, E5M2 backward, a scale for each tensor: from a history of its largest numbers, or from itself. Without
 * scales a fifth of the gradients is lost, and E4M3 for all of them does not learn. */
static void test_fp8(void)
{
    static const char *const scaled_recipes[] = {"fp8-delayed", "fp8-current"};
    const double unscaled_steps[] = {1.01, 0}; /* in the first step there is no history yet */
    outcome unscaled = train("fp8-unscaled", 4), first = train("base=fp8-unscaled,matmul=bf16", 1),
            e4m3 = train("fp8-e4m3-unscaled", scaled(STEPS));
    CU_ASSERT_TRUE(flushed(&unscaled, BND_ROLE_DGRAD_DY) > 0.05);
    CU_ASSERT_FALSE(learns(&e4m3));
    for (size_t i = 0; i < sizeof scaled_recipes / sizeof scaled_recipes[0]; i++) {
        bnd_policy policy;
        bnd_error why;
        outcome o = train(scaled_recipes[i], scaled(STEPS));
        DO(bnd_policy_parse(&policy, scaled_recipes[i], &why));
        CU_ASSERT_STRING_EQUAL(policy.cast[BND_ROLE_FWD_X].format.name, "e4m3");
        CU_ASSERT_STRING_EQUAL(policy.cast[BND_ROLE_FWD_W].format.name, "e4m3");
        CU_ASSERT_STRING_EQUAL(policy.cast[BND_ROLE_DGRAD_DY].format.name, "e5m2");
        CU_ASSERT_STRING_EQUAL(policy.cast[BND_ROLE_WGRAD_DY].format.name, "e5m2");
        CU_ASSERT_NOT_EQUAL(policy.cast[BND_ROLE_FWD_X].scaling[0], 0);
        double share = 0.01 + unscaled_steps[i] / (double)scaled(STEPS);
        CU_ASSERT_TRUE(flushed(&o, BND_ROLE_DGRAD_DY) < share * flushed(&first, BND_ROLE_DGRAD_DY));
        CU_ASSERT_TRUE(learns_if_all(&o));
    }
}

CU_TestInfo lecture_precision[] = {
    {"the table, measured", test_table},
    {"low precision in products", test_amp},
    {"loss scales", test_loss_scale},
    {"fp8 with scales", test_fp8},
    CU_TEST_INFO_NULL,
};
