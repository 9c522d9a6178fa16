/* Lines compared with the answers of a rule; the first mismatches are kept for the report. */
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

/* ---- mismatches ---- */

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
    table *t = &j->mismatches;
    uint32_t mask = j->described.lab_flags ? BND_FLAG_ALL : BND_FLAG_SATURATED - 1;
    table_add(t, format_text("%llu", (unsigned long long)number));
    table_add(t, operands_text(j, line));
    table_add(t, code_text(&j->described.out, line->code));
    table_add(t, line->has_flags ? flags_text(line->flags) : copy_text(""));
    table_add(t, code_text(&j->described.out, want.code));
    table_add(t, flags_text(want.flags & mask));
    table_add(t, explanation(j, line));
    table_add(t, answer_text(j, line->code, line->has_flags, line->flags));
    table_add(t, answer_text(j, want.code, line->has_flags, want.flags & mask));
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
        keep_row(j, line, want, number);
    }
    return GO_ON;
}

/* A run that ended early still prints the mismatches that it found. */
void judge_end(judge *j)
{
    if (!j->reported) {
        judge_print_mismatches(j);
    }
    bnd_vector_check_free(j->check);
    for (size_t i = 0; i < j->mismatches.count; i++) {
        free(j->mismatches.cells[i]);
    }
    free(j->mismatches.cells);
}
