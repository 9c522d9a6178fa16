/* Statistics of numbers that were scaled, rounded and scaled back.
 *
 * What is counted adds up in any order, so it is kept for a whole call; sums of squares go to the statistics element by
 * element. */
#include "block/block.h"
#include "block/partial_array.h"
#include "bulk/environment.h"

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

/* The inputs are x itself, in its own unit. A value is exact if y equals x, even if a quotient was rounded in between:
 * the error is y - x. */
void bnd_lab_counted_values(bndi_counted *c, const float *x, const float *y, const float *elements, size_t n,
                            float largest)
{
    bndi_value_squares s;
    const bndi_environment callers = bndi_enter(BND_ROUND_RNE);
    c->kernels.tally[BNDI_WORDS_32](&c->fp32, &c->inputs, x, x, NULL, n);
    for (size_t at = 0; at < n; at += BNDI_SQUARED) {
        const size_t m = n - at < BNDI_SQUARED ? n - at : BNDI_SQUARED;
        const bndi_value_counts counts = c->scan->square(&s, x + at, y + at, elements + at, m, largest);
        c->stats->nans_out += counts.nans;
        c->stats->compared += counts.compared;
        c->same += counts.same;
        add_squares(c->stats, &s, m, counts.clamped > 0);
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
