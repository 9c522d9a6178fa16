/* The loops over numbers that tensor operations are made of, for the back end whose flags this file is compiled with;
 * BNDI_MATHS is the name of its table (maths.h describes every entry). All back ends give the same bits: only + - * /
 * and square roots are used, in doubles, in an order that does not depend on the size of a vector.
 *
 * That order is sixteen sums, element i in sum i mod 16, added in pairs at the end: i and i + 8, then i + 4, i + 2, i +
 * 1. A vector has LANES doubles (2, 4 or 8) and PARTS = 16 / LANES vectors hold the sixteen. For the elements 0, 1, ..
 * 15 with AVX2:
 *
 *   sums[0..3]     0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 14 15
 *   i and i + 8    8 10 12 14 | 16 18 20 22
 *   i and i + 4    24 28 32 36
 *   i and i + 2    56 64
 *   i and i + 1    120
 *
 * maths_lanes.h has the vectors, maths_functions_template.h the elementary functions, and maths_template.h the loops
 * for one type of numbers. It is included below, once for float (NUMBER float, BRIEF 1: functions may be short, as
 * results are rounded to fp32) and once for double.
 *
 * Here is what both types share: sums of rows, the ends of rows that fill no vector, and random points.
 * maths_update_template.h has the updates of optimizers. The loops take arrays and lengths, not tensors. formulas.def
 * lists those that work element by element. Lanes behind the end of a row are zeros. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("schedule-insns", "sched-pressure") /* or gcc leaves two vectors one behind the other */
#endif

#include "tensor/maths.h"

#include "bulk/inline.h"

#if !defined(BNDI_MATHS)
#define BNDI_MATHS bndi_maths_portable
#endif

#include "tensor/maths_lanes.h"

#include "tensor/maths_functions_template.h"

/* ---- parts of rows ---- */

/* BLOCK: elements that the functions with long chains of operations process together. A block is 512 bytes of doubles,
 * 8 to 32 vectors: enough independent chains to fill the processor, and the scratch arrays of a block stay in the
 * first-level cache. */
enum { SUM_LANES = 16, PARTS = SUM_LANES / LANES, BLOCK = 64 };

/* Unaligned loads and stores. */
static ALWAYS_INLINE doubles load(const double *x)
{
    doubles v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}

static ALWAYS_INLINE void store(double *x, doubles v)
{
    __builtin_memcpy(x, &v, sizeof v);
}

/* The sixteen sums added in pairs: the picture at the top. The order is part of the result, since rounding makes
 * addition depend on it. The sums 2^53, 1, -2^53, 1 of four lanes:
 *
 *   in pairs, i and i + 2   2^53 - 2^53 = 0, 1 + 1 = 2        then 0 + 2 = 2
 *   from left to right      2^53 + 1 = 2^53, - 2^53 = 0       then 0 + 1 = 1 */
static ALWAYS_INLINE double sum_of_lanes(const doubles *parts)
{
    doubles sums[PARTS], v;
    __builtin_memcpy(sums, parts, sizeof sums);
    ALL_TERMS
    for (int half = PARTS / 2; half > 0; half /= 2) {
        ALL_TERMS
        for (int i = 0; i < half; i++) {
            sums[i] += sums[i + half];
        }
    }
    v = sums[0];
    ALL_TERMS
    for (int half = LANES / 2; half > 0; half /= 2) {
        ALL_TERMS
        for (int lane = 0; lane < half; lane++) {
            v[lane] += v[lane + half];
        }
    }
    return v[0];
}

/* A loop over a row in sixteens. The argument is one statement, which sees p (which part), at (its first element) and
 * left (LANES, or fewer at the end of the row). For n = 21 with LANES 4: i = 0 with p = 0 .. 3 whole, then i = 16 with
 * p = 0 whole (16 to 19), p = 1 with left = 1 (20), and p = 2, 3 with left = 0. The two loops differ in `left` only: in
 * the first it is the constant LANES, so loads need no test. */
#define EACH_SIXTEEN(n, ...)                                                                                           \
    for (size_t i = 0; i + SUM_LANES <= (n); i += SUM_LANES) {                                                         \
        ALL_TERMS                                                                                                      \
        for (size_t p = 0; p < PARTS; p++) {                                                                           \
            size_t at = i + p * LANES, left = LANES;                                                                   \
            (void)left;                                                                                                \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    for (size_t i = (n) / SUM_LANES * SUM_LANES; i < (n); i += SUM_LANES) {                                            \
        ALL_TERMS                                                                                                      \
        for (size_t p = 0; p < PARTS; p++) {                                                                           \
            size_t at = i + p * LANES, left = at < (n) ? (n)-at : 0;                                                   \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

/* `left` elements from `at` on, zeros behind them. */
static ALWAYS_INLINE doubles load_some(const double *x, size_t at, size_t left)
{
    doubles v = {0};
    if (left >= LANES) {
        return load(x + at);
    }
    for (size_t i = 0; i < left; i++) {
        v[i] = x[at + i];
    }
    return v;
}

/* The same back to memory: nothing is written behind the row. */
static ALWAYS_INLINE void store_some(double *x, size_t at, size_t left, doubles v)
{
    if (left >= LANES) {
        store(x + at, v);
        return;
    }
    for (size_t i = 0; i < left; i++) {
        x[at + i] = v[i];
    }
}

/* Sets lanes without an element to zero, for values that are not zero there already. With a mean of 2 each absent lane
 * would add (0 - 2)^2 = 4 to the sum of squares. */
static ALWAYS_INLINE doubles only(doubles v, size_t left)
{
    for (size_t i = left; i < LANES && left < LANES; i++) {
        v[i] = 0;
    }
    return v;
}

/* ---- the loops ---- */

/* Two instances of the template. INTEGER has the size of NUMBER, because comparing vectors gives masks of integers of
 * that size. The names end in _of_floats and _of_doubles. */
#define NUMBER   float
#define INTEGER  int32_t
#define NAMED(f) f##_of_floats
#define BRIEF    1
#include "tensor/maths_template.h"
#undef NUMBER
#undef INTEGER
#undef NAMED
#undef BRIEF

#define NUMBER   double
#define INTEGER  int64_t
#define NAMED(f) f##_of_doubles
#define BRIEF    0
#include "tensor/maths_template.h"

/* ---- rows ---- */

/* Of the two zeros +0 is the larger one. Which zero a comparison keeps depends on the lane that an element is in, so it
 * is decided here. */
static double larger_zero(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (x[i] == 0 && !__builtin_signbit(x[i])) {
            return 0;
        }
    }
    return -0.0;
}

/* The entries of the table that take rows of doubles. */
static double row_largest(const double *x, size_t n)
{
    double most = largest_of_doubles(x, n);
    return most == 0 ? larger_zero(x, n) : most;
}

static double row_sum(const double *x, size_t n)
{
    /* Absent lanes hold +0. They change no sum: a + 0 is a, and the sums begin at +0, so that none is -0. */
    doubles sums[PARTS] = {{0}};
    EACH_SIXTEEN(n, sums[p] += load_some(x, at, left);)
    return sum_of_lanes(sums);
}

/* Of x = 1, 2, 3 and y = 4, 5, 6: 4, 10 and 18 in lanes 0, 1 and 2, then 32. */
static double row_sum_products(const double *x, const double *y, size_t n)
{
    doubles sums[PARTS] = {{0}};
    EACH_SIXTEEN(n, sums[p] += load_some(x, at, left) * load_some(y, at, left);)
    return sum_of_lanes(sums);
}

static void row_linear(double *y, const double *x, double shift, double factor, size_t n)
{
    EACH_SIXTEEN(n, store_some(y, at, left, (load_some(x, at, left) - shift) * factor);)
}

static void row_add_scaled(double *sums, const double *x, double factor, size_t n)
{
    EACH_SIXTEEN(n, store_some(sums, at, left, load_some(sums, at, left) + factor * load_some(x, at, left));)
}

/* Is no NaN among them? A NaN differs from itself, an infinity does not:
 *
 *   x         1.5    inf    -0     NaN
 *   x != x    0      0      0      -1
 *
 * Four answers, so that one need not wait for the other. (gcc leaves a loop over single numbers as it is, and compares
 * vectors that are wider than the registers number by number: 8 % of a step of training with AVX2.) */
static bool row_no_nan(const float *x, size_t n)
{
    enum { AT_ONCE = 2 * LANES, GROUPS = 4 };
    typedef float many __attribute__((vector_size(AT_ONCE * sizeof(float))));
    typedef int32_t answers __attribute__((vector_size(AT_ONCE * sizeof(int32_t))));
    answers differ[GROUPS] = {{0}};
    int32_t any = 0;
    size_t i = 0;
    for (; i + AT_ONCE * GROUPS <= n; i += AT_ONCE * GROUPS) {
        UNROLL
        for (size_t j = 0; j < GROUPS; j++) {
            many v;
            __builtin_memcpy(&v, x + i + j * AT_ONCE, sizeof v);
            differ[j] |= v != v;
        }
    }
    /* What is left of the last group. */
    for (; i < n; i++) {
        any |= x[i] != x[i];
    }
    const answers all = (differ[0] | differ[1]) | (differ[2] | differ[3]);
    for (int lane = 0; lane < AT_ONCE; lane++) {
        any |= all[lane];
    }
    return any == 0;
}

/* fp32 to double, exactly. Returns false if there was a NaN. v == v is zero in the lane of a NaN only, and `numbers`
 * keeps that zero until the end:
 *
 *   v            1.5     NaN     -0      inf
 *   v == v       -1      0       -1      -1
 *   numbers &=   -1      0       -1      -1       lane 1 stays 0: false */
static bool row_widen(double *y, const float *x, size_t n)
{
    words numbers = ~(words){0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        doubles v = wide(load_of_floats(x, i));
        numbers &= v == v;
        store(y + i, v);
    }
    bool good = true;
    for (int lane = 0; lane < LANES; lane++) {
        good = good && numbers[lane] != 0;
    }
    for (; i < n; i++) {
        y[i] = (double)x[i];
        good = good && y[i] == y[i];
    }
    return good;
}

/* Double to fp32, one rounding to nearest even each. The test for NaN reads the double: a finite one beyond fp32's
 * range becomes an infinity, which counts as a number here. */
static bool row_narrow(float *y, const double *x, size_t n)
{
    words numbers = ~(words){0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        doubles v = load(x + i);
        floats narrow = __builtin_convertvector(v, floats);
        numbers &= v == v;
        __builtin_memcpy(y + i, &narrow, sizeof narrow);
    }
    bool good = true;
    for (int lane = 0; lane < LANES; lane++) {
        good = good && numbers[lane] != 0;
    }
    for (; i < n; i++) {
        y[i] = (float)x[i];
        good = good && x[i] == x[i];
    }
    return good;
}

/* ---- random points ---- */

/* 32 bits as a number of [-1, 1): as the low bits of 2^52, subtracted again, times 2^-31, minus 1. The last bit of 2^52
 * is worth 1, so the sum of both is exact; the result is a multiple of 2^-31, so every later step is exact too.
 *   c0000000 -> 43300000c0000000 = 2^52 + 3221225472 -> 3221225472 * 2^-31 - 1 = 0.5       40000000 -> -0.5 */
static ALWAYS_INLINE doubles coordinate(unsigned_words bits)
{
    const unsigned_words exponent = (unsigned_words)all(0x1p52);
    return ((doubles)(bits | exponent) - 0x1p52) * 0x1p-31 - 1;
}

/* A point per lane from 64 bits, where the last one was outside the unit circle or in its centre (square >= 1 or <= 0):
 * the polar method draws until all are inside. The low 32 bits are one coordinate, the high ones the other, of which
 * only the square is kept. The example's point (0.5, -0.5) has the square 0.5 and stays. A point is inside with
 * probability pi / 4 = 0.785; the caller starts with square = 0, so that the first call draws a point in every lane. */
static ALWAYS_INLINE void points_of_lanes(double *x, double *square, const uint64_t *bits)
{
    unsigned_words w;
    __builtin_memcpy(&w, bits, sizeof w);
    doubles a = coordinate(w & 0xffffffff), b = coordinate(w >> 32), s = load(square);
    words again = (s <= 0) | (s >= 1);
    store(x, pick(again, a, load(x)));
    store(square, pick(again, a * a + b * b, s));
}

/* The last few go through a padded copy. A lane of the padding has square 0 and bits 0, so it gets a point of its own,
 * which is not copied back. */
static void points(double *x, double *square, const uint64_t *bits, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        points_of_lanes(x + i, square + i, bits + i);
    }
    if (i < n) {
        double last_x[LANES] = {0}, last_square[LANES] = {0};
        uint64_t last_bits[LANES] = {0};
        __builtin_memcpy(last_x, x + i, (n - i) * sizeof *x);
        __builtin_memcpy(last_square, square + i, (n - i) * sizeof *x);
        __builtin_memcpy(last_bits, bits + i, (n - i) * sizeof *bits);
        points_of_lanes(last_x, last_square, last_bits);
        __builtin_memcpy(x + i, last_x, (n - i) * sizeof *x);
        __builtin_memcpy(square + i, last_square, (n - i) * sizeof *x);
    }
}

#include "tensor/maths_update_template.h"

/* The functions that the template made, by type: [0] for rows of floats, [1] for rows of doubles. `formula` is filled
 * from the rows of formulas.def. */
const bndi_maths BNDI_MATHS = {
    .formula =
        {
            {
#define FORMULA(name, expression) [BNDI_F_##name] = name##_of_floats,
#include "tensor/formulas.def"
#undef FORMULA
            },
            {
#define FORMULA(name, expression) [BNDI_F_##name] = name##_of_doubles,
#include "tensor/formulas.def"
#undef FORMULA
            },
        },
    .largest = row_largest,
    .sum = row_sum,
    .points = points,
    .squares = squares,
    .adam = adam,
    .sums_of_two = sums_of_two,
    .combine = combine,
    .count_changes = count_changes,
    .count_lost_moments = count_lost_moments,
    .count_lost_updates = count_lost_updates,
    .softmax = {softmax_of_floats, softmax_of_doubles},
    .softmax_back = {softmax_back_of_floats, softmax_back_of_doubles},
    .norm = {norm_of_floats, norm_of_doubles},
    .norm_back = {norm_back_of_floats, norm_back_of_doubles},
    .sum_products = row_sum_products,
    .exponentials = exponentials_of_doubles,
    .linear = row_linear,
    .add = {add_to_doubles_of_floats, add_to_doubles_of_doubles},
    .add_scaled = row_add_scaled,
    .widen = row_widen,
    .no_nan = row_no_nan,
    .narrow = row_narrow,
};
