/* Numbers as they were written: the parts that the scanner found, before any arithmetic. Internal to text. */
#ifndef BINADE_SRC_TEXT_NUMBER_H
#define BINADE_SRC_TEXT_NUMBER_H

#include "text/naturals.h"
#include <binade/base.h>

typedef enum bndi_number_kind {
    BNDI_NUMBER_DECIMAL,
    BNDI_NUMBER_HEX,
    BNDI_NUMBER_INFINITE,
    BNDI_NUMBER_NAN,
    BNDI_NUMBER_SIGNALING_NAN
} bndi_number_kind;

/* Exponents saturate at this magnitude. With the position of a digit added (four times the position in a hexadecimal
 * number) they stay in an int64_t: 4e18 + 4 * 2^60 < 2^63. */
#define BNDI_EXPONENT_SATURATED INT64_C(4000000000000000000)

/* A text that is a number. Its significant digits, from the first to the last one that is not zero, are `count` digits
 * starting at digit `first` of integer and fraction together, and the last of them counts 10^exponent, in a hexadecimal
 * number 2^exponent. No such digit (count == 0): zero. */
typedef struct bndi_scanned {
    bndi_number_kind kind;
    bool negative;
    const char *integer, *fraction; /* digits only: before and after the point */
    size_t integer_length, fraction_length;
    size_t first, count;
    int64_t exponent;
    uint64_t payload; /* of a NaN */
} bndi_scanned;

/* The payload of a NaN: the fraction of an fp64 below its quiet bit. */
#define BNDI_PAYLOAD_BITS 51

/* Checks the whole text against the grammar: on success there is nothing before or after the number. */
BND_CHECKED bnd_status bnd_lab_scan_number(bndi_scanned *out, const char *text, size_t length, bnd_error *why);

/* Copies `length` significant digits, from the `from`-th on, without the point and without a final 0 byte. */
void bnd_lab_copy_digits(char *out, const bndi_scanned *number, size_t from, size_t length);

/* The first `length` significant digits as a number. Decimal digits take 3.33 bits each, hexadecimal ones 4. */
bndi_natural bndi_digits_as_natural(uint64_t *words, const bndi_scanned *number, size_t length);

/* 0 .. 15, or -1 if the byte is not a hexadecimal digit. */
int bndi_digit_value(char c);

#endif
