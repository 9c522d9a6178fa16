/* What the files of the back end for AVX-512 share. */
#ifndef BINADE_SRC_BULK_AVX512_H
#define BINADE_SRC_BULK_AVX512_H

#include <immintrin.h>

#include "bulk/bulk.h"
#include "bulk/inline.h"

bndi_random_kernel bndi_random_avx512;

/* These need VBMI, VPOPCNTDQ, BITALG and GFNI too. */
bndi_tally_kernel bndi_tally_avx512;
bndi_counts_kernel bndi_counts_avx512;
bndi_count_kernel bndi_count_avx512;

#endif
