/* What real.c does with two numbers and with an interval, for real_operations.c. */
#ifndef BINADE_SRC_CALC_REAL_H
#define BINADE_SRC_CALC_REAL_H

#include "calc/calc.h"

void bndi_real_copy(bnd_real *out, const bnd_real *x);

/* add sub mul div of two numbers, the divisor not zero; the second where both are quotients of integers. */
void bndi_real_of_two(bnd_real *out, bndi_effort *effort, bnd_operation operation, const bnd_real *a,
                      const bnd_real *b);
void bndi_real_of_quotients(bnd_real *out, bndi_effort *effort, bnd_operation operation, const bnd_real *a,
                            const bnd_real *b);

/* A function that only rises or only falls. */
typedef int bndi_unary(mpfr_t, const mpfr_t, mpfr_rnd_t);
void bndi_real_monotone(bnd_real *out, bndi_unary *function, bool falls, const bnd_real *x);

#endif
