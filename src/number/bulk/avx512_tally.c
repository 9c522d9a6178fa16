/* Statistics for AVX-512 with what came after it (VBMI, VPOPCNTDQ, BITALG, GFNI): fp32 numbers in groups of 64 (four
 * vectors), with exactly the counts and sums of the portable tally. There are two uses: counting what another kernel
 * has rounded (bndi_tally_avx512), and rounding, storing and counting in one pass (bndi_count_avx512).
 *
 * Most groups have only normal numbers in range that stand in a few binades: then inexact is the only flag there can
 * be. Next come groups with subnormal numbers and zeros. Either kind goes in `runs`, with every count in a register, up
 * to the first group that is of neither. That one is counted by masks and thresholds (count_any), and the few lanes
 * that random bits decide, within a unit of the smallest normal number or of the largest one, go to the codec.
 *
 *   count_array   a piece of an array
 *     count_to    as far as one histogram window is good: runs, and what they leave
 *       run_of    a run: load_group, leaves_run, round_group, put_group, count_exponents per group of 64
 *       do_others one group, or bursts of more where one follows the other: the general kernels, then count_any
 *
 * Four lanes of a run of small numbers, e4m3 to nearest even, codes of a byte (FLOAT_BYTES). Thresholds: normal
 * 3c800000, max 43e00000:
 *
 *                         lane 0        lane 1        lane 2        lane 3
 *   x                     0.3           -0.011        0.0005        0
 *   u = |x|               3e99999a      3c343958      3a03126f      00000000
 *   u > high              0             0             0             0            no lane leaves the run above
 *   u - 1                 3e999999      3c343957      3a03126e      ffffffff     so that zero is never the smallest
 *   y = |x| rounded       3ea00000      3c400000      00000000      00000000
 *   inexact (x != y)      1             1             1             0            as numbers: -0 equals +0
 *   tiny and inexact      0             1             1             0            u below 3c800000: underflows
 *   result byte is 0      0             0             1             1            `gone`; less `zeros`: flushed
 *   exponent byte is 0    0             0             0             1            `zeros`
 *
 * The rounding mode may be any: sums that must be rounded to nearest say so in the instruction (NEAREST).
 *
 * Why the smallest magnitude is kept minus one: zeros do not count as smallest, and a mask per vector would cost more
 * than the subtraction, which most groups do not even need: where no minimum of the four vectors is zero, one
 * subtraction per group suffices.
 *
 * What the instances of run_of cost and save: seven ways times plain or small are fourteen loops, in each of which the
 * kind of result is a constant. A plain run has no zero, so it need not look for lost or flushed numbers; its only
 * count is `differ`. A small run ends after eight groups without a small number (QUIET), so that data which change
 * their nature go back to the cheaper loop.
 *
 * Counts are added in lanes of 32 bits. A run has at most MOST_IN_WINDOW groups, and a call at most a chunk of the
 * array (65536 elements), so none overflows. */
#include "bulk/avx512_histogram.h"
#include "bulk/avx512_rounding.h"

#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

/* AHEAD: prefetch distance in bytes. BURST: most elements of do_others. ONE_WINDOW: groups after which the histogram's
 * window is chosen anew. */
enum { AHEAD = 16384, BURST = 1024, ONE_WINDOW = 2 * MOST_IN_WINDOW };

/* Thresholds as vectors of magnitudes. */
typedef struct limits {
    __m512i magnitude, normal, max, top, hard;
    /* By sign: from `tiny` on a number is not tiny, from `over` on it overflows; below `normal` and `surely_over`.
     * Where random bits decide, what lies between is doubtful. */
    __m512i tiny[2], over[2], surely_over;
    uint32_t least;    /* of groups of small numbers, zeros apart */
    bool random, calm; /* calm: no lane up to the largest number is doubtful, and signs do not matter */
} limits;

/* Sums of squares, 16 lanes: element i of a piece in lane i mod 16, as the portable tally has it. */
typedef struct error_sums {
    __m512d error[2], input[2];
} error_sums;

/* Counts of groups that no run takes, in lanes of 32 bits. */
typedef struct counts {
    __m512i exact, inexact, underflows, flushed, overflows, saturated, infinities_in, nans_in, nans_out, zeros, apart;
} counts;

/* A call. The smallest magnitude is kept as magnitude minus one, unsigned, so that zeros wrap around and never win. */
typedef struct call {
    const bndi_plan *plan;
    const bndi_kernels *kernels; /* of single groups: NULL where results are given */
    bndi_tally *tally;
    const char *x, *given;
    char *out;
    const void *random;
    size_t at, n;
    way way;
    enum { UNASKED, INFINITE, SATURATED } infinities; /* what they become */
    bool quiet, known; /* quiet: the last run ended since small numbers did; known: limits and counts are set */
    size_t in_range, zeros, gone; /* elements of runs; zeros among them, and among the results */
    __m512i differ, tiny;         /* of runs: inexact results, underflows */
    __m512i largest, smallest_less_one;
    error_sums sums;
    window window;
    batch batch;
    rounding rounding;
    limits limits;
    counts counts;
} call;

/* ---- sums and flags ---- */

/* Squares of errors and inputs in double. The square of an fp32 number is exact in double, so its fused addition rounds
 * as two separate operations do; an error in double has more bits, and its square is rounded on its own. */
static ALWAYS_INLINE void add_squares(error_sums *s, __m512i x, __m512i y)
{
    /* The halves of a vector as doubles: elements 0 to 7, then 8 to 15. */
    __m512 fx = _mm512_castsi512_ps(x), fy = _mm512_castsi512_ps(y);
    __m256 half_x[2] = {_mm512_castps512_ps256(fx), _mm512_extractf32x8_ps(fx, 1)};
    __m256 half_y[2] = {_mm512_castps512_ps256(fy), _mm512_extractf32x8_ps(fy, 1)};
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        __m512d a = _mm512_cvtps_pd(half_x[i]), e = _mm512_sub_round_pd(_mm512_cvtps_pd(half_y[i]), a, NEAREST);
        s->error[i] = _mm512_add_round_pd(s->error[i], _mm512_mul_round_pd(e, e, NEAREST), NEAREST);
        s->input[i] = _mm512_fmadd_round_pd(a, a, s->input[i], NEAREST);
    }
}

/* The same where y - x is an fp32 number (in range, to nearest or toward zero): both squares are exact and may be
 * fused. y - x is a multiple of the last place of x or y, whichever is lower, and not larger than x: so it fits 24
 * bits, and its square 48. For 0.3 rounded to 0.3125, in units of 2^-25, the last place of 3e99999a:
 *
 *   x       3e99999a     10066330
 *   y       3ea00000     10485760
 *   y - x   3c4cccc0       419430 units: exact in fp32; its square 175921524900 units of 2^-50 is exact in double */
static ALWAYS_INLINE void add_short_squares(error_sums *s, const char *in, __m512i x, __m512i y)
{
    __m512 e = _mm512_sub_ps(_mm512_castsi512_ps(y), _mm512_castsi512_ps(x));
    __m256 half_e[2] = {_mm512_castps512_ps256(e), _mm512_extractf32x8_ps(e, 1)};
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        __m512d a = _mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)(in + 32 * i)));
        __m512d d = _mm512_cvtps_pd(half_e[i]);
        s->error[i] = _mm512_fmadd_round_pd(d, d, s->error[i], NEAREST);
        s->input[i] = _mm512_fmadd_round_pd(a, a, s->input[i], NEAREST);
    }
}

/* The same where y is x: there is no error. */
static ALWAYS_INLINE void add_input_squares(error_sums *s, const char *in)
{
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        __m512d a = _mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)(in + 32 * i)));
        s->input[i] = _mm512_fmadd_round_pd(a, a, s->input[i], NEAREST);
    }
}

/* One more in these lanes. */
static ALWAYS_INLINE __m512i counted(__m512i count, __mmask16 lanes)
{
    return _mm512_mask_add_epi32(count, lanes, count, _mm512_set1_epi32(1));
}

/* Lanes whose flags only the codec knows, one at a time. */
static NOT_INLINE void ask_flags(call *c, __mmask16 lanes, __m512i x, __m512i y, size_t at)
{
    uint32_t in[16], out[16];
    _mm512_storeu_si512(in, x);
    _mm512_storeu_si512(out, y);
    for (unsigned i = 0; i < 16; i++) {
        if ((lanes >> i & 1) != 0) {
            uint64_t r = c->random != NULL ? bndi_get(c->random, c->plan->random_bytes, at + i) : 0;
            bndi_tally_flags(c->tally, bndi_flags_of(c->plan, in[i], out[i], r));
        }
    }
}

/* Does the rule turn infinities into the largest number? The codec gives the flags of one infinity when the first one
 * comes; the answer is kept for the call. */
static bool infinities_saturate(call *c)
{
    if (c->infinities == UNASKED) {
        c->infinities = (bndi_flags_of(c->plan, TOP, 0, 0) & BND_FLAG_SATURATED) != 0 ? SATURATED : INFINITE;
    }
    return c->infinities == SATURATED;
}

/* Any vector of x with the results y; `lanes`: the elements there are. Masks in order: the kind of x, the doubtful
 * lanes, then the flags of the clear ones. Five lanes, e4m3 to nearest even with saturation, thresholds tiny 3c780000,
 * over 43e80001 (above 464), max 43e00000:
 *
 *                      0.3        -500       0.0005     -0         NaN
 *   x                  3e99999a   c3fa0000   3a03126f   80000000   7fc00000
 *   y                  3ea00000   c3e00000   00000000   80000000   7fc00000
 *   finite, number     1 1        1 1        1 1        1 0        0 0
 *   inexact (u != v)   1          1          1          0          0
 *   over, saturated    0 0        1 1        0 0        0 0        0 0
 *   underflows         0          0          1          0          0         inexact and u below `tiny`
 *   flushed (v == 0)   0          0          1          0          0         of numbers: -0 does not count
 *   exact              0          0          0          1          0
 *   nans_in, zeros     0 0        0 0        0 0        0 1        1 0 */
static ALWAYS_INLINE void count_any(call *c, __mmask16 lanes, __m512i x, __m512i y, size_t at)
{
    const limits *k = &c->limits;
    counts *s = &c->counts;
    __m512i u = _mm512_and_si512(x, k->magnitude), v = _mm512_and_si512(y, k->magnitude);
    __mmask16 finite = _mm512_mask_cmplt_epu32_mask(lanes, u, k->top);
    __mmask16 infinite = _mm512_mask_cmpeq_epu32_mask(lanes, u, k->top);
    __mmask16 nan = _mm512_mask_cmpgt_epu32_mask(lanes, u, k->top);
    __mmask16 number = _mm512_mask_test_epi32_mask(finite, u, u);
    __mmask16 negative = _mm512_movepi32_mask(x), doubtful = _mm512_mask_cmplt_epu32_mask(number, u, k->hard);
    /* Thresholds by the sign of x: up and down round the two signs apart. */
    __m512i tiny_from = _mm512_mask_mov_epi32(k->tiny[0], negative, k->tiny[1]);
    __m512i over_from = _mm512_mask_mov_epi32(k->over[0], negative, k->over[1]);
    /* Random bits may decide whether x is tiny, or whether it overflows: from the first threshold at which they may, up
     * to where they cannot any more. */
    if (k->random) {
        doubtful |= _mm512_mask_cmple_epu32_mask(_mm512_mask_cmplt_epu32_mask(number, u, k->normal), tiny_from, u);
        doubtful |= _mm512_mask_cmple_epu32_mask(_mm512_mask_cmplt_epu32_mask(number, u, k->surely_over), over_from, u);
    }
    /* Numbers whose flags the thresholds decide. */
    __mmask16 clear = number & (__mmask16)~doubtful;
    __mmask16 inexact = _mm512_mask_cmpneq_epu32_mask(clear, u, v);
    __mmask16 over = _mm512_mask_cmpge_epu32_mask(clear, u, over_from);
    __mmask16 saturated = _mm512_mask_cmpeq_epu32_mask(over, v, k->max);
    if (infinite != 0 && infinities_saturate(c)) {
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
    c->largest = _mm512_mask_max_epu32(c->largest, number, c->largest, u);
    __m512i less_one = _mm512_sub_epi32(u, _mm512_set1_epi32(1));
    c->smallest_less_one = _mm512_mask_min_epu32(c->smallest_less_one, number, c->smallest_less_one, less_one);
    /* Only pairs of finite numbers go into the sums; the others are counted apart. */
    __mmask16 both = _mm512_mask_cmplt_epu32_mask(finite, v, k->top);
    s->apart = counted(s->apart, (__mmask16)(lanes & ~both));
    add_squares(&c->sums, _mm512_maskz_mov_epi32(both, x), _mm512_maskz_mov_epi32(both, y));
    if (doubtful != 0) {
        ask_flags(c, doubtful, x, y, at);
    }
}

/* The thresholds, from the plan. Below the least number, modes other than nearest and toward zero can raise a number to
 * it by more than half of it: then the error is not an fp32 number, and such numbers (below `least`) are not for runs.
 */
static NOT_INLINE void set_limits(call *c)
{
    const bndi_plan *plan = c->plan;
    limits *k = &c->limits;
    k->magnitude = _mm512_set1_epi32(0x7fffffff);
    k->normal = _mm512_set1_epi32((int)plan->normal);
    k->max = _mm512_set1_epi32((int)plan->max);
    k->top = _mm512_set1_epi32(TOP);
    k->hard = _mm512_set1_epi32((int)plan->codec_below);
    /* One unit of the format above the largest number: from there on every mode overflows, whatever the random bits
     * are. e4m3: 448 is 43e00000, drop 20, so 43f00000 = 480. */
    k->surely_over = _mm512_set1_epi32((int)((uint32_t)plan->max + ((uint32_t)1 << plan->drop)));
    for (unsigned i = 0; i < 2; i++) {
        k->tiny[i] = _mm512_set1_epi32((int)bndi_not_tiny_from(plan, i != 0));
        k->over[i] = _mm512_set1_epi32((int)bndi_overflows_from(plan, i != 0));
    }
    k->random = plan->random_bits > 0;
    /* Below the least number some modes go up to it by more than half of it: no difference of fp32. */
    const unsigned mode = plan->rule.rounding;
    const bool halves = mode == BND_ROUND_RNE || mode == BND_ROUND_RNA || mode == BND_ROUND_RTZ;
    k->least = halves ? 1 : (uint32_t)plan->least;
    k->calm = !k->random && plan->codec_below == 0 && bndi_not_tiny_from(plan, false) == bndi_not_tiny_from(plan, true);
    c->counts = (counts){.exact = _mm512_setzero_si512()};
    c->known = true;
}

/* ---- runs ---- */

/* x and y differ as numbers: zeros of both signs are equal, which the bits would not tell. */
static ALWAYS_INLINE __mmask16 differing(__m512i x, __m512i y)
{
    return _mm512_cmp_ps_mask(_mm512_castsi512_ps(x), _mm512_castsi512_ps(y), _CMP_NEQ_UQ); /* zeros are alike */
}

/* The largest and the smallest magnitude of each lane: six instructions per group, and then one comparison each instead
 * of four. */
static ALWAYS_INLINE void extremes_of(const __m512i *u, __m512i *largest, __m512i *smallest)
{
    *largest = *smallest = u[0];
    UNROLL
    for (size_t i = 1; i < GROUP; i++) {
        *largest = _mm512_max_epu32(*largest, u[i]);
        *smallest = _mm512_min_epu32(*smallest, u[i]);
    }
}

/* The smallest magnitude minus one. Without a zero in any lane's minimum it is that minimum minus one; with one, the
 * four vectors are looked at again, each minus one, where zeros are the largest. One lane of four vectors:
 *
 *   u                 3e99999a   00000000   3c343958   41880000     minimum 0: hides 3c343958
 *   u - 1             3e999999   ffffffff   3c343957   4187ffff     minimum 3c343957 */
static ALWAYS_INLINE __m512i smallest_but_zeros(const __m512i *u, __m512i smallest)
{
    const __m512i one = _mm512_set1_epi32(1);
    __m512i less_one = _mm512_sub_epi32(smallest, one);
    if (_mm512_testn_epi32_mask(smallest, smallest) != 0) {
        less_one = _mm512_sub_epi32(u[0], one);
        UNROLL
        for (size_t i = 1; i < GROUP; i++) {
            less_one = _mm512_min_epu32(less_one, _mm512_sub_epi32(u[i], one));
        }
    }
    return less_one;
}

/* Prefetches what is read and written a little later, while this group computes. */
static ALWAYS_INLINE void fetch_ahead(way w, const char *x, const char *y)
{
    const uintptr_t in = (uintptr_t)x + AHEAD, out = (uintptr_t)y + bytes_out(w) * (AHEAD / 4);
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        _mm_prefetch((const void *)(in + 64 * i), _MM_HINT_T0);
    }
    UNROLL
    for (size_t i = 0; i < bytes_out(w); i++) {
        __builtin_prefetch((const void *)(out + 64 * i), 1);
    }
}

/* What a run compares with, made once: magnitudes from lowest to high go by this run, those below tiny are tiny. */
typedef struct run_limits {
    __m512i high, low_less_one, magnitude, tiny, normal_less_one;
} run_limits;

/* What a run counts, in registers until it ends. */
typedef struct run_state {
    error_sums sums;
    __m512i count[2], differ, tiny, largest, smallest_less_one;
    size_t zeros, gone;
    unsigned quiet;
} run_state;

/* A group: its words, their magnitudes, results, codes, and the extremes of the magnitudes. */
typedef struct run_group {
    __m512i in[GROUP], u[GROUP], y[GROUP], code[GROUP], largest, smallest, less_one;
} run_group;

/* The magnitudes that a run takes: those in the window of the histogram and in range, from the smallest normal number
 * on, or from the least number whose error is an fp32 number in a run of small ones. The lower bound is kept minus one,
 * to be compared with magnitudes minus one: zero wraps to ffffffff and is never below it. */
static ALWAYS_INLINE run_limits set_run_limits(const call *c, bool small)
{
    const uint32_t normal = (uint32_t)c->plan->normal, max = (uint32_t)c->plan->max;
    const uint32_t from = small ? c->limits.least : normal;
    const uint32_t lowest = c->window.lowest > from ? c->window.lowest : from;
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    return (run_limits){.high = _mm512_set1_epi32((int)(c->window.highest < max ? c->window.highest : max)),
                        .low_less_one = _mm512_set1_epi32((int)(lowest - 1)),
                        .magnitude = magnitude,
                        .tiny = small ? c->limits.tiny[0] : magnitude,
                        .normal_less_one = _mm512_set1_epi32((int)normal - 1)};
}

/* The counts of the call into registers, and back. */
static ALWAYS_INLINE run_state open_run(const call *c)
{
    return (run_state){.sums = c->sums,
                       .count = {c->window.count[0], c->window.count[1]},
                       .differ = c->differ,
                       .tiny = c->tiny,
                       .largest = c->largest,
                       .smallest_less_one = c->smallest_less_one};
}

/* Back into the call, with the elements that were done. */
static ALWAYS_INLINE void close_run(call *c, const run_state *s, size_t groups, bool quiet)
{
    c->sums = s->sums;
    c->window.count[0] = s->count[0];
    c->window.count[1] = s->count[1];
    c->differ = s->differ;
    c->tiny = s->tiny;
    c->largest = s->largest;
    c->smallest_less_one = s->smallest_less_one;
    c->zeros += s->zeros;
    c->gone += s->gone;
    c->in_range += GROUP_LEN * groups;
    c->at += GROUP_LEN * groups;
    c->quiet = quiet;
}

/* A group of 64 and its magnitudes. */
static ALWAYS_INLINE void load_group(run_group *g, const run_limits *k, const char *x)
{
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        g->in[i] = _mm512_loadu_si512(x + 64 * i);
        g->u[i] = _mm512_and_si512(g->in[i], k->magnitude);
    }
    extremes_of(g->u, &g->largest, &g->smallest);
}

/* Has the group a number that this run does not take? Without zeros the smallest magnitude is compared as it is. */
static ALWAYS_INLINE bool leaves_run(run_group *g, const run_limits *k, bool small)
{
    __mmask16 outside = _mm512_cmpgt_epu32_mask(g->largest, k->high);
    g->less_one = _mm512_sub_epi32(g->smallest, _mm512_set1_epi32(1));
    if (small) {
        g->less_one = smallest_but_zeros(g->u, g->smallest);
        outside |= _mm512_cmplt_epu32_mask(g->less_one, k->low_less_one);
    } else {
        outside |= _mm512_cmple_epu32_mask(g->smallest, k->low_less_one);
    }
    return outside != 0;
}

/* The results of a group, and what they add to sums and counts. Codes are made of magnitudes, and errors may have
 * either sign. */
static ALWAYS_INLINE void round_group(run_state *s, run_group *g, const run_limits *k, const rounding *r, way w,
                                      bool small, const char *x, const char *given)
{
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        /* For codes the result is a magnitude, so the input is compared as one. */
        const __m512i number = w == FLOAT_BYTES || w == FLOAT_HALVES ? g->u[i] : g->in[i];
        if (w == SAME) {
            g->y[i] = g->in[i];
            add_input_squares(&s->sums, x + 64 * i);
            continue;
        }
        g->y[i] = w == GIVEN        ? _mm512_loadu_si512(given + 64 * i)
                  : w >= BITS_WORDS ? rounded_bits(r, g->in[i])
                                    : rounded_float(r, w, small, number, &g->code[i]);
        __mmask16 inexact = differing(number, g->y[i]);
        s->differ = counted(s->differ, inexact);
        if (small) {
            s->tiny = counted(s->tiny, _mm512_mask_cmplt_epu32_mask(inexact, g->u[i], k->tiny));
        }
        add_short_squares(&s->sums, x + 64 * i, number, g->y[i]);
    }
}

/* The histogram, and in a run of small numbers the zeros that came and those that results became. An exponent byte of 0
 * means zero here: the window begins far above fp32's subnormal numbers, so none of these is in a run. Without a small
 * number in the group `quiet` goes up by one; the eighth in a row ends the run. */
TARGET static ALWAYS_INLINE void count_exponents(run_state *s, const run_group *g, const run_limits *k,
                                                 const __m512i *is, bool small, __m512i exponents, __m512i results)
{
    if (!small) {
        count_inside(s->count, is, exponents, ~(__mmask64)0);
        return;
    }
    __mmask64 numbers = _mm512_test_epi8_mask(exponents, exponents);
    count_inside(s->count, is, exponents, numbers);
    s->zeros += (size_t)__builtin_popcountll(~numbers);
    s->gone += (size_t)__builtin_popcountll(_mm512_testn_epi8_mask(results, results));
    s->quiet = _mm512_cmple_epu32_mask(g->smallest, k->normal_less_one) != 0 ? 0 : s->quiet + 1;
}

/* Groups of numbers in range and in the window, up to the first that is not; `small`: with subnormal ones and zeros
 * among them, up to the eighth in a row that has none. */
TARGET static ALWAYS_INLINE void run_of(call *c, way w, bool small, size_t most)
{
    enum { QUIET = 8 };
    const run_limits k = set_run_limits(c, small);
    const __m512i is[2] = {c->window.is[0], c->window.is[1]};
    const rounding r = c->rounding;
    const places p = set_places();
    const size_t step = GROUP_LEN * bytes_out(w);
    const char *x = c->x + 4 * c->at, *given = w == GIVEN ? c->given + 4 * c->at : NULL;
    char *out = w <= SAME ? NULL : c->out + bytes_out(w) * c->at;
    run_state s = open_run(c);
    size_t groups = 0;
    for (; groups < most && s.quiet < QUIET; groups++, x += 4 * GROUP_LEN) {
        run_group g;
        load_group(&g, &k, x);
        if (leaves_run(&g, &k, small)) {
            break;
        }
        fetch_ahead(w, x, w == GIVEN ? given : w == SAME ? x : out);
        s.largest = _mm512_max_epu32(s.largest, g.largest);
        s.smallest_less_one = _mm512_min_epu32(s.smallest_less_one, g.less_one);
        const __m512i exponents = exponents_of(g.in, p);
        round_group(&s, &g, &k, &r, w, small, x, given);
        /* At last: the output may stand where x does. */
        const __m512i results = put_group(&r, w, out, g.y, g.code, g.in, p);
        if (w == GIVEN) {
            given += step;
        } else if (w > SAME) {
            out += step;
        }
        count_exponents(&s, &g, &k, is, small, exponents, results);
    }
    close_run(c, &s, groups, s.quiet == QUIET);
}

/* Two instances per way, plain and small: in each, `way` and `small` are constants and the tests on them vanish. */
#define RUN(name, way)                                                                                                 \
    TARGET static NOT_INLINE void plain_##name(call *c, size_t most)                                                   \
    {                                                                                                                  \
        run_of(c, way, false, most);                                                                                   \
    }                                                                                                                  \
    TARGET static NOT_INLINE void small_##name(call *c, size_t most)                                                   \
    {                                                                                                                  \
        run_of(c, way, true, most);                                                                                    \
    }
RUN(given, GIVEN)
RUN(same, SAME)
RUN(float_words, FLOAT_WORDS)
RUN(float_bytes, FLOAT_BYTES)
RUN(float_halves, FLOAT_HALVES)
RUN(bits_words, BITS_WORDS)
RUN(bits_halves, BITS_HALVES)
#undef RUN

/* The instances in a table. */
static void run(call *c, bool small, size_t most)
{
    static void (*const runs[WAYS][2])(call *, size_t) = {
        [GIVEN] = {plain_given, small_given},
        [SAME] = {plain_same, small_same},
        [FLOAT_WORDS] = {plain_float_words, small_float_words},
        [FLOAT_BYTES] = {plain_float_bytes, small_float_bytes},
        [FLOAT_HALVES] = {plain_float_halves, small_float_halves},
        [BITS_WORDS] = {plain_bits_words, small_bits_words},
        [BITS_HALVES] = {plain_bits_halves, small_bits_halves},
    };
    runs[c->way][small](c, most);
}

/* ---- everything else ---- */

/* n elements of any kind with the results y, by count_any; the last group by masks. Elements that are not there look
 * like zeros to the histogram, and are taken out of bin 0 again. */
TARGET static NOT_INLINE void count_all(call *c, const char *y, size_t n)
{
    const char *x = c->x + 4 * c->at;
    if (!c->known) {
        set_limits(c);
    }
    for (size_t at = 0; at < n; at += GROUP_LEN) {
        __m512i in[GROUP];
        /* `lanes` has a bit per element that there is. n = 37, one group: left is 37, 21, 5 and 0, so the masks are
         * ffff, ffff, 001f and 0, and the last vector is not counted. */
        const size_t here = n - at < GROUP_LEN ? n - at : GROUP_LEN;
        for (size_t i = 0; i < GROUP; i++) {
            const size_t first = 16 * i, left = here > first ? here - first : 0;
            const __mmask16 lanes = (__mmask16)(left < 16 ? (1u << left) - 1 : 0xffffu);
            in[i] = _mm512_maskz_loadu_epi32(lanes, x + 4 * (at + first));
            if (lanes != 0) {
                __m512i out = _mm512_maskz_loadu_epi32(lanes, y + 4 * (at + first));
                count_any(c, lanes, in[i], out, c->at + at + first);
            }
        }
        count_outside(c->tally, &c->batch, exponents_of(in, set_places()));
        c->tally->bins[0] -= GROUP_LEN - here; /* absent elements were counted as zeros */
    }
}

/* Numbers that no run takes, rounded by the general kernels into buffers, counted, and copied out at the end: the input
 * may lie where the results go. n is at most BURST, for which the buffers (4 KiB and 2 KiB of stack) are made. Where
 * results are given there is nothing to round. */
static NOT_INLINE void do_others(call *c, size_t n)
{
    const bool to_codes = c->way != FLOAT_WORDS && c->way != BITS_WORDS;
    const size_t bytes = bytes_out(c->way);
    const char *x = c->x + 4 * c->at;
    if (c->way <= SAME) {
        count_all(c, c->given + 4 * c->at, n);
        c->at += n;
        return;
    }
    char *out = c->out + bytes * c->at;
    _Alignas(64) char words[4 * BURST], codes[2 * BURST];
    if (to_codes) {
        c->kernels->encode[BNDI_WORDS_32](c->plan, codes, x, NULL, n);
        c->kernels->decode[BNDI_WORDS_32](c->plan, words, codes, n);
    } else {
        c->kernels->round[BNDI_WORDS_32](c->plan, words, x, NULL, n);
    }
    count_all(c, words, n);
    __builtin_memcpy(out, to_codes ? codes : words, n * bytes);
    c->at += n;
}

/* May runs of small numbers be made at all? */
static bool is_calm(call *c)
{
    if (!c->known) {
        set_limits(c);
    }
    return c->limits.calm;
}

/* ---- a call ---- */

/* The sums go on from the tally; all else begins at zero. */
static ALWAYS_INLINE void open_call(call *c)
{
    const __m512i zero = _mm512_setzero_si512();
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        c->sums.error[i] = _mm512_loadu_pd(c->tally->error + 8 * i);
        c->sums.input[i] = _mm512_loadu_pd(c->tally->input + 8 * i);
    }
    c->at = c->in_range = c->zeros = c->gone = c->batch.length = 0;
    c->known = c->quiet = false;
    c->infinities = UNASKED;
    c->differ = c->tiny = c->largest = zero;
    c->smallest_less_one = _mm512_set1_epi32(-1);
}

/* The sum of the lanes; 16 counts of less than 2^28 fit 32 bits. */
static uint64_t total(__m512i count)
{
    return (uint64_t)(uint32_t)_mm512_reduce_add_epi32(count);
}

/* Counts of single groups into the tally. */
static void add_counts(bndi_tally *t, const counts *s)
{
    uint64_t nans = total(s->nans_in), infinities = total(s->infinities_in);
    t->exact += total(s->exact);
    t->inexact += total(s->inexact);
    t->underflows += total(s->underflows);
    t->flushed += total(s->flushed);
    t->overflows += total(s->overflows);
    t->saturated += total(s->saturated);
    t->infinities_in += infinities;
    t->nans_in += nans;
    t->nans_out += total(s->nans_out);
    t->compared -= total(s->apart);
    t->bins[0] -= total(s->zeros); /* zeros are in the first bin, infinities and NaNs in the last */
    t->bins[BNDI_BINS - 1] -= infinities + nans;
}

/* All counts into the tally: inexact ones of runs are what differed, flushed ones the zeros among the results that were
 * none before. */
static ALWAYS_INLINE void close_call(call *c)
{
    bndi_tally *t = c->tally;
    uint64_t differ = total(c->differ);
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        _mm512_storeu_pd(t->error + 8 * i, c->sums.error[i]);
        _mm512_storeu_pd(t->input + 8 * i, c->sums.input[i]);
    }
    t->elements += c->n;
    t->compared += c->n;
    t->exact += c->in_range - differ;
    t->inexact += differ;
    if (c->known) {
        t->underflows += total(c->tiny);
        t->flushed += c->gone - c->zeros;
        add_counts(t, &c->counts);
    }
    close_batch(t, &c->batch);
    uint32_t smallest = _mm512_reduce_min_epu32(c->smallest_less_one) + 1;
    bndi_tally_extremes(t, _mm512_reduce_max_epu32(c->largest), smallest);
}

/* Groups up to `end`, alternating: a run of the present kind; if it ended early, a run of the other kind, if the group
 * suits it; else do_others, twice as many elements each time in a row. Groups of plain (p), small (s) and other (o)
 * numbers, p p s s o o o p, as they are done:
 *
 *   run p: p p   ends at s; the plan is calm: small = true
 *   run s: s s   ends at o, and is not quiet
 *   others: o    a burst of 1 group; then a run that takes nothing, and a burst of 2 groups: o o
 *   run s: p     a run of small numbers takes plain groups, too, until eight in a row have been plain */
TARGET static void count_to(call *c, size_t end, bool *small)
{
    size_t burst = GROUP_LEN, last = c->n; /* single groups ended at `last` */
    open_window(&c->window, c->x + 4 * c->at, end - c->at);
    while (c->at < end) {
        /* A run ends with the array's part, with the room of the byte counters, or with a group that it does not take.
         */
        const size_t from = c->at, left = (end - from) / GROUP_LEN, room = MOST_IN_WINDOW - c->window.groups;
        const size_t most = left < room ? left : room;
        run(c, *small, most);
        c->window.groups += (c->at - from) / GROUP_LEN;
        if (c->window.groups == MOST_IN_WINDOW) {
            empty_window(c->tally, &c->window);
        }
        if (c->at - from == most * GROUP_LEN) {
            continue;
        }
        /* The other kind of run may take what this one did not. */
        if (*small ? c->quiet : is_calm(c)) {
            *small = !*small;
            continue;
        }
        /* Single groups that follow each other come in bursts, so that the general kernels are called less often. */
        burst = c->at == last && burst < BURST ? 2 * burst : GROUP_LEN;
        do_others(c, end - c->at < burst ? end - c->at : burst);
        last = c->at;
    }
    empty_window(c->tally, &c->window);
}

/* A window of the histogram is chosen every ONE_WINDOW groups, as data may drift. */
static NOT_INLINE void count_array(call *c)
{
    bool small = false;
    open_call(c);
    while (c->n - c->at >= GROUP_LEN) {
        const size_t left = (c->n - c->at) / GROUP_LEN;
        count_to(c, c->at + GROUP_LEN * (left < ONE_WINDOW ? left : ONE_WINDOW), &small);
    }
    if (c->at < c->n) {
        do_others(c, c->n - c->at);
    }
    close_call(c);
}

/* Plans that these kernels count: two or more bits of precision, a sign, a zero, no flushed inputs. */
static bool is_simple(const bndi_plan *plan)
{
    const bnd_format *f = &plan->format;
    return plan->exact && f->precision > 1 && plan->max > plan->normal && f->is_signed && f->has_zero &&
           !plan->rule.flush_in;
}

/* The tally of results that another kernel made; x == y means that nothing was rounded. */
void bndi_tally_avx512(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random, size_t n)
{
    if (!is_simple(plan)) {
        bndi_tally_32(plan, t, x, y, random, n);
        return;
    }
    call c;
    c.plan = plan;
    c.kernels = NULL;
    c.tally = t;
    c.x = x;
    c.given = y;
    c.out = NULL;
    c.random = random;
    c.n = n;
    c.way = x == y ? SAME : GIVEN;
    count_array(&c);
}

/* How the numbers of a plan are rounded in a run, or GIVEN where another kernel must do it. FLOAT steps handle codes by
 * magnitude, so only modes that ignore the sign may make codes; round to odd and random bits have no step here.
 * BITS_HALVES needs drop 16: the upper half of the word is then the code. */
static way way_of(const bndi_plan *plan, bool to_codes)
{
    const unsigned mode = plan->rule.rounding;
    if (!is_simple(plan) || plan->plain_low != 0 || plan->random_bits > 0 || (to_codes && plan->code_shift != 0)) {
        return GIVEN;
    }
    const bool by_magnitude = mode == BND_ROUND_RNE || mode == BND_ROUND_RTZ;
    if (plan->family == BNDI_FLOAT && plan->extra == 0 && mode != BND_ROUND_RTO && (by_magnitude || !to_codes)) {
        return !to_codes               ? FLOAT_WORDS
               : plan->code_bytes == 1 ? FLOAT_BYTES
               : plan->code_bytes == 2 ? FLOAT_HALVES
                                       : GIVEN;
    }
    if (plan->family == BNDI_UNIFORM && mode == BND_ROUND_RNE) {
        return !to_codes                                                        ? BITS_WORDS
               : plan->code_bytes == 2 && plan->drop == 16 && plan->bottom == 1 ? BITS_HALVES
                                                                                : GIVEN;
    }
    return GIVEN;
}

/* Are rounding and counting one pass for this plan? */
bool bndi_counts_avx512(const bndi_plan *plan, bool to_codes)
{
    return way_of(plan, to_codes) != GIVEN;
}

/* Rounding, storing and counting in one pass. */
void bndi_count_avx512(const bndi_kernels *kernels, const bndi_plan *plan, bndi_tally *t, bool to_codes, void *y,
                       const void *x, size_t n)
{
    call c;
    c.plan = plan;
    c.kernels = kernels;
    c.tally = t;
    c.x = x;
    c.given = NULL;
    c.out = y;
    c.random = NULL;
    c.n = n;
    c.way = way_of(plan, to_codes);
    set_rounding(&c.rounding, plan, to_codes);
    count_array(&c);
}
