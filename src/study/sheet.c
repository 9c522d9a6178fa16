/* The lines of a run as a sheet: CSV with a column for every key that has a number somewhere. The file is read twice,
 * for its keys and for its rows, so that memory is needed for one line only. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include "store/json.h"

typedef struct sheet {
    char **key;
    bndi_json_span *cell; /* of the row at hand: where its text stands in the line; empty where there is none */
    size_t count, room, next;
    void (*write)(void *sink, const char *text, size_t length);
    void *sink;
} sheet;

/* ---- columns ---- */

static bool is_key(const sheet *s, size_t column, const char *key, size_t length)
{
    return column < s->count && strncmp(s->key[column], key, length) == 0 && s->key[column][length] == '\0';
}

/* Lines have their keys in much the same order: the column after the last one comes first. */
static size_t column_of(sheet *s, const char *key, size_t length)
{
    size_t column = s->next;
    if (!is_key(s, column, key, length)) {
        for (column = 0; column < s->count && !is_key(s, column, key, length);) {
            column++;
        }
    }
    s->next = column + 1;
    return column;
}

static bnd_status add_column(sheet *s, const char *key, size_t length, bnd_error *why)
{
    if (s->count == s->room) {
        size_t room = 2 * s->room + 64;
        char **keys = realloc(s->key, room * sizeof *keys);
        s->key = keys != NULL ? keys : s->key;
        bndi_json_span *cells = keys != NULL ? realloc(s->cell, room * sizeof *cells) : NULL;
        if (cells == NULL) {
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu columns", room);
        }
        s->cell = cells;
        s->room = room;
    }
    s->key[s->count] = strndup(key, length);
    if (s->key[s->count] == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a column");
    }
    s->count++;
    return BND_OK;
}

static void clear(sheet *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->key[i]);
    }
    free(s->key);
    free(s->cell);
}

/* ---- members of a line ---- */

static bool is_number(const char *text, size_t length)
{
    return length > 0 && strspn(text, "0123456789+-.eE") >= length;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* null is a number where KEY_is says which. */
static bool has_cell(const char *text, size_t length)
{
    return is_number(text, length) || is_word(text, length, "null") || is_word(text, length, "true") ||
           is_word(text, length, "false");
}

/* What null stands for, in quotes. */
static bool is_kind(const char *text, size_t length)
{
    return is_word(text, length, "\"nan\"") || is_word(text, length, "\"inf\"") || is_word(text, length, "\"-inf\"");
}

typedef bnd_status each_member(sheet *s, const char *key, size_t key_length, const bndi_json_text *text,
                               bndi_json_span value, bnd_error *why);

static bnd_status find_columns(sheet *s, const char *key, size_t key_length, const bndi_json_text *text,
                               bndi_json_span value, bnd_error *why)
{
    static const char histogram[] = "/exponents_from"; /* of a histogram, which is no cell */
    const size_t more = sizeof histogram - 1;
    bool is_column = has_cell(text->bytes + value.from, value.to - value.from) &&
                     !(key_length > more && memcmp(key + key_length - more, histogram, more) == 0);
    return is_column && column_of(s, key, key_length) == s->count ? add_column(s, key, key_length, why) : BND_OK;
}

static bnd_status fill_cell(sheet *s, const char *key, size_t key_length, const bndi_json_text *text,
                            bndi_json_span value, bnd_error *why)
{
    static const char ending[] = "_is"; /* "train/loss_is": "nan" */
    const size_t more = sizeof ending - 1;
    const char *at = text->bytes + value.from;
    bool tells =
        key_length > more && memcmp(key + key_length - more, ending, more) == 0 && is_kind(at, value.to - value.from);
    bool has = has_cell(at, value.to - value.from) && !is_word(at, value.to - value.from, "null");
    size_t column = tells || has ? column_of(s, key, key_length - (tells ? more : 0)) : s->count;
    (void)why;
    if (column < s->count) {
        s->cell[column] = tells ? (bndi_json_span){value.from + 1, value.to - 1} : value;
    }
    return BND_OK;
}

static bnd_status each_of(sheet *s, const bndi_json_text *text, each_member *take, bnd_error *why)
{
    bndi_json_members m;
    bnd_status status = bndi_json_open(&m, text, (bndi_json_span){0, text->length}, why);
    s->next = 0;
    while (status == BND_OK) {
        status = bndi_json_next(&m, why);
        if (status != BND_OK || !m.more) {
            break;
        }
        while (m.value.to > m.value.from && strchr(" \t\r", text->bytes[m.value.to - 1]) != NULL) {
            m.value.to--;
        }
        status = take(s, text->bytes + m.key.from + 1, m.key.to - m.key.from - 2, text, m.value, why);
    }
    return status;
}

/* ---- rows ---- */

/* A field; a quote in it stands twice. */
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

static void put_end(sheet *s, size_t column)
{
    s->write(s->sink, column + 1 < s->count ? "," : "\n", 1);
}

static bnd_status collect(sheet *s, const bndi_json_text *line, bnd_error *why)
{
    return each_of(s, line, find_columns, why);
}

static bnd_status put_row(sheet *s, const bndi_json_text *line, bnd_error *why)
{
    memset(s->cell, 0, s->count * sizeof *s->cell);
    bnd_status status = each_of(s, line, fill_cell, why);
    for (size_t i = 0; status == BND_OK && i < s->count; i++) {
        put(s, line->bytes + s->cell[i].from, s->cell[i].to - s->cell[i].from);
        put_end(s, i);
    }
    return status;
}

/* A last line without an end, as a killed run leaves it, is not looked at. */
static bnd_status each_line(sheet *s, const char *path,
                            bnd_status (*take)(sheet *s, const bndi_json_text *line, bnd_error *why), bnd_error *why)
{
    bndi_lines lines;
    char *line = NULL, number[40];
    size_t length = 0;
    bnd_status status = bndi_lines_open(&lines, path, why);
    if (status != BND_OK) {
        return status;
    }
    do {
        status = bndi_lines_next(&line, &length, &lines, why);
        if (status == BND_OK && line != NULL && lines.ended && strspn(line, " \t\r") < length) {
            bndi_text name = bndi_text_in(number, sizeof number);
            bndi_text_string(&name, "line ");
            bndi_text_unsigned(&name, lines.number, 10, 1);
            status = bndi_within(why, number, take(s, &(bndi_json_text){line, length}, why));
        }
    } while (status == BND_OK && line != NULL);
    bndi_lines_close(&lines);
    return status;
}

bnd_status bnd_metrics_write_csv(const char *path, void (*write)(void *sink, const char *text, size_t length),
                                 void *sink, bnd_error *why)
{
    sheet s = {.write = write, .sink = sink};
    bool directory = bndi_is_directory(path);
    char *file = directory ? bndi_path(path, "metrics.jsonl") : strdup(path);
    bnd_status status = file != NULL ? each_line(&s, file, collect, why)
                                     : bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the name of a file");
    if (status == BND_OK && s.count == 0) {
        status = bnd_fail(why, BND_BAD_FILE, 0, "has no numbers: it should be objects of JSON, one a line");
    }
    for (size_t i = 0; status == BND_OK && i < s.count; i++) {
        put(&s, s.key[i], strlen(s.key[i]));
        put_end(&s, i);
    }
    if (status == BND_OK) {
        status = each_line(&s, file, put_row, why);
    }
    free(file);
    clear(&s);
    return directory ? bndi_within(why, "metrics.jsonl", status) : status;
}
