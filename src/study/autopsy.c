/* The autopsy: the runs that would have been. A part of the policy is lifted to fp32, or lowered into it, one at a
 * time; what that recovers or loses of the gap says how much the part is to blame. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

/* ---- the runs that would have been ---- */

enum direction { LIFT, LOWER };

typedef struct trial {
    size_t part;
    enum direction direction;
    bnd_policy policy;
} trial;

static size_t plan_trials(trial *out, const bnd_policy *policy)
{
    size_t n = 0;
    for (size_t part = 0; part < bnd_part_count() && part < BND_SHARES_MAX; part++) {
        trial t = {.part = part, .direction = LIFT};
        if (bnd_policy_lift(&t.policy, policy, part)) {
            out[n++] = t;
        }
        t.direction = LOWER;
        if (bnd_policy_lower(&t.policy, policy, part)) {
            out[n++] = t;
        }
    }
    return n;
}

size_t bnd_autopsy_runs(const bnd_policy *policy)
{
    trial *trials = calloc(2 * BND_SHARES_MAX, sizeof *trials);
    size_t n = trials != NULL ? plan_trials(trials, policy) : 0;
    free(trials);
    return n;
}

/* ---- shares ---- */

typedef struct seeds {
    const bnd_record *runs;             /* of the recipe, */
    const bnd_record *const *reference; /* and what they are compared with: one for each */
    size_t count;
    double gap;
    double *numbers; /* to work in: one a seed */
} seeds;

/* The share of the gap that these numbers, one a seed, come to, and its band: that of a quotient of means, from what
 * each seed has beyond the share of its own gap. */
static void share_of_gap(double *share, double *band, const seeds *s, double *numbers)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        sum += numbers[i];
    }
    *share = sum / ((double)s->count * s->gap);
    for (size_t i = 0; i < s->count; i++) {
        double own = bnd_record_result(&s->runs[i]) - bnd_record_result(s->reference[i]);
        numbers[i] = (numbers[i] - *share * own) / s->gap;
    }
    *band = bnd_interval(numbers, s->count);
}

/* What this trial recovers or loses. */
static void measure(double *share, double *band, const seeds *s, const bnd_record *tried, enum direction direction)
{
    for (size_t i = 0; i < s->count; i++) {
        double from = direction == LIFT ? bnd_record_result(&s->runs[i]) : bnd_record_result(&tried[i]);
        double to = direction == LIFT ? bnd_record_result(&tried[i]) : bnd_record_result(s->reference[i]);
        s->numbers[i] = from - to;
    }
    share_of_gap(share, band, s, s->numbers);
}

static bnd_share *share_of_part(bnd_autopsy *a, size_t part)
{
    for (size_t i = 0; i < a->share_count; i++) {
        if (a->shares[i].part == part) {
            return &a->shares[i];
        }
    }
    a->shares[a->share_count] = (bnd_share){.part = part};
    return &a->shares[a->share_count++];
}

/* What lowering the parts one by one leaves over, seed by seed. */
static void measure_interaction(bnd_autopsy *a, const seeds *s, const trial *trials, size_t trial_count,
                                const bnd_record *tried)
{
    for (size_t i = 0; i < s->count; i++) {
        double reference = bnd_record_result(s->reference[i]);
        s->numbers[i] = bnd_record_result(&s->runs[i]) - reference;
        for (size_t t = 0; t < trial_count; t++) {
            bool lowered = trials[t].direction == LOWER;
            s->numbers[i] -= lowered ? bnd_record_result(&tried[t * s->count + i]) - reference : 0;
        }
    }
    share_of_gap(&a->interaction, &a->interaction_band, s, s->numbers);
}

/* A part that does both, recovers the gap when it is lifted and brings it about when it is lowered, explains more than
 * one that does either. */
static double weight_of(const bnd_share *x)
{
    return (x->lifts ? x->lifted : 0) + (x->lowers ? x->lowered : 0);
}

static int by_weight(const void *a, const void *b)
{
    const bnd_share *x = a, *y = b;
    double first = weight_of(x), second = weight_of(y);
    return first > second ? -1 : first < second ? 1 : (int)x->part - (int)y->part;
}

static void measure_shares(bnd_autopsy *a, const seeds *s, const trial *trials, size_t trial_count,
                           const bnd_record *tried)
{
    for (size_t t = 0; t < trial_count; t++) {
        bnd_share *share = share_of_part(a, trials[t].part);
        const bnd_record *of = tried + t * s->count;
        if (trials[t].direction == LIFT) {
            share->lifts = true;
            measure(&share->lifted, &share->lifted_band, s, of, LIFT);
        } else {
            share->lowers = true;
            measure(&share->lowered, &share->lowered_band, s, of, LOWER);
        }
    }
    measure_interaction(a, s, trials, trial_count, tried);
    qsort(a->shares, a->share_count, sizeof a->shares[0], by_weight);
}

/* ---- the cause ---- */

/* How much of a mechanism is worth naming: below it, the part is to blame for its rounding. */
static const double worth_naming[BND_MECHANISMS] = {
    [BND_FOUND_FLUSHED] = 0.01,  [BND_FOUND_OVERFLOWED] = 1e-6,  [BND_FOUND_CLAMPED] = 0.01,
    [BND_FOUND_CANCELLED] = 0.1, [BND_FOUND_LOST_MOMENT] = 0.01, [BND_FOUND_ROUNDED] = 0};

/* Of the findings about a part's roles: the one that is furthest above what is worth naming. Its weight; 0: none. */
static double cause_of_part(bnd_finding *cause, const bnd_autopsy *a, size_t part)
{
    uint32_t roles = bnd_part_roles(part);
    double most = 0;
    for (size_t i = 0; i < a->finding_count; i++) {
        const bnd_finding *f = &a->findings[i];
        double weight = f->mechanism == BND_FOUND_ROUNDED ? 1e-9 * f->share : f->share;
        bool is = (roles >> f->role & 1) != 0 && f->share > worth_naming[f->mechanism];
        if (is && weight > most) {
            most = weight;
            *cause = *f;
        }
    }
    return most;
}

/* Parts that explain as much as the first, as those that each suffice to diverge do: the one whose casts say most comes
 * to the front. */
static void put_telling_first(bnd_autopsy *a)
{
    static const double alike = 1e-6;
    bnd_finding unused;
    double first = weight_of(&a->shares[0]), most = cause_of_part(&unused, a, a->shares[0].part);
    size_t best = 0;
    for (size_t i = 1; i < a->share_count && weight_of(&a->shares[i]) >= first - alike; i++) {
        double telling = cause_of_part(&unused, a, a->shares[i].part);
        if (telling > most) {
            most = telling;
            best = i;
        }
    }
    const bnd_share share = a->shares[best];
    memmove(&a->shares[1], &a->shares[0], best * sizeof a->shares[0]);
    a->shares[0] = share;
}

static void find_cause(bnd_autopsy *a, const bnd_training *training)
{
    put_telling_first(a);
    a->is_accumulator = strcmp(bnd_part_name(a->shares[0].part), "acc") == 0;
    a->has_cause = cause_of_part(&a->cause, a, a->shares[0].part) > 0;
    const bnd_cast *v = &training->policy.cast[BND_ROLE_V];
    a->epsilon_vanishes = a->has_cause && a->cause.role == BND_ROLE_V && v->given && training->epsilon > 0 &&
                          (bnd_encode(&v->format, training->epsilon, v->rule, 0).flags & BND_FLUSHED) != 0;
}

/* ---- all of it ---- */

static bnd_status pair_up(const bnd_record **reference, const bnd_record *records, size_t count,
                          const bnd_record *references, size_t reference_count, bnd_error *why)
{
    for (size_t i = 0; i < count; i++) {
        reference[i] = NULL;
        for (size_t j = 0; j < reference_count; j++) {
            bool same =
                references[j].seed_init == records[i].seed_init && references[j].seed_data == records[i].seed_data;
            reference[i] = same ? &references[j] : reference[i];
        }
        if (reference[i] == NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "an autopsy needs a run in fp32 with the same seeds for each run");
        }
    }
    return BND_OK;
}

typedef struct counterfactuals {
    trial *trials;
    size_t trial_count, made;
    bnd_task *tasks;
    bnd_record *records;
    const bnd_record **reference;
    double *numbers;
} counterfactuals;

static void free_counterfactuals(counterfactuals *c)
{
    for (size_t i = 0; c->records != NULL && i < c->made; i++) {
        bnd_record_clear(&c->records[i]);
    }
    free(c->numbers);
    free(c->reference);
    free(c->records);
    free(c->tasks);
    free(c->trials);
}

static bnd_status prepare(counterfactuals *c, const bnd_task *tasks, size_t count, bnd_error *why)
{
    bnd_status status = BND_OK;
    c->trials = calloc(2 * BND_SHARES_MAX, sizeof *c->trials);
    c->trial_count = c->trials != NULL ? plan_trials(c->trials, &tasks[0].training.policy) : 0;
    c->tasks = calloc(c->trial_count * count + 1, sizeof *c->tasks);
    c->records = calloc(c->trial_count * count + 1, sizeof *c->records);
    c->reference = calloc(count, sizeof *c->reference);
    c->numbers = calloc(count, sizeof *c->numbers);
    if (c->trials == NULL || c->tasks == NULL || c->records == NULL || c->reference == NULL || c->numbers == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the runs of an autopsy");
    }
    for (size_t t = 0; status == BND_OK && t < c->trial_count; t++) {
        for (size_t i = 0; i < count; i++) {
            bnd_task *task = &c->tasks[t * count + i];
            *task = tasks[i];
            task->training.policy = c->trials[t].policy;
            task->recipe = NULL;
            task->directory = NULL;
            task->resume = task->statistics = task->switches = false;
        }
    }
    return status;
}

/* Over all seeds: runs that failed count as the chance level. */
static double mean_gap(const bnd_record *runs, const bnd_record *const *reference, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += bnd_record_result(&runs[i]) - bnd_record_result(reference[i]);
    }
    return sum / (double)count;
}

/* The steps that findings are about: up to the first one outside the reference's range. */
static uint64_t steps_to_look_at(const bnd_comparison *c, const bnd_task *task)
{
    return c->outside && c->outside_from + 1 < task->training.steps ? c->outside_from + 1 : task->training.steps;
}

bnd_status bnd_autopsy_make(bnd_autopsy *out, const bnd_task *tasks, const bnd_record *records, size_t count,
                            const bnd_record *references, size_t reference_count, double margin,
                            const bnd_context *context, bnd_study_watch *watch, void *data, bnd_error *why)
{
    counterfactuals c = {.trials = NULL};
    bnd_autopsy *a = calloc(1, sizeof *a);
    bnd_status status =
        a != NULL ? bnd_records_compare(&a->comparison, records, count, references, reference_count, margin, why)
                  : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for an autopsy");
    if (status == BND_OK && bnd_comparison_has_cause(&a->comparison)) {
        status = prepare(&c, tasks, count, why);
        if (status == BND_OK) {
            status = pair_up(c.reference, records, count, references, reference_count, why);
        }
        if (status == BND_OK) {
            status = bnd_study_run(c.records, c.tasks, c.trial_count * count, context, watch, data, why);
            c.made = c.trial_count * count;
        }
        if (status == BND_OK) {
            status = bnd_findings(a->findings, &a->finding_count, &tasks[0].training,
                                  steps_to_look_at(&a->comparison, &tasks[0]), context, why);
        }
        if (status == BND_OK && c.trial_count > 0) {
            const seeds s = {records, c.reference, count, mean_gap(records, c.reference, count), c.numbers};
            measure_shares(a, &s, c.trials, c.trial_count, c.records);
            find_cause(a, &tasks[0].training);
        }
    }
    if (status == BND_OK) {
        *out = *a;
    }
    free_counterfactuals(&c);
    free(a);
    return status;
}
