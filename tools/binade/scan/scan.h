/* What the files of `binade scan` share. */
#ifndef BINADE_TOOLS_SCAN_H
#define BINADE_TOOLS_SCAN_H

#include "common/print.h"

enum { SCAN_CANDIDATES = 24 };

typedef struct globs {
    const char **items;
    size_t count;
} globs;

typedef struct scan_options {
    settings common;
    bnd_candidate candidates[SCAN_CANDIDATES];
    size_t count;
    globs only, skip;
    bnd_scan_options how;
    uint64_t rows;
    bool all, ranges;
    const char *path, *report;
} scan_options;

void scan_print_text(const scan_options *o, const bnd_scan *scan);
void scan_print_json(const scan_options *o, const bnd_scan *scan);
void scan_print_csv(const scan_options *o, const bnd_scan *scan);

/* The answer: a heading, then a line per number of bits, and one for a mix. Each line is to be freed by its taker. */
void scan_answer(const scan_options *o, const bnd_scan *scan, void (*line)(void *state, char *owned), void *state);

/* The JSON of --json and of --report. */
void json_scan(bnd_lab_json *json, const char *key, const scan_options *o, const bnd_scan *scan);

/* "4096x11008"; "scalar" where there is no dimension. To be freed. */
char *shape_text(const bnd_scanned *t);

/* What a scan cannot tell. */
#define SCAN_LIMITS                                                                                                    \
    "Weights alone do not show what happens to activations, or how accurate the model is; measure that on data."

#endif
