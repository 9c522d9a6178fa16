/* What the calls refuse, and that they leave everything as it was then. */
#include <string.h>

#include "model.h"
#include "tests.h"

enum { BYTES = 64 };

typedef struct untouched {
    unsigned char codes[BYTES], scales[BYTES];
    float tensor;
    bnd_stats stats;
    bnd_error why;
} untouched;

static untouched fresh(void)
{
    untouched u;
    memset(&u, 0, sizeof u);
    memset(u.codes, 0x3c, BYTES);
    memset(u.scales, 0x3c, BYTES);
    u.tensor = 17;
    return u;
}

static const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const bnd_shape eight = {1, 8, 1};

static void left_alone(const untouched *u, bnd_status status, const char *word)
{
    const untouched before = fresh();
    CU_ASSERT_EQUAL(status, BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(u->why.status, BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(u->why.message, word));
    if (strstr(u->why.message, word) == NULL) {
        printf("    no '%s' in: %s\n", word, u->why.message);
    }
    CU_ASSERT_EQUAL(memcmp(u->codes, before.codes, BYTES), 0);
    CU_ASSERT_EQUAL(memcmp(u->scales, before.scales, BYTES), 0);
    CU_ASSERT_EQUAL(u->tensor, before.tensor);
    CU_ASSERT_EQUAL(memcmp(&u->stats, &before.stats, sizeof u->stats), 0);
}

/* All three calls. */
static void refused(const bnd_block *block, bnd_shape shape, const bnd_array *how, const char *word)
{
    untouched u = fresh();
    left_alone(&u, bnd_quantize_f32(u.codes, u.scales, &u.tensor, x, shape, block, how, &u.stats, &u.why), word);
    u = fresh();
    left_alone(&u, bnd_dequantize_f32((void *)u.codes, x, x, 1, shape, block, how, &u.why), word);
    u = fresh();
    left_alone(&u, bnd_fake_quantize_f32((void *)u.codes, x, shape, block, how, &u.stats, &u.why), word);
    CU_ASSERT_EQUAL(bnd_quantize_f32(u.codes, u.scales, &u.tensor, x, shape, block, how, NULL, NULL), BND_BAD_ARGUMENT);
}

static void test_blocks(void)
{
    bnd_block b = block_named("mxfp8");
    b.reserved[1] = 1;
    refused(&b, eight, NULL, "reserved must be zero");
    b = block_named("mxfp8");
    b.element = format_named("fp64");
    refused(&b, eight, NULL, "fp64");
    b.element = format_named("e8m0");
    refused(&b, eight, NULL, "2^-126");
    b = block_named("mxfp8");
    refused(&b, eight, &(bnd_array){.rule.rounding = BND_ROUND_COUNT}, "rounding");
    refused(&b, eight, &(bnd_array){.packing_in = 2}, "packing");
    refused(&b, eight, &(bnd_array){.packing_out = 2}, "packing");
    b.scale = format_named("e2m1");
    refused(&b, eight, NULL, "e2m1");
    b.scale = format_named("fp64");
    refused(&b, eight, NULL, "fp64");
    b = block_named("mxfp8");
    b.rule = BND_SCALE_COUNT;
    refused(&b, eight, NULL, "rule");
    b.rule = BND_SCALE_NEAREST;
    refused(&b, eight, NULL, "powers of two");
    b = block_named("nvfp4");
    b.rule = BND_SCALE_FLOOR;
    refused(&b, eight, NULL, "nearest");
    b = block_named("nvfp4");
    b.least = -10;
    refused(&b, eight, NULL, "2^-10");
    b = block_named("nvfp4");
    b.element = format_named("fp32");
    b.scale = format_named("e3m4");
    refused(&b, eight, NULL, "28 bits");
    b = block_named("mxint8");
    b.element = format_named("p9emin0emax0");
    refused(&b, eight, NULL, "integer");
    b = block_named("mxfp4");
    b.sharing = 3;
    refused(&b, eight, NULL, "sharing");
}

static void test_arrays(void)
{
    bnd_block b = block_named("mxfp4");
    const bnd_array in = {.stride_in = 2}, out = {.stride_out = -1}, one = {.stride_in = 1, .stride_out = 1};
    untouched u = fresh();
    refused(&b, eight, &in, "stride");
    refused(&b, eight, &out, "stride");
    refused(&b, (bnd_shape){SIZE_MAX, 2, 1}, NULL, "memory");
    refused(&b, (bnd_shape){1, SIZE_MAX / 4, 1}, NULL, "memory");
    refused(&b, (bnd_shape){1 << 20, (size_t)1 << 30, (size_t)1 << 30}, NULL, "memory");
    CU_ASSERT_EQUAL(bnd_quantize_f32(u.codes, u.scales, NULL, x, eight, &b, &one, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(bnd_block_codes_size(&b, (bnd_shape){SIZE_MAX, 2, 1}, BND_PACKING_PACKED), 0);
    CU_ASSERT_EQUAL(bnd_block_scales(&b, (bnd_shape){SIZE_MAX, 2, 1}), 0);
}

/* A value set has no codes; in place it is one element like any other. */
static void test_value_sets(void)
{
    bnd_block b = block_named("mxfp8");
    untouched u = fresh();
    float y[8];
    b.element = format_named("p4emin-6emax8");
    left_alone(&u, bnd_quantize_f32(u.codes, u.scales, &u.tensor, x, eight, &b, NULL, &u.stats, &u.why), "value set");
    left_alone(&u, bnd_dequantize_f32((void *)u.codes, x, x, 1, eight, &b, NULL, &u.why), "value set");
    CU_ASSERT_EQUAL(bnd_fake_quantize_f32(y, x, eight, &b, NULL, NULL, NULL), BND_OK);
    CU_ASSERT_EQUAL(memcmp(y, x, sizeof y), 0); /* four bits hold them */
    CU_ASSERT_EQUAL(bnd_block_codes_size(&b, eight, BND_PACKING_PACKED), 0);
}

static void test_tensor_scale(void)
{
    bnd_block b = block_named("nvfp4");
    untouched u = fresh();
    left_alone(&u, bnd_quantize_f32(u.codes, u.scales, NULL, x, eight, &b, NULL, &u.stats, &u.why), "must not be NULL");
    /* Of a tensor scale that is not positive no other scales can be found; with them it is as good as any. */
    for (int negative = 0; negative < 2; negative++) {
        const float scale = negative ? -1.0F : 0.0F;
        bnd_given_scales given = {.tensor_scale = &scale};
        left_alone(&u, bnd_quantize_given_f32(u.codes, u.scales, NULL, x, eight, &b, &given, NULL, &u.stats, &u.why),
                   "not above 0");
        left_alone(&u, bnd_fake_quantize_given_f32((void *)u.codes, x, eight, &b, &given, NULL, &u.stats, &u.why),
                   "not above 0");
        const unsigned char one = 0x38;
        given.scales = &one;
        CU_ASSERT_EQUAL(bnd_quantize_given_f32(u.codes, NULL, NULL, x, eight, &b, &given, NULL, NULL, NULL), BND_OK);
        u = fresh();
    }
}

static void test_nothing(void)
{
    untouched u = fresh();
    for (size_t i = 0; i < bnd_block_count(); i++) {
        bnd_block b;
        (void)bnd_block_at(&b, i);
        const bnd_shape none = {3, 0, 5};
        CU_ASSERT_EQUAL(bnd_quantize_f32(NULL, NULL, &u.tensor, NULL, none, &b, NULL, &u.stats, &u.why), BND_OK);
        CU_ASSERT_EQUAL(bnd_dequantize_f32(NULL, NULL, NULL, 1, none, &b, NULL, &u.why), BND_OK);
        CU_ASSERT_EQUAL(bnd_fake_quantize_f32(NULL, NULL, none, &b, NULL, &u.stats, &u.why), BND_OK);
        CU_ASSERT_EQUAL(u.stats.elements, 0);
        CU_ASSERT_EQUAL(bnd_block_scales(&b, none), 0);
        CU_ASSERT_EQUAL(bnd_block_codes_size(&b, none, BND_PACKING_PACKED), 0);
    }
}

/* Tensors as shapes. */
static void test_shapes(void)
{
    const size_t dimensions[] = {2, 3, 5, 7};
    bnd_block line = block_named("mxfp8"), tile = block_named("e4m3/tile:2x2"), all = block_named("e4m3/tensor");
    bnd_shape s = {0, 0, 0};
    bnd_error why;
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &line, dimensions, 4, 3, NULL), BND_OK);
    CU_ASSERT(s.outer == 30 && s.length == 7 && s.inner == 1);
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &line, dimensions, 4, 0, NULL), BND_OK);
    CU_ASSERT(s.outer == 1 && s.length == 2 && s.inner == 105);
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &line, dimensions, 4, 1, NULL), BND_OK);
    CU_ASSERT(s.outer == 2 && s.length == 3 && s.inner == 35);
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &tile, dimensions, 4, 3, NULL), BND_OK);
    CU_ASSERT(s.outer == 6 && s.length == 5 && s.inner == 7);
    CU_ASSERT_EQUAL(bnd_block_scales(&tile, s), 6 * 3 * 4);
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &all, dimensions, 4, 9, NULL), BND_OK);
    CU_ASSERT(s.outer == 1 && s.length == 210 && s.inner == 1);
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &line, NULL, 0, 0, NULL), BND_OK);
    CU_ASSERT(s.outer == 1 && s.length == 1 && s.inner == 1);
    const bnd_shape before = s;
    const size_t huge[] = {SIZE_MAX / 2, 3};
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &line, dimensions, 4, 4, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "axis 4"));
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &tile, dimensions, 1, 0, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "matrix"));
    CU_ASSERT_EQUAL(bnd_block_shape(&s, &line, huge, 2, 0, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "memory"));
    CU_ASSERT_EQUAL(memcmp(&s, &before, sizeof s), 0);
}

static void test_gguf(void)
{
    float y[64];
    untouched u = fresh();
    memcpy(y, u.codes, sizeof u.codes);
    left_alone(&u, bnd_gguf_encode_f32(u.codes, x, 8, BND_GGUF_Q8_0, &u.why), "multiple");
    left_alone(&u, bnd_gguf_encode_f32(u.codes, x, 32, (bnd_gguf_type)3, &u.why), "type 3");
    left_alone(&u, bnd_gguf_encode_f32(u.codes, x, SIZE_MAX - 31, BND_GGUF_Q4_0, &u.why), "memory");
    left_alone(&u, bnd_gguf_decode_f32((void *)u.codes, x, 32, BND_GGUF_NVFP4, &u.why), "multiple");
    CU_ASSERT_EQUAL(bnd_gguf_encode_f32(NULL, NULL, 0, BND_GGUF_MXFP4, &u.why), BND_OK);
    CU_ASSERT_EQUAL(bnd_gguf_size(BND_GGUF_Q8_0, 33), 0);
    CU_ASSERT_EQUAL(bnd_gguf_size((bnd_gguf_type)0, 32), 0);
    CU_ASSERT_EQUAL(bnd_gguf_size(BND_GGUF_Q8_0, SIZE_MAX - 31), 0);
    left_alone(&u, bnd_hadamard_f32((void *)u.codes, x, 1, 8, 1, &u.why), "16");
    left_alone(&u, bnd_hadamard_inverse_f32((void *)u.codes, x, SIZE_MAX / 2, 16, 1, &u.why), "memory");
}

CU_TestInfo refusal_tests[] = {
    {"block formats that cannot be", test_blocks},
    {"strides and sizes", test_arrays},
    {"value sets", test_value_sets},
    {"no place for a scale", test_tensor_scale},
    {"nothing at all", test_nothing},
    {"tensors as shapes", test_shapes},
    {"GGUF and Hadamard", test_gguf},
    CU_TEST_INFO_NULL,
};
