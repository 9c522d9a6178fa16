/* Differences of floats, and the exact sums of their squares. This file is compiled once for each back end of the
 * machine's family, as block_kernels.c is.
 *
 * A difference that is a float has 24 bits, so its square is a double exactly. Squares are added to doubles in two
 * steps, each without an error. `high` starts at a power of two 2^k that no sum reaches, so it always counts in units
 * of 2^(k - 52). What a square has below such a unit goes to `low`, which counts in units of 2^(k - 95) in the same
 * way, from 1.5 times a power of two on: it has both signs. What is left below that must be zero: otherwise the caller
 * adds in another way.
 *
 *   differences up to      2^(e + 1)
 *   squares up to          2^(2e + 2)
 *   512 of them            2^(2e + 11) = 2^k
 *   parts for `low` up to  2^(k - 53), 512 of them 2^(k - 44): `low` starts at 1.5 2^(k - 43) */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 does not vectorise most loops */
#endif

#include "block/differences.h"

#include "base/bits.h"
#include "bulk/bulk.h"

#if defined(BNDI_FOR_AVX512)
#define BNDI_DIFFERENCE_KERNELS bndi_difference_kernels_avx512
enum { WIDTH = 64 };
#elif defined(BNDI_FOR_AVX2)
#define BNDI_DIFFERENCE_KERNELS bndi_difference_kernels_avx2
enum { WIDTH = 32 };
#else
#define BNDI_DIFFERENCE_KERNELS bndi_difference_kernels_portable
enum { WIDTH = 16 };
#endif

typedef double doubles __attribute__((vector_size(WIDTH)));
typedef uint64_t words __attribute__((vector_size(WIDTH)));
typedef float floats __attribute__((vector_size(WIDTH / 2)));

enum {
    LANES = WIDTH / 8,
    SUMS = 2, /* side by side, so that an addition need not wait for the one before */
    STEP = LANES * SUMS,
    FRACTION_BITS = 52,
    EXPONENT_BIAS = 1023,
    DOWN = 43 /* from `high` to `low` */
};
_Static_assert(BNDI_DIFFERENCES <= 512 * STEP && BNDI_DIFFERENCES % STEP == 0, "no sum has more than 512 squares");

/* f times 2^e, for normal numbers. */
static double power_of_two(int e, uint64_t fraction)
{
    return bndi_double_of_bits((uint64_t)(e + EXPONENT_BIAS) << FRACTION_BITS | fraction);
}

/* d = x - y. Returns the bits of the largest magnitude, or -1 if a difference is not exact. A difference d is exact if
 * d + y and x - d are what they should be: what it lacks is a multiple of a last place of x or y. */
static int32_t subtract(bndi_differences *out, float *restrict d, const float *restrict x, const float *restrict y,
                        size_t n)
{
    uint32_t wrong = 0, same = 0, to_zero = 0;
    int32_t most = 0;
    for (size_t i = 0; i < n; i++) {
        const float difference = x[i] - y[i];
        const int32_t magnitude = (int32_t)(bndi_bits_of_float(difference) & 0x7fffffff);
        d[i] = difference;
        wrong |= bndi_bits_of_float((difference + y[i]) - x[i]) | bndi_bits_of_float((x[i] - difference) - y[i]);
        most = magnitude > most ? magnitude : most;
        same += difference == 0;
        to_zero += (uint32_t)(y[i] == 0) & (uint32_t)(x[i] != 0);
    }
    out->same = same;
    out->to_zero = to_zero;
    return wrong == 0 ? most : -1;
}

static bool sum_squares(bndi_differences *out, const float *d, size_t n, int k)
{
    const double first_high = power_of_two(k, 0),
                 first_low = power_of_two(k - DOWN, UINT64_C(1) << (FRACTION_BITS - 1));
    doubles high[SUMS], low[SUMS];
    words rest = {0};
    for (size_t s = 0; s < SUMS; s++) {
        high[s] = first_high - (doubles){0};
        low[s] = first_low - (doubles){0};
    }
    for (size_t i = 0; i < n; i += STEP) {
        for (size_t s = 0; s < SUMS; s++) {
            floats f;
            __builtin_memcpy(&f, d + i + s * LANES, sizeof f);
            const doubles x = __builtin_convertvector(f, doubles), square = x * x;
            const doubles above = high[s] + square, part = square - (above - high[s]), below = low[s] + part;
            rest |= (words)(part - (below - low[s]));
            high[s] = above;
            low[s] = below;
        }
    }
    uint64_t highs = 0, lows = 0, left = 0;
    for (size_t s = 0; s < SUMS; s++) {
        for (size_t lane = 0; lane < LANES; lane++) {
            highs += bndi_bits_of_double(high[s][lane]) - bndi_bits_of_double(first_high);
            lows += bndi_bits_of_double(low[s][lane]) - bndi_bits_of_double(first_low);
            left |= rest[lane];
        }
    }
    /* highs 2^DOWN + lows, which has a sign and fewer than 64 bits */
    out->unit = k - DOWN - FRACTION_BITS;
    out->low = (highs << DOWN) + lows;
    out->high = (highs >> (64 - DOWN)) - (lows >> 63) + ((highs << DOWN) > out->low);
    return left << 1 == 0;
}

static bool square_differences(bndi_differences *out, const float *x, const float *y, size_t n)
{
    float d[BNDI_DIFFERENCES];
    const int32_t most = subtract(out, d, x, y, n);
    if (most < 0 || most >= 0x7f800000) {
        return false;
    }
    for (size_t i = n; i % STEP != 0; i++) {
        d[i] = 0;
    }
    const int e = (most >> 23 > 0 ? most >> 23 : 1) - 127;
    return sum_squares(out, d, n, 2 * e + 11);
}

const bndi_difference_kernels BNDI_DIFFERENCE_KERNELS = {.square = square_differences};
