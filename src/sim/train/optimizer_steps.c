/* Steps of optimizers: operations on a chunk, each result rounded to the format of the tensor that receives it. */
#include "train/optimizer_steps.h"

#include "tensor/engine.h"

void bndi_chunk_rounded(const bndi_update *u, float *x, const bnd_cast *cast)
{
    bndi_round_chunk(u->engine, x, u->n, cast);
}

size_t bndi_blocks_in(const bndi_parameter *p, const bndi_shape *shape)
{
    return bndi_partition_blocks(&p->partition, shape->extent[p->partition.by_columns]);
}

/* A coefficient: in fp64 as torch has it, or rounded to the role scalar. 1 - beta is one of its own: it is worked
 * out in fp64 and then rounded, as a program that hands it to an operation does. */
double bndi_scalar(const bnd_cast *of_scalar, double x)
{
    return of_scalar != NULL
               ? bnd_decode(&of_scalar->format, bnd_encode(&of_scalar->format, x, of_scalar->rule, 0).code)
               : x;
}

double bndi_chunk_scalar(const bndi_update *u, double x)
{
    return bndi_scalar(u->of_scalar, x);
}

void bndi_chunk_by_formula(const bndi_update *u, bndi_formula_name name, float *y, const float *x, const float *other,
                           double k)
{
    u->maths->formula[BNDI_WORDS_32][name](y, (const void *[]){x, other, NULL}, k, u->n);
}

void bndi_chunk_scale(const bndi_update *u, float *x, double a, const bnd_cast *cast)
{
    bndi_chunk_by_formula(u, BNDI_F_scale, x, x, NULL, a);
    bndi_chunk_rounded(u, x, cast);
}

void bndi_chunk_add_scaled(const bndi_update *u, float *x, double a, const float *y, const bnd_cast *cast)
{
    bndi_chunk_by_formula(u, BNDI_F_add_scaled, x, x, y, a);
    bndi_chunk_rounded(u, x, cast);
}

void bndi_chunk_square(const bndi_update *u, const bnd_cast *cast)
{
    bndi_chunk_by_formula(u, BNDI_F_mul, u->t, u->g, u->g, 0);
    bndi_chunk_rounded(u, u->t, cast);
}

void bndi_chunk_square_root(const bndi_update *u, float *y, const float *x, const bnd_cast *cast)
{
    bndi_chunk_by_formula(u, BNDI_F_sqrt, y, x, NULL, 0);
    bndi_chunk_rounded(u, y, cast);
}

void bndi_chunk_shift(const bndi_update *u, float *x, double a, const bnd_cast *cast)
{
    bndi_chunk_by_formula(u, BNDI_F_shift, x, x, NULL, a);
    bndi_chunk_rounded(u, x, cast);
}

void bndi_chunk_change_by_quotient(const bndi_update *u, double a, const float *x, const float *y)
{
    bndi_chunk_by_formula(u, BNDI_F_scaled_quotient, u->change, x, y, a);
}

void bndi_chunk_change_by(const bndi_update *u, double a, const float *x)
{
    bndi_chunk_by_formula(u, BNDI_F_scale, u->change, x, NULL, a);
}

double bndi_chunk_power(double x, uint64_t n)
{
    double product = 1;
    for (; n > 0; n >>= 1, x *= x) {
        product *= (n & 1) != 0 ? x : 1;
    }
    return product;
}

static double correction_of_v(const bndi_update *u)
{
    return 1 / __builtin_sqrt(1 - bndi_chunk_power(u->training->beta2, u->step_of_v));
}

void bndi_chunk_root_of_v(const bndi_update *u)
{
    bndi_chunk_square_root(u, u->t, u->v, u->of_v);
    bndi_chunk_scale(u, u->t, correction_of_v(u), u->of_v);
    bndi_chunk_shift(u, u->t, bndi_chunk_scalar(u, u->training->epsilon), u->of_v);
}

/* What the change is, as a multiple of m. */
static void set_divisor(bndi_update *u)
{
    u->per_m = bndi_chunk_scalar(u, u->lr / (1 - bndi_chunk_power(u->training->beta1, u->step_of_m)));
    u->divisor = u->t;
}

void bndi_chunk_adam_change(bndi_update *u)
{
    set_divisor(u);
    bndi_chunk_change_by_quotient(u, -u->per_m, u->m, u->t);
}

void bndi_average_into_m(bndi_update *u)
{
    bndi_chunk_scale(u, u->m, bndi_chunk_scalar(u, u->training->beta1), u->of_m);
    bndi_chunk_add_scaled(u, u->m, bndi_chunk_scalar(u, 1 - u->training->beta1), u->g, u->of_m);
}

void bndi_average_into_v(bndi_update *u, double beta)
{
    bndi_chunk_scale(u, u->t, bndi_chunk_scalar(u, 1 - beta), u->of_v);
    bndi_chunk_scale(u, u->v, bndi_chunk_scalar(u, beta), u->of_v);
    bndi_chunk_add_scaled(u, u->v, 1, u->t, u->of_v);
}

static bool is_decayed(const bndi_update *u)
{
    return u->decays && u->training->weight_decay != 0;
}

static double decay_of(const bndi_update *u)
{
    return bndi_chunk_scalar(u, u->lr) * bndi_chunk_scalar(u, u->training->weight_decay);
}

void bndi_decay_weights(bndi_update *u)
{
    if (is_decayed(u)) {
        u->decay = decay_of(u);
        bndi_chunk_scale(u, u->w, 1 - u->decay, u->of_w);
    }
}

bool bndi_chunk_adam_at_once(bndi_update *u, bool decoupled)
{
    const bnd_training *t = u->training;
    if (u->of_w != NULL || u->of_m != NULL || u->of_v != NULL) {
        return false;
    }
    u->decay = decoupled && is_decayed(u) ? decay_of(u) : 0;
    set_divisor(u);
    const bndi_adam k = {.keep = 1 - u->decay,
                         .beta1 = bndi_chunk_scalar(u, t->beta1),
                         .rest1 = bndi_chunk_scalar(u, 1 - t->beta1),
                         .beta2 = bndi_chunk_scalar(u, t->beta2),
                         .rest2 = bndi_chunk_scalar(u, 1 - t->beta2),
                         .correction = correction_of_v(u),
                         .epsilon = bndi_chunk_scalar(u, t->epsilon),
                         .rate = -u->per_m};
    u->maths->adam(&k, u->w, u->m, u->v, u->g, u->t, u->change, u->n);
    return true;
}
