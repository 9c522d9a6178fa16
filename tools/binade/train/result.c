/* Groups records into rows: runs that differ only in their seeds belong together, and are compared with those of
   fp32. */
#include "training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static bool belong_together(const bnd_record *a, const bnd_record *b)
{
    return strcmp(a->recipe, b->recipe) == 0 && strcmp(a->model, b->model) == 0 &&
           strcmp(a->optimizer, b->optimizer) == 0 && same_number(a->lr, b->lr);
}

/* Each row's records side by side, the rows in the order in which they first come. */
static void put_in_order(bnd_record *records, size_t count)
{
    for (size_t from = 0; from < count;) {
        size_t end = from + 1;
        for (size_t i = end; i < count; i++) {
            if (belong_together(&records[from], &records[i])) {
                bnd_record moved = records[i];
                memmove(&records[end + 1], &records[end], (i - end) * sizeof moved);
                records[end++] = moved;
            }
        }
        from = end;
    }
}

static void add_rows(train_result *r)
{
    r->rows = allocate(NULL, r->count + 1, sizeof *r->rows);
    for (size_t i = 0; i < r->count; i++) {
        train_row *last = r->row_count > 0 ? &r->rows[r->row_count - 1] : NULL;
        if (last != NULL && belong_together(last->records, &r->records[i])) {
            last->count++;
        } else {
            r->rows[r->row_count++] = (train_row){.records = &r->records[i], .count = 1};
        }
    }
}

static char *name_row(const train_result *r, const train_row *row)
{
    const bnd_record *record = row->records;
    bool model = false, optimizer = false, lr = false;
    for (size_t i = 0; i < r->row_count; i++) {
        const bnd_record *other = r->rows[i].records;
        if (strcmp(other->recipe, record->recipe) == 0) {
            model = model || strcmp(other->model, record->model) != 0;
            optimizer = optimizer || strcmp(other->optimizer, record->optimizer) != 0;
            lr = lr || !same_number(other->lr, record->lr);
        }
    }
    char rate[32] = "";
    if (lr) {
        snprintf(rate, sizeof rate, " %g", record->lr);
    }
    return format_text("%s%s%s%s%s%s", record->recipe[0] != '\0' ? record->recipe : "(no name)", model ? " " : "",
                       model ? record->model : "", optimizer ? " " : "", optimizer ? record->optimizer : "", rate);
}

/* How well a row serves as the reference of another; 0: not at all. */
static int serves(const train_row *row, const train_row *other)
{
    const bnd_record *a = row->records, *b = other->records;
    bool known = a->model[0] != '\0' && b->model[0] != '\0';
    if (strcmp(a->recipe, "fp32") != 0 || (known && strcmp(a->model, b->model) != 0)) {
        return 0;
    }
    return 1 + (strcmp(a->optimizer, b->optimizer) == 0) + (same_number(a->lr, b->lr) ? 2 : 0);
}

static size_t reference_of(const train_result *r, const train_row *row)
{
    size_t best = 0;
    int most = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        int how = serves(&r->rows[i], row);
        best = how > most ? i : best;
        most = how > most ? how : most;
    }
    return best;
}

/* Each reference comes before the rows that are compared with it; otherwise rows keep their order. */
static void put_references_first(train_result *r)
{
    size_t *order = allocate(NULL, r->row_count + 1, sizeof *order),
           *place = allocate(NULL, r->row_count + 1, sizeof *place);
    train_row *rows = allocate(NULL, r->row_count + 1, sizeof *rows);
    size_t n = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        place[i] = SIZE_MAX;
    }
    for (size_t i = 0; i < r->row_count; i++) {
        const size_t both[] = {r->rows[i].reference, i};
        for (size_t k = 0; k < 2; k++) {
            if (place[both[k]] == SIZE_MAX) {
                place[both[k]] = n;
                order[n++] = both[k];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        rows[i] = r->rows[order[i]];
        rows[i].reference = place[rows[i].reference];
    }
    free(r->rows);
    free(order);
    free(place);
    r->rows = rows;
}

void result_make(train_result *r, bnd_record *records, size_t count, double margin)
{
    *r = (train_result){.records = records, .count = count, .margin = margin, .peak = (double)NAN};
    for (size_t i = 0; i < count; i++) { /* names from files may contain any characters */
        make_plain_text(records[i].recipe, sizeof records[i].recipe);
        make_plain_text(records[i].model, sizeof records[i].model);
        make_plain_text(records[i].optimizer, sizeof records[i].optimizer);
    }
    put_in_order(records, count);
    add_rows(r);
    for (size_t i = 0; i < r->row_count; i++) {
        train_row *row = &r->rows[i];
        row->name = name_row(r, row);
        row->reference = reference_of(r, row);
    }
    put_references_first(r);
    for (size_t i = 0; i < r->row_count; i++) {
        train_row *row = &r->rows[i];
        const train_row *reference = &r->rows[row->reference];
        row->compared = bnd_records_compare(&row->is, row->records, row->count, reference->records, reference->count,
                                            margin, NULL) == BND_OK;
    }
    r->reference = r->row_count > 0 ? r->rows[0].reference : 0;
}

void result_clear(train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        free(r->rows[i].name);
        free(r->rows[i].autopsy);
    }
    free(r->rows);
    *r = (train_result){.row_count = 0};
}
