/* Numbers of 256 bits with an exponent, for what has no exact answer: each operation drops what is below its last
 * place, so that its result is wrong by less than 2^-254 of itself (a sum: of its larger term). `out` may be an
 * operand. */
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
void bndi_wide_reciprocal(bndi_wide *out, const bndi_wide *a);            /* 1 / a, wrong by less than 2^-248 of it */

/* e^x, wrong by less than 2^-220 of it, 2^-238 where |x| < 2^12; of |x| from 2^31 on a power of two that lies beyond
 * what the exponent of an exact number can be, on the side of the answer. */
void bndi_wide_exp(bndi_wide *out, const bndi_wide *x);
#define BNDI_WIDE_FAR (INT64_C(1) << 32)

/* Of the leading bit; not of zero. */
static inline int64_t bndi_wide_exponent(const bndi_wide *x)
{
    return x->exponent + 64 * BNDI_WIDE_WORDS - 1;
}

static inline bool bndi_wide_is_zero(const bndi_wide *x)
{
    return x->word[0] == 0;
}

/* The leading 128 bits and a sticky one. True if they are those of every number that differs from x by at most
 * 2^-BNDI_WIDE_RIGHT of it: then they are those of the number that x stands for, and something follows them. What is
 * BNDI_WIDE_FAR away is decided. */
enum { BNDI_WIDE_RIGHT = 210 };
bool bndi_wide_decide(bnd_exact *out, const bndi_wide *x);

#endif
