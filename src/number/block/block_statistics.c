/* Statistics of numbers that were scaled, rounded and scaled back.
 *
 * What is counted adds up in any order, so it is kept for a whole call; sums of squares go to the statistics element by
 * element. Threads keep the squares of an item until the items before it have been added. Three items, two threads:
 *
 *   thread 0   item 0   adds its squares   item 2 ............ adds its squares
 *   thread 1   item 1 ....................  adds its squares */
#include "base/memory.h"
#include "block/block.h"
#include "block/partial_array.h"
#include "bulk/environment.h"
#include "bulk/threads.h"

void bnd_lab_counted_open(bndi_counted *c, bnd_stats *stats, const bnd_format *element, bnd_rule rule,
                          const bnd_context *context)
{
    c->stats = stats;
    c->kernels = bnd_lab_kernels_of(context);
    c->scan = bndi_block_kernels_of(context);
    bndi_plan_make(&c->fp32, BNDI_WORDS_32, bnd_lab_format_of_words(BNDI_WORDS_32),
                   (bnd_rule){.rounding = BND_ROUND_RNE});
    c->by_plan = bnd_lab_words_hold(BNDI_WORDS_32, element) && bnd_rule_random_bits(rule) == 0;
    c->together = false;
    if (c->by_plan) {
        bndi_plan_make(&c->element, BNDI_WORDS_32, element, rule);
        c->known = (bndi_known){.words = {.asked = false}};
        const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
        bndi_ask(&c->element, false, &c->known.words);
        bndi_leave(callers);
        c->element.known = &c->known;
        c->together = c->kernels.counts != NULL && c->kernels.counts(&c->element, false);
    }
    c->flags = (bnd_stats){.elements = 0};
    c->inputs = c->rounded = (bndi_tally){.elements = 0};
    c->same = 0;
    c->kept = (bndi_value_squares){.error = NULL};
}

/* ---- rounding ---- */

static void round_piece(bndi_counted *c, float *y, size_t n)
{
    float rounded[BNDI_SQUARED];
    bndi_set_rounding(c->element.mode_to_set);
    if (c->together) {
        c->kernels.count(&c->kernels, &c->element, &c->rounded, false, y, y, n);
    } else {
        c->kernels.round[BNDI_WORDS_32](&c->element, rounded, y, NULL, n);
    }
    bndi_set_rounding(BND_ROUND_RNE);
    if (!c->together) {
        c->kernels.tally[BNDI_WORDS_32](&c->element, &c->rounded, y, rounded, NULL, n);
        __builtin_memcpy(y, rounded, n * sizeof *y);
    }
}

bool bnd_lab_counted_round(bndi_counted *c, float *y, size_t n)
{
    const size_t most = c->together ? n : BNDI_SQUARED;
    if (!c->by_plan) {
        return false;
    }
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    for (size_t at = 0; at < n; at += most) {
        round_piece(c, y + at, n - at < most ? n - at : most);
    }
    bndi_leave(callers);
    return true;
}

/* ---- values ---- */

/* Sums one after the other, in the order of the elements. A zero in place of a square changes no bit of a sum. */
static void add_squares(bnd_stats *stats, const bndi_value_squares *s, size_t n, bool clamped)
{
    double error = stats->squared_error, input = stats->squared_input;
    for (size_t i = 0; i < n; i++) {
        error += s->error[i];
        input += s->input[i];
    }
    stats->squared_error = error;
    stats->squared_input = input;
    for (size_t i = 0; clamped && i < n; i++) {
        stats->clamped_error += s->clamped[i];
    }
}

static bndi_value_squares after(const bndi_value_squares *s, size_t n)
{
    return (bndi_value_squares){s->error + n, s->input + n, s->clamped + n};
}

/* The inputs are x itself, in its own unit. A value is exact if y equals x, even if a quotient was rounded in between:
 * the error is y - x. */
void bnd_lab_counted_values(bndi_counted *c, const float *x, const float *y, const float *elements, size_t n,
                            float largest)
{
    double squares[3][BNDI_SQUARED];
    const bool keeps = c->kept.error != NULL;
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    c->kernels.tally[BNDI_WORDS_32](&c->fp32, &c->inputs, x, x, NULL, n);
    for (size_t at = 0; at < n; at += BNDI_SQUARED) {
        const size_t m = n - at < BNDI_SQUARED ? n - at : BNDI_SQUARED;
        const bndi_value_squares s =
            keeps ? after(&c->kept, c->kept_count) : (bndi_value_squares){squares[0], squares[1], squares[2]};
        const bndi_value_counts counts = c->scan->square(&s, x + at, y + at, elements + at, m, largest);
        c->stats->nans_out += counts.nans;
        c->stats->compared += counts.compared;
        c->same += counts.same;
        if (keeps) {
            c->kept_count += m;
            c->kept_clamped = c->kept_clamped || counts.clamped > 0;
        } else {
            add_squares(c->stats, &s, m, counts.clamped > 0);
        }
    }
    bndi_leave(callers);
}

void bndi_count_run(const bndi_block_job *job, const bndi_run *run, const float *y, const float *rounded)
{
    const size_t groups = run->again ? 0 : (run->first + run->n + job->layout.across - 1) / job->layout.across;
    for (size_t g = 0; g < groups; g++) {
        bnd_lab_count_scale(job->counted->stats, run->scales[g]);
    }
    bnd_lab_counted_values(job->counted, run->x, y, rounded, run->n, bndi_largest_element(job));
}

/* ---- the end of a call ---- */

static void add_inputs(bnd_stats *stats, const bndi_tally *inputs)
{
    const double largest = stats->largest, smallest = stats->smallest;
    bnd_stats input = {.elements = 0};
    bnd_lab_tally_add(&input, inputs);
    stats->elements += input.elements;
    stats->infinities_in += input.infinities_in;
    stats->nans_in += input.nans_in;
    stats->largest = input.largest > largest ? input.largest : largest;
    stats->smallest = smallest == 0 || (input.smallest != 0 && input.smallest < smallest) ? input.smallest : smallest;
    for (size_t i = 0; i < sizeof stats->exponents / sizeof stats->exponents[0]; i++) {
        stats->exponents[i] += input.exponents[i];
    }
}

/* The counts of rounding do not depend on a scale. */
void bnd_lab_counted_close(bndi_counted *c)
{
    bnd_stats *stats = c->stats, *flags = &c->flags;
    add_inputs(stats, &c->inputs);
    bnd_lab_tally_add(flags, &c->rounded);
    stats->underflows += flags->underflows;
    stats->to_zero += flags->to_zero;
    stats->overflows += flags->overflows;
    stats->saturated += flags->saturated;
    const uint64_t rounded = flags->exact + flags->inexact; /* without what was flushed on its way in, or invalid */
    stats->exact += c->same;
    stats->inexact += rounded > c->same ? rounded - c->same : 0;
}

/* ---- threads ---- */

/* A part's room: its plan points at what the whole knows, which stays. */
static void open_part(bndi_counted *part, const bndi_counted *whole, double *room, size_t elements)
{
    *part = *whole;
    part->own = (bnd_stats){.elements = 0};
    part->stats = &part->own;
    part->kept = (bndi_value_squares){room, room + elements, room + 2 * elements};
    part->kept_count = 0;
    part->kept_clamped = false;
}

/* Counts only: a part's sums of squares are 0, and those of `flags` are of no use. */
static void join(bndi_counted *whole, bndi_counted *part)
{
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    bnd_lab_tally_add(&part->flags, &part->rounded);
    bnd_stats_add(&whole->flags, &part->flags);
    bnd_stats_add(whole->stats, &part->own);
    add_inputs(whole->stats, &part->inputs);
    whole->same += part->same;
    bndi_leave(callers);
}

typedef struct counted_items {
    bndi_counted *whole, *parts;
    bndi_counted_work *work;
    void *of;
    size_t threads, count, at_once; /* items: all, and those of a batch */
} counted_items;

typedef struct done_batch {
    bndi_counted *whole, *part;
} done_batch;

static void add_batch(void *of)
{
    const done_batch *done = of;
    bndi_counted *part = done->part;
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    add_squares(done->whole->stats, &part->kept, part->kept_count, part->kept_clamped);
    bndi_leave(callers);
    part->kept_count = 0;
    part->kept_clamped = false;
}

/* Batches go to the threads in turn, so that batch i + threads begins when batch i has been added: they share a
 * part. */
static void do_batch(void *of, size_t i, bool in_order)
{
    const counted_items *all = of;
    const size_t first = i * all->at_once, left = all->count - first;
    done_batch done = {all->whole, &all->parts[i % all->threads]};
    for (size_t item = 0; item < all->at_once && item < left; item++) {
        all->work(all->of, first + item, done.part);
    }
    bnd_lab_in_order(in_order, add_batch, &done);
}

/* False, and nothing is done, where one thread is to do it: items are too large for their squares to be kept, or there
 * is no memory. A batch has some 32 Ki elements, since threads that wait for each other sleep: with 2 Ki, a step of
 * fp8-current took 2.8 times as long as with its casts on one thread. */
static bool by_threads(counted_items *all, size_t most)
{
    enum { BATCH = 1 << 15, MOST = 1 << 16 };
    all->at_once = most > 0 && most < BATCH ? BATCH / most : 1;
    const size_t batches = (all->count + all->at_once - 1) / all->at_once, elements = all->at_once * most;
    all->threads = all->threads < batches ? all->threads : batches;
    if (!BNDI_HAS_THREADS || all->threads < 2 || most > MOST) {
        return false;
    }
    all->parts = bndi_allocate(all->threads * sizeof *all->parts);
    double *room = bndi_allocate(all->threads * 3 * elements * sizeof *room);
    const bool has_memory = all->parts != NULL && room != NULL;
    for (size_t t = 0; has_memory && t < all->threads; t++) {
        open_part(&all->parts[t], all->whole, room + t * 3 * elements, elements);
    }
    if (has_memory) {
        bnd_lab_parallel(all->threads, BNDI_IN_ORDER, do_batch, all, batches);
    }
    for (size_t t = 0; has_memory && t < all->threads; t++) {
        join(all->whole, &all->parts[t]);
    }
    bndi_release(all->parts);
    bndi_release(room);
    return has_memory;
}

void bnd_lab_counted_items(bndi_counted *whole, size_t count, size_t most, size_t threads, bndi_counted_work *work,
                           void *of)
{
    counted_items all = {.whole = whole, .work = work, .of = of, .threads = threads, .count = count};
    if (!by_threads(&all, most)) {
        for (size_t i = 0; i < count; i++) {
            work(of, i, whole);
        }
    }
}

typedef struct job_items {
    const bndi_block_job *job;
    bndi_block_work *work;
    void *what;
} job_items;

static void do_job_item(void *of, size_t i, bndi_counted *counted)
{
    const job_items *all = of;
    bndi_block_job job = *all->job;
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    job.counted = counted;
    (void)all->work(&job, i, all->what);
    bndi_leave_job(&job, callers);
}

void bndi_for_each_counted(const bndi_block_job *job, size_t count, size_t most, bndi_block_work *work, void *what)
{
    job_items all = {job, work, what};
    if (job->counted == NULL) {
        bndi_for_each(job, count, work, what);
    } else {
        bnd_lab_counted_items(job->counted, count, most, job->threads, do_job_item, &all);
    }
}
