/* The table that runs end with: what became of each recipe, what it cost, and what the words mean. */
#include "training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

char *bytes_text(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; unit < 4 && fabs(bytes) >= 1023.5; unit++) {
        bytes /= 1024;
    }
    return isnan(bytes) ? copy_text("-")
                        : format_text("%.*f %s",
                                      unit == 0             ? 0
                                      : fabs(bytes) < 9.995 ? 2
                                      : fabs(bytes) < 99.95 ? 1
                                                            : 0,
                                      bytes, units[unit]);
}

/* Four decimals say enough. */
static bool near(double x)
{
    return fabs(x) >= 1e-3 && fabs(x) < 1e5;
}

char *loss_text(double x)
{
    return isnan(x) ? copy_text("nan") : x == 0 ? copy_text("0") : format_text(near(x) ? "%.4f" : "%.3g", x);
}

static char *signed_text(double x)
{
    return isnan(x) ? copy_text("-") : x == 0 ? copy_text("0") : format_text(near(x) ? "%+.4f" : "%+.2g", x);
}

char *interval_text(double x, double band, bool sign)
{
    char *middle = sign ? signed_text(x) : loss_text(x);
    if (isnan(band)) {
        return middle;
    }
    char *half = near(band) ? format_text("%.4f", band) : format_text("%.2g", band), *text;
    text = format_text("%s %s %s", middle, writes_utf8() ? "±" : "+/-", half);
    free(half);
    free(middle);
    return text;
}

/* Three digits for people, and "-" where there is no number. */
static char *some_text(double x, const char *unit)
{
    return isnan(x) ? copy_text("-") : format_text(fabs(x) >= 999.5 ? "%.0f%s" : "%.3g%s", x, unit);
}

/* Of a share nobody wants more than two decimals, nor a power of ten. */
static char *percent_text(double x)
{
    return isnan(x)    ? copy_text("-")
           : x == 0    ? copy_text("0 %")
           : x < 0.01  ? copy_text("<0.01 %")
           : x < 9.995 ? format_text("%.2f %%", x)
           : x < 100   ? format_text("%.1f %%", x)
                       : copy_text("100 %");
}

static char *whole_text(double x)
{
    return isnan(x) ? copy_text("-") : format_text("%.0f", x);
}

/* ---- numbers of a row; NaN: not known ---- */

typedef double row_number(const train_result *r, const train_row *row);

static bool is_reference(const train_result *r, const train_row *row)
{
    return row == &r->rows[row->reference];
}

static double pairs(const train_result *r, const train_row *row)
{
    (void)r;
    return (double)(row->compared ? row->is.pairs : 0);
}

static double final_loss(const train_result *r, const train_row *row)
{
    double sum = 0;
    (void)r;
    for (size_t i = 0; !row->compared && i < row->count; i++) {
        sum += bnd_record_result(&row->records[i]);
    }
    return row->compared ? row->is.result : sum / (double)row->count;
}

static double gap(const train_result *r, const train_row *row)
{
    return row->compared && !is_reference(r, row) ? row->is.gap : (double)NAN;
}

static double band(const train_result *r, const train_row *row)
{
    return row->compared && !is_reference(r, row) ? row->is.band : (double)NAN;
}

static double left_at(const train_result *r, const train_row *row)
{
    return row->compared && !is_reference(r, row) && row->is.left ? (double)row->is.left_at : (double)NAN;
}

/* How many steps were made until nothing was left to train; NaN: all of them. */
static double ended_at(const train_result *r, const train_row *row)
{
    double at = (double)NAN;
    (void)r;
    for (size_t i = 0; i < row->count; i++) {
        const bnd_record *record = &row->records[i];
        at = record->ended ? fmin(at, (double)record->count) : at; /* that of two which is a number */
    }
    return at;
}

static double diverged(const train_result *r, const train_row *row)
{
    (void)r;
    return row->compared ? (double)row->is.diverged : (double)NAN;
}

#define SUM_OF(function, member)                                                                                       \
    static double function(const train_row *row)                                                                       \
    {                                                                                                                  \
        uint64_t sum = 0;                                                                                              \
        for (size_t i = 0; i < row->count; i++) {                                                                      \
            sum += row->records[i].member;                                                                             \
        }                                                                                                              \
        return (double)sum;                                                                                            \
    }
SUM_OF(sum_of_updates, updates)
SUM_OF(sum_of_cancelled, cancelled)
SUM_OF(sum_of_gradients, gradients)
SUM_OF(sum_of_flushed, flushed)
SUM_OF(sum_of_overflows, overflows)
SUM_OF(sum_of_skipped, skipped)
#undef SUM_OF

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : (double)NAN;
}

static double cancelled(const train_result *r, const train_row *row)
{
    (void)r;
    return percent(sum_of_cancelled(row), sum_of_updates(row));
}

static double flushed(const train_result *r, const train_row *row)
{
    (void)r;
    return percent(sum_of_flushed(row), sum_of_gradients(row));
}

static double overflows(const train_result *r, const train_row *row)
{
    (void)r;
    return sum_of_gradients(row) > 0 ? sum_of_overflows(row) : (double)NAN;
}

static double skipped(const train_result *r, const train_row *row)
{
    (void)r;
    return row->records->parameters > 0 ? sum_of_skipped(row) : (double)NAN;
}

/* Bytes do not depend on seeds. */
static double bytes_per_parameter(const train_result *r, const train_row *row)
{
    (void)r;
    return bnd_record_bytes_per_parameter(row->records);
}

static double activation_bytes(const train_result *r, const train_row *row)
{
    const uint64_t *bytes = row->records->bytes_at_peak;
    (void)r;
    return row->records->bytes_peak > 0
               ? (double)(bytes[BND_ROLE_ACT] + bytes[BND_ROLE_SAVED] + bytes[BND_ROLE_FWD_Y] + bytes[BND_ROLE_CAREFUL])
               : (double)NAN;
}

static double peak_bytes(const train_result *r, const train_row *row)
{
    (void)r;
    return row->records->bytes_peak > 0 ? (double)row->records->bytes_peak : (double)NAN;
}

static double saved_bytes(const train_result *r, const train_row *row)
{
    return is_reference(r, row) ? (double)NAN : peak_bytes(r, &r->rows[row->reference]) - peak_bytes(r, row);
}

static double saved_times(const train_result *r, const train_row *row)
{
    return is_reference(r, row) ? (double)NAN : peak_bytes(r, &r->rows[row->reference]) / peak_bytes(r, row);
}

/* The mean over the runs of their medians. */
static double step_seconds(const train_result *r, const train_row *row)
{
    double sum = 0;
    (void)r;
    for (size_t i = 0; i < row->count; i++) {
        sum += row->records[i].seconds;
    }
    return sum > 0 ? sum / (double)row->count : (double)NAN;
}

static double flops_per_second(const train_result *r, const train_row *row)
{
    return row->records->flops > 0 ? (double)row->records->flops / step_seconds(r, row) : (double)NAN;
}

static double utilization(const train_result *r, const train_row *row)
{
    return flops_per_second(r, row) / r->peak;
}

/* ---- cells of the text ---- */

static bool is_finished(const train_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (!row->records[i].complete) {
            return false;
        }
    }
    return true;
}

static const char *verdict(const train_result *r, const train_row *row)
{
    return !is_finished(row)                                         ? "unfinished"
           : !row->compared                                          ? "no pair"
           : is_reference(r, row) && row->is.verdict != BND_DIVERGED ? "reference"
                                                                     : bnd_verdict_name(row->is.verdict);
}

static char *text_of_name(const train_result *r, const train_row *row)
{
    enum { MOST = 44 };
    (void)r;
    return strlen(row->name) <= MOST ? copy_text(row->name) : format_text("%.*s...", MOST - 3, row->name);
}

static char *text_of_verdict(const train_result *r, const train_row *row)
{
    return copy_text(verdict(r, row));
}

/* How many of the runs ended without a number for a loss; numbers that are averaged count it as that of who knows
 * nothing, and a text must not show that as if it had been measured. */
static size_t without_number(const train_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->count; i++) {
        const bnd_record *record = &row->records[i];
        count += isnan(record->validated ? record->validation : record->loss) ? 1 : 0;
    }
    return count;
}

static char *text_of_final(const train_result *r, const train_row *row)
{
    size_t without = without_number(row);
    return without == 0            ? loss_text(final_loss(r, row))
           : without == row->count ? copy_text("no number")
                                   : format_text("nan %zu of %zu", without, row->count);
}

/* A gap has as many decimals as the losses beside it. */
static char *text_of_gap(const train_result *r, const train_row *row)
{
    double x = gap(r, row), half = band(r, row);
    if (isnan(x) || without_number(row) == row->count) {
        return copy_text("-");
    }
    if (!near(final_loss(r, &r->rows[row->reference])) || fabs(x) >= 1e5) {
        return interval_text(x, half, true);
    }
    char *middle = fabs(x) < 0.00005 ? copy_text("0.0000") : format_text("%+.4f", x);
    if (isnan(half)) {
        return middle;
    }
    char *text = format_text("%s %s %.4f", middle, writes_utf8() ? "±" : "+/-", half);
    free(middle);
    return text;
}

static char *text_of_left(const train_result *r, const train_row *row)
{
    bool never = row->compared && !is_reference(r, row) && !row->is.left;
    return never ? copy_text("never") : whole_text(left_at(r, row));
}

static char *text_of_cancelled(const train_result *r, const train_row *row)
{
    return percent_text(cancelled(r, row));
}

static char *text_of_flushed(const train_result *r, const train_row *row)
{
    return percent_text(flushed(r, row));
}

static char *text_of_overflows(const train_result *r, const train_row *row)
{
    return whole_text(overflows(r, row));
}

static char *text_of_skipped(const train_result *r, const train_row *row)
{
    return whole_text(skipped(r, row));
}

static char *text_of_per_parameter(const train_result *r, const train_row *row)
{
    double bytes = bytes_per_parameter(r, row);
    return isnan(bytes) ? copy_text("-") : format_text("%.4g", bytes);
}

static char *text_of_activations(const train_result *r, const train_row *row)
{
    return bytes_text(activation_bytes(r, row));
}

static char *text_of_peak(const train_result *r, const train_row *row)
{
    return bytes_text(peak_bytes(r, row));
}

static char *text_of_saved(const train_result *r, const train_row *row)
{
    if (isnan(saved_times(r, row))) {
        return copy_text("-");
    }
    char *bytes = bytes_text(saved_bytes(r, row));
    char *text = format_text("%.2f%s, %s", saved_times(r, row), writes_utf8() ? "×" : "x", bytes);
    free(bytes);
    return text;
}

static char *text_of_step(const train_result *r, const train_row *row)
{
    double seconds = step_seconds(r, row);
    return seconds >= 1 ? some_text(seconds, " s") : some_text(1e3 * seconds, " ms");
}

static char *text_of_speed(const train_result *r, const train_row *row)
{
    return some_text(1e-9 * flops_per_second(r, row), "");
}

static char *text_of_utilization(const train_result *r, const train_row *row)
{
    return percent_text(100 * utilization(r, row));
}

/* ---- columns ---- */

enum group { RESULT, LOST, MEMORY, TIME, GROUPS };

/* For people a heading and a text, for programs a key and a number; either may be missing. */
typedef struct train_column {
    const char *key, *heading;
    enum group group;
    row_number *number;
    char *(*text)(const train_result *r, const train_row *row);
} train_column;

static const train_column columns[] = {
    {"recipe", "recipe", RESULT, NULL, text_of_name},
    {"verdict", "verdict", RESULT, NULL, text_of_verdict},
    {"pairs", NULL, RESULT, pairs, NULL},
    {"diverged", NULL, RESULT, diverged, NULL},
    {"final_loss", "final loss", RESULT, final_loss, text_of_final},
    {"gap", "gap", RESULT, gap, text_of_gap},
    {"band", NULL, RESULT, band, NULL},
    {"left_at", "left at", LOST, left_at, text_of_left},
    {"ended_at", NULL, LOST, ended_at, NULL},
    {"cancelled_percent", "cancelled", LOST, cancelled, text_of_cancelled},
    {"flushed_percent", "flushed", LOST, flushed, text_of_flushed},
    {"overflows", "overflows", LOST, overflows, text_of_overflows},
    {"skipped", "skipped", LOST, skipped, text_of_skipped},
    {"bytes_per_parameter", "bytes/param", MEMORY, bytes_per_parameter, text_of_per_parameter},
    {"activation_bytes", "activations", MEMORY, activation_bytes, text_of_activations},
    {"peak_bytes", "peak", MEMORY, peak_bytes, text_of_peak},
    {"memory_saved_times", "saved", RESULT, saved_times, text_of_saved},
    {"memory_saved_bytes", NULL, MEMORY, saved_bytes, NULL},
    {"step_seconds", "step", TIME, step_seconds, text_of_step},
    {"flops_per_second", "GFLOP/s", TIME, flops_per_second, text_of_speed},
    {"utilization", "MFU", TIME, utilization, text_of_utilization},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static char *data_cell(const train_column *c, const train_result *r, const train_row *row)
{
    if (c->number != NULL) {
        double x = c->number(r, row);
        return fabs(x) < 0x1p53 && x == floor(x) ? format_text("%.0f", x) : double_text(x);
    }
    return copy_text(c->group == RESULT && strcmp(c->key, "recipe") == 0 ? row->name : verdict(r, row));
}

/* ---- the text: groups of columns, as many side by side as the page is wide ---- */

static enum colour tint(const column *c, const char *cell)
{
    (void)c;
    return strcmp(cell, "match") == 0      ? GREEN
           : strcmp(cell, "degraded") == 0 ? YELLOW
           : strcmp(cell, "diverged") == 0 ? RED
                                           : PLAIN;
}

static const char *heading_of(const train_column *c, const train_result *r)
{
    bool plain = strcmp(r->rows[r->reference].records->recipe, "fp32") == 0;
    return plain && c->number == gap ? "gap to fp32" : c->heading;
}

static size_t cell_width(const train_column *c, const train_result *r, const train_row *row)
{
    char *text = c->text(r, row);
    size_t width = text_width(text);
    free(text);
    return width;
}

static size_t column_width(const train_column *c, const train_result *r)
{
    size_t width = c->heading != NULL ? text_width(heading_of(c, r)) : 0;
    for (size_t i = 0; c->heading != NULL && i < r->row_count; i++) {
        size_t cell = cell_width(c, r, &r->rows[i]);
        width = cell > width ? cell : width;
    }
    return width;
}

static size_t group_width(enum group group, const train_result *r)
{
    size_t width = 0;
    for (size_t i = 1; i < COLUMNS; i++) { /* the first column stands on every page */
        width += columns[i].group == group && columns[i].heading != NULL ? 2 + column_width(&columns[i], r) : 0;
    }
    return width;
}

/* The groups from `from` to before `end`, beside the first column. */
static void print_groups(const train_result *r, enum group from, enum group end, bool colour)
{
    column shown[COLUMNS];
    const train_column *source[COLUMNS];
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        bool here = columns[i].group >= from && columns[i].group < end;
        if ((i == 0 || here) && columns[i].heading != NULL) {
            bool number = columns[i].number != NULL;
            shown[count] = (column){columns[i].key, heading_of(&columns[i], r), number, number, false, false, 0};
            source[count++] = &columns[i];
        }
    }
    table t = {.columns = shown, .column_count = count, .output = OUTPUT_TEXT, .tint = colour ? tint : NULL};
    for (size_t i = 0; i < r->row_count; i++) {
        for (size_t k = 0; k < count; k++) {
            table_add(&t, source[k]->text(r, &r->rows[i]));
        }
    }
    table_end(&t);
}

static void print_text(const train_result *r, bool colour)
{
    size_t page = page_width(), name = column_width(&columns[0], r);
    for (enum group from = RESULT; from < GROUPS;) {
        enum group end = from + 1;
        for (size_t width = name + group_width(from, r); end < GROUPS; end++) {
            width += group_width(end, r);
            if (width > page) {
                break;
            }
        }
        if (from != RESULT) {
            putchar('\n');
        }
        print_groups(r, from, end, colour);
        from = end;
    }
}

static void print_csv(const train_result *r)
{
    column all[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        all[i] = (column){columns[i].key, columns[i].key, false, columns[i].number != NULL, false, false, 0};
    }
    table t = {.columns = all, .column_count = COLUMNS, .output = OUTPUT_CSV};
    for (size_t i = 0; i < r->row_count; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            char *cell = data_cell(&columns[k], r, &r->rows[i]);
            bool missing = columns[k].number != NULL && strcmp(cell, "null") == 0;
            table_add(&t, missing ? copy_text("") : copy_text(cell));
            free(cell);
        }
    }
    table_end(&t);
}

void print_result_table(const train_result *r, enum output output, bool colour)
{
    if (output == OUTPUT_CSV) {
        print_csv(r);
    } else {
        print_text(r, colour);
    }
}

void json_result(bnd_json *json, const train_result *r)
{
    bnd_json_string(json, "reference", r->row_count > 0 ? r->rows[r->reference].name : "");
    bnd_json_array(json, "recipes");
    for (size_t i = 0; i < r->row_count; i++) {
        bnd_json_object(json, NULL);
        for (size_t k = 0; k < COLUMNS; k++) {
            char *cell = data_cell(&columns[k], r, &r->rows[i]);
            if (columns[k].number != NULL) {
                json_owned_literal(json, columns[k].key, cell);
            } else {
                json_owned_string(json, columns[k].key, cell);
            }
        }
        if (r->autopsied) {
            json_autopsy(json, &r->rows[i]);
        }
        bnd_json_end(json);
    }
    bnd_json_end(json);
}

/* ---- what it means ---- */

/* A word of the table, and what it stands for. */
static void say(const char *word, char *owned)
{
    enum { INDENT = 13 };
    printf("%s%*s", word, INDENT - (int)text_width(word), "");
    fill_text(owned, INDENT, INDENT);
    free(owned);
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
