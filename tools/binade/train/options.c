/* The options of train, sweep, compare and evaluate: one per row. */
#include "training.h"

#include <stdlib.h>
#include <string.h>

void training_begin(training_options *o)
{
    *o = (training_options){.model = "transformer",
                            .optimizer = "adamw",
                            .seeds = 1,
                            .statistics = STATISTICS_ROLES,
                            .margin = BND_COMPARISON_MARGIN,
                            .batches = 32,
                            .tensors = 3};
}

void training_clear(training_options *o)
{
    free(o->recipes.items);
    free(o->rates.items);
    o->recipes.items = NULL;
    o->rates.items = NULL;
    clear_settings(&o->common);
}

/* ---- values that a row does not describe ---- */

static int read_recipes(void *options, const option_row *row, const char *value)
{
    (void)row;
    return training_add_recipes(options, value);
}

static int read_directory(void *options, const option_row *row, const char *value)
{
    training_options *o = options;
    o->out = value;
    return value[0] != '\0' ? GO_ON : complain(o->common.command, "--%s takes the name of a directory", row->name);
}

/* Per cent. */
static int read_margin(void *options, const option_row *row, const char *value)
{
    training_options *o = options;
    double percent = 0;
    int status = read_real(&percent, &o->common, row, value, false);
    o->margin = percent / 100;
    return status;
}

static int read_rates(void *options, const option_row *row, const char *value)
{
    (void)row;
    return training_set_rates(options, value);
}

static int read_betas(void *options, const option_row *row, const char *value)
{
    training_options *o = options;
    char *end = NULL;
    double first = strtod(value, &end), second;
    bool pair = end != value && *end == ',';
    const char *rest = pair ? end + 1 : end;
    second = strtod(rest, &end);
    o->changed.beta1 = first;
    o->changed.beta2 = second;
    return pair && end != rest && *end == '\0' && first >= 0 && first < 1 && second >= 0 && second < 1
               ? GO_ON
               : complain(o->common.command, "--%s must be two numbers from 0 to below 1, as in 0.9,0.999, not '%s'",
                          row->name, value);
}

/* Runs are switched once: a second change would not be one more run, but another. */
static int read_switch(void *options, const option_row *row, const char *value)
{
    training_options *o = options;
    if (o->switched != NULL) {
        return complain(o->common.command, "--%s cannot be given twice: '%s' and '%s'", row->name, o->switched, value);
    }
    o->switched = value;
    return GO_ON;
}

/* "100..200", and "100.." to the end. */
static int read_range(void *options, const option_row *row, const char *value)
{
    static const uint64_t MOST = UINT64_C(1) << 53;
    training_options *o = options;
    const settings *s = &o->common;
    plot_options *plot = &o->plot;
    const char *dots = strstr(value, "..");
    if (dots == NULL || dots == value) {
        return complain(s->command, "--%s must be FROM..TO, as in 100..200, not '%s'", row->name, value);
    }
    char *from = format_text("%.*s", (int)(dots - value), value);
    int status = read_whole_number(&plot->from, s, row->name, from, 0, MOST);
    plot->to = MOST;
    if (status == GO_ON && dots[2] != '\0') {
        status = read_whole_number(&plot->to, s, row->name, dots + 2, 0, MOST);
    }
    free(from);
    plot->ranged = true;
    return status != GO_ON || plot->from < plot->to
               ? status
               : complain(s->command, "--%s must begin before it ends: '%s'", row->name, value);
}

/* ---- the rows ---- */

static const option_row row_seeds = {.name = "seeds",
                                     .argument = "K",
                                     .help = "seed pairs (initialisation, data): runs per recipe (default 1)",
                                     INTO_WHOLE(training_options, seeds, 1, UINT32_MAX)};
static const option_row row_margin = {
    .name = "margin",
    .argument = "PERCENT",
    .help = "the tolerance of verdicts, in per cent of the loss above the irreducible loss (default 5)",
    INTO(training_options, margin, read_margin)};

const option_row training_rows[] = {
    {.name = "model",
     .argument = "NAME",
     .help = "as train --list has them (default transformer)",
     .completes = COMPLETES_MODELS,
     INTO_TEXT(training_options, model),
     .commands = TRAIN | SWEEP},
    {.name = "recipe",
     .argument = "LIST",
     .help = "recipes, separated by commas, or all; settings: base=bf16-amp,v=bf16,dact=e5m2:sr; or FILE.json (default "
             "fp32,bf16-amp,fp16-pure)",
     .completes = COMPLETES_RECIPES,
     INTO(training_options, recipes, read_recipes),
     .commands = TRAIN | SWEEP},
    {.name = "recipe",
     .argument = "LIST",
     .help = "recipes, as train takes them (default bf16-amp,fp8-current,mxfp8,nvfp4,mxfp4)",
     .completes = COMPLETES_RECIPES,
     INTO(training_options, recipes, read_recipes),
     .commands = EVALUATE},
    {.name = "lr",
     .argument = "RATES",
     .help =
         "a range and its points, 1e-4..1e-1:7, or rates separated by commas (default 1e-4..1e-1, two points a decade)",
     INTO(training_options, rates, read_rates),
     .commands = SWEEP},
    {.same = &row_seeds, .commands = SWEEP},
    {.name = "optimizer",
     .argument = "NAME",
     .help = "as train --list has them (default adamw)",
     .completes = COMPLETES_OPTIMIZERS,
     INTO_TEXT(training_options, optimizer),
     .commands = TRAIN | SWEEP},
    {.name = "lr",
     .argument = "X",
     .help = "learning rate (default of model and optimizer: transformer, adamw 0.003)",
     INTO_POSITIVE(training_options, changed.lr),
     .commands = TRAIN},
    {.name = "betas",
     .argument = "B1,B2",
     .help = "decay rates (default of adamw 0.9,0.999)",
     INTO(training_options, changed.beta1, read_betas),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "eps",
     .argument = "X",
     .help = "epsilon of the optimizer (default of adamw 1e-8)",
     INTO_REAL(training_options, changed.epsilon),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "wd",
     .argument = "X",
     .help = "weight decay (default of adamw 0.01)",
     INTO_REAL(training_options, changed.weight_decay),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "clip",
     .argument = "X",
     .help = "clip gradients to this norm of all of them together (default: none)",
     INTO_POSITIVE(training_options, changed.clip),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "schedule",
     .argument = "NAME",
     .help = "of the learning rate: constant warmup warmup:N cosine wsd (default constant)",
     .completes = COMPLETES_WORDS,
     .words = "constant warmup warmup: cosine wsd",
     INTO_TEXT(training_options, schedule),
     .commands = TRAIN | SWEEP},
    {.name = "steps",
     .argument = "N",
     .help = "steps per run (default 200 to 600, by model)",
     INTO_WHOLE(training_options, changed.steps, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP},
    {.same = &row_seeds, .commands = TRAIN},
    {.same = &row_margin, .commands = TRAIN | COMPARE | REPORT},
    {.name = "seed-init",
     .argument = "N",
     .help = "seed of the initial weights (default 0)",
     INTO_WHOLE(training_options, changed.seed_init, 0, UINT64_MAX),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "seed-data",
     .argument = "N",
     .help = "seed of data and batches (default 0)",
     INTO_WHOLE(training_options, changed.seed_data, 0, UINT64_MAX),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "seed-rounding",
     .argument = "N",
     .help = "seed of stochastic rounding (default 0)",
     INTO_WHOLE(training_options, changed.seed_rounding, 0, UINT64_MAX),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "batch",
     .argument = "N",
     .help = "batch size: rows or sequences per step (default 1 to 128, by model)",
     INTO_SIZE(training_options, changed.batch, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP},
    {.name = "micro-batches",
     .argument = "K",
     .help = "divide each rank's batch into K, whose gradients are added (recipe: accumulate=FORMAT)",
     INTO_SIZE(training_options, changed.micro_batches, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "ranks",
     .argument = "K",
     .help = "divide the batch among K ranks, whose gradients are added (recipe: reduce=FORMAT/ORDER)",
     INTO_SIZE(training_options, changed.ranks, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "inputs",
     .argument = "N",
     .help = "number of inputs of the MLP",
     INTO_SIZE(training_options, changed.inputs, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "width",
     .argument = "N",
     .help = "width of a layer (default 64; mlp 128)",
     INTO_SIZE(training_options, changed.width, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP},
    {.name = "depth",
     .argument = "N",
     .help = "number of layers (default 2)",
     INTO_SIZE(training_options, changed.depth, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP},
    {.name = "heads",
     .argument = "N",
     .help = "attention heads (default 4)",
     INTO_SIZE(training_options, changed.heads, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "context",
     .argument = "N",
     .help = "tokens per sequence (default 32)",
     INTO_SIZE(training_options, changed.context, 1, UINT32_MAX),
     .commands = TRAIN | SWEEP | EVALUATE,
     .rare = TRAIN | SWEEP},
    {.name = "vocabulary",
     .argument = "N",
     .help = "number of different tokens (default 16; chain 32; or those of --data)",
     INTO_SIZE(training_options, changed.vocabulary, 2, UINT32_MAX),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "tied",
     .help = "the head shares the token embedding's weights",
     INTO_FLAG(training_options, changed.tied),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "config",
     .argument = "FILE",
     .help = "Hugging Face's config.json of a GPT-2 or Llama: the model and its sizes",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, config),
     .commands = TRAIN | SWEEP | EVALUATE},
    {.name = "blocks",
     .argument = "SETTINGS",
     .help = "options of a transformer's blocks: norm=rmsnorm,position=rope,mlp=swiglu,kv_heads=2,qk_norm,no_bias,... "
             "(default: the model's own)",
     INTO_TEXT(training_options, blocks),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "data",
     .argument = "FILE",
     .help = "training text (one token per byte), or tokens in .npy or .bin (default: drawn, --source)",
     INTO_TEXT(training_options, data),
     .commands = TRAIN | SWEEP},
    {.name = "data",
     .argument = "FILE",
     .help = "validation text (one token per byte) or tokens (default: that of the run)",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, data),
     .commands = EVALUATE},
    {.name = "data-type",
     .argument = "TYPE",
     .help = "of the tokens in --data, if it is not .npy: uint8, int16, uint16, int32, uint32, int64, uint64 "
             "(default: uint16 for .bin, else uint8)",
     .completes = COMPLETES_WORDS,
     .words = "uint8 int16 uint16 int32 uint32 int64 uint64",
     INTO_TEXT(training_options, data_type),
     .commands = TRAIN | SWEEP | EVALUATE,
     .rare = TRAIN | SWEEP},
    {.name = "tokenizer",
     .argument = "FILE",
     .help = "tokenizer.json: the text in --data becomes tokens of this byte-level BPE (default: one token per byte; "
             "of evaluate: that of the run)",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, tokenizer),
     .commands = TRAIN | SWEEP | EVALUATE,
     .rare = TRAIN | SWEEP},
    {.name = "source",
     .argument = "NAME",
     .help = "drawn text, if there is no --data: copy (needs attention) or chain (does not) (default copy)",
     .completes = COMPLETES_WORDS,
     .words = "copy chain",
     INTO_TEXT(training_options, source),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "init",
     .argument = "FILE",
     .help = "initial weights, a .safetensors file as --dump-init writes it, or a folder of them (default: drawn)",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, init),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "order",
     .argument = "FILE",
     .help = "the batch of each step, integers in .npy (default: in turn)",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, order),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "dump-init",
     .argument = "FILE",
     .help = "write the initial weights as .safetensors, F32",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, dump_init),
     .commands = TRAIN,
     .rare = TRAIN},
    {.name = "dump-batches",
     .argument = "FILE",
     .help = "write the data of each step as .safetensors: x, y",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, dump_batches),
     .commands = TRAIN,
     .rare = TRAIN},
    {.name = "recompute",
     .help = "recompute layers in the backward pass: slower, less memory",
     INTO_FLAG(training_options, changed.recompute),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.same = &row_margin, .commands = SWEEP},
    {.name = "no-reference",
     .help = "do not add fp32: the first recipe is the reference",
     INTO_FLAG(training_options, no_reference),
     .commands = TRAIN,
     .rare = TRAIN},
    {.name = "switch",
     .argument = "RECIPE@STEP",
     .help = "also run each recipe with a change to RECIPE at STEP",
     INTO(training_options, switched, read_switch),
     .commands = TRAIN},
    {.name = "autopsy",
     .help = "find the cause if a recipe is worse or failed; needs many more runs",
     INTO_FLAG(training_options, autopsy),
     .commands = TRAIN},
    {.name = "out",
     .argument = "DIR",
     .help = "keep the runs in this directory",
     INTO(training_options, out, read_directory),
     .commands = TRAIN | SWEEP},
    {.name = "report",
     .argument = "FILE",
     .help = "also write the runs as a page, FILE.html",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, report),
     .commands = TRAIN | SWEEP},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "the page to write, FILE.html",
     .completes = COMPLETES_FILES,
     INTO_TEXT(training_options, report),
     .commands = REPORT},
    {.name = "resume", .help = "continue the runs in --out", INTO_FLAG(training_options, resume), .commands = TRAIN},
    {.name = "keep-checkpoints",
     .help = "with --out, keep the checkpoints of finished points, too",
     INTO_FLAG(training_options, keeps_checkpoints),
     .commands = SWEEP,
     .rare = SWEEP},
    {.name = "checkpoint",
     .argument = "N",
     .help = "write a checkpoint every N steps, with --out (default only at the end)",
     INTO_WHOLE(training_options, checkpoint_every, 0, UINT32_MAX),
     .commands = TRAIN,
     .rare = TRAIN},
    {.name = "validate",
     .argument = "N",
     .help = "validate every N steps (default only at the end)",
     INTO_WHOLE(training_options, validate_every, 0, UINT32_MAX),
     .commands = TRAIN,
     .rare = TRAIN},
    {.name = "statistics",
     .argument = "WHAT",
     .help = "statistics of casts: none (faster), roles, or places (roles and places; default roles)",
     .completes = COMPLETES_WORDS,
     .words = "none roles places",
     INTO_WORD(training_options, statistics, STATISTICS_NONE),
     .commands = TRAIN | SWEEP,
     .rare = TRAIN | SWEEP},
    {.name = "memory",
     .help = "also print bytes by role: a table and stacked bars",
     INTO_FLAG(training_options, memory),
     .commands = TRAIN | COMPARE},
    {.name = "details",
     .help = "more tables: lost updates, underflow and overflow; memory; time of the emulation",
     INTO_FLAG(training_options, details),
     .commands = TRAIN | COMPARE},
    {.name = "details",
     .help = "also one row per recipe and learning rate, and the sensitivity to the learning rate",
     INTO_FLAG(training_options, details),
     .commands = SWEEP},
    {.name = "plot",
     .argument = "STEPS",
     .help = "the axis of steps in the plot of losses: linear log none (default linear)",
     .completes = COMPLETES_WORDS,
     .words = "linear log none",
     INTO_WORD(training_options, plot.steps, PLOT_LINEAR),
     .commands = TRAIN | COMPARE},
    {.name = "plot-scale",
     .argument = "LOSSES",
     .help = "the axis of losses: auto linear log (default auto: log if they span a factor of 30)",
     .completes = COMPLETES_WORDS,
     .words = "auto linear log",
     INTO_WORD(training_options, plot.losses, LOSSES_AUTO),
     .commands = TRAIN | COMPARE,
     .rare = TRAIN},
    {.name = "plot-range",
     .argument = "FROM..TO",
     .help = "plot only these steps",
     INTO(training_options, plot.from, read_range),
     .commands = TRAIN | COMPARE,
     .rare = TRAIN},
    {.name = "steps",
     .help = "print all steps of one RUN as CSV",
     INTO_FLAG(training_options, steps_of_run),
     .commands = COMPARE},
    {.name = "step-column",
     .argument = "NAME",
     .help = "name of the step column in logs of other programs",
     INTO_TEXT(training_options, columns.step),
     .commands = COMPARE | REPORT},
    {.name = "loss-column",
     .argument = "NAME",
     .help = "name of the loss column in logs of other programs",
     INTO_TEXT(training_options, columns.loss),
     .commands = COMPARE | REPORT},
    {.name = "batches",
     .argument = "N",
     .help = "validation batches (default 32)",
     INTO_WHOLE(training_options, batches, 1, 1 << 20),
     .commands = EVALUATE},
    {.name = "tensors",
     .argument = "N",
     .help = "name the N tensors that increase the loss most (default 3; 0: none, which is faster)",
     INTO_WHOLE(training_options, tensors, 0, BND_PLACES_MAX),
     .commands = EVALUATE},
    {.name = "list",
     .help = "list models, optimizers, recipes, and their defaults",
     INTO_FLAG(training_options, list),
     .commands = TRAIN},
    {.same = &row_threads, .commands = TRAIN | SWEEP},
    {.name = "threads",
     .letter = 'j',
     .argument = "N",
     .help = "number of cores (default 1: small models gain nothing from more)",
     INTO_UNSIGNED(settings, threads, 0, MOST_THREADS),
     .commands = EVALUATE},
    {.same = &row_progress, .commands = TRAIN | SWEEP, .rare = TRAIN | SWEEP},
    {.same = &row_json, .commands = TRAIN | SWEEP | COMPARE | REPORT | EVALUATE},
    {.same = &row_csv, .commands = TRAIN | SWEEP | COMPARE | EVALUATE, .rare = TRAIN | SWEEP},
    {.same = &row_color, .commands = TRAIN | COMPARE, .rare = TRAIN},
    {.same = &row_help, .commands = TRAIN | SWEEP | COMPARE | REPORT | EVALUATE},
    {.name = NULL},
};
