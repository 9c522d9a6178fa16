/* What a block format did to an array, counted. */
#include "block/block.h"

/* What rounding counts does not depend on a scale; what is said about the inputs is said about x itself. Rounding x to
 * its own format changes nothing and counts it. */
void bndi_count_run(const bndi_block_job *job, const bndi_run *run, const float *rounded, const bnd_stats *flags)
{
    const bnd_array how = {.context = &job->context};
    float unchanged[BNDI_CHUNK];
    bnd_stats input = {.elements = 0}, *stats = job->stats;
    bndi_surely(bnd_round_f32(unchanged, run->x, run->n, &job->fp32, &how, &input, NULL));
    double largest = stats->largest, smallest = stats->smallest;
    stats->elements += input.elements;
    stats->infinities_in += input.infinities_in;
    stats->nans_in += input.nans_in;
    stats->largest = input.largest > largest ? input.largest : largest;
    stats->smallest = smallest == 0 || (input.smallest != 0 && input.smallest < smallest) ? input.smallest : smallest;
    for (size_t i = 0; i < sizeof stats->exponents / sizeof stats->exponents[0]; i++) {
        stats->exponents[i] += input.exponents[i];
    }
    stats->exact += flags->exact;
    stats->inexact += flags->inexact;
    stats->underflows += flags->underflows;
    stats->flushed += flags->flushed;
    stats->overflows += flags->overflows;
    stats->saturated += flags->saturated;
    for (size_t i = 0; i < run->n; i++) {
        double scale = run->scales[(run->first + i) / job->layout.across];
        double x = (double)run->x[i], y = (double)(float)((double)rounded[i] * scale);
        double error = y - x;
        stats->nans_out += y != y;
        if (error - error == 0) {
            stats->compared++;
            stats->squared_error += error * error;
            stats->squared_input += x * x;
        }
    }
}
