/* Curves for drawing: mean losses and mean gaps over steps, with their intervals. */
#include "study/pairs.h"

#include <stdlib.h>

void bnd_curve_close(bnd_curve *curve)
{
    free(curve->step);
    free(curve->mean);
    free(curve->interval);
    *curve = (bnd_curve){.step = NULL};
}

/* The mean over the pairs at a step. A pair whose run is lost there does not count; NaN where none is left. */
static void set_point(bnd_curve *curve, size_t i, const bndi_seed_pair *pairs, size_t n, bool gaps, double *numbers)
{
    size_t m = 0;
    for (size_t k = 0; k < n; k++) {
        double x = gaps ? pairs[k].loss[i] - pairs[k].base[i] : pairs[k].loss[i];
        numbers[m] = x;
        m += x - x == 0;
    }
    curve->mean[i] = m > 0 ? bndi_mean(numbers, m) : __builtin_nan("");
    curve->interval[i] = m == n ? bnd_interval(numbers, m) : __builtin_nan("");
}

static bnd_status draw(bnd_curve *out, bndi_seed_pair *pairs, size_t n, bool gaps, bnd_error *why)
{
    bndi_timeline line;
    double *room;
    bnd_status status = bndi_pairs_lay_out(&line, &room, pairs, n, why);
    if (status != BND_OK) {
        return status;
    }
    bnd_curve curve = {.step = line.step, .count = line.count, .window = line.window};
    curve.mean = malloc((line.count + 1) * sizeof *curve.mean); /* as many as there are steps, which have memory */
    curve.interval = malloc((line.count + 1) * sizeof *curve.interval);
    if (curve.mean == NULL || curve.interval == NULL) {
        free(room);
        bnd_curve_close(&curve);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a curve of %zu steps", line.count);
    }
    bndi_pairs_smooth(pairs, n, &line);
    for (size_t i = 0; i < line.count; i++) {
        set_point(&curve, i, pairs, n, gaps, room);
    }
    free(room);
    *out = curve;
    return BND_OK;
}

static bnd_status curve_of(bnd_curve *out, const bnd_record *records, size_t count, const bnd_record *references,
                           size_t reference_count, bool gaps, bnd_error *why)
{
    bndi_seed_pair *pairs;
    size_t n;
    bnd_status status = bndi_pairs_find(&pairs, &n, records, count, references, reference_count, why);
    if (status == BND_OK) {
        status = draw(out, pairs, n, gaps, why);
        free(pairs);
    }
    return status;
}

bnd_status bnd_records_curve(bnd_curve *out, const bnd_record *records, size_t count, bnd_error *why)
{
    return curve_of(out, records, count, records, count, false, why);
}

bnd_status bnd_records_gap_curve(bnd_curve *out, const bnd_record *records, size_t count, const bnd_record *references,
                                 size_t reference_count, bnd_error *why)
{
    return curve_of(out, records, count, references, reference_count, true, why);
}
