/* Functions of rows: softmax, its logarithm, log-sum-exp, maximum and minimum. */
#include "tensor/gradient.h"
#include "tensor/rows.h"
#include "tensor/sums.h"

/* ---- rows ---- */

/* The number to subtract before e^x: the largest, or 0 if that is infinite or NaN. */
static double shift_of(const bndi_row_pass *p, const double *x)
{
    double largest = p->maths->largest(x, p->length);
    return largest - largest == 0 ? largest : 0;
}

static void softmax_row(const bndi_row_pass *p, void *y, const void *const *in)
{
    p->maths->softmax[p->work](y, in[0], p->scratch, p->length);
}

static void softmax_back_row(const bndi_row_pass *p, void *dx, const void *const *in)
{
    p->maths->softmax_back[p->work](dx, in[0], in[1], p->length);
}

/* The others have rows of doubles. */

static double logarithm_of_sum(const bndi_row_pass *p, const double *x)
{
    double shift = shift_of(p, x), sum = p->maths->exponentials(p->scratch, x, shift, p->length);
    const void *from[3] = {&sum};
    double logarithm;
    p->maths->formula[BNDI_WORDS_64][BNDI_F_log](&logarithm, from, 0, 1);
    return shift + logarithm;
}

static void log_softmax_row(const bndi_row_pass *p, void *to, const void *const *in)
{
    double *y = to;
    p->maths->linear(y, in[0], logarithm_of_sum(p, in[0]), 1, p->length);
}

static void log_softmax_back_row(const bndi_row_pass *p, void *to, const void *const *in)
{
    double *dx = to;
    const double *d = in[0], *y = in[1];
    double sum = p->maths->sum(d, p->length);
    (void)p->maths->exponentials(p->scratch, y, 0, p->length);
    for (size_t i = 0; i < p->length; i++) {
        dx[i] = d[i] - p->scratch[i] * sum;
    }
}

static void logsumexp_row(const bndi_row_pass *p, void *to, const void *const *in)
{
    double *y = to;
    *y = logarithm_of_sum(p, in[0]);
}

static void logsumexp_back_row(const bndi_row_pass *p, void *to, const void *const *in)
{
    double *dx = to;
    const double *x = in[0], *d = in[1], *y = in[2];
    (void)p->maths->exponentials(dx, x, *y, p->length);
    for (size_t i = 0; i < p->length; i++) {
        dx[i] *= *d;
    }
}

static double largest(const bndi_row_pass *p, const double *x)
{
    return p->maths->largest(x, p->length);
}

static double smallest(const bndi_row_pass *p, const double *x)
{
    p->maths->linear(p->scratch, x, 0, -1, p->length);
    return -p->maths->largest(p->scratch, p->length);
}

/* The gradient of an extreme goes to all that are it, in equal parts. */
static void give_to_extreme(double *dx, const double *x, double extreme, double d, size_t n)
{
    size_t equal = 0;
    for (size_t i = 0; i < n; i++) {
        equal += x[i] == extreme;
    }
    for (size_t i = 0; i < n; i++) {
        dx[i] = x[i] == extreme ? d / (double)equal : 0;
    }
}

/* The result is of no use here: it may be rounded. */
static void max_back_row(const bndi_row_pass *p, void *to, const void *const *in)
{
    const double *x = in[0], *d = in[1];
    give_to_extreme(to, x, largest(p, x), *d, p->length);
}

static void min_back_row(const bndi_row_pass *p, void *to, const void *const *in)
{
    const double *x = in[0], *d = in[1];
    give_to_extreme(to, x, smallest(p, x), *d, p->length);
}

static void max_row(const bndi_row_pass *p, void *to, const void *const *in)
{
    *(double *)to = largest(p, in[0]);
}

static void min_row(const bndi_row_pass *p, void *to, const void *const *in)
{
    *(double *)to = smallest(p, in[0]);
}

/* ---- operations ---- */

typedef struct row_functions {
    bndi_row_function *forward, *backward;
    unsigned flops; /* an element, back */
    bool any_work;  /* rows of the work type; or of doubles */
} row_functions;

/* Softmax: along one axis, the last where none is named. */
static bnd_status axis_of(unsigned *along, const bndi_call *c, bnd_error *why)
{
    size_t axis = 0;
    if (c->attributes.axes > 1) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%s: expected one axis, got %u", c->row->name, c->attributes.axes);
    }
    int named = c->attributes.axes == 1 ? c->attributes.axis[0] : -1;
    bnd_status status = bndi_axis(&axis, named, c->in_shape[0].rank, c->row->name, why);
    *along = 1u << axis;
    return status;
}

static bnd_status same_shape(bndi_call *c, bnd_error *why)
{
    unsigned along;
    c->shape = c->in_shape[0];
    return axis_of(&along, c, why);
}

static bool reduces(const bndi_call *c)
{
    return c->row->shape == bndi_shape_of_reduction;
}

static bnd_status rows_forward(bndi_call *c, bnd_error *why)
{
    unsigned along;
    const row_functions *f = c->row->kernels;
    bnd_status status = reduces(c) ? bndi_reduced_axes(&along, c, why) : axis_of(&along, c, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_store how = bndi_store_for(c->engine, c->role);
    bndi_row_operand in = {c->saved[0], false}, out = {c->saved[BNDI_OUT], reduces(c)};
    return bndi_run_rows(out, &in, 1, &c->in_shape[0], along, f->any_work ? c->work : BNDI_WORDS_64, f->forward, &how,
                         why);
}

static bnd_status rows_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    unsigned along;
    const row_functions *f = c->row->kernels;
    bnd_status status = reduces(c) ? bndi_reduced_axes(&along, c, why) : axis_of(&along, c, why);
    if (status == BND_OK) {
        status = bndi_gradient_of_operand(&g->out[0], c, g, 0, false, why);
    }
    if (status != BND_OK) {
        return status;
    }
    bndi_store how = bndi_store_for(c->engine, g->role[0]);
    bndi_row_operand out = {g->out[0], false};
    const bndi_row_operand normalized[] = {{d, false}, {c->saved[BNDI_OUT], false}};
    const bndi_row_operand reduced[] = {{c->saved[0], false}, {d, true}, {c->saved[BNDI_OUT], true}};
    const unsigned count = reduces(c) && (c->row->saves & BNDI_SAVE_OUT) != 0 ? 3 : 2;
    bndi_count_flops(c->engine, c->operation, f->flops * bndi_count(&c->in_shape[0]));
    return bndi_run_rows(out, reduces(c) ? reduced : normalized, count, &c->in_shape[0], along,
                         f->any_work ? c->work : BNDI_WORDS_64, f->backward, &how, why);
}

/* A difference, an exponential, an addition and a quotient (or a difference) an element; a row's own are not
 * counted. */
static uint64_t four_an_element(const bndi_call *c)
{
    return 4 * bndi_count(&c->in_shape[0]);
}

static uint64_t one_an_element(const bndi_call *c)
{
    return bndi_count(&c->in_shape[0]);
}

#define ROW(title, is_careful, needs, shape_of, flops_of, ...)                                                         \
    {                                                                                                                  \
        .name = title, .least = 1, .most = 1, .careful = is_careful, .saves = needs, .shape = shape_of,                \
        .forward = rows_forward, .backward = rows_backward, .flops = flops_of, .kernels = &(const row_functions)       \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

const bndi_row bndi_row_rows[BND_TENSOR_OP_COUNT] = {
    [BND_TENSOR_OP_SOFTMAX] =
        ROW("softmax", true, BNDI_SAVE_OUT, same_shape, four_an_element, softmax_row, softmax_back_row, 4, true),
    [BND_TENSOR_OP_LOG_SOFTMAX] = ROW("log_softmax", true, BNDI_SAVE_OUT, same_shape, four_an_element, log_softmax_row,
                                      log_softmax_back_row, 4, false),
    [BND_TENSOR_OP_LOGSUMEXP] = ROW("logsumexp", true, BNDI_SAVE_A | BNDI_SAVE_OUT, bndi_shape_of_reduction,
                                    four_an_element, logsumexp_row, logsumexp_back_row, 3, false),
    [BND_TENSOR_OP_MAX] =
        ROW("max", false, BNDI_SAVE_A, bndi_shape_of_reduction, one_an_element, max_row, max_back_row, 1, false),
    [BND_TENSOR_OP_MIN] =
        ROW("min", false, BNDI_SAVE_A, bndi_shape_of_reduction, one_an_element, min_row, min_back_row, 1, false),
};
