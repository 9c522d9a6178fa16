/* Every midpoint between neighbouring values of a format, and what lies nearest to it on both sides, in each
 * deterministic mode: code, flags and ternary value of the codec against the oracle.
 *
 * The numbers around a midpoint m: m itself; m one unit in the last place of a double up and down; m with a digit
 * 200 bits further down, added and taken away. One midpoint more lies above the largest number, where overflow
 * begins: half a step of the same grid. Where a number is more than half of the largest, every overflow policy is
 * asked.
 *
 * Compiled with options.c, state.c and pool.c; links the library with its internal names (the oracle's exact
 * numbers), MPFR, GMP. */
#include <binade/codec.h>
#include <oracle/oracle.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static const program about = {
    "midpoints", "every midpoint of a format and what lies around it, the codec against the oracle", "rmojs", NULL};

/* Codes in a piece. */
enum { PIECE = 4096 };

/* A number around a midpoint: (significand * 2^shift + beside) * 2^exponent, beside -1, 0 or 1. */
typedef struct around {
    uint64_t significand;
    int shift, beside;
    int64_t exponent;
} around;
enum { FAR = 200, NUMBERS_AROUND = 5 };

typedef struct plan {
    const request *r;
    task *tasks;
} plan;

/* One format in one mode, and what the oracle needs. */
typedef struct check {
    bnd_format row;
    bnd_rule rule;
    bndi_oracle_shape shape;
    bndi_oracle_number number;
    bndi_oracle_work work;
    mpz_t magnitude;
    outcome *o;
} check;

/* ---- both sides' view of a number ---- */

static int bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - __builtin_clzll(x);
}

static bnd_result oracle_answer(check *c, const around *a, bool negative)
{
    mpz_set_ui(c->magnitude, a->significand);
    mpz_mul_2exp(c->magnitude, c->magnitude, (mp_bitcnt_t)a->shift);
    if (a->beside < 0) {
        mpz_sub_ui(c->magnitude, c->magnitude, 1);
    } else {
        mpz_add_ui(c->magnitude, c->magnitude, (unsigned long)a->beside);
    }
    bndi_oracle_set_dyadic(&c->number, negative, c->magnitude, a->exponent);
    bndi_oracle_answer answer;
    bndi_oracle_judge(&answer, &c->work, &c->row, &c->number, c->rule, 0, BNDI_ORACLE_EITHER);
    return answer.result;
}

/* The number as a double, where it is one. */
static bool is_double(double *out, const around *a, bool negative)
{
    if (a->shift + bit_length(a->significand) > 63) {
        return false;
    }
    int64_t whole = (int64_t)(a->significand << a->shift) + a->beside;
    if (bit_length((uint64_t)whole) > 53 || a->exponent < -1074 || a->exponent + bit_length((uint64_t)whole) > 1024) {
        return false;
    }
    *out = ldexp((double)(negative ? -whole : whole), (int)a->exponent);
    return true;
}

/* The number as 128 bits that start with a one, and a sticky bit for what is below them. */
static bnd_exact exact_of(const around *a, bool negative)
{
    int up = 128 - bit_length(a->significand);
    int place = up - a->shift; /* of the last bit of the number, counted from the lowest of the 128 */
    unsigned __int128 bits = (unsigned __int128)a->significand << up;
    unsigned __int128 beside = place < 0 ? 1 : (unsigned __int128)1 << place;
    int32_t exponent = (int32_t)(a->exponent + a->shift - up);
    bool sticky = a->beside != 0 && place < 0;
    if (a->beside < 0) {
        bits -= beside; /* and with it a whole unit where a part of one was to go: the sticky bit gives the rest back */
    } else if (a->beside > 0 && place >= 0) {
        bits += beside;
    }
    if (bits >> 127 == 0) { /* a power of two lost its leading bit; the sticky part is more than half of a unit */
        bits = bits << 1 | sticky;
        exponent--;
    }
    return (bnd_exact){.high = (uint64_t)(bits >> 64),
                       .low = (uint64_t)bits,
                       .exponent = exponent,
                       .kind = BND_KIND_FINITE,
                       .negative = negative,
                       .sticky = sticky};
}

/* ---- checking ---- */

static void compare_one(check *c, const around *a, bool negative)
{
    bnd_result expected = oracle_answer(c, a, negative), got;
    double x;
    if (is_double(&x, a, negative)) {
        got = bnd_encode(&c->row, x, c->rule, 0);
    } else {
        got = bnd_encode_exact(&c->row, exact_of(a, negative), c->rule, 0);
    }
    c->o->checked++;
    if (got.code != expected.code || got.flags != expected.flags || got.ternary != expected.ternary) {
        mismatch(c->o,
                 "%s(%" PRIu64 " * 2^%d %+d) * 2^%" PRId64 " overflow %s gives code 0x%" PRIx64 " flags %" PRIu32
                 " ternary %" PRId32 "; the oracle: code 0x%" PRIx64 " flags %" PRIu32 " ternary %" PRId32,
                 negative ? "-" : "", a->significand, a->shift, a->beside, a->exponent,
                 bnd_overflow_name(bnd_rule_overflow(c->rule)), got.code, got.flags, got.ternary, expected.code,
                 expected.flags, expected.ternary);
    }
}

/* The midpoint significand * 2^exponent and its surroundings, of both signs where the format has them. */
static void compare_around(check *c, uint64_t significand, int64_t exponent)
{
    int ulp = 53 - bit_length(significand);
    for (int i = 0; i < NUMBERS_AROUND; i++) {
        int shift = i == 0 ? 0 : i <= 2 ? ulp : FAR;
        around a = {significand, shift, i == 0 ? 0 : i % 2 == 0 ? 1 : -1, exponent - shift};
        for (int sign = 0; sign <= c->row.is_signed; sign++) {
            compare_one(c, &a, sign != 0);
        }
    }
}

static void compare_midpoint(check *c, const request *r, uint64_t code)
{
    bndi_oracle_value below = bndi_oracle_grid_value(&c->shape, code);
    bndi_oracle_value above = bndi_oracle_grid_value(&c->shape, code + 1);
    if (below.significand == 0) {
        below.quantum = above.quantum;
    }
    /* The quantum of the next binade is at most twice that of the one below. */
    int64_t quantum = below.quantum < above.quantum ? below.quantum : above.quantum;
    uint64_t sum = (below.significand << (below.quantum - quantum)) + (above.significand << (above.quantum - quantum));
    bool near_top = bndi_oracle_exponent(&above) >= bndi_oracle_exponent(&c->shape.max);
    bool every_policy = near_top && !r->has_overflow;
    for (int policy = 0; policy < (every_policy ? BND_OVERFLOW_COUNT : 1); policy++) {
        c->rule.overflow = (uint8_t)(r->has_overflow ? (int)r->overflow : policy);
        compare_around(c, sum, quantum - 1);
    }
}

static bnd_format row_of(const plan *p, size_t index)
{
    return p->r->rows[index / p->r->mode_count];
}

static bnd_rounding mode_of(const plan *p, size_t index)
{
    return p->r->modes[index % p->r->mode_count];
}

static void check_midpoints(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const plan *p = context;
    check c = {.row = row_of(p, index), .rule = {.rounding = (uint8_t)mode_of(p, index)}, .o = o};
    bndi_oracle_describe(&c.shape, &c.row);
    bndi_oracle_number_open(&c.number);
    bndi_oracle_work_open(&c.work);
    mpz_init(c.magnitude);
    uint64_t end = (piece + 1) * PIECE;
    for (uint64_t code = piece * PIECE; code < end && code <= c.shape.max_code; code++) {
        compare_midpoint(&c, p->r, code);
    }
    mpz_clear(c.magnitude);
    bndi_oracle_work_close(&c.work);
    bndi_oracle_number_close(&c.number);
}

/* ---- which formats ---- */

/* Where none are named: the rows of 16 bits, and P3109 with 9 to 15 bits; `make check` does the narrower ones. */
static void choose_rows(request *r)
{
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        if (f.width == 16) {
            r->rows[r->row_count++] = f;
        }
    }
    for (size_t i = 0; i < bnd_group_size("p3109-all"); i++) {
        bnd_format f;
        (void)bnd_group_at(&f, "p3109-all", i);
        if (f.width >= 9 && r->row_count < MOST_ROWS) {
            r->rows[r->row_count++] = f;
        }
    }
}

/* Leaves out, and says so, what has no codes or too many of them to end within a lifetime. */
static void leave_out(request *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->row_count; i++) {
        if (r->rows[i].width == 0 || r->rows[i].width > 20) {
            printf("%s: skipped: formats of 1 to 20 bits only\n", r->rows[i].name);
        } else {
            r->rows[kept++] = r->rows[i];
        }
    }
    r->row_count = kept;
}

int main(int argc, char **argv)
{
    static request r;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    if (r.row_count == 0) {
        choose_rows(&r);
    }
    leave_out(&r);
    if (r.row_count == 0) {
        return EXIT_SKIPPED;
    }
    size_t count = r.row_count * r.mode_count;
    plan p = {.r = &r, .tasks = calloc(count, sizeof *p.tasks)};
    if (p.tasks == NULL) {
        return EXIT_TROUBLE;
    }
    for (size_t i = 0; i < count; i++) {
        bnd_format f = row_of(&p, i);
        p.tasks[i].pieces = f.max_code / PIECE + 1;
        snprintf(p.tasks[i].name, sizeof p.tasks[i].name, "%s %s %s", f.name, bnd_rounding_name(mode_of(&p, i)),
                 r.has_overflow ? bnd_overflow_name(r.overflow) : "every-policy");
    }
    status = run_tasks(&r, p.tasks, count, check_midpoints, &p);
    free(p.tasks);
    return status;
}
