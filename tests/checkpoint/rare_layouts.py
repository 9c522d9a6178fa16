"""Right checkpoints of the layouts that are seen less often. They join the table RIGHT of layouts.py."""
import json

import numpy as np

from checkpoint_files import Checkpoint
from layouts import (COMFY, CT, KITCHEN, MLX, MODELOPT, TRANSFORMERS, Model, assemble, ct_args, ct_config,
                     ct_group, ct_ignore, diffusion, matrix, modelopt, plain, put_fp8, put_mx, right, scalar)
from small_formats import (E2M1, E4M3, bf16, e8m0, f32, groups, int8, nvfp4_scales, pack_low_first, power_of_two,
                           spread, swizzle, to_bf16)


def words(codes, bits):
    """Rows of codes back to back, from the lowest bits of words of 32 bits on."""
    stream = (codes[..., None].astype("u1") >> np.arange(bits, dtype="u1") & 1).reshape(codes.shape[0], -1)
    stream = np.pad(stream, ((0, 0), (0, -stream.shape[1] % 32)))
    return np.packbits(stream, axis=1, bitorder="little").view("<u4")


# ---- compressed-tensors: groups, integers in words ----

@right("ct-fp8-group", "compressed-tensors/fp8-group", CT + "quantization/lifecycle/initialize.py")
def ct_fp8_group():
    model = Model(hidden=128, inner=64, kv=16)

    def put(checkpoint, stem, weight):
        scale = f32(groups(weight, 1, 32) / 448).astype("f8")
        put_fp8(checkpoint, stem, weight, scale, 1, 32)
        checkpoint.add(stem + ".weight_scale", "F32", scale.shape, f32(scale))
    weights = ct_args(8, "float", "group", group_size=32)
    return assemble(model, put, model.config(ct_config(
        {"group_0": ct_group("float-quantized", weights, ct_args(8, "float", "group", True, group_size=32))},
        ct_ignore(model), "float-quantized")))


def put_int8(columns, shape):
    """Scales of tensors (0), or of groups of this many columns."""
    def put(checkpoint, stem, weight):
        high, wide = (1, columns) if columns else weight.shape
        scale = bf16(groups(weight, high, wide) / 127.5)
        each = spread(scale.astype("f8"), high, wide, weight.shape)
        codes = int8(weight, each)
        checkpoint.add(stem + ".weight", "I8", weight.shape, codes)
        checkpoint.add(stem + ".weight_scale", "BF16", shape or scale.shape, to_bf16(scale))
        checkpoint.decoded[stem + ".weight"] = f32(codes * each)
    return put


@right("ct-int8-tensor", "compressed-tensors/int8-tensor", CT + "compressors/naive_quantized/base.py")
def ct_int8_tensor():
    model = Model()
    args = ct_args(8, "int", "tensor"), ct_args(8, "int", "token", True)
    return assemble(model, put_int8(0, [1]), model.config(ct_config(
        {"group_0": ct_group("int-quantized", *args)}, ct_ignore(model), "int-quantized")))


@right("ct-int8-group", "compressed-tensors/int8-group", CT + "compressors/naive_quantized/base.py")
def ct_int8_group():
    model = Model(hidden=64, inner=64)
    args = ct_args(8, "int", "group", group_size=32), ct_args(8, "int", "token", True)
    return assemble(model, put_int8(32, None), model.config(ct_config(
        {"group_0": ct_group("int-quantized", *args)}, ct_ignore(model), "int-quantized")))


def put_packed(bits, columns, zero_points):
    """Integers of `bits` bits, with an offset that makes them positive; 0 columns: a scale per row."""
    top, offset = 2 ** (bits - 1) - 1, 2 ** (bits - 1)

    def put(checkpoint, stem, weight):
        wide = columns or weight.shape[1]
        blocks = weight.reshape(weight.shape[0], -1, wide)
        if zero_points:
            low, high = np.minimum(blocks.min(axis=2), 0), np.maximum(blocks.max(axis=2), 0)
            scale = bf16((high - low) / (2 ** bits - 1))
            zero = np.clip(np.rint(-offset - low / scale.astype("f8")), -offset, top)
        else:
            scale = bf16(np.abs(blocks).max(axis=2) / (top + 0.5))
            zero = np.zeros(scale.shape)
        s, z = (np.repeat(part.astype("f8"), wide, axis=1) for part in (scale, zero))
        codes = np.clip(np.rint(weight / s + z), -offset, top) + 0.0  # an integer 0 has no sign
        checkpoint.add(stem + ".weight_packed", "I32", [weight.shape[0], -(-weight.shape[1] * bits // 32)],
                       words(codes + offset, bits))
        checkpoint.add(stem + ".weight_scale", "BF16", scale.shape, to_bf16(scale))
        checkpoint.add(stem + ".weight_shape", "I64", [2], np.array(weight.shape, "<i8"))
        if zero_points:
            packed = words((zero + offset).T, bits).T
            checkpoint.add(stem + ".weight_zero_point", "I32", packed.shape, packed)
        checkpoint.decoded[stem + ".weight"] = f32((codes - z) * s)
    return put


def make_packed(bits, columns, zero_points):
    model = Model(hidden=64, inner=64, kv=32)
    strategy = ("group", columns) if columns else ("channel", None)
    weights = ct_args(bits, "int", strategy[0], group_size=strategy[1], symmetric=not zero_points)
    return assemble(model, put_packed(bits, columns, zero_points), model.config(ct_config(
        {"group_0": ct_group("pack-quantized", weights)}, ct_ignore(model), "pack-quantized")))


PACKED = CT + "compressors/pack_quantized/"
right("ct-pack-int4", "compressed-tensors/packed-group", PACKED + "base.py", PACKED + "helpers.py")(
    lambda: make_packed(4, 32, False))
right("ct-pack-int4-zero-points", "compressed-tensors/packed-group", PACKED + "base.py", PACKED + "helpers.py")(
    lambda: make_packed(4, 32, True))
right("ct-pack-int3", "compressed-tensors/packed-row", PACKED + "base.py", PACKED + "helpers.py")(
    lambda: make_packed(3, 0, False))
right("ct-pack-int8", "compressed-tensors/packed-row", PACKED + "base.py", PACKED + "helpers.py")(
    lambda: make_packed(8, 0, False))


# ---- fp8 by rows, ModelOpt ----

@right("fp8-row-fbgemm", "fp8/row", "vllm-project/vllm@04843c7c:vllm/model_executor/layers/quantization/fbgemm_fp8.py")
def fp8_row_fbgemm():
    model = Model()

    def put(checkpoint, stem, weight):
        scale = f32(groups(weight, 1, weight.shape[1]) / 448).astype("f8")
        put_fp8(checkpoint, stem, weight, scale, 1, weight.shape[1])
        checkpoint.add(stem + ".weight_scale", "F32", scale.shape, f32(scale))
    return assemble(model, put, model.config({"activation_scale_ub": 1200.0, "modules_to_not_convert": ["lm_head"],
                                              "quant_method": "fbgemm_fp8"}))


@right("modelopt-mxfp4", "modelopt/mxfp4", MODELOPT + "quantization/qtensor/mxfp4_tensor.py")
def modelopt_mxfp4():
    model = Model()
    text, config = modelopt("W4A8_MXFP4_FP8", 32)
    mx = put_mx(".weight", ".weight_scale", E2M1, "rceil")

    def put(checkpoint, stem, weight):
        mx(checkpoint, stem, weight)
        scalar(checkpoint, stem + ".input_scale", f32(9.25 / 448))
    checkpoint = assemble(model, put, model.config(config))
    checkpoint.side["hf_quant_config.json"] = text
    return checkpoint


@right("modelopt-int8", "modelopt/int8-row", MODELOPT + "export/quant_utils.py")
def modelopt_int8():
    model = Model()
    text, config = modelopt("W8A16")

    def put(checkpoint, stem, weight):
        scale = f32(groups(weight, 1, weight.shape[1]) / 127)
        each = spread(scale.astype("f8"), 1, weight.shape[1], weight.shape)
        codes = int8(weight, each)
        checkpoint.add(stem + ".weight", "I8", weight.shape, codes)
        checkpoint.add(stem + ".weight_scale", "F32", [weight.shape[0]], scale)
        checkpoint.decoded[stem + ".weight"] = f32(codes * each)
    checkpoint = assemble(model, put, model.config(config))
    checkpoint.side["hf_quant_config.json"] = text
    return checkpoint


# ---- gpt-oss as it was published first ----

@right("gpt-oss-original", "gpt-oss/mxfp4-original", "openai/gpt-oss@7b583341:gpt_oss/torch/weights.py",
       TRANSFORMERS + "0189b1d09a03:src/transformers/integrations/mxfp4.py")
def gpt_oss_original():
    checkpoint = Checkpoint()
    plain(checkpoint, "embedding.weight", matrix(1, 40, 64))
    plain(checkpoint, "block.0.mlp.norm.scale", matrix(2, 64))
    plain(checkpoint, "block.0.mlp.gate.weight", matrix(3, 2, 64))
    for seed, (name, shape) in enumerate((("mlp1", (2, 64, 64)), ("mlp2", (2, 64, 32)))):
        weight = matrix(10 + seed, *shape).astype("f8").reshape(-1, shape[-1])
        scales = (power_of_two(groups(weight, 1, 32), E2M1, "floor") + 127).astype("u1")
        each = spread(e8m0(scales), 1, 32, weight.shape)
        codes = E2M1.encode(weight, each)
        stem = f"block.0.mlp.{name}_weight"
        checkpoint.add(stem + ".blocks", "U8", [*shape[:2], shape[2] // 32, 16], pack_low_first(codes))
        checkpoint.add(stem + ".scales", "U8", [*shape[:2], shape[2] // 32], scales)
        plain(checkpoint, f"block.0.mlp.{name}_bias", matrix(20 + seed, *shape[:2]))
        checkpoint.decoded[stem] = f32(E2M1.decode(codes) * each).reshape(shape)
    plain(checkpoint, "unembedding.weight", matrix(4, 40, 64))
    checkpoint.config = {"num_hidden_layers": 1, "num_experts": 2, "experts_per_token": 1, "vocab_size": 40,
                         "hidden_size": 64, "intermediate_size": 32, "swiglu_limit": 7.0, "head_dim": 8}
    checkpoint.metadata = {}
    return checkpoint


# ---- ComfyUI ----

def note(checkpoint, stem, format_):
    config = json.dumps({"format": format_}).encode()
    checkpoint.add(stem + ".comfy_quant", "U8", [len(config)], config)


@right("comfy-mxfp8", "comfyui/mxfp8", KITCHEN, COMFY + "0271a469fe29:comfy/quant_ops.py")
def comfy_mxfp8():
    def put(checkpoint, stem, weight):
        scales = (power_of_two(groups(weight, 1, 32), E4M3, "rceil") + 127).astype("u1")
        put_fp8(checkpoint, stem, weight, e8m0(scales), 1, 32)
        stored = swizzle(scales)
        checkpoint.add(stem + ".weight_scale", "F8_E8M0", stored.shape, stored)
        note(checkpoint, stem, "mxfp8")
    return diffusion(put)


def comfy_int8(rows):
    def put(checkpoint, stem, weight):
        high = 1 if rows else weight.shape[0]
        scale = f32(groups(weight, high, weight.shape[1]) / 127)
        each = spread(scale.astype("f8"), high, weight.shape[1], weight.shape)
        codes = int8(weight, each)
        checkpoint.add(stem + ".weight", "I8", weight.shape, codes)
        checkpoint.add(stem + ".weight_scale", "F32", scale.shape if rows else [], scale)
        note(checkpoint, stem, "int8_tensorwise")
        checkpoint.decoded[stem + ".weight"] = f32(codes * each)
    return diffusion(put)


right("comfy-int8", "comfyui/int8-tensor", COMFY + "0271a469fe29:comfy/quant_ops.py")(lambda: comfy_int8(False))
right("comfy-int8-row", "comfyui/int8-row", COMFY + "0271a469fe29:comfy/quant_ops.py")(lambda: comfy_int8(True))


# ---- MLX: block formats in words ----

def make_mlx(mode):
    model = Model()
    bits, size = (8 if mode == "mxfp8" else 4), (16 if mode == "nvfp4" else 32)
    element = E4M3 if bits == 8 else E2M1

    def put(checkpoint, stem, weight):
        if mode == "nvfp4":
            scales = nvfp4_scales(weight, 1.0)
            values = E4M3.decode(scales)
        else:
            scales = (power_of_two(groups(weight, 1, size), element, "ceil") + 127).astype("u1")
            values = e8m0(scales)
        each = spread(values, 1, size, weight.shape)
        codes = element.encode(weight, each)
        packed = words(codes, bits)
        checkpoint.add(stem + ".weight", "U32", packed.shape, packed)
        checkpoint.add(stem + ".scales", "U8", scales.shape, scales)
        checkpoint.decoded[stem + ".weight"] = f32(element.decode(codes) * each)
    checkpoint = assemble(model, put, model.config())
    checkpoint.metadata = {"format": "mlx"}
    for key in ("quantization", "quantization_config"):
        checkpoint.config[key] = {"group_size": size, "bits": bits, "mode": mode}
    return checkpoint


for _mode in ("mxfp4", "mxfp8", "nvfp4"):
    right(f"mlx-{_mode}", f"mlx/{_mode}", MLX)(lambda mode=_mode: make_mlx(mode))
