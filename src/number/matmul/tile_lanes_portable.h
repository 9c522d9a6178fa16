/* The vectors of a tile, in the compiler's own: four lanes. What it does not know of vectors is done lane by lane. */
#ifndef BINADE_SRC_MATMUL_TILE_LANES_PORTABLE_H
#define BINADE_SRC_MATMUL_TILE_LANES_PORTABLE_H

#include "base/bits.h"
#include "bulk/inline.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { LANES = 4, CHAIN_ROWS = 4, EACH_ROWS = 2, FUSED_ROWS = 2 };
typedef float V __attribute__((vector_size(16)));

static ALWAYS_INLINE V all(float x)
{
    return (V){x, x, x, x};
}

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

/* a b + c in double, rounded to odd: the product is exact, the sum's error is a number (Knuth), and where there is one,
 * an even sum is moved to its neighbour on the error's side. */
static inline double double_to_odd(float a, float b, float c)
{
    double p = (double)a * (double)b, s = p + (double)c, back = s - p;
    double e = (p - (s - back)) + ((double)c - back);
    uint64_t bits = bndi_bits_of_double(s), even = ~bits & 1;
    bool outwards = (e > 0) == (s > 0), change = e < 0 || e > 0; /* the error of an infinity is NaN */
    uint64_t step = change ? even : 0;
    return bndi_double_of_bits(outwards ? bits + step : bits - step);
}

/* What is rounded to odd with more than two bits to spare can be rounded again. */
static inline float fma_one(float a, float b, float c)
{
#if defined(__FP_FAST_FMAF)
    return __builtin_fmaf(a, b, c);
#else
    return (float)double_to_odd(a, b, c);
#endif
}

/* Of the neighbours in fp32 the odd one. */
static inline float odd_one(float a, float b, float c)
{
    double s = double_to_odd(a, b, c);
    float f = (float)s;
    double g = (double)f;
    uint32_t bits = bndi_bits_of_float(f), step = (g < s || g > s) ? ~bits & 1 : 0;
    bool outside = g < 0 ? g < s : g > s;
    return bndi_float_of_bits(outside ? bits - step : bits + step);
}

/* Where a b is exact. */
static ALWAYS_INLINE V fma_exactly(V a, V b, V c)
{
    return a * b + c;
}

static ALWAYS_INLINE V fma_lanes(V a, V b, V c)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        r[l] = fma_one(a[l], b[l], c[l]);
    }
    return r;
}

/* The larger of a, which is positive, and the magnitude of b, with the sign of b; where b is NaN, a. */
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

static ALWAYS_INLINE V larger_magnitude(V a, V b)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        float size = bndi_float_of_bits(bndi_bits_of_float(b[l]) & 0x7fffffff);
        r[l] = size > a[l] ? size : a[l];
    }
    return r;
}

static ALWAYS_INLINE V signed_as(V x, V y, V sign)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        r[l] = bndi_float_of_bits(bndi_bits_of_float(x[l]) | (bndi_bits_of_float(y[l]) & bndi_bits_of_float(sign[l])));
    }
    return r;
}

static ALWAYS_INLINE bool any_above(V a, V b)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any |= a[l] > b[l];
    }
    return any;
}

static ALWAYS_INLINE bool any_zero(V a)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any |= a[l] == 0;
    }
    return any;
}

static ALWAYS_INLINE bool any_nan(V a)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any |= a[l] != a[l];
    }
    return any;
}

static ALWAYS_INLINE bool any_minus_zero(V a)
{
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any |= bndi_bits_of_float(a[l]) == 0x80000000;
    }
    return any;
}

static ALWAYS_INLINE V one_nan(V a)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        r[l] = a[l] != a[l] ? NAN : a[l];
    }
    return r;
}

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
