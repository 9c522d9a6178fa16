/* All of an array's whole groups, for tally_template.h with AVX2. Where x and y are the same words, which fp32's casts
 * to fp32 are, nothing is rounded: no error, no flag. Then NAME(count_front) counts as far as numbers are normal and in
 * range, in a loop without state in memory:
 *
 *   groups of 32     plain  plain  plain  a zero  plain ...
 *                    count_front ....... | open, count, close */

/* Unchanged words up to the first group that is not plain, or to n; how many these are. They have no flag, so that
 * their sums and extremes stay in registers, and nothing but these need be opened and closed: a call is short, 2,048
 * numbers where a tensor is walked. Their bins are counted as those of all groups are. */
static ALWAYS_INLINE size_t NAME(count_front)(const bndi_plan *plan, bndi_tally *t, const char *x, size_t n)
{
    const V magnitude = NAME(all)((WORD)-1 >> 1), normal = NAME(all)(plan->normal), max = NAME(all)(plan->max);
    uint8_t bins[BNDI_BIN_BATCH];
    __m256d squares[4];
    V largest = NAME(all)(0), smallest = magnitude;
    size_t at = 0, held = 0;
    for (size_t i = 0; i < 4; i++) {
        squares[i] = _mm256_loadu_pd(t->input + 4 * i);
    }
    for (; at < n; at += GROUP_LEN) {
        NAME(group) g;
        const char *in = x + sizeof(WORD) * at;
        NAME(load_group)(true, &g, in, in, magnitude);
        if (NAME(any)(NAME(below)(max, g.largest) | NAME(below)(g.smallest, normal))) {
            break;
        }
        NAME(fetch_ahead)(true, in, in);
        NAME(put_bins)(bins + held, g.u);
        UNROLL
        for (size_t i = 0; i < VECTORS; i++) {
            UNROLL
            for (size_t j = 0; j < PARTS; j++) {
                const size_t lanes = (i * PARTS + j) % 4;
                squares[lanes] = NAME(with_square)(squares[lanes], NAME(widened_at)(in + BYTES * i, j));
            }
        }
        largest = NAME(larger)(largest, g.largest);
        smallest = NAME(smaller)(smallest, g.smallest);
        held += GROUP_LEN;
        if (held == BNDI_BIN_BATCH) {
            NAME(count_batch)(t, bins);
            held = 0;
        }
    }
    for (size_t i = 0; i < 4; i++) {
        _mm256_storeu_pd(t->input + 4 * i, squares[i]);
    }
    for (size_t i = 0; i < held; i++) {
        t->bins[bins[i]]++;
    }
    t->elements += at;
    t->exact += at;
    t->compared += at;
    NAME(put_extremes)(plan, t, largest, smallest);
    return at;
}

/* x was rounded to y: counts whole groups where the plan allows it. Returns how many of the n elements these are. */
static ALWAYS_INLINE size_t NAME(tally_groups)(const bndi_plan *plan, bndi_tally *t, const void *x, const void *y,
                                               const void *random, size_t n)
{
    const size_t whole = NAME(is_counted)(plan) ? n - n % GROUP_LEN : 0;
    const size_t front = x == y ? NAME(count_front)(plan, t, x, whole) : 0;
    const char *in = (const char *)x + sizeof(WORD) * front;
    uint8_t bins[BNDI_BIN_BATCH];
    NAME(state) s;
    if (front < whole) {
        NAME(open)(&s, plan, t, bins);
        if (x == y) {
            NAME(count)(true, &s, in, in, random_after(plan, random, front), whole - front);
        } else {
            NAME(count)(false, &s, x, y, random, whole);
        }
        NAME(close)(&s);
    }
    return whole;
}
