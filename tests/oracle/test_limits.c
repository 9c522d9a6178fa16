/* What each format's codes stand for at its limits, against values that were computed elsewhere, and the limits that
 * the table of formats derives against those that the oracle finds from the fields alone. */
#include <math.h>
#include <stdio.h>

#include "tests/support/operands.h"
#include "tests.h"

typedef struct limits {
    const char *name;
    double max;
    uint64_t max_code;
    double normal;
    double subnormal; /* 0 where there is none */
    uint64_t infinity, nan;
    uint64_t values; /* finite and distinct */
} limits;

static const limits known[] = {
    {"fp64", 0x1.fffffffffffffp+1023, 0x7fefffffffffffff, 0x1p-1022, 0x1p-1074, 0x7ff0000000000000, 0x7ff8000000000000,
     UINT64_C(18437736874454810623)},
    {"fp32", 0x1.fffffep+127, 0x7f7fffff, 0x1p-126, 0x1p-149, 0x7f800000, 0x7fc00000, UINT64_C(4278190079)},
    {"tf32", 0x1.ffcp+127, 0x3fbff, 0x1p-126, 0x1p-136, 0x3fc00, 0x3fe00, UINT64_C(522239)},
    {"fp16", 65504.0, 0x7bff, 0x1p-14, 0x1p-24, 0x7c00, 0x7e00, UINT64_C(63487)},
    {"bf16", 0x1.fep+127, 0x7f7f, 0x1p-126, 0x1p-133, 0x7f80, 0x7fc0, UINT64_C(65279)},
    {"e5m2", 57344.0, 0x7b, 0x1p-14, 0x1p-16, 0x7c, 0x7e, UINT64_C(247)},
    {"e4m3ieee", 240.0, 0x77, 0x1p-6, 0x1p-9, 0x78, 0x7c, UINT64_C(239)},
    {"e3m4", 15.5, 0x6f, 0x1p-2, 0x1p-6, 0x70, 0x78, UINT64_C(223)},
    {"e4m3", 448.0, 0x7e, 0x1p-6, 0x1p-9, 0x0, 0x7f, UINT64_C(253)},
    {"e4m3fnuz", 240.0, 0x7f, 0x1p-7, 0x1p-10, 0x0, 0x80, UINT64_C(255)},
    {"e5m2fnuz", 57344.0, 0x7f, 0x1p-15, 0x1p-17, 0x0, 0x80, UINT64_C(255)},
    {"e4m3b11fnuz", 30.0, 0x7f, 0x1p-10, 0x1p-13, 0x0, 0x80, UINT64_C(255)},
    {"e2m3", 7.5, 0x1f, 0x1p+0, 0x1p-3, 0x0, 0x0, UINT64_C(63)},
    {"e3m2", 28.0, 0x1f, 0x1p-2, 0x1p-4, 0x0, 0x0, UINT64_C(63)},
    {"e2m1", 6.0, 0x7, 0x1p+0, 0x1p-1, 0x0, 0x0, UINT64_C(15)},
    {"e8m0", 0x1p+127, 0xfe, 0x1p-127, 0, 0x0, 0xff, UINT64_C(255)},
    {"dlfloat16", 8573157376.0, 0x7ffe, 0x1.008p-31, 0, 0x0, 0x7fff, UINT64_C(65533)},
    {"binary8p1se", 0x1p+62, 0x7e, 0x1p-63, 0, 0x7f, 0x80, UINT64_C(253)},
    {"binary8p1sf", 0x1p+63, 0x7f, 0x1p-63, 0, 0x0, 0x80, UINT64_C(255)},
    {"binary8p1ue", 0x1p+125, 0xfd, 0x1p-127, 0, 0xfe, 0xff, UINT64_C(254)},
    {"binary8p1uf", 0x1p+126, 0xfe, 0x1p-127, 0, 0x0, 0xff, UINT64_C(255)},
    {"binary8p2se", 0x1p+31, 0x7e, 0x1p-31, 0x1p-32, 0x7f, 0x80, UINT64_C(253)},
    {"binary8p2sf", 3221225472.0, 0x7f, 0x1p-31, 0x1p-32, 0x0, 0x80, UINT64_C(255)},
    {"binary8p2ue", 6917529027641081856.0, 0xfd, 0x1p-63, 0x1p-64, 0xfe, 0xff, UINT64_C(254)},
    {"binary8p2uf", 0x1p+63, 0xfe, 0x1p-63, 0x1p-64, 0x0, 0xff, UINT64_C(255)},
    {"binary8p3se", 49152.0, 0x7e, 0x1p-15, 0x1p-17, 0x7f, 0x80, UINT64_C(253)},
    {"binary8p3sf", 57344.0, 0x7f, 0x1p-15, 0x1p-17, 0x0, 0x80, UINT64_C(255)},
    {"binary8p3ue", 2684354560.0, 0xfd, 0x1p-31, 0x1p-33, 0xfe, 0xff, UINT64_C(254)},
    {"binary8p3uf", 3221225472.0, 0xfe, 0x1p-31, 0x1p-33, 0x0, 0xff, UINT64_C(255)},
    {"binary8p4se", 224.0, 0x7e, 0x1p-7, 0x1p-10, 0x7f, 0x80, UINT64_C(253)},
    {"binary8p4sf", 240.0, 0x7f, 0x1p-7, 0x1p-10, 0x0, 0x80, UINT64_C(255)},
    {"binary8p4ue", 53248.0, 0xfd, 0x1p-15, 0x1p-18, 0xfe, 0xff, UINT64_C(254)},
    {"binary8p4uf", 57344.0, 0xfe, 0x1p-15, 0x1p-18, 0x0, 0xff, UINT64_C(255)},
    {"binary8p5se", 15.0, 0x7e, 0x1p-3, 0x1p-7, 0x7f, 0x80, UINT64_C(253)},
    {"binary8p5sf", 15.5, 0x7f, 0x1p-3, 0x1p-7, 0x0, 0x80, UINT64_C(255)},
    {"binary8p5ue", 232.0, 0xfd, 0x1p-7, 0x1p-11, 0xfe, 0xff, UINT64_C(254)},
    {"binary8p5uf", 240.0, 0xfe, 0x1p-7, 0x1p-11, 0x0, 0xff, UINT64_C(255)},
    {"binary8p6se", 3.875, 0x7e, 0x1p-1, 0x1p-6, 0x7f, 0x80, UINT64_C(253)},
    {"binary8p6sf", 3.9375, 0x7f, 0x1p-1, 0x1p-6, 0x0, 0x80, UINT64_C(255)},
    {"binary8p6ue", 15.25, 0xfd, 0x1p-3, 0x1p-8, 0xfe, 0xff, UINT64_C(254)},
    {"binary8p6uf", 15.5, 0xfe, 0x1p-3, 0x1p-8, 0x0, 0xff, UINT64_C(255)},
    {"binary8p7se", 1.96875, 0x7e, 0x1p+0, 0x1p-6, 0x7f, 0x80, UINT64_C(253)},
    {"binary8p7sf", 1.984375, 0x7f, 0x1p+0, 0x1p-6, 0x0, 0x80, UINT64_C(255)},
    {"binary8p7ue", 3.90625, 0xfd, 0x1p-1, 0x1p-7, 0xfe, 0xff, UINT64_C(254)},
    {"binary8p7uf", 3.9375, 0xfe, 0x1p-1, 0x1p-7, 0x0, 0xff, UINT64_C(255)},
    {"binary8p8ue", 1.9765625, 0xfd, 0x1p+0, 0x1p-7, 0xfe, 0xff, UINT64_C(254)},
    {"binary8p8uf", 1.984375, 0xfe, 0x1p+0, 0x1p-7, 0x0, 0xff, UINT64_C(255)},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static bool decodes_to(const bnd_format *f, uint64_t code, bnd_oracle_kind kind, double value)
{
    double x;
    bnd_oracle_kind found = bnd_oracle_decode(&x, f, code);
    bool same = found == kind && (kind == BND_ORACLE_NAN || bndi_bits_of_double(x) == bndi_bits_of_double(value));
    if (!same) {
        printf("%s: code 0x%llx is %a (kind %d), not %a (kind %d)\n", f->name, (unsigned long long)code, x, (int)found,
               value, (int)kind);
    }
    return same;
}

/* The code of the smallest normal number, from the fields. */
static uint64_t normal_code(const bnd_format *f)
{
    return f->has_subnormals ? UINT64_C(1) << f->fraction_bits : f->has_zero;
}

static void test_codes_at_the_limits(void)
{
    for (size_t i = 0; i < KNOWN; i++) {
        const limits *k = &known[i];
        bnd_format f = format_named(k->name);
        uint64_t sign = f.is_signed ? UINT64_C(1) << (f.width - 1) : 0;
        CU_ASSERT(decodes_to(&f, k->max_code, BND_ORACLE_FINITE, k->max));
        CU_ASSERT(decodes_to(&f, normal_code(&f), BND_ORACLE_FINITE, k->normal));
        CU_ASSERT(k->subnormal == 0 || decodes_to(&f, 1, BND_ORACLE_FINITE, k->subnormal));
        CU_ASSERT(k->infinity == 0 || decodes_to(&f, k->infinity, BND_ORACLE_INFINITE, (double)INFINITY));
        CU_ASSERT(k->nan == 0 || decodes_to(&f, k->nan, BND_ORACLE_NAN, (double)NAN));
        CU_ASSERT(f.width == 8 && !f.has_zero ? decodes_to(&f, 0, BND_ORACLE_FINITE, k->normal)
                                              : decodes_to(&f, 0, BND_ORACLE_FINITE, 0.0));
        CU_ASSERT(!f.is_signed || decodes_to(&f, sign | k->max_code, BND_ORACLE_FINITE, -k->max));
        CU_ASSERT(!f.has_negative_zero || decodes_to(&f, sign, BND_ORACLE_FINITE, -0.0));
    }
}

/* Finite codes, counted one by one where a format is small, less one of two zeros. */
static void test_number_of_values(void)
{
    for (size_t i = 0; i < KNOWN; i++) {
        bnd_format f = format_named(known[i].name);
        uint64_t count = 0;
        if (f.width > 20) {
            count = 2 * known[i].max_code + 1;
        } else {
            for (uint64_t code = 0; code < UINT64_C(1) << f.width; code++) {
                double x;
                count += bnd_oracle_decode(&x, &f, code) == BND_ORACLE_FINITE && (x != 0.0 || !signbit(x));
            }
        }
        CU_ASSERT_EQUAL(count, known[i].values);
    }
}

static bool same_value(uint64_t significand, int64_t quantum, const bndi_oracle_value *value)
{
    bndi_oracle_value derived = {BND_ORACLE_FINITE, false, significand, quantum};
    int64_t low = quantum < value->quantum ? quantum : value->quantum;
    return significand != 0 && bndi_oracle_exponent(&derived) == bndi_oracle_exponent(value) &&
           derived.significand << (quantum - low) == value->significand << (value->quantum - low);
}

/* The limits that every other part of the library relies on. */
static bool derived_rightly(const bnd_format *f)
{
    bndi_oracle_shape shape;
    bndi_oracle_describe(&shape, f);
    bool right = f->precision == shape.fraction_bits + 1 && f->max_code == shape.max_code &&
                 f->infinity_code == shape.infinity_code && f->nan_code == shape.nan_code &&
                 f->emax == bndi_oracle_exponent(&shape.max) &&
                 f->emin == (f->has_subnormals ? 1 - shape.bias : -shape.bias) &&
                 same_value(f->max_significand, f->max_quantum, &shape.max) &&
                 same_value(f->normal_significand, f->normal_quantum, &shape.normal) &&
                 same_value(f->least_significand, f->least_quantum, &shape.least) &&
                 f->has_nan == (f->width == 0 || f->zero_nan || f->high_nans > 0);
    if (!right) {
        printf("%s: a derived limit is not what the fields say\n", f->name);
    }
    return right;
}

static void test_derived_limits(void)
{
    static const char *const others[] = {
        "e6m9",
        "e5m10b12fn",
        "e5m2nosub",
        "e5m2none",
        "e5m2nonenosub",
        "e3m0",
        "e3m0none",
        "e15m48",
        "e1m3",
        "e1m3fn",
        "e4m3b-9",
        "e4m3b300",
        "e11m52b2000",
        "e4m0fnuz",
        "e2m1fnuz",
        "e15m0none",
        "e8m7fnuz",
        "e1m52none",
        "e15m8b-32767",
        "e15m8b32767",
        "p11",
        "p11emin-14emax15",
        "p1",
        "p1emin-3emax4",
        "p64",
        "p24emin-126emax127",
    };
    for (size_t i = 0; i < bnd_format_count(); i++) {
        bnd_format f = *bnd_format_at(i);
        CU_ASSERT(derived_rightly(&f));
    }
    for (size_t i = 0; i < bnd_group_size("p3109-all"); i++) {
        bnd_format f;
        (void)bnd_group_at(&f, "p3109-all", i);
        CU_ASSERT(derived_rightly(&f));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        bnd_format f = format_named(others[i]);
        CU_ASSERT(derived_rightly(&f));
    }
}

/* code -> value -> code is the identity on finite codes, and values grow with their codes. */
static void test_codes_in_order(void)
{
    for (size_t i = 0; i < KNOWN; i++) {
        bnd_format f = format_named(known[i].name);
        bndi_oracle_shape shape;
        bndi_oracle_describe(&shape, &f);
        uint64_t end = f.width > 16 ? 4096 : shape.max_code;
        uint64_t wrong = 0;
        double below = -1.0;
        for (uint64_t code = 0; code <= end; code++) {
            bndi_oracle_value value = bndi_oracle_value_of(&shape, code);
            double x;
            bnd_oracle_decode(&x, &f, code);
            wrong += value.kind != BND_ORACLE_FINITE || bndi_oracle_code_of(&shape, &value) != code || !(x > below);
            below = x;
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

CU_TestInfo limit_tests[] = {
    {"codes at the limits", test_codes_at_the_limits},
    {"number of finite values", test_number_of_values},
    {"derived limits", test_derived_limits},
    {"codes in order", test_codes_in_order},
    CU_TEST_INFO_NULL,
};
