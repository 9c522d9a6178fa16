/* The value of an expression, ready for any rounding: its leading bits, and whether nonzero bits follow. */
#include "calc/calc.h"
#include "calc/reader.h"
#include "calc/big_numbers.h"

#include <stdlib.h>

/* A quotient with 129 bits at least. */
static bnd_exact leading_quotient(const mpq_t x)
{
    mpz_t quotient, rest;
    mpz_inits(quotient, rest, NULL);
    int64_t shift = 130 + (int64_t)mpz_sizeinbase(mpq_denref(x), 2) - (int64_t)mpz_sizeinbase(mpq_numref(x), 2);
    shift = shift > 0 ? shift : 0;
    mpz_abs(quotient, mpq_numref(x));
    mpz_mul_2exp(quotient, quotient, (mp_bitcnt_t)shift);
    mpz_tdiv_qr(quotient, rest, quotient, mpq_denref(x));
    bnd_exact exact = bndi_exact_from_integer(mpq_sgn(x) < 0, quotient, -shift, mpz_sgn(rest) != 0);
    mpz_clears(quotient, rest, NULL);
    return exact;
}

/* Both ends cut to 128 bits. Where they are one number, and neither end is that number itself, so is what lies between
 * them, and more of it follows. */
static bool leading_of_ends(bnd_exact *out, const bnd_real *x)
{
    MPFR_DECL_INIT(low, 128);
    MPFR_DECL_INIT(high, 128);
    bool low_cut = mpfr_set(low, x->low, MPFR_RNDZ) != 0, high_cut = mpfr_set(high, x->high, MPFR_RNDZ) != 0;
    bool one = mpfr_equal_p(x->low, x->high) != 0;
    if (bnd_real_sign(x) == 0 || !mpfr_equal_p(low, high) || (!one && !(low_cut && high_cut))) {
        return false;
    }
    mpz_t significand;
    mpz_init(significand);
    mpfr_exp_t exponent = mpfr_get_z_2exp(significand, low);
    bool negative = mpz_sgn(significand) < 0;
    mpz_abs(significand, significand);
    *out = bndi_exact_from_integer(negative, significand, exponent, low_cut);
    mpz_clear(significand);
    return true;
}

/* False where it is not decided. */
static bool leading_bits(bnd_exact *out, const bnd_real *x)
{
    bndi_mpfr_state state = bndi_mpfr_begin();
    bool decided = true;
    switch (x->known) {
    case BND_KNOWN_EXACTLY:
        *out = mpq_sgn(x->value) == 0 ? (bnd_exact){.kind = BND_KIND_ZERO} : leading_quotient(x->value);
        break;
    case BND_KNOWN_INFINITE:
        *out = (bnd_exact){.kind = BND_KIND_INFINITE, .negative = x->negative};
        break;
    case BND_KNOWN_NAN:
        *out = (bnd_exact){.kind = BND_KIND_QUIET_NAN, .high = UINT64_C(1) << 63};
        break;
    default:
        decided = x->known == BND_KNOWN_DIGITS && leading_of_ends(out, x);
    }
    bndi_mpfr_end(state);
    return decided;
}

static bnd_status refuse_undecided(const bnd_real *x, bnd_error *why)
{
    if (x->known == BND_KNOWN_NOT) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the exact value cannot be computed: it needs more than 100,000 digits, or a divisor may be 0");
    }
    return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                    "the rounding cannot be decided: the first %d bits of the value are those of a number that ends "
                    "there, or of one next to it",
                    BNDI_REAL_BITS_MOST);
}

/* With more and more bits, until the leading ones are known. */
static bnd_status refine(bnd_exact *value, bnd_real **exact, const bnd_term *terms, size_t count, const char *text,
                         bnd_error *why)
{
    for (mpfr_prec_t bits = BNDI_REAL_BITS;; bits *= 4) {
        bnd_status status = bndi_expression_real_alloc(exact, terms, count, text, NULL, bits, why);
        if (status == BND_OK && !bndi_has_room()) {
            bnd_real_free(*exact);
            return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the value of the expression");
        }
        if (status != BND_OK || leading_bits(value, *exact)) {
            return status;
        }
        if ((*exact)->known == BND_KNOWN_NOT || bits >= BNDI_REAL_BITS_MOST) {
            status = refuse_undecided(*exact, why);
            bnd_real_free(*exact);
            return status;
        }
        bnd_real_free(*exact);
    }
}

bnd_status bnd_real_new_of_text_n(bnd_exact *value, bnd_real **exact, const char *text, size_t length, bnd_error *why)
{
    bnd_exact found;
    bnd_real *real = NULL;
    bnd_term *terms = length < SIZE_MAX / sizeof *terms ? malloc((length + 1) * sizeof *terms) : NULL;
    if (terms == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the terms of %zu characters", length);
    }
    size_t count = 0;
    bnd_status status = bnd_expression_parse_n(terms, length + 1, &count, text, length, NULL, why);
    if (status == BND_OK) {
        status = refine(&found, &real, terms, count, text, why);
    }
    free(terms);
    if (status == BND_OK) {
        *value = found;
        *exact = real;
    }
    return status;
}
