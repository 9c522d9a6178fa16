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
 * Where no instruction carries its own rounding mode (AVX2), the tile runs in one, wide_mode:
 *   toward zero     for modes that cut off: t is z, and e = RZ(x - z) has its sign; for what is cut off RZ is enough
 *   to nearest      for modes that round to nearest first: z is t, or the number before t where e points back; RN(z +
 *                   L) - L is one of the format's numbers around x, so that the rest is from -q / 2 to q / 2 and M
 *                   3/2 of the above, as in fp64
 *
 * fp64 to nearest away (N = 1, r = 1), s = 1, p = 3 2^-53: t = 1 + 2^-51, e = -2^-53, z = 1 + 2^-52, q = 2^-52, M =
 * 3/4, M + e = 3/4 - 2^-53, an odd multiple of q / 2; with r it is 3/4 = w, so that t stays: a tie, away from zero.
 *
 * Results beyond the largest number, infinities and NaNs are mended, so that nothing is refused. In fp64 these are t:
 * only e and M are not numbers then. */
#ifndef BINADE_SRC_MATMUL_TILE_WIDE_H
#define BINADE_SRC_MATMUL_TILE_WIDE_H

#include "matmul/matmul.h"

#if defined(BNDI_FOR_AVX512)
#include "matmul/tile_wide_avx512.h"
#else
#include "matmul/tile_wide_avx2.h"
#endif

/* Constants of these tiles, in all lanes, and those of the format. */
typedef struct wide_constants {
    vector_64 up, lowest, below;
    constants_64 of;
} wide_constants;

static ALWAYS_INLINE wide_constants wide_constants_of(bool narrow, bndi_toward to, const bndi_kept *kept)
{
    return (wide_constants){.up = all_64(kept->up),
                            .lowest = all_64(kept->lowest),
                            .below = all_64(kept->below * (narrow ? middle_of(to) : 1)),
                            .of = constants_of_64(kept)};
}

/* x = t + e rounded; `narrow`: to a format other than fp64; `exact`: e is zero. */
static ALWAYS_INLINE vector_64 wide_rounded(bool narrow, bool exact, bndi_toward to, const wide_constants *is,
                                            vector_64 t, vector_64 e, vector_64 z, words_64 r)
{
    const vector_64 power = power_in_64(z);
    vector_64 m = power * is->below, from = t, rest = e;
    if (narrow) {
        const vector_64 l = with_far_64(is->lowest, power * is->up);
        from = sum_toward_zero(z, l) - l;
        rest = t - from;
        if (!exact) {
            rest = rest_by(to, rest, e);
        }
        m = l * is->below;
    }
    const vector_64 w = from - (m - plus_bits_64(multiple_by(to, rest, m), r, is->of.keep));
    return narrow ? mended_or_64(&is->of, with_sign_64(w, t, is->of.sign), t) : unless_nan_64(w, t);
}

/* s + p. */
static ALWAYS_INLINE vector_64 wide_sum(bool narrow, bndi_toward to, const wide_constants *is, vector_64 s, vector_64 p,
                                        words_64 r)
{
    const ordered_64 by = ordered_of_64(s, p);
    const vector_64 t = by.high + by.low, e = by.low - (t - by.high);
    return wide_rounded(narrow, false, to, is, t, e, binade_of_sum(to, s, p, t, e), r);
}

/* Some columns of the tile: those that registers hold. */
static ALWAYS_INLINE void wide_part(bool narrow, bool each, bndi_toward to, const wide_constants *is, double *state,
                                    const steps_64 *of, size_t first)
{
    const vector_64 zero = all_64(0);
    const bndi_draws *draws = of->draws;
    vector_64 s[ROWS_64][VECTORS_64];
    take_sums_64(s, state + first);
    for (size_t at = 0; at < of->k; at++) {
        vector_64 y[VECTORS_64];
        take_row_64(y, of->b + at * of->columns + first);
        ALL_ROWS
        for (size_t i = 0; i < ROWS_64; i++) {
            const vector_64 x = all_64((double)of->a[i * BNDI_PITCH + at]);
            const char *of_p = draws != NULL && each ? draws->entries + draws->at[0][at * ROWS_64 + i] : NULL;
            const char *of_s = draws != NULL ? draws->entries + draws->at[1][at * ROWS_64 + i] : NULL;
            UNROLL
            for (size_t v = 0; v < VECTORS_64; v++) {
                const size_t column = first + v * LANES_64;
                vector_64 p = x * y[v];
                if (each) {
                    const words_64 q = draws != NULL ? random_64(of_p, draws->bytes, column) : is->of.constant;
                    p = wide_rounded(narrow, true, to, is, p, zero, p, q);
                }
                const words_64 r = draws != NULL ? random_64(of_s, draws->bytes, column) : is->of.constant;
                s[i][v] = wide_sum(narrow, to, is, s[i][v], p, r);
            }
        }
    }
    put_sums_64(state + first, s);
}

/* `each`: products are rounded, too. */
static ALWAYS_INLINE bool wide_by(bool narrow, bool each, bndi_toward to, const bndi_sum *sum, double *state,
                                  const steps_64 *of)
{
    const wide_constants is = wide_constants_of(narrow, to, &sum->kept);
    for (size_t first = 0; first < BNDI_STRIP; first += PART_64) {
        wide_part(narrow, each, to, &is, state, of, first);
    }
    return true;
}

#define WIDE(name, narrow, each, to)                                                                                   \
    static bool wide_##name(const bndi_sum *sum, void *state, const float *a, const float *b, size_t k,                \
                            const bndi_draws *draws)                                                                   \
    {                                                                                                                  \
        const steps_64 of = {a, b, k, draws, BNDI_STRIP};                                                              \
        return wide_by(narrow, each, to, sum, state, &of);                                                             \
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
