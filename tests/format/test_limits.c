/* Every limit of every row, as its specification states it, against what was derived from the row. */
#include "format/format.h"
#include <binade/codec.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

/* What stands at the top and at zero. */
typedef enum specials {
    IEEE,     /* two infinities, NaNs from all other fractions of the top exponent, two zeros */
    TOP_NAN,  /* S.1...1 is NaN, two zeros */
    FNUZ,     /* the code of -0 is NaN, one zero */
    NO_NAN,   /* numbers only, two zeros */
    NO_ZERO,  /* unsigned, ff is NaN */
    P3109_SE, /* signed, extended: infinities 7f and ff, NaN 80 */
    P3109_SF, /* signed, finite: NaN 80 */
    P3109_UE, /* unsigned, extended: infinity fe, NaN ff */
    P3109_UF  /* unsigned, finite: NaN ff */
} specials;

typedef struct limits {
    const char *name;
    unsigned sign, exponent_bits, fraction_bits;
    int bias;
    const char *max_text;
    double max;
    uint64_t max_code;
    const char *normal, *subnormal;
    specials special;
    uint64_t finite_values;
} limits;

static const limits all_limits[] = {
#define LIMITS(...) {__VA_ARGS__},
#include "limits.def"
#undef LIMITS
};
enum { LIMIT_ROWS = sizeof all_limits / sizeof all_limits[0] };

/* significand * 2^quantum as "2^n" or to nine digits, whichever the table has. Every one of them is a double. */
static bool is_written(const char *text, uint64_t significand, int quantum)
{
    double value = ldexp((double)significand, quantum);
    if (strncmp(text, "2^", 2) == 0) {
        return value == ldexp(1.0, atoi(text + 2));
    }
    char digits[32];
    snprintf(digits, sizeof digits, "%.9g", value);
    return strcmp(digits, text) == 0;
}

static void test_layout(void)
{
    int wrong = 0;
    for (size_t i = 0; i < LIMIT_ROWS; i++) {
        const limits *l = &all_limits[i];
        bnd_format f = format_named(l->name);
        bool right = strcmp(f.name, l->name) == 0 && f.is_signed == l->sign && f.exponent_bits == l->exponent_bits &&
                     f.fraction_bits == l->fraction_bits && f.precision == l->fraction_bits + 1 &&
                     f.width == l->sign + l->exponent_bits + l->fraction_bits && f.bias == l->bias;
        if (!right) {
            printf("%s: %s %d/%d/%d precision %d width %d bias %d\n", l->name, f.name, f.is_signed, f.exponent_bits,
                   f.fraction_bits, f.precision, f.width, f.bias);
        }
        wrong += !right;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_max(void)
{
    int wrong = 0;
    for (size_t i = 0; i < LIMIT_ROWS; i++) {
        const limits *l = &all_limits[i];
        bnd_format f = format_named(l->name);
        double max = ldexp((double)f.max_significand, f.max_quantum);
        bool right = max == l->max && is_written(l->max_text, f.max_significand, f.max_quantum) &&
                     f.max_code == l->max_code && f.emax == ilogb(l->max);
        if (!right) {
            printf("%s: max %.17g code %llx emax %d\n", l->name, max, (unsigned long long)f.max_code, f.emax);
        }
        wrong += !right;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_min(void)
{
    int wrong = 0;
    for (size_t i = 0; i < LIMIT_ROWS; i++) {
        const limits *l = &all_limits[i];
        bnd_format f = format_named(l->name);
        bool subnormals = strcmp(l->subnormal, "-") != 0;
        bool right = is_written(l->normal, f.normal_significand, f.normal_quantum) &&
                     is_written(subnormals ? l->subnormal : l->normal, f.least_significand, f.least_quantum);
        /* Without fraction bits nothing is subnormal, and the field of 0 holds the zero. */
        right = right && (f.has_subnormals == subnormals || (f.fraction_bits == 0 && f.has_zero && f.has_subnormals));
        right = right && f.emin == (f.has_subnormals ? 1 - l->bias : -l->bias);
        if (!right) {
            printf("%s: normal %.9g least %.9g emin %d subnormals %d\n", l->name,
                   ldexp((double)f.normal_significand, f.normal_quantum),
                   ldexp((double)f.least_significand, f.least_quantum), f.emin, f.has_subnormals);
        }
        wrong += !right;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Where each kind of specials puts them, by the words of the specifications. */
static bool has_specials(const bnd_format *f, specials special)
{
    uint64_t one = UINT64_C(1) << f->fraction_bits, top = (UINT64_C(1) << bnd_magnitude_bits(f)) - 1;
    bool plain = !f->ieee_nans && !f->zero_nan;
    switch (special) {
    case IEEE:
        return f->has_zero && f->has_negative_zero && f->has_infinity && f->has_nan && f->ieee_nans && !f->zero_nan &&
               f->high_nans == one - 1 && f->infinity_code == top - (one - 1) &&
               f->nan_code == (f->infinity_code | one >> 1);
    case TOP_NAN:
        return f->has_zero && f->has_negative_zero == f->is_signed && !f->has_infinity && f->has_nan && plain &&
               f->high_nans == 1 && f->infinity_code == 0 && f->nan_code == top;
    case FNUZ:
    case P3109_SF:
        return f->has_zero && !f->has_negative_zero && !f->has_infinity && f->has_nan && f->zero_nan && !f->ieee_nans &&
               f->high_nans == 0 && f->infinity_code == 0 && f->nan_code == top + 1;
    case NO_NAN:
        return f->has_zero && f->has_negative_zero && !f->has_infinity && !f->has_nan && plain && f->high_nans == 0 &&
               f->infinity_code == 0 && f->nan_code == 0;
    case NO_ZERO:
        return !f->has_zero && !f->has_negative_zero && !f->has_infinity && f->has_nan && plain && f->high_nans == 1 &&
               f->infinity_code == 0 && f->nan_code == top;
    case P3109_SE:
        return f->has_zero && !f->has_negative_zero && f->has_infinity && f->has_nan && f->zero_nan && !f->ieee_nans &&
               f->high_nans == 0 && f->infinity_code == top && f->nan_code == top + 1;
    case P3109_UE:
        return f->has_zero && !f->has_negative_zero && f->has_infinity && f->has_nan && plain && f->high_nans == 1 &&
               f->infinity_code == top - 1 && f->nan_code == top;
    case P3109_UF:
        return f->has_zero && !f->has_negative_zero && !f->has_infinity && f->has_nan && plain && f->high_nans == 1 &&
               f->infinity_code == 0 && f->nan_code == top;
    }
    return false;
}

static void test_specials(void)
{
    int wrong = 0;
    for (size_t i = 0; i < LIMIT_ROWS; i++) {
        bnd_format f = format_named(all_limits[i].name);
        if (!has_specials(&f, all_limits[i].special)) {
            printf("%s: its zeros, infinities or NaNs are not where they should be\n", f.name);
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* What operations have at hand, by its definition. Those of words of 64 bits take 29 bits of precision. */
static void test_for_operations(void)
{
    int wrong = 0;
    for (size_t i = 0; i < LIMIT_ROWS; i++) {
        bnd_format f = format_named(all_limits[i].name);
        int64_t one = (int64_t)1 << f.fraction_bits;
        bool right = f.internal.sign_code == (f.is_signed ? UINT64_C(1) << bnd_magnitude_bits(&f) : 0);
        right = right && (int64_t)f.internal.exponent_mask == -one && f.internal.normals + (uint64_t)one == f.max_code;
        right = right && (int64_t)f.internal.unbias == (1 - f.bias) * one;
        right = right && (int64_t)f.internal.unbias_twice == (1 - f.bias - f.fraction_bits) * one;
        bool quick = f.precision >= 2 && f.precision <= 29 && f.max_code >= (uint64_t)one;
        right = right && f.internal.quick_modes == (quick ? BND_ROUND_DETERMINISTIC_COUNT : 0);
        if (!right) {
            printf("%s: the constants of its operations are not what they should be\n", f.name);
        }
        wrong += !right;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_count_by_the_largest_code(void)
{
    int wrong = 0;
    for (size_t i = 0; i < LIMIT_ROWS; i++) {
        bnd_format f = format_named(all_limits[i].name);
        /* The codes 0 .. max_code of either sign; plus and minus zero are one value, or one of them is none. */
        uint64_t count = f.is_signed ? 2 * f.max_code + 1 : f.max_code + 1;
        wrong += count != all_limits[i].finite_values;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The same number, counted one by one. */
static void test_count_by_codes(void)
{
    int wrong = 0, counted = 0;
    for (size_t i = 0; i < LIMIT_ROWS; i++) {
        bnd_format f = format_named(all_limits[i].name);
        uint64_t count = 0;
        for (uint64_t code = 0; f.width <= 16 && code < UINT64_C(1) << f.width; code++) {
            bnd_exact value = bnd_unpack(&f, code);
            count += value.kind == BND_KIND_FINITE || (value.kind == BND_KIND_ZERO && !value.negative);
        }
        if (f.width <= 16) {
            counted++;
            wrong += count != all_limits[i].finite_values;
        }
    }
    CU_ASSERT_EQUAL(counted, LIMIT_ROWS - 3); /* fp64, fp32 and tf32 are wider */
    CU_ASSERT_EQUAL(wrong, 0);
}

/* A row that a machine computes in, or that another ecosystem names, has a specification: its limits are in limits.def.
 * The oracle derives the limits of every row, these and others, for itself. */
static bool has_specification(size_t row)
{
    bool has = bnd_format_hardware(row)[0] != '\0';
    for (unsigned where = 0; where < BND_ECOSYSTEM_COUNT && !has; where++) {
        has = bnd_format_names(row, (bnd_ecosystem)where)[0] != '\0';
    }
    return has;
}

static void test_every_row_is_here(void)
{
    CU_ASSERT(bnd_format_count() >= 19); /* a row's number is a constant of the API: rows stay */
    for (size_t row = 0; row < bnd_format_count(); row++) {
        bnd_format f = *bnd_format_at(row);
        int found = 0;
        for (size_t i = 0; i < LIMIT_ROWS; i++) {
            found += strcmp(all_limits[i].name, f.name) == 0;
        }
        CU_ASSERT_EQUAL(found, has_specification(row) ? 1 : 0);
        CU_ASSERT_EQUAL(f.row, (int16_t)row);
    }
}

/* The constants of the table, from their layout, by derive.c: the same in every field. */
static void test_constants_are_derived(void)
{
    int wrong = 0;
    for (size_t row = 0; row < bnd_format_count(); row++) {
        const bnd_format *c = bnd_format_at(row);
        const bndi_layout layout = {.is_signed = c->is_signed,
                                    .no_zero = !c->has_zero,
                                    .no_subnormals = !c->has_subnormals,
                                    .exponent_bits = c->exponent_bits,
                                    .fraction_bits = c->fraction_bits,
                                    .bias = c->bias,
                                    .specials = c->ieee_nans  ? BNDI_IEEE
                                                : c->zero_nan ? BNDI_FNUZ
                                                : c->has_nan  ? BNDI_FN
                                                              : BNDI_NONE,
                                    .ties = (bnd_ties)c->ties};
        const bnd_format d = bndi_format_of_layout(&layout);
#define SAME(field) (c->field == d.field)
        bool same = SAME(width) && SAME(exponent_bits) && SAME(fraction_bits) && SAME(precision) && SAME(is_signed) &&
                    SAME(has_zero) && SAME(has_negative_zero) && SAME(has_subnormals) && SAME(has_infinity) &&
                    SAME(has_nan) && SAME(zero_nan) && SAME(ieee_nans) && SAME(ties) && SAME(bias) && SAME(emin) &&
                    SAME(emax) && SAME(high_nans) && SAME(max_code) && SAME(infinity_code) && SAME(nan_code) &&
                    SAME(max_significand) && SAME(normal_significand) && SAME(least_significand) && SAME(max_quantum) &&
                    SAME(normal_quantum) && SAME(least_quantum);
        same = same && SAME(internal.sign_code) && SAME(internal.exponent_mask) && SAME(internal.normals) &&
               SAME(internal.unbias) && SAME(internal.unbias_twice) && SAME(internal.quick_modes);
#undef SAME
        if (!same) {
            printf("%s: its constant is not what its layout gives\n", c->name);
        }
        wrong += !same;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_rows_by_constant(void)
{
    static const struct {
        bnd_format_row row;
        const char *name;
    } named[] = {
        {BND_FORMAT_FP64, "fp64"},          {BND_FORMAT_FP32, "fp32"},         {BND_FORMAT_TF32, "tf32"},
        {BND_FORMAT_FP16, "fp16"},          {BND_FORMAT_BF16, "bf16"},         {BND_FORMAT_E4M3, "e4m3"},
        {BND_FORMAT_E5M2, "e5m2"},          {BND_FORMAT_E4M3FNUZ, "e4m3fnuz"}, {BND_FORMAT_E5M2FNUZ, "e5m2fnuz"},
        {BND_FORMAT_E4M3IEEE, "e4m3ieee"},  {BND_FORMAT_E3M4, "e3m4"},         {BND_FORMAT_E4M3B11FNUZ, "e4m3b11fnuz"},
        {BND_FORMAT_E8M0, "e8m0"},          {BND_FORMAT_UE5M3, "ue5m3"},       {BND_FORMAT_UE4M3, "ue4m3"},
        {BND_FORMAT_E2M3, "e2m3"},          {BND_FORMAT_E3M2, "e3m2"},         {BND_FORMAT_E2M1, "e2m1"},
        {BND_FORMAT_DLFLOAT16, "dlfloat16"}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        const bnd_format parsed = format_named(named[i].name);
        CU_ASSERT_EQUAL(parsed.row, (int16_t)named[i].row);
        CU_ASSERT_STRING_EQUAL(bnd_format_at(named[i].row)->name, named[i].name);
        CU_ASSERT(bnd_format_same(bnd_format_at(named[i].row), &parsed));
    }
    CU_ASSERT_PTR_NULL(bnd_format_at(bnd_format_count()));
    CU_ASSERT_PTR_NULL(bnd_format_at(SIZE_MAX));
    bnd_format untouched = {.width = 7};
    CU_ASSERT(!bnd_group_at(&untouched, "ocp", bnd_group_size("ocp")) && untouched.width == 7);
    CU_ASSERT(!bnd_group_at(&untouched, "no such group", 0) && untouched.width == 7);
}

static void test_ties_at_one_bit(void)
{
    CU_ASSERT_EQUAL(format_named("e8m0").ties, BND_TIES_SIGNIFICAND);
    CU_ASSERT_EQUAL(format_named("binary8p1se").ties, BND_TIES_CODE);
    CU_ASSERT_EQUAL(format_named("binary8p1uf").ties, BND_TIES_CODE);
    CU_ASSERT_EQUAL(format_named("e5m0").ties, BND_TIES_CODE);
}

CU_TestInfo limit_tests[] = {
    {"layout", test_layout},
    {"largest number", test_max},
    {"smallest numbers", test_min},
    {"zeros, infinities, NaNs", test_specials},
    {"constants are derived", test_constants_are_derived},
    {"rows by constant", test_rows_by_constant},
    {"constants of operations", test_for_operations},
    {"number of finite values", test_count_by_the_largest_code},
    {"number of finite values, code by code", test_count_by_codes},
    {"every row is in the table of limits", test_every_row_is_here},
    {"whose even at one bit of precision", test_ties_at_one_bit},
    CU_TEST_INFO_NULL,
};
