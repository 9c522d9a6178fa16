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
    CU_ASSERT_DOUBLE_EQUAL(bnd_interval(x, 3), 4.3026527297 * 0.1 / sqrt(3), 1e-10);
    CU_ASSERT_DOUBLE_EQUAL(bnd_interval(x, 2), 12.7062047362 * 0.05, 1e-10); /* deviation 0.1 / sqrt 2, over sqrt 2 */
    CU_ASSERT_TRUE(isnan(bnd_interval(x, 1)));
    CU_ASSERT_TRUE(isnan(bnd_interval(x, 0)));
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
    r.chance_loss = 4;
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

static double is_nan_once(size_t step, uint64_t seed)
{
    return step == 193 ? NAN : learns_and_more(step, seed);
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
    CU_ASSERT_TRUE(
        succeeds(bnd_records_compare(&c, runs, pairs, references, pairs, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_EQUAL(c.pairs, pairs);
    for (size_t i = 0; i < pairs; i++) {
        bnd_record_close(&runs[i]);
        bnd_record_close(&references[i]);
    }
    return c;
}

static bool has_text(const bnd_comparison *c, const char *text)
{
    char is[64];
    return bnd_comparison_text(is, sizeof is, c) == strlen(text) && strcmp(is, text) == 0;
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
    CU_ASSERT_TRUE(
        succeeds(bnd_records_compare(&c, runs, pairs, references, pairs, BND_COMPARISON_MARGIN, &why), &why));
    for (size_t i = 0; i < pairs; i++) {
        bnd_record_close(&runs[i]);
        bnd_record_close(&references[i]);
    }
    return c;
}

/* The tolerance is 0.02: 5 % of a fifth of 2. Half the interval of three numbers is 4.3027 / sqrt 3 = 2.4841 of their
 * deviation: of a - d, a, a + d it is 2.4841 d. */
static void test_tolerance(void)
{
    static const struct {
        double middle, deviation;
        bnd_verdict verdict;
    } cases[] = {
        {0, 0, BND_VERDICT_NO_DIFFERENCE},
        {0, 0.008, BND_VERDICT_NO_DIFFERENCE}, /* up to 0.0199 */
        {0, 0.0081, BND_VERDICT_INCONCLUSIVE},
        {0.01, 0.0041, BND_VERDICT_INCONCLUSIVE}, /* up to 0.0202 */
        {0.01, 0.004, BND_VERDICT_NO_DIFFERENCE},
        {-0.01, 0.004, BND_VERDICT_NO_DIFFERENCE}, /* a gap, but a small one */
        {0.03, 0.0041, BND_VERDICT_INCONCLUSIVE},
        {0.03, 0.004, BND_VERDICT_WORSE}, /* from 0.0201 on */
        {-0.03, 0.004, BND_VERDICT_BETTER},
        {-0.03, 0.0041, BND_VERDICT_INCONCLUSIVE},
        {0.03, 0.012, BND_VERDICT_INCONCLUSIVE},
        {1.99, 1e-3, BND_VERDICT_FAILED}, /* 3.99 of a chance level of 4 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double a = cases[i].middle, d = cases[i].deviation;
        bnd_comparison c = compare_results((const double[]){a - d, a, a + d}, 3);
        CU_ASSERT_EQUAL(c.verdict, cases[i].verdict);
        CU_ASSERT_DOUBLE_EQUAL(c.tolerance, 0.02, 1e-12);
    }
}

static void test_verdicts(void)
{
    enum { STEPS = 600 };
    for (size_t pairs = 1; pairs <= RUNS; pairs++) {
        bnd_comparison same = compare(learns, pairs, STEPS), near = compare(learns_and_more, pairs, STEPS);
        CU_ASSERT_EQUAL(same.verdict, BND_VERDICT_NO_DIFFERENCE); /* the same losses: of one pair, too */
        CU_ASSERT_EQUAL(same.gap, 0);
        CU_ASSERT_FALSE(same.outside);
        CU_ASSERT_EQUAL(near.verdict, pairs == 1 ? BND_VERDICT_UNJUDGED : BND_VERDICT_NO_DIFFERENCE);
        CU_ASSERT_FALSE(near.outside);
        CU_ASSERT_EQUAL(isnan(near.interval) != 0, pairs == 1);

        bnd_comparison stalled = compare(stalls_at_300, pairs, STEPS);
        CU_ASSERT_EQUAL(stalled.verdict, pairs == 1 ? BND_VERDICT_UNJUDGED : BND_VERDICT_WORSE);
        CU_ASSERT_TRUE(bnd_comparison_has_cause(&stalled));
        CU_ASSERT_DOUBLE_EQUAL(stalled.gap, 0.2, 0.01);
        CU_ASSERT_TRUE(stalled.outside);
        CU_ASSERT_TRUE(stalled.outside_from >= 300 && stalled.outside_from <= 340);

        bnd_comparison back = compare(comes_back, pairs, STEPS);
        CU_ASSERT_EQUAL(back.verdict, pairs == 1 ? BND_VERDICT_UNJUDGED : BND_VERDICT_NO_DIFFERENCE);
        CU_ASSERT_FALSE(back.outside);
        CU_ASSERT_FALSE(bnd_comparison_has_cause(&back));

        bnd_comparison nan = compare(is_nan_from_7, pairs, STEPS);
        CU_ASSERT_EQUAL(nan.verdict, BND_VERDICT_FAILED);
        CU_ASSERT_TRUE(nan.failed == pairs && nan.failed_nan == pairs && nan.judged == 0);
        CU_ASSERT_TRUE(isnan(nan.result) && isnan(nan.gap) && isnan(nan.interval));
        CU_ASSERT_TRUE(nan.outside && nan.outside_from == 7);
        CU_ASSERT_TRUE(has_text(&nan, "failed: NaN at step 7"));

        bnd_comparison large = compare(blows_up, pairs, STEPS);
        CU_ASSERT_EQUAL(large.verdict, BND_VERDICT_FAILED);
        CU_ASSERT_TRUE(large.failed_nan == 0 && large.result > 4);
        CU_ASSERT_TRUE(has_text(&large, "failed: chance level"));
        CU_ASSERT_TRUE(large.outside && large.outside_from >= 100 && large.outside_from < 120);
    }
}

/* A NaN within the mean that is compared, before losses that are numbers: at its step, also where the run is longer. */
static void test_nan_once(void)
{
    bnd_record run = record_of(1, 400, is_nan_once), shorter = record_of(1, 200, learns);
    bnd_comparison c = compare(is_nan_once, 3, 200);
    bnd_error why;
    CU_ASSERT_TRUE(c.verdict == BND_VERDICT_FAILED && c.failed_nan == 3 && c.nan_from == 193 && !c.nan_at_end);
    CU_ASSERT_TRUE(has_text(&c, "failed: NaN at step 193"));
    for (size_t i = 300; i < run.count; i++) {
        run.points[i].loss = NAN;
    }
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &run, 1, &shorter, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(c.cut && c.cut_at == 199 && c.failed_nan == 1 && c.nan_from == 193);
    bnd_record_close(&run);
    bnd_record_close(&shorter);
}

/* Failures are counted apart, and decide; the others are judged without them. */
static void test_some_fail(void)
{
    bnd_comparison two = compare(is_nan_of_seed_1, 2, 200), five = compare(is_nan_of_seed_1, 5, 200);
    CU_ASSERT_TRUE(two.verdict == BND_VERDICT_FAILED && two.others == BND_VERDICT_UNJUDGED);
    CU_ASSERT_TRUE(has_text(&two, "failed 1 of 2"));
    CU_ASSERT_TRUE(five.verdict == BND_VERDICT_FAILED && five.others == BND_VERDICT_NO_DIFFERENCE);
    CU_ASSERT_TRUE(five.failed == 1 && five.judged == 4 && five.nan_from == 7);
    CU_ASSERT_TRUE(fabs(five.gap) < 0.01 && five.interval < 0.01);
    CU_ASSERT_TRUE(has_text(&five, "failed 1 of 5, others no difference"));
    CU_ASSERT_FALSE(five.outside);
}

/* As many failures as of the reference are none of the recipe's. */
static void test_reference_fails(void)
{
    bnd_record runs[3], references[3];
    bnd_comparison c = {.pairs = 0};
    bnd_error why;
    for (uint64_t i = 0; i < 3; i++) {
        runs[i] = record_of(i, 200, i == 0 ? is_nan_from_7 : learns_and_more);
        references[i] = record_of(i, 200, i == 1 ? is_nan_from_7 : learns);
    }
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, runs, 3, references, 3, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(c.failed == 1 && c.reference_failed == 1 && c.judged == 1 && c.verdict == BND_VERDICT_UNJUDGED);
    CU_ASSERT_TRUE(has_text(&c, "1 seed"));
    CU_ASSERT_TRUE(
        succeeds(bnd_records_compare(&c, runs + 1, 1, references + 1, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(c.verdict == BND_VERDICT_UNJUDGED && has_text(&c, "reference failed"));
    for (size_t i = 0; i < 3; i++) {
        bnd_record_close(&runs[i]);
        bnd_record_close(&references[i]);
    }
}

/* An outlier widens the interval of Student's t, but not the signs of the others. */
static void test_signs(void)
{
    const double outlier[] = {0.03, 0.03, 0.03, 0.03, 0.03, 1.9}, small[] = {0.01, 0.01, 0.01, 0.01, 0.01, 1.9};
    bnd_comparison c = compare_results(outlier, 6);
    CU_ASSERT_TRUE(c.gap < c.interval && c.verdict == BND_VERDICT_WORSE);
    CU_ASSERT_EQUAL(compare_results(outlier, 5).verdict, BND_VERDICT_WORSE);
    CU_ASSERT_EQUAL(compare_results(outlier + 1, 5).verdict, BND_VERDICT_INCONCLUSIVE); /* five signs are not enough */
    CU_ASSERT_EQUAL(compare_results(small, 6).verdict, BND_VERDICT_INCONCLUSIVE);
    CU_ASSERT_TRUE(bndi_sign_test(6, 6) && !bndi_sign_test(5, 5) && !bndi_sign_test(0, 0));
    CU_ASSERT_TRUE(bndi_sign_test(8, 9) && !bndi_sign_test(7, 9)); /* 10 and 46 of 512 */
    /* the exact tails are 0.0236 and 0.0273 of 4096, and 0.0220 of 1075 */
    CU_ASSERT_TRUE(bndi_sign_test(2112, 4096) && !bndi_sign_test(2110, 4096) && bndi_sign_test(4096, 4096));
    CU_ASSERT_TRUE(!bndi_sign_test(0, 1075) && !bndi_sign_test(538, 1075) && bndi_sign_test(571, 1075));
}

/* What is better than the reference is not worse. */
static void test_better(void)
{
    bnd_record run = record_of(1, 200, learns), reference = record_of(1, 200, stalls_at_300);
    bnd_comparison c;
    bnd_error why;
    for (size_t i = 0; i < run.count; i++) {
        run.points[i].loss -= 0.5;
    }
    CU_ASSERT_TRUE(succeeds(bndi_record_finish(&run, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &run, 1, &reference, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(c.verdict == BND_VERDICT_UNJUDGED && !bnd_comparison_has_cause(&c));
    CU_ASSERT_TRUE(c.gap < -0.4);
    CU_ASSERT_FALSE(c.outside);
    bnd_record_close(&run);
    bnd_record_close(&reference);
}

/* Three pairs with these validation losses, of a task with a chance level of 4 and this irreducible loss. */
static bnd_comparison compare_three(const double *run, const double *reference, double floor_of)
{
    bnd_record runs[3], references[3];
    bnd_comparison c = {.pairs = 0};
    bnd_error why;
    for (uint64_t seed = 0; seed < 3; seed++) {
        references[seed] = record_of(seed, 50, learns);
        runs[seed] = record_of(seed, 50, learns);
        references[seed].validated = runs[seed].validated = true;
        references[seed].validation = reference[seed];
        runs[seed].validation = run[seed];
        references[seed].floor = runs[seed].floor = floor_of;
    }
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, runs, 3, references, 3, BND_COMPARISON_MARGIN, &why), &why));
    for (size_t k = 0; k < 3; k++) {
        bnd_record_close(&runs[k]);
        bnd_record_close(&references[k]);
    }
    return c;
}

/* Orders of magnitude are never "no difference", however little is left of the loss: logarithms decide. */
static void test_apart(void)
{
    static const struct {
        double run[3], reference[3], floor;
        bnd_verdict verdict;
        bool logarithmic, solved;
    } cases[] = {
        {{4e-9, 5e-9, 6e-9}, {1e-10, 1e-10, 1e-10}, NAN, BND_VERDICT_WORSE, true, false},
        {{1e-4, 2e-4, 9e-4}, {1e-9, 1e-9, 1e-9}, 0, BND_VERDICT_WORSE, true, false}, /* half the interval is 1.1e-3 */
        {{1e-9, 2e-9, 9e-9}, {1e-4, 1e-4, 1e-4}, 0, BND_VERDICT_BETTER, true, false},
        {{1e-9, 1e-9, 9e-6}, {1e-9, 1e-9, 1e-9}, 0, BND_VERDICT_INCONCLUSIVE, true, false}, /* one pair of three */
        {{1, 0.1, 0.01}, {1.001, 0.1001, 0.01001}, NAN, BND_VERDICT_NO_DIFFERENCE, true, false},
        {{1.1, 0.11, 0.011},
         {1, 0.1, 0.01},
         0,
         BND_VERDICT_WORSE,
         true,
         false}, /* seeds span decades: 1.1 times each */
        {{1.04, 0.104, 0.0104}, {1, 0.1, 0.01}, 0, BND_VERDICT_NO_DIFFERENCE, true, false},
        {{1.04, 0.104, 0.0104}, {1, 0.1, 0.01}, NAN, BND_VERDICT_WORSE, true, false}, /* a fifth of 5 % */
        {{0, 0, 0}, {1e-9, 1e-9, 1e-9}, NAN, BND_VERDICT_BETTER, false, false},       /* no quotient */
        /* fp32's resolution is 2^-48 of 4, 1.4e-14: what is below is not told apart. Up to 2^-40, 3.6e-12, a factor
         * of 10 is nothing. */
        {{1e-12, 2e-12, 9e-13}, {1e-12, 8e-13, 1.2e-12}, 0, BND_VERDICT_NO_DIFFERENCE, true, true},
        {{0, 0, 0}, {1e-15, 0, 3e-16}, 0, BND_VERDICT_NO_DIFFERENCE, true, true},
        {{5e-4, 4e-4, 9e-4}, {1e-12, 0, 1e-13}, 0, BND_VERDICT_WORSE, true, true},
        {{1e-12, 1e-12, 3e-11}, {1e-12, 1e-12, 1e-13}, 0, BND_VERDICT_INCONCLUSIVE, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_comparison c = compare_three(cases[i].run, cases[i].reference, cases[i].floor);
        CU_ASSERT_EQUAL(c.verdict, cases[i].verdict);
        CU_ASSERT_EQUAL(c.logarithmic, cases[i].logarithmic);
        CU_ASSERT_EQUAL(c.solved, cases[i].solved);
    }
}

/* The tolerance is a share of what is above the irreducible loss, and of a hundredth of the way at least. */
static void test_excess(void)
{
    const double ones[] = {1.5, 1.5, 1.5}, below[] = {1.39, 1.39, 1.39}, more[] = {1.5049, 1.5049, 1.50491},
                 most[] = {1.5051, 1.5051, 1.50511};
    bnd_comparison c = compare_three(more, ones, 1.4);
    CU_ASSERT_DOUBLE_EQUAL(c.tolerance, 0.005, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(c.covered, 2.5 / 2.6, 1e-12);
    CU_ASSERT_EQUAL(c.verdict, BND_VERDICT_NO_DIFFERENCE);
    CU_ASSERT_EQUAL(compare_three(most, ones, 1.4).verdict, BND_VERDICT_WORSE);
    CU_ASSERT_EQUAL(compare_three(most, ones, NAN).verdict, BND_VERDICT_NO_DIFFERENCE);
    CU_ASSERT_DOUBLE_EQUAL(compare_three(ones, below, 1.4).tolerance, 0.05 * 0.026, 1e-12);
}

/* A pair is compared by what both have: at the last step of the shorter, never a validation with a training loss. */
static void test_lengths(void)
{
    bnd_record run = record_of(1, 400, learns), shorter = record_of(1, 100, learns);
    bnd_comparison c = {.pairs = 0};
    bnd_error why;
    run.validated = true;
    run.validation = 3.5;
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &run, 1, &shorter, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(c.cut && c.cut_at == 99);
    CU_ASSERT_EQUAL(c.gap, 0); /* the same losses up to there */
    CU_ASSERT_EQUAL(c.reference, shorter.loss);
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &shorter, 1, &run, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(c.cut && c.cut_at == 99 && c.gap == 0);
    bnd_record log = record_of(1, 400, learns);
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &log, 1, &run, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(!c.cut && c.gap == 0 && c.verdict == BND_VERDICT_NO_DIFFERENCE);
    bnd_record_close(&run);
    bnd_record_close(&shorter);
    bnd_record_close(&log);
}

/* Validation in fp32 decides where both have it; the caller says the margin. */
static void test_margin(void)
{
    bnd_record run = record_of(1, 50, learns), reference = record_of(1, 50, learns);
    bnd_comparison c;
    bnd_error why;
    run.validated = reference.validated = run.validated_fp32 = true;
    run.validation = 3;
    reference.validation = 2;
    run.validation_fp32 = 2.125;
    reference.validation_fp32 = 2.0625;
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &run, 1, &reference, 1, 0.25, &why), &why));
    CU_ASSERT_TRUE(c.gap == 1 && c.tolerance == 0.25 * 0.4 && bnd_comparison_has_cause(&c));
    reference.validated_fp32 = true;
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &run, 1, &reference, 1, 0.25, &why), &why));
    CU_ASSERT_TRUE(c.gap == 0.0625 && !bnd_comparison_has_cause(&c));
    CU_ASSERT_EQUAL(bnd_record_result(&run), 2.125);
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &run, 1, &reference, 1, -1, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &run, 1, &reference, 1, NAN, &why), BND_BAD_ARGUMENT);
    bnd_record_close(&run);
    bnd_record_close(&reference);
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
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &a, 1, &b, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(c.outside && c.outside_from % 10 == 0 && c.outside_from >= 300);
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 1, &other, 1, BND_COMPARISON_MARGIN, &why), BND_BAD_ARGUMENT);
    strcpy(b.model, "mlp");
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 1, &b, 1, BND_COMPARISON_MARGIN, &why), BND_BAD_ARGUMENT);
    b.model[0] = '\0';
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &a, 1, &b, 1, BND_COMPARISON_MARGIN, &why), &why));
    for (size_t i = 0; i < b.count; i++) { /* after the last one of a, and from it on */
        b.points[i].step += 600;
    }
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 1, &b, 1, BND_COMPARISON_MARGIN, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &b, 1, &a, 1, BND_COMPARISON_MARGIN, &why), BND_BAD_ARGUMENT);
    b.points[0].step = 599;
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &a, 1, &b, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 0, &b, 1, BND_COMPARISON_MARGIN, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_records_compare(&c, &a, 5000, &b, 1, BND_COMPARISON_MARGIN, &why), BND_BAD_ARGUMENT);
    bnd_record_close(&a);
    bnd_record_close(&b);
    bnd_record_close(&other);
}

static double always_nan(size_t step, uint64_t seed)
{
    (void)step;
    (void)seed;
    return NAN;
}

/* Where the chance level is not known, it is the first loss. */
static void test_results(void)
{
    bnd_record r = record_of(1, 100, is_nan_from_7), none = record_of(1, 3, always_nan);
    bnd_comparison c;
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_record_result(&r), 4);
    r.chance_loss = NAN;
    CU_ASSERT_EQUAL(bnd_record_result(&r), learns(0, 1));
    r.validated = true;
    r.validation = 1.5;
    CU_ASSERT_EQUAL(bnd_record_result(&r), 1.5);
    none.chance_loss = NAN;
    CU_ASSERT_EQUAL(bnd_record_result(&none), INFINITY);
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&c, &none, 1, &none, 1, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_EQUAL(c.verdict, BND_VERDICT_FAILED);
    CU_ASSERT_TRUE(isnan(c.gap));
    CU_ASSERT_STRING_EQUAL(bnd_verdict_name(c.verdict), "failed");
    CU_ASSERT_STRING_EQUAL(bnd_verdict_name(BND_VERDICT_COUNT), "");
    bnd_record_close(&r);
    bnd_record_close(&none);
}

CU_TestInfo compare_tests[] = {
    {"Student's t", test_student}, {"intervals", test_band},
    {"verdicts", test_verdicts},   {"the tolerance", test_tolerance},
    {"some fail", test_some_fail}, {"NaN in between", test_nan_once},
    {"better", test_better},       {"the margin", test_margin},
    {"pairs", test_pairs},         {"results", test_results},
    {"apart", test_apart},         {"the reference fails", test_reference_fails},
    {"signs", test_signs},         {"excess", test_excess},
    {"lengths", test_lengths},     CU_TEST_INFO_NULL,
};
