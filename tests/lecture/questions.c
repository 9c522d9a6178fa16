/* Section 1: motivating questions, sums on the back of an envelope. */
#include "tests/lecture/lecture.h"

#include <binade-lab/cost.h>
#include <math.h>
#include <string.h>

static bnd_machine machine_named(const char *name)
{
    bnd_machine m;
    bnd_error why;
    DO(bnd_machine_find(&m, name, &why));
    return m;
}

static bnd_plan plan_of(const char *recipe)
{
    bnd_plan plan = {.zero = 3, .ranks = 1, .tensor = 1};
    bnd_error why;
    size_t row;
    DO(bnd_policy_parse(&plan.policy, recipe, &why));
    DO(bnd_optimizer_find(&row, "adamw", &why));
    plan.keeps = bnd_optimizer_keeps;
    plan.optimizer = row;
    return plan;
}

/* "How long would it take to train a model of 70B parameters on 15T tokens on 1024 H100s?" */
static void test_how_long(void)
{
    bnd_cost cost;
    bnd_error why;
    bnd_machine h100 = machine_named("h100");
    bnd_cost_of_time q = {
        .parameters = 70e9, .tokens = 15e12, .machines = 1024, .mfu = 0.5, .machine = &h100, .format = "bf16"};
    DO(bnd_cost_time(&cost, &q, &why));
    CU_ASSERT_DOUBLE_EQUAL(bnd_cost_value(&cost, "compute"), 6.3e24, 1e10);
    CU_ASSERT_DOUBLE_EQUAL(bnd_cost_value(&cost, "days"), 143.93, 0.005);
}

/* "What's the largest model that can you can train on 8 H100s using AdamW (naively)?", and the same with bf16. */
static void test_how_large(void)
{
    static const char *const recipes[] = {"fp32", "bf16-master"};
    for (int i = 0; i < 2; i++) {
        bnd_cost cost;
        bnd_error why;
        bnd_plan plan = plan_of(recipes[i]);
        DO(bnd_cost_fit(&cost, &plan, 8, 80e9, &why));
        CU_ASSERT_EQUAL(bnd_cost_value(&cost, "bytes"), 16);
        CU_ASSERT_EQUAL(bnd_cost_value(&cost, "parameters"), 40e9);
    }
}

static void test_state_of_70b(void)
{
    bnd_cost cost;
    bnd_error why;
    bnd_cost_of_memory q = {.plan = plan_of("fp32"), .parameters = 70e9};
    DO(bnd_cost_memory(&cost, &q, &why));
    CU_ASSERT_EQUAL(bnd_cost_value(&cost, "total"), 1.12e12);
}

/* GPT-3: 3.14e23. (What is told of GPT-4, 2e25, is speculation: 64 times as much.) */
static void test_gpt3(void)
{
    bnd_cost cost;
    bnd_error why;
    bnd_architecture gpt3;
    DO(bnd_architecture_find(&gpt3, "gpt3-175b", &why));
    CU_ASSERT_EQUAL(bnd_architecture_parameters(&gpt3), 174604259328);
    bnd_cost_of_flops q = {.model = &gpt3, .tokens = 300e9};
    DO(bnd_cost_flops(&cost, &q, &why));
    CU_ASSERT_DOUBLE_EQUAL(bnd_cost_value(&cost, "6 N D") / 3.14e23, 1, 0.02);
    CU_ASSERT_DOUBLE_EQUAL(2e25 / 3.14e23, 64, 1);
}

static void test_peaks(void)
{
    bnd_machine a100 = machine_named("a100"), h100 = machine_named("h100");
    double peak = 0;
    bnd_error why;
    DO(bnd_machine_peak(&peak, &a100, "bf16", false, &why));
    CU_ASSERT_EQUAL(peak, 312e12);
    DO(bnd_machine_peak(&peak, &h100, "bf16", true, &why));
    CU_ASSERT_EQUAL(peak, 1979e12);
    DO(bnd_machine_peak(&peak, &h100, "bf16", false, &why));
    CU_ASSERT_EQUAL(peak, 1979e12 / 2);
}

/* "8 H100s for 2 weeks" in the notes is a week. */
static void test_two_weeks(void)
{
    bnd_machine h100 = machine_named("h100");
    for (int weeks = 1; weeks <= 2; weeks++) {
        bnd_cost cost;
        bnd_error why;
        DO(bnd_cost_budget(&cost, 8, 7 * weeks, 1, &h100, "bf16", false, &why));
        CU_ASSERT_DOUBLE_EQUAL(bnd_cost_value(&cost, "compute"), weeks * 4.788e21, weeks * 0.001e21);
    }
}

/* Activations are not counted above: they grow with batch and sequence. */
static void test_activations(void)
{
    double bytes[3];
    for (int i = 0; i < 3; i++) {
        bnd_cost cost;
        bnd_error why;
        bnd_architecture llama;
        DO(bnd_architecture_find(&llama, "llama3-70b", &why));
        bnd_cost_of_memory q = {
            .plan = plan_of("bf16-master"), .model = &llama, .batch = i == 1 ? 2 : 1, .sequence = i == 2 ? 8192 : 4096};
        DO(bnd_cost_memory(&cost, &q, &why));
        bytes[i] = bnd_cost_value(&cost, "activations");
    }
    CU_ASSERT_EQUAL(bytes[1], 2 * bytes[0]);
    CU_ASSERT_TRUE(bytes[2] > 3 * bytes[0]); /* scores grow with its square */
}

CU_TestInfo lecture_questions[] = {
    {"144 days", test_how_long},
    {"40e9 parameters", test_how_large},
    {"1.12e12 bytes", test_state_of_70b},
    {"3.14e23 FLOP", test_gpt3},
    {"peaks", test_peaks},
    {"two weeks that are one", test_two_weeks},
    {"activations", test_activations},
    CU_TEST_INFO_NULL,
};
