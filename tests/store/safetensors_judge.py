"""A reader and a writer of .safetensors of its own, from the format's description, on json and numpy: what it writes,
our reader reads and our writer writes again, and it finds the same arrays and texts there."""
import json
import os
import struct
import subprocess

import numpy as np

from checks import check, conclude

THROUGH = os.environ["BND_THROUGH"].split()
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U64": "<u8",
          "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?", "C64": "<c8"}


def save(path, arrays, metadata, padding=0, **dumps):
    header, data = {"__metadata__": metadata} if metadata is not None else {}, b""
    for name, (dtype, array) in arrays.items():
        piece = array.tobytes()
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header, **dumps).encode() + b" " * padding
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def load(path):
    with open(path, "rb") as file:
        raw = file.read()
    (length,) = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8 : 8 + length].decode()), raw[8 + length :]
    metadata, arrays, end = header.pop("__metadata__", {}), {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        first, last = entry["data_offsets"]
        dtype = DTYPES[entry["dtype"]]
        check(first == end and first % np.dtype(dtype).itemsize == 0, f"{name} stands where it should")
        arrays[name] = (entry["dtype"], np.frombuffer(data[first:last], dtype).reshape(entry["shape"]))
        end = last
    check(end == len(data) and length % 8 == 0, f"{path} is covered, its data at a multiple of 8")
    return arrays, metadata


def through(arrays, metadata, what, **how):
    save("in.safetensors", arrays, metadata, **how)
    done = subprocess.run([*THROUGH, "in.safetensors", "out.safetensors"], capture_output=True, check=False)
    check(done.returncode == 0, f"{what} is read: {done.stderr.decode()}")
    if done.returncode == 0:
        got, texts = load("out.safetensors")
        same = all(dtype == got[name][0] and array.shape == got[name][1].shape
                   and array.tobytes() == got[name][1].tobytes()
                   for name, (dtype, array) in arrays.items())
        check(got.keys() == arrays.keys() and same and texts == (metadata or {}), f"{what} is the same behind it")


random = np.random.default_rng(9)
shapes = [(), (0,), (1,), (7,), (3, 0, 2), (5, 4), (2, 3, 4, 5)]
everything = {}
for dtype, kind in DTYPES.items():
    for shape in shapes:
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize
        raw = random.integers(0, 2 if dtype == "BOOL" else 256, size, "u1")
        everything[f"{dtype}.{shape}"] = (dtype, raw.view(kind).reshape(shape))
through({}, None, "nothing")
through({}, {"only": "texts"}, "metadata alone")
through(everything, {"step": "1000", "scale": "65536.0"}, "every dtype and shape")
through(everything, None, "an indented header", indent=1)
through(everything, {}, "a compact header with blanks behind it", separators=(",", ":"), padding=13)
odd = {name: ("U8", np.arange(3, dtype="u1"))
       for name in ["", " ", "a\"b\\c/d", "\t\n\x1f\x7f", "\u00e9\u20ac\U0001f600", "\u2028"]}
through(odd, {name: name[::-1] for name in odd}, "names of any characters")
through(odd, {name: name for name in odd}, "the same, not escaped", ensure_ascii=False)
conclude()
