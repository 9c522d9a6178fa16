/* Runs side by side, and what they write. */
#define _XOPEN_SOURCE 700
#include "tests.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static bnd_task task_of(const char *model, const char *recipe, uint64_t seed, uint64_t steps)
{
    bnd_training t = small_training(model, recipe, seed, steps);
    bnd_task task;
    bnd_task_default(&task, &t);
    task.validation_batches = 2;
    return task;
}

static void clear_all(bnd_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bnd_record_close(&records[i]);
    }
}

/* ---- the same bits ---- */

enum { MANY = 5 };

/* Alone with one thread and with two, and with others at once by 1, 2 and 4 threads. */
static void test_same_bits(void)
{
    static const char *const recipes[MANY] = {"fp32", "bf16-sr", "fp16-amp", "mxfp8", "fp16-pure"};
    bnd_task tasks[MANY];
    bnd_record first[MANY], records[MANY];
    bnd_error why;
    for (size_t i = 0; i < MANY; i++) {
        tasks[i] = task_of(i % 2 == 0 ? "transformer" : "mlp", recipes[i], i + 1, 4);
        tasks[i].statistics = i % 2 == 1;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&first[i], &tasks[i], 1, NULL, NULL, NULL, &why), &why));
        CU_ASSERT_TRUE(first[i].complete && first[i].validated &&
                       (first[i].count == 4 || (first[i].ended && i == MANY - 1)));
        CU_ASSERT_EQUAL(first[i].gradients > 0, tasks[i].statistics);
        bnd_context two = {.threads = 2};
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(records, &tasks[i], 1, &two, NULL, NULL, &why), &why));
        CU_ASSERT_TRUE(same_records(&first[i], records, false));
        bnd_record_close(records);
    }
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        bnd_context context = {.threads = threads};
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(records, tasks, MANY, &context, NULL, NULL, &why), &why));
        for (size_t i = 0; i < MANY; i++) {
            CU_ASSERT_TRUE(same_records(&first[i], &records[i], false));
        }
        clear_all(records, MANY);
    }
    clear_all(first, MANY);
}

/* What bnd_run_step says is what the record has. */
static void test_record(void)
{
    bnd_task task = task_of("mlp", "bf16-pure", 3, 12);
    bnd_record r;
    bnd_run *run = NULL;
    bnd_error why;
    double validation, in_fp32 = 0, losses[2];
    static const bnd_policy fp32 = {.name = "fp32"};
    uint64_t updates = 0;
    task.validate_every = 5;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&r, &task, 1, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, &task.training, NULL, &why), &why));
    for (uint64_t i = 0; i < 12; i++) {
        bnd_step step;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
        const bnd_point *p = &r.points[i];
        CU_ASSERT_TRUE(p->step == i && p->loss == step.loss && p->gradient_norm == step.gradient_norm);
        CU_ASSERT_TRUE(p->updates == step.updates && p->lost == step.lost && p->lr == step.lr);
        CU_ASSERT_EQUAL(p->validated, i == 4 || i == 9 || i == 11);
        CU_ASSERT_TRUE(p->seconds > 0);
        updates += step.updates;
        if (p->validated) {
            CU_ASSERT_TRUE(succeeds(bnd_run_validate(&validation, run, 2, &why), &why));
            CU_ASSERT_EQUAL(p->validation, validation);
            CU_ASSERT_TRUE(succeeds(bnd_run_losses(losses, 2, run, &fp32, BND_PLACE_ALL, &why), &why));
            in_fp32 = (losses[0] + losses[1]) / 2;
            CU_ASSERT_TRUE(p->validated_fp32 && p->validation_fp32 == in_fp32 && in_fp32 != validation);
        }
    }
    CU_ASSERT_EQUAL(r.updates, updates);
    CU_ASSERT_EQUAL(r.validation, validation);
    CU_ASSERT_EQUAL(r.validation_fp32, in_fp32);
    CU_ASSERT_EQUAL(bnd_record_result(&r), in_fp32 < log(10) ? in_fp32 : log(10));
    CU_ASSERT_EQUAL(r.loss, r.points[11].loss);
    CU_ASSERT_EQUAL(bnd_record_bytes_per_parameter(&r), 8);
    CU_ASSERT_TRUE(r.flops > 0 && r.bytes_peak > 8 * r.parameters && r.seconds > 0);
    bnd_run_free(run);
    bnd_record_close(&r);
}

/* ---- directories ---- */

static bool is_there(const char *name)
{
    char path[PATH_SIZE];
    struct stat about;
    return stat(in_folder(path, name), &about) == 0;
}

/* What a directory says is what the call said; statistics of casts are in the lines. */
static void test_directories(void)
{
    static const char *const names[] = {"deep/er/fp16-amp-1", "deep/er/fp16-amp-2"};
    char paths[2][PATH_SIZE], all[PATH_SIZE], path[PATH_SIZE];
    bnd_task tasks[2];
    bnd_record records[2], one, *read;
    size_t count, length;
    bnd_error why;
    open_folder();
    for (size_t i = 0; i < 2; i++) {
        tasks[i] = task_of("mlp", "base=fp16-amp,act=e4m3", UINT64_MAX - i, 6);
        tasks[i].directory = in_folder(paths[i], names[i]);
        tasks[i].recipe = "fp16-amp and e4m3 \"activations\"";
        tasks[i].statistics = i == 0;
    }
    bnd_context two = {.threads = 2};
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(records, tasks, 2, &two, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_records_read(&read, &count, in_folder(all, "deep/er"), &why), &why));
    CU_ASSERT_EQUAL_FATAL(count, 2);
    for (size_t i = 0; i < 2; i++) {
        CU_ASSERT_TRUE(same_records(&records[i], &read[i], true));
        CU_ASSERT_STRING_EQUAL(read[i].recipe, tasks[i].recipe);
        CU_ASSERT_EQUAL(read[i].seed_init, UINT64_MAX - i);
        CU_ASSERT_TRUE(succeeds(bnd_record_read(&one, paths[i], &why), &why));
        CU_ASSERT_TRUE(same_records(&records[i], &one, true));
        bnd_record_close(&one);
    }
    bnd_records_free(read, count);
    CU_ASSERT_TRUE(succeeds(bnd_records_read(&read, &count, paths[0], &why), &why));
    CU_ASSERT_EQUAL(count, 1);
    bnd_records_free(read, count);
    char *lines = read_file(&length, in_folder(path, "deep/er/fp16-amp-1/metrics.jsonl"));
    CU_ASSERT_PTR_NOT_NULL(strstr(lines, "\"dact/underflows%\": "));
    CU_ASSERT_PTR_NOT_NULL(strstr(lines, "\"gemm_fwd.x/exponents\": ["));
    free(lines);
    CU_ASSERT_TRUE(is_there("deep/er/fp16-amp-1/summary.json"));
    CU_ASSERT_EQUAL(bnd_records_read(&read, &count, in_folder(all, "deep"), &why), BND_BAD_FILE);
    CU_ASSERT_EQUAL(bnd_record_read(&one, all, &why), BND_BAD_FILE);
    clear_all(records, 2);
    tasks[0].recipe = NULL; /* what it is called then, and what cannot be said is refused */
    tasks[0].directory = in_folder(paths[0], "other");
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(records, tasks, 1, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_PTR_NOT_NULL(strstr(records[0].recipe, "act=e4m3"));
    bnd_record_close(&records[0]);
    tasks[0].directory = in_folder(paths[0], "another");
    tasks[0].training.policy.cast[BND_ROLE_ACT].rule.nan = BND_NAN_ONES;
    CU_ASSERT_NOT_EQUAL(bnd_study_run(records, tasks, 1, NULL, NULL, NULL, &why), BND_OK);
    CU_ASSERT_FALSE(is_there("another"));
    close_folder();
}

/* What is wrong with any task is found before the first step of another, and before anything is made. */
static void test_refused(void)
{
    char a[PATH_SIZE], b[PATH_SIZE], file[PATH_SIZE];
    bnd_task tasks[2];
    bnd_record records[2] = {{.count = 5}, {.count = 6}};
    bnd_error why;
    open_folder();
    write_file(in_folder(file, "file"), "x", 1);
    tasks[0] = task_of("linear", "fp32", 1, 3);
    tasks[0].directory = in_folder(a, "a");
    const struct {
        const char *directory, *says;
        double lr;
        uint64_t switch_at;
        bnd_status status;
    } cases[] = {{NULL, "learning rate", NAN, 0, BND_BAD_ARGUMENT},
                 {NULL, "learning rate", -1, 0, BND_BAD_ARGUMENT},
                 {NULL, "the recipe switches at step 3", 0.1, 3, BND_BAD_ARGUMENT},
                 {in_folder(b, "file"), "Not a directory", 0.1, 0, BND_BAD_STREAM},
                 {file, "Not a directory", 0.1, 0, BND_BAD_STREAM},
                 {"", "must not be empty", 0.1, 0, BND_BAD_STREAM},
                 {"/proc/none/run", "/proc/none/run: ", 0.1, 0, BND_BAD_STREAM}};
    in_folder(file, "file/below");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tasks[1] = task_of("linear", "bf16-pure", 1, 3);
        tasks[1].training.lr = cases[i].lr;
        tasks[1].switches = cases[i].switch_at > 0;
        tasks[1].switch_at = cases[i].switch_at;
        tasks[1].directory = cases[i].directory;
        bnd_status status = bndi_study_run(records, tasks, 2, NULL, &replaying, NULL, NULL, &why);
        if (status != cases[i].status || strstr(why.message, cases[i].says) == NULL) {
            printf("\n    %zu: %d %s\n", i, (int)status, why.message);
        }
        CU_ASSERT_EQUAL(status, cases[i].status);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, cases[i].says));
        CU_ASSERT_TRUE(records[0].count == 5 && records[1].count == 6);
        CU_ASSERT_TRUE(strncmp(cases[i].says, "/proc", 5) == 0 || !is_there("a/metrics.jsonl"));
    }
    close_folder();
}

/* A file that takes no more: its run fails and has whole lines, the other is finished. */
static void test_full_disk(void)
{
    char path[PATH_SIZE];
    bnd_task tasks[2];
    bnd_record records[2], read;
    bnd_error why;
    struct rlimit before, small;
    open_folder();
    tasks[0] = task_of("linear", "fp32", 1, 400);
    tasks[0].directory = in_folder(path, "run");
    tasks[1] = task_of("linear", "fp32", 2, 20);
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 40000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &small), 0);
    bnd_status status = bnd_study_run(records, tasks, 2, NULL, NULL, NULL, &why);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    CU_ASSERT_EQUAL(status, BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "run: metrics.jsonl: cannot be written"));
    CU_ASSERT_TRUE(!records[0].complete && records[0].count > 10 && records[0].count < 400);
    CU_ASSERT_TRUE(records[1].complete && records[1].count == 20);
    CU_ASSERT_TRUE(succeeds(bnd_record_read(&read, path, &why), &why));
    CU_ASSERT_EQUAL(read.count, records[0].count);
    CU_ASSERT_FALSE(read.complete);
    bnd_record_close(&read);
    clear_all(records, 2);
    close_folder();
}

/* The only one of one rank. */
static bnd_status gather_one(void *all, const void *own, size_t size, void *data, bnd_error *why)
{
    (void)data;
    (void)why;
    memcpy(all, own, size);
    return BND_OK;
}

/* The same of a rank: it makes no other run, since the other ranks are still in this one. Its checkpoint is of a step
 * that has a line, so that the run resumes: to the losses of one that was never stopped. */
static void test_full_disk_of_rank(void)
{
    const bnd_ranks one = {.rank = 0, .count = 1, .gather = gather_one};
    char path[PATH_SIZE];
    bnd_task tasks[2];
    bnd_record records[2], resumed, straight;
    bnd_error why;
    struct rlimit before, small;
    open_folder();
    tasks[0] = task_of("linear", "fp32", 1, 400);
    tasks[0].directory = in_folder(path, "run");
    tasks[0].checkpoint_every = 7;
    tasks[1] = task_of("linear", "fp32", 2, 20);
    tasks[0].ranks = tasks[1].ranks = &one;
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 40000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &small), 0);
    bnd_status status = bnd_study_run(records, tasks, 2, NULL, NULL, NULL, &why);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    CU_ASSERT_EQUAL(status, BND_BAD_STREAM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "run: metrics.jsonl: cannot be written"));
    CU_ASSERT_TRUE(records[0].count > 10 && records[0].count < 400);
    CU_ASSERT_TRUE(!records[1].complete && records[1].count == 0);
    clear_all(records, 2);
    tasks[0].resume = true;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&resumed, tasks, 1, NULL, NULL, NULL, &why), &why));
    tasks[0].directory = NULL;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&straight, tasks, 1, NULL, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE(resumed.complete && same_records(&straight, &resumed, false));
    bnd_record_close(&straight);
    bnd_record_close(&resumed);
    close_folder();
}

/* ---- being watched ---- */

typedef struct watched {
    bool inside, overlapped;
    uint64_t calls[3], last[3];
    const char *live; /* a directory that is read while it grows */
    uint64_t seen;
} watched;

static bool look(void *data, size_t task, const bnd_record *so_far)
{
    watched *w = data;
    w->overlapped = w->overlapped || w->inside;
    w->inside = true;
    w->calls[task]++;
    w->last[task] = so_far->count;
    if (task == 0) {
        bnd_record r;
        bnd_error why;
        CU_ASSERT_TRUE(succeeds(bnd_record_read(&r, w->live, &why), &why));
        CU_ASSERT_TRUE(r.count == so_far->count);
        CU_ASSERT_EQUAL(r.complete, so_far->count == 30);
        w->seen += r.count;
        bnd_record_close(&r);
    }
    w->inside = false;
    return true;
}

/* One call at a time, one for each step; readers see each line when it is made. */
static void test_watch(void)
{
    char path[PATH_SIZE];
    bnd_task tasks[3];
    bnd_record records[3];
    bnd_error why;
    bnd_context two = {.threads = 3};
    watched w = {.live = in_folder(path, "x")};
    open_folder();
    w.live = in_folder(path, "run");
    for (size_t i = 0; i < 3; i++) {
        tasks[i] = task_of("linear", "fp32", i, 30);
    }
    tasks[0].directory = path;
    CU_ASSERT_TRUE(succeeds(bnd_study_run(records, tasks, 3, &two, look, &w, &why), &why));
    CU_ASSERT_FALSE(w.overlapped);
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_TRUE(w.calls[i] == 30 && w.last[i] == 30);
    }
    CU_ASSERT_EQUAL(w.seen, 30 * 31 / 2);
    clear_all(records, 3);
    close_folder();
}

CU_TestInfo run_tests[] = {
    {"same bits", test_same_bits},
    {"what a record has", test_record},
    {"directories", test_directories},
    {"refused", test_refused},
    {"a full disk", test_full_disk},
    {"a full disk of a rank: no other run is made, and its own resumes", test_full_disk_of_rank},
    {"watched", test_watch},
    CU_TEST_INFO_NULL,
};
