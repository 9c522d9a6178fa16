/* reset=STEPS: the steps of plain loops, bit for bit; other optimizers and formats against runs that begin anew; steps
 * that a loss scale skips; and a failure that leaves the step to be made again. What bias corrections count: updates,
 * not steps, also in a checkpoint and under another recipe. */
#define _POSIX_C_SOURCE 200809L
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/allocations.h"
#include "tests/support/folder.h"

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

/* ---- what is counted ---- */

enum { ROWS = 6, COLUMNS = 4, COUNT = ROWS * COLUMNS };

static void steps_with(bnd_run *run, uint64_t from, uint64_t to)
{
    float g[COUNT];
    for (uint64_t step = from; step < to; step++) {
        gradient_of(g, COUNT, step);
        for (size_t i = 0; i < COUNT; i++) {
            g[i] *= (float)bnd_run_loss_scale(run);
        }
        step_with(run, g);
    }
}

static void skip_steps(bnd_run *run, unsigned n)
{
    float g[COUNT] = {INFINITY};
    for (unsigned i = 0; i < n; i++) {
        step_with(run, g);
    }
}

/* A step whose loss does not depend on the parameter. */
static void step_without(bnd_run *run)
{
    bnd_step step;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_begin_step(run, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_update(&step, run, 0, NULL, &why), &why));
}

/* A step that a loss scale skips, or that has no gradient, is as if it had not been there. */
static void test_not_counted(void)
{
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        const char *name = bnd_optimizer_name(i);
        bnd_run *all = own_run(name, "loss_scale=dynamic:1", ROWS, COLUMNS),
                *skipping = own_run(name, "loss_scale=dynamic:1", ROWS, COLUMNS);
        all->training.lr = skipping->training.lr = 1; /* above Adafactor's 1 / sqrt t */
        skip_steps(skipping, 2);
        steps_with(skipping, 0, 2);
        step_without(skipping);
        skip_steps(skipping, 3);
        steps_with(skipping, 2, 4);
        steps_with(all, 0, 4);
        CU_ASSERT_EQUAL(skipping->step, 10);
        CU_ASSERT_TRUE(same(all, skipping));
        bnd_run_free(all);
        bnd_run_free(skipping);
    }
}

static void save_and_load(bnd_run *to, const bnd_run *from)
{
    char path[PATH_SIZE];
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_save(from, in_folder(path, "run"), &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_load(to, path, &why), &why));
}

static char *found(char *bytes, size_t size, const void *what, size_t length)
{
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(bytes + i, what, length) == 0) {
            return bytes + i;
        }
    }
    return NULL;
}

static bool file_has(const char *text)
{
    char path[PATH_SIZE];
    size_t size;
    char *bytes = read_file(&size, in_folder(path, "run"));
    const bool has = found(bytes, size, text, strlen(text)) != NULL;
    free(bytes);
    return has;
}

/* The counts are in a checkpoint where steps were skipped; without them each step was an update. */
static void test_saved(void)
{
    static const char *const recipes[] = {"loss_scale=dynamic:1", "loss_scale=dynamic:1,reset=m:3/v:4"};
    open_folder();
    for (size_t k = 0; k < 2; k++) {
        bnd_run *run = own_run("adamw", recipes[k], ROWS, COLUMNS);
        for (uint64_t step = 0; step < 9; step++) {
            bnd_run *other = own_run("adamw", recipes[k], ROWS, COLUMNS);
            const bool skips = step == 5;
            save_and_load(other, run);
            CU_ASSERT_EQUAL(other->parameter[0].made.all, run->parameter[0].made.all);
            CU_ASSERT_EQUAL(file_has("optimizer.updates"), step > 5);
            skips ? skip_steps(run, 1) : steps_with(run, step, step + 1);
            skips ? skip_steps(other, 1) : steps_with(other, step, step + 1);
            CU_ASSERT_TRUE(same(run, other));
            bnd_run_free(other);
        }
        bnd_run_free(run);
    }
    close_folder();
}

/* Numbers that are no counts of updates. */
static void test_saved_badly(void)
{
    static const double bad[] = {-1, 0.5, 0x1p49, 1e300, INFINITY, NAN};
    bnd_run *run = own_run("adamw", "loss_scale=dynamic:1", ROWS, COLUMNS),
            *other = own_run("adamw", "loss_scale=dynamic:1", ROWS, COLUMNS);
    char path[PATH_SIZE];
    bnd_error why;
    open_folder();
    skip_steps(run, 1);
    steps_with(run, 0, 2);
    save_and_load(other, run);
    size_t size;
    static const char sum[] = "binade.checksum", no_sum[] = "binade.CHECKSUM";
    char *bytes = read_file(&size, in_folder(path, "run")), *head = found(bytes, size, sum, sizeof sum - 1),
         *counts = found(bytes, size, (const double[]){2, 2, 2}, 3 * sizeof(double));
    CU_ASSERT_TRUE_FATAL(head != NULL && counts != NULL);
    memcpy(head, no_sum, sizeof no_sum - 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memcpy(counts + sizeof(double), &bad[i], sizeof bad[i]);
        write_file(path, bytes, size);
        CU_ASSERT_TRUE(refuses(
            bnd_run_load(other, path, &why), &why,
            "array \"optimizer.updates\": the numbers of parameter 0 must be counts of updates, from 0 to 2^48"));
        CU_ASSERT_TRUE(same(run, other));
        CU_ASSERT_EQUAL(other->parameter[0].made.m, 2);
    }
    free(bytes);
    bnd_run_free(run);
    bnd_run_free(other);
    close_folder();
}

/* However many steps are skipped or made, the scale and its reciprocal are numbers of fp32, and a step moves. */
static void test_limits_of_scale(void)
{
    static const char *const recipes[] = {"loss_scale=dynamic:1:1", "loss_scale=dynamic:0.5:1"};
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        for (size_t k = 0; k < 2; k++) {
            bnd_run *run = own_run(bnd_optimizer_name(i), recipes[k], ROWS, COLUMNS);
            float zeros[COUNT] = {0}, g[COUNT], before[COUNT], after[COUNT];
            for (unsigned step = 0; step < 160; step++) {
                k == 0 ? skip_steps(run, 1) : step_with(run, zeros);
            }
            const double scale = bnd_run_loss_scale(run);
            CU_ASSERT_EQUAL(scale, k == 0 ? 0x1p-127 : 0x1p127);
            for (size_t n = 0; n < COUNT; n++) {
                g[n] = (float)(scale * 0.5);
            }
            CU_ASSERT_TRUE(read_part(before, run, BND_ROLE_PARAM));
            step_with(run, g);
            CU_ASSERT_TRUE(read_part(after, run, BND_ROLE_PARAM));
            for (size_t n = 0; n < COUNT; n++) {
                CU_ASSERT_TRUE(isfinite(after[n]) && after[n] < before[n]);
            }
            bnd_run_free(run);
        }
    }
}

/* The moments go on under a recipe with other resets, and so does their bias correction. */
static void test_switched(void)
{
    bnd_run *run = own_run("adamw", "grad=bf16", ROWS, COLUMNS), *plain = own_run("adamw", "grad=bf16", ROWS, COLUMNS);
    bnd_policy later;
    bnd_error why;
    steps_with(run, 0, 4);
    steps_with(plain, 0, 6);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&later, "grad=bf16,reset=3", &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_switch(run, &later, &why), &why));
    steps_with(run, 4, 6);
    CU_ASSERT_TRUE(same(run, plain)); /* the next reset is before step 6 */
    steps_with(run, 6, 7);
    steps_with(plain, 6, 7);
    CU_ASSERT_FALSE(same(run, plain));
    CU_ASSERT_EQUAL(run->parameter[0].made.v, 1);
    bnd_run_free(run);
    bnd_run_free(plain);
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
    {"updates are counted, not steps", test_not_counted},
    {"counts in a checkpoint", test_saved},
    {"damaged counts", test_saved_badly},
    {"counts under another recipe", test_switched},
    {"limits of a loss scale", test_limits_of_scale},
#if defined(BND_WITH_WRAP)
    {"failing allocations", test_failing},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
