/* Chains leave out steps in which A is zero: every bit must be that of a loop over all steps. Triangles and bands of A,
 * zeros of both signs, products that underflow to -0, infinities and NaNs, in every layout, in stacks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matmul/matmul.h"
#include "model.h"
#include "tests.h"

enum { PRODUCTS = 2 };

typedef enum zeros { ZEROS_NONE, ZEROS_AFTER, ZEROS_BEFORE, ZEROS_ALL, ZEROS_BAND, ZEROS_KINDS } zeros;
typedef enum numbers { ORDINARY, TINY, ODD_B, ODD_A, NUMBERS_KINDS } numbers;

/* A stack of products with a bias or without. Element (i, j) of a matrix: i * row + j * column behind its first. */
typedef struct stack_case {
    size_t m, n, k;
    zeros zeros;
    numbers numbers;
    bool add, biased;
    bnd_strides a, b, c;
    float *a_data, *b_data, *c_data, *start, bias[100];
    size_t a_size, b_size, c_size; /* of one product */
} stack_case;

static uint64_t drawn(uint64_t seed, uint64_t what, uint64_t below)
{
    return bnd_random(seed, what, 0) % below;
}

/* Rows or columns contiguous, at least `apart` from one to the next, with a gap. */
static bnd_strides laid_out(size_t rows, size_t columns, bool turned, size_t gap, size_t apart)
{
    const size_t own = (turned ? rows : columns) + gap;
    const ptrdiff_t pitch = (ptrdiff_t)(own < apart ? apart : own);
    return turned ? (bnd_strides){.row = 1, .column = pitch} : (bnd_strides){.row = pitch, .column = 1};
}

static float *element(float *x, bnd_strides s, size_t i, size_t j)
{
    return x + (ptrdiff_t)i * s.row + (ptrdiff_t)j * s.column;
}

static bool is_zero(const stack_case *c, uint64_t seed, size_t i, size_t step)
{
    const size_t edge = (i + 1) * c->k / c->m; /* of the triangle */
    switch (c->zeros) {
    case ZEROS_AFTER:
        return step >= edge;
    case ZEROS_BEFORE:
        return step + 1 < edge;
    case ZEROS_ALL:
        return true;
    case ZEROS_BAND:
        return step < bnd_random(seed, 30, i) % (c->k + 1) / 2 ||
               step > c->k - bnd_random(seed, 31, i) % (c->k + 1) / 2;
    default:
        return bnd_random(seed, 32, i * c->k + step) % 9 == 0;
    }
}

static float number(const stack_case *c, uint64_t seed, uint64_t i)
{
    const float x = number_of(DATA_NORMAL, NULL, seed, i);
    return c->numbers == TINY && i % 3 != 0 ? x * 0x1p-80f : x;
}

static void fill(stack_case *c, uint64_t seed)
{
    static const float odd[] = {INFINITY, -INFINITY, NAN, -0.0f};
    for (size_t i = 0; i < PRODUCTS * c->a_size; i++) {
        c->a_data[i] = number(c, seed, i);
    }
    for (size_t i = 0; i < PRODUCTS * c->b_size; i++) {
        c->b_data[i] = number(c, seed + 1, i);
    }
    for (size_t i = 0; i < PRODUCTS * c->c_size; i++) {
        c->start[i] = bnd_random(seed, 33, i) % 3 == 0 ? -0.0f : number(c, seed + 2, i);
    }
    for (size_t p = 0; p < PRODUCTS; p++) {
        for (size_t at = 0; at < c->m * c->k; at++) {
            const size_t i = at / c->k, step = at % c->k;
            if (is_zero(c, seed, i, step)) {
                *element(c->a_data + p * c->a_size, c->a, i, step) = bnd_random(seed, 34, at) % 2 == 0 ? 0.0f : -0.0f;
            }
        }
    }
    float *into = c->numbers == ODD_A ? c->a_data : c->b_data;
    const size_t size = PRODUCTS * (c->numbers == ODD_A ? c->a_size : c->b_size);
    for (size_t i = 0; i < 3 && c->numbers >= ODD_B && size > 0; i++) {
        into[bnd_random(seed, 35, i) % size] = odd[bnd_random(seed, 36, i) % 4];
    }
    for (size_t i = 0; i < c->n; i++) {
        c->bias[i] = i % 3 == 0 ? -0.0f : number(c, seed + 3, i);
    }
}

static stack_case open_case(uint64_t seed)
{
    static const size_t rows[] = {1, 9, 30, 66, 80, 97, 130, 270}, columns[] = {1, 7, 32, 33, 64, 97, 100},
                        steps[] = {1, 5, 16, 17, 40, 64, 100, 256, 300, 530};
    stack_case c = {.m = rows[drawn(seed, 1, 8)], .n = columns[drawn(seed, 2, 7)], .k = steps[drawn(seed, 3, 10)]};
    c.zeros = (zeros)drawn(seed, 4, ZEROS_KINDS);
    c.numbers = (numbers)drawn(seed, 5, NUMBERS_KINDS);
    c.add = drawn(seed, 6, 2) == 1;
    c.biased = drawn(seed, 7, 2) == 1;
    c.a = laid_out(c.m, c.k, drawn(seed, 8, 2) == 1, 3, drawn(seed, 9, 4) == 0 ? 1024 : 0); /* 4 KiB: lower tiles */
    c.b = laid_out(c.k, c.n, drawn(seed, 10, 2) == 1, 1, 0);
    c.c = laid_out(c.m, c.n, drawn(seed, 11, 4) == 0, 2, 0);
    c.a_size = (size_t)(c.a.row * (ptrdiff_t)c.m + c.a.column * (ptrdiff_t)c.k);
    c.b_size = (size_t)(c.b.row * (ptrdiff_t)c.k + c.b.column * (ptrdiff_t)c.n);
    c.c_size = (size_t)(c.c.row * (ptrdiff_t)c.m + c.c.column * (ptrdiff_t)c.n);
    c.a_data = memory_of(PRODUCTS * c.a_size * sizeof(float));
    c.b_data = memory_of(PRODUCTS * c.b_size * sizeof(float));
    c.c_data = memory_of(PRODUCTS * c.c_size * sizeof(float));
    c.start = memory_of(PRODUCTS * c.c_size * sizeof(float));
    fill(&c, seed);
    return c;
}

static void close_case(stack_case *c)
{
    free(c->a_data);
    free(c->b_data);
    free(c->c_data);
    free(c->start);
}

/* The definition, a step at a time. A NaN is the canonical one, but a bias may make another. */
static float by_all_steps(const stack_case *c, size_t p, size_t i, size_t j)
{
    float sum = c->add ? *element(c->start + p * c->c_size, c->c, i, j) : 0;
    for (size_t step = 0; step < c->k; step++) {
        sum = fmaf(*element(c->a_data + p * c->a_size, c->a, i, step),
                   *element(c->b_data + p * c->b_size, c->b, step, j), sum);
    }
    return c->biased ? sum + c->bias[j] : sum;
}

static bool same(float x, float y)
{
    return isnan(x) ? isnan(y) != 0 : memcmp(&x, &y, sizeof x) == 0;
}

static size_t count_differences(stack_case *c, bnd_backend backend)
{
    bnd_context context = {.backend = (uint8_t)backend, .threads = 1};
    const bnd_gemm how = {.context = &context, .a = c->a, .b = c->b, .c = c->c, .add = c->add};
    const bndi_stack stack = {.rank = 1,
                              .extent = {PRODUCTS},
                              .a = {(ptrdiff_t)c->a_size},
                              .b = {(ptrdiff_t)c->b_size},
                              .c = {(ptrdiff_t)c->c_size},
                              .bias = c->biased ? c->bias : NULL};
    bnd_error why;
    size_t found = 0;
    memcpy(c->c_data, c->start, PRODUCTS * c->c_size * sizeof(float));
    CU_ASSERT_EQUAL_FATAL(
        bnd_lab_gemm_stack(c->c_data, c->m, c->n, c->a_data, NULL, c->b_data, NULL, c->k, &how, &stack, &why), BND_OK);
    for (size_t at = 0; at < PRODUCTS * c->m * c->n; at++) {
        const size_t p = at / (c->m * c->n), i = at / c->n % c->m, j = at % c->n;
        const float right = by_all_steps(c, p, i, j), is = *element(c->c_data + p * c->c_size, c->c, i, j);
        if (!same(right, is) && found++ == 0) {
            printf("%s: element (%zu, %zu) of product %zu is %a, not %a (%zu x %zu x %zu, zeros %d, numbers %d)\n",
                   bnd_backend_name(backend), i, j, p, (double)is, (double)right, c->m, c->n, c->k, (int)c->zeros,
                   (int)c->numbers);
        }
    }
    return found;
}

static void test_all_steps(void)
{
    static const bnd_backend backends[] = {BND_BACKEND_BEST, BND_BACKEND_PORTABLE, BND_BACKEND_AVX2};
    const uint64_t cases = scaled(200);
    for (uint64_t seed = 0; seed < cases; seed++) {
        stack_case c = open_case(seed * 7 + 1);
        CU_ASSERT_EQUAL(count_differences(&c, backends[seed % 4 == 1 ? 1 : seed % 4 == 3 ? 2 : 0]), 0);
        close_case(&c);
    }
}

CU_TestInfo zero_tests[] = {
    {"all steps", test_all_steps},
    CU_TEST_INFO_NULL,
};
