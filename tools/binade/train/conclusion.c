/* What a table of runs comes to, in a sentence or two. */
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

/* Of those without a difference, the one with the least memory, where that is less than the reference's. */
static char *least_memory(const train_result *r, size_t alike)
{
    const train_row *least = &r->rows[r->reference];
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        bool same = is_compared(row, r) && row->is.verdict == BND_VERDICT_NO_DIFFERENCE;
        least = same && memory_bytes(r, row) < memory_bytes(r, least) ? row : least;
    }
    double share = memory_bytes(r, least) / memory_bytes(r, &r->rows[r->reference]);
    return isnan(share) || !(share < 1) ? NULL
           : alike > 1 ? format_text("Of these, %s needs the least memory: %.0f %% of the total of %s.", least->name,
                                     100 * share, r->rows[r->reference].name)
                       : format_text("It needs %.0f %% of the memory of %s.", 100 * share, r->rows[r->reference].name);
}

static char *about_alike(const train_result *r)
{
    name_list alike = rows_with(r, BND_VERDICT_NO_DIFFERENCE);
    if (alike.count == 0) {
        return NULL;
    }
    char *names = name_list_text(&alike, " and ");
    char *text = format_text("No difference from %s: %s.", r->rows[r->reference].name, names);
    char *memory = least_memory(r, alike.count);
    free(names);
    name_list_clear(&alike);
    return memory != NULL ? with_sentence(text, memory) : text;
}

static char *about_others(char *text, const train_result *r)
{
    static const struct {
        bnd_verdict verdict;
        const char *word, *advice;
    } kinds[] = {{BND_VERDICT_FAILED, "Failed", ""},
                 {BND_VERDICT_WORSE, "Worse", ""},
                 {BND_VERDICT_BETTER, "Better", ""},
                 {BND_VERDICT_INCONCLUSIVE, "Inconclusive", " (more --seeds would tell)"},
                 {BND_VERDICT_UNJUDGED, "No verdict from one seed pair", " (--seeds 3 gives one)"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        name_list l = rows_with(r, kinds[i].verdict);
        if (l.count > 0) {
            char *names = name_list_text(&l, " and ");
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
    return text != NULL && can_be_explained(r) ? with_sentence(text, copy_text("binade train --autopsy tells why."))
                                               : text;
}
