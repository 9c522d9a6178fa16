/* Layer 6: block formats, whose elements share a scale. MXFP8, MXFP6, MXFP4, MXINT8, NVFP4; a scale per tensor, row or
 * tile; the blocks of GGUF; a random Hadamard transform. Calls need no memory of their own: statistics on several
 * threads take some if there is any.
 *
 * An element is the exact quotient x / scale, rounded once. The scale is the stored one (for NVFP4 the exact product of
 * both stored scales). The value of an element is the exact product of element and scale, rounded once to fp32. */
#ifndef BINADE_BLOCK_H
#define BINADE_BLOCK_H

#include <binade/bulk.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- block formats ---- */

/* How a scale is computed from amax, the largest magnitude that shares it. max and emax are those of the element; all
 * logarithms and quotients are exact. Every scale is clamped to those of the scale's format; powers of two, to its
 * normal numbers.
 *
 * For elements with one fraction bit (e2m1), ct and even are the same.
 *
 * mse and 4/6 try several scales and keep the one that leaves the least squared error. mse tries the scales nearest to
 * amax / max * j / 32 for j = 32, 56, 55 ... 8. If scales are powers of two, it tries that of rceil and half of it. 4/6
 * (Four Over Six, 2512.02010) is a rule of nvfp4: it maps amax to 6 (j = 32) or to 4 (j = 48), and the scale of the
 * tensor is amax / (6 * 256), so that both fit. Of equal errors the first one counts.
 *
 * That error is the one of rounding to nearest even with saturation, whatever `how` says: the squares of y - x in
 * double, where y is the dequantized element. The elements of a group that are neighbours in memory form runs, and runs
 * are cut into pieces of 8192. Element i of a piece goes to lane i mod 16. The lanes of a piece are added in pairs (i
 * and i + 8, then i + 4, ...), and the pieces in their order. */
typedef enum bnd_scale_rule {
    BND_SCALE_RCEIL,    /* 2^ceil(log2(amax / max)): the least power of two that saturates nothing */
    BND_SCALE_FLOOR,    /* 2^(floor(log2 amax) - emax) */
    BND_SCALE_CEIL,     /* 2^(ceil(log2 amax) - emax) */
    BND_SCALE_EVEN,     /* 2^(floor(log2(amax rounded to the element's precision)) - emax) */
    BND_SCALE_NEAREST,  /* the scale format's number nearest to amax / max, at least 2^least, at most its largest */
    BND_SCALE_CT,       /* 2^(floor(log2 amax) - emax), twice that if amax is at least 1.75 times its power of two */
    BND_SCALE_MSE,      /* the least squared error of several scales; a power of two if all scales are */
    BND_SCALE_FOUR_SIX, /* the less squared error of two scales */
    BND_SCALE_COUNT
} bnd_scale_rule;

/* Which elements share a scale. */
typedef enum bnd_sharing {
    BND_SHARE_BLOCK, /* `along` neighbours along the axis (0: the whole axis, a row) */
    BND_SHARE_TILE,  /* `along` times `across` elements of a matrix (0: all of them) */
    BND_SHARE_TENSOR /* all */
} bnd_sharing;

enum { BND_BLOCK_NAME_SIZE = 96 };

/* A block format is a plain value: changing a member gives another block format. The element is any format whose values
 * fp32 has. The scale format has 8, 16 or 32 bits and a NaN. A block has any length. */
typedef struct bnd_block {
    char name[BND_BLOCK_NAME_SIZE]; /* without the rule: bnd_block_print names both */
    bnd_format element, scale;
    uint8_t rule;         /* bnd_scale_rule */
    uint8_t sharing;      /* bnd_sharing */
    bool tensor;          /* NVFP4: an fp32 for the whole array in addition to these scales:
                             amax / (max * the scales' max), but at least 2^-126; 1 if amax is 0 */
    bool integer;         /* codes are bytes in two's complement, in units of the element's least number */
    int16_t least;        /* of the rules nearest, mse and 4/6 */
    size_t along, across; /* the last block of an axis may be shorter */
    uint64_t reserved[2]; /* zero */
} bnd_block;

/* Reads the name of a block format: mxfp8, mxfp8-e5m2, mxfp6-e2m3, mxfp6-e3m2, mxfp4, mxint8, nvfp4 and so on, or an
 * element and its scaling: e4m3/tensor, e4m3/row, e4m3/tile:1x128, e3m4/mx. The element is a format, or int2 ... int8:
 * integers from -127 to 127 for int8, so that a value is the code times the scale. Each may end in a scale rule:
 * mxfp8:floor. Case does not matter.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the block format. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged, and the message has the nearest names. */
BND_CHECKED bnd_status bnd_block_parse(bnd_block *out, const char *name, bnd_error *why);

/* A block format from its parts. `scale` is tensor, row, row:N (blocks of N along the axis), tile:RxC, mx (blocks of
 * 32, scales in e8m0) or nvfp4; mx:RxC and nvfp4:RxC share these scales within tiles. mx and nvfp4 give the row of the
 * table if there is one. The scales of tensor, row and tile are fp32, or of the format that follows: row:bf16,
 * tile:128x128:e8m0. Each may end in a scale rule: row:bf16:mse.
 *
 * Returns: BND_OK, BND_BAD_NAME, BND_BAD_SYNTAX or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the block format. `scale`: ends with a 0 byte. `element`: the format of the elements. `why`
 *     (out): the error, or NULL.
 * On failure: `out` is unchanged. */
BND_CHECKED bnd_status bnd_block_scaled(bnd_block *out, const char *scale, const bnd_format *element, bnd_error *why);

/* Reads the name of a scale rule: floor, ceil, even, rceil, ct, nearest, mse or 4/6 (fouroversix is the same). If
 * scales are fp32, nearest and the rules of powers of two can replace each other; NVFP4 needs nearest, mse or 4/6, and
 * e8m0 scales need mse or powers of two.
 *
 * Returns: BND_OK, BND_BAD_NAME or BND_BAD_ARGUMENT.
 * Arguments: `block` (in/out): only `rule` is set. `name`: ends with a 0 byte. `why` (out): the error, or NULL.
 * On failure: `block` is unchanged. */
BND_CHECKED bnd_status bnd_scale_rule_parse(bnd_block *block, const char *name, bnd_error *why);

/* The name of a scale rule, "rceil", and the software that uses it, "cuBLAS, Transformer Engine".
 *
 * Returns: The text; "" for a number that is not a scale rule. Never NULL.
 * Arguments: `rule`: the rule. */
const char *bnd_scale_rule_name(bnd_scale_rule rule);
const char *bnd_scale_rule_who(bnd_scale_rule rule);

/* Writes name and scale rule: "mxfp8 (rceil; cuBLAS, Transformer Engine)". The rule is always named, since OCP's text
 * and torchao have another default.
 *
 * Returns: The length of the whole text without its final 0 byte, as snprintf.
 * Arguments: `out` (out): at most `size` bytes, with a final 0 byte if size > 0. `block`: the block format. */
size_t bnd_block_print(char *out, size_t size, const bnd_block *block);

/* A note on surprising properties of this block format, in one or two sentences.
 *
 * Returns: The text; "" if there is none. Never NULL.
 * Arguments: `block`: the block format. */
const char *bnd_block_note(const bnd_block *block);

/* The number of block formats in the table.
 *
 * Returns: The number of rows. */
size_t bnd_block_count(void);

/* A block format of the table.
 *
 * Returns: True if there is such a row; false, with `out` unchanged, if not.
 * Arguments: `out` (out): the block format. `row`: 0 .. bnd_block_count() - 1. */
bool bnd_block_at(bnd_block *out, size_t row);

/* A short description of a block format of the table.
 *
 * Returns: The text; "" if the row does not exist. Never NULL.
 * Arguments: `row`: 0 .. bnd_block_count() - 1. */
const char *bnd_block_title(size_t row);

/* ---- arrays ---- */

/* The shape of an array for blocks: `outer` times `length` times `inner` elements. Neighbours along `inner` are
 * adjacent in memory. Blocks run along `length`: the last axis of a tensor has inner = 1, its first axis outer = 1. A
 * tile has `along` elements along `length` by `across` elements along `inner`. */
typedef struct bnd_shape {
    size_t outer, length, inner;
} bnd_shape;

/* The shape of a tensor for blocks along one of its axes. Tiles use the last two dimensions.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `out` (out): the shape. `block`: the block format. `dimensions`, `rank`: of the tensor. `axis`: 0 .. rank
 *     - 1. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the axis does not exist, a tile has fewer than two dimensions, or the product
 *     overflows. */
BND_CHECKED bnd_status bnd_block_shape(bnd_shape *out, const bnd_block *block, const size_t *dimensions, size_t rank,
                                       size_t axis, bnd_error *why);

/* The number of scales of an array, and their size in bytes. They are ordered as outer x blocks along x blocks across,
 * each a little-endian word of the scale format's width.
 *
 * Returns: The number; 0 if it does not fit memory.
 * Arguments: `block`: the block format. `shape`: of the array. */
size_t bnd_block_scales(const bnd_block *block, bnd_shape shape);
size_t bnd_block_scales_size(const bnd_block *block, bnd_shape shape);

/* The size of an array's codes in bytes. The codes are in the order of the array.
 *
 * Returns: The number; 0 if it does not fit memory, and if the element has no codes.
 * Arguments: `block`: the block format. `shape`: of the array. `packing`: how the codes lie. */
size_t bnd_block_codes_size(const bnd_block *block, bnd_shape shape, bnd_packing packing);

/* Finds the scales of an array, and rounds each x / scale, once, to a code.
 *
 *  - how->rule rounds the elements in any mode; stochastic modes use the index first + (place in the array). The
 *    overflow policy "format" is that of block formats, saturation (OCP MX 6.3). flush_in applies to x before scaling.
 *  - If a block contains a NaN or an infinity, its scale becomes NaN (e8m0: ff), and every element the rounding of NaN.
 *    The tensor's scale is that of the other blocks.
 *  - If amax is 0, the scale is the least one if its format has no zero (e8m0: 00, 2^-127). Otherwise it is 1, or
 *    2^least if there is a tensor's scale too.
 *  - Statistics are those of x and of the dequantized elements, in x's own unit, summed in the order of the work.
 *    `exact` counts the elements that come back unchanged, `inexact` the others; `overflows` and `saturated` count the
 *    elements that rounding takes beyond the largest one.
 *  - The caller's rounding mode and flush mode have no effect, and are the same after the call. The bits do not depend
 *    on the number of threads.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `codes` (out): bnd_block_codes_size bytes. `scales` (out): bnd_block_scales_size bytes. `tensor_scale`
 *     (out): written if the block format has one; otherwise it may be NULL. `x`, `shape`: the array. `block`: the block
 *     format. `how`: the choices, with strides of 0 or 1, or NULL. `stats` (in/out): counts are added, or NULL. `why`
 *     (out): the error, or NULL.
 * On failure: Nothing is written: the block format, the shape or `how` is impossible, or the element has no codes. */
BND_CHECKED bnd_status bnd_quantize_f32(void *codes, void *scales, float *tensor_scale, const float *x, bnd_shape shape,
                                        const bnd_block *block, const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* The values of quantized elements: the exact product of element and scale, rounded once to fp32.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `y` (out): the array. `codes`, `scales`: as bnd_quantize_f32 writes them. `tensor_scale`: a factor (some
 *     tools store its reciprocal); it counts only if the block format has one. `shape`, `block`, `how`, `why`: as in
 *     bnd_quantize_f32.
 * On failure: Nothing is written; the reasons are those of bnd_quantize_f32. */
BND_CHECKED bnd_status bnd_dequantize_f32(float *y, const void *codes, const void *scales, float tensor_scale,
                                          bnd_shape shape, const bnd_block *block, const bnd_array *how,
                                          bnd_error *why);

/* Quantizes and dequantizes at once. Elements may be a value set here.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `y` (out): the array; it may be x. `x`, `shape`, `block`, `how`, `stats`, `why`: as in bnd_quantize_f32.
 * On failure: Nothing is written; the reasons are those of bnd_quantize_f32. */
BND_CHECKED bnd_status bnd_fake_quantize_f32(float *y, const float *x, bnd_shape shape, const bnd_block *block,
                                             const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* ---- scales that are known ---- */

/* Scales that exist before a call: those of a fused group of tensors, of a rule of the caller, of a file. All NULL:
 * none. */
typedef struct bnd_given_scales {
    const void *scales;        /* bnd_block_scales_size bytes; NULL: they are found */
    const float *tensor_scale; /* a factor; NULL: it is found, if the block format has one */
} bnd_given_scales;

/* bnd_quantize_f32 with given scales, and any of its parts. With a given tensor scale the other scales are found as
 * usual, and elements may saturate if it is too small. Without `codes` only scales are found; without `codes` and
 * `scales` only the tensor scale.
 *
 * Given scales are numbers of the scale format, by any rule. An element is the exact quotient by them, rounded once. An
 * infinity or a NaN among the elements is rounded as bnd_encode_f32 rounds it, and does not change its block. A scale
 * that is NaN makes its elements the rounding of NaN; a scale of 0 or infinity makes those zero that are not NaN.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `codes` (out): as in bnd_quantize_f32, or NULL: nothing is rounded or counted, and elements may be a value
 *     set. `scales` (out): NULL if they are given, or if `codes` is NULL and they are not wanted. `tensor_scale` (out):
 *     the one that was used; NULL if it is given. `given`: the scales, or NULL for none. `x`, `shape`, `block`, `how`,
 *     `stats`, `why`: as in bnd_quantize_f32.
 * On failure: Nothing is written; the reasons are those of bnd_quantize_f32; scales are given without the tensor scale
 *     that belongs to them; or scales are to be found for a tensor scale that is zero or negative. */
BND_CHECKED bnd_status bnd_quantize_given_f32(void *codes, void *scales, float *tensor_scale, const float *x,
                                              bnd_shape shape, const bnd_block *block, const bnd_given_scales *given,
                                              const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* bnd_fake_quantize_f32 with given scales.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `y` (out): the array; it may be x. `given`: the scales, or NULL for none. `x`, `shape`, `block`, `how`,
 *     `stats`, `why`: as in bnd_quantize_f32.
 * On failure: Nothing is written; the reasons are those of bnd_quantize_given_f32. */
BND_CHECKED bnd_status bnd_fake_quantize_given_f32(float *y, const float *x, bnd_shape shape, const bnd_block *block,
                                                   const bnd_given_scales *given, const bnd_array *how,
                                                   bnd_stats *stats, bnd_error *why);

/* The largest magnitude of an array. The scales of an array follow from it alone if all elements share them: those of
 * one number with that magnitude are the same.
 *
 * Returns: The magnitude; NaN if an element is NaN, 0 if there are none. Cannot fail.
 * Arguments: `x`, `n`: the array. `context`: the back end and the threads, or NULL. */
float bnd_largest_magnitude_f32(const float *x, size_t n, const bnd_context *context);

/* ---- a random Hadamard transform ---- */

enum { BND_HADAMARD_SIZE = 16 };

/* A random Hadamard transform of each 16 neighbours of a row, and its inverse, which undoes it up to rounding.
 *
 * The transform applies 16 random signs, then the 16-point Walsh-Hadamard transform, then the factor 1/4; the inverse
 * applies them in the opposite order. The signs are the lowest 16 bits of bnd_random(seed, BND_HADAMARD_SIZE, 0), where
 * 1 is minus. They are the same for every 16 elements, so that both operands of a matrix product can be transformed
 * along their common axis. The arithmetic is fp32, to nearest: the butterflies of distance 1, 2, 4, 8, in each a + b
 * and a - b of a pair with a before b, and the factor last.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `y` (out): rows x columns numbers; it may be x. `x`: the numbers. `rows`, `columns`: columns is a multiple
 *     of 16. `seed`: of the signs. `why` (out): the error, or NULL.
 * On failure: Nothing is written: columns is not a multiple of 16, or the size does not fit memory. */
BND_CHECKED bnd_status bnd_hadamard_f32(float *y, const float *x, size_t rows, size_t columns, uint64_t seed,
                                        bnd_error *why);
BND_CHECKED bnd_status bnd_hadamard_inverse_f32(float *y, const float *x, size_t rows, size_t columns, uint64_t seed,
                                                bnd_error *why);

/* bnd_hadamard_f32 along the middle axis of a shape, for each 16 of it. The last length mod 16 elements of the axis
 * stay as they are.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `y` (out), `x`, `shape`: the array; y may be x. `seed`: of the signs. `why` (out): the error, or NULL.
 * On failure: Nothing is written: the size does not fit memory. */
BND_CHECKED bnd_status bnd_hadamard_along_f32(float *y, const float *x, bnd_shape shape, uint64_t seed, bnd_error *why);

/* ---- dynamic quantization ---- */

/* One-byte codes that are not evenly spaced, for numbers of very different magnitudes (Dettmers et al. 2021,
 * 2110.02861). They cover seven decades, each cut into twice as many parts as the one below. The numbers of a block
 * share their largest magnitude, in fp32. A code is that of the number nearest to x / amax (rounded to fp32); of two
 * equally near, the one nearer to zero. Codes are in the order of their numbers.
 *
 *     signed     0; and for i = 0 .. 6 the middles of 2^i equal parts of [0.1, 1], times 10^(i - 6), of both signs; 1
 *     unsigned   0; the middles of 2^(i + 1) parts; 1. Negative numbers become 0
 *
 * Linear ones are evenly spaced: signed (c - 127) / 127 for c = 0 .. 254, and 255 is not used; unsigned c / 255.
 *
 * Each number is rounded once to fp32, and so is its product with a scale. If amax is 0, the scale is 0. If a block
 * contains a NaN or an infinity, its scale is NaN, and all of the block reads back as NaN. */
typedef struct bnd_dynamic {
    size_t block; /* numbers that share a scale; the last block may be shorter */
    bool is_signed;
    bool is_linear;
    uint8_t reserved[6]; /* zero */
} bnd_dynamic;

/* The number of a code of dynamic quantization, from -1 (unsigned: 0) to 1.
 *
 * Returns: The number, rounded once to fp32. Cannot fail.
 * Arguments: `code`: any byte. `is_signed`: which of the two codes. */
float bnd_dynamic_number(unsigned char code, bool is_signed);

/* The number of a code of linear quantization, from -1 (unsigned: 0) to 1.
 *
 * Returns: The number, rounded once to fp32. Cannot fail.
 * Arguments: `code`: any byte; 255 of the signed code is 1, too. `is_signed`: which of the two codes. */
float bnd_linear_number(unsigned char code, bool is_signed);

/* The number of scales, which are floats, of dynamic quantization.
 *
 * Returns: The number; 0 if n or how->block is 0.
 * Arguments: `n`: the number of elements. `how`: the choices. */
size_t bnd_dynamic_scales(size_t n, const bnd_dynamic *how);

/* Quantizes an array dynamically, and dequantizes its codes.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `codes`, `scales`: n bytes, and bnd_dynamic_scales(n, how) floats. `x`, `y`, `n`: the numbers. `how`: the
 *     choices. `why` (out): the error, or NULL.
 * On failure: Nothing is written: how->block is 0, or n does not fit memory. */
BND_CHECKED bnd_status bnd_dynamic_quantize_f32(unsigned char *codes, float *scales, const float *x, size_t n,
                                                const bnd_dynamic *how, bnd_error *why);
BND_CHECKED bnd_status bnd_dynamic_dequantize_f32(float *y, const unsigned char *codes, const float *scales, size_t n,
                                                  const bnd_dynamic *how, bnd_error *why);

/* ---- GGUF ---- */

/* Types by their number in the file. Encoding finite numbers gives the bytes of ggml's reference quantizer
 * (bnd_gguf_note says which); decoding gives the same values. */
typedef enum bnd_gguf_type {
    BND_GGUF_Q4_0 = 2,   /* 18 bytes for 32: d in fp16, 16 bytes of nibbles */
    BND_GGUF_Q8_0 = 8,   /* 34 bytes for 32: d in fp16, 32 bytes */
    BND_GGUF_MXFP4 = 39, /* 17 bytes for 32: e8m0, 16 bytes of nibbles */
    BND_GGUF_NVFP4 = 40  /* 36 bytes for 64: four scales, 32 bytes of nibbles */
} bnd_gguf_type;

/* The name of a GGUF type, "q8_0", and a note about it.
 *
 * Returns: The text; "" if the type does not exist. Never NULL.
 * Arguments: `type`: the type. */
const char *bnd_gguf_name(bnd_gguf_type type);
const char *bnd_gguf_note(bnd_gguf_type type);

/* The number of elements in a block of a GGUF type.
 *
 * Returns: The number; 0 if the type does not exist.
 * Arguments: `type`: the type. */
size_t bnd_gguf_block(bnd_gguf_type type);

/* The size of n elements in bytes.
 *
 * Returns: The number; 0 if n is not a multiple of the block, or if it does not fit memory.
 * Arguments: `type`: the type. `n`: the number of elements. */
size_t bnd_gguf_size(bnd_gguf_type type, size_t n);

/* Encodes numbers as blocks of a GGUF type, and decodes such blocks. A block that holds a NaN or an infinity gets a
 * scale that is NaN, and decodes to NaNs.
 *
 * Returns: BND_OK or BND_BAD_ARGUMENT.
 * Arguments: `blocks`: bnd_gguf_size bytes. `x`, `y`, `n`: the numbers; n is a multiple of the block. `type`: the type.
 *     `why` (out): the error, or NULL.
 * On failure: Nothing is written: the type does not exist, n is not a multiple of the block, or it does not fit memory.
 */
BND_CHECKED bnd_status bnd_gguf_encode_f32(void *blocks, const float *x, size_t n, bnd_gguf_type type, bnd_error *why);
BND_CHECKED bnd_status bnd_gguf_decode_f32(float *y, const void *blocks, size_t n, bnd_gguf_type type, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
