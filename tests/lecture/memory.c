/* Sections 2 and 3: the memory of a tensor, and underflow. */
#include "tests/lecture/lecture.h"

#include <binade/bulk.h>

static uint64_t code_of(double x, const char *format)
{
    bnd_format f = format_named(format);
    uint64_t code = 0; /* little-endian codes of up to 8 bytes */
    unsigned char bytes[8] = {0};
    bnd_error why;
    CU_ASSERT_TRUE(succeeds(bnd_encode_f64(bytes, &x, 1, &f, NULL, NULL, &why), &why));
    for (unsigned i = 0; i < 8; i++) {
        code |= (uint64_t)bytes[i] << 8 * i;
    }
    return code;
}

static void test_fp32_fields(void)
{
    bnd_format fp32 = format_named("fp32");
    CU_ASSERT_TRUE(fp32.is_signed && fp32.exponent_bits == 8 && fp32.fraction_bits == 23 && fp32.bias == 127);
    CU_ASSERT_EQUAL(code_of(-1, "fp32") >> 31, 1);
    CU_ASSERT_EQUAL(code_of(0.5, "fp32") >> 23 & 0xff, 126);
    CU_ASSERT_EQUAL(code_of(0.5, "fp32") & 0x7fffff, 0);
}

static void test_fp16_and_bf16_fields(void)
{
    bnd_format fp32 = format_named("fp32"), fp16 = format_named("fp16"), bf16 = format_named("bf16");
    CU_ASSERT_TRUE(fp16.width == 16 && fp16.exponent_bits == 5 && fp16.fraction_bits == 10);
    CU_ASSERT_TRUE(bf16.width == 16 && bf16.exponent_bits == 8 && bf16.fraction_bits == 7);
    CU_ASSERT_EQUAL(code_of(-2, "fp16"), 1u << 15 | 16u << 10); /* sign, exponent field 15 + 1, fraction 0 */
    CU_ASSERT_EQUAL(code_of(-2, "bf16"), 1u << 15 | 128u << 7);
    /* The memory of fp16, the range of fp32. */
    CU_ASSERT_EQUAL(bnd_codes_size(&bf16, 1000, BND_PACKING_PACKED), bnd_codes_size(&fp16, 1000, BND_PACKING_PACKED));
    CU_ASSERT_TRUE(bf16.emin == fp32.emin && bf16.emax == fp32.emax && fp16.emax < fp32.emax);
}

static void test_4_by_8(void)
{
    static const struct {
        const char *format;
        size_t bytes;
    } cases[] = {{"fp32", 128}, {"fp16", 64}, {"bf16", 64}, {"e4m3", 32}, {"e5m2", 32}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bnd_engine *engine = new_engine();
        bnd_tensor *x = zeros(engine, cases[i].format, SHAPE(4, 8));
        CU_ASSERT_EQUAL(bnd_tensor_count(x), 32);
        CU_ASSERT_EQUAL(bnd_tensor_bytes(x), cases[i].bytes);
        CU_ASSERT_EQUAL(bytes_now(engine), cases[i].bytes);
        /* Memory saved: bytes of the higher precision by bytes of the lower one. */
        CU_ASSERT_EQUAL(128 / bnd_tensor_bytes(x), (size_t)32 / bnd_tensor_format(x)->width);
        bnd_engine_free(engine);
    }
}

static void test_two_32_by_32(void)
{
    bnd_engine *engine = new_engine();
    uint64_t before = bytes_now(engine);
    bnd_tensor *x = zeros(engine, "fp32", SHAPE(32, 32)), *y = zeros(engine, "fp32", SHAPE(32, 32));
    CU_ASSERT_EQUAL(bytes_now(engine) - before, 8192);
    bnd_tensor_release(x);
    bnd_tensor_release(y);
    CU_ASSERT_EQUAL(bytes_now(engine), before);
    bnd_engine_free(engine);
}

/* 2.25 GiB are not taken for it: one number, seen so many times. */
static void test_gpt3_feed_forward(void)
{
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *number = zeros(engine, "fp32", SHAPE(1, 1)), *matrix;
    DO(bnd_tensor_broadcast(&matrix, number, SHAPE((size_t)12288 * 4, 12288), &why));
    CU_ASSERT_EQUAL(bnd_tensor_bytes(matrix), (size_t)2304 * 1024 * 1024);
    CU_ASSERT_EQUAL(bytes_now(engine), 4);
    bnd_engine_free(engine);
}

CU_TestInfo lecture_memory[] = {
    {"fp32: sign, exponent, fraction", test_fp32_fields},
    {"fp16 and bf16", test_fp16_and_bf16_fields},
    {"4 by 8 elements: 128 bytes, 64, 32", test_4_by_8},
    {"two 32 by 32: 8192 bytes", test_two_32_by_32},
    {"a feed-forward matrix of GPT-3: 2304 MiB", test_gpt3_feed_forward},
    CU_TEST_INFO_NULL,
};

static void test_underflow(void)
{
    static const struct {
        const char *format;
        bool zero;
    } cases[] = {{"fp16", true}, {"bf16", false}, {"e4m3", true}, {"e5m2", true}, {"fp32", false}};
    bnd_engine *engine = new_engine();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double tiny = 1e-8, is = 0;
        bnd_error why;
        bnd_tensor *x = tensor_of(engine, cases[i].format, &tiny, SHAPE(1));
        DO(bnd_tensor_read_f64(&is, 1, x, &why));
        CU_ASSERT_EQUAL(is == 0, cases[i].zero);
    }
    bnd_engine_free(engine);
}

static void test_fp8_spans(void)
{
    static const double far[] = {-1e30, 1e30};
    bnd_rule saturate = {.overflow = BND_OVERFLOW_SATURATE};
    bnd_engine *engine = new_engine();
    bnd_error why;
    bnd_tensor *e4m3 = zeros(engine, "e4m3", SHAPE(2)), *e5m2 = zeros(engine, "e5m2", SHAPE(2));
    DO(bnd_tensor_write_f64(e4m3, far, 2, saturate, &why));
    DO(bnd_tensor_write_f64(e5m2, far, 2, saturate, &why));
    CU_ASSERT_TRUE(HOLDS(e4m3, -448, 448));
    CU_ASSERT_TRUE(HOLDS(e5m2, -57344, 57344));
    bnd_engine_free(engine);
}

CU_TestInfo lecture_underflow[] = {
    {"1e-8", test_underflow},
    {"fp8: 448 and 57344", test_fp8_spans},
    CU_TEST_INFO_NULL,
};
