/* What low precision does to training, exactly: each trap is sprung by the run's own machinery (steps, updates, sums
 * in a format), and beside it what gets around it. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double rounded_to(const char *format, double x)
{
    bnd_format f = format_named(format);
    return bnd_decode(&f, bnd_encode(&f, x, (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code);
}

/* One weight, or `width` of them, and an optimizer; gradients come from the test. */
static bnd_run *weights_under(const char *optimizer, const char *recipe, size_t width, double lr)
{
    bnd_training t = training_of("quadratic", optimizer, recipe);
    t.width = width;
    t.lr = lr;
    return run_of(&t, NULL);
}

static double weight_of(const bnd_run *run)
{
    double w = NAN;
    numbers_of(&w, 1, run, 0, BND_ROLE_PARAM);
    return w;
}

/* ---- epsilon, and v, in fp16 ---- */

static void count_strange(uint64_t *infinities, uint64_t *nans, const bnd_run *run)
{
    *infinities = *nans = 0;
    for (size_t i = 0; i < bnd_run_parameters(run); i++) {
        size_t n = bnd_tensor_count(bnd_run_parameter(run, i, BND_ROLE_PARAM));
        double *w = calloc(n, sizeof *w);
        CU_ASSERT_PTR_NOT_NULL_FATAL(w);
        numbers_of(w, n, run, i, BND_ROLE_PARAM);
        for (size_t j = 0; j < n; j++) {
            *infinities += isinf(w[j]) != 0;
            *nans += isnan(w[j]) != 0;
        }
        free(w);
    }
}

/* fp16(1e-8) is 0 and v flushes to 0: m / 0 is infinite, 0 / 0 (rows of symbols that did not come up) is NaN, and so is
 * the second loss. Not so where bf16 holds epsilon, and not where the optimizer works in fp32 and rounds what it
 * stores. */
static void test_epsilon(void)
{
    static const struct {
        const char *recipe;
        bool is_nan;
    } cases[] = {{"fp16-pure", true},  {"base=fp16-pure,scalar=fp16", true},  {"base=fp16-pure,optimizer=fused", false},
                 {"bf16-pure", false}, {"base=bf16-pure,scalar=bf16", false}, {"fp16-amp", false}};
    CU_ASSERT_EQUAL(rounded_to("fp16", 1e-8), 0);
    CU_ASSERT_EQUAL(rounded_to("bf16", 1e-8), 43 * 0x1p-32);
    CU_ASSERT_DOUBLE_EQUAL(43 * 0x1p-32, 1.001171768e-08, 5e-18);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of("transformer", "adamw", cases[i].recipe);
        uint64_t infinities, nans;
        t.batch = 4;
        bnd_run *run = run_of(&t, NULL);
        CU_ASSERT_TRUE(isfinite(step_of(run).loss));
        count_strange(&infinities, &nans, run);
        CU_ASSERT_EQUAL(infinities > 0, cases[i].is_nan);
        CU_ASSERT_EQUAL(nans > 0, cases[i].is_nan);
        double second = step_of(run).loss;
        CU_ASSERT_TRUE(cases[i].is_nan ? isnan(second) : isfinite(second));
        bnd_run_free(run);
    }
}

/* ---- a coefficient that is rounded ---- */

/* bf16(0.999) is 1: what an average has, it keeps. With the coefficient in fp64, as torch has it, it decays. */
static void test_coefficient(void)
{
    CU_ASSERT_EQUAL(rounded_to("bf16", 0.999), 1);
    for (int rounds = 0; rounds < 2; rounds++) {
        const double none = 0, one = 1;
        bnd_run *run = weights_under("adam", rounds != 0 ? "base=fp32,scalar=bf16" : "fp32", 1, 1e-3);
        double v;
        set_numbers(run, 0, BND_ROLE_V, &one, 1);
        for (int step = 0; step < 1000; step++) {
            (void)update_with(run, &none);
        }
        numbers_of(&v, 1, run, 0, BND_ROLE_V);
        CU_ASSERT_TRUE(rounds != 0 ? v == 1 : fabs(v / pow(0.999, 1000) - 1) < 1000 * 0x1p-24);
        bnd_run_free(run);
    }
}

/* ---- updates that are rounded away ---- */

/* x = x - lr x, from 1, stays there where lr is at most 2^-(p+1), half of the gap below 1: to the even side. */
static void test_standstill(void)
{
    static const struct {
        const char *format;
        double lr;
        bool stays;
    } cases[] = {{"bf16", 1e-3, true},          {"bf16", 0x1p-9, true},         {"bf16", 1.01 * 0x1p-9, false},
                 {"fp16", 2e-4, true},          {"fp16", 0x1p-12, true},        {"fp16", 1.01 * 0x1p-12, false},
                 {"e4m3", 0x1p-5, true},        {"e4m3", 1.01 * 0x1p-5, false}, {"e5m2", 0x1p-4, true},
                 {"e5m2", 1.01 * 0x1p-4, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char recipe[64];
        snprintf(recipe, sizeof recipe, "param=%s", cases[i].format);
        bnd_run *run = weights_under("sgd", recipe, 1, cases[i].lr);
        double x = 1;
        uint64_t lost = 0;
        set_numbers(run, 0, BND_ROLE_PARAM, &x, 1);
        for (int step = 0; step < 1000; step++) {
            lost += update_with(run, &x).lost;
            x = weight_of(run);
        }
        CU_ASSERT_EQUAL(x == 1, cases[i].stays);
        CU_ASSERT_EQUAL(lost == 1000, cases[i].stays);
        bnd_run_free(run);
    }
}

/* 1 + 1000 times 0.001, as updates of a weight. */
static void test_thousand_updates(void)
{
    static const struct {
        const char *recipe;
        double sum;
    } cases[] = {{"bf16-pure", 1}, {"bf16-kahan-pure", 2}, {"fp16-pure", 1 + 1000 * 0x1p-10}, {"fp32", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_run *run = weights_under("sgd", cases[i].recipe, 1, 1);
        const double one = 1, g = -0.001;
        set_numbers(run, 0, BND_ROLE_PARAM, &one, 1);
        for (int step = 0; step < 1000; step++) {
            (void)update_with(run, &g);
        }
        CU_ASSERT_DOUBLE_EQUAL(weight_of(run), cases[i].sum, strcmp(cases[i].recipe, "fp32") == 0 ? 1e-4 : 0);
        bnd_run_free(run);
    }
}

/* ---- sums in a format ---- */

static double sum_of(const char *format, bnd_summation way, const double *x, size_t n)
{
    bnd_format f = format_named(format);
    bnd_error why;
    double sum = NAN;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_sum_f64(&sum, way, &(bnd_operand){.data = x}, n, &f, NULL, &why), &why));
    return sum;
}

/* The same 1 + 1000 times 0.001, as a sum. */
static void test_thousand_terms(void)
{
    double x[1001] = {1};
    for (size_t i = 1; i <= 1000; i++) {
        x[i] = 0.001;
    }
    CU_ASSERT_EQUAL(sum_of("bf16", BND_SUM_NAIVE, x, 1001), 1);
    CU_ASSERT_EQUAL(sum_of("bf16", BND_SUM_KAHAN, x, 1001), 2);
    CU_ASSERT_EQUAL(sum_of("fp16", BND_SUM_NAIVE, x, 1001), 1 + 1000 * 0x1p-10); /* 1.9766 */
    CU_ASSERT_EQUAL(sum_of("fp16", BND_SUM_KAHAN, x, 1001), 2);
}

enum { TERMS = 4096 };

/* The sum where it stands still, and (from 1) the first term that changes nothing any more. Sums of positive terms
 * never fall, so that they have their last value from there on. */
static double standstill(size_t *term, const char *format, const double *x)
{
    double last = sum_of(format, BND_SUM_NAIVE, x, TERMS);
    size_t low = 0, high = TERMS; /* the sum of `high` terms is the last one, that of `low` is not */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(sum_of(format, BND_SUM_NAIVE, x, middle) == last ? &high : &low) = middle;
    }
    *term = high + 1;
    return last;
}

static void test_standing_sums(void)
{
    static const struct {
        const char *format;
        double ones, harmonic;
        size_t term;
    } cases[] = {{"fp16", 2048, 7.0859375, 513}, {"bf16", 256, 5.0625, 65}, {"e4m3", 16, 3, 9}, {"e5m2", 8, 2, 5}};
    double ones[TERMS], harmonic[TERMS], rounded[TERMS]; /* rounded: the terms are numbers of the format, too */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t term;
        for (size_t j = 0; j < TERMS; j++) {
            ones[j] = 1;
            harmonic[j] = 1 / (double)(j + 1);
            rounded[j] = rounded_to(cases[i].format, harmonic[j]);
        }
        CU_ASSERT_EQUAL(standstill(&term, cases[i].format, ones), cases[i].ones);
        CU_ASSERT_EQUAL(term, (size_t)cases[i].ones + 1);
        CU_ASSERT_EQUAL(standstill(&term, cases[i].format, harmonic), cases[i].harmonic);
        CU_ASSERT_EQUAL(term, cases[i].term);
        CU_ASSERT_EQUAL(standstill(&term, cases[i].format, rounded), cases[i].harmonic);
        CU_ASSERT_EQUAL(term, cases[i].term);
    }
}

/* ---- the second moment in fp16 ---- */

/* The largest gradient whose v is 0 after a step, and the smallest whose v overflows. */
static void edges_of_v(double *lost, double *beyond, const char *recipe, const double *g, size_t n)
{
    bnd_run *run = weights_under("adam", recipe, n, 1e-3);
    double *v = calloc(n, sizeof *v);
    CU_ASSERT_PTR_NOT_NULL_FATAL(v);
    (void)update_with(run, g);
    numbers_of(v, n, run, 0, BND_ROLE_V);
    uint64_t zeros = 0;
    *lost = 0;
    *beyond = INFINITY;
    for (size_t i = 0; i < n; i++) {
        zeros += v[i] == 0 && g[i] != 0;
        *lost = v[i] == 0 && g[i] > *lost ? g[i] : *lost;
        *beyond = !isfinite(v[i]) && g[i] < *beyond ? g[i] : *beyond;
    }
    CU_ASSERT_EQUAL(run->parameter[0].updates.lost_moments, zeros);
    free(v);
    bnd_run_free(run);
}

/* What is counted is v as it is stored: with random bits, with shared scales, by rows and columns, by blocks. */
static void test_lost_moments(void)
{
    static const struct {
        const char *optimizer, *recipe;
        bool loses;
    } cases[] = {{"adam", "v=e5m2", true},
                 {"adam", "v=e5m2:sr", true},
                 {"adam", "v=e5m2,optimizer=fused", true},
                 {"adam", "v=e5m2/row:256", true},
                 {"adam", "v=fp32/udynamic:256", true},
                 {"adam", "v=fp32/ulinear:256,loss_scale=256", true},
                 {"adam", "v=fp32", false},
                 {"adam", "v=fp16/udynamic:256", true},
                 {"adafactor", "v=e5m2", true},
                 {"adafactor", "v=bf16", false},
                 {"adam-mini", "v=e5m2", true},
                 {"adam-mini", "v=fp32", false}};
    enum { ROWS = 64, FEW = 60, COLUMNS = 64, COUNT = ROWS * COLUMNS };
    static float w[COUNT], g[COUNT];
    static double v[COUNT];
    for (size_t i = 0; i < COUNT; i++) { /* from 2^-37 to 1, and zeros */
        g[i] = i % 7 == 0 ? 0
                          : ldexpf((float)(bnd_random(6, 0, i) >> 40) * 0x1p-24f + 0.5f,
                                   -(int)(i / COLUMNS / 4 + i % COLUMNS / 3));
    }
    for (size_t k = 0; k < sizeof cases / sizeof cases[0] * 2; k++) {
        const size_t rows = k % 2 == 0 ? ROWS : FEW; /* few numbers have no dynamic codes: v is a format's */
        bnd_training t = training_of("own", cases[k / 2].optimizer, cases[k / 2].recipe);
        bnd_run *run = NULL;
        bnd_error why;
        size_t index;
        uint64_t zeros = 0;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new_own(&run, &t, NULL, &why), &why));
        CU_ASSERT_TRUE_FATAL(
            succeeds(bnd_run_add_parameter(&index, run, "w", w, (size_t[]){rows, COLUMNS}, 2, true, &why), &why));
        step_with(run, g);
        const size_t kept = bnd_tensor_count(bnd_run_parameter(run, 0, BND_ROLE_V));
        numbers_of(v, kept, run, 0, BND_ROLE_V);
        for (size_t i = 0; i < rows * COLUMNS; i++) {
            const size_t row = i / COLUMNS, column = i % COLUMNS;
            const double of_element = kept == rows * COLUMNS ? v[i] : kept == rows ? v[row] : v[row] * v[rows + column];
            zeros += of_element == 0 && g[i] != 0;
        }
        CU_ASSERT_EQUAL(bnd_run_updates(run, 0).lost_moments, zeros);
        CU_ASSERT_TRUE(rows == FEW || (zeros > 0) == cases[k / 2].loses);
        bnd_run_free(run);
    }
}

/* v = (1 - beta2) g g of every fp16 gradient: rounded after each operation, coefficient and all, it is 0 up to 1430
 * 2^-18 = 0.005455 (1431 2^-18 is the square root of 499.6 2^-24, and 0.001 in fp16 times 500 2^-24 is more than
 * half of 2^-24); worked out in fp32, up to 1431 2^-18 = 0.005459, the last below sqrt(2^-25 / 0.001). g g alone is
 * beyond fp16 from sqrt(65520) = 255.97 on: 256, of fp16's numbers. */
static void test_second_moment(void)
{
    enum { FINITE = 0x7c00 };
    static double g[FINITE], finer[64];
    bnd_format f = format_named("fp16");
    double lost, beyond;
    for (uint64_t code = 0; code < FINITE; code++) {
        g[code] = bnd_decode(&f, code);
    }
    edges_of_v(&lost, &beyond, "base=fp32,v=fp16,scalar=fp16", g, FINITE);
    CU_ASSERT_EQUAL(lost, 1430 * 0x1p-18);
    CU_ASSERT_EQUAL(beyond, 256);
    edges_of_v(&lost, &beyond, "base=fp32,v=fp16", g, FINITE); /* 0.001 in fp64, as torch has it */
    CU_ASSERT_EQUAL(lost, 1431 * 0x1p-18);
    CU_ASSERT_EQUAL(beyond, 256);
    edges_of_v(&lost, &beyond, "base=fp32,v=fp16,optimizer=fused", g, FINITE);
    CU_ASSERT_EQUAL(lost, 1431 * 0x1p-18);
    CU_ASSERT_EQUAL(beyond, 8096); /* the first number of fp16 above sqrt(65520 / 0.001) */
    for (size_t i = 0; i < 64; i++) {
        finer[i] = 255.96875 + ((double)i - 32) * 0x1p-16;
    }
    edges_of_v(&lost, &beyond, "base=fp32,v=fp16", finer, 64);
    CU_ASSERT_EQUAL(beyond, 255.96875); /* 65520.0009; the square before it is below 65520 */
}

CU_TestInfo trap_tests[] = {
    {"epsilon vanishes in fp16", test_epsilon},
    {"a rounded coefficient never decays", test_coefficient},
    {"x - lr x stands still", test_standstill},
    {"1000 updates by 0.001", test_thousand_updates},
    {"1000 terms of 0.001", test_thousand_terms},
    {"sums that stand still", test_standing_sums},
    {"v in fp16", test_second_moment},
    {"second moments that are stored as zero", test_lost_moments},
    CU_TEST_INFO_NULL,
};
