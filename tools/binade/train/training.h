/* What `train`, `compare` and `sweep` share: what is to be trained, how it is watched, and what came out. */
#ifndef BINADE_TOOLS_TRAINING_H
#define BINADE_TOOLS_TRAINING_H

#include "common/print.h"
#include "common/progress.h"

/* ---- what is to be trained (train_options.c) ---- */

enum training_option {
    OPTION_MODEL = OPTION_OWN,
    OPTION_RECIPE,
    OPTION_OPTIMIZER,
    OPTION_SCHEDULE,
    OPTION_LR,
    OPTION_BETAS,
    OPTION_EPSILON,
    OPTION_DECAY,
    OPTION_SEED_INIT,
    OPTION_SEED_DATA,
    OPTION_SEED_ROUNDING,
    OPTION_SEEDS,
    OPTION_STEPS,
    OPTION_BATCH,
    OPTION_INPUTS,
    OPTION_WIDTH,
    OPTION_DEPTH,
    OPTION_HEADS,
    OPTION_CONTEXT,
    OPTION_VOCABULARY,
    OPTION_DATA,
    OPTION_DATA_TYPE,
    OPTION_SOURCE,
    OPTION_INIT,
    OPTION_ORDER,
    OPTION_TIED,
    OPTION_RECOMPUTE,
    OPTION_CHECKPOINT,
    OPTION_VALIDATE,
    OPTION_STATISTICS,
    OPTION_OUT,
    OPTION_PLOT,
    OPTION_PLOT_SCALE,
    OPTION_PLOT_RANGE,
    OPTION_DETAILS,
    OPTION_MEMORY,
    OPTION_MARGIN,
    OPTION_TRAINING_OWN /* the first that only one of the commands has */
};

extern const option_row row_model, row_recipe, row_optimizer, row_schedule, row_lr, row_betas, row_epsilon, row_decay,
    row_seed_init, row_seed_data, row_seed_rounding, row_data, row_data_type, row_source, row_init, row_order, row_tied,
    row_seeds, row_steps, row_batch, row_inputs, row_width, row_depth, row_heads, row_context, row_vocabulary,
    row_recompute, row_checkpoint, row_validate, row_statistics, row_out, row_plot, row_plot_scale, row_plot_range,
    row_details, row_by_role, row_margin;

/* Options of a training that --help leaves to the man page. */
#define RARE_OF_TRAINING                                                                                               \
    &row_betas, &row_epsilon, &row_decay, &row_seed_init, &row_seed_data, &row_seed_rounding, &row_inputs, &row_heads, \
        &row_context, &row_vocabulary, &row_data_type, &row_source, &row_init, &row_order, &row_tied, &row_recompute

enum { RECIPE_NAME_SIZE = BND_RECORD_NAME_SIZE };

/* A recipe as the table has it, a row. */
typedef struct recipe {
    char name[BND_RECORD_NAME_SIZE]; /* of the library's row, or the settings as they were written */
    bnd_policy policy;
    bool switches; /* from a step on it is another */
    uint64_t switch_at;
    bnd_policy switch_to;
} recipe;

typedef struct recipe_list {
    recipe *items;
    size_t count, capacity;
} recipe_list;

/* A number that was given, and changes the library's default. */
typedef struct training_change {
    bool given;
    double real, second;
    uint64_t whole;
} training_change;

typedef struct training_options {
    const settings *common;
    const char *model, *optimizer, *schedule, *data, *data_type, *source, *init, *order, *out;
    recipe_list recipes;
    training_change change[(int)OPTION_TRAINING_OWN - (int)OPTION_OWN]; /* by id - OPTION_OWN */
    uint64_t seeds;
    bool tied, recompute;
    enum training_statistics { STATISTICS_NONE, STATISTICS_ROLES, STATISTICS_PLACES } statistics;
} training_options;

void training_begin(training_options *o, const settings *s);
int training_set(training_options *o, int id, const char *value); /* GO_ON, or the status to leave with */
void training_clear(training_options *o);

/* The data of --data and --data-type, where they were given; GO_ON, or the status to leave with. */
int training_data(bnd_training *t, const training_options *o);

/* The task of a recipe under the k-th pair of seeds, without a directory; GO_ON, or the status to leave with. */
int training_task(bnd_task *out, const training_options *o, const recipe *r, uint64_t k);

/* Everything that can be asked for, and what it is usually run with. */
void print_choices(void);

/* --margin: a share of per cent, at least 0. GO_ON, or the status to leave with. */
int read_margin(double *out, const settings *s, const char *value);

/* A name for the run of a recipe and a pair of seeds in a directory of several: DIR/NAME, to be freed. */
char *path_text(const char *directory, const char *name);

/* ---- recipes by name (train_recipes.c) ---- */

/* A list as --recipe takes it, added to the recipes; what is there already is not added again. */
int training_add_recipes(training_options *o, const char *list);
/* fp32 first; true where it was missing. */
bool training_put_reference_first(training_options *o);
/* Each recipe but the first `kept` once more, under another one from a step on: "RECIPE@STEP". */
int training_add_switched(training_options *o, const char *value, size_t kept);

/* ---- watching (train_live.c) ---- */

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

/* ---- what came out (train_result.c, train_table.c, train_notes.c, train_plot.c) ---- */

/* The runs of a recipe (with one model, one optimizer and one learning rate): a row of the table. */
typedef struct train_row {
    char *name; /* the recipe, and where several rows have it what else tells them apart */
    const bnd_record *records;
    size_t count;
    size_t reference; /* the row that it is compared with; its own number where it is one */
    bool compared;    /* there were pairs */
    bnd_comparison is;
    bnd_autopsy *autopsy; /* NULL: none was made */
    double epsilon;       /* of what was autopsied: the optimizer's, */
    bnd_format v;         /* and what its second moments are kept in */
} train_row;

typedef struct train_result {
    bnd_record *records; /* the caller's, put in order */
    size_t count;
    train_row *rows;
    size_t row_count, reference; /* the first row that others are compared with */
    unsigned peak_threads;
    double peak;    /* FLOP a second that the threads of one run can do; NaN: not measured */
    bool autopsied; /* autopsies were asked for */
    bool details;   /* what the emulation took is shown, too */
    bool memory;    /* and bytes by role */
    double margin;  /* of verdicts */
} train_result;

/* Puts the records in order, row by row as they first come, and compares each row with a reference: fp32 with the same
 * learning rate, fp32, or else the first row. */
void result_make(train_result *r, bnd_record *records, size_t count, double margin);
void result_clear(train_result *r);

void print_result_table(const train_result *r, enum output output, bool colour);
void print_result_notes(const train_result *r);
void json_result(bnd_lab_json *json, const train_result *r); /* the members "reference" and "recipes" */

/* ---- why a recipe did worse (train_autopsy.c, train_autopsy_text.c) ---- */

/* For each row that is worse or failed; `tasks` are those of the records, in their order. GO_ON, or the status to leave
 * with. */
int make_autopsies(train_result *r, const settings *s, const bnd_task *tasks, const bnd_context *context);
void print_autopsies(const train_result *r);
char *autopsy_text(const train_row *row); /* what broke, where, from which step, and what heals it; to be freed */
void json_autopsy(bnd_lab_json *json, const train_row *row); /* the member "autopsy" */

/* ---- curves of losses (train_plot.c; its options: train_plot_options.c) ---- */

enum plot_steps { PLOT_LINEAR, PLOT_LOG, PLOT_NONE };
enum plot_losses { LOSSES_AUTO, LOSSES_LINEAR, LOSSES_LOG }; /* auto: logarithmic where they span a factor of 30 */

typedef struct plot_options {
    enum plot_steps steps;
    enum plot_losses losses;
    bool ranged; /* only the steps from .. to are drawn */
    uint64_t from, to;
} plot_options;

/* For OPTION_PLOT, OPTION_PLOT_SCALE and OPTION_PLOT_RANGE: GO_ON, or the status to leave with. */
int read_plot_option(plot_options *out, const settings *s, int id, const char *value);
void plot_losses(const train_result *r, const plot_options *how, bool colour);

char *bytes_text(double bytes);                        /* "3.60 MiB", to be freed; "-" where it is not known */
char *interval_text(double x, double half, bool sign); /* "+0.0123 ± 0.0045"; a half that is NaN is left out */
char *verdict_text(const bnd_comparison *c);           /* "failed 2 of 10, others worse" */
char *gap_text(const bnd_comparison *c);               /* or the ratio, on a logarithmic scale */
char *loss_text(double x);                             /* five digits, or "nan", "inf" */

#endif
