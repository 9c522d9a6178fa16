/* Layer 6: formats that share a scale. MXFP8, MXFP6, MXFP4, MXINT8, NVFP4; a scale for a tensor, a row or a tile; the
 * blocks of GGUF; a random Hadamard transform. No call allocates.
 *
 * An element is ONE rounding of the exact quotient x / scale, where the scale is the one that is stored (for NVFP4 the
 * exact product of both stored scales). Its value is the exact product of element and scale, rounded once to fp32. */
#ifndef BINADE_BLOCK_H
#define BINADE_BLOCK_H

#include <binade/bulk.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a block format is a plain value, as data as a rule is ---- */

/* How a scale follows from amax, the largest magnitude that shares it; max and emax are those of the element, all
 * logarithms and quotients exact. The first four give powers of two, clamped to those of the scale's format. */
typedef enum bnd_scale_rule {
    BND_SCALE_RCEIL,   /* 2^ceil(log2(amax / max)): the least power of two that saturates nothing */
    BND_SCALE_FLOOR,   /* 2^(floor(log2 amax) - emax) */
    BND_SCALE_CEIL,    /* 2^(ceil(log2 amax) - emax) */
    BND_SCALE_EVEN,    /* 2^(floor(log2(amax rounded to the element's precision)) - emax) */
    BND_SCALE_NEAREST, /* the scale format's number nearest to amax / max, at least 2^least, at most its largest */
    BND_SCALE_COUNT
} bnd_scale_rule;

/* Who shares a scale. */
typedef enum bnd_sharing {
    BND_SHARE_BLOCK, /* `along` neighbours along the axis (0: the whole axis, a row) */
    BND_SHARE_TILE,  /* `along` times `across` elements of a matrix (0: all of them) */
    BND_SHARE_TENSOR /* all */
} bnd_sharing;

enum { BND_BLOCK_NAME_SIZE = 96 };

/* Change what you like and it is another block format: any element whose values fp32 holds, any length, any scale
 * format of 8, 16 or 32 bits that has a NaN. */
typedef struct bnd_block {
    char name[BND_BLOCK_NAME_SIZE]; /* without the rule: bnd_block_print names both */
    bnd_format element, scale;
    uint8_t rule;         /* bnd_scale_rule */
    uint8_t sharing;      /* bnd_sharing */
    bool tensor;          /* NVFP4: an fp32 for the whole array beside these scales: amax / (max * the scales' max), but
                           * at least 2^-126 */
    bool integer;         /* MXINT8: codes are bytes in two's complement, in units of the element's least number */
    int16_t least;        /* of the rule nearest */
    size_t along, across; /* the last block of an axis may be shorter */
} bnd_block;

/* mxfp8, mxfp8-e5m2, mxfp6-e2m3, mxfp6-e3m2, mxfp4, mxint8, nvfp4, ...; or a format and how it is scaled: e4m3/tensor,
 * e4m3/row, e4m3/tile:1x128, e3m4/mx. Each may end in a rule: mxfp8:floor. Case does not matter. */
BND_CHECKED bnd_status bnd_block_parse(bnd_block *out, const char *name, bnd_error *why);

/* The same from its parts: tensor, row, row:N (blocks of N along the axis, scales fp32), tile:RxC, mx (blocks of 32,
 * scales e8m0) or nvfp4, for this element; mx:RxC and nvfp4:RxC share these scales among tiles. `mx` and `nvfp4`
 * give the row of the table where there is one. */
BND_CHECKED bnd_status bnd_block_scaled(bnd_block *out, const char *scale, const bnd_format *element, bnd_error *why);

/* floor, ceil, even, rceil, nearest: sets the rule and nothing else. nearest and powers of two may replace each other
 * where the scale is fp32; NVFP4's rule is nearest, the rule of e8m0 scales a power of two. */
BND_CHECKED bnd_status bnd_scale_rule_parse(bnd_block *block, const char *name, bnd_error *why);
const char *bnd_scale_rule_name(bnd_scale_rule rule); /* "rceil" */
const char *bnd_scale_rule_who(bnd_scale_rule rule);  /* "cuBLAS, Transformer Engine" */

/* "mxfp8 (rceil; cuBLAS, Transformer Engine)": as snprintf, into at most `size` bytes. The rule is always named: OCP's
 * text and torchao default to another one. */
size_t bnd_block_print(char *out, size_t size, const bnd_block *block);

/* What surprises people about this format, in a sentence or two; "" where nothing does. */
const char *bnd_block_note(const bnd_block *block);

/* The table: rows 0 .. count-1. bnd_block_at is false, and writes nothing, and a title is "", where there is no such
 * row. */
size_t bnd_block_count(void);
bool bnd_block_at(bnd_block *out, size_t row);
const char *bnd_block_title(size_t row);

/* ---- arrays ---- */

/* An array as blocks see it: `outer` times `length` times `inner` elements, the last of them neighbours. Blocks run
 * along the middle one: the last axis of a tensor has inner = 1, its first one outer = 1. A tile is `along` of the
 * middle one by `across` of the last. */
typedef struct bnd_shape {
    size_t outer, length, inner;
} bnd_shape;

/* The shape of a tensor of `rank` dimensions for blocks along `axis`; tiles take the last two dimensions. Refused where
 * there is no such axis, where a tile finds fewer than two dimensions, and where the product overflows. */
BND_CHECKED bnd_status bnd_block_shape(bnd_shape *out, const bnd_block *block, const size_t *dimensions, size_t rank,
                                       size_t axis, bnd_error *why);

/* How many scales there are, and how they lie: outer times blocks along times blocks across, in this order. 0 where
 * that is more than memory could hold. Scales are little-endian words of the scale format's width. */
size_t bnd_block_scales(const bnd_block *block, bnd_shape shape);
size_t bnd_block_scales_size(const bnd_block *block, bnd_shape shape); /* in bytes */

/* Bytes of the codes: they lie as the array does, and as bnd_packing says. 0 as above, and where there are no codes. */
size_t bnd_block_codes_size(const bnd_block *block, bnd_shape shape, bnd_packing packing);

/* Scales found, and applied. `tensor_scale` is written where the block format has one, and may be NULL elsewhere.
 *
 *  - how->rule rounds the elements: any mode, stochastic ones by the index first + (place in the array). The overflow
 *    policy "format" is that of block formats, saturation (OCP MX 6.3); the others mean what they say. flush_in looks
 *    at x, before it is scaled.
 *  - NaN or infinity: the scale of its block becomes NaN (e8m0: ff), and every element the rounding of NaN. The
 *    tensor's scale is that of the blocks without.
 *  - amax 0: the least scale where the format has no zero (e8m0: 00, 2^-127), otherwise 1, or 2^least where a tensor's
 *    scale stands beside it.
 *  - Statistics are those of x and of what the elements are worth: sums, in the order of the work, in x's own unit.
 *    `exact` counts the elements that come back as they were, `inexact` the others. `overflows` and `saturated` count
 *    what rounding brings beyond the largest element.
 *
 * Strides must be 0 or 1. The caller's rounding mode and flushing of subnormals change nothing and are left as they
 * were. how->context says how many threads; the bits do not depend on it. */
BND_CHECKED bnd_status bnd_quantize_f32(void *codes, void *scales, float *tensor_scale, const float *x, bnd_shape shape,
                                        const bnd_block *block, const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* Back. `tensor_scale` is a factor (some tools store its reciprocal), and counts only where the format has one. */
BND_CHECKED bnd_status bnd_dequantize_f32(float *y, const void *codes, const void *scales, float tensor_scale,
                                          bnd_shape shape, const bnd_block *block, const bnd_array *how,
                                          bnd_error *why);

/* Both at once: what of x is left. y may be x. Elements may be a value set here. */
BND_CHECKED bnd_status bnd_fake_quantize_f32(float *y, const float *x, bnd_shape shape, const bnd_block *block,
                                             const bnd_array *how, bnd_stats *stats, bnd_error *why);

/* ---- a random Hadamard transform ---- */

enum { BND_HADAMARD_SIZE = 16 };

/* Each 16 neighbours of a row (columns: a multiple of 16) times 16 random signs, then the 16-point Walsh-Hadamard
 * transform, then 1/4; the inverse undoes it up to rounding, in the other order. The signs are the lowest 16 bits of
 * bnd_random(seed, BND_HADAMARD_SIZE, 0), 1 is minus, and the same for every 16: both factors of a product can be
 * transformed along their common axis. In fp32, to nearest: the butterflies of distance 1, 2, 4, 8, in each a + b and
 * a - b of a pair a before b, and the factor 1/4 last. y may be x. */
BND_CHECKED bnd_status bnd_hadamard_f32(float *y, const float *x, size_t rows, size_t columns, uint64_t seed,
                                        bnd_error *why);
BND_CHECKED bnd_status bnd_hadamard_inverse_f32(float *y, const float *x, size_t rows, size_t columns, uint64_t seed,
                                                bnd_error *why);

/* Along the middle axis of a shape: the same for each 16 of it, element by element; what is left over at its end, up to
 * 15, stays as it is. */
BND_CHECKED bnd_status bnd_hadamard_along_f32(float *y, const float *x, bnd_shape shape, uint64_t seed, bnd_error *why);

/* ---- dynamic quantization ----
 *
 * Codes of a byte that are not evenly spaced, for what spans many magnitudes (Dettmers et al. 2021, 2110.02861): seven
 * decades, each cut into twice as many parts as the one below. `blocks` of numbers share their largest magnitude in
 * fp32; a code is that of the number nearest to x / amax (rounded to fp32), of two the one nearer to zero. Codes stand
 * in the order of their numbers.
 *
 *     signed     0; and for i = 0 .. 6 the middles of 2^i equal parts of [0.1, 1], times 10^(i - 6), of both signs; 1
 *     unsigned   0; the middles of 2^(i + 1) parts; 1. Negative numbers become 0
 *
 * Each number is rounded once to fp32, and so is its product with a scale. amax 0: the scale is 0. NaN or infinity in a
 * block: its scale is NaN, and all of it reads back as NaN. */
typedef struct bnd_dynamic {
    size_t block; /* numbers that share a scale; the last block may be shorter */
    bool is_signed;
} bnd_dynamic;

float bnd_dynamic_number(unsigned char code, bool is_signed);
size_t bnd_dynamic_scales(size_t n, const bnd_dynamic *how); /* floats */
BND_CHECKED bnd_status bnd_dynamic_quantize_f32(unsigned char *codes, float *scales, const float *x, size_t n,
                                                const bnd_dynamic *how, bnd_error *why);
BND_CHECKED bnd_status bnd_dynamic_dequantize_f32(float *y, const unsigned char *codes, const float *scales, size_t n,
                                                  const bnd_dynamic *how, bnd_error *why);

/* ---- GGUF ---- */

/* Types by their number in the file. What is encoded is byte for byte what ggml's reference quantizer makes of finite
 * numbers (bnd_gguf_note says where), what is decoded the same values. */
typedef enum bnd_gguf_type {
    BND_GGUF_Q4_0 = 2,   /* 18 bytes for 32: d in fp16, 16 bytes of nibbles */
    BND_GGUF_Q8_0 = 8,   /* 34 bytes for 32: d in fp16, 32 bytes */
    BND_GGUF_MXFP4 = 39, /* 17 bytes for 32: e8m0, 16 bytes of nibbles */
    BND_GGUF_NVFP4 = 40  /* 36 bytes for 64: four scales, 32 bytes of nibbles */
} bnd_gguf_type;

const char *bnd_gguf_name(bnd_gguf_type type); /* "q8_0"; "" where the type is none of these */
const char *bnd_gguf_note(bnd_gguf_type type); /* its traps */
size_t bnd_gguf_block(bnd_gguf_type type);     /* elements of a block, 0 where the type is none of these */

/* Bytes of n elements; 0 where n is no multiple of the block, or more than memory could hold. */
size_t bnd_gguf_size(bnd_gguf_type type, size_t n);

/* n: a multiple of the block. A block that holds a NaN or an infinity gets a scale that is NaN, and reads back as
 * NaNs. */
BND_CHECKED bnd_status bnd_gguf_encode_f32(void *blocks, const float *x, size_t n, bnd_gguf_type type, bnd_error *why);
BND_CHECKED bnd_status bnd_gguf_decode_f32(float *y, const void *blocks, size_t n, bnd_gguf_type type, bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
