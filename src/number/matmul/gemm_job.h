/* A prepared product, and the buffers for its parts. A block of A and a panel of B are on the stack of the thread that
 * works on them: 360 KiB. binade/matmul.h says how much stack a call needs. */
#ifndef BINADE_SRC_MATMUL_GEMM_JOB_H
#define BINADE_SRC_MATMUL_GEMM_JOB_H

#include "base/bits.h"
#include "bulk/environment.h"
#include "matmul/matmul.h"

enum {
    BLOCK_ROWS = 256,
    BLOCK_FLOATS = BLOCK_ROWS * BNDI_PITCH,
    PANEL_FLOATS = 2 * BNDI_TILE_DEPTH * BNDI_TILE_COLUMNS_MAX,
    TILES_MAX = BLOCK_ROWS / 2,
    STEPS_MAX = 512, /* tiles of a block of rows in place, of which zeros are left out */
    PACKED_AT_ONCE = 16
};

/* A matrix that is read: fp32 numbers or codes, rounded first or not. */
typedef struct bndi_factor {
    const char *at;
    ptrdiff_t row, column;
    unsigned bytes;
    bool codes, rounds;
    bndi_plan plan;
} bndi_factor;

/* A product, made ready. */
typedef struct bndi_job {
    bndi_sum sum;
    bndi_kernels kernels;
    bndi_factor a, b;
    float *c;
    ptrdiff_t c_row, c_column;
    size_t m, n, k, depth; /* depth: steps over k of a block */
    uint32_t threads;
    bool add;
    const float *bias; /* one number per column; or NULL. Chains only */
    bool rounds_c;
    bndi_plan c_plan;
} bndi_job;

/* A part of the product, done by one thread. `lower`: of a symmetric one, without tiles above the diagonal. */
typedef struct bndi_region {
    size_t top, bottom, left, right;
    bool lower;
} bndi_region;

/* The end of the columns of rows that end before `bottom`. */
static inline size_t right_of(bndi_region p, size_t bottom)
{
    return p.lower ? bndi_smaller(p.right, bottom) : p.right;
}

/* The first row, counted from `row`, of tiles of `unit` rows that are done for columns from `column` on. */
static inline size_t first_tile(bndi_region p, size_t row, size_t column, size_t unit)
{
    return p.lower && column > row ? (column - row) / unit * unit : 0;
}

/* Steps of a block of k, from the first up to the end. */
typedef struct bndi_steps {
    uint16_t first, end;
} bndi_steps;

/* What a thread works in. */
typedef struct bndi_buffers {
    _Alignas(64) float numbers[PANEL_FLOATS + BLOCK_FLOATS]; /* for both of the following; bndi_divide */
    float *panels, *block;                                   /* of B and of A */
    size_t panel_floats, block_floats;
    float runs[PACKED_AT_ONCE][BNDI_TILE_DEPTH]; /* on their way to where they are transposed */
    uint32_t largest[TILES_MAX];                 /* magnitudes as bits, of each tile's rows of A */
    uint32_t largest_b;
    bndi_steps steps[STEPS_MAX]; /* of each tile, outside of which its numbers of A are zeros */
    float bias[BNDI_TILE_COLUMNS_MAX];
} bndi_buffers;
_Static_assert((int)BNDI_CHAIN_DEPTH *(int)BNDI_TILE_COLUMNS_MAX <= (int)PANEL_FLOATS + (int)BLOCK_FLOATS,
               "a deep panel must fit into the buffer");
_Static_assert(sizeof(bndi_buffers) <= 360 << 10, "larger buffers than the stack of which binade/matmul.h speaks");

/* Results are numbers or one canonical NaN. */
static inline float one_nan(float x)
{
    return x != x ? bndi_float_of_bits(0x7fc00000) : x;
}

/* Around a tile that rounds as the processor's mode says. gemm_job.c has set the mode to nearest even for the rest. */
static inline void bndi_enter_mode(unsigned mode)
{
    if (mode != BND_ROUND_RNE) {
        bndi_set_rounding(mode);
    }
}

static inline void bndi_leave_mode(unsigned mode)
{
    if (mode != BND_ROUND_RNE) {
        bndi_set_rounding(BND_ROUND_RNE);
    }
}

/* ---- operands ---- */

/* fp32 numbers that need no decoding or rounding. */
static inline bool lies_ready(const bndi_factor *x)
{
    return !x->codes && !x->rounds;
}

static inline const float *factor_at(const bndi_factor *x, size_t row, size_t column)
{
    return (const float *)(const void *)x->at + ((ptrdiff_t)row * x->row + (ptrdiff_t)column * x->column);
}

/* ... side by side along a row or down a column: a chain reads them in place. */
static inline bool lies_in_rows(const bndi_factor *x)
{
    return lies_ready(x) && (x->column == 1 || x->row == 1);
}

/* The first floats of a room for panels of B, the others for a block of A. */
static inline void bndi_divide(bndi_buffers *w, float *room, size_t panel_floats, size_t block_floats)
{
    w->panels = room;
    w->panel_floats = panel_floats;
    w->block = room + panel_floats;
    w->block_floats = block_floats;
}

/* The place of row i in the block of A. */
static inline float *row_of_block(bndi_buffers *w, size_t i)
{
    return w->block + i * BNDI_PITCH;
}

/* ---- elements of C ---- */

static inline float *c_at(const bndi_job *j, size_t row, size_t column)
{
    return j->c + (ptrdiff_t)row * j->c_row + (ptrdiff_t)column * j->c_column;
}

static inline void load_c(const bndi_job *j, float *out, size_t row, size_t column, size_t n)
{
    if (j->c_column == 1) {
        __builtin_memcpy(out, c_at(j, row, column), n * sizeof *out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = *c_at(j, row, column + i);
    }
}

static inline void store_c(const bndi_job *j, const float *in, size_t row, size_t column, size_t n)
{
    if (j->c_column == 1) {
        __builtin_memcpy(c_at(j, row, column), in, n * sizeof *in);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        *c_at(j, row, column + i) = in[i];
    }
}

/* Sums so far, promoted to fp32. */
static inline void promote(float *c, const float *sums, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        c[i] = one_nan(c[i] + sums[i]);
    }
}

/* ---- symmetric.c ---- */

/* Is C its own transpose, whatever the numbers are? */
bool bndi_is_symmetric(const bndi_job *j);

/* Part i of such a product, and what is copied from it to above the diagonal. */
bndi_region bndi_lower_part(const bndi_job *j, size_t i, size_t parts);
void bndi_mirror(const bndi_job *j, bndi_region p);

/* ---- gemm_job.c ---- */

/* Everything but C's contents is looked at here: what opens can be run. */
BND_CHECKED bnd_status bndi_open_gemm_job(bndi_job *j, float *c, size_t m, size_t n, const void *a,
                                          const bnd_format *a_format, const void *b, const bnd_format *b_format,
                                          bool codes, size_t k, const bnd_gemm *how, bnd_error *why);
void bndi_job_run(const bndi_job *j);

/* In fused multiply-adds of fp32, promoted within a block if at all? */
bool bndi_job_chains(const bndi_job *j);

/* The number of steps below which a second thread costs more than it saves. */
double bndi_job_worth_a_thread(const bndi_sum *sum);

/* ---- pack_operands.c ---- */

/* n numbers from (row, column) on, along the row or down the column; n is at most BNDI_TILE_DEPTH. */
void bndi_load_run(const bndi_job *j, const bndi_factor *x, float *out, size_t row, size_t column, bool along,
                   size_t n);

/* The panel of B: `columns` columns side by side for each k, the last one again where B has no more than n: a tile of
 * ordinary numbers stays one. */
void bndi_pack_panel(const bndi_job *j, bndi_buffers *w, size_t k, size_t depth, size_t column, size_t n,
                     size_t columns);

/* Packs one panel, or as many whole panels as there is room for, one after the other. Returns their number. */
size_t bndi_pack_panels(const bndi_job *j, bndi_buffers *w, size_t k, size_t depth, size_t column, size_t left,
                        size_t columns);

/* The block of A: rows BNDI_PITCH apart, the last one again until a tile is full. */
void bndi_pack_block(const bndi_job *j, bndi_buffers *w, const bndi_way *way, size_t row, size_t rows, size_t k,
                     size_t depth);

/* ---- a part of the product, in each of the ways ---- */

void bndi_by_strips(const bndi_job *j, bndi_buffers *w, bndi_region p);
void bndi_by_chains(const bndi_job *j, bndi_buffers *w, bndi_region p);
void bndi_by_sums(const bndi_job *j, bndi_buffers *w, bndi_region p);
void bndi_by_tiles(const bndi_job *j, bndi_buffers *w, bndi_region p);

#endif
