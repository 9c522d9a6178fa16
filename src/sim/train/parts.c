/* A step in parts: the batch of a step is divided among ranks, and that of a rank into micro-batches. Gradients of
 * micro-batches are added in the role accumulate, those of ranks in the role reduce. */
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/engine.h"
#include "tensor/gradient.h"
#include "tensor/scaled.h"

bnd_status bnd_run_share(bnd_run *run, const bnd_ranks *ranks, bnd_error *why)
{
    if (ranks != NULL && (ranks->count != run->training.ranks || ranks->rank >= ranks->count)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the run has %zu ranks; this is number %zu of %zu",
                        run->training.ranks, ranks->rank, ranks->count);
    }
    run->shared = ranks != NULL && ranks->count > 1 ? ranks : NULL;
    return BND_OK;
}

bool bndi_has_parts(const bnd_training *t)
{
    return t->micro_batches > 1 || t->ranks > 1;
}

bnd_status bndi_check_parts(const bnd_training *t, bnd_error *why)
{
    const size_t k = t->micro_batches, ranks = t->ranks;
    if (k == 0 || ranks == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a run needs at least 1 rank and at least 1 micro-batch");
    }
    return k <= t->batch && ranks <= t->batch / k && t->batch % (k * ranks) == 0
               ? BND_OK
               : bnd_fail(
                     why, BND_BAD_ARGUMENT, 0,
                     "a batch of %zu cannot be divided into %zu micro-batch%s on each of %zu rank%s: batch must be a "
                     "multiple of ranks times micro-batches",
                     t->batch, k, k > 1 ? "es" : "", ranks, ranks > 1 ? "s" : "");
}

typedef struct step_in_parts {
    bnd_run *run;
    bndi_batch batch;     /* of the step */
    uint64_t seed, casts; /* of the engine, where the first part begins */
    double *loss;         /* of each rank */
    bnd_tensor **sum;     /* of micro-batches, for each parameter */
    bnd_tensor **message; /* of each parameter one for each rank, side by side */
} step_in_parts;

/* ---- one part ---- */

/* Parts make the same casts. Each finds the delayed scales of the first, and has random bits of its own. */
static void begin_part(const step_in_parts *s, size_t part)
{
    bnd_engine *engine = s->run->engine;
    engine->casts = s->casts;
    engine->seed = part > 0 ? bnd_random(s->seed, bndi_purpose(BNDI_OF_PART, part), 0) : s->seed;
}

static bnd_status rows_of(bnd_tensor **out, bnd_tensor *whole, size_t parts, size_t part, bnd_error *why)
{
    const size_t rows = whole != NULL ? whole->shape.extent[0] / parts : 0;
    return whole != NULL ? bnd_tensor_slice(out, whole, 0, part * rows, rows, 1, why) : BND_OK;
}

/* The gradients of a part are those of its share of the mean over the rank's batch. */
static bnd_status forward_and_back(double *loss, const step_in_parts *s, size_t part, bnd_error *why)
{
    bnd_run *run = s->run;
    const bnd_training *t = &run->training;
    const size_t parts = t->ranks * t->micro_batches;
    bndi_batch batch = {.x_is_whole = s->batch.x_is_whole, .y_is_whole = s->batch.y_is_whole};
    bnd_mark mark = bnd_engine_mark(run->engine);
    bnd_tensor *root = NULL;
    begin_part(s, part);
    bnd_status status = rows_of(&batch.x, s->batch.x, parts, part, why);
    status = status == BND_OK ? rows_of(&batch.y, s->batch.y, parts, part, why) : status;
    status = bndi_loss_of(&root, loss, run, status, &batch, why);
    if (status == BND_OK) {
        status = bnd_tensor_backward(root, run->loss_scale / (double)t->micro_batches, why);
    }
    bnd_engine_release_since(run->engine, mark, NULL, 0);
    return status;
}

/* ---- micro-batches ---- */

static bnd_status accumulate(bnd_tensor **sum, bnd_run *run, bnd_tensor *value, bnd_error *why)
{
    bnd_tensor *g = value->gradient;
    const bool first = *sum == NULL;
    bnd_status status = BND_OK;
    if (g == NULL) {
        return BND_OK;
    }
    if (first) {
        status = bndi_gradient_stored(sum, run->engine, BND_ROLE_ACCUMULATE,
                                      bndi_format_of_sums(run, BND_ROLE_ACCUMULATE, g), &g->shape, why);
    }
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(run->engine, BND_ROLE_ACCUMULATE);
        status = bndi_assign(*sum, g, BND_ROLE_ACCUMULATE, &how, !first, why);
        bndi_count_flops(run->engine, BND_TENSOR_OP_ADD, first ? 0 : bndi_count(&g->shape));
    }
    bnd_tensor_drop_gradient(value);
    return status;
}

/* The gradients of a rank are those of its parameters then. */
static bnd_status make_rank(step_in_parts *s, size_t rank, bnd_error *why)
{
    bnd_run *run = s->run;
    const size_t k = run->training.micro_batches;
    double sum = 0;
    bnd_status status = BND_OK;
    for (size_t j = 0; status == BND_OK && j < k; j++) {
        double loss = 0;
        status = forward_and_back(&loss, s, rank * k + j, why);
        sum += loss;
        for (size_t i = 0; k > 1 && status == BND_OK && i < run->parameters; i++) {
            bndi_go_to(run, i);
            status = accumulate(&s->sum[i], run, run->parameter[i].value, why);
        }
    }
    for (size_t i = 0; k > 1 && status == BND_OK && i < run->parameters; i++) {
        run->parameter[i].value->gradient = s->sum[i];
        s->sum[i] = NULL;
    }
    s->loss[rank] = sum / (double)k;
    return status;
}

/* ---- ranks ---- */

static bnd_status make_messages(step_in_parts *s, size_t rank, bnd_error *why)
{
    bnd_run *run = s->run;
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        bndi_go_to(run, i);
        status = bndi_message_make(&s->message[i * run->training.ranks + rank], run, run->parameter[i].value, why);
    }
    return status;
}

static void drop_messages(bnd_tensor **message, size_t ranks)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        bndi_drop(message[rank]);
        message[rank] = NULL;
    }
}

/* Where ranks are processes: what the others sent of a parameter. */
static bnd_status gather_messages(bnd_tensor **message, const bnd_ranks *shared, bnd_error *why)
{
    const bnd_tensor *own = message[shared->rank];
    const size_t bytes = own->buffer->bytes;
    unsigned char *all = bytes < SIZE_MAX / shared->count ? malloc(bytes * shared->count + 1) : NULL;
    if (all == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the gradients of %zu ranks", shared->count);
    }
    bnd_status status = shared->gather(all, own->buffer->data, bytes, shared->data, why);
    for (size_t rank = 0; status == BND_OK && rank < shared->count; rank++) {
        if (rank != shared->rank) {
            status = bndi_tensor_make(&message[rank], own->engine, &own->format, &own->shape,
                                      bndi_role_of_bytes(BND_ROLE_REDUCE), false, why);
        }
        if (status == BND_OK) {
            memcpy(message[rank]->buffer->data, all + rank * bytes, bytes);
        }
    }
    free(all);
    return status;
}

/* Delayed scales learn from all ranks. */
static bnd_status gather_amax(bnd_run *run, bnd_error *why)
{
    const bnd_ranks *shared = run->shared;
    const size_t n = run->engine->histories.count;
    if (n == 0) {
        return BND_OK;
    }
    float *all = calloc((shared->count + 1) * n, sizeof *all), *own = all + shared->count * n;
    if (all == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the delayed scales of %zu ranks", shared->count);
    }
    bndi_histories_seen(own, run->engine);
    bnd_status status = shared->gather(all, own, n * sizeof *own, shared->data, why);
    for (size_t rank = 0; status == BND_OK && rank < shared->count; rank++) {
        bndi_histories_learn(run->engine, all + rank * n);
    }
    free(all);
    return status;
}

static bnd_status gather_all(step_in_parts *s, bnd_error *why)
{
    const bnd_ranks *shared = s->run->shared;
    const double own = shared != NULL ? s->loss[shared->rank] : 0;
    if (shared == NULL) {
        return BND_OK;
    }
    bnd_status status = shared->gather(s->loss, &own, sizeof own, shared->data, why);
    return status == BND_OK ? gather_amax(s->run, why) : status;
}

static bnd_status reduce_all(step_in_parts *s, bnd_error *why)
{
    bnd_run *run = s->run;
    const size_t ranks = run->training.ranks;
    bnd_status status = BND_OK;
    run->engine->seed = s->seed;
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        bnd_tensor **message = &s->message[i * ranks];
        bndi_go_to(run, i);
        if (message[run->shared != NULL ? run->shared->rank : 0] != NULL) {
            status = run->shared != NULL ? gather_messages(message, run->shared, why) : BND_OK;
            status = status == BND_OK ? bndi_reduce(run, &run->parameter[i], message, why) : status;
        }
        drop_messages(message, ranks);
    }
    return status;
}

static bnd_status make_parts(double *loss, step_in_parts *s, bnd_error *why)
{
    const bnd_ranks *shared = s->run->shared;
    const size_t ranks = s->run->training.ranks, first = shared != NULL ? shared->rank : 0,
                 end = shared != NULL ? first + 1 : ranks;
    double sum = 0;
    bnd_status status = BND_OK;
    for (size_t rank = first; status == BND_OK && rank < end; rank++) {
        status = make_rank(s, rank, why);
        status = status == BND_OK && ranks > 1 ? make_messages(s, rank, why) : status;
    }
    status = status == BND_OK ? gather_all(s, why) : status;
    status = status == BND_OK && ranks > 1 ? reduce_all(s, why) : status;
    for (size_t rank = 0; rank < ranks; rank++) {
        sum += s->loss[rank];
    }
    *loss = sum / (double)ranks;
    return status;
}

bnd_status bndi_step_in_parts(double *loss, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    const size_t ranks = run->training.ranks, tensors = run->parameters * (ranks + 1);
    step_in_parts s = {.run = run, .seed = run->engine->seed};
    s.loss = calloc(ranks, sizeof *s.loss);
    s.sum = calloc(tensors + 1, sizeof *s.sum);
    bnd_status status = s.loss != NULL && s.sum != NULL
                            ? BND_OK
                            : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a step of %zu ranks", ranks);
    if (status == BND_OK) {
        s.message = s.sum + run->parameters;
        status = bndi_next_batch(&s.batch, run, purpose, why);
        s.casts = run->engine->casts;
    }
    status = status == BND_OK ? make_parts(loss, &s, why) : status;
    run->engine->seed = s.seed;
    for (size_t i = 0; s.sum != NULL && i < tensors; i++) {
        bndi_drop(s.sum[i]);
    }
    free(s.sum);
    free(s.loss);
    return status;
}

bnd_status bndi_check_rows(bnd_run *run, bnd_error *why)
{
    bndi_batch batch = {.x = NULL};
    bnd_mark mark = bnd_engine_mark(run->engine);
    bnd_status status = run->source.batch(&batch, run, bndi_purpose(BNDI_OF_DATA, 0), why);
    const size_t rows = run->training.batch;
    bool good = status != BND_OK || (batch.x->shape.rank > 0 && batch.x->shape.extent[0] == rows &&
                                     (batch.y == NULL || batch.y->shape.extent[0] == rows));
    bnd_engine_release_since(run->engine, mark, NULL, 0);
    return good ? status
                : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                           "model %s has no rows in its batch: it cannot be divided among ranks or micro-batches",
                           run->model->name);
}
