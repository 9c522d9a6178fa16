"""A run of binade made again in PyTorch, with a model, a loss and an optimizer written from the formulas of
src/sim/train/model_transformer.c and doc/reference/training-semantics.md: the same weights, the same batches, and
losses that are compared step by step.

    rerun.py BINADE FOLDER RECIPE STEPS TOLERANCE COMPARED [OPTION...]

runs `BINADE train` with --dump-init and --dump-batches in FOLDER and fails where one of the first COMPARED losses
differs by more than TOLERANCE. RECIPE is fp32 or bf16-amp."""
import json
import math
import os
import struct
import subprocess
import sys

import torch

LR, BETAS, EPSILON, DECAY = 0.003, (0.9, 0.999), 1e-8, 0.01
SIZES = {"width": 32, "depth": 2, "heads": 4, "context": 16, "batch": 8}


def read(path):
    """The tensors of a .safetensors file."""
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header, data = json.loads(data[8 : 8 + length]), data[8 + length :]
    kinds = {"F32": torch.float32, "I32": torch.int32, "I64": torch.int64}
    out = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        out[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=kinds[entry["dtype"]]).reshape(entry["shape"])
    return out


def run_binade(binade, folder, recipe, steps, options):
    weights, batches, out = (os.path.join(folder, name)
                             for name in ("weights.safetensors", "batches.safetensors", "run"))
    command = [binade, "train", "--recipe", recipe, "--steps", str(steps), "--lr", str(LR), "--wd", str(DECAY),
               "--out", out,
               "--dump-init", weights, "--dump-batches", batches, "--csv", "-j", "1", *options]
    for name, value in SIZES.items():
        command += ["--" + name, str(value)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    directory = out if os.path.exists(os.path.join(out, "metrics.jsonl")) else os.path.join(out, recipe + "-0")
    with open(os.path.join(directory, "metrics.jsonl"), encoding="utf-8") as lines:
        losses = [json.loads(line)["loss"] for line in lines]
    return read(weights), read(batches), losses


def layer_norm(x, weights, name):
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-5) * weights[name + ".gain"] + weights[name + ".bias"]


def amp(function):
    """torch.autocast's products: operands rounded to bf16, the result in bf16."""
    def product(*operands):
        return function(*(t.to(torch.bfloat16) for t in operands))
    return product


def matmul(a, b):
    return a @ b


def linear(x, w, b):
    return x @ w.t() + b


def bare(x, w):
    return x @ w.t()


class Model:
    def __init__(self, weights, mixed):
        self.w = {name: t.clone().requires_grad_() for name, t in weights.items()}
        self.matmul, self.linear, self.bare = (amp(f) if mixed else f for f in (matmul, linear, bare))

    def dense(self, x, name):
        return self.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def attention(self, x, block):
        rows, length, width = x.shape
        heads = SIZES["heads"]
        qkv = self.dense(x, block + ".qkv").reshape(rows, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        scores = self.matmul(qkv[0], qkv[1].transpose(-1, -2)) * (1 / math.sqrt(width // heads))
        scores = scores.masked_fill(torch.triu(torch.ones(length, length, dtype=torch.bool), 1), -math.inf)
        mixed = self.matmul(torch.softmax(scores.float(), -1), qkv[2])
        return self.dense(mixed.permute(0, 2, 1, 3).reshape(rows, length, width), block + ".projection")

    def mlp(self, x, block):
        return self.dense(torch.nn.functional.gelu(self.dense(x, block + ".up")), block + ".down")

    def loss(self, x, y):
        h = self.w["tokens"][x] + self.w["positions"]
        for i in range(SIZES["depth"]):
            block = "blocks.%d" % i
            h = h + self.attention(layer_norm(h, self.w, block + ".norm1"), block)
            h = h + self.mlp(layer_norm(h, self.w, block + ".norm2"), block)
        logits = self.bare(layer_norm(h, self.w, "norm"), self.w["head"]).float()
        chosen = logits.gather(-1, y.unsqueeze(-1)).squeeze(-1)
        return (torch.logsumexp(logits, -1) - chosen).mean()


class AdamW:
    """Decay before the update, as torch.optim.AdamW; of matrices only, and not of embeddings."""

    def __init__(self, weights):
        self.w, self.step_number = weights, 0
        self.m = {name: torch.zeros_like(t) for name, t in weights.items()}
        self.v = {name: torch.zeros_like(t) for name, t in weights.items()}

    @torch.no_grad()
    def step(self):
        self.step_number += 1
        first, second = (1 - beta**self.step_number for beta in BETAS)
        for name, w in self.w.items():
            g, m, v = w.grad, self.m[name], self.v[name]
            if w.dim() == 2 and name not in ("tokens", "positions"):
                w.mul_(1 - LR * DECAY)
            m.mul_(BETAS[0]).add_(g, alpha=1 - BETAS[0])
            v.mul_(BETAS[1]).addcmul_(g, g, value=1 - BETAS[1])
            w.addcdiv_(m, (v.sqrt() / math.sqrt(second)).add_(EPSILON), value=-LR / first)
            w.grad = None


def main():
    binade, folder, recipe = sys.argv[1:4]
    steps, tolerance, compared = int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    weights, batches, losses = run_binade(binade, folder, recipe, steps, sys.argv[7:])
    model = Model(weights, recipe == "bf16-amp")
    optimizer = AdamW(model.w)
    ours = []
    for step in range(steps):
        loss = model.loss(batches["x"][step].long(), batches["y"][step].long())
        loss.backward()
        optimizer.step()
        ours.append(loss.item())
    differences = [abs(a - b) for a, b in zip(losses, ours)]
    worst = max(differences[:compared])
    print("%s: PyTorch %s, %d steps, loss %.4f to %.4f; largest difference in the first %d: %.2e, in all: %.2e" %
          (recipe, torch.__version__, steps, losses[0], losses[-1], compared, worst, max(differences)))
    if len(losses) != steps or not worst <= tolerance:
        print("expected at most %g" % tolerance)
        return 1
    return 0


sys.exit(main())
