/* Names of modules in configs: as they are, "re:" and a regular expression, or a pattern with '*' and '?'.
 *
 * Expressions come from a file. A matcher that goes back and forth could take for ever, so its steps are counted. It
 * knows literals, '.', sets, groups with '|', '*', '+', '?', '^' and '$'. An expression with anything else is unsure,
 * and no finding follows from it. */
#include "lint/lint.h"

#include <string.h>

enum { MOST_STEPS = 20000, UNSURE = -1, NO = 0, YES = 1 };

typedef struct matcher {
    unsigned steps;
    const char *text; /* its beginning */
} matcher;

/* ---- one character ---- */

/* The end of the item that begins here: a character, an escape, a set; NULL for what is not known. */
static const char *item_end(const char *p, const char *end)
{
    if (*p == '\\') {
        return end - p >= 2 ? p + 2 : NULL;
    }
    if (*p == '[') {
        const char *close = p + 1 + (p + 1 < end && p[1] == '^');
        close += close < end && *close == ']';
        while (close < end && *close != ']') {
            if (*close == '\\' || *close == '[') {
                return NULL;
            }
            close++;
        }
        return close < end ? close + 1 : NULL;
    }
    return strchr("(){}|*+?", *p) != NULL ? NULL : p + 1;
}

static bool in_set(const char *p, const char *end, char c)
{
    bool inverted = p[1] == '^', found = false;
    const char *last = end - 1;
    for (p += inverted ? 2 : 1; p < last; p++) {
        if (p + 2 < last && p[1] == '-') {
            found = found || (c >= p[0] && c <= p[2]);
            p += 2;
        } else {
            found = found || c == *p;
        }
    }
    return found != inverted;
}

static int item_matches(const char *p, const char *end, char c)
{
    if (c == '\0') {
        return NO;
    }
    if (*p == '\\') {
        bool digit = c >= '0' && c <= '9', upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
        bool letter = (p[1] >= 'a' && p[1] <= 'z') || (p[1] >= 'A' && p[1] <= 'Z') || (p[1] >= '0' && p[1] <= '9');
        return p[1] == 'd' ? digit : p[1] == 'w' ? digit || upper || lower || c == '_' : letter ? UNSURE : c == p[1];
    }
    return *p == '[' ? in_set(p, end, c) : *p == '.' || *p == c;
}

/* ---- an expression, from the beginning of the text; it may end before the text does ---- */

/* What follows the part that is being matched. */
typedef struct rest {
    const char *p, *end;
    const struct rest *next;
} rest;

static int match(matcher *m, const char *p, const char *end, const rest *next, const char *text);

static int match_repeated(matcher *m, const char *item, const char *after, const char *end, const rest *next,
                          const char *text)
{
    char how = *after;
    int all = how == '+' ? NO : match(m, after + 1, end, next, text), one;
    while (all == NO && (one = item_matches(item, after, *text)) != NO) {
        if (one == UNSURE) {
            return UNSURE;
        }
        text++;
        all = match(m, after + 1, end, next, text);
        if (how == '?') {
            break;
        }
    }
    return all;
}

/* The ')' of the '(' at p, or the '|' before it; NULL if there is none. */
static const char *group_part_end(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end) {
            p++;
        } else if (*p == '(') {
            depth++;
        } else if (*p == ')' && depth-- == 0) {
            return p;
        } else if (*p == '|' && depth == 0) {
            return p;
        } else if (*p == '[') {
            return NULL;
        }
    }
    return NULL;
}

/* "(a|b)": one after the other, each followed by what comes after the group. */
static int match_group(matcher *m, const char *p, const char *end, const rest *next, const char *text)
{
    const char *first = p + 1, *close = first;
    if (first < end && *first == '?') {
        if (end - first < 2 || first[1] != ':') {
            return UNSURE;
        }
        first += 2;
    }
    for (close = group_part_end(first, end); close != NULL && *close == '|';) {
        close = group_part_end(close + 1, end);
    }
    if (close == NULL || (close + 1 < end && strchr("*+?{", close[1]) != NULL)) {
        return UNSURE;
    }
    const rest behind = {close + 1, end, next};
    int found = NO;
    for (const char *from = first; found == NO && from <= close;) {
        const char *to = group_part_end(from, end);
        found = match(m, from, to, &behind, text);
        from = to + 1;
    }
    return found;
}

static int match(matcher *m, const char *p, const char *end, const rest *next, const char *text)
{
    if (++m->steps > MOST_STEPS) {
        return UNSURE;
    }
    if (p == end) {
        return next == NULL ? YES : match(m, next->p, next->end, next->next, text);
    }
    if (*p == '^' || *p == '$') {
        const bool there = *p == '^' ? text == m->text : *text == '\0';
        return there ? match(m, p + 1, end, next, text) : NO;
    }
    if (*p == '(') {
        return match_group(m, p, end, next, text);
    }
    const char *after = item_end(p, end);
    if (after == NULL) {
        return UNSURE;
    }
    if (after < end && strchr("*+?{", *after) != NULL) {
        bool plain = *after != '{' && (after + 1 == end || (after[1] != '?' && after[1] != '+'));
        return plain ? match_repeated(m, p, after, end, next, text) : UNSURE;
    }
    int one = item_matches(p, after, *text);
    return one == YES ? match(m, after, end, next, text + 1) : one;
}

static int match_expression(const char *p, const char *text)
{
    size_t length = strlen(p);
    matcher m = {.text = text};
    if (length > 400) {
        return UNSURE;
    }
    const char *end = p + length;
    if (strchr(p, '|') != NULL && strchr(p, '[') != NULL) {
        return UNSURE;
    }
    int found = NO;
    for (const char *from = p, *to; found == NO && from != NULL; from = to != end ? to + 1 : NULL) {
        to = group_part_end(from, end);
        if (to == NULL || *to == ')') {
            to = end;
        }
        found = match(&m, from, to, NULL, text);
    }
    return found;
}

/* '*' and '?' as in names of files. At most one place to go back to, so the time is bounded. */
static bool match_glob(const char *p, const char *text)
{
    const char *star = NULL, *back = NULL;
    while (*text != '\0') {
        if (*p == '*') {
            star = p++;
            back = text;
        } else if (*p == '?' || (*p == *text && *p != '\0')) {
            p++;
            text++;
        } else if (star != NULL) {
            p = star + 1;
            text = ++back;
        } else {
            return false;
        }
    }
    while (*p == '*') {
        p++;
    }
    return *p == '\0';
}

int bndi_name_matches(const char *pattern, const char *name)
{
    if (strncmp(pattern, "re:", 3) == 0) {
        return match_expression(pattern + 3, name);
    }
    return strcmp(pattern, name) == 0 || (strpbrk(pattern, "*?") != NULL && match_glob(pattern, name));
}
