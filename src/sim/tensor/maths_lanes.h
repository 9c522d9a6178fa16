/* Vectors of doubles, floats and words as maths.c computes with them, for the back end whose flags it is compiled with,
 * and the few operations on them that C has no operator for. */
#ifndef BINADE_SRC_TENSOR_MATHS_LANES_H
#define BINADE_SRC_TENSOR_MATHS_LANES_H

#include <stdint.h>

#include "bulk/inline.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Doubles per vector. Each count divides 16, so that the sixteen sums of a row are whole vectors: two with AVX-512,
 * four with AVX, eight without either. */
#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#else
#define LANES 2
#endif

/* Elements of an array; and the pragma that unrolls the loops over parts and terms. */
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define ALL_TERMS UNROLL_BY(12)

/* Vectors of LANES numbers of each type. unsigned_words wrap around where signed ones would be undefined. */
typedef double doubles __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t words __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef uint64_t unsigned_words __attribute__((vector_size(LANES * sizeof(uint64_t)))); /* wrap around */
typedef float floats __attribute__((vector_size(LANES * sizeof(float))));

/* Exact. gcc splits __builtin_convertvector of eight floats into several instructions, so AVX-512's one instruction is
 * named. */
static ALWAYS_INLINE doubles wide(floats x)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd((__m256)x);
#else
    return __builtin_convertvector(x, doubles);
#endif
}

/* Rounded to nearest even. */
static ALWAYS_INLINE floats to_floats(doubles x)
{
    return __builtin_convertvector(x, floats);
}

/* a where the mask is all ones, b elsewhere. The blend works on bits, so signs of zeros and payloads of NaNs pass
 * unchanged. `x < 0 ? e : 1` of sigmoid for two lanes:
 *
 *   x < 0             ffffffffffffffff     0000000000000000
 *   a, b              0.1353, 1            0.0498, 1
 *   pick(x < 0, a, b) 0.1353               1 */
static ALWAYS_INLINE doubles pick(words mask, doubles a, doubles b)
{
    return (doubles)((mask & (words)a) | (~mask & (words)b));
}

/* Sign bits: removed, and set. with_sign_of only sets a bit, so its x must not be negative: with_sign_of(0.7616, -1) is
 * -0.7616, and with_sign_of(-0.7616, 1) would stay negative. */
static ALWAYS_INLINE doubles magnitude(doubles x)
{
    return (doubles)((words)x & INT64_MAX);
}

static ALWAYS_INLINE doubles with_sign_of(doubles x, doubles sign)
{
    return (doubles)((words)x | ((words)sign & INT64_MIN));
}

/* The same number in all lanes. */
static ALWAYS_INLINE doubles all(double x)
{
    return (doubles){0} + x;
}

/* Square roots, correctly rounded on every back end. */
static ALWAYS_INLINE doubles root(doubles x)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX__)
    return (doubles)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    return (doubles)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < LANES; i++) {
        x[i] = __builtin_sqrt(x[i]);
    }
    return x;
#endif
}

/* The same of floats: a root in double, rounded to fp32, has the same bits. */
static ALWAYS_INLINE floats root_of(floats x)
{
#if defined(__AVX512F__)
    return (floats)_mm256_sqrt_ps((__m256)x);
#elif defined(__AVX__)
    return (floats)_mm_sqrt_ps((__m128)x);
#else
    return to_floats(root(wide(x)));
#endif
}

#endif
