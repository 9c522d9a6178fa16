/* Resuming with another recipe, more steps, missing lines, and weights and orders from files. */
#define _XOPEN_SOURCE 700
#include "resume.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Under another recipe from a step on. */
static void test_switched(void)
{
    bnd_task task = task_in(NULL), other = task_in(NULL);
    bnd_record plain = whole_run(), switched, all;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&other.training.policy, "bf16-pure", &why), &why));
    task.switches = true;
    task.switch_to = other.training.policy;
    task.switch_at = 9;
    CU_ASSERT_TRUE(succeeds(run_until(&switched, &task, UINT64_MAX, &why), &why));
    size_t others = 0;
    for (size_t i = 0; i < STEPS; i++) { /* the loss of step 9 is of weights that were made before */
        bool same = switched.points[i].loss == plain.points[i].loss;
        CU_ASSERT_TRUE(same || i > 9);
        others += !same;
    }
    CU_ASSERT_TRUE(others > 5);
    task.switch_at = 0;
    CU_ASSERT_TRUE(succeeds(run_until(&all, &task, UINT64_MAX, &why), &why));
    bnd_record_close(&plain);
    CU_ASSERT_TRUE(succeeds(run_until(&plain, &other, UINT64_MAX, &why), &why));
    for (size_t i = 0; i < STEPS; i++) {
        CU_ASSERT_EQUAL(all.points[i].loss, plain.points[i].loss);
    }
    bnd_record_close(&plain);
    bnd_record_close(&switched);
    bnd_record_close(&all);
}

/* A copy of lines first to last - 1. */
static char *copy_lines(char *to, const char *text, size_t first, size_t last)
{
    for (size_t line = 0; line < last && *text != '\0'; line++) {
        const char *end = strchr(text, '\n') + 1;
        if (line >= first) {
            memcpy(to, text, (size_t)(end - text));
            to += end - text;
        }
        text = end;
    }
    return to;
}

/* A line that is missing in the middle, of a run that was killed behind its checkpoint: there are lines enough. */
static void test_missing_line(void)
{
    enum { SAVED = 8, MADE = 12, MISSING = 3 };
    char path[PATH_SIZE], lines[PATH_SIZE], checkpoint[PATH_SIZE];
    bnd_record r;
    bnd_error why;
    size_t length, now;
    open_folder();
    bnd_task task = task_in(in_folder(path, "run"));
    CU_ASSERT_TRUE_FATAL(succeeds(run_until(&r, &task, MADE, &why), &why));
    bnd_record_close(&r);
    write_file(in_folder(checkpoint, "run/checkpoint.safetensors"), "8\n", 2);
    char *all = read_file(&length, in_folder(lines, "run/metrics.jsonl"));
    char *damaged = malloc(length + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(damaged);
    char *end = copy_lines(damaged, all, 0, MISSING);
    end = copy_lines(end, all, MISSING + 1, MADE);
    write_file(lines, damaged, (size_t)(end - damaged));
    CU_ASSERT_TRUE(refuses(run_until(&r, &task, UINT64_MAX, &why), &why,
                           "metrics.jsonl: step 3 is missing: step 4 comes after step 2"));
    char *after = read_file(&now, lines);
    CU_ASSERT_TRUE(now == (size_t)(end - damaged) && memcmp(after, damaged, now) == 0);
    free(after);
    free(all);
    free(damaged);
    close_folder();
}

/* A finished run, and one that was stopped, go on to more steps: the run that was longer from the start. */
static void check_extended(const char *schedule)
{
    enum { SHORT = 8 };
    char path[PATH_SIZE], checkpoint[PATH_SIZE];
    bnd_record expected, r;
    bnd_error why;
    bnd_task whole = task_in(NULL);
    strcpy(whole.training.schedule, schedule);
    CU_ASSERT_TRUE_FATAL(succeeds(run_until(&expected, &whole, UINT64_MAX, &why), &why));
    for (uint64_t stop = SHORT / 2; stop <= SHORT; stop += SHORT / 2) {
        open_folder();
        bnd_task task = task_in(in_folder(path, "run"));
        strcpy(task.training.schedule, schedule);
        task.training.steps = SHORT;
        CU_ASSERT_TRUE(succeeds(run_until(&r, &task, stop, &why), &why));
        CU_ASSERT_EQUAL(r.complete, stop == SHORT);
        bnd_record_close(&r);
        task.training.steps = STEPS;
        CU_ASSERT_TRUE(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
        CU_ASSERT_TRUE(r.complete && same_records(&expected, &r, false));
        bnd_record_close(&r);
        CU_ASSERT_TRUE(succeeds(bnd_record_read(&r, path, &why), &why));
        CU_ASSERT_TRUE(r.complete && same_records(&expected, &r, false));
        bnd_record_close(&r);
        task.training.steps = STEPS + 1;
        CU_ASSERT_EQUAL(unlink(in_folder(checkpoint, "run/checkpoint.safetensors")), 0);
        CU_ASSERT_TRUE(refuses(run_until(&r, &task, UINT64_MAX, &why), &why, "from its checkpoint only"));
        task.training.steps = STEPS;
        CU_ASSERT_TRUE(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why)); /* nothing has changed */
        bnd_record_close(&r);
        close_folder();
    }
    bnd_record_close(&expected);
}

static void test_extended(void)
{
    check_extended("constant");
    check_extended("warmup:12");
}

/* Where learning rates depend on the number of steps, the beginning of a longer run is another run. */
static void test_not_extended(void)
{
    char path[PATH_SIZE];
    bnd_record r;
    bnd_error why;
    open_folder();
    bnd_task task = task_in(in_folder(path, "run"));
    memcpy(task.training.schedule, "cosine", sizeof "cosine");
    task.training.steps = STEPS - 1;
    CU_ASSERT_TRUE(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
    bnd_record_close(&r);
    task.training.steps = STEPS;
    CU_ASSERT_TRUE(refuses(run_until(&r, &task, UINT64_MAX, &why), &why,
                           "a run of 19 steps cannot be extended to 20: learning rates of schedule 'cosine'"));
    task.training.lr = 0.5;
    CU_ASSERT_TRUE(refuses(run_until(&r, &task, UINT64_MAX, &why), &why, "another run: \"lr\" is 0.001 there"));
    close_folder();
}

/* A run that another process has begun since this one looked: neither config.json nor lines change. */
static void test_begun_meanwhile(void)
{
    char path[PATH_SIZE];
    bnd_error why;
    int fd = -1;
    open_folder();
    bnd_task task = task_in(in_folder(path, "run")), other = task;
    bndi_session first = {.task = &task, .keeper = &replaying, .metrics = -1};
    other.training.lr = 0.5;
    bndi_session second = {.task = &other, .keeper = &replaying, .metrics = -1};
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_session_prepare(&first, false, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_session_prepare(&second, false, &why), &why));
    CU_ASSERT_TRUE(succeeds(bndi_session_make_directory(&first, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_metrics_open(&fd, path, 0, &why), &why));
    CU_ASSERT_TRUE(refuses(bndi_session_make_directory(&second, &why), &why, "another run is writing to it"));
    CU_ASSERT_TRUE(succeeds(bndi_session_claim(&first, &why), &why));
    CU_ASSERT_TRUE(refuses(bndi_session_claim(&second, &why), &why, "this is another run: \"lr\""));
    CU_ASSERT_EQUAL(write(fd, "{}\n", 3), 3);
    bndi_metrics_close(fd);
    CU_ASSERT_TRUE(refuses(bndi_session_make_directory(&second, &why), &why, "has changed since it was read"));
    bndi_session_release(&first);
    bndi_session_release(&second);
    bnd_record_close(&first.record);
    bnd_record_close(&second.record);
    close_folder();
}

static bool goes_on(void *data, const bndi_session *s)
{
    (void)data;
    return s->record.count > 0;
}

/* A run that another process has finished while this one waited for its turn: its lines stay. */
static void test_finished_meanwhile(void)
{
    char path[PATH_SIZE], lines[PATH_SIZE];
    size_t length, now;
    bnd_record r;
    bnd_error why;
    open_folder();
    bnd_task task = task_in(in_folder(path, "run"));
    CU_ASSERT_TRUE_FATAL(succeeds(run_until(&r, &task, STEPS / 2, &why), &why));
    bnd_record_close(&r);
    bndi_session waiting = {.task = &task, .keeper = &replaying, .metrics = -1};
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_session_prepare(&waiting, false, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
    bnd_record_close(&r);
    char *before = read_file(&length, in_folder(lines, "run/metrics.jsonl"));
    CU_ASSERT_TRUE(refuses(bndi_session_run(&waiting, goes_on, NULL, &why), &why, "has changed since it was read"));
    char *after = read_file(&now, lines);
    CU_ASSERT_TRUE(now == length && memcmp(before, after, length) == 0);
    free(before);
    free(after);
    bndi_session_release(&waiting);
    bnd_record_close(&waiting.record);
    close_folder();
}

/* ---- weights and orders from files ---- */

static void put_weights(const char *path, uint64_t seed)
{
    bnd_training t = small_training("mlp", "fp32", seed, STEPS);
    bnd_run *run;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, &t, NULL, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_save_weights(run, path, &why), &why));
    bnd_run_free(run);
}

/* Stopped and gone on with they are the same; files that have changed meanwhile make another run, and runs from other
 * files are no pair. */
static void test_with_inputs(void)
{
    char path[PATH_SIZE], weights[PATH_SIZE], order[PATH_SIZE];
    int64_t numbers[STEPS];
    bnd_record expected, usual = whole_run(), r;
    bnd_comparison is;
    bnd_error why;
    open_folder();
    for (size_t i = 0; i < STEPS; i++) {
        numbers[i] = (int64_t)(STEPS - i);
    }
    write_npy(in_folder(order, "order.npy"), "(20,)", numbers, STEPS);
    put_weights(in_folder(weights, "weights.safetensors"), 9);
    bnd_task task = task_in(NULL);
    strcpy(task.training.init, weights);
    strcpy(task.training.order, order);
    CU_ASSERT_TRUE_FATAL(succeeds(run_until(&expected, &task, UINT64_MAX, &why), &why));
    CU_ASSERT_NOT_EQUAL(expected.points[0].loss, usual.points[0].loss);
    CU_ASSERT_TRUE(expected.init_hash != 0 && expected.order_hash != 0);
    CU_ASSERT_TRUE(refuses(bnd_records_compare(&is, &expected, 1, &usual, 1, BND_COMPARISON_MARGIN, &why), &why, ""));
    CU_ASSERT_TRUE(succeeds(bnd_records_compare(&is, &expected, 1, &expected, 1, BND_COMPARISON_MARGIN, &why), &why));

    task.directory = in_folder(path, "run");
    CU_ASSERT_TRUE(succeeds(run_until(&r, &task, EVERY + 1, &why), &why));
    bnd_record_close(&r);
    numbers[0] = 1;
    write_npy(order, "(20,)", numbers, STEPS);
    CU_ASSERT_TRUE(refuses(run_until(&r, &task, UINT64_MAX, &why), &why, "this is another run: \"order_hash\""));
    numbers[0] = STEPS;
    write_npy(order, "(20,)", numbers, STEPS);
    put_weights(weights, 10);
    CU_ASSERT_TRUE(refuses(run_until(&r, &task, UINT64_MAX, &why), &why, "this is another run: \"init_hash\""));
    put_weights(weights, 9);
    CU_ASSERT_TRUE(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
    CU_ASSERT_TRUE(same_records(&expected, &r, false));
    bnd_record_close(&r);
    CU_ASSERT_TRUE(succeeds(bnd_record_read(&r, path, &why), &why));
    CU_ASSERT_TRUE(r.init_hash == expected.init_hash && r.order_hash == expected.order_hash);
    bnd_record_close(&r);
    bnd_record_close(&usual);
    bnd_record_close(&expected);
    close_folder();
}

/* A recipe has several names, and what it is counts: the settings, which the configuration has, too. */
static void test_renamed(void)
{
    char path[PATH_SIZE];
    bnd_record r;
    bnd_error why;
    open_folder();
    bnd_task task = task_in(in_folder(path, "run"));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&task.training.policy, "base=bf16-amp,v=bf16", &why), &why));
    task.recipe = "bf16-amp,v=bf16";
    CU_ASSERT_TRUE_FATAL(succeeds(run_until(&r, &task, EVERY, &why), &why));
    bnd_record_close(&r);
    task.recipe = "base=bf16-amp,v=bf16";
    CU_ASSERT_TRUE_FATAL(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
    CU_ASSERT_TRUE(r.complete && r.count == STEPS);
    bnd_record_close(&r);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&task.training.policy, "bf16-amp", &why), &why));
    CU_ASSERT_TRUE(refuses(run_until(&r, &task, UINT64_MAX, &why), &why, "this is another run: \"recipe\""));
    close_folder();
}

CU_TestInfo changed_tests[] = {
    {"under another name of the recipe", test_renamed},
    {"with weights and an order from files", test_with_inputs},
    {"a missing line", test_missing_line},
    {"extended", test_extended},
    {"not extended", test_not_extended},
    {"begun meanwhile", test_begun_meanwhile},
    {"finished meanwhile", test_finished_meanwhile},
    {"switched", test_switched},
    CU_TEST_INFO_NULL,
};
