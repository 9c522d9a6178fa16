/* binade show --table: one line per value and one column per format. For one value, one line per format. */
#include "look.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct mark {
    uint32_t flag;
    char sign;
    const char *meaning;
} mark;

/* The first one whose flag is raised is printed after the value. */
static const mark marks[] = {
    {BND_FLAG_INVALID, '!', "invalid"},
    {BND_FLAG_OVERFLOW, '>', "overflow"},
    {BND_FLAG_UNDERFLOW, '<', "underflow: from a value below the smallest normal value, rounded"},
    {BND_FLAG_INEXACT, '~', "rounded"},
};
enum { MARKS = sizeof marks / sizeof marks[0] };

typedef struct cell {
    char *number; /* for people */
    char *code, *value, *error;
    char *percent, *ulps; /* "+4.17 %" of the value, "+0.4" */
    uint32_t flags;
} cell;

typedef struct sheet {
    const settings *settings;
    bool plain;
    char **inputs; /* as they were written */
    cell *cells;   /* a row of formats for each value */
    size_t values;
} sheet;

static const mark *mark_of(uint32_t flags)
{
    for (size_t i = 0; i < MARKS; i++) {
        if ((flags & marks[i].flag) != 0) {
            return &marks[i];
        }
    }
    return NULL;
}

static char *with_sign(const look *l, double x, const char *unit)
{
    char *rough = rough_error_text(l, x),
         *text = format_text("%s%s%s", x > 0 && rough[0] != 'b' ? "+" : "", rough, unit);
    free(rough);
    return text;
}

static cell look_into(const sheet *s, const bnd_format *f, const given *v, size_t index)
{
    look l;
    bnd_rule rule = rule_for(s->settings, f);
    look_at(&l, f, rule, random_for(s->settings, rule, index), v, s->plain);
    cell c = {.number = brief_text(f, l.rounded.value),
              .code = f->width != 0 ? code_text(f, l.code) : copy_text(""),
              .value = exact_text(l.rounded.value, s->plain),
              .error = copy_text(l.error != NULL ? l.error : ""),
              .percent = l.has_relative ? with_sign(&l, 100 * l.relative, " %") : copy_text("-"),
              .ulps = l.has_ulps ? with_sign(&l, l.ulps, "") : copy_text("-"),
              .flags = l.rounded.flags};
    clear_look(&l);
    return c;
}

static int add_value(void *state, const given *v, size_t index)
{
    sheet *s = state;
    size_t formats = s->settings->formats.count;
    s->cells = allocate(s->cells, (s->values + 1) * formats, sizeof *s->cells);
    s->inputs = allocate(s->inputs, s->values + 1, sizeof *s->inputs);
    s->inputs[s->values] = copy_text(v->input);
    for (size_t i = 0; i < formats; i++) {
        s->cells[s->values * formats + i] = look_into(s, &s->settings->formats.items[i], v, index);
    }
    s->values++;
    return GO_ON;
}

/* ---- for people ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t label_width(const sheet *s)
{
    size_t width = strlen("value");
    for (size_t i = 0; i < s->values; i++) {
        char *label = heading_text(s->inputs[i]);
        width = larger(width, text_width(label));
        free(label);
    }
    return width;
}

static size_t column_width(const sheet *s, size_t format)
{
    size_t formats = s->settings->formats.count, width = strlen(s->settings->formats.items[format].name);
    for (size_t i = 0; i < s->values; i++) {
        width = larger(width, strlen(s->cells[i * formats + format].number));
    }
    return width;
}

/* How many formats, from the `from`-th on, fit next to the labels: one at least. */
static size_t that_fit(const sheet *s, size_t from, size_t label)
{
    size_t used = label, count = 0;
    for (size_t i = from; i < s->settings->formats.count; i++, count++) {
        used += 2 + column_width(s, i) + 1; /* the mark */
        if (count > 0 && used > page_width()) {
            break;
        }
    }
    return count;
}

static void print_blanks(size_t count)
{
    printf("%*s", (int)count, "");
}

static void print_label(const char *text, size_t width)
{
    size_t own = text_width(text);
    fputs(text, stdout);
    print_blanks(width > own ? width - own : 0);
}

static void print_cell(const sheet *s, const cell *c, size_t width, bool last)
{
    const mark *m = mark_of(c->flags);
    print_blanks(2 + width - strlen(c->number));
    put_coloured(s->settings->colour && m != NULL, m != NULL && m->flag != BND_FLAG_INEXACT ? RED : YELLOW, c->number);
    if (m != NULL || !last) {
        putchar(m != NULL ? m->sign : ' ');
    }
}

static void print_part(const sheet *s, size_t from, size_t count, size_t label)
{
    size_t formats = s->settings->formats.count;
    print_label("value", label);
    for (size_t i = from; i < from + count; i++) {
        const char *name = s->settings->formats.items[i].name;
        print_blanks(2 + column_width(s, i) - strlen(name));
        put_coloured(s->settings->colour, BOLD, name);
        fputs(i + 1 < from + count ? " " : "\n", stdout);
    }
    for (size_t v = 0; v < s->values; v++) {
        char *heading = heading_text(s->inputs[v]);
        print_label(heading, label);
        free(heading);
        for (size_t i = from; i < from + count; i++) {
            print_cell(s, &s->cells[v * formats + i], column_width(s, i), i + 1 == from + count);
        }
        putchar('\n');
    }
}

static void print_marks(const sheet *s)
{
    for (size_t m = 0; m < MARKS; m++) {
        bool seen = false;
        for (size_t i = 0; !seen && i < s->values * s->settings->formats.count; i++) {
            seen = mark_of(s->cells[i].flags) == &marks[m];
        }
        if (seen) {
            printf("  %c %s\n", marks[m].sign, marks[m].meaning);
        }
    }
}

/* One value: a line per format has room for more than the number. */
static void print_list(const sheet *s)
{
    static const column columns[] = {
        {"format", "format", false, false, false, false, 0}, {"code", "code", false, false, false, false, 0},
        {"value", "value", true, false, false, false, 0},    {"percent", "error", true, false, false, false, 0},
        {"ulps", "ulp", true, false, false, false, 0},       {"flags", "flags", false, false, false, false, 0},
    };
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = OUTPUT_TEXT};
    char *heading = heading_text(s->inputs[0]);
    put_coloured(s->settings->colour, BOLD, heading);
    putchar('\n');
    free(heading);
    for (size_t i = 0; i < s->settings->formats.count; i++) {
        const cell *c = &s->cells[i];
        bool is_exact = strcmp(c->percent, "0 %") == 0;
        table_add(&t, copy_text(s->settings->formats.items[i].name));
        table_add(&t, copy_text(c->code));
        table_add(&t, copy_text(c->number));
        table_add(&t, copy_text(is_exact ? "0" : c->percent));
        table_add(&t, copy_text(c->ulps));
        table_add(&t, c->flags == 0 ? copy_text(is_exact ? "exact" : "") : flags_text(c->flags));
    }
    table_end(&t);
}

static void print_sheet(const sheet *s)
{
    size_t label = label_width(s), formats = s->settings->formats.count;
    for (size_t from = 0, count; from < formats; from += count) {
        count = that_fit(s, from, label);
        print_part(s, from, count, label);
        putchar('\n');
    }
    print_marks(s);
}

/* ---- for programs: a row per value and format ---- */

static void print_rows(const sheet *s)
{
    static const column columns[] = {
        {"value", "value", false, false, false, false, 0}, {"format", "format", false, false, false, false, 0},
        {"code", "code", false, false, false, false, 0},   {"result", "result", false, false, false, false, 0},
        {"error", "error", false, true, false, false, 0},  {"flags", "flags", false, false, true, false, 0},
    };
    table t = {.columns = columns,
               .column_count = sizeof columns / sizeof columns[0],
               .output = s->settings->output,
               .key = "cells"};
    size_t formats = s->settings->formats.count;
    for (size_t i = 0; i < s->values * formats; i++) {
        const cell *c = &s->cells[i];
        table_add(&t, copy_text(s->inputs[i / formats]));
        table_add(&t, copy_text(s->settings->formats.items[i % formats].name));
        table_add(&t, copy_text(c->code));
        table_add(&t, copy_text(c->value));
        table_add(&t, s->settings->output != OUTPUT_JSON ? copy_text(c->error)
                      : c->error[0] != '\0'              ? format_text("\"%s\"", c->error)
                                                         : copy_text("null"));
        table_add(&t, flags_text(c->flags));
    }
    table_end(&t);
}

static void clear_sheet(sheet *s)
{
    for (size_t i = 0; i < s->values * s->settings->formats.count; i++) {
        free(s->cells[i].number);
        free(s->cells[i].code);
        free(s->cells[i].value);
        free(s->cells[i].error);
        free(s->cells[i].percent);
        free(s->cells[i].ulps);
    }
    for (size_t i = 0; i < s->values; i++) {
        free(s->inputs[i]);
    }
    free(s->cells);
    free(s->inputs);
}

int show_as_table(const settings *s, bool plain)
{
    sheet all = {.settings = s, .plain = plain};
    int status = for_each_value(s, add_value, &all);
    if (status == GO_ON) {
        if (s->output == OUTPUT_TEXT && all.values == 1) {
            print_list(&all);
        } else if (s->output == OUTPUT_TEXT) {
            print_sheet(&all);
        } else {
            print_rows(&all);
        }
    }
    clear_sheet(&all);
    return status;
}
