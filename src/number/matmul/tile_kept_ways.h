/* The tiles of tile_kept_template.h, for both types of lanes, and the table of them. A part of tile_kernels.c.
 *
 * Modes that add nothing need one tile per direction, and those that add need to nearest (P3109 C), to zero (to nearest
 * with ties away, A and B) and to odd (up or down by one bit): the second list has no other. */
#ifndef BINADE_SRC_MATMUL_TILE_KEPT_WAYS_H
#define BINADE_SRC_MATMUL_TILE_KEPT_WAYS_H

#include "matmul/tile_kept_avx512.h"

/* fp32 lanes. fp32's own sums, product and sum rounded, are here, too; to nearest even those are `plain`. */

#define LANE float
#define X(x) x##_f
#include "matmul/tile_kept_template.h"
NATIVE(native_each_zero, true, BNDI_ZERO)
NATIVE(native_each_up, true, BNDI_UP)
NATIVE(native_each_down, true, BNDI_DOWN)
NATIVE(native_each_odd, true, BNDI_ODD_ONE)
#undef NATIVE
#undef LANE
#undef X

/* fp64 lanes: products are exact, so that EACH and FUSED are the same in fp64's own sums. */
#define LANE double
#define X(x) x##_d
#include "matmul/tile_kept_template.h"
NATIVE(native_nearest, false, BNDI_NEAREST)
#undef NATIVE
#undef LANE
#undef X

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
_Static_assert((int)COLUMNS == (int)BNDI_STRIP, "rows of sums");
static const bndi_kept_tiles kept_tiles = {
    .rows = {ROWS_f, ROWS_d},
    .native_rows = {NATIVE_ROWS_f, NATIVE_ROWS_d},
    .tile = {{KEPT_ROW(fused, f), KEPT_ROW(each, f)}, {KEPT_ROW(fused, d), KEPT_ROW(each, d)}},
    .native = {{{NULL, native_zero_f, native_up_f, native_down_f, native_odd_f},
                {NULL, native_each_zero_f, native_each_up_f, native_each_down_f, native_each_odd_f}},
               {KEPT_TILES(native, d), KEPT_TILES(native, d)}},
};

#endif
