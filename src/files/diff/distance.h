/* How far two arrays of numbers are apart. */
#ifndef BINADE_SRC_DISTANCE_H
#define BINADE_SRC_DISTANCE_H

#include <binade-lab/diff.h>

/* Where a finite number of fp32 stands among the numbers of a format: 0 for zero, n for the n-th one above it, and
 * between them in proportion; beyond the largest as if the exponents went on. Formats with more precision or range than
 * fp32 count as fp32. */
double bndi_place_among(float x, const bnd_format *unit);

/* Adds a piece: a and b from element `at` of their weight on. The sums take the elements in 16 lanes, i mod 16, which
 * are added in pairs at the end of the piece. */
void bndi_tally_differences(bnd_difference_sums *sums, const float *a, const float *b, uint64_t at, size_t n,
                            const bnd_format *unit);

/* Adds the sums of a later piece, or of another weight (then largest_at means nothing). */
void bndi_add_differences(bnd_difference_sums *sum, const bnd_difference_sums *more);

#endif
