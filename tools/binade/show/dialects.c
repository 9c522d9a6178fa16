/* `show --dialects`: the answers of the ecosystems' rules, grouped by answer. */
#include "look.h"
#include "common/print.h"

#include <stdlib.h>
#include <string.h>

/* The answer of one rule: of a dialect, or binade's own (dialect NULL). */
typedef struct answer {
    const char *dialect, *title, *source;
    uint64_t code;
    bnd_exact value;
    uint32_t flags;
} answer;

typedef struct answers {
    const settings *s;
    bool plain;
    const bnd_format *format;
    answer own, *of_dialect;
    size_t count;
} answers;

static answer answer_of(const answers *a, bnd_rule rule, const given *v, size_t index)
{
    look l;
    look_at(&l, a->format, rule, random_for(a->s, rule, index), v, false);
    answer one = {.code = l.code, .value = l.rounded.value, .flags = l.rounded.flags};
    clear_look(&l);
    return one;
}

/* Those of the dialects that have a rule for the format, and binade's own; nothing where none has. */
static void ask_dialects(answers *a, const given *v, size_t index)
{
    a->count = 0;
    a->of_dialect = allocate(NULL, bnd_dialect_count(), sizeof *a->of_dialect);
    for (size_t d = 0; d < bnd_dialect_count() && a->format->width != 0; d++) {
        bnd_rule rule;
        if (bnd_dialect_rule(&rule, d, a->format)) {
            answer one = answer_of(a, rule, v, index);
            one.dialect = bnd_dialect_name(d);
            one.title = bnd_dialect_title(d);
            one.source = bnd_dialect_source(d, a->format);
            a->of_dialect[a->count++] = one;
        }
    }
    a->own = answer_of(a, a->s->rule, v, index);
}

/* ---- for people: groups of one code each ---- */

static size_t group_size(const answers *a, uint64_t code)
{
    size_t size = 0;
    for (size_t i = 0; i < a->count; i++) {
        size += a->of_dialect[i].code == code;
    }
    return size;
}

static bool is_first_of_group(const answers *a, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (a->of_dialect[k].code == a->of_dialect[i].code) {
            return false;
        }
    }
    return true;
}

/* Does the group of answer i come before that of answer k: by size, then finite values, then as they were found? */
static bool comes_before(const answers *a, size_t i, size_t k)
{
    const answer *x = &a->of_dialect[i], *y = &a->of_dialect[k];
    size_t many = group_size(a, x->code), few = group_size(a, y->code);
    bool finite = x->value.kind == BND_KIND_FINITE || x->value.kind == BND_KIND_ZERO;
    bool other = y->value.kind == BND_KIND_FINITE || y->value.kind == BND_KIND_ZERO;
    return many != few ? many > few : finite != other ? finite : i < k;
}

/* The answer that leads the n-th group; a->count after the last. */
static size_t nth_group(const answers *a, size_t n)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t before = 0;
        for (size_t k = 0; k < a->count; k++) {
            before += is_first_of_group(a, k) && k != i && comes_before(a, k, i);
        }
        if (is_first_of_group(a, i) && before == n) {
            return i;
        }
    }
    return a->count;
}

static char *value_text(const answers *a, bnd_exact value)
{
    return readable_text(value, a->plain);
}

/* "5 of 10 rules give 448, 5 give nan" */
static char *finding_text(const answers *a)
{
    char *text = copy_text("");
    for (size_t n = 0, i; (i = nth_group(a, n)) < a->count; n++) {
        char *value = value_text(a, a->of_dialect[i].value), *before = text;
        size_t size = group_size(a, a->of_dialect[i].code);
        const char *verb = size == 1 ? "gives" : "give";
        if (n > 0) {
            text = format_text("%s, %zu %s %s", before, size, verb, value);
        } else if (a->count == 1) {
            text = format_text("the only rule gives %s", value);
        } else if (size == a->count) {
            text = format_text("all %zu rules give %s", size, value);
        } else {
            text = format_text("%zu of %zu rules %s %s", size, a->count, verb, value);
        }
        free(before);
        free(value);
    }
    return text;
}

/* "465 in e4m3: 5 of 10 rules give 448, 5 give nan" */
static char *headline_text(const answers *a, const char *input)
{
    char *heading = heading_text(input), *finding = finding_text(a);
    char *text = format_text("%s in %s: %s", heading, a->format->name, finding);
    free(finding);
    free(heading);
    return text;
}

static void print_headline(const answers *a, const char *input)
{
    char *heading = heading_text(input), *line = headline_text(a, input);
    put_coloured(a->s->colour, BOLD, heading);
    puts(line + strlen(heading));
    free(line);
    free(heading);
}

static void print_group(const answers *a, size_t first, size_t width)
{
    const answer *group = &a->of_dialect[first];
    char *value = value_text(a, group->value), *code = code_text(a->format, group->code);
    char *flags = flags_text(group->flags);
    putchar('\n');
    put_coloured(a->s->colour, BOLD, value);
    char *rest = format_text("(%s)%s%s%s", code, flags[0] != '\0' ? "   " : "", flags,
                             group->code == a->own.code ? "   (binade's default, too)" : "");
    putchar(' ');
    put_wrapped(rest, 2, text_width(value) + 1);
    free(rest);
    for (size_t i = first; i < a->count; i++) {
        const answer *one = &a->of_dialect[i];
        if (one->code == group->code) {
            char *own = one->flags != group->flags ? flags_text(one->flags) : NULL;
            char *text = format_text("%s%s%s", one->title, own != NULL ? "   flags: " : "", own != NULL ? own : "");
            printf("  %-*s  ", (int)width, one->dialect);
            put_wrapped(text, width + 4, width + 4);
            free(text);
            free(own);
        }
    }
    free(flags);
    free(code);
    free(value);
}

static void print_answers(const answers *a, const char *input)
{
    size_t width = 0;
    for (size_t i = 0; i < a->count; i++) {
        size_t length = strlen(a->of_dialect[i].dialect);
        width = length > width ? length : width;
    }
    print_headline(a, input);
    for (size_t n = 0, i; (i = nth_group(a, n)) < a->count; n++) {
        print_group(a, i, width);
    }
}

/* ---- for programs: a row per rule ---- */

/* The place of the answer's group, from 1; null if it is in none: binade's own, which no library shares. */
static char *group_number(const answers *a, const answer *one)
{
    for (size_t n = 0, i; (i = nth_group(a, n)) < a->count; n++) {
        if (a->of_dialect[i].code == one->code) {
            return format_text("%zu", n + 1);
        }
    }
    return copy_text("null");
}

static void add_row(table *t, const answers *a, const answer *one)
{
    bool is_own = one->dialect == NULL;
    table_add(t, copy_text(a->format->name));
    table_add(t, copy_text(is_own ? "binade" : one->dialect));
    table_add(t, code_text(a->format, one->code));
    table_add(t, exact_text(one->value, a->plain));
    table_add(t, flags_text(one->flags));
    table_add(t, copy_text(one->code == a->own.code ? "false" : "true"));
    table_add(t, copy_text(is_own ? "this project's default" : one->title));
    table_add(t, group_number(a, one));
    table_add(t, copy_text(is_own ? "" : one->source));
}

static const column columns[] = {
    {"format", "format", false, false, false, false, 0}, {"dialect", "dialect", false, false, false, false, 0},
    {"code", "code", false, false, false, false, 0},     {"value", "value", false, false, false, false, 0},
    {"flags", "flags", false, false, true, false, 0},    {"differs", "", false, true, false, false, 0},
    {"who", "who", false, false, false, false, 0},       {"group", "group", true, true, false, false, 0},
    {"source", "source", false, false, false, false, 0},
};

/* JSON has a sentence for each format, too. */
static const column finding_columns[] = {
    {"format", "format", false, false, false, false, 0},
    {"finding", "finding", false, false, false, false, 0},
};

int show_dialects(const settings *s, bool plain, const given *v, size_t index)
{
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .output = s->output};
    table findings = {.columns = finding_columns,
                      .column_count = sizeof finding_columns / sizeof finding_columns[0],
                      .output = s->output,
                      .key = "findings"};
    t.key = "answers";
    t.input = v->input;
    bool first = index == 0;
    for (size_t i = 0; i < s->formats.count; i++) {
        answers a = {.s = s, .plain = plain, .format = &s->formats.items[i]};
        ask_dialects(&a, v, index);
        if (a.count > 0 && s->output == OUTPUT_TEXT) {
            fputs(first ? "" : "\n", stdout);
            print_answers(&a, v->input);
            first = false;
        }
        if (a.count > 0 && s->output == OUTPUT_JSON) {
            table_add(&findings, copy_text(a.format->name));
            table_add(&findings, headline_text(&a, v->input));
        }
        for (size_t k = 0; a.count > 0 && s->output != OUTPUT_TEXT && k <= a.count; k++) {
            add_row(&t, &a, k == 0 ? &a.own : &a.of_dialect[k - 1]);
        }
        free(a.of_dialect);
    }
    if (s->output != OUTPUT_TEXT) {
        t.also = s->output == OUTPUT_JSON ? &findings : NULL;
        table_end(&t);
    }
    table_forget(&findings);
    free(findings.cells);
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
            note(s->command, "no dialect has a rule for %s", s->formats.items[i].name);
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
