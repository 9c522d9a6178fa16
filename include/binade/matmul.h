/* Layer 6: matrix products. The accumulator is a parameter: its format, when it is rounded, and when it is added to a
 * wider number. Calls need no memory of their own: some take it if there is any, and are faster then. */
#ifndef BINADE_MATMUL_H
#define BINADE_MATMUL_H

#include <binade/bulk.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the accumulator ---- */

/* One step of a sum. s is the accumulator, a value of the format; a and b are exact. */
typedef enum bnd_accumulation {
    BND_ACCUMULATE_FUSED,   /* s = round(a b + s): one rounding */
    BND_ACCUMULATE_EACH,    /* s = round(s + round(a b)): every product and every sum rounded */
    BND_ACCUMULATE_ALIGNED, /* a group of products at once, truncated; see below */
    BND_ACCUMULATE_CBLAS,   /* OpenBLAS in fp32, without any promise about bits */
    BND_ACCUMULATE_TENSOR,  /* a group of products at once, as tensor cores do; see below */
    BND_ACCUMULATE_COUNT
} bnd_accumulation;

/* A plain value; all zero is the default, fp32 with one rounding per step.
 *
 * Every element of the result is one sum over k, from 0 up. It starts with +0, or with the element of C if C is added.
 * So the bits depend neither on tile sizes, nor on the number of threads, nor on the back end.
 *
 * FUSED and EACH round by the format and the rule as bnd_operate does: BND_OP_FMA to the format, or BND_OP_MUL to the
 * format and BND_OP_ADD in it. The stochastic modes take, for element (i, j) of m x n and step k of K,
 * bnd_random_bits(seed, purpose, e, N), with e = (i K + k) n + j; for the sums of EACH, m n K is added to e.
 *
 * ALIGNED is how Hopper's tensor cores are described (DeepSeek-V3, section 3.5.2). The format is e8mF, F = bits - 1.
 * The terms t of a step are `group` exact products and s. E is the largest floor(log2 |t|), at least -126. Each term is
 * truncated toward zero to a multiple of 2^(E - F). The sum of the truncated terms is exact, and is truncated toward
 * zero to `bits` bits; from 2^128 on it is an infinity. If a term is NaN or an infinity, s becomes the sum of the
 * terms: an infinity or NaN. A sum of zero is +0. Groups begin at k = 0 and after each promotion. The rule is ignored.
 *
 * TENSOR is what NVIDIA's tensor cores compute; with the numbers of the rows hopper-* every bit of an H200's results.
 * The terms of a step are those of ALIGNED. The exponent of a product is the sum of the exponents of its factors, that
 * of s is its own; a subnormal number has the least exponent of its format. The formats of A and B are those of the
 * codes, or round_a and round_b, or else fp32. E is the largest exponent of the terms other than zero, but at least 7
 * below the least of the format: -133, or -21 for fp16. Each term is truncated toward zero to a multiple of
 * 2^(E - fraction). The sum of the truncated terms is exact, and is rounded to the format: toward zero if the format
 * has fp32's exponents, to nearest even if it is fp16. Beyond the largest exponent it is an infinity; zero is +0.
 * Infinities and NaNs: as in ALIGNED. The rule is ignored.
 *
 * `promote`: after every `promote` steps over k, and at the end, s is added to an fp32 number, to nearest even, and
 * begins again with +0. If C is added, that number begins with the element of C. */
typedef struct bnd_accumulator {
    bnd_format format; /* precision 0: fp32 */
    bnd_rule rule;
    uint32_t promote; /* 0: never */
    uint16_t group;   /* of ALIGNED and TENSOR, 1 .. 64; 0 means 32 */
    uint8_t kind;     /* bnd_accumulation */
    uint8_t fraction; /* of TENSOR, 1 .. 40: bits that terms keep below the largest exponent */
} bnd_accumulator;
enum {
    BND_GROUP_DEFAULT = 32,
    BND_GROUP_MAX = 64,
    BND_ALIGNED_BITS_MAX = 24,
    BND_TENSOR_FRACTION_MAX = 40,
    BND_ACCUMULATOR_NAME_SIZE = 96
};

/* Reads the name of an accumulator. Case does not matter.
 *
 *     fp32             one fused multiply-add per step, as BLAS and tensor cores say "fp32 accumulator"; fp64 the same
 *     F                any other format: EACH
 *     fma:F, each:F    FUSED and EACH by name: fma:bf16, each:fp32
 *     ...:MODE         a rounding mode: bf16:rtz, fma:e5m2:sr:8
 *     truncB[gG]       ALIGNED: B bits, 2 .. 24, in groups of G: trunc14 (groups of 32), trunc14g16
 *     tensorF[gG]:FORMAT  TENSOR: fraction F, groups of G, sums in FORMAT: fp16, or e8m1 .. e8m23 (fp32)
 *     hopper-fp8       tensor13:e8m13, by name; src/number/matmul/tensor_cores.def has all names
 *     .../promoteN     fp16/promote128, trunc14/promote128
 *     cblas            OpenBLAS
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the accumulator. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged. */
BND_CHECKED bnd_status bnd_accumulator_parse(bnd_accumulator *out, const char *name, bnd_error *why);

/* Writes a name that bnd_accumulator_parse reads as this accumulator: its own name, "hopper-fp8", if it has one.
 *
 * Returns: The length of the whole name without its final 0 byte, as snprintf.
 * Arguments: `name` (out): at most `size` bytes, with a final 0 byte if size > 0. `accumulator`: the accumulator. */
size_t bnd_accumulator_name(char *name, size_t size, const bnd_accumulator *accumulator);

/* ---- matrix products ---- */

/* The distances from one row and from one column to the next, in elements. Both 0: rows side by side, without gaps.
 * Swapping the two transposes the matrix. A and B can have any distances, 0 and negative ones too; elements of C must
 * not share memory with each other, with A or with B. */
typedef struct bnd_strides {
    ptrdiff_t row, column;
} bnd_strides;

typedef struct bnd_gemm {
    const bnd_context *context; /* NULL: all zero */
    bnd_accumulator accumulator;
    bnd_strides a, b, c;
    const bnd_format *round_a, *round_b; /* round these operands first, to nearest even, and then to fp32 where it lacks
                                            the value; NULL: they stay as they are */
    bool add;                            /* C + A B instead of A B; C is first rounded to the accumulator's format, to
                                            nearest even, for ALIGNED toward zero, and is not flushed by flush_in */
    uint64_t seed, purpose;              /* of the stochastic modes */
    uint64_t reserved[4];                /* zero: room for choices to come */
} bnd_gemm;

/* The matrix product C = A B, or C + A B, of fp32 numbers, with the accumulator as a parameter.
 *
 * A value of the accumulator's format that fp32 does not have is rounded to nearest even when it is stored; every NaN
 * is stored as 7fc00000. A call needs 380 KiB of stack in each of its threads. New threads of
 * musl have 128 KiB: a program of the amalgamation needs -Wl,-z,stack-size=1048576 there. A libbinade built for musl
 * asks for enough when the program starts, but not if it is loaded later.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `c` (out; in/out if how->add), `m`, `n`: m x n numbers. `a`, `b`, `k`: m x k and k x n numbers. `how`: the
 *     choices, or NULL for the default. `why` (out): the error, or NULL.
 * On failure: Nothing is written: sizes or strides do not fit memory, the accumulator is impossible, or the context
 *     holds an unknown choice or a nonzero reserved word. */
BND_CHECKED bnd_status bnd_gemm_f32(float *c, size_t m, size_t n, const float *a, const float *b, size_t k,
                                    const bnd_gemm *how, bnd_error *why);

/* bnd_gemm_f32 with A and B as codes: whole words of 1, 2, 4 or 8 bytes, as BND_PACKING_UNPACKED has them. how->round_a
 * and round_b are ignored.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `c`, `m`, `n`, `k`, `how`, `why`: as in bnd_gemm_f32. `a`, `a_format`, `b`, `b_format`: codes and their
 *     formats.
 * On failure: Nothing is written; the reasons are those of bnd_gemm_f32, and a format that has no codes or is wider
 *     than fp32. */
BND_CHECKED bnd_status bnd_gemm_codes(float *c, size_t m, size_t n, const void *a, const bnd_format *a_format,
                                      const void *b, const bnd_format *b_format, size_t k, const bnd_gemm *how,
                                      bnd_error *why);

/* The sum of n products: a matrix product with m = n = 1. Its strides are those of a's columns and of b's rows.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `out` (out; in/out if how->add): the sum. `a`, `b`, `n`: the factors. `how`, `why`: as in bnd_gemm_f32.
 * On failure: `out` is unchanged; the reasons are those of bnd_gemm_f32. */
BND_CHECKED bnd_status bnd_dot_f32(float *out, const float *a, const float *b, size_t n, const bnd_gemm *how,
                                   bnd_error *why);

/* Tells whether OpenBLAS can be loaded, for BND_ACCUMULATE_CBLAS.
 *
 * Returns: True if so. */
bool bnd_cblas_here(void);

/* Names the processor core whose kernels OpenBLAS chose: "SkylakeX", "Haswell". A release of OpenBLAS that does not
 * know the processor chooses those of an older one; the environment variable OPENBLAS_CORETYPE overrides the choice.
 *
 * Returns: The name; "" if OpenBLAS cannot be loaded, or does not tell. */
const char *bnd_cblas_core(void);

#ifdef __cplusplus
}
#endif
#endif
