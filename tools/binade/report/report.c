/* The report as one JSON object, and what was trained. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was trained ---- */

static double mean_of(const train_row *row, double (*number)(const bnd_record *record))
{
    double sum = 0;
    for (size_t i = 0; i < row->count; i++) {
        sum += number(&row->records[i]);
    }
    return sum / (double)row->count;
}

static double floor_of(const bnd_record *record)
{
    return record->floor;
}

static double chance_of(const bnd_record *record)
{
    return record->chance_loss;
}

static void json_training(bnd_lab_json *json, const bnd_task *task)
{
    size_t length = bnd_training_print(NULL, 0, &task->training);
    char *text = allocate(NULL, length + 1, 1);
    bnd_training_print(text, length + 1, &task->training);
    json_owned_literal(json, "training", text);
}

/* "5 learning rates from 0.0001 to 0.1"; NULL: there is one. */
static char *rates_text(const train_result *r)
{
    double low = HUGE_VAL, high = 0;
    size_t count = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const double lr = r->rows[i].records->lr;
        bool seen = false;
        for (size_t k = 0; k < i; k++) {
            seen = seen || r->rows[k].records->lr == lr;
        }
        count += seen ? 0 : 1;
        low = fmin(low, lr);
        high = fmax(high, lr);
    }
    return is_sweep(r) ? format_text("%zu learning rates from %g to %g", count, low, high) : NULL;
}

/* That of the reference; other recipes differ in theirs only, unless the rows say more. */
void json_setup(bnd_lab_json *json, const train_result *r)
{
    const train_row *row = &r->rows[r->reference];
    const bnd_record *record = row->records;
    double chance = mean_of(row, chance_of), irreducible = mean_of(row, floor_of);
    bnd_task task;
    bool known = task_of(&task, record);
    bnd_lab_json_object(json, "setup");
    char *rates = rates_text(r);
    json_owned_string(json, "text", known ? setup_text(&task.training, record->parameters, rates) : NULL);
    free(rates);
    json_owned_string(json, "levels", levels_text(chance, irreducible, irreducible != record->floor ? row->count : 1));
    json_owned_string(json, "model", record->model[0] != '\0' ? copy_text(record->model) : NULL);
    json_owned_string(json, "optimizer", record->optimizer[0] != '\0' ? copy_text(record->optimizer) : NULL);
    json_owned_literal(json, "parameters",
                       record->parameters > 0 ? format_text("%llu", (unsigned long long)record->parameters)
                                              : copy_text("null"));
    bnd_lab_json_unsigned(json, "steps", record->steps);
    json_short(json, "lr", record->lr, 6);
    json_short(json, "floor", irreducible, 7);
    json_short(json, "chance_loss", chance, 7);
    if (known) {
        json_training(json, &task);
    } else {
        bnd_lab_json_null(json, "training");
    }
    bnd_lab_json_end(json);
}

/* ---- notes ---- */

static void json_notes(bnd_lab_json *json, const train_result *r)
{
    result_notes n;
    size_t i = 0;
    result_notes_make(&n, r);
    bnd_lab_json_array(json, "notes");
    for (; i < n.count && n.items[i].word == NULL; i++) {
        bnd_lab_json_string(json, NULL, n.items[i].text);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "legend");
    for (; i < n.count; i++) {
        bnd_lab_json_array(json, NULL);
        bnd_lab_json_string(json, NULL, n.items[i].word);
        bnd_lab_json_string(json, NULL, n.items[i].text);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    result_notes_clear(&n);
}

/* ---- the whole ---- */

static void json_points(bnd_lab_json *json, const detail *d)
{
    bnd_lab_json_object(json, "points");
    bnd_lab_json_unsigned(json, "measured", d->steps);
    bnd_lab_json_unsigned(json, "kept", d->kept);
    json_owned_string(json, "text",
                      format_text("%llu of %llu points are drawn: of each stretch of steps the first, the last, the "
                                  "smallest, the largest and the first NaN. Points between two equal ones are left "
                                  "out.",
                                  (unsigned long long)d->kept, (unsigned long long)d->steps));
    bnd_lab_json_end(json);
}

void json_report(bnd_lab_json *json, const train_result *r, char *const *words, size_t word_count)
{
    train_result all = *r;
    detail d = detail_for(r);
    const train_row *best = recommended_row(r);
    write_utf8_always();
    all.details = all.memory = all.untimed = true;
    for (size_t i = 0; i < r->count; i++) {
        all.autopsied = all.autopsied || r->records[i].autopsy != NULL;
    }
    report_begin(json, is_sweep(r) ? "sweep" : "runs");
    json_sweep(json, &all);
    json_owned_string(json, "use", best != NULL && !is_sweep(r) ? copy_text(best->name) : NULL);
    bnd_lab_json_string(json, "reference", r->rows[r->reference].name);
    json_short(json, "reference_covered", r->rows[r->reference].is.covered, 4);
    json_short(json, "margin", r->margin, 6);
    json_setup(json, r);
    json_commands(json, r, words, word_count);
    json_table(json, &all);
    json_notes(json, &all);
    json_formats(json, r);
    json_recipes(json, r, &d);
    json_points(json, &d);
    bnd_lab_json_end(json);
}

/* ---- as a page ---- */

typedef struct runs_content {
    const train_result *result;
    char *const *words;
    size_t word_count;
} runs_content;

static void write_runs(bnd_lab_json *json, const void *state)
{
    const runs_content *c = state;
    json_report(json, c->result, c->words, c->word_count);
}

int report_save(const char *file, const command *self, const train_result *r, char *const *words, size_t word_count)
{
    const runs_content content = {r, words, word_count};
    return report_write(file, self, write_runs, &content);
}
