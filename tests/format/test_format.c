/* format/: the table and its derived limits, names, families, rules, dialects. */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

bnd_format format_named(const char *name)
{
    bnd_format f = {.width = 0};
    bnd_error why;
    if (bnd_format_parse(&f, name, &why) != BND_OK) {
        printf("'%s': %s\n", name, why.message);
        CU_FAIL("a name that should be known");
    }
    return f;
}

bool same_number(uint64_t a, int64_t p, uint64_t b, int64_t q)
{
    for (; a != 0 && a % 2 == 0; a /= 2) {
        p++;
    }
    for (; b != 0 && b % 2 == 0; b /= 2) {
        q++;
    }
    return a == b && (a == 0 || p == q);
}

bool is_refused(const char *name, bnd_status status)
{
    bnd_format f, before;
    memset(&f, 0x5a, sizeof f);
    memset(&before, 0x5a, sizeof before);
    bnd_error why = {.status = BND_OK};
    bnd_status got = bnd_format_parse(&f, name, &why);
    bool untouched = memcmp(&f, &before, sizeof f) == 0;
    if (got == status && why.status == status && why.message[0] != '\0' && untouched) {
        return true;
    }
    printf("'%.80s': status %d for %d, %s, message '%s'\n", name, got, status, untouched ? "untouched" : "written to",
           got == BND_OK ? "" : why.message);
    return false;
}

void check_refused(const char *const *names, bnd_status status)
{
    int wrong = 0;
    for (; *names != NULL; names++) {
        wrong += !is_refused(*names, status);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

int main(void)
{
    CU_SuiteInfo suites[] = {
        {"limits", NULL, NULL, NULL, NULL, limit_tests},
        {"names", NULL, NULL, NULL, NULL, name_tests},
        {"P3109", NULL, NULL, NULL, NULL, p3109_tests},
        {"custom formats", NULL, NULL, NULL, NULL, custom_tests},
        {"value sets", NULL, NULL, NULL, NULL, value_set_tests},
        {"rules", NULL, NULL, NULL, NULL, rule_tests},
        {"dialects", NULL, NULL, NULL, NULL, dialect_tests},
        CU_SUITE_INFO_NULL,
    };
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_ErrorCode ran = CU_basic_run_tests();
    bool passed = ran == CUE_SUCCESS && CU_get_number_of_failures() == 0 && CU_get_number_of_tests_run() > 0;
    CU_cleanup_registry();
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
