/* The value of an expression, ready for any rounding: its leading bits, and whether nonzero bits follow. */
#include "calc/calc.h"
#include "calc/reader.h"
#include "calc/big_numbers.h"
#include "text/leading_bits.h"

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

/* Numbers beyond every format: which one of them it is makes no difference. */
static bool beyond_formats(bnd_exact *out, bool negative, const mpfr_t near, const mpfr_t far)
{
    const mpfr_exp_t most = (mpfr_exp_t)1 << 33;
    bool huge = mpfr_regular_p(near) && mpfr_get_exp(near) > most;
    bool tiny = mpfr_regular_p(far) && mpfr_get_exp(far) < -most;
    if (huge || tiny) {
        *out = bnd_lab_exact_from_bits(negative, UINT64_C(1) << 63, 0, huge ? most : -most, true);
    }
    return huge || tiny;
}

/* Both ends cut to 128 bits. Where they are one number, and neither end is that number itself, so is what lies between
 * them, and more of it follows. `by_limits`: an end that is not reached is not part of what lies between them. */
static bool leading_of_ends(bnd_exact *out, const bnd_real *x, bool by_limits)
{
    MPFR_DECL_INIT(near, 128);
    MPFR_DECL_INIT(far, 128);
    const bool negative = bnd_real_sign(x) < 0, one = mpfr_equal_p(x->low, x->high) != 0;
    mpfr_srcptr ends[] = {negative ? x->high : x->low, negative ? x->low : x->high};
    bool near_cut = mpfr_set(near, ends[0], MPFR_RNDZ) != 0, far_cut = mpfr_set(far, ends[1], MPFR_RNDZ) != 0;
    if (bnd_real_sign(x) == 0) {
        return false;
    }
    if (by_limits && beyond_formats(out, negative, ends[0], ends[1])) {
        return true;
    }
    if (by_limits && !far_cut && (negative ? x->open.low : x->open.high)) {
        mpfr_nexttoward(far, near);
        far_cut = true;
    }
    near_cut = near_cut || (by_limits && (negative ? x->open.high : x->open.low));
    if (!mpfr_equal_p(near, far) || (!one && !(near_cut && far_cut))) {
        return false;
    }
    mpz_t significand;
    mpz_init(significand);
    mpfr_exp_t exponent = mpfr_get_z_2exp(significand, near);
    mpz_abs(significand, significand);
    *out = bndi_exact_from_integer(negative, significand, exponent, near_cut);
    mpz_clear(significand);
    return true;
}

/* False where it is not decided. */
static bool leading_bits(bnd_exact *out, const bnd_real *x, bool by_limits)
{
    bndi_mpfr_state state = bndi_mpfr_begin();
    bool decided = true;
    switch (x->known) {
    case BND_KNOWN_EXACTLY:
        *out = mpq_sgn(x->value) == 0 ? (bnd_exact){.kind = BND_KIND_ZERO, .negative = x->negative && !x->signless}
                                      : leading_quotient(x->value);
        break;
    case BND_KNOWN_INFINITE:
        *out = (bnd_exact){.kind = BND_KIND_INFINITE, .negative = x->negative};
        break;
    case BND_KNOWN_NAN:
        *out = (bnd_exact){.kind = BND_KIND_QUIET_NAN, .high = UINT64_C(1) << 63};
        break;
    default:
        decided = x->known == BND_KNOWN_DIGITS && leading_of_ends(out, x, by_limits);
    }
    bndi_mpfr_end(state);
    return decided;
}

static bnd_status refuse_undecided(const bnd_real *x, bnd_error *why)
{
    if (x->known == BND_KNOWN_NOT) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the exact value cannot be computed: it needs more than 100,000 digits, a divisor or another "
                        "operand may be 0, or terms beyond 2^(2^62) are subtracted");
    }
    if (bnd_real_sign(x) == 0) {
        return bnd_fail(
            why, BND_BAD_ARGUMENT, 0,
            "the rounding cannot be decided: %d bits do not tell the value from 0, because terms cancel, or "
            "rem is at a boundary",
            BNDI_REAL_BITS_MOST);
    }
    if (bndi_real_is_bounded(x)) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0,
                        "the rounding cannot be decided: a term of the expression is beyond 2^(2^62), or below its "
                        "reciprocal, and only its sign is known");
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
        bool last = bits >= BNDI_REAL_BITS_MOST;
        if (status != BND_OK || leading_bits(value, *exact, last)) {
            return status;
        }
        if ((*exact)->known == BND_KNOWN_NOT || last) {
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
