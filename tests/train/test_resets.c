/* reset=STEPS: the steps of plain loops, bit for bit; other optimizers and formats against runs that begin anew; steps
 * that a loss scale skips; and a failure that leaves the step to be made again. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/allocations.h"

enum { N = 24 };

static bnd_run *own_run(const char *optimizer, const char *recipe, size_t rows, size_t columns)
{
    static float w[64 * 64];
    bnd_training t = training_of("own", optimizer, recipe);
    bnd_run *run = NULL;
    bnd_error why;
    size_t index;
    t.lr = 0.01;
    for (size_t i = 0; i < rows * columns; i++) {
        w[i] = (float)(bnd_random(5, 0, i) >> 40) * 0x1p-24f - 0.5f;
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, &t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(
        succeeds(bnd_run_add_parameter(&index, run, "w.weight", w, (size_t[]){rows, columns}, 2, true, &why), &why));
    return run;
}

static void gradient_of(float *g, size_t n, uint64_t step)
{
    for (size_t i = 0; i < n; i++) {
        g[i] = ((float)(bnd_random(6, step, i) >> 40) * 0x1p-24f - 0.5f) * (i % 5 == 0 ? 1e-3f : 1);
    }
}

static bool same(const bnd_run *a, const bnd_run *b)
{
    static const bnd_role parts[] = {BND_ROLE_PARAM, BND_ROLE_M, BND_ROLE_V};
    static float x[64 * 64], y[64 * 64];
    bool same = true;
    for (size_t k = 0; k < 3; k++) {
        const bnd_tensor *s = bnd_run_parameter(a, 0, parts[k]), *t = bnd_run_parameter(b, 0, parts[k]);
        if (s != NULL && t != NULL) {
            const size_t n = bnd_tensor_count(s);
            bnd_error why;
            CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(x, n, s, &why), &why));
            CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(y, n, t, &why), &why));
            same = same && memcmp(x, y, n * sizeof *x) == 0;
        }
    }
    return same;
}

/* AdamW in fp32, m anew every 3 steps and v every 4, as plain loops. */
static void test_plain_loops(void)
{
    bnd_run *run = own_run("adamw", "reset=m:3/v:4", N, 1);
    const bnd_training *t = &run->training;
    double w[N];
    float x[N], m[N] = {0}, v[N] = {0}, g[N];
    numbers_of(w, N, run, 0, BND_ROLE_PARAM);
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)w[i];
    }
    for (uint64_t step = 0; step < 13; step++) {
        const double of_m = (double)(step % 3 + 1), of_v = (double)(step % 4 + 1);
        gradient_of(g, N, step);
        step_with(run, g);
        for (size_t i = 0; i < N; i++) {
            const float old_m = step % 3 == 0 ? 0 : m[i], old_v = step % 4 == 0 ? 0 : v[i];
            const float square = (float)((1 - t->beta2) * (double)(g[i] * g[i]));
            m[i] = (float)(t->beta1 * (double)old_m);
            m[i] = (float)((double)m[i] + (1 - t->beta1) * (double)g[i]);
            v[i] = (float)(t->beta2 * (double)old_v);
            v[i] += square;
            float root = (float)((double)sqrtf(v[i]) * (1 / sqrt(1 - pow(t->beta2, of_v))));
            root = (float)((double)root + t->epsilon);
            x[i] = (float)((1 - t->lr * t->weight_decay) * (double)x[i]);
            x[i] += (float)(-t->lr / (1 - pow(t->beta1, of_m)) * (double)m[i] / (double)root);
        }
        numbers_of(w, N, run, 0, BND_ROLE_PARAM);
        for (size_t i = 0; i < N; i++) { /* the powers are not computed alike: one place of fp32 */
            CU_ASSERT_TRUE(fabs(w[i] - (double)x[i]) <= 0x1p-22 * fabs(w[i]));
        }
        numbers_of(w, N, run, 0, BND_ROLE_V);
        for (size_t i = 0; i < N; i++) {
            CU_ASSERT_EQUAL((float)w[i], v[i]);
        }
    }
    bnd_run_free(run);
}

/* After a period the states are those of a run that begins there. */
static void check_anew(const char *optimizer, const char *recipe)
{
    enum { PERIOD = 3, ROWS = 64, COLUMNS = 64 };
    static float g[ROWS * COLUMNS], x[ROWS * COLUMNS], y[ROWS * COLUMNS];
    char with[128];
    snprintf(with, sizeof with, "%s,reset=%d", recipe, PERIOD);
    bnd_run *run = own_run(optimizer, with, ROWS, COLUMNS), *anew = own_run(optimizer, recipe, ROWS, COLUMNS);
    bnd_error why;
    for (uint64_t step = 0; step < 2 * PERIOD; step++) {
        gradient_of(g, ROWS * COLUMNS, step);
        step_with(run, g);
        if (step >= PERIOD) {
            step_with(anew, g);
        }
    }
    for (size_t k = 0; k < 2; k++) {
        const bnd_role part = k == 0 ? BND_ROLE_M : BND_ROLE_V;
        const bnd_tensor *s = bnd_run_parameter(run, 0, part), *t = bnd_run_parameter(anew, 0, part);
        CU_ASSERT_EQUAL_FATAL(s == NULL, t == NULL);
        if (s != NULL) {
            const size_t n = bnd_tensor_count(s);
            CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(x, n, s, &why), &why));
            CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f32(y, n, t, &why), &why));
            CU_ASSERT_EQUAL(memcmp(x, y, n * sizeof *x), 0);
        }
    }
    bnd_run_free(run);
    bnd_run_free(anew);
}

static void test_anew(void)
{
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        const char *name = bnd_optimizer_name(i);
        check_anew(name, "update=rounded");
        check_anew(name, "m=bf16,v=e4m3/tensor");
    }
    check_anew("adamw", "m=fp32/dynamic:256,v=fp32/udynamic:256");
    check_anew("adamw", "m=fp32/linear:128,v=fp32/ulinear:2048");
    check_anew("adamw", "v=bf16,optimizer=fused");
}

/* The step at which states become zeros is skipped by a loss scale: they are zeros all the same, and the clock runs. */
static void test_skipped(void)
{
    const char *const recipe = "loss_scale=dynamic:2,reset=2";
    float g[N], infinite[N] = {INFINITY}, twice[N];
    double v[N], m[N];
    bnd_run *run = own_run("adamw", recipe, N, 1);
    gradient_of(g, N, 1);
    for (size_t i = 0; i < N; i++) {
        twice[i] = 2 * g[i];
    }
    step_with(run, twice);
    step_with(run, twice);
    step_with(run, infinite);
    numbers_of(v, N, run, 0, BND_ROLE_V);
    numbers_of(m, N, run, 0, BND_ROLE_M);
    for (size_t i = 0; i < N; i++) {
        CU_ASSERT_TRUE(v[i] == 0 && m[i] == 0);
    }
    CU_ASSERT_EQUAL(bnd_run_loss_scale(run), 1);
    step_with(run, g);
    numbers_of(m, N, run, 0, BND_ROLE_M);
    for (size_t i = 0; i < N; i++) {
        CU_ASSERT_DOUBLE_EQUAL(m[i], 0.1 * (double)g[i], 1e-7);
    }
    bnd_run_free(run);
}

#if defined(BND_WITH_WRAP)
static void test_failing(void)
{
    enum { MOST_FAILURES = 100 };
    static float g[64 * 64];
    const int64_t living = allocations_living();
    const char *const recipe = "m=fp32/linear:256,v=fp32/ulinear:256,reset=1";
    bnd_run *good = own_run("adamw", recipe, 64, 64);
    uint64_t i = 0;
    gradient_of(g, 64 * 64, 0);
    step_with(good, g);
    step_with(good, g);
    for (bnd_status status = BND_NO_MEMORY; status == BND_NO_MEMORY && i < MOST_FAILURES; i++) {
        bnd_run *run = own_run("adamw", recipe, 64, 64);
        bnd_error why;
        step_with(run, g);
        allocations_fail(i, false);
        status = try_step(run, g, &why);
        allocations_fail(UINT64_MAX, false);
        if (status != BND_OK) {
            step_with(run, g);
        }
        CU_ASSERT_TRUE(same(run, good));
        bnd_run_free(run);
    }
    CU_ASSERT_TRUE(i > 2 && i < MOST_FAILURES);
    bnd_run_free(good);
    CU_ASSERT_EQUAL(allocations_living(), living);
}
#endif

CU_TestInfo reset_tests[] = {
    {"steps are those of plain loops", test_plain_loops},
    {"every optimizer begins anew", test_anew},
    {"a skipped step", test_skipped},
#if defined(BND_WITH_WRAP)
    {"failing allocations", test_failing},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
