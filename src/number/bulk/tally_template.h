/* Statistics in vectors of 32 bytes: fp32 or fp64 words x that became y, with exactly the counts and sums of the
 * portable tally (stats.c). It is a template for one type of words: LANE_BITS is 32 (eight lanes) or 64 (four lanes).
 * avx2_tally.c includes it for both, avx512_tally.c for 32. The including file calls
 *
 *   NAME(is_counted)    can these vectors count this plan? The portable tally counts the others
 *   NAME(open)          sums of the tally into the state, counts to zero
 *   NAME(count)         n elements, four vectors at a time: n is a multiple of 4 LANES
 *   NAME(close)         counts and sums into the tally
 *   NAME(tally_groups)  all of these for the whole groups of an array (tally_groups_template.h)
 *
 * Sums depend on their order, so element i of a piece belongs to lane i mod 16, as in the portable tally: lanes 0 to 3
 * are error[0] and input[0], lanes 4 to 7 error[1] and input[1], and so on.
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
 *   gone (y == 0)            0           0            -1          -1      less the zeros of x: 1 became zero
 *   e = y - x               0.0125      0.00071875    -0.0005     0       e^2 is added in double
 *
 * Histogram: bins are bytes, kept for 512 elements and then counted. Zeros are in bin 0, infinities and NaNs in bin 63;
 * `close` takes both out again. */

#if LANE_BITS == 32
#define WORD    uint32_t
#define SIGNED  int32_t
#define FLOAT   float
#define NAME(x) x##_32
#define BIAS    127
#else
#define WORD    uint64_t
#define SIGNED  int64_t
#define FLOAT   double
#define NAME(x) x##_64
#define BIAS    1023
#endif
#define V        NAME(lanes)
#define LANES    (BYTES / (int)sizeof(WORD))
#define PARTS    ((size_t)LANES / 4) /* vectors of doubles that a vector of words becomes */
#define TOP      ((WORD)(2 * BIAS + 1) << FRACTION)
#define FRACTION (LANE_BITS == 32 ? 23 : 52)

/* A group is VECTORS vectors; bins are counted BNDI_BIN_BATCH at a time; inputs are prefetched AHEAD bytes early. */
#define VECTORS   4
#define GROUP_LEN ((size_t)VECTORS * (size_t)LANES)
#define AHEAD     8192

#include "bulk/tally_lanes_template.h"

#include "bulk/tally_bins_template.h"

/* Thresholds, as vectors of magnitudes. */
typedef struct NAME(limits) {
    V magnitude, normal, max, infinite, hard;
    /* By sign: from `tiny` on a number is not tiny, from `over` on it overflows; below `normal` and `surely_over`.
     * Where random bits decide, what lies between is doubtful. */
    V tiny[2], over[2], surely_over;
    bool random, calm; /* calm: no lane up to the largest number is doubtful, signs do not matter, errors are words */
} NAME(limits);

/* Counts, as vectors of sums of masks; and the sums. */
typedef struct NAME(counts) {
    __m256d error[4], input[4];
    V largest, smallest;
    V same, exact, inexact, underflows, to_zero, overflows, saturated, infinities, nans_in, nans_out, zeros, compared;
    V gone, zeros_in_range; /* of groups in range: results that are zero, and numbers */
    size_t in_range;        /* elements of such groups: `same` of them exact, the others inexact */
    size_t unchanged;       /* of these, words that nothing has rounded: exact, too */
    unsigned history;       /* see count_group */
    bool asked, saturates;  /* of infinities: see infinities_saturate */
} NAME(counts);

/* A call. Its counts are copied into a local variable while groups are counted, where they stay in registers or in the
 * first cache: no store to the bins can change them. */
typedef struct NAME(state) {
    const bndi_plan *plan;
    bndi_tally *tally;
    NAME(limits) limits;
    NAME(counts) counts;
    uint8_t *bins; /* room for BNDI_BIN_BATCH bins, of which `held` wait to be counted */
    size_t held;
} NAME(state);

/* ---- sums and flags ---- */

/* Squares of errors and of inputs, in double, into the lanes that the elements belong to: the picture at the top. One
 * rounding per operation, none fused: the portable tally rounds so. */
static ALWAYS_INLINE void NAME(add_squares)(NAME(counts) * s, size_t i, V x, V y)
{
    UNROLL
    for (size_t j = 0; j < PARTS; j++) {
        const size_t at = (i * PARTS + j) % 4;
        __m256d a = NAME(widened)(x, j), e = _mm256_sub_pd(NAME(widened)(y, j), a);
        s->error[at] = _mm256_add_pd(s->error[at], _mm256_mul_pd(e, e));
        s->input[at] = _mm256_add_pd(s->input[at], _mm256_mul_pd(a, a));
    }
}

/* A square that is exact in double may be fused with the addition: the bits are the same. Squares of fp32 numbers are
 * exact, those of fp64 numbers are not. */
static ALWAYS_INLINE __m256d NAME(with_square)(__m256d sum, __m256d a)
{
    return LANE_BITS == 32 ? _mm256_fmadd_pd(a, a, sum) : _mm256_add_pd(sum, _mm256_mul_pd(a, a));
}

/* The same as add_squares where y - x is a number of the words' type. For fp32 it is one because x and y are within a
 * factor of two of each other, or y is 0 and the error x itself. */
static ALWAYS_INLINE void NAME(add_short_squares)(NAME(counts) * s, size_t i, const char *in, V x, V y)
{
    V e = (V)((NAME(floats))y - (NAME(floats))x);
    UNROLL
    for (size_t j = 0; j < PARTS; j++) {
        const size_t at = (i * PARTS + j) % 4;
        s->error[at] = NAME(with_square)(s->error[at], NAME(widened)(e, j));
        s->input[at] = NAME(with_square)(s->input[at], NAME(widened_at)(in, j));
    }
}

/* Lanes whose flags only the codec knows, one at a time, with their random bits. */
static NOT_INLINE void NAME(ask_flags)(const bndi_plan *plan, bndi_tally *t, V lanes, V x, V y, const void *random,
                                       size_t at)
{
    for (unsigned i = 0; i < (unsigned)LANES; i++) {
        if (lanes[i] != 0) {
            uint64_t r = random != NULL ? bndi_get(random, plan->random_bytes, at + i) : 0;
            bndi_tally_flags(t, bndi_flags_of(plan, x[i], y[i], r));
        }
    }
}

/* Does the rule turn infinities into the largest number? The codec gives the flags of one infinity when the first one
 * comes; the answer is kept for the call. */
static ALWAYS_INLINE bool NAME(infinities_saturate)(const bndi_plan *plan, NAME(counts) * s)
{
    if (!s->asked) {
        s->saturates = (bndi_flags_of(plan, TOP, 0, 0) & BND_FLAG_SATURATED) != 0;
        s->asked = true;
    }
    return s->saturates;
}

/* Lanes that thresholds cannot decide: those below the least number of a format without subnormals, and, with random
 * bits, those within a unit of the smallest normal number or of the largest one. Stochastic e4m3 has tiny_from
 * 3c700001, normal 3c800000, over_from 43e00001, surely_over 43f00000:
 *
 *   u                         3c780000 (0.01514)   3c343958 (0.011)   43e38000 (455)   43fa0000 (500)
 *   tiny_from <= u < normal   -1                   0                  0                0
 *   over_from <= u < surely   0                    0                  -1               0
 *   doubtful                  -1                   0 (tiny)           -1               0 (overflows) */
static ALWAYS_INLINE V NAME(doubtful_lanes)(const NAME(limits) * k, V u, V number, V tiny_from, V over_from)
{
    V doubtful = NAME(below)(u, k->hard);
    if (k->random) {
        doubtful |= ~NAME(below)(u, tiny_from) & NAME(below)(u, k->normal);
        doubtful |= ~NAME(below)(u, over_from) & NAME(below)(u, k->surely_over);
    }
    return doubtful & number;
}

/* Any vector. The masks in order: kind of x (finite, infinite, zero, number), doubtful, then the flags of the others.
 */
static ALWAYS_INLINE void NAME(count_any)(const bndi_plan *plan, bndi_tally *t, NAME(counts) * s,
                                          const NAME(limits) * k, size_t i, V x, V y, const void *random, size_t at)
{
    V u = x & k->magnitude, v = y & k->magnitude;
    /* The kinds of x. */
    V finite = NAME(below)(u, k->infinite), infinite = (V)(u == k->infinite), zero = (V)(u == 0);
    V number = ~zero & finite, tiny_from = NAME(by_sign)(x, k->tiny), over_from = NAME(by_sign)(x, k->over);
    V doubtful = NAME(doubtful_lanes)(k, u, number, tiny_from, over_from), clear = ~doubtful & number;
    /* Flags of the lanes that thresholds decide (`clear`): compared as bits, as these are neither zeros nor NaNs. */
    V inexact = ~(V)(u == v) & clear, over = ~NAME(below)(u, over_from) & clear, saturated = over & (V)(v == k->max);
    if (NAME(any)(infinite) && NAME(infinities_saturate)(plan, s)) {
        saturated |= infinite;
    }
    /* From here on only counts: each mask is subtracted from its counter. */
    s->nans_in = NAME(counted)(s->nans_in, NAME(below)(k->infinite, u));
    s->nans_out = NAME(counted)(s->nans_out, NAME(below)(k->infinite, v));
    s->infinities = NAME(counted)(s->infinities, infinite);
    s->inexact = NAME(counted)(s->inexact, inexact);
    s->exact = NAME(counted)(s->exact, ~(doubtful | inexact) & finite);
    s->underflows = NAME(counted)(s->underflows, inexact & NAME(below)(u, tiny_from));
    s->to_zero = NAME(counted)(s->to_zero, clear & (V)(v == 0));
    s->overflows = NAME(counted)(s->overflows, over);
    s->saturated = NAME(counted)(s->saturated, saturated);
    s->zeros = NAME(counted)(s->zeros, zero);
    /* Lanes that are not numbers become 0 or the largest word: neither is taken. */
    s->largest = NAME(larger)(s->largest, u & number);
    s->smallest = NAME(smaller)(s->smallest, u | (~number & k->magnitude));
    /* Errors of pairs of finite numbers only: zeros in the other lanes add nothing. */
    V both = finite & NAME(below)(v, k->infinite);
    s->compared = NAME(counted)(s->compared, both);
    NAME(add_squares)(s, i, x & both, y & both);
    if (NAME(any)(doubtful)) {
        NAME(ask_flags)(plan, t, doubtful, x, y, random, at);
    }
}

/* A vector of numbers in range that nothing has rounded, as they are in memory: no error, and no flag. Of zeros, too:
 * their squares add nothing. */
static ALWAYS_INLINE void NAME(count_unchanged)(NAME(counts) * s, size_t i, const char *in)
{
    UNROLL
    for (size_t j = 0; j < PARTS; j++) {
        const size_t at = (i * PARTS + j) % 4;
        s->input[at] = NAME(with_square)(s->input[at], NAME(widened_at)(in, j));
    }
}

/* A vector of normal numbers in range. None is a zero or a NaN, so bits are compared: equal words are equal numbers,
 * and all others are inexact (in_range less `same`). */
static ALWAYS_INLINE void NAME(count_plain)(NAME(counts) * s, size_t i, const char *in, V x, V y)
{
    s->same = NAME(counted)(s->same, (V)(x == y));
    NAME(add_short_squares)(s, i, in, x, y);
}

/* A vector of numbers in range, with subnormal ones and zeros among them. Zeros of both signs are equal, so numbers
 * are compared. */
static ALWAYS_INLINE void NAME(count_small)(NAME(counts) * s, const NAME(limits) * k, size_t i, const char *in, V u,
                                            V x, V y)
{
    V same = (V)((NAME(floats))x == (NAME(floats))y);
    s->same = NAME(counted)(s->same, same);
    s->underflows = NAME(counted)(s->underflows, ~same & NAME(below)(u, k->tiny[0]));
    s->gone = NAME(counted)(s->gone, (V)((NAME(floats))y == 0));
    NAME(add_short_squares)(s, i, in, x, y);
}

/* The zeros of a group that has some, and the smallest of the others: a zero's lane becomes the largest word, which no
 * minimum takes. */
static ALWAYS_INLINE void NAME(count_zeros)(NAME(counts) * s, const NAME(limits) * k, const V u[VECTORS])
{
    UNROLL
    for (size_t i = 0; i < VECTORS; i++) {
        V zero = (V)(u[i] == 0);
        s->zeros_in_range = NAME(counted)(s->zeros_in_range, zero);
        s->smallest = NAME(smaller)(s->smallest, u[i] | (zero & k->magnitude));
    }
}

/* ---- groups ---- */

/* A group: its words, their magnitudes, and the largest and the smallest of these per lane. */
typedef struct NAME(group) {
    V x[VECTORS], y[VECTORS], u[VECTORS], largest, smallest;
} NAME(group);

static ALWAYS_INLINE void NAME(load_group)(bool unchanged, NAME(group) * g, const char *x, const char *y, V magnitude)
{
    UNROLL
    for (size_t i = 0; i < VECTORS; i++) {
        g->x[i] = NAME(load)(x + BYTES * i);
        g->y[i] = unchanged ? g->x[i] : NAME(load)(y + BYTES * i);
        g->u[i] = g->x[i] & magnitude;
        g->largest = i == 0 ? g->u[i] : NAME(larger)(g->largest, g->u[i]);
        g->smallest = i == 0 ? g->u[i] : NAME(smaller)(g->smallest, g->u[i]);
    }
}

/* Are all small numbers of a group zeros? Then no flag depends on a threshold, and signs and random bits do not matter.
 * This test is made for fp64 only: for fp32 the registers that it needs slow all groups by 3 to 8 %. */
static ALWAYS_INLINE bool NAME(only_zeros)(const NAME(limits) * k, const NAME(group) * g)
{
    const V zero = NAME(all)(0);
    V small = zero;
    UNROLL
    for (size_t i = 0; i < VECTORS; i++) {
        small |= NAME(below)(zero, g->u[i]) & NAME(below)(g->u[i], k->normal);
    }
    return LANE_BITS == 64 && !NAME(any)(small);
}

/* Chooses the path; of unchanged words in range only squares are added, by either of the first two. Where many groups
 * are not plain, no branch predictor can tell which: `history` has a bit for each of the last sixteen groups that had
 * small numbers, and while one is set every group takes the path of small numbers. Bits of three calls, the second with
 * a small number: 0000, 8000, 4000. */
static ALWAYS_INLINE unsigned NAME(count_group)(bool unchanged, const bndi_plan *plan, bndi_tally *t, NAME(counts) * s,
                                                const NAME(limits) * k, unsigned history, const char *in,
                                                const NAME(group) * g, const void *random, size_t at)
{
    enum { LAST = 15 };
    V large = NAME(below)(k->max, g->largest), small = NAME(below)(g->smallest, k->normal);
    /* Normal numbers only, and so were the last sixteen groups. */
    if (history == 0 && !NAME(any)(large | small)) {
        UNROLL
        for (size_t i = 0; i < VECTORS; i++) {
            if (unchanged) {
                NAME(count_unchanged)(s, i, in + BYTES * i);
            } else {
                NAME(count_plain)(s, i, in + BYTES * i, g->x[i], g->y[i]);
            }
        }
        s->unchanged += unchanged ? GROUP_LEN : 0;
        s->in_range += GROUP_LEN;
        s->largest = NAME(larger)(s->largest, g->largest);
        s->smallest = NAME(smaller)(s->smallest, g->smallest);
        return 0;
    }
    /* In range, with small numbers that need no codec: zeros are looked for only if the smallest magnitude is one. */
    if (!NAME(any)(large) && (k->calm || NAME(only_zeros)(k, g))) {
        UNROLL
        for (size_t i = 0; i < VECTORS; i++) {
            if (unchanged) {
                NAME(count_unchanged)(s, i, in + BYTES * i);
            } else {
                NAME(count_small)(s, k, i, in + BYTES * i, g->u[i], g->x[i], g->y[i]);
            }
        }
        s->unchanged += unchanged ? GROUP_LEN : 0;
        if (NAME(any)((V)(g->smallest == 0))) {
            NAME(count_zeros)(s, k, g->u);
        } else {
            s->smallest = NAME(smaller)(s->smallest, g->smallest);
        }
        s->in_range += GROUP_LEN;
        s->largest = NAME(larger)(s->largest, g->largest);
    } else {
        for (size_t i = 0; i < VECTORS; i++) {
            NAME(count_any)(plan, t, s, k, i, g->x[i], g->y[i], random, at + (size_t)LANES * i);
        }
    }
    return history >> 1 | (unsigned)NAME(any)(small) << LAST;
}

/* Prefetches what is read two chunks later: the computation in between is longer than the processor looks ahead. Of x
 * and y that are one array, once. */
static ALWAYS_INLINE void NAME(fetch_ahead)(bool unchanged, const char *x, const char *y)
{
    enum { LINE = 64 };
    const uintptr_t in = (uintptr_t)x + AHEAD, out = (uintptr_t)y + AHEAD;
    for (uintptr_t i = 0; i < VECTORS * BYTES; i += LINE) {
        __builtin_prefetch((const void *)(in + i), 0);
        if (!unchanged) {
            __builtin_prefetch((const void *)(out + i), 1);
        }
    }
}

/* n elements of one call, a multiple of GROUP_LEN. `unchanged`: x and y are the same words. */
static ALWAYS_INLINE void NAME(count)(bool unchanged, NAME(state) * s, const char *x, const char *y, const void *random,
                                      size_t n)
{
    const NAME(limits) k = s->limits; /* of its own: nothing that is stored can change it */
    const bndi_plan *plan = s->plan;
    bndi_tally *t = s->tally;
    NAME(counts) c = s->counts;
    size_t held = s->held;
    for (size_t at = 0; at < n; at += GROUP_LEN) {
        NAME(group) g;
        const char *in = x + sizeof(WORD) * at, *out = y + sizeof(WORD) * at;
        NAME(fetch_ahead)(unchanged, in, out);
        NAME(load_group)(unchanged, &g, in, out, k.magnitude);
        NAME(put_bins)(s->bins + held, g.u);
        held += GROUP_LEN;
        if (held == BNDI_BIN_BATCH) {
            NAME(count_batch)(t, s->bins);
            held = 0;
        }
        c.history = NAME(count_group)(unchanged, plan, t, &c, &k, c.history, in, &g, random, at);
    }
    t->elements += n;
    s->counts = c;
    s->held = held;
}

/* ---- a call ---- */

/* Formats with one bit of precision, without zero or sign, and flushed inputs are the portable tally's. */
static bool NAME(is_counted)(const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    return plan->exact && f->precision > 1 && plan->max > plan->normal && f->is_signed && f->has_zero &&
           !plan->rule.flush_in;
}

/* `calm`: no lane up to the largest number is doubtful, both signs have the same thresholds, and errors are numbers of
 * the words' type. The last is false for modes that can raise a number below the least one by more than half of it. */
static void NAME(set_limits)(NAME(limits) * k, const bndi_plan *plan)
{
    const unsigned mode = plan->rule.rounding;
    k->magnitude = NAME(all)((WORD)-1 >> 1);
    k->normal = NAME(all)(plan->normal);
    k->max = NAME(all)(plan->max);
    k->infinite = NAME(all)(TOP);
    k->hard = NAME(all)(plan->codec_below);
    /* One unit of the format above the largest number: from there on every mode overflows, for any random bits. e4m3:
     * 448 is 43e00000, drop 20, so 43f00000 = 480. */
    k->surely_over = NAME(all)(plan->max + ((uint64_t)1 << plan->drop));
    for (unsigned i = 0; i < 2; i++) {
        k->tiny[i] = NAME(all)(bndi_not_tiny_from(plan, i != 0));
        k->over[i] = NAME(all)(bndi_overflows_from(plan, i != 0));
    }
    k->random = plan->random_bits > 0;
    k->calm = !k->random && plan->codec_below == 0 && k->tiny[0][0] == k->tiny[1][0] &&
              (mode == BND_ROUND_RNE || mode == BND_ROUND_RNA || mode == BND_ROUND_RTZ);
}

/* The sums go on from the tally, since calls follow each other in the order of the elements; the counts begin at zero.
 */
static ALWAYS_INLINE void NAME(open)(NAME(state) * s, const bndi_plan *plan, bndi_tally *t, uint8_t *bins)
{
    NAME(limits) limits;
    NAME(set_limits)(&limits, plan);
    s->plan = plan;
    s->tally = t;
    s->limits = limits;
    s->bins = bins;
    s->held = 0;
    s->counts = (NAME(counts)){.smallest = NAME(all)((WORD)-1 >> 1)};
    for (size_t i = 0; i < 4; i++) {
        s->counts.error[i] = _mm256_loadu_pd(t->error + 4 * i);
        s->counts.input[i] = _mm256_loadu_pd(t->input + 4 * i);
    }
}

/* The largest and the smallest lane, as the tally has them: doubles. Without numbers the smallest is not looked at. */
static ALWAYS_INLINE void NAME(put_extremes)(const bndi_plan *plan, bndi_tally *t, V largest, V smallest)
{
    WORD most = 0, least = (WORD)-1;
    for (int i = 0; i < LANES; i++) {
        most = largest[i] > most ? largest[i] : most;
        least = smallest[i] < least ? smallest[i] : least;
    }
    bndi_tally_extremes(t, plan->width, most, least);
}

/* Counts and sums into the tally. Zeros were counted in the lowest bin and infinities and NaNs in the highest: they are
 * subtracted there. In groups in range `same` are exact and the others inexact; of `gone`, the results of zero, those
 * that were zero before did not become zero. A call in which nothing is rounded has no results of zero but these. */
static ALWAYS_INLINE void NAME(close)(const NAME(state) * state)
{
    const NAME(counts) *s = &state->counts;
    bndi_tally *t = state->tally;
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_pd(t->error + 4 * i, s->error[i]);
        _mm256_storeu_pd(t->input + 4 * i, s->input[i]);
    }
    for (size_t i = 0; i < state->held; i++) {
        t->bins[state->bins[i]]++;
    }
    uint64_t same = NAME(total)(s->same) + s->unchanged, nans = NAME(total)(s->nans_in),
             infinities = NAME(total)(s->infinities), zeros = NAME(total)(s->zeros_in_range),
             gone = s->unchanged > 0 ? zeros : NAME(total)(s->gone);
    t->exact += NAME(total)(s->exact) + same;
    t->inexact += NAME(total)(s->inexact) + s->in_range - same;
    t->underflows += NAME(total)(s->underflows);
    t->to_zero += NAME(total)(s->to_zero) + gone - zeros;
    t->overflows += NAME(total)(s->overflows);
    t->saturated += NAME(total)(s->saturated);
    t->infinities_in += infinities;
    t->nans_in += nans;
    t->nans_out += NAME(total)(s->nans_out);
    t->compared += NAME(total)(s->compared) + s->in_range;
    t->bins[0] -= NAME(total)(s->zeros) + zeros;
    t->bins[BNDI_BINS - 1] -= infinities + nans;
    NAME(put_extremes)(state->plan, t, s->largest, s->smallest);
}

#if defined(BNDI_FOR_AVX2) /* AVX-512 counts while it rounds */
#include "bulk/tally_groups_template.h"
#endif

#undef WORD
#undef SIGNED
#undef FLOAT
#undef NAME
#undef BIAS
#undef V
#undef LANES
#undef PARTS
#undef TOP
#undef FRACTION
#undef VECTORS
#undef GROUP_LEN
#undef AHEAD
#undef LANE_BITS
