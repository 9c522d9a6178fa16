/* Quotients x / scale for AVX-512: rounded to odd, so that the element's rounding afterwards is correct (elements.c
 * shows why), and codes of a byte that are not evenly spaced, which is the loop of block_kernels.c with its tables in
 * registers.
 *
 * To odd, three lanes with scale 3. The quotient is rounded toward zero, the remainder x - q scale is exact in sign by
 * one fused operation, and where it is not zero the last bit of q is set:
 *
 *   x                 1                        5                        6
 *   q, toward zero    3eaaaaaa                 3fd55555                 40000000
 *   x - 3 q           2^-24, not zero          2^-22, not zero          0
 *   q | 1 there       3eaaaaab                 3fd55555 (odd already)   40000000: exact */
#include "block/block.h"
#include "bulk/avx512.h"

enum { LANES = 16 };

/* ---- to odd: elements.c shows why that is enough ---- */

/* 16 quotients. The comparison is ordered, so a NaN's last bit is left alone. */
static ALWAYS_INLINE __m512 to_odd(__m512 x, __m512 scale)
{
    const __m512 cut = _mm512_div_round_ps(x, scale, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m512 rest = _mm512_fnmadd_ps(cut, scale, x);
    const __mmask16 inexact = _mm512_cmp_ps_mask(rest, _mm512_setzero_ps(), _CMP_NEQ_OQ); /* NaNs stay */
    const __m512i bits = _mm512_castps_si512(cut);
    return _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, inexact, bits, _mm512_set1_epi32(1)));
}

/* Neighbours with one scale; the last few by masks. */
static void divide_group_to_odd(float *y, const float *x, float scale, size_t n)
{
    const __m512 by = _mm512_set1_ps(scale);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        _mm512_storeu_ps(y + i, to_odd(_mm512_loadu_ps(x + i), by));
    }
    if (i < n) {
        const __mmask16 left = (__mmask16)((1u << (n - i)) - 1);
        _mm512_mask_storeu_ps(y + i, left, to_odd(_mm512_maskz_loadu_ps(left, x + i), by));
    }
}

/* Columns of a tile have a scale each: up to 16 of them, which fp32 holds. Lanes beyond are zeros, whose quotients are
 * not stored. */
static ALWAYS_INLINE __m512 scales_at(const double *scales, __mmask16 some)
{
    const __m256 low = _mm512_cvtpd_ps(_mm512_maskz_loadu_pd((__mmask8)some, scales));
    const __m256 high = _mm512_cvtpd_ps(_mm512_maskz_loadu_pd((__mmask8)(some >> 8), scales + LANES / 2));
    const __m512d all = _mm512_castps_pd(_mm512_castps256_ps512(low));
    return _mm512_castpd_ps(_mm512_insertf64x4(all, _mm256_castps_pd(high), 1));
}

/* 16, or as many as are left. */
static ALWAYS_INLINE __mmask16 lanes_of(size_t left)
{
    return left < LANES ? (__mmask16)((1u << left) - 1) : (__mmask16)-1;
}

/* n elements in groups of `across` with one scale each, from the `first`-th element of the first group on. The scales
 * are values that fp32 holds, so the conversion is exact. */
void bndi_divide_to_odd(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first)
{
    for (size_t i = 0; across == 1 && i < n; i += LANES) {
        const __mmask16 some = lanes_of(n - i);
        _mm512_mask_storeu_ps(y + i, some, to_odd(_mm512_maskz_loadu_ps(some, x + i), scales_at(scales + i, some)));
    }
    for (size_t i = across == 1 ? n : 0, place = first; i < n; scales++, place = 0) {
        const size_t left = across - place, m = n - i < left ? n - i : left;
        divide_group_to_odd(y + i, x + i, (float)*scales, m);
        i += m;
    }
}

/* ---- to odd, of scales that are doubles ----
 *
 * The quotient as a double is cut to fp32, and the last bit is set where that changed it. elements.c shows that a
 * double has 24 bits only if the exact quotient has. Three lanes:
 *
 *   x             1                     6                  1
 *   scale         3                     3                  infinity
 *   quotient      3fd5555555555555      4000000000000000   0
 *   cut           3eaaaaaa              40000000           0
 *   as a double   3fd5555540000000      the same           the same
 *   to odd        3eaaaaab              40000000           0 */

/* The halves of 16 numbers are eight doubles each. */

static ALWAYS_INLINE __m512 wide_to_odd(__m512 x, __m512d low_scales, __m512d high_scales)
{
    const __m256 upper = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1));
    const __m512d low = _mm512_div_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(x)), low_scales);
    const __m512d high = _mm512_div_pd(_mm512_cvtps_pd(upper), high_scales);
    const __m256 low_cut = _mm512_cvt_roundpd_ps(low, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m256 high_cut = _mm512_cvt_roundpd_ps(high, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const unsigned low_inexact = _mm512_cmp_pd_mask(_mm512_cvtps_pd(low_cut), low, _CMP_NEQ_OQ);
    const unsigned high_inexact = _mm512_cmp_pd_mask(_mm512_cvtps_pd(high_cut), high, _CMP_NEQ_OQ);
    const __m512d both =
        _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low_cut)), _mm256_castps_pd(high_cut), 1);
    const __m512i bits = _mm512_castpd_si512(both);
    const __mmask16 inexact = (__mmask16)(low_inexact | high_inexact << 8);
    return _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, inexact, bits, _mm512_set1_epi32(1)));
}

/* As bndi_divide_to_odd. */
void bndi_divide_wide_to_odd(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first)
{
    for (size_t i = 0; across == 1 && i < n; i += LANES) {
        const __mmask16 some = lanes_of(n - i);
        const __m512d low = _mm512_maskz_loadu_pd((__mmask8)some, scales + i),
                      high = _mm512_maskz_loadu_pd((__mmask8)(some >> 8), scales + i + LANES / 2);
        _mm512_mask_storeu_ps(y + i, some, wide_to_odd(_mm512_maskz_loadu_ps(some, x + i), low, high));
    }
    for (size_t i = across == 1 ? n : 0, place = first; i < n; scales++, place = 0) {
        const size_t left = across - place, end = n - i < left ? n : i + left;
        const __m512d by = _mm512_set1_pd(*scales);
        for (; i < end; i += end - i < LANES ? end - i : LANES) {
            const __mmask16 some = lanes_of(end - i);
            _mm512_mask_storeu_ps(y + i, some, wide_to_odd(_mm512_maskz_loadu_ps(some, x + i), by, by));
        }
    }
}

/* ---- to the grid of a format and back, by such quotients ---- */

/* nearest_by_power of block_elements_template.h, on a quotient to odd: rounding it to the grid is correct, since the
 * grid has at most 22 bits, and the last bit of the quotient says that it is between two numbers. The product of
 * element and scale is rounded once, by fp32. e4m3, scale 0.3 (in fp32 a little more), two lanes:
 *
 *   x                          1                              3
 *   quotient to odd            40555555 (3.3333)              411fffff (9.9999996)
 *   M: its binade * magic      2 * 1.5 2^20                   8 * 1.5 2^20
 *   + M - M                    3.25                           10
 *   * scale                    0.975                          3 */
typedef struct lanes_of_grid {
    __m512 most, least, bottom, magic;
    __m512i sign;
} lanes_of_grid;

static ALWAYS_INLINE __m512 faked(__m512 x, __m512 scale, const lanes_of_grid *k)
{
    const __m512 t = _mm512_max_ps(k->least, _mm512_min_ps(k->most, to_odd(x, scale)));
    const __m512 binade = _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(t), _mm512_set1_epi32(0x7f800000)));
    const __m512 m = _mm512_mul_ps(_mm512_max_ps(binade, k->bottom), k->magic);
    const __m512 y = _mm512_mul_ps(_mm512_sub_ps(_mm512_add_ps(t, m), m), scale);
    const __m512i sign = _mm512_and_si512(_mm512_castps_si512(x), k->sign);
    return _mm512_castsi512_ps(_mm512_or_si512(_mm512_castps_si512(y), sign));
}

/* Neighbours with one scale. */
static ALWAYS_INLINE void fake_group_to_odd(float *y, const float *x, float scale, size_t n, const lanes_of_grid *k)
{
    const __m512 by = _mm512_set1_ps(scale);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        _mm512_storeu_ps(y + i, faked(_mm512_loadu_ps(x + i), by, k));
    }
    if (i < n) {
        const __mmask16 left = (__mmask16)((1u << (n - i)) - 1);
        _mm512_mask_storeu_ps(y + i, left, faked(_mm512_maskz_loadu_ps(left, x + i), by, k));
    }
}

/* As bndi_divide_to_odd. */
void bndi_fake_to_odd(float *y, const float *x, const double *scales, size_t n, size_t across, size_t first,
                      const bndi_grid *grid)
{
    const float most = (float)grid->most;
    const lanes_of_grid k = {.most = _mm512_set1_ps(most),
                             .least = _mm512_set1_ps(-most),
                             .bottom = _mm512_set1_ps((float)grid->bottom),
                             .magic = _mm512_set1_ps(grid->magic_of_floats),
                             .sign = _mm512_set1_epi32((int)grid->sign)};
    for (size_t i = 0; across == 1 && i < n; i += LANES) {
        const __mmask16 some = lanes_of(n - i);
        _mm512_mask_storeu_ps(y + i, some, faked(_mm512_maskz_loadu_ps(some, x + i), scales_at(scales + i, some), &k));
    }
    /* The first group may have begun before, and the last may end later. */
    for (size_t i = across == 1 ? n : 0, place = first; i < n; scales++, place = 0) {
        const size_t left = across - place, m = n - i < left ? n - i : left;
        fake_group_to_odd(y + i, x + i, (float)*scales, m, &k);
        i += m;
    }
}

/* ---- dynamic codes ---- */

/* A book of codes in registers: `most` has 128 entries where codes have a sign, and 256 if they do not. */
typedef struct tables {
    __m512i decade[2], last[2];
    __m512 slope, shift, most[16];
} tables;

/* `places` is a constant wherever this is called. */
static ALWAYS_INLINE void load(tables *t, const bndi_dynamic_book *book, int places)
{
    for (int k = 0; k < 2; k++) {
        t->decade[k] = _mm512_loadu_si512(book->decade + k * LANES);
        t->last[k] = _mm512_loadu_si512(book->last + k * LANES);
    }
    t->slope = _mm512_loadu_ps(book->slope);
    t->shift = _mm512_loadu_ps(book->shift);
#pragma GCC unroll 16
    for (int k = 0; k < places / LANES; k++) {
        t->most[k] = _mm512_loadu_ps(book->most + k * LANES);
    }
}

/* most[few] for 16 indices: permutex2var looks up 32 entries in a pair of registers by the low five bits of each index,
 * for every pair; then each further bit of the index chooses between two of these results. For 128 entries: 4 pairs,
 * then bit 5, then bit 6. */
static ALWAYS_INLINE __m512 look_up(const __m512 *most, __m512i few, int places)
{
    __m512 found[8];
#pragma GCC unroll 8
    for (int k = 0; k < places / (2 * LANES); k++) {
        found[k] = _mm512_permutex2var_ps(most[2 * k], few, most[2 * k + 1]);
    }
#pragma GCC unroll 3
    for (int left = places / (2 * LANES), bit = 2 * LANES; left > 1; left /= 2, bit *= 2) {
        const __mmask16 upper = _mm512_test_epi32_mask(few, _mm512_set1_epi32(bit));
#pragma GCC unroll 4
        for (int k = 0; k < left / 2; k++) {
            found[k] = _mm512_mask_mov_ps(found[2 * k], upper, found[2 * k + 1]);
        }
    }
    return found[0];
}

/* The code of a quotient. Within a decade of the book the thresholds lie nearly on a line, so slope * |q| + shift, cut
 * off, is the number of thresholds below |q| or one less, and one comparison with most[few] decides. `decade` comes
 * from the exponent field and from whether the fraction is above the last threshold of that binade. Codes are counted
 * from `zero`, up for positive quotients and down for negative ones, not below 0. */
static ALWAYS_INLINE __m512i codes_of(__m512 quotient, const tables *t, int places)
{
    const __m512i one = _mm512_set1_epi32(1), zero = _mm512_set1_epi32(places == 128 ? 127 : 0);
    const __m512i bits = _mm512_castps_si512(quotient);
    const __m512i magnitude =
        _mm512_max_epi32(_mm512_and_si512(bits, _mm512_set1_epi32(INT32_MAX)), _mm512_set1_epi32(BNDI_DYNAMIC_LEAST));
    const __m512i binade = _mm512_srli_epi32(magnitude, 23); /* its lower five bits are looked at */
    const __m512 number = _mm512_castsi512_ps(magnitude);
    __m512i decade = _mm512_permutex2var_epi32(t->decade[0], binade, t->decade[1]);
    const __m512i last = _mm512_permutex2var_epi32(t->last[0], binade, t->last[1]);
    decade = _mm512_mask_add_epi32(decade, _mm512_cmpgt_epi32_mask(magnitude, last), decade, one);
    const __m512 line =
        _mm512_fmadd_ps(number, _mm512_permutexvar_ps(decade, t->slope), _mm512_permutexvar_ps(decade, t->shift));
    const __m512i few = _mm512_cvttps_epi32(line);
    const __mmask16 more = _mm512_cmp_ps_mask(number, look_up(t->most, few, places), _CMP_GT_OQ);
    const __m512i above = _mm512_mask_add_epi32(few, more, few, one);
    const __m512i below = _mm512_max_epi32(_mm512_sub_epi32(zero, above), _mm512_setzero_si512());
    return _mm512_mask_mov_epi32(_mm512_add_epi32(zero, above), _mm512_movepi32_mask(bits), below);
}

/* An array with one scale; the last few by masks. */
static ALWAYS_INLINE void encode(unsigned char *codes, const float *x, float scale, const bndi_dynamic_book *book,
                                 size_t n, int places)
{
    const __m512 by = _mm512_set1_ps(scale);
    tables t;
    size_t i = 0;
    load(&t, book, places);
    for (; i + LANES <= n; i += LANES) {
        const __m512i found = codes_of(_mm512_div_ps(_mm512_loadu_ps(x + i), by), &t, places);
        _mm_storeu_si128((__m128i *)(void *)(codes + i), _mm512_cvtepi32_epi8(found));
    }
    if (i < n) {
        const __mmask16 rest = (__mmask16)((1u << (n - i)) - 1);
        const __m512i found = codes_of(_mm512_div_ps(_mm512_maskz_loadu_ps(rest, x + i), by), &t, places);
        _mm512_mask_cvtepi32_storeu_epi8(codes + i, rest, found);
    }
}

/* Books with signed codes have their zero in the middle (127). */
void bndi_encode_dynamic(unsigned char *codes, const float *x, float scale, const bndi_dynamic_book *book, size_t n)
{
    if (book->zero != 0) {
        encode(codes, x, scale, book, n, 128);
    } else {
        encode(codes, x, scale, book, n, 256);
    }
}
