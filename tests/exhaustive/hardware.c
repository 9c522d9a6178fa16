/* This machine's processor against the library, in all four directions that IEEE 754 knows, with flags:
 *   F16C        fp32 to fp16; a stratified sample, or with --all every float in every direction
 *   casts       fp64 to fp32, fp32 to fp64, int64 to fp32 and fp64, under fesetround; a stratified sample
 *   operations  add, sub, mul, div, sqrt and fma of fp32 and fp64, on x86-64 with FTZ and with DAZ, too; with --all, a
 *               stratified sample of 10^8 per format
 *               (without it tests/arith/test_hardware.c has a smaller one)
 *
 * Conversions only if the processor is an x86-64, whose NaNs and tininess rule.nan and the default mean; without F16C
 * that part says that it was skipped. Exit status 77 if nothing could be done.
 *
 * Compiled with sample.c, options.c, state.c and pool.c; links the library with its internal names, and libm. No
 * special flags: the one function that needs F16C asks for it itself. */
#include "base/bits.h"
#include "common.h"
#include "sample.h"

#include <binade/codec.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/machine.h"
#include "verify/operands.h"
#include "verify/verify.h"

static const program about = {"hardware", "conversions and operations, compared with the processor", "jsSa", NULL};

enum { PIECE_BITS = 20 };

/* A task: of one family, in one direction, `inputs` cases. */
typedef struct job {
    void (*check)(const request *r, const struct job *j, uint64_t i, outcome *o);
    bnd_format format;
    size_t row; /* of the family's table */
    int direction;
    uint64_t inputs;
} job;

enum { MOST_JOBS = 256 };
typedef struct plan {
    const request *r;
    task tasks[MOST_JOBS];
    job jobs[MOST_JOBS];
    size_t count;
} plan;

static void add_job(plan *p, job j, const char *name, const char *direction)
{
    task *t = &p->tasks[p->count];
    p->jobs[p->count++] = j;
    t->pieces = ((j.inputs - 1) >> PIECE_BITS) + 1;
    snprintf(t->name, sizeof t->name, "%s %s", name, direction);
}

static bnd_format format_called(const char *name)
{
    bnd_format f;
    if (bnd_format_parse(&f, name, NULL) != BND_OK) {
        exit(EXIT_TROUBLE); /* a format of a table below that is gone */
    }
    return f;
}

/* ---- operations ---- */

static const bnd_operation operations[] = {BND_OP_ADD, BND_OP_SUB, BND_OP_MUL, BND_OP_DIV, BND_OP_SQRT, BND_OP_FMA};
enum { OPERATIONS = sizeof operations / sizeof operations[0], OPERANDS = 100000000 };

static void check_operation(const request *r, const job *j, uint64_t i, outcome *o)
{
    const bnd_format *const from[] = {&j->format, &j->format, &j->format};
    uint64_t codes[BND_OPERANDS_MAX] = {0};
    bnd_operation operation = operations[j->row];
    (void)r;
    bndi_stratified_operands(codes, operation, from, 61 + (uint64_t)j->direction, i);
    machine_answer want = machine_operate(operation, j->format.width, codes, j->direction);
    if (!want.known) {
        return;
    }
    bnd_result got = bndi_call_operation(&j->format, operation, codes, machine_rule(j->direction), 0);
    o->checked++;
    if (!machine_agrees(&j->format, got, want)) {
        mismatch(o,
                 "operands 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " give code 0x%" PRIx64 " flags %" PRIu32
                 "; the processor: code 0x%" PRIx64 " flags %" PRIu32,
                 codes[0], codes[1], codes[2], got.code, got.flags, want.code, want.flags);
    }
}

static void list_operations(plan *p, const char *format)
{
    for (size_t i = 0; i < OPERATIONS; i++) {
        for (int direction = 0; direction < MACHINE_DIRECTIONS; direction++) {
            job j = {check_operation, format_called(format), i, direction,
                     OPERANDS / (OPERATIONS * MACHINE_DIRECTIONS) + 1};
            char name[32];
            bnd_rule rule = machine_rule(direction);
            snprintf(name, sizeof name, "%s %s%s", format, bnd_operation_name(operations[i]),
                     rule.flush_in    ? " FTZ DAZ"
                     : rule.flush_out ? " FTZ"
                                      : "");
            add_job(p, j, name, bnd_rounding_name(bnd_rule_rounding(rule)));
        }
    }
}

/* ---- conversions ---- */

#if !defined(__x86_64__) || !defined(__GNUC__)

static void list_conversions(plan *p)
{
    (void)p;
    puts("1 skipped: conversions by an x86-64 processor");
}

#else

#include <cpuid.h>
#include <fenv.h>
#include <immintrin.h>

enum { STRATIFIED = 800000 };

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

/* The processor's conversions; operands through volatile, so that each happens where it is written. */

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
enum { CONVERSIONS = sizeof conversions / sizeof conversions[0] };

static void check_conversion(const request *r, const job *j, uint64_t i, outcome *o)
{
    bnd_rule rule = {.rounding = (uint8_t)directions[j->direction].rounding, .nan = BND_NAN_X86};
    bool every = r->all && conversions[j->row].f16c;
    uint64_t bits = every ? i : conversions[j->row].sample(&j->format, i);
    bnd_result got = conversions[j->row].encode(&j->format, bits, rule);
    answer expected = conversions[j->row].convert(bits, j->direction);
    o->checked++;
    if (got.code != expected.code || (got.flags & HARDWARE_FLAGS) != expected.flags) {
        mismatch(o,
                 "operand 0x%" PRIx64 " gives code 0x%" PRIx64 " flags %" PRIu32 "; the processor: code 0x%" PRIx64
                 " flags %" PRIu32,
                 bits, got.code, got.flags, expected.code, expected.flags);
    }
}

/* F16C's instructions are encoded as AVX's and need what AVX needs of the operating system. */
static bool cpu_has_f16c(void)
{
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

static void list_conversions(plan *p)
{
    bool has_f16c = cpu_has_f16c();
    if (!has_f16c) {
        puts("1 skipped: the processor's F16C");
    }
    for (size_t i = 0; i < CONVERSIONS; i++) {
        for (int direction = 0; direction < DIRECTIONS && (has_f16c || !conversions[i].f16c); direction++) {
            job j = {check_conversion, format_called(conversions[i].row), i, direction,
                     (uint64_t)((double)STRATIFIED * test_scale()) + 1};
            j.inputs = p->r->all && conversions[i].f16c ? UINT64_C(1) << 32 : j.inputs;
            add_job(p, j, conversions[i].name, bnd_rounding_name(directions[direction].rounding));
        }
    }
}

#endif

static void check_piece_of_job(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const plan *p = context;
    const job *j = &p->jobs[index];
    uint64_t end = (piece + 1) << PIECE_BITS;
    for (uint64_t i = piece << PIECE_BITS; i < end && i < j->inputs; i += p->r->stride) {
        j->check(p->r, j, i, o);
    }
}

int main(int argc, char **argv)
{
    static request r;
    static plan p;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    p.r = &r;
    list_conversions(&p);
    if (r.all) {
        list_operations(&p, "fp32");
        list_operations(&p, "fp64");
    }
    return p.count == 0 ? EXIT_SKIPPED : run_tasks(&r, p.tasks, p.count, check_piece_of_job, &p);
}
