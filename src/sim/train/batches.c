/* The batch of each step: by its number, or from a file; and a run's batch order, written to a file. */
#include "train/train.h"

#include <string.h>

#include "bulk/environment.h"
#include "store/store.h"

/* ---- the order ---- */

static double number_at(const bnd_tensor *t, size_t at)
{
    bndi_walk walk;
    bndi_numbers buffer;
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_64);
    return *(const double *)bndi_read(&walk, at, 1, &buffer);
}

/* The numbers of steps and batches are counted in the lower 48 bits of a purpose. */
static const uint64_t most_batches = UINT64_C(1) << 48;

/* Windows of training are those that do not reach into the part for validation. */
static uint64_t most_of(const bnd_run *run, bool windows)
{
    return windows ? run->source.learned - (run->training.context + 1) : most_batches - 1;
}

static bnd_status check_shape(const bnd_run *run, const bnd_tensor *t, bnd_error *why)
{
    const bnd_training *of = &run->training;
    char text[BNDI_SHAPE_TEXT];
    if (t->buffer->integer == 0 || t->shape.rank < 1 || t->shape.rank > 2) {
        return bnd_fail(why, BND_BAD_FILE, 0,
                        "an order must be integers of one axis (the number of the batch of each step) or of two (where "
                        "each row of each step begins in the text)");
    }
    if (t->shape.rank == 2 && run->source.tokens == NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "an order of two axes can be used only with a text file as data; give one axis, the number of "
                        "the batch of each step");
    }
    if (t->shape.rank == 2 && t->shape.extent[1] != of->batch) {
        return bnd_fail(why, BND_BAD_FILE, 0, "the order has the shape %s; a step needs %zu rows",
                        bndi_shape_text(text, &t->shape), of->batch);
    }
    if (t->shape.extent[0] < of->steps) {
        return bnd_fail(why, BND_BAD_FILE, 0, "the order has %zu steps; the run needs %llu", t->shape.extent[0],
                        (unsigned long long)of->steps);
    }
    return BND_OK;
}

static bnd_status check_numbers(const bnd_run *run, const bnd_tensor *t, bnd_error *why)
{
    const bool windows = t->shape.rank == 2;
    const uint64_t most = most_of(run, windows);
    const size_t rows = windows ? t->shape.extent[1] : 1;
    for (size_t i = 0, n = bndi_count(&t->shape); i < n; i++) {
        const double x = number_at(t, i);
        if (!(x >= 0 && x <= (double)most)) {
            char number[BNDI_NUMBER_SIZE];
            bndi_number_text(number, x);
            return bnd_fail(why, BND_BAD_FILE, i, "%s of step %zu is %s; it must be a number from 0 to %llu",
                            windows ? "a row" : "the batch", i / rows, number, (unsigned long long)most);
        }
    }
    return BND_OK;
}

static bool is_npy(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".npy") == 0;
}

bnd_status bndi_order_open(bnd_run *run, bnd_error *why)
{
    const char *path = run->training.order;
    bnd_tensor *t = NULL;
    if (path[0] == '\0') {
        return BND_OK;
    }
    bnd_status status = is_npy(path) ? bnd_tensor_load(&t, run->engine, path, NULL, BND_ROLE_DATA, why)
                                     : bnd_fail(why, BND_BAD_ARGUMENT, 0, "an order must be a .npy file of integers");
    status = status == BND_OK ? check_shape(run, t, why) : status;
    status = status == BND_OK ? check_numbers(run, t, why) : status;
    status = status == BND_OK ? bndi_hash_of_file(&run->order_hash, path, false, why) : status;
    if (status == BND_OK) {
        run->order = t; /* the engine's, and goes with it */
    }
    return bndi_in_file(status, path, why);
}

bnd_status bndi_purpose_of_step(uint64_t *out, const bnd_run *run, uint64_t step, bnd_error *why)
{
    const bnd_tensor *order = run->order;
    if (order != NULL && step >= order->shape.extent[0]) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the order has no step %llu", run->training.order,
                        (unsigned long long)step);
    }
    *out = bndi_purpose(BNDI_OF_DATA,
                        order != NULL && order->shape.rank == 1 ? (uint64_t)number_at(order, (size_t)step) : step);
    return BND_OK;
}

size_t bndi_window_start(const bnd_run *run, uint64_t purpose, size_t row)
{
    const bndi_source *s = &run->source;
    const bnd_tensor *order = run->order;
    const size_t window = run->training.context + 1, count = bndi_count(&s->tokens->shape);
    const bool validates = purpose >> 48 == BNDI_OF_VALIDATION;
    const size_t first = validates ? s->learned : 0, end = validates ? count : s->learned;
    if (!validates && order != NULL && order->shape.rank == 2) {
        const size_t step = (size_t)(purpose & (most_batches - 1));
        return (size_t)number_at(order, step * order->shape.extent[1] + row);
    }
    return first + (size_t)(bnd_random(run->training.seed_data, purpose, row) % (end - first - window + 1));
}

uint64_t bnd_run_order_hash(const bnd_run *run)
{
    return run->order_hash;
}

/* ---- one batch ---- */

static bnd_status make(bndi_batch *out, bnd_run *run, uint64_t step, bnd_error *why)
{
    uint64_t purpose = 0;
    bnd_status status = bndi_purpose_of_step(&purpose, run, step, why);
    *out = (bndi_batch){.x = NULL};
    if (status == BND_OK) {
        bnd_engine_set_place(run->engine, 0);
        status = run->source.batch(out, run, purpose, why);
    }
    return status;
}

static bnd_status refuse_own(const char *call, bnd_error *why)
{
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "%s cannot be used with a run of your own model, which has no built-in batches", call);
}

bnd_status bnd_run_batch(bnd_tensor **x, bnd_tensor **y, bnd_run *run, uint64_t step, bnd_error *why)
{
    bndi_batch batch = {.x = NULL};
    if (bndi_is_own(run)) {
        return refuse_own("bnd_run_batch", why);
    }
    const bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bnd_mark mark = bnd_engine_mark(run->engine);
    bnd_status status = make(&batch, run, step, why);
    bndi_leave(before);
    if (status != BND_OK) {
        bnd_engine_release_since(run->engine, mark, NULL, 0);
        return status;
    }
    *x = batch.x;
    *y = batch.y;
    return BND_OK;
}

/* ---- all of them, into a file ---- */

enum { X, Y, START, ARRAYS };

typedef struct dump {
    bnd_run *run;
    uint64_t steps;
    unsigned which[ARRAYS]; /* of each entry */
    bool whole[ARRAYS];     /* symbols and classes: integers in the file */
    uint64_t shape[ARRAYS][1 + BND_TENSOR_RANK_MAX];
} dump;

static bnd_status write_tensor(const bnd_lab_output *file, const bnd_tensor *t, bool whole, bnd_error *why)
{
    bndi_walk walk;
    bndi_numbers buffer;
    int32_t integers[BNDI_TENSOR_CHUNK];
    bnd_status status = BND_OK;
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_32);
    for (size_t at = 0, n = bndi_count(&t->shape); status == BND_OK && at < n; at += BNDI_TENSOR_CHUNK) {
        const size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const float *x = bndi_read(&walk, at, m, &buffer);
        for (size_t i = 0; whole && i < m; i++) {
            integers[i] = (int32_t)x[i];
        }
        status = bnd_lab_output_write(file, whole ? (const void *)integers : x, m * sizeof *x, why);
    }
    return status;
}

static bnd_status write_starts(const bnd_lab_output *file, const bnd_run *run, uint64_t step, bnd_error *why)
{
    uint64_t purpose = 0;
    bnd_status status = bndi_purpose_of_step(&purpose, run, step, why);
    for (size_t row = 0; status == BND_OK && row < run->training.batch; row++) {
        const int64_t start = (int64_t)bndi_window_start(run, purpose, row);
        status = bnd_lab_output_write(file, &start, sizeof start, why);
    }
    return status;
}

/* One array of all steps: each batch is made again for each array, so that memory is needed for one. */
static bnd_status write_array(const bnd_lab_output *file, const bnd_safetensor *entry, size_t index, void *context,
                              bnd_error *why)
{
    const dump *d = context;
    const unsigned which = d->which[index];
    bnd_status status = BND_OK;
    (void)entry;
    for (uint64_t step = 0; status == BND_OK && step < d->steps; step++) {
        bndi_batch batch;
        bnd_mark mark = bnd_engine_mark(d->run->engine);
        status = which == START ? write_starts(file, d->run, step, why) : make(&batch, d->run, step, why);
        if (status == BND_OK && which != START) {
            status = write_tensor(file, which == X ? batch.x : batch.y, d->whole[which], why);
        }
        bnd_engine_release_since(d->run->engine, mark, NULL, 0);
    }
    return status;
}

static bnd_safetensor entry_of(dump *d, unsigned which, const char *name, const bnd_tensor *t)
{
    uint64_t *shape = d->shape[which];
    const size_t rank = t != NULL ? t->shape.rank : 1;
    shape[0] = d->steps;
    for (size_t i = 0; i < rank; i++) {
        shape[1 + i] = t != NULL ? t->shape.extent[i] : d->run->training.batch;
    }
    return (bnd_safetensor){.name = name,
                            .dtype = which == START    ? "I64"
                                     : d->whole[which] ? "I32"
                                                       : "F32",
                            .rank = 1 + rank,
                            .shape = shape};
}

static bnd_status save(dump *d, const char *path, bnd_error *why)
{
    bnd_safetensor entries[ARRAYS];
    size_t count = 0;
    bndi_batch batch;
    bnd_mark mark = bnd_engine_mark(d->run->engine);
    bnd_status status = make(&batch, d->run, 0, why); /* its shapes are those of all */
    if (status == BND_OK) {
        d->whole[X] = batch.x_is_whole;
        d->whole[Y] = batch.y_is_whole;
        d->which[count] = X;
        entries[count++] = entry_of(d, X, "x", batch.x);
    }
    if (status == BND_OK && batch.y != NULL) {
        d->which[count] = Y;
        entries[count++] = entry_of(d, Y, "y", batch.y);
    }
    if (status == BND_OK && d->run->source.tokens != NULL) {
        d->which[count] = START;
        entries[count++] = entry_of(d, START, "start", NULL);
    }
    bnd_engine_release_since(d->run->engine, mark, NULL, 0);
    return status == BND_OK ? bndi_safetensors_save(path, entries, count, NULL, 0, write_array, d, why) : status;
}

bnd_status bnd_run_save_batches(bnd_run *run, uint64_t steps, const char *path, bnd_error *why)
{
    dump d = {.run = run, .steps = steps};
    if (bndi_is_own(run)) {
        return refuse_own("bnd_run_save_batches", why);
    }
    const bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bnd_status status = save(&d, path, why);
    bndi_leave(before);
    return status;
}
