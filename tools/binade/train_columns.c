/* The columns of the table that runs end with: for people a text, for programs a number. */
#include "train_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of a row; NaN: not known ---- */

static bool is_reference(const train_result *r, const train_row *row)
{
    return row == &r->rows[row->reference];
}

static double pairs(const train_result *r, const train_row *row)
{
    (void)r;
    return (double)(row->compared ? row->is.pairs : 0);
}

/* How many of the runs ended with NaN. Means count that as the loss at chance level, which is not what was measured: a
 * row with such a run shows neither a final loss nor a gap. */
size_t nan_runs(const train_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->count; i++) {
        const bnd_record *record = &row->records[i];
        count += isnan(record->validated ? record->validation : record->loss) ? 1 : 0;
    }
    return count;
}

static double final_loss(const train_result *r, const train_row *row)
{
    double sum = 0;
    (void)r;
    for (size_t i = 0; !row->compared && i < row->count; i++) {
        sum += bnd_record_result(&row->records[i]);
    }
    return nan_runs(row) > 0 ? (double)NAN : row->compared ? row->is.result : sum / (double)row->count;
}

static bool has_gap(const train_result *r, const train_row *row)
{
    return row->compared && !is_reference(r, row) && nan_runs(row) == 0 && nan_runs(&r->rows[row->reference]) == 0;
}

double gap_of(const train_result *r, const train_row *row)
{
    return has_gap(r, row) ? row->is.gap : (double)NAN;
}

static double band(const train_result *r, const train_row *row)
{
    return has_gap(r, row) ? row->is.band : (double)NAN;
}

/* A match that more seeds may undo. */
double unclear(const train_result *r, const train_row *row)
{
    return row->compared && !is_reference(r, row) ? (double)row->is.unclear : (double)NAN;
}

static double left_at(const train_result *r, const train_row *row)
{
    return row->compared && !is_reference(r, row) && row->is.left ? (double)row->is.left_at : (double)NAN;
}

/* How many steps were made until nothing was left to train; NaN: all of them. */
double ended_at(const train_result *r, const train_row *row)
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
    double function(const train_row *row)                                                                              \
    {                                                                                                                  \
        uint64_t sum = 0;                                                                                              \
        for (size_t i = 0; i < row->count; i++) {                                                                      \
            sum += row->records[i].member;                                                                             \
        }                                                                                                              \
        return (double)sum;                                                                                            \
    }
SUM_OF(sum_of_updates, updates)
SUM_OF(sum_of_gradients, gradients)
static SUM_OF(sum_of_cancelled, cancelled) static SUM_OF(sum_of_flushed, flushed) static SUM_OF(
    sum_of_overflows, overflows) static SUM_OF(sum_of_skipped, skipped)
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
double bytes_per_parameter(const train_result *r, const train_row *row)
{
    (void)r;
    return bnd_record_bytes_per_parameter(row->records);
}

double activation_bytes(const train_result *r, const train_row *row)
{
    const bnd_record *record = row->records;
    (void)r;
    return record->peak_by_role[BND_ROLE_ACT] > 0 ? (double)record->peak_by_role[BND_ROLE_ACT] : (double)NAN;
}

/* Of the roles that belong to the recipe. */
double peak_bytes(const train_result *r, const train_row *row)
{
    (void)r;
    return row->records->recipe_peak > 0 ? (double)row->records->recipe_peak : (double)NAN;
}

/* Of everything that the emulation held. */
static double emulation_bytes(const train_result *r, const train_row *row)
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

/* No step is faster than the peak: where it seems so, the machine was busier while the peak was measured. */
static double utilization(const train_result *r, const train_row *row)
{
    double share = flops_per_second(r, row) / r->peak;
    return share <= 1 ? share : (double)NAN;
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
                                                                     : bnd_comparison_word(&row->is);
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

static char *text_of_final(const train_result *r, const train_row *row)
{
    size_t without = nan_runs(row);
    return without == 0            ? loss_text(final_loss(r, row))
           : without == row->count ? copy_text("NaN")
                                   : format_text("NaN in %zu of %zu", without, row->count);
}

/* A gap has as many decimals as the losses beside it. */
static char *text_of_gap(const train_result *r, const train_row *row)
{
    double x = gap_of(r, row), half = band(r, row);
    if (isnan(x)) {
        return copy_text("-");
    }
    if (!is_near(final_loss(r, &r->rows[row->reference])) || fabs(x) >= 1e5) {
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

/* What was counted before a run's losses became NaN is shown; a zero is not: it would say that nothing was lost. */
static char *count_text(char *(*text)(double), double x, const train_row *row)
{
    return x == 0 && nan_runs(row) > 0 ? copy_text("-") : text(x);
}

static char *text_of_cancelled(const train_result *r, const train_row *row)
{
    return count_text(percent_text, cancelled(r, row), row);
}

static char *text_of_flushed(const train_result *r, const train_row *row)
{
    return count_text(percent_text, flushed(r, row), row);
}

static char *text_of_overflows(const train_result *r, const train_row *row)
{
    return count_text(whole_text, overflows(r, row), row);
}

static char *text_of_skipped(const train_result *r, const train_row *row)
{
    return count_text(whole_text, skipped(r, row), row);
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

/* "saved 1.86x", "+41 %", or "1.00x" where the two are the same to two decimals. */
static char *text_of_memory(const train_result *r, const train_row *row)
{
    const char *times = writes_utf8() ? "×" : "x";
    double saved = saved_times(r, row);
    return isnan(saved)     ? copy_text("-")
           : saved >= 1.005 ? format_text("saved %.2f%s", saved, times)
           : saved > 0.995  ? format_text("1.00%s", times)
                            : format_text("+%.0f %%", fmax(1, 100 / saved - 100));
}

static char *text_of_emulation(const train_result *r, const train_row *row)
{
    return bytes_text(emulation_bytes(r, row));
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

const train_column train_columns[TRAIN_COLUMNS] = {
    {"recipe", "recipe", RESULT, NULL, text_of_name},
    {"verdict", "verdict", RESULT, NULL, text_of_verdict},
    {"pairs", NULL, RESULT, pairs, NULL},
    {"diverged", NULL, RESULT, diverged, NULL},
    {"final_loss", "final loss", RESULT, final_loss, text_of_final},
    {"gap", "gap", RESULT, gap_of, text_of_gap},
    {"band", NULL, RESULT, band, NULL},
    {"unclear", NULL, RESULT, unclear, NULL},
    {"left_at", "left at", LOST, left_at, text_of_left},
    {"ended_at", NULL, LOST, ended_at, NULL},
    {"cancelled_percent", "cancelled", LOST, cancelled, text_of_cancelled},
    {"flushed_percent", "flushed", LOST, flushed, text_of_flushed},
    {"overflows", "overflows", LOST, overflows, text_of_overflows},
    {"skipped", "skipped", LOST, skipped, text_of_skipped},
    {"bytes_per_parameter", "bytes/param", MEMORY, bytes_per_parameter, text_of_per_parameter},
    {"activation_bytes", "activations", MEMORY, activation_bytes, text_of_activations},
    {"peak_bytes", "peak", MEMORY, peak_bytes, text_of_peak},
    {"memory_saved_times", "memory", RESULT, saved_times, text_of_memory},
    {"memory_saved_bytes", NULL, MEMORY, saved_bytes, NULL},
    {"emulation_peak_bytes", "emulation peak", EMULATION, emulation_bytes, text_of_emulation},
    {"step_seconds", "emulated step", EMULATION, step_seconds, text_of_step},
    {"flops_per_second", "emulated GFLOP/s", EMULATION, flops_per_second, text_of_speed},
    {"utilization", "of this CPU", EMULATION, utilization, text_of_utilization},
};
char *data_cell(const train_column *c, const train_result *r, const train_row *row)
{
    if (c->number != NULL) {
        double x = c->number(r, row);
        if (c->number == unclear && !isnan(x)) {
            return copy_text(x > 0 ? "true" : "false");
        }
        return fabs(x) < 0x1p53 && x == floor(x) ? format_text("%.0f", x) : double_text(x);
    }
    return copy_text(c->group == RESULT && strcmp(c->key, "recipe") == 0 ? row->name : verdict(r, row));
}
