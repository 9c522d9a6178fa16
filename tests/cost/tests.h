/* The groups of tests of cost/, and what they share. */
#ifndef TESTS_COST_TESTS_H
#define TESTS_COST_TESTS_H

#include <CUnit/CUnit.h>
#include <binade-lab/cost.h>

#include "tests/support/outcome.h"

extern CU_TestInfo number_tests[];
extern CU_TestInfo measured_tests[];
extern CU_TestInfo by_hand_tests[];
extern CU_TestInfo pytorch_tests[];
extern CU_TestInfo row_tests[];

/* Is this what it should be? Says what it was where not. */
bool is_near(double x, double expected, double share); /* |x - expected| <= share |expected| */

bnd_machine machine_named(const char *name);
bnd_architecture model_named(const char *name);

/* A recipe and an optimizer, on one rank. */
bnd_plan plan_of(const char *recipe, const char *optimizer);

#endif
