/* The results of `binade range`, for its two charts. */
#ifndef BINADE_TOOLS_RANGE_H
#define BINADE_TOOLS_RANGE_H

#include "show/value.h"

typedef struct range_cell {
    int outcome;
    bnd_rounded rounded;
} range_cell;

typedef struct range {
    settings common;
    bool bars, table;          /* the charts to print */
    const char *svg;           /* where a picture goes; NULL: none */
    range_cell *cells;         /* a row of formats for each value */
    char **labels, **headings; /* the values as written, and cut where they are long */
    bnd_exact *values;
    size_t value_count;
} range;

/* The ends of a format as decimal exponents, and the outermost two exactly. */
typedef struct range_limits {
    double smallest, smallest_normal, largest;
    bnd_exact smallest_value, largest_value;
} range_limits;

range_limits range_limits_of(const bnd_format *f);
double range_exponent(bnd_exact x); /* log10 |x| */
/* Is the i-th value marked in a picture: one that was given, finite and not zero? */
bool range_is_marked(const range *r, size_t i);
/* The whole decimal exponents between which every format and every marked value lies. */
void range_ends(const range *r, double *from, double *to);
/* The step 1, 2 or 5 times a power of ten between the labels ("1e-20") of an axis that is `width` characters wide. */
int range_step(double from, double to, double width);

/* The same as SVG in a file ("-": standard output). GO_ON, or the status to leave with. */
int range_write_picture(const range *r, const char *path);

/* A bar per format on a logarithmic axis: subnormal values light, normal ones solid, and marks at the values. */
void range_print_bars(const range *r);

#endif
