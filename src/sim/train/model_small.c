/* The small models, each with a planted solution: a quadratic bowl, least squares, logistic regression. */
#include "train/train.h"

static void usual_bowl(bnd_training *t)
{
    t->width = t->width != 0 ? t->width : 64;
    t->batch = 1;
}

static void usual_regression(bnd_training *t)
{
    t->width = t->width != 0 ? t->width : 64;
}

static void usual_classification(bnd_training *t)
{
    usual_regression(t);
    t->batch = 128;
    t->steps = 400;
}

/* ---- a bowl: half the mean of the squared distance to a point ---- */

static void build_bowl(bndi_graph *g)
{
    bndi_add_vector(g, "w", g->run->training.width, 0);
}

static bnd_tensor *loss_of_bowl(bndi_graph *g, const bndi_batch *batch)
{
    return bndi_half_mean_square(g, bndi_weight(g, 0), batch->x);
}

const bndi_model_row bndi_quadratic_row = {.name = "quadratic",
                                           .title = "a quadratic function around a planted point",
                                           .has = BNDI_HAS_NUMBERS,
                                           .usual = usual_bowl,
                                           .stride = 30,
                                           .source = bndi_open_point,
                                           .build = build_bowl,
                                           .loss = loss_of_bowl};

/* ---- least squares ---- */

static void build_regression(bndi_graph *g)
{
    bndi_add_matrix(g, "w", 1, g->run->training.width, 0, BNDI_OUTER);
    bndi_add_vector(g, "b", 1, 0);
}

static bnd_tensor *loss_of_least_squares(bndi_graph *g, const bndi_batch *batch)
{
    return bndi_half_mean_square(g, bndi_dense(g, batch->x, 0), batch->y);
}

const bndi_model_row bndi_least_squares_row = {.name = "linear",
                                               .title = "least squares with a planted solution",
                                               .has = BNDI_HAS_NUMBERS,
                                               .usual = usual_regression,
                                               .stride = 30,
                                               .source = bndi_open_linear,
                                               .build = build_regression,
                                               .loss = loss_of_least_squares};

/* ---- logistic regression ---- */

/* The mean of log(1 + e^z) - y z; log(1 + e^z) is -log sigmoid(-z). */
static bnd_tensor *loss_of_logistic(bndi_graph *g, const bndi_batch *batch)
{
    bnd_tensor *z = bndi_dense(g, batch->x, 0);
    bnd_tensor *share = bndi_map(g, BND_TENSOR_OP_SIGMOID, bndi_map(g, BND_TENSOR_OP_NEG, bndi_again(z)));
    bnd_tensor *weighed = bndi_careful_pair(g, BND_TENSOR_OP_MUL, batch->y, z);
    bnd_tensor *sum = bndi_careful_pair(g, BND_TENSOR_OP_ADD, bndi_map(g, BND_TENSOR_OP_LOG, share), weighed);
    return bndi_careful_map(g, BND_TENSOR_OP_NEG, bndi_careful_map(g, BND_TENSOR_OP_MEAN, sum));
}

const bndi_model_row bndi_logistic_row = {.name = "logistic",
                                          .title = "logistic regression on two planted classes",
                                          .has = BNDI_HAS_NUMBERS,
                                          .usual = usual_classification,
                                          .stride = 100,
                                          .source = bndi_open_sides,
                                          .build = build_regression,
                                          .loss = loss_of_logistic};
