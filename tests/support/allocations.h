/* Counts the library's allocations, and makes them fail. The linker redirects the calls (--wrap) if it supports
 * that: then BND_WITH_WRAP is defined. */
#ifndef TESTS_SUPPORT_ALLOCATIONS_H
#define TESTS_SUPPORT_ALLOCATIONS_H

#include <binade.h>
#include <stdbool.h>
#include <stdint.h>

uint64_t allocations_asked(void); /* ever */
int64_t allocations_living(void);

/* The next one but `after` fails, and so does every later one where `for_good`; UINT64_MAX: none does. */
void allocations_fail(uint64_t after, bool for_good);

/* Calls `work` while one allocation after another fails, alone or with all later ones where `for_good`, until none
 * fails. After each call `release` gets its status, and frees what was made. Each failure must be BND_NO_MEMORY with a
 * message, and nothing may stay allocated. There must be `fewest` failures at least. */
typedef struct failing_work {
    bnd_status (*work)(void *state, bnd_error *why);
    void (*release)(void *state, bnd_status status);
    void *state;
    bool for_good;
    uint64_t fewest;
} failing_work;
void allocations_fail_in_turn(const failing_work *w);

/* The replacement for tests that need BND_WITH_WRAP: it reports them as skipped (suites.h). */
void allocations_skipped(void);
#define ALLOCATIONS_SKIPPED                                                                                            \
    {                                                                                                                  \
        "failing allocations: skipped", allocations_skipped                                                            \
    }

/* A row of a table of tests: WORK, a test that needs BND_WITH_WRAP, or the replacement. */
#if defined(BND_WITH_WRAP)
#define MEMORY_MAY_RUN_OUT(WORK)                                                                                       \
    {                                                                                                                  \
        "memory may run out", WORK                                                                                     \
    }
#else
#define MEMORY_MAY_RUN_OUT(WORK) ALLOCATIONS_SKIPPED
#endif

#endif
