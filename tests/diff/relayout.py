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


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def write_nvfp4(path, seconds, inputs):
    """ModelOpt's NVFP4: weights of 32 x 64 with these scales of tensors and inputs."""
    header, data = {}, b""
    for i, numbers in enumerate(zip(seconds, inputs)):
        parts = (("weight", "U8", [32, 32], bytes(i + k * 7 & 255 for k in range(1024))),
                 ("weight_scale", "F8_E4M3", [32, 4], bytes(48 + k % 16 for k in range(128))),
                 ("weight_scale_2", "F32", [], struct.pack("<f", numbers[0])),
                 ("input_scale", "F32", [], struct.pack("<f", numbers[1])))
        for part, dtype, shape, content in parts:
            header[f"model.layers.{i}.mlp.up_proj.{part}"] = {
                "dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
            data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def one_ulp(binade, folder):
    """Scales with 1 / (1 / x) != x are one ulp away in compressed-tensors: the command says how many, and goes back."""
    comes_back = lambda x: f32(1 / f32(1 / x)) == x
    moved = [x for x in (f32(1e-4 + i * 1e-7) for i in range(200)) if not comes_back(x)]
    kept = [x for x in (f32(2e-4 + i * 1e-7) for i in range(200)) if comes_back(x)]
    path, there, back = (os.path.join(folder, name + ".safetensors") for name in ("ulp", "ulp-there", "ulp-back"))
    write_nvfp4(path, [moved[0], kept[0], moved[1], kept[1]], [kept[2], moved[2], kept[3], kept[4]])
    said = run(binade, "relayout", path, there, "--layout", "compressed-tensors")
    wrong = []
    for text in ("second-level scale moved in 2 of 4:", "4 weights, of which 2 decode to the same values",
                 "static input scales: 4, of which 3 are the same"):
        if said.returncode != 1 or text not in said.stdout:
            wrong.append(f"does not say '{text}' with status 1: {said.returncode} {said.stdout} {said.stderr}")
    if wrong:
        return wrong
    before, after = read(path)[0], read(there)[0]
    for i in range(4):
        at = f"model.layers.{i}.mlp.up_proj."
        for ours, theirs, far in (("weight_scale_2", "weight_global_scale", i in (0, 2)),
                                  ("input_scale", "input_global_scale", i == 1)):
            x = struct.unpack("<f", before[at + ours][2])[0]
            y = f32(1 / struct.unpack("<f", after[at + theirs][2])[0])
            if abs(bits(x) - bits(y)) != far:
                wrong.append(f"{at}{ours}: {x!r} became the reciprocal of {y!r}")
    run(binade, "relayout", there, back, "--layout", "modelopt")
    if read(back) != read(path):
        wrong.append("scales that moved do not come back")
    return wrong


def main():
    binade, folder = sys.argv[1:]
    ulp = one_ulp(binade, folder)
    pairs, failed, refused = {}, 0, 0
    for text in ulp:
        print(f"one ulp: {text}")
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
    static = ("compressed-tensors/nvfp4 -> modelopt/nvfp4", "modelopt/nvfp4 -> compressed-tensors/nvfp4",
              "compressed-tensors/fp8-tensor -> modelopt/fp8-tensor", "modelopt/fp8-tensor -> fp8/tensor")
    static += ("deepseek/fp8-block -> compressed-tensors/fp8-block", "mlx/mxfp4 -> compressed-tensors/mxfp4",
               "mlx/mxfp8 -> modelopt/mxfp8")
    missing = [pair for pair in static if pair not in pairs]
    if missing:
        print(f"refused: {', '.join(missing)}")
    sys.exit(failed > 0 or len(pairs) < 30 or bool(ulp or missing))


main()
