/* Numbers of bytes for people. */
#include "tests.h"

#include <math.h>
#include <string.h>

static void bytes_have_three_digits(void)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1, "1 B"},
                 {1023, "1023 B"},
                 {1023.5, "1.00 KiB"},
                 {1536, "1.50 KiB"},
                 {9.99 * 1024, "9.99 KiB"},
                 {9.995 * 1024, "10.0 KiB"},
                 {99.9 * 1024, "99.9 KiB"},
                 {99.95 * 1024, "100 KiB"},
                 {1048576, "1.00 MiB"},
                 {-3774873.6, "-3.60 MiB"},
                 {0x1p40 * 5000, "5000 TiB"},
                 {NAN, "-"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32];
        CU_ASSERT_EQUAL(bnd_bytes_print(text, sizeof text, cases[i].bytes), strlen(cases[i].text));
        CU_ASSERT_STRING_EQUAL(text, cases[i].text);
    }
}

static void a_text_may_be_cut(void)
{
    for (size_t size = 0; size < 12; size++) {
        char text[16] = "###############";
        CU_ASSERT_EQUAL(bnd_bytes_print(text, size, 1536), 8);
        CU_ASSERT_EQUAL(text[size], '#'); /* nothing behind the room */
        if (size > 0) {
            const size_t length = size - 1 < 8 ? size - 1 : 8;
            CU_ASSERT_EQUAL(strlen(text), length);
            CU_ASSERT_EQUAL(memcmp(text, "1.50 KiB", length), 0);
        }
    }
    CU_ASSERT_EQUAL(bnd_bytes_print(NULL, 0, 1536), 8);
}

CU_TestInfo answer_line_tests[] = {
    {"bytes have three digits", bytes_have_three_digits}, {"a text may be cut", a_text_may_be_cut}, CU_TEST_INFO_NULL};
