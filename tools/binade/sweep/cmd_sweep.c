/* binade sweep: recipes under a range of learning rates, each with several seeds. */
#include "common/process.h"
#include "report/report.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

typedef struct sweep {
    training_options asked;
    bnd_task *recipes; /* one each */
    bnd_task *tasks;   /* all points */
    char **directories;
    size_t count;
    bnd_record *records;
    ranks ranks;
    bnd_context context; /* of a rank */
    int status;
    live live;
} sweep;

/* ---- options ---- */

static int choose(sweep *s)
{
    const command *self = s->asked.common.command;
    int status = GO_ON;
    if (s->asked.common.operand_count > 0) {
        return complain(self, "unexpected argument '%s'; choose recipes with --recipe", s->asked.common.operands[0]);
    }
    if (s->ranks.count > 1 && s->asked.out == NULL) {
        return complain(self, "mpirun needs --out DIR, a directory that all ranks share");
    }
    if (s->asked.keeps_checkpoints && s->asked.out == NULL) {
        return complain(self, "--keep-checkpoints needs --out DIR, the directory that the checkpoints stay in");
    }
    if (s->asked.recipes.count == 0) {
        status = training_add_recipes(&s->asked, "fp32,bf16-amp,fp16-pure");
    }
    return status == GO_ON && s->asked.rates.count == 0 ? training_set_rates(&s->asked, "1e-4..1e-1") : status;
}

static int make_tasks(sweep *s)
{
    size_t recipes = s->asked.recipes.count;
    int status = GO_ON;
    s->recipes = allocate(NULL, recipes, sizeof *s->recipes);
    for (size_t i = 0; status == GO_ON && i < recipes; i++) {
        status = training_task(&s->recipes[i], &s->asked, &s->asked.recipes.items[i], 0);
    }
    bnd_grid grid = {.tasks = s->recipes, .recipes = recipes, .lr = s->asked.rates.items, .lrs = s->asked.rates.count};
    grid.seeds = (size_t)s->asked.seeds;
    size_t count = bnd_grid_count(&grid);
    if (status != GO_ON) {
        return status;
    }
    if (count == 0) {
        return complain(s->asked.common.command, "the sweep has too many points for the memory");
    }
    s->tasks = allocate(NULL, count, sizeof *s->tasks);
    s->directories = allocate(NULL, count, sizeof *s->directories);
    s->records = allocate(NULL, count, sizeof *s->records);
    memset(s->records, 0, count * sizeof *s->records);
    for (s->count = 0; s->count < count; s->count++) {
        char name[2 * BND_RECORD_NAME_SIZE];
        bnd_task *task = &s->tasks[s->count];
        bnd_grid_task(task, name, sizeof name, &grid, s->count);
        s->directories[s->count] = s->asked.out != NULL ? path_text(s->asked.out, name) : NULL;
        task->directory = s->directories[s->count];
        task->resume = true;
        task->drops_checkpoint = !s->asked.keeps_checkpoints;
    }
    return GO_ON;
}

/* ---- one machine ---- */

static int run_here(sweep *s)
{
    bnd_error why;
    live_begin(&s->live, &s->asked.common, "sweep", s->tasks, s->count);
    bnd_status status = bnd_study_run(s->records, s->tasks, s->count, &s->context, live_watch, &s->live, &why);
    live_end(&s->live);
    if (status != BND_OK) {
        return fail(s->asked.common.command, "", status, &why);
    }
    return GO_ON;
}

/* ---- several ranks ---- */

static void make_one(void *data, size_t point, char failure[FAILURE_SIZE])
{
    sweep *s = data;
    bnd_error why;
    if (bnd_study_run(&s->records[point], &s->tasks[point], 1, &s->context, NULL, NULL, &why) != BND_OK) {
        snprintf(failure, FAILURE_SIZE, "%s", why.message);
    }
}

static bool is_on_disk(const sweep *s, size_t point)
{
    bnd_record record;
    bool complete = bnd_record_read(&record, s->directories[point], NULL) == BND_OK;
    if (complete) {
        complete = record.complete && record.steps >= s->tasks[point].training.steps; /* others are continued */
        bnd_record_close(&record);
    }
    return complete;
}

static bool note_made(void *data, size_t point, const char *failure)
{
    sweep *s = data;
    bnd_record done = {.count = 0};
    bnd_point last = {.step = s->tasks[point].training.steps - 1};
    if (s->status != GO_ON) { /* a point of another rank, after a failure */
        return false;
    }
    if (failure != NULL) {
        live_end(&s->live);
        complain(s->asked.common.command, "%s", failure);
        s->status = BAD_STREAM;
        return false;
    }
    done.points = &last;
    done.count = 1;
    return live_watch(&s->live, point, &done);
}

static int read_back(sweep *s, const size_t *points, size_t count)
{
    bnd_error why;
    for (size_t i = 0; i < count; i++) {
        const char *directory = s->directories[points[i]];
        if (bnd_record_read(&s->records[points[i]], directory, &why) != BND_OK) {
            complain(s->asked.common.command, "%s: %s", directory, why.message);
            return BAD_STREAM;
        }
    }
    return GO_ON;
}

/* Reads a point that is finished, unless it is one of another training. */
static bool take_finished(sweep *s, size_t point)
{
    char failure[FAILURE_SIZE] = "";
    make_one(s, point, failure);
    return note_made(s, point, failure[0] != '\0' ? failure : NULL);
}

static int run_everywhere(sweep *s)
{
    size_t *open = allocate(NULL, s->count, sizeof *open), n = 0;
    bool goes_on = true;
    live_begin(&s->live, &s->asked.common, "sweep", s->tasks, s->count);
    for (size_t i = 0; goes_on && i < s->count; i++) {
        if (is_on_disk(s, i)) {
            goes_on = take_finished(s, i);
        } else {
            open[n++] = i;
        }
    }
    ranks_deal(&s->ranks, open, goes_on ? n : 0, note_made, s);
    if (s->status == GO_ON) {
        live_end(&s->live);
    }
    const int status = s->status != GO_ON ? s->status : was_stopped() ? BAD_STREAM : read_back(s, open, n);
    free(open);
    return status;
}

/* ---- the command ---- */

static void clear(sweep *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->directories[i]);
        bnd_record_close(&s->records[i]);
    }
    free(s->directories);
    free(s->records);
    free(s->tasks);
    free(s->recipes);
    training_clear(&s->asked);
}

/* If there are several ranks, each has one thread unless more are requested. */
static int open_context(sweep *s)
{
    bnd_error why;
    unsigned threads = s->asked.common.threads > 0 || s->ranks.count == 1 ? s->asked.common.threads : 1;
    return bnd_context_init(&s->context, NULL, threads, &why) == BND_OK
               ? GO_ON
               : complain(s->asked.common.command, "%s", why.message);
}

static int run_ranks(sweep *s)
{
    if (s->ranks.count == 1) {
        return run_here(s);
    }
    if (s->ranks.rank == 0) {
        return run_everywhere(s);
    }
    ranks_serve(&s->ranks, make_one, s);
    return GO_ON;
}

static int save_report(const sweep *s)
{
    train_result result;
    int status = GO_ON;
    if (s->asked.report != NULL) {
        char *words[] = {s->asked.out != NULL ? copy_text(s->asked.out) : NULL};
        result_make(&result, s->records, s->count, s->asked.margin);
        status = report_save(s->asked.report, s->asked.common.command, &result, words, s->asked.out != NULL ? 1 : 0);
        result_clear(&result);
        free(words[0]);
    }
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    sweep s = {.status = GO_ON};
    training_begin(&s.asked);
    if (!ranks_begin(&s.ranks)) {
        return complain(self, "MPI does not start"), BAD_STREAM;
    }
    if (s.ranks.rank > 0) { /* rank 0 says what is to be said */
        (void)!freopen("/dev/null", "w", stderr);
    }
    int status = read_arguments(&s.asked, self, argc, argv);
    status = status == GO_ON ? report_check(s.asked.report, self) : status;
    status = status == GO_ON ? choose(&s) : status;
    status = status == GO_ON ? make_tasks(&s) : status;
    status = status == GO_ON ? open_context(&s) : status;
    status = ranks_agree(&s.ranks, self, status);
    status = status == GO_ON ? run_ranks(&s) : status;
    bool stopped = was_stopped();
    if (status == GO_ON && s.ranks.rank == 0 && !stopped) {
        const sweep_result result = {&s.asked.recipes, s.records,      s.count,        &s.tasks[0].training,
                                     s.asked.seeds,    s.asked.margin, s.asked.details};
        print_sweep(&result, s.asked.common.output);
        status = save_report(&s);
    }
    if (stopped) {
        note(self, "stopped%s", s.asked.out != NULL ? "; the same command continues" : "");
        status = BAD_STREAM;
    }
    ranks_end(&s.ranks);
    clear(&s);
    return status == GO_ON ? FINE : status;
}

static const command_example examples[] = {
    {"three learning rates for two recipes",
     "binade sweep --lr 1e-3..1e-1:3 --recipe fp32,bf16-pure --steps 50 --out sweep"},
    {"the same runs, read again, with a row per learning rate",
     "binade sweep --lr 1e-3..1e-1:3 --recipe fp32,bf16-pure --steps 50 --out sweep --details"},
    {"two learning rates of a small model, as JSON",
     "binade sweep --lr 1e-3,1e-2 --model mlp --recipe fp32,fp16-pure --steps 20 --out mlp --json"},
    {NULL, NULL},
};

const command command_sweep = {
    .name = "sweep",
    .summary = "train recipes at several learning rates, and find the best for each",
    .group = GROUP_TRAIN,
    .operands = "",
    .about = "Trains a model for every recipe, learning rate and seed pair, on all cores. Prints the losses as a table "
             "of recipes by learning rates, and compares each recipe at its best rate with fp32, if that is one of "
             "them. With --out, every "
             "finished point is on disk, and the same command again runs only what is missing. The options of the "
             "training are those of binade train.",
    .trains = true,
    .options = training_rows,
    .bit = SWEEP,
    .examples = examples,
    .environment = READS_COLUMNS | READS_BACKEND | READS_THREADS,
    .see_also = "train compare",
    .run = run,
};
