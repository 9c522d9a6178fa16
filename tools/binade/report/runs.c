/* The runs of a recipe: which they are, and their curves over steps. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- curves ---- */

/* A number of a point; NaN: not measured. `sum` is the curve's own, over the points so far. */
typedef double point_number(const bnd_point *p, double *sum);

static double loss_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return p->loss;
}

static double validation_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return p->validation;
}

static double validation_fp32_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return p->validation_fp32;
}

static double gradient_norm_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return p->gradient_norm;
}

static double lr_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return p->lr;
}

static double loss_scale_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return p->loss_scale;
}

static double skipped_of(const bnd_point *p, double *sum)
{
    *sum += p->skipped ? 1 : 0;
    return isnan(p->loss_scale) ? (double)NAN : *sum;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : (double)NAN;
}

static double underflowed_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return percent(p->underflowed, p->gradients);
}

static double overflows_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return p->gradients > 0 ? (double)p->overflows : (double)NAN;
}

static double lost_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return percent(p->lost, p->updates);
}

static double ratio_of(const bnd_point *p, double *sum)
{
    (void)sum;
    return p->update_ratio;
}

static bool always(const bnd_point *p)
{
    (void)p;
    return true;
}

static bool is_validated(const bnd_point *p)
{
    return p->validated;
}

static bool is_validated_fp32(const bnd_point *p)
{
    return p->validated_fp32;
}

/* `has` says which points the curve has. NaN there is a result; a curve of nothing else is left out, but for losses. */
static const struct curve {
    const char *key;
    point_number *number;
    bool (*has)(const bnd_point *p);
    int digits;
    bool main;
} curves[] = {
    {"loss", loss_of, always, 5, true},
    {"validation", validation_of, is_validated, 5, false},
    {"validation_fp32", validation_fp32_of, is_validated_fp32, 5, false},
    {"gradient_norm", gradient_norm_of, always, 4, false},
    {"lr", lr_of, always, 4, false},
    {"loss_scale", loss_scale_of, always, 4, false},
    {"skipped", skipped_of, always, 9, false},
    {"underflowed_percent", underflowed_of, always, 3, false},
    {"overflows", overflows_of, always, 4, false},
    {"lost_updates_percent", lost_of, always, 3, false},
    {"update_ratio", ratio_of, always, 3, false},
};

static void json_one(bnd_lab_json *json, const struct curve *c, const bnd_record *record, detail *d)
{
    uint64_t *steps = allocate(NULL, record->count + 1, sizeof *steps);
    double *values = allocate(NULL, record->count + 1, sizeof *values), sum = 0;
    size_t n = 0;
    bool known = c->main || c->has != always;
    for (size_t i = 0; i < record->count; i++) {
        const bnd_point *p = &record->points[i];
        double x = c->number(p, &sum);
        if (c->has(p)) {
            steps[n] = p->step;
            values[n++] = x;
            known = known || isfinite(x);
        }
    }
    size_t pieces = c->main ? d->main : d->side;
    if (known && n > 0 && pieces > 0) {
        json_curve(json, c->key, steps, &(curve_values){"value", values, c->digits}, 1, n, pieces, d, 0);
    } else {
        bnd_lab_json_null(json, c->key);
    }
    free(values);
    free(steps);
}

/* ---- runs ---- */

static void json_run(bnd_lab_json *json, const bnd_record *record, detail *d)
{
    bnd_lab_json_object(json, NULL);
    bnd_lab_json_unsigned(json, "seed_init", record->seed_init);
    bnd_lab_json_unsigned(json, "seed_data", record->seed_data);
    json_short(json, "lr", record->lr, 6);
    json_owned_string(json, "source", record->source != NULL ? copy_text(record->source) : NULL);
    bnd_lab_json_unsigned(json, "steps", record->steps);
    bnd_lab_json_unsigned(json, "made", record->count);
    bnd_lab_json_boolean(json, "complete", record->complete);
    bnd_lab_json_boolean(json, "ended", record->ended);
    json_short(json, "loss", record->loss, 7);
    json_short(json, "validation", record->validation, 7);
    json_short(json, "validation_fp32", record->validation_fp32, 7);
    json_short(json, "result", bnd_record_result(record), 7);
    bnd_lab_json_object(json, "curves");
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
        json_one(json, &curves[i], record, d);
    }
    bnd_lab_json_end(json);
    bnd_lab_json_end(json);
}

void json_runs(bnd_lab_json *json, const train_row *row, detail *d)
{
    bnd_lab_json_array(json, "runs");
    for (size_t i = 0; i < row->count; i++) {
        json_run(json, &row->records[i], d);
    }
    bnd_lab_json_end(json);
}
