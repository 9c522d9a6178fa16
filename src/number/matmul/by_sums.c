/* Products whose sums stay in fp32 or fp64 lanes for all k: every rounding mode, and formats that fp32 does not hold.
 * The loops, from outside to inside:
 *
 *   row     blocks of ROWS_AT_ONCE rows of A
 *   column  panels of B; for each the sums of a block, which wait in a buffer while other tiles are computed
 *   k       blocks of BNDI_TILE_DEPTH steps: a block of A and a panel of B are packed
 *   i       tiles
 *   at      steps up to the next promotion, and where bits are random no more than have DRAWN_ROWS
 *           rows of entries
 *
 * What a tile refuses is computed from the sums as they are, by one that mends or by strips. What has left the format
 * once is likely to do so in the next tiles, too: MENDED_AT_ONCE calls go to the one that mends.
 *
 * Random bits. Those of row i, step k and 32 columns are 32 entries of the field, from (i K + k) n + j on: 4 blocks of
 * the generator with entries of two bytes, or 5 if these begin within a block. The blocks of all rows and of some steps
 * of a tile are made in one call, and `at` says where the entries of each begin. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 leaves most loops as they are */
#endif

#include "base/verify.h"
#include "bulk/inline.h"
#include "matmul/gemm_job.h"

enum {
    ROWS_AT_ONCE = 112,
    TILE_ROWS = 12, /* the most */
    MENDED_AT_ONCE = 64,
    DRAWN_ROWS = 96,  /* of random entries at once: rows of a tile, times steps */
    ENTRY_BYTES = 8,  /* the most */
    BLOCK_BYTES = 16, /* of the generator */
    BLOCKS_OF_ROW = BNDI_STRIP * ENTRY_BYTES / BLOCK_BYTES + 1,
    BLOCKS_MAX = 2 * DRAWN_ROWS * BLOCKS_OF_ROW + BNDI_RANDOM_UNIT
};

/* The sums of a block of rows, and promoted ones: they share the buffer of packed rows with the block of A. */
typedef struct sums_of_rows {
    double sums[(ROWS_AT_ONCE + TILE_ROWS) * BNDI_STRIP]; /* or fp32 */
    float c[(ROWS_AT_ONCE + TILE_ROWS) * BNDI_STRIP];
    uint64_t blocks[BLOCKS_MAX];
    uint64_t entries[BLOCKS_MAX * BLOCK_BYTES / sizeof(uint64_t)];
    uint32_t at[2][DRAWN_ROWS];
    uint32_t to_mend; /* calls */
} sums_of_rows;
_Static_assert(sizeof(sums_of_rows) + (ROWS_AT_ONCE + TILE_ROWS) * BNDI_PITCH * sizeof(float) <=
                   BLOCK_FLOATS * sizeof(float),
               "a block of A and the sums must fit where packed rows are");

/* What a tile is computed from. */
typedef struct kept_tile {
    const bndi_job *job;
    bndi_buffers *buffers;
    sums_of_rows *of;
    size_t row, column, rows, columns; /* of C; at most the tile's */
    size_t first_row;                  /* in the block */
} kept_tile;

static char *sums_at(const kept_tile *t, size_t row)
{
    const size_t bytes = t->job->sum.kept.doubles ? sizeof(double) : sizeof(float);
    return (char *)t->of->sums + (t->first_row + row) * BNDI_STRIP * bytes;
}

static float *c_of(const kept_tile *t, size_t row)
{
    return t->of->c + (t->first_row + row) * BNDI_STRIP;
}

/* ---- a row of sums as a strip's state, and back ---- */

static void to_state(const kept_tile *t, bndi_state *state, size_t row)
{
    const char *sums = sums_at(t, row);
    if (t->job->sum.kept.doubles) {
        __builtin_memcpy(state->s, sums, sizeof state->s);
        return;
    }
    float some[BNDI_STRIP];
    __builtin_memcpy(some, sums, sizeof some);
    for (size_t j = 0; j < BNDI_STRIP; j++) {
        state->s[j] = (double)some[j];
    }
}

static void from_state(const kept_tile *t, const bndi_state *state, size_t row)
{
    char *sums = sums_at(t, row);
    if (t->job->sum.kept.doubles) {
        __builtin_memcpy(sums, state->s, sizeof state->s);
        return;
    }
    float some[BNDI_STRIP];
    for (size_t j = 0; j < BNDI_STRIP; j++) {
        some[j] = (float)state->s[j]; /* exact: fp32 holds the format */
    }
    __builtin_memcpy(sums, some, sizeof some);
}

/* ---- steps ---- */

static void steps_by_strips(const kept_tile *t, size_t first, size_t at, size_t k)
{
    bndi_state state;
    for (size_t i = 0; i < t->rows; i++) {
        const bndi_strip strip = {.a = row_of_block(t->buffers, t->first_row + i) + at,
                                  .b = t->buffers->panels + at * BNDI_STRIP,
                                  .b_step = BNDI_STRIP,
                                  .row = t->row + i,
                                  .column = t->column,
                                  .first = first + at,
                                  .n = t->columns,
                                  .k = k};
        to_state(t, &state, i);
        bndi_strip_steps(&t->job->sum, &state, &strip);
        from_state(t, &state, i);
    }
}

/* The blocks with the entries of BNDI_STRIP elements from `element` on, after the first `count`; where the entries
 * begin in the bytes of all. 2^shift entries are in a block. */
static ALWAYS_INLINE uint32_t list_blocks(uint64_t *blocks, size_t *count, uint64_t element, unsigned shift)
{
    const uint32_t skip = (uint32_t)element & ((1u << shift) - 1), bytes = BLOCK_BYTES >> shift;
    const uint64_t block = element >> shift;
    const size_t n = (skip + BNDI_STRIP + (1u << shift) - 1) >> shift, at = *count;
    for (size_t i = 0; i < n; i++) {
        blocks[at + i] = block + i;
    }
    *count = at + n;
    return (uint32_t)at * BLOCK_BYTES + skip * bytes;
}

/* Does EACH draw for products, too? */
static bool draws_products(const bndi_sum *sum)
{
    return sum->accumulator.kind == BND_ACCUMULATE_EACH && !sum->kept.exact_products;
}

/* Those of all rows and k steps of a tile, beginning with an element. */
static void list_tile(const kept_tile *t, uint32_t *list, size_t *count, uint64_t element, size_t k, unsigned shift)
{
    const bndi_sum *sum = &t->job->sum;
    const uint64_t row = (uint64_t)sum->depth * sum->columns;
    for (size_t at = 0; at < k; at++, element += sum->columns) {
        for (size_t i = 0; i < sum->kept.rows; i++) {
            *list++ = list_blocks(t->of->blocks, count, element + i * row, shift);
        }
    }
}

/* SRB adds 2 R + 1: words with room for it, so that nothing is carried from one to the next. */
static void double_entries(uint64_t *words, unsigned bits, size_t n)
{
    const uint64_t ones = bits <= 16 ? UINT64_C(0x0001000100010001) : bits <= 32 ? UINT64_C(0x0000000100000001) : 1;
    for (size_t i = 0; i < n; i++) {
        words[i] = 2 * words[i] + ones;
    }
}

/* Where rows of entries begin at blocks, as with 8, 16, 24 ... columns: without a list of their numbers.
 * The number of blocks; 0 where these cannot be drawn so. */
static size_t draw_runs(const kept_tile *t, size_t first, size_t k, unsigned shift)
{
    const bndi_sum *sum = &t->job->sum;
    const size_t per_row = BNDI_STRIP >> shift, of_each = sum->kept.rows * k;
    if (sum->random_runs == NULL || sum->columns % (1u << shift) > 0) {
        return 0;
    }
    size_t at = 0;
    char *to = (char *)t->of->entries;
    for (size_t which = draws_products(sum) ? 0 : 1; which < 2; which++, at += of_each) {
        const uint64_t element = bndi_random_place(sum, t->row, first, t->column) + which * bndi_after_products(sum);
        const bndi_runs runs = {.first = element >> shift,
                                .row = (uint64_t)sum->depth * sum->columns >> shift,
                                .step = (uint64_t)sum->columns >> shift,
                                .rows = sum->kept.rows,
                                .steps = k,
                                .run = per_row};
        if (!sum->random_runs(to + at * per_row * BLOCK_BYTES, &runs, sum->seed, sum->purpose, sum->kept.random_bits)) {
            return 0;
        }
        for (size_t i = 0; i < of_each; i++) {
            t->of->at[which][i] = (uint32_t)((at + i) * per_row * BLOCK_BYTES);
        }
    }
    return at * per_row;
}

/* By a list of blocks, of which there are as many. */
static size_t draw_listed(const kept_tile *t, size_t first, size_t k, unsigned shift)
{
    const bndi_sum *sum = &t->job->sum;
    const uint64_t element = bndi_random_place(sum, t->row, first, t->column);
    size_t count = 0;
    for (size_t which = draws_products(sum) ? 0 : 1; which < 2; which++) {
        list_tile(t, t->of->at[which], &count, element + which * bndi_after_products(sum), k, shift);
    }
    for (; count % BNDI_RANDOM_UNIT > 0; count++) {
        t->of->blocks[count] = t->of->blocks[count - 1];
    }
    sum->random_blocks(t->of->entries, t->of->blocks, count, sum->seed, sum->purpose, sum->kept.random_bits);
    return count;
}

/* The random entries of k steps of a tile. */
static void draw(const kept_tile *t, bndi_draws *draws, size_t first, size_t k)
{
    const bndi_kept *kept = &t->job->sum.kept;
    const unsigned bits = kept->random_bits, shift = bits <= 16 ? 3 : bits <= 32 ? 2 : 1;
    size_t blocks = draw_runs(t, first, k, shift);
    if (blocks == 0) {
        blocks = draw_listed(t, first, k, shift);
    }
    if (kept->doubled) {
        double_entries(t->of->entries, bits, blocks * (BLOCK_BYTES / sizeof(uint64_t)));
    }
    *draws = (bndi_draws){.entries = (const char *)t->of->entries,
                          .at = {t->of->at[0], t->of->at[1]},
                          .bytes = (unsigned)BLOCK_BYTES >> shift};
}

/* A tile, in its mode of the processor. The compiler knows neither function: no operation leaves the mode. */
static bool in_its_mode(bndi_kept_tile *tile, const kept_tile *t, const float *a, const float *b, size_t k,
                        const bndi_draws *draws)
{
    const bndi_sum *sum = &t->job->sum;
    const unsigned mode = sum->kept.mode;
    bndi_enter_mode(mode);
    const bool done = tile(sum, sums_at(t, 0), a, b, k, draws);
    bndi_leave_mode(mode);
    return done;
}

/* k steps by the first attempt that succeeds. */
static void some_steps(const kept_tile *t, size_t first, size_t at, size_t k, const bndi_draws *draws)
{
    const bndi_sum *sum = &t->job->sum;
    const float *a = row_of_block(t->buffers, t->first_row) + at, *b = t->buffers->panels + at * BNDI_STRIP;
    if (t->of->to_mend == 0) {
        if (in_its_mode(sum->kept.tile, t, a, b, k, draws)) {
            return;
        }
        t->of->to_mend = sum->kept.mended != NULL ? MENDED_AT_ONCE : 0;
    }
    if (t->of->to_mend > 0) {
        t->of->to_mend--;
        in_its_mode(sum->kept.mended, t, a, b, k, draws);
    } else {
        steps_by_strips(t, first, at, k);
    }
}

/* `at` of the block of k that begins with step `first`. */
static void steps_of_sums(const kept_tile *t, size_t first, size_t at, size_t k)
{
    const bndi_sum *sum = &t->job->sum;
    const bool random = sum->kept.random_bits > 0;
    bndi_draws draws;
    for (size_t some; k > 0; at += some, k -= some) {
        some = random ? bndi_smaller(k, DRAWN_ROWS / sum->kept.rows) : k;
        if (random) {
            draw(t, &draws, first + at, some);
        }
        some_steps(t, first, at, some, random ? &draws : NULL);
    }
}

/* ---- the beginning and the end of sums ---- */

/* All sums +0, which every format here has. */
static void clear_sums(const kept_tile *t)
{
    const size_t bytes = t->job->sum.kept.doubles ? sizeof(double) : sizeof(float);
    __builtin_memset(sums_at(t, 0), 0, t->job->sum.kept.rows * BNDI_STRIP * bytes);
}

static void open_tile(const kept_tile *t)
{
    const bndi_job *j = t->job;
    clear_sums(t);
    __builtin_memset(c_of(t, 0), 0, j->sum.kept.rows * BNDI_STRIP * sizeof(float));
    for (size_t i = 0; i < t->rows && j->add; i++) {
        float *c = c_of(t, i);
        bndi_state state;
        load_c(j, c, t->row + i, t->column, t->columns);
        if (j->sum.accumulator.promote == 0) {
            bndi_strip_open(&j->sum, &state, c, BNDI_STRIP);
            from_state(t, &state, i);
        }
    }
}

static void promote_rows(const kept_tile *t)
{
    bndi_state state;
    for (size_t i = 0; i < t->rows; i++) {
        to_state(t, &state, i);
        bndi_strip_promote(&t->job->sum, c_of(t, i), &state, BNDI_STRIP);
    }
    clear_sums(t);
}

static void close_tile(const kept_tile *t)
{
    bndi_state state;
    for (size_t i = 0; i < t->rows; i++) {
        if (t->job->sum.accumulator.promote == 0) {
            to_state(t, &state, i);
            bndi_strip_close(&t->job->sum, c_of(t, i), &state, BNDI_STRIP);
        }
        store_c(t->job, c_of(t, i), t->row + i, t->column, t->columns);
    }
}

/* A block of k for one tile. */
static void block_of_tile(const kept_tile *t, size_t first, size_t depth)
{
    const bndi_job *j = t->job;
    const size_t apart = j->sum.accumulator.promote;
    for (size_t at = 0, some; at < depth; at += some) {
        const size_t k = first + at;
        some = apart > 0 ? bndi_smaller(apart - k % apart, depth - at) : depth;
        steps_of_sums(t, first, at, some);
        if (apart > 0 && ((k + some) % apart == 0 || k + some == j->k)) {
            promote_rows(t);
        }
    }
}

/* A region of C. The block of A is packed again for each panel, unless it has all of k. */
void bndi_by_sums(const bndi_job *j, bndi_buffers *w, bndi_region p)
{
    const bndi_way way = {.rows = j->sum.kept.rows, .columns = BNDI_STRIP};
    const size_t rows_of_block = (size_t)ROWS_AT_ONCE / way.rows * way.rows;
    kept_tile t = {.job = j, .buffers = w};
    t.of = (sums_of_rows *)(void *)row_of_block(w, BLOCK_ROWS) - 1;
    t.of->to_mend = 0;
    BNDI_VERIFY(way.rows <= TILE_ROWS);
    for (size_t row = p.top; row < p.bottom; row += rows_of_block) {
        const size_t rows = bndi_smaller(rows_of_block, p.bottom - row);
        for (size_t column = p.left; column < right_of(p, row + rows); column += BNDI_STRIP) {
            t.column = column;
            t.columns = bndi_smaller(BNDI_STRIP, p.right - column);
            size_t k = 0;
            do {
                const size_t depth = bndi_smaller(BNDI_TILE_DEPTH, j->k - k);
                if (column == p.left || depth < j->k) {
                    bndi_pack_block(j, w, &way, row, rows, k, depth);
                }
                bndi_pack_panel(j, w, k, depth, column, t.columns, BNDI_STRIP);
                for (size_t i = first_tile(p, row, column, way.rows); i < rows; i += way.rows) {
                    t.row = row + i;
                    t.first_row = i;
                    t.rows = bndi_smaller(way.rows, rows - i);
                    if (k == 0) {
                        open_tile(&t);
                    }
                    block_of_tile(&t, k, depth);
                    if (k + depth == j->k) {
                        close_tile(&t);
                    }
                }
                k += depth;
            } while (k < j->k);
        }
    }
}
