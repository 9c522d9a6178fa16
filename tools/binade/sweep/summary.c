/* The runs of a sweep summed up: per recipe its learning rates, and the best of them compared with that of fp32. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_best(const sweep_summary *m, const bnd_record *record)
{
    return record->lr == m->rates[m->best].lr;
}

/* The runs at the best learning rate side by side, for a comparison; how many. */
static size_t take_best(bnd_record *out, const sweep_summary *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (has_best(m, &m->records[i])) {
            out[n++] = m->records[i];
        }
    }
    return n;
}

static void compare_best(sweep_summary *m, const sweep_summary *reference, double margin)
{
    bnd_record *mine = allocate(NULL, m->count, sizeof *mine);
    bnd_record *theirs = allocate(NULL, reference->count, sizeof *theirs);
    size_t n = take_best(mine, m), k = take_best(theirs, reference);
    m->compared = m != reference && bnd_records_compare(&m->is, mine, n, theirs, k, margin, NULL) == BND_OK;
    free(mine);
    free(theirs);
}

sweep_summary *sweep_summarize(const sweep_part *parts, size_t count, double margin)
{
    sweep_summary *all = allocate(NULL, count + 1, sizeof *all);
    const sweep_summary *reference = NULL;
    for (size_t i = 0; i < count; i++) {
        sweep_summary *m = &all[i];
        *m = (sweep_summary){.recipe = parts[i].recipe, .records = parts[i].records, .count = parts[i].count};
        m->rates = allocate(NULL, m->count + 1, sizeof *m->rates);
        if (bnd_rates_make(m->rates, &m->rate_count, m->records, m->count, NULL) != BND_OK) {
            allocate(NULL, SIZE_MAX, SIZE_MAX); /* reports that memory ran out, and exits */
        }
        m->best = bnd_rates_best(m->rates, m->rate_count);
        for (size_t k = 0; k < m->rate_count; k++) {
            m->failed += m->rates[k].failed;
        }
        reference = strcmp(m->recipe, "fp32") == 0 ? m : reference;
    }
    for (size_t i = 0; reference != NULL && i < count; i++) {
        compare_best(&all[i], reference, margin);
    }
    return all;
}

void sweep_summaries_free(sweep_summary *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(all[i].rates);
    }
    free(all);
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

/* The mean loss of the runs that did not fail; NaN: all failed. */
double sweep_mean_loss(const sweep_summary *m, const bnd_rate *rate)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        bool counts = m->records[i].lr == rate->lr && bnd_record_result(&m->records[i]) < m->records[i].chance_loss;
        sum += counts ? bnd_record_result(&m->records[i]) : 0;
    }
    return rate->failed < rate->runs ? sum / (double)(rate->runs - rate->failed) : (double)NAN;
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
    double loss = sweep_mean_loss(m, rate);
    return isnan(loss) ? copy_text(sweep_failure_word(m, rate)) : interval_text(loss, sweep_interval_of(rate), false);
}

char *sweep_cell_text(const sweep_summary *m, size_t k)
{
    const bnd_rate *rate = &m->rates[k];
    double loss = sweep_mean_loss(m, rate);
    if (isnan(loss)) {
        return copy_text(sweep_failure_word(m, rate));
    }
    char *number = loss_text(loss), *cell;
    cell = rate->failed > 0 ? format_text("%s%s (%zu failed)", k == m->best ? "*" : "", number, rate->failed)
                            : format_text("%s%s", k == m->best ? "*" : "", number);
    free(number);
    return cell;
}
