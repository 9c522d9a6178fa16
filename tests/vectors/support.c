/* Vectors by name. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/operands.h"

uint64_t vectors_random(uint64_t purpose, uint64_t i)
{
    return bnd_random(42, purpose, i);
}

bnd_vectors vectors_described(const char *operation, const char *in, const char *out, bnd_rule rule)
{
    bnd_format formats[BND_OPERANDS_MAX], result = format_named(out);
    size_t count = 0;
    char list[128], *word, *rest = list;
    bnd_vectors v = {.operands = 0};
    snprintf(list, sizeof list, "%s", in);
    while ((word = strtok_r(rest, ",", &rest)) != NULL && count < BND_OPERANDS_MAX) {
        formats[count++] = format_named(word);
    }
    CU_ASSERT_EQUAL_FATAL(bnd_vectors_describe(&v, operation, formats, count, &result, rule, NULL), BND_OK);
    return v;
}
