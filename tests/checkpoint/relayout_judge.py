"""`binade relayout` next to the model in Python: the values stay, lint finds nothing, and loaders take the result.

    relayout_judge.py FOLDER DECODED BINADE ...   FOLDER of make-checkpoint-fixtures.py; tests/checkpoint/decoded"""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import config_judge  # noqa: E402
from checkpoint_files import read_safetensors  # noqa: E402
from checks import check, conclude  # noqa: E402

folder, decoded, binade = sys.argv[1], sys.argv[2], sys.argv[3:]
out = os.path.join(folder, "out")
PAIRS = {"ct-fp8-block": "modelopt fp8", "ct-fp8-channel": "modelopt",
         "ct-fp8-moe": "modelopt", "ct-fp8-preset": "modelopt", "ct-fp8-weight-only": "modelopt",
         "ct-mxfp8": "modelopt",
         "fp8-block-deepseek-v3": "compressed-tensors modelopt", "fp8-block-qwen3": "compressed-tensors modelopt",
         "fp8-block-ue8m0": "compressed-tensors modelopt", "fp8-row-fbgemm": "compressed-tensors modelopt",
         "fp8-tensor-dynamic": "compressed-tensors", "modelopt-fp8-block": "compressed-tensors fp8",
         "modelopt-fp8-channel": "compressed-tensors", "modelopt-mxfp8": "compressed-tensors",
         "sglang-mxfp8": "compressed-tensors modelopt",
         # static input scales
         "comfy-fp8-old": "compressed-tensors fp8", "ct-fp8-tensor-static": "fp8 modelopt",
         "ct-nvfp4": "modelopt", "ct-nvfp4-moe": "modelopt", "fp8-tensor-static": "compressed-tensors modelopt",
         "modelopt-fp8": "compressed-tensors fp8", "modelopt-int8": "compressed-tensors",
         "modelopt-nvfp4-config": "compressed-tensors",
         # several schemes
         "deepseek-v4": "compressed-tensors", "modelopt-mixed": "compressed-tensors",
         "ct-mixed-static": "modelopt",
         # the same bytes in words
         "mlx-mxfp4": "compressed-tensors", "mlx-mxfp8": "compressed-tensors modelopt"}
MOVED = ("modelopt-nvfp4-config",)  # two scales of tensors are one ulp away: those values differ, and the status is 1


def judge(name, layout):
    with open(os.path.join(folder, "right", name + ".json"), encoding="utf-8") as file:
        path = os.path.join(folder, json.load(file)["path"])
    want = read_safetensors(os.path.join(folder, "right", name + ".decoded.safetensors"))
    shutil.rmtree(out, ignore_errors=True)
    what = f"{name} as {layout}"
    run = subprocess.run(binade + ["relayout", path, out, "--layout", layout], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    status = int(name in MOVED)
    check(run.returncode == status, f"{what}: {run.returncode} {run.stdout.decode()[:300]}")
    if run.returncode != status:
        return
    listed = subprocess.run([decoded, out, out + ".f32"], stdout=subprocess.PIPE, check=True).stdout.decode()
    at = 0
    with open(out + ".f32", "rb") as file:
        data = file.read()
    found = set()
    for line in listed.splitlines():
        _, weight, _, state, shape = line.split("\t")
        size = 4
        for n in shape.split():
            size *= int(n)
        if state == "decoded":
            check(name in MOVED or weight not in want or data[at:at + size] == want[weight][2],
                  f"{what}: {weight} has the same values")
            found.add(weight)
            at += size
    check(set(want) <= found, f"{what}: all weights are there: {sorted(set(want) - found)[:3]}")
    problems = config_judge.judge_folder(out)
    check(not problems, f"{what}: the loader takes it: {problems[:3]}")
    run = subprocess.run(binade + ["lint", out], stdout=subprocess.PIPE, check=False)
    check(run.returncode == 0, f"{what}: lint finds nothing: {run.stdout.decode()[:300]}")


REFUSED = (  # the message says why, and what to do instead
    ("gpt-oss", "compressed-tensors", "rows of gate and up in turn", "quantizing to bf16"),
    ("gpt-oss-original", "modelopt", "rows of gate and up in turn", "quantizing to bf16"),
    ("gguf-mxfp4", "compressed-tensors", "other names of tensors", "start from the .safetensors"),
    ("gguf-q8_0", "modelopt", "other names of tensors", "start from the .safetensors"),
    ("mlx", "compressed-tensors", "biases", "quantizing to bf16"),
    ("mlx-nvfp4", "compressed-tensors", "no other layout can be written", "quantizing to bf16"),
    ("ct-pack-int4", "modelopt", "words of 32 bits", "quantizing to bf16"),
    ("ct-int8-group", "modelopt", "no other layout can be written", "quantizing to bf16"),
    ("comfy-nvfp4", "modelopt", "a note of ComfyUI's", "quantizing to bf16"),
    ("ct-mixed", "modelopt", "cannot mix FP8_PER_CHANNEL_PER_TOKEN with others"),
    ("deepseek-v4", "fp8", "(available: compressed-tensors)"),
    ("plain-npy", "fp8", "expected .safetensors files"))


def judge_refusal(name, layout, words):
    with open(os.path.join(folder, "right", name + ".json"), encoding="utf-8") as file:
        path = os.path.join(folder, json.load(file)["path"])
    shutil.rmtree(out, ignore_errors=True)
    run = subprocess.run(binade + ["relayout", path, out, "--layout", layout], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    said = run.stdout.decode()
    check(run.returncode == 2 and all(word in said for word in words), f"{name} as {layout}: {run.returncode} {said}")
    check(not os.path.exists(out), f"{name} as {layout}: nothing is left behind")
    if "quantizing to bf16" in words:
        run = subprocess.run(binade + ["quantize", path, out, "--to", "bf16"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
        check(run.returncode == 0, f"{name}: what the message says can be done: {run.stdout.decode()[:200]}")


def judge_damage(name):
    """Scales that are NaN, infinite, negative or zero: `binade diff` says what it finds, and ends."""
    paths = [os.path.join(folder, "damaged", name), os.path.join(folder, "right", "plain-bf16-sharded")]
    run = subprocess.run(binade + ["diff", *paths], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    check(run.returncode in (0, 1), f"{name} and plain-bf16-sharded: {run.returncode} {run.stdout.decode()[:300]}")


for damaged in ("nan-ct-fp8-channel", "nan-modelopt-nvfp4", "infinite-fp8-block", "negative-fp8-tensor",
                "zero-fp8-block", "zero-global-scale-ct", "e8m0-as-number-ct-mxfp4"):
    judge_damage(damaged)
for name_, layouts in PAIRS.items():
    for layout_ in layouts.split():
        judge(name_, layout_)
for name_, layout_, *words_ in REFUSED:
    judge_refusal(name_, layout_, words_)
conclude()
