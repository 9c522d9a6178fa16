/* A record's points as CSV. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include <binade-lab/store.h>

static void put(bndi_bytes *out, const char *text)
{
    bndi_bytes_write(out, text, strlen(text));
}

/* What was not measured is an empty field: NaN is one that was. */
static void write_field(bndi_bytes *out, const bnd_point *point, size_t column)
{
    const bndi_column *c = &bndi_columns[column];
    char text[BNDI_NUMBER_SIZE];
    if (c->kind == BNDI_COLUMN_NUMBER) {
        double x = bndi_column_number(point, c);
        bool says_nan =
            column == BNDI_COLUMN_LOSS || column == BNDI_COLUMN_VALIDATION || column == BNDI_COLUMN_VALIDATION_FP32;
        bool measured = bndi_column_measured(point, column) && (says_nan || x == x);
        bndi_number_text(text, x);
        put(out, measured ? text : "");
    } else {
        bndi_number_text(text, (double)bndi_column_count(point, c)); /* below 2^53 */
        put(out, text);
    }
}

/* Files of runs that do not clip gradients have no column for it. */
static bool is_there(const bnd_record *record, size_t column)
{
    bool clips = column != BNDI_COLUMN_CLIP_FACTOR;
    for (size_t row = 0; !clips && row < record->count; row++) {
        clips = record->points[row].clips;
    }
    return clips;
}

static void write_all(bndi_bytes *out, const bnd_record *record)
{
    bool has[BNDI_COLUMNS];
    for (size_t i = 0; i < BNDI_COLUMNS; i++) {
        has[i] = is_there(record, i);
        put(out, i > 0 && has[i] ? "," : "");
        put(out, has[i] ? bndi_columns[i].key : "");
    }
    put(out, "\n");
    for (size_t row = 0; row < record->count; row++) {
        for (size_t i = 0; i < BNDI_COLUMNS; i++) {
            if (has[i]) {
                put(out, i > 0 ? "," : "");
                write_field(out, &record->points[row], i);
            }
        }
        put(out, "\n");
    }
}

bnd_status bnd_record_write_csv(const bnd_record *record, const char *path, bnd_error *why)
{
    bndi_bytes text = {.at = NULL};
    write_all(&text, record);
    bnd_status status = bndi_bytes_check(&text, why);
    if (status == BND_OK) {
        status = bndi_bytes_save(&text, path, why);
    }
    bndi_bytes_free(&text);
    return status;
}
