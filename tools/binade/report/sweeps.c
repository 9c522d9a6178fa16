/* The part of a report that is about learning rates: recipes by rates, and each recipe at its best. */
#include "parts.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_kind(const bnd_record *a, const bnd_record *b)
{
    return a->model[0] != '\0' && strcmp(a->model, b->model) == 0 && strcmp(a->optimizer, b->optimizer) == 0;
}

bool same_training(const bnd_task *a, const bnd_task *b, bool but_rate)
{
    char x[1 << 14], y[1 << 14];
    bnd_training one = a->training, other = b->training;
    one.policy = other.policy;
    one.seed_init = other.seed_init;
    one.seed_data = other.seed_data;
    one.seed_rounding = other.seed_rounding;
    one.lr = but_rate ? other.lr : one.lr;
    size_t length = bnd_training_print(x, sizeof x, &one);
    bnd_training_print(y, sizeof y, &other);
    return length < sizeof x && strcmp(x, y) == 0;
}

/* One model, one optimizer and one training, and a recipe with several rates. */
bool is_sweep(const train_result *r)
{
    bnd_task first, task;
    bool several = false, known = r->row_count > 0 && task_of(&first, r->rows[0].records);
    for (size_t i = 0; i < r->row_count; i++) {
        const bnd_record *a = r->rows[i].records;
        if (!same_kind(a, r->rows[0].records) || isnan(a->lr) ||
            (known && task_of(&task, a) && !same_training(&first, &task, true))) {
            return false;
        }
        for (size_t k = 0; k < i; k++) {
            const bnd_record *b = r->rows[k].records;
            const bool same = strcmp(a->recipe, b->recipe) == 0;
            if (same && a->lr == b->lr) {
                return false; /* they differ in something else, such as their data */
            }
            several = several || same;
        }
    }
    return several;
}

/* The runs of each recipe side by side, in `room`; how many recipes. */
static size_t divide(sweep_summary *rows, bnd_record *room, const train_result *r)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const char *name = r->rows[i].records->recipe;
        size_t from = used;
        bool seen = false;
        for (size_t k = 0; k < count; k++) {
            seen = seen || strcmp(rows[k].recipe, name) == 0;
        }
        for (size_t k = i; !seen && k < r->row_count; k++) {
            const train_row *row = &r->rows[k];
            if (strcmp(row->records->recipe, name) == 0) {
                memcpy(room + used, row->records, row->count * sizeof *room);
                used += row->count;
            }
        }
        if (!seen) {
            rows[count++] = (sweep_summary){.recipe = name, .records = room + from, .count = used - from};
        }
    }
    return count;
}

static char *sweep_conclusion(const sweep_summary *all, size_t count)
{
    char *text = NULL;
    size_t length;
    for (size_t i = 0; (length = bnd_sweep_print_line(NULL, 0, all, count, i)) > 0; i++) {
        char *line = allocate(NULL, length + 1, 1);
        bnd_sweep_print_line(line, length + 1, all, count, i);
        text = with_sentence(text, line);
    }
    return text;
}

static void json_texts(bnd_lab_json *json, const sweep_summary *m)
{
    char *cells[SWEEP_CELLS];
    sweep_cells(cells, m);
    bnd_lab_json_array(json, "cells");
    for (size_t i = 0; i < SWEEP_CELLS; i++) {
        json_owned_string(json, NULL, cells[i]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "losses");
    for (size_t k = 0; k < m->rate_count; k++) {
        json_owned_string(json, NULL, sweep_cell_text(m, k));
    }
    bnd_lab_json_end(json);
}

void json_sweep(bnd_lab_json *json, const train_result *r)
{
    static const char *const headings[SWEEP_CELLS] = {"recipe",      "verdict", "best lr",       "loss",
                                                      "gap to fp32", "failed",  "lr sensitivity"};
    if (!is_sweep(r)) {
        json_owned_string(json, "conclusion", conclusion_text(r));
        bnd_lab_json_null(json, "sweep");
        return;
    }
    sweep_summary *all = allocate(NULL, r->row_count, sizeof *all);
    bnd_record *room = allocate(NULL, r->count, sizeof *room);
    size_t count = divide(all, room, r);
    sweep_summarize(all, count, r->margin);
    json_owned_string(json, "conclusion", sweep_conclusion(all, count));
    bnd_lab_json_object(json, "sweep");
    bnd_lab_json_array(json, "headings");
    for (size_t i = 0; i < SWEEP_CELLS; i++) {
        bnd_lab_json_string(json, NULL, headings[i]);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "recipes");
    for (size_t i = 0; i < count; i++) {
        bnd_lab_json_object(json, NULL);
        json_sweep_summary(json, &all[i]);
        json_texts(json, &all[i]);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
    bnd_sweep_close(all, count);
    free(room);
    free(all);
}
