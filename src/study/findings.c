/* Findings: a run is made again with every cast counted, and what rounding did is put down by mechanism and role. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[BND_MECHANISMS] = {"flushed",   "overflowed",  "clamped",
                                                  "cancelled", "lost moment", "rounded"};

const char *bnd_mechanism_name(bnd_mechanism mechanism)
{
    return (unsigned)mechanism < BND_MECHANISMS ? names[mechanism] : "";
}

/* Of how many numbers, how many. Of BND_FOUND_ROUNDED: sums of squares. */
typedef struct tally {
    double affected, all;
} tally;

typedef struct search {
    bnd_run *run;
    bnd_engine *engine;
    size_t places;
    bnd_updates *updates; /* a place each, over all steps */
    uint64_t *weights;    /* numbers of parameters of a place, times steps */
    uint64_t first[BND_MECHANISMS][BND_ROLES];
    bool seen[BND_MECHANISMS][BND_ROLES], much[BND_MECHANISMS][BND_ROLES];
} search;

static double share_of(bnd_mechanism mechanism, tally t)
{
    double share = t.all > 0 ? t.affected / t.all : 0;
    return mechanism == BND_FOUND_ROUNDED ? __builtin_sqrt(share) : share;
}

static uint64_t other_than_zero(const bnd_stats *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof s->exponents / sizeof s->exponents[0]; i++) {
        sum += s->exponents[i];
    }
    return sum;
}

static bool is_scaled(const search *s, bnd_role role)
{
    const bnd_cast *cast = &bnd_engine_policy(s->engine)->cast[role];
    return cast->given && cast->scaling[0] != 0;
}

/* What updates are counted under: the weights that are updated. */
static bnd_role role_of_weights(const search *s)
{
    return bnd_engine_policy(s->engine)->cast[BND_ROLE_MASTER].given ? BND_ROLE_MASTER : BND_ROLE_PARAM;
}

static tally of_updates(const search *s, bnd_mechanism mechanism, bnd_role role, size_t place)
{
    tally t = {0, 0};
    bool cancelled = mechanism == BND_FOUND_CANCELLED && role == role_of_weights(s);
    bool lost = mechanism == BND_FOUND_LOST_MOMENT && role == BND_ROLE_V;
    for (size_t i = 0; (cancelled || lost) && i < s->places; i++) {
        if (place == BND_EVERYWHERE || place == i) {
            t.affected += (double)(cancelled ? s->updates[i].cancelled : s->updates[i].lost);
            t.all += (double)(cancelled ? s->updates[i].updates : s->weights[i]);
        }
    }
    return t;
}

static tally count(const search *s, bnd_mechanism mechanism, bnd_role role, size_t place)
{
    bnd_stats stats;
    if (mechanism == BND_FOUND_CANCELLED || mechanism == BND_FOUND_LOST_MOMENT) {
        return of_updates(s, mechanism, role, place);
    }
    if (!bnd_engine_statistics(&stats, s->engine, role, (unsigned)place)) {
        return (tally){0, 0};
    }
    uint64_t beyond = stats.overflows > stats.saturated ? stats.overflows : stats.saturated;
    switch (mechanism) {
    case BND_FOUND_FLUSHED:
        return (tally){(double)stats.flushed, (double)other_than_zero(&stats)};
    case BND_FOUND_OVERFLOWED:
        return (tally){is_scaled(s, role) ? 0 : (double)beyond, (double)stats.elements};
    case BND_FOUND_CLAMPED:
        return (tally){is_scaled(s, role) ? (double)beyond : 0, (double)stats.elements};
    default:
        return (tally){stats.squared_error, stats.squared_input};
    }
}

/* When each mechanism was first at work, after every step. */
static void note_first(search *s, uint64_t step)
{
    for (unsigned m = 0; m < BND_MECHANISMS; m++) {
        for (unsigned role = 0; role < BND_ROLES; role++) {
            double share = s->much[m][role]
                               ? 0
                               : share_of((bnd_mechanism)m, count(s, (bnd_mechanism)m, (bnd_role)role, BND_EVERYWHERE));
            bool much = share >= 0.01;
            if (much || (share > 0 && !s->seen[m][role])) {
                s->first[m][role] = step;
                s->seen[m][role] = true;
                s->much[m][role] = much;
            }
        }
    }
}

static void add_updates(search *s)
{
    for (size_t i = 0; i < bnd_run_parameters(s->run); i++) {
        bnd_updates u = bnd_run_updates(s->run, i);
        size_t place = bnd_run_parameter_place(s->run, i);
        s->updates[place].updates += u.updates;
        s->updates[place].cancelled += u.cancelled;
        s->updates[place].lost += u.lost;
        s->weights[place] += bnd_tensor_count(bnd_run_parameter(s->run, i, BND_ROLE_PARAM));
    }
}

static bnd_finding finding_of(const search *s, bnd_mechanism mechanism, bnd_role role)
{
    bnd_finding f = {.mechanism = mechanism,
                     .role = role,
                     .share = share_of(mechanism, count(s, mechanism, role, BND_EVERYWHERE)),
                     .step = s->first[mechanism][role]};
    for (size_t place = 0; f.share > 0 && place < s->places; place++) {
        double share = share_of(mechanism, count(s, mechanism, role, place));
        if (share > f.worst_share) {
            f.worst_share = share;
            strncpy(f.worst, bnd_run_place_name(s->run, place), sizeof f.worst - 1);
        }
    }
    return f;
}

static int by_weight(const void *a, const void *b)
{
    const bnd_finding *x = a, *y = b;
    if (x->mechanism != y->mechanism) {
        return x->mechanism < y->mechanism ? -1 : 1;
    }
    return x->share > y->share ? -1 : x->share < y->share ? 1 : (int)x->role - (int)y->role;
}

static size_t write_down(bnd_finding *out, const search *s)
{
    size_t n = 0;
    for (unsigned m = 0; m < BND_MECHANISMS; m++) {
        for (unsigned role = 0; role < BND_ROLES; role++) {
            bnd_finding f = finding_of(s, (bnd_mechanism)m, (bnd_role)role);
            if (f.share > 0) {
                out[n++] = f;
            }
        }
    }
    qsort(out, n, sizeof *out, by_weight);
    return n;
}

static bnd_status look(search *s, uint64_t steps, bnd_error *why)
{
    bnd_status status = bnd_engine_take_statistics(s->engine, (unsigned)s->places, why);
    for (uint64_t i = 0; status == BND_OK && i < steps; i++) {
        bnd_step step;
        status = bnd_run_step(&step, s->run, why);
        if (status == BND_OK) {
            add_updates(s);
            note_first(s, i);
        }
    }
    return status;
}

bnd_status bnd_findings(bnd_finding out[BND_FINDINGS_MAX], size_t *count_out, const bnd_training *training,
                        uint64_t steps, const bnd_context *context, bnd_error *why)
{
    bnd_run *run;
    bnd_status status = bnd_run_new(&run, training, context, why);
    if (status != BND_OK) {
        return status;
    }
    search *s = calloc(1, sizeof *s);
    size_t places = bnd_run_places(run);
    bnd_updates *updates = calloc(places, sizeof *updates);
    uint64_t *weights = calloc(places, sizeof *weights);
    if (s == NULL || updates == NULL || weights == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory to look at %zu places of a run", places);
    } else {
        *s = (search){
            .run = run, .engine = bnd_run_engine(run), .places = places, .updates = updates, .weights = weights};
        status = look(s, steps, why);
    }
    if (status == BND_OK) {
        *count_out = write_down(out, s);
    }
    free(weights);
    free(updates);
    free(s);
    bnd_run_free(run);
    return status;
}
