/* The loops over elements for conversions to and from block formats, written so that compilers vectorise them. This
 * file is compiled once for each back end of the machine's family, selected by BNDI_FOR_AVX2 and BNDI_FOR_AVX512.
 *
 * All of it runs in the environment that block_job.c sets: to nearest even, subnormals kept. Arrays are groups of
 * `across` neighbours with one scale each; a call begins at the `first`-th element of its first group. `across` 1 means
 * a scale per element (columns of a tile), which has loops of its own, since a loop per group would be a loop per
 * element.
 *
 * The steps for one MX block of e4m3, shown for four of its numbers (amax 3.7, emax of e4m3 is 8):
 *
 *   x                 0.3             -3.7              0.011           0.0001
 *   magnitude bits    3e99999a        406ccccd          3c343958        38d1b717
 *   amax              406ccccd: the largest as integers, since magnitudes have the order of their bits
 *   scale             exponent 128 - 127 - 8 = -7: 2^-7, code -7 + 127 = 120; up = 2^7
 *   x * up            38.4            -473.6            1.408           0.0128
 *   to e4m3           40              -448              1.375           0.01367188
 *   * 2^-7            0.3125          -3.5              0.01074219      0.0001068115
 *
 * -473.6 is beyond e4m3's 448 and saturates: `clamp` does this before the codes are made, where the rule wants it.
 *
 * The entries of the table, in the order of use:
 *
 *   amax                  largest magnitudes of groups
 *   scale_by_powers       e8m0 scales and products in one pass, for rules where both follow from the maximum alone
 *   encode_blocks         the same and codes of a byte in one pass (AVX-512)
 *   multiply(_exactly)    x times the reciprocal scale
 *   encode_integers       codes of integers by a sum
 *   divide(_to_odd)       x / scale where the scale is no power of two
 *   fake(_by_powers)      to the element's grid and back, in one pass
 *   add_errors            squared errors of groups, for rules that try several scales
 *   square                squares of errors and inputs, for statistics
 *   encode_by_midpoints   codes of e2m1 and other formats of seven magnitudes, by comparisons with scaled midpoints
 *   encode_dynamic        codes of a byte that are not evenly spaced, and back
 *
 * Why products by powers of two may be fp32: they are exact unless they leave fp32's normal range, which
 * multiply_exactly tests by multiplying back. Why magnitudes are compared as signed integers: the bits of positive
 * floats have their order, and every instruction set has that comparison, while a float maximum treats NaN differently
 * from one to the next. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 does not vectorise most loops */
#endif

#include "base/bits.h"
#include "block/block.h"

#if defined(BNDI_FOR_AVX512)
#define BNDI_BLOCK_KERNELS bndi_block_kernels_avx512
#elif defined(BNDI_FOR_AVX2)
#define BNDI_BLOCK_KERNELS bndi_block_kernels_avx2
#else
#define BNDI_BLOCK_KERNELS bndi_block_kernels_portable
#endif

/* AHEAD: prefetch distance in bytes. Reading and computing alternate here, and the processor's own prefetching stops
 * whenever reading does. LINE: bytes of a cache line, one prefetch each. */
enum { LANES = 16, FRACTION = 23, BIAS = 127, AHEAD = 8192, LINE = 64 };
static const int32_t INFINITE = 0x7f800000;

/* The word of a float without its sign, as a signed integer: comparisons of these vectorise on every instruction set.
 */
static inline int32_t magnitude_bits(const float *x)
{
    int32_t bits;
    __builtin_memcpy(&bits, x, sizeof bits);
    return bits & 0x7fffffff;
}

/* The larger of two integers; compilers make a vector instruction of it. */
static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* A prefetch of n elements AHEAD bytes ahead. Beyond the end of the array it does nothing and cannot fault. */
static inline void ask_for(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LINE / sizeof(float)) {
        __builtin_prefetch((const void *)((uintptr_t)(x + i) + AHEAD));
    }
}

/* ---- the largest magnitudes: floats' are in the order of their bits, which vectors compare as signed integers ---- */

/* The largest of 16 lanes, halving: 16 to 8 to 4, then pairs. */
static inline int32_t largest_lane(const int32_t *lanes)
{
    int32_t half[LANES / 2], quarter[LANES / 4];
    for (size_t k = 0; k < LANES / 2; k++) {
        half[k] = larger(lanes[k], lanes[k + LANES / 2]);
    }
    for (size_t k = 0; k < LANES / 4; k++) {
        quarter[k] = larger(half[k], half[k + LANES / 4]);
    }
    return larger(larger(quarter[0], quarter[1]), larger(quarter[2], quarter[3]));
}

/* The largest magnitude of n floats, in 16 running maxima that fill whole vectors. */
static inline int32_t largest_of(const float *x, size_t n)
{
    int32_t lanes[LANES] = {0}, largest = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            lanes[k] = larger(lanes[k], magnitude_bits(x + i + k));
        }
    }
    for (; i < n; i++) {
        largest = larger(largest, magnitude_bits(x + i));
    }
    return larger(largest, largest_lane(lanes));
}

/* One maximum per element, over the rows of a tile: the caller goes row by row. */
static void amax_of_columns(uint32_t *restrict amax, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        amax[i] = (uint32_t)larger((int32_t)amax[i], magnitude_bits(x + i));
    }
}

/* Whole groups, then the beginning of the last one: 70 numbers with a scale for 32 are groups of 32, 32 and 6. `across`
 * is a constant in the calls for the frequent lengths, so that the inner loop is unrolled. */
static inline void amax_of_groups(uint32_t *amax, const float *x, size_t n, size_t across)
{
    size_t g = 0, at = 0;
    for (; n - at >= across; g++, at += across) {
        amax[g] = (uint32_t)larger((int32_t)amax[g], largest_of(x + at, across));
    }
    if (at < n) {
        amax[g] = (uint32_t)larger((int32_t)amax[g], largest_of(x + at, n - at));
    }
}

/* amax[g] becomes the larger of itself and the magnitudes of group g. */
static void find_amax(uint32_t *amax, const float *x, size_t n, size_t across)
{
    switch (across) {
    case 1:
        amax_of_columns(amax, x, n);
        break;
    case 16:
        amax_of_groups(amax, x, n, 16);
        break;
    case 32:
        amax_of_groups(amax, x, n, 32);
        break;
    default:
        amax_of_groups(amax, x, n, across);
        break;
    }
}

/* ---- products and quotients ---- */

/* The end of the group of element i, which is the `place`-th of its group. n = 100, groups of 32, first = 20: the
 * groups end at 12, 44, 76 and 100, of which the first and the last are not whole. */
static inline size_t end_of_group(size_t i, size_t n, size_t across, size_t place)
{
    size_t left = across - place;
    return n - i < left ? n : i + left;
}

/* One factor for all elements. */
static inline void scale_by(float *restrict y, const float *restrict x, float factor, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] * factor;
    }
}

/* Products with one factor per group, whole groups with a constant length. */
static inline void multiply_groups(float *y, const float *x, const float *factors, size_t n, size_t across,
                                   size_t first)
{
    size_t place = first;
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        size_t end = end_of_group(i, n, across, place);
        if (end - i == across) {
            scale_by(y + i, x + i, factors[g], across);
        } else {
            scale_by(y + i, x + i, factors[g], end - i);
        }
        i = end;
    }
}

/* A factor per element. */
static void multiply_columns(float *restrict y, const float *restrict x, const float *restrict factors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] * factors[i];
    }
}

/* The entry of the table; frequent lengths are constants. */
static void multiply(float *y, const float *x, const float *factors, size_t n, size_t across, size_t first)
{
    switch (across) {
    case 1:
        multiply_columns(y, x, factors, n);
        break;
    case 16:
        multiply_groups(y, x, factors, n, 16, first);
        break;
    case 32:
        multiply_groups(y, x, factors, n, 32, first);
        break;
    default:
        multiply_groups(y, x, factors, n, across, first);
        break;
    }
}

/* Products, and whether all are exact: one that lost bits or overflowed does not give x again when it is multiplied by
 * the reciprocal. `down` is 1 / up, both powers of two. There is no branch in the loop: differences are collected. How
 * both kinds of loss show:
 *
 *   x          3 * 2^-149                    2^125
 *   up         2^-1                          2^7
 *   product    2^-148 (1.5, tie to even)     infinity
 *   * down     2^-147, not x                 infinity, not x */
static bool multiply_columns_exactly(float *restrict y, const float *restrict x, const float *restrict up,
                                     const float *restrict down, size_t n)
{
    int32_t inexact = 0;
    for (size_t i = 0; i < n; i++) {
        float product = x[i] * up[i];
        inexact |= product * down[i] != x[i];
        y[i] = product;
    }
    return inexact == 0;
}

/* The same in groups: y = x * up, and whether every product can be divided back. */
static bool multiply_exactly(float *restrict y, const float *restrict x, const float *up, const float *down, size_t n,
                             size_t across, size_t first)
{
    size_t place = first;
    int32_t inexact = 0;
    if (across == 1) {
        return multiply_columns_exactly(y, x, up, down, n);
    }
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        size_t end = end_of_group(i, n, across, place);
        const float factor = up[g], back = down[g];
        for (; i < end; i++) {
            float product = x[i] * factor;
            inexact |= product * back != x[i];
            y[i] = product;
        }
    }
    return inexact == 0;
}

/* Quotients in double. A scale that is NaN gives the same NaN for all. Otherwise the result would carry that NaN's sign
 * and payload, or those of x, by the processor's choice. */
static void divide_columns(double *restrict y, const float *restrict x, const double *restrict scales, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double quotient = (double)x[i] / scales[i];
        y[i] = scales[i] != scales[i] ? (double)__builtin_nanf("") : quotient;
    }
}

/* Quotients in double, in groups of one scale each. */
static void divide(double *restrict y, const float *restrict x, const double *scales, size_t n, size_t across,
                   size_t first)
{
    size_t place = first;
    if (across == 1) {
        divide_columns(y, x, scales, n);
        return;
    }
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        size_t end = end_of_group(i, n, across, place);
        double scale = scales[g];
        bool is_nan = scale != scale;
        for (; i < end; i++) {
            y[i] = is_nan ? (double)__builtin_nanf("") : (double)x[i] / scale;
        }
    }
}

/* x / scale, to odd: a quotient that is not exact is cut, and its last bit set. x has at most 24 bits and the scale at
 * most 28, so that the remainder x - q scale is exact in three steps, with q = a + b + c of 24, 24 and 5 bits. The
 * remainder is NaN where something is infinite: such a quotient is exact.
 *
 *   1 / 3    q = 0x1.5555555555555p-2 is below, and its last bit is set
 *   1 / 5    q = 0x1.999999999999ap-3 is above: 0x1.9999999999999p-3 */
static inline double quotient_to_odd(double x, double scale)
{
    const uint64_t head = ~(uint64_t)0 << 29;
    double q = x / scale, a, b;
    uint64_t bits, part;
    __builtin_memcpy(&bits, &q, sizeof bits);
    part = bits & head;
    __builtin_memcpy(&a, &part, sizeof a);
    b = q - a;
    __builtin_memcpy(&part, &b, sizeof part);
    part &= head;
    __builtin_memcpy(&b, &part, sizeof b);
    const double rest = x - a * scale - b * scale - (q - a - b) * scale;
    const double outward = q < 0 ? -rest * scale : rest * scale; /* above 0 where the quotient is too near to zero */
    const uint64_t above = outward<0, below = outward> 0;
    bits = (bits - above) | above | below;
    __builtin_memcpy(&q, &bits, sizeof q);
    return q;
}

static void divide_in_doubles_to_odd(double *restrict y, const float *restrict x, const double *scales, size_t n,
                                     size_t across, size_t first)
{
    size_t place = first;
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        size_t end = end_of_group(i, n, across, place);
        double scale = scales[g];
        bool is_nan = scale != scale;
        for (; i < end; i++) {
            y[i] = is_nan ? (double)__builtin_nanf("") : quotient_to_odd((double)x[i], scale);
        }
    }
}

/* Values from units of a scale: one rounding of the exact product. */
static void multiply_columns_in_double(float *restrict y, const float *restrict x, const double *restrict scales,
                                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = (float)((double)x[i] * scales[i]);
    }
}

/* The same in groups. */
static void multiply_in_double(float *restrict y, const float *restrict x, const double *scales, size_t n,
                               size_t across, size_t first)
{
    size_t place = first;
    if (across == 1) {
        multiply_columns_in_double(y, x, scales, n);
        return;
    }
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        size_t end = end_of_group(i, n, across, place);
        double scale = scales[g];
        for (; i < end; i++) {
            y[i] = (float)((double)x[i] * scale);
        }
    }
}

/* ---- to the elements of a format and back ---- */

/* These loops know a format's grid: its largest number, its spacing, its midpoints. They are in a file of their own and
 * are compiled here, with the lanes and groups above. */
#include "block/block_elements_template.h"

/* ---- whole blocks with powers of two: block_scale.c shows why one comparison implements a rule ---- */

/* A power of two as a float; exponent -127 is a subnormal one: 2^-127 is 00400000, half of the smallest normal number
 * 00800000. */
static inline int32_t bits_of_power(int32_t exponent)
{
    return exponent == -BIAS ? 1 << (FRACTION - 1) : (exponent + BIAS) << FRACTION;
}

/* Scales of e8m0 from the largest magnitudes: exponent minus emax, one more where the fraction reaches `limit` (the
 * rule of block_scale.c: 2^23, never, for floor). An amax of zero or a subnormal one has exponent field 0 and gets the
 * lowest scale in any case, as emax is at least 1. Returns whether all are finite: a block with an infinity or a NaN
 * has the scale NaN (255). */
static bool find_powers(unsigned char *restrict codes, float *restrict up, const uint32_t *restrict amax, size_t groups,
                        const bndi_power_rule *rule)
{
    const int32_t below = BIAS + rule->emax, limit = rule->limit;
    int32_t largest = 0;
    for (size_t g = 0; g < groups; g++) {
        int32_t u = (int32_t)amax[g], fraction = u & ((1 << FRACTION) - 1);
        int32_t s = (u >> FRACTION) - below + (fraction >= limit);
        s = s < -BIAS ? -BIAS : s;
        largest = larger(largest, u);
        codes[g] = (unsigned char)(u >= INFINITE ? 255 : s + BIAS);
        up[g] = bndi_float_of_bits((uint32_t)bits_of_power(-s));
    }
    return largest < INFINITE;
}

/* Clamps to the largest number, for rules that saturate. e4m3 has most = 448: -473.6 becomes -448, and NaN stays. */
static void clamp(float *y, size_t n, float most)
{
    for (size_t i = 0; i < n; i++) {
        float low = y[i] < -most ? -most : y[i];
        y[i] = low > most ? most : low;
    }
}

#if defined(BNDI_FOR_AVX512)
#define SCALE_PAIRS   bndi_scale_pairs
#define ENCODE_BLOCKS bndi_encode_pairs
#define BY_MIDPOINTS  bndi_encode_by_midpoints
#define DYNAMIC       bndi_encode_dynamic
#define TO_ODD        bndi_divide_to_odd
#define WIDE_TO_ODD   bndi_divide_wide_to_odd
#define FAKE_TO_ODD   bndi_fake_to_odd
#else
/* The entry of back ends without AVX-512, which have no sets of 16 blocks: does nothing, returns 0, and so leaves all
 * elements to the loops above. */
static size_t no_pairs(unsigned char *codes, float *y, const float *x, size_t n, const bndi_power_rule *rule,
                       bool *finite)
{
    (void)codes;
    (void)y;
    (void)x;
    (void)n;
    (void)rule;
    *finite = true;
    return 0;
}
#define SCALE_PAIRS   no_pairs
#define ENCODE_BLOCKS NULL
#define BY_MIDPOINTS  encode_by_midpoints
#define DYNAMIC       encode_dynamic
#define TO_ODD        NULL
#define WIDE_TO_ODD   NULL
#define FAKE_TO_ODD   NULL
#endif

/* Scales and products of a chunk: AVX-512 first does sets of 16 blocks of 32; the loops above do the rest.
 *
 *   find_amax     the largest magnitudes of x, a group each
 *   find_powers   codes and reciprocals of the scales, from the maxima
 *   multiply      y = x times the reciprocals
 *   clamp         magnitudes above the largest of the format, where the rule wants it
 *
 * Returns false where a scale is NaN; y is then undefined. */
static bool scale_by_powers(unsigned char *codes, float *y, const float *x, size_t n, size_t across,
                            const bndi_power_rule *rule)
{
    uint32_t amax[BNDI_GROUPS];
    float up[BNDI_GROUPS];
    bool finite = true;
    size_t done = across == 32 ? SCALE_PAIRS(codes, y, x, n, rule, &finite) : 0;
    if (!finite || done == n) {
        return finite;
    }
    for (size_t g = 0; g <= (n - done - 1) / across; g++) {
        amax[g] = 0;
    }
    ask_for(x + done, n - done);
    find_amax(amax, x + done, n - done, across);
    if (!find_powers(codes + done / across, up, amax, (n - done - 1) / across + 1, rule)) {
        return false;
    }
    multiply(y + done, x + done, up, n - done, across, 0);
    if (rule->clamps) {
        clamp(y + done, n - done, rule->most);
    }
    return true;
}

const bndi_block_kernels BNDI_BLOCK_KERNELS = {
    .amax = find_amax,
    .scale_by_powers = scale_by_powers,
    .encode_blocks = ENCODE_BLOCKS,
    .multiply = multiply,
    .multiply_exactly = multiply_exactly,
    .encode_by_midpoints = BY_MIDPOINTS,
    .fake_by_powers = fake_by_powers,
    .fake = fake,
    .encode_dynamic = DYNAMIC,
    .decode_dynamic = decode_dynamic,
    .encode_integers = encode_integers,
    .divide_to_odd = TO_ODD,
    .divide_wide_to_odd = WIDE_TO_ODD,
    .fake_to_odd = FAKE_TO_ODD,
    .divide = divide,
    .divide_in_doubles_to_odd = divide_in_doubles_to_odd,
    .add_errors = add_errors,
    .add_products = add_products,
    .square = square,
    .multiply_in_double = multiply_in_double,
};
