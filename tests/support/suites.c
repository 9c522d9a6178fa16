#include "tests/support/suites.h"

#include <binade/bulk.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int run_suites(CU_SuiteInfo *suites)
{
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_ErrorCode ran = CU_basic_run_tests();
    bool passed = ran == CUE_SUCCESS && CU_get_number_of_failures() == 0 && CU_get_number_of_tests_run() > 0;
    CU_cleanup_registry();
    if (skipped_count > 0) {
        print_skipped();
    }
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
