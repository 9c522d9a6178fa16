/* Distances in ulps, and sums of errors. */
#include "tests.h"
#include "diff/distance.h"

#include <math.h>
#include <string.h>

static const bnd_format *format(bnd_format_row row)
{
    return bnd_format_at(row);
}

/* The n-th number above zero stands at n: all numbers of bf16, fp16, e4m3 and e5m2. */
static void test_places(void)
{
    static const bnd_format_row rows[] = {BND_FORMAT_BF16, BND_FORMAT_FP16, BND_FORMAT_E4M3, BND_FORMAT_E5M2};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const bnd_format *f = format(rows[r]);
        size_t wrong = 0;
        for (uint64_t code = 0; code <= f->max_code; code++) {
            unsigned char bytes[2] = {(unsigned char)code, (unsigned char)(code >> 8)};
            float x;
            CU_ASSERT_FATAL(bnd_decode_f32(&x, bytes, 1, f, NULL, NULL) == BND_OK);
            wrong += bndi_place_among(x, f) != (double)code || bndi_place_among(-x, f) != -(double)code;
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
    CU_ASSERT_EQUAL(bndi_place_among(1.5F, format(BND_FORMAT_FP32)), (double)0x3fc00000);
    /* between 1 and 1 + 2^-7 of bf16, and between 0 and the least number of e4m3 */
    CU_ASSERT_EQUAL(bndi_place_among(1 + 0x1p-9F, format(BND_FORMAT_BF16)), (double)0x3f80 + 0.25);
    CU_ASSERT_EQUAL(bndi_place_among(0x1p-10F, format(BND_FORMAT_E4M3)), 0.5);
    CU_ASSERT_EQUAL(bndi_place_among(0x1p-140F, format(BND_FORMAT_BF16)), 0x1p-7);
}

static void test_bins(void)
{
    const float one = 1, step = 0x1p-7F; /* of bf16 */
    const float a[] = {one, one + step / 4, one + step / 2, one + step, one + 2 * step, one + 3 * step, one, 0.0F, NAN,
                       NAN};
    const float b[] = {one, one, one, one, one, one, -one, -0.0F, NAN, one};
    bnd_difference_sums sums = {.elements = 0};
    bndi_tally_differences(&sums, a, b, 100, 10, format(BND_FORMAT_BF16));
    CU_ASSERT_EQUAL(sums.elements, 10);
    CU_ASSERT_EQUAL(sums.equal, 2);
    CU_ASSERT_EQUAL(sums.zero_signs, 1);
    CU_ASSERT_EQUAL(sums.nonfinite, 1);
    CU_ASSERT_EQUAL(sums.bins[0], 2);      /* equal, and the zeros */
    CU_ASSERT_EQUAL(sums.bins[1], 2);      /* 1/4, 1/2 */
    CU_ASSERT_EQUAL(sums.bins[2], 1);      /* 1 */
    CU_ASSERT_EQUAL(sums.bins[3], 1);      /* 2 */
    CU_ASSERT_EQUAL(sums.bins[4], 1);      /* 3 */
    CU_ASSERT_EQUAL(sums.bins[2 + 15], 1); /* 2 * 127 * 2^7 = 32512 */
    CU_ASSERT_EQUAL(sums.largest_ulps, 32512);
    CU_ASSERT_EQUAL(sums.largest_error, 2);
    CU_ASSERT_EQUAL(sums.largest_at, 106);
    CU_ASSERT_EQUAL(sums.error_sum, (0.25 + 0.5 + 1 + 2 + 3) * 0x1p-7 + 2);
    CU_ASSERT_EQUAL(bnd_difference_mean(&sums), sums.error_sum / 8);
    CU_ASSERT_EQUAL(sums.squared_b, 7);
    CU_ASSERT_DOUBLE_EQUAL(bnd_difference_sqnr(&sums), 10 * log10(7 / sums.squared_error), 1e-12);
}

static void test_sqnr_of_nothing(void)
{
    bnd_difference_sums sums = {.elements = 0};
    const float zero = 0, one = 1;
    CU_ASSERT(isnan(bnd_difference_sqnr(&sums)));
    CU_ASSERT(isnan(bnd_difference_mean(&sums)));
    bndi_tally_differences(&sums, &one, &zero, 0, 1, format(BND_FORMAT_FP32));
    CU_ASSERT(isnan(bnd_difference_sqnr(&sums)));
    sums = (bnd_difference_sums){.elements = 0};
    bndi_tally_differences(&sums, &one, &one, 0, 1, format(BND_FORMAT_FP32));
    CU_ASSERT(isinf(bnd_difference_sqnr(&sums)));
}

CU_TestInfo distance_tests[] = {{"places among the numbers of a format", test_places},
                                {"distances fall into bins", test_bins},
                                {"ratios of nothing", test_sqnr_of_nothing},
                                CU_TEST_INFO_NULL};
