/* Codes of one format into codes of another against bnd_convert. */
#include <stdlib.h>

#include "expected.h"
#include "tests.h"

static void test_pairs(void)
{
    enum { COUNT = 256 };
    bench b;
    bench_open(&b, "codes to codes");
    format_list formats = all_formats();
    uint64_t codes[COUNT], pairs = scaled(6000);
    for (uint64_t k = 0; k < pairs; k++) {
        uint64_t random = bnd_random(21, 1, k);
        const bnd_format *to = &formats.at[(random >> 32) % formats.with_codes];
        const bnd_format *from = &formats.at[k % formats.with_codes];
        for (size_t i = 0; i < COUNT; i++) {
            codes[i] = bnd_random(22, k, i) & UINT64_MAX >> (64 - from->width);
        }
        bnd_array how = {.rule = random_rule(bnd_random(21, 2, k)), .packing = random & 1, .seed = k, .first = 3 * k};
        how.rule = random & 2 ? how.rule : (bnd_rule){.rounding = how.rule.rounding};
        check_convert(&b, to, from, codes, COUNT, &how);
    }
    free(formats.at);
    bench_close(&b);
}

CU_TestInfo convert_tests[] = {
    {"pairs of formats", test_pairs},
    CU_TEST_INFO_NULL,
};
