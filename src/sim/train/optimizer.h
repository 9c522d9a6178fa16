/* Rows of optimizers, and what the update of a parameter is made of. */
#ifndef BINADE_SRC_TRAIN_OPTIMIZER_H
#define BINADE_SRC_TRAIN_OPTIMIZER_H

#include "train/train.h"

/* What is known of a whole parameter before its chunks are updated. Adafactor: v of element (i, j) is row[i] column[j],
 * and a gradient over its root, times `rate`, is what the weight loses; a vector is one row. Muon: `direction` times
 * `rate` is what the weight loses. Adam-mini: row[b] is what m is divided by in block b. */
typedef struct bndi_whole_update {
    double *row, *column; /* in run->factor_room */
    size_t rows, columns;
    const bndi_partition *partition;
    double rate;
    bnd_tensor *direction; /* of the parameter's shape, dropped after the update; or NULL */
} bndi_whole_update;

/* A step of one parameter, a chunk at a time: numbers in fp32, every operation rounded to the format of its role. */
typedef struct bndi_update {
    const bnd_training *training;
    bnd_engine *engine;
    double lr;                     /* of this step */
    uint64_t step_of_m, step_of_v; /* from 1 on, since they were zeros */
    bool decays;
    size_t at, n; /* the elements at .. at + n - 1 */
    const bndi_whole_update *whole;
    const float *direction; /* of `whole`, where that has one: of these elements */
    float *w, *m, *v;       /* in and out: w is the master where there is one */
    const float *g;         /* in */
    float *own_g, *t;       /* to work in: own_g for a gradient that differs from the stored one */
    const bnd_cast *of_w, *of_m, *of_v, *of_scalar;
    const struct bndi_maths *maths;
    float *change;        /* out: what is added to w, not rounded with it yet */
    double decay;         /* out: w was multiplied by 1 - decay before */
    double per_m;         /* out, of optimizers with BNDI_FOLLOWS_M: change is -per_m m / divisor */
    const float *divisor; /* NULL: 1 */
} bndi_update;

/* Bits. Factors: of matrices, v by rows and columns. Follows m: the change is a multiple of m, element by element.
 * Blocks: v by blocks. */
enum {
    BNDI_NO_STATE,
    BNDI_HAS_M,
    BNDI_HAS_V,
    BNDI_FACTORS = 4,
    BNDI_FOLLOWS_M = 8,
    BNDI_BY_BLOCKS = 16,
    BNDI_SUMS_UP = BNDI_FACTORS | BNDI_BY_BLOCKS
};

struct bndi_optimizer_row {
    const char *name, *title;
    unsigned states;
    bool strides; /* the size of an update is about lr for any gradient: a model's stride applies to lr */
    double lr, beta1, beta2, epsilon, weight_decay;
    /* Looks at the whole of a parameter before its chunks are updated; a failure has changed nothing. NULL: needs
     * not. */
    bnd_status (*prepare)(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr, bnd_error *why);
    void (*step)(bndi_update *u);
    /* Where it updates hidden matrices only: what updates the others, at this share of the learning rate, with the
     * beta1 of that row. beta2 and epsilon are those of the others. */
    const bndi_optimizer_row *others;
    double rate_of_others;
};

/* What updates a parameter. */
const bndi_optimizer_row *bndi_optimizer_for(const bndi_optimizer_row *row, bool hidden);

size_t bndi_optimizer_keeps(const bndi_optimizer_row *row, bnd_role part, const size_t *shape, size_t rank,
                            size_t blocks);
size_t bndi_blocks_in(const bndi_parameter *p, const bndi_shape *shape);
double bndi_scalar(const bnd_cast *of_scalar, double x);

/* What the rounding of weights loses goes into the first moment (error_feedback.c): opened before an update, which
 * notes each chunk; applied once the weights are stored, when m is still fp32. *out is NULL where the recipe has no
 * update=eco. */
typedef struct bndi_feedback bndi_feedback;
BND_CHECKED bnd_status bndi_feedback_check(const bnd_run *run, const bnd_policy *policy, bnd_error *why);
BND_CHECKED bnd_status bndi_feedback_check_beta1(const bnd_policy *policy, double beta1, bnd_error *why);
BND_CHECKED bnd_status bndi_feedback_open(bndi_feedback **out, const bnd_run *run, const bndi_parameter *p,
                                          bnd_error *why);
void bndi_feedback_note(bndi_feedback *f, const bndi_update *u, const double *sum);
void bndi_feedback_apply(bndi_feedback *f, bnd_run *run, bndi_parameter *p);
void bndi_feedback_close(bndi_feedback *f);

/* Moments that stall (stalled_moments.c), around the update of a parameter: open before its states are thawed; follow
 * each chunk, before the optimizer has changed it; close when the states are stored, which adds to `updates` (NULL: the
 * update failed). Nothing is done where *out is NULL. */
typedef struct bndi_stalls bndi_stalls;
BND_CHECKED bnd_status bndi_stalls_open(bndi_stalls **out, const bnd_run *run, const bndi_parameter *p, bnd_error *why);
void bndi_stalls_follow(bndi_stalls *s, const bndi_update *u, const bndi_optimizer_row *optimizer);
void bndi_stalls_close(bndi_stalls *s, bnd_updates *updates);

/* Second moments that are zero although the gradient is not (lost_moments.c). Are they known only when all states are
 * stored? Then they are counted there: the gradient is still the one of this step. */
bool bndi_moments_are_whole(const bndi_parameter *p);
uint64_t bndi_count_lost_moments(bnd_run *run, const bndi_parameter *p);

/* Zeros at the first step of a period, also where a loss scale skips that step (reset_states.c). */
BND_CHECKED bnd_status bndi_reset_states(bnd_run *run, bnd_error *why);

/* At most BNDI_TENSOR_CHUNK numbers to the nearest of the cast's format; NULL: none. */
void bndi_round_chunk(bnd_engine *engine, float *x, size_t n, const bnd_cast *cast);

/* m = beta1 m + (1 - beta1) g; v = beta v + (1 - beta) t; w = (1 - lr wd) w. */
void bndi_average_into_m(bndi_update *u);
void bndi_average_into_v(bndi_update *u, double beta);
void bndi_decay_weights(bndi_update *u);

/* A copy of numbers of a tensor, which may be changed; and back, as the policy has it for the role. NULL: nothing. */
float *bndi_take_numbers(bndi_numbers *buffer, const bnd_tensor *t, size_t at, size_t n);
void bndi_put_numbers(bnd_run *run, bnd_tensor *t, size_t at, size_t n, const float *x, bnd_role role);

/* What the update of v rounds to on its way; NULL: nothing, as where everything is rounded once, when it is stored. */
const bnd_cast *bndi_rounds_to(const bnd_run *run, bnd_role role);

bnd_status bndi_adafactor_prepare(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr, bnd_error *why);
void bndi_adafactor(bndi_update *u);
bnd_status bndi_muon_prepare(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr, bnd_error *why);
bnd_status bndi_muon_original_prepare(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr,
                                      bnd_error *why);
void bndi_muon(bndi_update *u);
size_t bndi_block_of(const bndi_parameter *p, size_t at); /* element `at`, of Adam-mini */
bnd_status bndi_adam_mini_prepare(bndi_whole_update *out, bnd_run *run, bndi_parameter *p, double lr, bnd_error *why);
void bndi_adam_mini(bndi_update *u);

const bndi_optimizer_row *bndi_optimizer_at(size_t row);

/* The rows that the names of a run's training mean. */
BND_CHECKED bnd_status bndi_rows_of(bnd_run *run, bnd_error *why);

#endif
