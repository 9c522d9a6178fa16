/* The result of a sweep: the losses by recipe and learning rate, and per recipe the best rate compared with fp32. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A recipe's learning rates, and how its best one compares with that of fp32. */
typedef struct summary {
    const char *recipe;
    bnd_record *records;
    size_t count;
    bnd_rate *rates;
    size_t rate_count, best, failed;
    bool compared;
    bnd_comparison is;
} summary;

static bool has_best(const summary *m, const bnd_record *record)
{
    return record->lr == m->rates[m->best].lr;
}

/* The runs at the best learning rate side by side, for a comparison; how many. */
static size_t take_best(bnd_record *out, const summary *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (has_best(m, &m->records[i])) {
            out[n++] = m->records[i];
        }
    }
    return n;
}

static void compare_best(summary *m, const summary *reference, double margin)
{
    bnd_record *mine = allocate(NULL, m->count, sizeof *mine);
    bnd_record *theirs = allocate(NULL, reference->count, sizeof *theirs);
    size_t n = take_best(mine, m), k = take_best(theirs, reference);
    m->compared = m != reference && bnd_records_compare(&m->is, mine, n, theirs, k, margin, NULL) == BND_OK;
    free(mine);
    free(theirs);
}

static summary *summarize(const sweep_result *r)
{
    size_t recipes = r->recipes->count, each = r->count / recipes;
    summary *all = allocate(NULL, recipes, sizeof *all);
    const summary *reference = NULL;
    for (size_t i = 0; i < recipes; i++) {
        summary *m = &all[i];
        *m = (summary){.recipe = r->recipes->items[i].name, .records = r->records + i * each, .count = each};
        m->rates = allocate(NULL, each, sizeof *m->rates);
        if (bnd_rates_make(m->rates, &m->rate_count, m->records, each, NULL) != BND_OK) {
            allocate(NULL, SIZE_MAX, SIZE_MAX); /* reports that memory ran out, and exits */
        }
        m->best = bnd_rates_best(m->rates, m->rate_count);
        for (size_t k = 0; k < m->rate_count; k++) {
            m->failed += m->rates[k].failed;
        }
        reference = strcmp(m->recipe, "fp32") == 0 ? m : reference;
    }
    for (size_t i = 0; reference != NULL && i < recipes; i++) {
        compare_best(&all[i], reference, r->margin);
    }
    return all;
}

/* Where every run failed no rate is better than another. */
static bool has_learned(const summary *m)
{
    return m->failed < m->count;
}

static char *count_text(size_t part, size_t whole)
{
    return format_text("%zu of %zu", part, whole);
}

/* ---- losses of one learning rate ---- */

static double last_loss(const bnd_record *r)
{
    return r->validated && r->validated_fp32 ? r->validation_fp32 : r->validated ? r->validation : r->loss;
}

/* The mean loss of the runs that did not fail; NaN: all failed. */
static double mean_loss(const summary *m, const bnd_rate *rate)
{
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        bool counts = m->records[i].lr == rate->lr && bnd_record_result(&m->records[i]) < m->records[i].chance_loss;
        sum += counts ? bnd_record_result(&m->records[i]) : 0;
    }
    return rate->failed < rate->runs ? sum / (double)(rate->runs - rate->failed) : (double)NAN;
}

/* The interval holds for all runs or for none: failed runs have no loss. */
static double interval_of(const bnd_rate *rate)
{
    return rate->failed == 0 ? rate->interval : (double)NAN;
}

/* How all runs of a rate failed. */
static const char *failure_word(const summary *m, const bnd_rate *rate)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->records[i].lr == rate->lr && isnan(last_loss(&m->records[i]))) {
            return "NaN";
        }
    }
    return "chance";
}

static char *loss_of_rate(const summary *m, const bnd_rate *rate)
{
    double loss = mean_loss(m, rate);
    return isnan(loss) ? copy_text(failure_word(m, rate)) : interval_text(loss, interval_of(rate), false);
}

static char *cell_text(const summary *m, size_t k)
{
    const bnd_rate *rate = &m->rates[k];
    double loss = mean_loss(m, rate);
    if (isnan(loss)) {
        return copy_text(failure_word(m, rate));
    }
    char *number = loss_text(loss), *cell;
    cell = rate->failed > 0 ? format_text("%s%s (%zu failed)", k == m->best ? "*" : "", number, rate->failed)
                            : format_text("%s%s", k == m->best ? "*" : "", number);
    free(number);
    return cell;
}

/* ---- the text ---- */

/* Recipes down, learning rates across. */
static void print_matrix(const summary *all, size_t recipes)
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
            table_add(&t, cell_text(&all[i], k));
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

static void print_points(const summary *all, size_t recipes, enum output output)
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
            double loss = mean_loss(&all[i], rate), interval = interval_of(rate);
            bool best = k == all[i].best && has_learned(&all[i]);
            table_add(&t, copy_text(all[i].recipe));
            table_add(&t, format_text("%g", rate->lr));
            table_add(&t, format_text("%zu", rate->runs));
            table_add(&t, isnan(loss) ? copy_text("") : double_text(loss));
            table_add(&t, isnan(interval) ? copy_text("") : double_text(interval));
            table_add(&t, loss_of_rate(&all[i], rate));
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

static bool has_failures(const summary *all, size_t recipes)
{
    for (size_t i = 0; i < recipes; i++) {
        if (all[i].failed > 0) {
            return true;
        }
    }
    return false;
}

static bool has_comparisons(const summary *all, size_t recipes)
{
    for (size_t i = 0; i < recipes; i++) {
        if (all[i].compared) {
            return true;
        }
    }
    return false;
}

static void explain_sweep(const summary *all, const sweep_result *r)
{
    size_t recipes = r->recipes->count;
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

static void print_summaries(const summary *all, const sweep_result *r)
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
        const summary *m = &all[i];
        const bnd_rate *best = &m->rates[m->best];
        bool is_reference = strcmp(m->recipe, "fp32") == 0;
        table_add(&t, copy_text(m->recipe));
        table_add(&t, m->compared ? verdict_text(&m->is) : copy_text(is_reference ? "reference" : "-"));
        table_add(&t, has_learned(m) ? format_text("%g", best->lr) : copy_text("-"));
        double loss = mean_loss(m, best);
        table_add(&t, isnan(loss) ? copy_text(failure_word(m, best)) : loss_text(loss));
        table_add(&t, m->compared ? gap_text(&m->is) : copy_text("-"));
        table_add(&t, count_text(m->failed, m->count));
        table_add(&t, has_learned(m) ? loss_text(bnd_rates_sensitivity(m->rates, m->rate_count)) : copy_text("-"));
    }
    table_end(&t);
    explain_sweep(all, r);
}

static void json_number(bnd_lab_json *json, const char *key, double x)
{
    json_owned_literal(json, key, double_text(x));
}

static void json_summary(bnd_lab_json *json, const summary *m)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "recipe", m->recipe);
    json_number(json, "best_lr", has_learned(m) ? m->rates[m->best].lr : (double)NAN);
    json_number(json, "loss", mean_loss(m, &m->rates[m->best]));
    json_number(json, "interval", interval_of(&m->rates[m->best]));
    if (m->compared) {
        bnd_lab_json_string(json, "verdict", bnd_verdict_name(m->is.verdict));
        bnd_lab_json_string(json, "others", bnd_verdict_name(m->is.others));
    } else {
        bnd_lab_json_null(json, "verdict");
        bnd_lab_json_null(json, "others");
    }
    json_number(json, "gap", m->compared ? m->is.gap : (double)NAN);
    json_number(json, "gap_interval", m->compared ? m->is.interval : (double)NAN);
    bnd_lab_json_unsigned(json, "runs", m->count);
    bnd_lab_json_unsigned(json, "failed", m->failed);
    json_number(json, "lr_sensitivity", has_learned(m) ? bnd_rates_sensitivity(m->rates, m->rate_count) : (double)NAN);
    bnd_lab_json_array(json, "points");
    for (size_t k = 0; k < m->rate_count; k++) {
        bnd_lab_json_object(json, NULL);
        json_number(json, "lr", m->rates[k].lr);
        bnd_lab_json_unsigned(json, "runs", m->rates[k].runs);
        bnd_lab_json_unsigned(json, "failed", m->rates[k].failed);
        json_number(json, "loss", mean_loss(m, &m->rates[k]));
        json_number(json, "interval", interval_of(&m->rates[k]));
        json_number(json, "capped_loss", m->rates[k].result);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

static void print_json(const sweep_result *r, const summary *all)
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
        json_summary(&json, &all[i]);
    }
    bnd_lab_json_end(&json);
    bnd_lab_json_end(&json);
    json_line_end();
}

void print_sweep(const sweep_result *r, enum output output)
{
    size_t recipes = r->recipes->count;
    summary *all = summarize(r);
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
    for (size_t i = 0; i < recipes; i++) {
        free(all[i].rates);
    }
    free(all);
}
