/* The shortest decimal is one that reads back, no shorter one does, and no other of its length is nearer. */
#include "base/bits.h"
#include "tests.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A positive decimal: digits, neither the first nor the last of them 0, times 10^exponent of the last. */
typedef struct decimal {
    uint64_t digits;
    int count, exponent;
} decimal;

static decimal without_zeros(decimal d)
{
    while (d.digits != 0 && d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    d.count = 0;
    for (uint64_t rest = d.digits; rest != 0; rest /= 10) {
        d.count++;
    }
    return d;
}

/* What a text of any notation says. */
static decimal decimal_of(const char *text)
{
    decimal d = {0};
    bool point = false;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '.') {
            point = true;
        } else if (*text != '-') {
            d.digits = d.digits * 10 + (uint64_t)(*text - '0');
            d.exponent -= point;
        }
    }
    d.exponent += *text == 'e' ? (int)strtol(text + 1, NULL, 10) : 0;
    return without_zeros(d);
}

/* How another reader of decimals sees one: as the same value? */
typedef bool (*reader)(const void *context, const char *text);

static bool reads_back(reader read, const void *context, uint64_t digits, int exponent)
{
    char text[48];
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
    return read(context, text);
}

/* x (positive, exact as a double) correctly rounded to `count` digits by printf, not made shorter. */
static decimal rounded(double x, int count)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, x);
    decimal d = {0};
    for (const char *at = text; *at != 'e'; at++) {
        d.digits = *at == '.' ? d.digits : d.digits * 10 + (uint64_t)(*at - '0');
    }
    d.exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10) - (count - 1);
    return d;
}

/* 0 where all is well, else which of the three promises is broken. */
static int broken_promise(const char *text, double x, reader read, const void *context)
{
    decimal own = decimal_of(text);
    if (!reads_back(read, context, own.digits, own.exponent)) {
        return 1;
    }
    if (own.count > 1) {
        decimal shorter = rounded(x, own.count - 1);
        for (uint64_t digits = shorter.digits - 1; digits <= shorter.digits + 1; digits++) {
            if (digits > 0 && reads_back(read, context, digits, shorter.exponent)) {
                return 2;
            }
        }
    }
    decimal nearest = rounded(x, own.count);
    if (reads_back(read, context, nearest.digits, nearest.exponent)) {
        nearest = without_zeros(nearest);
        return nearest.digits == own.digits && nearest.exponent == own.exponent ? 0 : 3;
    }
    return 0;
}

static const char *const promises[] = {"", "does not read back", "is not the shortest", "is not the nearest"};

static void check(const bnd_format *f, double x, reader read, const void *context, uint64_t *mismatches)
{
    char text[64];
    bnd_print_shortest(text, sizeof text, f, bnd_exact_double(x));
    int broken = broken_promise(text, x, read, context);
    if (broken != 0 && worth_printing(mismatches)) {
        printf("%s %a: %s %s\n", f->name, x, text, promises[broken]);
    }
}

/* ---- fp64 and fp32, with the C library as reader ---- */

static bool read_double(const void *context, const char *text)
{
    return strtod(text, NULL) == *(const double *)context;
}

static bool read_float(const void *context, const char *text)
{
    return strtof(text, NULL) == *(const float *)context;
}

static void is_shortest_in_fp64(void)
{
    bnd_format fp64 = format_named("fp64");
    uint64_t mismatches = 0, cases = scaled(100000);
    for (uint64_t i = 0; i < cases; i++) {
        uint64_t random = bnd_random(40, 0, i), fraction = bnd_random(40, 1, i);
        /* powers of two and their neighbours; few digits; anything */
        uint64_t bits = random >> 1;
        if (i % 4 == 0) {
            bits = (random % 2047 << 52) + fraction % 3 - 1;
        } else if (i % 4 == 1) {
            bits = bndi_bits_of_double((double)(random % 100000) * pow(10, (double)(fraction % 40) - 20));
        }
        double x = bndi_double_of_bits(bits);
        if (isfinite(x) && x > 0) {
            check(&fp64, x, read_double, &x, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

static void is_shortest_in_fp32(void)
{
    bnd_format fp32 = format_named("fp32");
    uint64_t mismatches = 0, cases = scaled(100000);
    for (uint64_t i = 0; i < cases; i++) {
        uint64_t random = bnd_random(41, 0, i), fraction = bnd_random(41, 1, i);
        uint32_t bits = (uint32_t)(random >> 33);
        if (i % 4 == 0) {
            bits = (uint32_t)(random % 255 << 23) + (uint32_t)(fraction % 3) - 1;
        }
        float x = bndi_float_of_bits(bits);
        if (isfinite(x) && x > 0) {
            check(&fp32, x, read_float, &x, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* ---- the others, with the oracle as reader ---- */

typedef struct oracle_context {
    const bnd_format *f;
    uint64_t code;
} oracle_context;

/* Under every overflow policy: what overflows does not read back. */
static bool read_by_oracle(const void *context, const char *text)
{
    const oracle_context *c = context;
    for (uint8_t policy = 0; policy < BND_OVERFLOW_COUNT; policy++) {
        bnd_result r;
        if (bnd_oracle_encode_text(&r, c->f, text, (bnd_rule){.overflow = policy}, 0, NULL) != BND_OK ||
            r.code != c->code || (r.flags & BND_FLAG_OVERFLOW) != 0) {
            return false;
        }
    }
    return true;
}

static void check_codes(const bnd_format *f, uint64_t stride, uint64_t *mismatches)
{
    for (uint64_t code = 0; code <= f->max_code; code += stride) {
        bnd_exact value = bnd_unpack(f, code);
        if (value.kind == BND_KIND_FINITE) {
            oracle_context context = {f, code};
            check(f, bnd_decode(f, code), read_by_oracle, &context, mismatches);
        }
    }
}

static void is_shortest_in_narrow_formats(void)
{
    uint64_t mismatches = 0, stride = scaled_stride();
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        if (f.width <= 16) {
            check_codes(&f, f.width <= 8 ? stride : 29 * stride, &mismatches);
        }
    }
    for (size_t i = 0; i < bnd_group_size("p3109-all"); i++) {
        bnd_format f;
        (void)bnd_group_at(&f, "p3109-all", i);
        if (f.width <= 6 || f.width == 8) {
            check_codes(&f, stride, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* The largest number of every format, which saturates some decimals beyond it. */
static void reads_back_at_the_end(void)
{
    uint64_t mismatches = 0;
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        oracle_context context = {&f, f.max_code};
        if (f.width <= 16) {
            check(&f, bnd_decode(&f, f.max_code), read_by_oracle, &context, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
    static const char *const known[][2] = {{"e2m3", "7.5"}, {"e3m2", "28"}, {"e2m1", "6"}, {"e4m3", "450"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[64];
        bnd_format f = format_named(known[i][0]);
        bnd_print_shortest(text, sizeof text, &f, bnd_unpack(&f, f.max_code));
        CU_ASSERT_STRING_EQUAL(text, known[i][1]);
    }
}

/* ---- value sets ---- */

static void writes_value_sets(void)
{
    static const struct {
        const char *set, *number, *text;
    } known[] = {
        {"p11emin-14emax15", "0.1", "0.1"},
        {"p11emin-14emax15", "65504", "65500"},
        {"p11emin-14emax15", "1e-8", "0"},
        {"p53", "0.1", "0.1"},
        {"p53", "1e400", "1e+400"},
        {"p64", "0.1", "0.1"},
        {"p64", "18446744073709551615", "1.8446744073709551615e+19"},
        {"p64", "3.14159265358979323846264", "3.1415926535897932385"},
        {"p1", "3", "4"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bnd_format set = format_named(known[i].set);
        bnd_exact x = {0};
        CU_ASSERT_EQUAL(bnd_parse_exact(&x, known[i].number, NULL), BND_OK);
        bnd_print_shortest(text, sizeof text, &set, bnd_round_exact(&set, x, (bnd_rule){0}, 0).value);
        CU_ASSERT_STRING_EQUAL(text, known[i].text);
    }
}

CU_TestInfo shortest_tests[] = {
    {"fp64, against strtod", is_shortest_in_fp64},
    {"fp32, against strtof", is_shortest_in_fp32},
    {"rows and P3109 of at most 16 bits, against the oracle", is_shortest_in_narrow_formats},
    {"the largest numbers, under every overflow policy", reads_back_at_the_end},
    {"value sets", writes_value_sets},
    CU_TEST_INFO_NULL,
};
