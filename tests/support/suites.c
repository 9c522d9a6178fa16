#include "tests/support/suites.h"

#include <binade/bulk.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SKIPPED = 16 };
static const char *skipped[MOST_SKIPPED];
static size_t skipped_count;

void skip_test(const char *what)
{
    for (size_t i = 0; i < skipped_count; i++) {
        if (strcmp(skipped[i], what) == 0) {
            return;
        }
    }
    if (skipped_count == MOST_SKIPPED) {
        fprintf(stderr, "too many references are skipped: %s\n", what);
        exit(EXIT_FAILURE);
    }
    skipped[skipped_count++] = what;
}

void skip_missing_back_ends(void)
{
    static char texts[BND_BACKEND_COUNT][32];
    for (unsigned i = BND_BACKEND_PORTABLE; i < BND_BACKEND_COUNT; i++) {
        if (!bnd_backend_here((bnd_backend)i)) {
            snprintf(texts[i], sizeof texts[i], "back end %s", bnd_backend_name((bnd_backend)i));
            skip_test(texts[i]);
        }
    }
}

static void print_skipped(void)
{
    printf("\n%zu skipped", skipped_count);
    for (size_t i = 0; i < skipped_count; i++) {
        printf("%s%s", i == 0 ? ": " : "; ", skipped[i]);
    }
    printf("\n");
}

static clock_t began;

static void on_start(const CU_pTest test, const CU_pSuite suite)
{
    (void)test, (void)suite;
    began = clock();
}

/* What failed, and processor seconds of tests that take half a second or more. */
static void on_end(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failures)
{
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    if (seconds >= 0.5 || failures != NULL) {
        printf("%s, %s: %.1f s%s\n", suite->pName, test->pName, seconds, failures != NULL ? ", failed" : "");
    }
    for (CU_pFailureRecord f = failures; f != NULL; f = f->pNext) {
        printf("    %s:%u: %s\n", f->strFileName != NULL ? f->strFileName : "", f->uiLineNumber,
               f->strCondition != NULL ? f->strCondition : "");
    }
    fflush(stdout);
}

static void on_failed_setup(const CU_pSuite suite)
{
    printf("%s: its setup failed\n", suite->pName);
}

int run_suites(CU_SuiteInfo *suites)
{
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    CU_set_test_start_handler(on_start);
    CU_set_test_complete_handler(on_end);
    CU_set_suite_init_failure_handler(on_failed_setup);
    CU_ErrorCode ran = CU_run_all_tests();
    unsigned run = CU_get_number_of_tests_run(), failed = CU_get_number_of_tests_failed();
    printf("%u tests run, %u failed, %u comparisons\n", run, failed, CU_get_number_of_asserts());
    bool passed = ran == CUE_SUCCESS && CU_get_number_of_failures() == 0 && run > 0;
    CU_cleanup_registry();
    if (skipped_count > 0) {
        print_skipped();
    }
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
