/* The report of `vectors check`: the verdict, the first mismatches, rules, dialects and faults that match, coverage. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long number;

enum { MOST_SUSPECTS = 3, MOST_DIALECTS = 64, INDENT = 4 };

/* ---- rules and dialects ---- */

/* A dialect that has a rule for the format. */
typedef struct named {
    size_t dialect;
    bnd_vector_suspect suspect;
} named;

static int by_mismatches(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->suspect.left_over != y->suspect.left_over) {
        return x->suspect.left_over < y->suspect.left_over ? -1 : 1;
    }
    return (x->dialect > y->dialect) - (x->dialect < y->dialect);
}

/* Those with the fewest mismatches first. */
static size_t find_dialects(named out[MOST_DIALECTS], const judge *j)
{
    size_t count = 0;
    for (size_t d = 0; d < bnd_dialect_count() && count < MOST_DIALECTS; d++) {
        out[count].dialect = d;
        count += bnd_vector_check_dialect(&out[count].suspect, j->check, d);
    }
    qsort(out, count, sizeof *out, by_mismatches);
    return count;
}

static char *changes_text(const judge *j, const bnd_vector_suspect *s)
{
    char text[256];
    bnd_vector_print_changes(text, sizeof text, &j->described, s->rule);
    return copy_text(text[0] != '\0' ? text : "the given rule");
}

static void add_name(table *t, const char *kind, char *owned_name, uint64_t mismatches, const char *title)
{
    table_add(t, copy_text(kind));
    table_add(t, owned_name);
    table_add(t, format_text("%llu", (number)mismatches));
    table_add(t, copy_text(title));
}

/* Does a rule explain the answers: all of them, or at least half of the mismatches of the given rule? */
static bool explains(const bnd_vector_suspect *s, uint64_t mismatches)
{
    return s->left_over <= mismatches / 2;
}

/* Faults are for answers that no rule gives. */
static size_t find_faults(bnd_vector_fault out[MOST_SUSPECTS], const judge *j)
{
    bnd_vector_suspect rule;
    bool by_rule = bnd_vector_check_suspects(&rule, 1, j->check) > 0 && rule.left_over == 0;
    return by_rule ? 0 : bnd_vector_check_faults(out, MOST_SUSPECTS, j->check);
}

/* The rules with the fewest mismatches that explain the answers; the dialects that match all lines, or else those that
 * explain the answers; and of faults the same. */
static void print_names(const judge *j, uint64_t mismatches)
{
    bnd_vector_fault faults[MOST_SUSPECTS];
    static const column columns[] = {
        {.heading = "matches"}, {.heading = ""}, {.heading = "mismatches", .number = true}, {.heading = ""}};
    bnd_vector_suspect found[MOST_SUSPECTS];
    named all[MOST_DIALECTS];
    table t = {.columns = columns, .column_count = sizeof columns / sizeof columns[0], .keys = 2};
    size_t rules = bnd_vector_check_suspects(found, MOST_SUSPECTS, j->check), dialects = find_dialects(all, j);
    for (size_t i = 0; i < rules && found[i].changes > 0 && explains(&found[i], mismatches); i++) {
        add_name(&t, "rule", changes_text(j, &found[i]), found[i].left_over, "");
    }
    uint64_t most = dialects > 0 && all[0].suspect.left_over == 0 ? 0 : mismatches;
    for (size_t i = 0; i < dialects && explains(&all[i].suspect, most); i++) {
        add_name(&t, "dialect", copy_text(bnd_dialect_name(all[i].dialect)), all[i].suspect.left_over,
                 bnd_dialect_title(all[i].dialect));
    }
    size_t fault_count = find_faults(faults, j);
    most = fault_count > 0 && faults[0].left_over == 0 ? 0 : UINT64_MAX;
    for (size_t i = 0; i < fault_count && faults[i].left_over <= most; i++) {
        add_name(&t, "fault", copy_text(faults[i].what), faults[i].left_over, "");
    }
    if (t.count > 0) {
        putchar('\n');
        table_end(&t);
    }
    free(t.cells);
}

/* The dialects that give these answers too. */
static void print_same(const judge *j)
{
    named all[MOST_DIALECTS];
    size_t dialects = find_dialects(all, j);
    char *text = copy_text("dialects with the same answers:");
    for (size_t i = 0; i < dialects && all[i].suspect.left_over == 0; i++) {
        char *longer = format_text("%s%s %s", text, i > 0 ? "," : "", bnd_dialect_name(all[i].dialect));
        free(text);
        text = longer;
    }
    if (dialects > 0 && all[0].suspect.left_over == 0) {
        fill_text(text, INDENT, 0);
    }
    free(text);
}

/* ---- the verdict ---- */

static char *header_text(const judge *j)
{
    char text[512];
    bnd_vectors_print_header(text, sizeof text, &j->described);
    return copy_text(text + strlen("binade-vectors 1 "));
}

static void print_header(const judge *j)
{
    char *header = header_text(j);
    fill_text(header, INDENT, 0);
    free(header);
}

/* What the answers follow, for the end of the verdict. */
static char *match_text(const judge *j, uint64_t lines, uint64_t mismatches)
{
    bnd_vector_suspect found[MOST_SUSPECTS];
    bnd_vector_fault faults[MOST_SUSPECTS];
    size_t rules = bnd_vector_check_suspects(found, MOST_SUSPECTS, j->check), fault_count = find_faults(faults, j);
    bool by_rule = rules > 0 && found[0].changes > 0 && explains(&found[0], mismatches);
    if (fault_count > 0 && faults[0].left_over == 0) {
        return format_text("No rule matches all lines. The codes match a fault: the unit %s (all %llu lines).",
                           faults[0].what, (number)lines);
    }
    if (fault_count > 0 && (!by_rule || faults[0].left_over < found[0].left_over)) {
        return format_text("No rule matches all lines. The nearest fault: the unit %s (%llu wrong code%s left).",
                           faults[0].what, (number)faults[0].left_over, faults[0].left_over == 1 ? "" : "s");
    }
    if (rules == 0 || found[0].changes == 0) {
        return copy_text("No other rule has fewer mismatches.");
    }
    if (!by_rule) {
        return copy_text("No rule explains half of the mismatches.");
    }
    char *changes = changes_text(j, &found[0]), *text;
    if (found[0].left_over == 0) {
        text = format_text("The answers match %s (all %llu lines).", changes, (number)lines);
    } else {
        text = format_text("No rule matches all lines; the nearest is %s (%llu mismatch%s).", changes,
                           (number)found[0].left_over, found[0].left_over == 1 ? "" : "es");
    }
    free(changes);
    return text;
}

static void print_verdict(const judge *j, const bnd_vector_coverage *c)
{
    char *text;
    if (c->disagreements == 0) {
        text = format_text("PASS: %s%llu line%s %s", c->lines == 1 ? "" : "all ", (number)c->lines,
                           c->lines == 1 ? "" : "s", c->lines == 1 ? "agrees" : "agree");
    } else {
        char *match = match_text(j, c->lines, c->disagreements);
        text = format_text("FAIL: %llu of %llu line%s differ%s. %s", (number)c->disagreements, (number)c->lines,
                           c->lines == 1 ? "" : "s", c->disagreements == 1 ? "s" : "", match);
        free(match);
    }
    fill_text(text, INDENT, 0);
    free(text);
}

/* ---- mismatches ---- */

void judge_print_mismatches(const judge *j)
{
    if (j->asked->common.output != OUTPUT_TEXT) {
        return;
    }
    for (size_t i = 0; i < j->mismatches.count; i += MISMATCH_CELLS) {
        char *const *cells = j->mismatches.cells + i;
        enum { TEXT_AT = INDENT + 10 };
        printf("line %s: ", cells[MISMATCH_LINE]);
        fill_text(cells[MISMATCH_OPERANDS], INDENT, (int)strlen(cells[MISMATCH_LINE]) + 7);
        printf("%*sgot       ", INDENT, "");
        fill_text(cells[MISMATCH_GOT], TEXT_AT, TEXT_AT);
        printf("%*sexpected  ", INDENT, "");
        fill_text(cells[MISMATCH_EXPECTED], TEXT_AT, TEXT_AT);
        printf("%*s", INDENT, "");
        fill_text(cells[MISMATCH_REASON], INDENT, INDENT);
    }
}

/* ---- the report ---- */

static void print_report(judge *j, const bnd_vector_coverage *c)
{
    print_verdict(j, c);
    if (c->without_flags > 0) {
        printf("%llu of the lines ha%s no flags\n", (number)c->without_flags, c->without_flags == 1 ? "s" : "ve");
    }
    print_header(j);
    if (c->disagreements == 0) {
        print_same(j);
    } else {
        fputs(j->shown > 0 ? "\n" : "", stdout);
        judge_print_mismatches(j);
        if (c->disagreements > j->shown && j->shown > 0) {
            printf("... and %llu more\n", (number)(c->disagreements - j->shown));
        }
        print_names(j, c->disagreements);
    }
    putchar('\n');
    print_vector_coverage(j->check, &j->described);
}

static void json_suspects(bnd_lab_json *json, const judge *j)
{
    bnd_vector_suspect found[MOST_SUSPECTS];
    named all[MOST_DIALECTS];
    size_t count = bnd_vector_check_suspects(found, MOST_SUSPECTS, j->check), dialects = find_dialects(all, j);
    bnd_lab_json_array(json, "rules");
    for (size_t i = 0; i < count; i++) {
        bnd_lab_json_object(json, NULL);
        char *changes = changes_text(j, &found[i]);
        bnd_lab_json_string(json, "changes", found[i].changes > 0 ? changes : "");
        bnd_lab_json_unsigned(json, "mismatches", found[i].left_over);
        bnd_lab_json_end(json);
        free(changes);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "dialects");
    for (size_t i = 0; i < dialects; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "name", bnd_dialect_name(all[i].dialect));
        bnd_lab_json_unsigned(json, "mismatches", all[i].suspect.left_over);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void json_faults(bnd_lab_json *json, const judge *j)
{
    bnd_vector_fault faults[MOST_SUSPECTS];
    size_t count = find_faults(faults, j);
    bnd_lab_json_array(json, "faults");
    for (size_t i = 0; i < count; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "what", faults[i].what);
        bnd_lab_json_unsigned(json, "wrong_codes", faults[i].left_over);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void json_mismatches(bnd_lab_json *json, const table *t)
{
    static const char *const keys[] = {"line",          "operands",       "got_code", "got_flags",
                                       "expected_code", "expected_flags", "reason"};
    bnd_lab_json_array(json, "examples");
    for (size_t i = 0; i < t->count; i += MISMATCH_CELLS) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_literal(json, keys[MISMATCH_LINE], t->cells[i]);
        for (size_t k = MISMATCH_OPERANDS; k <= MISMATCH_REASON; k++) {
            bnd_lab_json_string(json, keys[k], t->cells[i + k]);
        }
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void json_report(judge *j, const bnd_vector_coverage *c)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    json_owned_string(&json, "vectors", header_text(j));
    bnd_lab_json_boolean(&json, "passed", c->disagreements == 0);
    bnd_lab_json_unsigned(&json, "lines", c->lines);
    bnd_lab_json_unsigned(&json, "mismatches", c->disagreements);
    bnd_lab_json_unsigned(&json, "without_flags", c->without_flags);
    json_mismatches(&json, &j->mismatches);
    json_vector_coverage(&json, j->check);
    json_suspects(&json, j);
    json_faults(&json, j);
    bnd_lab_json_end(&json);
    json_line_end();
}

int judge_report(judge *j)
{
    const bnd_vector_coverage *c = bnd_vector_check_coverage(j->check);
    j->reported = true;
    if (j->asked->common.output == OUTPUT_JSON) {
        json_report(j, c);
    } else {
        print_report(j, c);
    }
    return c->disagreements > 0 ? DOES_NOT_HOLD : FINE;
}

int judge_covers(const judge *j)
{
    if (j->asked->common.output == OUTPUT_JSON) {
        bnd_lab_json json;
        json_begin(&json);
        bnd_lab_json_object(&json, NULL);
        json_owned_string(&json, "vectors", header_text(j));
        bnd_lab_json_unsigned(&json, "lines", bnd_vector_check_coverage(j->check)->lines);
        json_vector_coverage(&json, j->check);
        bnd_lab_json_end(&json);
        json_line_end();
        return FINE;
    }
    number lines = bnd_vector_check_coverage(j->check)->lines;
    printf("%llu line%s\n", lines, lines == 1 ? "" : "s");
    print_header(j);
    putchar('\n');
    print_vector_coverage(j->check, &j->described);
    return FINE;
}
