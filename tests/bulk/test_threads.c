/* Any number of threads, any back end, any split of the array: the same bits, and the same statistics. The arrays are
 * large enough to be worth threads, and some too large for any cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bulk/bulk.h"
#include "compare.h"
#include "pages.h"
#include "tests.h"

/* What the portable kernels make of an array on one thread, which other tests compare with the codec. */
typedef struct whole {
    const call *c;
    bnd_array how;
    size_t n, bytes;
    unsigned char *in, *want;
    bool counted; /* with statistics */
    bnd_stats stats;
} whole;

static whole whole_open(const call *c, const bnd_array *how, size_t n, bool counted)
{
    static const bnd_context portable = {.backend = BND_BACKEND_PORTABLE, .threads = 1};
    whole w = {.c = c, .how = *how, .n = n, .bytes = stored_bytes(&c->out, how->packing_out, n)};
    w.counted = counted && c->kind != DECODE;
    w.in = many_operands(c, how->packing_in, n, n);
    w.want = memory_of(w.bytes);
    w.how.context = &portable;
    CU_ASSERT_EQUAL(run_call(c, w.want, w.in, n, &w.how, w.counted ? &w.stats : NULL), BND_OK);
    return w;
}

static void whole_close(whole *w)
{
    free(w->in);
    free(w->want);
}

/* The call into memory that ends at a page that traps; in place where it may be. */
static void check_whole(comparison *b, const whole *w, const bnd_context *context, const pages *target, bool with_stats)
{
    bnd_array how = w->how;
    bnd_stats stats = {0};
    bool in_place = w->c->kind == ROUND && context->threads == 2;
    unsigned char *out = target->first + target->room - w->bytes;
    memset(out, FILL, w->bytes);
    if (in_place) {
        memcpy(out, w->in, w->bytes);
    }
    how.context = context;
    bool called = run_call(w->c, out, in_place ? out : w->in, w->n, &how, with_stats ? &stats : NULL) == BND_OK;
    bool same = called && memcmp(out, w->want, w->bytes) == 0;
    bool counted = !with_stats || memcmp(&stats, &w->stats, sizeof stats) == 0;
    bool beside = pages_untouched(target, out, w->bytes);
    if (comparison_note(b, same && counted && beside)) {
        print_question(w->c, &how);
        printf("%zu elements: %s%s%s\n", w->n, same ? "" : "other bits; ", beside ? "" : "written outside; ",
               counted ? "" : "other statistics");
        print_statistics("one", &w->stats);
        print_statistics("got", &stats);
    }
}

/* Two calls, the second part first, each on two threads. Packed codes are cut where a byte begins. */
static void check_split(comparison *b, const whole *w, const bnd_context *context, const pages *target)
{
    const call *c = w->c;
    bnd_array first = w->how, second = w->how;
    bnd_stats stats = {0}, *counts = w->counted ? &stats : NULL;
    size_t cut = w->n / 3 / 8 * 8;
    unsigned char *out = pages_place(target, w->bytes, true, 0);
    first.context = second.context = context;
    second.first += cut;
    bool called =
        run_call(c, out + stored_bytes(&c->out, w->how.packing_out, cut),
                 w->in + stored_bytes(&c->in, w->how.packing_in, cut), w->n - cut, &second, counts) == BND_OK &&
        run_call(c, out, w->in, cut, &first, counts) == BND_OK;
    if (comparison_note(b, called && memcmp(out, w->want, w->bytes) == 0 && statistics_agree(&stats, &w->stats))) {
        print_question(c, &w->how);
        printf("%zu elements in two calls, by %s\n", w->n, context_name(context));
        print_statistics("one", &w->stats);
        print_statistics("two", &stats);
    }
}

/* By the portable kernels, which are slow, on two threads and only where it is asked for; by the others on one, on two
 * or three, and in two calls; with statistics too where the array is counted. */
static void check_array(comparison *b, const whole *w, bool portable_too)
{
    pages target = pages_open(w->bytes);
    for (size_t i = 0; i < back_ends_here()->count; i++) {
        bnd_context one = back_ends_here()->at[i], two = one, some = one;
        bool portable = one.backend == BND_BACKEND_PORTABLE;
        two.threads = 2;
        some.threads = 2 + w->n % 2;
        if (!portable || portable_too) {
            check_whole(b, w, &two, &target, w->counted);
        }
        if (!portable) {
            check_whole(b, w, &one, &target, false);
            check_whole(b, w, &some, &target, false);
            check_split(b, w, &two, &target);
        }
    }
    pages_close(&target);
}

/* As many elements as two threads are not too many for, or three. */
static void test_threads(void)
{
    enum { COUNT = 1 << 19, FORMATS = 6 };
    static const char *const names[FORMATS] = {"fp16", "e4m3", "e2m1", "e3m2", "tf32", "e5m6"};
    comparison b;
    comparison_open(&b, "threads");
    bnd_format other = format_named("bf16");
    for (size_t k = 0; k<FORMATS * CALLS / 2; k += scaled_stride()> 1 ? 7 : 1) {
        bnd_format f = format_named(names[k % FORMATS]);
        size_t group = k / FORMATS, n = COUNT + 31 * k + 5 + (k % 11 == 0 ? COUNT / 2 : 0);
        call calls[CALLS]; /* of which each format takes half */
        calls_of(calls, &f, &other);
        bnd_array how = {.rule.rounding = (uint8_t)(k * 7 % BND_ROUND_COUNT), .seed = k};
        how.packing_in = k % 5 == 4;
        how.packing_out = k % 5 > 2;
        how.rule.random_bits = (uint8_t)(4 + k * 4 % 24);
        how.first = UINT64_MAX / 3 + k;
        whole w = whole_open(&calls[2 * group + (k + group) % 2], &how, n, true);
        check_array(&b, &w, k % 5 == 0);
        whole_close(&w);
    }
    comparison_close(&b);
}

/* So many bytes, read and written, that kernels store past the caches. */
static size_t large_enough(void)
{
    size_t bytes = (size_t)8 << 20;
    while (!bndi_beyond_the_caches(bytes)) {
        bytes *= 2;
    }
    return bytes;
}

static void test_large(void)
{
    comparison b;
    comparison_open(&b, "large arrays");
    bnd_format fp16 = format_named("fp16"), e4m3 = format_named("e4m3"), e2m1 = format_named("e2m1");
    const call calls[] = {encode_call(&fp16, false), encode_call(&e4m3, false), round_call(&e4m3, false),
                          decode_call(&e4m3, false), decode_call(&e2m1, false)};
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
        bnd_array how = {.rule = {.rounding = k == 1 ? BND_ROUND_SR : BND_ROUND_RNE, .random_bits = 8}};
        size_t bytes =
            stored_bytes(&calls[k].in, BND_PACKING_PACKED, 1) + stored_bytes(&calls[k].out, BND_PACKING_PACKED, 1);
        /* Results that begin within a line; of two codes a byte, one of them. */
        bytes = k == 4 ? 4 : bytes;
        whole w = whole_open(&calls[k], &how, large_enough() / bytes + 1013, false);
        check_array(&b, &w, k == 0);
        whole_close(&w);
    }
    comparison_close(&b);
}

CU_TestInfo thread_tests[] = {
    {"threads, splits, back ends", test_threads},
    {"large arrays", test_large},
    CU_TEST_INFO_NULL,
};
