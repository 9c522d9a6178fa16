/* Expressions: known values, roots against MPFR, refusals. */
#include "tests.h"
#include "tests/support/operands.h"
#include "tests/support/suites.h"
#include <binade-lab.h>
#include <binade-lab/oracle.h>

#include <gmp.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

enum { TEXT_SIZE = 1 << 16, TERMS = 4096 };

/* ---- known ones ---- */

static const bnd_real *exact_of(const char *text, const char *format)
{
    static bnd_term terms[TERMS];
    bnd_format f = format_named(format);
    bnd_real *exact = NULL;
    size_t count;
    if (bnd_expression_parse_n(terms, TERMS, &count, text, strlen(text), &f, NULL) != BND_OK ||
        bnd_real_new_of_expression(&exact, terms, count, text, &f, NULL) != BND_OK) {
        return NULL;
    }
    return exact;
}

static void assert_exact(const char *text, const char *want)
{
    char printed[512] = "refused";
    const bnd_real *exact = exact_of(text, "fp16");
    if (exact != NULL) {
        bnd_print_real(printed, sizeof printed, exact, BND_NOTATION_AUTO);
        bnd_real_free((bnd_real *)exact);
    }
    CU_ASSERT_STRING_EQUAL(printed, want);
    if (strcmp(printed, want) != 0) {
        printf("\n  %s: %s, not %s\n", text, printed, want);
    }
}

static void known_values(void)
{
    assert_exact("2048 + 1", "2049");
    assert_exact("1/3", "0.3333333333333333333333333333333333333333...");
    assert_exact("-2/3e9", "-6.666666666666666666666666666666666666666...e-10");
    assert_exact("sqrt(2)", "1.414213562373095048801688724209698078569...");
    assert_exact("sqrt(9/4)", "1.5");
    assert_exact("sqrt(2) - sqrt(2)", "?");
    assert_exact("1 + (sqrt(2) - sqrt(2))", "~1");
    assert_exact("sqrt(2) * sqrt(2)", "~2");
    assert_exact("-log(exp(1)) / 8e30", "~-1.25e-31");
    assert_exact("sqrt(2) * sqrt(2) / 3", "0.6666666666666666666666666666666666666666...");
    assert_exact("100 * sqrt(2) * sqrt(2)", "~200");
    assert_exact("sqrt(-1)", "nan");
    assert_exact("1/0 - 1/0", "nan");
    assert_exact("-1/0", "-inf");
    assert_exact("1/inf", "0");
    assert_exact("rem(7, 2)", "-1");
    assert_exact("rem(5, 2)", "1");
    assert_exact("rem(3, inf)", "3");
    assert_exact("min(1, nan)", "nan");
    assert_exact("min_number(1, nan)", "1");
    assert_exact("max(-inf, 3)", "3");
    assert_exact("min(sqrt(2), 1.5)", "1.414213562373095048801688724209698078569...");
    assert_exact("scalb(3, -4)", "0.1875");
    assert_exact("logb(0.3)", "-2");
    assert_exact("logb(1/3)", "-2");
    assert_exact("logb(8)", "3");
    assert_exact("logb(0)", "-inf");
    assert_exact("logb(pi)", "1");
    assert_exact("logb(-pi/4)", "-1");
    assert_exact("logb(2^1000000)", "1000000");
    assert_exact("logb(1 - exp(-1e30))", "-1");
    assert_exact("logb(sqrt(2)*sqrt(2))", "?");
    assert_exact("logb(sqrt(2)*sqrt(2) - 2)", "?");
    assert_exact("scalb(pi, 3)", "25.13274122871834590770114706623602307357...");
    assert_exact("scalb(-pi, -1)", "-1.570796326794896619231321691639751442098...");
    assert_exact("scalb(0, 999999)", "0");
    assert_exact("scalb(-0, -999999999999999999)", "-0");
    assert_exact("scalb(2^-400000, 400001)", "2");
    assert_exact("scalb(3^1000000, 0)", "1.797710116675743838039851642017955175542...e+477121");
    assert_exact("rem(pi, 2)", "-0.8584073464102067615373566167204971158028...");
    assert_exact("rem(7, pi)", "0.7168146928204135230747132334409942316056...");
    assert_exact("rem(-7, sqrt(2))", "0.07106781186547524400844362104849039284835...");
    assert_exact("rem(-7, -sqrt(2))", "0.07106781186547524400844362104849039284835...");
    assert_exact("rem(sqrt(2), pi)", "1.414213562373095048801688724209698078569...");
    assert_exact("rem(0, pi)", "0");
    assert_exact("rem(pi, exp(1e30))", "3.141592653589793238462643383279502884197...");
    assert_exact("rem(3*pi, pi)", "?");
    assert_exact("rem(pi/2, pi)", "?");
    assert_exact("rem(10^300*pi, 2)", "?");
    assert_exact("rem(2^1000000, 3)", "?");
    assert_exact("rem(1, sqrt(2)-sqrt(2))", "?");
    assert_exact("abs(-1/8) * neg(2)", "-0.25");
    assert_exact("-(-(3))", "3");
    assert_exact("- 3 - -3", "0");
    assert_exact("fp16:0x3c00 + fp16:0b0000000000000001", "1.000000059604644775390625");
    assert_exact("ulp(1)", "?");
    assert_exact("1e100001 * 1e-100001", "?");
    assert_exact("nan(0x7f)+1", "nan");
    assert_exact("exp(1)", "2.718281828459045235360287471352662497757...");
    assert_exact("1/(sqrt(2) - sqrt(2))", "?");
    assert_exact("(1/0) * (sqrt(2) - sqrt(2))", "?");
    assert_exact("2^-24", "5.9604644775390625e-08");
    assert_exact("(2/3)^-3", "3.375");
    assert_exact("sqrt(2)^3", "2.828427124746190097603377448419396157139...");
    assert_exact("(-sqrt(2))^3", "-2.828427124746190097603377448419396157139...");
    assert_exact("(-sqrt(2))^-4", "~0.25");
    assert_exact("(sqrt(2) - sqrt(2))^2", "?");
    assert_exact("3^1000000", "1.797710116675743838039851642017955175542...e+477121");
    assert_exact("0^-1", "inf");
    assert_exact("(-1/0)^-3", "-0");
    assert_exact("sqrt(-0)", "-0");
    assert_exact("-(0)", "-0");
    assert_exact("1 - 1", "0");
    assert_exact("1/(1 - 1)", "?");
    assert_exact("sum(0.001, 10000)", "10");
    assert_exact("sum(1/0, 0) + sum(pi, 0)", "0");
    assert_exact("sum(sqrt(2), 1000000)", "1414213.562373095048801688724209698078569...");
    assert_exact("pi", "3.141592653589793238462643383279502884197...");
    assert_exact("-e", "-2.718281828459045235360287471352662497757...");
    assert_exact("bf16(0.1) + e4m3(0.1 + 0.2)", "0.4");
    assert_exact("bf16:0x3f80 + 1", "2");
    assert_exact("exp(0) + tanh(0) + erf(0)", "1");
    assert_exact("log(2)", "0.6931471805599453094172321214581765680755...");
    assert_exact("log(0)", "-inf");
    assert_exact("log(-1)", "nan");
    assert_exact("exp(-inf)", "0");
    assert_exact("sigmoid(0)", "0.5");
    assert_exact("sigmoid(1)", "0.7310585786300048792511592418218362743651...");
    assert_exact("tanh(1)", "0.7615941559557648881194582826047935904127...");
    assert_exact("erf(1)", "0.8427007929497148693412206350826092592960...");
    assert_exact("erf(inf)", "1");
    assert_exact("rsqrt(4)", "0.5");
    assert_exact("rsqrt(0)", "inf");
    assert_exact("reciprocal(3)", "0.3333333333333333333333333333333333333333...");
    assert_exact("gelu(1)", "0.8413447460685429485852325456320379224779...");
    assert_exact("gelu(-30)", "-1.472014178144456117860142776974057141599...e-196");
    assert_exact("gelu_tanh(1)", "0.8411919906082767047819957770451838608257...");
    assert_exact("gelu(-inf)", "-0");
    assert_exact("0x1.8p3 / 4", "3");
    assert_exact("1 - 2 - 3", "-4");
    assert_exact("24 / 4 / 2", "3");
    assert_exact("2 + 3 * 4", "14");
    assert_exact("1e400 + 1",
                 "1.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                 "0000000000000000000000000000000000000000000000001e+400");
}

/* The digits of `printed`, up to its dots or its end, begin `want`; what is exact has no dots. */
static bool begins_alike(const char *printed, const char *want, const char *text)
{
    char digits[2][128];
    const char *from[] = {printed, want};
    for (int i = 0; i < 2; i++) { /* both with an exponent or without: compare digits alone */
        size_t count = 0;
        for (const char *at = from[i]; *at != '\0' && *at != 'e' && strncmp(at, "...", 3) != 0; at++) {
            if (*at >= '0' && *at <= '9' && (count > 0 || *at != '0')) {
                digits[i][count++] = *at;
            }
        }
        digits[i][count] = '\0';
    }
    bool irrational = strstr(printed, "...") != NULL;
    if (!irrational || strlen(digits[0]) != 40 || strncmp(digits[0], digits[1], 40) != 0) {
        printf("\n  %s: %s, not %s\n", text, printed, want);
        return false;
    }
    return true;
}

/* The ends of an interval hold what MPFR says with three times as many bits. */
static void irrational_values(void)
{
    uint64_t wrong = 0, count = scaled(500);
    mpfr_t x, y;
    mpfr_inits2(1600, x, y, (mpfr_ptr)NULL);
    for (uint64_t i = 0; i < count; i++) {
        unsigned long root = bnd_random(5, 1, i) % 100 + 2, a = root * root + 1, b = bnd_random(5, 2, i) % 1000 + 1;
        char text[128], printed[128] = "", want[128];
        snprintf(text, sizeof text, "(sqrt(%lu) - %lu) * %lu/7 / (sqrt(%lu) + %lu)", a, b, b, a, b);
        const bnd_real *exact = exact_of(text, "fp64");
        if (exact != NULL) {
            bnd_print_real(printed, sizeof printed, exact, BND_NOTATION_EXPONENT);
            bnd_real_free((bnd_real *)exact);
        }
        mpfr_sqrt_ui(x, a, MPFR_RNDN);
        mpfr_add_ui(y, x, b, MPFR_RNDN);
        mpfr_sub_ui(x, x, b, MPFR_RNDN);
        mpfr_div(x, x, y, MPFR_RNDN);
        mpfr_set_ui(y, b, MPFR_RNDN);
        mpfr_div_ui(y, y, 7, MPFR_RNDN);
        mpfr_mul(x, x, y, MPFR_RNDN);
        mpfr_snprintf(want, sizeof want, "%.60RZe", x);
        wrong += !begins_alike(printed, want, text);
    }
    mpfr_clears(x, y, (mpfr_ptr)NULL);
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- what is refused, and where ---- */

static void refusals(void)
{
    static const struct {
        const char *text;
        size_t where;
    } bad[] = {{"", 0},
               {"  ", 2},
               {"1 +", 3},
               {"1 2", 2},
               {"(1", 2},
               {"1)", 1},
               {"sqroot(2)", 0},
               {"sqrt", 4},
               {"sqrt 2", 5},
               {"min(1)", 5},
               {"min(1,2,3)", 7},
               {"min()", 4},
               {"1,5", 1},
               {"1e", 2},
               {"1_000", 1},
               {"0x", 2},
               {".", 1},
               {"p11:0x1", 0},
               {"bf16(1", 6},
               {"p11(1)", 0},
               {"sum(1)", 5},
               {"sum(1, -1)", 8},
               {"sum(1, 10000001)", 14},
               {"sum(1, 10000000) + sum(1, 1)", 26},
               {"2^", 2},
               {"2^0.5", 3},
               {"2^1000000001", 11},
               {"2^2^2", 3},
               {"2\xc2\xb2\xc2\xb2^2", 5},
               {"1 \xc2\xb1 2", 2},
               {"exp(fp32(1))", 0},
               {"x", 0},
               {"fp16:0x", 7},
               {"fp16:12", 5},
               {"fp16:0x10000", 11},
               {"fp16:0b2", 7},
               {"x:0x1", 0},
               {"#", 0},
               {"1 * * 2", 4},
               {"nan(", 4},
               {"scalb(1, 2.5)", 10},
               {"scalb(1, x)", 9},
               {"scalb(1, 1000000000000000000)", 27},
               {"scalb(1, 9999999999999999999)", 27},
               {"scalb(1,-1000000000000000000)", 27},
               {"scalb(1,-9999999999999999999)", 27},
               {"exp(e12m3(1))", 0},
               {"3 + 1_000", 5},
               {"2 ^ x", 4},
               {"1 \x01", 2},
               {"sqrt(2", 6},
               {"--", 2}};
    bnd_format f = format_named("fp16"), set = format_named("p11");
    bnd_term terms[64];
    size_t count = 99;
    bnd_error why;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bnd_status status = bnd_expression_parse_n(terms, 64, &count, bad[i].text, strlen(bad[i].text), &f, &why);
        CU_ASSERT_NOT_EQUAL(status, BND_OK);
        CU_ASSERT_EQUAL(why.where, bad[i].where);
        if (status == BND_OK || why.where != bad[i].where) {
            printf("\n  '%s': at %zu, not %zu: %s\n", bad[i].text, why.where, bad[i].where, why.message);
        }
    }
    CU_ASSERT_EQUAL(bnd_expression_parse_n(terms, 64, &count, "1", 1, &set, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_expression_parse_n(terms, 64, &count, "1\0+1", 4, &f, &why), BND_BAD_SYNTAX);
    CU_ASSERT_EQUAL(bnd_expression_parse_n(terms, 2, &count, "1+1", 3, &f, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(count, 99);
}

static bnd_status parse_nested(const char *open, const char *close, unsigned depth)
{
    static char text[8 * BND_EXPRESSION_DEPTH_MAX + 64];
    static bnd_term terms[sizeof text];
    bnd_format f = format_named("fp16");
    size_t count, length = 0;
    for (unsigned i = 0; i < depth; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", open);
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "(1)"); /* a level too */
    for (unsigned i = 0; i < depth; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", close);
    }
    return bnd_expression_parse_n(terms, sizeof terms / sizeof terms[0], &count, text, length, &f, NULL);
}

static void depth(void)
{
    static const char *const inside[][2] = {{"(", ")"}, {"sqrt(", ")"}, {"-", ""}};
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(parse_nested(inside[i][0], inside[i][1], BND_EXPRESSION_DEPTH_MAX - 1), BND_OK);
        CU_ASSERT_EQUAL(parse_nested(inside[i][0], inside[i][1], BND_EXPRESSION_DEPTH_MAX), BND_BAD_SYNTAX);
    }
}

/* A sum of ones in bf16 stays at 256. */
static void long_sum(void)
{
    enum { ONES = 2000 };
    static char text[2 * ONES];
    static bnd_term terms[2 * ONES];
    static bnd_result results[2 * ONES];
    bnd_format f = format_named("bf16");
    bnd_real *exact = NULL;
    char printed[16] = "";
    size_t count = 0;
    for (size_t i = 0; i < ONES; i++) {
        memcpy(text + 2 * i, "1+", 2);
    }
    CU_ASSERT_EQUAL_FATAL(bnd_expression_parse_n(terms, 2 * ONES, &count, text, 2 * ONES - 1, &f, NULL), BND_OK);
    CU_ASSERT_EQUAL(count, 2 * ONES - 1);
    bnd_expression_round(results, terms, count, text, &f, (bnd_rule){0}, 0);
    CU_ASSERT_EQUAL(bnd_decode(&f, results[count - 1].code), 256);
    CU_ASSERT_EQUAL_FATAL(bnd_real_new_of_expression(&exact, terms, count, text, &f, NULL), BND_OK);
    bnd_print_real(printed, sizeof printed, exact, BND_NOTATION_AUTO);
    CU_ASSERT_STRING_EQUAL(printed, "2000");
    bnd_real_free(exact);
}

/* Every term has random bits of its own, those of the array's element of its index. */
static void stochastic(void)
{
    bnd_format f = format_named("e4m3");
    bnd_rule rule = {.rounding = BND_ROUND_SR, .random_bits = 8};
    const char *text = "0.1 + 0.3";
    bnd_term terms[8];
    bnd_result results[8];
    size_t count = 0;
    CU_ASSERT_EQUAL_FATAL(bnd_expression_parse_n(terms, 8, &count, text, strlen(text), &f, NULL), BND_OK);
    for (uint64_t seed = 0; seed < 50; seed++) {
        bnd_expression_round(results, terms, count, text, &f, rule, seed);
        bnd_result a, b;
        CU_ASSERT_EQUAL(bnd_oracle_encode_text(&a, &f, "0.1", rule, bnd_random_bits(seed, 0, 0, 8), NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_oracle_encode_text(&b, &f, "0.3", rule, bnd_random_bits(seed, 0, 1, 8), NULL), BND_OK);
        CU_ASSERT(results[0].code == a.code && results[1].code == b.code);
    }
}

int main(void)
{
    CU_TestInfo tests[] = {{"known values", known_values},
                           {"irrational values", irrational_values},
                           {"refusals", refusals},
                           {"depth", depth},
                           {"a long sum", long_sum},
                           {"stochastic modes", stochastic},
                           CU_TEST_INFO_NULL};
    CU_SuiteInfo suites[] = {SUITE("random", random_tests), SUITE("known", tests), SUITE("values", value_tests),
                             CU_SUITE_INFO_NULL};
    return run_suites(suites);
}
