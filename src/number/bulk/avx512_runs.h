/* Runs of the statistics for AVX-512 (avx512_tally.c): groups of 64 numbers, all in range and in the window of the
 * histogram. They are rounded, stored and counted with every count in a register.
 *
 *   run_of    a run: load_group, leaves_run, round_group, put_group, count_exponents per group of 64
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
 *   result byte is 0      0             0             1             1            `gone`; less `zeros`: to zero
 *   exponent byte is 0    0             0             0             1            `zeros`
 *
 * The rounding mode may be any: sums that must be rounded to nearest say so in the instruction (NEAREST).
 *
 * Why the smallest magnitude is kept minus one: zeros do not count as smallest, and a mask per vector would cost more
 * than the subtraction, which most groups do not even need: where no minimum of the four vectors is zero, one
 * subtraction per group suffices.
 *
 * What the instances of run_of cost and save: seven ways times plain or small are fourteen loops, in each of which the
 * kind of result is a constant. A plain run has no zero, so it need not look for results of zero; its only
 * count is `differ`. A small run ends after eight groups without a small number (QUIET), so that data which change
 * their nature go back to the cheaper loop.
 *
 * Counts are added in lanes of 32 bits. A run has at most MOST_IN_WINDOW groups, and a call at most a chunk of the
 * array (65536 elements), so none overflows. */
#ifndef BINADE_SRC_BULK_AVX512_RUNS_H
#define BINADE_SRC_BULK_AVX512_RUNS_H

#include "bulk/avx512_histogram.h"
#include "bulk/avx512_rounding.h"

#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

/* The prefetch distance in bytes. */
enum { RUN_AHEAD = 16384 };

/* Sums of squares, 16 lanes: element i of a piece in lane i mod 16, as the portable tally has it. */
typedef struct error_sums {
    __m512d error[2], input[2];
} error_sums;

/* The arrays of a call, how far it is, and what its runs have counted. The smallest magnitude is kept minus one,
 * unsigned, so that zeros wrap around and never win. */
typedef struct runs {
    const bndi_plan *plan;
    const char *x, *given;
    char *out;
    size_t at, n;
    way way;
    bool quiet;                   /* the last run ended since small numbers did */
    uint32_t least, not_tiny;     /* of runs of small numbers: the least magnitude, zeros apart; from `not_tiny` on a
                                 number is not tiny */
    size_t in_range, zeros, gone; /* elements; zeros among them, and among the results */
    size_t infinities;            /* among the zeros */
    __m512i differ, tiny;         /* inexact results, underflows */
    __m512i largest, smallest_less_one;
    error_sums sums;
    window window;
    rounding rounding;
} runs;

/* ---- sums ---- */

/* Squares of errors and inputs in double, where y - x is an fp32 number (in range, to nearest or toward zero): both
 * squares are exact and may be fused with the addition. y - x is a multiple of the last place of x or y, whichever is
 * lower, and not larger than x: so it fits 24 bits, and its square 48. For 0.3 rounded to 0.3125, in units of 2^-25,
 * the last place of 3e99999a:
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

/* The same where y is x: there is no error. From memory where x lies there as it is, which takes 8 % less time. */
static ALWAYS_INLINE void add_input_squares(error_sums *s, __m512i x, const char *in)
{
    const __m512 v = _mm512_castsi512_ps(x);
    const __m256 half[2] = {_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)};
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        __m512d a = _mm512_cvtps_pd(in != NULL ? _mm256_loadu_ps((const float *)(const void *)(in + 32 * i)) : half[i]);
        s->input[i] = _mm512_fmadd_round_pd(a, a, s->input[i], NEAREST);
    }
}

/* One more in these lanes. */
static ALWAYS_INLINE __m512i counted(__m512i count, __mmask16 lanes)
{
    return _mm512_mask_add_epi32(count, lanes, count, _mm512_set1_epi32(1));
}

/* ---- groups ---- */

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
    const uintptr_t in = (uintptr_t)x + RUN_AHEAD, out = (uintptr_t)y + bytes_out(w) * (RUN_AHEAD / 4);
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
    __m512i high, low_less_one, magnitude, tiny, normal_less_one, infinity;
} run_limits;

/* What a run counts, in registers until it ends. */
typedef struct run_state {
    error_sums sums;
    __m512i count[2], differ, tiny, largest, smallest_less_one;
    size_t zeros, gone, infinities;
    unsigned quiet;
} run_state;

/* A group: its words, their magnitudes, results, codes, and the extremes of the magnitudes. */
typedef struct run_group {
    __m512i in[GROUP], u[GROUP], y[GROUP], code[GROUP], largest, smallest, less_one;
    size_t infinities;
} run_group;

/* The magnitudes that a run takes: those in the window of the histogram and in range, from the smallest normal number
 * on, or from the least number whose error is an fp32 number in a run of small ones. The lower bound is kept minus one,
 * to be compared with magnitudes minus one: zero wraps to ffffffff and is never below it. */
static ALWAYS_INLINE run_limits set_run_limits(const runs *c, bool small)
{
    const uint32_t normal = (uint32_t)c->plan->normal, max = (uint32_t)c->plan->max;
    const uint32_t from = small ? c->least : normal;
    const uint32_t lowest = c->window.lowest > from ? c->window.lowest : from;
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    const int infinity = c->plan->drop == 0 ? 0x7f800000 : -1; /* only fp32 itself surely has them */
    return (run_limits){.high = _mm512_set1_epi32((int)(c->window.highest < max ? c->window.highest : max)),
                        .low_less_one = _mm512_set1_epi32((int)(lowest - 1)),
                        .magnitude = magnitude,
                        .tiny = small ? _mm512_set1_epi32((int)c->not_tiny) : magnitude,
                        .normal_less_one = _mm512_set1_epi32((int)normal - 1),
                        .infinity = _mm512_set1_epi32(infinity)};
}

/* The counts of the call into registers, and back. */
static ALWAYS_INLINE run_state open_run(const runs *c)
{
    return (run_state){.sums = c->sums,
                       .count = {c->window.count[0], c->window.count[1]},
                       .differ = c->differ,
                       .tiny = c->tiny,
                       .largest = c->largest,
                       .smallest_less_one = c->smallest_less_one};
}

/* Back into the call, with the elements that were done. */
static ALWAYS_INLINE void close_run(runs *c, const run_state *s, size_t groups, bool quiet)
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
    c->infinities += s->infinities;
    c->in_range += GROUP_LEN * groups;
    c->at += GROUP_LEN * groups;
    c->quiet = quiet;
}

/* A group of 64 and its magnitudes. Where small numbers are only counted, infinities (a mask makes them) are taken as
 * zeros, which add nothing to sums, extremes and histogram. */
static ALWAYS_INLINE void load_group(run_group *g, const run_limits *k, way w, bool small, const char *x)
{
    g->infinities = 0;
    UNROLL
    for (size_t i = 0; i < GROUP; i++) {
        g->in[i] = _mm512_loadu_si512(x + 64 * i);
        g->u[i] = _mm512_and_si512(g->in[i], k->magnitude);
        if (w == SAME && small) {
            const __mmask16 infinite = _mm512_cmpeq_epi32_mask(g->u[i], k->infinity);
            g->in[i] = _mm512_maskz_mov_epi32((__mmask16)~infinite, g->in[i]);
            g->u[i] = _mm512_maskz_mov_epi32((__mmask16)~infinite, g->u[i]);
            g->infinities += (size_t)__builtin_popcount(infinite);
        }
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
            add_input_squares(&s->sums, g->in[i], small ? NULL : x + 64 * i);
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
    s->infinities += g->infinities;
    s->zeros += (size_t)__builtin_popcountll(~numbers);
    s->gone += (size_t)__builtin_popcountll(_mm512_testn_epi8_mask(results, results));
    s->quiet = _mm512_cmple_epu32_mask(g->smallest, k->normal_less_one) != 0 ? 0 : s->quiet + 1;
}

/* Groups of numbers in range and in the window, up to the first that is not; `small`: with subnormal ones and zeros
 * among them, up to the eighth in a row that has none. */
TARGET static ALWAYS_INLINE void run_of(runs *c, way w, bool small, size_t most)
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
        load_group(&g, &k, w, small, x);
        if (leaves_run(&g, &k, small)) {
            break;
        }
        fetch_ahead(w, x, w == GIVEN ? given : w == SAME ? x : out);
        s.largest = _mm512_max_epu32(s.largest, g.largest);
        s.smallest_less_one = _mm512_min_epu32(s.smallest_less_one, g.less_one);
        const __m512i exponents = exponents_of(g.in, p);
        round_group(&s, &g, &k, &r, w, small, x, given);
        /* Last, because the output may be in the memory of x. */
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
    TARGET static NOT_INLINE void plain_##name(runs *c, size_t most)                                                   \
    {                                                                                                                  \
        run_of(c, way, false, most);                                                                                   \
    }                                                                                                                  \
    TARGET static NOT_INLINE void small_##name(runs *c, size_t most)                                                   \
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
static void run(runs *c, bool small, size_t most)
{
    static void (*const table[WAYS][2])(runs *, size_t) = {
        [GIVEN] = {plain_given, small_given},
        [SAME] = {plain_same, small_same},
        [FLOAT_WORDS] = {plain_float_words, small_float_words},
        [FLOAT_BYTES] = {plain_float_bytes, small_float_bytes},
        [FLOAT_HALVES] = {plain_float_halves, small_float_halves},
        [BITS_WORDS] = {plain_bits_words, small_bits_words},
        [BITS_HALVES] = {plain_bits_halves, small_bits_halves},
    };
    table[c->way][small](c, most);
}

#endif
