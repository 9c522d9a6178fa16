/* The transformers of <binade-lab/train.h> without numbers. The formula has the operations of
 * train/model_transformer.c in their order. */
#include "cost/paper.h"

#include "base/verify.h"

/* The sizes were checked. */
static bndi_blocks blocks_of(const bnd_trained *t)
{
    bndi_blocks b = {.width = 0};
    bnd_status status = bndi_blocks_of(&b, t->model, &t->blocks, t->width, t->heads, t->context, NULL);
    BNDI_VERIFY(status == BND_OK);
    return b;
}

typedef struct list {
    bnd_weight *out;
    size_t count;
} list;

static void add(list *l, const char *name, size_t rows, size_t columns, uint64_t copies, bool split)
{
    if (copies > 0) {
        l->out[l->count++] = (bnd_weight){name, rows, columns, copies, split, false, 0};
    }
}

static void add_part(list *l, const bndi_blocks *b, bndi_block_part part, uint64_t copies)
{
    size_t outputs, inputs;
    const bool after_sum = part == BNDI_PROJECTION || part == BNDI_MLP_DOWN;
    if (bndi_block_part_shape(&outputs, &inputs, b, part) && copies > 0) {
        const bool turned = b->by_inputs && inputs > 0;
        const bndi_partition partition = bndi_block_part_partition(b, part);
        add(l, "weights", turned ? inputs : outputs, turned ? outputs : inputs, copies, inputs > 0);
        l->out[l->count - 1].hidden = inputs > 0;
        l->out[l->count - 1].blocks = bndi_partition_blocks(&partition, outputs);
        add(l, "their biases", outputs, 0, bndi_block_part_has_bias(b, part) ? copies : 0, inputs > 0 && !after_sum);
    }
}

/* Parts of the same shape and blocks are one entry: the gate and what it multiplies, norms. */
size_t bndi_weights_of_transformer(bnd_weight *out, const bnd_trained *t)
{
    const bndi_blocks b = blocks_of(t);
    list l = {out, 0};
    add(&l, "tokens", t->vocabulary, t->width, 1, true);
    add(&l, "positions", b.positions, t->width, b.learned, false);
    add_part(&l, &b, BNDI_Q, t->depth);
    add_part(&l, &b, BNDI_K, t->depth);
    add_part(&l, &b, BNDI_V, t->depth);
    add_part(&l, &b, BNDI_NORM_Q, 2 * t->depth);
    add_part(&l, &b, BNDI_PROJECTION, t->depth);
    add_part(&l, &b, BNDI_MLP_UP, (1 + (uint64_t)b.gated) * t->depth);
    add_part(&l, &b, BNDI_MLP_DOWN, t->depth);
    add_part(&l, &b, BNDI_NORM1, 2 * t->depth + 1);
    add(&l, "head", t->vocabulary, t->width, !t->tied, true);
    return l.count;
}

static uint64_t layers_of_block(const bndi_blocks *b)
{
    return (b->separate ? 4u : 2u) + (b->gated ? 3u : 2u);
}

uint64_t bndi_layers_of_transformer(const bnd_trained *t)
{
    const bndi_blocks b = blocks_of(t);
    return layers_of_block(&b) * t->depth + 1;
}

/* Heads side by side: a copy, but where one head, one position or one element leaves them as they lie. */
static bndi_paper side_by_side(bndi_book *b, bndi_paper *mixed, const bndi_blocks *k, size_t context, size_t batch)
{
    const bool moves = k->heads > 1 && context > 1 && k->head > 1;
    bndi_paper y;
    bndi_shape s = bndi_paper_shape(3, batch, context, k->heads * k->head, 0);
    if (moves) {
        bndi_paper_apply(b, &y, BND_TENSOR_OP_COPY, false, mixed, NULL, &s);
        y.format = mixed->format; /* a copy is told its format */
    } else {
        y = *mixed;
        y.shape = s;
    }
    return y;
}

/* Queries or keys: a view of the product, then maybe a norm and rotated. Of the steps between, all stay in place. */
typedef struct turned {
    bndi_paper product, view, normed, rotated, last;
} turned;

static void turn(bndi_book *b, turned *t, bndi_paper *product, const bndi_shape *seen, const bndi_shape *last,
                 const bndi_blocks *k)
{
    bndi_paper *at = &t->view;
    bndi_paper_view(at, product, seen);
    if (k->normed) {
        t->normed = bndi_paper_norm(b, at, k->centred);
        at = &t->normed;
    }
    if (k->rotated) {
        t->rotated = bndi_paper_map(b, BND_TENSOR_OP_ROPE, at);
        at = &t->rotated;
    }
    bndi_paper_view(&t->last, at, last);
}

static bndi_paper attention_weights(bndi_book *b, bndi_paper *masked, const bndi_blocks *k)
{
    if (!k->rooted) {
        return bndi_paper_map(b, BND_TENSOR_OP_SOFTMAX, masked);
    }
    bndi_paper logarithm = bndi_paper_map(b, BND_TENSOR_OP_LOG_SOFTMAX, masked),
               half = bndi_paper_map(b, BND_TENSOR_OP_SCALE, &logarithm);
    return bndi_paper_map(b, BND_TENSOR_OP_EXP, &half);
}

static bndi_paper attention(bndi_book *b, bndi_paper *x, const bnd_trained *t, const bndi_blocks *k, size_t batch,
                            uint64_t layer)
{
    const size_t e = k->head, s = t->context, kv = k->kv_heads;
    const bndi_shape of_q = bndi_paper_shape(4, batch, k->heads, s, e), of_k = bndi_paper_shape(4, batch, kv, s, e);
    const bndi_shape k_turned = bndi_paper_shape(4, batch, kv, e, s),
                     square = bndi_paper_shape(4, batch, k->heads, s, s);
    bndi_paper all[3], v, mixed, out, scores;
    turned of[2];
    bndi_paper_linear(b, &all[0], x, k->separate ? k->heads * e : (k->heads + 2 * kv) * e, layer);
    for (size_t i = 1; k->separate && i < 3; i++) {
        bndi_paper_linear(b, &all[i], x, kv * e, layer + i);
    }
    turn(b, &of[0], &all[0], &of_q, &of_q, k);
    turn(b, &of[1], &all[k->separate ? 1 : 0], &of_k, &k_turned, k);
    bndi_paper_view(&v, &all[k->separate ? 2 : 0], &of_k);
    bndi_paper_attention(b, &scores, BND_ROLE_ATTN_S, &of[0].last, &of[1].last, &square);
    bndi_paper scaled = bndi_paper_map(b, BND_TENSOR_OP_SCALE, &scores),
               masked = bndi_paper_map(b, BND_TENSOR_OP_MASKED, &scaled);
    bndi_paper weights = attention_weights(b, &masked, k);
    bndi_paper_attention(b, &mixed, BND_ROLE_ATTN_O, &weights, &v, &of_q);
    bndi_paper joined = side_by_side(b, &mixed, k, t->context, batch);
    bndi_paper_linear(b, &out, &joined, t->width, layer + (k->separate ? 3 : 1));
    return out;
}

static bndi_paper gated(bndi_book *b, bndi_paper *x, const bndi_blocks *k, uint64_t layer)
{
    bndi_paper gate, up, down;
    bndi_paper_linear(b, &gate, x, k->inner, layer);
    bndi_paper share = bndi_paper_map(b, k->activation, &gate);
    bndi_paper_linear(b, &up, x, k->inner, layer + 1);
    bndi_paper y = bndi_paper_pair(b, BND_TENSOR_OP_MUL, &share, &up);
    bndi_paper_linear(b, &down, &y, k->width, layer + 2);
    return down;
}

static bndi_paper unit_sum(bndi_book *b, bndi_paper *x, bndi_paper *branch, const bndi_blocks *k)
{
    bndi_paper normed = bndi_paper_norm(b, branch, k->centred), share = bndi_paper_map(b, BND_TENSOR_OP_SCALE, &normed),
               rest = bndi_paper_map(b, BND_TENSOR_OP_SCALE, x);
    return bndi_paper_pair(b, BND_TENSOR_OP_ADD, &rest, &share);
}

static bndi_paper perceptron(bndi_book *b, bndi_paper *x, const bnd_trained *t, const bndi_blocks *k, uint64_t layer)
{
    return k->gated ? gated(b, x, k, layer) : bndi_paper_mlp(b, x, t->width, k->inner, k->activation, layer);
}

static bndi_paper block(bndi_book *b, bndi_paper *x, const bnd_trained *t, size_t batch, uint64_t index)
{
    const bndi_blocks k = blocks_of(t);
    const uint64_t layer = layers_of_block(&k) * index + t->tied; /* a table that is the head, too, is the first */
    const uint64_t of_mlp = layer + (k.separate ? 4 : 2);
    if (k.unit) {
        bndi_paper mixed = attention(b, x, t, &k, batch, layer), middle = unit_sum(b, x, &mixed, &k);
        bndi_paper changed = perceptron(b, &middle, t, &k, of_mlp);
        return unit_sum(b, &middle, &changed, &k);
    }
    bndi_paper first = bndi_paper_norm(b, x, k.centred), step = attention(b, &first, t, &k, batch, layer);
    bndi_paper between = bndi_paper_pair(b, BND_TENSOR_OP_ADD, x, &step),
               second = bndi_paper_norm(b, &between, k.centred);
    bndi_paper other = perceptron(b, &second, t, &k, of_mlp);
    return bndi_paper_pair(b, BND_TENSOR_OP_ADD, &between, &other);
}

static void head(bndi_book *b, bndi_paper *x, const bnd_trained *t, size_t batch)
{
    const bndi_blocks k = blocks_of(t);
    bndi_paper last = bndi_paper_norm(b, x, k.centred), logits, targets = bndi_paper_data(b, batch * t->context, 1);
    bndi_paper_linear(b, &logits, &last, t->vocabulary, t->tied ? 0 : layers_of_block(&k) * t->depth);
    if (t->blocks.z_loss > 0) {
        bndi_shape rows = bndi_paper_shape(2, batch, t->context, 0, 0);
        bndi_paper z;
        bndi_paper_apply(b, &z, BND_TENSOR_OP_LOGSUMEXP, true, &logits, NULL, &rows);
        bndi_paper square = bndi_paper_same(b, BND_TENSOR_OP_POW, true, &z, NULL);
        bndi_paper_sum(b, BND_TENSOR_OP_MEAN, &square, NULL);
    }
    bndi_paper_sum(b, BND_TENSOR_OP_CROSS_ENTROPY, &logits, &targets);
}

static double all_of(const bndi_book *b)
{
    return b->tensors + b->beside;
}

/* Of a stack that is computed again, a block saves its input. The most is there when the loss has been computed, or
 * when the last block has been computed again: what comes after it has been released by then. */
void bndi_loss_of_transformer(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_shape s = bndi_paper_shape(3, batch, t->context, t->width, 0);
    bndi_paper table = bndi_paper_of(b, BND_ROLE_PARAM, &s), symbols = bndi_paper_data(b, batch, t->context), in;
    bndi_paper_apply(b, &in, BND_TENSOR_OP_EMBEDDING, false, &table, &symbols, &s);
    in = blocks_of(t).learned ? bndi_paper_pair(b, BND_TENSOR_OP_ADD, &in, &table) : in;
    bndi_book then = *b;
    for (uint64_t i = 0; i < t->depth; i++) {
        if (b->again) {
            bndi_paper_keep(b, &in);
        }
        then = *b;
        bndi_paper next = block(&then, &in, t, batch, i);
        b->block = then.tensors - b->tensors;
        b->histories = then.histories;
        if (!b->again) {
            b->tensors = then.tensors;
            b->beside = then.beside;
        }
        in = next;
    }
    head(b, &in, t, batch);
    if (b->again && all_of(&then) > all_of(b)) {
        b->tensors = then.tensors;
        b->beside = then.beside;
    }
}
