/* Numbers of 256 bits with an exponent, for functions without an exact binary result. Each operation truncates, so its
 * relative error is less than 2^-254 (for a sum: relative to the larger term). `out` may be an operand. */
#ifndef BINADE_SRC_ARITH_WIDE_H
#define BINADE_SRC_ARITH_WIDE_H

#include "arith/arith.h"

enum { BNDI_WIDE_WORDS = 4 };

/* (-1)^negative * (the words as an integer, the most significant first) * 2^exponent. The top bit is set, or all words
 * are 0, which is zero. */
typedef struct bndi_wide {
    uint64_t word[BNDI_WIDE_WORDS];
    int64_t exponent;
    bool negative;
} bndi_wide;

void bndi_wide_of_word(bndi_wide *out, uint64_t word);
void bndi_wide_of_exact(bndi_wide *out, const bnd_exact *x); /* finite, nothing sticky */

void bndi_wide_add(bndi_wide *out, const bndi_wide *a, const bndi_wide *b);
void bndi_wide_multiply(bndi_wide *out, const bndi_wide *a, const bndi_wide *b);
void bndi_wide_scale(bndi_wide *out, const bndi_wide *a, uint64_t word);  /* a * word */
void bndi_wide_divide(bndi_wide *out, const bndi_wide *a, uint64_t word); /* a / word, word not 0 */
void bndi_wide_reciprocal(bndi_wide *out, const bndi_wide *a);            /* 1 / a, relative error below 2^-248 */

/* e^x, with a relative error below 2^-220, or 2^-238 if |x| < 2^12. For |x| >= 2^31 the result is a power of two
 * outside the exponent range of exact numbers, on the same side as the answer. */
void bndi_wide_exp(bndi_wide *out, const bndi_wide *x);
#define BNDI_WIDE_FAR (INT64_C(1) << 32)

/* The exponent of the leading bit; not for zero. */
static inline int64_t bndi_wide_exponent(const bndi_wide *x)
{
    return x->exponent + 64 * BNDI_WIDE_WORDS - 1;
}

static inline bool bndi_wide_is_zero(const bndi_wide *x)
{
    return x->word[0] == 0;
}

/* The leading 128 bits and a sticky bit. True if every number within a relative distance of 2^-BNDI_WIDE_RIGHT of x has
 * the same leading 128 bits: then the exact number has them, too, and has nonzero bits after them. A number whose
 * exponent saturates (as with BNDI_WIDE_FAR) is always decided. */
enum { BNDI_WIDE_RIGHT = 210 };
bool bndi_wide_decide(bnd_exact *out, const bndi_wide *x);

#endif
