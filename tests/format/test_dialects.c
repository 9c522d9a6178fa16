/* Dialects: found by name, each with an answer for something, and the answers that tell the best-known ones apart. */
#include <stdio.h>
#include <string.h>

#include "tests.h"

static void test_names(void)
{
    CU_ASSERT(bnd_dialect_count() > 0);
    for (size_t i = 0; i < bnd_dialect_count(); i++) {
        size_t found = bnd_dialect_count();
        CU_ASSERT_EQUAL(bnd_dialect_parse(&found, bnd_dialect_name(i), NULL), BND_OK);
        CU_ASSERT_EQUAL(found, i); /* no two have one name */
        CU_ASSERT(bnd_dialect_title(i)[0] != '\0');
    }
    size_t upper = 0, lower = 1;
    CU_ASSERT_EQUAL(bnd_dialect_parse(&upper, "CUDA-SatFinite", NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_dialect_parse(&lower, "cuda-satfinite", NULL), BND_OK);
    CU_ASSERT_EQUAL(upper, lower);
}

static void test_unknown(void)
{
    static const struct {
        const char *asked, *offered;
    } cases[] = {{"cuda-satfinit", "cuda-satfinite"},
                 {"ml-dtypes", "ml_dtypes"},
                 {"tourch", "torch"},
                 {"", "ml_dtypes"},
                 {"nobody's", "ml_dtypes"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t found = 12345;
        bnd_error why;
        CU_ASSERT_EQUAL(bnd_dialect_parse(&found, cases[i].asked, &why), BND_BAD_NAME);
        CU_ASSERT_EQUAL(found, 12345);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, cases[i].offered));
    }
}

static bool is_possible(const bnd_rule *rule)
{
    return rule->rounding < BND_ROUND_COUNT && rule->overflow < BND_OVERFLOW_COUNT && rule->nan < BND_NAN_COUNT &&
           rule->no_nan <= BND_NO_NAN_ZERO && rule->negative <= BND_NEGATIVE_MAGNITUDE && rule->zero <= BND_ZERO_NAN &&
           rule->tie_rule <= BND_TIE_RULE_CODE && rule->random_bits <= BND_RANDOM_BITS_MAX;
}

/* Every dialect answers for some format, with a rule whose parts exist; where it has none, the rule stays untouched. */
static void test_rules(void)
{
    int wrong = 0;
    for (size_t i = 0; i < bnd_dialect_count(); i++) {
        int answers = 0;
        for (size_t j = 0; j < bnd_group_size("all"); j++) {
            bnd_format f;
            (void)bnd_group_at(&f, "all", j);
            bnd_rule rule, before;
            memset(&rule, 0xff, sizeof rule);
            before = rule;
            bool has = bnd_dialect_rule(&rule, i, &f);
            wrong += (bnd_dialect_source(i, &f)[0] != '\0') != has;
            wrong += has ? !is_possible(&rule) : memcmp(&rule, &before, sizeof rule) != 0;
            answers += has;
        }
        if (answers == 0) {
            printf("dialect %s has no answer\n", bnd_dialect_name(i));
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The rule of a dialect for a format; a rule that no test expects where there is none. */
static bnd_rule rule_of(const char *dialect, const char *format)
{
    bnd_rule rule = {.overflow = BND_OVERFLOW_COUNT, .nan = BND_NAN_COUNT};
    bnd_format f = format_named(format);
    size_t i = 0;
    CU_ASSERT_EQUAL(bnd_dialect_parse(&i, dialect, NULL), BND_OK);
    CU_ASSERT(bnd_dialect_rule(&rule, i, &f));
    return rule;
}

static void test_known_rules(void)
{
    CU_ASSERT_EQUAL(rule_of("ml_dtypes", "e4m3").overflow, BND_OVERFLOW_FORMAT);
    CU_ASSERT_EQUAL(rule_of("ml_dtypes", "e2m1").no_nan, BND_NO_NAN_ZERO);
    CU_ASSERT_EQUAL(rule_of("ml_dtypes", "e8m0").zero, BND_ZERO_NAN);
    CU_ASSERT_EQUAL(rule_of("ml_dtypes", "ue5m3").negative, BND_NEGATIVE_NAN);
    CU_ASSERT_EQUAL(rule_of("cuda-satfinite", "e4m3").overflow, BND_OVERFLOW_SATURATE);
    CU_ASSERT_EQUAL(rule_of("cuda-nosat", "e4m3").overflow, BND_OVERFLOW_FORMAT);
    CU_ASSERT_EQUAL(rule_of("cuda-satfinite", "e2m1").no_nan, BND_NO_NAN_MAX);
    CU_ASSERT_EQUAL(rule_of("cuda-satfinite", "e8m0").negative, BND_NEGATIVE_MAGNITUDE);
    CU_ASSERT_EQUAL(rule_of("p3109-satnone", "binary8p3se").overflow, BND_OVERFLOW_FORMAT_MAX);
    CU_ASSERT_EQUAL(rule_of("p3109-satnone", "binary15p1uf").overflow, BND_OVERFLOW_FORMAT_MAX);
    CU_ASSERT_EQUAL(rule_of("p3109-satfinite", "binary8p3se").overflow, BND_OVERFLOW_SATURATE);
    CU_ASSERT_EQUAL(rule_of("p3109-satpropagate", "binary8p3sf").overflow, BND_OVERFLOW_PROPAGATE_MAX);
}

/* OCP's e4m3 is none of P3109's; binary16 is none either, whatever it is called. */
static void test_no_answer(void)
{
    size_t i = 0;
    bnd_rule rule;
    bnd_format e4m3 = format_named("e4m3"), fp16 = format_named("binary16");
    CU_ASSERT_EQUAL(bnd_dialect_parse(&i, "p3109-satnone", NULL), BND_OK);
    CU_ASSERT(!bnd_dialect_rule(&rule, i, &e4m3));
    CU_ASSERT(!bnd_dialect_rule(&rule, i, &fp16));
    CU_ASSERT(!bnd_dialect_rule(&rule, bnd_dialect_count(), &e4m3));
}

CU_TestInfo dialect_tests[] = {
    {"names", test_names},
    {"unknown names", test_unknown},
    {"rules", test_rules},
    {"rules that tell dialects apart", test_known_rules},
    {"formats that a dialect does not know", test_no_answer},
    CU_TEST_INFO_NULL,
};
