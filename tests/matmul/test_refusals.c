/* What is refused, with a message, and nothing written. */
#include <math.h>
#include <string.h>

#include "model.h"
#include "tests.h"
#include "tests/support/suites.h"

static void refused(const bnd_gemm *how, size_t m, size_t n, size_t k, bnd_status status, const char *word)
{
    float a[16] = {0}, b[16] = {0}, c[16];
    bnd_error why = {.message = ""};
    for (size_t i = 0; i < 16; i++) {
        c[i] = 77;
    }
    CU_ASSERT_EQUAL(bnd_gemm_f32(c, m, n, a, b, k, how, &why), status);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, word));
    for (size_t i = 0; i < 16; i++) {
        CU_ASSERT_EQUAL(c[i], 77);
    }
}

static void test_arguments(void)
{
    bnd_gemm how = {.accumulator = {.kind = BND_ACCUMULATE_COUNT}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "unknown accumulation");
    how.accumulator = (bnd_accumulator){.kind = BND_ACCUMULATE_ALIGNED, .format = format_named("fp16")};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "fp16");
    how.accumulator = accumulator_named("trunc14");
    how.accumulator.group = 65;
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "65");
    how.accumulator = (bnd_accumulator){.rule = {.rounding = 99}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "rounding");
    how = (bnd_gemm){.c = {.row = 0, .column = 1}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "stride");
    how = (bnd_gemm){.c = {.row = PTRDIFF_MAX, .column = 1}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "address space");
    how = (bnd_gemm){.a = {.row = 1, .column = PTRDIFF_MIN}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "address space");
    how = (bnd_gemm){.b = {.row = PTRDIFF_MAX / 8, .column = PTRDIFF_MAX / 8}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "address space");
    how = (bnd_gemm){.context = &(bnd_context){.backend = BND_BACKEND_COUNT}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "back end");
    how = (bnd_gemm){.context = &(bnd_context){.threads = 1000000}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "threads");
    how = (bnd_gemm){.reserved = {0, 1}};
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "reserved must be zero");
    how.accumulator.kind = BND_ACCUMULATE_CBLAS; /* with OpenBLAS or without */
    refused(&how, 2, 2, 2, BND_BAD_ARGUMENT, "reserved must be zero");
    refused(NULL, SIZE_MAX / 4, 8, 2, BND_BAD_ARGUMENT, "memory");
    refused(NULL, 1, 1, SIZE_MAX / 2, BND_BAD_ARGUMENT, "memory");
}

static void test_codes(void)
{
    const bnd_format fp64 = format_named("fp64"), set = format_named("p11"), e4m3 = format_named("e4m3");
    unsigned char codes[64] = {0};
    float c = 77;
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_gemm_codes(&c, 1, 1, codes, &fp64, codes, &e4m3, 1, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_gemm_codes(&c, 1, 1, codes, &e4m3, codes, &set, 1, NULL, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(c, 77);
}

/* OpenBLAS, where it is: the same sums to within their error; where it is not, a message. */
static void test_cblas(void)
{
    float a[12], b[20], c[15], ours[15];
    bnd_error why = {.message = ""};
    bnd_gemm how = {.accumulator = accumulator_named("cblas")};
    for (size_t i = 0; i < 20; i++) {
        b[i] = number_of(DATA_NORMAL, NULL, 1, i);
        a[i % 12] = number_of(DATA_NORMAL, NULL, 2, i);
    }
    if (!bnd_cblas_here()) {
        CU_ASSERT_EQUAL(bnd_gemm_f32(c, 3, 5, a, b, 4, &how, &why), BND_BAD_ARGUMENT);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "OpenBLAS"));
        CU_ASSERT_STRING_EQUAL(bnd_cblas_core(), "");
        skip_test("OpenBLAS (Debian, Ubuntu: libopenblas0)");
        return;
    }
    CU_ASSERT_PTR_NOT_NULL(bnd_cblas_core());
    for (unsigned transposed = 0; transposed < 4; transposed++) {
        bnd_gemm own = {.a = {.row = 1, .column = 3}, .b = {.row = 1, .column = 4}};
        own.a = (transposed & 1) != 0 ? own.a : (bnd_strides){.row = 0, .column = 0};
        own.b = (transposed & 2) != 0 ? own.b : (bnd_strides){.row = 0, .column = 0};
        how.a = own.a;
        how.b = own.b;
        CU_ASSERT_EQUAL(bnd_gemm_f32(c, 3, 5, a, b, 4, &how, &why), BND_OK);
        CU_ASSERT_EQUAL(bnd_gemm_f32(ours, 3, 5, a, b, 4, &own, &why), BND_OK);
        for (size_t i = 0; i < 15; i++) {
            CU_ASSERT(fabsf(c[i] - ours[i]) < 1e-5f);
        }
    }
    how.a = (bnd_strides){.row = 8, .column = 2};
    CU_ASSERT_EQUAL(bnd_gemm_f32(c, 2, 1, a, b, 4, &how, &why), BND_BAD_ARGUMENT);
}

CU_TestInfo refusal_tests[] = {
    {"arguments", test_arguments},
    {"codes", test_codes},
    {"OpenBLAS", test_cblas},
    CU_TEST_INFO_NULL,
};
