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
    say("match",
        copy_text(most > 1 ? "no gap that matters, or none that is clear of its band" : "no gap that matters"));
    if (has_unclear(r)) {
        say("match?", format_text("a match as yet: no gap is clear of its band, but the band reaches beyond %g %% of "
                                  "the loss; more --seeds would tell",
                                  100 * BND_MARGIN));
    }
    say("degraded",
        format_text("a gap %sabove %g %% of the loss", most > 1 ? "clear of its band, and " : "", 100 * BND_MARGIN));
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

/* Which recipes need as many bytes a parameter as the reference, or more: what people expect to be otherwise; and
 * whether activations are what they save. */
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
                                 "master copy beside low ones), and so does the optimizer's state.",
                                 all.names);
        if (larger.count > 0) {
            text =
                with_sentence(text, format_text("Scales and what they follow from come on top with %s.", larger.names));
        }
        text = with_sentence(
            text, savers.count == all.count ? copy_text("What mixed precision saves is activations.")
                  : savers.count > 0 ? format_text("What mixed precision saves is activations, with %s.", savers.names)
                                     : copy_text("Activations are not smaller either: only operands are cast."));
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
        paragraph(format_text("%s itself ends knowing nothing, so that no gap says anything: more --steps, or another "
                              "--lr.",
                              row->name));
    }
}

static void tell_of_ends(const train_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const train_row *row = &r->rows[i];
        if (!isnan(ended_at(r, row))) {
            paragraph(format_text("%s ended after %.0f of %llu steps: no number was left of its weights, and no later "
                                  "loss would have been one.",
                                  row->name, ended_at(r, row), (unsigned long long)row->records->steps));
        }
    }
}

void print_result_notes(const train_result *r)
{
    explain_result(r);
    explain_losses(r);
    explain_memory_and_time(r);
    warn_of_ignorance(r);
    warn_of_memory(r);
    tell_of_ends(r);
}
