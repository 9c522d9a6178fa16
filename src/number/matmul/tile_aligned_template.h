/* Tiles of groups of products that are aligned, cut off and added, in double: the accumulators of tensor cores. A part
 * of tile_kernels.c. Each group of products and the running sum are aligned to the largest exponent among them, cut off
 * below `bits` bits, added exactly, and the sum is cut off to `bits` bits.
 *
 * One lane, bits = 4, sum so far 1, products 0.45, -0.3 and 0.05:
 *
 *   largest magnitude 1: unit = 2^(0 - 3) = 0.125, magic M = 2^52 units
 *   |x|                1        0.45       0.3       0.05
 *   |x| + M - M        1        0.5        0.25      0         to nearest: 0.45 is 3.6 units, 0.3 is 2.4, 0.05 is 0.4
 *   above |x|?         no       yes        no        no        a unit less there: cut off, not rounded
 *   r                  1        0.375      0.25      0
 *   with its sign      1        0.375      -0.25     0
 *   total              1.125, its highest 4 bits: 1.125 = 9 units */
#ifndef BINADE_SRC_MATMUL_TILE_ALIGNED_TEMPLATE_H
#define BINADE_SRC_MATMUL_TILE_ALIGNED_TEMPLATE_H

#include "base/bits.h"
#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

enum { ALIGNED_ROWS = 4 };

/* LANES columns of one row: the sum, the unit and M of the group, the sum of cut off terms, and the plain sum
 * (`uncut`), which shows infinities and NaNs. */
typedef struct aligned_lanes {
    double s[LANES], unit[LANES], magic[LANES], total[LANES], uncut[LANES];
} aligned_lanes;

/* The unit of a group: its largest term's exponent, `bits` - 1 lower. 2^-126 is the least exponent that such hardware
 * aligns to. */
static inline void align(aligned_lanes *w, const float *a, const float *b, size_t k, int32_t bits)
{
    const uint64_t exponents = UINT64_C(0x7ff) << 52, down = (uint64_t)(uint32_t)(bits - 1) << 52;
    double most[LANES];
    for (int l = 0; l < LANES; l++) {
        double u = __builtin_fabs(w->s[l]);
        most[l] = u > 0x1p-126 ? u : 0x1p-126;
        w->uncut[l] = w->s[l];
    }
    for (size_t at = 0; at < k; at++) {
        for (int l = 0; l < LANES; l++) {
            double p = (double)a[at] * (double)b[at * COLUMNS + (size_t)l], u = __builtin_fabs(p);
            most[l] = u > most[l] ? u : most[l];
            w->uncut[l] += p;
        }
    }
    for (int l = 0; l < LANES; l++) {
        uint64_t word = bndi_bits_of_double(most[l]);
        word = (word & exponents) - down;
        w->unit[l] = bndi_double_of_bits(word);
        w->magic[l] = bndi_double_of_bits(word + (UINT64_C(52) << 52));
    }
}

/* |x| cut off to a multiple of the unit, with the sign of x: to nearest by x + M - M, M being 2^52 units, and a unit
 * less where that is above |x|. */
static inline double truncated(double x, double unit, double magic)
{
    double u = __builtin_fabs(x), r = (u + magic) - magic;
    r = r > u ? r - unit : r;
    return __builtin_copysign(r, x);
}

/* total = the truncated s and the truncated products, exactly. */
static inline void add_truncated(aligned_lanes *w, const float *a, const float *b, size_t k)
{
    for (int l = 0; l < LANES; l++) {
        w->total[l] = truncated(w->s[l], w->unit[l], w->magic[l]);
    }
    for (size_t at = 0; at < k; at++) {
        for (int l = 0; l < LANES; l++) {
            double p = (double)a[at] * (double)b[at * COLUMNS + (size_t)l];
            w->total[l] += truncated(p, w->unit[l], w->magic[l]);
        }
    }
}

/* The sum of the truncated terms is exact in a double: 65 terms of at most 2^bits units. So are its highest `bits`
 * bits, which are kept by a mask. Beyond fp32 the sum is infinite; where `all` is infinite or NaN, an operand was, and
 * it is the result. */
static inline void add_group(aligned_lanes *w, const float *a, const float *b, size_t k, int32_t bits)
{
    const uint64_t keep = ~((UINT64_C(1) << (53 - bits)) - 1);
    add_truncated(w, a, b, k);
    for (int l = 0; l < LANES; l++) {
        uint64_t word = bndi_bits_of_double(w->total[l]);
        double s = bndi_double_of_bits(word & keep) + 0.0; /* -0 becomes +0 */
        s = __builtin_fabs(s) >= 0x1p128 ? __builtin_copysign(__builtin_inf(), s) : s;
        bool number = w->uncut[l] - w->uncut[l] == 0;
        w->s[l] = number ? s : w->uncut[l];
    }
}

/* A group of k products: from the sum s to the next one. */
typedef void lanes_group(aligned_lanes *w, const bndi_sum *sum, const float *a, const float *b, size_t k);

/* A tile, whose groups `add` does: row by row, LANES columns at a time. */
static ALWAYS_INLINE bool by_groups(lanes_group *add, const bndi_sum *sum, float *c, size_t pitch, const float *a,
                                    const float *b, size_t k)
{
    const size_t group = (size_t)sum->group;
    for (size_t i = 0; i < ALIGNED_ROWS; i++) {
        for (size_t v = 0; v < COLUMNS; v += LANES) {
            aligned_lanes w;
            for (int l = 0; l < LANES; l++) {
                w.s[l] = (double)c[i * pitch + v + (size_t)l];
            }
            for (size_t at = 0; at < k; at += group) {
                add(&w, sum, a + i * BNDI_PITCH + at, b + at * COLUMNS + v, k - at < group ? k - at : group);
            }
            for (int l = 0; l < LANES; l++) {
                c[i * pitch + v + (size_t)l] = w.s[l] != w.s[l] ? __builtin_nanf("") : (float)w.s[l];
            }
        }
    }
    return true;
}

/* Aligned to the largest term; tile_tensor_template.h has the other kind. */
static inline void aligned_to_terms(aligned_lanes *w, const bndi_sum *sum, const float *a, const float *b, size_t k)
{
    align(w, a, b, k, sum->bits);
    add_group(w, a, b, k, sum->bits);
}

static bool aligned(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    return by_groups(aligned_to_terms, sum, c, pitch, a, b, k);
}

#endif
