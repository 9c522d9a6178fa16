/* Runs of which no number is left end; that those which go on all the same find nothing else is tried here. */
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 24 };

static bnd_task task_of(const char *model, const char *optimizer, const char *recipe, bool tied)
{
    bnd_training t = small_training(model, recipe, 5, STEPS), usual;
    bnd_task task;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&usual, model, optimizer, recipe, &why), &why));
    memcpy(t.optimizer, usual.optimizer, sizeof t.optimizer);
    t.lr = usual.lr;
    t.beta1 = usual.beta1;
    t.beta2 = usual.beta2;
    t.epsilon = usual.epsilon;
    t.tied = tied;
    if (strcmp(model, "transformer") == 0) { /* few of the table's rows are in a batch */
        t.batch = 1;
        t.depth = 1;
        t.context = 4;
        t.vocabulary = 64;
    }
    bnd_task_default(&task, &t);
    task.validation_batches = 2;
    return task;
}

/* The same steps, and then those that were not made. */
static void check_going_on(const bnd_task *task, const bnd_record *r)
{
    bnd_run *run = NULL;
    bnd_error why;
    double validation = 0;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, &task->training, NULL, &why), &why));
    for (uint64_t i = 0; i < STEPS; i++) {
        bnd_step step;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
        CU_ASSERT_TRUE(i >= r->count || step.loss == r->points[i].loss || isnan(r->points[i].loss));
        CU_ASSERT_TRUE(i < r->count || isnan(step.loss));
    }
    CU_ASSERT_TRUE(succeeds(bnd_run_validate(&validation, run, 2, &why), &why));
    CU_ASSERT_EQUAL(isnan(validation), isnan(r->validation));
    bnd_run_free(run);
}

static void test_nothing_lost(void)
{
    static const struct {
        const char *model, *optimizer, *recipe;
        bool tied, ends;
    } rows[] = {{"transformer", "adamw", "fp16-pure", false, true},
                {"transformer", "adamw", "fp16-pure", true, true},
                {"transformer", "adam", "base=fp16-pure,loss_scale=dynamic", false, false},
                {"transformer", "lion", "fp16-pure", false, false},
                {"transformer", "adamw", "bf16-amp", false, false},
                {"transformer", "adamw", "e4m3-pure", false, false},
                {"mlp", "adamw", "fp16-pure", false, false},
                {"student", "adamw", "fp16-pure", false, false},
                {"linear", "rmsprop", "e5m2-pure", false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_task task = task_of(rows[i].model, rows[i].optimizer, rows[i].recipe, rows[i].tied);
        bnd_record r;
        bnd_error why;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&r, &task, 1, NULL, NULL, NULL, &why), &why));
        CU_ASSERT_TRUE(r.complete && r.validated && r.ended == (r.count < STEPS));
        CU_ASSERT_TRUE(!rows[i].ends || r.ended);
        CU_ASSERT_TRUE(!r.ended || (isnan(r.loss) && isnan(r.validation) && r.points[r.count - 1].ended));
        check_going_on(&task, &r);
        bnd_record_close(&r);
    }
}

/* Another recipe may round NaN to a number: nothing ends before it had its turn. */
static void test_switched(void)
{
    bnd_task task = task_of("transformer", "adamw", "fp16-pure", false);
    bnd_record r;
    bnd_error why;
    task.switches = true;
    task.switch_at = 8;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&task.switch_to, "fp32", &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_study_run(&r, &task, 1, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE(r.ended && r.count == 9);
    bnd_record_close(&r);
}

static bool count_calls(void *data, size_t task, const bnd_record *so_far)
{
    (void)task;
    (void)so_far;
    ++*(uint64_t *)data;
    return true;
}

/* It is complete on the disk, too, and where it was killed just before its summary. */
static void test_directory(void)
{
    char path[PATH_SIZE], summary[PATH_SIZE];
    bnd_task task = task_of("transformer", "adamw", "fp16-pure", false);
    bnd_record a, b;
    bnd_error why;
    uint64_t calls = 0;
    size_t length;
    open_folder();
    task.directory = in_folder(path, "run");
    task.checkpoint_every = 1;
    task.resume = true;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&a, &task, 1, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE(a.ended && a.complete && a.count < STEPS);
    char *text = read_file(&length, in_folder(summary, "run/summary.json"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"ended\": "));
    free(text);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_record_read(&b, path, &why), &why));
    CU_ASSERT_TRUE(same_records(&a, &b, true));
    bnd_record_close(&b);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&b, &task, 1, NULL, count_calls, &calls, &why), &why));
    CU_ASSERT_TRUE(same_records(&a, &b, true) && calls == 1);
    bnd_record_close(&b);
    CU_ASSERT_EQUAL(unlink(summary), 0);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&b, &task, 1, NULL, count_calls, &calls, &why), &why));
    CU_ASSERT_TRUE(same_records(&a, &b, true) && calls == 1);
    CU_ASSERT_EQUAL(access(summary, R_OK), 0);
    bnd_record_close(&b);
    bnd_record_close(&a);
    close_folder();
}

/* To be compared, it has every later step, as no number. */
static void test_compared(void)
{
    enum { PAIRS = 2 };
    bnd_record short_ones[PAIRS], long_ones[PAIRS], references[PAIRS];
    bnd_comparison a, b;
    bnd_error why;
    for (uint64_t k = 0; k < PAIRS; k++) {
        bnd_task task = task_of("transformer", "adamw", "fp16-pure", false);
        task.training.seed_data += k;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&short_ones[k], &task, 1, NULL, NULL, NULL, &why), &why));
        long_ones[k] = short_ones[k];
        long_ones[k].ended = false;
        long_ones[k].count = STEPS;
        long_ones[k].source = long_ones[k].config = long_ones[k].autopsy = NULL; /* those of the short one */
        long_ones[k].histograms = NULL;
        long_ones[k].points = calloc(STEPS, sizeof *long_ones[k].points);
        CU_ASSERT_PTR_NOT_NULL_FATAL(long_ones[k].points);
        for (size_t i = 0; i < STEPS; i++) {
            size_t last = short_ones[k].count - 1;
            long_ones[k].points[i] = short_ones[k].points[i < last ? i : last];
            long_ones[k].points[i].step = i;
        }
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&task.training.policy, "fp32", &why), &why));
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&references[k], &task, 1, NULL, NULL, NULL, &why), &why));
    }
    CU_ASSERT_TRUE(
        succeeds(bnd_records_compare(&a, short_ones, PAIRS, references, PAIRS, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(
        succeeds(bnd_records_compare(&b, long_ones, PAIRS, references, PAIRS, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(a.verdict == BND_VERDICT_FAILED && a.verdict == b.verdict && a.pairs == b.pairs && isnan(a.gap) &&
                   isnan(b.gap));
    CU_ASSERT_TRUE(a.outside && b.outside && a.outside_from == b.outside_from && a.failed == b.failed &&
                   a.nan_from == b.nan_from);
    CU_ASSERT_TRUE(
        succeeds(bnd_records_compare(&a, references, PAIRS, short_ones, PAIRS, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(
        succeeds(bnd_records_compare(&b, references, PAIRS, long_ones, PAIRS, BND_COMPARISON_MARGIN, &why), &why));
    CU_ASSERT_TRUE(a.verdict == b.verdict && a.outside == b.outside && a.judged == b.judged);
    for (size_t k = 0; k < PAIRS; k++) {
        bnd_record_close(&short_ones[k]);
        bnd_record_close(&long_ones[k]);
        bnd_record_close(&references[k]);
    }
}

CU_TestInfo ended_tests[] = {
    {"going on changes nothing", test_nothing_lost},
    {"before another recipe", test_switched},
    {"on the disk", test_directory},
    {"compared", test_compared},
    CU_TEST_INFO_NULL,
};
