#!/usr/bin/env python3
"""Makes a large checkpoint, to measure how fast checkpoints are read.

    make-large-checkpoint.py FOLDER [--gib 4]    bf16 weights of a transformer, normally distributed
    make-large-checkpoint.py FOLDER --sparse fp8      FP8 with scales of 128 x 128, shaped like DeepSeek-V3: 690 GB of
                                                      codes, which are holes and read as zeros; headers and scales are
                                                      real
    make-large-checkpoint.py FOLDER --sparse nvfp4    NVFP4 as ModelOpt writes it, 250,562 tensors, 714 GB: of the
                                                      scales of a group, the first and last 4 KiB per tensor are real

Needs numpy. The folder must not exist. With --sparse it takes 180 MB (fp8) or 1 GB (nvfp4) of a disk that supports
holes.
"""
import argparse
import json
import os
import struct

import numpy as np

SHARD = 1 << 30  # bytes of bf16 weights in a file
LAYERS, EXPERTS, HIDDEN, INNER = 61, 256, 7168, 2048


def header(entries, metadata=None):
    """entries: name -> (dtype, shape, size), in the order of the data."""
    table, at = {"__metadata__": metadata or {"format": "pt"}}, 0
    for name, (dtype, shape, size) in entries.items():
        table[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(table, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def to_bf16(x):
    """fp32 to bf16 codes, to nearest even; no NaNs here."""
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def write_index(folder, names, total):
    with open(os.path.join(folder, "model.safetensors.index.json"), "w", encoding="utf-8") as file:
        json.dump({"metadata": {"total_size": total}, "weight_map": names}, file)


def write_config(folder, more):
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"architectures": ["Example"], "hidden_size": 4096, "torch_dtype": "bfloat16", **more}, file,
                  indent=2)


def dense_tensors(total):
    """Names, shapes and deviations, layer by layer, until the bytes are reached."""
    shapes = {"q_proj": (4096, 4096), "k_proj": (1024, 4096), "v_proj": (1024, 4096), "o_proj": (4096, 4096),
              "gate_proj": (14336, 4096), "up_proj": (14336, 4096), "down_proj": (4096, 14336)}
    done, layer = 0, 0
    while done < total:
        for part, shape in shapes.items():
            group = "self_attn" if part[0] in "qkvo" else "mlp"
            size = 2 * shape[0] * shape[1]
            if done + size > total and done > 0:
                rows = (total - done) // (2 * shape[1])
                if rows == 0:
                    return
                shape = (rows, shape[1])
                size = 2 * shape[0] * shape[1]
            yield f"model.layers.{layer}.{group}.{part}.weight", shape, 0.02 / (1 + layer % 5)
            done += size
        layer += 1


def make_dense(folder, gib):
    random = np.random.default_rng(1)
    normal = random.standard_normal(1 << 24, dtype=np.float32)
    shards, size = [[]], 0
    for tensor in dense_tensors(int(gib * (1 << 30))):
        bytes_here = 2 * tensor[1][0] * tensor[1][1]
        if size + bytes_here > SHARD and shards[-1]:
            shards.append([])
            size = 0
        shards[-1].append(tensor)
        size += bytes_here
    names, total = {}, 0
    for number, tensors in enumerate(shards, 1):
        name = f"model-{number:05d}-of-{len(shards):05d}.safetensors"
        entries = {n: ("BF16", list(s), 2 * s[0] * s[1]) for n, s, _ in tensors}
        with open(os.path.join(folder, name), "wb") as file:
            file.write(header(entries))
            for tensor, shape, deviation in tensors:
                codes = to_bf16(normal * np.float32(deviation))
                left = shape[0] * shape[1]
                while left > 0:
                    file.write(codes[:left].tobytes())
                    left -= min(left, codes.size)
                names[tensor] = name
                total += entries[tensor][2]
    write_index(folder, names, total)
    write_config(folder, {})


def make_sparse(folder):
    random = np.random.default_rng(1)
    names, total = {}, 0
    for layer in range(LAYERS):
        name = f"model-{layer + 1:05d}-of-{LAYERS:05d}.safetensors"
        codes, scales = {}, {}
        for expert in range(EXPERTS):
            for part in ("gate_proj", "up_proj", "down_proj"):
                rows, columns = (HIDDEN, INNER) if part == "down_proj" else (INNER, HIDDEN)
                weight = f"model.layers.{layer}.mlp.experts.{expert}.{part}.weight"
                tiles = [rows // 128, columns // 128]
                codes[weight] = ("F8_E4M3", [rows, columns], rows * columns)
                scales[weight + "_scale_inv"] = ("F32", tiles, 4 * tiles[0] * tiles[1])
        entries = {**codes, **scales}
        with open(os.path.join(folder, name), "wb") as file:
            file.write(header(entries))
            file.seek(sum(size for _, _, size in codes.values()), os.SEEK_CUR)
            count = sum(size for _, _, size in scales.values()) // 4
            file.write(np.exp(random.normal(-9, 0.3, count)).astype("<f4").tobytes())
        names.update(dict.fromkeys(entries, name))
        total += sum(size for _, _, size in entries.values())
    write_index(folder, names, total)
    write_config(folder, {"quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
                                                  "weight_block_size": [128, 128]}})


def nvfp4_layer(layer, entries):
    """The tensors of a layer of experts: first those of 4 bytes, as writers order them."""
    small, large = {}, {}
    for expert in range(240):
        for part in ("gate_proj", "up_proj", "down_proj"):
            rows, columns = (7168, 2816) if part == "down_proj" else (2816, 7168)
            module = f"model.layers.{layer}.mlp.experts.{expert}.{part}"
            small[module + ".input_scale"] = small[module + ".weight_scale_2"] = ("F32", [], 4)
            large[module + ".weight"] = ("U8", [rows, columns // 2], rows * columns // 2)
            large[module + ".weight_scale"] = ("F8_E4M3", [rows, columns // 16], rows * columns // 16)
    entries.update(small)
    entries.update(large)


def make_sparse_nvfp4(folder):
    random = np.random.default_rng(1)
    layers, piece, names, total = 87, 4096, {}, 0
    for layer in range(layers):
        name = f"model-{layer + 1:05d}-of-{layers:05d}.safetensors"
        entries = {}
        nvfp4_layer(layer, entries)
        if layer in (0, layers - 1):
            outside = "model.embed_tokens.weight" if layer == 0 else "lm_head.weight"
            entries[outside] = ("BF16", [129280, 7168], 129280 * 7168 * 2)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(header(entries))
            for tensor, (dtype, _, size) in entries.items():
                if dtype == "F32":
                    # gate and up have the same: the expert, not the part
                    file.write(np.float32(1e-4 * (2 + int(tensor.split(".")[5]) % 7)).tobytes())
                elif dtype == "F8_E4M3":
                    for gap in (0, size - 2 * piece):
                        file.seek(gap, os.SEEK_CUR)
                        file.write(random.integers(0x40, 0x7E, piece, dtype=np.uint8).tobytes())
                else:
                    file.seek(size, os.SEEK_CUR)
            file.truncate(file.tell())
        names.update(dict.fromkeys(entries, name))
        total += sum(size for _, _, size in entries.values())
    write_index(folder, names, total)
    write_config(folder, {"quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4",
                                                  "ignore": ["lm_head"]}})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--gib", type=float, default=4, help="bytes of weights, in GiB (default 4)")
    parser.add_argument("--sparse", choices=("fp8", "nvfp4"), help="about 700 GB, of which codes are holes")
    args = parser.parse_args()
    os.mkdir(args.folder)
    if args.sparse == "fp8":
        make_sparse(args.folder)
    elif args.sparse == "nvfp4":
        make_sparse_nvfp4(args.folder)
    else:
        make_dense(args.folder, args.gib)


main()
