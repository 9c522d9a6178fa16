/* The tape: what was computed from what, and the way back. A result holds its node, a node the nodes that its operands
 * came from: what nobody can ask the gradient of is freed at once. The engine's list of nodes by age is the order of
 * the way back. */
#include "tensor/tensor.h"

#include "bulk/environment.h"

#include <stdlib.h>

/* ---- nodes ---- */

static void let_saved_go(bndi_node *node)
{
    for (unsigned i = 0; i < BNDI_SAVED; i++) {
        bndi_drop(node->call.saved[i]);
        node->call.saved[i] = NULL;
    }
    bndi_buffer_release(node->call.kept);
    node->call.kept = NULL;
}

static void link_out(bndi_node *node)
{
    *(node->newer != NULL ? &node->newer->older : &node->engine->newest) = node->older;
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
    link_out(node);
    node->newer = NULL; /* from here on: the next one to die */
    while (dying != NULL) {
        bndi_node *dead = dying;
        dying = dead->newer;
        for (unsigned i = 0; i < BNDI_OPERANDS; i++) {
            bndi_node *from = dead->edges[i].node;
            if (from != NULL && --from->references == 0) {
                link_out(from);
                from->newer = dying;
                dying = from;
            }
            bndi_drop(dead->edges[i].leaf);
        }
        let_saved_go(dead);
        bndi_drop(dead->gradient);
        free(dead);
    }
}

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

static bnd_status save_as(bndi_node *node, unsigned i, const bnd_tensor *t, const bnd_cast *cast, bnd_error *why)
{
    bnd_tensor **copy = &node->call.saved[i];
    bnd_status status = bndi_tensor_make(copy, t->engine, &cast->format, &t->shape, BND_ROLE_ACT, false, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for_saved(t->engine, i);
        bndi_copy_numbers(*copy, t, &how);
        node->versions[i] = (*copy)->buffer->version;
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

static bndi_edge edge_to(bnd_tensor *t)
{
    if (t->made_by != NULL) {
        t->made_by->references++;
        return (bndi_edge){.node = t->made_by};
    }
    return (bndi_edge){.leaf = t->wants_gradient ? bndi_hold(t) : NULL};
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
        node->edges[i] = edge_to(in[i]);
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

/* ---- gradients on their way ---- */

/* Nobody else sees this tensor or its storage: it may be written to. */
static bool is_alone(const bnd_tensor *t)
{
    return t->references == 1 && t->owed == 0 && t->buffer->references == 1 && bnd_tensor_is_contiguous(t);
}

/* A tensor of the format that gradients of this role have. `like`: the operand's own format and shape. */
static bnd_status make_gradient(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bnd_format *like,
                                const bndi_shape *shape, bool zeros, bnd_error *why)
{
    bnd_format f;
    bndi_result_format(&f, engine, role, &like, 1);
    /* Until there is all of it that can be brought to scales. */
    bnd_role bytes = bndi_is_scaled(engine, role) ? BND_ROLE_SCRATCH : bndi_role_of_bytes(role);
    return bndi_tensor_make(out, engine, &f, shape, bytes, zeros, why);
}

bnd_status bndi_gradient_make(bnd_tensor **out, const bndi_call *c, const bndi_gradients *g, unsigned i, bool zeros,
                              bnd_error *why)
{
    return make_gradient(out, c->engine, g->role[i], &c->in_format[i], &c->in_shape[i], zeros, why);
}

/* One that stays. */
static bnd_status make_stored(bnd_tensor **out, bnd_engine *engine, bnd_role role, const bnd_format *like,
                              const bndi_shape *shape, bnd_error *why)
{
    return bndi_is_scaled(engine, role) ? bndi_tensor_for(out, engine, role, shape, why)
                                        : make_gradient(out, engine, role, like, shape, false, why);
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
        bndi_store as_is = {.rule = {.rounding = BND_RNE}};
        status = make_stored(&to, engine, role, &d->format, &d->shape, why);
        if (status == BND_OK) {
            status = bndi_assign(to, *sum, role, &as_is, false, why);
            bndi_drop(status == BND_OK ? *sum : to);
            *sum = status == BND_OK ? to : *sum;
        }
    }
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(engine, role);
        status = bndi_assign(to, d, role, &how, true, why);
        bndi_count_flops(engine, BND_TENSOR_ADD, bndi_count(&d->shape));
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
    bnd_status status = make_stored(&gradient, leaf->engine, BND_ROLE_GRAD, &leaf->format, &leaf->shape, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(leaf->engine, BND_ROLE_GRAD);
        status = bndi_assign(gradient, *d, BND_ROLE_GRAD, &how, false, why);
        bndi_drop(status == BND_OK ? *d : gradient);
        *d = status == BND_OK ? gradient : *d;
    }
    return status;
}

static bnd_status deliver(bndi_edge *to, bnd_tensor *d, bnd_error *why)
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

/* The gradient of a part is added to that part of the whole's, so that many parts of one tensor cost no more than it
 * has elements. */
static bnd_status deliver_slice(bndi_node *node, const bnd_tensor *d, bnd_error *why)
{
    const bndi_call *c = &node->call;
    bndi_edge *to = &node->edges[0];
    bnd_tensor **whole = to->node != NULL ? &to->node->gradient : &to->leaf->gradient;
    bnd_role role = to->node != NULL ? BND_ROLE_DACT : BND_ROLE_GRAD;
    if (*whole == NULL || !is_alone(*whole)) {
        bnd_tensor *zeros;
        bnd_status status = make_gradient(&zeros, c->engine, role, &c->in_format[0], &c->in_shape[0], true, why);
        if (status == BND_OK) {
            status = deliver(to, zeros, why);
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

/* ---- the way back ---- */

static bnd_status check_versions(const bndi_node *node, bnd_error *why)
{
    for (unsigned i = 0; i < BNDI_SAVED; i++) {
        const bnd_tensor *saved = node->call.saved[i];
        if (saved != NULL && saved->buffer->version != node->versions[i]) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                            "backward: a tensor that %s needs on the way back was written to since; go back first, or "
                            "write to a copy",
                            node->call.row->name);
        }
    }
    return BND_OK;
}

/* Everything that a way back from `root` comes through, before anything is written. */
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
                                  "backward: a part of this has been gone back through already; compute it again");
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
            status = deliver(&node->edges[i], g->out[i], why);
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
    c->engine->place = c->place;
    bool slice = c->operation == BND_TENSOR_VIEW && c->view.kind == BNDI_SLICED;
    if (status != BND_OK) {
        return status;
    }
    if (slice) {
        return deliver_slice(node, node->gradient, why);
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
            let_saved_go(node);
            for (unsigned i = 0; i < BNDI_OPERANDS; i++) {
                bndi_edge edge = node->edges[i];
                node->edges[i] = (bndi_edge){.node = NULL};
                bndi_drop(edge.leaf);
                bndi_node_release(edge.node);
            }
        }
        bndi_node *next = node->newer;
        bndi_node_release(node);
        node = next;
    }
}

/* From the newest node to `stop`, which is older than what is to be gone through. */
static bnd_status go_back(bnd_engine *engine, const bndi_node *stop, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (bndi_node *node = engine->newest; status == BND_OK && node != stop; node = node->older) {
        if (node->gradient == NULL || node->done) {
            continue;
        }
        status = go_back_through(node, why);
        node->done = true;
        let_saved_go(node);
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
    bnd_engine *engine = loss->engine;
    bndi_node *root = loss->made_by;
    char text[BNDI_SHAPE_TEXT];
    if (bndi_count(&loss->shape) != 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "backward: a loss is one number, and this tensor has shape %s; sum it",
                        bndi_shape_text(text, &loss->shape));
    }
    if (root == NULL || root->done) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        root == NULL
                            ? "backward: nothing that the loss was computed from wants a gradient, or the tape "
                              "was off"
                            : "backward: this has been gone back through already; compute the loss again");
    }
    bnd_phase before = engine->phase;
    unsigned place = engine->place;
    engine->phase = BND_BACKWARD;
    bnd_status status = check_way(root, why);
    if (status == BND_OK) {
        status = make_gradient(&root->gradient, engine, BND_ROLE_DACT, &loss->format, &loss->shape, false, why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_fill(root->gradient, scale, why);
    }
    if (status == BND_OK) {
        bndi_environment environment = bndi_enter(BND_RNE);
        status = go_back(engine, NULL, why);
        bndi_leave(environment);
    }
    engine->place = place;
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

/* ---- views ---- */

static bnd_status view_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    size_t from[BND_RANK_MAX];
    switch (c->view.kind) {
    case BNDI_PERMUTED:
        for (size_t i = 0; i < c->shape.rank; i++) {
            from[c->view.from[i]] = i;
        }
        return bndi_permuted(&g->out[0], d, from, why);
    case BNDI_BROADCAST:
        return bndi_sum_to(&g->out[0], c, g, 0, d, why);
    case BNDI_SLICED: /* deliver_slice's */
    case BNDI_RESHAPED:
        break;
    }
    return bndi_reshaped(&g->out[0], d, &c->in_shape[0], why);
}

const bndi_row bndi_view_row = {.name = "view", .least = 1, .most = 1, .backward = view_backward};

/* ---- segments that are computed again ---- */

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
    engine->phase = BND_RECOMPUTE;
    engine->tape = true;
    bnd_status status = c->segment(out, in, c->count, c->data, why);
    engine->casts = casts;
    engine->phase = BND_BACKWARD;
    engine->tape = tape;
    return status;
}

static void let_edge_go(bndi_edge *edge)
{
    bndi_drop(edge->leaf);
    bndi_node_release(edge->node);
}

/* What the segment made goes before the way back, but for what that needs. */
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
        end = edge_to(out);
        bnd_tensor_release(out);
    }
    bnd_engine_release_since(engine, mark, NULL, 0);
    if (status == BND_OK && (end.node != NULL || end.leaf != NULL)) {
        status = bndi_view_make(&gradient, d, &d->shape, d->stride, d->offset, why);
        if (status == BND_OK) {
            status = deliver(&end, gradient, why);
        }
        if (status == BND_OK) {
            status = go_back(engine, stop, why);
        }
    }
    let_edge_go(&end);
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
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "checkpoint: a segment takes 1 to %d tensors; %zu are given",
                        BNDI_OPERANDS, count);
    }
    bnd_engine *engine = in[0]->engine;
    bndi_call call = {.row = &bndi_checkpoint_row,
                      .operation = BND_TENSOR_CHECKPOINT,
                      .engine = engine,
                      .segment = segment,
                      .data = data,
                      .casts = engine->casts,
                      .count = (unsigned)count};
    bool tape = engine->tape;
    bnd_mark mark = bnd_engine_mark(engine);
    bnd_tensor *result = NULL;
    engine->tape = false;
    bnd_status status = segment(&result, in, count, data, why);
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
        call.in_format[i] = in[i]->format;
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
