/* Runs, optimizers and loss scales against PyTorch (tools/dev/make-training-goldens.py, which says what is in the
 * files). */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

static FILE *open_golden(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/train/golden/%s", BND_TEST_SOURCES, name);
    FILE *f = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    return f;
}

/* ---- a run ---- */

/* The losses of fp32 follow torch's: 1e-4 is what is asked for, and 100 steps leave room. */
static void test_transformer(void)
{
    FILE *f = open_golden("transformer.txt");
    char kind[16];
    unsigned runs = 0;
    while (fscanf(f, " run %15s", kind) == 1) {
        bnd_training t;
        bnd_error why;
        CU_ASSERT_TRUE_FATAL(succeeds(golden_training(&t, strcmp(kind, "tied") == 0, &why), &why));
        bnd_run *run = run_of(&t, NULL);
        double worst = 0, expected = NAN;
        for (int step = 0; step < GOLDEN_STEPS && fscanf(f, "%lf", &expected) == 1; step++) {
            worst = fmax(worst, fabs(step_of(run).loss - expected));
        }
        CU_ASSERT_EQUAL(run->step, GOLDEN_STEPS);
        CU_ASSERT_TRUE(worst < 1e-4);
        if (getenv("BND_TEST_VERBOSE") != NULL || !(worst < 1e-4)) {
            printf("\n    %s: losses differ by %.2g at most\n", kind, worst);
        }
        bnd_run_free(run);
        runs++;
    }
    CU_ASSERT_EQUAL(runs, 2);
    fclose(f);
}

/* ---- optimizers ---- */

enum { TENSORS = 4, NUMBERS = 4 * 3 + 4 + 10 * 4 + 10, STEPS = 20 };
static const size_t counts[TENSORS] = {4 * 3, 4, 10 * 4, 10};

static bool read_numbers(FILE *f, double *x, size_t n)
{
    bool good = true;
    for (size_t i = 0; good && i < n; i++) {
        good = fscanf(f, "%lf", &x[i]) == 1;
    }
    return good;
}

static bool read_tensors(FILE *f, double *x, const char *line)
{
    bool good = true;
    for (size_t i = 0; good && i < TENSORS; x += counts[i++]) {
        char word[16], colon[16];
        good = (fscanf(f, "%15s", word) == 1 && strcmp(word, line) == 0 && fscanf(f, "%15s", colon) == 1) &&
               (colon[0] == ':' || fscanf(f, "%15s", colon) == 1) && read_numbers(f, x, counts[i]);
    }
    return good;
}

static void set_weights(bnd_run *run, const double *w)
{
    for (size_t i = 0; i < TENSORS; w += counts[i++]) {
        set_numbers(run, i, BND_ROLE_PARAM, w, counts[i]);
    }
}

/* The largest difference over what is allowed: 20 steps round weights that are no larger than |start| + 20 lr, twice
 * each (decay, update) here and there; and 1e-5 of how far it has gone. */
static double compare_weights(const bnd_run *run, const double *start, const double *expected)
{
    double w[NUMBERS], worst = 0;
    for (size_t i = 0, at = 0; i < TENSORS; at += counts[i++]) {
        numbers_of(w + at, counts[i], run, i, BND_ROLE_PARAM);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        double size = fabs(start[i]) + (double)STEPS * run->training.lr;
        double allowed = (double)STEPS * 0x1p-24 * size + 1e-5 * fabs(expected[i] - start[i]);
        worst = fmax(worst, fabs(w[i] - expected[i]) / allowed);
    }
    return worst;
}

static bnd_training training_of_line(FILE *f, const char *name)
{
    bnd_training t = training_of("mlp", name, "fp32");
    t.inputs = 3;
    t.width = 4;
    t.depth = 1;
    CU_ASSERT_EQUAL_FATAL(fscanf(f, "%lf %lf %lf %lf %lf", &t.lr, &t.beta1, &t.beta2, &t.epsilon, &t.weight_decay), 5);
    return t;
}

static void test_optimizers(void)
{
    static double start[NUMBERS], gradient[STEPS][NUMBERS], expected[NUMBERS];
    FILE *f = open_golden("optimizers.txt");
    char name[32];
    size_t optimizers = 0;
    bool good = read_tensors(f, start, "start");
    for (int step = 0; good && step < STEPS; step++) {
        good = read_tensors(f, gradient[step], "gradient");
    }
    CU_ASSERT_TRUE_FATAL(good);
    while (fscanf(f, " optimizer %31s", name) == 1) {
        bnd_training t = training_of_line(f, name);
        bnd_run *run = run_of(&t, NULL);
        double worst = 0;
        bnd_error why;
        CU_ASSERT_TRUE_FATAL(succeeds(bndi_parameter_hide(run, &run->parameter[0], true, &why), &why)); /* for Muon */
        set_weights(run, start);
        for (int step = 1; step <= STEPS; step++) {
            (void)update_with(run, gradient[step - 1]);
            if (step == 1 || step == STEPS) {
                CU_ASSERT_TRUE_FATAL(read_tensors(f, expected, "after"));
                worst = fmax(worst, compare_weights(run, start, expected));
            }
        }
        CU_ASSERT_TRUE(worst <= 1);
        if (getenv("BND_TEST_VERBOSE") != NULL || !(worst <= 1)) {
            printf("\n    %s: %.2g of what is allowed\n", name, worst);
        }
        bnd_run_free(run);
        optimizers++;
    }
    CU_ASSERT_EQUAL(optimizers, bnd_optimizer_count());
    fclose(f);
}

/* ---- loss scales ---- */

/* One parameter; a step loses gradient times 1, so that what unscaling made of it can be seen. */
static void test_scaler(void)
{
    FILE *f = open_golden("scaler.txt");
    double initial;
    unsigned growth, scalers = 0;
    while (fscanf(f, " scaler %lf %u", &initial, &growth) == 2) {
        bnd_training t = training_of("quadratic", "sgd", "fp16-amp");
        t.policy.loss_scale.initial = initial;
        t.policy.loss_scale.growth = growth;
        t.width = 1;
        t.lr = 1;
        bnd_run *run = run_of(&t, NULL);
        unsigned overflow, skipped, lines = 0;
        double scale, unscaled;
        while (fscanf(f, " %u %lf %lf %u", &overflow, &scale, &unscaled, &skipped) == 4) {
            double weight = 0, gradient = 1;
            CU_ASSERT_EQUAL(run->loss_scale, (float)scale);
            bool skips = bndi_loss_scale_skips(run, overflow != 0 ? INFINITY : gradient / (scale * scale));
            CU_ASSERT_EQUAL(skips, skipped != 0);
            if (!skips) {
                set_numbers(run, 0, BND_ROLE_PARAM, &weight, 1);
                (void)update_with(run, &gradient);
                numbers_of(&weight, 1, run, 0, BND_ROLE_PARAM);
                CU_ASSERT_EQUAL((float)weight, -(float)unscaled);
            }
            bndi_loss_scale_after(run, skips);
            lines++;
        }
        CU_ASSERT_EQUAL(lines, 100);
        bnd_run_free(run);
        scalers++;
    }
    CU_ASSERT_EQUAL(scalers, 3);
    fclose(f);
}

CU_TestInfo training_golden_tests[] = {
    {"a transformer follows torch", test_transformer},
    {"optimizers are torch's", test_optimizers},
    {"loss scales are torch's", test_scaler},
    CU_TEST_INFO_NULL,
};
