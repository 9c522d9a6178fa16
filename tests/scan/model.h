/* What a scan must find, computed in another way: number by number with the scalar codec, the whole tensor at once. */
#ifndef TESTS_SCAN_MODEL_H
#define TESTS_SCAN_MODEL_H

#include <binade-lab/scan.h>

/* The sum of these numbers, rounded once, by growing an expansion (Shewchuk 1997). */
typedef struct exact_sum {
    double parts[64];
    size_t count;
} exact_sum;
void sum_put(exact_sum *sum, double x);
double sum_get(const exact_sum *sum);

/* An array of `rank` dimensions in a format: codes, and the numbers that they stand for. */
typedef struct example {
    const bnd_format *format;
    size_t rank;
    uint64_t shape[4];
    size_t count;
    unsigned char *codes;
    float *x;
} example;

/* Fills: normally distributed numbers with a standard deviation per row; `what` adds zeros, numbers that are far too
 * large or too small, subnormals, infinities, NaNs. */
enum { PLAIN, WITH_EXTREMES, WITH_INFINITY, WITH_NAN, ALL_ZERO, EXAMPLES };
example example_new(const bnd_format *format, const uint64_t *shape, size_t rank, int what, uint64_t seed);
void example_free(example *e);

/* The figures of a candidate; SQNR and verdict are not set. */
bnd_loss model_loss(const example *e, const bnd_candidate *c);

#endif
