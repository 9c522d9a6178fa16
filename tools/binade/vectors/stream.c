/* Lines of test vectors from a file or standard input. */
#include "vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct source {
    judge judge;
    vectors *asked;
    const char *name;
    int in;
    bool failed;
    progress bar;
    uint64_t number;
    uint64_t operands[BND_VECTOR_OPERANDS_MAX];
    char line[2 * BND_VECTOR_LINE_MAX], block[1 << 16];
    size_t length, at, end; /* of the line; in the block */
} source;

/* Reads as much of the input as is available, so that lines from a pipe are checked as they arrive. False at the
   end, or if *failed is set. */
static bool fill(source *s)
{
    ssize_t count;
    do {
        count = read(s->in, s->block, sizeof s->block);
    } while (count < 0 && errno == EINTR);
    s->failed = count < 0;
    s->at = 0;
    s->end = count > 0 ? (size_t)count : 0;
    return count > 0;
}

/* The next line without its end. False at the end of the file; a line that is too long is cut, and *whole false. */
static bool next_line(source *s, bool *whole)
{
    bool found = false, ended = false;
    s->length = 0;
    *whole = true;
    while (!ended && (s->at < s->end || fill(s))) {
        const char *from = s->block + s->at, *newline = memchr(from, '\n', s->end - s->at);
        size_t length = newline != NULL ? (size_t)(newline - from) : s->end - s->at;
        found = true;
        ended = newline != NULL;
        *whole = length <= sizeof s->line - s->length;
        if (!*whole) {
            return true;
        }
        memcpy(s->line + s->length, from, length);
        s->length += length;
        s->at += length + ended;
    }
    s->number += found;
    return found;
}

static bool is_comment(const source *s)
{
    return s->line[0] == '#' || (s->length >= 2 && s->line[0] == '/' && s->line[1] == '/');
}

static bool is_blank(const source *s)
{
    for (size_t i = 0; i < s->length; i++) {
        if (s->line[i] != ' ' && s->line[i] != '\t' && s->line[i] != '\r') {
            return false;
        }
    }
    return true;
}

static int refuse(source *s, const char *message)
{
    progress_end(&s->bar);
    return complain(s->asked->common.command, "%s: line %llu: %s", s->name, (unsigned long long)s->number, message);
}

/* Choices that the command line makes count before those of the header. Dialects do not say how to flush, nor when
 * tininess is detected. */
static void override(bnd_vectors *described, const settings *s)
{
    bnd_rule header = described->rule, rule = header;
    if (s->dialect_given && bnd_dialect_rule(&rule, s->dialect, &described->out)) {
        rule.flush_in = header.flush_in;
        rule.flush_out = header.flush_out;
        rule.tiny_before = header.tiny_before;
    }
    described->rule = bnd_vectors_rule(described, rule_with(s, rule));
}

static int take_header(source *s)
{
    bnd_vectors described;
    bnd_error why;
    if (s->judge.has_description || strstr(s->line, "binade-vectors") == NULL) {
        return GO_ON;
    }
    if (bnd_vectors_parse_header_n(&described, s->line, s->length, &why) != BND_OK) {
        return refuse(s, why.message);
    }
    int status = refuse_silent_dialect(&s->asked->common, &described.out);
    if (status != GO_ON) {
        progress_end(&s->bar);
        return status;
    }
    override(&described, &s->asked->common);
    return judge_begin(&s->judge, &described);
}

static int take_line(source *s)
{
    bnd_vector_line line = {.operands = s->operands};
    bnd_error why;
    if (is_blank(s)) {
        return GO_ON;
    }
    if (is_comment(s)) {
        return take_header(s);
    }
    if (!s->judge.has_description) {
        return refuse(s, "expected a header '# binade-vectors 1 op=...'; without one, give --op, --in and --out");
    }
    if (bnd_vector_parse_n(&line, &s->judge.described, BND_VECTOR_ANSWER_WHOLE, s->line, s->length, &why) != BND_OK) {
        return refuse(s, why.message);
    }
    return judge_line(&s->judge, &line, s->number);
}

static int read_all(source *s)
{
    enum { AT_ONCE = 4096 };
    int status = GO_ON;
    progress_begin(&s->bar, &s->asked->common, "lines", PROGRESS_ITEMS, 0);
    for (bool whole; status == GO_ON && next_line(s, &whole);) {
        if (!whole) {
            s->number++;
            return refuse(s, "the line is longer than any test vector");
        }
        s->line[s->length < sizeof s->line ? s->length : sizeof s->line - 1] = '\0';
        status = ferror(stdout) ? BAD_STREAM : take_line(s);
        if (s->number % AT_ONCE == 0) {
            progress_at(&s->bar, s->number);
        }
    }
    progress_end(&s->bar);
    if (status == GO_ON && s->failed) {
        complain(s->asked->common.command, "%s: cannot be read: %s", s->name, strerror(errno));
        return BAD_STREAM;
    }
    return status;
}

/* Empty input does not count as agreement: the program that should have written the lines may have failed. */
static bool has_lines(const judge *j)
{
    return j->has_description && bnd_vector_check_coverage(j->check)->lines > 0;
}

int check_stream(vectors *v)
{
    const settings *common = &v->common;
    bool standard = common->operand_count < 2 || strcmp(common->operands[1], "-") == 0;
    source *s = allocate(NULL, 1, sizeof *s);
    *s = (source){.asked = v, .judge = {.asked = v}, .name = standard ? "standard input" : common->operands[1]};
    int status = GO_ON;
    s->in = standard ? STDIN_FILENO : open(s->name, O_RDONLY | O_CLOEXEC);
    if (s->in < 0) {
        complain(common->command, "%s: cannot be opened: %s", s->name, strerror(errno));
        status = BAD_STREAM;
    }
    if (status == GO_ON && v->op != NULL) {
        bnd_vectors described;
        status = describe(&described, v);
        status = status == GO_ON ? judge_begin(&s->judge, &described) : status;
    }
    status = status == GO_ON ? read_all(s) : status;
    if (status == GO_ON) {
        status = has_lines(&s->judge) ? judge_report(&s->judge)
                                      : complain(common->command, "%s has no test vectors", s->name);
    }
    if (s->in >= 0 && !standard) {
        close(s->in);
    }
    judge_end(&s->judge);
    free(s);
    return status;
}
