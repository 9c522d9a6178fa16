/* Optimizers, a row each. They work as torch's loops over tensors do: an operation at a time, its result rounded to the
 * format of the tensor that it goes into, so that a format that cannot hold epsilon loses it here as it does there. */
#include "train/train.h"

/* ---- operations on a chunk ---- */

static void rounded(const bndi_update *u, float *x, const bnd_cast *cast)
{
    bnd_status status = BND_OK;
    if (cast != NULL) {
        status = bnd_round_f32(x, x, u->n, &cast->format, NULL, NULL, NULL);
    }
    (void)status; /* a chunk of fp32: nothing can be refused */
}

/* A coefficient: in fp64 as torch has it, or rounded to the role scalar. */
static double scalar(const bndi_update *u, double x)
{
    return u->of_scalar != NULL
               ? bnd_decode(&u->of_scalar->format, bnd_encode(&u->of_scalar->format, x, u->of_scalar->rule, 0).code)
               : x;
}

/* x = a x. */
static void scale(const bndi_update *u, float *x, double a, const bnd_cast *cast)
{
    for (size_t i = 0; i < u->n; i++) {
        x[i] = (float)(a * (double)x[i]);
    }
    rounded(u, x, cast);
}

/* x = x + a y. */
static void add_scaled(const bndi_update *u, float *x, double a, const float *y, const bnd_cast *cast)
{
    for (size_t i = 0; i < u->n; i++) {
        x[i] = (float)((double)x[i] + a * (double)y[i]);
    }
    rounded(u, x, cast);
}

/* t = g g, rounded to the format of v. */
static void square(const bndi_update *u, const bnd_cast *cast)
{
    for (size_t i = 0; i < u->n; i++) {
        u->t[i] = (float)((double)u->g[i] * (double)u->g[i]);
    }
    rounded(u, u->t, cast);
}

static void square_root(const bndi_update *u, float *y, const float *x, const bnd_cast *cast)
{
    for (size_t i = 0; i < u->n; i++) {
        y[i] = __builtin_sqrtf(x[i]);
    }
    rounded(u, y, cast);
}

/* x = x + a: epsilon. */
static void shift(const bndi_update *u, float *x, double a, const bnd_cast *cast)
{
    for (size_t i = 0; i < u->n; i++) {
        x[i] = (float)((double)x[i] + a);
    }
    rounded(u, x, cast);
}

/* change = a x / y. */
static void change_by_quotient(const bndi_update *u, double a, const float *x, const float *y)
{
    for (size_t i = 0; i < u->n; i++) {
        u->change[i] = (float)(a * (double)x[i] / (double)y[i]);
    }
}

static void change_by(const bndi_update *u, double a, const float *x)
{
    for (size_t i = 0; i < u->n; i++) {
        u->change[i] = (float)(a * (double)x[i]);
    }
}

static double power(double x, uint64_t n)
{
    double product = 1;
    for (; n > 0; n >>= 1, x *= x) {
        product *= (n & 1) != 0 ? x : 1;
    }
    return product;
}

/* ---- the optimizers ---- */

/* g = g + wd w: decay as a part of the gradient. */
static void decay_gradient(bndi_update *u)
{
    if (u->decays && u->training->weight_decay != 0) {
        add_scaled(u, u->g, scalar(u, u->training->weight_decay), u->w, NULL);
    }
}

static void sgd(bndi_update *u)
{
    decay_gradient(u);
    change_by(u, -scalar(u, u->lr), u->g);
}

static void momentum(bndi_update *u)
{
    decay_gradient(u);
    scale(u, u->m, scalar(u, u->training->beta1), u->of_m);
    add_scaled(u, u->m, 1, u->g, u->of_m);
    change_by(u, -scalar(u, u->lr), u->m);
}

static void adagrad(bndi_update *u)
{
    decay_gradient(u);
    square(u, u->of_v);
    add_scaled(u, u->v, 1, u->t, u->of_v);
    square_root(u, u->t, u->v, u->of_v);
    shift(u, u->t, scalar(u, u->training->epsilon), u->of_v);
    change_by_quotient(u, -scalar(u, u->lr), u->g, u->t);
}

/* v = b v + (1 - b) g g. */
static void second_moment(bndi_update *u, double beta)
{
    double b = scalar(u, beta);
    square(u, u->of_v);
    scale(u, u->t, scalar(u, 1 - b), u->of_v);
    scale(u, u->v, b, u->of_v);
    add_scaled(u, u->v, 1, u->t, u->of_v);
}

static void rmsprop(bndi_update *u)
{
    decay_gradient(u);
    second_moment(u, u->training->beta2);
    square_root(u, u->t, u->v, u->of_v);
    shift(u, u->t, scalar(u, u->training->epsilon), u->of_v);
    change_by_quotient(u, -scalar(u, u->lr), u->g, u->t);
}

static void adam_moments(bndi_update *u)
{
    const bnd_training *t = u->training;
    double b1 = scalar(u, t->beta1);
    scale(u, u->m, b1, u->of_m);
    add_scaled(u, u->m, scalar(u, 1 - b1), u->g, u->of_m);
    second_moment(u, t->beta2);
    square_root(u, u->t, u->v, u->of_v);
    scale(u, u->t, 1 / __builtin_sqrt(1 - power(t->beta2, u->step)), u->of_v);
    shift(u, u->t, scalar(u, t->epsilon), u->of_v);
    change_by_quotient(u, -scalar(u, u->lr / (1 - power(t->beta1, u->step))), u->m, u->t);
}

static void adam(bndi_update *u)
{
    decay_gradient(u);
    adam_moments(u);
}

static void adamw(bndi_update *u)
{
    if (u->decays && u->training->weight_decay != 0) {
        scale(u, u->w, 1 - scalar(u, u->lr) * scalar(u, u->training->weight_decay), u->of_w);
    }
    adam_moments(u);
}

/* Chen et al. 2023: the sign of a mean of momentum and gradient, then the momentum. */
static void lion(bndi_update *u)
{
    const bnd_training *t = u->training;
    double b1 = scalar(u, t->beta1), b2 = scalar(u, t->beta2), lr = scalar(u, u->lr);
    double decay = u->decays ? scalar(u, t->weight_decay) : 0;
    for (size_t i = 0; i < u->n; i++) {
        u->t[i] = (float)(b1 * (double)u->m[i] + (1 - b1) * (double)u->g[i]);
    }
    rounded(u, u->t, u->of_m);
    for (size_t i = 0; i < u->n; i++) {
        double sign = u->t[i] > 0 ? 1 : u->t[i] < 0 ? -1 : (double)u->t[i];
        u->change[i] = (float)(-lr * (sign + decay * (double)u->w[i]));
    }
    scale(u, u->m, b2, u->of_m);
    add_scaled(u, u->m, 1 - b2, u->g, u->of_m);
}

static const bndi_optimizer_row rows[] = {
    {"sgd", "gradient descent", 0, 0.1, 0, 0, 0, 0, sgd},
    {"momentum", "gradient descent with momentum", 1, 0.05, 0.9, 0, 0, 0, momentum},
    {"adagrad", "AdaGrad", 3, 0.05, 0, 0, 1e-10, 0, adagrad},
    {"rmsprop", "RMSProp", 3, 1e-3, 0, 0.99, 1e-8, 0, rmsprop},
    {"adam", "Adam", 2, 1e-3, 0.9, 0.999, 1e-8, 0, adam},
    {"adamw", "Adam with decoupled weight decay, as torch has it", 2, 1e-3, 0.9, 0.999, 1e-8, 1e-2, adamw},
    {"lion", "Lion", 1, 1e-4, 0.9, 0.99, 0, 1e-2, lion},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

const bndi_optimizer_row *bndi_optimizer_at(size_t row)
{
    return &rows[row < ROWS ? row : 0];
}

size_t bnd_optimizer_count(void)
{
    return ROWS;
}

const char *bnd_optimizer_name(size_t row)
{
    return bndi_optimizer_at(row)->name;
}

const char *bnd_optimizer_title(size_t row)
{
    return bndi_optimizer_at(row)->title;
}

unsigned bnd_optimizer_states(size_t row)
{
    unsigned states = bndi_optimizer_at(row)->states;
    return states == 3 ? 1 : states;
}
