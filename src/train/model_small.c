/* The small models: a bowl, least squares, logistic regression; each with a solution that is planted. */
#include "train/train.h"

#include <stdlib.h>

#include "tensor/tensor.h"

static const bnd_format *fp32(void)
{
    return bndi_format_of_words(BNDI_WORDS_32);
}

bnd_status bndi_plant(bnd_run *run, size_t n, bnd_error *why)
{
    bnd_tensor *t;
    bnd_status status =
        bndi_tensor_make(&t, run->engine, fp32(), &(bndi_shape){.rank = 1, .extent = {n}}, BND_ROLE_DATA, false, why);
    if (status != BND_OK) {
        return status;
    }
    run->plan = calloc(n, sizeof *run->plan);
    run->plan_length = n;
    status = run->plan != NULL ? bnd_tensor_normal(t, 0, 1, run->training.seed_data, bndi_purpose(BNDI_OF_PLAN, 0), why)
                               : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a planted solution");
    status = status == BND_OK ? bnd_tensor_read_f64(run->plan, n, t, why) : status;
    bndi_drop(t);
    return status;
}

/* x, normal, and y = x . plan for each row. */
static bnd_status planted_rows(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    const bnd_training *t = &run->training;
    size_t n = t->batch * t->width;
    double *x = malloc((n + t->batch) * sizeof *x), *y = x + n;
    if (x == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a batch");
    }
    bnd_status status =
        bnd_tensor_new(&out->x, run->engine, fp32(), (size_t[]){t->batch, t->width}, 2, BND_ROLE_DATA, why);
    if (status == BND_OK) {
        status = bnd_tensor_normal(out->x, 0, 1, t->seed_data, purpose, why);
    }
    if (status == BND_OK) {
        status = bnd_tensor_read_f64(x, n, out->x, why);
    }
    for (size_t i = 0; status == BND_OK && i < t->batch; i++) {
        y[i] = 0;
        for (size_t j = 0; j < t->width; j++) {
            y[i] += x[i * t->width + j] * run->plan[j];
        }
    }
    if (status == BND_OK) {
        status = bnd_tensor_from_f64(&out->y, run->engine, fp32(), y, (size_t[]){t->batch, 1}, 2, BND_ROLE_DATA, why);
    }
    free(x);
    return status;
}

/* Half the mean of squares of a - b. */
static bnd_status half_mean_square(bnd_tensor **out, bnd_tensor *a, bnd_tensor *b, bnd_error *why)
{
    bnd_tensor *difference, *square, *mean;
    bnd_attributes two = {.number = {2}}, half = {.number = {0.5}};
    bnd_status status = bnd_tensor_pair(&difference, BND_TENSOR_SUB, a, b, why);
    status = status == BND_OK ? bnd_tensor_apply(&square, BND_TENSOR_POW, &difference, 1, &two, why) : status;
    status = status == BND_OK ? bnd_tensor_map(&mean, BND_TENSOR_MEAN, square, why) : status;
    return status == BND_OK ? bnd_tensor_apply(out, BND_TENSOR_SCALE, &mean, 1, &half, why) : status;
}

/* ---- a bowl: half the sum of curvature times the squared distance to the solution ---- */

static void quadratic_usual(bnd_training *t)
{
    t->width = t->width != 0 ? t->width : 64;
    t->batch = 1;
}

static bnd_status quadratic_build(bnd_run *run, bnd_error *why)
{
    run->floor = 0;
    bnd_status status = bndi_plant(run, run->training.width, why);
    return status == BND_OK ? bndi_parameter_add(run, "w", (size_t[]){run->training.width}, 1, 0, 0, true, why)
                            : status;
}

static bnd_status quadratic_batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    (void)purpose;
    out->y = NULL;
    return bnd_tensor_from_f64(&out->x, run->engine, fp32(), run->plan, (size_t[]){run->plan_length}, 1, BND_ROLE_DATA,
                               why);
}

static bnd_status quadratic_loss(bnd_tensor **out, bnd_run *run, const bndi_batch *batch, bnd_error *why)
{
    return half_mean_square(out, run->parameter[0].value, batch->x, why);
}

const bndi_model_row bndi_quadratic_row = {.name = "quadratic",
                                           .title = "a bowl around a planted point",
                                           .usual = quadratic_usual,
                                           .build = quadratic_build,
                                           .batch = quadratic_batch,
                                           .loss = quadratic_loss};

/* ---- least squares ---- */

static void regression_usual(bnd_training *t)
{
    t->width = t->width != 0 ? t->width : 64;
}

static bnd_status regression_build(bnd_run *run, bnd_error *why)
{
    run->floor = 0;
    bnd_status status = bndi_plant(run, run->training.width, why);
    if (status == BND_OK) {
        status = bndi_parameter_add(run, "w", (size_t[]){1, run->training.width}, 2, 0, 0, true, why);
    }
    return status == BND_OK ? bndi_parameter_add(run, "b", (size_t[]){1}, 1, 0, 0, false, why) : status;
}

static bnd_status linear_loss(bnd_tensor **out, bnd_run *run, const bndi_batch *batch, bnd_error *why)
{
    bnd_tensor *y;
    bnd_status status = bndi_dense(&y, run, batch->x, 0, why);
    return status == BND_OK ? half_mean_square(out, y, batch->y, why) : status;
}

static bnd_status linear_build(bnd_run *run, bnd_error *why)
{
    bnd_status status = regression_build(run, why);
    double sum = 0;
    for (size_t i = 0; status == BND_OK && i < run->plan_length; i++) {
        sum += run->plan[i] * run->plan[i];
    }
    run->ignorance = sum / 2; /* y has the variance |plan|^2 */
    return status;
}

const bndi_model_row bndi_least_squares_row = {.name = "linear",
                                               .title = "least squares with a planted solution",
                                               .usual = regression_usual,
                                               .build = linear_build,
                                               .batch = planted_rows,
                                               .loss = linear_loss};

/* ---- logistic regression: classes by the sign of the planted solution ---- */

static bnd_status logistic_batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why)
{
    bnd_status status = planted_rows(out, run, purpose, why);
    size_t n = run->training.batch;
    double *y = malloc(n * sizeof *y);
    if (status == BND_OK && y == NULL) {
        status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a batch");
    }
    status = status == BND_OK ? bnd_tensor_read_f64(y, n, out->y, why) : status;
    for (size_t i = 0; status == BND_OK && i < n; i++) {
        y[i] = y[i] > 0;
    }
    status = status == BND_OK ? bnd_tensor_write_f64(out->y, y, n, (bnd_rule){.rounding = BND_RNE}, why) : status;
    free(y);
    return status;
}

/* The mean of log(1 + e^z) - y z, as the logsumexp of (0, z). */
static bnd_status logistic_loss(bnd_tensor **out, bnd_run *run, const bndi_batch *batch, bnd_error *why)
{
    bnd_tensor *z, *negative, *share, *logarithm, *weighed, *sum, *mean;
    bnd_status status = bndi_dense(&z, run, batch->x, 0, why);
    /* log(1 + e^z) = -log sigmoid(-z) */
    status = status == BND_OK ? bnd_tensor_map(&negative, BND_TENSOR_NEG, z, why) : status;
    status = status == BND_OK ? bnd_tensor_map(&share, BND_TENSOR_SIGMOID, negative, why) : status;
    status = status == BND_OK ? bnd_tensor_map(&logarithm, BND_TENSOR_LOG, share, why) : status;
    status = status == BND_OK ? bnd_tensor_pair(&weighed, BND_TENSOR_MUL, batch->y, z, why) : status;
    status = status == BND_OK ? bnd_tensor_pair(&sum, BND_TENSOR_ADD, logarithm, weighed, why) : status;
    status = status == BND_OK ? bnd_tensor_map(&mean, BND_TENSOR_MEAN, sum, why) : status;
    return status == BND_OK ? bnd_tensor_map(out, BND_TENSOR_NEG, mean, why) : status;
}

static bnd_status logistic_build(bnd_run *run, bnd_error *why)
{
    bnd_status status = regression_build(run, why);
    run->ignorance = 0.69314718055994530942;
    return status;
}

const bndi_model_row bndi_logistic_row = {.name = "logistic",
                                          .title = "logistic regression on two planted classes",
                                          .usual = regression_usual,
                                          .build = logistic_build,
                                          .batch = logistic_batch,
                                          .loss = logistic_loss};
