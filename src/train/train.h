/* What train/ shares between its files. A run is parameters with their states, a model that makes a loss of a batch, a
 * source of batches, and an optimizer; each of the last three is a row and a file. */
#ifndef BINADE_SRC_TRAIN_H
#define BINADE_SRC_TRAIN_H

#include <binade/train.h>

enum { BNDI_PARAMETERS = 512, BNDI_PARAMETER_NAME = 48 };

typedef struct bndi_parameter {
    char name[BNDI_PARAMETER_NAME];
    bnd_tensor *value; /* in the format of the role param: what the model computes with; NULL between steps where it is
                        * transient */
    bnd_tensor *master, *m, *v, *extra; /* NULL where the recipe or the optimizer has none */
    bool decays;                        /* weight decay: matrices, not gains and biases */
    unsigned place;
    bnd_updates updates; /* of the last step */
} bndi_parameter;

typedef struct bndi_batch {
    bnd_tensor *x, *y;
} bndi_batch;

typedef struct bndi_model_row bndi_model_row;
typedef struct bndi_optimizer_row bndi_optimizer_row;

/* A block of a transformer: where its parameters begin. It is told to a segment, and lives as long as the tape. */
enum { BNDI_DEPTH = 40 };
typedef struct bndi_block_data {
    bnd_run *run;
    size_t first;
} bndi_block_data;

struct bnd_run {
    bnd_training training;
    bnd_engine *engine;
    const bndi_model_row *model;
    const bndi_optimizer_row *optimizer;
    bndi_parameter parameter[BNDI_PARAMETERS];
    size_t parameters;
    char place_name[BNDI_PARAMETERS + 1][BNDI_PARAMETER_NAME]; /* place 0: what belongs to no parameters */
    unsigned places;
    uint64_t step, good_steps;
    double loss_scale;
    double *plan; /* numbers that the model or its data are made of once: a planted solution, a Markov chain */
    size_t plan_length;
    double floor, ignorance;
    struct bndi_block_data blocks[BNDI_DEPTH]; /* of a transformer: what its segments are told */
};

/* Purposes of random bits, so that no two things share them: in the upper half of a purpose. */
enum { BNDI_OF_INIT = 1, BNDI_OF_DATA, BNDI_OF_PLAN, BNDI_OF_VALIDATION, BNDI_OF_DROPOUT };
static inline uint64_t bndi_purpose(unsigned what, uint64_t index)
{
    return (uint64_t)what << 48 | index;
}

/* The sum of squares of all gradients over the loss scale; infinite or NaN where one is no number. */
double bndi_squares_of_gradients(const bnd_run *run, double unscale);

/* torch's GradScaler: a step with a gradient that is no number is skipped and the scale halved; so many good ones
 * double it. */
bool bndi_loss_scale_allows(bnd_run *run, double squares);

typedef struct bndi_update_totals {
    uint64_t updates, cancelled;
    double squares_of_updates, squares_of_weights;
} bndi_update_totals;

BND_CHECKED bnd_status bndi_update_all(bnd_run *run, double lr, bndi_update_totals *sums, bnd_error *why);

/* ---- models ---- */

struct bndi_model_row {
    const char *name, *title;
    /* The sizes that it is usually run with: written where they are 0. */
    void (*usual)(bnd_training *t);
    /* Its parameters, and what its data are made of. */
    bnd_status (*build)(bnd_run *run, bnd_error *why);
    /* A batch: `purpose` tells which one. */
    bnd_status (*batch)(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why);
    bnd_status (*loss)(bnd_tensor **out, bnd_run *run, const bndi_batch *batch, bnd_error *why);
};

/* A new parameter: normal numbers of this deviation, or (deviation 0) all `value`. Its index is run->parameters - 1. */
BND_CHECKED bnd_status bndi_parameter_add(bnd_run *run, const char *name, const size_t *shape, size_t rank,
                                          double deviation, double value, bool decays, bnd_error *why);

/* Around whatever computes with parameters: those that are transient are made of their masters, and are gone. */
BND_CHECKED bnd_status bndi_parameters_begin(bnd_run *run, bnd_error *why);
void bndi_parameters_end(bnd_run *run);

/* What is to be found, run->plan: n normal numbers of deviation 1, drawn once. */
BND_CHECKED bnd_status bndi_plant(bnd_run *run, size_t n, bnd_error *why);

/* What comes now is counted at the place of this parameter. */
void bndi_go_to(bnd_run *run, size_t parameter);

/* y = x w' + b, counted at their place, with parameters number `first` (w) and first + 1 (b). */
BND_CHECKED bnd_status bndi_dense(bnd_tensor **out, bnd_run *run, bnd_tensor *x, size_t first, bnd_error *why);

extern const bndi_model_row bndi_quadratic_row, bndi_least_squares_row, bndi_logistic_row, bndi_mlp_row,
    bndi_transformer_row;

/* ---- optimizers ---- */

/* A step of one parameter, a chunk at a time: numbers in fp32, every operation rounded to the format of its role. */
typedef struct bndi_update {
    const bnd_training *training;
    double lr;     /* of this step */
    uint64_t step; /* from 1 on */
    bool decays;
    size_t n;
    float *w, *g, *m, *v; /* in and out: w is the master where there is one */
    float *t;             /* to work in */
    const bnd_cast *of_w, *of_m, *of_v, *of_scalar;
    float *change; /* out: what is added to w, not rounded with it yet */
} bndi_update;

struct bndi_optimizer_row {
    const char *name, *title;
    unsigned states; /* 0: none, 1: m, 2: m and v; 3: v alone */
    double lr, beta1, beta2, epsilon, weight_decay;
    void (*step)(bndi_update *u);
};

const bndi_optimizer_row *bndi_optimizer_at(size_t row);

/* The rows that the names of a run's training mean. */
BND_CHECKED bnd_status bndi_rows_of(bnd_run *run, bnd_error *why);

#endif
