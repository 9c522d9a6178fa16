/* The search for how one weight was made: its magnitudes, its scales, its codes. */
#include "diff/search_room.h"
#include "checkpoint/stored_codes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- beginning ---- */

static const char *no_search(const bnd_stored_weight *weight, const bnd_stored_weight *base)
{
    const bnd_stored_tensor *second = weight->parts[BND_PART_SECOND];
    if (base == NULL) {
        return "the base does not have it";
    }
    if (!base->is_float) {
        return "the base cannot be decoded";
    }
    if (base->layout != NULL) {
        return "the base is quantized, too";
    }
    if (base->count != weight->count || (bndi_is_turned(weight, base) && !bndi_same_axes(weight, base))) {
        return "the base has another shape";
    }
    if (weight->parts[BND_PART_ZERO_POINTS] != NULL) {
        return "it has zero points";
    }
    if (weight->parts[BND_PART_ORDER] != NULL) {
        return "its columns are reordered";
    }
    if (second != NULL && second->count != 1) {
        return "each expert has a tensor scale of its own";
    }
    if (weight->layout == NULL && weight->is_float && weight->parts[BND_PART_CODES]->format != NULL &&
        weight->parts[BND_PART_CODES]->format->precision >= base->parts[BND_PART_CODES]->format->precision) {
        return "it is not quantized";
    }
    return bndi_no_stored_codes(weight);
}

void bndi_search_begin(bndi_search *search, const bnd_stored_weight *weight, const bnd_stored_weight *base)
{
    *search = (bndi_search){.weight = weight, .base = base};
    bnd_explanation *found = &search->found;
    memset(found->row, BND_MADE_NONE, sizeof found->row);
    found->why_not = no_search(weight, base);
    found->why_not = found->why_not == NULL ? bndi_groups_of(&search->groups, weight) : found->why_not;
    if (found->why_not != NULL) {
        return;
    }
    search->has_scales = weight->layout != NULL;
    search->has_second = weight->layout != NULL && weight->block.tensor && weight->parts[BND_PART_SECOND] != NULL;
    search->second_divides = search->has_second && weight->layout->second_divides;
    found->element = weight->layout != NULL ? weight->block.element : *weight->parts[BND_PART_CODES]->format;
    if (weight->layout != NULL && weight->block.integer) { /* the largest one is that of as many bits */
        const unsigned bits = bndi_stored_code_bits(weight);
        char name[BND_FORMAT_NAME_SIZE];
        (void)snprintf(name, sizeof name, "p%uemin%uemax%u", bits - 1, bits - 2, bits - 2);
        if (bits != 8 && (bits < 2 || bnd_format_parse(&found->element, name, NULL) != BND_OK)) {
            found->why_not = "its integers have too few bits";
        }
    }
    if (!found->element.has_zero) { /* magnitudes count from zero */
        found->why_not = "its format has no zero";
    }
    found->scales = search->has_scales ? search->groups.count : 0;
    found->tensors = search->has_second ? 1 : 0;
    found->codes = weight->count;
    if (search->has_scales && search->groups.count != bndi_stored_scale_count(weight)) {
        found->why_not = "its scales are in another order";
    }
    if (search->has_second) {
        const unsigned char *at = weight->parts[BND_PART_SECOND]->data;
        uint32_t word = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        memcpy(&search->stored, &word, sizeof word);
    } else if (search->has_scales && search->groups.band == 0) {
        bndi_stored_scales(&search->stored, weight, 0, 1);
    }
}

/* ---- magnitudes ---- */

typedef struct measured {
    float amax, least, zero;
    bool has_zero, not_powers;
    bool shared; /* the least scale is that of several groups */
} measured;

typedef struct measure_job {
    measured parts[BNDI_BATCH], sum;
} measure_job;

static bool is_power(float x)
{
    int exponent;
    return x > 0 && x - x == 0 && frexpf(x, &exponent) == 0.5F;
}

static void take_least(measured *m, float scale, bool shared)
{
    if (scale < m->least) {
        m->least = scale;
        m->shared = shared;
    } else if (scale == m->least && scale < INFINITY) {
        m->shared = true;
    }
}

static bool measure_piece(const bndi_piece_batch *batch, size_t part, uint64_t piece)
{
    measured *m = &((measure_job *)batch->state)->parts[part];
    bndi_piece_room room;
    if (!bndi_piece_room_fill(&room, batch->search, piece, false)) {
        return false;
    }
    *m = (measured){.least = INFINITY};
    for (size_t i = 0; i < room.piece.groups; i++) {
        const float amax = room.amax[i], scale = room.scales[i];
        m->amax = amax > m->amax || amax != amax ? amax : m->amax;
        m->not_powers = m->not_powers || (amax != 0 && !is_power(scale));
        if (amax == 0 && !m->has_zero) {
            m->has_zero = true;
            m->zero = scale;
        }
        if (amax > 0) {
            take_least(m, scale, false);
        }
    }
    bndi_piece_room_empty(&room);
    return true;
}

static void take_measures(const bndi_piece_batch *batch, size_t parts)
{
    measure_job *job = batch->state;
    measured *sum = &job->sum;
    for (size_t i = 0; i < parts; i++) {
        const measured *m = &job->parts[i];
        sum->amax = m->amax > sum->amax || m->amax != m->amax ? m->amax : sum->amax;
        sum->not_powers = sum->not_powers || m->not_powers;
        sum->zero = m->has_zero && !sum->has_zero ? m->zero : sum->zero;
        sum->has_zero = sum->has_zero || m->has_zero;
        take_least(sum, m->least, m->shared);
    }
}

bnd_status bndi_search_measure(bndi_search *search, const bndi_search_watch *watch, bnd_error *why)
{
    measure_job *job = calloc(1, sizeof *job);
    if (job == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to search how %s was made", search->weight->name);
    }
    job->sum.least = INFINITY;
    bnd_status status = bndi_in_batches(search, 1, measure_piece, take_measures, job, watch, why);
    if (status == BND_OK) {
        search->amax = search->shared_amax = job->sum.amax;
        search->least = job->sum.shared ? job->sum.least : 0; /* of one group: it would explain itself */
        search->zero = job->sum.zero;
        search->powers = search->has_scales && !job->sum.not_powers;
    }
    free(job);
    return status;
}

/* ---- scales ---- */

/* The rows that reproduce most, if they reproduce any, and of these the ones that need the least scale least often: it
 * explains every scale if all are equal. Returns how many scales that is. */
static uint64_t take_rows(uint64_t *set, uint64_t *raised, const bndi_scale_counts *counts)
{
    uint64_t most = 0;
    *set = 0;
    *raised = 0;
    for (size_t r = 0; r < bndi_scale_rows(); r++) {
        const uint64_t made = counts->made[r];
        if (made > most || (made == most && counts->raised[r] < *raised)) {
            most = made;
            *raised = counts->raised[r];
            *set = 0;
        }
        if (most > 0 && made == most && counts->raised[r] == *raised) {
            *set |= (uint64_t)1 << r;
        }
    }
    return most;
}

static void count_kinds(bndi_scale_counts *counts, unsigned kinds, const bndi_scale_facts *facts, const float *amax,
                        const float *stored, size_t groups)
{
    for (unsigned kind = 0; kind <= BNDI_OF_DIVISOR; kind++) {
        if ((kinds >> kind & 1) != 0) {
            bndi_tally_scales(counts, (bndi_scale_kind)kind, facts, amax, stored, groups);
        }
    }
}

bool bndi_search_tensor(bndi_search *search, float amax, size_t fused)
{
    bndi_scale_facts facts = bndi_facts_of(search);
    bndi_scale_counts counts = {.scales = 0};
    uint64_t raised, set;
    unsigned kinds = bndi_kinds_of(search);
    if (search->has_second) {
        facts.stored = *bnd_format_at(BND_FORMAT_FP32);
        kinds = 1U << (search->second_divides != search->found.inverted ? BNDI_OF_DIVISOR : BNDI_OF_FACTOR);
    }
    facts.least = 0; /* of one scale: it would explain itself */
    facts.zero = search->stored;
    count_kinds(&counts, kinds, &facts, &amax, &search->stored, 1);
    const uint64_t made = take_rows(&set, &raised, &counts);
    if (search->has_second) {
        search->sets.tensor = set;
        search->found.tensors_made = made;
    } else {
        search->sets.scale = set;
        search->found.scales_made = made;
    }
    if (made == 0) {
        return false;
    }
    search->shared_amax = amax;
    search->found.fused = fused;
    return true;
}

typedef struct scales_job {
    bndi_scale_facts facts;
    unsigned kinds;
    bndi_scale_counts parts[BNDI_BATCH], sum;
} scales_job;

static bool count_piece(const bndi_piece_batch *batch, size_t part, uint64_t piece)
{
    scales_job *job = batch->state;
    bndi_piece_room room;
    job->parts[part] = (bndi_scale_counts){.scales = 0};
    if (!bndi_piece_room_fill(&room, batch->search, piece, false)) {
        return false;
    }
    count_kinds(&job->parts[part], job->kinds, &job->facts, room.amax, room.scales, room.piece.groups);
    bndi_piece_room_empty(&room);
    return true;
}

static void take_counts(const bndi_piece_batch *batch, size_t parts)
{
    scales_job *job = batch->state;
    for (size_t i = 0; i < parts; i++) {
        bndi_add_scale_counts(&job->sum, &job->parts[i]);
    }
}

static bnd_status search_scales(bndi_search *search, const bndi_search_watch *watch, bnd_error *why)
{
    scales_job *job = calloc(1, sizeof *job);
    if (job == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare scales of %s", search->weight->name);
    }
    job->facts = bndi_facts_of(search);
    job->kinds = bndi_kinds_of(search);
    bnd_status status = bndi_in_batches(search, 1, count_piece, take_counts, job, watch, why);
    if (status == BND_OK) {
        uint64_t raised;
        search->found.scales_made = take_rows(&search->sets.scale, &raised, &job->sum);
        search->found.least = raised > 0 ? search->least : 0;
    }
    free(job);
    return status;
}

/* ---- all ---- */

bnd_status bndi_search_rest(bndi_search *search, const bndi_search_watch *watch, bnd_error *why)
{
    const bool has_groups = search->has_scales && search->groups.band != 0;
    bnd_status status = has_groups ? search_scales(search, watch, why) : BND_OK;
    const bool other = search->found.inverted;
    bndi_search_choose(&search->found, &search->sets);
    status = status == BND_OK ? bndi_search_codes(search, watch, why) : status;
    if (status == BND_OK && (search->found.inverted != other || search->found.other_element)) {
        /* another reading of the bytes: the scales are compared again */
        const bndi_search_watch quiet = {watch->context, NULL, NULL};
        status = has_groups ? search_scales(search, &quiet, why) : BND_OK;
        if (search->stored != 0 && !bndi_search_tensor(search, search->shared_amax, search->found.fused)) {
            search->found.fused = 0;
        }
    }
    bndi_search_choose(&search->found, &search->sets);
    return status;
}

/* ---- the first rows ---- */

static uint8_t first_of(uint64_t set)
{
    uint8_t first = 0;
    while (first < 64 && (set >> first & 1) == 0) {
        first++;
    }
    return first < 64 ? first : BND_MADE_NONE;
}

void bndi_search_choose(bnd_explanation *out, const bndi_made_sets *sets)
{
    uint64_t *fits = out->fits;
    size_t chosen = BNDI_CODE_WAYS;
    fits[BND_MADE_TENSOR] = sets->tensor;
    fits[BND_MADE_SCALE] = sets->scale;
    fits[BND_MADE_QUOTIENT] = fits[BND_MADE_ROUNDING] = fits[BND_MADE_ZERO] = 0;
    for (size_t w = 0; w < BNDI_CODE_WAYS; w++) {
        const bool either = w / BNDI_QUOTIENTS / BNDI_ZEROS == BNDI_ROUND_EITHER;
        if (either && chosen / BNDI_QUOTIENTS / BNDI_ZEROS < BNDI_ROUND_EITHER) {
            break; /* whatever fits, either of two neighbours fits, too: also for other quotients */
        }
        if ((sets->ways[w / 64] >> w % 64 & 1) != 0) {
            chosen = chosen == BNDI_CODE_WAYS ? w : chosen;
            fits[BND_MADE_QUOTIENT] |= (uint64_t)1 << w % BNDI_QUOTIENTS;
            fits[BND_MADE_ROUNDING] |= (uint64_t)1 << w / BNDI_QUOTIENTS / BNDI_ZEROS;
            fits[BND_MADE_ZERO] |= (uint64_t)1 << w / BNDI_QUOTIENTS % BNDI_ZEROS;
        }
    }
    const bool any = chosen != BNDI_CODE_WAYS;
    out->row[BND_MADE_TENSOR] = first_of(sets->tensor);
    out->row[BND_MADE_SCALE] = first_of(sets->scale);
    out->row[BND_MADE_QUOTIENT] = any ? (uint8_t)(chosen % BNDI_QUOTIENTS) : BND_MADE_NONE;
    out->row[BND_MADE_ROUNDING] = any ? (uint8_t)(chosen / BNDI_QUOTIENTS / BNDI_ZEROS) : BND_MADE_NONE;
    out->row[BND_MADE_ZERO] = any ? (uint8_t)(chosen / BNDI_QUOTIENTS % BNDI_ZEROS) : BND_MADE_NONE;
}
