/* Adafactor (Shazeer and Stern 2018, arXiv:1804.04235, algorithms 4 and 5): the second moment of a matrix is the outer
 * product of the means of its rows and of its columns, so that an n by m matrix keeps n + m numbers. The old mean has
 * the weight 1 - t^-beta2 at step t. Updates with a root mean square above 1 are scaled down to 1. Their size is the
 * root mean square of the weights, at least 1e-3, times the smaller of lr and 1 / sqrt t. There is no first moment. The
 * means are rounded like v, after every operation; roots and quotients are computed in fp64 and rounded when the weight
 * is. */
#include "train/optimizer.h"

#include <string.h>

#include "tensor/engine.h"

static const double least_size = 1e-3, longest_update = 1;

/* What is done with each gradient, in their order. */
typedef struct element {
    double g, w;
    size_t row, column;
} element;
typedef void visit(void *data, const bndi_whole_update *f, const element *e);

static void visit_all(void *data, const bndi_whole_update *f, const bnd_run *run, const bndi_parameter *p, visit *what)
{
    const bnd_tensor *w = p->master != NULL ? p->master : p->value;
    bndi_numbers gradients, weights;
    size_t count = f->rows * f->columns;
    float unscale = (float)(1 / run->loss_scale);
    for (size_t at = 0; at < count; at += BNDI_TENSOR_CHUNK) {
        size_t n = count - at < BNDI_TENSOR_CHUNK ? count - at : BNDI_TENSOR_CHUNK;
        const float *x = bndi_take_numbers(&gradients, p->value->gradient, at, n),
                    *y = bndi_take_numbers(&weights, w, at, n);
        for (size_t i = 0; i < n; i++) {
            what(data, f,
                 &(element){.g = (double)(x[i] * unscale),
                            .w = (double)y[i],
                            .row = (at + i) / f->columns,
                            .column = (at + i) % f->columns});
        }
    }
}

/* ---- the second moment ---- */

static void add_square(void *data, const bndi_whole_update *f, const element *e)
{
    double square = e->g * e->g + *(const double *)data;
    f->row[e->row] += square / (double)f->columns;
    f->column[e->column] += square / (double)f->rows;
}

/* v = beta v + (1 - beta) x, as it is then stored; and x = v. */
static void average(double *x, bnd_run *run, bndi_parameter *p, size_t first, size_t count, double beta)
{
    bndi_numbers v, t;
    for (size_t at = 0; at < count; at += BNDI_TENSOR_CHUNK) {
        size_t n = count - at < BNDI_TENSOR_CHUNK ? count - at : BNDI_TENSOR_CHUNK;
        bndi_update u = {.engine = run->engine,
                         .n = n,
                         .maths = bndi_maths_of(&run->engine->context),
                         .v = bndi_take_numbers(&v, p->factors, first + at, n),
                         .t = t.f32,
                         .of_v = bndi_rounds_to(run, BND_ROLE_V),
                         .of_scalar = bndi_cast_of(run->engine, BND_ROLE_SCALAR)};
        for (size_t i = 0; i < n; i++) {
            u.t[i] = (float)x[at + i];
        }
        bndi_average_into_v(&u, beta);
        bndi_put_numbers(run, p->factors, first + at, n, u.v, BND_ROLE_V);
        const float *now = bndi_take_numbers(&v, p->factors, first + at, n);
        for (size_t i = 0; i < n; i++) {
            x[at + i] = (double)now[i];
        }
    }
}

/* Rows over their mean: then v is a product. A vector has no rows to keep. */
static void divide_rows(bndi_whole_update *f, bool matrix)
{
    double mean = 0;
    for (size_t i = 0; i < f->rows; i++) {
        mean += f->row[i] / (double)f->rows;
    }
    for (size_t i = 0; i < f->rows; i++) {
        f->row[i] = matrix ? f->row[i] / mean : 1;
    }
}

/* ---- the size of the update ---- */

typedef struct squares {
    double of_updates, of_weights;
} squares;

static double update_of(const bndi_whole_update *f, double g, size_t row, size_t column)
{
    return g / __builtin_sqrt(f->row[row] * f->column[column]);
}

static void add_update(void *data, const bndi_whole_update *f, const element *e)
{
    squares *s = data;
    double u = update_of(f, e->g, e->row, e->column);
    s->of_updates += u * u;
    s->of_weights += e->w * e->w;
}

static double larger(double a, double b)
{
    return a > b ? a : b; /* returns b if a is NaN: the updates are NaN then anyway */
}

static void find_rate(bndi_whole_update *f, const bnd_run *run, const bndi_parameter *p, double lr)
{
    squares s = {0, 0};
    double count = (double)f->rows * (double)f->columns, limit = 1 / __builtin_sqrt((double)(p->made.all + 1));
    visit_all(&s, f, run, p, add_update);
    double size = larger(__builtin_sqrt(s.of_weights / count), least_size);
    double cut = larger(__builtin_sqrt(s.of_updates / count) / longest_update, 1);
    f->rate = (lr < limit ? lr : limit) * size / cut;
}

bnd_status bndi_adafactor_prepare(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr, bnd_error *why)
{
    const bndi_shape *shape = &p->value->shape;
    const bnd_cast *of_scalar = bndi_cast_of(run->engine, BND_ROLE_SCALAR);
    (void)why;
    bool matrix = shape->rank == 2;
    bndi_whole_update f = {.rows = matrix ? shape->extent[0] : 1,
                           .columns = matrix ? shape->extent[1] : bndi_count(shape)};
    double epsilon = bndi_scalar(of_scalar, run->training.epsilon);
    double beta = 1 - bndi_exp_of(run, -run->training.beta2 * bndi_log_of(run, (double)(p->made.v + 1)));
    f.row = run->factor_room;
    memset(f.row, 0, (f.rows + f.columns) * sizeof *f.row);
    f.column = f.row + f.rows;
    visit_all(&epsilon, &f, run, p, add_square);
    if (matrix) {
        average(f.row, run, p, 0, f.rows, beta);
    }
    average(f.column, run, p, matrix ? f.rows : 0, f.columns, beta);
    divide_rows(&f, matrix);
    find_rate(&f, run, p, bndi_scalar(of_scalar, lr));
    *out = f;
    return BND_OK;
}

void bndi_adafactor(bndi_update *u)
{
    const bndi_whole_update *f = u->whole;
    for (size_t i = 0; i < u->n; i++) {
        size_t at = u->at + i;
        u->change[i] = (float)(-f->rate * update_of(f, (double)u->g[i], at / f->columns, at % f->columns));
    }
    bndi_decay_weights(u);
}
