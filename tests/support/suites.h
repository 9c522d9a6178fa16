/* The main program of CUnit tests: runs their suites, and fails if a test fails or none has run. */
#ifndef TESTS_SUPPORT_SUITES_H
#define TESTS_SUPPORT_SUITES_H

#include <CUnit/Basic.h>

#define SUITE(name, tests)                                                                                             \
    {                                                                                                                  \
        name, NULL, NULL, NULL, NULL, tests                                                                            \
    }

/* The program's exit status. The last line printed says what was skipped: "2 skipped: WHAT; WHAT". */
int run_suites(CU_SuiteInfo *suites);

/* A test calls this where it cannot compare, because its reference is missing on this machine. `what` names the
 * reference and lasts as long as the program. */
void skip_test(const char *what);

/* Skips the back ends that this build or this machine does not have. */
void skip_missing_back_ends(void);

#endif
