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

/* A line of the answer. To be freed; NULL: there are no more. */
char *scan_line(const scan_options *o, const bnd_scan *scan, size_t line);

/* The JSON of --json and of --report. */
void json_scan(bnd_lab_json *json, const char *key, const scan_options *o, const bnd_scan *scan);

/* "4096x11008"; "scalar" where there is no dimension. To be freed. */
char *shape_text(const bnd_scanned *t);

#endif
