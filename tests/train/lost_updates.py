"""Lost updates of weights in bf16, against a model of the update in numpy that shares no code with the library.

An update is what a step asks of a weight in all: AdamW's change and the decay. It is lost where the stored weight is
what it was. The share must not depend on whether there is a decay that is far smaller than the change, and must be the
model's: within a tenth, at three learning rates. BND_COMMAND is the command."""
import json
import os
import struct
import subprocess
import sys

import numpy as np

COMMAND = os.environ["BND_COMMAND"].split()
STEPS, BETA1, BETA2, EPSILON, DECAY = 20, 0.9, 0.999, 1e-8, 0.01
ROW = ["train", "--model", "mlp", "--steps", str(STEPS), "--batch", "32", "--validate", "1", "--statistics", "none",
       "--optimizer", "adamw", "--progress", "never"]
failed = 0


def run(*arguments):
    return subprocess.run([*COMMAND, *ROW, *arguments], check=True, capture_output=True, text=True).stdout


def read(path):
    """The arrays of a .safetensors."""
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack("<Q", data[:8])
    kinds = {"F32": np.float32, "I32": np.int32}
    arrays = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            first, last = (8 + size + offset for offset in entry["data_offsets"])
            arrays[name] = np.frombuffer(data[first:last], kinds[entry["dtype"]]).reshape(entry["shape"]).copy()
    return arrays


def to_bf16(x, noise):
    """Float64 to bf16, as float32: to the nearest, ties to even, or up with a chance of what is cut off."""
    exact = np.abs(x)
    _, exponent = np.frexp(np.where(exact > 0, exact, 1))
    step = np.ldexp(1.0, np.maximum(exponent - 8, -133))
    units = exact / step
    low = np.floor(units)
    rounded = np.rint(units) if noise is None else low + (noise.random(x.shape) < units - low)
    return np.copysign(rounded * step, x).astype(np.float32)


def gradients(w, x, target):
    """Of the mean cross-entropy of a perceptron with ReLU."""
    layers = len(w) // 2
    inputs = [x.astype(np.float64)]
    for i in range(layers):
        y = inputs[-1] @ w[f"layers.{i}.weight"].astype(np.float64).T + w[f"layers.{i}.bias"]
        inputs.append(np.maximum(y, 0) if i + 1 < layers else y)
    chances = np.exp(inputs[-1] - inputs[-1].max(axis=1, keepdims=True))
    d = chances / chances.sum(axis=1, keepdims=True)
    d[np.arange(len(target)), target] -= 1
    d /= len(target)
    found = {}
    for i in reversed(range(layers)):
        found[f"layers.{i}.weight"], found[f"layers.{i}.bias"] = d.T @ inputs[i], d.sum(axis=0)
        d = (d @ w[f"layers.{i}.weight"].astype(np.float64)) * (inputs[i] > 0)
    return found


def model(rate, decay, stochastic):
    """The share of lost updates over all steps."""
    noise = np.random.default_rng(1) if stochastic else None
    batches = read("batches.safetensors")
    w = {name: to_bf16(x.astype(np.float64), None) for name, x in read("init.safetensors").items()}
    m, v = {name: 0.0 for name in w}, {name: 0.0 for name in w}
    updates = lost = 0
    for step in range(STEPS):
        for name, g in gradients(w, batches["x"][step], batches["y"][step]).items():
            m[name] = BETA1 * m[name] + (1 - BETA1) * g
            v[name] = BETA2 * v[name] + (1 - BETA2) * g * g
            mean, spread = m[name] / (1 - BETA1 ** (step + 1)), np.sqrt(v[name] / (1 - BETA2 ** (step + 1)))
            old = w[name].astype(np.float64)
            asked = -rate * mean / (spread + EPSILON) - (rate * decay * old if name.endswith("weight") else 0)
            w[name] = to_bf16(old + asked, noise)
            updates += np.count_nonzero(asked)
            lost += np.count_nonzero((asked != 0) & (w[name] == old))
    return lost / updates


def share(recipe, rate, decay):
    out = run("--recipe", recipe, "--lr", str(rate), "--wd", str(decay), "--json")
    row = next(row for row in json.loads(out)["recipes"] if row["recipe"] != "fp32")
    return row["lost_updates_percent"] / 100


def check(one, other, what):
    global failed
    holds = abs(one / other - 1) <= 0.02
    failed += not holds
    if not holds:
        print(f"{what}: {one:.4f} and {other:.4f} differ by more than 2 %")


run("--recipe", "fp32", "--dump-init", "init.safetensors", "--dump-batches", "batches.safetensors")
for rate in (1e-3, 3e-4, 1e-4):
    for recipe, stochastic in (("bf16-sr", True), ("param=bf16:sr", True), ("base=bf16-pure,optimizer=fused", False),
                               ("param=bf16,optimizer=fused", False)):
        without, decayed = share(recipe, rate, 0), share(recipe, rate, DECAY)
        there = model(rate, DECAY, stochastic)
        if "-v" in sys.argv:
            print(f"{rate:g} {recipe:32} --wd 0: {without:.4f}   --wd {DECAY}: {decayed:.4f}   numpy: {there:.4f}")
        check(decayed, without, f"{recipe} at {rate:g}, with and without decay")
        check(decayed, there, f"{recipe} at {rate:g}, here and in numpy")
sys.exit(failed > 0)
