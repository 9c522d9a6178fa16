/* Tiles of sums in registers. This file is compiled once for each back end of the machine's family; BNDI_WAYS names
 * what comes of it. It all runs in the environment that gemm_job.c sets: to nearest even, subnormals kept. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 leaves most loops as they are */
#endif

#include "matmul/matmul.h"
#include "matmul/tile_aligned_template.h"
#include "matmul/tile_chain_template.h"
#include "matmul/tile_packing_template.h"
#include "matmul/tile_rounded_template.h"

#if !defined(BNDI_WAYS)
#define BNDI_WAYS bndi_ways_portable
#endif

const bndi_ways BNDI_WAYS = {
    .transpose = transpose,
    .largest_magnitude = largest_magnitude,
    .chain = {.tile = chain,
              .chain = {chain_most, turned_chain_most},
              .fewer = &FEWER,
              .rows = CHAIN_ROWS,
              .columns = COLUMNS},
    .plain = {.tile = plain, .rows = EACH_ROWS, .columns = COLUMNS},
    .each = {.tile = each, .checked = each_checked, .rows = EACH_ROWS, .columns = COLUMNS},
    .fused = {.tile = fused, .checked = fused_checked, .rows = FUSED_ROWS, .columns = COLUMNS},
    .fused_short = {.tile = fused_checked, .rows = FUSED_ROWS, .columns = COLUMNS},
    .aligned = {.tile = aligned, .rows = ALIGNED_ROWS, .columns = COLUMNS},
};
