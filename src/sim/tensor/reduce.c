/* Sums and means over axes. */
#include "tensor/formula.h"
#include "tensor/gradient.h"
#include "tensor/sums.h"
#include "tensor/view_make.h"

/* ---- sums and means as operations ---- */

/* What a sum is divided by. */
static double count_of(const bndi_call *c)
{
    size_t of = bndi_count(&c->in_shape[0]), to = bndi_count(&c->shape);
    return c->operation == BND_TENSOR_OP_SUM ? 1 : (double)of / (double)to;
}

static bnd_status sum_forward(bndi_call *c, bnd_error *why)
{
    unsigned reduced;
    bndi_buffer *sums;
    bnd_status status = bndi_reduced_axes(&reduced, c, why);
    if (status == BND_OK) {
        status = bndi_buffer_new(&sums, c->engine, BND_ROLE_SCRATCH, bndi_count(&c->shape) * sizeof(double), true, why);
    }
    if (status != BND_OK) {
        return status;
    }
    bndi_store how = bndi_store_for(c->engine, c->role);
    bndi_sum_axes((double *)(void *)sums->data, c->saved[0], reduced);
    bndi_store_sums(c->saved[BNDI_OUT], (const double *)(const void *)sums->data, count_of(c), &how);
    bndi_buffer_release(sums);
    return BND_OK;
}

static bnd_status sum_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    unsigned reduced;
    bndi_shape kept;
    bnd_tensor *shaped;
    bnd_status status = bndi_reduced_axes(&reduced, c, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_reduced_shape(&kept, &c->in_shape[0], reduced, true);
    status = bndi_gradient_of_operand(&g->out[0], c, g, 0, false, why);
    if (status == BND_OK) {
        status = bndi_reshaped(&shaped, d, &kept, why);
    }
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, g->role[0]);
        bndi_scale_into(g->out[0], shaped, 1 / count_of(c), &how);
        bndi_drop(shaped);
    }
    return status;
}

static uint64_t one_an_operand(const bndi_call *c)
{
    return bndi_count(&c->in_shape[0]);
}

const bndi_row bndi_sum_row = {.name = "sum",
                               .least = 1,
                               .most = 1,
                               .shape = bndi_shape_of_reduction,
                               .forward = sum_forward,
                               .backward = sum_backward,
                               .flops = one_an_operand};
const bndi_row bndi_mean_row = {.name = "mean",
                                .least = 1,
                                .most = 1,
                                .shape = bndi_shape_of_reduction,
                                .forward = sum_forward,
                                .backward = sum_backward,
                                .flops = one_an_operand};
