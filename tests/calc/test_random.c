/* Random expressions, worked out exactly as they are made, against what calc/ prints of them. */
#include "tests.h"
#include "tests/support/operands.h"
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
    if (bnd_expression_parse_n(terms, TERMS, &count, m->text, m->length, m->format, &why) != BND_OK ||
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

CU_TestInfo random_tests[] = {
    {"random expressions", random_expressions},
    CU_TEST_INFO_NULL,
};
