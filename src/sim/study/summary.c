/* Rows of a table: runs that differ only in their seeds belong together, and are compared with those of fp32. A run
 * that is given twice counts once. */
#include "study/study.h"

#include "store/store.h"

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
           bndi_record_same_model(a, b) && bndi_settings_apart(NULL, 0, a, b, BNDI_SETTING_ANY) == 0;
}

static bool repeats_one_of(const bnd_record *records, size_t count, const bnd_record *record)
{
    for (size_t i = 0; i < count; i++) {
        if (bndi_record_repeats(&records[i], record)) {
            return true;
        }
    }
    return false;
}

/* Each row's records side by side, the rows in the order in which they first come, and behind all of them the repeats.
 * Returns: how many records are not repeats. */
static size_t put_in_order(bnd_record *records, size_t count)
{
    size_t kept = count;
    for (size_t from = 0; from < kept;) {
        size_t end = from + 1;
        for (size_t i = end; i < kept; i++) {
            bnd_record moved = records[i];
            if (!belong_together(&records[from], &moved)) {
                continue;
            }
            if (repeats_one_of(&records[from], end - from, &moved)) {
                memmove(&records[i], &records[i + 1], (count - i - 1) * sizeof moved);
                records[count - 1] = moved;
                kept--;
                i--; /* another record stands there */
            } else {
                memmove(&records[end + 1], &records[end], (i - end) * sizeof moved);
                records[end++] = moved;
            }
        }
        from = end;
    }
    return kept;
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

static void count_repeats(bnd_summary_row *rows, size_t count, const bnd_record *repeats, size_t repeat_count)
{
    for (size_t i = 0; i < repeat_count; i++) {
        size_t row = 0;
        while (row + 1 < count && !belong_together(rows[row].records, &repeats[i])) {
            row++;
        }
        rows[row].repeats++;
    }
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

/* The name has these in its own way. */
static bool is_named(const char *key)
{
    static const char *const named[] = {"lr", "optimizer", "data", "tokenizer"};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (strcmp(key, named[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* " clip=1", once for each setting in which the row differs from another of its recipe and model. */
static void add_settings(bndi_sentence *name, const bnd_summary_row *row, const bnd_summary_row *rows, size_t count)
{
    enum { SHOWN = 4 };
    const unsigned kinds = BNDI_SETTING_ANY & ~BNDI_SETTING_CHOSEN;
    for (size_t i = 0; i < count; i++) {
        bndi_setting apart[SHOWN];
        const bool same = strcmp(rows[i].records->recipe, row->records->recipe) == 0 &&
                          bndi_record_same_model(rows[i].records, row->records);
        const size_t all = same ? bndi_settings_apart(apart, SHOWN, row->records, rows[i].records, kinds) : 0;
        for (size_t k = 0; k < all && k < SHOWN; k++) {
            char word[sizeof apart[k].key + 3];
            snprintf(word, sizeof word, " %.31s=", apart[k].key);
            if (!is_named(apart[k].key) && strstr(row->name, word) == NULL) {
                bndi_sentence_add(name, "%s%s", word, apart[k].value);
            }
        }
    }
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
    bndi_sentence name = bndi_sentence_in(row->name, sizeof row->name);
    bndi_sentence_add(&name, "%s", record->recipe[0] != '\0' ? record->recipe : "(no name)");
    if (model || size) {
        bndi_sentence_add(&name, " %s", record->model);
    }
    if (size) {
        bndi_sentence_add(&name, " %llu", (unsigned long long)record->parameters);
    }
    if (optimizer) {
        bndi_sentence_add(&name, " %s", record->optimizer);
    }
    if (lr) {
        bndi_sentence_add(&name, " %g", record->lr);
    }
    if (data) {
        bndi_sentence_add(&name, " data %zu", number_of_data(row, rows));
    }
    add_settings(&name, row, rows, count);
}

/* How well a row serves as the reference of another; 0: not at all. */
static int serves(const bnd_summary_row *row, const bnd_summary_row *other)
{
    const bnd_record *a = row->records, *b = other->records;
    if (strcmp(a->recipe, "fp32") != 0 || !bndi_record_same_setup(a, b) || !bndi_record_same_data(a, b)) {
        return 0;
    }
    const unsigned chosen = BNDI_SETTING_CHOSEN | BNDI_SETTING_LENGTH;
    return 1 + (strcmp(a->optimizer, b->optimizer) == 0) + (same_number(a->lr, b->lr) ? 2 : 0) +
           (bndi_settings_apart(NULL, 0, a, b, chosen) == 0 ? 4 : 0);
}

static size_t reference_of(const bnd_summary_row *rows, size_t count, const bnd_summary_row *row)
{
    size_t best = 0;
    int most = 0;
    while (best < count && strcmp(rows[best].records->recipe, "fp32") != 0) {
        best++;
    }
    best = best < count ? best : 0; /* where none serves: the first in fp32, or the first of all */
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
    const size_t kept = put_in_order(records, count);
    n = divide(first, records, kept);
    count_repeats(first, n, records + kept, count - kept);
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
