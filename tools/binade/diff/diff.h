/* What the files of `binade diff` share. */
#ifndef BINADE_TOOLS_DIFF_H
#define BINADE_TOOLS_DIFF_H

#include "common/print.h"

typedef struct diff_question {
    settings common;
    const char *base_path, *report;
    bool no_explanation, all, histogram;
    uint64_t most; /* rows of weights */
    bnd_checkpoint *a, *b, *base;
    bnd_diff *diff;
} diff_question;

/* The first lines of the answer. Each is to be freed by its taker. */
void diff_answer(const diff_question *q, void (*line)(void *state, char *owned), void *state);

/* All codes and scales are reproduced. */
bool diff_is_explained(const bnd_explanation *how);

/* The JSON of --json and of --report. */
void json_diff(bnd_lab_json *json, const char *key, const diff_question *q);

void diff_print_text(const diff_question *q);
void diff_print_json(const diff_question *q);
void diff_print_csv(const diff_question *q);

#endif
