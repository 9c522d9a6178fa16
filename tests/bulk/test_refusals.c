/* What the calls refuse, and that they leave everything as it was then. */
#include <string.h>

#include "expected.h"
#include "tests.h"

enum { BYTES = 64 };

typedef struct untouched {
    unsigned char out[BYTES], before[BYTES];
    bnd_stats stats;
    bnd_error why;
} untouched;

static untouched fresh(void)
{
    untouched u;
    memset(&u, 0, sizeof u);
    memset(u.out, 0x3c, BYTES);
    memset(u.before, 0x3c, BYTES);
    return u;
}

static void refused(const untouched *u, bnd_status status, const char *word)
{
    static const bnd_stats none;
    CU_ASSERT_EQUAL(status, BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(u->why.status, BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(u->why.message, word));
    CU_ASSERT_EQUAL(memcmp(u->out, u->before, BYTES), 0);
    CU_ASSERT_EQUAL(memcmp(&u->stats, &none, sizeof none), 0);
}

static const double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void test_value_sets(void)
{
    bnd_format set = format_named("p11emin-14emax15"), fp16 = format_named("fp16");
    untouched u = fresh();
    refused(&u, bnd_encode_f32(u.out, (const void *)x, 8, &set, NULL, &u.stats, &u.why), set.name);
    refused(&u, bnd_encode_f64(u.out, x, 8, &set, NULL, &u.stats, &u.why), set.name);
    refused(&u, bnd_decode_f32((void *)u.out, x, 8, &set, NULL, &u.why), set.name);
    refused(&u, bnd_decode_f64((void *)u.out, x, 8, &set, NULL, &u.why), set.name);
    refused(&u, bnd_convert_codes(u.out, &set, x, &fp16, 8, NULL, &u.stats, &u.why), set.name);
    refused(&u, bnd_convert_codes(u.out, &fp16, x, &set, 8, NULL, &u.stats, &u.why), set.name);
    CU_ASSERT_EQUAL(bnd_codes_size(&set, 8, BND_PACKED), 0);
    CU_ASSERT_EQUAL(bnd_encode_f64(u.out, x, 8, &set, NULL, NULL, NULL), BND_BAD_ARGUMENT); /* nobody asks why */
}

static void test_strides(void)
{
    bnd_format fp6 = format_named("e3m2"), fp16 = format_named("fp16"), tf32 = format_named("tf32");
    bnd_array in = {.stride_in = 2}, out = {.stride_out = -1};
    untouched u = fresh();
    refused(&u, bnd_encode_f64(u.out, x, 4, &fp6, &out, &u.stats, &u.why), "stride");
    refused(&u, bnd_decode_f64((void *)u.out, x, 4, &fp6, &in, &u.why), "stride");
    refused(&u, bnd_convert_codes(u.out, &fp16, x, &fp6, 4, &in, &u.stats, &u.why), "stride");
    refused(&u, bnd_convert_codes(u.out, &fp6, x, &fp16, 4, &out, &u.stats, &u.why), "stride");
    /* The stride of what is not packed is nobody's concern, and a stride of 1 may be said. */
    CU_ASSERT_EQUAL(bnd_encode_f64(u.out, x, 4, &fp6, &in, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_encode_f64(u.out, x, 4, &tf32, &in, NULL, NULL), BND_OK);
    out.stride_out = 1;
    CU_ASSERT_EQUAL(bnd_encode_f64(u.out, x, 4, &fp6, &out, NULL, NULL), BND_OK);
}

static void test_sizes(void)
{
    bnd_format fp64 = format_named("fp64"), fp4 = format_named("e2m1");
    bnd_array far = {.stride_in = PTRDIFF_MIN, .packing = BND_UNPACKED};
    untouched u = fresh();
    refused(&u, bnd_encode_f64(u.out, x, SIZE_MAX, &fp64, NULL, &u.stats, &u.why), "memory");
    refused(&u, bnd_encode_f32(u.out, (const void *)x, SIZE_MAX / 4, &fp4, NULL, &u.stats, &u.why), "memory");
    refused(&u, bnd_decode_f64((void *)u.out, x, SIZE_MAX / 8, &fp64, NULL, &u.why), "memory");
    refused(&u, bnd_round_f64((void *)u.out, x, SIZE_MAX / 8, &fp64, NULL, &u.stats, &u.why), "memory");
    refused(&u, bnd_convert_codes(u.out, &fp64, x, &fp4, SIZE_MAX / 2, NULL, &u.stats, &u.why), "memory");
    refused(&u, bnd_round_f64((void *)u.out, x, 2, &fp64, &far, &u.stats, &u.why), "memory");
    CU_ASSERT_EQUAL(bnd_codes_size(&fp64, SIZE_MAX / 8, BND_PACKED), 0);
    CU_ASSERT_EQUAL(bnd_codes_size(&fp4, SIZE_MAX, BND_UNPACKED), 0);
    CU_ASSERT_EQUAL(bnd_codes_size(&fp4, 3, BND_PACKED), 2);
    CU_ASSERT_EQUAL(bnd_codes_size(&fp4, 3, BND_UNPACKED), 3);
    CU_ASSERT_EQUAL(bnd_codes_size(&fp4, 0, BND_PACKED), 0);
}

static void test_nothing(void)
{
    bnd_format fp16 = format_named("fp16");
    untouched u = fresh();
    CU_ASSERT_EQUAL(bnd_encode_f32(NULL, NULL, 0, &fp16, NULL, &u.stats, &u.why), BND_OK);
    CU_ASSERT_EQUAL(bnd_decode_f64(NULL, NULL, 0, &fp16, NULL, &u.why), BND_OK);
    CU_ASSERT_EQUAL(bnd_round_f32(NULL, NULL, 0, &fp16, NULL, &u.stats, &u.why), BND_OK);
    CU_ASSERT_EQUAL(bnd_convert_codes(NULL, &fp16, NULL, &fp16, 0, NULL, &u.stats, &u.why), BND_OK);
    CU_ASSERT_EQUAL(u.stats.elements, 0);
}

CU_TestInfo refusal_tests[] = {
    {"value sets have no codes", test_value_sets},
    {"packed codes have no stride", test_strides},
    {"more than memory holds", test_sizes},
    {"nothing at all", test_nothing},
    CU_TEST_INFO_NULL,
};
