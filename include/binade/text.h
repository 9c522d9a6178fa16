/* Layer 4: numbers as people write them. Exact, in any mode, in every locale the same. With integers of its own: for
 * formats with codes nothing is allocated, whatever is read or written in fewer than 4,000 digits. */
#ifndef BINADE_TEXT_H
#define BINADE_TEXT_H

#include <binade/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reading ---- */

/* A number: decimal (12, -0.5, .5, 5., 1e-8), hexadecimal (0x1.8p3, 0x.8p1, 0x1f), inf, infinity, nan, nan(0x7f), in
 * any case, any length, nothing before or after it. A minus sign may also be U+2212.
 * Rounded once, straight from the text. Time is linear in `length`.
 * Exponents of any size are read; what lies beyond every format's range overflows or underflows like any other number.
 * The payload of a NaN is the fraction of an fp64 below its quiet bit: an integer of at most 51 bits, in decimal or
 * hexadecimal. snan is a signaling NaN, of payload 1 where none is given. Value sets have no codes: BND_BAD_ARGUMENT.
 */
BND_CHECKED bnd_status bnd_parse(bnd_result *out, const bnd_format *f, const char *text, size_t length, bnd_rule rule,
                                 uint64_t random, bnd_error *why);

/* The same, not yet rounded: 128 bits and a sticky one, so that any number of roundings can follow, each of them the
 * only one. */
BND_CHECKED bnd_status bnd_parse_exact(bnd_exact *out, const char *text, size_t length, bnd_error *why);

/* A number as it is written, read once: its value, not yet rounded, and where its digits stand. It refers to the text,
 * which stays as long as the number is used. */
typedef struct bnd_number {
    bnd_exact value;
    /* Not for callers. No digits: the value is all of the number. */
    const char *integer, *fraction;
    size_t integer_length, fraction_length, first, count;
    int64_t exponent;
    bool hexadecimal;
} bnd_number;

/* Reads what bnd_parse_exact reads. On failure nothing is written. */
BND_CHECKED bnd_status bnd_number_parse(bnd_number *out, const char *text, size_t length, bnd_error *why);
/* The number that a value is, which is not sticky. */
bnd_number bnd_number_of_exact(bnd_exact value);

/* ---- writing: each writes at most `size` bytes, always ends with a 0 byte where size > 0, and returns the length that
 * the whole text has, as snprintf does ---- */

typedef enum bnd_notation {
    BND_NOTATION_AUTO,  /* plain where at most 40 digits need writing and the exponent is not below -4; else exponent */
    BND_NOTATION_PLAIN, /* 0.0000001 */
    BND_NOTATION_EXPONENT /* 1e-07 */
} bnd_notation;

/* Every digit of the exact value (which is not sticky): "0.100000001490116119384765625", "-inf", "nan". A NaN's payload
 * is written where it is not 0 (1 for a signaling one): "nan(0x7f)". What would take more than 100,000 digits, which no
 * format with codes has, is written as a hexadecimal float, every digit too. */
size_t bnd_print_exact(char *out, size_t size, bnd_exact value, bnd_notation notation);

/* The shortest decimal that reads back (rne, the format's own overflow) as this value of the format; of those the
 * nearest to it; with an exponent where it is below -4 or above 15, as Python's repr. For value sets too. */
size_t bnd_print_shortest(char *out, size_t size, const bnd_format *f, bnd_exact value);

/* A C hexadecimal float: "0x1.99999ap-4", "-0x0p+0", "inf", "nan". */
size_t bnd_print_hex(char *out, size_t size, bnd_exact value);

/* `digits` significant decimal digits, correctly rounded (nearest even), without trailing zeros; with an exponent where
 * it is below -4 or not below `digits`, as printf's %g. */
size_t bnd_print_digits(char *out, size_t size, bnd_exact value, int digits);

/* The bits of a code, sign, exponent and fraction apart: "0 01111 0000000000". */
size_t bnd_print_bits(char *out, size_t size, const bnd_format *f, uint64_t code);

/* One field of them, "01111": "" where the format has none of it. */
typedef enum bnd_field { BND_FIELD_SIGN, BND_FIELD_EXPONENT, BND_FIELD_FRACTION, BND_FIELD_COUNT } bnd_field;
size_t bnd_print_field(char *out, size_t size, const bnd_format *f, uint64_t code, bnd_field field);

/* The code as 0x and as many digits as its width needs: "0x3c00". */
size_t bnd_print_code(char *out, size_t size, const bnd_format *f, uint64_t code);

/* ---- differences, exactly ---- */

/* value - number, every digit, both finite: the error of a rounding. Refused (BND_BAD_ARGUMENT) where it would need
 * more than 100,000 digits. */
BND_CHECKED bnd_status bnd_print_error(size_t *length, char *out, size_t size, bnd_exact value,
                                       const bnd_number *number, bnd_notation notation, bnd_error *why);

/* (value - number) / number, and (value - number) / unit, each as the nearest double, infinite where that is beyond all
 * of them. unit: a positive finite value. Relative to a number that is zero only zero has an error, 0. Refused as
 * above, but not where value and number are so far apart that the answer is plain. */
BND_CHECKED bnd_status bnd_relative_error(double *out, bnd_exact value, const bnd_number *number, bnd_error *why);
BND_CHECKED bnd_status bnd_error_in_units(double *out, bnd_exact value, const bnd_number *number, bnd_exact unit,
                                          bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
