/* Layer 9: sweeps: recipes, learning rates and seeds, a run each. */
#ifndef BINADE_SWEEP_H
#define BINADE_SWEEP_H

#include <binade-lab/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Points are numbered by recipe, then by learning rate, then by seeds. */
typedef struct bnd_grid {
    const bnd_task *tasks; /* one per recipe, under the first seed pair; the k-th pair is k more */
    size_t recipes;
    const double *lr;
    size_t lrs, seeds;
} bnd_grid;

/* Returns: the number of points; 0 if it is more than memory has. */
size_t bnd_grid_count(const bnd_grid *grid);

/* Makes the task of a point, with the directory of its recipe's task, and a name for its own directory,
 * "bf16-amp-lr0.001-2".
 * Returns: the length of the whole name, as snprintf. */
size_t bnd_grid_task(bnd_task *out, char *name, size_t size, const bnd_grid *grid, size_t point);

/* Makes learning rates from low to high with equal ratios, rounded to three digits except for the ends; to more digits
 * where they would not ascend otherwise.
 * On failure: BND_BAD_ARGUMENT for ends that are not positive and in order, or are too close together for
 *     `count` different rates. */
BND_CHECKED bnd_status bnd_grid_rates(double *lr, size_t count, double low, double high, bnd_error *why);

/* The results of the runs with one learning rate. */
typedef struct bnd_rate {
    double lr;
    size_t runs, failed;
    double result, interval; /* the mean of the runs' results, and half its 95 % interval (NaN for one run) */
    double loss;             /* the mean result of the runs that did not fail; NaN: all failed */
} bnd_rate;

/* Sums up the runs of a recipe by learning rate, ascending.
 * Arguments: `rates` has room for `count`; `rate_count` receives how many there are.
 * On failure: BND_NO_MEMORY. */
BND_CHECKED bnd_status bnd_rates_make(bnd_rate *rates, size_t *rate_count, const bnd_record *records, size_t count,
                                      bnd_error *why);

/* Returns: the index of the best learning rate. */
size_t bnd_rates_best(const bnd_rate *rates, size_t count);

/* Returns: how much a learning rate other than the best costs on average: the mean result over those tried, minus
 * the best (Wortsman et al. 2023, 2309.14322). */
double bnd_rates_sensitivity(const bnd_rate *rates, size_t count);

/* A recipe of a sweep: its learning rates, and how the runs at the best one compare with those of fp32 at its best. */
typedef struct bnd_sweep_row {
    const char *recipe; /* these three are the caller's */
    const bnd_record *records;
    size_t count;
    bnd_rate *rates;
    size_t rate_count, best, failed; /* runs, over all rates */
    bool compared;                   /* with the row "fp32", of which it is another */
    bnd_comparison is;
} bnd_sweep_row;

/* Sums up recipes: sets everything but the recipe and its records. Rows are closed with bnd_sweep_close.
 * Arguments: `margin`: as in bnd_records_compare.
 * On failure: BND_NO_MEMORY; there is nothing to close. */
BND_CHECKED bnd_status bnd_sweep_sum_up(bnd_sweep_row *rows, size_t count, double margin, bnd_error *why);

/* Returns: the verdict in a word, as bnd_summary_verdict has it; "" where the sweep has no row "fp32". */
const char *bnd_sweep_verdict(const bnd_sweep_row *row);

/* Returns: the verdict of the runs that did not fail; "" where there is none. */
const char *bnd_sweep_others(const bnd_sweep_row *row);

/* Writes a line of the conclusion of a sweep in words: "Worse: fp16-pure (lr 0.01)."
 * Arguments: as in bnd_summary_print_line; `rows` are summed up.
 * Returns: the length of the whole line, as snprintf; 0, with an empty text: there are no more lines. */
size_t bnd_sweep_print_line(char *out, size_t size, const bnd_sweep_row *rows, size_t count, size_t line);

/* Frees the learning rates of the rows. */
void bnd_sweep_close(bnd_sweep_row *rows, size_t count);

#ifdef __cplusplus
}
#endif
#endif
