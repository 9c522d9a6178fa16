/* Comparing: gaps, bands and verdicts of records that are made up, with answers that are known. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table that every textbook has. */
static void test_student(void)
{
    static const struct {
        size_t n;
        double quantile;
    } cases[] = {{1, 12.7062047362}, {2, 4.3026527297},   {3, 3.1824463053},   {4, 2.7764451052},
                 {5, 2.5705818356},  {9, 2.2621571628},   {10, 2.2281388520},  {30, 2.0422724563},
                 {31, 2.0395134464}, {120, 1.9799304051}, {1000, 1.9623390808}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_DOUBLE_EQUAL(bndi_student(cases[i].n), cases[i].quantile, 1e-9);
    }
}

static void test_band(void)
{
    const double x[] = {0.1, 0.2, 0.3, 7};
    CU_ASSERT_DOUBLE_EQUAL(bnd_band(x, 3), 4.3026527297 * 0.1 / sqrt(3), 1e-10);
    CU_ASSERT_DOUBLE_EQUAL(bnd_band(x, 2), 12.7062047362 * 0.05, 1e-10); /* deviation 0.1 / sqrt 2, over sqrt 2 */
    CU_ASSERT_TRUE(isnan(bnd_band(x, 1)));
    CU_ASSERT_TRUE(isnan(bnd_band(x, 0)));
}

/* ---- records that are made up ---- */

enum { RUNS = 6 };

static bnd_record record_of(uint64_t seed, size_t count, double (*loss)(size_t step, uint64_t seed))
{
    bnd_record r;
    bnd_error why;
    bndi_record_none(&r);
    strcpy(r.model, "transformer");
    r.seed_init = seed;
    r.seed_data = 7 * seed;
    r.ignorance = 4;
    for (size_t i = 0; i < count; i++) {
        bnd_point p = bndi_point_none();
        p.step = i;
        p.loss = loss(i, seed);
        CU_ASSERT_TRUE_FATAL(succeeds(bndi_record_add(&r, &p, &why), &why));
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_record_finish(&r, &why), &why));
    return r;
}

static double noise(size_t step, uint64_t seed, unsigned what)
{
    return (double)bnd_random_bits(seed, what, step, 32) / 0x1p32 - 0.5;
}

/* From 4 down to 2, each seed a little otherwise, and with the noise of its batches. */
static double learns(size_t step, uint64_t seed)
{
    return 2 + 2 * exp(-(double)step / 40) + 0.01 * (double)seed + 0.3 * noise(step, seed, 1);
}

static double learns_and_more(size_t step, uint64_t seed)
{
    return learns(step, seed) + 0.02 * noise(step, seed, 2);
}

static double stalls_at_300(size_t step, uint64_t seed)
{
    return learns_and_more(step, seed) + (step < 300 ? 0 : 0.2 * (1 - exp(-((double)step - 300) / 20)));
}

static double comes_back(size_t step, uint64_t seed)
{
    return learns_and_more(step, seed) + (step >= 300 && step < 400 ? 1 : 0);
}

static double is_nan_from_7(size_t step, uint64_t seed)
{
    return step < 7 ? learns(step, seed) : NAN;
}

static double blows_up(size_t step, uint64_t seed)
{
    return learns(step, seed) + (step < 100 ? 0 : exp(((double)step - 100) / 10));
}

static double is_nan_of_seed_1(size_t step, uint64_t seed)
{
    return seed == 1 ? is_nan_from_7(step, seed) : learns_and_more(step, seed);
}

static bnd_comparison compare(double (*loss)(size_t, uint64_t), size_t pairs, size_t steps)
{
    bnd_record runs[RUNS], references[RUNS];
    bnd_comparison c = {.pairs = 0};
    bnd_error why;
    for (size_t i = 0; i < pairs; i++) { /* the order of the seeds is no matter */
        runs[i] = record_of(i + 1, steps, loss);
        references[pairs - 1 - i] = record_of(i + 1, steps, learns);
    }
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, runs, pairs, references, pairs, &why), &why));
    CU_ASSERT_EQUAL(c.pairs, pairs);
    for (size_t i = 0; i < pairs; i++) {
        bnd_record_clear(&runs[i]);
        bnd_record_clear(&references[i]);
    }
    return c;
}

/* Results that differ from 2 by so much. */
static bnd_comparison compare_results(const double *more, size_t pairs)
{
    bnd_record runs[RUNS], references[RUNS];
    bnd_comparison c = {.pairs = 0};
    bnd_error why;
    for (size_t i = 0; i < pairs; i++) {
        runs[i] = record_of(i, 20, learns);
        references[i] = record_of(i, 20, learns);
        runs[i].validated = references[i].validated = true;
        references[i].validation = 2;
        runs[i].validation = 2 + more[i];
    }
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, runs, pairs, references, pairs, &why), &why));
    for (size_t i = 0; i < pairs; i++) {
        bnd_record_clear(&runs[i]);
        bnd_record_clear(&references[i]);
    }
    return c;
}

/* A gap above 0.02 matters. The band of three numbers is 4.3027 / sqrt 3 = 2.4841 of their deviations: of a - d, a,
 * a + d it is 2.4841 d. */
static void test_unclear(void)
{
    static const struct {
        double middle, deviation;
        bnd_verdict verdict;
        bool unclear;
    } cases[] = {
        {0, 0, BND_MATCH, false},           {0, 0.008, BND_MATCH, false},    /* up to 0.0199 */
        {0, 0.0081, BND_MATCH, true},       {0.01, 0.0041, BND_MATCH, true}, /* 0.0202 */
        {0.01, 0.004, BND_MATCH, false},    {0.03, 0.0121, BND_MATCH, true}, /* not clear: 0.0301 */
        {0.03, 0.012, BND_DEGRADED, false}, {-0.03, 0.02, BND_MATCH, false}, /* better, up to 0.0197 */
        {-0.03, 0.0202, BND_MATCH, true},   {3, 1e-3, BND_DIVERGED, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double a = cases[i].middle, d = cases[i].deviation;
        bnd_comparison c = compare_results((const double[]){a - d, a, a + d}, 3);
        CU_ASSERT_EQUAL(c.verdict, cases[i].verdict);
        CU_ASSERT_EQUAL(c.unclear, cases[i].unclear);
    }
    CU_ASSERT_FALSE(compare_results((const double[]){0.01}, 1).unclear); /* a pair has no band */
}

static void test_verdicts(void)
{
    enum { STEPS = 600 };
    for (size_t pairs = 1; pairs <= RUNS; pairs++) {
        bnd_comparison same = compare(learns, pairs, STEPS), near = compare(learns_and_more, pairs, STEPS);
        CU_ASSERT_EQUAL(same.verdict, BND_MATCH);
        CU_ASSERT_EQUAL(same.gap, 0);
        CU_ASSERT_FALSE(same.left);
        CU_ASSERT_EQUAL(near.verdict, BND_MATCH);
        CU_ASSERT_FALSE(near.left);
        CU_ASSERT_EQUAL(isnan(near.band) != 0, pairs == 1);

        bnd_comparison stalled = compare(stalls_at_300, pairs, STEPS);
        CU_ASSERT_EQUAL(stalled.verdict, BND_DEGRADED);
        CU_ASSERT_DOUBLE_EQUAL(stalled.gap, 0.2, 0.01);
        CU_ASSERT_TRUE(stalled.left);
        CU_ASSERT_TRUE(stalled.left_at >= 300 && stalled.left_at <= 340);

        bnd_comparison back = compare(comes_back, pairs, STEPS);
        CU_ASSERT_EQUAL(back.verdict, BND_MATCH);
        CU_ASSERT_FALSE(back.left);

        bnd_comparison nan = compare(is_nan_from_7, pairs, STEPS);
        CU_ASSERT_EQUAL(nan.verdict, BND_DIVERGED);
        CU_ASSERT_EQUAL(nan.diverged, pairs);
        CU_ASSERT_EQUAL(nan.result, 4);
        CU_ASSERT_DOUBLE_EQUAL(nan.gap, 4 - nan.reference, 1e-12);
        CU_ASSERT_TRUE(nan.left && nan.left_at == 7);

        bnd_comparison large = compare(blows_up, pairs, STEPS);
        CU_ASSERT_EQUAL(large.verdict, BND_DIVERGED);
        CU_ASSERT_EQUAL(large.result, 4);
        CU_ASSERT_TRUE(large.left && large.left_at >= 100 && large.left_at < 120);
    }
}

/* NaN in one of the pairs counts as the cap; in half of them it is the verdict. */
static void test_some_diverge(void)
{
    bnd_comparison one_of_two = compare(is_nan_of_seed_1, 2, 200), one_of_five = compare(is_nan_of_seed_1, 5, 200);
    CU_ASSERT_EQUAL(one_of_two.verdict, BND_DIVERGED);
    CU_ASSERT_EQUAL(one_of_five.diverged, 1);
    CU_ASSERT_NOT_EQUAL(one_of_five.verdict, BND_DIVERGED);
    CU_ASSERT_DOUBLE_EQUAL(one_of_five.gap, (4 - 2.05) / 5, 0.05);
}

/* What is better than the reference is no worse. */
static void test_better(void)
{
    bnd_record run = record_of(1, 200, learns), reference = record_of(1, 200, stalls_at_300);
    bnd_comparison c;
    bnd_error why;
    for (size_t i = 0; i < run.count; i++) {
        run.points[i].loss -= 0.5;
    }
    CU_ASSERT_TRUE(succeeds(bndi_record_finish(&run, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &run, 1, &reference, 1, &why), &why));
    CU_ASSERT_EQUAL(c.verdict, BND_MATCH);
    CU_ASSERT_TRUE(c.gap < -0.4);
    CU_ASSERT_FALSE(c.left);
    bnd_record_clear(&run);
    bnd_record_clear(&reference);
}

/* Orders of magnitude are never a match, however little is left of the loss: logarithms decide. */
static void test_apart(void)
{
    static const struct {
        double run[3], reference;
        bnd_verdict verdict;
        const char *word;
    } cases[] = {
        {{4e-9, 5e-9, 6e-9}, 1e-10, BND_DEGRADED, "degraded"}, /* the gap is far below 1e-6 of the chance level 4 */
        {{1e-4, 2e-4, 9e-4}, 1e-12, BND_DEGRADED, "degraded"}, /* whose interval, 1.1e-3, hides the gap */
        {{1e-12, 2e-12, 9e-12}, 1e-4, BND_BETTER, "better"},
        {{1e-12, 1e-12, 9e-9}, 1e-12, BND_MATCH, "inconclusive"}, /* one pair of three */
        {{1e-9, 5e-9, 9e-9}, 1e-9, BND_MATCH, "match"},           /* a factor of 5 */
        {{0, 0, 0}, 1e-9, BND_MATCH, "match"},                    /* no quotient */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_record runs[3], references[3];
        bnd_comparison c = {.pairs = 0};
        bnd_error why;
        for (uint64_t seed = 0; seed < 3; seed++) {
            references[seed] = record_of(seed, 50, learns);
            runs[seed] = record_of(seed, 50, learns);
            references[seed].validated = runs[seed].validated = true;
            references[seed].validation = cases[i].reference;
            runs[seed].validation = cases[i].run[seed];
        }
        CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, runs, 3, references, 3, &why), &why));
        CU_ASSERT_EQUAL(c.verdict, cases[i].verdict);
        CU_ASSERT_STRING_EQUAL(bnd_comparison_word(&c), cases[i].word);
        for (size_t k = 0; k < 3; k++) {
            bnd_record_clear(&runs[k]);
            bnd_record_clear(&references[k]);
        }
    }
}

/* A pair is compared by what both have: at the last step of the shorter, never a validation with a training loss. */
static void test_lengths(void)
{
    bnd_record run = record_of(1, 400, learns), shorter = record_of(1, 100, learns);
    bnd_comparison c = {.pairs = 0};
    bnd_error why;
    run.validated = true;
    run.validation = 3.5;
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &run, 1, &shorter, 1, &why), &why));
    CU_ASSERT_TRUE(c.cut && c.cut_at == 99);
    CU_ASSERT_EQUAL(c.gap, 0); /* the same losses up to there */
    CU_ASSERT_EQUAL(c.reference, shorter.loss);
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &shorter, 1, &run, 1, &why), &why));
    CU_ASSERT_TRUE(c.cut && c.cut_at == 99 && c.gap == 0);
    bnd_record log = record_of(1, 400, learns);
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &log, 1, &run, 1, &why), &why));
    CU_ASSERT_TRUE(!c.cut && c.gap == 0 && c.verdict == BND_MATCH);
    bnd_record_clear(&run);
    bnd_record_clear(&shorter);
    bnd_record_clear(&log);
}

/* The gap must matter: a hundredth of the reference's result, however clear it is. */
static void test_margin(void)
{
    for (int i = 0; i < 2; i++) {
        bnd_record runs[3], references[3];
        bnd_comparison c;
        bnd_error why;
        for (uint64_t seed = 0; seed < 3; seed++) {
            references[seed] = record_of(seed, 50, learns);
            runs[seed] = record_of(seed, 50, learns);
            references[seed].validated = runs[seed].validated = true;
            references[seed].validation = 2;
            runs[seed].validation = 2 * (i == 0 ? 1.0099 : 1.0101) + 1e-6 * (double)seed;
        }
        CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, runs, 3, references, 3, &why), &why));
        CU_ASSERT_EQUAL(c.verdict, i == 0 ? BND_MATCH : BND_DEGRADED);
        for (size_t k = 0; k < 3; k++) {
            bnd_record_clear(&runs[k]);
            bnd_record_clear(&references[k]);
        }
    }
}

/* Steps that only some of the records have do not count; records of other seeds or models are no pairs. */
static void test_pairs(void)
{
    bnd_record a = record_of(1, 600, stalls_at_300), b = record_of(1, 400, learns), other = record_of(2, 400, learns);
    bnd_comparison c;
    bnd_error why;
    size_t kept = 0;
    for (size_t i = 0; i < b.count; i++) { /* every tenth step, as other programs write them */
        if (i % 10 == 0) {
            b.points[kept++] = b.points[i];
        }
    }
    b.count = kept;
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &a, 1, &b, 1, &why), &why));
    CU_ASSERT_TRUE(c.left && c.left_at % 10 == 0 && c.left_at >= 300);
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 1, &other, 1, &why), BND_BAD_ARGUMENT);
    strcpy(b.model, "mlp");
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 1, &b, 1, &why), BND_BAD_ARGUMENT);
    b.model[0] = '\0';
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &a, 1, &b, 1, &why), &why));
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 0, &b, 1, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 5000, &b, 1, &why), BND_BAD_ARGUMENT);
    bnd_record_clear(&a);
    bnd_record_clear(&b);
    bnd_record_clear(&other);
}

static double always_nan(size_t step, uint64_t seed)
{
    (void)step;
    (void)seed;
    return NAN;
}

/* Where nobody says what it is to know nothing, it is the first loss. */
static void test_results(void)
{
    bnd_record r = record_of(1, 100, is_nan_from_7), none = record_of(1, 3, always_nan);
    bnd_comparison c;
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_record_result(&r), 4);
    r.ignorance = NAN;
    CU_ASSERT_EQUAL(bnd_record_result(&r), learns(0, 1));
    r.validated = true;
    r.validation = 1.5;
    CU_ASSERT_EQUAL(bnd_record_result(&r), 1.5);
    none.ignorance = NAN;
    CU_ASSERT_EQUAL(bnd_record_result(&none), INFINITY);
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &none, 1, &none, 1, &why), &why));
    CU_ASSERT_EQUAL(c.verdict, BND_DIVERGED);
    CU_ASSERT_EQUAL(c.gap, 0);
    CU_ASSERT_STRING_EQUAL(bnd_verdict_name(c.verdict), "diverged");
    CU_ASSERT_STRING_EQUAL(bnd_verdict_name(BND_VERDICTS), "");
    bnd_record_clear(&r);
    bnd_record_clear(&none);
}

CU_TestInfo compare_tests[] = {
    {"Student's t", test_student},       {"bands", test_band},
    {"verdicts", test_verdicts},         {"unclear", test_unclear},
    {"some diverge", test_some_diverge}, {"better", test_better},
    {"what matters", test_margin},       {"pairs", test_pairs},
    {"results", test_results},           {"apart", test_apart},
    {"lengths", test_lengths},           CU_TEST_INFO_NULL,
};
