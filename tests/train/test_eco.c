/* update=eco: weights and moments of each step follow from those before it by the published formula; nothing changes
 * where nothing is rounded; small updates get through; and what is refused. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/allocations.h"

enum { N = 48, ROWS = 6, STEPS = 6 };
typedef enum kind { MOMENTUM, ADAM, ADAMW, KINDS } kind;
static const char *const names[KINDS] = {"momentum", "adam", "adamw"};

typedef struct state {
    float w[N], m[N], v[N];
} state;

static bnd_training training_for(kind k, const char *recipe)
{
    bnd_training t = training_of("own", names[k], recipe);
    t.lr = 1e-3;
    t.weight_decay = 0.1;
    return t;
}

static bnd_run *run_with(const bnd_training *t, const float *w)
{
    bnd_run *run = NULL;
    bnd_error why;
    size_t index;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(
        succeeds(bnd_run_add_parameter(&index, run, "w", w, (size_t[]){ROWS, N / ROWS}, 2, true, &why), &why));
    return run;
}

static float number(uint64_t seed, uint64_t i)
{
    return (float)((double)(bnd_random(seed, 3, i) >> 11) * 0x1p-52 - 1);
}

static void take_step(bnd_run *run, uint64_t seed, float size)
{
    float g[N];
    for (size_t i = 0; i < N; i++) {
        g[i] = size * number(seed, i);
    }
    step_with(run, g);
}

static void read_state(state *s, const bnd_run *run)
{
    CU_ASSERT_TRUE(read_part(s->w, run, BND_ROLE_PARAM));
    CU_ASSERT_TRUE(read_part(s->m, run, BND_ROLE_M));
    (void)read_part(s->v, run, BND_ROLE_V); /* momentum has none */
}

/* ---- the formula ---- */

/* One element of a step: w' and m without the error; returns what the error is multiplied by. */
static double plain(state *s, size_t i, kind k, const bnd_training *t, uint64_t step, float g)
{
    const double b1 = t->beta1, b2 = t->beta2, w = (double)s->w[i];
    double f = t->lr, decayed = w;
    if (k == MOMENTUM || k == ADAM) {
        g = (float)((double)g + t->weight_decay * w);
    } else {
        decayed = (double)(float)((1 - t->lr * t->weight_decay) * w);
    }
    s->m[i] = (float)(b1 * (double)s->m[i]);
    s->m[i] = (float)((double)s->m[i] + (k == MOMENTUM ? 1 : 1 - b1) * (double)g);
    if (k != MOMENTUM) {
        const float square = g * g;
        s->v[i] = (float)(b2 * (double)s->v[i]) + (float)((1 - b2) * (double)square);
        float root = (float)sqrt((double)s->v[i]);
        root = (float)((double)root / sqrt(1 - pow(b2, (double)step)));
        f = t->lr / (1 - pow(b1, (double)step)) / (double)(float)((double)root + t->epsilon);
    }
    s->w[i] = (float)(decayed - f * (double)s->m[i]);
    return (1 - 1 / b1) / f;
}

/* The stored weights are read, so that any format, scale and random bits will do. */
static void check_formula(kind k, const char *recipe)
{
    const bnd_training t = training_for(k, recipe);
    float start[N];
    state s, now;
    double worst = 0;
    for (size_t i = 0; i < N; i++) {
        start[i] = number(1, i);
    }
    bnd_run *run = run_with(&t, start);
    read_state(&s, run);
    for (uint64_t step = 1; step <= STEPS; step++) {
        take_step(run, 1 + step, 0.1f);
        read_state(&now, run);
        for (size_t i = 0; i < N; i++) {
            const double gain = plain(&s, i, k, &t, step, 0.1f * number(1 + step, i));
            const double error = (double)s.w[i] - (double)now.w[i];
            const double expected = (double)s.m[i] + gain * error, size = fabs((double)s.m[i]) + fabs(gain * error);
            /* w' itself is known to a rounding of fp32 */
            worst = fmax(worst,
                         fabs((double)now.m[i] - expected) / (0x1p-21 * (size + fabs(gain * (double)s.w[i])) + 1e-30));
        }
        s = now;
    }
    if (!(worst <= 1)) {
        printf("\n    %s, %s: m is %g times what is allowed apart\n", names[k], recipe, worst);
    }
    CU_ASSERT_TRUE(worst <= 1);
    bnd_run_free(run);
}

static void test_formula(void)
{
    static const char *const recipes[] = {"param=bf16,update=eco", "param=bf16:sr,update=eco",
                                          "param=e4m3/row,update=eco", "param=e4m3:sr/row,update=eco",
                                          "param=e5m2/tensor,update=eco,optimizer=fused"};
    for (size_t r = 0; r < sizeof recipes / sizeof recipes[0]; r++) {
        for (kind k = 0; k < KINDS; k++) {
            check_formula(k, recipes[r]);
        }
    }
}

/* Weights in fp32 have no error: the bits of the rounded update. */
static void test_no_error(void)
{
    float start[N] = {1, 2, 3};
    for (kind k = 0; k < KINDS; k++) {
        const bnd_training t = training_for(k, "update=eco"), u = training_for(k, "fp32");
        bnd_run *eco = run_with(&t, start), *plain_run = run_with(&u, start);
        state a = {.w = {0}}, b = {.w = {0}};
        for (uint64_t step = 0; step < STEPS; step++) {
            take_step(eco, step, 1);
            take_step(plain_run, step, 1);
        }
        read_state(&a, eco);
        read_state(&b, plain_run);
        CU_ASSERT_EQUAL(memcmp(&a, &b, sizeof a), 0);
        bnd_run_free(eco);
        bnd_run_free(plain_run);
    }
}

/* The mean of weights of 1 after steps in the same direction, each a sixteenth of what rounding to nearest keeps. */
static double mean_after(const char *recipe)
{
    bnd_training t = training_for(MOMENTUM, recipe);
    float start[N], g[N], w[N];
    double sum = 0;
    t.lr = 0x1p-12 * 0.1;
    t.weight_decay = 0;
    for (size_t i = 0; i < N; i++) {
        start[i] = 1;
        g[i] = -1;
    }
    bnd_run *run = run_with(&t, start);
    for (int step = 0; step < 1000; step++) {
        bnd_error why;
        CU_ASSERT_TRUE_FATAL(succeeds(try_step(run, g, &why), &why));
    }
    CU_ASSERT_TRUE(read_part(w, run, BND_ROLE_PARAM));
    for (size_t i = 0; i < N; i++) {
        sum += (double)w[i] / (double)N;
    }
    bnd_run_free(run);
    return sum;
}

/* Rounded to nearest, weights begin to move after some steps, and keep that distance; with random bits they follow. */
static void test_small_updates(void)
{
    const double whole = mean_after("fp32"), lost = mean_after("param=bf16"), eco = mean_after("param=bf16,update=eco"),
                 random = mean_after("param=bf16:sr,update=eco");
    if (getenv("BND_TEST_VERBOSE") != NULL) {
        printf("\n    1 becomes %.4f in fp32, %.4f rounded, %.4f with eco, %.4f with eco and random bits\n", whole,
               lost, eco, random);
    }
    CU_ASSERT_TRUE(whole > 1.24);
    CU_ASSERT_DOUBLE_EQUAL(lost, 1, 1e-12);
    CU_ASSERT_TRUE(eco > 1.19 && eco < whole);
    CU_ASSERT_DOUBLE_EQUAL(random, whole, 0x1p-6);
}

/* ---- what is refused, and what fails ---- */

/* Rates of one parameter are refused before another is updated. */
static void test_refused_rates(void)
{
    const bnd_training t = training_for(ADAM, "param=bf16,update=eco,loss_scale=dynamic:1024:1");
    const bnd_step_rates rates[2] = {{1e-3, 0.9, 0.999, 1e-8, 0}, {1e-3, 0, 0.999, 1e-8, 0}};
    float start[N], w[N], g[N];
    bnd_error why;
    bnd_step step;
    size_t index;
    for (size_t k = 0; k < N; k++) {
        start[k] = (float)(k + 1);
        g[k] = number(2, k);
    }
    bnd_run *run = run_with(&t, start);
    CU_ASSERT_TRUE_FATAL(
        succeeds(bnd_run_add_parameter(&index, run, "x", start, (size_t[]){ROWS, N / ROWS}, 2, true, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_begin_step(run, &why), &why));
    for (size_t i = 0; i < 2; i++) {
        bnd_tensor *value = bnd_run_parameter(run, i, BND_ROLE_PARAM);
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_set_gradient(value, g, N, &why), &why));
    }
    CU_ASSERT_TRUE(refuses(bnd_run_update(&step, run, 0, rates, &why), &why, "beta1 above 0"));
    CU_ASSERT_TRUE(read_part(w, run, BND_ROLE_PARAM));
    CU_ASSERT_EQUAL(memcmp(w, start, sizeof w), 0);
    CU_ASSERT_EQUAL(run->parameter[0].made.all, 0);
    CU_ASSERT_EQUAL(bnd_run_loss_scale(run), 1024); /* no step was made */
    bnd_run_free(run);
}

static void test_refused(void)
{
    bnd_training t = training_of("mlp", "sgd", "param=bf16,update=eco");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "not a multiple of m"));
    strcpy(t.optimizer, "muon");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "not a multiple of m"));
    strcpy(t.optimizer, "adamw");
    t.beta1 = 0;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "beta1 above 0"));
    t = training_of("mlp", "adamw", "base=bf16-master,update=eco");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "master=none"));
    t = training_of("mlp", "lion", "fp32");
    bnd_run *run = run_of(&t, NULL);
    bnd_policy eco = training_of("mlp", "adamw", "update=eco").policy;
    bnd_error why;
    CU_ASSERT_TRUE(refuses(bnd_run_switch(run, &eco, &why), &why, "not a multiple of m"));
    (void)step_of(run);
    bnd_run_free(run);
}

#if defined(BND_WITH_WRAP)
static void test_failing(void)
{
    const bnd_training t = training_for(ADAMW, "param=e4m3/row,update=eco");
    const int64_t living = allocations_living();
    float start[N], g[N], before[N], expected[N], w[N];
    bnd_error why;
    uint64_t i = 0;
    for (size_t k = 0; k < N; k++) {
        start[k] = number(1, k);
        g[k] = number(2, k);
    }
    bnd_run *run = run_with(&t, start);
    CU_ASSERT_TRUE(read_part(before, run, BND_ROLE_PARAM));
    CU_ASSERT_TRUE_FATAL(succeeds(try_step(run, g, &why), &why));
    CU_ASSERT_TRUE(read_part(expected, run, BND_ROLE_PARAM));
    bnd_run_free(run);
    for (bnd_status status = BND_NO_MEMORY; status == BND_NO_MEMORY && i < 200; i++) {
        run = run_with(&t, start);
        allocations_fail(i, false);
        status = try_step(run, g, &why);
        allocations_fail(UINT64_MAX, false);
        CU_ASSERT_TRUE(read_part(w, run, BND_ROLE_PARAM));
        CU_ASSERT_EQUAL(memcmp(w, status == BND_OK ? expected : before, sizeof w), 0);
        if (status != BND_OK) { /* the first update, again */
            step_with(run, g);
            CU_ASSERT_TRUE(read_part(w, run, BND_ROLE_PARAM));
            CU_ASSERT_EQUAL(memcmp(w, expected, sizeof w), 0);
        }
        bnd_run_free(run);
    }
    CU_ASSERT_TRUE(i > 4 && i < 200);
    CU_ASSERT_EQUAL(allocations_living(), living);
}
#endif

CU_TestInfo eco_tests[] = {
    {"each step is the formula's", test_formula},
    {"no error, no change", test_no_error},
    {"small updates get through", test_small_updates},
    {"what is refused", test_refused},
    {"rates that are refused", test_refused_rates},
#if defined(BND_WITH_WRAP)
    {"failing allocations", test_failing},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
