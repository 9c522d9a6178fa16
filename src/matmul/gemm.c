/* The calls: operands packed into blocks, blocks cut into tiles, work dealt out to threads. A block of A and a panel of
 * B stand on the stack of the thread that works on them: 330 KiB with glibc, whose threads have megabytes, else 120. */
#include "bulk/environment.h"
#include "matmul/matmul.h"

#include <math.h>

/* Below so many steps a second thread is not worth its start. Measured: some ten microseconds of work. */
enum { FAST_STEPS = 1 << 21, ROUNDED_STEPS = 1 << 18, SLOW_STEPS = 1 << 13 };

enum {
    BLOCK_ROWS = 256,
    BLOCK_FLOATS = BLOCK_ROWS * BNDI_PITCH,
    PANEL_FLOATS = BNDI_DEPTH * BNDI_TILE_COLUMNS_MAX,
    TILES_MAX = BLOCK_ROWS / 2,
    AT_ONCE = 16
};

/* A matrix that is read: fp32 numbers or codes, rounded first or not. */
typedef struct operand {
    const char *at;
    ptrdiff_t row, column;
    unsigned bytes;
    bool codes, rounds;
    bndi_plan plan;
} operand;

typedef struct job {
    bndi_sum sum;
    bndi_kernels kernels;
    operand a, b;
    float *c;
    ptrdiff_t c_row, c_column;
    size_t m, n, k, depth; /* depth: steps over k of a block */
    uint32_t threads;
    bool add;
    const float *bias; /* a number a column; or NULL. Chains only */
    bool rounds_c;
    bndi_plan c_plan;
} job;

/* A part of the product, done by one thread. */
typedef struct part {
    size_t top, bottom, left, right;
} part;

typedef struct buffers {
    _Alignas(64) float panel[PANEL_FLOATS];
    _Alignas(64) float block[BLOCK_FLOATS];
    float runs[AT_ONCE][BNDI_DEPTH]; /* on their way to where they are transposed */
    uint32_t largest[TILES_MAX];     /* magnitudes as bits, of each tile's rows of A */
    uint32_t largest_b;
    float bias[BNDI_TILE_COLUMNS_MAX];
} buffers;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static float float_of(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static float one_nan(float x)
{
    return x != x ? float_of(0x7fc00000) : x;
}

/* ---- operands ---- */

/* Numbers in fp32 that nothing is to be done to. */
static bool lies_ready(const operand *x)
{
    return !x->codes && !x->rounds;
}

static const float *place_of(const operand *x, size_t row, size_t column)
{
    return (const float *)(const void *)x->at + ((ptrdiff_t)row * x->row + (ptrdiff_t)column * x->column);
}

/* ... side by side along a row or down a column: a chain reads them where they are. */
static bool lies_in_rows(const operand *x)
{
    return lies_ready(x) && (x->column == 1 || x->row == 1);
}

/* n numbers from (row, column) on, along the row or down the column; n is at most BNDI_DEPTH. */
static void load_run(const job *j, const operand *x, float *out, size_t row, size_t column, bool along, size_t n)
{
    const ptrdiff_t step = along ? x->column : x->row;
    const char *at = x->at + ((ptrdiff_t)row * x->row + (ptrdiff_t)column * x->column) * (ptrdiff_t)x->bytes;
    if (x->codes && step == 1 && !BNDI_BIG_ENDIAN) {
        j->kernels.decode[BNDI_WORDS_32](&x->plan, out, at, n);
        return;
    }
    if (x->codes) {
        uint64_t words[BNDI_DEPTH];
        bndi_gather(words, at, x->bytes, 0, step, n);
        if (BNDI_BIG_ENDIAN) {
            bndi_swap(words, x->bytes, n);
        }
        j->kernels.decode[BNDI_WORDS_32](&x->plan, out, words, n);
        return;
    }
    if (step == 1) {
        __builtin_memcpy(out, at, n * sizeof(float));
    } else {
        for (size_t i = 0; i < n; i++) {
            __builtin_memcpy(out + i, at + (ptrdiff_t)i * step * (ptrdiff_t)sizeof(float), sizeof(float));
        }
    }
    if (x->rounds) {
        j->kernels.round[BNDI_WORDS_32](&x->plan, out, out, NULL, n);
    }
}

static size_t size_of_step(ptrdiff_t step)
{
    return (size_t)(step < 0 ? -step : step);
}

/* Only where tiles ask. */
static uint32_t largest_of(const job *j, const float *x, size_t n)
{
    const bool asked = j->sum.way != NULL && j->sum.way->checked != NULL;
    return asked ? j->sum.ways->largest_magnitude(x, n) : 0;
}

/* The commonest case: rows of B that stand side by side. */
static void copy_panel(const job *j, float *panel, size_t k, size_t depth, size_t column, size_t columns)
{
    const char *from = j->b.at + ((ptrdiff_t)k * j->b.row + (ptrdiff_t)column) * (ptrdiff_t)sizeof(float);
    const ptrdiff_t step = j->b.row * (ptrdiff_t)sizeof(float);
    if (columns == 32) {
        for (size_t at = 0; at < depth; at++, from += step) {
            __builtin_memcpy(panel + at * 32, from, 32 * sizeof(float));
        }
    } else {
        for (size_t at = 0; at < depth; at++, from += step) {
            __builtin_memcpy(panel + at * columns, from, columns * sizeof(float));
        }
    }
    if (j->b.rounds) {
        j->kernels.round[BNDI_WORDS_32](&j->b.plan, panel, panel, NULL, depth * columns);
    }
}

/* The panel of B: `columns` columns side by side for each k, the last one again where B has no more: a tile of ordinary
 * numbers stays one. */
static void pack_panel(const job *j, buffers *w, size_t k, size_t depth, size_t column, size_t n, size_t columns)
{
    float *panel = w->panel;
    if (n == columns && !j->b.codes && j->b.column == 1) {
        copy_panel(j, panel, k, depth, column, columns);
        w->largest_b = largest_of(j, panel, depth * columns);
        return;
    }
    if (size_of_step(j->b.column) <= size_of_step(j->b.row)) {
        for (size_t at = 0; at < depth; at++) {
            load_run(j, &j->b, panel + at * columns, k + at, column, true, n);
        }
    } else {
        for (size_t i = 0; i < n; i += AT_ONCE) {
            const size_t some = smaller(AT_ONCE, n - i);
            if (lies_ready(&j->b) && j->b.row == 1 && j->b.column > 0) {
                j->sum.ways->transpose(panel + i, columns, place_of(&j->b, k, column + i), (size_t)j->b.column, some,
                                       depth);
                continue;
            }
            for (size_t r = 0; r < some; r++) {
                load_run(j, &j->b, w->runs[r], k, column + i + r, false, depth);
            }
            j->sum.ways->transpose(panel + i, columns, w->runs[0], BNDI_DEPTH, some, depth);
        }
    }
    for (size_t at = 0; at < depth && n < columns; at++) {
        for (size_t i = n; i < columns; i++) {
            panel[at * columns + i] = panel[at * columns + n - 1];
        }
    }
    w->largest_b = largest_of(j, panel, depth * columns);
}

/* The place of row i in the block of A. */
static float *row_of_block(buffers *w, size_t i)
{
    return w->block + i * BNDI_PITCH;
}

static void pack_block(const job *j, buffers *w, const bndi_way *way, size_t row, size_t rows, size_t k, size_t depth)
{
    const size_t filled = (rows + way->rows - 1) / way->rows * way->rows;
    if (size_of_step(j->a.column) <= size_of_step(j->a.row)) {
        for (size_t i = 0; i < rows; i++) {
            load_run(j, &j->a, row_of_block(w, i), row + i, k, true, depth);
        }
    } else {
        for (size_t at = 0; at < depth; at += AT_ONCE) {
            const size_t some = smaller(AT_ONCE, depth - at);
            for (size_t r = 0; r < some; r++) {
                load_run(j, &j->a, w->runs[r], row, k + at + r, false, rows); /* at most BLOCK_ROWS */
            }
            j->sum.ways->transpose(row_of_block(w, 0) + at, BNDI_PITCH, w->runs[0], BNDI_DEPTH, some, rows);
        }
    }
    for (size_t i = rows; i < filled; i++) {
        __builtin_memcpy(row_of_block(w, i), row_of_block(w, rows - 1), depth * sizeof(float));
    }
    for (size_t i = 0; i < filled; i++) {
        uint32_t u = largest_of(j, row_of_block(w, i), depth), *largest = &w->largest[i / way->rows];
        *largest = i % way->rows == 0 || u > *largest ? u : *largest;
    }
}

/* ---- elements of C ---- */

static float *c_at(const job *j, size_t row, size_t column)
{
    return j->c + (ptrdiff_t)row * j->c_row + (ptrdiff_t)column * j->c_column;
}

static void load_c(const job *j, float *out, size_t row, size_t column, size_t n)
{
    if (j->c_column == 1) {
        __builtin_memcpy(out, c_at(j, row, column), n * sizeof *out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = *c_at(j, row, column + i);
    }
}

static void store_c(const job *j, const float *in, size_t row, size_t column, size_t n)
{
    if (j->c_column == 1) {
        __builtin_memcpy(c_at(j, row, column), in, n * sizeof *in);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        *c_at(j, row, column + i) = in[i];
    }
}

/* What a sum begins with: +0, or C, in the accumulator's format where the sum goes on from there. */
static void begin(const job *j, float *out, size_t n)
{
    if (!j->add) {
        __builtin_memset(out, 0, n * sizeof *out);
    } else if (j->rounds_c) {
        bndi_round_32(&j->c_plan, out, out, NULL, n);
    }
}

/* ---- tiles ---- */

/* A tile of C at work. */
typedef struct tile {
    size_t row, column, rows, columns; /* of C */
    float *c;
    size_t pitch;
    const float *a, *b;
    uint32_t largest_a, largest_b;
    bool from_zero; /* all of c is +0 */
} tile;

static void strips_of_tile(const job *j, const tile *t, size_t first, size_t k)
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

/* Is no product and no sum of these steps beyond the format's largest number? Products are at most P, that of the
 * largest operands, rounded: P (1 + 2^-p). Let c be the largest sum to begin with.
 *
 *   - With 2^e the first power of two above 2^p P, e - p + 1 is the exponent of the last place from there on, and P is
 *     less than half of it: a sum of 2^e or more grows no further, and one below comes to 2^e at most. So sums are at
 *     most c, or 2^(p+1) P.
 *   - Each step makes a sum larger by P and then by a factor of 1 + 2^-p at most: (c + k P) (1 + 2^-p)^k, which for k
 *   <=
 *     2^p is less than e times c + k P. */
static bool is_safe(const job *j, const tile *t, size_t k)
{
    const bndi_way *way = j->sum.way;
    const double grid = (double)j->sum.up / (1 << 24); /* 2^-p */
    const double product =
        (double)float_of(t->largest_a) * (double)float_of(t->largest_b) * (1 + grid); /* NaN is not safe */
    uint32_t start = 0;
    for (size_t i = 0; i < way->rows && !t->from_zero; i++) {
        uint32_t u = j->sum.ways->largest_magnitude(t->c + i * t->pitch, way->columns);
        start = u > start ? u : start;
    }
    const double c = (double)float_of(start), largest = (double)j->sum.largest;
    const double stalls = 2 * product / grid > c ? 2 * product / grid : c;
    const double grows = (double)k * grid <= 1 ? 2.72 * (c + (double)k * product) : INFINITY;
    return (stalls < grows ? stalls : grows) <= largest && product <= largest;
}

static void steps_of_tile(const job *j, const tile *t, size_t first, size_t k)
{
    const bndi_way *way = j->sum.way;
    if ((way->checked == NULL || is_safe(j, t, k)) && way->tile(&j->sum, t->c, t->pitch, t->a, t->b, k)) {
        return;
    }
    if (way->checked == NULL || !way->checked(&j->sum, t->c, t->pitch, t->a, t->b, k)) {
        strips_of_tile(j, t, first, k);
    }
}

/* Sums of `promote` steps each, added to C in fp32. */
static void promote_tile(const job *j, const tile *t, size_t first, size_t k)
{
    const bndi_way *way = j->sum.way;
    const size_t promote = j->sum.accumulator.promote;
    for (size_t at = 0; at < k; at += promote) {
        float sums[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX] = {0};
        tile some = *t;
        some.c = sums;
        some.pitch = way->columns;
        some.from_zero = true;
        some.a = t->a + at;
        some.b = t->b + at * way->columns;
        steps_of_tile(j, &some, first + at, smaller(promote, k - at));
        for (size_t i = 0; i < way->rows; i++) {
            for (size_t v = 0; v < way->columns; v++) {
                t->c[i * t->pitch + v] = one_nan(t->c[i * t->pitch + v] + sums[i * way->columns + v]);
            }
        }
    }
}

static void do_tile(const job *j, tile *t, size_t first, size_t k)
{
    const bndi_way *way = j->sum.way;
    float copy[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX];
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

static void do_panel(const job *j, buffers *w, size_t row, size_t rows, size_t column, size_t columns, size_t k,
                     size_t depth)
{
    const bndi_way *way = j->sum.way;
    for (size_t i = 0; i < rows; i += way->rows) {
        tile t = {.row = row + i,
                  .column = column,
                  .rows = smaller(way->rows, rows - i),
                  .columns = columns,
                  .a = row_of_block(w, i),
                  .b = w->panel,
                  .largest_a = w->largest[i / way->rows],
                  .largest_b = w->largest_b};
        do_tile(j, &t, k, depth);
    }
}

static void do_part_by_tiles(const job *j, buffers *w, part p)
{
    const bndi_way *way = j->sum.way;
    const size_t rows_of_block = (size_t)BLOCK_ROWS / way->rows * way->rows;
    size_t k = 0;
    do {
        const size_t depth = smaller(j->depth, j->k - k);
        for (size_t row = p.top; row < p.bottom; row += rows_of_block) {
            const size_t rows = smaller(rows_of_block, p.bottom - row);
            pack_block(j, w, way, row, rows, k, depth);
            for (size_t column = p.left; column < p.right; column += way->columns) {
                const size_t columns = smaller(way->columns, p.right - column);
                pack_panel(j, w, k, depth, column, columns, way->columns);
                do_panel(j, w, row, rows, column, columns, k, depth);
            }
        }
        k += depth;
    } while (k < j->k);
}

/* ---- chains: fp32 in fused multiply-adds, of operands where they lie if they lie well ---- */

/* So few rows of C that a panel of B is not worth packing; and so much of A as stays in a second cache. */
enum { FEW_ROWS = 64, FLOATS_AT_ONCE = 1 << 17 };

/* Rows of a block, all of about as many. */
static size_t rows_of_chains(const job *j, size_t rows, size_t depth)
{
    const size_t unit = j->sum.way->rows;
    const size_t most = lies_in_rows(&j->a) ? FLOATS_AT_ONCE / (depth > 0 ? depth : 1) : BLOCK_ROWS - unit;
    const size_t blocks = rows > 0 ? (rows - 1) / most + 1 : 1;
    return ((rows + blocks - 1) / blocks + unit - 1) / unit * unit;
}

static bool chains(const job *j)
{
    return j->sum.way != NULL && j->sum.way->chain[0] != NULL && j->sum.accumulator.promote <= j->depth;
}

/* Columns of C, and what belongs to them. */
typedef struct span {
    size_t column, columns;
    const float *b;
    ptrdiff_t b_row;
    const float *bias;
} span;

static void set_span(const job *j, buffers *w, span *s, size_t rows, size_t k, size_t depth)
{
    const size_t width = j->sum.way->columns;
    const bool in_place = lies_ready(&j->b) && j->b.column == 1 && s->columns == width && rows <= FEW_ROWS;
    s->b = w->panel;
    s->b_row = (ptrdiff_t)width;
    if (in_place && depth > 0) {
        s->b = place_of(&j->b, k, s->column);
        s->b_row = j->b.row;
    } else {
        pack_panel(j, w, k, depth, s->column, s->columns, width);
    }
    s->bias = NULL;
    if (j->bias != NULL && k + depth == j->k) {
        __builtin_memcpy(w->bias, j->bias + s->column, s->columns * sizeof *w->bias);
        s->bias = w->bias;
    }
}

/* All steps at once; or those of a promotion at a time. */
static void run_chain(const job *j, const bndi_way *way, const bndi_chain *t, bool turned)
{
    const size_t promote = j->sum.accumulator.promote;
    bndi_chain some = *t;
    some.promotes = promote > 0 && t->k > 0;
    for (; some.promotes && some.k > promote; some.k -= promote) {
        bndi_chain one = some;
        one.k = promote;
        one.bias = NULL;
        way->chain[turned](&one);
        some.a += (ptrdiff_t)promote * t->a_column;
        some.b += (ptrdiff_t)promote * t->b_row;
        some.fresh = false;
    }
    way->chain[turned](&some);
}

static void do_chain(const job *j, const bndi_way *way, bndi_chain *t, bool turned, size_t row, const span *s)
{
    float copy[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX];
    const bool direct = j->c_column == 1 && s->columns == way->columns;
    t->c = direct ? c_at(j, row, s->column) : copy;
    t->c_row = direct ? j->c_row : way->columns;
    for (size_t i = 0; i < way->rows && !direct && !t->fresh; i++) {
        load_c(j, copy + i * way->columns, row + i, s->column, s->columns);
        __builtin_memset(copy + i * way->columns + s->columns, 0, (way->columns - s->columns) * sizeof *copy);
    }
    run_chain(j, way, t, turned);
    for (size_t i = 0; i < way->rows && !direct; i++) {
        store_c(j, copy + i * way->columns, row + i, s->column, s->columns);
    }
}

/* Rows of C, the highest tiles first. */
static void do_chains(const job *j, const buffers *w, size_t row, size_t rows, const span *s, size_t k, size_t depth)
{
    const bool in_place = lies_in_rows(&j->a), turned = in_place && j->a.column != 1;
    const bndi_way *way = j->sum.way;
    bndi_chain t = {.a_row = in_place ? j->a.row : BNDI_PITCH,
                    .a_column = in_place ? j->a.column : 1,
                    .b = s->b,
                    .b_row = s->b_row,
                    .k = depth,
                    .bias = s->bias,
                    .fresh = k == 0 && !j->add};
    for (size_t i = 0; i < rows; i += way->rows) {
        while (way->rows > rows - i) {
            way = way->fewer;
        }
        t.a = !in_place ? w->block + i * BNDI_PITCH : depth > 0 ? place_of(&j->a, row + i, k) : NULL;
        do_chain(j, way, &t, turned, row + i, s);
    }
}

static void do_part_by_chains(const job *j, buffers *w, part p)
{
    const bndi_way *way = j->sum.way;
    const bool in_place = lies_in_rows(&j->a);
    size_t k = 0;
    do {
        const size_t depth = smaller(j->depth, j->k - k);
        const size_t rows_of_block = rows_of_chains(j, p.bottom - p.top, depth);
        for (size_t row = p.top; row < p.bottom; row += rows_of_block) {
            const size_t rows = smaller(rows_of_block, p.bottom - row);
            if (!in_place) {
                pack_block(j, w, way, row, rows, k, depth);
            }
            for (size_t column = p.left; column < p.right; column += way->columns) {
                span s = {.column = column, .columns = smaller(way->columns, p.right - column)};
                set_span(j, w, &s, rows, k, depth);
                do_chains(j, w, row, rows, &s, k, depth);
            }
        }
        k += depth;
    } while (k < j->k);
}

/* ---- strips, and tiles whose promotions are further apart than a block is deep ---- */

static void add_strip(float *c, const float *sums, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        c[i] = one_nan(c[i] + sums[i]);
    }
}

static void do_strip(const job *j, buffers *w, size_t row, size_t column, size_t n)
{
    const size_t promote = j->sum.accumulator.promote;
    float c[BNDI_STRIP] = {0}, sums[BNDI_STRIP] = {0};
    bndi_state state;
    if (j->add) {
        load_c(j, c, row, column, n);
    }
    bndi_strip_open(&j->sum, &state, promote > 0 ? sums : c, n);
    for (size_t k = 0; k < j->k;) {
        const size_t to_promotion = promote > 0 ? promote - k % promote : BNDI_DEPTH;
        const size_t depth = smaller(smaller(BNDI_DEPTH, to_promotion), j->k - k);
        pack_panel(j, w, k, depth, column, n, BNDI_STRIP);
        load_run(j, &j->a, w->block, row, k, true, depth);
        bndi_strip strip = {.a = w->block, .b = w->panel, .b_step = BNDI_STRIP, .row = row};
        strip.column = column;
        strip.first = k;
        strip.n = n;
        strip.k = depth;
        bndi_strip_steps(&j->sum, &state, &strip);
        k += depth;
        if (promote > 0 && (k % promote == 0 || k == j->k)) {
            float zeros[BNDI_STRIP] = {0};
            bndi_strip_close(&j->sum, sums, &state, n);
            add_strip(c, sums, n);
            bndi_strip_open(&j->sum, &state, zeros, n);
        }
    }
    if (promote == 0) {
        bndi_strip_close(&j->sum, c, &state, n);
    }
    store_c(j, c, row, column, n);
}

static void do_part_by_strips(const job *j, buffers *w, part p)
{
    for (size_t row = p.top; row < p.bottom; row++) {
        for (size_t column = p.left; column < p.right; column += BNDI_STRIP) {
            do_strip(j, w, row, column, smaller(BNDI_STRIP, p.right - column));
        }
    }
}

static void do_rare_tile(const job *j, buffers *w, tile *t)
{
    const bndi_way *way = j->sum.way;
    const size_t promote = j->sum.accumulator.promote;
    float c[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX] = {0};
    float sums[BNDI_TILE_ROWS_MAX * BNDI_TILE_COLUMNS_MAX] = {0};
    for (size_t i = 0; i < t->rows && j->add; i++) {
        load_c(j, c + i * way->columns, t->row + i, t->column, t->columns);
    }
    t->c = sums;
    t->pitch = way->columns;
    t->a = w->block;
    t->b = w->panel;
    for (size_t k = 0; k < j->k;) {
        const size_t depth = smaller(smaller(j->depth, promote - k % promote), j->k - k);
        pack_block(j, w, way, t->row, t->rows, k, depth);
        pack_panel(j, w, k, depth, t->column, t->columns, way->columns);
        t->largest_a = w->largest[0];
        t->largest_b = w->largest_b;
        steps_of_tile(j, t, k, depth);
        k += depth;
        if (k % promote == 0 || k == j->k) {
            add_strip(c, sums, (size_t)way->rows * way->columns);
            __builtin_memset(sums, 0, sizeof sums);
        }
    }
    for (size_t i = 0; i < t->rows; i++) {
        store_c(j, c + i * way->columns, t->row + i, t->column, t->columns);
    }
}

static void do_part_by_rare_tiles(const job *j, buffers *w, part p)
{
    const bndi_way *way = j->sum.way;
    for (size_t row = p.top; row < p.bottom; row += way->rows) {
        for (size_t column = p.left; column < p.right; column += way->columns) {
            tile t = {.row = row,
                      .column = column,
                      .rows = smaller(way->rows, p.bottom - row),
                      .columns = smaller(way->columns, p.right - column)};
            do_rare_tile(j, w, &t);
        }
    }
}

/* ---- threads ---- */

static void do_part(const job *j, part p)
{
    buffers w;
    bndi_environment callers = bndi_enter(BND_RNE);
    if (j->sum.way == NULL) {
        do_part_by_strips(j, &w, p);
    } else if (chains(j)) {
        do_part_by_chains(j, &w, p);
    } else if (j->sum.accumulator.promote > j->depth) {
        do_part_by_rare_tiles(j, &w, p);
    } else {
        do_part_by_tiles(j, &w, p);
    }
    bndi_leave(callers);
}

/* The longer side of C is cut, where tiles end. */
static part part_of(const job *j, size_t i, size_t parts)
{
    const size_t unit = BNDI_TILE_COLUMNS_MAX;
    part p = {.bottom = j->m, .right = j->n};
    const bool by_rows = j->m >= j->n;
    const size_t length = by_rows ? j->m : j->n, units = (length + unit - 1) / unit;
    const size_t from = smaller(units * i / parts * unit, length), to = smaller(units * (i + 1) / parts * unit, length);
    *(by_rows ? &p.top : &p.left) = from;
    *(by_rows ? &p.bottom : &p.right) = to;
    return p;
}

static double worth_a_thread(const bndi_sum *sum)
{
    const bool fast = sum->way == &sum->ways->chain || sum->way == &sum->ways->plain;
    const bool slow = sum->way == NULL || sum->way == &sum->ways->aligned;
    return fast ? FAST_STEPS : slow ? SLOW_STEPS : ROUNDED_STEPS;
}

static size_t parts_for(const job *j)
{
    const double steps = (double)j->m * (double)j->n * (double)j->k;
    const size_t longer = j->m >= j->n ? j->m : j->n;
    const size_t most = (longer + BNDI_TILE_COLUMNS_MAX - 1) / BNDI_TILE_COLUMNS_MAX;
    return j->threads < 2 || steps < worth_a_thread(&j->sum) ? 1 : smaller(j->threads, most);
}

static void run(const job *j)
{
    const size_t parts = parts_for(j);
#if defined(_OPENMP)
    if (parts > 1) {
#pragma omp parallel for schedule(static, 1) num_threads((int)parts)
        for (size_t i = 0; i < parts; i++) {
            do_part(j, part_of(j, i, parts));
        }
        return;
    }
#endif
    for (size_t i = 0; i < parts; i++) {
        do_part(j, part_of(j, i, parts));
    }
}

/* ---- the calls ---- */

static bool too_many(size_t rows, size_t columns, size_t bytes)
{
    return rows != 0 && columns > PTRDIFF_MAX / bytes / rows;
}

static bnd_strides strides_or(bnd_strides strides, size_t columns)
{
    return strides.row == 0 && strides.column == 0 ? (bnd_strides){.row = (ptrdiff_t)columns, .column = 1} : strides;
}

static void set_operand(operand *x, const void *at, const bnd_format *format, bool codes, bnd_strides strides)
{
    *x = (operand){.at = at, .row = strides.row, .column = strides.column, .bytes = sizeof(float), .codes = codes};
    x->rounds = !codes && format != NULL;
    if (format != NULL) {
        bndi_plan_make(&x->plan, BNDI_WORDS_32, format, (bnd_rule){.rounding = BND_RNE});
    }
    if (codes) {
        bndi_storage storage = bndi_storage_of(format, BND_UNPACKED);
        x->bytes = storage.bits / 8;
        bndi_plan_codes(&x->plan, x->bytes, storage.shift);
    }
}

static bnd_status check_codes(const bnd_format *f, bnd_error *why)
{
    if (f->width == 0) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "'%s' is a value set and has no codes", f->name);
    }
    if (f->precision > 24 || f->least_quantum < -149 || f->emax > 127) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "fp32 does not hold every value of %s: products are made of operands that it holds", f->name);
    }
    return BND_OK;
}

static void set_block_depth(job *j)
{
    const bnd_accumulator *accumulator = &j->sum.accumulator;
    const size_t group = accumulator->kind == BND_ACCUMULATE_ALIGNED ? accumulator->group : 1;
    const size_t promote = accumulator->promote;
    j->depth = BNDI_DEPTH / group * group;
    if (promote > 0 && promote <= j->depth) {
        j->depth = BNDI_DEPTH / promote * promote;
    }
}

/* Is an element of these farther from the first one than memory is large? */
static bool too_far(size_t rows, size_t columns, bnd_strides strides)
{
    const size_t most = (size_t)PTRDIFF_MAX / sizeof(uint64_t); /* codes of 8 bytes are the largest elements */
    const size_t row = strides.row < 0 ? 0 - (size_t)strides.row : (size_t)strides.row;
    const size_t column = strides.column < 0 ? 0 - (size_t)strides.column : (size_t)strides.column;
    if (rows == 0 || columns == 0) {
        return false;
    }
    if ((rows > 1 && row > most / (rows - 1)) || (columns > 1 && column > most / (columns - 1))) {
        return true;
    }
    return (rows - 1) * row > most - (columns - 1) * column;
}

static bnd_status open_job(job *j, float *c, size_t m, size_t n, const void *a, const bnd_format *a_format,
                           const void *b, const bnd_format *b_format, bool codes, size_t k, const bnd_gemm *how,
                           bnd_error *why)
{
    *j = (job){.c = c, .m = m, .n = n, .k = k};
    if (too_many(m, n, sizeof *c) || too_many(m, k, sizeof *c) || too_many(k, n, sizeof *c)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "matrices of %zu x %zu and %zu x %zu are more than memory can hold",
                        m, k, k, n);
    }
    bnd_status status = bndi_check_choices(&(bnd_array){.context = how->context}, why);
    status = status == BND_OK ? bndi_sum_make(&j->sum, how, a_format, b_format, why) : status;
    if (status != BND_OK) {
        return status;
    }
    const bnd_strides in_a = strides_or(how->a, k), in_b = strides_or(how->b, n), in_c = strides_or(how->c, n);
    if (m > 0 && n > 0 && ((in_c.row == 0 && m > 1) || (in_c.column == 0 && n > 1))) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "C has a stride of 0: its elements must not share memory");
    }
    if (too_far(m, k, in_a) || too_far(k, n, in_b) || too_far(m, n, in_c)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "a stride leads beyond memory");
    }
    j->sum.rows = m;
    j->sum.columns = n;
    j->sum.depth = k;
    j->kernels = bndi_kernels_of(how->context);
    j->threads = how->context != NULL ? how->context->threads : 1;
    j->add = how->add;
    j->c_row = in_c.row;
    j->c_column = in_c.column;
    set_operand(&j->a, a, a_format, codes, in_a);
    set_operand(&j->b, b, b_format, codes, in_b);
    j->rounds_c = j->sum.accumulator.promote == 0 && j->sum.accumulator.format.precision < 24;
    bnd_rule start = j->sum.accumulator.rule;
    start.rounding = j->sum.accumulator.kind == BND_ACCUMULATE_ALIGNED ? BND_RTZ : BND_RNE;
    bndi_plan_make(&j->c_plan, BNDI_WORDS_32, &j->sum.accumulator.format, start);
    set_block_depth(j);
    return BND_OK;
}

bnd_status bnd_gemm_f32(float *c, size_t m, size_t n, const float *a, const float *b, size_t k, const bnd_gemm *how,
                        bnd_error *why)
{
    static const bnd_gemm plain = {.add = false};
    job j;
    how = how != NULL ? how : &plain;
    if (how->accumulator.kind == BND_ACCUMULATE_CBLAS) {
        return bndi_cblas_gemm(c, m, n, a, b, k, how, why);
    }
    bnd_status status = open_job(&j, c, m, n, a, how->round_a, b, how->round_b, false, k, how, why);
    if (status == BND_OK) {
        run(&j);
    }
    return status;
}

static bnd_status check_both_codes(const bnd_format *a_format, const bnd_format *b_format, const bnd_gemm *how,
                                   bnd_error *why)
{
    bnd_status status = check_codes(a_format, why);
    if (status == BND_OK) {
        status = check_codes(b_format, why);
    }
    if (status == BND_OK && how->accumulator.kind == BND_ACCUMULATE_CBLAS) {
        status = bnd_fail(why, BND_BAD_ARGUMENT, 0, "OpenBLAS takes fp32 numbers, not codes: decode them first");
    }
    return status;
}

bnd_status bnd_gemm_codes(float *c, size_t m, size_t n, const void *a, const bnd_format *a_format, const void *b,
                          const bnd_format *b_format, size_t k, const bnd_gemm *how, bnd_error *why)
{
    static const bnd_gemm plain = {.add = false};
    job j;
    how = how != NULL ? how : &plain;
    bnd_status status = check_both_codes(a_format, b_format, how, why);
    if (status == BND_OK) {
        status = open_job(&j, c, m, n, a, a_format, b, b_format, true, k, how, why);
    }
    if (status == BND_OK) {
        run(&j);
    }
    return status;
}

/* ---- stacks ---- */

size_t bndi_stack_count(const bndi_stack *stack)
{
    size_t count = 1;
    for (size_t i = 0; i < stack->rank; i++) {
        count *= stack->extent[i];
    }
    return count;
}

ptrdiff_t bndi_stack_offset(const bndi_stack *stack, const ptrdiff_t *steps, size_t which)
{
    ptrdiff_t offset = 0;
    for (size_t i = stack->rank; i-- > 0;) {
        offset += (ptrdiff_t)(which % stack->extent[i]) * steps[i];
        which /= stack->extent[i];
    }
    return offset;
}

static void add_bias(float *c, size_t rows, size_t columns, ptrdiff_t row, const float *bias)
{
    bndi_environment callers = bndi_enter(BND_RNE);
    for (size_t i = 0; i < rows; i++) {
        for (size_t at = 0; at < columns; at++) {
            c[(ptrdiff_t)i * row + (ptrdiff_t)at] += bias[at];
        }
    }
    bndi_leave(callers);
}

static void run_product(const job *first, const bndi_stack *stack, size_t which)
{
    job j = *first;
    j.c += bndi_stack_offset(stack, stack->c, which);
    j.a.at += bndi_stack_offset(stack, stack->a, which) * (ptrdiff_t)j.a.bytes;
    j.b.at += bndi_stack_offset(stack, stack->b, which) * (ptrdiff_t)j.b.bytes;
    j.sum.purpose += j.sum.accumulator.rule.rounding >= BND_DETERMINISTIC_MODES ? which : 0;
    j.bias = chains(&j) ? stack->bias : NULL;
    run(&j);
    if (stack->bias != NULL && j.bias == NULL) {
        add_bias(j.c, j.m, j.n, j.c_row, stack->bias);
    }
}

static void run_stack(job *j, const bndi_stack *stack, size_t count)
{
#if defined(_OPENMP)
    const double steps = (double)count * (double)j->m * (double)j->n * (double)j->k;
    const size_t threads = steps < worth_a_thread(&j->sum) ? 1 : smaller(j->threads, count);
    if (threads > 1) {
        j->threads = 1;
#pragma omp parallel for schedule(static) num_threads((int)threads)
        for (size_t i = 0; i < count; i++) {
            run_product(j, stack, i);
        }
        return;
    }
#endif
    for (size_t i = 0; i < count; i++) {
        run_product(j, stack, i);
    }
}

static bnd_status cblas_stack(float *c, size_t m, size_t n, const float *a, const float *b, size_t k,
                              const bnd_gemm *how, const bndi_stack *stack, size_t count, bnd_error *why)
{
    bnd_status status = BND_OK;
    for (size_t i = 0; status == BND_OK && i < count; i++) {
        float *to = c + bndi_stack_offset(stack, stack->c, i);
        status = bndi_cblas_gemm(to, m, n, a + bndi_stack_offset(stack, stack->a, i),
                                 b + bndi_stack_offset(stack, stack->b, i), k, how, why);
        if (status == BND_OK && stack->bias != NULL) {
            add_bias(to, m, n, how->c.row, stack->bias);
        }
    }
    return status;
}

bnd_status bndi_gemm_stack(float *c, size_t m, size_t n, const void *a, const bnd_format *a_format, const void *b,
                           const bnd_format *b_format, size_t k, const bnd_gemm *how, const bndi_stack *stack,
                           bnd_error *why)
{
    const bool codes = a_format != NULL;
    const size_t count = bndi_stack_count(stack);
    job j;
    if (!codes && how->accumulator.kind == BND_ACCUMULATE_CBLAS) {
        return cblas_stack(c, m, n, a, b, k, how, stack, count, why);
    }
    bnd_status status = codes ? check_both_codes(a_format, b_format, how, why) : BND_OK;
    if (status == BND_OK) {
        status = open_job(&j, c, m, n, a, a_format, b, b_format, codes, k, how, why);
    }
    if (status == BND_OK) {
        run_stack(&j, stack, count);
    }
    return status;
}

bnd_status bnd_dot_f32(float *out, const float *a, const float *b, size_t n, const bnd_gemm *how, bnd_error *why)
{
    bnd_gemm one = how != NULL ? *how : (bnd_gemm){.add = false};
    if (one.a.row == 0 && one.a.column == 0) {
        one.a.column = 1;
    }
    if (one.b.row == 0 && one.b.column == 0) {
        one.b.row = 1;
    }
    one.c = (bnd_strides){.row = 0, .column = 0};
    return bnd_gemm_f32(out, 1, 1, a, b, n, &one, why);
}
