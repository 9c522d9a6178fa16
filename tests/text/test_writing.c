/* Every way to write a value: what is written reads back as the same, and is what the C library writes where it can. */
#include "base/bits.h"
#include "tests.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- there and back ---- */

static void complain(const bnd_format *f, uint64_t code, const char *how, const char *text, uint64_t *mismatches)
{
    if (worth_printing(mismatches)) {
        printf("%s 0x%llx, %s: %.200s\n", f->name, (unsigned long long)code, how, text);
    }
}

/* Exact forms read back as the value itself. */
static void check_exact(const bnd_format *f, uint64_t code, const char *how, const char *text, uint64_t *mismatches)
{
    bnd_exact value = bnd_unpack(f, code), read;
    if (bnd_parse_exact(&read, text, NULL) != BND_OK || !same_exact(read, value) || read.sticky) {
        complain(f, code, how, text, mismatches);
    }
}

/* All forms read back as the code; a NaN with everything it carries, but a signaling one quieted. */
static void check_code(const bnd_format *f, uint64_t code, const char *how, const char *text, uint64_t *mismatches)
{
    bnd_rule rule = {.nan = BND_NAN_PROPAGATE};
    bnd_result read = {0}, own = bnd_encode_exact(f, bnd_unpack(f, code), rule, 0);
    bool signaling = bnd_unpack(f, code).kind == BND_KIND_SIGNALING_NAN;
    bool same = bnd_parse(&read, f, text, rule, 0, NULL) == BND_OK && read.code == own.code &&
                (read.code == code || signaling || (f->has_nan && bnd_unpack(f, code).kind == BND_KIND_QUIET_NAN));
    if (!same) {
        complain(f, code, how, text, mismatches);
    }
}

/* "0 01111 0000000000" without its blanks is the code. */
static void check_bits(const bnd_format *f, uint64_t code, uint64_t *mismatches)
{
    char text[80], digits[80];
    size_t length = bnd_print_bits(text, sizeof text, f, code), count = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != ' ') {
            digits[count++] = text[i];
        }
    }
    digits[count] = '\0';
    char fields[80], field[80];
    size_t joined = 0;
    for (bnd_field which = BND_FIELD_SIGN; which < BND_FIELD_COUNT; which++) {
        size_t bits = bnd_print_field(field, sizeof field, f, code, which);
        joined +=
            (size_t)snprintf(fields + joined, sizeof fields - joined, "%s%s", bits > 0 && joined > 0 ? " " : "", field);
    }
    if (count != f->width || strtoull(digits, NULL, 2) != code || strcmp(fields, text) != 0) {
        complain(f, code, "bits", text, mismatches);
    }
    length = bnd_print_code(text, sizeof text, f, code);
    if (length != 2 + (f->width + 3u) / 4 || strtoull(text, NULL, 16) != code) {
        complain(f, code, "code", text, mismatches);
    }
}

static void check_all_forms(const bnd_format *f, uint64_t code, uint64_t *mismatches)
{
    char text[1500];
    bnd_exact value = bnd_unpack(f, code);
    bnd_print_exact(text, sizeof text, value, (bnd_notation)(code % 3));
    check_exact(f, code, "exact", text, mismatches);
    check_code(f, code, "exact", text, mismatches);
    bnd_print_hex(text, sizeof text, value);
    check_exact(f, code, "hex", text, mismatches);
    bnd_print_shortest(text, sizeof text, f, value);
    check_code(f, code, "shortest", text, mismatches);
    check_bits(f, code, mismatches);
}

static void check_all_codes(const bnd_format *f, uint64_t *mismatches)
{
    uint64_t codes = UINT64_C(1) << f->width, stride = scaled_stride();
    for (uint64_t code = 0; code < codes; code += stride) {
        check_all_forms(f, code, mismatches);
    }
}

static void writes_every_code_of_rows(void)
{
    uint64_t mismatches = 0;
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        if (f.width <= 16) {
            check_all_codes(&f, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

static void writes_every_code_of_p3109(void)
{
    uint64_t mismatches = 0;
    for (size_t i = 0; i < bnd_group_size("p3109-all"); i++) {
        bnd_format f;
        (void)bnd_group_at(&f, "p3109-all", i);
        if (f.width <= 8) {
            check_all_codes(&f, &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

static void writes_codes_of_wide_formats(void)
{
    static const char *const names[] = {"tf32", "fp32", "fp64", "e8m23nosub", "e10m52", "e11m40fn"};
    uint64_t mismatches = 0, cases = scaled(2000);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        bnd_format f = format_named(names[k]);
        for (uint64_t i = 0; i < cases; i++) {
            check_all_forms(&f, bnd_random(30, k, i) >> (64 - f.width), &mismatches);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* ---- by name ---- */

typedef struct written {
    const char *format, *number, *exact, *shortest, *hex;
} written;

static const written cases[] = {
    {"fp32", "0.1", "0.100000001490116119384765625", "0.1", "0x1.99999ap-4"},
    {"fp16", "0.1", "0.0999755859375", "0.1", "0x1.998p-4"},
    {"e4m3", "0.1", "0.1015625", "0.1", "0x1.ap-4"},
    {"fp32", "1e-8", "9.99999993922529029077850282192230224609375e-09", "1e-08", "0x1.5798eep-27"},
    {"fp16", "1e-8", "0", "0", "0x0p+0"},
    {"fp16", "-1e-8", "-0", "-0", "-0x0p+0"},
    {"fp16", "65504", "65504", "65500", "0x1.ffcp+15"},
    {"fp16", "6e-8", "5.9604644775390625e-08", "6e-08", "0x1p-24"},
    {"e4m3", "448", "448", "450", "0x1.cp+8"},
    {"e2m1", "6", "6", "6", "0x1.8p+2"},
    {"e2m1", "0.5", "0.5", "0.5", "0x1p-1"},
    {"e8m0", "2e38", "170141183460469231731687303715884105728", "2e+38", "0x1p+127"},
    {"e8m0", "1", "1", "1", "0x1p+0"},
    {"fp32", "3.4028235e38", "340282346638528859811704183484516925440", "3.4028235e+38", "0x1.fffffep+127"},
    {"fp32", "1e-45",
     "1.40129846432481707092372958328991613128026194187651577175706828388979108268586060148663"
     "818836212158203125e-45",
     "1e-45", "0x1p-149"},
    {"fp64", "1e21", "1000000000000000000000", "1e+21", "0x1.b1ae4d6e2ef5p+69"},
    {"fp64", "1e16", "10000000000000000", "1e+16", "0x1.1c37937e08p+53"},
    {"fp64", "1e15", "1000000000000000", "1000000000000000", "0x1.c6bf52634p+49"},
    {"fp64", "9007199254740993", "9007199254740992", "9007199254740992", "0x1p+53"},
    {"fp64", "0.0001", "1.00000000000000004792173602385929598312941379845142364501953125e-04", "0.0001",
     "0x1.a36e2eb1c432dp-14"},
    {"fp64", "0.00001", "1.0000000000000000818030539140313095458623138256371021270751953125e-05", "1e-05",
     "0x1.4f8b588e368f1p-17"},
    {"fp64", "0.0001220703125", "0.0001220703125", "0.0001220703125", "0x1p-13"},
    {"fp64", "0.000030517578125", "3.0517578125e-05", "3.0517578125e-05", "0x1p-15"},
    {"fp64", "1.7976931348623157e308", NULL, "1.7976931348623157e+308", "0x1.fffffffffffffp+1023"},
    {"fp64", "5e-324", NULL, "5e-324", "0x1p-1074"},
    {"fp64", "2.2250738585072014e-308", NULL, "2.2250738585072014e-308", "0x1p-1022"},
    /* 40 digits and 41 */
    {"fp64", "0x1p132", "5444517870735015415413993718908291383296", "5.444517870735016e+39", "0x1p+132"},
    {"fp64", "0x1p133", "1.0889035741470030830827987437816582766592e+40", "1.0889035741470031e+40", "0x1p+133"},
    {"fp64", "123456789.125", "123456789.125", "123456789.125", "0x1.d6f34548p+26"},
    {"fp64", "-inf", "-inf", "-inf", "-inf"},
    {"fp64", "nan", "nan", "nan", "nan"},
};

static void writes_named_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const written *c = &cases[i];
        bnd_format f = format_named(c->format);
        bnd_result r = {0};
        CU_ASSERT_EQUAL_FATAL(bnd_parse(&r, &f, c->number, (bnd_rule){0}, 0, NULL), BND_OK);
        bnd_exact value = bnd_unpack(&f, r.code);
        char exact[1200], shortest[64], hex[64];
        bnd_print_exact(exact, sizeof exact, value, BND_NOTATION_AUTO);
        bnd_print_shortest(shortest, sizeof shortest, &f, value);
        bnd_print_hex(hex, sizeof hex, value);
        bool right = (c->exact == NULL || strcmp(exact, c->exact) == 0) && strcmp(shortest, c->shortest) == 0 &&
                     strcmp(hex, c->hex) == 0;
        if (!right) {
            printf("%s in %s: %s, %s, %s\n", c->number, c->format, exact, shortest, hex);
        }
        CU_ASSERT(right);
    }
}

static void writes_bits_and_codes(void)
{
    static const struct {
        const char *format;
        uint64_t code;
        const char *bits, *hex;
    } forms[] = {
        {"fp16", 0x3c00, "0 01111 0000000000", "0x3c00"},
        {"e4m3", 0xfe, "1 1111 110", "0xfe"},
        {"e8m0", 0x7f, "01111111", "0x7f"},
        {"e2m1", 0x5, "0 10 1", "0x5"},
        {"e2m3", 0x2f, "1 01 111", "0x2f"},
        {"tf32", 0x1fc00, "0 01111111 0000000000", "0x1fc00"},
        {"fp16", 0xdead3c00, "0 01111 0000000000", "0x3c00"},
    };
    char text[80];
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        bnd_format f = format_named(forms[i].format);
        bnd_print_bits(text, sizeof text, &f, forms[i].code);
        CU_ASSERT_STRING_EQUAL(text, forms[i].bits);
        bnd_print_code(text, sizeof text, &f, forms[i].code);
        CU_ASSERT_STRING_EQUAL(text, forms[i].hex);
    }
    bnd_format set = format_named("p11");
    CU_ASSERT_EQUAL(bnd_print_bits(text, sizeof text, &set, 1), 0);
    CU_ASSERT_EQUAL(bnd_print_code(text, sizeof text, &set, 1), 0);
    CU_ASSERT_EQUAL(bnd_print_field(text, sizeof text, &set, 1, BND_FIELD_FRACTION), 0);
    CU_ASSERT_EQUAL(bnd_print_field(text, sizeof text, bnd_format_at(BND_FORMAT_FP16), 1, BND_FIELD_COUNT), 0);
    CU_ASSERT_EQUAL(bnd_print_field(text, sizeof text, bnd_format_at(BND_FORMAT_FP16), 1, (bnd_field)-1), 0);
    CU_ASSERT_STRING_EQUAL(text, "");
}

/* ---- against printf ---- */

/* Without zeros at the end of the digits: "1.500e+00" becomes "1.5e+00", "2.000" becomes "2". */
static void strip_zeros(char *text)
{
    char *end = strchr(text, 'e');
    end = end == NULL ? text + strlen(text) : end;
    char *last = end;
    if (strchr(text, '.') != NULL) {
        while (last[-1] == '0') {
            last--;
        }
        last -= last[-1] == '.';
    }
    memmove(last, end, strlen(end) + 1);
}

static void agrees_with_printf(void)
{
    uint64_t mismatches = 0, count = scaled(8000);
    bnd_format fp64 = format_named("fp64");
    static char own[2000], theirs[2000];
    for (uint64_t i = 0; i < count; i++) {
        double x = i % 2 == 0 ? bndi_double_of_bits(bnd_random(31, 0, i)) : stratified_double(&fp64, 31, i);
        int digits = 1 + (int)(bnd_random(31, 1, i) % 40);
        if (!isfinite(x) || x == 0) {
            continue;
        }
        bnd_exact value = bnd_exact_double(x);
        bnd_print_digits(own, sizeof own, value, digits);
        snprintf(theirs, sizeof theirs, "%.*g", digits, x);
        bool same = strcmp(own, theirs) == 0;
        bnd_print_exact(own, sizeof own, value, BND_NOTATION_PLAIN);
        snprintf(theirs, sizeof theirs, "%.1074f", x);
        strip_zeros(theirs);
        same = same && strcmp(own, theirs) == 0;
        bnd_print_exact(own, sizeof own, value, BND_NOTATION_EXPONENT);
        snprintf(theirs, sizeof theirs, "%.800e", x);
        strip_zeros(theirs);
        same = same && strcmp(own, theirs) == 0;
        bnd_print_hex(own, sizeof own, value);
        snprintf(theirs, sizeof theirs, "%a", x);
        same = same && (fabs(x) < DBL_MIN || strcmp(own, theirs) == 0);
        if (!same && worth_printing(&mismatches)) {
            printf("%a, %d digits: printf writes otherwise\n", x, digits);
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

static void rounds_digits_half_to_even(void)
{
    static const struct {
        double x;
        int digits;
        const char *text;
    } halves[] = {
        {2.5, 1, "2"},         {3.5, 1, "4"},         {0.125, 2, "0.12"},  {0.375, 2, "0.38"},     {9.5, 1, "1e+01"},
        {99.5, 2, "1e+02"},    {-2.5, 1, "-2"},       {65504, 5, "65504"}, {65504, 3, "6.55e+04"}, {448, 3, "448"},
        {0.0001, 3, "0.0001"}, {0.00001, 3, "1e-05"}, {1, 0, "1"},         {1, -5, "1"},           {0.5, 200000, "0.5"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
        bnd_print_digits(text, sizeof text, bnd_exact_double(halves[i].x), halves[i].digits);
        CU_ASSERT_STRING_EQUAL(text, halves[i].text);
    }
}

/* ---- buffers ---- */

typedef size_t (*writer)(char *out, size_t size, const bnd_format *f, uint64_t code);

static size_t write_exact(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    return bnd_print_exact(out, size, bnd_unpack(f, code), BND_NOTATION_AUTO);
}

static size_t write_plain(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    return bnd_print_exact(out, size, bnd_unpack(f, code), BND_NOTATION_PLAIN);
}

static size_t write_shortest(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    return bnd_print_shortest(out, size, f, bnd_unpack(f, code));
}

static size_t write_hex(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    return bnd_print_hex(out, size, bnd_unpack(f, code));
}

static size_t write_digits(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    return bnd_print_digits(out, size, bnd_unpack(f, code), 12);
}

static size_t write_error(char *out, size_t size, const bnd_format *f, uint64_t code)
{
    size_t length = 0;
    return print_error_of_text(&length, out, size, bnd_unpack(f, code), "0.1", 3, BND_NOTATION_AUTO, NULL) == BND_OK
               ? length
               : 0;
}

/* A block on the heap of just `size` bytes, so that a sanitizer sees a byte too many, and a canary that anyone sees. */
static bool holds_prefix(writer write, const bnd_format *f, uint64_t code, size_t size, const char *whole)
{
    char *out = malloc(size + 1);
    out[size] = '\x5a';
    size_t length = write(size == 0 ? NULL : out, size, f, code), kept = size == 0 ? 0 : size - 1;
    kept = kept < length ? kept : length;
    bool right = length == strlen(whole) && out[size] == '\x5a' &&
                 (size == 0 || (memcmp(out, whole, kept) == 0 && out[kept] == '\0'));
    free(out);
    char *tight = malloc(size > 0 ? size : 1);
    right = right && write(tight, size, f, code) == length;
    free(tight);
    return right;
}

static void keeps_within_the_buffer(void)
{
    static const writer writers[] = {write_exact,  write_plain, write_shortest, write_hex,
                                     write_digits, write_error, bnd_print_bits, bnd_print_code};
    static const uint64_t codes[] = {0x3dcccccd, 0xbdcccccd, 0x00000001, 0xff7fffff,
                                     0x322bcc77, 0x47800000, 0x80000000};
    bnd_format f = format_named("fp32");
    uint64_t mismatches = 0;
    for (size_t w = 0; w < sizeof writers / sizeof writers[0]; w++) {
        for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++) {
            char whole[400];
            size_t length = writers[w](whole, sizeof whole, &f, codes[c]);
            for (size_t size = 0; size <= length + 2; size++) {
                mismatches += !holds_prefix(writers[w], &f, codes[c], size, whole);
            }
        }
    }
    CU_ASSERT_EQUAL(mismatches, 0);
}

/* ---- the far ends ---- */

/* Values that have too many digits to write: hexadecimal, exact still. The shortest decimal is short anywhere. */
static void writes_values_far_out(void)
{
    static const char *const numbers[] = {"1e100000000", "-1e-100000000", "1e161614000", "3e-161614000",
                                          "7e43000",     "7e-42000",      "1e99000",     "1e-42700"};
    bnd_format set = format_named("p8");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        bnd_exact x = {0}, back = {0};
        CU_ASSERT_EQUAL(bnd_parse_exact_n(&x, numbers[i], strlen(numbers[i]), NULL), BND_OK);
        bnd_exact value = bnd_round_exact(&set, x, (bnd_rule){0}, 0).value;
        char *text = malloc(200000);
        size_t length = bnd_print_exact(text, 200000, value, BND_NOTATION_AUTO);
        CU_ASSERT_FATAL(length < 200000);
        CU_ASSERT_EQUAL(bnd_parse_exact_n(&back, text, length, NULL), BND_OK);
        CU_ASSERT(same_exact(back, value) && !back.sticky);
        CU_ASSERT_EQUAL(strncmp(text + value.negative, "0x1", 3) == 0, i < 4);
        length = bnd_print_shortest(text, 200000, &set, value);
        CU_ASSERT_EQUAL(bnd_parse_exact_n(&back, text, length, NULL), BND_OK);
        CU_ASSERT(same_exact(bnd_round_exact(&set, back, (bnd_rule){0}, 0).value, value));
        CU_ASSERT(length <= 4 + 11);
        free(text);
    }
}

CU_TestInfo writing_tests[] = {
    {"every code of every row of at most 16 bits, there and back", writes_every_code_of_rows},
    {"every code of P3109, K up to 8, there and back", writes_every_code_of_p3109},
    {"codes of wide formats, there and back", writes_codes_of_wide_formats},
    {"cases by name", writes_named_cases},
    {"bits and codes", writes_bits_and_codes},
    {"against printf", agrees_with_printf},
    {"halves to even", rounds_digits_half_to_even},
    {"buffers of every size", keeps_within_the_buffer},
    {"values far out", writes_values_far_out},
    CU_TEST_INFO_NULL,
};
