/* Elementary functions, and reciprocals: an index is a code. MPFR computes each function of each code once, as a
 * double and the sign of the rest; the table of answers then gives its rounding under every rule. */
#include "verify/verify.h"

#include <math.h>

enum {
    FUNCTIONS = BND_OP_COUNT - BND_OP_EXP, /* the last of the table of operations */
    MOST_CODES = 1 << 16,                  /* of formats that have more, which only have reciprocals, a choice */
};

/* ---- the exact results ---- */

bool bndi_functions_can(const bnd_format *f)
{
    return bnd_operation_serves(BND_OP_EXP, &f, NULL) == BND_OK;
}

size_t bndi_functions_count(const bnd_format *f)
{
    return (size_t)FUNCTIONS << f->width;
}

/* The leading 53 bits, and whether nonzero bits follow. Exponents far beyond every breakpoint of a format that
 * bndi_answers_can accepts are limited to the range of doubles. */
static bndi_answer_place place_of_exact(bndi_oracle_problem *oracle)
{
    enum { FAR = 1000, BELOW = 52 };
    const bndi_oracle_number *x = &oracle->exact;
    double sign = x->negative ? -1.0 : 1.0;
    if (x->kind != BND_ORACLE_FINITE) {
        return bndi_place_of(x->kind == BND_ORACLE_INFINITE ? sign * (double)INFINITY : (double)NAN);
    }
    if (bndi_oracle_is_zero(x) || x->exponent > FAR || x->exponent < -FAR) {
        double magnitude = bndi_oracle_is_zero(x) ? 0.0 : x->exponent > 0 ? 0x1p1000 : 0x1p-1000;
        return bndi_place_of(sign * magnitude);
    }
    int64_t up = x->scale + BELOW - x->exponent;
    mpz_mul_2exp(oracle->a, x->numerator, (mp_bitcnt_t)(up > 0 ? up : 0));
    mpz_mul_2exp(oracle->b, x->denominator, (mp_bitcnt_t)(up < 0 ? -up : 0));
    mpz_tdiv_qr(oracle->a, oracle->c, oracle->a, oracle->b);
    double head = sign * ldexp(mpz_get_d(oracle->a), (int)(x->exponent - BELOW));
    return (bndi_answer_place){head, mpz_sgn(oracle->c) == 0 ? 0 : x->negative ? -1 : 1};
}

void bndi_functions_fill(bndi_narrow_exact *all, bndi_oracle_problem *oracle, const bnd_format *f, uint64_t code)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        const bndi_oracle_operation *row =
            bndi_oracle_operation_named(bnd_operation_name((bnd_operation)(BND_OP_EXP + i)));
        bndi_oracle_answer rounded;
        bndi_oracle_operate(&rounded, oracle, f, row, &f, &code, (bnd_rule){0}, 0);
        all[code * FUNCTIONS + (uint64_t)i] =
            (bndi_narrow_exact){.at = place_of_exact(oracle),
                                .invalid = (oracle->flags & BND_FLAG_INVALID) != 0,
                                .divbyzero = (oracle->flags & BND_FLAG_DIVBYZERO) != 0};
    }
}

/* ---- the check ---- */

static bnd_operation first_of(const bndi_inquiry *q)
{
    return bndi_functions_can(&q->f) ? BND_OP_EXP : BND_OP_RSQRT;
}

static bool by_table(const bndi_inquiry *q)
{
    return bndi_is_narrow(&q->f, q->rule, q->exhaustive) && first_of(q) == BND_OP_EXP;
}

static uint64_t codes(const bndi_inquiry *q)
{
    return bndi_code_count(q, MOST_CODES);
}

static double cost(const bndi_inquiry *q)
{
    return first_of(q) != BND_OP_EXP ? 2000 : by_table(q) ? 20000 : 70000;
}

static void check(bndi_piece *p, uint64_t index)
{
    const bndi_inquiry *q = p->q;
    uint64_t code = bndi_code_at(q, MOST_CODES, index), random = bndi_random_of(q, 6, index);
    for (bnd_operation operation = first_of(q); operation < BND_OP_COUNT; operation++) {
        bnd_result got = q->candidate.operate(&q->f, operation, &code, q->rule, random), want;
        if (q->functions != NULL) {
            want = bndi_narrow_answer(q->answers, operation, &q->functions[code * FUNCTIONS + operation - BND_OP_EXP]);
        } else {
            want = bndi_reference_by_oracle(p, operation, &code, random);
        }
        bndi_compare_one(p, bnd_operation_name(operation), &q->f, code, random, got, want);
    }
}

const bndi_verify_row bndi_verify_functions = {
    .name = "functions",
    .title = "exp log tanh sigmoid erf gelu gelu_tanh rsqrt reciprocal: all codes up to 16 bits",
    .rounds = true,
    .of_functions = true,
    .at_once = 1 << 7,
    .indices = codes,
    .cost = cost,
    .check = check};
