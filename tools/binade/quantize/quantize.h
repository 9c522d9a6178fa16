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

/* The lines below the plan: a label and a text, which is to be freed by its taker. */
typedef void quantize_line(void *state, const char *label, char *owned);
void quantize_lines(const quantize_answer *answer, quantize_line *line, void *state);

/* The JSON of --json and of --report (json.c). */
void json_quantize(bnd_lab_json *json, const char *key, const quantize_answer *answer);

/* "4096x11008"; "()" where there is no dimension. To be freed. */
char *quantize_shape_text(const bnd_planned_weight *weight);

double quantize_bits(uint64_t bytes, uint64_t parameters); /* per parameter */

#endif
