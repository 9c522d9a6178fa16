/* The functions whose results are not finite binary numbers: exp, log, tanh, sigmoid, erf and gelu. */
#ifndef BINADE_SRC_ARITH_ELEMENTARY_H
#define BINADE_SRC_ARITH_ELEMENTARY_H

#include "arith/arith.h"

/* The limits of an operand: its number of bits and its range. `binade verify --exhaustive --check bits` tests all of
 * them. */
enum { BNDI_ELEMENTARY_BITS = 16, BNDI_ELEMENTARY_LEAST = -1074, BNDI_ELEMENTARY_MOST = 1023 };

/* Whether `x` is such an operand. */
bool bndi_is_elementary_operand(const bnd_exact *x);

/* Is the magnitude of x at least `quarters` / 4? */
static inline bool bndi_is_at_least(const bnd_exact *x, uint64_t quarters)
{
    bnd_exact bound = {.low = quarters, .exponent = -2, .kind = BND_KIND_FINITE}, magnitude = *x;
    magnitude.negative = false;
    return bnd_exact_compare(magnitude, bound) >= 0;
}

/* f(x) of a finite nonzero x (positive for log): its leading 128 bits and a sticky bit, which is set unless the answer
 * is exact (log 1). False if the 256 bits of the computation do not decide those 128; for the operands above that does
 * not happen. */
typedef bool bndi_elementary(bnd_exact *out, const bnd_exact *x);
bndi_elementary bndi_exp, bndi_log, bndi_tanh, bndi_sigmoid, bndi_erf, bndi_gelu, bndi_gelu_tanh;

/* The operations, for any number: the question's first operand. */
void bndi_answer_exp(bnd_exact *out, bndi_question *q);
void bndi_answer_log(bnd_exact *out, bndi_question *q);
void bndi_answer_tanh(bnd_exact *out, bndi_question *q);
void bndi_answer_sigmoid(bnd_exact *out, bndi_question *q);
void bndi_answer_erf(bnd_exact *out, bndi_question *q);
void bndi_answer_gelu(bnd_exact *out, bndi_question *q);
void bndi_answer_gelu_tanh(bnd_exact *out, bndi_question *q);

#endif
