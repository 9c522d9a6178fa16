/* Rounding by the definition, with GMP's integers: the number of grid steps below the number, and the remaining
 * fraction of a step. Every mode, every format. */
#include "oracle/oracle.h"

/* A step of the grid where the number lies: significand * 2^exponent. */
typedef struct step {
    uint64_t significand;
    int64_t exponent;
} step;

/* quotient and remainder of |x| by a step; remainder / divisor is the discarded fraction. */
static void divide(bndi_oracle_work *work, const bndi_oracle_number *x, step unit)
{
    mpz_mul_ui(work->divisor, x->denominator, unit.significand);
    if (x->scale >= unit.exponent) {
        mpz_mul_2exp(work->left, x->numerator, (mp_bitcnt_t)(x->scale - unit.exponent));
        mpz_fdiv_qr(work->quotient, work->remainder, work->left, work->divisor);
    } else {
        mpz_mul_2exp(work->divisor, work->divisor, (mp_bitcnt_t)(unit.exponent - x->scale));
        mpz_fdiv_qr(work->quotient, work->remainder, x->numerator, work->divisor);
    }
}

/* Sign of (remainder / divisor - 1/2). */
static int against_half(bndi_oracle_work *work)
{
    mpz_mul_2exp(work->left, work->remainder, 1);
    return mpz_cmp(work->left, work->divisor);
}

/* P3109's three stochastic rules, word for word: f is the discarded fraction, R the random bits, N their number. */
static bool stochastic_away(bndi_oracle_work *work, bnd_rule rule, uint64_t random)
{
    unsigned bits = rule.random_bits == 0 ? BND_RANDOM_BITS_DEFAULT : rule.random_bits;
    uint64_t drawn = random & ((UINT64_C(1) << bits) - 1);
    unsigned scale = rule.rounding == BND_ROUND_SRB ? bits + 1 : bits;
    mpz_mul_2exp(work->left, work->remainder, scale);
    mpz_fdiv_qr(work->left, work->right, work->left, work->divisor);
    if (rule.rounding == BND_ROUND_SR) {
        mpz_mul_2exp(work->right, work->right, 1);
        int order = mpz_cmp(work->right, work->divisor);
        if (order > 0 || (order == 0 && mpz_odd_p(work->left))) {
            mpz_add_ui(work->left, work->left, 1);
        }
    }
    mpz_add_ui(work->left, work->left, rule.rounding == BND_ROUND_SRB ? 2 * drawn + 1 : drawn);
    mpz_fdiv_q_2exp(work->left, work->left, scale);
    return mpz_sgn(work->left) > 0;
}

/* Does the number that divide() split leave its lower neighbour for the one further from zero? */
static bool goes_away(bndi_oracle_work *work, bnd_rule rule, bool negative, bool low_is_odd, uint64_t random)
{
    if (mpz_sgn(work->remainder) == 0) {
        return false;
    }
    int half;
    switch (bnd_rule_rounding(rule)) {
    case BND_ROUND_RNE:
        half = against_half(work);
        return half > 0 || (half == 0 && low_is_odd);
    case BND_ROUND_RNA:
        return against_half(work) >= 0;
    case BND_ROUND_RTZ:
        return false;
    case BND_ROUND_RUP:
        return !negative;
    case BND_ROUND_RDN:
        return negative;
    case BND_ROUND_RTO:
        return !low_is_odd;
    case BND_ROUND_SR:
    case BND_ROUND_SRA:
    case BND_ROUND_SRB:
        return stochastic_away(work, rule, random);
    case BND_ROUND_SR_EQUAL:
        return (random & 1) != 0;
    }
    return false;
}

int bndi_oracle_to_integer(mpz_t out, bndi_oracle_work *work, const bndi_oracle_number *x, bnd_rule rule,
                           uint64_t random)
{
    divide(work, x, (step){1, 0});
    bool inexact = mpz_sgn(work->remainder) != 0;
    bool away = goes_away(work, rule, x->negative, mpz_odd_p(work->quotient), random);
    mpz_add_ui(out, work->quotient, away);
    return !inexact ? 0 : away != x->negative ? 1 : -1;
}

/* Is the lower neighbour, quotient * step, an odd one? With two bits or more the last bit of the code is that of the
 * significand. With one bit, 2^e has the significand 1, or the code e + bias. */
static bool low_is_odd(const bndi_oracle_work *work, const bndi_oracle_shape *shape, bnd_rule rule, int64_t exponent)
{
    if (shape->fraction_bits > 0 || mpz_sgn(work->quotient) == 0) {
        return mpz_odd_p(work->quotient);
    }
    bool by_code = shape->ties_by_code;
    if (rule.tie_rule != BND_TIE_RULE_FORMAT && shape->magnitude_bits > 0) {
        by_code = rule.tie_rule == BND_TIE_RULE_CODE;
    }
    return by_code ? ((exponent + shape->bias) & 1) != 0 : true;
}

/* Would the number still lie below the smallest normal number if the exponent had no bottom? */
static bool is_tiny(bndi_oracle_work *work, const bndi_oracle_shape *shape, const bndi_oracle_number *x, bool negative,
                    bnd_rule rule, uint64_t random)
{
    if (bndi_oracle_compare(work, x, &shape->normal) >= 0) {
        return false;
    }
    step unit = {1, x->exponent - (int64_t)shape->fraction_bits};
    divide(work, x, unit);
    if (goes_away(work, rule, negative, low_is_odd(work, shape, rule, x->exponent), random)) {
        mpz_add_ui(work->quotient, work->quotient, 1);
    }
    mpz_set_ui(work->left, shape->normal.significand);
    if (unit.exponent >= shape->normal.quantum) {
        mpz_mul_2exp(work->quotient, work->quotient, (mp_bitcnt_t)(unit.exponent - shape->normal.quantum));
    } else {
        mpz_mul_2exp(work->left, work->left, (mp_bitcnt_t)(shape->normal.quantum - unit.exponent));
    }
    return mpz_cmp(work->quotient, work->left) < 0;
}

/* Where zero is missing, nothing below the least number can be chosen but that number. */
static void take_least(bndi_oracle_choice *out, const bndi_oracle_shape *shape, bool negative)
{
    out->significand = shape->least.significand;
    out->quantum = shape->least.quantum;
    out->ternary = negative ? -1 : 1;
}

void bndi_oracle_by_integers(bndi_oracle_choice *out, bndi_oracle_work *work, const bndi_oracle_shape *shape,
                             const bndi_oracle_number *x, bool negative, bnd_rule rule, uint64_t random)
{
    int64_t lowest = 1 - shape->bias;
    int64_t exponent = shape->subnormals && x->exponent < lowest ? lowest : x->exponent;
    step unit = {1, exponent - (int64_t)shape->fraction_bits};
    out->tiny = is_tiny(work, shape, x, negative, rule, random);
    if (!shape->subnormals && bndi_oracle_compare(work, x, &shape->least) < 0) {
        if (!shape->zero) {
            take_least(out, shape, negative);
            return;
        }
        unit = (step){shape->least.significand, shape->least.quantum}; /* between 0 and 1 times the least number */
    }
    divide(work, x, unit);
    bool inexact = mpz_sgn(work->remainder) != 0;
    bool away = goes_away(work, rule, negative, low_is_odd(work, shape, rule, exponent), random);
    out->ternary = !inexact ? 0 : away != negative ? 1 : -1;
    mpz_add_ui(work->quotient, work->quotient, away);
    out->quantum = unit.exponent;
    if (mpz_sizeinbase(work->quotient, 2) >
        shape->fraction_bits + 1) { /* carried into the next binade: a power of two */
        mpz_fdiv_q_2exp(work->quotient, work->quotient, 1);
        out->quantum++;
    }
    out->significand = mpz_get_ui(work->quotient) * unit.significand;
}
