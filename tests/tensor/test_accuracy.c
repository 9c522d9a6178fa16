/* The functions of maths.h are as near to the exact ones, MPFR's, as the bounds below say. */
#include "tensor/maths.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests.h"

/* An exact function, to the precision of y: some 96 bits. */
typedef int exact(mpfr_ptr y, mpfr_srcptr x, double k);

#define EXACT(name, function)                                                                                          \
    static int exact_##name(mpfr_ptr y, mpfr_srcptr x, double k)                                                       \
    {                                                                                                                  \
        (void)k;                                                                                                       \
        return function(y, x, MPFR_RNDN);                                                                              \
    }
EXACT(exp, mpfr_exp)
EXACT(log, mpfr_log)
EXACT(tanh, mpfr_tanh)
EXACT(erf, mpfr_erf)
EXACT(sqrt, mpfr_sqrt)
EXACT(rsqrt, mpfr_rec_sqrt)

static int exact_power(mpfr_ptr y, mpfr_srcptr x, double k)
{
    mpfr_t of_k;
    mpfr_init2(of_k, 53);
    mpfr_set_d(of_k, k, MPFR_RNDN);
    int ternary = mpfr_pow(y, x, of_k, MPFR_RNDN);
    mpfr_clear(of_k);
    return ternary;
}

/* 1 / (1 + e^-x) */
static int exact_sigmoid(mpfr_ptr y, mpfr_srcptr x, double k)
{
    (void)k;
    mpfr_neg(y, x, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    return mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

static int exact_silu(mpfr_ptr y, mpfr_srcptr x, double k)
{
    exact_sigmoid(y, x, k);
    return mpfr_mul(y, y, x, MPFR_RNDN);
}

/* x erfc(-x / sqrt 2) / 2 */
static int exact_gelu(mpfr_ptr y, mpfr_srcptr x, double k)
{
    (void)k;
    mpfr_sqrt_ui(y, 2, MPFR_RNDN);
    mpfr_div(y, x, y, MPFR_RNDN);
    mpfr_neg(y, y, MPFR_RNDN);
    mpfr_erfc(y, y, MPFR_RNDN);
    mpfr_mul(y, y, x, MPFR_RNDN);
    return mpfr_div_2ui(y, y, 1, MPFR_RNDN);
}

/* x (1 + tanh(z)) / 2 = x / (1 + e^-2z), z = sqrt(2 / pi) (x + 0.044715 x^3) */
static int exact_gelu_tanh(mpfr_ptr y, mpfr_srcptr x, double k)
{
    mpfr_t z;
    mpfr_init2(z, mpfr_get_prec(y));
    mpfr_sqr(z, x, MPFR_RNDN);
    mpfr_mul_d(z, z, 0.044715, MPFR_RNDN);
    mpfr_add_ui(z, z, 1, MPFR_RNDN);
    mpfr_mul(z, z, x, MPFR_RNDN);
    mpfr_const_pi(y, MPFR_RNDN);
    mpfr_ui_div(y, 8, y, MPFR_RNDN); /* twice the root of 2 / pi */
    mpfr_sqrt(y, y, MPFR_RNDN);
    mpfr_mul(z, z, y, MPFR_RNDN);
    exact_sigmoid(y, z, k);
    mpfr_clear(z);
    return mpfr_mul(y, y, x, MPFR_RNDN);
}

/* Where numbers are taken from: an interval evenly, and so many powers of two evenly, of both signs where `negative`.
 *
 * `limit`: ulps of fp64, an ulp being 2^-53 to 2^-52 of the result. What is made of e^t has the error of t, |t| times
 * what t loses: one rounding in x^k (t = k log x, whose log has 2 ulps of its own: 3 |t|), three of half an ulp in
 * gelu (t = x^2 / 2, twice that of x / sqrt 2 and that of the square: 4 |t| <= 4 (13^2 / 2), or 4 (16^2 / 2) in the
 * powers of two), three and those of x^3 in gelu_tanh (|t| <= 318: 4 |t|).
 *
 * In fp32 every result is at most 0.5 + 2^-16 ulps off: the nearest number, but where the exact result is within 2^-16
 * ulps of the middle of two. 2^-16 ulps of fp32 are 2^13 of fp64. */
typedef struct function_case {
    const char *name;
    bndi_formula_name formula;
    exact *f;
    double k, low, high; /* of numbers */
    int lowest, highest; /* of exponents */
    bool negative;
    double limit;
    uint64_t count;
} function_case;

enum { MANY = 100000, FEW = 20000 };
static const function_case functions[] = {
    {"exp", BNDI_F_exp, exact_exp, 0, -746, 710, -60, 9, true, 1, MANY},
    {"log", BNDI_F_log, exact_log, 0, 0.25, 4, -1074, 1023, false, 2, MANY},
    {"tanh", BNDI_F_tanh, exact_tanh, 0, -20, 20, -1000, 6, true, 3, MANY},
    {"erf", BNDI_F_erf, exact_erf, 0, -6, 6, -1000, 4, true, 3, MANY},
    {"sqrt", BNDI_F_sqrt, exact_sqrt, 0, 0, 4, -1074, 1023, false, 0.5, FEW},
    {"rsqrt", BNDI_F_rsqrt, exact_rsqrt, 0, 0.25, 4, -1074, 1023, false, 1.5, FEW},
    {"sigmoid", BNDI_F_sigmoid, exact_sigmoid, 0, -744, 40, -60, 9, true, 2, FEW},
    {"silu", BNDI_F_silu, exact_silu, 0, -700, 40, -60, 8, true, 3, FEW},
    {"gelu", BNDI_F_gelu, exact_gelu, 0, -13, 6, -60, 3, true, 512, FEW},
    {"gelu_tanh", BNDI_F_gelu_tanh, exact_gelu_tanh, 0, -9, 6, -60, 3, true, 1272, FEW},
    {"x^3", BNDI_F_power, exact_power, 3, -10, 10, -300, 300, true, 2, FEW},
    {"x^-1.5", BNDI_F_power, exact_power, -1.5, 0, 10, -60, 60, false, 190, FEW}, /* |t| <= 63.4 */
    {"x^100", BNDI_F_power, exact_power, 100, -30, 30, -3, 4, true, 2130, FEW},   /* |t| <= 710 */
    {"x^-77", BNDI_F_power, exact_power, -77, -30, 30, -3, 4, true, 2130, FEW},
};

/* |y - f| in units of the last place of fp64 (bits 53, lowest -1074) or fp32. */
static double ulps_off(double y, mpfr_srcptr f, int bits, int lowest)
{
    long exponent = mpfr_zero_p(f) ? lowest : (long)mpfr_get_exp(f) - bits;
    mpfr_t difference;
    mpfr_init2(difference, 160);
    mpfr_sub_d(difference, f, y, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -(exponent > lowest ? exponent : lowest), MPFR_RNDN);
    double ulps = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return ulps;
}

static double sample(const function_case *c, uint64_t i)
{
    uint64_t bits = bnd_random(11, (uint64_t)c->formula, i);
    double share = (double)(bits >> 11) * 0x1p-53;
    if (i % 2 == 0) {
        return c->low + (c->high - c->low) * share;
    }
    double x = ldexp(1 + share, c->lowest + (int)below((uint64_t)(c->highest - c->lowest + 1), 12, i));
    return c->negative && bits % 2 == 1 ? -x : x;
}

typedef struct worst {
    double ulps, at;
} worst;

static void note(worst *w, double y, mpfr_srcptr f, double x, bool narrow)
{
    double largest = narrow ? (double)0x1.fffffep127f : 0x1.fffffffffffffp1023;
    bool too_large = mpfr_cmp_d(f, largest) > 0 || mpfr_cmp_d(f, -largest) < 0;
    double ulps = too_large ? (isinf(y) || fabs(y) == largest ? 0 : INFINITY)
                            : ulps_off(y, f, narrow ? 24 : 53, narrow ? -149 : -1074);
    if (!(ulps <= w->ulps)) {
        *w = (worst){ulps, x};
    }
}

static void measure(const function_case *c, uint64_t count, worst *wide, worst *narrow)
{
    mpfr_t x, f;
    mpfr_init2(x, 53);
    mpfr_init2(f, 110);
    for (uint64_t i = 0; i < count; i++) {
        double from = sample(c, i), y;
        bndi_maths_portable.formula[BNDI_WORDS_64][c->formula](&y, (const void *[]){&from, NULL, NULL}, c->k, 1);
        mpfr_set_d(x, from, MPFR_RNDN);
        c->f(f, x, c->k);
        note(wide, y, f, from, false);
        float short_from = (float)from, short_y;
        bndi_maths_portable.formula[BNDI_WORDS_32][c->formula](&short_y, (const void *[]){&short_from, NULL, NULL},
                                                               c->k, 1);
        if (isinf(short_from) || (short_from == 0 && c->k < 0) || i % 2 == 1) {
            continue;
        }
        mpfr_set_d(x, (double)short_from, MPFR_RNDN);
        c->f(f, x, c->k);
        note(narrow, (double)short_y, f, (double)short_from, true);
    }
    mpfr_clear(f);
    mpfr_clear(x);
    mpfr_free_cache();
}

static void test_accuracy(void)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const function_case *c = &functions[i];
        worst wide = {0}, narrow = {0};
        measure(c, scaled(c->count), &wide, &narrow);
        bool good = wide.ulps <= c->limit && narrow.ulps <= 0.5 + 0x1p-16;
        if (!good || getenv("BND_TEST_VERBOSE") != NULL) {
            printf("\n    %-9s fp64: %.3g ulps at %a; fp32: %.9g at %a", c->name, wide.ulps, wide.at, narrow.ulps,
                   narrow.at);
        }
        CU_ASSERT_TRUE(good);
    }
}

CU_TestInfo accuracy_tests[] = {
    {"accuracy", test_accuracy},
    CU_TEST_INFO_NULL,
};
