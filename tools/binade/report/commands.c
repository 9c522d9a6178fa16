/* The commands that make the runs of a report again: from the configurations of the runs, what differs from the
 * defaults. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a command line ---- */

/* Adds a word as a shell reads it; frees both. */
static char *with_word(char *line, char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,=:+@%-";
    char *more;
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        more = format_text("%s %s", line, word);
    } else {
        char *quoted = copy_text("");
        for (const char *at = word; *at != '\0'; at++) {
            char *longer = *at == '\'' ? format_text("%s'\\''", quoted) : format_text("%s%c", quoted, *at);
            free(quoted);
            quoted = longer;
        }
        more = format_text("%s '%s'", line, quoted);
        free(quoted);
    }
    free(line);
    free(word);
    return more;
}

static char *with_option(char *line, const char *name, char *value)
{
    return with_word(with_word(line, format_text("--%s", name)), value);
}

static char *with_text(char *line, const char *name, const char *value, const char *usual)
{
    return strcmp(value, usual) != 0 ? with_option(line, name, copy_text(value)) : line;
}

/* ---- options of a training ---- */

static char *number_text(const option_row *row, const char *at)
{
    double x;
    uint64_t n;
    size_t size;
    switch (row->kind) {
    case OPTION_WHOLE:
        memcpy(&n, at, sizeof n);
        return format_text("%llu", (unsigned long long)n);
    case OPTION_SIZE:
        memcpy(&size, at, sizeof size);
        return format_text("%zu", size);
    case OPTION_REAL:
    case OPTION_POSITIVE:
        memcpy(&x, at, sizeof x);
        return double_text(x);
    default:
        return NULL;
    }
}

static bool is_seed(const option_row *row)
{
    return strncmp(row->name, "seed", 4) == 0;
}

/* Options whose value is a member of a training, where it is not the usual one. Seeds and rates are added apart. */
static char *with_numbers(char *line, const command *of, const bnd_training *t, const bnd_training *usual, bool rate)
{
    const size_t first = offsetof(training_options, changed), end = first + sizeof(bnd_training);
    const option_row *row;
    for (size_t i = 0; (row = option_at(of, i)) != NULL; i++) {
        size_t size = option_size(row), at = row->target - first;
        bool skip = row->target < first || row->target >= end || size == 0 || is_seed(row) ||
                    (!rate && strcmp(row->name, "lr") == 0);
        if (skip || memcmp((const char *)t + at, (const char *)usual + at, size) == 0) {
            continue;
        }
        char *value = number_text(row, (const char *)t + at);
        line = value != NULL ? with_option(line, row->name, value) : with_word(line, format_text("--%s", row->name));
    }
    if (t->beta1 != usual->beta1 || t->beta2 != usual->beta2) {
        char *a = double_text(t->beta1), *b = double_text(t->beta2);
        line = with_option(line, "betas", format_text("%s,%s", a, b));
        free(a);
        free(b);
    }
    return line;
}

/* An option that a command has cannot be taken back: gpt2 is tied, unless --config says otherwise. */
static bool can_be_said(const bnd_training *t, const bnd_training *usual)
{
    return (t->tied || !usual->tied) && (t->recompute || !usual->recompute);
}

static char *with_blocks(char *line, const bnd_training *t)
{
    char text[BND_TRANSFORMER_TEXT_SIZE];
    bnd_transformer_print(text, sizeof text, &t->blocks);
    return with_text(line, "blocks", text, "");
}

static char *with_files(char *line, const bnd_training *t, const bnd_training *usual)
{
    line = with_text(line, "schedule", t->schedule, usual->schedule);
    line = with_text(line, "data", t->data, "");
    line = with_text(line, "data-type", t->data_type, "");
    line = with_text(line, "tokenizer", t->tokenizer, "");
    line = t->data[0] == '\0' ? with_text(line, "source", t->source, usual->source) : line;
    line = with_text(line, "init", t->init, "");
    return with_text(line, "order", t->order, "");
}

/* ---- groups: runs that one command makes ---- */

typedef struct group {
    const train_result *r;
    bnd_task *tasks; /* of each record; */
    bool *known;     /* where its configuration is */
    bool *done;
} group;

/* One command has one --switch. */
static bool same_switch(const bnd_task *a, const bnd_task *b)
{
    return !a->switches || !b->switches ||
           (a->switch_at == b->switch_at && bnd_policy_same(&a->switch_to, &b->switch_to));
}

/* The same training, as one command makes it. */
static bool belongs(const group *g, size_t a, size_t b, bool sweep)
{
    return same_training(&g->tasks[a], &g->tasks[b], sweep) &&
           g->tasks[a].validate_every == g->tasks[b].validate_every &&
           g->tasks[a].statistics == g->tasks[b].statistics && g->tasks[a].places == g->tasks[b].places;
}

static bool is_fp32(const group *g, size_t i)
{
    char text[BND_POLICY_TEXT_SIZE];
    return bnd_policy_text(text, sizeof text, &g->tasks[i].training.policy, NULL) == BND_OK &&
           strcmp(text, "fp32") == 0;
}

/* Is something switched, and fp32 not? It is if it is named; otherwise it is added as the reference. */
static bool leaves_fp32_out(const group *g, const bool *in)
{
    bool switched = false, fp32_too = false;
    for (size_t i = 0; i < g->r->count; i++) {
        switched = switched || (in[i] && g->tasks[i].switches);
        fp32_too = fp32_too || (in[i] && g->tasks[i].switches && is_fp32(g, i));
    }
    return switched && !fp32_too;
}

/* A recipe as a command names it: in the words of the run, `length` of them, or of its file, where they are the same
 * recipe; otherwise all that it sets. NULL: it cannot be said. */
static char *recipe_text(const bnd_policy *policy, const char *words, size_t length)
{
    char text[BND_POLICY_TEXT_SIZE], name[BND_RECORD_NAME_SIZE];
    bnd_policy same;
    if (bnd_recipe_choose_n(&same, name, words, length, NULL) == BND_OK && bnd_policy_same(&same, policy)) {
        return format_text("%.*s", (int)length, words);
    }
    length = strlen(policy->written);
    if (bnd_recipe_choose_n(&same, name, policy->written, length, NULL) == BND_OK && bnd_policy_same(&same, policy)) {
        return copy_text(policy->written);
    }
    return bnd_policy_text(text, sizeof text, policy, NULL) == BND_OK ? copy_text(text) : NULL;
}

/* Where the words of a run's first recipe end; behind it stands what --switch was given. */
static size_t before_switch(const char *words)
{
    return strcspn(words, ">");
}

/* One option for each recipe: settings have commas in them. Without what is there already. */
static char *with_recipes(char *line, const group *g, const bool *in)
{
    char **seen = allocate(NULL, g->r->count + 1, sizeof *seen);
    const bool without_fp32 = leaves_fp32_out(g, in);
    size_t count = 0;
    for (size_t row = 0; row < g->r->row_count; row++) { /* the reference comes first */
        for (size_t i = (size_t)(g->r->rows[row].records - g->r->records), n = 0; n < g->r->rows[row].count; i++, n++) {
            const char *words = g->r->records[i].recipe;
            char *text = !in[i] || (without_fp32 && is_fp32(g, i))
                             ? NULL
                             : recipe_text(&g->tasks[i].training.policy, words, before_switch(words));
            bool known = text == NULL;
            for (size_t k = 0; !known && k < count; k++) {
                known = strcmp(seen[k], text) == 0;
            }
            if (known) {
                free(text);
            } else {
                seen[count++] = text;
            }
        }
    }
    char *names = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strpbrk(seen[i], "=,") != NULL) {
            line = with_option(line, "recipe", copy_text(seen[i]));
        } else {
            char *longer = names != NULL ? format_text("%s,%s", names, seen[i]) : copy_text(seen[i]);
            free(names);
            names = longer;
        }
        free(seen[i]);
    }
    free(seen);
    return names != NULL ? with_option(line, "recipe", names) : line;
}

/* fp32 is run whether or not it is named: where it was not, the command says so. */
static char *with_no_reference(char *line, const group *g, const bool *in)
{
    for (size_t i = 0; i < g->r->count; i++) {
        if (in[i] && is_fp32(g, i)) {
            return line;
        }
    }
    return with_word(line, copy_text("--no-reference"));
}

static char *with_switch(char *line, const group *g, const bool *in)
{
    for (size_t i = 0; i < g->r->count; i++) {
        const bnd_task *t = &g->tasks[i];
        const char *words = g->r->records[i].recipe, *to = words + before_switch(words);
        to += *to == '>';
        char *text = in[i] && t->switches ? recipe_text(&t->switch_to, to, strcspn(to, "@")) : NULL;
        if (text != NULL) {
            line = with_option(line, "switch", format_text("%s@%llu", text, (unsigned long long)t->switch_at));
            free(text);
            return line;
        }
    }
    return line;
}

static int by_size(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static char *with_rates(char *line, const group *g, const bool *in)
{
    double *rates = allocate(NULL, g->r->count + 1, sizeof *rates);
    size_t count = 0;
    char *text = NULL;
    for (size_t i = 0; i < g->r->count; i++) {
        rates[count] = g->tasks[i].training.lr;
        count += in[i];
    }
    qsort(rates, count, sizeof *rates, by_size);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || rates[i] != rates[i - 1]) {
            char *one = double_text(rates[i]),
                 *longer = text != NULL ? format_text("%s,%s", text, one) : copy_text(one);
            free(one);
            free(text);
            text = longer;
        }
    }
    free(rates);
    return text != NULL ? with_option(line, "lr", text) : line;
}

/* The first pair of seeds, and how many there are. */
static char *with_seeds(char *line, const group *g, const bool *in)
{
    bnd_training first = {.steps = 0};
    uint64_t last = 0;
    bool any = false;
    for (size_t i = 0; i < g->r->count; i++) {
        const bnd_training *t = &g->tasks[i].training;
        if (in[i]) {
            first = !any || t->seed_init < first.seed_init ? *t : first;
            last = !any || t->seed_init > last ? t->seed_init : last;
            any = true;
        }
    }
    const struct {
        const char *name;
        uint64_t value;
    } seeds[] = {
        {"seed-init", first.seed_init}, {"seed-data", first.seed_data}, {"seed-rounding", first.seed_rounding}};
    if (last > first.seed_init) {
        line = with_option(line, "seeds", format_text("%llu", (unsigned long long)(last - first.seed_init + 1)));
    }
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        if (seeds[i].value != 0) {
            line = with_option(line, seeds[i].name, format_text("%llu", (unsigned long long)seeds[i].value));
        }
    }
    return line;
}

/* The directory above those of all runs, or that of a single run; NULL: they have none in common. */
static char *common_directory(const group *g, const bool *in)
{
    char *common = NULL;
    size_t count = 0;
    for (size_t i = 0; i < g->r->count; i++) {
        count += in[i];
    }
    for (size_t i = 0; i < g->r->count; i++) {
        const char *source = g->r->records[i].source, *slash = source != NULL ? strrchr(source, '/') : NULL;
        if (!in[i]) {
            continue;
        }
        size_t length = source == NULL ? 0 : count == 1 ? strlen(source) : slash != NULL ? (size_t)(slash - source) : 0;
        bool other =
            length == 0 || (common != NULL && (strlen(common) != length || strncmp(common, source, length) != 0));
        if (other) {
            free(common);
            return NULL;
        }
        common = common != NULL ? common : format_text("%.*s", (int)length, source);
    }
    return common;
}

static char *line_of(const group *g, size_t first, const bool *in, bool sweep)
{
    const bnd_task *task = &g->tasks[first];
    const bnd_training *t = &task->training;
    bnd_training usual, plain;
    if (bnd_training_default(&usual, t->model, t->optimizer, "fp32", NULL) != BND_OK ||
        bnd_training_default(&plain, "transformer", "adamw", "fp32", NULL) != BND_OK || !can_be_said(t, &usual)) {
        return NULL;
    }
    const command *of = find_command(sweep ? "sweep" : "train");
    char *line = copy_text(sweep ? "binade sweep" : "binade train");
    line = with_text(line, "model", t->model, plain.model);
    line = with_text(line, "optimizer", t->optimizer, plain.optimizer);
    line = with_recipes(line, g, in);
    line = sweep ? line : with_switch(with_no_reference(line, g, in), g, in);
    line = sweep ? with_rates(line, g, in) : line;
    line = with_numbers(line, of, t, &usual, !sweep);
    line = with_files(with_blocks(line, t), t, &usual);
    line = with_seeds(line, g, in);
    if (!sweep && task->validate_every > 0) {
        line = with_option(line, "validate", format_text("%llu", (unsigned long long)task->validate_every));
    }
    if (!task->statistics || task->places) {
        line = with_option(line, "statistics", copy_text(task->places ? "places" : "none"));
    }
    bool autopsied = false;
    for (size_t i = 0; i < g->r->count; i++) {
        autopsied = autopsied || (in[i] && g->r->records[i].autopsy != NULL);
    }
    line = autopsied ? with_word(line, copy_text("--autopsy")) : line;
    char *out = common_directory(g, in);
    return out != NULL ? with_option(line, "out", out) : line;
}

/* The options by which runs and logs were read and judged. */
static char *with_reading(char *line, const train_result *r)
{
    if (r->margin != BND_COMPARISON_MARGIN) {
        char *margin = double_text(100 * r->margin);
        line = with_text(line, "margin", margin, "");
        free(margin);
    }
    line = with_text(line, "step-column", r->columns.step != NULL ? r->columns.step : "", "");
    return with_text(line, "loss-column", r->columns.loss != NULL ? r->columns.loss : "", "");
}

static void json_line(bnd_lab_json *json, const char *what, char *line)
{
    if (line != NULL) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "what", what);
        bnd_lab_json_string(json, "line", line);
        bnd_lab_json_end(json);
    }
    free(line);
}

static void json_groups(bnd_lab_json *json, group *g)
{
    bool sweep = is_sweep(g->r), *in = allocate(NULL, g->r->count + 1, sizeof *in);
    for (size_t i = 0; i < g->r->count; i++) {
        if (!g->known[i] || g->done[i]) {
            continue;
        }
        const bnd_task *switched = &g->tasks[i]; /* the first that is, if any */
        for (size_t k = 0; k < g->r->count; k++) {
            in[k] = g->known[k] && !g->done[k] && belongs(g, i, k, sweep) && same_switch(switched, &g->tasks[k]);
            switched = in[k] && !switched->switches ? &g->tasks[k] : switched;
            g->done[k] = g->done[k] || in[k];
        }
        json_line(json, "make the runs", line_of(g, i, in, sweep));
    }
    free(in);
}

void json_commands(bnd_lab_json *json, const train_result *r, char *const *words, size_t word_count)
{
    group g = {.r = r};
    g.tasks = allocate(NULL, r->count + 1, sizeof *g.tasks);
    g.known = allocate(NULL, r->count + 1, sizeof *g.known);
    g.done = allocate(NULL, r->count + 1, sizeof *g.done);
    for (size_t i = 0; i < r->count; i++) {
        g.known[i] = task_of(&g.tasks[i], &r->records[i]);
        g.done[i] = false;
    }
    bnd_lab_json_array(json, "commands");
    json_groups(json, &g);
    char *names = copy_text("");
    for (size_t i = 0; i < word_count; i++) {
        names = with_word(names, copy_text(words[i]));
    }
    if (word_count > 0) {
        names = with_reading(names, r);
        json_line(json, "compare them", format_text("binade compare%s", names));
        json_line(json, "make this report", format_text("binade report%s -o report.html", names));
    }
    free(names);
    bnd_lab_json_end(json);
    free(g.done);
    free(g.known);
    free(g.tasks);
}
