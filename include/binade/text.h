/* Layer 4: numbers as text, read and written exactly. Every rounding mode works, and the locale has no effect. For
 * formats with codes nothing is allocated if the text has fewer than 4,000 digits. */
#ifndef BINADE_TEXT_H
#define BINADE_TEXT_H

#include <binade/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reading ---- */

/* Reads a number and rounds it, once, straight from the text.
 *
 * Decimal (12, -0.5, .5, 5., 1e-8), hexadecimal (0x1.8p3, 0x.8p1, 0x1f), inf, infinity, nan, nan(0x7f), in any case, of
 * any length, with nothing before or after it. A minus sign may also be U+2212. Exponents of any size are read; a
 * number beyond every format's range overflows or underflows like any other number. The payload of a NaN is the
 * fraction of an fp64 below its quiet bit: an integer of at most 51 bits, decimal or hexadecimal. snan is a signaling
 * NaN, with payload 1 if none is given. The time is linear in the length of most texts. It grows faster for long
 * decimals that are very near to a number of 128 bits, such as all the digits of 2^-10000.
 *
 * Returns: BND_OK, BND_BAD_SYNTAX, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `out` (out): the code, its flags and its ternary value. `f`: the format. `text`: ends with a 0 byte; in
 *     the _n form it has `length` bytes. `rule`: how to round. `random`: N random bits for the stochastic modes. `why`
 *     (out): the error, or NULL; `where` is an offset into the text.
 * On failure: `out` is unchanged. BND_BAD_SYNTAX: the text is not a number. BND_BAD_ARGUMENT: `f` is a value set, which
 *     has no codes. */
BND_CHECKED bnd_status bnd_parse(bnd_result *out, const bnd_format *f, const char *text, bnd_rule rule, uint64_t random,
                                 bnd_error *why);
BND_CHECKED bnd_status bnd_parse_n(bnd_result *out, const bnd_format *f, const char *text, size_t length, bnd_rule rule,
                                   uint64_t random, bnd_error *why);

/* Reads a number without rounding it, as 128 bits and a sticky bit. It can then be rounded to several formats, each
 * time as if straight from the text.
 *
 * Returns: BND_OK, BND_BAD_SYNTAX or BND_NO_MEMORY.
 * Arguments: `out` (out): the value. `text`, `length`, `why`: as in bnd_parse.
 * On failure: `out` is unchanged: the text is not a number, or there is no memory. */
BND_CHECKED bnd_status bnd_parse_exact(bnd_exact *out, const char *text, bnd_error *why);
BND_CHECKED bnd_status bnd_parse_exact_n(bnd_exact *out, const char *text, size_t length, bnd_error *why);

/* A number that was read: its value, not yet rounded, and the places of its digits. It refers to the text, which must
 * stay as long as the number is used. */
typedef struct bnd_number {
    bnd_exact value;
    /* Private. No digits: the value is the whole number. */
    const char *integer, *fraction;
    size_t integer_length, fraction_length, first, count;
    int64_t exponent;
    bool hexadecimal;
} bnd_number;

/* Reads a number, as bnd_parse does, and keeps the places of its digits, so that errors relative to it are exact.
 *
 * Returns: BND_OK, BND_BAD_SYNTAX or BND_NO_MEMORY.
 * Arguments: `out` (out): the number. It refers to the text, which must stay as long as the number is used. `text`,
 *     `length`: the text. `why` (out): the error, or NULL.
 * On failure: `out` is unchanged: the text is not a number, or there is no memory. */
BND_CHECKED bnd_status bnd_number_parse_n(bnd_number *out, const char *text, size_t length, bnd_error *why);

/* An exact value as a number.
 *
 * Returns: The number. Cannot fail.
 * Arguments: `value`: not sticky. */
bnd_number bnd_number_of_exact(bnd_exact value);

/* ---- writing ---- */

/* Each call writes at most `size` bytes, and always ends the text with a 0 byte if size > 0. It returns the length of
 * the whole text, as snprintf does. */

typedef enum bnd_notation {
    BND_NOTATION_AUTO,    /* plain if at most 40 digits are needed and the exponent is not below -4; else exponent */
    BND_NOTATION_PLAIN,   /* 0.0000001 */
    BND_NOTATION_EXPONENT /* 1e-07 */
} bnd_notation;

/* Writes every digit of an exact value: "0.100000001490116119384765625", "-inf", "nan". A NaN's payload is written if
 * it is not 0 (1 for a signaling one): "nan(0x7f)". A value of 2^331999 or more, or with a bit below
 * 2^-142000, as no format with codes has, is written as a hexadecimal float, with every digit too.
 *
 * Returns: The length of the whole text without its final 0 byte, as snprintf.
 * Arguments: `out` (out): at most `size` bytes, with a final 0 byte if size > 0. `value`: not sticky. `notation`: with
 *     or without an exponent. */
size_t bnd_print_exact(char *out, size_t size, bnd_exact value, bnd_notation notation);

/* Writes the shortest decimal that reads back as this value of the format (nearest even, without overflow); of several,
 * the nearest. Decimal exponents below -4 or above 15 are written as an exponent, as by Python's repr. Value sets work
 * too.
 *
 * Returns: The length of the whole text without its final 0 byte, as snprintf.
 * Arguments: `out` (out), `size`: as in bnd_print_exact. `f`: the format. `value`: one of its values. */
size_t bnd_print_shortest(char *out, size_t size, const bnd_format *f, bnd_exact value);

/* Writes a C hexadecimal float: "0x1.99999ap-4", "-0x0p+0", "inf", "nan".
 *
 * Returns: The length of the whole text without its final 0 byte, as snprintf.
 * Arguments: `out` (out), `size`: as in bnd_print_exact. `value`: the value. */
size_t bnd_print_hex(char *out, size_t size, bnd_exact value);

/* Writes significant decimal digits, correctly rounded (nearest even), without trailing zeros. Decimal exponents below
 * -4, or of `digits` and more, are written as an exponent, as by printf's %g.
 *
 * Returns: The length of the whole text without its final 0 byte, as snprintf.
 * Arguments: `out` (out), `size`: as in bnd_print_exact. `value`: the value. `digits`: how many digits. */
size_t bnd_print_digits(char *out, size_t size, bnd_exact value, int digits);

/* Writes the bits of a code, with sign, exponent and fraction apart: "0 01111 0000000000".
 *
 * Returns: The length of the whole text without its final 0 byte, as snprintf.
 * Arguments: `out` (out), `size`: as in bnd_print_exact. `f`, `code`: the number. */
size_t bnd_print_bits(char *out, size_t size, const bnd_format *f, uint64_t code);

/* The fields of a code. */
typedef enum bnd_field { BND_FIELD_SIGN, BND_FIELD_EXPONENT, BND_FIELD_FRACTION, BND_FIELD_COUNT } bnd_field;

/* Writes one field of a code: "01111".
 *
 * Returns: The length of the whole text without its final 0 byte, as snprintf; 0 if the format does not have the field,
 *     and for a field that is none.
 * Arguments: `out` (out), `size`: as in bnd_print_exact. `f`, `code`: the number. `field`: which one. */
size_t bnd_print_field(char *out, size_t size, const bnd_format *f, uint64_t code, bnd_field field);

/* Writes a code as 0x and as many digits as its width needs: "0x3c00".
 *
 * Returns: The length of the whole text without its final 0 byte, as snprintf.
 * Arguments: `out` (out), `size`: as in bnd_print_exact. `f`, `code`: the number. */
size_t bnd_print_code(char *out, size_t size, const bnd_format *f, uint64_t code);

/* ---- differences, exactly ---- */

/* Writes value - number, every digit: the error of a rounding.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `length` (out): the length of the whole text. `out` (out), `size`: as in bnd_print_exact. `value`,
 *     `number`: both finite. `notation`: with or without an exponent. `why` (out): the error, or NULL.
 * On failure: Nothing is written: one of them is not finite, or the difference needs more than 100,000 digits. */
BND_CHECKED bnd_status bnd_print_error(size_t *length, char *out, size_t size, bnd_exact value,
                                       const bnd_number *number, bnd_notation notation, bnd_error *why);

/* (value - number) / number, and (value - number) / unit, each as the nearest double; infinite if that is beyond all
 * doubles. Relative to a number that is zero, the error of zero is 0, and any other value has none.
 *
 * Returns: BND_OK, BND_BAD_ARGUMENT or BND_NO_MEMORY.
 * Arguments: `out` (out): the error. `value`, `number`: both finite. `unit`: positive and finite. `why` (out): the
 *     error, or NULL.
 * On failure: `out` is unchanged; the reasons are those of bnd_print_error, or the error is relative to zero, or the
 *     unit is not positive and finite. It is not a failure that value and number are far apart, if their magnitudes
 *     alone decide the result. */
BND_CHECKED bnd_status bnd_relative_error(double *out, bnd_exact value, const bnd_number *number, bnd_error *why);
BND_CHECKED bnd_status bnd_error_in_units(double *out, bnd_exact value, const bnd_number *number, bnd_exact unit,
                                          bnd_error *why);

#ifdef __cplusplus
}
#endif
#endif
