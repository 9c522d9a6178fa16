/* A case for each row of layouts.def, and for sizes that do not divide. */
#include "files.h"
#include "tests/support/folder.h"
#include "weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CT(group)                                                                                                      \
    "{\"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": {"          \
    "\"targets\": [\"Linear\"], \"weights\": {" group "}}}}}"
#define METHOD(words) "{\"quantization_config\": {\"quant_method\": " words "}}"
#define COMFY(format) "{\"format\": \"" format "\"}"
#define MLX(modules)                                                                                                   \
    "{\"quantization_config\": {\"quant_method\": \"fp8\", \"bits\": 2, \"group_size\": 128}, \"quantization\": {"     \
    "\"group_size\": 64, \"bits\": 4" modules "}}"
#define W(suffix)  "a.b.weight" suffix
#define FP8        .element = "e4m3"
#define ONE_WEIGHT .weight = "a.b.weight", .experts = 1

const weight_case weight_cases[] = {
    {"FP8 per tensor, bf16 scale", "compressed-tensors/fp8-tensor", ONE_WEIGHT, .out = 33, .in = 67, FP8,
     .scale = "bf16", .down = 33, .across = 67,
     .parts = {{"codes", W(""), "F8_E4M3", "[33, 67]", 33 * 67, NULL},
               {"scales", W("_scale"), "BF16", "[1]", 2, "\x80\x3c"},
               {"", "a.b.input_scale", "BF16", "[1]", 2, NULL}}},
    {"FP8 per row, fp16 scales", "compressed-tensors/fp8-row", ONE_WEIGHT, .out = 40, .in = 77, FP8, .scale = "fp16",
     .down = 1, .across = 77,
     .parts = {{"codes", W(""), "F8_E4M3", "[40, 77]", 40 * 77, NULL},
               {"scales", W("_scale"), "F16", "[40, 1]", 80, NULL}}},
    {"FP8 per tile of 128 x 128", "compressed-tensors/fp8-block", ONE_WEIGHT, .out = 130, .in = 200, FP8,
     .scale = "bf16", .down = 128, .across = 128,
     .parts = {{"codes", W(""), "F8_E4M3", "[130, 200]", 130 * 200, NULL},
               {"scales", W("_scale"), "BF16", "[2, 2]", 8, NULL}}},
    {"FP8 per tile of another size, from the configuration", "compressed-tensors/fp8-block", ONE_WEIGHT,
     .config = CT("\"num_bits\": 8, \"type\": \"float\", \"strategy\": \"block\", \"block_structure\": [48, 80]"),
     .out = 100, .in = 200, FP8, .scale = "fp32", .down = 48, .across = 80,
     .parts = {{"codes", W(""), "F8_E4M3", "[100, 200]", 100 * 200, NULL},
               {"scales", W("_scale"), "F32", "[3, 3]", 36, NULL}}},
    {"FP8 per group of 64", "compressed-tensors/fp8-group", ONE_WEIGHT, .out = 5, .in = 448, FP8, .scale = "fp32",
     .down = 1, .across = 64,
     .parts = {{"codes", W(""), "F8_E4M3", "[5, 448]", 5 * 448, NULL},
               {"scales", W("_scale"), "F32", "[5, 7]", 140, NULL}}},
    {"NVFP4 with a divisor", "compressed-tensors/nvfp4", ONE_WEIGHT, .out = 9, .in = 96, .coding = CODES_LOW,
     .scale = "e4m3", .down = 1, .across = 16, .second = DIVISOR,
     .parts = {{"codes", W("_packed"), "U8", "[9, 48]", 9 * 48, NULL},
               {"scales", W("_scale"), "F8_E4M3", "[9, 6]", 54, NULL},
               {"second", W("_global_scale"), "F32", "[1]", 4, "\x33\x33\x33\x45"},
               {"", "a.b.input_global_scale", "F32", "[1]", 4, NULL}}},
    {"MXFP4, the last group of a row shorter", "compressed-tensors/mxfp4", ONE_WEIGHT, .out = 20, .in = 48,
     .coding = CODES_LOW, .scale = "e8m0", .down = 1, .across = 32,
     .parts = {{"codes", W("_packed"), "U8", "[20, 24]", 20 * 24, NULL},
               {"scales", W("_scale"), "U8", "[20, 2]", 40, NULL}}},
    {"MXFP8", "compressed-tensors/mxfp8", ONE_WEIGHT, .out = 30, .in = 96, FP8, .scale = "e8m0", .down = 1,
     .across = 32,
     .parts = {{"codes", W(""), "F8_E4M3", "[30, 96]", 30 * 96, NULL},
               {"scales", W("_scale"), "U8", "[30, 3]", 90, NULL}}},
    {"INT8 per tensor", "compressed-tensors/int8-tensor", ONE_WEIGHT, .out = 11, .in = 100, .coding = CODES_INT8,
     .scale = "bf16", .down = 11, .across = 100,
     .parts = {{"codes", W(""), "I8", "[11, 100]", 1100, NULL}, {"scales", W("_scale"), "BF16", "[1]", 2, NULL}}},
    {"INT8 per row with zero points", "compressed-tensors/int8-row", ONE_WEIGHT, .out = 23, .in = 100,
     .coding = CODES_INT8, .scale = "fp32", .down = 1, .across = 100, .zero_points = true,
     .parts = {{"codes", W(""), "I8", "[23, 100]", 2300, NULL},
               {"scales", W("_scale"), "F32", "[23, 1]", 92, NULL},
               {"zeros", W("_zero_point"), "I8", "[23, 1]", 23, NULL}}},
    {"INT8 per group with zero points", "compressed-tensors/int8-group", ONE_WEIGHT, .out = 8, .in = 160,
     .coding = CODES_INT8, .scale = "fp16", .down = 1, .across = 32, .zero_points = true,
     .parts = {{"codes", W(""), "I8", "[8, 160]", 1280, NULL},
               {"scales", W("_scale"), "F16", "[8, 5]", 80, NULL},
               {"zeros", W("_zero_point"), "I8", "[8, 5]", 40, NULL}}},
    {"INT4 in words per row", "compressed-tensors/packed-row", ONE_WEIGHT, .out = 7, .in = 130, .coding = CODES_WORDS,
     .bits = 4, .scale = "bf16", .down = 1, .across = 130,
     .parts = {{"codes", W("_packed"), "I32", "[7, 17]", 7 * 17 * 4, NULL},
               {"scales", W("_scale"), "BF16", "[7, 1]", 14, NULL},
               {"", W("_shape"), "I64", "[2]", 16, "\x07\0\0\0\0\0\0\0\x82\0\0\0\0\0\0\0"}}},
    {"INT3 in words per group", "compressed-tensors/packed-group", ONE_WEIGHT, .out = 6, .in = 256,
     .coding = CODES_WORDS, .bits = 3, .scale = "fp32", .down = 1, .across = 128,
     .parts = {{"codes", W("_packed"), "I32", "[6, 24]", 6 * 24 * 4, NULL},
               {"scales", W("_scale"), "F32", "[6, 2]", 48, NULL},
               {"", W("_shape"), "I32", "[2]", 8, "\x06\0\0\0\0\x01\0\0"}}},
    {"vLLM's FP8 per tensor", "fp8/tensor", ONE_WEIGHT, .config = METHOD("\"fp8\", \"activation_scheme\": \"static\""),
     .out = 12, .in = 50, FP8, .scale = "fp32", .down = 12, .across = 50,
     .parts = {{"codes", W(""), "F8_E4M3", "[12, 50]", 600, NULL},
               {"scales", W("_scale"), "F32", "[]", 4, NULL},
               {"", "a.b.input_scale", "F32", "[]", 4, NULL}}},
    {"FBGEMM's FP8 per row", "fp8/row", ONE_WEIGHT, .config = METHOD("\"fbgemm_fp8\""), .out = 12, .in = 50, FP8,
     .scale = "fp32", .down = 1, .across = 50,
     .parts = {{"codes", W(""), "F8_E4M3", "[12, 50]", 600, NULL},
               {"scales", W("_scale"), "F32", "[12, 1]", 48, NULL}}},
    {"DeepSeek-V3", "fp8/block", ONE_WEIGHT, .out = 150, .in = 300, FP8, .scale = "fp32", .down = 128, .across = 128,
     .parts = {{"codes", W(""), "F8_E4M3", "[150, 300]", 45000, NULL},
               {"scales", W("_scale_inv"), "F32", "[2, 3]", 24, NULL}}},
    {"experts of a fused weight", "fp8/block", .weight = "a.b.weight", .experts = 3, .out = 130, .in = 64, FP8,
     .scale = "fp32", .down = 128, .across = 128,
     .parts = {{"codes", W(""), "F8_E4M3", "[3, 130, 64]", 3 * 130 * 64, NULL},
               {"scales", W("_scale_inv"), "F32", "[3, 2, 1]", 24, NULL}}},
    {"DeepSeek-V4", "deepseek/fp8-block", ONE_WEIGHT, .out = 129, .in = 140, FP8, .scale = "e8m0", .down = 128,
     .across = 128,
     .parts = {{"codes", W(""), "F8_E4M3", "[129, 140]", 129 * 140, NULL},
               {"scales", "a.b.scale", "F8_E8M0", "[2, 2]", 4, NULL}}},
    {"DeepSeek-V4's experts", "deepseek/mxfp4", ONE_WEIGHT, .out = 10, .in = 64, .coding = CODES_LOW, .scale = "e8m0",
     .down = 1, .across = 32,
     .parts = {{"codes", W(""), "I8", "[10, 32]", 320, NULL}, {"scales", "a.b.scale", "F8_E8M0", "[10, 2]", 20, NULL}}},
    {"gpt-oss", "gpt-oss/mxfp4", .weight = "a.b", .experts = 2, .out = 6, .in = 96, .coding = CODES_LOW,
     .scale = "e8m0", .down = 1, .across = 32,
     .parts = {{"codes", "a.b_blocks", "U8", "[2, 6, 3, 16]", 576, NULL},
               {"scales", "a.b_scales", "U8", "[2, 6, 3]", 36, NULL}}},
    {"gpt-oss with its own names", "gpt-oss/mxfp4-original", .weight = "a.b", .experts = 2, .out = 6, .in = 96,
     .coding = CODES_LOW, .scale = "e8m0", .down = 1, .across = 32,
     .parts = {{"codes", "a.b.blocks", "U8", "[2, 6, 3, 16]", 576, NULL},
               {"scales", "a.b.scales", "U8", "[2, 6, 3]", 36, NULL}}},
    {"ModelOpt FP8 per tensor", "modelopt/fp8-tensor", ONE_WEIGHT,
     .config = METHOD("\"modelopt\", \"quant_algo\": \"FP8\""), .out = 12, .in = 50, FP8, .scale = "fp32", .down = 12,
     .across = 50,
     .parts = {{"codes", W(""), "F8_E4M3", "[12, 50]", 600, NULL}, {"scales", W("_scale"), "F32", "[]", 4, NULL}}},
    {"ModelOpt FP8 per expert", "modelopt/fp8-tensor", .weight = "a.b.weight",
     .config = METHOD("\"modelopt\", \"quant_algo\": \"FP8\""), .experts = 5, .out = 9, .in = 50, FP8, .scale = "fp32",
     .down = 9, .across = 50,
     .parts = {{"codes", W(""), "F8_E4M3", "[5, 9, 50]", 2250, NULL}, {"scales", W("_scale"), "F32", "[5]", 20, NULL}}},
    {"ModelOpt FP8 per row", "modelopt/fp8-row", ONE_WEIGHT, .out = 12, .in = 50, FP8, .scale = "fp32", .down = 1,
     .across = 50,
     .parts = {{"codes", W(""), "F8_E4M3", "[12, 50]", 600, NULL}, {"scales", W("_scale"), "F32", "[12]", 48, NULL}}},
    {"ModelOpt FP8 per tile", "modelopt/fp8-block", ONE_WEIGHT, .out = 256, .in = 130, FP8, .scale = "fp32",
     .down = 128, .across = 128,
     .parts = {{"codes", W(""), "F8_E4M3", "[256, 130]", 256 * 130, NULL},
               {"scales", W("_scale"), "F32", "[2, 1, 2, 1]", 16, NULL}}},
    {"ModelOpt NVFP4", "modelopt/nvfp4", ONE_WEIGHT, .out = 9, .in = 96, .coding = CODES_LOW, .scale = "e4m3",
     .down = 1, .across = 16, .second = FACTOR,
     .parts = {{"codes", W(""), "U8", "[9, 48]", 432, NULL},
               {"scales", W("_scale"), "F8_E4M3", "[9, 6]", 54, NULL},
               {"second", W("_scale_2"), "F32", "[]", 4, "\x33\x33\x33\x39"},
               {"", "a.b.input_scale", "F32", "[]", 4, NULL}}},
    {"ModelOpt NVFP4 with a scale per expert", "modelopt/nvfp4", .weight = "a.b.weight", .experts = 4, .out = 5,
     .in = 48, .coding = CODES_LOW, .scale = "e4m3", .down = 1, .across = 16, .second = EACH_SECOND,
     .parts = {{"codes", W(""), "U8", "[4, 5, 24]", 480, NULL},
               {"scales", W("_scale"), "F8_E4M3", "[4, 5, 3]", 60, NULL},
               {"second", W("_scale_2"), "F32", "[4]", 16, NULL}}},
    {"ModelOpt MXFP4", "modelopt/mxfp4", ONE_WEIGHT, .out = 9, .in = 96, .coding = CODES_LOW, .scale = "e8m0",
     .down = 1, .across = 32,
     .parts = {{"codes", W(""), "U8", "[9, 48]", 432, NULL}, {"scales", W("_scale"), "U8", "[9, 3]", 27, NULL}}},
    {"ModelOpt MXFP8", "modelopt/mxfp8", ONE_WEIGHT, .config = METHOD("\"modelopt\", \"quant_algo\": \"MXFP8\""),
     .out = 9, .in = 96, FP8, .scale = "e8m0", .down = 1, .across = 32,
     .parts = {{"codes", W(""), "F8_E4M3", "[9, 96]", 864, NULL}, {"scales", W("_scale"), "U8", "[9, 3]", 27, NULL}}},
    {"ModelOpt INT8", "modelopt/int8-row", ONE_WEIGHT, .out = 14, .in = 50, .coding = CODES_INT8, .scale = "fp32",
     .down = 1, .across = 50,
     .parts = {{"codes", W(""), "I8", "[14, 50]", 700, NULL}, {"scales", W("_scale"), "F32", "[14]", 56, NULL}}},
    {"SGLang MXFP8", "sglang/mxfp8", ONE_WEIGHT, .out = 9, .in = 96, FP8, .scale = "e8m0", .down = 1, .across = 32,
     .parts = {{"codes", W(""), "F8_E4M3", "[9, 96]", 864, NULL},
               {"scales", W("_scale_inv"), "U8", "[9, 3]", 27, NULL}}},
    {"ComfyUI FP8", "comfyui/fp8-tensor", ONE_WEIGHT, .out = 12, .in = 50, FP8, .scale = "fp32", .down = 12,
     .across = 50,
     .parts = {{"codes", W(""), "F8_E4M3", "[12, 50]", 600, NULL},
               {"scales", W("_scale"), "F32", "[]", 4, NULL},
               {"", "a.b.comfy_quant", "U8", "[27]", 27, COMFY("float8_e4m3fn")}}},
    {"ComfyUI FP8 E5M2", "comfyui/fp8-e5m2-tensor", ONE_WEIGHT, .out = 12, .in = 50, .element = "e5m2", .scale = "fp32",
     .down = 12, .across = 50,
     .parts = {{"codes", W(""), "F8_E5M2", "[12, 50]", 600, NULL}, {"scales", W("_scale"), "F32", "[]", 4, NULL}}},
    {"ComfyUI's older names", "comfyui/scaled-fp8", ONE_WEIGHT, .out = 12, .in = 50, .element = "e5m2", .scale = "fp32",
     .down = 12, .across = 50,
     .parts = {{"codes", W(""), "F8_E5M2", "[12, 50]", 600, NULL},
               {"scales", "a.b.scale_weight", "F32", "[]", 4, NULL},
               {"", "a.b.scale_input", "F32", "[]", 4, NULL}}},
    {"ComfyUI NVFP4", "comfyui/nvfp4", ONE_WEIGHT, .out = 144, .in = 112, .coding = CODES_HIGH, .scale = "e4m3",
     .down = 1, .across = 16, .second = FACTOR, .swizzled = true,
     .parts = {{"codes", W(""), "U8", "[144, 56]", 144 * 56, NULL},
               {"scales", W("_scale"), "F8_E4M3", "[256, 8]", 2048, NULL},
               {"second", W("_scale_2"), "F32", "[]", 4, NULL},
               {"", "a.b.comfy_quant", "U8", "[19]", 19, COMFY("nvfp4")}}},
    {"ComfyUI MXFP8", "comfyui/mxfp8", ONE_WEIGHT, .out = 160, .in = 160, FP8, .scale = "e8m0", .down = 1, .across = 32,
     .swizzled = true,
     .parts = {{"codes", W(""), "F8_E4M3", "[160, 160]", 25600, NULL},
               {"scales", W("_scale"), "U8", "[256, 8]", 2048, NULL},
               {"", "a.b.comfy_quant", "U8", "[19]", 19, COMFY("mxfp8")}}},
    {"ComfyUI INT8 per tensor", "comfyui/int8-tensor", ONE_WEIGHT, .out = 12, .in = 50, .coding = CODES_INT8,
     .scale = "fp32", .down = 12, .across = 50,
     .parts = {{"codes", W(""), "I8", "[12, 50]", 600, NULL},
               {"scales", W("_scale"), "F32", "[]", 4, NULL},
               {"", "a.b.comfy_quant", "U8", "[29]", 29, COMFY("int8_tensorwise")}}},
    {"ComfyUI INT8 per row", "comfyui/int8-row", ONE_WEIGHT, .out = 12, .in = 50, .coding = CODES_INT8, .scale = "fp32",
     .down = 1, .across = 50,
     .parts = {{"codes", W(""), "I8", "[12, 50]", 600, NULL},
               {"scales", W("_scale"), "F32", "[12]", 48, NULL},
               {"", "a.b.comfy_quant", "U8", "[29]", 29, COMFY("int8_tensorwise")}}},
    {"ComfyUI INT8 of rotated weights", "comfyui/int8-row", ONE_WEIGHT, .out = 12, .in = 50,
     .why_not = "its weights were rotated before they were quantized (convrot)",
     .parts = {{"codes", W(""), "I8", "[12, 50]", 600, NULL},
               {"scales", W("_scale"), "F32", "[12]", 48, NULL},
               {"", "a.b.comfy_quant", "U8", "[46]", 46, "{\"format\": \"int8_tensorwise\", \"convrot\": true}  "}}},
    {"a format of ComfyUI that is not known", "comfyui/int8-row", ONE_WEIGHT, .out = 12, .in = 50,
     .why_not = "ComfyUI's note says convrot_w4a4, which is not decoded",
     .parts = {{"codes", W(""), "I8", "[12, 50]", 600, NULL},
               {"scales", W("_scale"), "F32", "[12]", 48, NULL},
               {"", "a.b.comfy_quant", "U8", "[26]", 26, COMFY("convrot_w4a4")}}},
    {"MLX, integers of 4 bits", "mlx/affine", ONE_WEIGHT, .config = MLX(""), .out = 6, .in = 128, .coding = CODES_WORDS,
     .bits = 4, .scale = "bf16", .down = 1, .across = 64, .affine = true,
     .parts = {{"codes", W(""), "U32", "[6, 16]", 384, NULL},
               {"scales", "a.b.scales", "BF16", "[6, 2]", 24, NULL},
               {"biases", "a.b.biases", "BF16", "[6, 2]", 24, NULL}}},
    {"MLX, integers of 5 bits", "mlx/affine", ONE_WEIGHT,
     .config = "{\"quantization\": {\"group_size\": 32, \"bits\": 5}}", .out = 6, .in = 128, .coding = CODES_WORDS,
     .bits = 5, .scale = "fp16", .down = 1, .across = 32, .affine = true,
     .parts = {{"codes", W(""), "U32", "[6, 20]", 480, NULL},
               {"scales", "a.b.scales", "F16", "[6, 4]", 48, NULL},
               {"biases", "a.b.biases", "F16", "[6, 4]", 48, NULL}}},
    {"MLX, a module with more bits", "mlx/affine", ONE_WEIGHT,
     .config = MLX(", \"a\": {\"bits\": 3}, \"a.b\": {\"group_size\": 64, \"bits\": 8}, \"a.b.c\": false"), .out = 4,
     .in = 128, .coding = CODES_WORDS, .bits = 8, .scale = "bf16", .down = 1, .across = 64, .affine = true,
     .parts = {{"codes", W(""), "U32", "[4, 32]", 512, NULL},
               {"scales", "a.b.scales", "BF16", "[4, 2]", 16, NULL},
               {"biases", "a.b.biases", "BF16", "[4, 2]", 16, NULL}}},
    {"MLX, a module whose bits are the default", "mlx/affine", ONE_WEIGHT,
     .config = "{\"quantization_config\": {\"group_size\": 64, \"bits\": 8, \"a.b\": {\"group_size\": 32}}}", .out = 4,
     .in = 64, .coding = CODES_WORDS, .bits = 4, .scale = "bf16", .down = 1, .across = 32, .affine = true,
     .parts = {{"codes", W(""), "U32", "[4, 8]", 128, NULL},
               {"scales", "a.b.scales", "BF16", "[4, 2]", 16, NULL},
               {"biases", "a.b.biases", "BF16", "[4, 2]", 16, NULL}}},
    {"MLX without a configuration, where one way fits", "mlx/affine", ONE_WEIGHT, .out = 3, .in = 128,
     .coding = CODES_WORDS, .bits = 6, .scale = "fp16", .down = 1, .across = 128, .affine = true,
     .parts = {{"codes", W(""), "U32", "[3, 24]", 288, NULL},
               {"scales", "a.b.scales", "F16", "[3, 1]", 6, NULL},
               {"biases", "a.b.biases", "F16", "[3, 1]", 6, NULL}}},
    {"MLX, the bits alone", "mlx/affine", ONE_WEIGHT, .config = "{\"quantization\": {\"bits\": 8}}", .out = 3, .in = 64,
     .coding = CODES_WORDS, .bits = 8, .scale = "fp16", .down = 1, .across = 32, .affine = true,
     .parts = {{"codes", W(""), "U32", "[3, 16]", 192, NULL},
               {"scales", "a.b.scales", "F16", "[3, 2]", 12, NULL},
               {"biases", "a.b.biases", "F16", "[3, 2]", 12, NULL}}},
    {"MLX MXFP4", "mlx/mxfp4", ONE_WEIGHT, .out = 6, .in = 128, .coding = CODES_LOW, .scale = "e8m0", .down = 1,
     .across = 32,
     .parts = {{"codes", W(""), "U32", "[6, 16]", 384, NULL}, {"scales", "a.b.scales", "U8", "[6, 4]", 24, NULL}}},
    {"MLX NVFP4", "mlx/nvfp4", ONE_WEIGHT, .out = 6, .in = 128, .coding = CODES_LOW, .scale = "e4m3", .down = 1,
     .across = 16,
     .parts = {{"codes", W(""), "U32", "[6, 16]", 384, NULL}, {"scales", "a.b.scales", "U8", "[6, 8]", 48, NULL}}},
    {"MLX MXFP8", "mlx/mxfp8", ONE_WEIGHT, .config = "{\"quantization\": {\"group_size\": 32, \"bits\": 8}}", .out = 6,
     .in = 128, FP8, .scale = "e8m0", .down = 1, .across = 32,
     .parts = {{"codes", W(""), "U32", "[6, 32]", 768, NULL}, {"scales", "a.b.scales", "U8", "[6, 4]", 24, NULL}}},
};
const size_t weight_case_count = sizeof weight_cases / sizeof weight_cases[0];

/* ---- files ---- */

static unsigned char bytes_of_parts[MOST_PARTS][1 << 16];

static void fill(unsigned char *bytes, const weight_part *part, size_t number)
{
    uint64_t state = 0x9e3779b97f4a7c15 * (number + 1) + part->size;
    for (size_t i = 0; i < part->size; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        bytes[i] = part->bytes != NULL ? (unsigned char)part->bytes[i] : (unsigned char)(state >> 56);
    }
}

const unsigned char *part_bytes(const weight_case *k, const char *role)
{
    for (size_t i = 0; i < MOST_PARTS; i++) {
        if (k->parts[i].role != NULL && strcmp(k->parts[i].role, role) == 0) {
            return bytes_of_parts[i];
        }
    }
    CU_FAIL_FATAL("the case has no such part");
    return NULL;
}

void put_case(const weight_case *k)
{
    enum { HEADER_ROOM = 4000 };
    char header[HEADER_ROOM], path[PATH_SIZE];
    size_t length = 0, data = 0, number = 0;
    for (; number < MOST_PARTS && k->parts[number].name != NULL; number++) {
        const weight_part *part = &k->parts[number];
        CU_ASSERT_FATAL(part->size <= sizeof bytes_of_parts[0]);
        fill(bytes_of_parts[number], part, number);
        length +=
            (size_t)snprintf(header + length, sizeof header - length,
                             "%c\"%s\": {\"dtype\": \"%s\", \"shape\": %s, \"data_offsets\": [%zu, %zu]}",
                             number == 0 ? '{' : ',', part->name, part->dtype, part->shape, data, data + part->size);
        data += part->size;
    }
    header[length++] = '}';
    while (length % 2 == 0) { /* an odd address for the first tensor */
        header[length++] = ' ';
    }
    unsigned char *file = calloc(1, 8 + length + data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    file[0] = (unsigned char)length;
    file[1] = (unsigned char)(length >> 8);
    memcpy(file + 8, header, length);
    for (size_t i = 0, at = 8 + length; i < number; at += k->parts[i++].size) {
        memcpy(file + at, bytes_of_parts[i], k->parts[i].size);
    }
    write_file(in_folder(path, "model.safetensors"), file, 8 + length + data);
    free(file);
    if (k->config != NULL) {
        put_text("config.json", k->config);
    }
}
