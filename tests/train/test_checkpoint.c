/* Runs on the disk and under other recipes: the same bits where nothing is rounded, one rounding where something is,
 * and refusals that leave the run as it was. */
#define _POSIX_C_SOURCE 200809L
#include <CUnit/CUnit.h>
#include <binade-lab/train.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/folder.h"
#include "tests/support/operands.h"
#include "tests/support/outcome.h"
#include "tests/support/suites.h"

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

typedef struct bytes {
    char *at;
    size_t size;
} bytes;

static bytes bytes_of(const char *name)
{
    char path[PATH_SIZE];
    bytes b;
    b.at = read_file(&b.size, in_folder(path, name));
    return b;
}

static void put(const char *name, const void *at, size_t size)
{
    char path[PATH_SIZE];
    write_file(in_folder(path, name), at, size);
}

static bool same_files(const char *a, const char *b)
{
    bytes x = bytes_of(a), y = bytes_of(b);
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
    check_resumed("transformer", "muon", "bf16-amp");
    check_resumed("mlp", "adam-mini", "base=bf16-pure,reset=m:3/v:2");
    check_resumed("mlp", "muon", "m=fp32/linear:256,v=fp32/ulinear:256");
    check_resumed("transformer", "adam-mini", "base=bf16-sr,v=e4m3:sr/tensor");
    check_resumed("mlp", "adam-mini", "param=e4m3:sr/row,update=eco,m=fp32/dynamic:256");
    check_resumed("mlp", "adamw", "param=e4m3:sr/row,update=eco,m=fp32/dynamic:256");
    check_resumed("mlp", "muon", "base=bf16-sr,m=fp32/dynamic:256,ns=e4m3:sr/delayed:4");
    check_resumed("mlp", "adamw", "base=bf16-kahan,v=e4m3:sr/tensor,m=e2m3/mx:floor,extra=e6m9,optimizer=fused");
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

/* The same recipe, said otherwise, changes nothing. */
static void test_same_recipe(void)
{
    bnd_training t = training_of("mlp", "adamw", "bf16-kahan");
    bnd_run *run = run_of(&t);
    bnd_policy same;
    bnd_error why;
    open_folder();
    step(run, 2);
    save(run, "a");
    CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&same, "bf16-kahan", &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &same, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &bnd_run_training(run)->policy, &why), &why));
    save(run, "b");
    CU_ASSERT_TRUE(same_files("a", "b"));
    bnd_run_free(run);
    close_folder();
}

/* Numbers of a part, all parameters one after the other. */
enum { MOST = 1 << 16 };
static size_t numbers_of(double *x, const bnd_run *run, bnd_role part)
{
    size_t n = 0;
    for (size_t i = 0; i < bnd_run_parameters(run); i++) {
        bnd_tensor *t = bnd_run_parameter(run, i, part);
        size_t count = t != NULL ? bnd_tensor_count(t) : 0;
        CU_ASSERT_TRUE_FATAL(n + count <= MOST);
        CU_ASSERT_TRUE_FATAL(t == NULL || bnd_tensor_read_f64(x + n, count, t, NULL) == BND_OK);
        n += count;
    }
    return n;
}

/* What `part` has after the switch is what `source` had before, rounded once by the core's own encoder. */
static void check_rounded(const char *from, const char *to, bnd_role source, bnd_role part, const char *format)
{
    static double before[MOST], after[MOST];
    bnd_training t = training_of("mlp", "adamw", from), u = training_of("mlp", "adamw", to);
    bnd_run *run = run_of(&t);
    bnd_format f;
    bnd_error why;
    size_t wrong = 0, inexact = 0;
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_format_parse(&f, format, &why), &why));
    step(run, 3);
    size_t n = numbers_of(before, run, source);
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &u.policy, &why), &why));
    CU_ASSERT_EQUAL_FATAL(numbers_of(after, run, part), n);
    CU_ASSERT_TRUE(n > 5000);
    for (size_t i = 0; i < n; i++) {
        double expected = bnd_decode(&f, bnd_encode(&f, before[i], (bnd_rule){.rounding = BND_ROUND_RNE}, 0).code);
        wrong += expected != after[i];
        inexact += expected != before[i];
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_TRUE(inexact > n / 2 || strcmp(format, "fp32") == 0);
    bnd_run_free(run);
}

static void test_rounded_once(void)
{
    check_rounded("fp32", "bf16-pure", BND_ROLE_PARAM, BND_ROLE_PARAM, "bf16");
    check_rounded("fp32", "bf16-pure", BND_ROLE_M, BND_ROLE_M, "bf16");
    check_rounded("fp32", "bf16-pure", BND_ROLE_V, BND_ROLE_V, "bf16");
    check_rounded("fp32", "base=fp32,v=e5m2", BND_ROLE_V, BND_ROLE_V, "e5m2");
    check_rounded("fp32", "bf16-sr", BND_ROLE_PARAM, BND_ROLE_PARAM, "bf16"); /* to nearest, though it rounds so */
    check_rounded("bf16-master", "fp16-pure", BND_ROLE_MASTER, BND_ROLE_PARAM, "fp16"); /* not of the parameter */
    check_rounded("bf16-master", "fp32", BND_ROLE_MASTER, BND_ROLE_PARAM, "fp32");
    check_rounded("fp32", "bf16-master", BND_ROLE_PARAM, BND_ROLE_MASTER, "fp32");
    check_rounded("fp32", "bf16-master", BND_ROLE_PARAM, BND_ROLE_PARAM, "bf16");
    check_rounded("fp8-block", "bf16-pure", BND_ROLE_MASTER, BND_ROLE_PARAM, "bf16"); /* out of what shares scales */
}

/* The weight that a compensation stands for, W - c, stays what it was, but for one rounding of c. */
static void check_compensated(const char *to, double unit)
{
    static double before[2][MOST], after[2][MOST];
    bnd_training t = training_of("mlp", "adamw", "bf16-kahan"), u = training_of("mlp", "adamw", to);
    bnd_run *run = run_of(&t);
    bnd_error why;
    size_t wrong = 0, compensated = 0;
    step(run, 3);
    size_t n = numbers_of(before[0], run, BND_ROLE_PARAM);
    CU_ASSERT_EQUAL_FATAL(numbers_of(before[1], run, BND_ROLE_EXTRA), n);
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &u.policy, &why), &why));
    CU_ASSERT_EQUAL_FATAL(numbers_of(after[0], run, BND_ROLE_PARAM), n);
    CU_ASSERT_EQUAL_FATAL(numbers_of(after[1], run, BND_ROLE_EXTRA), n);
    for (size_t i = 0; i < n; i++) {
        double was = before[0][i] - before[1][i], is = after[0][i] - after[1][i];
        wrong += fabs(is - was) > unit * fabs(after[1][i]);
        compensated += after[1][i] != 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_TRUE(compensated > n / 2);
    bnd_run_free(run);
}

static void test_compensated(void)
{
    check_compensated("bf16-kahan-pure", 0);
    check_compensated("base=bf16-kahan,extra=fp32,param=fp16", 0x1p-24);
    check_compensated("base=bf16-kahan,param=e4m3", 0x1p-8);
    check_compensated("base=bf16-kahan,param=fp16,extra=bf16/row", 0x1p-4); /* of scaled ones, of the row's largest */
}

/* A dynamic scale goes on under another dynamic one, and begins under a first one. */
static void test_loss_scale(void)
{
    bnd_training t = training_of("mlp", "adamw", "base=fp16-amp,loss_scale=dynamic:1024:2");
    bnd_run *run = run_of(&t);
    bnd_policy fixed, other;
    bnd_step out;
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&other, "base=bf16-amp,loss_scale=dynamic:4:2", &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&fixed, "base=bf16-amp,loss_scale=16", &why), &why));
    step(run, 3); /* 1024, doubled after two */
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &other, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_step(&out, run, &why), &why));
    CU_ASSERT_EQUAL(out.loss_scale, 2048);
    CU_ASSERT_TRUE(succeeds(bnd_run_step(&out, run, &why), &why));
    CU_ASSERT_EQUAL(out.loss_scale, 4096); /* the good step before the switch has counted */
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &fixed, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_step(&out, run, &why), &why));
    CU_ASSERT_EQUAL(out.loss_scale, 16);
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &other, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_run_step(&out, run, &why), &why));
    CU_ASSERT_EQUAL(out.loss_scale, 4);
    CU_ASSERT_EQUAL(out.step, 6);
    bnd_run_free(run);
}

/* What both keep for a moment is in no peak. */
static void test_peaks(void)
{
    bnd_training t = training_of("mlp", "adamw", "fp32"), u = training_of("mlp", "adamw", "bf16-pure");
    bnd_run *run = run_of(&t);
    bnd_account before, after;
    bnd_error why;
    step(run, 1);
    bnd_engine_account(&before, bnd_run_engine(run));
    CU_ASSERT_TRUE(succeeds(bnd_run_switch(run, &u.policy, &why), &why));
    bnd_engine_account(&after, bnd_run_engine(run));
    CU_ASSERT_EQUAL(after.bytes_peak, before.bytes_peak);
    CU_ASSERT_EQUAL(memcmp(after.peak_by_role, before.peak_by_role, sizeof after.peak_by_role), 0);
    CU_ASSERT_EQUAL(2 * after.bytes[BND_ROLE_PARAM], before.bytes[BND_ROLE_PARAM]);
    CU_ASSERT_EQUAL(2 * after.bytes[BND_ROLE_V], before.bytes[BND_ROLE_V]);
    bnd_run_free(run);
}

/* ---- what is refused ---- */

/* Refused with these words, and the run is what it was. */
static void check_refused(bnd_run *run, bnd_status expected, const char *says)
{
    bnd_error why = {.message = ""};
    save(run, "b");
    bnd_status status = load(run, "a", &why);
    save(run, "c");
    if (status != expected || strstr(why.message, says) == NULL) {
        printf("\n    %d: %s\n", (int)status, why.message);
    }
    CU_ASSERT_EQUAL(status, expected);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, says));
    CU_ASSERT_TRUE(same_files("b", "c"));
}

static void test_other_runs(void)
{
    const struct {
        const char *says;
        bnd_training t;
    } cases[] = {
        {"its model is mlp, not transformer", training_of("transformer", "adamw", "fp32")},
        {"its optimizer is adamw, not lion", training_of("mlp", "lion", "fp32")},
        {"its width is 72, not 16", training_of("mlp", "adamw", "bf16-pure")},
        {"its inputs is 12, not 13", training_of("mlp", "adamw", "bf16-pure")},
        {"its seed_data is 2, not 9", training_of("mlp", "adamw", "fp32")},
    };
    bnd_training t = training_of("mlp", "adamw", "fp32");
    bnd_run *run = run_of(&t);
    open_folder();
    step(run, 1);
    save(run, "a");
    bnd_run_free(run);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training other = cases[i].t;
        other.width = i == 2 ? 16 : other.width;
        other.inputs = i == 3 ? 13 : other.inputs;
        other.seed_data = i == 4 ? 9 : other.seed_data;
        run = run_of(&other);
        check_refused(run, BND_BAD_ARGUMENT, cases[i].says);
        bnd_run_free(run);
    }
    close_folder();
}

/* Options that change what the model computes, and the shape of no tensor. */
static void test_other_blocks(void)
{
    static const struct {
        const char *there, *here, *says;
    } cases[] = {
        {"", "rope_theta=500000", "its theta of rope is 10000, not 500000"},
        {"norm_epsilon=1e-4", "", "its epsilon of norms is 0.0001, not 1e-06"},
        {"", "rope_scaling=linear,rope_factor=4", "its factor of rope's frequencies is 0, not 4"},
        {"rope_scaling=llama3,rope_factor=8,rope_low=1,rope_high=4,rope_original=32",
         "rope_scaling=llama3,rope_factor=8,rope_low=2,rope_high=4,rope_original=32",
         "its wavelength of rope from which its factor holds is 32, not 16"},
        {"rope_scaling=llama3,rope_factor=8,rope_low=1,rope_high=4,rope_original=32",
         "rope_scaling=llama3,rope_factor=8,rope_low=1,rope_high=2,rope_original=32",
         "its wavelength of rope up to which its factor does not hold is 8, not 16"},
        {"unit", "", "its unit scaling (1) or none (0) is 1, not 0"},
        {"unit", "unit,tau=0.5", "its tau is 0.3, not 0.5"},
        {"", "sqrt_softmax", "its sqrt_softmax (1) or none (0) is 0, not 1"},
    };
    open_folder();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_training t = training_of("llama", "adamw", "fp32");
        bnd_error why;
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_transformer_parse(&t.blocks, cases[i].there, &why), &why));
        bnd_run *run = run_of(&t);
        step(run, 1);
        save(run, "a");
        bnd_run_free(run);
        t = training_of("llama", "adamw", "fp32");
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_transformer_parse(&t.blocks, cases[i].here, &why), &why));
        run = run_of(&t);
        check_refused(run, BND_BAD_ARGUMENT, cases[i].says);
        bnd_run_free(run);
    }
    close_folder();
}

/* A text in the place of another of the same length, everywhere. */
static void replace_all(char *at, size_t size, const char *text, const char *by)
{
    size_t n = strlen(text), found = 0;
    CU_ASSERT_EQUAL_FATAL(strlen(by), n);
    for (size_t i = 0; i + n <= size; i++) {
        if (memcmp(at + i, text, n) == 0) {
            memcpy(at + i, by, n);
            found++;
        }
    }
    CU_ASSERT_TRUE(found > 0);
}

/* The file with another text, and without its checksum, as files had none once: what is wrong is found all the same. */
static void replace_in_file(const bytes *b, const char *text, const char *by)
{
    char *copy = malloc(b->size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    memcpy(copy, b->at, b->size);
    replace_all(copy, b->size, "binade.checksum", "binade.CHECKSUM");
    replace_all(copy, b->size, text, by);
    put("a", copy, b->size);
    free(copy);
}

static void test_damaged(void)
{
    static const struct {
        const char *text, *by, *says;
        bnd_status status;
    } cases[] = {
        {"binade.checkpoint", "binade.CHECKPOINT", "is not a checkpoint of a run", BND_BAD_FILE},
        {"\"binade.checkpoint\": \"1\"", "\"binade.checkpoint\": \"2\"", "another version", BND_BAD_FILE},
        {"\"step\": \"3\"", "\"step\": \"x\"", "\"step\" of its metadata", BND_BAD_FILE},
        {"\"good_steps\": \"0\"", "\"good_steps\": \"-\"", "\"good_steps\" of its metadata", BND_BAD_FILE},
        {"\"loss_scale\": \"0x1", "\"loss_scale\": \"-x1", "\"loss_scale\" of its metadata", BND_BAD_FILE},
        {"\"loss_scale\": \"0x1p+0\"", "\"loss_scale\": \"inf   \"", "must be a loss scale", BND_BAD_FILE},
        {"\"loss_scale\": \"0x1p+0\"", "\"loss_scale\": \"0x0p+0\"", "above 0", BND_BAD_FILE},
        {"\\\"heads\\\":", "\\\"hands\\\":", "'hands'; did you mean ranks or heads?", BND_BAD_NAME},
        {"\\\"lr\\\": 0.001", "\\\"lr\\\": false", "\"lr\" must be a number", BND_BAD_FILE},
        {"\\\"lr\\\": 0.001", "\\\"lr\\\": 0,001", "line 1", BND_BAD_FILE},
        {"\\\"tied\\\": false", "\\\"lr\\\": 0.00011", "\"lr\" appears twice", BND_BAD_FILE},
        {"\\\"recipe\\\": \\\"fp8-delayed", "\\\"recipe\\\": \\\"fp8-delaied", "fp8-delayed", BND_BAD_NAME},
        {"fp8-delayed", "fp8-current", "array \"carried\": number 0", BND_BAD_FILE},
        {"\"layers.1.weight\": {\"dtype\": \"F32\"", "\"layers.1.weight\": {\"dtype\": \"I32\"",
         "array \"layers.1.weight\" is I32; expected F32", BND_BAD_FILE},
        {"layers.1.weight.m", "layers.1.weight.q", "layers.1.weight.m", BND_BAD_NAME},
        {"\"carried\"", "\"carrier\"", "has an array \"carrier\"", BND_BAD_FILE},
        {"\"layers.1.weight\": {\"dtype\": \"F32\", \"shape\": [72, 72]",
         "\"layers.1.weight\": {\"dtype\": \"F32\", \"shape\": [36,144]", "(36, 144) in the file; expected (72, 72)",
         BND_BAD_ARGUMENT},
    };
    bnd_training t = training_of("mlp", "adamw", "fp8-delayed+fp32");
    t.lr = 0.001; /* as the cases have it */
    bnd_run *run = run_of(&t), *other = run_of(&t);
    open_folder();
    step(run, 3);
    step(other, 1);
    save(run, "a");
    bytes b = bytes_of("a");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        replace_in_file(&b, cases[i].text, cases[i].by);
        check_refused(other, cases[i].status, cases[i].says);
    }
    for (uint64_t i = 0; i < 64; i++) { /* cut short anywhere */
        put("a", b.at, (size_t)(bnd_random(1, i, 0) % b.size));
        bnd_error why;
        CU_ASSERT_EQUAL(load(other, "a", &why), BND_BAD_FILE);
    }
    check_refused(other, BND_BAD_FILE, "");
    put("a", "\x93NUMPY\x01", 7);
    check_refused(other, BND_BAD_FILE, "");
    put("a", "{}", 2);
    check_refused(other, BND_BAD_FILE, "");
    put("a", b.at, b.size);
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(load(other, "a", &why), &why));
    CU_ASSERT_TRUE(same_runs(run, other));
    free(b.at);
    bnd_run_free(run);
    bnd_run_free(other);
    close_folder();
}

static void flip(bytes *b, size_t at)
{
    b->at[at] = (char)(b->at[at] ^ 1 << at % 8);
    put("a", b->at, b->size);
}

/* A bit that is another than what was saved: in the first tensor, the last and those between, and in the texts. */
static void test_checksum(void)
{
    enum { PLACES = 24, START = 8 };
    static const char damaged[] = "is damaged: its contents do not match its checksum";
    bnd_training t = training_of("mlp", "adamw", "fp8-delayed+fp32");
    bnd_run *run = run_of(&t), *other = run_of(&t), *none = NULL;
    char path[PATH_SIZE];
    uint64_t length;
    bnd_error why;
    open_folder();
    step(run, 3);
    step(other, 1);
    save(run, "a");
    bytes b = bytes_of("a");
    memcpy(&length, b.at, START);
    const size_t header = START + (size_t)length;
    for (size_t i = 0; i <= PLACES; i++) {
        const size_t at = header + (b.size - header - 1) / PLACES * i, last = b.size - 1;
        flip(&b, i == PLACES ? last : at);
        check_refused(other, BND_BAD_FILE, damaged);
        flip(&b, i == PLACES ? last : at);
    }
    replace_all(b.at, header, "\"step\": \"3\"", "\"step\": \"2\"");
    put("a", b.at, b.size);
    check_refused(other, BND_BAD_FILE, damaged);

    /* as initial weights */
    strcpy(t.init, in_folder(path, "a"));
    CU_ASSERT_TRUE(refuses(bnd_run_new(&none, &t, NULL, &why), &why, damaged));

    /* without a checksum */
    replace_all(b.at, header, "binade.checksum", "binade.CHECKSUM");
    put("a", b.at, b.size);
    CU_ASSERT_TRUE(succeeds(load(other, "a", &why), &why));
    free(b.at);
    bnd_run_free(run);
    bnd_run_free(other);
    close_folder();
}

/* A recipe that no settings say is refused before there is a file. */
static void test_no_words(void)
{
    char path[PATH_SIZE];
    bnd_training t = training_of("mlp", "adamw", "bf16-pure");
    t.policy.cast[BND_ROLE_ACT].rule.flush_out = true;
    bnd_run *run = run_of(&t);
    bnd_error why;
    open_folder();
    CU_ASSERT_EQUAL(bnd_run_save(run, in_folder(path, "a"), &why), BND_BAD_ARGUMENT);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    bnd_run_free(run);
    t = training_of("mlp", "adamw", "bf16-pure");
    run = run_of(&t);
    bnd_policy bad = t.policy;
    strcpy(bad.cast[BND_ROLE_ACT].scaling, "nonsense");
    save(run, "a");
    CU_ASSERT_NOT_EQUAL(bnd_run_switch(run, &bad, &why), BND_OK);
    save(run, "b");
    CU_ASSERT_TRUE(same_files("a", "b"));
    bnd_run_free(run);
    close_folder();
}

static CU_TestInfo checkpoint_tests[] = {
    {"resumed", test_resumed},
    {"switched", test_switched},
    {"the same recipe", test_same_recipe},
    {"rounded once", test_rounded_once},
    {"a compensation", test_compensated},
    {"loss scale", test_loss_scale},
    {"peaks", test_peaks},
    {"other runs", test_other_runs},
    {"other options of the blocks", test_other_blocks},
    {"damaged", test_damaged},
    {"checksum", test_checksum},
    {"no words for it", test_no_words},
    CU_TEST_INFO_NULL,
};

extern CU_TestInfo configuration_tests[]; /* test_configuration.c */

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("checkpoint", checkpoint_tests),
        SUITE("configuration", configuration_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
