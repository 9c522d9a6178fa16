/* The numbers of a row of a table of runs; NaN where they are not known. */
#include "study/study.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static bool is_reference(const bnd_summary_row *rows, size_t row)
{
    return rows[row].reference == row;
}

static bool is_compared(const bnd_summary_row *rows, size_t row)
{
    return rows[row].compared && !is_reference(rows, row);
}

/* ---- losses ---- */

static double last_loss(const bnd_record *record)
{
    return !record->validated ? record->loss : record->validated_fp32 ? record->validation_fp32 : record->validation;
}

static double validation_in_recipe(const bnd_record *record)
{
    return record->validated && record->validated_fp32 ? record->validation : (double)NAN;
}

/* The mean over the runs that ended in a number; NaN where none did. */
static double mean_loss(const bnd_summary_row *row, double (*loss)(const bnd_record *record))
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

static double nan_runs(const bnd_summary_row *row)
{
    double count = 0;
    for (size_t i = 0; i < row->count; i++) {
        count += isnan(last_loss(&row->records[i])) ? 1 : 0;
    }
    return count;
}

/* How many steps were made until nothing was left to train; NaN: all of them. */
static double ended_at(const bnd_summary_row *row)
{
    double at = (double)NAN;
    for (size_t i = 0; i < row->count; i++) {
        const bnd_record *record = &row->records[i];
        at = record->ended ? fmin(at, (double)record->count) : at; /* that of two which is a number */
    }
    return at;
}

/* ---- counts ---- */

/* A count of bnd_record, over all runs of a row. */
static double sum_of(const bnd_summary_row *row, size_t member)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < row->count; i++) {
        uint64_t count;
        memcpy(&count, (const char *)&row->records[i] + member, sizeof count);
        sum += count;
    }
    return (double)sum;
}
#define SUM_OF(row, member) sum_of(row, offsetof(bnd_record, member))

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : (double)NAN;
}

/* ---- memory and time: bytes do not depend on seeds ---- */

static double positive(uint64_t bytes)
{
    return bytes > 0 ? (double)bytes : (double)NAN;
}

static double bytes_of(const bnd_summary_row *row, bnd_role role)
{
    return isnan(bnd_record_memory(row->records)) ? (double)NAN : (double)bnd_record_memory_of(row->records, role);
}

/* The mean over the runs of their medians. */
static double step_seconds(const bnd_summary_row *row)
{
    double sum = 0;
    for (size_t i = 0; i < row->count; i++) {
        sum += row->records[i].seconds;
    }
    return sum > 0 ? sum / (double)row->count : (double)NAN;
}

/* NaN if there is no reference with the same settings. */
static double memory_saved(const bnd_summary_row *rows, size_t row, bool times)
{
    const bnd_record *record = rows[row].records, *reference = rows[rows[row].reference].records;
    double mine = bnd_record_memory(record), theirs = bnd_record_memory(reference);
    return is_reference(rows, row) || !bndi_record_same_setup(record, reference) ? (double)NAN
           : times                                                               ? theirs / mine
                                                                                 : theirs - mine;
}

/* ---- all of them ---- */

static const char *const names[BND_SUMMARY_NUMBERS] = {
    "pairs",
    "failed",
    "final_loss",
    "gap",
    "interval",
    "tolerance",
    "outside_from",
    "ended_at",
    "lost_updates_percent",
    "underflowed_percent",
    "overflows",
    "skipped",
    "bytes_per_parameter",
    "activation_bytes",
    "memory_bytes",
    "peak_bytes",
    "memory_saved_times",
    "memory_saved_bytes",
    "emulation_peak_bytes",
    "step_seconds",
    "flops_per_second",
    "recipe_loss",
    "nan_from",
    "ratio",
    "ratio_low",
    "ratio_high",
    "param_bytes",
    "grad_bytes",
    "master_bytes",
    "m_bytes",
    "v_bytes",
    "extra_bytes",
    "accumulate_bytes",
    "updates",
    "gradients",
    "nan_runs",
};

const char *bnd_summary_number_name(bnd_summary_number number)
{
    return (unsigned)number < BND_SUMMARY_NUMBERS ? names[number] : "";
}

/* Numbers of the comparison with another row. */
static double of_comparison(const bnd_comparison *is, bnd_summary_number number)
{
    switch (number) {
    case BND_SUMMARY_GAP:
        return is->gap;
    case BND_SUMMARY_INTERVAL:
        return is->interval;
    case BND_SUMMARY_TOLERANCE:
        return is->tolerance;
    case BND_SUMMARY_OUTSIDE_FROM:
        return is->outside ? (double)is->outside_from : (double)NAN;
    case BND_SUMMARY_RATIO:
        return is->ratio;
    case BND_SUMMARY_RATIO_LOW:
        return is->ratio_low;
    case BND_SUMMARY_RATIO_HIGH:
        return is->ratio_high;
    default:
        return (double)NAN;
    }
}

static double of_losses(const bnd_summary_row *row, bnd_summary_number number)
{
    switch (number) {
    case BND_SUMMARY_PAIRS:
        return (double)(row->compared ? row->is.pairs : 0);
    case BND_SUMMARY_FAILED:
        return row->compared ? (double)row->is.failed : (double)NAN;
    case BND_SUMMARY_NAN_FROM:
        return row->compared && row->is.failed_nan > 0 && !row->is.nan_at_end ? (double)row->is.nan_from : (double)NAN;
    case BND_SUMMARY_FINAL_LOSS:
        return row->compared && !isnan(row->is.result) ? row->is.result : mean_loss(row, last_loss);
    case BND_SUMMARY_RECIPE_LOSS:
        return mean_loss(row, validation_in_recipe);
    case BND_SUMMARY_ENDED_AT:
        return ended_at(row);
    default:
        return nan_runs(row);
    }
}

static double of_counts(const bnd_summary_row *row, bnd_summary_number number)
{
    switch (number) {
    case BND_SUMMARY_UPDATES:
        return SUM_OF(row, updates);
    case BND_SUMMARY_GRADIENTS:
        return SUM_OF(row, gradients);
    case BND_SUMMARY_LOST_UPDATES_PERCENT:
        return percent(SUM_OF(row, lost), SUM_OF(row, updates));
    case BND_SUMMARY_UNDERFLOWED_PERCENT:
        return percent(SUM_OF(row, underflowed), SUM_OF(row, gradients));
    case BND_SUMMARY_OVERFLOWS:
        return SUM_OF(row, gradients) > 0 ? SUM_OF(row, overflows) : (double)NAN;
    default:
        return row->records->parameters > 0 ? SUM_OF(row, skipped) : (double)NAN;
    }
}

static double of_memory(const bnd_summary_row *row, bnd_summary_number number)
{
    static const bnd_role roles[] = {BND_ROLE_PARAM, BND_ROLE_GRAD,  BND_ROLE_MASTER,    BND_ROLE_M,
                                     BND_ROLE_V,     BND_ROLE_EXTRA, BND_ROLE_ACCUMULATE};
    switch (number) {
    case BND_SUMMARY_BYTES_PER_PARAMETER:
        return bnd_record_bytes_per_parameter(row->records);
    case BND_SUMMARY_ACTIVATION_BYTES:
        return positive(row->records->saved);
    case BND_SUMMARY_MEMORY_BYTES:
        return bnd_record_memory(row->records);
    case BND_SUMMARY_PEAK_BYTES:
        return positive(row->records->recipe_peak);
    case BND_SUMMARY_EMULATION_PEAK_BYTES:
        return positive(row->records->bytes_peak);
    default:
        return bytes_of(row, roles[number - BND_SUMMARY_PARAM_BYTES]);
    }
}

double bnd_summary_value(const bnd_summary_row *rows, size_t row, bnd_summary_number number)
{
    const bnd_summary_row *its = &rows[row];
    switch (number) {
    case BND_SUMMARY_PAIRS:
    case BND_SUMMARY_FAILED:
    case BND_SUMMARY_FINAL_LOSS:
    case BND_SUMMARY_RECIPE_LOSS:
    case BND_SUMMARY_ENDED_AT:
    case BND_SUMMARY_NAN_FROM:
    case BND_SUMMARY_NAN_RUNS:
        return of_losses(its, number);
    case BND_SUMMARY_LOST_UPDATES_PERCENT:
    case BND_SUMMARY_UNDERFLOWED_PERCENT:
    case BND_SUMMARY_OVERFLOWS:
    case BND_SUMMARY_SKIPPED:
    case BND_SUMMARY_UPDATES:
    case BND_SUMMARY_GRADIENTS:
        return of_counts(its, number);
    case BND_SUMMARY_BYTES_PER_PARAMETER:
    case BND_SUMMARY_ACTIVATION_BYTES:
    case BND_SUMMARY_MEMORY_BYTES:
    case BND_SUMMARY_PEAK_BYTES:
    case BND_SUMMARY_EMULATION_PEAK_BYTES:
    case BND_SUMMARY_PARAM_BYTES:
    case BND_SUMMARY_GRAD_BYTES:
    case BND_SUMMARY_MASTER_BYTES:
    case BND_SUMMARY_M_BYTES:
    case BND_SUMMARY_V_BYTES:
    case BND_SUMMARY_EXTRA_BYTES:
    case BND_SUMMARY_ACCUMULATE_BYTES:
        return of_memory(its, number);
    case BND_SUMMARY_MEMORY_SAVED_TIMES:
    case BND_SUMMARY_MEMORY_SAVED_BYTES:
        return memory_saved(rows, row, number == BND_SUMMARY_MEMORY_SAVED_TIMES);
    case BND_SUMMARY_STEP_SECONDS:
        return step_seconds(its);
    case BND_SUMMARY_FLOPS_PER_SECOND:
        return its->records->flops > 0 ? (double)its->records->flops / step_seconds(its) : (double)NAN;
    default:
        return is_compared(rows, row) ? of_comparison(&its->is, number) : (double)NAN;
    }
}

/* ---- words ---- */

bool bndi_has_learned(const bnd_summary_row *row)
{
    size_t none = 0;
    for (size_t i = 0; i < row->count; i++) {
        none += bnd_record_result(&row->records[i]) >= row->records[i].chance_loss;
    }
    return 2 * none < row->count || row->count == 0;
}

bool bndi_is_finished(const bnd_summary_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (!row->records[i].complete) {
            return false;
        }
    }
    return true;
}

const char *bnd_summary_verdict(const bnd_summary_row *rows, size_t row)
{
    const bnd_summary_row *its = &rows[row];
    return !bndi_is_finished(its)                                             ? "unfinished"
           : !its->compared                                                   ? "no pair"
           : is_reference(rows, row) && its->is.verdict != BND_VERDICT_FAILED ? "reference"
                                                                              : bnd_comparison_word(&its->is);
}

const char *bnd_summary_others(const bnd_summary_row *rows, size_t row)
{
    return is_compared(rows, row) && rows[row].is.judged > 0 ? bnd_verdict_name(rows[row].is.others) : "";
}
