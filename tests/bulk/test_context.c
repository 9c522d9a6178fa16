/* How a back end and a number of threads are named, chosen and refused. */
#include <stdlib.h>
#include <string.h>

#include "bulk/bulk.h"
#include "compare.h"
#include "tests.h"

static const bnd_context untouched = {.backend = 77, .threads = 88};

static void refused(const char *backend, unsigned threads, bnd_status status, const char *word)
{
    bnd_context context = untouched;
    bnd_error why = {.status = BND_OK};
    CU_ASSERT_EQUAL(bnd_context_init(&context, backend, threads, &why), status);
    CU_ASSERT_EQUAL(why.status, status);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, word));
    CU_ASSERT_EQUAL(context.backend, untouched.backend);
    CU_ASSERT_EQUAL(context.threads, untouched.threads);
    CU_ASSERT_EQUAL(bnd_context_init(&context, backend, threads, NULL), status); /* nobody asks why */
}

/* A back end opens where it is here, and nowhere else. */
static void test_names(void)
{
    for (unsigned i = 0; i < BND_BACKEND_COUNT; i++) {
        const char *name = bnd_backend_name((bnd_backend)i);
        bnd_context context = untouched;
        if (bnd_backend_here((bnd_backend)i)) {
            CU_ASSERT_EQUAL(bnd_context_init(&context, name, 5, NULL), BND_OK);
            CU_ASSERT_EQUAL(context.backend, i);
            CU_ASSERT_EQUAL(context.threads, 5);
        } else {
            refused(name, 1, BND_BAD_ARGUMENT, name);
        }
    }
    CU_ASSERT(bnd_backend_here(BND_BACKEND_PORTABLE));
    CU_ASSERT(bnd_backend_here(bnd_backend_best()));
    CU_ASSERT_NOT_EQUAL(bnd_backend_best(), BND_BACKEND_BEST);
    CU_ASSERT_FALSE(bnd_backend_here(BND_BACKEND_COUNT));
    CU_ASSERT_STRING_EQUAL(bnd_backend_name(BND_BACKEND_COUNT), "");
    refused("sse9", 1, BND_BAD_NAME, "sse9");
    CU_ASSERT_EQUAL(bnd_context_init(&(bnd_context){.threads = 0}, "Portable", 1, NULL), BND_OK);
    refused("", 1, BND_BAD_NAME, "back end");
    refused("portable", 1000000, BND_BAD_ARGUMENT, "1000000");
}

/* What nobody names is what the environment says, which is put back as it was. */
static void test_environment_variables(void)
{
    const char *backend = getenv("BINADE_BACKEND"), *threads = getenv("BINADE_THREADS");
    char *kept_backend = backend == NULL ? NULL : strdup(backend);
    char *kept_threads = threads == NULL ? NULL : strdup(threads);
    bnd_context context = untouched;
    setenv("BINADE_BACKEND", "portable", 1);
    setenv("BINADE_THREADS", "3", 1);
    CU_ASSERT_EQUAL(bnd_context_init(&context, NULL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL(context.backend, BND_BACKEND_PORTABLE);
    CU_ASSERT_EQUAL(context.threads, 3);
    CU_ASSERT_EQUAL(bnd_context_init(&context, "best", 2, NULL), BND_OK); /* what is named counts */
    CU_ASSERT_EQUAL(context.backend, BND_BACKEND_BEST);
    CU_ASSERT_EQUAL(context.threads, 2);
    setenv("BINADE_BACKEND", "sse9", 1);
    refused(NULL, 1, BND_BAD_NAME, "BINADE_BACKEND: unknown back end 'sse9'");
    setenv("BINADE_BACKEND", "", 1); /* empty is not set */
    static const char *const wrong[] = {"0", "-1", "two", "3 ", "99999999999999999999", "1025"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv("BINADE_THREADS", wrong[i], 1);
        refused(NULL, 0, BND_BAD_ARGUMENT, "BINADE_THREADS");
        CU_ASSERT_EQUAL(bnd_context_init(&context, NULL, 4, NULL), BND_OK); /* nobody asked it */
    }
    unsetenv("BINADE_THREADS");
    unsetenv("BINADE_BACKEND");
    CU_ASSERT_EQUAL(bnd_context_init(&context, NULL, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL(context.backend, BND_BACKEND_BEST);
    CU_ASSERT(context.threads >= 1);
    if (kept_backend != NULL) {
        setenv("BINADE_BACKEND", kept_backend, 1);
    }
    if (kept_threads != NULL) {
        setenv("BINADE_THREADS", kept_threads, 1);
    }
    free(kept_backend);
    free(kept_threads);
}

/* The row of the back end that serves a context, whatever the environment says: only bnd_context_init reads that. */
static void test_rows(void)
{
    static const char row[BND_BACKEND_COUNT];
    const void *all[BND_BACKEND_COUNT], *lowest[BND_BACKEND_COUNT] = {[BND_BACKEND_PORTABLE] = row};
    const char *backend = getenv("BINADE_BACKEND");
    char *kept = backend == NULL ? NULL : strdup(backend);
    const bnd_backend best = bnd_backend_best();
    for (unsigned i = 0; i < BND_BACKEND_COUNT; i++) {
        all[i] = row + i;
    }
    setenv("BINADE_BACKEND", "portable", 1);
    CU_ASSERT_PTR_EQUAL(bnd_lab_row_of(NULL, all), row + best);
    CU_ASSERT_PTR_EQUAL(bnd_lab_row_of(NULL, lowest), row);
    for (unsigned i = 0; i < BND_BACKEND_COUNT; i++) {
        const bnd_context context = {.backend = (uint8_t)i};
        const bool itself = i != BND_BACKEND_BEST && bnd_backend_here((bnd_backend)i);
        CU_ASSERT_PTR_EQUAL(bnd_lab_row_of(&context, all), row + (itself ? i : (unsigned)best));
        CU_ASSERT_PTR_EQUAL(bnd_lab_row_of(&context, lowest), row);
    }
    if (bnd_backend_here(BND_BACKEND_AVX512)) { /* what it has no row for is AVX2's */
        lowest[BND_BACKEND_AVX2] = row + 1;
        CU_ASSERT_PTR_EQUAL(bnd_lab_row_of(&(bnd_context){.backend = BND_BACKEND_AVX512}, lowest), row + 1);
    }
    unsetenv("BINADE_BACKEND");
    if (kept != NULL) {
        setenv("BINADE_BACKEND", kept, 1);
    }
    free(kept);
}

/* There are back ends for several machines; no machine has them all. */
static uint8_t not_here(void)
{
    uint8_t backend = BND_BACKEND_PORTABLE;
    while (bnd_backend_here((bnd_backend)backend)) {
        backend++;
    }
    return backend;
}

/* No `how`, no context in it, one of zeros, the best by its name, and one that is not here: the same bits. */
static void test_defaults(void)
{
    enum { COUNT = 700 };
    bnd_format f = format_named("e4m3");
    call c = encode_call(&f, false);
    const bnd_context zeros = {0}, best = {.backend = (uint8_t)bnd_backend_best(), .threads = 1},
                      nowhere = {.backend = not_here(), .threads = 1}, many = {.threads = 1024};
    const bnd_array arrays[] = {
        {.context = NULL}, {.context = &zeros}, {.context = &best}, {.context = &nowhere}, {.context = &many}};
    uint64_t *numbers = operands_of(&c, COUNT, 1);
    unsigned char in[4 * COUNT], want[COUNT], got[COUNT];
    put_codes(in, &c.in, BND_PACKING_PACKED, numbers, COUNT);
    CU_ASSERT_EQUAL(run_call(&c, want, in, COUNT, NULL, NULL), BND_OK);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        memset(got, 0, sizeof got);
        CU_ASSERT_EQUAL(run_call(&c, got, in, COUNT, &arrays[i], NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(got, want, sizeof got), 0);
    }
    for (size_t i = 0; i < COUNT; i++) {
        CU_ASSERT_EQUAL(want[i], answer_of(&c, numbers[i], &arrays[0], i));
    }
    free(numbers);
}

CU_TestInfo context_tests[] = {
    {"names", test_names}, {"environment variables", test_environment_variables},
    {"rows", test_rows},   {"defaults", test_defaults},
    CU_TEST_INFO_NULL,
};
