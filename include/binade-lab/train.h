/* Layer 8: the same optimizer loop in every format. A model, its data, an optimizer and a recipe make a run, which is
 * made step by step. A loss, gradients or weights that are NaN are results, not errors.
 *
 * Calls that return bnd_status write their outputs only if they return BND_OK. BND_NO_MEMORY is possible for each call
 * that makes a run or a tensor, or makes a step, and is not repeated below. */
#ifndef BINADE_TRAIN_H
#define BINADE_TRAIN_H

#include <binade-lab/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the settings of a run ---- */

enum { BND_TRAINING_NAME_SIZE = 32, BND_TRAINING_DATA_SIZE = 1024 };

typedef struct bnd_training {
    bnd_policy policy;
    char model[BND_TRAINING_NAME_SIZE];     /* a row of bnd_model_name */
    char optimizer[BND_TRAINING_NAME_SIZE]; /* a row of bnd_optimizer_name */
    char schedule[BND_TRAINING_NAME_SIZE];  /* constant, warmup, warmup:N, cosine, wsd */
    char data[BND_TRAINING_DATA_SIZE];      /* a file that a language model learns from; "": the source below */
    char data_type[BND_TRAINING_NAME_SIZE]; /* of the tokens in a file without a header; "": what its name says */
    char tokenizer[BND_TRAINING_DATA_SIZE]; /* tokenizer.json, of a file that is text; "": bytes are its symbols */
    char source[BND_TRAINING_NAME_SIZE];    /* without a file: a row of bnd_source_name; "" for other models */
    char init[BND_TRAINING_DATA_SIZE];      /* .safetensors or a folder of them; "": drawn, by seed_init */
    char order[BND_TRAINING_DATA_SIZE];     /* .npy that says which batch each step sees; "": step n sees batch n */
    uint64_t seed_init, seed_data, seed_rounding;
    uint64_t steps;                                 /* what the schedule is laid out for */
    double lr, beta1, beta2, epsilon, weight_decay; /* Adafactor: beta2 of step t is 1 - t^-beta2 */
    double clip;          /* the largest norm of all gradients together, as clip_grad_norm_; 0: they are not clipped */
    size_t micro_batches; /* parts of a rank's batch, whose gradients are added (role accumulate); 1: one */
    size_t ranks;         /* that share the batch; their gradients are added (role reduce); 1: one */
    size_t batch, inputs, width, depth, heads, context;
    size_t vocabulary;      /* 0: as the data have it; bnd_run_training then says how many symbols that are */
    bool tied;              /* the head of a transformer is its table of embeddings */
    bool recompute;         /* layers are computed again in the backward pass */
    bnd_transformer blocks; /* of transformer, gpt2 and llama; other models do not use it */
} bnd_training;

/* Data: bytes of any file (256 symbols); tokens in .npy (integers of any shape, in their order) or .bin (uint16, the
 * lower byte first); or what data_type says: uint8, int16, uint16, int32, uint32, int64 or uint64, in any file that is
 * not .npy, the lowest byte first. With a tokenizer, a file that is none of these is text in UTF-8: its tokens are made
 * when the run is made, four bytes each, and the vocabulary is the tokenizer's. Any other file is mapped, looked at
 * once when the run is made, and not to be changed meanwhile. Of its tokens the last tenth (at least one window: the
 * context and a token) is for validation; windows of both parts begin anywhere, by seed_data. A file with less than two
 * windows, or with tokens that the vocabulary does not have, is refused before the first step. */

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

/* Sets all members to what the model and the optimizer usually run with, under the recipe.
 * Arguments: names of rows of the tables below, and a recipe as bnd_policy_parse reads it.
 * On failure: BND_BAD_NAME for an unknown name; otherwise as bnd_policy_parse. */
BND_CHECKED bnd_status bnd_training_default(bnd_training *out, const char *model, const char *optimizer,
                                            const char *recipe, bnd_error *why);

/* Returns: true if the data are a file that is read as text, by bytes or by a tokenizer: one without a data type whose
 * name does not end in .npy or .bin. */
bool bnd_training_reads_text(const bnd_training *training);

/* The options of blocks as text: settings separated by commas, "norm=rmsnorm,kv_heads=2,qk_norm", each a member of
 * bnd_transformer. Members that the text does not name stay.
 * On failure: BND_BAD_NAME for an unknown setting, BND_BAD_SYNTAX for a value of another kind; `blocks` is unchanged. A
 * word or a size that the model cannot have is refused by bnd_run_new. */
BND_CHECKED bnd_status bnd_transformer_parse(bnd_transformer *blocks, const char *text, bnd_error *why);

/* Writes the members that are not the model's own as such a text.
 * Returns: its length, as snprintf; it is below BND_TRANSFORMER_TEXT_SIZE. */
enum { BND_TRANSFORMER_TEXT_SIZE = 1024 };
size_t bnd_transformer_print(char *out, size_t size, const bnd_transformer *blocks);

/* Makes a training of Hugging Face's config.json of GPT-2 or Llama, under fp32. A key that is missing has the default
 * of GPT2Config or LlamaConfig. The context is 32, or the positions if these are fewer.
 * Arguments: `model` is gpt2 or llama, or NULL: the file's model_type. `optimizer` as in bnd_training_default.
 * On failure: BND_BAD_FILE for text that is not such JSON, and for a key or a value that would change what the model
 * computes and cannot be followed: a rope_type such as yarn, attention_bias, an unknown key; the message names it. */
BND_CHECKED bnd_status bnd_training_of_config(bnd_training *out, const char *model, const char *optimizer,
                                              const char *path, bnd_error *why);

/* Counts the symbols of the data of a training: the vocabulary of a run whose training says 0.
 * Arguments: `out` receives the vocabulary of the training where it says one; 0 for a model without symbols.
 * On failure: as bnd_run_new. */
BND_CHECKED bnd_status bnd_training_vocabulary(size_t *out, const bnd_training *training, bnd_error *why);

/* Returns: the number of models; they are rows 0 .. count-1. */
size_t bnd_model_count(void);

/* Returns: the name of a model; "" if the row does not exist. */
const char *bnd_model_name(size_t row);

/* Returns: what a model is, in one line; "" if the row does not exist. */
const char *bnd_model_title(size_t row);

/* Returns: the number of sources of text that is drawn from seed_data; the irreducible loss of each is known. */
size_t bnd_source_count(void);

/* Returns: the name of a source; "" if the row does not exist. */
const char *bnd_source_name(size_t row);

/* Returns: what a source is, in one line; "" if the row does not exist. */
const char *bnd_source_title(size_t row);

/* Returns: the number of optimizers; they are rows 0 .. count-1. */
size_t bnd_optimizer_count(void);

/* Returns: the name of an optimizer; "" if the row does not exist. */
const char *bnd_optimizer_name(size_t row);

/* Returns: what an optimizer is, in one line; "" if the row does not exist. */
const char *bnd_optimizer_title(size_t row);

/* Finds an optimizer by its name.
 * On failure: BND_BAD_NAME. */
BND_CHECKED bnd_status bnd_optimizer_find(size_t *row, const char *name, bnd_error *why);

/* Counts the numbers that an optimizer keeps for a parameter of this shape.
 * Arguments: `part` is BND_ROLE_M or BND_ROLE_V; `hidden`: see bnd_run_is_hidden; `blocks`: see bnd_run_blocks.
 * Returns: 0, one per number of the parameter, (Adafactor's v of a matrix) one per row and one per column, or
 * (Adam-mini's v) one per block. */
size_t bnd_optimizer_keeps(size_t row, bnd_role part, const size_t *shape, size_t rank, bool hidden, size_t blocks);

/* Returns: whether the optimizer of a training has products whose operands have the role (BND_ROLE_NS); true for all
 * other roles. */
bool bnd_training_uses(const bnd_training *training, bnd_role role);

/* Computes the factor of the learning rate at a step.
 * Arguments: `schedule` is constant, warmup (rises to the full rate in a tenth of the steps), warmup:N (in N steps),
 * cosine or wsd; `step` is 0 .. steps - 1, and later ones have the factor of the last.
 * On failure: BND_BAD_NAME for another schedule. */
BND_CHECKED bnd_status bnd_schedule_factor(double *out, const char *schedule, uint64_t step, uint64_t steps,
                                           bnd_error *why);

/* ---- a run ---- */

typedef struct bnd_run bnd_run;

/* What one step did. */
typedef struct bnd_step {
    uint64_t step; /* its number, from 0 */
    double loss, gradient_norm, lr, loss_scale;
    double clip_factor; /* that the gradients were multiplied by, after the norm was taken; 1: they were not */
    bool skipped;       /* by a loss scale: a gradient was NaN or infinite */
    uint64_t weights;   /* numbers of all parameters */
    /* An update is the whole change of a weight in a step: the optimizer's and the decay's. updates: those that are not
     * zero. lost: those of them that left the stored weight as it was; not counted with Kahan's update: 0. */
    uint64_t updates, lost;
    double update_ratio; /* |update| / |weight|, norms over all parameters */
} bnd_step;

/* Makes a run: opens its data, and draws or loads the initial weights.
 * Arguments: `context` as bnd_engine_new takes it.
 * On failure: BND_BAD_NAME or BND_BAD_ARGUMENT for a training that cannot run (the message says which member),
 * BND_BAD_FILE or BND_BAD_STREAM for its files. */
BND_CHECKED bnd_status bnd_run_new(bnd_run **out, const bnd_training *training, const bnd_context *context,
                                   bnd_error *why);

/* One of the ranks of a run that are processes, each of which makes the same calls. */
typedef struct bnd_ranks {
    size_t rank, count;
    /* Gives what every rank gave: `size` bytes each, in the order of ranks. Fails where a rank does not answer. */
    bnd_status (*gather)(void *all, const void *own, size_t size, void *data, bnd_error *why);
    void *data;
} bnd_ranks;

/* From now on this process makes the gradients of its rank only, and the sums of all: losses, weights and states have
 * the bits of a run that has all ranks in one process. The engine counts the casts of this rank.
 * Arguments: `ranks` is used as long as the run is; NULL: all ranks are in this process.
 * On failure: BND_BAD_ARGUMENT for another number than training.ranks. */
BND_CHECKED bnd_status bnd_run_share(bnd_run *run, const bnd_ranks *ranks, bnd_error *why);

/* Frees a run and its engine. NULL does nothing. */
void bnd_run_free(bnd_run *run);

/* Makes one step: forward pass, backward pass and update, of the batch of this step.
 * On failure: BND_BAD_ARGUMENT for a run of the caller's own model, or if an order has no further batch. */
BND_CHECKED bnd_status bnd_run_step(bnd_step *out, bnd_run *run, bnd_error *why);

/* Computes the mean loss over batches that no step sees, in the formats of the recipe. It does not change the training.
 * On failure: BND_BAD_ARGUMENT for a run of the caller's own model, and for 0 batches. */
BND_CHECKED bnd_status bnd_run_validate(double *loss, bnd_run *run, uint64_t batches, bnd_error *why);

/* Computes the losses of the run's weights under another policy, without training: losses[i] is that of validation
 * batch i, so that two policies can be compared batch by batch. The weights are the master if there is one, otherwise
 * the stored parameter; the policy rounds them once, to nearest, to what it stores. Delayed scales are those of one
 * batch of training (that of step 0). The run is unchanged. Needs memory for a second copy of the weights.
 * Arguments: `place` limits the policy to one place of the model (see bnd_run_places), and everything else is fp32;
 * BND_PLACE_ALL: everywhere.
 * On failure: BND_BAD_ARGUMENT for a run of the caller's own model. */
BND_CHECKED bnd_status bnd_run_losses(double *losses, size_t batches, const bnd_run *run, const bnd_policy *policy,
                                      unsigned place, bnd_error *why);

/* Counts the bytes of the run's weights under a policy, as inference keeps them: of a matrix that is an operand of a
 * matrix product, that operand (gemm_fwd.w with its scales) if it is smaller than the stored parameter; of every other
 * parameter, as it is stored. */
BND_CHECKED bnd_status bnd_run_weight_bytes(uint64_t *out, const bnd_run *run, const bnd_policy *policy,
                                            bnd_error *why);

/* ---- the same run elsewhere ---- */

/* Saves the weights as fp32 in .safetensors, under the names of the parameters: the master if there is one. Before the
 * first step these are the initial weights. A recipe that stores weights, or has a master, in fp32 starts from the same
 * bits with this file as training.init. The file appears under its name when it is complete.
 * On failure: BND_BAD_STREAM if it cannot be written. */
BND_CHECKED bnd_status bnd_run_save_weights(const bnd_run *run, const char *path, bnd_error *why);

/* Makes the batch that a step sees. It depends on the training and the step only.
 * Arguments: `x` and `y` receive tensors of the run's engine, to be released; y is NULL if the model has no targets.
 * On failure: BND_BAD_ARGUMENT for a run of the caller's own model, and for a step that an order does not have. */
BND_CHECKED bnd_status bnd_run_batch(bnd_tensor **x, bnd_tensor **y, bnd_run *run, uint64_t step, bnd_error *why);

/* Saves the batches of the steps 0 .. steps - 1 as .safetensors: x, and y if there are targets, each with the steps as
 * its first axis, F32, or I32 for symbols and classes; for a text also start (I64, steps by rows), where each row
 * begins in the text, which can be the order of another run. It needs memory for one batch.
 * On failure: as bnd_run_batch; BND_BAD_STREAM if the file cannot be written. */
BND_CHECKED bnd_status bnd_run_save_batches(bnd_run *run, uint64_t steps, const char *path, bnd_error *why);

/* Returns: FNV-1a (64 bits) of the file `init` as the run found it; 0 if there is none. */
uint64_t bnd_run_init_hash(const bnd_run *run);

/* Returns: a hash that tells whether training.data and training.tokenizer are still the files that the run was made
 * with; 0 without such a file. Of data of more than 1 MiB it is of their size and of 16 pieces of 64 KiB. */
uint64_t bnd_run_data_hash(const bnd_run *run);
uint64_t bnd_run_tokenizer_hash(const bnd_run *run);

/* Returns: FNV-1a (64 bits) of the file `order` as the run found it; 0 if there is none. */
uint64_t bnd_run_order_hash(const bnd_run *run);

/* Returns: the loss scale of the step that is being made, or of the next one. */
double bnd_run_loss_scale(const bnd_run *run);

/* Returns: the irreducible loss for this run's seed_data: the entropy of what is predicted, or 0 if a planted solution
 * fits; NaN if it is not known. */
double bnd_run_floor(const bnd_run *run);

/* Returns: the loss at chance level; of a text, that of the symbols that occur in the training part. NaN if it is not
 * known. */
double bnd_run_chance_loss(const bnd_run *run);

/* Returns: for a text in a file, the entropy of the shares of its symbols: the loss of a model that has learned nothing
 * of their order. NaN for other data. */
double bnd_run_unigram_entropy(const bnd_run *run);

/* Returns: what the run is made of; `vocabulary` is the number of symbols that the data have. */
const bnd_training *bnd_run_training(const bnd_run *run);

/* Returns: the engine of the run, for its account and its statistics. */
bnd_engine *bnd_run_engine(const bnd_run *run);

/* Returns: the number of parameters, which are 0 .. count-1; that of the elements of all. */
size_t bnd_run_parameters(const bnd_run *run);
uint64_t bnd_run_elements(const bnd_run *run);

/* Returns: the name of a parameter, "blocks.0.up.weight". */
const char *bnd_run_parameter_name(const bnd_run *run, size_t i);

/* Returns: a parameter, or what the optimizer keeps of it: `part` is BND_ROLE_PARAM, MASTER, M, V or EXTRA. The
 * handle is the run's and needs no release. NULL if there is none. */
bnd_tensor *bnd_run_parameter(const bnd_run *run, size_t i, bnd_role part);

/* Returns: whether a parameter is a hidden matrix: not a table of embeddings, and not of a first layer that reads data
 * or of an output layer. Muon updates these, and AdamW the others. */
bool bnd_run_is_hidden(const bnd_run *run, size_t i);

/* Counts the blocks into which Adam-mini divides a parameter: the heads of queries and keys; of all else each output, a
 * row (of gpt2 a column); each number of a bias; and a vector that is not a bias is one.
 * Returns: their number. */
size_t bnd_run_blocks(const bnd_run *run, size_t i);

/* The updates of a parameter in the last step. */
typedef struct bnd_updates {
    uint64_t updates;      /* that are not zero */
    uint64_t lost;         /* of these: lost to rounding (not counted with Kahan's update: 0) */
    uint64_t lost_moments; /* second moments that are zero although the gradient is not */

    /* Of m and of v, if the engine counts casts, and they are kept by element and not in fp32: those that the update
     * would change in fp32; of these, those whose stored value did not change. */
    uint64_t moments[2], stalled[2];
} bnd_updates;

/* Returns: the updates of a parameter in the last step. */
bnd_updates bnd_run_updates(const bnd_run *run, size_t i);

enum { BND_PLACE_NAME_SIZE = 64 };

/* Counts the places at which the engine counts casts. A place has parameters that belong together, "blocks.0.up", and
 * everything that is computed with them until the next are used. Place 0, "", is the rest: batches, and the loss.
 * Returns: their number. */
size_t bnd_run_places(const bnd_run *run);

/* Returns: the name of a place. */
const char *bnd_run_place_name(const bnd_run *run, size_t place);

/* Returns: the place of a parameter. */
size_t bnd_run_parameter_place(const bnd_run *run, size_t i);

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

/* Makes a run of the caller's own model.
 * On failure: as bnd_run_new. */
BND_CHECKED bnd_status bnd_run_new_own(bnd_run **out, const bnd_training *training, const bnd_context *context,
                                       bnd_error *why);

/* Adds a parameter before the first step.
 * Arguments: `index` receives its number for bnd_run_parameter. `name` is unique, has at most 63 bytes, and does not
 * end in .master, .m, .v, .factors or .extra; the part before its last dot names the place at which its casts are
 * counted. `values` are row-major, NULL: zeros; they go into the master if the recipe has one, and are rounded to the
 * format of the parameter, to nearest. `decays`: weight decay applies to it.
 * On failure: BND_BAD_NAME for a name that a checkpoint cannot have or the run has already; BND_BAD_ARGUMENT for
 * another shape, after the first step, and for a run of a built-in model. */
BND_CHECKED bnd_status bnd_run_add_parameter(size_t *index, bnd_run *run, const char *name, const float *values,
                                             const size_t *shape, size_t rank, bool decays, bnd_error *why);

/* Says whether a parameter, which is not hidden when it is added, is a hidden matrix: see bnd_run_is_hidden.
 * On failure: BND_BAD_ARGUMENT for a parameter that is not a matrix, after the first step, and for a run of a built-in
 * model; the run is unchanged. */
BND_CHECKED bnd_status bnd_run_set_hidden(bnd_run *run, size_t index, bool hidden, bnd_error *why);

/* Begins a step: makes the parameters that the recipe makes from masters for a step, and sets the random bits of this
 * step.
 * On failure: BND_BAD_ARGUMENT inside a step or an evaluation. */
BND_CHECKED bnd_status bnd_run_begin_step(bnd_run *run, bnd_error *why);

/* Ends a step: reads the loss, runs the backward pass from the loss times the loss scale, updates the parameters, and
 * releases gradients. Tensors of the forward pass are the caller's to release; bnd_engine_mark helps.
 * Arguments: a `loss` of NULL gives the step up: the weights stay, and `out` is not written.
 * On failure: the step is given up. BND_BAD_ARGUMENT outside a step, and as bnd_tensor_backward. */
BND_CHECKED bnd_status bnd_run_end_step(bnd_step *out, bnd_run *run, bnd_tensor *loss, bnd_error *why);

/* What an optimizer is told about a parameter. */
typedef struct bnd_step_rates {
    double lr, beta1, beta2, epsilon, weight_decay;
} bnd_step_rates;

/* Ends a step whose gradients the caller has computed (bnd_tensor_pull, bnd_tensor_set_gradient): updates the
 * parameters that have a gradient, and releases the gradients.
 * Arguments: `loss` is written to `out` only; `rates` has an entry per parameter, which all follow instead of the
 * training's (weight decay applies to each, then); NULL: the training's.
 * On failure: the step is given up. BND_BAD_ARGUMENT outside a step. */
BND_CHECKED bnd_status bnd_run_update(bnd_step *out, bnd_run *run, double loss, const bnd_step_rates *rates,
                                      bnd_error *why);

/* A parameter for the forward pass. What is computed until the next such call belongs to the place of this parameter:
 * statistics count it there, and high_last counts it to that layer.
 * Returns: the run's handle, which needs no release; NULL outside a step and an evaluation, and for an index that
 * does not exist. */
bnd_tensor *bnd_run_use_parameter(bnd_run *run, size_t index);

/* Begins a forward pass from which nothing is learned: nothing is recorded, the random bits are not those of a step,
 * and delayed scales stay.
 * On failure: BND_BAD_ARGUMENT inside a step or an evaluation. */
BND_CHECKED bnd_status bnd_run_begin_evaluation(bnd_run *run, bnd_error *why);

/* Ends it.
 * On failure: BND_BAD_ARGUMENT outside an evaluation. */
BND_CHECKED bnd_status bnd_run_end_evaluation(bnd_run *run, bnd_error *why);

/* ---- a run on the disk ---- */

/* Saves a checkpoint as .safetensors: everything that the run continues from. Parameters have their names; NAME.master,
 * NAME.m, NAME.v, NAME.factors and NAME.extra are what is kept of them; the metadata have the training, the step and
 * the loss scale. The file appears under its name when it is complete and on the disk.
 * On failure: BND_BAD_ARGUMENT for a recipe that bnd_policy_text cannot express; BND_BAD_STREAM if the file cannot
 * be written. */
BND_CHECKED bnd_status bnd_run_save(const bnd_run *run, const char *path, bnd_error *why);

/* Continues a run from a checkpoint: under the recipe that was saved with the same bits as a run that never stopped;
 * under another recipe as bnd_run_switch does. Learning rate, schedule, steps and the other seeds are the run's own.
 * On failure: BND_BAD_FILE or BND_BAD_STREAM for a file that is not a complete checkpoint; BND_BAD_ARGUMENT for that
 * of another model, options of its blocks, optimizer, size, or data (seed_data). The run is unchanged. */
BND_CHECKED bnd_status bnd_run_load(bnd_run *run, const char *path, bnd_error *why);

/* Reads the description of a checkpoint: the training under the recipe that was saved, and the number of steps made.
 * On failure: BND_BAD_FILE or BND_BAD_STREAM. */
BND_CHECKED bnd_status bnd_checkpoint_read(bnd_training *training, uint64_t *step, const char *path, bnd_error *why);

/* Switches to another recipe from the next step on. What both recipes keep stays: bit for bit if both store it alike,
 * otherwise each number is rounded once, to nearest (weights from the master if there is one); numbers with shared
 * scales are stored by the rule of their role. What only the new recipe keeps begins as in a new run: a master is made
 * from the parameter, Kahan's compensation is 0, loss scales and delayed scales start again (a dynamic loss scale
 * continues under another dynamic one). What only the old one keeps is dropped. The same recipe changes nothing.
 * On failure: as bnd_engine_set_policy; the run is unchanged. */
BND_CHECKED bnd_status bnd_run_switch(bnd_run *run, const bnd_policy *policy, bnd_error *why);

/* ---- as text ---- */

/* Writes a training as a JSON object that bnd_training_read_n reads. Its recipe is what bnd_policy_text makes of the
 * policy, or null where bnd_policy_text fails. NaN and infinities are null, and an additional member KEY_is says which.
 * Returns: the length of the whole text, as snprintf. A text too long for `out` is cut and ends with a 0 byte. */
size_t bnd_training_print(char *out, size_t size, const bnd_training *training);

/* Reads such an object. It has `model`, `optimizer` and `recipe`; other members that it lacks are as
 * bnd_training_default sets them, except that text without "source" and "data" is of the chain, as in files from before
 * there were sources.
 * On failure: BND_BAD_FILE for text that is not such JSON, for a member that occurs twice or has another type, and
 * for more than a MiB; BND_BAD_NAME for unknown members and names. why->where is an offset into the text. */
BND_CHECKED bnd_status bnd_training_read_n(bnd_training *out, const char *text, size_t length, bnd_error *why);

/* Reads a recipe as an object of settings: {"base": "bf16-amp", "v": "e5m2", "dact": "e4m3:sr", "loss_scale": 1024,
 * "name": "mine"}. `base` is applied first, then the others in the order of the text, as bnd_policy_parse applies them;
 * `name` is the name of the recipe.
 * On failure: BND_BAD_FILE for text that is not such JSON; otherwise as bnd_policy_parse. */
BND_CHECKED bnd_status bnd_recipe_read_n(bnd_policy *out, const char *text, size_t length, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
