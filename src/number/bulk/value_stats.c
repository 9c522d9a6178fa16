/* Statistics of numbers that were scaled, rounded and scaled back. */
#include "base/verify.h"
#include "bulk/bulk.h"

/* The counts of rounding (`flags`) do not depend on a scale, but the statistics of the inputs are those of x itself.
 * Rounding x to its own format changes nothing and counts it. A value is exact if y equals x, even if a quotient was
 * rounded in between: the error is y - x. */
void bnd_lab_count_values(bnd_stats *stats, const float *x, const float *y, size_t n, const bnd_stats *flags)
{
    enum { PIECE = 2048 };
    float unchanged[PIECE];
    bnd_stats input = {.elements = 0};
    for (size_t at = 0; at < n; at += PIECE) {
        size_t m = n - at < PIECE ? n - at : PIECE;
        bnd_status status =
            bnd_round_f32(unchanged, x + at, m, bnd_lab_format_of_words(BNDI_WORDS_32), NULL, &input, NULL);
        BNDI_VERIFY(status == BND_OK); /* a piece of fp32 */
    }
    double largest = stats->largest, smallest = stats->smallest;
    stats->elements += input.elements;
    stats->infinities_in += input.infinities_in;
    stats->nans_in += input.nans_in;
    stats->largest = input.largest > largest ? input.largest : largest;
    stats->smallest = smallest == 0 || (input.smallest != 0 && input.smallest < smallest) ? input.smallest : smallest;
    for (size_t i = 0; i < sizeof stats->exponents / sizeof stats->exponents[0]; i++) {
        stats->exponents[i] += input.exponents[i];
    }
    stats->underflows += flags->underflows;
    stats->to_zero += flags->to_zero;
    stats->overflows += flags->overflows;
    stats->saturated += flags->saturated;
    uint64_t came_back = 0;
    for (size_t i = 0; i < n; i++) {
        double from = (double)x[i], to = (double)y[i], error = to - from;
        stats->nans_out += to != to;
        if (error - error == 0) {
            stats->compared++;
            came_back += error == 0;
            stats->squared_error += error * error;
            stats->squared_input += from * from;
        }
    }
    const uint64_t rounded = flags->exact + flags->inexact; /* without what was flushed on its way in, or invalid */
    stats->exact += came_back;
    stats->inexact += rounded > came_back ? rounded - came_back : 0;
}

void bnd_lab_count_clamped(bnd_stats *stats, const float *x, const float *y, const float *elements, size_t n,
                           float largest)
{
    for (size_t i = 0; i < n; i++) {
        double error = (double)y[i] - (double)x[i];
        bool beyond = __builtin_fabsf(elements[i]) >= largest && __builtin_fabsf(x[i]) > __builtin_fabsf(y[i]);
        stats->clamped_error += beyond && error - error == 0 ? error * error : 0;
    }
}
