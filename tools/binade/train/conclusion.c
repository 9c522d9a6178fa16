/* What a table of runs comes to, in a sentence or two. */
#include "table.h"

#include <math.h>
#include <stdlib.h>

/* Names of recipes: "a", "a and b", "a, b and c". */
typedef struct list {
    char *names, *last;
    size_t count;
} list;

static void append(list *l, const char *name)
{
    if (l->last != NULL) {
        char *longer = l->names != NULL ? format_text("%s, %s", l->names, l->last) : copy_text(l->last);
        free(l->names);
        l->names = longer;
    }
    free(l->last);
    l->last = copy_text(name);
    l->count++;
}

static char *words_of(const list *l)
{
    return l->names != NULL ? format_text("%s and %s", l->names, l->last) : copy_text(l->last);
}

static void list_clear(list *l)
{
    free(l->names);
    free(l->last);
}

/* Adds a sentence to a text, which may be NULL; both are used up. */
static char *add(char *text, char *sentence)
{
    char *both = text != NULL ? format_text("%s %s", text, sentence) : copy_text(sentence);
    free(text);
    free(sentence);
    return both;
}

/* The rows that are compared with another one and have this verdict. */
static list rows_with(const train_result *r, bnd_verdict verdict)
{
    list l = {NULL, NULL, 0};
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (is_compared(row, r) && row->is.verdict == verdict) {
            append(&l, row->name);
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
    list alike = rows_with(r, BND_VERDICT_NO_DIFFERENCE);
    if (alike.count == 0) {
        return NULL;
    }
    char *names = words_of(&alike);
    char *text = format_text("No difference from %s: %s.", r->rows[r->reference].name, names);
    char *memory = least_memory(r, alike.count);
    free(names);
    list_clear(&alike);
    return memory != NULL ? add(text, memory) : text;
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
        list l = rows_with(r, kinds[i].verdict);
        if (l.count > 0) {
            char *names = words_of(&l);
            text = add(text, format_text("%s: %s%s.", kinds[i].word, names, kinds[i].advice));
            free(names);
        }
        list_clear(&l);
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
    return text != NULL && can_be_explained(r) ? add(text, copy_text("binade train --autopsy tells why.")) : text;
}
