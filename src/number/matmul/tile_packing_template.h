/* Helpers for packing operands for tiles: the largest magnitude of a run, zeros, and transposition in squares of 4 x 4.
 * A part of tile_kernels.c.
 *
 * Transposition of a square: two rounds of interleaving. Rows a, b, c, d, with a0 .. a3 the numbers of a:
 *
 *   ac = shuffle(a, c, 0 4 1 5)   a0 c0 a1 c1       AC = shuffle(a, c, 2 6 3 7)   a2 c2 a3 c3
 *   bd = shuffle(b, d, 0 4 1 5)   b0 d0 b1 d1       BD = shuffle(b, d, 2 6 3 7)   b2 d2 b3 d3
 *   shuffle(ac, bd, 0 4 1 5)      a0 b0 c0 d0       row 0 of the result
 *   shuffle(ac, bd, 2 6 3 7)      a1 b1 c1 d1       row 1; AC and BD give rows 2 and 3 */
#ifndef BINADE_SRC_MATMUL_TILE_PACKING_TEMPLATE_H
#define BINADE_SRC_MATMUL_TILE_PACKING_TEMPLATE_H

#include "bulk/inline.h"
#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

/* The largest magnitude, as bits: integers, so that NaN is larger than infinity and is_safe in by_tiles.c sees it. */
static uint32_t largest_magnitude(const float *x, size_t n)
{
    int32_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t u;
        __builtin_memcpy(&u, x + i, sizeof u);
        u &= INT32_MAX;
        largest = u > largest ? u : largest;
    }
    return (uint32_t)largest;
}

/* Which of four numbers are zeros, and which are -0:
 *
 *   x                                    3fc00000   80000000   00000000   7fc00000
 *   looked_at = 7fffffff, like = 0       0          -1         -1         0            two
 *   looked_at = ffffffff, like 80000000  0          -1         0          0            one */
static size_t count_of_bits(const float *x, ptrdiff_t pitch, size_t rows, uint32_t looked_at, uint32_t like)
{
    typedef uint32_t bits __attribute__((vector_size(LANES * sizeof(uint32_t))));
    typedef int32_t answers __attribute__((vector_size(LANES * sizeof(int32_t)))); /* -1 where it is so */
    answers found = {0};
    for (size_t i = 0; i < rows; i++) {
        bits u;
        __builtin_memcpy(&u, x + (ptrdiff_t)i * pitch, sizeof u);
        found += (u & looked_at) == like;
    }
    int32_t count = 0;
    for (size_t lane = 0; lane < LANES; lane++) {
        count -= found[lane];
    }
    return (size_t)count;
}

/* Columns of A that are rows in memory, tile after tile: the CHAIN_ROWS numbers of a step side by side, the next step
 * behind them. With tiles of 2 rows, 4 rows and 3 steps:
 *
 *   from   a0 b0 c0 d0 .. | a1 b1 c1 d1 .. | a2 b2 c2 d2 ..
 *   to     a0 b0 a1 b1 a2 b2 | c0 d0 c1 d1 c2 d2
 *
 * A few steps at a time, so that a line of memory is still near when the next tile takes its part of it: of steps
 * 4 KiB apart the first cache holds 8 or 12, which all lie in one set. Lines of later steps are fetched ahead, since
 * the processor does not foresee steps so far apart. */
static void gather_tiles(float *to, const float *from, ptrdiff_t pitch, size_t rows, size_t steps)
{
    enum { AT_ONCE = 4, AHEAD = 8, LINE = 16 };
    for (size_t first = 0; first < steps; first += AT_ONCE) {
        const size_t end = first + AT_ONCE < steps ? first + AT_ONCE : steps;
        /* Four steps, as many as are copied now. */
        for (size_t at = first + AHEAD; at < end + AHEAD && at < steps; at++) {
            for (size_t row = 0; row < rows; row += LINE) {
                __builtin_prefetch(from + (ptrdiff_t)at * pitch + row);
            }
        }
        for (size_t row = 0; row < rows; row += CHAIN_ROWS) {
            float *tile = to + row * steps;
            const size_t left = rows - row;
            for (size_t at = first; at < end && left >= CHAIN_ROWS; at++) {
                __builtin_memcpy(tile + at * CHAIN_ROWS, from + (ptrdiff_t)at * pitch + row, CHAIN_ROWS * sizeof *to);
            }
            for (size_t at = first; at < end && left < CHAIN_ROWS; at++) {
                __builtin_memcpy(tile + at * CHAIN_ROWS, from + (ptrdiff_t)at * pitch + row, left * sizeof *to);
            }
        }
    }
}

/* Vectors of four in every back end: rows of A and B are rarely long enough for more. */
typedef float quad __attribute__((vector_size(16)));

/* Unaligned loads and stores. */
static ALWAYS_INLINE quad load_quad(const float *x)
{
    quad v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}

static ALWAYS_INLINE void store_quad(float *x, quad v)
{
    __builtin_memcpy(x, &v, sizeof v);
}

/* A square of 4 x 4: the picture at the top. 0 4 1 5 takes place 0 of the first vector, 0 of the second (4 - 4), then 1
 * and 1. */
static ALWAYS_INLINE void transpose_quads(float *to, size_t to_pitch, const float *from, size_t from_pitch)
{
    quad a = load_quad(from), b = load_quad(from + from_pitch);
    quad c = load_quad(from + 2 * from_pitch), d = load_quad(from + 3 * from_pitch);
    quad ac = __builtin_shufflevector(a, c, 0, 4, 1, 5), AC = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    quad bd = __builtin_shufflevector(b, d, 0, 4, 1, 5), BD = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    store_quad(to, __builtin_shufflevector(ac, bd, 0, 4, 1, 5));
    store_quad(to + to_pitch, __builtin_shufflevector(ac, bd, 2, 6, 3, 7));
    store_quad(to + 2 * to_pitch, __builtin_shufflevector(AC, BD, 0, 4, 1, 5));
    store_quad(to + 3 * to_pitch, __builtin_shufflevector(AC, BD, 2, 6, 3, 7));
}

/* to[j][i] = from[i][j]: squares, then the remaining rows and columns, one by one. 6 rows and 5 columns: the square of
 * rows 0 to 3 and columns 0 to 3; then column 4 of rows 0 to 3; then rows 4 and 5, all columns. Squares of one line of
 * memory follow each other: of rows 4 KiB apart not all lines fit into the first cache. */
static void transpose(float *to, size_t to_pitch, const float *from, size_t from_pitch, size_t rows, size_t columns)
{
    enum { LINE = 16, AHEAD = 2 * LINE };
    const size_t whole_rows = rows & ~(size_t)3, whole_columns = columns & ~(size_t)3;
    for (size_t line = 0; line < whole_columns; line += LINE) {
        const size_t end = line + LINE < whole_columns ? line + LINE : whole_columns;
        for (size_t i = 0; i < whole_rows; i += 4) {
            /* The rows of these squares, two lines on. */
            for (size_t r = 0; r < 4 && line + AHEAD < columns; r++) {
                __builtin_prefetch(from + (i + r) * from_pitch + line + AHEAD);
            }
            for (size_t j = line; j < end; j += 4) {
                transpose_quads(to + j * to_pitch + i, to_pitch, from + i * from_pitch + j, from_pitch);
            }
        }
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = i < whole_rows ? whole_columns : 0; j < columns; j++) {
            to[j * to_pitch + i] = from[i * from_pitch + j];
        }
    }
}

#endif
