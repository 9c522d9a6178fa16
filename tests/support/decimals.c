/* Midpoints, decimals next to them, and reading them with MPFR. */
#include "tests/support/decimals.h"

#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* significand * 2^exponent of a finite magnitude, or of the one that would follow the largest. */
static void grid_value(mpz_t significand, int64_t *exponent, const bnd_format *f, uint64_t magnitude)
{
    bnd_exact value = bnd_unpack(f, magnitude <= f->max_code ? magnitude : f->max_code);
    mpz_set_ui(significand, value.kind == BND_KIND_ZERO ? 0 : value.low);
    *exponent = value.exponent;
    if (magnitude > f->max_code) {
        mpz_set_ui(significand, f->max_significand);
        mpz_add_ui(significand, significand, 1);
        *exponent = f->max_quantum;
    }
}

bool midpoint_above(mpz_t significand, int64_t *exponent, const bnd_format *f, uint64_t magnitude)
{
    if (magnitude > f->max_code) {
        return false;
    }
    mpz_t above;
    mpz_init(above);
    int64_t above_exponent;
    grid_value(significand, exponent, f, magnitude);
    grid_value(above, &above_exponent, f, magnitude + 1);
    if (mpz_sgn(significand) == 0) {
        *exponent = above_exponent;
    }
    int64_t lowest = *exponent < above_exponent ? *exponent : above_exponent;
    mpz_mul_2exp(significand, significand, (mp_bitcnt_t)(*exponent - lowest));
    mpz_mul_2exp(above, above, (mp_bitcnt_t)(above_exponent - lowest));
    mpz_add(significand, significand, above);
    *exponent = lowest - 1;
    mpz_clear(above);
    return true;
}

char *decimal_of_dyadic(bool negative, const mpz_t significand, int64_t exponent, move how)
{
    enum { FAR_PLACES = 1001 };
    mpz_t digits, power;
    mpz_init(digits);
    mpz_init(power);
    long place = exponent < 0 ? (long)exponent : 0;
    mpz_ui_pow_ui(power, exponent < 0 ? 5 : 2, (unsigned long)llabs(exponent));
    mpz_mul(digits, significand, power);
    if (how == FAR_UP || how == FAR_DOWN) {
        mpz_ui_pow_ui(power, 10, FAR_PLACES);
        mpz_mul(digits, digits, power);
        place -= FAR_PLACES;
    }
    if (how == LAST_PLACE_UP || how == FAR_UP) {
        mpz_add_ui(digits, digits, 1);
    } else if (how == LAST_PLACE_DOWN || how == FAR_DOWN) {
        mpz_sub_ui(digits, digits, 1);
    } else if (how == CUT_DIGIT) {
        mpz_tdiv_q_ui(digits, digits, 10);
        place++;
    } else if (how == CUT_HALF) {
        size_t half = mpz_sizeinbase(digits, 10) / 2;
        mpz_ui_pow_ui(power, 10, half);
        mpz_tdiv_q(digits, digits, power);
        place += (long)half;
    }
    if (negative) {
        mpz_neg(digits, digits);
    }
    size_t size = mpz_sizeinbase(digits, 10) + 32;
    char *text = malloc(size);
    mpz_get_str(text, 10, digits);
    snprintf(text + strlen(text), 24, "e%ld", place);
    mpz_clear(power);
    mpz_clear(digits);
    return text;
}

bnd_exact decimal_by_mpfr(const char *text)
{
    MPFR_DECL_INIT(x, 128);
    int ternary = mpfr_strtofr(x, text, NULL, 10, MPFR_RNDZ);
    if (mpfr_zero_p(x)) {
        return (bnd_exact){.kind = BND_KIND_ZERO, .negative = mpfr_signbit(x) != 0};
    }
    mpz_t significand, high;
    mpz_init(significand);
    mpz_init(high);
    mpfr_exp_t exponent = mpfr_get_z_2exp(significand, x);
    mpz_abs(significand, significand);
    mpz_tdiv_q_2exp(high, significand, 64);
    bnd_exact out = {.high = mpz_get_ui(high),
                     .low = mpz_get_ui(significand),
                     .exponent = (int32_t)exponent,
                     .kind = BND_KIND_FINITE,
                     .negative = mpfr_signbit(x) != 0,
                     .sticky = ternary != 0};
    mpz_clear(high);
    mpz_clear(significand);
    return out;
}
