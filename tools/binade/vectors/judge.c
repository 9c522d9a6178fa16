/* Lines judged, and what they say about who wrote them. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

int judge_begin(judge *j, const bnd_vectors *described)
{
    const vectors *v = j->asked;
    bnd_error why;
    const char *flags = v->flags != NULL ? v->flags : described->lab_flags ? "all" : "ieee";
    bnd_vector_options how = {.any_nan = v->nan != NULL && strcmp(v->nan, "any") == 0};
    how.flags_mask = strcmp(flags, "all") == 0    ? (uint32_t)BND_FLAG_ALL
                     : strcmp(flags, "ieee") == 0 ? (uint32_t)(BND_FLAG_SATURATED - 1)
                                                  : 0;
    j->described = *described;
    j->has_description = true;
    if (bnd_vector_check_new(&j->check, described, how, &why) != BND_OK) {
        complain(v->common.command, "%s", why.message);
        return BAD_STREAM;
    }
    return GO_ON;
}

/* ---- disagreements ---- */

static char *explanation(const judge *j, const bnd_vector_line *line)
{
    size_t length = bnd_vector_explain(NULL, 0, &j->described, line->operands, line->random);
    char *text = allocate(NULL, length + 1, 1);
    bnd_vector_explain(text, length + 1, &j->described, line->operands, line->random);
    return text;
}

static char *answer_text(const judge *j, uint64_t code, bool has_flags, uint32_t flags)
{
    char *digits = code_text(&j->described.out, code);
    char *value = digits_text(bnd_unpack(&j->described.out, code), 9), *names = flags_text(flags);
    char *text = format_text("%s (%s%s%s)", digits + 2, value, has_flags && names[0] != '\0' ? ", " : "",
                             has_flags ? names : "");
    free(names);
    free(value);
    free(digits);
    return text;
}

/* "3c00 4000": of a dot product the first few. */
static char *operands_text(const judge *j, const bnd_vector_line *line)
{
    enum { MOST = 6 };
    const bnd_vectors *v = &j->described;
    char *text = copy_text("");
    bool all = v->operands <= MOST || j->asked->common.output == OUTPUT_JSON;
    for (unsigned i = 0; i < v->operands && (all || i < MOST); i++) {
        char *code = code_text(bnd_vectors_format(v, i), line->operands[i]);
        char *longer = format_text("%s%s%s", text, i > 0 ? " " : "", code + 2);
        free(code);
        free(text);
        text = longer;
    }
    if (!all) {
        char *longer = format_text("%s ...", text);
        free(text);
        text = longer;
    }
    return text;
}

static void keep_row(judge *j, const bnd_vector_line *line, bnd_result want, uint64_t number)
{
    table *t = &j->disagreements;
    uint32_t mask = j->described.lab_flags ? BND_FLAG_ALL : BND_FLAG_SATURATED - 1;
    table_add(t, format_text("%llu", (unsigned long long)number));
    table_add(t, operands_text(j, line));
    table_add(t, code_text(&j->described.out, line->code));
    table_add(t, line->has_flags ? flags_text(line->flags) : copy_text(""));
    table_add(t, code_text(&j->described.out, want.code));
    table_add(t, flags_text(want.flags & mask));
    table_add(t, explanation(j, line));
}

enum { INDENT = 4 };

static void show(judge *j, const bnd_vector_line *line, bnd_result want, uint64_t number)
{
    if (j->asked->common.output != OUTPUT_TEXT) {
        keep_row(j, line, want, number);
        return;
    }
    uint32_t mask = j->described.lab_flags ? BND_FLAG_ALL : BND_FLAG_SATURATED - 1;
    char *operands = operands_text(j, line), *why = explanation(j, line);
    char *got = answer_text(j, line->code, line->has_flags, line->flags);
    char *right = answer_text(j, want.code, line->has_flags, want.flags & mask);
    char *answer = format_text("line %llu: %s is %s, not %s", (unsigned long long)number, operands, got, right);
    fill_text(answer, INDENT, 0);
    printf("%*s", INDENT, "");
    fill_text(why, INDENT, INDENT);
    free(answer);
    free(right);
    free(got);
    free(why);
    free(operands);
}

int judge_line(judge *j, const bnd_vector_line *line, uint64_t number)
{
    bool agrees;
    bnd_result want;
    bnd_error why;
    if (bnd_vector_check_line(&agrees, &want, j->check, line, &why) != BND_OK) {
        complain(j->asked->common.command, "%s", why.message);
        return BAD_STREAM;
    }
    if (!agrees && j->shown < j->asked->shown) {
        j->shown++;
        show(j, line, want, number);
    }
    return GO_ON;
}

/* ---- who it is ---- */

enum { MOST_SUSPECTS = 3, MOST_DIALECTS = 64 };

/* Dialects that have a rule for the format, those that leave the fewest lines over first. */
typedef struct named {
    size_t dialect;
    bnd_vector_suspect suspect;
} named;

static int by_left_over(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->suspect.left_over != y->suspect.left_over) {
        return x->suspect.left_over < y->suspect.left_over ? -1 : 1;
    }
    return (x->dialect > y->dialect) - (x->dialect < y->dialect);
}

static size_t find_dialects(named out[MOST_DIALECTS], const judge *j)
{
    size_t count = 0;
    for (size_t d = 0; d < bnd_dialect_count() && count < MOST_DIALECTS; d++) {
        out[count].dialect = d;
        count += bnd_vector_check_dialect(&out[count].suspect, j->check, d);
    }
    qsort(out, count, sizeof *out, by_left_over);
    return count;
}

static char *changes_text(const judge *j, const bnd_vector_suspect *s)
{
    char text[256];
    bnd_vector_print_changes(text, sizeof text, &j->described, s->rule);
    return copy_text(text[0] != '\0' ? text : "the rule above");
}

static char *lines_text(uint64_t left_over)
{
    return left_over == 0
               ? copy_text("explains every line")
               : format_text("leaves %llu line%s over", (unsigned long long)left_over, left_over == 1 ? "" : "s");
}

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

/* The title stands on a line of its own where there is no room for it. */
static void print_name(const char *kind, const char *name, int width, uint64_t left_over, const char *title)
{
    enum { PAGE = 80, KIND = 9 };
    char *lines = lines_text(left_over), *text = format_text("%*s%*s %s", -KIND, kind, -width, name, lines);
    bool fits = strlen(text) + strlen("   ") + strlen(title) <= PAGE;
    char *whole = fits && title[0] != '\0' ? format_text("%s   %s", text, title) : copy_text(text);
    fill_text(whole, KIND, 0);
    if (!fits) {
        printf("%*s", KIND, "");
        fill_text(title, KIND, KIND);
    }
    free(whole);
    free(text);
    free(lines);
}

/* The rules and the dialects that leave the fewest lines over, in two columns of one width. */
static void print_names(const judge *j)
{
    bnd_vector_suspect found[MOST_SUSPECTS];
    named all[MOST_DIALECTS];
    char *changes[MOST_SUSPECTS];
    size_t rules = bnd_vector_check_suspects(found, MOST_SUSPECTS, j->check), dialects = find_dialects(all, j);
    int width = 18;
    for (size_t i = 0; i < rules; i++) {
        changes[i] = changes_text(j, &found[i]);
        width = wider(width, changes[i]);
    }
    size_t named_so = 0;
    while (named_so < dialects && all[named_so].suspect.left_over == all[0].suspect.left_over) {
        named_so++;
    }
    for (size_t i = 0; i < rules; i++) {
        print_name("rule", changes[i], width, found[i].left_over, "");
        free(changes[i]);
    }
    for (size_t i = 0; i < named_so; i++) {
        print_name("dialect", bnd_dialect_name(all[i].dialect), width, all[i].suspect.left_over,
                   bnd_dialect_title(all[i].dialect));
    }
}

/* ---- the report ---- */

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

static void print_report(judge *j, const bnd_vector_coverage *c)
{
    if (c->disagreements > j->shown) {
        printf("%s%llu more disagree\n", j->shown > 0 ? "... and " : "",
               (unsigned long long)(c->disagreements - j->shown));
    }
    printf("%s%llu line%s: %llu agree, %llu do not\n", j->shown > 0 ? "\n" : "", (unsigned long long)c->lines,
           c->lines == 1 ? "" : "s", (unsigned long long)(c->lines - c->disagreements),
           (unsigned long long)c->disagreements);
    if (c->without_flags > 0) {
        printf("%llu of them have no flags\n", (unsigned long long)c->without_flags);
    }
    print_header(j);
    print_names(j);
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
        bnd_lab_json_unsigned(json, "left_over", found[i].left_over);
        bnd_lab_json_end(json);
        free(changes);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_array(json, "dialects");
    for (size_t i = 0; i < dialects; i++) {
        bnd_lab_json_object(json, NULL);
        bnd_lab_json_string(json, "name", bnd_dialect_name(all[i].dialect));
        bnd_lab_json_unsigned(json, "left_over", all[i].suspect.left_over);
        bnd_lab_json_end(json);
    }
    bnd_lab_json_end(json);
}

static void json_disagreements(bnd_lab_json *json, const table *t)
{
    static const char *const keys[] = {"line", "operands", "code", "flags", "want_code", "want_flags", "why"};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    bnd_lab_json_array(json, "disagreements");
    for (size_t i = 0; i < t->count; i++) {
        if (i % KEYS == 0) {
            bnd_lab_json_object(json, NULL);
            bnd_lab_json_literal(json, keys[0], t->cells[i]);
        } else {
            bnd_lab_json_string(json, keys[i % KEYS], t->cells[i]);
        }
        if (i % KEYS == KEYS - 1) {
            bnd_lab_json_end(json);
        }
    }
    bnd_lab_json_end(json);
}

static void json_report(judge *j, const bnd_vector_coverage *c)
{
    bnd_lab_json json;
    json_begin(&json);
    bnd_lab_json_object(&json, NULL);
    json_owned_string(&json, "vectors", header_text(j));
    bnd_lab_json_unsigned(&json, "lines", c->lines);
    bnd_lab_json_unsigned(&json, "disagree", c->disagreements);
    bnd_lab_json_unsigned(&json, "without_flags", c->without_flags);
    json_disagreements(&json, &j->disagreements);
    json_vector_coverage(&json, j->check);
    json_suspects(&json, j);
    bnd_lab_json_end(&json);
    json_line_end();
}

int judge_report(judge *j)
{
    const bnd_vector_coverage *c = bnd_vector_check_coverage(j->check);
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
    unsigned long long lines = bnd_vector_check_coverage(j->check)->lines;
    printf("%llu line%s\n", lines, lines == 1 ? "" : "s");
    print_header(j);
    print_vector_coverage(j->check, &j->described);
    return FINE;
}

void judge_end(judge *j)
{
    bnd_vector_check_free(j->check);
    for (size_t i = 0; i < j->disagreements.count; i++) {
        free(j->disagreements.cells[i]);
    }
    free(j->disagreements.cells);
}
