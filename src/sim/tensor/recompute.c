/* Segments that are recomputed in the backward pass: the tape keeps only the operands of a checkpoint. */
#include "tensor/engine.h"
#include "tensor/gradient.h"
#include "tensor/tape.h"

/* The operands once more: what is computed from them now has its gradients go where theirs go, in the order and in the
 * formats in which they would have gone there from the segment itself. */
static bnd_status stand_ins(bnd_tensor **in, const bndi_call *c, const bndi_gradients *g, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (unsigned i = 0; status == BND_OK && i < c->count; i++) {
        const bnd_tensor *t = c->saved[i];
        if (g->edges[i].leaf != NULL) {
            in[i] = bndi_hold(g->edges[i].leaf);
            continue;
        }
        status = bndi_view_make(&in[i], t, &t->shape, t->stride, t->offset, why);
        if (status == BND_OK && g->edges[i].node != NULL) {
            in[i]->made_by = g->edges[i].node;
            in[i]->made_by->references++;
        }
    }
    return status;
}

static bnd_status compute_again(bnd_tensor **out, bndi_call *c, bnd_tensor *const *in, bnd_error *why)
{
    bnd_engine *engine = c->engine;
    uint64_t casts = engine->casts;
    bool tape = engine->tape;
    engine->casts = c->casts;
    engine->phase = BND_PHASE_RECOMPUTE;
    engine->tape = true;
    bnd_status status = c->segment(out, in, c->count, c->data, why);
    engine->casts = casts;
    engine->phase = BND_PHASE_BACKWARD;
    engine->tape = tape;
    return status;
}

/* The segment's tensors are released before its backward pass, except those that the backward pass needs. */
static bnd_status checkpoint_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    bnd_engine *engine = c->engine;
    bnd_tensor *in[BNDI_OPERANDS] = {NULL}, *out = NULL, *gradient;
    bndi_node *stop = engine->newest;
    bndi_edge end = {.node = NULL};
    bnd_mark mark = bnd_engine_mark(engine);
    bnd_status status = stand_ins(in, c, g, why);
    if (status == BND_OK) {
        status = compute_again(&out, c, in, why);
    }
    if (status == BND_OK) {
        end = bndi_edge_to(out);
        bnd_tensor_release(out);
    }
    bnd_engine_release_since(engine, mark, NULL, 0);
    if (status == BND_OK && (end.node != NULL || end.leaf != NULL)) {
        status = bndi_view_make(&gradient, d, &d->shape, d->stride, d->offset, why);
        if (status == BND_OK) {
            status = bndi_deliver(&end, gradient, why);
        }
        if (status == BND_OK) {
            bndi_note_saved(engine);
            status = bndi_go_back(engine, stop, why);
        }
    }
    bndi_edge_release(&end);
    for (unsigned i = 0; i < c->count; i++) {
        bndi_drop(in[i]);
    }
    return status;
}

const bndi_row bndi_checkpoint_row = {.name = "checkpoint",
                                      .least = 1,
                                      .most = BNDI_OPERANDS,
                                      .saves = (1u << BNDI_OPERANDS) - 1,
                                      .backward = checkpoint_backward};

/* A segment may give back what it got: the checkpoint's result is a handle of its own then. */
static bnd_status made_here(bnd_tensor **result, bnd_mark mark, bnd_error *why)
{
    bnd_tensor *t = *result;
    if (t->serial > mark) {
        return BND_OK;
    }
    bnd_status status = bndi_view_make(result, t, &t->shape, t->stride, t->offset, why);
    if (status == BND_OK) {
        bndi_owe(*result);
    }
    bnd_tensor_release(t);
    return status;
}

bnd_status bnd_tensor_checkpoint(bnd_tensor **out, bnd_segment *segment, void *data, bnd_tensor *const *in,
                                 size_t count, bnd_error *why)
{
    if (count < 1 || count > BNDI_OPERANDS) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "checkpoint: a segment takes 1 to %d tensors; got %zu", BNDI_OPERANDS,
                        count);
    }
    bnd_status status = bndi_check_operands(in, count, "checkpoint", why);
    if (status != BND_OK) {
        return status;
    }
    bnd_engine *engine = in[0]->engine;
    bndi_call call = {.row = &bndi_checkpoint_row,
                      .operation = BND_TENSOR_OP_CHECKPOINT,
                      .engine = engine,
                      .segment = segment,
                      .data = data,
                      .casts = engine->casts,
                      .count = (unsigned)count};
    bool tape = engine->tape;
    bnd_mark mark = bnd_engine_mark(engine);
    bnd_tensor *result = NULL;
    engine->tape = false;
    status = segment(&result, in, count, data, why);
    engine->tape = tape;
    bnd_engine_release_since(engine, mark, &result, status == BND_OK);
    if (status == BND_OK) {
        status = made_here(&result, mark, why);
    }
    if (status != BND_OK) {
        return status;
    }
    for (unsigned i = 0; i < count; i++) {
        call.in_shape[i] = in[i]->shape;
        call.in_format[i] = *bndi_format_lent(in[i]);
    }
    call.shape = result->shape;
    status = bndi_record(&call, in, result, why);
    if (status != BND_OK) {
        bnd_tensor_release(result);
        return status;
    }
    *out = result;
    return BND_OK;
}
