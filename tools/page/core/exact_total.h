/* Exact sums, as integers times a power of two or of ten. */
#ifndef BINADE_PAGE_EXACT_TOTAL_H
#define BINADE_PAGE_EXACT_TOTAL_H

#include "text/naturals.h"
#include <binade/text.h>

/* (-1)^negative * magnitude * 2^two * 10^ten. One of the two exponents is 0. */
typedef struct exact_total {
    bndi_natural magnitude;
    bool negative;
    int64_t two, ten;
} exact_total;

/* Every digit, to be freed; NULL without memory. */
char *exact_total_text(const exact_total *total);

/* The nearest double. */
double exact_double(bnd_exact value);

/* The sum of products of fp32 numbers: a fixed point number in two's complement, in units of 2^-298, the smallest
 * product. 640 bits hold 2^70 of the largest. */
enum { DOT_WORDS = 10, DOT_QUANTUM = -298 };
typedef struct exact_dot {
    uint64_t word[DOT_WORDS];
} exact_dot;
void exact_dot_add(exact_dot *sum, float a, float b); /* both finite */
/* In `words`, DOT_WORDS of them. */
exact_total exact_dot_total(const exact_dot *sum, uint64_t *words);

#endif
