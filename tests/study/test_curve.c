/* What reports draw: mean losses and gaps over steps, histograms of a few steps, the task that a configuration says. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 200, WINDOW = 10, SEEDS = 3 };

static double loss_at(uint64_t seed, size_t step, double above)
{
    return 3 - 0.01 * (double)step + 0.1 * (double)seed + above;
}

static bnd_record record_of(uint64_t seed, double above)
{
    bnd_record r;
    bnd_error why;
    bndi_record_none(&r);
    r.seed_init = r.seed_data = seed;
    r.chance_loss = 4;
    for (size_t i = 0; i < STEPS; i++) {
        bnd_point p = bndi_point_none();
        p.step = 2 * i;
        p.loss = loss_at(seed, i, above);
        CU_ASSERT_TRUE_FATAL(succeeds(bndi_record_add(&r, &p, &why), &why));
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_record_finish(&r, &why), &why));
    return r;
}

static void make_runs(bnd_record runs[SEEDS], const double above[SEEDS])
{
    for (uint64_t k = 0; k < SEEDS; k++) {
        runs[k] = record_of(k, above[k]);
    }
}

static void close_runs(bnd_record runs[SEEDS])
{
    for (size_t k = 0; k < SEEDS; k++) {
        bnd_record_close(&runs[k]);
    }
}

/* The seeds lie 0.1 apart: the mean is that of the middle one, and the deviation is 0.1. */
static void test_mean(void)
{
    bnd_record runs[SEEDS];
    bnd_curve curve;
    bnd_error why;
    make_runs(runs, (const double[]){0, 0, 0});
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_records_curve(&curve, runs, SEEDS, &why), &why));
    CU_ASSERT_EQUAL(curve.count, STEPS);
    CU_ASSERT_EQUAL(curve.window, WINDOW);
    for (size_t i = 0; i < curve.count; i++) {
        size_t from = i + 1 < WINDOW ? 0 : i + 1 - WINDOW; /* of a line the mean is the middle */
        double expected = (loss_at(1, from, 0) + loss_at(1, i, 0)) / 2;
        CU_ASSERT_EQUAL(curve.step[i], 2 * i);
        CU_ASSERT_DOUBLE_EQUAL(curve.mean[i], expected, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(curve.interval[i], 4.3026527297 * 0.1 / sqrt(3), 1e-9);
    }
    bnd_curve_close(&curve);
    CU_ASSERT_TRUE(curve.step == NULL && curve.count == 0);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_records_curve(&curve, runs, 1, &why), &why));
    CU_ASSERT_TRUE(isnan(curve.interval[STEPS - 1]) && !isnan(curve.mean[STEPS - 1]));
    bnd_curve_close(&curve);
    close_runs(runs);
}

/* One run is lost from step 100 on: the others go on without an interval. Losses above chance level count as that. */
static void test_gap(void)
{
    bnd_record runs[SEEDS], references[SEEDS];
    bnd_curve curve;
    bnd_error why;
    make_runs(runs, (const double[]){0.1, 0.2, 0.3});
    make_runs(references, (const double[]){0, 0, 0});
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_records_gap_curve(&curve, runs, SEEDS, references, SEEDS, &why), &why));
    CU_ASSERT_DOUBLE_EQUAL(curve.mean[0], 0.2, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(curve.mean[STEPS - 1], 0.2, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(curve.interval[STEPS - 1], 4.3026527297 * 0.1 / sqrt(3), 1e-9);
    bnd_curve_close(&curve);
    for (size_t i = 0; i < STEPS; i++) {
        runs[0].points[i].loss = i >= 100 ? (double)NAN : runs[0].points[i].loss;
        runs[1].points[i].loss = 1e30;
    }
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_records_gap_curve(&curve, runs, SEEDS, references, SEEDS, &why), &why));
    CU_ASSERT_DOUBLE_EQUAL(curve.mean[0], (0.1 + (4 - loss_at(1, 0, 0)) + 0.3) / 3, 1e-12);
    CU_ASSERT_TRUE(isnan(curve.interval[STEPS - 1]) && curve.mean[STEPS - 1] < 4);
    bnd_curve_close(&curve);
    CU_ASSERT_EQUAL(bnd_records_gap_curve(&curve, runs, 1, references + 1, 1, &why), BND_BAD_ARGUMENT);
    close_runs(runs);
    close_runs(references);
}

/* Steps 0, 3, 15, 63 ... and the last one. */
static void test_histograms(void)
{
    static const uint64_t kept[] = {0, 3, 15, 63, 255, 999};
    bnd_record r;
    bnd_error why;
    bndi_record_none(&r);
    for (uint64_t step = 0; step < 1000; step++) {
        for (unsigned role = 0; role < 3; role++) {
            bnd_histogram h = {.step = step, .role = (bnd_role)role, .exponents = {step, role}};
            CU_ASSERT_TRUE_FATAL(succeeds(bndi_record_add_histogram(&r, &h, &why), &why));
        }
    }
    CU_ASSERT_EQUAL_FATAL(r.histogram_count, 3 * sizeof kept / sizeof kept[0]);
    for (size_t i = 0; i < r.histogram_count; i++) {
        CU_ASSERT_EQUAL(r.histograms[i].step, kept[i / 3]);
        CU_ASSERT_EQUAL(r.histograms[i].role, (bnd_role)(i % 3));
        CU_ASSERT_EQUAL(r.histograms[i].exponents[0], kept[i / 3]);
    }
    bnd_record_close(&r);
}

/* A record that was made says its own task. */
static void test_task(void)
{
    bnd_record r;
    bnd_error why;
    bnd_training t = small_training("linear", "bf16-amp,v=e5m2", 3, 4);
    bnd_task task, read = {.switch_at = 77};
    t.seed_init = UINT64_MAX; /* more than 63 bits, as hashes have, too */
    bnd_task_default(&task, &t);
    task.validate_every = 2;
    task.statistics = task.switches = true;
    task.switch_at = 2;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&task.switch_to, "fp16-pure", &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&r, &task, 1, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_PTR_NOT_NULL_FATAL(r.config);
    CU_ASSERT_TRUE(r.source == NULL && r.autopsy == NULL);
    CU_ASSERT_EQUAL(bnd_task_read(&read, "{\"training\": 3}", &why), BND_BAD_FILE);
    CU_ASSERT_EQUAL(read.switch_at, 77);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_task_read(&read, r.config, &why), &why));
    CU_ASSERT_TRUE(bnd_policy_same(&read.training.policy, &t.policy) &&
                   bnd_policy_same(&read.switch_to, &task.switch_to));
    CU_ASSERT_TRUE(read.switches && read.switch_at == 2 && read.validate_every == 2 && read.statistics && !read.places);
    CU_ASSERT_TRUE(read.validation_batches == task.validation_batches && read.training.steps == 4);
    CU_ASSERT_TRUE(read.training.seed_init == t.seed_init && read.training.lr == t.lr);
    for (size_t length = 0; length < strlen(r.config) - 2; length += 7) { /* cut anywhere, it is no configuration */
        char cut[1 << 13];
        snprintf(cut, sizeof cut, "%.*s", (int)length, r.config);
        CU_ASSERT_NOT_EQUAL(bnd_task_read(&read, cut, &why), BND_OK);
    }
    bnd_record_close(&r);
}

CU_TestInfo curve_tests[] = {{"a mean loss", test_mean},
                             {"a mean gap", test_gap},
                             {"histograms of a few steps", test_histograms},
                             {"the task of a configuration", test_task},
                             CU_TEST_INFO_NULL};
