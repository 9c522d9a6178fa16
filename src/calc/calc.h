/* What calc/ shares: numbers known exactly or between two ends, and what operations make of them. */
#ifndef BINADE_SRC_CALC_H
#define BINADE_SRC_CALC_H

#include <binade/calc.h>
#include <gmp.h>
#include <mpfr.h>

/* An irrational number lies between ends of so many bits: four times those of any format, and more than 40 digits are
 * left of them where terms of a few hundred bits cancel. */
enum { BNDI_REAL_BITS = 512 };

struct bnd_real {
    bnd_known known;
    bool negative; /* an infinity */
    mpq_t value;   /* BND_KNOWN_EXACTLY */
    mpfr_t low, high;
};

void bndi_real_open(bnd_real *x);
void bndi_real_close(bnd_real *x);

/* Bits of numerators and denominators that all operations of an expression may write together; what comes after that
 * is not known. */
typedef struct bndi_effort {
    int64_t bits_left;
} bndi_effort;

/* What is written, what a value is. Not known where it takes too many digits. */
BND_CHECKED bnd_status bndi_real_number(bnd_real *out, const char *text, size_t length, bool negative, bnd_error *why);
void bndi_real_value(bnd_real *out, bnd_exact value);

/* `out` is none of the operands. `integer` is scalb's second operand. */
void bndi_real_operate(bnd_real *out, bndi_effort *effort, bnd_operation operation, const bnd_real *const *operands,
                       int64_t integer);
void bndi_real_subtract(bnd_real *out, const bnd_real *a, const bnd_real *b);

/* The ends of what is a number. */
void bndi_real_ends(mpfr_t low, mpfr_t high, const bnd_real *x);

#endif
