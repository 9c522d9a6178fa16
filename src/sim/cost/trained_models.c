/* The models of <binade-lab/train.h> without numbers: their parameters, and what a batch saves for the backward pass.
 * Each formula has the operations of train/model_*.c in their order. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "cost/paper.h"

#include <string.h>

#include "base/base.h"

enum { CLASSES = 10 };

typedef struct model {
    const char *name;
    size_t (*weights)(bnd_weight *out, const bnd_trained *t);
    uint64_t (*layers)(const bnd_trained *t); /* products with weights that decay */
    void (*loss)(bndi_book *b, const bnd_trained *t, size_t batch);
    bool stacks; /* blocks, which can be computed again */
} model;

static void half_mean_square(bndi_book *b, bndi_paper *x, bndi_paper *y)
{
    bndi_paper difference = bndi_paper_same(b, BND_TENSOR_OP_SUB, true, x, y);
    bndi_paper square = bndi_paper_same(b, BND_TENSOR_OP_POW, true, &difference, NULL);
    bndi_paper_sum(b, BND_TENSOR_OP_MEAN, &square, NULL);
}

/* ---- least squares ---- */

static size_t weights_of_linear(bnd_weight *out, const bnd_trained *t)
{
    out[0] = (bnd_weight){"w", 1, t->width, 1, false, false, 0};
    out[1] = (bnd_weight){"b", 1, 0, 1, false, false, 0};
    return 2;
}

static uint64_t one_layer(const bnd_trained *t)
{
    (void)t;
    return 1;
}

static void loss_of_linear(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_paper x = bndi_paper_data(b, batch, t->width), y = bndi_paper_data(b, batch, 1), z;
    bndi_paper_linear(b, &z, &x, 1, 0);
    half_mean_square(b, &z, &y);
}

/* ---- an MLP with hidden layers ---- */

static size_t weights_of_mlp(bnd_weight *out, const bnd_trained *t)
{
    bool hidden = t->depth > 0;
    out[0] = (bnd_weight){"the first layer", hidden ? t->width : CLASSES, t->inputs, 1, false, false, 0};
    out[1] = (bnd_weight){"its bias", out[0].rows, 0, 1, false, false, 0};
    if (!hidden) {
        return 2;
    }
    out[2] = (bnd_weight){"hidden layers", t->width, t->width, t->depth - 1, false, true, 0};
    out[3] = (bnd_weight){"their biases", t->width, 0, t->depth - 1, false, false, 0};
    out[4] = (bnd_weight){"the last layer", CLASSES, t->width, 1, false, false, 0};
    out[5] = (bnd_weight){"its bias", CLASSES, 0, 1, false, false, 0};
    return 6;
}

static uint64_t layers_of_mlp(const bnd_trained *t)
{
    return t->depth + 1;
}

static void loss_of_mlp(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_paper x = bndi_paper_data(b, batch, t->inputs), inner, y = bndi_paper_data(b, batch, 1);
    for (uint64_t layer = 0; layer < t->depth; layer++) {
        bndi_paper_linear(b, &inner, &x, t->width, layer);
        x = bndi_paper_map(b, BND_TENSOR_OP_RELU, &inner);
    }
    bndi_paper_linear(b, &inner, &x, CLASSES, t->depth);
    bndi_paper_sum(b, BND_TENSOR_OP_CROSS_ENTROPY, &inner, &y);
}

/* ---- the other small models ---- */

static void loss_of_logistic(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_paper x = bndi_paper_data(b, batch, t->width), y = bndi_paper_data(b, batch, 1), z;
    bndi_paper_linear(b, &z, &x, 1, 0);
    bndi_paper negative = bndi_paper_map(b, BND_TENSOR_OP_NEG, &z),
               share = bndi_paper_map(b, BND_TENSOR_OP_SIGMOID, &negative);
    bndi_paper weighed = bndi_paper_same(b, BND_TENSOR_OP_MUL, true, &y, &z),
               log = bndi_paper_map(b, BND_TENSOR_OP_LOG, &share);
    bndi_paper sum = bndi_paper_same(b, BND_TENSOR_OP_ADD, true, &log, &weighed);
    bndi_paper_sum(b, BND_TENSOR_OP_MEAN, &sum, NULL);
}

static size_t weights_of_quadratic(bnd_weight *out, const bnd_trained *t)
{
    out[0] = (bnd_weight){"w", t->width, 0, 1, false, false, 1};
    return 1;
}

static void loss_of_quadratic(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_shape s = bndi_paper_shape(1, t->width, 0, 0, 0);
    bndi_paper w = bndi_paper_of(b, BND_ROLE_PARAM, &s), x = bndi_paper_of(b, BND_ROLE_DATA, &s);
    (void)batch;
    half_mean_square(b, &w, &x);
}

static size_t weights_of_student(bnd_weight *out, const bnd_trained *t)
{
    out[0] = (bnd_weight){"norms", t->width, 0, t->depth, false, false, 1};
    out[1] = (bnd_weight){"their biases", t->width, 0, t->depth, false, false, 0};
    out[2] = (bnd_weight){"up", 4 * t->width, t->width, t->depth, false, true, 0};
    out[3] = (bnd_weight){"down", t->width, 4 * t->width, t->depth, false, true, 0};
    return 4;
}

static uint64_t layers_of_student(const bnd_trained *t)
{
    return 2 * t->depth;
}

static void loss_of_student(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_paper a = bndi_paper_data(b, batch, t->width), y = bndi_paper_data(b, batch, t->width);
    for (uint64_t i = 0; i < t->depth; i++) {
        bndi_paper first = bndi_paper_norm(b, &a, true);
        bndi_paper step = bndi_paper_mlp(b, &first, t->width, 4 * t->width, BND_TENSOR_OP_GELU, 2 * i);
        a = bndi_paper_pair(b, BND_TENSOR_OP_ADD, &a, &step);
    }
    half_mean_square(b, &a, &y);
}

/* ---- answers ---- */

static const model models[] = {
    {"transformer", bndi_weights_of_transformer, bndi_layers_of_transformer, bndi_loss_of_transformer, true},
    {"gpt2", bndi_weights_of_transformer, bndi_layers_of_transformer, bndi_loss_of_transformer, true},
    {"llama", bndi_weights_of_transformer, bndi_layers_of_transformer, bndi_loss_of_transformer, true},
    {"mlp", weights_of_mlp, layers_of_mlp, loss_of_mlp, false},
    {"linear", weights_of_linear, one_layer, loss_of_linear, false},
    {"logistic", weights_of_linear, one_layer, loss_of_logistic, false},
    {"quadratic", weights_of_quadratic, one_layer, loss_of_quadratic, false},
    {"student", weights_of_student, layers_of_student, loss_of_student, false},
};
enum { MODELS = sizeof models / sizeof models[0] };

static const model *find(const bnd_trained *t)
{
    for (size_t i = 0; i < MODELS; i++) {
        if (bndi_same_word(t->model, bndi_length(t->model), models[i].name)) {
            return &models[i];
        }
    }
    return NULL;
}

/* Sizes are below 2^24, and no tensor has more than 2^48 elements: nothing overflows. */
static bnd_status check_sizes(const bnd_trained *t, double batch, double inner, bnd_error *why)
{
    const uint64_t most = UINT64_C(1) << 24,
                   sizes[] = {t->width, t->depth, t->heads, t->context, t->vocabulary, t->inputs};
    bool fine = batch >= 1 && batch <= (double)most && t->width > 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fine = fine && sizes[i] <= most;
    }
    double rows = batch * (t->context > 0 ? (double)t->context : 1);
    double widest =
        inner + (double)t->width + (double)t->vocabulary + (double)t->inputs + (double)t->heads * (double)t->context;
    return fine && rows * widest <= 0x1p48
               ? BND_OK
               : bnd_fail(
                     why, BND_BAD_ARGUMENT, 0,
                     "the sizes of a model must be from 1 to 2^24, and its tensors must have at most 2^48 elements");
}

bnd_status bndi_trained_check(const bnd_trained *t, double batch, bnd_recompute recompute, bnd_error *why)
{
    const model *m = find(t);
    if (m == NULL) {
        return bnd_fail(
            why, BND_BAD_NAME, 0,
            "unknown model '%.*s' (available: transformer, gpt2, llama, mlp, linear, logistic, quadratic, student)",
            (int)strnlen(t->model, sizeof t->model), t->model);
    }
    if (recompute == BND_RECOMPUTE_SELECTIVE || (recompute == BND_RECOMPUTE_FULL && !m->stacks)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "binade train recomputes whole blocks of a transformer or nothing: recompute must be %s for %s",
                        m->stacks ? "full or none" : "none", m->name);
    }
    if (m->stacks && (t->heads == 0 || t->context == 0 || t->vocabulary == 0)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a transformer needs heads, a context and a vocabulary");
    }
    bndi_blocks b = {.inner = 4 * t->width};
    bnd_status status = check_sizes(t, batch, 0, why);
    if (status == BND_OK && m->stacks) {
        status = bndi_blocks_of(&b, t->model, &t->blocks, t->width, t->heads, t->context, why);
    }
    return status == BND_OK ? check_sizes(t, batch, (double)b.inner + 3 * (double)(b.heads * b.head), why) : status;
}

size_t bndi_trained_weights(bnd_weight out[BND_ARCHITECTURE_WEIGHTS_MAX], const bnd_trained *t)
{
    return find(t)->weights(out, t);
}

bndi_book bndi_trained_saved(const bnd_trained *t, const bnd_policy *policy, size_t batch, bool again)
{
    const model *m = find(t);
    bndi_book b = {.policy = policy, .again = again, .tied = m->stacks && t->tied, .layers = m->layers(t)};
    m->loss(&b, t, batch);
    return b;
}
