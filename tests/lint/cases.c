/* Checkpoints of one weight: right, and with one thing changed. The row says which finding the change gives, and the
 * right one gives none. */
#include "tests.h"
#include "tests/support/folder.h"

#include <math.h>
#include <string.h>

#define CODES(name, dtype, out, in)                                                                                    \
    {                                                                                                                  \
        name, dtype, 2, {out, in}, (out) * (in), 0x21, 0,                                                              \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define BYTES(name, dtype, out, in, at)                                                                                \
    {                                                                                                                  \
        name, dtype, 2, {out, in}, (out) * (in), at, 0,                                                                \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
/* Bytes that are 0. */
#define FLAT(name, dtype, out, in)                                                                                     \
    {                                                                                                                  \
        name, dtype, 2, {out, in}, (out) * (in), 0, 1,                                                                 \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define ZERO_CODES(name) FLAT(name, "U8", 4, 16)
#define SCALAR(name, value)                                                                                            \
    {                                                                                                                  \
        name, "F32", 0, {0}, 4, 0, 1,                                                                                  \
        {                                                                                                              \
            value                                                                                                      \
        }                                                                                                              \
    }
#define ONE(name, value)                                                                                               \
    {                                                                                                                  \
        name, "F32", 1, {1}, 4, 0, 1,                                                                                  \
        {                                                                                                              \
            value                                                                                                      \
        }                                                                                                              \
    }
#define ROWS(name, out, ...)                                                                                           \
    {                                                                                                                  \
        name, "F32", 2, {out, 1}, 4 * (out), 0, MOST_VALUES,                                                           \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define GRID(name, down, across, ...)                                                                                  \
    {                                                                                                                  \
        name, "F32", 2, {down, across}, 4 * (down) * (across), 0, MOST_VALUES,                                         \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define PLAIN(name, out, in)                                                                                           \
    {                                                                                                                  \
        name, "F32", 2, {out, in}, 4 * (out) * (in), 0, 1,                                                             \
        {                                                                                                              \
            0.5F                                                                                                       \
        }                                                                                                              \
    }

#define CONFIG(members) "{\"quantization_config\":{" members "}}"
#define CT(format, weights)                                                                                            \
    CONFIG("\"quant_method\":\"compressed-tensors\",\"format\":\"" format                                              \
           "\",\"quantization_status\":\"compressed\",\"config_groups\":{\"g\":{\"targets\":[\"Linear\"],\"weights\":" \
           "{" weights "}}},\"ignore\":[]")
#define CT_ROW CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\"")
#define CT_TARGETS(names)                                                                                              \
    CONFIG("\"quant_method\":\"compressed-tensors\",\"format\":\"float-quantized\",\"config_groups\":{\"g\":{"         \
           "\"targets\":[" names "],\"weights\":{\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\"}}}")
#define CT_NVFP4                                                                                                       \
    CT("nvfp4-pack-quantized", "\"num_bits\":4,\"type\":\"float\",\"strategy\":\"tensor_group\",\"group_size\":16")
#define FP8       CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"dynamic\"")
#define FP8_TILES CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"dynamic\",\"weight_block_size\":[4,4]")
#define UE8M0                                                                                                          \
    CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"dynamic\",\"weight_block_size\":[4,4],"                   \
           "\"scale_fmt\":\"ue8m0\"")
#define MODELOPT CONFIG("\"quant_method\":\"modelopt\",\"quant_algo\":\"NVFP4\"")

#define ROW_CODES CODES("m.up_proj.weight", "F8_E4M3", 8, 8)
#define GOOD_ROWS ROWS("m.up_proj.weight_scale", 8, 1e-3F, 2e-3F, 1.5e-3F, 3e-3F)
#define NV_CODES  CODES("m.up_proj.weight_packed", "U8", 4, 16)
#define NV_SCALES BYTES("m.up_proj.weight_scale", "F8_E4M3", 4, 2, 0x70)
#define D         BND_SEVERITY_DAMAGE
#define S         BND_SEVERITY_SUSPECT

const lint_case lint_cases[] = {
    {"fp8 rows", CT_ROW, "", D, {ROW_CODES, GOOD_ROWS}},
    {"nvfp4", CT_NVFP4, "", D, {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 5000)}},
    {"fp8 of a tensor", FP8, "", D, {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"fp8 of tiles",
     FP8_TILES,
     "",
     D,
     {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 1e-3F, 2e-3F, 3e-3F, 1e-3F)}},
    {"powers of two", UE8M0, "", D, {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 0.125F, 0.25F, 0.125F, 0.5F)}},
    {"nvfp4 of zeros, a scale of 1",
     CT_NVFP4,
     "",
     D,
     {ZERO_CODES("m.up_proj.weight_packed"), BYTES("m.up_proj.weight_scale", "F8_E4M3", 4, 2, 1),
      ONE("m.up_proj.weight_global_scale", 1)}},
    {"nvfp4 of zeros, no scale but zero",
     MODELOPT,
     "",
     D,
     {ZERO_CODES("m.up_proj.weight"), FLAT("m.up_proj.weight_scale", "F8_E4M3", 4, 2),
      SCALAR("m.up_proj.weight_scale_2", 0)}},
    {"fp8 of zeros",
     CT_ROW,
     "",
     D,
     {FLAT("m.up_proj.weight", "F8_E4M3", 8, 8), ROWS("m.up_proj.weight_scale", 8, 1, 1, 1, 1)}},
    {"unquantized", "{}", "", D, {PLAIN("m.up_proj.weight", 4, 4)}},

    {"no scale", FP8, "scale-missing", D, {ROW_CODES}},
    {"zeros, and a divisor of zero",
     CT_NVFP4,
     "global-scale-zero",
     D,
     {ZERO_CODES("m.up_proj.weight_packed"), FLAT("m.up_proj.weight_scale", "F8_E4M3", 4, 2),
      ONE("m.up_proj.weight_global_scale", 0)}},
    {"zeros, and a scale that is NaN",
     CT_ROW,
     "scale-nan",
     D,
     {FLAT("m.up_proj.weight", "F8_E4M3", 8, 8), ROWS("m.up_proj.weight_scale", 8, 1, NAN, 1, 1)}},
    {"nvfp4 with codes, a scale of 1",
     CT_NVFP4,
     "scale-reciprocal",
     S,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 1)}},
    {"another name", FP8, "scale-name", D, {ROW_CODES, SCALAR("m.up_proj.scale_weight", 1e-3F)}},
    {"flat rows",
     CT_ROW,
     "scale-shape",
     D,
     {ROW_CODES, {"m.up_proj.weight_scale", "F32", 1, {8}, 32, 0, 2, {1e-3F, 2e-3F}}}},
    {"another dtype", FP8, "scale-dtype", D, {ROW_CODES, {"m.up_proj.weight_scale", "F16", 0, {0}, 2, 0x21, 0, {0}}}},
    {"a scale without codes",
     CT_ROW,
     "scale-orphan",
     S,
     {ROW_CODES, GOOD_ROWS, PLAIN("n.x.weight", 4, 4), ROWS("n.x.weight_scale", 4, 1e-3F, 2e-3F, 3e-3F, 1e-3F)}},
    {"NaN", CT_ROW, "scale-nan", D, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, NAN, 1e-3F, 2e-3F)}},
    {"infinity",
     CT_ROW,
     "scale-infinite",
     D,
     {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, INFINITY, 1e-3F, 2e-3F)}},
    {"negative",
     CT_ROW,
     "scale-negative",
     D,
     {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, -1e-3F, 1e-3F, 2e-3F)}},
    {"all zero", CT_ROW, "scale-zero", D, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 0, 0, 0, 0)}},
    {"one zero", CT_ROW, "scale-zero", S, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 0, 1e-3F, 1e-3F, 2e-3F)}},
    {"all one", CT_ROW, "scale-unset", S, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1, 1, 1, 1)}},
    {"all equal", CT_ROW, "scale-unset", S, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, 1e-3F, 1e-3F, 1e-3F)}},
    {"not set", CT_ROW, "scale-unset", S, {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 1e-3F, 1e-40F, 1e-3F, 2e-3F)}},
    {"reciprocal rows",
     CT_ROW,
     "scale-reciprocal",
     D,
     {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 900, 800, 300, 555)}},
    {"perhaps reciprocal", FP8, "scale-reciprocal", S, {ROW_CODES, SCALAR("m.up_proj.weight_scale", 2)}},
    {"weights of some thousands",
     CT_ROW,
     "scale-reciprocal",
     S,
     {ROW_CODES, ROWS("m.up_proj.weight_scale", 8, 8.7F, 4.3F, 5, 6)}},
    {"codes of four bits without scales", "{}", "layout-unknown", S, {CODES("m.up_proj.weight", "F4", 4, 16)}},
    {"a factor for a divisor",
     CT_NVFP4,
     "scale-reciprocal",
     D,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 2e-4F)}},
    {"a divisor for a factor",
     MODELOPT,
     "scale-reciprocal",
     D,
     {CODES("m.up_proj.weight", "U8", 4, 16), NV_SCALES, SCALAR("m.up_proj.weight_scale_2", 5000)}},
    {"a small divisor",
     CT_NVFP4,
     "scale-reciprocal",
     S,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 5)}},
    {"exponents",
     FP8_TILES,
     "scale-e8m0-as-number",
     D,
     {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 120, 119, 121, 118)}},
    {"other than powers of two",
     UE8M0,
     "scale-not-power-of-two",
     S,
     {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 0.125F, 0.3F, 0.125F, 0.5F)}},
    {"a divisor of zero",
     CT_NVFP4,
     "global-scale-zero",
     D,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 0)}},
    {"an input scale of zero",
     CT_NVFP4,
     "input-scale-bad",
     D,
     {NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 5000), ONE("m.up_proj.input_global_scale", 0)}},
    {"gate and up",
     CT_NVFP4,
     "scale-fused-unequal",
     S,
     {CODES("m.gate_proj.weight_packed", "U8", 4, 16), BYTES("m.gate_proj.weight_scale", "F8_E4M3", 4, 2, 0x70),
      ONE("m.gate_proj.weight_global_scale", 4000), NV_CODES, NV_SCALES, ONE("m.up_proj.weight_global_scale", 5000)}},
    {"NaN codes", CT_ROW, "codes-nan", D, {BYTES("m.up_proj.weight", "F8_E4M3", 8, 8, 0x7f), GOOD_ROWS}},
    {"codes of fnuz",
     CT_ROW,
     "fnuz-as-fn",
     D,
     {BYTES("m.up_proj.weight", "F8_E4M3", 8, 8, 0x7f), GOOD_ROWS, BYTES("n.up_proj.weight", "F8_E4M3", 8, 8, 0x7f),
      ROWS("n.up_proj.weight_scale", 8, 1e-3F, 2e-3F, 1.5e-3F, 3e-3F)}},
    {"NaN codes in one of three, and zeros",
     CT_ROW,
     "codes-nan",
     D,
     {BYTES("m.up_proj.weight", "F8_E4M3", 8, 8, 0x7f), GOOD_ROWS, FLAT("n.up_proj.weight", "F8_E4M3", 8, 8),
      ROWS("n.up_proj.weight_scale", 8, 1, 1, 1, 1), FLAT("o.up_proj.weight", "F8_E4M3", 8, 8),
      ROWS("o.up_proj.weight_scale", 8, 1, 1, 1, 1)}},
    {"another width",
     CT("float-quantized", "\"num_bits\":4,\"type\":\"float\",\"strategy\":\"channel\""),
     "codes-width",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"no JSON", "{\"quantization_config\":", "config-bad", D, {ROW_CODES, GOOD_ROWS}},
    {"no config", "{}", "config-absent", D, {ROW_CODES, GOOD_ROWS}},
    {"an integer of 64 bits", "{\"data_hash\":15173790203538559191}", "config-absent", D, {ROW_CODES, GOOD_ROWS}},
    {"an unknown key",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\",\"nbits\":8"),
     "config-unknown-key",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"no groups",
     CONFIG("\"quant_method\":\"compressed-tensors\",\"format\":\"float-quantized\""),
     "config-missing-key",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"an unknown strategy",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"chanel\""),
     "config-value",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"a tile without its strategy",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\",\"block_structure\":[4,4]"),
     "config-value",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"static tokens",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"token\""),
     "config-value",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"tiles with static inputs",
     CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"static\",\"weight_block_size\":[4,4]"),
     "config-value",
     D,
     {ROW_CODES, GRID("m.up_proj.weight_scale_inv", 2, 2, 1e-3F, 2e-3F, 3e-3F, 1e-3F)}},
    {"a layer that is not quantized",
     CT_ROW,
     "config-not-applied",
     D,
     {ROW_CODES, GOOD_ROWS, PLAIN("n.up_proj.weight", 4, 4)}},
    {"no layer is quantized", CT_ROW, "config-not-applied", D, {PLAIN("m.up_proj.weight", 4, 4)}},
    {"another algorithm",
     CONFIG("\"quant_method\":\"modelopt\",\"quant_algo\":\"NVFP4\""),
     "config-contradiction",
     D,
     {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"ignored by an expression",
     CONFIG("\"quant_method\":\"compressed-tensors\",\"format\":\"float-quantized\",\"config_groups\":{\"g\":{"
            "\"targets\":[\"Linear\"],\"weights\":{\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\"}}},"
            "\"ignore\":[\"re:(^|.*\\\\.)(n.up_proj$|none)\"]"),
     "",
     D,
     {ROW_CODES, GOOD_ROWS, PLAIN("n.up_proj.weight", 4, 4)}},
    {"ignored and quantized",
     CONFIG("\"quant_method\":\"fp8\",\"activation_scheme\":\"dynamic\",\"modules_to_not_convert\":[\"m.up_proj\"]"),
     "config-contradiction",
     D,
     {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"another method",
     CONFIG("\"quant_method\":\"gptq\",\"bits\":4,\"group_size\":128"),
     "config-contradiction",
     D,
     {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"a method without a name",
     CONFIG("\"quant_method\":\"\""),
     "config-contradiction",
     D,
     {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"a method whose codes have other names",
     CONFIG("\"quant_method\":\"mxfp4\""),
     "config-contradiction",
     D,
     {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"a method with the same tensors",
     CONFIG("\"quant_method\":\"quark\""),
     "config-contradiction",
     BND_SEVERITY_NOTE,
     {ROW_CODES, SCALAR("m.up_proj.weight_scale", 1e-3F)}},
    {"GPTQ as it is",
     CONFIG("\"quant_method\":\"gptq\",\"bits\":4,\"group_size\":128"),
     "",
     D,
     {CODES("m.up_proj.qweight", "U8", 8, 16), PLAIN("n.up_proj.weight", 4, 4)}},
    {"targets that are not there", CT_TARGETS("\"Foo\""), "config-contradiction", D, {ROW_CODES, GOOD_ROWS}},
    {"targets that name another layer",
     CT_TARGETS("\"m.down_proj\""),
     "config-contradiction",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"targets of an engine's class", CT_TARGETS("\"RowParallelLinear\""), "", D, {ROW_CODES, GOOD_ROWS}},
    {"targets by their name", CT_TARGETS("\"m.up_proj\""), "", D, {ROW_CODES, GOOD_ROWS}},
    {"groups without one",
     CONFIG("\"quant_method\":\"compressed-tensors\",\"format\":\"float-quantized\",\"config_groups\":{}"),
     "config-contradiction",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"a format of the group, and another one",
     CONFIG(
         "\"quant_method\":\"compressed-tensors\",\"format\":\"int-quantized\",\"config_groups\":{\"g\":{\"targets\":["
         "\"Linear\"],\"format\":\"float-quantized\",\"weights\":{\"num_bits\":8,\"type\":\"float\",\"strategy\":"
         "\"channel\"}}}"),
     "config-contradiction",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"asymmetric, without a zero point",
     CT("float-quantized", "\"num_bits\":8,\"type\":\"float\",\"strategy\":\"channel\",\"symmetric\":false"),
     "config-contradiction",
     D,
     {ROW_CODES, GOOD_ROWS}},
    {"tied",
     "{\"tie_word_embeddings\":true,\"quantization_config\":{\"quant_method\":\"fp8\",\"activation_scheme\":"
     "\"dynamic\"}}",
     "lm-head-tied",
     D,
     {CODES("lm_head.weight", "F8_E4M3", 8, 8), SCALAR("lm_head.weight_scale", 1e-3F),
      PLAIN("model.embed_tokens.weight", 8, 8)}},
};

const size_t lint_case_count = sizeof lint_cases / sizeof lint_cases[0];

static void fill(unsigned char *out, const tensor *t)
{
    for (size_t i = 0; t->value_count > 0 && 4 * i < t->size; i++) {
        memcpy(out + 4 * i, &t->values[i % t->value_count], 4);
    }
    for (size_t i = 0; t->value_count == 0 && i < t->size; i++) {
        out[i] = t->byte == 0x7f ? (unsigned char)(0x70 + i % 16) : (unsigned char)(t->byte + i % 8);
    }
}

void put_lint_case(const lint_case *k)
{
    static unsigned char bytes[MOST_TENSORS][MOST_BYTES];
    bnd_safetensor entries[MOST_TENSORS];
    size_t count = 0;
    bnd_error why = {.message = ""};
    for (; count < MOST_TENSORS && k->tensors[count].name != NULL; count++) {
        const tensor *t = &k->tensors[count];
        fill(bytes[count], t);
        entries[count] = (bnd_safetensor){.name = t->name, .dtype = t->dtype, .rank = t->rank, .shape = t->shape};
        entries[count].data = bytes[count];
    }
    char path[PATH_SIZE];
    write_file(in_folder(path, "config.json"), k->config, strlen(k->config));
    CU_ASSERT_EQUAL_FATAL(bnd_safetensors_write(in_folder(path, "model.safetensors"), entries, count, NULL, 0, &why),
                          BND_OK);
}
