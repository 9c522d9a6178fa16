/* Dynamic 8-bit codes: the numbers by their definition, the nearest of all of them by looking at each. */
#include <binade/block.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "block/partial_array.h"
#include "model.h"
#include "tests.h"

enum { CODES = 256, N = 3000 };

/* As the definition has them, in any order, then sorted. */
static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void defined(double *numbers, bool is_signed)
{
    size_t n = 0;
    numbers[n++] = 0;
    numbers[n++] = 1;
    for (int i = 0; i < 7; i++) {
        int parts = 1 << (i + !is_signed);
        for (int part = 0; part < parts; part++) {
            double low = 0.1 + 0.9 * part / parts, high = 0.1 + 0.9 * (part + 1) / parts;
            double number = (low + high) / 2 * pow(10, i - 6);
            numbers[n++] = number;
            if (is_signed) {
                numbers[n++] = -number;
            }
        }
    }
    CU_ASSERT_EQUAL_FATAL(n, CODES);
    qsort(numbers, CODES, sizeof *numbers, by_size);
}

static void test_numbers(void)
{
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        double numbers[CODES];
        defined(numbers, is_signed);
        for (unsigned code = 0; code < CODES; code++) {
            double is = (double)bnd_dynamic_number((unsigned char)code, is_signed), should = numbers[code];
            CU_ASSERT_TRUE(fabs(is - should) <= 0x1p-23 * fabs(should));
            CU_ASSERT_TRUE(code == 0 || numbers[code] > numbers[code - 1]);
            if (is_signed && code < 255) {
                CU_ASSERT_EQUAL(is, -(double)bnd_dynamic_number((unsigned char)(254 - code), true));
            }
        }
    }
    /* The least and the largest below 1, by hand: 0.55e-6; 0.1e-6 + 0.225e-6 of two parts; 1 - 0.9 / 128 and / 256. */
    CU_ASSERT_EQUAL(bnd_dynamic_number(128, true), 5.5e-7f);
    CU_ASSERT_EQUAL(bnd_dynamic_number(1, false), 3.25e-7f);
    CU_ASSERT_EQUAL(bnd_dynamic_number(254, true), 0.99296875f);
    CU_ASSERT_EQUAL(bnd_dynamic_number(254, false), 0.996484375f);
}

/* Evenly spaced numbers: the nearest fp32 numbers to quotients in fp64, which are far from any middle. */
static void test_linear_numbers(void)
{
    for (unsigned code = 0; code < CODES; code++) {
        const double steps = (double)code - 127;
        CU_ASSERT_EQUAL(bnd_linear_number((unsigned char)code, false), (float)((double)code / 255));
        CU_ASSERT_EQUAL(bnd_linear_number((unsigned char)code, true), (float)(steps > 127 ? 1 : steps / 127));
    }
}

/* The four kinds of codes. */
static bnd_dynamic kind_of(unsigned kind, size_t block)
{
    return (bnd_dynamic){.block = block, .is_signed = (kind & 1) != 0, .is_linear = (kind & 2) != 0};
}

static float number_of(unsigned code, const bnd_dynamic *how)
{
    return how->is_linear ? bnd_linear_number((unsigned char)code, how->is_signed)
                          : bnd_dynamic_number((unsigned char)code, how->is_signed);
}

/* The nearest number, of two the one nearer to zero. */
static unsigned nearest(double x, const bnd_dynamic *how)
{
    unsigned best = how->is_signed ? 127 : 0;
    for (unsigned code = 0; code < CODES; code++) {
        double here = (double)number_of(code, how);
        double there = (double)number_of(best, how);
        bool closer = fabs(here - x) < fabs(there - x);
        best = closer || (fabs(here - x) <= fabs(there - x) && fabs(here) < fabs(there)) ? code : best;
    }
    return best;
}

static void test_codes_by(const bnd_context *context)
{
    static float x[N], y[N], scales[N];
    static unsigned char codes[N + 1];
    static const size_t sizes[] = {256, 1, 7, 5000};
    for (unsigned kind = 0; kind < 4; kind++) {
        for (size_t k = 0; k < 4; k++) {
            const bnd_dynamic how = kind_of(kind, sizes[k]);
            size_t count = bnd_dynamic_scales(N, &how);
            for (size_t i = 0; i < N; i++) {
                double share = (double)(bnd_random(k, 1, i) >> 40) * 0x1p-24 - 0.5;
                x[i] = (float)ldexp(share, -(int)(bnd_random(k, 2, i) % 24));
            }
            CU_ASSERT_EQUAL(count, (N + sizes[k] - 1) / sizes[k]);
            codes[N] = 77;
            CU_ASSERT_EQUAL_FATAL(bnd_lab_dynamic_quantize(codes, scales, x, N, &how, context, NULL), BND_OK);
            CU_ASSERT_EQUAL_FATAL(bnd_lab_dynamic_dequantize(y, codes, scales, N, &how, context, NULL), BND_OK);
            CU_ASSERT_EQUAL(codes[N], 77);
            unsigned wrong = 0;
            for (size_t i = 0; i < N; i++) {
                size_t first = i / sizes[k] * sizes[k], end = first + sizes[k] < N ? first + sizes[k] : N;
                float amax = 0;
                for (size_t j = first; j < end; j++) {
                    amax = fabsf(x[j]) > amax ? fabsf(x[j]) : amax;
                }
                wrong += scales[i / sizes[k]] != amax;
                wrong += codes[i] != nearest((double)(x[i] / amax), &how);
                wrong += y[i] != number_of(codes[i], &how) * amax;
            }
            CU_ASSERT_EQUAL(wrong, 0);
        }
    }
}

/* Every bound between two codes, exactly and one fp32 number to either side; and whole vectors of it. */
static void test_bounds_by(const bnd_context *context)
{
    enum { COUNT = 37 };
    for (unsigned kind = 0; kind < 4; kind++) {
        const bnd_dynamic how = kind_of(kind, COUNT);
        const unsigned last = kind == 3 ? 254 : 255; /* two codes of 1 */
        for (unsigned code = 0; code < last; code++) {
            double a = (double)number_of(code, &how);
            double b = (double)number_of(code + 1, &how);
            float middle = (float)((a + b) / 2),
                  x[COUNT] = {middle, nextafterf(middle, 2), nextafterf(middle, -2), 1, 0};
            float scale;
            unsigned char codes[COUNT];
            for (int i = 5; i < COUNT; i++) {
                x[i] = x[i % 5];
            }
            CU_ASSERT_EQUAL_FATAL(bnd_lab_dynamic_quantize(codes, &scale, x, COUNT, &how, context, NULL), BND_OK);
            for (int i = 0; i < COUNT; i++) {
                CU_ASSERT_EQUAL(codes[i], nearest((double)x[i], &how));
            }
        }
    }
}

static void by_every_back_end(void (*test)(const bnd_context *context))
{
    for (unsigned backend = 0; backend < BND_BACKEND_COUNT; backend++) {
        const bnd_context context = {.backend = (uint8_t)backend};
        if (bnd_backend_here((bnd_backend)backend)) {
            test(&context);
        }
    }
}

static void test_codes(void)
{
    by_every_back_end(test_codes_by);
}

static void test_bounds(void)
{
    by_every_back_end(test_bounds_by);
}

static void test_special(void)
{
    const float x[12] = {0, -0.0f, 0, 0, 1, NAN, 2, 3, -INFINITY, 1, 2, 3};
    const bnd_dynamic how = {.block = 4, .is_signed = true}, none = {.block = 0};
    float scales[3], y[12];
    unsigned char codes[12];
    bnd_error why;
    CU_ASSERT_EQUAL_FATAL(bnd_dynamic_quantize_f32(codes, scales, x, 12, &how, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_dynamic_dequantize_f32(y, codes, scales, 12, &how, NULL), BND_OK);
    CU_ASSERT_EQUAL(scales[0], 0);
    for (int i = 0; i < 12; i++) {
        CU_ASSERT_TRUE(i < 4 ? codes[i] == 127 && y[i] == 0 : isnan(y[i]));
    }
    CU_ASSERT_EQUAL(bnd_dynamic_quantize_f32(codes, scales, x, 12, &none, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_dynamic_dequantize_f32(y, codes, scales, SIZE_MAX / 2, &how, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_dynamic_quantize_f32(NULL, NULL, NULL, 0, &how, NULL), BND_OK);
    /* A negative number is nothing where there is no sign; a subnormal scale is one too. */
    const float small[2] = {-1e-40f, 1e-41f};
    const bnd_dynamic of_v = {.block = 2, .is_signed = false};
    CU_ASSERT_EQUAL_FATAL(bnd_dynamic_quantize_f32(codes, scales, small, 2, &of_v, NULL), BND_OK);
    CU_ASSERT_TRUE(scales[0] > 0 && codes[0] == 0 && codes[1] == nearest((double)(small[1] / 1e-40f), &of_v));
}

/* The caller's rounding mode changes nothing. */
static void test_environment(void)
{
    static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    const bnd_dynamic how = {.block = 64, .is_signed = true};
    float x[256], want[256], got[256], scales[4], numbers[CODES];
    unsigned char codes[256], again[256];
    for (size_t i = 0; i < 256; i++) {
        x[i] = normal_number(11, i);
        numbers[i] = bnd_dynamic_number((unsigned char)i, true);
    }
    CU_ASSERT_EQUAL_FATAL(bnd_dynamic_quantize_f32(codes, scales, x, 256, &how, NULL), BND_OK);
    CU_ASSERT_EQUAL_FATAL(bnd_dynamic_dequantize_f32(want, codes, scales, 256, &how, NULL), BND_OK);
    for (int i = 0; i < 3; i++) {
        unsigned wrong = 0;
        CU_ASSERT_EQUAL(fesetround(modes[i]), 0);
        for (size_t k = 0; k < CODES; k++) {
            wrong += bnd_dynamic_number((unsigned char)k, true) != numbers[k];
        }
        bnd_status status = bnd_dynamic_quantize_f32(again, scales, x, 256, &how, NULL);
        bnd_status back = bnd_dynamic_dequantize_f32(got, codes, scales, 256, &how, NULL);
        CU_ASSERT_EQUAL(fegetround(), modes[i]);
        CU_ASSERT_EQUAL(fesetround(FE_TONEAREST), 0);
        CU_ASSERT_TRUE(status == BND_OK && back == BND_OK && wrong == 0);
        CU_ASSERT_EQUAL(memcmp(codes, again, sizeof codes), 0);
        CU_ASSERT_EQUAL(memcmp(want, got, sizeof want), 0);
    }
}

CU_TestInfo dynamic_tests[] = {
    {"numbers", test_numbers},
    {"evenly spaced numbers", test_linear_numbers},
    {"codes", test_codes},
    {"bounds", test_bounds},
    {"NaN, infinity, zero", test_special},
    {"a hostile environment", test_environment},
    CU_TEST_INFO_NULL,
};
