/* What the tests of arith/ share: one comparison with the oracle for every operation, the calls by name, operands. */
#ifndef TESTS_ARITH_DRIVER_H
#define TESTS_ARITH_DRIVER_H

#include <binade/arith.h>

#include "tests/support/comparison.h"
#include "verify/verify.h"
#include "verify/operands.h"

/* A run of comparisons with the oracle. */
typedef struct trial {
    comparison b;
    bndi_oracle_problem problem;
} trial;

void trial_open(trial *t, const char *what);
void trial_close(trial *t);

/* Asks both. Where all formats are one, by the operation's own call too. */
void judge_operation(trial *t, const bnd_format *to, bnd_operation operation, const bnd_format *const *from,
                     const uint64_t *codes, bnd_rule rule, uint64_t random);

/* An operation of one operand, which does not look at the mode itself: worked out once, rounded in the six modes. */
void judge_operation_in_all_modes(trial *t, const bnd_format *f, bnd_operation operation, uint64_t code);

void print_call(bnd_operation operation, const bnd_format *const *from, const uint64_t *codes, const bnd_format *to,
                bnd_rule rule, uint64_t random);
void print_results(bnd_result got, bnd_result want);

#endif
