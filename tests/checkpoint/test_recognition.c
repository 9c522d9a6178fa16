/* Recognition: which layout a group of tensors has, and what is said where none fits. Headers are written as text,
 * since the data do not matter. */
#include "files.h"
#include "tests/support/folder.h"
#include "weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of a header, with its bytes. */
typedef struct line {
    const char *name, *dtype, *shape;
    size_t size;
} line;

enum { MOST_LINES = 6 };

static bnd_checkpoint *opened(const line *lines, const char *config)
{
    char header[3000] = "{";
    size_t at = 0, length = 1;
    bnd_error why = {.message = ""};
    for (size_t i = 0; i < MOST_LINES && lines[i].name != NULL; i++) {
        length +=
            (size_t)snprintf(header + length, sizeof header - length,
                             "%s\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%zu,%zu]}", i == 0 ? "" : ",",
                             lines[i].name, lines[i].dtype, lines[i].shape, at, at + lines[i].size);
        at += lines[i].size;
    }
    snprintf(header + length, sizeof header - length, "}");
    open_folder();
    put_shard("model.safetensors", header, at);
    if (config != NULL) {
        put_text("config.json", config);
    }
    bnd_checkpoint *c = open_named("", NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    return c;
}

static void close_checkpoint(bnd_checkpoint *c)
{
    bnd_checkpoint_free(c);
    close_folder();
}

/* Every tensor is a part of exactly one weight. */
static void check_parts(const bnd_checkpoint *c)
{
    for (size_t i = 0; i < bnd_checkpoint_count(c); i++) {
        const bnd_stored_tensor *tensor = bnd_checkpoint_at(c, i);
        size_t times = 0;
        for (size_t k = 0; k < bnd_checkpoint_weights(c); k++) {
            for (bnd_part part = 0; part < BND_PART_COUNT; part++) {
                times += bnd_checkpoint_weight_at(c, k)->parts[part] == tensor;
            }
        }
        CU_ASSERT_EQUAL(times, 1);
    }
}

/* ---- what does not fit ---- */

typedef struct misfit {
    line lines[MOST_LINES];
    const char *config;
    const char *layout;  /* of a.weight; NULL: it is not quantized */
    const char *why_not; /* NULL: it is decoded */
    size_t weights;      /* in all */
} misfit;

#define CT     "{\"quantization_config\":{\"quant_method\":\"compressed-tensors\",\"format\":\"float-quantized\"}}"
#define CT_FP4 "{\"quantization_config\":{\"quant_method\":\"compressed-tensors\",\"format\":\"nvfp4-pack-quantized\"}}"
#define FP8    "{\"quantization_config\":{\"quant_method\":\"fp8\"}}"
#define CODES  "a.weight", "F8_E4M3"
#define WORDS  "a.weight", "U32", "[4,32]", 512
#define SCALES "a.scales", "BF16", "[4,2]", 16
#define BIASES "a.biases", "BF16", "[4,2]", 16

static const misfit misfits[] = {
    /* the numbers are there in another shape: decoded, as the layout of the configuration */
    {{{CODES, "[6,32]", 192}, {"a.weight_scale", "F32", "[6]", 24}}, CT, "compressed-tensors/fp8-row", NULL, 1},
    {{{CODES, "[6,32]", 192}, {"a.weight_scale", "F32", "[6]", 24}}, NULL, "modelopt/fp8-row", NULL, 1},
    {{{CODES, "[6,32]", 192}, {"a.weight_scale", "F32", "[1]", 4}}, FP8, "fp8/tensor", NULL, 1},
    {{{CODES, "[6,32]", 192}, {"a.weight_scale", "F32", "[]", 4}}, CT, "compressed-tensors/fp8-tensor", NULL, 1},
    /* another number of them */
    {{{CODES, "[300,300]", 90000}, {"a.weight_scale_inv", "F32", "[3,2]", 24}},
     FP8,
     "fp8/block",
     "weight_scale_inv has the shape [3, 2]; expected [3, 3]",
     1},
    {{{"a.weight_packed", "U8", "[6,16]", 96},
      {"a.weight_scale", "F8_E4M3", "[6,1]", 6},
      {"a.weight_global_scale", "F32", "[1]", 4}},
     CT_FP4,
     "compressed-tensors/nvfp4",
     "weight_scale has the shape [6, 1]; expected [6, 2]",
     1},
    /* another dtype */
    {{{"a.weight_packed", "U8", "[6,16]", 96},
      {"a.weight_scale", "F32", "[6,2]", 48},
      {"a.weight_global_scale", "F32", "[1]", 4}},
     CT_FP4,
     "compressed-tensors/nvfp4",
     "weight_scale has the dtype F32; expected F8_E4M3",
     1},
    /* another name: the scale is a weight of its own */
    {{{"a.weight_packed", "U8", "[6,16]", 96},
      {"a.weight_scale", "F8_E4M3", "[6,2]", 12},
      {"a.weight_scale_2", "F32", "[1]", 4}},
     CT_FP4,
     "compressed-tensors/nvfp4",
     "weight_global_scale is missing",
     2},
    {{{"a.weight_packed", "U8", "[6,16]", 96}}, NULL, "compressed-tensors/mxfp4", "weight_scale is missing", 1},
    /* not quantized at all */
    {{{"a.weight", "BF16", "[6,2]", 24}, {"a.weight_scale", "F32", "[6,1]", 24}}, CT, NULL, NULL, 2},
    {{{CODES, "[6,32]", 192}}, FP8, NULL, NULL, 1},
    {{{"a.weight", "U8", "[6,32]", 192}}, NULL, NULL, "its elements are integers", 1},
    {{{"a.weight", "I64", "[3]", 24}, {"a.scale", "F32", "[3]", 12}}, NULL, NULL, "its elements are integers", 2},
    /* the order of columns is not decoded */
    {{{"a.weight", "I8", "[2,8]", 16}, {"a.weight_scale", "F16", "[2,2]", 8}, {"a.weight_g_idx", "I32", "[8]", 32}},
     NULL,
     "compressed-tensors/int8-group",
     "its columns are in the order of activations (weight_g_idx)",
     1},
    /* weights that were rotated */
    {{{"a.weight", "I8", "[2,8]", 16}, {"a.weight_scale", "F32", "[]", 4}},
     NULL,
     "compressed-tensors/int8-tensor",
     NULL,
     1},
    /* words that cannot have this shape */
    {{{"a.weight_packed", "I32", "[2,1]", 8},
      {"a.weight_scale", "F16", "[2,1]", 4},
      {"a.weight_shape", "I64", "[2]", 16}},
     NULL,
     "compressed-tensors/packed-row",
     "weight_packed has the shape [2, 1]; expected [out, words]",
     1},
    /* integers of MLX: groups of 32, 64 and 128 fit; what the configuration says does not; nor does MLX have it */
    {{{WORDS}, {SCALES}, {BIASES}},
     NULL,
     "mlx/affine",
     "several bits and group sizes fit it, and config.json does not say which",
     1},
    {{{WORDS}, {SCALES}, {BIASES}},
     "{\"quantization\":{\"group_size\":64,\"bits\":4}}",
     "mlx/affine",
     "scales has the shape [4, 2]; expected [4, 4]",
     1},
    {{{WORDS}, {SCALES}, {BIASES}},
     "{\"quantization\":{\"group_size\":64,\"bits\":8,\"a\":{\"bits\":4}}}",
     "mlx/affine",
     "scales has the shape [4, 2]; expected [4, 4]",
     1},
    {{{WORDS}, {SCALES}, {BIASES}},
     "{\"quantization\":{\"group_size\":64,\"bits\":7}}",
     "mlx/affine",
     "config.json says bits or a group size that MLX does not have",
     1},
    /* two weights of one name */
    {{{"a.weight", "BF16", "[6,32]", 384},
      {"a.weight_packed", "U8", "[6,16]", 96},
      {"a.weight_scale", "U8", "[6,1]", 6}},
     NULL,
     NULL,
     "other tensors are a weight of the same name",
     2},
    /* nothing in it */
    {{{CODES, "[0,32]", 0}, {"a.weight_scale", "F32", "[0,1]", 0}}, CT, "compressed-tensors/fp8-row", NULL, 1},
    {{{CODES, "[]", 1}, {"a.weight_scale", "F32", "[]", 4}}, FP8, "fp8/tensor", NULL, 1},
    {{{CODES, "[4]", 4}, {"a.weight_scale", "F32", "[4,1]", 16}},
     CT,
     "compressed-tensors/fp8-tensor",
     "weight_scale has the shape [4, 1]; expected [1]",
     1},
};

static void check_misfit(const misfit *m)
{
    bnd_checkpoint *c = opened(m->lines, m->config);
    const bnd_stored_weight *w = bnd_checkpoint_find_weight(c, "a.weight");
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    const char *layout = w->layout == NULL ? "-" : w->layout->name, *why_not = w->why_not == NULL ? "-" : w->why_not;
    if (strcmp(layout, m->layout == NULL ? "-" : m->layout) != 0 ||
        strcmp(why_not, m->why_not == NULL ? "-" : m->why_not) != 0 || bnd_checkpoint_weights(c) != m->weights) {
        printf("%s %s %s: %s, %s; %zu weights\n", m->lines[0].dtype, m->lines[1].name == NULL ? "" : m->lines[1].name,
               m->lines[1].shape == NULL ? "" : m->lines[1].shape, layout, why_not, bnd_checkpoint_weights(c));
        CU_FAIL("another answer");
    }
    CU_ASSERT_EQUAL(w->is_float, w->why_not == NULL);
    check_parts(c);
    float y = 42;
    bnd_error why = {.message = ""};
    if (!w->is_float) {
        CU_ASSERT_EQUAL(bnd_decode_weight_f32(&y, w, 0, 1, NULL, &why), BND_BAD_ARGUMENT);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.message, w->why_not));
    } else {
        CU_ASSERT_EQUAL(bnd_decode_weight_f32(&y, w, 0, 0, NULL, &why), BND_OK);
        CU_ASSERT_EQUAL(bnd_decode_weight_f32(&y, w, 1, 0, NULL, &why), BND_BAD_ARGUMENT);
        CU_ASSERT_EQUAL(bnd_decode_weight_f32(&y, w, 0, (size_t)w->count + 1, NULL, &why), BND_BAD_ARGUMENT);
        CU_ASSERT_EQUAL(bnd_decode_weight_f32(&y, w, (uint64_t)-256, 1, NULL, &why), BND_BAD_ARGUMENT);
    }
    CU_ASSERT_EQUAL(y, 42);
    close_checkpoint(c);
}

static void test_misfits(void)
{
    for (size_t i = 0; i < sizeof misfits / sizeof misfits[0]; i++) {
        check_misfit(&misfits[i]);
    }
}

/* ---- names ---- */

/* Modules whose names are beginnings of each other, a module without a name, and one of 3,000 letters. */
static void test_modules(void)
{
    static const line lines[MOST_LINES] = {{"weight_scale", "F32", "[1]", 4},   {"a.weight", "F8_E4M3", "[4]", 4},
                                           {"a.weight_scale", "F32", "[1]", 4}, {"a.b.weight_scale", "F32", "[1]", 4},
                                           {"weight", "F8_E4M3", "[4]", 4},     {"ab.weight", "F8_E4M3", "[4]", 4}};
    bnd_checkpoint *c = opened(lines, NULL);
    CU_ASSERT_EQUAL(bnd_checkpoint_weights(c), 4);
    check_parts(c);
    const bnd_stored_weight *w = bnd_checkpoint_find_weight(c, "weight");
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    CU_ASSERT_PTR_EQUAL(w->parts[BND_PART_SCALES], bnd_checkpoint_find(c, "weight_scale"));
    w = bnd_checkpoint_find_weight(c, "a.weight");
    CU_ASSERT_PTR_NOT_NULL_FATAL(w);
    CU_ASSERT_PTR_EQUAL(w->parts[BND_PART_SCALES], bnd_checkpoint_find(c, "a.weight_scale"));
    CU_ASSERT_PTR_NULL(bnd_checkpoint_find_weight(c, "ab.weight")->layout);
    CU_ASSERT_PTR_NULL(bnd_checkpoint_find_weight(c, "a.b.weight"));
    CU_ASSERT_PTR_NULL(bnd_checkpoint_find_weight(c, "a.weight_scale"));
    CU_ASSERT_PTR_NULL(bnd_checkpoint_find_weight(c, ""));
    CU_ASSERT_PTR_NULL(bnd_checkpoint_weight_at(c, 4));
    close_checkpoint(c);
}

/* ---- configurations that cannot be read change nothing ---- */

static void test_bad_configurations(void)
{
    static const char *const configs[] = {
        "",
        "[]",
        "{\"quantization_config\": 7}",
        "{\"quantization_config\": {\"quant_method\": 7, \"config_groups\": [1], \"ignore\": {}}}",
        "{\"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": 1, \"h\": "
        "[1]}}}",
        "{\"quantization_config\": {\"weight_block_size\": [0, -1], \"quantized_layers\": {\"a\": 3}}}",
        "{\"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {\"targets\": "
        "1,"
        "\"weights\": {\"block_structure\": \"x\", \"dynamic\": 3, \"num_bits\": \"8\"}}}}}",
        "{\"a\": 1, \"a\": 2}",
    };
    static const line lines[MOST_LINES] = {{"a.weight", "F8_E4M3", "[2,4]", 8}, {"a.weight_scale", "F32", "[2,1]", 8}};
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        bnd_checkpoint *c = opened(lines, configs[i]);
        const bnd_stored_weight *w = bnd_checkpoint_find_weight(c, "a.weight");
        CU_ASSERT_PTR_NOT_NULL_FATAL(w);
        if (!w->is_float || w->layout == NULL) {
            printf("%s: %s\n", configs[i], w->why_not == NULL ? "no layout" : w->why_not);
            CU_FAIL("it is not decoded");
        }
        close_checkpoint(c);
    }
}

CU_TestInfo recognition_tests[] = {
    {"what does not fit", test_misfits},
    {"modules", test_modules},
    {"configurations that cannot be read", test_bad_configurations},
    CU_TEST_INFO_NULL,
};
