/* binade evaluate: the loss of trained weights under each recipe, without training, and the tensors that lose most. */
#include "common/process.h"
#include "train/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char usual_recipes[] = "bf16-amp,fp8-current,mxfp8,nvfp4,mxfp4";

/* A recipe at one place of the model, or everywhere. */
typedef struct part {
    unsigned place;
    double change, band; /* of the loss, compared with fp32 on the same batches */
} part;

typedef struct outcome {
    const recipe *recipe;
    double loss;
    part all;
    part *parts; /* those that lose most, the worst first */
    size_t part_count;
    uint64_t weight_bytes;
} outcome;

typedef struct evaluate {
    training_options asked;
    bnd_context context;
} evaluate;

/* One checkpoint. */
typedef struct subject {
    const char *name;
    bnd_run *run;
    bnd_training training;
    uint64_t step, parameters;
    outcome *outcomes;
    double *usual, *losses; /* of each batch, in fp32 and now */
} subject;

/* ---- what is asked for ---- */

static int choose(evaluate *e)
{
    const settings *s = &e->asked.common;
    int status = GO_ON;
    if (s->operand_count == 0) {
        return complain(s->command, "a checkpoint is missing: checkpoint.safetensors of a run, or its directory");
    }
    if (e->asked.recipes.count == 0) {
        status = training_add_recipes(&e->asked, usual_recipes);
    }
    if (status == GO_ON) {
        training_put_reference_first(&e->asked);
    }
    return status;
}

static int fail(const evaluate *e, const char *where, bnd_status status, const bnd_error *why)
{
    complain(e->asked.common.command, "%s%s%s", where, where[0] != '\0' ? ": " : "", why->message);
    return status == BND_BAD_STREAM || status == BND_NO_MEMORY ? BAD_STREAM : BAD_USAGE;
}

/* ---- the weights ---- */

static char *file_of(const char *operand)
{
    struct stat about;
    bool directory = stat(operand, &about) == 0 && S_ISDIR(about.st_mode);
    return directory ? path_text(operand, "checkpoint.safetensors") : copy_text(operand);
}

/* The run of the checkpoint, on these data. Its weights are in the checkpoint: it needs no files to begin with. */
static int open_run(subject *c, const evaluate *e, const char *path)
{
    const training_options *o = &e->asked;
    bnd_training *t = &c->training;
    bnd_error why;
    bnd_status status = bnd_checkpoint_read(t, &c->step, path, &why);
    if (status != BND_OK) {
        return fail(e, path, status, &why);
    }
    t->init[0] = t->order[0] = '\0';
    int good = training_data(t, o);
    if (good != GO_ON) {
        return good;
    }
    status = bnd_run_new(&c->run, t, &e->context, &why);
    if (status != BND_OK) {
        return fail(e, "", status, &why);
    }
    status = bnd_run_load(c->run, path, &why);
    return status == BND_OK ? GO_ON : fail(e, path, status, &why);
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
            return fail(e, o->recipe->name, status, &why);
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
    bnd_status status = bnd_run_losses(c->losses, n, c->run, &r->policy, BND_EVERYWHERE, &why);
    if (status == BND_OK) {
        status = bnd_run_weight_bytes(&o->weight_bytes, c->run, &r->policy, &why);
    }
    if (status != BND_OK) {
        return fail(e, r->name, status, &why);
    }
    if (strcmp(r->name, "fp32") == 0) {
        memcpy(c->usual, c->losses, n * sizeof *c->usual);
    }
    o->loss = mean(c->losses, n);
    o->all = compare(BND_EVERYWHERE, c->losses, c->usual, n);
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

/* ---- what came out ---- */

/* The loss of a language model is the logarithm of its perplexity. */
static bool has_perplexity(const subject *c)
{
    return c->training.vocabulary > 0 || c->training.data[0] != '\0' || c->training.context > 0;
}

static char *relative_text(double change, double loss)
{
    const double percent = 100 * change / loss;
    return change == 0 || !(loss > 0) || isnan(change) ? copy_text("-")
           : fabs(percent) < 0.005                     ? copy_text("<0.01 %")
                                                       : format_text("%+.2f %%", percent);
}

static char *change_text(const part *p, bool reference)
{
    return reference ? copy_text("-") : interval_text(p->change, p->band, true);
}

static void print_recipes(const subject *c, const evaluate *e)
{
    static const column columns[] = {
        {"recipe", "recipe", false, false, false, false, 0},
        {"loss", "loss", true, true, false, false, 0},
        {"change", "change", true, false, false, false, 0},
        {"relative", "relative", true, false, false, false, 0},
        {"perplexity", "perplexity", true, false, false, false, 0},
        {"weights", "weights", true, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    const outcome *first = &c->outcomes[0];
    for (size_t i = 0; i < e->asked.recipes.count; i++) {
        const outcome *o = &c->outcomes[i];
        table_add(&t, copy_text(o->recipe->name));
        table_add(&t, loss_text(o->loss));
        table_add(&t, change_text(&o->all, i == 0));
        table_add(&t, relative_text(o->all.change, first->loss));
        table_add(&t, has_perplexity(c) ? format_text("%.4g", exp(o->loss)) : copy_text("-"));
        table_add(&t, format_text("%.2fx", (double)o->weight_bytes / (double)first->weight_bytes));
    }
    table_end(&t);
}

static void print_parts(const subject *c, const evaluate *e)
{
    static const column columns[] = {
        {"recipe", "recipe", false, false, false, false, 0},
        {"tensors", "loses most at", false, false, false, false, 0},
        {"change", "change", true, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    if (e->asked.tensors == 0 || e->asked.recipes.count == 1) {
        return;
    }
    putchar('\n');
    for (size_t i = 0; i < e->asked.recipes.count; i++) {
        const outcome *o = &c->outcomes[i];
        for (size_t k = 0; k < o->part_count; k++) {
            table_add(&t, copy_text(k == 0 ? o->recipe->name : ""));
            table_add(&t, copy_text(bnd_run_place_name(c->run, o->parts[k].place)));
            table_add(&t, change_text(&o->parts[k], false));
        }
        if (i > 0 && o->part_count == 0) {
            table_add(&t, copy_text(o->recipe->name));
            table_add(&t, copy_text("none"));
            table_add(&t, copy_text("-"));
        }
    }
    table_end(&t);
}

static void print_heading(const subject *c, const evaluate *e)
{
    const char *data = c->training.data[0] != '\0' ? c->training.data : "drawn data";
    char *text = format_text("%s: %s of %llu parameters, %llu steps of %s; %llu validation batch%s of %s", c->name,
                             c->training.model, (unsigned long long)c->parameters, (unsigned long long)c->step,
                             c->training.policy.name, (unsigned long long)e->asked.batches,
                             e->asked.batches == 1 ? "" : "es", data);
    const size_t size = 4 * strlen(text) + 1;
    char *plain = memcpy(allocate(NULL, size, 1), text, strlen(text) + 1);
    make_plain_text(plain, size);
    printf("%s\n\n", plain);
    free(plain);
    free(text);
}

static void print_legend(const subject *c, const evaluate *e)
{
    const char *sign = writes_utf8() ? "±" : "+/-";
    printf("\nloss        of the same weights, on data that no step saw: the mean over the batches\n");
    printf("change      compared with fp32, batch by batch, %s half its 95 %% interval\n", sign);
    if (has_perplexity(c)) {
        printf("perplexity  exp(loss)\n");
    }
    printf("weights     memory, compared with fp32: a matrix that is multiplied takes what\n"
           "            gemm_fwd.w takes with its scales, if that is less than param\n");
    if (e->asked.tensors > 0 && e->asked.recipes.count > 1) {
        printf("loses most  the recipe holds for these tensors and what is computed with them,\n"
               "            up to the next ones; everything else is fp32; none: no change is\n"
               "            above its interval\n");
    }
}

static void json_part(bnd_lab_json *json, const part *p)
{
    json_owned_literal(json, "change", double_text(p->change));
    json_owned_literal(json, "band", double_text(p->band));
}

static void json_subject(bnd_lab_json *json, const subject *c, const evaluate *e)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "checkpoint", c->name);
    bnd_lab_json_string(json, "model", c->training.model);
    bnd_lab_json_string(json, "trained_with", c->training.policy.name);
    bnd_lab_json_unsigned(json, "steps", c->step);
    bnd_lab_json_unsigned(json, "parameters", c->parameters);
    bnd_lab_json_string(json, "data", c->training.data);
    bnd_lab_json_unsigned(json, "batches", e->asked.batches);
    bnd_lab_json_array(json, "recipes");
    for (size_t i = 0; i < e->asked.recipes.count; i++) {
        const outcome *o = &c->outcomes[i];
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "recipe", o->recipe->name);
        json_owned_literal(json, "loss", double_text(o->loss));
        json_part(json, &o->all);
        json_owned_literal(json, "perplexity", has_perplexity(c) ? double_text(exp(o->loss)) : copy_text("null"));
        bnd_lab_json_unsigned(json, "weight_bytes", o->weight_bytes);
        bnd_lab_json_array(json, "tensors");
        for (size_t k = 0; k < o->part_count; k++) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "tensors", bnd_run_place_name(c->run, o->parts[k].place));
            json_part(json, &o->parts[k]);
            bnd_lab_json_end(json);
        }
        bnd_lab_json_end(json);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

/* A row per recipe, then one for each of the tensors that lose most. */
static void add_csv(table *t, const subject *c, const evaluate *e)
{
    for (size_t i = 0; i < e->asked.recipes.count; i++) {
        const outcome *o = &c->outcomes[i];
        for (size_t k = 0; k <= o->part_count; k++) {
            const part *p = k == 0 ? &o->all : &o->parts[k - 1];
            table_add(t, copy_text(c->name));
            table_add(t, copy_text(o->recipe->name));
            table_add(t, copy_text(k == 0 ? "" : bnd_run_place_name(c->run, p->place)));
            table_add(t, double_text(k == 0 ? o->loss : c->outcomes[0].loss + p->change));
            table_add(t, double_text(p->change));
            table_add(t, isnan(p->band) ? copy_text("") : double_text(p->band));
            table_add(t, k == 0 ? format_text("%llu", (unsigned long long)o->weight_bytes) : copy_text(""));
        }
    }
}

static const column csv_columns[] = {
    {"checkpoint", "", false, false, false, false, 0}, {"recipe", "", false, false, false, false, 0},
    {"tensors", "", false, false, false, false, 0},    {"loss", "", true, true, false, false, 0},
    {"change", "", true, true, false, false, 0},       {"band", "", true, true, false, false, 0},
    {"weight_bytes", "", true, true, false, false, 0},
};

/* Each checkpoint is printed when it is done, so that one that fails takes nothing away from those before it. */
static int evaluate_each(evaluate *e)
{
    const settings *s = &e->asked.common;
    table csv = {
        .columns = csv_columns, .column_count = sizeof csv_columns / sizeof csv_columns[0], .output = OUTPUT_CSV};
    bnd_lab_json json;
    int status = GO_ON;
    if (s->output == OUTPUT_JSON) {
        json_begin(&json);
        bnd_lab_json_object(&json, NULL);
        bnd_lab_json_array(&json, "checkpoints");
    }
    for (size_t i = 0; status == GO_ON && i < s->operand_count; i++) {
        subject c = {.name = s->operands[i]};
        char *path = file_of(s->operands[i]);
        status = open_run(&c, e, path);
        if (status == GO_ON) {
            count_parameters(&c);
            status = evaluate_all(&c, e);
        }
        if (status == GO_ON && s->output == OUTPUT_JSON) {
            json_subject(&json, &c, e);
        } else if (status == GO_ON && s->output == OUTPUT_CSV) {
            add_csv(&csv, &c, e);
        } else if (status == GO_ON) {
            print_heading(&c, e);
            print_recipes(&c, e);
            print_parts(&c, e);
            if (i + 1 == s->operand_count) {
                print_legend(&c, e);
            } else {
                putchar('\n');
            }
        }
        clear_subject(&c, e);
        free(path);
    }
    if (s->output == OUTPUT_JSON && status == GO_ON) {
        bnd_lab_json_end(&json);
        bnd_lab_json_end(&json);
        json_line_end();
    }
    if (s->output == OUTPUT_CSV && status == GO_ON) {
        table_end(&csv);
    } else {
        table_forget(&csv);
    }
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
        bnd_context_open(&e.context, NULL, e.asked.common.threads > 0 ? e.asked.common.threads : 1, &why) != BND_OK) {
        status = complain(self, "%s", why.message);
    }
    status = status == GO_ON ? evaluate_each(&e) : status;
    training_clear(&e.asked);
    return status == GO_ON ? FINE : status;
}

const command command_evaluate = {
    .name = "evaluate",
    .summary = "trained weights under each recipe, without training",
    .operands = "CHECKPOINT...",
    .first = COMPLETES_FILES,
    .others = COMPLETES_FILES,
    .about = "Measures the loss of trained weights under each recipe, without training (post-training quantization), "
             "and names the tensors that lose most. A CHECKPOINT is the checkpoint.safetensors that binade train "
             "--out wrote, or the directory of a run.",
    .options = training_rows,
    .bit = EVALUATE,
    .example = "binade evaluate runs/fp32-0 --recipe mxfp8,nvfp4,mxfp4",
    .run = run,
};
