/* Initial weights and the order of batches from files, and what is written for others to run the same. */
#define _XOPEN_SOURCE 700
#include "tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/folder.h"

enum { STEPS = 6, ROWS = 4, CONTEXT = 8, TOKENS = 400 };

static char weights[PATH_SIZE], order[PATH_SIZE], batches[PATH_SIZE], text[PATH_SIZE];

static void enter(void)
{
    open_folder();
    in_folder(weights, "weights.safetensors");
    in_folder(order, "order.npy");
    in_folder(batches, "batches.safetensors");
    in_folder(text, "tokens.bin");
}

static bnd_training small(const char *model, const char *recipe)
{
    bnd_training t = training_of(model, "adamw", recipe);
    t.steps = STEPS;
    t.batch = ROWS;
    t.width = 16;
    t.inputs = t.inputs != 0 ? 8 : 0;
    t.depth = t.depth != 0 ? 1 : 0;
    t.heads = t.heads != 0 ? 2 : 0;
    t.context = t.context != 0 ? CONTEXT : 0;
    return t;
}

/* The losses of the steps, then of validation. */
static void losses_of(double out[STEPS + 1], const bnd_training *t)
{
    bnd_run *run = run_of(t, NULL);
    for (size_t i = 0; i < STEPS; i++) {
        out[i] = step_of(run).loss;
    }
    out[STEPS] = validation_of(run);
    bnd_run_free(run);
}

static bool same_losses(const double a[STEPS + 1], const double b[STEPS + 1])
{
    return memcmp(a, b, (STEPS + 1) * sizeof *a) == 0;
}

static void put_weights(const bnd_training *t)
{
    bnd_error why;
    bnd_training of = *t;
    of.policy = (bnd_policy){.name = "fp32"};
    bnd_run *run = run_of(&of, NULL);
    CU_ASSERT_TRUE(succeeds(bnd_run_save_weights(run, weights, &why), &why));
    bnd_run_free(run);
}

/* ---- initial weights ---- */

/* Weights that were written and read are those that were drawn: the same bits, whatever seed_init says. */
static void test_same_weights(void)
{
    static const char *const recipes[] = {"fp32", "bf16-amp", "mxfp8", "fp8-delayed"};
    static const char *const models[] = {"transformer", "mlp", "student", "linear", "quadratic"};
    for (size_t i = 0; i < 4 * 5; i++) {
        double drawn[STEPS + 1], read[STEPS + 1], other[STEPS + 1];
        bnd_training t = small(models[i / 4], recipes[i % 4]);
        enter();
        put_weights(&t);
        losses_of(drawn, &t);
        t.seed_init += 7;
        losses_of(other, &t);
        strcpy(t.init, weights);
        losses_of(read, &t);
        CU_ASSERT_TRUE(same_losses(drawn, read));
        CU_ASSERT_TRUE(strcmp(t.model, "quadratic") == 0 || strcmp(t.model, "linear") == 0 ||
                       !same_losses(drawn, other)); /* those two start from zeros */
        close_folder();
    }
}

/* A file whose tensor `changed` has been given another name, dtype or shape; NULL: left out. */
static void put_changed(const bnd_training *t, const char *changed, const char *name, const char *dtype, size_t shrink)
{
    bnd_error why;
    bnd_safetensors *file;
    bnd_safetensor entries[64];
    uint64_t shape[2];
    size_t count = 0;
    put_weights(t);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_safetensors_new(&file, weights, &why), &why));
    for (size_t i = 0; i < bnd_safetensors_count(file); i++) {
        entries[count] = *bnd_safetensors_at(file, i);
        if (strcmp(entries[count].name, changed) == 0) {
            if (name == NULL) {
                continue;
            }
            memcpy(shape, entries[count].shape, entries[count].rank * sizeof *shape);
            shape[0] -= shrink;
            entries[count].name = name;
            entries[count].dtype = dtype;
            entries[count].shape = shape;
        }
        count++;
    }
    in_folder(batches, "changed.safetensors");
    CU_ASSERT_TRUE(succeeds(bnd_safetensors_write(batches, entries, count, NULL, 0, &why), &why));
    bnd_safetensors_free(file);
}

static void test_other_weights(void)
{
    static const struct {
        const char *name, *dtype;
        size_t shrink;
        const char *message;
    } cases[] = {
        {NULL, NULL, 0, "the tensor \"norm.gain\" (16,) is missing"},
        {"norm.gain", "I32", 0, "the tensor \"norm.gain\" is I32; initial weights must be F32, F16 or BF16"},
        {"norm.gain", "F32", 1, "the tensor \"norm.gain\" has the shape (15,); this model needs (16,)"},
        {"norm.gian", "F32", 0, "the tensor \"norm.gain\" (16,) is missing"},
    };
    bnd_training t = small("transformer", "fp32");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enter();
        put_changed(&t, "norm.gain", cases[i].name, cases[i].dtype, cases[i].shrink);
        strcpy(t.init, batches);
        CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, cases[i].message));
        CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "changed.safetensors: "));
        close_folder();
        t.init[0] = '\0';
    }
    enter(); /* a head of its own, where the model has none */
    put_weights(&t);
    strcpy(t.init, weights);
    t.tied = true;
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "has the name of the tensor 'head'"));
    strcpy(t.init, text);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_STREAM, "tokens.bin: "));
    close_folder();
}

/* The weights of a checkpoint, trained in whatever recipe: the master where there is one. */
static void test_checkpoints(void)
{
    static const char *const recipes[] = {"bf16-amp", "bf16-pure", "fp16-amp"};
    const bnd_policy fp32 = {.name = "fp32"};
    for (size_t i = 0; i < 3; i++) {
        double losses[2][4];
        bnd_training t = small("transformer", recipes[i]);
        bnd_error why;
        enter();
        bnd_run *run = run_of(&t, NULL);
        (void)steps_of(run, 3);
        CU_ASSERT_TRUE(succeeds(bnd_run_save(run, weights, &why), &why));
        t.policy = fp32;
        strcpy(t.init, weights);
        bnd_run *next = run_of(&t, NULL);
        CU_ASSERT_TRUE(succeeds(bnd_run_losses(losses[0], 4, run, &fp32, BND_PLACE_ALL, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_run_losses(losses[1], 4, next, &fp32, BND_PLACE_ALL, &why), &why));
        CU_ASSERT_EQUAL(memcmp(losses[0], losses[1], sizeof losses[0]), 0);
        bnd_run_free(run);
        bnd_run_free(next);
        close_folder();
    }
}

/* ---- batches ---- */

/* In turn it is what it was; permuted, each step has the loss of the batch that it was given. */
static void test_order(void)
{
    static const int64_t in_turn[] = {0, 1, 2, 3, 4, 5}, permuted[] = {3, 0, 5, 1, 4, 2};
    static const char *const models[] = {"transformer", "mlp"};
    for (size_t i = 0; i < 2; i++) {
        double usual[STEPS + 1], ordered[STEPS + 1];
        bnd_training t = small(models[i], "bf16-amp");
        enter();
        losses_of(usual, &t);
        strcpy(t.order, order);
        write_npy(order, "(6,)", in_turn, STEPS);
        losses_of(ordered, &t);
        CU_ASSERT_TRUE(same_losses(usual, ordered));
        write_npy(order, "(6,)", permuted, STEPS);
        losses_of(ordered, &t);
        CU_ASSERT_FALSE(same_losses(usual, ordered));

        t.lr = 1e-30; /* the weights stay: the loss of a step is that of its batch */
        t.weight_decay = 0;
        losses_of(ordered, &t);
        t.order[0] = '\0';
        losses_of(usual, &t);
        for (size_t step = 0; step < STEPS; step++) {
            CU_ASSERT_EQUAL(ordered[step], usual[permuted[step]]);
        }
        CU_ASSERT_EQUAL(ordered[STEPS], usual[STEPS]);
        close_folder();
    }
}

/* The written batches, their first element and where each row begins; *file is closed by the caller. */
static void put_batches(bnd_safetensors **file, const bnd_training *t)
{
    bnd_error why;
    bnd_run *run = run_of(t, NULL);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_save_batches(run, STEPS, batches, &why), &why));
    bnd_run_free(run);
    CU_ASSERT_TRUE_FATAL(succeeds(bnd_safetensors_new(file, batches, &why), &why));
}

/* The array as numbers, compared with the tensors of bnd_run_batch. */
static void compare_batches(const bnd_safetensor *entry, const bnd_training *t, bool is_x)
{
    bnd_error why;
    bnd_run *run = run_of(t, NULL);
    size_t n = (size_t)entry->count / STEPS, wrong = 0;
    CU_ASSERT_EQUAL(entry->shape[0], STEPS);
    for (uint64_t step = 0; step < STEPS; step++) {
        bnd_tensor *pair[2];
        double numbers[512];
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_run_batch(&pair[0], &pair[1], run, step, &why), &why));
        const bnd_tensor *tensor = pair[is_x ? 0 : 1];
        CU_ASSERT_FATAL(bnd_tensor_count(tensor) == n && n <= 512);
        CU_ASSERT_TRUE_FATAL(succeeds(bnd_tensor_read_f64(numbers, n, tensor, &why), &why));
        for (size_t i = 0; i < n; i++) {
            int32_t integer;
            float real;
            memcpy(&integer, entry->data + 4 * (step * n + i), 4);
            memcpy(&real, &integer, 4);
            wrong += (strcmp(entry->dtype, "I32") == 0 ? (double)integer : (double)real) != numbers[i];
        }
        bnd_tensor_release(pair[0]);
        bnd_tensor_release(pair[1]);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    bnd_run_free(run);
}

static void test_batches(void)
{
    static const struct {
        const char *model, *x, *y; /* dtypes */
    } cases[] = {{"transformer", "I32", "I32"},
                 {"mlp", "F32", "I32"},
                 {"linear", "F32", "F32"},
                 {"student", "F32", "F32"},
                 {"quadratic", "F32", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_safetensors *file;
        bnd_training t = small(cases[i].model, "fp32");
        enter();
        put_batches(&file, &t);
        const bnd_safetensor *x = bnd_safetensors_find(file, "x"), *y = bnd_safetensors_find(file, "y");
        CU_ASSERT_FATAL(x != NULL && (y != NULL) == (cases[i].y != NULL));
        CU_ASSERT_EQUAL(bnd_safetensors_count(file), cases[i].y != NULL ? 2 : 1);
        CU_ASSERT_STRING_EQUAL(x->dtype, cases[i].x);
        compare_batches(x, &t, true);
        if (y != NULL) {
            CU_ASSERT_STRING_EQUAL(y->dtype, cases[i].y);
            compare_batches(y, &t, false);
        }
        bnd_safetensors_free(file);
        close_folder();
    }
}

static void put_tokens(void)
{
    uint16_t tokens[TOKENS];
    for (size_t i = 0; i < TOKENS; i++) {
        tokens[i] = (uint16_t)((i * i + i / 7) % 23);
    }
    write_file(text, tokens, sizeof tokens);
}

/* Of a text: where rows begin is written, and read as an order it makes the same run; moved by one, another. */
static void test_windows(void)
{
    bnd_safetensors *file;
    int64_t starts[STEPS * ROWS];
    double usual[STEPS + 1], ordered[STEPS + 1];
    bnd_training t = small("transformer", "fp32");
    enter();
    put_tokens();
    strcpy(t.data, text);
    put_batches(&file, &t);
    const bnd_safetensor *start = bnd_safetensors_find(file, "start");
    CU_ASSERT_FATAL(start != NULL && start->size == sizeof starts);
    memcpy(starts, start->data, sizeof starts);
    bnd_safetensors_free(file);
    losses_of(usual, &t);
    strcpy(t.order, order);
    write_npy(order, "(6, 4)", starts, STEPS * ROWS);
    t.seed_data = 2; /* validation depends on it, batches of training do not */
    losses_of(ordered, &t);
    CU_ASSERT_TRUE(same_losses(usual, ordered));
    starts[STEPS * ROWS - 1] = starts[STEPS * ROWS - 1] > 0 ? starts[STEPS * ROWS - 1] - 1 : 1;
    write_npy(order, "(6, 4)", starts, STEPS * ROWS);
    losses_of(ordered, &t);
    CU_ASSERT_EQUAL(memcmp(usual, ordered, (STEPS - 1) * sizeof *usual), 0);
    CU_ASSERT_NOT_EQUAL(usual[STEPS - 1], ordered[STEPS - 1]);

    starts[5] = TOKENS - TOKENS / 10 - CONTEXT; /* one too many: it would reach into the part for validation */
    write_npy(order, "(6, 4)", starts, STEPS * ROWS);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "a row of step 1 is 352; it must be a number from 0 to 351"));
    starts[5]--;
    write_npy(order, "(6, 4)", starts, STEPS * ROWS);
    losses_of(ordered, &t);
    write_npy(order, "(8, 3)", starts, STEPS * ROWS);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "the order has the shape (8, 3); a step needs 4 rows"));
    t.data[0] = '\0';
    write_npy(order, "(6, 4)", starts, STEPS * ROWS);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "can be used only with a text file"));
    close_folder();
}

static void test_other_orders(void)
{
    static const int64_t five[] = {0, 1, 2, 3, 4, -1};
    bnd_training t = small("mlp", "fp32");
    bnd_error why;
    bnd_step step;
    enter();
    strcpy(t.order, order);
    write_npy(order, "(5,)", five, 5);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "order.npy: the order has 5 steps; the run needs 6"));
    write_npy(order, "(6,)", five, 6);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_FILE, "the batch of step 5 is -1; it must be a number from 0 to"));
    t.steps = 5;
    write_npy(order, "(5,)", five, 5);
    bnd_run *run = run_of(&t, NULL);
    (void)steps_of(run, 5); /* a step that the order has not is refused, and the run stays as it is */
    CU_ASSERT_TRUE(refuses(bnd_run_step(&step, run, &why), &why, "the order has no step 5"));
    bnd_run_free(run);
    write_file(text, "text", 4);
    strcpy(t.order, text);
    CU_ASSERT_TRUE(is_refused(&t, BND_BAD_ARGUMENT, "an order must be a .npy file of integers"));
    close_folder();
}

CU_TestInfo input_tests[] = {
    {"weights written and read", test_same_weights},
    {"weights of another model", test_other_weights},
    {"weights of a checkpoint", test_checkpoints},
    {"an order of batches", test_order},
    {"batches written", test_batches},
    {"an order of windows", test_windows},
    {"orders that are refused", test_other_orders},
    CU_TEST_INFO_NULL,
};
