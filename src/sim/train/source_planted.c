/* Points drawn from seed_data, and planted solutions: a point, a linear map, two sides of a plane, classes. Labels have
 * no noise, so the minimum loss is 0. A cross-entropy only approaches it. */
#include "train/train.h"

#include <stdlib.h>

#include "tensor/engine.h"

static const bnd_format *fp32(void)
{
    return bnd_lab_format_of_words(BNDI_WORDS_32);
}

bnd_status bndi_plant(bnd_run *run, size_t n, bnd_error *why)
{
    bnd_tensor *t;
    bnd_status status =
        bndi_tensor_make(&t, run->engine, fp32(), &(bndi_shape){.rank = 1, .extent = {n}}, BND_ROLE_DATA, false, why);
    if (status != BND_OK) {
        return status;
    }
    bndi_source *s = &run->source;
    s->plan = calloc(n, sizeof *s->plan);
    s->plan_length = n;
    status = s->plan != NULL ? bnd_tensor_normal(t, 0, 1, run->training.seed_data, bndi_purpose(BNDI_OF_PLAN, 0), why)
                             : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a planted solution");
    if (status == BND_OK) {
        status = bnd_tensor_read_f64(s->plan, n, t, why);
    }
    bndi_drop(t);
    return status;
}

static double squares_of_plan(const bnd_run *run)
{
    double sum = 0;
    for (size_t i = 0; i < run->source.plan_length; i++) {
        sum += run->source.plan[i] * run->source.plan[i];
    }
    return sum;
}

/* ---- a point ---- */

static bnd_status point(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    const bndi_source *s = &run->source;
    (void)purpose;
    out->y = NULL;
    return bnd_tensor_from_f64(&out->x, run->engine, fp32(), s->plan, &s->plan_length, 1, BND_ROLE_DATA, why);
}

bnd_status bndi_open_point(bnd_run *run, bnd_error *why)
{
    bnd_status status = bndi_plant(run, run->training.width, why);
    run->source.batch = point;
    if (status == BND_OK) {
        run->floor = 0;
        run->chance_loss = squares_of_plan(run) / (2 * (double)run->training.width); /* of who stays at 0 */
    }
    return status;
}

/* ---- rows of normal numbers, each with what the plan makes of it ---- */

static double product(const bndi_maths *maths, const double *plan, const double *x, size_t n)
{
    return maths->sum_products(x, plan, n);
}

static double side(const bndi_maths *maths, const double *plan, const double *x, size_t n)
{
    return product(maths, plan, x, n) > 0;
}

static double class_of(const bndi_maths *maths, const double *plan, const double *x, size_t n)
{
    size_t best = 0;
    double most = -__builtin_inf();
    for (size_t i = 0; i < BNDI_CLASSES; i++) {
        double sum = product(maths, plan + i * n, x, n);
        best = sum > most ? i : best;
        most = sum > most ? sum : most;
    }
    return (double)best;
}

/* x (batch, n), and its y: (batch, 1), or (batch) for classes. Making labels is not part of the run: its memory is not
 * counted. */
static bnd_status rows(bndi_batch *out, bnd_run *run, uint64_t purpose, size_t n, size_t rank,
                       double (*label)(const bndi_maths *maths, const double *plan, const double *x, size_t n),
                       bnd_error *why)
{
    const bndi_maths *maths = bndi_maths_of(&run->engine->context);
    size_t batch = run->training.batch;
    bool fits = n < SIZE_MAX && batch <= SIZE_MAX / sizeof(double) / (n + 1);
    double *y = fits ? calloc(batch * (n + 1), sizeof *y) : NULL; /* and x behind them */
    if (y == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the labels of a batch of %zu", batch);
    }
    bnd_status status = bnd_tensor_new(&out->x, run->engine, fp32(), (size_t[]){batch, n}, 2, BND_ROLE_DATA, why);
    if (status == BND_OK) {
        status = bnd_tensor_normal(out->x, 0, 1, run->training.seed_data, purpose, why);
    }
    const double *x = y + batch;
    if (status == BND_OK) {
        status = bnd_tensor_read_f64(y + batch, batch * n, out->x, why);
    }
    for (size_t i = 0; status == BND_OK && i < batch; i++) {
        y[i] = label(maths, run->source.plan, x + i * n, n);
    }
    if (status == BND_OK) {
        status = bnd_tensor_from_f64(&out->y, run->engine, fp32(), y, (size_t[]){batch, 1}, rank, BND_ROLE_DATA, why);
    }
    free(y);
    return status;
}

static bnd_status rows_of_linear(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    return rows(out, run, purpose, run->training.width, 2, product, why);
}

static bnd_status rows_of_sides(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    return rows(out, run, purpose, run->training.width, 2, side, why);
}

static bnd_status rows_of_classes(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    out->y_is_whole = true;
    return rows(out, run, purpose, run->training.inputs, 1, class_of, why);
}

bnd_status bndi_open_linear(bnd_run *run, bnd_error *why)
{
    bnd_status status = bndi_plant(run, run->training.width, why);
    run->source.batch = rows_of_linear;
    if (status == BND_OK) {
        run->floor = 0;
        run->chance_loss = squares_of_plan(run) / 2; /* y has the variance |plan|^2 */
    }
    return status;
}

bnd_status bndi_open_sides(bnd_run *run, bnd_error *why)
{
    run->source.batch = rows_of_sides;
    run->floor = 0;
    run->chance_loss = 0.69314718055994530942; /* log 2 */
    return bndi_plant(run, run->training.width, why);
}

bnd_status bndi_open_classes(bnd_run *run, bnd_error *why)
{
    run->source.batch = rows_of_classes;
    run->floor = 0;
    run->chance_loss = 2.30258509299404568402; /* log 10: all classes are as likely */
    return bndi_plant(run, run->training.inputs * BNDI_CLASSES, why);
}
