/* The work of relayout: bytes that are copied, scales that are cast or put in another order. */
#include "convert/relayout.h"

#include "bulk/threads.h"
#include "checkpoint/weights.h"
#include "convert/output_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20, BATCH = 64 };

typedef struct relayout_job {
    const bndi_relayout_plan *plan;
    bnd_checkpoint_writer *writer;
    size_t tensor;
    uint64_t first; /* chunk */
    bnd_status status[BATCH];
    bnd_error why[BATCH];
} relayout_job;

/* ---- chunks ---- */

static bnd_status put_swapped(const relayout_job *job, uint64_t at, size_t n, bnd_error *why)
{
    unsigned char *bytes = malloc(n + 1);
    const bndi_relaid *r = &job->plan->relaid[job->tensor];
    if (bytes == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a piece of %s", r->from->name);
    }
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (unsigned char)(r->from->data[at + i] << 4 | r->from->data[at + i] >> 4);
    }
    bnd_status status = bnd_checkpoint_writer_put(job->writer, job->tensor, at, bytes, n, why);
    free(bytes);
    return status;
}

/* Elements at .. at + n - 1: each is the same number in the other format, or the call fails. */
static bnd_status put_cast(const relayout_job *job, uint64_t at, size_t n, bnd_error *why)
{
    const bndi_relaid *r = &job->plan->relaid[job->tensor];
    const size_t in = r->in.width / 8U, out = r->out.width / 8U;
    float *x = malloc(2 * (n + 1) * sizeof *x);
    unsigned char *bytes = malloc(n * out + 1);
    bnd_status status = BND_OK;
    if (x == NULL || bytes == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a piece of %s", r->from->name);
    }
    status = status == BND_OK ? bnd_decode_f32(x, r->from->data + at * in, n, &r->in, NULL, why) : status;
    status = status == BND_OK ? bnd_encode_f32(bytes, x, n, &r->out, NULL, NULL, why) : status;
    status = status == BND_OK ? bnd_decode_f32(x + n, bytes, n, &r->out, NULL, why) : status;
    for (size_t i = 0; i < n && status == BND_OK; i++) {
        if (x[i] != x[n + i] && x[i] == x[i]) {
            char scale[32];
            (void)snprintf(scale, sizeof scale, "%.9g", (double)x[i]);
            status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s has the scale %s, which %s does not have", r->from->name,
                              scale, r->out.name);
        }
    }
    status =
        status == BND_OK ? bnd_checkpoint_writer_put(job->writer, job->tensor, at * out, bytes, n * out, why) : status;
    free(x);
    free(bytes);
    return status;
}

static void put_chunk(void *state, size_t i, bool in_order)
{
    relayout_job *job = state;
    const bndi_relaid *r = &job->plan->relaid[job->tensor];
    const bool cast = r->kind == BNDI_RELAY_CAST;
    const uint64_t size = cast ? r->from->count : r->from->size, at = (job->first + i) * CHUNK;
    const size_t n = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
    (void)in_order;
    job->status[i] = cast ? put_cast(job, at, n, &job->why[i])
                     : r->kind == BNDI_RELAY_SWAP
                         ? put_swapped(job, at, n, &job->why[i])
                         : bnd_checkpoint_writer_put(job->writer, job->tensor, at, r->from->data + at, n, &job->why[i]);
}

/* ---- whole tensors ---- */

/* Scales between the order of the elements and that of cuBLAS, whose padding is zeros. */
static bnd_status put_reordered(const relayout_job *job, bnd_error *why)
{
    const bndi_relaid *r = &job->plan->relaid[job->tensor];
    const bnd_stored_weight *w = r->weight;
    const bnd_planned *to = &job->plan->tensors[job->tensor];
    const uint64_t rows = w->shape[0], along = w->block.along,
                   groups = w->shape[1] / along + (w->shape[1] % along != 0);
    const size_t size = (size_t)(to->shape[0] * to->shape[1]);
    unsigned char *bytes = calloc(size + 1, 1);
    if (bytes == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %s", to->name);
    }
    if (r->kind == BNDI_RELAY_UNSWIZZLE) {
        bndi_weight_scale_bytes(bytes, w, 0, (size_t)(rows * groups));
    } else {
        for (uint64_t i = 0; i < rows * groups; i++) {
            bytes[bndi_swizzled_place(i / groups, i % groups, rows, groups, 0)] = r->from->data[i];
        }
    }
    bnd_status status = bnd_checkpoint_writer_put(job->writer, job->tensor, 0, bytes, size, why);
    free(bytes);
    return status;
}

static bnd_status put_numbers(const relayout_job *job, bnd_error *why)
{
    const bndi_relaid *r = &job->plan->relaid[job->tensor];
    bnd_status status = BND_OK;
    for (size_t i = 0; i < r->from->count && status == BND_OK; i++) {
        uint32_t bits;
        memcpy(&bits, &r->numbers[i], sizeof bits);
        const unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8), (unsigned char)(bits >> 16),
                                        (unsigned char)(bits >> 24)};
        status = bnd_checkpoint_writer_put(job->writer, job->tensor, 4 * i, bytes, sizeof bytes, why);
    }
    return status;
}

static bnd_status put_in_chunks(relayout_job *job, uint64_t *done, uint64_t total, bnd_error *why)
{
    const bndi_relaid *r = &job->plan->relaid[job->tensor];
    const bnd_relayout *how = job->plan->how;
    const uint64_t size = r->kind == BNDI_RELAY_CAST ? r->from->count : r->from->size;
    const uint64_t chunks = size / CHUNK + (size % CHUNK != 0);
    const size_t threads = how->context == NULL || how->context->threads == 0 ? 1 : how->context->threads;
    for (uint64_t first = 0; first < chunks; first += BATCH) {
        const size_t parts = chunks - first < BATCH ? (size_t)(chunks - first) : BATCH;
        job->first = first;
        bnd_lab_parallel(threads, BNDI_AS_ASKED, put_chunk, job, parts);
        for (size_t i = 0; i < parts; i++) {
            if (job->status[i] != BND_OK) {
                return bnd_fail(why, job->status[i], 0, "%s", job->why[i].message);
            }
        }
        *done += (uint64_t)parts * CHUNK;
        if (how->watch.at != NULL && !how->watch.at(how->watch.state, *done < total ? *done : total, total)) {
            return bnd_fail(why, BND_BAD_STREAM, 0, "stopped");
        }
    }
    return BND_OK;
}

static bnd_status write_all(bndi_relayout_plan *plan, bnd_checkpoint_writer *writer, bnd_error *why)
{
    relayout_job *job = calloc(1, sizeof *job);
    uint64_t done = 0, total = 0;
    bnd_status status = BND_OK;
    if (job == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to write %zu tensors", plan->count);
    }
    job->plan = plan;
    job->writer = writer;
    for (size_t i = 0; i < plan->count; i++) {
        total += plan->relaid[i].from->size;
    }
    for (size_t i = 0; i < plan->count && status == BND_OK; i++) {
        const bndi_relay kind = plan->relaid[i].kind;
        job->tensor = i;
        status = kind == BNDI_RELAY_NUMBERS                                   ? put_numbers(job, why)
                 : kind == BNDI_RELAY_SWIZZLE || kind == BNDI_RELAY_UNSWIZZLE ? put_reordered(job, why)
                                                                              : put_in_chunks(job, &done, total, why);
    }
    free(job);
    return status;
}

bnd_status bnd_checkpoint_relayout(bnd_relayout_result *out, const bnd_checkpoint *in, const char *path,
                                   const bnd_relayout *how, bool durable, bnd_error *why)
{
    bndi_relayout_plan plan = {.in = in, .how = how};
    bndi_relayout_around around = {.pairs = NULL};
    bnd_checkpoint_writer *writer = NULL;
    bnd_status status = bndi_refuse_input(in, path, why);
    status = status == BND_OK ? bndi_relayout_plan_make(&plan, why) : status;
    status = status == BND_OK ? bndi_relayout_around_make(&around, &plan, path, why) : status;
    if (status == BND_OK) {
        const bnd_checkpoint_plan files = {.tensors = plan.tensors,
                                           .count = plan.count,
                                           .metadata = around.pairs,
                                           .pairs = around.pair_count,
                                           .side = around.side,
                                           .side_count = around.side_count,
                                           .shard_size = how->shard_size};
        status = bnd_checkpoint_writer_new(&writer, path, &files, why);
    }
    if (status == BND_OK) {
        bnd_checkpoint_expect_all(in);
        bndi_tell_output(&how->watch, writer);
        status = write_all(&plan, writer, why);
        bndi_tell_output(&how->watch, NULL);
        if (status == BND_OK) {
            status = bnd_checkpoint_writer_finish(writer, durable, why);
        } else {
            bnd_checkpoint_writer_free(writer);
        }
    }
    if (status == BND_OK) {
        *out = plan.result;
    }
    bndi_relayout_around_free(&around);
    bndi_relayout_plan_free(&plan);
    return status;
}
