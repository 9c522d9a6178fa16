/* The work of `quantize`: pieces on all threads, in two rounds where tensors have scales of their own. */
#include "convert/quantize.h"

#include "bulk/bulk.h"
#include "bulk/threads.h"
#include "checkpoint/checkpoint.h"
#include "convert/output_path.h"

#include <stdlib.h>

enum { MEMORY_MOST = 192 << 20 }; /* of all workers: where pieces are large, fewer work at once */
#define SHARD_SIZE UINT64_C(5000000000)

/* ---- workers ---- */

static bool open_memory(bndi_piece_memory *memory, const bndi_piece_size *size)
{
    *memory = (bndi_piece_memory){.x = malloc((size->elements + 1) * sizeof(float)),
                                  .codes = malloc(size->codes + 1),
                                  .scales = malloc(size->scales + sizeof(double)),
                                  .gathered = malloc(size->gathered + 1)};
    return memory->x != NULL && memory->codes != NULL && memory->scales != NULL && memory->gathered != NULL;
}

static void close_memory(bndi_piece_memory *memory)
{
    free(memory->x);
    free(memory->codes);
    free(memory->scales);
    free(memory->gathered);
}

/* Only the first worker tells, so that no two do at once. */
static bool goes_on(bndi_quantizing *job, size_t worker)
{
    if (worker == 0 && job->watch != NULL && job->watch->at != NULL &&
        !job->watch->at(job->watch->state, __atomic_load_n(&job->done, __ATOMIC_RELAXED), job->total)) {
        __atomic_store_n(&job->stopped, 2, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&job->stopped, __ATOMIC_RELAXED) == 0;
}

/* Pieces are taken in order, and one that was taken is done to its end. So the first failure is that of the first piece
 * that fails, on any number of threads. */
static void work(void *state, size_t worker, bool in_order)
{
    bndi_quantizing *job = state;
    struct bndi_outcome *outcome = &job->outcomes[worker];
    bndi_piece_memory memory;
    (void)in_order;
    bool ready = open_memory(&memory, &job->plan->largest);
    while (ready && goes_on(job, worker)) {
        uint64_t piece = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        if (piece >= job->plan->pieces) {
            break;
        }
        outcome->status = bndi_do_piece(job, piece, &memory, &outcome->why);
        if (outcome->status != BND_OK) {
            outcome->piece = piece;
            __atomic_store_n(&job->stopped, 1, __ATOMIC_RELAXED);
            break;
        }
    }
    if (!ready) {
        outcome->piece = 0;
        outcome->status = bnd_fail(&outcome->why, BND_NO_MEMORY, 0, "no memory for pieces of %zu elements",
                                   job->plan->largest.elements);
        __atomic_store_n(&job->stopped, 1, __ATOMIC_RELAXED);
    }
    close_memory(&memory);
}

static bnd_status for_all_pieces(bndi_quantizing *job, bool measures, bnd_error *why)
{
    job->measures = measures;
    job->next = 0;
    for (size_t i = 0; i < job->workers; i++) {
        job->outcomes[i] = (struct bndi_outcome){.piece = UINT64_MAX};
    }
    bnd_lab_parallel(job->workers, BNDI_AS_ASKED, work, job, job->workers);
    const struct bndi_outcome *first = &job->outcomes[0];
    for (size_t i = 1; i < job->workers; i++) {
        first = job->outcomes[i].piece < first->piece ? &job->outcomes[i] : first;
    }
    if (first->piece != UINT64_MAX) {
        return bnd_fail(why, first->status, first->why.where, "%s", first->why.message);
    }
    return job->stopped == 2 ? bnd_fail(why, BND_BAD_STREAM, 0, "stopped") : BND_OK;
}

/* ---- the output ---- */

static bnd_status open_job(bndi_quantizing *job, bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    const bndi_piece_size *size = &plan->largest;
    size_t threads = plan->context.threads > 0 ? plan->context.threads : 1;
    size_t fit = MEMORY_MOST / (size->elements * sizeof(float) + size->codes + size->scales + size->gathered + 1);
    job->workers = threads < fit ? threads : fit > 0 ? fit : 1;
    job->total = plan->totals.work;
    job->amax = calloc(plan->count + 1, sizeof *job->amax);
    job->factors = calloc(plan->count + 1, sizeof *job->factors);
    job->outcomes = calloc(job->workers, sizeof *job->outcomes);
    return job->amax != NULL && job->factors != NULL && job->outcomes != NULL
               ? BND_OK
               : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the scales of %zu weights", plan->count);
}

/* Unless a size was given, a checkpoint of several files stays one of several, as other tools have it. */
static uint64_t shard_size_of(const bnd_quantize_plan *plan, const char *path)
{
    bool several = bnd_checkpoint_files(plan->in) > 1 && !bndi_ends_with(path, ".safetensors");
    return plan->shard_size > 0 ? plan->shard_size : several ? SHARD_SIZE : 0;
}

static bnd_status write_all(bndi_quantizing *job, const char *path, const bndi_around *around, bool durable,
                            bnd_error *why)
{
    const bnd_quantize_plan *plan = job->plan;
    const bnd_checkpoint_plan output = {.tensors = plan->tensors,
                                        .count = plan->tensor_count,
                                        .metadata = around->pairs,
                                        .pairs = around->pair_count,
                                        .side = around->side,
                                        .side_count = around->side_count,
                                        .shard_size = shard_size_of(plan, path)};
    bnd_error problem;
    bnd_status status = bnd_checkpoint_writer_new(&job->writer, path, &output, &problem);
    if (status != BND_OK) {
        return bnd_fail(why, status, 0, "%s: %s", path, problem.message);
    }
    bndi_tell_output(job->watch, job->writer);
    if (bndi_has_tensor_scales(plan)) {
        status = for_all_pieces(job, true, why);
        status = status == BND_OK ? bndi_tensor_scales(job, why) : status;
    }
    status = status == BND_OK ? bndi_write_inputs(job, why) : status;
    status = status == BND_OK ? for_all_pieces(job, false, why) : status;
    bndi_tell_output(job->watch, NULL);
    if (status != BND_OK) {
        bnd_checkpoint_writer_free(job->writer);
        return status;
    }
    status = bnd_checkpoint_writer_finish(job->writer, durable, &problem);
    return status == BND_OK ? BND_OK : bnd_fail(why, status, 0, "%s: %s", path, problem.message);
}

bnd_status bnd_checkpoint_quantize(const bnd_quantize_plan *plan, const char *path, bool durable,
                                   const bnd_watch *watch, bnd_error *why)
{
    bndi_around around;
    bndi_quantizing job = {.plan = plan, .watch = watch};
    bnd_status status = bnd_lab_check_context(&plan->context, why);
    status = status == BND_OK ? bndi_refuse_input(plan->in, path, why) : status;
    status = status == BND_OK ? bndi_plan_around(&around, plan, path, why) : status;
    if (status != BND_OK) {
        return status;
    }
    bnd_checkpoint_expect_all(plan->in);
    status = open_job(&job, why);
    status = status == BND_OK ? write_all(&job, path, &around, durable, why) : status;
    bndi_free_around(&around);
    free(job.amax);
    free(job.factors);
    free(job.outcomes);
    return status;
}
