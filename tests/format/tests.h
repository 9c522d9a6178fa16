/* The groups of tests of format/, and what they share. */
#ifndef TESTS_FORMAT_TESTS_H
#define TESTS_FORMAT_TESTS_H

#include <CUnit/CUnit.h>
#include <binade/format.h>

#include "tests/support/operands.h"

extern CU_TestInfo limit_tests[];
extern CU_TestInfo name_tests[];
extern CU_TestInfo p3109_tests[];
extern CU_TestInfo custom_tests[];
extern CU_TestInfo value_set_tests[];
extern CU_TestInfo rule_tests[];
extern CU_TestInfo dialect_tests[];

/* a * 2^p == b * 2^q, as numbers. */
bool same_number(uint64_t a, int64_t p, uint64_t b, int64_t q);

/* True where bnd_format_parse refuses the name with this status, a message, and its output untouched; prints what
 * happened where it does not. */
bool is_refused(const char *name, bnd_status status);

/* The names that bnd_format_parse refuses, up to a NULL, each with this status. */
void check_refused(const char *const *names, bnd_status status);

#endif
