/* pi and e: as intervals, and as the leading 128 bits that any rounding needs. */
#include "base/base.h"
#include "calc/calc.h"
#include "calc/big_numbers.h"

static void work_out(mpfr_t out, bndi_constant which, mpfr_rnd_t rounding)
{
    if (which == BNDI_CONSTANT_PI) {
        mpfr_const_pi(out, rounding);
    } else {
        mpfr_t one;
        mpfr_init2(one, MPFR_PREC_MIN + 1);
        mpfr_set_ui(one, 1, MPFR_RNDN);
        mpfr_exp(out, one, rounding);
        mpfr_clear(one);
    }
}

bnd_exact bndi_constant_exact(bndi_constant which)
{
    bndi_mpfr_state state = bndi_mpfr_begin();
    MPFR_DECL_INIT(x, 128);
    mpz_t significand;
    mpz_init(significand);
    work_out(x, which, MPFR_RNDZ);
    mpfr_exp_t exponent = mpfr_get_z_2exp(significand, x);
    bnd_exact exact = bndi_exact_from_integer(false, significand, exponent, true); /* irrational: never all of it */
    mpz_clear(significand);
    bndi_mpfr_end(state);
    return exact;
}

void bndi_real_constant(bnd_real *out, bndi_constant which, bool negative)
{
    work_out(out->low, which, negative ? MPFR_RNDU : MPFR_RNDD);
    work_out(out->high, which, negative ? MPFR_RNDD : MPFR_RNDU);
    if (negative) {
        mpfr_neg(out->low, out->low, MPFR_RNDN);
        mpfr_neg(out->high, out->high, MPFR_RNDN);
    }
    out->known = BND_KNOWN_DIGITS;
    out->open = (bndi_open){true, true};
}
