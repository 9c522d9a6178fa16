/* Numbers that are no doubles: float, integers, codes of another format; and doubles made of formats that are wider. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/comparison.h"
#include "tests.h"

static const char *const targets[] = {"e4m3",      "e5m2", "e8m0", "e2m1", "binary8p3ue",    "fp16",   "bf16",
                                      "dlfloat16", "tf32", "fp32", "fp64", "e6m9",           "e15m48", "e4m3b-9",
                                      "p11",       "p1",   "e3m0", "e1m3", "p64emin-3emax80"};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static void test_floats(void)
{
    comparison b;
    comparison_open(&b, "float");
    for (size_t t = 0; t < TARGETS; t++) {
        bnd_format f = format_named(targets[t]);
        uint64_t count = scaled(8000);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t random = bnd_random(51, t, i);
            float x = i % 2 ? bndi_float_of_bits((uint32_t)random) : (float)stratified_double(&f, 51 + t, i / 2);
            judge_float(&b, &f, x, random_rule(bnd_random(52, t, i)), bnd_random(53, t, i));
            judge_float(&b, &f, x, (bnd_rule){.flush_in = random >> 32 & 1}, 0);
        }
        for (uint32_t bits = 0; bits < 4; bits++) { /* subnormals, at their ends, of either sign */
            uint32_t magnitude = bits & 1 ? UINT32_C(0x7fffff) : 1;
            float x = bndi_float_of_bits(magnitude | (bits & 2 ? UINT32_C(0x80000000) : 0));
            judge_float(&b, &f, x, (bnd_rule){.flush_in = true}, 0);
            judge_float(&b, &f, x, (bnd_rule){.flush_in = true, .zero = BND_ZERO_NAN}, 0);
        }
    }
    comparison_close(&b);
}

/* Of any length, with a run of zeros or ones in the middle, so that ties and near ties are common. */
static uint64_t random_integer(uint64_t random, uint64_t more)
{
    uint64_t x = more >> (random & 63);
    unsigned run = random >> 8 & 63;
    uint64_t mask = (UINT64_C(1) << run) - 1;
    switch (random >> 16 & 3) {
    case 0:
        return x;
    case 1:
        return (x & ~mask) | (random >> 18 & 1);
    case 2:
        return (x | mask) + (random >> 18 & 1);
    default:
        return (x & ~mask) | (run > 0 ? UINT64_C(1) << (run - 1) : 0);
    }
}

static void test_integers(void)
{
    static const uint64_t ends[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    comparison b;
    comparison_open(&b, "integers");
    for (size_t t = 0; t < TARGETS; t++) {
        bnd_format f = format_named(targets[t]);
        uint64_t count = scaled(4000) + ENDS;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t x = i < ENDS ? ends[i] : random_integer(bnd_random(61, t, i), bnd_random(62, t, i));
            bnd_rule plain = {.rounding = (uint8_t)(i % BND_ROUND_DETERMINISTIC_COUNT), .flush_in = true};
            bnd_rule any = random_rule(bnd_random(63, t, i));
            int64_t as_signed;
            memcpy(&as_signed, &x, sizeof as_signed);
            judge_uint64(&b, &f, x, plain, 0);
            judge_uint64(&b, &f, x, any, bnd_random(64, t, i));
            judge_int64(&b, &f, as_signed, plain, 0);
            judge_int64(&b, &f, as_signed, any, bnd_random(64, t, i));
        }
    }
    comparison_close(&b);
}

static void judge_pair(comparison *b, const bnd_format *to, const bnd_format *from, uint64_t code, uint64_t seed)
{
    for (uint8_t mode = 0; mode < BND_ROUND_DETERMINISTIC_COUNT; mode++) {
        judge_convert(b, to, from, code, (bnd_rule){.rounding = mode}, 0);
    }
    for (uint64_t k = 0; k < 4; k++) {
        uint64_t random = bnd_random(seed, k, code);
        judge_convert(b, to, from, code, random_rule(random), bnd_random(seed + 1, k, code));
    }
}

static void test_pairs_up_to_8_bits(void)
{
    comparison b;
    comparison_open(&b, "pairs of rows up to 8 bits");
    size_t count = small_formats(NULL, 8, 0);
    bnd_format *formats = calloc(count, sizeof *formats);
    CU_ASSERT_FATAL(formats != NULL);
    small_formats(formats, 8, 0);
    for (size_t i = 0; i < count * count; i++) {
        const bnd_format *to = &formats[i / count], *from = &formats[i % count];
        for (uint64_t code = 0; code < UINT64_C(1) << from->width; code += scaled_stride()) {
            judge_pair(&b, to, from, code, 81 + i);
        }
    }
    free(formats);
    comparison_close(&b);
}

static void test_pairs_of_any(void)
{
    static const char *const others[] = {"e6m9",        "e15m48",      "e3m0",         "e1m3",    "e5m2nosub",
                                         "binary8p1se", "binary8p3ue", "binary12p4ue", "e4m3b-9", "e11m52b2000"};
    enum { OTHERS = sizeof others / sizeof others[0] };
    comparison b;
    comparison_open(&b, "pairs of any formats");
    size_t count = bnd_format_count() + OTHERS;
    bnd_format *formats = calloc(count, sizeof *formats);
    CU_ASSERT_FATAL(formats != NULL);
    for (size_t i = 0; i < count; i++) {
        formats[i] = i < OTHERS ? format_named(others[i]) : *bnd_format_at(i - OTHERS);
    }
    for (size_t i = 0; i < count * count; i++) {
        const bnd_format *to = &formats[i / count], *from = &formats[i % count];
        uint64_t samples = scaled(150);
        for (uint64_t k = 0; k < samples; k++) {
            uint64_t code = bnd_random(91, i, k);
            if (k % 3 == 0) { /* near the bottom, near the top: the codes of small magnitude, and of large */
                code = k % 2 ? code & 7 : from->max_code - (code & 7) + 4;
            }
            judge_pair(&b, to, from, code & (UINT64_MAX >> (64 - from->width)), 1000 + i);
        }
    }
    free(formats);
    comparison_close(&b);
}

/* A double made of a wider format is what converting to fp64 gives, flags and all. */
static void test_decode_flags(void)
{
    static const char *const names[] = {"e15m48",      "e12m51",      "e14m49fn",    "e15m8b-32767",
                                        "e15m8b32767", "e11m52b2000", "e11m40b-500", "e13m2nosub",
                                        "fp64",        "fp32",        "e15m0none"};
    comparison b;
    comparison_open(&b, "decode with flags");
    bnd_format fp64 = format_named("fp64");
    for (size_t t = 0; t < sizeof names / sizeof names[0]; t++) {
        bnd_format f = format_named(names[t]);
        uint64_t count = scaled(20000);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t code = bnd_random(95, t, i);
            if (i % 4 == 0) { /* from what a double can be, so that its limits are met */
                code =
                    bnd_oracle_encode(&f, stratified_double(&fp64, 96 + t, i / 4 * 7), (bnd_rule){0}, 0).code + i % 3;
            }
            bnd_result want = bnd_oracle_convert(&fp64, &f, code, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0);
            uint32_t flags = BND_FLAG_ALL;
            double got = bnd_decode_flags(&f, code, &flags), plain = bnd_decode(&f, code);
            double value = bndi_double_of_bits(want.code);
            bool same = isnan(value) ? isnan(got) && isnan(plain) && signbit(got) == signbit(value)
                                     : bndi_bits_of_double(got) == want.code && bndi_bits_of_double(plain) == want.code;
            if (comparison_note(&b, same && flags == want.flags)) {
                printf("%s: %s code 0x%llx: codec %a flags %u, oracle %a flags %u\n", b.what, f.name,
                       (unsigned long long)code, got, (unsigned)flags, value, (unsigned)want.flags);
            }
        }
    }
    comparison_close(&b);
}

CU_TestInfo source_tests[] = {
    {"float", test_floats},
    {"integers", test_integers},
    {"pairs of rows up to 8 bits", test_pairs_up_to_8_bits},
    {"pairs of any formats", test_pairs_of_any},
    {"decode with flags", test_decode_flags},
    CU_TEST_INFO_NULL,
};
