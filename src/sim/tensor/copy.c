/* Copies and casts: the numbers as they are, in another format. */
#include "tensor/formula.h"
#include "tensor/gradient.h"

static bnd_status copy_forward(bndi_call *c, bnd_error *why)
{
    (void)why;
    bndi_store how = bndi_store_for(c->engine, c->role);
    if (c->attributes.format != NULL) {
        how.rule = c->attributes.rule;
    }
    bndi_copy_numbers(c->saved[BNDI_OUT], c->saved[0], &how);
    return BND_OK;
}

static bnd_status copy_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    bnd_status status = bndi_gradient_of_operand(&g->out[0], c, g, 0, false, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, g->role[0]);
        bndi_copy_numbers(g->out[0], d, &how);
    }
    return status;
}

const bndi_row bndi_copy_row = {
    .name = "copy", .least = 1, .most = 1, .forward = copy_forward, .backward = copy_backward, .flops = bndi_no_flops};
const bndi_row bndi_cast_row = {
    .name = "cast", .least = 1, .most = 1, .forward = copy_forward, .backward = copy_backward, .flops = bndi_no_flops};
