/* Exceptions of a recipe: settings of some layers. */
#include "recipes.h"
#include "tests/support/allocations.h"
#include "tests/support/folder.h"
#include "tests/support/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of all parameters are the same, bit for bit. */
static bool same_numbers(bnd_run *a, bnd_run *b)
{
    bool same = bnd_run_parameters(a) == bnd_run_parameters(b);
    for (size_t i = 0; same && i < bnd_run_parameters(a); i++) {
        for (bnd_role part = BND_ROLE_PARAM; same && part <= BND_ROLE_EXTRA; part++) {
            const bnd_tensor *x = bnd_run_parameter(a, i, part), *y = bnd_run_parameter(b, i, part);
            same = (x == NULL) == (y == NULL);
            if (!same || x == NULL) {
                continue;
            }
            const size_t n = bnd_tensor_count(x);
            double *numbers = calloc(2 * n, sizeof *numbers);
            CU_ASSERT_PTR_NOT_NULL_FATAL(numbers);
            numbers_of(numbers, n, a, i, part);
            numbers_of(numbers + n, n, b, i, part);
            same = memcmp(numbers, numbers + n, n * sizeof *numbers) == 0 && bnd_tensor_bytes(x) == bnd_tensor_bytes(y);
            free(numbers);
        }
    }
    return same;
}

static bnd_training small(const char *model, const char *recipe)
{
    bnd_training t = training_of(model, "adamw", recipe);
    if (strcmp(model, "transformer") == 0) {
        t = small_transformer(recipe);
    }
    t.batch = 4;
    return t;
}

static bool train_alike(const char *model, const char *recipe, const char *other, bool wanted)
{
    bnd_training of_a = small(model, recipe), of_b = small(model, other);
    bnd_run *a = run_of(&of_a, NULL), *b = run_of(&of_b, NULL);
    const double loss_a = steps_of(a, 2).loss, loss_b = steps_of(b, 2).loss;
    const bool alike = (loss_a == loss_b || (isnan(loss_a) && isnan(loss_b))) && same_numbers(a, b);
    if (alike != wanted) {
        printf("\n    %s: %s and %s: %a, %a\n", model, recipe, other, loss_a, loss_b);
    }
    bnd_run_free(a);
    bnd_run_free(b);
    return alike;
}

/* An exception of every layer is the recipe of the whole; one that changes nothing changes nothing. */
static void test_everywhere(void)
{
    static const char *const recipes[] = {"bf16-amp",  "bf16-pure",   "bf16-sr", "bf16-kahan", "fp8-delayed",
                                          "fp8-block", "mxfp8-norms", "fp8-lm",  "adam8bit",   "fp16-amp-noscale"};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        char text[128];
        const char *model = i % 3 == 0 ? "mlp" : i % 3 == 1 ? "transformer" : "student";
        snprintf(text, sizeof text, "fp32,*:base=%s", recipes[i]);
        CU_ASSERT_TRUE(train_alike(model, text, recipes[i], true));
        snprintf(text, sizeof text, "%s,*:fp32", recipes[i]);
        CU_ASSERT_TRUE(train_alike(model, text, "fp32", true));
    }
    CU_ASSERT_TRUE(
        train_alike("transformer", "nvfp4,blocks.1.*:gemm_fwd.x=none,*:base=fp8-current", "fp8-current", true));
    CU_ASSERT_TRUE(train_alike("transformer", "nvfp4,last:15%:gemm=bf16", "nvfp4", true));
    CU_ASSERT_TRUE(train_alike("transformer", "nvfp4,last:100%:gemm=bf16", "nvfp4,gemm=bf16,high_last=0", true));
    CU_ASSERT_FALSE(train_alike("transformer", "bf16-amp,blocks.0.up:gemm=fp32", "bf16-amp", false));
    CU_ASSERT_TRUE(train_alike("transformer", "bf16-pure,first:1:fp32", "bf16-pure,blocks.0.*:base=fp32", true));
    CU_ASSERT_TRUE(train_alike("transformer", "bf16-pure,last:1:acc=fp16", "bf16-pure,blocks.1.*:acc=fp16", true));
}

/* ---- two layers by plain loops ---- */

enum { ROWS = 4, INPUTS = 8, WIDTH = 16, CLASSES = 10 };

static void read(float *x, size_t n, const bnd_tensor *t)
{
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(x, n, t, &why), &why));
}

/* The gradient of the mean cross-entropy, by the engine: no product is in it. */
static void gradient_of_loss(float *d, const float *logits, bnd_tensor *classes)
{
    bnd_error why;
    bnd_tensor *loss, *x = NULL;
    bnd_engine *engine = bnd_tensor_engine(classes);
    bnd_format fp32 = format_named("fp32");
    CU_ASSERT_TRUE_FATAL(succeeds(
        bnd_tensor_from_f32(&x, engine, &fp32, logits, (size_t[]){ROWS, CLASSES}, 2, BND_ROLE_DATA, &why), &why));
    bnd_tensor_want_gradient(x, true);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_pair(&loss, BND_TENSOR_OP_CROSS_ENTROPY, x, classes, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_backward(loss, 1, &why), &why));
    read(d, ROWS * CLASSES, bnd_tensor_gradient(x));
}

/* A step of SGD: w0 (fp32 where `low` does not have bit 0) and w1 (bit 1), biases are zeros. */
static void step_by_loops(float *w0, float *w1, const float *x, bnd_tensor *classes, unsigned low, float lr)
{
    float h[ROWS * WIDTH], logits[ROWS * CLASSES], d[ROWS * CLASSES], dw1[CLASSES * WIDTH], dh[ROWS * WIDTH],
        dw0[WIDTH * INPUTS];
    const bool first = (low & 1) != 0, second = (low & 2) != 0;
    multiply_matrices(h, ROWS, WIDTH, INPUTS, x, INPUTS, 1, w0, 1, INPUTS, first);
    for (size_t i = 0; i < ROWS * WIDTH; i++) {
        h[i] = h[i] > 0 ? h[i] : 0;
    }
    multiply_matrices(logits, ROWS, CLASSES, WIDTH, h, WIDTH, 1, w1, 1, WIDTH, second);
    gradient_of_loss(d, logits, classes);
    multiply_matrices(dw1, CLASSES, WIDTH, ROWS, d, 1, CLASSES, h, WIDTH, 1, second);
    multiply_matrices(dh, ROWS, WIDTH, CLASSES, d, CLASSES, 1, w1, WIDTH, 1, second);
    for (size_t i = 0; i < ROWS * WIDTH; i++) {
        dh[i] = h[i] > 0 ? dh[i] : 0;
    }
    multiply_matrices(dw0, WIDTH, INPUTS, ROWS, dh, 1, WIDTH, x, INPUTS, 1, first);
    for (size_t i = 0; i < WIDTH * INPUTS; i++) {
        w0[i] -= lr * dw0[i];
    }
    for (size_t i = 0; i < CLASSES * WIDTH; i++) {
        w1[i] -= lr * dw1[i];
    }
}

static void test_by_loops(void)
{
    static const struct {
        const char *recipe;
        unsigned low;
    } cases[] = {{"fp32", 0},
                 {"gemm=bf16", 3},
                 {"gemm=bf16,layers.0:gemm=none", 2},
                 {"gemm=bf16,layers.1:fp32", 1},
                 {"fp32,layers.0:gemm=bf16", 1},
                 {"fp32,last:1:gemm=bf16", 2},
                 {"gemm=bf16,first:1:gemm=fp32,layers.?:gemm=none,last:50%:gemm=bf16", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of("mlp", "sgd", cases[i].recipe);
        bnd_error why;
        bndi_batch batch = {.x = NULL};
        float w0[WIDTH * INPUTS], w1[CLASSES * WIDTH], x[ROWS * INPUTS];
        double got[WIDTH * INPUTS + CLASSES * WIDTH];
        t.inputs = INPUTS;
        t.width = WIDTH;
        t.depth = 1;
        t.batch = ROWS;
        t.lr = 0.25;
        t.weight_decay = 0;
        bnd_run *run = run_of(&t, NULL);
        uint64_t purpose = 0;
        CU_ASSERT_TRUE_FATAL(succeeds(bndi_purpose_of_step(&purpose, run, 0, &why), &why));
        read(w0, WIDTH * INPUTS, bnd_run_parameter(run, 0, BND_ROLE_PARAM));
        read(w1, CLASSES * WIDTH, bnd_run_parameter(run, 2, BND_ROLE_PARAM));
        CU_ASSERT_TRUE_FATAL(succeeds(run->source.batch(&batch, run, purpose, &why), &why));
        read(x, ROWS * INPUTS, batch.x);
        step_by_loops(w0, w1, x, batch.y, cases[i].low, 0.25f);
        (void)step_of(run);
        numbers_of(got, WIDTH * INPUTS, run, 0, BND_ROLE_PARAM);
        numbers_of(got + WIDTH * INPUTS, CLASSES * WIDTH, run, 2, BND_ROLE_PARAM);
        size_t differences = 0;
        for (size_t k = 0; k < WIDTH * INPUTS + CLASSES * WIDTH; k++) {
            const float want = k < WIDTH * INPUTS ? w0[k] : w1[k - WIDTH * INPUTS];
            differences += !(got[k] == (double)want);
        }
        if (differences > 0) {
            printf("\n    %s: %zu weights differ from plain loops\n", cases[i].recipe, differences);
        }
        CU_ASSERT_EQUAL(differences, 0);
        bnd_run_free(run);
    }
}

/* ---- what is kept ---- */

/* States in the format of their layer; a checkpoint and a change of the recipe keep them. */
static void test_states(void)
{
    char path[PATH_SIZE];
    bnd_training t = small("transformer", "bf16-master,last:1:base=adam8bit,blocks.0.qkv:param=e4m3/tile:128x128,"
                                          "blocks.0.up:base=bf16-kahan,blocks.*:gemm=e4m3/delayed:3");
    bnd_run *run = run_of(&t, NULL), *other = run_of(&t, NULL);
    bnd_error why;
    open_folder();
    (void)steps_of(run, 2);
    CU_ASSERT_TRUE(succeeds(bnd_run_save(run, in_folder(path, "run.safetensors"), &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_load(other, path, &why), &why));
    CU_ASSERT_TRUE(same_numbers(run, other));
    CU_ASSERT_EQUAL(steps_of(run, 3).loss, steps_of(other, 3).loss);
    CU_ASSERT_TRUE(same_numbers(run, other));
    for (size_t i = 0; i < bnd_run_parameters(run); i++) {
        const char *name = bnd_run_parameter_name(run, i);
        const bool kahan = strncmp(name, "blocks.0.up.", 12) == 0;
        CU_ASSERT_EQUAL(bnd_run_parameter(run, i, BND_ROLE_EXTRA) != NULL, kahan);
        CU_ASSERT_EQUAL(bnd_run_parameter(run, i, BND_ROLE_MASTER) != NULL, !kahan);
    }
    bnd_policy whole = t.policy, back = t.policy;
    whole.layers[0] = '\0';
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &whole, &why), &why));
    CU_ASSERT_PTR_NOT_NULL(bnd_run_parameter(run, 0, BND_ROLE_MASTER));
    snprintf(back.layers, sizeof back.layers, "head:v=bf16,nothing.*:v=bf16");
    CU_ASSERT_TRUE(refuses(bnd_run_switch(run, &back, &why), &why, "no layer is selected by 'nothing.*'"));
    CU_ASSERT_TRUE(bnd_policy_same(&bnd_run_training(run)->policy, &whole));
    (void)steps_of(run, 1);
    bnd_run_free(run);
    bnd_run_free(other);
    close_folder();
}

static void test_refused(void)
{
    bnd_training t = small("transformer", "bf16-amp,block.0.*:fp32");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_NAME, "did you mean blocks.0.*"));
    t = small("transformer", "bf16-amp,*.upp:fp32");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_NAME, "the model has the layers tokens, positions, blocks.0.norm1"));
    t = small("linear", "bf16-amp,first:1:fp32"); /* no blocks */
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_NAME, "first:1"));
    t = small("transformer", "bf16-amp,last:1:gemm=bf16/dynamic:8");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "dynamic"));
    t = small("mlp", "param=bf16,update=eco,layers.0:param=fp32");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "update=eco cannot be used with settings of layers"));
    t = small("mlp", "bf16-amp,layers.0:fp32");
    bnd_run *run = NULL;
    bnd_error why;
    CU_ASSERT_TRUE(refuses(bnd_run_new_own(&run, &t, NULL, &why), &why, "need a built-in model"));
    bnd_engine *engine = bnd_run_engine(run = run_of(&t, NULL));
    CU_ASSERT_TRUE(refuses(bnd_engine_set_policy(engine, &t.policy, &why), &why, "layers.0:base=fp32"));
    bnd_run_free(run);
}

#if defined(BND_WITH_WRAP)
static bnd_status make_and_switch(void *state, bnd_error *why)
{
    bnd_training t = training_of("mlp", "adamw", "bf16-pure,first:1:fp32");
    bnd_policy other = t.policy;
    bnd_run *run = NULL;
    (void)state;
    t.width = t.inputs = 4;
    t.batch = 2;
    snprintf(other.layers, sizeof other.layers, "layers.1:m=fp32,layers.2:base=bf16-kahan");
    bnd_status status = bnd_run_new(&run, &t, NULL, why);
    status = status == BND_OK ? bnd_run_switch(run, &other, why) : status;
    bnd_run_free(run);
    return status;
}

static void nothing(void *state, bnd_status status)
{
    (void)state;
    (void)status;
}

static void test_allocations(void)
{
    allocations_fail_in_turn(&(failing_work){make_and_switch, nothing, NULL, false, 20});
}
#endif

CU_TestInfo layer_tests[] = {
    {"an exception of all layers is the whole", test_everywhere},
    {"two layers by plain loops", test_by_loops},
    {"states", test_states},
    {"refused", test_refused},
#if defined(BND_WITH_WRAP)
    {"failing allocations", test_allocations},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
