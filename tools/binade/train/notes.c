/* The text below the table of runs: warnings about what is easily misread, and a legend of its words. */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* A note takes the text. */
static void add(result_notes *n, const char *word, char *owned)
{
    n->items = allocate(n->items, n->count + 1, sizeof *n->items);
    n->items[n->count++] = (result_note){.word = word, .text = owned};
}

/* A word of the table and its meaning. */
static void say(result_notes *n, const char *word, char *owned)
{
    add(n, word, owned);
}

static bool has_verdict(const train_result *r, bnd_verdict verdict)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (is_compared(row, r) && (row->is.verdict == verdict || row->is.others == verdict)) {
            return true;
        }
    }
    return false;
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

static const char *name_of_reference(const train_result *r)
{
    return r->rows[r->reference].records->recipe;
}

static void explain_final(result_notes *n, const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        if (!isnan(recipe_loss(r, &r->rows[i]))) {
            say(n, "loss", copy_text("of the trained weights, evaluated in fp32 on validation data"));
            say(n, "in recipe", copy_text("the same loss, evaluated in the formats of the recipe"));
            return;
        }
    }
}

static void explain_gap(result_notes *n, const train_result *r, size_t most, size_t rows)
{
    const char *from = bnd_summary_is_known(r->summary, r->row_count) ? ", from the same weights on the same data" : "";
    const char *more = most > 1 || !bnd_summary_is_known(r->summary, r->row_count)
                           ? ""
                           : "; one seed pair has no interval: --seeds 3 gives one";
    const char *each = rows > 1 ? "; each recipe has its own, not corrected for their number" : "";
    say(n, "gap", format_text("loss minus that of %s%s%s", name_of_reference(r), from, more));
    if (most > 1) {
        say(n, writes_utf8() ? "±" : "+/-",
            format_text("half the 95 %% interval of the gap, the mean over %zu seed pairs%s", most, each));
    }
}

/* Ratios instead of gaps. */
static void explain_ratio(result_notes *n, const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (is_compared(row, r) && row->is.logarithmic && row->is.gap != 0) {
            say(n, writes_utf8() ? "×" : "x",
                format_text("geometric mean of the ratios to the loss of %s%s: losses span a factor of %d or more",
                            name_of_reference(r), row->is.judged > 1 ? " (95 % interval)" : "", BND_COMPARISON_APART));
            return;
        }
    }
}

static void explain_tolerance(result_notes *n, const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (is_compared(row, r) && !row->is.logarithmic && row->is.judged > 0) {
            char *x = loss_text(row->is.tolerance);
            bool known = !isnan(r->rows[r->reference].records->floor);
            say(n, "tolerance",
                format_text("%s: %g %% of the loss of %s%s (--margin)", x,
                            100 * r->margin * (known ? 1 : BND_COMPARISON_EXCESS), name_of_reference(r),
                            known ? " above the irreducible loss" : ""));
            free(x);
            return;
        }
    }
}

static void explain_verdicts(result_notes *n, const train_result *r)
{
    if (has_verdict(r, BND_VERDICT_NO_DIFFERENCE)) {
        say(n, "no difference", copy_text("the 95 % interval of the gap lies within the tolerance"));
    }
    if (has_verdict(r, BND_VERDICT_INCONCLUSIVE)) {
        say(n, "inconclusive", copy_text("the interval reaches beyond the tolerance: use more seeds"));
    }
    if (has_verdict(r, BND_VERDICT_WORSE)) {
        say(n, "worse", copy_text("the interval, or nearly every pair of six or more, lies above the tolerance"));
    }
    if (has_verdict(r, BND_VERDICT_BETTER)) {
        say(n, "better",
            copy_text("the interval, or nearly every pair of six or more, lies below minus the tolerance"));
    }
    if (has_verdict(r, BND_VERDICT_FAILED)) {
        say(n, "failed",
            format_text("more runs than of %s ended in NaN or %s; loss, gap and interval are those of the "
                        "other seed pairs, if any",
                        name_of_reference(r),
                        bnd_summary_is_known(r->summary, r->row_count) ? "at chance level"
                                                                       : "not below the first loss"));
    }
}

static void explain_result(result_notes *n, const train_result *r)
{
    size_t most = 0, rows = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        most = row->compared && row->is.judged > most ? row->is.judged : most;
        rows += is_compared(row, r);
    }
    explain_final(n, r);
    if (rows == 0) {
        return; /* there is nothing but references */
    }
    if (has_gaps(r)) {
        explain_gap(n, r, most, rows);
        explain_ratio(n, r);
        explain_tolerance(n, r);
    }
    explain_verdicts(n, r);
    if (r->details) {
        say(n, "outside from",
            format_text("first step from which the loss stays outside the range of %s; steps count "
                        "from 0",
                        name_of_reference(r)));
    }
}

static void explain_losses(result_notes *n, const train_result *r)
{
    double counted = 0, known = 0;
    if (!r->details) {
        return;
    }
    for (size_t i = 0; i < r->row_count; i++) {
        counted += sum_of_gradients(r, &r->rows[i]);
        known += sum_of_updates(r, &r->rows[i]);
    }
    if (known > 0) {
        say(n, "lost updates", copy_text("updates that rounding cancelled: the weight did not change"));
    }
    if (counted > 0) {
        say(n, "underflowed", copy_text("nonzero gradients that underflowed to zero"));
        say(n, "overflows", copy_text("values of all roles above the largest number of their format"));
    }
}

static bool compares_memory(const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        if (!isnan(row_value(r, &r->rows[i], BND_SUMMARY_MEMORY_SAVED_TIMES))) {
            return true;
        }
    }
    return false;
}

static void explain_memory(result_notes *n, const train_result *r)
{
    const train_row *reference = &r->rows[r->reference];
    if (compares_memory(r)) {
        say(n, "memory",
            format_text("of weights, gradients, optimizer state and activations, compared with %s",
                        reference->records->recipe));
    }
    if (!r->details && !r->memory) {
        return;
    }
    if (!isnan(bytes_per_parameter(r, reference))) {
        say(n, "bytes/param", copy_text("measured bytes per parameter of weights, gradients and optimizer state"));
    }
    if (!isnan(activation_bytes(r, reference))) {
        say(n, "activations", copy_text("saved for the backward pass, in the formats of the recipe"));
    }
    if (!isnan(memory_bytes(r, reference))) {
        say(n, "total",
            copy_text("weights, gradients, optimizer state and activations, as in binade cost memory. Not "
                      "counted: input data, weights as operands, statistics of norms"));
    }
    bool extra = false;
    for (size_t i = 0; i < r->row_count; i++) {
        extra = extra || extra_bytes(r, &r->rows[i]) > 0;
    }
    if (r->memory && extra) {
        say(n, "extra", copy_text("scales, histories for delayed scaling, Kahan compensation"));
    }
    if (!isnan(peak_bytes(r, reference))) {
        say(n, "peak", copy_text("maximum over time, including gradients of activations"));
    }
}

static void explain_emulation(result_notes *n, const train_result *r)
{
    if (!r->details || r->untimed) {
        return;
    }
    say(n, "emulation",
        copy_text("memory and time per step of this program, which emulates every format on the CPU. They "
                  "are not the memory and speed of a recipe on hardware"));
    if (!isnan(r->peak)) {
        say(n, "of this CPU",
            format_text("share of %.3g GFLOP/s, the fastest fp32 matrix product of 256 x 256 here, on %s; \"-\" where "
                        "a step was faster, because other programs ran when it was measured",
                        1e-9 * r->peak, r->peak_threads > 1 ? "all threads" : "one thread"));
    }
}

void print_conclusion(const train_result *r, bool first)
{
    char *text = conclusion_text(r);
    if (text != NULL) {
        fputs(first ? "" : "\n", stdout);
        fill_text(text, 0, 0);
        fputs(first ? "\n" : "", stdout);
        free(text);
    }
}

void result_notes_make(result_notes *n, const train_result *r)
{
    char *note;
    *n = (result_notes){.count = 0};
    for (size_t i = 0; (note = note_text(r, i)) != NULL; i++) {
        add(n, NULL, note);
    }
    explain_result(n, r);
    explain_losses(n, r);
    explain_memory(n, r);
    explain_emulation(n, r);
}

void result_notes_clear(result_notes *n)
{
    for (size_t i = 0; i < n->count; i++) {
        free(n->items[i].text);
    }
    free(n->items);
    *n = (result_notes){.count = 0};
}

void print_result_notes(const train_result *r)
{
    enum { INDENT = 15 };
    result_notes n;
    size_t i = 0;
    result_notes_make(&n, r);
    for (; i < n.count && n.items[i].word == NULL; i++) {
        printf("\n");
        fill_text(n.items[i].text, 0, 0);
    }
    putchar('\n');
    for (; i < n.count; i++) {
        const char *word = n.items[i].word;
        printf("%s%*s", word, INDENT - (int)text_width(word), "");
        fill_text(n.items[i].text, INDENT, INDENT);
    }
    result_notes_clear(&n);
}
