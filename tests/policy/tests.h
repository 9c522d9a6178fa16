/* The groups of tests of policy/, and what they share. */
#ifndef TESTS_POLICY_TESTS_H
#define TESTS_POLICY_TESTS_H

#include <CUnit/CUnit.h>
#include <binade-lab/policy.h>

extern CU_TestInfo layer_tests[];

/* The policy of a text, which must be right. */
bnd_policy policy_of(const char *text);

/* Whether a role has this format; NULL: it has none. */
bool has(const bnd_policy *p, bnd_role role, const char *format);

#endif
