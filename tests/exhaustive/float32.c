/* All 2^32 floats into a row, in each deterministic mode: code, flags and ternary value of the codec against the
 * oracle.
 *
 * The oracle is far too slow to be asked 2^32 times, and need not be: between two floats of one sign to which it gives
 * the same answer, it would give that answer to every float. Take the answers at two magnitudes, and a number between:
 *   - The code. Rounding is monotonic in every mode, and overflow takes over above one threshold; both ends have the
 *     same code, so the number between has it too.
 *   - The ternary value. It is the sign of (value of that code - number), monotonic in the number, and 0
 *     throughout where the code is a NaN's.
 *   - Each flag. Inexact is decided by the ternary value, and by overflow where that gives a NaN. Overflow and
 *     saturated begin at a threshold and never end; tiny, and with it underflow, ends at one and never comes back.
 *     Flushed means a nonzero number and a code of zero. Invalid belongs to zero itself (a row without a zero), to
 *     every number below zero (a row without a sign), or to no finite number. Each is monotonic, so equal at both
 *     ends means equal between.
 * Exact points need no care of their own: left and right of a value the ternary values differ, so that an interval
 * whose ends agree has none inside, or is one. An interval whose ends disagree is halved until they agree or nothing is
 * left between them. NaNs and infinities have no order: the oracle is asked for each.
 *
 * Compiled with options.c, state.c and pool.c; links the library (no internal names), MPFR, GMP. */
#include <binade/codec.h>
#include <binade-lab/oracle.h>

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "common.h"

static const program about = {"float32", "every float into a row, the codec against thresholds of the oracle", "rmojsS",
                              "fp16,bf16,tf32,e4m3,e5m2,e2m1"};

/* A piece is a range of this many consecutive bit patterns, and of one sign. */
enum { PIECE_BITS = 22, PIECES = 1 << (32 - PIECE_BITS) };
static const uint32_t INFINITE = 0x7f800000, SIGN = 0x80000000;

typedef struct plan {
    const request *r;
    task *tasks;
} plan;

/* One row in one mode, and what was found of it. */
typedef struct check {
    bnd_format row;
    bnd_rule rule;
    uint64_t stride;
    outcome *o;
} check;

static check check_of(const plan *p, size_t index, outcome *o)
{
    const request *r = p->r;
    return (check){
        .row = r->rows[index / r->mode_count],
        .rule = {.rounding = (uint8_t)r->modes[index % r->mode_count], .overflow = (uint8_t)r->overflow},
        .stride = r->stride,
        .o = o,
    };
}

/* The same number as a double, a signaling NaN left as it is, which a cast would not do. */
static double widened(uint32_t bits)
{
    uint64_t wide;
    double x;
    float narrow;
    if ((bits & ~SIGN) > INFINITE) {
        wide = (uint64_t)(bits & SIGN) << 32 | UINT64_C(0x7ff0000000000000) | (uint64_t)(bits & 0x7fffff) << 29;
        memcpy(&x, &wide, sizeof x);
        return x;
    }
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

static bnd_result answer_to(const check *c, uint32_t bits)
{
    return bnd_oracle_encode(&c->row, widened(bits), c->rule, 0);
}

static bool same(bnd_result a, bnd_result b)
{
    return a.code == b.code && a.flags == b.flags && a.ternary == b.ternary;
}

static void compare(const check *c, uint32_t bits, bnd_result expected)
{
    float x = bndi_float_of_bits(bits);
    bnd_result got = bnd_encode_float(&c->row, x, c->rule, 0);
    c->o->checked++;
    if (!same(got, expected)) {
        mismatch(c->o,
                 "float 0x%08" PRIx32 " (%a) gives code 0x%" PRIx64 " flags %" PRIu32 " ternary %" PRId32
                 "; the oracle: code 0x%" PRIx64 " flags %" PRIu32 " ternary %" PRId32,
                 bits, (double)x, got.code, got.flags, got.ternary, expected.code, expected.flags, expected.ternary);
    }
}

/* first .. last, all of which have one answer: all of them, or with a stride its multiples and both ends. */
static void compare_range(const check *c, uint32_t first, uint32_t last, bnd_result expected)
{
    compare(c, first, expected);
    uint64_t step = c->stride;
    for (uint64_t bits = (first / step + 1) * step; bits < last; bits += step) {
        compare(c, (uint32_t)bits, expected);
    }
    if (last > first) {
        compare(c, last, expected);
    }
}

static void bisect(const check *c, uint32_t first, bnd_result at_first, uint32_t last, bnd_result at_last)
{
    if (same(at_first, at_last)) {
        compare_range(c, first, last, at_first);
        return;
    }
    uint32_t middle = first + (last - first) / 2;
    bisect(c, first, at_first, middle, middle == first ? at_first : answer_to(c, middle));
    middle++;
    bisect(c, middle, middle == last ? at_last : answer_to(c, middle), last, at_last);
}

static void check_floats(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const plan *p = context;
    check c = check_of(p, index, o);
    uint32_t first = (uint32_t)(piece << PIECE_BITS), last = first + ((UINT32_C(1) << PIECE_BITS) - 1);
    uint32_t infinity = (first & SIGN) | INFINITE;
    if (first < infinity) {
        uint32_t end = last < infinity ? last : infinity - 1;
        bisect(&c, first, answer_to(&c, first), end, answer_to(&c, end));
    }
    for (uint64_t bits = first < infinity ? infinity : first; bits <= last; bits++) {
        if (bits % c.stride == 0 || bits == infinity || bits == infinity + 1 || bits == last) {
            compare(&c, (uint32_t)bits, answer_to(&c, (uint32_t)bits));
        }
    }
}

int main(int argc, char **argv)
{
    static request r;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    size_t count = r.row_count * r.mode_count;
    plan p = {.r = &r, .tasks = calloc(count, sizeof *p.tasks)};
    if (p.tasks == NULL) {
        return EXIT_TROUBLE;
    }
    for (size_t i = 0; i < count; i++) {
        check c = check_of(&p, i, NULL);
        if (c.row.width == 0) {
            fprintf(stderr, "%s: %s is a value set, which has no codes\n", r.program, c.row.name);
            free(p.tasks);
            return EXIT_USAGE;
        }
        p.tasks[i].pieces = PIECES;
        snprintf(p.tasks[i].name, sizeof p.tasks[i].name, "%s %s %s", c.row.name,
                 bnd_rounding_name(bnd_rule_rounding(c.rule)), bnd_overflow_name(bnd_rule_overflow(c.rule)));
    }
    status = run_tasks(&r, p.tasks, count, check_floats, &p);
    free(p.tasks);
    return status;
}
