/* Where arrays lie: every length, every alignment, and nothing read or written beside them. Each array stands between
 * pages that trap, most often against one of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "pages.h"
#include "tests.h"
#include "tests/support/operands.h"

enum { MOST = 1537 };

/* A call's operands and answers, to take the first n of. */
typedef struct sample {
    const call *c;
    bnd_array how;
    uint64_t *in, *want;
    pages source, target;
} sample;

static sample sample_open(const call *c, const bnd_array *how, size_t most)
{
    sample s = {.c = c, .how = *how, .in = operands_of(c, most, 17), .want = memory_of(most * sizeof *s.want)};
    for (size_t i = 0; i < most; i++) {
        s.want[i] = answer_of(c, s.in[i], how, i);
    }
    s.source = pages_open(most * 8 + 128);
    s.target = pages_open(most * 8 + 128);
    return s;
}

static void sample_close(sample *s)
{
    free(s->in);
    free(s->want);
    pages_close(&s->source);
    pages_close(&s->target);
}

/* Where input and output stand. */
typedef struct place {
    bool in_at_end, out_at_end;
    size_t in_slack, out_slack;
} place;

static void check_place(comparison *b, const sample *s, size_t n, place at, bnd_stats *stats)
{
    const call *c = s->c;
    size_t in_bytes = stored_bytes(&c->in, s->how.packing_in, n);
    size_t out_bytes = stored_bytes(&c->out, s->how.packing_out, n);
    unsigned char *in = pages_place(&s->source, in_bytes, at.in_at_end, at.in_slack);
    unsigned char want_in[8 * MOST], want[8 * MOST];
    put_codes(want_in, &c->in, s->how.packing_in, s->in, n);
    put_codes(want, &c->out, s->how.packing_out, s->want, n);
    memcpy(in, want_in, in_bytes);
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        bnd_array how = s->how;
        how.context = &back_ends_here()->at[i];
        unsigned char *out = pages_place(&s->target, out_bytes, at.out_at_end, at.out_slack);
        bool called = run_call(c, out, in, n, &how, stats) == BND_OK;
        bool right = called && memcmp(out, want, out_bytes) == 0;
        bool whole = pages_untouched(&s->target, out, out_bytes) && pages_untouched(&s->source, in, in_bytes) &&
                     memcmp(in, want_in, in_bytes) == 0;
        if (comparison_note(b, right && whole)) {
            print_question(c, &how);
            printf("%zu elements, in %zu bytes from the %s, out %zu from the %s%s: %s\n", n, at.in_slack,
                   at.in_at_end ? "end" : "front", at.out_slack, at.out_at_end ? "end" : "front",
                   stats != NULL ? ", with statistics" : "", whole ? "wrong codes" : "written outside");
        }
    }
}

/* Lengths from `least` to `most`, against the pages before and behind. */
static void check_lengths(comparison *b, const call *c, const bnd_array *how, size_t least, size_t most,
                          bool with_stats)
{
    sample s = sample_open(c, how, most);
    bnd_stats stats = {0};
    for (size_t n = least; n <= most; n++) {
        check_place(b, &s, n, (place){true, true, 0, 0}, with_stats ? &stats : NULL);
        check_place(b, &s, n, (place){false, n % 2, 0, 0}, with_stats ? &stats : NULL);
    }
    sample_close(&s);
}

/* Up to 200, and around blocks. */
static void test_lengths(void)
{
    static const size_t around[][2] = {{0, 200}, {255, 257}, {510, 514}, {1023, 1025}, {MOST - 1, MOST}};
    comparison b;
    comparison_open(&b, "lengths");
    bnd_format other = format_named("e4m3");
    for (size_t k = 0; k < LAYOUTS * CALLS; k++) {
        if (!in_turn(k % CALLS + k / CALLS, 3)) {
            continue;
        }
        bnd_format f = layout_at(k / CALLS);
        call calls[CALLS];
        calls_of(calls, &f, &other);
        for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
            bnd_array how = {.seed = k};
            how.packing_in = (k / CALLS + k) % 2;
            how.packing_out = k / CALLS % 2;
            check_lengths(&b, &calls[k % CALLS], &how, around[i][0], around[i][1], k % 3 == 0);
            how.packing_in = how.packing_out = BND_PACKING_PACKED;
            how.rule = (bnd_rule){.rounding = BND_ROUND_SR, .random_bits = (uint8_t)(8 << k % 3)};
            check_lengths(&b, &calls[k % CALLS], &how, around[i][0], around[i][1], k % 3 == 1);
        }
    }
    comparison_close(&b);
}

/* Pointers to any byte: every offset from a multiple of 64 for the input, another for the output. */
static void test_misaligned(void)
{
    static const size_t lengths[] = {1, 15, 64, 130, 261};
    comparison b;
    comparison_open(&b, "unaligned pointers");
    bnd_format other = format_named("fp16");
    for (size_t k = 0; k < LAYOUTS; k++) {
        bnd_format f = layout_at(k);
        call calls[CALLS];
        calls_of(calls, &f, &other);
        for (size_t i = 0; i < CALLS; i++) {
            bnd_array how = {.rule.rounding = k % 4 == 0 ? BND_ROUND_SRB : BND_ROUND_RNE};
            how.packing_in = i % 2;
            how.packing_out = i / 2 % 2;
            sample s = sample_open(&calls[i], &how, 261);
            bnd_stats stats = {0};
            for (size_t slack = 0; slack < 64; slack++) {
                size_t n = lengths[(slack + i) % (sizeof lengths / sizeof lengths[0])];
                place at = {slack % 2, slack / 2 % 2, slack, (slack * 23 + i) % 64};
                check_place(&b, &s, n, at, (slack + i) % 5 == 0 ? &stats : NULL);
            }
            sample_close(&s);
        }
    }
    comparison_close(&b);
}

CU_TestInfo place_tests[] = {
    {"lengths, between pages that trap", test_lengths},
    {"unaligned pointers", test_misaligned},
    CU_TEST_INFO_NULL,
};
