/* Gradients times a number, and clipping by the global norm, as torch.nn.utils.clip_grad_norm_ does it. */
#include "train/train.h"

#include "tensor/engine.h"
#include "tensor/scaled.h"

bnd_status bndi_gradient_times(bnd_tensor *to, const bnd_tensor *from, double times, double over, bnd_role role,
                               bnd_error *why)
{
    bndi_walk of_to, of_from;
    bndi_numbers buffer, product;
    bndi_buffer *kept;
    bndi_store how = bndi_store_for(to->engine, role);
    bnd_status status = bndi_thaw(to, &kept, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_walk_open(&of_to, to, &to->shape, BNDI_WORDS_64);
    bndi_walk_open(&of_from, from, &from->shape, BNDI_WORDS_64);
    for (size_t at = 0, n = bndi_count(&from->shape); at < n; at += BNDI_TENSOR_CHUNK) {
        const size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const double *x = bndi_read(&of_from, at, m, &buffer);
        for (size_t i = 0; i < m; i++) {
            product.f64[i] = x[i] * times / over;
        }
        bndi_write(&of_to, at, m, product.f64, &how);
    }
    to->buffer->version++;
    bndi_freeze(to, kept, role);
    return BND_OK;
}

/* The factor as a number of fp32, as torch multiplies by it. NaN where the norm is. */
static double factor_for(double most, double norm)
{
    const double factor = (double)(float)(most / (norm + 1e-6));
    return factor >= 1 ? 1 : factor;
}

/* What the optimizer is given has the role of its last rounding. */
static bnd_role role_of_gradients(const bnd_training *t)
{
    return t->ranks > 1 ? BND_ROLE_REDUCE : t->micro_batches > 1 ? BND_ROLE_ACCUMULATE : BND_ROLE_GRAD;
}

bnd_status bndi_clip_gradients(double *factor, bnd_run *run, double norm, bnd_error *why)
{
    bnd_status status = BND_OK;
    *factor = run->training.clip > 0 ? factor_for(run->training.clip, norm) : 1;
    for (size_t i = 0; !(*factor >= 1) && status == BND_OK && i < run->parameters; i++) {
        bnd_tensor *g = run->parameter[i].value->gradient;
        if (g != NULL) {
            bndi_go_to(run, i);
            status = bndi_gradient_times(g, g, *factor, 1, role_of_gradients(&run->training), why);
        }
    }
    return status;
}
