/* Operations on codes in double arithmetic: the exact results that answers.h needs, for every operation of arith/.
 * The products of a format's numbers, and the remainders of their quotients, must be doubles. */
#ifndef BINADE_SRC_VERIFY_NARROW_OPERATIONS_H
#define BINADE_SRC_VERIFY_NARROW_OPERATIONS_H

#include <binade/arith.h>

#include "verify/answers.h"

typedef struct bndi_narrow_operand {
    double value; /* NaN where the code is one */
    bool nan, signals;
    uint64_t code;
} bndi_narrow_operand;

bndi_narrow_operand bndi_narrow_operand_of(const bnd_format *f, uint64_t code);

/* What an operation gives before rounding. */
typedef struct bndi_narrow_exact {
    bndi_answer_place at;
    bool nan_in, invalid, divbyzero;
    bool cancels; /* a zero whose sign the rounding mode gives */
    bool integer; /* what is to become one first, as the rounding mode says */
} bndi_narrow_exact;

bndi_narrow_exact bndi_narrow_exact_of(bnd_operation operation, const bnd_format *f, const bndi_narrow_operand *x);
bnd_result bndi_narrow_answer(const bndi_answers *a, bnd_operation operation, const bndi_narrow_exact *exact);

#endif
