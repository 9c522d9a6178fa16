/* Rounding modes, overflow policies, NaN rules and flags by name. */
#include <stdio.h>
#include <string.h>

#include "tests.h"

static bool same_rule(const bnd_rule *a, const bnd_rule *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Every other field set to something, so that a parser that touches it is seen. */
static bnd_rule marked(void)
{
    bnd_rule rule;
    memset(&rule, 1, sizeof rule);
    rule.overflow = BND_OVERFLOW_PROPAGATE;
    rule.random_bits = 17;
    return rule;
}

static bool reads_as(const char *name, bnd_rounding rounding, int bits)
{
    bnd_rule rule = marked(), expected = marked();
    expected.rounding = (uint8_t)rounding;
    expected.random_bits = (uint8_t)bits;
    bnd_error why = {.message = ""};
    bnd_status status = bnd_rounding_parse(&rule, name, &why);
    if (status == BND_OK && same_rule(&rule, &expected)) {
        return true;
    }
    printf("'%s': status %d, rounding %d, %d bits; %s\n", name, status, rule.rounding, rule.random_bits, why.message);
    return false;
}

static const struct {
    const char *name;
    bnd_rounding rounding;
} modes[] = {
    {"rne", BND_ROUND_RNE},
    {"rna", BND_ROUND_RNA},
    {"rtz", BND_ROUND_RTZ},
    {"rup", BND_ROUND_RUP},
    {"rdn", BND_ROUND_RDN},
    {"rto", BND_ROUND_RTO},
    {"sr", BND_ROUND_SR},
    {"sra", BND_ROUND_SRA},
    {"srb", BND_ROUND_SRB},
    {"sr-equal", BND_ROUND_SR_EQUAL},
    /* P3109 */
    {"NearestTiesToEven", BND_ROUND_RNE},
    {"NearestTiesToAway", BND_ROUND_RNA},
    {"TowardZero", BND_ROUND_RTZ},
    {"TowardPositive", BND_ROUND_RUP},
    {"TowardNegative", BND_ROUND_RDN},
    {"ToOdd", BND_ROUND_RTO},
    {"StochasticA", BND_ROUND_SRA},
    {"StochasticB", BND_ROUND_SRB},
    {"StochasticC", BND_ROUND_SR},
    /* Intel; its rne and rtz are ours */
    {"rnaz", BND_ROUND_RNA},
    {"rpinf", BND_ROUND_RUP},
    {"rninf", BND_ROUND_RDN},
    {"stochastic", BND_ROUND_SR},
    /* TestFloat */
    {"near_even", BND_ROUND_RNE},
    {"near_maxMag", BND_ROUND_RNA},
    {"minMag", BND_ROUND_RTZ},
    {"min", BND_ROUND_RDN},
    {"max", BND_ROUND_RUP},
    {"odd", BND_ROUND_RTO},
};
enum { MODES = sizeof modes / sizeof modes[0] };

static void test_roundings(void)
{
    for (size_t i = 0; i < MODES; i++) {
        CU_ASSERT(reads_as(modes[i].name, modes[i].rounding, 0));
        char changed[32];
        size_t length = strlen(modes[i].name);
        for (size_t j = 0; j <= length; j++) {
            char c = modes[i].name[j];
            changed[j] = c >= 'a' && c <= 'z' ? (char)(c - 32) : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
        }
        CU_ASSERT(reads_as(changed, modes[i].rounding, 0));
    }
}

static void test_random_bits(void)
{
    static const struct {
        const char *name;
        bnd_rounding rounding;
    } stochastic[] = {
        {"sr", BND_ROUND_SR}, {"sra", BND_ROUND_SRA}, {"srb", BND_ROUND_SRB}, {"StochasticB", BND_ROUND_SRB}};
    for (size_t i = 0; i < sizeof stochastic / sizeof stochastic[0]; i++) {
        for (int bits = 1; bits <= BND_RANDOM_BITS_MAX; bits++) {
            char name[32];
            snprintf(name, sizeof name, "%s:%d", stochastic[i].name, bits);
            CU_ASSERT(reads_as(name, stochastic[i].rounding, bits));
        }
    }
}

/* Refused with a message, the rule untouched; `hint` is something that the message must say. */
static bool refuses(const char *name, const char *hint)
{
    bnd_rule rule = marked(), before = marked();
    bnd_error why = {.message = ""};
    bnd_status status = bnd_rounding_parse(&rule, name, &why);
    bool right = status != BND_OK && why.status == status && same_rule(&rule, &before) &&
                 strstr(why.message, hint) != NULL && strstr(why.message, name) != NULL;
    if (!right) {
        printf("'%s': status %d, message '%s'\n", name, status, why.message);
    }
    return right;
}

static void test_refused_bits(void)
{
    static const char *const names[] = {"sr:0",  "sr:63",  "sra:63",  "srb:64", "sr:999",   "sr:4294967304",
                                        "sr:",   "sr:x",   "sr:8x",   "sr:-8",  "sr:+8",    "sr: 8",
                                        "sr:8 ", "sr:8:8", "srb:256", "sra:0",  "sr:00000", NULL};
    for (size_t i = 0; names[i] != NULL; i++) {
        CU_ASSERT(refuses(names[i], "from 1 to 62"));
    }
    CU_ASSERT(refuses("rne:8", "random bits"));
    CU_ASSERT(refuses("sr-equal:3", "random bits"));
    CU_ASSERT(refuses("rtz:", "random bits"));
}

/* The peers disagree on which number is which mode: the message says so, and names the modes. */
static void test_bare_integers(void)
{
    static const char *const names[] = {"0", "1", "2", "5", "16"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CU_ASSERT(refuses(names[i], "must be a name"));
        CU_ASSERT(refuses(names[i], "rne"));
    }
}

static void test_unknown_roundings(void)
{
    CU_ASSERT(refuses("rnee", "rne"));
    CU_ASSERT(refuses("near_evn", "near_even"));
    CU_ASSERT(refuses("TowardPositve", "TowardPositive"));
    CU_ASSERT(refuses("", "rne"));
    CU_ASSERT(refuses(" rne", "rne"));
    CU_ASSERT(refuses("rne ", "rne"));
    CU_ASSERT(refuses("completely different", "rne"));
    bnd_rule rule = {0};
    CU_ASSERT_EQUAL(bnd_rounding_parse(&rule, "nothing like it", NULL), BND_BAD_NAME);
}

static void test_names_of_roundings(void)
{
    for (unsigned i = 0; i < BND_ROUND_COUNT; i++) {
        CU_ASSERT_STRING_EQUAL(bnd_rounding_name((bnd_rounding)i), modes[i].name);
        CU_ASSERT(bnd_rounding_title((bnd_rounding)i)[0] != '\0');
        for (unsigned j = 0; j < i; j++) {
            CU_ASSERT_STRING_NOT_EQUAL(bnd_rounding_title((bnd_rounding)i), bnd_rounding_title((bnd_rounding)j));
        }
    }
    CU_ASSERT_STRING_EQUAL(bnd_rounding_title(BND_ROUND_RNE), "to nearest, ties to even");
}

static void check_overflow(const char *name, bnd_overflow overflow)
{
    bnd_rule rule = marked(), expected = marked();
    rule.overflow = BND_OVERFLOW_COUNT;
    expected.overflow = (uint8_t)overflow;
    CU_ASSERT_EQUAL(bnd_overflow_parse(&rule, name, NULL), BND_OK);
    CU_ASSERT(same_rule(&rule, &expected));
}

static void test_overflows(void)
{
    for (unsigned i = 0; i < BND_OVERFLOW_COUNT; i++) {
        check_overflow(bnd_overflow_name((bnd_overflow)i), (bnd_overflow)i);
    }
    check_overflow("format", BND_OVERFLOW_FORMAT);
    check_overflow("Saturate", BND_OVERFLOW_SATURATE);
    check_overflow("PROPAGATE", BND_OVERFLOW_PROPAGATE);
    check_overflow("SatFinite", BND_OVERFLOW_SATURATE);
    check_overflow("SatPropagate", BND_OVERFLOW_PROPAGATE_MAX);
    check_overflow("SatNone", BND_OVERFLOW_FORMAT_MAX);
    static const char *const refused[] = {"", "1", "saturated", "wrap", " format", NULL};
    for (size_t i = 0; refused[i] != NULL; i++) {
        bnd_rule rule = marked(), before = marked();
        bnd_error why;
        CU_ASSERT_EQUAL(bnd_overflow_parse(&rule, refused[i], &why), BND_BAD_NAME);
        CU_ASSERT(same_rule(&rule, &before));
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "saturate"));
    }
}

static void test_nans(void)
{
    for (unsigned i = 0; i < BND_NAN_COUNT; i++) {
        bnd_rule rule = marked(), expected = marked();
        expected.nan = (uint8_t)i;
        CU_ASSERT_EQUAL(bnd_nan_parse(&rule, bnd_nan_name((bnd_nan)i), NULL), BND_OK);
        CU_ASSERT(same_rule(&rule, &expected));
    }
    CU_ASSERT_STRING_EQUAL(bnd_nan_name(BND_NAN_DEFAULT), "default");
    CU_ASSERT_STRING_EQUAL(bnd_nan_name(BND_NAN_CANONICAL), "canonical");
    CU_ASSERT_STRING_EQUAL(bnd_nan_name(BND_NAN_PROPAGATE), "propagate");
    CU_ASSERT_STRING_EQUAL(bnd_nan_name(BND_NAN_X86), "x86");
    bnd_rule rule = marked(), before = marked();
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_nan_parse(&rule, "x87", &why), BND_BAD_NAME);
    CU_ASSERT(same_rule(&rule, &before));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "x86"));
}

/* The first five have the values of TestFloat's flags. */
static void test_flags(void)
{
    static const struct {
        bnd_flag flag;
        uint32_t value;
        const char *name;
    } flags[] = {
        {BND_FLAG_INEXACT, 1, "inexact"},   {BND_FLAG_UNDERFLOW, 2, "underflow"},
        {BND_FLAG_OVERFLOW, 4, "overflow"}, {BND_FLAG_DIVBYZERO, 8, "divbyzero"},
        {BND_FLAG_INVALID, 16, "invalid"},  {BND_FLAG_SATURATED, 32, "saturated"},
        {BND_FLAG_TO_ZERO, 64, "to-zero"},
    };
    CU_ASSERT_STRING_EQUAL(bnd_flag_name(0), "");
    uint32_t lower = 0;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        CU_ASSERT_EQUAL((uint32_t)flags[i].flag, flags[i].value);
        CU_ASSERT_STRING_EQUAL(bnd_flag_name(flags[i].flag), flags[i].name);
        CU_ASSERT_STRING_EQUAL(bnd_flag_name(BND_FLAG_ALL & ~lower), flags[i].name); /* the lowest of several */
        lower |= flags[i].flag;
    }
    CU_ASSERT_EQUAL(lower, BND_FLAG_ALL);
}

CU_TestInfo rule_tests[] = {
    {"rounding modes, as everybody calls them", test_roundings},
    {"random bits", test_random_bits},
    {"random bits, refused", test_refused_bits},
    {"bare integers are refused", test_bare_integers},
    {"unknown modes", test_unknown_roundings},
    {"names and titles of modes", test_names_of_roundings},
    {"overflow policies", test_overflows},
    {"NaN rules", test_nans},
    {"flags", test_flags},
    CU_TEST_INFO_NULL,
};
