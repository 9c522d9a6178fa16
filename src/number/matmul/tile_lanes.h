/* The vectors that a tile is made of, of the back end that it is compiled for; and how many rows of them each way keeps
 * in registers.
 *
 * The hooks that a tile is written in are listed in tile_lanes_portable.h; COLUMNS is two vectors. A row of sums is two
 * vectors, s[i][0] and s[i][1]. A step of the portable tile (LANES 4, COLUMNS 8), for one row with a = 2 and a row 1 ..
 * 8 of B:
 *
 *   s[i][0], s[i][1]      0 0 0 0 | 1 1 1 1
 *   all(a)                2 2 2 2                    one number of A in all lanes
 *   b0, b1                1 2 3 4 | 5 6 7 8
 *   s + a b               2 4 6 8 | 11 13 15 17 */
#ifndef BINADE_SRC_MATMUL_TILE_LANES_H
#define BINADE_SRC_MATMUL_TILE_LANES_H

#include "bulk/inline.h"

#if defined(BNDI_FOR_AVX512)
#include "matmul/tile_lanes_avx512.h"
#elif defined(BNDI_FOR_AVX2)
#include "matmul/tile_lanes_avx2.h"
#else
#include "matmul/tile_lanes_portable.h"
#endif

#define ALL_ROWS UNROLL_BY(14)

enum { COLUMNS = 2 * LANES };

#endif
