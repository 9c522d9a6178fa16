/* Sweeps: the points of a grid as tasks, and the results by learning rate. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- the grid ---- */

size_t bnd_grid_count(const bnd_grid *grid)
{
    size_t rows = 0, count = 0;
    bool fits = !__builtin_mul_overflow(grid->recipes, grid->lrs, &rows) &&
                !__builtin_mul_overflow(rows, grid->seeds, &count) && count <= SIZE_MAX / 2;
    return fits ? count : 0;
}

size_t bnd_grid_task(bnd_task *out, char *name, size_t size, const bnd_grid *grid, size_t point)
{
    size_t seed = point % grid->seeds, row = point / grid->seeds;
    bnd_task task = grid->tasks[row / grid->lrs % grid->recipes];
    const char *recipe = task.recipe != NULL ? task.recipe : task.training.policy.name;
    char rate[BNDI_NUMBER_SIZE], whole[BND_RECORD_NAME_SIZE + BNDI_NUMBER_SIZE];
    task.training.lr = grid->lr[row % grid->lrs];
    task.training.seed_init += seed;
    task.training.seed_data += seed;
    task.training.seed_rounding += seed;
    bndi_number_text(rate, task.training.lr);
    bndi_text text = bndi_text_in(whole, sizeof whole);
    bndi_text_string(&text, recipe);
    bndi_text_string(&text, "-lr");
    bndi_text_string(&text, rate);
    *out = task;
    return bnd_task_name(name, size, whole, task.training.seed_init);
}

/* x rounded to `digits` significant digits, or to a whole number if that has more digits: the double nearest to that
 * decimal. A power of ten up to 10^22 is exact, so that the quotient is the decimal rounded once. */
static double rounded(double x, unsigned digits)
{
    double power = 1, least = 1;
    for (unsigned i = 1; i < digits; i++) {
        least *= 10;
    }
    while (x * power < least && power < 1e22) {
        power *= 10;
    }
    return floor(x * power + 0.5) / power;
}

enum { DIGITS_USUAL = 3, DIGITS_ALL = 16 }; /* of decimals that doubles tell apart there are 15 */

static double rate_at(size_t i, size_t count, double low, double high, unsigned digits)
{
    const double x = i > 0 && i < count - 1 ? low * pow(high / low, (double)i / (double)(count - 1)) : 0;
    return i == 0 ? low : i == count - 1 ? high : digits < DIGITS_ALL ? rounded(x, digits) : x;
}

static bool do_ascend(size_t count, double low, double high, unsigned digits)
{
    double last = low;
    for (size_t i = 1; i < count; i++) {
        const double next = rate_at(i, count, low, high, digits);
        if (!(next > last)) {
            return false;
        }
        last = next;
    }
    return true;
}

bnd_status bnd_grid_rates(double *lr, size_t count, double low, double high, bnd_error *why)
{
    unsigned digits = DIGITS_USUAL;
    if (!(low >= 1e-15 && low <= high && high <= 1e15) || count == 0 || (count == 1 && low != high)) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "the learning rates of a sweep must ascend from at least 1e-15 to at most 1e15, with at least 2 points");
    }
    while (digits <= DIGITS_ALL && !do_ascend(count, low, high, digits)) {
        digits++;
    }
    if (digits > DIGITS_ALL) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "the range does not have %zu different learning rates", count);
    }
    for (size_t i = 0; i < count; i++) {
        lr[i] = rate_at(i, count, low, high, digits);
    }
    return BND_OK;
}

/* ---- what came out ---- */

static bool has_failed(const bnd_record *record)
{
    return !(bnd_record_result(record) < bndi_record_cap(record));
}

/* The results of one learning rate are put side by side in `results`. */
static bnd_rate sum_up(double lr, double *results, const bnd_record *records, size_t count)
{
    bnd_rate rate = {.lr = lr};
    double sum = 0, learned = 0;
    for (size_t i = 0; i < count; i++) {
        if (records[i].lr == lr) {
            results[rate.runs] = bnd_record_result(&records[i]);
            learned += has_failed(&records[i]) ? 0 : results[rate.runs];
            sum += results[rate.runs++];
            rate.failed += has_failed(&records[i]);
        }
    }
    rate.loss = rate.failed < rate.runs ? learned / (double)(rate.runs - rate.failed) : (double)NAN;
    rate.result = sum / (double)rate.runs;
    rate.interval = bnd_interval(results, rate.runs);
    return rate;
}

bnd_status bnd_rates_make(bnd_rate *rates, size_t *rate_count, const bnd_record *records, size_t count, bnd_error *why)
{
    double *results = malloc((count + 1) * sizeof *results), last = -HUGE_VAL;
    if (results == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the results of %zu runs", count);
    }
    size_t n = 0;
    for (;;) {
        double next = HUGE_VAL; /* the smallest rate above the last; skips NaN */
        for (size_t i = 0; i < count; i++) {
            next = records[i].lr > last && records[i].lr < next ? records[i].lr : next;
        }
        if (next == HUGE_VAL) {
            break;
        }
        rates[n++] = sum_up(next, results, records, count);
        last = next;
    }
    free(results);
    *rate_count = n;
    return BND_OK;
}

size_t bnd_rates_best(const bnd_rate *rates, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        best = rates[i].result < rates[best].result ? i : best;
    }
    return best;
}

double bnd_rates_sensitivity(const bnd_rate *rates, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += rates[i].result;
    }
    return sum / (double)count - rates[bnd_rates_best(rates, count)].result;
}

/* ---- recipes of a sweep ---- */

/* The runs at the best learning rate side by side, for a comparison; how many. */
static size_t take_best(bnd_record *out, const bnd_sweep_row *row)
{
    size_t n = 0;
    for (size_t i = 0; i < row->count && row->rate_count > 0; i++) {
        if (row->records[i].lr == row->rates[row->best].lr) {
            out[n++] = row->records[i];
        }
    }
    return n;
}

static bnd_status compare_best(bnd_sweep_row *row, const bnd_sweep_row *reference, double margin, bnd_error *why)
{
    bnd_record *mine = malloc((row->count + reference->count + 1) * sizeof *mine);
    if (mine == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory to compare %zu runs", row->count);
    }
    bnd_record *theirs = mine + row->count;
    size_t n = take_best(mine, row), k = take_best(theirs, reference);
    row->compared = row != reference && bnd_records_compare(&row->is, mine, n, theirs, k, margin, NULL) == BND_OK;
    free(mine);
    return BND_OK;
}

static bnd_status sum_up_rates(bnd_sweep_row *row, bnd_error *why)
{
    row->rates = malloc((row->count + 1) * sizeof *row->rates);
    if (row->rates == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the learning rates of %zu runs", row->count);
    }
    bnd_status status = bnd_rates_make(row->rates, &row->rate_count, row->records, row->count, why);
    row->best = status == BND_OK ? bnd_rates_best(row->rates, row->rate_count) : 0;
    for (size_t k = 0; status == BND_OK && k < row->rate_count; k++) {
        row->failed += row->rates[k].failed;
    }
    return status;
}

static bool is_reference(const bnd_sweep_row *row)
{
    return strcmp(row->recipe, "fp32") == 0;
}

const char *bnd_sweep_verdict(const bnd_sweep_row *row)
{
    return row->compared ? bnd_comparison_word(&row->is) : is_reference(row) ? "reference" : "";
}

const char *bnd_sweep_others(const bnd_sweep_row *row)
{
    return row->compared && row->is.judged > 0 ? bnd_verdict_name(row->is.others) : "";
}

bnd_status bnd_sweep_sum_up(bnd_sweep_row *rows, size_t count, double margin, bnd_error *why)
{
    const bnd_sweep_row *reference = NULL;
    bnd_status status = BND_OK;
    for (size_t i = 0; i < count; i++) {
        rows[i] = (bnd_sweep_row){.recipe = rows[i].recipe, .records = rows[i].records, .count = rows[i].count};
        reference = is_reference(&rows[i]) ? &rows[i] : reference;
    }
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        status = sum_up_rates(&rows[i], why);
    }
    for (size_t i = 0; status == BND_OK && reference != NULL && i < count; i++) {
        status = compare_best(&rows[i], reference, margin, why);
    }
    if (status != BND_OK) {
        bnd_sweep_close(rows, count);
    }
    return status;
}

void bnd_sweep_close(bnd_sweep_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(rows[i].rates);
        rows[i].rates = NULL;
        rows[i].rate_count = 0;
    }
}
