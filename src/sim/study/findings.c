/* Findings: the run is repeated with every cast counted, and the effects of rounding are sorted by mechanism and
   role. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

/* What it is called, and from which share on it is worth naming. */
static const struct {
    const char *name;
    double worth_naming;
} mechanisms[BND_MECHANISM_COUNT] = {
    [BND_MECHANISM_UNDERFLOWED] = {"underflowed to zero", 0.01},
    [BND_MECHANISM_OVERFLOWED] = {"overflowed", 1e-6},
    [BND_MECHANISM_CLAMPED] = {"clamped by a shared scale", 0.1},
    [BND_MECHANISM_LOST_UPDATES] = {"lost updates", 0.1},
    [BND_MECHANISM_STALLED_MOMENTS] = {"stalled moments", 0.1},
    [BND_MECHANISM_LOST_MOMENTS] = {"lost second moments", 0.01},
    [BND_MECHANISM_SKIPPED_STEPS] = {"skipped steps", 0.1},
    [BND_MECHANISM_ROUNDED_SUMS] = {"rounded sums", 0},
    [BND_MECHANISM_ROUNDED] = {"rounded", 0},
};

const char *bnd_mechanism_name(bnd_mechanism mechanism)
{
    return (unsigned)mechanism < BND_MECHANISM_COUNT ? mechanisms[mechanism].name : "";
}

double bnd_mechanism_threshold(bnd_mechanism mechanism)
{
    return (unsigned)mechanism < BND_MECHANISM_COUNT ? mechanisms[mechanism].worth_naming : 0;
}

/* Of how many numbers, how many. Of BND_MECHANISM_ROUNDED and BND_MECHANISM_CLAMPED: sums of squares. */
typedef struct tally {
    double affected, all;
} tally;

/* A number of the optimizer that the role scalar rounds. */
typedef struct scalar {
    const char *name;
    double exact, rounded;
} scalar;
enum { SCALARS_MOST = 7 };

typedef struct search {
    bnd_run *run;
    bnd_engine *engine;
    size_t places;
    bnd_updates *updates; /* a place each, over all steps */
    uint64_t *weights;    /* numbers of parameters of a place, times steps */
    uint64_t steps, skipped;
    scalar scalars[SCALARS_MOST]; /* those other than zero */
    size_t scalar_count;
    uint64_t first[BND_MECHANISM_COUNT][BND_ROLE_COUNT];
    bool seen[BND_MECHANISM_COUNT][BND_ROLE_COUNT], much[BND_MECHANISM_COUNT][BND_ROLE_COUNT];
} search;

static double share_of(bnd_mechanism mechanism, tally t)
{
    double share = t.all > 0 ? t.affected / t.all : 0;
    return mechanism == BND_MECHANISM_ROUNDED ? __builtin_sqrt(share) : share;
}

static const bnd_cast *cast_of(const search *s, bnd_role role)
{
    return &bnd_engine_policy(s->engine)->cast[role];
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
    return cast_of(s, role)->given && cast_of(s, role)->scaling[0] != 0;
}

/* ---- the optimizer's scalars ---- */

static void add_scalar(search *s, const char *name, double exact)
{
    const bnd_cast *cast = cast_of(s, BND_ROLE_SCALAR);
    if (exact < 0 || exact > 0) {
        double rounded = bnd_decode(&cast->format, bnd_encode(&cast->format, exact, cast->rule, 0).code);
        s->scalars[s->scalar_count++] = (scalar){name, exact, rounded};
    }
}

static void find_scalars(search *s)
{
    const bnd_training *t = bnd_run_training(s->run);
    if (!cast_of(s, BND_ROLE_SCALAR)->given) {
        return;
    }
    add_scalar(s, "the learning rate", t->lr);
    add_scalar(s, "beta1", t->beta1);
    add_scalar(s, "1 - beta1", t->beta1 > 0 ? 1 - t->beta1 : 0);
    add_scalar(s, "beta2", t->beta2);
    add_scalar(s, "1 - beta2", t->beta2 > 0 ? 1 - t->beta2 : 0);
    add_scalar(s, "epsilon", t->epsilon);
    add_scalar(s, "the weight decay", t->weight_decay);
}

/* Errors are relative: the scalars have no size in common. */
static tally of_scalars(const search *s, bnd_mechanism mechanism, size_t place)
{
    tally t = {0, 0};
    for (size_t i = 0; i < s->scalar_count; i++) {
        const scalar *x = &s->scalars[i];
        const double error = (x->rounded - x->exact) / x->exact;
        const bool underflows = !(x->rounded < 0 || x->rounded > 0);
        if (place == BND_PLACE_ALL || place == i) {
            t.affected += mechanism == BND_MECHANISM_ROUNDED ? error * error : underflows;
            t.all += 1;
        }
    }
    return mechanism == BND_MECHANISM_ROUNDED || mechanism == BND_MECHANISM_UNDERFLOWED ? t : (tally){0, 0};
}

/* ---- updates, moments, steps ---- */

/* What updates are counted under: the weights that are updated. */
static bnd_role role_of_weights(const search *s)
{
    return cast_of(s, BND_ROLE_MASTER)->given ? BND_ROLE_MASTER : BND_ROLE_PARAM;
}

/* Of a place: what it did to the numbers of the role. */
static tally of_place(const search *s, bnd_mechanism mechanism, bnd_role role, size_t place)
{
    const bnd_updates *u = &s->updates[place];
    if (mechanism == BND_MECHANISM_LOST_UPDATES) {
        return role == role_of_weights(s) ? (tally){(double)u->lost, (double)u->updates} : (tally){0, 0};
    }
    if (mechanism == BND_MECHANISM_LOST_MOMENTS) {
        return role == BND_ROLE_V ? (tally){(double)u->lost_moments, (double)s->weights[place]} : (tally){0, 0};
    }
    if (role != BND_ROLE_M && role != BND_ROLE_V) {
        return (tally){0, 0};
    }
    return (tally){(double)u->stalled[role == BND_ROLE_V], (double)u->moments[role == BND_ROLE_V]};
}

static tally of_updates(const search *s, bnd_mechanism mechanism, bnd_role role, size_t place)
{
    tally sum = {0, 0};
    for (size_t i = 0; i < s->places; i++) {
        if (place == BND_PLACE_ALL || place == i) {
            tally t = of_place(s, mechanism, role, i);
            sum.affected += t.affected;
            sum.all += t.all;
        }
    }
    return sum;
}

/* Whole steps: at no place. */
static tally of_steps(const search *s, bnd_role role, size_t place)
{
    bool is = role == BND_ROLE_GRAD && place == BND_PLACE_ALL;
    return is ? (tally){(double)s->skipped, (double)s->steps} : (tally){0, 0};
}

static tally of_casts(const search *s, bnd_mechanism mechanism, bnd_role role, size_t place)
{
    bnd_stats stats;
    if (bnd_engine_statistics(&stats, s->engine, role, (unsigned)place) == NULL) {
        return (tally){0, 0};
    }
    uint64_t beyond = stats.overflows > stats.saturated ? stats.overflows : stats.saturated;
    switch (mechanism) {
    case BND_MECHANISM_UNDERFLOWED:
        return (tally){(double)stats.to_zero, (double)other_than_zero(&stats)};
    case BND_MECHANISM_OVERFLOWED:
        return (tally){is_scaled(s, role) ? 0 : (double)beyond, (double)stats.elements};
    case BND_MECHANISM_CLAMPED:
        return (tally){stats.clamped_error, stats.squared_error};
    default:
        return (tally){stats.squared_error, stats.squared_input};
    }
}

static tally count(const search *s, bnd_mechanism mechanism, bnd_role role, size_t place)
{
    switch (mechanism) {
    case BND_MECHANISM_LOST_UPDATES:
    case BND_MECHANISM_STALLED_MOMENTS:
    case BND_MECHANISM_LOST_MOMENTS:
        return of_updates(s, mechanism, role, place);
    case BND_MECHANISM_SKIPPED_STEPS:
        return of_steps(s, role, place);
    case BND_MECHANISM_ROUNDED_SUMS: /* accumulators are not counted */
        return (tally){0, 0};
    default:
        return role == BND_ROLE_SCALAR ? of_scalars(s, mechanism, place) : of_casts(s, mechanism, role, place);
    }
}

/* When each mechanism was first at work, after every step. */
static void note_first(search *s, uint64_t step)
{
    for (unsigned m = 0; m < BND_MECHANISM_COUNT; m++) {
        for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
            double share = s->much[m][role]
                               ? 0
                               : share_of((bnd_mechanism)m, count(s, (bnd_mechanism)m, (bnd_role)role, BND_PLACE_ALL));
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
        s->updates[place].lost += u.lost;
        s->updates[place].lost_moments += u.lost_moments;
        for (size_t k = 0; k < 2; k++) {
            s->updates[place].moments[k] += u.moments[k];
            s->updates[place].stalled[k] += u.stalled[k];
        }
        s->weights[place] += bnd_tensor_count(bnd_run_parameter(s->run, i, BND_ROLE_PARAM));
    }
}

static bnd_finding finding_of(const search *s, bnd_mechanism mechanism, bnd_role role)
{
    bnd_finding f = {.mechanism = mechanism,
                     .role = role,
                     .share = share_of(mechanism, count(s, mechanism, role, BND_PLACE_ALL)),
                     .step = s->first[mechanism][role]};
    const bool scalars = role == BND_ROLE_SCALAR;
    for (size_t place = 0; f.share > 0 && place < (scalars ? s->scalar_count : s->places); place++) {
        double share = share_of(mechanism, count(s, mechanism, role, place));
        if (share > f.worst_share) {
            f.worst_share = share;
            strncpy(f.worst, scalars ? s->scalars[place].name : bnd_run_place_name(s->run, place), sizeof f.worst - 1);
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
    for (unsigned m = 0; m < BND_MECHANISM_COUNT; m++) {
        for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
            bnd_finding f = finding_of(s, (bnd_mechanism)m, (bnd_role)role);
            if (f.share > 0) {
                out[n++] = f;
            }
        }
    }
    qsort(out, n, sizeof *out, by_weight);
    return n;
}

/* A step whose loss is not a number is the last: after it there is nothing to count. */
static bnd_status look(search *s, uint64_t steps, bnd_error *why)
{
    bool failed = false;
    bnd_status status = bnd_engine_take_statistics(s->engine, (unsigned)s->places, why);
    for (uint64_t i = 0; status == BND_OK && i < steps && !failed; i++) {
        bnd_step step;
        status = bnd_run_step(&step, s->run, why);
        if (status == BND_OK) {
            failed = step.loss - step.loss != 0;
            s->steps++;
            s->skipped += step.skipped;
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
        find_scalars(s);
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
