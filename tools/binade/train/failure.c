/* The text about runs that failed: when, and which roles lost numbers first. */
#include "table.h"

#include <math.h>
#include <stdlib.h>

bool runs_are_known(const train_result *r)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->records[i].model[0] == '\0') {
            return false;
        }
    }
    return true;
}

/* The roles of a run that `from` puts at this step, in words; NULL: none. */
static char *roles_from(const uint64_t from[BND_ROLE_COUNT], uint64_t step)
{
    enum { MOST = 4 };
    name_list l = {NULL, NULL, 0};
    size_t more = 0;
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        if (from[role] == step + 1 && l.count < MOST) {
            name_list_add(&l, bnd_role_name((bnd_role)role));
        } else {
            more += from[role] == step + 1;
        }
    }
    char *names = l.count > 0 ? name_list_text(&l, ", ") : NULL;
    name_list_clear(&l);
    return more > 0 ? with_sentence(names, format_text("and %zu more", more)) : names;
}

static void keep_first(uint64_t *first, const uint64_t from[BND_ROLE_COUNT])
{
    for (unsigned role = 0; role < BND_ROLE_COUNT; role++) {
        *first = from[role] > 0 && from[role] - 1 < *first ? from[role] - 1 : *first;
    }
}

/* What its own statistics say of a run that failed: where numbers were first lost. */
static char *with_first_loss(char *text, const train_row *row)
{
    const bnd_record *record = row->records;
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < row->count; i++) {
        uint64_t own = UINT64_MAX;
        keep_first(&own, row->records[i].overflow_from);
        keep_first(&own, row->records[i].underflow_from);
        record = own < first ? &row->records[i] : record;
        first = own < first ? own : first;
    }
    if (first == UINT64_MAX) {
        return text;
    }
    char *over = roles_from(record->overflow_from, first), *under = roles_from(record->underflow_from, first);
    if (over != NULL) {
        text = with_sentence(text, format_text("Numbers overflowed first in step %llu, of the roles %s.",
                                               (unsigned long long)first, over));
    }
    if (under != NULL) {
        text = with_sentence(
            text,
            format_text("1 %% or more of the nonzero numbers underflowed to zero first in step %llu, of the roles %s.",
                        (unsigned long long)first, under));
    }
    free(over);
    free(under);
    return text;
}

/* When a run failed, and whether it was cut short. */
char *failure_text(const train_result *r, const train_row *row)
{
    char *runs = row->count > 1 ? format_text(" in %zu of %zu runs", row->is.failed, row->count) : copy_text(""), *text;
    if (row->is.failed_nan > 0) {
        text = format_text("%s failed%s: its loss is NaN from step %llu on.", row->name, runs,
                           (unsigned long long)row->is.nan_from);
    } else {
        text = format_text("%s failed%s: its final loss is %s.", row->name, runs,
                           runs_are_known(r) ? "at chance level" : "not below the first");
    }
    free(runs);
    text = with_first_loss(text, row);
    if (!isnan(ended_at(r, row))) {
        text = with_sentence(text, format_text("All of its weights were NaN after %.0f of %llu steps: the run ended "
                                               "there, and its counts cover these steps only.",
                                               ended_at(r, row), (unsigned long long)row->records->steps));
    }
    return text;
}
