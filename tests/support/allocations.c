/* Uses the names of ld's --wrap: all code linked here calls __wrap_X for X, and __real_X is the system's function. */
#define _XOPEN_SOURCE 700
#include "tests/support/allocations.h"
#include "tests/support/suites.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

/* Atomic: the parts of a product allocate, in several threads at once. */
static _Atomic uint64_t asked;
static _Atomic int64_t living;
static uint64_t failing_from = UINT64_MAX;
static bool goes_on_failing;

uint64_t allocations_asked(void)
{
    return asked;
}

int64_t allocations_living(void)
{
    return living;
}

void allocations_fail(uint64_t after, bool for_good)
{
    failing_from = after == UINT64_MAX ? UINT64_MAX : asked + after;
    goes_on_failing = for_good;
}

void allocations_fail_in_turn(const failing_work *w)
{
    enum { MOST = 5000 };
    bnd_status status = BND_NO_MEMORY;
    uint64_t failures = 0;
    bool reached = true;
    for (uint64_t after = 0; reached && after < MOST; after++) {
        const int64_t before = living;
        const uint64_t first = asked;
        bnd_error why = {.message = ""};
        allocations_fail(after, w->for_good);
        status = w->work(w->state, &why);
        allocations_fail(UINT64_MAX, false);
        reached = asked - first > after;
        w->release(w->state, status);
        CU_ASSERT_EQUAL(living, before);
        CU_ASSERT_EQUAL(reached, status != BND_OK);
        if (status != BND_OK) {
            failures++;
            CU_ASSERT_EQUAL(status, BND_NO_MEMORY);
            CU_ASSERT_NOT_EQUAL(why.message[0], '\0');
        }
    }
    CU_ASSERT_EQUAL(status, BND_OK);
    CU_ASSERT_TRUE(failures >= w->fewest);
}

void allocations_skipped(void)
{
    skip_test("failing allocations, which need the linker's --wrap (configure says why)");
}

#if defined(BND_WITH_WRAP)
static bool fails(void)
{
    uint64_t number = asked++;
    return goes_on_failing ? number >= failing_from : number == failing_from;
}

static void *counted(void *memory)
{
    living += memory != NULL;
    return memory;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_realpath(const char *path, char *out);
void __real_free(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_realpath(const char *path, char *out);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (fails()) {
        return NULL;
    }
    void *moved = __real_realloc(memory, size);
    living += memory == NULL && moved != NULL;
    return moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : counted(__real_strdup(text));
}

char *__wrap_realpath(const char *path, char *out)
{
    return fails() ? NULL : counted(__real_realpath(path, out));
}

void __wrap_free(void *memory)
{
    living -= memory != NULL;
    __real_free(memory);
}
#endif
