/* Pairs of runs, and their losses over the steps that all pairs have: capped at the chance level and smoothed. */
#include "study/pairs.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 20, WINDOW_MOST = 64, PAIRS_MOST = 4096 };

/* ---- pairs ---- */

static bool belong(const bnd_record *a, const bnd_record *b)
{
    return a->seed_init == b->seed_init && a->seed_data == b->seed_data && a->init_hash == b->init_hash &&
           a->order_hash == b->order_hash && bndi_record_same_data(a, b) && bndi_record_same_steps(a, b) &&
           bndi_record_same_setup(a, b);
}

/* A run counts once, however often it is given. */
static bool is_new(const bndi_seed_pair *pairs, size_t count, const bnd_record *run, const bnd_record *reference)
{
    for (size_t k = 0; k < count; k++) {
        if (bndi_record_repeats(pairs[k].run, run) || bndi_record_repeats(pairs[k].reference, reference)) {
            return false;
        }
    }
    return true;
}

static size_t find_pairs(bndi_seed_pair *pairs, const bnd_record *records, size_t count, const bnd_record *references,
                         size_t reference_count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t j = 0; !found && j < reference_count; j++) {
            found = belong(&records[i], &references[j]) && is_new(pairs, n, &records[i], &references[j]);
            if (found) {
                pairs[n++] = (bndi_seed_pair){.run = &records[i], .reference = &references[j]};
            }
        }
    }
    return n;
}

bnd_status bndi_pairs_find(bndi_seed_pair **out, size_t *count, const bnd_record *records, size_t record_count,
                           const bnd_record *references, size_t reference_count, bnd_error *why)
{
    bool few = record_count <= PAIRS_MOST && reference_count <= PAIRS_MOST;
    bndi_seed_pair *pairs = few ? calloc(record_count + 1, sizeof *pairs) : NULL;
    size_t n = 0;
    bnd_status status = BND_OK;
    if (!few) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "at most %d runs can be compared at once", PAIRS_MOST);
    } else if (pairs == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare %zu runs", record_count);
    } else {
        n = find_pairs(pairs, records, record_count, references, reference_count);
        status = n > 0 ? BND_OK
                       : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                  "no pair to compare: no run has the settings, the data, the seeds and steps of a run "
                                  "of the reference");
    }
    if (status != BND_OK) {
        free(pairs);
        return status;
    }
    *out = pairs;
    *count = n;
    return BND_OK;
}

/* ---- steps ---- */

static void keep_common(bndi_timeline *line, const bnd_record *record)
{
    size_t kept = 0, j = 0;
    for (size_t i = 0; i < line->count; i++) {
        while (j < record->count && record->points[j].step < line->step[i]) {
            j++;
        }
        bool lost = j == record->count && record->ended; /* it has every later step: as no number */
        if (lost || (j < record->count && record->points[j].step == line->step[i])) {
            line->step[kept++] = line->step[i];
        }
    }
    line->count = kept;
}

/* The recorded losses at these steps, unchanged: NaN stays NaN, and nothing is capped yet. Steps after the record's
 * end are NaN. */
static void take_losses(double *out, const bndi_timeline *line, const bnd_record *record)
{
    size_t j = 0;
    for (size_t i = 0; i < line->count; i++) {
        while (j < record->count && record->points[j].step < line->step[i]) {
            j++;
        }
        out[i] = j < record->count ? record->points[j].loss : __builtin_nan("");
    }
}

/* The trailing mean, in place from the end. NaN where one of them is NaN or infinite. */
static void smooth(double *x, size_t n, size_t window, double most)
{
    for (size_t i = n; i-- > 0;) {
        size_t m = i + 1 < window ? i + 1 : window;
        double sum = 0;
        for (size_t j = i + 1 - m; j <= i; j++) {
            sum += x[j] - x[j] != 0 ? __builtin_nan("") : x[j] < most ? x[j] : most;
        }
        x[i] = sum / (double)m;
    }
}

void bndi_pairs_smooth(bndi_seed_pair *pairs, size_t n, const bndi_timeline *line)
{
    for (size_t k = 0; k < n; k++) {
        take_losses(pairs[k].loss, line, pairs[k].run);
        take_losses(pairs[k].base, line, pairs[k].reference);
        smooth(pairs[k].loss, line->count, line->window, pairs[k].chance);
        smooth(pairs[k].base, line->count, line->window, pairs[k].chance);
    }
}

/* One that did not end, where there is one: it has the steps that the others have, too. */
static const bnd_record *one_of(const bndi_seed_pair *pairs, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const bnd_record *whole = !pairs[k].run->ended ? pairs[k].run : pairs[k].reference;
        if (!whole->ended) {
            return whole;
        }
    }
    return pairs[0].run;
}

static double known(double a, double b)
{
    return a - a == 0 ? a : b;
}

/* The reference says what chance level is, where it can. */
static void set_levels(bndi_seed_pair *p)
{
    p->chance_loss = known(p->reference->chance_loss, p->run->chance_loss);
    p->chance = known(p->chance_loss, bndi_record_cap(p->reference));
    p->floor = known(p->reference->floor, p->run->floor);
}

bnd_status bndi_pairs_lay_out(bndi_timeline *out, double **room_out, bndi_seed_pair *pairs, size_t n, bnd_error *why)
{
    const bnd_record *first = one_of(pairs, n);
    bndi_timeline line = {.count = first->count};
    size_t each = first->count + 1;
    bool fits = each <= SIZE_MAX / sizeof(double) / (2 * n + 2);
    double *room = fits ? malloc(((2 * n) * each + 2 * n) * sizeof *room) : NULL;
    line.step = room != NULL ? malloc(each * sizeof *line.step) : NULL;
    if (line.step == NULL) {
        free(room);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare %zu runs of %zu steps", n, first->count);
    }
    for (size_t i = 0; i < first->count; i++) {
        line.step[i] = first->points[i].step;
    }
    for (size_t k = 0; k < n; k++) {
        pairs[k].loss = room + 2 * n + 2 * k * each;
        pairs[k].base = pairs[k].loss + each;
        set_levels(&pairs[k]);
        keep_common(&line, pairs[k].run);
        keep_common(&line, pairs[k].reference);
    }
    size_t part = line.count / PART;
    line.window = part < 1 ? 1 : part < WINDOW_MOST ? part : WINDOW_MOST;
    *out = line;
    *room_out = room;
    return BND_OK;
}
