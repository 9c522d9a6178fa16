/* A run of one's own model: the same bits as the built-in model that computes the same, under every recipe; and what is
 * refused. Tensors of a role are stored as the policy says. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- an mlp by the public calls, beside the built-in one ---- */

enum { INPUTS = 12, WIDTH = 20, CLASSES = 10, BATCH = 6, STEPS = 4, PARAMETERS = 4 };

static bnd_training small_mlp(const char *optimizer, const char *recipe)
{
    bnd_training t = training_of("mlp", optimizer, recipe);
    t.inputs = INPUTS;
    t.width = WIDTH;
    t.depth = 1;
    t.batch = BATCH;
    t.weight_decay = t.weight_decay > 0 ? 0.125 : 0;
    return t;
}

static bnd_run *own_run_of(const bnd_training *training)
{
    bnd_run *run = NULL;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, training, NULL, &why), &why));
    return run;
}

/* The parameters of `from` with their first numbers, the master's where there is one. */
static void copy_parameters(bnd_run *run, const bnd_run *from)
{
    float x[WIDTH * WIDTH];
    for (size_t i = 0; i < PARAMETERS; i++) {
        bnd_error why;
        size_t index = SIZE_MAX;
        const bndi_parameter *p = &from->parameter[i];
        const bnd_tensor *w = p->master != NULL ? p->master : p->value;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(x, bnd_tensor_count(w), w, &why), &why));
        CU_ASSERT_TRUE_FATAL(succeeds(
            bnd_run_add_parameter(&index, run, p->name, x, bnd_tensor_shape(w), bnd_tensor_rank(w), i % 2 == 0, &why),
            &why));
        CU_ASSERT_EQUAL(index, i);
    }
}

static bnd_tensor *copy_of(bnd_run *to, const bnd_tensor *t)
{
    double x[BATCH * INPUTS];
    bnd_tensor *copy = NULL;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(x, bnd_tensor_count(t), t, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_from_f64(&copy, bnd_run_engine(to), bnd_tensor_format(t), x,
                                                      bnd_tensor_shape(t), bnd_tensor_rank(t), BND_ROLE_DATA, &why),
                                  &why));
    return copy;
}

static bnd_tensor *linear(bnd_run *run, bnd_tensor *x, size_t first)
{
    bnd_tensor *in[] = {x, bnd_run_use_parameter(run, first), bnd_run_use_parameter(run, first + 1)};
    bnd_tensor *y = NULL;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_apply(&y, BND_TENSOR_OP_LINEAR, in, 3, NULL, &why), &why));
    return y;
}

/* The loss of the built-in model's batch. */
static bnd_tensor *loss_of(bnd_run *run, bnd_run *model, uint64_t purpose)
{
    bndi_batch batch;
    bnd_error why;
    bnd_tensor *hidden = NULL, *loss = NULL;
    bnd_mark mark = bnd_engine_mark(bnd_run_engine(model));
    CU_ASSERT_TRUE_FATAL(succeeds(model->source.batch(&batch, model, purpose, &why), &why));
    bnd_tensor *x = copy_of(run, batch.x), *y = copy_of(run, batch.y);
    bnd_engine_release_since(bnd_run_engine(model), mark, NULL, 0);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_map(&hidden, BND_TENSOR_OP_RELU, linear(run, x, 0), &why), &why));
    CU_ASSERT_TRUE_FATAL(
        succeeds(bnd_tensor_pair(&loss, BND_TENSOR_OP_CROSS_ENTROPY, linear(run, hidden, 2), y, &why), &why));
    return loss;
}

static bnd_step own_step(bnd_run *run, bnd_run *model, uint64_t number)
{
    bnd_step step = {.loss = NAN};
    bnd_error why;
    bnd_mark mark = bnd_engine_mark(bnd_run_engine(run));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_begin_step(run, &why), &why));
    bnd_tensor *loss = loss_of(run, model, bndi_purpose(BNDI_OF_DATA, number));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_end_step(&step, run, loss, &why), &why));
    bnd_engine_release_since(bnd_run_engine(run), mark, NULL, 0);
    return step;
}

static bool same_tensor(const bnd_tensor *a, const bnd_tensor *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    size_t n = bnd_tensor_count(a);
    double *x = calloc(2 * n, sizeof *x);
    bnd_error why;
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(x, n, a, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(x + n, n, b, &why), &why));
    bool same = bnd_tensor_count(b) == n && bnd_format_same(bnd_tensor_format(a), bnd_tensor_format(b)) &&
                memcmp(x, x + n, n * sizeof *x) == 0;
    free(x);
    return same;
}

static bool same_runs(const bnd_run *a, const bnd_run *b)
{
    bool same = true;
    for (size_t i = 0; i < PARAMETERS; i++) {
        for (size_t row = 0; row < BNDI_KEPT; row++) {
            bndi_parameter p = a->parameter[i], q = b->parameter[i];
            same = same && same_tensor(*bndi_kept_of(&p, row), *bndi_kept_of(&q, row));
        }
    }
    return same;
}

static void compare_with_built_in(const char *optimizer, const char *recipe)
{
    bnd_training t = small_mlp(optimizer, recipe);
    bnd_run *model = run_of(&t, NULL), *own = own_run_of(&t);
    copy_parameters(own, model);
    bool same = true;
    for (uint64_t i = 0; i < STEPS; i++) {
        bnd_step a = own_step(own, model, i), b = step_of(model);
        same = same && (a.loss == b.loss || (isnan(a.loss) && isnan(b.loss))) && a.updates == b.updates &&
               a.skipped == b.skipped && a.loss_scale == b.loss_scale && a.weights == b.weights;
    }
    same = same && same_runs(own, model);
    if (!same) {
        printf("\n    %s, %s: other bits than the built-in model\n", optimizer, recipe);
    }
    CU_ASSERT_TRUE(same);
    bnd_run_free(own);
    bnd_run_free(model);
}

static void test_same_as_built_in(void)
{
    for (size_t r = 0; r < bnd_recipe_count(); r++) {
        compare_with_built_in("adamw", bnd_recipe_name(r));
    }
    for (size_t o = 0; o < bnd_optimizer_count(); o++) {
        compare_with_built_in(bnd_optimizer_name(o), "bf16-amp");
        compare_with_built_in(bnd_optimizer_name(o), "param=transient:e4m3/mx,master=fp32,m=e4m3/row,grad=bf16");
    }
}

/* ---- what belongs to a role ---- */

static bnd_tensor *tensor_for(bnd_engine *engine, const char *recipe, bnd_role role)
{
    bnd_policy policy;
    bnd_tensor *t = NULL;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&policy, recipe, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_engine_set_policy(engine, &policy, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_new_for(&t, engine, (size_t[]){4, 64}, 2, role, &why), &why));
    return t;
}

static void test_roles_reach_tensors(void)
{
    static const struct {
        const char *recipe;
        bnd_role role;
        size_t bytes, scales; /* of a tensor of 4 times 64 */
        double stored;        /* what becomes of 1.0001 */
    } cases[] = {
        {"fp32", BND_ROLE_PARAM, 1024, 0, 1.00010001659393310546875},
        {"fp16-pure", BND_ROLE_PARAM, 512, 0, 1},
        {"fp16-amp", BND_ROLE_PARAM, 1024, 0, 1.00010001659393310546875},
        {"param=e4m3/mx", BND_ROLE_PARAM, 256, 8, 1},
        {"m=e4m3/row", BND_ROLE_M, 256, 16, 1.00010001659393310546875}, /* the scale is max / 448 */
        {"v=e5m2/mx", BND_ROLE_V, 256, 8, 1},
        {"grad=bf16", BND_ROLE_GRAD, 512, 0, 1},
    };
    bnd_engine *engine = NULL;
    bnd_error why;
    float x[256];
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_engine_new(&engine, NULL, &why), &why));
    for (size_t i = 0; i < 256; i++) {
        x[i] = 1.0001f;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t scales = 0;
        double stored = NAN;
        bnd_account before, after;
        bnd_engine_account(&before, engine);
        bnd_tensor *t = tensor_for(engine, cases[i].recipe, cases[i].role);
        bnd_engine_account(&after, engine);
        CU_ASSERT_TRUE(succeeds(bnd_tensor_write_f32(t, x, 256, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_get(&stored, t, (size_t[]){3, 63}, 2, &why), &why));
        CU_ASSERT_DOUBLE_EQUAL(stored, cases[i].stored, 1e-7);
        CU_ASSERT_EQUAL(bnd_tensor_scales(t, &scales) != NULL, cases[i].scales > 0);
        CU_ASSERT_EQUAL(scales, cases[i].scales);
        CU_ASSERT_EQUAL(after.bytes[cases[i].role] - before.bytes[cases[i].role], cases[i].bytes);
        bnd_tensor_release(t);
    }
    bnd_policy policy;
    bnd_tensor *t = NULL;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&policy, "fp8-current", &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_engine_set_policy(engine, &policy, &why), &why));
    CU_ASSERT_EQUAL(bnd_tensor_new_for(&t, engine, (size_t[]){4}, 1, BND_ROLE_FWD_X, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_tensor_new_for(&t, engine, (size_t[]){4}, 1, BND_ROLE_COUNT, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NULL(t);
    bnd_engine_free(engine);
}

/* ---- between steps ---- */

/* A step that is given up changes no weight, and one after it is as if it had not been; an evaluation, too. */
static void test_given_up(void)
{
    bnd_training t = small_mlp("adamw", "bf16-sr");
    bnd_run *model = run_of(&t, NULL), *own = own_run_of(&t);
    bnd_error why;
    bnd_step step = {.step = 77};
    copy_parameters(own, model);
    CU_ASSERT_TRUE(succeeds(bnd_run_begin_step(own, &why), &why));
    (void)loss_of(own, model, 5);
    CU_ASSERT_TRUE(succeeds(bnd_run_end_step(&step, own, NULL, &why), &why));
    CU_ASSERT_EQUAL(step.step, 77);
    CU_ASSERT_TRUE(same_runs(own, model));
    CU_ASSERT_TRUE(succeeds(bnd_run_begin_evaluation(own, &why), &why));
    (void)loss_of(own, model, 6);
    CU_ASSERT_TRUE(succeeds(bnd_run_end_evaluation(own, &why), &why));
    CU_ASSERT_TRUE(bnd_engine_tape(bnd_run_engine(own)));
    CU_ASSERT_EQUAL(own_step(own, model, 0).loss, step_of(model).loss);
    CU_ASSERT_TRUE(same_runs(own, model));
    bnd_run_free(own);
    bnd_run_free(model);
}

static void test_checkpoint(void)
{
    char path[] = "own-XXXXXX";
    bnd_training t = small_mlp("adamw", "fp16-amp");
    bnd_run *model = run_of(&t, NULL), *own = own_run_of(&t), *other = own_run_of(&t);
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(mkstemp(path) >= 0);
    copy_parameters(own, model);
    copy_parameters(other, model);
    (void)own_step(own, model, 0);
    CU_ASSERT_TRUE(succeeds(bnd_run_save(own, path, &why), &why));
    (void)own_step(own, model, 1);
    CU_ASSERT_TRUE(succeeds(bnd_run_load(other, path, &why), &why));
    (void)own_step(other, model, 1);
    CU_ASSERT_TRUE(same_runs(own, other));
    CU_ASSERT_EQUAL(bnd_run_load(model, path, &why), BND_BAD_ARGUMENT);
    (void)remove(path);
    bnd_run_free(other);
    bnd_run_free(own);
    bnd_run_free(model);
}

/* Gradient descent with gradients from outside: the training's rates, then rates of each parameter. */
static void test_update(void)
{
    bnd_training t = training_of("own", "sgd", "fp16-amp-static");
    t.lr = 0.5;
    bnd_run *run = own_run_of(&t);
    bnd_step step = {.loss = 0};
    bnd_error why;
    float w[2];
    for (size_t i = 0; i < 2; i++) {
        size_t index;
        CU_ASSERT_TRUE_FATAL(succeeds(
            bnd_run_add_parameter(&index, run, i == 0 ? "a" : "b", (float[]){1, 2}, (size_t[]){2}, 1, true, &why),
            &why));
    }
    CU_ASSERT_TRUE(refuses(bnd_run_update(&step, run, 3, NULL, &why), &why, "between steps"));
    CU_ASSERT_EQUAL(bnd_run_loss_scale(run), 65536);
    const bnd_step_rates rates[] = {{.lr = 0.25}, {.lr = 0.5, .weight_decay = 0.5}};
    for (unsigned i = 0; i < 2; i++) {
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_begin_step(run, &why), &why));
        for (size_t p = 0; p < 2; p++) {
            CU_ASSERT_TRUE_FATAL(succeeds(
                bnd_tensor_set_gradient(bnd_run_parameter(run, p, BND_ROLE_PARAM), (float[]){65536, 0}, 2, &why),
                &why));
        }
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_update(&step, run, 3, i == 0 ? NULL : rates, &why), &why));
        CU_ASSERT_TRUE(step.loss == 3 && step.step == i && step.lr == (i == 0 ? 0.5 : 0.25));
    }
    /* a: 1 - 0.5 - 0.25; b: 0.5 - 0.5 (1 + 0.5 0.5), 2 - 0.5 0.5 2 */
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(w, 2, bnd_run_parameter(run, 0, BND_ROLE_PARAM), &why), &why));
    CU_ASSERT_TRUE(w[0] == 0.25f && w[1] == 2);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(w, 2, bnd_run_parameter(run, 1, BND_ROLE_PARAM), &why), &why));
    CU_ASSERT_TRUE(w[0] == -0.125f && w[1] == 1.5f);
    bnd_run_free(run);
}

static void test_refused_calls(void)
{
    bnd_training t = small_mlp("adafactor", "bf16-amp");
    bnd_run *model = run_of(&t, NULL), *own = own_run_of(&t), *none = NULL;
    bnd_error why;
    bnd_step step;
    double loss;
    size_t index = 5, shape[] = {2, 3};
    const char *const bad_names[] = {"", "w.m", "carried",
                                     "a name of more than sixty-three bytes, which is longer than a name can be"};
    CU_ASSERT_EQUAL(bnd_run_begin_step(model, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_run_add_parameter(&index, model, "w", NULL, shape, 2, true, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_run_begin_step(own, &why), BND_BAD_ARGUMENT); /* no parameters */
    CU_ASSERT_EQUAL(bnd_run_step(&step, own, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_run_validate(&loss, own, 1, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_run_end_step(&step, own, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_run_end_evaluation(own, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NULL(bnd_run_use_parameter(own, 0));
    for (size_t i = 0; i < sizeof bad_names / sizeof bad_names[0]; i++) {
        CU_ASSERT_EQUAL(bnd_run_add_parameter(&index, own, bad_names[i], NULL, shape, 2, true, &why), BND_BAD_NAME);
    }
    CU_ASSERT_EQUAL(bnd_run_add_parameter(&index, own, "w", NULL, shape, 0, true, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(index, 5);
    CU_ASSERT_TRUE(succeeds(bnd_run_add_parameter(&index, own, "w", NULL, shape, 2, true, &why), &why));
    CU_ASSERT_EQUAL(bnd_run_add_parameter(&index, own, "w", NULL, shape, 2, true, &why), BND_BAD_NAME);
    CU_ASSERT_TRUE(succeeds(bnd_run_begin_step(own, &why), &why));
    CU_ASSERT_EQUAL(bnd_run_begin_step(own, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NULL(bnd_run_use_parameter(own, 1));
    CU_ASSERT_PTR_NOT_NULL(bnd_run_use_parameter(own, 0));
    CU_ASSERT_EQUAL(bnd_run_end_step(&step, own, bnd_run_parameter(own, 0, BND_ROLE_PARAM), &why), BND_BAD_ARGUMENT);
    CU_ASSERT_TRUE(succeeds(bnd_run_begin_step(own, &why), &why)); /* the step was given up */
    CU_ASSERT_TRUE(succeeds(bnd_run_end_step(&step, own, NULL, &why), &why));
    memcpy(t.model, "own", 4);
    CU_ASSERT_EQUAL(bnd_run_new(&none, &t, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NULL(none);
    bnd_run_free(own);
    bnd_run_free(model);
}

CU_TestInfo own_tests[] = {
    {"the same bits as the built-in model", test_same_as_built_in},
    {"a tensor of a role is stored as the policy says", test_roles_reach_tensors},
    {"a step that is given up", test_given_up},
    {"a checkpoint", test_checkpoint},
    {"gradients of the caller", test_update},
    {"calls that are refused", test_refused_calls},
    CU_TEST_INFO_NULL,
};
