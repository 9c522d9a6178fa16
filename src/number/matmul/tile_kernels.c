/* Tiles of C whose sums stay in registers while k runs. This file is compiled once for each back end of the machine's
 * family; BNDI_FOR_AVX2 and BNDI_FOR_AVX512 name it. All of it runs in the environment that gemm_job.c sets: to
 * nearest even, subnormals kept.
 *
 * A tile is ROWS x COLUMNS sums, COLUMNS being two vectors. A step of k broadcasts one number of A per row and
 * multiplies it by two vectors of a row of B (packed, so that rows of B lie COLUMNS apart):
 *
 *             b[k][0..L-1]     b[k][L..2L-1]              rows: 14 (AVX-512), 6 (AVX2), 4 (portable) of chains,
 *   a[0][k]   s[0][0]          s[0][1]                    fewer where rounding needs registers of its own
 *   a[1][k]   s[1][0]          s[1][1]
 *    ..        ..               ..                        s[i][v] = s[i][v] + a[i][k] * b[k], by the accumulator's rule
 *
 * The templates below have one rule each: chain (fp32 fused), plain (fp32, product and sum), rounded (to p bits each
 * step, to nearest even), aligned and tensor (groups of products cut off to a common exponent). AVX-512 and AVX2 have
 * more:
 *
 *   aligned in words   the same groups as integers, and those of tensor; what they refuse is done in doubles
 *   kept               any rounding mode; sums of fp32 or fp64, which by_sums.c keeps
 *   wide, away         modes for which fp64 has too few bits, and ties away from zero
 *
 * An instruction of AVX-512 carries its rounding mode. With AVX2, by_tiles.c and by_sums.c set that of the processor
 * before they call a tile. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 leaves most loops as they are */
#endif

#include "matmul/matmul.h"
#include "matmul/tile_aligned_template.h"
#include "matmul/tile_chain_template.h"
#include "matmul/tile_packing_template.h"
#include "matmul/tile_rounded_template.h"
#include "matmul/tile_tensor_template.h"

#if defined(BNDI_FOR_AVX512) || defined(BNDI_FOR_AVX2)
#include "matmul/tile_aligned_words.h"
#include "matmul/tile_kept_ways.h"
#include "matmul/tile_tensor_words.h"
#define KEPT_WAYS     &kept_tiles
#define ALIGNED_FIRST aligned_in_words
#define ALIGNED_THEN  aligned
#define TENSOR_FIRST  tensor_in_words
#define TENSOR_THEN   tensor
#else
#define KEPT_WAYS     NULL
#define ALIGNED_FIRST aligned
#define ALIGNED_THEN  NULL
#define TENSOR_FIRST  tensor
#define TENSOR_THEN   NULL
#endif

#if defined(BNDI_FOR_AVX512)
#define BNDI_WAYS    bndi_ways_avx512
#define ALIGNED_MODE BND_ROUND_RNE
#elif defined(BNDI_FOR_AVX2)
#define BNDI_WAYS    bndi_ways_avx2
#define ALIGNED_MODE BND_ROUND_RTZ
#else
#define BNDI_WAYS    bndi_ways_portable
#define ALIGNED_MODE BND_ROUND_RNE
#endif

const bndi_ways BNDI_WAYS = {
    .transpose = transpose,
    .gather_tiles = gather_tiles,
    .largest_magnitude = largest_magnitude,
    .count_of_bits = count_of_bits,
    .chain = {.tile = chain,
              .chain = {chain_most, turned_chain_most},
              .fewer = &FEWER,
              .rows = CHAIN_ROWS,
              .columns = COLUMNS},
    .plain = {.tile = plain, .rows = EACH_ROWS, .columns = COLUMNS},
    .each = {.tile = each, .checked = each_checked, .rows = EACH_ROWS, .columns = COLUMNS},
#if !defined(BNDI_FOR_AVX2)
    .fused = {.tile = fused, .checked = fused_checked, .rows = FUSED_ROWS, .columns = COLUMNS},
    .fused_short = {.tile = fused_checked, .rows = FUSED_ROWS, .columns = COLUMNS},
#endif
    .kept = KEPT_WAYS,
    .aligned = {.tile = ALIGNED_FIRST,
                .checked = ALIGNED_THEN,
                .rows = ALIGNED_ROWS,
                .columns = COLUMNS,
                .mode = ALIGNED_MODE},
    .tensor = {.tile = TENSOR_FIRST, .checked = TENSOR_THEN, .rows = ALIGNED_ROWS, .columns = COLUMNS},
    .tensor_wide = {.tile = tensor, .rows = ALIGNED_ROWS, .columns = COLUMNS},
};
