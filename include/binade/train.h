/* Layer 8: the same optimizer loop in every format. A model, its data, an optimizer and a recipe make a run; a run
 * goes on a step at a time and says what happened. A loss, gradients and weights that are no numbers are results, not
 * errors. */
#ifndef BINADE_TRAIN_H
#define BINADE_TRAIN_H

#include <binade/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a run is made of ---- */

enum { BND_TRAINING_NAME_SIZE = 32 };

typedef struct bnd_training {
    bnd_policy policy;
    char model[BND_TRAINING_NAME_SIZE];     /* a row of bnd_model_name */
    char optimizer[BND_TRAINING_NAME_SIZE]; /* a row of bnd_optimizer_name */
    char schedule[BND_TRAINING_NAME_SIZE];  /* constant, warmup, cosine, wsd */
    uint64_t seed_init, seed_data;
    uint64_t steps; /* what the schedule is laid out for */
    double lr, beta1, beta2, epsilon, weight_decay;
    size_t batch, inputs, width, depth, heads, context, vocabulary;
    bool recompute; /* layers are computed again on the way back */
} bnd_training;

/* All of it set to what the model and the optimizer are usually run with, under the recipe. Refused for names that
 * there are not. */
BND_CHECKED bnd_status bnd_training_default(bnd_training *out, const char *model, const char *optimizer,
                                            const char *recipe, bnd_error *why);

/* The rows: 0 .. count-1; any other index gives row 0. */
size_t bnd_model_count(void);
const char *bnd_model_name(size_t row);
const char *bnd_model_title(size_t row);
size_t bnd_optimizer_count(void);
const char *bnd_optimizer_name(size_t row);
const char *bnd_optimizer_title(size_t row);
unsigned bnd_optimizer_states(size_t row); /* tensors beside each parameter: 0, 1 or 2 */

/* The factor of the learning rate at a step (0 .. steps - 1). */
BND_CHECKED bnd_status bnd_schedule_factor(double *out, const char *schedule, uint64_t step, uint64_t steps,
                                           bnd_error *why);

/* ---- a run ---- */

typedef struct bnd_run bnd_run;

/* What one step did. */
typedef struct bnd_step {
    uint64_t step; /* its number, from 0 */
    double loss, gradient_norm, lr, loss_scale;
    bool skipped;                         /* by a loss scale: a gradient was no number */
    uint64_t weights, updates, cancelled; /* updates: those that are not zero; cancelled: of these, rounded away */
    double update_ratio;                  /* |update| / |weight|, norms over all parameters */
} bnd_step;

BND_CHECKED bnd_status bnd_run_new(bnd_run **out, const bnd_training *training, const bnd_context *context,
                                   bnd_error *why);
void bnd_run_free(bnd_run *run);
BND_CHECKED bnd_status bnd_run_step(bnd_step *out, bnd_run *run, bnd_error *why);

/* The mean loss over `batches` of data that no step sees, in the formats of the recipe. */
BND_CHECKED bnd_status bnd_run_validate(double *loss, bnd_run *run, uint64_t batches, bnd_error *why);

/* The loss that nothing can go below, and that of who knows nothing; NaN where there is none. */
double bnd_run_floor(const bnd_run *run);
double bnd_run_ignorance(const bnd_run *run);

const bnd_training *bnd_run_training(const bnd_run *run);
bnd_engine *bnd_run_engine(const bnd_run *run); /* for its account and its statistics */

/* The parameters, and what the optimizer keeps of them: `part` is param, master, m, v or extra. NULL: there is none. */
size_t bnd_run_parameters(const bnd_run *run);
const char *bnd_run_parameter_name(const bnd_run *run, size_t i);
bnd_tensor *bnd_run_parameter(const bnd_run *run, size_t i, bnd_role part);

#ifdef __cplusplus
}
#endif
#endif
