/* Tiles of sums in registers. This file is compiled once for each back end of the machine's family; BNDI_WAYS names
 * what comes of it. It all runs in the environment that gemm.c sets: to nearest even, subnormals kept.
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
 * What none of this does is overflow and what is no number. An infinity as an operand, or as M or t on the way, becomes
 * NaN in the subtraction, and a NaN stays in the sum to its end, where it shows. The largest magnitude of products and
 * sums is kept and compared with the format's largest number, unless gemm.c can exclude that any is beyond it. Zeros:
 * EACH gives products that round to zero the sign +, which shows in a sum of -0 only: there it leaves the tile to
 * strips. FUSED gives a sum that rounds to zero its sign, or asks for the tile to be done so where a sum ends at zero:
 * a zero on the way has no say in any other number. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* gcc's -O2 leaves most loops as they are */
#endif

#include "bulk/inline.h"
#include "matmul/matmul.h"

#include <math.h>

#if !defined(BNDI_WAYS)
#define BNDI_WAYS bndi_ways_portable
#endif

#define ALL_ROWS _Pragma("GCC unroll 14")

/* ---- lanes ---- */

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

enum { LANES = 16, CHAIN_ROWS = 14, EACH_ROWS = 8, FUSED_ROWS = 8 };
typedef __m512 V;

static ALWAYS_INLINE V all(float x)
{
    return _mm512_set1_ps(x);
}

static ALWAYS_INLINE V load(const float *x)
{
    return _mm512_loadu_ps(x);
}

static ALWAYS_INLINE void store(float *x, V v)
{
    _mm512_storeu_ps(x, v);
}

/* Where a b is exact. */
static ALWAYS_INLINE V fma_exactly(V a, V b, V c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static ALWAYS_INLINE V fma_lanes(V a, V b, V c)
{
    return _mm512_fmadd_ps(a, b, c);
}

/* What has the larger magnitude, where that is b with its sign; where b is NaN, a. */
static ALWAYS_INLINE V farther(V a, V b)
{
    return _mm512_range_ps(a, b, 0x7);
}

/* The larger of a, which is positive, and the magnitude of b; where that is NaN, a. */
static ALWAYS_INLINE V larger_magnitude(V a, V b)
{
    return _mm512_range_ps(a, b, 0xb);
}

static ALWAYS_INLINE V signed_as(V x, V y, V sign)
{
    const __m512i r = _mm512_ternarylogic_epi32(_mm512_castps_si512(x), _mm512_castps_si512(y),
                                                _mm512_castps_si512(sign), 0xf8); /* x | (y & sign) */
    return _mm512_castsi512_ps(r);
}

static ALWAYS_INLINE bool any_above(V a, V b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0;
}

static ALWAYS_INLINE bool any_zero(V a)
{
    return _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_EQ_OQ) != 0;
}

static ALWAYS_INLINE bool any_nan(V a)
{
    return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q) != 0;
}

static ALWAYS_INLINE bool any_minus_zero(V a)
{
    return _mm512_cmpeq_epi32_mask(_mm512_castps_si512(a), _mm512_set1_epi32(INT32_MIN)) != 0;
}

static ALWAYS_INLINE V one_nan(V a)
{
    return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), _mm512_set1_ps(NAN));
}

/* Rounded down and rounded up, and of these the odd one: where nothing is rounded they are the same. `near` is one of
 * them, too, and is there earlier. */
static ALWAYS_INLINE V fma_to_odd(V a, V b, V c, V *near)
{
    V down = _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    V up = _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    *near = down;
    __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(up, odd, down);
}

#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

enum { LANES = 8, CHAIN_ROWS = 6, EACH_ROWS = 4, FUSED_ROWS = 4 };
typedef __m256 V;

static ALWAYS_INLINE V all(float x)
{
    return _mm256_set1_ps(x);
}

static ALWAYS_INLINE V load(const float *x)
{
    return _mm256_loadu_ps(x);
}

static ALWAYS_INLINE void store(float *x, V v)
{
    _mm256_storeu_ps(x, v);
}

/* Where a b is exact. */
static ALWAYS_INLINE V fma_exactly(V a, V b, V c)
{
    return _mm256_fmadd_ps(a, b, c);
}

static ALWAYS_INLINE V fma_lanes(V a, V b, V c)
{
    return _mm256_fmadd_ps(a, b, c);
}

/* The larger of a, which is positive, and the magnitude of b, with the sign of b; where b is NaN, a. */
static ALWAYS_INLINE V farther(V a, V b)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_max_ps(_mm256_andnot_ps(sign, b), a), _mm256_and_ps(sign, b));
}

static ALWAYS_INLINE V larger_magnitude(V a, V b)
{
    return _mm256_max_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), b), a); /* of a NaN and a number the second one */
}

static ALWAYS_INLINE V signed_as(V x, V y, V sign)
{
    return _mm256_or_ps(x, _mm256_and_ps(y, sign));
}

static ALWAYS_INLINE bool any_above(V a, V b)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0;
}

static ALWAYS_INLINE bool any_zero(V a)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_EQ_OQ)) != 0;
}

static ALWAYS_INLINE bool any_nan(V a)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, a, _CMP_UNORD_Q)) != 0;
}

static ALWAYS_INLINE bool any_minus_zero(V a)
{
    __m256i same = _mm256_cmpeq_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(INT32_MIN));
    return _mm256_movemask_epi8(same) != 0;
}

static ALWAYS_INLINE V one_nan(V a)
{
    return _mm256_blendv_ps(a, _mm256_set1_ps(NAN), _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
}

/* Four lanes in double: the product is exact there, the sum's error is a number (Knuth), and where there is one, an
 * even sum is moved to its neighbour on the error's side. */
static ALWAYS_INLINE __m256d sum_to_odd(__m256d p, __m256d c)
{
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256d zero = _mm256_setzero_pd();
    __m256d s = _mm256_add_pd(p, c), back = _mm256_sub_pd(s, p);
    __m256d e = _mm256_add_pd(_mm256_sub_pd(p, _mm256_sub_pd(s, back)), _mm256_sub_pd(c, back));
    __m256i bits = _mm256_castpd_si256(s);
    __m256d change = _mm256_cmp_pd(e, zero, _CMP_NEQ_OQ);              /* false for the NaN of an infinite sum */
    __m256i even = _mm256_sub_epi64(_mm256_and_si256(bits, one), one); /* all bits, or none */
    __m256i apart = _mm256_castpd_si256(_mm256_xor_pd(e, s));
    __m256i step = _mm256_or_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), apart), one); /* -1 or 1 */
    step = _mm256_and_si256(_mm256_and_si256(step, even), _mm256_castpd_si256(change));
    return _mm256_castsi256_pd(_mm256_add_epi64(bits, step));
}

/* Its neighbours in fp32, and of these the odd one. */
static ALWAYS_INLINE __m128 fp32_to_odd(__m256d s)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    __m128 f = _mm256_cvtpd_ps(s);
    __m256d g = _mm256_cvtps_pd(f);
    __m256d outside = _mm256_cmp_pd(_mm256_andnot_pd(sign, g), _mm256_andnot_pd(sign, s), _CMP_GT_OQ);
    __m256d other = _mm256_cmp_pd(g, s, _CMP_NEQ_OQ);
    const __m256i low = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    __m128i beyond = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(outside), low));
    __m128i inexact = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(other), low));
    const __m128i one = _mm_set1_epi32(1);
    __m128i bits = _mm_castps_si128(f), even = _mm_sub_epi32(_mm_and_si128(bits, one), one);
    __m128i step = _mm_and_si128(_mm_and_si128(_mm_or_si128(beyond, one), even), inexact);
    return _mm_castsi128_ps(_mm_add_epi32(bits, step));
}

static ALWAYS_INLINE __m128 half_to_odd(__m128 a, __m128 b, __m128 c)
{
    __m256d p = _mm256_mul_pd(_mm256_cvtps_pd(a), _mm256_cvtps_pd(b));
    return fp32_to_odd(sum_to_odd(p, _mm256_cvtps_pd(c)));
}

static ALWAYS_INLINE V fma_to_odd(V a, V b, V c, V *near)
{
    *near = _mm256_fmadd_ps(a, b, c);
    __m128 low = half_to_odd(_mm256_castps256_ps128(a), _mm256_castps256_ps128(b), _mm256_castps256_ps128(c));
    __m128 high = half_to_odd(_mm256_extractf128_ps(a, 1), _mm256_extractf128_ps(b, 1), _mm256_extractf128_ps(c, 1));
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

#else

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

static inline double double_of(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of_double(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* a b + c in double, rounded to odd: the product is exact, the sum's error is a number (Knuth), and where there is one,
 * an even sum is moved to its neighbour on the error's side. */
static inline double double_to_odd(float a, float b, float c)
{
    double p = (double)a * (double)b, s = p + (double)c, back = s - p;
    double e = (p - (s - back)) + ((double)c - back);
    uint64_t bits = bits_of_double(s), even = ~bits & 1;
    bool outwards = (e > 0) == (s > 0), change = e < 0 || e > 0; /* the error of an infinity is NaN */
    uint64_t step = change ? even : 0;
    return double_of(outwards ? bits + step : bits - step);
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
    uint32_t bits = bits_of(f), step = (g < s || g > s) ? ~bits & 1 : 0;
    bool outside = g < 0 ? g < s : g > s;
    return float_of(outside ? bits - step : bits + step);
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
        uint32_t bits = bits_of(b[l]);
        float size = float_of(bits & 0x7fffffff);
        r[l] = float_of(bits_of(size > a[l] ? size : a[l]) | (bits & 0x80000000));
    }
    return r;
}

static ALWAYS_INLINE V larger_magnitude(V a, V b)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        float size = float_of(bits_of(b[l]) & 0x7fffffff);
        r[l] = size > a[l] ? size : a[l];
    }
    return r;
}

static ALWAYS_INLINE V signed_as(V x, V y, V sign)
{
    V r;
    for (int l = 0; l < LANES; l++) {
        r[l] = float_of(bits_of(x[l]) | (bits_of(y[l]) & bits_of(sign[l])));
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
        any |= bits_of(a[l]) == 0x80000000;
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

enum { COLUMNS = 2 * LANES };

/* ---- fp32 ---- */

/* Rows of A lie `a_row` apart, its columns `a_column`: one of the two is 1, which is known here. */
static ALWAYS_INLINE void chain_by(bool turned, size_t rows, const bndi_chain *p)
{
    V s[CHAIN_ROWS][2];
    const float *a = p->a, *b = p->b;
    const bool from_zero = p->fresh || p->promotes;
    ALL_ROWS
    for (size_t i = 0; i < rows; i++) {
        s[i][0] = from_zero ? all(0) : load(p->c + (ptrdiff_t)i * p->c_row);
        s[i][1] = from_zero ? all(0) : load(p->c + (ptrdiff_t)i * p->c_row + LANES);
    }
    for (size_t at = p->k; at > 0; at--) {
        V b0 = load(b), b1 = load(b + LANES);
        ALL_ROWS
        for (size_t i = 0; i < rows; i++) {
            V x = all(turned ? a[i] : a[(ptrdiff_t)i * p->a_row]);
            s[i][0] = fma_lanes(x, b0, s[i][0]);
            s[i][1] = fma_lanes(x, b1, s[i][1]);
        }
        a += turned ? p->a_column : 1;
        b += p->b_row;
    }
    ALL_ROWS
    for (size_t i = 0; i < rows; i++) {
        V low = s[i][0], high = s[i][1];
        if (p->promotes) {
            low = low + (p->fresh ? all(0) : load(p->c + (ptrdiff_t)i * p->c_row));
            high = high + (p->fresh ? all(0) : load(p->c + (ptrdiff_t)i * p->c_row + LANES));
        }
        low = one_nan(low);
        high = one_nan(high);
        if (p->bias != NULL) {
            low = low + load(p->bias);
            high = high + load(p->bias + LANES);
        }
        store(p->c + (ptrdiff_t)i * p->c_row, low);
        store(p->c + (ptrdiff_t)i * p->c_row + LANES, high);
    }
}

#define CHAIN(name, n)                                                                                                 \
    static void chain_##name(const bndi_chain *p)                                                                      \
    {                                                                                                                  \
        chain_by(false, n, p);                                                                                         \
    }                                                                                                                  \
    static void turned_chain_##name(const bndi_chain *p)                                                               \
    {                                                                                                                  \
        chain_by(true, n, p);                                                                                          \
    }
#define CHAIN_WAY(name, n, next)                                                                                       \
    static const bndi_way way_of_##name = {                                                                            \
        .chain = {chain_##name, turned_chain_##name}, .fewer = next, .rows = n, .columns = COLUMNS}
CHAIN(one, 1)
CHAIN(two, 2)
CHAIN_WAY(one, 1, NULL);
CHAIN_WAY(two, 2, &way_of_one);
#if defined(__AVX2__) && defined(__FMA__)
CHAIN(four, 4)
CHAIN_WAY(four, 4, &way_of_two);
#define FEWER way_of_four
#else
#define FEWER way_of_two
#endif
#if defined(__AVX512F__) && defined(__AVX512DQ__)
CHAIN(eight, 8)
CHAIN_WAY(eight, 8, &way_of_four);
#undef FEWER
#define FEWER way_of_eight
#endif
CHAIN(most, CHAIN_ROWS)

static bool chain(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    (void)sum;
    const bndi_chain p = {
        .c = c, .c_row = (ptrdiff_t)pitch, .a = a, .a_row = BNDI_PITCH, .b = b, .b_row = COLUMNS, .k = k};
    chain_by(false, CHAIN_ROWS, &p);
    return true;
}

static bool plain(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    V s[EACH_ROWS][2];
    (void)sum;
    ALL_ROWS
    for (size_t i = 0; i < EACH_ROWS; i++) {
        s[i][0] = load(c + i * pitch);
        s[i][1] = load(c + i * pitch + LANES);
    }
    for (size_t at = 0; at < k; at++) {
        V b0 = load(b + at * COLUMNS), b1 = load(b + at * COLUMNS + LANES);
        ALL_ROWS
        for (size_t i = 0; i < EACH_ROWS; i++) {
            V x = all(a[i * BNDI_PITCH + at]);
            s[i][0] = s[i][0] + x * b0;
            s[i][1] = s[i][1] + x * b1;
        }
    }
    ALL_ROWS
    for (size_t i = 0; i < EACH_ROWS; i++) {
        store(c + i * pitch, one_nan(s[i][0]));
        store(c + i * pitch + LANES, one_nan(s[i][1]));
    }
    return true;
}

/* ---- rounded ---- */

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

/* `checks`: sums are looked at, and what becomes zero keeps its sign. Without that a zero at the end is strange. */
static ALWAYS_INLINE bool fused_by(bool checks, const bndi_sum *sum, float *c, size_t pitch, const float *a,
                                   const float *b, size_t k)
{
    float sign_bit;
    __builtin_memcpy(&sign_bit, &sum->sign, sizeof sign_bit);
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

/* ---- aligned groups ---- */

enum { ALIGNED_ROWS = 4 };

typedef struct aligned_lanes {
    double s[LANES], unit[LANES], magic[LANES], total[LANES], all[LANES];
} aligned_lanes;

static inline double double_from(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* The unit of a group: its largest term's exponent, `bits` - 1 lower. */
static inline void align(aligned_lanes *w, const float *a, const float *b, size_t k, int32_t bits)
{
    const uint64_t exponents = UINT64_C(0x7ff) << 52, down = (uint64_t)(uint32_t)(bits - 1) << 52;
    double most[LANES];
    for (int l = 0; l < LANES; l++) {
        double u = fabs(w->s[l]);
        most[l] = u > 0x1p-126 ? u : 0x1p-126;
        w->all[l] = w->s[l];
    }
    for (size_t at = 0; at < k; at++) {
        for (int l = 0; l < LANES; l++) {
            double p = (double)a[at] * (double)b[at * COLUMNS + (size_t)l], u = fabs(p);
            most[l] = u > most[l] ? u : most[l];
            w->all[l] += p;
        }
    }
    for (int l = 0; l < LANES; l++) {
        uint64_t word;
        __builtin_memcpy(&word, &most[l], sizeof word);
        word = (word & exponents) - down;
        w->unit[l] = double_from(word);
        w->magic[l] = double_from(word + (UINT64_C(52) << 52));
    }
}

/* |x| to a multiple of the unit by x + M - M to nearest, M being 2^52 units, and a unit less where that is above |x|.
 * */
static inline double truncated(double x, double unit, double magic)
{
    double u = fabs(x), r = (u + magic) - magic;
    r = r > u ? r - unit : r;
    return copysign(r, x);
}

/* The sum of the truncated terms is exact in a double: 65 of at most 2^bits units. So are its highest `bits` bits. */
static inline void add_group(aligned_lanes *w, const float *a, const float *b, size_t k, int32_t bits)
{
    const uint64_t keep = ~((UINT64_C(1) << (53 - bits)) - 1);
    for (int l = 0; l < LANES; l++) {
        w->total[l] = truncated(w->s[l], w->unit[l], w->magic[l]);
    }
    for (size_t at = 0; at < k; at++) {
        for (int l = 0; l < LANES; l++) {
            double p = (double)a[at] * (double)b[at * COLUMNS + (size_t)l];
            w->total[l] += truncated(p, w->unit[l], w->magic[l]);
        }
    }
    for (int l = 0; l < LANES; l++) {
        uint64_t word;
        __builtin_memcpy(&word, &w->total[l], sizeof word);
        double s = double_from(word & keep) + 0.0; /* -0 becomes +0 */
        s = fabs(s) >= 0x1p128 ? copysign((double)INFINITY, s) : s;
        bool number = w->all[l] - w->all[l] == 0;
        w->s[l] = number ? s : w->all[l];
    }
}

static bool aligned(const bndi_sum *sum, float *c, size_t pitch, const float *a, const float *b, size_t k)
{
    const size_t group = (size_t)sum->group;
    for (size_t i = 0; i < ALIGNED_ROWS; i++) {
        for (size_t v = 0; v < COLUMNS; v += LANES) {
            aligned_lanes w;
            for (int l = 0; l < LANES; l++) {
                w.s[l] = (double)c[i * pitch + v + (size_t)l];
            }
            for (size_t at = 0; at < k; at += group) {
                const float *x = a + i * BNDI_PITCH + at, *y = b + at * COLUMNS + v;
                size_t n = k - at < group ? k - at : group;
                align(&w, x, y, n, sum->bits);
                add_group(&w, x, y, n, sum->bits);
            }
            for (int l = 0; l < LANES; l++) {
                c[i * pitch + v + (size_t)l] = w.s[l] != w.s[l] ? NAN : (float)w.s[l];
            }
        }
    }
    return true;
}

/* ---- what packing asks ---- */

static uint32_t largest_magnitude(const float *x, size_t n)
{
    int32_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t u;
        __builtin_memcpy(&u, x + i, sizeof u);
        u &= INT32_MAX;
        largest = u > largest ? u : largest;
    }
    return (uint32_t)largest;
}

typedef float quad __attribute__((vector_size(16)));

static ALWAYS_INLINE quad load_quad(const float *x)
{
    quad v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}

static ALWAYS_INLINE void store_quad(float *x, quad v)
{
    __builtin_memcpy(x, &v, sizeof v);
}

static ALWAYS_INLINE void transpose_quads(float *to, size_t to_pitch, const float *from, size_t from_pitch)
{
    quad a = load_quad(from), b = load_quad(from + from_pitch);
    quad c = load_quad(from + 2 * from_pitch), d = load_quad(from + 3 * from_pitch);
    quad ac = __builtin_shufflevector(a, c, 0, 4, 1, 5), AC = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    quad bd = __builtin_shufflevector(b, d, 0, 4, 1, 5), BD = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    store_quad(to, __builtin_shufflevector(ac, bd, 0, 4, 1, 5));
    store_quad(to + to_pitch, __builtin_shufflevector(ac, bd, 2, 6, 3, 7));
    store_quad(to + 2 * to_pitch, __builtin_shufflevector(AC, BD, 0, 4, 1, 5));
    store_quad(to + 3 * to_pitch, __builtin_shufflevector(AC, BD, 2, 6, 3, 7));
}

static void transpose(float *to, size_t to_pitch, const float *from, size_t from_pitch, size_t rows, size_t columns)
{
    const size_t whole_rows = rows & ~(size_t)3, whole_columns = columns & ~(size_t)3;
    for (size_t j = 0; j < whole_columns; j += 4) {
        for (size_t i = 0; i < whole_rows; i += 4) {
            transpose_quads(to + j * to_pitch + i, to_pitch, from + i * from_pitch + j, from_pitch);
        }
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = i < whole_rows ? whole_columns : 0; j < columns; j++) {
            to[j * to_pitch + i] = from[i * from_pitch + j];
        }
    }
}

const bndi_ways BNDI_WAYS = {
    .transpose = transpose,
    .largest_magnitude = largest_magnitude,
    .chain = {.tile = chain,
              .chain = {chain_most, turned_chain_most},
              .fewer = &FEWER,
              .rows = CHAIN_ROWS,
              .columns = COLUMNS},
    .plain = {.tile = plain, .rows = EACH_ROWS, .columns = COLUMNS},
    .each = {.tile = each, .checked = each_checked, .rows = EACH_ROWS, .columns = COLUMNS},
    .fused = {.tile = fused, .checked = fused_checked, .rows = FUSED_ROWS, .columns = COLUMNS},
    .fused_short = {.tile = fused_checked, .rows = FUSED_ROWS, .columns = COLUMNS},
    .aligned = {.tile = aligned, .rows = ALIGNED_ROWS, .columns = COLUMNS},
};
