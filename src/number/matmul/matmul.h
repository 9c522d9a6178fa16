/* Internal interface of matmul.
 *
 * A product is cut into blocks, a block into tiles: some rows by some columns of C, whose sums stay in registers while
 * k advances. A tile starts from the sums in C and stores its sums there, so the next block of k continues them
 * exactly. A kernel that rounds handles only ordinary numbers. If an overflow, an infinity or a NaN occurs, it returns
 * false and leaves C unchanged; strips, which handle every case, then compute the tile again.
 *
 * An accumulator is a value: a kind (FUSED, EACH, ALIGNED, TENSOR, CBLAS), a format, a rule, a group and a promotion.
 * Every element of C is one sum over k in order, from +0 or from C. So blocks, threads and back ends cannot change the
 * result. gemm_plan.c chooses the kernel, gemm_job.c prepares a product and deals its parts out to threads. A part is
 * computed by tiles, by chains (fp32 operands read in place), by sums (tiles in any rounding mode, whose sums wait in
 * fp32 or fp64) or by strips, from packed operands.
 * tile_rounded_template.h derives why rounding twice is correct in a tile. OpenBLAS is loaded only for `cblas`; nothing
 * links with it. */
#ifndef BINADE_SRC_MATMUL_H
#define BINADE_SRC_MATMUL_H

#include "base/base.h"
#include "bulk/bulk.h"
#include <binade/arith.h>
#include <binade/matmul.h>

enum {
    BNDI_TILE_DEPTH = 256,             /* steps over k of a block */
    BNDI_CHAIN_DEPTH = 1024,           /* the same of chains whose operands need no preparation */
    BNDI_PITCH = BNDI_TILE_DEPTH + 16, /* from one row of a packed tile of A to the next: not a multiple of a page's */
    BNDI_TILE_ROWS_MAX = 14,
    BNDI_TILE_COLUMNS_MAX = 32,
    BNDI_STRIP = BNDI_TILE_COLUMNS_MAX /* the most columns of a strip */
};

typedef struct bndi_sum bndi_sum;

/* k steps of a tile. `c`: its sums, rows `pitch` apart; `a`: rows BNDI_PITCH apart; `b`: the columns of a tile side by
 * side for each k. False if anything but ordinary numbers occurred: c is then unchanged. */
typedef bool bndi_tile(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k);

/* A tile of fused multiply-adds in fp32, on operands in place: the distances of rows and columns of A, one of the two
 * distances being 1; rows of B. `fresh`: from sums of +0; C is not read. `promotes`: sums start at +0 and are added to
 * C, or to +0 if it is fresh. `bias`: added at the end, one number per column; or NULL. */
typedef struct bndi_chain {
    float *c;
    ptrdiff_t c_row;
    const float *a;
    ptrdiff_t a_row, a_column;
    const float *b;
    ptrdiff_t b_row;
    size_t k;
    const float *bias;
    bool fresh, promotes;
} bndi_chain;

/* A way to do tiles. */
typedef struct bndi_way {
    bndi_tile *tile;    /* NULL where there is a chain and no need for it */
    bndi_tile *checked; /* where a number can be beyond the format's largest, or `tile` has failed; or NULL */
    void (*chain[2])(const bndi_chain *p); /* [1]: columns of A are rows in memory; or NULL */
    const struct bndi_way *fewer;          /* rows, of a chain */
    uint8_t rows, columns;
    uint8_t mode; /* the processor's, in which `tile` runs */
} bndi_way;

/* ---- sums in any rounding mode, which by_sums.c keeps in the lanes of the tiles ---- */

/* How the last place that is kept is rounded, before anything is added to it; tile_kept_template.h has the table. */
typedef enum bndi_toward { BNDI_NEAREST, BNDI_ZERO, BNDI_UP, BNDI_DOWN, BNDI_ODD_ONE, BNDI_TOWARD_COUNT } bndi_toward;

/* Random entries for the steps of a tile: `bytes` (2, 4 or 8) each. Those of row i in step k are `at[k * rows + i]`
 * bytes from the first: at[0] of products of EACH, at[1] of sums. */
typedef struct bndi_draws {
    const char *entries;
    const uint32_t *at[2];
    unsigned bytes;
} bndi_draws;

/* k steps of a tile. `state`: its sums, fp32 or fp64, rows of BNDI_STRIP. False if anything but ordinary numbers
 * occurred: the state is then unchanged. `draws`: NULL where nothing is random. */
typedef bool bndi_kept_tile(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,
                            const bndi_draws *draws);

/* By lanes (0: fp32, 1: fp64), kind (FUSED, EACH), whether something is added, and direction; `mended`: the same, which
 * refuse nothing; `native` for fp32's and fp64's own sums. `wide`, by kind, and `wide_native`: in fp64 lanes where a
 * mode looks at more bits than they have; both refuse nothing. `away`: EACH fp32 and fp64, to nearest away. NULL where
 * there is none. `mode`, by direction: the processor's, in which tiles run that are not `native` to nearest;
 * `wide_mode`: that of wide ones. Where an instruction carries its own it is to nearest even, as it is for `away`. */
typedef struct bndi_kept_tiles {
    bndi_kept_tile *tile[2][2][2][BNDI_TOWARD_COUNT], *mended[2][2][2][BNDI_TOWARD_COUNT];
    bndi_kept_tile *native[2][2][BNDI_TOWARD_COUNT], *wide[2][BNDI_TOWARD_COUNT], *wide_native[BNDI_TOWARD_COUNT];
    bndi_kept_tile *away[2];
    uint8_t rows[2], native_rows[2], mode[BNDI_TOWARD_COUNT], wide_mode[BNDI_TOWARD_COUNT];
} bndi_kept_tiles;

/* The choice for an accumulator, and what the tile needs. */
typedef struct bndi_kept {
    bndi_kept_tile *tile;   /* NULL: none */
    bndi_kept_tile *mended; /* for what `tile`, or a way's, has refused; or NULL */
    uint8_t rows, extra, random_bits, mode;
    bool doubles, doubled; /* doubled: 2 R + 1 is added for R */
    bool has_negative_zero;
    bool exact_products; /* of EACH: only sums are random */
    double up, lowest, largest;
    double below; /* of wide tiles: from the power of two or L to M */
    uint64_t constant;
    uint32_t special; /* tokens: what numbers beyond the largest, infinities and NaNs become */
} bndi_kept;

/* The ways of a back end. */
typedef struct bndi_ways {
    const bndi_kept_tiles *kept; /* or NULL */
    bndi_way chain;              /* FUSED fp32 */
    bndi_way plain;              /* EACH fp32 */
    bndi_way each, fused, aligned;
    bndi_way tensor;      /* where products and sums are exact in words */
    bndi_way tensor_wide; /* elsewhere */
    bndi_way fused_short; /* FUSED where sums of zero are frequent */
    /* to[j][i] = from[i][j] for all i < rows and j < columns. */
    void (*transpose)(float *to, size_t to_pitch, const float *from, size_t from_pitch, size_t rows, size_t columns);
    /* Tiles of a chain, one after the other: `rows` neighbours of each step, whose steps lie `pitch` apart. */
    void (*gather_tiles)(float *to, const float *from, ptrdiff_t pitch, size_t rows, size_t steps);
    uint32_t (*largest_magnitude)(const float *x, size_t n); /* as bits */
    /* How many numbers of `rows` vectors, `pitch` apart, have the bits `like` where `looked_at` has ones? A vector is
     * half as wide as a chain's tile. */
    size_t (*count_of_bits)(const float *x, ptrdiff_t pitch, size_t rows, uint32_t looked_at, uint32_t like);
} bndi_ways;

extern const bndi_ways bndi_ways_portable;
extern const bndi_ways bndi_ways_avx2;
extern const bndi_ways bndi_ways_avx512;

/* Of BND_ACCUMULATE_TENSOR. `least_a`, `least_b` and `least`: the least normal number of A's format, B's and the
 * accumulator's; `lowest`: the least power of two that terms are aligned to; `beyond`: the power above the largest
 * number. */
typedef struct bndi_tensor_sum {
    double least_a, least_b, least, lowest, beyond;
    int32_t fraction;
    bool toward_zero;
    bool wide; /* tile_tensor_words.h: group and sum need more than fp32's 24 bits */
} bndi_tensor_sum;

/* How to add up: an accumulator, made ready. */
struct bndi_sum {
    bnd_accumulator accumulator; /* with nothing left to default */
    const bnd_format *fp32;
    bnd_format a_format, b_format; /* of the operands, as bnd_operate sees them */
    int32_t emin_a, emin_b;        /* of the operands, value sets too */
    const bndi_ways *ways;
    const bndi_way *way;    /* NULL: strips only */
    bool narrow;            /* fp32 holds the values of the format: C can hold a sum in the middle of k */
    bool in_double, native; /* strips: by doubles; without any rounding of theirs */
    /* For the tiles; see tile_rounded_template.h. */
    float up, lowest, largest;
    uint32_t sign; /* 80000000 where the format has a negative zero */
    int32_t bits, group;
    bndi_tensor_sum tensor;
    bndi_plan plan;  /* strips: double to the format */
    bndi_plan start; /* the same, to nearest even: how C comes into it */
    bndi_round_kernel *round;
    bndi_random_kernel *random;
    bndi_random_blocks_kernel *random_blocks;
    bndi_random_runs_kernel *random_runs; /* or NULL */
    bndi_kept kept;
    size_t rows, columns, depth; /* of the whole product, for the random bits */
    uint64_t seed, purpose;
};

/* ---- strip_sums.c: neighbours in one row of C, at most BNDI_STRIP, in every way but ALIGNED and TENSOR ---- */

/* A sum in the form that bnd_operate needs: a code, or an exact number if the format has no codes. */
typedef struct bndi_element {
    uint64_t code;
    bnd_exact value;
} bndi_element;

typedef struct bndi_state {
    double s[BNDI_STRIP];
    bndi_element one[BNDI_STRIP];
} bndi_state;

/* The operands of a strip, and its place in the product. */
typedef struct bndi_strip {
    const float *a, *b;
    ptrdiff_t b_step;          /* from one k to the next; a's are neighbours */
    size_t row, column, first; /* of the product; the first step over k */
    size_t n, k;
} bndi_strip;

/* The element number of step k at a row and column for random bits: they are counted over rows, then steps, then
 * columns, so that neither tiles nor threads have an influence. Depth 3 and 4 columns: row 1, step 2, column 0 is
 * (1 * 3 + 2) * 4 = 20. EACH draws twice per step: numbers of sums follow those of all products. */
static inline uint64_t bndi_random_place(const bndi_sum *sum, uint64_t row, uint64_t k, uint64_t column)
{
    return (row * sum->depth + k) * sum->columns + column;
}

static inline uint64_t bndi_after_products(const bndi_sum *sum)
{
    return sum->accumulator.kind == BND_ACCUMULATE_EACH ? (uint64_t)sum->rows * sum->columns * sum->depth : 0;
}

void bndi_strip_open(const bndi_sum *sum, bndi_state *state, const float *c, size_t n); /* c into the format */
void bndi_strip_steps(const bndi_sum *sum, bndi_state *state, const bndi_strip *strip);
void bndi_strip_promote(const bndi_sum *sum, float *c, const bndi_state *state, size_t n); /* added to c, in fp32 */
void bndi_strip_close(const bndi_sum *sum, float *c, const bndi_state *state, size_t n);   /* and into fp32 */

/* Are products added in groups? */
static inline bool bndi_in_groups(const bnd_accumulator *accumulator)
{
    return accumulator->kind == BND_ACCUMULATE_ALIGNED || accumulator->kind == BND_ACCUMULATE_TENSOR;
}

/* Is C rounded toward zero when it becomes the first sum? */
static inline bool bndi_cuts_off(const bnd_accumulator *accumulator)
{
    return bndi_in_groups(accumulator) && accumulator->format.emin == -126;
}

/* ---- accumulator_names.c ---- */

/* Has a format the numbers of e8mF, with F from 1 to 23? */
bool bndi_has_exponents_of_fp32(const bnd_format *f);
/* May tensor cores add up in it? */
bnd_status bndi_check_tensor_format(const bnd_format *f, bnd_error *why);

/* ---- gemm_plan.c ---- */

bnd_status bndi_sum_make(bndi_sum *sum, const bnd_gemm *how, const bnd_format *a_format, const bnd_format *b_format,
                         bnd_error *why);

/* ---- gemm.c ---- */

/* Products of the same kind: one at each index of `extent`, with the distances of its matrices (in elements) per axis;
 * and a bias that is added to every row of every product at the end, one fp32 number per column, or NULL. */
enum { BNDI_STACK_RANK = 8 };
typedef struct bndi_stack {
    size_t rank, extent[BNDI_STACK_RANK];
    ptrdiff_t a[BNDI_STACK_RANK], b[BNDI_STACK_RANK], c[BNDI_STACK_RANK];
    const float *bias;
} bndi_stack;

size_t bnd_lab_stack_count(const bndi_stack *stack);

/* Elements from the first product's matrix to that of number `which`; `steps`: a, b or c. */
ptrdiff_t bnd_lab_stack_offset(const bndi_stack *stack, const ptrdiff_t *steps, size_t which);

/* bnd_gemm_f32 (bnd_gemm_codes where formats are given) of all of them; the random bits of stochastic modes: as many
 * purposes, one after another. */
BND_CHECKED bnd_status bnd_lab_gemm_stack(float *c, size_t m, size_t n, const void *a, const bnd_format *a_format,
                                          const void *b, const bnd_format *b_format, size_t k, const bnd_gemm *how,
                                          const bndi_stack *stack, bnd_error *why);

/* Strides of zero mean contiguous rows. */
static inline bnd_strides bndi_strides_or(bnd_strides strides, size_t columns)
{
    return strides.row == 0 && strides.column == 0 ? (bnd_strides){.row = (ptrdiff_t)columns, .column = 1} : strides;
}

/* ---- cblas.c ---- */

/* reserved, and the context. */
bnd_status bndi_check_gemm(const bnd_gemm *how, bnd_error *why);
bnd_status bndi_cblas_gemm(float *c, size_t m, size_t n, const float *a, const float *b, size_t k, const bnd_gemm *how,
                           bnd_error *why);

#endif
