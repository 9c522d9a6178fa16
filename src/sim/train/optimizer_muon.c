/* Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon; as torch.optim.Muon of PyTorch 2.9): the update of a
 * hidden matrix is Nesterov's momentum, with all singular values brought near 1 by five Newton-Schulz steps,
 * x = a x + (b s + c s s) x with s = x x'. A matrix with more rows than columns is turned for them, and all begin with
 * a Frobenius norm of 1. The rate follows the shape: 0.2 sqrt(max(rows, columns)), so that the root mean square of an
 * update is that of AdamW's (Liu et al. 2025, arXiv:2502.16982), or Jordan's sqrt(max(1, rows / columns)).
 *
 * m is rounded as the momentum of other optimizers. The operands of the products have the role ns; between the products
 * numbers are fp32, each sum of two worked out in fp64 and rounded once. The norm is fp64. */
#include "tensor/engine.h"
#include "tensor/operand.h"
#include "tensor/view_make.h"
#include "train/optimizer_steps.h"

enum { NS_STEPS = 5 };
static const double a = 3.4445, b = -4.7750, c = 2.0315, smallest_norm = 1e-7;

static size_t chunk_at(size_t at, size_t count)
{
    return count - at < BNDI_TENSOR_CHUNK ? count - at : BNDI_TENSOR_CHUNK;
}

/* x = beta m + (1 - beta) g with the new m, which is stored later. Returns the sum of squares. */
static double read_nesterov(bnd_tensor *x, bnd_run *run, const bndi_parameter *p)
{
    const bndi_store simply = {.rule = {.rounding = BND_ROUND_RNE}};
    const size_t count = bndi_count(&x->shape);
    const float unscale = (float)(1 / run->loss_scale);
    bndi_numbers g, m;
    bndi_walk walk;
    double sum = 0;
    bndi_walk_open(&walk, x, &x->shape, BNDI_WORDS_32);
    for (size_t at = 0; at < count; at += BNDI_TENSOR_CHUNK) {
        bndi_update u = {.training = &run->training,
                         .engine = run->engine,
                         .n = chunk_at(at, count),
                         .maths = bndi_maths_of(&run->engine->context),
                         .of_m = bndi_rounds_to(run, BND_ROLE_M),
                         .of_scalar = bndi_cast_of(run->engine, BND_ROLE_SCALAR)};
        const double beta = bndi_chunk_scalar(&u, run->training.beta1),
                     rest = bndi_chunk_scalar(&u, 1 - run->training.beta1);
        float *of_p = bndi_take_numbers(&g, p->value->gradient, at, u.n);
        u.g = of_p;
        u.m = bndi_take_numbers(&m, p->m, at, u.n);
        for (size_t i = 0; run->loss_scale != 1 && i < u.n; i++) {
            of_p[i] *= unscale;
        }
        bndi_average_into_m(&u); /* as torch's lerp but for its order of operations */
        for (size_t i = 0; i < u.n; i++) {
            u.m[i] = (float)(beta * (double)u.m[i] + rest * (double)u.g[i]);
            sum += (double)u.m[i] * (double)u.m[i];
        }
        bndi_write(&walk, at, u.n, u.m, &simply);
    }
    return sum;
}

static float *numbers_of(bnd_tensor *t)
{
    return (float *)(void *)t->buffer->data;
}

/* x = of_x x + of_y y. */
static void combine(bnd_tensor *x, double of_x, const bnd_tensor *y, double of_y)
{
    const float *numbers = (const float *)(const void *)y->buffer->data;
    bndi_maths_of(&x->engine->context)->combine(numbers_of(x), of_x, numbers, of_y, bndi_count(&x->shape));
}

/* `square` has two tensors of rows by rows, and `y` is as x. */
static bnd_status newton_schulz(bnd_tensor *x, bnd_tensor *y, bnd_tensor *const square[2], bnd_error *why)
{
    bnd_status status = BND_OK;
    for (int step = 0; status == BND_OK && step < NS_STEPS; step++) {
        status = bndi_multiply_for(square[0], BND_ROLE_NS, x, false, x, true, why);
        if (status == BND_OK) {
            status = bndi_multiply_for(square[1], BND_ROLE_NS, square[0], false, square[0], false, why);
        }
        if (status == BND_OK) {
            combine(square[0], b, square[1], c);
            status = bndi_multiply_for(y, BND_ROLE_NS, square[0], false, x, false, why);
        }
        if (status == BND_OK) {
            combine(x, a, y, 1);
        }
    }
    return status;
}

static bnd_status scratch(bnd_tensor **out, const bnd_run *run, size_t rows, size_t columns, bnd_error *why)
{
    const bndi_shape shape = {.rank = 2, .extent = {rows, columns}};
    return bndi_tensor_make(out, run->engine, bnd_lab_format_of_words(BNDI_WORDS_32), &shape, BND_ROLE_SCRATCH, false,
                            why);
}

/* *direction is a view of x, as the parameter lies. */
static bnd_status find_direction(bnd_tensor **direction, bnd_tensor *x, bool turned, bnd_run *run,
                                 const bndi_parameter *p, bnd_error *why)
{
    const size_t rows = x->shape.extent[0], columns = x->shape.extent[1];
    bnd_tensor *y = NULL, *square[2] = {NULL, NULL}, *view = NULL;
    bnd_status status = scratch(&y, run, rows, columns, why);
    status = status == BND_OK ? scratch(&square[0], run, rows, rows, why) : status;
    status = status == BND_OK ? scratch(&square[1], run, rows, rows, why) : status;
    status = status == BND_OK ? bndi_permuted(&view, x, (size_t[]){turned ? 1 : 0, turned ? 0 : 1}, why) : status;
    if (status == BND_OK) {
        const double norm = __builtin_sqrt(read_nesterov(view, run, p));
        combine(x, 1 / (norm > smallest_norm || norm != norm ? norm : smallest_norm), x, 0);
        status = newton_schulz(x, y, square, why);
    }
    bndi_drop(y);
    bndi_drop(square[0]);
    bndi_drop(square[1]);
    if (status != BND_OK) {
        bndi_drop(view);
        return status;
    }
    *direction = view;
    return BND_OK;
}

static bnd_status prepare(bndi_whole_update *out, bnd_run *run, const bndi_parameter *p, double rate, bnd_error *why)
{
    const size_t *extent = p->value->shape.extent;
    const bool turned = extent[0] > extent[1];
    const bnd_phase before = run->engine->phase;
    bnd_tensor *x, *direction = NULL;
    bnd_status status = scratch(&x, run, extent[turned], extent[!turned], why);
    if (status != BND_OK) {
        return status;
    }
    run->engine->phase = BND_PHASE_UPDATE;
    status = find_direction(&direction, x, turned, run, p, why);
    run->engine->phase = before;
    bndi_drop(x);
    if (status == BND_OK) {
        *out = (bndi_whole_update){.rate = rate, .direction = direction};
    }
    return status;
}

bnd_status bndi_muon_prepare(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr, bnd_error *why)
{
    const size_t *extent = p->value->shape.extent, most = extent[0] > extent[1] ? extent[0] : extent[1];
    return prepare(out, run, p, lr * 0.2 * __builtin_sqrt((double)most), why);
}

bnd_status bndi_muon_original_prepare(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr,
                                      bnd_error *why)
{
    const size_t *extent = p->value->shape.extent;
    const double ratio = (double)extent[0] / (double)extent[1];
    return prepare(out, run, p, lr * __builtin_sqrt(ratio > 1 ? ratio : 1), why);
}

void bndi_muon(bndi_update *u)
{
    bndi_average_into_m(u);
    bndi_chunk_change_by(u, -bndi_chunk_scalar(u, u->whole->rate), u->direction);
    bndi_decay_weights(u);
}
