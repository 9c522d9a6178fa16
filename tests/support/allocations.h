/* Counts the library's allocations, and makes them fail. The linker redirects the calls (--wrap) if it supports
 * that: then BND_WITH_WRAP is defined. */
#ifndef TESTS_SUPPORT_ALLOCATIONS_H
#define TESTS_SUPPORT_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

uint64_t allocations_asked(void); /* ever */
int64_t allocations_living(void);

/* The next one but `after` fails, and so does every later one where `for_good`; UINT64_MAX: none does. */
void allocations_fail(uint64_t after, bool for_good);

/* The replacement for tests that need BND_WITH_WRAP: it reports them as skipped (suites.h). */
void allocations_skipped(void);
#define ALLOCATIONS_SKIPPED                                                                                            \
    {                                                                                                                  \
        "failing allocations: skipped", allocations_skipped                                                            \
    }

#endif
