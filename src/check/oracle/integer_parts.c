/* Operations on integers and exponents: rounding to an integer, logb, scalb, ulp. */
#include "oracle/oracle.h"

void bndi_oracle_nearby(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0];
    if (bndi_oracle_is_infinite(x)) {
        bndi_oracle_give_infinity(p, x->negative);
        return;
    }
    p->ternary = bndi_oracle_to_integer(p->a, &p->work, x, p->rule, p->random);
    bndi_oracle_set_dyadic(&p->exact, x->negative, p->a, 0);
}

void bndi_oracle_rint(bndi_oracle_problem *p)
{
    bndi_oracle_nearby(p);
    p->flags |= p->ternary != 0 ? BND_FLAG_INEXACT : 0;
}

void bndi_oracle_logb(bndi_oracle_problem *p)
{
    const bndi_oracle_number *x = &p->x[0];
    if (bndi_oracle_is_infinite(x)) {
        bndi_oracle_give_infinity(p, false);
    } else if (bndi_oracle_is_zero(x)) {
        p->flags |= BND_FLAG_DIVBYZERO;
        bndi_oracle_give_infinity(p, true);
    } else {
        bndi_oracle_give_integer(p, x->exponent);
    }
}

/* The second operand is an integer; beyond 2^18, every format's range is left behind. */
void bndi_oracle_scalb(bndi_oracle_problem *p)
{
    const int64_t far = 1 << 18;
    int64_t n = mpz_fits_slong_p(p->x[1].numerator) ? mpz_get_si(p->x[1].numerator) : far;
    n = n < far ? n : far;
    bndi_oracle_give(p, &p->x[0]);
    if (!bndi_oracle_is_infinite(&p->exact) && mpz_sgn(p->exact.numerator) != 0) {
        p->exact.scale += p->x[1].negative ? -n : n;
        p->exact.exponent += p->x[1].negative ? -n : n;
    }
}

void bndi_oracle_ulp(bndi_oracle_problem *p)
{
    if (bndi_oracle_is_infinite(&p->x[0])) {
        bndi_oracle_give_infinity(p, false);
        return;
    }
    mpz_set_ui(p->a, 1);
    bool zero = p->first.significand == 0;
    bndi_oracle_set_dyadic(&p->exact, false, p->a, zero ? p->shape.least.quantum : p->first.quantum);
}
