/* A language model: embeddings, blocks of attention and a perceptron, each behind a layer norm, and a head; on text
 * from a Markov chain, whose entropy no loss can go below. */
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>

#include "tensor/maths.h"
#include "tensor/tensor.h"

static void usual(bnd_training *t)
{
    t->width = t->width != 0 ? t->width : 64;
    t->depth = t->depth != 0 ? t->depth : 2;
    t->heads = t->heads != 0 ? t->heads : 4;
    t->context = t->context != 0 ? t->context : 32;
    t->vocabulary = t->vocabulary != 0 ? t->vocabulary : 32;
    t->batch = 16;
}

/* ---- the text: from each symbol to the others with chances of their own, added up row by row ---- */

static double chance(const bnd_run *run, size_t from, size_t to)
{
    const double *row = run->plan + from * run->training.vocabulary;
    return row[to] - (to > 0 ? row[to - 1] : 0);
}

/* Chances as the cubes of uniform numbers: a few symbols are likely after each. */
static void draw_chain(bnd_run *run)
{
    size_t v = run->training.vocabulary;
    for (size_t from = 0; from < v; from++) {
        double sum = 0, *row = run->plan + from * v;
        for (size_t to = 0; to < v; to++) {
            double u =
                (double)(bnd_random(run->training.seed_data, bndi_purpose(BNDI_OF_PLAN, 0), from * v + to) >> 11);
            u *= 0x1p-53;
            sum += u * u * u * u * u * u;
            row[to] = sum;
        }
        for (size_t to = 0; to < v; to++) {
            row[to] /= sum;
        }
    }
}

static double logarithm(const bnd_run *run, double x)
{
    const void *in[3] = {&x};
    double y;
    bndi_maths_of(&run->engine->context)->formula[BNDI_WORDS_64][BNDI_F_log](&y, in, 0, 1);
    return y;
}

/* The entropy of the next symbol, over the shares that the symbols have in the long run. */
static bnd_status measure_chain(bnd_run *run, bnd_error *why)
{
    enum { ROUNDS = 200 };
    size_t v = run->training.vocabulary;
    double *share = malloc(2 * v * sizeof *share), *next = share + v;
    if (share == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a Markov chain");
    }
    for (size_t i = 0; i < v; i++) {
        share[i] = 1 / (double)v;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t to = 0; to < v; to++) {
            next[to] = 0;
            for (size_t from = 0; from < v; from++) {
                next[to] += share[from] * chance(run, from, to);
            }
        }
        __builtin_memcpy(share, next, v * sizeof *share);
    }
    run->floor = 0;
    for (size_t from = 0; from < v; from++) {
        for (size_t to = 0; to < v; to++) {
            double p = chance(run, from, to);
            run->floor -= p > 0 ? share[from] * p * logarithm(run, p) : 0;
        }
    }
    run->ignorance = logarithm(run, (double)v);
    free(share);
    return BND_OK;
}

static size_t draw_next(const bnd_run *run, size_t from, double u)
{
    size_t v = run->training.vocabulary, low = 0, high = v - 1;
    const double *row = run->plan + from * v;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (row[middle] > u) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static bnd_status batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    const bnd_training *t = &run->training;
    size_t n = t->batch * t->context;
    const bnd_format *f = bndi_format_of_words(BNDI_WORDS_32);
    double *x = malloc(2 * n * sizeof *x), *y = x + n;
    if (x == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a batch");
    }
    for (size_t i = 0; i < t->batch; i++) {
        size_t symbol = (size_t)(bnd_random(t->seed_data, purpose, i * (t->context + 1)) % t->vocabulary);
        for (size_t j = 0; j < t->context; j++) {
            uint64_t bits = bnd_random(t->seed_data, purpose, i * (t->context + 1) + j + 1);
            x[i * t->context + j] = (double)symbol;
            symbol = draw_next(run, symbol, (double)(bits >> 11) * 0x1p-53);
            y[i * t->context + j] = (double)symbol;
        }
    }
    size_t shape[] = {t->batch, t->context};
    bnd_status status = bnd_tensor_from_f64(&out->x, run->engine, f, x, shape, 2, BND_ROLE_DATA, why);
    status = status == BND_OK ? bnd_tensor_from_f64(&out->y, run->engine, f, y, shape, 2, BND_ROLE_DATA, why) : status;
    free(x);
    return status;
}

/* ---- parameters: 2 for the embeddings, 12 a block, 3 for the end ---- */

enum { TOKENS, POSITIONS, BLOCKS };
enum { NORM1, QKV = 2, PROJECTION = 4, NORM2 = 6, UP = 8, DOWN = 10, PER_BLOCK = 12 };

static bnd_status add_pair(bnd_run *run, const char *part, size_t block, const size_t *shape, size_t rank,
                           double deviation, double value, bnd_error *why)
{
    char name[BNDI_PARAMETER_NAME];
    snprintf(name, sizeof name, "blocks.%zu.%s.%s", block, part, rank == 2 ? "weight" : "gain");
    bnd_status status = bndi_parameter_add(run, name, shape, rank, deviation, value, rank == 2, why);
    snprintf(name, sizeof name, "blocks.%zu.%s.bias", block, part);
    return status == BND_OK ? bndi_parameter_add(run, name, shape, 1, 0, 0, false, why) : status;
}

static bnd_status add_block(bnd_run *run, size_t block, bnd_error *why)
{
    size_t d = run->training.width;
    double usual_deviation = 0.02, of_residuals = 0.02 / __builtin_sqrt(2 * (double)run->training.depth);
    bnd_status status = add_pair(run, "norm1", block, &d, 1, 0, 1, why);
    status = status == BND_OK ? add_pair(run, "qkv", block, (size_t[]){3 * d, d}, 2, usual_deviation, 0, why) : status;
    status = status == BND_OK ? add_pair(run, "projection", block, (size_t[]){d, d}, 2, of_residuals, 0, why) : status;
    status = status == BND_OK ? add_pair(run, "norm2", block, &d, 1, 0, 1, why) : status;
    status = status == BND_OK ? add_pair(run, "up", block, (size_t[]){4 * d, d}, 2, usual_deviation, 0, why) : status;
    return status == BND_OK ? add_pair(run, "down", block, (size_t[]){d, 4 * d}, 2, of_residuals, 0, why) : status;
}

static bnd_status build(bnd_run *run, bnd_error *why)
{
    const bnd_training *t = &run->training;
    size_t d = t->width, v = t->vocabulary;
    if (t->heads == 0 || d % t->heads != 0 || t->context == 0 || v < 2 || v > 4096 || t->depth > BNDI_DEPTH) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "a transformer needs a width that its heads divide, a context, a vocabulary of 2 to 4096, and "
                        "at most 40 blocks");
    }
    run->plan = calloc(v * v, sizeof *run->plan);
    run->plan_length = v * v;
    if (run->plan == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a Markov chain of %zu symbols", v);
    }
    draw_chain(run);
    bnd_status status = measure_chain(run, why);
    status = status == BND_OK ? bndi_parameter_add(run, "tokens", (size_t[]){v, d}, 2, 0.02, 0, false, why) : status;
    status = status == BND_OK ? bndi_parameter_add(run, "positions", (size_t[]){t->context, d}, 2, 0.02, 0, false, why)
                              : status;
    for (size_t block = 0; status == BND_OK && block < t->depth; block++) {
        status = add_block(run, block, why);
    }
    status = status == BND_OK ? bndi_parameter_add(run, "norm.gain", &d, 1, 0, 1, false, why) : status;
    status = status == BND_OK ? bndi_parameter_add(run, "norm.bias", &d, 1, 0, 0, false, why) : status;
    return status == BND_OK ? bndi_parameter_add(run, "head", (size_t[]){v, d}, 2, 0.02, 0, true, why) : status;
}

/* ---- the way forward ---- */

static bnd_status norm(bnd_tensor **out, bnd_run *run, bnd_tensor *x, size_t first, bnd_error *why)
{
    bnd_attributes attributes = {.number = {1e-5}};
    bnd_tensor *in[] = {x, run->parameter[first].value, run->parameter[first + 1].value};
    bndi_go_to(run, first);
    return bnd_tensor_apply(out, BND_TENSOR_LAYER_NORM, in, 3, &attributes, why);
}

static bnd_status attention(bnd_tensor **out, bnd_run *run, bnd_tensor *x, size_t first, bnd_error *why)
{
    const bnd_training *t = &run->training;
    bnd_tensor *all, *heads, *q, *k, *v, *turned, *scores, *scaled, *masked, *weights, *mixed, *joined;
    bnd_attributes scale = {.number = {1 / __builtin_sqrt((double)(t->width / t->heads))}}, none = {.axes = 0};
    char sizes[64];
    snprintf(sizes, sizeof sizes, "part=3 head=%zu", t->heads);
    bnd_status s = bndi_dense(&all, run, x, first + QKV, why);
    s = s == BND_OK ? bnd_tensor_rearrange(&heads, all, "b t (part head e) -> part b head t e", sizes, why) : s;
    s = s == BND_OK ? bnd_tensor_select(&q, heads, 0, 0, why) : s;
    s = s == BND_OK ? bnd_tensor_select(&k, heads, 0, 1, why) : s;
    s = s == BND_OK ? bnd_tensor_select(&v, heads, 0, 2, why) : s;
    s = s == BND_OK ? bnd_tensor_transpose(&turned, k, -1, -2, why) : s;
    s = s == BND_OK ? bnd_tensor_matmul(&scores, q, turned, why) : s;
    s = s == BND_OK ? bnd_tensor_apply(&scaled, BND_TENSOR_SCALE, &scores, 1, &scale, why) : s;
    s = s == BND_OK ? bnd_tensor_apply(&masked, BND_TENSOR_MASKED, &scaled, 1, &none, why) : s;
    s = s == BND_OK ? bnd_tensor_map(&weights, BND_TENSOR_SOFTMAX, masked, why) : s;
    s = s == BND_OK ? bnd_tensor_matmul(&mixed, weights, v, why) : s;
    s = s == BND_OK ? bnd_tensor_rearrange(&joined, mixed, "b head t e -> b t (head e)", NULL, why) : s;
    return s == BND_OK ? bndi_dense(out, run, joined, first + PROJECTION, why) : s;
}

static bnd_status perceptron(bnd_tensor **out, bnd_run *run, bnd_tensor *x, size_t first, bnd_error *why)
{
    bnd_tensor *up, *bent;
    bnd_status status = bndi_dense(&up, run, x, first + UP, why);
    status = status == BND_OK ? bnd_tensor_map(&bent, BND_TENSOR_GELU, up, why) : status;
    return status == BND_OK ? bndi_dense(out, run, bent, first + DOWN, why) : status;
}

/* x + attention(norm x), and that plus perceptron(norm of that). */
static bnd_status block_of(bnd_tensor **out, bnd_run *run, bnd_tensor *x, size_t first, bnd_error *why)
{
    bnd_tensor *a, *b, *c, *d, *e;
    bnd_status status = norm(&a, run, x, first + NORM1, why);
    status = status == BND_OK ? attention(&b, run, a, first, why) : status;
    status = status == BND_OK ? bnd_tensor_pair(&c, BND_TENSOR_ADD, x, b, why) : status;
    status = status == BND_OK ? norm(&d, run, c, first + NORM2, why) : status;
    status = status == BND_OK ? perceptron(&e, run, d, first, why) : status;
    return status == BND_OK ? bnd_tensor_pair(out, BND_TENSOR_ADD, c, e, why) : status;
}

static bnd_status segment(bnd_tensor **out, bnd_tensor *const *in, size_t count, void *data, bnd_error *why)
{
    const bndi_block_data *b = data;
    (void)count;
    return block_of(out, b->run, in[0], b->first, why);
}

static bnd_status blocks(bnd_tensor **x, bnd_run *run, bndi_block_data *data, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < run->training.depth; i++) {
        bnd_tensor *y = NULL;
        data[i] = (bndi_block_data){run, BLOCKS + i * PER_BLOCK};
        status = run->training.recompute ? bnd_tensor_checkpoint(&y, segment, &data[i], x, 1, why)
                                         : block_of(&y, run, *x, data[i].first, why);
        *x = y;
    }
    return status;
}

static bnd_status loss(bnd_tensor **out, bnd_run *run, const bndi_batch *b, bnd_error *why)
{
    size_t end = BLOCKS + run->training.depth * PER_BLOCK;
    bnd_tensor *tokens, *x, *y, *logits;
    bndi_go_to(run, TOKENS);
    bnd_status status = bnd_tensor_pair(&tokens, BND_TENSOR_EMBEDDING, run->parameter[TOKENS].value, b->x, why);
    bndi_go_to(run, POSITIONS);
    status =
        status == BND_OK ? bnd_tensor_pair(&x, BND_TENSOR_ADD, tokens, run->parameter[POSITIONS].value, why) : status;
    status = status == BND_OK ? blocks(&x, run, run->blocks, why) : status;
    status = status == BND_OK ? norm(&y, run, x, end, why) : status;
    bndi_go_to(run, end + 2);
    status =
        status == BND_OK ? bnd_tensor_pair(&logits, BND_TENSOR_LINEAR, y, run->parameter[end + 2].value, why) : status;
    return status == BND_OK ? bnd_tensor_pair(out, BND_TENSOR_CROSS_ENTROPY, logits, b->y, why) : status;
}

const bndi_model_row bndi_transformer_row = {.name = "transformer",
                                             .title = "a small GPT on text from a Markov chain",
                                             .usual = usual,
                                             .build = build,
                                             .batch = batch,
                                             .loss = loss};
