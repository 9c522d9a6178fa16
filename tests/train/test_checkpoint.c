/* Runs on the disk and under other recipes: the same bits where nothing is rounded, one rounding where something is,
 * and refusals that leave the run as it was. */
#define _POSIX_C_SOURCE 200809L
#include <CUnit/CUnit.h>
#include <binade/train.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/oracle/operands.h"
#include "tests/suites.h"

static bool succeeds(bnd_status status, const bnd_error *why)
{
    if (status != BND_OK) {
        printf("\n    refused: %s\n", why->message);
    }
    return status == BND_OK;
}

/* ---- files ---- */

enum { PATH_SIZE = 256 };
static char folder[PATH_SIZE];

static const char *in_folder(char path[PATH_SIZE], const char *name)
{
    snprintf(path, PATH_SIZE, "%.200s/%.40s", folder, name);
    return path;
}

static void open_folder(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.180s/binade-checkpoint-XXXXXX", base != NULL ? base : "/tmp");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

static void close_folder(void)
{
    static const char *const names[] = {"a", "b", "c"};
    char path[PATH_SIZE];
    for (size_t i = 0; i < 3; i++) {
        unlink(in_folder(path, names[i]));
    }
    CU_ASSERT_EQUAL(rmdir(folder), 0);
}

typedef struct bytes {
    unsigned char *at;
    size_t size;
} bytes;

static bytes read_file(const char *name)
{
    char path[PATH_SIZE];
    FILE *file = fopen(in_folder(path, name), "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL_FATAL(fseek(file, 0, SEEK_END), 0);
    bytes b = {.size = (size_t)ftell(file)};
    rewind(file);
    b.at = malloc(b.size + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b.at);
    CU_ASSERT_EQUAL_FATAL(fread(b.at, 1, b.size, file), b.size);
    fclose(file);
    return b;
}

__attribute__((unused)) static void write_file(const char *name, const void *at, size_t size)
{
    char path[PATH_SIZE];
    FILE *file = fopen(in_folder(path, name), "wb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL_FATAL(fwrite(at, 1, size, file), size);
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
}

/* ---- runs ---- */

static bnd_training training_of(const char *model, const char *optimizer, const char *recipe)
{
    bnd_training t;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_training_default(&t, model, optimizer, recipe, &why), &why));
    t.seed_init = 1;
    t.seed_data = 2;
    t.seed_rounding = UINT64_MAX - 3; /* all 64 bits are kept */
    t.batch = 4;
    if (strcmp(model, "mlp") == 0) {
        t.inputs = 12;
        t.width = 72; /* 5184 weights: more than dynamic codes ask for, and blocks that are not full */
    }
    return t;
}

static bnd_run *run_of(const bnd_training *t)
{
    bnd_run *run = NULL;
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_new(&run, t, NULL, &why), &why));
    return run;
}

static void step(bnd_run *run, unsigned n)
{
    bnd_step out;
    bnd_error why;
    for (unsigned i = 0; i < n; i++) {
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_step(&out, run, &why), &why));
    }
}

static void save(const bnd_run *run, const char *name)
{
    char path[PATH_SIZE];
    bnd_error why;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_save(run, in_folder(path, name), &why), &why));
}

static bnd_status load(bnd_run *run, const char *name, bnd_error *why)
{
    char path[PATH_SIZE];
    return bnd_run_load(run, in_folder(path, name), why);
}

static bool same_files(const char *a, const char *b)
{
    bytes x = read_file(a), y = read_file(b);
    bool same = x.size == y.size && memcmp(x.at, y.at, x.size) == 0;
    free(x.at);
    free(y.at);
    return same;
}

/* Saving says everything that a run keeps: runs are the same where their files are. */
static bool same_runs(const bnd_run *a, const bnd_run *b)
{
    save(a, "b");
    save(b, "c");
    return same_files("b", "c");
}

/* Under every recipe, and with every optimizer: saved, loaded into a run that has gone elsewhere, and on. */
static void check_resumed(const char *model, const char *optimizer, const char *recipe)
{
    bnd_training t = training_of(model, optimizer, recipe);
    bnd_run *a = run_of(&t), *b = run_of(&t);
    bnd_error why;
    step(a, 2);
    save(a, "a");
    CU_ASSERT_TRUE(succeeds(load(b, "a", &why), &why));
    bool loaded = same_runs(a, b);
    step(a, 2);
    step(b, 2);
    bool resumed = same_runs(a, b);
    CU_ASSERT_TRUE(succeeds(load(b, "a", &why), &why)); /* back from where it went on */
    step(b, 2);
    bool again = same_runs(a, b);
    if (!loaded || !resumed || !again) {
        printf("\n    %s, %s, %s: not the same bits\n", model, optimizer, recipe);
    }
    CU_ASSERT_TRUE(loaded && resumed && again);
    bnd_run_free(a);
    bnd_run_free(b);
}

static void test_resumed(void)
{
    open_folder();
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        check_resumed("mlp", "adamw", bnd_recipe_name(i));
    }
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        check_resumed("mlp", bnd_optimizer_name(i), "bf16-pure");
    }
    for (size_t i = 0; i < bnd_model_count(); i++) {
        check_resumed(bnd_model_name(i), "adafactor", "bf16-kahan");
    }
    check_resumed("mlp", "adamw",
                  "base=bf16-sr,v=e4m3:sr/tensor,m=e2m3/mx:floor,extra=e6m9,update=kahan,optimizer=fused");
    close_folder();
}

/* ---- under another recipe ---- */

/* Another recipe, in mid-run and by a file: the same. */
static void check_switched(const char *from, const char *to)
{
    bnd_training t = training_of("mlp", "adamw", from), u = training_of("mlp", "adamw", to);
    bnd_run *a = run_of(&t), *b = run_of(&u);
    bnd_error why;
    step(a, 3);
    save(a, "a");
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(a, &u.policy, &why), &why));
    CU_ASSERT_TRUE(succeeds(load(b, "a", &why), &why));
    bool switched = same_runs(a, b);
    step(a, 2);
    step(b, 2);
    bool on = same_runs(a, b);
    if (!switched || !on) {
        printf("\n    %s to %s: not the same bits\n", from, to);
    }
    CU_ASSERT_TRUE(switched && on);
    CU_ASSERT_STRING_EQUAL(bnd_run_training(b)->policy.name, u.policy.name);
    bnd_run_free(a);
    bnd_run_free(b);
}

/* From every recipe to the next but two, so that all are left and reached, and to fp32 and back. */
static void test_switched(void)
{
    size_t n = bnd_recipe_count();
    open_folder();
    for (size_t i = 0; i < n; i++) {
        check_switched(bnd_recipe_name(i), bnd_recipe_name((i + 3) % n));
        check_switched(bnd_recipe_name(i), "fp32");
        check_switched("bf16-amp", bnd_recipe_name(i));
    }
    close_folder();
}

static CU_TestInfo checkpoint_tests[] = {
    {"resumed", test_resumed},
    {"switched", test_switched},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("checkpoint", checkpoint_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
