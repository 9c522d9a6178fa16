/* Operations on codes in double arithmetic: the exact results that answers.h wants, for every operation of arith/.
 * It needs formats whose products, and the remainders of whose quotients, are doubles. */
#ifndef TESTS_ARITH_NARROW_H
#define TESTS_ARITH_NARROW_H

#include <binade/arith.h>

#include "answers.h"

typedef struct narrow_operand {
    double value; /* NaN where the code is one */
    bool nan, signals;
    uint64_t code;
} narrow_operand;

narrow_operand narrow_operand_of(const bnd_format *f, uint64_t code);

/* What an operation gives before rounding. */
typedef struct narrow_exact {
    place at;
    bool nan_in, invalid, divbyzero;
    bool cancels; /* a zero whose sign the rounding mode gives */
    bool integer; /* what is to become one first, as the rounding mode says */
} narrow_exact;

narrow_exact narrow_exact_of(bnd_operation operation, const bnd_format *f, const narrow_operand *x);
bnd_result narrow_answer(const answers *a, bnd_operation operation, const narrow_exact *exact);

#endif
