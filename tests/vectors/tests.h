/* What the tests of vectors share. */
#ifndef TESTS_VECTORS_TESTS_H
#define TESTS_VECTORS_TESTS_H

#include <CUnit/CUnit.h>
#include <binade-lab.h>

extern CU_TestInfo answer_tests[], line_tests[], dialect_tests[], rule_tests[], coverage_tests[], fault_tests[];

uint64_t vectors_random(uint64_t purpose, uint64_t i);

/* Vectors of an operation on formats given by their names, `in` separated by commas. */
bnd_vectors vectors_described(const char *operation, const char *in, const char *out, bnd_rule rule);

#endif
