/* The loss of a run's weights under another policy, without training. A second run, which is never stepped, has copies
 * of the weights and uses the first run's source of batches, so that the first run does not change. */
#include "train/train.h"

#include <string.h>

#include "bulk/environment.h"
#include "tensor/engine.h"
#include "tensor/scaled.h"

static const bnd_policy fp32 = {.name = "fp32"};

static const bnd_tensor *weights_of(const bndi_parameter *p)
{
    return p->master != NULL ? p->master : p->value;
}

/* In fp32, with the weights of the run; of an optimizer without states, which take memory. */
static bnd_status open_second(bnd_run **out, const bnd_run *run, bnd_error *why)
{
    bnd_training t = run->training;
    t.policy = fp32;
    strcpy(t.optimizer, "sgd");
    t.beta1 = t.beta2 = t.epsilon = 0; /* it has none */
    t.init[0] = t.order[0] = '\0';     /* the weights are copied, and no step is made */
    bnd_status status = bndi_run_without_data(out, &t, &run->engine->context, why);
    if (status == BND_OK) {
        (*out)->source = run->source;
    }
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        status = bndi_take_weights(&(*out)->parameter[i], weights_of(&run->parameter[i]), why);
    }
    return status;
}

static void close_second(bnd_run *second)
{
    if (second != NULL) {
        second->source = (bndi_source){.batch = NULL}; /* it was borrowed */
        bnd_run_free(second);
    }
}

/* Delayed scales follow from what was cast before: from a batch that no validation sees. */
static bnd_status calibrate(bnd_run *run, uint64_t casts, bnd_error *why)
{
    double loss;
    bool delayed = false;
    for (unsigned i = 0; i < run->places * BND_ROLE_COUNT; i++) {
        const bndi_rules *rules = bndi_rules_at(run->engine, i / BND_ROLE_COUNT);
        delayed = delayed || rules->scaling[i % BND_ROLE_COUNT].kind == BNDI_DELAYED;
    }
    if (!delayed) {
        return BND_OK;
    }
    run->engine->histories.kept = false;
    bnd_status status = bndi_loss_of_batch(&loss, run, bndi_purpose(BNDI_OF_DATA, 0), casts, why);
    bnd_engine_end_step(run->engine);
    run->engine->histories.kept = true;
    return status;
}

static bnd_status evaluate(double *losses, size_t batches, bnd_run *run, bnd_error *why)
{
    bnd_status status = bndi_evaluation_begin(run, why);
    const uint64_t casts = run->engine->casts;
    status = status == BND_OK ? calibrate(run, casts, why) : status;
    for (size_t i = 0; status == BND_OK && i < batches; i++) {
        status = bndi_loss_of_batch(&losses[i], run, bndi_purpose(BNDI_OF_VALIDATION, i), casts, why);
    }
    bndi_evaluation_end(run);
    return status;
}

bnd_status bnd_run_losses(double *losses, size_t batches, const bnd_run *run, const bnd_policy *policy, unsigned place,
                          bnd_error *why)
{
    bnd_run *second = NULL;
    if (bndi_is_own(run)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "bnd_run_losses needs a built-in model; this run has your own");
    }
    if (place != BND_PLACE_ALL && place >= run->places) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "place %u is out of range: the model has places 0 to %u", place,
                        run->places - 1);
    }
    const bndi_environment before = bndi_enter(BND_ROUND_RNE);
    bnd_status status = open_second(&second, run, why);
    if (status == BND_OK) {
        bnd_policy still = *policy;
        still.update = still.update == BND_UPDATE_ECO ? BND_UPDATE_ROUNDED : still.update; /* no step is made */
        bndi_engine_limit(second->engine, place);
        status = bnd_run_switch(second, &still, why);
    }
    status = status == BND_OK ? evaluate(losses, batches, second, why) : status;
    close_second(second);
    bndi_leave(before);
    return status;
}

/* ---- memory ---- */

/* An operand that is scaled by its amax has one scale, of fp32. */
static bnd_status operand_bytes(uint64_t *out, const bnd_cast *cast, const bndi_shape *shape, bnd_error *why)
{
    bndi_scaling scaling;
    bndi_scaled_room room = {.codes = bndi_packed_codes(&cast->format, bndi_count(shape)), .scales = sizeof(float)};
    bnd_status status = bndi_scaling_parse(&scaling, cast, BND_ROLE_FWD_W, why);
    if (status == BND_OK && scaling.kind != BNDI_CURRENT && scaling.kind != BNDI_DELAYED) {
        status = bndi_room_for(&room, cast, BND_ROLE_FWD_W, shape, why);
    }
    *out = room.codes + room.scales;
    return status;
}

bnd_status bnd_run_weight_bytes(uint64_t *out, const bnd_run *run, const bnd_policy *policy, bnd_error *why)
{
    const unsigned high = bndi_high_from(run, policy->high_last);
    uint64_t sum = 0;
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < run->parameters; i++) {
        const bndi_parameter *p = &run->parameter[i];
        const bndi_shape *shape = &weights_of(p)->shape;
        bnd_policy here = *policy;
        const bnd_cast *param = &here.cast[BND_ROLE_PARAM], *operand = &here.cast[BND_ROLE_FWD_W];
        bndi_scaled_room stored;
        uint64_t bytes = 0;
        status = bndi_policy_at(&here, run, policy, p->place, why);
        const bool is_high = high > 0 && p->place >= high && here.high_last > 0;
        status =
            status == BND_OK ? bndi_room_for(&stored, param->given ? param : NULL, BND_ROLE_PARAM, shape, why) : status;
        if (status == BND_OK && p->decays && operand->given && bndi_packed_codes(&operand->format, 1) > 0 && !is_high) {
            status = operand_bytes(&bytes, operand, shape, why);
        }
        const uint64_t as_stored = status == BND_OK ? stored.codes + stored.scales : 0;
        sum += bytes > 0 && bytes < as_stored ? bytes : as_stored;
    }
    if (status == BND_OK) {
        *out = sum;
    }
    return status;
}
