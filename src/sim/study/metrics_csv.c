/* The metrics of a run as CSV, with a column for every key that has a number on some line. The file is read twice, for
 * its keys and for its rows, so that only one line is in memory. The whole file has been checked before anything is
 * written. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/json.h"

/* A value as it is written: a part of the line, or a word for a value that is not finite. */
typedef struct cell {
    const char *text;
    size_t length;
} cell;

typedef struct column {
    char *key;
    uint64_t row; /* the last that has it, from 1 */
    cell cell;    /* of that row */
} column;

typedef struct sheet {
    column *column;
    uint16_t *sorted; /* columns in the order of their keys */
    size_t count, room, next;
    uint64_t row, rows; /* the one at hand; how many there are */
    void (*write)(void *sink, const char *text, size_t length);
    void *sink;
} sheet;

/* ---- columns ---- */

/* Below 0, 0 or above it, as with strcmp. */
static int order(const char *key, size_t length, const char *other)
{
    int sign = strncmp(key, other, length);
    return sign != 0 ? sign : -(other[length] != '\0');
}

/* The index of a key among the sorted ones, or the index where it would be inserted. */
static size_t place_of(const sheet *s, const char *key, size_t length, bool *found)
{
    size_t from = 0, to = s->count;
    *found = false;
    while (from < to && !*found) {
        size_t middle = from + (to - from) / 2;
        int sign = order(key, length, s->column[s->sorted[middle]].key);
        *found = sign == 0;
        from = sign > 0 ? middle + 1 : from;
        to = sign > 0 ? to : middle;
    }
    return to;
}

/* The column of a key, or NULL. Lines have their keys in much the same order, so the column after the last one is
   tried first. */
static column *column_of(sheet *s, const char *key, size_t length)
{
    size_t at = s->next;
    bool found = at < s->count && order(key, length, s->column[at].key) == 0;
    if (!found) {
        size_t place = place_of(s, key, length, &found);
        at = found ? s->sorted[place] : 0;
    }
    s->next = found ? at + 1 : s->next;
    return found ? &s->column[at] : NULL;
}

static bnd_status make_room(sheet *s, bnd_error *why)
{
    size_t room = 2 * s->room + 64;
    column *columns = realloc(s->column, room * sizeof *columns);
    s->column = columns != NULL ? columns : s->column;
    uint16_t *sorted = columns != NULL ? realloc(s->sorted, room * sizeof *sorted) : NULL;
    if (sorted == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu columns", room);
    }
    s->sorted = sorted;
    s->room = room;
    return BND_OK;
}

static bnd_status add_column(sheet *s, const char *key, size_t length, bnd_error *why)
{
    bool found;
    size_t place = place_of(s, key, length, &found);
    if (s->count == BNDI_FIELDS_MOST) {
        return bnd_fail(why, BND_BAD_FILE, 0, "has too many new keys: the limit is %d columns in all",
                        BNDI_FIELDS_MOST);
    }
    bnd_status status = s->count < s->room ? BND_OK : make_room(s, why);
    if (status != BND_OK) {
        return status;
    }
    s->column[s->count] = (column){.key = strndup(key, length), .row = s->row};
    if (s->column[s->count].key == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a column");
    }
    memmove(s->sorted + place + 1, s->sorted + place, (s->count - place) * sizeof *s->sorted);
    s->sorted[place] = (uint16_t)s->count;
    s->next = ++s->count;
    return BND_OK;
}

static void clear(sheet *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->column[i].key);
    }
    free(s->column);
    free(s->sorted);
}

/* ---- members of a line ---- */

static bool ends_in(const char *text, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length > n && memcmp(text + length - n, end, n) == 0;
}

/* nan, inf and -inf, from any spelling in the line. */
static bool cell_of_special(cell *out, const char *text, size_t length)
{
    double x;
    bool is_special = bndi_special(&x, text, length);
    const char *word = !is_special || x != x ? "nan" : x > 0 ? "inf" : "-inf";
    *out = is_special ? (cell){word, strlen(word)} : *out;
    return is_special;
}

/* Numbers, true and false as they stand there. null is a number where KEY_is says which, and empty where nothing does.
 * What looks like one of them is one: the line has been read. */
static bool cell_of(cell *out, const char *text, size_t length)
{
    bool is_null = length > 0 && text[0] == 'n', has = is_null || (length > 0 && strchr("-0123456789tf", text[0]));
    bool is_special = cell_of_special(out, text, length);
    if (has && !is_special) {
        *out = (cell){text, is_null ? 0 : length};
    }
    return has || is_special;
}

typedef bnd_status each_member(sheet *s, const char *key, size_t key_length, const char *text, size_t length,
                               bnd_error *why);

static bnd_status find_column(sheet *s, const char *key, size_t key_length, const char *text, size_t length,
                              bnd_error *why)
{
    cell unused;
    if (!cell_of(&unused, text, length) || ends_in(key, key_length, "/exponents_from")) { /* histograms have no cell */
        return BND_OK;
    }
    column *c = column_of(s, key, key_length);
    if (c == NULL) {
        return add_column(s, key, key_length, why);
    }
    if (c->row == s->row) {
        return bnd_fail(why, BND_BAD_FILE, 0, "%.*s: appears twice", (int)(key_length < 48 ? key_length : 48), key);
    }
    c->row = s->row;
    return BND_OK;
}

static bnd_status fill_cell(sheet *s, const char *key, size_t key_length, const char *text, size_t length,
                            bnd_error *why)
{
    static const char ending[] = "_is"; /* "train/loss_is": "nan" */
    cell value = {NULL, 0};
    bool tells = length >= 2 && text[0] == '"' && ends_in(key, key_length, ending) &&
                 cell_of_special(&value, text + 1, length - 2);
    bool has = tells || (cell_of(&value, text, length) && value.length > 0);
    column *c = has ? column_of(s, key, key_length - (tells ? sizeof ending - 1 : 0)) : NULL;
    (void)why;
    if (c != NULL) {
        c->row = s->row;
        c->cell = value;
    }
    return BND_OK;
}

static bnd_status each_of(sheet *s, const char *line, size_t length, each_member *take, bnd_error *why)
{
    bndi_json_text text = {line, length};
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, &text, (bndi_json_span){0, length}, why);
    s->next = 0;
    s->row++;
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        while (m.value.to > m.value.from && strchr(" \t\r", line[m.value.to - 1]) != NULL) {
            m.value.to--;
        }
        status = take(s, line + m.key.from + 1, m.key.to - m.key.from - 2, line + m.value.from,
                      m.value.to - m.value.from, why);
    }
    return status;
}

/* ---- rows ---- */

/* Writes a field; quotes in it are doubled. */
static void put(sheet *s, const char *text, size_t length)
{
    const char *quote;
    bool quoted = memchr(text, ',', length) != NULL || memchr(text, '"', length) != NULL;
    s->write(s->sink, "\"", quoted);
    while ((quote = memchr(text, '"', length)) != NULL) {
        size_t n = (size_t)(quote - text) + 1;
        s->write(s->sink, text, n);
        s->write(s->sink, "\"", 1);
        text += n;
        length -= n;
    }
    s->write(s->sink, text, length);
    s->write(s->sink, "\"", quoted);
}

static void put_end(sheet *s, size_t at)
{
    s->write(s->sink, at + 1 < s->count ? "," : "\n", 1);
}

static bnd_status collect(void *sheet_of, const char *line, size_t length, bnd_error *why)
{
    sheet *s = sheet_of;
    s->rows++;
    return each_of(s, line, length, find_column, why);
}

static bnd_status put_row(void *sheet_of, const char *line, size_t length, bnd_error *why)
{
    sheet *s = sheet_of;
    bnd_status status = each_of(s, line, length, fill_cell, why);
    for (size_t i = 0; status == BND_OK && i < s->count; i++) {
        const column *c = &s->column[i];
        put(s, c->row == s->row ? c->cell.text : "", c->row == s->row ? c->cell.length : 0);
        put_end(s, i);
    }
    return status;
}

static void put_header(sheet *s)
{
    for (size_t i = 0; i < s->count; i++) {
        put(s, s->column[i].key, strlen(s->column[i].key));
        put_end(s, i);
        s->column[i].row = 0;
    }
    s->row = 0;
}

/* ---- the file ---- */

/* A pipe would be empty the second time. */
static bnd_status check_file(const char *file, bnd_error *why)
{
    struct stat about;
    return stat(file, &about) != 0 || S_ISREG(about.st_mode)
               ? BND_OK
               : bnd_fail(why, BND_BAD_FILE, 0,
                          "must be a regular file, because it is read twice; save it to one first");
}

/* Only the rows that were counted: a run that is still working may have written more since. */
static bnd_status put_sheet(sheet *s, const char *file, bnd_error *why)
{
    put_header(s);
    bnd_status status = bndi_points_each(file, s->rows, put_row, s, why);
    if (status == BND_OK && s->row < s->rows) {
        return bnd_fail(why, BND_BAD_STREAM, 0, "was truncated while it was read: %llu of %llu lines are left",
                        (unsigned long long)s->row, (unsigned long long)s->rows);
    }
    return status;
}

static bnd_status write_file(sheet *s, const char *file, bnd_error *why)
{
    bnd_status status = check_file(file, why);
    if (status == BND_OK) {
        status = bndi_points_each(file, UINT64_MAX, collect, s, why);
    }
    if (status == BND_OK && s->rows == 0) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "has no steps");
    }
    return status == BND_OK ? put_sheet(s, file, why) : status;
}

bnd_status bnd_metrics_write_csv(const char *path, void (*write)(void *sink, const char *text, size_t length),
                                 void *sink, bnd_error *why)
{
    sheet s = {.write = write, .sink = sink};
    bool directory = bndi_is_directory(path);
    bnd_status status = directory ? bndi_directory_check_run(path, why) : BND_OK;
    if (status != BND_OK) {
        return status;
    }
    char *file = directory ? bndi_path(path, "metrics.jsonl") : strdup(path);
    status =
        file != NULL ? write_file(&s, file, why) : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    free(file);
    clear(&s);
    return directory ? bndi_within(why, "metrics.jsonl", status) : status;
}
