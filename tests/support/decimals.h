/* Decimals that are hard to read: midpoints between neighbours and the decimals next to them, written with GMP, read
 * with MPFR. */
#ifndef TESTS_SUPPORT_DECIMALS_H
#define TESTS_SUPPORT_DECIMALS_H

#include <binade/codec.h>
#include <gmp.h>

/* Half way between the magnitude and the next larger one of the format, beyond the largest number too, as
 * significand * 2^exponent. False where the format has no such pair. */
bool midpoint_above(mpz_t significand, int64_t *exponent, const bnd_format *f, uint64_t magnitude);

/* significand * 2^exponent, moved by one unit of its last decimal place or of a far one, or with digits cut off at the
 * end: "123e-45". The caller frees it. */
typedef enum move { STAY, LAST_PLACE_UP, LAST_PLACE_DOWN, FAR_UP, FAR_DOWN, CUT_DIGIT, CUT_HALF, MOVES } move;
char *decimal_of_dyadic(bool negative, const mpz_t significand, int64_t exponent, move how);

/* A decimal number as MPFR reads it: its leading 128 bits, and whether there are more. */
bnd_exact decimal_by_mpfr(const char *text);

#endif
