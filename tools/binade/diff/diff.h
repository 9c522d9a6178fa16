/* What the files of `binade diff` share. */
#ifndef BINADE_TOOLS_DIFF_H
#define BINADE_TOOLS_DIFF_H

#include "common/print.h"

typedef struct diff_question {
    settings common;
    const char *base_path;
    bool no_explanation, all, histogram;
    uint64_t most; /* rows of weights */
    bnd_checkpoint *a, *b, *base;
    bnd_diff *diff;
} diff_question;

void diff_print_text(const diff_question *q);
void diff_print_json(const diff_question *q);
void diff_print_csv(const diff_question *q);

#endif
