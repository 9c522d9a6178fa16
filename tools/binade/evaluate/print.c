/* The results of `binade evaluate`: text, JSON, CSV. */
#include "evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *relative_text(double change, double loss)
{
    const double percent = 100 * change / loss;
    return change == 0 || !(loss > 0) || isnan(change) ? copy_text("-")
           : fabs(percent) < 0.005                     ? copy_text("<0.01 %")
                                                       : format_text("%+.2f %%", percent);
}

static char *change_text(double change, double interval, bool reference)
{
    return reference ? copy_text("-") : interval_text(change, interval, true);
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
    const bnd_evaluated *first = &c->outcomes[0];
    for (size_t i = 0; i < e->asked.recipes.count; i++) {
        const bnd_evaluated *o = &c->outcomes[i];
        table_add(&t, copy_text(e->asked.recipes.items[i].name));
        table_add(&t, loss_text(o->loss));
        table_add(&t, change_text(o->change, o->interval, i == 0));
        table_add(&t, relative_text(o->change, first->loss));
        table_add(&t, o->has_perplexity ? format_text("%.4g", o->perplexity) : copy_text("-"));
        table_add(&t, format_text("%.2fx", (double)o->weight_bytes / (double)first->weight_bytes));
    }
    table_end(&t);
}

static void print_parts(const subject *c, const evaluate *e)
{
    static const column columns[] = {
        {"recipe", "recipe", false, false, false, false, 0},
        {"tensors", "largest increase", false, false, false, false, 0},
        {"change", "change", true, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    if (e->asked.tensors == 0 || e->asked.recipes.count == 1) {
        return;
    }
    putchar('\n');
    for (size_t i = 0; i < e->asked.recipes.count; i++) {
        const bnd_evaluated *o = &c->outcomes[i];
        for (size_t k = 0; k < o->place_count; k++) {
            table_add(&t, copy_text(k == 0 ? e->asked.recipes.items[i].name : ""));
            table_add(&t, copy_text(bnd_run_place_name(c->run, o->places[k].place)));
            table_add(&t, change_text(o->places[k].change, o->places[k].interval, false));
        }
        if (i > 0 && o->place_count == 0) {
            table_add(&t, copy_text(e->asked.recipes.items[i].name));
            table_add(&t, copy_text("none"));
            table_add(&t, copy_text("-"));
        }
    }
    table_end(&t);
}

static void print_heading(const subject *c, const evaluate *e)
{
    const bnd_training *training = &c->trained.training;
    const char *data = training->data[0] != '\0' ? training->data : "drawn data";
    char *text = format_text("%s: %s of %llu parameters, %llu step%s of %s; %llu validation batch%s of %s", c->name,
                             training->model, (unsigned long long)bnd_run_elements(c->run),
                             (unsigned long long)c->trained.step, c->trained.step == 1 ? "" : "s", c->trained.recipe,
                             (unsigned long long)e->asked.batches, e->asked.batches == 1 ? "" : "es", data);
    const size_t size = 4 * strlen(text) + 1;
    char *plain = memcpy(allocate(NULL, size, 1), text, strlen(text) + 1);
    make_plain_text(plain, size);
    fill_text(plain, 0, 0);
    putchar('\n');
    free(plain);
    free(text);
}

static void say(const char *word, char *owned)
{
    enum { INDENT = 18 };
    printf("%-*s", INDENT, word);
    fill_text(owned, INDENT, INDENT);
    free(owned);
}

static void print_legend(const subject *c, const evaluate *e)
{
    putchar('\n');
    say("loss", copy_text("mean over validation batches, with the same weights in each recipe"));
    say("change",
        format_text("compared with fp32, batch by batch; %s half the 95 %% interval", writes_utf8() ? "±" : "+/-"));
    if (c->outcomes[0].has_perplexity) {
        say("perplexity", copy_text("exp(loss)"));
    }
    say("weights", copy_text("memory of the weights for inference, compared with fp32: a matrix that is multiplied has "
                             "the size of gemm_fwd.w and its scales, if that is smaller than param"));
    if (e->asked.tensors > 0 && e->asked.recipes.count > 1) {
        say("largest increase",
            copy_text("of the loss, if the recipe holds only for these tensors and what is computed "
                      "with them, up to the next ones; the rest is fp32. none: no change is above "
                      "its interval"));
    }
}

static void json_change(bnd_lab_json *json, double change, double interval)
{
    json_owned_literal(json, "change", double_text(change));
    json_owned_literal(json, "interval", double_text(interval));
}

static void json_subject(bnd_lab_json *json, const subject *c, const evaluate *e)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_string(json, "checkpoint", c->name);
    bnd_lab_json_string(json, "model", c->trained.training.model);
    bnd_lab_json_string(json, "trained_with", c->trained.recipe);
    bnd_lab_json_unsigned(json, "steps", c->trained.step);
    bnd_lab_json_unsigned(json, "parameters", bnd_run_elements(c->run));
    bnd_lab_json_string(json, "data", c->trained.training.data);
    bnd_lab_json_unsigned(json, "batches", e->asked.batches);
    bnd_lab_json_array(json, "recipes");
    for (size_t i = 0; i < e->asked.recipes.count; i++) {
        const bnd_evaluated *o = &c->outcomes[i];
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "recipe", e->asked.recipes.items[i].name);
        json_owned_literal(json, "loss", double_text(o->loss));
        json_change(json, o->change, o->interval);
        json_owned_literal(json, "perplexity", o->has_perplexity ? double_text(o->perplexity) : copy_text("null"));
        bnd_lab_json_unsigned(json, "weight_bytes", o->weight_bytes);
        bnd_lab_json_array(json, "tensors");
        for (size_t k = 0; k < o->place_count; k++) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_string(json, "tensors", bnd_run_place_name(c->run, o->places[k].place));
            json_change(json, o->places[k].change, o->places[k].interval);
            bnd_lab_json_end(json);
        }
        bnd_lab_json_end(json);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

/* NaN is an empty field, as in the tables of train and sweep. */
static char *csv_number(double x)
{
    return isnan(x) ? copy_text("") : double_text(x);
}

/* A row per recipe, then one for each of the tensors that lose most. */
static void add_csv(table *t, const subject *c, const evaluate *e)
{
    for (size_t i = 0; i < e->asked.recipes.count; i++) {
        const bnd_evaluated *o = &c->outcomes[i];
        for (size_t k = 0; k <= o->place_count; k++) {
            const bnd_loss_change all = {0, o->change, o->interval}, *p = k == 0 ? &all : &o->places[k - 1];
            table_add(t, copy_text(c->name));
            table_add(t, copy_text(e->asked.recipes.items[i].name));
            table_add(t, copy_text(k == 0 ? "" : bnd_run_place_name(c->run, p->place)));
            table_add(t, csv_number(k == 0 ? o->loss : c->outcomes[0].loss + p->change));
            table_add(t, csv_number(p->change));
            table_add(t, csv_number(p->interval));
            table_add(t, k == 0 ? format_text("%llu", (unsigned long long)o->weight_bytes) : copy_text(""));
        }
    }
}

static const column csv_columns[] = {
    {"checkpoint", "", false, false, false, false, 0}, {"recipe", "", false, false, false, false, 0},
    {"tensors", "", false, false, false, false, 0},    {"loss", "", true, true, false, false, 0},
    {"change", "", true, true, false, false, 0},       {"interval", "", true, true, false, false, 0},
    {"weight_bytes", "", true, true, false, false, 0},
};

/* ---- all of it ---- */

void output_begin(evaluate_output *out, const evaluate *asked)
{
    *out = (evaluate_output){.asked = asked,
                             .csv = {.columns = csv_columns,
                                     .column_count = sizeof csv_columns / sizeof csv_columns[0],
                                     .output = OUTPUT_CSV}};
    if (asked->asked.common.output == OUTPUT_JSON) {
        json_begin(&out->json);
        bnd_lab_json_object(&out->json, NULL);
        bnd_lab_json_array(&out->json, "checkpoints");
    }
}

void output_add(evaluate_output *out, const subject *c, bool last)
{
    const evaluate *e = out->asked;
    if (e->asked.common.output == OUTPUT_JSON) {
        json_subject(&out->json, c, e);
    } else if (e->asked.common.output == OUTPUT_CSV) {
        add_csv(&out->csv, c, e);
    } else {
        print_heading(c, e);
        print_recipes(c, e);
        print_parts(c, e);
        if (last) {
            print_legend(c, e);
        } else {
            putchar('\n');
        }
    }
}

void output_end(evaluate_output *out, bool good)
{
    const enum output output = out->asked->asked.common.output;
    if (output == OUTPUT_JSON && good) {
        bnd_lab_json_end(&out->json);
        bnd_lab_json_end(&out->json);
        json_line_end();
    }
    if (output == OUTPUT_CSV && good) {
        table_end(&out->csv);
    } else {
        table_forget(&out->csv);
    }
}
