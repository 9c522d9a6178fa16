/* What `binade range` has found out, for its two charts. */
#ifndef BINADE_TOOLS_RANGE_H
#define BINADE_TOOLS_RANGE_H

#include "show/value.h"

typedef struct range_cell {
    int outcome;
    bnd_rounded rounded;
} range_cell;

typedef struct range {
    settings common;
    bool bars, table;          /* what was asked for */
    range_cell *cells;         /* a row of formats for each value */
    char **labels, **headings; /* the values as written, and cut where they are long */
    bnd_exact *values;
    size_t value_count;
} range;

/* A bar per format on a logarithmic axis: subnormal values light, normal ones solid, and marks at the values. */
void range_print_bars(const range *r);

#endif
