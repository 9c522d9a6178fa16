/* What is worked out on paper is what a run of this library takes: bytes by role, and FLOPs. */
#include "tests/cost/tests.h"
#include "tests/support/operands.h"

#include <binade-lab/train.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct size {
    size_t width, depth, heads, context, vocabulary, batch;
    bool tied;
} size;

static const size sizes[] = {{16, 1, 2, 8, 11, 2, false}, {32, 3, 4, 16, 24, 3, true}, {24, 2, 3, 32, 50, 1, false}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static bnd_training training_of(const size *s, const char *recipe, const char *optimizer)
{
    bnd_training t;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, "transformer", optimizer, recipe, &why), &why));
    t.width = s->width;
    t.depth = s->depth;
    t.heads = s->heads;
    t.context = s->context;
    t.vocabulary = s->vocabulary;
    t.batch = s->batch;
    t.tied = s->tied;
    return t;
}

static bnd_architecture shape_of(const size *s)
{
    bnd_architecture a;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(
        succeeds(bnd_architecture_usual(&a, s->depth, s->width, s->heads, s->vocabulary, s->context, &why), &why));
    a.tied = s->tied;
    return a;
}

static bnd_account account_after_a_step(const bnd_training *t, bnd_step *step)
{
    bnd_run *run = NULL;
    bnd_error why;
    bnd_account a;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(step, run, &why), &why));
    bnd_engine_account(&a, bnd_run_engine(run));
    bnd_run_free(run);
    return a;
}

static bnd_cost memory_of(const bnd_architecture *a, const bnd_plan *plan, size_t batch, bool recompute)
{
    bnd_cost cost;
    bnd_error why;
    bnd_cost_of_memory q = {.plan = *plan,
                            .model = a,
                            .batch = (double)batch,
                            .recompute = recompute ? BND_RECOMPUTE_FULL : BND_RECOMPUTE_NONE};
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_memory(&cost, &q, &why), &why));
    return cost;
}

static uint64_t paper(const bnd_cost *cost, const char *step)
{
    double x = bnd_cost_value(cost, step);
    return isnan(x) ? 0 : (uint64_t)x;
}

static bool same_bytes(const bnd_cost *cost, bnd_role role, uint64_t measured, const char *recipe,
                       const char *optimizer)
{
    uint64_t expected = paper(cost, bnd_role_name(role));
    if (expected != measured) {
        printf("\n    %s, %s, %s: %llu on paper, %llu measured\n", recipe, optimizer, bnd_role_name(role),
               (unsigned long long)expected, (unsigned long long)measured);
    }
    return expected == measured;
}

/* What scales take that stay: those of gradients are gone after a step, and those of a parameter that is made for
 * one. */
static uint64_t scales_that_stay(const bnd_architecture *a, const bnd_plan *plan)
{
    static const bnd_role roles[] = {BND_ROLE_PARAM, BND_ROLE_MASTER, BND_ROLE_M, BND_ROLE_V, BND_ROLE_EXTRA};
    bnd_weight weights[BND_ARCHITECTURE_WEIGHTS_MAX];
    double sum = 0;
    size_t n = bnd_architecture_weights(weights, a);
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < sizeof roles / sizeof roles[0]; r++) {
            bnd_stored stored;
            bnd_error why;
            CU_ASSERT_FATAL(succeeds(bnd_plan_stored(&stored, plan, roles[r], &weights[i], &why), &why));
            sum += stored.transient ? 0 : (double)weights[i].copies * stored.scales;
        }
    }
    return (uint64_t)sum;
}

static void check_states(const size *s, const char *recipe, const char *optimizer)
{
    static const bnd_role roles[] = {BND_ROLE_PARAM, BND_ROLE_MASTER, BND_ROLE_M, BND_ROLE_V};
    bnd_architecture a = shape_of(s);
    bnd_training t = training_of(s, recipe, optimizer);
    bnd_plan plan = plan_of(recipe, optimizer);
    bnd_step step;
    bnd_account account = account_after_a_step(&t, &step);
    bnd_cost cost = memory_of(&a, &plan, t.batch, false);
    CU_ASSERT_EQUAL(paper(&cost, "parameters"), step.weights);
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        CU_ASSERT_TRUE(same_bytes(&cost, roles[i], account.bytes[roles[i]], recipe, optimizer));
    }
    CU_ASSERT_TRUE(same_bytes(&cost, BND_ROLE_GRAD, account.peak_by_role[BND_ROLE_GRAD], recipe, optimizer));
    uint64_t extra = paper(&cost, "extra") + scales_that_stay(&a, &plan) + paper(&cost, "histories");
    if (extra != account.bytes[BND_ROLE_EXTRA]) {
        printf("\n    %s, %s, extra: %llu on paper, %llu measured\n", recipe, optimizer, (unsigned long long)extra,
               (unsigned long long)account.bytes[BND_ROLE_EXTRA]);
    }
    CU_ASSERT_EQUAL(extra, account.bytes[BND_ROLE_EXTRA]);
}

/* Micro-batches: their sums in addition, and the activations of one. PyTorch has sums of their own only in recipes that
 * give their format. */
static void test_micro_batches(void)
{
    static const char *const recipes[] = {"fp32", "bf16-master,accumulate=bf16", "grad=e4m3/tensor,accumulate=fp16"};
    size s = sizes[0];
    bnd_architecture a = shape_of(&s);
    for (size_t i = 0; i < 3; i++) {
        bnd_training one = training_of(&s, recipes[i], "adamw"), t = one;
        bnd_plan plan = plan_of(recipes[i], "adamw"), divided = plan;
        bnd_step step;
        t.batch = 3 * s.batch;
        t.micro_batches = 3;
        divided.micro_batches = 3;
        bnd_account whole = account_after_a_step(&one, &step), account = account_after_a_step(&t, &step);
        bnd_cost part = memory_of(&a, &plan, s.batch, false), cost = memory_of(&a, &divided, t.batch, false);
        if (plan.policy.cast[BND_ROLE_ACCUMULATE].given) {
            CU_ASSERT_TRUE(
                same_bytes(&cost, BND_ROLE_ACCUMULATE, account.peak_by_role[BND_ROLE_ACCUMULATE], recipes[i], "adamw"));
        } else {
            CU_ASSERT_EQUAL(paper(&cost, "accumulate"), 0);
        }
        CU_ASSERT_TRUE(same_bytes(&cost, BND_ROLE_GRAD, account.peak_by_role[BND_ROLE_GRAD], recipes[i], "adamw"));
        CU_ASSERT_TRUE(account.peak_by_role[BND_ROLE_ACCUMULATE] > 0);
        CU_ASSERT_EQUAL(account.saved, whole.saved);
        CU_ASSERT_EQUAL(paper(&cost, "activations"), paper(&part, "activations"));
        CU_ASSERT_EQUAL(paper(&cost, "total"), paper(&part, "total") + paper(&cost, "accumulate"));
    }
    bnd_cost cost = {.steps = 0};
    bnd_error why;
    bnd_cost_of_memory q = {.plan = plan_of("fp32", "adamw"), .model = &a, .batch = 4};
    q.plan.micro_batches = 3;
    CU_ASSERT_TRUE(refuses(bnd_cost_memory(&cost, &q, &why), &why, "a batch of 4 cannot be divided into 3"));
    CU_ASSERT_EQUAL(cost.steps, 0);
}

/* Every recipe under every optimizer, to the byte. */
static void test_states(void)
{
    for (size_t r = 0; r < bnd_recipe_count(); r++) {
        for (size_t o = 0; o < bnd_optimizer_count(); o++) {
            check_states(&sizes[0], bnd_recipe_name(r), bnd_optimizer_name(o));
        }
    }
}

/* Recipes that nobody has named: widths that share bytes, scales of several kinds, several roles changed at once; and a
 * size at which moments in codes of a byte are worth it. */
static void test_custom_recipes(void)
{
    static const size wide = {64, 1, 2, 8, 80, 1, false};
    static const char *const recipes[] = {"param=e2m1,grad=e3m2,m=e2m3,v=fp16", "base=bf16-master,v=e5m2,m=e4m3",
                                          "base=bf16-kahan,extra=e4m3,m=none", "master=fp64,param=fp16",
                                          "base=bf16-master,m=mxfp8,v=nvfp4,master=fp16/row"};
    for (size_t r = 0; r < sizeof recipes / sizeof recipes[0]; r++) {
        check_states(&sizes[2], recipes[r], "adamw");
    }
    check_states(&wide, "adam8bit", "adamw");
    check_states(&wide, "adam8bit", "lion");
    check_states(&wide, "fp8-lm", "adafactor");
}

/* A table that is the head, too, is one parameter less; while its two gradients are added, both are there. */
static void test_tied(void)
{
    const size *s = &sizes[1];
    bnd_architecture a = shape_of(s);
    bnd_training t = training_of(s, "fp32", "adamw");
    bnd_plan plan = plan_of("fp32", "adamw");
    bnd_step step;
    bnd_account account = account_after_a_step(&t, &step);
    bnd_cost cost = memory_of(&a, &plan, t.batch, false);
    CU_ASSERT_EQUAL(paper(&cost, "parameters"), step.weights);
    CU_ASSERT_EQUAL(paper(&cost, "param"), account.bytes[BND_ROLE_PARAM]);
    CU_ASSERT_EQUAL(paper(&cost, "grad") + 4 * s->vocabulary * s->width, account.peak_by_role[BND_ROLE_GRAD]);
}

/* ---- memory of runs: parameters, gradients, master, states, and what is saved for the backward pass ---- */

static bnd_trained trained_of(const bnd_training *t)
{
    return (bnd_trained){t->model,      t->width,  t->depth, t->heads, t->context,
                         t->vocabulary, t->inputs, t->tied,  t->blocks};
}

static bnd_cost memory_of_training(const bnd_training *t)
{
    bnd_cost cost;
    bnd_error why;
    bnd_trained trained = trained_of(t);
    bnd_cost_of_memory q = {.plan = plan_of("fp32", t->optimizer),
                            .trained = &trained,
                            .batch = (double)t->batch,
                            .recompute = t->recompute ? BND_RECOMPUTE_FULL : BND_RECOMPUTE_NONE};
    q.plan.policy = t->policy;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_memory(&cost, &q, &why), &why));
    return cost;
}

static double sum_of_roles(const bnd_account *a)
{
    static const bnd_role roles[] = {BND_ROLE_PARAM, BND_ROLE_MASTER, BND_ROLE_GRAD,
                                     BND_ROLE_M,     BND_ROLE_V,      BND_ROLE_EXTRA};
    uint64_t sum = a->saved;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        sum += a->peak_by_role[roles[i]];
    }
    return (double)sum;
}

static void check_training(const bnd_training *t, const char *recipe)
{
    bnd_step step;
    bnd_account a = account_after_a_step(t, &step);
    bnd_cost cost = memory_of_training(t);
    double saved = bnd_cost_value(&cost, "activations"), total = bnd_cost_value(&cost, "total");
    if (saved != (double)a.saved || total != sum_of_roles(&a)) {
        printf("\n    %s, %s, width %zu, recompute %d: saved %.0f on paper, %llu measured; total %.0f, %.0f\n",
               t->model, recipe, t->width, t->recompute, saved, (unsigned long long)a.saved, total, sum_of_roles(&a));
    }
    CU_ASSERT_EQUAL(saved, (double)a.saved);
    CU_ASSERT_EQUAL(total, sum_of_roles(&a));
}

static const char *const models[] = {"mlp", "linear", "logistic", "quadratic", "student"};
enum { MODELS = sizeof models / sizeof models[0] };

static bnd_training small_training(const char *model, const char *recipe, size_t width)
{
    bnd_training t;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, model, "adamw", recipe, &why), &why));
    t.width = width;
    t.batch = strcmp(model, "quadratic") == 0 ? 1 : 6;
    return t;
}

/* Transformers with options. */
static const struct variant {
    const char *model;
    size_t heads, batch;
    bool tied;
    bnd_transformer blocks;
} variants[] = {
    {"llama", 4, 2, false, {.kv_heads = 2}},
    {"llama", 4, 3, true, {.kv_heads = 1, .head_width = 6, .qk_norm = true, .z_loss = 1e-3}},
    {"gpt2", 4, 2, true, {.positions = 20}},
    {"gpt2", 2, 2, false, {.norm = "rmsnorm", .position = "rope", .mlp = "geglu", .no_bias = true}},
    {"transformer", 4, 2, false, {.kv_heads = 2, .position = "rope", .mlp = "swiglu", .mlp_width = 48}},
    {"transformer", 2, 1, true, {.position = "none", .mlp = "relu", .qk_norm = true, .no_bias = true, .z_loss = 1}},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static void check_variant(const struct variant *v, const char *recipe, bool recompute)
{
    const size s = {32, 2, v->heads, 8, 19, v->batch, v->tied};
    bnd_training t = training_of(&s, recipe, "adamw");
    strcpy(t.model, v->model);
    t.blocks = v->blocks;
    t.recompute = recompute;
    check_training(&t, recipe);
}

static void check_recipe(const char *recipe)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        check_variant(&variants[i], recipe, (i + strlen(recipe)) % 2 == 0);
    }
    for (size_t s = 0; s < SIZES; s++) {
        for (int recompute = 0; recompute < 2; recompute++) {
            bnd_training t = training_of(&sizes[s], recipe, "adamw");
            t.recompute = recompute == 1;
            check_training(&t, recipe);
        }
    }
    for (size_t m = 0; m < MODELS; m++) {
        bnd_training t = small_training(models[m], recipe, 40);
        check_training(&t, recipe);
    }
}

/* What a run measures is what is worked out on paper: to the byte, whatever the recipe. */
static void test_memory(void)
{
    static const char *const custom[] = {"saved=bf16",
                                         "saved=e4m3",
                                         "saved=e4m3:sr",
                                         "act=bf16,saved=e2m1",
                                         "saved=bf16,gemm_wgrad.x=e4m3/mx",
                                         "gemm_wgrad.x=e2m1/nvfp4,matmul=e4m3",
                                         "gemm_dgrad.w=e3m2",
                                         "gemm=e4m3/tile:1x128,high_last=50",
                                         "bf16-amp,attn.p=e4m3,attn.v=e4m3/current,attn.o=e5m2",
                                         "gemm=bf16,attn=e4m3/delayed,attn_out=fp16",
                                         "bf16-pure,attn.o=e4m3",
                                         "bf16-amp,act=e4m3",
                                         "attn.o=fp64",
                                         "bf16-amp,act=fp64",
                                         "fp8-current,careful=fp64",
                                         "bf16-master,gemm_out=e4m3",
                                         "mxfp8,gemm_fwd.y=fp64",
                                         "gemm=bf16,param=fp64"};
    for (size_t r = 0; r < bnd_recipe_count(); r++) {
        if (in_turn(r, 3)) {
            check_recipe(bnd_recipe_name(r));
        }
    }
    for (size_t r = 0; r < sizeof custom / sizeof custom[0]; r++) {
        if (in_turn(r, 3)) {
            check_recipe(custom[r]);
        }
    }
}

static uint64_t products(const bnd_account *a, bnd_phase phase)
{
    return a->flops[phase][BND_TENSOR_OP_MATMUL] + a->flops[phase][BND_TENSOR_OP_LINEAR];
}

/* The engine counts one FLOP for each bias that a product adds, which 2 B D K does not. */
static double biases_of_a_token(const bnd_architecture *a)
{
    return (double)a->layers * (double)(3 * a->hidden + a->hidden + a->feed_forward + a->hidden);
}

static void test_flops(void)
{
    for (size_t s = 0; s < SIZES; s++) {
        for (int recompute = 0; recompute < 2; recompute++) {
            bnd_architecture a = shape_of(&sizes[s]);
            bnd_training t = training_of(&sizes[s], "fp32", "sgd");
            bnd_cost cost;
            bnd_error why;
            bnd_step step;
            bnd_cost_of_flops q = {.model = &a, .recompute = recompute == 1 ? BND_RECOMPUTE_FULL : BND_RECOMPUTE_NONE};
            t.recompute = recompute == 1;
            bnd_account account = account_after_a_step(&t, &step);
            CU_ASSERT_TRUE_FATAL(succeeds(bnd_cost_flops(&cost, &q, &why), &why));
            double tokens = (double)(t.batch * t.context), forward = bnd_cost_value(&cost, "forward") * tokens;
            double all = bnd_cost_value(&cost, "training") * tokens;
            double biases = biases_of_a_token(&a) * tokens;
            CU_ASSERT_EQUAL((double)products(&account, BND_PHASE_FORWARD), forward + biases);
            CU_ASSERT_EQUAL((double)products(&account, BND_PHASE_BACKWARD), 2 * forward);
            CU_ASSERT_EQUAL((double)products(&account, BND_PHASE_RECOMPUTE),
                            all - 3 * forward + (recompute == 1 ? biases : 0));
        }
    }
}

CU_TestInfo measured_tests[] = {
    {"micro-batches", test_micro_batches},
    {"parameters, gradients, master, states: to the byte", test_states},
    {"custom recipes", test_custom_recipes},
    {"a tied head", test_tied},
    {"memory of runs", test_memory},
    {"FLOPs", test_flops},
    CU_TEST_INFO_NULL,
};
