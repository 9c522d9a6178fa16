/* The update of all parameters, one chunk at a time: decode, apply the optimizer, encode. */
#include "base/verify.h"
#include "train/optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/engine.h"
#include "tensor/scaled.h"

typedef struct chunk {
    bndi_numbers w, g, m, v, t, u, change, c, direction;
    bndi_numbers old, asked; /* weights as they were stored, and what shall be added to them in all */
    double sum[BNDI_TENSOR_CHUNK];
} chunk;

/* bndi_take_numbers where they are, if they are such numbers. What is changed is put back into its place. */
static float *take_in_place(bndi_numbers *buffer, const bnd_tensor *t, size_t at, size_t n)
{
    bndi_walk walk;
    if (t == NULL) {
        return buffer->f32;
    }
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_32);
    float *place = bndi_walk_place(&walk, at, buffer);
    const void *numbers = bndi_read(&walk, at, n, buffer);
    BNDI_VERIFY(numbers == place);
    return place;
}

/* y = a formula of a and b, rounded. */
static void by_formula(const bnd_run *run, bndi_formula_name name, float *y, const float *a, const float *b, size_t n,
                       const bnd_cast *cast)
{
    bndi_maths_of(&run->engine->context)->formula[BNDI_WORDS_32][name](y, (const void *[]){a, b, NULL}, 0, n);
    bndi_round_chunk(run->engine, y, n, cast);
}

/* u = q(change - c), n = q(w + u), c = q(q(n - w) - u): the new weights are in `t`. w is the weight after its decay.
 * If that was rounded, its error is not compensated, as in AnyPrecisionAdamW and optimi. */
static void sum_by_kahan(bnd_run *run, bndi_parameter *p, chunk *k, const float *w, size_t at, size_t n)
{
    const bnd_role role = p->master != NULL ? BND_ROLE_MASTER : BND_ROLE_PARAM;
    const bnd_cast *cast = bndi_cast_of(run->engine, role); /* its numbers share no scales: the engine refuses that */
    float *c = bndi_take_numbers(&k->c, p->extra, at, n), *u = k->u.f32, *t = k->t.f32;
    by_formula(run, BNDI_F_sub, u, k->change.f32, c, n, cast);
    by_formula(run, BNDI_F_add, t, w, u, n, cast);
    by_formula(run, BNDI_F_sub, c, t, w, n, cast);
    by_formula(run, BNDI_F_sub, c, c, u, n, NULL); /* rounded where it is stored */
    bndi_put_numbers(run, p->extra, at, n, c, BND_ROLE_EXTRA);
}

/* The whole intended update: the optimizer's change and the weight decay, which is computed from the stored weight. */
static const float *asked_for(chunk *k, const bndi_update *u)
{
    const void *const of[] = {u->change, k->old.f32, NULL};
    if (u->decay != 0) {
        u->maths->formula[BNDI_WORDS_32][BNDI_F_add_scaled](k->asked.f32, of, -u->decay, u->n);
    }
    return u->decay != 0 ? k->asked.f32 : u->change;
}

/* Where elements share scales it is not known before the whole master is stored what the parameter is made of. */
static bool is_made_afterwards(const bnd_run *run, const bndi_parameter *p)
{
    return p->master != NULL && (p->value->buffer->scaled != NULL || bndi_is_scaled(run->engine, BND_ROLE_MASTER));
}

/* The numbers are in `t`, or in double in `sum`. An update is lost where the stored weight is what it was. */
static void store_weights(bnd_run *run, bndi_parameter *p, chunk *k, bndi_width work, size_t at, size_t n,
                          const float *asked, bndi_update_totals *sums)
{
    bnd_tensor *to = p->master != NULL ? p->master : p->value;
    bndi_store how = bndi_store_for(run->engine, p->master != NULL ? BND_ROLE_MASTER : BND_ROLE_PARAM);
    bndi_walk walk;
    bndi_walk_open(&walk, to, &to->shape, work);
    bndi_write(&walk, at, n, work == BNDI_WORDS_32 ? (const void *)k->t.f32 : k->sum, &how);
    to->buffer->version++;
    const float *now = take_in_place(&k->u, to, at, n);
    bndi_changes tally = {.updates = 0};
    bndi_maths_of(&run->engine->context)->count_changes(&tally, asked, k->old.f32, now, n);
    sums->updates += tally.updates;
    sums->lost += p->extra == NULL ? tally.lost : 0;
    sums->squares_of_updates += tally.squares_of_changes;
    sums->squares_of_weights += tally.squares_of_weights;
    if (to != p->value && !is_made_afterwards(run, p)) {
        bndi_put_numbers(run, p->value, at, n, now, BND_ROLE_PARAM);
    }
}

static void update_chunk(bnd_run *run, bndi_parameter *p, const bndi_whole_update *whole, chunk *k, size_t at, size_t n,
                         double lr, bndi_feedback *feedback, bndi_update_totals *sums, bndi_stalls *stalls)
{
    const bndi_optimizer_row *optimizer = bndi_optimizer_for(run->optimizer, p->hidden);
    const bnd_tensor *w = p->master != NULL ? p->master : p->value;
    bndi_update u = {.training = &run->training,
                     .engine = run->engine,
                     .lr = lr,
                     .step_of_m = p->made.m + 1,
                     .step_of_v = p->made.v + 1,
                     .decays = p->decays,
                     .at = at,
                     .n = n,
                     .whole = whole,
                     .direction = bndi_take_numbers(&k->direction, whole->direction, at, n),
                     .w = take_in_place(&k->w, w, at, n),
                     .g = take_in_place(&k->g, p->value->gradient, at, n),
                     .own_g = k->g.f32,
                     .m = take_in_place(&k->m, p->m, at, n),
                     .v = take_in_place(&k->v, p->v, at, n),
                     .t = k->t.f32,
                     .change = k->change.f32,
                     .maths = bndi_maths_of(&run->engine->context),
                     .of_w = bndi_rounds_to(run, p->master != NULL ? BND_ROLE_MASTER : BND_ROLE_PARAM),
                     .of_m = bndi_rounds_to(run, BND_ROLE_M),
                     .of_v = bndi_rounds_to(run, BND_ROLE_V),
                     .of_scalar = bndi_cast_of(run->engine, BND_ROLE_SCALAR)};
    float unscale = (float)(1 / run->loss_scale);
    for (size_t i = 0; run->loss_scale != 1 && i < n; i++) {
        u.own_g[i] = u.g[i] * unscale;
    }
    if (run->loss_scale != 1) {
        u.g = u.own_g;
    }
    memcpy(k->old.f32, u.w, n * sizeof *u.w);
    bndi_stalls_follow(stalls, &u, optimizer);
    optimizer->step(&u);
    bndi_put_numbers(run, p->m, at, n, u.m, BND_ROLE_M);
    bndi_put_numbers(run, p->v, at, n, u.v, BND_ROLE_V);
    if (u.of_v == NULL) { /* only now is v rounded */
        u.v = take_in_place(&k->v, p->v, at, n);
    }
    p->updates.lost_moments += p->v != NULL ? u.maths->count_lost_moments(u.v, u.g, n) : 0;
    if (p->extra != NULL) {
        sum_by_kahan(run, p, k, u.w, at, n);
    } else {
        u.maths->sums_of_two(k->sum, u.w, u.change, n);
        bndi_feedback_note(feedback, &u, k->sum);
    }
    store_weights(run, p, k, p->extra != NULL ? BNDI_WORDS_32 : BNDI_WORDS_64, at, n, asked_for(k, &u), sums);
}

static bnd_status update_thawed(bnd_run *run, bndi_parameter *p, chunk *k, double lr, bndi_update_totals *sums,
                                bndi_stalls *stalls, bndi_feedback *feedback, bnd_error *why)
{
    const bndi_optimizer_row *optimizer = bndi_optimizer_for(run->optimizer, p->hidden);
    size_t n = bndi_count(&p->value->shape);
    bndi_whole_update whole = {.row = NULL};
    bnd_status status = n > 0 && optimizer->prepare != NULL ? optimizer->prepare(&whole, run, p, lr, why) : BND_OK;
    for (size_t at = 0; status == BND_OK && at < n; at += BNDI_TENSOR_CHUNK) {
        update_chunk(run, p, &whole, k, at, n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK, lr, feedback, sums,
                     stalls);
    }
    bndi_drop(whole.direction);
    return status;
}

/* One that is transient goes with this step: the cast is made for those who count, and is one in any case. */
static bnd_status value_of_master(bnd_run *run, bndi_parameter *p, bnd_error *why)
{
    if (bndi_is_transient(run, p) && bndi_statistics_of(run->engine, BND_ROLE_PARAM) == NULL) {
        run->engine->casts++;
        return BND_OK;
    }
    if (p->value->buffer->scaled == NULL) { /* as store_weights does */
        const bndi_store how = bndi_store_for(run->engine, BND_ROLE_PARAM);
        return bndi_assign(p->value, p->master, BND_ROLE_PARAM, &how, false, why);
    }
    return bndi_value_of_master(p, why);
}

static bnd_status update(bnd_run *run, bndi_parameter *p, chunk *k, double lr, bndi_update_totals *sums, bnd_error *why)
{
    const bndi_update_totals before = *sums;
    bndi_thawed t;
    if (p->value->gradient == NULL) {
        return BND_OK;
    }
    bndi_stalls *stalls;
    bndi_feedback *feedback;
    bnd_status status = bndi_feedback_open(&feedback, run, p, why);
    if (status != BND_OK) {
        return status;
    }
    status = bndi_stalls_open(&stalls, run, p, why);
    if (status != BND_OK) {
        bndi_feedback_close(feedback);
        return status;
    }
    status = bndi_thaw_states(&t, p, why);
    if (status == BND_OK) {
        status = update_thawed(run, p, k, lr, sums, stalls, feedback, why);
    }
    bndi_freeze_states(&t, run, p, status == BND_OK ? feedback : NULL, sums);
    bndi_feedback_close(feedback);
    bndi_stalls_close(stalls, status == BND_OK ? &p->updates : NULL);
    if (status == BND_OK && is_made_afterwards(run, p)) {
        status = value_of_master(run, p, why);
    }
    if (status == BND_OK) {
        p->made = (bndi_made){p->made.all + 1, p->made.m + 1, p->made.v + 1};
        p->updates.lost_moments = bndi_moments_are_whole(p) ? bndi_count_lost_moments(run, p) : p->updates.lost_moments;
    }
    p->updates.updates = sums->updates - before.updates;
    p->updates.lost = sums->lost - before.lost;
    return status;
}

/* What a training of this rate has for a parameter. */
static bnd_step_rates usual_rates(const bnd_run *run, const bndi_parameter *p, double lr)
{
    const bnd_training *t = &run->training;
    const bndi_optimizer_row *row = run->optimizer;
    const bool other = row->others != NULL && !p->hidden;
    return (bnd_step_rates){.lr = other ? lr * row->rate_of_others : lr,
                            .beta1 = other ? row->others->beta1 : t->beta1,
                            .beta2 = t->beta2,
                            .epsilon = t->epsilon,
                            .weight_decay = t->weight_decay};
}

/* For one parameter, the training has these rates. */
static bnd_status update_with(bnd_run *run, bndi_parameter *p, chunk *k, const bnd_step_rates *rates, bool decays_too,
                              bndi_update_totals *sums, bnd_error *why)
{
    bnd_training *t = &run->training;
    const bnd_step_rates usual = {t->lr, t->beta1, t->beta2, t->epsilon, t->weight_decay};
    const bool decays = p->decays;
    t->beta1 = rates->beta1;
    t->beta2 = rates->beta2;
    t->epsilon = rates->epsilon;
    t->weight_decay = rates->weight_decay;
    p->decays = decays || decays_too;
    bnd_status status = update(run, p, k, rates->lr, sums, why);
    t->beta1 = usual.beta1;
    t->beta2 = usual.beta2;
    t->epsilon = usual.epsilon;
    t->weight_decay = usual.weight_decay;
    p->decays = decays;
    return status;
}

bnd_status bndi_update_all(bnd_run *run, double lr, const bnd_step_rates *rates, bndi_update_totals *sums,
                           bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && rates != NULL && i < run->parameters; i++) { /* nothing has changed yet */
        status = bndi_feedback_check_beta1(&run->training.policy, rates[i].beta1, why);
    }
    chunk *k = status == BND_OK ? malloc(sizeof *k) : NULL;
    if (k == NULL) {
        return status == BND_OK ? bnd_fail(why, BND_NO_MEMORY, 0, "no memory for an update") : status;
    }
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        bndi_go_to(run, i);
        bndi_parameter *p = &run->parameter[i];
        const bnd_step_rates usual = usual_rates(run, p, lr);
        status = update_with(run, p, k, rates != NULL ? &rates[i] : &usual, rates != NULL, sums, why);
    }
    free(k);
    return status;
}
