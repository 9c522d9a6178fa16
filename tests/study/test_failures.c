/* Every allocation fails once: a message, nothing leaked, no damaged directory; the same call made again goes on. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/allocations.h"
#include "train/train.h"

#if defined(BND_WITH_WRAP) /* without that of the linker nothing can be made to fail */
enum { NEVER_MORE = 20000, STEPS = 2 };

static bnd_task task_in(const char *directory)
{
    bnd_training t = small_training("quadratic", "fp32", 3, STEPS);
    bnd_task task;
    bnd_task_default(&task, &t);
    task.validation_batches = 1;
    task.statistics = task.resume = true;
    task.directory = directory;
    return task;
}

/* Allocation number `i` of a run fails, and the run is gone on with; false: there was none of that number. */
static bool fail_one(const bnd_record *expected, uint64_t i)
{
    char path[PATH_SIZE];
    bnd_record r, read;
    bnd_error why = {.message = ""};
    open_folder();
    bnd_task task = task_in(in_folder(path, "run"));
    int64_t living = allocations_living();
    uint64_t asked = allocations_asked();
    bndi_record_none(&r);
    allocations_fail(i, false);
    bnd_status status = bndi_study_run(&r, &task, 1, NULL, &replaying, NULL, NULL, &why);
    allocations_fail(UINT64_MAX, false);
    bool fewer = allocations_asked() - asked <= i;
    bnd_record_close(&r);
    bool good = status == BND_OK || (status == BND_NO_MEMORY && why.message[0] != '\0');
    if (!good || allocations_living() != living) {
        printf("\n    allocation %llu: %d %s, %lld living\n", (unsigned long long)i, (int)status, why.message,
               (long long)(allocations_living() - living));
    }
    CU_ASSERT_TRUE(good);
    CU_ASSERT_EQUAL(allocations_living(), living);
    CU_ASSERT_TRUE_FATAL(succeeds(bndi_study_run(&r, &task, 1, NULL, &replaying, NULL, NULL, &why), &why));
    CU_ASSERT_TRUE(same_records(expected, &r, false));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_record_read(&read, path, &why), &why));
    CU_ASSERT_TRUE(same_records(expected, &read, false));
    bnd_record_close(&read);
    bnd_record_close(&r);
    close_folder();
    return !fewer;
}

static void test_run(void)
{
    bnd_task task = task_in(NULL);
    bnd_record expected;
    bnd_error why;
    uint64_t i = 0;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&expected, &task, 1, NULL, NULL, NULL, &why), &why));
    while (i < NEVER_MORE && fail_one(&expected, i)) {
        i++;
    }
    CU_ASSERT_TRUE(i > 50 && i < NEVER_MORE);
    bnd_record_close(&expected);
}

typedef bnd_status call(void *data, bnd_error *why);

static void fail_each(call *f, void *data)
{
    bnd_status status = BND_NO_MEMORY;
    bnd_error why;
    uint64_t i = 0;
    for (; status == BND_NO_MEMORY && i < NEVER_MORE; i++) {
        int64_t living = allocations_living();
        allocations_fail(i, false);
        status = f(data, &why);
        allocations_fail(UINT64_MAX, false);
        CU_ASSERT_EQUAL_FATAL(allocations_living(), living);
    }
    CU_ASSERT_TRUE(succeeds(status, &why));
    CU_ASSERT_TRUE(i > 1);
}

typedef struct material {
    char directory[PATH_SIZE], csv[PATH_SIZE];
    bnd_record runs[3];
} material;

static bnd_status compare_all(void *data, bnd_error *why)
{
    material *m = data;
    bnd_comparison c;
    return bnd_records_compare(&c, m->runs, 3, m->runs, 3, BND_COMPARISON_MARGIN, why);
}

static bnd_status read_all(void *data, bnd_error *why)
{
    const material *m = data;
    bnd_record *records;
    size_t count;
    bnd_status status = bnd_records_read(&records, &count, m->directory, why);
    if (status == BND_OK) {
        bnd_records_free(records, count);
    }
    return status;
}

static bnd_status write_one(void *data, bnd_error *why)
{
    const material *m = data;
    return bnd_record_write_csv(&m->runs[0], m->csv, why);
}

static bnd_status sum_up_all(void *data, bnd_error *why)
{
    material *m = data;
    bnd_summary_row *rows;
    size_t count;
    bnd_status status = bnd_summary_make(&rows, &count, m->runs, 3, BND_COMPARISON_MARGIN, why);
    if (status == BND_OK) {
        bnd_summary_free(rows);
    }
    return status;
}

static bnd_status sweep_all(void *data, bnd_error *why)
{
    const material *m = data;
    bnd_sweep_row rows[] = {{.recipe = "fp32", .records = m->runs, .count = 2},
                            {.recipe = "other", .records = m->runs + 1, .count = 2}};
    bnd_status status = bnd_sweep_sum_up(rows, 2, BND_COMPARISON_MARGIN, why);
    if (status == BND_OK) {
        bnd_sweep_close(rows, 2);
    }
    CU_ASSERT_TRUE(rows[0].rates == NULL && rows[1].rates == NULL); /* after a failure, too */
    return status;
}

static bnd_status choose_one(void *data, bnd_error *why)
{
    char name[BND_RECORD_NAME_SIZE];
    bnd_policy policy;
    (void)data;
    return bnd_recipe_choose_n(&policy, name, "fp8-delayed", strlen("fp8-delayed"), why);
}

static bnd_status count_symbols(void *data, bnd_error *why)
{
    const bnd_training t = small_training("transformer", "fp32", 1, 1);
    size_t symbols = 99;
    (void)data;
    bnd_status status = bnd_training_vocabulary(&symbols, &t, why);
    CU_ASSERT_EQUAL(symbols, status == BND_OK ? 16 : 99);
    return status;
}

static void test_calls(void)
{
    material m;
    bnd_error why;
    char names[3][PATH_SIZE];
    bnd_task tasks[3];
    open_folder();
    for (size_t i = 0; i < 3; i++) {
        char name[8];
        bnd_training t = small_training("quadratic", "fp32", i, 3);
        snprintf(name, sizeof name, "all-%zu", i);
        bnd_task_default(&tasks[i], &t);
        tasks[i].directory = in_folder(names[i], name);
    }
    in_folder(m.directory, ".");
    in_folder(m.csv, "run.csv");
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(m.runs, tasks, 3, NULL, NULL, NULL, &why), &why));
    fail_each(compare_all, &m);
    fail_each(read_all, &m);
    fail_each(write_one, &m);
    fail_each(sum_up_all, &m);
    fail_each(sweep_all, &m);
    fail_each(choose_one, NULL);
    fail_each(count_symbols, NULL);
    for (size_t i = 0; i < 3; i++) {
        bnd_record_close(&m.runs[i]);
    }
    close_folder();
}

/* ---- a run on the disk ---- */

static bnd_run *stepped(const char *recipe)
{
    bnd_training t = small_training("mlp", recipe, 3, 9);
    bnd_run *run = NULL;
    bnd_step step;
    bnd_error why;
    t.inputs = t.width = 4;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, &t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&step, run, &why), &why));
    return run;
}

/* Of all numbers that a run keeps, what the engine carries among them. */
static uint64_t digest(bnd_run *run)
{
    static double carried[1 << 12];
    uint64_t sum = run->step + run->good_steps;
    size_t n = bnd_engine_state_count(run->engine);
    CU_ASSERT_TRUE_FATAL(n <= sizeof carried / sizeof carried[0]);
    bnd_engine_state_get(carried, run->engine);
    for (size_t i = 0; i < n * sizeof(double); i++) {
        sum = (sum ^ ((const unsigned char *)carried)[i]) * 1099511628211u;
    }
    for (size_t i = 0; i < run->parameters * BNDI_KEPT; i++) {
        const bnd_tensor *t = *bndi_kept_of(&run->parameter[i / BNDI_KEPT], i % BNDI_KEPT);
        for (size_t k = 0; t != NULL && k < t->buffer->bytes; k++) {
            sum = (sum ^ t->buffer->data[k]) * 1099511628211u;
        }
    }
    return sum;
}

typedef struct kept_run {
    bnd_run *run;
    bnd_policy policy;
    char path[PATH_SIZE];
} kept_run;

static bnd_status save_run(void *data, bnd_error *why)
{
    const kept_run *k = data;
    return bnd_run_save(k->run, k->path, why);
}

static bnd_status load_run(void *data, bnd_error *why)
{
    const kept_run *k = data;
    return bnd_run_load(k->run, k->path, why);
}

static bnd_status switch_run(void *data, bnd_error *why)
{
    const kept_run *k = data;
    return bnd_run_switch(k->run, &k->policy, why);
}

/* Where there is no memory the run is what it was, and nothing is left behind. */
static void fail_each_and_change_nothing(call *f, kept_run *k)
{
    bnd_status status = BND_NO_MEMORY;
    bnd_error why;
    uint64_t i = 0, before = digest(k->run);
    for (; status == BND_NO_MEMORY && i < NEVER_MORE; i++) {
        int64_t living = allocations_living();
        allocations_fail(i, false);
        status = f(k, &why);
        allocations_fail(UINT64_MAX, false);
        if (status == BND_NO_MEMORY) {
            CU_ASSERT_EQUAL_FATAL(allocations_living(), living);
            CU_ASSERT_EQUAL_FATAL(digest(k->run), before);
        }
    }
    CU_ASSERT_TRUE(succeeds(status, &why));
    CU_ASSERT_TRUE(i > 20);
}

static void test_checkpoints(void)
{
    static const char from[] = "base=fp8-lm,gemm_fwd.x=e4m3/delayed:4",
                      to[] = "base=bf16-kahan,gemm_fwd.x=e4m3/delayed:2,v=e4m3/tensor";
    kept_run k = {.run = stepped(from)};
    open_folder();
    in_folder(k.path, "checkpoint");
    fail_each_and_change_nothing(save_run, &k);
    fail_each_and_change_nothing(load_run, &k);
    bnd_run *own = k.run;
    k.run = stepped(to);
    fail_each_and_change_nothing(load_run, &k);
    k.policy = k.run->training.policy;
    bnd_run_free(k.run);
    k.run = own;
    fail_each_and_change_nothing(switch_run, &k);
    bnd_run_free(own);
    close_folder();
}
/* ---- weights and batches in files, and weights under another policy ---- */

typedef struct files {
    bnd_run *run; /* in fp32 */
    char weights[PATH_SIZE], batches[PATH_SIZE], checkpoint[PATH_SIZE];
} files;

static bnd_status save_weights(void *data, bnd_error *why)
{
    const files *f = data;
    return bnd_run_save_weights(f->run, f->weights, why);
}

static bnd_status save_batches(void *data, bnd_error *why)
{
    const files *f = data;
    return bnd_run_save_batches(f->run, STEPS, f->batches, why);
}

static bnd_status start_from(void *data, bnd_error *why)
{
    const files *f = data;
    bnd_training t = f->run->training;
    bnd_run *run;
    snprintf(t.init, sizeof t.init, "%s", f->weights);
    bnd_status status = bnd_run_new(&run, &t, NULL, why);
    if (status == BND_OK) {
        bnd_run_free(run);
    }
    return status;
}

static bnd_status evaluate(void *data, bnd_error *why)
{
    const files *f = data;
    double losses[2];
    bnd_policy policy;
    bnd_status status = bnd_policy_parse(&policy, "fp8-delayed", why);
    return status == BND_OK ? bnd_run_losses(losses, 2, f->run, &policy, BND_PLACE_ALL, why) : status;
}

/* A checkpoint, opened again, at each of its places. */
static bnd_status evaluate_places(void *data, bnd_error *why)
{
    const files *f = data;
    bnd_trained_weights found;
    bnd_run *run = NULL;
    bnd_evaluated usual = {.losses = NULL}, other = {.losses = NULL};
    bnd_policy mxfp4;
    bnd_status status = bnd_policy_parse(&mxfp4, "mxfp4", why);
    status = status == BND_OK ? bnd_trained_weights_find(&found, f->checkpoint, NULL, why) : status;
    status = status == BND_OK ? bnd_trained_weights_open(&run, &found, f->checkpoint, NULL, why) : status;
    status = status == BND_OK ? bnd_evaluate(&usual, run, &f->run->training.policy, NULL, 1, 0, NULL, why) : status;
    status = status == BND_OK ? bnd_evaluate(&other, run, &mxfp4, &usual, 1, 1, NULL, why) : status;
    bnd_evaluated_close(&other);
    bnd_evaluated_close(&usual);
    bnd_run_free(run);
    return status;
}

/* Two steps of a new run, each in four parts. */
static bnd_status make_parts(void *data, bnd_error *why)
{
    const bnd_training *t = data;
    bnd_run *run;
    bnd_step step;
    bnd_status status = bnd_run_new(&run, t, NULL, why);
    if (status == BND_OK) {
        status = bnd_run_step(&step, run, why);
        status = status == BND_OK ? bnd_run_step(&step, run, why) : status;
        bnd_run_free(run);
    }
    return status;
}

static void test_parts(void)
{
    bnd_training t = small_training("linear", "grad=bf16,accumulate=bf16/row,reduce=bf16/ring", 3, STEPS);
    t.batch = 4;
    t.ranks = t.micro_batches = 2;
    t.clip = 1e-3;
    fail_each(make_parts, &t);
}

static void test_files(void)
{
    call *const calls[] = {save_weights, save_batches, start_from, evaluate, evaluate_places};
    const bnd_training t = small_training("mlp", "fp32", 3, STEPS);
    files f;
    bnd_error why;
    open_folder();
    in_folder(f.weights, "weights.safetensors");
    in_folder(f.batches, "batches.safetensors");
    in_folder(f.checkpoint, "checkpoint.safetensors");
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&f.run, &t, NULL, &why), &why));
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_save(f.run, f.checkpoint, &why), &why));
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
        bnd_status status = BND_NO_MEMORY;
        uint64_t i = 0;
        for (; status == BND_NO_MEMORY && i < NEVER_MORE; i++) {
            const int64_t living = allocations_living();
            allocations_fail(i, false);
            status = calls[k](&f, &why);
            allocations_fail(UINT64_MAX, false);
            CU_ASSERT_TRUE_FATAL(status == BND_OK || allocations_living() == living);
        }
        CU_ASSERT_TRUE(succeeds(status, &why));
        CU_ASSERT_TRUE(i > 5);
    }
    bnd_run_free(f.run);
    close_folder();
}
#endif

CU_TestInfo failure_tests[] = {
#if defined(BND_WITH_WRAP)
    {"allocations of a run", test_run},
    {"allocations of calls", test_calls},
    {"allocations of checkpoints", test_checkpoints},
    {"weights and batches in files", test_files},
    {"steps in parts", test_parts},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
