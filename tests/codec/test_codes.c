/* Every code of every small format: what it decodes to, and that it comes back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/comparison.h"
#include "tests.h"

enum { ROW_WIDTH = 16, FAMILY_WIDTH = 8 };

typedef void code_test(comparison *b, const bnd_format *f, uint64_t code);

static void print_code(const comparison *b, const bnd_format *f, uint64_t code, const char *what)
{
    printf("%s: %s code 0x%llx: %s\n", b->what, f->name, (unsigned long long)code, what);
}

static void every_code(const char *what, code_test *test)
{
    comparison b;
    comparison_open(&b, what);
    size_t count = small_formats(NULL, ROW_WIDTH, FAMILY_WIDTH);
    bnd_format *formats = calloc(count, sizeof *formats);
    CU_ASSERT_FATAL(formats != NULL);
    small_formats(formats, ROW_WIDTH, FAMILY_WIDTH);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t code = 0; code < UINT64_C(1) << formats[i].width; code += scaled_stride()) {
            test(&b, &formats[i], code);
        }
    }
    free(formats);
    comparison_close(&b);
}

static void decodes(comparison *b, const bnd_format *f, uint64_t code)
{
    double want, got = bnd_decode(f, code);
    uint32_t flags = BND_FLAG_ALL;
    double flagged = bnd_decode_flags(f, code, &flags);
    bnd_oracle_kind kind = bnd_oracle_decode(&want, f, code);
    bool nan = kind == BND_ORACLE_NAN || kind == BND_ORACLE_SIGNALING_NAN;
    bool same =
        nan ? isnan(got) && signbit(got) == signbit(want) : bndi_bits_of_double(got) == bndi_bits_of_double(want);
    bool right_flags = flags == (kind == BND_ORACLE_SIGNALING_NAN ? BND_FLAG_INVALID : 0U);
    if (comparison_note(b, same && right_flags && bndi_bits_of_double(got) == bndi_bits_of_double(flagged))) {
        printf("%s: %s code 0x%llx: codec %a, with flags %a and %u; oracle %a\n", b->what, f->name,
               (unsigned long long)code, got, flagged, (unsigned)flags, want);
    }
}

/* 12 * 2^3 is 3 * 2^5 is 48 * 2^1: whatever the spelling, the code is the same. */
static bool packs_in_any_spelling(const bnd_format *f, bnd_exact x, uint64_t code)
{
    bool same = bnd_pack(f, x) == code;
    if (x.kind != BND_KIND_FINITE) {
        return same;
    }
    bnd_exact longer = x;
    while (longer.low >> 62 == 0) {
        longer.low <<= 1;
        longer.exponent--;
        same = same && bnd_pack(f, longer) == code;
    }
    for (; x.low % 2 == 0; x.low /= 2) {
        x.exponent++;
    }
    return same && bnd_pack(f, x) == code;
}

/* Bits above the width are nobody's. */
static void unpacks_and_packs(comparison *b, const bnd_format *f, uint64_t code)
{
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, f);
    bndi_oracle_value want = bndi_oracle_value_of(&shape, code);
    bnd_exact got = bnd_unpack(f, code);
    bnd_exact dirty = bnd_unpack(f, code | UINT64_C(0xa5) << f->width);
    bool same = same_as_oracle(&got, &want) && same_as_oracle(&dirty, &want);
    if (comparison_note(b, same && packs_in_any_spelling(f, got, code))) {
        print_code(b, f, code, same ? "packs to another code" : "unpacks to another value");
    }
}

/* A NaN comes out quiet, with its sign and no payload; everything else comes back exactly and quietly. */
static void encodes_back(comparison *b, const bnd_format *f, uint64_t code)
{
    bnd_result same = {code, 0, 0};
    double x;
    if (bnd_oracle_decode(&x, f, code) >= BND_ORACLE_NAN) {
        const uint64_t sign = f->is_signed && !f->zero_nan ? UINT64_C(1) << (f->width - 1) : 0;
        same.code = f->nan_code | (code & sign);
        bnd_result r = bnd_encode(f, bnd_decode(f, code), (bnd_rule){0}, 0);
        if (comparison_note(b, r.code == same.code && r.ternary == 0)) {
            print_code(b, f, code, "a NaN that encodes as another one than the quiet one of its sign");
        }
        return;
    }
    for (uint8_t mode = 0; mode < BND_ROUND_COUNT; mode++) {
        bnd_result r = bnd_encode(f, bnd_decode(f, code), (bnd_rule){.rounding = mode}, UINT64_MAX);
        if (comparison_note(b, r.code == same.code && r.flags == 0 && r.ternary == 0)) {
            print_code(b, f, code, "its value encodes differently");
        }
    }
}

static void converts_to_itself(comparison *b, const bnd_format *f, uint64_t code)
{
    judge_convert(b, f, f, code, (bnd_rule){0}, 0);
    judge_convert(b, f, f, code, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0);
    judge_convert(b, f, f, code, (bnd_rule){.flush_in = true, .nan = BND_NAN_SIGNED}, 0);
    judge_convert(b, f, f, code, (bnd_rule){.flush_out = true, .nan = BND_NAN_X86}, 0);
    bnd_result r = bnd_convert(f, f, code, (bnd_rule){.nan = BND_NAN_PROPAGATE}, 0);
    double x;
    bool signaling = bnd_oracle_decode(&x, f, code) == BND_ORACLE_SIGNALING_NAN;
    if (comparison_note(b, signaling || (r.code == code && r.flags == 0 && r.ternary == 0))) {
        print_code(b, f, code, "converts to another code of its own format");
    }
}

/* By the oracle: zero, below the smallest normal number, or not. */
static void has_its_class(comparison *b, const bnd_format *f, uint64_t code)
{
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, f);
    bndi_oracle_value value = bndi_oracle_value_of(&shape, code);
    static const bnd_class specials[] = {BND_CLASS_NORMAL, BND_CLASS_INFINITY, BND_CLASS_NAN, BND_CLASS_SIGNALING_NAN};
    bnd_class want = specials[value.kind];
    if (value.kind == BND_ORACLE_FINITE && value.significand == 0) {
        want = BND_CLASS_ZERO;
    } else if (value.kind == BND_ORACLE_FINITE && f->has_subnormals &&
               bndi_oracle_exponent(&value) < bndi_oracle_exponent(&shape.normal)) {
        want = BND_CLASS_SUBNORMAL;
    }
    bnd_class got = bnd_classify(f, bnd_unpack(f, code));
    if (comparison_note(b, got == want)) {
        printf("%s: %s code 0x%llx is %s, not %s\n", b->what, f->name, (unsigned long long)code, bnd_class_name(got),
               bnd_class_name(want));
    }
}

static void test_decode(void)
{
    every_code("decode", decodes);
}

static void test_unpack(void)
{
    every_code("unpack and pack", unpacks_and_packs);
}

static void test_encode_back(void)
{
    every_code("encode back", encodes_back);
}

static void test_convert(void)
{
    every_code("convert to itself", converts_to_itself);
}

static void test_classes(void)
{
    every_code("classify", has_its_class);
}

CU_TestInfo code_tests[] = {
    {"decode", test_decode},           {"unpack and pack", test_unpack},
    {"encode back", test_encode_back}, {"convert to itself", test_convert},
    {"classify", test_classes},        CU_TEST_INFO_NULL,
};
