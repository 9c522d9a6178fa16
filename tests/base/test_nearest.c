/* The distance of two names, and the three nearest in an error message. */
#include <base/base.h>

#include <string.h>

#include "tests.h"

static unsigned distance(const char *a, const char *b)
{
    return bndi_name_distance(a, strlen(a), b, strlen(b));
}

static void test_distance(void)
{
    static const struct {
        const char *a, *b;
        unsigned expected;
    } cases[] = {
        {"", "", 0},         {"", "abc", 3},      {"abc", "", 3},           {"fp16", "fp16", 0},
        {"FP16", "fp16", 0}, {"fp61", "fp16", 1}, {"f16", "fp16", 1},       {"fp16x", "fp16", 1},
        {"bp16", "fp16", 1}, {"ca", "abc", 3},    {"kitten", "sitting", 3}, {"e4m3", "e5m2", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_EQUAL(distance(cases[i].a, cases[i].b), cases[i].expected);
        CU_ASSERT_EQUAL(distance(cases[i].b, cases[i].a), cases[i].expected);
    }
    char longest[65];
    memset(longest, 'a', sizeof longest);
    CU_ASSERT_EQUAL(bndi_name_distance(longest, 63, longest, 62), 1);
    CU_ASSERT(bndi_name_distance(longest, 64, longest, 64) > 100);
}

static bndi_nearest offered(const char *asked, const char *const *names)
{
    bndi_nearest nearest = bndi_nearest_to(asked, strlen(asked));
    for (; *names != NULL; names++) {
        bndi_nearest_offer(&nearest, *names, strlen(*names));
    }
    return nearest;
}

static void test_order(void)
{
    static const char *const names[] = {"fp64", "fp32", "fp16", "Fp16", "f8", "unrelated", NULL};
    bndi_nearest nearest = offered("fp17", names);
    CU_ASSERT_EQUAL(nearest.count, 3);
    CU_ASSERT_STRING_EQUAL(nearest.names[0], "fp16"); /* once, whatever the case */
    CU_ASSERT_EQUAL(nearest.distances[0], 1);
    CU_ASSERT_STRING_EQUAL(nearest.names[1], "fp64");
    CU_ASSERT_STRING_EQUAL(nearest.names[2], "fp32");
    /* What begins with the word comes first, however long it is; one letter is too little. */
    static const char *const longer[] = {"bf17", "bf16-pure", "BF16-amp", "bf16-kahan-pure", "bf16-sr", NULL};
    nearest = offered("bf16", longer);
    CU_ASSERT_EQUAL(nearest.count, 3);
    CU_ASSERT_STRING_EQUAL(nearest.names[0], "bf16-pure");
    CU_ASSERT_STRING_EQUAL(nearest.names[1], "BF16-amp");
    CU_ASSERT_STRING_EQUAL(nearest.names[2], "bf16-kahan-pure");
    CU_ASSERT_EQUAL(offered("b", longer).count, 0);
    /* A third may differ, rounded up, and never the whole word: two letters of three are not near. */
    static const struct {
        const char *asked, *name;
        unsigned count;
    } thirds[] = {{"a", "b", 0},
                  {"ab", "b", 1},
                  {"abc", "b", 0},
                  {"abc", "abd", 1},
                  {"abc", "xbd", 0},
                  {"abcd", "abxy", 1},
                  {"abcd", "axyz", 0},
                  {"abcdef", "abcdxy", 1},
                  {"abcdef", "abcxyz", 0},
                  {"abcdefg", "abcdxyz", 1},
                  {"abcdefg", "abcwxyz", 0}};
    for (size_t i = 0; i < sizeof thirds / sizeof thirds[0]; i++) {
        const char *const name[] = {thirds[i].name, NULL};
        CU_ASSERT_EQUAL(offered(thirds[i].asked, name).count, thirds[i].count);
    }
    static const char *const far[] = {"unrelated", "nothing", NULL};
    CU_ASSERT_EQUAL(offered("fp17", far).count, 0);
}

static void test_sentence(void)
{
    static const char *const one[] = {"fp16", NULL}, *const two[] = {"fp16", "fp32", NULL};
    static const char *const three[] = {"fp64", "fp16", "fp32", NULL}, *const none[] = {"unrelated", NULL};
    bnd_error why;
    bndi_nearest nearest = offered("fp17", one);
    CU_ASSERT_EQUAL(bndi_nearest_fail(&nearest, &why, BND_BAD_NAME, "no format", NULL), BND_BAD_NAME);
    CU_ASSERT_STRING_EQUAL(why.message, "no format 'fp17'; did you mean fp16?");
    nearest = offered("fp17", two);
    (void)bndi_nearest_fail(&nearest, &why, BND_BAD_NAME, "no format", NULL);
    CU_ASSERT_STRING_EQUAL(why.message, "no format 'fp17'; did you mean fp16 or fp32?");
    nearest = offered("fp17", three);
    (void)bndi_nearest_fail(&nearest, &why, BND_BAD_NAME, "no format", "(a hint)");
    CU_ASSERT_STRING_EQUAL(why.message, "no format 'fp17'; did you mean fp16, fp64 or fp32? (a hint)");
    nearest = offered("fp17", none);
    (void)bndi_nearest_fail(&nearest, &why, BND_BAD_NAME, "no format", "(a hint)");
    CU_ASSERT_STRING_EQUAL(why.message, "no format 'fp17' (a hint)");
}

CU_TestInfo nearest_tests[] = {
    {"distance of two names", test_distance},
    {"the three nearest, in order", test_order},
    {"the sentence", test_sentence},
    CU_TEST_INFO_NULL,
};
