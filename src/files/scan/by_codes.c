/* A tensor of 8- or 16-bit codes: the codes are counted, and each that occurs is rounded once per candidate. */
#include "scan/scan.h"

#include "bulk/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The numbers that occur, finite ones in the order of their magnitudes; and how often. */
typedef struct numbers {
    float values[BNDI_CODES]; /* of all codes */
    float x[BNDI_CODES];
    uint64_t times[BNDI_CODES];
    size_t count;
    float largest; /* magnitude; NaN if one is not finite */
} numbers;

/* ---- counting ---- */

typedef struct counter {
    uint64_t counts[BNDI_CODES];
    uint32_t counters[BNDI_CODES];
} counter;

typedef struct counting {
    const bndi_tensor *tensor;
    counter *counters; /* one per part */
    uint64_t at;       /* the first element of this round, */
    size_t each, left; /* those of a part, and of all parts */
} counting;

static void count_part(void *of, size_t part, bool in_order)
{
    const counting *c = of;
    const unsigned bytes = c->tensor->format->width / 8;
    size_t begin = part * c->each;
    size_t n = begin >= c->left ? 0 : c->left - begin < c->each ? c->left - begin : c->each;
    bndi_count_codes(c->counters[part].counts, c->counters[part].counters, c->tensor->codes + (c->at + begin) * bytes,
                     bytes, n);
    (void)in_order;
}

/* In rounds, so that the watch is told of progress. The counts of all parts go to those of the first. */
static bnd_status count_all(bndi_scan_job *job, counter *counters, bnd_error *why)
{
    const size_t round = (size_t)1 << 27;
    counting c = {.tensor = job->tensor, .counters = counters};
    for (; c.at < job->tensor->count; c.at += c.left) {
        uint64_t left = job->tensor->count - c.at;
        c.left = left < round ? (size_t)left : round;
        c.each = (c.left + job->threads - 1) / job->threads;
        bnd_lab_parallel(job->threads, BNDI_EVENLY, count_part, &c, job->threads);
        if (!job->at(job->state, c.left)) {
            return bnd_fail(why, BND_BAD_STREAM, 0, "the scan was ended");
        }
    }
    for (size_t part = 1; part < job->threads; part++) {
        for (size_t code = 0; code < BNDI_CODES; code++) {
            counters->counts[code] += counters[part].counts[code];
        }
    }
    return BND_OK;
}

/* ---- the numbers that occur ---- */

static void add_code(numbers *all, const uint64_t *counts, size_t code)
{
    if (counts[code] > 0) {
        all->x[all->count] = all->values[code];
        all->times[all->count] = counts[code];
        all->count++;
    }
}

/* Codes are in the order of their magnitudes, with a sign in front where there is one. */
static void collect(numbers *all, const bnd_format *format, const uint64_t *counts)
{
    const size_t codes = (size_t)1 << format->width, half = format->is_signed ? codes / 2 : codes;
    bndi_decode_all(all->values, format);
    all->count = 0;
    for (size_t magnitude = 0; magnitude < half; magnitude++) {
        add_code(all, counts, magnitude);
        if (format->is_signed) {
            add_code(all, counts, magnitude + half);
        }
    }
    all->largest = bnd_largest_magnitude_f32(all->x, all->count, NULL);
}

static void describe(bndi_input *input, const numbers *all, const bnd_format *format)
{
    for (size_t i = 0; i < all->count; i++) {
        bndi_input_add(input, all->x[i], all->times[i], ldexp(1, format->emin));
    }
}

/* ---- a candidate ---- */

typedef struct rounded {
    float x[BNDI_CODES], y[BNDI_CODES];
} rounded;

/* x of one sign, the others replaced by 0; or all. Returns how many of them overflow. */
static uint64_t round_numbers(rounded *r, const numbers *all, const bnd_candidate *candidate, int sign,
                              const bndi_scan_scales *scales)
{
    bnd_stats stats = {.elements = 0};
    for (size_t i = 0; i < all->count; i++) {
        r->x[i] = sign == 0 || (signbit(all->x[i]) != 0) == (sign < 0) ? all->x[i] : 0;
    }
    const bnd_shape shape = {1, all->count, 1};
    bndi_round_to(r->y, r->x, shape, candidate, scales, sign != 0 ? &stats : NULL);
    return stats.overflows;
}

/* The largest magnitudes are those that overflow. */
static uint64_t times_of_largest(const numbers *all, uint64_t which, bool negative)
{
    uint64_t times = 0;
    for (size_t i = all->count; i > 0 && which > 0; i--) {
        bool meant = isfinite(all->x[i - 1]) && (signbit(all->x[i - 1]) != 0) == negative;
        times += meant ? all->times[i - 1] : 0;
        which -= meant;
    }
    return times;
}

static void compare_candidate(bndi_comparison *result, rounded *r, const numbers *all, const bnd_candidate *candidate)
{
    bndi_scan_scales scales;
    bndi_scales_of_amax(&scales, candidate, all->largest);
    if (bndi_candidate_can_overflow(candidate)) {
        uint64_t positive = round_numbers(r, all, candidate, 1, &scales);
        uint64_t negative = round_numbers(r, all, candidate, -1, &scales);
        result->overflows += times_of_largest(all, positive, false) + times_of_largest(all, negative, true);
    }
    round_numbers(r, all, candidate, 0, &scales);
    for (size_t i = 0; i < all->count; i++) {
        bndi_compare_times(result, all->x[i], r->y[i], all->times[i]);
    }
}

/* ---- all candidates, in parallel ---- */

typedef struct rounding {
    bndi_scan_job *job;
    const numbers *all;
    rounded *rooms; /* one per candidate of a round */
    size_t first;
} rounding;

static void round_part(void *of, size_t part, bool in_order)
{
    const rounding *r = of;
    const size_t i = r->first + part;
    if (bndi_candidate_is_by_codes(&r->job->candidates[i])) {
        compare_candidate(&r->job->results[i], &r->rooms[part], r->all, &r->job->candidates[i]);
        r->job->done[i] = true;
    }
    (void)in_order;
}

static void round_all(bndi_scan_job *job, const numbers *all, rounded *rooms)
{
    rounding r = {.job = job, .all = all, .rooms = rooms};
    for (; r.first < job->count; r.first += job->threads) {
        size_t left = job->count - r.first, parts = left < job->threads ? left : job->threads;
        bnd_lab_parallel(parts, BNDI_AS_ASKED, round_part, &r, parts);
    }
}

bnd_status bndi_scan_by_codes(bndi_scan_job *job, bnd_error *why)
{
    counter *counters = calloc(job->threads, sizeof *counters);
    rounded *rooms = malloc(job->threads * sizeof *rooms);
    numbers *all = malloc(sizeof *all);
    bnd_status status = counters != NULL && rooms != NULL && all != NULL
                            ? count_all(job, counters, why)
                            : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the counts of codes");
    if (status == BND_OK) {
        collect(all, job->tensor->format, counters->counts);
        describe(&job->input, all, job->tensor->format);
        job->amax = all->largest;
        round_all(job, all, rooms);
    }
    free(counters);
    free(rooms);
    free(all);
    return status;
}
