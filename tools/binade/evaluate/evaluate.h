/* What `binade evaluate` measures, and prints. */
#ifndef BINADE_TOOLS_EVALUATE_H
#define BINADE_TOOLS_EVALUATE_H

#include "train/training.h"

/* A recipe at one place of the model, or everywhere. */
typedef struct part {
    unsigned place;
    double change, band; /* of the loss, compared with fp32 on the same batches */
} part;

typedef struct outcome {
    const recipe *recipe;
    double loss;
    part all;
    part *parts; /* those that lose most, the worst first */
    size_t part_count;
    uint64_t weight_bytes;
} outcome;

typedef struct evaluate {
    training_options asked;
    bnd_context context;
} evaluate;

/* One checkpoint. */
typedef struct subject {
    const char *name;
    bnd_run *run;
    bnd_training training;
    uint64_t step, parameters;
    outcome *outcomes;
    double *usual, *losses; /* of each batch, in fp32 and now */
} subject;

/* What is printed: a checkpoint when it is done, so that one that fails takes nothing away from those before it. */
typedef struct evaluate_output {
    const evaluate *asked;
    bnd_lab_json json;
    table csv;
} evaluate_output;
void output_begin(evaluate_output *out, const evaluate *asked);
void output_add(evaluate_output *out, const subject *c, bool last);
void output_end(evaluate_output *out, bool good); /* good: all were added */

#endif
