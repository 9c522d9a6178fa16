/* Rounding by MPFR: once, to the format's precision with the exponent unbounded. Tiny numbers are then rounded to
 * the subnormal grid by mpfr_subnormalize, which uses the first rounding's error, so that the two count as one. */
#include "oracle/oracle.h"

bool bndi_oracle_takes_threads(void)
{
    return mpfr_buildopt_tls_p() != 0;
}

/* MPFR's grid has a zero and subnormals, and its ties do not depend on codes. */
bool bndi_oracle_mpfr_can(const bndi_oracle_shape *shape, bnd_rule rule)
{
    return shape->fraction_bits > 0 && shape->zero && shape->subnormals &&
           (rule.rounding == BND_ROUND_RNE || rule.rounding == BND_ROUND_RTZ || rule.rounding == BND_ROUND_RUP ||
            rule.rounding == BND_ROUND_RDN);
}

static mpfr_rnd_t direction(bnd_rule rule)
{
    switch (bnd_rule_rounding(rule)) {
    case BND_ROUND_RTZ:
        return MPFR_RNDZ;
    case BND_ROUND_RUP:
        return MPFR_RNDU;
    case BND_ROUND_RDN:
        return MPFR_RNDD;
    default:
        return MPFR_RNDN;
    }
}

/* The number at the format's precision; the ternary value is MPFR's. */
static int round_unbounded(bndi_oracle_work *work, const bndi_oracle_number *x, bool negative, mpfr_rnd_t mode)
{
    mpz_set(work->left, x->numerator);
    if (negative) {
        mpz_neg(work->left, work->left);
    }
    if (mpz_cmp_ui(x->denominator, 1) == 0) {
        return mpfr_set_z_2exp(work->narrow, work->left, x->scale, mode);
    }
    mpfr_set_prec(work->wide, (mpfr_prec_t)mpz_sizeinbase(work->left, 2) + 1);
    mpfr_set_z_2exp(work->wide, work->left, x->scale, MPFR_RNDN);
    return mpfr_div_z(work->narrow, work->wide, x->denominator, mode);
}

void bndi_oracle_by_mpfr(bndi_oracle_choice *out, bndi_oracle_work *work, const bndi_oracle_shape *shape,
                         const bndi_oracle_number *x, bool negative, bnd_rule rule)
{
    mpfr_exp_t old_emin = mpfr_get_emin();
    mpfr_exp_t old_emax = mpfr_get_emax();
    mpfr_flags_t old_flags = mpfr_flags_save();
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());

    mpfr_rnd_t mode = direction(rule);
    mpfr_set_prec(work->narrow, (mpfr_prec_t)shape->fraction_bits + 1);
    int ternary = round_unbounded(work, x, negative, mode);
    mpfr_exp_t normal = (mpfr_exp_t)(2 - shape->bias); /* MPFR's significands lie in [1/2, 1) */
    out->tiny = mpfr_get_exp(work->narrow) < normal;
    if (out->tiny) {
        mpfr_set_emin(normal - (mpfr_exp_t)shape->fraction_bits);
        ternary = mpfr_check_range(work->narrow, ternary, mode);
        ternary = mpfr_subnormalize(work->narrow, ternary, mode);
    }
    out->ternary = (ternary > 0) - (ternary < 0);
    out->significand = 0;
    out->quantum = 0;
    if (mpfr_zero_p(work->narrow) == 0) {
        out->quantum = mpfr_get_z_2exp(work->left, work->narrow);
        out->significand = mpz_get_ui(work->left); /* of the magnitude, as GMP defines it */
    }

    mpfr_set_emin(old_emin);
    mpfr_set_emax(old_emax);
    mpfr_flags_restore(old_flags, MPFR_FLAGS_ALL);
}
