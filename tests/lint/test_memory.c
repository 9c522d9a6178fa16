/* Lint where each allocation fails once: it says so, or finds what it finds with memory, and keeps nothing. */
#include "tests.h"
#include "tests/support/allocations.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(BND_WITH_WRAP)
#include <jansson.h>

enum { FOUND_SIZE = 4096 };

static void put_findings(char out[FOUND_SIZE], const bnd_lint *lint)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < bnd_lint_findings(lint) && length < FOUND_SIZE; i++) {
        const bnd_lint_finding *f = bnd_lint_finding_at(lint, i);
        length +=
            (size_t)snprintf(out + length, FOUND_SIZE - length, "%s: %s: %s\n", f->check->code, f->where, f->message);
    }
}

/* One call whose `after`-th allocation fails. */
static bnd_status without(uint64_t after, char found[FOUND_SIZE])
{
    char path[PATH_SIZE];
    int64_t living = allocations_living();
    bnd_error why = {.message = ""};
    bnd_lint *lint = NULL;
    in_folder(path, "");
    allocations_fail(after, false);
    bnd_status status = bnd_lint_new(&lint, path, NULL, &why);
    allocations_fail(UINT64_MAX, false);
    CU_ASSERT_TRUE((status == BND_OK) == (lint != NULL));
    CU_ASSERT_TRUE(status == BND_OK || why.message[0] != '\0');
    if (lint != NULL) {
        put_findings(found, lint);
    }
    bnd_lint_free(lint);
    CU_ASSERT_EQUAL(allocations_living(), living);
    return status;
}

/* Every allocation of one call, one after the other. Returns how many calls had no memory. */
static uint64_t try_case(const lint_case *k, bool same)
{
    char all[FOUND_SIZE], found[FOUND_SIZE];
    uint64_t refusals = 0;
    size_t wrong = 0;
    open_folder();
    put_lint_case(k);
    uint64_t before = allocations_asked();
    CU_ASSERT_EQUAL_FATAL(without(UINT64_MAX - 1, all), BND_OK);
    uint64_t needed = allocations_asked() - before;
    for (uint64_t after = 0; after < needed; after++) {
        bnd_status status = without(after, found);
        refusals += status == BND_NO_MEMORY;
        bool right = status == BND_NO_MEMORY || !same || (status == BND_OK && strcmp(found, all) == 0);
        if (!right && wrong++ < 3) {
            printf("\n  %s: without allocation %llu of %llu: status %d, and it finds %s", k->what,
                   (unsigned long long)after, (unsigned long long)needed, (int)status, found);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    close_folder();
    return refusals;
}

static void test_each_allocation(void)
{
    uint64_t refusals = 0;
    for (size_t i = 0; i < lint_case_count; i++) {
        refusals += try_case(&lint_cases[i], true);
    }
    CU_ASSERT_TRUE(refusals > 10 * lint_case_count);
}

/* jansson's too. Where it has no memory for a string, it says that the text is not JSON, and that is a finding. */
static void test_each_of_jansson(void)
{
    uint64_t refusals = 0;
    json_set_alloc_funcs(malloc, free); /* where the linker leads ours */
    for (size_t i = 0; i < lint_case_count; i++) {
        refusals += try_case(&lint_cases[i], false);
    }
    CU_ASSERT_TRUE(refusals > 30 * lint_case_count);
}
#endif

CU_TestInfo lint_memory_tests[] = {
#if defined(BND_WITH_WRAP)
    {"each allocation fails once", test_each_allocation},
    {"each of jansson, too", test_each_of_jansson},
#else
    ALLOCATIONS_SKIPPED,
#endif
    CU_TEST_INFO_NULL,
};
