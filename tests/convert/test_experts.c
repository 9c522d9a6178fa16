/* Experts in one array: the same codes for either order of axes, and each expert as linear layers. */
#include "convert.h"

#include "convert/experts.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { E = 3, IN = 64, INNER = 32, GATE_UP = 2 * INNER };

#define AT "model.layers.0.mlp.experts."

/* Element (expert, row, column) of the arrays, as [out, in]; all differ. */
static float gate_up_at(size_t e, size_t r, size_t c)
{
    return (float)((e * GATE_UP + r) * IN + c + 1) * (c % 2 == 0 ? 0x1p-10F : -0x1p-10F);
}

static float down_at(size_t e, size_t r, size_t c)
{
    return (float)((e * IN + r) * INNER + c + 1) * 0x1p-6F;
}

static float *made(float (*at)(size_t, size_t, size_t), size_t rows, size_t columns, bool in_first)
{
    float *x = malloc(E * rows * columns * sizeof *x);
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    for (size_t e = 0; e < E; e++) {
        for (size_t r = 0; r < rows; r++) {
            for (size_t c = 0; c < columns; c++) {
                x[e * rows * columns + (in_first ? c * rows + r : r * columns + c)] = at(e, r, c);
            }
        }
    }
    return x;
}

/* `more`: with a linear layer. */
static void make_with(const char *name, const char *gate_up, const char *down, const char *config, bool in_first,
                      bool more)
{
    static const float layer[32 * 32] = {1};
    static const uint64_t layer_shape[] = {32, 32};
    char folder[PATH_SIZE], path[PATH_SIZE], file[64];
    float *up = made(gate_up_at, GATE_UP, IN, in_first), *low = made(down_at, IN, INNER, in_first);
    uint64_t shapes[2][3] = {{E, in_first ? IN : GATE_UP, in_first ? GATE_UP : IN},
                             {E, in_first ? INNER : IN, in_first ? IN : INNER}};
    const bnd_safetensor entries[] = {
        {.name = gate_up,
         .dtype = "F32",
         .rank = 3,
         .shape = shapes[0],
         .data = (const unsigned char *)up,
         .size = sizeof *up * E * GATE_UP * IN},
        {.name = down,
         .dtype = "F32",
         .rank = 3,
         .shape = shapes[1],
         .data = (const unsigned char *)low,
         .size = sizeof *low * E * IN * INNER},
        {.name = "model.layers.0.o_proj.weight",
         .dtype = "F32",
         .rank = 2,
         .shape = layer_shape,
         .data = (const unsigned char *)layer,
         .size = sizeof layer},
    };
    CU_ASSERT_EQUAL_FATAL(mkdir(in_folder(folder, name), 0777), 0);
    snprintf(file, sizeof file, "%s/model.safetensors", name);
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, file), entries, more ? 3 : 2, NULL, 0, NULL), BND_OK);
    snprintf(file, sizeof file, "%s/config.json", name);
    write_file(in_folder(path, file), config, strlen(config));
    free(up);
    free(low);
}

static void make_experts(const char *name, const char *gate_up, const char *down, const char *config, bool in_first)
{
    make_with(name, gate_up, down, config, in_first, false);
}

static bool same_part(const bnd_checkpoint *a, const bnd_checkpoint *b, const char *name)
{
    const bnd_stored_tensor *x = bnd_checkpoint_find(a, name), *y = bnd_checkpoint_find(b, name);
    return x != NULL && y != NULL && x->size == y->size && memcmp(x->data, y->data, (size_t)x->size) == 0;
}

static void blocks_of_gpt_oss(void)
{
    static const char config[] = "{\"model_type\": \"gpt_oss\"}";
    open_folder();
    make_experts("out-in", AT "gate_up_proj", AT "down_proj", config, false);
    make_experts("in-out", AT "gate_up_proj", AT "down_proj", config, true);
    make_experts("first", "block.0.mlp.mlp1_weight", "block.0.mlp.mlp2_weight", "{}", false);
    bnd_quantize how = {.to = "mxfp4", .layout = "gpt-oss"};
    bnd_checkpoint *a = quantize_named("out-in", "a", &how), *b = quantize_named("in-out", "b", &how),
                   *c = quantize_named("first", "c", &how);
    CU_ASSERT_TRUE(same_part(a, b, AT "gate_up_proj_blocks"));
    CU_ASSERT_TRUE(same_part(a, b, AT "gate_up_proj_scales"));
    CU_ASSERT_TRUE(same_part(a, b, AT "down_proj_blocks"));
    const bnd_stored_tensor *blocks = bnd_checkpoint_find(a, AT "gate_up_proj_blocks");
    CU_ASSERT_TRUE(blocks->rank == 4 && blocks->shape[0] == E && blocks->shape[1] == GATE_UP);
    CU_ASSERT_TRUE(blocks->shape[2] == IN / 32 && blocks->shape[3] == 16);
    const bnd_stored_tensor *first = bnd_checkpoint_find(c, "block.0.mlp.mlp1_weight.blocks");
    CU_ASSERT_TRUE(first != NULL && first->size == blocks->size &&
                   memcmp(first->data, blocks->data, (size_t)first->size) == 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(bnd_checkpoint_text(b, "config.json", NULL), "\"quant_method\": \"mxfp4\""));
    size_t count;
    float *y = values_of(b, AT "gate_up_proj", &count);
    CU_ASSERT_EQUAL_FATAL(count, E * GATE_UP * IN);
    bool near = true;
    for (size_t i = 0; i < count;
         i++) { /* four bits: within a quarter, and the small ones of a block within its scale */
        float x = gate_up_at(i / IN / GATE_UP, i / IN % GATE_UP, i % IN), off = y[i] > x ? y[i] - x : x - y[i];
        near = near && off <= 0.25F * (x < 0 ? -x : x) + 0x1p-6F;
    }
    CU_ASSERT_TRUE(near);
    free(y);
    bnd_checkpoint_free(a);
    bnd_checkpoint_free(b);
    bnd_checkpoint_free(c);
    close_folder();
}

static bool is_transposed(const bnd_checkpoint *blocks, const bnd_checkpoint *values, const char *name, size_t rows,
                          size_t columns)
{
    const bnd_stored_weight *weight = bnd_checkpoint_find_weight(values, name);
    size_t count, more, wrong = 0;
    float *y = values_of(blocks, name, &count), *z = values_of(values, name, &more);
    CU_ASSERT_TRUE_FATAL(count == E * rows * columns && more == count);
    for (size_t i = 0; i < count; i++) {
        size_t e = i / columns / rows, r = i / columns % rows, c = i % columns;
        wrong += z[(e * columns + c) * rows + r] != y[i];
    }
    free(y);
    free(z);
    return wrong == 0 && weight->rank == 3 && weight->shape[1] == columns && weight->shape[2] == rows;
}

/* Blocks are [E, out, in], values [E, in, out]: also those of an array that is kept. */
static void values_of_gpt_oss(void)
{
    static const char *const keep[] = {"*.down_proj"};
    open_folder();
    make_experts("model", AT "gate_up_proj", AT "down_proj", "{\"model_type\": \"gpt_oss\"}", true);
    make_experts("first", "block.0.mlp.mlp1_weight", "block.0.mlp.mlp2_weight", "{}", false);
    bnd_quantize how = {.to = "mxfp4", .layout = "gpt-oss"};
    bnd_checkpoint *blocks = quantize_named("model", "blocks", &how), *first = quantize_named("first", "first-4", &how);
    how.keep = keep;
    how.keeps = 1;
    how.unfused = true;
    bnd_checkpoint *kept = quantize_named("blocks", "kept", &how),
                   *values = quantize_named("blocks", "values", &(bnd_quantize){.to = "fp32"}),
                   *as_stored = quantize_named("first-4", "as-stored", &(bnd_quantize){.to = "bf16"});
    CU_ASSERT_TRUE(is_transposed(blocks, values, AT "gate_up_proj", GATE_UP, IN));
    CU_ASSERT_TRUE(is_transposed(blocks, values, AT "down_proj", IN, INNER));
    CU_ASSERT_TRUE(is_transposed(blocks, kept, AT "down_proj", IN, INNER));
    CU_ASSERT_PTR_NOT_NULL(bnd_checkpoint_find(kept, AT "gate_up_proj_blocks"));
    const bnd_stored_weight *weight = bnd_checkpoint_find_weight(as_stored, "block.0.mlp.mlp1_weight");
    CU_ASSERT_TRUE(weight != NULL && weight->shape[1] == GATE_UP && weight->shape[2] == IN);
    bnd_checkpoint_free(blocks);
    bnd_checkpoint_free(first);
    bnd_checkpoint_free(kept);
    bnd_checkpoint_free(values);
    bnd_checkpoint_free(as_stored);
    close_folder();
}

/* What is quantized as an array is the same as the linear layers of each expert on their own. */
static void layers_of_each_expert(void)
{
    static const struct {
        const char *name;
        bool down;
        size_t expert, from;
    } cases[] = {{AT "0.gate_proj.weight", false, 0, 0},
                 {AT "2.gate_proj.weight", false, 2, 0},
                 {AT "1.up_proj.weight", false, 1, INNER},
                 {AT "2.down_proj.weight", true, 2, 0}};
    static const char *const types[] = {"llama4", "qwen3_vl_moe"};
    for (size_t t = 0; t < 4; t++) {
        char config[64];
        open_folder();
        snprintf(config, sizeof config, "{\"model_type\": \"%s\"}", types[t / 2]);
        make_experts("in", AT "gate_up_proj", AT "down_proj", config, t % 2 == 0);
        bnd_checkpoint *out = quantize_named("in", "out", &(bnd_quantize){.to = "int8", .scale_format = "fp32"});
        CU_ASSERT_EQUAL(bnd_checkpoint_weights(out), 3 * E);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            size_t count, columns = cases[i].down ? INNER : IN, wrong = 0;
            float *y = values_of(out, cases[i].name, &count);
            CU_ASSERT_EQUAL_FATAL(count, INNER * IN);
            for (size_t k = 0; k < count; k++) { /* int8: half a step of the largest of a row is 1/254 of it */
                size_t r = cases[i].from + k / columns, c = k % columns;
                float x = cases[i].down ? down_at(cases[i].expert, r, c) : gate_up_at(cases[i].expert, r, c);
                float top = cases[i].down ? down_at(cases[i].expert, r, columns - 1)
                                          : -gate_up_at(cases[i].expert, r, columns - 1);
                float off = y[k] > x ? y[k] - x : x - y[k];
                wrong += off > top / 250;
            }
            CU_ASSERT_EQUAL(wrong, 0);
            free(y);
        }
        bnd_checkpoint_free(out);
        close_folder();
    }
}

static void experts_that_stay(void)
{
    static const char *const keep[] = {"*.gate_up_proj", "*.down_proj"}, *const also[] = {"*.down_proj"},
                             *const one[] = {"*.0.down_proj"};
    static const char *const half[] = {"*down_proj"};
    open_folder();
    make_experts("gpt", AT "gate_up_proj", AT "down_proj", "{\"model_type\": \"gpt_oss\"}", true);
    make_experts("other", AT "gate_up_proj", AT "down_proj", "{\"model_type\": \"else\"}", true);
    make_experts("odd", AT "gate_up_proj", AT "up_proj", "{\"model_type\": \"llama4\"}", true);
    make_experts("llama", AT "gate_up_proj", AT "down_proj", "{\"model_type\": \"llama4\"}", true);
    bnd_checkpoint *gpt = open_made("gpt"), *other = open_made("other"), *odd = open_made("odd"),
                   *llama = open_made("llama");
    refuse_plan(gpt, &(bnd_quantize){.to = "nvfp4"}, BND_BAD_ARGUMENT, "none of the 2 tensors");
    refuse_plan(gpt, &(bnd_quantize){.to = "e4m3", .also = also, .alsos = 1}, BND_BAD_ARGUMENT, "has 3 dimensions");
    refuse_plan(other, &(bnd_quantize){.to = "nvfp4"}, BND_BAD_ARGUMENT, "none of the 2 tensors");
    refuse_plan(odd, &(bnd_quantize){.to = "nvfp4"}, BND_BAD_ARGUMENT, "none of the 2 tensors");
    refuse_plan(llama, &(bnd_quantize){.to = "nvfp4", .keep = keep, .keeps = 2}, BND_BAD_ARGUMENT, "none of the 2");
    refuse_plan(llama, &(bnd_quantize){.to = "nvfp4", .keep = one, .keeps = 1}, BND_BAD_ARGUMENT, "keep all of it");
    refuse_plan(llama, &(bnd_quantize){.to = "e4m3", .keep = half, .keeps = 1}, BND_BAD_ARGUMENT,
                "down_proj stays, but loaders read it together with " AT "gate_up_proj, which is quantized");
    refuse_plan(gpt, &(bnd_quantize){.to = "mxfp4", .layout = "gpt-oss", .keep = half, .keeps = 1}, BND_BAD_ARGUMENT,
                "keep both or none");
    refuse_plan(llama, &(bnd_quantize){.to = "mxfp4", .layout = "gpt-oss"}, BND_BAD_ARGUMENT, "an array of experts");
    refuse_plan(gpt, &(bnd_quantize){.to = "nvfp4", .layout = "gpt-oss"}, BND_BAD_ARGUMENT, "gpt-oss has no layout");
    bnd_checkpoint_free(gpt);
    bnd_checkpoint_free(other);
    bnd_checkpoint_free(odd);
    bnd_checkpoint_free(llama);
    close_folder();
}

/* Loaders would look for codes of experts that no config lists. */
static void experts_that_stay_are_listed(void)
{
    static const char *const keep[] = {"*experts*"}, *const half[] = {"*down_proj"};
    static const struct {
        const char *type, *at, *layout, *to, *entry;
        size_t keeps;
    } cases[] = {
        {"qwen3_5_moe_text", AT, "compressed-tensors", "nvfp4",
         "\"re:model\\\\.layers\\\\.0\\\\.mlp\\\\.experts\\\\..*\"", 0},
        {"qwen3_5_moe_text", AT, "modelopt", "nvfp4", "\"model.layers.0.mlp.experts*\"", 0},
        {"qwen3_5_moe_text", AT, "fp8-block", "e4m3", "\"model.layers.0.mlp.experts\"", 0},
        {"llama4", AT, "compressed-tensors", "e4m3", "\"re:model\\\\.layers\\\\.0\\\\.mlp\\\\.experts\\\\..*\"", 1},
        {"qwen3_5_moe", "model.language_model.layers.0.mlp.experts.", "compressed-tensors", "nvfp4",
         "\"re:(model\\\\.language_model|language_model\\\\.model)\\\\.layers\\\\.0\\\\.mlp\\\\.experts\\\\..*\"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char config[64], up[64], down[64], path[PATH_SIZE];
        open_folder();
        snprintf(config, sizeof config, "{\"model_type\": \"%s\"}", cases[i].type);
        snprintf(up, sizeof up, "%sgate_up_proj", cases[i].at);
        snprintf(down, sizeof down, "%sdown_proj", cases[i].at);
        make_with("in", up, down, config, true, true);
        const bnd_quantize how = {.to = cases[i].to, .layout = cases[i].layout, .keep = keep, .keeps = cases[i].keeps};
        bnd_checkpoint *out = quantize_named("in", "out", &how);
        const char *text = bnd_checkpoint_text(out, "config.json", NULL), *entry = strstr(text, cases[i].entry);
        CU_ASSERT_PTR_NOT_NULL(entry);
        CU_ASSERT_TRUE(entry != NULL &&
                       (i == 2 || strstr(entry + 1, cases[i].entry) == NULL)); /* once for two arrays */
        if (i == 1) {
            bnd_relayout_result result;
            CU_ASSERT_PTR_NOT_NULL(strstr(bnd_checkpoint_text(out, "hf_quant_config.json", NULL), cases[i].entry));
            CU_ASSERT_EQUAL(bnd_checkpoint_relayout(&result, out, in_folder(path, "ct"),
                                                    &(bnd_relayout){.layout = "compressed-tensors"}, false, NULL),
                            BND_OK);
            bnd_checkpoint *ct = open_made("ct");
            CU_ASSERT_PTR_NOT_NULL(strstr(bnd_checkpoint_text(ct, "config.json", NULL), cases[0].entry));
            bnd_checkpoint_free(ct);
        }
        bnd_checkpoint_free(out);
        if (i == 3) { /* a half that stays has its own name: the expression would name the other half, too */
            out =
                quantize_named("in", "half", &(bnd_quantize){.to = "e4m3", .keep = half, .keeps = 1, .unfused = true});
            text = bnd_checkpoint_text(out, "config.json", NULL);
            CU_ASSERT_PTR_NULL(strstr(text, "re:"));
            CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"" AT "down_proj\""));
            bnd_checkpoint_free(out);
        }
        close_folder();
    }
}

CU_TestInfo expert_tests[] = {{"blocks of gpt-oss", blocks_of_gpt_oss},
                              {"values of gpt-oss", values_of_gpt_oss},
                              {"layers of each expert", layers_of_each_expert},
                              {"experts that stay", experts_that_stay},
                              {"experts that stay are listed", experts_that_stay_are_listed},
                              CU_TEST_INFO_NULL};
