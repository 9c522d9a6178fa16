/* What stands below the table of runs: its words, and what is easily misread in it. */
#include "train_table.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* A word of the table, and what it stands for. */
static void say(const char *word, char *owned)
{
    enum { INDENT = 14 };
    printf("%s%*s", word, INDENT - (int)text_width(word), "");
    fill_text(owned, INDENT, INDENT);
    free(owned);
}

static bool has_word(const train_result *r, const char *word)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (row->compared && row->reference != i && strcmp(bnd_comparison_word(&row->is), word) == 0) {
            return true;
        }
    }
    return false;
}

/* Same weights and same data are known of runs that say which model and which seeds they have. */
static bool is_known(const train_result *r)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->records[i].model[0] == '\0') {
            return false;
        }
    }
    return true;
}

static bool has_gaps(const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        if (!isnan(gap_of(r, &r->rows[i]))) {
            return true;
        }
    }
    return false;
}

static void explain_gap(const train_result *r, size_t most)
{
    const char *reference = r->rows[r->reference].records->recipe;
    const char *from = is_known(r) ? ", from the same weights on the same data" : "";
    const char *more = most > 1 || !is_known(r) ? "" : "; one seed pair has no interval: --seeds 3 gives one";
    say("gap", format_text("final loss minus that of %s%s%s", reference, from, more));
    if (most > 1) {
        say(writes_utf8() ? "±" : "+/-",
            format_text("half the 95 %% interval of the gap, the mean over %zu seed pairs", most));
    }
}

static void explain_verdicts(size_t most, const train_result *r)
{
    const char *clear = most > 1 ? "larger than its interval and " : "";
    if (has_word(r, "match")) {
        say("match",
            copy_text(most > 1 ? "no gap that matters and is larger than its interval" : "no gap that matters"));
    }
    if (has_word(r, "inconclusive")) {
        say("inconclusive", format_text("no clear gap, but its interval reaches beyond %g %% of the loss: more seeds "
                                        "would tell",
                                        100 * BND_MARGIN));
    }
    if (has_word(r, "degraded")) {
        say("degraded", format_text("a gap %sabove %g %% of the loss, or a loss %d times as high", clear,
                                    100 * BND_MARGIN, BND_APART));
    }
    if (has_word(r, "better")) {
        say("better", format_text("the loss of %s is at least %d times as high", r->rows[r->reference].records->recipe,
                                  BND_APART));
    }
    if (has_word(r, "diverged")) {
        const char *end = is_known(r) ? "NaN or at chance level" : "NaN or not below the first";
        say("diverged",
            format_text(most > 1 ? "the final loss is %s in at least half of the runs" : "the final loss is %s", end));
    }
}

static void explain_result(const train_result *r)
{
    size_t most = 0, left = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        most = row->compared && row->is.pairs > most ? row->is.pairs : most;
        left += row->compared && row->reference != i;
    }
    if (left == 0) {
        return; /* there is nothing but references */
    }
    if (has_gaps(r)) {
        explain_gap(r, most);
    }
    explain_verdicts(most, r);
    say("left at", format_text("first step, from 0, from which on the loss stays outside the range of %s",
                               r->rows[r->reference].records->recipe));
}

static void explain_losses(const train_result *r)
{
    double counted = 0, known = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        counted += sum_of_gradients(&r->rows[i]);
        known += sum_of_updates(&r->rows[i]);
    }
    if (known > 0) {
        say("cancelled", copy_text("updates lost: rounding left the weight as it was"));
    }
    if (counted > 0) {
        say("flushed", copy_text("nonzero gradients that underflowed to zero"));
        say("overflows", copy_text("numbers of all kinds that were beyond their format"));
    }
}

static void explain_memory(const train_result *r)
{
    const train_row *reference = &r->rows[r->reference];
    if (!isnan(bytes_per_parameter(r, reference))) {
        say("bytes/param", copy_text("weights, their gradients and the optimizer's state, as measured"));
    }
    if (!isnan(activation_bytes(r, reference))) {
        say("activations", copy_text("the most that they took; this library keeps every result until the step ends"));
    }
    if (!isnan(peak_bytes(r, reference))) {
        say("peak", copy_text("the most that the recipe's own tensors took together: param, master, grad, m, v, extra, "
                              "act, dact. Not counted: input data, copies of operands, scratch of the emulation"));
        say("memory", format_text("that peak compared with %s's", reference->records->recipe));
    }
}

static void explain_emulation(const train_result *r)
{
    if (!r->details) {
        return;
    }
    say("emulation", copy_text("all memory and the time per step of this program, which computes every format on the "
                               "CPU: it says nothing about the speed of a recipe on hardware"));
    if (!isnan(r->peak)) {
        say("of this CPU", format_text("share of %.3g GFLOP/s, the fastest fp32 matrix product of 256 x 256 here, on "
                                       "%s; \"-\" where a step was "
                                       "faster, because other programs ran when it was measured",
                                       1e-9 * r->peak, r->peak_threads > 1 ? "all threads" : "one thread"));
    }
}

static void paragraph(char *owned)
{
    printf("\n");
    fill_text(owned, 0, 0);
    free(owned);
}

/* Names of recipes in a row. */
typedef struct list {
    char *names;
    size_t count;
} list;

static void append(list *l, const char *name)
{
    char *longer = l->count > 0 ? format_text("%s, %s", l->names, name) : copy_text(name);
    free(l->names);
    *l = (list){longer, l->count + 1};
}

/* A sentence behind others. */
static char *with_sentence(char *text, char *sentence)
{
    char *both = format_text("%s %s", text, sentence);
    free(text);
    free(sentence);
    return both;
}

/* Which recipes need as many bytes per parameter as the reference, or more, which people do not expect; and whether
 * they save activations. */
static void warn_of_memory(const train_result *r)
{
    const train_row *reference = &r->rows[r->reference];
    const double bytes = bytes_per_parameter(r, reference), activations = activation_bytes(r, reference);
    list all = {NULL, 0}, larger = {NULL, 0}, savers = {NULL, 0};
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (i != r->reference && row->reference != i && bytes_per_parameter(r, row) >= bytes) {
            append(&all, row->name);
            if (bytes_per_parameter(r, row) > bytes) {
                append(&larger, row->name);
            }
            if (activation_bytes(r, row) < activations) {
                append(&savers, row->name);
            }
        }
    }
    if (all.count > 0) {
        char *text = format_text("No parameter memory is saved by %s: the weights stay in fp32 (as parameters, or as a "
                                 "master copy), and so does the optimizer's state.",
                                 all.names);
        if (larger.count > 0) {
            text = with_sentence(text, format_text("%s also keeps scales and their histories.", larger.names));
        }
        text = with_sentence(
            text, savers.count == all.count ? copy_text("Mixed precision saves activations.")
                  : savers.count > 0
                      ? format_text("Mixed precision saves activations in %s.", savers.names)
                      : copy_text("Activations are not smaller either: only operands of matrix products are cast."));
        paragraph(text);
    }
    free(all.names);
    free(larger.names);
    free(savers.names);
}

/* Verdicts need a reference that has learned something. */
static void warn_of_ignorance(const train_result *r)
{
    const train_row *row = &r->rows[r->reference];
    size_t ignorant = 0;
    for (size_t i = 0; i < row->count; i++) {
        ignorant += bnd_record_result(&row->records[i]) >= row->records[i].ignorance;
    }
    if (2 * ignorant >= row->count && row->count > 0) {
        paragraph(format_text("%s itself ends at chance level, so that gaps say nothing: try more --steps or another "
                              "--lr.",
                              row->name));
    }
}

/* The first step from which on a row's loss is NaN, in any of its runs; false: none is NaN at the end. */
static bool nan_from(const train_row *row, uint64_t *step)
{
    bool found = false;
    for (size_t k = 0; k < row->count; k++) {
        const bnd_record *record = &row->records[k];
        size_t i = record->count;
        while (i > 0 && isnan(record->points[i - 1].loss)) {
            i--;
        }
        if (i < record->count && (!found || record->points[i].step < *step)) {
            *step = record->points[i].step;
            found = true;
        }
    }
    return found;
}

static char *failure_text(const train_result *r, const train_row *row)
{
    uint64_t step = 0;
    char *text;
    if (nan_from(row, &step)) {
        char *runs = row->count > 1 ? format_text(" in %zu of %zu runs", nan_runs(row), row->count) : copy_text("");
        text =
            format_text("%s failed: its loss is NaN from step %llu on%s.", row->name, (unsigned long long)step, runs);
        free(runs);
    } else {
        text = format_text("%s failed: its final loss is %s.", row->name,
                           is_known(r) ? "at chance level" : "not below the first");
    }
    if (!isnan(ended_at(r, row))) {
        text = with_sentence(text,
                             format_text("All of its weights were NaN after %.0f of %llu steps: the run ended there, "
                                         "and its counts cover these steps only.",
                                         ended_at(r, row), (unsigned long long)row->records->steps));
    }
    return text;
}

/* A run that failed says so, when, and where to look further. */
static void tell_of_failures(const train_result *r)
{
    size_t failed = 0, known = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        bool diverged = row->compared && row->is.verdict == BND_DIVERGED;
        if (diverged || nan_runs(row) > 0) {
            paragraph(failure_text(r, row));
            failed++;
            known += row->records->model[0] != '\0' && row->reference != i;
        }
    }
    if (known > 0 && !r->autopsied) {
        paragraph(format_text("binade train with --autopsy tells which part of %s is the cause.",
                              failed > 1 ? "each failed recipe" : "the recipe"));
    }
}

/* Runs of different lengths are compared where both are. */
static void tell_of_lengths(const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (row->compared && row->is.cut) {
            char *loss = loss_text(row->is.reference);
            paragraph(
                format_text("%s and %s end at different steps: they are compared at step %llu, the last that both "
                            "have, where the loss of %s is %s.",
                            row->name, r->rows[row->reference].name, (unsigned long long)row->is.cut_at,
                            r->rows[row->reference].name, loss));
            free(loss);
        }
    }
}

void print_result_notes(const train_result *r)
{
    explain_result(r);
    explain_losses(r);
    explain_memory(r);
    explain_emulation(r);
    warn_of_ignorance(r);
    warn_of_memory(r);
    tell_of_lengths(r);
    tell_of_failures(r);
}
