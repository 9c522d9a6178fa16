/* A language model: embeddings, blocks of attention and an MLP, each behind a layer norm, and a head, which may be the
 * embedding table. */
#include "train/train.h"

#include <stdio.h>
#include <string.h>

static void usual(bnd_training *t)
{
    t->width = t->width != 0 ? t->width : 64;
    t->depth = t->depth != 0 ? t->depth : 2;
    t->heads = t->heads != 0 ? t->heads : 4;
    t->context = t->context != 0 ? t->context : 32;
    t->batch = 16;
    strcpy(t->source, bndi_text_copy.name);
}

/* ---- parameters: 2 for the embeddings, 12 a block, 3 for the end (2 where the head is the table) ---- */

enum { TOKENS, POSITIONS, BLOCKS };
enum { NORM1, QKV = 2, PROJECTION = 4, NORM2 = 6, UP = 8, DOWN = 10, PER_BLOCK = 12 };

static const char *name_of(char *name, size_t block, const char *part, const char *kind)
{
    snprintf(name, BNDI_PARAMETER_NAME, "blocks.%zu.%s.%s", block, part, kind);
    return name;
}

static void add_norm(bndi_graph *g, size_t block, const char *part)
{
    char name[BNDI_PARAMETER_NAME];
    bndi_add_vector(g, name_of(name, block, part, "gain"), g->run->training.width, 1);
    bndi_add_vector(g, name_of(name, block, part, "bias"), g->run->training.width, 0);
}

static void add_dense(bndi_graph *g, size_t block, const char *part, size_t outputs, size_t inputs, double deviation)
{
    char name[BNDI_PARAMETER_NAME];
    bndi_add_matrix(g, name_of(name, block, part, "weight"), outputs, inputs, deviation, BNDI_HIDDEN);
    bndi_add_vector(g, name_of(name, block, part, "bias"), outputs, 0);
}

static void add_block(bndi_graph *g, size_t block)
{
    size_t d = g->run->training.width;
    double usual_deviation = 0.02, of_residuals = 0.02 / __builtin_sqrt(2 * (double)g->run->training.depth);
    add_norm(g, block, "norm1");
    add_dense(g, block, "qkv", 3 * d, d, usual_deviation);
    add_dense(g, block, "projection", d, d, of_residuals);
    add_norm(g, block, "norm2");
    add_dense(g, block, "up", 4 * d, d, usual_deviation);
    add_dense(g, block, "down", d, 4 * d, of_residuals);
}

static void build(bndi_graph *g)
{
    const bnd_training *t = &g->run->training;
    size_t d = t->width, v = t->vocabulary;
    if (t->depth > BNDI_MODEL_DEPTH) {
        g->status = bnd_fail(g->why, BND_BAD_ARGUMENT, 0, "depth must be at most %d blocks for a transformer, not %zu",
                             BNDI_MODEL_DEPTH, t->depth);
        return;
    }
    if (t->heads == 0 || d % t->heads != 0) {
        g->status = bnd_fail(g->why, BND_BAD_ARGUMENT, 0, "width %zu is not divisible by %zu heads", d, t->heads);
        return;
    }
    bndi_add_matrix(g, "tokens", v, d, 0.02, t->tied ? BNDI_OUTER : BNDI_TABLE); /* as a head it decays */
    if (g->status == BND_OK) {
        g->run->parameter[g->run->parameters - 1].looked_up = true;
    }
    bndi_add_matrix(g, "positions", t->context, d, 0.02, BNDI_TABLE);
    for (size_t block = 0; block < t->depth; block++) {
        add_block(g, block);
    }
    bndi_add_vector(g, "norm.gain", d, 1);
    bndi_add_vector(g, "norm.bias", d, 0);
    if (!t->tied) {
        bndi_add_matrix(g, "head", v, d, 0.02, BNDI_OUTER);
    }
}

/* ---- the way forward ---- */

static bnd_tensor *attention(bndi_graph *g, bnd_tensor *x, size_t first)
{
    const bnd_training *t = &g->run->training;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "part=3 head=%zu", t->heads);
    bnd_tensor *all = bndi_dense(g, x, first + QKV);
    bnd_tensor *heads = bndi_rearranged(g, all, "b t (part head e) -> part b head t e", sizes);
    bnd_tensor *q = bndi_graph_part(g, bndi_again(heads), 0), *k = bndi_graph_part(g, bndi_again(heads), 1);
    bnd_tensor *v = bndi_graph_part(g, heads, 2);
    bnd_tensor *scores = bndi_attention(g, BND_ROLE_ATTN_S, q, bndi_turned(g, k));
    scores = bndi_with(g, BND_TENSOR_OP_SCALE, scores, 1 / __builtin_sqrt((double)(t->width / t->heads)));
    bnd_tensor *weights = bndi_map(g, BND_TENSOR_OP_SOFTMAX, bndi_with(g, BND_TENSOR_OP_MASKED, scores, 0));
    bnd_tensor *mixed = bndi_attention(g, BND_ROLE_ATTN_O, weights, v);
    mixed = bndi_rearranged(g, mixed, "b head t e -> b t (head e)", NULL);
    return bndi_dense(g, mixed, first + PROJECTION);
}

static bnd_tensor *perceptron(bndi_graph *g, bnd_tensor *x, size_t first)
{
    return bndi_dense(g, bndi_map(g, BND_TENSOR_OP_GELU, bndi_dense(g, x, first + UP)), first + DOWN);
}

static bnd_tensor *block_of(bndi_graph *g, bnd_tensor *x, size_t first)
{
    x = bndi_pair(g, BND_TENSOR_OP_ADD, x, attention(g, bndi_norm(g, bndi_again(x), first + NORM1), first));
    return bndi_pair(g, BND_TENSOR_OP_ADD, x, perceptron(g, bndi_norm(g, bndi_again(x), first + NORM2), first));
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
    *data = (bndi_block_data){g->run, BLOCKS + index * PER_BLOCK};
    if (!g->run->training.recompute) {
        return block_of(g, x, data->first);
    }
    if (g->status == BND_OK) {
        g->status = bnd_tensor_checkpoint(&y, segment, data, &x, 1, g->why);
    }
    bndi_use_up(&x, 1);
    return y;
}

static bnd_tensor *loss(bndi_graph *g, const bndi_batch *batch)
{
    const bnd_training *t = &g->run->training;
    size_t end = BLOCKS + t->depth * PER_BLOCK;
    bnd_tensor *x = bndi_pair(g, BND_TENSOR_OP_EMBEDDING, bndi_weight(g, TOKENS), batch->x);
    x = bndi_pair(g, BND_TENSOR_OP_ADD, x, bndi_weight(g, POSITIONS));
    for (size_t i = 0; i < t->depth; i++) {
        x = block(g, x, i);
    }
    bnd_tensor *logits = bndi_dense_bare(g, bndi_norm(g, x, end), t->tied ? TOKENS : end + 2);
    return bndi_pair(g, BND_TENSOR_OP_CROSS_ENTROPY, logits, batch->y);
}

const bndi_model_row bndi_transformer_row = {.name = "transformer",
                                             .title = "a small GPT on text, generated or from a file",
                                             .usual = usual,
                                             .stride = 3,
                                             .build = build,
                                             .loss = loss};
