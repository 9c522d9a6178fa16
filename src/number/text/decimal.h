/* Decimal digits into text, piece by piece, in any notation. */
#ifndef BINADE_SRC_TEXT_DECIMAL_H
#define BINADE_SRC_TEXT_DECIMAL_H

#include "base/base.h"
#include "text/naturals.h"
#include <binade/text.h>

/* The most digits that are written. Beyond this a value is written in hexadecimal and a difference is refused. Every
 * format with codes needs fewer than 33,000. */
enum { BNDI_MOST_DIGITS = 100000 };

/* d.ddd * 10^exponent being written, as 12, 0.5 or, in the exponent form, 1.2e+01, 5e-01. Zeros at the end of the
 * digits wait until another digit follows. */
typedef struct bndi_decimal_writer {
    bndi_text *out;
    bool exponent_form;
    int64_t exponent;
    uint64_t before; /* digits before the point */
    uint64_t written, waiting;
} bndi_decimal_writer;

bndi_decimal_writer bndi_decimal_begin(bndi_text *out, bool negative, int64_t exponent, bool exponent_form);
void bndi_decimal_digits(bndi_decimal_writer *w, const char *digits, size_t count); /* the first digit is not 0 */
void bndi_decimal_end(bndi_decimal_writer *w);

/* All digits at hand: (-1)^negative * d.ddd * 10^exponent, the first of `count` digits not 0. */
typedef struct bndi_decimal {
    bool negative;
    const char *digits;
    size_t count;
    int64_t exponent;
} bndi_decimal;

/* Digits whose last one has the weight 10^last_place, normalized: trailing zeros are removed. */
bndi_decimal bnd_lab_decimal_of_digits(bool negative, const char *digits, size_t count, int64_t last_place);

void bnd_lab_write_decimal(bndi_text *out, const bndi_decimal *decimal, bool exponent_form);

/* Is a number of `count` digits, trailing zeros not counted, written with an exponent? */
bool bnd_lab_has_exponent_form(bnd_notation notation, uint64_t count, int64_t exponent);

/* Digits in chunks of nineteen, the first chunk not 0, times 10^last_place. */
typedef struct bndi_chunks {
    const uint64_t *chunk;
    size_t count;
    size_t skip, zeros; /* zero digits before the first nonzero digit and after the last */
    int64_t exponent;   /* of the first nonzero digit */
} bndi_chunks;

bndi_chunks bndi_chunks_of(const uint64_t *chunk, size_t count, int64_t last_place);
void bndi_write_chunks(bndi_text *out, bool negative, const bndi_chunks *chunks, bool exponent_form);

/* Writes natural * 10^last_place, not zero. The natural is overwritten with digits; `capacity` is BNDI_CHUNKS_CAPACITY
 * words. */
void bndi_write_natural(bndi_text *out, bool negative, bndi_natural *natural, size_t capacity, int64_t last_place,
                        bnd_notation notation);

/* Writes infinities, NaNs and zeros, for every call that writes decimals. Returns true if the value was one of
 * these. */
bool bndi_write_special(bndi_text *out, bnd_exact value);

/* Writes a finite value or zero as a C hexadecimal float. */
void bndi_write_hex(bndi_text *out, bnd_exact value);

#endif
