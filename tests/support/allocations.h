/* What the library allocates, counted, and made to fail: the linker leads its calls here (--wrap), where it can:
 * BND_WITH_WRAP says so. */
#ifndef TESTS_SUPPORT_ALLOCATIONS_H
#define TESTS_SUPPORT_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

uint64_t allocations_asked(void); /* ever */
int64_t allocations_living(void);

/* The next one but `after` fails, and so does every later one where `for_good`; UINT64_MAX: none does. */
void allocations_fail(uint64_t after, bool for_good);

/* A test that stands for those that need BND_WITH_WRAP: it skips them (suites.h). */
void allocations_skipped(void);
#define ALLOCATIONS_SKIPPED                                                                                            \
    {                                                                                                                  \
        "failing allocations: skipped", allocations_skipped                                                            \
    }

#endif
