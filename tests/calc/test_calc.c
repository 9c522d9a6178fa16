/* Expressions: random ones beside GMP's rationals and the oracle's roundings, roots beside MPFR, refusals. */
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

/* ---- random expressions, worked out as they are made ---- */

typedef struct making {
    char text[TEXT_SIZE];
    size_t length;
    const bnd_format *format;
    bnd_rule rule;
    uint64_t seed, drawn;
    uint32_t flags;
    bool fails; /* the oracle, or a division by zero */
} making;

typedef struct made {
    mpq_t value;
    uint64_t code;
} made;

static uint64_t draw(making *m, uint64_t limit)
{
    return bnd_random(m->seed, 77, m->drawn++) % limit;
}

static void put(making *m, const char *text)
{
    m->length +=
        (size_t)snprintf(m->text + m->length, sizeof m->text - m->length, "%s%s", draw(m, 4) == 0 ? " " : "", text);
}

/* A decimal of up to two places, with its sign. */
static void make_number(making *m, made *out)
{
    long digits = (long)draw(m, 100000) - 50000;
    unsigned places = (unsigned)draw(m, 3), scale = places == 0 ? 1 : places == 1 ? 10 : 100;
    char text[64];
    snprintf(text, sizeof text, "%s%ld", digits < 0 ? "-" : "", labs(digits) / (long)scale);
    if (places > 0) {
        size_t end = strlen(text);
        snprintf(text + end, sizeof text - end, ".%0*ld", (int)places, labs(digits) % (long)scale);
    }
    put(m, text);
    mpq_set_si(out->value, digits, scale);
    mpq_canonicalize(out->value);
    bnd_result r;
    m->fails |= bnd_oracle_encode_text(&r, m->format, text, m->rule, 0, NULL) != BND_OK;
    m->flags |= r.flags;
    out->code = r.code;
}

static void operate(making *m, made *out, const char *name, const made *operands, unsigned count)
{
    const bnd_format *from[] = {m->format, m->format, m->format};
    uint64_t codes[3] = {0};
    bnd_result r;
    for (unsigned i = 0; i < count; i++) {
        codes[i] = operands[i].code;
    }
    m->fails |= bnd_oracle_operate(&r, m->format, name, from, codes, m->rule, 0, NULL) != BND_OK;
    m->flags |= r.flags;
    out->code = r.code;
}

static void make(making *m, made *out, unsigned depth, bool in_product);

static void make_binary(making *m, made *out, unsigned depth, bool in_product)
{
    static const char *const signs[] = {"+", "-", "*", "/"}, *const names[] = {"add", "sub", "mul", "div"};
    made x[2];
    unsigned which = (unsigned)draw(m, 4);
    bool product = which >= 2, parentheses = (in_product && !product) || draw(m, 3) == 0;
    mpq_inits(x[0].value, x[1].value, NULL);
    put(m, parentheses ? "(" : "");
    make(m, &x[0], depth - 1, product);
    put(m, signs[which]);
    put(m, "("); /* what follows - and / is of its own */
    make(m, &x[1], depth - 1, false);
    put(m, ")");
    put(m, parentheses ? ")" : "");
    operate(m, out, names[which], x, 2);
    if (which == 3 && mpq_sgn(x[1].value) == 0) {
        m->fails = true;
    } else {
        void (*const by[])(mpq_t, const mpq_t, const mpq_t) = {mpq_add, mpq_sub, mpq_mul, mpq_div};
        by[which](out->value, x[0].value, x[1].value);
    }
    mpq_clears(x[0].value, x[1].value, NULL);
}

static void make_call(making *m, made *out, unsigned depth)
{
    static const char *const names[] = {"fma", "min", "max"};
    made x[3];
    unsigned which = (unsigned)draw(m, 3), count = which == 0 ? 3 : 2;
    mpq_inits(x[0].value, x[1].value, x[2].value, NULL);
    put(m, names[which]);
    put(m, "(");
    for (unsigned i = 0; i < count; i++) {
        put(m, i > 0 ? "," : "");
        make(m, &x[i], depth - 1, false);
    }
    put(m, ")");
    operate(m, out, names[which], x, count);
    if (which == 0) {
        mpq_mul(out->value, x[0].value, x[1].value);
        mpq_add(out->value, out->value, x[2].value);
    } else {
        bool first = (mpq_cmp(x[0].value, x[1].value) < 0) == (which == 1);
        mpq_set(out->value, x[first ? 0 : 1].value);
    }
    mpq_clears(x[0].value, x[1].value, x[2].value, NULL);
}

static void make(making *m, made *out, unsigned depth, bool in_product)
{
    if (depth == 0 || draw(m, 5) == 0) {
        make_number(m, out);
    } else if (draw(m, 4) == 0) {
        make_call(m, out, depth);
    } else {
        make_binary(m, out, depth, in_product);
    }
}

/* ---- what is printed, read again ---- */

/* The number that digits, point and exponent say; *cut: they end in "...", and the last digit counts `place`. */
static void read_printed(mpq_t out, mpq_t place, bool *cut, const char *text)
{
    char digits[TEXT_SIZE];
    size_t count = 0;
    long places = 0, exponent = 0;
    bool point = false, negative = text[0] == '-';
    const char *at = text + negative;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && at[1] != '.'); at++) {
        if (*at == '.') {
            point = true;
        } else {
            digits[count++] = *at;
            places += point;
        }
    }
    digits[count] = '\0';
    *cut = strncmp(at, "...", 3) == 0;
    at += *cut ? 3 : 0;
    if (*at == 'e') {
        exponent = strtol(at + 1, NULL, 10);
    }
    exponent -= places;
    mpq_set_ui(place, 1, 1);
    mpz_ui_pow_ui(mpq_numref(place), 10, (unsigned long)labs(exponent));
    if (exponent < 0) {
        mpq_inv(place, place);
    }
    mpq_set_ui(out, 0, 1);
    mpz_set_str(mpq_numref(out), digits, 10);
    mpq_mul(out, out, place);
    if (negative) {
        mpq_neg(out, out);
    }
}

/* Every digit, or the first of them: from the printed number up to one more in its last place. */
static bool prints(const bnd_real *real, const mpq_t value)
{
    char text[TEXT_SIZE];
    mpq_t printed, place, far;
    bool cut;
    mpq_inits(printed, place, far, NULL);
    bnd_print_real(text, sizeof text, real, BND_NOTATION_AUTO);
    read_printed(printed, place, &cut, text);
    (mpq_sgn(printed) < 0 ? mpq_sub : mpq_add)(far, printed, place);
    bool right = cut ? mpq_cmp(printed, value) * mpq_cmp(far, value) < 0 : mpq_equal(printed, value) != 0;
    right = right && (!cut || mpq_sgn(value) == mpq_sgn(printed));
    if (!right) {
        gmp_printf("\n  %s is printed for %Qd\n", text, value);
    }
    mpq_clears(printed, place, far, NULL);
    return right;
}

static bool is_right(const making *m, const made *want)
{
    static bnd_term terms[TERMS];
    static bnd_result results[TERMS];
    size_t count;
    bnd_error why;
    bnd_real *exact, *error;
    if (bnd_expression_parse(terms, TERMS, &count, m->text, m->length, m->format, &why) != BND_OK ||
        bnd_real_new_of_expression(&exact, terms, count, m->text, m->format, &why) != BND_OK) {
        printf("\n  %s\n  %s\n", m->text, why.message);
        return false;
    }
    bnd_expression_round(results, terms, count, m->text, m->format, m->rule, 0);
    uint32_t flags = 0;
    for (size_t i = 0; i < count; i++) {
        flags |= results[i].flags;
    }
    bool right = results[count - 1].code == want->code && flags == m->flags && prints(exact, want->value);
    bnd_exact value = bnd_unpack(m->format, results[count - 1].code);
    if (bnd_real_new_of_error(&error, value, exact, &why) != BND_OK) {
        right = false;
    } else if (value.kind == BND_KIND_FINITE || value.kind == BND_KIND_ZERO) {
        mpq_t x;
        mpq_init(x);
        mpz_import(mpq_numref(x), 1, -1, sizeof value.low, 0, 0, &value.low);
        (value.exponent < 0 ? mpq_div_2exp : mpq_mul_2exp)(x, x, (mp_bitcnt_t)abs(value.exponent));
        if (value.negative) {
            mpq_neg(x, x);
        }
        mpq_sub(x, x, want->value);
        right = right && prints(error, x);
        mpq_clear(x);
        bnd_real_free(error);
    } else {
        right = right && bnd_real_known(error) == BND_KNOWN_NOT;
        bnd_real_free(error);
    }
    bnd_real_free(exact);
    if (!right) {
        printf("\n  %s in %s: code %llx, not %llx; flags %u, not %u\n", m->text, m->format->name,
               (unsigned long long)results[count - 1].code, (unsigned long long)want->code, flags, m->flags);
    }
    return right;
}

static void random_expressions(void)
{
    static const char *const names[] = {"fp16", "bf16", "e4m3", "fp32", "e5m2", "binary8p3se", "fp64"};
    static making m;
    uint64_t count = scaled(3000), wrong = 0, tried = 0;
    for (uint64_t i = 0; i < count; i++) {
        bnd_format f = format_named(names[i % 7]);
        made whole;
        m = (making){.format = &f, .seed = i, .rule = {.rounding = (uint8_t)(i / 7 % BND_ROUND_DETERMINISTIC_COUNT)}};
        mpq_init(whole.value);
        make(&m, &whole, 4, false);
        if (!m.fails) {
            tried++;
            wrong += !is_right(&m, &whole);
        }
        mpq_clear(whole.value);
        if (wrong > 4) {
            break;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(tried > count / 2);
}

/* ---- known ones ---- */

static const bnd_real *exact_of(const char *text, const char *format)
{
    static bnd_term terms[TERMS];
    bnd_format f = format_named(format);
    bnd_real *exact = NULL;
    size_t count;
    if (bnd_expression_parse(terms, TERMS, &count, text, strlen(text), &f, NULL) != BND_OK ||
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
    assert_exact("(-1/0)^-3", "0");
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
    assert_exact("gelu(-inf)", "0");
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
        bnd_status status = bnd_expression_parse(terms, 64, &count, bad[i].text, strlen(bad[i].text), &f, &why);
        CU_ASSERT_NOT_EQUAL(status, BND_OK);
        CU_ASSERT_EQUAL(why.where, bad[i].where);
        if (status == BND_OK || why.where != bad[i].where) {
            printf("\n  '%s': at %zu, not %zu: %s\n", bad[i].text, why.where, bad[i].where, why.message);
        }
    }
    CU_ASSERT_EQUAL(bnd_expression_parse(terms, 64, &count, "1", 1, &set, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_expression_parse(terms, 64, &count, "1\0+1", 4, &f, &why), BND_BAD_SYNTAX);
    CU_ASSERT_EQUAL(bnd_expression_parse(terms, 2, &count, "1+1", 3, &f, &why), BND_BAD_ARGUMENT);
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
    return bnd_expression_parse(terms, sizeof terms / sizeof terms[0], &count, text, length, &f, NULL);
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
    CU_ASSERT_EQUAL_FATAL(bnd_expression_parse(terms, 2 * ONES, &count, text, 2 * ONES - 1, &f, NULL), BND_OK);
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
    CU_ASSERT_EQUAL_FATAL(bnd_expression_parse(terms, 8, &count, text, strlen(text), &f, NULL), BND_OK);
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
    CU_TestInfo tests[] = {{"random expressions", random_expressions},
                           {"known values", known_values},
                           {"irrational values", irrational_values},
                           {"refusals", refusals},
                           {"depth", depth},
                           {"a long sum", long_sum},
                           {"stochastic modes", stochastic},
                           CU_TEST_INFO_NULL};
    CU_SuiteInfo suites[] = {SUITE("calc", tests), SUITE("values", value_tests), CU_SUITE_INFO_NULL};
    return run_suites(suites);
}
