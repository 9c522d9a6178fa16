/* Tiles of sums that are rounded to p bits at each step. A part of tile_kernels.c.
 *
 * How a vector is rounded to p bits, p <= 11, in fp32 and without looking at exponents. Let s = 24 - p, RN fp32's own
 * rounding, q the distance of the format's subnormal numbers, g that of its numbers in the binade of x, or q if that is
 * more.
 *
 *   (1) x + M - M, the sum rounded once, where M is -2^s x, or 3 2^22 q where that is the larger magnitude. 2^s x has
 *       2^s times the exponent of x, so that the last place of M is worth g: 2^(e + s - 23) = 2^(e - p + 1); or q for
 *       the constant, whose neighbourhood of +-2^22 q has that last place. So RN(x + M) is a multiple of g, the nearest
 *       to x + M, and so is what remains of it without M: exact. In a tie, x is an odd multiple of g / 2, then 2^s x is
 *       an even multiple of g, s >= 13, and the even one of the sums is the even one of the results. The signs differ,
 *       so that x + M can leave the binade of M only downwards, where places are g / 2: for |x| < 2^e (1 + 2^-s) or so,
 *       which is nearer to 2^e than a quarter of g, 2^(e-s) < 2^(e-p-1), s > p + 1, that is p <= 11: 2^e comes out, as
 *       it must. (With equal signs the sum could leave it upwards, where M is no multiple of the last place.) Where M
 *       is -2^s x but for a rounding of its own, it is a multiple of g all the same, and a tie, which has at most p + 1
 *       bits, makes no such rounding.
 *   (2) t = RN((1 - 2^s) x), t + 2^s x: the same with M = -2^s x, for an x that is a multiple of q, and so needs no
 *       constant. The sum is exact: a p-bit number.
 *
 * EACH: the product is (1) with x = a b in a fused multiply-add: one rounding, of any fp32 numbers. The sum of two
 * values of the format is a multiple of q; RN makes 24 bits of it before (2) makes p. That is innocuous for 24 >= 2 p +
 * 2: where RN changes anything, the terms' exponents are more than 24 - p >= p + 2 apart (a sum spans no more bits than
 * from the larger term's first to the smaller one's last), the smaller term is less than a quarter of the larger one's
 * last place, and neither the sum nor what RN makes of it is, or passes, the middle of two values (next to a power of
 * two, where the gap below is half as wide, that is still twice the term).
 *
 * FUSED: a b + s is rounded to odd first: of fp32's numbers around it the one with an odd significand. 24 bits to odd
 * and then p <= 22 to nearest are one rounding, since no middle of two values is odd, nor does one lie between. Then
 * (1), with M made of either of the numbers around: that is -2^s x but for a rounding.
 *
 * None of this handles overflow, infinities or NaNs. An infinity as an operand, or as M or t on the way, becomes NaN in
 * the subtraction, and a NaN stays in the sum to its end, where it shows. The largest magnitude of products and sums is
 * kept and compared with the format's largest number, unless by_tiles.c can exclude that any is beyond it. Zeros: EACH
 * gives products that round to zero the sign +, which shows in a sum of -0 only: there it leaves the tile to strips.
 * FUSED with `checks` gives a sum that rounds to zero its sign; without them it refuses a tile where a sum ends at
 * zero, which is then done with them: a zero on the way changes no other number. */
#ifndef BINADE_SRC_MATMUL_TILE_ROUNDED_TEMPLATE_H
#define BINADE_SRC_MATMUL_TILE_ROUNDED_TEMPLATE_H

#include "base/bits.h"
#include "matmul/matmul.h"
#include "matmul/tile_lanes.h"

/* `checks`: products and sums are looked at. */
static ALWAYS_INLINE bool each_by(bool checks, const bndi_sum *sum, float *c, size_t pitch, const float *a,
                                  const float *b, size_t k)
{
    const V up = all(sum->up), down = all(-sum->up), factor = all(1 - sum->up), lowest = all(sum->lowest);
    V s[EACH_ROWS][2], most[2] = {all(0), all(0)};
    ALL_ROWS
    for (size_t i = 0; i < EACH_ROWS; i++) {
        s[i][0] = load(c + i * pitch);
        s[i][1] = load(c + i * pitch + LANES);
        if (any_minus_zero(s[i][0]) || any_minus_zero(s[i][1])) {
            return false;
        }
    }
    for (size_t at = 0; at < k; at++) {
        const V y[2] = {load(b + at * COLUMNS), load(b + at * COLUMNS + LANES)};
        const V above[2] = {y[0] * down, y[1] * down};
        ALL_ROWS
        for (size_t i = 0; i < EACH_ROWS; i++) {
            const V x = all(a[i * BNDI_PITCH + at]);
            UNROLL
            for (size_t v = 0; v < 2; v++) {
                V m = farther(lowest, x * above[v]), p = fma_lanes(x, y[v], m) - m, t = s[i][v] + p;
                s[i][v] = fma_exactly(up, t, t * factor);
                if (checks) {
                    most[v] = larger_magnitude(larger_magnitude(most[v], p), s[i][v]);
                }
            }
        }
    }
    bool strange = any_above(most[0], all(sum->largest)) || any_above(most[1], all(sum->largest));
    ALL_ROWS
    for (size_t i = 0; i < EACH_ROWS; i++) {
        strange |= any_nan(s[i][0]) || any_nan(s[i][1]);
    }
    if (strange) {
        return false;
    }
    ALL_ROWS
    for (size_t i = 0; i < EACH_ROWS; i++) {
        store(c + i * pitch, s[i][0]);
        store(c + i * pitch + LANES, s[i][1]);
    }
    return true;
}

static bool each(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    return each_by(false, sum, c, pitch, a, b, k);
}

static bool each_checked(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    return each_by(true, sum, c, pitch, a, b, k);
}

#if !defined(BNDI_FOR_AVX2) /* whose sums with one rounding are those of tile_kept_template.h */
/* `checks`: sums are tested, and results of zero keep their sign. Without it a zero at the end counts as a special
 * case. */
static ALWAYS_INLINE bool fused_by(bool checks, const bndi_sum *sum, float *c, size_t pitch, const float *a,
                                   const float *b, size_t k)
{
    float sign_bit = bndi_float_of_bits(sum->sign);
    const V down = all(-sum->up), lowest = all(sum->lowest), sign = all(sign_bit);
    V s[FUSED_ROWS][2], most[2] = {all(0), all(0)};
    ALL_ROWS
    for (size_t i = 0; i < FUSED_ROWS; i++) {
        s[i][0] = load(c + i * pitch);
        s[i][1] = load(c + i * pitch + LANES);
    }
    for (size_t at = 0; at < k; at++) {
        const V y[2] = {load(b + at * COLUMNS), load(b + at * COLUMNS + LANES)};
        ALL_ROWS
        for (size_t i = 0; i < FUSED_ROWS; i++) {
            const V x = all(a[i * BNDI_PITCH + at]);
            UNROLL
            for (size_t v = 0; v < 2; v++) {
                V near, t = fma_to_odd(x, y[v], s[i][v], &near), m = farther(lowest, near * down);
                s[i][v] = (t + m) - m;
                if (checks) {
                    s[i][v] = signed_as(s[i][v], t, sign);
                    most[v] = larger_magnitude(most[v], s[i][v]);
                }
            }
        }
    }
    bool strange = any_above(most[0], all(sum->largest)) || any_above(most[1], all(sum->largest));
    ALL_ROWS
    for (size_t i = 0; i < FUSED_ROWS; i++) {
        strange |= any_nan(s[i][0]) || any_nan(s[i][1]);
        strange |= !checks && (any_zero(s[i][0]) || any_zero(s[i][1]));
    }
    if (strange) {
        return false;
    }
    ALL_ROWS
    for (size_t i = 0; i < FUSED_ROWS; i++) {
        store(c + i * pitch, s[i][0]);
        store(c + i * pitch + LANES, s[i][1]);
    }
    return true;
}

static bool fused(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    return fused_by(false, sum, c, pitch, a, b, k);
}

static bool fused_checked(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    return fused_by(true, sum, c, pitch, a, b, k);
}
#endif

#endif
