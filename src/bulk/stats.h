/* Counting what a conversion did. */
#ifndef BINADE_SRC_BULK_STATS_H
#define BINADE_SRC_BULK_STATS_H

#include "bulk/bulk.h"

/* A number as statistics see it: what it is, and the bits of the double nearest to it. (They differ in what is finite
 * and beyond fp64.) */
typedef struct bndi_number {
    bnd_kind kind; /* zero, finite, infinite, quiet NaN (any NaN) */
    uint64_t bits;
} bndi_number;

bndi_number bndi_number_of_word(bndi_width width, uint64_t word);
bndi_number bndi_number_of_code(const bnd_format *f, uint64_t code);

/* The flags of one rounding that the kernels have done already: plain between the smallest normal number and the
 * largest, asked of the codec outside. */
uint32_t bndi_flags(const bndi_plan *plan, uint64_t input, uint64_t result, uint64_t random);

/* One element: what came in, what came out, its flags. */
void bndi_count(bnd_stats *stats, bndi_number input, bndi_number result, uint32_t flags);

#endif
