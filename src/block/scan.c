/* What is done to every element on its way into a block format and back, in loops that a compiler makes vectors of.
 * This file is compiled once for each back end of the machine's family; BNDI_SCAN names what comes of it.
 *
 * It all runs in the environment that job.c sets: to nearest even, subnormals kept. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 leaves most loops as they are */
#endif

#include "block/block.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>
#endif

#if !defined(BNDI_SCAN)
#define BNDI_SCAN bndi_scan_portable
#endif

/* AHEAD: so many bytes beyond what is being read, memory is asked for what comes next. Reading and computing alternate
 * here, and the processor's own prefetching stops whenever reading does. */
enum { LANES = 16, FRACTION = 23, BIAS = 127, AHEAD = 8192, LINE = 64 };
static const int32_t INFINITE = 0x7f800000;

static inline int32_t magnitude_bits(const float *x)
{
    int32_t bits;
    __builtin_memcpy(&bits, x, sizeof bits);
    return bits & 0x7fffffff;
}

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline float float_of(int32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* n elements so far ahead. What is not there is not asked for, and faults nothing. */
static inline void ask_for(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LINE / sizeof(float)) {
        __builtin_prefetch((const void *)((uintptr_t)(x + i) + AHEAD));
    }
}

/* ---- the largest magnitudes: floats' are in the order of their bits, which vectors compare as signed integers ---- */

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

static void amax_of_columns(uint32_t *restrict amax, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        amax[i] = (uint32_t)larger((int32_t)amax[i], magnitude_bits(x + i));
    }
}

/* `across` is a constant where this is called for the lengths that matter. */
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

/* How far the group goes that element i belongs to, as the `place`-th of it. */
static inline size_t end_of_group(size_t i, size_t n, size_t across, size_t place)
{
    size_t left = across - place;
    return n - i < left ? n : i + left;
}

static inline void times(float *restrict y, const float *restrict x, float factor, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] * factor;
    }
}

static inline void multiply_groups(float *y, const float *x, const float *factors, size_t n, size_t across,
                                   size_t first)
{
    size_t place = first;
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        size_t end = end_of_group(i, n, across, place);
        if (end - i == across) {
            times(y + i, x + i, factors[g], across);
        } else {
            times(y + i, x + i, factors[g], end - i);
        }
        i = end;
    }
}

static void multiply_columns(float *restrict y, const float *restrict x, const float *restrict factors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] * factors[i];
    }
}

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

/* A product that loses bits, or overflows, does not come back when it is divided again. */
static bool multiply_exactly(float *restrict y, const float *restrict x, const float *up, const float *down, size_t n,
                             size_t across, size_t first)
{
    size_t place = first;
    int32_t inexact = 0;
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

static void divide(double *restrict y, const float *restrict x, const double *scales, size_t n, size_t across,
                   size_t first)
{
    size_t place = first;
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        size_t end = end_of_group(i, n, across, place);
        double scale = scales[g];
        bool is_nan = scale != scale;
        for (; i < end; i++) {
            y[i] = is_nan ? (double)__builtin_nanf("") : (double)x[i] / scale;
        }
    }
}

static void multiply_in_double(float *restrict y, const float *restrict x, const double *scales, size_t n,
                               size_t across, size_t first)
{
    size_t place = first;
    for (size_t i = 0, g = 0; i < n; g++, place = 0) {
        size_t end = end_of_group(i, n, across, place);
        double scale = scales[g];
        for (; i < end; i++) {
            y[i] = (float)((double)x[i] * scale);
        }
    }
}

/* ---- whole blocks with powers of two: scale.c says why one comparison is a rule ---- */

/* A power of two as a float: the exponent -127 is a subnormal one. */
static inline int32_t bits_of_power(int32_t exponent)
{
    return exponent == -BIAS ? 1 << (FRACTION - 1) : (exponent + BIAS) << FRACTION;
}

/* Codes of e8m0. An amax of zero, or a subnormal one, has the exponent field 0; what it makes is the lowest scale in
 * any case: `emax` is at least 1. */
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
        up[g] = float_of(bits_of_power(-s));
    }
    return largest < INFINITE;
}

static void clamp(float *y, size_t n, float most)
{
    for (size_t i = 0; i < n; i++) {
        float low = y[i] < -most ? -most : y[i];
        y[i] = low > most ? most : low;
    }
}

#if defined(__AVX512F__) && defined(__AVX512BW__)

/* The largest lane of each of 16 vectors, in their order. */
static inline __m512i largest_lanes(__m512i v[LANES])
{
    for (size_t i = 0; i < 8; i++) {
        __m512i a = v[2 * i], b = v[2 * i + 1];
        v[i] = _mm512_max_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    }
    for (size_t i = 0; i < 4; i++) {
        __m512i a = v[2 * i], b = v[2 * i + 1];
        v[i] = _mm512_max_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    }
    for (size_t i = 0; i < 2; i++) {
        __m512i a = v[2 * i], b = v[2 * i + 1];
        v[i] = _mm512_max_epi32(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
    }
    return _mm512_max_epi32(_mm512_shuffle_i32x4(v[0], v[1], 0x88), _mm512_shuffle_i32x4(v[0], v[1], 0xdd));
}

enum { PAIR = 2 * LANES };

/* 16 blocks of 32: their largest magnitudes. What comes next is on its way meanwhile. */
static inline __m512i amax_of_pairs(const float *x)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    __m512i v[LANES];
#pragma GCC unroll 16
    for (size_t g = 0; g < LANES; g++) {
        __m512i a = _mm512_loadu_si512(x + g * PAIR), b = _mm512_loadu_si512(x + g * PAIR + LANES);
        v[g] = _mm512_max_epi32(_mm512_and_si512(a, magnitude), _mm512_and_si512(b, magnitude));
        ask_for(x + g * PAIR, PAIR);
    }
    return largest_lanes(v);
}

static inline __m512 reciprocals(unsigned char *codes, __m512i amax, const bndi_power_rule *rule)
{
    const __m512i bias = _mm512_set1_epi32(BIAS), fractions = _mm512_set1_epi32((1 << FRACTION) - 1);
    __m512i s = _mm512_sub_epi32(_mm512_srli_epi32(amax, FRACTION), _mm512_set1_epi32(BIAS + rule->emax));
    __mmask16 more = _mm512_cmpge_epi32_mask(_mm512_and_si512(amax, fractions), _mm512_set1_epi32(rule->limit));
    s = _mm512_mask_add_epi32(s, more, s, _mm512_set1_epi32(1));
    s = _mm512_max_epi32(s, _mm512_set1_epi32(-BIAS));
    __mmask16 strange = _mm512_cmpge_epi32_mask(amax, _mm512_set1_epi32(INFINITE));
    __m512i code = _mm512_mask_mov_epi32(_mm512_add_epi32(s, bias), strange, _mm512_set1_epi32(255));
    _mm_storeu_si128((void *)codes, _mm512_cvtepi32_epi8(code));
    __m512i up = _mm512_slli_epi32(_mm512_sub_epi32(bias, s), FRACTION);
    __mmask16 subnormal = _mm512_cmpeq_epi32_mask(s, bias);
    return _mm512_castsi512_ps(_mm512_mask_mov_epi32(up, subnormal, _mm512_set1_epi32(1 << (FRACTION - 1))));
}

static inline void multiply_pairs(float *y, const float *x, __m512 up, bool clamps, float most)
{
    const __m512 high = _mm512_set1_ps(most), low = _mm512_set1_ps(-most);
    float factors[LANES];
    _mm512_storeu_ps(factors, up);
#pragma GCC unroll 16
    for (size_t g = 0; g < LANES; g++) {
        __m512 factor = _mm512_set1_ps(factors[g]);
        __m512 a = _mm512_mul_ps(_mm512_loadu_ps(x + g * PAIR), factor);
        __m512 b = _mm512_mul_ps(_mm512_loadu_ps(x + g * PAIR + LANES), factor);
        if (clamps) {
            a = _mm512_min_ps(_mm512_max_ps(a, low), high);
            b = _mm512_min_ps(_mm512_max_ps(b, low), high);
        }
        _mm512_storeu_ps(y + g * PAIR, a);
        _mm512_storeu_ps(y + g * PAIR + LANES, b);
    }
}

/* As many blocks of 32 as there are 16 of; how many elements that is. */
static size_t scale_pairs(unsigned char *codes, float *y, const float *x, size_t n, const bndi_power_rule *rule,
                          bool *finite)
{
    __m512i largest = _mm512_setzero_si512();
    size_t at = 0;
    for (; at + LANES * PAIR <= n; at += LANES * PAIR) {
        __m512i amax = amax_of_pairs(x + at);
        __m512 up = reciprocals(codes + at / PAIR, amax, rule);
        largest = _mm512_max_epi32(largest, amax);
        if (rule->clamps) {
            multiply_pairs(y + at, x + at, up, true, rule->most);
        } else {
            multiply_pairs(y + at, x + at, up, false, 0);
        }
    }
    *finite = _mm512_reduce_max_epi32(largest) < INFINITE;
    return at;
}

#else

static size_t scale_pairs(unsigned char *codes, float *y, const float *x, size_t n, const bndi_power_rule *rule,
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

#endif

static bool scale_by_powers(unsigned char *codes, float *y, const float *x, size_t n, size_t across,
                            const bndi_power_rule *rule)
{
    uint32_t amax[BNDI_GROUPS];
    float up[BNDI_GROUPS];
    bool finite = true;
    size_t done = across == 32 ? scale_pairs(codes, y, x, n, rule, &finite) : 0;
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

const bndi_scan BNDI_SCAN = {
    .amax = find_amax,
    .scale_by_powers = scale_by_powers,
    .multiply = multiply,
    .multiply_exactly = multiply_exactly,
    .divide = divide,
    .multiply_in_double = multiply_in_double,
};
