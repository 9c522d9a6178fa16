/* The order of numbers: comparison, minimum and maximum, and neighbours by counting codes. */
#include "oracle/oracle.h"

int bndi_oracle_order(bndi_oracle_problem *p, const bndi_oracle_number *x, const bndi_oracle_number *y)
{
    int left = bndi_oracle_is_infinite(x) ? (x->negative ? -1 : 1) : 0,
        right = bndi_oracle_is_infinite(y) ? (y->negative ? -1 : 1) : 0;
    if (left != 0 || right != 0) {
        return (left > right) - (left < right);
    }
    bndi_oracle_align(p, x, y);
    int sign = mpz_cmp(p->a, p->b);
    return (sign > 0) - (sign < 0);
}

/* wanted: -1 for the smaller one, 1 for the larger. */
static void choose(bndi_oracle_problem *p, int wanted)
{
    const bndi_oracle_number *x = &p->x[0], *y = &p->x[1];
    if (bndi_oracle_is_nan(x) || bndi_oracle_is_nan(y)) {
        bndi_oracle_give(p, bndi_oracle_is_nan(x) ? y : x);
        return;
    }
    int sign = bndi_oracle_order(p, x, y);
    if (sign == 0 && x->negative != y->negative) {
        sign = x->negative ? -1 : 1;
    }
    bndi_oracle_give(p, sign == wanted ? x : y);
}

void bndi_oracle_smaller(bndi_oracle_problem *p)
{
    choose(p, -1);
}

void bndi_oracle_larger(bndi_oracle_problem *p)
{
    choose(p, 1);
}

/* The code after or before that of the first operand in the order of values. Codes without a sign are in the order of
 * their values, and those with one the other way round. */
static void step(bndi_oracle_problem *p, bool up)
{
    const bndi_oracle_shape *shape = &p->shape;
    bndi_oracle_value from = p->first;
    bool negative = from.negative, zero = from.kind == BND_ORACLE_FINITE && from.significand == 0;
    bool outward = zero || negative != up;
    if (zero) {
        negative = !up;
    }
    from.negative = false;
    uint64_t magnitude = from.kind == BND_ORACLE_INFINITE ? shape->max_code + 1 : bndi_oracle_code_of(shape, &from);
    bool none = negative && !shape->is_signed;
    if (!outward && magnitude == 0) { /* the least number of a format without zero: on to the other sign, if there is */
        none = !shape->is_signed;
        negative = !negative;
    } else {
        magnitude += outward ? 1 : UINT64_MAX;
    }
    if (none || magnitude > shape->max_code) {
        bndi_oracle_give_infinity(p, !up);
        return;
    }
    bndi_oracle_value to = bndi_oracle_grid_value(shape, magnitude);
    to.negative = negative && (to.significand != 0 || shape->negative_zero);
    bndi_oracle_set_value(&p->exact, &to);
}

void bndi_oracle_next_up(bndi_oracle_problem *p)
{
    step(p, true);
}

void bndi_oracle_next_down(bndi_oracle_problem *p)
{
    step(p, false);
}
