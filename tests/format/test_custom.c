/* Custom formats: [u]e<E>m<M>[b<bias>][ieee|fn|fnuz|none][nosub], what they are and what they are then called. */
#include <stdio.h>
#include <string.h>

#include "tests.h"

static void test_spellings(void)
{
    static const struct {
        const char *asked, *called;
    } cases[] = {
        {"e6m9", "e6m9"},
        {"E6M9", "e6m9"},
        {"e6m9b31", "e6m9"},
        {"e6m9ieee", "e6m9"},
        {"e6m9b30", "e6m9b30"},
        {"e5m10b12fn", "e5m10b12fn"},
        {"E5M10B12FN", "e5m10b12fn"},
        {"e5m10b15fn", "e5m10fn"},
        {"e5m10b-3", "e5m10b-3"},
        {"e5m10b-3nosub", "e5m10b-3nosub"},
        {"e6m9nosub", "e6m9nosub"},
        {"e6m9none", "e6m9none"},
        {"e6m9fnuz", "e6m9fnuz"},
        {"e5m2nosub", "e5m2nosub"},
        {"e15m48", "e15m48"},
        {"e11m52fn", "e11m52fn"},
        {"ue6m9", "ue6m9"},
        {"UE6M9B31IEEE", "ue6m9"},
        {"ue6m2fn", "ue6m2fn"},
        {"ue6m2b30none", "ue6m2b30none"},
        {"ue5m2nosub", "ue5m2nosub"},
        {"ue15m48fn", "ue15m48fn"},
        /* what is a row has the row's name */
        {"ue5m3fn", "ue5m3"},
        {"ue4m3b7fn", "ue4m3"},
        {"e11m52", "fp64"},
        {"e8m23", "fp32"},
        {"e8m10", "tf32"},
        {"e5m10", "fp16"},
        {"e5m10b15ieee", "fp16"},
        {"e8m7", "bf16"},
        {"e5m2ieee", "e5m2"},
        {"e4m3b7fn", "e4m3"},
        {"e4m3b7ieee", "e4m3ieee"},
        {"e4m3b8fnuz", "e4m3fnuz"},
        {"e5m2b16fnuz", "e5m2fnuz"},
        {"e4m3b11fnuz", "e4m3b11fnuz"},
        {"e3m4ieee", "e3m4"},
        {"e2m3none", "e2m3"},
        {"e3m2none", "e3m2"},
        {"e2m1none", "e2m1"},
        {"e6m9fnnosub", "dlfloat16"},
        /* what a row's name would mean if it were not taken says what makes the difference */
        {"e2m1ieee", "e2m1ieee"},
        {"ue4m3ieee", "ue4m3ieee"},
        {"ue5m3b15ieee", "ue5m3ieee"},
        {"ue8m0ieee", "ue8m0ieee"},
        {"e4m3b7fnuz", "e4m3b7fnuz"},
        {"e5m2b15fnuz", "e5m2b15fnuz"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_format f = format_named(cases[i].asked);
        if (strcmp(f.name, cases[i].called) != 0) {
            printf("'%s' is called '%s', not '%s'\n", cases[i].asked, f.name, cases[i].called);
            wrong++;
        }
        bnd_format row = format_named(cases[i].called);
        wrong += f.row != row.row || !bnd_format_same(&f, &row);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- limits, by the definition of each kind of specials ---- */

typedef struct custom {
    int exponent_bits, fraction_bits, bias;
    const char *specials;
    bool nosub, is_unsigned;
} custom;

static bool is(const custom *c, const char *specials)
{
    return strcmp(c->specials, specials) == 0;
}

static uint64_t max_code_of(const custom *c)
{
    uint64_t one = UINT64_C(1) << c->fraction_bits, top = (UINT64_C(1) << (c->exponent_bits + c->fraction_bits)) - 1;
    return is(c, "ieee") ? top - one : is(c, "fn") ? top - 1 : top;
}

/* A field of 0 is subnormal, or an ordinary binade under nosub; without fraction bits it holds the zero alone. */
static void value_of(const custom *c, uint64_t code, uint64_t *significand, int64_t *quantum)
{
    uint64_t one = UINT64_C(1) << c->fraction_bits;
    int64_t field = (int64_t)(code / one);
    bool subnormal = field == 0 && !c->nosub;
    *significand = code % one + (subnormal ? 0 : one);
    *quantum = (subnormal ? 1 : field) - c->bias - c->fraction_bits;
}

static bool has_layout(const bnd_format *f, const custom *c)
{
    bool ieee = is(c, "ieee"), fn = is(c, "fn"), fnuz = is(c, "fnuz");
    uint64_t one = UINT64_C(1) << c->fraction_bits, magnitudes = UINT64_C(1) << (c->exponent_bits + c->fraction_bits);
    uint64_t max_code = max_code_of(c), nans = ieee ? one - 1 : fn;
    uint64_t quiet = one / 2; /* an IEEE layout without fraction bits has no NaN at all */
    uint64_t nan = ieee ? (one > 1 ? max_code + 1 + quiet : 0) : fn ? max_code + 1 : fnuz ? magnitudes : 0;
    return f->width == !c->is_unsigned + c->exponent_bits + c->fraction_bits && f->precision == c->fraction_bits + 1 &&
           f->exponent_bits == c->exponent_bits && f->fraction_bits == c->fraction_bits && f->bias == c->bias &&
           f->is_signed == !c->is_unsigned && f->has_zero && f->has_negative_zero == (!fnuz && !c->is_unsigned) &&
           f->has_subnormals == (!c->nosub || c->fraction_bits == 0) && f->has_infinity == ieee &&
           f->has_nan == (nans > 0 || fnuz) && f->zero_nan == fnuz && f->ieee_nans == ieee && f->high_nans == nans &&
           f->max_code == max_code && f->infinity_code == (ieee ? max_code + 1 : 0) && f->nan_code == nan;
}

static bool has_limits(const bnd_format *f, const custom *c)
{
    custom c0 = *c;
    c0.nosub = c->nosub && c->fraction_bits > 0;
    uint64_t max, least, normal = UINT64_C(1) << c->fraction_bits;
    int64_t max_quantum, least_quantum, normal_quantum = 1 - c->bias - c->fraction_bits;
    value_of(&c0, max_code_of(&c0), &max, &max_quantum);
    value_of(&c0, 1, &least, &least_quantum);
    if (c0.nosub) {
        normal = least;
        normal_quantum = least_quantum;
    }
    return same_number(f->max_significand, f->max_quantum, max, max_quantum) &&
           same_number(f->least_significand, f->least_quantum, least, least_quantum) &&
           same_number(f->normal_significand, f->normal_quantum, normal, normal_quantum) &&
           f->emin == (c0.nosub ? -c->bias : 1 - c->bias);
}

/* One spelling in full: it is what it says, its name leads back to it, and it keeps that name. */
static bool is_right(const custom *c)
{
    char name[64];
    snprintf(name, sizeof name, "%se%dm%db%d%s%s", c->is_unsigned ? "u" : "", c->exponent_bits, c->fraction_bits,
             c->bias, c->specials, c->nosub ? "nosub" : "");
    if (max_code_of(c) == 0 || (is(c, "fnuz") && c->is_unsigned)) {
        return is_refused(name, BND_BAD_SYNTAX);
    }
    bnd_format f = format_named(name), again = format_named(f.name);
    bool same = bnd_format_same(&f, &again) && strcmp(f.name, again.name) == 0;
    if (same && has_layout(&f, c) && has_limits(&f, c)) {
        return true;
    }
    printf("'%s' (%s, again %s)\n", name, f.name, again.name);
    return false;
}

static void test_every_layout(void)
{
    static const char *const specials[] = {"ieee", "fn", "fnuz", "none"};
    static const int fractions[] = {0, 1, 2, 3, 4, 7, 9, 10, 23, 48, 51, 52};
    int wrong = 0;
    for (int e = 1; e <= 15; e++) {
        const int biases[] = {(1 << (e - 1)) - 1, 1 << (e - 1), 0, -1, 32767, -32767};
        for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++) {
            for (size_t j = 0; j < sizeof biases / sizeof biases[0] * 16; j++) {
                custom c = {e, fractions[i], biases[j / 16], specials[j % 4], j / 4 % 2 != 0, j / 8 % 2 != 0};
                if (c.exponent_bits + c.fraction_bits <= 63) {
                    wrong += !is_right(&c);
                }
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The bias is 2^(E-1) - 1 where the name does not say, and the specials are IEEE's. */
static void test_defaults(void)
{
    for (int e = 2; e <= 15; e++) {
        char name[32], full[64];
        snprintf(name, sizeof name, "e%dm5", e);
        snprintf(full, sizeof full, "e%dm5b%dieee", e, (1 << (e - 1)) - 1);
        bnd_format f = format_named(name), g = format_named(full);
        CU_ASSERT(bnd_format_same(&f, &g));
        CU_ASSERT_STRING_EQUAL(f.name, g.name);
        CU_ASSERT_STRING_EQUAL(f.name, name);
    }
}

/* Without fraction bits a field of 0 holds nothing but the zero: there is nothing for nosub to take away. */
static void test_no_fraction_bits(void)
{
    bnd_format f = format_named("e5m0"), g = format_named("e5m0nosub");
    CU_ASSERT(bnd_format_same(&f, &g));
    CU_ASSERT_STRING_EQUAL(g.name, "e5m0");
    CU_ASSERT(!f.has_nan && f.has_infinity);
    CU_ASSERT_EQUAL(f.max_code, 30);
}

static void test_refused(void)
{
    static const char *const names[] = {"e0m3",
                                        "e16m3",
                                        "e99m3",
                                        "e5m53",
                                        "e5m99",
                                        "e12m52",
                                        "e15m49",
                                        "ue15m49",
                                        "ue0m3",
                                        "ue5m3fnuz",
                                        "ue1m0",
                                        "e14m50",
                                        "e5m10b32768",
                                        "e5m10b-32768",
                                        "e5m10b999999",
                                        "e1m0",
                                        "e1m0ieee",
                                        "e1m0fn",
                                        "e1m0b3",
                                        "e0m0none",
                                        "e1m0fnnosub",
                                        "e4294967301m10",
                                        "e5m4294967306",
                                        "e5m10b4294967296",
                                        "e5m10b-99999999999999999999",
                                        NULL};
    check_refused(names, BND_BAD_SYNTAX);
}

static void test_message_says_why(void)
{
    static const struct {
        const char *name, *reason;
    } cases[] = {
        {"e16m3", "from 1 to 15"}, {"e5m53", "52"}, {"e15m49", "63"}, {"e5m3b40000", "32767"}, {"e1m0", "finite"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_format f;
        bnd_error why;
        CU_ASSERT_EQUAL(bnd_format_parse(&f, cases[i].name, &why), BND_BAD_SYNTAX);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, cases[i].reason));
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, cases[i].name));
    }
}

CU_TestInfo custom_tests[] = {
    {"how they are then called", test_spellings},
    {"every layout", test_every_layout},
    {"defaults", test_defaults},
    {"no fraction bits", test_no_fraction_bits},
    {"refused", test_refused},
    {"refused, and why", test_message_says_why},
    CU_TEST_INFO_NULL,
};
