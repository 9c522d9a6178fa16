/* Tiles of sums in fp32 which nothing needs to round further: a fused multiply-add per step (chain), or a product and a
 * sum (plain). A part of tile_kernels.c, whose head has the picture of a tile.
 *
 * A chain of one element, fused, shows what the order of operations fixes: each step is one rounding of the exact a b +
 * s.
 *
 *   s = 0;  1 * 1              s = 3f800000          1
 *   4097 * 2^-12 (exact)       s = 40000400          2.000244140625 = 2 + 2^-12
 *   2^-13 * 2^-12              s = 40000400          2^-25 is below half of the last place, 2^-23
 *
 * Register use on AVX-512: 14 rows x 2 vectors are 28 sums, two vectors of B and a broadcast number of A make 31 of 32
 * registers. On AVX2 6 x 2 + 3 = 15 of 16. A row costs two fused operations and one broadcast load per step, so more
 * rows mean fewer loads of B per operation. */
#ifndef BINADE_SRC_MATMUL_TILE_CHAIN_TEMPLATE_H
#define BINADE_SRC_MATMUL_TILE_CHAIN_TEMPLATE_H

#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

/* Where the next step's numbers are. Of A's rows every third one: the next two are one and two distances on, which an
 * address can say. A distance for each row would be more than the registers hold: of 14, one came from a vector
 * register in each step, 3 % of the time. */
typedef struct chain_place {
    const float *row[(CHAIN_ROWS + 2) / 3]; /* turned = false */
    const float *a;                         /* turned = true */
    const float *b;
} chain_place;

/* `steps` steps. All arguments but `p` are constants to the compiler, and sums and places stay in registers. Each asm
 * keeps a place in a register of its own: the compiler makes all rows one pointer and 13 distances otherwise, and the
 * rows of B one pointer and distances that it keeps in memory. */
static ALWAYS_INLINE void chain_steps(bool turned, size_t rows, size_t steps, const bndi_chain *p, V (*s)[2],
                                      chain_place *at)
{
    ALL_ROWS
    for (size_t step = 0; step < steps; step++) {
        /* Two vectors of B serve all rows of this step. */
        V b0 = load(at->b), b1 = load(at->b + LANES);
        ALL_ROWS
        for (size_t i = 0; i < rows; i++) {
            V x = all(turned ? at->a[i] : at->row[i / 3][(ptrdiff_t)(i % 3) * p->a_row + (ptrdiff_t)step]);
            s[i][0] = fma_lanes(x, b0, s[i][0]);
            s[i][1] = fma_lanes(x, b1, s[i][1]);
        }
        at->b += p->b_row;
        __asm__("" : "+r"(at->b));
        if (turned) {
            at->a += p->a_column;
            __asm__("" : "+r"(at->a));
        }
    }
    ALL_ROWS
    for (size_t i = 0; i < rows && !turned; i += 3) {
        at->row[i / 3] += steps;
        __asm__("" : "+r"(at->row[i / 3]));
    }
}

/* The tile for `rows` rows, a constant. Rows of A lie `a_row` apart and its columns `a_column`; one of the two is 1,
 * which `turned` says, so that the compiler knows it. promotes: the sums begin at zero and are added to C at the end,
 * in fp32. NaNs become one NaN, so that all back ends give the same bits. a of row i, step k, is at
 *
 *   turned = false    a[i * a_row + k]        rows of A contiguous
 *   turned = true     a[i + k * a_column]     columns of A contiguous
 *
 * CHAIN_STEPS steps per turn of the loop: counting and moving on share the ports of the sums. One step per turn is 5 to
 * 10 % slower on an Intel processor. */
static ALWAYS_INLINE void chain_by(bool turned, size_t rows, const bndi_chain *p)
{
    V s[CHAIN_ROWS][2];
    const bool from_zero = p->fresh || p->promotes;
    chain_place at = {.a = p->a, .b = p->b};
    ALL_ROWS
    for (size_t i = 0; i < rows; i += 3) {
        at.row[i / 3] = p->k > 0 ? p->a + (ptrdiff_t)i * p->a_row : p->a; /* without steps there may be no A */
    }
    ALL_ROWS
    for (size_t i = 0; i < rows; i++) {
        s[i][0] = from_zero ? all(0) : load(p->c + (ptrdiff_t)i * p->c_row);
        s[i][1] = from_zero ? all(0) : load(p->c + (ptrdiff_t)i * p->c_row + LANES);
    }
    size_t left = p->k;
    for (; left >= CHAIN_STEPS; left -= CHAIN_STEPS) {
        chain_steps(turned, rows, CHAIN_STEPS, p, s, &at);
    }
    for (; left > 0; left--) {
        chain_steps(turned, rows, 1, p, s, &at);
    }
    ALL_ROWS
    for (size_t i = 0; i < rows; i++) {
        V low = s[i][0], high = s[i][1];
        /* The chain's own sum is added to C, in fp32; a fresh C counts as zero. */
        if (p->promotes) {
            low = low + (p->fresh ? all(0) : load(p->c + (ptrdiff_t)i * p->c_row));
            high = high + (p->fresh ? all(0) : load(p->c + (ptrdiff_t)i * p->c_row + LANES));
        }
        /* NaNs first, then the bias, whose NaNs are the caller's. */
        low = one_nan(low);
        high = one_nan(high);
        if (p->bias != NULL) {
            low = low + load(p->bias);
            high = high + load(p->bias + LANES);
        }
        store(p->c + (ptrdiff_t)i * p->c_row, low);
        store(p->c + (ptrdiff_t)i * p->c_row + LANES, high);
    }
}

/* A function per number of rows, for A as it lies and transposed. CHAIN_WAY links each to the next smaller one, by
 * which the last rows of C are done: by_chains.c walks down this list. `name` is the number in words, `n` the number,
 * `next` the way with fewer rows. For the portable tile: most (4 rows), two, one. */
#define CHAIN(name, n)                                                                                                 \
    static void chain_##name(const bndi_chain *p)                                                                      \
    {                                                                                                                  \
        chain_by(false, n, p);                                                                                         \
    }                                                                                                                  \
    static void turned_chain_##name(const bndi_chain *p)                                                               \
    {                                                                                                                  \
        chain_by(true, n, p);                                                                                          \
    }
#define CHAIN_WAY(name, n, next)                                                                                       \
    static const bndi_way way_of_##name = {                                                                            \
        .chain = {chain_##name, turned_chain_##name}, .fewer = next, .rows = n, .columns = COLUMNS}
CHAIN(one, 1)
CHAIN(two, 2)
CHAIN_WAY(one, 1, NULL);
CHAIN_WAY(two, 2, &way_of_one);
#if defined(BNDI_FOR_AVX2) || defined(BNDI_FOR_AVX512)
CHAIN(four, 4)
CHAIN_WAY(four, 4, &way_of_two);
#define FEWER way_of_four
#else
#define FEWER way_of_two
#endif
#if defined(BNDI_FOR_AVX512)
CHAIN(eight, 8)
CHAIN_WAY(eight, 8, &way_of_four);
#undef FEWER
#define FEWER way_of_eight
#endif
CHAIN(most, CHAIN_ROWS)

/* The same on packed operands, for products that have been packed anyway. */
static bool chain(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    (void)sum;
    const bndi_chain p = {
        .c = c, .c_row = (ptrdiff_t)pitch, .a = a, .a_row = BNDI_PITCH, .b = b, .b_row = COLUMNS, .k = k};
    chain_by(false, CHAIN_ROWS, &p);
    return true;
}

/* A product and a sum, each rounded by fp32: the `CBLAS`-like accumulators without fusing. s = -1, a = b = 1 + 2^-12
 * (3f800800):
 *
 *   product           1 + 2^-11 + 2^-24, a tie, to even: 1 + 2^-11 (3f801000)
 *   s + product       2^-11 (3a000000)
 *   fused instead     2^-11 + 2^-24 (3a000400) */
static bool plain(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    V s[EACH_ROWS][2];
    (void)sum;
    ALL_ROWS
    for (size_t i = 0; i < EACH_ROWS; i++) {
        s[i][0] = load(c + i * pitch);
        s[i][1] = load(c + i * pitch + LANES);
    }
    for (size_t at = 0; at < k; at++) {
        V b0 = load(b + at * COLUMNS), b1 = load(b + at * COLUMNS + LANES);
        ALL_ROWS
        for (size_t i = 0; i < EACH_ROWS; i++) {
            V x = all(a[i * BNDI_PITCH + at]);
            s[i][0] = s[i][0] + x * b0;
            s[i][1] = s[i][1] + x * b1;
        }
    }
    ALL_ROWS
    for (size_t i = 0; i < EACH_ROWS; i++) {
        store(c + i * pitch, one_nan(s[i][0]));
        store(c + i * pitch + LANES, one_nan(s[i][1]));
    }
    return true;
}

#endif
