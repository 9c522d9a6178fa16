/* The columns of the result table: each as text and as a number. */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of a row; NaN: not known ---- */

bool is_compared(const train_row *row, const train_result *r)
{
    return row->compared && row != &r->rows[row->reference];
}

#define NUMBER(function, number)                                                                                       \
    double function(const train_result *r, const train_row *row)                                                       \
    {                                                                                                                  \
        return row_value(r, row, number);                                                                              \
    }
#define OWN_NUMBER(function, number) static NUMBER(function, number)
OWN_NUMBER(pairs, BND_SUMMARY_PAIRS)
OWN_NUMBER(failed, BND_SUMMARY_FAILED)
OWN_NUMBER(final_loss, BND_SUMMARY_FINAL_LOSS)
OWN_NUMBER(gap_interval, BND_SUMMARY_INTERVAL)
OWN_NUMBER(tolerance, BND_SUMMARY_TOLERANCE)
OWN_NUMBER(ratio, BND_SUMMARY_RATIO)
OWN_NUMBER(ratio_low, BND_SUMMARY_RATIO_LOW)
OWN_NUMBER(ratio_high, BND_SUMMARY_RATIO_HIGH)
OWN_NUMBER(nan_from, BND_SUMMARY_NAN_FROM)
OWN_NUMBER(outside_from, BND_SUMMARY_OUTSIDE_FROM)
OWN_NUMBER(lost_updates, BND_SUMMARY_LOST_UPDATES_PERCENT)
OWN_NUMBER(underflowed, BND_SUMMARY_UNDERFLOWED_PERCENT)
OWN_NUMBER(overflows, BND_SUMMARY_OVERFLOWS)
OWN_NUMBER(skipped, BND_SUMMARY_SKIPPED)
OWN_NUMBER(emulation_bytes, BND_SUMMARY_EMULATION_PEAK_BYTES)
OWN_NUMBER(saved_bytes, BND_SUMMARY_MEMORY_SAVED_BYTES)
OWN_NUMBER(saved_times, BND_SUMMARY_MEMORY_SAVED_TIMES)
OWN_NUMBER(step_seconds, BND_SUMMARY_STEP_SECONDS)
OWN_NUMBER(flops_per_second, BND_SUMMARY_FLOPS_PER_SECOND)
NUMBER(recipe_loss, BND_SUMMARY_RECIPE_LOSS)
NUMBER(gap_of, BND_SUMMARY_GAP)
NUMBER(ended_at, BND_SUMMARY_ENDED_AT)
NUMBER(bytes_per_parameter, BND_SUMMARY_BYTES_PER_PARAMETER)
NUMBER(activation_bytes, BND_SUMMARY_ACTIVATION_BYTES)
NUMBER(peak_bytes, BND_SUMMARY_PEAK_BYTES)
NUMBER(memory_bytes, BND_SUMMARY_MEMORY_BYTES)
NUMBER(param_bytes, BND_SUMMARY_PARAM_BYTES)
NUMBER(grad_bytes, BND_SUMMARY_GRAD_BYTES)
NUMBER(master_bytes, BND_SUMMARY_MASTER_BYTES)
NUMBER(m_bytes, BND_SUMMARY_M_BYTES)
NUMBER(v_bytes, BND_SUMMARY_V_BYTES)
NUMBER(extra_bytes, BND_SUMMARY_EXTRA_BYTES)
NUMBER(accumulate_bytes, BND_SUMMARY_ACCUMULATE_BYTES)
NUMBER(nan_runs, BND_SUMMARY_NAN_RUNS)
NUMBER(sum_of_gradients, BND_SUMMARY_GRADIENTS)
NUMBER(sum_of_updates, BND_SUMMARY_UPDATES)
#undef OWN_NUMBER
#undef NUMBER

/* No step is faster than the peak: where it seems so, the machine was busier while the peak was measured. */
static double utilization(const train_result *r, const train_row *row)
{
    double share = flops_per_second(r, row) / r->peak;
    return share <= 1 ? share : (double)NAN;
}

/* ---- cells of the text ---- */

static const char *verdict(const train_result *r, const train_row *row)
{
    return bnd_summary_verdict(r->summary, (size_t)(row - r->rows));
}

/* Of the runs that did not fail. */
static const char *verdict_of_others(const train_result *r, const train_row *row)
{
    return bnd_summary_others(r->summary, (size_t)(row - r->rows));
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
    const bnd_record *first = row->records;
    const bool none = first->count == 0 && !first->ended && !first->validated; /* no step was made yet */
    return none ? copy_text("-") : isnan(x) ? copy_text("NaN") : loss_text(x);
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
static char *count_text(char *(*text)(double), double x, const train_result *r, const train_row *row)
{
    return x == 0 && nan_runs(r, row) > 0 ? copy_text("-") : text(x);
}

static char *text_of_lost(const train_result *r, const train_row *row)
{
    return count_text(percent_text, lost_updates(r, row), r, row);
}

static char *text_of_underflowed(const train_result *r, const train_row *row)
{
    return count_text(percent_text, underflowed(r, row), r, row);
}

static char *text_of_overflows(const train_result *r, const train_row *row)
{
    return count_text(whole_text, overflows(r, row), r, row);
}

static char *text_of_skipped(const train_result *r, const train_row *row)
{
    return count_text(whole_text, skipped(r, row), r, row);
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
    {"accumulate_bytes", "sums", BY_ROLE, accumulate_bytes, text_of_accumulate},
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
