/* Training steps: drawing a batch, forward pass, backward pass and AdamW. fp32 is compared with PyTorch, which also
 * draws the MLP's batch, uses one fixed batch for the transformer, and has two implementations of AdamW. Then every
 * recipe, and fp32 with statistics, is compared with fp32. */
#include "bench.h"
#include "model.h"
#include "peer.h"

#include <binade-lab/train.h>
#include <stdio.h>
#include <string.h>

typedef struct trained {
    const char *model;
    size_t batch, inputs, width, depth, heads, context, vocabulary;
} trained;

/* The sizes of model.c's. */
static const trained models[] = {
    {"mlp", 128, 784, 256, 2, 0, 0, 0},
    {"transformer", 16, 0, 128, 4, 4, 64, 65},
};
enum { MODELS = sizeof models / sizeof models[0] };

/* A row: what is measured, and what it is compared with. */
typedef struct train_row {
    char name[BENCH_NAME_SIZE];
    const char *recipe, *beside; /* "adamw", "foreach": PyTorch's; NULL: our own fp32 */
    bool statistics;
} train_row;

enum { OWN_ROWS = 3 };

static size_t rows_of_model(void)
{
    return OWN_ROWS + bnd_recipe_count() - 1;
}

/* The rows of a model: two of fp32 compared with PyTorch, fp32 with statistics, then the recipes after fp32, which
   is the first. */
static train_row row_at(const trained *what, size_t i)
{
    static const train_row own[OWN_ROWS] = {
        {.recipe = "fp32", .beside = "adamw"},
        {.recipe = "fp32", .beside = "foreach"},
        {.recipe = "fp32", .statistics = true},
    };
    static const char *const says[OWN_ROWS] = {"", ", foreach", ", statistics"};
    train_row row = i < OWN_ROWS ? own[i] : (train_row){.recipe = bnd_recipe_name(i - OWN_ROWS + 1)};
    snprintf(row.name, sizeof row.name, "%s step, %s%s", what->model, row.recipe, i < OWN_ROWS ? says[i] : "");
    return row;
}

static bool chosen(const bench_options *options, const train_row *row)
{
    return options->format_count == 0 && bench_has_words(row->name, options->words);
}

static void each(const bench_options *options, bench_listing *listing, void *state)
{
    for (size_t i = 0; i < MODELS * rows_of_model(); i++) {
        const train_row row = row_at(&models[i / rows_of_model()], i % rows_of_model());
        if (chosen(options, &row)) {
            listing(state, row.name);
        }
    }
}

/* ---- a run, some steps at a time ---- */

typedef struct steps {
    bnd_run *run;
    peer *peer;
    const char *command;
    size_t count;
    bool good;
    bnd_error why;
} steps;

static void make_steps(void *state)
{
    steps *s = state;
    bnd_step step;
    for (size_t i = 0; s->good && i < s->count; i++) {
        s->good = bnd_run_step(&step, s->run, &s->why) == BND_OK;
    }
}

static void ask_steps(void *state)
{
    steps *s = state;
    double seconds;
    s->good = s->good && peer_ask(s->peer, s->command, s->count, &seconds) && seconds > 0;
}

static bool open_steps(steps *s, const trained *what, const char *recipe, bool statistics, const bnd_context *context)
{
    bnd_training t;
    *s = (steps){.good = true};
    bnd_status status = bnd_training_default(&t, what->model, "adamw", recipe, &s->why);
    if (status == BND_OK) {
        t.batch = what->batch;
        t.inputs = what->inputs;
        t.width = what->width;
        t.depth = what->depth;
        t.heads = what->heads;
        t.context = what->context;
        t.vocabulary = what->vocabulary;
        status = bnd_run_new(&s->run, &t, context, &s->why);
    }
    if (status == BND_OK && statistics) {
        status = bnd_engine_take_statistics(bnd_run_engine(s->run), 1, &s->why);
    }
    if (status != BND_OK) {
        fprintf(stderr, "binade bench: %s\n", s->why.message);
    }
    return status == BND_OK;
}

/* Sets the steps per turn: enough that the first ones, with the other's data in the caches, do not matter. */
static void set_count(steps *s)
{
    const double turn = 0.1;
    s->count = 3;
    make_steps(s);
    const double begun = bench_now();
    make_steps(s);
    const double seconds = (bench_now() - begun) / 3;
    s->count = seconds < turn ? (size_t)(turn / seconds) : 1;
}

/* ---- rows ---- */

static void print_row(bench_report *report, const train_row *row, bnd_backend backend, const bench_contest *contest,
                      size_t count)
{
    const double ms = contest->seconds / (double)count * 1e3, ratio = contest->ratio;
    report->rows++;
    if (report->as_json) {
        bench_report_other(report, row->name, "train", bnd_backend_name(backend), 1, contest->rounds, "milliseconds",
                           ms, row->beside != NULL ? "ratio_to_pytorch" : "ratio_to_fp32", ratio);
        return;
    }
    printf("%-36s %-9s %-8s %7d %9.3f", row->name, "train", bnd_backend_name(backend), 1, ms);
    if (ratio > 0) {
        printf(" %18.3f", ratio);
    } else {
        printf(" %18s", "-");
    }
    putchar('\n');
    fflush(stdout);
}

/* 0; 3 where memory, or a recipe, is refused. */
static int measure(bench_report *report, const bench_options *options, const trained *what, const train_row *row,
                   const bnd_context *context, steps *fp32, peer *p)
{
    steps own, theirs = {.peer = p, .command = row->beside, .count = fp32->count, .good = p->process > 0};
    if (!open_steps(&own, what, row->recipe, row->statistics, context)) {
        return 3;
    }
    own.count = fp32->count;
    bench_contest contest = {.pass = make_steps, .state = &own, .other = make_steps, .other_state = fp32};
    if (row->beside != NULL) {
        contest.other = theirs.good ? ask_steps : NULL;
        contest.other_state = &theirs;
    }
    bench_compare(&contest, options->rounds, options->seconds);
    bnd_run_free(own.run);
    if (!own.good || !fp32->good) {
        fprintf(stderr, "binade bench: %s\n", own.good ? fp32->why.message : own.why.message);
        return 3;
    }
    const bool best = context->backend == BND_BACKEND_BEST;
    contest.ratio = row->beside != NULL && !theirs.good ? 0 : contest.ratio;
    print_row(report, row, best ? bnd_backend_best() : (bnd_backend)context->backend, &contest, own.count);
    return 0;
}

/* PyTorch begins with the weights and the batch of model.c. */
static void open_beside(peer *p, const trained *what)
{
    model m;
    *p = (peer){.process = 0};
    for (size_t i = 0; i < model_row_count; i++) {
        if (strcmp(model_rows[i].name, what->model) == 0 && model_open(&m, &model_rows[i], NULL, NULL) == BND_OK) {
            peer_open(p, &model_rows[i], &m);
            model_close(&m);
        }
    }
}

static int measure_model(bench_report *report, const bench_options *options, const trained *what,
                         const bnd_context *context)
{
    steps fp32;
    peer p = {.process = 0};
    int status = 0;
    bool any = false, asks = false;
    for (size_t i = 0; i < rows_of_model(); i++) {
        const train_row row = row_at(what, i);
        any = any || chosen(options, &row);
        asks = asks || (chosen(options, &row) && row.beside != NULL);
    }
    if (!any) {
        return 0;
    }
    if (!open_steps(&fp32, what, "fp32", false, context)) {
        return 3;
    }
    if (asks) {
        open_beside(&p, what);
    }
    set_count(&fp32);
    for (size_t i = 0; i < rows_of_model(); i++) {
        const train_row row = row_at(what, i);
        const int this = chosen(options, &row) ? measure(report, options, what, &row, context, &fp32, &p) : 0;
        status = this > status ? this : status;
    }
    bnd_run_free(fp32.run);
    peer_close(&p);
    return status;
}

static int measure_all(bench_report *report, const bench_options *options)
{
    int status = 0;
    if (bench_family_count(&bench_trainings, options) > 0 && !options->json) {
        printf("%-36s %-9s %-8s %7s %9s %18s\n", "step", "size", "backend", "threads", "ms", "vs PyTorch or fp32");
    }
    for (size_t i = 0; i < MODELS; i++) {
        for (size_t b = 0; b < options->backend_count || b == 0; b++) {
            bnd_context context = {.threads = 1};
            context.backend = options->backend_count > 0 ? options->backends[b] : (uint8_t)BND_BACKEND_BEST;
            const int this = measure_model(report, options, &models[i], &context);
            status = this > status ? this : status;
        }
    }
    return status;
}

const bench_family bench_trainings = {"train", each, measure_all};
