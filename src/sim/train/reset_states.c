/* reset=STEPS: the moments of an optimizer are zeros again after a number of steps, and their bias correction begins
 * anew. Low-precision averages stall, and a reset makes them move again (Topollai and Choromanska 2026,
 * arXiv:2603.16731). How that paper chooses its periods was not to be found; here they are given. */
#include "train/optimizer.h"

#include "tensor/engine.h"
#include "tensor/scaled.h"

static bnd_status clear(bnd_tensor *t, bnd_role role, bnd_error *why)
{
    bndi_buffer *kept;
    if (t == NULL) {
        return BND_OK;
    }
    bnd_status status = bndi_thaw_room(t, &kept, why);
    if (status == BND_OK) {
        status = bnd_tensor_fill(t, 0, why);
        bndi_freeze(t, kept, role);
    }
    return status;
}

static uint64_t since(uint64_t step, uint32_t period)
{
    return period == 0 || step == 0 ? step : (step - 1) % period + 1;
}

bndi_made bndi_made_usually(const bnd_run *run, size_t i, uint64_t step)
{
    const bnd_reset *reset = &bndi_rules_at(run->engine, run->parameter[i].place)->policy.reset;
    return (bndi_made){.all = step, .m = since(step, reset->m), .v = since(step, reset->v)};
}

bnd_status bndi_reset_states(bnd_run *run, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && run->step > 0 && i < run->parameters; i++) {
        bndi_parameter *p = &run->parameter[i];
        bndi_go_to_if_they_differ(run, i);
        const bnd_reset *reset = &run->engine->here->policy.reset;
        if (reset->m > 0 && run->step % reset->m == 0) {
            status = clear(p->m, BND_ROLE_M, why);
            p->made.m = 0;
        }
        if (status == BND_OK && reset->v > 0 && run->step % reset->v == 0) {
            status = clear(p->v != NULL ? p->v : p->factors, BND_ROLE_V, why);
            p->made.v = 0;
        }
    }
    return status;
}
