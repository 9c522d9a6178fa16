/* What an update keeps, by the recipe's own rules: masters, moments and compensations, and parameters of any rank. */
#include "tests/support/operands.h"
#include "tests.h"

#include <math.h>
#include <string.h>

enum { N = 48, STEPS = 40 };

static bnd_run *run_with(const bnd_training *t, const float *w, const size_t *extent, size_t rank)
{
    bnd_run *run = NULL;
    bnd_error why;
    size_t index;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_add_parameter(&index, run, "w", w, extent, rank, true, &why), &why));
    return run;
}

/* A part of the run after some steps whose gradients have this size. */
static void part_after(float *out, const bnd_training *t, bnd_role part, float size, const size_t *extent, size_t rank)
{
    float w[N], g[N];
    for (size_t i = 0; i < N; i++) {
        w[i] = 1 + (float)i / (float)N;
    }
    bnd_run *run = run_with(t, w, extent, rank);
    for (uint64_t step = 0; step < STEPS; step++) {
        for (size_t i = 0; i < N; i++) {
            g[i] = size * (float)((double)(bnd_random(step, 4, i) >> 11) * 0x1p-52 - 1);
        }
        step_with(run, g);
    }
    CU_ASSERT_TRUE_FATAL(read_part(out, run, part));
    bnd_run_free(run);
}

static void part_of_matrix(float *out, const char *optimizer, const char *recipe, bnd_role part, float size)
{
    bnd_training t = training_of("own", optimizer, recipe);
    t.lr = 1e-3;
    part_after(out, &t, part, size, (size_t[]){6, N / 6}, 2);
}

/* How many numbers are not values of the format. */
static size_t beside(const float *x, const char *format)
{
    bnd_format f = format_named(format);
    size_t count = 0;
    for (size_t i = 0; i < N; i++) {
        count += bnd_round_exact(&f, bnd_exact_double((double)x[i]), (bnd_rule){0}, 0).ternary != 0;
    }
    return count;
}

static void test_kahan(void)
{
    float master[N];
    part_of_matrix(master, "adamw", "param=e4m3,master=fp32,update=kahan", BND_ROLE_MASTER, 1);
    CU_ASSERT_TRUE(beside(master, "e4m3") > N / 2);
    bnd_training t = training_of("mlp", "adamw", "param=e4m3/tensor,update=kahan");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "share scales (param)"));
    t = training_of("mlp", "adamw", "base=bf16-master,master=e4m3/row,update=kahan");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "share scales (master)"));
    t = training_of("mlp", "adamw", "param=bf16:sr,update=kahan");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "random bits (param)"));
    t = training_of("mlp", "adamw", "scalar=bf16:sr");
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "role scalar cannot be rounded with random bits"));
}

/* What the model computes with is made of the master as it is stored, also where its elements share a scale. */
static void test_made_of_master(void)
{
    static const char *const recipes[] = {"master=e4m3/tensor,param=fp32", "master=e4m3/row:8,param=fp32",
                                          "master=fp32,param=fp32", "master=bf16,param=fp32"};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        bnd_training t = training_of("own", "adam", recipes[i]);
        float w[N], g[N], master[N], now[N];
        for (size_t k = 0; k < N; k++) {
            w[k] = sinf((float)k);
            g[k] = cosf((float)k);
        }
        bnd_run *run = run_with(&t, w, (size_t[]){6, N / 6}, 2);
        step_with(run, g);
        CU_ASSERT_TRUE_FATAL(read_part(master, run, BND_ROLE_MASTER) && read_part(now, run, BND_ROLE_PARAM));
        CU_ASSERT_EQUAL(memcmp(now, master, sizeof now), 0);
        CU_ASSERT_NOT_EQUAL(memcmp(now, w, sizeof now), 0);
        bnd_run_free(run);
    }
}

/* Moments that are rounded with random bits, up, or clamped are others than those rounded to nearest. */
static void test_moments(void)
{
    static const char *const recipes[] = {"m=bf16,v=bf16", "m=bf16:sr,v=bf16", "m=bf16:rup,v=bf16", "m=bf16,v=bf16:sr"};
    static const bnd_role parts[] = {BND_ROLE_M, BND_ROLE_M, BND_ROLE_M, BND_ROLE_V};
    float x[4][N], v[N];
    for (size_t i = 0; i < 4; i++) {
        part_of_matrix(x[i], "adamw", recipes[i], parts[i], 1);
        CU_ASSERT_EQUAL(beside(x[i], "bf16"), 0);
    }
    part_of_matrix(v, "adamw", recipes[0], BND_ROLE_V, 1);
    CU_ASSERT_TRUE(memcmp(x[0], x[1], sizeof v) != 0 && memcmp(x[0], x[2], sizeof v) != 0);
    CU_ASSERT_TRUE(memcmp(v, x[3], sizeof v) != 0);
    part_of_matrix(v, "adamw", "v=e4m3:clamp", BND_ROLE_V, 1000); /* the squares alone are beyond 448 */
    for (size_t i = 0; i < N; i++) {
        CU_ASSERT_TRUE(v[i] > 0 && v[i] <= 448);
    }
}

/* Weight decay of a master with random bits: each step takes less than a rounding to nearest keeps. */
static void test_master(void)
{
    bnd_training t = training_of("own", "adamw", "param=bf16,master=bf16:sr");
    float w[N], g[N] = {0}, now[N];
    double sum = 0;
    t.lr = 0x1p-10;
    t.weight_decay = 1;
    for (size_t i = 0; i < N; i++) {
        w[i] = 1;
    }
    bnd_run *run = run_with(&t, w, (size_t[]){6, N / 6}, 2);
    for (int step = 0; step < 512; step++) {
        step_with(run, g);
    }
    CU_ASSERT_TRUE_FATAL(read_part(now, run, BND_ROLE_MASTER));
    for (size_t i = 0; i < N; i++) {
        sum += (double)now[i] / (double)N;
    }
    CU_ASSERT_DOUBLE_EQUAL(sum, exp(-0.5), 0.02);
    bnd_run_free(run);
}

/* A weight of 1 after 512 steps of weight decay alone. Halfway to the next bf16 below 1 is 1 - 2^-9, which rounds to 1.
 * Lost updates are not counted. */
static float decayed(const char *recipe, double lr)
{
    bnd_training t = training_of("own", "adamw", recipe);
    const float w = 1, g = 0;
    float now = NAN;
    t.lr = lr;
    t.weight_decay = 1;
    bnd_run *run = run_with(&t, &w, (size_t[]){1, 1}, 2);
    for (int step = 0; step < 512; step++) {
        step_with(run, &g);
        const bnd_updates u = bnd_run_updates(run, 0);
        CU_ASSERT_TRUE(u.updates == 1 && u.lost == 0);
    }
    CU_ASSERT_TRUE_FATAL(read_part(&now, run, BND_ROLE_PARAM));
    bnd_run_free(run);
    return now;
}

/* The decay is rounded before Kahan's sum begins, except where only what is stored is rounded. */
static void test_decay_of_kahan(void)
{
    CU_ASSERT_EQUAL(decayed("bf16-kahan", 0x1p-10), 1);
    CU_ASSERT_EQUAL(decayed("bf16-kahan", 0x1p-9), 1);
    CU_ASSERT_TRUE(decayed("bf16-kahan", 1.01 * 0x1p-9) < 1);
    CU_ASSERT_DOUBLE_EQUAL((double)decayed("base=bf16-kahan,optimizer=fused", 0x1p-10), exp(-0.5), 0x1p-7);
}

/* What is no matrix is one row of numbers, whatever its rank. */
static void test_ranks(void)
{
    static const char *const optimizers[] = {"adafactor", "adamw", "lion"};
    for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
        float flat[N], deep[N];
        bnd_training t = training_of("own", optimizers[i], "fp32");
        t.lr = 1e-2;
        part_after(flat, &t, BND_ROLE_PARAM, 1, (size_t[]){N}, 1);
        part_after(deep, &t, BND_ROLE_PARAM, 1, (size_t[]){4, 3, 2, 2}, 4);
        CU_ASSERT_EQUAL(memcmp(flat, deep, sizeof flat), 0);
    }
}

CU_TestInfo kept_tests[] = {
    {"Kahan's compensation", test_kahan},
    {"weight decay with Kahan's compensation", test_decay_of_kahan},
    {"moments", test_moments},
    {"a master with random bits", test_master},
    {"parameters of any rank", test_ranks},
    {"made of the stored master", test_made_of_master},
    CU_TEST_INFO_NULL,
};
