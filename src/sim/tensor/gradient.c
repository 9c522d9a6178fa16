/* Gradients during the backward pass: their formats, how they are added, and whose storage they may reuse. */
#include "tensor/formula.h"
#include "tensor/gradient.h"
#include "tensor/scaled.h"
#include "tensor/tape.h"
#include "tensor/view_make.h"

/* True if nothing else refers to this tensor or its storage, so that it may be overwritten. */
static bool is_alone(const bnd_tensor *t)
{
    return t->references == 1 && t->owed == 0 && t->buffer->references == 1 && bnd_tensor_is_contiguous(t);
}

bnd_status bndi_gradient_new(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bnd_format *like,
                             const bndi_shape *shape, bool zeros, bnd_error *why)
{
    bnd_format f;
    bndi_result_format(&f, engine, role, &like, 1);
    /* Kept as scratch until complete: scales can only be computed from the whole gradient. */
    bnd_role bytes = bndi_is_scaled(engine, role) ? BND_ROLE_SCRATCH : bndi_role_of_bytes(role);
    return bndi_tensor_make(out, engine, &f, shape, bytes, zeros, why);
}

bnd_status bndi_gradient_of_operand(bnd_tensor **out, const bndi_call *c, const bndi_gradients *g, unsigned i,
                                    bool zeros, bnd_error *why)
{
    return bndi_gradient_new(out, c->engine, g->role[i], &c->in_format[i], &c->in_shape[i], zeros, why);
}

bnd_status bndi_gradient_stored(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bnd_format *like,
                                const bndi_shape *shape, bnd_error *why)
{
    return bndi_is_scaled(engine, role) ? bndi_tensor_for(out, engine, role, shape, why)
                                        : bndi_gradient_new(out, engine, role, like, shape, false, why);
}

/* *sum += d, where a gradient may be there already; takes over the reference to d. */
static bnd_status add_to(bnd_tensor **sum, bnd_tensor *d, bnd_role role, bnd_error *why)
{
    bnd_engine *engine = d->engine;
    if (*sum == NULL) {
        *sum = d;
        return BND_OK;
    }
    bnd_tensor *to = *sum;
    bnd_status status = BND_OK;
    if (!is_alone(to)) {
        bndi_store as_is = {.rule = {.rounding = BND_ROUND_RNE}};
        status = bndi_gradient_stored(&to, engine, role, &d->format, &d->shape, why);
        if (status == BND_OK) {
            status = bndi_assign(to, *sum, role, &as_is, false, why);
            bndi_drop(status == BND_OK ? *sum : to);
            *sum = status == BND_OK ? to : *sum;
        }
    }
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(engine, role);
        status = bndi_assign(to, d, role, &how, true, why);
        bndi_count_flops(engine, BND_TENSOR_OP_ADD, bndi_count(&d->shape));
    }
    bndi_drop(d);
    return status;
}

/* A leaf's gradient is its own, in the role's format, and no part of anything else. */
static bnd_status own(bnd_tensor **d, const bnd_tensor *leaf, bnd_error *why)
{
    bnd_tensor *gradient;
    if (is_alone(*d) && (*d)->buffer->role == BND_ROLE_GRAD) {
        return BND_OK;
    }
    bnd_status status =
        bndi_gradient_stored(&gradient, leaf->engine, BND_ROLE_GRAD, bndi_format_lent(leaf), &leaf->shape, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(leaf->engine, BND_ROLE_GRAD);
        status = bndi_assign(gradient, *d, BND_ROLE_GRAD, &how, false, why);
        bndi_drop(status == BND_OK ? *d : gradient);
        *d = status == BND_OK ? gradient : *d;
    }
    return status;
}

bnd_status bndi_deliver(bndi_edge *to, bnd_tensor *d, bnd_error *why)
{
    if (to->node != NULL) {
        return add_to(&to->node->gradient, d, BND_ROLE_DACT, why);
    }
    bnd_status status = to->leaf->gradient == NULL ? own(&d, to->leaf, why) : BND_OK;
    if (status != BND_OK) {
        bndi_drop(d);
        return status;
    }
    return add_to(&to->leaf->gradient, d, BND_ROLE_GRAD, why);
}

bnd_status bndi_deliver_slice(bndi_node *node, const bnd_tensor *d, bnd_error *why)
{
    const bndi_call *c = &node->call;
    bndi_edge *to = &node->edges[0];
    bnd_tensor **whole = to->node != NULL ? &to->node->gradient : &to->leaf->gradient;
    bnd_role role = to->node != NULL ? BND_ROLE_DACT : BND_ROLE_GRAD;
    if (*whole == NULL || !is_alone(*whole)) {
        bnd_tensor *zeros;
        bnd_status status = bndi_gradient_new(&zeros, c->engine, role, &c->in_format[0], &c->in_shape[0], true, why);
        if (status == BND_OK) {
            status = bndi_deliver(to, zeros, why);
        }
        if (status != BND_OK) {
            return status;
        }
    }
    bnd_tensor *part;
    bndi_buffer *kept;
    bnd_status status = bndi_thaw(*whole, &kept, why);
    if (status != BND_OK) {
        return status;
    }
    status = bndi_sliced(&part, *whole, c->view.axis, c->view.first, d->shape.extent[c->view.axis], c->view.step, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, role);
        bndi_add_numbers(part, d, &how);
        bndi_drop(part);
    }
    bndi_freeze(*whole, kept, role);
    return status;
}
