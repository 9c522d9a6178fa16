"""Compares what the library makes of the fixtures with the model that made them: which weights there are, the layout
and shape of each, and every bit of the decoded values; of damaged files, the words for the damage.

    weights_judge.py FOLDER PROGRAM ...     FOLDER of make-checkpoint-fixtures.py; tests/checkpoint/decoded"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checkpoint_files import read_safetensors  # noqa: E402
from checks import check, conclude  # noqa: E402

folder, program = sys.argv[1], sys.argv[2:]
layouts = set()
# Tensors that are no part of a weight: scales of the KV cache, ComfyUI's older marker.
OTHERS = (".k_scale", ".v_scale", "scaled_fp8")
UNDECODED = ("mlx", "ct-pack-int4-zero-points")  # may be found and not decoded
FILES = ("shard-", "index-", "tensor-", "f4-")


def ask(path):
    """(status, damage words, {name: (layout, decoded, shape)}, {name: bytes})"""
    out = os.path.join(folder, "decoded")
    run = subprocess.run(program + [os.path.join(folder, path), out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         check=False)
    damage, weights, values = [], {}, {}
    at = 0
    data = b""
    if run.returncode == 0:
        with open(out, "rb") as file:
            data = file.read()
    for line in run.stdout.decode().splitlines():
        kind, *rest = line.split("\t")
        if kind == "damage":
            damage.append(rest[0])
            continue
        name, layout, state, shape = rest
        shape = [int(n) for n in shape.split()]
        weights[name] = (layout, state, shape)
        if state == "decoded":
            size = 4
            for n in shape:
                size *= n
            values[name] = data[at:at + size]
            at += size
    return run.returncode, damage, weights, values, run.stderr.decode()


def judge_layouts(path, found):
    """Every row of layouts.def is met by a fixture."""
    with open(path, encoding="utf-8") as file:
        rows = set(re.findall(r'^LAYOUT\("([^"]+)"', file.read(), re.M))
    check(rows <= found and len(rows) > 40, f"every layout has a fixture; without: {sorted(rows - found)}")


def judge_right(name):
    with open(os.path.join(folder, "right", name + ".json"), encoding="utf-8") as file:
        expected = json.load(file)
    status, damage, weights, values, message = ask(expected["path"])
    check(status == 0 and not damage, f"{name} opens without damage: {status} {damage} {message}")
    want = read_safetensors(os.path.join(folder, "right", name + ".decoded.safetensors"))
    for weight, entry in expected["weights"].items():
        if weight not in weights:
            check(False, f"{name} has the weight {weight}; it has {sorted(set(weights) - set(want))[:4]}")
            continue
        layout, state, shape = weights[weight]
        layouts.add(layout)
        check((layout, shape) == (entry["layout"], entry["shape"]),
              f"{name} {weight}: {layout} {shape}, want {entry['layout']} {entry['shape']}")
        if state == "decoded" or name not in UNDECODED or layout == "":
            same = values.get(weight) == want[weight][2]
            check(same, f"{name} {weight} ({layout}) has the model's values: {state}")
    more = [weight for weight in weights if weight not in want and not weight.endswith(OTHERS)]
    check(not more, f"{name} has no other weights: {more[:4]}")


def judge_damaged(name):
    with open(os.path.join(folder, "damaged", name + ".json"), encoding="utf-8") as file:
        expected = json.load(file)
    status, damage, _, _, message = ask(expected["path"])
    check(status in (0, 2), f"{name} ends with {status}: {message}")
    for finding in expected["findings"]:
        words = finding.split("|")
        if words[0].startswith(FILES):
            check(any(word in damage for word in words) or ("refused" in words and status == 2),
                  f"{name} is called {words}: {damage} {message}")


def names(kind):
    return sorted(name[:-5] for name in os.listdir(os.path.join(folder, kind)) if name.endswith(".json"))


for right in names("right"):
    judge_right(right)
here = os.path.dirname(os.path.abspath(__file__))
judge_layouts(os.path.join(here, "../../src/files/checkpoint/layouts.def"), layouts)
for damaged in names("damaged"):
    judge_damaged(damaged)
conclude()
