/* Comparing runs: pairs of the same seeds, gaps with their bands, verdicts. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[BND_VERDICTS] = {"match", "degraded", "diverged", "better"};

const char *bnd_verdict_name(bnd_verdict verdict)
{
    return (unsigned)verdict < BND_VERDICTS ? names[verdict] : "";
}

const char *bnd_comparison_word(const bnd_comparison *comparison)
{
    return comparison->unclear ? "inconclusive" : bnd_verdict_name(comparison->verdict);
}

/* ---- bands ---- */

/* P(|T| < t) for n degrees of freedom: with a = atan(t / sqrt(n)), the sums of Abramowitz and Stegun 26.7.3 and 26.7.4,
 *   n odd:   2/pi (a + sin a (cos a + 2/3 cos^3 a + ... + 2 4 .. (n-3) / (3 5 .. (n-2)) cos^(n-2) a))
 *   n even:  sin a (1 + 1/2 cos^2 a + ... + 1 3 .. (n-3) / (2 4 .. (n-2)) cos^(n-2) a). */
static double share_within(double t, size_t n)
{
    static const double pi = 3.14159265358979323846;
    double root = sqrt((double)n), angle = atan(t / root);
    double sine = sin(angle), cosine = cos(angle), sum = 0;
    bool odd = n % 2 == 1;
    double term = odd ? cosine : 1;
    for (size_t i = odd ? 1 : 0; i + 2 <= n; i += 2) {
        sum += term;
        term *= cosine * cosine * (double)(i + 1) / (double)(i + 2);
    }
    return odd ? 2 / pi * (angle + sine * sum) : sine * sum;
}

double bndi_student(size_t n)
{
    double low = 0, high = 16;
    for (int i = 0; i < 64; i++) {
        double middle = (low + high) / 2;
        if (share_within(middle, n) < 0.95) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / (double)n;
}

/* The standard deviation, estimated from n numbers. */
static double deviation_of(const double *x, size_t n)
{
    double mean = mean_of(x, n), sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    return sqrt(sum / (double)(n - 1));
}

double bnd_band(const double *x, size_t n)
{
    return n < 2 ? __builtin_nan("") : bndi_student(n - 1) * deviation_of(x, n) / sqrt((double)n);
}

/* ---- pairs ---- */

typedef struct pair {
    const bnd_record *run, *reference;
    bool cut;
    uint64_t cut_at; /* the last step that both have, where one has fewer */
    double cap, raw; /* raw: the run's result before it is capped */
    double result, against;
    /* of the steps that every pair has: losses, and what is left of them when they are smoothed */
    double *loss, *base;
} pair;

static bool belong(const bnd_record *a, const bnd_record *b)
{
    bool known = a->model[0] != '\0' && b->model[0] != '\0';
    return a->seed_init == b->seed_init && a->seed_data == b->seed_data && a->init_hash == b->init_hash &&
           a->order_hash == b->order_hash && (!known || strcmp(a->model, b->model) == 0);
}

/* Each reference is in one pair at most: the i-th run of a seed goes with the i-th reference of it. */
static size_t find_pairs(pair *pairs, bool *used, const bnd_record *records, size_t count, const bnd_record *references,
                         size_t reference_count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < reference_count; j++) {
            if (!used[j] && belong(&records[i], &references[j])) {
                used[j] = true;
                pairs[n++] = (pair){.run = &records[i], .reference = &references[j]};
                break;
            }
        }
    }
    return n;
}

/* The last step of a run; one that ended has every later step, as NaN. */
static uint64_t last_step(const bnd_record *record)
{
    return record->ended || record->count == 0 ? UINT64_MAX : record->points[record->count - 1].step;
}

/* The mean loss of the last tenth of the points up to a step. */
static double loss_up_to(const bnd_record *record, uint64_t step)
{
    size_t n = record->count;
    while (n > 0 && record->points[n - 1].step > step) {
        n--;
    }
    if (n == record->count) {
        return record->loss;
    }
    size_t tenth = n >= 10 ? n / 10 : n > 0;
    double sum = 0;
    for (size_t i = n - tenth; i < n; i++) {
        sum += record->points[i].loss;
    }
    return tenth > 0 ? sum / (double)tenth : __builtin_nan("");
}

/* NaN is not below the cap. */
static double capped(double x, double cap)
{
    return x < cap ? x : cap;
}

/* One cap for both: the reference says it, where it can. */
static void weigh(pair *p)
{
    uint64_t a = last_step(p->run), b = last_step(p->reference), both = a < b ? a : b;
    bool ended = p->run->ended || p->reference->ended;
    p->cut = a != b && !ended;
    p->cut_at = both;
    p->cap = bndi_record_cap(p->reference);
    if (p->reference->ignorance != p->reference->ignorance && p->run->ignorance == p->run->ignorance) {
        p->cap = p->run->ignorance;
    }
    bool validated = p->run->validated && p->reference->validated && !p->cut;
    p->raw = validated ? p->run->validation : loss_up_to(p->run, both);
    p->result = capped(p->raw, p->cap);
    p->against = capped(validated ? p->reference->validation : loss_up_to(p->reference, both), p->cap);
}

/* ---- when a run left ----
 *
 * The losses of both, capped, are smoothed: means of the last steps, a twentieth of all, at most 64 of them. At each
 * step a gap of means is outside where it is above three things: its own band over the pairs, how far the reference is
 * spread over its seeds, and what matters. A run that is outside from some step to the end left at that step; one that
 * comes back did not. A loss that is no number, of half of the pairs or more, is outside at once. Losses are in units
 * of the pair's cap: data of another seed may be another problem, with other losses. */

enum { PART = 20, WINDOW_MOST = 64, PAIRS_MOST = 4096 };

/* Steps of all pairs: those of one record that every other has too. */
typedef struct timeline {
    uint64_t *step;
    size_t count;
} timeline;

static void keep_common(timeline *line, const bnd_record *record)
{
    size_t kept = 0, j = 0;
    for (size_t i = 0; i < line->count; i++) {
        while (j < record->count && record->points[j].step < line->step[i]) {
            j++;
        }
        bool lost = j == record->count && record->ended; /* it has every later step: as no number */
        if (lost || (j < record->count && record->points[j].step == line->step[i])) {
            line->step[kept++] = line->step[i];
        }
    }
    line->count = kept;
}

/* Losses of these steps, those that are no number or above the cap as they are, those behind the end of one that ended
 * no numbers. */
static void take_losses(double *out, const timeline *line, const bnd_record *record)
{
    size_t j = 0;
    for (size_t i = 0; i < line->count; i++) {
        while (j < record->count && record->points[j].step < line->step[i]) {
            j++;
        }
        out[i] = j < record->count ? record->points[j].loss : __builtin_nan("");
    }
}

/* The trailing mean, in place from the end. NaN where one of them is NaN or infinite. */
static void smooth(double *x, size_t n, size_t window, double cap)
{
    for (size_t i = n; i-- > 0;) {
        size_t m = i + 1 < window ? i + 1 : window;
        double sum = 0;
        for (size_t j = i + 1 - m; j <= i; j++) {
            sum += x[j] - x[j] != 0 ? __builtin_nan("") : x[j] < cap ? x[j] : cap;
        }
        x[i] = sum / (double)m;
    }
}

static bool matters(double gap, double reference, double cap)
{
    double share = BND_MARGIN * fabs(reference);
    double least = cap - cap == 0 ? BND_MARGIN_OF_LESS * fabs(cap) : 0;
    return gap > share && gap > least;
}

static bool is_outside(const pair *pairs, size_t n, size_t i, double *gaps, double *bases)
{
    size_t lost = 0, m = 0;
    for (size_t k = 0; k < n; k++) {
        double loss = pairs[k].loss[i], base = pairs[k].base[i], cap = pairs[k].cap;
        double unit = cap - cap == 0 && cap != 0 ? 1 / fabs(cap) : 1;
        if (loss != loss || base != base) {
            lost += base == base;
            continue;
        }
        gaps[m] = (loss - base) * unit;
        bases[m++] = base * unit;
    }
    if (2 * lost >= n) {
        return true;
    }
    double gap = m > 0 ? mean_of(gaps, m) : 0;
    bool clear = m < 2 || (gap > bnd_band(gaps, m) && gap > deviation_of(bases, m));
    return m > 0 && clear && matters(gap, mean_of(bases, m), 1);
}

static void find_leaving(bnd_comparison *c, const timeline *line, pair *pairs, size_t n, double *work)
{
    size_t part = line->count / PART, window = part < 1 ? 1 : part < WINDOW_MOST ? part : WINDOW_MOST;
    size_t at = line->count;
    for (size_t k = 0; k < n; k++) {
        take_losses(pairs[k].loss, line, pairs[k].run);
        take_losses(pairs[k].base, line, pairs[k].reference);
        smooth(pairs[k].loss, line->count, window, pairs[k].cap);
        smooth(pairs[k].base, line->count, window, pairs[k].cap);
    }
    while (at > 0 && is_outside(pairs, n, at - 1, work, work + n)) {
        at--;
    }
    c->left = at < line->count;
    c->left_at = c->left ? line->step[at] : 0;
}

/* ---- the comparison ---- */

/* A loss that is no number; or that of who knows nothing, where the reference knows more. */
static bool has_diverged(const pair *p)
{
    return p->raw - p->raw != 0 || (p->result >= p->cap && p->against < p->cap);
}

static bool are_apart(double x, double y)
{
    return x > 0 && y > 0 && (x >= BND_APART * y || y >= BND_APART * x);
}

/* Orders of magnitude: logarithms of quotients, pair by pair, where all are above zero. */
static void judge_apart(bnd_comparison *c, const pair *pairs, double *logs)
{
    bool positive = true;
    for (size_t k = 0; k < c->pairs; k++) {
        positive = positive && pairs[k].result > 0 && pairs[k].against > 0;
        logs[k] = positive ? log(pairs[k].result / pairs[k].against) : 0;
    }
    double mean = mean_of(logs, c->pairs);
    bool clear = c->pairs < 2 || (positive && fabs(mean) > bnd_band(logs, c->pairs));
    bool higher = c->pairs < 2 ? c->result > c->reference : mean > 0;
    c->verdict = !clear ? BND_MATCH : higher ? BND_DEGRADED : BND_BETTER;
    c->unclear = !clear;
}

static void judge(bnd_comparison *c, const pair *pairs, double *gaps)
{
    double results = 0, references = 0, caps = 0;
    for (size_t k = 0; k < c->pairs; k++) {
        const pair *p = &pairs[k];
        gaps[k] = p->result == p->against ? 0 : p->result - p->against; /* infinities, too */
        results += p->result;
        references += p->against;
        caps += p->cap;
        c->diverged += has_diverged(p);
    }
    double n = (double)c->pairs;
    c->result = results / n;
    c->reference = references / n;
    c->gap = mean_of(gaps, c->pairs);
    c->band = bnd_band(gaps, c->pairs);
    bool clear = c->pairs < 2 || c->gap > c->band;
    bool worse = clear && matters(c->gap, c->reference, caps / n);
    c->verdict = 2 * c->diverged >= c->pairs ? BND_DIVERGED : worse ? BND_DEGRADED : BND_MATCH;
    c->unclear = c->verdict == BND_MATCH && c->pairs > 1 && matters(c->gap + c->band, c->reference, caps / n);
    if (c->verdict == BND_MATCH && are_apart(c->result, c->reference)) {
        judge_apart(c, pairs, gaps);
    }
}

/* One that did not end, where there is one: it has the steps that the others have, too. */
static const bnd_record *one_of(const pair *pairs, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const bnd_record *whole = !pairs[k].run->ended ? pairs[k].run : pairs[k].reference;
        if (!whole->ended) {
            return whole;
        }
    }
    return pairs[0].run;
}

/* Rooms of everything that is worked on, one for the losses of all pairs. */
static bnd_status compare_pairs(bnd_comparison *out, pair *pairs, size_t n, bnd_error *why)
{
    bnd_comparison c = {.pairs = n};
    const bnd_record *first = one_of(pairs, n);
    timeline line = {.count = first->count};
    size_t each = first->count + 1;
    bool fits = each <= SIZE_MAX / sizeof(double) / (2 * n + 2);
    double *room = fits ? malloc(((2 * n) * each + 2 * n) * sizeof *room) : NULL;
    line.step = room != NULL ? malloc(each * sizeof *line.step) : NULL;
    if (line.step == NULL) {
        free(room);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare %zu runs of %zu steps", n, first->count);
    }
    for (size_t i = 0; i < first->count; i++) {
        line.step[i] = first->points[i].step;
    }
    for (size_t k = 0; k < n; k++) {
        pairs[k].loss = room + 2 * n + 2 * k * each;
        pairs[k].base = pairs[k].loss + each;
        weigh(&pairs[k]);
        c.cut_at = pairs[k].cut && (!c.cut || pairs[k].cut_at < c.cut_at) ? pairs[k].cut_at : c.cut_at;
        c.cut = c.cut || pairs[k].cut;
        keep_common(&line, pairs[k].run);
        keep_common(&line, pairs[k].reference);
    }
    judge(&c, pairs, room);
    find_leaving(&c, &line, pairs, n, room);
    free(line.step);
    free(room);
    *out = c;
    return BND_OK;
}

bnd_status bnd_records_compare(bnd_comparison *out, const bnd_record *records, size_t count,
                               const bnd_record *references, size_t reference_count, bnd_error *why)
{
    bool few = count <= PAIRS_MOST && reference_count <= PAIRS_MOST;
    pair *pairs = few ? calloc(count + 1, sizeof *pairs) : NULL;
    bool *used = few ? calloc(reference_count + 1, sizeof *used) : NULL;
    bnd_status status = BND_OK;
    if (!few) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "at most %d runs are compared at once", PAIRS_MOST);
    } else if (pairs == NULL || used == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare %zu runs", count);
    } else {
        size_t n = find_pairs(pairs, used, records, count, references, reference_count);
        status = n > 0 ? compare_pairs(out, pairs, n, why)
                       : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                  "no run has the model and the seeds of a run of the reference: there is no pair");
    }
    free(pairs);
    free(used);
    return status;
}
