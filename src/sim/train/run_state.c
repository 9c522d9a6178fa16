/* The states that a run keeps from step to step, and their conversion to another recipe. A change is complete or has no
 * effect: the old states are set aside first, and restored if something fails. */
#include "base/verify.h"
#include "tensor/engine.h"
#include "tensor/scaled.h"
#include "train/optimizer.h"

#include <stdlib.h>
#include <string.h>

#include "bulk/environment.h"

/* Everything that a run keeps of a parameter: its name in files has this behind it. */
static const struct {
    const char *suffix;
    bnd_role role;
    size_t at;
} rows[BNDI_KEPT] = {
    {"", BND_ROLE_PARAM, offsetof(bndi_parameter, value)},
    {".master", BND_ROLE_MASTER, offsetof(bndi_parameter, master)},
    {".m", BND_ROLE_M, offsetof(bndi_parameter, m)},
    {".v", BND_ROLE_V, offsetof(bndi_parameter, v)},
    {".factors", BND_ROLE_V, offsetof(bndi_parameter, factors)},
    {".extra", BND_ROLE_EXTRA, offsetof(bndi_parameter, extra)},
};

bnd_tensor **bndi_kept_of(bndi_parameter *p, size_t row)
{
    return (bnd_tensor **)(void *)((char *)p + rows[row].at);
}

const char *bndi_kept_suffix(size_t row)
{
    return rows[row].suffix;
}

/* ---- aside, and back ---- */

/* What a run kept before. */
typedef struct aside {
    bndi_parameter *parameter;
    bnd_policy policy;
    bndi_rulebook book;
    bndi_histories histories;
    unsigned high_from;
    double loss_scale;
    uint64_t step, good_steps;
    bnd_account account;
} aside;

static void release_all(bndi_parameter *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t row = 0; row < BNDI_KEPT; row++) {
            bndi_drop(*bndi_kept_of(&p[i], row));
            *bndi_kept_of(&p[i], row) = NULL;
        }
    }
}

static bnd_status put_aside(aside *out, bnd_run *run, bnd_error *why)
{
    bndi_parameter *copy = calloc(run->parameters + 1, sizeof *copy);
    if (copy == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the state of a run");
    }
    memcpy(copy, run->parameter, run->parameters * sizeof *copy);
    *out = (aside){.parameter = copy,
                   .policy = run->training.policy,
                   .histories = run->engine->histories,
                   .high_from = run->engine->high_from,
                   .loss_scale = run->loss_scale,
                   .step = run->step,
                   .good_steps = run->good_steps};
    bnd_engine_account(&out->account, run->engine);
    out->book = bndi_rules_take(run->engine);
    run->engine->histories = (bndi_histories){.kept = out->histories.kept};
    for (size_t i = 0; i < run->parameters; i++) {
        for (size_t row = 0; row < BNDI_KEPT; row++) {
            *bndi_kept_of(&run->parameter[i], row) = NULL;
        }
        run->parameter[i].updates = (bnd_updates){.updates = 0};
    }
    return BND_OK;
}

/* Restores the peaks of memory: old and new states existed together for a moment, which is not part of training. A
   peak is the one before the change, or the memory in use now if that is more. */
static void restore_peaks(bnd_engine *engine, const bnd_account *before)
{
    bnd_engine_reset_peak(engine);
    bnd_account *a = &engine->account;
    a->saved = before->saved;
    a->saved_row_statistics = before->saved_row_statistics;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        a->peak_by_role[role] =
            before->peak_by_role[role] > a->peak_by_role[role] ? before->peak_by_role[role] : a->peak_by_role[role];
    }
    if (before->bytes_peak > a->bytes_peak) {
        a->bytes_peak = before->bytes_peak;
        memcpy(a->by_role_at_peak, before->by_role_at_peak, sizeof a->by_role_at_peak);
    }
    if (before->recipe_peak > a->recipe_peak) {
        a->recipe_peak = before->recipe_peak;
        memcpy(a->by_role_at_recipe_peak, before->by_role_at_recipe_peak, sizeof a->by_role_at_recipe_peak);
    }
}

static void bring_back(bnd_run *run, aside *was)
{
    release_all(run->parameter, run->parameters);
    memcpy(run->parameter, was->parameter, run->parameters * sizeof *run->parameter);
    run->training.policy = was->policy;
    run->loss_scale = was->loss_scale;
    run->step = was->step;
    run->good_steps = was->good_steps;
    bndi_histories_clear(run->engine);
    bndi_rules_put(run->engine, &was->book);
    run->engine->high_from = was->high_from;
    run->engine->histories = was->histories;
}

static void forget(bnd_run *run, aside *was)
{
    bndi_histories now = run->engine->histories;
    run->engine->histories = was->histories;
    bndi_histories_clear(run->engine);
    run->engine->histories = now;
    bndi_rules_free(&was->book);
    release_all(was->parameter, run->parameters);
}

/* ---- under a recipe ---- */

static const bnd_tensor *weights_of(const bndi_parameter *p)
{
    return p->master != NULL ? p->master : p->value;
}

/* Everything as a run that begins under the policy has it, but for the numbers, which are zeros. */
static bnd_status begin(bnd_run *run, const aside *was, const bnd_policy *policy, bnd_error *why)
{
    bnd_status status = bndi_feedback_check(run, policy, why);
    status = status == BND_OK ? bndi_follow(run, policy, why) : status;
    if (status != BND_OK) {
        return status;
    }
    run->training.policy = *policy;
    bnd_engine_set_seed(run->engine, run->training.seed_rounding, UINT32_MAX); /* no step gets there */
    bndi_begin_loss_scale(run);
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        bndi_go_to_if_they_differ(run, i);
        status = bndi_parameter_make(run, &run->parameter[i], &weights_of(&was->parameter[i])->shape, why);
    }
    bndi_parameters_end(run);
    return status;
}

/* Bit for bit where both are stored alike, otherwise each number rounded once. */
static bnd_status convert(bnd_tensor *to, const bnd_tensor *from, bnd_role role, bnd_error *why)
{
    const bndi_store how = {.rule = {.rounding = BND_ROUND_RNE}};
    if (bndi_stored_alike(to, from)) {
        bndi_copy_storage(to, from);
        return BND_OK;
    }
    return bndi_assign(to, from, role, &how, false, why);
}

bnd_status bndi_take_weights(bndi_parameter *p, const bnd_tensor *weights, bnd_error *why)
{
    if (p->master == NULL) {
        return convert(p->value, weights, BND_ROLE_PARAM, why);
    }
    bnd_status status = convert(p->master, weights, BND_ROLE_MASTER, why);
    return status == BND_OK && p->value != NULL ? bndi_value_of_master(p, why) : status;
}

/* The parameter is made of the master, as in every step, unless it is stored as it was. */
static bnd_status convert_weights(bndi_parameter *p, const bndi_parameter *was, bnd_error *why)
{
    bnd_status status = BND_OK;
    if (p->master != NULL) {
        status = convert(p->master, weights_of(was), BND_ROLE_MASTER, why);
    }
    if (status != BND_OK || p->value == NULL) {
        return status;
    }
    bool as_it_was = was->value != NULL && bndi_stored_alike(p->value, was->value);
    return p->master != NULL && !as_it_was
               ? bndi_value_of_master(p, why)
               : convert(p->value, as_it_was ? was->value : weights_of(was), BND_ROLE_PARAM, why);
}

/* Where both update by Kahan's sum, a weight less its compensation stays what it was: rounding the weight anew changes
 * the compensation by as much. */
static bnd_status convert_compensation(bndi_parameter *p, const bndi_parameter *was, bnd_error *why)
{
    const bndi_store how = {.rule = {.rounding = BND_ROUND_RNE}};
    const bnd_tensor *const from[] = {was->extra, weights_of(p), weights_of(was)};
    bndi_walk walk[3], to;
    bndi_numbers buffer[3], sum;
    bndi_buffer *kept;
    bnd_status status = bndi_thaw(p->extra, &kept, why);
    if (status != BND_OK) {
        return status;
    }
    for (size_t k = 0; k < 3; k++) {
        bndi_walk_open(&walk[k], from[k], &from[k]->shape, BNDI_WORDS_64);
    }
    bndi_walk_open(&to, p->extra, &p->extra->shape, BNDI_WORDS_64);
    for (size_t at = 0, n = bndi_count(&p->extra->shape); at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const double *x[3];
        for (size_t k = 0; k < 3; k++) {
            x[k] = bndi_read(&walk[k], at, m, &buffer[k]);
        }
        for (size_t i = 0; i < m; i++) {
            sum.f64[i] = x[0][i] + (x[1][i] - x[2][i]);
        }
        bndi_write(&to, at, m, sum.f64, &how);
    }
    p->extra->buffer->version++;
    bndi_freeze(p->extra, kept, BND_ROLE_EXTRA);
    return BND_OK;
}

static bnd_status convert_state(bndi_parameter *p, bndi_parameter *was, size_t row, bnd_error *why)
{
    bnd_tensor *to = *bndi_kept_of(p, row), *from = *bndi_kept_of(was, row);
    bool is_state = rows[row].role != BND_ROLE_PARAM && rows[row].role != BND_ROLE_MASTER;
    if (!is_state || to == NULL || from == NULL) {
        return BND_OK;
    }
    bool rounded = rows[row].role == BND_ROLE_EXTRA && !bndi_stored_alike(weights_of(p), weights_of(was));
    return rounded ? convert_compensation(p, was, why) : convert(to, from, rows[row].role, why);
}

static bnd_status convert_all(bnd_run *run, const aside *was, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        bndi_go_to_if_they_differ(run, i);
        status = convert_weights(&run->parameter[i], &was->parameter[i], why);
        for (size_t row = 0; status == BND_OK && row < BNDI_KEPT; row++) {
            status = convert_state(&run->parameter[i], &was->parameter[i], row, why);
        }
    }
    return status;
}

/* A dynamic loss scale keeps its value if it is dynamic before and after. */
static void convert_loss_scale(bnd_run *run, const aside *was)
{
    const bnd_loss_scale *now = &run->training.policy.loss_scale, *then = &was->policy.loss_scale;
    if (now->given && then->given && now->dynamic && then->dynamic) {
        run->loss_scale = was->loss_scale;
        run->good_steps = was->good_steps < now->growth ? was->good_steps : 0;
    }
}

/* Under this policy, filled; and nothing of it where something fails. `was` is there until the end. */
static bnd_status replace(bnd_run *run, aside *was, const bnd_policy *policy, bndi_filler *fill, void *data,
                          bnd_error *why)
{
    bnd_status status = put_aside(was, run, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    status = begin(run, was, policy, why);
    if (status == BND_OK) {
        status = fill(run, data, why);
    }
    bndi_leave(before);
    if (status == BND_OK) {
        forget(run, was);
    } else {
        bring_back(run, was);
    }
    restore_peaks(run->engine, &was->account);
    free(was->parameter);
    return status;
}

static bnd_status fill_from_aside(bnd_run *run, void *was, bnd_error *why)
{
    run->step = ((const aside *)was)->step;
    convert_loss_scale(run, was);
    return convert_all(run, was, why);
}

bnd_status bnd_run_switch(bnd_run *run, const bnd_policy *policy, bnd_error *why)
{
    const bnd_policy asked = *policy; /* which may be the run's own */
    if (bnd_policy_same(&asked, &run->training.policy)) {
        run->training.policy = asked;
        return BND_OK;
    }
    aside was;
    return replace(run, &was, &asked, fill_from_aside, &was, why);
}

/* Filled as the policy has it, then under the run's own. */
typedef struct filled {
    const bnd_policy own;
    bndi_filler *fill;
    void *data;
} filled;

static bnd_status fill_and_switch(bnd_run *run, void *data, bnd_error *why)
{
    const filled *f = data;
    bnd_status status = f->fill(run, f->data, why);
    return status == BND_OK ? bnd_run_switch(run, &f->own, why) : status;
}

bnd_status bndi_run_replace(bnd_run *run, const bnd_policy *policy, bndi_filler *fill, void *data, bnd_error *why)
{
    filled f = {.own = run->training.policy, .fill = fill, .data = data};
    aside was;
    return replace(run, &was, policy, fill_and_switch, &f, why);
}
