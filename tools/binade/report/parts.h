/* What the files of the report share. */
#ifndef BINADE_TOOLS_REPORT_PARTS_H
#define BINADE_TOOLS_REPORT_PARTS_H

#include "report.h"
#include "train/table.h"

/* ---- curves (curves.c) ---- */

/* How many pieces each curve is cut into; of each piece at most five points are kept. 0: the curve is left out. */
typedef struct detail {
    size_t main, side; /* of losses and gaps; of the other curves */
    uint64_t steps, kept;
} detail;
detail detail_for(const train_result *r);

/* The points of a curve that are drawn: of each piece the first, the last, the smallest, the largest, and the first
 * that is NaN or infinite. Ascending; to be freed. */
size_t *points_to_keep(size_t *count, const double *values, size_t n, size_t pieces);

/* A member {"step": [...], KEY: [...], ...}. Points between two of the same texts are left out. A window that is not 0
 * is a member, too. */
typedef struct curve_values {
    const char *key;
    const double *values;
    int digits;
} curve_values;
void json_curve(bnd_lab_json *json, const char *key, const uint64_t *steps, const curve_values *of, size_t of_count,
                size_t n, size_t pieces, detail *d, size_t window);

void json_short(bnd_lab_json *json, const char *key, double x, int digits); /* null where it is not finite */

/* ---- parts (runs.c, recipes.c, commands.c, sweeps.c) ---- */

void json_runs(bnd_lab_json *json, const train_row *row, detail *d);
void json_recipes(bnd_lab_json *json, const train_result *r, detail *d);
void json_formats(bnd_lab_json *json, const train_result *r);
void json_setup(bnd_lab_json *json, const train_result *r); /* what was trained */
void json_commands(bnd_lab_json *json, const train_result *r, char *const *words, size_t word_count);
bool is_sweep(const train_result *r);
/* The same training, apart from recipe and seeds, and with `but_rate` the learning rate? */
bool same_training(const bnd_task *a, const bnd_task *b, bool but_rate);
void json_sweep(bnd_lab_json *json, const train_result *r); /* and the conclusion */

/* The task of a run; false: its configuration is not known. */
bool task_of(bnd_task *out, const bnd_record *record);

#endif
