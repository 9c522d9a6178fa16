/* Arithmetic by the definition: operands as integers times a power of two, results as rational numbers. The rules of
 * IEEE 754-2019 for infinities and zeros are written here independently of the library. */
#include "oracle/oracle.h"

/* x as an integer times 2^scale, sign and all. */
static void integer_at(mpz_t out, const bndi_oracle_number *x, int64_t scale)
{
    mpz_mul_2exp(out, x->numerator, (mp_bitcnt_t)(x->scale - scale));
    if (x->negative) {
        mpz_neg(out, out);
    }
}

int64_t bndi_oracle_align(bndi_oracle_problem *p, const bndi_oracle_number *x, const bndi_oracle_number *y)
{
    int64_t scale = x->scale < y->scale ? x->scale : y->scale;
    integer_at(p->a, x, scale);
    integer_at(p->b, y, scale);
    return scale;
}

/* p->exact may be x. */
static void add_numbers(bndi_oracle_problem *p, const bndi_oracle_number *x, const bndi_oracle_number *y)
{
    bool agree = x->negative == y->negative;
    if (bndi_oracle_is_infinite(x) && bndi_oracle_is_infinite(y) && !agree) {
        bndi_oracle_undefined(p);
    } else if (bndi_oracle_is_infinite(x) || bndi_oracle_is_infinite(y)) {
        bndi_oracle_give_infinity(p, bndi_oracle_is_infinite(x) ? x->negative : y->negative);
    } else {
        int64_t scale = bndi_oracle_align(p, x, y);
        mpz_add(p->a, p->a, p->b);
        bool negative = mpz_sgn(p->a) < 0;
        if (mpz_sgn(p->a) == 0) {
            negative = agree ? x->negative : p->rule.rounding == BND_ROUND_RDN;
        }
        mpz_abs(p->a, p->a);
        bndi_oracle_set_dyadic(&p->exact, negative, p->a, scale);
    }
}

void bndi_oracle_add(bndi_oracle_problem *p)
{
    add_numbers(p, &p->x[0], &p->x[1]);
}

void bndi_oracle_sub(bndi_oracle_problem *p)
{
    p->x[1].negative = !p->x[1].negative;
    bndi_oracle_add(p);
}

void bndi_oracle_mul(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0], *y = &p->x[1];
    bool negative = x->negative != y->negative;
    if (bndi_oracle_is_infinite(x) || bndi_oracle_is_infinite(y)) {
        if (bndi_oracle_is_zero(x) || bndi_oracle_is_zero(y)) {
            bndi_oracle_undefined(p);
        } else {
            bndi_oracle_give_infinity(p, negative);
        }
        return;
    }
    mpz_mul(p->a, x->numerator, y->numerator);
    bndi_oracle_set_dyadic(&p->exact, negative, p->a, x->scale + y->scale);
}

void bndi_oracle_fma(bndi_oracle_problem *p)
{
    bndi_oracle_mul(p);
    if (!bndi_oracle_is_nan(&p->exact)) {
        add_numbers(p, &p->exact, &p->x[2]);
    }
}

void bndi_oracle_div(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0], *y = &p->x[1];
    bool negative = x->negative != y->negative;
    bool no_answer =
        bndi_oracle_is_infinite(x) ? bndi_oracle_is_infinite(y) : bndi_oracle_is_zero(x) && bndi_oracle_is_zero(y);
    if (no_answer) {
        bndi_oracle_undefined(p);
    } else if (bndi_oracle_is_infinite(x) || bndi_oracle_is_zero(y)) {
        p->flags |= bndi_oracle_is_infinite(x) ? 0 : BND_FLAG_DIVBYZERO;
        bndi_oracle_give_infinity(p, negative);
    } else if (bndi_oracle_is_infinite(y)) {
        bndi_oracle_give_zero(p, negative);
    } else {
        bndi_oracle_set_quotient(&p->exact, negative, x->numerator, y->numerator, x->scale - y->scale);
    }
}

/* a - b n, by division with a remainder that is not negative; -|b| n takes as much of it as b n. */
void bndi_oracle_rem(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0], *y = &p->x[1];
    if (bndi_oracle_is_infinite(x) || bndi_oracle_is_zero(y)) {
        bndi_oracle_undefined(p);
        return;
    }
    if (bndi_oracle_is_infinite(y)) {
        bndi_oracle_give(p, x);
        return;
    }
    int64_t scale = bndi_oracle_align(p, x, y);
    mpz_abs(p->b, p->b);
    mpz_fdiv_qr(p->c, p->a, p->a, p->b);
    mpz_mul_2exp(p->work.left, p->a, 1);
    int half = mpz_cmp(p->work.left, p->b);
    if (half > 0 || (half == 0 && mpz_odd_p(p->c))) {
        mpz_sub(p->a, p->a, p->b);
    }
    bool negative = mpz_sgn(p->a) != 0 ? mpz_sgn(p->a) < 0 : x->negative;
    mpz_abs(p->a, p->a);
    bndi_oracle_set_dyadic(&p->exact, negative, p->a, scale);
}

/* Breakpoints of every rounding have at most 64 + 63 bits. A root between two neighbouring numbers of 200 bits lies
 * between the same breakpoints as the middle of the two. */
void bndi_oracle_sqrt(bndi_oracle_problem *p)
{
    enum { BITS = 200 };
    const bndi_oracle_number *x = &p->x[0];
    if (bndi_oracle_is_zero(x)) {
        bndi_oracle_give_zero(p, x->negative);
    } else if (x->negative) {
        bndi_oracle_undefined(p);
    } else if (bndi_oracle_is_infinite(x)) {
        bndi_oracle_give_infinity(p, false);
    } else {
        int64_t shift = 2 * BITS + (x->scale & 1);
        mpz_mul_2exp(p->a, x->numerator, (mp_bitcnt_t)shift);
        mpz_sqrtrem(p->a, p->b, p->a);
        bool between = mpz_sgn(p->b) != 0;
        mpz_mul_2exp(p->a, p->a, 1);
        mpz_add_ui(p->a, p->a, between);
        bndi_oracle_set_dyadic(&p->exact, false, p->a, (x->scale - shift) / 2 - 1);
    }
}

void bndi_oracle_reciprocal(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0];
    if (bndi_oracle_is_infinite(x)) {
        bndi_oracle_give_zero(p, x->negative);
    } else if (bndi_oracle_is_zero(x)) {
        p->flags |= BND_FLAG_DIVBYZERO;
        bndi_oracle_give_infinity(p, x->negative);
    } else {
        mpz_set_ui(p->a, 1);
        bndi_oracle_set_quotient(&p->exact, x->negative, p->a, x->numerator, -x->scale);
    }
}

void bndi_oracle_neg(bndi_oracle_problem *p)
{
    p->x[0].negative = !p->x[0].negative;
    bndi_oracle_give(p, &p->x[0]);
}

void bndi_oracle_abs(bndi_oracle_problem *p)
{
    p->x[0].negative = false;
    bndi_oracle_give(p, &p->x[0]);
}
