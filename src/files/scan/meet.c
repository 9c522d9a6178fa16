/* What follows from the losses: who meets what was asked, the smallest candidate, the worst tensors, the model. */
#include "scan/results.h"

#include <math.h>
#include <stdlib.h>

static uint64_t nonzero_of(const bnd_scanned *t)
{
    return t->input.elements - t->input.nans_in - t->input.infinities_in - t->zeros;
}

double bndi_ratio_in_db(double signal, double noise)
{
    return noise > 0 ? 10 * log10(signal / noise) : INFINITY;
}

void bndi_judge_loss(bnd_loss *loss, const bnd_scanned *t, const bnd_candidate *candidate)
{
    loss->sqnr = loss->broken > 0 ? -INFINITY : bndi_ratio_in_db(loss->squared_input, loss->squared_error);
    loss->verdict = bnd_loss_verdict(candidate, loss, nonzero_of(t));
}

static bool meets(const bnd_scan_options *asked, const bnd_scanned *t, const bnd_loss *loss)
{
    if (!asked->asks_sqnr && !asked->asks_underflow) {
        return loss->verdict <= BND_SURVIVES_FLOOR;
    }
    bool enough = !asked->asks_sqnr || loss->sqnr >= asked->sqnr;
    bool few = !asked->asks_underflow || (double)loss->to_zero <= asked->underflow * (double)nonzero_of(t);
    return loss->broken == 0 && enough && few;
}

/* Fewer bytes, or as many and less noise. `than` may be NULL. */
static bool is_better(const bnd_loss *loss, const bnd_loss *than)
{
    return than == NULL || loss->bytes < than->bytes || (loss->bytes == than->bytes && loss->sqnr > than->sqnr);
}

static void add_loss(bnd_loss *sum, const bnd_loss *more)
{
    sum->elements += more->elements;
    sum->broken += more->broken;
    sum->overflows += more->overflows;
    sum->to_zero += more->to_zero;
    sum->exact += more->exact;
    sum->squared_error += more->squared_error;
    sum->squared_input += more->squared_input;
    sum->bytes += more->bytes;
    sum->verdict = more->verdict > sum->verdict ? more->verdict : sum->verdict;
}

/* One tensor into the totals. */
static void add_tensor(bnd_scan *scan, size_t at)
{
    bnd_scanned *t = &scan->tensors[at];
    t->smallest = scan->count;
    for (size_t i = 0; i < scan->count; i++) {
        const bnd_loss *loss = &t->losses[i];
        bnd_scan_total *total = &scan->totals[i];
        bool good = meets(&scan->options, t, loss);
        bool worse = scan->model.tensors == 0 || loss->sqnr < scan->tensors[total->worst].losses[i].sqnr;
        add_loss(&total->loss, loss);
        total->verdicts[loss->verdict]++;
        total->meeting += good;
        total->worst = worse ? at : total->worst;
        if (good && is_better(loss, t->smallest < scan->count ? &t->losses[t->smallest] : NULL)) {
            t->smallest = i;
        }
    }
    scan->model.tensors++;
    scan->model.elements += t->count;
    scan->model.bytes += t->bytes;
    scan->model.damaged += t->input.nans_in + t->input.infinities_in > 0;
    const uint64_t bytes = t->smallest < scan->count ? t->losses[t->smallest].bytes : t->bytes;
    scan->model.mixed_bytes += bytes < t->bytes ? bytes : t->bytes;
    scan->model.mixed_staying += t->smallest == scan->count;
}

static double distance_of(const bnd_scan *scan, const bnd_scanned *t)
{
    double least = INFINITY;
    for (size_t i = 0; !t->stays && i < scan->count; i++) {
        double distance = t->losses[i].sqnr - scan->candidates[i].floor;
        least = distance < least ? distance : least;
    }
    return least;
}

static int by_distance(const void *a, const void *b)
{
    const bndi_place *x = a, *y = b;
    if (x->stays != y->stays) {
        return x->stays ? 1 : -1;
    }
    if (x->distance < y->distance || x->distance > y->distance) {
        return x->distance < y->distance ? -1 : 1;
    }
    return (x->at > y->at) - (x->at < y->at);
}

void bndi_conclude(bnd_scan *scan)
{
    bnd_scan_model *m = &scan->model;
    for (size_t at = 0; at < scan->tensor_count; at++) {
        const bnd_scanned *t = &scan->tensors[at];
        scan->order[at] = (bndi_place){.at = at, .stays = t->stays, .distance = distance_of(scan, t)};
        if (t->stays) {
            m->staying++;
            m->staying_elements += t->count;
            m->staying_bytes += t->bytes;
        } else {
            add_tensor(scan, at);
        }
    }
    m->smallest = scan->count;
    for (size_t i = 0; i < scan->count; i++) {
        bnd_loss *loss = &scan->totals[i].loss;
        loss->sqnr = loss->broken > 0 ? -INFINITY : bndi_ratio_in_db(loss->squared_input, loss->squared_error);
        bool good = m->tensors > 0 && scan->totals[i].meeting == m->tensors;
        if (good && is_better(loss, m->smallest < scan->count ? &scan->totals[m->smallest].loss : NULL)) {
            m->smallest = i;
        }
    }
    qsort(scan->order, scan->tensor_count, sizeof *scan->order, by_distance);
}
