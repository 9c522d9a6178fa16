/* Going on: lines, checkpoints and configurations, with a checkpoint that makes the steps again in the place of the
 * one that brings them back. */
#define _XOPEN_SOURCE 700
#include "resume.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bnd_task task_in(const char *directory)
{
    bnd_training t = small_training("mlp", "bf16-sr", 3, STEPS);
    bnd_task task;
    bnd_task_default(&task, &t);
    task.validation_batches = 2;
    task.validate_every = 4;
    task.checkpoint_every = EVERY;
    task.statistics = true;
    task.directory = directory;
    task.resume = true;
    return task;
}

static bool until(void *data, size_t task, const bnd_record *so_far)
{
    (void)task;
    return so_far->count < *(const uint64_t *)data;
}

bnd_status run_until(bnd_record *out, const bnd_task *task, uint64_t steps, bnd_error *why)
{
    return bndi_study_run(out, task, 1, NULL, &replaying, until, &steps, why);
}

bnd_record whole_run(void)
{
    bnd_task task = task_in(NULL);
    bnd_record r;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
    return r;
}

void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "ab");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(text, file);
    fclose(file);
}

/* Stopped after every number of steps, and gone on with: the same record, and the same directory. */
static void test_stopped(void)
{
    char path[PATH_SIZE];
    bnd_record expected = whole_run(), r;
    bnd_error why;
    for (uint64_t stop = 1; stop <= STEPS; stop++) {
        open_folder();
        bnd_task task = task_in(in_folder(path, "run"));
        CU_ASSERT_TRUE(succeeds(run_until(&r, &task, stop, &why), &why));
        CU_ASSERT_TRUE(r.count == stop && r.complete == (stop == STEPS));
        bnd_record_close(&r);
        CU_ASSERT_TRUE(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
        CU_ASSERT_TRUE(same_records(&expected, &r, false));
        bnd_record_close(&r);
        CU_ASSERT_TRUE(succeeds(bnd_record_read(&r, path, &why), &why));
        CU_ASSERT_TRUE(same_records(&expected, &r, false));
        bnd_record_close(&r);
        close_folder();
    }
    bnd_record_close(&expected);
}

/* Where a complete run keeps no checkpoint, one that is stopped has one, from which it goes on to the same record; and
 * killed before the summary is there, it begins again. */
static void test_dropped(void)
{
    char path[PATH_SIZE], checkpoint[PATH_SIZE], summary[PATH_SIZE];
    bnd_record expected = whole_run(), r;
    bnd_error why;
    for (uint64_t stop = 1; stop <= STEPS; stop += EVERY / 2) {
        open_folder();
        bnd_task task = task_in(in_folder(path, "run"));
        task.drops_checkpoint = true;
        in_folder(checkpoint, "run/checkpoint.safetensors");
        CU_ASSERT_TRUE(succeeds(run_until(&r, &task, stop, &why), &why));
        CU_ASSERT_EQUAL(access(checkpoint, F_OK), 0);
        bnd_record_close(&r);
        for (int again = 0; again < 2; again++) {
            CU_ASSERT_TRUE(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
            CU_ASSERT_TRUE(same_records(&expected, &r, false));
            CU_ASSERT_NOT_EQUAL(access(checkpoint, F_OK), 0);
            CU_ASSERT_EQUAL(unlink(in_folder(summary, "run/summary.json")), 0);
            bnd_record_close(&r);
        }
        close_folder();
    }
    bnd_record_close(&expected);
}

/* Killed: lines behind the checkpoint, the last of them cut anywhere; and before the first checkpoint. */
static void test_killed(void)
{
    char path[PATH_SIZE], metrics[PATH_SIZE], checkpoint[PATH_SIZE];
    bnd_record expected = whole_run(), r;
    bnd_error why;
    size_t length, kept;
    for (uint64_t variant = 0; variant < 16; variant++) {
        uint64_t stop = 4 + variant;
        open_folder();
        bnd_task task = task_in(in_folder(path, "run"));
        in_folder(metrics, "run/metrics.jsonl");
        in_folder(checkpoint, "run/checkpoint.safetensors");
        CU_ASSERT_TRUE(succeeds(run_until(&r, &task, stop, &why), &why));
        bnd_record_close(&r);
        if (stop < EVERY) { /* the checkpoint is that of the last whole number of intervals, or there is none */
            CU_ASSERT_EQUAL(unlink(checkpoint), 0);
        } else {
            char text[32];
            snprintf(text, sizeof text, "%llu\n", (unsigned long long)(stop / EVERY * EVERY));
            write_file(checkpoint, text, strlen(text));
        }
        char *lines = read_file(&length, metrics);
        const char *last = lines + length - 1;
        while (last > lines && last[-1] != '\n') {
            last--;
        }
        kept = (size_t)(last - lines) + (variant % 4) * ((size_t)(lines + length - last) / 4);
        bool loses = stop % EVERY == 0 && stop >= EVERY; /* a line that the checkpoint says is there */
        write_file(metrics, lines, loses ? length : kept);
        append(metrics, loses ? "{\"step\": 99, \"loss\": " : "");
        free(lines);
        CU_ASSERT_TRUE(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
        CU_ASSERT_TRUE(same_records(&expected, &r, false));
        bnd_record_close(&r);
        CU_ASSERT_TRUE(succeeds(bnd_record_read(&r, path, &why), &why));
        CU_ASSERT_TRUE(same_records(&expected, &r, false));
        bnd_record_close(&r);
        close_folder();
    }
    bnd_record_close(&expected);
}

static bool count_calls(void *data, size_t task, const bnd_record *so_far)
{
    (void)task;
    ++*(uint64_t *)data;
    return so_far->complete;
}

/* A run that is complete is read, not made again; whoever watches is told once. */
static void test_complete(void)
{
    char path[PATH_SIZE], checkpoint[PATH_SIZE];
    bnd_record a, b;
    bnd_error why;
    uint64_t calls = 0;
    open_folder();
    bnd_task task = task_in(in_folder(path, "run"));
    CU_ASSERT_TRUE(succeeds(run_until(&a, &task, UINT64_MAX, &why), &why));
    CU_ASSERT_TRUE(succeeds(bndi_study_run(&b, &task, 1, NULL, &replaying, count_calls, &calls, &why), &why));
    CU_ASSERT_TRUE(same_records(&a, &b, true));
    CU_ASSERT_EQUAL(calls, 1);
    write_file(in_folder(checkpoint, "run/checkpoint.safetensors"), "x", 1); /* it is damaged before it is needed */
    CU_ASSERT_EQUAL(bndi_study_run(&b, &task, 1, NULL, &replaying, NULL, NULL, &why), BND_BAD_FILE);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "checkpoint.safetensors: is no number of steps"));
    bnd_record_close(&a);
    bnd_record_close(&b);
    close_folder();
}

/* Nobody overwrites, mixes or guesses. */
static void test_refused(void)
{
    char path[PATH_SIZE], other[PATH_SIZE], text[PATH_SIZE];
    bnd_record r;
    bnd_error why;
    size_t length;
    open_folder();
    bnd_task task = task_in(in_folder(path, "run"));
    CU_ASSERT_TRUE(succeeds(run_until(&r, &task, 8, &why), &why));
    bnd_record_close(&r);
    char *before = read_file(&length, in_folder(other, "run/metrics.jsonl"));
    const struct {
        const char *says;
        bnd_status status;
    } cases[] = {
        {"already holds a run", BND_BAD_ARGUMENT},
        {"\"lr\" is 0.001 there, not 0.002", BND_BAD_ARGUMENT},
        {"\"seed_data\" is 103 there, not 7", BND_BAD_ARGUMENT},
        {"\"recipe\" is \"bf16-sr\" there, not \"fp16-pure\"", BND_BAD_ARGUMENT},
        {"\"steps\" is 20 there, not 10", BND_BAD_ARGUMENT},
        {"\"switch_at\" is not set there, not 9", BND_BAD_ARGUMENT},
        {"config.json: is damaged: line 1, column 1", BND_BAD_FILE},
        {"config.json: cannot be opened", BND_BAD_STREAM},
        {"checkpoint.safetensors: is no number of steps", BND_BAD_FILE},
        {"metrics.jsonl: has 8 steps; expected 12", BND_BAD_FILE},
        {"metrics.jsonl: line 1: ", BND_BAD_FILE},
        {"metrics.jsonl: another run is writing to it", BND_BAD_STREAM},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_task t = task_in(path);
        int fd = -1;
        t.resume = i != 0;
        t.training.lr = i == 1 ? 0.002 : 0.001;
        t.training.seed_data = i == 2 ? 7 : 103;
        t.training.steps = i == 4 ? 10 : STEPS;
        t.switches = i == 5;
        t.switch_at = 9;
        t.switch_to = t.training.policy;
        if (i == 3) {
            CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&t.training.policy, "fp16-pure", &why), &why));
            t.recipe = "bf16-sr";
        }
        if (i == 6) {
            CU_ASSERT_EQUAL(rename(in_folder(other, "run/config.json"), in_folder(text, "kept")), 0);
            write_file(other, "no JSON", 7);
        } else if (i == 7) {
            CU_ASSERT_EQUAL(unlink(in_folder(other, "run/config.json")), 0);
        } else if (i == 8) {
            CU_ASSERT_EQUAL(rename(in_folder(text, "kept"), in_folder(other, "run/config.json")), 0);
            write_file(in_folder(other, "run/checkpoint.safetensors"), "what?", 5);
        } else if (i == 9) {
            write_file(in_folder(other, "run/checkpoint.safetensors"), "12\n", 3);
        } else if (i == 10) {
            write_file(in_folder(other, "run/checkpoint.safetensors"), "8\n", 2);
            write_file(in_folder(other, "run/metrics.jsonl"), "garbage\n", 8);
        } else if (i == 11) {
            write_file(other, before, length);
            CU_ASSERT_TRUE_FATAL(succeeds(bndi_metrics_open(&fd, path, length, &why), &why));
        }
        bnd_status status = run_until(&r, &t, UINT64_MAX, &why);
        if (status != cases[i].status || strstr(why.message, cases[i].says) == NULL) {
            printf("\n    %zu: %d %s\n", i, (int)status, why.message);
        }
        CU_ASSERT_EQUAL(status, cases[i].status);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, cases[i].says));
        if (fd >= 0) {
            bndi_metrics_close(fd);
            bnd_record_close(&r);
        }
    }
    size_t now;
    char *after = read_file(&now, in_folder(other, "run/metrics.jsonl"));
    CU_ASSERT_TRUE(now == length && memcmp(before, after, length) == 0);
    task.checkpoint_every = 1; /* that may be another */
    CU_ASSERT_TRUE(succeeds(run_until(&r, &task, UINT64_MAX, &why), &why));
    CU_ASSERT_TRUE(r.complete);
    bnd_record_close(&r);
    free(before);
    free(after);
    close_folder();
}

/* The checkpoint of a run that differs in one thing is not gone on from, and nothing is written; but other steps
 * are no other run. */
static void test_of_another_run(void)
{
    static const struct {
        const char *says;
        size_t at;
        double real;    /* 0: */
        uint64_t whole; /* a seed */
        bool good;
    } cases[] = {
        {"\"lr\" is 0.5 there, not 0.001", offsetof(bnd_training, lr), 0.5, 0, false},
        {"\"beta1\" is 0.5 there", offsetof(bnd_training, beta1), 0.5, 0, false},
        {"\"beta2\" is 0.5 there", offsetof(bnd_training, beta2), 0.5, 0, false},
        {"\"epsilon\" is 0.5 there", offsetof(bnd_training, epsilon), 0.5, 0, false},
        {"\"weight_decay\" is 0.5 there", offsetof(bnd_training, weight_decay), 0.5, 0, false},
        {"\"seed_init\" is 9 there, not 3", offsetof(bnd_training, seed_init), 0, 9, false},
        {"\"seed_data\" is 9 there, not 103", offsetof(bnd_training, seed_data), 0, 9, false},
        {"\"seed_rounding\" is 9 there", offsetof(bnd_training, seed_rounding), 0, 9, false},
        {"", offsetof(bnd_training, steps), 0, 9, true},
        {"\"batch\" is 5 there, not 4", 0, 0, 0, false},
        {"\"schedule\" is \"cosine\" there", 0, 0, 0, false},
        {"its recipe is fp32, not bf16-sr", 0, 0, 0, false},
    };
    enum { CASES = sizeof cases / sizeof cases[0] };
    char path[PATH_SIZE], checkpoint[PATH_SIZE], metrics[PATH_SIZE];
    bnd_record r;
    bnd_error why = {.message = ""};
    uint64_t steps = 8;
    size_t length;
    for (size_t i = 0; i < CASES; i++) {
        open_folder();
        bnd_task task = task_in(in_folder(path, "run"));
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_study_run(&r, &task, 1, NULL, until, &steps, &why), &why));
        bnd_record_close(&r);
        bnd_training t = task.training;
        char *at = (char *)&t + cases[i].at;
        if (cases[i].real != 0) {
            memcpy(at, &cases[i].real, sizeof cases[i].real);
        } else if (cases[i].at != 0) {
            memcpy(at, &cases[i].whole, sizeof cases[i].whole);
        }
        t.batch = i == CASES - 3 ? 5 : t.batch;
        if (i == CASES - 2) {
            strcpy(t.schedule, "cosine");
        }
        if (i == CASES - 1) {
            CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&t.policy, "fp32", &why), &why));
        }
        bnd_run *other;
        bnd_step step;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&other, &t, NULL, &why), &why));
        for (unsigned k = 0; k < 8; k++) {
            CU_ASSERT_TRUE(succeeds(bnd_run_step(&step, other, &why), &why));
        }
        in_folder(checkpoint, "run/checkpoint.safetensors");
        CU_ASSERT_TRUE(succeeds(bnd_run_save(other, checkpoint, &why), &why));
        bnd_run_free(other);
        bnd_status status = bnd_study_run(&r, &task, 1, NULL, NULL, NULL, &why);
        if (cases[i].good) {
            CU_ASSERT_TRUE(succeeds(status, &why));
            bnd_record_close(&r);
        } else {
            if (status != BND_BAD_ARGUMENT || strstr(why.message, cases[i].says) == NULL) {
                printf("\n    %zu: %d %s\n", i, (int)status, why.message);
            }
            CU_ASSERT_EQUAL(status, BND_BAD_ARGUMENT);
            CU_ASSERT_PTR_NOT_NULL(strstr(why.message, cases[i].says));
            char *lines = read_file(&length, in_folder(metrics, "run/metrics.jsonl"));
            CU_ASSERT_PTR_NULL(strstr(lines, "\"step\": 8"));
            CU_ASSERT_PTR_NOT_NULL(strstr(lines, "\"step\": 7"));
            free(lines);
        }
        close_folder();
    }
}

/* Two tasks, one directory: the second finds the first writing, or its run. */
static void test_one_directory_twice(void)
{
    char path[PATH_SIZE];
    bnd_record r[2];
    bnd_error why;
    open_folder();
    bnd_task tasks[2] = {task_in(in_folder(path, "run")), task_in(path)};
    bnd_context two = {.threads = 2};
    CU_ASSERT_EQUAL(bndi_study_run(r, tasks, 2, &two, &replaying, NULL, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "two runs"));
    close_folder();
}

CU_TestInfo resume_tests[] = {
    {"stopped", test_stopped},
    {"dropped", test_dropped},
    {"killed", test_killed},
    {"complete", test_complete},
    {"refused", test_refused},
    {"one directory twice", test_one_directory_twice},
    {"of another run", test_of_another_run},
    CU_TEST_INFO_NULL,
};
