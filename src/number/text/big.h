/* What text/ shares of big arithmetic: exact values as integers and as MPFR numbers, and MPFR's state kept as the
 * caller has it. */
#ifndef BINADE_SRC_TEXT_BIG_H
#define BINADE_SRC_TEXT_BIG_H

#include <binade/codec.h>
#include <gmp.h>
#include <mpfr.h>

/* MPFR keeps its exponent range and its flags a thread. A caller may have narrowed the range for work of its own, so
 * every use of MPFR stands between these two: the widest range inside, what was there before outside. */
typedef struct bndi_mpfr_state {
    mpfr_exp_t emin, emax;
    mpfr_flags_t flags;
} bndi_mpfr_state;

bndi_mpfr_state bnd_lab_mpfr_begin(void);
void bnd_lab_mpfr_end(bndi_mpfr_state state);

/* high * 2^64 + low. */
void bndi_significand(mpz_t out, bnd_exact value);

/* `out` has 128 bits of precision: exact, and infinities and NaN are not asked for. */
void bnd_lab_exact_to_mpfr(mpfr_t out, bnd_exact value);

/* integer * 2^exponent, the significand shifted until its top bit is set. With `rest` the magnitude is more than that
 * by less than one in the integer's last place; the integer has at least 128 bits then. Zero becomes BND_KIND_ZERO, and
 * exponents beyond those that any format tells apart become +-2^30, sticky. */
bnd_exact bndi_exact_from_bits(bool negative, uint64_t high, uint64_t low, int64_t exponent, bool rest);
bnd_exact bnd_lab_exact_from_integer(bool negative, const mpz_t integer, int64_t exponent, bool rest);

/* Every format's numbers lie between 2^-(2^29 + 64) and 2^(2^29 + 1), so a magnitude beyond 2^+-2^30 rounds as a little
 * more than 2^+-2^30 does, which is what this is. */
bnd_exact bndi_exact_farthest(bool negative, bool large);

#endif
