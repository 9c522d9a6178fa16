/* The random Hadamard transform of 16, and of other powers of two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "block/partial_array.h"
#include "model.h"
#include "tests.h"

enum { N = 16, ROWS = 40, COLUMNS = 48 };

/* H[i][j] = (-1)^(bits that i and j have in common). */
static double entry(unsigned i, unsigned j)
{
    return __builtin_popcount(i & j) % 2 ? -1 : 1;
}

static double sign(uint64_t seed, unsigned i)
{
    return bnd_random(seed, 16, 0) >> i & 1 ? -1 : 1;
}

/* Zeros may have changed their sign. */
static unsigned differences(const float *a, const float *b)
{
    unsigned count = 0;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        count += a[i] != b[i];
    }
    return count;
}

/* Small integers are transformed exactly: fp32 rounds nothing, and the matrix says what comes out. */
static void test_matrix(void)
{
    float x[ROWS * COLUMNS], y[ROWS * COLUMNS], back[ROWS * COLUMNS];
    unsigned different = 0;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        x[i] = (float)(int)(bnd_random(8, 8, i) % 2001) - 1000;
    }
    for (uint64_t seed = 0; seed < 20; seed++) {
        CU_ASSERT_EQUAL(bnd_hadamard_f32(y, x, ROWS, COLUMNS, seed, NULL), BND_OK);
        for (size_t at = 0; at < ROWS * COLUMNS; at += N) {
            for (unsigned i = 0; i < N; i++) {
                double sum = 0;
                for (unsigned j = 0; j < N; j++) {
                    sum += entry(i, j) * sign(seed, j) * (double)x[at + j];
                }
                different += (double)y[at + i] != sum / 4;
            }
        }
        CU_ASSERT_EQUAL(bnd_hadamard_inverse_f32(back, y, ROWS, COLUMNS, seed, NULL), BND_OK);
        different += differences(back, x);
        CU_ASSERT_EQUAL(bnd_hadamard_inverse_f32(y, y, ROWS, COLUMNS, seed, NULL), BND_OK); /* in place */
        different += differences(y, x);
    }
    CU_ASSERT_EQUAL(different, 0);
}

/* Any numbers: four additions each way, every one within half an ulp of sums of at most 16 |x|. A result of the forward
 * transform is off by at most 4 * 2^-24 * sum|x| / 4, one of the inverse by that of all sixteen, and as much again. */
static void test_there_and_back(void)
{
    enum { COUNT = 1 << 12 };
    float *x = memory_of(COUNT * sizeof *x), *y = memory_of(COUNT * sizeof *y);
    double worst = 0;
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = normal_number(4, i) * ldexpf(1, (int)(bnd_random(4, 4, i) % 9));
    }
    CU_ASSERT_EQUAL(bnd_hadamard_f32(y, x, 1, COUNT, 77, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_hadamard_inverse_f32(y, y, 1, COUNT, 77, NULL), BND_OK);
    for (size_t at = 0; at < COUNT; at += N) {
        double sum = 0;
        for (size_t i = 0; i < N; i++) {
            sum += fabs((double)x[at + i]);
        }
        for (size_t i = 0; i < N; i++) {
            double error = fabs((double)y[at + i] - (double)x[at + i]) / (sum * 0x1p-24);
            worst = error > worst ? error : worst;
        }
    }
    CU_ASSERT(worst > 0 && worst <= 8);
    free(x);
    free(y);
}

/* A spike is spread: what the transform is for. And seeds differ. */
static void test_spike(void)
{
    float x[N] = {0}, y[N], z[N];
    x[3] = 16;
    CU_ASSERT_EQUAL(bnd_hadamard_f32(y, x, 1, N, 1, NULL), BND_OK);
    for (size_t i = 0; i < N; i++) {
        CU_ASSERT_EQUAL(fabsf(y[i]), 4);
        x[i] = (float)i;
    }
    CU_ASSERT_EQUAL(bnd_hadamard_f32(y, x, 1, N, 1, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_hadamard_f32(z, x, 1, N, 2, NULL), BND_OK);
    CU_ASSERT(memcmp(y, z, sizeof y) != 0);
    CU_ASSERT_EQUAL(bnd_hadamard_f32(NULL, NULL, 0, 0, 1, NULL), BND_OK);
}

/* Along the first and the middle axis of three: column by column what the rows' call makes; what is left over stays. */
static void test_along(void)
{
    enum { OUTER = 3, LENGTH = 39, INNER = 5, ALL = OUTER * LENGTH * INNER };
    static float x[ALL], y[ALL];
    const bnd_shape shape = {OUTER, LENGTH, INNER};
    for (size_t i = 0; i < ALL; i++) {
        x[i] = normal_number(3, i);
    }
    CU_ASSERT_EQUAL(bnd_hadamard_along_f32(y, x, shape, 9, NULL), BND_OK);
    for (size_t line = 0; line < OUTER * INNER; line++) {
        float in[LENGTH], out[LENGTH];
        size_t first = line / INNER * LENGTH * INNER + line % INNER;
        for (size_t i = 0; i < LENGTH; i++) {
            in[i] = out[i] = x[first + i * INNER];
        }
        CU_ASSERT_EQUAL(bnd_hadamard_f32(out, in, 2, N, 9, NULL), BND_OK);
        for (size_t i = 0; i < LENGTH; i++) {
            CU_ASSERT_EQUAL(memcmp(&out[i], &y[first + i * INNER], sizeof *out), 0);
        }
    }
    CU_ASSERT_EQUAL(bnd_hadamard_along_f32(x, x, shape, 9, NULL), BND_OK); /* in place */
    CU_ASSERT_EQUAL(memcmp(x, y, sizeof x), 0);
    CU_ASSERT_EQUAL(bnd_hadamard_along_f32(y, x, (bnd_shape){0, 16, 3}, 1, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_hadamard_along_f32(y, x, (bnd_shape){SIZE_MAX / 8, 16, 3}, 1, NULL), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_hadamard_along_f32(y, x, (bnd_shape){1, SIZE_MAX / 2, 3}, 1, NULL), BND_BAD_ARGUMENT);
}

/* One line of numbers that are `inner` apart, as the contract of bnd_lab_hadamard_along has it. */
static void transform_line(float *x, size_t inner, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++) {
        x[i * inner] *= bnd_random(seed, size, i / 64) >> i % 64 & 1 ? -1.0f : 1.0f;
    }
    for (size_t distance = 1; distance < size; distance *= 2) {
        for (size_t i = 0; i < size; i++) {
            const float a = x[i * inner], b = x[(i + (i & distance ? 0 : distance)) * inner];
            if ((i & distance) == 0) {
                x[i * inner] = a + b;
                x[(i + distance) * inner] = a - b;
            }
        }
    }
    for (size_t i = 0; i < size; i++) {
        x[i * inner] *= (float)(1 / sqrt((double)size));
    }
}

/* Every size, along rows and down columns, in place and not, on every back end. */
static void test_sizes(void)
{
    enum { OUTER = 2, LENGTH = 131, INNER = 37, ALL = OUTER * LENGTH * INNER };
    static float x[ALL], y[ALL], expected[ALL];
    for (size_t size = 2; size <= BND_LAB_HADAMARD_MOST; size *= 2) {
        for (size_t inner = 1; inner <= INNER; inner += INNER - 1) {
            const size_t all = OUTER * LENGTH * inner;
            for (size_t i = 0; i < all; i++) {
                x[i] = expected[i] = normal_number(5, i);
            }
            for (size_t line = 0; line < OUTER * (LENGTH / size) * inner; line++) {
                const size_t band = line / inner, outer = band / (LENGTH / size), first = band % (LENGTH / size) * size;
                transform_line(expected + (outer * LENGTH + first) * inner + line % inner, inner, size, size + 1);
            }
            for (uint8_t backend = BND_BACKEND_BEST; backend < BND_BACKEND_COUNT; backend++) {
                const bnd_context context = {.backend = backend};
                const bnd_shape shape = {OUTER, LENGTH, inner};
                CU_ASSERT_EQUAL(bnd_lab_hadamard_along(y, x, shape, size, size + 1, &context, NULL), BND_OK);
                CU_ASSERT_EQUAL(memcmp(y, expected, all * sizeof *y), 0);
                memcpy(y, x, all * sizeof *y);
                CU_ASSERT_EQUAL(bnd_lab_hadamard_along(y, y, shape, size, size + 1, &context, NULL), BND_OK);
                CU_ASSERT_EQUAL(memcmp(y, expected, all * sizeof *y), 0);
            }
        }
    }
}

/* Three threads make what one does, of enough numbers for several. */
static void test_threads(void)
{
    enum { OUTER = 65, LENGTH = 64, INNER = 32, ALL = OUTER * LENGTH * INNER };
    float *x = malloc(ALL * sizeof *x), *one = malloc(ALL * sizeof *x), *three = malloc(ALL * sizeof *x);
    const bnd_context threads = {.threads = 3};
    CU_ASSERT_FATAL(x != NULL && one != NULL && three != NULL);
    for (size_t i = 0; i < ALL; i++) {
        x[i] = (float)(i % 1009) - 500;
    }
    for (unsigned turned = 0; turned < 2; turned++) {
        const bnd_shape shape = turned ? (bnd_shape){OUTER, LENGTH, INNER} : (bnd_shape){OUTER * INNER, LENGTH, 1};
        CU_ASSERT_EQUAL(bnd_lab_hadamard_along(one, x, shape, LENGTH, 4, NULL, NULL), BND_OK);
        CU_ASSERT_EQUAL(bnd_lab_hadamard_along(three, x, shape, LENGTH, 4, &threads, NULL), BND_OK);
        CU_ASSERT_EQUAL(memcmp(one, three, ALL * sizeof *one), 0);
    }
    free(x);
    free(one);
    free(three);
}

CU_TestInfo hadamard_tests[] = {
    {"the matrix", test_matrix}, {"there and back", test_there_and_back},
    {"a spike", test_spike},     {"along an axis", test_along},
    {"every size", test_sizes},  {"threads", test_threads},
    CU_TEST_INFO_NULL,
};
