/* Quotients of integers, exactly: the WebAssembly has no GMP. Memory belongs to a pool and is freed with it. */
#ifndef BINADE_PAGE_QUOTIENT_H
#define BINADE_PAGE_QUOTIENT_H

#include "text/naturals.h"
#include "text/scanned.h"
#include <binade/codec.h>

typedef struct pool {
    struct pool_block *last;
    int64_t bits_left; /* of operands, for all operations together */
    bool no_memory;
} pool;

void pool_close(pool *p);

/* (-1)^negative * above / below * 2^two. `above` and `below` are odd and have no common factor; of zero, `above` has no
 * words and `below` is 1. A zero has the sign that IEEE 754 gives it, but none where that depends on the rounding mode,
 * as in 1 - 1: it is `signless`, and not negative. */
typedef struct quotient {
    bool negative, signless;
    bndi_natural above, below;
    int64_t two;
} quotient;

/* Each gives false where the pool has no memory, where the operations have taken too long, and where a numerator or a
 * denominator would have more than QUOTIENT_BITS bits, as in the command. `out` may be an operand. */
enum { QUOTIENT_BITS = 332193 };
bool quotient_of_value(pool *p, quotient *out, bnd_exact value); /* false also of infinities and NaNs */
bool quotient_of_number(pool *p, quotient *out, const bndi_scanned *number);
bool quotient_add(pool *p, quotient *out, const quotient *a, const quotient *b);
bool quotient_multiply(pool *p, quotient *out, const quotient *a, const quotient *b);
bool quotient_invert(quotient *x); /* false of zero */
bool quotient_power(pool *p, quotient *out, const quotient *x, uint64_t n);
bool quotient_root(pool *p, quotient *out, const quotient *x); /* false where the root is irrational */
bool quotient_scale(quotient *x, int64_t two);

bool quotient_is_zero(const quotient *x);
quotient quotient_negated(quotient x);

/* The leading 128 bits at least, and whether more follow; false where there is no memory. */
bool quotient_leading(pool *p, bnd_exact *out, const quotient *x);

/* ---- integers in the pool ---- */

bool pool_copy(pool *p, bndi_natural *out, const bndi_natural *a, size_t more); /* with room for `more` words */
bool pool_multiply(pool *p, bndi_natural *out, const bndi_natural *a, const bndi_natural *b);
bool pool_shift_left(pool *p, bndi_natural *out, const bndi_natural *a, uint64_t bits);
bool pool_power_of_five(pool *p, bndi_natural *out, uint64_t exponent);
bool pool_divide(pool *p, bndi_natural *out, bndi_natural *rest, const bndi_natural *a, const bndi_natural *b);

#endif
