/* What `train`, `sweep`, `compare`, `report` and `evaluate` share: options, tasks, progress, results. */
#ifndef BINADE_TOOLS_TRAINING_H
#define BINADE_TOOLS_TRAINING_H

#include "common/print.h"
#include "common/progress.h"
#include "common/recipes.h"

/* ---- options (options.c) ---- */

typedef struct rate_list {
    double *items;
    size_t count;
} rate_list;

enum plot_steps { PLOT_LINEAR, PLOT_LOG, PLOT_NONE };
enum plot_losses { LOSSES_AUTO, LOSSES_LINEAR, LOSSES_LOG }; /* auto: logarithmic where they span a factor of 30 */

typedef struct plot_options {
    enum plot_steps steps;
    enum plot_losses losses;
    bool ranged; /* only the steps from .. to are drawn */
    uint64_t from, to;
} plot_options;

/* What the rows below fill. A command has some of them, and begins with the others as training_begin leaves them. */
typedef struct training_options {
    settings common;
    /* what is trained */
    const char *model, *optimizer, *schedule, *data, *data_type, *tokenizer, *source, *init, *order, *blocks, *config;
    recipe_list recipes;
    bool no_reference;    /* fp32 is not added */
    const char *switched; /* RECIPE@STEP, or NULL */
    bnd_training changed; /* numbers: those that were given replace the model's own */
    rate_list rates;      /* of a sweep */
    uint64_t seeds, checkpoint_every, validate_every;
    enum training_statistics { STATISTICS_NONE, STATISTICS_ROLES, STATISTICS_PLACES } statistics;
    /* files; NULL: none */
    const char *out, *dump_init, *dump_batches, *report;
    bool resume, keeps_checkpoints;
    /* what is printed */
    bool list, autopsy, details, memory, steps_of_run;
    double margin;
    plot_options plot;
    bnd_log_columns columns;
    uint64_t batches, tensors; /* of evaluate */
} training_options;

/* The commands whose options these are. */
enum training_command { TRAIN = 1, SWEEP = 2, COMPARE = 4, EVALUATE = 8, REPORT = 16 };
extern const option_row training_rows[];

void training_begin(training_options *o);
void training_clear(training_options *o);

/* Learning rates instead of those before: "1e-4..1e-1:7", or numbers separated by commas (rates.c). GO_ON, or the
 * status to leave with. */
int training_set_rates(training_options *o, const char *value);

/* ---- tasks (tasks.c) ---- */

/* The data of --data, --data-type and --tokenizer, where they were given; GO_ON, or the status to leave with. */
int training_data(bnd_training *t, const training_options *o);

/* The task of a recipe under the k-th pair of seeds, without a directory; GO_ON, or the status to leave with. */
int training_task(bnd_task *out, const training_options *o, const recipe *r, uint64_t k);

/* Adds the runs that the operands name (read_runs.c); GO_ON, or the status to leave with. */
int training_read_runs(bnd_record **records, size_t *count, const training_options *o);

/* A name for the run of a recipe and a pair of seeds in a directory of several: DIR/NAME, to be freed. */
char *path_text(const char *directory, const char *name);

/* Prints all available choices with their defaults, as text or JSON (choices.c). */
void print_choices(void);
void print_choices_json(void);

/* ---- recipes by name (recipes.c) ---- */

/* A list as --recipe takes it, added to the recipes; what is there already is not added again. */
int training_add_recipes(training_options *o, const char *list);
/* fp32 first; true where it was missing. */
bool training_put_reference_first(training_options *o);
/* Each recipe but the first `kept` once more, under another one from a step on: "RECIPE@STEP". */
int training_add_switched(training_options *o, const char *value, size_t kept);

/* Writes what --dump-init and --dump-batches ask for (dump.c). Weights and batches are those of every recipe: they come
 * from a run in fp32 of their own, which takes no step. GO_ON, or the status to leave with. */
int dump_inputs(const training_options *o, const bnd_training *training);

/* FLOP per second of fp32 matrix products by the library, or `best` where that is more (peak.c). */
double measure_peak(double best, const bnd_context *context);

/* ---- watching (live.c) ---- */

typedef struct live {
    progress bar;
    const bnd_task *tasks;
    size_t count;
    struct live_run {
        uint64_t at;
        double loss;
    } * run; /* a task each */
    uint64_t done;
    char note[160];
} live;

void live_begin(live *l, const settings *s, const char *label, const bnd_task *tasks, size_t count);
bnd_study_watch live_watch; /* its data is the live; false after ctrl-C */
void live_end(live *l);

/* ---- what came out (result.c, table.c, notes.c, plot.c) ---- */

/* The runs of a recipe (with one model, one optimizer and one learning rate): a row of the table. */
typedef struct train_row {
    const char *name; /* as bnd_summary_row has it, and the following members */
    const bnd_record *records;
    size_t count;
    size_t reference; /* the row that it is compared with; its own number where it is one */
    bool compared;    /* there were pairs */
    bnd_comparison is;
    bnd_autopsy *autopsy; /* NULL: none was made */
    bool has_parts;       /* of what was autopsied: there is a part to try; */
    double epsilon;       /* the optimizer's, */
    bnd_format v;         /* and what its second moments are kept in */
} train_row;

typedef struct train_result {
    bnd_record *records; /* the caller's, put in order */
    size_t count;        /* that are in rows: repeats stand behind them */
    bnd_summary_row *summary;
    train_row *rows;             /* one per row of the summary */
    size_t row_count, reference; /* the first row that others are compared with */
    unsigned peak_threads;
    double peak;                 /* FLOP a second that the threads of one run can do; NaN: not measured */
    const bnd_task *explainable; /* of the records, where --autopsy can be added to the command; or NULL */
    bool autopsied;              /* autopsies were requested */
    bool details;                /* more tables: losses by rounding, memory, time */
    bool memory;                 /* bytes by role */
    bool untimed;                /* not the memory and time of the emulation */
    double margin;               /* of verdicts */
    bnd_log_columns columns;     /* of logs, where the command names them */
} train_result;

/* As bnd_summary_make. */
void result_make(train_result *r, bnd_record *records, size_t count, double margin);
void result_clear(train_result *r);
double row_value(const train_result *r, const train_row *row, bnd_summary_number number);

void print_result_table(const train_result *r, enum output output, bool colour);
void print_conclusion(const train_result *r, bool first); /* a paragraph, and a blank line after or before it */
void print_result_notes(
    const train_result *r); /* paragraphs with warnings, then the legend; a blank line before each */
void json_result(bnd_lab_json *json, const train_result *r); /* the members "reference" and "recipes" */

/* ---- why a recipe did worse (autopsy.c, autopsy_text.c) ---- */

/* Does a row have something to explain, by the task of its first record? A recipe that changes in the run has not. */
bool is_ill(const train_result *r, const train_row *row, const bnd_task *task);

/* For each row that is worse or failed; `tasks` are those of the records, in their order. GO_ON, or the status to leave
 * with. */
int make_autopsies(train_result *r, const settings *s, const bnd_task *tasks, const bnd_context *context);
void print_autopsies(const train_result *r);
char *autopsy_text(const train_row *row); /* what broke, where, from which step, and what heals it; to be freed */
void json_autopsy(bnd_lab_json *json, const train_row *row); /* the member "autopsy" */

/* ---- curves of losses (plot.c) ---- */

void plot_losses(const train_result *r, const plot_options *how, bool colour);

/* "transformer of 14080 parameters, adamw at 0.003, 200 steps of 16", to be freed; and the losses at chance level and
 * the irreducible one, NULL where they are not known. */
char *setup_text(const bnd_training *of, uint64_t parameters, const char *rates); /* NULL: its own rate */
char *levels_text(double chance, double irreducible, size_t seeds);

char *interval_text(double x, double half, bool sign); /* "+0.0123 ± 0.0045"; a half that is NaN is left out */
char *verdict_text(const bnd_comparison *c);           /* "failed 2 of 10, others worse" */
char *gap_text(const bnd_comparison *c);               /* or the ratio, on a logarithmic scale */
char *loss_text(double x);                             /* five digits, or "nan", "inf" */

#endif
