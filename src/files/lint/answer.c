/* The answer of lint in words. */
#include "store/store.h"

#include <binade-lab/lint.h>

/* Findings of one check and severity stand together, and count once. */
static size_t count_kinds(const bnd_lint *lint, bnd_severity least)
{
    const bnd_lint_finding *before = NULL, *now;
    size_t count = 0;
    for (size_t i = 0; (now = bnd_lint_finding_at(lint, i)) != NULL; i++) {
        const bool first = before == NULL || before->check != now->check || before->severity != now->severity;
        count += first && now->severity >= least;
        before = now;
    }
    return count;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

size_t bnd_lint_print_answer(char *out, size_t size, const bnd_lint *lint)
{
    const bnd_lint_summary *sum = bnd_lint_summary_of(lint);
    const size_t problems = count_kinds(lint, BND_SEVERITY_SUSPECT);
    const size_t notes = count_kinds(lint, BND_SEVERITY_NOTE) - problems;
    bndi_sentence s = bndi_sentence_in(out, size);
    if (problems == 0 && notes == 0) {
        bndi_sentence_add(&s, "No problems found.");
    } else if (problems == 0) {
        bndi_sentence_add(&s, "No problems found; %zu note%s.", notes, plural(notes));
    } else if (sum->damage == 0) {
        bndi_sentence_add(&s, "%zu possible problem%s: this checkpoint may be %s.", problems, plural(problems),
                          sum->wrong > 0     ? "wrong"
                          : sum->refused > 0 ? "refused by loaders"
                                             : "incomplete");
    } else if (sum->refused > 0) {
        bndi_sentence_add(&s, "%zu problem%s: loaders refuse this checkpoint%s.", problems, plural(problems),
                          sum->wrong > 0 ? ", or load it and give wrong results" : "");
    } else {
        bndi_sentence_add(&s, "%zu problem%s: this checkpoint loads, and gives wrong results.", problems,
                          plural(problems));
    }
    return s.length;
}
