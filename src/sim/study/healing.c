/* The smallest set of parts that heals a run when they are lifted to fp32 together.
 *
 * A part that hurts fp32 when it alone is lowered has to be in the set: the rest of the recipe does not undo the harm.
 * So the search begins with these parts, the core, and adds others in the order of the gap that each explains alone.
 * Single parts have been tried already. Then come pairs and triples, a few of each size, with all sets of one size run
 * in parallel. Last, everything is lifted, and parts are removed one at a time. The set that remains is minimal:
 * removing any part breaks it. */
#include "study/autopsy.h"

#include <stdlib.h>

enum {
    OF_A_SIZE = 8,    /* sets, at most */
    CANDIDATES = 5,   /* that are added to the core, at most */
    LARGEST_SIZE = 3, /* of sets that are tried for their size */
    TRIED_MOST = 1 + BND_SHARES_MAX + 3 * OF_A_SIZE + 2 * BND_SHARES_MAX
};

/* A part that loses more than this of the gap by itself is one of the core. */
static const double lost_by_core = 0.1;

/* A bit a share: its place in the autopsy. */
typedef uint32_t set;

typedef struct search {
    bnd_autopsy *a;
    bndi_patient *patient;
    set parts, core;
    struct {
        set set;
        bndi_outcome outcome;
    } tried[TRIED_MOST];
    size_t tried_count;
    bool found;
    set best;
    bndi_outcome outcome; /* of the best */
} search;

static unsigned size_of(set s)
{
    return (unsigned)__builtin_popcount(s);
}

/* ---- trying ---- */

static const bndi_outcome *known(const search *s, set wanted)
{
    for (size_t i = 0; i < s->tried_count; i++) {
        if (s->tried[i].set == wanted) {
            return &s->tried[i].outcome;
        }
    }
    return NULL;
}

static void note(search *s, set tried, const bndi_outcome *outcome)
{
    s->tried[s->tried_count].set = tried;
    s->tried[s->tried_count++].outcome = *outcome;
}

static bnd_policy lift_all(const search *s, set parts)
{
    bnd_policy p = s->patient->tasks[0].training.policy;
    for (size_t i = 0; i < s->a->share_count; i++) {
        if ((parts >> i & 1) != 0) {
            (void)bnd_policy_lift(&p, &p, s->a->shares[i].part);
        }
    }
    return p;
}

static bnd_status judge_all(search *s, const set *sets, size_t n, const bnd_record *records, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < n; i++) {
        bndi_outcome outcome;
        status = bndi_outcome_of(&outcome, s->patient, records + i * s->patient->count, why);
        if (status == BND_OK) {
            note(s, sets[i], &outcome);
        }
    }
    return status;
}

/* Tries the sets that have not been tried yet, in parallel. */
static bnd_status try_sets(search *s, const set *sets, size_t n, bnd_error *why)
{
    const size_t runs = n * s->patient->count;
    bnd_policy *policies = calloc(n + 1, sizeof *policies);
    bnd_record *records = calloc(runs + 1, sizeof *records);
    bnd_status status = BND_OK;
    if (policies == NULL || records == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the runs of an autopsy");
    }
    for (size_t i = 0; status == BND_OK && i < n; i++) {
        policies[i] = lift_all(s, sets[i]);
    }
    if (status == BND_OK) {
        status = bndi_make_under(records, s->patient, policies, n, why);
    }
    if (status == BND_OK && !s->patient->stopped) {
        status = judge_all(s, sets, n, records, why);
    }
    for (size_t i = 0; records != NULL && i < runs; i++) {
        bnd_record_close(&records[i]);
    }
    free(records);
    free(policies);
    return status;
}

/* ---- sets of a size ---- */

/* Sets of `size` parts: the core and candidates, in the order of their shares. Sets of the first candidates come first.
 * Sets that were tried are left out. */
static size_t sets_of_size(set *out, const search *s, unsigned size)
{
    set candidates[CANDIDATES];
    size_t n = 0, count = 0;
    for (size_t i = 0; i < s->a->share_count && n < CANDIDATES; i++) {
        const set one = (set)1 << i;
        if ((s->parts & ~s->core & one) != 0) {
            candidates[n++] = one;
        }
    }
    for (unsigned choice = 0; choice < 1u << n && count < OF_A_SIZE; choice++) {
        set made = s->core;
        for (size_t i = 0; i < n; i++) {
            made |= (choice >> i & 1) != 0 ? candidates[i] : 0;
        }
        if (size_of(made) == size && known(s, made) == NULL) {
            out[count++] = made;
        }
    }
    return count;
}

/* Of the sets of a size that heal, the one that recovers most; of single parts, whose shares are in order, the
 * first. */
static void choose(search *s, unsigned size)
{
    for (size_t i = 0; i < s->tried_count; i++) {
        const bndi_outcome *o = &s->tried[i].outcome;
        const bool heals = size_of(s->tried[i].set) == size && o->heals;
        if (heals && (!s->found || (size > 1 && o->recovered > s->outcome.recovered))) {
            s->found = true;
            s->best = s->tried[i].set;
            s->outcome = *o;
        }
    }
}

static bnd_status try_size(search *s, unsigned size, bnd_error *why)
{
    set sets[OF_A_SIZE];
    const size_t n = sets_of_size(sets, s, size);
    bnd_status status = n > 0 ? try_sets(s, sets, n, why) : BND_OK;
    if (status == BND_OK) {
        choose(s, size);
    }
    return status;
}

/* ---- leaving out ---- */

static bnd_status outcome_of(bndi_outcome *out, search *s, set wanted, bnd_error *why)
{
    bnd_status status = known(s, wanted) == NULL ? try_sets(s, &wanted, 1, why) : BND_OK;
    const bndi_outcome *outcome = status == BND_OK ? known(s, wanted) : NULL;
    *out = outcome != NULL ? *outcome : (bndi_outcome){.ill = true};
    return status;
}

/* Parts of the best set that it does not need: the one that explains least first. */
static bnd_status leave_out(search *s, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = s->a->share_count; status == BND_OK && i-- > 0;) {
        const set less = s->best & ~((set)1 << i);
        bndi_outcome outcome = {.heals = false};
        if (less != s->best && less != 0) {
            status = outcome_of(&outcome, s, less, why);
        }
        if (status == BND_OK && outcome.heals) {
            s->best = less;
            s->outcome = outcome;
        }
    }
    return status;
}

static bnd_status try_whole(search *s, set whole, bnd_error *why)
{
    bndi_outcome outcome;
    bnd_status status = outcome_of(&outcome, s, whole, why);
    if (status == BND_OK && outcome.heals) {
        s->found = true;
        s->best = whole;
        s->outcome = outcome;
    }
    return status;
}

static bnd_status find(search *s, bnd_error *why)
{
    bnd_status status = BND_OK;
    choose(s, 1);
    for (unsigned size = 2; status == BND_OK && !s->found && size <= LARGEST_SIZE; size++) {
        status = try_size(s, size, why);
    }
    if (status == BND_OK && !s->found && size_of(s->core) > LARGEST_SIZE) {
        status = try_whole(s, s->core, why);
    }
    if (status == BND_OK && !s->found && s->parts != 0) {
        status = try_whole(s, s->parts, why);
    }
    return status == BND_OK && s->found ? leave_out(s, why) : status;
}

/* ---- the calls ---- */

bnd_policy bndi_policy_in_use(const bnd_training *training)
{
    bnd_policy p = training->policy;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        p.cast[role].given = p.cast[role].given && bnd_training_uses(training, (bnd_role)role);
    }
    return p;
}

size_t bndi_healing_runs(const bnd_training *training)
{
    const bnd_policy policy = bndi_policy_in_use(training);
    size_t parts = 0;
    for (size_t part = 0; part < bnd_part_count() && part < BND_SHARES_MAX; part++) {
        bnd_policy lifted;
        parts += bnd_policy_lift(&lifted, &policy, part) != NULL;
    }
    size_t of_sizes = 0;
    for (unsigned size = 2; size <= LARGEST_SIZE; size++) {
        size_t sets = 1; /* parts over size */
        for (unsigned i = 0; i < size; i++) {
            sets = parts >= size ? sets * (parts - i) / (i + 1) : 0;
        }
        of_sizes += sets < OF_A_SIZE ? sets : OF_A_SIZE;
    }
    return parts < 2 ? 0 : of_sizes + (parts > LARGEST_SIZE ? 2 : 0) + (parts > 2 ? parts : 0);
}

bnd_status bndi_find_healing(bnd_autopsy *a, bndi_patient *p, bnd_error *why)
{
    search *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for an autopsy");
    }
    s->a = a;
    s->patient = p;
    for (size_t i = 0; i < a->share_count; i++) {
        const bnd_share *share = &a->shares[i];
        const set one = (set)1 << i;
        if (share->lifts) {
            s->parts |= one;
            s->core |= share->hurts && share->lowered > lost_by_core ? one : 0;
            note(s, one,
                 &(bndi_outcome){.heals = share->heals, .recovered = share->lifted, .band = share->lifted_interval});
        }
    }
    bnd_status status = find(s, why);
    if (status == BND_OK && s->found) {
        a->heals = true;
        a->healed = s->outcome.recovered;
        a->healed_interval = s->outcome.band;
    }
    for (size_t i = 0; status == BND_OK && i < a->share_count; i++) {
        if (s->found ? (s->best >> i & 1) != 0 : i == 0) {
            a->culprits[a->culprit_count++] = (bnd_culprit){.part = a->shares[i].part};
        }
    }
    free(s);
    return status;
}
