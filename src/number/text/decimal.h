/* A number as decimal digits, ready to be written in any notation. */
#ifndef BINADE_SRC_TEXT_DECIMAL_H
#define BINADE_SRC_TEXT_DECIMAL_H

#include "base/base.h"
#include <binade/text.h>
#include <gmp.h>

/* More digits than this are neither worked out nor written: a value is written in hexadecimal then, a difference is
 * refused. Every format with at most 15 bits of exponent stays below 12,000. */
enum { BNDI_MOST_DIGITS = 100000 };

/* (-1)^negative * d.ddd * 10^exponent. `count` digits, neither the first nor the last is 0. */
typedef struct bndi_decimal {
    bool negative;
    const char *digits;
    size_t count;
    int64_t exponent;
} bndi_decimal;

/* Digits that count 10^last_place in the last place, made proper: trailing zeros are left off. */
bndi_decimal bndi_decimal_of_digits(bool negative, const char *digits, size_t count, int64_t last_place);

/* How many digits the plain notation takes, zeros before and behind counted. */
uint64_t bndi_plain_digits(const bndi_decimal *decimal);

/* Writes 12, 0.5 or, in the exponent form, 1.2e+01, 5e-01. */
void bnd_lab_write_decimal(bndi_text *out, const bndi_decimal *decimal, bool exponent_form);

/* integer * 10^last_place, the integer not zero, as the notation asks. */
void bnd_lab_write_integer(bndi_text *out, bool negative, const mpz_t integer, int64_t last_place,
                           bnd_notation notation);

/* Infinities, NaN and zero are written the same by every call that writes decimals: true where the value was one. */
bool bndi_write_special(bndi_text *out, bnd_exact value);

/* A finite value or zero, as a C hexadecimal float. */
void bndi_write_hex(bndi_text *out, bnd_exact value);

#endif
