/* Products by tiles: sums that stay in registers within a block of k, and in C between blocks. Strips do what a tile
 * cannot.
 *
 *   k       blocks of `depth` steps
 *   row     blocks of at most BLOCK_ROWS rows, packed with k innermost: tiles read A along a row
 *   column  panels of B, `way->columns` wide, packed row after row
 *   tile    rows x columns sums. Attempts, each leaving C untouched when it fails:
 *             1 `tile`, if is_safe shows beforehand that nothing can overflow; of aligned groups in any case
 *             2 `checked`, which watches the largest magnitude on the way; of aligned groups, in double
 *             3 the tile that mends, of sums kept in fp32 (tile_kept_template.h), where there is one
 *             4 strips, which do everything
 *
 * A tile at the edge is computed whole, on a copy: missing rows and columns repeat the last one, so no made-up number
 * can overflow.
 *
 * The largest magnitudes of A's rows and B's panel are found while these are packed (pack_operands.c), so is_safe costs
 * a few operations per tile. For p = 4 (e4m3 sums, largest 448, grid 2^-4), operands up to 2 and 3, k = 64, C zero:
 *
 *   product  6 (1 + 2^-4) = 6.375
 *   stalls   2 * 6.375 * 16 = 204       a sum of that size grows no further
 *   grows    k grid = 4 > 1: no bound
 *   204 <= 448: safe, and `tile` needs no look at its sums */
#include "base/verify.h"
#include "matmul/gemm_job.h"

/* The start of the sums: +0, or C, rounded to the accumulator's format if the sum continues from there. */
static void begin(const bndi_job *j, float *out, size_t n)
{
    if (!j->add) {
        __builtin_memset(out, 0, n * sizeof *out);
    } else if (j->rounds_c) {
        bndi_round_32(&j->c_plan, out, out, NULL, n);
    }
}

/* A tile of C with its operands; largest_a and largest_b are the largest magnitudes, as bits. */
typedef struct tile {
    size_t row, column, rows, columns; /* of C */
    float *c;
    size_t pitch;
    const float *a, *b;
    uint32_t largest_a, largest_b;
    bool from_zero; /* all of c is +0 */
} tile;

/* The tile's rows by strips, from packed operands: row i of A begins i * BNDI_PITCH numbers after the first, and the
 * panel of B serves all rows. Only rows and columns that C has are computed: the repeated ones of an edge are not. */
static void strips_of_tile(const bndi_job *j, const tile *t, size_t first, size_t k)
{
    bndi_state state;
    for (size_t i = 0; i < t->rows; i++) {
        float *c = t->c + i * t->pitch;
        bndi_strip strip = {.a = t->a + i * BNDI_PITCH,
                            .b = t->b,
                            .b_step = j->sum.way->columns,
                            .row = t->row + i,
                            .column = t->column,
                            .first = first,
                            .n = t->columns,
                            .k = k};
        bndi_strip_open(&j->sum, &state, c, t->columns);
        bndi_strip_steps(&j->sum, &state, &strip);
        bndi_strip_close(&j->sum, c, &state, t->columns);
    }
}

/* All rows by the tile that refuses nothing; false where there is none with the same rows in fp32 lanes. It also
 * computes the repeated rows and columns of an edge, on the copy that do_tile has made. Its NaNs are the processor's:
 * in C they become the canonical one. e4m3, a sum of 416 and a product of 56, to nearest even:
 *
 *   472 to 4 bits     480 > 448: the class of 472 is positive, for which the rule has NaN
 *   next step         NaN, of the class NaN: NaN */
static bool mended_tile(const bndi_job *j, const tile *t, size_t k)
{
    const bndi_kept *kept = &j->sum.kept;
    const bndi_way *way = j->sum.way;
    float sums[BNDI_TILE_ROWS_MAX * BNDI_STRIP];
    if (kept->mended == NULL || kept->doubles || kept->rows != way->rows) {
        return false;
    }
    for (size_t i = 0; i < way->rows; i++) {
        __builtin_memcpy(sums + i * BNDI_STRIP, t->c + i * t->pitch, way->columns * sizeof *sums);
    }
    bndi_enter_mode(kept->mode);
    kept->mended(&j->sum, sums, t->a, t->b, k, NULL);
    bndi_leave_mode(kept->mode);
    for (size_t i = 0; i < way->rows; i++) {
        for (size_t column = 0; column < way->columns; column++) {
            t->c[i * t->pitch + column] = one_nan(sums[i * BNDI_STRIP + column]);
        }
    }
    return true;
}

/* Is no product and no sum of these steps beyond the format's largest number? Products are at most P, that of the
 * largest operands, rounded: P (1 + 2^-p). Let c be the largest sum to begin with.
 *
 *   - With 2^e the first power of two above 2^p P, e - p + 1 is the exponent of the last place from there on, and P is
 *     less than half of it: a sum of 2^e or more grows no further, and one below comes to 2^e at most. So sums are at
 *     most c, or 2^(p+1) P.
 *   - Each step makes a sum larger by P and then by a factor of 1 + 2^-p at most: (c + k P) (1 + 2^-p)^k, which is
 *     less than e times c + k P for k <= 2^p.
 * A tile of EACH multiplies sums by up to 2^s, which must stay a number of fp32: 2^(127 - s) is the most for it. bf16,
 * s = 16: a sum of 2^112 would become infinite on the way.
 *
 * Both bounds are computed in double; 2.72 is above e. A NaN among the operands makes `product` NaN, an infinity makes
 * it infinite: then `product <= largest` is false, and the tile is not safe. */
static bool is_safe(const bndi_job *j, const tile *t, size_t k)
{
    const bndi_way *way = j->sum.way;
    const double grid = (double)j->sum.up / (1 << 24); /* 2^-p */
    const double product = (double)bndi_float_of_bits(t->largest_a) * (double)bndi_float_of_bits(t->largest_b) *
                           (1 + grid); /* NaN is not safe */
    uint32_t start = 0;
    for (size_t i = 0; i < way->rows && !t->from_zero; i++) {
        uint32_t u = j->sum.ways->largest_magnitude(t->c + i * t->pitch, way->columns);
        start = u > start ? u : start;
    }
    const double c = (double)bndi_float_of_bits(start), most = 0x1p127 / (double)j->sum.up;
    const double largest = (double)j->sum.largest < most ? (double)j->sum.largest : most;
    const double stalls = 2 * product / grid > c ? 2 * product / grid : c;
    const double grows = (double)k * grid <= 1 ? 2.72 * (c + (double)k * product) : __builtin_inf();
    return (stalls < grows ? stalls : grows) <= largest && product <= largest;
}

/* The tile in its mode of the processor. The compiler knows neither function: no operation leaves the mode. */
static bool first_tile_of(const bndi_job *j, const tile *t, size_t k)
{
    const bndi_way *way = j->sum.way;
    bndi_enter_mode(way->mode);
    const bool done = way->tile(&j->sum, t->c, t->pitch, t->a, t->b, k);
    bndi_leave_mode(way->mode);
    return done;
}

/* k steps by the first attempt that succeeds. */
static void steps_of_tile(const bndi_job *j, const tile *t, size_t first, size_t k)
{
    const bndi_way *way = j->sum.way;
    const bool tries = way->checked == NULL || bndi_in_groups(&j->sum.accumulator);
    if ((tries || is_safe(j, t, k)) && first_tile_of(j, t, k)) {
        return;
    }
    const bool done = way->checked != NULL && way->checked(&j->sum, t->c, t->pitch, t->a, t->b, k);
    if (!done && !mended_tile(j, t, k)) {
        strips_of_tile(j, t, first, k);
    }
}

/* Sums of `promote` steps each, added to C in fp32. Every part begins at +0, in an array of its own with the tile's
 * full size. `a` moves by columns, since A is packed row by row; `b` by rows of `columns` numbers:
 *
 *   at = 4, columns = 32    some.a = t->a + 4      some.b = t->b + 128 */
static void promote_tile(const bndi_job *j, const tile *t, size_t first, size_t k)
{
    const bndi_way *way = j->sum.way;
    const size_t apart = j->sum.accumulator.promote;
    for (size_t at = 0; at < k; at += apart) {
        float sums[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX] = {0};
        tile some = *t;
        some.c = sums;
        some.pitch = way->columns;
        some.from_zero = true;
        some.a = t->a + at;
        some.b = t->b + at * way->columns;
        steps_of_tile(j, &some, first + at, bndi_smaller(apart, k - at));
        for (size_t i = 0; i < way->rows; i++) {
            promote(t->c + i * t->pitch, sums + i * way->columns, way->columns);
        }
    }
}

/* A tile for one block of k: C is loaded unless this is its first block and nothing is added to it. */
static void do_tile(const bndi_job *j, tile *t, size_t first, size_t k)
{
    const bndi_way *way = j->sum.way;
    float copy[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX];
    BNDI_VERIFY(way->rows <= BNDI_TILE_ROWS_MAX && way->columns <= BNDI_TILE_COLUMNS_MAX && k <= BNDI_TILE_DEPTH);
    BNDI_VERIFY(t->rows <= way->rows && t->columns <= way->columns);
    /* In place only a whole tile whose rows are contiguous; otherwise on a copy, whose missing rows and columns are 0.
     */
    bool direct = j->c_column == 1 && j->c_row >= 0 && t->rows == way->rows && t->columns == way->columns;
    t->c = direct ? c_at(j, t->row, t->column) : copy;
    t->pitch = direct ? (size_t)j->c_row : way->columns;
    if (!direct) {
        __builtin_memset(copy, 0, sizeof copy);
    }
    for (size_t i = 0; i < t->rows && !direct && (first > 0 || j->add); i++) {
        load_c(j, t->c + i * t->pitch, t->row + i, t->column, t->columns);
    }
    t->from_zero = first == 0 && !j->add;
    for (size_t i = 0; i < t->rows && first == 0; i++) {
        begin(j, t->c + i * t->pitch, t->columns);
    }
    if (j->sum.accumulator.promote > 0) {
        promote_tile(j, t, first, k);
    } else {
        steps_of_tile(j, t, first, k);
    }
    for (size_t i = 0; i < t->rows && !direct; i++) {
        store_c(j, t->c + i * t->pitch, t->row + i, t->column, t->columns);
    }
}

/* The tiles of one panel, which stays in the first cache, from row `first` of the block on. largest[i / rows] is the
 * largest magnitude of the tile's rows of A, largest_b that of the panel. */
static void do_panel(const bndi_job *j, bndi_buffers *w, size_t row, size_t first, size_t rows, size_t column,
                     size_t columns, size_t k, size_t depth)
{
    const bndi_way *way = j->sum.way;
    for (size_t i = first; i < rows; i += way->rows) {
        tile t = {.row = row + i,
                  .column = column,
                  .rows = bndi_smaller(way->rows, rows - i),
                  .columns = columns,
                  .a = row_of_block(w, i),
                  .b = w->panels,
                  .largest_a = w->largest[i / way->rows],
                  .largest_b = w->largest_b};
        do_tile(j, &t, k, depth);
    }
}

/* A region of C. rows_of_block is BLOCK_ROWS cut to whole tiles, so that no tile lies in two blocks. The order k, row,
 * column reads a block of A once, and every panel of B once per block. */
static void by_blocks(const bndi_job *j, bndi_buffers *w, bndi_region p)
{
    const bndi_way *way = j->sum.way;
    const size_t rows_of_block = (size_t)BLOCK_ROWS / way->rows * way->rows;
    size_t k = 0;
    do {
        const size_t depth = bndi_smaller(j->depth, j->k - k);
        for (size_t row = p.top; row < p.bottom; row += rows_of_block) {
            const size_t rows = bndi_smaller(rows_of_block, p.bottom - row);
            bndi_pack_block(j, w, way, row, rows, k, depth);
            for (size_t column = p.left; column < right_of(p, row + rows); column += way->columns) {
                const size_t first = first_tile(p, row, column, way->rows);
                const size_t columns = bndi_smaller(way->columns, p.right - column);
                bndi_pack_panel(j, w, k, depth, column, columns, way->columns);
                do_panel(j, w, row, first, rows, column, columns, k, depth);
            }
        }
        k += depth;
    } while (k < j->k);
}

/* ---- tiles whose promotions are further apart than a block is deep ---- */

/* All k of one tile, since its promotions are further apart than a block is deep: the running sums must outlive a
 * block. With promotions 300 steps apart and a depth of 256, k = 500 is done in steps of 256, 44 (promotion) and 200
 * (promotion, at the end). */
static void do_rare_tile(const bndi_job *j, bndi_buffers *w, tile *t)
{
    const bndi_way *way = j->sum.way;
    const size_t apart = j->sum.accumulator.promote;
    float c[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX] = {0};
    float sums[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX] = {0};
    for (size_t i = 0; i < t->rows && j->add; i++) {
        load_c(j, c + i * way->columns, t->row + i, t->column, t->columns);
    }
    t->c = sums;
    t->pitch = way->columns;
    t->a = w->block;
    t->b = w->panels;
    for (size_t k = 0; k < j->k;) {
        const size_t depth = bndi_smaller(bndi_smaller(j->depth, apart - k % apart), j->k - k);
        bndi_pack_block(j, w, way, t->row, t->rows, k, depth);
        bndi_pack_panel(j, w, k, depth, t->column, t->columns, way->columns);
        t->largest_a = w->largest[0];
        t->largest_b = w->largest_b;
        steps_of_tile(j, t, k, depth);
        k += depth;
        if (k % apart == 0 || k == j->k) {
            promote(c, sums, (size_t)way->rows * way->columns);
            __builtin_memset(sums, 0, sizeof sums);
        }
    }
    for (size_t i = 0; i < t->rows; i++) {
        store_c(j, c + i * way->columns, t->row + i, t->column, t->columns);
    }
}

/* A region of C, tile by tile. */
static void by_rare_tiles(const bndi_job *j, bndi_buffers *w, bndi_region p)
{
    const bndi_way *way = j->sum.way;
    for (size_t row = p.top; row < p.bottom; row += way->rows) {
        for (size_t column = p.left; column < right_of(p, row + way->rows); column += way->columns) {
            tile t = {.row = row,
                      .column = column,
                      .rows = bndi_smaller(way->rows, p.bottom - row),
                      .columns = bndi_smaller(way->columns, p.right - column)};
            do_rare_tile(j, w, &t);
        }
    }
}

/* The entry. */
void bndi_by_tiles(const bndi_job *j, bndi_buffers *w, bndi_region p)
{
    if (j->sum.accumulator.promote > j->depth) {
        by_rare_tiles(j, w, p);
    } else {
        by_blocks(j, w, p);
    }
}
