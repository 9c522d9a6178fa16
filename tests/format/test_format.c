/* format/: the table and its derived limits, names, families, rules, dialects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"
#include "tests/support/suites.h"

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
        SUITE("limits", limit_tests),         SUITE("names", name_tests),
        SUITE("P3109", p3109_tests),          SUITE("custom formats", custom_tests),
        SUITE("value sets", value_set_tests), SUITE("rules", rule_tests),
        SUITE("dialects", dialect_tests),     CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
