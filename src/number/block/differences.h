/* Differences of floats, and the exact sums of their squares. */
#ifndef BINADE_SRC_BLOCK_DIFFERENCES_H
#define BINADE_SRC_BLOCK_DIFFERENCES_H

#include <binade/bulk.h>

enum { BNDI_DIFFERENCES = 2048 };

typedef struct bndi_differences {
    uint64_t same, to_zero; /* differences that are 0; y that are 0 where x is not */
    uint64_t low, high;     /* the sum of all squares is (high 2^64 + low) 2^unit */
    int unit;
} bndi_differences;

/* Of at most BNDI_DIFFERENCES numbers x that became y. False if a difference is not a finite float, or if the
 * magnitudes of differences are too far apart; `out` is then undefined. */
bool bnd_lab_square_differences(bndi_differences *out, const float *x, const float *y, size_t n,
                                const bnd_context *context);

/* The same, by a back end, where to nearest even is set. */
typedef struct bndi_difference_kernels {
    bool (*square)(bndi_differences *out, const float *x, const float *y, size_t n);
} bndi_difference_kernels;
extern const bndi_difference_kernels bndi_difference_kernels_portable;
extern const bndi_difference_kernels bndi_difference_kernels_avx2;
extern const bndi_difference_kernels bndi_difference_kernels_avx512;

#endif
