/* The exact value of an expression, and its text. */
#include "calc/calc.h"
#include "calc/big_numbers.h"
#include "calc/cut.h"
#include "text/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the value ---- */

static bnd_real *new_real(mpfr_prec_t bits, bnd_error *why)
{
    bnd_real *x = malloc(sizeof *x);
    if (x == NULL) {
        (void)bnd_fail(why, BND_NO_MEMORY, 0, "no memory for a number");
        return NULL;
    }
    bndi_real_open(x, bits);
    return x;
}

void bnd_real_free(bnd_real *x)
{
    if (x != NULL) {
        bndi_real_close(x);
        free(x);
    }
}

/* GMP and MPFR end the process if an allocation fails, and a library must not replace their allocation functions,
 * which are global. So before each term this much memory is allocated and freed, which the term can then use. A
 * number has at most 332,193 bits above and below (real.c), 83 kB. An operation on two of them with its greatest
 * common divisors, and later its digits, take less than fifty times that. */
bool bndi_has_room(void)
{
    enum { ROOM = 1 << 22 };
    void *room = malloc(ROOM);
    free(room);
    return room != NULL;
}

/* The last term that uses each term's number: it is not needed after that. */
static void find_last_uses(size_t *last, const bnd_term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        last[i] = count;
        for (size_t k = 0; k < terms[i].operands; k++) {
            last[terms[i].operand[k]] = i;
        }
    }
}

static void drop_operands(bnd_real *all, const size_t *last, const bnd_term *terms, size_t i)
{
    for (size_t k = 0; k < terms[i].operands; k++) {
        const size_t operand = terms[i].operand[k];
        if (last[operand] == i) {
            const mpfr_prec_t bits = bndi_real_bits(&all[operand]);
            bndi_real_close(&all[operand]);
            bndi_real_open(&all[operand], bits);
        }
    }
}

static bnd_status number_value(bnd_real *out, const bnd_term *t, const char *text, bnd_error *why)
{
    bndi_constant constant = bndi_constant_named(text + t->from, t->length);
    if (constant == BNDI_NO_CONSTANT) {
        return bndi_real_number(out, text + t->from, t->length, t->negative, why);
    }
    bndi_real_constant(out, constant, t->negative);
    return BND_OK;
}

static bnd_status term_value(bnd_real *all, size_t i, const bnd_term *t, const char *text, const bnd_format *f,
                             bndi_effort *effort, bnd_error *why)
{
    const bnd_real *operands[BND_OPERANDS_MAX] = {NULL};
    for (size_t k = 0; k < t->operands; k++) {
        operands[k] = &all[t->operand[k]];
    }
    switch (t->kind) {
    case BND_TERM_NUMBER:
        return number_value(&all[i], t, text, why);
    case BND_TERM_CODE: {
        bnd_format own = bnd_term_format(t, text, f);
        bndi_real_value(&all[i], bnd_unpack(&own, t->code));
        return BND_OK;
    }
    case BND_TERM_POWER:
        bndi_real_power(&all[i], effort, operands[0], t->integer);
        return BND_OK;
    case BND_TERM_SUM:
        bndi_real_times(&all[i], effort, operands[0], t->integer);
        return BND_OK;
    default:
        bndi_real_operate(&all[i], effort, t->operation, operands, t->integer);
        return BND_OK;
    }
}

bnd_status bndi_expression_real_alloc(bnd_real **out, const bnd_term *terms, size_t count, const char *text,
                                      const bnd_format *f, mpfr_prec_t bits, bnd_error *why)
{
    bnd_real *all = count > 0 && count <= SIZE_MAX / sizeof *all ? malloc(count * sizeof *all) : NULL;
    size_t *last_use = all != NULL ? malloc(count * sizeof *last_use) : NULL;
    bnd_real *last = new_real(bits, why);
    if (all == NULL || last_use == NULL || last == NULL) {
        free(all);
        free(last_use);
        bnd_real_free(last);
        return bnd_fail(why, count > 0 ? BND_NO_MEMORY : BND_BAD_ARGUMENT, 0, "%s",
                        count > 0 ? "no memory for the numbers of the expression" : "an expression must have a term");
    }
    bndi_mpfr_state state = bndi_mpfr_begin();
    bndi_effort effort = {INT64_C(1) << 26}; /* a second or so of divisions */
    bnd_status status = BND_OK;
    size_t opened = 0;
    find_last_uses(last_use, terms, count);
    while (status == BND_OK && opened < count) {
        if (!bndi_has_room()) {
            status = bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the exact value of the expression");
            break;
        }
        bndi_real_open(&all[opened], bits);
        status = term_value(all, opened, &terms[opened], text, f, &effort, why);
        drop_operands(all, last_use, terms, opened);
        opened++;
    }
    if (status == BND_OK) {
        bnd_real given = *last;
        *last = all[count - 1];
        all[count - 1] = given;
        *out = last;
    } else {
        bnd_real_free(last);
    }
    for (size_t i = 0; i < opened; i++) {
        bndi_real_close(&all[i]);
    }
    bndi_mpfr_end(state);
    free(all);
    free(last_use);
    return status;
}

bnd_status bnd_real_new_of_expression(bnd_real **out, const bnd_term *terms, size_t count, const char *text,
                                      const bnd_format *f, bnd_error *why)
{
    return bndi_expression_real_alloc(out, terms, count, text, f, BNDI_REAL_BITS, why);
}

bnd_status bnd_real_new_of_error(bnd_real **out, bnd_exact value, const bnd_real *exact, bnd_error *why)
{
    bnd_real v, *x = new_real(bndi_real_bits(exact), why);
    if (x == NULL) {
        return BND_NO_MEMORY;
    }
    if (!bndi_has_room()) {
        bnd_real_free(x);
        return bnd_fail(why, BND_NO_MEMORY, 0, "no memory for the error of a result");
    }
    bndi_mpfr_state state = bndi_mpfr_begin();
    bndi_real_open(&v, bndi_real_bits(exact));
    bndi_real_value(&v, value);
    bndi_real_subtract(x, &v, exact);
    bndi_real_close(&v);
    bndi_mpfr_end(state);
    *out = x;
    return BND_OK;
}

bnd_known bnd_real_known(const bnd_real *x)
{
    return bndi_real_is_bounded(x) && bnd_real_sign(x) != 0 ? BND_KNOWN_BOUNDS : x->known;
}

/* An end that is not infinite and, where it matters and there is one, not zero. False: it is not a number. */
static bool near_to(mpfr_t out, const bnd_real *x, bool zero_is_good)
{
    bool is_number = x->known == BND_KNOWN_EXACTLY || x->known == BND_KNOWN_DIGITS;
    if (is_number) {
        mpfr_t high;
        mpfr_init2(high, mpfr_get_prec(out));
        bndi_real_ends(out, high, x);
        if (!mpfr_regular_p(out) && !(zero_is_good && mpfr_zero_p(out))) {
            mpfr_set(out, high, MPFR_RNDN);
        }
        mpfr_clear(high);
    }
    return is_number;
}

double bnd_real_in_units(const bnd_real *x, bnd_exact unit)
{
    bndi_mpfr_state state = bndi_mpfr_begin();
    MPFR_DECL_INIT(u, 128);
    mpfr_t quotient;
    mpfr_init2(quotient, bndi_real_bits(x));
    mpfr_set_nan(quotient);
    if (unit.kind == BND_KIND_FINITE && near_to(quotient, x, true)) {
        bndi_exact_to_mpfr(u, unit);
        mpfr_div(quotient, quotient, u, MPFR_RNDN);
    }
    double out = mpfr_get_d(quotient, MPFR_RNDN);
    mpfr_clear(quotient);
    bndi_mpfr_end(state);
    return out;
}

double bnd_real_quotient(const bnd_real *x, const bnd_real *y)
{
    bndi_mpfr_state state = bndi_mpfr_begin();
    mpfr_t above, below;
    mpfr_inits2(bndi_real_bits(x), above, below, (mpfr_ptr)NULL);
    bool known = bnd_real_sign(y) != 0 && near_to(above, x, false) && near_to(below, y, false);
    mpfr_div(above, above, below, MPFR_RNDN);
    double out = known ? mpfr_get_d(above, MPFR_RNDN) : (double)NAN;
    mpfr_clears(above, below, (mpfr_ptr)NULL);
    bndi_mpfr_end(state);
    return out;
}

/* ---- how it is written ---- */

enum { CUT = BNDI_CUT };

/* 2^two 5^five = denominator? */
static bool ends_in_decimal(const mpz_t denominator, mp_bitcnt_t *two, mp_bitcnt_t *five)
{
    mpz_t rest, divisor;
    mpz_inits(rest, divisor, NULL);
    *two = mpz_scan1(denominator, 0);
    mpz_tdiv_q_2exp(rest, denominator, *two);
    mpz_set_ui(divisor, 5);
    *five = mpz_remove(rest, rest, divisor);
    bool ends = mpz_cmp_ui(rest, 1) == 0;
    mpz_clears(rest, divisor, NULL);
    return ends;
}

/* The first CUT digits of a quotient, by an integer that has them and a few more. */
static void write_endless(bndi_text *out, const mpq_t x)
{
    mpz_t above, below, power;
    mpz_inits(above, below, power, NULL);
    mpz_abs(above, mpq_numref(x));
    mpz_set(below, mpq_denref(x));
    int64_t bits = (int64_t)mpz_sizeinbase(above, 2) - (int64_t)mpz_sizeinbase(below, 2);
    int64_t scale = CUT + 2 - (bits - (bits < 0)) * 30103 / 100000; /* 10^scale x has CUT + 1 digits at least */
    mpz_ui_pow_ui(power, 10, (unsigned long)(scale < 0 ? -scale : scale));
    mpz_mul(scale < 0 ? below : above, scale < 0 ? below : above, power);
    mpz_tdiv_q(above, above, below);
    char digits[CUT + 16]; /* at most CUT + 5 and a sign */
    if (mpz_sizeinbase(above, 10) < sizeof digits - 2) {
        mpz_get_str(digits, 10, above);
        size_t count = strlen(digits);
        bndi_decimal decimal = {.negative = mpq_sgn(x) < 0,
                                .digits = digits,
                                .count = count < CUT ? count : CUT,
                                .exponent = (int64_t)count - 1 - scale};
        bndi_write_cut(out, &decimal);
    }
    mpz_clears(above, below, power, NULL);
}

static void write_exact(bndi_text *out, const mpq_t x, bnd_notation notation)
{
    mp_bitcnt_t two, five;
    if (mpq_sgn(x) == 0) {
        bndi_text_char(out, '0');
    } else if (ends_in_decimal(mpq_denref(x), &two, &five)) {
        mp_bitcnt_t place = two > five ? two : five; /* n / (2^a 5^b) = n 2^(k-a) 5^(k-b) / 10^k */
        mpz_t integer, power;
        mpz_inits(integer, power, NULL);
        mpz_ui_pow_ui(power, 5, place - five);
        mpz_abs(integer, mpq_numref(x));
        mpz_mul(integer, integer, power);
        mpz_mul_2exp(integer, integer, place - two);
        bndi_write_integer(out, mpq_sgn(x) < 0, integer, -(int64_t)place, notation);
        mpz_clears(integer, power, NULL);
    } else {
        write_endless(out, x);
    }
}

/* A short decimal that both ends are rounded to: the number may be it. Written with a ~ before it. */
static bool write_nearly(bndi_text *out, const bnd_real *x)
{
    enum { SHORT = CUT / 2 };
    char low[CUT + 8], high[CUT + 8];
    mpfr_exp_t low_point, high_point;
    mpfr_get_str(low, &low_point, 10, CUT, x->low, MPFR_RNDN);
    mpfr_get_str(high, &high_point, 10, CUT, x->high, MPFR_RNDN);
    size_t sign = low[0] == '-', count = strlen(low);
    while (count > sign + 1 && low[count - 1] == '0') {
        count--;
    }
    if (count - sign > SHORT || low_point != high_point || strcmp(low, high) != 0) {
        return false;
    }
    bndi_decimal decimal = {
        .negative = sign != 0, .digits = low + sign, .count = count - sign, .exponent = (int64_t)low_point - 1};
    bndi_text_char(out, '~');
    bnd_lab_write_decimal(out, &decimal, decimal.exponent < -4 || decimal.exponent >= SHORT);
    return true;
}

/* The digits that both ends begin with. */
static void write_certain(bndi_text *out, const bnd_real *x)
{
    char low[CUT + 8], high[CUT + 8];
    mpfr_exp_t low_point, high_point;
    size_t certain = 0;
    mpfr_get_str(low, &low_point, 10, CUT, x->low, MPFR_RNDZ);
    mpfr_get_str(high, &high_point, 10, CUT, x->high, MPFR_RNDZ);
    bool negative = low[0] == '-';
    if (bnd_real_sign(x) != 0 && low_point == high_point) {
        while (certain < CUT && low[negative + certain] == high[negative + certain]) {
            certain++;
        }
    }
    if (certain < CUT && bnd_real_sign(x) != 0 && write_nearly(out, x)) {
        return;
    }
    if (certain == 0) {
        bndi_text_char(out, '?');
        return;
    }
    bndi_decimal decimal = {
        .negative = negative, .digits = low + negative, .count = certain, .exponent = (int64_t)low_point - 1};
    bndi_write_cut(out, &decimal);
}

size_t bnd_print_real(char *out, size_t size, const bnd_real *x, bnd_notation notation)
{
    bndi_text text = bndi_text_in(out, size);
    bndi_mpfr_state state = bndi_mpfr_begin();
    switch (x->known) {
    case BND_KNOWN_EXACTLY:
        if (mpq_sgn(x->value) == 0 && x->negative && !x->signless) {
            bndi_text_char(&text, '-');
        }
        write_exact(&text, x->value, notation);
        break;
    case BND_KNOWN_DIGITS:
        if (bndi_real_is_bounded(x)) {
            bndi_text_char(&text, '?');
        } else {
            write_certain(&text, x);
        }
        break;
    case BND_KNOWN_INFINITE:
        bndi_text_string(&text, x->negative ? "-inf" : "inf");
        break;
    case BND_KNOWN_NAN:
        bndi_text_string(&text, "nan");
        break;
    default:
        bndi_text_char(&text, '?');
    }
    bndi_mpfr_end(state);
    return text.length;
}

size_t bnd_print_fraction(char *out, size_t size, const bnd_real *x)
{
    enum { MOST_BITS = 63 };
    bndi_text text = bndi_text_in(out, size);
    mp_bitcnt_t two, five;
    if (x->known == BND_KNOWN_EXACTLY && mpz_sizeinbase(mpq_numref(x->value), 2) <= MOST_BITS &&
        mpz_sizeinbase(mpq_denref(x->value), 2) <= MOST_BITS && !ends_in_decimal(mpq_denref(x->value), &two, &five)) {
        char digits[2 * 24];
        bndi_text_string(&text, mpq_get_str(digits, 10, x->value));
    }
    return text.length;
}
