/* The elementary functions in full:
 *   of operands   every one of 16 bits or fewer: the 128 bits that a rounding gets to see, against MPFR's, and whether
 *                 256 bits decided them. (Rounding them is the codec's, which others compare.) In every binade from
 *                 where the answer is nearly a number of few bits to where it is again, or out of reach, and a few on
 *                 either side; of log in all
 *   of rows       every code, in each mode: code, flags and ternary value, and of rsqrt, reciprocal, neg and abs too
 *
 * Compiled with options.c, state.c and pool.c. */
#include "common.h"

#include <binade/arith.h>

#include "arith/elementary.h"
#include "oracle/oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const program about = {"elementary", "exp, log, tanh, sigmoid, erf, gelu and their like, against MPFR", "rmjsS",
                              "fp16,bf16,dlfloat16,ocp,fnuz,e4m3ieee,e3m4,e4m3b11fnuz,p3109,e1m14none,e2m13,e3m12fn,"
                              "e4m11fnuz,e6m9nosub,e7m8,e8m7b200,e9m6,e10m5,e11m4,binary15p15ue,binary15p7sf"};

/* The binades that decide: exponents of the leading bit. */
typedef struct function {
    bnd_operation operation;
    bndi_elementary *compute;
    void (*judge)(bndi_oracle_problem *p);
    int32_t least, most;
    bool positive; /* and no others */
} function;

static const function functions[] = {
    {BND_OP_EXP, bndi_exp, bndi_oracle_exp, -68, 32, false},
    {BND_OP_LOG, bndi_log, bndi_oracle_log, BNDI_ELEMENTARY_LEAST, BNDI_ELEMENTARY_MOST, true},
    {BND_OP_TANH, bndi_tanh, bndi_oracle_tanh, -70, 8, true},
    {BND_OP_SIGMOID, bndi_sigmoid, bndi_oracle_sigmoid, -70, 32, false},
    {BND_OP_ERF, bndi_erf, bndi_oracle_erf, -112, 5, true},
    {BND_OP_GELU, bndi_gelu, bndi_oracle_gelu, -132, 17, false},
    {BND_OP_GELU_TANH, bndi_gelu_tanh, bndi_oracle_gelu_tanh, -132, 12, false},
};
static const bnd_operation others[] = {BND_OP_NEG, BND_OP_ABS, BND_OP_RSQRT, BND_OP_RECIPROCAL};
enum {
    FUNCTIONS = sizeof functions / sizeof functions[0],
    OPERATIONS = FUNCTIONS + sizeof others / sizeof others[0],
    PIECE_BITS = 12,
    MOST_TASKS = FUNCTIONS + OPERATIONS * MOST_ROWS
};

typedef struct plan {
    const request *r;
    size_t count;
    task tasks[MOST_TASKS];
    bndi_oracle_problem *problem; /* opened before the processes part: each has its own */
} plan;

/* The leading 128 bits of the exact answer. */
static bnd_exact leading_bits(bndi_oracle_problem *p)
{
    bnd_exact out = {.kind = BND_KIND_FINITE, .negative = p->exact.negative, .sticky = false};
    size_t length = mpz_sizeinbase(p->exact.numerator, 2);
    mpz_mul_2exp(p->a, p->exact.numerator, 128);
    out.sticky = mpz_scan1(p->a, 0) < length;
    mpz_fdiv_q_2exp(p->a, p->a, length);
    out.exponent = (int32_t)(p->exact.scale + (int64_t)length - 128);
    out.low = mpz_get_ui(p->a);
    mpz_fdiv_q_2exp(p->a, p->a, 64);
    out.high = mpz_get_ui(p->a);
    return out;
}

static bool same_bits(const bnd_exact *got, const bnd_exact *want)
{
    enum { FAR = 1 << 18 }; /* the oracle goes no further */
    int64_t exponent = (int64_t)got->exponent + 127;
    if (exponent > FAR || exponent < -FAR) {
        return got->negative == want->negative && (exponent < 0) == (want->exponent < 0) &&
               (want->exponent + 127 >= FAR - 1 || want->exponent + 127 <= -FAR);
    }
    return got->high == want->high && got->low == want->low && got->exponent == want->exponent &&
           got->negative == want->negative && got->sticky == want->sticky;
}

static void check_operand(const plan *p, const function *f, const bnd_exact *x, outcome *o)
{
    bnd_exact got;
    bool decided = f->compute(&got, x);
    bndi_oracle_problem *problem = p->problem;
    mpz_set_ui(problem->c, x->low);
    bndi_oracle_set_dyadic(&problem->x[0], x->negative, problem->c, x->exponent);
    f->judge(problem);
    bool zero = bndi_oracle_is_zero(&problem->exact);
    bnd_exact want = zero ? got : leading_bits(problem);
    o->checked++;
    bool same = zero ? got.kind == BND_KIND_ZERO : got.kind == BND_KIND_FINITE && same_bits(&got, &want);
    if (!decided || !same) {
        mismatch(o,
                 "of %s0x%" PRIx64 "p%" PRId32 " gives 0x%016" PRIx64 "%016" PRIx64 "p%" PRId32
                 "%s%s; the oracle: 0x%016" PRIx64 "%016" PRIx64 "p%" PRId32,
                 x->negative ? "-" : "", x->low, x->exponent, got.high, got.low, got.exponent,
                 got.sticky ? "" : " exactly", decided ? "" : ", undecided", want.high, want.low, want.exponent);
    }
}

/* A binade: all significands of 16 bits, fewer bits among them. */
static void check_binade(const plan *p, const function *f, uint64_t piece, outcome *o)
{
    enum { TOP = BNDI_ELEMENTARY_BITS - 1 };
    bnd_exact x = {.kind = BND_KIND_FINITE, .exponent = f->least + (int32_t)piece - TOP};
    for (uint64_t m = 1 << TOP; m < 2 << TOP; m += p->r->stride) {
        x.low = m;
        x.negative = false;
        if (!bndi_is_elementary_operand(&x)) {
            continue;
        }
        check_operand(p, f, &x, o);
        if (!f->positive) {
            x.negative = true;
            check_operand(p, f, &x, o);
        }
    }
}

static bnd_operation operation_at(size_t i)
{
    return i < FUNCTIONS ? functions[i].operation : others[i - FUNCTIONS];
}

/* The oracle works the answer out once, and rounds it in each mode. */
static void check_code(const plan *p, const bnd_format *row, bnd_operation operation, uint64_t code, outcome *o)
{
    const bnd_format *const from[] = {row};
    bndi_oracle_answer want;
    bndi_oracle_operate(&want, p->problem, row, bndi_oracle_operation_named(bnd_operation_name(operation)), from, &code,
                        (bnd_rule){.rounding = (uint8_t)p->r->modes[0]}, 0);
    for (size_t i = 0; i < p->r->mode_count; i++) {
        bnd_rule rule = {.rounding = (uint8_t)p->r->modes[i]};
        bndi_oracle_operate_again(&want, p->problem, row, rule, 0);
        bnd_result got = bnd_operate(row, operation, from, &code, rule, 0);
        o->checked++;
        if (got.code != want.result.code || got.flags != want.result.flags || got.ternary != want.result.ternary) {
            mismatch(o,
                     "%s of 0x%" PRIx64 " gives code 0x%" PRIx64 " flags %" PRIu32 " ternary %" PRId32
                     "; the oracle: code 0x%" PRIx64 " flags %" PRIu32 " ternary %" PRId32,
                     bnd_rounding_name(p->r->modes[i]), code, got.code, got.flags, got.ternary, want.result.code,
                     want.result.flags, want.result.ternary);
        }
    }
}

static void check_piece_of_plan(const void *context, size_t index, uint64_t piece, outcome *o)
{
    const plan *p = context;
    if (index < FUNCTIONS) {
        check_binade(p, &functions[index], piece, o);
        return;
    }
    const bnd_format *row = &p->r->rows[(index - FUNCTIONS) / OPERATIONS];
    uint64_t codes = UINT64_C(1) << row->width, end = (piece + 1) << PIECE_BITS;
    for (uint64_t code = piece << PIECE_BITS; code < codes && code < end; code += p->r->stride) {
        check_code(p, row, operation_at((index - FUNCTIONS) % OPERATIONS), code, o);
    }
}

static task *next_task(plan *p, uint64_t pieces)
{
    task *t = &p->tasks[p->count++];
    t->pieces = pieces;
    return t;
}

static void list_tasks(plan *p)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const function *f = &functions[i];
        task *t = next_task(p, (uint64_t)(f->most - f->least + 1));
        snprintf(t->name, sizeof t->name, "%s: 128 bits of every operand of %d bits", bnd_operation_name(f->operation),
                 (int)BNDI_ELEMENTARY_BITS);
    }
    for (size_t row = 0; row < p->r->row_count; row++) {
        for (size_t i = 0; i < OPERATIONS; i++) {
            const bnd_format *f = &p->r->rows[row];
            task *t = next_task(p, f->width > PIECE_BITS ? UINT64_C(1) << (f->width - PIECE_BITS) : 1);
            snprintf(t->name, sizeof t->name, "%s %s all", f->name, bnd_operation_name(operation_at(i)));
        }
    }
}

int main(int argc, char **argv)
{
    static request r;
    static plan p;
    static bndi_oracle_problem problem;
    int status;
    if (!read_request(&r, &status, &about, argc, argv)) {
        return status;
    }
    for (size_t i = 0; i < r.row_count; i++) {
        bnd_error why;
        const bnd_format *const from[] = {&r.rows[i]};
        if (bnd_operation_serves(BND_OP_EXP, from, &why) != BND_OK) {
            fprintf(stderr, "%s: %s\n", about.name, why.message);
            return EXIT_USAGE;
        }
    }
    p.r = &r;
    p.problem = &problem;
    bndi_oracle_problem_open(&problem);
    list_tasks(&p);
    status = run_tasks(&r, p.tasks, p.count, check_piece_of_plan, &p);
    bndi_oracle_problem_close(&problem);
    return status;
}
