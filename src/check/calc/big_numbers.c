/* Conversion of exact values and of digits to numbers of GMP and MPFR, and back. */
#include "calc/big_numbers.h"
#include "text/decimal.h"
#include "text/leading_bits.h"

#include <binade-lab/calc.h>
#include <stdlib.h>
#include <string.h>

bndi_mpfr_state bndi_mpfr_begin(void)
{
    bndi_mpfr_state state = {.emin = mpfr_get_emin(), .emax = mpfr_get_emax(), .flags = mpfr_flags_save()};
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return state;
}

void bndi_mpfr_end(bndi_mpfr_state state)
{
    mpfr_set_emin(state.emin);
    mpfr_set_emax(state.emax);
    mpfr_flags_restore(state.flags, MPFR_FLAGS_ALL);
}

/* high * 2^64 + low. */
static void set_significand(mpz_t out, bnd_exact value)
{
    uint64_t words[2] = {value.low, value.high};
    mpz_import(out, 2, -1, sizeof words[0], 0, 0, words);
}

void bndi_exact_to_mpfr(mpfr_t out, bnd_exact value)
{
    mpz_t significand;
    mpz_init(significand);
    set_significand(significand, value);
    mpfr_set_z_2exp(out, significand, value.exponent, MPFR_RNDZ);
    if (value.negative) {
        mpfr_neg(out, out, MPFR_RNDZ);
    }
    mpz_clear(significand);
}

bnd_exact bndi_exact_from_integer(bool negative, const mpz_t integer, int64_t exponent, bool rest)
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
    return bnd_lab_exact_from_bits(negative, words[1], words[0], exponent + (int64_t)surplus, rest);
}

/* ---- integers on a scale ---- */

void bndi_scaled_open(bndi_decimal_scaled *scaled)
{
    mpz_init(scaled->integer);
    scaled->two = 0;
    scaled->ten = 0;
}

void bndi_scaled_close(bndi_decimal_scaled *scaled)
{
    mpz_clear(scaled->integer);
}

void bndi_scaled_from_value(bndi_decimal_scaled *out, bnd_exact value)
{
    out->two = value.exponent;
    out->ten = 0;
    mpz_set_ui(out->integer, 0);
    if (value.kind == BND_KIND_FINITE && (value.high | value.low) != 0) {
        set_significand(out->integer, value);
        mp_bitcnt_t zeros = mpz_scan1(out->integer, 0);
        mpz_tdiv_q_2exp(out->integer, out->integer, zeros);
        out->two += (int64_t)zeros;
    }
    if (value.negative) {
        mpz_neg(out->integer, out->integer);
    }
}

bnd_status bndi_scaled_from_number(bndi_decimal_scaled *out, const bndi_scanned *number, bnd_error *why)
{
    bool hex = number->kind == BNDI_NUMBER_HEX;
    int64_t far = BNDI_EXPONENT_SATURATED / 2;
    if (number->count > 0 &&
        (number->count > BNDI_MOST_DIGITS || number->exponent <= -far || number->exponent >= far)) {
        return BND_BAD_ARGUMENT;
    }
    char *digits = malloc(number->count + 2);
    if (digits == NULL) {
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for %zu digits", number->count);
    }
    digits[0] = '0';
    bnd_lab_copy_digits(digits + 1, number, 0, number->count);
    digits[number->count + 1] = '\0';
    mpz_set_str(out->integer, digits, hex ? 16 : 10);
    free(digits);
    if (number->negative) {
        mpz_neg(out->integer, out->integer);
    }
    out->two = hex ? number->exponent : 0;
    out->ten = hex ? 0 : number->exponent;
    return BND_OK;
}

/* ---- digits ---- */

void bndi_write_integer(bndi_text *out, bool negative, const mpz_t integer, int64_t last_place, bnd_notation notation)
{
    char *digits = mpz_get_str(NULL, 10, integer);
    size_t length = strlen(digits);
    bndi_decimal decimal = bnd_lab_decimal_of_digits(negative, digits, length, last_place);
    bnd_lab_write_decimal(out, &decimal, bnd_lab_has_exponent_form(notation, decimal.count, decimal.exponent));
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    release(digits, length + 1);
}

/* ---- the libraries below ---- */

const char *bnd_gmp_version(void)
{
    return gmp_version;
}

const char *bnd_mpfr_version(void)
{
    return mpfr_get_version();
}
