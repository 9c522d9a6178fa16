/* Sums of arrays: each addition made by itself by bnd_operate, and the call by every back end. */
#ifndef TESTS_BULK_SUMS_H
#define TESTS_BULK_SUMS_H

#include "operations.h"

typedef struct sum_question {
    bnd_format f, of_x;
    bnd_summation way;
    result_type type;
    bnd_array how;
    uint8_t packing; /* of x */
    ptrdiff_t stride;
    uint64_t *x;
    size_t n;
} sum_question;

/* n codes (to be freed), most often of numbers of about the same size; sometimes anything. */
uint64_t *terms_of(const bnd_format *f, size_t n, uint64_t seed);

void check_sum(comparison *b, const sum_question *s);

#endif
