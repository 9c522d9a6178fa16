/* The groups of tests of text/, and what they share: texts as exact rationals, made without the parser, and midpoints
 * written out. */
#ifndef TESTS_TEXT_TESTS_H
#define TESTS_TEXT_TESTS_H

#include <CUnit/CUnit.h>
#include <gmp.h>

#include <binade-lab.h>
#include <binade-lab/oracle.h>

#include "tests/support/decimals.h"
#include "tests/support/operands.h"

extern CU_TestInfo grammar_tests[];
extern CU_TestInfo reading_tests[];
extern CU_TestInfo midpoint_tests[];
extern CU_TestInfo writing_tests[];
extern CU_TestInfo shortest_tests[];
extern CU_TestInfo mutation_tests[];
extern CU_TestInfo difference_tests[];
extern CU_TestInfo naturals_tests[];
extern CU_TestInfo allocation_tests[];

/* Counts cases that are not as they should be; says yes for the first few of a group, which are worth printing. */
bool worth_printing(uint64_t *mismatches);

/* An endless sequence of 64-bit numbers, the same in every run. */
typedef struct draw {
    uint64_t purpose, element;
} draw;
uint64_t drawn(draw *from);
uint64_t drawn_below(draw *from, uint64_t limit);

/* The value of a decimal or hexadecimal number of the plain forms, worked out with GMP alone. */
void rational_of_text(mpq_t out, const char *text, size_t length);
void rational_of_exact(mpq_t out, bnd_exact value); /* finite, its sticky bit ignored */

/* bnd_print_error, bnd_relative_error and bnd_error_in_units of the number that a text is. */
bnd_status print_error_of_text(size_t *length, char *out, size_t size, bnd_exact value, const char *text,
                               size_t text_length, bnd_notation notation, bnd_error *why);
bnd_status relative_error_of_text(double *out, bnd_exact value, const char *text, size_t length, bnd_error *why);
bnd_status units_of_text(double *out, bnd_exact value, const char *text, size_t length, bnd_exact unit, bnd_error *why);

/* The same number, value for value; NaN equals NaN of the same kind, payload and sign. */
bool same_exact(bnd_exact a, bnd_exact b);

#endif
