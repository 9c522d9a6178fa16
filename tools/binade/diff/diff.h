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

/* One of the first lines of the answer. To be freed; NULL: there are no more. */
char *diff_line(const diff_question *q, size_t line);

/* All codes and scales are reproduced. */
bool diff_is_explained(const bnd_explanation *how);

/* The JSON of --json and of --report. */
void json_diff(bnd_lab_json *json, const char *key, const diff_question *q);

void diff_print_text(const diff_question *q);
void diff_print_json(const diff_question *q);
void diff_print_csv(const diff_question *q);

#endif
