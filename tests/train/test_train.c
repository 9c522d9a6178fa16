/* train/: models, optimizers, the loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"
#include "tests/support/suites.h"

/* Every model under every optimizer comes down, on data that it does not learn from. With a smaller scale, as under the
 * sanitizers, each makes a few steps only, after which nothing has to have come down. */
static void test_learning(void)
{
    enum { STEPS = 20 };
    const size_t steps = scaled(STEPS) > 2 ? scaled(STEPS) : 2;
    for (size_t m = 0; m < bnd_model_count(); m++) {
        for (size_t o = 0; o < bnd_optimizer_count(); o++) {
            bnd_training t = training_of(bnd_model_name(m), bnd_optimizer_name(o), "fp32");
            t.lr *= t.lr > 0.002 ? 1 : 5; /* as the steps are few */
            t.context = t.context != 0 ? 16 : 0;
            bnd_run *run = run_of(&t, NULL);
            double first = validation_of(run);
            (void)steps_of(run, steps);
            double last = validation_of(run);
            const bool comes_down = last < first;
            if (steps >= STEPS && !comes_down) {
                printf("\n    %s, %s: %g to %g\n", t.model, t.optimizer, first, last);
            }
            CU_ASSERT_TRUE(isfinite(last) && (steps < STEPS || comes_down));
            bnd_run_free(run);
        }
    }
}

/* The transformer starts where one knows nothing, and learns towards the entropy of its text. */
static void test_language(void)
{
    bnd_training t = training_of("transformer", "adamw", "fp32");
    bnd_error why;
    double before = 0, after = 0;
    t.lr = 3e-3;
    bnd_run *run = run_of(&t, NULL);
    CU_ASSERT_TRUE(succeeds(bnd_run_validate(&before, run, 2, &why), &why));
    (void)steps_of(run, scaled(150));
    CU_ASSERT_TRUE(succeeds(bnd_run_validate(&after, run, 2, &why), &why));
    CU_ASSERT_DOUBLE_EQUAL(before, bnd_run_chance_loss(run), 0.1);
    CU_ASSERT_DOUBLE_EQUAL(bnd_run_chance_loss(run), log(16), 1e-12);
    CU_ASSERT_TRUE(after > bnd_run_floor(run) - 0.05);
    CU_ASSERT_TRUE(scaled(150) < 150 || after < 0.75 * before + 0.25 * bnd_run_floor(run));
    bnd_run_free(run);
}

static uint64_t digest(bnd_run *run)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < bnd_run_parameters(run); i++) {
        bnd_tensor *t = bnd_run_parameter(run, i, BND_ROLE_PARAM);
        const unsigned char *codes = bnd_tensor_codes(t);
        for (size_t j = 0; j < bnd_tensor_bytes(t); j++) {
            sum = (sum ^ codes[j]) * 1099511628211u;
        }
    }
    return sum;
}

/* Same seeds, same bits: with any number of threads, on every back end, with layers computed again. */
static void test_same_bits(void)
{
    static const char *const recipes[] = {"fp32", "bf16-sr", "fp16-amp", "mxfp8"};
    for (size_t r = 0; r < 4; r++) {
        bnd_training t = training_of("transformer", "adamw", recipes[r]);
        t.batch = 4;
        uint64_t first = 0;
        for (unsigned variant = 0; variant < 5; variant++) {
            static const bnd_backend backends[] = {BND_BACKEND_BEST, BND_BACKEND_BEST, BND_BACKEND_AVX2,
                                                   BND_BACKEND_PORTABLE, BND_BACKEND_BEST};
            bnd_context context = {.backend = (uint8_t)backends[variant], .threads = variant == 1 ? 2 : 1};
            t.recompute = variant == 4;
            bnd_run *run = run_of(&t, &context);
            (void)steps_of(run, 2);
            first = variant == 0 ? digest(run) : first;
            CU_ASSERT_EQUAL(digest(run), first);
            bnd_run_free(run);
        }
    }
}

/* What the optimizer takes off a bf16 weight is mostly lost at a low rate; with stochastic rounding it is not, on
 * average. */
static void test_lost_updates(void)
{
    double nearest = share_lost("bf16-pure", 1e-5), stochastic = share_lost("bf16-sr", 1e-5);
    CU_ASSERT_TRUE(nearest > 0.9);
    CU_ASSERT_TRUE(stochastic < nearest);
}

/* A gradient beyond fp16 skips the step and halves the scale. */
static void test_loss_scale(void)
{
    bnd_training t = training_of("mlp", "sgd", "base=fp16-amp,loss_scale=dynamic:1073741824:4");
    bnd_run *run = run_of(&t, NULL);
    bnd_step step = step_of(run);
    CU_ASSERT_TRUE(step.skipped);
    CU_ASSERT_EQUAL(step.loss_scale, 1073741824);
    CU_ASSERT_EQUAL(step_of(run).loss_scale, 536870912);
    for (int i = 0; i < 40 && step.skipped; i++) {
        step = step_of(run);
    }
    CU_ASSERT_FALSE(step.skipped);
    double scale = step.loss_scale;
    (void)steps_of(run, 3);
    CU_ASSERT_EQUAL(step_of(run).loss_scale, 2 * scale);
    bnd_run_free(run);
}

static void test_schedules(void)
{
    static const struct {
        const char *name;
        uint64_t step;
        double factor;
    } cases[] = {{"constant", 50, 1}, {"warmup", 0, 0.1},     {"warmup", 9, 1},      {"warmup", 99, 1},
                 {"cosine", 4, 0.5},  {"cosine", 99, 0.1},    {"cosine", 54, 0.55},  {"wsd", 70, 1},
                 {"wsd", 89, 0.5},    {"wsd", 99, 0},         {"warmup:4", 0, 0.25}, {"warmup:4", 3, 1},
                 {"warmup:4", 50, 1}, {"warmup:200", 99, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double factor = -1;
        bnd_error why;
        CU_ASSERT_TRUE(succeeds(bnd_schedule_factor(&factor, cases[i].name, cases[i].step, 100, &why), &why));
        CU_ASSERT_DOUBLE_EQUAL(factor, cases[i].factor, 1e-9);
    }
    static const char *const wrong[] = {"warmup:", "warmup:0", "warmup:N", "warmup:-1", "warmup:99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double factor = -1;
        bnd_error why;
        CU_ASSERT_TRUE(refuses(bnd_schedule_factor(&factor, wrong[i], 0, 100, &why), &why, "needs a number of steps"));
        CU_ASSERT_EQUAL(factor, -1);
    }
}

/* Casts are counted where the parameters are: each place of the transformer has its products' operands, on the way
 * there and back, and its weights' updates; computed again or not. */
static void test_places(void)
{
    for (int again = 0; again < 2; again++) {
        bnd_training t = training_of("transformer", "adamw", "bf16-amp");
        bnd_error why;
        bnd_stats x, dy, grad;
        t.recompute = again == 1;
        bnd_run *run = run_of(&t, NULL);
        bnd_engine *engine = bnd_run_engine(run);
        CU_ASSERT_EQUAL(bnd_run_places(run), 1 + 2 + 6 * t.depth + 2);
        CU_ASSERT_TRUE(succeeds(bnd_engine_take_statistics(engine, (unsigned)bnd_run_places(run), &why), &why));
        bnd_step step = step_of(run);
        uint64_t updates = 0, lost = 0, numbers = t.batch * t.context * t.width;
        for (size_t place = 0; place < bnd_run_places(run); place++) {
            const char *name = bnd_run_place_name(run, place);
            bool up = strcmp(name, "blocks.1.up") == 0;
            CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&x, engine, BND_ROLE_FWD_X, (unsigned)place));
            CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&dy, engine, BND_ROLE_WGRAD_DY, (unsigned)place));
            CU_ASSERT_PTR_NOT_NULL(bnd_engine_statistics(&grad, engine, BND_ROLE_GRAD, (unsigned)place));
            CU_ASSERT_TRUE(!up || x.elements == numbers * (t.recompute ? 2 : 1));
            CU_ASSERT_TRUE(!up || dy.elements == 4 * numbers);
            CU_ASSERT_EQUAL(grad.elements > 0, place > 0);
        }
        for (size_t i = 0; i < bnd_run_parameters(run); i++) {
            bnd_updates u = bnd_run_updates(run, i);
            updates += u.updates;
            lost += u.lost;
        }
        CU_ASSERT_EQUAL(updates, step.updates);
        CU_ASSERT_EQUAL(lost, step.lost);
        CU_ASSERT_STRING_EQUAL(bnd_run_place_name(run, bnd_run_places(run)), "");
        bnd_run_free(run);
    }
}

static void test_refused(void)
{
    bnd_training t = training_of("mlp", "adamw", "fp32");
    bnd_error why;
    bnd_run *run = NULL;
    CU_ASSERT_EQUAL(bnd_training_default(&t, "mpl", "adamw", "fp32", &why), BND_BAD_NAME);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "mlp"));
    CU_ASSERT_EQUAL(bnd_training_default(&t, "mlp", "adamW2", "fp32", &why), BND_BAD_NAME);
    CU_ASSERT_EQUAL(bnd_training_default(&t, "mlp", "adamw", "fp16-am", &why), BND_BAD_NAME);
    t.lr = NAN;
    CU_ASSERT_EQUAL(bnd_run_new(&run, &t, NULL, &why), BND_BAD_ARGUMENT);
    t.lr = -1;
    CU_ASSERT_EQUAL(bnd_run_new(&run, &t, NULL, &why), BND_BAD_ARGUMENT);
    t = training_of("transformer", "adamw", "fp32");
    t.heads = 5;
    CU_ASSERT_EQUAL(bnd_run_new(&run, &t, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NULL(run);
}

/* What a model does not use is refused by its name, whatever else holds. */
static void test_unused(void)
{
    static const struct {
        const char *model, *name;
        size_t at;
    } cases[] = {{"mlp", "heads", offsetof(bnd_training, heads)},
                 {"mlp", "context", offsetof(bnd_training, context)},
                 {"mlp", "vocabulary", offsetof(bnd_training, vocabulary)},
                 {"linear", "depth", offsetof(bnd_training, depth)},
                 {"quadratic", "inputs", offsetof(bnd_training, inputs)},
                 {"student", "inputs", offsetof(bnd_training, inputs)},
                 {"transformer", "inputs", offsetof(bnd_training, inputs)},
                 {"llama", "inputs", offsetof(bnd_training, inputs)}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of(cases[i].model, "adamw", "fp32");
        char says[64];
        *(size_t *)((char *)&t + cases[i].at) = 3;
        snprintf(says, sizeof says, "%s cannot be used with model %s", cases[i].name, cases[i].model);
        CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, says));
    }
    for (size_t i = 0; i < 3; i++) {
        bnd_training t = training_of("mlp", "adamw", "fp32");
        t.tied = i == 0;
        t.recompute = i == 1;
        t.blocks.kv_heads = i == 2;
        CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT,
                                  i == 0   ? "tied cannot be used with model mlp"
                                  : i == 1 ? "recompute cannot be used with model mlp"
                                           : "blocks cannot be used with model mlp"));
    }
}

/* So is a rate that the optimizer does not read. */
static void test_unused_rates(void)
{
    static const struct {
        const char *optimizer;
        bool beta1, beta2, epsilon; /* it reads them */
    } rows[] = {{"sgd", false, false, false},     {"momentum", true, false, false}, {"adagrad", false, false, true},
                {"rmsprop", false, true, true},   {"adam", true, true, true},       {"lion", true, true, false},
                {"adafactor", false, true, true}, {"muon", true, true, true},       {"adam-mini", true, true, true}};
    static const char *const names[] = {"beta1", "beta2", "epsilon"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool reads[] = {rows[i].beta1, rows[i].beta2, rows[i].epsilon};
        for (size_t k = 0; k < 3; k++) {
            bnd_training t = training_of("mlp", rows[i].optimizer, "fp32");
            bnd_run *run = NULL;
            bnd_error why;
            char says[96];
            double *const rates[] = {&t.beta1, &t.beta2, &t.epsilon};
            *rates[k] = 0.125;
            snprintf(says, sizeof says, "%s cannot be used with optimizer %s, which does not use it", names[k],
                     rows[i].optimizer);
            if (reads[k]) {
                CU_ASSERT_TRUE(succeeds(bnd_run_new(&run, &t, NULL, &why), &why));
                bnd_run_free(run);
            } else {
                CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, says));
            }
        }
    }
}

CU_TestInfo train_tests[] = {
    {"rates that an optimizer does not read are refused", test_unused_rates},
    {"every model and optimizer learns", test_learning},
    {"language", test_language},
    {"same bits", test_same_bits},
    {"lost updates", test_lost_updates},
    {"loss scale", test_loss_scale},
    {"places", test_places},
    {"schedules", test_schedules},
    {"what is refused", test_refused},
    {"settings without effect", test_unused},
    CU_TEST_INFO_NULL,
};

/* The leak checker's tracer dies in the thread-local storage of this program's OpenMP threads, so it does not look
 * there. */
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "use_tls=0";
}

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("train", train_tests),
        SUITE("own model", own_tests),
        SUITE("traps", trap_tests),
        SUITE("data", data_tests),
        SUITE("inputs", input_tests),
        SUITE("losses", loss_tests),
        SUITE("models", model_tests),
        SUITE("muon", muon_tests),
        SUITE("adam-mini", adam_mini_tests),
        SUITE("eco", eco_tests),
        SUITE("kept", kept_tests),
        SUITE("resets", reset_tests),
        SUITE("sources", source_tests),
        SUITE("parts", part_tests),
        SUITE("golden", training_golden_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
