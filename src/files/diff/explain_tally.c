/* Codes and their quotients, counted for many ways of dividing at once.
 *
 * The ways differ in the last bits of the quotient, so they differ in what they count only where the quotient is close
 * to a code, a neighbour, or a middle between them. An element that is farther from all of these, by a bound of what
 * the ways can differ, is counted once for all. The others are counted for each way, with its own division: the counts
 * are those that each way alone has. */
#include "diff/explain.h"

#include <math.h>
#include <string.h>

/* ---- quotients ---- */

/* How a row's quotients of a run are computed: x / by, or x * by, in `work`. */
typedef struct division {
    double by;
    bool multiplies;
    bndi_work work;
} division;

static division division_of(const bndi_quotient_row *row, const bndi_shared *shared)
{
    const double product = shared->scale * shared->factor;
    double d = product;
    switch (row->scale) {
    case BNDI_OVER_EXACT:
        break;
    case BNDI_OVER_PRODUCT:
        d = bndi_in_fp32(product);
        break;
    case BNDI_OVER_RATIO:
        d = bndi_in_fp32(shared->scale / shared->divisor);
        break;
    case BNDI_OVER_UNROUNDED:
        d = bndi_in_fp32(shared->unrounded);
        break;
    case BNDI_OVER_BF16:
        d = bndi_in_work(product, BNDI_IN_BF16);
        break;
    case BNDI_OVER_FP16:
        d = bndi_in_work(product, BNDI_IN_FP16);
        break;
    }
    switch (row->operation) {
    case BNDI_OP_DIVIDE:
        break;
    case BNDI_OP_MULTIPLY:
        return (division){bndi_in_fp32(1 / d), true, row->work};
    case BNDI_OP_MULTIPLY_BF16:
        return (division){bndi_in_work(1 / d, BNDI_IN_BF16), true, row->work};
    case BNDI_OP_MULTIPLY_DIVISOR:
        return (division){bndi_in_fp32(shared->divisor / shared->scale), true, row->work};
    }
    return (division){d, false, row->work};
}

static double quotient_in(const division *by, double a)
{
    const double q = bndi_in_fp32(by->multiplies ? a * by->by : a / by->by);
    return by->work == BNDI_IN_FP32 ? q : bndi_in_work(q, by->work);
}

/* The counter of one element. */
static size_t counter_by(const division *by, const bndi_code_values *m, double x, uint32_t code)
{
    const bool exact = by->work == BNDI_IN_EXACT;
    const double unit = exact ? by->by : 1;
    const double a = fabs(x);
    if (x == 0) {
        return bndi_code_counter(m, x, 0, 1, code); /* and not 0 / 0 */
    }
    if (!exact) {
        return bndi_code_counter(m, x, quotient_in(by, a), 1, code);
    }
    if (unit == 0 || unit - unit != 0) { /* infinite or NaN: no quotient */
        return bndi_code_counter(m, x, unit == 0 ? INFINITY : NAN, 1, code);
    }
    return bndi_code_counter(m, x, a, unit, code);
}

static void add_one(bndi_code_counts *counts, size_t counter)
{
    ((uint64_t *)(void *)counts)[counter]++;
}

void bndi_tally_codes(bndi_code_counts *counts, size_t quotient, const bndi_code_values *m, const bndi_shared *shared,
                      const float *x, const uint16_t *codes, size_t n)
{
    const division by = division_of(bndi_quotient_row_at(quotient), shared);
    counts->elements += n;
    for (size_t i = 0; i < n; i++) {
        add_one(counts, counter_by(&by, m, (double)x[i], codes[i]));
    }
}

/* ---- many ways at once ---- */

/* How far quotients can be from the exact one, relatively, and between which quotients that holds: fp32 and fp16 have
 * fewer bits below the second and nothing beyond the third. NEAR: all in fp32; FAR: some in 16 bits. */
static const struct {
    double by, margin, least, most;
} reach[BNDI_REACHES] = {{0x1p-18, 0x1p-17, 0x1p-100, 0x1p100}, {0x1p-3, 0, 0x1p-12, 0x1p15}};

static bool is_far(const bndi_quotient_row *row)
{
    return row->work == BNDI_IN_BF16 || row->work == BNDI_IN_FP16 || row->operation == BNDI_OP_MULTIPLY_BF16 ||
           (row->scale != BNDI_OVER_EXACT && row->scale != BNDI_OVER_PRODUCT && row->scale != BNDI_OVER_RATIO);
}

static bool same_division(const division *a, const division *b)
{
    return a->by == b->by && a->multiplies == b->multiplies && a->work == b->work;
}

/* A product with the reciprocal of a power of two is the quotient. */
static division plain(division by)
{
    int exponent;
    if (by.multiplies && by.by > 0x1p-500 && by.by < 0x1p500 && frexp(by.by, &exponent) == 0.5) {
        by.by = 1 / by.by;
        by.multiplies = false;
    }
    return by;
}

/* The ways of a run. */
typedef struct ways {
    division by[BNDI_QUOTIENTS];
    unsigned char same[BNDI_QUOTIENTS]; /* the first way with the same division */
    unsigned members[BNDI_REACHES], alone;
    double margin[BNDI_REACHES];
} ways;

static void find_ways(ways *w, unsigned rows, const bndi_shared *shared)
{
    const double product = shared->scale * shared->factor;
    *w = (ways){.alone = 0};
    for (size_t q = 0; q < BNDI_QUOTIENTS; q++) {
        const bndi_quotient_row *row = bndi_quotient_row_at(q);
        if ((rows >> q & 1) == 0) {
            continue;
        }
        division *by = &w->by[q];
        *by = plain(division_of(row, shared));
        const size_t far = is_far(row) ? 1 : 0;
        const double off = fabs((by->multiplies ? by->by * product : product / by->by) - 1);
        if (product > 0 && product - product == 0 && off < reach[far].by) {
            const double work = by->work == BNDI_IN_BF16 ? 0x1p-8 : by->work == BNDI_IN_FP16 ? 0x1p-10 : 0x1p-20;
            const double margin = far != 0 ? 1.25 * off + 1.25 * work : reach[far].margin;
            w->members[far] |= 1U << q;
            w->margin[far] = margin > w->margin[far] ? margin : w->margin[far];
        } else {
            w->alone |= 1U << q;
        }
        w->same[q] = (unsigned char)q;
        for (size_t k = q; k-- > 0;) {
            if ((rows >> k & 1) != 0 && same_division(&w->by[k], by)) {
                w->same[q] = w->same[k];
                break;
            }
        }
    }
}

static void tally_each(bndi_code_tally *t, unsigned rows, const ways *w, const bndi_code_values *m, double x,
                       uint32_t code)
{
    size_t counters[BNDI_QUOTIENTS];
    unsigned known = 0;
    for (size_t q = 0; q < BNDI_QUOTIENTS; q++) {
        if ((rows >> q & 1) != 0) {
            const size_t first = w->same[q];
            if ((known >> first & 1) == 0) {
                counters[first] = counter_by(&w->by[first], m, x, code);
                known |= 1U << first;
            }
            add_one(&t->counts[q], counters[first]);
        }
    }
}

static void give_out(bndi_code_tally *t, size_t far, unsigned members)
{
    if (t->members[far] == members) {
        return;
    }
    for (size_t q = 0; q < BNDI_QUOTIENTS; q++) {
        if ((t->members[far] >> q & 1) != 0) {
            bndi_add_code_counts(&t->counts[q], &t->common[far]);
        }
    }
    memset(&t->common[far], 0, sizeof t->common[far]);
    t->members[far] = members;
}

/* What all members count for a run; elements that are close to a step are counted by each. */
static void tally_members(bndi_code_tally *t, size_t far, const ways *w, const bndi_code_values *m, double product,
                          const float *x, const uint16_t *codes, size_t n)
{
    const double down = (1 - w->margin[far]) / product, up = (1 + w->margin[far]) / product;
    const double least = reach[far].least, most = reach[far].most;
    uint64_t *common = (uint64_t *)(void *)&t->common[far];
    give_out(t, far, w->members[far]);
    t->common[far].elements += n;
    for (size_t i = 0; i < n; i++) {
        const double from = (double)x[i], low = fabs(from) * down, high = fabs(from) * up;
        const bndi_code_step *s = &m->steps[codes[i] & ((2U << m->bits) - 1)];
        const double *at = s->at;
        const int below = (low > at[0]) + (low > at[1]) + (low > at[2]) + (low > at[3]) + (low > at[4]);
        const int above = (high >= at[0]) + (high >= at[1]) + (high >= at[2]) + (high >= at[3]) + (high >= at[4]);
        const unsigned char place = s->place[signbit(from) != 0 ? 1 : 0][below];
        if (below == above && place != BNDI_APART && low > least && high < most) {
            common[place]++;
        } else if (from == 0) {
            common[bndi_code_counter(m, from, 0, 1, codes[i])]++;
        } else {
            tally_each(t, w->members[far], w, m, from, codes[i]);
        }
    }
}

void bndi_tally_begin(bndi_code_tally *t, unsigned rows)
{
    memset(t, 0, sizeof *t);
    t->rows = rows;
}

void bndi_tally_run(bndi_code_tally *t, const bndi_code_values *m, const bndi_shared *shared, const float *x,
                    const uint16_t *codes, size_t n)
{
    ways w;
    find_ways(&w, t->rows, shared);
    if (m->steps == NULL) {
        w.alone = t->rows;
    }
    for (size_t far = 0; far < BNDI_REACHES && m->steps != NULL; far++) {
        if (w.members[far] != 0) {
            tally_members(t, far, &w, m, shared->scale * shared->factor, x, codes, n);
        }
    }
    for (size_t i = 0; i < n && w.alone != 0; i++) {
        tally_each(t, w.alone, &w, m, (double)x[i], codes[i]);
    }
    for (size_t q = 0; q < BNDI_QUOTIENTS; q++) {
        t->counts[q].elements += (w.alone >> q & 1) != 0 ? n : 0;
    }
}

void bndi_tally_end(bndi_code_tally *t)
{
    for (size_t far = 0; far < BNDI_REACHES; far++) {
        give_out(t, far, 0);
    }
}
