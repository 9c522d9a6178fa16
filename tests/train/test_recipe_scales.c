/* Weights and optimizer states that are stored with scales. */
#include "recipes.h"

#include <binade/block.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        double share = (double)below(1u << 24, seed, i) * 0x1p-24;
        x[i] = (float)ldexp(share - 0.5, (int)below(12, seed + 1, i) - 8);
    }
}

enum { ROWS = 150, COLUMNS = 200, N = ROWS * COLUMNS };

static bnd_tensor *stored(bnd_run **run, const char *recipe, bnd_role part)
{
    bnd_training t = training_of("mlp", "adamw", recipe);
    t.inputs = COLUMNS;
    t.width = ROWS;
    t.depth = 1;
    *run = run_of(&t, NULL);
    bnd_tensor *tensor = bnd_run_parameter(*run, 0, part);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tensor);
    CU_ASSERT_EQUAL_FATAL(bnd_tensor_count(tensor), N);
    return tensor;
}

/* Codes and scales are block's, and so are the numbers that are read, a transposed view's and a row's too. */
static void check_blocks(const char *recipe, const char *block_name)
{
    static float x[N], y[N], expected[N];
    static unsigned char codes[4 * N], scales[4 * N];
    float tensor_scale = 1;
    bnd_block block;
    bnd_shape shape;
    bnd_error why;
    bnd_run *run;
    bnd_tensor *t = stored(&run, recipe, BND_ROLE_PARAM), *turned, *row;
    size_t bytes;
    fill(x, N, 7);
    CU_ASSERT_TRUE(succeeds(bnd_block_parse(&block, block_name, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_block_shape(&shape, &block, (size_t[]){ROWS, COLUMNS}, 2, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_quantize_f32(codes, scales, &tensor_scale, x, shape, &block,
                                             &(bnd_array){.packing_out = BND_PACKING_PACKED}, NULL, &why),
                            &why));
    CU_ASSERT_TRUE(succeeds(bnd_dequantize_f32(expected, codes, scales, tensor_scale, shape, &block,
                                               &(bnd_array){.packing_in = BND_PACKING_PACKED}, &why),
                            &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_write_f32(t, x, N, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
    CU_ASSERT_EQUAL(memcmp(bnd_tensor_codes(t), codes, bnd_tensor_bytes(t)), 0);
    const void *stored_scales = bnd_tensor_scales(t, &bytes);
    size_t size = bnd_block_scales_size(&block, shape);
    CU_ASSERT_EQUAL(bytes, size + (block.tensor ? 4 : 0));
    CU_ASSERT_EQUAL(memcmp(stored_scales, scales, size), 0);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, N, t, &why), &why));
    CU_ASSERT_EQUAL(memcmp(y, expected, sizeof y), 0);
    CU_ASSERT_TRUE(succeeds(bnd_tensor_transpose(&turned, t, 0, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, N, turned, &why), &why));
    for (size_t i = 0; i < N; i++) {
        CU_ASSERT_EQUAL(y[i % COLUMNS * ROWS + i / COLUMNS], expected[i]);
    }
    CU_ASSERT_TRUE(succeeds(bnd_tensor_slice(&row, t, 0, 133, 1, 1, &why), &why));
    CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, COLUMNS, row, &why), &why));
    CU_ASSERT_EQUAL(memcmp(y, expected + 133 * COLUMNS, COLUMNS * sizeof *y), 0);
    CU_ASSERT_EQUAL(bnd_tensor_fill(row, 1, &why), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(bnd_tensor_write_f32(row, x, COLUMNS, (bnd_rule){.rounding = BND_ROUND_RNE}, &why),
                    BND_BAD_ARGUMENT);
    bnd_tensor_release(turned);
    bnd_tensor_release(row);
    bnd_run_free(run);
}

static void test_blocks(void)
{
    static const struct {
        const char *recipe, *block;
    } cases[] = {{"param=e4m3/tile:128x128", "e4m3/tile:128x128"},
                 {"param=e4m3/tensor,master=fp32", "e4m3/tensor"},
                 {"param=fp16/tensor", "fp16/tensor"},
                 {"param=mxfp8", "e4m3/mx"},
                 {"param=mxfp6", "e3m2/mx"},
                 {"param=mxfp4", "e2m1/mx:floor"},
                 {"param=e2m1/mx:floor", "e2m1/mx:floor"},
                 {"param=nvfp4", "nvfp4"},
                 {"param=e2m1/nvfp4:16x16", "e2m1/nvfp4:16x16"},
                 {"param=e5m2/row", "e5m2/row"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned before = CU_get_number_of_failures();
        check_blocks(cases[i].recipe, cases[i].block);
        if (CU_get_number_of_failures() > before) {
            printf("\n    %s\n", cases[i].recipe);
        }
    }
}

static void test_dynamic(void)
{
    static float x[N], y[N], expected[N], scales[N];
    static unsigned char codes[N];
    bnd_error why;
    for (int i = 0; i < 2; i++) {
        bnd_run *run;
        bnd_tensor *t = stored(&run, "adam8bit", i == 0 ? BND_ROLE_M : BND_ROLE_V);
        const bnd_dynamic how = {.block = 256, .is_signed = i == 0};
        size_t bytes;
        fill(x, N, 9);
        CU_ASSERT_TRUE(succeeds(bnd_dynamic_quantize_f32(codes, scales, x, N, &how, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_dynamic_dequantize_f32(expected, codes, scales, N, &how, &why), &why));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_write_f32(t, x, N, (bnd_rule){.rounding = BND_ROUND_RNE}, &why), &why));
        CU_ASSERT_EQUAL(bnd_tensor_bytes(t), N);
        CU_ASSERT_EQUAL(memcmp(bnd_tensor_codes(t), codes, N), 0);
        CU_ASSERT_EQUAL(memcmp(bnd_tensor_scales(t, &bytes), scales, 4 * blocks(N, 256)), 0);
        CU_ASSERT_EQUAL(bytes, 4 * blocks(N, 256));
        CU_ASSERT_TRUE(succeeds(bnd_tensor_read_f32(y, N, t, &why), &why));
        CU_ASSERT_EQUAL(memcmp(y, expected, sizeof y), 0);
        CU_ASSERT_PTR_NULL(bnd_tensor_scales(bnd_run_parameter(run, 1, BND_ROLE_M), &bytes)); /* a bias */
        bnd_run_free(run);
    }
}

CU_TestInfo recipe_scale_tests[] = {
    {"stored blocks", test_blocks},
    {"stored dynamic codes", test_dynamic},
    CU_TEST_INFO_NULL,
};
