/* --update of an expectation that leaves lines out: what it left out stays out. */
#include "tests/cli/transcript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Costs of one step of the alignment. Lines that begin or end with the same word are taken for one that has changed. */
enum { CHANGED = 1, MOVED = 2, DROPPED = 3, ADDED = 2, NEVER = 1 << 20 };

typedef struct table {
    lines expected, got;
    int *cost; /* of what follows: (expected.count + 1) rows of (got.count + 1) */
} table;

static bool left_out(span line)
{
    return span_equal(line, span_of("..."));
}

/* How many words both begin with; blanks between words do not count. */
static int first_words(span a, span b)
{
    int words = 0;
    for (size_t i = 0, j = 0; i < a.length && j < b.length && a.at[i] == b.at[j]; words++) {
        while (i < a.length && j < b.length && a.at[i] == b.at[j] && a.at[i] != ' ') {
            i++, j++;
        }
        if ((i < a.length && a.at[i] != ' ') || (j < b.length && b.at[j] != ' ')) {
            break;
        }
        while (i < a.length && a.at[i] == ' ') {
            i++;
        }
        while (j < b.length && b.at[j] == ' ') {
            j++;
        }
    }
    return words;
}

/* Of at least three characters: "-" and "ok" end many lines. */
static bool same_last_word(span a, span b)
{
    size_t i = 0;
    while (i < a.length && i < b.length && a.at[a.length - 1 - i] == b.at[b.length - 1 - i] &&
           a.at[a.length - 1 - i] != ' ') {
        i++;
    }
    return i > 2 && (i == a.length || a.at[a.length - 1 - i] == ' ') &&
           (i == b.length || b.at[b.length - 1 - i] == ' ');
}

static int *cell(const table *t, size_t e, size_t g)
{
    return &t->cost[e * (t->got.count + 1) + g];
}

/* Of taking expected line e and printed line g for the same. */
static int cost_of_pair(const table *t, size_t e, size_t g)
{
    if (left_out(t->expected.line[e])) {
        return NEVER;
    }
    if (span_equal(t->expected.line[e], t->got.line[g])) {
        return 0;
    }
    const span a = t->expected.line[e], b = t->got.line[g];
    const int words = first_words(a, b);
    return words > 1 ? CHANGED : words == 1 || same_last_word(a, b) ? MOVED : NEVER;
}

/* Of going on without expected line e, and of going past printed line g: "..." takes both for nothing. */
static int cost_of_dropping(const table *t, size_t e)
{
    return left_out(t->expected.line[e]) ? 0 : DROPPED;
}

static int cost_of_passing(const table *t, size_t e)
{
    return e < t->expected.count && left_out(t->expected.line[e]) ? 0 : ADDED;
}

static int least(const table *t, size_t e, size_t g)
{
    int best = NEVER;
    if (e < t->expected.count && g < t->got.count) {
        best = *cell(t, e + 1, g + 1) + cost_of_pair(t, e, g);
    }
    if (e < t->expected.count && *cell(t, e + 1, g) + cost_of_dropping(t, e) < best) {
        best = *cell(t, e + 1, g) + cost_of_dropping(t, e);
    }
    if (g < t->got.count && *cell(t, e, g + 1) + cost_of_passing(t, e) < best) {
        best = *cell(t, e, g + 1) + cost_of_passing(t, e);
    }
    return best;
}

static void append_line(text *out, span line)
{
    text_append(out, line.at, line.length);
    text_append(out, "\n", 1);
}

void compare_merge(text *out, lines expected, lines got)
{
    table t = {expected, got, malloc((expected.count + 1) * (got.count + 1) * sizeof(int))};
    if (t.cost == NULL) {
        fputs("transcript: out of memory\n", stderr);
        exit(1);
    }
    for (size_t e = expected.count + 1; e-- > 0;) {
        for (size_t g = got.count + 1; g-- > 0;) {
            *cell(&t, e, g) = e == expected.count && g == got.count ? 0 : least(&t, e, g);
        }
    }
    size_t e = 0, g = 0, written = 0;
    bool after_dots = false; /* a second "..." says nothing */
    const size_t before = out->length;
    while (e < expected.count || g < got.count) {
        int cost = *cell(&t, e, g);
        if (e < expected.count && g < got.count && cost == *cell(&t, e + 1, g + 1) + cost_of_pair(&t, e, g)) {
            append_line(out, got.line[g++]);
            written++;
            after_dots = false;
            e++;
        } else if (g < got.count && cost == *cell(&t, e, g + 1) + cost_of_passing(&t, e)) {
            if (cost_of_passing(&t, e) > 0) {
                append_line(out, got.line[g]);
                after_dots = false;
            }
            g++;
        } else {
            if (left_out(expected.line[e]) && !after_dots) {
                append_line(out, expected.line[e]);
                after_dots = true;
            }
            e++;
        }
    }
    free(t.cost);
    if (written == 0) { /* nothing is as it was: "..." alone would stand for anything */
        out->length = before;
        for (g = 0; g < got.count; g++) {
            append_line(out, got.line[g]);
        }
    }
}
