"""relayout.py BINADE FOLDER: `binade relayout` there and back of the checkpoints in FOLDER/right."""
import glob
import json
import os
import shutil
import struct
import subprocess
import sys

FAMILIES = ("compressed-tensors", "fp8", "modelopt")


def read(path):
    """Tensors in the order of the data, metadata, and the texts of configs."""
    files = [path] if path.endswith(".safetensors") else sorted(glob.glob(os.path.join(path, "*.safetensors")))
    tensors, metadata, texts = {}, {}, {}
    for name in files:
        with open(name, "rb") as file:
            data = file.read()
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + size])
        metadata.update(header.pop("__metadata__", {}))
        for tensor, entry in header.items():
            begin, end = entry["data_offsets"]
            tensors[tensor] = (entry["dtype"], entry["shape"], data[8 + size + begin:8 + size + end])
    for name in ("config.json", "hf_quant_config.json"):
        at = os.path.join(path, name)
        if os.path.exists(at):
            with open(at, "rb") as file:
                texts[name] = file.read()
    return tensors, metadata, texts


def run(binade, *words):
    return subprocess.run([binade, *words], capture_output=True, text=True, check=False)


def layout_families(binade, path):
    asked = run(binade, "diff", path, path, "--no-explain", "--json")
    if asked.returncode != 0:
        return set()  # GGUF and .npy
    answer = json.loads(asked.stdout)
    return {w["a"].split("/")[0] for w in answer["list"] if "/" in w["a"]}


def complaints(binade, path, there, back, family, own):
    first = run(binade, "relayout", path, there, "--layout", family, "--json")
    if first.returncode not in (0, 1):
        return None, first.stderr.strip()
    said = json.loads(first.stdout)
    wrong = []
    if first.returncode == 1 and said["second_scales_moved"] + said["input_scales_moved"] == 0:
        wrong.append("values differ without a reason")
    if first.returncode == 0 and said["second_scales_moved"] + said["input_scales_moved"] != 0:
        wrong.append("nothing differs although scales moved")
    if {f for f in layout_families(binade, there)} != {family}:
        wrong.append(f"is recognised as {layout_families(binade, there)}")
    second = run(binade, "relayout", there, back, "--layout", own, "--json")
    if second.returncode not in (0, 1):
        wrong.append(f"relayout back: {second.stderr.strip()}")
        return wrong, said
    before, after = read(path), read(back)
    if before[0] != after[0]:
        names = [n for n in before[0] if before[0][n] != after[0].get(n)] + [n for n in after[0] if n not in before[0]]
        wrong.append(f"other tensors: {names[:3]}")
    for which, a, b in (("metadata", before[1], after[1]), ("configs", before[2], after[2])):
        if a != b:
            wrong.append(f"other {which}: {sorted(a)} and {sorted(b)}")
    return wrong, said


def main():
    binade, folder = sys.argv[1:]
    pairs, failed, refused = {}, 0, 0
    for entry in sorted(glob.glob(os.path.join(folder, "right", "*"))):
        if entry.endswith(".json") or not (os.path.isdir(entry) or entry.endswith(".safetensors")):
            continue
        own = layout_families(binade, entry)
        for family in FAMILIES:
            if len(own) != 1 or family in own:
                continue
            one = os.path.isfile(entry)
            there, back = (os.path.join(folder, name + (".safetensors" if one else "")) for name in ("there", "back"))
            wrong, said = complaints(binade, entry, there, back, family, next(iter(own)))
            for path in (there, back):
                shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
            if wrong is None:
                refused += 1
                continue
            pair = f"{said['from']} -> {said['to']}"
            pairs[pair] = pairs.get(pair, 0) + 1
            for text in wrong:
                print(f"{os.path.basename(entry)}, {pair}: {text}")
            failed += bool(wrong)
    for pair, count in sorted(pairs.items()):
        print(f"{pair}: {count}")
    print(f"{sum(pairs.values()) - failed} passed, {failed} failed; {refused} refused; {len(pairs)} pairs")
    sys.exit(failed > 0 or len(pairs) < 8)


main()
