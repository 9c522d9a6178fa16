/* Operations element by element: each is a row of formulas, for the result and for the gradients of its operands. */
#include "tensor/formula.h"
#include "tensor/gradient.h"
#include "tensor/sums.h"

/* What a gradient's formula has as its b and c. */
typedef enum source { NOTHING, FIRST, SECOND, RESULT } source;

typedef struct slope {
    bndi_formula_name name; /* BNDI_F_NONE: the gradient of the result itself */
    source b, c;
} slope;

typedef struct formulas {
    bndi_formula_name forward;
    slope back[2];
} formulas;

/* ---- a formula over tensors ---- */

static bnd_status elementwise_forward(bndi_call *c, bnd_error *why)
{
    const formulas *f = c->row->kernels;
    const bnd_tensor *in[] = {c->saved[0], c->count > 1 ? c->saved[1] : NULL, NULL};
    bndi_store how = bndi_store_for(c->engine, c->role);
    (void)why;
    bndi_run_formula(c->saved[BNDI_OUT], f->forward, in, c->attributes.number[0], c->work, &how);
    return BND_OK;
}

/* ---- gradients ---- */

static const bnd_tensor *of_source(const bndi_call *c, source s)
{
    return s == NOTHING ? NULL : c->saved[s == FIRST ? 0 : s == SECOND ? 1 : BNDI_OUT];
}

/* The gradient of operand i at the shape of the result, then summed to the operand's where that was repeated. */
static bnd_status one_gradient(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, unsigned i, bnd_error *why)
{
    const slope *s = &((const formulas *)c->row->kernels)->back[i];
    const bnd_tensor *in[] = {d, of_source(c, s->b), of_source(c, s->c)};
    bool repeated = !bndi_same_shape(&c->shape, &c->in_shape[i]);
    bnd_tensor *whole;
    if (s->name == BNDI_F_NONE) {
        return bndi_sum_to(&g->out[i], c, g, i, d, why);
    }
    bnd_status status = repeated ? bndi_tensor_make(&whole, c->engine, bnd_lab_format_of_words(c->work), &c->shape,
                                                    BND_ROLE_SCRATCH, false, why)
                                 : bndi_gradient_of_operand(&whole, c, g, i, false, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_store how =
        repeated ? (bndi_store){.rule = {.rounding = BND_ROUND_RNE}} : bndi_store_for(c->engine, g->role[i]);
    bndi_run_formula(whole, s->name, in, c->attributes.number[0], c->work, &how);
    bndi_count_flops(c->engine, c->operation, bndi_count(&c->shape));
    if (!repeated) {
        g->out[i] = whole;
        return BND_OK;
    }
    status = bndi_sum_to(&g->out[i], c, g, i, whole, why);
    bndi_drop(whole);
    return status;
}

static bnd_status elementwise_backward(bndi_call *c, const bnd_tensor *d, bndi_gradients *g, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (unsigned i = 0; status == BND_OK && i < c->count; i++) {
        if (g->wanted[i]) {
            status = one_gradient(c, d, g, i, why);
        }
    }
    return status;
}

/* ---- the rows ---- */

/* A gradient: the result's as it is; by a formula of it alone; with one and with two others. */
#define AS_IS                                                                                                          \
    {                                                                                                                  \
        .name = BNDI_F_NONE                                                                                            \
    }
#define BY(f)                                                                                                          \
    {                                                                                                                  \
        .name = BNDI_F_##f                                                                                             \
    }
#define BY1(f, x)                                                                                                      \
    {                                                                                                                  \
        .name = BNDI_F_##f, .b = x                                                                                     \
    }
#define BY2(f, x, y)                                                                                                   \
    {                                                                                                                  \
        .name = BNDI_F_##f, .b = x, .c = y                                                                             \
    }

#define ROW(title, operands, needs, ...)                                                                               \
    {                                                                                                                  \
        .name = title, .least = operands, .most = operands, .saves = needs, .forward = elementwise_forward,            \
        .backward = elementwise_backward, .kernels = &(const formulas)                                                 \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define PAIR(title, needs, f, first, second)                                                                           \
    ROW(title, 2, needs, .forward = BNDI_F_##f, .back[0] = first, .back[1] = second)
#define MAP(title, needs, f, first) ROW(title, 1, needs, .forward = BNDI_F_##f, .back[0] = first)

enum { A = BNDI_SAVE_A, B = BNDI_SAVE_B, OUT = BNDI_SAVE_OUT };

const bndi_row bndi_elementwise_rows[BND_TENSOR_OP_COUNT] = {
    [BND_TENSOR_OP_ADD] = PAIR("add", 0, add, AS_IS, AS_IS),
    [BND_TENSOR_OP_SUB] = PAIR("sub", 0, sub, AS_IS, BY(neg)),
    [BND_TENSOR_OP_MUL] = PAIR("mul", A | B, mul, BY1(mul, SECOND), BY1(mul, FIRST)),
    [BND_TENSOR_OP_DIV] = PAIR("div", A | B, div, BY1(div, SECOND), BY2(div_second, FIRST, SECOND)),
    [BND_TENSOR_OP_MAXIMUM] =
        PAIR("maximum", A | B, maximum, BY2(maximum_first, FIRST, SECOND), BY2(maximum_second, FIRST, SECOND)),
    [BND_TENSOR_OP_MINIMUM] =
        PAIR("minimum", A | B, minimum, BY2(maximum_second, FIRST, SECOND), BY2(maximum_first, FIRST, SECOND)),
    [BND_TENSOR_OP_POW] = MAP("pow", A, power, BY1(power_back, FIRST)),
    [BND_TENSOR_OP_SCALE] = MAP("scale", 0, scale, BY(scale)),
    [BND_TENSOR_OP_SHIFT] = MAP("shift", 0, shift, AS_IS),
    [BND_TENSOR_OP_NEG] = MAP("neg", 0, neg, BY(neg)),
    [BND_TENSOR_OP_ABS] = MAP("abs", A, abs, BY1(abs_back, FIRST)),
    [BND_TENSOR_OP_EXP] = MAP("exp", OUT, exp, BY1(mul, RESULT)),
    [BND_TENSOR_OP_LOG] = MAP("log", A, log, BY1(div, FIRST)),
    [BND_TENSOR_OP_SQRT] = MAP("sqrt", OUT, sqrt, BY1(sqrt_back, RESULT)),
    [BND_TENSOR_OP_RSQRT] = MAP("rsqrt", A | OUT, rsqrt, BY2(rsqrt_back, RESULT, FIRST)),
    [BND_TENSOR_OP_TANH] = MAP("tanh", OUT, tanh, BY1(tanh_back, RESULT)),
    [BND_TENSOR_OP_ERF] = MAP("erf", A, erf, BY1(erf_back, FIRST)),
    [BND_TENSOR_OP_SIGMOID] = MAP("sigmoid", OUT, sigmoid, BY1(sigmoid_back, RESULT)),
    [BND_TENSOR_OP_RELU] = MAP("relu", OUT, relu, BY1(relu_back, RESULT)),
    [BND_TENSOR_OP_GELU] = MAP("gelu", A, gelu, BY1(gelu_back, FIRST)),
    [BND_TENSOR_OP_GELU_TANH] = MAP("gelu_tanh", A, gelu_tanh, BY1(gelu_tanh_back, FIRST)),
    [BND_TENSOR_OP_SILU] = MAP("silu", A, silu, BY1(silu_back, FIRST)),
};
