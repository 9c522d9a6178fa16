/* Tiles of tensor cores' groups in fp32 and integers, with AVX-512 and AVX2. A part of tile_kernels.c;
 * tile_tensor_template.h has the rule and does the tiles that are refused here.
 *
 *   - Exponents are those of fp32's fields, which are at least the field of the format's least number; NOTHING for
 *     zero, so that the sum of two is far below all others. With T the largest sum, the scale is 2^(F - T).
 *   - A product is exact in fp32, where the significands of A's and B's numbers have at most 24 bits together. Where it
 *     underflows it is far less than a unit.
 *   - Scaled, and converted to an integer toward zero, a term has less than 2^(F + 2) units. A group of them fits 32
 *     bits; s is added as fp32 or double, which hold the sum (`wide`), and is cut off by a mask.
 *
 * Fraction 3, format of 4 bits, s = 1, products 1.5 * 1.5 and 0.375 * 0.5: T = 0, the scale is 8. The terms are 8, 18
 * and 1.5, as integers 8, 18 and 1. Their sum is 27, to 4 bits 26, and 26 / 8 = 3.25.
 *
 * The tile is refused in four cases: T is below F - 126, so that the scale is not a number of fp32 (but not if all
 * terms are zero); T is above TOO_LARGE; an operand is infinite or NaN, which a zero can hide from T; significands have
 * more than 24 bits together.
 * Instructions per product of a vector: multiply, store, add, maximum; scale, convert, add. That is 7, where doubles
 * took about 20 for half of the lanes. */
#ifndef BINADE_SRC_MATMUL_TILE_TENSOR_WORDS_H
#define BINADE_SRC_MATMUL_TILE_TENSOR_WORDS_H

#include "matmul/tile_aligned_words.h"
#include "matmul/tile_tensor_template.h"

enum { BIAS = 127, NOTHING = -10000, TOO_LARGE = 120 };

#if defined(BNDI_FOR_AVX512)
#include "matmul/tile_tensor_avx512.h"
#else
#include "matmul/tile_tensor_avx2.h"
#endif

static ALWAYS_INLINE words plus_constant(words a, int32_t b)
{
    return plus_words(a, all_words(b));
}

/* The first n of a vector; zeros after them. */
static ALWAYS_INLINE V load_some(const float *x, size_t n)
{
    float some[LANES] = {0};
    if (n >= LANES) {
        return load(x);
    }
    __builtin_memcpy(some, x, n * sizeof *some);
    return load(some);
}

/* How many bits of a significand do numbers have, of whose words these are the bits? */
static ALWAYS_INLINE int most_bits(words x)
{
    int32_t lanes[LANES];
    uint32_t all_lanes = UINT32_C(1) << 23;
    store_words(lanes, x);
    for (size_t l = 0; l < LANES; l++) {
        all_lanes |= (uint32_t)lanes[l] & 0x7fffff;
    }
    return 24 - __builtin_ctz(all_lanes);
}

/* Sums of the rows; the largest T of all groups and the least of those that have a term, plus 2 BIAS; constants. */
typedef struct tensor_rows {
    V s[ALIGNED_ROWS][2];
    words most, least, lowest, first, keep, least_a, least_b, least_s, bits_of_a, bits_of_b, field;
    int64_t keep_double;
    int32_t of_a[ALIGNED_ROWS][BND_GROUP_MAX + LANES];
    words of_b[BND_GROUP_MAX][2];
} tensor_rows;

/* A group of n products: two vectors of row i. */
static ALWAYS_INLINE void tensor_group(bool wide, tensor_rows *w, size_t i, const float *a, const float *b, size_t n)
{
    V p[BND_GROUP_MAX][2], scale[2];
    words top[2], total[2];
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        top[v] = plus_constant(fields_of(w->s[i][v], w->least_s), BIAS);
        total[v] = all_words(0);
    }
    for (size_t at = 0; at < n; at++) {
        UNROLL
        for (size_t v = 0; v < 2; v++) {
            p[at][v] = all(a[at]) * load(b + at * COLUMNS + v * LANES);
            top[v] = larger_signed(top[v], plus_words(all_words(w->of_a[i][at]), w->of_b[at][v]));
        }
    }
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        w->most = larger_signed(w->most, top[v]);
        w->least = smaller_word(w->least, top[v]); /* NOTHING is the largest word */
        top[v] = larger_signed(top[v], w->lowest);
        scale[v] = with_field(less_words(w->first, top[v]));
    }
    for (size_t at = 0; at < n; at++) {
        UNROLL
        for (size_t v = 0; v < 2; v++) {
            total[v] = plus_words(total[v], toward_zero(p[at][v] * scale[v]));
        }
    }
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        const words s = toward_zero(w->s[i][v] * scale[v]);
        const V sum = wide ? sum_of_words(total[v], s, w->keep_double) : as_numbers(plus_words(total[v], s), w->keep);
        w->s[i][v] = sum * with_field(less_words(all_words(2 * BIAS), less_words(w->first, top[v])));
    }
}

/* False where a term cannot be done here; C is then unchanged. */
static ALWAYS_INLINE bool tensor_by(bool wide, const bndi_sum *sum, float *c, size_t pitch, const float *a,
                                    const float *b, size_t k)
{
    const size_t group = (size_t)sum->group;
    const int32_t fraction = sum->tensor.fraction;
    tensor_rows w;
    w.most = all_words(0);
    w.least = all_words(-1);
    w.lowest = all_words(2 * BIAS + fraction - 126);
    w.first = all_words(3 * BIAS + fraction);
    w.keep = all_words(-(1 << (24 - sum->bits)));
    w.keep_double = -((int64_t)1 << (53 - sum->bits));
    w.least_a = all_words(sum->emin_a + BIAS);
    w.least_b = all_words(sum->emin_b + BIAS);
    w.least_s = all_words(1);
    w.bits_of_a = w.bits_of_b = w.field = all_words(0);
    for (size_t i = 0; i < ALIGNED_ROWS; i++) {
        w.s[i][0] = load(c + i * pitch);
        w.s[i][1] = load(c + i * pitch + LANES);
    }
    for (size_t at = 0; at < k; at += group) {
        const size_t n = k - at < group ? k - at : group;
        for (size_t step = 0; step < n; step++) {
            UNROLL
            for (size_t v = 0; v < 2; v++) {
                const V y = load(b + (at + step) * COLUMNS + v * LANES);
                w.of_b[step][v] = fields_of(y, w.least_b);
                w.bits_of_b = either(w.bits_of_b, y);
                w.field = larger_signed(w.field, w.of_b[step][v]);
            }
        }
        for (size_t i = 0; i < ALIGNED_ROWS; i++) {
            const float *x = a + i * BNDI_PITCH + at;
            for (size_t step = 0; step < n; step += LANES) {
                const V y = load_some(x + step, n - step);
                const words fields = fields_of(y, w.least_a);
                store_words(w.of_a[i] + step, fields);
                w.bits_of_a = either(w.bits_of_a, y);
                w.field = larger_signed(w.field, fields);
            }
            tensor_group(wide, &w, i, x, b + at * COLUMNS, n);
        }
    }
    if (any_word_above(w.most, all_words(2 * BIAS + TOO_LARGE)) || any_word_above(w.lowest, w.least) ||
        any_word_above(w.field, all_words(254)) || most_bits(w.bits_of_a) + most_bits(w.bits_of_b) > 24) {
        return false;
    }
    for (size_t i = 0; i < ALIGNED_ROWS; i++) {
        store(c + i * pitch, w.s[i][0]);
        store(c + i * pitch + LANES, w.s[i][1]);
    }
    return true;
}

/* The entry. Without steps nothing has looked at C. */
static bool tensor_in_words(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    if (k == 0) {
        return false;
    }
    return sum->tensor.wide ? tensor_by(true, sum, c, pitch, a, b, k) : tensor_by(false, sum, c, pitch, a, b, k);
}

#endif
