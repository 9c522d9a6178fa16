/* Tests of diff/: what its files share. */
#ifndef TESTS_DIFF_TESTS_H
#define TESTS_DIFF_TESTS_H

#include "diff/explain.h"
#include "tests/support/plain.h"
#include <CUnit/Basic.h>

extern CU_TestInfo distance_tests[], scale_tests[], code_tests[], search_tests[], expert_tests[], memory_tests[];

/* ---- another way to make codes and scales: float arithmetic as tools write it, and a search over all codes ---- */

/* n numbers of a normal distribution's shape, all of bf16. */
void make_base(float *x, size_t n, uint64_t seed);

/* The row of explain.def of this name. */
size_t scale_row(bndi_scale_kind of, const char *name);
size_t quotient_row(const char *name);

/* The code of e4m3 or e2m1 (by the format) nearest to q; a tie goes to the even code, away from zero or toward it. */
enum tie { TIE_EVEN, TIE_AWAY, TIE_ZERO };
unsigned nearest_code(float q, const bnd_format *f, enum tie tie);

#endif
