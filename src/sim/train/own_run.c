/* A run of the caller's own model: the caller adds parameters and computes the loss from tensors; formats, states, loss
 * scale and update are the run's, as for a built-in model. */
#include "train/optimizer.h"

#include <string.h>

#include "base/base.h"
#include "bulk/environment.h"
#include "store/store.h"

bnd_status bnd_run_new_own(bnd_run **out, const bnd_training *training, const bnd_context *context, bnd_error *why)
{
    bnd_training own = *training;
    if (bndi_has_parts(training)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "ranks and micro-batches need a built-in model; this run has your own: add its gradients up");
    }
    strncpy(own.model, bndi_own_row.name, sizeof own.model - 1);
    own.model[sizeof own.model - 1] = 0;
    bndi_own_row.usual(&own);
    return bndi_run_without_data(out, &own, context, why);
}

static bnd_status check_stage(const bnd_run *run, bndi_stage wanted, const char *call, bnd_error *why)
{
    static const char *const stages[] = {"between steps", "in a step: call bnd_run_end_step first",
                                         "in an evaluation: call bnd_run_end_evaluation first"};
    if (!bndi_is_own(run)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the run has the built-in model %s; use bnd_run_step", call,
                        run->model->name);
    }
    return run->stage == wanted ? BND_OK
                                : bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the run is %s", call, stages[run->stage]);
}

/* ---- parameters ---- */

/* A checkpoint appends a suffix for each state, so that a name must not end in one. */
static bool ends_like_a_state(const char *name)
{
    size_t length = strlen(name);
    for (size_t row = 0; row < BNDI_KEPT; row++) {
        size_t suffix = strlen(bndi_kept_suffix(row));
        if (suffix > 0 && length >= suffix && strcmp(name + length - suffix, bndi_kept_suffix(row)) == 0) {
            return true;
        }
    }
    return false;
}

static bnd_status check_name(const bnd_run *run, const char *name, bnd_error *why)
{
    if (name[0] == 0 || strlen(name) >= BNDI_PARAMETER_NAME) {
        return bnd_fail(why, BND_BAD_NAME, 0, "a parameter needs a name of 1 to %d bytes", BNDI_PARAMETER_NAME - 1);
    }
    if (strcmp(name, "__metadata__") == 0 || !bndi_is_utf8(name, strlen(name))) {
        return bnd_fail(why, BND_BAD_NAME, 0,
                        "a parameter needs a name of UTF-8, and not __metadata__: "
                        ".safetensors files have no other names");
    }
    if (ends_like_a_state(name) || bndi_checkpoint_reserves(name)) {
        return bnd_fail(why, BND_BAD_NAME, 0,
                        "a parameter cannot have the name '%s': a checkpoint uses it for a state of the optimizer",
                        name);
    }
    for (size_t i = 0; i < run->parameters; i++) {
        if (strcmp(run->parameter[i].name, name) == 0) {
            return bnd_fail(why, BND_BAD_NAME, 0, "the run already has a parameter with the name '%s'", name);
        }
    }
    return BND_OK;
}

static bnd_status add(bnd_run *run, const char *name, const bndi_shape *shape, const float *values, bool decays,
                      bnd_error *why)
{
    bnd_status status = bndi_add_values(run, name, shape, values, decays, why);
    if (status == BND_OK && (run->optimizer->states & BNDI_SUMS_UP) != 0) {
        status = bndi_factor_room_make(run, why);
        run->parameters -= status != BND_OK; /* its tensors are the engine's, and go with it */
    }
    bndi_keep_high(run, &run->training.policy);
    bndi_parameters_end(run);
    return status;
}

bnd_status bnd_run_add_parameter(size_t *index, bnd_run *run, const char *name, const float *values,
                                 const size_t *shape, size_t rank, bool decays, bnd_error *why)
{
    bndi_shape s;
    bnd_status status = check_stage(run, BNDI_BETWEEN, "bnd_run_add_parameter", why);
    if (status == BND_OK && run->step > 0) {
        status =
            bnd_fail(why, BND_BAD_ARGUMENT, 0, "parameters must be added before the first step; %llu steps are done",
                     (unsigned long long)run->step);
    }
    if (status == BND_OK) {
        status = check_name(run, name, why);
    }
    if (status == BND_OK) {
        status = bndi_shape_make(&s, shape, rank, why);
    }
    if (status == BND_OK && (rank == 0 || bndi_count(&s) == 0)) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "the parameter '%s' needs at least one axis and one element", name);
    }
    if (status != BND_OK) {
        return status;
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    status = add(run, name, &s, values, decays, why);
    bndi_leave(before);
    if (status == BND_OK) {
        *index = run->parameters - 1;
    }
    return status;
}

bnd_status bnd_run_set_hidden(bnd_run *run, size_t index, bool hidden, bnd_error *why)
{
    bnd_status status = check_stage(run, BNDI_BETWEEN, "bnd_run_set_hidden", why);
    if (status != BND_OK) {
        return status;
    }
    bndi_parameter *p = index < run->parameters ? &run->parameter[index] : NULL;
    if (p == NULL || run->step > 0 || (p->value != NULL ? p->value : p->master)->shape.rank != 2) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "bnd_run_set_hidden: a hidden parameter must be a matrix of the run, and must be named before "
                        "the first step");
    }
    return p->hidden == hidden ? BND_OK : bndi_parameter_hide(run, p, hidden, why);
}

/* ---- a step ---- */

bnd_status bnd_run_begin_step(bnd_run *run, bnd_error *why)
{
    bnd_status status = check_stage(run, BNDI_BETWEEN, "bnd_run_begin_step", why);
    if (status == BND_OK && run->parameters == 0) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "the run has no parameters: call bnd_run_add_parameter first");
    }
    if (status != BND_OK) {
        return status;
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bnd_engine_set_place(run->engine, 0);
    status = bndi_step_begin(&run->at_hand, run, why);
    if (status == BND_OK) {
        run->stage = BNDI_IN_STEP;
    } else {
        bndi_step_end(run, false);
    }
    bndi_leave(before);
    return status;
}

bnd_tensor *bnd_run_use_parameter(bnd_run *run, size_t index)
{
    if (index >= run->parameters || run->stage == BNDI_BETWEEN) {
        return NULL;
    }
    bndi_go_to(run, index);
    return run->parameter[index].value;
}

static bnd_status backward_and_update(bnd_run *run, bnd_tensor *loss, bnd_error *why)
{
    if (bnd_tensor_count(loss) != 1) { /* backward says which shape, and what to do */
        return bnd_tensor_backward(loss, run->loss_scale, why);
    }
    bnd_status status = bnd_tensor_read_f64(&run->at_hand.loss, 1, loss, why);
    if (status == BND_OK) {
        status = bnd_tensor_backward(loss, run->loss_scale, why);
    }
    return status == BND_OK ? bndi_step_update(&run->at_hand, run, NULL, why) : status;
}

bnd_status bnd_run_end_step(bnd_step *out, bnd_run *run, bnd_tensor *loss, bnd_error *why)
{
    bnd_status status = check_stage(run, BNDI_IN_STEP, "bnd_run_end_step", why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    if (loss != NULL && bnd_tensor_engine(loss) != run->engine) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "bnd_run_end_step: the loss is a tensor of another engine; use bnd_run_engine's");
    } else if (loss != NULL) {
        status = backward_and_update(run, loss, why);
    }
    bool done = loss != NULL && status == BND_OK;
    if (!done) {
        bnd_engine_forget(run->engine);
    }
    bndi_step_end(run, done);
    bndi_leave(before);
    run->stage = BNDI_BETWEEN;
    if (done) {
        *out = run->at_hand;
    }
    return status;
}

bnd_status bnd_run_update(bnd_step *out, bnd_run *run, double loss, const bnd_step_rates *rates, bnd_error *why)
{
    bnd_status status = check_stage(run, BNDI_IN_STEP, "bnd_run_update", why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    run->at_hand.loss = loss;
    run->at_hand.lr = rates != NULL ? rates[0].lr : run->at_hand.lr;
    status = bndi_step_update(&run->at_hand, run, rates, why);
    bndi_step_end(run, status == BND_OK);
    bndi_leave(before);
    run->stage = BNDI_BETWEEN;
    if (status == BND_OK) {
        *out = run->at_hand;
    }
    return status;
}

/* ---- an evaluation ---- */

bnd_status bnd_run_begin_evaluation(bnd_run *run, bnd_error *why)
{
    bnd_status status = check_stage(run, BNDI_BETWEEN, "bnd_run_begin_evaluation", why);
    if (status != BND_OK) {
        return status;
    }
    bndi_environment before = bndi_enter(BND_ROUND_RNE);
    status = bndi_evaluation_begin(run, why);
    if (status == BND_OK) {
        run->stage = BNDI_EVALUATING;
    } else {
        bndi_evaluation_end(run);
    }
    bndi_leave(before);
    return status;
}

bnd_status bnd_run_end_evaluation(bnd_run *run, bnd_error *why)
{
    bnd_status status = check_stage(run, BNDI_EVALUATING, "bnd_run_end_evaluation", why);
    if (status == BND_OK) {
        bndi_evaluation_end(run);
        run->stage = BNDI_BETWEEN;
    }
    return status;
}
