/* Layer 5: arrays. The same bits as the codec gives one number at a time, at the speed of memory where a kernel reaches
 * it. No call allocates. */
#ifndef BINADE_BULK_H
#define BINADE_BULK_H

#include <binade/arith.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the context: which kernels work, and on how many cores ---- */

/* A plain value; all zero is the best back end of this machine, and one thread. Every back end gives the same bits, and
 * so does every number of threads. */
typedef enum bnd_backend {
    BND_BACKEND_BEST,
    BND_BACKEND_PORTABLE,
    BND_BACKEND_AVX2,
    BND_BACKEND_AVX512,
    BND_BACKEND_NEON,
    BND_BACKEND_WASM128,
    BND_BACKEND_COUNT
} bnd_backend;

typedef struct bnd_context {
    uint8_t backend;  /* bnd_backend; one that is not here works as the best, a number that names none is refused */
    uint32_t threads; /* 0 means 1 */
} bnd_context;

/* The back end by name; NULL is what the environment variable BINADE_BACKEND names, or the best. `threads` 0 is what
 * BINADE_THREADS says, or every core. Refused where this build or this machine does not have the back end. */
BND_CHECKED bnd_status bnd_context_open(bnd_context *out, const char *backend, unsigned threads, bnd_error *why);

const char *bnd_backend_name(bnd_backend backend); /* "portable", "avx512", ...; "best" */
bool bnd_backend_here(bnd_backend backend);        /* compiled in, and this machine can run it */
bnd_backend bnd_backend_best(void);
bool bnd_has_threads(void); /* compiled with OpenMP; without it every call uses one thread */

/* ---- arrays ---- */

/* How codes lie in memory. Bits that a code has no use for (above its width in a word, below tf32's, behind the last
 * one of packed codes) are written as zeros; what stands there is not looked at when codes are read, but by
 * bnd_codes_check.
 *
 * Packed: a code of 8, 16, 32 or 64 bits is a little-endian word; every other width is written back to back, lowest
 * bits first, the last byte filled up with zeros. A tf32 code stands where it stands in fp32: in the upper bits of a
 * word of 32. A ue4m3 code has a byte. Unpacked: every code in the smallest word of 1, 2, 4 or 8 bytes that holds
 * it. */
typedef enum bnd_packing { BND_PACKING_PACKED, BND_PACKING_UNPACKED } bnd_packing;

/* What a call on an array is told beside the array. All zero: nearest even, packed, elements side by side, the best
 * back end, one thread. */
typedef struct bnd_array {
    const bnd_context *context; /* NULL: all zero */
    bnd_rule rule;
    uint64_t seed, purpose; /* of the stochastic modes; element i takes bnd_random_bits(seed, purpose, first + i, N) */
    uint64_t first;         /* the index of the first element: an array may be worked on in pieces, in any order */
    ptrdiff_t stride_in, stride_out; /* from one element to the next, in elements; 0 means 1. Packed codes that are not
                                        whole words cannot have one */
    uint8_t packing_in, packing_out; /* bnd_packing, of the codes that are read and of those that are written */
} bnd_array;

/* What a conversion did to an array. Add up as many arrays as you like: nothing is reset. Magnitudes and sums are
 * doubles: of a number beyond fp64, the end of fp64 on its side. The sums of a call are the same on every back end and
 * with any number of threads: element i of a piece of 65536 goes to lane i mod 16, the lanes are added in pairs (i and
 * i + 8, then i + 4, ...), the pieces in their order; each step is one rounding to nearest even. */
typedef struct bnd_stats {
    uint64_t elements;
    uint64_t exact, inexact;         /* of the finite ones; what was flushed on input, or was invalid, is neither */
    uint64_t underflows;             /* tiny and inexact */
    uint64_t flushed;                /* a nonzero became zero */
    uint64_t overflows;              /* finite, and rounded beyond the largest number */
    uint64_t saturated;              /* the largest number stands for something larger */
    uint64_t infinities_in, nans_in; /* among the inputs */
    uint64_t nans_out;
    uint64_t compared;        /* input and result are finite */
    double largest, smallest; /* magnitudes of the finite inputs other than zero; smallest 0 where there is none */
    double squared_error, squared_input; /* sums over those that were compared */
    double clamped_error; /* of squared_error, where a scale is shared: that of elements whose quotient by the scale is
                             beyond the largest element */
    double scale_smallest, scale_largest; /* of casts that share scales: what elements are multiplied by to be worth
                                             what they stand for; 0 where there is none */
    uint64_t exponents[64]; /* of the finite nonzero inputs, floor(log2 |x|): below -40, -40 ... 21, above */
} bnd_stats;
enum { BND_HISTOGRAM_LOWEST = -40 };

/* The mean squared error of what was compared, and the ratio of both sums of squares, signal to noise, infinite where
 * there is a signal and no noise. NaN where there is none of it: nothing was compared, the signal is zero, or squares
 * are too large for doubles, or so small that their sum is not a normal one. */
double bnd_stats_mean_squared_error(const bnd_stats *stats);
double bnd_stats_signal_to_noise(const bnd_stats *stats);

/* What was counted in two goes, in one. */
void bnd_stats_add(bnd_stats *sum, const bnd_stats *more);

/* How many bytes n codes take, 0 where that is more than memory could hold, or for a value set. */
size_t bnd_codes_size(const bnd_format *f, size_t n, bnd_packing packing);

/* Are these n codes of the format, with zeros in all bits that no code has? The message names the first element that is
 * none, counted from how->first, and its word. how->packing_in and how->stride_in say where they stand. */
BND_CHECKED bnd_status bnd_codes_check(const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                                       bnd_error *why);

/* fp32 or fp64 into codes, and back (to nearest even; NaNs quieted, with their sign and payload). Refused for value
 * sets, for strides that packed codes cannot have, for choices that there are not, and for more elements than memory
 * could hold; nothing is written then. Pointers need no alignment. No call's result depends on the caller's
 * floating-point environment, and none changes it. */
BND_CHECKED bnd_status bnd_encode_f32(void *codes, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                                      bnd_stats *stats, bnd_error *why);
BND_CHECKED bnd_status bnd_encode_f64(void *codes, const double *x, size_t n, const bnd_format *f, const bnd_array *how,
                                      bnd_stats *stats, bnd_error *why);
BND_CHECKED bnd_status bnd_decode_f32(float *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                                      bnd_error *why);
BND_CHECKED bnd_status bnd_decode_f64(double *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                                      bnd_error *why);

/* Rounds to the values of a format (or of a value set) and keeps the type. y may be x. */
BND_CHECKED bnd_status bnd_round_f32(float *y, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                                     bnd_stats *stats, bnd_error *why);
BND_CHECKED bnd_status bnd_round_f64(double *y, const double *x, size_t n, const bnd_format *f, const bnd_array *how,
                                     bnd_stats *stats, bnd_error *why);

/* Codes of one format into codes of another, with one rounding. */
BND_CHECKED bnd_status bnd_convert_codes(void *out, const bnd_format *to, const void *in, const bnd_format *from,
                                         size_t n, const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* ---- arrays of operations ---- */

/* An operand: an array, or one element for all. Of how->packing_in and stride_in nothing is read here. */
typedef struct bnd_operand {
    const void *data;
    const bnd_format *format; /* of codes. NULL: numbers of the call's own type; int64_t, the second of BND_OP_SCALB */
    ptrdiff_t stride;         /* from one element to the next, in elements; 0 means 1 */
    bool broadcast;           /* there is one element, and it goes with every element of the others */
    uint8_t packing;          /* bnd_packing */
} bnd_operand;

/* out[i] = operation(x[i], y[i], z[i]), the exact result rounded once: the code that bnd_operate gives, in every mode
 * and under every policy, element i with its own random bits, on every back end and with any number of threads. There
 * are as many operands as the operation has. `out` may be one of them if it lies in memory as they do; otherwise they
 * do not overlap.
 *
 * Fast (doc/performance.md) are add, sub, mul, div, fma, sqrt, min, max, min_number, max_number and convert where
 * doubles hold the formats. The others go a number at a time, those of codes that are 12 bits together by a table on
 * the stack; see bnd_table.
 *
 * The statistics are those of rounding the exact results, taken as fp64 rounded to odd, which changes no count. */
BND_CHECKED bnd_status bnd_operate_codes(void *out, const bnd_format *to, bnd_operation operation,
                                         const bnd_operand *operands, size_t n, const bnd_array *how, bnd_stats *stats,
                                         bnd_error *why);

/* The same, rounded once to the values of a format or of a value set, and kept as fp32 or fp64 (to nearest, where those
 * cannot hold them). Operands are numbers of that type, whatever their values, or codes. */
BND_CHECKED bnd_status bnd_operate_f32(float *out, bnd_operation operation, const bnd_operand *operands, size_t n,
                                       const bnd_format *f, const bnd_array *how, bnd_stats *stats, bnd_error *why);
BND_CHECKED bnd_status bnd_operate_f64(double *out, bnd_operation operation, const bnd_operand *operands, size_t n,
                                       const bnd_format *f, const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* Every result of an operation whose operands have 16 bits together: a function of fp16, an operation of two codes of a
 * byte. To make one takes memory for 2^(those bits) codes and the time of as many operations (on the cores of
 * how->context); the rule is how's, in a mode without random bits. */
typedef struct bnd_table bnd_table;
BND_CHECKED bnd_status bnd_table_new(bnd_table **out, bnd_operation operation, const bnd_format *to,
                                     const bnd_format *const *from, const bnd_array *how, bnd_error *why);
void bnd_table_free(bnd_table *table);
/* out[i] = table[x[i], y[i]]: as bnd_operate_codes, with the operands' formats those of the table (or NULL). */
BND_CHECKED bnd_status bnd_operate_by_table(void *out, const bnd_table *table, const bnd_operand *operands, size_t n,
                                            const bnd_array *how, bnd_error *why);

/* ---- sums ---- */

typedef enum bnd_summation {
    BND_SUM_NAIVE,    /* s = x[0], then s = s + x[i], in order */
    BND_SUM_PAIRWISE, /* of more than one element: the sum of the first 2^k, the largest power of two below n, and that
                         of the rest, each made in this way */
    BND_SUM_KAHAN,    /* s = c = 0, then y = x[i] - c, t = s + y, c = (t - s) - y, s = t */
    BND_SUM_COUNT
} bnd_summation;

/* The sum of an array, every single operation rounded to a format; the sum of nothing is that of the number 0. Where
 * the rule is stochastic, the addition whose second term begins with element i (naive: is it) takes the random bits of
 * element i, the operations of Kahan's those of elements 4 i .. 4 i + 3; an array of one element is rounded with the
 * bits of element 0. All counted from how->first. x is rounded nowhere before it is added. */
BND_CHECKED bnd_status bnd_sum_codes(uint64_t *sum, const bnd_format *to, bnd_summation way, const bnd_operand *x,
                                     size_t n, const bnd_array *how, bnd_error *why);
BND_CHECKED bnd_status bnd_sum_f32(float *sum, bnd_summation way, const bnd_operand *x, size_t n, const bnd_format *f,
                                   const bnd_array *how, bnd_error *why);
BND_CHECKED bnd_status bnd_sum_f64(double *sum, bnd_summation way, const bnd_operand *x, size_t n, const bnd_format *f,
                                   const bnd_array *how, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
