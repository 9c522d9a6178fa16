/* Products by chains: fp32 in fused multiply-adds, on operands in place if their layout allows it. The loops, from
 * outside to inside, with C = A B and a tile of `way->rows` x `way->columns` sums in registers:
 *
 *   k       blocks of at most depth_of steps, after each of which C holds the sums so far
 *   row     blocks of rows of A (FLOATS_AT_ONCE numbers, or what is packed at once), for which a panel is packed once
 *   column  panels of B, `way->columns` wide, packed or read in place: they stay in the first cache
 *   i       tiles of the block of rows: the highest kernel that fits, then its `fewer`: 14, 8, 4, 2, 1 rows on AVX-512
 *
 * With 23 rows left on AVX-512: one tile of 14, one of 8, one of 1. Every sum is one chain over k in order, so that no
 * choice made here changes a bit.
 *
 * A chain's operands in place: A if its rows or its columns are contiguous fp32 numbers, of which the kernel broadcasts
 * one per row and step; B if a panel's rows are, of which it loads two vectors per step. Operands that must be decoded,
 * rounded or gathered are packed first.
 *
 * Where all of a tile's numbers of A are zeros at the beginning or the end of a block of k, steps are left out: the
 * weights of causal attention are a triangle. No bit changes: fma(0, b, s) is s, but not where
 *
 *   b is infinite or NaN   0 b is NaN. B is looked at before anything is left out
 *   s is -0                -0 + 0 is +0, so that a sum may be -0 in place of +0, until a product is added that is not
 *                          zero. A tile of which a sum has come out as -0 is done again, in full */
#include "base/memory.h"
#include "base/verify.h"
#include "matmul/gemm_job.h"

/* With so few rows of C a panel of B is used too rarely to be worth packing; columns of A are worth it where
 * MANY_COLUMNS use them. */
enum { FEW_ROWS = 64, FLOATS_AT_ONCE = 1 << 18, MORE_FLOATS_AT_ONCE = 1 << 21, LARGE_C = 1 << 17, MANY_COLUMNS = 96 };

/* Where tiles read A: where it lies, or from the block, to which rows or whole tiles are copied. */
typedef enum layout { IN_PLACE, IN_ROWS, IN_TILES } layout;

/* Rows in place. Columns are copied if there is enough use for them: each step of a tile is in another line of
 * memory, of which the tile needs a part, and lines 4 or 8 KiB apart take each other's place before the next tile
 * comes. Copied, the products of weight gradients take 0.4 to 0.8 of the time on an Intel processor with AVX-512, and
 * 0.8 with AVX2. */
static layout layout_of(const bndi_job *j, bndi_region p)
{
    const bool used = p.right - p.left >= MANY_COLUMNS && p.bottom - p.top > FEW_ROWS;
    if (!lies_in_rows(&j->a)) {
        return IN_ROWS;
    }
    return used && j->a.column != 1 ? IN_TILES : IN_PLACE;
}

/* Do more of a tile's rows lie in one set of the first cache than a set has lines? The address within a page chooses
 * the set. Rows 8 KiB apart all begin in the same set. */
static bool rows_share_a_set(const bndi_job *j, const bndi_way *way)
{
    enum { PAGE = 4096, LINE = 64, LINES_OF_A_SET = 8 };
    const size_t apart = (size_t)j->a.row * sizeof(float); /* modulo a power of two, also where it is negative */
    size_t sharing = 0;
    for (size_t i = 0; i < way->rows; i++) {
        sharing += i * apart % PAGE < LINE;
    }
    return sharing > LINES_OF_A_SET;
}

/* The highest tile, of fewer rows where those of A would take each other's place in the first cache. With 14 rows 8 KiB
 * apart products took a seventh longer, whether the tiles read A in place or copied it. */
static const bndi_way *highest_way(const bndi_job *j, layout of_a)
{
    const bndi_way *way = j->sum.way;
    while (of_a == IN_PLACE && j->a.column == 1 && way->fewer != NULL && rows_share_a_set(j, way)) {
        way = way->fewer;
    }
    return way;
}

/* Steps per block: up to four times as many where B's numbers are copied or transposed straight into the panel, and A
 * is read in place, or in tiles for a C of some size. C, which may be far larger than the caches, is read and written
 * less often then: of products of 1024 x 2048 x 512 twice as many steps saved 5 %, and four times as many 2 % more.
 * Where C has 64 Ki numbers or less, deep tiles took 2 to 4 % longer. AVX2's tiles, half as wide, read B twice as
 * often: 512 steps of copied tiles are 2 to 4 % faster than 1,024 there, and 3 % slower with AVX-512. */
static size_t depth_of(const bndi_job *j, bndi_region p, layout of_a)
{
    const bool straight =
        lies_ready(&j->b) && ((j->b.column == 1 && j->b.row >= 1) || (j->b.row == 1 && j->b.column >= 1));
    const bool large = (p.bottom - p.top) * (p.right - p.left) >= LARGE_C;
    size_t deepest = j->depth;
    if (straight && j->sum.accumulator.promote == 0 && of_a == IN_PLACE) {
        deepest = BNDI_CHAIN_DEPTH;
    } else if (straight && j->sum.accumulator.promote == 0 && of_a == IN_TILES && large) {
        deepest = BNDI_CHAIN_DEPTH / BNDI_TILE_COLUMNS_MAX * j->sum.way->columns;
    }
    return bndi_smaller(deepest, j->k);
}

/* Does the third cache answer so fast that a block of A need not fit into the second? On AMD's Zen 5 larger blocks save
 * up to 2 % of products over 512 steps, and 3 to 8 % of deeper ones: B is packed once for each block. On an Intel
 * processor a block of 2 MiB took 2 % longer than one of 1 MiB, half of the second cache. */
static bool third_cache_is_fast(void)
{
#if defined(BNDI_WITH_AVX2) || defined(BNDI_WITH_AVX512)
    return __builtin_cpu_is("amd");
#else
    return false;
#endif
}

/* Rows per block, of which there are at most `most`: as many blocks as are needed, all of about the same size, a
 * multiple of the tile's rows. AVX-512 (14 rows), depth 512, A in place: at most 262144 / 512 = 512 rows at once, so
 * 1200 rows are three blocks of 400, rounded up to 406: 406, 406 and 388. */
static size_t rows_of_chains(size_t unit, size_t rows, size_t most)
{
    const size_t blocks = rows > 0 ? (rows - 1) / most + 1 : 1;
    return ((rows + blocks - 1) / blocks + unit - 1) / unit * unit;
}

/* The most rows per block. */
static size_t most_rows(const bndi_buffers *w, layout of_a, size_t unit, size_t depth)
{
    const size_t steps = depth > 0 ? depth : 1;
    return of_a == IN_PLACE   ? (third_cache_is_fast() ? MORE_FLOATS_AT_ONCE : FLOATS_AT_ONCE) / steps
           : of_a == IN_TILES ? w->block_floats / steps / unit * unit
                              : BLOCK_ROWS - unit;
}

/* Divides the buffer between panels of B and a block of A, for blocks of `depth` steps. Returns memory to be released:
 * deep blocks of copied tiles have a room of their own, if there is any. Without it they are as small as the buffer. A
 * weight gradient of 2048 x 512 numbers over 1,024 steps, AVX-512: blocks of 252 rows and 1,024 steps, two panels of 32
 * columns; in the buffer, which holds 266 rows of 256 steps, it took 7 % longer. */
static void *divide_room(const bndi_job *j, bndi_buffers *w, const bndi_way *way, layout of_a, size_t rows,
                         size_t *depth)
{
    enum { ALIGNED = 64 };
    if (of_a == IN_PLACE) {
        bndi_divide(w, w->numbers, PANEL_FLOATS + BLOCK_FLOATS, 0);
    }
    if (of_a != IN_TILES || *depth <= j->depth) {
        return NULL;
    }
    const size_t at_once = rows_of_chains(way->rows, rows, FLOATS_AT_ONCE / *depth / way->rows * way->rows);
    const size_t panels = 2 * *depth * way->columns, block = at_once * *depth;
    if (panels + block <= PANEL_FLOATS + BLOCK_FLOATS) {
        bndi_divide(w, w->numbers, panels, block);
        return NULL;
    }
    char *memory = bndi_allocate((panels + block) * sizeof(float) + ALIGNED);
    if (memory != NULL) {
        char *aligned = memory + (ALIGNED - (uintptr_t)memory % ALIGNED) % ALIGNED;
        bndi_divide(w, (float *)(void *)aligned, panels, block);
    } else {
        *depth = j->depth;
    }
    return memory;
}

/* A panel of columns of C: where its part of B lies, and its bias. */
typedef struct column_span {
    size_t column, columns;
    size_t top; /* of the rows of the block that it serves */
    const float *b;
    ptrdiff_t b_row;
    const float *bias;
    bool first;             /* of the row of panels */
    bool packed;            /* otherwise B is read in place */
    bool looked_at, finite; /* B's numbers, where steps could be left out */
} column_span;

/* The columns of B of which panels are in the buffer. */
typedef struct packed_panels {
    size_t first, end;
} packed_panels;

/* Reads B in place where its rows are ready (fp32, nothing to round, contiguous) and the panel is whole; else packs it,
 * with those that follow if there is room: where rows of B lie far apart, most of the time goes into reaching a row.
 * The bias is added with the last block of k. */
static void set_span(const bndi_job *j, bndi_buffers *w, column_span *s, size_t rows, size_t k, size_t depth,
                     size_t right, packed_panels *ready)
{
    const size_t width = j->sum.way->columns;
    /* B in place: no copy, for the price of rows that lie far apart. */
    s->packed = !(lies_ready(&j->b) && j->b.column == 1 && s->columns == width && rows <= FEW_ROWS) || depth == 0;
    if (!s->packed) {
        s->b = factor_at(&j->b, k, s->column);
        s->b_row = j->b.row;
    } else {
        if (s->column >= ready->end) {
            ready->first = s->column;
            ready->end = s->column + width * bndi_pack_panels(j, w, k, depth, s->column, right - s->column, width);
        }
        s->b = w->panels + (s->column - ready->first) * depth;
        s->b_row = (ptrdiff_t)width;
    }
    s->bias = NULL;
    if (j->bias != NULL && k + depth == j->k) {
        __builtin_memcpy(w->bias, j->bias + s->column, s->columns * sizeof *w->bias);
        s->bias = w->bias;
    }
}

/* Sums that are promoted, those of a promotion at a time. k = 10 with promotions 4 steps apart, C fresh, a bias:
 *
 *   steps 0-3    fresh, no bias        C = sum
 *   steps 4-7    no bias               C = C + sum
 *   steps 8-9    some.k = 2, the bias  C = C + sum + bias */
static void run_promoted(const bndi_way *way, const bndi_chain *t, size_t apart, bool turned)
{
    bndi_chain some = *t;
    some.promotes = true;
    /* Each promotion adds its sums to C, so only the first may find C fresh, and only the last adds the bias. */
    for (; some.k > apart; some.k -= apart) {
        bndi_chain one = some;
        one.k = apart;
        one.bias = NULL;
        way->chain[turned](&one);
        some.a += (ptrdiff_t)apart * t->a_column;
        some.b += (ptrdiff_t)apart * t->b_row;
        some.fresh = false;
    }
    way->chain[turned](&some);
}

/* All steps at once where nothing is promoted: of the chain itself, since a copy of what has just been written in
 * halves of its words waits for them: 9 % of the step of a transformer. */
static void run_chain(const bndi_job *j, const bndi_way *way, const bndi_chain *t, bool turned)
{
    if (j->sum.accumulator.promote > 0 && t->k > 0) {
        run_promoted(way, t, j->sum.accumulator.promote, turned);
    } else {
        way->chain[turned](t);
    }
}

/* ---- zeros of A ---- */

/* Are all numbers of A zeros from step `at` on, for as many steps as a vector has lanes? Columns of A, too, are read a
 * vector at a time, which may be more rows than the tile has: those behind it count then. A copied tile is one run. */
static bool are_zeros(const bndi_job *j, const bndi_way *way, const bndi_chain *t, layout of_a, size_t at)
{
    const bool in_columns = of_a == IN_PLACE && j->a.column != 1;
    const size_t lanes = way->columns / 2, vectors = in_columns ? lanes : way->rows;
    const ptrdiff_t pitch = in_columns ? t->a_column : of_a == IN_TILES ? (ptrdiff_t)lanes : t->a_row;
    const float *x = t->a + (ptrdiff_t)at * t->a_column;
    return j->sum.ways->count_of_bits(x, pitch, vectors, INT32_MAX, 0) == vectors * lanes;
}

/* The steps of a tile that are not zeros at an end; all where its first row has no zero there. Columns in place need as
 * many of the `rows` that are left as a vector has lanes, a copied tile all of its rows. */
static bndi_steps steps_of(const bndi_job *j, const bndi_way *way, const bndi_chain *t, layout of_a, size_t rows)
{
    const size_t lanes = way->columns / 2;
    const size_t needed = of_a == IN_TILES ? j->sum.way->rows : of_a == IN_PLACE && j->a.column != 1 ? lanes : 0;
    size_t first = 0, end = t->k;
    if (t->k >= lanes && (t->a[0] == 0 || t->a[(ptrdiff_t)(t->k - 1) * t->a_column] == 0) && rows >= needed) {
        while (end >= lanes && are_zeros(j, way, t, of_a, end - lanes)) {
            end -= lanes;
        }
        while (first + lanes <= end && are_zeros(j, way, t, of_a, first)) {
            first += lanes;
        }
    }
    return (bndi_steps){(uint16_t)first, (uint16_t)end};
}

/* Is 0 times each number of B zero? Of a packed panel: B is read in place where there are too few rows to save much. */
static bool panel_is_finite(const bndi_job *j, column_span *s, size_t depth)
{
    enum { INFINITE = 0x7f800000 };
    if (!s->looked_at && s->packed) {
        s->finite = j->sum.ways->largest_magnitude(s->b, depth * j->sum.way->columns) < INFINITE;
        s->looked_at = true;
    }
    return s->finite;
}

/* Is a result -0? */
static bool has_minus_zero(const bndi_job *j, const bndi_way *way, const bndi_chain *t)
{
    const size_t lanes = way->columns / 2;
    size_t found = 0;
    for (size_t half = 0; half < 2; half++) {
        found += j->sum.ways->count_of_bits(t->c + half * lanes, t->c_row, way->rows, UINT32_MAX, 1u << 31);
    }
    return found > 0;
}

/* ---- tiles ---- */

/* A tile: on C in place, or on a copy if C has a stride or the tile is wider than the rest of C. `shorter`: steps have
 * been left out; false if they must not be, and then C is as it was or still fresh. */
static bool do_chain(const bndi_job *j, const bndi_way *way, bndi_chain *t, bool turned, bool shorter, size_t row,
                     const column_span *s)
{
    float copy[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX];
    const bool direct = j->c_column == 1 && s->columns == way->columns && (!shorter || t->fresh);
    t->c = direct ? c_at(j, row, s->column) : copy;
    t->c_row = direct ? j->c_row : way->columns;
    for (size_t i = 0; i < way->rows && direct; i++) { /* a large C comes from far away while the tile computes */
        __builtin_prefetch(t->c + (ptrdiff_t)i * t->c_row, 1);
        __builtin_prefetch(t->c + (ptrdiff_t)i * t->c_row + 16, 1);
    }
    /* Columns after the last are zeros in the copy, and are not stored. */
    for (size_t i = 0; i < way->rows && !direct && !t->fresh; i++) {
        load_c(j, copy + i * way->columns, row + i, s->column, s->columns);
        __builtin_memset(copy + i * way->columns + s->columns, 0, (way->columns - s->columns) * sizeof *copy);
    }
    run_chain(j, way, t, turned);
    if (shorter && has_minus_zero(j, way, t)) {
        return false;
    }
    for (size_t i = 0; i < way->rows && !direct; i++) {
        store_c(j, copy + i * way->columns, row + i, s->column, s->columns);
    }
    return true;
}

/* The same with those steps only; false if all are needed. */
static bool do_steps(const bndi_job *j, const bndi_way *way, const bndi_chain *t, bool turned, bndi_steps steps,
                     size_t row, const column_span *s)
{
    bndi_chain some = *t;
    some.a += (ptrdiff_t)steps.first * t->a_column;
    some.b += (ptrdiff_t)steps.first * t->b_row;
    some.k = (size_t)(steps.end - steps.first);
    return do_chain(j, way, &some, turned, true, row, s);
}

/* A's numbers of the tile that begins with row i of a block, from step k on. */
static const float *start_of_tile(const bndi_job *j, bndi_buffers *w, layout of_a, size_t row, size_t i, size_t k,
                                  size_t depth)
{
    const size_t unit = j->sum.way->rows;
    switch (of_a) {
    case IN_ROWS:
        return row_of_block(w, i);
    case IN_TILES:
        return w->block + i / unit * unit * depth + i % unit;
    default:
        return depth > 0 ? factor_at(&j->a, row + i, k) : NULL;
    }
}

/* The rows of a block, the highest tiles first. */
static void do_chains(const bndi_job *j, bndi_buffers *w, const bndi_way *way, layout of_a, size_t row, size_t rows,
                      column_span *s, size_t k, size_t depth)
{
    const bool turned = of_a != IN_ROWS && j->a.column != 1;
    bndi_chain t = {.a_row = of_a == IN_ROWS ? BNDI_PITCH : j->a.row,
                    .a_column = of_a == IN_ROWS    ? 1
                                : of_a == IN_TILES ? (ptrdiff_t)way->rows
                                                   : j->a.column,
                    .b = s->b,
                    .b_row = s->b_row,
                    .k = depth,
                    .bias = s->bias,
                    .fresh = k == 0 && !j->add};
    for (size_t i = s->top, tile = s->top / way->rows; i < rows; i += way->rows, tile++) {
        /* rows - i is at least 1, and the smallest kernel has one row, so the list does not end here. */
        while (way->rows > rows - i) {
            way = way->fewer;
        }
        t.a = start_of_tile(j, w, of_a, row, i, k, depth);
        const bool may_leave_out = tile < STEPS_MAX && j->sum.accumulator.promote == 0;
        if (may_leave_out && s->first) {
            const bndi_steps all = {0, (uint16_t)depth};
            w->steps[tile] = s->packed ? steps_of(j, way, &t, of_a, rows - i) : all;
        }
        if (!may_leave_out || (size_t)(w->steps[tile].end - w->steps[tile].first) == depth ||
            !panel_is_finite(j, s, depth) || !do_steps(j, way, &t, turned, w->steps[tile], row + i, s)) {
            (void)do_chain(j, way, &t, turned, false, row + i, s);
        }
    }
}

/* The rows of a block of A that are not read in place. */
static void pack_rows(const bndi_job *j, bndi_buffers *w, layout of_a, size_t row, size_t rows, size_t k, size_t depth)
{
    if (of_a == IN_ROWS) {
        bndi_pack_block(j, w, j->sum.way, row, rows, k, depth);
    } else if (of_a == IN_TILES && depth > 0) {
        BNDI_VERIFY((rows + j->sum.way->rows - 1) / j->sum.way->rows * j->sum.way->rows * depth <= w->block_floats);
        j->sum.ways->gather_tiles(w->block, factor_at(&j->a, row, k), j->a.column, rows, depth);
    }
}

/* A region of C, which a thread has for itself. */
void bndi_by_chains(const bndi_job *j, bndi_buffers *w, bndi_region p)
{
    const layout of_a = layout_of(j, p);
    const bndi_way *way = highest_way(j, of_a);
    size_t k = 0, deepest = depth_of(j, p, of_a);
    void *own = divide_room(j, w, way, of_a, p.bottom - p.top, &deepest);
    do {
        const size_t depth = bndi_smaller(deepest, j->k - k), most = most_rows(w, of_a, way->rows, depth);
        const size_t rows_of_block = rows_of_chains(way->rows, p.bottom - p.top, most);
        for (size_t row = p.top; row < p.bottom; row += rows_of_block) {
            const size_t rows = bndi_smaller(rows_of_block, p.bottom - row);
            packed_panels ready = {0};
            pack_rows(j, w, of_a, row, rows, k, depth);
            for (size_t column = p.left; column < right_of(p, row + rows); column += way->columns) {
                column_span s = {.column = column,
                                 .columns = bndi_smaller(way->columns, p.right - column),
                                 .top = first_tile(p, row, column, way->rows),
                                 .first = column == p.left};
                set_span(j, w, &s, rows - s.top, k, depth, p.right, &ready);
                do_chains(j, w, way, of_a, row, rows, &s, k, depth);
            }
        }
        k += depth;
    } while (k < j->k);
    bndi_release(own);
}
