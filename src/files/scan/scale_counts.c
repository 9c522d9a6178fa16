/* Pairs of scale and code: the result for an element of a 16-bit format depends on nothing else, where blocks share a
 * scale of 8 bits. So the codes are counted per scale, and each that occurs is rounded once per scale.
 *
 * Candidates with the same blocks are counted together: a slot of counters belongs to one scale of each. Blocks are
 * taken slot by slot, so that the counters in use stay in the first cache. Signs do not matter: elements are formats
 * that have the negative of each of their numbers. */
#include "scan/count_words.h"
#include "scan/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAGNITUDES = BNDI_CODES / 2,
    SLOTS = 128,        /* at most; tensors need 10 to 60 of them */
    FEWEST = 32,        /* slots that make counting worth it, */
    ELEMENTS = 1 << 18, /* the same of a tensor, per thread; and between two times that slots are emptied */
    PLACES = 256,
    SHORTEST = 8 /* block */
};
static const uint64_t FULL = UINT64_C(1) << 31; /* elements: below what 32 bits count */

/* ---- which candidates ---- */

static bool has_negatives(const bnd_format *format)
{
    unsigned char codes[256];
    float values[256], negatives[256], rounded[256];
    const size_t n = (size_t)1 << format->width;
    for (size_t i = 0; i < n; i++) {
        codes[i] = (unsigned char)i;
    }
    const bnd_array bytes = {.packing_in = BND_PACKING_UNPACKED};
    bool good = bnd_decode_f32(values, codes, n, format, &bytes, NULL) == BND_OK;
    for (size_t i = 0; good && i < n; i++) {
        values[i] = isfinite(values[i]) ? values[i] : 0;
        negatives[i] = -values[i];
    }
    good = good && bnd_round_f32(rounded, negatives, n, format, NULL, NULL, NULL) == BND_OK;
    for (size_t i = 0; good && i < n; i++) {
        good = rounded[i] == negatives[i];
    }
    return good;
}

static bool can_be_counted(const bnd_candidate *c)
{
    return c->shared && c->block.sharing == BND_SHARE_BLOCK && c->block.along >= SHORTEST &&
           c->block.scale.width == 8 && !c->block.integer && c->format.width > 0 && c->format.width <= 8 &&
           has_negatives(&c->format);
}

/* Is the upper half of the codes the negative of the lower one? */
static bool has_signs_in_front(const float *values)
{
    bool good = true;
    for (size_t i = 0; i < MAGNITUDES; i++) {
        const float a = values[i], b = values[i + MAGNITUDES];
        good = good && (a == -b || (isnan(a) && isnan(b)));
    }
    return good;
}

static void add_to_groups(bndi_count_plan *plan, size_t candidate, size_t along)
{
    size_t g = 0;
    while (g < plan->count && (plan->groups[g].along != along || plan->groups[g].count == BNDI_TOGETHER)) {
        g++;
    }
    if (g < BNDI_COUNT_GROUPS) {
        bndi_count_group *group = &plan->groups[g];
        group->along = along;
        group->members[group->count++] = candidate;
        plan->count = g == plan->count ? g + 1 : plan->count;
    }
}

static bool little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

bool bndi_plan_counts(bndi_count_plan *plan, const bndi_scan_job *job)
{
    const uint64_t most = (uint64_t)BNDI_COUNT_MEMORY / (MAGNITUDES * sizeof(uint32_t)) / job->threads;
    const bnd_format *format = job->tensor->format;
    *plan = (bndi_count_plan){.job = job};
    if (format == NULL || format->width != 16 || !format->is_signed || !little_endian() ||
        job->tensor->count / job->threads < ELEMENTS) {
        return true;
    }
    for (size_t i = 0; i < job->count; i++) {
        if (!job->done[i] && can_be_counted(&job->candidates[i])) {
            add_to_groups(plan, i, job->candidates[i].block.along);
        }
    }
    plan->slots = plan->count == 0 ? 0 : (size_t)(most / plan->count < SLOTS ? most / plan->count : SLOTS);
    if (plan->slots < FEWEST) {
        plan->count = 0;
        return true;
    }
    plan->values = malloc(BNDI_CODES * sizeof *plan->values);
    if (plan->values == NULL) {
        return false;
    }
    bndi_decode_all(plan->values, format);
    plan->count = has_signs_in_front(plan->values) ? plan->count : 0;
    return true;
}

/* ---- memory of a thread ---- */

struct bndi_counter {
    uint32_t *counts[SLOTS]; /* of all magnitudes; made when first used */
    uint32_t keys[SLOTS];
    unsigned char places[PLACES]; /* one more than the slot of a key, by its hash */
    size_t used, made;            /* slots */
    uint64_t elements;            /* since the slots were emptied */
    bool off;                     /* too many scales */
    unsigned char *scales[BNDI_TOGETHER];
    size_t *order;                      /* where blocks are, by slots */
    unsigned char *slot;                /* of each block */
    float x[MAGNITUDES], y[MAGNITUDES]; /* what occurs with a scale, and what it becomes */
    uint64_t times[MAGNITUDES];
};

void bndi_counter_free(bndi_counter *counter)
{
    if (counter != NULL) {
        for (size_t i = 0; i < counter->made; i++) {
            free(counter->counts[i]);
        }
        free(counter->order);
        free(counter->slot);
        for (size_t i = 0; i < BNDI_TOGETHER; i++) {
            free(counter->scales[i]);
        }
        free(counter);
    }
}

bndi_counter *bndi_counter_new(const bndi_count_plan *plan, size_t group, uint64_t height, uint64_t width)
{
    const bndi_count_group *g = &plan->groups[group];
    const size_t blocks = (size_t)(height * ((width - 1) / g->along + 1));
    bndi_counter *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->order = malloc(blocks * sizeof *c->order);
    c->slot = malloc(blocks);
    bool good = c->order != NULL && c->slot != NULL;
    for (size_t i = 0; i < g->count; i++) {
        c->scales[i] = malloc(blocks);
        good = good && c->scales[i] != NULL;
    }
    if (!good) {
        bndi_counter_free(c);
        return NULL;
    }
    return c;
}

/* ---- emptying the slots ---- */

/* Takes the magnitudes that occur out of a slot. */
static size_t take_slot(bndi_counter *c, const float *values, size_t slot)
{
    uint32_t *counts = c->counts[slot];
    size_t n = 0;
    for (size_t at = 0; at < MAGNITUDES; at += 16) {
        uint32_t any = 0;
        for (size_t i = 0; i < 16; i++) {
            any |= counts[at + i];
        }
        for (size_t i = 0; any != 0 && i < 16; i++) {
            if (counts[at + i] > 0) {
                c->x[n] = values[at + i];
                c->times[n++] = counts[at + i];
                counts[at + i] = 0;
            }
        }
    }
    return n;
}

/* The largest of n magnitudes are those that overflow. Blocks with NaNs and infinities have a NaN as their scale. */
static uint64_t times_of_largest(const bndi_counter *c, size_t n, uint64_t which)
{
    uint64_t times = 0;
    for (size_t i = n; i > 0 && which > 0; i--) {
        const bool meant = isfinite(c->x[i - 1]);
        times += meant ? c->times[i - 1] : 0;
        which -= meant;
    }
    return times;
}

static void compare_slot(bndi_counter *c, size_t n, const bnd_candidate *candidate, const bndi_scan_scales *tensor,
                         unsigned char scale, bndi_comparison *result)
{
    bnd_candidate one = *candidate;
    bndi_scan_scales scales = {.given = {.scales = &scale, .tensor_scale = tensor->given.tensor_scale}};
    bnd_stats stats = {.elements = 0};
    one.block.along = 0; /* all share the scale */
    bndi_round_to(c->y, c->x, (bnd_shape){1, n, 1}, &one, &scales,
                  bndi_candidate_can_overflow(candidate) ? &stats : NULL);
    result->overflows += times_of_largest(c, n, stats.overflows);
    for (size_t i = 0; i < n; i++) {
        bndi_compare_times(result, c->x[i], c->y[i], c->times[i]);
    }
}

void bndi_empty_counter(bndi_counter *c, const bndi_count_plan *plan, size_t group, const bndi_scan_scales *scales,
                        bndi_comparison *results)
{
    const bndi_count_group *g = &plan->groups[group];
    for (size_t slot = 0; slot < c->used; slot++) {
        const size_t n = take_slot(c, plan->values, slot);
        for (size_t i = 0; i < g->count; i++) {
            const size_t at = g->members[i];
            compare_slot(c, n, &plan->job->candidates[at], &scales[at], (unsigned char)(c->keys[slot] >> 8 * i),
                         &results[at]);
        }
    }
    memset(c->places, 0, sizeof c->places);
    c->used = 0;
    c->elements = 0;
}

/* ---- counting ---- */

/* False: there is none left, or no memory for it. */
static bool open_slot(bndi_counter *c, size_t slots, uint32_t key)
{
    if (c->used == slots) {
        return false;
    }
    if (c->used == c->made) {
        c->counts[c->made] = calloc(MAGNITUDES, sizeof *c->counts[0]);
        if (c->counts[c->made] == NULL) {
            return false;
        }
        c->made++;
    }
    c->keys[c->used++] = key;
    return true;
}

/* The place of a key, or the free one where it belongs: at most half of them are taken. */
static size_t place_of(const bndi_counter *c, uint32_t key)
{
    size_t place = key * UINT32_C(2654435761) >> 24;
    while (c->places[place] != 0 && c->keys[c->places[place] - 1] != key) {
        place = (place + 1) % PLACES;
    }
    return place;
}

static uint32_t key_of(const bndi_counter *c, size_t members, size_t block)
{
    uint32_t key = 0;
    for (size_t i = 0; i < members; i++) {
        key |= (uint32_t)c->scales[i][block] << 8 * i;
    }
    return key;
}

/* False: there are more scales than slots. */
static bool find_slots(bndi_counter *c, size_t slots, size_t members, size_t blocks)
{
    for (size_t block = 0; block < blocks; block++) {
        const uint32_t key = key_of(c, members, block);
        const size_t place = place_of(c, key);
        if (c->places[place] == 0) {
            if (!open_slot(c, slots, key)) {
                return false;
            }
            c->places[place] = (unsigned char)c->used;
        }
        c->slot[block] = (unsigned char)(c->places[place] - 1);
    }
    return true;
}

/* The first block of each slot among all blocks. */
static void find_starts(size_t starts[SLOTS + 1], const bndi_counter *c, size_t blocks)
{
    memset(starts, 0, (SLOTS + 1) * sizeof *starts);
    for (size_t block = 0; block < blocks; block++) {
        starts[c->slot[block] + 1]++;
    }
    for (size_t slot = 0; slot < SLOTS; slot++) {
        starts[slot + 1] += starts[slot];
    }
}

/* Whole blocks slot by slot, and the shorter one at the end of a row at once. */
static void count_blocks(bndi_counter *c, const bndi_tensor *t, const bndi_rectangle *p, size_t along)
{
    const size_t whole = p->columns / along, rest = p->columns % along, of_row = whole + (rest > 0);
    const unsigned char *codes = t->codes + 2 * (p->row * t->columns + p->column);
    size_t starts[SLOTS + 1], ends[SLOTS];
    find_starts(starts, c, p->rows * of_row);
    memcpy(ends, starts, sizeof ends);
    for (size_t row = 0; row < p->rows; row++) {
        const unsigned char *slot = c->slot + row * of_row;
        const size_t first = row * (size_t)t->columns;
        for (size_t i = 0; i < whole; i++) {
            c->order[ends[slot[i]]++] = first + i * along;
        }
        if (rest > 0) {
            bndi_count_words(c->counts[slot[whole]], codes + 2 * (first + whole * along), rest, 0x7fff);
        }
    }
    for (size_t slot = 0; slot < c->used; slot++) {
        for (size_t i = starts[slot]; i < ends[slot]; i++) {
            bndi_count_words(c->counts[slot], codes + 2 * c->order[i], along, 0x7fff);
        }
    }
}

bool bndi_count_piece(bndi_counter *c, const bndi_count_plan *plan, size_t group, const bndi_rectangle *p,
                      const float *x, const bndi_scan_scales *scales, bndi_comparison *results)
{
    const bndi_count_group *g = &plan->groups[group];
    const size_t n = p->rows * p->columns, blocks = p->rows * ((p->columns - 1) / g->along + 1);
    if (c->off) {
        return false;
    }
    for (size_t i = 0; i < g->count; i++) {
        const bnd_block *block = &plan->job->candidates[g->members[i]].block;
        const bnd_given_scales given = {.tensor_scale = scales[g->members[i]].given.tensor_scale};
        bnd_status status = bnd_quantize_given_f32(NULL, c->scales[i], NULL, x, (bnd_shape){p->rows, p->columns, 1},
                                                   block, &given, NULL, NULL, NULL);
        (void)status; /* shapes and formats were checked before */
    }
    if (c->elements + n > FULL) {
        bndi_empty_counter(c, plan, group, scales, results);
    }
    if (!find_slots(c, plan->slots, g->count, blocks)) {
        c->off = c->elements < ELEMENTS;
        bndi_empty_counter(c, plan, group, scales, results);
        c->off = c->off || !find_slots(c, plan->slots, g->count, blocks);
    }
    if (!c->off) {
        count_blocks(c, plan->job->tensor, p, g->along);
        c->elements += n;
    }
    return !c->off;
}
