"""One model quantized in many ways: how scales are computed, what x is divided by, how the quotient is rounded.

The words for these are those of `binade diff` (src/files/diff/explain.def). What they mean is written here again, from
the projects that compute in this way: compressed-tensors (bf16 quotients, divisors), ModelOpt, torchao, comfy-kitchen
(reciprocals), DeepSeek. `fp32(...)` is numpy's arithmetic in float32, which is IEEE's."""
import numpy as np

from layouts import (FOUR, FP8_CHANNEL, FP8_TENSOR, FP8_TOKEN, NVFP4_ARGS, Model, assemble, ct_args, ct_config,
                     ct_group, ct_ignore, modelopt, noise, scalar)
from small_formats import E2M1, E4M3, bf16, e8m0, f32, groups, int8, pack_low_first, power_of_two, spread, to_bf16

MODEL = {"hidden": 64, "inner": 128, "kv": 32}


def fp32(x):
    return np.asarray(x).astype("f4")


# ---- scales ----

def plain_scale(word, amax, top):
    """fp64 values of scales of tensors, rows and tiles."""
    a = fp32(amax)
    if word in ("amax", "amax-exact"):
        out = a / np.float32(top)
    elif word == "amax-reciprocal":
        out = a * (np.float32(1) / np.float32(top))
    elif word == "amax-bf16":
        out = bf16(a / np.float32(top))
    elif word == "amax-half-range-bf16":
        out = bf16(a / np.float32(127.5))
    elif word == "amax-half-range":
        out = a / np.float32(127.5)
    elif word == "amax-inverse":
        out = np.float32(1) / (np.float32(top) / a)
    else:
        out = np.ldexp(1.0, power_of_two(amax, E4M3, word))
    return np.asarray(out).astype("f8")


def block_scale(word, amax, factor, divisor):
    """Codes of e4m3 for NVFP4's blocks, given the tensor's scale."""
    a, f, d = fp32(amax), np.float32(factor), np.float32(divisor)
    ones = np.ones(a.shape)
    if word == "amax-exact":
        return E4M3.encode(amax, np.full(a.shape, 6.0 * float(f)))
    quotient = {"amax": lambda: a / (np.float32(6) * f), "amax-divided-twice": lambda: a / np.float32(6) / f,
                "amax-times-divisor": lambda: a / np.float32(6) * d,
                "amax-times-divisor-bf16": lambda: bf16(a / np.float32(6)) * d}[word]()
    return E4M3.encode(np.minimum(quotient, 448).astype("f8"), ones)


# ---- elements ----

def quotients(word, x, scale, block=None, divisor=None):
    """x / scale as the word says, in fp64. `scale`: the product of all stored scales."""
    x4, s4 = fp32(x), fp32(scale)
    if word == "divide":
        return x4 / s4
    if word == "multiply":
        return x4 * (np.float32(1) / s4)
    if word == "divide-bf16":
        return bf16(x4 / s4)
    if word == "multiply-bf16":
        return bf16(x4 * bf16(np.float32(1) / s4))
    if word == "divide-ratio":
        return x4 / (fp32(block) / np.float32(divisor))
    raise ValueError(word)


def encode(element, way, x, scale, block=None, divisor=None):
    rounding, word = way["rounding"], way["quotient"]
    if word == "exact":
        q, unit = x, scale
    else:
        q, unit = quotients(word, x, scale, block, divisor).astype("f8"), np.ones(x.shape)
    if rounding == "either":  # stochastic: up with the probability of the distance from below
        low, high = element.encode(q, unit, "rtz"), element.encode(q, unit, "raz")
        below, above = np.abs(element.decode(low)) * unit, np.abs(element.decode(high)) * unit
        share = np.where(above > below, (np.abs(q) - below) / np.where(above > below, above - below, 1), 0)
        chance = (noise(99, x.size).reshape(x.shape) / 8 + 0.5).clip(0, 1)
        codes = np.where(share > chance, high, low)
    else:
        codes = element.encode(q, unit, rounding)
    zero = codes & (element.sign - 1) == 0
    if way["zero"] == "plus":
        codes = np.where(zero, 0, codes)
    if way["zero"] == "below":
        codes = np.where(zero, np.where(x < 0, element.sign, 0), codes)
    return codes.astype("u1")


# ---- layouts ----

def stored(dtype, scale):
    return to_bf16(scale) if dtype == "BF16" else f32(scale)


def kept(dtype, scale):
    """The scale as it is stored."""
    return (bf16(scale) if dtype == "BF16" else f32(scale)).astype("f8")


def put_plain(way):
    rows, columns = way["tile"]

    def put(checkpoint, stem, x):
        high, wide = rows or x.shape[0], columns or x.shape[1]
        dtype, element = way["dtype"], way["element"]
        top = 127 if element == "int8" else 448
        scale = kept(dtype, plain_scale(way["scale"], groups(x, high, wide), top))
        each = spread(scale, high, wide, x.shape)
        if element == "int8":
            checkpoint.add(stem + ".weight", "I8", x.shape, int8(x, each))
        else:
            checkpoint.add(stem + ".weight", "F8_E4M3", x.shape, encode(E4M3, way, x, each))
        if way["layout"] == "block":
            checkpoint.add(stem + ".weight_scale_inv", dtype, scale.shape, stored(dtype, scale))
        else:
            checkpoint.add(stem + ".weight_scale", dtype, scale.shape if columns is None and rows else [1],
                           stored(dtype, scale))
    return put


def put_powers(way):
    element = E2M1 if way["layout"] == "mxfp4" else E4M3

    def put(checkpoint, stem, x):
        scales = (power_of_two(groups(x, 1, 32), element, way["scale"]) + 127).astype("u1")
        each = spread(e8m0(scales), 1, 32, x.shape)
        codes = encode(element, way, x, each)
        if element is E2M1:
            checkpoint.add(stem + ".weight_packed", "U8", [x.shape[0], x.shape[1] // 2], pack_low_first(codes))
        else:
            checkpoint.add(stem + ".weight", "F8_E4M3", x.shape, codes)
        checkpoint.add(stem + ".weight_scale", "U8", scales.shape, scales)
    return put


def put_nvfp4(way, model):
    ct = way["layout"] == "nvfp4-ct"

    def put(checkpoint, stem, x):
        amax = np.float32(model.amax(stem) if way["fused"] else np.abs(x).max())
        divisor = np.float32(2688) / amax
        factor = np.float32(1) / divisor if ct else amax / np.float32(2688)
        scales = block_scale(way["scale"], groups(x, 1, 16), factor, divisor)
        scales = np.maximum(scales, int(np.searchsorted(E4M3.values, way["least"]))).astype("u1")
        block = spread(E4M3.decode(scales), 1, 16, x.shape)
        codes = encode(E2M1, way, x, block * float(factor), block, divisor)
        packed = pack_low_first(codes)
        checkpoint.add(stem + (".weight_packed" if ct else ".weight"), "U8", packed.shape, packed)
        checkpoint.add(stem + ".weight_scale", "F8_E4M3", scales.shape, scales)
        if ct:
            scalar(checkpoint, stem + ".weight_global_scale", divisor, (1,))
        else:
            scalar(checkpoint, stem + ".weight_scale_2", factor)
    return put


def make(way):
    model = Model(**MODEL)
    layout = way["layout"]

    def ct(format_, weights, inputs=None):
        return ct_config({"group_0": ct_group(format_, weights, inputs)}, ct_ignore(model), format_)
    if layout in ("tensor", "row"):
        weights = FP8_TENSOR if layout == "tensor" else FP8_CHANNEL
        return assemble(model, put_plain(way), model.config(ct("float-quantized", weights, FP8_TOKEN)))
    if layout == "int8":
        return assemble(model, put_plain(way), model.config(
            ct("int-quantized", ct_args(8, "int", "channel"), ct_args(8, "int", "token", True))))
    if layout == "block":
        return assemble(model, put_plain(way), model.config(
            {"activation_scheme": "dynamic", "quant_method": "fp8", "weight_block_size": [32, 32],
             "modules_to_not_convert": ["lm_head"]}))
    if layout in ("mxfp4", "mxfp8"):
        bits, format_ = (4, "mxfp4-pack-quantized") if layout == "mxfp4" else (8, "mxfp8-quantized")
        return assemble(model, put_powers(way), model.config(
            ct(format_, ct_args(bits, "float", "group", group_size=32, scale_dtype="torch.uint8"))))
    if layout == "nvfp4-ct":
        return assemble(model, put_nvfp4(way, model), model.config(ct("nvfp4-pack-quantized", NVFP4_ARGS)))
    config = modelopt("W4A16_NVFP4", 16, weights=FOUR)[1]
    return assemble(model, put_nvfp4(way, model), model.config(config))


TILES = {"tensor": (None, None), "row": (1, None), "int8": (1, None), "block": (32, 32)}

# layout scale quotient rounding zero, and what is special: the dtype of scales, "fused", the least scale of blocks
WAYS = """
tensor   amax                    exact        rne     keep   F32
tensor   amax                    divide       rne     keep   F32
tensor   amax                    multiply     rne     keep   F32
tensor   amax-reciprocal         multiply     rne     keep   F32
tensor   amax-bf16               exact        rne     keep   BF16
tensor   amax-bf16               divide-bf16  rne     keep   BF16
tensor   amax                    exact        rtz     keep   F32
tensor   rceil                   exact        rne     keep   F32
tensor   amax                    multiply-bf16 rne    keep   F32
row      amax                    exact        rne     keep   F32
row      amax                    divide       rne     plus   F32
row      amax                    multiply     rne     keep   F32
row      amax-bf16               divide-bf16  rne     keep   BF16
row      amax-bf16               exact        rne     keep   BF16
row      amax                    exact        either  keep   F32
row      rceil                   exact        rna     keep   F32
block    amax                    exact        rne     keep   F32
block    amax                    divide       rne     keep   F32
block    amax-inverse            multiply     rne     keep   F32
block    amax-bf16               divide       rne     keep   BF16
block    rceil                   exact        rne     keep   F32
mxfp8    floor                   exact        rne     keep
mxfp8    ceil                    exact        rne     keep
mxfp8    even                    exact        rne     keep
mxfp8    ct                      exact        rne     keep
mxfp8    rceil                   exact        rne     keep
mxfp8    rceil                   exact        rna     keep
mxfp8    rceil                   exact        rtz     plus
mxfp4    floor                   exact        rne     keep
mxfp4    even                    exact        rne     keep
mxfp4    ceil                    exact        rnz     keep
mxfp4    rceil                   exact        rna     keep
mxfp4    floor                   exact        either  keep
nvfp4-ct amax-exact              exact        rne     keep   fused
nvfp4-ct amax-times-divisor      divide-ratio rne     keep   fused
nvfp4-ct amax-times-divisor-bf16 divide-ratio rne     keep
nvfp4-modelopt amax              divide       rne     below  fused
nvfp4-modelopt amax              exact        rne     keep
nvfp4-modelopt amax-divided-twice divide      rna     keep
nvfp4-modelopt amax-exact        exact        rne     keep   2^-6
int8     amax-half-range-bf16    exact        rne     plus   BF16
int8     amax                    exact        rne     plus   F32
"""


def all_ways():
    """(name, a function that makes the checkpoint, how it was made) of each; the first is the base in bf16."""
    def base():
        model = Model(**MODEL)
        return assemble(model, None, model.config(), [])
    yield "base", base, {}
    for number, line in enumerate(WAYS.strip().splitlines()):
        layout, scale, quotient, rounding, zero, *special = line.split()
        made = {"layout": layout, "scale": scale, "quotient": quotient, "rounding": rounding, "zero": zero,
                "dtype": next((word for word in special if word in ("F32", "BF16")), None),
                "fused": "fused" in special, "least": 2.0 ** (-6 if "2^-6" in special else -9)}
        way = dict(made, tile=TILES.get(layout), element="int8" if layout == "int8" else "")
        yield f"{number + 1:02}-{layout}-{scale}-{quotient}-{rounding}", lambda way=way: make(way), made
