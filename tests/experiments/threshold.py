"""Gradients and their quantization noise while a model is trained in FP4, for threshold.sh (arXiv 2505.19115).

Everything is measured through the command: a step of plain gradient descent with a rate of 1 from given weights changes
them by minus the gradient, in fp32. After STEPS steps of each recipe: g is the fp32 gradient of 512 sequences, which
stands for the gradient of the expected loss; the noise is a recipe's gradient minus fp32's, of the same 16 sequences, for
four seeds of rounding.

Rows "ratio|recipe|step|loss|length of g|rms length of the noise|their ratio|share of the noise that is the same for all
seeds", and "share|step|ratio|measured|predicted": how far the loss falls in the best step along g plus noise that is
scaled to this ratio, as a share of the best step along g. Where the curvature is the same in all directions the share is
r^2 / (1 + r^2): the paper's threshold, the square root of 3, is where this is 3/4 and has its turning point in the noise."""
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

MODEL = "--model transformer --width 32 --depth 2 --context 16 --statistics none -j 1".split()
SEEDS, BATCH = 4, 512
ratios = (1, 3 ** 0.5, 4)


def train(out, *options):
    done = subprocess.run([os.environ["BND_BINADE"], "train", *MODEL, "--out", out, "--csv", *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        sys.exit(done.stderr)


def read(path, kind="F32"):
    """The tensors of a .safetensors file of a type of four bytes, but the optimizer's states."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    return {name: np.frombuffer(data, "<i4" if kind == "I32" else "<f4", (t["data_offsets"][1] - t["data_offsets"][0]) // 4,
                                8 + size + t["data_offsets"][0]).reshape(t["shape"]).astype("f8")
            for name, t in sorted(header.items())
            if name != "__metadata__" and t["dtype"] == kind and not name.endswith((".m", ".v"))}


def write(path, weights):
    header, at = {}, 0
    for name, w in weights.items():
        header[name] = {"dtype": "F32", "shape": list(w.shape), "data_offsets": [at, at + 4 * w.size]}
        at += 4 * w.size
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for w in weights.values():
            file.write(w.astype("<f4").tobytes())


def flat(weights):
    return np.concatenate([w.ravel() for w in weights.values()])


def unflat(x, like):
    out, at = {}, 0
    for name, w in like.items():
        out[name] = x[at:at + w.size].reshape(w.shape)
        at += w.size
    return out


def gradients(folder, weights, batch, recipe, seed):
    """fp32's gradient, the recipe's, and fp32's loss, of the first sequences of the text."""
    init = folder + "/init.safetensors"
    write(init, weights)
    with tempfile.TemporaryDirectory(dir=folder) as out:
        train(out + "/run", "--optimizer", "sgd", "--lr", "1", "--steps", "1", "--init", init, "--batch", str(batch),
              "--seed-rounding", str(seed), "--recipe", "fp32" if recipe == "fp32" else "fp32," + recipe)
        where = [out + "/run"] if recipe == "fp32" else [f"{out}/run/{name}-0" for name in ("fp32", recipe)]
        with open(where[0] + "/metrics.jsonl", encoding="utf-8") as lines:
            loss = json.loads(lines.readline())["loss"]
        return [flat(weights) - flat(read(each + "/checkpoint.safetensors")) for each in where] + [loss]


def best_fall(folder, weights, loss, g, direction):
    """How far the loss of 512 sequences falls in the best step along a direction: two of Newton's steps in the rate."""
    at, slope, rate, falls = flat(weights), g @ direction, 0.25, []
    for _ in range(3):
        falls.append(loss - gradients(folder, unflat(at - rate * direction, weights), BATCH, "fp32", 0)[-1])
        curvature = 2 * (rate * slope - falls[-1]) / rate ** 2
        rate = min(slope / curvature, 4 * rate) if curvature > 0 else 2 * rate
    return max(falls)


def main(rate, steps, recipes):
    with tempfile.TemporaryDirectory() as folder:
        for step in steps:
            for recipe in recipes:
                run = f"{folder}/{recipe}-{step}"
                train(run, "--batch", "16", "--lr", rate, "--steps", str(step), "--recipe", f"fp32,{recipe}")
                weights = read(f"{run}/{recipe}-0/checkpoint.safetensors")
                g, loss = gradients(folder, weights, BATCH, "fp32", 0)
                noise = [np.subtract(*gradients(folder, weights, 16, recipe, seed)[1::-1]) for seed in range(SEEDS)]
                length, rms = np.linalg.norm(g), np.sqrt(np.mean([e @ e for e in noise]))
                same = np.mean([noise[i] @ noise[j] for i in range(SEEDS) for j in range(i)]) / rms ** 2
                print(f"ratio|{recipe}|{step}|{loss:.4f}|{length:.3g}|{rms:.3g}|{length / rms:.3g}|{same:.2g}", flush=True)
                if recipe != recipes[0]:
                    continue
                alone = best_fall(folder, weights, loss, g, g)
                for r in ratios:
                    falls = [best_fall(folder, weights, loss, g, g + e * length / r / np.linalg.norm(e)) for e in noise[:2]]
                    print(f"share|{step}|{r:.3g}|{np.mean(falls) / alone:.3g}|{r * r / (1 + r * r):.3g}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], [int(n) for n in sys.argv[2].split(",")], sys.argv[3].split(","))
