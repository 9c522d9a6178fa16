/* The loss of weights under another policy, without training. */
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 4 };

static bnd_policy policy_of(const char *text)
{
    bnd_policy p;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&p, text, &why), &why));
    return p;
}

static bnd_run *trained(const char *model, const char *recipe)
{
    bnd_training t = training_of(model, "adamw", recipe);
    t.width = 32;
    t.inputs = t.inputs != 0 ? 32 : 0;
    t.depth = t.depth != 0 ? 2 : 0;
    t.heads = t.heads != 0 ? 2 : 0;
    t.context = t.context != 0 ? 8 : 0;
    t.batch = 8;
    t.lr = 0.01;
    bnd_run *run = run_of(&t, NULL);
    (void)steps_of(run, 12);
    return run;
}

static void losses_of(double out[BATCHES], const bnd_run *run, const char *recipe, unsigned place)
{
    bnd_error why;
    const bnd_policy p = policy_of(recipe);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_losses(out, BATCHES, run, &p, place, &why), &why));
}

static bool same(const double a[BATCHES], const double b[BATCHES])
{
    return memcmp(a, b, BATCHES * sizeof *a) == 0;
}

static double mean(const double x[BATCHES])
{
    double sum = 0;
    for (size_t i = 0; i < BATCHES; i++) {
        sum += x[i];
    }
    return sum / (double)BATCHES;
}

/* Under its own recipe the loss is that of validation; and the run goes on as if nobody had looked. */
static void test_own_recipe(void)
{
    static const char *const recipes[] = {"fp32",      "tf32",    "bf16-amp", "fp16-amp",
                                          "bf16-pure", "bf16-sr", "mxfp8",    "fp8-current"};
    static const char *const models[] = {"transformer", "mlp", "student", "linear"};
    for (size_t i = 0; i < 8 * 4; i++) {
        double losses[BATCHES];
        bnd_run *run = trained(models[i / 8], recipes[i % 8]), *other = trained(models[i / 8], recipes[i % 8]);
        losses_of(losses, run, "mxfp4", BND_PLACE_ALL);
        losses_of(losses, run, recipes[i % 8], BND_PLACE_ALL);
        CU_ASSERT_EQUAL(mean(losses), validation_of(run));
        CU_ASSERT_EQUAL(step_of(run).loss, step_of(other).loss);
        CU_ASSERT_EQUAL(validation_of(run), validation_of(other));
        bnd_run_free(run);
        bnd_run_free(other);
    }
}

/* Of a recipe that rounds weights and nothing else: as if they had been rounded by hand, one tensor or all. */
static void test_rounded_weights(void)
{
    static const char recipe[] = "param=e4m3,act=fp32,dact=fp32,grad=fp32,careful=fp32,m=fp32,v=fp32,scalar=fp32";
    bnd_run *run = trained("transformer", "fp32");
    size_t places = bnd_run_places(run), wrong = 0;
    double expected[BATCHES], losses[BATCHES], usual[BATCHES];
    bnd_format e4m3;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_format_parse(&e4m3, "e4m3", &why), &why));
    losses_of(usual, run, "fp32", BND_PLACE_ALL);
    CU_ASSERT_FATAL(places > 3);
    for (size_t place = 1; place <= places; place++) { /* the last: all of them */
        bnd_run *by_hand = trained("transformer", "fp32");
        for (size_t i = 0; i < bnd_run_parameters(run); i++) {
            bnd_tensor *t = bnd_run_parameter(by_hand, i, BND_ROLE_PARAM);
            size_t n = bnd_tensor_count(t);
            float *x = malloc(n * sizeof *x);
            CU_ASSERT_PTR_NOT_NULL_FATAL(x);
            CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(x, n, t, &why), &why));
            CU_ASSERT_TRUE(succeeds(bnd_round_f32(x, x, n, &e4m3, NULL, NULL, &why), &why));
            if (place == places || bnd_run_parameter_place(run, i) == place) {
                CU_ASSERT_TRUE(
                    succeeds(bnd_tensor_write_f32(t, x, n, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
            }
            free(x);
        }
        losses_of(expected, by_hand, "fp32", BND_PLACE_ALL);
        losses_of(losses, run, recipe, place == places ? BND_PLACE_ALL : (unsigned)place);
        wrong += !same(expected, losses);
        CU_ASSERT_TRUE(place < places || !same(usual, losses));
        bnd_run_free(by_hand);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    bnd_run_free(run);
}

/* Operands at one place: nothing else is cast. A place without products is as in fp32; a model of one place with
 * weights loses there all that it loses. */
static void test_places(void)
{
    static const char *const recipes[] = {"gemm_fwd=e2m1/mx", "gemm_fwd=e4m3/delayed:4", "acc=trunc4", "mxfp4"};
    for (size_t i = 0; i < 4; i++) {
        double all[BATCHES], one[BATCHES], usual[BATCHES];
        bnd_run *run = trained("transformer", "fp32");
        size_t changed = 0;
        losses_of(usual, run, "fp32", BND_PLACE_ALL);
        losses_of(all, run, recipes[i], BND_PLACE_ALL);
        CU_ASSERT_FALSE(same(all, usual));
        for (unsigned place = 1; place < bnd_run_places(run); place++) {
            bool multiplies =
                strstr("qkv projection up down head", strrchr(bnd_run_place_name(run, place), '.') != NULL
                                                          ? strrchr(bnd_run_place_name(run, place), '.') + 1
                                                          : bnd_run_place_name(run, place)) != NULL;
            losses_of(one, run, recipes[i], place);
            CU_ASSERT_FALSE(same(one, all));
            CU_ASSERT_TRUE(multiplies != same(one, usual) || i == 3);
            changed += !same(one, usual);
        }
        CU_ASSERT_TRUE(changed >= 9);
        bnd_run_free(run);

        run = trained("linear", "fp32");
        losses_of(all, run, recipes[i], BND_PLACE_ALL);
        losses_of(one, run, recipes[i], (unsigned)bnd_run_parameter_place(run, 0));
        CU_ASSERT_TRUE(same(one, all));
        bnd_run_free(run);
    }
}

static void test_bytes(void)
{
    bnd_run *run = trained("transformer", "bf16-amp");
    const size_t d = 32, layers = 2, vocabulary = bnd_run_training(run)->vocabulary, context = 8;
    const size_t matrices = layers * 12 * d * d + vocabulary * d;
    const size_t others = (vocabulary + context) * d + layers * (2 * 2 * d + 9 * d) + 2 * d;
    const struct {
        const char *recipe;
        size_t bytes;
    } cases[] = {
        {"fp32", 4 * (matrices + others)},
        {"tf32", 4 * (matrices + others)},
        {"gemm_fwd.w=e4m3/mx", matrices + matrices / 32 + 4 * others},
        {"gemm_fwd.w=e2m1/mx", matrices / 2 + matrices / 32 + 4 * others},
        {"gemm_fwd.w=e4m3/current", matrices + 4 * (4 * layers + 1) + 4 * others},
        {"gemm_fwd.w=e4m3/current,high_last=10", matrices + 3 * vocabulary * d + 4 * 4 * layers + 4 * others},
        {"param=bf16,gemm_fwd.w=e4m3/mx", matrices + matrices / 32 + 2 * others},
        {"param=bf16,gemm_fwd.w=fp32", 2 * (matrices + others)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t bytes = 0;
        bnd_error why;
        const bnd_policy p = policy_of(cases[i].recipe);
        CU_ASSERT_TRUE(succeeds(bnd_run_weight_bytes(&bytes, run, &p, &why), &why));
        CU_ASSERT_EQUAL(bytes, cases[i].bytes);
    }
    bnd_run_free(run);
}

static void test_refused(void)
{
    double losses[1];
    bnd_error why;
    const bnd_policy p = policy_of("bf16-amp");
    bnd_run *run = trained("linear", "fp32");
    CU_ASSERT_TRUE(refuses(bnd_run_losses(losses, 1, run, &p, 7, &why), &why,
                           "place 7 is out of range: the model has places 0 to 2"));
    bnd_run_free(run);
    bnd_training t = training_of("own", "adamw", "fp32");
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, &t, NULL, &why), &why));
    CU_ASSERT_TRUE(refuses(bnd_run_losses(losses, 1, run, &p, BND_PLACE_ALL, &why), &why, "needs a built-in model"));
    bnd_run_free(run);
}

CU_TestInfo loss_tests[] = {
    {"under the run's own recipe", test_own_recipe},
    {"rounded weights", test_rounded_weights},
    {"at one place", test_places},
    {"bytes of weights", test_bytes},
    {"refused", test_refused},
    CU_TEST_INFO_NULL,
};
