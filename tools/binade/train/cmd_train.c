/* binade train: trains a model in fp32 and in each recipe, and compares them. */
#include "common/process.h"
#include "common/ranks.h"
#include "report/report.h"
#include "training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct train {
    training_options asked;
    bool reference_added;
    bnd_task *tasks;
    char **directories;
    size_t count;
    bnd_record *records;
    bnd_context context;
    double peak; /* FLOP/s with this many threads; NaN: not measured */
    unsigned peak_threads;
    ranks ranks;
    bnd_ranks shared; /* with other processes, where there are several */
} train;

/* ---- options ---- */

/* Selects the recipes. fp32 is the reference of all others, and is switched only if it was named. */
static int choose_recipes(train *t)
{
    int status = GO_ON;
    if (t->asked.no_reference && (t->asked.recipes.count == 0 || has_recipe(&t->asked.recipes, "fp32"))) {
        return complain(t->asked.common.command, "--no-reference needs --recipe LIST, recipes without fp32");
    }
    if (t->asked.recipes.count == 0) {
        status = training_add_recipes(&t->asked, "fp32,bf16-amp,fp16-pure");
    }
    if (status == GO_ON && !t->asked.no_reference) {
        t->reference_added = training_put_reference_first(&t->asked);
    }
    if (status == GO_ON && t->asked.switched != NULL) {
        status = training_add_switched(&t->asked, t->asked.switched, t->reference_added ? 1 : 0);
    }
    return status;
}

/* One run has the directory to itself; of several, each has its own in it. */
static char *directory_of(const train *t, const bnd_task *task)
{
    char name[BND_RECORD_NAME_SIZE + 32];
    if (t->asked.out == NULL || t->count == 1) {
        return t->asked.out != NULL ? copy_text(t->asked.out) : NULL;
    }
    bnd_task_name(name, sizeof name, task->recipe, task->training.seed_init);
    return path_text(t->asked.out, name);
}

static int make_tasks(train *t)
{
    size_t recipes = t->asked.recipes.count, seeds = (size_t)t->asked.seeds;
    int status = GO_ON;
    const size_t most = SIZE_MAX / sizeof *t->tasks / recipes;
    if (seeds > most) {
        return complain(t->asked.common.command,
                        "--seeds must be at most %zu with %zu recipes: memory holds no more runs", most, recipes);
    }
    t->count = recipes * seeds;
    t->tasks = allocate(NULL, t->count, sizeof *t->tasks);
    t->directories = allocate(NULL, t->count, sizeof *t->directories);
    for (size_t i = 0; i < t->count; i++) {
        t->directories[i] = NULL;
    }
    for (size_t i = 0; status == GO_ON && i < t->count; i++) {
        status = training_task(&t->tasks[i], &t->asked, &t->asked.recipes.items[i / seeds], i % seeds);
        if (status == GO_ON && t->asked.autopsy && t->tasks[i].training.policy.layers[0] != '\0') {
            status = complain(t->asked.common.command, "--autopsy cannot be used with settings of layers (%s)",
                              t->tasks[i].training.policy.layers);
        }
        if (status == GO_ON) {
            t->directories[i] = directory_of(t, &t->tasks[i]);
            t->tasks[i].directory = t->directories[i];
            t->tasks[i].resume = t->asked.resume;
            t->tasks[i].ranks = t->ranks.count > 1 ? &t->shared : NULL;
        }
    }
    return status;
}

/* ---- ranks ---- */

/* Under mpirun each process is a rank; without it, all are in this one. Rank 0 says what is to be said. */
static int join_ranks(train *t)
{
    const command *self = t->asked.common.command;
    const size_t asked = t->asked.changed.ranks > 1 ? t->asked.changed.ranks : 1, launched = ranks_launched();
    if (launched == 0 || (launched == 1 && asked == 1)) {
        return GO_ON;
    }
    if (!ranks_have_mpi()) {
        return complain(self, "mpirun needs a build with MPI (configure --with-mpi); without mpirun, --ranks computes "
                              "the same in one process");
    }
    if (!ranks_begin(&t->ranks)) {
        return complain(self, "MPI does not start"), BAD_STREAM;
    }
    if (t->ranks.rank > 0) {
        (void)!freopen("/dev/null", "w", stderr);
    }
    if (t->ranks.count > 1 && (size_t)t->ranks.count != asked) {
        return complain(self, "mpirun started %d processes: --ranks must be %d, not %zu", t->ranks.count,
                        t->ranks.count, asked);
    }
    if (t->ranks.count > 1 && t->asked.autopsy) {
        return complain(self, "--autopsy cannot be used under mpirun; without it, --ranks computes the same");
    }
    t->shared = (bnd_ranks){.rank = (size_t)t->ranks.rank, .count = (size_t)t->ranks.count, .gather = ranks_gather};
    return GO_ON;
}

/* After a failure of the runs the others may wait for this one. Before them all ranks have agreed. */
static void leave_ranks(const train *t, int status)
{
    if (t->ranks.count > 1 && status != GO_ON && t->records != NULL) {
        fflush(NULL);
        ranks_give_up(&t->ranks, status);
    }
    if (t->ranks.count > 0) {
        ranks_end(&t->ranks);
    }
}

/* ---- running ---- */

static int open_context(train *t)
{
    bnd_error why;
    unsigned threads = t->asked.common.threads > 0 || t->ranks.count == 1 ? t->asked.common.threads : 1;
    return bnd_context_init(&t->context, NULL, threads, &why) == BND_OK
               ? GO_ON
               : complain(t->asked.common.command, "%s", why.message);
}

static int run_tasks(train *t)
{
    const command *self = t->asked.common.command;
    bnd_error why;
    bnd_context of_a_run = t->context;
    of_a_run.threads = t->count > 1 ? 1 : t->context.threads;
    t->records = allocate(NULL, t->count, sizeof *t->records);
    memset(t->records, 0, t->count * sizeof *t->records);
    bool measures = (t->asked.details || t->asked.common.output != OUTPUT_TEXT) && t->ranks.rank == 0;
    if (measures) {
        t->peak = measure_peak(t->peak, &of_a_run);
        t->peak_threads = of_a_run.threads;
    }
    live l;
    live_begin(&l, &t->asked.common, "train", t->tasks, t->count);
    bnd_status status = bnd_study_run(t->records, t->tasks, t->count, &t->context, live_watch, &l, &why);
    live_end(&l);
    if (status != BND_OK) {
        return fail(self, "", status, &why);
    }
    if (measures) {
        t->peak = measure_peak(t->peak, &of_a_run);
    }
    return GO_ON;
}

/* ---- what came out ---- */

/* Irreducible losses differ with the seed of the data, and chance levels may: means over the seeds. */
static double mean_over_seeds(const train *t, double (*number)(const bnd_record *record))
{
    size_t seeds = (size_t)t->asked.seeds;
    double sum = 0;
    for (size_t i = 0; i < seeds; i++) {
        sum += number(&t->records[i]);
    }
    return sum / (double)seeds;
}

static double floor_of(const bnd_record *record)
{
    return record->floor;
}

static double chance_of(const bnd_record *record)
{
    return record->chance_loss;
}

static void print_heading(const train *t)
{
    double chance = mean_over_seeds(t, chance_of), irreducible = mean_over_seeds(t, floor_of);
    char *setup = setup_text(&t->tasks[0].training, t->records[0].parameters, NULL);
    char *levels = levels_text(chance, irreducible, irreducible != t->records[0].floor ? (size_t)t->asked.seeds : 1);
    printf("%s\n", setup);
    if (levels != NULL) {
        printf("%s\n", levels);
    }
    putchar('\n');
    free(levels);
    free(setup);
}

static void print_notes(const train *t, const train_result *r)
{
    print_conclusion(r, false);
    print_result_notes(r);
    if (t->reference_added || t->asked.out != NULL) {
        putchar('\n');
    }
    if (t->reference_added) {
        printf("fp32 was added as the reference.\n");
    }
    if (t->asked.out != NULL) {
        const size_t size = 4 * strlen(t->asked.out) + 1;
        char *out = memcpy(allocate(NULL, size, 1), t->asked.out, strlen(t->asked.out) + 1);
        make_plain_text(out, size);
        printf("The runs are in %s.\n", out);
        free(out);
    }
}

static void json_run(bnd_lab_json *json, const train *t, size_t i)
{
    const bnd_record *record = &t->records[i];
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "recipe", record->recipe);
    bnd_lab_json_unsigned(json, "seed_init", record->seed_init);
    bnd_lab_json_unsigned(json, "seed_data", record->seed_data);
    bnd_lab_json_boolean(json, "complete", record->complete);
    json_owned_literal(json, "loss", double_text(record->loss));
    json_owned_literal(json, "validation_fp32", double_text(record->validation_fp32));
    json_owned_literal(json, "validation", double_text(record->validation));
    json_owned_literal(json, "result", double_text(bnd_record_result(record)));
    bnd_lab_json_end(json);
}

static void print_json(const train *t, const train_result *r)
{
    const bnd_training *of = &t->tasks[0].training;
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "model", of->model);
    bnd_lab_json_string(&json, "data", of->data);
    bnd_lab_json_unsigned(&json, "parameters", t->records[0].parameters);
    bnd_lab_json_string(&json, "optimizer", of->optimizer);
    bnd_lab_json_string(&json, "schedule", of->schedule);
    json_owned_literal(&json, "lr", double_text(of->lr));
    bnd_lab_json_unsigned(&json, "steps", of->steps);
    if (of->clip > 0) {
        json_owned_literal(&json, "clip", double_text(of->clip));
    }
    if (of->ranks > 1 || of->micro_batches > 1) {
        bnd_lab_json_unsigned(&json, "ranks", of->ranks);
        bnd_lab_json_unsigned(&json, "micro_batches", of->micro_batches);
    }
    bnd_lab_json_unsigned(&json, "seeds", t->asked.seeds);
    json_owned_literal(&json, "floor", double_text(mean_over_seeds(t, floor_of)));
    json_owned_literal(&json, "chance_loss", double_text(mean_over_seeds(t, chance_of)));
    json_owned_literal(&json, "peak_flops_per_second", double_text(t->peak));
    json_result(&json, r);
    bnd_lab_json_array(&json, "runs");
    for (size_t i = 0; i < t->count; i++) {
        json_run(&json, t, i);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

/* Can --autopsy be added to this command? */
static bool is_explainable(const train *t)
{
    bool layers = false;
    for (size_t i = 0; i < t->count; i++) {
        layers = layers || t->tasks[i].training.policy.layers[0] != '\0';
    }
    return !layers && !t->asked.no_reference && t->ranks.count <= 1;
}

/* GO_ON, or the status to leave with. */
static int print_all(train *t)
{
    train_result r;
    int status = GO_ON;
    result_make(&r, t->records, t->count, t->asked.margin);
    if (t->asked.autopsy && !was_stopped()) {
        status = make_autopsies(&r, &t->asked.common, t->tasks, &t->context);
    }
    r.explainable = is_explainable(t) ? t->tasks : NULL;
    r.peak = t->peak;
    r.peak_threads = t->peak_threads;
    r.details = t->asked.details;
    r.memory = t->asked.memory;
    if (t->asked.common.output == OUTPUT_JSON) {
        print_json(t, &r);
    } else if (t->asked.common.output == OUTPUT_CSV) {
        print_result_table(&r, OUTPUT_CSV, false);
    } else {
        print_heading(t);
        if (t->asked.plot.steps != PLOT_NONE) {
            plot_losses(&r, &t->asked.plot, t->asked.common.colour);
            putchar('\n');
        }
        print_result_table(&r, OUTPUT_TEXT, t->asked.common.colour);
        print_notes(t, &r);
        if (r.autopsied) {
            print_autopsies(&r);
        }
    }
    if (status == GO_ON && t->asked.report != NULL && !was_stopped()) {
        char *words[] = {t->asked.out != NULL ? copy_text(t->asked.out) : NULL};
        r.explainable = NULL; /* a report is as `binade report` makes it of the runs */
        status = report_save(t->asked.report, t->asked.common.command, &r, words, t->asked.out != NULL ? 1 : 0);
        free(words[0]);
    }
    result_clear(&r);
    return status;
}

static void clear(train *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->directories[i]);
        if (t->records != NULL) {
            bnd_record_close(&t->records[i]);
        }
    }
    free(t->directories);
    free(t->records);
    free(t->tasks);
    training_clear(&t->asked);
}

static int check_operands(const train *t)
{
    const settings *s = &t->asked.common;
    if (s->operand_count > 0) {
        return complain(s->command, "unexpected argument '%s'; choose recipes with --recipe", s->operands[0]);
    }
    if (t->asked.autopsy && s->output == OUTPUT_CSV) {
        return complain(s->command, "--autopsy cannot be used with --csv; use --json");
    }
    if (t->asked.autopsy && t->asked.no_reference) {
        return complain(s->command, "--autopsy compares with fp32: it cannot be used with --no-reference");
    }
    if (t->asked.resume && t->asked.out == NULL) {
        return complain(s->command, "--resume needs --out DIR, the directory of the runs to continue");
    }
    if (OPTION_GIVEN(s, training_options, checkpoint_every) && t->asked.out == NULL) {
        return complain(s->command, "--checkpoint needs --out DIR, the directory that the checkpoints go to");
    }
    if ((t->asked.dump_init != NULL || t->asked.dump_batches != NULL) && t->asked.seeds > 1) {
        return complain(s->command, "--dump-init and --dump-batches cannot be used with --seeds: each seed pair has "
                                    "weights and batches of its own; choose one with --seed-init and --seed-data");
    }
    return GO_ON;
}

static int check_list(const training_options *o)
{
    const settings *s = &o->common;
    if (s->operand_count > 0) {
        return complain(s->command, "unexpected argument '%s'; --list takes none", s->operands[0]);
    }
    return s->output == OUTPUT_CSV ? complain(s->command, "--list cannot be used with --csv; use --json") : GO_ON;
}

static int run(const command *self, int argc, char **argv)
{
    train t = {.peak = (double)NAN, .ranks = {.count = 1}};
    training_begin(&t.asked);
    int status = read_arguments(&t.asked, self, argc, argv);
    status = status == GO_ON && t.asked.list ? check_list(&t.asked) : status;
    if (status == GO_ON && t.asked.list) {
        if (t.asked.common.output == OUTPUT_JSON) {
            print_choices_json();
        } else {
            print_choices();
        }
        status = FINE;
    }
    status = status == GO_ON ? check_operands(&t) : status;
    status = status == GO_ON ? join_ranks(&t) : status;
    status = status == GO_ON ? report_check(t.asked.report, self) : status;
    status = status == GO_ON ? choose_recipes(&t) : status;
    status = status == GO_ON ? make_tasks(&t) : status;
    status = status == GO_ON && t.ranks.rank == 0 ? dump_inputs(&t.asked, &t.tasks[0].training) : status;
    status = status == GO_ON ? open_context(&t) : status;
    status = ranks_agree(&t.ranks, self, status);
    status = status == GO_ON ? run_tasks(&t) : status;
    leave_ranks(&t, status);
    if (status == GO_ON && t.ranks.rank == 0) {
        status = print_all(&t);
        if (was_stopped()) {
            note(self, "stopped%s", t.asked.out != NULL ? "; continue with the same command and --resume" : "");
        }
    }
    clear(&t);
    return status == GO_ON ? (was_stopped() ? BAD_STREAM : FINE) : status;
}

static const command_example examples[] = {
    {"three recipes compared with fp32", "binade train --recipe fp16-pure,bf16-sr,mxfp8 --steps 20"},
    {"short runs, written to a directory", "binade train --recipe fp32,bf16-amp --steps 20 --out runs"},
    {"the same runs, continued to step 30", "binade train --recipe fp32,bf16-amp --steps 30 --out runs --resume"},
    {"why a recipe failed", "binade train --model mlp --recipe fp16-pure --steps 50 --autopsy"},
    {"a recipe with one setting changed, and its memory by role",
     "binade train --recipe bf16-amp,v=bf16 --steps 20 --memory"},
    {"the recipes, and the settings that each stands for", "binade train --list"},
    {NULL, NULL},
};

const command command_train = {
    .name = "train",
    .summary = "train a model in fp32 and in each recipe, and compare",
    .group = GROUP_TRAIN,
    .operands = "",
    .about = "Runs the same training once in fp32 and once per recipe. A recipe says which tensor has which format. "
             "Weights, data and batches are identical, so every difference comes from rounding. Without options: a "
             "transformer in fp32, bf16-amp and fp16-pure.",
    .trains = true,
    .options = training_rows,
    .bit = TRAIN,
    .examples = examples,
    .environment = READS_COLUMNS | READS_LOCALE | READS_BACKEND | READS_THREADS,
    .see_also = "compare evaluate sweep cost",
    .run = run,
};
