/* What came out of a sweep: for each recipe its learning rates, the best of them, and how that compares with fp32's. */
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
            allocate(NULL, SIZE_MAX, SIZE_MAX); /* says that there is no memory, and leaves */
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

static void print_points(const summary *all, size_t recipes, enum output output)
{
    static const column columns[] = {
        {"recipe", "recipe", false, false, false, false, 0}, {"lr", "lr", true, true, false, false, 0},
        {"runs", "runs", true, true, false, true, 0},        {"result", "", true, true, false, true, 0},
        {"interval", "", true, true, false, true, 0},        {NULL, "loss", true, false, false, false, 0},
        {"failed", "", true, true, false, true, 0},          {NULL, "failed", true, false, false, false, 0},
        {"best", "", false, true, false, true, 0},           {NULL, "best", false, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = output};
    for (size_t i = 0; i < recipes; i++) {
        for (size_t k = 0; k < all[i].rate_count; k++) {
            const bnd_rate *rate = &all[i].rates[k];
            bool best = k == all[i].best && has_learned(&all[i]);
            table_add(&t, copy_text(all[i].recipe));
            table_add(&t, format_text("%g", rate->lr));
            table_add(&t, format_text("%zu", rate->runs));
            table_add(&t, double_text(rate->result));
            table_add(&t, isnan(rate->interval) ? copy_text("") : double_text(rate->interval));
            table_add(&t, interval_text(rate->result, rate->interval, false));
            table_add(&t, format_text("%zu", rate->failed));
            table_add(&t, count_text(rate->failed, rate->runs));
            table_add(&t, copy_text(best ? "true" : "false"));
            table_add(&t, copy_text(best ? "yes" : "-"));
        }
    }
    table_end(&t);
}

static void explain_sweep(bool has_intervals, double margin)
{
    printf("\nloss            the mean over the seeds%s\n", !has_intervals  ? "; one seed has no interval"
                                                            : writes_utf8() ? ", ± half its 95 % interval"
                                                                            : ", +/- half its 95 % interval");
    printf("failed          runs that ended in NaN or at chance level, of all\n"
           "verdict         the 95 %% interval of the gap at the best rates against the tolerance, %g %% of\n"
           "                fp32's loss above the irreducible loss (of a fifth of the loss where that is not\n"
           "                known); intervals are not corrected for the number of recipes\n"
           "lr sensitivity  what a learning rate other than the best costs: the mean loss over those that\n"
           "                were tried, failed runs at the chance-level loss, less the best one\n"
           "                (Wortsman et al. 2023)\n",
           100 * margin);
}

static void print_summaries(const summary *all, size_t recipes, double margin)
{
    static const column columns[] = {
        {"recipe", "recipe", false, false, false, false, 0},
        {"lr", "best lr", true, true, false, false, 0},
        {"loss", "loss", true, false, false, false, 0},
        {"gap", "gap to fp32", true, false, false, false, 0},
        {"verdict", "verdict", false, false, false, false, 0},
        {"failed", "failed", true, false, false, false, 0},
        {"sensitivity", "lr sensitivity", true, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    for (size_t i = 0; i < recipes; i++) {
        const summary *m = &all[i];
        const bnd_rate *best = &m->rates[m->best];
        table_add(&t, copy_text(m->recipe));
        table_add(&t, has_learned(m) ? format_text("%g", best->lr) : copy_text("-"));
        table_add(&t, interval_text(best->result, best->interval, false));
        table_add(&t, m->compared ? gap_text(&m->is) : copy_text("-"));
        table_add(&t,
                  m->compared ? verdict_text(&m->is) : copy_text(strcmp(m->recipe, "fp32") == 0 ? "reference" : "-"));
        table_add(&t, count_text(m->failed, m->count));
        table_add(&t, has_learned(m) ? loss_text(bnd_rates_sensitivity(m->rates, m->rate_count)) : copy_text("-"));
    }
    table_end(&t);
    explain_sweep(all[0].rates[0].runs > 1, margin);
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
    json_number(json, "result", m->rates[m->best].result);
    json_number(json, "interval", m->rates[m->best].interval);
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
        json_number(json, "result", m->rates[k].result);
        json_number(json, "interval", m->rates[k].interval);
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
    } else {
        print_points(all, recipes, output);
    }
    if (output == OUTPUT_TEXT) {
        putchar('\n');
        print_summaries(all, recipes, r->margin);
    }
    for (size_t i = 0; i < recipes; i++) {
        free(all[i].rates);
    }
    free(all);
}
