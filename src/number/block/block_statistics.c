/* Statistics of numbers that were scaled, rounded and scaled back. */
#include "block/block.h"
#include "block/partial_array.h"

enum { COUNTED_PIECE = 1024 };

/* The inputs are x itself, in its own unit: rounding x to its own format changes nothing and counts it. */
static void count_inputs(bnd_stats *stats, const float *x, size_t n, const bnd_context *context)
{
    float unchanged[COUNTED_PIECE];
    const bnd_array how = {.context = context};
    bnd_stats input = {.elements = 0};
    for (size_t at = 0; at < n; at += COUNTED_PIECE) {
        const size_t m = n - at < COUNTED_PIECE ? n - at : COUNTED_PIECE;
        bndi_surely(bnd_round_f32(unchanged, x + at, m, bnd_lab_format_of_words(BNDI_WORDS_32), &how, &input, NULL));
    }
    const double largest = stats->largest, smallest = stats->smallest;
    stats->elements += input.elements;
    stats->infinities_in += input.infinities_in;
    stats->nans_in += input.nans_in;
    stats->largest = input.largest > largest ? input.largest : largest;
    stats->smallest = smallest == 0 || (input.smallest != 0 && input.smallest < smallest) ? input.smallest : smallest;
    for (size_t i = 0; i < sizeof stats->exponents / sizeof stats->exponents[0]; i++) {
        stats->exponents[i] += input.exponents[i];
    }
}

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

/* The counts of rounding do not depend on a scale. A value is exact if y equals x, even if a quotient was rounded in
 * between: the error is y - x. */
void bnd_lab_count_values(bnd_stats *stats, const float *x, const float *y, const float *elements, size_t n,
                          float largest, const bnd_stats *flags, const bnd_context *context)
{
    const bndi_block_kernels *scan = bndi_block_kernels_of(context);
    bndi_value_squares s;
    uint64_t came_back = 0;
    count_inputs(stats, x, n, context);
    stats->underflows += flags->underflows;
    stats->to_zero += flags->to_zero;
    stats->overflows += flags->overflows;
    stats->saturated += flags->saturated;
    for (size_t at = 0; at < n; at += BNDI_SQUARED) {
        const size_t m = n - at < BNDI_SQUARED ? n - at : BNDI_SQUARED;
        const bndi_value_counts counts = scan->square(&s, x + at, y + at, elements + at, m, largest);
        stats->nans_out += counts.nans;
        stats->compared += counts.compared;
        came_back += counts.same;
        add_squares(stats, &s, m, counts.clamped > 0);
    }
    const uint64_t rounded = flags->exact + flags->inexact; /* without what was flushed on its way in, or invalid */
    stats->exact += came_back;
    stats->inexact += rounded > came_back ? rounded - came_back : 0;
}

void bndi_count_run(const bndi_block_job *job, const bndi_run *run, const float *rounded, const bnd_stats *flags)
{
    const size_t groups = (run->first + run->n + job->layout.across - 1) / job->layout.across;
    float y[BNDI_BLOCK_CHUNK];
    job->scan->multiply_in_double(y, rounded, run->scales, run->n, job->layout.across, run->first);
    for (size_t g = 0; g < groups; g++) {
        bnd_lab_count_scale(job->stats, run->scales[g]);
    }
    bnd_lab_count_values(job->stats, run->x, y, rounded, run->n, bndi_largest_element(job), flags, &job->context);
}
