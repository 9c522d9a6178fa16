/* Results do not depend on the caller's rounding mode, nor on subnormals being flushed by the processor; and both are
 * as they were after a call, the exception flags too. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "expected.h"
#include "tests.h"

enum { COUNT = 900 };

/* What the calls of one format give. */
typedef struct outputs {
    unsigned char codes[8 * COUNT], rounded[8 * COUNT], decoded[8 * COUNT];
    bnd_stats stats;
} outputs;

static void call_all(outputs *out, const bnd_format *f, bool wide, const void *memory, const bnd_array *how,
                     bnd_stats *stats)
{
    bool called = encode_any(wide, out->codes, memory, COUNT, f, how, stats, NULL) == BND_OK;
    called &= round_any(wide, out->rounded, memory, COUNT, f, how, stats, NULL) == BND_OK;
    called &= decode_any(wide, out->decoded, out->codes, COUNT, f, how, NULL) == BND_OK;
    CU_ASSERT(called);
}

/* The sums of the statistics are the caller's arithmetic; nothing else is. */
static bool same_counts(const bnd_stats *a, const bnd_stats *b)
{
    bnd_stats x = *a, y = *b;
    x.squared_error = y.squared_error = x.squared_input = y.squared_input = 0;
    return memcmp(&x, &y, sizeof x) == 0;
}

#if defined(__SSE2__)
enum { FLUSH_AND_DAZ = 0x8040, EXCEPTIONS = 0x3f };

static unsigned control(void)
{
    return _mm_getcsr();
}

static void be_hostile(int rounding)
{
    fesetround(rounding);
    _mm_setcsr((_mm_getcsr() | FLUSH_AND_DAZ) & ~(unsigned)EXCEPTIONS);
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

static void be_hostile(int rounding)
{
    fesetround(rounding);
    feclearexcept(FE_ALL_EXCEPT);
}

static void be_kind(unsigned before)
{
    (void)before;
    fesetround(FE_TONEAREST);
}
#endif

static void check_format(bench *b, const bnd_format *f, bool wide, const bnd_array *how)
{
    static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    unsigned char *memory = memory_of(8 * COUNT);
    outputs *kind = memory_of(sizeof *kind), *hostile = memory_of(sizeof *hostile);
    numbers x = numbers_for(f, wide, COUNT, 51);
    numbers_write(memory, &x);
    call_all(kind, f, wide, memory, how, &kind->stats);
    for (size_t i = 0; i < 3; i++) {
        unsigned before = control();
        memset(hostile, 0, sizeof *hostile);
        be_hostile(roundings[i]);
        unsigned set = control();
        call_all(hostile, f, wide, memory, how, NULL);
        unsigned after = control();
        call_all(hostile, f, wide, memory, how, &hostile->stats);
        int rounding = fegetround();
        be_kind(before);
        bench_note(b, after == set && rounding == roundings[i]);
        bench_note(b, same_counts(&kind->stats, &hostile->stats));
        bench_note(b, memcmp(kind, hostile, offsetof(outputs, stats)) == 0);
    }
    numbers_free(&x);
    free(memory);
    free(kind);
    free(hostile);
}

static void test_hostile(void)
{
    static const char *const names[] = {"fp16", "bf16", "tf32", "e4m3",   "e5m2nosub", "e8m0",
                                        "e2m1", "fp32", "fp64", "e15m48", "dlfloat16", "e6m9"};
    bench b;
    bench_open(&b, "a hostile environment");
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k]);
        for (uint8_t mode = 0; mode < BND_ROUNDINGS; mode++) {
            bnd_array how = {.rule.rounding = mode, .packing = mode % 2, .seed = k};
            check_format(&b, &f, mode % 2 == k % 2, &how);
        }
    }
    bench_close(&b);
}

CU_TestInfo environment_tests[] = {
    {"rounding mode, flushed subnormals, exception flags", test_hostile},
    CU_TEST_INFO_NULL,
};
