/* Results do not depend on the caller's rounding mode, nor on subnormals being flushed by the processor; no exception
 * is trapped where the caller would have it trapped; and all of that is as it was after a call, the exception flags
 * too. On other threads the same: a thread that is hostile from the start has workers that are. */
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "operations.h"
#include "tests.h"

/* ---- environments ---- */

#if defined(__SSE2__)
enum { FLUSH_AND_DAZ = 0x8040, MASKS = 0x1f80 };

static unsigned control(void)
{
    return _mm_getcsr();
}

/* Rounding, flushing, traps and flags in all combinations of two. */
static void be_hostile(unsigned kind)
{
    static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    static const unsigned flags[] = {0, 0x3f, 0x25};
    fesetround(roundings[kind % 4]);
    unsigned set = _mm_getcsr() & ~(unsigned)(MASKS | FLUSH_AND_DAZ | 0x3f);
    set |= kind % 2 == 0 || kind == 3 ? FLUSH_AND_DAZ : 0;
    set |= kind % 3 == 2 ? MASKS : 0;
    _mm_setcsr(set | flags[kind / 4 % 3]);
}

static void be_kind(unsigned before)
{
    fesetround(FE_TONEAREST);
    _mm_setcsr(before);
}
#else
static unsigned control(void)
{
    return (unsigned)fegetround() << 8 | (unsigned)fetestexcept(FE_ALL_EXCEPT);
}

static void be_hostile(unsigned kind)
{
    static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    fesetround(roundings[kind % 4]);
    feclearexcept(FE_ALL_EXCEPT);
}

static void be_kind(unsigned before)
{
    (void)before;
    fesetround(FE_TONEAREST);
}
#endif
enum { HOSTILE_KINDS = 12 };

/* ---- calls ---- */

/* What a call gives in a kind environment, computed once, and room for what it gives in others. */
typedef struct scene {
    const call *c;
    bnd_array how;
    size_t n, bytes;
    unsigned char *in, *want, *got;
    bnd_stats stats;
} scene;

static scene scene_open(const call *c, const bnd_array *how, size_t n)
{
    scene s = {.c = c, .how = *how, .n = n, .bytes = stored_bytes(&c->out, how->packing_out, n)};
    s.in = many_operands(c, how->packing_in, n, 51);
    s.want = memory_of(s.bytes);
    s.got = memory_of(s.bytes);
    bnd_context portable = {.backend = BND_BACKEND_PORTABLE, .threads = 1};
    s.how.context = &portable;
    CU_ASSERT_EQUAL(run_call(c, s.want, s.in, n, &s.how, &s.stats), BND_OK);
    return s;
}

static void scene_close(scene *s)
{
    free(s->in);
    free(s->want);
    free(s->got);
}

/* Once without statistics, and once with them. The sums are the same to the last bit: they are not the caller's
 * arithmetic. */
static void check_scene(comparison *b, scene *s, const bnd_context *context, unsigned kind)
{
    s->how.context = context;
    for (int with_stats = 0; with_stats < 2; with_stats++) {
        bnd_stats stats = {0};
        memset(s->got, 0x5a, s->bytes);
        unsigned before = control();
        be_hostile(kind);
        unsigned set = control();
        int rounding = fegetround();
        bool called = run_call(s->c, s->got, s->in, s->n, &s->how, with_stats ? &stats : NULL) == BND_OK;
        unsigned after = control();
        bool as_it_was = after == set && fegetround() == rounding;
        be_kind(before);
        bool same = called && memcmp(s->got, s->want, s->bytes) == 0;
        bool counted = !with_stats || memcmp(&stats, &s->stats, sizeof stats) == 0;
        if (comparison_note(b, as_it_was && same && counted)) {
            print_question(s->c, &s->how);
            printf("environment %u (0x%x): %s%s%s\n", kind, set, same ? "" : "other bits; ",
                   counted ? "" : "other statistics; ", as_it_was ? "" : "the environment is not as it was");
            print_statistics("kind", &s->stats);
            print_statistics("now", &stats);
        }
    }
}

static void test_hostile(void)
{
    static const char *const names[] = {"fp16", "bf16", "tf32", "e4m3",   "e5m2nosub", "e8m0",
                                        "e2m1", "fp32", "fp64", "e15m48", "dlfloat16", "e6m9"};
    comparison b;
    comparison_open(&b, "a hostile environment");
    bnd_format other = format_named("e5m2");
    for (size_t k = 0; k < BND_ROUND_COUNT * sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k / BND_ROUND_COUNT]);
        call calls[CALLS];
        calls_of(calls, &f, &other);
        for (size_t i = 0; i < CALLS; i++) {
            bnd_array how = {.rule.rounding = (uint8_t)(k % BND_ROUND_COUNT), .seed = k};
            how.packing_in = k % 2;
            how.packing_out = k / 2 % 2;
            how.rule.random_bits = (uint8_t)(k % 7 * 8);
            scene s = scene_open(&calls[i], &how, 900);
            for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
                check_scene(&b, &s, &back_ends_here()->at[(kind + k) % back_ends_here()->count], kind);
            }
            scene_close(&s);
        }
    }
    comparison_close(&b);
}

/* ---- operations ---- */

/* In a hostile environment what is owed in any, by every back end. */
static void check_operation(comparison *b, const question *q, uint64_t seed)
{
    exercise s = exercise_of(q, 1500, seed, NULL);
    const size_t bytes = exercise_bytes(&s, s.n);
    unsigned char *want = memory_of(bytes), *got = memory_of(bytes);
    put_codes(want, &s.out, BND_PACKING_PACKED, s.want, s.n);
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
        bnd_array how = q->how;
        bnd_stats stats = {0};
        how.context = &back_ends_here()->at[(kind + seed) % back_ends_here()->count];
        bool counted = kind % 4 == 1;
        unsigned before = control();
        be_hostile(kind);
        unsigned set = control();
        bool called = run_exercise(&s, got, s.n, &how, counted ? &stats : NULL, NULL) == BND_OK;
        bool as_it_was = control() == set;
        be_kind(before);
        bool right = called && memcmp(got, want, bytes) == 0;
        bool same = !counted || memcmp(&stats, &s.stats, sizeof stats) == 0;
        if (comparison_note(b, right && same && as_it_was)) {
            print_exercise(&s, &how);
            printf("environment %u (0x%x): %s%s%s\n", kind, set, right ? "" : "other bits; ",
                   same ? "" : "other statistics; ", as_it_was ? "" : "the environment is not as it was");
        }
    }
    free(want);
    free(got);
    exercise_close(&s);
}

static void check_sum(comparison *b, const bnd_format *f, uint8_t rounding)
{
    enum { COUNT = 100 };
    float x[COUNT], want[BND_SUM_COUNT], got;
    bnd_array how = {.rule.rounding = rounding};
    bnd_operand operand = {.data = x};
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (float)(bnd_random(7, 0, i) >> 40) * 0x1p-20F - 5;
    }
    for (unsigned way = 0; way < BND_SUM_COUNT; way++) {
        CU_ASSERT_EQUAL(bnd_sum_f32(&want[way], (bnd_summation)way, &operand, COUNT, f, &how, NULL), BND_OK);
        for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
            unsigned before = control();
            be_hostile(kind);
            unsigned set = control();
            bnd_status status = bnd_sum_f32(&got, (bnd_summation)way, &operand, COUNT, f, &how, NULL);
            bool as_it_was = control() == set;
            be_kind(before);
            if (comparison_note(b, status == BND_OK && as_it_was && memcmp(&got, &want[way], sizeof got) == 0)) {
                printf("    a sum in way %u, rounded to %s, in environment %u\n", way, f->name, kind);
            }
        }
    }
}

static void test_hostile_operations(void)
{
    static const char *const names[] = {"fp16", "bf16", "e4m3", "fp32", "e6m9", "fp64"};
    static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_MUL, BND_OP_DIV, BND_OP_FMA, BND_OP_SQRT, BND_OP_MAX};
    enum { OPERATIONS = sizeof operations / sizeof operations[0] };
    comparison b;
    comparison_open(&b, "operations in a hostile environment");
    for (size_t k = 0; k < sizeof names / sizeof names[0] * OPERATIONS; k++) {
        bnd_format f = format_named(names[k / OPERATIONS]);
        question q = question_of(operations[k % OPERATIONS], k % 4 == 3 ? TO_FLOATS : TO_CODES, &f, &f, 0);
        q.how.rule = (bnd_rule){.rounding = (uint8_t)(k * 3 % BND_ROUND_COUNT), .random_bits = 6};
        check_operation(&b, &q, k);
        q.how.rule = (bnd_rule){.rounding = BND_ROUND_RNE};
        check_operation(&b, &q, k);
        check_sum(&b, &f, (uint8_t)(k % BND_ROUND_COUNT));
    }
    comparison_close(&b);
}

/* ---- threads ---- */

enum { MANY = (1 << 19) + 77 }; /* what two threads are not too many for */

/* One kind of environment, in a thread that has no workers yet. */
typedef struct visit {
    comparison *b;
    unsigned kind;
} visit;

static void *visit_all(void *context)
{
    static const char *const names[] = {"fp16", "e4m3", "e2m1", "e6m9"};
    const visit *v = context;
    unsigned before = control();
    be_hostile(v->kind);
    bnd_format other = format_named("bf16");
    be_kind(before);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k]);
        call calls[CALLS];
        calls_of(calls, &f, &other);
        for (size_t i = (v->kind + k) % 4; i<CALLS; i += scaled_stride()> 1 ? 8 : 4) {
            bnd_array how = {.rule = {.rounding = (uint8_t)((k + i + v->kind) % BND_ROUND_COUNT), .random_bits = 16}};
            scene s = scene_open(&calls[i], &how, MANY);
            bnd_context two = back_ends_here()->at[(k + i / 2) % back_ends_here()->count];
            two.threads = 2;
            check_scene(v->b, &s, &two, v->kind);
            scene_close(&s);
        }
    }
    return NULL;
}

static void test_hostile_threads(void)
{
    comparison b;
    comparison_open(&b, "hostile threads");
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind += 3) {
        visit v = {.b = &b, .kind = kind};
        pthread_t thread;
        CU_ASSERT_EQUAL(pthread_create(&thread, NULL, visit_all, &v), 0);
        CU_ASSERT_EQUAL(pthread_join(thread, NULL), 0);
    }
    comparison_close(&b);
}

/* Adding statistics: a subnormal number is the smallest, and a sum is rounded to nearest even. */
static void test_hostile_statistics(void)
{
    const unsigned before = control();
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
        bnd_stats sum = {.elements = 1, .smallest = 1, .squared_error = 1};
        const bnd_stats more = {.elements = 1, .smallest = 0x1p-1060, .squared_error = 0x1p-60};
        be_hostile(kind);
        const unsigned set = control();
        bnd_stats_add(&sum, &more);
        const bool as_it_was = control() == set;
        be_kind(before);
        CU_ASSERT_TRUE(as_it_was && sum.elements == 2);
        CU_ASSERT_TRUE(sum.smallest <= 0x1p-1060 && sum.smallest > 0);
        CU_ASSERT_TRUE(sum.squared_error >= 1 && sum.squared_error <= 1);
    }
}

CU_TestInfo environment_tests[] = {
    {"rounding mode, flushed subnormals, traps, exception flags", test_hostile},
    {"the same for operations", test_hostile_operations},
    {"the same on threads", test_hostile_threads},
    {"statistics are added", test_hostile_statistics},
    CU_TEST_INFO_NULL,
};
