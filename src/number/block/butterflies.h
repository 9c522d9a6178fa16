/* Internal interface of butterflies.c: Hadamard transforms by a back end's vectors. */
#ifndef BINADE_SRC_BLOCK_BUTTERFLIES_H
#define BINADE_SRC_BLOCK_BUTTERFLIES_H

#include <stddef.h>

/* Each element times its sign, butterflies of distance 1, 2, 4 .., then each element times the factor; y may be x.
 * signs: `size`, a power of two up to 128. */
typedef struct bndi_butterfly_kernels {
    /* `groups` of `size` neighbours, at least 16. */
    void (*along)(float *y, const float *x, size_t groups, const float *signs, size_t size, float factor);

    /* `inner` columns of `size` rows. */
    void (*down)(float *y, const float *x, size_t inner, const float *signs, size_t size, float factor);
} bndi_butterfly_kernels;

extern const bndi_butterfly_kernels bndi_butterfly_kernels_portable;
extern const bndi_butterfly_kernels bndi_butterfly_kernels_avx2;
extern const bndi_butterfly_kernels bndi_butterfly_kernels_avx512;

#endif
