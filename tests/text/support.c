/* What the tests of text/ share. */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

bool worth_printing(uint64_t *mismatches)
{
    return (*mismatches)++ < 5;
}

uint64_t drawn(draw *from)
{
    return bnd_random(20, from->purpose, from->element++);
}

uint64_t drawn_below(draw *from, uint64_t limit)
{
    return drawn(from) % limit;
}

/* ---- rationals ---- */

static void multiply_by_power(mpq_t x, unsigned long base, long exponent)
{
    mpq_t power;
    mpq_init(power);
    mpz_ui_pow_ui(mpq_numref(power), base, (unsigned long)labs(exponent));
    if (exponent >= 0) {
        mpq_mul(x, x, power);
    } else {
        mpq_div(x, x, power);
    }
    mpq_clear(power);
}

void rational_of_text(mpq_t out, const char *text, size_t length)
{
    char *digits = calloc(length + 2, 1);
    const char *at = text, *end = text + length;
    bool negative = at < end && *at == '-', point = false;
    at += at < end && (*at == '-' || *at == '+');
    bool hex = end - at > 1 && at[0] == '0' && (at[1] | 32) == 'x';
    at += hex ? 2 : 0;
    size_t count = 0;
    long places = 0, exponent = 0;
    for (; at < end && (*at | 32) != (hex ? 'p' : 'e'); at++) {
        if (*at == '.') {
            point = true;
        } else {
            digits[count++] = *at;
            places += point;
        }
    }
    if (at < end) {
        exponent = strtol(at + 1, NULL, 10);
    }
    mpq_set_ui(out, 0, 1);
    mpz_set_str(mpq_numref(out), count > 0 ? digits : "0", hex ? 16 : 10);
    multiply_by_power(out, hex ? 2 : 10, hex ? exponent - 4 * places : exponent - places);
    if (negative) {
        mpq_neg(out, out);
    }
    free(digits);
}

void rational_of_exact(mpq_t out, bnd_exact value)
{
    mpq_set_ui(out, 0, 1);
    if (value.kind == BND_KIND_FINITE) {
        mpz_set_ui(mpq_numref(out), value.high);
        mpz_mul_2exp(mpq_numref(out), mpq_numref(out), 64);
        mpz_add_ui(mpq_numref(out), mpq_numref(out), value.low);
        multiply_by_power(out, 2, value.exponent);
    }
    if (value.negative) {
        mpq_neg(out, out);
    }
}

/* ---- midpoints ---- */

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

bool same_exact(bnd_exact a, bnd_exact b)
{
    if (a.kind != b.kind || a.negative != b.negative) {
        return false;
    }
    if (a.kind == BND_KIND_QUIET_NAN || a.kind == BND_KIND_SIGNALING_NAN) {
        return a.high == b.high;
    }
    return a.kind != BND_KIND_FINITE || bnd_exact_compare(a, b) == 0;
}
