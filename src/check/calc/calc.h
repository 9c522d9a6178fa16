/* What calc/ shares: numbers known exactly or as an interval, and the operations on them.
 *
 * A text becomes terms in order of evaluation (expression.c has the grammar, calls.c functions and conversions,
 * reader.c numbers and codes). steps.c rounds each term in its format. exact.c, real.c and power.c evaluate the same
 * terms exactly. A value is a quotient of integers as long as that is possible, then an interval of 512 bits with
 * ends rounded outward; only the digits that both ends share are printed. value.c gives the 128 bits and sticky bit
 * of an expression in which nothing is rounded, so that one rounding follows.
 *
 * GMP and MPFR end the process when memory runs out. calc/ bounds its numbers and tests for memory before each term. */
#ifndef BINADE_SRC_CALC_H
#define BINADE_SRC_CALC_H

#include "calc/reader.h"
#include <binade-lab/calc.h>
#include <gmp.h>
#include <mpfr.h>

/* The bits of an interval's ends: four times those of any format. More than 40 digits remain if terms of a few
 * hundred bits cancel. If a rounding cannot be decided, it is computed again with four times as many bits, up to the
 * second number. */
enum { BNDI_REAL_BITS = 512, BNDI_REAL_BITS_MOST = 8192 };

/* Numerators and denominators: 100,000 digits. */
enum { BNDI_QUOTIENT_BITS = 332193 };

/* Ends of an interval that the number is not: those that were rounded, and limits that nothing reaches. An infinite end
 * is one of these. */
typedef struct bndi_open {
    bool low, high;
} bndi_open;

struct bnd_real {
    bnd_known known;
    bool negative; /* an infinity, or a zero */
    bool signless; /* a zero whose sign depends on the rounding mode: 1 - 1 */
    mpq_t value;   /* BND_KNOWN_EXACTLY */
    mpfr_t low, high;
    bndi_open open;
};

void bndi_real_open(bnd_real *x, mpfr_prec_t bits);
mpfr_prec_t bndi_real_bits(const bnd_real *x);
void bndi_real_close(bnd_real *x);

/* Bits of numerators and denominators that all operations of an expression may write together; what comes after that
 * is not known. */
typedef struct bndi_effort {
    int64_t bits_left;
} bndi_effort;

/* Whether there is memory for one more operation: GMP and MPFR do not say where they get none. */
bool bndi_has_room(void);

/* What is written, what a value is. Not known where it takes too many digits. */
BND_CHECKED bnd_status bndi_real_number(bnd_real *out, const char *text, size_t length, bool negative, bnd_error *why);
void bndi_real_value(bnd_real *out, bnd_exact value);

/* `out` must not be one of the operands. `integer` is scalb's second operand. */
void bndi_real_operate(bnd_real *out, bndi_effort *effort, bnd_operation operation, const bnd_real *const *operands,
                       int64_t integer);
void bndi_real_subtract(bnd_real *out, const bnd_real *a, const bnd_real *b);

/* x^n, and x added n times. */
void bndi_real_power(bnd_real *out, bndi_effort *effort, const bnd_real *x, int64_t n);
void bndi_real_times(bnd_real *out, bndi_effort *effort, const bnd_real *x, int64_t n);

/* ---- pi and e ---- */

bnd_exact bndi_constant_exact(bndi_constant which);
void bndi_real_constant(bnd_real *out, bndi_constant which, bool negative);

/* ---- terms ---- */

bnd_result bndi_round_power(const bnd_format *to, const bnd_format *from, uint64_t code, int64_t n, bnd_rule rule,
                            uint64_t random);

/* The value of the last term, with ends of this number of bits. */
BND_CHECKED bnd_status bndi_expression_real_alloc(bnd_real **out, const bnd_term *terms, size_t count, const char *text,
                                                  const bnd_format *f, mpfr_prec_t bits, bnd_error *why);

/* What was worked out: a quotient that has not grown too long; two ends, which are one number or an interval. */
void bndi_real_give_exact(bnd_real *out);
void bndi_real_give_ends(bnd_real *out, bndi_open open);

/* The ends of what is a number. */
bndi_open bndi_real_ends(mpfr_t low, mpfr_t high, const bnd_real *x);

/* Whether one end of an interval is 0 or infinite: then the number is beyond the exponents of MPFR. */
bool bndi_real_is_bounded(const bnd_real *x);

#endif
