"""The code of doc/reference/random-bits.md is run, and gives the numbers of the library and of `binade train`."""
import ctypes
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

top, build = sys.argv[1:3]
page = open(os.path.join(top, "doc", "reference", "random-bits.md"), encoding="utf-8").read()
code = {}
blocks = re.findall(r"```python\n(.*?)```", page, re.S)
assert len(blocks) == 4, "the page has %d blocks of code" % len(blocks)
exec("\n".join(blocks), code)
failures = 0


def check(what, wrong, count):
    global failures
    failures += wrong > 0
    print("%s: %d numbers, %d differ" % (what, count, wrong))


# ---- the formula ----

library = ctypes.CDLL(os.environ["BINADE_LIBRARY"])
library.bnd_random.restype = library.bnd_random_bits.restype = ctypes.c_uint64
u64 = ctypes.c_uint64
wrong = [0, 0]
for i in range(3000):
    seed, purpose, element = (code["random"](1, 2, 3 * i + k) >> (i % 61) for k in range(3))
    bits = 1 + i % 64
    wrong[0] += library.bnd_random(u64(seed), u64(purpose), u64(element)) != code["random"](seed, purpose, element)
    element %= 1 << 60
    mine = code["random_bits"](seed, purpose, element, bits)
    wrong[1] += library.bnd_random_bits(u64(seed), u64(purpose), u64(element), ctypes.c_uint(bits)) != mine
check("bnd_random", wrong[0], 3000)
check("bnd_random_bits", wrong[1], 3000)


# ---- what a run starts from and sees ----


def read(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header, data = json.loads(data[8 : 8 + length]), data[8 + length :]
    kinds = {"F32": "f", "I32": "i", "I64": "q"}
    out = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        kind = kinds[entry["dtype"]]
        out[name] = list(struct.unpack("<%d%s" % ((end - begin) // struct.calcsize(kind), kind), data[begin:end]))
    return out


def train(folder, *options):
    files = [os.path.join(folder, name) for name in ("weights.safetensors", "batches.safetensors")]
    command = [os.path.join(build, "binade"), "train", "--recipe", "fp32", "--width", "16", "--batch", "3", "--steps",
               "2", "--seed-init", "5", "--seed-data", "6", "--csv", "--dump-init", files[0], "--dump-batches", files[1],
               *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return read(files[0]), read(files[1])


def to_fp32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def parameters(depth):
    names = ["tokens", "positions"]
    for block in range(depth):
        for part in ("norm1", "qkv", "projection", "norm2", "up", "down"):
            kinds = ("gain", "bias") if part.startswith("norm") else ("weight", "bias")
            names += ["blocks.%d.%s.%s" % (block, part, kind) for kind in kinds]
    return names + ["norm.gain", "norm.bias", "head"]


def check_weights(weights):
    differ = far = count = 0
    names = parameters(2)
    assert sorted(names) == sorted(weights)
    for n, name in enumerate(names):
        narrow = name.endswith("projection.weight") or name.endswith("down.weight")
        deviation = 0.02 / 4**0.5 if narrow else 0.02
        for i, x in enumerate(weights[name]):
            if name.endswith("bias") or name.endswith("gain"):
                mine = 1.0 if name.endswith("gain") else 0.0
            else:
                mine = to_fp32(code["weight"](5, n, i, deviation))
            differ += mine != x
            far += abs(mine - x) > 2**-23 * abs(x)
            count += 1
    check("initial weights", far, count)
    # The logarithm of the C library may differ in the last bit of fp64: that reaches fp32 rarely.
    check("initial weights, to the bit (1 in 10,000 may differ)", differ if differ > count // 10000 else 0, count)


def check_text(batches, rows):
    x = [s for row in rows for s in row[:-1]]
    y = [s for row in rows for s in row[1:]]
    check("x", sum(a != b for a, b in zip(x, batches["x"])) + abs(len(x) - len(batches["x"])), len(x))
    check("y", sum(a != b for a, b in zip(y, batches["y"])) + abs(len(y) - len(batches["y"])), len(y))


transformer = ("--depth", "2", "--heads", "2", "--context", "9")
with tempfile.TemporaryDirectory() as folder:
    for source, v in (("copy", 16), ("chain", 32)):
        print("source " + source)
        weights, batches = train(folder, *transformer, "--source", source)
        chain = code["chain_of"](6, v)
        check_weights(weights)
        check_text(batches, [code["symbols"](chain, 6, 2 << 48 | step, row, 9, source == "copy")
                             for step in range(2) for row in range(3)])
    print("a text")
    text = os.path.join(folder, "text")
    tokens = [(i * i + i // 7) % 251 for i in range(500)]
    open(text, "wb").write(bytes(tokens))
    _, batches = train(folder, *transformer, "--data", text)
    starts = [code["window"](6, 2 << 48 | step, row, 9, 450) for step in range(2) for row in range(3)]
    check("start", sum(a != b for a, b in zip(starts, batches["start"])), len(starts))
    check_text(batches, [tokens[start : start + 10] for start in starts])
    print("linear")
    _, batches = train(folder, "--model", "linear")
    mine = [to_fp32(code["normal"](6, 2 << 48 | step, i, 1)) for step in range(2) for i in range(48)]
    check("x", sum(abs(a - b) > 2**-23 * abs(b) for a, b in zip(mine, batches["x"])), len(mine))
sys.exit(failures > 0)
