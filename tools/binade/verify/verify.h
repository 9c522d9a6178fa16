/* The options and the results of `binade verify`. */
#ifndef BINADE_TOOLS_VERIFY_H
#define BINADE_TOOLS_VERIFY_H

#include "common/print.h"
#include "common/progress.h"

enum { MOST_RULES = 16, MOST_CHECKS = 32 };

/* A row of the table: one check of one format, under all rules. */
typedef struct result {
    size_t check, format;
    bnd_verify_result found;
    double seconds;
} result;

typedef struct verify {
    settings common;
    bnd_rule rules[MOST_RULES];
    size_t rule_count;
    bool wanted[MOST_CHECKS], checks_given, exhaustive;
    result *results;
    size_t result_count;
    progress bar;
    uint64_t before; /* effort of what is done */
} verify;

void verify_print(const verify *v);
uint64_t verify_mismatches(const verify *v);

#endif
