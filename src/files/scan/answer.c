/* The answer of a scan in words, line by line. */
#include "store/store.h"

#include <binade-lab/scan.h>

#include <math.h>

const char *bnd_scan_limits(void)
{
    return "Weights alone do not show what happens to activations, or how accurate the model is; measure that on data.";
}

double bnd_scan_saved(const bnd_scan_model *model, uint64_t bytes)
{
    return model->bytes > 0 ? 100 * (1 - (double)bytes / (double)model->bytes) : 0;
}

static void add_sqnr(bndi_sentence *s, double x)
{
    if (isfinite(x)) {
        bndi_sentence_add(s, "%.1f", x);
    } else {
        bndi_sentence_add(s, "%s", isnan(x) ? "-" : x > 0 ? "exact" : "nan");
    }
}

size_t bnd_scan_print_sqnr(char *out, size_t size, double x)
{
    bndi_sentence s = bndi_sentence_in(out, size);
    add_sqnr(&s, x);
    return s.length;
}

/* What a line is made of. */
typedef struct question {
    const bnd_scan *scan;
    const bnd_candidate *candidates;
    size_t count;
    const bnd_scan_options *options;
} question;

static void add_what_is_asked(bndi_sentence *s, const bnd_scan_options *o)
{
    if (!o->asks_sqnr && !o->asks_underflow) {
        bndi_sentence_add(s, "every tensor exact or at the format's floor");
        return;
    }
    if (o->asks_sqnr) {
        bndi_sentence_add(s, "an SQNR of at least %g dB", o->sqnr);
    }
    if (o->asks_underflow) {
        bndi_sentence_add(s, "%sat most %g %% underflow to zero", o->asks_sqnr ? " and " : "", 100 * o->underflow);
    }
    bndi_sentence_add(s, " in every tensor");
}

static unsigned bits_of(const bnd_candidate *c)
{
    return c->format.width > 0 ? c->format.width : c->format.precision + 1u;
}

/* The candidate with the fewest bytes that all tensors meet, among those with elements of this width; the number of
 * candidates: none. `there`: whether one has this width. */
static size_t smallest_with(bool *there, const question *q, unsigned bits)
{
    const bnd_scan_total *totals = bnd_scan_totals(q->scan);
    const uint64_t tensors = bnd_scan_model_of(q->scan)->tensors; /* that are scanned */
    size_t best = q->count;
    *there = false;
    for (size_t i = 0; i < q->count; i++) {
        const bnd_loss *loss = &totals[i].loss, *than = best < q->count ? &totals[best].loss : NULL;
        const bool wide = bits_of(&q->candidates[i]) == bits;
        const bool better =
            than == NULL || loss->bytes < than->bytes || (loss->bytes == than->bytes && loss->sqnr > than->sqnr);
        *there = *there || wide;
        best = wide && tensors > 0 && totals[i].meeting == tensors && better ? i : best;
    }
    return best;
}

static void add_candidate(bndi_sentence *s, const question *q, unsigned bits, size_t i)
{
    if (i == q->count) {
        bndi_sentence_add(s, "%u bits: none.", bits);
        return;
    }
    const bnd_scan_total *t = &bnd_scan_totals(q->scan)[i];
    const double part = bnd_scan_saved(bnd_scan_model_of(q->scan), t->loss.bytes);
    const double worst = bnd_scan_at(q->scan, t->worst)->losses[i].sqnr;
    char sqnr[32];
    bnd_scan_print_sqnr(sqnr, sizeof sqnr, worst);
    bndi_sentence_add(s, "%u bits: %s, %s%s; ", bits, q->candidates[i].name, sqnr,
                      sqnr[0] >= '0' && sqnr[0] <= '9' ? " dB in the worst tensor" : "");
    bndi_sentence_add_bytes(s, (double)t->loss.bytes);
    bndi_sentence_add(s, ", %.1f %% %s.", fabs(part), part < 0 ? "more" : "less");
}

static void add_mixed(bndi_sentence *s, const question *q)
{
    const bnd_scan_model *m = bnd_scan_model_of(q->scan);
    bndi_sentence_add(s, "Each tensor in its smallest: ");
    bndi_sentence_add_bytes(s, (double)m->mixed_bytes);
    bndi_sentence_add(s, ", %.1f %% less", bnd_scan_saved(m, m->mixed_bytes));
    if (m->mixed_staying > 0) {
        bndi_sentence_add(s, "; %llu of %llu tensor%s %s", (unsigned long long)m->mixed_staying,
                          (unsigned long long)m->tensors, m->tensors == 1 ? "" : "s",
                          m->mixed_staying == 1 ? "stays as it is" : "stay as they are");
    }
    bndi_sentence_add(s, ".");
}

/* Each number of bits once, the largest first. */
size_t bnd_scan_print_line(char *out, size_t size, const bnd_scan *scan, const bnd_candidate *candidates, size_t count,
                           const bnd_scan_options *options, size_t line)
{
    const question q = {scan, candidates, count, options};
    const bnd_scan_model *m = bnd_scan_model_of(scan);
    bndi_sentence s = bndi_sentence_in(out, size);
    if (line == 0) {
        bndi_sentence_add(&s, "Smallest candidate that keeps ");
        add_what_is_asked(&s, options);
        bndi_sentence_add(&s, ", of ");
        bndi_sentence_add_bytes(&s, (double)m->bytes);
        bndi_sentence_add(&s, " now:");
        return s.length;
    }
    for (unsigned bits = 64; bits > 0; bits--) {
        bool there;
        const size_t i = smallest_with(&there, &q, bits);
        if (there && --line == 0) {
            add_candidate(&s, &q, bits, i);
            return s.length;
        }
    }
    const bool mixes = m->mixed_staying < m->tensors &&
                       (m->smallest == count || m->mixed_bytes < bnd_scan_totals(scan)[m->smallest].loss.bytes);
    if (mixes && line == 1) {
        add_mixed(&s, &q);
    }
    return s.length;
}
