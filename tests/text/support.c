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

/* ---- differences ---- */

bnd_status print_error_of_text(size_t *length, char *out, size_t size, bnd_exact value, const char *text,
                               size_t text_length, bnd_notation notation, bnd_error *why)
{
    bnd_number number;
    bnd_status status = bnd_number_parse_n(&number, text, text_length, why);
    return status != BND_OK ? status : bnd_print_error(length, out, size, value, &number, notation, why);
}

bnd_status relative_error_of_text(double *out, bnd_exact value, const char *text, size_t length, bnd_error *why)
{
    bnd_number number;
    bnd_status status = bnd_number_parse_n(&number, text, length, why);
    return status != BND_OK ? status : bnd_relative_error(out, value, &number, why);
}

bnd_status units_of_text(double *out, bnd_exact value, const char *text, size_t length, bnd_exact unit, bnd_error *why)
{
    bnd_number number;
    bnd_status status = bnd_number_parse_n(&number, text, length, why);
    return status != BND_OK ? status : bnd_error_in_units(out, value, &number, unit, why);
}
