/* `show --dialects`: the answer of each ecosystem's rule, and which differ. */
#include "look.h"
#include "common/print.h"

#include <stdlib.h>

typedef struct dialect_table {
    const settings *s;
    bool plain;
    table rows;
    size_t differing, answers;
} dialect_table;

static void add_row(dialect_table *t, const look *l, const char *name, const char *title, bool agrees)
{
    bnd_exact value = l->rounded.value;
    table_add(&t->rows, copy_text(l->format->name));
    table_add(&t->rows, copy_text(name));
    table_add(&t->rows, code_text(l->format, l->code));
    table_add(&t->rows, t->s->output == OUTPUT_TEXT ? readable_text(value, t->plain) : exact_text(value, t->plain));
    table_add(&t->rows, flags_text(l->rounded.flags));
    table_add(&t->rows, copy_text(agrees ? "" : "differs"));
    table_add(&t->rows, copy_text(agrees ? "false" : "true"));
    table_add(&t->rows, copy_text(title));
}

/* binade's own answer, then those of the dialects that have a rule for the format; nothing where none has. */
static void add_answers(dialect_table *t, const bnd_format *f, const given *v, size_t index)
{
    const settings *s = t->s;
    look own, other;
    bool first = true;
    for (size_t d = 0; d < bnd_dialect_count() && f->width != 0; d++) {
        bnd_rule rule;
        if (!bnd_dialect_rule(&rule, d, f)) {
            continue;
        }
        if (first) {
            look_at(&own, f, s->rule, random_for(s, s->rule, index), v, false);
            add_row(t, &own, "binade", "this project's default", true);
            first = false;
        }
        look_at(&other, f, rule, random_for(s, rule, index), v, false);
        bool agrees = own.code == other.code;
        add_row(t, &other, bnd_dialect_name(d), bnd_dialect_title(d), agrees);
        clear_look(&other);
        t->differing += !agrees;
        t->answers++;
    }
    if (!first) {
        clear_look(&own);
    }
}

/* Who the dialects in a table are, where the page has no room for it in each row. */
static void print_legend(const settings *s)
{
    static const column columns[] = {{"dialect", "dialect", false, false, false, false, 0},
                                     {"who", "who", false, false, false, false, 0}};
    table t = {.columns = columns, .column_count = 2};
    for (size_t d = 0; d < bnd_dialect_count(); d++) {
        bnd_rule rule;
        bool answers = false;
        for (size_t i = 0; i < s->formats.count && !answers; i++) {
            answers = bnd_dialect_rule(&rule, d, &s->formats.items[i]);
        }
        if (answers) {
            table_add(&t, copy_text(bnd_dialect_name(d)));
            table_add(&t, copy_text(bnd_dialect_title(d)));
        }
    }
    putchar('\n');
    table_end(&t);
}

int show_dialects(const settings *s, bool plain, const given *v, size_t index)
{
    column columns[] = {
        {"format", "format", false, false, false, false, 0}, {"dialect", "dialect", false, false, false, false, 0},
        {"code", "code", false, false, false, false, 0},     {"value", "value", false, false, false, false, 0},
        {"flags", "flags", false, false, true, false, 0},    {NULL, "", false, false, false, false, 0},
        {"differs", "", false, true, false, true, 0},        {"who", "who", false, false, false, false, 0},
    };
    enum { COLUMNS = sizeof columns / sizeof columns[0], WHO = COLUMNS - 1 };
    dialect_table t = {.s = s, .plain = plain};
    t.rows = (table){.columns = columns, .column_count = COLUMNS, .output = s->output, .key = "answers", .keys = 2};
    t.rows.input = v->input;
    for (size_t i = 0; i < s->formats.count; i++) {
        add_answers(&t, &s->formats.items[i], v, index);
    }
    if (s->output == OUTPUT_TEXT) {
        char *input = heading_text(v->input);
        printf("%s%s: %zu answers of dialects, %zu of them not binade's\n", index > 0 ? "\n" : "", input, t.answers,
               t.differing);
        free(input);
    }
    bool narrow = s->output == OUTPUT_TEXT && t.answers > 0 && table_width(&t.rows) > page_width();
    columns[WHO].data_only = narrow;
    if (t.answers > 0 || s->output != OUTPUT_TEXT) {
        table_end(&t.rows);
    }
    if (t.answers > 0 && narrow) {
        print_legend(s);
    }
    return GO_ON;
}

void note_without_dialect(const settings *s)
{
    for (size_t i = 0; i < s->formats.count; i++) {
        bnd_rule rule;
        bool any = false;
        for (size_t d = 0; !any && d < bnd_dialect_count(); d++) {
            any = bnd_dialect_rule(&rule, d, &s->formats.items[i]);
        }
        if (!any) {
            note(s->command, "no dialect says anything about %s", s->formats.items[i].name);
        }
    }
}

int refuse_rules(const settings *s)
{
    const struct {
        bool given;
        const option_row *row;
    } fixed[] = {{s->rounding_given, &row_round},
                 {s->overflow_given, &row_overflow},
                 {s->nan_given, &row_nan},
                 {s->rule.flush_in || s->rule.flush_out, &row_flush},
                 {s->rule.tiny_before, &row_tininess},
                 {s->dialect_given, &row_dialect}};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (fixed[i].given) {
            return complain(s->command,
                            "--%s cannot be used with --dialects, which shows each library's own rule; use --dialect "
                            "NAME for one of them, which other options may change",
                            fixed[i].row->name);
        }
    }
    return GO_ON;
}
