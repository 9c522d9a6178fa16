/* The parser against exact rationals and against the C library, on short numbers, long ones and the hardest. */
#include "base/bits.h"
#include "tests.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- against rationals ---- */

/* 128 bits, the first of them set, are the integer part of |x| / 2^exponent; sticky says whether that is all. */
static bool holds(bnd_exact read, const mpq_t x)
{
    mpq_t low, unit;
    mpq_init(low);
    mpq_init(unit);
    bnd_exact cut = read, one = {.low = 1, .exponent = read.exponent, .kind = BND_KIND_FINITE};
    cut.negative = false;
    rational_of_exact(low, cut);
    rational_of_exact(unit, one);
    mpq_t magnitude;
    mpq_init(magnitude);
    mpq_abs(magnitude, x);
    mpq_sub(magnitude, magnitude, low);
    bool right = read.kind == BND_KIND_FINITE && read.high >> 63 == 1 && read.negative == (mpq_sgn(x) < 0) &&
                 mpq_sgn(magnitude) >= 0 && mpq_cmp(magnitude, unit) < 0 && read.sticky == (mpq_sgn(magnitude) > 0);
    mpq_clear(magnitude);
    mpq_clear(unit);
    mpq_clear(low);
    return right;
}

static void check_against_rational(const char *text, size_t length, uint64_t *mismatches)
{
    mpq_t x;
    mpq_init(x);
    rational_of_text(x, text, length);
    bnd_exact read = {0};
    bool right = bnd_parse_exact_n(&read, text, length, NULL) == BND_OK;
    if (mpq_sgn(x) == 0) {
        right = right && read.kind == BND_KIND_ZERO && read.negative == (text[0] == '-');
    } else {
        right = right && holds(read, x);
    }
    if (!right && worth_printing(mismatches)) {
        printf("%.*s: read as 0x%016llx%016llx * 2^%d, sticky %d\n", length < 200 ? (int)length : 200, text,
               (unsigned long long)read.high, (unsigned long long)read.low, (int)read.exponent, read.sticky);
    }
    mpq_clear(x);
}

/* A number of random shape: digits, a point anywhere, zeros at both ends, an exponent. Returns its length. */
static size_t random_number(char *out, draw *from, bool hex)
{
    size_t length = 0;
    if (drawn_below(from, 3) == 0) {
        out[length++] = drawn_below(from, 2) == 0 ? '-' : '+';
    }
    if (hex) {
        out[length++] = '0';
        out[length++] = 'x';
    }
    size_t digits = 1 + drawn_below(from, drawn_below(from, 8) == 0 ? 1500 : 45);
    size_t point = drawn_below(from, 4) == 0 ? digits + 1 : drawn_below(from, digits + 1);
    size_t zeros_from = drawn_below(from, digits + 1), zeros_to = zeros_from + drawn_below(from, digits);
    for (size_t i = 0; i <= digits; i++) {
        if (i == point) {
            out[length++] = '.';
        }
        if (i < digits) {
            bool zero = i >= zeros_from && i < zeros_to;
            out[length++] = zero ? '0' : "0123456789abcdefABCDEF"[drawn_below(from, hex ? 22 : 10)];
        }
    }
    if (drawn_below(from, 3) != 0) {
        long exponent = (long)drawn_below(from, 900) - 450;
        length += (size_t)snprintf(out + length, 16, "%c%s%ld", hex ? 'p' : 'e', exponent > 0 ? "+" : "", exponent);
    }
    return length;
}

static void reads_random_numbers(void)
{
    char text[1600];
    uint64_t mismatches = 0, cases = scaled(60000);
    for (uint64_t i = 0; i < cases; i++) {
        draw from = {.purpose = 1, .element = i * 4000};
        check_against_rational(text, random_number(text, &from, i % 3 == 0), &mismatches);
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* Exactly on a number of 128 bits, and just beside it: where a digit too few would show. */
static void reads_numbers_at_the_edge(void)
{
    uint64_t mismatches = 0, cases = scaled(1200);
    mpz_t significand;
    mpz_init(significand);
    for (uint64_t i = 0; i < cases; i++) {
        draw from = {.purpose = 2, .element = i * 10};
        mpz_set_ui(significand, drawn(&from) | UINT64_C(1) << 63);
        mpz_mul_2exp(significand, significand, 64);
        if (drawn_below(&from, 4) != 0) {
            mpz_add_ui(significand, significand, drawn(&from));
        }
        /* every other one has its point among the digits, where most of them count */
        int64_t exponent = i % 2 == 0 ? -(int64_t)drawn_below(&from, 140) : (int64_t)drawn_below(&from, 1800) - 1400;
        bool negative = drawn_below(&from, 2) == 0;
        for (move how = STAY; how < MOVES; how++) {
            char *text = decimal_of_dyadic(negative, significand, exponent, how);
            check_against_rational(text, strlen(text), &mismatches);
            free(text);
        }
    }
    mpz_clear(significand);
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* ---- against the C library ---- */

static double by_mpfr(const char *text, int digits, int emin, int emax)
{
    const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpfr_t x;
    mpfr_init2(x, digits);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_subnormalize(x, mpfr_strtofr(x, text, NULL, 10, MPFR_RNDN), MPFR_RNDN);
    const double value = mpfr_get_d(x, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    mpfr_clear(x);
    return value;
}

/* musl 1.2.3 rounds long texts near midpoints of the smallest negative numbers toward zero, so MPFR decides. */
static bool strtod_is_wrong(const char *text, uint64_t double_bits, uint64_t single_bits)
{
    return bndi_bits_of_double(by_mpfr(text, DBL_MANT_DIG, -1073, 1024)) == double_bits &&
           bndi_bits_of_float((float)by_mpfr(text, FLT_MANT_DIG, -148, 128)) == single_bits;
}

static void compare_with_strtod(const char *text, const bnd_format *fp64, const bnd_format *fp32, uint64_t *mismatches)
{
    bnd_result wide = {0}, narrow = {0};
    bool read = bnd_parse(&wide, fp64, text, (bnd_rule){0}, 0, NULL) == BND_OK &&
                bnd_parse(&narrow, fp32, text, (bnd_rule){0}, 0, NULL) == BND_OK;
    float single = strtof(text, NULL);
    uint32_t single_bits = bndi_bits_of_float(single);
    uint64_t double_bits = bndi_bits_of_double(strtod(text, NULL));
    const bool differs = !read || wide.code != double_bits || narrow.code != single_bits;
    if (differs && !strtod_is_wrong(text, wide.code, narrow.code) && worth_printing(mismatches)) {
        printf("%.200s: fp64 0x%llx, strtod 0x%llx, fp32 0x%llx, strtof 0x%lx\n", text, (unsigned long long)wide.code,
               (unsigned long long)double_bits, (unsigned long long)narrow.code, (unsigned long)single_bits);
    }
}

static void agrees_with_strtod_on_random_numbers(void)
{
    bnd_format fp64 = format_named("fp64"), fp32 = format_named("fp32");
    char text[64];
    uint64_t mismatches = 0, cases = scaled(150000);
    for (uint64_t i = 0; i < cases; i++) {
        draw from = {.purpose = 3, .element = i * 8};
        uint64_t digits = drawn(&from) >> drawn_below(&from, 64);
        uint64_t more = drawn_below(&from, 4) == 0 ? drawn(&from) : 0;
        long exponent = i % 2 == 0 ? (long)drawn_below(&from, 720) - 380 : (long)drawn_below(&from, 120) - 70;
        snprintf(text, sizeof text, "%s%llu%.0llue%ld", i % 5 == 0 ? "-" : "", (unsigned long long)digits,
                 (unsigned long long)more, exponent);
        compare_with_strtod(text, &fp64, &fp32, &mismatches);
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

static void agrees_with_strtod_on_midpoints(void)
{
    bnd_format fp64 = format_named("fp64"), fp32 = format_named("fp32");
    uint64_t mismatches = 0, cases = scaled(1500);
    mpz_t significand;
    mpz_init(significand);
    for (uint64_t i = 0; i < cases; i++) {
        const bnd_format *f = i % 2 == 0 ? &fp64 : &fp32;
        draw from = {.purpose = 4, .element = i * 4};
        uint64_t magnitude = drawn_below(&from, f->max_code + 1);
        magnitude = i % 16 < 2 ? i / 16 % 8 : i % 16 < 4 ? f->max_code - i / 16 % 8 : magnitude;
        int64_t exponent;
        CU_ASSERT_FATAL(midpoint_above(significand, &exponent, f, magnitude));
        for (move how = STAY; how < MOVES; how++) {
            char *text = decimal_of_dyadic(drawn_below(&from, 2) == 0, significand, exponent, how);
            compare_with_strtod(text, &fp64, &fp32, &mismatches);
            free(text);
        }
    }
    mpz_clear(significand);
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* ---- a million digits ---- */

enum { MILLION = 1000000 };

static bnd_exact read_exactly(const char *text, size_t length)
{
    bnd_exact x = {.kind = BND_KIND_SIGNALING_NAN};
    CU_ASSERT_EQUAL(bnd_parse_exact_n(&x, text, length, NULL), BND_OK);
    return x;
}

static bool is_dyadic(bnd_exact x, uint64_t high, uint64_t low, int32_t exponent, bool sticky)
{
    return x.kind == BND_KIND_FINITE && x.high == high && x.low == low && x.exponent == exponent && x.sticky == sticky;
}

static void reads_a_million_digits(void)
{
    const uint64_t top = UINT64_C(1) << 63;
    char *text = malloc(MILLION + 32);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memset(text, '0', MILLION);
    CU_ASSERT_EQUAL(read_exactly(text, MILLION).kind, BND_KIND_ZERO);
    text[0] = '.';
    CU_ASSERT_EQUAL(read_exactly(text, MILLION).kind, BND_KIND_ZERO);
    memcpy(text, "1.", 2); /* 1, then 1 and a little */
    CU_ASSERT(is_dyadic(read_exactly(text, MILLION), top, 0, -127, false));
    text[MILLION - 1] = '1';
    CU_ASSERT(is_dyadic(read_exactly(text, MILLION), top, 0, -127, true));
    memcpy(text, "1.00048828125", 13); /* 1 + 2^-11, half way between two numbers of fp16, and a little */
    bnd_format fp16 = format_named("fp16");
    bnd_result r = {0};
    CU_ASSERT_EQUAL(bnd_parse_n(&r, &fp16, text, MILLION, (bnd_rule){0}, 0, NULL), BND_OK);
    CU_ASSERT(r.code == 0x3c01 && r.ternary == 1);
    CU_ASSERT_EQUAL(bnd_parse_n(&r, &fp16, text, MILLION - 1, (bnd_rule){0}, 0, NULL), BND_OK);
    CU_ASSERT(r.code == 0x3c00 && r.ternary == -1);
    memset(text, '9', MILLION); /* 1 less a little */
    text[0] = '.';
    CU_ASSERT(is_dyadic(read_exactly(text, MILLION), UINT64_MAX, UINT64_MAX, -128, true));
    memset(text, '0', MILLION); /* 10^999999 brought back to 1 */
    text[0] = '1';
    memcpy(text + MILLION, "e-999999", 8);
    CU_ASSERT(is_dyadic(read_exactly(text, MILLION + 8), top, 0, -127, false));
    memset(text, '0', MILLION); /* hexadecimal, 1 and a little */
    memcpy(text, "0x1.", 4);
    text[MILLION - 1] = '1';
    CU_ASSERT(is_dyadic(read_exactly(text, MILLION), top, 0, -127, true));
    text[MILLION - 1] = ','; /* and not a number */
    bnd_error why = {0};
    bnd_exact x;
    CU_ASSERT_EQUAL(bnd_parse_exact_n(&x, text, MILLION, &why), BND_BAD_SYNTAX);
    CU_ASSERT_EQUAL(why.where, MILLION - 1);
    free(text);
}

/* Many digits that all count: the exact decimal of a power of two with 100,000 places, with a million in a long run. */
static void reads_many_digits_that_count(void)
{
    const int64_t exponent = scaled(1) > 1 ? -MILLION : -MILLION / 10;
    mpz_t one;
    mpz_init_set_ui(one, 1);
    for (move how = STAY; how < MOVES; how++) {
        char *text = decimal_of_dyadic(false, one, exponent, how);
        bool down = how == LAST_PLACE_DOWN || how == FAR_DOWN || how == CUT_DIGIT || how == CUT_HALF;
        uint64_t high = down ? UINT64_MAX : UINT64_C(1) << 63, low = down ? UINT64_MAX : 0;
        bnd_exact x = read_exactly(text, strlen(text));
        CU_ASSERT(is_dyadic(x, high, low, (int32_t)exponent - 127 - down, how != STAY));
        free(text);
    }
    mpz_clear(one);
}

/* ---- huge exponents ---- */

/* The value set p11 ends at 2^(2^29 + 1), about 10^161614249. */
static void reads_huge_exponents(void)
{
    static const struct {
        const char *text;
        uint32_t flags;
        bnd_kind kind;
    } cases[] = {
        {"1e161614200", BND_FLAG_INEXACT, BND_KIND_FINITE},
        {"1e161614300", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"-1e161699999", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"1e161700001", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"1e323228496", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"1e4611686018427387904", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"1e9223372036854775807", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"1e18446744073709551617", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"0x1p536870912", 0, BND_KIND_FINITE},
        {"0x1p536870913", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"0x1p1073741825", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"0x1p99999999999999999999", BND_FLAG_INEXACT | BND_FLAG_OVERFLOW, BND_KIND_INFINITE},
        {"1e-161614200", BND_FLAG_INEXACT, BND_KIND_FINITE},
        {"1e-161614300", BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW | BND_FLAG_TO_ZERO, BND_KIND_ZERO},
        {"-1e-161700001", BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW | BND_FLAG_TO_ZERO, BND_KIND_ZERO},
        {"1e-323228496", BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW | BND_FLAG_TO_ZERO, BND_KIND_ZERO},
        {"1e-99999999999999999999", BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW | BND_FLAG_TO_ZERO, BND_KIND_ZERO},
        {"0x1p-536870912", 0, BND_KIND_FINITE},
        {"0x1p-1073741825", BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW | BND_FLAG_TO_ZERO, BND_KIND_ZERO},
        {"0x1p-99999999999999999999", BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW | BND_FLAG_TO_ZERO, BND_KIND_ZERO},
    };
    bnd_format set = format_named("p11");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_exact x = read_exactly(cases[i].text, strlen(cases[i].text));
        bnd_rounded r = bnd_round_exact(&set, x, (bnd_rule){0}, 0);
        bool right =
            r.flags == cases[i].flags && r.value.kind == cases[i].kind && r.value.negative == (cases[i].text[0] == '-');
        if (!right) {
            printf("%s: kind %d, flags %u\n", cases[i].text, r.value.kind, (unsigned)r.flags);
        }
        CU_ASSERT(right);
    }
}

/* Beyond the range of formats with codes: 128 bits of 10^n, which MPFR's power gives in another way. */
static void reads_large_exponents(void)
{
    static const long exponents[] = {5000, -5000, 99999, -99999, 3000000, -3000000, 40000000, -40000000, 161614000};
    mpfr_t power;
    mpfr_init2(power, 128);
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
        char text[32];
        snprintf(text, sizeof text, "1e%ld", exponents[i]);
        bnd_exact x = read_exactly(text, strlen(text));
        mpfr_set_ui(power, 10, MPFR_RNDZ);
        int ternary = mpfr_pow_si(power, power, exponents[i], MPFR_RNDZ);
        mpz_t significand, expected;
        mpz_init(significand);
        mpz_init(expected);
        mpfr_exp_t exponent = mpfr_get_z_2exp(expected, power);
        mpz_set_ui(significand, x.high);
        mpz_mul_2exp(significand, significand, 64);
        mpz_add_ui(significand, significand, x.low);
        CU_ASSERT(mpz_cmp(significand, expected) == 0 && exponent == x.exponent && x.sticky == (ternary != 0));
        mpz_clear(expected);
        mpz_clear(significand);
    }
    mpfr_clear(power);
    mpfr_free_cache();
}

CU_TestInfo reading_tests[] = {
    {"random numbers, against exact rationals", reads_random_numbers},
    {"numbers at the edge of 128 bits", reads_numbers_at_the_edge},
    {"random numbers, against strtod and strtof", agrees_with_strtod_on_random_numbers},
    {"midpoints, against strtod and strtof", agrees_with_strtod_on_midpoints},
    {"a million digits", reads_a_million_digits},
    {"many digits that count", reads_many_digits_that_count},
    {"huge exponents", reads_huge_exponents},
    {"large exponents, against powers", reads_large_exponents},
    CU_TEST_INFO_NULL,
};
