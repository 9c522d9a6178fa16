/* Statistics for AVX-512 with VPOPCNTDQ: sixteen fp32 numbers at a time, in the order that the portable tally has.
 *
 * Most vectors have only normal numbers in range: then a difference is the only flag there can be. Others are told
 * apart by masks and thresholds; the few lanes that random bits decide (within a unit of the smallest normal number or
 * of the largest one) are asked of the codec. */
#include "bulk/avx512.h"

#define TARGET __attribute__((target("avx512vpopcntdq")))

enum { TOP = 0x7f800000, BATCH = 512, GROUP = 4, AHEAD = 8192 };

typedef struct limits {
    __m512i magnitude, normal, span, max, top, hard;
    /* By sign: from `tiny` on a number is not tiny, from `over` on it overflows; below `normal` and `surely_over`.
     * Where random bits decide, what lies between is doubtful. */
    __m512i tiny[2], over[2], surely_over;
    bool random;
} limits;

/* What is kept in registers over a call: counts are made in lanes of 32 bits. */
typedef struct state {
    __m512d error[2], input[2];
    __m512i largest, smallest;
    __m512i exact, inexact, underflows, flushed, overflows, saturated, infinities_in, nans_in, nans_out, zeros, apart;
} state;

/* The bits of `exponent` numbers' bins: planes of a batch of 512 bytes, a plane a bit. */
TARGET static void count_batch(bndi_tally *t, const uint8_t *bins)
{
    uint64_t planes[6][8];
    for (size_t j = 0; j < 8; j++) {
        __m512i v = _mm512_loadu_si512(bins + 64 * j);
#pragma GCC unroll 6
        for (unsigned b = 0; b < 6; b++) {
            planes[b][j] = _mm512_test_epi8_mask(v, _mm512_set1_epi8((char)(1u << b)));
        }
    }
    __m512i p[6];
#pragma GCC unroll 6
    for (unsigned b = 0; b < 6; b++) {
        p[b] = _mm512_loadu_si512(planes[b]);
    }
#pragma GCC unroll 8
    for (unsigned eighth = 0; eighth < 8; eighth++) {
        __m512i node = _mm512_set1_epi64(-1);
#pragma GCC unroll 3
        for (unsigned b = 0; b < 3; b++) {
            node = (eighth >> b & 1) != 0 ? _mm512_and_si512(node, p[b + 3]) : _mm512_andnot_si512(p[b + 3], node);
        }
        if (_mm512_test_epi64_mask(node, node) == 0) {
            continue;
        }
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++) {
            __m512i leaf = node;
#pragma GCC unroll 3
            for (unsigned b = 0; b < 3; b++) {
                leaf = (i >> b & 1) != 0 ? _mm512_and_si512(leaf, p[b]) : _mm512_andnot_si512(p[b], leaf);
            }
            uint64_t *lanes = t->bin_lanes[8 * eighth + i];
            __m512i sum = _mm512_add_epi64(_mm512_loadu_si512(lanes), _mm512_popcnt_epi64(leaf));
            _mm512_storeu_si512(lanes, sum);
        }
    }
}

static ALWAYS_INLINE void add_squares(state *s, __m512i x, __m512i y)
{
    __m512 fx = _mm512_castsi512_ps(x), fy = _mm512_castsi512_ps(y);
    __m256 half_x[2] = {_mm512_castps512_ps256(fx), _mm512_extractf32x8_ps(fx, 1)};
    __m256 half_y[2] = {_mm512_castps512_ps256(fy), _mm512_extractf32x8_ps(fy, 1)};
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        __m512d a = _mm512_cvtps_pd(half_x[i]), e = _mm512_sub_pd(_mm512_cvtps_pd(half_y[i]), a);
        s->error[i] = _mm512_add_pd(s->error[i], _mm512_mul_pd(e, e));
        s->input[i] = _mm512_add_pd(s->input[i], _mm512_mul_pd(a, a));
    }
}

static ALWAYS_INLINE __m512i counted(__m512i count, __mmask16 lanes)
{
    return _mm512_mask_add_epi32(count, lanes, count, _mm512_set1_epi32(1));
}

/* Lanes that only the codec knows. */
static NOT_INLINE void ask_flags(const bndi_plan *plan, bndi_tally *t, __mmask16 lanes, __m512i x, __m512i y,
                                 const void *random, size_t at)
{
    uint32_t in[16], out[16];
    _mm512_storeu_si512(in, x);
    _mm512_storeu_si512(out, y);
    for (unsigned i = 0; i < 16; i++) {
        if ((lanes >> i & 1) != 0) {
            uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, at + i) : 0;
            bndi_tally_flags(t, bndi_flags_of(plan, in[i], out[i], r));
        }
    }
}

/* Any vector; `lanes`: the elements there are. */
static ALWAYS_INLINE void count_any(const bndi_plan *plan, bndi_tally *t, state *s, const limits *k, __mmask16 lanes,
                                    __m512i x, __m512i y, const void *random, size_t at)
{
    __m512i u = _mm512_and_si512(x, k->magnitude), v = _mm512_and_si512(y, k->magnitude);
    __mmask16 finite = _mm512_mask_cmplt_epu32_mask(lanes, u, k->top);
    __mmask16 infinite = _mm512_mask_cmpeq_epu32_mask(lanes, u, k->top);
    __mmask16 nan = _mm512_mask_cmpgt_epu32_mask(lanes, u, k->top);
    __mmask16 number = _mm512_mask_test_epi32_mask(finite, u, u);
    __mmask16 negative = _mm512_movepi32_mask(x), doubtful = _mm512_mask_cmplt_epu32_mask(number, u, k->hard);
    __m512i tiny_from = _mm512_mask_mov_epi32(k->tiny[0], negative, k->tiny[1]);
    __m512i over_from = _mm512_mask_mov_epi32(k->over[0], negative, k->over[1]);
    if (k->random) {
        doubtful |= _mm512_mask_cmple_epu32_mask(_mm512_mask_cmplt_epu32_mask(number, u, k->normal), tiny_from, u);
        doubtful |= _mm512_mask_cmple_epu32_mask(_mm512_mask_cmplt_epu32_mask(number, u, k->surely_over), over_from, u);
    }
    __mmask16 clear = number & (__mmask16)~doubtful;
    __mmask16 inexact = _mm512_mask_cmpneq_epu32_mask(clear, u, v);
    __mmask16 over = _mm512_mask_cmpge_epu32_mask(clear, u, over_from);
    __mmask16 saturated = _mm512_mask_cmpeq_epu32_mask(over, v, k->max);
    if (infinite != 0 && (bndi_flags_of(plan, TOP, 0, 0) & BND_SATURATED) != 0) {
        saturated |= infinite;
    }
    s->nans_in = counted(s->nans_in, nan);
    s->infinities_in = counted(s->infinities_in, infinite);
    s->nans_out = counted(s->nans_out, _mm512_mask_cmpgt_epu32_mask(lanes, v, k->top));
    s->inexact = counted(s->inexact, inexact);
    s->exact = counted(s->exact, (__mmask16)(finite & ~doubtful & ~inexact));
    s->underflows = counted(s->underflows, _mm512_mask_cmplt_epu32_mask(inexact, u, tiny_from));
    s->flushed = counted(s->flushed, _mm512_mask_testn_epi32_mask(clear, v, v));
    s->overflows = counted(s->overflows, over);
    s->saturated = counted(s->saturated, saturated);
    s->zeros = counted(s->zeros, (__mmask16)(finite & ~number));
    s->largest = _mm512_mask_max_epu32(s->largest, number, s->largest, u);
    s->smallest = _mm512_mask_min_epu32(s->smallest, number, s->smallest, u);
    __mmask16 both = _mm512_mask_cmplt_epu32_mask(finite, v, k->top);
    s->apart = counted(s->apart, (__mmask16)(lanes & ~both));
    add_squares(s, _mm512_maskz_mov_epi32(both, x), _mm512_maskz_mov_epi32(both, y));
    if (doubtful != 0) {
        ask_flags(plan, t, doubtful, x, y, random, at);
    }
}

/* floor(log2 |x|) as a bin: the exponent field less that of the lowest bin, from 0 to 63; of four vectors, in any
 * order. */
static ALWAYS_INLINE __m512i bins_of(const __m512i *u)
{
    const __m512i lowest = _mm512_set1_epi8(127 + BND_HISTOGRAM_LOWEST - 1), last = _mm512_set1_epi8(BNDI_BINS - 1);
    __m512i low = _mm512_packus_epi32(_mm512_srli_epi32(u[0], 23), _mm512_srli_epi32(u[1], 23));
    __m512i high = _mm512_packus_epi32(_mm512_srli_epi32(u[2], 23), _mm512_srli_epi32(u[3], 23));
    return _mm512_min_epu8(_mm512_subs_epu8(_mm512_packus_epi16(low, high), lowest), last);
}

static void set_limits(limits *k, const bndi_plan *plan)
{
    k->magnitude = _mm512_set1_epi32(0x7fffffff);
    k->normal = _mm512_set1_epi32((int)plan->normal);
    k->span = _mm512_set1_epi32((int)(plan->max - plan->normal));
    k->max = _mm512_set1_epi32((int)plan->max);
    k->top = _mm512_set1_epi32(TOP);
    k->hard = _mm512_set1_epi32((int)plan->difficult);
    k->surely_over = _mm512_set1_epi32((int)((uint32_t)plan->max + ((uint32_t)1 << plan->drop)));
    for (unsigned i = 0; i < 2; i++) {
        k->tiny[i] = _mm512_set1_epi32((int)bndi_not_tiny_from(plan, i != 0));
        k->over[i] = _mm512_set1_epi32((int)bndi_overflows_from(plan, i != 0));
    }
    k->random = plan->random_bits > 0;
}

static uint64_t total(__m512i count)
{
    return (uint64_t)(uint32_t)_mm512_reduce_add_epi32(count);
}

static ALWAYS_INLINE void finish(bndi_tally *t, const state *s, size_t n)
{
    uint32_t largest = _mm512_reduce_max_epu32(s->largest), smallest = _mm512_reduce_min_epu32(s->smallest);
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        _mm512_storeu_pd(t->error + 8 * i, s->error[i]);
        _mm512_storeu_pd(t->input + 8 * i, s->input[i]);
    }
    uint64_t nans = total(s->nans_in), infinities = total(s->infinities_in);
    t->elements += n;
    t->exact += total(s->exact);
    t->inexact += total(s->inexact);
    t->underflows += total(s->underflows);
    t->flushed += total(s->flushed);
    t->overflows += total(s->overflows);
    t->saturated += total(s->saturated);
    t->infinities_in += infinities;
    t->nans_in += nans;
    t->nans_out += total(s->nans_out);
    t->compared += n - total(s->apart);
    t->bins[0] -= total(s->zeros); /* what is no number stands in the first bin or in the last one */
    t->bins[BNDI_BINS - 1] -= infinities + nans;
    bndi_tally_extremes(t, largest, smallest);
}

/* One vector, all of it there. */
static ALWAYS_INLINE void count_vector(const bndi_plan *plan, bndi_tally *t, state *s, const limits *k, __m512i u,
                                       __m512i x, __m512i y, const void *random, size_t at)
{
    if (_mm512_cmpgt_epu32_mask(_mm512_sub_epi32(u, k->normal), k->span) != 0) {
        count_any(plan, t, s, k, 0xffff, x, y, random, at);
        return;
    }
    __mmask16 inexact = _mm512_cmpneq_epu32_mask(x, y);
    s->inexact = counted(s->inexact, inexact);
    s->exact = counted(s->exact, (__mmask16)~inexact);
    s->largest = _mm512_max_epu32(s->largest, u);
    s->smallest = _mm512_min_epu32(s->smallest, u);
    add_squares(s, x, y);
}

/* What does not fill four vectors. */
static ALWAYS_INLINE void count_rest(const bndi_plan *plan, bndi_tally *t, state *s, const limits *k, const char *x,
                                     const char *y, const void *random, size_t at, size_t n)
{
    for (; at < n; at += 16) {
        __mmask16 lanes = n - at < 16 ? (__mmask16)((1u << (n - at)) - 1) : (__mmask16)0xffff;
        __m512i u[GROUP] = {_mm512_setzero_si512()}, in = _mm512_maskz_loadu_epi32(lanes, x + 4 * at);
        u[0] = _mm512_and_si512(in, k->magnitude);
        count_any(plan, t, s, k, lanes, in, _mm512_maskz_loadu_epi32(lanes, y + 4 * at), random, at);
        uint8_t bins[64];
        u[1] = u[2] = u[3] = _mm512_setzero_si512();
        _mm512_storeu_si512(bins, bins_of(u));
        for (size_t i = 0; i < 16 && at + i < n; i++) { /* packing leaves them in groups of four */
            t->bins[bins[i / 4 * 16 + i % 4]]++;
        }
    }
}

void bndi_tally_avx512(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random, size_t n)
{
    const bnd_format *f = &plan->format;
    bool simple = plan->exact && f->precision > 1 && plan->max > plan->normal && f->is_signed && f->has_zero;
    if (!simple || plan->rule.flush_in) {
        bndi_tally_32(plan, t, x, y, random, n);
        return;
    }
    const __m512i zero = _mm512_setzero_si512();
    const char *in = x, *out = y;
    limits made;
    set_limits(&made, plan);
    const limits k = made;
    state s = {.largest = zero, .smallest = _mm512_set1_epi32(-1)};
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        s.error[i] = _mm512_loadu_pd(t->error + 8 * i);
        s.input[i] = _mm512_loadu_pd(t->input + 8 * i);
    }
    uint8_t bins[BATCH];
    size_t at = 0;
    for (; n - at >= 64; at += 64) {
        __m512i u[GROUP];
        UNROLL
        for (size_t i = 0; i < GROUP; i++) { /* what the next chunk reads and writes, while this one computes */
            _mm_prefetch(in + 4 * at + 64 * i + AHEAD, _MM_HINT_T0);
            __builtin_prefetch(out + 4 * at + 64 * i + AHEAD, 1);
        }
        UNROLL
        for (size_t i = 0; i < GROUP; i++) {
            __m512i v = _mm512_loadu_si512(in + 4 * at + 64 * i), w = _mm512_loadu_si512(out + 4 * at + 64 * i);
            u[i] = _mm512_and_si512(v, k.magnitude);
            count_vector(plan, t, &s, &k, u[i], v, w, random, at + 16 * i);
        }
        _mm512_storeu_si512(bins + at % BATCH, bins_of(u));
        if ((at + 64) % BATCH == 0) {
            count_batch(t, bins);
        }
    }
    for (size_t i = 0; i < at % BATCH; i++) {
        t->bins[bins[i]]++;
    }
    count_rest(plan, t, &s, &k, in, out, random, at, n);
    finish(t, &s, n);
}
