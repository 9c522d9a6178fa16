/* Tiles of sums in doubles where a mode looks at more bits than a double has: fp64 to nearest away and stochastically,
 * and formats like fp32 with 32 random bits. A part of tile_kernels.c; the hooks are those of fp64 lanes.
 *
 * A product of two fp32 numbers is exact in double, so a step is x = s + p. Three numbers stand for it:
 *   t = RN(s + p), e = x - t    where |s| >= |p|, t - s is exact, and so is e = p - (t - s) (Dekker 1971); the one with
 *                               the larger magnitude comes first, and the other one is s ^ p ^ larger, by bits
 *   z = RZ(s + p)               has the sign, the binade and the first 53 bits of x
 * No exponent is near fp64's ends: those of products are from -298 to 255.
 *
 * q is the distance of the format's numbers at z, N the number of bits below q that are looked at. What remains of x is
 * rounded to multiples of 2^-N q by adding M, whose last place is worth that. To M + rest as an integer r is added, and
 * the last N bits are cleared: w. The table of tile_kept_template.h has N, r and the direction of each mode.
 *   fp64            x = t + e, q the last place of z. M = 3/2 2^-N times the power of two in z. |e| is at most q / 2,
 *                   and t is an even multiple of 2^-N q: e alone decides, ties included. w - M is -q, 0 or q, and t
 *                   plus that is z or its neighbour away from zero.
 *   other formats   RZ(z + L) - L is x cut off to the format, L having a last place of q. t less that is exact (few
 *                   bits at the end of t), and with e added it is the rest of x, 0 <= rest < q, cut off or to odd: 53
 *                   bits of it, at least two more than N. M = 2^-N L.
 * M - w is subtracted, since adding w - M = 0 would make +0 of -0.
 *
 * fp64 to nearest away (N = 1, r = 1), s = 1, p = 3 2^-53: t = 1 + 2^-51, e = -2^-53, z = 1 + 2^-52, q = 2^-52, M =
 * 3/4, M + e = 3/4 - 2^-53, an odd multiple of q / 2; with r it is 3/4 = w, so that t stays: a tie, away from zero.
 *
 * Results beyond the largest number, infinities and NaNs are mended, so that nothing is refused. In fp64 these are t:
 * only e and M are not numbers then. */
#ifndef BINADE_SRC_MATMUL_TILE_WIDE_H
#define BINADE_SRC_MATMUL_TILE_WIDE_H

#include "matmul/matmul.h"

/* x = t + e rounded; `narrow`: to a format other than fp64; `exact`: e is zero. */
static ALWAYS_INLINE vector_64 wide_rounded(bool narrow, bool exact, bndi_toward to, const constants_64 *is,
                                            vector_64 below, vector_64 t, vector_64 e, vector_64 z, words_64 r)
{
    const vector_64 power = power_in_64(z);
    vector_64 m = power * below, from = t, rest = e;
    if (narrow) {
        const vector_64 l = farther_64(is->lowest, power * is->up);
        from = sum_by_64(BNDI_ZERO, z, l) - l;
        rest = t - from;
        if (!exact) {
            rest = sum_by_64(to == BNDI_NEAREST ? BNDI_ODD_ONE : to, rest, e);
        }
        m = l * below;
    }
    vector_64 w = rest + m;
    if (to != BNDI_NEAREST) {
        w = sum_by_64(to, rest, m);
    }
    w = from - (m - plus_bits_64(w, r, is->keep));
    return narrow ? mended_64(with_sign_64(w, t, is->sign), t, is->largest, is->special) : unless_nan_64(w, t);
}

/* s + p. */
static ALWAYS_INLINE vector_64 wide_sum(bool narrow, bndi_toward to, const constants_64 *is, vector_64 below,
                                        vector_64 s, vector_64 p, words_64 r)
{
    const vector_64 high = farther_of_64(s, p), low = other_of_64(s, p, high);
    const vector_64 t = high + low, e = low - (t - high);
    return wide_rounded(narrow, false, to, is, below, t, e, sum_by_64(BNDI_ZERO, s, p), r);
}

/* `each`: products are rounded, too. */
static ALWAYS_INLINE bool wide_by(bool narrow, bool each, bndi_toward to, const bndi_sum *sum, double *state,
                                  const float *a, const float *b, size_t k, const bndi_draws *draws)
{
    const constants_64 is = constants_of_64(&sum->kept);
    const vector_64 below = all_64(sum->kept.below), zero = all_64(0);
    vector_64 s[ROWS_64][VECTORS_64];
    take_sums_64(s, state);
    for (size_t at = 0; at < k; at++) {
        vector_64 y[VECTORS_64];
        take_row_64(y, b + at * COLUMNS);
        ALL_ROWS
        for (size_t i = 0; i < ROWS_64; i++) {
            const vector_64 x = all_64((double)a[i * BNDI_PITCH + at]);
            const char *first = draws != NULL && each ? draws->entries + draws->at[0][at * ROWS_64 + i] : NULL;
            const char *second = draws != NULL ? draws->entries + draws->at[1][at * ROWS_64 + i] : NULL;
            UNROLL
            for (size_t v = 0; v < VECTORS_64; v++) {
                vector_64 p = x * y[v];
                if (each) {
                    const words_64 r = draws != NULL ? random_64(first, draws->bytes, v * LANES_64) : is.constant;
                    p = wide_rounded(narrow, true, to, &is, below, p, zero, p, r);
                }
                const words_64 r = draws != NULL ? random_64(second, draws->bytes, v * LANES_64) : is.constant;
                s[i][v] = wide_sum(narrow, to, &is, below, s[i][v], p, r);
            }
        }
    }
    put_sums_64(state, s);
    return true;
}

#define WIDE(name, narrow, each, to)                                                                                   \
    static bool wide_##name(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,                \
                            const bndi_draws *draws)                                                                   \
    {                                                                                                                  \
        return wide_by(narrow, each, to, sum, state, a, b, k, draws);                                                  \
    }
WIDE(fp64_nearest, false, false, BNDI_NEAREST)
WIDE(fp64_zero, false, false, BNDI_ZERO)
WIDE(fp64_odd, false, false, BNDI_ODD_ONE)
WIDE(fused_nearest, true, false, BNDI_NEAREST)
WIDE(fused_zero, true, false, BNDI_ZERO)
WIDE(each_nearest, true, true, BNDI_NEAREST)
WIDE(each_zero, true, true, BNDI_ZERO)
#undef WIDE

#endif
