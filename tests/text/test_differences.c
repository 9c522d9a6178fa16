/* Errors of a rounding: exact, relative, and in units, against rationals. */
#include "base/bits.h"
#include "tests.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bnd_exact value_of(const char *text)
{
    bnd_exact x = {0};
    CU_ASSERT_EQUAL_FATAL(bnd_parse_exact(&x, text, NULL), BND_OK);
    return x;
}

/* ---- by name ---- */

static void writes_named_errors(void)
{
    static const struct {
        const char *value, *text;
        bnd_notation notation;
        const char *error;
    } known[] = {
        {"0", "1e-8", BND_NOTATION_AUTO, "-1e-08"},
        {"0", "1e-8", BND_NOTATION_PLAIN, "-0.00000001"},
        {"0", "1e-8", BND_NOTATION_EXPONENT, "-1e-08"},
        {"0x1.99999ap-4", "0.1", BND_NOTATION_AUTO, "1.490116119384765625e-09"},
        {"0x1.99999ap-4", "0.1", BND_NOTATION_PLAIN, "0.000000001490116119384765625"},
        {"0x1.99999ap-4", "0x1.99999ap-4", BND_NOTATION_AUTO, "0"},
        {"-0", "0", BND_NOTATION_AUTO, "0"},
        {"0.5", "0.5000", BND_NOTATION_AUTO, "0"},
        {"65504", "1e5", BND_NOTATION_AUTO, "-34496"},
        {"65504", "0x1p16", BND_NOTATION_AUTO, "-32"},
        {"-65504", "-65505.25", BND_NOTATION_AUTO, "1.25"},
        {"448", "1e45", BND_NOTATION_AUTO, "-9.99999999999999999999999999999999999999999552e+44"},
        {"448", "1e40", BND_NOTATION_AUTO, "-9999999999999999999999999999999999999552"},
        {"1", "1.0000", BND_NOTATION_EXPONENT, "0"},
        {"0", "1e99999999999", BND_NOTATION_AUTO, "-1e+99999999999"},
        {"0", "-3e-1000000000000000000", BND_NOTATION_AUTO, "3e-1000000000000000000"},
        {"0", "0e99999999999999999999999", BND_NOTATION_AUTO, "0"},
        {"0x1p-24", "0e99999999999999999999999", BND_NOTATION_AUTO, "5.9604644775390625e-08"},
    };
    char text[200];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t length = 0;
        bnd_status status = print_error_of_text(&length, text, sizeof text, value_of(known[i].value), known[i].text,
                                                strlen(known[i].text), known[i].notation, NULL);
        CU_ASSERT_EQUAL(status, BND_OK);
        CU_ASSERT_STRING_EQUAL(text, known[i].error);
        CU_ASSERT_EQUAL(length, strlen(known[i].error));
    }
}

static void refuses_what_is_too_long(void)
{
    static const struct {
        const char *value, *text;
        bnd_notation notation;
        bnd_status status;
        const char *says;
    } refused[] = {
        {"1", "1e100010", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "digits"},
        {"1", "1e-100010", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "digits"},
        {"0", "1e-100010", BND_NOTATION_PLAIN, BND_BAD_ARGUMENT, "digits"},
        {"0", "1e100010", BND_NOTATION_PLAIN, BND_BAD_ARGUMENT, "digits"},
        {"65504", "1e999999999999", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "digits"},
        {"65504", "0x1p-999999999999", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "digits"},
        {"0", "1e99999999999999999999999", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "digits"},
        {"0x1p-400000", "1", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "digits"},
        {"1", "inf", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "the number must be finite"},
        {"1", "nan", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "the number must be finite"},
        {"inf", "1", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "the value must be finite"},
        {"nan", "1", BND_NOTATION_AUTO, BND_BAD_ARGUMENT, "the value must be finite"},
        {"1", "1,5", BND_NOTATION_AUTO, BND_BAD_SYNTAX, "column 2"},
        {"1", "", BND_NOTATION_AUTO, BND_BAD_SYNTAX, "column 1"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        size_t length = 77;
        char out[4] = "abc";
        bnd_error why = {0};
        bnd_status status = print_error_of_text(&length, out, sizeof out, value_of(refused[i].value), refused[i].text,
                                                strlen(refused[i].text), refused[i].notation, &why);
        CU_ASSERT_EQUAL(status, refused[i].status);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, refused[i].says));
        CU_ASSERT(length == 77 && strcmp(out, "abc") == 0);
    }
    char *digits = malloc(100003);
    CU_ASSERT_PTR_NOT_NULL_FATAL(digits);
    memset(digits, '7', 100002);
    memcpy(digits, "0.", 2);
    size_t length;
    CU_ASSERT_EQUAL(print_error_of_text(&length, NULL, 0, value_of("0"), digits, 100002, BND_NOTATION_AUTO, NULL),
                    BND_OK);
    CU_ASSERT_EQUAL(length, 1 + 100001 + strlen("e-01"));
    digits[100002] = '7';
    CU_ASSERT_EQUAL(print_error_of_text(&length, NULL, 0, value_of("0"), digits, 100003, BND_NOTATION_AUTO, NULL),
                    BND_BAD_ARGUMENT);
    free(digits);
}

/* ---- at random ---- */

/* A rounding of the text in some format and mode, as show does it; at times a value that has nothing to do with it. */
static bnd_exact some_value(const char *text, draw *from)
{
    static const char *const names[] = {"fp64", "fp32", "fp16", "bf16", "e4m3", "e5m2", "e8m23nosub"};
    bnd_format f = format_named(names[drawn_below(from, sizeof names / sizeof names[0])]);
    bnd_rule rule = {.rounding = (uint8_t)drawn_below(from, BND_ROUND_DETERMINISTIC_COUNT),
                     .overflow = BND_OVERFLOW_SATURATE};
    if (drawn_below(from, 8) == 0) {
        bnd_exact any = bnd_unpack(&f, drawn(from));
        return any.kind == BND_KIND_FINITE ? any : (bnd_exact){.kind = BND_KIND_ZERO};
    }
    return bnd_round_exact(&f, value_of(text), rule, 0).value;
}

static size_t some_number(char *out, draw *from)
{
    uint64_t digits = drawn(from) >> drawn_below(from, 64);
    long exponent = (long)drawn_below(from, 80) - 50;
    bool hex = drawn_below(from, 4) == 0;
    const char *sign = drawn_below(from, 2) == 0 ? "-" : "";
    return (size_t)snprintf(out, 64, hex ? "%s0x%llxp%ld" : "%s%llue%ld", sign, (unsigned long long)digits, exponent);
}

/* The nearest double of a rational whose magnitude a double holds as a normal number. */
static double nearest_double(const mpq_t x)
{
    mpfr_t rounded;
    mpfr_init2(rounded, 53);
    mpfr_set_q(rounded, x, MPFR_RNDN);
    double out = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_clear(rounded);
    return out;
}

static bool error_is_right(bnd_exact value, const char *text, size_t length, const mpq_t error)
{
    char written[1300];
    size_t count = 0;
    if (print_error_of_text(&count, written, sizeof written, value, text, length, BND_NOTATION_AUTO, NULL) != BND_OK) {
        return false;
    }
    mpq_t read;
    mpq_init(read);
    rational_of_text(read, written, count);
    bool right = count < sizeof written && mpq_equal(read, error);
    mpq_clear(read);
    return right;
}

static bool quotients_are_right(bnd_exact value, const char *text, size_t length, const mpq_t error, const mpq_t exact,
                                draw *from)
{
    bnd_exact unit = {
        .low = 1 + drawn_below(from, 7), .exponent = (int32_t)drawn_below(from, 60) - 40, .kind = BND_KIND_FINITE};
    mpq_t quotient;
    mpq_init(quotient);
    double own = 0;
    rational_of_exact(quotient, unit);
    mpq_div(quotient, error, quotient);
    bool right = units_of_text(&own, value, text, length, unit, NULL) == BND_OK && own == nearest_double(quotient);
    bnd_status status = relative_error_of_text(&own, value, text, length, NULL);
    if (mpq_sgn(exact) == 0) {
        right = right && status == (mpq_sgn(error) == 0 ? BND_OK : BND_BAD_ARGUMENT);
    } else {
        mpq_div(quotient, error, exact);
        right = right && status == BND_OK && own == nearest_double(quotient);
    }
    mpq_clear(quotient);
    return right;
}

static void agrees_with_rationals(void)
{
    uint64_t mismatches = 0, cases = scaled(20000);
    mpq_t exact, error;
    mpq_init(exact);
    mpq_init(error);
    for (uint64_t i = 0; i < cases; i++) {
        draw from = {.purpose = 6, .element = i * 16};
        char text[64];
        size_t length = some_number(text, &from);
        bnd_exact value = some_value(text, &from);
        rational_of_text(exact, text, length);
        rational_of_exact(error, value);
        mpq_sub(error, error, exact);
        if ((!error_is_right(value, text, length, error) ||
             !quotients_are_right(value, text, length, error, exact, &from)) &&
            worth_printing(&mismatches)) {
            printf("%s against 0x%llx * 2^%d\n", text, (unsigned long long)value.low, (int)value.exponent);
        }
    }
    mpq_clear(error);
    mpq_clear(exact);
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* ---- quotients by name ---- */

static void divides_named_errors(void)
{
    static const struct {
        const char *value, *text, *unit;
        bnd_status relative_status, units_status;
        double relative, units;
    } known[] = {
        {"0", "1e-8", "0x1p-24", BND_OK, BND_OK, -1, -0.16777216},
        {"0.5", "0.5", "1", BND_OK, BND_OK, 0, 0},
        {"-0", "0", "1", BND_OK, BND_OK, 0, 0},
        {"3", "-0e9", "2", BND_BAD_ARGUMENT, BND_OK, 0, 1.5},
        {"65504", "1e5", "32", BND_OK, BND_OK, -0.34496, -1078},
        {"-65504", "-1e5", "32", BND_OK, BND_OK, -0.34496, 1078},
        {"65504", "-1e5", "32", BND_OK, BND_OK, -1.65504, 5172},
        {"65504", "1e999999999999", "32", BND_OK, BND_OK, -1, -INFINITY},
        {"65504", "-1e99999999999999999999999", "32", BND_OK, BND_OK, -1, INFINITY},
        {"0x1p-24", "1e-999999999999", "0x1p-24", BND_OK, BND_OK, INFINITY, 1},
        {"-0x1p-24", "1e-999999999999", "0x1p-24", BND_OK, BND_OK, -INFINITY, -1},
        {"0", "1e-999999999999", "0x1p-24", BND_OK, BND_OK, -1, -0.0},
        {"0", "-1e-999999999999", "0x1p-24", BND_OK, BND_OK, -1, 0.0},
        {"0", "1e310", "1", BND_OK, BND_OK, -1, -INFINITY},
        {"1", "1e-310", "1", BND_OK, BND_OK, INFINITY, 1},
        {"0x1p200000", "0x1p-200000", "1", BND_OK, BND_OK, INFINITY, INFINITY},
        {"0x1.0000000000001p200001", "0x1p200001", "0x1p200000", BND_OK, BND_OK, 0x1p-52, 0x1p-51},
        {"0x1p400000000", "0x1.8p400000000", "1", BND_BAD_ARGUMENT, BND_BAD_ARGUMENT, 0, 0},
        /* half way between two doubles, and that with one more bit behind 128 others */
        {"0", "-0x1.00000000000008p0", "1", BND_OK, BND_OK, -1, 1},
        {"0", "-0x1.000000000000080000000000000000008p0", "1", BND_OK, BND_OK, -1, 0x1.0000000000001p0},
        /* half way between two doubles but for a text far below: 1 + 2^-53, and less, and more */
        {"0x1.00000000000008p0", "1e-400000", "1", BND_OK, BND_OK, INFINITY, 1},
        {"0x1.00000000000008p0", "-1e-400000", "1", BND_OK, BND_OK, -INFINITY, 0x1.0000000000001p0},
        {"0x1.00000000000018p0", "1e-400000", "1", BND_OK, BND_OK, INFINITY, 0x1.0000000000001p0},
        {"-0x1.00000000000018p0", "-1e-400000", "1", BND_OK, BND_OK, INFINITY, -0x1.0000000000001p0},
        {"10", "1e-400000", "3", BND_OK, BND_OK, INFINITY, 10.0 / 3.0},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bnd_exact value = value_of(known[i].value), unit = value_of(known[i].unit);
        double relative = 0, units = 0;
        size_t length = strlen(known[i].text);
        bool right =
            relative_error_of_text(&relative, value, known[i].text, length, NULL) == known[i].relative_status &&
            units_of_text(&units, value, known[i].text, length, unit, NULL) == known[i].units_status &&
            bndi_bits_of_double(relative) == bndi_bits_of_double(known[i].relative) &&
            bndi_bits_of_double(units) == bndi_bits_of_double(known[i].units);
        if (!right) {
            printf("%s against %s: %a, %a\n", known[i].value, known[i].text, relative, units);
        }
        CU_ASSERT(right);
    }
}

static void refuses_units(void)
{
    static const char *const units[] = {"0", "-1", "inf", "nan"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double out = 77;
        bnd_error why = {0};
        CU_ASSERT_EQUAL(units_of_text(&out, value_of("1"), "1", 1, value_of(units[i]), &why), BND_BAD_ARGUMENT);
        CU_ASSERT_EQUAL(out, 77);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "unit"));
    }
}

/* A number that is a value, and the same as it is written: value and errors. */
static void values_are_numbers(void)
{
    static const char *const texts[] = {"0", "-0", "0.1", "-65504", "1e-320", "0x1.8p-1000", "3e300", "inf", "nan"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bnd_format fp64 = format_named("fp64");
        bnd_exact value = bnd_round_exact(&fp64, value_of(texts[i]), (bnd_rule){0}, 0).value;
        char written[1200], own[1300] = "", theirs[1300] = "";
        size_t length = bnd_print_exact(written, sizeof written, value, BND_NOTATION_AUTO), own_length = 0,
               their_length = 0;
        bnd_number of_value = bnd_number_of_exact(value), of_text;
        CU_ASSERT_EQUAL_FATAL(bnd_number_parse_n(&of_text, written, length, NULL), BND_OK);
        CU_ASSERT(same_exact(of_text.value, value) && same_exact(of_value.value, value));
        bnd_exact unit = value_of("3");
        double a[2] = {7, 7}, b[2] = {7, 7};
        bnd_exact other = value_of("0x1.4p-5");
        bnd_status status = bnd_print_error(&own_length, own, sizeof own, other, &of_value, BND_NOTATION_AUTO, NULL);
        CU_ASSERT_EQUAL(bnd_print_error(&their_length, theirs, sizeof theirs, other, &of_text, BND_NOTATION_AUTO, NULL),
                        status);
        CU_ASSERT_EQUAL(status == BND_OK, value.kind == BND_KIND_FINITE || value.kind == BND_KIND_ZERO);
        CU_ASSERT(own_length == their_length && strcmp(own, theirs) == 0);
        CU_ASSERT_EQUAL(bnd_relative_error(&a[0], other, &of_value, NULL),
                        bnd_relative_error(&b[0], other, &of_text, NULL));
        CU_ASSERT_EQUAL(bnd_error_in_units(&a[1], other, &of_value, unit, NULL),
                        bnd_error_in_units(&b[1], other, &of_text, unit, NULL));
        CU_ASSERT_EQUAL(memcmp(a, b, sizeof a), 0);
    }
    bnd_number untouched = {.count = 77}, kept = untouched;
    CU_ASSERT_EQUAL(bnd_number_parse_n(&untouched, "1,5", 3, NULL), BND_BAD_SYNTAX);
    CU_ASSERT_EQUAL(memcmp(&untouched, &kept, sizeof kept), 0);
}

CU_TestInfo difference_tests[] = {
    {"errors by name", writes_named_errors},
    {"what is too long is refused", refuses_what_is_too_long},
    {"random values, against rationals", agrees_with_rationals},
    {"quotients by name", divides_named_errors},
    {"units that are none", refuses_units},
    {"values are numbers", values_are_numbers},
    CU_TEST_INFO_NULL,
};
