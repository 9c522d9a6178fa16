/* Names of weights: patterns, roles, fused layers; and JSON texts of which one member changes. */
#include "convert.h"

#include "convert/names.h"
#include "convert/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void patterns(void)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"lm_head*", "lm_head.weight", true},
        {"lm_head", "lm_head.weight", true}, /* the module */
        {"*.gate.*", "model.layers.0.mlp.gate.weight", true},
        {"*.gate.*", "model.layers.0.mlp.gate_proj.weight", false},
        {"*.gate", "model.layers.0.mlp.gate.weight", true},
        {"model.layers.?.mlp*", "model.layers.10.mlp.gate.weight", false},
        {"model.layers.??.mlp*", "model.layers.10.mlp.gate.weight", true},
        {"*a*b*c", "xxaxxbxxbxxc", true},
        {"*a*b*c", "xxaxxbxxbxxcd", false},
        {"", "", true},
        {"*", "", true},
        {"?", "", false},
        {"a", "ab", false},
        {"**", "anything", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CU_ASSERT_EQUAL(bndi_glob_weight(cases[i].pattern, cases[i].text), cases[i].matches);
    }
}

/* A pattern of many stars takes a time that grows with the text times the pattern, not with its power. */
static void patterns_take_little_time(void)
{
    char text[4096];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CU_ASSERT_FALSE(bndi_glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text, sizeof text - 1));
}

static void roles(void)
{
    static const struct {
        const char *name;
        size_t rank;
        const char *reason;
        bool linear;
    } cases[] = {
        {"model.layers.0.self_attn.q_proj.weight", 2, "linear", true},
        {"model.layers.0.mlp.gate_proj.weight", 2, "linear", true},
        {"model.layers.0.mlp.gate.weight", 2, "router", true},
        {"model.layers.0.block_sparse_moe.gate.weight", 2, "router", true},
        {"model.layers.0.mlp.shared_expert_gate.weight", 2, "router", true},
        {"model.embed_tokens.weight", 2, "embedding", false},
        {"lm_head.weight", 2, "head", true},
        {"model.layers.0.input_layernorm.weight", 1, "vector", false},
        {"model.layers.0.self_attn.q_proj.bias", 1, "vector", false},
        {"visual.blocks.0.attn.qkv.weight", 2, "vision", true},
        {"model.layers.0.mlp.experts.gate_up_proj", 3, "experts", false},
        {"model.layers.0.mlp.experts.gate_up_proj_bias", 2, "other", false},
        {"model.layers.0.conv1d.weight", 3, "other", false},
        {"blk.0.ffn_gate_inp.weight", 2, "router", true},
        {"blk.0.ffn_gate.weight", 2, "linear", true},
        {"token_embd.weight", 2, "embedding", false},
        {"output.weight", 2, "head", true},
        {"transformer.h.0.ln_1.weight", 1, "vector", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bndi_role role = bndi_role_of(cases[i].name, cases[i].rank, "llama", false);
        CU_ASSERT_STRING_EQUAL(role.reason, cases[i].reason);
        CU_ASSERT_EQUAL(role.linear, cases[i].linear);
        CU_ASSERT_EQUAL(role.quantizes, strcmp(cases[i].reason, "linear") == 0);
    }
    CU_ASSERT_TRUE(bndi_role_of("lm_head.weight", 2, "llama", true).quantizes); /* it was quantized: so it is again */
}

/* The same names are of two classes; the model's type tells which. */
/* Names with "embed" in them stay by default; only tables of embeddings are refused where they are asked for. */
static void embeddings(void)
{
    static const struct {
        const char *name, *reason;
        bool is;
    } cases[] = {
        {"model.embed_tokens.weight", "embedding", true},
        {"model.embed_tokens_per_layer.weight", "embedding", true},
        {"gpt_neox.embed_in.weight", "embedding", true},
        {"transformer.wte.weight", "embedding", true},
        {"bert.embeddings.word_embeddings.weight", "embedding", true},
        {"tok_embeddings.weight", "embedding", true},
        {"token_embd.weight", "embedding", true},
        {"embed_out.weight", "head", false},
        {"model.embed_vision.embedding_projection.weight", "embedding", false},
        {"time_text_embed.timestep_embedder.linear_1.weight", "embedding", false},
        {"model.layers.0.mlp.up_proj.weight", "linear", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CU_ASSERT_STRING_EQUAL(bndi_role_of(cases[i].name, 2, "", false).reason, cases[i].reason);
        CU_ASSERT_EQUAL(bndi_is_embedding(cases[i].name, 2), cases[i].is);
    }
}

static void conv1d_of_gpt2(void)
{
    static const struct {
        const char *model_type, *name;
        bool conv1d;
    } cases[] = {
        {"gpt2", "transformer.h.0.attn.c_attn.weight", true},
        {"gpt2", "h.11.mlp.c_fc.weight", true},
        {"gpt2", "h.0.crossattention.q_attn.weight", true},
        {"openai-gpt", "transformer.h.0.mlp.c_proj.weight", true},
        {"imagegpt", "transformer.h.0.attn.c_proj.weight", true},
        {"gpt2", "h.0.attn.other.weight", false},
        {"gpt_bigcode", "transformer.h.0.attn.c_attn.weight", false},
        {"", "transformer.h.0.attn.c_attn.weight", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bndi_role role = bndi_role_of(cases[i].name, 2, cases[i].model_type, false);
        CU_ASSERT_STRING_EQUAL(role.reason, cases[i].conv1d ? "conv1d" : "linear");
        CU_ASSERT_EQUAL(role.quantizes, !cases[i].conv1d);
        CU_ASSERT_TRUE(role.linear);
    }
    CU_ASSERT_STRING_EQUAL(bndi_role_of("h.0.attn.c_attn.bias", 1, "gpt2", false).reason, "vector");
    CU_ASSERT_TRUE(bndi_role_of("model.layers.0.mlp.experts.down_proj", 3, "", false).experts);
    CU_ASSERT_FALSE(bndi_role_of("model.layers.0.mlp.experts.down_proj_bias", 3, "", false).experts);
}

static void fused_layers(void)
{
    static const char *const names[] = {
        "a.0.self_attn.q_proj.weight",
        "a.0.self_attn.o_proj.weight",
        "a.1.self_attn.k_proj.weight",
        "a.0.self_attn.v_proj.weight",
        "a.0.mlp.experts.1.up_proj.weight",
        "a.0.mlp.experts.10.up_proj.weight",
        "a.0.self_attn.k_proj.weight",
        "a.0.mlp.experts.1.gate_proj.weight",
        "a.0.mlp.w1.weight",
        "a.0.mlp.w2.weight",
        "a.0.mlp.w3.weight",
        "a.0.wk.weight",
        "a.0.weights_proj.weight",
    };
    enum { COUNT = sizeof names / sizeof *names };
    size_t groups[COUNT];
    CU_ASSERT_EQUAL(bndi_fuse(groups, names, COUNT, "llama"), 3);
    CU_ASSERT_EQUAL(groups[0], groups[3]);
    CU_ASSERT_EQUAL(groups[0], groups[6]);
    CU_ASSERT_NOT_EQUAL(groups[0], SIZE_MAX);
    CU_ASSERT_EQUAL(groups[1], SIZE_MAX);
    CU_ASSERT_EQUAL(groups[2], SIZE_MAX); /* another layer */
    CU_ASSERT_EQUAL(groups[4], groups[7]);
    CU_ASSERT_EQUAL(groups[5], SIZE_MAX); /* another expert, of a name that begins the same */
    CU_ASSERT_EQUAL(groups[8], groups[10]);
    CU_ASSERT_EQUAL(groups[9], SIZE_MAX);
    CU_ASSERT_EQUAL(groups[11], SIZE_MAX);
    CU_ASSERT_EQUAL(bndi_fuse(groups, names, COUNT, "deepseek_v32"), 4);
    CU_ASSERT_EQUAL(groups[11], groups[12]);
    CU_ASSERT_EQUAL(bndi_fuse(groups, names, COUNT, NULL), 3);
}

CU_TestInfo name_tests[] = {{"patterns", patterns},
                            {"patterns take little time", patterns_take_little_time},
                            {"roles", roles},
                            {"embeddings", embeddings},
                            {"Conv1D of GPT-2", conv1d_of_gpt2},
                            {"fused layers", fused_layers},
                            CU_TEST_INFO_NULL};

/* ---- texts ---- */

static void set(const char *text, const char *value, const char *expected)
{
    bndi_long_text out = {0};
    bnd_error why = {.message = ""};
    CU_ASSERT_EQUAL_FATAL(bndi_json_set(&out, text, strlen(text), "q", value, &why), BND_OK);
    if (strcmp(out.bytes, expected) != 0) {
        printf("    expected %s\n    got      %s\n", expected, out.bytes);
    }
    CU_ASSERT_STRING_EQUAL(out.bytes, expected);
    bndi_long_text_free(&out);
}

/* All other bytes stay, whatever they are. */
static void members_are_set(void)
{
    set("{\n  \"a\" : 1e2 ,\n  \"b\": [ 1,\n2]\n}\n", "{\"x\": [1, 2], \"y\": {}}",
        "{\n  \"a\" : 1e2 ,\n  \"b\": [ 1,\n2],\n  \"q\": {\n    \"x\": [\n      1,\n      2\n    ],\n    \"y\": {}\n  "
        "}\n}\n");
    set("{\"a\": 1}", "{\"x\": 1}", "{\"a\": 1, \"q\": {\"x\": 1}}");
    set("{}\n", "3", "{\n  \"q\": 3\n}\n");
    set("{\n    \"q\": {\"old\": 1},\n    \"b\": 2\n}", "{\"x\": \"a b, {c\"}",
        "{\n    \"q\": {\n        \"x\": \"a b, {c\"\n    },\n    \"b\": 2\n}");
    set("{\"q\": 1, \"b\": 2}", "true", "{\"q\": true, \"b\": 2}");
}

static void members_are_removed(void)
{
    set("{\n  \"q\": {\"old\": 1},\n  \"b\": 2\n}\n", NULL, "{\n  \"b\": 2\n}\n");
    set("{\n  \"a\": 1,\n  \"q\": {\"old\": \"}\"},\n  \"b\": 2\n}\n", NULL, "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
    set("{\n  \"a\": 1,\n  \"q\": 5\n}\n", NULL, "{\n  \"a\": 1\n}\n");
    set("{ \"q\": 5 }", NULL, "{  }");
    set("{\"a\": {\"q\": 1}}", NULL, "{\"a\": {\"q\": 1}}");
}

static void quantized(const char *text, const char *value, const char *expected)
{
    bndi_long_text out = {0};
    bnd_error why = {.message = ""};
    size_t length = text != NULL ? strlen(text) : 0;
    CU_ASSERT_EQUAL_FATAL(bndi_config_quantized(&out, text, length, value, &why), BND_OK);
    if (strcmp(out.bytes, expected) != 0) {
        printf("    expected %s\n    got      %s\n", expected, out.bytes);
    }
    CU_ASSERT_STRING_EQUAL(out.bytes, expected);
    bndi_long_text_free(&out);
}

/* One quantization, where loaders look for it; of models of text and images, too. */
static void configs_have_one_quantization(void)
{
    static const char nested[] =
        "{\"a\": 1, \"text_config\":  {\"b\": 2, \"quantization_config\": {\"x\": 1}}, \"quantization\": 3}";
    quantized(nested, NULL, "{\"a\": 1, \"text_config\":  {\"b\": 2}}");
    quantized(nested, "{\"y\": 2}", "{\"a\": 1, \"text_config\":  {\"b\": 2}, \"quantization_config\": {\"y\": 2}}");
    quantized("{\"text_config\": 5, \"compression_config\": 1}", "1",
              "{\"text_config\": 5, \"quantization_config\": 1}");
    quantized("{\"quantization_config\": {}, \"b\": 2}", "1", "{\"quantization_config\": 1, \"b\": 2}");
    quantized(NULL, "1", "{\n  \"quantization_config\": 1\n}\n");
    quantized("{\"a\": [Infinity, -Infinity, NaN], \"a\": NaN}", "1",
              "{\"a\": [Infinity, -Infinity, NaN], \"a\": NaN, \"quantization_config\": 1}");
}

/* Of a key that is there twice the last value counts: without it the first one would. */
static void members_that_are_there_twice(void)
{
    static const char twice[] = "{\"q\": 1, \"b\": 2, \"q\": 3}";
    bndi_long_text out = {0};
    bnd_error why = {.message = ""};
    set(twice, "4", "{\"q\": 1, \"b\": 2, \"q\": 4}");
    CU_ASSERT_EQUAL(bndi_json_set(&out, twice, strlen(twice), "q", NULL, &why), BND_BAD_FILE);
    CU_ASSERT_STRING_EQUAL(why.message, "has the key 'q' twice; remove one of them");
    CU_ASSERT_PTR_NULL(out.bytes);
}

static void other_texts_are_refused(void)
{
    static const char *const texts[] = {"", "[]", "{", "{\"a\" 1}", "{\"a\":1} x", "3", "{\"a\":1,}", "{\"a"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bndi_long_text out = {0};
        CU_ASSERT_EQUAL(bndi_json_set(&out, texts[i], strlen(texts[i]), "q", "1", NULL), BND_BAD_FILE);
        CU_ASSERT_PTR_NULL(out.bytes);
    }
}

CU_TestInfo text_tests[] = {{"members are set", members_are_set},
                            {"members are removed", members_are_removed},
                            {"configs have one quantization", configs_have_one_quantization},
                            {"members that are there twice", members_that_are_there_twice},
                            {"other texts are refused", other_texts_are_refused},
                            CU_TEST_INFO_NULL};
