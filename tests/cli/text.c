/* Spans, growing text, lines and whole files, for the transcript runner. */
#include "tests/cli/transcript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

span span_of(const char *string)
{
    return (span){string, strlen(string)};
}

bool span_equal(span a, span b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

bool span_begins(span a, const char *with)
{
    size_t length = strlen(with);
    return a.length >= length && memcmp(a.at, with, length) == 0;
}

static void *or_die(void *memory)
{
    if (memory == NULL) {
        fputs("transcript: out of memory\n", stderr);
        exit(99);
    }
    return memory;
}

void text_append(text *t, const char *bytes, size_t length)
{
    if (t->room - t->length <= length) {
        t->room = 2 * t->room + length + 256;
        t->bytes = or_die(realloc(t->bytes, t->room));
    }
    if (length > 0) {
        memcpy(t->bytes + t->length, bytes, length);
    }
    t->length += length;
    t->bytes[t->length] = '\0';
}

void text_append_string(text *t, const char *string)
{
    text_append(t, string, strlen(string));
}

void text_free(text *t)
{
    free(t->bytes);
    *t = (text){0};
}

bool text_read_file(text *out, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    char buffer[4096];
    size_t count;
    text_append(out, "", 0);
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0) {
        text_append(out, buffer, count);
    }
    bool fine = ferror(file) == 0;
    return fclose(file) == 0 && fine;
}

bool text_write_file(const text *t, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    bool fine = fwrite(t->bytes, 1, t->length, file) == t->length;
    return fclose(file) == 0 && fine;
}

lines lines_of(const text *t)
{
    lines l = {0};
    size_t newlines = 0;
    for (size_t i = 0; i < t->length; i++) {
        newlines += t->bytes[i] == '\n';
    }
    l.line = or_die(calloc(newlines + 1, sizeof *l.line));
    size_t from = 0;
    for (size_t i = 0; i < t->length; i++) {
        if (t->bytes[i] == '\n') {
            l.line[l.count++] = (span){t->bytes + from, i - from};
            from = i + 1;
        }
    }
    if (from < t->length) {
        l.line[l.count++] = (span){t->bytes + from, t->length - from};
    }
    return l;
}

void lines_free(lines *l)
{
    free(l->line);
    *l = (lines){0};
}
