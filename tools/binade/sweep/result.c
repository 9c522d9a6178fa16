/* The result of a sweep: the losses by recipe and learning rate, and per recipe the best rate compared with fp32. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *count_text(size_t part, size_t whole)
{
    return format_text("%zu of %zu", part, whole);
}

/* ---- the text ---- */

/* Recipes down, learning rates across. */
static void print_matrix(const sweep_summary *all, size_t recipes)
{
    size_t rates = all[0].rate_count;
    column *columns = allocate(NULL, rates + 1, sizeof *columns);
    char **headings = allocate(NULL, rates, sizeof *headings);
    columns[0] = (column){.heading = "recipe"};
    for (size_t k = 0; k < rates; k++) {
        headings[k] = format_text("lr %g", all[0].rates[k].lr);
        columns[k + 1] = (column){.heading = headings[k], .number = true};
    }
    table t = {.columns = columns, .column_count = rates + 1, .output = OUTPUT_TEXT};
    for (size_t i = 0; i < recipes; i++) {
        table_add(&t, copy_text(all[i].recipe));
        for (size_t k = 0; k < rates; k++) {
            table_add(&t, sweep_cell_text(&all[i], k));
        }
    }
    printf("Loss%s; * is the best learning rate of a recipe.\n",
           all[0].rates[0].runs > 1 ? ", mean of the seed pairs" : "");
    table_end(&t);
    for (size_t k = 0; k < rates; k++) {
        free(headings[k]);
    }
    free(headings);
    free(columns);
}

static void print_points(const sweep_summary *all, size_t recipes, enum output output)
{
    static const column columns[] = {
        {"recipe", "recipe", false, false, false, false, 0}, {"lr", "lr", true, true, false, false, 0},
        {"runs", "runs", true, true, false, true, 0},        {"loss", "", true, true, false, true, 0},
        {"interval", "", true, true, false, true, 0},        {NULL, "loss", true, false, false, false, 0},
        {"capped_loss", "", true, true, false, true, 0},     {"failed", "", true, true, false, true, 0},
        {NULL, "failed", true, false, false, false, 0},      {"best", "", false, true, false, true, 0},
        {NULL, "best", false, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = output};
    for (size_t i = 0; i < recipes; i++) {
        for (size_t k = 0; k < all[i].rate_count; k++) {
            const bnd_rate *rate = &all[i].rates[k];
            double loss = rate->loss, interval = sweep_interval_of(rate);
            bool best = k == all[i].best && sweep_has_learned(&all[i]);
            table_add(&t, copy_text(all[i].recipe));
            table_add(&t, format_text("%g", rate->lr));
            table_add(&t, format_text("%zu", rate->runs));
            table_add(&t, isnan(loss) ? copy_text("") : double_text(loss));
            table_add(&t, isnan(interval) ? copy_text("") : double_text(interval));
            table_add(&t, sweep_loss_text(&all[i], rate));
            table_add(&t, double_text(rate->result));
            table_add(&t, format_text("%zu", rate->failed));
            table_add(&t, count_text(rate->failed, rate->runs));
            table_add(&t, copy_text(best ? "true" : "false"));
            table_add(&t, copy_text(best ? "yes" : "-"));
        }
    }
    table_end(&t);
}

static void say(const char *word, char *owned)
{
    enum { INDENT = 16 };
    printf("%s%*s", word, INDENT - (int)text_width(word), "");
    fill_text(owned, INDENT, INDENT);
    free(owned);
}

static bool has_failures(const sweep_summary *all, size_t recipes)
{
    for (size_t i = 0; i < recipes; i++) {
        if (all[i].failed > 0) {
            return true;
        }
    }
    return false;
}

static bool has_comparisons(const sweep_summary *all, size_t recipes)
{
    for (size_t i = 0; i < recipes; i++) {
        if (all[i].compared) {
            return true;
        }
    }
    return false;
}

/* Why there is no verdict, as the library says it. */
static void explain_missing_reference(const sweep_summary *all, size_t recipes)
{
    for (size_t i = 0; i < recipes; i++) {
        if (strcmp(all[i].recipe, "fp32") == 0) {
            return;
        }
    }
    const size_t length = bnd_sweep_print_line(NULL, 0, all, recipes, 0);
    char *text = allocate(NULL, length + 1, 1);
    bnd_sweep_print_line(text, length + 1, all, recipes, 0);
    putchar('\n');
    fill_text(text, 0, 0);
    free(text);
}

static void explain_sweep(const sweep_summary *all, const sweep_result *r)
{
    size_t recipes = r->recipes->count;
    explain_missing_reference(all, recipes);
    putchar('\n');
    if (all[0].rates[0].runs > 1) {
        say(writes_utf8() ? "±" : "+/-", copy_text("half the 95 % interval"));
    }
    if (has_failures(all, recipes)) {
        say("failed", copy_text("runs that ended in NaN or at chance level (chance); they have no loss"));
    }
    if (has_comparisons(all, recipes)) {
        say("verdict", format_text("the interval of the gap at the best rates, compared with the tolerance: %g %% of "
                                   "fp32's loss above the irreducible loss, or of a fifth of the loss if that is not "
                                   "known; not corrected for the number of recipes",
                                   100 * r->margin));
    }
    if (r->details) {
        say("lr sensitivity",
            copy_text("mean loss over the learning rates, failed runs at chance level, minus the best "
                      "loss (Wortsman et al. 2023)"));
    }
}

void sweep_cells(char *cells[SWEEP_CELLS], const sweep_summary *m)
{
    const bnd_rate *best = &m->rates[m->best];
    const char *verdict = bnd_sweep_verdict(m);
    bool learned = sweep_has_learned(m);
    double loss = best->loss;
    cells[0] = copy_text(m->recipe);
    cells[1] = m->compared ? verdict_text(&m->is) : copy_text(verdict[0] != '\0' ? verdict : "-");
    cells[2] = learned ? format_text("%g", best->lr) : copy_text("-");
    cells[3] = isnan(loss) ? copy_text(sweep_failure_word(m, best)) : loss_text(loss);
    cells[4] = m->compared ? gap_text(&m->is) : copy_text("-");
    cells[5] = count_text(m->failed, m->count);
    cells[6] = learned ? loss_text(bnd_rates_sensitivity(m->rates, m->rate_count)) : copy_text("-");
}

static void print_summaries(const sweep_summary *all, const sweep_result *r)
{
    const column columns[] = {
        {"recipe", "recipe", false, false, false, false, 0},
        {"verdict", "verdict", false, false, false, false, 0},
        {"lr", "best lr", true, true, false, false, 0},
        {"loss", "loss", true, false, false, false, 0},
        {"gap", "gap to fp32", true, false, false, false, 0},
        {"failed", "failed", true, false, false, false, 0},
        {"sensitivity", "lr sensitivity", true, false, false, !r->details, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    for (size_t i = 0; i < r->recipes->count; i++) {
        char *cells[SWEEP_CELLS];
        sweep_cells(cells, &all[i]);
        for (size_t k = 0; k < SWEEP_CELLS; k++) {
            table_add(&t, cells[k]);
        }
    }
    table_end(&t);
    explain_sweep(all, r);
}

static void json_number(bnd_lab_json *json, const char *key, double x)
{
    json_owned_literal(json, key, double_text(x));
}

void json_sweep_summary(bnd_lab_json *json, const sweep_summary *m)
{
    bnd_lab_json_string(json, "recipe", m->recipe);
    json_number(json, "best_lr", sweep_has_learned(m) ? m->rates[m->best].lr : (double)NAN);
    json_number(json, "loss", m->rates[m->best].loss);
    json_number(json, "interval", sweep_interval_of(&m->rates[m->best]));
    if (bnd_sweep_verdict(m)[0] != '\0') {
        bnd_lab_json_string(json, "verdict", bnd_sweep_verdict(m));
        bnd_lab_json_string(json, "others", bnd_sweep_others(m));
    } else {
        bnd_lab_json_null(json, "verdict");
        bnd_lab_json_null(json, "others");
    }
    json_number(json, "gap", m->compared ? m->is.gap : (double)NAN);
    json_number(json, "gap_interval", m->compared ? m->is.interval : (double)NAN);
    bnd_lab_json_unsigned(json, "runs", m->count);
    bnd_lab_json_unsigned(json, "failed", m->failed);
    json_number(json, "lr_sensitivity",
                sweep_has_learned(m) ? bnd_rates_sensitivity(m->rates, m->rate_count) : (double)NAN);
    bnd_lab_json_array(json, "points");
    for (size_t k = 0; k < m->rate_count; k++) {
        bnd_lab_json_object(json, NULL);
        json_number(json, "lr", m->rates[k].lr);
        bnd_lab_json_unsigned(json, "runs", m->rates[k].runs);
        bnd_lab_json_unsigned(json, "failed", m->rates[k].failed);
        json_number(json, "loss", m->rates[k].loss);
        json_number(json, "interval", sweep_interval_of(&m->rates[k]));
        json_number(json, "capped_loss", m->rates[k].result);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void print_json(const sweep_result *r, const sweep_summary *all)
{
    const bnd_training *of = r->training;
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    bnd_lab_json_string(&json, "model", of->model);
    bnd_lab_json_string(&json, "optimizer", of->optimizer);
    bnd_lab_json_string(&json, "schedule", of->schedule);
    bnd_lab_json_unsigned(&json, "steps", of->steps);
    bnd_lab_json_unsigned(&json, "seeds", r->seeds);
    bnd_lab_json_array(&json, "recipes");
    for (size_t i = 0; i < r->recipes->count; i++) {
        bnd_lab_json_object(&json, NULL);
        json_sweep_summary(&json, &all[i]);
        bnd_lab_json_end(&json);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

void print_sweep(const sweep_result *r, enum output output)
{
    size_t recipes = r->recipes->count, each = r->count / recipes;
    sweep_summary *all = allocate(NULL, recipes, sizeof *all);
    for (size_t i = 0; i < recipes; i++) {
        all[i] = (sweep_summary){.recipe = r->recipes->items[i].name, .records = r->records + i * each, .count = each};
    }
    sweep_summarize(all, recipes, r->margin);
    if (output == OUTPUT_JSON) {
        print_json(r, all);
    } else if (output == OUTPUT_CSV) {
        print_points(all, recipes, output);
    } else {
        print_matrix(all, recipes);
        putchar('\n');
        if (r->details) {
            print_points(all, recipes, output);
            putchar('\n');
        }
        print_summaries(all, r);
    }
    bnd_sweep_close(all, recipes);
    free(all);
}
