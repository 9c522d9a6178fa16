/* Layer 8: the same optimizer loop in every format. A model, its data, an optimizer and a recipe make a run; a run
 * goes on a step at a time and says what happened. A loss, gradients and weights that are no numbers are results, not
 * errors. */
#ifndef BINADE_TRAIN_H
#define BINADE_TRAIN_H

#include <binade-lab/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a run is made of ---- */

enum { BND_TRAINING_NAME_SIZE = 32, BND_TRAINING_DATA_SIZE = 1024 };

typedef struct bnd_training {
    bnd_policy policy;
    char model[BND_TRAINING_NAME_SIZE];     /* a row of bnd_model_name */
    char optimizer[BND_TRAINING_NAME_SIZE]; /* a row of bnd_optimizer_name */
    char schedule[BND_TRAINING_NAME_SIZE];  /* constant, warmup, cosine, wsd */
    char data[BND_TRAINING_DATA_SIZE];      /* a file that a language model learns from; "": the source below */
    char data_type[BND_TRAINING_NAME_SIZE]; /* of the tokens in a file without a header; "": what its name says */
    char source[BND_TRAINING_NAME_SIZE];    /* without a file: a row of bnd_source_name; "" for other models */
    char init[BND_TRAINING_DATA_SIZE];      /* .safetensors with the initial weights; "": drawn, by seed_init */
    char order[BND_TRAINING_DATA_SIZE];     /* .npy that says which batch each step sees; "": step n sees batch n */
    uint64_t seed_init, seed_data, seed_rounding;
    uint64_t steps;                                 /* what the schedule is laid out for */
    double lr, beta1, beta2, epsilon, weight_decay; /* Adafactor: beta2 of step t is 1 - t^-beta2 */
    size_t batch, inputs, width, depth, heads, context;
    size_t vocabulary; /* 0: as the data have it; bnd_run_training then says how many symbols that are */
    bool tied;         /* the head of a transformer is its table of embeddings */
    bool recompute;    /* layers are computed again on the way back */
} bnd_training;

/* Data: bytes of any file (256 symbols); tokens in .npy (integers of any shape, in their order) or .bin (uint16, the
 * lower byte first); or what data_type says: uint8, int16, uint16, int32, uint32, int64 or uint64, in any file that is
 * not .npy, the lowest byte first. The file is mapped, looked through once when the run is made, and not to be changed
 * meanwhile. Of its tokens the last tenth (at least one window: the context and a token) is for validation; windows of
 * both parts begin anywhere, by seed_data. Refused before the first step: a file with less than two windows, tokens
 * that the vocabulary has not. */

/* Initial weights: one tensor for each parameter, with its name and shape, F32, F16 or BF16, each number rounded once
 * to what the recipe stores; bnd_run_save_weights writes such files. A checkpoint of a run serves as well: its masters
 * where it has them, otherwise its weights. Refused: a tensor that is missing, unknown, or of another shape or dtype.
 *
 * The order of batches: integers, for at least as many steps as the run makes. With one axis, the number of the batch
 * that each step sees (0 .. 2^48 - 1): batch n is what step n sees without an order. With two axes, steps by rows,
 * where each row begins in the text of `data`; windows must end before the part for validation. Validation does not
 * depend on the order.
 *
 * A run of the caller's own model uses neither. */

/* All of it set to what the model and the optimizer are usually run with, under the recipe. Refused for names that
 * there are not. */
BND_CHECKED bnd_status bnd_training_default(bnd_training *out, const char *model, const char *optimizer,
                                            const char *recipe, bnd_error *why);

/* The rows: 0 .. count-1. Names and titles are "" if there is no such row. */
size_t bnd_model_count(void);
const char *bnd_model_name(size_t row);
const char *bnd_model_title(size_t row);
size_t bnd_source_count(void); /* text that is drawn from seed_data; its irreducible loss is known */
const char *bnd_source_name(size_t row);
const char *bnd_source_title(size_t row);
size_t bnd_optimizer_count(void);
const char *bnd_optimizer_name(size_t row);
const char *bnd_optimizer_title(size_t row);
BND_CHECKED bnd_status bnd_optimizer_find(size_t *row, const char *name, bnd_error *why);

/* How many numbers an optimizer keeps in `part`, m or v, beside a parameter of this shape: none, one for each of its
 * own, or (Adafactor's v of a matrix) one for each row and each column. */
size_t bnd_optimizer_keeps(size_t row, bnd_role part, const size_t *shape, size_t rank);

/* The factor of the learning rate at a step (0 .. steps - 1). */
BND_CHECKED bnd_status bnd_schedule_factor(double *out, const char *schedule, uint64_t step, uint64_t steps,
                                           bnd_error *why);

/* ---- a run ---- */

typedef struct bnd_run bnd_run;

/* What one step did. */
typedef struct bnd_step {
    uint64_t step; /* its number, from 0 */
    double loss, gradient_norm, lr, loss_scale;
    bool skipped;     /* by a loss scale: a gradient was no number */
    uint64_t weights; /* numbers of all parameters */
    /* An update is what a step asks of a weight in all: the optimizer's change, and the decay. updates: those that are
     * not zero. cancelled: of these the lost ones, after which the stored weight is what it was. */
    uint64_t updates, cancelled;
    double update_ratio; /* |update| / |weight|, norms over all parameters */
} bnd_step;

BND_CHECKED bnd_status bnd_run_new(bnd_run **out, const bnd_training *training, const bnd_context *context,
                                   bnd_error *why);
void bnd_run_free(bnd_run *run);
BND_CHECKED bnd_status bnd_run_step(bnd_step *out, bnd_run *run, bnd_error *why);

/* The mean loss over `batches` of data that no step sees, in the formats of the recipe. */
BND_CHECKED bnd_status bnd_run_validate(double *loss, bnd_run *run, uint64_t batches, bnd_error *why);

/* The loss of the run's weights on each of these batches under another policy, without training: losses[i] is that of
 * validation batch i, so that two policies are compared batch by batch. The weights are the master where there is one,
 * otherwise the parameter as it is stored; the policy rounds them once, to nearest, to what it stores. Delayed scales
 * are those of one batch of training (that of step 0). `place`: the policy holds at this place of the model only (its
 * parameters and what is computed with them until the next are used), and everything else is fp32; BND_EVERYWHERE:
 * everywhere. Needs memory for a second copy of the weights; the run stays as it is. Refused for a run of the caller's
 * own model. */
BND_CHECKED bnd_status bnd_run_losses(double *losses, size_t batches, const bnd_run *run, const bnd_policy *policy,
                                      unsigned place, bnd_error *why);

/* The bytes of the run's weights under a policy, as they are kept for inference: of a matrix that is an operand of a
 * product, the operand (gemm_fwd.w with its scales) where that is smaller than the stored parameter; of other
 * parameters, as they are stored. */
BND_CHECKED bnd_status bnd_run_weight_bytes(uint64_t *out, const bnd_run *run, const bnd_policy *policy,
                                            bnd_error *why);

/* ---- the same run elsewhere ---- */

/* The weights as plain fp32, under the names of the parameters: the master where there is one. Of a run without steps,
 * those that it starts from. A recipe that stores weights in fp32, or has a master in fp32, starts from the same bits
 * when it is given this file as training.init. Written atomically. */
BND_CHECKED bnd_status bnd_run_save_weights(const bnd_run *run, const char *path, bnd_error *why);

/* The batch that a step sees, as tensors of the run's engine that the caller releases: x, and y (NULL where the model
 * has no targets). It depends on nothing but the training and the step. */
BND_CHECKED bnd_status bnd_run_batch(bnd_tensor **x, bnd_tensor **y, bnd_run *run, uint64_t step, bnd_error *why);

/* The batches of the steps 0 .. steps - 1 as .safetensors: x, and y where there are targets, each with the steps as its
 * first axis, F32, or I32 where they are symbols or classes; and for a text, start (I64, steps by rows), where each row
 * begins in it, which can be an order of another run. Written atomically, batch by batch: memory is needed for one. */
BND_CHECKED bnd_status bnd_run_save_batches(bnd_run *run, uint64_t steps, const char *path, bnd_error *why);

/* FNV-1a (64 bits) of the files `init` and `order` as the run found them; 0: there is none. */
uint64_t bnd_run_init_hash(const bnd_run *run);
uint64_t bnd_run_order_hash(const bnd_run *run);

/* The irreducible loss (the entropy of what is to be predicted; 0 where a planted solution fits) of this run's
 * seed_data, and the loss of chance level; NaN where it is not known. */
double bnd_run_floor(const bnd_run *run);
double bnd_run_chance_loss(const bnd_run *run);

/* Of a text in a file: the entropy of the shares of its symbols. A model that has learned nothing of their order ends
 * there. NaN for other data. Chance level is that of the symbols that occur in what is learned from. */
double bnd_run_unigram_entropy(const bnd_run *run);

const bnd_training *bnd_run_training(const bnd_run *run);
bnd_engine *bnd_run_engine(const bnd_run *run); /* for its account and its statistics */

/* The parameters, and what the optimizer keeps of them: `part` is param, master, m, v or extra. NULL: there is none. */
size_t bnd_run_parameters(const bnd_run *run);
const char *bnd_run_parameter_name(const bnd_run *run, size_t i);

/* What became of the numbers of a parameter in the last step. */
typedef struct bnd_updates {
    uint64_t updates;   /* that are not zero */
    uint64_t cancelled; /* of these: lost to rounding (none are where Kahan's compensation keeps them) */
    uint64_t lost;      /* second moments that are zero where the gradient is not */

    /* Of m and of v, where the engine counts casts and they are not kept in fp32: those that the update would change in
     * fp32; of these, those whose stored value stayed as it was. */
    uint64_t moments[2], stalled[2];
} bnd_updates;
bnd_updates bnd_run_updates(const bnd_run *run, size_t i);

/* The places at which the engine counts casts: parameters that belong together, "blocks.0.up", and everything that is
 * computed with them until the next are used; place 0, "", is the rest (batches, and the loss). */
enum { BND_PLACE_NAME_SIZE = 48 };
size_t bnd_run_places(const bnd_run *run);
const char *bnd_run_place_name(const bnd_run *run, size_t place);
size_t bnd_run_parameter_place(const bnd_run *run, size_t i);
bnd_tensor *bnd_run_parameter(const bnd_run *run, size_t i, bnd_role part);

/* ---- a run of your own model ----
 *
 * The parameters' formats, what the recipe and the optimizer keep of them, the loss scale and the update are the run's,
 * as for a built-in model; the data, the forward pass and the loss are yours, made of tensors of bnd_run_engine(run).
 * Of `training`, the sizes and the data are not used: bnd_training_default(&t, "own", "adamw", "bf16-amp", &why).
 *
 *     bnd_run_new_own(&run, &t, NULL, &why);
 *     bnd_run_add_parameter(&w, run, "w", values, (size_t[]){8, 4}, 2, true, &why);
 *     for each step:
 *         bnd_run_begin_step(run, &why);
 *         ... y = linear(x, bnd_run_use_parameter(run, w)) ...; loss, a tensor of one element
 *         bnd_run_end_step(&step, run, loss, &why);
 *
 * Checkpoints, changes of the recipe and statistics work as for any run; bnd_run_load needs the same parameters first.
 * All of these return BND_BAD_ARGUMENT for a run of a built-in model, and for calls in another order. */
BND_CHECKED bnd_status bnd_run_new_own(bnd_run **out, const bnd_training *training, const bnd_context *context,
                                       bnd_error *why);

/* Adds a parameter before the first step. `values`: row-major; NULL: zeros. They go into the master where the recipe
 * has one, and are rounded to the format of the parameter, to nearest. `decays`: weight decay applies to it. `name` is
 * unique; it has at most 47 bytes, and does not end in .master, .m, .v, .factors or .extra. What stands before its
 * last dot names the place at which its casts are counted. `index` is its number for bnd_run_parameter. */
BND_CHECKED bnd_status bnd_run_add_parameter(size_t *index, bnd_run *run, const char *name, const float *values,
                                             const size_t *shape, size_t rank, bool decays, bnd_error *why);

/* Begin: makes the parameters ready (where a recipe makes them from masters for a step only) and sets the random bits
 * of this step. End: reads the loss, runs the backward pass from the loss times the loss scale, and updates the
 * parameters; gradients are released. A loss of NULL gives the step up: the weights stay, and `out` is not written.
 * After a failure the step is given up as well. Tensors of the forward pass are yours to release; bnd_engine_mark
 * helps. */
BND_CHECKED bnd_status bnd_run_begin_step(bnd_run *run, bnd_error *why);
BND_CHECKED bnd_status bnd_run_end_step(bnd_step *out, bnd_run *run, bnd_tensor *loss, bnd_error *why);

/* A parameter for the forward pass of a step or an evaluation; NULL outside of these, or where there is none. What is
 * computed until the next call belongs to the place of this parameter: statistics count it there, and high_last takes
 * it for that layer. */
bnd_tensor *bnd_run_use_parameter(bnd_run *run, size_t index);

/* Around a forward pass that is not learned from: nothing is recorded for a backward pass, the random bits are not
 * those of any step, and delayed scales stay as they are. */
BND_CHECKED bnd_status bnd_run_begin_evaluation(bnd_run *run, bnd_error *why);
BND_CHECKED bnd_status bnd_run_end_evaluation(bnd_run *run, bnd_error *why);

/* ---- a run on the disk ---- */

/* Everything that the run goes on from, as .safetensors: parameters under their names, NAME.master, NAME.m, NAME.v,
 * NAME.factors, NAME.extra, what the engine carries, and in the metadata the training, the step and the loss scale.
 * Written beside and renamed when the disk has it. Refused for a recipe that bnd_policy_text cannot say. */
BND_CHECKED bnd_status bnd_run_save(const bnd_run *run, const char *path, bnd_error *why);

/* The run goes on from there: under the recipe that was saved with the same bits as one that never stopped, under
 * another one as bnd_run_switch has it. The learning rate, the schedule, the steps and the other seeds are the run's
 * own. Refused, with the run as it was: other files, those cut short, tensors that are missing or too many, the
 * checkpoint of another model, optimizer or size, or of other data (seed_data). */
BND_CHECKED bnd_status bnd_run_load(bnd_run *run, const char *path, bnd_error *why);

/* What a checkpoint is of: the training under the recipe that it was saved with, and the steps that were made. */
BND_CHECKED bnd_status bnd_checkpoint_read(bnd_training *training, uint64_t *step, const char *path, bnd_error *why);

/* From the next step on under this recipe. What both keep stays: as it is where it is stored alike, otherwise each
 * number rounded once, to nearest (weights from the master where there is one); numbers that share scales are stored
 * by the rule of their role. What the new recipe keeps and the old one does not begins as in a new run (a master is
 * made of the parameter, Kahan's compensation is 0, a loss scale and delayed scales start again; a dynamic loss scale
 * goes on under another dynamic one), and what the new one has not is dropped. The same recipe changes nothing. */
BND_CHECKED bnd_status bnd_run_switch(bnd_run *run, const bnd_policy *policy, bnd_error *why);

/* ---- in words ---- */

/* Writes a training as a JSON object that bnd_training_read reads. Its recipe is what bnd_policy_text makes of the
 * policy, or null where bnd_policy_text fails. NaN and infinities are null, and a member KEY_is beside them says which.
 * Returns: the length of the whole text, as snprintf. A text too long for `out` is cut and ends with a 0 byte. */
size_t bnd_training_print(char *out, size_t size, const bnd_training *training);

/* Such an object; `model`, `optimizer` and `recipe` it must have, and what else it has not is as bnd_training_default
 * has it; but without "source" and "data", text is of the chain, as in files from before there were sources. Refused:
 * unknown members, members that are there twice, and a text of more than a MiB. why->where is an offset into the text.
 */
BND_CHECKED bnd_status bnd_training_read(bnd_training *out, const char *text, size_t length, bnd_error *why);

/* A recipe as an object of settings: {"base": "bf16-amp", "v": "e5m2", "dact": "e4m3:sr", "loss_scale": 1024,
 * "name": "mine"}. They are applied as bnd_policy_parse does it, `base` first, then in the order of the text; `name` is
 * what it is called. */
BND_CHECKED bnd_status bnd_recipe_read(bnd_policy *out, const char *text, size_t length, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
