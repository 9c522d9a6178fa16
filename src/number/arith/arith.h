/* Internal interface of arith: exact sums, products, quotients, roots and remainders. Unless said otherwise, operands
 * are finite and not zero, have their significand in `low`, and have no sticky bit. `out` may be an operand.
 *
 * An operation takes codes to bnd_exact, computes an exact result of up to 128 bits and a sticky bit, and ends in
 * bnd_round_exact. So an operation does not depend on formats or policies, and its operands may have different formats.
 * The public operations choose NaNs as operations do (bnd_rule_of_operation); the functions below them round like
 * conversions.
 *
 * The fast path covers the most frequent operations when no policy can change the result: 64-bit words for normal
 * operands, 128-bit words for fp64 and for subnormal operands. Elementary functions (exp, log, tanh, sigmoid, erf, both
 * forms of gelu) have no finite exact result. They are computed in 256 bits with an error bound derived in comments
 * next to the code, and the leading 128 bits and a sticky bit are passed on. Operands have at most 16 bits, so every
 * operand was tested: the bounds always decide. */
#ifndef BINADE_SRC_ARITH_H
#define BINADE_SRC_ARITH_H

#include <binade/arith.h>

#include "codec/codec.h"

/* Is x an operand as most of these functions require it? */
static inline bool bndi_is_plain_operand(const bnd_exact *x)
{
    return x->kind == BND_KIND_FINITE && x->high == 0 && x->low != 0 && !x->sticky;
}

/* a + b, where a may have all of its 128 bits. An exact zero is positive. */
void bndi_exact_sum(bnd_exact *out, const bnd_exact *a, const bnd_exact *b);
void bndi_product(bnd_exact *out, const bnd_exact *a, const bnd_exact *b);
void bndi_quotient(bnd_exact *out, const bnd_exact *a, const bnd_exact *b);
void bndi_remainder(bnd_exact *out, const bnd_exact *a, const bnd_exact *b);
void bndi_root(bnd_exact *out, const bnd_exact *a); /* of a positive number */
void bndi_reciprocal_root(bnd_exact *out, const bnd_exact *a);

/* The state of one operation: exact operands, the rule, and the flags raised so far. */
typedef struct bndi_question {
    const bnd_format *format; /* of the first operand */
    bnd_exact x[BND_OPERANDS_MAX];
    bnd_rule rule;
    uint64_t random;
    uint32_t flags;
    int32_t ternary; /* of an operation that does its own rounding */
} bndi_question;

/* Operand `i`: the value of a code, or a zero if it is subnormal and the rule flushes inputs. */
void bnd_lab_take(bndi_question *q, unsigned i, const bnd_format *from, uint64_t code);

/* Does the operation, which must exist, take operands of this format? */
bool bndi_serves(bnd_operation operation, const bnd_format *from);

/* Is it neg or abs within one format? They change only a code's sign and ignore flush_in, too. */
bool bndi_is_quiet(const bnd_format *to, bnd_operation operation, const bnd_format *from);

/* Computes the exact result. Overwrites the operands. */
void bndi_answer(bnd_exact *out, bnd_operation operation, bndi_question *q);

/* The result of an invalid operation. */
static inline void bndi_give_invalid(bnd_exact *out, bndi_question *q)
{
    *out = (bnd_exact){.high = UINT64_C(1) << 63, .kind = BND_KIND_QUIET_NAN, .negative = q->rule.nan == BND_NAN_X86};
    q->flags |= BND_FLAG_INVALID;
}

static inline void bndi_give_zero(bnd_exact *out, bool negative)
{
    *out = (bnd_exact){.kind = BND_KIND_ZERO, .negative = negative};
}

static inline void bndi_give_infinity(bnd_exact *out, bool negative)
{
    *out = (bnd_exact){.kind = BND_KIND_INFINITE, .negative = negative};
}

static inline bool bndi_is_nan(const bnd_exact *x)
{
    return x->kind == BND_KIND_QUIET_NAN || x->kind == BND_KIND_SIGNALING_NAN;
}

/* The exponent of the leading bit of a finite number. */
static inline int32_t bndi_exponent(const bnd_exact *x)
{
    return x->exponent + 127 - (int32_t)bndi_leading_zeros(x->high, x->low);
}

static inline int32_t bndi_limited(int64_t exponent)
{
    int64_t up = exponent < BND_EXPONENT_MAX ? exponent : BND_EXPONENT_MAX;
    return (int32_t)(up > -BND_EXPONENT_MAX ? up : -BND_EXPONENT_MAX);
}

#endif
