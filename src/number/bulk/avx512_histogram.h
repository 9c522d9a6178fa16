/* The histogram of exponents for the statistics, for AVX-512 with VBMI, BITALG, VPOPCNTDQ and GFNI. Most numbers of an
 * array lie in a few binades: a `window` of 16 exponents is counted in registers, a byte per bin and 8 numbers. Groups
 * with numbers outside it are counted elsewhere (tally_template.h).
 *
 * How one group of 64 exponents (bytes) is counted for eight bins of the window, shown for eight of them (one 64-bit
 * lane):
 *
 *   exponents (fields)          7d 7f 7e 7f 80 7d 7f 7e       window from 7d: bins 0 2 1 2 3 0 2 1
 *   is[0] looked up             01 04 02 04 08 01 04 02       a bit per bin, one permutation of a table of 64
 *   turned (8 x 8 transpose)    bin 0: 2 numbers, bin 1: 2, bin 2: 3, bin 3: 1: a byte per bin, a bit per number
 *   popcount of each byte       02 02 03 01 00 00 00 00       added to the bytes of `count`
 *
 * A byte grows by at most 8 per group, so after MOST_IN_WINDOW = 31 groups the bytes are emptied into the 64-bit bins.
 */
#ifndef BINADE_SRC_BULK_AVX512_HISTOGRAM_H
#define BINADE_SRC_BULK_AVX512_HISTOGRAM_H

#include "bulk/avx512.h"

#define TARGET __attribute__((target(BNDI_AVX512_FEATURES ",avx512vbmi,avx512bitalg,avx512vpopcntdq,gfni")))

/* A group is four vectors; 31 groups of at most 8 per byte are at most 248 in a byte. */
enum { GROUP = 4, GROUP_LEN = 16 * GROUP, MOST_IN_WINDOW = 255 / 8, WINDOW = 16 };

/* The window: 16 exponents from that of `lowest` on, as two tables of eight bins. */
typedef struct window {
    uint32_t lowest, highest; /* magnitudes */
    __m512i is[2];            /* by the lowest six bits of an exponent: a bit where it is that of one of eight bins */
    __m512i count[2];
    size_t groups;
} window;

/* Chooses the window: it ends one binade above the largest finite magnitude of four vectors, spread over the n numbers
 * of x, and stays within the histogram. The table `is` is indexed by the low six bits of an exponent: bit (place -
 * lowest) mod 64 where that is below 8, else 0. `powers` has 1, 2, 4, .. 80 in its first eight bytes, which the masked
 * permutation looks up. A largest magnitude of 3.7 has the field 128: the window has the fields 114 to 129, that is
 * lowest = 39000000 (2^-13) and highest = 40ffffff (just below 8). is[0] has 01 at place 114 mod 64 = 50, .. 80 at
 * place 57. */
TARGET static inline void open_window(window *w, const char *x, size_t n)
{
    enum { LOWEST = 127 + BND_HISTOGRAM_LOWEST, HIGHEST = LOWEST + BNDI_BINS - 2 - WINDOW };
    static const uint8_t counting[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                         32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                         48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i powers = _mm512_zextsi128_si512(_mm_set1_epi64x((long long)0x8040201008040201));
    const __m512i infinity = _mm512_set1_epi32((int)0xff000000); /* without its sign */
    const size_t apart = n / GROUP_LEN * 64;
    __m512i large = _mm512_setzero_si512();
    UNROLL
    for (size_t i = 0; i < 4; i++) {
        const __m512i u = _mm512_slli_epi32(_mm512_loadu_si512(x + apart * i), 1);
        large = _mm512_mask_max_epu32(large, _mm512_cmplt_epu32_mask(u, infinity), large, u);
    }
    const int field = (int)(_mm512_reduce_max_epu32(large) >> 24) + 2 - WINDOW;
    const int lowest = field < LOWEST ? LOWEST : field > HIGHEST ? HIGHEST : field;
    w->lowest = (uint32_t)lowest << 23;
    w->highest = ((uint32_t)(lowest + WINDOW) << 23) - 1;
    UNROLL
    for (int i = 0; i < 2; i++) { /* the power of two that is (place - lowest) mod 64 */
        __m512i place = _mm512_sub_epi8(_mm512_loadu_si512(counting), _mm512_set1_epi8((char)(lowest + 8 * i)));
        w->is[i] = _mm512_maskz_permutexvar_epi8(_mm512_testn_epi8_mask(place, _mm512_set1_epi8(0x38)), place, powers);
        w->count[i] = _mm512_setzero_si512();
    }
    w->groups = 0;
}

/* Byte k of each 64-bit lane belongs to bin k: a permutation brings the eight bytes of each bin side by side, and sad
 * adds them. */
TARGET static inline void empty_window(bndi_tally *t, window *w)
{
    static const uint8_t places[64] = {0, 8,  16, 24, 32, 40, 48, 56, 1, 9,  17, 25, 33, 41, 49, 57,
                                       2, 10, 18, 26, 34, 42, 50, 58, 3, 11, 19, 27, 35, 43, 51, 59,
                                       4, 12, 20, 28, 36, 44, 52, 60, 5, 13, 21, 29, 37, 45, 53, 61,
                                       6, 14, 22, 30, 38, 46, 54, 62, 7, 15, 23, 31, 39, 47, 55, 63};
    const __m512i order = _mm512_loadu_si512(places), zero = _mm512_setzero_si512();
    uint64_t *bins = t->bins + ((w->lowest >> 23) - (127 + BND_HISTOGRAM_LOWEST - 1));
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        __m512i sums = _mm512_sad_epu8(_mm512_permutexvar_epi8(order, w->count[i]), zero);
        _mm512_storeu_si512(bins + 8 * i, _mm512_add_epi64(_mm512_loadu_si512(bins + 8 * i), sums));
        w->count[i] = zero;
    }
    w->groups = 0;
}

/* Which bytes belong to the second vector of a group, to the third and the fourth. The empty asm hides the constants
 * from the compiler, which would otherwise make these masks anew for each group. */
typedef struct places {
    uint64_t of[GROUP];
} places;

/* Two bytes of eight for each vector of a group: 03, 0c, 30 and c0, repeated. */
static ALWAYS_INLINE places set_places(void)
{
    places p = {{UINT64_MAX, 0x0c0c0c0c0c0c0c0c, 0x3030303030303030, 0xc0c0c0c0c0c0c0c0}};
    __asm__("" : "+r"(p.of[1]), "+r"(p.of[2]), "+r"(p.of[3]));
    return p;
}

/* The exponent fields of a group as bytes, in any order: multishift takes 8 bits from each 64 at given positions: 23,
 * the field of the lower number, and 55, that of the upper one; the sign is the ninth bit and is left out. Each vector
 * fills two of eight bytes. */
TARGET static ALWAYS_INLINE __m512i exponents_of(const __m512i *x, places p)
{
    const __m512i fields =
        _mm512_set1_epi16(23 | (32 + 23) << 8); /* of both numbers of each 64 bits, again and again */
    __m512i e = _mm512_multishift_epi64_epi8(fields, x[0]);
    UNROLL
    for (size_t i = 1; i < GROUP; i++) {
        e = _mm512_mask_multishift_epi64_epi8(e, p.of[i], fields, x[i]);
    }
    return e;
}

/* The picture at the top. `numbers`: bytes that are not zeros, whose exponent field 0 is none of the window's. */
TARGET static ALWAYS_INLINE void count_inside(__m512i *count, const __m512i *is, __m512i exponents, __mmask64 numbers)
{
    const __m512i turned = _mm512_set1_epi64((long long)0x8040201008040201);
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        __m512i bits = _mm512_maskz_permutexvar_epi8(numbers, exponents, is[i]);
        __m512i by_bin = _mm512_gf2p8affine_epi64_epi8(turned, bits, 0);
        count[i] = _mm512_add_epi8(count[i], _mm512_popcnt_epi8(by_bin));
    }
}

#endif
