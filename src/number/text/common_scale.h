/* A value, a number as written, and a unit, all as integers on one power of ten. Differences and quotients are then
 * exact integer arithmetic. */
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

/* The parts of one call: the value, the number subtracted from it, and a unit or zero, with `capacity` words each. They
 * are on the stack for every fp64 value and allocated for larger ones. */
enum { BNDI_PART_WORDS = 200 };
typedef struct bndi_parts {
    bndi_part value, number, unit;
    size_t capacity;
    uint64_t *allocated;
    uint64_t words[3 * BNDI_PART_WORDS];
} bndi_parts;

/* Scales all parts to the largest power of ten of which all are multiples; with `units`, 10^0 at most. *fits is false,
 * and the parts are not set, if one needs more than BNDI_MOST_DIGITS digits. Refuses a number, value or unit that is
 * not finite. If the result is not BND_OK, do not call bndi_parts_close. */
BND_CHECKED bnd_status bndi_parts_open(bndi_parts *parts, bool *fits, bnd_exact value, const bnd_number *number,
                                       bnd_exact unit, bool units, bnd_error *why);
void bndi_parts_close(bndi_parts *parts);

/* Returns value - number, stored in one of the two parts. The digits of the other part are lost. */
bndi_part *bndi_parts_subtract(bndi_parts *parts);

/* Returns BND_BAD_ARGUMENT with a message: more than BNDI_MOST_DIGITS digits are needed. */
BND_CHECKED bnd_status bndi_refuse_digits(bnd_error *why);

#endif
