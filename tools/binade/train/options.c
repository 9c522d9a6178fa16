/* The options of a training, which `train` and `sweep` share: sizes, numbers, seeds. */
#include "training.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void training_begin(training_options *o, const settings *s)
{
    *o = (training_options){
        .common = s, .model = "transformer", .optimizer = "adamw", .seeds = 1, .statistics = STATISTICS_ROLES};
}

void training_clear(training_options *o)
{
    free(o->recipes.items);
    o->recipes.items = NULL;
}

/* ---- numbers ---- */

/* What is too small for a double is 0. */
static int read_real(double *out, const settings *s, const char *option, const char *value, bool positive)
{
    char *end = NULL;
    double x = strtod(value, &end);
    if (value[0] == '\0' || *end != '\0' || !(positive ? x > 0 : x >= 0) || x - x != 0) {
        return complain(s->command, "--%s takes a number %s 0, not '%s'", option, positive ? "above" : "of at least",
                        value);
    }
    *out = x;
    return GO_ON;
}

static int read_betas(training_change *c, const settings *s, const char *value)
{
    char *end = NULL;
    c->real = strtod(value, &end);
    bool pair = end != value && *end == ',';
    const char *second = pair ? end + 1 : end;
    c->second = strtod(second, &end);
    bool good = pair && end != second && *end == '\0' && c->real >= 0 && c->real < 1 && c->second >= 0 && c->second < 1;
    return good ? GO_ON
                : complain(s->command, "--betas takes two numbers from 0 to below 1, as in 0.9,0.999, not '%s'", value);
}

/* Numbers that go into the training as they are. */
static const struct whole_row {
    int id;
    const option_row *row;
    size_t offset;
    bool is_size; /* size_t; otherwise uint64_t */
    uint64_t least;
} wholes[] = {
    {OPTION_SEED_INIT, &row_seed_init, offsetof(bnd_training, seed_init), false, 0},
    {OPTION_SEED_DATA, &row_seed_data, offsetof(bnd_training, seed_data), false, 0},
    {OPTION_SEED_ROUNDING, &row_seed_rounding, offsetof(bnd_training, seed_rounding), false, 0},
    {OPTION_STEPS, &row_steps, offsetof(bnd_training, steps), false, 1},
    {OPTION_BATCH, &row_batch, offsetof(bnd_training, batch), true, 1},
    {OPTION_INPUTS, &row_inputs, offsetof(bnd_training, inputs), true, 1},
    {OPTION_WIDTH, &row_width, offsetof(bnd_training, width), true, 1},
    {OPTION_DEPTH, &row_depth, offsetof(bnd_training, depth), true, 1},
    {OPTION_HEADS, &row_heads, offsetof(bnd_training, heads), true, 1},
    {OPTION_CONTEXT, &row_context, offsetof(bnd_training, context), true, 1},
    {OPTION_VOCABULARY, &row_vocabulary, offsetof(bnd_training, vocabulary), true, 2},
};
enum { WHOLES = sizeof wholes / sizeof wholes[0] };

static int set_whole(training_options *o, const option_row *row, int id, uint64_t least, const char *value)
{
    training_change *c = &o->change[id - OPTION_OWN];
    bool seed = id == OPTION_SEED_INIT || id == OPTION_SEED_DATA || id == OPTION_SEED_ROUNDING;
    c->given = true;
    return read_whole_number(&c->whole, o->common, row->name, value, least, seed ? UINT64_MAX : UINT32_MAX);
}

static int read_statistics(training_options *o, const char *value)
{
    static const char *const words[] = {"none", "roles", "places"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, words[i]) == 0) {
            o->statistics = (enum training_statistics)i;
            return GO_ON;
        }
    }
    return complain(o->common->command, "--statistics takes none, roles or places, not '%.40s'", value);
}

static int set_real(training_options *o, const option_row *row, int id, const char *value)
{
    training_change *c = &o->change[id - OPTION_OWN];
    c->given = true;
    return read_real(&c->real, o->common, row->name, value, id == OPTION_LR);
}

int training_set(training_options *o, int id, const char *value)
{
    for (size_t i = 0; i < WHOLES; i++) {
        if (wholes[i].id == id) {
            return set_whole(o, wholes[i].row, id, wholes[i].least, value);
        }
    }
    switch (id) {
    case OPTION_MODEL:
        o->model = value;
        return GO_ON;
    case OPTION_OPTIMIZER:
        o->optimizer = value;
        return GO_ON;
    case OPTION_SCHEDULE:
        o->schedule = value;
        return GO_ON;
    case OPTION_OUT:
        o->out = value;
        return value[0] != '\0' ? GO_ON : complain(o->common->command, "--out takes the name of a directory");
    case OPTION_RECIPE:
        return training_add_recipes(o, value);
    case OPTION_LR:
        return set_real(o, &row_lr, id, value);
    case OPTION_EPSILON:
        return set_real(o, &row_epsilon, id, value);
    case OPTION_DECAY:
        return set_real(o, &row_decay, id, value);
    case OPTION_BETAS:
        o->change[id - OPTION_OWN].given = true;
        return read_betas(&o->change[id - OPTION_OWN], o->common, value);
    case OPTION_SEEDS: {
        int status = set_whole(o, &row_seeds, id, 1, value);
        o->seeds = o->change[id - OPTION_OWN].whole;
        return status;
    }
    case OPTION_CHECKPOINT:
        return set_whole(o, &row_checkpoint, id, 0, value);
    case OPTION_VALIDATE:
        return set_whole(o, &row_validate, id, 0, value);
    case OPTION_DATA:
        o->data = value;
        return GO_ON;
    case OPTION_DATA_TYPE:
        o->data_type = value;
        return GO_ON;
    case OPTION_INIT:
        o->init = value;
        return GO_ON;
    case OPTION_ORDER:
        o->order = value;
        return GO_ON;
    case OPTION_SOURCE:
        o->source = value;
        return GO_ON;
    case OPTION_TIED:
        o->tied = true;
        return GO_ON;
    case OPTION_RECOMPUTE:
        o->recompute = true;
        return GO_ON;
    default:
        return read_statistics(o, value);
    }
}

int read_margin(double *out, const settings *s, const char *value)
{
    double percent = 0;
    int status = read_real(&percent, s, row_margin.name, value, false);
    *out = status == GO_ON ? percent / 100 : *out;
    return status;
}

/* ---- a task ---- */

/* The name of a file into a field of the training, which has room for BND_TRAINING_DATA_SIZE bytes; NULL: none. */
static int set_file(char *out, const settings *s, const char *option, const char *value)
{
    if (value != NULL && (value[0] == '\0' || strlen(value) >= BND_TRAINING_DATA_SIZE)) {
        return complain(s->command, "--%s must be the name of a file, of at most %d bytes", option,
                        BND_TRAINING_DATA_SIZE - 1);
    }
    snprintf(out, BND_TRAINING_DATA_SIZE, "%s", value != NULL ? value : "");
    return GO_ON;
}

static const training_change *change_of(const training_options *o, int id)
{
    const training_change *c = &o->change[id - OPTION_OWN];
    return c->given ? c : NULL;
}

static void change(bnd_training *t, const training_options *o)
{
    const training_change *c;
    for (size_t i = 0; i < WHOLES; i++) {
        char *at = (char *)t + wholes[i].offset;
        if ((c = change_of(o, wholes[i].id)) != NULL && wholes[i].is_size) {
            *(size_t *)(void *)at = (size_t)c->whole;
        } else if (c != NULL) {
            *(uint64_t *)(void *)at = c->whole;
        }
    }
    t->lr = (c = change_of(o, OPTION_LR)) != NULL ? c->real : t->lr;
    t->epsilon = (c = change_of(o, OPTION_EPSILON)) != NULL ? c->real : t->epsilon;
    t->weight_decay = (c = change_of(o, OPTION_DECAY)) != NULL ? c->real : t->weight_decay;
    if ((c = change_of(o, OPTION_BETAS)) != NULL) {
        t->beta1 = c->real;
        t->beta2 = c->second;
    }
    t->tied = o->tied;
    t->recompute = o->recompute;
}

int training_data(bnd_training *t, const training_options *o)
{
    if (o->data_type != NULL && (o->data == NULL || strlen(o->data_type) >= sizeof t->data_type)) {
        return complain(o->common->command,
                        "--data-type is the type of the tokens in --data FILE: uint8, int16, uint16, "
                        "int32, uint32, int64 or uint64");
    }
    if (o->data == NULL) {
        return GO_ON;
    }
    snprintf(t->data_type, sizeof t->data_type, "%s", o->data_type != NULL ? o->data_type : "");
    return set_file(t->data, o->common, "data", o->data);
}

int training_task(bnd_task *out, const training_options *o, const recipe *r, uint64_t k)
{
    bnd_training t;
    bnd_error why;
    if (bnd_training_default(&t, o->model, o->optimizer, "fp32", &why) != BND_OK) {
        return complain(o->common->command, "%s", why.message);
    }
    double factor;
    const char *schedule = o->schedule != NULL ? o->schedule : t.schedule;
    if (bnd_schedule_factor(&factor, schedule, 0, t.steps, &why) != BND_OK) {
        return complain(o->common->command, "%s", why.message);
    }
    if (o->schedule != NULL) {
        snprintf(t.schedule, sizeof t.schedule, "%s", o->schedule);
    }
    int status = training_data(&t, o);
    status = status == GO_ON ? set_file(t.init, o->common, "init", o->init) : status;
    status = status == GO_ON ? set_file(t.order, o->common, "order", o->order) : status;
    if (status != GO_ON) {
        return status;
    }
    if (o->source != NULL && (o->data != NULL || t.source[0] == '\0')) {
        return complain(o->common->command, "--source cannot be used with %s: it is the text of a transformer",
                        o->data != NULL ? "--data" : o->model);
    }
    if (o->source != NULL) {
        snprintf(t.source, sizeof t.source, "%s", o->source);
    }
    t.policy = r->policy;
    change(&t, o);
    t.seed_init += k;
    t.seed_data += k;
    t.seed_rounding += k;
    if (r->switches && r->switch_at >= t.steps) {
        return complain(o->common->command, "--switch at step %llu: the runs have only %llu steps",
                        (unsigned long long)r->switch_at, (unsigned long long)t.steps);
    }
    const training_change *c;
    bnd_task_default(out, &t);
    out->recipe = r->name;
    out->checkpoint_every = (c = change_of(o, OPTION_CHECKPOINT)) != NULL ? c->whole : out->checkpoint_every;
    out->validate_every = (c = change_of(o, OPTION_VALIDATE)) != NULL ? c->whole : out->validate_every;
    out->statistics = o->statistics != STATISTICS_NONE;
    out->places = o->statistics == STATISTICS_PLACES;
    out->switches = r->switches;
    out->switch_at = r->switch_at;
    out->switch_to = r->switch_to;
    return GO_ON;
}

char *path_text(const char *directory, const char *name)
{
    size_t length = strlen(directory);
    bool ends = length > 0 && directory[length - 1] == '/';
    return format_text("%s%s%s", directory, ends ? "" : "/", name);
}

/* ---- what there is ---- */

static void put_model(const bnd_training *t, const char *title)
{
    const struct {
        const char *name;
        size_t value;
    } sizes[] = {{"batch", t->batch}, {"inputs", t->inputs},   {"width", t->width},          {"depth", t->depth},
                 {"heads", t->heads}, {"context", t->context}, {"vocabulary", t->vocabulary}};
    printf("  %-17s %s:", t->model, title);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].value > 0) {
            printf(" %s %zu", sizes[i].name, sizes[i].value);
        }
    }
    printf("; steps %llu, lr %g\n", (unsigned long long)t->steps, t->lr);
}

void print_choices(void)
{
    bnd_training t;
    printf("models, their sizes, and the learning rate under adamw:\n");
    for (size_t i = 0; i < bnd_model_count(); i++) {
        if (bnd_training_default(&t, bnd_model_name(i), "adamw", "fp32", NULL) == BND_OK) {
            put_model(&t, bnd_model_title(i));
        }
    }
    printf("\nsources of text:\n");
    for (size_t i = 0; i < bnd_source_count(); i++) {
        printf("  %-17s %s\n", bnd_source_name(i), bnd_source_title(i));
    }
    printf("\noptimizers: learning rate (before the model's), betas, epsilon, weight decay\n");
    for (size_t i = 0; i < bnd_optimizer_count(); i++) {
        if (bnd_training_default(&t, "own", bnd_optimizer_name(i), "fp32", NULL) == BND_OK) {
            printf("  %-17s %-48s %5g  %g,%g  %g  %g\n", t.optimizer, bnd_optimizer_title(i), t.lr, t.beta1, t.beta2,
                   t.epsilon, t.weight_decay);
        }
    }
    printf("\nschedules: constant warmup cosine wsd\n\nrecipes, and the settings that they stand for:\n");
    for (size_t i = 0; i < bnd_recipe_count(); i++) {
        printf("  %-22s %s\n", bnd_recipe_name(i), bnd_recipe_title(i));
        const char *text = bnd_recipe_settings(i);
        printf("  %-22s   %s\n", "", text[0] != '\0' ? text : "(none)");
    }
}

/* ---- the rows ---- */

const option_row row_model = {OPTION_MODEL,     0, "model", "NAME", "as train --list has them (default transformer)",
                              COMPLETES_MODELS, ""};
const option_row row_recipe = {
    OPTION_RECIPE,
    0,
    "recipe",
    "LIST",
    "recipes, separated by commas, or all; settings: base=bf16-amp,v=bf16,dact=e5m2:sr; or FILE.json (default "
    "fp32,bf16-amp,fp16-pure)",
    COMPLETES_RECIPES,
    ""};
const option_row row_optimizer = {
    OPTION_OPTIMIZER, 0, "optimizer", "NAME", "as train --list has them (default adamw)", COMPLETES_OPTIMIZERS, ""};
const option_row row_schedule = {OPTION_SCHEDULE,
                                 0,
                                 "schedule",
                                 "NAME",
                                 "of lr: constant warmup cosine wsd (default constant)",
                                 COMPLETES_WORDS,
                                 "constant warmup cosine wsd"};
const option_row row_lr = {
    OPTION_LR,         0, "lr", "X", "learning rate (default of model and optimizer: transformer, adamw 0.003)",
    COMPLETES_NOTHING, ""};
const option_row row_betas = {OPTION_BETAS,      0, "betas", "B1,B2", "of the optimizer (default 0.9,0.999)",
                              COMPLETES_NOTHING, ""};
const option_row row_epsilon = {OPTION_EPSILON,    0, "eps", "X", "of the optimizer (default 1e-8)",
                                COMPLETES_NOTHING, ""};
const option_row row_decay = {OPTION_DECAY, 0, "wd", "X", "weight decay (default 0.01)", COMPLETES_NOTHING, ""};
const option_row row_seed_init = {OPTION_SEED_INIT,  0, "seed-init", "N", "of the weights (default 0)",
                                  COMPLETES_NOTHING, ""};
const option_row row_seed_data = {OPTION_SEED_DATA,  0, "seed-data", "N", "of data and batches (default 0)",
                                  COMPLETES_NOTHING, ""};
const option_row row_seed_rounding = {
    OPTION_SEED_ROUNDING, 0, "seed-rounding", "N", "of stochastic rounding (default 0)", COMPLETES_NOTHING, ""};
const option_row row_data = {
    OPTION_DATA,       0, "data", "FILE", "a text by bytes, or tokens in .npy or .bin (default: drawn, --source)",
    COMPLETES_NOTHING, ""};
const option_row row_data_type = {
    OPTION_DATA_TYPE,
    0,
    "data-type",
    "TYPE",
    "of --data's tokens, where the file is not .npy: uint8, int16, uint16, int32, uint32, "
    "int64, uint64 (default: uint16 for .bin, else uint8)",
    COMPLETES_WORDS,
    "uint8 int16 uint16 int32 uint32 int64 uint64"};
const option_row row_source = {OPTION_SOURCE,
                               0,
                               "source",
                               "NAME",
                               "text without --data, as train --list has it: copy needs attention, chain does not "
                               "(default copy)",
                               COMPLETES_WORDS,
                               "copy chain"};
const option_row row_init = {
    OPTION_INIT,     0, "init", "FILE", "initial weights, .safetensors as --dump-init writes it (default: drawn)",
    COMPLETES_FILES, ""};
const option_row row_order = {
    OPTION_ORDER,    0, "order", "FILE", "which batch each step sees, integers in .npy (default: in turn)",
    COMPLETES_FILES, ""};
const option_row row_tied = {OPTION_TIED,       0, "tied", NULL, "the head is the table of embeddings",
                             COMPLETES_NOTHING, ""};
const option_row row_seeds = {OPTION_SEEDS,      0, "seeds", "K", "pairs of seeds: runs a recipe (default 5)",
                              COMPLETES_NOTHING, ""};
const option_row row_steps = {OPTION_STEPS,      0, "steps", "N", "steps per run (default 200 to 600, by model)",
                              COMPLETES_NOTHING, ""};
const option_row row_batch = {OPTION_BATCH,      0, "batch", "N", "rows per step (default 1 to 128, by model)",
                              COMPLETES_NOTHING, ""};
const option_row row_inputs = {OPTION_INPUTS, 0, "inputs", "N", "of the perceptron", COMPLETES_NOTHING, ""};
const option_row row_width = {OPTION_WIDTH, 0, "width", "N", "of a layer (default 64)", COMPLETES_NOTHING, ""};
const option_row row_depth = {OPTION_DEPTH, 0, "depth", "N", "layers (default 2)", COMPLETES_NOTHING, ""};
const option_row row_heads = {OPTION_HEADS, 0, "heads", "N", "of attention (default 4)", COMPLETES_NOTHING, ""};
const option_row row_context = {OPTION_CONTEXT, 0, "context", "N", "symbols a row (default 32)", COMPLETES_NOTHING, ""};
const option_row row_vocabulary = {
    OPTION_VOCABULARY, 0, "vocabulary", "N", "symbols (default 16; chain 32; or those of --data)",
    COMPLETES_NOTHING, ""};
const option_row row_recompute = {
    OPTION_RECOMPUTE, 0, "recompute", NULL, "layers again on the way back: slower, smaller", COMPLETES_NOTHING, ""};
const option_row row_checkpoint = {
    OPTION_CHECKPOINT, 0, "checkpoint", "N", "one every N steps, with --out (default the last)", COMPLETES_NOTHING, ""};
const option_row row_validate = {OPTION_VALIDATE,   0, "validate", "N", "every N steps (default at the end)",
                                 COMPLETES_NOTHING, ""};
const option_row row_statistics = {OPTION_STATISTICS,
                                   0,
                                   "statistics",
                                   "WHAT",
                                   "of casts: none (faster), by roles, or by places, too (default roles)",
                                   COMPLETES_WORDS,
                                   "none roles places"};
const option_row row_out = {OPTION_OUT, 0, "out", "DIR", "keeps the runs there", COMPLETES_NOTHING, ""};
const option_row row_margin = {OPTION_MARGIN,
                               0,
                               "margin",
                               "PERCENT",
                               "of the loss above the irreducible loss: smaller gaps do not matter (default 5)",
                               COMPLETES_NOTHING,
                               ""};
const option_row row_by_role = {OPTION_MEMORY,     0, "memory", NULL, "adds bytes by role: a table, and stacked bars",
                                COMPLETES_NOTHING, ""};
const option_row row_details = {
    OPTION_DETAILS,    0, "details", NULL, "adds what the emulation took: its time per step, its memory",
    COMPLETES_NOTHING, ""};
