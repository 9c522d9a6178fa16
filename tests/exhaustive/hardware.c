/* The codec against this machine's processor, in all four directions that IEEE 754 knows, with flags:
 *   F16C    fp32 to fp16; a stratified choice, or with --all every float in every direction
 *   casts   fp64 to fp32, fp32 to fp64, int64 to fp32 and fp64, under fesetround; a stratified choice
 *
 * Only where the processor is an x86-64, whose NaNs and tininess rule.nan and the default stand for; without F16C that
 * part says that it was skipped. Exit status 77 where nothing could be done.
 *
 * Compiled with sample.c, options.c, state.c and pool.c; links the library and libm. No special flags: the one function
 * that needs F16C asks for it itself. */
#include "base/bits.h"
#include "common.h"
#include "sample.h"

#include <binade/codec.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__x86_64__) || !defined(__GNUC__)

int main(void)
{
    puts("1 skipped: an x86-64 processor");
    return EXIT_SKIPPED;
}

#else

#include <cpuid.h>
#include <fenv.h>
#include <immintrin.h>

static const program about = {"hardware", "conversions, the codec against the processor", "jsSa", NULL};

enum { STRATIFIED = 800000, PIECE_BITS = 20 };

/* ---- directions and flags ---- */

static const struct {
    bnd_rounding rounding;
    int fenv, f16c;
} directions[] = {
    {BND_ROUND_RNE, FE_TONEAREST, _MM_FROUND_TO_NEAREST_INT},
    {BND_ROUND_RTZ, FE_TOWARDZERO, _MM_FROUND_TO_ZERO},
    {BND_ROUND_RUP, FE_UPWARD, _MM_FROUND_TO_POS_INF},
    {BND_ROUND_RDN, FE_DOWNWARD, _MM_FROUND_TO_NEG_INF},
};
enum { DIRECTIONS = sizeof directions / sizeof directions[0] };

/* saturated and flushed are this library's own. */
enum { HARDWARE_FLAGS = BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW | BND_FLAG_OVERFLOW | BND_FLAG_INVALID };

static uint32_t flags_of_fenv(int raised)
{
    return (raised & FE_INVALID ? BND_FLAG_INVALID : 0u) | (raised & FE_OVERFLOW ? BND_FLAG_OVERFLOW : 0u) |
           (raised & FE_UNDERFLOW ? BND_FLAG_UNDERFLOW : 0u) | (raised & FE_INEXACT ? BND_FLAG_INEXACT : 0u);
}

/* What the processor makes of a number: a code, and flags. */
typedef struct answer {
    uint64_t code;
    uint32_t flags;
} answer;

/* ---- the processor's conversions; operands through volatile, so that each happens where it is written ---- */

#define F16C __attribute__((target("f16c")))

F16C static answer half_by_f16c(uint64_t bits, int direction)
{
    __m128 x = _mm_castsi128_ps(_mm_cvtsi32_si128((int)(uint32_t)bits));
    volatile int code;
    _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK);
    switch (directions[direction].f16c) { /* the direction is part of the instruction */
    case _MM_FROUND_TO_NEAREST_INT:
        code = _mm_cvtsi128_si32(_mm_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
        break;
    case _MM_FROUND_TO_ZERO:
        code = _mm_cvtsi128_si32(_mm_cvtps_ph(x, _MM_FROUND_TO_ZERO));
        break;
    case _MM_FROUND_TO_POS_INF:
        code = _mm_cvtsi128_si32(_mm_cvtps_ph(x, _MM_FROUND_TO_POS_INF));
        break;
    default:
        code = _mm_cvtsi128_si32(_mm_cvtps_ph(x, _MM_FROUND_TO_NEG_INF));
    }
    unsigned raised = _mm_getcsr();
    uint32_t flags = (raised & _MM_EXCEPT_INVALID ? BND_FLAG_INVALID : 0u) |
                     (raised & _MM_EXCEPT_OVERFLOW ? BND_FLAG_OVERFLOW : 0u) |
                     (raised & _MM_EXCEPT_UNDERFLOW ? BND_FLAG_UNDERFLOW : 0u) |
                     (raised & _MM_EXCEPT_INEXACT ? BND_FLAG_INEXACT : 0u);
    return (answer){(uint64_t)code & 0xffff, flags};
}

/* The code of `to` that a cast of the operand gives. */
#define CAST(function, from_type, to_type, code_type)                                                                  \
    static answer function(uint64_t bits, int direction)                                                               \
    {                                                                                                                  \
        from_type operand;                                                                                             \
        memcpy(&operand, &bits, sizeof operand); /* the low bytes come first on this processor */                      \
        volatile from_type x = operand;                                                                                \
        fesetround(directions[direction].fenv);                                                                        \
        feclearexcept(FE_ALL_EXCEPT);                                                                                  \
        volatile to_type result = (to_type)x;                                                                          \
        uint32_t flags = flags_of_fenv(fetestexcept(FE_ALL_EXCEPT));                                                   \
        fesetround(FE_TONEAREST);                                                                                      \
        to_type y = result;                                                                                            \
        code_type code;                                                                                                \
        memcpy(&code, &y, sizeof code);                                                                                \
        return (answer){code, flags};                                                                                  \
    }
CAST(float_of_double, double, float, uint32_t)
CAST(double_of_float, float, double, uint64_t)
CAST(float_of_integer, int64_t, float, uint32_t)
CAST(double_of_integer, int64_t, double, uint64_t)

/* ---- the codec's ---- */

static bnd_result encode_float(const bnd_format *f, uint64_t bits, bnd_rule rule)
{
    return bnd_encode_float(f, bndi_float_of_bits((uint32_t)bits), rule, 0);
}

static bnd_result encode_double(const bnd_format *f, uint64_t bits, bnd_rule rule)
{
    return bnd_encode(f, bndi_double_of_bits(bits), rule, 0);
}

static bnd_result encode_integer(const bnd_format *f, uint64_t bits, bnd_rule rule)
{
    return bnd_encode_int64(f, (int64_t)bits, rule, 0);
}

static uint64_t any_float(const bnd_format *row, uint64_t i)
{
    return sample_float(row, i);
}

static uint64_t any_double(const bnd_format *row, uint64_t i)
{
    (void)row;
    return sample_double(i);
}

static uint64_t any_integer(const bnd_format *row, uint64_t i)
{
    (void)row;
    return (uint64_t)sample_integer(i);
}

/* ---- the table of checks ---- */

static const struct {
    const char *name, *row;
    uint64_t (*sample)(const bnd_format *row, uint64_t i);
    bnd_result (*encode)(const bnd_format *f, uint64_t bits, bnd_rule rule);
    answer (*convert)(uint64_t bits, int direction);
    bool f16c; /* its operands are all floats under --all */
} conversions[] = {
    {"F16C fp32 to fp16", "fp16", any_float, encode_float, half_by_f16c, true},
    {"cast fp64 to fp32", "fp32", any_double, encode_double, float_of_double, false},
    {"cast fp32 to fp64", "fp64", any_float, encode_float, double_of_float, false},
    {"cast int64 to fp32", "fp32", any_integer, encode_integer, float_of_integer, false},
    {"cast int64 to fp64", "fp64", any_integer, encode_integer, double_of_integer, false},
};
enum { CONVERSIONS = sizeof conversions / sizeof conversions[0], TASKS = CONVERSIONS * DIRECTIONS };

typedef struct plan {
    const request *r;
    task tasks[TASKS];
    int conversion[TASKS], direction[TASKS];
    uint64_t inputs[TASKS];
    size_t count;
} plan;

static void check_conversions(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const plan *p = context;
    int which = p->conversion[index], direction = p->direction[index];
    bnd_format row;
    if (bnd_format_parse(&row, conversions[which].row, NULL) != BND_OK) {
        exit(EXIT_TROUBLE); /* a row of the table that is gone */
    }
    bnd_rule rule = {.rounding = (uint8_t)directions[direction].rounding, .nan = BND_NAN_X86};
    bool every = p->r->all && conversions[which].f16c;
    uint64_t end = (piece + 1) << PIECE_BITS;
    for (uint64_t i = piece << PIECE_BITS; i < end && i < p->inputs[index]; i += p->r->stride) {
        uint64_t bits = every ? i : conversions[which].sample(&row, i);
        bnd_result got = conversions[which].encode(&row, bits, rule);
        answer expected = conversions[which].convert(bits, direction);
        o->checked++;
        if (got.code != expected.code || (got.flags & HARDWARE_FLAGS) != expected.flags) {
            mismatch(o,
                     "operand 0x%" PRIx64 " gives code 0x%" PRIx64 " flags %" PRIu32 "; the processor: code 0x%" PRIx64
                     " flags %" PRIu32,
                     bits, got.code, got.flags, expected.code, expected.flags);
        }
    }
}

static void list_tasks(plan *p, bool has_f16c)
{
    for (int i = 0; i < TASKS; i++) {
        int which = i / DIRECTIONS, direction = i % DIRECTIONS;
        if (conversions[which].f16c && !has_f16c) {
            continue;
        }
        size_t t = p->count++;
        p->conversion[t] = which;
        p->direction[t] = direction;
        p->inputs[t] = (uint64_t)((double)STRATIFIED * test_scale()) + 1;
        if (p->r->all && conversions[which].f16c) {
            p->inputs[t] = UINT64_C(1) << 32;
        }
        p->tasks[t].pieces = ((p->inputs[t] - 1) >> PIECE_BITS) + 1;
        snprintf(p->tasks[t].name, sizeof p->tasks[t].name, "%s %s", conversions[which].name,
                 bnd_rounding_name(directions[direction].rounding));
    }
}

/* F16C's instructions are encoded as AVX's and need what AVX needs of the operating system. */
static bool cpu_has_f16c(void)
{
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

int main(int argc, char **argv)
{
    static request r;
    static plan p;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    bool has_f16c = cpu_has_f16c();
    if (!has_f16c) {
        puts("1 skipped: the processor's F16C");
    }
    p.r = &r;
    list_tasks(&p, has_f16c);
    return run_tasks(&r, p.tasks, p.count, check_conversions, &p);
}

#endif
