/* Value sets: p<P>[emin<n>][emax<n>], which round and have no codes. */
#include <stdio.h>
#include <string.h>

#include "tests.h"

static bool is_value_set(const char *name, const char *called, int precision, int emin, int emax)
{
    bnd_format f = format_named(name);
    uint64_t leading = UINT64_C(1) << (precision - 1);
    bool right =
        strcmp(f.name, called) == 0 && f.row == -1 && f.width == 0 && f.precision == precision && f.emin == emin &&
        f.emax == emax && f.is_signed && f.has_zero && f.has_negative_zero && f.has_subnormals && f.has_infinity &&
        f.has_nan && f.max_code == 0 && f.nan_code == 0 && f.infinity_code == 0 &&
        same_number(f.max_significand, f.max_quantum, leading | (leading - 1), (int64_t)emax - precision + 1) &&
        same_number(f.normal_significand, f.normal_quantum, 1, emin) &&
        same_number(f.least_significand, f.least_quantum, 1, (int64_t)emin - precision + 1);
    if (!right) {
        printf("'%s' is '%s', precision %d, emin %d, emax %d\n", name, f.name, f.precision, f.emin, f.emax);
    }
    return right;
}

static void test_value_sets(void)
{
    const int free = BND_EXPONENT_UNLIMITED;
    CU_ASSERT(is_value_set("p11emin-14emax15", "p11emin-14emax15", 11, -14, 15));
    CU_ASSERT(is_value_set("P11EMIN-14EMAX15", "p11emin-14emax15", 11, -14, 15));
    CU_ASSERT(is_value_set("p24", "p24", 24, -free, free));
    CU_ASSERT(is_value_set("p11emax15", "p11emax15", 11, -free, 15));
    CU_ASSERT(is_value_set("p8emin-126", "p8emin-126", 8, -126, free));
    CU_ASSERT(is_value_set("p1", "p1", 1, -free, free));
    CU_ASSERT(is_value_set("p64", "p64", 64, -free, free));
    CU_ASSERT(is_value_set("p64emin-16382emax16383", "p64emin-16382emax16383", 64, -16382, 16383));
    CU_ASSERT(is_value_set("p3emin5emax5", "p3emin5emax5", 3, 5, 5));
    CU_ASSERT(is_value_set("p3emin0emax0", "p3emin0emax0", 3, 0, 0));
}

/* The limits are those of the format that the numbers come from. */
static void test_limits_of_fp16(void)
{
    bnd_format set = format_named("p11emin-14emax15"), fp16 = format_named("fp16");
    CU_ASSERT(same_number(set.max_significand, set.max_quantum, fp16.max_significand, fp16.max_quantum));
    CU_ASSERT(same_number(set.normal_significand, set.normal_quantum, fp16.normal_significand, fp16.normal_quantum));
    CU_ASSERT(same_number(set.least_significand, set.least_quantum, fp16.least_significand, fp16.least_quantum));
    CU_ASSERT(!bnd_format_same(&set, &fp16));
}

static void test_refused(void)
{
    static const char *const names[] = {"p0",
                                        "p65",
                                        "p99",
                                        "p4294967304",
                                        "p0emin1emax2",
                                        "p11emin15emax14",
                                        "p11emin1emax-1",
                                        "p11emax536870913",
                                        "p11emin-536870913",
                                        "p11emin99999999999999999999",
                                        "p11emax-99999999999999999999",
                                        NULL};
    check_refused(names, BND_BAD_SYNTAX);
}

static void test_names_lead_back(void)
{
    static const char *const names[] = {
        "p1", "p24", "p53emin-1022emax1023", "p2emax-3", "p2emin-3", "p64emin-536870912emax536870912", NULL};
    for (size_t i = 0; names[i] != NULL; i++) {
        bnd_format f = format_named(names[i]), again = format_named(f.name);
        CU_ASSERT_STRING_EQUAL(f.name, names[i]);
        CU_ASSERT(bnd_format_same(&f, &again));
    }
}

/* Leading zeros are read, and gone from the name: it cannot grow beyond what a name holds. */
static void test_leading_zeros(void)
{
    CU_ASSERT_STRING_EQUAL(format_named("p0011emin-0014emax00015").name, "p11emin-14emax15");
    CU_ASSERT_STRING_EQUAL(format_named("e0006m0009b00030").name, "e6m9b30");
}

CU_TestInfo value_set_tests[] = {
    {"precision and range", test_value_sets},
    {"fp16's numbers as a value set", test_limits_of_fp16},
    {"refused", test_refused},
    {"names lead back", test_names_lead_back},
    {"leading zeros", test_leading_zeros},
    CU_TEST_INFO_NULL,
};
