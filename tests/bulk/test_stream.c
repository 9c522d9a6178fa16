/* Stores past the caches. The calls make them for arrays that no cache holds, which these tests do not have on every
 * machine (tests/exhaustive/large.c has); here the kernels themselves are asked to, and must write what they write
 * otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bulk/bulk.h"
#include "bulk/environment.h"
#include "compare.h"
#include "pages.h"
#include "tests.h"

enum { MOST = 700 };

/* A kernel's operands, and two places for what it makes of them; the second begins with a line of the cache, as plans
 * that stream promise, and behind a page that traps. */
typedef struct bed {
    const call *c;
    bndi_plan plan;
    bndi_kernels kernels;
    unsigned char *in, *want;
    size_t bytes; /* of a result */
    pages target;
} bed;

static void run_kernel(const bed *b, void *out, size_t n)
{
    bndi_environment before = bndi_enter(b->plan.mode_to_set);
    bndi_width width = b->plan.width;
    switch (b->c->kind) {
    case ROUND:
        b->kernels.round[width](&b->plan, out, b->in, NULL, n);
        break;
    case ENCODE:
        b->kernels.encode[width](&b->plan, out, b->in, NULL, n);
        break;
    default:
        b->kernels.decode[width](&b->plan, out, b->in, n);
        break;
    }
    bndi_leave(before);
}

static void check_stream(comparison *b, bed *s, size_t n, size_t slack, const bnd_array *how)
{
    unsigned char *out = pages_place(&s->target, s->bytes * n, false, slack);
    s->plan.stream = false;
    memset(s->want, 0, s->bytes * MOST);
    run_kernel(s, s->want, n);
    s->plan.stream = true;
    run_kernel(s, out, n);
    bool same = memcmp(out, s->want, s->bytes * n) == 0;
    if (comparison_note(b, same && pages_untouched(&s->target, out, s->bytes * n))) {
        print_question(s->c, how);
        printf("%zu elements past the caches: %s\n", n, same ? "written outside" : "other bits");
    }
}

static void check_kernel(comparison *b, const call *c, const bnd_array *how)
{
    bndi_width width = c->wide ? BNDI_WORDS_64 : BNDI_WORDS_32;
    bed s = {
        .c = c, .kernels = bnd_lab_kernels_of(how->context), .in = memory_of(8 * MOST), .want = memory_of(8 * MOST)};
    uint64_t *operands = operands_of(c, MOST, 3);
    const bnd_format *codes = c->kind == DECODE ? &c->in : &c->out;
    put_codes(s.in, &c->in, BND_PACKING_PACKED, operands, MOST);
    bndi_plan_make(&s.plan, width, &c->f, how->rule);
    if (c->kind != ROUND) {
        bndi_plan_codes(&s.plan, stored_bits(codes, BND_PACKING_PACKED) / 8, stored_shift(codes, BND_PACKING_PACKED));
    }
    s.bytes = stored_bits(&c->out, BND_PACKING_PACKED) / 8;
    s.target = pages_open(8 * MOST + 128);
    for (size_t n = 0; n <= MOST; n += n < 300 ? 1 : 50) {
        check_stream(b, &s, n, n % 3 * 64, how);
    }
    pages_close(&s.target);
    free(operands);
    free(s.in);
    free(s.want);
}

/* Formats whose codes are whole words. */
static void test_streams(void)
{
    static const char *const names[] = {"e4m3", "fp16", "bf16", "tf32", "e8m0", "e5m2nosub", "fp32"};
    comparison b;
    comparison_open(&b, "past the caches");
    for (size_t k = 0; k < back_ends_here()->count * sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k / back_ends_here()->count]);
        call calls[CALLS];
        calls_of(calls, &f, &f);
        for (size_t i = 0; i < 6; i++) { /* of f, not of a pair of formats */
            bnd_array how = {.context = &back_ends_here()->at[k % back_ends_here()->count]};
            how.rule.rounding = (uint8_t)((k + i) % BND_ROUND_DETERMINISTIC_COUNT);
            if (bnd_lab_words_hold(calls[i].wide ? BNDI_WORDS_64 : BNDI_WORDS_32, &f)) {
                check_kernel(&b, &calls[i], &how);
            }
        }
    }
    comparison_close(&b);
}

/* The formats of words are the built-in ones. tests/format compares those with what a layout gives. */
static void test_words(void)
{
    CU_ASSERT_PTR_EQUAL(bnd_lab_format_of_words(BNDI_WORDS_32), bnd_format_at(BND_FORMAT_FP32));
    CU_ASSERT_PTR_EQUAL(bnd_lab_format_of_words(BNDI_WORDS_64), bnd_format_at(BND_FORMAT_FP64));
}

CU_TestInfo stream_tests[] = {
    {"past the caches", test_streams},
    {"the words' own formats", test_words},
    CU_TEST_INFO_NULL,
};
