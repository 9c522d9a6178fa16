/* The columns of the result table: each as text and as a number. */
#include "table.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of a row; NaN: not known ---- */

static bool is_reference(const train_result *r, const train_row *row)
{
    return row == &r->rows[row->reference];
}

bool is_compared(const train_row *row, const train_result *r)
{
    return row->compared && !is_reference(r, row);
}

static double pairs(const train_result *r, const train_row *row)
{
    (void)r;
    return (double)(row->compared ? row->is.pairs : 0);
}

static double last_loss(const bnd_record *record)
{
    return !record->validated ? record->loss : record->validated_fp32 ? record->validation_fp32 : record->validation;
}

/* How many of the runs ended with NaN. */
size_t nan_runs(const train_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->count; i++) {
        count += isnan(last_loss(&row->records[i])) ? 1 : 0;
    }
    return count;
}

/* The mean over the runs that ended in a number; NaN where none did. */
static double mean_loss(const train_row *row, double (*loss)(const bnd_record *record))
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < row->count; i++) {
        double x = loss(&row->records[i]);
        sum += isnan(x) ? 0 : x;
        n += isnan(x) ? 0 : 1;
    }
    return sum / (double)n;
}

static double final_loss(const train_result *r, const train_row *row)
{
    (void)r;
    return row->compared ? row->is.result : mean_loss(row, last_loss);
}

static double validation_in_recipe(const bnd_record *record)
{
    return record->validated && record->validated_fp32 ? record->validation : (double)NAN;
}

double recipe_loss(const train_result *r, const train_row *row)
{
    (void)r;
    return mean_loss(row, validation_in_recipe);
}

/* A number of the comparison with another row. */
#define NUMBER_OF(function, expression)                                                                                \
    static double function(const train_result *r, const train_row *row)                                                \
    {                                                                                                                  \
        const bnd_comparison *is = &row->is;                                                                           \
        return is_compared(row, r) ? (double)(expression) : (double)NAN;                                               \
    }
NUMBER_OF(gap_interval, is->interval)
NUMBER_OF(tolerance, is->tolerance)
NUMBER_OF(ratio, is->ratio)
NUMBER_OF(ratio_low, is->ratio_low)
NUMBER_OF(ratio_high, is->ratio_high)
NUMBER_OF(nan_from, is->failed_nan > 0 ? (double)is->nan_from : (double)NAN)
NUMBER_OF(outside_from, is->outside ? (double)is->outside_from : (double)NAN)
#undef NUMBER_OF

double gap_of(const train_result *r, const train_row *row)
{
    return is_compared(row, r) ? row->is.gap : (double)NAN;
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

static double failed(const train_result *r, const train_row *row)
{
    (void)r;
    return row->compared ? (double)row->is.failed : (double)NAN;
}

/* A count of bnd_record, over all runs of a row. */
static double sum_of(const train_row *row, size_t member)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < row->count; i++) {
        uint64_t count;
        memcpy(&count, (const char *)&row->records[i] + member, sizeof count);
        sum += count;
    }
    return (double)sum;
}

double sum_of_updates(const train_row *row)
{
    return sum_of(row, offsetof(bnd_record, updates));
}

double sum_of_gradients(const train_row *row)
{
    return sum_of(row, offsetof(bnd_record, gradients));
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : (double)NAN;
}

static double lost_updates(const train_result *r, const train_row *row)
{
    (void)r;
    return percent(sum_of(row, offsetof(bnd_record, lost)), sum_of_updates(row));
}

static double underflowed(const train_result *r, const train_row *row)
{
    (void)r;
    return percent(sum_of(row, offsetof(bnd_record, underflowed)), sum_of_gradients(row));
}

static double overflows(const train_result *r, const train_row *row)
{
    (void)r;
    return sum_of_gradients(row) > 0 ? sum_of(row, offsetof(bnd_record, overflows)) : (double)NAN;
}

static double skipped(const train_result *r, const train_row *row)
{
    (void)r;
    return row->records->parameters > 0 ? sum_of(row, offsetof(bnd_record, skipped)) : (double)NAN;
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
    return record->saved > 0 ? (double)record->saved : (double)NAN;
}

/* The sum of all roles, each at its own peak. */
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
    return is_reference(r, row) ? (double)NAN : memory_bytes(r, &r->rows[row->reference]) - memory_bytes(r, row);
}

static double saved_times(const train_result *r, const train_row *row)
{
    return is_reference(r, row) ? (double)NAN : memory_bytes(r, &r->rows[row->reference]) / memory_bytes(r, row);
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
    return !is_finished(row)                                               ? "unfinished"
           : !row->compared                                                ? "no pair"
           : is_reference(r, row) && row->is.verdict != BND_VERDICT_FAILED ? "reference"
           : row->is.judged == 0 && row->is.failed == 0                    ? "reference failed"
                                                                           : bnd_verdict_name(row->is.verdict);
}

/* Of the runs that did not fail. */
static const char *verdict_of_others(const train_result *r, const train_row *row)
{
    return is_compared(row, r) && row->is.judged > 0 ? bnd_verdict_name(row->is.others) : "";
}

static char *text_of_name(const train_result *r, const train_row *row)
{
    enum { MOST = 44 };
    (void)r;
    return strlen(row->name) <= MOST ? copy_text(row->name) : format_text("%.*s...", MOST - 3, row->name);
}

static char *text_of_verdict(const train_result *r, const train_row *row)
{
    const char *word = verdict(r, row);
    return strcmp(word, bnd_verdict_name(BND_VERDICT_FAILED)) == 0 ? verdict_text(&row->is) : copy_text(word);
}

static char *text_of_final(const train_result *r, const train_row *row)
{
    double x = final_loss(r, row);
    return isnan(x) ? copy_text("NaN") : loss_text(x);
}

static char *text_of_recipe_loss(const train_result *r, const train_row *row)
{
    double x = recipe_loss(r, row);
    return isnan(x) ? copy_text("-") : loss_text(x);
}

static char *text_of_gap(const train_result *r, const train_row *row)
{
    return is_compared(row, r) ? gap_text(&row->is) : copy_text("-");
}

static char *text_of_outside(const train_result *r, const train_row *row)
{
    bool never = is_compared(row, r) && !row->is.outside;
    return never ? copy_text("never") : whole_text(outside_from(r, row));
}

/* What was counted before a run's losses became NaN is shown; a zero is not: it would say that nothing was lost. */
static char *count_text(char *(*text)(double), double x, const train_row *row)
{
    return x == 0 && nan_runs(row) > 0 ? copy_text("-") : text(x);
}

static char *text_of_lost(const train_result *r, const train_row *row)
{
    return count_text(percent_text, lost_updates(r, row), row);
}

static char *text_of_underflowed(const train_result *r, const train_row *row)
{
    return count_text(percent_text, underflowed(r, row), row);
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

static char *text_of_bytes(const train_result *r, const train_row *row)
{
    return bytes_text(memory_bytes(r, row));
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
    {"failed", NULL, RESULT, failed, NULL},
    {"final_loss", "loss", RESULT, final_loss, text_of_final},
    {"gap", "gap", RESULT, gap_of, text_of_gap},
    {"interval", NULL, RESULT, gap_interval, NULL},
    {"tolerance", NULL, RESULT, tolerance, NULL},
    {"outside_from", "outside from", LOST, outside_from, text_of_outside},
    {"ended_at", NULL, LOST, ended_at, NULL},
    {"lost_updates_percent", "lost updates", LOST, lost_updates, text_of_lost},
    {"underflowed_percent", "underflowed", LOST, underflowed, text_of_underflowed},
    {"overflows", "overflows", LOST, overflows, text_of_overflows},
    {"skipped", "skipped", LOST, skipped, text_of_skipped},
    {"bytes_per_parameter", "bytes/param", MEMORY, bytes_per_parameter, text_of_per_parameter},
    {"activation_bytes", "activations", MEMORY, activation_bytes, text_of_activations},
    {"memory_bytes", "total", MEMORY, memory_bytes, text_of_bytes},
    {"peak_bytes", "peak", MEMORY, peak_bytes, text_of_peak},
    {"memory_saved_times", "memory", RESULT, saved_times, text_of_memory},
    {"memory_saved_bytes", NULL, MEMORY, saved_bytes, NULL},
    {"emulation_peak_bytes", "emulation peak", EMULATION, emulation_bytes, text_of_emulation},
    {"step_seconds", "emulated step", EMULATION, step_seconds, text_of_step},
    {"flops_per_second", "emulated GFLOP/s", EMULATION, flops_per_second, text_of_speed},
    {"utilization", "of this CPU", EMULATION, utilization, text_of_utilization},
    {"recipe_loss", "in recipe", RESULT, recipe_loss, text_of_recipe_loss},
    {"others", NULL, RESULT, NULL, NULL},
    {"nan_from", NULL, RESULT, nan_from, NULL},
    {"ratio", NULL, RESULT, ratio, NULL},
    {"ratio_low", NULL, RESULT, ratio_low, NULL},
    {"ratio_high", NULL, RESULT, ratio_high, NULL},
    {"param_bytes", "weights", BY_ROLE, param_bytes, text_of_param},
    {"grad_bytes", "gradients", BY_ROLE, grad_bytes, text_of_grad},
    {"master_bytes", "master", BY_ROLE, master_bytes, text_of_master},
    {"m_bytes", "m", BY_ROLE, m_bytes, text_of_m},
    {"v_bytes", "v", BY_ROLE, v_bytes, text_of_v},
    {"extra_bytes", "extra", BY_ROLE, extra_bytes, text_of_extra},
};

char *data_cell(const train_column *c, const train_result *r, const train_row *row)
{
    if (c->number != NULL) {
        double x = c->number(r, row);
        return fabs(x) < 0x1p53 && x == floor(x) ? format_text("%.0f", x) : double_text(x);
    }
    return copy_text(c->text == text_of_name      ? row->name
                     : c->text == text_of_verdict ? verdict(r, row)
                                                  : verdict_of_others(r, row));
}
