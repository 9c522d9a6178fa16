/* binade evaluate: the loss of trained weights under each recipe, without training, and the tensors that lose most. */
#include "common/process.h"
#include "evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char usual_recipes[] = "bf16-amp,fp8-current,mxfp8,nvfp4,mxfp4";

/* ---- options ---- */

static int choose(evaluate *e)
{
    const settings *s = &e->asked.common;
    int status = GO_ON;
    if (s->operand_count == 0) {
        return complain(s->command, "expected checkpoint.safetensors of a run, or its directory");
    }
    if (e->asked.recipes.count == 0) {
        status = training_add_recipes(&e->asked, usual_recipes);
    }
    if (status == GO_ON) {
        training_put_reference_first(&e->asked);
    }
    return status;
}

/* ---- the weights ---- */

static char *file_of(const char *operand)
{
    struct stat about;
    bool directory = stat(operand, &about) == 0 && S_ISDIR(about.st_mode);
    return directory ? path_text(operand, "checkpoint.safetensors") : copy_text(operand);
}

/* Weights of Hugging Face: the config is given, or stands in a folder that no run has written. */
static char *config_of(const char *operand, const evaluate *e)
{
    struct stat about;
    char *own = path_text(operand, "checkpoint.safetensors"), *theirs = path_text(operand, "config.json");
    const bool is_theirs = stat(own, &about) != 0 && stat(theirs, &about) == 0;
    free(own);
    if (is_theirs && e->asked.config == NULL) {
        return theirs;
    }
    free(theirs);
    return e->asked.config != NULL ? copy_text(e->asked.config) : NULL;
}

static int open_weights(subject *c, const evaluate *e, const char *config)
{
    const training_options *o = &e->asked;
    bnd_training *t = &c->training;
    bnd_error why;
    if (o->data == NULL) {
        return complain(o->common.command, "weights of Hugging Face need --data: tokens, or text for 256 symbols");
    }
    bnd_status status = bnd_training_of_config(t, NULL, "sgd", config, &why);
    if (status != BND_OK) {
        return fail(o->common.command, "", status, &why);
    }
    if (OPTION_GIVEN(&o->common, training_options, changed.context)) {
        t->context = o->changed.context;
    }
    int good = training_data(t, o);
    if (good == GO_ON && strlen(c->name) >= sizeof t->init) {
        good = complain(o->common.command, "the name of a checkpoint must have at most %zu bytes", sizeof t->init - 1);
    }
    if (good != GO_ON) {
        return good;
    }
    strcpy(t->init, c->name);
    status = bnd_run_new(&c->run, t, &e->context, &why);
    return status == BND_OK ? GO_ON : fail(o->common.command, "", status, &why);
}

/* The run of the checkpoint, on these data. Its weights are in the checkpoint: it needs no files to begin with. */
static int open_run(subject *c, const evaluate *e, const char *path)
{
    const training_options *o = &e->asked;
    bnd_training *t = &c->training;
    bnd_error why;
    if (OPTION_GIVEN(&o->common, training_options, changed.context)) {
        return complain(o->common.command, "--context can be used only with weights of Hugging Face");
    }
    bnd_status status = bnd_checkpoint_read(t, &c->step, path, &why);
    if (status != BND_OK) {
        return fail(e->asked.common.command, path, status, &why);
    }
    t->init[0] = t->order[0] = '\0';
    int good = training_data(t, o);
    if (good != GO_ON) {
        return good;
    }
    status = bnd_run_new(&c->run, t, &e->context, &why);
    if (status != BND_OK) {
        return fail(e->asked.common.command, "", status, &why);
    }
    status = bnd_run_load(c->run, path, &why);
    return status == BND_OK ? GO_ON : fail(e->asked.common.command, path, status, &why);
}

static void count_parameters(subject *c)
{
    for (size_t i = 0; i < bnd_run_parameters(c->run); i++) {
        const bnd_tensor *p = bnd_run_parameter(c->run, i, BND_ROLE_PARAM);
        c->parameters += bnd_tensor_count(p != NULL ? p : bnd_run_parameter(c->run, i, BND_ROLE_MASTER));
    }
}

/* ---- evaluating ---- */

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / (double)n;
}

/* The differences of batches; `losses` has them afterwards. */
static part compare(unsigned place, double *losses, const double *usual, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        losses[i] -= usual[i];
    }
    return (part){.place = place, .change = mean(losses, n), .band = bnd_interval(losses, n)};
}

/* The largest change first; a loss that is NaN is worse than any. */
static int by_change(const void *a, const void *b)
{
    const part *x = a, *y = b;
    if (isnan(x->change) || isnan(y->change)) {
        return isnan(y->change) - isnan(x->change);
    }
    return (x->change < y->change) - (x->change > y->change);
}

/* The interval, where there is one, lies above 0. */
static bool is_known_to_lose(const part *p)
{
    return isnan(p->change) || (isnan(p->band) ? p->change > 0 : p->change > p->band);
}

static int evaluate_parts(outcome *o, subject *c, const evaluate *e)
{
    const size_t places = bnd_run_places(c->run), n = (size_t)e->asked.batches;
    bnd_error why;
    if (e->asked.tensors == 0 || strcmp(o->recipe->name, "fp32") == 0) {
        return GO_ON;
    }
    o->parts = allocate(NULL, places, sizeof *o->parts);
    for (unsigned place = 1; place < places && !was_stopped(); place++) {
        bnd_status status = bnd_run_losses(c->losses, n, c->run, &o->recipe->policy, place, &why);
        if (status != BND_OK) {
            return fail(e->asked.common.command, o->recipe->name, status, &why);
        }
        o->parts[o->part_count++] = compare(place, c->losses, c->usual, n);
    }
    qsort(o->parts, o->part_count, sizeof *o->parts, by_change);
    size_t kept = 0;
    while (kept < o->part_count && kept < e->asked.tensors && is_known_to_lose(&o->parts[kept])) {
        kept++;
    }
    o->part_count = kept;
    return GO_ON;
}

static int evaluate_recipe(outcome *o, subject *c, const evaluate *e, const recipe *r)
{
    const size_t n = (size_t)e->asked.batches;
    bnd_error why;
    *o = (outcome){.recipe = r};
    bnd_status status = bnd_run_losses(c->losses, n, c->run, &r->policy, BND_PLACE_ALL, &why);
    if (status == BND_OK) {
        status = bnd_run_weight_bytes(&o->weight_bytes, c->run, &r->policy, &why);
    }
    if (status != BND_OK) {
        return fail(e->asked.common.command, r->name, status, &why);
    }
    if (strcmp(r->name, "fp32") == 0) {
        memcpy(c->usual, c->losses, n * sizeof *c->usual);
    }
    o->loss = mean(c->losses, n);
    o->all = compare(BND_PLACE_ALL, c->losses, c->usual, n);
    return evaluate_parts(o, c, e);
}

static int evaluate_all(subject *c, const evaluate *e)
{
    const recipe_list *recipes = &e->asked.recipes;
    int status = GO_ON;
    c->outcomes = allocate(NULL, recipes->count, sizeof *c->outcomes);
    memset(c->outcomes, 0, recipes->count * sizeof *c->outcomes);
    c->usual = allocate(NULL, (size_t)e->asked.batches, sizeof *c->usual);
    c->losses = allocate(NULL, (size_t)e->asked.batches, sizeof *c->losses);
    for (size_t i = 0; status == GO_ON && i < recipes->count; i++) {
        status = was_stopped() ? BAD_STREAM : evaluate_recipe(&c->outcomes[i], c, e, &recipes->items[i]);
    }
    return status;
}

static void clear_subject(subject *c, const evaluate *e)
{
    for (size_t i = 0; c->outcomes != NULL && i < e->asked.recipes.count; i++) {
        free(c->outcomes[i].parts);
    }
    free(c->outcomes);
    free(c->usual);
    free(c->losses);
    bnd_run_free(c->run);
}

static int evaluate_each(evaluate *e)
{
    const settings *s = &e->asked.common;
    evaluate_output out;
    int status = GO_ON;
    output_begin(&out, e);
    for (size_t i = 0; status == GO_ON && i < s->operand_count; i++) {
        subject c = {.name = s->operands[i]};
        char *path = file_of(s->operands[i]);
        char *config = config_of(s->operands[i], e);
        status = config != NULL ? open_weights(&c, e, config) : open_run(&c, e, path);
        free(config);
        if (status == GO_ON) {
            count_parameters(&c);
            status = evaluate_all(&c, e);
        }
        if (status == GO_ON) {
            output_add(&out, &c, i + 1 == s->operand_count);
        }
        clear_subject(&c, e);
        free(path);
    }
    output_end(&out, status == GO_ON);
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    evaluate e;
    bnd_error why;
    training_begin(&e.asked);
    int status = read_arguments(&e.asked, self, argc, argv);
    status = status == GO_ON ? choose(&e) : status;
    if (status == GO_ON &&
        bnd_context_init(&e.context, NULL, e.asked.common.threads > 0 ? e.asked.common.threads : 1, &why) != BND_OK) {
        status = complain(self, "%s", why.message);
    }
    status = status == GO_ON ? evaluate_each(&e) : status;
    training_clear(&e.asked);
    return status == GO_ON ? FINE : status;
}

static const command_example examples[] = {
    {"trained weights under three recipes", "binade evaluate runs/fp32-0 --recipe mxfp8,nvfp4,mxfp4 --batches 2"},
    {"the weights of two runs under one recipe",
     "binade evaluate runs/fp32-0 runs/bf16-amp-0 --recipe mxfp8 --batches 2"},
    {"a row per recipe, as CSV", "binade evaluate runs/fp32-0 --recipe bf16-amp --batches 2 --csv"},
    {NULL, NULL},
};

const command command_evaluate = {
    .name = "evaluate",
    .summary = "measure trained weights in each recipe, without training",
    .group = GROUP_TRAIN,
    .operands = "CHECKPOINT...",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about = "Measures the loss of trained weights in each recipe, without training (post-training quantization), and "
             "names the tensors that increase the loss most. A CHECKPOINT is the checkpoint.safetensors that binade "
             "train --out "
             "wrote, the directory of a run, or a folder with GPT-2's or Llama's weights and their config.json, as "
             "Hugging Face has them.",
    .options = training_rows,
    .bit = EVALUATE,
    .examples = examples,
    .environment = READS_COLUMNS | READS_BACKEND | READS_THREADS,
    .see_also = "train compare cost",
    .run = run,
};
