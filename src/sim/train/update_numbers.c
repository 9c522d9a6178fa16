/* Numbers of a chunk of an update: reading, rounding and storing them. */
#include "base/verify.h"
#include "train/optimizer.h"

#include "tensor/engine.h"

float *bndi_take_numbers(bndi_numbers *buffer, const bnd_tensor *t, size_t at, size_t n)
{
    bndi_walk walk;
    if (t == NULL) {
        return buffer->f32;
    }
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_32);
    bndi_read_into(buffer, &walk, at, n);
    return buffer->f32;
}

void bndi_put_numbers(bnd_run *run, bnd_tensor *t, size_t at, size_t n, const float *x, bnd_role role)
{
    bndi_walk walk;
    if (t == NULL) {
        return;
    }
    bndi_store how = bndi_store_for(run->engine, role);
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_32);
    bndi_write(&walk, at, n, x, &how);
    t->buffer->version++;
}

void bndi_round_chunk(bnd_engine *engine, float *x, size_t n, const bnd_cast *cast)
{
    if (cast == NULL) {
        return;
    }
    const bool drawn = cast->rule.rounding >= BND_ROUND_DETERMINISTIC_COUNT;
    const bnd_rule rule = drawn ? (bnd_rule){.rounding = BND_ROUND_RNE} : cast->rule;
    const bndi_ready *ready = bndi_conversion(engine, BNDI_WORDS_32, &cast->format, rule);
    const bnd_array how = {.rule = rule};
    bnd_status status = BND_OK;
    if (ready != NULL) {
        bnd_lab_ready_round(ready, x, x, n);
    } else {
        status = bnd_round_f32(x, x, n, &cast->format, &how, NULL, NULL);
    }
    BNDI_VERIFY(status == BND_OK); /* a chunk of fp32: nothing can be refused */
}

const bnd_cast *bndi_rounds_to(const bnd_run *run, bnd_role role)
{
    const bnd_cast *cast = bndi_cast_of(run->engine, role);
    bool drawn = cast != NULL && cast->rule.rounding >= BND_ROUND_DETERMINISTIC_COUNT;
    bool once = drawn || (role == BND_ROLE_PARAM && run->training.policy.update == BND_UPDATE_ECO);
    return once || run->engine->here->policy.fused || bndi_is_scaled(run->engine, role) ? NULL : cast;
}
