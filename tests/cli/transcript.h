/* The parts of the transcript runner: spans of text, the comparison of outputs, the shell. */
#ifndef BINADE_TESTS_CLI_TRANSCRIPT_H
#define BINADE_TESTS_CLI_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of someone else's memory; output may hold any byte. */
typedef struct span {
    const char *at;
    size_t length;
} span;

typedef struct text {
    char *bytes;
    size_t length, room;
} text;

typedef struct lines {
    span *line;
    size_t count;
} lines;

/* text.c: memory that runs out ends the program. */
span span_of(const char *string);
bool span_equal(span a, span b);
bool span_begins(span a, const char *with);
void text_append(text *t, const char *bytes, size_t length);
void text_append_string(text *t, const char *string);
void text_free(text *t);
bool text_read_file(text *out, const char *path);
bool text_write_file(const text *t, const char *path);

/* Without their newlines; a last line that has none counts too. To be freed by lines_free; they point into `t`. */
lines lines_of(const text *t);
void lines_free(lines *l);

/* compare.c: a line "..." in `expected` stands for any number of lines of `got`. */
bool compare_match(lines expected, lines got);
void compare_print(lines expected, lines got);

/* merge.c: what --update writes. Lines that a "..." of `expected` stood for stay left out; the others become those of
 * `got`. Without a "..." that is all of `got`. */
void compare_merge(text *out, lines expected, lines got);

/* shell.c: runs `command` by /bin/sh in `directory` without standard input and appends what it prints on either stream.
 * `status` becomes "" for exit status 0, "[exit 2]", "[signal 11]" or "[still running after 120 s]". */
typedef struct shell_status {
    char line[48];
} shell_status;

bool shell_run(shell_status *status, text *output, const char *command, const char *directory);

#endif
