/* Part of an array whose elements share scales, for callers that decode the elements themselves. */
#ifndef BINADE_SRC_BLOCK_PARTIAL_ARRAY_H
#define BINADE_SRC_BLOCK_PARTIAL_ARRAY_H

#include "bulk/bulk.h"
#include <binade/block.h>

/* y[i] = x[i] times the scale of element at + i of an array of this shape, rounded once. The block format, the shape
 * and the place must be valid; y and x must not overlap. */
void bnd_lab_scale_part(float *y, const float *x, size_t at, size_t n, bnd_shape shape, const bnd_block *block,
                        const void *scales, float tensor_scale, const bnd_context *context);

/* The largest magnitude, as the bits of a float: NaNs above infinity above numbers. */
uint32_t bnd_lab_part_amax(const float *x, size_t n, const bnd_context *context);

/* y[i] = x[i] * factor, in the current floating-point environment; y and x do not overlap. */
void bnd_lab_part_times(float *y, const float *x, size_t n, float factor, const bnd_context *context);

/* ---- whole arrays, on the context's threads ---- */

/* The same to nearest even; y may be x. */
void bnd_lab_times(float *y, const float *x, size_t n, float factor, const bnd_context *context);

/* Of each group, in the order of scales: the largest magnitude, as above. The shape must be valid. */
void bnd_lab_amax_of_groups(uint32_t *amax, const float *x, bnd_shape shape, const bnd_block *block,
                            const bnd_context *context);

/* Of each group the sums of x x and of x y, element by element. */
void bnd_lab_products_of_groups(double *xx, double *xy, const float *x, const float *y, bnd_shape shape,
                                const bnd_block *block, const bnd_context *context);

/* ---- statistics of numbers that are scaled, rounded and scaled back (block_statistics.c) ---- */

/* Squares of errors, of inputs, and of the errors of clamped elements; 0 where input or error is not finite. */
typedef struct bndi_value_squares {
    double *error, *input, *clamped;
} bndi_value_squares;

struct bndi_block_kernels;
typedef struct bndi_counted {
    bnd_stats *stats;
    bndi_kernels kernels;
    const struct bndi_block_kernels *scan;
    bndi_plan fp32, element;    /* of the inputs; of elements in units of their scales, with `by_plan` */
    bndi_known known;           /* that `element` points at: a copy would not */
    bool by_plan, together;     /* together: rounded and counted by one kernel */
    bndi_tally inputs, rounded; /* so far */
    bnd_stats flags;            /* of elements that were rounded otherwise */
    uint64_t same;              /* values that are their inputs */
    bnd_stats own;              /* of a thread's part: in place of the call's */
    bndi_value_squares kept;    /* of a part: not yet added; NULL: squares are added at once */
    size_t kept_count;
    bool kept_clamped;
} bndi_counted;

/* For all elements of a call, which `close` adds to the statistics. */
void bnd_lab_counted_open(bndi_counted *c, bnd_stats *stats, const bnd_format *element, bnd_rule rule,
                          const bnd_context *context);
void bnd_lab_counted_close(bndi_counted *c);

/* Rounds elements in place. False: not by a plan for fp32 numbers; the caller rounds them, counted in c->flags. */
bool bnd_lab_counted_round(bndi_counted *c, float *y, size_t n);

/* x became `elements` in units of their scales, and then y. Elements of at least `largest` that lost magnitude were
 * clamped by their scale. */
void bnd_lab_counted_values(bndi_counted *c, const float *x, const float *y, const float *elements, size_t n,
                            float largest);

/* Items 0 .. count - 1, of at most `most` elements each, counted by threads. What adds up in any order is joined at the
 * end; squares are added item after item, as with one thread, and until then a thread keeps 3 doubles per element. */
typedef void bndi_counted_work(void *of, size_t item, bndi_counted *counted);
void bnd_lab_counted_items(bndi_counted *whole, size_t count, size_t most, size_t threads, bndi_counted_work *work,
                           void *of);

/* The numbers of all 256 codes. */
void bnd_lab_dynamic_numbers(float *numbers, const bnd_dynamic *how);

/* bnd_dynamic_quantize_f32 and bnd_dynamic_dequantize_f32, by the context's back end. */
BND_CHECKED bnd_status bnd_lab_dynamic_quantize(unsigned char *codes, float *scales, const float *x, size_t n,
                                                const bnd_dynamic *how, const bnd_context *context, bnd_error *why);
BND_CHECKED bnd_status bnd_lab_dynamic_dequantize(float *y, const unsigned char *codes, const float *scales, size_t n,
                                                  const bnd_dynamic *how, const bnd_context *context, bnd_error *why);

/* bnd_hadamard_along_f32 of `size` elements, a power of two: the sign of element i is bit i mod 64 of bnd_random(seed,
 * size, i / 64), and the factor 1 / sqrt(size), rounded to fp32. On the context's threads. */
enum { BND_LAB_HADAMARD_MOST = 128 };
BND_CHECKED bnd_status bnd_lab_hadamard_along(float *y, const float *x, bnd_shape shape, size_t size, uint64_t seed,
                                              const bnd_context *context, bnd_error *why);

#endif
