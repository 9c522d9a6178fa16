/* Handles of tensors: made, held and released, and what they say of themselves. */
#include "tensor/handle.h"
#include "tensor/engine.h"
#include "tensor/tape.h"

#include <stdlib.h>

/* ---- references ---- */

static void link_in(bnd_tensor *t)
{
    bnd_engine *engine = t->engine;
    t->serial = ++engine->serial;
    t->previous = engine->last;
    if (engine->last != NULL) {
        engine->last->next = t;
    } else {
        engine->first = t;
    }
    engine->last = t;
}

static void link_out(bnd_tensor *t)
{
    if (t->previous != NULL) {
        t->previous->next = t->next;
    } else {
        t->engine->first = t->next;
    }
    if (t->next != NULL) {
        t->next->previous = t->previous;
    } else {
        t->engine->last = t->previous;
    }
}

bnd_tensor *bndi_hold(bnd_tensor *t)
{
    t->references++;
    return t;
}

void bndi_let_saved_go(bndi_node *node)
{
    for (unsigned i = 0; i < BNDI_SAVED; i++) {
        bndi_drop(node->call.saved[i]);
        node->call.saved[i] = NULL;
        node->copied[i].serial = 0;
    }
    bndi_buffer_release(node->call.kept);
    node->call.kept = NULL;
}

static void unlink_node(bndi_node *node)
{
    if (node->newer != NULL) {
        node->newer->older = node->older;
    } else {
        node->engine->newest = node->older;
    }
    if (node->older != NULL) {
        node->older->newer = node->newer;
    }
}

/* The nodes that die when this one does die after each other, not within each other: graphs are deep. */
void bndi_node_release(bndi_node *node)
{
    if (node == NULL || --node->references > 0) {
        return;
    }
    bndi_node *dying = node;
    unlink_node(node);
    node->newer = NULL; /* from here on: the next one to die */
    while (dying != NULL) {
        bndi_node *dead = dying;
        dying = dead->newer;
        for (unsigned i = 0; i < BNDI_OPERANDS; i++) {
            bndi_node *from = dead->edges[i].node;
            if (from != NULL && --from->references == 0) {
                unlink_node(from);
                from->newer = dying;
                dying = from;
            }
            bndi_drop(dead->edges[i].leaf);
        }
        bndi_let_saved_go(dead);
        bndi_drop(dead->gradient);
        free(dead);
    }
}

void bndi_drop(bnd_tensor *t)
{
    if (t == NULL || --t->references > 0) {
        return;
    }
    link_out(t);
    bndi_drop(t->gradient);
    bndi_node_release(t->made_by);
    bndi_buffer_release(t->buffer);
    free(t);
}

void bndi_owe(bnd_tensor *t)
{
    t->owed++;
}

bnd_tensor *bnd_tensor_keep(bnd_tensor *t)
{
    t->owed++;
    return bndi_hold(t);
}

void bnd_tensor_release(bnd_tensor *t)
{
    if (t != NULL) {
        t->owed -= t->owed > 0;
        bndi_drop(t);
    }
}

/* ---- making ---- */

static bnd_status new_handle(bnd_tensor **out, bnd_engine *engine, bnd_error *why)
{
    bnd_tensor *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the handle of a tensor");
    }
    t->references = 1;
    t->engine = engine;
    link_in(t);
    *out = t;
    return BND_OK;
}

bnd_status bndi_tensor_over(bnd_tensor **out, bndi_buffer *buffer, const bnd_format *f, const bndi_shape *shape,
                            bnd_error *why)
{
    bnd_tensor *t;
    bnd_status status = new_handle(&t, buffer->engine, why);
    if (status != BND_OK) {
        bndi_buffer_release(buffer);
        return status;
    }
    t->buffer = buffer;
    t->format = *f;
    t->shape = *shape;
    bndi_strides_of(t->stride, shape);
    *out = t;
    return BND_OK;
}

bnd_status bndi_tensor_make(bnd_tensor **out, bnd_engine *engine, const bnd_format *f, const bndi_shape *shape,
                            bnd_role role, bool zeros, bnd_error *why)
{
    size_t count = bndi_count(shape), bytes = bnd_codes_size(f, count, BND_PACKING_PACKED);
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s is a value set and has no codes; a tensor stores codes", f->name);
    }
    if (bytes == 0 && count > 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a tensor of %zu elements does not fit memory", count);
    }
    bndi_buffer *buffer;
    bnd_status status = bndi_buffer_new(&buffer, engine, role, bytes, zeros || f->width % 8 != 0, why);
    return status == BND_OK ? bndi_tensor_over(out, buffer, f, shape, why) : status;
}

bnd_status bndi_view_make(bnd_tensor **out, const bnd_tensor *base, const bndi_shape *shape, const ptrdiff_t *stride,
                          size_t offset, bnd_error *why)
{
    bnd_tensor *t;
    bnd_status status = new_handle(&t, base->engine, why);
    if (status != BND_OK) {
        return status;
    }
    t->buffer = base->buffer;
    t->buffer->references++;
    t->format = base->format;
    t->shape = *shape;
    __builtin_memcpy(t->stride, stride, shape->rank * sizeof *stride);
    t->offset = offset;
    *out = t;
    return BND_OK;
}

/* ---- asking ---- */

bnd_engine *bnd_tensor_engine(const bnd_tensor *t)
{
    return t->engine;
}

const bnd_format *bnd_tensor_format(const bnd_tensor *t)
{
    return &t->format;
}

size_t bnd_tensor_rank(const bnd_tensor *t)
{
    return t->shape.rank;
}

const size_t *bnd_tensor_shape(const bnd_tensor *t)
{
    return t->shape.extent;
}

const ptrdiff_t *bnd_tensor_strides(const bnd_tensor *t)
{
    return t->stride;
}

size_t bnd_tensor_offset(const bnd_tensor *t)
{
    return t->offset;
}

size_t bnd_tensor_count(const bnd_tensor *t)
{
    return bndi_count(&t->shape);
}

bool bnd_tensor_is_contiguous(const bnd_tensor *t)
{
    ptrdiff_t stride[BND_TENSOR_RANK_MAX];
    bndi_strides_of(stride, &t->shape);
    bool is = true;
    for (size_t i = 0; i < t->shape.rank; i++) {
        is = is && (t->stride[i] == stride[i] || t->shape.extent[i] == 1);
    }
    return is || bndi_count(&t->shape) == 0;
}

bool bnd_tensor_shares(const bnd_tensor *a, const bnd_tensor *b)
{
    return a->buffer == b->buffer;
}

bnd_status bndi_check_tensor(const bnd_tensor *t, bnd_error *why)
{
    return t != NULL ? BND_OK
                     : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                "expected a tensor, got NULL; a tensor has no gradient before a backward pass");
}

bnd_status bndi_check_operands(bnd_tensor *const *in, size_t count, const char *who, bnd_error *why)
{
    for (size_t i = 0; i < count; i++) {
        if (in[i] == NULL) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: operand %zu is missing", who, i + 1);
        }
        if (in[i]->engine != in[0]->engine) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the tensors are of two engines; use tensors of one", who);
        }
    }
    return BND_OK;
}

bnd_status bndi_check_writable(const bnd_tensor *t, bnd_error *why)
{
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    if (t->buffer->scaled != NULL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the tensor's numbers share scales: write all of them, with bnd_tensor_write_f32 or _f64");
    }
    return t->buffer->constant ? bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                          "the tensor is mapped from a file and cannot be written to; write to a copy, "
                                          "or load it for another role")
                               : BND_OK;
}
