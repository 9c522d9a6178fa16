/* Statistics for AVX-512 with what came after it (VBMI, VPOPCNTDQ, BITALG, GFNI): fp32 numbers in groups of 64 (four
 * vectors), with exactly the counts and sums of the portable tally. There are two uses: counting what another kernel
 * has rounded (bndi_tally_avx512), and rounding, storing and counting in one pass (bndi_count_avx512).
 *
 * Most groups have only normal numbers in range, within a few binades: then inexact is the only flag there can be. Next
 * come groups with subnormal numbers and zeros. Either kind goes in runs (avx512_runs.h), up to the first group that is
 * of neither. That one is rounded by the general kernels and counted by tally_template.h, eight lanes at a time.
 *
 *   count_array   a piece of an array
 *     count_to    as far as one histogram window is good: runs, and what they leave
 *       run       groups of 64, of plain or of small numbers
 *       do_others one group, or bursts of more where one follows the other: the general kernels, then the template
 *
 * Groups of plain (p), small (s) and other (o) numbers, p p s s o o o p, as they are done:
 *
 *   run p: p p   ends at s; the plan is calm: small = true
 *   run s: s s   ends at o, and is not quiet
 *   others: o    a burst of 1 group; then a run that takes nothing, and a burst of 2 groups: o o
 *   run s: p     a run of small numbers takes plain groups, too, until eight in a row have been plain
 *
 * The sixteen lanes of the sums, as the runs have them and as the template has them: the same doubles in memory.
 *
 *   runs          error[0]: 0 .. 7                  error[1]: 8 .. 15
 *   template      error[0]: 0-3   error[1]: 4-7     error[2]: 8-11   error[3]: 12-15 */
#include "bulk/environment.h"

#include "bulk/avx512_runs.h"

#define BYTES     32
#define LANE_BITS 32
#include "bulk/tally_template.h"

/* BURST: most elements of do_others. ONE_WINDOW: groups after which the histogram's window is chosen anew. */
enum { BURST = 1024, ONE_WINDOW = 2 * MOST_IN_WINDOW };

/* The state of a call: its runs, and the counts of the groups outside of runs. The counts of such groups are kept in
 * `others`, which is opened at the first of them. */
typedef struct call {
    runs runs;
    const bndi_kernels *kernels; /* of single groups: NULL where results are given */
    bndi_tally *tally;
    const void *random;
    bool known, calm; /* known: `calm` and the limits of runs of small numbers are set. calm: there may be such runs */
    bool open;        /* `others` is in use */
    state_32 others;
    uint8_t bins[BNDI_BIN_BATCH];
} call;

/* ---- what runs leave ---- */

/* n elements of any kind with the results y, n a multiple of GROUP_LEN. Sums are copied into the template's state and
 * back, since the next additions to a lane may be those of a run. */
static NOT_INLINE void count_groups(call *c, const char *x, const char *y, const char *random, size_t n)
{
    state_32 *s = &c->others;
    if (!c->open) {
        open_32(s, c->runs.plan, c->tally, c->bins);
        c->open = true;
    }
    __builtin_memcpy(s->counts.error, c->runs.sums.error, sizeof s->counts.error);
    __builtin_memcpy(s->counts.input, c->runs.sums.input, sizeof s->counts.input);
    count_32(false, s, x, y, random, n);
    __builtin_memcpy(c->runs.sums.error, s->counts.error, sizeof s->counts.error);
    __builtin_memcpy(c->runs.sums.input, s->counts.input, sizeof s->counts.input);
}

/* n elements. The last group is filled up with zeros, which add nothing to sums, extremes and histogram. They are
 * counted as elements, exact and compared, which is subtracted again. 69 elements, as two groups:
 *
 *   whole = 64    64 words
 *   left = 5      5 words and 59 zeros: elements, exact and compared less 59 */
static void count_others(call *c, const char *y, size_t n)
{
    const size_t whole = n - n % GROUP_LEN, left = n - whole;
    const char *x = c->runs.x + 4 * c->runs.at, *random = NULL;
    if (c->random != NULL) {
        random = (const char *)c->random + c->runs.at * c->runs.plan->random_bytes;
    }
    if (whole > 0) {
        count_groups(c, x, y, random, whole);
    }
    if (left > 0) {
        char last_x[4 * GROUP_LEN] = {0}, last_y[4 * GROUP_LEN] = {0};
        __builtin_memcpy(last_x, x + 4 * whole, 4 * left);
        __builtin_memcpy(last_y, y + 4 * whole, 4 * left);
        random = random != NULL ? random + whole * c->runs.plan->random_bytes : NULL;
        count_groups(c, last_x, last_y, random, GROUP_LEN);
        c->tally->elements -= GROUP_LEN - left;
        c->tally->exact -= GROUP_LEN - left;
        c->tally->compared -= GROUP_LEN - left;
    }
}

/* Numbers that no run takes, rounded by the general kernels into buffers, counted, and copied out at the end: the input
 * may lie where the results go. n is at most BURST, for which the buffers (4 KiB and 2 KiB of stack) are made. Where
 * results are given there is nothing to round. Sums are rounded to nearest, results as the plan says. */
static NOT_INLINE void do_others(call *c, size_t n)
{
    runs *r = &c->runs;
    const bool to_codes = r->way != FLOAT_WORDS && r->way != BITS_WORDS;
    const size_t bytes = bytes_out(r->way), at = r->at;
    const char *x = r->x + 4 * at;
    if (r->way <= SAME) {
        count_others(c, r->given + 4 * at, n);
        r->at += n;
        return;
    }
    _Alignas(64) char words[4 * BURST], codes[2 * BURST];
    if (to_codes) {
        c->kernels->encode[BNDI_WORDS_32](r->plan, codes, x, NULL, n);
        c->kernels->decode[BNDI_WORDS_32](r->plan, words, codes, n);
    } else {
        c->kernels->round[BNDI_WORDS_32](r->plan, words, x, NULL, n);
    }
    bndi_set_rounding(BND_ROUND_RNE);
    count_others(c, words, n);
    bndi_set_rounding(r->plan->mode_to_set);
    __builtin_memcpy(r->out + bytes * at, to_codes ? codes : words, n * bytes);
    r->at += n;
}

/* May runs of small numbers be made? Not where a lane up to the largest number is doubtful, or where signs matter.
 * Below the least number, modes other than nearest and toward zero can raise a number to it by more than half of it:
 * then the error is not an fp32 number, and such numbers (below `least`) are not for runs. */
static bool is_calm(call *c)
{
    const bndi_plan *plan = c->runs.plan;
    const unsigned mode = plan->rule.rounding;
    const bool halves = mode == BND_ROUND_RNE || mode == BND_ROUND_RNA || mode == BND_ROUND_RTZ;
    if (!c->known) {
        const uint64_t not_tiny = bndi_not_tiny_from(plan, false);
        c->runs.least = halves ? 1 : (uint32_t)plan->least;
        c->runs.not_tiny = (uint32_t)not_tiny;
        c->calm = plan->random_bits == 0 && plan->codec_below == 0 && not_tiny == bndi_not_tiny_from(plan, true);
        c->known = true;
    }
    return c->calm;
}

/* ---- a call ---- */

/* The sums go on from the tally; all else begins at zero. */
static ALWAYS_INLINE void open_call(call *c)
{
    const __m512i zero = _mm512_setzero_si512();
    runs *r = &c->runs;
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        r->sums.error[i] = _mm512_loadu_pd(c->tally->error + 8 * i);
        r->sums.input[i] = _mm512_loadu_pd(c->tally->input + 8 * i);
    }
    r->at = r->in_range = r->zeros = r->gone = r->infinities = 0;
    c->known = c->open = r->quiet = false;
    r->differ = r->tiny = r->largest = zero;
    r->smallest_less_one = _mm512_set1_epi32(-1);
}

/* The sum of the lanes; 16 counts of less than 2^28 fit 32 bits. */
static uint64_t total(__m512i count)
{
    return (uint64_t)(uint32_t)_mm512_reduce_add_epi32(count);
}

/* All counts into the tally: inexact ones of runs are what differed; `to_zero` are the zeros among the results that
 * were none before. `others` is closed first, since its sums are those of before the last runs. */
static ALWAYS_INLINE void close_call(call *c)
{
    bndi_tally *t = c->tally;
    const runs *r = &c->runs;
    const uint64_t differ = total(r->differ);
    if (c->open) {
        close_32(&c->others);
    }
    UNROLL
    for (size_t i = 0; i < 2; i++) {
        _mm512_storeu_pd(t->error + 8 * i, r->sums.error[i]);
        _mm512_storeu_pd(t->input + 8 * i, r->sums.input[i]);
    }
    t->elements += r->in_range;
    t->infinities_in += r->infinities;
    t->compared += r->in_range - r->infinities;
    t->exact += r->in_range - r->infinities - differ;
    t->inexact += differ;
    t->underflows += total(r->tiny);
    t->to_zero += r->gone - r->zeros;
    const uint32_t smallest = _mm512_reduce_min_epu32(r->smallest_less_one) + 1;
    bndi_tally_extremes(t, BNDI_WORDS_32, _mm512_reduce_max_epu32(r->largest), smallest);
}

/* Groups up to `end`, alternating: a run of the present kind; if it ended early, a run of the other kind, if the group
 * suits it; else do_others, twice as many elements each time in a row. */
TARGET static void count_to(call *c, size_t end, bool *small)
{
    runs *r = &c->runs;
    size_t burst = GROUP_LEN, last = r->n; /* single groups ended at `last` */
    open_window(&r->window, r->x + 4 * r->at, end - r->at);
    while (r->at < end) {
        /* A run ends with the array's part, with the room of the byte counters, or with a group that it does not take.
         */
        const size_t from = r->at, left = (end - from) / GROUP_LEN, room = MOST_IN_WINDOW - r->window.groups;
        const size_t most = left < room ? left : room;
        run(r, *small, most);
        r->window.groups += (r->at - from) / GROUP_LEN;
        if (r->window.groups == MOST_IN_WINDOW) {
            empty_window(c->tally, &r->window);
        }
        if (r->at - from == most * GROUP_LEN) {
            continue;
        }
        /* The other kind of run may take what this one did not. */
        if (*small ? r->quiet : is_calm(c)) {
            *small = !*small;
            continue;
        }
        /* Single groups that follow each other come in bursts, so that the general kernels are called less often. */
        burst = r->at == last && burst < BURST ? 2 * burst : GROUP_LEN;
        do_others(c, end - r->at < burst ? end - r->at : burst);
        last = r->at;
    }
    empty_window(c->tally, &r->window);
}

/* A window of the histogram is chosen every ONE_WINDOW groups, as data may drift. The last elements are not a group:
 *
 *   n = 10000   156 groups of 64 in windows of 62, 62 and 32 groups, then do_others with 16 elements */
static NOT_INLINE void count_array(call *c)
{
    runs *r = &c->runs;
    bool small = false;
    open_call(c);
    while (r->n - r->at >= GROUP_LEN) {
        const size_t left = (r->n - r->at) / GROUP_LEN;
        count_to(c, r->at + GROUP_LEN * (left < ONE_WINDOW ? left : ONE_WINDOW), &small);
    }
    if (r->at < r->n) {
        do_others(c, r->n - r->at);
    }
    close_call(c);
}

/* The tally of results that another kernel made; x == y means that nothing was rounded. Other plans than the template's
 * are left to the portable tally. */
void bndi_tally_avx512(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y, const void *random, size_t n)
{
    if (!is_counted_32(plan)) {
        bndi_tally_32(plan, t, x, y, random, n);
        return;
    }
    call c;
    c.kernels = NULL;
    c.tally = t;
    c.random = random;
    c.runs.plan = plan;
    c.runs.x = x;
    c.runs.given = y;
    c.runs.out = NULL;
    c.runs.n = n;
    c.runs.way = x == y ? SAME : GIVEN;
    count_array(&c);
}

/* How the numbers of a plan are rounded in a run, or GIVEN where another kernel must do it. FLOAT steps handle codes by
 * magnitude, so only modes that ignore the sign may make codes; round to odd and random bits have no step here.
 * BITS_HALVES needs drop 16: the upper half of the word is then the code. A step needs a bit to drop: fp32 to itself
 * has none. */
static way way_of(const bndi_plan *plan, bool to_codes)
{
    const unsigned mode = plan->rule.rounding;
    if (!is_counted_32(plan) || plan->plain_low != 0 || plan->random_bits > 0 || plan->drop == 0 ||
        (to_codes && plan->code_shift != 0)) {
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
        return !to_codes ? BITS_WORDS : plan->upper_half ? BITS_HALVES : GIVEN;
    }
    return GIVEN;
}

/* Are rounding and counting one pass for this plan? */
bool bndi_counts_avx512(const bndi_plan *plan, bool to_codes)
{
    return way_of(plan, to_codes) != GIVEN;
}

/* Rounding, storing and counting in one pass. The caller has asked bndi_counts_avx512, so `way` is not GIVEN, and it
 * has set the rounding mode of the plan. */
void bndi_count_avx512(const bndi_kernels *kernels, const bndi_plan *plan, bndi_tally *t, bool to_codes, void *y,
                       const void *x, size_t n)
{
    call c;
    c.kernels = kernels;
    c.tally = t;
    c.random = NULL;
    c.runs.plan = plan;
    c.runs.x = x;
    c.runs.given = NULL;
    c.runs.out = y;
    c.runs.n = n;
    c.runs.way = way_of(plan, to_codes);
    set_rounding(&c.runs.rounding, plan, to_codes);
    count_array(&c);
}
