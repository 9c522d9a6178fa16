"""Checkpoints as files: .safetensors (one or several), .gguf, .npy, and the texts next to them.

Facts: huggingface/safetensors, README (header, offsets, order); ggml-org/ggml, docs/gguf.md (GGUF 3); numpy,
numpy/lib/format.py (.npy 1.0)."""
import hashlib
import json
import os
import struct

import numpy as np

BITS = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F4": 4,
        "I64": 64, "I32": 32, "U32": 32, "I16": 16, "U16": 16, "I8": 8, "U8": 8, "BOOL": 8}


class Tensor:
    """A dtype, a shape and bytes. In GGUF the dtype is (name, number, elements per block, bytes per block)."""

    def __init__(self, dtype, shape, data):
        self.dtype, self.shape = dtype, list(shape)
        self.data = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()

    def array(self, dtype):
        return np.frombuffer(self.data, dtype).reshape(self.shape).copy()


class Checkpoint:
    """What a folder holds. `decoded`: the weights that it stands for, as fp32 arrays; `plain`: the names of those that
    are not quantized. `steps`: calls on the folder when all is written."""

    def __init__(self, kind="safetensors"):
        self.kind, self.file = kind, None
        self.tensors, self.decoded, self.plain = {}, {}, set()
        self.metadata, self.config, self.side = {"format": "pt"}, None, {}
        self.shards = 1
        self.steps = []

    def add(self, name, dtype, shape, data):
        assert name not in self.tensors, name
        self.tensors[name] = Tensor(dtype, shape, data)
        if self.kind == "safetensors":
            assert len(self.tensors[name].data) * 8 == int(np.prod(shape, dtype="i8")) * BITS[dtype], name

    def rename(self, old, new):
        self.tensors = {new if name == old else name: tensor for name, tensor in self.tensors.items()}


def safetensors(tensors, metadata):
    header = {"__metadata__": metadata} if metadata else {}
    at = 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [at, at + len(tensor.data)]}
        at += len(tensor.data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(t.data for t in tensors.values())


def in_order(tensors):
    """The order in which the library safetensors writes: widest dtypes first, then by name."""
    return dict(sorted(tensors.items(), key=lambda pair: (-BITS[pair[1].dtype], pair[0])))


def npy(array):
    header = f"{{'descr': '{array.dtype.str}', 'fortran_order': False, 'shape': {array.shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1") + array.tobytes()


def gguf(tensors, metadata, alignment=32):
    def text(value):
        return struct.pack("<Q", len(value.encode())) + value.encode()

    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    for key, value in metadata.items():
        out += text(key)
        if isinstance(value, str):
            out += struct.pack("<I", 8) + text(value)
        elif isinstance(value, float):
            out += struct.pack("<If", 6, value)
        else:
            out += struct.pack("<II", 4, value)
    at, data = 0, b""
    for name, tensor in tensors.items():
        out += text(name) + struct.pack("<I", len(tensor.shape))
        out += struct.pack(f"<{len(tensor.shape)}Q", *reversed(tensor.shape)) + struct.pack("<IQ", tensor.dtype[1], at)
        data += tensor.data + b"\0" * (-len(tensor.data) % alignment)
        at = len(data)
    return out + b"\0" * (-len(out) % alignment) + data


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value, indent=2) + "\n"


def split(checkpoint):
    """The tensors of each shard, in the order of the model: shards of about equal size."""
    total = sum(len(t.data) for t in checkpoint.tensors.values())
    parts, size = [{}], 0
    for name, tensor in checkpoint.tensors.items():
        if size * checkpoint.shards >= total * len(parts) and len(parts) < checkpoint.shards:
            parts.append({})
        parts[-1][name] = tensor
        size += len(tensor.data)
    return parts


def write(folder, checkpoint):
    """Writes it. Returns the path that is opened: the folder, or the one file in it."""
    os.makedirs(folder, exist_ok=True)

    def put(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    if checkpoint.config is not None:
        put("config.json", text_of(checkpoint.config).encode())
    for name, value in checkpoint.side.items():
        put(name, text_of(value).encode())
    if checkpoint.kind == "gguf":
        put(checkpoint.file, gguf(checkpoint.tensors, checkpoint.metadata))
    elif checkpoint.kind == "npy":
        put(checkpoint.file, npy(next(iter(checkpoint.decoded.values()))))
    elif checkpoint.shards == 1:
        put(checkpoint.file or "model.safetensors", safetensors(in_order(checkpoint.tensors), checkpoint.metadata))
    else:
        parts = split(checkpoint)
        names = [f"model-{n + 1:05}-of-{len(parts):05}.safetensors" for n in range(len(parts))]
        index = {"metadata": {"total_size": sum(len(t.data) for t in checkpoint.tensors.values())},
                 "weight_map": {}}
        for name, part in zip(names, parts):
            put(name, safetensors(in_order(part), checkpoint.metadata))
            index["weight_map"].update({tensor: name for tensor in part})
        index["weight_map"] = dict(sorted(index["weight_map"].items()))
        put("model.safetensors.index.json", text_of(index).encode())
    for step in checkpoint.steps:
        step(folder)
    return os.path.join(folder, checkpoint.file) if checkpoint.file else folder


def layout_of(checkpoint, name, layout):
    if name in checkpoint.plain:
        return ""
    return layout if isinstance(layout, str) else next(layout[part] for part in layout if part in name)


def describe(checkpoint, layout):
    """The decoded weights: layout, shape, and hash of the little-endian fp32 bytes."""
    return {name: {"layout": layout_of(checkpoint, name, layout), "shape": list(array.shape),
                   "sha256": hashlib.sha256(array.astype("<f4").tobytes()).hexdigest()}
            for name, array in checkpoint.decoded.items()}


def read_safetensors(path):
    """Reads a file that is known to be right: {name: (dtype, shape, bytes)}."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], entry["shape"], data[8 + size + entry["data_offsets"][0]:
                                                       8 + size + entry["data_offsets"][1]])
            for name, entry in header.items()}
