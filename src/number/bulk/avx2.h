/* What the files of the back end for AVX2 share.
 *
 * Vectors have 32 bytes; the kernels of the files are declared for the table of avx2.c. A vector has two halves of 128
 * bits (|), and most instructions that move lanes stay within a half. The words of 0.3, -17, 1 and 2, then of 3, 4, 5
 * and 6, as they lie in memory and in the lanes:
 *
 *   memory        9a 99 99 3e  00 00 88 c1  00 00 80 3f  00 00 00 40 | 00 00 40 40 ..    the lowest byte first
 *   32-bit lanes  3e99999a     c1880000     3f800000     40000000    | 40400000 40800000 40a00000 40c00000
 *   64-bit lanes  c18800003e99999a          400000003f800000         | 4080000040400000  40c0000040a00000 */
#ifndef BINADE_SRC_BULK_AVX2_H
#define BINADE_SRC_BULK_AVX2_H

#include <immintrin.h>

#include "bulk/bulk.h"
#include "bulk/inline.h"

#define BYTES 32 /* of a vector */

bndi_random_kernel bndi_random_avx2;
bndi_random_blocks_kernel bndi_random_blocks_avx2;
bndi_random_runs_kernel bndi_random_runs_avx2;
bndi_pack_kernel bndi_pack_avx2;
bndi_unpack_kernel bndi_unpack_avx2;
bndi_tally_kernel bndi_tally_avx2, bndi_tally_64_avx2;
void bndi_fill_avx2_operations(bndi_kernels *kernels);

/* 32 bytes to memory. `stream` needs a multiple of 32, which the plan's owner guarantees (outputs at a multiple of 64).
 */
static ALWAYS_INLINE void bndi_put_32_bytes(void *memory, __m256i v, bool stream)
{
    if (stream) {
        _mm256_stream_si256(memory, v);
    } else {
        _mm256_storeu_si256(memory, v);
    }
}

#endif
