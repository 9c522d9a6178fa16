/* What `binade evaluate` measures, and prints. */
#ifndef BINADE_TOOLS_EVALUATE_H
#define BINADE_TOOLS_EVALUATE_H

#include "train/training.h"

typedef struct evaluate {
    training_options asked;
    bnd_context context;
} evaluate;

/* One checkpoint. */
typedef struct subject {
    const char *name;
    bnd_trained_weights trained;
    bnd_run *run;
    bnd_evaluated *outcomes; /* of each recipe; the first is fp32 */
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
