/* The models of <binade-lab/train.h> without numbers: their parameters, and what a batch saves for the backward pass.
 * Each formula has the operations of train/model_*.c in their order. */
#include "cost/paper.h"

#include "base/base.h"

enum { CLASSES = 10 };

typedef struct model {
    const char *name;
    size_t (*weights)(bnd_weight *out, const bnd_trained *t);
    uint64_t (*layers)(const bnd_trained *t); /* products with weights that decay */
    void (*loss)(bndi_book *b, const bnd_trained *t, size_t batch);
    bool stacks; /* blocks, which can be computed again */
} model;

static bndi_shape shape(size_t rank, size_t first, size_t second, size_t third, size_t fourth)
{
    return (bndi_shape){.rank = rank, .extent = {first, second, third, fourth}};
}

/* operation(x, y), y NULL or of the same shape; of the row's role, or of the role careful. */
static bndi_paper same(bndi_book *b, bnd_tensor_operation operation, bool careful, bndi_paper *x, bndi_paper *y)
{
    bndi_paper z;
    bndi_paper_apply(b, &z, operation, careful, x, y, &x->shape);
    return z;
}

static bndi_paper map(bndi_book *b, bnd_tensor_operation operation, bndi_paper *x)
{
    return same(b, operation, false, x, NULL);
}

static bndi_paper pair(bndi_book *b, bnd_tensor_operation operation, bndi_paper *x, bndi_paper *y)
{
    return same(b, operation, false, x, y);
}

static void sum_up(bndi_book *b, bnd_tensor_operation operation, bndi_paper *x, bndi_paper *y)
{
    bndi_paper z;
    bndi_shape one = shape(0, 0, 0, 0, 0);
    bndi_paper_apply(b, &z, operation, true, x, y, &one);
}

static bndi_paper data(bndi_book *b, size_t rows, size_t columns)
{
    bndi_shape s = shape(2, rows, columns, 0, 0);
    return bndi_paper_of(b, BND_ROLE_DATA, &s);
}

static void half_mean_square(bndi_book *b, bndi_paper *x, bndi_paper *y)
{
    bndi_paper difference = same(b, BND_TENSOR_OP_SUB, true, x, y);
    bndi_paper square = same(b, BND_TENSOR_OP_POW, true, &difference, NULL);
    sum_up(b, BND_TENSOR_OP_MEAN, &square, NULL);
}

/* ---- least squares ---- */

static size_t weights_of_linear(bnd_weight *out, const bnd_trained *t)
{
    out[0] = (bnd_weight){"w", 1, t->width, 1, false, false};
    out[1] = (bnd_weight){"b", 1, 0, 1, false, false};
    return 2;
}

static uint64_t one_layer(const bnd_trained *t)
{
    (void)t;
    return 1;
}

static void loss_of_linear(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_paper x = data(b, batch, t->width), y = data(b, batch, 1), z;
    bndi_paper_linear(b, &z, &x, 1, 0);
    half_mean_square(b, &z, &y);
}

/* ---- an MLP with hidden layers ---- */

static size_t weights_of_mlp(bnd_weight *out, const bnd_trained *t)
{
    bool hidden = t->depth > 0;
    out[0] = (bnd_weight){"the first layer", hidden ? t->width : CLASSES, t->inputs, 1, false, false};
    out[1] = (bnd_weight){"its bias", out[0].rows, 0, 1, false, false};
    if (!hidden) {
        return 2;
    }
    out[2] = (bnd_weight){"hidden layers", t->width, t->width, t->depth - 1, false, true};
    out[3] = (bnd_weight){"their biases", t->width, 0, t->depth - 1, false, false};
    out[4] = (bnd_weight){"the last layer", CLASSES, t->width, 1, false, false};
    out[5] = (bnd_weight){"its bias", CLASSES, 0, 1, false, false};
    return 6;
}

static uint64_t layers_of_mlp(const bnd_trained *t)
{
    return t->depth + 1;
}

static void loss_of_mlp(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_paper x = data(b, batch, t->inputs), inner, y = data(b, batch, 1);
    for (uint64_t layer = 0; layer < t->depth; layer++) {
        bndi_paper_linear(b, &inner, &x, t->width, layer);
        x = map(b, BND_TENSOR_OP_RELU, &inner);
    }
    bndi_paper_linear(b, &inner, &x, CLASSES, t->depth);
    sum_up(b, BND_TENSOR_OP_CROSS_ENTROPY, &inner, &y);
}

/* ---- a transformer ---- */

static size_t weights_of_transformer(bnd_weight *out, const bnd_trained *t)
{
    const bnd_architecture a = {.layers = t->depth,
                                .hidden = t->width,
                                .heads = t->heads,
                                .kv_heads = t->heads,
                                .head_width = t->width / t->heads,
                                .feed_forward = 4 * t->width,
                                .vocabulary = t->vocabulary,
                                .positions = t->context,
                                .tied = t->tied,
                                .centred = true,
                                .biases = BND_BIASES_ALL};
    return bnd_architecture_weights(out, &a);
}

static uint64_t layers_of_transformer(const bnd_trained *t)
{
    return 4 * t->depth + 1;
}

static bndi_paper norm(bndi_book *b, bndi_paper *x)
{
    bndi_paper gain = bndi_paper_of(b, BND_ROLE_PARAM, &(bndi_shape){.rank = 1, .extent = {1}});
    return pair(b, BND_TENSOR_OP_LAYER_NORM, x, &gain);
}

/* Heads side by side: a copy, but where one head, one position or one element leaves them as they lie. */
static bndi_paper side_by_side(bndi_book *b, bndi_paper *mixed, const bnd_trained *t, size_t batch)
{
    const bool moves = t->heads > 1 && t->context > 1 && t->width > t->heads;
    bndi_paper y;
    bndi_shape s = shape(3, batch, t->context, t->width, 0);
    if (moves) {
        bndi_paper_apply(b, &y, BND_TENSOR_OP_COPY, false, mixed, NULL, &s);
    } else {
        y = *mixed;
        y.shape = s;
    }
    return y;
}

static bndi_paper attention(bndi_book *b, bndi_paper *x, const bnd_trained *t, size_t batch, uint64_t layer)
{
    const size_t e = t->width / t->heads, s = t->context;
    const bndi_shape head = shape(4, batch, t->heads, s, e), turned = shape(4, batch, t->heads, e, s);
    const bndi_shape square = shape(4, batch, t->heads, s, s);
    bndi_paper all, q, k, v, mixed, out;
    bndi_paper_linear(b, &all, x, 3 * t->width, layer);
    bndi_paper_view(&q, &all, &head);
    bndi_paper_view(&k, &all, &turned);
    bndi_paper_view(&v, &all, &head);
    bndi_paper scores;
    bndi_paper_attention(b, &scores, BND_ROLE_ATTN_S, &q, &k, &square);
    bndi_paper scaled = map(b, BND_TENSOR_OP_SCALE, &scores), masked = map(b, BND_TENSOR_OP_MASKED, &scaled);
    bndi_paper weights = map(b, BND_TENSOR_OP_SOFTMAX, &masked);
    bndi_paper_attention(b, &mixed, BND_ROLE_ATTN_O, &weights, &v, &head);
    bndi_paper joined = side_by_side(b, &mixed, t, batch);
    bndi_paper_linear(b, &out, &joined, t->width, layer + 1);
    return out;
}

static bndi_paper perceptron(bndi_book *b, bndi_paper *x, const bnd_trained *t, uint64_t layer)
{
    bndi_paper up, down;
    bndi_paper_linear(b, &up, x, 4 * t->width, layer);
    bndi_paper inner = map(b, BND_TENSOR_OP_GELU, &up);
    bndi_paper_linear(b, &down, &inner, t->width, layer + 1);
    return down;
}

static bndi_paper block(bndi_book *b, bndi_paper *x, const bnd_trained *t, size_t batch, uint64_t index)
{
    const uint64_t layer = 4 * index + t->tied; /* a table that is the head, too, is the first layer */
    bndi_paper first = norm(b, x), step = attention(b, &first, t, batch, layer);
    bndi_paper between = pair(b, BND_TENSOR_OP_ADD, x, &step), second = norm(b, &between);
    bndi_paper other = perceptron(b, &second, t, layer + 2);
    return pair(b, BND_TENSOR_OP_ADD, &between, &other);
}

static void head(bndi_book *b, bndi_paper *x, const bnd_trained *t, size_t batch)
{
    bndi_paper last = norm(b, x), logits, targets = data(b, batch * t->context, 1);
    bndi_paper_linear(b, &logits, &last, t->vocabulary, t->tied ? 0 : 4 * t->depth);
    sum_up(b, BND_TENSOR_OP_CROSS_ENTROPY, &logits, &targets);
}

static double all_of(const bndi_book *b)
{
    return b->tensors + b->beside;
}

/* Of a stack that is computed again, a block saves its input. The most is there when the loss has been computed, or
 * when the last block has been computed again: what comes after it has been released by then. */
static void loss_of_transformer(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_shape s = shape(3, batch, t->context, t->width, 0);
    bndi_paper table = bndi_paper_of(b, BND_ROLE_PARAM, &s), symbols = data(b, batch, t->context), in;
    bndi_paper_apply(b, &in, BND_TENSOR_OP_EMBEDDING, false, &table, &symbols, &s);
    in = pair(b, BND_TENSOR_OP_ADD, &in, &table);
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

/* ---- the other small models ---- */

static void loss_of_logistic(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_paper x = data(b, batch, t->width), y = data(b, batch, 1), z;
    bndi_paper_linear(b, &z, &x, 1, 0);
    bndi_paper negative = map(b, BND_TENSOR_OP_NEG, &z), share = map(b, BND_TENSOR_OP_SIGMOID, &negative);
    bndi_paper weighed = same(b, BND_TENSOR_OP_MUL, true, &y, &z), log = map(b, BND_TENSOR_OP_LOG, &share);
    bndi_paper sum = same(b, BND_TENSOR_OP_ADD, true, &log, &weighed);
    sum_up(b, BND_TENSOR_OP_MEAN, &sum, NULL);
}

static size_t weights_of_quadratic(bnd_weight *out, const bnd_trained *t)
{
    out[0] = (bnd_weight){"w", t->width, 0, 1, false, false};
    return 1;
}

static void loss_of_quadratic(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_shape s = shape(1, t->width, 0, 0, 0);
    bndi_paper w = bndi_paper_of(b, BND_ROLE_PARAM, &s), x = bndi_paper_of(b, BND_ROLE_DATA, &s);
    (void)batch;
    half_mean_square(b, &w, &x);
}

static size_t weights_of_student(bnd_weight *out, const bnd_trained *t)
{
    out[0] = (bnd_weight){"norms", t->width, 0, 2 * t->depth, false, false};
    out[1] = (bnd_weight){"up", 4 * t->width, t->width, t->depth, false, true};
    out[2] = (bnd_weight){"down", t->width, 4 * t->width, t->depth, false, true};
    return 3;
}

static uint64_t layers_of_student(const bnd_trained *t)
{
    return 2 * t->depth;
}

static void loss_of_student(bndi_book *b, const bnd_trained *t, size_t batch)
{
    bndi_paper a = data(b, batch, t->width), y = data(b, batch, t->width);
    for (uint64_t i = 0; i < t->depth; i++) {
        bndi_paper first = norm(b, &a), step = perceptron(b, &first, t, 2 * i);
        a = pair(b, BND_TENSOR_OP_ADD, &a, &step);
    }
    half_mean_square(b, &a, &y);
}

/* ---- answers ---- */

static const model models[] = {
    {"transformer", weights_of_transformer, layers_of_transformer, loss_of_transformer, true},
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
static bnd_status check_sizes(const bnd_trained *t, double batch, bnd_error *why)
{
    const uint64_t most = UINT64_C(1) << 24,
                   sizes[] = {t->width, t->depth, t->heads, t->context, t->vocabulary, t->inputs};
    bool fine = batch >= 1 && batch <= (double)most && t->width > 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fine = fine && sizes[i] <= most;
    }
    double rows = batch * (t->context > 0 ? (double)t->context : 1);
    double widest =
        4 * (double)t->width + (double)t->vocabulary + (double)t->inputs + (double)t->heads * (double)t->context;
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
        return bnd_fail(why, BND_BAD_NAME, 0,
                        "unknown model '%.31s' (available: transformer, mlp, linear, logistic, quadratic, student)",
                        t->model);
    }
    if (recompute == BND_RECOMPUTE_SELECTIVE || (recompute == BND_RECOMPUTE_FULL && !m->stacks)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "binade train recomputes whole blocks of a transformer or nothing: recompute must be %s for %s",
                        m->stacks ? "full or none" : "none", m->name);
    }
    bool shaped = m->stacks && (t->heads == 0 || t->width % t->heads != 0 || t->context == 0 || t->vocabulary == 0);
    if (shaped) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "a transformer needs a context, a vocabulary, and a width that is a multiple of its heads");
    }
    return check_sizes(t, batch, why);
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
