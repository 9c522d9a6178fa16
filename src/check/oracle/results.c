/* Results common to all operations: an unchanged number, an integer, a zero, an infinity, a NaN. */
#include "oracle/oracle.h"

void bndi_oracle_give_nan(bndi_oracle_problem *p, bool negative, uint64_t payload)
{
    uint64_t quiet = UINT64_C(1) << 63;
    bndi_oracle_value nan = {BND_ORACLE_NAN, negative, payload | quiet, 0};
    bndi_oracle_set_value(&p->exact, &nan);
}

void bndi_oracle_give_infinity(bndi_oracle_problem *p, bool negative)
{
    bndi_oracle_value infinity = {.kind = BND_ORACLE_INFINITE, .negative = negative};
    bndi_oracle_set_value(&p->exact, &infinity);
}

void bndi_oracle_give_zero(bndi_oracle_problem *p, bool negative)
{
    mpz_set_ui(p->c, 0);
    bndi_oracle_set_dyadic(&p->exact, negative, p->c, 0);
}

void bndi_oracle_undefined(bndi_oracle_problem *p)
{
    p->flags |= BND_FLAG_INVALID;
    bndi_oracle_give_nan(p, p->rule.nan == BND_NAN_X86, 0);
}

bool bndi_oracle_is_nan(const bndi_oracle_number *x)
{
    return x->kind == BND_ORACLE_NAN || x->kind == BND_ORACLE_SIGNALING_NAN;
}

bool bndi_oracle_is_infinite(const bndi_oracle_number *x)
{
    return x->kind == BND_ORACLE_INFINITE;
}

void bndi_oracle_give_integer(bndi_oracle_problem *p, int64_t n)
{
    mpz_set_si(p->c, n);
    mpz_abs(p->c, p->c);
    bndi_oracle_set_dyadic(&p->exact, n < 0, p->c, 0);
}

void bndi_oracle_give(bndi_oracle_problem *p, const bndi_oracle_number *x)
{
    if (x->kind == BND_ORACLE_FINITE) {
        bndi_oracle_set_quotient(&p->exact, x->negative, x->numerator, x->denominator, x->scale);
    } else {
        bndi_oracle_give_infinity(p, x->negative);
    }
}
