/* Names of block formats, in and out. */
#include <string.h>

#include "model.h"
#include "tests.h"

static void test_table(void)
{
    CU_ASSERT(bnd_block_count() >= 8);
    for (size_t i = 0; i < bnd_block_count(); i++) {
        bnd_block row, parsed;
        CU_ASSERT_FATAL(bnd_block_at(&row, i));
        CU_ASSERT_EQUAL(bnd_block_parse(&parsed, row.name, NULL), BND_OK);
        CU_ASSERT_STRING_EQUAL(parsed.name, row.name);
        CU_ASSERT(bnd_format_same(&parsed.element, &row.element));
        CU_ASSERT(strlen(bnd_block_title(i)) > 0);
        CU_ASSERT(strcmp(row.element.name, "fp64") != 0); /* what a misspelt format in the table would become */
        CU_ASSERT(strcmp(row.scale.name, "fp64") != 0);
        bnd_shape one = {1, 1, 1};
        CU_ASSERT_EQUAL(bnd_block_scales(&row, one), 1);
    }
    bnd_block untouched = {.along = 7};
    CU_ASSERT(!bnd_block_at(&untouched, bnd_block_count()) && untouched.along == 7);
    CU_ASSERT_STRING_EQUAL(bnd_block_title(bnd_block_count()), "");
}

static void test_rows(void)
{
    static const struct {
        const char *name, *element, *scale;
        size_t along;
    } rows[] = {
        {"mxfp8", "e4m3", "e8m0", 32},      {"mxfp8-e5m2", "e5m2", "e8m0", 32}, {"mxfp6-e2m3", "e2m3", "e8m0", 32},
        {"mxfp6-e3m2", "e3m2", "e8m0", 32}, {"mxfp4", "e2m1", "e8m0", 32},      {"mxint8", "p7emin0emax0", "e8m0", 32},
        {"nvfp4", "e2m1", "e4m3", 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bnd_block b = block_named(rows[i].name);
        CU_ASSERT_STRING_EQUAL(b.element.name, rows[i].element);
        CU_ASSERT_STRING_EQUAL(b.scale.name, rows[i].scale);
        CU_ASSERT_EQUAL(b.along, rows[i].along);
        CU_ASSERT_EQUAL(b.sharing, BND_SHARE_BLOCK);
        CU_ASSERT_EQUAL(b.tensor, strcmp(rows[i].name, "nvfp4") == 0);
        CU_ASSERT_EQUAL(b.integer, strcmp(rows[i].name, "mxint8") == 0);
    }
}

static void prints(const char *name, const char *want)
{
    char text[160];
    bnd_block b = block_named(name), again;
    size_t length = bnd_block_print(text, sizeof text, &b);
    CU_ASSERT_STRING_EQUAL(text, want);
    CU_ASSERT_EQUAL(length, strlen(want));
    CU_ASSERT_EQUAL(bnd_block_parse(&again, b.name, NULL), BND_OK); /* a name without a rule is a name */
    CU_ASSERT_STRING_EQUAL(again.name, b.name);
}

static void test_printed(void)
{
    prints("mxfp8", "mxfp8 (rceil; cuBLAS, Transformer Engine)");
    prints("MXFP8-E4M3:Floor", "mxfp8 (floor; OCP MX, torchao, microxcaling)");
    prints("mxfp4:even", "mxfp4 (even; torchao)");
    prints("mxint8:ceil", "mxint8 (ceil; torchao)");
    prints("nvfp4", "nvfp4 (nearest; amax / max)");
    prints("float8_e4m3fn/mx", "mxfp8 (rceil; cuBLAS, Transformer Engine)");
    prints("fp4/nvfp4:nearest", "nvfp4 (nearest; amax / max)");
    prints("e3m4/mx", "e3m4/mx (rceil; cuBLAS, Transformer Engine)");
    prints("e4m3/tensor", "e4m3/tensor (nearest; amax / max)");
    prints("e5m2/Row:rceil", "e5m2/row (rceil; cuBLAS, Transformer Engine)");
    prints("e4m3/ROW:32", "e4m3/row:32 (nearest; amax / max)");
    prints("e4m3/row:8:floor", "e4m3/row:8 (floor; OCP MX, torchao, microxcaling)");
    prints("e2m1/nvfp4:16x16", "e2m1/nvfp4:16x16 (nearest; amax / max)");
    prints("e4m3/MX:4X8:floor", "e4m3/mx:4x8 (floor; OCP MX, torchao, microxcaling)");
    prints("e4m3/tile:1x128", "e4m3/tile:1x128 (nearest; amax / max)");
    prints("e4m3/tile:128X128:floor", "e4m3/tile:128x128 (floor; OCP MX, torchao, microxcaling)");
    prints("nvfp4:4/6", "nvfp4 (4/6; Four Over Six)");
    prints("e2m1/nvfp4:16x16:FourOverSix", "e2m1/nvfp4:16x16 (4/6; Four Over Six)");
    prints("mxfp4:mse", "mxfp4 (mse; least error of the scales tried)");
    prints("e4m3/row:32:mse", "e4m3/row:32 (mse; least error of the scales tried)");
    prints("int8/row", "int8/row (nearest; amax / max)");
    prints("INT4/ROW:32:BF16:mse", "int4/row:32:bf16 (mse; least error of the scales tried)");
    prints("e4m3/row:bfloat16", "e4m3/row:bfloat16 (nearest; amax / max)");
    prints("e4m3/tile:128x128:e8m0", "e4m3/tile:128x128:e8m0 (rceil; cuBLAS, Transformer Engine)");
    prints("e4m3/tile:128x128:e8m0:floor", "e4m3/tile:128x128:e8m0 (floor; OCP MX, torchao, microxcaling)");
    char small[8];
    bnd_block b = block_named("mxfp8");
    CU_ASSERT_EQUAL(bnd_block_print(small, sizeof small, &b), strlen("mxfp8 (rceil; cuBLAS, Transformer Engine)"));
    CU_ASSERT_STRING_EQUAL(small, "mxfp8 (");
}

static void test_tiles(void)
{
    bnd_block b = block_named("e4m3/tile:128x64");
    CU_ASSERT_EQUAL(b.sharing, BND_SHARE_TILE);
    CU_ASSERT_EQUAL(b.along, 128);
    CU_ASSERT_EQUAL(b.across, 64);
    CU_ASSERT_STRING_EQUAL(b.scale.name, "fp32");
    CU_ASSERT_EQUAL(b.rule, BND_SCALE_NEAREST);
    b = block_named("e4m3/tile:1x128:even");
    CU_ASSERT_EQUAL(b.rule, BND_SCALE_EVEN);
    CU_ASSERT_EQUAL(bnd_scale_rule_parse(&b, "ct", NULL), BND_OK);
    CU_ASSERT_EQUAL(b.rule, BND_SCALE_CT);
    CU_ASSERT_EQUAL(b.along, 1);
    CU_ASSERT_EQUAL(block_named("e4m3/tile:1x4611686018427387904").across, (size_t)1 << 62);
    CU_ASSERT_EQUAL(block_named("e4m3/tensor").sharing, BND_SHARE_TENSOR);
    b = block_named("e2m1/row:16");
    CU_ASSERT_EQUAL(b.sharing, BND_SHARE_BLOCK);
    CU_ASSERT_EQUAL(b.along, 16);
    CU_ASSERT_STRING_EQUAL(b.scale.name, "fp32");
    CU_ASSERT_EQUAL(b.rule, BND_SCALE_NEAREST);
}

/* Formats of scales, and integers. */
static void test_parts(void)
{
    bnd_block b = block_named("e4m3/row:bf16");
    CU_ASSERT_STRING_EQUAL(b.scale.name, "bf16");
    CU_ASSERT(b.rule == BND_SCALE_NEAREST && b.least == -126 && b.sharing == BND_SHARE_BLOCK && b.along == 0);
    b = block_named("e4m3/tile:8x4:e8m0");
    CU_ASSERT_STRING_EQUAL(b.scale.name, "e8m0");
    CU_ASSERT(b.rule == BND_SCALE_RCEIL && b.along == 8 && b.across == 4);
    b = block_named("e4m3/tensor:fp16");
    CU_ASSERT(b.least == -14 && b.sharing == BND_SHARE_TENSOR);
    b = block_named("int8/tile:2x2");
    CU_ASSERT(b.integer && b.element.max_significand == 127 && b.element.max_quantum == 0);
    b = block_named("int4/row:32");
    CU_ASSERT(b.integer && b.element.max_significand == 7 && b.along == 32);
    b = block_named("int2/tensor");
    CU_ASSERT(b.integer && b.element.max_significand == 1);
    const bnd_format e4m3 = format_named("e4m3");
    CU_ASSERT_EQUAL(bnd_block_scaled(&b, "row:16:bf16:mse", &e4m3, NULL), BND_OK);
    CU_ASSERT_STRING_EQUAL(b.name, "e4m3/row:16:bf16");
    CU_ASSERT_EQUAL(b.rule, BND_SCALE_MSE);
    CU_ASSERT_EQUAL(bnd_scale_rule_parse(&b, "4/6", NULL), BND_BAD_ARGUMENT);
    CU_ASSERT_EQUAL(b.rule, BND_SCALE_MSE);
}

static void refused(const char *name, bnd_status status, const char *word)
{
    bnd_block b = block_named("mxint8");
    const bnd_block before = b;
    bnd_error why = {.status = BND_OK};
    CU_ASSERT_EQUAL(bnd_block_parse(&b, name, &why), status);
    CU_ASSERT_EQUAL(memcmp(&b, &before, sizeof b), 0);
    CU_ASSERT_EQUAL(why.status, status);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, word));
    if (strstr(why.message, word) == NULL) {
        printf("    %s: %s\n", name, why.message);
    }
    CU_ASSERT_EQUAL(bnd_block_parse(&b, name, NULL), status);
}

static void test_refused(void)
{
    refused("mxfp9", BND_BAD_NAME, "mxfp8");
    refused("", BND_BAD_NAME, "mxfp8");
    refused("mxfp8:flor", BND_BAD_NAME, "floor");
    refused("mxfp8:", BND_BAD_NAME, "rule");
    refused("mxfp8:nearest", BND_BAD_ARGUMENT, "powers of two");
    refused("nvfp4:floor", BND_BAD_ARGUMENT, "nearest");
    refused("e4m4x/mx", BND_BAD_NAME, "e4m4x");
    refused("e4m3/column", BND_BAD_NAME, "tile");
    refused("int4/row:0", BND_BAD_SYNTAX, "'row:0' must be row");
    refused("e4m3/row:", BND_BAD_NAME, "rule");
    refused("e4m3/row:0", BND_BAD_SYNTAX, "scaling 'row:0' must be row, or row:N as row:32, with sizes of at least 1");
    refused("e4m3/row:-1", BND_BAD_SYNTAX, "'row:-1' must be row");
    refused("e4m3/tile:-1x2", BND_BAD_SYNTAX, "'tile:-1x2' must be tile:ROWSxCOLUMNS as tile:1x128, with sizes of");
    refused("e4m3/tile:0x0", BND_BAD_SYNTAX, "'tile:0x0' must be tile:ROWSxCOLUMNS as tile:1x128, with sizes of at");
    refused("e4m3/nvfp4:0x16", BND_BAD_SYNTAX, "'nvfp4:0x16' must be nvfp4, or nvfp4:ROWSxCOLUMNS");
    refused("e4m3/row:4x4", BND_BAD_SYNTAX, "row:N");
    refused("e4m3/tile:0x4", BND_BAD_SYNTAX, "tile");
    refused("e4m3/tile:4x", BND_BAD_SYNTAX, "tile");
    refused("e4m3/tile:4x4x4", BND_BAD_SYNTAX, "tile");
    refused("e4m3/tile:99999999999999999999999x", BND_BAD_SYNTAX, "tile");
    refused("e4m3/tile:99999999999999999999x1", BND_BAD_SYNTAX, "tile");
    refused("e4m3/tile:1x9223372036854775808", BND_BAD_SYNTAX, "tile");
    refused("e8m0/mx", BND_BAD_ARGUMENT, "2^-126");
    refused("fp64/row", BND_BAD_ARGUMENT, "fp64");
    refused("e4m3/", BND_BAD_NAME, "tile");
    refused("mxfp8:4/6", BND_BAD_ARGUMENT, "nvfp4");
    refused("e4m3/nvfp4:4/6", BND_BAD_ARGUMENT, "nvfp4");
    refused("nvfp4:rceil", BND_BAD_ARGUMENT, "mse or 4/6");
    refused("mxfp8:bf16", BND_BAD_NAME, "rule");
    refused("e4m3/mx:bf16", BND_BAD_SYNTAX, "scaling");
    refused("e4m3/row:fp64", BND_BAD_ARGUMENT, "fp64");
    refused("e4m3/row:e2m1", BND_BAD_ARGUMENT, "e2m1");
    refused("e4m3/row:bf16:bf16", BND_BAD_SYNTAX, "scaling");
    refused("e4m3/row:mse:bf16", BND_BAD_SYNTAX, "scaling");
    refused("int9/row", BND_BAD_NAME, "int9");
    refused("int8", BND_BAD_NAME, "mxint8");
}

static void test_notes(void)
{
    bnd_block nvfp4 = block_named("nvfp4"), mxfp8 = block_named("mxfp8"), mxfp4 = block_named("mxfp4");
    CU_ASSERT_PTR_NOT_NULL(strstr(bnd_block_note(&nvfp4), "reciprocal"));
    CU_ASSERT_PTR_NOT_NULL(strstr(bnd_block_note(&nvfp4), "pairs"));
    CU_ASSERT_PTR_NOT_NULL(strstr(bnd_block_note(&mxfp4), "low half"));
    CU_ASSERT_STRING_EQUAL(bnd_block_note(&mxfp8), "");
    static const char *const words[] = {"two codes per byte", "two's complement", "2^-6", "the tensor's scale",
                                        "the scale"};
    static const struct {
        const char *name;
        unsigned notes; /* which of the words */
    } rows[] = {{"nvfp4", 9},        {"mxfp4", 1},        {"mxint8", 6},   {"fp16/nvfp4", 8},   {"int8/nvfp4", 10},
                {"e4m3/nvfp4", 8},   {"int4/nvfp4", 10},  {"int4/mx", 2},  {"int8/mx", 2},      {"int8/row:32", 2},
                {"e4m3/tensor", 16}, {"int8/tensor", 18}, {"e2m1/row", 1}, {"e2m1/tensor", 17}, {"e4m3/mx", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bnd_block block = block_named(rows[i].name);
        unsigned notes = 0;
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            notes |= (strstr(bnd_block_note(&block), words[w]) != NULL ? 1U : 0) << w;
        }
        CU_ASSERT_EQUAL(notes, rows[i].notes);
        if (notes != rows[i].notes) {
            printf("\n  %s: %s\n", rows[i].name, bnd_block_note(&block));
        }
    }
}

CU_TestInfo name_tests[] = {
    {"every row", test_table},
    {"what the rows are", test_rows},
    {"printed", test_printed},
    {"tiles", test_tiles},
    {"formats of scales, integers", test_parts},
    {"refused", test_refused},
    {"notes", test_notes},
    CU_TEST_INFO_NULL,
};
