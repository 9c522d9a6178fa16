"""Damaged checkpoints: each is a right one with one thing changed, as it was seen in the field.

DAMAGED: name -> (function that changes the right checkpoint, name of the right one, codes that a linter must give,
report of such damage)."""
import json
import os
import shutil
import struct

import numpy as np

from checkpoint_files import Tensor
from small_formats import E4M3, encode_fnuz, f32, from_bf16, to_bf16

DAMAGED = {}
OWN = "made for this test"


def damage(name, of, finds, source=OWN):
    def keep(change):
        assert name not in DAMAGED, name
        DAMAGED[name] = (change, of, finds.split(), source)
        return change
    return keep


def ending(checkpoint, suffix):
    return [name for name in checkpoint.tensors if name.endswith(suffix)]


def one(checkpoint, suffix):
    """The first tensor with this ending."""
    return checkpoint.tensors[ending(checkpoint, suffix)[0]]


def floats(tensor):
    return from_bf16(tensor.array("u2")) if tensor.dtype == "BF16" else tensor.array("f4")


def put_floats(tensor, values):
    tensor.data = (to_bf16(values) if tensor.dtype == "BF16" else np.asarray(values, "f4")).tobytes()


def rename_all(checkpoint, old, new):
    for name in ending(checkpoint, old):
        checkpoint.rename(name, name[:-len(old)] + new)


def quantization(checkpoint):
    return checkpoint.config["quantization_config"]


def args(checkpoint):
    return next(iter(quantization(checkpoint)["config_groups"].values()))["weights"]


# ---- reciprocals and names ----

def reciprocal(suffix):
    def change(checkpoint):
        for name in ending(checkpoint, suffix):
            put_floats(checkpoint.tensors[name], 1 / floats(checkpoint.tensors[name]))
    return change


damage("reciprocal-ct-nvfp4", "ct-nvfp4", "scale-reciprocal", "modular/modular#6600, kekzl/imp#1433")(
    reciprocal(".weight_global_scale"))
damage("reciprocal-modelopt-nvfp4", "modelopt-nvfp4", "scale-reciprocal", "NVIDIA/TensorRT-LLM#17726")(
    reciprocal(".weight_scale_2"))
damage("reciprocal-fp8-tensor", "fp8-tensor-dynamic", "scale-reciprocal")(reciprocal(".weight_scale"))
damage("reciprocal-fp8-block", "fp8-block-qwen3", "scale-reciprocal")(reciprocal(".weight_scale_inv"))
damage("renamed-ct-nvfp4", "ct-nvfp4", "scale-name", "FlashML-org/FreeToken#430")(
    lambda c: rename_all(c, ".weight_global_scale", ".weight_scale_2"))
damage("renamed-fp8-tensor", "fp8-tensor-dynamic", "scale-name", "unslothai/unsloth#6978")(
    lambda c: rename_all(c, ".weight_scale", ".scale_weight"))
damage("renamed-fp8-block", "fp8-block-qwen3", "scale-name")(
    lambda c: rename_all(c, ".weight_scale_inv", ".weight_scale"))


# ---- exponent bytes as numbers ----

@damage("e8m0-as-number-deepseek-v4", "deepseek-v4", "scale-e8m0-as-number", "vllm-project/vllm#51946")
def e8m0_as_number(checkpoint):
    """The byte 120, 2^-7, becomes the number 120."""
    for name in ending(checkpoint, ".scale"):
        tensor = checkpoint.tensors[name]
        checkpoint.tensors[name] = Tensor("F32", tensor.shape, tensor.array("u1").astype("f4"))


@damage("e8m0-as-number-ct-mxfp4", "ct-mxfp4", "scale-e8m0-as-number", "vllm-project/vllm#51946")
def e8m0_as_bf16(checkpoint):
    for name in ending(checkpoint, ".weight_scale"):
        tensor = checkpoint.tensors[name]
        checkpoint.tensors[name] = Tensor("BF16", tensor.shape, to_bf16(tensor.array("u1").astype("f4")))


# ---- numbers that are no scales ----

@damage("nan-modelopt-nvfp4", "modelopt-nvfp4", "scale-nan", "NVIDIA/Model-Optimizer#1633")
def nan_bytes(checkpoint):
    tensor = one(checkpoint, "o_proj.weight_scale")
    codes = tensor.array("u1")
    codes[3, 1] = codes[17, 0] = 0x7F
    tensor.data = codes.tobytes()


def set_floats(suffix, value, everywhere=False):
    """The last number of the first tensor with this ending, or all numbers of all of them."""
    def change(checkpoint):
        for name in ending(checkpoint, suffix)[:None if everywhere else 1]:
            values = floats(checkpoint.tensors[name])
            values[... if everywhere or values.ndim == 0 else (-1,) * values.ndim] = value
            put_floats(checkpoint.tensors[name], values)
    return change


damage("nan-ct-fp8-channel", "ct-fp8-channel", "scale-nan", "vllm-project/vllm#45835")(
    set_floats(".weight_scale", np.nan))
damage("infinite-fp8-block", "fp8-block-qwen3", "scale-infinite")(set_floats(".weight_scale_inv", np.inf))
damage("infinite-k-scale", "modelopt-nvfp4", "input-scale-bad|scale-infinite", "sgl-project/sglang#40243")(
    set_floats(".k_scale", np.inf))
damage("negative-fp8-tensor", "fp8-tensor-dynamic", "scale-negative", "vllm-project/vllm#35693")(
    set_floats(".weight_scale", np.finfo("f4").min))
damage("zero-fp8-block", "fp8-block-qwen3", "scale-zero")(
    lambda c: put_floats(one(c, ".weight_scale_inv"), 0 * floats(one(c, ".weight_scale_inv"))))
damage("unset-fp8-block", "fp8-block-qwen3", "scale-unset", "vllm-project/vllm#39764, sgl-project/sglang#35491")(
    set_floats(".weight_scale_inv", 1, True))
damage("unset-ct-fp8-channel", "ct-fp8-channel", "scale-unset", "vllm-project/vllm#39764")(
    set_floats(".weight_scale", 1, True))
damage("zero-global-scale-ct", "ct-nvfp4-moe", "global-scale-zero", "NVIDIA/TensorRT-LLM#16447")(
    set_floats("experts.1.down_proj.weight_global_scale", 0))
damage("zero-global-scale-modelopt", "modelopt-nvfp4-config", "global-scale-zero", "NVIDIA/TensorRT-LLM#16447")(
    set_floats("experts.1.down_proj.weight_scale_2", 0))
damage("zero-global-scale-gguf", "gguf-nvfp4", "global-scale-zero")(
    lambda c: set_floats_gguf(c, "blk.0.ffn_down.scale", 0))
damage("zero-input-scale-ct", "ct-nvfp4-moe", "input-scale-bad", "NVIDIA/TensorRT-LLM#16447")(
    set_floats("experts.1.down_proj.input_global_scale", 0))
damage("infinite-input-scale-ct", "ct-nvfp4-moe", "input-scale-bad", "vllm-project/compressed-tensors#595")(
    set_floats("experts.1.down_proj.input_global_scale", np.inf))
damage("nan-input-scale-fp8", "fp8-tensor-static", "input-scale-bad")(set_floats("o_proj.input_scale", np.nan))


def set_floats_gguf(checkpoint, name, value):
    checkpoint.tensors[name].data = struct.pack("<f", value)


# ---- widths and shapes ----

@damage("width-modelopt-nvfp4", "modelopt-fp8", "codes-width|config-contradiction", "NVIDIA/Model-Optimizer#868")
def says_nvfp4(checkpoint):
    """The configuration promises NVFP4, the tensors are FP8."""
    config = quantization(checkpoint)
    config["quant_algo"] = "NVFP4"
    config["config_groups"]["group_0"]["weights"].update(num_bits=4, group_size=16)
    checkpoint.side["hf_quant_config.json"]["quantization"].update(quant_algo="NVFP4", group_size=16)


@damage("width-ct-num-bits", "ct-fp8-channel", "codes-width|config-contradiction")
def says_four_bits(checkpoint):
    args(checkpoint)["num_bits"] = 4


@damage("width-ct-nvfp4-halved", "ct-nvfp4", "scale-shape")
def half_of_the_codes(checkpoint):
    """Half of the packed columns are missing: the scales belong to a wider matrix."""
    tensor = one(checkpoint, "down_proj.weight_packed")
    codes = tensor.array("u1")[:, :16]
    tensor.shape, tensor.data = list(codes.shape), np.ascontiguousarray(codes).tobytes()


def reshape(suffix, shape_of):
    def change(checkpoint):
        for name in ending(checkpoint, suffix):
            tensor = checkpoint.tensors[name]
            tensor.shape = list(shape_of(tensor.shape))
    return change


damage("shape-ct-channel-flat", "ct-fp8-channel", "scale-shape", "NVIDIA/TensorRT-LLM#15415")(
    reshape(".weight_scale", lambda s: s[:1]))
damage("shape-modelopt-channel-2d", "modelopt-fp8-channel", "scale-shape", "NVIDIA/TensorRT-LLM#15415")(
    reshape(".weight_scale", lambda s: [s[0], 1]))
damage("shape-fp8-block-4d", "fp8-block-qwen3", "scale-shape", "vllm-project/vllm#54126")(
    reshape(".weight_scale_inv", lambda s: [s[0], 1, s[1], 1]))
damage("shape-modelopt-block-2d", "modelopt-fp8-block", "scale-shape", "vllm-project/vllm#54126")(
    reshape(".weight_scale", lambda s: [s[0], s[2]]))


@damage("shape-fp8-block-transposed", "fp8-block-deepseek-v3", "scale-shape")
def transposed(checkpoint):
    """Of the matrices with unequal grids only the scales can tell: k_proj has one row of tiles and two columns."""
    for name in ending(checkpoint, ".weight_scale_inv"):
        tensor = checkpoint.tensors[name]
        scales = tensor.array("f4").T
        tensor.shape, tensor.data = list(scales.shape), np.ascontiguousarray(scales).tobytes()


@damage("shape-modelopt-nvfp4-half", "modelopt-nvfp4", "scale-shape", "NVIDIA/Model-Optimizer#2038")
def half_of_the_scales(checkpoint):
    """Scales computed from the packed width."""
    for name in ending(checkpoint, ".weight_scale"):
        tensor = checkpoint.tensors[name]
        codes = tensor.array("u1")
        codes = np.ascontiguousarray(codes[:, :codes.shape[1] // 2])
        tensor.shape, tensor.data = list(codes.shape), codes.tobytes()


# ---- groups that servers fuse ----

def unequal(suffix, factor):
    """Another second-level scale, and scales of blocks that make up for it: the same weights."""
    def change(checkpoint):
        for name in ending(checkpoint, suffix):
            tensor = checkpoint.tensors[name]
            tensor.data = f32(tensor.array("f4") * np.float32(factor)).tobytes()
    return change


damage("unequal-gate-up-ct", "ct-nvfp4", "scale-fused-unequal", "vllm-project/vllm#47515")(
    unequal("gate_proj.weight_global_scale", 2.14))
damage("unequal-qkv-modelopt", "modelopt-nvfp4", "scale-fused-unequal", "vllm-project/llm-compressor#1869")(
    unequal("k_proj.weight_scale_2", 0.7))
damage("unequal-experts-ct", "ct-nvfp4-moe", "scale-fused-unequal", "NVIDIA/TensorRT-LLM#14199")(
    unequal("experts.1.up_proj.weight_global_scale", 1.5))


# ---- tied embeddings ----

@damage("tied-ct-fp8", "ct-fp8-channel", "lm-head-tied", "vllm-project/llm-compressor#2798")
def tied_ct(checkpoint):
    """lm_head and the embedding are one matrix, and only lm_head is quantized."""
    checkpoint.config["tie_word_embeddings"] = True
    quantization(checkpoint)["ignore"] = []
    quantize_head(checkpoint, "BF16", 2)


@damage("tied-modelopt-fp8", "modelopt-fp8-channel", "lm-head-tied", "NVIDIA/Model-Optimizer#2194")
def tied_modelopt(checkpoint):
    checkpoint.config["tie_word_embeddings"] = True
    quantization(checkpoint)["ignore"] = []
    checkpoint.side["hf_quant_config.json"]["quantization"]["exclude_modules"] = []
    quantize_head(checkpoint, "F32", 1)


def quantize_head(checkpoint, dtype, rank):
    weight = from_bf16(checkpoint.tensors["model.embed_tokens.weight"].array("u2")).astype("f8")
    scale = np.abs(weight).max(axis=1, keepdims=True) / 448
    scale = from_bf16(to_bf16(scale)) if dtype == "BF16" else f32(scale)
    codes = E4M3.encode(weight, np.broadcast_to(scale.astype("f8"), weight.shape))
    checkpoint.tensors["lm_head.weight"] = Tensor("F8_E4M3", weight.shape, codes)
    checkpoint.tensors["lm_head.weight_scale"] = Tensor(
        dtype, scale.shape[:rank], to_bf16(scale) if dtype == "BF16" else f32(scale))


# ---- codes ----

@damage("fnuz-fp8-block", "fp8-block-qwen3", "fnuz-as-fn", "vllm-project/vllm: normalize_e4m3fn_to_e4m3fnuz")
def fnuz(checkpoint):
    """Codes of e4m3fnuz under the dtype of e4m3fn, with scales for fnuz: values are half of what they should be, and
    0x80, fnuz's NaN, never occurs. Zeros never have a sign."""
    for name in ending(checkpoint, "_proj.weight"):
        tensor, scale = checkpoint.tensors[name], checkpoint.tensors[name + "_scale_inv"]
        each = np.repeat(np.repeat(floats(scale).astype("f8"), 128, 0), 128, 1)
        each = each[:tensor.shape[0], :tensor.shape[1]]
        values = E4M3.decode(tensor.array("u1")) * each
        tensor.data = encode_fnuz(values, each * 448 / 240).tobytes()
        put_floats(scale, floats(scale) * np.float32(448 / 240))


@damage("nan-codes-fp8-tensor", "fp8-tensor-dynamic", "codes-nan", "NVIDIA/Model-Optimizer#1633")
def nan_codes(checkpoint):
    tensor = one(checkpoint, "up_proj.weight")
    codes = tensor.array("u1")
    codes[5, 7] = 0x7F
    codes[40, 1] = 0xFF
    tensor.data = codes.tobytes()


# ---- files ----

def shard(folder, number):
    return sorted(name for name in os.listdir(folder) if name.startswith("model-"))[number - 1]


def at_end(name, of, finds, source=OWN):
    """Damage to the files, after all is written."""
    def keep(step):
        damage(name, of, finds, source)(lambda checkpoint: checkpoint.steps.append(step))
        return step
    return keep


@at_end("shard-missing", "plain-bf16-sharded", "shard-missing")
def remove_shard(folder):
    os.remove(os.path.join(folder, shard(folder, 3)))


@at_end("shard-doubled", "plain-bf16-sharded", "tensor-twice")
def double_shard(folder):
    """The second shard has the third one's bytes: the tensors of the second are nowhere."""
    shutil.copy(os.path.join(folder, shard(folder, 3)), os.path.join(folder, shard(folder, 2)))


@at_end("shard-cut", "ct-fp8-channel", "shard-truncated")
def cut_shard(folder):
    path = os.path.join(folder, shard(folder, 2))
    os.truncate(path, os.path.getsize(path) - 100)


@at_end("shard-longer", "plain-bf16-sharded", "shard-oversized")
def lengthen_shard(folder):
    with open(os.path.join(folder, shard(folder, 2)), "ab") as file:
        file.write(b"\0" * 64)


def edit_index(change):
    def step(folder):
        path = os.path.join(folder, "model.safetensors.index.json")
        with open(path, encoding="utf-8") as file:
            index = json.load(file)
        change(index)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(index, file, indent=2)
    return step


at_end("index-wrong-file", "plain-bf16-sharded", "index-wrong-file")(edit_index(
    lambda index: index["weight_map"].update({"model.embed_tokens.weight": "model-00004-of-00004.safetensors"})))
at_end("index-missing-tensor", "plain-bf16-sharded", "index-missing-tensor")(edit_index(
    lambda index: index["weight_map"].update({"model.layers.9.mlp.gate.weight": "model-00001-of-00004.safetensors"})))
at_end("index-extra-tensor", "plain-bf16-sharded", "tensor-not-in-index")(edit_index(
    lambda index: index["weight_map"].pop("model.norm.weight")))


@at_end("index-bad", "plain-bf16-sharded", "index-bad|refused")
def break_index(folder):
    path = os.path.join(folder, "model.safetensors.index.json")
    os.truncate(path, os.path.getsize(path) // 2)


@damage("f4-in-pairs", "plain-fp4", "f4-in-pairs", "safetensors/safetensors#839")
def in_pairs(checkpoint):
    """The shape counts bytes, as torch's float4_e2m1fn_x2 does, and not elements."""
    tensor = checkpoint.tensors["codes"]
    tensor.shape = [tensor.shape[0], tensor.shape[1] // 2]


# ---- configurations ----

def configure(name, of, finds, source=OWN):
    def keep(change):
        damage(name, of, finds, source)(lambda checkpoint: change(quantization(checkpoint)))
        return change
    return keep


def weights_of(config):
    return next(iter(config["config_groups"].values()))["weights"]


configure("config-unknown-key-args", "ct-fp8-channel", "config-unknown-key")(
    lambda config: weights_of(config).update(made_by="a script"))
configure("config-unknown-key-scheme", "ct-nvfp4", "config-unknown-key")(
    lambda config: config["config_groups"]["group_0"].update(scale_rule="even"))
configure("config-group-without-size", "ct-mxfp4", "config-value")(
    lambda config: weights_of(config).update(group_size=None))
configure("config-static-token", "ct-fp8-channel", "config-value")(
    lambda config: weights_of(config).update(strategy="token"))
configure("config-bad-strategy", "ct-fp8-channel", "config-value")(
    lambda config: weights_of(config).update(strategy="row"))
configure("config-bad-activation-scheme", "fp8-tensor-dynamic", "config-value")(
    lambda config: config.update(activation_scheme="per-token"))
configure("config-block-size-of-one", "fp8-block-qwen3", "config-value")(
    lambda config: config.update(weight_block_size=[128]))
configure("config-without-groups", "ct-fp8-channel", "config-missing-key")(lambda config: config.pop("config_groups"))
configure("config-without-activation-scheme", "fp8-tensor-dynamic", "config-missing-key")(
    lambda config: config.pop("activation_scheme"))
configure("config-without-quant-algo", "modelopt-nvfp4-config", "config-missing-key")(
    lambda config: config.pop("quant_algo"))
configure("config-not-applied-ct", "ct-fp8-channel", "config-not-applied")(lambda config: config.update(ignore=[]))
configure("config-ignored-but-quantized", "ct-fp8-channel", "config-contradiction")(
    lambda config: config["ignore"].append("model.layers.0.mlp.down_proj"))
configure("config-block-size", "fp8-block-qwen3", "config-contradiction|scale-shape")(
    lambda config: config.update(weight_block_size=[64, 128]))


@damage("config-two-that-disagree", "modelopt-fp8-channel", "config-contradiction")
def two_that_disagree(checkpoint):
    checkpoint.side["hf_quant_config.json"]["quantization"]["quant_algo"] = "FP8"


@damage("config-absent", "fp8-block-qwen3", "config-absent")
def config_absent(checkpoint):
    del checkpoint.config["quantization_config"]


@damage("config-bad", "fp8-block-qwen3", "config-bad")
def config_bad(checkpoint):
    checkpoint.config = json.dumps(checkpoint.config)[:-1]


# ---- parts ----

@damage("scale-missing-fp8", "fp8-block-qwen3", "scale-missing", "vllm-project/vllm#53950")
def scale_missing(checkpoint):
    del checkpoint.tensors["model.layers.0.mlp.down_proj.weight_scale_inv"]


@damage("scale-missing-nvfp4", "modelopt-nvfp4", "scale-missing")
def second_scale_missing(checkpoint):
    del checkpoint.tensors["model.layers.0.mlp.down_proj.weight_scale_2"]


@damage("scale-missing-gpt-oss", "gpt-oss", "scale-missing")
def scales_missing(checkpoint):
    del checkpoint.tensors["model.layers.0.mlp.experts.down_proj_scales"]


@damage("scale-orphan", "ct-fp8-channel", "scale-orphan")
def orphan(checkpoint):
    """The weight went back to bf16, its scale stayed."""
    name = "model.layers.1.mlp.up_proj"
    tensor = checkpoint.tensors[name + ".weight"]
    checkpoint.tensors[name + ".weight"] = Tensor("BF16", tensor.shape, to_bf16(E4M3.decode(tensor.array("u1"))))
    quantization(checkpoint)["ignore"].append(name)


@damage("scale-dtype-nvfp4", "modelopt-nvfp4", "scale-dtype")
def scale_dtype(checkpoint):
    for name in ending(checkpoint, ".weight_scale"):
        checkpoint.tensors[name].dtype = "U8"


@damage("scale-dtype-fp8", "fp8-tensor-dynamic", "scale-dtype")
def scale_as_double(checkpoint):
    for name in ending(checkpoint, ".weight_scale"):
        tensor = checkpoint.tensors[name]
        checkpoint.tensors[name] = Tensor("F64", tensor.shape, tensor.array("f4").astype("f8"))
