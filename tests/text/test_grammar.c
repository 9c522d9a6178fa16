/* Every spelling that is a number, and every one that is not, with the column at fault. */
#include "base/bits.h"
#include "tests.h"
#include "tests/support/suites.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- accepted ---- */

typedef struct spelling {
    const char *text;
    double value;
} spelling;

static const spelling finite_spellings[] = {
    {"0", 0.0},
    {"-0", -0.0},
    {"+0", 0.0},
    {"+1", 1.0},
    {"\xe2\x88\x92.5", -0.5}, /* U+2212, the minus sign of print */
    {"1e\xe2\x88\x92"
     "1",
     0.1},
    {"0x1p\xe2\x88\x92"
     "1",
     0.5},
    {".5", 0.5},
    {"5.", 5.0},
    {"-.5e1", -5.0},
    {"5.e-1", 0.5},
    {"007", 7.0},
    {"1e0", 1.0},
    {"1E+2", 100.0},
    {"1e-8", 1e-8},
    {"1e0000000000000000000000000000002", 100.0},
    {"0.1", 0.1},
    {"12", 12.0},
    {"0x1.8p3", 12.0},
    {"0X1.8P3", 12.0},
    {"0x.8p1", 1.0},
    {"0x8.p1", 16.0},
    {"0x1f", 31.0},
    {"-0x1F.8", -31.5},
    {"0x0", 0.0},
    {"-0x0.000p+99", -0.0},
    {"0x1e8", 488.0},
    {"0x1p-1074", 0x1p-1074},
    {"0x0.0000000000000000000000000000000000000000000000001p196", 1.0},
    {"0x1.fffffffffffff7ffffffffffffffffffffffffffffffffffffp0", 0x1.fffffffffffffp0},
    {"0x1.fffffffffffff8p0", 2.0},
    {"0x1.00000000000008000000000000000000000000000000000000001p0", 0x1.0000000000001p0},
    {"0x1.000000000000080000000000000000000000000000000000000p0", 1.0},
    {"0e999999999999999999999", 0.0},
    {"-0e-999999999999999999999", -0.0},
    {"1e400", INFINITY},
    {"-1e400", -INFINITY},
    {"1e999999999999", INFINITY},
    {"-1e999999999999999999999", -INFINITY},
    {"0x1p999999999999999999999", INFINITY},
    {"1e-400", 0.0},
    {"-1e-999999999999999999999", -0.0},
    {"0x1p-999999999999999999999", 0.0},
    {"1000000000000000000000000e-24", 1.0},
    {"0.000000000000000000000001e24", 1.0},
    {"inf", INFINITY},
    {"INF", INFINITY},
    {"+Infinity", INFINITY},
    {"-iNfInItY", -INFINITY},
    {"-inf", -INFINITY},
};

static void accepts_numbers(void)
{
    bnd_format fp64 = format_named("fp64");
    for (size_t i = 0; i < sizeof finite_spellings / sizeof finite_spellings[0]; i++) {
        const spelling *s = &finite_spellings[i];
        bnd_result r = {0};
        bnd_error why = {0};
        bnd_status status = bnd_parse(&r, &fp64, s->text, (bnd_rule){0}, 0, &why);
        bool right = status == BND_OK && r.code == bndi_bits_of_double(s->value);
        if (!right) {
            printf("%s: 0x%llx, not %a %s\n", s->text, (unsigned long long)r.code, s->value, why.message);
        }
        CU_ASSERT(right);
    }
}

typedef struct nan_spelling {
    const char *text;
    uint64_t fp64; /* by propagation, which quiets a signaling one */
    bool signaling;
    const char *printed;
} nan_spelling;

static const nan_spelling nan_spellings[] = {
    {"nan", 0x7ff8000000000000, false, "nan"},
    {"NaN", 0x7ff8000000000000, false, "nan"},
    {"-nan", 0xfff8000000000000, false, "-nan"},
    {"nan(0)", 0x7ff8000000000000, false, "nan"},
    {"nan(0x7f)", 0x7ff800000000007f, false, "nan(0x7f)"},
    {"nan(127)", 0x7ff800000000007f, false, "nan(0x7f)"},
    {"-nan(0X7ffffffffffff)", 0xffffffffffffffff, false, "-nan(0x7ffffffffffff)"},
    {"nan(2251799813685247)", 0x7fffffffffffffff, false, "nan(0x7ffffffffffff)"},
    {"nan(0000000000000000000000010)", 0x7ff800000000000a, false, "nan(0xa)"},
    {"snan", 0x7ff8000000000001, true, "snan"},
    {"sNaN(0x1)", 0x7ff8000000000001, true, "snan"},
    {"-snan(2)", 0xfff8000000000002, true, "-snan(0x2)"},
};

static void accepts_nans(void)
{
    bnd_format fp64 = format_named("fp64");
    for (size_t i = 0; i < sizeof nan_spellings / sizeof nan_spellings[0]; i++) {
        const nan_spelling *s = &nan_spellings[i];
        bnd_exact x = {0};
        char printed[64];
        CU_ASSERT_EQUAL_FATAL(bnd_parse_exact(&x, s->text, NULL), BND_OK);
        CU_ASSERT_EQUAL(x.kind, s->signaling ? BND_KIND_SIGNALING_NAN : BND_KIND_QUIET_NAN);
        bnd_result r = bnd_encode_exact(&fp64, x, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0);
        CU_ASSERT_EQUAL(r.code, s->fp64);
        CU_ASSERT_EQUAL(r.flags, s->signaling ? BND_FLAG_INVALID : 0);
        bnd_print_exact(printed, sizeof printed, x, BND_NOTATION_AUTO);
        CU_ASSERT_STRING_EQUAL(printed, s->printed);
    }
}

/* ---- refused ---- */

typedef struct refusal {
    const char *text;
    size_t length, where;
    const char *says; /* a part of the message */
} refusal;

#define AT(text, where, says)                                                                                          \
    {                                                                                                                  \
        text, sizeof text - 1, where, says                                                                             \
    }

static const refusal refusals[] = {
    AT("", 0, "column 1: unexpected end of the text"),
    AT(".", 1, "column 2: unexpected end of the text; expected a digit"),
    AT("-.", 2, "column 3: unexpected end of the text"),
    AT(".e5", 1, "column 2: unexpected 'e'; expected a digit"),
    AT("e5", 0, "column 1: unexpected 'e'"),
    AT("1e", 2, "column 3: unexpected end of the text; expected a digit in the exponent"),
    AT("1e+", 3, "column 4: unexpected end of the text; expected a digit in the exponent"),
    AT("1e-x", 3, "column 4: unexpected 'x'; expected a digit in the exponent"),
    AT("1e5.0", 3, "column 4: unexpected '.'"),
    AT("1e5e5", 3, "column 4: unexpected 'e'"),
    AT("1.5.", 3, "column 4: unexpected '.'; a number can have one point"),
    AT("0x", 2, "column 3: unexpected end of the text; expected a hexadecimal digit after 0x"),
    AT("-0x", 3, "column 4: unexpected end of the text"),
    AT("0x.", 3, "column 4: unexpected end of the text; expected a hexadecimal digit after 0x"),
    AT("0xp3", 2, "column 3: unexpected 'p'"),
    AT("0x1p", 4, "column 5: unexpected end of the text; expected a digit in the exponent"),
    AT("0x1pa", 4, "column 5: unexpected 'a'; expected a digit in the exponent"),
    AT("0x1g", 3, "column 4: unexpected 'g'"),
    AT("1f", 1, "column 2: unexpected 'f'"),
    AT("1p3", 1, "column 2: unexpected 'p'"),
    AT("0b101", 1, "column 2: unexpected 'b'"),
    AT("1,5", 1, "column 2: unexpected ','; the decimal point must be '.'"),
    AT("1_000", 1, "column 2: unexpected '_'; digits must not be grouped"),
    AT("1'000", 1, "column 2: unexpected '''; digits must not be grouped"),
    AT("12 ", 2, "column 3: unexpected blank"),
    AT("12\n", 2, "column 3: unexpected blank"),
    AT(" 12", 0, "column 1: unexpected blank"),
    AT("\t12", 0, "column 1: unexpected blank"),
    AT("- 12", 1, "column 2: unexpected blank"),
    AT("1 2", 1, "column 2: unexpected blank"),
    AT("12abc", 2, "column 3: unexpected 'a'"),
    AT("1/3", 1, "column 2: unexpected '/'"),
    AT("1%", 1, "column 2: unexpected '%'"),
    AT("12\0", 2, "column 3: unexpected NUL byte"),
    AT("1\0"
       "2",
       1, "column 2: unexpected NUL byte"),
    AT("\0", 0, "column 1: unexpected NUL byte"),
    AT("nan\0", 3, "column 4: unexpected NUL byte"),
    AT("+", 1, "column 2: unexpected end of the text; expected a digit, '.', 0x, inf or nan after the sign"),
    AT("-", 1, "column 2: unexpected end of the text; expected a digit, '.', 0x, inf or nan after the sign"),
    AT("--1", 1, "column 2: unexpected '-'; expected a digit, '.', 0x, inf or nan after the sign"),
    AT("+-1", 1, "column 2: unexpected '-'"),
    AT("i", 1, "column 2: unexpected end of the text; expected inf, infinity, nan or snan"),
    AT("in", 2, "column 3: unexpected end of the text; expected inf, infinity, nan or snan"),
    AT("infi", 4, "column 5: unexpected end of the text; expected inf, infinity, nan or snan"),
    AT("infinite", 7, "column 8: unexpected 'e'; expected inf, infinity, nan or snan"),
    AT("inf1", 3, "column 4: unexpected '1'"),
    AT("infinity1", 8, "column 9: unexpected '1'"),
    AT("na", 2, "column 3: unexpected end of the text; expected inf, infinity, nan or snan"),
    AT("none", 1, "column 2: unexpected 'o'; expected inf, infinity, nan or snan"),
    AT("nan(", 4, "column 5: unexpected end of the text; expected a payload"),
    AT("nan()", 4, "column 5: unexpected ')'; expected a payload"),
    AT("nan(0x", 6, "column 7: unexpected end of the text; expected a payload"),
    AT("nan(0x)", 6, "column 7: unexpected ')'; expected a payload"),
    AT("nan(-1)", 4, "column 5: unexpected '-'; expected a payload"),
    AT("nan(12", 6, "column 7: unexpected end of the text; expected a payload"),
    AT("nan(12a)", 6, "column 7: unexpected 'a'; expected a payload"),
    AT("nan(1)x", 6, "column 7: unexpected 'x'"),
    AT("nan(0x8000000000000)", 4, "column 5: the payload must have at most"),
    AT("nan(99999999999999999999999999999999)", 4, "column 5: the payload must have at most"),
    AT("snan(0)", 5, "column 6: the payload of a signaling NaN must not be 0"),
    AT("sinf", 1, "column 2: unexpected 'i'; expected inf, infinity, nan or snan"),
    AT("\xe2\x88\x93"
       "1",
       0, "column 1: unexpected '\xe2\x88\x93'"),
    AT("1\xe2\x88\x92", 1, "column 2: unexpected '\xe2\x88\x92'"),
    AT("\xe2\x88\x92\xe2\x88\x92"
       "1",
       3, "column 2: unexpected '\xe2\x88\x92'"),
    AT("1\xe2\x88", 1, "column 2: unexpected byte 0xe2"),
    AT("1\xc0\xaf", 1, "column 2: unexpected byte 0xc0"),
    AT("1\xed\xa0\x80", 1, "column 2: unexpected byte 0xed"),
    AT("1\xe2\x80\xae", 1, "column 2: unexpected byte 0xe2"),
    AT("1\xc2\xa0", 1, "column 2: unexpected blank"),
    AT("\xef\xbc\x91", 0, "column 1: unexpected '\xef\xbc\x91'"),
    AT("1\x7f", 1, "column 2: unexpected byte 0x7f"),
    AT("0x1\x01", 3, "column 4: unexpected byte 0x1"),
};

static void refuses_everything_else(void)
{
    bnd_format fp16 = format_named("fp16");
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        bnd_result untouched = {.code = 77, .flags = 7, .ternary = 5}, out = untouched;
        bnd_error why = {0};
        bnd_status status = bnd_parse_n(&out, &fp16, r->text, r->length, (bnd_rule){0}, 0, &why);
        bool right = status == BND_BAD_SYNTAX && why.status == status && why.where == r->where &&
                     strncmp(why.message, r->says, strlen(r->says)) == 0;
        if (!right) {
            printf("%s: status %d at %zu: %s\n", r->text, (int)status, why.where, why.message);
        }
        CU_ASSERT(right);
        CU_ASSERT(out.code == untouched.code && out.flags == untouched.flags && out.ternary == untouched.ternary);
        CU_ASSERT_EQUAL(bnd_parse_n(&out, &fp16, r->text, r->length, (bnd_rule){0}, 0, NULL), BND_BAD_SYNTAX);
    }
}

static void refuses_value_sets(void)
{
    bnd_format set = format_named("p11emin-14emax15");
    bnd_result out = {.code = 77};
    bnd_error why = {0};
    CU_ASSERT_EQUAL(bnd_parse_n(&out, &set, "1", 1, (bnd_rule){0}, 0, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(out.code, 77);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "bnd_parse_exact and bnd_round_exact"));
}

/* ---- locales ---- */

static void check_this_locale(void)
{
    bnd_format fp64 = format_named("fp64");
    bnd_result r = {0};
    bnd_error why = {0};
    CU_ASSERT_EQUAL(bnd_parse_n(&r, &fp64, "1.5", 3, (bnd_rule){0}, 0, NULL), BND_OK);
    CU_ASSERT_EQUAL(r.code, bndi_bits_of_double(1.5));
    CU_ASSERT_EQUAL(bnd_parse_n(&r, &fp64, "1,5", 3, (bnd_rule){0}, 0, &why), BND_BAD_SYNTAX);
    CU_ASSERT_EQUAL(why.where, 1);
    char out[64];
    bnd_exact x = bnd_exact_double(-1234.5);
    bnd_print_exact(out, sizeof out, x, BND_NOTATION_AUTO);
    CU_ASSERT_STRING_EQUAL(out, "-1234.5");
    bnd_print_shortest(out, sizeof out, &fp64, x);
    CU_ASSERT_STRING_EQUAL(out, "-1234.5");
    bnd_print_digits(out, sizeof out, x, 2);
    CU_ASSERT_STRING_EQUAL(out, "-1.2e+03");
    bnd_print_hex(out, sizeof out, x);
    CU_ASSERT_STRING_EQUAL(out, "-0x1.34ap+10");
    size_t length;
    CU_ASSERT_EQUAL(print_error_of_text(&length, out, sizeof out, x, "-1234.25", 8, BND_NOTATION_AUTO, NULL), BND_OK);
    CU_ASSERT_STRING_EQUAL(out, "-0.25");
}

/* Locales that write a comma, where they are installed; the C locale always. */
static void reads_the_same_in_every_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",       "fr_FR.UTF-8",
                                        "nl_NL.UTF-8", "it_IT.utf8", "pt_BR.UTF-8", "ru_RU.UTF-8"};
    check_this_locale();
    unsigned commas = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) == NULL) {
            continue;
        }
        commas += strcmp(localeconv()->decimal_point, ",") == 0;
        check_this_locale();
    }
    setlocale(LC_ALL, "C");
    if (commas == 0) {
        skip_test("locales with a decimal comma");
    }
}

CU_TestInfo grammar_tests[] = {
    {"numbers are accepted", accepts_numbers},
    {"NaNs are accepted", accepts_nans},
    {"everything else is refused, with the column", refuses_everything_else},
    {"value sets have no codes", refuses_value_sets},
    {"the locale does not matter", reads_the_same_in_every_locale},
    CU_TEST_INFO_NULL,
};
