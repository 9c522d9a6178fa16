/* Golden runs of the command: runs the commands of transcripts and compares what they print with what stands there.
 *
 *     transcript [--update] --bin DIRECTORY FILE...
 *
 * A transcript is a text file, or the ```console blocks of a Markdown file:
 *
 *     $ binade show 0.1        a command, for /bin/sh; a line that ends in \ goes on in a line that begins with "> "
 *     what it prints           standard output and standard error, compared exactly
 *     ...                      any number of lines
 *     [exit 2]                 the exit status, as the last line, where it is not 0
 *
 * An expectation ends at the next "$ ", or at a blank line after which only blank lines and "# comments" stand before
 * the next "$ " or the end; so blank lines at the end of an output are not compared. An output whose last line has no
 * newline ends in an extra line "[no final newline]". An output line that begins with "$ " cannot be written down.
 *
 * The commands of one file run one after the other in one empty directory, with DIRECTORY first in PATH, LC_ALL=C and
 * NO_COLOR=1. The processor seconds of each file are printed, and those of commands that take one or more.
 * --update writes what was printed into the files where it differs; what a "..." stood for stays out. */
#include "tests/cli/transcript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Where a command and its expectation stand: lines [at, from) and [from, to). */
typedef struct golden {
    size_t at, from, to;
} golden;

typedef struct transcript {
    const char *path;
    text content;
    lines line;
    bool markdown, in_block;
    size_t next; /* the line to go on from */
    char directory[512];
    text updated;
    size_t copied; /* lines of `content` that `updated` has already */
    size_t passed, failed;
} transcript;

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

static bool ends_in(span line, char c)
{
    return line.length > 0 && line.at[line.length - 1] == c;
}

static bool is_filler(span line)
{
    return line.length == 0 || line.at[0] == '#';
}

static bool is_status(span line)
{
    return ends_in(line, ']') && (span_begins(line, "[exit ") || span_begins(line, "[signal "));
}

/* Past the end of the fenced block that begins at line `at`. */
static size_t after_block(const transcript *t, size_t at)
{
    do {
        at++;
    } while (at < t->line.count && !span_begins(t->line.line[at], "```"));
    return at < t->line.count ? at + 1 : at;
}

/* The end of what can belong to the command at `at`: the next command, the end of the block, the end of the file. */
static size_t end_of_expectation(const transcript *t, size_t from)
{
    size_t end = from;
    while (end < t->line.count && !span_begins(t->line.line[end], "$ ") &&
           !(t->markdown && span_begins(t->line.line[end], "```"))) {
        end++;
    }
    size_t to = end;
    for (size_t i = end; i > from && is_filler(t->line.line[i - 1]); i--) {
        if (t->line.line[i - 1].length == 0) {
            to = i - 1;
        }
    }
    return to;
}

/* Finds the next command from `t->next` on. Lines that belong to nothing are reported: nobody would test them. */
static bool next_golden(transcript *t, golden *out)
{
    while (t->next < t->line.count) {
        size_t at = t->next;
        span line = t->line.line[at];
        if (t->markdown && !t->in_block) {
            t->in_block = span_equal(line, span_of("```console"));
            t->next = !t->in_block && span_begins(line, "```") ? after_block(t, at) : at + 1;
        } else if (t->markdown && span_begins(line, "```")) {
            t->in_block = false;
            t->next++;
        } else if (span_begins(line, "$ ")) {
            size_t from = at + 1;
            while (ends_in(t->line.line[from - 1], '\\') && from < t->line.count &&
                   span_begins(t->line.line[from], "> ")) {
                from++;
            }
            *out = (golden){at, from, end_of_expectation(t, from)};
            t->next = out->to;
            return true;
        } else {
            if (!is_filler(line)) {
                printf("%s:%zu: belongs to no command\n", t->path, at + 1);
                t->failed++;
            }
            t->next++;
        }
    }
    return false;
}

/* What was printed becomes lines to compare: no blank lines at the end, and a missing newline made visible. */
static lines comparable(text *output)
{
    if (output->length > 0 && output->bytes[output->length - 1] != '\n') {
        text_append_string(output, "\n[no final newline]\n");
    }
    lines got = lines_of(output);
    while (got.count > 0 && got.line[got.count - 1].length == 0) {
        got.count--;
    }
    return got;
}

static void copy_lines(transcript *t, size_t to)
{
    for (; t->copied < to; t->copied++) {
        text_append(&t->updated, t->line.line[t->copied].at, t->line.line[t->copied].length);
        text_append(&t->updated, "\n", 1);
    }
}

static void update_golden(transcript *t, const golden *g, lines expected, lines got, const char *status)
{
    for (size_t i = 0; i < got.count; i++) {
        if (span_begins(got.line[i], "$ ") || (t->markdown && span_begins(got.line[i], "```"))) {
            printf("    not updated: line %zu of the output would read as part of the transcript\n", i + 1);
            return;
        }
    }
    copy_lines(t, g->from);
    compare_merge(&t->updated, expected, got);
    if (status[0] != '\0') {
        text_append_string(&t->updated, status);
        text_append(&t->updated, "\n", 1);
    }
    t->copied = g->to;
}

/* Processor seconds of the commands so far. */
static double spent(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0) {
        return 0;
    }
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void run_golden(transcript *t, const golden *g, bool update)
{
    double before = spent();
    text command = {0}, output = {0};
    for (size_t i = g->at; i < g->from; i++) {
        text_append_string(&command, i > g->at ? "\n" : "");
        text_append(&command, t->line.line[i].at + 2, t->line.line[i].length - 2);
    }
    lines expected = {t->line.line + g->from, g->to - g->from};
    span status = {"", 0};
    if (expected.count > 0 && is_status(expected.line[expected.count - 1])) {
        status = expected.line[--expected.count];
    }
    shell_status real = {""};
    if (!shell_run(&real, &output, command.bytes, t->directory)) {
        snprintf(real.line, sizeof real.line, "[could not be started]");
    }
    lines got = comparable(&output);
    bool same_output = compare_match(expected, got);
    bool same_status = span_equal(status, span_of(real.line));
    if (same_output && same_status) {
        t->passed++;
    } else {
        t->failed++;
        printf("%s:%zu: $ %s\n", t->path, g->at + 1, command.bytes);
        if (!same_output) {
            compare_print(expected, got);
        }
        if (!same_status) {
            printf("    - %.*s\n    + %s\n", status.length > 0 ? (int)status.length : 8,
                   status.length > 0 ? status.at : "[exit 0]", real.line[0] != '\0' ? real.line : "[exit 0]");
        }
        if (update) {
            update_golden(t, g, expected, got, real.line);
        }
    }
    double seconds = spent() - before;
    if (seconds >= 1) {
        printf("%s:%zu: %.1f s\n", t->path, g->at + 1, seconds);
    }
    lines_free(&got);
    text_free(&output);
    text_free(&command);
}

static bool make_directory(char *out, size_t size)
{
    const char *parent = getenv("TMPDIR");
    int length = snprintf(out, size, "%s/binade-cli-XXXXXX", parent != NULL && parent[0] != '\0' ? parent : "/tmp");
    return length > 0 && (size_t)length < size && mkdtemp(out) != NULL;
}

/* Runs one file; false where it cannot be run at all. */
static bool run_file(transcript *t, bool update)
{
    if (!text_read_file(&t->content, t->path)) {
        fprintf(stderr, "transcript: cannot read %s\n", t->path);
        return false;
    }
    if (!make_directory(t->directory, sizeof t->directory)) {
        fputs("transcript: cannot make a temporary directory\n", stderr);
        return false;
    }
    t->markdown = has_suffix(t->path, ".md");
    t->line = lines_of(&t->content);
    for (golden g; next_golden(t, &g);) {
        run_golden(t, &g, update);
    }
    shell_status status;
    text output = {0};
    shell_run(&status, &output, "rm -rf -- \"$(pwd -P)\"", t->directory);
    text_free(&output);
    bool fine = true;
    if (t->copied > 0) {
        copy_lines(t, t->line.count);
        fine = text_write_file(&t->updated, t->path);
        printf("%s: %s\n", t->path, fine ? "updated" : "cannot be written");
    }
    lines_free(&t->line);
    text_free(&t->content);
    text_free(&t->updated);
    return fine;
}

static bool set_environment(const char *bin)
{
    const char *path = getenv("PATH");
    text value = {0};
    text_append_string(&value, bin);
    text_append_string(&value, ":");
    text_append_string(&value, path != NULL ? path : "/usr/bin:/bin");
    bool fine = setenv("PATH", value.bytes, 1) == 0 && setenv("LC_ALL", "C", 1) == 0 &&
                setenv("NO_COLOR", "1", 1) == 0 && unsetenv("COLUMNS") == 0;
    text_free(&value);
    return fine;
}

int main(int argc, char **argv)
{
    bool update = false;
    const char *bin = NULL;
    int first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
        if (strcmp(argv[first], "--update") == 0) {
            update = true;
        } else if (strcmp(argv[first], "--bin") == 0 && first + 1 < argc) {
            bin = argv[++first];
        } else {
            bin = NULL;
            break;
        }
    }
    if (bin == NULL || first == argc || !set_environment(bin)) {
        fputs("usage: transcript [--update] --bin DIRECTORY FILE...\n", stderr);
        return 2;
    }
    size_t passed = 0, failed = 0;
    for (int i = first; i < argc; i++) {
        transcript t = {.path = argv[i]};
        double before = spent();
        if (!run_file(&t, update)) {
            return 2;
        }
        printf("%s: %zu passed, %zu failed, %.1f s\n", t.path, t.passed, t.failed, spent() - before);
        passed += t.passed;
        failed += t.failed;
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
