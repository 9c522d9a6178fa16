/* The vectors that a tile is made of, of the back end that it is compiled for; and how many rows of them each way keeps
 * in registers.
 *
 * The hooks that a tile is written in are listed in tile_lanes_portable.h; COLUMNS is two vectors. */
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
