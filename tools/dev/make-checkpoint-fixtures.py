#!/usr/bin/env python3
"""Writes small checkpoints of every layout: right ones, damaged ones, and ones made by many rules.

    tools/dev/make-checkpoint-fixtures.py FOLDER [right|damaged|provenance ...]

FOLDER/right/NAME is a checkpoint and FOLDER/right/NAME.json says what is in it: `path` (relative to FOLDER: what to
open), `sources`, `notes` (codes that `binade lint` may give as notes), and `weights`, with layout, shape and SHA-256 of
the fp32 bytes. FOLDER/right/NAME.decoded.safetensors holds the weights in fp32. FOLDER/damaged has the same without
decoded weights; there, `findings` are the codes that `binade lint` must give, `of` is the right checkpoint, and
`source` the report of such damage. FOLDER/provenance has one model in bf16, `base`, and quantized in many ways;
FOLDER/provenance.json says how. Everything is deterministic. Needs numpy (Debian: python3-numpy).

The model is in tests/checkpoint: small_formats.py has the numbers, layouts.py and rare_layouts.py the layouts,
damages.py the damage, provenance.py the ways to quantize."""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "checkpoint"))
import checkpoint_files as files  # noqa: E402
import damages  # noqa: E402
import layouts  # noqa: E402
import provenance  # noqa: E402
import rare_layouts  # noqa: E402,F401


def save(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")


def make_right(folder):
    for name, (make, layout, sources, notes) in layouts.RIGHT.items():
        checkpoint = make()
        at = os.path.join(folder, "right", name)
        path = files.write(at, checkpoint)
        weights = {key: files.Tensor("F32", array.shape, array.astype("<f4"))
                   for key, array in checkpoint.decoded.items()}
        with open(at + ".decoded.safetensors", "wb") as file:
            file.write(files.safetensors(weights, {}))
        save(at + ".json", {"path": os.path.relpath(path, folder), "sources": list(sources), "notes": list(notes),
                            "findings": [], "weights": files.describe(checkpoint, layout)})


def make_damaged(folder):
    for name, (make, of, findings, source) in damages.DAMAGED.items():
        checkpoint = layouts.RIGHT[of][0]()
        make(checkpoint)
        at = os.path.join(folder, "damaged", name)
        path = files.write(at, checkpoint)
        save(at + ".json", {"path": os.path.relpath(path, folder), "of": of, "findings": list(findings),
                            "notes": list(layouts.RIGHT[of][3]), "source": source})


def make_provenance(folder):
    rows = []
    for name, make, made in provenance.all_ways():
        files.write(os.path.join(folder, "provenance", name), make())
        rows.append(dict(made, name=name))
    save(os.path.join(folder, "provenance.json"), rows)


KINDS = {"right": make_right, "damaged": make_damaged, "provenance": make_provenance}


def main():
    if len(sys.argv) < 2 or any(kind not in KINDS for kind in sys.argv[2:]):
        sys.exit(__doc__.split("\n\n")[1])
    for kind in sys.argv[2:] or KINDS:
        os.makedirs(os.path.join(sys.argv[1], kind), exist_ok=True)
        KINDS[kind](sys.argv[1])


if __name__ == "__main__":
    main()
