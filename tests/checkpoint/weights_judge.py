"""The model of tests/checkpoint as the judge of weights: every weight of every right checkpoint has its layout, its shape
and, bit for bit, its values; every damaged one can be opened, or is refused.

weights_judge.py FOLDER PROGRAM...: a folder of make-checkpoint-fixtures.py, and weights_through."""

import json
import os
import subprocess
import sys

import checkpoint_files as files


def fnv1a(data):
    """The hash of weights_through.c."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return "%016x" % value


def through(program, paths):
    """What the program prints: path -> list of lines of fields."""
    out = subprocess.run(program + paths, stdout=subprocess.PIPE, check=False).stdout.decode()
    found, here = {}, None
    for line in out.splitlines():
        if line.startswith("checkpoint "):
            here = found.setdefault(line[len("checkpoint "):], [])
        else:
            here.append(line.split("\t"))
    return found


def check_right(folder, name, lines):
    """Complaints about one right checkpoint."""
    with open(os.path.join(folder, "right", name + ".json"), encoding="utf-8") as file:
        expected = json.load(file)["weights"]
    decoded = files.read_safetensors(os.path.join(folder, "right", name + ".decoded.safetensors"))
    found = {fields[0]: fields[1:] for fields in lines}
    for weight, facts in sorted(expected.items()):
        if weight not in found:
            yield "%s: %s is not found" % (name, weight)
            continue
        layout, shape, value = found[weight]
        if layout != (facts["layout"] or "-"):
            yield "%s: %s: layout %s; expected %s" % (name, weight, layout, facts["layout"] or "-")
        if shape != ",".join(map(str, facts["shape"])):
            yield "%s: %s: shape %s; expected %s" % (name, weight, shape, facts["shape"])
        if value != fnv1a(decoded[weight][2]):
            yield "%s: %s: %s; its values hash to %s" % (name, weight, value, fnv1a(decoded[weight][2]))


def main():
    folder, program = sys.argv[1], sys.argv[2:]
    names = sorted(n[:-5] for n in os.listdir(os.path.join(folder, "right")) if n.endswith(".json"))
    paths = {}
    for name in names:
        with open(os.path.join(folder, "right", name + ".json"), encoding="utf-8") as file:
            paths[name] = os.path.join(folder, json.load(file)["path"])
    found = through(program, list(paths.values()))
    bad = [why for name in names for why in check_right(folder, name, found.get(paths[name], []))]
    print("\n".join(bad))
    print("%d checkpoints, %d complaints" % (len(names), len(bad)))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
