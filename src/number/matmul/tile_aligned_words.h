/* Tiles of aligned groups in fp32 and integers, with AVX-512 and AVX2: as many lanes as fp32 has, and each product is
 * made once. A part of tile_kernels.c; tile_aligned_template.h has the rule and does the tiles that are refused here.
 *
 *   - A product is rounded toward zero to fp32. That keeps its exponent, and cuts off nothing that the group keeps: the
 *     unit of a group is at least the last place of each of its products, since it has at most 24 bits, and at least
 *     2^(-126 - 23), fp32's least number. Cutting off twice is cutting off once.
 *   - Scaled by a power of two, so that the unit is 1, and converted to an integer toward zero, a term has less than
 *     2^24 units; 65 of them fit 32 bits. What underflows in the scaling is less than a unit, and becomes 0.
 *   - The sum as fp32, toward zero, less its bits after the first `bits`; scaled back it is a number of fp32, or from
 *     2^128 on infinite.
 *
 * Bits 4, sum so far 1, products 0.45, -0.3 and 0.05: the largest has the exponent 0, so the unit is 2^-3. The terms
 * times 8 are 8, 3.6, -2.4 and 0.4, as integers 8, 3, -2 and 0; their sum is 9, and 9 / 8 = 1.125.
 *
 * Not done here are terms of TOO_LARGE and more, infinities and NaNs among them: as integers their magnitudes are the
 * largest. The hooks are in tile_aligned_avx512.h and tile_aligned_avx2.h, which also say what `small` is.
 *
 * Instructions per product of a vector: multiply, and, maximum, store; scale, convert, add. That is 7, where doubles
 * took 13 for half of the lanes. */
#ifndef BINADE_SRC_MATMUL_TILE_ALIGNED_WORDS_H
#define BINADE_SRC_MATMUL_TILE_ALIGNED_WORDS_H

#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

#if defined(BNDI_FOR_AVX512)
#include "matmul/tile_aligned_avx512.h"
#else
#include "matmul/tile_aligned_avx2.h"
#endif

/* Sums of the rows; the largest magnitude of all terms so far and the least one of all groups' largest, as bits; and
 * constants. */
typedef struct aligned_rows {
    V s[ALIGNED_ROWS][2];
    aligned_seen seen;
    aligned_constants is;
} aligned_rows;

/* A group of n products: two vectors of row i. */
static ALWAYS_INLINE void aligned_group(bool small, aligned_rows *w, size_t i, const float *a, const float *b, size_t n)
{
    V p[BND_GROUP_MAX][2];
    words most[2], total[2];
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        most[v] = magnitude_of(w->s[i][v]);
    }
    for (size_t at = 0; at < n; at++) {
        UNROLL
        for (size_t v = 0; v < 2; v++) {
            const V y = load(b + at * COLUMNS + v * LANES);
            p[at][v] = product_toward_zero(all(a[at]), y);
            most[v] = larger_word(most[v], magnitude_of(p[at][v]));
        }
    }
    aligned_scale scale[2];
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        see(&w->seen, most[v]);
        scale[v] = scale_of(small, &w->is, most[v]);
        total[v] = whole(small, w->s[i][v], scale[v]);
    }
    for (size_t at = 0; at < n; at++) {
        UNROLL
        for (size_t v = 0; v < 2; v++) {
            total[v] = plus_words(total[v], whole(small, p[at][v], scale[v]));
        }
    }
    UNROLL
    for (size_t v = 0; v < 2; v++) {
        w->s[i][v] = cut_off(small, &w->is, total[v], scale[v]);
    }
}

/* False where a term cannot be done here; C is then unchanged. */
static ALWAYS_INLINE bool aligned_by(bool small, const bndi_sum *sum, float *c, size_t pitch, const float *a,
                                     const float *b, size_t k)
{
    const size_t group = (size_t)sum->group;
    aligned_rows w = {.seen = nothing_seen(), .is = aligned_constants_of(sum->bits)};
    for (size_t i = 0; i < ALIGNED_ROWS; i++) {
        w.s[i][0] = load(c + i * pitch);
        w.s[i][1] = load(c + i * pitch + LANES);
    }
    for (size_t at = 0; at < k; at += group) {
        const size_t n = k - at < group ? k - at : group;
        for (size_t i = 0; i < ALIGNED_ROWS; i++) {
            aligned_group(small, &w, i, a + i * BNDI_PITCH + at, b + at * COLUMNS, n);
        }
    }
    if (!are_fine(small, &w.seen, &w.is)) {
        return false;
    }
    for (size_t i = 0; i < ALIGNED_ROWS; i++) {
        store(c + i * pitch, w.s[i][0]);
        store(c + i * pitch + LANES, w.s[i][1]);
    }
    return true;
}

/* The entry. Without steps nothing has looked at C. */
static bool aligned_in_words(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    if (k == 0) {
        return false;
    }
    return aligned_by(false, sum, c, pitch, a, b, k) || (HAS_SMALL && aligned_by(true, sum, c, pitch, a, b, k));
}

#endif
