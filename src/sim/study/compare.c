/* Comparing runs: pairs of the same seeds, their gaps, and the verdict. */
#include "study/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef bndi_seed_pair pair;

/* ---- losses that are compared ---- */

/* The last step of a run; one that ended has every later step, as NaN. */
static uint64_t last_step(const bnd_record *record)
{
    return record->ended || record->count == 0 ? UINT64_MAX : record->points[record->count - 1].step;
}

/* The number of points up to a step. */
static size_t points_up_to(const bnd_record *record, uint64_t step)
{
    size_t n = record->count;
    while (n > 0 && record->points[n - 1].step > step) {
        n--;
    }
    return n;
}

/* How many of n points their last tenth is. */
static size_t tenth_of(size_t n)
{
    return n >= 10 ? n / 10 : n > 0;
}

/* The mean loss of the last tenth of the points up to a step. */
static double loss_up_to(const bnd_record *record, uint64_t step)
{
    size_t n = points_up_to(record, step);
    if (n == record->count) {
        return record->loss;
    }
    size_t tenth = tenth_of(n);
    double sum = 0;
    for (size_t i = n - tenth; i < n; i++) {
        sum += record->points[i].loss;
    }
    return tenth > 0 ? sum / (double)tenth : __builtin_nan("");
}

/* Both are measured by the same thing: validation in fp32, validation, training. The reference says what chance level
 * is, where it can. */
static void weigh(pair *p)
{
    const bnd_record *run = p->run, *reference = p->reference;
    uint64_t a = last_step(run), b = last_step(reference), both = a < b ? a : b;
    p->cut = a != b && !run->ended && !reference->ended;
    p->cut_at = both;
    bool validated = run->validated && reference->validated && !p->cut;
    p->validated = validated;
    bool in_fp32 = validated && run->validated_fp32 && reference->validated_fp32;
    p->result = in_fp32 ? run->validation_fp32 : validated ? run->validation : loss_up_to(run, both);
    p->against = in_fp32 ? reference->validation_fp32 : validated ? reference->validation : loss_up_to(reference, both);
}

/* What the tolerance of this pair is a share of, where the reference's loss is `loss`: what is above the irreducible
 * loss. An irreducible loss above 0 is a mean over all data, around which that of the data at hand is scattered: at
 * least a hundredth of the way from chance level counts. */
static double excess(const pair *p, double loss)
{
    double least = (p->chance_loss - p->floor) / 100;
    if (p->floor - p->floor != 0) {
        return BND_COMPARISON_EXCESS * fabs(loss);
    }
    return p->floor == 0 ? fabs(loss) : fmax(loss - p->floor, least); /* fmax leaves NaN out */
}

/* ---- the first step outside the reference's range ----
 *
 * The losses of both runs are capped at the chance level and smoothed: each is the mean of the last steps, a
 * twentieth of all steps and at most 64. The gap of means at a step is outside if it exceeds three things: half its
 * 95 % interval over the pairs, the standard deviation of the reference over its seeds, and the tolerance. A run is
 * outside from a step on if that step and all later ones are outside. A loss that is NaN in half of the pairs or
 * more is outside immediately. Losses are divided by the pair's chance level, since data of another seed may be
 * another problem with other losses. */

static const double LEAST_GAP = 1e-6; /* of chance level: rounding of fp32 itself */

static bool is_outside(const pair *pairs, size_t n, size_t i, double margin, double *gaps, double *bases)
{
    size_t lost = 0, m = 0;
    double tolerance = 0;
    for (size_t k = 0; k < n; k++) {
        const pair *p = &pairs[k];
        double loss = p->loss[i], base = p->base[i], chance = p->chance;
        double unit = chance - chance == 0 && chance != 0 ? 1 / fabs(chance) : 1;
        if (loss != loss || base != base) {
            lost += base == base;
            continue;
        }
        tolerance += margin * excess(p, base) * unit;
        gaps[m] = (loss - base) * unit;
        bases[m++] = base * unit;
    }
    if (2 * lost >= n) {
        return true;
    }
    double gap = m > 0 ? bndi_mean(gaps, m) : 0;
    bool clear = m < 2 || (gap > bnd_interval(gaps, m) && gap > bndi_deviation(bases, m));
    return m > 0 && clear && gap > tolerance / (double)m && gap > LEAST_GAP;
}

static void find_outside(bnd_comparison *c, const bndi_timeline *line, pair *pairs, size_t n, double *work)
{
    size_t at = line->count;
    bndi_pairs_smooth(pairs, n, line);
    while (at > 0 && is_outside(pairs, n, at - 1, c->margin, work, work + n)) {
        at--;
    }
    c->outside = at < line->count;
    c->outside_from = c->outside ? line->step[at] : 0;
}

/* ---- the comparison ---- */

/* NaN or infinite, or still at chance level: less than a hundredth of the other's way has been made. */
static bool has_failed(double loss, double other, double chance)
{
    double way = chance - other;
    return loss - loss != 0 || (other < chance && loss >= chance - way / 100);
}

static bool is_number(const pair *p)
{
    return p->result - p->result == 0 && p->against - p->against == 0;
}

/* The first step of the losses that are not numbers, up to the last step that both have: of those at the end, otherwise
 * of those in the mean that is compared. Of a run that ended, the losses after its last point are NaN, too. Where all
 * of these are numbers, it was the validation at the end that was not: that is after the last step. */
static uint64_t nan_from(const pair *p)
{
    const bnd_point *points = p->run->points;
    const size_t n = p->cut ? points_up_to(p->run, p->cut_at) : p->run->count;
    size_t i = n;
    while (i > 0 && points[i - 1].loss - points[i - 1].loss != 0) {
        i--;
    }
    for (i = i == n && !p->validated ? n - tenth_of(n) : i; i < n && points[i].loss - points[i].loss == 0;) {
        i++;
    }
    return i < n ? points[i].step : n > 0 ? points[n - 1].step + 1 : 0;
}

static bool is_at_end(const bnd_record *record, uint64_t from)
{
    return !record->ended && record->validated && record->count > 0 && from > record->points[record->count - 1].step;
}

/* Moves the pairs in which no run failed to the front, and returns their number. If there are none, moves the pairs
 * whose losses are not NaN, and returns theirs. */
static size_t set_failed_aside(bnd_comparison *c, pair *pairs)
{
    size_t numbers = 0;
    for (size_t k = 0; k < c->pairs; k++) {
        const pair p = pairs[k];
        bool failed = has_failed(p.result, p.against, p.chance);
        bool reference_failed = has_failed(p.against, p.result, p.chance);
        if (p.result - p.result != 0) {
            uint64_t from = nan_from(&p);
            if (c->failed_nan == 0 || from < c->nan_from) {
                c->nan_from = from;
                c->nan_at_end = is_at_end(p.run, from);
            }
            c->failed_nan++;
        }
        c->failed += failed;
        c->reference_failed += reference_failed;
        numbers += is_number(&p);
        if (!failed && !reference_failed) {
            pairs[k] = pairs[c->judged];
            pairs[c->judged++] = p;
        }
    }
    size_t front = 0;
    for (size_t k = 0; c->judged == 0 && k < c->pairs; k++) {
        const pair p = pairs[k];
        if (is_number(&p)) {
            pairs[k] = pairs[front];
            pairs[front++] = p;
        }
    }
    return c->judged > 0 ? c->judged : numbers;
}

/* Where a loss has no room below it but 0, what fp32 cannot resolve counts as its resolution: a loss of the squared
 * rounding error (2^-24) of a number at chance level. */
static double resolved(const pair *p, double loss)
{
    double least = p->floor == 0 && p->chance_loss > 0 ? 0x1p-48 * p->chance_loss : 0;
    return loss > least ? loss : least;
}

/* The reference is near its resolution: what is left of its loss is rounding error. */
static bool is_solved(const pair *p)
{
    return p->floor == 0 && p->chance_loss > 0 && p->against <= 0x1p-40 * p->chance_loss;
}

/* Does the reference solve all of them, and are all losses above 0 and over a factor of BND_COMPARISON_APART? */
static bool span_decades(bnd_comparison *c, const pair *pairs, size_t n)
{
    double low = __builtin_inf(), high = 0;
    c->solved = n > 0;
    for (size_t k = 0; k < n; k++) {
        double a = resolved(&pairs[k], pairs[k].result), b = resolved(&pairs[k], pairs[k].against);
        low = fmin(low, fmin(a, b));
        high = fmax(high, fmax(a, b));
        c->solved = c->solved && is_solved(&pairs[k]);
    }
    return n > 0 && low > 0 && (c->solved || high >= BND_COMPARISON_APART * low);
}

/* Gaps of logarithms, and the ratios that they mean. */
static void measure_ratios(bnd_comparison *c, const pair *pairs, size_t n, double *logs)
{
    for (size_t k = 0; k < n; k++) {
        const pair *p = &pairs[k];
        logs[k] = p->result == p->against ? 0 : log(resolved(p, p->result) / resolved(p, p->against));
    }
    double mean = bndi_mean(logs, n), half = bnd_interval(logs, n);
    c->ratio = exp(mean);
    c->ratio_low = exp(mean - half);
    c->ratio_high = exp(mean + half);
}

static void measure_gaps(bnd_comparison *c, const pair *pairs, size_t n, double *gaps)
{
    double results = 0, references = 0, tolerances = 0;
    for (size_t k = 0; k < n; k++) {
        gaps[k] = pairs[k].result - pairs[k].against;
        results += pairs[k].result;
        references += pairs[k].against;
        tolerances += c->margin * excess(&pairs[k], pairs[k].against);
    }
    c->result = results / (double)n; /* NaN for none */
    c->reference = references / (double)n;
    c->gap = bndi_mean(gaps, n);
    c->interval = bnd_interval(gaps, n);
    c->tolerance = tolerances / (double)n;
}

/* Where losses span decades: all of a loss is excess, unless nothing is known of it. */
static double share_of_excess(const pair *pairs, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (pairs[k].floor - pairs[k].floor != 0) {
            return BND_COMPARISON_EXCESS;
        }
    }
    return 1;
}

/* The reference's way from chance level; one that failed has made none of it. */
static double share_covered(const pair *pairs, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        const pair *p = &pairs[k];
        double way = p->chance_loss - p->floor, made = p->chance_loss - p->against;
        sum += way > 0 && !(made == made) ? 0 : made / (way > 0 ? way : __builtin_nan(""));
    }
    return sum / (double)n;
}

/* `itself`: of a reference, which fails where every run of it does. */
static void judge(bnd_comparison *c, pair *pairs, double *gaps, bool itself)
{
    double tolerance;
    c->covered = share_covered(pairs, c->pairs);
    c->ratio = c->ratio_low = c->ratio_high = c->ratio_tolerance = __builtin_nan("");
    size_t n = set_failed_aside(c, pairs);
    measure_gaps(c, pairs, n, gaps);
    tolerance = c->tolerance;
    c->logarithmic = span_decades(c, pairs, n);
    if (c->logarithmic) {
        measure_ratios(c, pairs, n, gaps);
        c->ratio_tolerance = c->solved ? BND_COMPARISON_APART : 1 + c->margin * share_of_excess(pairs, n);
        tolerance = log(c->ratio_tolerance);
    }
    bool failed = c->failed > c->reference_failed || (itself && c->failed > 0 && c->judged == 0);
    c->others = bndi_judge(gaps, c->judged, tolerance);
    c->verdict = failed ? BND_VERDICT_FAILED : c->others;
}

static bnd_status compare_pairs(bnd_comparison *out, pair *pairs, size_t n, double margin, bool itself, bnd_error *why)
{
    bnd_comparison c = {.pairs = n, .margin = margin};
    bndi_timeline line;
    double *room;
    bnd_status status = bndi_pairs_lay_out(&line, &room, pairs, n, why);
    if (status != BND_OK) {
        return status;
    }
    for (size_t k = 0; k < n; k++) {
        weigh(&pairs[k]);
        c.cut_at = pairs[k].cut && (!c.cut || pairs[k].cut_at < c.cut_at) ? pairs[k].cut_at : c.cut_at;
        c.cut = c.cut || pairs[k].cut;
    }
    find_outside(&c, &line, pairs, n, room);
    judge(&c, pairs, room, itself);
    free(line.step);
    free(room);
    *out = c;
    return BND_OK;
}

bnd_status bnd_records_compare(bnd_comparison *out, const bnd_record *records, size_t count,
                               const bnd_record *references, size_t reference_count, double margin, bnd_error *why)
{
    pair *pairs;
    size_t n;
    if (!(margin >= 0)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the margin of a comparison must be a number of at least 0");
    }
    bnd_status status = bndi_pairs_find(&pairs, &n, records, count, references, reference_count, why);
    if (status == BND_OK) {
        status = compare_pairs(out, pairs, n, margin, records == references, why);
        free(pairs);
    }
    return status;
}
