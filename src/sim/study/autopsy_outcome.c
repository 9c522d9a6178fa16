/* Runs of an autopsy under other policies, and their results. */
#include "study/autopsy.h"

#include <stdlib.h>

/* Passes the run to the caller's watch, numbered over all calls of bnd_study_run that the autopsy makes. */
static bool numbered_through(void *data, size_t task, const bnd_record *so_far)
{
    bndi_patient *p = data;
    bool goes_on = p->watch == NULL || p->watch(p->data, p->made + task, so_far);
    p->stopped = p->stopped || !goes_on;
    return goes_on;
}

bnd_status bndi_make_under(bnd_record *records, bndi_patient *p, const bnd_policy *policies, size_t count,
                           bnd_error *why)
{
    const size_t runs = count * p->count;
    bnd_task *tasks = calloc(runs + 1, sizeof *tasks);
    if (tasks == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu runs of an autopsy", runs);
    }
    for (size_t i = 0; i < runs; i++) {
        tasks[i] = p->tasks[i % p->count];
        tasks[i].training.policy = policies[i / p->count];
        tasks[i].recipe = NULL;
        tasks[i].directory = NULL;
        tasks[i].resume = tasks[i].statistics = tasks[i].switches = false;
    }
    bnd_status status = bnd_study_run(records, tasks, runs, p->context, numbered_through, p, why);
    p->made += runs;
    free(tasks);
    return status;
}

double bndi_gap_of_seed(const bndi_patient *p, size_t i)
{
    return bnd_record_result(&p->records[i]) - bnd_record_result(p->reference[i]);
}

/* The band is that of a quotient of means, from what each seed has beyond the share of its own gap. */
void bndi_share_of_gap(double *share, double *band, const bndi_patient *p, double *numbers)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        sum += numbers[i];
    }
    *share = sum / ((double)p->count * p->gap);
    for (size_t i = 0; i < p->count; i++) {
        numbers[i] = (numbers[i] - *share * bndi_gap_of_seed(p, i)) / p->gap;
    }
    *band = bnd_interval(numbers, p->count);
}

void bndi_trial_share(double *share, double *band, const bndi_patient *p, const bnd_record *tried,
                      bndi_direction direction)
{
    for (size_t i = 0; i < p->count; i++) {
        double from = direction == BNDI_LIFT ? bnd_record_result(&p->records[i]) : bnd_record_result(&tried[i]);
        double to = direction == BNDI_LIFT ? bnd_record_result(&tried[i]) : bnd_record_result(p->reference[i]);
        p->numbers[i] = from - to;
    }
    bndi_share_of_gap(share, band, p, p->numbers);
}

bnd_status bndi_outcome_of(bndi_outcome *out, const bndi_patient *p, const bnd_record *tried, bnd_error *why)
{
    static const double half = 0.5, most = 0.9;
    bnd_comparison c;
    bnd_status status = bnd_records_compare(&c, tried, p->count, p->references, p->reference_count, p->margin, why);
    if (status == BND_OK) {
        bndi_outcome o = {.ill = bnd_comparison_has_cause(&c)};
        bndi_trial_share(&o.recovered, &o.band, p, tried, BNDI_LIFT);
        o.heals = (!o.ill && o.recovered >= half) || (c.failed == 0 && o.recovered >= most);
        *out = o;
    }
    return status;
}
