/* The conclusion of a table of runs, as the library has it, and its notes. */
#include "table.h"

#include <stdlib.h>

static char *line_of(const train_result *r, size_t line)
{
    const size_t length = bnd_summary_print_line(NULL, 0, r->summary, r->row_count, line);
    char *text = length > 0 ? allocate(NULL, length + 1, 1) : NULL;
    if (text != NULL) {
        bnd_summary_print_line(text, length + 1, r->summary, r->row_count, line);
    }
    return text;
}

const train_row *recommended_row(const train_result *r)
{
    const size_t best = bnd_summary_recommended(r->summary, r->row_count);
    return best < r->row_count ? &r->rows[best] : NULL;
}

/* Is there a row that --autopsy would explain, and a verdict that asks for it? */
static bool can_be_explained(const train_result *r)
{
    bool found = false;
    for (size_t i = 0; r->explainable != NULL && i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        found = found || (is_ill(r, row, &r->explainable[row->records - r->records]) &&
                          (row->is.verdict == BND_VERDICT_FAILED || row->is.verdict == BND_VERDICT_WORSE));
    }
    return found && !r->autopsied;
}

char *conclusion_text(const train_result *r)
{
    char *text = NULL, *line;
    for (size_t i = 0; (line = line_of(r, i)) != NULL; i++) {
        text = with_sentence(text, line);
    }
    return text != NULL && can_be_explained(r) ? with_sentence(text, copy_text("To find the cause, add --autopsy."))
                                               : text;
}

char *note_text(const train_result *r, size_t note)
{
    const bool memory = r->details || r->memory;
    const size_t length = bnd_summary_print_note(NULL, 0, r->summary, r->row_count, memory, note);
    const size_t size = 4 * length + 1; /* escaped, if need be */
    char *text = length > 0 ? allocate(NULL, size, 1) : NULL;
    if (text != NULL) {
        bnd_summary_print_note(text, size, r->summary, r->row_count, memory, note);
        make_plain_text(text, size);
    }
    return text;
}

char *failure_text(const train_result *r, const train_row *row)
{
    const size_t at = (size_t)(row - r->rows);
    const size_t length = bnd_summary_print_failure(NULL, 0, r->summary, r->row_count, at);
    char *text = allocate(NULL, length + 1, 1);
    bnd_summary_print_failure(text, length + 1, r->summary, r->row_count, at);
    return text;
}
