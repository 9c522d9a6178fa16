/* What the files of the back end for AVX-512 share. */
#ifndef BINADE_SRC_BULK_AVX512_H
#define BINADE_SRC_BULK_AVX512_H

#include <immintrin.h>

#include "bulk/bulk.h"
#include "bulk/inline.h"

/* What every file of this back end is compiled for. A function that needs more names these again: where they come from
 * a pragma and not from the command line (binade.c), clang takes the function's own list in place of it. */
#define BNDI_AVX512_FEATURES "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi2"

bndi_random_kernel bndi_random_avx512;
bndi_random_blocks_kernel bndi_random_blocks_avx512;
bndi_random_runs_kernel bndi_random_runs_avx512;

/* These need VBMI, VPOPCNTDQ, BITALG and GFNI too. */
bndi_tally_kernel bndi_tally_avx512;
bndi_counts_kernel bndi_counts_avx512;
bndi_count_kernel bndi_count_avx512;

/* Byte permutations are not in every processor that this back end is for. */
#define BNDI_VBMI __attribute__((target(BNDI_AVX512_FEATURES ",avx512vbmi")))

/* 64 bytes: byte `place` (0 the lowest) of each lane of four vectors, in order. A permutation takes bytes of two
 * vectors, by numbers from 0 to 127; its table repeats, so that either half of the result can be blended with that of
 * the other two vectors. place = 3 of the words 3e99999a, c1880000, 3c343958, .. of v[0]; bytes of a register from the
 * lowest one on:
 *
 *   v[0]                  9a 99 99 3e  00 00 88 c1  58 39 34 3c ..
 *   lowest + place        03 07 0b 0f .. 3f (v[0])   43 47 .. 7f (v[1])   and again
 *   low                   3e c1 3c ..    | bytes of v[1]    | the same 32 bytes again
 *   high                  of v[2]        | of v[3]          | the same again
 *   blend f0              v[0] | v[1] of low, v[2] | v[3] of high */
BNDI_VBMI static ALWAYS_INLINE __m512i bndi_byte_planes(const __m512i v[4], unsigned place)
{
    /* The lowest bytes of two vectors, twice. */
    const __m512i lowest = _mm512_setr_epi32(0x0c080400, 0x1c181410, 0x2c282420, 0x3c383430, 0x4c484440, 0x5c585450,
                                             0x6c686460, 0x7c787470, 0x0c080400, 0x1c181410, 0x2c282420, 0x3c383430,
                                             0x4c484440, 0x5c585450, 0x6c686460, 0x7c787470);
    const __m512i places = _mm512_add_epi8(lowest, _mm512_set1_epi8((char)place));
    __m512i low = _mm512_permutex2var_epi8(v[0], places, v[1]), high = _mm512_permutex2var_epi8(v[2], places, v[3]);
    return _mm512_mask_blend_epi64(0xf0, low, high);
}

void bndi_fill_avx512_operations(bndi_kernels *kernels);

#endif
