/* Pieces of a search. */
#include "diff/search_room.h"
#include "bulk/threads.h"
#include "checkpoint/stored_codes.h"

#include <math.h>
#include <stdlib.h>

void bndi_piece_room_empty(bndi_piece_room *room)
{
    free(room->decoded);
    free(room->scales);
    free(room->codes);
    *room = (bndi_piece_room){.decoded = NULL};
}

static void find_largest(const bndi_piece_room *room, const bndi_groups *g)
{
    for (size_t i = 0; i < room->piece.groups; i++) {
        room->amax[i] = 0;
    }
    for (size_t at = 0, n; at < room->piece.n; at += n) {
        size_t group;
        n = bndi_group_run_at(g, &room->piece, at, &group);
        float largest = bnd_largest_magnitude_f32(room->x + at, n, NULL);
        largest = largest - largest != 0 ? NAN : largest;
        float *amax = &room->amax[group];
        *amax = largest > *amax || largest != largest ? largest : *amax;
    }
}

bool bndi_piece_room_fill(bndi_piece_room *room, const bndi_search *search, uint64_t index, bool codes)
{
    const bndi_groups *g = &search->groups;
    bndi_piece_room r = {.piece = bndi_group_piece_at(g, index)};
    r.decoded = malloc((r.piece.n + BND_WEIGHT_STEP) * sizeof *r.decoded);
    r.scales = malloc(2 * (r.piece.groups + 1) * sizeof *r.scales);
    r.codes = codes ? malloc((r.piece.n + 1) * sizeof *r.codes) : NULL;
    r.x =
        r.decoded == NULL ? NULL : bndi_decode_range(r.decoded, search->base, search->weight, r.piece.first, r.piece.n);
    if (r.x == NULL || r.scales == NULL || (codes && r.codes == NULL)) {
        bndi_piece_room_empty(&r);
        return false;
    }
    r.amax = r.scales + r.piece.groups + 1;
    find_largest(&r, g);
    for (size_t i = 0; i < r.piece.groups; i++) {
        r.scales[i] = 1;
    }
    if (search->has_scales) {
        bndi_stored_scales(r.scales, search->weight, r.piece.group, r.piece.groups);
    }
    if (codes) {
        bndi_stored_codes(r.codes, search->weight, r.piece.first, r.piece.n);
    }
    *room = r;
    return true;
}

/* ---- batches ---- */

typedef struct batch_job {
    bndi_piece_batch batch;
    bndi_piece_work *work;
} batch_job;

static void work_on_part(void *job, size_t i, bool in_order)
{
    const batch_job *b = job;
    (void)in_order;
    b->batch.failed[i] = !b->work(&b->batch, i, b->batch.first + i * b->batch.step);
}

static uint64_t elements_of(const bndi_piece_batch *batch, size_t parts)
{
    uint64_t n = 0;
    for (size_t i = 0; i < parts; i++) {
        n += bndi_group_piece_at(&batch->search->groups, batch->first + i * batch->step).n;
    }
    return n;
}

bnd_status bndi_in_batches(const bndi_search *search, uint64_t step, bndi_piece_work *work, bndi_take *take,
                           void *state, const bndi_search_watch *watch, bnd_error *why)
{
    bool failed[BNDI_BATCH];
    batch_job job = {{search, 0, step, failed, state}, work};
    const size_t threads = watch->context == NULL || watch->context->threads == 0 ? 1 : watch->context->threads;
    for (uint64_t first = 0; first < search->groups.pieces; first += step * BNDI_BATCH) {
        const uint64_t left = (search->groups.pieces - first + step - 1) / step;
        const size_t parts = left < BNDI_BATCH ? (size_t)left : BNDI_BATCH;
        job.batch.first = first;
        bnd_lab_parallel(threads, BNDI_AS_ASKED, work_on_part, &job, parts);
        for (size_t i = 0; i < parts; i++) {
            if (failed[i]) {
                return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a piece of %s", search->weight->name);
            }
        }
        take(&job.batch, parts);
        if (watch->at != NULL && !watch->at(watch->state, elements_of(&job.batch, parts))) {
            return bnd_fail(why, BND_BAD_STREAM, 0, "stopped");
        }
    }
    return BND_OK;
}

/* ---- what formulas are given ---- */

bndi_scale_facts bndi_facts_of(const bndi_search *search)
{
    const bnd_explanation *found = &search->found;
    const double stored = (double)search->stored;
    const bool divides = search->second_divides != found->inverted;
    bndi_scale_facts facts = {.element = found->element,
                              .stored = search->weight->block.scale,
                              .tensor_amax = search->shared_amax,
                              .factor = 1,
                              .divisor = 1,
                              .least = search->least,
                              .zero = search->zero,
                              .inverted = found->inverted && !search->has_second};
    if (search->has_second) {
        facts.factor = divides ? (float)(1 / stored) : search->stored;
        facts.divisor = divides ? search->stored : (float)(1 / stored);
    }
    return facts;
}

unsigned bndi_kinds_of(const bndi_search *search)
{
    if (search->has_second) {
        return 1U << BNDI_OF_BLOCKS;
    }
    if (search->weight->block.scale.precision == 1) {
        return 1U << BNDI_OF_POWERS;
    }
    return 1U << BNDI_OF_PLAIN | (search->powers ? 1U << BNDI_OF_POWERS : 0);
}
