"""What the tests of runs, costs and checkpoints share: the command's answer, and checkpoints that are made here."""
import json
import math
import os
import struct
import subprocess
import tempfile
import unittest

BINADE = os.environ.get("BND_COMMAND") or os.path.join(os.environ.get("BND_BUILD", "build"), "binade")
SIZES = {"F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "U8": 1, "I64": 8, "F64": 8}


def command(*words, codes=(0, 1)):
    """What the command prints with --json."""
    made = subprocess.run([BINADE, *map(str, words), "--json"], capture_output=True, text=True, check=False)
    if made.returncode not in codes:
        raise AssertionError(f"binade {' '.join(map(str, words))}: {made.stderr}")
    return json.loads(made.stdout)


def plain(value):
    """A result as JSON has it: null for what is not finite."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def safetensors(path, tensors, metadata=None):
    """Writes tensors: name -> (dtype, shape, bytes)."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def numbers(count, seed=1):
    """Numbers in [-2, 2) as bf16, from a fixed sequence."""
    codes = []
    for _ in range(count):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        code = seed >> 33
        codes.append(0x3F80 - (code % 700) | (code >> 20 & 1) << 15)
    return struct.pack(f"<{count}H", *codes)


def model(folder, rows=64, columns=128):
    """A model of one layer in bf16, with a config."""
    os.makedirs(folder)
    names = [f"model.layers.0.self_attn.{p}_proj.weight" for p in "qkvo"]
    names += [f"model.layers.0.mlp.{p}_proj.weight" for p in ("gate", "up")]
    tensors = {name: ("BF16", [rows, columns], numbers(rows * columns, i + 1)) for i, name in enumerate(names)}
    tensors["model.norm.weight"] = ("BF16", [columns], numbers(columns, 99))
    safetensors(os.path.join(folder, "model.safetensors"), tensors, {"format": "pt"})
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_type": "llama", "torch_dtype": "bfloat16"}, file)
    return folder


class Case(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.folder = made.name

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def refuses(self, words, function, *arguments, **options):
        """A sentence with these words is raised."""
        with self.assertRaises((ValueError, TypeError, KeyError, OSError)) as caught:
            function(*arguments, **options)
        self.assertIn(words, str(caught.exception))
