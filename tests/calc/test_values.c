/* Powers, repeated sums, constants and conversions, and values of a text for one rounding, compared with the oracle,
 * with plain loops and with known digits. */
#include "tests.h"
#include "tests/support/operands.h"
#include <binade-lab.h>
#include <binade-lab/oracle.h>

#include <gmp.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

enum { TERMS = 4096 };

static const char *const few_formats[] = {"fp16", "bf16", "e4m3", "fp32", "e5m2", "binary8p3se", "fp64", "e8m0"};
enum { FEW = sizeof few_formats / sizeof few_formats[0] };

/* The one term, or two, of `text`, rounded. */
static bnd_result rounded(const char *text, const bnd_format *f, bnd_rule rule)
{
    static bnd_term terms[TERMS];
    static bnd_result results[TERMS];
    size_t count = 0;
    if (bnd_expression_parse_n(terms, TERMS, &count, text, strlen(text), f, NULL) != BND_OK) {
        return (bnd_result){.flags = UINT32_MAX};
    }
    bnd_expression_round(results, terms, count, text, f, rule, 0);
    return results[count - 1];
}

static bool same_result(bnd_result a, bnd_result b)
{
    return a.code == b.code && a.flags == b.flags && (a.ternary > 0) == (b.ternary > 0) &&
           (a.ternary < 0) == (b.ternary < 0);
}

/* Integers to a power against the oracle, which is given every digit of it; reciprocal powers against its quotient. */
static void powers(void)
{
    uint64_t count = scaled(3000), wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        bnd_format f = format_named(few_formats[i % (FEW - 1)]);
        bnd_rule rule = {.rounding = (uint8_t)(i / FEW % BND_ROUND_DETERMINISTIC_COUNT)}, computed = rule;
        computed.nan = BND_NAN_CANONICAL; /* a power is an operation, and the oracle converts its digits */
        long base = (long)(bnd_random(31, 1, i) % 15) - 7;
        unsigned n = (unsigned)(bnd_random(31, 2, i) % 60);
        char text[64], digits[256];
        mpz_t power;
        mpz_init_set_si(power, base);
        mpz_pow_ui(power, power, n);
        mpz_get_str(digits, 10, power);
        mpz_clear(power);
        snprintf(text, sizeof text, "(%ld)^%u", base, n);
        bnd_result want, got = rounded(text, &f, rule);
        wrong += bnd_oracle_encode_text(&want, &f, digits, computed, 0, NULL) != BND_OK || !same_result(want, got);
        if (n == 1 && base != 0) {
            const bnd_format *const from[] = {&f, &f};
            uint64_t codes[] = {bnd_encode(&f, 1, rule, 0).code, bnd_encode(&f, (double)base, rule, 0).code};
            snprintf(text, sizeof text, "(%ld)^-1", base);
            got = rounded(text, &f, rule);
            wrong +=
                bnd_oracle_operate(&want, &f, "div", from, codes, rule, 0, NULL) != BND_OK || !same_result(want, got);
        }
        if (wrong > 4) {
            printf("\n  %s in %s\n", text, f.name);
            break;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    bnd_format f = format_named("fp16");
    static const struct {
        const char *text, *same;
    } special[] = {{"0^0", "1"},
                   {"nan^0", "1"},
                   {"inf^0", "1"},
                   {"(-0)^3", "-0"},
                   {"(-0)^2", "0"},
                   {"(-inf)^3", "-inf"},
                   {"(-inf)^2", "inf"},
                   {"(-inf)^-3", "-0"},
                   {"inf^-2", "0"},
                   {"-2^2", "-4"},
                   {"2^(-1)", "0.5"},
                   {"2**3", "8"},
                   {"2\xc2\xb2", "4"},
                   {"-nan^2", "-nan"},
                   {"(1/2)^-3", "8"},
                   {"2^+3", "8"},
                   {"2\xe2\x81\xbb\xc2\xb9", "0.5"}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        bnd_result got = rounded(special[i].text, &f, (bnd_rule){.nan = BND_NAN_PROPAGATE});
        bnd_result want = rounded(special[i].same, &f, (bnd_rule){.nan = BND_NAN_PROPAGATE});
        CU_ASSERT_EQUAL(got.code, want.code);
        if (got.code != want.code) {
            printf("\n  %s is %llx\n", special[i].text, (unsigned long long)got.code);
        }
    }
    CU_ASSERT_EQUAL(rounded("0^-1", &f, (bnd_rule){0}).flags, BND_FLAG_DIVBYZERO);
    CU_ASSERT_EQUAL(rounded("fp16:0x7c01^0", &f, (bnd_rule){0}).flags, BND_FLAG_INVALID);
    CU_ASSERT_EQUAL(rounded("(2^-24)^-1", &f, (bnd_rule){.flush_in = true}).flags,
                    BND_FLAG_DIVBYZERO | BND_FLAG_TO_ZERO);
    CU_ASSERT_EQUAL(rounded("1.5^1000000000", &f, (bnd_rule){0}).flags, BND_FLAG_OVERFLOW | BND_FLAG_INEXACT);
}

/* sum(x, n) is the loop that it stands for, in every mode. */
static void repeated_sums(void)
{
    uint64_t count = scaled(600), wrong = 0;
    for (uint64_t i = 0; i < count && wrong < 4; i++) {
        bnd_format to = format_named(few_formats[i % FEW]), from = format_named(few_formats[i / FEW % FEW]);
        bnd_rule rule = {.rounding = (uint8_t)(i % BND_ROUND_COUNT), .random_bits = 5};
        rule.random_bits = i % BND_ROUND_COUNT < BND_ROUND_DETERMINISTIC_COUNT ? 0 : rule.random_bits;
        unsigned bits = bnd_rule_random_bits(rule);
        uint64_t code = bnd_random(7, 3, i), times = bnd_random(7, 4, i) % 400, moves = 0, moved = 0;
        code &= from.width < 64 ? (UINT64_C(1) << from.width) - 1 : UINT64_MAX;
        const bnd_format *const formats[] = {&to, &from};
        bnd_result want = bnd_encode(&to, 0, rule, 0);
        for (uint64_t k = 0; k < times; k++) {
            uint64_t codes[] = {want.code, code}, random = bits > 0 ? bnd_random_bits(i, 9, k, bits) : 0;
            bnd_result next = bnd_operate(&to, BND_OP_ADD, formats, codes, rule, random);
            moved = next.code != want.code ? k + 1 : moved;
            next.flags |= want.flags;
            want = next;
        }
        bnd_result got = bnd_add_repeatedly(&to, &from, code, times, rule, i, 9, &moves);
        wrong += !same_result(got, want) || moves != moved;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    bnd_format bf16 = format_named("bf16");
    CU_ASSERT_EQUAL(bnd_decode(&bf16, rounded("sum(0.001, 10000)", &bf16, (bnd_rule){0}).code), 0.5);
    CU_ASSERT_EQUAL(bnd_decode(&bf16, rounded("sum(1, 10000000)", &bf16, (bnd_rule){0}).code), 256);
}

/* A text without roundings, rounded once, is the oracle's rounding. */
static bool is_rounded(const char *text, bnd_result want, const bnd_format *f, bnd_rule rule)
{
    bnd_exact value;
    bnd_real *exact;
    bnd_error why;
    if (bnd_real_new_of_text_n(&value, &exact, text, strlen(text), &why) != BND_OK) {
        printf("\n  %s: %s\n", text, why.message);
        return false;
    }
    bnd_real_free(exact);
    return same_result(bnd_encode_exact(f, value, rule, 0), want);
}

static void quotients(void)
{
    uint64_t count = scaled(4000), wrong = 0;
    bnd_format fp64 = format_named("fp64");
    const bnd_format *const from[] = {&fp64, &fp64};
    for (uint64_t i = 0; i < count && wrong < 4; i++) {
        bnd_format f = format_named(few_formats[i % FEW]);
        bnd_rule rule = {.rounding = (uint8_t)(i / FEW % BND_ROUND_DETERMINISTIC_COUNT)};
        uint64_t a = bnd_random(8, 1, i) >> (11 + i % 50), b = (bnd_random(8, 2, i) >> (11 + i / 7 % 50)) + 1;
        uint64_t codes[] = {bnd_encode_uint64(&fp64, a, (bnd_rule){0}, 0).code,
                            bnd_encode_uint64(&fp64, b, (bnd_rule){0}, 0).code};
        char text[64];
        snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)a, (unsigned long long)b);
        bnd_result want;
        wrong += bnd_oracle_operate(&want, &f, "div", from, codes, rule, 0, NULL) != BND_OK ||
                 !is_rounded(text, want, &f, rule);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void values(void)
{
    static const struct {
        const char *text, *digits; /* more digits than decide */
    } rows[] = {
        {"pi", "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"},
        {"-\xcf\x80", "-3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"},
        {"e", "2.71828182845904523536028747135266249775724709369995957496696762772407663035354759"},
        {"sqrt(2)/2", "0.70710678118654752440084436210484903928483593768847403658833986899536623923105351"},
        {"\xe2\x88\x9a"
         "2/2",
         "0.70710678118654752440084436210484903928483593768847403658833986899536623923105351"},
        {"sqrt(10^1000+1) - 10^500", "4.99999999999999999999999999999999999999999999999999999999999999999999999e-501"},
        {"scalb(pi,3)", "25.1327412287183459077011470662360230735773551950008465677995567384625312502896719890242"},
        {"scalb(0,999999)", "0"},
        {"scalb(2^-400000,400001)", "2"},
        {"logb(-pi)", "1"},
        {"logb(sqrt(2^2000+1) - 2^1000)", "-1002"},
        {"rem(pi,2)", "-0.85840734641020676153735661672049711580283060062489417902505540769218359371379100137"},
        {"rem(-7,sqrt(2))", "0.07106781186547524400844362104849039284835937688474036588339868995366239231053519425193"},
        {"rem(10^300*pi,2)", "-0.27541299339368441182511847907903717074590828463563210740963998866946945117953347861"},
        {"2^-24", "5.9604644775390625e-8"},
        {"1\xc3\x97"
         "10^\xe2\x88\x92"
         "3",
         "1e-3"},
        {"1e\xe2\x88\x92"
         "3",
         "1e-3"},
        {"0.1+0.2", "0.3"},
        {"(2^53+1)/2^53 + 2^-1000", "1.00000000000000011102230246251565404236316680908203125000000000000001"},
        {"3^200000/3^199999", "3"},
        {"2^1000000000", "inf"},
        {"1/0", "inf"}};
    uint64_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < FEW * BND_ROUND_DETERMINISTIC_COUNT; k++) {
            bnd_format f = format_named(few_formats[k % FEW]);
            bnd_rule rule = {.rounding = (uint8_t)(k / FEW)};
            bnd_result want;
            bool far = strcmp(rows[i].text, "2^1000000000") == 0, infinite = strcmp(rows[i].text, "1/0") == 0;
            want = rounded(far ? "1e999999999" : "inf", &f, rule);
            bool fails =
                !far && !infinite && bnd_oracle_encode_text(&want, &f, rows[i].digits, rule, 0, NULL) != BND_OK;
            if (fails || !is_rounded(rows[i].text, want, &f, rule)) {
                printf("\n  %s in %s\n", rows[i].text, f.name);
                wrong++;
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    static const char *const bad[] = {"sqrt(2)*sqrt(2)",
                                      "sqrt(2)-sqrt(2)",
                                      "1e200000-1/3",
                                      "ulp(1)",
                                      "fp16(1)",
                                      "rint(1)",
                                      "p11:0x1",
                                      "",
                                      "1/(sqrt(2)-sqrt(2))",
                                      "max(sqrt(2)-sqrt(2), 0)",
                                      "log(exp(-1e30))",
                                      "exp(1e30)-exp(1e30)",
                                      "exp(1e30)*exp(-1e30)",
                                      "exp(-1e30)-exp(-1e30)",
                                      "1/(1-1)",
                                      "rem(3*pi,pi)",
                                      "rem(pi/2,pi)",
                                      "rem(2^1000000,3)",
                                      "rem(1,sqrt(2)-sqrt(2))",
                                      "logb(sqrt(2)*sqrt(2))",
                                      "logb(sqrt(2)-sqrt(2))",
                                      "1/(sqrt(4)-2)"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bnd_exact value = {.low = 77};
        bnd_real *exact = NULL;
        CU_ASSERT_NOT_EQUAL(bnd_real_new_of_text_n(&value, &exact, bad[i], strlen(bad[i]), NULL), BND_OK);
        CU_ASSERT_PTR_NULL(exact);
        CU_ASSERT_EQUAL(value.low, 77);
    }
}

/* A zero has the sign that IEEE 754 gives it in every rounding mode, or none. */
static void signs_of_zeros(void)
{
    static const char *const rows[][2] = {{"1/(-0)", "-inf"},   {"rsqrt(-0)", "-inf"}, {"reciprocal(-0)", "-inf"},
                                          {"log(-0)", "-inf"},  {"1/0", "inf"},        {"(-1)/0", "-inf"},
                                          {"1/(0*-1)", "-inf"}, {"(-0)^-3", "-inf"},   {"(-0)^-2", "inf"},
                                          {"sqrt(-0)", "-0"},   {"tanh(-0)", "-0"},    {"-(0)", "-0"},
                                          {"1-1", "0"},         {"(-inf)^-3", "-0"},   {"1/min(0, -0)", "-inf"},
                                          {"exp(1/(-0))", "0"}, {"1/(1/-inf)", "-inf"}};
    const bnd_format f = format_named("fp16");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_result want = rounded(rows[i][1], &f, (bnd_rule){0});
        if (!is_rounded(rows[i][0], want, &f, (bnd_rule){0})) {
            printf("\n  %s\n", rows[i][0]);
            CU_FAIL("the sign of a zero");
        }
    }
}

#define NINES "99999999999999999999999999999999999999999999999999"
#define ZEROS "00000000000000000000000000000000000000000000000000"

/* Beyond the exponents of MPFR, and next to limits that nothing reaches: what a number in the same place rounds to, and
 * its error relative to the value as fp32. */
static void limits(void)
{
    static const struct {
        const char *text, *same;
        double relative;
    } rows[] = {{"exp(-1e30)", "1e-999999999", -1},
                {"-exp(-1e30)", "-1e-999999999", -1},
                {"exp(-1e9)", "1e-999999999", -1},
                {"exp(1e-99999)", "1." ZEROS ZEROS ZEROS "1", 0},
                {"exp(-exp(-1e30))", "0." NINES NINES NINES, 0},
                {"tanh(1e30)", "0." NINES NINES NINES, 0},
                {"tanh(-1e30)", "-0." NINES NINES NINES, 0},
                {"erf(1e30)", "0." NINES NINES NINES, 0},
                {"sigmoid(1e30)", "0." NINES NINES NINES, 0},
                {"sigmoid(-1e30)", "1e-999999999", -1},
                {"gelu(-1e30)", "-1e-999999999", -1},
                {"1 - exp(-1e30)", "0." NINES NINES NINES, 0},
                {"2 - tanh(1e30)", "1." ZEROS ZEROS ZEROS "1", 0},
                {"exp(-1e30)^3", "1e-999999999", -1},
                {"min(exp(-1e30), 1)", "1e-999999999", -1},
                {"exp(1e30)", "1e999999999", -1},
                {"1/exp(-1e30)", "1e999999999", -1},
                {"1/-exp(-1e30)", "-1e999999999", -1},
                {"rsqrt(exp(-1e30))", "1e999999999", -1},
                {"pi*2^-1000000000", "1e-999999999", -1}};
    uint64_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < FEW * BND_ROUND_DETERMINISTIC_COUNT; k++) {
            bnd_format f = format_named(few_formats[k % FEW]);
            bnd_rule rule = {.rounding = (uint8_t)(k / FEW)};
            if (!is_rounded(rows[i].text, rounded(rows[i].same, &f, rule), &f, rule)) {
                printf("\n  %s in %s\n", rows[i].text, f.name);
                wrong++;
            }
        }
        bnd_exact value;
        bnd_real *exact = NULL, *error = NULL;
        bnd_format fp32 = format_named("fp32");
        CU_ASSERT_EQUAL(bnd_real_new_of_text_n(&value, &exact, rows[i].text, strlen(rows[i].text), NULL), BND_OK);
        bnd_exact result = bnd_round_exact(&fp32, value, (bnd_rule){.overflow = BND_OVERFLOW_SATURATE}, 0).value;
        CU_ASSERT_EQUAL(bnd_real_new_of_error(&error, result, exact, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_real_quotient(error, exact), rows[i].relative);
        bnd_real_free(error);
        bnd_real_free(exact);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Conversions inside: the formats of terms, and one rounding for each. */
static void conversions(void)
{
    static const struct {
        const char *text, *format;
        double want;
    } rows[] = {{"fp16(0.1)", "fp32", 0.0999755859375},
                {"e4m3(0.1 + 0.2)", "fp32", 0.3125},
                {"bf16:0x3f80 + 1", "fp16", 2},
                {"next_up(e4m3(1))", "fp16", 1.125},
                {"e4m3(-0.1)", "e4m3", -0.1015625},
                {"-bf16(1) / 2", "fp32", -0.5},
                {"abs(-bf16(3))", "fp32", 3},
                {"exp(bf16(0))", "fp64", 1},
                {"exp(-abs(fp16(0)))", "fp32", 1},
                {"sum(fp32(1/3), 3)", "fp64", 1},
                {"float8_e4m3fn(0.1)", "fp32", 0.1015625}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_format f = format_named(rows[i].format);
        double got = bnd_decode(&f, rounded(rows[i].text, &f, (bnd_rule){0}).code);
        if (strncmp(rows[i].text, "sum", 3) == 0) { /* 1/3 is rounded to fp64 and then to fp32 */
            CU_ASSERT_DOUBLE_EQUAL(got, rows[i].want, 1e-7);
        } else {
            CU_ASSERT_EQUAL(got, rows[i].want);
        }
    }
}

/* A caller's range of exponents and its flags. */
static void leaves_mpfr_as_it_was(void)
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(-3);
    mpfr_set_emax(5);
    mpfr_clear_flags();
    mpfr_set_divby0();
    bnd_format fp64 = format_named("fp64");
    CU_ASSERT_EQUAL(bnd_decode(&fp64, rounded("sqrt(1e300) / 3", &fp64, (bnd_rule){0}).code), 1e150 / 3);
    CU_ASSERT_EQUAL(bnd_decode(&fp64, rounded("10^-300", &fp64, (bnd_rule){0}).code), 1e-300);
    bnd_exact value = {.low = 77};
    bnd_real *exact = NULL;
    CU_ASSERT_EQUAL(bnd_real_new_of_text_n(&value, &exact, "pi * 1e300", 10, NULL), BND_OK);
    char out[64];
    bnd_print_real(out, sizeof out, exact, BND_NOTATION_AUTO);
    CU_ASSERT_STRING_EQUAL(out, "3.141592653589793238462643383279502884197...e+300");
    bnd_real_free(exact);
    CU_ASSERT(mpfr_get_emin() == -3 && mpfr_get_emax() == 5);
    CU_ASSERT_EQUAL(mpfr_flags_save(), MPFR_FLAGS_DIVBY0);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear_flags();
}

CU_TestInfo value_tests[] = {{"powers", powers},
                             {"repeated sums", repeated_sums},
                             {"quotients as values", quotients},
                             {"limits and far numbers", limits},
                             {"signs of zeros", signs_of_zeros},
                             {"values", values},
                             {"conversions", conversions},
                             {"MPFR's range and flags", leaves_mpfr_as_it_was},
                             CU_TEST_INFO_NULL};
