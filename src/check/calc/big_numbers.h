/* Conversion of exact values, and of numbers and digits in a text, to numbers of GMP and MPFR, and back. */
#ifndef BINADE_SRC_CALC_BIG_NUMBERS_H
#define BINADE_SRC_CALC_BIG_NUMBERS_H

#include "base/base.h"
#include "text/scanned.h"
#include <binade/text.h>
#include <gmp.h>
#include <mpfr.h>

/* MPFR keeps its exponent range and its flags per thread, and a caller may have narrowed the range for its own use.
 * So every use of MPFR is between these two calls: the first sets the widest range, the second restores the caller's
 * range and flags. */
typedef struct bndi_mpfr_state {
    mpfr_exp_t emin, emax;
    mpfr_flags_t flags;
} bndi_mpfr_state;

bndi_mpfr_state bndi_mpfr_begin(void);
void bndi_mpfr_end(bndi_mpfr_state state);

/* `out` has 128 bits of precision: exact. Infinities and NaN are not allowed. */
void bndi_exact_to_mpfr(mpfr_t out, bnd_exact value);

/* integer * 2^exponent, cut to 128 bits and a sticky one. With `rest` the magnitude is more than that by less than one
 * in the integer's last place; the integer has at least 128 bits then. */
bnd_exact bndi_exact_from_integer(bool negative, const mpz_t integer, int64_t exponent, bool rest);

/* integer * 2^two * 10^ten; the integer has the sign. */
typedef struct bndi_decimal_scaled {
    mpz_t integer;
    int64_t two, ten;
} bndi_decimal_scaled;

void bndi_scaled_open(bndi_decimal_scaled *scaled);
void bndi_scaled_close(bndi_decimal_scaled *scaled);
void bndi_scaled_from_value(bndi_decimal_scaled *out, bnd_exact value); /* finite */
/* BND_BAD_ARGUMENT, without a message, where the number has more than 100,000 digits. */
BND_CHECKED bnd_status bndi_scaled_from_number(bndi_decimal_scaled *out, const bndi_scanned *number, bnd_error *why);

/* integer * 10^last_place, the integer not zero, in the notation. */
void bndi_write_integer(bndi_text *out, bool negative, const mpz_t integer, int64_t last_place, bnd_notation notation);

#endif
