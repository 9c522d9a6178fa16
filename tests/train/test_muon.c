/* Muon: its steps are those of plain loops, bit for bit; its products bring singular values near 1 in the formats of
 * the role ns; which parameters it updates; and what it keeps. tests/train/golden has the same steps by numpy. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/allocations.h"
#include "tests/support/plain.h"

enum { MOST = 64 * 64, STEPS = 3 };

static bnd_training training_of_own(const char *optimizer, const char *recipe)
{
    bnd_training t = training_of("own", optimizer, recipe);
    t.lr = 0.01;
    return t;
}

static float normal(uint64_t seed, uint64_t i)
{
    double sum = -6;
    for (uint64_t k = 0; k < 12; k++) {
        sum += (double)(bnd_random(seed, k, i) >> 11) * 0x1p-53;
    }
    return (float)sum;
}

static void fill(float *x, size_t n, uint64_t seed, float size)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = size * normal(seed, i);
    }
}

/* A run with one matrix. */
static bnd_run *matrix_run(const bnd_training *t, const float *w, size_t rows, size_t columns, bool hidden)
{
    bnd_run *run = NULL;
    bnd_error why;
    size_t index;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(
        succeeds(bnd_run_add_parameter(&index, run, "w.weight", w, (size_t[]){rows, columns}, 2, true, &why), &why));
    CU_ASSERT_FALSE(bnd_run_is_hidden(run, index));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_set_hidden(run, index, hidden, &why), &why));
    CU_ASSERT_EQUAL(bnd_run_is_hidden(run, index), hidden);
    return run;
}

/* ---- the same steps in plain loops ---- */

typedef struct plain {
    size_t rows, columns;
    bool bf16, original; /* the operands of products, the rate */
    float w[MOST], m[MOST];
} plain;

static void newton_schulz(float *x, size_t r, size_t c, bool bf16)
{
    static float s[MOST], ss[MOST], y[MOST];
    for (int step = 0; step < 5; step++) {
        multiply_matrices(s, r, r, c, x, c, 1, x, 1, c, bf16);
        multiply_matrices(ss, r, r, r, s, r, 1, s, r, 1, bf16);
        for (size_t i = 0; i < r * r; i++) {
            s[i] = (float)(-4.7750 * (double)s[i] + 2.0315 * (double)ss[i]);
        }
        multiply_matrices(y, r, c, r, s, r, 1, x, c, 1, bf16);
        for (size_t i = 0; i < r * c; i++) {
            x[i] = (float)(3.4445 * (double)x[i] + (double)y[i]);
        }
    }
}

static void plain_step(plain *p, const float *g)
{
    static float x[MOST];
    const bool turned = p->rows > p->columns;
    const size_t r = turned ? p->columns : p->rows, c = turned ? p->rows : p->columns, n = r * c;
    const double lr = 0.01, beta = 0.95, decay = lr * 0.1, ratio = (double)p->rows / (double)p->columns,
                 rate = lr * (p->original ? sqrt(ratio > 1 ? ratio : 1) : 1) * (p->original ? 1 : 0.2) *
                        (p->original ? 1 : sqrt((double)c));
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t to = turned ? i % p->columns * p->rows + i / p->columns : i;
        p->m[i] = (float)(beta * (double)p->m[i]);
        p->m[i] = (float)((double)p->m[i] + (1 - beta) * (double)g[i]);
        x[to] = (float)(beta * (double)p->m[i] + (1 - beta) * (double)g[i]);
        squares += (double)x[to] * (double)x[to];
    }
    const double norm = fmax(sqrt(squares), 1e-7);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(1 / norm * (double)x[i]);
    }
    newton_schulz(x, r, c, p->bf16);
    for (size_t i = 0; i < n; i++) {
        const float change = (float)(-rate * (double)x[turned ? i % p->columns * p->rows + i / p->columns : i]);
        p->w[i] = (float)((1 - decay) * (double)p->w[i]);
        p->w[i] = (float)((double)p->w[i] + (double)change);
    }
}

static void check_plain(size_t rows, size_t columns, bool bf16, bool original)
{
    static plain p;
    static float g[MOST], w[MOST], m[MOST];
    const bnd_training t = training_of_own(original ? "muon-original" : "muon", bf16 ? "ns=bf16" : "fp32");
    const size_t n = rows * columns;
    p = (plain){.rows = rows, .columns = columns, .bf16 = bf16, .original = original};
    fill(p.w, n, 1, 0.1f);
    bnd_run *run = matrix_run(&t, p.w, rows, columns, true);
    for (uint64_t step = 0; step < STEPS; step++) {
        fill(g, n, 2 + step, step == 1 ? 1e-12f : 1); /* the second has hardly a gradient */
        plain_step(&p, g);
        step_with(run, g);
    }
    CU_ASSERT_TRUE(read_part(w, run, BND_ROLE_PARAM));
    CU_ASSERT_TRUE(read_part(m, run, BND_ROLE_M));
    const bool same = memcmp(w, p.w, n * sizeof *w) == 0 && memcmp(m, p.m, n * sizeof *m) == 0;
    if (!same) {
        printf("\n    %zu x %zu, %s, %s: not the bits of plain loops\n", rows, columns, t.optimizer, t.policy.name);
    }
    CU_ASSERT_TRUE(same);
    bnd_run_free(run);
}

static void test_plain_loops(void)
{
    static const size_t shapes[][2] = {{1, 7}, {7, 1}, {4, 4}, {3, 40}, {40, 3}, {17, 33}, {48, 31}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            check_plain(shapes[i][0], shapes[i][1], (kind & 1) != 0, (kind & 2) != 0);
        }
    }
}

/* No gradient at all changes nothing but by decay; NaN is passed on. */
static void test_special_gradients(void)
{
    const bnd_training t = training_of_own("muon", "fp32");
    float w[6] = {1, -1, 2, -2, 3, -3}, g[6] = {0}, now[6];
    bnd_run *run = matrix_run(&t, w, 2, 3, true);
    step_with(run, g);
    CU_ASSERT_TRUE(read_part(now, run, BND_ROLE_PARAM));
    for (size_t i = 0; i < 6; i++) {
        CU_ASSERT_EQUAL(now[i], (float)((1 - 0.01 * 0.1) * (double)w[i]));
    }
    g[0] = NAN;
    step_with(run, g);
    CU_ASSERT_TRUE(read_part(now, run, BND_ROLE_PARAM));
    CU_ASSERT_TRUE(isnan(now[0]) && isnan(now[5]));
    bnd_run_free(run);
}

/* ---- singular values ---- */

/* Of a matrix with more columns than rows: rows are turned against each other until they are orthogonal. */
static void singular_values(double *least, double *most, double *x, size_t rows, size_t columns)
{
    for (int sweep = 0; sweep < 30; sweep++) {
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = i + 1; j < rows; j++) {
                double *p = x + i * columns, *q = x + j * columns, pp = 0, qq = 0, pq = 0;
                for (size_t k = 0; k < columns; k++) {
                    pp += p[k] * p[k];
                    qq += q[k] * q[k];
                    pq += p[k] * q[k];
                }
                if (fabs(pq) <= 1e-15 * sqrt(pp * qq)) {
                    continue;
                }
                const double z = (qq - pp) / (2 * pq), t = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(1 + z * z)),
                             cosine = 1 / sqrt(1 + t * t), sine = t * cosine;
                for (size_t k = 0; k < columns; k++) {
                    const double a = p[k], b = q[k];
                    p[k] = cosine * a - sine * b;
                    q[k] = sine * a + cosine * b;
                }
            }
        }
    }
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < columns; k++) {
            sum += x[i * columns + k] * x[i * columns + k];
        }
        *least = fmin(*least, sqrt(sum));
        *most = fmax(*most, sqrt(sum));
    }
}

/* One step from weights of 0 without decay: the weights are the direction times -rate. */
static void test_singular_values(void)
{
    static const struct {
        const char *recipe;
        double least, most;
    } cases[] = {{"fp32", 0.65, 1.2},
                 {"ns=bf16", 0.65, 1.2},
                 {"bf16-amp", 0.65, 1.2},
                 {"ns=fp16", 0.65, 1.2},
                 {"ns=e4m3/current", 0.35, 1.7}};
    enum { ROWS = 24, COLUMNS = 40 };
    static float g[ROWS * COLUMNS], w[ROWS * COLUMNS];
    static double x[ROWS * COLUMNS];
    fill(g, ROWS * COLUMNS, 3, 1e-3f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of_own("muon-original", cases[i].recipe);
        double least, most;
        t.weight_decay = 0;
        bnd_run *run = matrix_run(&t, NULL, ROWS, COLUMNS, true);
        step_with(run, g);
        CU_ASSERT_TRUE(read_part(w, run, BND_ROLE_PARAM));
        for (size_t k = 0; k < ROWS * COLUMNS; k++) {
            x[k] = (double)w[k] / t.lr;
        }
        singular_values(&least, &most, x, ROWS, COLUMNS);
        const bool within = least > cases[i].least && most < cases[i].most;
        if (!within || getenv("BND_TEST_VERBOSE") != NULL) {
            printf("\n    %s: singular values from %.3f to %.3f\n", cases[i].recipe, least, most);
        }
        CU_ASSERT_TRUE(within);
        bnd_run_free(run);
    }
}

/* ---- what it works on ---- */

/* What is not hidden has the bits of AdamW, at a share of the rate. */
static void check_others(const char *name, double share)
{
    enum { N = 12 };
    float w[N], g[N], x[N], y[N];
    bnd_training t = training_of_own(name, "fp32"), u = training_of_own("adamw", "fp32");
    u.lr = t.lr * share;
    u.beta2 = t.beta2;
    u.weight_decay = t.weight_decay;
    fill(w, N, 1, 1);
    bnd_run *muon = matrix_run(&t, w, 3, 4, false), *adamw = matrix_run(&u, w, 3, 4, false);
    for (uint64_t step = 0; step < STEPS; step++) {
        fill(g, N, 9 + step, 1);
        step_with(muon, g);
        step_with(adamw, g);
    }
    CU_ASSERT_TRUE(read_part(x, muon, BND_ROLE_PARAM));
    CU_ASSERT_TRUE(read_part(y, adamw, BND_ROLE_PARAM));
    CU_ASSERT_EQUAL(memcmp(x, y, sizeof x), 0);
    CU_ASSERT_TRUE(read_part(x, muon, BND_ROLE_V));
    CU_ASSERT_TRUE(read_part(y, adamw, BND_ROLE_V));
    CU_ASSERT_EQUAL(memcmp(x, y, sizeof x), 0);
    bnd_run_free(muon);
    bnd_run_free(adamw);
}

static void test_others(void)
{
    check_others("muon", 1);
    check_others("muon-original", 0.015);
}

/* Of the built-in models the matrices between others; they have no second moment. */
static void test_hidden(void)
{
    static const char *const hidden[] = {"layers.1.weight", "qkv.weight",   "projection.weight", "up.weight",
                                         "down.weight",     "_proj.weight", "c_attn.weight",     "c_fc.weight"};
    for (size_t m = 0; m < bnd_model_count(); m++) {
        bnd_training t = training_of(bnd_model_name(m), "muon", "fp32");
        bnd_run *run = run_of(&t, NULL);
        for (size_t i = 0; i < bnd_run_parameters(run); i++) {
            const char *name = bnd_run_parameter_name(run, i);
            bool expected = false;
            for (size_t k = 0; k < sizeof hidden / sizeof hidden[0]; k++) {
                expected = expected || strstr(name, hidden[k]) != NULL;
            }
            CU_ASSERT_EQUAL(bnd_run_is_hidden(run, i), expected);
            CU_ASSERT_EQUAL(bnd_run_parameter(run, i, BND_ROLE_V) == NULL, expected);
            CU_ASSERT_PTR_NOT_NULL(bnd_run_parameter(run, i, BND_ROLE_M));
        }
        CU_ASSERT_FALSE(bnd_run_is_hidden(run, bnd_run_parameters(run)));
        bnd_run_free(run);
    }
}

/* The loss scale is divided out, the products are counted in the phase of the update, and only there. */
static void test_scale_and_phase(void)
{
    enum { ROWS = 6, COLUMNS = 4, N = ROWS * COLUMNS };
    float w[N], g[N], x[N], y[N];
    bnd_training t = training_of_own("muon", "fp32"), u = training_of_own("muon", "loss_scale=1024");
    bnd_account a;
    fill(w, N, 1, 1);
    fill(g, N, 2, 1);
    bnd_run *plain_run = matrix_run(&t, w, ROWS, COLUMNS, true), *scaled_run = matrix_run(&u, w, ROWS, COLUMNS, true);
    step_with(plain_run, g);
    for (size_t i = 0; i < N; i++) {
        g[i] *= 1024;
    }
    step_with(scaled_run, g);
    CU_ASSERT_TRUE(read_part(x, plain_run, BND_ROLE_PARAM));
    CU_ASSERT_TRUE(read_part(y, scaled_run, BND_ROLE_PARAM));
    CU_ASSERT_EQUAL(memcmp(x, y, sizeof x), 0);
    bnd_engine_account(&a, bnd_run_engine(plain_run));
    const uint64_t r = COLUMNS, c = ROWS;
    CU_ASSERT_EQUAL(a.flops[BND_PHASE_UPDATE][BND_TENSOR_OP_MATMUL], 5 * (4 * r * r * c + 2 * r * r * r));
    CU_ASSERT_EQUAL(a.flops[BND_PHASE_FORWARD][BND_TENSOR_OP_MATMUL], 0);
    bnd_run_free(plain_run);
    bnd_run_free(scaled_run);
}

/* The momentum in codes of a byte: 1 byte per weight and 4 per 256 of them; three steps go where those in fp32 go. */
static void test_small_states(void)
{
    static float w[MOST], g[MOST], x[MOST], y[MOST];
    const bnd_training t = training_of_own("muon", "fp32"), u = training_of_own("muon", "m=fp32/dynamic:256");
    bnd_account a;
    fill(w, MOST, 1, 0.1f);
    bnd_run *wide = matrix_run(&t, w, 64, 64, true), *narrow = matrix_run(&u, w, 64, 64, true);
    for (uint64_t step = 0; step < STEPS; step++) {
        fill(g, MOST, 5 + step, 1);
        step_with(wide, g);
        step_with(narrow, g);
    }
    bnd_engine_account(&a, bnd_run_engine(wide));
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_M], 4 * MOST);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_V], 0);
    bnd_engine_account(&a, bnd_run_engine(narrow));
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_M], MOST);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_EXTRA], 4 * MOST / 256);
    CU_ASSERT_EQUAL(a.bytes[BND_ROLE_V], 0);
    CU_ASSERT_TRUE(read_part(x, wide, BND_ROLE_PARAM));
    CU_ASSERT_TRUE(read_part(y, narrow, BND_ROLE_PARAM));
    double apart = 0, gone = 0;
    for (size_t i = 0; i < MOST; i++) {
        apart += pow((double)x[i] - (double)y[i], 2);
        gone += pow((double)x[i] - (double)w[i], 2);
    }
    if (getenv("BND_TEST_VERBOSE") != NULL) {
        printf("\n    momentum in 8 bits: %.3g of the way apart\n", sqrt(apart / gone));
    }
    CU_ASSERT_TRUE(apart > 0 && sqrt(apart / gone) < 0.1);
    bnd_run_free(wide);
    bnd_run_free(narrow);
}

/* ---- failures ---- */

static void test_refused(void)
{
    const bnd_training t = training_of_own("muon", "fp32"), u = training_of("mlp", "muon", "fp32");
    const float g[2] = {1, 2};
    bnd_run *own = matrix_run(&t, g, 1, 2, true), *model = run_of(&u, NULL);
    bnd_error why;
    size_t index;
    CU_ASSERT_TRUE(succeeds(bnd_run_add_parameter(&index, own, "b", NULL, (size_t[]){2}, 1, false, &why), &why));
    CU_ASSERT_TRUE(refuses(bnd_run_set_hidden(own, index, true, &why), &why, "must be a matrix"));
    CU_ASSERT_TRUE(refuses(bnd_run_set_hidden(own, index + 1, true, &why), &why, "must be a matrix"));
    CU_ASSERT_TRUE(refuses(bnd_run_set_hidden(model, 2, true, &why), &why, "built-in model"));
    step_with(own, g);
    CU_ASSERT_TRUE(refuses(bnd_run_set_hidden(own, 0, false, &why), &why, "before the first step"));
    CU_ASSERT_TRUE(bnd_run_is_hidden(own, 0));
    bnd_run_free(own);
    bnd_run_free(model);
}

#if defined(BND_WITH_WRAP)
/* A step that finds no memory leaves the matrix as it was; made again it has the bits of one that found it at once. */
static void check_failing(const char *recipe)
{
    enum { ROWS = 5, COLUMNS = 3, N = ROWS * COLUMNS, MOST_FAILURES = 200 };
    const bnd_training t = training_of_own("muon", recipe);
    float w[N], g[N], expected[N], x[N];
    bnd_error why;
    uint64_t i = 0;
    fill(w, N, 1, 1);
    fill(g, N, 2, 1);
    bnd_run *run = matrix_run(&t, w, ROWS, COLUMNS, true);
    step_with(run, g);
    CU_ASSERT_TRUE(read_part(expected, run, BND_ROLE_PARAM));
    bnd_run_free(run);
    for (bnd_status status = BND_NO_MEMORY; status == BND_NO_MEMORY && i < MOST_FAILURES; i++) {
        run = matrix_run(&t, w, ROWS, COLUMNS, true);
        allocations_fail(i, false);
        status = try_step(run, g, &why);
        allocations_fail(UINT64_MAX, false);
        CU_ASSERT_TRUE(read_part(x, run, BND_ROLE_PARAM));
        CU_ASSERT_EQUAL(memcmp(x, status == BND_OK ? expected : w, sizeof x), 0);
        if (status != BND_OK) {
            step_with(run, g);
            CU_ASSERT_TRUE(read_part(x, run, BND_ROLE_PARAM));
            CU_ASSERT_EQUAL(memcmp(x, expected, sizeof x), 0);
        }
        bnd_run_free(run);
    }
    CU_ASSERT_TRUE(i > 10 && i < MOST_FAILURES);
}

static void test_failing(void)
{
    const int64_t living = allocations_living();
    check_failing("fp32");
    check_failing("ns=e4m3/current");
    CU_ASSERT_EQUAL(allocations_living(), living);
}
#endif

CU_TestInfo muon_tests[] = {
    {"steps are those of plain loops", test_plain_loops},
    {"no gradient, and NaN", test_special_gradients},
    {"singular values", test_singular_values},
    {"others are AdamW's", test_others},
    {"which matrices are hidden", test_hidden},
    {"loss scale and phase", test_scale_and_phase},
    {"momentum in 8 bits", test_small_states},
    {"what is refused", test_refused},
#if defined(BND_WITH_WRAP)
    {"failing allocations", test_failing},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
