/* The tape: the graph of operations, and the backward pass. A result holds its node, and a node the nodes of its
 * operands, so a node is freed as soon as no gradient can reach it. The engine's list of nodes by age is the order of
 * the backward pass. */
#include "bulk/environment.h"
#include "tensor/engine.h"
#include "tensor/formula.h"
#include "tensor/gradient.h"
#include "tensor/tape.h"

#include <stdlib.h>

/* ---- nodes ---- */

bool bndi_is_tracked(const bnd_tensor *t)
{
    return t->wants_gradient || t->made_by != NULL;
}

static bool records(const bndi_call *c, bnd_tensor *const *in)
{
    bool tracked = c->segment != NULL;
    for (unsigned i = 0; i < c->count; i++) {
        tracked = tracked || bndi_is_tracked(in[i]);
    }
    return tracked && c->engine->tape && c->row->backward != NULL;
}

static bool is_copy(const bndi_node *node, unsigned i, const bnd_tensor *t, const bnd_cast *cast)
{
    const bndi_copied *of = &node->copied[i];
    return of->serial == t->serial && of->version == t->buffer->version &&
           __builtin_memcmp(&of->rule, &cast->rule, sizeof of->rule) == 0 &&
           bnd_format_same(&node->call.saved[i]->format, &cast->format);
}

/* The existing copy of this tensor under this cast, or NULL. Operations that save the same tensor share one copy,
   unless the cast is stochastic: then each copy has its own random bits. */
static const bnd_tensor *find_copy(const bndi_node *newest, const bnd_tensor *t, const bnd_cast *cast)
{
    const bndi_node *node = cast->rule.rounding < BND_ROUND_DETERMINISTIC_COUNT ? newest : NULL;
    for (; node != NULL; node = node->older) {
        for (unsigned i = 0; i < BNDI_SAVED; i++) {
            if (is_copy(node, i, t, cast)) {
                return node->call.saved[i];
            }
        }
    }
    return NULL;
}

static bnd_status make_copy(bnd_tensor **out, unsigned i, const bnd_tensor *t, const bnd_cast *cast, bnd_error *why)
{
    bnd_status status = bndi_tensor_make(out, t->engine, &cast->format, &t->shape, BND_ROLE_ACT, false, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for_saved(t->engine, i);
        bndi_copy_numbers(*out, t, &how);
    }
    return status;
}

static bnd_status save_as(bndi_node *node, unsigned i, const bnd_tensor *t, const bnd_cast *cast, bnd_error *why)
{
    bnd_tensor **copy = &node->call.saved[i];
    const bnd_tensor *same = find_copy(node, t, cast);
    bnd_status status = same != NULL ? bndi_view_make(copy, same, &same->shape, same->stride, same->offset, why)
                                     : make_copy(copy, i, t, cast, why);
    if (status == BND_OK) {
        node->versions[i] = (*copy)->buffer->version;
        node->copied[i] = (bndi_copied){.serial = t->serial, .version = t->buffer->version, .rule = cast->rule};
    }
    return status;
}

/* A handle that knows of no gradient: what is saved does not hold the graph. Activations may be kept in a format of
 * their own, but not those that a segment is computed again from: they must be what they were. */
static bnd_status save(bndi_node *node, unsigned i, const bnd_tensor *t, bnd_error *why)
{
    const bnd_cast *cast = bndi_cast_of(t->engine, BND_ROLE_SAVED);
    if (cast != NULL && t->buffer->role == BND_ROLE_ACT && node->call.segment == NULL) {
        return save_as(node, i, t, cast, why);
    }
    node->versions[i] = t->buffer->version;
    return bndi_view_make(&node->call.saved[i], t, &t->shape, t->stride, t->offset, why);
}

bndi_edge bndi_edge_to(bnd_tensor *t)
{
    if (t->made_by != NULL) {
        t->made_by->references++;
        return (bndi_edge){.node = t->made_by};
    }
    return (bndi_edge){.leaf = t->wants_gradient ? bndi_hold(t) : NULL};
}

void bndi_edge_release(bndi_edge *edge)
{
    bndi_drop(edge->leaf);
    bndi_node_release(edge->node);
}

bnd_status bndi_record(bndi_call *c, bnd_tensor *const *in, bnd_tensor *out, bnd_error *why)
{
    bnd_engine *engine = c->engine;
    if (!records(c, in)) {
        bndi_buffer_release(c->kept);
        return BND_OK;
    }
    bndi_node *node = calloc(1, sizeof *node);
    if (node == NULL) {
        bndi_buffer_release(c->kept);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a node of the tape");
    }
    node->references = 1;
    node->engine = engine;
    node->call = *c;
    node->call.place = engine->place;
    for (unsigned i = 0; i < BNDI_SAVED; i++) {
        node->call.saved[i] = NULL;
    }
    node->older = engine->newest;
    if (engine->newest != NULL) {
        engine->newest->newer = node;
    }
    engine->newest = node;
    bnd_status status = BND_OK;
    for (unsigned i = 0; status == BND_OK && i < c->count; i++) {
        node->edges[i] = bndi_edge_to(in[i]);
        if ((c->row->saves >> i & 1) != 0) {
            status = save(node, i, in[i], why);
        }
    }
    if (status == BND_OK && (c->row->saves & BNDI_SAVE_OUT) != 0) {
        status = save(node, BNDI_OUT, out, why);
    }
    if (status != BND_OK) {
        bndi_node_release(node);
        return status;
    }
    out->made_by = node;
    return BND_OK;
}

/* ---- what the caller sees ---- */

void bnd_tensor_want_gradient(bnd_tensor *leaf, bool wants)
{
    leaf->wants_gradient = wants && leaf->made_by == NULL;
}

bool bnd_tensor_wants_gradient(const bnd_tensor *t)
{
    return bndi_is_tracked(t);
}

void bnd_tensor_keep_gradient(bnd_tensor *t)
{
    if (t->made_by != NULL) {
        t->made_by->keeps = true;
    }
}

bnd_tensor *bnd_tensor_gradient(const bnd_tensor *t)
{
    return t->made_by == NULL ? t->gradient : t->made_by->keeps ? t->made_by->gradient : NULL;
}

void bnd_tensor_drop_gradient(bnd_tensor *t)
{
    bnd_tensor **place = t->made_by == NULL ? &t->gradient : &t->made_by->gradient;
    bnd_tensor *gradient = *place;
    *place = NULL;
    bndi_drop(gradient);
}

void bnd_engine_set_tape(bnd_engine *engine, bool on)
{
    engine->tape = on;
}

bool bnd_engine_tape(const bnd_engine *engine)
{
    return engine->tape;
}

/* ---- the backward pass ---- */

static bnd_status check_versions(const bndi_node *node, bnd_error *why)
{
    for (unsigned i = 0; i < BNDI_SAVED; i++) {
        const bnd_tensor *saved = node->call.saved[i];
        if (saved != NULL && saved->buffer->version != node->versions[i]) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "backward: a tensor that the backward pass of %s needs was changed; run the backward pass "
                            "first, or write to a copy",
                            node->call.row->name);
        }
    }
    return BND_OK;
}

/* Checks every node that a backward pass from `root` reaches, before anything is written. */
static bnd_status check_way(bndi_node *root, bnd_error *why)
{
    bnd_status status = BND_OK;
    root->reached = true;
    for (bndi_node *node = root; status == BND_OK && node != NULL; node = node->older) {
        if (!node->reached) {
            continue;
        }
        status = check_versions(node, why);
        for (unsigned i = 0; status == BND_OK && i < node->call.count; i++) {
            bndi_node *from = node->edges[i].node;
            if (from != NULL && from->done) {
                status = bnd_fail(why, BND_BAD_ARGUMENT, 0,
                                  "backward: the backward pass of a part of this was run already; compute it again");
            } else if (from != NULL) {
                from->reached = true;
            }
        }
    }
    for (bndi_node *node = root; node != NULL; node = node->older) {
        node->reached = false;
    }
    return status;
}

static bnd_status hand_out(bndi_node *node, bndi_gradients *g, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (unsigned i = 0; i < node->call.count; i++) {
        if (g->out[i] != NULL && g->wanted[i] && status == BND_OK) {
            status = bndi_deliver(&node->edges[i], g->out[i], why);
        } else {
            bndi_drop(g->out[i]);
        }
    }
    return status;
}

static bnd_status go_back_through(bndi_node *node, bnd_error *why)
{
    bndi_gradients g = {.edges = node->edges};
    bndi_call *c = &node->call;
    bnd_status status = check_versions(node, why);
    bndi_go_to_place(c->engine, c->place);
    bool slice = c->operation == BND_TENSOR_OP_VIEW && c->view.kind == BNDI_SLICED;
    if (status != BND_OK) {
        return status;
    }
    if (slice) {
        return bndi_deliver_slice(node, node->gradient, why);
    }
    for (unsigned i = 0; i < c->count; i++) {
        g.wanted[i] = node->edges[i].node != NULL || node->edges[i].leaf != NULL;
        g.role[i] = node->edges[i].node != NULL ? BND_ROLE_DACT : BND_ROLE_GRAD;
    }
    status = c->row->backward(c, node->gradient, &g, why);
    if (status != BND_OK) {
        for (unsigned i = 0; i < c->count; i++) {
            bndi_drop(g.out[i]);
        }
        return status;
    }
    return hand_out(node, &g, why);
}

/* Takes nodes that went back off the tape, the oldest first: those that they hold have let go already. */
static void clear(bnd_engine *engine, const bndi_node *stop)
{
    bndi_node *node = engine->newest;
    while (node != NULL && node->older != stop) {
        node = node->older;
    }
    while (node != NULL) {
        node->references++; /* so that it is here to ask who is next */
        if (node->done) {
            bndi_let_saved_go(node);
            for (unsigned i = 0; i < BNDI_OPERANDS; i++) {
                bndi_edge edge = node->edges[i];
                node->edges[i] = (bndi_edge){.node = NULL};
                bndi_edge_release(&edge);
            }
        }
        bndi_node *next = node->newer;
        bndi_node_release(node);
        node = next;
    }
}

bnd_status bndi_go_back(bnd_engine *engine, const bndi_node *stop, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (bndi_node *node = engine->newest; status == BND_OK && node != stop; node = node->older) {
        if (node->gradient == NULL || node->done) {
            continue;
        }
        status = go_back_through(node, why);
        node->done = true;
        bndi_let_saved_go(node);
        if (!node->keeps) {
            bndi_drop(node->gradient);
            node->gradient = NULL;
        }
    }
    for (bndi_node *node = engine->newest; status != BND_OK && node != stop; node = node->older) {
        if (!node->done) { /* where it stopped, nothing is left over for the next time */
            bndi_drop(node->gradient);
            node->gradient = NULL;
        }
    }
    clear(engine, stop);
    return status;
}

bnd_status bnd_tensor_backward(bnd_tensor *loss, double scale, bnd_error *why)
{
    bnd_status there = bndi_check_tensor(loss, why);
    if (there != BND_OK) {
        return there;
    }
    bnd_engine *engine = loss->engine;
    bndi_node *root = loss->made_by;
    char text[BNDI_SHAPE_TEXT];
    if (bndi_count(&loss->shape) != 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "backward: the loss must be one number, and this tensor has shape %s; sum it first",
                        bndi_shape_text(text, &loss->shape));
    }
    if (root == NULL || root->done) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        root == NULL
                            ? "backward: nothing that the loss was computed from wants a gradient, or the tape "
                              "was off"
                            : "backward: the backward pass of this loss was run already; compute the loss again");
    }
    bnd_phase before = engine->phase;
    unsigned place = engine->place;
    engine->phase = BND_PHASE_BACKWARD;
    bnd_status status = check_way(root, why);
    if (status == BND_OK) {
        status = bndi_gradient_new(&root->gradient, engine, BND_ROLE_DACT, &loss->format, &loss->shape, false, why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_fill(root->gradient, scale, why);
    }
    if (status == BND_OK) {
        bndi_environment environment = bndi_enter(BND_ROUND_RNE);
        bndi_note_saved(engine);
        status = bndi_go_back(engine, NULL, why);
        bndi_leave(environment);
    }
    bndi_go_to_place(engine, place);
    engine->phase = before;
    return status;
}

void bnd_engine_forget(bnd_engine *engine)
{
    for (bndi_node *node = engine->newest; node != NULL; node = node->older) {
        node->done = true;
        bndi_drop(node->gradient);
        node->gradient = NULL;
    }
    clear(engine, NULL);
}
