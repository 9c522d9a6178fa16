/* What the files of `binade quantize` share. */
#ifndef BINADE_TOOLS_QUANTIZE_H
#define BINADE_TOOLS_QUANTIZE_H

#include "common/print.h"

/* Prints a plan: with `rows` a line per tensor. `out` is where the output is, or NULL: nothing was written. */
void print_quantize_plan(const bnd_quantize_plan *plan, enum output output, const char *in, const char *out, bool rows);

#endif
