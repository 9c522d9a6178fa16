/* Layer 5: conversions and operations on arrays. The results have the same bits as those of calls on single numbers. No
 * call allocates, except bnd_table_new. */
#ifndef BINADE_BULK_H
#define BINADE_BULK_H

#include <binade/arith.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the context: kernels and threads ---- */

/* A plain value. All zero is the best back end of this machine and one thread. A context of NULL is the same as one of
 * zeros: only bnd_context_init reads the environment. Results have the same bits on every back end and with every
 * number of threads. */
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
    uint8_t backend;     /* bnd_backend; one that this machine lacks works as the best; an unknown number is refused */
    uint8_t reserved[3]; /* zero */
    uint32_t threads;    /* 0 means 1 */
} bnd_context;

/* Sets a context to a back end by name and to a number of threads. It is a plain value: there is nothing to release.
 *
 * Returns: BND_OK, BND_BAD_NAME or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the context. `backend`: its name; NULL means the environment variable BINADE_BACKEND, or else
 *     the best. `threads`: 0 means the environment variable BINADE_THREADS, or else every core. `why` (out): the error,
 *     or NULL.
 * On failure: `out` is unchanged: the back end does not exist, this build or machine does not have it, or there are too
 *     many threads. */
BND_CHECKED bnd_status bnd_context_init(bnd_context *out, const char *backend, unsigned threads, bnd_error *why);

/* The name of a back end.
 *
 * Returns: "best", "portable", "avx512" and so on; "" for a number that is not a back end. Never NULL.
 * Arguments: `backend`: the back end. */
const char *bnd_backend_name(bnd_backend backend);

/* Tells whether a back end was compiled in and can run on this machine.
 *
 * Returns: True if so.
 * Arguments: `backend`: the back end. */
bool bnd_backend_here(bnd_backend backend);

/* The fastest back end of this machine, which BND_BACKEND_BEST means.
 *
 * Returns: The back end; BND_BACKEND_PORTABLE if there is no other. */
bnd_backend bnd_backend_best(void);

/* Tells whether the library was compiled with OpenMP. Without it every call uses one thread.
 *
 * Returns: True if so. */
bool bnd_has_threads(void);

/* ---- arrays ----
 *
 * A conversion may write into the array that it reads if elements of both have the same size and stride. Otherwise its
 * arrays must not overlap. */

/* How codes lie in memory. Unused bits are written as zeros: above a code's width in a word, below a tf32 code, and
 * behind the last packed code. Reading ignores them; only bnd_codes_check looks at them.
 *
 * Packed: a code of 8, 16, 32 or 64 bits is a little-endian word; every other width is written back to back, lowest
 * bits first, the last byte filled up with zeros. A tf32 code takes the upper bits of a 32-bit word, as in fp32. A
 * ue4m3 code takes a byte. Unpacked: every code in the smallest word of 1, 2, 4 or 8 bytes that holds it. */
typedef enum bnd_packing { BND_PACKING_PACKED, BND_PACKING_UNPACKED } bnd_packing;

/* The choices of a call on an array. All zero is the default: nearest even, packed, elements side by side, the best
 * back end, one thread. */
typedef struct bnd_array {
    const bnd_context *context; /* NULL: all zero; BINADE_BACKEND and BINADE_THREADS are not read */
    bnd_rule rule;
    uint64_t seed, purpose; /* of the stochastic modes; element i takes bnd_random_bits(seed, purpose, first + i, N) */
    uint64_t first;         /* the index of the first element: an array may be processed in pieces, in any order */
    ptrdiff_t stride_in, stride_out; /* from one element to the next, in elements; 0 means 1. Packed codes that are not
                                        whole words cannot have one */
    uint8_t packing_in, packing_out; /* bnd_packing, of the codes that are read and of those that are written */
    uint64_t reserved[4];            /* zero: room for choices to come */
} bnd_array;

/* The statistics of a conversion of arrays. A call adds to them and resets nothing. Magnitudes and sums are doubles;
 * for a number beyond fp64's range they use the end of the range on its side. The sums of a call are the same on every
 * back end and with any number of threads. Element i of a piece of 65536 goes to lane i mod 16. The lanes are added in
 * pairs (i and i + 8, then i + 4, ...), the pieces in their order; each step is one rounding to nearest even. */
typedef struct bnd_stats {
    uint64_t elements;
    uint64_t exact, inexact;         /* of the finite ones; an input that was flushed, or was invalid, is neither */
    uint64_t underflows;             /* tiny and inexact */
    uint64_t to_zero;                /* nonzero, and zero after it: by rounding, flush_in or flush_out */
    uint64_t overflows;              /* finite, and rounded beyond the largest number */
    uint64_t saturated;              /* the largest number replaces a larger one */
    uint64_t infinities_in, nans_in; /* among the inputs */
    uint64_t nans_out;
    uint64_t compared;        /* input and result are finite */
    double largest, smallest; /* magnitudes of the finite inputs other than zero; smallest 0 where there is none */
    double squared_error, squared_input; /* sums over those that were compared */
    double clamped_error; /* where a scale is shared: the part of squared_error of elements whose quotient by the scale
                             is beyond the largest element */
    double scale_smallest, scale_largest; /* of casts that share scales: the factors by which dequantizing multiplies
                                             elements; 0 where there is none */
    uint64_t exponents[64]; /* of the finite nonzero inputs, floor(log2 |x|): below -40, -40 ... 21, above */
    uint64_t reserved[4];   /* zero: room for counts to come */
} bnd_stats;
enum { BND_HISTOGRAM_LOWEST = -40 };

/* The mean squared error of the compared elements, and the ratio of signal to noise: squared_input / squared_error. It
 * is a ratio; 10 log10 of it is in decibels.
 *
 * Returns: The number. The ratio is infinite if there is a signal and no noise. NaN if nothing was compared, if the
 *     signal is zero, or if squares overflow doubles or their sum is subnormal. Cannot fail.
 * Arguments: `stats`: the statistics. */
double bnd_stats_mean_squared_error(const bnd_stats *stats);
double bnd_stats_signal_to_noise_ratio(const bnd_stats *stats);

/* Adds statistics to others, as if both had been counted together.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `sum` (in/out): the total. `more`: what is added. */
void bnd_stats_add(bnd_stats *sum, const bnd_stats *more);

/* The number of bytes that codes take.
 *
 * Returns: The number; 0 if it does not fit memory, and for a value set.
 * Arguments: `f`: the format. `n`: the number of codes. `packing`: how they lie. */
size_t bnd_codes_size(const bnd_format *f, size_t n, bnd_packing packing);

/* Checks that memory contains codes of a format, with zeros in all bits that no code uses.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `codes`, `n`: the codes. `f`: their format. `how`: packing_in and stride_in say where they are; NULL is
 *     the default. `why` (out): the error, or NULL.
 * On failure: The message names the first element that is not a code, counted from how->first, and its word. */
BND_CHECKED bnd_status bnd_codes_check(const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                                       bnd_error *why);

/* Rounds an array of numbers to codes.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `codes` (out): n codes, packed as how->packing_out says. `x`, `n`: the numbers; no alignment is needed.
 *     `f`: the format. `how`: the choices, or NULL for the default. `stats` (in/out): counts are added, or NULL. `why`
 *     (out): the error, or NULL.
 * On failure: Nothing is written: `f` is a value set, packed sub-byte codes have a stride, `how` holds an unknown
 *     choice or a nonzero reserved word, or n does not fit memory. */
BND_CHECKED bnd_status bnd_encode_f32(void *codes, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                                      bnd_stats *stats, bnd_error *why);
BND_CHECKED bnd_status bnd_encode_f64(void *codes, const double *x, size_t n, const bnd_format *f, const bnd_array *how,
                                      bnd_stats *stats, bnd_error *why);

/* The values of an array of codes, rounded to nearest even if the type does not have them. NaNs become quiet and keep
 * sign and payload.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `x` (out): n numbers. `codes`, `n`: the codes, packed as how->packing_in says. `f`, `how`, `why`: as in
 *     bnd_encode_f32.
 * On failure: Nothing is written; the reasons are those of bnd_encode_f32. */
BND_CHECKED bnd_status bnd_decode_f32(float *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                                      bnd_error *why);
BND_CHECKED bnd_status bnd_decode_f64(double *x, const void *codes, size_t n, const bnd_format *f, const bnd_array *how,
                                      bnd_error *why);

/* Rounds an array of numbers to values of a format or value set and keeps the type.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `y` (out): n numbers. `x`, `n`: the numbers. `f`: a format or a value set. `how`, `stats`,
 *     `why`: as in bnd_encode_f32.
 * On failure: Nothing is written: `how` holds an unknown choice or a nonzero reserved word, or n does not fit memory.
 */
BND_CHECKED bnd_status bnd_round_f32(float *y, const float *x, size_t n, const bnd_format *f, const bnd_array *how,
                                     bnd_stats *stats, bnd_error *why);
BND_CHECKED bnd_status bnd_round_f64(double *y, const double *x, size_t n, const bnd_format *f, const bnd_array *how,
                                     bnd_stats *stats, bnd_error *why);

/* Rounds an array of codes of one format, once, to codes of another.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `out` (out), `to`: n codes and their format. `in`, `from`, `n`: the codes that are read. `how`, `stats`,
 *     `why`: as in bnd_encode_f32.
 * On failure: Nothing is written; the reasons are those of bnd_encode_f32. */
BND_CHECKED bnd_status bnd_convert_codes(void *out, const bnd_format *to, const void *in, const bnd_format *from,
                                         size_t n, const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* ---- arrays of operations ---- */

/* An operand: an array, or one element for all. how->packing_in and how->stride_in do not count here. */
typedef struct bnd_operand {
    const void *data;
    const bnd_format *format; /* of codes. NULL: numbers of the call's own type; int64_t, the second of BND_OP_SCALB */
    ptrdiff_t stride;         /* from one element to the next, in elements; 0 means 1 */
    bool broadcast;           /* one element, which is used with every element of the others */
    uint8_t packing;          /* bnd_packing */
    uint8_t reserved[6];      /* zero */
} bnd_operand;

/* An operation on arrays: out[i] is the code that bnd_operate gives for the operands' elements i, with the random bits
 * of element i.
 *
 * The operations add, sub, mul, div, fma, sqrt, min, max, min_number, max_number and convert are fast if doubles have
 * all values of the formats (doc/explanation/performance.md). The others work number by number, or, for codes of at
 * most 12 bits together, by a table on the stack; see bnd_table. The statistics are those of rounding the exact
 * results. These are taken as fp64 rounded to odd, which changes no count.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `out` (out), `to`: n codes and their format. It may be an operand that lies in memory as `out` does;
 *     otherwise they do not overlap. `operation`: the operation. `operands`, `n`: as many operands as it has, of n
 *     elements. `how`, `stats`, `why`: as in bnd_encode_f32.
 * On failure: Nothing is written: the operation does not exist, it does not take these formats, the second operand of
 *     BND_OP_SCALB has a format, or a reason of bnd_encode_f32. */
BND_CHECKED bnd_status bnd_operate_codes(void *out, const bnd_format *to, bnd_operation operation,
                                         const bnd_operand *operands, size_t n, const bnd_array *how, bnd_stats *stats,
                                         bnd_error *why);

/* bnd_operate_codes with results rounded once to values of a format or value set, and kept as fp32 or fp64 (to nearest
 * if those do not have them).
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): n numbers. `operation`: the operation. `operands`, `n`: numbers of the call's type, whatever
 *     their values, or codes. `f`: a format or a value set. `how`, `stats`, `why`: as in bnd_encode_f32.
 * On failure: Nothing is written; the reasons are those of bnd_operate_codes. */
BND_CHECKED bnd_status bnd_operate_f32(float *out, bnd_operation operation, const bnd_operand *operands, size_t n,
                                       const bnd_format *f, const bnd_array *how, bnd_stats *stats, bnd_error *why);
BND_CHECKED bnd_status bnd_operate_f64(double *out, bnd_operation operation, const bnd_operand *operands, size_t n,
                                       const bnd_format *f, const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* The results of an operation for all operands; see bnd_table_new. */
typedef struct bnd_table bnd_table;

/* Computes every result of an operation whose operands have at most 16 bits together: a function of fp16, or an
 * operation on two codes of a byte. It takes memory for 2^bits codes, where bits are those of all operands together,
 * and the time of as many operations.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `out` (out): the table; release it by bnd_table_free. `operation`, `to`, `from`: as in bnd_operate. `how`:
 *     the rule, in a mode without random bits, and the context; NULL is the default. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the operands or the results have more than 16 bits, the mode is stochastic, or there
 *     is no memory. */
BND_CHECKED bnd_status bnd_table_new(bnd_table **out, bnd_operation operation, const bnd_format *to,
                                     const bnd_format *const *from, const bnd_array *how, bnd_error *why);

/* Releases a table.
 *
 * Returns: Nothing; cannot fail.
 * Arguments: `table`: the table, or NULL. */
void bnd_table_free(bnd_table *table);

/* out[i] is the table's result for the operands' elements i.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): n codes of the table's format. `table`: the table. `operands`, `n`: as in bnd_operate_codes;
 *     their formats are those of the table, or NULL. `how`, `why`: as in bnd_encode_f32, but for the rule, which is the
 *     table's.
 * On failure: Nothing is written; the reasons are those of bnd_operate_codes. */
BND_CHECKED bnd_status bnd_operate_by_table(void *out, const bnd_table *table, const bnd_operand *operands, size_t n,
                                            const bnd_array *how, bnd_error *why);

/* ---- sums ---- */

typedef enum bnd_summation {
    BND_SUM_NAIVE,    /* s = x[0], then s = s + x[i], in order */
    BND_SUM_PAIRWISE, /* of more than one element: the sum of the first 2^k, the largest power of two below n, and that
                         of the rest, each pairwise again */
    BND_SUM_KAHAN,    /* s = c = 0, then y = x[i] - c, t = s + y, c = (t - s) - y, s = t */
    BND_SUM_COUNT
} bnd_summation;

/* The sum of an array, with every single operation rounded to a format. The sum of an empty array is +0, rounded to the
 * format. Elements are not rounded before they are added.
 *
 * In the stochastic modes, an addition uses the random bits of element i if its second term is element i (naive) or
 * begins with it (pairwise). The operations of Kahan use those of elements 4 i .. 4 i + 3. An array of one element is
 * rounded with the bits of element 0. All are counted from how->first.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `sum` (out): the sum. `to`, `f`: the format of sum and operations. `way`: the order. `x`, `n`: the array.
 *     `how`, `why`: as in bnd_encode_f32.
 * On failure: `sum` is unchanged: the order does not exist, or a reason of bnd_encode_f32. */
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
