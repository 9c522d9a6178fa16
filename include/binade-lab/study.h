/* Layer 9: many runs: records of runs, runs in parallel on all cores, and comparisons of runs. */
#ifndef BINADE_STUDY_H
#define BINADE_STUDY_H

#include <binade-lab/checkpoint.h>
#include <binade-lab/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- records of runs ---- */

/* What one step did: a line of metrics.jsonl. What was not measured is NaN, or 0 where it is a count. */
typedef struct bnd_point {
    uint64_t step; /* from 0 */
    double loss, gradient_norm, lr, loss_scale, update_ratio;
    double seconds;
    double validation;                          /* after the step, in the recipe's formats, where `validated` */
    double validation_fp32;                     /* the same weights and batches, all in fp32; NaN: not measured */
    uint64_t updates, lost;                     /* updates that are not zero; of them, lost to rounding */
    uint64_t gradients, underflowed, overflows; /* as in bnd_record */
    double clip_factor;                         /* that the gradients were multiplied by, where `clips` */
    bool skipped, validated, validated_fp32, clips;
    bool ended; /* the weights are NaN: no step after this one is made */
} bnd_point;

enum { BND_RECORD_NAME_SIZE = 256 };

/* How many numbers of a role had which floor(log2 |x|) in a step, before they were cast. */
typedef struct bnd_histogram {
    uint64_t step;
    bnd_role role;
    uint64_t exponents[64]; /* as in bnd_stats: below BND_HISTOGRAM_LOWEST, each from there, and above */
} bnd_histogram;

typedef struct bnd_record {
    char recipe[BND_RECORD_NAME_SIZE];                                     /* what it is called */
    char model[BND_TRAINING_NAME_SIZE], optimizer[BND_TRAINING_NAME_SIZE]; /* "" where a file does not say */
    uint64_t seed_init, seed_data;
    uint64_t init_hash, order_hash;     /* of files with initial weights and an order of batches; 0: none */
    uint64_t data_hash, tokenizer_hash; /* of training.data and training.tokenizer; 0: none, or not known */
    double lr;                          /* NaN where a file does not say */
    bnd_point *points;                  /* steps ascend; there are gaps where a file has them */
    size_t count;
    uint64_t steps;            /* that it was to make */
    bool complete;             /* it made them, or ended: */
    bool ended;                /* every loss after the last point is NaN, and is not computed */
    bool validated;            /* there is a validation at the end */
    double loss;               /* at the end: the mean of the last tenth of the steps */
    bool validated_fp32;       /* and it was made in fp32, too */
    double validation;         /* at the end: of data that no step saw, in the recipe's formats */
    double validation_fp32;    /* the same weights and data, everything else in fp32 */
    double floor, chance_loss; /* the irreducible loss, and the loss at chance level; NaN: not known */
    uint64_t parameters;       /* numbers that are learnt; this and what follows is 0 where it is not known */
    uint64_t updates, lost;    /* over all steps */
    uint64_t skipped;          /* steps */
    uint64_t gradients,
        underflowed;    /* where casts are counted: gradients other than zero that were rounded; of them, to
                                    zero */
    uint64_t overflows; /* of all casts */
    uint64_t overflow_from[BND_ROLE_COUNT],
        underflow_from[BND_ROLE_COUNT]; /* where casts are counted: 1 + the first step in which
                                    a number of the role became an infinity or NaN, or 1 % of its nonzero numbers zero;
                                    0: no step */
    uint64_t bytes[BND_ROLE_COUNT];     /* between steps */
    uint64_t peak_by_role[BND_ROLE_COUNT];
    uint64_t bytes_peak, bytes_at_peak[BND_ROLE_COUNT]; /* of the emulation: when all roles together had most */
    uint64_t recipe_peak,
        recipe_at_peak
            [BND_ROLE_COUNT]; /* of the recipe: when the roles that belong to it (bnd_role_is_of_recipe) had most;
                                                      0 where a file does not say */
    uint64_t saved,
        saved_row_statistics;        /* for the backward pass, as bnd_account has them; 0 where a file does not say */
    uint64_t flops;                  /* of a step */
    double seconds;                  /* of a step: the median; NaN where it is not known */
    char *source;                    /* the directory or the file of the run; NULL: none */
    char *step_column, *loss_column; /* of a log: the names of the columns that were read; NULL: a run directory */
    char *config;                    /* the text of its config.json, for bnd_task_read; NULL: not known */
    char *autopsy;                   /* the text of its autopsy.json, which is well-formed JSON; NULL: none */
    bnd_histogram *histograms; /* where casts are counted: of the steps 0, 3, 15, 63 ... (4^k - 1) and of the last */
    size_t histogram_count;
} bnd_record;

/* Frees what a record owns: its points, texts and histograms. */
void bnd_record_close(bnd_record *record);

/* Reads a run: a run directory, finished or not, or a file of JSON lines or of values separated by commas, tabs or
 * semicolons, with a step and a loss (and the other columns of metrics.jsonl). An incomplete last line, as a killed run
 * leaves it, is ignored. If the two columns have other names than step and loss, lines without a loss are skipped.
 * Arguments: `out` is closed with bnd_record_close.
 * On failure: BND_BAD_STREAM if the file cannot be read; BND_BAD_FILE with the number of the line; BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_record_read(bnd_record *out, const char *path, bnd_error *why);

/* The names of the columns in a file that is not part of a run directory. NULL: the usual names. Usual are step,
 * global_step, trainer/global_step, _step, iteration and iter, and loss, train/loss, train_loss, training_loss and
 * loss/train, in any case; TensorBoard's "Wall time,Step,Value"; and wandb's "RUN - train/loss". */
typedef struct bnd_log_columns {
    const char *step, *loss;
} bnd_log_columns;

/* Reads what bnd_record_read reads, and a directory of run directories: one record each, in the order of their names.
 * Arguments: `out` receives `count` records, freed with bnd_records_free.
 * On failure: as bnd_record_read. */
BND_CHECKED bnd_status bnd_records_read(bnd_record **out, size_t *count, const char *path, bnd_error *why);

/* bnd_records_read of a file whose columns have these names. */
BND_CHECKED bnd_status bnd_records_read_log(bnd_record **out, size_t *count, const char *path,
                                            const bnd_log_columns *columns, bnd_error *why);

/* Writes a note on what bnd_records_read leaves out of a directory of runs: directories with the files of a run, but
 * without config.json. "runs/a and runs/b are left out: they have no config.json"
 * Returns: the length of the whole note, as snprintf; 0, with an empty text: nothing is left out, or `path` is a run, a
 * file, or cannot be read. */
size_t bnd_records_print_left_out(char *out, size_t size, const char *path);

/* Closes each record, and frees them all. */
void bnd_records_free(bnd_record *records, size_t count);

/* Writes the points of a record as CSV, which bnd_record_read reads back to the same numbers.
 * On failure: BND_BAD_STREAM if the file cannot be written. */
BND_CHECKED bnd_status bnd_record_write_csv(const bnd_record *record, const char *path, bnd_error *why);

/* Writes every number of the lines of a run (of its directory, or of a file of JSON lines) as CSV: a column per key, in
 * the order of their first appearance, and a row per line. What a line does not say is an empty field; null is written
 * as nan, inf or -inf if the line says which. Texts, arrays and objects are left out.
 * Arguments: `write` receives the text piece by piece.
 * On failure: before anything is written: as bnd_record_read; and BND_BAD_FILE for CSV, a number that a line has
 * twice, more than 65536 columns, and what is not an ordinary file, which could not be read twice. */
BND_CHECKED bnd_status bnd_metrics_write_csv(const char *path,
                                             void (*write)(void *sink, const char *text, size_t length), void *sink,
                                             bnd_error *why);

/* Counts the bytes per parameter: itself, its master copy, its gradient, m, v and what the recipe keeps in addition,
 * each at its peak.
 * Returns: NaN if they are not known. */
double bnd_record_bytes_per_parameter(const bnd_record *record);

/* Counts the bytes of all of these and of the activations saved for the backward pass, which `binade cost memory`
 * computes on paper.
 * Returns: NaN if they are not known. */
double bnd_record_memory(const bnd_record *record);

/* Returns: the part of that which belongs to a role: its peak, and for BND_ROLE_ACT the saved activations; 0 for roles
 * that are not part of it. */
uint64_t bnd_record_memory_of(const bnd_record *record, bnd_role role);

/* ---- runs ---- */

/* Reads a recipe as people choose one: a name, settings as bnd_policy_parse takes them, or the name of a file with
 * them, FILE.json. A recipe that no run can have is refused here.
 * Arguments: `name` receives what records call it: the name of a built-in recipe, what the file says, or `text`. `text`
 * has `length` bytes, at most BND_RECORD_NAME_SIZE - 1.
 * On failure: as bnd_policy_parse or bnd_recipe_read_n; BND_BAD_STREAM if the file cannot be read. */
BND_CHECKED bnd_status bnd_recipe_choose_n(bnd_policy *out, char name[BND_RECORD_NAME_SIZE], const char *text,
                                           size_t length, bnd_error *why);

/* Returns: the length of the first recipe of a list: up to a semicolon, or up to a comma that another recipe follows. A
 * setting (with "=" in it) belongs to the recipe before it, except base=, which begins one. */
size_t bnd_recipe_list_first(const char *list);

/* A run that is to be made. */
typedef struct bnd_task {
    bnd_training training;
    const char *recipe;          /* what records call it; NULL: what bnd_policy_text says */
    const char *directory;       /* for config.json, metrics.jsonl, summary.json, checkpoint.safetensors; NULL: none */
    bool resume;                 /* a run that is there is continued; otherwise no run may be there */
    uint64_t checkpoint_every;   /* steps; 0: at the end only, and where it is stopped */
    bool drops_checkpoint;       /* none is kept of a run that is complete */
    uint64_t validate_every;     /* steps; 0: at the end only */
    uint64_t validation_batches; /* 0: never */
    bool statistics;             /* casts are counted, by role, */
    bool places;                 /* and by place of the model, too: in metrics.jsonl only */
    bool switches;               /* from step `switch_at` on, under another recipe */
    uint64_t switch_at;
    bnd_policy switch_to;
    const bnd_ranks *ranks; /* each a process that runs the same tasks; rank 0 writes the directory. NULL: all here */
} bnd_task;

/* Describes a run without a directory that is validated at its end. */
void bnd_task_default(bnd_task *out, const bnd_training *training);

/* Reads the task that a configuration describes: the training, what is counted and validated, and a switch of recipes.
 *
 * Returns: BND_OK, BND_NO_MEMORY, BND_BAD_FILE or BND_BAD_NAME.
 * Arguments: `out` (out): the task, without a recipe's name and a directory. `config`: the text of a config.json.
 *     `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the text is not a configuration, or one of another version. */
BND_CHECKED bnd_status bnd_task_read(bnd_task *out, const char *config, bnd_error *why);

/* Names the directory of a run among others, "bf16-amp-1": letters, digits and ._-+=, with a hash at the end of a name
 * that would be too long or would not tell two recipes apart.
 * Returns: the length of the whole name, as snprintf. */
size_t bnd_task_name(char *out, size_t size, const char *recipe, uint64_t seed);

/* Is called from the threads that work, one call at a time, when task number `task` has made a step (its last point) or
 * was found complete. A run whose weights are all NaN, with two such losses, has ended: further steps would change
 * nothing. `so_far` has sums over the steps made; its loss, validation and seconds are the present ones.
 * Returns: false stops all runs after their present step, each with a checkpoint. */
typedef bool bnd_study_watch(void *data, size_t task, const bnd_record *so_far);

/* Makes runs, as many at once as the context has threads (one thread each; a single run has all of them, with the same
 * bits), and sets a record for each. If `watch` stops the runs, the call does not fail, and records are incomplete.
 * Arguments: `records` has room for `count`, each closed by the caller; `watch` may be NULL, `data` is passed to it.
 * On failure: if a task is wrong, before the first step, and no record is written. If a run fails on the way (a full
 * disk), the others are finished, every record has what was made, and the first failure is returned. */
BND_CHECKED bnd_status bnd_study_run(bnd_record *records, const bnd_task *tasks, size_t count,
                                     const bnd_context *context, bnd_study_watch *watch, void *data, bnd_error *why);

/* ---- comparing ---- */

/* Failures are counted apart. The other words are about the pairs in which neither run failed, and say where the 95 %
 * interval of their gap lies. */
typedef enum bnd_verdict {
    BND_VERDICT_NO_DIFFERENCE, /* within the tolerance; or the losses of all pairs are the same */
    BND_VERDICT_INCONCLUSIVE,  /* across a bound of the tolerance: more seeds would tell */
    BND_VERDICT_WORSE,         /* beyond the tolerance, above */
    BND_VERDICT_BETTER,        /* beyond it, below */
    BND_VERDICT_FAILED,        /* more runs failed than of the reference */
    BND_VERDICT_UNJUDGED,      /* at most one pair is left: a gap, and no interval */
    BND_VERDICT_COUNT
} bnd_verdict;
const char *bnd_verdict_name(bnd_verdict verdict); /* "no difference"; "" where there is none */

/* The usual margin. The tolerance is this share of what the reference's loss has above the irreducible loss. Where that
 * is not known, the other share of the loss stands for it: 5 % of it are 1 % of the loss. */
#define BND_COMPARISON_MARGIN 0.05
#define BND_COMPARISON_EXCESS 0.2

/* Pairs whose losses span this factor are compared on a logarithmic scale. So are pairs whose reference has solved the
 * task to fp32's resolution; there only a ratio beyond this factor counts. */
#define BND_COMPARISON_APART 10

/* The loss that stands for a run in a comparison: validation in fp32, else validation, else training. NaN, and losses
 * above chance level, count as chance level, or as the first loss if that is not known.
 * Returns: that loss. */
double bnd_record_result(const bnd_record *record);

typedef struct bnd_comparison {
    bnd_verdict verdict;     /* of the runs: BND_VERDICT_FAILED, or that of the others */
    bnd_verdict others;      /* of the pairs that are compared */
    size_t pairs;            /* of the same seeds */
    size_t judged;           /* pairs that are compared: neither run failed */
    size_t failed;           /* runs that ended in NaN, or at chance level where the reference did not; */
    size_t failed_nan;       /* of these, in NaN; */
    uint64_t nan_from;       /* the first step from which on a run's loss is NaN, or the first of a NaN that counts */
    bool nan_at_end;         /* no step's loss is, but the validation at the end: nan_from is the number of steps */
    size_t reference_failed; /* runs of the reference, in the same way */
    double margin;
    /* Means over the pairs that are compared (if none is, over those that ended in numbers; NaN: there is none) */
    double result, reference;
    double gap, interval; /* of the paired differences, and half its 95 % interval (NaN for one pair) */
    double tolerance;     /* of the gap, as a loss */
    bool logarithmic;     /* the verdict is about ratios of losses, whose geometric mean and its 95 % interval are: */
    double ratio, ratio_low, ratio_high;
    double ratio_tolerance; /* of the ratio, above 1: a ratio of losses within its range does not matter */
    bool solved;            /* the reference has reached fp32's resolution */
    double covered;         /* share of the way from chance level to the irreducible loss that the reference covered;
                              NaN: not known */
    bool outside;           /* its losses stay outside the reference's range, */
    uint64_t outside_from;  /* from this step on */
    bool cut;               /* a pair has steps up to different ones: losses are those at the last step of both, */
    uint64_t cut_at;        /* this one (the first of those of several pairs) */
} bnd_comparison;

/* Returns: the verdict in a word: bnd_verdict_name, or "reference failed" where no pair is left for that reason. */
const char *bnd_comparison_word(const bnd_comparison *comparison);

/* Writes a verdict in words: "worse", "failed: NaN at step 12", "failed: chance level", "failed 2 of 10, others worse",
 * "1 seed", "reference failed".
 * Returns: the length of the whole text, as snprintf. */
size_t bnd_comparison_text(char *out, size_t size, const bnd_comparison *comparison);

/* Returns: whether there is something to explain: worse, or failed, or one seed pair with a gap above the tolerance. */
bool bnd_comparison_has_cause(const bnd_comparison *comparison);

/* Compares runs with those of a reference. Pairs are records of the same seeds, initial weights, order and data, whose
 * steps overlap. Their configurations, where they have one, differ in nothing but the recipe, the optimizer with its
 * numbers, the learning rate, the seed of rounding, and the number of steps under a schedule that does not depend on
 * it. Each run is in one pair at most, and so is each seed pair. A pair is compared by what both have: validation
 * losses after the same steps (in fp32 if both have that), otherwise the mean training loss of the last tenth of the
 * steps up to the last one that both have.
 * Arguments: `margin` is at least 0; BND_COMPARISON_MARGIN is usual.
 * On failure: BND_BAD_ARGUMENT if there is no pair, or for another margin; BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_records_compare(bnd_comparison *out, const bnd_record *records, size_t count,
                                           const bnd_record *references, size_t reference_count, double margin,
                                           bnd_error *why);

/* Losses or gaps over steps, smoothed and capped as for bnd_comparison.outside_from: a mean over runs or pairs at each
 * step that all of them have. */
typedef struct bnd_curve {
    uint64_t *step;
    double *mean, *interval; /* half the 95 % interval. NaN: all losses are NaN there, one is, or there is one run */
    size_t count, window;    /* a smoothed loss is the mean of the last `window` steps */
} bnd_curve;

/* Frees the numbers of a curve. */
void bnd_curve_close(bnd_curve *curve);

/* Draws the mean loss of runs that differ in their seeds, capped at the chance level.
 * Arguments: `out` is closed with bnd_curve_close.
 * On failure: as bnd_records_compare. */
BND_CHECKED bnd_status bnd_records_curve(bnd_curve *out, const bnd_record *records, size_t count, bnd_error *why);

/* Draws the mean gap of pairs of runs, which are those of bnd_records_compare.
 * Arguments: `out` is closed with bnd_curve_close.
 * On failure: as bnd_records_compare. */
BND_CHECKED bnd_status bnd_records_gap_curve(bnd_curve *out, const bnd_record *records, size_t count,
                                             const bnd_record *references, size_t reference_count, bnd_error *why);

/* Returns: half the 95 % interval of the mean of n numbers, by Student's t; NaN for fewer than two. */
double bnd_interval(const double *x, size_t n);

/* ---- trained weights under other recipes, without training ---- */

/* How to make a run of trained weights: of a run's checkpoint, or of a GPT-2 or Llama as Hugging Face has them. */
typedef struct bnd_trained_weights {
    bnd_training training; /* that of the checkpoint; of Hugging Face's weights that of their config, in fp32 */
    uint64_t step;         /* of the checkpoint */
    char recipe[BND_RECORD_NAME_SIZE]; /* as the run's config.json calls it, "bf16-pure>bf16-amp@2"; or its policy's */
    bool is_run;                       /* false: weights of Hugging Face, which have no data */
    uint64_t data_hash; /* of the run's data, and of its tokenizer, as its config.json has them; 0: not compared, */
    uint64_t tokenizer_hash; /* as where other ones are set on purpose */
} bnd_trained_weights;

/* Finds out what trained weights are.
 *
 * Returns: BND_OK, or the status of bnd_checkpoint_read or bnd_training_of_config.
 * Arguments: `out` (out): the training. Its data may be changed before the run is made, with data_hash or
 *     tokenizer_hash set to 0; if is_run is false, they must be, and the context may be. `path`: the
 *     checkpoint.safetensors of a run, its directory, or weights of Hugging Face: a file or a folder. `config`: their
 *     config.json; NULL: that of the folder `path` if it is not a run's.
 *     `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: a file cannot be read or is another one; BND_BAD_ARGUMENT: the path has more bytes
 *     than bnd_training.init. The message names the file. */
BND_CHECKED bnd_status bnd_trained_weights_find(bnd_trained_weights *out, const char *path, const char *config,
                                                bnd_error *why);

/* Makes a run with trained weights.
 *
 * Returns: BND_OK, or the status of bnd_run_new or bnd_run_load.
 * Arguments: `out` (out): the run. `trained`: what bnd_trained_weights_find found, with data. `path`: as there.
 *     `context`: as in bnd_run_new. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged; BND_BAD_ARGUMENT also where the data or the tokenizer have another hash. */
BND_CHECKED bnd_status bnd_trained_weights_open(bnd_run **out, const bnd_trained_weights *trained, const char *path,
                                                const bnd_context *context, bnd_error *why);

/* A change of the loss, if a recipe holds at one place of the model only. */
typedef struct bnd_loss_change {
    size_t place;            /* as in bnd_run_place_name */
    double change, interval; /* as in bnd_evaluated */
} bnd_loss_change;

/* The loss of trained weights under a recipe. */
typedef struct bnd_evaluated {
    size_t batches;
    double *losses;          /* of each batch */
    double loss;             /* their mean */
    double change, interval; /* the mean of the paired differences from the reference, and half its 95 % interval */
    bool has_perplexity;     /* the model is one of language */
    double perplexity;       /* exp(loss), then */
    uint64_t weight_bytes;   /* as bnd_run_weight_bytes */
    bnd_loss_change *places; /* that increase the loss beyond the interval of their change, the largest first */
    size_t place_count;
} bnd_evaluated;

/* Evaluates the weights of a run under a recipe.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT, BND_BAD_STREAM, BND_NO_MEMORY, or the status of bnd_run_losses.
 * Arguments: `out` (out): the result, to be closed. `run`: it does not change. `policy`: the recipe. `reference`: what
 *     it is compared with: the result of fp32, on as many batches; NULL: `policy` is the reference, with a change of 0.
 *     `batches`: of the validation. `most`: places that are named at most; 0, which is faster, and for a reference:
 *     none. `watch`: told after each loss, or NULL; there is one loss, or one per place of the model if places are
 *     named. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: there are no batches, or other ones than in the reference; the watch ended it
 *     (BND_BAD_STREAM). */
BND_CHECKED bnd_status bnd_evaluate(bnd_evaluated *out, const bnd_run *run, const bnd_policy *policy,
                                    const bnd_evaluated *reference, size_t batches, size_t most, const bnd_watch *watch,
                                    bnd_error *why);

/* Frees a result. One that is all zero does nothing. */
void bnd_evaluated_close(bnd_evaluated *evaluated);

/* Returns: the recipes that are evaluated where none is asked for, separated by commas. */
const char *bnd_evaluate_defaults(void);

/* ---- tables of runs: a row per recipe ---- */

/* The runs of a recipe that differ only in their seeds. */
enum { BND_SUMMARY_NAME_SIZE = 384 };
typedef struct bnd_summary_row {
    char name[BND_SUMMARY_NAME_SIZE]; /* the recipe, and where several rows have it what else tells them apart */
    const bnd_record *records;
    size_t count;
    size_t reference; /* the row that it is compared with; its own number where it is one */
    bool compared;    /* there were pairs */
    bnd_comparison is;
    size_t repeats; /* further records that repeat a run of the row: not among `records` */
} bnd_summary_row;

/* Puts the records in order, row by row as they first come, and compares each row with a reference: fp32 with the same
 * settings, fp32 with another optimizer, learning rate or number of steps, or else the first row. Each reference comes
 * before the rows that are compared with it. Behind the records of all rows stand repeats, which are in no row: a run
 * of the row has their seeds of initialisation and data, or it is a log with the same losses.
 * Arguments: `rows` receives `row_count` rows, freed with bnd_summary_free. `records` stay as long as the rows are
 * used, and are not closed by them. `margin`: as in bnd_records_compare; with a wrong one, no rows are compared.
 * On failure: BND_NO_MEMORY; the records may be in another order. */
BND_CHECKED bnd_status bnd_summary_make(bnd_summary_row **rows, size_t *row_count, bnd_record *records, size_t count,
                                        double margin, bnd_error *why);

/* Frees rows. NULL does nothing. */
void bnd_summary_free(bnd_summary_row *rows);

/* The numbers of a row, over all its runs. Gaps and ratios are those of bnd_comparison. */
typedef enum bnd_summary_number {
    BND_SUMMARY_PAIRS,
    BND_SUMMARY_FAILED,     /* runs */
    BND_SUMMARY_FINAL_LOSS, /* that is compared; without one, the mean of the runs that ended in a number */
    BND_SUMMARY_GAP,
    BND_SUMMARY_INTERVAL,
    BND_SUMMARY_TOLERANCE,
    BND_SUMMARY_OUTSIDE_FROM,
    BND_SUMMARY_ENDED_AT, /* the fewest steps after which nothing was left to train */
    BND_SUMMARY_LOST_UPDATES_PERCENT,
    BND_SUMMARY_UNDERFLOWED_PERCENT, /* of gradients */
    BND_SUMMARY_OVERFLOWS,
    BND_SUMMARY_SKIPPED,
    BND_SUMMARY_BYTES_PER_PARAMETER, /* this and what follows up to the ratio: of one run */
    BND_SUMMARY_ACTIVATION_BYTES,
    BND_SUMMARY_MEMORY_BYTES,
    BND_SUMMARY_PEAK_BYTES,         /* of the roles that belong to the recipe */
    BND_SUMMARY_MEMORY_SAVED_TIMES, /* the reference's memory / its own */
    BND_SUMMARY_MEMORY_SAVED_BYTES,
    BND_SUMMARY_EMULATION_PEAK_BYTES, /* of everything that the emulation held */
    BND_SUMMARY_STEP_SECONDS,         /* the mean over the runs of their medians */
    BND_SUMMARY_FLOPS_PER_SECOND,
    BND_SUMMARY_RECIPE_LOSS, /* validation in the recipe's formats, where there is one in fp32, too */
    BND_SUMMARY_NAN_FROM,
    BND_SUMMARY_RATIO,
    BND_SUMMARY_RATIO_LOW,
    BND_SUMMARY_RATIO_HIGH,
    BND_SUMMARY_PARAM_BYTES, /* the parts of the memory, as in bnd_record_memory_of */
    BND_SUMMARY_GRAD_BYTES,
    BND_SUMMARY_MASTER_BYTES,
    BND_SUMMARY_M_BYTES,
    BND_SUMMARY_V_BYTES,
    BND_SUMMARY_EXTRA_BYTES,
    BND_SUMMARY_ACCUMULATE_BYTES, /* sums of the gradients of micro-batches */
    BND_SUMMARY_UPDATES,          /* updates that are not zero */
    BND_SUMMARY_GRADIENTS,        /* gradients other than zero, where casts are counted */
    BND_SUMMARY_NAN_RUNS,         /* runs that ended in NaN */
    BND_SUMMARY_NUMBERS
} bnd_summary_number;

/* Returns: the name of a number, "final_loss"; "" for a number that is not one. */
const char *bnd_summary_number_name(bnd_summary_number number);

/* Returns: a number of a row; NaN if it is not known. */
double bnd_summary_value(const bnd_summary_row *rows, size_t row, bnd_summary_number number);

/* Returns: the verdict in a word: "reference", "reference failed", "unfinished", "no pair", or bnd_verdict_name. */
const char *bnd_summary_verdict(const bnd_summary_row *rows, size_t row);

/* Returns: the verdict of the runs that did not fail; "" where there is none. */
const char *bnd_summary_others(const bnd_summary_row *rows, size_t row);

/* Writes a loss for people: four decimals, or three digits of one that is very small or large; "nan".
 * Returns: the length of the whole text, as snprintf. */
size_t bnd_loss_print(char *out, size_t size, double x);

/* Writes a line of the conclusion in words: "Use bf16-pure: no difference from fp32, with 50 % of its memory.", then
 * which recipes failed, are worse, better, inconclusive or unfinished.
 * Arguments: at most `size` bytes are written, with a final 0 byte. `rows`, `count`: the whole table. `line`: from 0
 * on.
 * Returns: the length of the whole line, as snprintf; 0, with an empty text: there are no more lines. */
size_t bnd_summary_print_line(char *out, size_t size, const bnd_summary_row *rows, size_t count, size_t line);

/* Returns: the row to use instead of the first reference: no difference from it, and the least memory; `count`: there
 * is none. */
size_t bnd_summary_recommended(const bnd_summary_row *rows, size_t count);

/* Writes a note on the table, a paragraph: whether the reference learned anything, which rows have no pair, and per row
 * that failed when it did, and which roles lost numbers first.
 * Arguments: as in bnd_summary_print_line. `memory`: also which recipes save no memory.
 * Returns: the length of the whole note, as snprintf; 0, with an empty text: there are no more notes. */
size_t bnd_summary_print_note(char *out, size_t size, const bnd_summary_row *rows, size_t count, bool memory,
                              size_t note);

/* Writes the note on a row that failed.
 * Returns: the length of the whole note, as snprintf; 0, with an empty text: it did not fail. */
size_t bnd_summary_print_failure(char *out, size_t size, const bnd_summary_row *rows, size_t count, size_t row);

/* Returns: whether each run says which model it has. The same weights and data are known of such runs. */
bool bnd_summary_is_known(const bnd_summary_row *rows, size_t count);

#ifdef __cplusplus
}
#endif
#endif
