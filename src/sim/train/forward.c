/* The forward pass: a batch, and its loss. */
#include "train/train.h"

#include "tensor/engine.h"
#include "tensor/operation.h"

/* Data as the recipe has it; symbols and classes stay. A cast that takes no random bits does not count, so that those
 * after it keep theirs. */
static bnd_status cast_data(bnd_tensor **t, bool is_whole, bnd_run *run, bnd_error *why)
{
    const bnd_cast *cast = bndi_cast_of(run->engine, BND_ROLE_DATA);
    bnd_tensor *wide = *t;
    if (cast == NULL || is_whole || wide == NULL) {
        return BND_OK;
    }
    const bnd_attributes how = {.format = &cast->format, .rule = cast->rule};
    const uint64_t casts = run->engine->casts;
    bnd_status status = bndi_apply_as(t, BND_TENSOR_OP_CAST, &wide, 1, &how, BND_ROLE_DATA, why);
    if (status == BND_OK) {
        bnd_tensor_release(wide);
    }
    if (cast->rule.rounding < BND_ROUND_DETERMINISTIC_COUNT) {
        run->engine->casts = casts;
    }
    return status;
}

bnd_status bndi_next_batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    *out = (bndi_batch){.x = NULL};
    bnd_engine_set_place(run->engine, 0);
    bnd_status status = run->source.batch(out, run, purpose, why);
    status = status == BND_OK ? cast_data(&out->x, out->x_is_whole, run, why) : status;
    return status == BND_OK ? cast_data(&out->y, out->y_is_whole, run, why) : status;
}

bnd_status bndi_loss_of(bnd_tensor **loss, double *number, bnd_run *run, bnd_status so_far, const bndi_batch *batch,
                        bnd_error *why)
{
    bndi_graph g = {.run = run, .why = why, .status = so_far};
    bnd_engine_set_place(run->engine, 0);
    *loss = run->model->loss(&g, batch);
    return g.status == BND_OK ? bnd_tensor_read_f64(number, 1, *loss, why) : g.status;
}

bnd_status bndi_forward_pass(bnd_tensor **loss, double *number, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    bndi_batch batch;
    bnd_status status = bndi_next_batch(&batch, run, purpose, why);
    return bndi_loss_of(loss, number, run, status, &batch, why);
}
