/* The tiles of tile_kept_template.h, for both types of lanes, and the table of them. A part of tile_kernels.c.
 *
 * Modes that add nothing need one tile per direction, and those that add need to nearest (P3109 C), to zero (to nearest
 * with ties away, A and B) and to odd (up or down by one bit): the second list has no other. */
#ifndef BINADE_SRC_MATMUL_TILE_KEPT_WAYS_H
#define BINADE_SRC_MATMUL_TILE_KEPT_WAYS_H

#if defined(BNDI_FOR_AVX512)
#include "matmul/tile_kept_avx512.h"
#else
#include "matmul/tile_kept_avx2.h"
#endif

/* fp32 lanes. fp32's own sums, product and sum rounded, are here, too; to nearest even those are `plain`. */

#define LANE    float
#define NAME(x) x##_32
#if defined(BNDI_FOR_AVX512)
#include "matmul/tile_kept_step_avx512_template.h"
#else
#include "matmul/tile_kept_step_avx2_template.h"
#endif
#include "matmul/tile_kept_template.h"
NATIVE(each_zero, true, BNDI_ZERO)
NATIVE(each_up, true, BNDI_UP)
NATIVE(each_down, true, BNDI_DOWN)
NATIVE(each_odd, true, BNDI_ODD_ONE)
#undef NATIVE
#undef LANE
#undef NAME

/* fp64 lanes: products are exact, so that EACH and FUSED are the same in fp64's own sums. */
#define LANE    double
#define NAME(x) x##_64
#if defined(BNDI_FOR_AVX512)
#include "matmul/tile_kept_step_avx512_template.h"
#else
#include "matmul/tile_kept_step_avx2_template.h"
#endif
#include "matmul/tile_kept_template.h"
NATIVE(nearest, false, BNDI_NEAREST)
#undef NATIVE
#undef LANE
#undef NAME

#include "matmul/tile_wide.h"
/* It goes on to a tile of doubles, and to hooks of wide ones. */
#include "matmul/tile_away.h"

/* A tile for each direction, in the order of bndi_toward; with something added, for the three that modes need. */
#define KEPT_TILES(kind, x)                                                                                            \
    {                                                                                                                  \
        kind##_nearest_##x, kind##_zero_##x, kind##_up_##x, kind##_down_##x, kind##_odd_##x                            \
    }
#define KEPT_ADDS(kind, x)                                                                                             \
    {                                                                                                                  \
        [BNDI_NEAREST] = kind##_nearest_adds_##x, [BNDI_ZERO] = kind##_zero_adds_##x,                                  \
        [BNDI_ODD_ONE] = kind##_odd_adds_##x                                                                           \
    }
#define KEPT_ROW(kind, x)                                                                                              \
    {                                                                                                                  \
        KEPT_TILES(kind, x), KEPT_ADDS(kind, x)                                                                        \
    }
/* By lanes, then kind. fp32 fused to nearest even is a chain, and each product and sum is plain: NULL here. */
static const bndi_kept_tiles kept_tiles = {
    .rows = {ROWS_32, ROWS_64},
    .native_rows = {NATIVE_ROWS_32, NATIVE_ROWS_64},
    .tile = {{KEPT_ROW(kept_fused, 32), KEPT_ROW(kept_each, 32)}, {KEPT_ROW(kept_fused, 64), KEPT_ROW(kept_each, 64)}},
    .mended = {{KEPT_ROW(mended_fused, 32), KEPT_ROW(mended_each, 32)},
               {KEPT_ROW(mended_fused, 64), KEPT_ROW(mended_each, 64)}},
    .native = {{{NULL, native_zero_32, native_up_32, native_down_32, native_odd_32},
                {NULL, native_each_zero_32, native_each_up_32, native_each_down_32, native_each_odd_32}},
               {KEPT_TILES(native, 64), KEPT_TILES(native, 64)}},
    .wide_native = {wide_fp64_nearest, wide_fp64_zero, [BNDI_ODD_ONE] = wide_fp64_odd},
    .wide = {{wide_fused_nearest, wide_fused_zero}, {wide_each_nearest, wide_each_zero}},
    .away = {each_away, away_fp64},
#if !defined(BNDI_FOR_AVX512)
    .mode = {[BNDI_NEAREST] = BND_ROUND_RDN,
             [BNDI_ZERO] = BND_ROUND_RTZ,
             [BNDI_UP] = BND_ROUND_RUP,
             [BNDI_DOWN] = BND_ROUND_RDN,
             [BNDI_ODD_ONE] = BND_ROUND_RDN},
    .wide_mode = {[BNDI_NEAREST] = BND_ROUND_RNE, [BNDI_ZERO] = BND_ROUND_RTZ, [BNDI_ODD_ONE] = BND_ROUND_RTZ},
#endif
};

#endif
