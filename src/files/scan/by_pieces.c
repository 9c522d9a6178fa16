/* A tensor piece by piece: decoded, rounded to each candidate, and compared. */
#include "scan/scan.h"

#include "bulk/threads.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a thread works in. */
typedef struct room {
    float *x, *y;
    unsigned char *scales; /* of rows */
    float *amax;           /* per candidate: the largest magnitude of blocks without NaNs and infinities */
    bndi_comparison *results;
    bndi_counter *counters[BNDI_COUNT_GROUPS];
    bool *counted; /* per candidate: this piece is */
    bndi_input input;
    uint64_t bins[BNDI_BINS_SIZE];
    bnd_status status;
    bnd_error why;
} room;

typedef struct walk {
    bndi_scan_job *job;
    bndi_pieces pieces;
    bndi_count_plan counts;
    room *rooms;
    bndi_scan_scales *scales; /* per candidate, if it needs the amax of the tensor */
    float *row_amax;          /* of all rows, where pieces do not have whole ones */
    uint64_t next, end;       /* pieces of this round */
    double normal;            /* below that a number is subnormal */
    bool with_input;
    void (*work)(struct walk *walk, room *r, const bndi_rectangle *piece);
} walk;

/* ---- the largest magnitudes ---- */

/* Of the groups that have neither NaN nor infinity: those share a scale which does not count. */
static float amax_of_finite_groups(const float *x, const bndi_rectangle *p, const bnd_candidate *c)
{
    uint64_t down, across;
    float amax = 0;
    bndi_sharing_of(&down, &across, c);
    down = down > 0 ? down : p->rows;
    across = across > 0 ? across : p->columns;
    for (size_t row = 0; row < p->rows; row += down) {
        for (size_t column = 0; column < p->columns; column += across) {
            size_t width = p->columns - column < across ? p->columns - column : (size_t)across;
            float group = 0;
            for (size_t r = row; r < p->rows && r < row + down; r++) {
                float of_row = bnd_largest_magnitude_f32(x + r * p->columns + column, width, NULL);
                group = of_row > group || isnan(of_row) ? of_row : group;
            }
            amax = isfinite(group) && group > amax ? group : amax;
        }
    }
    return amax;
}

/* NaN is larger than anything, and so is infinity. */
static float larger(float a, float b)
{
    return isnan(a) || a > b ? a : b;
}

static void find_amax(walk *w, room *r, const bndi_rectangle *p)
{
    const float amax = bnd_largest_magnitude_f32(r->x, p->rows * p->columns, NULL);
    for (size_t i = 0; i < w->job->count; i++) {
        const bnd_candidate *c = &w->job->candidates[i];
        bool by_groups = c->shared && c->block.tensor && !isfinite(amax);
        r->amax[i] = larger(r->amax[i], by_groups ? amax_of_finite_groups(r->x, p, c) : amax);
    }
    for (size_t row = 0; w->row_amax != NULL && row < p->rows; row++) {
        /* Pieces of one row may be with other threads; bits of magnitudes are in the order of these. */
        float of_row = bnd_largest_magnitude_f32(r->x + row * p->columns, p->columns, NULL);
        uint32_t bits, old;
        memcpy(&bits, &of_row, sizeof bits);
        uint32_t *place = (uint32_t *)(void *)&w->row_amax[p->row + row];
        bits &= 0x7fffffff;
        old = __atomic_load_n(place, __ATOMIC_RELAXED);
        while (old < bits &&
               !__atomic_compare_exchange_n(place, &old, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
}

/* ---- rounding ---- */

static bool is_by_rows(const bnd_candidate *c)
{
    return c->shared && c->block.sharing == BND_SHARE_BLOCK && c->block.along == 0;
}

/* The scales of rows that this piece has only a part of. */
static bndi_scan_scales scales_of_rows(const walk *w, const room *r, const bndi_rectangle *p, const bnd_candidate *c)
{
    const size_t bytes = c->block.scale.width / 8u;
    bndi_scan_scales one;
    for (size_t row = 0; row < p->rows; row++) {
        bndi_scales_of_amax(&one, c, w->row_amax[p->row + row]);
        memcpy(r->scales + row * bytes, one.code, bytes);
    }
    one.given.scales = r->scales;
    return one;
}

static void count_groups(walk *w, room *r, const bndi_rectangle *p)
{
    for (size_t g = 0; g < w->counts.count; g++) {
        const bndi_count_group *group = &w->counts.groups[g];
        bool counted = bndi_count_piece(r->counters[g], &w->counts, g, p, r->x, w->scales, r->results);
        for (size_t i = 0; i < group->count; i++) {
            r->counted[group->members[i]] = counted;
        }
    }
}

static void compare_candidates(walk *w, room *r, const bndi_rectangle *p)
{
    const size_t n = p->rows * p->columns;
    const uint64_t sizes[2] = {p->rows, p->columns};
    count_groups(w, r, p);
    for (size_t i = 0; i < w->job->count; i++) {
        const bnd_candidate *c = &w->job->candidates[i];
        bnd_stats stats = {.elements = 0};
        bnd_shape shape = {1, n, 1};
        if (w->job->done[i] || r->counted[i] || (c->shared && !bndi_candidate_shape(&shape, c, sizes, 2))) {
            continue;
        }
        bool by_rows = w->pieces.split && is_by_rows(c);
        bndi_scan_scales of_rows = by_rows ? scales_of_rows(w, r, p, c) : (bndi_scan_scales){.tensor_scale = 0};
        bndi_round_to(r->y, r->x, shape, c, by_rows ? &of_rows : &w->scales[i],
                      bndi_candidate_can_overflow(c) ? &stats : NULL);
        bndi_compare(&r->results[i], r->bins, r->x, r->y, n);
        r->results[i].overflows += stats.overflows;
    }
    if (w->with_input) {
        bndi_input_add_all(&r->input, r->bins, r->x, n, w->normal);
    }
}

/* ---- the walk ---- */

static void do_pieces(void *of, size_t which, bool in_order)
{
    walk *w = of;
    room *r = &w->rooms[which];
    for (;;) {
        uint64_t i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED);
        if (i >= w->end || r->status != BND_OK) {
            break;
        }
        bndi_rectangle piece = bndi_piece_at(&w->pieces, w->job->tensor, i);
        r->status = bndi_piece_read(w->job->tensor, &piece, r->x, &r->why);
        if (r->status == BND_OK) {
            w->work(w, r, &piece);
        }
    }
    (void)in_order;
}

static bnd_status status_of_rooms(const walk *w, bnd_error *why)
{
    for (size_t i = 0; i < w->job->threads; i++) {
        if (w->rooms[i].status != BND_OK) {
            if (why != NULL) {
                *why = w->rooms[i].why;
            }
            return w->rooms[i].status;
        }
    }
    return BND_OK;
}

/* Over all pieces, in rounds, so that the watch is told of progress. */
static bnd_status go(walk *w, void (*work)(walk *walk, room *r, const bndi_rectangle *piece), bnd_error *why)
{
    enum { ROUND = 1 << 27 };
    const uint64_t elements = w->pieces.height * w->pieces.width;
    const uint64_t each = elements >= ROUND ? 1 : elements == 0 ? 1 : ROUND / elements;
    bnd_status status = BND_OK;
    uint64_t told = 0;
    w->work = work;
    for (uint64_t begin = 0; status == BND_OK && begin < w->pieces.count; begin += each) {
        w->next = begin;
        w->end = w->pieces.count - begin < each ? w->pieces.count : begin + each;
        bnd_lab_parallel(w->job->threads, BNDI_EVENLY, do_pieces, w, w->job->threads);
        status = status_of_rooms(w, why);
        uint64_t now = w->end == w->pieces.count ? w->job->tensor->count : w->end * elements;
        now = now < w->job->tensor->count ? now : w->job->tensor->count;
        if (status == BND_OK && !w->job->at(w->job->state, now - told)) {
            status = bnd_fail(why, BND_BAD_STREAM, 0, "the scan was ended");
        }
        told = now;
    }
    return status;
}

/* ---- the scales of the whole tensor ---- */

bool bndi_needs_first_pass(const bndi_scan_job *job, const bndi_pieces *pieces)
{
    bool needs = false;
    for (size_t i = 0; i < job->count; i++) {
        const bnd_candidate *c = &job->candidates[i];
        needs = needs || (!job->done[i] &&
                          ((bndi_candidate_needs_amax(c) && !isfinite(job->amax)) || (pieces->split && is_by_rows(c))));
    }
    return needs;
}

static bnd_status find_scales(walk *w, bnd_error *why)
{
    bnd_status status = BND_OK;
    bool first_pass = bndi_needs_first_pass(w->job, &w->pieces);
    if (first_pass) {
        status = go(w, find_amax, why);
    }
    for (size_t i = 0; status == BND_OK && i < w->job->count; i++) {
        float amax = first_pass ? 0 : w->job->amax;
        for (size_t k = 0; first_pass && k < w->job->threads; k++) {
            amax = larger(w->rooms[k].amax[i], amax);
        }
        if (bndi_candidate_needs_amax(&w->job->candidates[i])) {
            bndi_scales_of_amax(&w->scales[i], &w->job->candidates[i], amax);
        }
    }
    return status;
}

/* ---- memory ---- */

static bool open_room(room *r, const walk *w)
{
    const size_t n = (size_t)(w->pieces.height * w->pieces.width), candidates = w->job->count;
    r->x = malloc((n + 1) * sizeof *r->x);
    r->y = malloc((n + 1) * sizeof *r->y);
    r->scales = malloc(((size_t)w->pieces.height + 1) * sizeof(uint32_t));
    r->amax = calloc(candidates, sizeof *r->amax);
    r->results = calloc(candidates, sizeof *r->results);
    r->counted = calloc(candidates, sizeof *r->counted);
    bool good = r->counted != NULL;
    for (size_t g = 0; good && g < w->counts.count; g++) {
        r->counters[g] = bndi_counter_new(&w->counts, g, w->pieces.height, w->pieces.width);
        good = r->counters[g] != NULL;
    }
    return good && r->x != NULL && r->y != NULL && r->scales != NULL && r->amax != NULL && r->results != NULL;
}

static void close_walk(walk *w)
{
    for (size_t i = 0; w->rooms != NULL && i < w->job->threads; i++) {
        free(w->rooms[i].x);
        free(w->rooms[i].y);
        free(w->rooms[i].scales);
        free(w->rooms[i].amax);
        free(w->rooms[i].results);
        free(w->rooms[i].counted);
        for (size_t g = 0; g < w->counts.count; g++) {
            bndi_counter_free(w->rooms[i].counters[g]);
        }
    }
    free(w->rooms);
    free(w->scales);
    free(w->row_amax);
    free(w->counts.values);
}

static bnd_status open_walk(walk *w, bnd_error *why)
{
    const uint64_t rows = w->job->tensor->matrices * w->job->tensor->rows;
    w->rooms = calloc(w->job->threads, sizeof *w->rooms);
    w->scales = calloc(w->job->count, sizeof *w->scales);
    w->row_amax = w->pieces.split ? calloc((size_t)rows, sizeof *w->row_amax) : NULL;
    bool good = bndi_plan_counts(&w->counts, w->job) && w->rooms != NULL && w->scales != NULL &&
                (w->row_amax != NULL || !w->pieces.split);
    for (size_t i = 0; good && i < w->job->threads; i++) {
        good = open_room(&w->rooms[i], w);
    }
    return good ? BND_OK : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the pieces of a tensor");
}

/* The threads that the pieces leave memory for. */
static size_t threads_for(const bndi_scan_job *job, const bndi_pieces *pieces)
{
    const uint64_t most = (uint64_t)100 << 20, each = 2 * sizeof(float) * pieces->height * pieces->width + 1;
    uint64_t threads = most / each;
    threads = threads < 1 ? 1 : threads;
    threads = threads > pieces->count ? pieces->count : threads;
    return threads < 1 ? 1 : threads < job->threads ? (size_t)threads : job->threads;
}

static void empty_counters(void *of, size_t which, bool in_order)
{
    const walk *w = of;
    for (size_t g = 0; g < w->counts.count; g++) {
        bndi_empty_counter(w->rooms[which].counters[g], &w->counts, g, w->scales, w->rooms[which].results);
    }
    (void)in_order;
}

bnd_status bndi_scan_by_pieces(bndi_scan_job *job, bool with_input, bnd_error *why)
{
    const size_t threads = job->threads;
    const bnd_format *f = job->tensor->format != NULL ? job->tensor->format : bnd_format_at(BND_FORMAT_FP32);
    walk w = {.job = job, .with_input = with_input, .normal = ldexp(1, f->emin)};
    bnd_status status = bndi_pieces_plan(&w.pieces, job, why);
    if (status == BND_OK) {
        job->threads = threads_for(job, &w.pieces);
        status = open_walk(&w, why);
        status = status == BND_OK ? find_scales(&w, why) : status;
        status = status == BND_OK ? go(&w, compare_candidates, why) : status;
        if (status == BND_OK) {
            bnd_lab_parallel(job->threads, BNDI_EVENLY, empty_counters, &w, job->threads);
        }
        for (size_t k = 0; status == BND_OK && k < job->threads; k++) {
            for (size_t i = 0; i < job->count; i++) {
                bndi_comparison_add(&job->results[i], &w.rooms[k].results[i]);
            }
            bndi_input_merge(&job->input, &w.rooms[k].input);
        }
        close_walk(&w);
        job->threads = threads;
    }
    for (size_t i = 0; status == BND_OK && i < job->count; i++) {
        job->done[i] = true;
    }
    return status;
}
