/* Every block format, rule, mode, axis and length, against the model. */
#include <math.h>
#include <stdlib.h>

#include "model.h"
#include "tests.h"

/* Numbers over many binades, so that a block has large and small ones; some zeros and subnormals. */
static float any_number(uint64_t seed, uint64_t i)
{
    uint64_t random = bnd_random(seed, 3, i);
    double spread = ldexp((double)normal_number(seed, i), (int)(random % 12) - 6);
    return random >> 8 & 31 ? (float)spread : random >> 13 & 1 ? -0.0f : (float)ldexp(spread, -130);
}

static float *numbers(bnd_shape shape, uint64_t seed)
{
    size_t n = shape.outer * shape.length * shape.inner;
    float *x = memory_of(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = any_number(seed, i);
    }
    return x;
}

static void check(comparison *b, const char *name, bnd_shape shape, const bnd_array *how, uint64_t seed)
{
    bnd_block block = block_named(name);
    float *x = numbers(shape, seed);
    check_block(b, x, shape, &block, how);
    free(x);
}

static const char *const blocks[] = {
    "mxfp8",
    "mxfp8:floor",
    "mxfp8:ceil",
    "mxfp8:even",
    "mxfp8-e5m2",
    "mxfp8-e5m2:even",
    "mxfp6-e2m3",
    "mxfp6-e3m2",
    "mxfp6-e2m3:even",
    "mxfp6-e3m2:floor",
    "mxfp4",
    "mxfp4:floor",
    "mxfp4:even",
    "mxfp4:ceil",
    "mxint8",
    "mxint8:floor",
    "mxint8:even",
    "nvfp4",
    "e3m4/mx",
    "nvfp4-subnormal",
    "e4m3/row",
    "e4m3/row:rceil",
    "e4m3/tensor",
    "bf16/tile:3x5",
    "e2m1/row",
    "e4m3/tile:1x16",
    "e2m3/tile:4x4",
    "e4m3/nvfp4",
    "e4m3fnuz/mx:even",
    "binary8p3se/mx",
    "e2m1/nvfp4:16x16",
    "e2m1/nvfp4:3x5",
    "e4m3/mx:4x8:floor",
    "mxfp8:ct",
    "mxfp6-e3m2:ct",
    "mxint8:ct",
    "e4m3/row:ct",
    "int8/row",
    "int8/tensor",
    "int8/tile:4x16",
    "int8/row:32:rceil",
    "int8/row:bf16",
    "int4/row:32",
    "int2/row:16",
    "e4m3/row:bf16",
    "e4m3/tile:4x16:e8m0",
    "e2m1/tensor:fp16:floor",
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static void test_every_block(void)
{
    comparison b;
    comparison_open(&b, "blocks");
    const bnd_array packed = {.packing_in = BND_PACKING_PACKED, .packing_out = BND_PACKING_PACKED},
                    unpacked = {.packing_in = BND_PACKING_UNPACKED, .packing_out = BND_PACKING_UNPACKED};
    for (size_t i = 0; i < BLOCKS; i++) {
        check(&b, blocks[i], (bnd_shape){3, 96, 1}, &packed, i);
        check(&b, blocks[i], (bnd_shape){1, 40, 24}, &unpacked, i + 100);
    }
    comparison_close(&b);
}

/* Rules that try several scales. */
static void test_attempts(void)
{
    static const char *const some[] = {
        "nvfp4:4/6",          "nvfp4:mse",           "nvfp4-subnormal:mse",
        "e2m1/nvfp4:4x8:4/6", "mxfp4:mse",           "mxfp8:mse",
        "mxint8:mse",         "e4m3/tile:3x5:mse",   "int8/row:mse",
        "int4/row:16:mse",    "e2m1/row:16:mse",     "e4m3/row:bf16:mse",
        "e5m2/tensor:mse",    "e4m3fnuz/row:16:mse", "binary8p4uf/row:16:mse",
        "e4m3/mx:4x8:mse",    "e2m1/row:e8m0:mse",   "binary8p1se/row:16:mse",
    };
    /* The last two have blocks of which some need fewer attempts than others, the last one short. */
    static const bnd_shape shapes[] = {{3, 48, 1}, {1, 16, 9}, {5, 7, 1}, {1, 6, 5}, {2, 200, 1}, {1, 75, 3}};
    comparison b;
    comparison_open(&b, "several scales");
    for (size_t k = 0; k < sizeof some / sizeof some[0]; k++) {
        const bnd_array how = {.rule = {.rounding = k % 3 == 2 ? BND_ROUND_RTZ : BND_ROUND_RNE},
                               .packing_in = (uint8_t)(k % 2),
                               .packing_out = (uint8_t)(k % 2)};
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            if (in_turn(i + k, 3)) {
                check(&b, some[k], shapes[i], &how, 300 + 10 * i + k);
            }
        }
    }
    comparison_close(&b);
}

/* Axes first, middle, last; the last block short or the only one; rows that end within a byte. */
static void test_shapes(void)
{
    static const bnd_shape shapes[] = {{1, 1, 1},  {1, 33, 1}, {5, 7, 1},  {1, 31, 1},  {2, 64, 3}, {1, 70, 5},
                                       {3, 35, 8}, {2, 1, 19}, {4, 3, 16}, {1, 16, 17}, {2, 50, 1}, {3, 33, 24}};
    static const char *const some[] = {"mxfp8",          "mxfp6-e3m2",      "mxfp4",         "mxint8",
                                       "nvfp4",          "e2m1/row",        "e2m3/tile:3x5", "e4m3/tensor",
                                       "e4m3/tile:2x16", "e2m1/nvfp4:16x16"};
    comparison b;
    comparison_open(&b, "shapes");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (size_t k = 0; k < sizeof some / sizeof some[0]; k++) {
            const bnd_array how = {.packing_in = (uint8_t)((i + k) % 2), .packing_out = (uint8_t)((i + k) % 2)};
            check(&b, some[k], shapes[i], &how, 1000 + 10 * i + k);
        }
    }
    comparison_close(&b);
}

/* Blocks of any length, any element, any scale. */
static void test_other_blocks(void)
{
    static const size_t lengths[] = {1, 2, 3, 8, 16, 64, 128, 1000};
    static const char *const scales[] = {"e8m0", "fp32",     "bf16",        "fp16",        "e5m2",
                                         "e4m3", "e5m2fnuz", "binary8p1ue", "binary8p4uf", "dlfloat16"};
    comparison b;
    comparison_open(&b, "other blocks");
    const bnd_array how = {.packing_in = BND_PACKING_PACKED, .packing_out = BND_PACKING_PACKED};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t k = 0; k < sizeof scales / sizeof scales[0]; k++) {
            bnd_block block = block_named(k % 2 ? "mxfp4:even" : "mxfp6-e2m3");
            block.along = lengths[i];
            block.scale = format_named(scales[k]);
            if (block.scale.precision > 1 && i % 2) {
                block.rule = BND_SCALE_NEAREST;
                block.least = (int16_t)block.scale.emin;
            }
            bnd_shape shape = {2, 45, i % 3 == 0 ? 1 : 4};
            float *x = numbers(shape, i);
            check_block(&b, x, shape, &block, &how);
            free(x);
        }
    }
    comparison_close(&b);
}

/* Every mode, overflow policy and number of random bits: the exact way where doubles do not reach, too. */
static void test_rules(void)
{
    static const char *const some[] = {"mxfp8:floor", "mxfp8-e5m2:floor", "mxfp4:floor", "mxint8:floor",
                                       "nvfp4",       "e4m3/row",         "bf16/row"};
    static const uint8_t bits[] = {1, 3, 8, 20, 40, 62};
    comparison b;
    comparison_open(&b, "rules");
    for (size_t k = 0; k < sizeof some / sizeof some[0]; k++) {
        for (unsigned mode = 0; mode < BND_ROUND_COUNT; mode++) {
            bnd_array how = {
                .rule = {.rounding = (uint8_t)mode, .overflow = (uint8_t)((mode + k) % BND_OVERFLOW_COUNT)},
                .seed = 5 + mode,
                .purpose = k,
                .first = 1000003};
            how.rule.random_bits = mode >= BND_ROUND_SR ? bits[(mode + k) % sizeof bits] : 0;
            how.rule.flush_in = (mode + k) % 4 == 3;
            how.rule.flush_out = (mode + k) % 5 == 4;
            how.rule.no_nan = (uint8_t)(mode % 2);
            check(&b, some[k], (bnd_shape){2, 64, 1}, &how, 40 * k + mode);
            check(&b, some[k], (bnd_shape){1, 40, 3}, &how, 40 * k + mode + 7);
        }
    }
    comparison_close(&b);
}

/* Rows longer than a piece of work, tiles larger than it, many blocks in a row, in one comparison each. */
static void test_large(void)
{
    comparison b;
    comparison_open(&b, "large");
    const bnd_array how = {.packing_in = BND_PACKING_PACKED, .packing_out = BND_PACKING_PACKED};
    check(&b, "e4m3/row", (bnd_shape){2, 8200, 1}, &how, 1);
    check(&b, "e2m1/tensor", (bnd_shape){1, 9001, 1}, &how, 2);
    check(&b, "e2m1/tile:2x8500", (bnd_shape){1, 3, 8501}, &how, 3);
    check(&b, "mxfp4", (bnd_shape){1, 8209, 1}, &how, 4);
    check(&b, "mxfp8", (bnd_shape){1, 40, 300}, &how, 5);
    check(&b, "mxfp8", (bnd_shape){1, 9000, 1}, &how, 8);
    check(&b, "mxfp8-e5m2:floor", (bnd_shape){1, 4097, 1}, &how, 9);
    check(&b, "mxfp6-e3m2:even", (bnd_shape){3, 1032, 1}, &how, 10);
    check(&b, "nvfp4", (bnd_shape){1, 16, 700}, &how, 6);
    check(&b, "e4m3/row", (bnd_shape){1, 900, 9}, &how, 7); /* a scale a column */
    bnd_block half = block_named("e4m3/row:e8m0:mse");      /* two attempts at a scale over several pieces */
    const bnd_shape long_row = {1, 3 * 8192 + 100, 1};
    float *x = numbers(long_row, 12);
    check_block(&b, x, long_row, &half, &how);
    free(x);
    comparison_close(&b);
}

CU_TestInfo quantize_tests[] = {
    {"every block format", test_every_block},
    {"axes and short blocks", test_shapes},
    {"any length and scale", test_other_blocks},
    {"every mode and policy", test_rules},
    {"larger than a piece of work", test_large},
    {"several scales", test_attempts},
    CU_TEST_INFO_NULL,
};
