/* Statistics for AVX2: fp32 numbers x that became y, in groups of 32 (four vectors), with exactly the counts and sums
 * of the portable tally. Sums depend on their order, so element i of a piece belongs to lane i mod 16, as it does
 * there.
 *
 * A group takes the first of three paths that fits:
 *   count_plain   all numbers are normal and in range: the only flag possible is inexact, one comparison
 *   count_small   in range, with subnormal numbers and zeros: inexact, underflow and results of zero
 *   count_any     everything: masks and thresholds for each flag; lanes that random bits decide go to the codec
 *
 * Counts are sums of masks (0 or -1 per lane, so they are subtracted), added up once per call. Four lanes of
 * count_small for e4m3 to nearest even; numbers below `tiny`, 2^-6 or just under it, are tiny:
 *
 *                           lane 0      lane 1        lane 2      lane 3
 *   x                       0.3         0.011         0.0005      0
 *   y                       0.3125      0.01171875    0           0
 *   same (x == y)            0           0             0          -1      exact: 1, inexact: 3
 *   tiny and not same        0          -1            -1           0      underflows: 2
 *   gone (y == 0)            0           0            -1          -1      less the zeros of x: 1 flushed
 *   e = y - x, in fp32      0.0125      0.00071875    -0.0005     0       e^2 is added in double
 *
 * Histogram: bins are bytes, kept for 512 elements and then counted bin by bin where they stand in few binades. For the
 * magnitudes above, exponent fields 7d, 78, 74 and 00 less the lowest field's make the bins, clamped to 0 and 63; zeros
 * land in bin 0 and are taken out when the call ends (close_state), infinities and NaNs in bin 63.
 *
 * Sums: vector i of a group of four has the elements 8 i to 8 i + 7, so vectors 0 and 2 add to the sums of lanes 0 to
 * 7, vectors 1 and 3 to those of lanes 8 to 15; state.error[0] .. [3] have four lanes each. */
#include "bulk/avx2.h"

/* A group is VECTORS vectors; bins are counted BATCH elements at a time; inputs are prefetched AHEAD bytes early. */
enum { TOP = 0x7f800000, VECTORS = 4, AT_ONCE = 8 * VECTORS, BATCH = 512, AHEAD = 8192 };

/* Thresholds, as vectors of magnitudes. */
typedef struct limits {
    __m256i magnitude, normal, max, top, hard, zero;
    /* By sign: from `tiny` on a number is not tiny, from `over` on it overflows; below `normal` and `surely_over`.
     * Where random bits decide, what lies between is doubtful. */
    __m256i tiny[2], over[2], surely_over;
    bool random, calm; /* calm: no lane up to the largest number is doubtful, signs do not matter, errors are fp32 */
} limits;

/* The counts of a call, which stay in registers or in the first cache. Each is a vector of sums of masks. */
typedef struct state {
    __m256d error[4], input[4];
    __m256i largest, smallest;
    size_t in_range; /* elements of groups in range: `same` of them exact, the others inexact */
    __m256i same, exact, inexact, underflows, flushed, overflows, saturated, infinities, nans_in, nans_out, zeros,
        compared;
    __m256i gone, zeros_in_range; /* of groups in range: results that are zero, and numbers */
    __m256i low_bin, high_bin;    /* of a batch */
} state;

/* ---- the histogram ---- */

/* floor(log2 |x|) as a bin from 0 to 63: the exponent field less that of the lowest bin, clamped below by the
 * saturating subtraction and above by the minimum. 32 magnitudes to 32 bytes, in the order that packing leaves, which
 * does not matter. With BND_HISTOGRAM_LOWEST = -40, bin b has the magnitudes from 2^(b - 41) on; `lowest` is 127 - 40 -
 * 1 = 86:
 *
 *   magnitude      0.3 (3e99999a)   0.011 (3c343958)   2^40 (53800000)   0
 *   >> 23          125              120                167               0
 *   less 86        39               34                 81                0       saturating: 0 - 86 is 0
 *   at most 63     39               34                 63                0 */
static ALWAYS_INLINE __m256i bins_of(const __m256i u[VECTORS])
{
    const __m256i lowest = _mm256_set1_epi8(127 + BND_HISTOGRAM_LOWEST - 1), last = _mm256_set1_epi8(BNDI_BINS - 1);
    __m256i low = _mm256_packus_epi32(_mm256_srli_epi32(u[0], 23), _mm256_srli_epi32(u[1], 23));
    __m256i high = _mm256_packus_epi32(_mm256_srli_epi32(u[2], 23), _mm256_srli_epi32(u[3], 23));
    return _mm256_min_epu8(_mm256_subs_epu8(_mm256_packus_epi16(low, high), lowest), last);
}

/* How many of a batch are in one bin: 16 vectors of 32 bins. Each match subtracts -1 from its byte, so a byte counts at
 * most 16. sad_epu8 adds up groups of eight bytes to four 64-bit words, which the last two lines add. */
static ALWAYS_INLINE uint64_t count_bin(const uint8_t *bins, unsigned bin)
{
    const __m256i wanted = _mm256_set1_epi8((char)bin), zero = _mm256_setzero_si256();
    __m256i count = zero;
    UNROLL
    for (size_t at = 0; at < BATCH; at += BYTES) {
        __m256i v = _mm256_loadu_si256((const void *)(bins + at));
        count = _mm256_sub_epi8(count, _mm256_cmpeq_epi8(v, wanted));
    }
    count = _mm256_sad_epu8(count, zero);
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(count), _mm256_extracti128_si256(count, 1));
    return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

/* Most arrays lie in a few binades: one pass over the batch per bin costs less than one step per number. With FEW bins
 * or more between the lowest and the highest the numbers are counted one at a time. */
static NOT_INLINE void count_batch(bndi_tally *t, const uint8_t *bins, __m256i low_bins, __m256i high_bins)
{
    enum { FEW = 28 };
    uint8_t low[BYTES], high[BYTES];
    unsigned lowest = BNDI_BINS - 1, highest = 0;
    _mm256_storeu_si256((void *)low, low_bins);
    _mm256_storeu_si256((void *)high, high_bins);
    for (size_t i = 0; i < BYTES; i++) {
        lowest = low[i] < lowest ? low[i] : lowest;
        highest = high[i] > highest ? high[i] : highest;
    }
    if (highest - lowest < FEW) {
        for (unsigned bin = lowest; bin <= highest; bin++) {
            t->bins[bin] += count_bin(bins, bin);
        }
    } else {
        for (size_t i = 0; i < BATCH; i++) {
            t->bins[bins[i]]++;
        }
    }
}

/* The bins of a group, kept until a batch is complete. */
static ALWAYS_INLINE void keep_bins(bndi_tally *t, state *s, uint8_t *bins, size_t at, const __m256i u[VECTORS])
{
    __m256i b = bins_of(u);
    s->low_bin = _mm256_min_epu8(s->low_bin, b);
    s->high_bin = _mm256_max_epu8(s->high_bin, b);
    _mm256_storeu_si256((void *)(bins + at % BATCH), b);
    if ((at + AT_ONCE) % BATCH == 0) {
        count_batch(t, bins, s->low_bin, s->high_bin);
        s->low_bin = _mm256_set1_epi8(BNDI_BINS - 1);
        s->high_bin = _mm256_setzero_si256();
    }
}

/* ---- sums and flags ---- */

/* Squares of errors and of inputs, in double, into the lanes that the elements belong to: vector i of a group has
 * elements 0 to 7 of sixteen (even i) or 8 to 15. One rounding per operation, none fused: the portable tally rounds so.
 */
static ALWAYS_INLINE void add_squares(state *s, size_t i, __m256i x, __m256i y)
{
    __m256 fx = _mm256_castsi256_ps(x), fy = _mm256_castsi256_ps(y);
    __m128 half_x[2] = {_mm256_castps256_ps128(fx), _mm256_extractf128_ps(fx, 1)};
    __m128 half_y[2] = {_mm256_castps256_ps128(fy), _mm256_extractf128_ps(fy, 1)};
    UNROLL
    for (size_t j = 0; j < 2; j++) {
        const size_t at = i % 2 * 2 + j;
        __m256d a = _mm256_cvtps_pd(half_x[j]), e = _mm256_sub_pd(_mm256_cvtps_pd(half_y[j]), a);
        s->error[at] = _mm256_add_pd(s->error[at], _mm256_mul_pd(e, e));
        s->input[at] = _mm256_add_pd(s->input[at], _mm256_mul_pd(a, a));
    }
}

/* The same where y - x is an fp32 number: then its square is exact in double, so a fused operation rounds as the two
 * separate ones would. y - x is one because x and y are within a factor of two of each other, or y is 0 and the error x
 * itself. */
static ALWAYS_INLINE void add_short_squares(state *s, size_t i, const char *in, __m256i x, __m256i y)
{
    __m256 e = _mm256_sub_ps(_mm256_castsi256_ps(y), _mm256_castsi256_ps(x));
    __m128 half_e[2] = {_mm256_castps256_ps128(e), _mm256_extractf128_ps(e, 1)};
    UNROLL
    for (size_t j = 0; j < 2; j++) {
        const size_t at = i % 2 * 2 + j;
        __m256d a = _mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)(in + 16 * j)));
        __m256d d = _mm256_cvtps_pd(half_e[j]);
        s->error[at] = _mm256_fmadd_pd(d, d, s->error[at]);
        s->input[at] = _mm256_fmadd_pd(a, a, s->input[at]);
    }
}

/* Masks are -1, so subtracting them counts. */
static ALWAYS_INLINE __m256i counted(__m256i count, __m256i mask)
{
    return _mm256_sub_epi32(count, mask);
}

/* Has the mask a bit set? */
static ALWAYS_INLINE bool any(__m256i mask)
{
    return !_mm256_testz_si256(mask, mask);
}

/* a below b; magnitudes are signed numbers too. */
static ALWAYS_INLINE __m256i below(__m256i a, __m256i b)
{
    return _mm256_cmpgt_epi32(b, a);
}

/* values[0] for positive x, values[1] for negative ones: the blend looks at the sign bit. */
static ALWAYS_INLINE __m256i by_sign(__m256i x, const __m256i values[2])
{
    __m256 a = _mm256_castsi256_ps(values[0]), b = _mm256_castsi256_ps(values[1]);
    return _mm256_castps_si256(_mm256_blendv_ps(a, b, _mm256_castsi256_ps(x)));
}

/* Lanes whose flags only the codec knows, one at a time, with their random bits. */
static NOT_INLINE void ask_flags(const bndi_plan *plan, bndi_tally *t, __m256i lanes, __m256i x, __m256i y,
                                 const void *random, size_t at)
{
    uint32_t which[8], in[8], out[8];
    _mm256_storeu_si256((void *)which, lanes);
    _mm256_storeu_si256((void *)in, x);
    _mm256_storeu_si256((void *)out, y);
    for (unsigned i = 0; i < 8; i++) {
        if (which[i] != 0) {
            uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, at + i) : 0;
            bndi_tally_flags(t, bndi_flags_of(plan, in[i], out[i], r));
        }
    }
}

/* Lanes that thresholds cannot decide: those below the least number of a format without subnormals, and, with random
 * bits, those within a unit of the smallest normal number or of the largest one. Stochastic e4m3 has tiny_from
 * 3c700001, normal 3c800000, over_from 43e00001, surely_over 43f00000:
 *
 *   u                         3c780000 (0.01514)   3c343958 (0.011)   43e38000 (455)   43fa0000 (500)
 *   tiny_from <= u < normal   -1                   0                  0                0
 *   over_from <= u < surely   0                    0                  -1               0
 *   doubtful                  -1                   0 (tiny)           -1               0 (overflows) */
static ALWAYS_INLINE __m256i doubtful_lanes(const limits *k, __m256i u, __m256i number, __m256i tiny_from,
                                            __m256i over_from)
{
    __m256i doubtful = below(u, k->hard);
    if (k->random) {
        doubtful = _mm256_or_si256(doubtful, _mm256_andnot_si256(below(u, tiny_from), below(u, k->normal)));
        doubtful = _mm256_or_si256(doubtful, _mm256_andnot_si256(below(u, over_from), below(u, k->surely_over)));
    }
    return _mm256_and_si256(doubtful, number);
}

/* Any vector. The masks in order: kind of x (finite, infinite, zero, number), doubtful, then the flags of the others.
 */
static ALWAYS_INLINE void count_any(const bndi_plan *plan, bndi_tally *t, state *s, const limits *k, size_t i,
                                    __m256i x, __m256i y, const void *random, size_t at)
{
    __m256i u = _mm256_and_si256(x, k->magnitude), v = _mm256_and_si256(y, k->magnitude);
    /* The kinds of x. */
    __m256i finite = below(u, k->top), infinite = _mm256_cmpeq_epi32(u, k->top);
    __m256i zero = _mm256_cmpeq_epi32(u, k->zero), number = _mm256_andnot_si256(zero, finite);
    __m256i tiny_from = by_sign(x, k->tiny), over_from = by_sign(x, k->over);
    __m256i doubtful = doubtful_lanes(k, u, number, tiny_from, over_from);
    __m256i clear = _mm256_andnot_si256(doubtful, number);
    /* Flags of the lanes that thresholds decide (`clear`): compared as bits, as these are neither zeros nor NaNs. */
    __m256i inexact = _mm256_andnot_si256(_mm256_cmpeq_epi32(u, v), clear);
    __m256i over = _mm256_andnot_si256(below(u, over_from), clear);
    __m256i saturated = _mm256_and_si256(over, _mm256_cmpeq_epi32(v, k->max));
    if (any(infinite) && (bndi_flags_of(plan, TOP, 0, 0) & BND_FLAG_SATURATED) != 0) {
        saturated = _mm256_or_si256(saturated, infinite);
    }
    /* From here on only counts: each mask is subtracted from its counter. */
    s->nans_in = counted(s->nans_in, below(k->top, u));
    s->nans_out = counted(s->nans_out, below(k->top, v));
    s->infinities = counted(s->infinities, infinite);
    s->inexact = counted(s->inexact, inexact);
    s->exact = counted(s->exact, _mm256_andnot_si256(_mm256_or_si256(doubtful, inexact), finite));
    s->underflows = counted(s->underflows, _mm256_and_si256(inexact, below(u, tiny_from)));
    s->flushed = counted(s->flushed, _mm256_and_si256(clear, _mm256_cmpeq_epi32(v, k->zero)));
    s->overflows = counted(s->overflows, over);
    s->saturated = counted(s->saturated, saturated);
    s->zeros = counted(s->zeros, zero);
    s->largest = _mm256_max_epu32(s->largest, _mm256_and_si256(u, number));
    s->smallest = _mm256_min_epu32(s->smallest, _mm256_or_si256(u, _mm256_xor_si256(number, _mm256_set1_epi32(-1))));
    /* Errors of pairs of finite numbers only: zeros in the other lanes add nothing. */
    __m256i both = _mm256_and_si256(finite, below(v, k->top));
    s->compared = counted(s->compared, both);
    add_squares(s, i, _mm256_and_si256(x, both), _mm256_and_si256(y, both));
    if (any(doubtful)) {
        ask_flags(plan, t, doubtful, x, y, random, at);
    }
}

/* A vector of normal numbers in range. None is a zero or a NaN, so bits are compared: equal words are equal numbers,
 * and all others are inexact (in_range less `same`). */
static ALWAYS_INLINE void count_plain(state *s, size_t i, const char *in, __m256i x, __m256i y)
{
    s->same = counted(s->same, _mm256_cmpeq_epi32(x, y));
    add_short_squares(s, i, in, x, y);
}

/* A vector of numbers in range, with subnormal ones and zeros among them. */
static ALWAYS_INLINE void count_small(state *s, const limits *k, size_t i, const char *in, __m256i u, __m256i x,
                                      __m256i y)
{
    const __m256 fy = _mm256_castsi256_ps(y);
    __m256i same = _mm256_castps_si256(_mm256_cmp_ps(_mm256_castsi256_ps(x), fy, _CMP_EQ_OQ)); /* zeros are alike */
    s->same = counted(s->same, same);
    s->underflows = counted(s->underflows, _mm256_andnot_si256(same, below(u, k->tiny[0])));
    s->gone = counted(s->gone, _mm256_castps_si256(_mm256_cmp_ps(fy, _mm256_setzero_ps(), _CMP_EQ_OQ)));
    add_short_squares(s, i, in, x, y);
}

/* The zeros of a group that has some, and the smallest of the others: a zero's mask makes its lane ffffffff, which no
 * unsigned minimum takes. */
static ALWAYS_INLINE void count_zeros(state *s, const limits *k, const __m256i u[VECTORS])
{
    UNROLL
    for (size_t i = 0; i < VECTORS; i++) {
        __m256i zero = _mm256_cmpeq_epi32(u[i], k->zero);
        s->zeros_in_range = counted(s->zeros_in_range, zero);
        s->smallest = _mm256_min_epu32(s->smallest, _mm256_or_si256(u[i], zero));
    }
}

/* A group: its words, their magnitudes, and the largest and the smallest of these. */
typedef struct words {
    __m256i x[VECTORS], y[VECTORS], u[VECTORS], largest, smallest;
} words;

/* A group, its magnitudes, and the extremes of these per lane. */
static ALWAYS_INLINE void load_words(words *w, const char *x, const char *y, __m256i magnitude)
{
    UNROLL
    for (size_t i = 0; i < VECTORS; i++) {
        w->x[i] = _mm256_loadu_si256((const void *)(x + BYTES * i));
        w->y[i] = _mm256_loadu_si256((const void *)(y + BYTES * i));
        w->u[i] = _mm256_and_si256(w->x[i], magnitude);
        w->largest = i == 0 ? w->u[i] : _mm256_max_epu32(w->largest, w->u[i]);
        w->smallest = i == 0 ? w->u[i] : _mm256_min_epu32(w->smallest, w->u[i]);
    }
}

/* Chooses the path. Where many groups are not plain, no branch predictor can tell which: `history` has a bit for each
 * of the last sixteen groups that had small numbers, and while one is set every group takes the path of small numbers.
 */
static ALWAYS_INLINE unsigned count_group(const bndi_plan *plan, bndi_tally *t, state *s, const limits *k,
                                          unsigned history, const char *in, const words *w, const void *random,
                                          size_t at)
{
    enum { LAST = 15 };
    __m256i large = below(k->max, w->largest), small = below(w->smallest, k->normal);
    /* Normal numbers only, and so were the last sixteen groups. */
    if (history == 0 && !any(_mm256_or_si256(large, small))) {
        UNROLL
        for (size_t i = 0; i < VECTORS; i++) {
            count_plain(s, i, in + BYTES * i, w->x[i], w->y[i]);
        }
        s->in_range += AT_ONCE;
        s->largest = _mm256_max_epu32(s->largest, w->largest);
        s->smallest = _mm256_min_epu32(s->smallest, w->smallest);
        return 0;
    }
    /* In range, with small numbers: zeros are looked for only if the smallest magnitude is one. */
    if (k->calm && !any(large)) {
        UNROLL
        for (size_t i = 0; i < VECTORS; i++) {
            count_small(s, k, i, in + BYTES * i, w->u[i], w->x[i], w->y[i]);
        }
        if (any(_mm256_cmpeq_epi32(w->smallest, k->zero))) {
            count_zeros(s, k, w->u);
        } else {
            s->smallest = _mm256_min_epu32(s->smallest, w->smallest);
        }
        s->in_range += AT_ONCE;
        s->largest = _mm256_max_epu32(s->largest, w->largest);
    } else {
        for (size_t i = 0; i < VECTORS; i++) {
            count_any(plan, t, s, k, i, w->x[i], w->y[i], random, at + 8 * i);
        }
    }
    return history >> 1 | (unsigned)any(small) << LAST;
}

/* ---- a call ---- */

/* `calm`: no lane up to the largest number is doubtful, both signs have the same thresholds, and errors are fp32
 * numbers. The last is false for modes that can raise a number below the least one by more than half of it. */
static void set_limits(limits *k, const bndi_plan *plan)
{
    k->zero = _mm256_setzero_si256();
    k->magnitude = _mm256_set1_epi32(0x7fffffff);
    k->normal = _mm256_set1_epi32((int)plan->normal);
    k->max = _mm256_set1_epi32((int)plan->max);
    k->top = _mm256_set1_epi32(TOP);
    k->hard = _mm256_set1_epi32((int)plan->codec_below);
    k->surely_over = _mm256_set1_epi32((int)((uint32_t)plan->max + ((uint32_t)1 << plan->drop)));
    uint32_t tiny[2];
    for (unsigned i = 0; i < 2; i++) {
        tiny[i] = bndi_not_tiny_from(plan, i != 0);
        k->tiny[i] = _mm256_set1_epi32((int)tiny[i]);
        k->over[i] = _mm256_set1_epi32((int)bndi_overflows_from(plan, i != 0));
    }
    k->random = plan->random_bits > 0;
    /* Below the least number some modes go up to it by more than half of it: no difference of fp32. */
    const unsigned mode = plan->rule.rounding;
    k->calm = !k->random && plan->codec_below == 0 && tiny[0] == tiny[1] &&
              (mode == BND_ROUND_RNE || mode == BND_ROUND_RNA || mode == BND_ROUND_RTZ);
}

/* The sums go on from the tally, since calls follow each other in the order of the elements; the counts begin at zero.
 */
static ALWAYS_INLINE void open_state(state *s, const bndi_tally *t)
{
    const __m256i zero = _mm256_setzero_si256();
    for (size_t i = 0; i < 4; i++) {
        s->error[i] = _mm256_loadu_pd(t->error + 4 * i);
        s->input[i] = _mm256_loadu_pd(t->input + 4 * i);
    }
    s->in_range = 0;
    s->same = s->exact = s->inexact = s->underflows = s->flushed = s->overflows = s->saturated = zero;
    s->infinities = s->nans_in = s->nans_out = s->compared = s->zeros = s->largest = s->high_bin = zero;
    s->gone = s->zeros_in_range = zero;
    s->smallest = _mm256_set1_epi32(-1);
    s->low_bin = _mm256_set1_epi8(BNDI_BINS - 1);
}

/* The lanes of a count. */
static uint64_t total(__m256i counts)
{
    uint32_t lanes[8];
    uint64_t sum = 0;
    _mm256_storeu_si256((void *)lanes, counts);
    for (size_t i = 0; i < 8; i++) {
        sum += lanes[i];
    }
    return sum;
}

/* Counts into the tally. Zeros were counted in the lowest bin and infinities and NaNs in the highest: they are
 * subtracted there. In groups in range `same` are exact and the others inexact; of `gone`, the results of zero, those
 * that were zero before are not flushed. */
static ALWAYS_INLINE void close_state(bndi_tally *t, const state *s, size_t n)
{
    uint32_t large[8], small[8], largest = 0, smallest = UINT32_MAX;
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_pd(t->error + 4 * i, s->error[i]);
        _mm256_storeu_pd(t->input + 4 * i, s->input[i]);
    }
    _mm256_storeu_si256((void *)large, s->largest);
    _mm256_storeu_si256((void *)small, s->smallest);
    for (size_t i = 0; i < 8; i++) {
        largest = large[i] > largest ? large[i] : largest;
        smallest = small[i] < smallest ? small[i] : smallest;
    }
    uint64_t same = total(s->same), nans = total(s->nans_in), infinities = total(s->infinities),
             zeros = total(s->zeros_in_range);
    t->elements += n;
    t->exact += total(s->exact) + same;
    t->inexact += total(s->inexact) + s->in_range - same;
    t->underflows += total(s->underflows);
    t->flushed += total(s->flushed) + total(s->gone) - zeros;
    t->overflows += total(s->overflows);
    t->saturated += total(s->saturated);
    t->infinities_in += infinities;
    t->nans_in += nans;
    t->nans_out += total(s->nans_out);
    t->compared += total(s->compared) + s->in_range;
    t->bins[0] -= total(s->zeros) + zeros; /* zeros are in the first bin, infinities and NaNs in the last */
    t->bins[BNDI_BINS - 1] -= infinities + nans;
    bndi_tally_extremes(t, largest, smallest);
}

/* Prefetch what is read two chunks later: the computation in between is longer than the processor looks ahead. */
static ALWAYS_INLINE void fetch_ahead(const char *x, const char *y)
{
    enum { LINE = 64 };
    const uintptr_t in = (uintptr_t)x + AHEAD, out = (uintptr_t)y + AHEAD;
    for (uintptr_t i = 0; i < 4 * AT_ONCE; i += LINE) {
        __builtin_prefetch((const void *)(in + i), 0);
        __builtin_prefetch((const void *)(out + i), 1);
    }
}

/* Formats with one bit of precision, without zero or sign, and flushed inputs are the portable tally's, as is the tail.
 */
void bndi_tally_avx2(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random, size_t n)
{
    const bnd_format *f = &plan->format;
    bool simple = plan->exact && f->precision > 1 && plan->max > plan->normal && f->is_signed && f->has_zero;
    size_t at = 0;
    if (!simple || plan->rule.flush_in) {
        bndi_tally_32(plan, t, x, y, random, n);
        return;
    }
    const char *in = x, *out = y;
    uint8_t bins[BATCH];
    limits made;
    state s;
    set_limits(&made, plan);
    const limits k = made;
    open_state(&s, t);
    unsigned history = 0;
    for (; n - at >= AT_ONCE; at += AT_ONCE) {
        words w;
        fetch_ahead(in + 4 * at, out + 4 * at);
        load_words(&w, in + 4 * at, out + 4 * at, k.magnitude);
        keep_bins(t, &s, bins, at, w.u);
        history = count_group(plan, t, &s, &k, history, in + 4 * at, &w, random, at);
    }
    for (size_t i = 0; i < at % BATCH; i++) {
        t->bins[bins[i]]++;
    }
    close_state(t, &s, at);
    const char *r = random != NULL ? (const char *)random + at * plan->random_bytes : NULL;
    bndi_tally_32(plan, t, in + 4 * at, out + 4 * at, r, n - at);
}
