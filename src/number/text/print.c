/* Values as decimals: every digit, a number of digits, or as few as read back. */
#include "text/big.h"
#include "text/decimal.h"

#include <string.h>

/* Does significand * 2^exponent, the significand odd and of `bits` bits, have at most BNDI_MOST_DIGITS digits? An
 * integer of b bits has at most 0.30103 b + 1 of them; below the point every power of two takes 0.69897 digits more
 * than the integer, 0.69897 * 142000 + 40 < 100000. */
static bool digits_are_bounded(size_t bits, int64_t exponent)
{
    return exponent >= 0 ? (int64_t)bits + exponent <= 332000 : exponent >= -142000;
}

size_t bnd_print_exact(char *out, size_t size, bnd_exact value, bnd_notation notation)
{
    bndi_text text = bndi_text_in(out, size);
    if (bndi_write_special(&text, value)) {
        return text.length;
    }
    mpz_t integer;
    mpz_init(integer);
    bndi_significand(integer, value);
    mp_bitcnt_t zeros = mpz_scan1(integer, 0);
    mpz_tdiv_q_2exp(integer, integer, zeros);
    int64_t exponent = (int64_t)value.exponent + (int64_t)zeros;
    if (!digits_are_bounded(mpz_sizeinbase(integer, 2), exponent)) {
        bndi_write_hex(&text, value);
    } else if (exponent >= 0) {
        mpz_mul_2exp(integer, integer, (mp_bitcnt_t)exponent);
        bnd_lab_write_integer(&text, value.negative, integer, 0, notation);
    } else {
        mpz_t power; /* 2^-n = 5^n 10^-n */
        mpz_init(power);
        mpz_ui_pow_ui(power, 5, (unsigned long)-exponent);
        mpz_mul(integer, integer, power);
        mpz_clear(power);
        bnd_lab_write_integer(&text, value.negative, integer, exponent, notation);
    }
    mpz_clear(integer);
    return text.length;
}

size_t bnd_print_digits(char *out, size_t size, bnd_exact value, int digits)
{
    bndi_text text = bndi_text_in(out, size);
    if (bndi_write_special(&text, value)) {
        return text.length;
    }
    size_t count = digits < 1 ? 1 : digits > BNDI_MOST_DIGITS ? BNDI_MOST_DIGITS : (size_t)digits;
    bndi_mpfr_state state = bnd_lab_mpfr_begin();
    MPFR_DECL_INIT(x, 128);
    bnd_lab_exact_to_mpfr(x, value);
    mpfr_abs(x, x, MPFR_RNDZ);
    mpfr_exp_t point; /* x = 0.ddd * 10^point */
    char *all = mpfr_get_str(NULL, &point, 10, count, x, MPFR_RNDN);
    bndi_decimal decimal = bndi_decimal_of_digits(value.negative, all, count, point - (int64_t)count);
    bnd_lab_write_decimal(&text, &decimal, decimal.exponent < -4 || decimal.exponent >= (int64_t)count);
    mpfr_free_str(all);
    bnd_lab_mpfr_end(state);
    return text.length;
}

/* ---- the shortest ---- */

/* 21 digits tell all numbers of 64 bits apart: 10^20 > 2^64. Three more are for choosing the nearer neighbour. */
enum { ENOUGH_DIGITS = 21, GUARD_DIGITS = 3, ALL_DIGITS = ENOUGH_DIGITS + GUARD_DIGITS };

/* A magnitude cut after ALL_DIGITS digits; `more` says that others follow. It is 0.ddd * 10^point. */
typedef struct expansion {
    char digits[ALL_DIGITS + 8];
    mpfr_exp_t point;
    bool more;
} expansion;

static void expand(expansion *out, bnd_exact value)
{
    bndi_mpfr_state state = bnd_lab_mpfr_begin();
    MPFR_DECL_INIT(x, 128);
    value.negative = false;
    bnd_lab_exact_to_mpfr(x, value);
    expansion above;
    mpfr_get_str(out->digits, &out->point, 10, ALL_DIGITS, x, MPFR_RNDZ);
    mpfr_get_str(above.digits, &above.point, 10, ALL_DIGITS, x, MPFR_RNDA);
    out->more = out->point != above.point || strcmp(out->digits, above.digits) != 0;
    bnd_lab_mpfr_end(state);
}

/* One of the two decimals of `count` digits around the expansion. */
typedef struct candidate {
    char digits[ALL_DIGITS];
    size_t count;
    int64_t last_place;
} candidate;

static candidate candidate_of(const expansion *all, size_t count, bool above)
{
    candidate c = {.count = count, .last_place = all->point - (int64_t)count};
    memcpy(c.digits, all->digits, count);
    if (!above) {
        return c;
    }
    size_t i = count;
    while (i > 0 && c.digits[i - 1] == '9') {
        c.digits[--i] = '0';
    }
    if (i > 0) {
        c.digits[i - 1]++;
    } else {
        c.digits[0] = '1';
        c.last_place++;
    }
    return c;
}

/* The digits behind the first `count` against half a unit of the place before them: -1, 0, 1. All zero: -2. */
static int compare_rest_with_half(const expansion *all, size_t count)
{
    bool later = all->more;
    for (size_t i = count + 1; i < ALL_DIGITS; i++) {
        later = later || all->digits[i] != '0';
    }
    char next = all->digits[count];
    if (next != '5') {
        return next > '5' ? 1 : next == '0' && !later ? -2 : -1;
    }
    return later ? 1 : 0;
}

static bool reads_back(const candidate *c, const bnd_format *f, bnd_exact value)
{
    char buffer[ALL_DIGITS + 24];
    bndi_text text = bndi_text_in(buffer, sizeof buffer);
    bndi_decimal decimal = bndi_decimal_of_digits(value.negative, c->digits, c->count, c->last_place);
    bnd_lab_write_decimal(&text, &decimal, true);
    bnd_exact read;
    if (bnd_parse_exact(&read, buffer, text.length, NULL) != BND_OK) {
        return false;
    }
    bnd_exact rounded = bnd_round_exact(f, read, (bnd_rule){0}, 0).value;
    return rounded.kind == BND_KIND_FINITE && bnd_exact_compare(rounded, value) == 0;
}

/* The nearer of the two decimals of `count` digits that read back; false where neither does. */
static bool best_of(candidate *out, const expansion *all, size_t count, const bnd_format *f, bnd_exact value)
{
    candidate below = candidate_of(all, count, false), above = candidate_of(all, count, true);
    int half = compare_rest_with_half(all, count);
    bool odd = ((below.digits[count - 1] - '0') & 1) != 0;
    bool above_is_nearer = half > 0 || (half == 0 && odd);
    *out = above_is_nearer ? above : below;
    if (reads_back(out, f, value)) {
        return true;
    }
    *out = above_is_nearer ? below : above;
    return half != -2 && reads_back(out, f, value);
}

/* A decimal of n digits that reads back has one of n + 1 digits that does: the numbers that read back are an interval
 * with the value in it, and the decimals around the value only come nearer. So the least n is found by halving. */
size_t bnd_print_shortest(char *out, size_t size, const bnd_format *f, bnd_exact value)
{
    enum { MOST_PLAIN_EXPONENT = 15 };
    bndi_text text = bndi_text_in(out, size);
    if (bndi_write_special(&text, value)) {
        return text.length;
    }
    expansion all;
    expand(&all, value);
    size_t least = 1, most = ENOUGH_DIGITS;
    candidate best, tried;
    best_of(&best, &all, most, f, value);
    while (least < most) {
        size_t middle = (least + most) / 2;
        if (best_of(&tried, &all, middle, f, value)) {
            most = middle;
            best = tried;
        } else {
            least = middle + 1;
        }
    }
    bndi_decimal decimal = bndi_decimal_of_digits(value.negative, best.digits, best.count, best.last_place);
    bnd_lab_write_decimal(&text, &decimal, decimal.exponent < -4 || decimal.exponent > MOST_PLAIN_EXPONENT);
    return text.length;
}
