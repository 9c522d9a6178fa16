"""`binade quantize` next to the model in Python: what it decodes, which codes and scales it writes, and whether the
configuration and the tensors are those that loaders look for.

    quantize_judge.py FOLDER BINADE ...     FOLDER of make-checkpoint-fixtures.py"""
import json
import os
import shutil
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import config_judge  # noqa: E402
from checkpoint_files import read_safetensors  # noqa: E402
from checks import check, conclude  # noqa: E402
from layouts import BLOCKY, Model  # noqa: E402
from provenance import MODEL  # noqa: E402
from small_formats import (E2M1, E4M3, bf16, e8m0, f32, from_bf16, groups, int8, nvfp4_scales,  # noqa: E402
                           power_of_two, spread)

folder, binade = sys.argv[1], sys.argv[2:]
# Layouts that may be found and not decoded; checkpoints of which there is nothing to decode.
UNDECODED = ("mlx", "ct-pack-int4-zero-points")
NOTHING = ("plain-fp32-tied", "plain-npy")
out = os.path.join(folder, "out")


def quantize(path, *options):
    """(status, the tensors that were written, messages)"""
    shutil.rmtree(out, ignore_errors=True)
    run = subprocess.run(binade + ["quantize", os.path.join(folder, path), out, *options], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    tensors = {}
    if run.returncode == 0:
        for name in sorted(os.listdir(out)):
            if name.endswith(".safetensors"):
                tensors.update(read_safetensors(os.path.join(out, name)))
    return run.returncode, tensors, run.stdout.decode()[:400]


def values(tensor):
    """A stored tensor as an array: fp32 for floats, bytes for codes."""
    dtype, shape, data = tensor
    if dtype == "BF16":
        return from_bf16(np.frombuffer(data, "<u2")).reshape(shape)
    if dtype == "F16":
        return np.frombuffer(data, "<f2").astype("f4").reshape(shape)
    return np.frombuffer(data, {"F32": "<f4", "I8": "i1"}.get(dtype, "u1")).reshape(shape)


def as_f32(tensor):
    """What a tensor that is not quantized stands for. A vector of small floats may have stayed."""
    small = {"F8_E4M3": E4M3.decode, "F8_E8M0": e8m0}.get(tensor[0])
    return f32(small(values(tensor))) if small else values(tensor).astype("<f4")


# ---- decoding ----

def judge_decoding(name):
    with open(os.path.join(folder, "right", name + ".json"), encoding="utf-8") as file:
        expected = json.load(file)
    status, tensors, said = quantize(expected["path"], "--to", "fp32")
    if status == 2 and (name in NOTHING or (name in UNDECODED and "cannot be decoded" in said)):
        return check(not os.path.exists(out), f"{name}: nothing is written")
    check(status == 0, f"{name} is decoded: {status} {said}")
    want = read_safetensors(os.path.join(folder, "right", name + ".decoded.safetensors"))
    for weight, entry in expected["weights"].items():
        x = np.frombuffer(want[weight][2], "<f4").reshape(entry["shape"])
        if entry["layout"] == "gpt-oss/mxfp4":
            x = x.transpose(0, 2, 1)
        same = weight in tensors and as_f32(tensors[weight]).tobytes() == x.tobytes()
        check(same and tensors[weight][1] == list(x.shape), f"{name} {weight} has the model's values")
    left = [tensor for tensor in tensors if tensor not in want and not tensor.endswith((".k_scale", ".v_scale", "fp8"))]
    check(not left, f"{name}: nothing else is left: {left[:3]}")
    if os.path.exists(os.path.join(out, "config.json")):
        with open(os.path.join(out, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        check(not [key for key in config if key.startswith("quantization")], f"{name}: no quantization is left")


# ---- codes and scales ----

def unpack(packed):
    return np.stack([packed & 15, packed >> 4], axis=-1).reshape(packed.shape[0], -1)


def tile_of(scale, shape):
    """Rows and columns that share a scale: all of them, one row, or a part of a row."""
    if scale.size == 1:
        return shape
    return 1, shape[1] if scale.ndim == 1 else shape[1] // scale.shape[1]


def stored_scale(tensors, stem):
    """(fp64 scale at each tile without the second one, the second one as a factor, the dtype)"""
    name = stem + (".weight_scale_inv" if stem + ".weight_scale_inv" in tensors else ".weight_scale")
    dtype = tensors[name][0]
    scale = values(tensors[name])
    if dtype == "F8_E4M3":
        scale = E4M3.decode(scale)
    elif dtype == "U8":
        scale = e8m0(scale)
    second = 1.0
    if stem + ".weight_global_scale" in tensors:
        second = float(f32(1 / values(tensors[stem + ".weight_global_scale"]).astype("f8"))[0])
    if stem + ".weight_scale_2" in tensors:
        second = float(values(tensors[stem + ".weight_scale_2"]))
    return scale.astype("f8"), second, dtype


def rule_scale(rule, x, tile, dtype, second, element, fused):
    """The scales that a rule gives, in fp64. `fused`: the largest magnitude of the family, where a tensor has one."""
    amax = np.full((1, 1), fused) if tile == x.shape and fused else groups(x, *tile)
    if rule in ("floor", "ceil", "even", "rceil", "ct"):
        return np.ldexp(1.0, power_of_two(amax, element, rule))
    if dtype == "F8_E4M3":
        return E4M3.decode(nvfp4_scales(x, second))
    top = 127 if element is None else element.max
    exact = f32(amax / top)
    return (bf16(exact) if dtype == "BF16" else exact).astype("f8")


def judge_codes(options, rule, element):
    """Every code of a model is the one nearest to x / scale, and every scale is what the rule gives."""
    tiled = "tile:128x128" in options or "fp8-block" in options
    status, tensors, said = quantize("right/plain-bf16-wide" if tiled else "provenance/base", *options)
    what = " ".join(options)
    check(status == 0, f"{what}: {status} {said}")
    if status != 0:
        return
    model = Model(**BLOCKY if tiled else MODEL)
    for stem in model.linears:
        x = model.weights[stem + ".weight"].astype("f8")
        packed = stem + ".weight_packed"
        codes = values(tensors[packed if packed in tensors else stem + ".weight"])
        if element is E2M1:
            codes = unpack(codes)
        scale, second, dtype = stored_scale(tensors, stem)
        tile = (128, 128) if tiled else tile_of(scale, x.shape)
        scale = scale.reshape(-(-x.shape[0] // tile[0]), -(-x.shape[1] // tile[1]))
        each = spread(scale, *tile, x.shape) * second
        want = int8(x, each) if element is None else element.encode(x, each)
        check((codes == want).all(), f"{what}: {stem} has the codes of its scales: {int((codes != want).sum())} differ")
        fused = None if tiled or "--no-fuse" in options else model.amax(stem)
        same = scale == rule_scale(rule, x, tile, dtype, second, element, fused)
        check(same.all(), f"{what}: {stem} has the scales of {rule}: {int((~same).sum())} of {same.size} differ")
    judge_files(what)


def judge_files(what):
    problems = config_judge.judge_folder(out)
    check(not problems, f"{what}: the loader takes it: {problems[:3]}")
    run = subprocess.run(binade + ["lint", out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = run.stdout.decode()
    unequal = "nvfp4 --no-fuse" in what  # then fused layers have scales of their own, and lint must say so
    check(run.returncode == unequal and ("scale-fused-unequal" in said) == unequal,
          f"{what}: lint finds nothing: {run.returncode} {said[:300]}")


def judge_other_models():
    """Experts, tied embeddings, several layers; shards."""
    for name in ("plain-bf16-sharded", "plain-fp32-tied", "plain-bf16", "ct-nvfp4-moe", "gguf-bf16"):
        with open(os.path.join(folder, "right", name + ".json"), encoding="utf-8") as file:
            path = json.load(file)["path"]
        for options in ("--to e4m3", "--to nvfp4 --layout modelopt", "--to mxfp4 --shard-size 20KB", "--to int8"):
            status, _, said = quantize(path, *options.split())
            check(status == 0, f"{name} {options}: {status} {said}")
            if status == 0:
                judge_files(f"{name} {options}")


# ---- static input scales ----

def judge_inputs(name, options, expected):
    """`expected`: the suffix and the value of each input scale, or None: they are dropped."""
    status, tensors, said = quantize("right/" + name, *options.split())
    what = f"{name} {options}"
    check(status == 0, f"{what}: {status} {said}")
    found = {key: value for key, value in tensors.items() if key.endswith((".input_scale", ".input_global_scale"))}
    if expected is None:
        check(not found and "are dropped" in said, f"{what}: input scales are dropped, and it says so: {said}")
    else:
        suffix, value = expected
        weights = [key for key in tensors if key.endswith((".weight_packed", ".weight_scale"))]
        stems = {key.rsplit(".", 1)[0] for key in weights}
        check(stems and {key.rsplit(".", 1)[0] for key in found} == stems, f"{what}: each weight has its input scale")
        check(all(key.endswith(suffix) and values(tensor).astype("f4").tobytes() == f32(np.full(1, value)).tobytes()
                  for key, tensor in found.items()), f"{what}: they are {value}: {list(found)[:2]}")
        check("are carried over" in said, f"{what}: it says so: {said}")
    judge_files(what)


FP8_INPUT, NVFP4_INPUT, NVFP4_DIVISOR = f32(9.25 / 448), f32(9.25 / (6.0 * 448.0)), f32(448.0 * 6.0 / 9.25)
INPUTS = [
    ("fp8-tensor-static", "--to e4m3", (".input_scale", FP8_INPUT)),
    ("fp8-tensor-static", "--to e4m3 --layout fp8", (".input_scale", FP8_INPUT)),
    ("fp8-tensor-static", "--to e4m3 --layout modelopt --scale tensor", (".input_scale", FP8_INPUT)),
    ("fp8-tensor-static", "--to e4m3 --layout fp8 --activations dynamic", None),
    ("fp8-tensor-static", "--to mxfp8", None), ("fp8-tensor-static", "--to nvfp4", None),
    ("modelopt-nvfp4", "--to nvfp4 --layout modelopt", (".input_scale", NVFP4_INPUT)),
    ("modelopt-nvfp4", "--to nvfp4", (".input_global_scale", f32(1 / NVFP4_INPUT))),
    ("ct-nvfp4", "--to nvfp4", (".input_global_scale", NVFP4_DIVISOR)),
    ("ct-nvfp4", "--to nvfp4 --layout modelopt", (".input_scale", f32(1 / NVFP4_DIVISOR))),
    ("ct-nvfp4", "--to nvfp4 --activations none", None), ("ct-nvfp4", "--to e4m3", None),
]


# ---- experts of gpt-oss, files of ComfyUI ----

def judge_gpt_oss():
    """Blocks and scales of experts, from the values of a quantized model and from both orders of axes."""
    names = [f"model.layers.0.mlp.experts.{name}" for name in ("gate_up_proj", "down_proj")]
    status, tensors, said = quantize("right/gpt-oss", *"--to mxfp4 --layout gpt-oss".split())
    check(status == 0, f"gpt-oss: {status} {said}")
    decoded = read_safetensors(os.path.join(folder, "right", "gpt-oss.decoded.safetensors"))
    for name in names:
        x = as_f32(decoded[name]).astype("f8")
        flat = x.reshape(-1, x.shape[-1])
        scale = np.ldexp(1.0, power_of_two(groups(flat, 1, 32), E2M1, "rceil"))
        codes = E2M1.encode(flat, spread(scale, 1, 32, flat.shape))
        blocks = [*x.shape[:2], x.shape[2] // 32]
        check(tensors[name + "_blocks"][1] == [*blocks, 16] and tensors[name + "_scales"][1] == blocks,
              f"gpt-oss: {name} has the shapes of blocks")
        check((unpack(values(tensors[name + "_blocks"]).reshape(flat.shape[0], -1)) == codes).all() and
              (e8m0(values(tensors[name + "_scales"])).reshape(scale.shape) == scale).all(),
              f"gpt-oss: {name} has the codes and the scales of rceil")
    judge_files("gpt-oss")


def write_experts(target, arrays):
    """A checkpoint of gpt-oss with these arrays: name -> (dtype, array)."""
    header, at = {}, 0
    for name, (dtype, array) in arrays.items():
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    os.makedirs(target)
    with open(os.path.join(target, "model.safetensors"), "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for _, array in arrays.values()))
    with open(os.path.join(target, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_type": "gpt_oss", "quantization_config": {"quant_method": "mxfp4"}}, file)


def judge_transposed(experts, outs, ins):
    """Values of blocks are [experts, in, out]: also where an expert ends within a piece of the work."""
    random = np.random.default_rng(outs)
    arrays, want = {}, {}
    for last, rows, columns in (("gate_up_proj", outs, ins), ("down_proj", ins, outs // 2)):
        name = "model.layers.0.mlp.experts." + last
        blocks = random.integers(0, 256, (experts, rows, columns // 32, 16), "u1")
        scales = random.integers(118, 133, (experts, rows, columns // 32), "u1")
        arrays[name + "_blocks"], arrays[name + "_scales"] = ("U8", blocks), ("U8", scales)
        codes = np.stack([blocks & 15, blocks >> 4], axis=-1).reshape(experts, rows, columns // 32, 32)
        x = E2M1.decode(codes) * np.ldexp(1.0, scales.astype("i4") - 127)[..., None]
        want[name] = f32(x).reshape(experts, rows, columns).transpose(0, 2, 1)
    source = os.path.join(folder, f"gpt-oss-{outs}")
    write_experts(source, arrays)
    for options in ("--to bf16", "--to fp32 -j3"):
        status, tensors, said = quantize(source, *options.split())
        check(status == 0, f"gpt-oss {outs} {options}: {status} {said}")
        for name, x in want.items():
            check(tensors[name][1] == list(x.shape) and values(tensors[name]).tobytes() == x.tobytes(),
                  f"gpt-oss {outs} {options}: {name} is [experts, in, out] with the values of its blocks")
    judge_back(source, arrays)


def judge_back(source, arrays):
    """The values again as blocks: the same numbers, so that scales of other binades do not matter."""
    shutil.rmtree(source + "-bf16", ignore_errors=True)
    status = subprocess.run(binade + ["quantize", source, source + "-bf16", "--to", "bf16"], stdout=subprocess.DEVNULL,
                            check=False).returncode
    check(status == 0, f"{source} is decoded")
    status, tensors, said = quantize(source + "-bf16", *"--to mxfp4 --layout gpt-oss".split())
    check(status == 0 and sorted(tensors) == sorted(arrays), f"{source}: blocks again: {status} {said}")
    for name, (_, blocks) in arrays.items():
        if name.endswith("_blocks"):
            scales = name.replace("_blocks", "_scales")
            old = E2M1.decode(np.stack([blocks & 15, blocks >> 4], axis=-1).reshape(*blocks.shape[:3], 32))
            new = E2M1.decode(np.stack([values(tensors[name]) & 15, values(tensors[name]) >> 4],
                                       axis=-1).reshape(*blocks.shape[:3], 32))
            same = (old * e8m0(arrays[scales][1])[..., None] == new * e8m0(values(tensors[scales]))[..., None])
            check(same.all(), f"{source}: {name} has the same numbers again: {int((~same).sum())} differ")


def judge_comfyui():
    """One file, of which the metadata name each layer."""
    target = os.path.join(folder, "comfy.safetensors")
    run = subprocess.run(binade + ["quantize", os.path.join(folder, "provenance/base"), target, "--to", "e4m3",
                                   "--layout", "comfyui"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         check=False)
    check(run.returncode == 0, f"comfyui: {run.stdout.decode()[:300]}")
    tensors = read_safetensors(target)
    with open(target, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    layers = json.loads(header["__metadata__"]["_quantization_metadata"])
    model = Model(**MODEL)
    check(layers == {"format_version": "1.0", "layers": {stem: {"format": "float8_e4m3fn"} for stem in model.linears}},
          f"comfyui: its layers are those that are quantized: {sorted(layers['layers'])[:3]}")
    for stem in model.linears:
        x = model.weights[stem + ".weight"].astype("f8")
        scale = f32(np.abs(x).max() / 448)
        check(values(tensors[stem + ".weight_scale"]).tobytes() == scale.tobytes() and
              (values(tensors[stem + ".weight"]) == E4M3.encode(x, np.full(x.shape, float(scale)))).all(),
              f"comfyui: {stem} has the codes of its own scale")


WAYS = [
    ("--to e4m3", "amax", E4M3), ("--to e4m3 --scale tensor", "amax", E4M3),
    ("--to e4m3 --scale tile:128x128", "amax", E4M3), ("--to e4m3 --scale-dtype fp32", "amax", E4M3),
    ("--to e4m3 --activations none", "amax", E4M3), ("--to e4m3 --rule rceil --scale-dtype fp32", "rceil", E4M3),
    ("--to e4m3 --layout fp8", "amax", E4M3), ("--to e4m3 --layout fp8-block", "amax", E4M3),
    ("--to e4m3 --layout fp8-block --rule rceil", "rceil", E4M3), ("--to int8", "amax", None),
    ("--to nvfp4", "amax", E2M1), ("--to nvfp4 --no-fuse", "amax", E2M1),
    ("--to nvfp4 --layout modelopt", "amax", E2M1), ("--to e4m3 --scale tensor --no-fuse", "amax", E4M3),
    ("--to mxfp4", "ct", E2M1), ("--to mxfp4 --rule floor", "floor", E2M1), ("--to mxfp4 --rule rceil", "rceil", E2M1),
    ("--to mxfp8", "ct", E4M3), ("--to mxfp8 --rule ceil", "ceil", E4M3), ("--to mxfp8 --rule even", "even", E4M3),
]

for right in sorted(os.listdir(os.path.join(folder, "right"))):
    if right.endswith(".json"):
        judge_decoding(right[:-5])
for words, rule_, element_ in WAYS:
    judge_codes(words.split(), rule_, element_)
judge_other_models()
for name_, options_, expected_ in INPUTS:
    judge_inputs(name_, options_, expected_)
judge_gpt_oss()
for experts_, outs_, ins_ in ((3, 64, 32), (2, 10048, 160), (2, 128, 2880)):
    judge_transposed(experts_, outs_, ins_)
judge_comfyui()
conclude()
