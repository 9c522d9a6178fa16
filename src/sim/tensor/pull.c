/* The backward pass of one operation, for programs that have a tape of their own. */
#include "bulk/environment.h"
#include "tensor/engine.h"
#include "tensor/gradient.h"
#include "tensor/scaled.h"
#include "tensor/tape.h"

/* d as a tensor. A sum is rounded as a sum is that the backward pass makes itself: each addition counts as a cast. */
static bnd_status gradient_of(bnd_tensor **out, const bnd_tensor *y, const float *d, unsigned additions, bnd_error *why)
{
    bnd_engine *engine = y->engine;
    const bnd_format *fp32 = bnd_lab_format_of_words(BNDI_WORDS_32);
    bnd_tensor *numbers, *sum;
    bnd_status status = bndi_tensor_make(&numbers, engine, fp32, &y->shape, BND_ROLE_SCRATCH, false, why);
    if (status != BND_OK) {
        return status;
    }
    __builtin_memcpy(numbers->buffer->data, d, bndi_count(&y->shape) * sizeof *d);
    *out = numbers;
    if (additions == 0) {
        return BND_OK;
    }
    status = bndi_gradient_new(&sum, engine, BND_ROLE_DACT, &y->format, &y->shape, false, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(engine, BND_ROLE_DACT);
        engine->casts += additions - 1;
        status = bndi_assign(sum, numbers, BND_ROLE_DACT, &how, false, why);
        if (status != BND_OK) {
            bndi_drop(sum);
        }
    }
    bndi_drop(numbers);
    *out = sum;
    return status;
}

static bool is_parameter(const bndi_edge *edge)
{
    return edge->leaf != NULL && edge->leaf->buffer->role == BND_ROLE_PARAM;
}

/* Gradients as numbers; those of parameters are also added to what the parameters have. */
static bnd_status hand_out(float *const *gradients, bndi_node *node, bndi_gradients *g, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (unsigned i = 0; i < node->call.count; i++) {
        bnd_tensor *d = g->out[i];
        if (d != NULL && status == BND_OK && gradients[i] != NULL) {
            status = bnd_tensor_read_f32(gradients[i], bndi_count(&d->shape), d, why);
        }
        if (d != NULL && status == BND_OK && is_parameter(&node->edges[i])) {
            status = bndi_deliver(&node->edges[i], d, why);
        } else {
            bndi_drop(d);
        }
    }
    return status;
}

static bnd_status pull(float *const *gradients, bndi_node *node, const bnd_tensor *d, bnd_error *why)
{
    bndi_gradients g = {.edges = node->edges};
    bndi_call *c = &node->call;
    for (unsigned i = 0; i < c->count; i++) {
        g.wanted[i] = node->edges[i].node != NULL || node->edges[i].leaf != NULL;
        g.role[i] = is_parameter(&node->edges[i]) ? BND_ROLE_GRAD : BND_ROLE_DACT;
    }
    bnd_status status = c->row->backward(c, d, &g, why);
    for (unsigned i = 0; status != BND_OK && i < c->count; i++) {
        bndi_drop(g.out[i]);
    }
    return status == BND_OK ? hand_out(gradients, node, &g, why) : status;
}

static bnd_status check(const bnd_tensor *y, size_t count, bnd_error *why)
{
    const bnd_status status = bndi_check_tensor(y, why);
    if (status != BND_OK) {
        return status;
    }
    const bndi_node *node = y->made_by;
    if (node == NULL || node->done) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        node == NULL
                            ? "pull: no recorded operation made this tensor"
                            : "pull: the backward pass of this operation was run already; say that it is kept");
    }
    if (node->call.segment != NULL || node->call.operation == BND_TENSOR_OP_VIEW) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "pull: %s has no backward pass of its own", node->call.row->name);
    }
    return node->call.count == count ? BND_OK
                                     : bnd_fail(why, BND_BAD_ARGUMENT, 0, "pull: %s has %u operands, not %zu",
                                                node->call.row->name, node->call.count, count);
}

bnd_status bnd_tensor_pull(float *const *gradients, size_t count, bnd_tensor *y, const float *d, unsigned additions,
                           bool keeps, bnd_error *why)
{
    bnd_tensor *gradient = NULL;
    bnd_status status = check(y, count, why);
    if (status != BND_OK) {
        return status;
    }
    bnd_engine *engine = y->engine;
    bndi_node *node = y->made_by;
    const bnd_phase before = engine->phase;
    const unsigned place = engine->place;
    const bndi_environment environment = bndi_enter(BND_ROUND_RNE);
    engine->phase = BND_PHASE_BACKWARD;
    bndi_go_to_place(engine, node->call.place);
    status = gradient_of(&gradient, y, d, additions, why);
    if (status == BND_OK) {
        status = pull(gradients, node, gradient, why);
        bndi_drop(gradient);
    }
    if (!keeps) {
        node->done = true;
        bndi_let_saved_go(node);
    }
    bndi_go_to_place(engine, place);
    engine->phase = before;
    bndi_leave(environment);
    return status;
}

bnd_status bnd_tensor_set_gradient(bnd_tensor *leaf, const float *x, size_t n, bnd_error *why)
{
    bnd_tensor *gradient;
    bnd_status status = bndi_check_tensor(leaf, why);
    if (status != BND_OK) {
        return status;
    }
    if (leaf->made_by != NULL || !leaf->wants_gradient) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a gradient can be set of a leaf that wants one");
    }
    status = bndi_gradient_stored(&gradient, leaf->engine, BND_ROLE_GRAD, bndi_format_lent(leaf), &leaf->shape, why);
    if (status != BND_OK) {
        return status;
    }
    status = bnd_tensor_write_f32(gradient, x, n, (bnd_rule){.rounding = BND_ROUND_RNE}, why);
    if (status == BND_OK) {
        bnd_tensor_drop_gradient(leaf);
        leaf->gradient = gradient;
    } else {
        bndi_drop(gradient);
    }
    return status;
}
