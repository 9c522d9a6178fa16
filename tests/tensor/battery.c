/* The list of questions, a row each. */
#include "battery.h"

#include <string.h>

enum { OUTPUTS = 5, STACK = 3 };

const question questions[] = {
    {BND_TENSOR_OP_ADD, "ab", {.seed = 0}, NULL},
    {BND_TENSOR_OP_ADD, "av", {.seed = 0}, NULL},
    {BND_TENSOR_OP_SUB, "tb", {.seed = 0}, NULL},
    {BND_TENSOR_OP_MUL, "sv", {.seed = 0}, NULL},
    {BND_TENSOR_OP_DIV, "ab", {.seed = 0}, NULL},
    {BND_TENSOR_OP_DIV, "va", {.seed = 0}, NULL},
    {BND_TENSOR_OP_POW, "a", {.number = {2.5}}, NULL},
    {BND_TENSOR_OP_POW, "t", {.number = {-3}}, NULL},
    {BND_TENSOR_OP_SCALE, "a", {.number = {1.7}}, NULL},
    {BND_TENSOR_OP_SHIFT, "t", {.number = {-0.3}}, NULL},
    {BND_TENSOR_OP_MAXIMUM, "ab", {.seed = 0}, NULL},
    {BND_TENSOR_OP_MINIMUM, "av", {.seed = 0}, NULL},
    {BND_TENSOR_OP_NEG, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_ABS, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_EXP, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_LOG, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_SQRT, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_RSQRT, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_TANH, "t", {.seed = 0}, NULL},
    {BND_TENSOR_OP_ERF, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_SIGMOID, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_RELU, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_GELU, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_GELU_TANH, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_SILU, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_TRIU, "a", {.number = {1}}, NULL},
    {BND_TENSOR_OP_TRIL, "s", {.number = {0}}, NULL},
    {BND_TENSOR_OP_MASKED, "a", {.number = {0}}, NULL},
    {BND_TENSOR_OP_DROPOUT, "a", {.number = {0.3}, .seed = 7, .purpose = 3}, NULL},
    {BND_TENSOR_OP_COPY, "t", {.seed = 0}, NULL},
    {BND_TENSOR_OP_CAST, "a", {.rule = {.rounding = BND_ROUND_SR}}, "e5m2"},
    {BND_TENSOR_OP_CAST, "t", {.rule = {.rounding = BND_ROUND_RTZ}}, "e2m3"},
    {BND_TENSOR_OP_SUM, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_SUM, "t", {.axis = {0}, .axes = 1, .keep = true}, NULL},
    {BND_TENSOR_OP_MEAN, "s", {.axis = {0, 2}, .axes = 2}, NULL},
    {BND_TENSOR_OP_MAX, "a", {.axis = {-1}, .axes = 1}, NULL},
    {BND_TENSOR_OP_MIN, "t", {.axis = {0}, .axes = 1}, NULL},
    {BND_TENSOR_OP_LOGSUMEXP, "a", {.axis = {-1}, .axes = 1, .keep = true}, NULL},
    {BND_TENSOR_OP_SOFTMAX, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_SOFTMAX, "t", {.axis = {0}, .axes = 1}, NULL},
    {BND_TENSOR_OP_LOG_SOFTMAX, "a", {.seed = 0}, NULL},
    {BND_TENSOR_OP_LAYER_NORM, "avv", {.number = {1e-5}}, NULL},
    {BND_TENSOR_OP_LAYER_NORM, "tv", {.number = {1e-5}}, NULL},
    {BND_TENSOR_OP_RMS_NORM, "av", {.number = {1e-5}}, NULL},
    {BND_TENSOR_OP_EMBEDDING, "ai", {.seed = 0}, NULL},
    {BND_TENSOR_OP_CROSS_ENTROPY, "ai", {.seed = 0}, NULL},
    {BND_TENSOR_OP_MATMUL, "aw", {.seed = 0}, NULL},
    {BND_TENSOR_OP_MATMUL, "sw", {.seed = 0}, NULL},
    {BND_TENSOR_OP_LINEAR, "swu", {.flag = true}, NULL},
    {BND_TENSOR_OP_LINEAR, "ab", {.flag = false}, NULL},
    {BND_TENSOR_OP_ROPE, "s", {.number = {10000}}, NULL},
    {BND_TENSOR_OP_ROPE, "t", {.number = {7}}, NULL},
    {BND_TENSOR_OP_ROPE, "t", {.number = {7, 3, 9, 7}}, NULL},
};
const size_t question_count = sizeof questions / sizeof questions[0];

size_t question_operand_count(const question *q)
{
    return strlen(q->operands);
}

static size_t shape_of(size_t *shape, char letter, size_t rows, size_t columns)
{
    switch (letter) {
    case 's':
        shape[0] = STACK, shape[1] = rows, shape[2] = columns;
        return 3;
    case 'v':
        shape[0] = columns;
        return 1;
    case 'i':
        shape[0] = rows;
        return 1;
    case 'u':
        shape[0] = OUTPUTS;
        return 1;
    case 't':
        shape[0] = columns, shape[1] = rows;
        return 2;
    case 'w':
        shape[0] = columns, shape[1] = OUTPUTS;
        return 2;
    default:
        shape[0] = rows, shape[1] = columns;
        return 2;
    }
}

/* Whole numbers below both, one after another. */
static bnd_status count_through(bnd_tensor *t, size_t rows, size_t columns, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < rows; i++) {
        status = bnd_tensor_set(t, &i, 1, (double)((7 * i) % (rows < columns ? rows : columns)), why);
    }
    return status;
}

static bnd_status operand(bnd_tensor **out, bnd_engine *engine, char letter, const bnd_format *f, uint64_t seed,
                          size_t rows, size_t columns, bnd_error *why)
{
    size_t shape[3];
    size_t rank = shape_of(shape, letter, rows, columns);
    bnd_format fp32 = format_named("fp32");
    bnd_tensor *t = NULL;
    bnd_status status = bnd_tensor_new(&t, engine, letter == 'i' ? &fp32 : f, shape, rank, BND_ROLE_PARAM, why);
    if (status != BND_OK) {
        return status;
    }
    status = letter == 'i' ? count_through(t, rows, columns, why) : bnd_tensor_uniform(t, 0.1, 3, seed, 0, why);
    bnd_tensor_want_gradient(t, letter != 'i');
    if (status == BND_OK && letter == 't') {
        bnd_tensor *turned = NULL;
        status = bnd_tensor_transpose(&turned, t, 0, 1, why);
        bnd_tensor_release(t);
        t = turned;
    }
    if (status == BND_OK) {
        bnd_tensor_keep_gradient(t); /* of what is turned, too */
    }
    if (status != BND_OK) {
        bnd_tensor_release(t);
        return status;
    }
    *out = t;
    return BND_OK;
}

bnd_status question_operands(bnd_tensor **in, bnd_engine *engine, const question *q, const bnd_format *f, size_t rows,
                             size_t columns, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < question_operand_count(q); i++) {
        status = operand(&in[i], engine, q->operands[i], f, i + 1, rows, columns, why);
    }
    return status;
}

bnd_status question_ask(bnd_tensor **out, bnd_tensor *const *in, const question *q, bnd_error *why)
{
    bnd_attributes attributes = q->attributes;
    bnd_format f;
    if (q->format != NULL) {
        f = format_named(q->format);
        attributes.format = &f;
    }
    return bnd_tensor_apply(out, q->operation, in, question_operand_count(q), &attributes, why);
}
