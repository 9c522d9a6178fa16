/* Neighbours against an enumeration of all values, and the order of exact values against rationals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/comparison.h"
#include "tests.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All values in order, infinities too, one zero. */
static size_t enumerate(double *values, const bnd_format *f)
{
    size_t count = 0;
    for (uint64_t code = 0; code < UINT64_C(1) << f->width; code++) {
        double x;
        bnd_oracle_kind kind = bnd_oracle_decode(&x, f, code);
        if (kind <= BND_ORACLE_INFINITE && !(x == 0.0 && signbit(x))) {
            values[count++] = x;
        }
    }
    qsort(values, count, sizeof *values, by_value);
    return count;
}

/* `want` is NaN where there is no neighbour. */
static void check_neighbour(comparison *b, const bnd_format *f, double x, int direction, double want)
{
    bnd_exact found;
    bool any = bnd_neighbour(&found, f, bnd_exact_double(x), direction);
    bool same = any == !isnan(want);
    if (same && any) {
        same = found.kind <= BND_KIND_INFINITE && bnd_exact_compare(found, bnd_exact_double(want)) == 0;
        double code_value;
        bnd_oracle_decode(&code_value, f, bnd_pack(f, found));
        same = same && code_value == want;
    }
    if (comparison_note(b, same)) {
        printf("%s: %s, %s %a: %s, want %a\n", b->what, f->name, direction > 0 ? "above" : "below", x,
               any ? "another value" : "none", want);
    }
}

static void check_format(comparison *b, const bnd_format *f, double *values)
{
    size_t count = enumerate(values, f);
    double none = (double)NAN;
    for (size_t i = 0; i < count; i += scaled_stride()) {
        check_neighbour(b, f, values[i], 1, i + 1 < count ? values[i + 1] : none);
        check_neighbour(b, f, values[i], -1, i > 0 ? values[i - 1] : none);
        if (i + 1 < count && isfinite(values[i]) && isfinite(values[i + 1])) {
            double between = values[i] / 2 + values[i + 1] / 2;
            check_neighbour(b, f, between, 1, values[i + 1]);
            check_neighbour(b, f, between, -1, values[i]);
            check_neighbour(b, f, nextafter(values[i], (double)INFINITY), -1, values[i]);
            check_neighbour(b, f, nextafter(values[i + 1], (double)-INFINITY), 1, values[i + 1]);
        }
    }
    double low = values[0], high = values[count - 1];
    check_neighbour(b, f, -0x1p1000, -1, isinf(low) ? low : none);
    check_neighbour(b, f, -0x1p1000, 1, isinf(low) ? values[1] : low);
    check_neighbour(b, f, 0x1p1000, 1, isinf(high) ? high : none);
    check_neighbour(b, f, 0x1p1000, -1, isinf(high) ? values[count - 2] : high);
    check_neighbour(b, f, (double)INFINITY, 1, none);
    check_neighbour(b, f, (double)INFINITY, -1, isinf(high) ? values[count - 2] : high);
    if (low > 0.0) {
        check_neighbour(b, f, 0.0, 1, low);
        check_neighbour(b, f, 0.0, -1, none);
    }
    check_neighbour(b, f, -(double)INFINITY, -1, none);
    check_neighbour(b, f, -(double)INFINITY, 1, isinf(low) ? values[1] : low);
    check_neighbour(b, f, (double)NAN, 1, none);
    check_neighbour(b, f, (double)NAN, -1, none);
}

static void test_neighbours(void)
{
    comparison b;
    comparison_open(&b, "neighbour");
    size_t count = small_formats(NULL, 16, 8);
    bnd_format *formats = calloc(count, sizeof *formats);
    double *values = calloc(1 << 16, sizeof *values);
    CU_ASSERT_FATAL(formats != NULL && values != NULL);
    small_formats(formats, 16, 8);
    for (size_t i = 0; i < count; i++) {
        check_format(&b, &formats[i], values);
    }
    free(values);
    free(formats);
    comparison_close(&b);
}

/* A value set with fp16's precision and exponents has fp16's neighbours, and fp16's classes. */
static void test_value_set_like_fp16(void)
{
    comparison b;
    comparison_open(&b, "value set like fp16");
    bnd_format fp16 = format_named("fp16"), set = format_named("p11emin-14emax15");
    uint64_t count = scaled(100000);
    for (uint64_t i = 0; i < count; i++) {
        double x = stratified_double(&fp16, 11, i);
        int direction = i / 16 % 2 ? 1 : -1;
        bnd_exact one, other;
        bool first = bnd_neighbour(&one, &fp16, bnd_exact_double(x), direction);
        bool second = bnd_neighbour(&other, &set, bnd_exact_double(x), direction);
        if (comparison_note(&b, first == second && (!first || bnd_exact_compare(one, other) == 0))) {
            printf("%s: %s %a\n", b.what, direction > 0 ? "above" : "below", x);
        }
        bnd_exact value = bnd_unpack(&fp16, bnd_random(11, 3, i));
        if (comparison_note(&b, bnd_classify(&fp16, value) == bnd_classify(&set, value))) {
            printf("%s: 0x%llx * 2^%d has another class\n", b.what, (unsigned long long)value.low, (int)value.exponent);
        }
    }
    comparison_close(&b);
}

/* A random exact value, often close to or the same as another one under a different spelling. */
static bnd_exact random_exact(uint64_t i)
{
    uint64_t a = bnd_random(31, 1, i), c = bnd_random(31, 2, i / 2);
    bnd_exact x = {.kind = BND_KIND_FINITE, .low = c >> (c & 63), .exponent = (int32_t)(c >> 8 & 31) - 16};
    unsigned shift = a & 63;
    if (x.low == 0 || (a >> 60) == 0) {
        return (bnd_exact){.kind = a & 1 ? BND_KIND_ZERO : BND_KIND_INFINITE, .negative = a >> 1 & 1};
    }
    if (a >> 32 & 1) { /* the same number further up in the 128 bits */
        x.high = shift == 0 ? 0 : x.low >> (64 - shift);
        x.low <<= shift;
        x.exponent -= (int32_t)shift;
    }
    x.low += (a >> 33 & 1) != 0 && x.low != UINT64_MAX;
    x.negative = (a >> 34 & 7) == 0;
    return x;
}

static void to_rational(mpq_t out, const bnd_exact *x)
{
    mpz_set_ui(mpq_numref(out), x->high);
    mpz_mul_2exp(mpq_numref(out), mpq_numref(out), 64);
    mpz_add_ui(mpq_numref(out), mpq_numref(out), x->low);
    mpz_set_ui(mpq_denref(out), 1);
    if (x->kind == BND_KIND_INFINITE) { /* further out than any number here */
        mpq_set_ui(out, 1, 1);
        mpq_mul_2exp(out, out, 1000);
    } else if (x->exponent >= 0) {
        mpq_mul_2exp(out, out, (mp_bitcnt_t)x->exponent);
    } else {
        mpq_div_2exp(out, out, (mp_bitcnt_t)-x->exponent);
    }
    if (x->negative) {
        mpq_neg(out, out);
    }
}

static void test_exact_compare(void)
{
    comparison b;
    mpq_t p, q;
    comparison_open(&b, "compare");
    mpq_inits(p, q, (mpq_ptr)NULL);
    uint64_t count = scaled(200000);
    for (uint64_t i = 0; i < count; i++) {
        bnd_exact x = random_exact(2 * i), y = random_exact(2 * i + 1);
        to_rational(p, &x);
        to_rational(q, &y);
        int want = mpq_cmp(p, q);
        want = (want > 0) - (want < 0);
        bool same = bnd_exact_compare(x, y) == want && bnd_exact_compare(y, x) == -want;
        if (x.kind == BND_KIND_FINITE && want == 0) { /* what follows the last bit decides */
            bnd_exact more = x;
            more.sticky = true;
            same = same && bnd_exact_compare(more, y) == (x.negative ? -1 : 1);
            same = same && bnd_exact_compare(y, more) == (x.negative ? 1 : -1);
        }
        if (comparison_note(&b, same)) {
            gmp_printf("%s: %Qd with %Qd is not %d\n", b.what, p, q, want);
        }
    }
    mpq_clears(p, q, (mpq_ptr)NULL);
    comparison_close(&b);
}

CU_TestInfo order_tests[] = {
    {"neighbours", test_neighbours},
    {"a value set like fp16", test_value_set_like_fp16},
    {"comparison of exact values", test_exact_compare},
    CU_TEST_INFO_NULL,
};
