/* Runs that are killed, really: SIGKILL at random moments, and gone on with, to the same bits. */
#define _POSIX_C_SOURCE 200809L
#include "tests.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 48, KILLS = 20 };

static bnd_task task_in(const char *directory, const char *recipe)
{
    bnd_training t = small_training("mlp", recipe, 5, STEPS);
    bnd_task task;
    bnd_task_default(&task, &t);
    task.directory = directory;
    task.resume = task.statistics = true;
    task.checkpoint_every = 3;
    task.validate_every = 7;
    task.validation_batches = 1;
    return task;
}

/* From fp16-amp to bf16-kahan on the way. */
static bnd_task switching_task(const char *directory)
{
    bnd_task task = task_in(directory, "fp16-amp");
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_policy_parse(&task.switch_to, "bf16-kahan", &why), &why));
    task.switches = true;
    task.switch_at = STEPS / 2 + 1;
    return task;
}

static bool run(const bnd_task *task)
{
    bnd_record r;
    bnd_error why;
    bool done = succeeds(bnd_study_run(&r, task, 1, NULL, NULL, NULL, &why), &why);
    if (done) {
        done = r.complete;
        bnd_record_close(&r);
    }
    return done;
}

static uint64_t nanoseconds_now(void)
{
    struct timespec t;
    CU_ASSERT_EQUAL_FATAL(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Was it killed before its end? */
static bool run_and_kill(const bnd_task *task, uint64_t after)
{
    int how = 0;
    fflush(stdout);
    pid_t child = fork();
    CU_ASSERT_NOT_EQUAL_FATAL(child, -1);
    if (child == 0) {
        _exit(run(task) ? 0 : 1);
    }
    struct timespec t = {.tv_sec = (time_t)(after / 1000000000), .tv_nsec = (long)(after % 1000000000)};
    nanosleep(&t, NULL);
    kill(child, SIGKILL);
    CU_ASSERT_EQUAL_FATAL(waitpid(child, &how, 0), child);
    CU_ASSERT_TRUE(WIFSIGNALED(how) || WEXITSTATUS(how) == 0); /* it never refused what was left */
    return WIFSIGNALED(how);
}

/* The bytes but for the times: what stands behind such a key up to the next comma or the end of the object. */
static size_t without_times(char *text, size_t length)
{
    static const char *const keys[] = {"\"time/step\":", "\"seconds_per_step\":"};
    size_t kept = 0;
    for (size_t i = 0; i < length;) {
        bool is_time = false;
        for (size_t k = 0; k < 2; k++) {
            is_time = is_time || strncmp(text + i, keys[k], strlen(keys[k])) == 0;
        }
        i += is_time ? strcspn(text + i, ",}") : 0;
        text[kept++] = text[i++];
    }
    return kept;
}

static void check_same(const char *name)
{
    char path[PATH_SIZE], a_name[64], b_name[64];
    size_t a_length, b_length;
    snprintf(a_name, sizeof a_name, "a/%s", name);
    snprintf(b_name, sizeof b_name, "b/%s", name);
    char *a = read_file(&a_length, in_folder(path, a_name)), *b = read_file(&b_length, in_folder(path, b_name));
    a_length = strstr(name, "json") != NULL ? without_times(a, a_length) : a_length;
    b_length = strstr(name, "json") != NULL ? without_times(b, b_length) : b_length;
    bool same = a_length == b_length && memcmp(a, b, a_length) == 0;
    for (size_t i = 0; !same && i < a_length; i++) {
        if (a[i] != b[i]) {
            size_t from = i > 200 ? i - 200 : 0;
            printf("\n    %s differs at %zu: %.300s\n    and %.300s\n", name, i, a + from, b + from);
            break;
        }
    }
    CU_ASSERT_TRUE(same);
    free(a);
    free(b);
}

/* Killed `kills` times on its way; where it comes to its end before that, it begins again. */
static unsigned check_killed(bnd_task *task, unsigned kills, uint64_t seed)
{
    char a[PATH_SIZE], b[PATH_SIZE];
    unsigned killed = 0;
    open_folder();
    task->directory = in_folder(a, "a");
    uint64_t start = nanoseconds_now();
    CU_ASSERT_TRUE(run(task));
    uint64_t time = nanoseconds_now() - start;
    task->directory = in_folder(b, "b");
    for (unsigned i = 0; i < kills; i++) {
        killed += run_and_kill(task, bnd_random(seed, i, 0) % (time / 2 + 1));
    }
    CU_ASSERT_TRUE(run(task));
    check_same("config.json");
    check_same("metrics.jsonl");
    check_same("summary.json");
    check_same("checkpoint.safetensors");
    close_folder();
    return killed;
}

static void test_killed(void)
{
    static const char *const recipes[] = {"fp32", "fp16-amp", "bf16-sr", "bf16-kahan", "fp8-delayed", "fp8-lm"};
    enum { RECIPES = sizeof recipes / sizeof recipes[0] };
    unsigned killed = 0;
    for (unsigned i = 0; i < RECIPES; i++) {
        bnd_task task = task_in(NULL, recipes[i]);
        killed += check_killed(&task, KILLS / RECIPES, i);
    }
    bnd_task task = switching_task(NULL);
    killed += check_killed(&task, KILLS - KILLS / RECIPES * RECIPES, RECIPES);
    CU_ASSERT_TRUE(killed >= KILLS / 2); /* the others had come to their end */
}

static bool until_behind_the_switch(void *data, size_t task, const bnd_record *so_far)
{
    (void)data;
    (void)task;
    return so_far->count < STEPS / 2 + 4;
}

/* What had its peak under the recipe that is not there any more is still in the log. */
static void test_stopped_behind_a_switch(void)
{
    char a[PATH_SIZE], b[PATH_SIZE];
    bnd_record r;
    bnd_error why;
    open_folder();
    bnd_task whole = switching_task(in_folder(a, "a")), parts = switching_task(in_folder(b, "b"));
    CU_ASSERT_TRUE(run(&whole));
    CU_ASSERT_TRUE(succeeds(bnd_study_run(&r, &parts, 1, NULL, until_behind_the_switch, NULL, &why), &why));
    CU_ASSERT_TRUE(!r.complete && r.count == STEPS / 2 + 4);
    bnd_record_close(&r);
    CU_ASSERT_TRUE(run(&parts));
    check_same("metrics.jsonl");
    check_same("summary.json");
    check_same("checkpoint.safetensors");
    close_folder();
}

/* What was half written when it was killed goes when the run goes on; what is not the run's stays. */
static void test_left_behind(void)
{
    static const struct {
        const char *name;
        bool stays;
    } files[] = {{"b/checkpoint.safetensors.0123abcd.part", false},
                 {"b/summary.json.00000000.part", false},
                 {"b/config.json.ffffffff.part", false},
                 {"b/checkpoint.safetensors.0123abcg.part", true},
                 {"b/checkpoint.safetensors.0123abcd0.part", true},
                 {"b/checkpoint.safetensors.0123abcd.parts", true},
                 {"b/other.0123abcd.part", true},
                 {"b/metrics.jsonl.0123abcd.part", true}};
    char b[PATH_SIZE], path[PATH_SIZE];
    bnd_record r;
    bnd_error why;
    open_folder();
    bnd_task task = task_in(in_folder(b, "b"), "fp32");
    CU_ASSERT_TRUE(succeeds(bnd_study_run(&r, &task, 1, NULL, until_behind_the_switch, NULL, &why), &why));
    bnd_record_close(&r);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_file(in_folder(path, files[i].name), "x", 1);
    }
    CU_ASSERT_TRUE(run(&task));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        CU_ASSERT_EQUAL(access(in_folder(path, files[i].name), F_OK) == 0, files[i].stays);
    }
    close_folder();
}

CU_TestInfo killed_tests[] = {
    {"killed, and gone on with", test_killed},
    {"stopped behind a switch", test_stopped_behind_a_switch},
    {"left behind", test_left_behind},
    CU_TEST_INFO_NULL,
};
