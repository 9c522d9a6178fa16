/* What the files of `binade lint` share. */
#ifndef BINADE_TOOLS_LINT_H
#define BINADE_TOOLS_LINT_H

#include "common/print.h"

typedef struct lint {
    settings common;
    bool all;     /* every place of a finding */
    bool checks;  /* the table of checks */
    bool layouts; /* the table of layouts */
    bool markdown;
    bool loaders; /* the table of loaders */
    bnd_lint_options how;
    const char *report; /* FILE.html, or NULL */
} lint;

/* A kind of finding: all of a check with the same severity. They follow each other. */
typedef struct kind {
    size_t first, count;
} kind;

/* The kinds at `first` and after it; false at the end. */
bool next_kind(kind *k, const bnd_lint *found);

void lint_print_text(const lint *l, const bnd_lint *found);
/* The JSON of --json and of --report. */
void json_lint(bnd_lab_json *json, const char *key, const lint *l, const bnd_lint *found);
void lint_print_json(const lint *l, const bnd_lint *found);
void lint_print_checks(const lint *l);
void lint_print_layouts(const lint *l);
void lint_print_loaders(const lint *l);

#endif
