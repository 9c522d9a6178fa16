/* Internal interface of block.
 *
 * All kinds of groups that share a scale have one description: rows and columns, in groups of `down` rows by `across`
 * columns. Blocks along the last axis, rows and tensors are one row of groups; only blocks along another axis and tiles
 * have more. Work is cut into chunks: some neighbouring groups of one band of rows, small enough for the L2 cache.
 *
 * An element is one rounding of the exact quotient of the number and the stored scale. elements.c shows where fp32 or
 * doubles are enough for that; the codec does all other elements. Loops over elements are compiled once for each back
 * end. AVX-512 handles blocks of 32 with power-of-two scales in one pass, and quotients to odd in fp32. partial_array.h
 * is what tensors use of these loops. */
#ifndef BINADE_SRC_BLOCK_H
#define BINADE_SRC_BLOCK_H

#include "base/verify.h"
#include "base/base.h"
#include "block/partial_array.h"
#include "bulk/bulk.h"
#include "bulk/environment.h"
#include <binade/block.h>

/* ---- block_layout.c ---- */

typedef struct bndi_layout_of_blocks {
    size_t count;                /* elements */
    size_t outer, rows, columns; /* the array */
    size_t down, across;         /* a group */
    size_t bands, groups;        /* groups along the rows, and along the columns */
} bndi_layout_of_blocks;

/* Is this block format supported, with or without codes? */
bnd_status bndi_check_block(const bnd_block *block, bnd_error *why);

/* Can the block format have its scale rule? */
bnd_status bndi_check_rule(const bnd_block *block, bnd_error *why);

/* Is every scale that its rule gives a power of two? */
static inline bool bndi_gives_powers(const bnd_block *block)
{
    const bool any_number =
        block->rule == BND_SCALE_NEAREST || block->rule == BND_SCALE_MSE || block->rule == BND_SCALE_FOUR_SIX;
    return block->scale.precision == 1 || !any_number;
}

/* Does its rule try several scales? */
static inline bool bndi_tries_scales(const bnd_block *block)
{
    return block->rule == BND_SCALE_MSE || block->rule == BND_SCALE_FOUR_SIX;
}

/* Does the element format have codes? */
bnd_status bndi_check_codes(const bnd_block *block, bnd_error *why);

/* Refuses shapes whose elements, or any array about them, could not fit into memory. */
bnd_status bndi_lay_out(bndi_layout_of_blocks *out, const bnd_block *block, bnd_shape shape, bnd_error *why);

/* The run from element `at` on: at most `most` neighbours of one row whose scales are neighbours, too. */
typedef struct bndi_stretch {
    size_t n, first; /* elements; the place of the first one in its group */
    size_t scale, groups;
} bndi_stretch;
bndi_stretch bndi_stretch_at(const bndi_layout_of_blocks *layout, size_t at, size_t most);

/* ---- block_kernels.c: the vectorised loops over elements ----
 *
 * n elements in groups of `across`; the first of them is the `first` of its group, and the last group may be shorter.
 * Outputs and inputs do not overlap. */

/* `emax`, at least 1, and `limit` as below in a job. */
typedef struct bndi_power_rule {
    int32_t emax, limit;
    bool clamps;
    float most;
} bndi_power_rule;

/* How elements of at most 8 bits are encoded within the loop: a plan of bulk/ without special cases at zero, the bits
 * of a code as stored; or integers, in units of 1.5 2^-23 integer_magic. */
typedef struct bndi_block_coding {
    const bndi_plan *plan;
    bndi_power_rule rule;
    float integer_magic;
    unsigned bits;
    bool integer, stream; /* stream: codes bypass the caches */
} bndi_block_coding;

/* The numbers of a format that has one of each sign, a zero and subnormal ones, for rounding to nearest even in
 * arithmetic: the largest, the power of two of the least normal one, and 1.5 times the power of two that a number of
 * the exponent 0 is added to and subtracted from, so that the result has as many bits as the format: 3 2^(23 - p) in
 * fp32, 3 2^(52 - p) in fp64. `sign`: the bit that a zero keeps. */
typedef struct bndi_grid {
    double most, bottom, magic;
    float magic_of_floats;
    uint32_t sign;
} bndi_grid;

/* The number of dynamic codes from zero up to a magnitude: the value of a straight line (one line per decade), or one
 * more. dynamic_codes.c shows why. Magnitudes below 2^-23 count as 2^-23. */
enum { BNDI_DYNAMIC_LEAST = 104 << 23 };
typedef struct bndi_dynamic_book {
    int32_t zero;               /* its code: 127 or 0 */
    int32_t decade[32];         /* by the lower five bits of the exponent: the decade in which a binade starts, */
    int32_t last[32];           /* and where the next one begins, as the bits of a float */
    float slope[16], shift[16]; /* by the decade */
    float most[256];            /* the largest magnitude with at most that many */
} bndi_dynamic_book;

enum { BNDI_SQUARED = 512 }; /* numbers whose squares are computed at once */
typedef struct bndi_value_counts {
    uint32_t compared, same, nans, clamped; /* finite errors, no error, outputs that are NaN, clamped elements */
} bndi_value_counts;

typedef struct bndi_block_kernels {
    /* amax[g]: the larger of what it is and the magnitudes of group g, as bits: NaNs above infinity. */
    void (*amax)(uint32_t *amax, const float *x, size_t n, size_t across);

    /* Whole blocks side by side: scales in e8m0 as codes, and y = x / scale, not beyond `most` where `clamps`. False if
     * a scale is NaN; y is then undefined. At most BNDI_GROUPS. */
    bool (*scale_by_powers)(unsigned char *codes, float *y, const float *x, size_t n, size_t across,
                            const bndi_power_rule *rule);

    /* NULL, or scales and codes of whole blocks of 32, of n elements side by side. Returns the number of elements done,
     * which may be less. `finite`: false if a scale is NaN; the output is then undefined. */
    size_t (*encode_blocks)(unsigned char *codes, unsigned char *scales, const float *x, size_t n,
                            const bndi_block_coding *how, bool *finite);

    void (*multiply)(float *y, const float *x, const float *factors, size_t n, size_t across, size_t first);

    /* y = x * up[g], down[g] being 1 / up[g]. False if a product is not exact. */
    bool (*multiply_exactly)(float *y, const float *x, const float *up, const float *down, size_t n, size_t across,
                             size_t first);

    /* Codes of sign and three bits, to nearest even: midpoints[k] is between the magnitudes with the codes k and k + 1,
     * an eighth one is ignored. Scales are positive numbers of at most 28 bits, midpoints of at most 3. */
    void (*encode_by_midpoints)(unsigned char *codes, const float *x, const double *scales, const double *midpoints,
                                size_t n, size_t across);

    /* Dynamic codes of x / scale, where scale is positive and at least every |x|; and the reverse, numbers times the
     * scale. */
    void (*encode_dynamic)(unsigned char *codes, const float *x, float scale, const bndi_dynamic_book *book, size_t n);
    void (*decode_dynamic)(float *y, const unsigned char *codes, float scale, const float *numbers, size_t n);

    /* Integers of a byte, in two's complement: x * units to nearest even, not beyond `most` in units of 1. */
    void (*encode_integers)(unsigned char *codes, const float *x, size_t n, float units, float most);

    /* NULL, or y = x / scale, to odd: scales are positive numbers of fp32. elements.c says of which x. fake_to_odd: x
     * quantized and dequantized by such quotients, on a grid for which fp32 is enough; as `fake` below. */
    void (*divide_to_odd)(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first);
    void (*fake_to_odd)(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first,
                        const bndi_grid *grid);

    /* NULL, or divide_to_odd of scales that are doubles of at most 28 bits, or infinite: of finite x. */
    void (*divide_wide_to_odd)(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first);

    /* y = x / scale, NaN where the scale is. */
    void (*divide)(double *y, const float *x, const double *scales, size_t n, size_t across, size_t first);

    /* The same to odd, of scales that are doubles of at most 28 bits, or infinite. */
    void (*divide_in_doubles_to_odd)(double *y, const float *x, const double *scales, size_t n, size_t across,
                                     size_t first);

    /* x quantized and dequantized: rounded to the nearest number of the grid in units of its group's scale, at most the
     * largest. Scales are numbers. fake_by_powers: up[g] and down[g] as above, and fp32 is enough for the grid. `fake`
     * first rounds quotients to doubles (elements.c shows why that is harmless). */
    void (*fake_by_powers)(float *y, const float *x, const float *up, const float *down, size_t n, size_t across,
                           size_t first, const bndi_grid *grid);
    void (*fake)(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first,
                 const bndi_grid *grid);

    /* The squares of y - x, added to errors[g]: in each group by 16 lanes, then the lanes in pairs. The first element
     * is the first of its group. */
    void (*add_errors)(double *errors, const float *y, const float *x, size_t n, size_t across);

    /* x x and x y, added to those of the group, one after the other. The first one is the first of its group. */
    void (*add_products)(double *xx, double *xy, const float *x, const float *y, size_t n, size_t across);

    /* At most BNDI_SQUARED numbers x that became y; elements of at least `largest` that lost magnitude are clamped. */
    bndi_value_counts (*square)(const bndi_value_squares *out, const float *x, const float *y, const float *elements,
                                size_t n, float largest);

    /* y = x * scale, rounded once. */
    void (*multiply_in_double)(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first);
} bndi_block_kernels;

extern const bndi_block_kernels bndi_block_kernels_portable;
extern const bndi_block_kernels bndi_block_kernels_avx2;
extern const bndi_block_kernels bndi_block_kernels_avx512;

/* powers_avx512.c: for scale_by_powers, 16 blocks at a time; encode_blocks; encode_by_midpoints. */
size_t bndi_scale_pairs(unsigned char *codes, float *y, const float *x, size_t n, const bndi_power_rule *rule,
                        bool *finite);
size_t bndi_encode_pairs(unsigned char *codes, unsigned char *scales, const float *x, size_t n,
                         const bndi_block_coding *how, bool *finite);
void bndi_encode_by_midpoints(unsigned char *codes, const float *x, const double *scales, const double *midpoints,
                              size_t n, size_t across);

/* quotients_avx512.c: for divide_to_odd, divide_wide_to_odd, fake_to_odd and encode_dynamic. */
void bndi_divide_to_odd(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first);
void bndi_divide_wide_to_odd(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first);
void bndi_fake_to_odd(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first,
                      const bndi_grid *grid);
void bndi_encode_dynamic(unsigned char *codes, const float *x, float scale, const bndi_dynamic_book *book, size_t n);

/* The loops of the context's back end. */
const bndi_block_kernels *bndi_block_kernels_of(const bnd_context *context);

/* ---- the description of a call ---- */

enum {
    BNDI_BLOCK_CHUNK = 8192, /* elements of a run, at most */
    BNDI_GROUPS = 512        /* scales of a run, at most */
};

typedef struct bndi_block_job {
    bnd_block block;
    bndi_layout_of_blocks layout;
    bnd_array how; /* for calls below: one thread, the rule with the block format's own overflow */
    bnd_context context;
    uint32_t threads;
    bndi_counted *counted; /* NULL: no statistics */
    const bnd_format *fp32;
    const bndi_block_kernels *scan;
    bndi_kernels kernels;
    bndi_plan plan, streaming; /* fp32 to elements; and the same plan with stores that bypass the caches */
    bndi_block_coding coding;
    double midpoints[8]; /* between the magnitudes of elements with seven nonzero ones */
    bool by_midpoints;   /* they are encoded by comparisons, for any scale */
    bool direct;         /* the fast path of quantize.c */
    bool in_one_pass;    /* the fastest: scales and codes without an array in between */
    bool has_plan;       /* quotients in fp32 are encoded by the plan */
    bool packed;         /* with a plan: codes share bytes */
    bool sums_integers;  /* integers are rounded by a sum */
    bnd_packing packing; /* of the codes, read or written */
    bndi_power_rule powers;
    bndi_grid grid;
    bool has_grid;          /* the element's format has one */
    bool on_grid;           /* elements are rounded by it if there are no statistics */
    bool on_grid_of_floats; /* in fp32, where scales are powers of two */
    bool by_number;         /* elements by the codec, one at a time: for elements that doubles would round twice */
    bool to_odd;            /* quotients in fp32 are rounded to odd, for scales from the next member on */
    bool wide_to_odd;       /* quotients in doubles are */
    bool doubles_to_odd;    /* quotients in double are rounded to odd, where rounding them to nearest would show */
    bool random_in_doubles; /* many random bits: rounding in double is faster than in fp32 */
    double least_to_odd;
    bool fake;
    bool given;              /* scales are read, not computed */
    double tensor;           /* the tensor's scale, 1 if there is none */
    float units;             /* integers: one over the element's least number */
    int32_t exponent;        /* emax of the element */
    uint32_t limit;          /* powers of two: one more if the 23 bits of amax's fraction reach this */
    int32_t lowest, highest; /* exponents of the powers of two that a scale can be */
    size_t chunk_groups, chunks_of_band;
    const float *x;
    float *y;
    void *codes;
    unsigned char *scales;
} bndi_block_job;

/* Fills in everything that does not depend on the array, for calls that write codes. `given`: scales are read.
 * Strides are refused. */
bnd_status bndi_open_block_job(bndi_block_job *job, bnd_shape shape, const bnd_block *block, bool given,
                               const bnd_array *how, bnd_error *why);

/* Runs the work for items 0 .. count - 1 on the job's threads, in the environment that block_kernels.c needs. Returns
 * the largest result. The work counts nothing. */
typedef uint32_t bndi_block_work(const bndi_block_job *job, size_t item, void *what);
uint32_t bndi_for_each(const bndi_block_job *job, size_t count, bndi_block_work *work, void *what);

/* After a part of the work: the stores that bypass the caches come before all later ones. */
void bndi_leave_job(const bndi_block_job *job, bndi_environment callers);

/* The same for work that counts, if there are statistics; an item has at most `most` elements. (block_statistics.c) */
void bndi_for_each_counted(const bndi_block_job *job, size_t count, size_t most, bndi_block_work *work, void *what);

/* For calls that cannot fail because their arguments were checked before. */
static inline void bndi_surely(bnd_status status)
{
    BNDI_VERIFY(status == BND_OK);
}

/* Is the largest magnitude of a group, as the bits of a float, a number? */
static inline bool bndi_is_finite(uint32_t amax)
{
    return amax < 0x7f800000;
}

/* ---- block_scale.c ---- */

void bndi_prepare_scales(bndi_block_job *job);
float bndi_largest_element(const bndi_block_job *job);

/* The tensor's scale from the largest magnitude (bits of a float) of its finite blocks. */
float bndi_tensor_scale(const bndi_block_job *job, uint32_t amax);

/* A float as a double, subnormal ones too, where the caller's environment takes these for zeros. */
double bndi_double_of(float x);

/* The scales of at most BNDI_GROUPS groups from their amax (bits of floats), the tensor's included. codes may be
 * NULL. */
void bndi_make_scales(const bndi_block_job *job, double *scales, unsigned char *codes, const uint32_t *amax,
                      size_t groups);

/* Rules that try several scales: how many, and those of one attempt. */
enum { BNDI_MOST_ATTEMPTS = 49 };
size_t bndi_attempts(const bndi_block_job *job);
void bndi_attempt_scales(const bndi_block_job *job, size_t attempt, double *scales, unsigned char *codes,
                         const uint32_t *amax, size_t groups);

/* The scales of these codes, the tensor's scale included. */
void bndi_read_scales(const bndi_block_job *job, double *scales, const unsigned char *codes, size_t groups);

/* ---- elements.c: a run of neighbours ---- */

/* n neighbours in the array from `at` on, the first of them the `first` of its group; the scales from that of its group
 * on; and, if they are powers of two within fp32, their reciprocals and themselves. */
typedef struct bndi_run {
    const float *x;
    size_t at, n, first;
    const double *scales, *divisors; /* the same, but for those that vanish */
    const float *up, *down;
    bool odd;     /* quotients can be rounded to odd */
    bool finite;  /* no scale is NaN; of given scales: nor is an element NaN or an infinity */
    bool unusual; /* a given scale is 0, negative or an infinity: elements are divided one by one */
    bool again;   /* statistics have these scales already */
} bndi_run;

/* The values of elements in units of their scales; counted if there are statistics. `y` receives what they are worth;
 * NULL: that is not wanted. It is not x. */
void bndi_round_run(const bndi_block_job *job, float *rounded, float *y, const bndi_run *run);

void *bndi_codes_at(const bndi_block_job *job, size_t at);

/* Stores codes in their place: `at` is a multiple of 8 if codes share bytes. */
void bndi_encode_run(const bndi_block_job *job, const bndi_run *run);
void bndi_encode_words(const bndi_block_job *job, size_t at, const float *x, size_t n);
void bndi_store_elements(const bndi_block_job *job, const float *rounded, size_t at, size_t n);
void bndi_load_elements(const bndi_block_job *job, float *rounded, size_t at, size_t n);

/* x quantized and dequantized. y may be x. */
void bndi_fake_run(const bndi_block_job *job, float *y, const bndi_run *run);

/* Adds the squared errors of a run to those of its groups: of rounding to nearest even with saturation. It begins with
 * a group. */
void bndi_add_errors(const bndi_block_job *job, double *errors, const bndi_run *run);

/* ---- run_scales.c ---- */

/* The scales of neighbouring groups, and what is known about them. `powers`: all are powers of two within fp32; then
 * there are their reciprocals, and themselves as floats. */
typedef struct bndi_scales {
    double values[BNDI_GROUPS], divisors[BNDI_GROUPS];
    float up[BNDI_GROUPS], down[BNDI_GROUPS];
    bool powers, finite, unusual, odd;
    bool vanish; /* some are 0, and none is unusual otherwise */
    bool apart;  /* divisors are set */
} bndi_scales;

/* Some neighbouring groups of one band of rows. */
typedef struct bndi_chunk {
    size_t at, scale;     /* the first element, the first scale */
    size_t height, width; /* rows, columns */
    size_t groups;
} bndi_chunk;

/* Fills in all but the values. */
void bndi_add_powers(const bndi_block_job *job, bndi_scales *s, size_t groups);

/* For finite elements: a given scale of 0 makes zeros with the signs of the elements, as an infinite divisor does. */
void bndi_let_vanish(const bndi_block_job *job, bndi_scales *s, size_t groups);

bndi_run bndi_run_of(const bndi_block_job *job, const bndi_scales *s, size_t at, size_t n, size_t first);

/* Of several scales those with the least error, group by group. codes may be NULL. */
void bndi_try_scales(const bndi_block_job *job, const bndi_chunk *c, double *values, unsigned char *codes,
                     const uint32_t *amax);

/* ---- quantize.c ---- */

/* Finds the scale of the tensor, or scales, or quantizes. Places and the array are set. */
void bndi_find_tensor_scale(bndi_block_job *job);
void bndi_find_scales(const bndi_block_job *job);
void bndi_quantize(const bndi_block_job *job);

/* ---- dequantize.c ---- */

/* y = elements times their scales, from the first of a stretch on, rounded once. in_double: the scales are not fp32
 * numbers. y and elements do not overlap. */
void bndi_times_scales(const bndi_block_kernels *scan, float *y, const float *elements, const double *values,
                       bool in_double, const bndi_layout_of_blocks *layout, const bndi_stretch *s);

/* ---- block_statistics.c ---- */

/* Counts a run for the statistics: the inputs, and the values y of the rounded elements. */
void bndi_count_run(const bndi_block_job *job, const bndi_run *run, const float *y, const float *rounded);

#endif
