/* The vectors of a tile, in the compiler's own: four lanes. Operations that the compiler lacks for vectors are done
 * lane by lane. These functions are the hooks that the tiles are written in; the other tile_lanes_*.h have the same
 * with instructions.
 *
 * Round to odd of a b + c, in double and then in fp32, with 1 * 1 + 2^-60:
 *
 *   p = 1, s = p + c    3ff0000000000000   2^-60 is lost: e = 2^-60 > 0, s even, same signs: + 1
 *   double to odd       3ff0000000000001
 *   f = (float)s        3f800000           differs from s and is even; it is not outside: + 1
 *   odd_one             3f800001           1 + 2^-23, which rounds to fewer bits as 1 + 2^-60 does */
#ifndef BINADE_SRC_MATMUL_TILE_LANES_PORTABLE_H
#define BINADE_SRC_MATMUL_TILE_LANES_PORTABLE_H

#include "base/bits.h"
#include "bulk/inline.h"
#include <stdbool.h>
#include <stdint.h>

enum { LANES = 4, CHAIN_ROWS = 4, CHAIN_STEPS = 1, EACH_ROWS = 2, FUSED_ROWS = 2 };
typedef float V __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(32)));
typedef int64_t words __attribute__((vector_size(32)));

/* The same number in all lanes. */
static ALWAYS_INLINE V all(float x)
{
    return (V){x, x, x, x};
}

/* Unaligned loads and stores. */
static ALWAYS_INLINE V load(const float *x)
{
    V v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}

static ALWAYS_INLINE void store(float *x, V v)
{
    __builtin_memcpy(x, &v, sizeof v);
}

/* a b + c in double, rounded to odd: the product is exact, the error of the sum is a number (Knuth), and where it is
 * not zero an even sum moves to the neighbour on the error's side. Adding 1 to the word moves away from zero. */
static inline double double_to_odd(float a, float b, float c)
{
    double p = (double)a * (double)b, s = p + (double)c, back = s - p;
    double e = (p - (s - back)) + ((double)c - back);
    uint64_t bits = bndi_bits_of_double(s), even = ~bits & 1;
    bool outwards = (e > 0) == (s > 0), change = e < 0 || e > 0; /* the error of an infinity is NaN */
    uint64_t step = change ? even : 0;
    return bndi_double_of_bits(outwards ? bits + step : bits - step);
}

/* To odd in fp32: of the two neighbours of s the odd one. `outside`: f is farther from zero than s. */
static inline float odd_one(float a, float b, float c)
{
    double s = double_to_odd(a, b, c);
    float f = (float)s;
    double g = (double)f;
    uint32_t bits = bndi_bits_of_float(f), step = (g < s || g > s) ? ~bits & 1 : 0;
    bool outside = g < 0 ? g < s : g > s;
    return bndi_float_of_bits(outside ? bits - step : bits + step);
}

/* a b + c where a b is exact: fused or not is the same. Then only the sum is rounded, by either. */
static ALWAYS_INLINE V fma_exactly(V a, V b, V c)
{
    return a * b + c;
}

/* a b + c, rounded once: by the machine, or as double_to_odd in all lanes and then to fp32. Odd in double with 29 bits
 * to spare rounds to fp32 as the exact value does: a double has 53 bits, a float 24, and a midpoint of two floats is
 * even in double, so an odd sum is on the right side of it. Comparisons of vectors give -1 or 0; `inwards` is -1 where
 * the error points to zero, and (step ^ -1) - -1 is -step. */
static ALWAYS_INLINE V fma_lanes(V a, V b, V c)
{
#if defined(__FP_FAST_FMAF)
    V r;
    for (int l = 0; l < LANES; l++) {
        r[l] = __builtin_fmaf(a[l], b[l], c[l]);
    }
    return r;
#else
    doubles p = __builtin_convertvector(a, doubles) * __builtin_convertvector(b, doubles);
    doubles d = __builtin_convertvector(c, doubles), s = p + d, back = s - p, e = (p - (s - back)) + (d - back);
    words bits = (words)s, change = (e < 0) | (e > 0), inwards = (e > 0) ^ (s > 0), step = change & ~bits & 1;
    return __builtin_convertvector((doubles)(bits + ((step ^ inwards) - inwards)), V);
#endif
}

/* The larger of a, which is positive, and the magnitude of b, with the sign of b; where b is NaN, a. For M of
 * tile_rounded_template.h:
 *   a (lowest)   3     3     3     3
 *   b            -5    2     -2    NaN
 *   result       -5    3     -3    3 */
static ALWAYS_INLINE V farther(V a, V b)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        uint32_t bits = bndi_bits_of_float(b[l]);
        float size = bndi_float_of_bits(bits & 0x7fffffff);
        r[l] = bndi_float_of_bits(bndi_bits_of_float(size > a[l] ? size : a[l]) | (bits & 0x80000000));
    }
    return r;
}

/* A running maximum: the larger of a and |b|; where b is NaN, a. a = 3: b = -5 gives 5, b = 2 and b = NaN give 3. NaNs
 * are looked for separately (any_nan). */
static ALWAYS_INLINE V larger_magnitude(V a, V b)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        float size = bndi_float_of_bits(bndi_bits_of_float(b[l]) & 0x7fffffff);
        r[l] = size > a[l] ? size : a[l];
    }
    return r;
}

/* x with the sign of y where `sign` has that bit. For sign = -0.0 (80000000), x not negative; with sign = 0 nothing
 * changes:
 *
 *   x         3          0          +0
 *   y         -2.5       -0.1       0.1
 *   result    -3         -0         +0 */
static ALWAYS_INLINE V signed_as(V x, V y, V sign)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        r[l] = bndi_float_of_bits(bndi_bits_of_float(x[l]) | (bndi_bits_of_float(y[l]) & bndi_bits_of_float(sign[l])));
    }
    return r;
}

/* Is any lane so? These end a tile early or refuse it. */
static ALWAYS_INLINE bool any_above(V a, V b)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any |= a[l] > b[l];
    }
    return any;
}

/* Is any lane a zero, of either sign? */
static ALWAYS_INLINE bool any_zero(V a)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any |= a[l] == 0;
    }
    return any;
}

/* A NaN differs from itself. */
static ALWAYS_INLINE bool any_nan(V a)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any |= a[l] != a[l];
    }
    return any;
}

/* By bits: -0 equals +0 as a number. */
static ALWAYS_INLINE bool any_minus_zero(V a)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any |= bndi_bits_of_float(a[l]) == 0x80000000;
    }
    return any;
}

/* NaNs become the canonical one, on every back end the same. */
static ALWAYS_INLINE V one_nan(V a)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        r[l] = a[l] != a[l] ? __builtin_nanf("") : a[l];
    }
    return r;
}

/* a b + c to odd; `near` is either of its neighbours, of which M is made (here the result itself). */
static ALWAYS_INLINE V fma_to_odd(V a, V b, V c, V *near)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        r[l] = odd_one(a[l], b[l], c[l]);
    }
    *near = r;
    return r;
}

#endif
