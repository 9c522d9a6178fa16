/* The conclusion of a table of runs: which recipe to use, which are worse, which failed. */
#include "table.h"

#include <math.h>
#include <stdlib.h>

/* The rows that are compared with another one and have this verdict. */
static name_list rows_with(const train_result *r, bnd_verdict verdict)
{
    name_list l = {NULL, NULL, 0};
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (is_compared(row, r) && row->is.verdict == verdict) {
            name_list_add(&l, row->name);
        }
    }
    return l;
}

/* Of those without a difference, the row with the least memory, if that is less than the reference's; or NULL. */
const train_row *recommended_row(const train_result *r)
{
    const train_row *least = &r->rows[r->reference];
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        bool same = is_compared(row, r) && row->is.verdict == BND_VERDICT_NO_DIFFERENCE;
        least = same && memory_bytes(r, row) < memory_bytes(r, least) ? row : least;
    }
    return least != &r->rows[r->reference] ? least : NULL;
}

/* The rows without a difference, but for one; to be cleared. */
static name_list alike_but(const train_result *r, const train_row *one)
{
    name_list l = {NULL, NULL, 0};
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (row != one && is_compared(row, r) && row->is.verdict == BND_VERDICT_NO_DIFFERENCE) {
            name_list_add(&l, row->name);
        }
    }
    return l;
}

/* Which recipe to use: no difference, and the least memory. */
static char *about_alike(const train_result *r)
{
    const train_row *best = recommended_row(r), *reference = &r->rows[r->reference];
    name_list others = alike_but(r, best);
    char *text = NULL;
    if (best != NULL) {
        text = format_text("Use %s: no difference from %s, with %.0f %% of its memory.", best->name, reference->name,
                           100 * memory_bytes(r, best) / memory_bytes(r, reference));
    }
    if (others.count > 0) {
        char *names = name_list_text(&others, " and ");
        text = with_sentence(text, best != NULL ? format_text("Also no difference: %s.", names)
                                                : format_text("No difference from %s: %s.", reference->name, names));
        free(names);
    }
    name_list_clear(&others);
    return text;
}

/* "fp16-pure (NaN at step 3)" */
static char *failed_text(const train_result *r)
{
    name_list l = {NULL, NULL, 0};
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (is_compared(row, r) && row->is.verdict == BND_VERDICT_FAILED) {
            bool nan = row->is.failed_nan > 0, known = row->records->model[0] != '\0';
            char *one = nan ? format_text("%s (NaN at step %llu)", row->name, (unsigned long long)row->is.nan_from)
                            : format_text("%s (%s)", row->name, known ? "chance level" : "loss not below the first");
            name_list_add(&l, one);
            free(one);
        }
    }
    char *names = name_list_text(&l, " and ");
    name_list_clear(&l);
    return names;
}

static char *about_others(char *text, const train_result *r)
{
    static const struct {
        bnd_verdict verdict;
        const char *word, *advice;
    } kinds[] = {{BND_VERDICT_FAILED, "Failed", ""},
                 {BND_VERDICT_WORSE, "Worse", ""},
                 {BND_VERDICT_BETTER, "Better", ""},
                 {BND_VERDICT_INCONCLUSIVE, "Inconclusive", " (use more --seeds)"},
                 {BND_VERDICT_UNJUDGED, "No verdict from one seed pair", " (--seeds 3 gives one)"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        name_list l = rows_with(r, kinds[i].verdict);
        if (l.count > 0) {
            char *names = kinds[i].verdict == BND_VERDICT_FAILED ? failed_text(r) : name_list_text(&l, " and ");
            text = with_sentence(text, format_text("%s: %s%s.", kinds[i].word, names, kinds[i].advice));
            free(names);
        }
        name_list_clear(&l);
    }
    return text;
}

/* Runs of binade that can be made again. */
static bool can_be_explained(const train_result *r)
{
    bool found = false;
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        found = found || (is_compared(row, r) && row->records->model[0] != '\0' &&
                          (row->is.verdict == BND_VERDICT_FAILED || row->is.verdict == BND_VERDICT_WORSE));
    }
    return found && !r->autopsied;
}

char *conclusion_text(const train_result *r)
{
    char *text = r->row_count > 0 ? about_others(about_alike(r), r) : NULL;
    return text != NULL && can_be_explained(r) ? with_sentence(text, copy_text("To find the cause, add --autopsy."))
                                               : text;
}
