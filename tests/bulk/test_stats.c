/* Statistics against a count that is made one number at a time with the codec's flags. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expected.h"
#include "tests.h"

/* One element: x exactly as it came, its answer. */
static void count_one(bnd_stats *s, const bnd_exact *in, double x, double y, bool nan_out, uint32_t flags)
{
    bool nan = in->kind == BND_QUIET_NAN || in->kind == BND_SIGNALING_NAN, infinite = in->kind == BND_INFINITE;
    s->elements++;
    s->nans_in += nan;
    s->infinities_in += infinite;
    s->nans_out += nan_out;
    s->inexact += (flags & BND_INEXACT) > 0;
    s->underflows += (flags & BND_UNDERFLOW) > 0;
    s->flushed += (flags & BND_FLUSHED) > 0;
    s->overflows += (flags & BND_OVERFLOW) > 0;
    s->saturated += (flags & BND_SATURATED) > 0;
    s->exact += !nan && !infinite && (flags & (BND_INEXACT | BND_FLUSHED | BND_INVALID)) == 0;
    if (in->kind == BND_FINITE) {
        int exponent = x == 0 ? -2000 : isinf(x) ? 2000 : ilogb(x);
        s->largest = fmax(s->largest, fabs(x));
        s->smallest = s->smallest == 0 ? fabs(x) : fmin(s->smallest, fabs(x));
        s->exponents[exponent < -40 ? 0 : exponent > 21 ? 63 : exponent + 41]++;
    }
    if (isfinite(x) && isfinite(y)) {
        s->squared_error += (y - x) * (y - x);
        s->squared_input += x * x;
    }
}

static void print_stats(const char *who, const bnd_stats *s)
{
    printf(
        "    %-5s n %llu exact %llu inexact %llu underflow %llu flushed %llu overflow %llu saturated %llu inf %llu nan "
        "%llu to %llu largest %a smallest %a error %a input %a\n",
        who, (unsigned long long)s->elements, (unsigned long long)s->exact, (unsigned long long)s->inexact,
        (unsigned long long)s->underflows, (unsigned long long)s->flushed, (unsigned long long)s->overflows,
        (unsigned long long)s->saturated, (unsigned long long)s->infinities_in, (unsigned long long)s->nans_in,
        (unsigned long long)s->nans_out, s->largest, s->smallest, s->squared_error, s->squared_input);
}

static void compare(bench *b, const char *call, const bnd_format *f, const bnd_array *how, const bnd_stats *got,
                    const bnd_stats *want)
{
    if (bench_note(b, memcmp(got, want, sizeof *got) == 0)) {
        printf("    %s %s %s\n", call, f->name, bnd_rounding_name(how->rule.rounding));
        print_stats("got", got);
        print_stats("want", want);
    }
}

static double number_of(bool wide, uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float x;
    memcpy(&x, &narrow, sizeof x);
    return wide ? double_of_bits(bits) : (double)x;
}

/* The result of a rounding as a double: of the value, not of a code, for value sets have none. */
static void count_number(bnd_stats *s, const bnd_format *f, bool wide, uint64_t bits, const bnd_array *how, size_t i)
{
    double x = number_of(wide, bits), y = number_of(wide, expected_rounded(f, wide, bits, how, i));
    bnd_exact in = bnd_exact_double(x);
    count_one(s, &in, x, y, isnan(y), expected_code(f, wide, bits, how, i).flags);
}

static void check_number_stats(bench *b, const bnd_format *f, bool wide, const bnd_array *how, uint64_t seed)
{
    enum { COUNT = 700 };
    numbers x = numbers_for(f, wide, COUNT, seed);
    unsigned char *memory = memory_of(COUNT * 8), *out = memory_of(COUNT * 8);
    bnd_stats want = {0}, rounded = {0}, encoded = {0}, wanted_code = {0};
    numbers_write(memory, &x);
    for (size_t i = 0; i < COUNT; i++) {
        count_number(&want, f, wide, x.bits[i], how, i);
    }
    bool called = round_any(wide, out, memory, COUNT, f, how, &rounded, NULL) == BND_OK;
    compare(b, "round", f, how, &rounded, &want);
    if (f->width > 0) {
        for (size_t i = 0; i < COUNT; i++) {
            double number = number_of(wide, x.bits[i]);
            bnd_exact in = bnd_exact_double(number);
            bnd_result r = expected_code(f, wide, x.bits[i], how, i);
            double y = bnd_decode(f, r.code);
            count_one(&wanted_code, &in, number, y, isnan(y), r.flags);
        }
        called &= encode_any(wide, out, memory, COUNT, f, how, &encoded, NULL) == BND_OK;
        compare(b, "encode", f, how, &encoded, &wanted_code);
    }
    bench_note(b, called);
    free(memory);
    free(out);
    numbers_free(&x);
}

static void test_numbers(void)
{
    bench b;
    bench_open(&b, "statistics of numbers");
    format_list formats = all_formats();
    for (size_t k = 0; k < formats.count; k++) {
        for (uint64_t i = 0; i < scaled(10); i++) {
            bnd_array how = {.rule = random_rule(bnd_random(41, k, i)), .packing = BND_UNPACKED, .seed = i};
            how.rule = i % 3 == 0 ? (bnd_rule){.rounding = how.rule.rounding} : how.rule;
            check_number_stats(&b, &formats.at[k], i % 2, &how, k * 100 + i);
        }
    }
    free(formats.at);
    bench_close(&b);
}

static void test_codes(void)
{
    enum { COUNT = 300 };
    bench b;
    bench_open(&b, "statistics of codes");
    format_list formats = all_formats();
    unsigned char *memory = memory_of(COUNT * 8), *out = memory_of(COUNT * 8);
    for (uint64_t k = 0; k < scaled(2000); k++) {
        uint64_t random = bnd_random(42, 1, k);
        const bnd_format *to = &formats.at[random % formats.with_codes];
        const bnd_format *from = &formats.at[k % formats.with_codes];
        bnd_array how = {.rule = random_rule(bnd_random(42, 2, k)), .packing = BND_UNPACKED, .seed = k};
        bnd_stats got = {0}, want = {0};
        memset(memory, 0, COUNT * 8);
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t code = bnd_random(43, k, i) & UINT64_MAX >> (64 - from->width);
            bnd_result r = bnd_convert(to, from, code, how.rule, random_of(&how, i));
            bnd_exact in = bnd_unpack(from, code), result = bnd_unpack(to, r.code);
            bool nan_out = result.kind == BND_QUIET_NAN || result.kind == BND_SIGNALING_NAN;
            count_one(&want, &in, bnd_decode(from, code), bnd_decode(to, r.code), nan_out, r.flags);
            put_code(memory, from, how.packing, i, code);
        }
        bench_note(&b, bnd_convert_codes(out, to, memory, from, COUNT, &how, &got, NULL) == BND_OK);
        compare(&b, from->name, to, &how, &got, &want);
    }
    free(memory);
    free(out);
    free(formats.at);
    bench_close(&b);
}

/* Counted by hand, and added up over two calls. */
static void test_by_hand(void)
{
    const float x[] = {1.0f, 1.03125f, 500.0f, -INFINITY, NAN, 0.0f, 0x1p-12f, -0x1.8p-10f};
    unsigned char codes[8];
    bnd_format f = format_named("e4m3");
    bnd_array how = {.rule.overflow = BND_OVERFLOW_SATURATE};
    bnd_stats s = {0};
    for (int call = 0; call < 2; call++) {
        CU_ASSERT_EQUAL(bnd_encode_f32(codes, x, 8, &f, &how, &s, NULL), BND_OK);
    }
    CU_ASSERT_EQUAL(s.elements, 16);
    CU_ASSERT_EQUAL(s.exact, 2 * 2);      /* 1, 0 */
    CU_ASSERT_EQUAL(s.inexact, 2 * 4);    /* 1.03125 to 1, 500 to 448, 2^-12 to 0, -1.5 2^-10 to -2^-9 */
    CU_ASSERT_EQUAL(s.underflows, 2 * 2); /* the last two */
    CU_ASSERT_EQUAL(s.flushed, 2);
    CU_ASSERT_EQUAL(s.overflows, 2);
    CU_ASSERT_EQUAL(s.saturated, 2 * 2); /* 500 and the infinity */
    CU_ASSERT_EQUAL(s.infinities_in, 2);
    CU_ASSERT_EQUAL(s.nans_in, 2);
    CU_ASSERT_EQUAL(s.nans_out, 2);
    CU_ASSERT_EQUAL(s.largest, 500.0);
    CU_ASSERT_EQUAL(s.smallest, 0x1p-12);
    double error = 2 * (0x1p-10 + 52.0 * 52.0 + 0x1p-24 + 0x1p-22);
    CU_ASSERT(fabs(s.squared_error - error) <= 1e-12 * error);
    CU_ASSERT_EQUAL(s.exponents[41], 2 * 2);  /* 2^0 */
    CU_ASSERT_EQUAL(s.exponents[41 + 8], 2);  /* 2^8 */
    CU_ASSERT_EQUAL(s.exponents[41 - 10], 2); /* 2^-10 */
    CU_ASSERT_EQUAL(s.exponents[41 - 12], 2); /* 2^-12 */
}

CU_TestInfo stats_tests[] = {
    {"numbers", test_numbers},
    {"codes", test_codes},
    {"by hand", test_by_hand},
    CU_TEST_INFO_NULL,
};
