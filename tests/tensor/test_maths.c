/* The loops of maths.h: every back end gives the bits of the portable one, and the functions are as near to the exact
 * ones (MPFR's) as the bounds below say. NaN is NaN: which of its operands' NaNs a processor hands on depends on the
 * order that a compiler gives them, so signs and payloads of NaNs are promised to nobody. */
#include "tensor/maths.h"

#include <fenv.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "tests.h"

/* ---- back ends ---- */

enum { LENGTHS = 51, OFFSETS = 3, ROOM = 1024 + OFFSETS + 1 };

/* Numbers of all kinds: bits, moderate ones, ties of maximum and minimum, specials. */
static double any_double(uint64_t seed, uint64_t i)
{
    static const double specials[] = {0.0,   -0.0,   INFINITY,  -INFINITY, NAN,        1,
                                      -1,    0.5,    0x1p-1074, 0x1p-1022, -0x1p-1030, 0x1.fffffffffffffp1023,
                                      709.8, -745.2, 1e-30,     20};
    uint64_t bits = bnd_random(seed, 1, i);
    double share = (double)(bits >> 11) * 0x1p-53;
    switch (below(8, seed, i)) {
    case 0:
        return double_of_bits(bits);
    case 1:
        return specials[bits % (sizeof specials / sizeof specials[0])];
    case 2:
        return (double)(bits % 5) - 2;
    case 3:
        return ldexp(share - 0.5, (int)(bits % 300) - 150);
    default:
        return 20 * (share - 0.5);
    }
}

typedef union array {
    float f32[ROOM];
    double f64[ROOM];
    unsigned char bytes[ROOM * sizeof(double)];
} array;

static void fill(array *a, bndi_width width, uint64_t seed)
{
    for (size_t i = 0; i < ROOM; i++) {
        if (width == BNDI_WORDS_32) {
            a->f32[i] = (float)any_double(seed, i);
        } else {
            a->f64[i] = any_double(seed, i);
        }
    }
}

static bool same_double(double x, double y)
{
    return bits_of_double(x) == bits_of_double(y) || (isnan(x) && isnan(y));
}

/* The first of n elements whose bits differ; n: none. */
static size_t first_difference(const array *a, const array *b, bndi_width width, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double x = width == BNDI_WORDS_32 ? (double)a->f32[i] : a->f64[i];
        double y = width == BNDI_WORDS_32 ? (double)b->f32[i] : b->f64[i];
        if (!same_double(x, y)) {
            return i;
        }
    }
    return n;
}

typedef struct other {
    const char *name;
    const bndi_maths *maths;
} other;

/* The back ends of this machine but the portable one. */
static size_t others_here(other *others)
{
    size_t count = 0;
    for (unsigned b = BND_BACKEND_PORTABLE + 1; b < BND_BACKENDS; b++) {
        const bnd_context context = {.backend = (uint8_t)b};
        if (bnd_backend_here((bnd_backend)b)) {
            others[count++] = (other){bnd_backend_name((bnd_backend)b), bndi_maths_of(&context)};
        }
    }
    return count;
}

static const char *const formula_names[BNDI_FORMULAS] = {
    [BNDI_F_NONE] = "",
#define FORMULA(name, expression) [BNDI_F_##name] = #name,
#include "tensor/formulas.def"
#undef FORMULA
};

/* y = f(x...) of n elements from element `offset` on, in the place of x[0] or in its own; what lies around the result
 * is left alone. */
static void run_formula(array *y, bndi_formula *f, const array *x, bndi_width width, size_t offset, size_t n, double k,
                        bool in_place)
{
    size_t size = width == BNDI_WORDS_32 ? sizeof(float) : sizeof(double), at = offset * size;
    *y = x[in_place ? 0 : 3];
    f(y->bytes + at, (const void *[]){in_place ? y->bytes + at : x[0].bytes + at, x[1].bytes + at, x[2].bytes + at}, k,
      n);
    const array *around = &x[in_place ? 0 : 3];
    CU_ASSERT_EQUAL(memcmp(y->bytes, around->bytes, at), 0);
    CU_ASSERT_EQUAL(memcmp(y->bytes + at + n * size, around->bytes + at + n * size, ROOM * size - at - n * size), 0);
}

static void compare_formula(const other *o, unsigned name, bndi_width width, const array *x, uint64_t seed)
{
    static const double ks[] = {0.5, 3, -2, 0.3, 100, -77, -1, 0};
    double k = ks[seed % 8];
    size_t n = seed % LENGTHS, offset = seed % OFFSETS;
    array want, got;
    if (below(40, seed, 3) == 0) {
        n = ROOM - OFFSETS - 1;
    }
    run_formula(&want, bndi_maths_portable.formula[width][name], x, width, offset, n, k, false);
    run_formula(&got, o->maths->formula[width][name], x, width, offset, n, k, seed % 2 == 0);
    const array *a = &want, *b = &got;
    size_t size = width == BNDI_WORDS_32 ? sizeof(float) : sizeof(double);
    memmove(want.bytes, want.bytes + offset * size, n * size);
    memmove(got.bytes, got.bytes + offset * size, n * size);
    size_t at = first_difference(a, b, width, n);
    if (at != n) {
        printf("\n    %s of fp%d on %s: element %zu of %zu, k %g, seed %llu\n", formula_names[name],
               width == BNDI_WORDS_32 ? 32 : 64, o->name, at, n, k, (unsigned long long)seed);
    }
    CU_ASSERT_EQUAL(at, n);
}

static void test_formulas(void)
{
    other others[BND_BACKENDS];
    size_t count = others_here(others);
    array *x = malloc(4 * sizeof *x);
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    for (unsigned width = BNDI_WORDS_32; width <= BNDI_WORDS_64; width++) {
        for (uint64_t seed = 0; seed < scaled(4 * LENGTHS * OFFSETS); seed++) {
            for (unsigned i = 0; i < 4 && seed % 8 == 0; i++) {
                fill(&x[i], (bndi_width)width, 4 * seed + i);
            }
            for (size_t o = 0; o < count; o++) {
                for (unsigned name = BNDI_F_NONE + 1; name < BNDI_FORMULAS; name++) {
                    compare_formula(&others[o], name, (bndi_width)width, x, seed);
                }
            }
        }
    }
    free(x);
}

/* ---- rows ---- */

enum { ROW_LOOPS = 16, MOST = 1000 };

static void narrow(float *y, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = (float)x[i];
    }
}

/* Loops over rows of numbers of a width: softmax, norm with and without mean, gain and bias, and their ways back. y has
 * room for two rows. */
static double run_typed_row(void *y, const bndi_maths *m, bndi_width width, unsigned loop, const void *a, const void *b,
                            const double *gain, const double *k, size_t n)
{
    double scratch[MOST + 2], gains[MOST + 2] = {0}, biases[MOST + 2] = {0}, sum = 0;
    bool with = n % 2 == 0;
    bndi_normal f = {.gain = with ? gain : NULL, .bias = with ? gain + 1 : NULL, .epsilon = 1e-5, .centred = with};
    switch (loop) {
    case 0:
        m->softmax[width](y, a, scratch, n);
        return 0;
    case 1:
        m->softmax_back[width](y, a, b, n);
        return 0;
    case 2:
        m->norm[width](y, a, &f, n);
        return f.mean + 3 * f.factor;
    default:
        f.mean = k[1];
        f.factor = k[2];
        m->norm_back[width](n % 3 == 0 ? NULL : y, gains, biases, a, b, &f, n);
        for (size_t i = 0; i < n; i++) {
            sum += gains[i] * (double)(i + 1) + biases[i];
        }
        return sum;
    }
}

/* Loop number `loop` over rows of n; its result where it is a number, and y where it is a row. */
static double run_row(double *y, const bndi_maths *m, unsigned loop, const double *a, const double *b, const double *k,
                      size_t n)
{
    static float narrow_a[MOST + 1], narrow_b[MOST + 1];
    if (loop >= 8) {
        bool wide = loop % 2 == 0;
        narrow(narrow_a, a, n);
        narrow(narrow_b, b, n);
        return run_typed_row(y, m, wide ? BNDI_WORDS_64 : BNDI_WORDS_32, (loop - 8) / 2,
                             wide ? (const void *)a : narrow_a, wide ? (const void *)b : narrow_b, b, k, n);
    }
    switch (loop) {
    case 0:
        return m->largest(a, n);
    case 1:
        return m->sum(a, n);
    case 2:
        return m->sum_products(a, b, n);
    case 3:
        return m->exponentials(y, a, k[0], n);
    case 4:
        m->linear(y, a, k[0], k[1], n);
        return 0;
    case 5:
        m->add[BNDI_WORDS_64](y, a, n);
        return 0;
    case 6:
        narrow(narrow_a, a, n);
        m->add[BNDI_WORDS_32](y, narrow_a, n);
        return 0;
    default:
        m->add_scaled(y, a, k[1], n);
        return 0;
    }
}

/* Rows of plain numbers, and rows with everything in them; few values, so that there are zeros of both signs to choose
 * the largest from. */
static void fill_row(double *x, size_t n, uint64_t seed)
{
    static const double few[] = {-1, -0.0, 0.0, -2};
    for (size_t i = 0; i < n; i++) {
        double share = (double)(bnd_random(seed, 2, i) >> 11) * 0x1p-53;
        x[i] = seed % 3 == 0 ? any_double(seed, i) : seed % 3 == 1 ? 8 * (share - 0.5) : few[below(4, seed, i)];
    }
}

static void compare_row(const other *o, unsigned loop, uint64_t seed)
{
    static double a[MOST + 1], b[MOST + 2], want[MOST + 2], got[MOST + 2];
    size_t n = below(20, seed, 5) == 0 ? 51 + below(MOST - 51, seed, 6) : seed % LENGTHS;
    size_t odd = seed % 2; /* not at a vector's place */
    double k[3] = {any_double(seed, 1001), 3 * ((double)below(1000, seed, 7) / 1000 - 0.5), 0.7};
    k[0] = seed % 3 == 0 ? k[0] : 0.3;
    fill_row(a, MOST + 1, seed);
    fill_row(b, MOST + 2, seed + 3000);
    fill_row(want, MOST + 2, seed + 6000);
    memcpy(got, want, sizeof got);
    double expected = run_row(want + odd, &bndi_maths_portable, loop, a + odd, b + odd, k, n);
    double result = run_row(got + odd, o->maths, loop, a + odd, b + odd, k, n);
    bool same = same_double(expected, result);
    for (size_t i = 0; i < MOST + 2; i++) {
        same = same && same_double(want[i], got[i]);
    }
    if (!same) {
        printf("\n    row loop %u on %s: %zu elements, seed %llu: %a instead of %a\n", loop, o->name, n,
               (unsigned long long)seed, result, expected);
    }
    CU_ASSERT_TRUE(same);
}

static void test_row_loops(void)
{
    other others[BND_BACKENDS];
    size_t count = others_here(others);
    for (uint64_t seed = 0; seed < scaled(20 * LENGTHS); seed++) {
        for (size_t o = 0; o < count; o++) {
            for (unsigned loop = 0; loop < ROW_LOOPS; loop++) {
                compare_row(&others[o], loop, seed);
            }
        }
    }
}

/* ---- accuracy ---- */

/* An exact function, to the precision of y: some 96 bits. */
typedef int exact(mpfr_ptr y, mpfr_srcptr x, double k);

static int exact_exp(mpfr_ptr y, mpfr_srcptr x, double k)
{
    (void)k;
    return mpfr_exp(y, x, MPFR_RNDN);
}

static int exact_log(mpfr_ptr y, mpfr_srcptr x, double k)
{
    (void)k;
    return mpfr_log(y, x, MPFR_RNDN);
}

static int exact_tanh(mpfr_ptr y, mpfr_srcptr x, double k)
{
    (void)k;
    return mpfr_tanh(y, x, MPFR_RNDN);
}

static int exact_erf(mpfr_ptr y, mpfr_srcptr x, double k)
{
    (void)k;
    return mpfr_erf(y, x, MPFR_RNDN);
}

static int exact_sqrt(mpfr_ptr y, mpfr_srcptr x, double k)
{
    (void)k;
    return mpfr_sqrt(y, x, MPFR_RNDN);
}

static int exact_rsqrt(mpfr_ptr y, mpfr_srcptr x, double k)
{
    (void)k;
    return mpfr_rec_sqrt(y, x, MPFR_RNDN);
}

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

/* ---- the caller's floating-point environment ---- */

#if defined(__SSE2__)
static unsigned be_hostile(unsigned kind)
{
    static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    enum { FLUSH_AND_DAZ = 0x8040 };
    unsigned before = _mm_getcsr();
    fesetround(roundings[kind % 4]);
    _mm_setcsr(_mm_getcsr() | (kind % 2 == 0 || kind == 3 ? FLUSH_AND_DAZ : 0));
    return before;
}

static unsigned control(void)
{
    return _mm_getcsr();
}

static void be_kind(unsigned before)
{
    fesetround(FE_TONEAREST);
    _mm_setcsr(before);
}
#else
static unsigned be_hostile(unsigned kind)
{
    static const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    fesetround(roundings[kind % 4]);
    return 0;
}

static unsigned control(void)
{
    return (unsigned)fegetround();
}

static void be_kind(unsigned before)
{
    (void)before;
    fesetround(FE_TONEAREST);
}
#endif
enum { HOSTILE_KINDS = 4, SIDE = 24 };

typedef struct one_way {
    bnd_tensor_operation operation;
    size_t operands;
    double number;
    bool positive; /* of positive numbers only */
} one_way;

/* What an operation and its way back make of fp32 numbers, some subnormal: the result first, then the gradients. */
static size_t run_operation(float *out, const one_way *w, const char *policy_text)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_policy policy;
    bnd_format fp32 = format_named("fp32");
    float x[SIDE * SIDE];
    bnd_tensor *in[3] = {NULL}, *y = NULL, *squares = NULL, *loss = NULL;
    bnd_attributes attributes = {.number = {w->number}, .flag = false};
    size_t n = 0;
    CU_ASSERT_TRUE(succeeds(bnd_policy_parse(&policy, policy_text, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_engine_set_policy(engine, &policy, &why), &why));
    for (size_t i = 0; i < w->operands; i++) {
        bool vector = i == 2 || (i == 1 && w->operation == BND_TENSOR_LAYER_NORM);
        bool indices = i == 1 && w->operation == BND_TENSOR_CROSS_ENTROPY;
        for (size_t j = 0; j < SIDE * SIDE; j++) {
            uint32_t bits = (uint32_t)bnd_random(5 + i, 0, j) & (w->positive ? 0x407fffff : 0xc07fffff);
            bits = indices ? 0 : j % 5 == 0 ? bits & 0x807fffff : (bits & 0xc07fffff) | 0x38000000;
            memcpy(&x[j], &bits, sizeof bits);
        }
        CU_ASSERT_TRUE(succeeds(bnd_tensor_from_f32(&in[i], engine, &fp32, x, (size_t[]){SIDE, SIDE},
                                                    vector || indices ? 1 : 2, BND_ROLE_PARAM, &why),
                                &why));
        bnd_tensor_want_gradient(in[i], !indices);
    }
    if (!succeeds(bnd_tensor_apply(&y, w->operation, in, w->operands, &attributes, &why), &why) ||
        !succeeds(bnd_tensor_pair(&squares, BND_TENSOR_MUL, y, y, &why), &why) ||
        !succeeds(bnd_tensor_map(&loss, BND_TENSOR_SUM, squares, &why), &why)) {
        CU_FAIL_FATAL("an operation that should work is refused");
    }
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(out, bnd_tensor_count(y), y, &why), &why));
    n += bnd_tensor_count(y);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_backward(loss, 1, &why), &why));
    for (size_t i = 0; i < w->operands; i++) {
        const bnd_tensor *gradient = bnd_tensor_gradient(in[i]);
        if (gradient != NULL) {
            CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(out + n, bnd_tensor_count(gradient), gradient, &why), &why));
            n += bnd_tensor_count(gradient);
        }
    }
    bnd_engine_free(engine);
    return n;
}

static bool same_floats(const float *a, const float *b, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        same = same && same_double((double)a[i], (double)b[i]);
    }
    return same;
}

static void test_environment(void)
{
    static const one_way ways[] = {
        {BND_TENSOR_ADD, 2, 0, false},
        {BND_TENSOR_MUL, 2, 0, false},
        {BND_TENSOR_DIV, 2, 0, true},
        {BND_TENSOR_POW, 1, 0.3, true},
        {BND_TENSOR_SCALE, 1, 0.3, false},
        {BND_TENSOR_EXP, 1, 0, false},
        {BND_TENSOR_LOG, 1, 0, true},
        {BND_TENSOR_SQRT, 1, 0, true},
        {BND_TENSOR_RSQRT, 1, 0, true},
        {BND_TENSOR_TANH, 1, 0, false},
        {BND_TENSOR_ERF, 1, 0, false},
        {BND_TENSOR_SIGMOID, 1, 0, false},
        {BND_TENSOR_GELU, 1, 0, false},
        {BND_TENSOR_GELU_TANH, 1, 0, false},
        {BND_TENSOR_SILU, 1, 0, false},
        {BND_TENSOR_SOFTMAX, 1, 0, false},
        {BND_TENSOR_LOG_SOFTMAX, 1, 0, false},
        {BND_TENSOR_LOGSUMEXP, 1, 0, false},
        {BND_TENSOR_MEAN, 1, 0, false},
        {BND_TENSOR_MAX, 1, 0, false},
        {BND_TENSOR_LAYER_NORM, 3, 1e-3, false},
        {BND_TENSOR_CROSS_ENTROPY, 2, 0, false},
        {BND_TENSOR_MATMUL, 2, 0, false},
        {BND_TENSOR_LINEAR, 3, 0, false},
        {BND_TENSOR_DROPOUT, 1, 0.3, false},
        {BND_TENSOR_TRIL, 1, 0, false},
    };
    static const char *const policies[] = {"", "pure=bf16,saved=e5m2", "act=fp16:sr,gemm=e4m3/mx,acc=fp16"};
    static float want[4 * SIDE * SIDE], got[4 * SIDE * SIDE];
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
            size_t n = run_operation(want, &ways[i], policies[p]);
            for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
                unsigned before = be_hostile(kind), hostile = control();
                size_t count = run_operation(got, &ways[i], policies[p]);
                unsigned after = control();
                be_kind(before);
                bool same = count == n && same_floats(want, got, n);
                if (!same) {
                    printf("\n    %s under \"%s\": other bits where the caller rounds otherwise (%u)\n",
                           bnd_tensor_operation_name(ways[i].operation), policies[p], kind);
                }
                CU_ASSERT_TRUE(same);
                CU_ASSERT_EQUAL(after & ~0x3fu, hostile & ~0x3fu);
            }
        }
    }
}

CU_TestInfo maths_tests[] = {
    {"formulas on every back end", test_formulas},
    {"rows on every back end", test_row_loops},
    {"accuracy", test_accuracy},
    {"the caller's environment", test_environment},
    CU_TEST_INFO_NULL,
};
