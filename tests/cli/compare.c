/* Expected lines against real ones, and where they part. */
#include "tests/cli/transcript.h"

#include <stdio.h>

static bool any_number(span line)
{
    return span_equal(line, span_of("..."));
}

/* As a shell pattern with one kind of star: on a mismatch, the last star takes one line more. */
bool compare_match(lines expected, lines got)
{
    size_t e = 0, g = 0, star = 0, star_got = 0;
    bool starred = false;
    while (g < got.count) {
        if (e < expected.count && any_number(expected.line[e])) {
            starred = true;
            star = ++e;
            star_got = g;
        } else if (e < expected.count && span_equal(expected.line[e], got.line[g])) {
            e++;
            g++;
        } else if (starred) {
            e = star;
            g = ++star_got;
        } else {
            return false;
        }
    }
    while (e < expected.count && any_number(expected.line[e])) {
        e++;
    }
    return e == expected.count;
}

static void print_some(char sign, const span *line, size_t count)
{
    enum { MOST = 12 };
    for (size_t i = 0; i < count && i < MOST; i++) {
        printf("    %c %.*s\n", sign, (int)line[i].length, line[i].at);
    }
    if (count > MOST) {
        printf("    %c (%zu lines more)\n", sign, count - MOST);
    }
}

/* Without the lines that agree at the beginning and at the end, up to a "...". */
void compare_print(lines expected, lines got)
{
    size_t from = 0, end = 0;
    size_t least = expected.count < got.count ? expected.count : got.count;
    while (from < least && span_equal(expected.line[from], got.line[from])) {
        from++;
    }
    while (end < least - from && span_equal(expected.line[expected.count - 1 - end], got.line[got.count - 1 - end])) {
        end++;
    }
    printf("    from line %zu of the output (- expected, + got):\n", from + 1);
    print_some('-', expected.line + from, expected.count - from - end);
    print_some('+', got.line + from, got.count - from - end);
}
