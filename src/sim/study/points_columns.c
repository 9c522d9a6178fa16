/* The columns of a line of points, JSON or CSV, and which lines are refused. */
#include "study/points.h"

#include <string.h>

bnd_status bndi_line_refuse(uint64_t line, const char *what, const char *name, size_t length, bnd_error *why)
{
    size_t shown = length < 48 ? length : 48;
    return bnd_fail(why, BND_BAD_FILE, 0, "line %llu: %.*s: %s", (unsigned long long)line, (int)shown, name, what);
}

bnd_status bndi_in_line(uint64_t line, bnd_error *why, bnd_status status)
{
    if (status != BND_OK && why != NULL) {
        static const char first[] = "line 1, "; /* of the text that the line is */
        bnd_error inner = *why;
        bool says = strncmp(inner.message, first, sizeof first - 1) == 0;
        return bnd_fail(why, status, inner.where, "line %llu: %s", (unsigned long long)line,
                        inner.message + (says ? sizeof first - 1 : 0));
    }
    return status;
}

bool bndi_is_key(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static size_t column_of(const char *key, size_t length)
{
    size_t i = 0;
    while (i < BNDI_COLUMNS && !bndi_same_key(key, length, bndi_columns[i].key, strlen(bndi_columns[i].key))) {
        i++;
    }
    return i;
}

size_t bndi_reading_column(const bndi_reading *r, const char *key, size_t length)
{
    if (r->names.step[0] == '\0') {
        return column_of(key, length);
    }
    size_t known = r->names.only ? BNDI_COLUMNS : column_of(key, length);
    bool other = known == BNDI_COLUMN_STEP || known == BNDI_COLUMN_LOSS || known == BNDI_COLUMN_TRAIN_LOSS;
    return bndi_is_key(key, length, r->names.step)   ? BNDI_COLUMN_STEP
           : bndi_is_key(key, length, r->names.loss) ? BNDI_COLUMN_LOSS
           : other && r->names.foreign               ? BNDI_COLUMNS
                                                     : known;
}

bnd_status bndi_reading_set(bndi_reading *r, size_t column, double x)
{
    const char *key = bndi_columns[column].key;
    if (r->have >> column & 1) {
        return bndi_line_refuse(r->line, "appears twice", key, strlen(key), r->why);
    }
    r->have |= 1u << column;
    if (!bndi_column_set(&r->point, column, x)) {
        return bndi_line_refuse(r->line, "must be a whole number of at least 0 (skipped: true or false)", key,
                                strlen(key), r->why);
    }
    return BND_OK;
}
