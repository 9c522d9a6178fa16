/* The search for the way from the base and the stored scales to the codes. */
#include "diff/search_room.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLED_PIECES = 8 };

typedef struct codes_job {
    const bndi_code_values *magnitudes;
    bndi_scale_facts facts;
    const bndi_scale_row *unrounded; /* the row of the scales; NULL: what was stored */
    unsigned quotients;              /* one bit per row */
    bndi_code_counts (*parts)[BNDI_QUOTIENTS];
    bndi_code_counts sum[BNDI_QUOTIENTS];
} codes_job;

static double unrounded_scale(const codes_job *job, float amax, double stored)
{
    bool own = job->unrounded != NULL && amax > 0 && amax - amax == 0;
    return own ? bndi_scale_by(job->unrounded, &job->facts, (double)amax, false) : stored;
}

static bool work_on(const bndi_piece_batch *batch, size_t part, uint64_t piece)
{
    const codes_job *job = batch->state;
    const bndi_search *search = batch->search;
    bndi_code_tally tally;
    bndi_piece_room room;
    if (!bndi_piece_room_fill(&room, search, piece, true)) {
        return false;
    }
    bndi_tally_begin(&tally, job->quotients);
    for (size_t at = 0, n; at < room.piece.n; at += n) {
        size_t group;
        n = bndi_group_run_at(&search->groups, &room.piece, at, &group);
        const double scale = (double)room.scales[group];
        bndi_shared shared = {scale, (double)job->facts.factor, (double)job->facts.divisor, 1};
        shared.unrounded =
            unrounded_scale(job, search->groups.band == 0 ? search->shared_amax : room.amax[group], scale);
        if (job->facts.inverted) {
            shared.scale = 1 / scale;
        }
        bndi_tally_run(&tally, job->magnitudes, &shared, room.x + at, room.codes + at, n);
    }
    bndi_tally_end(&tally);
    memcpy(job->parts[part], tally.counts, sizeof job->parts[part]);
    bndi_piece_room_empty(&room);
    return true;
}

static void take(const bndi_piece_batch *batch, size_t parts)
{
    codes_job *job = batch->state;
    for (size_t i = 0; i < parts; i++) {
        for (size_t q = 0; q < BNDI_QUOTIENTS; q++) {
            bndi_add_code_counts(&job->sum[q], &job->parts[i][q]);
        }
    }
}

/* ---- what the counts say ---- */

static size_t way_of(size_t rounding, size_t zero, size_t quotient)
{
    return (rounding * BNDI_ZEROS + zero) * BNDI_QUOTIENTS + quotient;
}

static uint64_t made_in(const codes_job *job, size_t way)
{
    const bndi_to_element rounding = (bndi_to_element)(way / BNDI_QUOTIENTS / BNDI_ZEROS);
    const bndi_zero_sign zero = (bndi_zero_sign)(way / BNDI_QUOTIENTS % BNDI_ZEROS);
    return bndi_codes_made(&job->sum[way % BNDI_QUOTIENTS], rounding, zero);
}

/* The most elements that a way among those before `ways` reproduces. */
static uint64_t most_made(const codes_job *job, size_t ways)
{
    uint64_t most = 0;
    for (size_t w = 0; w < ways; w++) {
        uint64_t made = made_in(job, w);
        most = made > most ? made : most;
    }
    return most;
}

/* Rows that may still reproduce most: all that reproduce the sample, or those within a thousandth of the best. */
static unsigned survivors(const codes_job *job, uint64_t elements)
{
    const uint64_t most = most_made(job, BNDI_CODE_WAYS), nearest = most_made(job, way_of(BNDI_ROUND_RTZ, 0, 0));
    const uint64_t least = most == elements ? most : most - most / 1000;
    const uint64_t least_nearest = nearest == elements ? nearest : nearest - nearest / 1000;
    unsigned kept = 0;
    for (size_t w = 0; w < BNDI_CODE_WAYS; w++) {
        const bool is_nearest = w < way_of(BNDI_ROUND_RTZ, 0, 0);
        if (made_in(job, w) >= (is_nearest ? least_nearest : least)) {
            kept |= 1U << w % BNDI_QUOTIENTS;
        }
    }
    return kept & job->quotients;
}

static void settle(bndi_search *search, const codes_job *job)
{
    bnd_explanation *found = &search->found;
    memset(search->sets.ways, 0, sizeof search->sets.ways);
    found->codes = search->weight->count;
    found->codes_made = most_made(job, BNDI_CODE_WAYS);
    found->nearest_made = most_made(job, way_of(BNDI_ROUND_RTZ, 0, 0));
    for (size_t w = 0; w < BNDI_CODE_WAYS; w++) {
        if ((job->quotients >> w % BNDI_QUOTIENTS & 1) != 0 && made_in(job, w) == found->codes_made) {
            search->sets.ways[w / 64] |= (uint64_t)1 << w % 64;
        }
    }
}

/* ---- the search ---- */

static bnd_status count(codes_job *job, const bndi_search *search, uint64_t step, const bndi_search_watch *watch,
                        bnd_error *why)
{
    memset(job->sum, 0, sizeof job->sum);
    return bndi_in_batches(search, step, work_on, take, job, watch, why);
}

/* Does a row's quotient differ from those of rows before it, for such scales? A quotient in bf16 or fp16 is a step
 * before elements of at most 8 bits only. */
static bool counts_for(const bndi_quotient_row *row, const bndi_search *search, const codes_job *job)
{
    const bool narrow = row->work == BNDI_IN_BF16 || row->work == BNDI_IN_FP16;
    if (narrow && search->found.element.width > 8) {
        return false;
    }
    if (!search->has_scales) {
        const bool first = row->scale == BNDI_OVER_EXACT || (row->scale == BNDI_OVER_PRODUCT && narrow);
        return first && row->operation == BNDI_OP_DIVIDE;
    }
    const bool of_second = row->scale == BNDI_OVER_RATIO || row->operation == BNDI_OP_MULTIPLY_DIVISOR;
    return (!of_second || search->has_second) && (row->scale != BNDI_OVER_UNROUNDED || job->unrounded != NULL);
}

static unsigned quotients_for(const bndi_search *search, const codes_job *job)
{
    unsigned rows = 0;
    for (size_t q = 0; q < BNDI_QUOTIENTS; q++) {
        rows |= counts_for(bndi_quotient_row_at(q), search, job) ? 1U << q : 0;
    }
    return rows;
}

static size_t first_quotient(const codes_job *job)
{
    size_t q = 0;
    while (q + 1 < BNDI_QUOTIENTS && (job->quotients >> q & 1) == 0) {
        q++;
    }
    return q;
}

/* Formats of which the bytes may be, although the file says another. */
static size_t other_elements(bnd_format out[2], const bnd_format *stored)
{
    static const bnd_format_row related[][3] = {{BND_FORMAT_E4M3, BND_FORMAT_E4M3FNUZ, BND_FORMAT_E5M2},
                                                {BND_FORMAT_E5M2, BND_FORMAT_E5M2FNUZ, BND_FORMAT_E4M3},
                                                {BND_FORMAT_E4M3FNUZ, BND_FORMAT_E4M3, BND_FORMAT_E5M2FNUZ},
                                                {BND_FORMAT_E5M2FNUZ, BND_FORMAT_E5M2, BND_FORMAT_E4M3FNUZ}};
    for (size_t i = 0; i < sizeof related / sizeof related[0]; i++) {
        if (bnd_format_same(stored, bnd_format_at(related[i][0]))) {
            out[0] = *bnd_format_at(related[i][1]);
            out[1] = *bnd_format_at(related[i][2]);
            return 2;
        }
    }
    return 0;
}

static bnd_status prepare(codes_job *job, bndi_code_values *m, const bndi_search *search, bnd_error *why)
{
    const bool integer = search->weight->layout != NULL && search->weight->block.integer;
    bnd_status status = bndi_code_values_new(m, &search->found.element, integer, why);
    if (status == BND_OK) {
        job->magnitudes = m;
        job->facts = bndi_facts_of(search);
        job->quotients = quotients_for(search, job);
    }
    return status;
}

/* Another element, or reciprocals, if the sample fits these much better. */
static bnd_status try_others(bndi_search *search, codes_job *job, uint64_t step, const bndi_search_watch *watch,
                             bnd_error *why)
{
    const bnd_explanation before = search->found;
    bnd_explanation best = before;
    bnd_format elements[3] = {before.element};
    const size_t others = search->weight->block.integer ? 0 : other_elements(elements + 1, &before.element);
    const unsigned ways = search->has_scales ? 2 : 1;
    uint64_t most = most_made(job, BNDI_CODE_WAYS);
    bnd_status status = BND_OK;
    for (size_t i = 1; i < ways * (others + 1) && status == BND_OK; i++) {
        bndi_code_values m;
        search->found = before;
        search->found.element = elements[i / ways];
        search->found.other_element = i / ways != 0;
        search->found.inverted = i % ways != 0;
        status = prepare(job, &m, search, why);
        status = status == BND_OK ? count(job, search, step, watch, why) : status;
        uint64_t made = status == BND_OK ? most_made(job, BNDI_CODE_WAYS) : 0;
        if (made > most) {
            most = made;
            best = search->found;
        }
        if (job->magnitudes == &m) {
            bndi_code_values_free(&m);
            job->magnitudes = NULL;
        }
    }
    search->found = best;
    return status;
}

bnd_status bndi_search_codes(bndi_search *search, const bndi_search_watch *watch, bnd_error *why)
{
    const uint64_t pieces = search->groups.pieces, step = pieces > SAMPLED_PIECES ? pieces / SAMPLED_PIECES : 1;
    const bndi_search_watch quiet = {watch->context, NULL, NULL};
    bndi_code_values m = {.values = NULL};
    codes_job job = {.unrounded = NULL};
    if (search->has_scales && !search->has_second && search->weight->block.scale.width == 16 &&
        search->found.row[BND_MADE_SCALE] != BND_MADE_NONE) {
        job.unrounded = bndi_scale_row_at(search->found.row[BND_MADE_SCALE]);
    }
    job.parts = malloc(BNDI_BATCH * sizeof *job.parts);
    if (job.parts == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare codes of %s", search->weight->name);
    }
    bnd_status status = prepare(&job, &m, search, why);
    status = status == BND_OK ? count(&job, search, step, step == 1 ? watch : &quiet, why) : status;
    const bndi_code_counts *any = &job.sum[first_quotient(&job)];
    const uint64_t sampled = status == BND_OK ? any->elements : 0;
    if (status == BND_OK && most_made(&job, BNDI_CODE_WAYS) < sampled - sampled / 100 &&
        (any->other > sampled / 100 || sampled < 100)) {
        status = try_others(search, &job, step, &quiet, why);
        bndi_code_values_free(&m);
        status = status == BND_OK ? prepare(&job, &m, search, why) : status;
        status = status == BND_OK ? count(&job, search, step, &quiet, why) : status;
    }
    if (status == BND_OK && step > 1) {
        job.quotients = survivors(&job, sampled);
        status = count(&job, search, 1, watch, why);
    }
    if (status == BND_OK) {
        settle(search, &job);
    }
    bndi_code_values_free(&m);
    free(job.parts);
    return status;
}
