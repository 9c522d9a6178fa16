/* What the files of `binade quantize` share. */
#ifndef BINADE_TOOLS_QUANTIZE_H
#define BINADE_TOOLS_QUANTIZE_H

#include "common/print.h"

typedef struct quantize_answer {
    const bnd_quantize_plan *plan;
    const char *in, *out;          /* where the output is, or NULL: nothing was written */
    const bnd_checkpoint *written; /* the output, or NULL */
} quantize_answer;

/* Prints a plan as text or CSV: with `rows` a line per tensor. */
void print_quantize_plan(const quantize_answer *answer, enum output output, bool rows);

/* A line below the plan, whose first `label` bytes are its label. To be freed; NULL: there are no more. */
char *quantize_line(size_t *label, const quantize_answer *answer, size_t line);

/* The JSON of --json and of --report (json.c). */
void json_quantize(bnd_lab_json *json, const char *key, const quantize_answer *answer);

/* "4096x11008"; "()" where there is no dimension. To be freed. */
char *quantize_shape_text(const bnd_planned_weight *weight);

double quantize_bits(uint64_t bytes, uint64_t parameters); /* per parameter */

#endif
