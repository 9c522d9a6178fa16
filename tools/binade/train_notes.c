/* What stands below the table of runs: its words, and what is easily misread in it. */
#include "train_table.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>

/* A word of the table, and what it stands for. */
static void say(const char *word, char *owned)
{
    enum { INDENT = 13 };
    printf("%s%*s", word, INDENT - (int)text_width(word), "");
    fill_text(owned, INDENT, INDENT);
    free(owned);
}

static bool has_unclear(const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        if (unclear(r, &r->rows[i]) > 0) {
            return true;
        }
    }
    return false;
}

static void explain_result(const train_result *r)
{
    const char *reference = r->rows[r->reference].records->recipe;
    size_t most = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        most = r->rows[i].compared && r->rows[i].is.pairs > most ? r->rows[i].is.pairs : most;
    }
    say("gap", format_text("how much higher the loss ends than that of %s, from the same weights on the same data%s",
                           reference, most > 1 ? "" : "; one pair of runs has no band, --seeds 3 gives one"));
    if (most > 1) {
        say(writes_utf8() ? "±" : "+/-",
            format_text("its band: the gap is the mean of %zu pairs of runs, and this half its 95 %% interval", most));
    }
    say("match", copy_text("no gap that matters, or none that is clear of its band"));
    if (has_unclear(r)) {
        say("match?", format_text("a match as yet: no gap is clear of its band, but the band reaches beyond %g %% of "
                                  "the loss; more --seeds would tell",
                                  100 * BND_MARGIN));
    }
    say("degraded", format_text("a gap clear of its band, and above %g %% of the loss", 100 * BND_MARGIN));
    say("diverged", format_text("%s no more at the end than a model that knows nothing, or the loss is no number",
                                most > 1 ? "half of the runs or more know" : "the run knows"));
    say("left at", format_text("the step, from 0, at which the loss left the band of %s", reference));
}

static void explain_losses(const train_result *r)
{
    double counted = 0, known = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        counted += sum_of_gradients(&r->rows[i]);
        known += sum_of_updates(&r->rows[i]);
    }
    if (known > 0) {
        say("cancelled", copy_text("updates that rounding took away from the weights"));
    }
    if (counted > 0) {
        say("flushed", copy_text("gradients other than zero that became zero"));
        say("overflows", copy_text("numbers of all kinds that were beyond their format"));
    }
}

static void explain_memory_and_time(const train_result *r)
{
    if (!isnan(bytes_per_parameter(r, &r->rows[r->reference]))) {
        say("bytes/param", copy_text("weights, their gradients and what the optimizer keeps, as measured"));
        say("saved", format_text("of the peak of all memory, beside %s", r->rows[r->reference].records->recipe));
    }
    if (!isnan(r->peak)) {
        say("MFU", format_text("of %.3g GFLOP/s: the fastest 256 x 256 product of fp32 matrices here, on %s",
                               1e-9 * r->peak, r->peak_threads > 1 ? "all threads" : "one thread"));
    }
}

/* Which recipes need as many bytes a parameter as the reference, or more: what people expect to be otherwise. */
static void warn_of_memory(const train_result *r)
{
    double reference = bytes_per_parameter(r, &r->rows[r->reference]);
    char *names = copy_text("");
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (i != r->reference && row->reference != i && bytes_per_parameter(r, row) >= reference) {
            char *longer = format_text("%s%s%s", names, names[0] != '\0' ? ", " : "", row->name);
            free(names);
            names = longer;
        }
    }
    if (names[0] != '\0') {
        char *text = format_text("No parameter memory is saved by %s: the weights stay in fp32 (as parameters, or as a "
                                 "master copy beside low ones), and so does the optimizer's state. What mixed "
                                 "precision saves is activations.",
                                 names);
        printf("\n");
        fill_text(text, 0, 0);
        free(text);
    }
    free(names);
}

static void tell_of_ends(const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (!isnan(ended_at(r, row))) {
            char *text =
                format_text("%s ended after %.0f of %llu steps: no number was left of its weights, and no later "
                            "loss would have been one.",
                            row->name, ended_at(r, row), (unsigned long long)row->records->steps);
            printf("\n");
            fill_text(text, 0, 0);
            free(text);
        }
    }
}

void print_result_notes(const train_result *r)
{
    explain_result(r);
    explain_losses(r);
    explain_memory_and_time(r);
    warn_of_memory(r);
    tell_of_ends(r);
}
