/* Plans of quantize: what each weight is converted to, and what the config says. No data are read. */
#include "convert.h"

#include "tests/support/folder.h"

#include <stdio.h>
#include <string.h>

static const char config[] = "{\n  \"model_type\": \"llama\",\n  \"torch_dtype\": \"bfloat16\"\n}\n";

static bnd_checkpoint *open_small(const char *text)
{
    open_folder();
    make_model("in", small_model, small_model_count, text);
    return open_made("in");
}

static void close_small(bnd_checkpoint *in)
{
    bnd_checkpoint_free(in);
    close_folder();
}

static const bnd_planned_weight *row_of(const bnd_quantize_plan *plan, const char *name)
{
    for (size_t i = 0; i < bnd_quantize_plan_count(plan); i++) {
        if (strcmp(bnd_quantize_plan_at(plan, i)->weight->name, name) == 0) {
            return bnd_quantize_plan_at(plan, i);
        }
    }
    return NULL;
}

static bool text_has(const bnd_quantize_plan *plan, const char *file, const char *words)
{
    size_t length = 0;
    const char *text = bnd_quantize_plan_text(plan, file, &length);
    return text != NULL && strlen(text) == length && strstr(text, words) != NULL;
}

static void each_weight_has_a_reason(void)
{
    bnd_checkpoint *in = open_small(config);
    const char *keep[] = {"*.down_proj"};
    bnd_quantize_plan *plan = plan_of(in, &(bnd_quantize){.to = "e4m3", .keep = keep, .keeps = 1});
    static const struct {
        const char *name;
        bnd_conversion conversion;
        const char *reason, *dtype;
        uint64_t bytes;
    } cases[] = {
        {"model.embed_tokens.weight", BND_STAYS, "embedding", "BF16", 40 * 64 * 2},
        {"model.layers.0.self_attn.q_proj.weight", BND_QUANTIZED, "linear", "F8_E4M3", 64 * 64 + 64 * 2},
        {"model.layers.0.self_attn.q_proj.bias", BND_STAYS, "vector", "BF16", 64 * 2},
        {"model.layers.0.mlp.down_proj.weight", BND_STAYS, "kept", "BF16", 64 * 96 * 2},
        {"model.layers.1.mlp.gate.weight", BND_STAYS, "router", "BF16", 4 * 64 * 2},
        {"model.norm.weight", BND_STAYS, "vector", "F32", 64 * 4},
        {"lm_head.weight", BND_STAYS, "head", "BF16", 40 * 64 * 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bnd_planned_weight *row = row_of(plan, cases[i].name);
        CU_ASSERT_PTR_NOT_NULL_FATAL(row);
        CU_ASSERT_EQUAL(row->conversion, cases[i].conversion);
        CU_ASSERT_STRING_EQUAL(row->reason, cases[i].reason);
        CU_ASSERT_STRING_EQUAL(row->dtype, cases[i].dtype);
        CU_ASSERT_EQUAL(row->bytes_out, cases[i].bytes);
        CU_ASSERT_EQUAL(row->group, SIZE_MAX); /* rows have scales of their own */
    }
    bnd_plan_totals sums = bnd_quantize_plan_totals(plan);
    CU_ASSERT_EQUAL(sums.weights[BND_QUANTIZED], 10);
    CU_ASSERT_EQUAL(sums.weights[BND_STAYS], 7);
    CU_ASSERT_STRING_EQUAL(bnd_quantize_plan_layout(plan)->name, "compressed-tensors/fp8-row");
    CU_ASSERT_STRING_EQUAL(bnd_quantize_plan_scale_format(plan), "bf16");
    CU_ASSERT_STRING_EQUAL(bnd_quantize_plan_rule(plan), "amax");
    CU_ASSERT_PTR_NULL(bnd_quantize_plan_at(plan, bnd_quantize_plan_count(plan)));
    bnd_quantize_plan_free(plan);
    close_small(in);
}

/* Each kind's sums, by hand from the shapes of small_model. */
static void kinds_are_summed(void)
{
    bnd_checkpoint *in = open_small(config);
    const char *keep[] = {"*.down_proj"};
    bnd_quantize_plan *plan = plan_of(in, &(bnd_quantize){.to = "e4m3", .keep = keep, .keeps = 1});
    enum { LINEAR = 2 * 64 * 64 + 2 * 32 * 64 + 6 * 96 * 64, ROWS = 2 * 64 + 2 * 32 + 6 * 96 };
    static const struct {
        const char *reason, *stored, *to;
        uint64_t weights, elements, bytes_in, bytes_out;
    } kinds[] = {
        {"embedding", "BF16", "BF16", 1, 40 * 64, 80 * 64, 80 * 64},
        {"vector", "BF16", "BF16", 2, 128, 256, 256},
        {"linear", "BF16", "e4m3/row", 10, LINEAR, 2 * LINEAR, LINEAR + 2 * ROWS},
        {"kept", "BF16", "BF16", 1, 64 * 96, 2 * 64 * 96, 2 * 64 * 96},
        {"router", "BF16", "BF16", 1, 4 * 64, 8 * 64, 8 * 64},
        {"vector", "F32", "F32", 1, 64, 256, 256},
        {"head", "BF16", "BF16", 1, 40 * 64, 80 * 64, 80 * 64},
    };
    const size_t count = sizeof kinds / sizeof *kinds;
    CU_ASSERT_EQUAL_FATAL(bnd_quantize_plan_kinds(plan), count);
    CU_ASSERT_PTR_NULL(bnd_quantize_plan_kind_at(plan, count));
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t k = 0; k < count; k++) {
            const bnd_planned_kind *kind = bnd_quantize_plan_kind_at(plan, k);
            if (strcmp(kind->first->reason, kinds[i].reason) == 0 &&
                strcmp(bnd_stored_as(kind->first->weight), kinds[i].stored) == 0) {
                found = true;
                CU_ASSERT_STRING_EQUAL(bnd_planned_to(kind->first), kinds[i].to);
                CU_ASSERT_EQUAL(kind->weights, kinds[i].weights);
                CU_ASSERT_EQUAL(kind->elements, kinds[i].elements);
                CU_ASSERT_EQUAL(kind->bytes_in, kinds[i].bytes_in);
                CU_ASSERT_EQUAL(kind->bytes_out, kinds[i].bytes_out);
            }
        }
        CU_ASSERT_TRUE(found);
    }
    bnd_quantize_plan_free(plan);
    close_small(in);
}

static void tensor_scales_are_shared(void)
{
    bnd_checkpoint *in = open_small(config);
    static const bnd_quantize hows[] = {{.to = "nvfp4"}, {.to = "e4m3", .layout = "fp8"}};
    for (size_t i = 0; i < 2; i++) {
        bnd_quantize how = hows[i];
        bnd_quantize_plan *plan = plan_of(in, &how);
        size_t q = row_of(plan, "model.layers.0.self_attn.q_proj.weight")->group;
        CU_ASSERT_NOT_EQUAL(q, SIZE_MAX);
        CU_ASSERT_EQUAL(q, row_of(plan, "model.layers.0.self_attn.v_proj.weight")->group);
        CU_ASSERT_EQUAL(row_of(plan, "model.layers.0.self_attn.o_proj.weight")->group, SIZE_MAX);
        CU_ASSERT_EQUAL(bnd_quantize_plan_totals(plan).groups, 4);
        bnd_quantize_plan_free(plan);
        how.unfused = true;
        plan = plan_of(in, &how);
        CU_ASSERT_EQUAL(row_of(plan, "model.layers.0.self_attn.q_proj.weight")->group, SIZE_MAX);
        CU_ASSERT_EQUAL(bnd_quantize_plan_totals(plan).groups, 0);
        bnd_quantize_plan_free(plan);
    }
    close_small(in);
}

static void what_cannot_be_is_refused(void)
{
    static const char *const keep_one[] = {"*.k_proj"}, *const keep_all[] = {"*"}, *const head[] = {"lm_head"},
                             *const table[] = {"*embed_tokens"};
    bnd_checkpoint *in = open_small("{\"tie_word_embeddings\": true}");
    static const struct {
        bnd_quantize how;
        bnd_status status;
        const char *words;
    } cases[] = {
        {{.to = NULL}, BND_BAD_ARGUMENT, "expected a format"},
        {{.to = "e4m3", .layout = "compresed"},
         BND_BAD_NAME,
         "unknown layout 'compresed' (available: compressed-tensors"},
        {{.to = "e4m3", .layout = "gguf"}, BND_BAD_ARGUMENT, "can be read, but not written"},
        {{.to = "e5m2"}, BND_BAD_ARGUMENT, "compressed-tensors has no layout for e5m2/row (available: e4m3/row"},
        {{.to = "nvfp4", .layout = "fp8"}, BND_BAD_ARGUMENT, "fp8 has no layout for nvfp4 (available: e4m3/tensor"},
        {{.to = "e4m3", .layout = "modelopt", .scale = "tensor"}, BND_BAD_ARGUMENT, "static input scales"},
        {{.to = "nvfp4", .scale = "row"}, BND_BAD_ARGUMENT, "nvfp4 has scales of its own"},
        {{.to = "e4m3", .scale = "rows"}, BND_BAD_NAME, "rows"},
        {{.to = "mxfp4", .rule = "sometimes"}, BND_BAD_NAME, "sometimes"},
        {{.to = "e4m3", .layout = "fp8", .rule = "mse"}, BND_BAD_ARGUMENT, "one scale per tensor"},
        {{.to = "mxfp4", .scale_format = "fp32"}, BND_BAD_ARGUMENT, "the scales of mxfp4 are e8m0"},
        {{.to = "e4m3", .scale_format = "e5m2"}, BND_BAD_ARGUMENT, "must be fp32, bf16 or fp16"},
        {{.to = "e4m3", .layout = "fp8", .scale_format = "bf16"}, BND_BAD_ARGUMENT, "must be fp32"},
        {{.to = "nvfp4", .activations = "dynamic"}, BND_BAD_ARGUMENT, "try none"},
        {{.to = "e4m3", .activations = "statics"}, BND_BAD_NAME, "unknown activations"},
        {{.to = "e4m3", .activations = "static"}, BND_BAD_ARGUMENT, "the input has no static input scales of e4m3/row"},
        {{.to = "mxfp4", .activations = "static"}, BND_BAD_ARGUMENT, "mxfp4 has no static input scales"},
        {{.to = "e5m2", .layout = "comfyui", .activations = "dynamic"}, BND_BAD_ARGUMENT, "try none"},
        {{.to = "bf16", .layout = "fp8"}, BND_BAD_ARGUMENT, "cannot be used with a layout"},
        {{.to = "e4m3", .keep = keep_one, .keeps = 1}, BND_BAD_ARGUMENT, "keep both or none"},
        {{.to = "e4m3", .keep = keep_all, .keeps = 1}, BND_BAD_ARGUMENT, "none of the 17 tensors"},
        {{.to = "e4m3", .also = head, .alsos = 1}, BND_BAD_ARGUMENT, "lm_head.weight is tied"},
        {{.to = "e4m3", .also = table, .alsos = 1}, BND_BAD_ARGUMENT, "embed_tokens.weight is an embedding"},
        {{.to = "nvfp4", .layout = "modelopt", .also = table, .alsos = 1}, BND_BAD_ARGUMENT, "loaders of modelopt"},
        {{.to = "bf16"}, BND_BAD_ARGUMENT, "nothing to do"},
        {{.to = "e4m3", .layout = "modelopt", .scale = "tile:128x128"}, BND_BAD_ARGUMENT, "does not divide"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refuse_plan(in, &cases[i].how, cases[i].status, cases[i].words);
    }
    close_small(in);
}

/* An embedding is no linear layer, tied or not; ComfyUI has a row for each layer by its name. */
static void embeddings_stay(void)
{
    static const char *const table[] = {"model.embed_tokens"};
    bnd_checkpoint *in = open_small(config);
    refuse_plan(in, &(bnd_quantize){.to = "e4m3", .layout = "fp8-block", .also = table, .alsos = 1}, BND_BAD_ARGUMENT,
                "model.embed_tokens.weight is an embedding, which loaders of fp8 read without quantization only");
    bnd_quantize_plan *plan =
        plan_of(in, &(bnd_quantize){.to = "e4m3", .layout = "comfyui", .also = table, .alsos = 1});
    CU_ASSERT_EQUAL(row_of(plan, "model.embed_tokens.weight")->conversion, BND_QUANTIZED);
    bnd_quantize_plan_free(plan);
    bnd_checkpoint *quantized =
        quantize_named("in", "comfy", &(bnd_quantize){.to = "e4m3", .layout = "comfyui", .also = table, .alsos = 1});
    plan = plan_of(quantized, &(bnd_quantize){.to = "nvfp4"});
    CU_ASSERT_EQUAL(row_of(plan, "model.embed_tokens.weight")->conversion, BND_DECODED);
    CU_ASSERT_EQUAL(row_of(plan, "model.layers.0.self_attn.o_proj.weight")->conversion, BND_QUANTIZED);
    bnd_quantize_plan_free(plan);
    bnd_checkpoint_free(quantized);
    close_small(in);
}

/* GPT-2 stores [in, out]: nothing but its config tells that. */
static void conv1d_stays(void)
{
    static const made_weight gpt2[] = {{"h.0.attn.c_attn.weight", "F32", 32, 96, 1},
                                       {"h.0.mlp.adapter.weight", "F32", 32, 32, 1}};
    static const char *const all[] = {"*.c_attn"}, *const adapter[] = {"*.adapter"};
    for (size_t i = 0; i < 2; i++) {
        open_folder();
        make_model("in", gpt2, 2, i == 0 ? "{\"model_type\": \"gpt2\"}" : "{\"model_type\": \"gpt_bigcode\"}");
        bnd_checkpoint *in = open_made("in");
        bnd_quantize_plan *plan = plan_of(in, &(bnd_quantize){.to = "e4m3"});
        const bnd_planned_weight *row = row_of(plan, gpt2[0].name);
        CU_ASSERT_EQUAL(row->conversion, i == 0 ? BND_STAYS : BND_QUANTIZED);
        CU_ASSERT_STRING_EQUAL(row->reason, i == 0 ? "conv1d" : "linear");
        CU_ASSERT_EQUAL(text_has(plan, "config.json", "\"h.0.attn.c_attn\""), i == 0);
        bnd_quantize_plan_free(plan);
        if (i == 0) {
            refuse_plan(in, &(bnd_quantize){.to = "nvfp4", .keep = adapter, .keeps = 1}, BND_BAD_ARGUMENT,
                        "those of the class Conv1D are stored [in, out]");
            refuse_plan(in, &(bnd_quantize){.to = "e4m3", .also = all, .alsos = 1}, BND_BAD_ARGUMENT,
                        "h.0.attn.c_attn.weight is a Conv1D of transformers, stored [in, out]");
        }
        bnd_checkpoint_free(in);
        close_folder();
    }
}

static void widths_that_no_block_divides(void)
{
    static const made_weight odd[] = {{"a.up_proj.weight", "F32", 4, 40, 1}};
    open_folder();
    make_model("in", odd, 1, NULL);
    bnd_checkpoint *in = open_made("in");
    refuse_plan(in, &(bnd_quantize){.to = "mxfp4"}, BND_BAD_ARGUMENT, "a.up_proj.weight has rows of 40 elements");
    refuse_plan(in, &(bnd_quantize){.to = "nvfp4"}, BND_BAD_ARGUMENT, "which 16 does not divide");
    bnd_quantize_plan_free(plan_of(in, &(bnd_quantize){.to = "e4m3"}));
    bnd_quantize_plan_free(plan_of(in, &(bnd_quantize){.to = "e4m3", .layout = "fp8-block"}));
    bnd_checkpoint_free(in);
    close_folder();
}

static void configs_say_it(void)
{
    static const struct {
        bnd_quantize how;
        const char *file, *words[3];
    } cases[] = {
        {{.to = "e4m3"},
         "config.json",
         {"\"strategy\": \"channel\"", "\"format\": \"float-quantized\"", "\"model.layers.1.mlp.gate\""}},
        {{.to = "e4m3", .activations = "none"},
         "config.json",
         {"\"naive-quantized\"", "\"input_activations\": null", "\"lm_head\""}},
        {{.to = "e4m3", .scale = "tile:128x128"},
         "config.json",
         {"\"strategy\": \"block\"", "\"group_size\": 128", "\"block_structure\": ["}},
        {{.to = "nvfp4"},
         "config.json",
         {"\"nvfp4-pack-quantized\"", "\"torch.float8_e4m3fn\"", "\"strategy\": \"tensor_group\""}},
        {{.to = "mxfp4"}, "config.json", {"\"mxfp4-pack-quantized\"", "\"torch.uint8\"", "\"group_size\": 32"}},
        {{.to = "e4m3", .layout = "fp8-block"},
         "config.json",
         {"\"weight_block_size\": [", "\"quant_method\": \"fp8\"", "\"activation_scheme\": \"dynamic\""}},
        {{.to = "e4m3", .layout = "fp8-block", .rule = "rceil"}, "config.json", {"\"scale_fmt\": \"ue8m0\"", "", ""}},
        {{.to = "nvfp4", .layout = "modelopt"},
         "hf_quant_config.json",
         {"\"quant_algo\": \"W4A16_NVFP4\"", "\"exclude_modules\": [", "\"group_size\": 16"}},
        {{.to = "nvfp4", .layout = "modelopt"},
         "config.json",
         {"\"quant_method\": \"modelopt\"", "\"ignore\": [", "\"torch_dtype\": \"bfloat16\""}},
    };
    bnd_checkpoint *in = open_small(config);
    bnd_quantize_plan *any = plan_of(in, &(bnd_quantize){.to = "e4m3", .layout = "fp8-block", .rule = "mse"});
    CU_ASSERT_FALSE(text_has(any, "config.json", "scale_fmt")); /* these scales are no powers of two */
    bnd_quantize_plan_free(any);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bnd_quantize_plan *plan = plan_of(in, &cases[i].how);
        for (size_t k = 0; k < 3; k++) {
            CU_ASSERT_TRUE(text_has(plan, cases[i].file, cases[i].words[k]));
        }
        CU_ASSERT_TRUE(text_has(plan, "config.json", "{\n  \"model_type\": \"llama\",\n"));
        bool modelopt = cases[i].how.layout != NULL && strcmp(cases[i].how.layout, "modelopt") == 0;
        CU_ASSERT_EQUAL(bnd_quantize_plan_text(plan, "hf_quant_config.json", NULL) != NULL, modelopt);
        bnd_quantize_plan_free(plan);
    }
    close_small(in);
}

/* Every line of an answer, whole and cut at every length. */
static void answers_have_lines(void)
{
    static const char *const lines[] = {"weights: 11 quantized, 6 stay as they are", "layout: modelopt/nvfp4, ",
                                        "scales: e4m3, rule amax; 4 groups of fused weights with one tensor scale",
                                        "tensors: ", "written to a: b"};
    bnd_checkpoint *in = open_small(config);
    bnd_quantize_plan *plan = plan_of(in, &(bnd_quantize){.to = "nvfp4", .layout = "modelopt"});
    char whole[256], part[256];
    for (size_t i = 0; i < 5; i++) {
        size_t label = 0;
        const size_t length = bnd_quantize_plan_print_line(whole, sizeof whole, &label, plan, "a: b", i);
        CU_ASSERT_FATAL(length < sizeof whole && length == strlen(whole));
        CU_ASSERT_EQUAL(strncmp(whole, lines[i], strlen(lines[i])), 0);
        CU_ASSERT_EQUAL(label, i < 4 ? strcspn(lines[i], " ") : strlen("written to"));
        for (size_t size = 1; size <= length + 1; size++) {
            part[size] = '#';
            CU_ASSERT_EQUAL(bnd_quantize_plan_print_line(part, size, NULL, plan, "a: b", i), length);
            CU_ASSERT_TRUE(strlen(part) == size - 1 && strncmp(part, whole, size - 1) == 0 && part[size] == '#');
        }
        CU_ASSERT_EQUAL(bnd_quantize_plan_print_line(NULL, 0, NULL, plan, "a: b", i), length);
    }
    CU_ASSERT_EQUAL(bnd_quantize_plan_print_line(whole, sizeof whole, NULL, plan, "a: b", 5), 0);
    CU_ASSERT_STRING_EQUAL(whole, "");
    CU_ASSERT_EQUAL(bnd_quantize_plan_print_line(whole, sizeof whole, NULL, plan, NULL, 5), strlen("dry run: ") + 18);
    CU_ASSERT_STRING_EQUAL(whole, "dry run: nothing is written");
    bnd_quantize_plan_free(plan);
    close_small(in);
}

CU_TestInfo plan_tests[] = {{"each weight has a reason", each_weight_has_a_reason},
                            {"kinds are summed", kinds_are_summed},
                            {"tensor scales are shared", tensor_scales_are_shared},
                            {"what cannot be is refused", what_cannot_be_is_refused},
                            {"embeddings stay", embeddings_stay},
                            {"Conv1D stays", conv1d_stays},
                            {"widths that no block divides", widths_that_no_block_divides},
                            {"configs say it", configs_say_it},
                            {"answers have lines", answers_have_lines},
                            CU_TEST_INFO_NULL};
