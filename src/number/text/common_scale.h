/* A value, a number as it was written and a unit as integers on one scale of powers of ten, so that differences and
 * quotients are those of integers. */
#ifndef BINADE_SRC_TEXT_COMMON_SCALE_H
#define BINADE_SRC_TEXT_COMMON_SCALE_H

#include "text/naturals.h"
#include "text/scanned.h"
#include <binade/text.h>

/* (-1)^negative * magnitude * 2^two * 10^ten. */
typedef struct bndi_part {
    bndi_natural magnitude;
    bool negative;
    int64_t two, ten;
} bndi_part;

/* The parts of one call. What is to be subtracted from, the number, and a unit or zero; `capacity` words each: on the
 * stack for all that fp64 can be, else allocated. */
enum { BNDI_PART_WORDS = 200 };
typedef struct bndi_parts {
    bndi_part value, number, unit;
    size_t capacity;
    uint64_t *allocated;
    uint64_t words[3 * BNDI_PART_WORDS];
} bndi_parts;

/* Brings all to a common place, the largest power of ten that they are multiples of; with `units`,
 * 10^0 at most. *fits is false, and the parts are not set, where one takes more than BNDI_MOST_DIGITS digits. Refuses
 * a number, value or unit that is not finite. Without BND_OK nothing needs closing. */
BND_CHECKED bnd_status bndi_parts_open(bndi_parts *parts, bool *fits, bnd_exact value, const bnd_number *number,
                                       bnd_exact unit, bool units, bnd_error *why);
void bndi_parts_close(bndi_parts *parts);

/* value - number, one of the two. The other one's digits are lost. */
bndi_part *bndi_parts_subtract(bndi_parts *parts);

/* BND_BAD_ARGUMENT, for what takes more than BNDI_MOST_DIGITS digits. */
BND_CHECKED bnd_status bndi_refuse_digits(bnd_error *why);

#endif
