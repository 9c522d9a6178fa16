/* A sweep: its points, and its results. */
#ifndef BINADE_TOOLS_SWEEP_H
#define BINADE_TOOLS_SWEEP_H

#include "common/ranks.h"
#include "train/training.h"

/* ---- recipes and their learning rates (summary.c) ---- */

/* As bnd_sweep_sum_up; the process ends if memory runs out. */
typedef bnd_sweep_row sweep_summary;
void sweep_summarize(sweep_summary *rows, size_t count, double margin);

/* Where every run failed no rate is better than another. */
bool sweep_has_learned(const sweep_summary *m);
double sweep_interval_of(const bnd_rate *rate); /* NaN where a run failed: failed runs have no loss */
const char *sweep_failure_word(const sweep_summary *m, const bnd_rate *rate); /* how all runs of a rate failed */
char *sweep_loss_text(const sweep_summary *m, const bnd_rate *rate);          /* to be freed, with the interval; */
char *sweep_cell_text(const sweep_summary *m, size_t k);                      /* "*2.34 (1 failed)": * the best rate */

/* The cells of a recipe in the table for people (result.c): recipe, verdict, best lr, loss, gap, failed, sensitivity;
 * each to be freed. */
enum { SWEEP_CELLS = 7 };
void sweep_cells(char *cells[SWEEP_CELLS], const sweep_summary *m);

/* A recipe of a sweep, with its points, as members of an object (result.c). */
void json_sweep_summary(bnd_lab_json *json, const sweep_summary *m);

/* ---- what came out (result.c) ---- */

typedef struct sweep_result {
    const recipe_list *recipes;
    bnd_record *records; /* of each recipe as many, side by side */
    size_t count;
    const bnd_training *training; /* of one of them */
    uint64_t seeds;
    double margin;
    bool details;
} sweep_result;

void print_sweep(const sweep_result *r, enum output output);

#endif
