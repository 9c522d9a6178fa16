/* The loops of maths.h: every back end gives the bits of the portable one. NaN is NaN: which of its operands' NaNs a
 * processor hands on depends on the order that a compiler gives them, so signs and payloads of NaNs are promised to
 * nobody. */
#include "base/bits.h"
#include "tensor/maths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        return bndi_double_of_bits(bits);
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
    for (unsigned b = BND_BACKEND_PORTABLE + 1; b < BND_BACKEND_COUNT; b++) {
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
    other others[BND_BACKEND_COUNT];
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
    other others[BND_BACKEND_COUNT];
    size_t count = others_here(others);
    for (uint64_t seed = 0; seed < scaled(20 * LENGTHS); seed++) {
        for (size_t o = 0; o < count; o++) {
            for (unsigned loop = 0; loop < ROW_LOOPS; loop++) {
                compare_row(&others[o], loop, seed);
            }
        }
    }
}

/* ---- AdamW ---- */

enum { W, M, V, DIVISOR, CHANGE, ADAM_ARRAYS };

/* The operations of a step one by one. */
static void adam_by_formulas(const bndi_adam *k, array *x, const array *g, size_t n)
{
    bndi_formula *const *f = bndi_maths_portable.formula[BNDI_WORDS_32];
    float *w = x[W].f32, *m = x[M].f32, *v = x[V].f32, *t = x[DIVISOR].f32;
    f[BNDI_F_scale](w, (const void *[]){w, NULL, NULL}, k->keep, n);
    f[BNDI_F_scale](m, (const void *[]){m, NULL, NULL}, k->beta1, n);
    f[BNDI_F_add_scaled](m, (const void *[]){m, g->f32, NULL}, k->rest1, n);
    f[BNDI_F_mul](t, (const void *[]){g->f32, g->f32, NULL}, 0, n);
    f[BNDI_F_scale](t, (const void *[]){t, NULL, NULL}, k->rest2, n);
    f[BNDI_F_scale](v, (const void *[]){v, NULL, NULL}, k->beta2, n);
    f[BNDI_F_add_scaled](v, (const void *[]){v, t, NULL}, 1, n);
    f[BNDI_F_sqrt](t, (const void *[]){v, NULL, NULL}, 0, n);
    f[BNDI_F_scale](t, (const void *[]){t, NULL, NULL}, k->correction, n);
    f[BNDI_F_shift](t, (const void *[]){t, NULL, NULL}, k->epsilon, n);
    f[BNDI_F_scaled_quotient](x[CHANGE].f32, (const void *[]){m, t, NULL}, k->rate, n);
}

/* At most `n` elements are written, and the sums of two that a step ends with begin at +0. */
static void compare_adam(const other *o, uint64_t seed)
{
    static array want[ADAM_ARRAYS], got[ADAM_ARRAYS], g, sums;
    const bndi_adam k = {.keep = seed % 2 == 0 ? 1 : 0.99999,
                         .beta1 = 0.9,
                         .rest1 = 1 - 0.9,
                         .beta2 = 0.999,
                         .rest2 = 1 - 0.999,
                         .correction = 31.6 / (double)(1 + seed % 7),
                         .epsilon = 1e-8,
                         .rate = -1e-3};
    const size_t n = seed % LENGTHS;
    fill(&g, BNDI_WORDS_32, seed + 1000);
    for (unsigned i = 0; i < ADAM_ARRAYS; i++) {
        fill(&want[i], BNDI_WORDS_32, 7 * seed + i);
        got[i] = want[i];
    }
    adam_by_formulas(&k, want, &g, n);
    o->maths->adam(&k, got[W].f32, got[M].f32, got[V].f32, g.f32, got[DIVISOR].f32, got[CHANGE].f32, n);
    for (unsigned i = 0; i < ADAM_ARRAYS; i++) {
        const size_t at = first_difference(&want[i], &got[i], BNDI_WORDS_32, ROOM);
        if (at != ROOM) {
            printf("\n    adam on %s: array %u, element %zu of %zu, seed %llu\n", o->name, i, at, n,
                   (unsigned long long)seed);
        }
        CU_ASSERT_EQUAL(at, ROOM);
    }
    o->maths->sums_of_two(sums.f64, want[W].f32, want[CHANGE].f32, n);
    for (size_t i = 0; i < n; i++) {
        const double sum = 0 + (double)want[W].f32[i] + (double)want[CHANGE].f32[i];
        CU_ASSERT_TRUE(same_double(sums.f64[i], sum));
    }
}

/* x = of_x x + of_y y, also where y is x. */
static void compare_combination(const other *o, uint64_t seed)
{
    static array x, y, got;
    const double of_x = 3.4445, of_y = seed % 3 == 0 ? 1 : -4.775;
    const size_t n = seed % LENGTHS;
    fill(&x, BNDI_WORDS_32, 3 * seed);
    fill(&y, BNDI_WORDS_32, 3 * seed + 1);
    got = x;
    const float *second = seed % 2 == 0 ? y.f32 : got.f32;
    const array *of_second = seed % 2 == 0 ? &y : &x;
    o->maths->combine(got.f32, of_x, second, of_y, n);
    for (size_t i = 0; i < n; i++) {
        const double sum = of_x * (double)x.f32[i] + of_y * (double)of_second->f32[i];
        CU_ASSERT_TRUE(same_double((double)got.f32[i], (double)(float)sum));
    }
    CU_ASSERT_EQUAL(memcmp(got.f32 + n, x.f32 + n, (ROOM - n) * sizeof *x.f32), 0);
}

static void test_adam(void)
{
    other all[BND_BACKEND_COUNT] = {{"portable", &bndi_maths_portable}};
    const size_t count = 1 + others_here(all + 1);
    for (uint64_t seed = 0; seed < scaled(8 * LENGTHS); seed++) {
        for (size_t o = 0; o < count; o++) {
            compare_adam(&all[o], seed);
            compare_combination(&all[o], seed);
        }
    }
}

CU_TestInfo maths_tests[] = {
    {"formulas on every back end", test_formulas},
    {"rows on every back end", test_row_loops},
    {"AdamW at once and step by step, sums of multiples", test_adam},
    CU_TEST_INFO_NULL,
};
