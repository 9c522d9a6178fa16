/* What PyTorch measured on a GPU (pytorch.def), and what `binade cost` says of it: tensors to the byte, peaks of a step
 * within a per cent, FLOPs exactly. */
#include "tests/cost/tests.h"

#include <binade-lab/train.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct step {
    const char *name, *model, *recipe;
    bnd_recompute recompute;
    bool dropout;
    double batch, sequence, micro_batches, more_per_h, more_per_score, seeds;
    double layer, copies, grad, moments, activations, freed, kept, forward, training;
} steps[] = {
#define CASE(name, model, recipe, recompute, ...) {name, model, recipe, BND_RECOMPUTE_##recompute, __VA_ARGS__},
#include "tests/cost/pytorch.def"
#undef CASE
};
enum { STEPS = sizeof steps / sizeof steps[0] };

static bnd_architecture model_of(const struct step *s)
{
    bnd_architecture a = model_named(s->model);
    a.dropout = s->dropout;
    return a;
}

static bnd_cost memory_of(const struct step *s)
{
    bnd_cost cost;
    bnd_error why;
    bnd_architecture a = model_of(s);
    bnd_cost_of_memory q = {.plan = plan_of(s->recipe, "adamw"),
                            .model = &a,
                            .sequence = s->sequence,
                            .batch = s->batch,
                            .recompute = s->recompute};
    q.plan.micro_batches = s->micro_batches;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_memory(&cost, &q, &why), &why));
    return cost;
}

/* 0 where the answer does not have the step. */
static double value_of(const bnd_cost *cost, const char *step)
{
    double x = bnd_cost_value(cost, step);
    return isnan(x) ? 0 : x;
}

static double layer_with_more(const struct step *s, const bnd_cost *cost)
{
    const bnd_architecture a = model_of(s);
    const double tokens = s->sequence * s->batch / s->micro_batches, scores = (double)a.heads * s->sequence;
    return value_of(cost, "layer") + tokens * (s->more_per_h * (double)a.hidden + s->more_per_score * scores) +
           s->seeds;
}

static bool same(const struct step *s, const char *what, double expected, double measured)
{
    if (expected < measured || expected > measured) {
        printf("\n    %s, %s: %.0f on paper, %.0f measured\n", s->name, what, expected, measured);
    }
    return !(expected < measured || expected > measured);
}

static bool within(const struct step *s, const char *what, double expected, double measured, double share)
{
    bool near = fabs(expected - measured) <= share * measured;
    if (!near) {
        printf("\n    %s, %s: %.0f on paper, %.0f measured, %.4f\n", s->name, what, expected, measured,
               expected / measured);
    }
    return near;
}

/* Of a layer, of autocast's copies, of gradients and moments. Micro-batches have no second gradient. */
static void test_tensors(void)
{
    for (size_t i = 0; i < STEPS; i++) {
        const struct step *s = &steps[i];
        bnd_cost cost = memory_of(s);
        if (s->layer > 0) {
            CU_ASSERT_TRUE(same(s, "a layer", layer_with_more(s, &cost), s->layer));
            CU_ASSERT_TRUE(same(s, "copies", value_of(&cost, "copies"), s->copies));
        }
        CU_ASSERT_TRUE(same(s, "gradients", value_of(&cost, "grad") + value_of(&cost, "accumulate"), s->grad));
        CU_ASSERT_TRUE(same(s, "moments", value_of(&cost, "m") + value_of(&cost, "v"), s->moments));
    }
}

/* After a forward pass, with what is outside of the layers. What the figures leave out are masks and tables of
 * positions, which all layers share, and the last norm where norms are composed. Layers that are recomputed keep no
 * copies. */
static void test_activations(void)
{
    for (size_t i = 0; i < STEPS; i++) {
        const struct step *s = &steps[i];
        bnd_cost cost = memory_of(s);
        const bnd_architecture a = model_of(s);
        const double more = (double)a.layers * (layer_with_more(s, &cost) - value_of(&cost, "layer"));
        const double head = 2 * (double)a.vocabulary * (double)a.hidden, copies = value_of(&cost, "copies");
        const double left = copies > 0 && s->recompute == BND_RECOMPUTE_FULL ? head : copies;
        const double all = value_of(&cost, "activations") + value_of(&cost, "outside") + left + more;
        CU_ASSERT_TRUE(within(s, "activations", all, s->activations, s->layer == 0 ? 0.015 : more > 0 ? 4e-3 : 1e-4));
    }
}

/* Peaks of a step. Functions made of several operations are not counted. */
static void test_peaks(void)
{
    for (size_t i = 0; i < STEPS; i++) {
        const struct step *s = &steps[i];
        bnd_cost cost = memory_of(s);
        const bool composed = s->more_per_h > 0 || s->more_per_score > 0;
        const double freed = value_of(&cost, s->micro_batches > 1 ? "total" : "freed");
        CU_ASSERT_TRUE(within(s, "freed", freed, s->freed, composed ? 0.14 : 0.02));
        CU_ASSERT_TRUE(within(s, "total", value_of(&cost, "total"), s->kept, composed ? 0.14 : 0.02));
    }
}

/* Flash attention within layers that are recomputed takes half of attention's products more. transformers computes the
 * angles of its rotary embedding as a product. */
static void test_flops(void)
{
    for (size_t i = 0; i < STEPS; i++) {
        const struct step *s = &steps[i];
        const bnd_architecture a = model_of(s);
        bnd_cost cost;
        bnd_error why;
        bnd_cost_of_flops q = {.model = &a,
                               .sequence = s->sequence,
                               .tokens = s->sequence * s->batch / s->micro_batches,
                               .recompute = s->recompute};
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_flops(&cost, &q, &why), &why));
        if (s->training > 0) {
            const bool flash = s->recompute == BND_RECOMPUTE_FULL && strstr(s->name, "amp") != NULL;
            const double more = flash ? value_of(&cost, "attention") * (double)a.layers / 2 * q.tokens : 0;
            const bool angles = a.gated && strncmp(s->name, "plain", 5) != 0;
            const double rotary = angles ? (double)a.head_width * s->sequence : 0;
            CU_ASSERT_TRUE(same(s, "forward FLOPs", value_of(&cost, "forward") * q.tokens + rotary, s->forward));
            CU_ASSERT_TRUE(same(s, "training FLOPs", value_of(&cost, "compute") + more + rotary, s->training));
        }
    }
}

/* Of layers that are recomputed the peak is the largest of three moments. With a small vocabulary it is one layer.
 * Micro-batches keep gradients, and a table that is not tied has one gradient. */
static void test_moments(void)
{
    bnd_architecture a = model_named("llama2-7b");
    bnd_cost cost;
    bnd_error why;
    a.vocabulary = 10;
    bnd_cost_of_memory q = {
        .plan = plan_of("bf16-amp", "adamw"), .model = &a, .batch = 4, .recompute = BND_RECOMPUTE_FULL};
    a.layers = 1; /* so that autocast's copies are fewer than a layer's activations */
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_memory(&cost, &q, &why), &why));
    CU_ASSERT_EQUAL(value_of(&cost, "total"), value_of(&cost, "states") + value_of(&cost, "activations") +
                                                  value_of(&cost, "one layer") + 2.0 * 10 * (double)a.hidden);
    CU_ASSERT_EQUAL(value_of(&cost, "freed"), value_of(&cost, "total") - value_of(&cost, "grad"));
    q.recompute = BND_RECOMPUTE_NONE;
    q.sequence = 1;
    q.batch = 1;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_memory(&cost, &q, &why), &why));
    CU_ASSERT_EQUAL(value_of(&cost, "freed"), value_of(&cost, "states"));
    q.plan.micro_batches = 2;
    q.batch = 2;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_memory(&cost, &q, &why), &why));
    CU_ASSERT_EQUAL(value_of(&cost, "freed"), 0);
}

CU_TestInfo pytorch_tests[] = {
    {"tensors: to the byte", test_tensors},
    {"activations", test_activations},
    {"peaks of a step", test_peaks},
    {"moments of the peak", test_moments},
    {"FLOPs", test_flops},
    CU_TEST_INFO_NULL,
};
