/* What tables say of a recipe of a sweep and of its learning rates. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sweep_summarize(sweep_summary *rows, size_t count, double margin)
{
    if (bnd_sweep_sum_up(rows, count, margin, NULL) != BND_OK) {
        allocate(NULL, SIZE_MAX, SIZE_MAX); /* reports that memory ran out, and exits */
    }
}

/* Where every run failed no rate is better than another. */
bool sweep_has_learned(const sweep_summary *m)
{
    return m->failed < m->count;
}

/* ---- losses of one learning rate ---- */

static double last_loss(const bnd_record *r)
{
    return r->validated && r->validated_fp32 ? r->validation_fp32 : r->validated ? r->validation : r->loss;
}

/* The interval holds for all runs or for none: failed runs have no loss. */
double sweep_interval_of(const bnd_rate *rate)
{
    return rate->failed == 0 ? rate->interval : (double)NAN;
}

/* How all runs of a rate failed. */
const char *sweep_failure_word(const sweep_summary *m, const bnd_rate *rate)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->records[i].lr == rate->lr && isnan(last_loss(&m->records[i]))) {
            return "NaN";
        }
    }
    return "chance";
}

char *sweep_loss_text(const sweep_summary *m, const bnd_rate *rate)
{
    double loss = rate->loss;
    return isnan(loss) ? copy_text(sweep_failure_word(m, rate)) : interval_text(loss, sweep_interval_of(rate), false);
}

char *sweep_cell_text(const sweep_summary *m, size_t k)
{
    const bnd_rate *rate = &m->rates[k];
    double loss = rate->loss;
    if (isnan(loss)) {
        return copy_text(sweep_failure_word(m, rate));
    }
    char *number = loss_text(loss), *cell;
    cell = rate->failed > 0 ? format_text("%s%s (%zu failed)", k == m->best ? "*" : "", number, rate->failed)
                            : format_text("%s%s", k == m->best ? "*" : "", number);
    free(number);
    return cell;
}
