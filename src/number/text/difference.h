/* Exact differences between a value and a number in a text, as integers on a common scale. */
#ifndef BINADE_SRC_TEXT_DIFFERENCE_H
#define BINADE_SRC_TEXT_DIFFERENCE_H

#include "text/big.h"
#include "text/number.h"
#include <binade/text.h>

/* integer * 2^two * 10^ten; the integer has the sign. */
typedef struct bndi_decimal_scaled {
    mpz_t integer;
    int64_t two, ten;
} bndi_decimal_scaled;

void bnd_lab_scaled_open(bndi_decimal_scaled *scaled);
void bnd_lab_scaled_close(bndi_decimal_scaled *scaled);

/* A finite value; a finite number of a text, which is scanned again. Both say in `why` what they refuse. */
BND_CHECKED bnd_status bnd_lab_scaled_from_value(bndi_decimal_scaled *out, bnd_exact value, const char *name,
                                                 bnd_error *why);
BND_CHECKED bnd_status bndi_scan_finite(bndi_scanned *out, const char *text, size_t length, bnd_error *why);
/* BND_BAD_ARGUMENT where it has more than BNDI_MOST_DIGITS digits. */
BND_CHECKED bnd_status bnd_lab_scaled_from_number(bndi_decimal_scaled *out, const bndi_scanned *number, bnd_error *why);

/* The largest power of ten that all the parts are multiples of, zeros aside; with `units`, 10^0 at most. False where an
 * integer times it would need more than BNDI_MOST_DIGITS digits to write a part. */
bool bndi_common_place(int64_t *place, bndi_decimal_scaled *const *parts, size_t count, bool units);

/* BND_BAD_ARGUMENT, for what takes more than BNDI_MOST_DIGITS digits. */
BND_CHECKED bnd_status bndi_refuse_digits(bnd_error *why);

/* Makes the part integer * 10^place. */
void bndi_bring_to_place(bndi_decimal_scaled *part, int64_t place);

#endif
