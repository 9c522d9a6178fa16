/* What train/ shares between its files. A run is parameters with their states, a model that makes a loss of a batch, a
 * source of batches, and an optimizer; each of the last three is a row and a file.
 *
 * A run is an engine, parameters with their states, a source of batches, a model that computes the loss of a batch,
 * and an optimizer. A model reads as its formula: calls on a graph do nothing after a failure, and the graph's status
 * reports it. A call releases its operands; a formula says bndi_again(x) where it uses x later again. Programs can
 * bring their own model (own_run.c) and use the same steps.
 *
 * A source makes batches: planted data, drawn text, a teacher, or a file. It knows the irreducible and the
 * chance-level loss. Initial weights and the order of batches can come from files, whose hashes are part of
 * config.json.
 *
 * An optimizer is a row: how many numbers it keeps for a shape, and what it does to a chunk, one operation at a time,
 * each result rounded to the format of its role, or in fp32 and rounded once (`optimizer=fused`).
 *
 * The states of a run are one list (run_state.c): param, master, m, v, factors, extra. Saving, loading and changing
 * the recipe walk this list and change all or nothing. Random bits follow from the seed, the step and the number of
 * the cast, so no generator state is saved. */
#ifndef BINADE_SRC_TRAIN_H
#define BINADE_SRC_TRAIN_H

#include <binade-lab/checkpoint.h>
#include <binade-lab/train.h>

#include "store/json_writer.h"
#include "tensor/maths.h"
#include "tensor/reader.h"
#include "tensor/transformer.h"

/* A place of the statistics for each parameter, and one for what belongs to none. */
enum { BNDI_PARAMETERS = BND_PLACES_MAX - 1, BNDI_PARAMETER_NAME = BND_PLACE_NAME_SIZE };
typedef char bndi_parameter_name[BNDI_PARAMETER_NAME];

/* Updates of a parameter: in all, and since its m and v were zeros. Steps that a loss scale skips and steps without a
 * gradient do not count, as in PyTorch. */
typedef struct bndi_made {
    uint64_t all, m, v;
} bndi_made;

typedef struct bndi_parameter {
    char name[BNDI_PARAMETER_NAME];
    bnd_tensor *value; /* in the format of the role param: what the model computes with; NULL between steps where it is
                        * transient */
    bnd_tensor *master, *m, *v, *extra; /* NULL where the recipe or the optimizer has none */
    bnd_tensor *factors;                /* of v, where that is NULL: for each row, then each column; or each block */
    bndi_partition partition;           /* into blocks */
    bool decays;                        /* weight decay: matrices, not gains and biases */
    bool looked_up;                     /* a table: a batch uses some of its rows */
    bool hidden;                        /* a matrix between others: see bnd_run_is_hidden */
    unsigned place;
    bndi_made made;
    bnd_updates updates; /* of the last step */
} bndi_parameter;

typedef struct bndi_batch {
    bnd_tensor *x, *y;
    bool x_is_whole, y_is_whole; /* symbols or classes, integers in fp32 */
} bndi_batch;

/* Where batches come from: numbers drawn from seed_data, or a file. `purpose` tells which batch. */
typedef struct bndi_source {
    bnd_status (*batch)(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why);
    double *plan; /* numbers drawn once: a planted solution, the chances of a chain */
    size_t plan_length;
    bnd_tensor *tokens; /* of a file, */
    size_t learned;     /* how many of them are used for training; the rest is for validation */
    bnd_run *teacher;   /* a run that is never stepped, whose outputs are to be learned */
} bndi_source;

typedef struct bndi_model_row bndi_model_row;
typedef struct bndi_optimizer_row bndi_optimizer_row;

/* A block of a transformer: where its parameters begin. It is told to a segment, and lives as long as the tape. */
typedef struct bndi_block_data {
    bnd_run *run;
    size_t first;
} bndi_block_data;

/* Where a run of the caller's own model is (own_run.c). */
typedef enum bndi_stage { BNDI_BETWEEN, BNDI_IN_STEP, BNDI_EVALUATING } bndi_stage;

struct bnd_run {
    bnd_training training;
    bnd_engine *engine;
    const bndi_model_row *model;
    const bndi_optimizer_row *optimizer;
    bndi_parameter *parameter;
    size_t parameters, parameter_room;
    bndi_parameter_name *place_name; /* parameter_room + 1; place 0: what belongs to no parameters */
    bnd_layer *layers;               /* as many: what bndi_layers_of fills */
    unsigned places;
    bool naming; /* the model only names its parameters, so that it is known which layers there are */
    uint64_t step, good_steps;
    double loss_scale;
    bndi_source source;
    double *factor_room; /* a number for each row and column of the largest parameter, where its optimizer asks */
    double floor, chance_loss, unigram;
    /* While parameters are made: the file, or the folder of files, with their numbers; or NULL. */
    bnd_safetensors *initial;
    bnd_checkpoint *initial_folder;
    bnd_tensor *order; /* integers of training.order, by step or by step and row; NULL: none */
    uint64_t init_hash, order_hash, data_hash, tokenizer_hash;
    const bnd_ranks *shared; /* with other processes; NULL: all ranks are here */
    bndi_stage stage;
    bnd_step at_hand;  /* of BNDI_IN_STEP */
    bool had_tape;     /* before BNDI_EVALUATING */
    bndi_blocks shape; /* of a transformer, with what its segments are told */
    bndi_block_data *blocks;
};

/* Purposes of random bits, so that no two things share them: in the upper half of a purpose. */
enum { BNDI_OF_INIT = 1, BNDI_OF_DATA, BNDI_OF_PLAN, BNDI_OF_VALIDATION, BNDI_OF_DROPOUT, BNDI_OF_PART };
static inline uint64_t bndi_purpose(unsigned what, uint64_t index)
{
    return (uint64_t)what << 48 | index;
}

/* ---- weights and batches in files (weight_files.c, batches.c) ---- */

/* FNV-1a of 64 bits: tells whether a file is still the one that a run was started with. */
uint64_t bndi_hash_of(const void *bytes, size_t size);

/* Of a file. Of one of more than 1 MiB, if only a sample is asked for: its size and 16 pieces of 64 KiB, the first at
 * the beginning, the last at the end, the others at equal distances. */
BND_CHECKED bnd_status bndi_hash_of_file(uint64_t *out, const char *path, bool sample, bnd_error *why);

/* "PATH: " before the message. */
bnd_status bndi_in_file(bnd_status status, const char *path, bnd_error *why);

/* training.init: opened, read tensor by tensor as parameters are made, and checked for tensors left over. Without such
 * a file all do nothing. */
BND_CHECKED bnd_status bndi_initial_open(bnd_run *run, bnd_error *why);
BND_CHECKED bnd_status bndi_initial_read(bnd_tensor *to, const bnd_run *run, const char *name, bnd_error *why);
BND_CHECKED bnd_status bndi_initial_check(const bnd_run *run, bnd_error *why);
void bndi_initial_close(bnd_run *run);

/* training.order, once the source is open; and the purpose of the batch that a step sees. */
BND_CHECKED bnd_status bndi_order_open(bnd_run *run, bnd_error *why);
BND_CHECKED bnd_status bndi_purpose_of_step(uint64_t *out, const bnd_run *run, uint64_t step, bnd_error *why);

/* Where a row of a batch begins in the text. */
size_t bndi_window_start(const bnd_run *run, uint64_t purpose, size_t row);

/* The sum of squares of all unscaled gradients; infinite or NaN if a gradient is. */
double bndi_squares_of_gradients(const bnd_run *run, double unscale);

/* As a run that begins has it. */
void bndi_begin_loss_scale(bnd_run *run);

/* torch's GradScaler: a step with an infinite or NaN gradient is skipped, and the scale is halved after it; after
 * `growth` good steps in a row it is doubled. `squares` is bndi_squares_of_gradients' sum. The scale changes only in
 * bndi_loss_scale_after, which is called when the parameters have been updated: gradients are under the old scale. */
bool bndi_loss_scale_skips(const bnd_run *run, double squares);
void bndi_loss_scale_after(bnd_run *run, bool skipped);

/* to = from times / over, in fp64, and rounded once as the role has it; both have as many numbers, and may be one. */
BND_CHECKED bnd_status bndi_gradient_times(bnd_tensor *to, const bnd_tensor *from, double times, double over,
                                           bnd_role role, bnd_error *why);

/* The gradients of a step times the factor that brings this norm of theirs down to training.clip: *factor is 1 where it
 * is below, or where nothing is asked for. */
BND_CHECKED bnd_status bndi_clip_gradients(double *factor, bnd_run *run, double norm, bnd_error *why);

/* ---- a step in parts ---- */

/* The format that sums of gradients have for a role: the policy's; or fp32, or the gradient's if that holds more. */
const bnd_format *bndi_format_of_sums(const bnd_run *run, bnd_role role, const bnd_tensor *g);

/* What a rank sends of a parameter, whose gradient goes; and the sum of what all ranks sent (`message` has one of each)
 * as its gradient. No gradient, no message. */
BND_CHECKED bnd_status bndi_message_make(bnd_tensor **out, bnd_run *run, bnd_tensor *value, bnd_error *why);
BND_CHECKED bnd_status bndi_reduce(bnd_run *run, bndi_parameter *p, bnd_tensor **message, bnd_error *why);

/* Are there micro-batches or ranks; can the batch be divided among them; and has a batch of the run such rows? */
bool bndi_has_parts(const bnd_training *t);
BND_CHECKED bnd_status bndi_check_parts(const bnd_training *t, bnd_error *why);
BND_CHECKED bnd_status bndi_check_rows(bnd_run *run, bnd_error *why);

/* Are the numbers of a training in their ranges; and does its model or its optimizer use each setting that is set? */
BND_CHECKED bnd_status bndi_check_training(const bnd_training *t, bnd_error *why);
BND_CHECKED bnd_status bndi_check_used(const bnd_training *t, const bndi_model_row *m, const bndi_optimizer_row *o,
                                       bnd_error *why);

/* Forward and backward of all parts of the batch of this purpose: their mean loss, and the gradients of the step. */
BND_CHECKED bnd_status bndi_step_in_parts(double *loss, bnd_run *run, uint64_t purpose, bnd_error *why);

/* ---- forward.c ---- */

/* A batch as the recipe has it. */
BND_CHECKED bnd_status bndi_next_batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bnd_error *why);

/* The loss of a batch, on the tape and as a number; nothing after a failure but what uses the batch up. */
BND_CHECKED bnd_status bndi_loss_of(bnd_tensor **loss, double *number, bnd_run *run, bnd_status so_far,
                                    const bndi_batch *batch, bnd_error *why);
BND_CHECKED bnd_status bndi_forward_pass(bnd_tensor **loss, double *number, bnd_run *run, uint64_t purpose,
                                         bnd_error *why);

typedef struct bndi_update_totals {
    uint64_t updates, lost;
    double squares_of_updates, squares_of_weights;
} bndi_update_totals;

/* States that share scales are worked on in fp32, one parameter's at a time. */
typedef struct bndi_thawed {
    bnd_tensor *w; /* the master, or the parameter */
    bnd_role role; /* of w */
    bndi_buffer *of_w, *of_m, *of_v, *of_factors, *of_extra;
    bndi_whole old; /* w before the update */
} bndi_thawed;
BND_CHECKED bnd_status bndi_thaw_states(bndi_thawed *t, bndi_parameter *p, bnd_error *why);

/* `f`: NULL where nothing goes into m. */
struct bndi_feedback;
void bndi_freeze_states(bndi_thawed *t, bnd_run *run, bndi_parameter *p, struct bndi_feedback *f,
                        bndi_update_totals *sums);

/* A step: parameters ready for the forward pass; then, with gradients in place, loss scale and update; then, also after
 * a failure, gradients and transient parameters are released. `done`: the run is one step further. */
BND_CHECKED bnd_status bndi_step_begin(bnd_step *step, bnd_run *run, bnd_error *why);
BND_CHECKED bnd_status bndi_step_update(bnd_step *step, bnd_run *run, const bnd_step_rates *rates, bnd_error *why);
void bndi_step_end(bnd_run *run, bool done);

/* Around an evaluation: parameters ready, no tape, random bits of its own, and delayed scales that learn nothing. */
BND_CHECKED bnd_status bndi_evaluation_begin(bnd_run *run, bnd_error *why);
void bndi_evaluation_end(bnd_run *run);

/* In an evaluation: the loss of the batch of this purpose, casts counted from `casts` on. */
BND_CHECKED bnd_status bndi_loss_of_batch(double *loss, bnd_run *run, uint64_t purpose, uint64_t casts, bnd_error *why);

/* `rates`: of each parameter, or NULL: the training's, with this learning rate. */
BND_CHECKED bnd_status bndi_update_all(bnd_run *run, double lr, const bnd_step_rates *rates, bndi_update_totals *sums,
                                       bnd_error *why);

/* ---- models ----
 *
 * Models are written as formulas: f(g, x) is a tensor, and NULL once something has failed; calls after that compute
 * nothing, and g->status says why at the end. A call uses its operands up: it gives back the reference that the formula
 * owes, so that a tensor lives exactly as long as a node of the tape saves it. Parameters are not used up. A formula
 * that uses a tensor twice says so: f(g, bndi_again(x)), g(g, x). The model's `loss` uses its batch up. */

typedef struct bndi_graph {
    bnd_run *run;
    bnd_status status;
    bnd_error *why;
} bndi_graph;

bnd_tensor *bndi_again(bnd_tensor *x); /* x, with one more use */
void bndi_use_up(bnd_tensor *const *in, size_t count);

bnd_tensor *bndi_apply(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *const *in, size_t count,
                       const bnd_attributes *attributes);
bnd_tensor *bndi_map(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *x);
bnd_tensor *bndi_careful_map(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *x); /* of the role careful */
bnd_tensor *bndi_careful_with(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *x, double number);
bnd_tensor *bndi_careful_pair(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b);
bnd_tensor *bndi_with(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *x, double number); /* its attribute */
bnd_tensor *bndi_pair(bndi_graph *g, bnd_tensor_operation operation, bnd_tensor *a, bnd_tensor *b);
/* attn.s = q k', attn.o = p v; x[index, ...]; x[..., first : first + count]; x with its last two axes turned. */
bnd_tensor *bndi_attention(bndi_graph *g, bnd_role result, bnd_tensor *a, bnd_tensor *b);
bnd_tensor *bndi_graph_part(bndi_graph *g, bnd_tensor *x, size_t index);
bnd_tensor *bndi_columns_of(bndi_graph *g, bnd_tensor *x, size_t first, size_t count);
bnd_tensor *bndi_turned(bndi_graph *g, bnd_tensor *x);
bnd_tensor *bndi_rearranged(bndi_graph *g, bnd_tensor *x, const char *pattern, const char *sizes);

/* With parameters of the run, of which `first` is the number; what they are used for is counted at their place. */
bnd_tensor *bndi_weight(bndi_graph *g, size_t first);
bnd_tensor *bndi_dense(bndi_graph *g, bnd_tensor *x, size_t first);      /* x w' + b: w is first, b is first + 1 */
bnd_tensor *bndi_dense_bare(bndi_graph *g, bnd_tensor *x, size_t first); /* x w' */
bnd_tensor *bndi_norm(bndi_graph *g, bnd_tensor *x, size_t first);       /* a layer norm: gain, bias */
bnd_tensor *bndi_half_mean_square(bndi_graph *g, bnd_tensor *a, bnd_tensor *b); /* of a - b */

/* A new parameter, whose number is one more than the last one's. A matrix has normal numbers of this deviation; only
 * matrices may decay. A vector has `value` everywhere. */
typedef enum bndi_matrix_kind { BNDI_TABLE, BNDI_OUTER, BNDI_HIDDEN } bndi_matrix_kind; /* a table does not decay */
void bndi_add_matrix(bndi_graph *g, const char *name, size_t rows, size_t columns, double deviation,
                     bndi_matrix_kind kind);
void bndi_add_divided(bndi_graph *g, const char *name, size_t rows, size_t columns, double deviation,
                      bndi_matrix_kind kind, const bndi_partition *partition);
void bndi_add_vector(bndi_graph *g, const char *name, size_t n, double value);

/* The same with these numbers, in row-major order; NULL: zeros. */
BND_CHECKED bnd_status bndi_add_values(bnd_run *run, const char *name, const bndi_shape *shape, const float *values,
                                       bool decays, bnd_error *why);

/* run->factor_room, large enough for the parameters that are there. */
BND_CHECKED bnd_status bndi_factor_room_make(bnd_run *run, bnd_error *why);

/* What comes now is counted at the place of this parameter. */
void bndi_go_to(bnd_run *run, size_t parameter);

/* The same, only where another policy holds at another place. */
void bndi_go_to_if_they_differ(bnd_run *run, size_t parameter);

/* Settings that not every model has. */
enum { BNDI_INPUTS = 1, BNDI_DEPTH = 2, BNDI_OF_TRANSFORMER = 4, BNDI_ANY_SETTING = 7 };

/* What a model has that a recipe can set: data that are numbers, and norms with weights. */
enum { BNDI_HAS_NUMBERS = 1, BNDI_HAS_NORMS = 2 };

struct bndi_model_row {
    const char *name, *title;
    uint8_t uses; /* of these settings; a run that sets another one is refused */
    uint8_t has;
    /* The sizes that it is usually run with: written where they are 0. */
    void (*usual)(bnd_training *t);
    double stride; /* how far its weights go, compared with what the rates of such optimizers are made for */
    /* Opens run->source, and sets the irreducible loss and chance level; a size that the data decide may change. NULL:
     * it learns text, from training.data or a row of bnd_source_name. */
    bnd_status (*source)(bnd_run *run, bnd_error *why);
    void (*build)(bndi_graph *g); /* the parameters */
    bnd_tensor *(*loss)(bndi_graph *g, const bndi_batch *batch);
};

extern const bndi_model_row bndi_quadratic_row, bndi_least_squares_row, bndi_logistic_row, bndi_mlp_row,
    bndi_transformer_row, bndi_gpt2_row, bndi_llama_row, bndi_student_row;
extern const bndi_model_row bndi_own_row; /* the caller's own: it has a name and sizes, and the caller does the rest */

/* Called before and after any computation with parameters: makes transient parameters from their masters, and frees
   them. */
BND_CHECKED bnd_status bndi_parameters_begin(bnd_run *run, bnd_error *why);
void bndi_parameters_end(bnd_run *run);

/* Makes room for at least `count` parameters and their places, and keeps those that exist. */
BND_CHECKED bnd_status bndi_parameters_room(bnd_run *run, size_t count, bnd_error *why);

/* Call between steps. True if all weights are NaN. Embedding tables are not looked at: rows that no batch has used
   may still be numbers. */
bool bndi_weights_are_lost(const bnd_run *run);

/* Makes a parameter of zeros with all states that the policy and the optimizer keep; if there is a master, the states
 * are those of the master. */
BND_CHECKED bnd_status bndi_parameter_make(bnd_run *run, bndi_parameter *p, const bndi_shape *shape, bnd_error *why);

/* A parameter becomes hidden, or ceases to be: the optimizer's states are zeros, as it keeps them then. */
BND_CHECKED bnd_status bndi_parameter_hide(bnd_run *run, bndi_parameter *p, bool hidden, bnd_error *why);
/* Is a parameter there during a step only, made of its master? */
bool bndi_is_transient(const bnd_run *run, const bndi_parameter *p);

BND_CHECKED bnd_status bndi_value_of_master(bndi_parameter *p, bnd_error *why);

/* The weights of another run's parameter of the same shape, each rounded once, to nearest, where they are stored in
 * another way. */
BND_CHECKED bnd_status bndi_take_weights(bndi_parameter *p, const bnd_tensor *weights, bnd_error *why);

/* The layers of a run, run->places of them; they hold until it gets another parameter. */
const bnd_layer *bndi_layers_of(const bnd_run *run);

/* The policy that holds at a place, with its exceptions. */
BND_CHECKED bnd_status bndi_policy_at(bnd_policy *out, const bnd_run *run, const bnd_policy *policy, size_t place,
                                      bnd_error *why);

/* The engine follows a policy, with its exceptions, and the share of layers that the policy keeps out of its casts. */
BND_CHECKED bnd_status bndi_follow(bnd_run *run, const bnd_policy *policy, bnd_error *why);
void bndi_keep_high(bnd_run *run, const bnd_policy *policy);
unsigned bndi_high_from(const bnd_run *run, unsigned high_last); /* the place of the first of them; 0: none */

/* ---- what a run keeps from step to step (run_state.c) ---- */

/* The updates of parameter i before this step where each step has made one (reset_states.c). */
bndi_made bndi_made_usually(const bnd_run *run, size_t i, uint64_t step);

/* Refuses a checkpoint of a training whose numbers have other places than the run's (checkpoint_same.c). */
BND_CHECKED bnd_status bndi_checkpoint_check_same(const bnd_training *there, const bnd_run *run, bnd_error *why);

/* Names of arrays in a checkpoint that are no parameter's. */
bool bndi_checkpoint_reserves(const char *name);

/* The tensors of a parameter, NULL for those it does not have, and the suffixes of their names in files: "", ".master",
 * ".m", ... */
enum { BNDI_KEPT = 6 };
bnd_tensor **bndi_kept_of(bndi_parameter *p, size_t row);
const char *bndi_kept_suffix(size_t row);

/* Makes all states of the run anew under `policy`, as zeros; `fill` fills them in. Then they are converted to the run's
 * current policy. If any of this fails, nothing changes. */
typedef bnd_status bndi_filler(bnd_run *run, void *data, bnd_error *why);
BND_CHECKED bnd_status bndi_run_replace(bnd_run *run, const bnd_policy *policy, bndi_filler *fill, void *data,
                                        bnd_error *why);

/* The training that an open checkpoint is of. */
BND_CHECKED bnd_status bndi_checkpoint_training(bnd_training *out, const bnd_safetensors *file, bnd_error *why);

/* bnd_run_load of a file that is open. */
BND_CHECKED bnd_status bndi_run_load_from(bnd_run *run, const bnd_safetensors *file, bnd_error *why);

/* ---- in words (training_json.c, json_number.c) ---- */

/* A whole number of 64 bits, digits and nothing else. */
BND_CHECKED bool bndi_count_of(uint64_t *out, const char *text, size_t length);

/* The shortest decimals that read back as the same number. JSON has no NaN and no infinities: these are written as
 * null, with an additional member KEY_is that is "nan", "inf" or "-inf". */
enum { BNDI_NUMBER_SIZE = 48, BNDI_KEY_SIZE = 128 };
void bndi_number_text(char out[BNDI_NUMBER_SIZE], double x);
void bndi_json_number(bnd_lab_json *json, const char *key, double x);

/* Writes a training as an object: a member of an object, or with a NULL key a value. */
void bndi_training_write(bnd_lab_json *json, const char *key, const bnd_training *training);

/* ---- sources ---- */

bnd_status bndi_open_point(bnd_run *run, bnd_error *why);   /* x: a point of `width` numbers, always the same */
bnd_status bndi_open_linear(bnd_run *run, bnd_error *why);  /* x normal, y = x . plan */
bnd_status bndi_open_sides(bnd_run *run, bnd_error *why);   /* the same, y: whether it is above 0 */
bnd_status bndi_open_classes(bnd_run *run, bnd_error *why); /* x normal, y: the largest of BNDI_CLASSES such products */
bnd_status bndi_open_file(bnd_run *run, bnd_error *why);    /* training.data */
enum { BNDI_CLASSES = 10 };

/* Text that is drawn: a row of bnd_source_name. Its `open` is as that of a model. */
typedef struct bndi_text_row {
    const char *name, *title;
    bnd_status (*open)(bnd_run *run, bnd_error *why);
} bndi_text_row;
extern const bndi_text_row bndi_text_chain, bndi_text_copy;

/* training.data, or the row of training.source. */
BND_CHECKED bnd_status bndi_open_text(bnd_run *run, bnd_error *why);

/* Whether the rates of a schedule do not depend on the number of steps, so that a run of some steps is the beginning of
 * a longer one. */
bool bndi_schedule_extends(const char *schedule);

/* A Markov chain in run->source.plan, and the chance level of its symbols; `usual` is the vocabulary where none is
 * given. `next` is the symbol after `from` by the highest 53 of the random bits. */
BND_CHECKED bnd_status bndi_chain_make(bnd_run *run, size_t usual, bnd_error *why);
size_t bndi_chain_next(const bnd_run *run, size_t from, uint64_t bits);
double bndi_chain_chance(const bnd_run *run, size_t from, size_t to);

/* n normal numbers of deviation 1 into run->source.plan, drawn once. */
BND_CHECKED bnd_status bndi_plant(bnd_run *run, size_t n, bnd_error *why);

/* A batch of text: `draw` gives context + 1 symbols for a row; all but the last are x, all but the first y. */
typedef void bndi_draw_batch(double *symbols, const bnd_run *run, uint64_t purpose, size_t row);
BND_CHECKED bnd_status bndi_text_batch(bndi_batch *out, bnd_run *run, uint64_t purpose, bndi_draw_batch *draw,
                                       bnd_error *why);

/* The same bits everywhere. */
double bndi_log_of(const bnd_run *run, double x);
double bndi_exp_of(const bnd_run *run, double x);

/* A run of this training, whose source is not opened: for teachers. */
BND_CHECKED bnd_status bndi_run_without_data(bnd_run **out, const bnd_training *training, const bnd_context *context,
                                             bnd_error *why);
/* The same without tensors: parameters have names and places only, and the engine has the policies of all places. */
BND_CHECKED bnd_status bndi_run_outline(bnd_run **out, const bnd_training *training, bnd_error *why);

/* The number of the parameter at whose place a block of a transformer multiplies queries, keys and values. */
size_t bndi_attention_parameter(const bnd_run *run, size_t block);

/* Says of each setting in the text of a recipe, or of a piece of it, that changes nothing in a training, why that is
 * so: the name of the setting, "blocks.0.*:ns", and the reason. What the base of the recipe sets is not looked at.
 * Without memory nothing is said. */
typedef void bndi_unused_setting(void *data, const char *name, size_t length, const char *reason);
void bndi_unused_settings(const bnd_training *training, const char *recipe, size_t length, bndi_unused_setting *say,
                          void *data);

static inline bool bndi_is_own(const bnd_run *run)
{
    return run->model == &bndi_own_row;
}

#endif
