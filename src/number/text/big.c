/* Exact values as integers and as MPFR numbers, and back. */
#include "text/big.h"

#include <binade/text.h>
#include <stddef.h>

bndi_mpfr_state bnd_lab_mpfr_begin(void)
{
    bndi_mpfr_state state = {.emin = mpfr_get_emin(), .emax = mpfr_get_emax(), .flags = mpfr_flags_save()};
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return state;
}

void bnd_lab_mpfr_end(bndi_mpfr_state state)
{
    mpfr_set_emin(state.emin);
    mpfr_set_emax(state.emax);
    mpfr_flags_restore(state.flags, MPFR_FLAGS_ALL);
}

void bndi_significand(mpz_t out, bnd_exact value)
{
    uint64_t words[2] = {value.low, value.high};
    mpz_import(out, 2, -1, sizeof words[0], 0, 0, words);
}

void bnd_lab_exact_to_mpfr(mpfr_t out, bnd_exact value)
{
    mpz_t significand;
    mpz_init(significand);
    bndi_significand(significand, value);
    mpfr_set_z_2exp(out, significand, value.exponent, MPFR_RNDZ);
    if (value.negative) {
        mpfr_neg(out, out, MPFR_RNDZ);
    }
    mpz_clear(significand);
}

enum { FARTHEST = 1 << 30 };

bnd_exact bndi_exact_farthest(bool negative, bool large)
{
    return (bnd_exact){.high = UINT64_C(1) << 63,
                       .exponent = large ? FARTHEST - 127 : -FARTHEST - 127,
                       .kind = BND_KIND_FINITE,
                       .negative = negative,
                       .sticky = true};
}

bnd_exact bndi_exact_from_bits(bool negative, uint64_t high, uint64_t low, int64_t exponent, bool rest)
{
    if ((high | low) == 0) {
        return (bnd_exact){.kind = BND_KIND_ZERO, .negative = negative};
    }
    if (high == 0) {
        high = low;
        low = 0;
        exponent -= 64;
    }
    unsigned shift = 0;
    while ((high << shift) >> 63 == 0) {
        shift++;
    }
    if (shift > 0) {
        high = high << shift | low >> (64 - shift);
        low <<= shift;
        exponent -= (int64_t)shift;
    }
    if (exponent > FARTHEST - 127 || exponent < -FARTHEST - 127) {
        return bndi_exact_farthest(negative, exponent > 0);
    }
    return (bnd_exact){.high = high,
                       .low = low,
                       .exponent = (int32_t)exponent,
                       .kind = BND_KIND_FINITE,
                       .negative = negative,
                       .sticky = rest};
}

bnd_exact bnd_lab_exact_from_integer(bool negative, const mpz_t integer, int64_t exponent, bool rest)
{
    size_t bits = mpz_sgn(integer) == 0 ? 0 : mpz_sizeinbase(integer, 2);
    size_t surplus = bits > 128 ? bits - 128 : 0;
    mpz_t top;
    mpz_init(top);
    mpz_tdiv_q_2exp(top, integer, surplus);
    rest = rest || (surplus > 0 && mpz_scan1(integer, 0) < surplus);
    uint64_t words[2] = {0, 0};
    mpz_export(words, NULL, -1, sizeof words[0], 0, 0, top);
    mpz_clear(top);
    return bndi_exact_from_bits(negative, words[1], words[0], exponent + (int64_t)surplus, rest);
}

const char *bnd_gmp_version(void)
{
    return gmp_version;
}

const char *bnd_mpfr_version(void)
{
    return mpfr_get_version();
}
