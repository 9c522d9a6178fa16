/* Layer norm and RMS norm over the last axis: y = (x - mean) r gain + bias, r = 1 / sqrt(variance + epsilon); RMS norm
 * has mean 0 and no bias. A row's mean and r are kept for the backward pass. The gain is cast like an operand of a
 * matrix product; the backward pass computes the gradient of the cast gain. */
#include "tensor/engine.h"
#include "tensor/gradient.h"
#include "tensor/operand.h"
#include "tensor/rows.h"
#include "tensor/sums.h"

/* ---- what a row is measured by ---- */

static void put_number(bndi_buffer *kept, bndi_width work, size_t i, double x)
{
    if (work == BNDI_WORDS_32) {
        ((float *)(void *)kept->data)[i] = (float)x;
    } else {
        ((double *)(void *)kept->data)[i] = x;
    }
}

static double get_number(const bndi_buffer *kept, bndi_width work, size_t i)
{
    return work == BNDI_WORDS_32 ? (double)((const float *)(const void *)kept->data)[i]
                                 : ((const double *)(const void *)kept->data)[i];
}

static bool has_mean(const bndi_call *c)
{
    return c->operation == BND_TENSOR_OP_LAYER_NORM;
}

static size_t row_length(const bndi_call *c)
{
    return c->shape.extent[c->shape.rank - 1];
}

/* ---- forward ---- */

static bnd_status norm_shape(bndi_call *c, bnd_error *why)
{
    char text[BNDI_SHAPE_TEXT], of_x[BNDI_SHAPE_TEXT];
    c->shape = c->in_shape[0];
    if (c->shape.rank == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the tensor must have at least 1 axis", c->row->name);
    }
    for (unsigned i = 1; i < c->count; i++) {
        if (c->in_shape[i].rank != 1 || c->in_shape[i].extent[0] != row_length(c)) {
            return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: the %s has shape %s; for rows of %s it must be (%zu,)",
                            c->row->name, i == 1 ? "gain" : "bias", bndi_shape_text(text, &c->in_shape[i]),
                            bndi_shape_text(of_x, &c->shape), row_length(c));
        }
    }
    return BND_OK;
}

typedef struct rows_and_gains {
    bndi_rows x, d, y;
    bndi_whole gain, bias;
} rows_and_gains;

static void close_all(rows_and_gains *a)
{
    bndi_rows_close(&a->y);
    bndi_rows_close(&a->x);
    bndi_rows_close(&a->d);
    bndi_whole_close(&a->gain);
    bndi_whole_close(&a->bias);
}

static bnd_status open_cast(bndi_whole *out, const bnd_tensor *gain, bnd_error *why)
{
    const size_t n = gain->shape.extent[0];
    const bnd_array how = {
        .context = &gain->engine->context, .packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
    bndi_matmul_operand cast;
    bnd_status status = bndi_operand_open(&cast, gain, BND_ROLE_NORM_W, 0, BNDI_WORDS_32, why);
    if (status == BND_OK && cast.copy == NULL) { /* read where it lies */
        return bndi_whole_open(out, gain, BNDI_WORDS_64, why);
    }
    if (status == BND_OK) {
        status = bndi_buffer_new(&out->copy, gain->engine, BND_ROLE_SCRATCH, n * sizeof(double), false, why);
    }
    if (status == BND_OK) {
        out->numbers = out->copy->data;
        status = bnd_decode_f64((double *)(void *)out->copy->data, cast.data, n, &cast.format, &how, why);
    }
    bndi_operand_close(&cast);
    return status;
}

/* fp64 numbers are not cast, as in matrix products. The backward pass repeats the cast of the forward pass under the
 * same cast number, so that it has the same random bits. */
static bnd_status open_gain(bndi_whole *out, const bndi_call *c, bnd_error *why)
{
    const uint64_t casts = c->engine->casts;
    if (c->work != BNDI_WORDS_32 || bndi_cast_of(c->engine, BND_ROLE_NORM_W) == NULL) {
        return bndi_whole_open(out, c->saved[1], BNDI_WORDS_64, why);
    }
    c->engine->casts = c->casts;
    bnd_status status = open_cast(out, c->saved[1], why);
    c->engine->casts = casts > c->engine->casts ? casts : c->engine->casts;
    return status;
}

static bndi_normal norm_of(const bndi_call *c, const rows_and_gains *a)
{
    return (bndi_normal){
        .gain = a->gain.numbers, .bias = a->bias.numbers, .epsilon = c->attributes.number[0], .centred = has_mean(c)};
}

static void normalize_row(const bndi_call *c, const bndi_maths *maths, rows_and_gains *a, size_t row)
{
    bndi_normal f = norm_of(c, a);
    maths->norm[c->work](bndi_row_place(&a->y, row), bndi_row_read(&a->x, row), &f, row_length(c));
    put_number(c->kept, c->work, 2 * row, f.mean);
    put_number(c->kept, c->work, 2 * row + 1, f.factor);
}

static bnd_status norm_forward(bndi_call *c, bnd_error *why)
{
    rows_and_gains a = {.x = {.memory = NULL}};
    size_t n = row_length(c), rows = n > 0 ? bndi_count(&c->shape) / n : 0;
    if (!(c->attributes.number[0] >= 0)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: epsilon must be a number of at least 0", c->row->name);
    }
    bndi_store how = bndi_store_for(c->engine, c->role);
    bnd_status status =
        bndi_buffer_new(&c->kept, c->engine, BND_ROLE_ACT, 2 * rows * bndi_work_size(c->work), false, why);
    if (status == BND_OK) {
        status = bndi_rows_open(&a.x, c->saved[0], n, c->work, NULL, why);
    }
    if (status == BND_OK) {
        status = bndi_rows_open(&a.y, c->saved[BNDI_OUT], n, c->work, &how, why);
    }
    if (status == BND_OK && c->count > 1) {
        c->casts = c->engine->casts;
        status = open_gain(&a.gain, c, why);
    }
    if (status == BND_OK && c->count > 2) {
        status = bndi_whole_open(&a.bias, c->saved[2], BNDI_WORDS_64, why);
    }
    for (size_t row = 0; status == BND_OK && row < rows; row++) {
        normalize_row(c, bndi_maths_of(&c->engine->context), &a, row);
    }
    close_all(&a);
    return status;
}

/* ---- back ---- */

/* `gains`, `biases`: sums over rows of gradients. */
static void row_back(const bndi_call *c, const bndi_maths *maths, rows_and_gains *a, double *gains, double *biases,
                     size_t row, bool wants_x)
{
    bndi_normal f = norm_of(c, a);
    f.mean = get_number(c->kept, c->work, 2 * row);
    f.factor = get_number(c->kept, c->work, 2 * row + 1);
    maths->norm_back[c->work](wants_x ? bndi_row_place(&a->y, row) : NULL, gains, biases, bndi_row_read(&a->d, row),
                              bndi_row_read(&a->x, row), &f, row_length(c));
}

static bnd_status store_vector(bndi_call *c, bndi_gradients *g, unsigned i, const double *sum, bnd_error *why)
{
    if (i >= c->count || !g->wanted[i]) {
        return BND_OK;
    }
    bnd_status status = bndi_gradient_of_operand(&g->out[i], c, g, i, false, why);
    if (status == BND_OK) {
        bndi_store how = bndi_store_for(c->engine, g->role[i]);
        bndi_store_sums(g->out[i], sum, 1, &how);
    }
    return status;
}

static bnd_status norm_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    rows_and_gains a = {.x = {.memory = NULL}};
    size_t n = row_length(c), rows = n > 0 ? bndi_count(&c->shape) / n : 0;
    bndi_buffer *memory = NULL;
    bndi_store how = {.rule = {.rounding = BND_ROUND_RNE}};
    bnd_status status = bndi_buffer_new(&memory, c->engine, BND_ROLE_SCRATCH, 2 * n * sizeof(double), true, why);
    if (status == BND_OK) {
        status = bndi_rows_open(&a.x, c->saved[0], n, c->work, NULL, why);
    }
    if (status == BND_OK) {
        status = bndi_rows_open(&a.d, d, n, c->work, NULL, why);
    }
    if (status == BND_OK && g->wanted[0]) {
        status = bndi_gradient_of_operand(&g->out[0], c, g, 0, false, why);
    }
    if (status == BND_OK && g->wanted[0]) {
        how = bndi_store_for(c->engine, g->role[0]);
        status = bndi_rows_open(&a.y, g->out[0], n, c->work, &how, why);
    }
    if (status == BND_OK && c->count > 1) {
        status = open_gain(&a.gain, c, why);
    }
    if (status == BND_OK) {
        double *gains = (double *)(void *)memory->data, *biases = gains + n;
        for (size_t row = 0; row < rows; row++) {
            row_back(c, bndi_maths_of(&c->engine->context), &a, gains, biases, row, g->wanted[0]);
        }
        bndi_count_flops(c->engine, c->operation, 10 * bndi_count(&c->shape));
        status = store_vector(c, g, 1, gains, why);
        status = status == BND_OK ? store_vector(c, g, 2, biases, why) : status;
    }
    close_all(&a);
    bndi_buffer_release(memory);
    return status;
}

/* The mean, the difference, its square, their sum, the factor, gain and bias. */
static uint64_t norm_flops(const bndi_call *c)
{
    return (has_mean(c) ? 7 : 4) * bndi_count(&c->shape);
}

const bndi_row bndi_layer_norm_row = {.name = "layer_norm",
                                      .least = 1,
                                      .most = 3,
                                      .careful = true,
                                      .saves = BNDI_SAVE_A | BNDI_SAVE_B,
                                      .shape = norm_shape,
                                      .forward = norm_forward,
                                      .backward = norm_backward,
                                      .flops = norm_flops};
const bndi_row bndi_rms_norm_row = {.name = "rms_norm",
                                    .least = 1,
                                    .most = 2,
                                    .careful = true,
                                    .saves = BNDI_SAVE_A | BNDI_SAVE_B,
                                    .shape = norm_shape,
                                    .forward = norm_forward,
                                    .backward = norm_backward,
                                    .flops = norm_flops};
