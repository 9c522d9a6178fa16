/* The conclusion of a table of runs, and of a sweep, in words: which recipe to use, which are worse, which failed. */
#include "study/study.h"

#include "store/store.h"

#include <string.h>

static bool is_compared(const bnd_summary_row *rows, size_t row)
{
    return rows[row].compared && rows[row].reference != row;
}

static double memory_of(const bnd_summary_row *rows, size_t row)
{
    return bnd_summary_value(rows, row, BND_SUMMARY_MEMORY_BYTES);
}

/* ---- names ---- */

/* Names of rows, of which `count` are written: "a, b and c". */
typedef struct name_list {
    bndi_sentence *line;
    size_t count, written;
} name_list;

static void begin_name(name_list *l)
{
    bndi_sentence_add(l->line, "%s", l->written == 0 ? "" : l->written + 1 < l->count ? ", " : " and ");
    l->written++;
}

/* ---- a table of runs ---- */

typedef struct question {
    const bnd_summary_row *rows;
    size_t count;
} question;

/* REFERENCE_FAILED: is there no pair in which the reference did not fail, and is the recipe not to blame for it? More
 * seeds give no verdict then. */
enum { REFERENCE_FAILED = BND_VERDICT_COUNT, UNFINISHED };
static const char without_reference[] = "Not compared, because the reference failed";

static bool says(const bnd_comparison *is, unsigned verdict)
{
    const bool lost = is->judged == 0 && is->verdict != BND_VERDICT_FAILED;
    return verdict == REFERENCE_FAILED ? lost : is->verdict == verdict && !lost;
}

/* A row with unfinished runs has no other verdict. */
static bool has_verdict(const question *q, size_t row, unsigned verdict)
{
    const bnd_summary_row *its = &q->rows[row];
    const bool finished = bndi_is_finished(its);
    return verdict == UNFINISHED ? !finished : finished && is_compared(q->rows, row) && says(&its->is, verdict);
}

static bool is_alike(const question *q, size_t row, size_t reference)
{
    return has_verdict(q, row, BND_VERDICT_NO_DIFFERENCE) && q->rows[row].reference == reference;
}

/* Of those without a difference from a reference that has learned something, the row with the least memory, if that is
 * less than the reference's; otherwise the reference. */
static size_t best_for(const question *q, size_t reference)
{
    size_t best = reference;
    for (size_t i = 0; bndi_has_learned(&q->rows[reference]) && i < q->count; i++) {
        best = is_alike(q, i, reference) && memory_of(q->rows, i) < memory_of(q->rows, best) ? i : best;
    }
    return best;
}

size_t bnd_summary_recommended(const bnd_summary_row *rows, size_t count)
{
    const question q = {rows, count};
    const size_t reference = count > 0 ? rows[0].reference : 0, best = count > 0 ? best_for(&q, reference) : 0;
    return best != reference ? best : count;
}

/* Which recipe to use: no difference, and the least memory. */
static void add_alike(bndi_sentence *line, const question *q, size_t reference)
{
    const bnd_summary_row *rows = q->rows;
    const size_t best = best_for(q, reference);
    name_list l = {line, 0, 0};
    for (size_t i = 0; i < q->count; i++) {
        l.count += i != best && is_alike(q, i, reference);
    }
    if (best != reference) {
        bndi_sentence_add(line, "Use %s: no difference from %s, with %.0f %% of its memory.", rows[best].name,
                          rows[reference].name, 100 * memory_of(rows, best) / memory_of(rows, reference));
    }
    if (l.count == 0) {
        return;
    }
    if (best != reference) {
        bndi_sentence_add(line, " Also no difference: ");
    } else {
        bndi_sentence_add(line, "No difference from %s: ", rows[reference].name);
    }
    for (size_t i = 0; i < q->count; i++) {
        if (i != best && is_alike(q, i, reference)) {
            begin_name(&l);
            bndi_sentence_add(line, "%s", rows[i].name);
        }
    }
    bndi_sentence_add(line, ".");
}

/* "fp16-pure (NaN at step 3)" */
static void add_failed(bndi_sentence *line, const bnd_summary_row *row)
{
    const bool known = row->records->model[0] != '\0';
    if (row->is.failed_nan > 0 && row->is.nan_at_end) {
        bndi_sentence_add(line, "%s (NaN at the end)", row->name);
    } else if (row->is.failed_nan > 0) {
        bndi_sentence_add(line, "%s (NaN at step %llu)", row->name, (unsigned long long)row->is.nan_from);
    } else {
        bndi_sentence_add(line, "%s (%s)", row->name, known ? "chance level" : "loss not below the first");
    }
}

static void add_verdict(bndi_sentence *line, const question *q, unsigned verdict, const char *word, const char *advice)
{
    name_list l = {line, 0, 0};
    for (size_t i = 0; i < q->count; i++) {
        l.count += has_verdict(q, i, verdict);
    }
    if (l.count == 0) {
        return;
    }
    bndi_sentence_add(line, "%s: ", word);
    for (size_t i = 0; i < q->count; i++) {
        if (has_verdict(q, i, verdict)) {
            begin_name(&l);
            if (verdict == BND_VERDICT_FAILED) {
                add_failed(line, &q->rows[i]);
            } else {
                bndi_sentence_add(line, "%s", q->rows[i].name);
            }
        }
    }
    bndi_sentence_add(line, "%s.", advice);
}

size_t bnd_summary_print_line(char *out, size_t size, const bnd_summary_row *rows, size_t count, size_t line)
{
    static const struct {
        unsigned verdict;
        const char *word, *advice;
    } kinds[] = {{BND_VERDICT_FAILED, "Failed", ""},
                 {BND_VERDICT_WORSE, "Worse", ""},
                 {BND_VERDICT_BETTER, "Better", ""},
                 {BND_VERDICT_INCONCLUSIVE, "Inconclusive", " (use more seeds)"},
                 {BND_VERDICT_UNJUDGED, "No verdict from one seed pair", " (3 seeds give one)"},
                 {REFERENCE_FAILED, without_reference, ""},
                 {UNFINISHED, "Unfinished", ""}};
    const question q = {rows, count};
    const size_t most = count + sizeof kinds / sizeof kinds[0];
    for (size_t i = 0; i < most; i++) {
        bndi_sentence text = bndi_sentence_in(out, size);
        if (i < count) {
            add_alike(&text, &q, i);
        } else {
            add_verdict(&text, &q, kinds[i - count].verdict, kinds[i - count].word, kinds[i - count].advice);
        }
        if (text.length > 0 && line-- == 0) {
            return text.length;
        }
    }
    (void)bndi_sentence_in(out, size);
    return 0;
}

/* ---- a sweep ---- */

/* "worse: a (lr 0.1) and b": where every run failed, no rate is better than another. */
static void add_rates(bndi_sentence *line, const bnd_sweep_row *rows, size_t count, unsigned verdict, const char *word)
{
    name_list l = {line, 0, 0};
    for (size_t i = 0; i < count; i++) {
        l.count += rows[i].compared && says(&rows[i].is, verdict);
    }
    if (l.count == 0) {
        return;
    }
    bndi_sentence_add(line, "%s: ", word);
    for (size_t i = 0; i < count; i++) {
        const bnd_sweep_row *row = &rows[i];
        if (row->compared && says(&row->is, verdict)) {
            begin_name(&l);
            bndi_sentence_add(line, "%s", row->recipe);
            if (row->failed < row->count) {
                bndi_sentence_add(line, " (lr %g)", row->rates[row->best].lr);
            }
        }
    }
    bndi_sentence_add(line, ".");
}

static bool has_reference(const bnd_sweep_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].recipe, "fp32") == 0) {
            return true;
        }
    }
    return false;
}

size_t bnd_sweep_print_line(char *out, size_t size, const bnd_sweep_row *rows, size_t count, size_t line)
{
    static const struct {
        unsigned verdict;
        const char *word;
    } kinds[] = {{BND_VERDICT_NO_DIFFERENCE, "No difference from fp32"},
                 {BND_VERDICT_BETTER, "Better"},
                 {BND_VERDICT_INCONCLUSIVE, "Inconclusive"},
                 {BND_VERDICT_WORSE, "Worse"},
                 {BND_VERDICT_FAILED, "Failed"},
                 {BND_VERDICT_UNJUDGED, "No verdict from one seed pair"},
                 {REFERENCE_FAILED, without_reference}};
    for (size_t i = 0; i <= sizeof kinds / sizeof kinds[0]; i++) {
        bndi_sentence text = bndi_sentence_in(out, size);
        if (i == 0) {
            bndi_sentence_add(&text, "%s",
                              has_reference(rows, count)
                                  ? "Each recipe at its best learning rate, compared with fp32 at its own."
                                  : "There are no verdicts and no gaps, because fp32 is not among the recipes.");
        } else {
            add_rates(&text, rows, count, kinds[i - 1].verdict, kinds[i - 1].word);
        }
        if (text.length > 0 && line-- == 0) {
            return text.length;
        }
    }
    (void)bndi_sentence_in(out, size);
    return 0;
}
