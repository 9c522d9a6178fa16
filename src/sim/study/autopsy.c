/* The autopsy: counterfactual runs. Each part of the policy is lifted to fp32 alone, and lowered into an fp32 run
 * alone. The share of the gap that this recovers or causes measures the part's effect. Then parts are lifted together
 * (healing.c). */
#include "study/autopsy.h"

#include <stdlib.h>
#include <string.h>

/* ---- the runs that would have been ---- */

typedef struct trial {
    size_t part;
    bndi_direction direction;
} trial;

enum { TRIALS_MOST = 2 * BND_SHARES_MAX };

/* The trials, and the policy of each. */
static size_t plan_trials(trial *out, bnd_policy *policies, const bnd_training *training)
{
    const bnd_policy p = bndi_policy_in_use(training), *policy = &p;
    size_t n = 0;
    for (size_t part = 0; part < bnd_part_count() && part < BND_SHARES_MAX; part++) {
        out[n] = (trial){part, BNDI_LIFT};
        n += bnd_policy_lift(&policies[n], policy, part) != NULL;
        out[n] = (trial){part, BNDI_LOWER};
        n += bnd_policy_lower(&policies[n], policy, part) != NULL;
    }
    return n;
}

size_t bnd_autopsy_runs(const bnd_training *training)
{
    trial trials[TRIALS_MOST + 1];
    bnd_policy *policies = calloc(TRIALS_MOST + 1, sizeof *policies);
    size_t n = policies != NULL ? plan_trials(trials, policies, training) : 0;
    free(policies);
    return n + bndi_healing_runs(training);
}

/* ---- shares ---- */

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
static void measure_interaction(bnd_autopsy *a, const bndi_patient *p, const trial *trials, size_t trial_count,
                                const bnd_record *tried)
{
    for (size_t i = 0; i < p->count; i++) {
        double reference = bnd_record_result(p->reference[i]);
        p->numbers[i] = bndi_gap_of_seed(p, i);
        for (size_t t = 0; t < trial_count; t++) {
            bool lowered = trials[t].direction == BNDI_LOWER;
            p->numbers[i] -= lowered ? bnd_record_result(&tried[t * p->count + i]) - reference : 0;
        }
    }
    bndi_share_of_gap(&a->interaction, &a->interaction_interval, p, p->numbers);
}

/* How much a part explains: the mean of what it recovers lifted and loses lowered, as far as it was tried. */
static double weight_of(const bnd_share *x)
{
    const double tried = (x->lifts ? 1 : 0) + (x->lowers ? 1 : 0);
    return ((x->lifts ? x->lifted : 0) + (x->lowers ? x->lowered : 0)) / tried;
}

static int by_weight(const void *a, const void *b)
{
    const bnd_share *x = a, *y = b;
    double first = weight_of(x), second = weight_of(y);
    return first > second ? -1 : first < second ? 1 : (int)x->part - (int)y->part;
}

static bnd_status measure_shares(bnd_autopsy *a, const bndi_patient *p, const trial *trials, size_t trial_count,
                                 const bnd_record *tried, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t t = 0; status == BND_OK && t < trial_count; t++) {
        bnd_share *share = share_of_part(a, trials[t].part);
        const bnd_record *of = tried + t * p->count;
        bndi_outcome outcome = {.ill = false};
        status = bndi_outcome_of(&outcome, p, of, why);
        if (trials[t].direction == BNDI_LIFT) {
            share->lifts = true;
            share->heals = outcome.heals;
            share->lifted = outcome.recovered;
            share->lifted_interval = outcome.band;
        } else {
            share->lowers = true;
            share->hurts = outcome.ill;
            bndi_trial_share(&share->lowered, &share->lowered_interval, p, of, BNDI_LOWER);
        }
    }
    measure_interaction(a, p, trials, trial_count, tried);
    qsort(a->shares, a->share_count, sizeof a->shares[0], by_weight);
    return status;
}

/* ---- the cause ---- */

static bool is_part(size_t part, const char *name)
{
    return strcmp(bnd_part_name(part), name) == 0;
}

/* Does the finding speak of this part? Of scales, where numbers share one, and of what scales do. */
static bool speaks_of(const bnd_finding *f, size_t part, const bnd_policy *policy)
{
    if (is_part(part, "scaling")) {
        bool by_scales = f->mechanism == BND_MECHANISM_CLAMPED || f->mechanism == BND_MECHANISM_UNDERFLOWED;
        return by_scales && policy->cast[f->role].given && policy->cast[f->role].scaling[0] != 0;
    }
    return (bnd_part_roles(part) >> f->role & 1) != 0;
}

/* How much a finding tells: its share, where that is worth naming. Moments that are zero come before all else, since
 * the update divides by their root; rounding comes last. */
static double weight_of_finding(const bnd_finding *f)
{
    const double threshold = bnd_mechanism_threshold(f->mechanism);
    const double factor = f->mechanism == BND_MECHANISM_LOST_MOMENTS ? 1e3
                          : f->mechanism == BND_MECHANISM_ROUNDED    ? 1e-9
                                                                     : 1;
    return f->share > threshold ? factor * f->share : 0;
}

/* What was found in a run. */
typedef struct found {
    bnd_finding at[BND_FINDINGS_MAX];
    size_t count;
} found;

/* Sets *cause to the finding about this part with the largest weight and returns that weight; 0 if there is none. */
static double cause_of_part(bnd_finding *cause, const bnd_finding *findings, size_t count, size_t part,
                            const bnd_policy *policy)
{
    double most = 0;
    if (is_part(part, "acc")) {
        *cause = (bnd_finding){.mechanism = BND_MECHANISM_ROUNDED_SUMS,
                               .role = BND_ROLE_SCRATCH,
                               .share = __builtin_nan(""),
                               .worst_share = __builtin_nan("")};
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        const bnd_finding *f = &findings[i];
        const double weight = speaks_of(f, part, policy) ? weight_of_finding(f) : 0;
        if (weight > most) {
            most = weight;
            *cause = *f;
        }
    }
    return most;
}

static double telling_of(const bnd_autopsy *a, size_t share, const bnd_policy *policy)
{
    bnd_finding unused;
    return cause_of_part(&unused, a->findings, a->finding_count, a->shares[share].part, policy);
}

/* Parts that explain as much as the first, as those that each suffice to diverge do: the one whose casts say most comes
 * to the front. */
static void put_telling_first(bnd_autopsy *a, const bnd_policy *policy)
{
    static const double alike = 1e-6;
    double first = weight_of(&a->shares[0]), most = telling_of(a, 0, policy);
    size_t best = 0;
    for (size_t i = 1; i < a->share_count && weight_of(&a->shares[i]) >= first - alike; i++) {
        double telling = telling_of(a, i, policy);
        if (telling > most) {
            most = telling;
            best = i;
        }
    }
    const bnd_share share = a->shares[best];
    memmove(&a->shares[1], &a->shares[0], best * sizeof a->shares[0]);
    a->shares[0] = share;
}

/* The steps that findings are about: up to the first one outside the reference's range. */
static uint64_t steps_to_look_at(const bnd_comparison *c, const bnd_training *training)
{
    return c->outside && c->outside_from + 1 < training->steps ? c->outside_from + 1 : training->steps;
}

/* Where several parts are to blame, one of them may end the run before another has done anything: then a part is looked
 * at in a run in which the others are lifted, to its end. */
static bnd_status look_at_culprit(found *out, const bnd_autopsy *a, const bndi_patient *p, size_t culprit,
                                  bnd_error *why)
{
    bnd_training training = p->tasks[0].training;
    for (size_t i = 0; i < a->culprit_count; i++) {
        if (i != culprit) {
            (void)bnd_policy_lift(&training.policy, &training.policy, a->culprits[i].part);
        }
    }
    return bnd_findings(out->at, &out->count, &training, training.steps, p->context, why);
}

static bnd_status find_causes(bnd_autopsy *a, const bndi_patient *p, bnd_error *why)
{
    const bnd_training *training = &p->tasks[0].training;
    const bnd_cast *v = &training->policy.cast[BND_ROLE_V];
    found *f = calloc(1, sizeof *f);
    bnd_status status =
        f != NULL ? BND_OK : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the findings of an autopsy");
    bool divides = false;
    for (size_t i = 0; status == BND_OK && i < a->culprit_count; i++) {
        bnd_culprit *c = &a->culprits[i];
        const bool alone = a->culprit_count == 1;
        status = alone ? BND_OK : look_at_culprit(f, a, p, i, why);
        c->has_cause =
            status == BND_OK && cause_of_part(&c->cause, alone ? a->findings : f->at,
                                              alone ? a->finding_count : f->count, c->part, &training->policy) > 0;
        divides = divides || (c->has_cause && c->cause.role == BND_ROLE_V);
    }
    free(f);
    const bool rounds = v->given && v->scaling[0] == 0 && !training->policy.fused; /* what is added to the root of v */
    a->epsilon_vanishes = divides && rounds && training->epsilon > 0 &&
                          (bnd_encode(&v->format, training->epsilon, v->rule, 0).flags & BND_FLAG_TO_ZERO) != 0;
    return status;
}

/* ---- all of it ---- */

static bnd_status pair_up(bndi_patient *p, bnd_error *why)
{
    for (size_t i = 0; i < p->count; i++) {
        p->reference[i] = NULL;
        for (size_t j = 0; j < p->reference_count; j++) {
            const bnd_record *r = &p->references[j];
            bool same = r->seed_init == p->records[i].seed_init && r->seed_data == p->records[i].seed_data;
            p->reference[i] = same ? r : p->reference[i];
        }
        if (p->reference[i] == NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "an autopsy needs a run in fp32 with the same seeds for each run");
        }
    }
    for (size_t i = 0; i < p->count; i++) {
        p->gap += bndi_gap_of_seed(p, i) / (double)p->count;
    }
    return BND_OK;
}

/* Shares are of the gap. There is none to share where both ended at chance level, or the recipe below fp32. */
static bool has_gap(const bndi_patient *p)
{
    return p->gap > 0 && p->gap - p->gap == 0;
}

/* Each part by itself. */
static bnd_status try_parts(bnd_autopsy *a, bndi_patient *p, bnd_error *why)
{
    trial trials[TRIALS_MOST + 1];
    bnd_policy *policies = calloc(TRIALS_MOST + 1, sizeof *policies);
    const size_t n = policies != NULL ? plan_trials(trials, policies, &p->tasks[0].training) : 0, runs = n * p->count;
    bnd_record *records = calloc(runs + 1, sizeof *records);
    bnd_status status = BND_OK;
    if (policies == NULL || records == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the runs of an autopsy");
    }
    if (status == BND_OK) {
        status = bndi_make_under(records, p, policies, n, why);
    }
    if (status == BND_OK && n > 0 && !p->stopped) {
        status = measure_shares(a, p, trials, n, records, why);
    }
    for (size_t i = 0; records != NULL && i < runs; i++) {
        bnd_record_close(&records[i]);
    }
    free(records);
    free(policies);
    return status;
}

static bnd_status examine(bnd_autopsy *a, bndi_patient *p, bnd_error *why)
{
    const bnd_training *training = &p->tasks[0].training;
    bnd_status status = pair_up(p, why);
    if (status == BND_OK && has_gap(p)) {
        status = try_parts(a, p, why);
    }
    if (status == BND_OK && !p->stopped) {
        status = bnd_findings(a->findings, &a->finding_count, training, steps_to_look_at(&a->comparison, training),
                              p->context, why);
    }
    if (status == BND_OK && !p->stopped && a->share_count > 0) {
        put_telling_first(a, &training->policy);
        status = bndi_find_healing(a, p, why);
    }
    if (status == BND_OK && !p->stopped) {
        status = find_causes(a, p, why);
    }
    a->runs = p->made;
    return status;
}

bnd_status bnd_autopsy_make(bnd_autopsy *out, const bnd_task *tasks, const bnd_record *records, size_t count,
                            const bnd_record *references, size_t reference_count, double margin,
                            const bnd_context *context, bnd_study_watch *watch, void *data, bnd_error *why)
{
    bndi_patient p = {.tasks = tasks,
                      .records = records,
                      .count = count,
                      .references = references,
                      .reference_count = reference_count,
                      .reference = calloc(count + 1, sizeof *p.reference),
                      .numbers = calloc(count + 1, sizeof *p.numbers),
                      .margin = margin,
                      .context = context,
                      .watch = watch,
                      .data = data};
    bnd_autopsy *a = calloc(1, sizeof *a);
    bnd_status status =
        a != NULL && p.reference != NULL && p.numbers != NULL
            ? bnd_records_compare(&a->comparison, records, count, references, reference_count, margin, why)
            : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for an autopsy");
    if (status == BND_OK && count > 0 && tasks[0].training.policy.layers[0] != 0) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "an autopsy cannot be used with settings of layers (%s)",
                          tasks[0].training.policy.layers);
    }
    if (status == BND_OK && bnd_comparison_has_cause(&a->comparison)) {
        status = examine(a, &p, why);
    }
    if (status == BND_OK) {
        *out = p.stopped ? (bnd_autopsy){.comparison = a->comparison} : *a;
    }
    free(a);
    free(p.numbers);
    free(p.reference);
    return status;
}
