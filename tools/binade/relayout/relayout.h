/* What the files of `binade relayout` share. */
#ifndef BINADE_TOOLS_RELAYOUT_H
#define BINADE_TOOLS_RELAYOUT_H

#include "common/print.h"

typedef struct relayout_answer {
    const char *in_path, *out_path;
    const bnd_checkpoint *in, *out;      /* `out` may be NULL: it was not opened */
    const bnd_relayout_changes *changes; /* NULL: they are not asked for */
    const bnd_relayout_result *result;
    const bnd_relayout_compared *compared; /* NULL: values were not compared */
} relayout_answer;

void relayout_print_text(const relayout_answer *answer);

/* The JSON of --json and of --report. */
void json_relayout(bnd_lab_json *json, const char *key, const relayout_answer *answer);

/* Members "tensors": how each tensor of a quantized weight changed; "changes": how many did in which way;
 * "reciprocals": the scales that are stored as reciprocals now; "kept": what the metadata keeps for a relayout back. */
void json_relayout_changes(bnd_lab_json *json, const bnd_relayout_changes *changes, const bnd_checkpoint *out);

#endif
