/* study/: records, run directories, runs side by side, comparing. */
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suites.h"
#include "train/train.h"

/* ---- runs ---- */

bnd_training small_training(const char *model, const char *recipe, uint64_t seed, uint64_t steps)
{
    bnd_training t;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, model, "adamw", recipe, &why), &why));
    t.seed_init = seed;
    t.seed_data = seed + 100;
    t.steps = steps;
    t.lr = 1e-3;
    t.batch = 4;
    t.width = t.width < 16 ? t.width : 16;
    return t;
}

static bnd_status save_steps(const bnd_run *run, const char *path, bnd_error *why)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "cannot be written");
    }
    fprintf(file, "%llu\n", (unsigned long long)run->step);
    return fclose(file) == 0 ? BND_OK : bnd_fail(why, BND_BAD_STREAM, 0, "cannot be written");
}

static bnd_status load_steps(bnd_run *run, const char *path, bnd_error *why)
{
    unsigned long long steps = 0;
    bnd_status status = BND_OK;
    FILE *file = fopen(path, "rb");
    bool good = file != NULL && fscanf(file, "%llu\n", &steps) == 1;
    if (file != NULL) {
        fclose(file);
    }
    if (!good) {
        return bnd_fail(why, BND_BAD_FILE, 0, "is no number of steps");
    }
    while (status == BND_OK && run->step < steps) {
        bnd_step step;
        status = bnd_run_step(&step, run, why);
    }
    return status;
}

static bnd_status change_policy(bnd_run *run, const bnd_policy *policy, bnd_error *why)
{
    return bnd_engine_set_policy(bnd_run_engine(run), policy, why);
}

const bndi_keeper replaying = {.save = save_steps, .load = load_steps, .change = change_policy, .check = NULL};

/* ---- comparing ---- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool same_points(const bnd_point *a, const bnd_point *b, bool with_time)
{
    return a->step == b->step && same_number(a->loss, b->loss) && same_number(a->gradient_norm, b->gradient_norm) &&
           same_number(a->lr, b->lr) && same_number(a->loss_scale, b->loss_scale) &&
           same_number(a->update_ratio, b->update_ratio) && (!with_time || same_number(a->seconds, b->seconds)) &&
           a->validated == b->validated && same_number(a->validation, b->validation) &&
           a->validated_fp32 == b->validated_fp32 && same_number(a->validation_fp32, b->validation_fp32) &&
           a->updates == b->updates && a->lost == b->lost && a->gradients == b->gradients &&
           a->underflowed == b->underflowed && a->overflows == b->overflows && a->skipped == b->skipped &&
           a->ended == b->ended;
}

static bool same_totals(const bnd_record *a, const bnd_record *b)
{
    return a->updates == b->updates && a->lost == b->lost && a->skipped == b->skipped && a->gradients == b->gradients &&
           a->underflowed == b->underflowed && a->overflows == b->overflows && a->flops == b->flops &&
           a->bytes_peak == b->bytes_peak && a->parameters == b->parameters &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0 &&
           memcmp(a->peak_by_role, b->peak_by_role, sizeof a->peak_by_role) == 0 &&
           memcmp(a->bytes_at_peak, b->bytes_at_peak, sizeof a->bytes_at_peak) == 0;
}

static bool same_histograms(const bnd_record *a, const bnd_record *b)
{
    bool same = a->histogram_count == b->histogram_count;
    for (size_t i = 0; same && i < a->histogram_count; i++) {
        const bnd_histogram *x = &a->histograms[i], *y = &b->histograms[i];
        same = x->step == y->step && x->role == y->role && memcmp(x->exponents, y->exponents, sizeof x->exponents) == 0;
    }
    return same;
}

bool same_records(const bnd_record *a, const bnd_record *b, bool with_time)
{
    bool same = strcmp(a->recipe, b->recipe) == 0 && strcmp(a->model, b->model) == 0 &&
                strcmp(a->optimizer, b->optimizer) == 0 && a->seed_init == b->seed_init &&
                a->seed_data == b->seed_data && same_number(a->lr, b->lr) && a->count == b->count &&
                a->steps == b->steps && a->complete == b->complete && a->ended == b->ended &&
                a->validated == b->validated && same_number(a->loss, b->loss) &&
                same_number(a->validation, b->validation) && same_number(a->floor, b->floor) &&
                same_number(a->validation_fp32, b->validation_fp32) && a->validated_fp32 == b->validated_fp32 &&
                same_number(a->chance_loss, b->chance_loss) && same_totals(a, b) && same_histograms(a, b) &&
                (!with_time || same_number(a->seconds, b->seconds));
    for (size_t i = 0; same && i < a->count; i++) {
        same = same_points(&a->points[i], &b->points[i], with_time);
    }
    return same;
}

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("records", record_tests),
        SUITE("damaged files", damage_tests),
        SUITE("runs", run_tests),
        SUITE("statistics", statistics_tests),
        SUITE("going on", resume_tests),
        SUITE("resumed with changes", changed_tests),
        SUITE("killed", killed_tests),
        SUITE("fork", fork_tests),
        SUITE("comparing", compare_tests),
        SUITE("ended", ended_tests),
        SUITE("evaluate", evaluate_tests),
        SUITE("failures", failure_tests),
        SUITE("sweeps", sweep_tests),
        SUITE("autopsies", autopsy_tests),
        SUITE("for drawing", curve_tests),
        SUITE("tables", summary_tests),
        SUITE("choosing recipes", choice_tests),
        SUITE("settings of runs", setting_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
