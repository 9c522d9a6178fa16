/* The models: an MLP and a character transformer. In fp32, with random weights and batches. */
#include "model.h"

#include <math.h>

enum { SEED = 1 };

/* ---- parts ---- */

static bnd_status fp32_tensor(bnd_tensor **out, model *m, const size_t *shape, size_t rank, bnd_role role,
                              bnd_error *why)
{
    return bnd_tensor_new(out, m->engine, bnd_format_at(BND_FORMAT_FP32), shape, rank, role, why);
}

/* The next parameter, of rank 1 where `columns` is 0: normally distributed around `mean`. */
static bnd_status parameter(model *m, size_t rows, size_t columns, double mean, double deviation, bnd_error *why)
{
    bnd_tensor *t = NULL;
    bnd_status status = fp32_tensor(&t, m, (const size_t[]){rows, columns}, columns == 0 ? 1 : 2, BND_ROLE_PARAM, why);
    if (status == BND_OK) {
        bnd_tensor_want_gradient(t, true);
        status = bnd_tensor_normal(t, mean, deviation, SEED, m->parameters, why);
        m->parameter[m->parameters++] = t;
    }
    return status;
}

static bnd_status linear_parameters(model *m, size_t outputs, size_t inputs, bnd_error *why)
{
    bnd_status status = parameter(m, outputs, inputs, 0, 1 / sqrt((double)inputs), why);
    return status == BND_OK ? parameter(m, outputs, 0, 0, 0.1, why) : status;
}

static bnd_status norm_parameters(model *m, size_t n, bnd_error *why)
{
    bnd_status status = parameter(m, n, 0, 1, 0.1, why);
    return status == BND_OK ? parameter(m, n, 0, 0, 0.1, why) : status;
}

/* Whole numbers below `count`, any of them as likely as another. */
static bnd_status random_indices(bnd_tensor **out, model *m, const size_t *shape, size_t rank, size_t count,
                                 uint64_t purpose, bnd_error *why)
{
    const bnd_format *fp32 = bnd_format_at(BND_FORMAT_FP32);
    float numbers[2048];
    size_t n = 1;
    for (size_t i = 0; i < rank; i++) {
        n *= shape[i];
    }
    for (size_t i = 0; i < n && n <= sizeof numbers / sizeof numbers[0]; i++) {
        numbers[i] = (float)(bnd_random_bits(SEED, purpose, i, 32) % count);
    }
    return bnd_tensor_from_f32(out, m->engine, fp32, numbers, shape, rank, BND_ROLE_DATA, why);
}

/* *x becomes operation(*x, the next `parameters` parameters). */
static bnd_status step(bnd_tensor **x, model *m, bnd_tensor_operation operation, size_t parameters,
                       const bnd_attributes *attributes, bnd_error *why)
{
    bnd_tensor *in[3] = {*x};
    for (size_t i = 0; i < parameters; i++) {
        in[i + 1] = m->parameter[m->next++];
    }
    return bnd_tensor_apply(x, operation, in, 1 + parameters, attributes, why);
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        bnd_status status_of_call = (call);                                                                            \
        if (status_of_call != BND_OK) {                                                                                \
            return status_of_call;                                                                                     \
        }                                                                                                              \
    } while (0)

/* ---- 784-256-256-10, with ReLU and cross-entropy, 128 rows at a time ---- */

static const size_t widths[] = {784, 256, 256, 10};
enum { LAYERS = sizeof widths / sizeof widths[0] - 1, ROWS = 128 };

static bnd_status mlp_forward(bnd_tensor **loss, model *m, bnd_error *why)
{
    bnd_tensor *h = m->input;
    for (size_t i = 0; i < LAYERS; i++) {
        TRY(step(&h, m, BND_TENSOR_OP_LINEAR, 2, NULL, why));
        if (i + 1 < LAYERS) {
            TRY(step(&h, m, BND_TENSOR_OP_RELU, 0, NULL, why));
        }
    }
    return bnd_tensor_pair(loss, BND_TENSOR_OP_CROSS_ENTROPY, h, m->targets, why);
}

static bnd_status mlp_open(model *m, bnd_error *why)
{
    for (size_t i = 0; i < LAYERS; i++) {
        TRY(linear_parameters(m, widths[i + 1], widths[i], why));
    }
    TRY(fp32_tensor(&m->input, m, (const size_t[]){ROWS, widths[0]}, 2, BND_ROLE_DATA, why));
    TRY(bnd_tensor_normal(m->input, 0, 1, SEED, 1000, why));
    m->forward = mlp_forward;
    return random_indices(&m->targets, m, (const size_t[]){ROWS}, 1, widths[LAYERS], 1001, why);
}

/* ---- a transformer: norms first, heads of 32, GELU; 818,176 parameters ---- */

enum { BATCH = 16, CONTEXT = 64, WIDTH = 128, HEADS = 4, HEAD = WIDTH / HEADS, BLOCKS = 4, VOCABULARY = 65 };

static bnd_status heads_of(bnd_tensor **out, bnd_tensor *qkv, size_t which, bnd_error *why)
{
    bnd_tensor *part, *split;
    TRY(bnd_tensor_slice(&part, qkv, -1, which * WIDTH, WIDTH, 1, why));
    TRY(bnd_tensor_view(&split, part, (const size_t[]){BATCH, CONTEXT, HEADS, HEAD}, 4, why));
    return bnd_tensor_permute(out, split, (const int[]){0, 2, 1, 3}, 4, why);
}

/* From (BATCH, CONTEXT, 3 WIDTH) to (BATCH, CONTEXT, WIDTH). */
static bnd_status attention(bnd_tensor **x, model *m, bnd_error *why)
{
    bnd_tensor *q, *k, *v, *turned, *scores, *y;
    const bnd_attributes scale = {.number = {1 / sqrt((double)HEAD)}};
    TRY(heads_of(&q, *x, 0, why));
    TRY(heads_of(&k, *x, 1, why));
    TRY(heads_of(&v, *x, 2, why));
    TRY(bnd_tensor_transpose(&turned, k, -1, -2, why));
    TRY(bnd_tensor_matmul(&scores, q, turned, why));
    TRY(step(&scores, m, BND_TENSOR_OP_SCALE, 0, &scale, why));
    TRY(step(&scores, m, BND_TENSOR_OP_MASKED, 0, NULL, why));
    TRY(step(&scores, m, BND_TENSOR_OP_SOFTMAX, 0, NULL, why));
    TRY(bnd_tensor_matmul(&y, scores, v, why));
    TRY(bnd_tensor_permute(&y, y, (const int[]){0, 2, 1, 3}, 4, why));
    return bnd_tensor_reshape(x, y, (const size_t[]){BATCH, CONTEXT, WIDTH}, 3, why);
}

static bnd_status block(bnd_tensor **x, model *m, bnd_error *why)
{
    const bnd_attributes epsilon = {.number = {1e-5}};
    bnd_tensor *h = *x;
    TRY(step(&h, m, BND_TENSOR_OP_LAYER_NORM, 2, &epsilon, why));
    TRY(step(&h, m, BND_TENSOR_OP_LINEAR, 2, NULL, why));
    TRY(attention(&h, m, why));
    TRY(step(&h, m, BND_TENSOR_OP_LINEAR, 2, NULL, why));
    TRY(bnd_tensor_pair(x, BND_TENSOR_OP_ADD, *x, h, why));
    h = *x;
    TRY(step(&h, m, BND_TENSOR_OP_LAYER_NORM, 2, &epsilon, why));
    TRY(step(&h, m, BND_TENSOR_OP_LINEAR, 2, NULL, why));
    TRY(step(&h, m, BND_TENSOR_OP_GELU, 0, NULL, why));
    TRY(step(&h, m, BND_TENSOR_OP_LINEAR, 2, NULL, why));
    return bnd_tensor_pair(x, BND_TENSOR_OP_ADD, *x, h, why);
}

static bnd_status transformer_forward(bnd_tensor **loss, model *m, bnd_error *why)
{
    const bnd_attributes epsilon = {.number = {1e-5}};
    bnd_tensor *x;
    TRY(bnd_tensor_pair(&x, BND_TENSOR_OP_EMBEDDING, m->parameter[0], m->input, why));
    TRY(bnd_tensor_pair(&x, BND_TENSOR_OP_ADD, x, m->parameter[1], why));
    m->next = 2;
    for (size_t i = 0; i < BLOCKS; i++) {
        TRY(block(&x, m, why));
    }
    TRY(step(&x, m, BND_TENSOR_OP_LAYER_NORM, 2, &epsilon, why));
    TRY(step(&x, m, BND_TENSOR_OP_LINEAR, 1, NULL, why));
    TRY(bnd_tensor_view(&x, x, (const size_t[]){(size_t)BATCH * CONTEXT, VOCABULARY}, 2, why));
    return bnd_tensor_pair(loss, BND_TENSOR_OP_CROSS_ENTROPY, x, m->targets, why);
}

static bnd_status transformer_open(model *m, bnd_error *why)
{
    TRY(parameter(m, VOCABULARY, WIDTH, 0, 1, why));
    TRY(parameter(m, CONTEXT, WIDTH, 0, 1, why));
    for (size_t i = 0; i < BLOCKS; i++) {
        TRY(norm_parameters(m, WIDTH, why));
        TRY(linear_parameters(m, 3 * WIDTH, WIDTH, why));
        TRY(linear_parameters(m, WIDTH, WIDTH, why));
        TRY(norm_parameters(m, WIDTH, why));
        TRY(linear_parameters(m, 4 * WIDTH, WIDTH, why));
        TRY(linear_parameters(m, WIDTH, 4 * WIDTH, why));
    }
    TRY(norm_parameters(m, WIDTH, why));
    TRY(parameter(m, VOCABULARY, WIDTH, 0, 1 / sqrt((double)WIDTH), why));
    m->forward = transformer_forward;
    TRY(random_indices(&m->input, m, (const size_t[]){BATCH, CONTEXT}, 2, VOCABULARY, 1000, why));
    return random_indices(&m->targets, m, (const size_t[]){(size_t)BATCH * CONTEXT}, 1, VOCABULARY, 1001, why);
}

/* ---- any of them ---- */

const model_row model_rows[] = {
    {"mlp", mlp_open},
    {"transformer", transformer_open},
};
const size_t model_row_count = sizeof model_rows / sizeof model_rows[0];

bnd_status model_open(model *m, const model_row *row, const bnd_context *context, bnd_error *why)
{
    *m = (model){.engine = NULL};
    bnd_status status = bnd_engine_new(&m->engine, context, why);
    if (status == BND_OK) {
        status = row->open(m, why);
    }
    if (status != BND_OK) {
        model_close(m);
    }
    return status;
}

void model_close(model *m)
{
    bnd_engine_free(m->engine);
    m->engine = NULL;
}

bnd_status model_pass(double *loss, model *m, bnd_error *why)
{
    bnd_mark mark = bnd_engine_mark(m->engine);
    bnd_tensor *t;
    m->next = 0;
    bnd_status status = m->forward(&t, m, why);
    if (status == BND_OK) {
        status = bnd_tensor_backward(t, 1, why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_read_f64(loss, 1, t, why);
    }
    bnd_engine_release_since(m->engine, mark, NULL, 0);
    return status;
}

void model_drop_gradients(model *m)
{
    for (size_t i = 0; i < m->parameters; i++) {
        bnd_tensor_drop_gradient(m->parameter[i]);
    }
}
