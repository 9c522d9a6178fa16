/* Statistics of fp64 numbers for AVX-512 (F, DQ): sixteen at a time where all are zeros or in the format's normal
 * range, so that inexact is the only flag there can be. The portable tally counts every other sixteen, and the tail.
 * Sums round as its own do.
 *
 * Element i of a piece belongs to lane i mod 16 of the sums: vector 0 of a pair has lanes 0 to 7, vector 1 lanes 8 to
 * 15. Each lane of a vector also has bins of its own, so that the scatter of eight counts never meets the same address
 * twice:
 *
 *   u                 3fd3333333333333 (0.3)     4031000000000000 (17)     0 (not counted)
 *   bin = (u >> 52) - (1023 + lowest - 1)        0.3: field 3fd = 2^-2     17: field 403 = 2^4
 *   at = 8 bin + lane                            gather, add one, scatter
 *   less one, as unsigned: 0 - 1 is the largest, so a zero never is the smallest magnitude */
#include "bulk/avx512.h"

enum { VECTOR = 8, PAIR = 2 * VECTOR };

/* Thresholds as vectors. */
typedef struct bounds {
    __m512i magnitude, normal, max, top;
} bounds;

/* Sums and counts of a call. */
typedef struct sums {
    __m512d error[2], input[2];
    __m512i largest, smallest_less_one; /* zeros are the largest there */
    size_t numbers, differ;
} sums;

/* Is each x a zero or a normal number in range, and each result finite? For fp16 (normal 2^-14, max 65504), four lanes:
 *
 *   x            0    0.3   2^-20         1e6
 *   zero         1    0     0             0
 *   in_range     0    1     0             0        any 0 in both rows: the sixteen go to the portable tally */
static ALWAYS_INLINE bool all_plain(const bounds *k, __m512i u, __m512i v)
{
    __mmask8 zero = _mm512_testn_epi64_mask(u, u), in_range = _mm512_cmple_epu64_mask(u, k->max);
    in_range &= _mm512_cmpge_epu64_mask(u, k->normal);
    return ((zero | in_range) & _mm512_cmplt_epu64_mask(v, k->top)) == 0xff;
}

/* One rounding per operation, none fused: the portable tally rounds so. */
static ALWAYS_INLINE void add_squares(sums *s, size_t i, __m512i x, __m512i y)
{
    __m512d a = _mm512_castsi512_pd(x), e = _mm512_sub_pd(_mm512_castsi512_pd(y), a);
    s->error[i] = _mm512_add_pd(s->error[i], _mm512_mul_pd(e, e));
    s->input[i] = _mm512_add_pd(s->input[i], _mm512_mul_pd(a, a));
}

/* floor(log2 |x|) as a bin; a gather and a scatter into the lane's own bins. */
static ALWAYS_INLINE void count_bins(bndi_tally *t, __mmask8 numbers, __m512i u)
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), one = _mm512_set1_epi64(1);
    __m512i bin = _mm512_sub_epi64(_mm512_srli_epi64(u, 52), _mm512_set1_epi64(1023 + BND_HISTOGRAM_LOWEST - 1));
    bin = _mm512_max_epi64(bin, _mm512_setzero_si512());
    bin = _mm512_min_epi64(bin, _mm512_set1_epi64(BNDI_BINS - 1));
    __m512i at = _mm512_add_epi64(_mm512_slli_epi64(bin, 3), lane);
    __m512i count = _mm512_mask_i64gather_epi64(one, numbers, at, &t->bin_lanes[0][0], 8);
    _mm512_mask_i64scatter_epi64(&t->bin_lanes[0][0], numbers, at, _mm512_add_epi64(count, one), 8);
}

/* A plain vector: extremes, differences, sums and bins. */
static ALWAYS_INLINE void count_vector(bndi_tally *t, sums *s, size_t i, __m512i x, __m512i y, __m512i u)
{
    const __mmask8 numbers = _mm512_test_epi64_mask(u, u);
    s->largest = _mm512_max_epu64(s->largest, u);
    s->smallest_less_one = _mm512_min_epu64(s->smallest_less_one, _mm512_sub_epi64(u, _mm512_set1_epi64(1)));
    s->differ += (size_t)__builtin_popcount(_mm512_mask_cmpneq_epi64_mask(numbers, x, y));
    s->numbers += VECTOR;
    add_squares(s, i, x, y);
    count_bins(t, numbers, u);
}

/* The sums go on from the tally; they go back before the portable one is called, so that the order of additions is
 * kept. */
static void open_sums(sums *s, const bndi_tally *t)
{
    for (size_t i = 0; i < 2; i++) {
        s->error[i] = _mm512_loadu_pd(t->error + VECTOR * i);
        s->input[i] = _mm512_loadu_pd(t->input + VECTOR * i);
    }
}

/* Back into the tally. */
static void close_sums(const sums *s, bndi_tally *t)
{
    for (size_t i = 0; i < 2; i++) {
        _mm512_storeu_pd(t->error + VECTOR * i, s->error[i]);
        _mm512_storeu_pd(t->input + VECTOR * i, s->input[i]);
    }
}

/* Plans that this kernel counts. */
static bool is_simple(const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    return plan->exact && f->is_signed && f->has_zero && !plan->rule.flush_in && plan->max >= plan->normal;
}

/* Pairs of vectors; one that is not plain goes to the portable tally, with the sums handed over and taken back. Calls
 * that do not begin at a multiple of 16 elements have other lanes, and are all the portable one's. */
void bndi_tally_64_avx512(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random,
                          size_t n)
{
    const bounds k = {_mm512_set1_epi64(INT64_MAX), _mm512_set1_epi64((long long)plan->normal),
                      _mm512_set1_epi64((long long)plan->max), _mm512_set1_epi64(0x7ff0000000000000)};
    const char *in = x, *out = y, *r = random;
    sums s = {.largest = _mm512_setzero_si512(), .smallest_less_one = _mm512_set1_epi64(-1)};
    if (!is_simple(plan) || t->elements % BNDI_LANES != 0) {
        bndi_tally_64(plan, t, x, y, random, n);
        return;
    }
    open_sums(&s, t);
    for (size_t at = 0; at < n; at += PAIR) {
        const size_t count = n - at < PAIR ? n - at : PAIR;
        __m512i a[2], b[2], u[2];
        bool plain = count == PAIR;
        for (size_t i = 0; plain && i < 2; i++) {
            a[i] = _mm512_loadu_si512(in + 8 * at + 64 * i);
            b[i] = _mm512_loadu_si512(out + 8 * at + 64 * i);
            u[i] = _mm512_and_si512(a[i], k.magnitude);
            plain = all_plain(&k, u[i], _mm512_and_si512(b[i], k.magnitude));
        }
        if (!plain) {
            close_sums(&s, t);
            bndi_tally_64(plan, t, in + 8 * at, out + 8 * at, r != NULL ? r + at * plan->random_bytes : NULL, count);
            open_sums(&s, t);
            continue;
        }
        count_vector(t, &s, 0, a[0], b[0], u[0]);
        count_vector(t, &s, 1, a[1], b[1], u[1]);
    }
    close_sums(&s, t);
    t->in_lanes = t->in_lanes || s.numbers > 0;
    t->elements += s.numbers;
    t->compared += s.numbers;
    t->inexact += s.differ;
    t->exact += s.numbers - s.differ;
    uint64_t largest = _mm512_reduce_max_epu64(s.largest), least = _mm512_reduce_min_epu64(s.smallest_less_one) + 1;
    t->largest = largest > t->largest ? largest : t->largest;
    t->smallest = largest != 0 && (t->smallest == 0 || least < t->smallest) ? least : t->smallest;
}
