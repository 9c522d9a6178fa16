/* Language models: embeddings, blocks of attention and an MLP, each behind a norm, and a head, which may be the
 * embedding table. One file for all: the blocks follow the training's options (tensor/transformer.h), and a model says
 * how its parameters are called. gpt2 and llama have the names and shapes of Hugging Face's checkpoints. */
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

typedef struct spelling {
    const char *tokens, *positions, *block, *gain, *norm, *head;
    const char *part[BNDI_PARTS];
} spelling;

static const spelling own = {.tokens = "tokens",
                             .positions = "positions",
                             .block = "blocks",
                             .gain = "gain",
                             .norm = "norm",
                             .head = "head",
                             .part = {[BNDI_NORM1] = "norm1",
                                      [BNDI_Q] = "qkv",
                                      [BNDI_NORM_Q] = "q_norm",
                                      [BNDI_NORM_K] = "k_norm",
                                      [BNDI_PROJECTION] = "projection",
                                      [BNDI_NORM2] = "norm2",
                                      [BNDI_GATE] = "gate",
                                      [BNDI_MLP_UP] = "up",
                                      [BNDI_MLP_DOWN] = "down"}};

static const spelling of_gpt2 = {.tokens = "transformer.wte.weight",
                                 .positions = "transformer.wpe.weight",
                                 .block = "transformer.h",
                                 .gain = "weight",
                                 .norm = "transformer.ln_f",
                                 .head = "lm_head.weight",
                                 .part = {[BNDI_NORM1] = "ln_1",
                                          [BNDI_Q] = "attn.c_attn",
                                          [BNDI_NORM_Q] = "attn.q_norm",
                                          [BNDI_NORM_K] = "attn.k_norm",
                                          [BNDI_PROJECTION] = "attn.c_proj",
                                          [BNDI_NORM2] = "ln_2",
                                          [BNDI_GATE] = "mlp.c_gate",
                                          [BNDI_MLP_UP] = "mlp.c_fc",
                                          [BNDI_MLP_DOWN] = "mlp.c_proj"}};

static const spelling of_llama = {.tokens = "model.embed_tokens.weight",
                                  .positions = "model.embed_positions.weight",
                                  .block = "model.layers",
                                  .gain = "weight",
                                  .norm = "model.norm",
                                  .head = "lm_head.weight",
                                  .part = {[BNDI_NORM1] = "input_layernorm",
                                           [BNDI_Q] = "self_attn.q_proj",
                                           [BNDI_K] = "self_attn.k_proj",
                                           [BNDI_V] = "self_attn.v_proj",
                                           [BNDI_NORM_Q] = "self_attn.q_norm",
                                           [BNDI_NORM_K] = "self_attn.k_norm",
                                           [BNDI_PROJECTION] = "self_attn.o_proj",
                                           [BNDI_NORM2] = "post_attention_layernorm",
                                           [BNDI_GATE] = "mlp.gate_proj",
                                           [BNDI_MLP_UP] = "mlp.up_proj",
                                           [BNDI_MLP_DOWN] = "mlp.down_proj"}};

/* ---- parameters: the tables, the blocks, the last norm, and the head where it is not the table ---- */

static void usual(bnd_training *t)
{
    t->width = t->width != 0 ? t->width : 64;
    t->depth = t->depth != 0 ? t->depth : 2;
    t->heads = t->heads != 0 ? t->heads : 4;
    t->context = t->context != 0 ? t->context : 32;
    t->batch = 16;
    strcpy(t->source, bndi_text_copy.name);
}

static void usual_gpt2(bnd_training *t)
{
    usual(t);
    t->tied = true;
}

static void add_norm(bndi_graph *g, const char *name, const char *gain, size_t n, bool biased)
{
    char whole[BNDI_PARAMETER_NAME];
    snprintf(whole, sizeof whole, "%s.%s", name, gain);
    bndi_add_vector(g, whole, n, 1);
    if (biased) {
        snprintf(whole, sizeof whole, "%s.bias", name);
        bndi_add_vector(g, whole, n, 0);
    }
}

/* Of initial matrices. */
static double deviation_of(const bndi_graph *g)
{
    const double given = g->run->training.blocks.deviation;
    return given != 0 ? given : g->run->shape.unit ? 1 : 0.02;
}

static void add_part(bndi_graph *g, const spelling *s, size_t block, bndi_block_part part)
{
    const bnd_training *t = &g->run->training;
    const bndi_blocks *b = &g->run->shape;
    const double usual_deviation = deviation_of(g);
    const bool residual = !b->unit && (part == BNDI_PROJECTION || part == BNDI_MLP_DOWN);
    size_t outputs, inputs;
    char name[BNDI_PARAMETER_NAME];
    if (!bndi_block_part_shape(&outputs, &inputs, b, part)) {
        return;
    }
    snprintf(name, sizeof name, "%s.%zu.%s.%s", s->block, block, s->part[part], inputs == 0 ? s->gain : "weight");
    if (inputs == 0) {
        bndi_add_vector(g, name, outputs, 1);
    } else {
        const bndi_partition partition = bndi_block_part_partition(b, part);
        bndi_add_divided(g, name, b->by_inputs ? inputs : outputs, b->by_inputs ? outputs : inputs,
                         residual ? usual_deviation / __builtin_sqrt(2 * (double)t->depth) : usual_deviation,
                         BNDI_HIDDEN, &partition);
    }
    if (bndi_block_part_has_bias(b, part)) {
        snprintf(name, sizeof name, "%s.%zu.%s.bias", s->block, block, s->part[part]);
        bndi_add_vector(g, name, outputs, 0);
    }
}

static void add_all(bndi_graph *g, const spelling *s)
{
    const bnd_training *t = &g->run->training;
    const bndi_blocks *b = &g->run->shape;
    const double deviation = deviation_of(g);
    bndi_add_matrix(g, s->tokens, t->vocabulary, t->width, deviation, t->tied ? BNDI_OUTER : BNDI_TABLE);
    if (g->status == BND_OK) {
        g->run->parameter[g->run->parameters - 1].looked_up = true;
    }
    if (b->learned) {
        bndi_add_matrix(g, s->positions, b->positions, t->width, deviation, BNDI_TABLE);
    }
    for (size_t block = 0; g->status == BND_OK && block < t->depth; block++) {
        for (bndi_block_part part = 0; part < BNDI_PARTS; part++) {
            add_part(g, s, block, part);
        }
    }
    add_norm(g, s->norm, s->gain, t->width, b->biased && b->centred);
    if (!t->tied) {
        bndi_add_matrix(g, s->head, t->vocabulary, t->width, deviation, BNDI_OUTER);
    }
}

static size_t per_block(const bndi_blocks *b)
{
    size_t n = 0;
    for (bndi_block_part part = 0; part < BNDI_PARTS; part++) {
        n += bndi_block_part_tensors(b, part);
    }
    return n;
}

static size_t first_block(const bndi_blocks *b)
{
    return 1 + (size_t)b->learned;
}

/* Where each block's parameters begin. The parameters are there, so that their number bounds the depth. */
static void make_blocks(bndi_graph *g)
{
    const bndi_blocks *b = &g->run->shape;
    const size_t depth = g->run->training.depth;
    if (g->status != BND_OK) {
        return;
    }
    bndi_block_data *blocks = calloc(depth + 1, sizeof *blocks);
    if (blocks == NULL) {
        g->status = bnd_fail(g->why, BND_NO_MEMORY, 0, "no memory for %zu blocks", depth);
        return;
    }
    for (size_t i = 0; i < depth; i++) {
        blocks[i] = (bndi_block_data){g->run, first_block(b) + i * per_block(b)};
    }
    free(g->run->blocks);
    g->run->blocks = blocks;
}

static void build_with(bndi_graph *g, const spelling *s)
{
    const bnd_training *t = &g->run->training;
    g->status = bndi_blocks_of(&g->run->shape, t->model, &t->blocks, t->width, t->heads, t->context, g->why);
    if (g->status == BND_OK) {
        add_all(g, s);
        make_blocks(g);
    }
}

static void build(bndi_graph *g)
{
    build_with(g, &own);
}

static void build_gpt2(bndi_graph *g)
{
    build_with(g, &of_gpt2);
}

static void build_llama(bndi_graph *g)
{
    build_with(g, &of_llama);
}

/* ---- where they are ---- */

/* The number of a part's weight, of a block whose parameters begin at `first`; its bias is the next. */
static size_t at(const bndi_blocks *b, size_t first, bndi_block_part part)
{
    for (bndi_block_part before = 0; before < part; before++) {
        first += bndi_block_part_tensors(b, before);
    }
    return first;
}

size_t bndi_attention_parameter(const bnd_run *run, size_t block)
{
    const bndi_blocks *b = &run->shape;
    return at(b, run->blocks[block].first, b->normed ? BNDI_NORM_K : b->separate ? BNDI_V : BNDI_Q);
}

/* ---- the forward pass ---- */

static bnd_tensor *dense(bndi_graph *g, bnd_tensor *x, size_t first, bndi_block_part part)
{
    const bndi_blocks *b = &g->run->shape;
    const size_t w = at(b, first, part);
    const bool biased = bndi_block_part_has_bias(b, part);
    size_t outputs = 0, inputs = 1;
    (void)bndi_block_part_shape(&outputs, &inputs, b, part);
    const double factor = b->unit ? 1 / __builtin_sqrt((double)inputs) : 0;
    bnd_tensor *in[] = {x, bndi_weight(g, w), biased ? g->run->parameter[w + 1].value : NULL};
    return bndi_apply(g, BND_TENSOR_OP_LINEAR, in, biased ? 3 : 2,
                      &(bnd_attributes){.flag = b->by_inputs, .number = {factor}});
}

static bnd_tensor *norm(bndi_graph *g, bnd_tensor *x, size_t gain, bool biased)
{
    const bndi_blocks *b = &g->run->shape;
    bnd_tensor *in[] = {x, bndi_weight(g, gain), biased ? g->run->parameter[gain + 1].value : NULL};
    return bndi_apply(g, b->centred ? BND_TENSOR_OP_LAYER_NORM : BND_TENSOR_OP_RMS_NORM, in, biased ? 3 : 2,
                      &(bnd_attributes){.number = {b->epsilon}});
}

static bnd_tensor *norm_of(bndi_graph *g, bnd_tensor *x, size_t first, bndi_block_part part)
{
    const bndi_blocks *b = &g->run->shape;
    return norm(g, x, at(b, first, part), bndi_block_part_has_bias(b, part));
}

/* Columns as heads, of which those that share keys and values are an axis. */
static bnd_tensor *as_heads(bndi_graph *g, bnd_tensor *x, size_t heads)
{
    const size_t kv = g->run->shape.kv_heads;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "kv=%zu group=%zu", kv, heads / kv);
    return bndi_rearranged(g, x, "b t (kv group e) -> b kv group t e", sizes);
}

/* Three parts of the same width, side by side. */
static void split_evenly(bndi_graph *g, bnd_tensor *out[3], bnd_tensor *all)
{
    char sizes[64];
    snprintf(sizes, sizeof sizes, "part=3 kv=%zu group=1", g->run->shape.kv_heads);
    bnd_tensor *heads = bndi_rearranged(g, all, "b t (part kv group e) -> part b kv group t e", sizes);
    out[0] = bndi_graph_part(g, bndi_again(heads), 0);
    out[1] = bndi_graph_part(g, bndi_again(heads), 1);
    out[2] = bndi_graph_part(g, heads, 2);
}

/* Queries, keys and values, as heads. */
static void project(bndi_graph *g, bnd_tensor *out[3], bnd_tensor *x, size_t first)
{
    const bndi_blocks *b = &g->run->shape;
    const size_t q = b->heads * b->head, kv = b->kv_heads * b->head;
    if (b->separate) {
        out[0] = as_heads(g, dense(g, bndi_again(x), first, BNDI_Q), b->heads);
        out[1] = as_heads(g, dense(g, bndi_again(x), first, BNDI_K), b->kv_heads);
        out[2] = as_heads(g, dense(g, x, first, BNDI_V), b->kv_heads);
        return;
    }
    bnd_tensor *all = dense(g, x, first, BNDI_Q);
    if (b->kv_heads == b->heads) {
        split_evenly(g, out, all);
    } else {
        out[0] = as_heads(g, bndi_columns_of(g, bndi_again(all), 0, q), b->heads);
        out[1] = as_heads(g, bndi_columns_of(g, bndi_again(all), q, kv), b->kv_heads);
        out[2] = as_heads(g, bndi_columns_of(g, all, q + kv, kv), b->kv_heads);
    }
}

/* Queries or keys, normed and turned where the options say so. */
static bnd_tensor *placed(bndi_graph *g, bnd_tensor *x, size_t first, bndi_block_part part)
{
    const bndi_blocks *b = &g->run->shape;
    x = b->normed ? norm_of(g, x, first, part) : x;
    const bnd_attributes how = {.number = {b->theta, b->scaling[0], b->scaling[1], b->scaling[2]}};
    return b->rotated ? bndi_apply(g, BND_TENSOR_OP_ROPE, &x, 1, &how) : x;
}

/* The root is taken of the logarithm, which has a gradient where a weight is 0. */
static bnd_tensor *attention_weights(bndi_graph *g, bnd_tensor *scores)
{
    if (!g->run->shape.rooted) {
        return bndi_map(g, BND_TENSOR_OP_SOFTMAX, scores);
    }
    return bndi_map(g, BND_TENSOR_OP_EXP,
                    bndi_with(g, BND_TENSOR_OP_SCALE, bndi_map(g, BND_TENSOR_OP_LOG_SOFTMAX, scores), 0.5));
}

static bnd_tensor *attention(bndi_graph *g, bnd_tensor *x, size_t first)
{
    const bndi_blocks *b = &g->run->shape;
    bnd_tensor *part[3];
    project(g, part, x, first);
    bnd_tensor *q = placed(g, part[0], first, BNDI_NORM_Q), *k = placed(g, part[1], first, BNDI_NORM_K), *v = part[2];
    bnd_tensor *scores = bndi_attention(g, BND_ROLE_ATTN_S, q, bndi_turned(g, k));
    scores = bndi_with(g, BND_TENSOR_OP_SCALE, scores, 1 / __builtin_sqrt((double)b->head));
    bnd_tensor *weights = attention_weights(g, bndi_with(g, BND_TENSOR_OP_MASKED, scores, 0));
    bnd_tensor *mixed = bndi_attention(g, BND_ROLE_ATTN_O, weights, v);
    mixed = bndi_rearranged(g, mixed, "b kv group t e -> b t (kv group e)", NULL);
    return dense(g, mixed, first, BNDI_PROJECTION);
}

static bnd_tensor *perceptron(bndi_graph *g, bnd_tensor *x, size_t first)
{
    const bndi_blocks *b = &g->run->shape;
    if (!b->gated) {
        return dense(g, bndi_map(g, b->activation, dense(g, x, first, BNDI_MLP_UP)), first, BNDI_MLP_DOWN);
    }
    bnd_tensor *gate = bndi_map(g, b->activation, dense(g, bndi_again(x), first, BNDI_GATE));
    bnd_tensor *inner = bndi_pair(g, BND_TENSOR_OP_MUL, gate, dense(g, x, first, BNDI_MLP_UP));
    return dense(g, inner, first, BNDI_MLP_DOWN);
}

/* sqrt(1 - tau) x + sqrt(tau) norm(branch): a variance of 1 stays one. */
static bnd_tensor *unit_sum(bndi_graph *g, bnd_tensor *x, bnd_tensor *branch, size_t first, bndi_block_part part)
{
    const double tau = g->run->shape.tau;
    branch = bndi_with(g, BND_TENSOR_OP_SCALE, norm_of(g, branch, first, part), __builtin_sqrt(tau));
    return bndi_pair(g, BND_TENSOR_OP_ADD, bndi_with(g, BND_TENSOR_OP_SCALE, x, __builtin_sqrt(1 - tau)), branch);
}

static bnd_tensor *block_of(bndi_graph *g, bnd_tensor *x, size_t first)
{
    if (g->run->shape.unit) {
        x = unit_sum(g, x, attention(g, bndi_again(x), first), first, BNDI_NORM1);
        return unit_sum(g, x, perceptron(g, bndi_again(x), first), first, BNDI_NORM2);
    }
    bnd_tensor *y = norm_of(g, bndi_again(x), first, BNDI_NORM1);
    x = bndi_pair(g, BND_TENSOR_OP_ADD, x, attention(g, y, first));
    y = norm_of(g, bndi_again(x), first, BNDI_NORM2);
    return bndi_pair(g, BND_TENSOR_OP_ADD, x, perceptron(g, y, first));
}

static bnd_status segment(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why)
{
    const bndi_block_data *b = data;
    bndi_graph g = {.run = b->run, .why = why};
    (void)count;
    bnd_tensor *y = block_of(&g, bndi_again(in[0]), b->first);
    if (g.status == BND_OK) {
        *out = y;
    }
    return g.status;
}

static bnd_tensor *block(bndi_graph *g, bnd_tensor *x, size_t index)
{
    bndi_block_data *data = &g->run->blocks[index];
    bnd_tensor *y = NULL;
    if (!g->run->training.recompute) {
        return block_of(g, x, data->first);
    }
    if (g->status == BND_OK) {
        g->status = bnd_tensor_checkpoint(&y, segment, data, &x, 1, g->why);
    }
    bndi_use_up(&x, 1);
    return y;
}

/* The rows of the table that a sequence has. */
static bnd_tensor *positions(bndi_graph *g)
{
    bnd_tensor *all = bndi_weight(g, 1), *first = NULL;
    const size_t context = g->run->training.context;
    if (context == g->run->shape.positions) {
        return all;
    }
    if (g->status == BND_OK) {
        g->status = bnd_tensor_slice(&first, all, 0, 0, context, 1, g->why);
    }
    return first;
}

/* The loss on z is not part of what is validated: that is the cross entropy alone. */
static bnd_tensor *with_loss_on_z(bndi_graph *g, bnd_tensor *loss, bnd_tensor *logits)
{
    const double coefficient = g->run->training.blocks.z_loss;
    bnd_tensor *z = bndi_apply(g, BND_TENSOR_OP_LOGSUMEXP, &logits, 1, &(bnd_attributes){.axis = {-1}, .axes = 1});
    z = bndi_careful_map(g, BND_TENSOR_OP_MEAN, bndi_careful_with(g, BND_TENSOR_OP_POW, z, 2));
    z = bndi_careful_with(g, BND_TENSOR_OP_SCALE, z, coefficient);
    return bndi_careful_pair(g, BND_TENSOR_OP_ADD, loss, z);
}

static bnd_tensor *loss(bndi_graph *g, const bndi_batch *batch)
{
    const bnd_training *t = &g->run->training;
    const bndi_blocks *b = &g->run->shape;
    const size_t end = first_block(b) + t->depth * per_block(b);
    const bool last_bias = b->biased && b->centred, on_z = t->blocks.z_loss > 0 && bnd_engine_tape(g->run->engine);
    bnd_tensor *x = bndi_pair(g, BND_TENSOR_OP_EMBEDDING, bndi_weight(g, 0), batch->x);
    x = b->learned ? bndi_pair(g, BND_TENSOR_OP_ADD, x, positions(g)) : x;
    for (size_t i = 0; i < t->depth; i++) {
        x = block(g, x, i);
    }
    const size_t of_head = t->tied ? 0 : end + 1 + (size_t)last_bias;
    x = norm(g, x, end, last_bias);
    bnd_tensor *logits = bndi_apply(g, BND_TENSOR_OP_LINEAR, (bnd_tensor *[]){x, bndi_weight(g, of_head)}, 2,
                                    &(bnd_attributes){.number = {b->unit ? 1 / (double)b->width : 0}});
    bnd_tensor *again = on_z ? bndi_again(logits) : NULL;
    bnd_tensor *entropy = bndi_pair(g, BND_TENSOR_OP_CROSS_ENTROPY, logits, batch->y);
    return on_z ? with_loss_on_z(g, entropy, again) : entropy;
}

const bndi_model_row bndi_transformer_row = {.name = "transformer",
                                             .title = "a small GPT on text, generated or from a file",
                                             .uses = BNDI_DEPTH | BNDI_OF_TRANSFORMER,
                                             .has = BNDI_HAS_NORMS,
                                             .usual = usual,
                                             .stride = 3,
                                             .build = build,
                                             .loss = loss};
const bndi_model_row bndi_gpt2_row = {.name = "gpt2",
                                      .title = "GPT-2's blocks and names, at the sizes of a config",
                                      .uses = BNDI_DEPTH | BNDI_OF_TRANSFORMER,
                                      .has = BNDI_HAS_NORMS,
                                      .usual = usual_gpt2,
                                      .stride = 3,
                                      .build = build_gpt2,
                                      .loss = loss};
const bndi_model_row bndi_llama_row = {.name = "llama",
                                       .title = "Llama's blocks and names, at the sizes of a config",
                                       .uses = BNDI_DEPTH | BNDI_OF_TRANSFORMER,
                                       .has = BNDI_HAS_NORMS,
                                       .usual = usual,
                                       .stride = 3,
                                       .build = build_llama,
                                       .loss = loss};
