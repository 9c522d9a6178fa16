/* Points in rows of CSV. */
#include "study/points.h"

#include <string.h>

#include <binade/text.h>

/* A header without commas may have tabs, or semicolons. */
static char separator_of(const char *header)
{
    return strchr(header, ',') != NULL    ? ','
           : strchr(header, '\t') != NULL ? '\t'
           : strchr(header, ';') != NULL  ? ';'
                                          : ',';
}

/* The end of a field that begins behind a quote, where *behind is what follows its last quote; NULL: there is none. Two
 * quotes are one of the field: what is behind them moves. */
static char *end_of_quoted(char *start, char **behind)
{
    char *end = start;
    for (const char *at = start; *at != '\0'; at++) {
        if (*at == '"' && *++at != '"') {
            *behind = start + (at - start);
            return end;
        }
        *end++ = *at;
    }
    return NULL;
}

/* The next field: *at goes behind its separator, and is NULL behind the last one. Quotes around it go, blanks too. */
static bool next_field(char **at, char **field, size_t *length, const char separator[2])
{
    const char *blanks = separator[0] == '\t' ? " " : " \t";
    char *start = *at + strspn(*at, blanks), *end;
    if (*start == '"') {
        char *behind = NULL;
        end = end_of_quoted(++start, &behind);
        if (end == NULL) {
            return false;
        }
        behind += strspn(behind, separator[0] == '\t' ? " \r" : " \t\r");
        if (*behind != separator[0] && *behind != '\0') {
            return false;
        }
        *at = *behind == separator[0] ? behind + 1 : NULL;
    } else {
        end = start + strcspn(start, separator);
        *at = *end == separator[0] ? end + 1 : NULL;
        while (end > start && strchr(" \t\r", end[-1]) != NULL) {
            end--;
        }
    }
    *field = start;
    *length = (size_t)(end - start);
    return true;
}

static bnd_status collect_fields(bndi_keys *keys, bndi_reading *r, char *line, const char separator[2])
{
    while (line != NULL) {
        char *field;
        size_t length;
        if (keys->count == BNDI_FIELDS_MOST || !next_field(&line, &field, &length, separator)) {
            return bndi_line_refuse(r->line, "has an open quote, or more than 65536 columns", "the header", 10, r->why);
        }
        bnd_status status = bndi_keys_add(keys, field, length, r->why);
        if (status != BND_OK) {
            return status;
        }
    }
    return BND_OK;
}

static bnd_status lay_out(bndi_fields *out, bndi_reading *r, const bndi_keys *keys)
{
    uint32_t have = 0;
    out->count = keys->count;
    for (size_t i = 0; i < keys->count; i++) {
        size_t column = bndi_reading_column(r, keys->at[i].at, keys->at[i].length);
        if (column < BNDI_COLUMNS && have >> column & 1) {
            return bndi_line_refuse(r->line, "appears twice", keys->at[i].at, keys->at[i].length, r->why);
        }
        have |= column < BNDI_COLUMNS ? 1u << column : 0;
        out->column[i] = (uint8_t)column;
    }
    return BND_OK;
}

bnd_status bndi_fields_read(bndi_fields *out, bndi_reading *r, char *line)
{
    bndi_keys keys = {.at = NULL};
    out->separator[0] = separator_of(line);
    bnd_status status = collect_fields(&keys, r, line, out->separator);
    if (status == BND_OK) {
        status = bndi_in_line(r->line, r->why, bndi_log_choose(&r->names, &keys, r->asked, r->why));
    }
    if (status == BND_OK) {
        status = lay_out(out, r, &keys);
    }
    bndi_keys_free(&keys);
    return status;
}

static bnd_status read_field(bndi_reading *r, size_t column, const char *field, size_t length)
{
    static const bnd_rule nearest = {.rounding = BND_ROUND_RNE};
    bool yes = bndi_is_key(field, length, "true") || bndi_is_key(field, length, "True");
    bool no = bndi_is_key(field, length, "false") || bndi_is_key(field, length, "False");
    const bnd_format *fp64 = bnd_format_at(BND_FORMAT_FP64);
    bnd_result x;
    if (column == BNDI_COLUMNS || length == 0) {
        return BND_OK; /* not known, or not measured */
    }
    if (yes || no) {
        return bndi_reading_set(r, column, yes);
    }
    if (bnd_parse_n(&x, fp64, field, length, nearest, 0, NULL) != BND_OK) {
        return bndi_line_refuse(r->line, "must be a number", field, length, r->why);
    }
    return bndi_reading_set(r, column, bnd_decode(fp64, x.code));
}

bnd_status bndi_row_of_fields(bndi_reading *r, const bndi_fields *columns, char *line)
{
    size_t i = 0, length;
    char *field;
    for (; line != NULL; i++) {
        if (!next_field(&line, &field, &length, columns->separator)) {
            return bndi_line_refuse(r->line, "has an open quote", "the row", 7, r->why);
        }
        bnd_status status = i < columns->count ? read_field(r, columns->column[i], field, length) : BND_OK;
        if (status != BND_OK) {
            return status;
        }
    }
    if (i != columns->count) {
        return bnd_fail(r->why, BND_BAD_FILE, 0, "line %llu: got %zu fields; the header has %zu",
                        (unsigned long long)r->line, i, columns->count);
    }
    return BND_OK;
}
