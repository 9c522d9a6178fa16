/* Rows of a table: runs that differ only in their seeds belong together, and are compared with those of fp32. */
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static bool belong_together(const bnd_record *a, const bnd_record *b)
{
    return strcmp(a->recipe, b->recipe) == 0 && strcmp(a->model, b->model) == 0 &&
           strcmp(a->optimizer, b->optimizer) == 0 && same_number(a->lr, b->lr) && bndi_record_same_data(a, b) &&
           bndi_record_same_model(a, b);
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

/* Returns: how many rows there are. */
static size_t divide(bnd_summary_row *rows, const bnd_record *records, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (n > 0 && belong_together(rows[n - 1].records, &records[i])) {
            rows[n - 1].count++;
        } else {
            rows[n++] = (bnd_summary_row){.records = &records[i], .count = 1};
        }
    }
    return n;
}

/* Which data these are: 1 for those of the first row, 2 for the next others. */
static size_t number_of_data(const bnd_summary_row *row, const bnd_summary_row *rows)
{
    size_t number = 1;
    for (const bnd_summary_row *other = rows; !bndi_record_same_data(other->records, row->records); other++) {
        bool met = false;
        for (const bnd_summary_row *before = rows; before < other; before++) {
            met = met || bndi_record_same_data(before->records, other->records);
        }
        number += !met;
    }
    return number;
}

static void name_row(bnd_summary_row *row, const bnd_summary_row *rows, size_t count)
{
    const bnd_record *record = row->records;
    bool model = false, size = false, optimizer = false, lr = false, data = false;
    for (size_t i = 0; i < count; i++) {
        const bnd_record *other = rows[i].records;
        if (strcmp(other->recipe, record->recipe) == 0) {
            const bool same = strcmp(other->model, record->model) == 0;
            model = model || !same;
            size = size || (same && !bndi_record_same_model(other, record));
            optimizer = optimizer || strcmp(other->optimizer, record->optimizer) != 0;
            lr = lr || !same_number(other->lr, record->lr);
            data = data || (same && !bndi_record_same_data(other, record));
        }
    }
    char parameters[32] = "", rate[32] = "", of[32] = "";
    if (size) {
        snprintf(parameters, sizeof parameters, " %llu", (unsigned long long)record->parameters);
    }
    if (data) {
        snprintf(of, sizeof of, " data %zu", number_of_data(row, rows));
    }
    if (lr) {
        snprintf(rate, sizeof rate, " %g", record->lr);
    }
    model = model || size;
    snprintf(row->name, sizeof row->name, "%s%s%s%s%s%s%s%s", record->recipe[0] != '\0' ? record->recipe : "(no name)",
             model ? " " : "", model ? record->model : "", parameters, optimizer ? " " : "",
             optimizer ? record->optimizer : "", rate, of);
}

/* How well a row serves as the reference of another; 0: not at all. */
static int serves(const bnd_summary_row *row, const bnd_summary_row *other)
{
    const bnd_record *a = row->records, *b = other->records;
    if (strcmp(a->recipe, "fp32") != 0 || !bndi_record_same_model(a, b) || !bndi_record_same_data(a, b)) {
        return 0;
    }
    return 1 + (strcmp(a->optimizer, b->optimizer) == 0) + (same_number(a->lr, b->lr) ? 2 : 0);
}

static size_t reference_of(const bnd_summary_row *rows, size_t count, const bnd_summary_row *row)
{
    size_t best = 0;
    int most = 0;
    for (size_t i = 0; i < count; i++) {
        int how = serves(&rows[i], row);
        best = how > most ? i : best;
        most = how > most ? how : most;
    }
    return best;
}

/* Each reference comes before the rows that are compared with it; otherwise rows keep their order. `out` has room for
 * all rows, and `place` for a number each. */
static void put_references_first(bnd_summary_row *out, size_t *place, const bnd_summary_row *rows, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        place[i] = SIZE_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t both[] = {rows[i].reference, i};
        for (size_t k = 0; k < 2; k++) {
            if (place[both[k]] == SIZE_MAX) {
                place[both[k]] = n;
                out[n++] = rows[both[k]];
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        out[i].reference = place[out[i].reference];
    }
}

bnd_status bnd_summary_make(bnd_summary_row **rows, size_t *row_count, bnd_record *records, size_t count, double margin,
                            bnd_error *why)
{
    const bool fits = count < SIZE_MAX / (2 * sizeof **rows) - 1;
    bnd_summary_row *first = fits ? malloc((count + 1) * sizeof *first) : NULL;
    bnd_summary_row *ordered = fits ? malloc((count + 1) * sizeof *ordered) : NULL;
    size_t *place = fits ? malloc((count + 1) * sizeof *place) : NULL, n = 0;
    if (first == NULL || ordered == NULL || place == NULL) {
        free(first);
        free(ordered);
        free(place);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a table of %zu runs", count);
    }
    put_in_order(records, count);
    n = divide(first, records, count);
    for (size_t i = 0; i < n; i++) {
        name_row(&first[i], first, n);
        first[i].reference = reference_of(first, n, &first[i]);
    }
    put_references_first(ordered, place, first, n);
    for (size_t i = 0; i < n; i++) {
        bnd_summary_row *row = &ordered[i];
        const bnd_summary_row *reference = &ordered[row->reference];
        row->compared = bnd_records_compare(&row->is, row->records, row->count, reference->records, reference->count,
                                            margin, NULL) == BND_OK;
    }
    free(first);
    free(place);
    *rows = ordered;
    *row_count = n;
    return BND_OK;
}

void bnd_summary_free(bnd_summary_row *rows)
{
    free(rows);
}
