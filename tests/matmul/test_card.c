/* What an H200 computed: one instruction of its tensor cores for each row of h200.def. */
#include <math.h>
#include <stdio.h>

#include "model.h"
#include "tests.h"

typedef struct vector {
    const char *accumulator, *a, *b, *c;
    uint32_t start, result;
    const char *row, *column;
} vector;

static const vector vectors[] = {
#define VECTOR(accumulator, a, b, c, start, result, row, column) {accumulator, a, b, c, start, result, row, column},
#include "h200.def"
#undef VECTOR
};
enum { VECTORS = sizeof vectors / sizeof vectors[0], BYTES = 32 };

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* The numbers of 32 bytes, as many as the format has there. tf32 is in the upper bits of a word. */
static size_t numbers_of(float *out, const bnd_format *f, const char *hex)
{
    const size_t bytes = f->width == 19 ? 4 : f->width / 8, n = BYTES / bytes;
    for (size_t i = 0; i < n; i++) {
        uint64_t word = 0;
        for (size_t b = bytes; b-- > 0;) {
            const char *at = hex + 2 * (i * bytes + b);
            word = word << 8 | digit(at[0]) << 4 | digit(at[1]);
        }
        out[i] = (float)bnd_decode(f, f->width == 19 ? word >> 13 : word);
    }
    return n;
}

/* On every back end, and in a matrix of more than a tile, all of whose elements are the same. */
static void test_h200(void)
{
    enum { ROWS = 5, COLUMNS = 37 };
    static const bnd_backend backends[] = {BND_BACKEND_PORTABLE, BND_BACKEND_AVX2, BND_BACKEND_AVX512};
    size_t wrong = 0;
    for (size_t i = 0; i < VECTORS * 3; i++) {
        const vector *v = &vectors[i / 3];
        const bnd_format fa = format_named(v->a), fb = format_named(v->b), fc = format_named(v->c);
        bnd_context context = {.backend = (uint8_t)backends[i % 3]};
        if (!bnd_backend_here(backends[i % 3])) {
            continue;
        }
        float a[BYTES], b[BYTES], c[ROWS * COLUMNS];
        const size_t k = numbers_of(a, &fa, v->row);
        CU_ASSERT_EQUAL(numbers_of(b, &fb, v->column), k);
        for (size_t e = 0; e < ROWS * COLUMNS; e++) {
            c[e] = (float)bnd_decode(&fc, v->start);
        }
        bnd_gemm how = {.context = &context, .accumulator = accumulator_named(v->accumulator), .add = true};
        how.a = (bnd_strides){0, 1};
        how.b = (bnd_strides){1, 0};
        how.round_a = &fa;
        how.round_b = &fb;
        CU_ASSERT_EQUAL(bnd_gemm_f32(c, ROWS, COLUMNS, a, b, k, &how, NULL), BND_OK);
        const double want = bnd_decode(&fc, v->result);
        size_t differ = 0;
        for (size_t e = 0; e < ROWS * COLUMNS; e++) {
            const double got = (double)c[e];
            const bool same = isnan(want) ? isnan(got) : want == got && signbit(want) == signbit(got);
            differ += !same;
        }
        if (differ > 0) {
            printf("%s, %s: row %zu, %zu elements are not %a, the first is %a\n", bnd_backend_name(backends[i % 3]),
                   v->accumulator, i / 3, differ, want, (double)c[0]);
        }
        wrong += differ;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

CU_TestInfo card_tests[] = {
    {"H200", test_h200},
    CU_TEST_INFO_NULL,
};
