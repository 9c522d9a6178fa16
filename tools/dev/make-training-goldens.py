#!/usr/bin/python3
"""Writes tests/train/golden/*.txt: what PyTorch makes of runs, optimizers and loss scales (Debian: python3-torch,
python3-numpy). BND_BUILD names the build folder, in which `make tests/train/export_run` was run.

    transformer.txt   run tied|untied, then a loss per line: weights and batches are those of our run (export_run), the
                      model is written in torch below, the optimizer is torch.optim.AdamW
    optimizers.txt    parameters, gradients of 20 steps, and for each optimizer (optimizer NAME lr beta1 beta2 epsilon
                      wd) the parameters after step 1 and step 20: torch.optim in fp32; Lion, Adafactor, Muon and
                      Adam-mini, which torch 1.13 has not, are the papers' algorithms in numpy's fp64. Of Muon the first
                      tensor is hidden
    scaler.txt        scaler INITIAL GROWTH, then a step a line: overflow (0, 1), the scale it was made under, what a
                      gradient of 1 became by unscaling (0: not looked at), skipped (0, 1). torch.cuda.amp.GradScaler
                      needs a GPU; torch's own form of it for the CPU is that of FSDP, ShardedGradScaler, run here on
                      its own

Numbers are the shortest decimals that are these fp32 numbers and no others. One thread, fixed seeds."""
import importlib.util
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "..", "tests", "train", "golden")
BUILD = os.environ.get("BND_BUILD", "build")


def numbers(x):
    return " ".join(str(v) if v != int(v) or abs(v) > 1e6 else str(int(v))
                    for v in np.asarray(x, dtype=np.float32).ravel())


# ---- the transformer ----

class Run:
    def __init__(self, folder):
        with open(os.path.join(folder, "parameters.txt")) as f:
            rows = [line.split() for line in f]
        self.folder, self.parameters, self.decays = folder, {}, {}
        for i, (name, decays) in enumerate(rows):
            self.parameters[name] = self.load("parameter", i).requires_grad_()
            self.decays[name] = decays == "1"

    def load(self, what, i):
        return torch.from_numpy(np.load(os.path.join(self.folder, f"{what}-{i}.npy")))


def norm(p, name, x):
    return F.layer_norm(x, x.shape[-1:], p[name + ".gain"], p[name + ".bias"], 1e-5)


def dense(p, name, x):
    return F.linear(x, p[name + ".weight"], p[name + ".bias"])


def attention(p, name, x, heads):
    batch, length, width = x.shape
    q, k, v = (part.view(batch, length, heads, width // heads).transpose(1, 2)
               for part in dense(p, name + ".qkv", x).split(width, dim=-1))
    scores = q @ k.transpose(-1, -2) / (width // heads) ** 0.5
    outside = torch.ones(length, length, dtype=torch.bool).triu(1)
    mixed = scores.masked_fill(outside, -float("inf")).softmax(-1) @ v
    return dense(p, name + ".projection", mixed.transpose(1, 2).reshape(batch, length, width))


def language_loss(p, x, y, depth=2, heads=4):
    a = F.embedding(x, p["tokens"]) + p["positions"]
    for i in range(depth):
        name = f"blocks.{i}"
        a = a + attention(p, name, norm(p, name + ".norm1", a), heads)
        a = a + dense(p, name + ".down", F.gelu(dense(p, name + ".up", norm(p, name + ".norm2", a))))
    logits = F.linear(norm(p, "norm", a), p.get("head", p["tokens"]))
    return F.cross_entropy(logits.view(-1, logits.shape[-1]), y.reshape(-1))


def losses(kind, steps=100):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(BUILD, "tests", "train", "export_run"), folder, kind], check=True)
        run = Run(folder)
        groups = [{"params": [p for n, p in run.parameters.items() if run.decays[n] == d], "weight_decay": 0.1 * d}
                  for d in (True, False)]
        optimizer = torch.optim.AdamW(groups, lr=3e-3)
        for step in range(steps):
            loss = language_loss(run.parameters, run.load("x", step).long(), run.load("y", step).long())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()


def write_transformer(f):
    for kind in ("untied", "tied"):
        f.write(f"run {kind}\n")
        for loss in losses(kind):
            f.write(numbers([loss]) + "\n")


# ---- optimizers ----

SHAPES = [(4, 3), (4,), (10, 4), (10,)]
STEPS = 20


class Lion:
    """Chen et al. 2023 (arXiv:2302.06675), algorithm 2."""

    def __init__(self, shape):
        self.m = np.zeros(shape)

    def step(self, w, g, t, lr, b1, b2, epsilon, wd):
        update = np.sign(b1 * self.m + (1 - b1) * g)
        self.m = b2 * self.m + (1 - b2) * g
        return w - lr * (update + wd * w)


class Adafactor:
    """Shazeer and Stern 2018 (arXiv:1804.04235), algorithms 4 (matrices) and 5 (vectors) with the choices of section 8:
    sums of rows and columns as the paper has them."""

    def __init__(self, shape):
        self.r, self.c = np.zeros((shape[0], 1)), np.zeros((1, shape[-1]))
        self.v = np.zeros(shape)

    def step(self, w, g, t, lr, b1, b2, epsilon, wd):
        rms = lambda x: np.sqrt(np.mean(x * x))
        b = 1 - t ** -b2
        square = g * g + epsilon
        if w.ndim == 2:
            self.r = b * self.r + (1 - b) * square.sum(axis=1, keepdims=True)
            self.c = b * self.c + (1 - b) * square.sum(axis=0, keepdims=True)
            self.v = self.r @ self.c / self.r.sum()
        else:
            self.v = b * self.v + (1 - b) * square
        u = g / np.sqrt(self.v)
        u /= max(1, rms(u))
        return w - max(1e-3, rms(w)) * min(lr, 1 / np.sqrt(t)) * u


class Muon:
    """Jordan et al. 2024 (kellerjordan.github.io/posts/muon) with torch 2.9's momentum, a mean; the other tensors by
    AdamW.
    The size of an update is that of Liu et al. 2025 (arXiv:2502.16982)."""

    share = 1

    def __init__(self, shape):
        self.hidden, self.m, self.v = shape == SHAPES[0], np.zeros(shape), np.zeros(shape)

    def size(self, rows, columns):
        return 0.2 * np.sqrt(max(rows, columns))

    def direction(self, x):
        x = x / max(np.linalg.norm(x), 1e-7)
        for _ in range(5):
            s = x.T @ x if x.shape[0] > x.shape[1] else x @ x.T
            p = -4.7750 * s + 2.0315 * s @ s
            x = 3.4445 * x + (x @ p if x.shape[0] > x.shape[1] else p @ x)
        return x

    def step(self, w, g, t, lr, b1, b2, epsilon, wd):
        if not self.hidden:
            lr, b1 = lr * self.share, 0.9
        self.m = b1 * self.m + (1 - b1) * g
        if self.hidden:
            return (1 - lr * wd) * w - lr * self.size(*w.shape) * self.direction(b1 * self.m + (1 - b1) * g)
        self.v = b2 * self.v + (1 - b2) * g * g
        return (1 - lr * wd) * w - lr * self.m / (1 - b1 ** t) / (np.sqrt(self.v / (1 - b2 ** t)) + epsilon)


class AdamMini:
    """Zhang et al. 2024 (arXiv:2406.16793), algorithm 1: a matrix here is no query or key, so that each row is a
    block; biases have AdamW's v."""

    def __init__(self, shape):
        self.m, self.v = np.zeros(shape), np.zeros((shape[0],) + (1,) * (len(shape) - 1))

    def step(self, w, g, t, lr, b1, b2, epsilon, wd):
        square = g * g if g.ndim == 1 else (g * g).mean(axis=1, keepdims=True)
        self.m = b1 * self.m + (1 - b1) * g
        self.v = b2 * self.v + (1 - b2) * square
        return (1 - lr * wd) * w - lr * self.m / (1 - b1 ** t) / (np.sqrt(self.v / (1 - b2 ** t)) + epsilon)


class MuonOriginal(Muon):
    """The size of an update is Jordan's; 0.015 is the share of 3e-4 in 0.02."""

    share = 0.015

    def size(self, rows, columns):
        return np.sqrt(max(1, rows / columns))


def torch_steps(make, start, gradients, lr, b1, b2, epsilon, wd):
    w = [torch.tensor(x, requires_grad=True) for x in start]
    groups = [{"params": [p for p in w if p.dim() == rank], "weight_decay": wd * (rank == 2)} for rank in (1, 2)]
    optimizer = make(groups, lr, b1, b2, epsilon)
    for step in gradients:
        for p, g in zip(w, step):
            p.grad = torch.tensor(g)
        optimizer.step()
        yield [p.detach().numpy().copy() for p in w]


def numpy_steps(make, start, gradients, lr, b1, b2, epsilon, wd):
    w, states = [x.astype(np.float64) for x in start], [make(x.shape) for x in start]
    for t, step in enumerate(gradients, 1):
        w = [s.step(x, g.astype(np.float64), t, lr, b1, b2, epsilon, wd * (x.ndim == 2))
             for s, x, g in zip(states, w, step)]
        yield w


O = torch.optim
OPTIMIZERS = [  # name, lr, beta1, beta2, epsilon, weight decay, how
    ("sgd", 0.1, 0, 0, 0, 0.01, lambda g, lr, b1, b2, e: O.SGD(g, lr=lr)),
    ("momentum", 0.05, 0.9, 0, 0, 0.01, lambda g, lr, b1, b2, e: O.SGD(g, lr=lr, momentum=b1)),
    ("adagrad", 0.05, 0, 0, 1e-10, 0.01, lambda g, lr, b1, b2, e: O.Adagrad(g, lr=lr, eps=e)),
    ("rmsprop", 1e-2, 0, 0.99, 1e-8, 0.01, lambda g, lr, b1, b2, e: O.RMSprop(g, lr=lr, alpha=b2, eps=e)),
    ("adam", 1e-2, 0.9, 0.999, 1e-8, 0.01, lambda g, lr, b1, b2, e: O.Adam(g, lr=lr, betas=(b1, b2), eps=e)),
    ("adamw", 1e-2, 0.9, 0.999, 1e-8, 0.1, lambda g, lr, b1, b2, e: O.AdamW(g, lr=lr, betas=(b1, b2), eps=e)),
    ("lion", 1e-2, 0.9, 0.99, 0, 0.1, Lion),
    ("adafactor", 1e-2, 0, 0.8, 1e-30, 0, Adafactor),
    ("muon", 1e-2, 0.95, 0.95, 1e-8, 0.1, Muon),
    ("muon-original", 2e-2, 0.95, 0.95, 1e-8, 0.1, MuonOriginal),
    ("adam-mini", 1e-2, 0.9, 0.999, 1e-8, 0.1, AdamMini),
]


def write_optimizers(f):
    random = np.random.default_rng(7)
    start = [random.normal(0, 0.3, s).astype(np.float32) for s in SHAPES]
    gradients = [[(random.normal(0, 1, s) * 10 ** random.uniform(-3, 0, s)).astype(np.float32) for s in SHAPES]
                 for _ in range(STEPS)]
    for w in start:
        f.write(f"start : {numbers(w)}\n")
    for step in gradients:
        for g in step:
            f.write(f"gradient : {numbers(g)}\n")
    for name, lr, b1, b2, epsilon, wd, how in OPTIMIZERS:
        f.write(f"optimizer {name} {lr} {b1} {b2} {epsilon} {wd}\n")
        steps = numpy_steps if isinstance(how, type) else torch_steps
        for t, w in enumerate(steps(how, start, gradients, lr, b1, b2, epsilon, wd), 1):
            if t in (1, STEPS):
                for x in w:
                    f.write(f"after {t} : {numbers(x)}\n")


# ---- the loss scale ----

def scaler_of_fsdp():
    """The file alone: torch.distributed.fsdp as a whole does not import under Python 3.11 with torch 1.13."""
    path = os.path.join(os.path.dirname(torch.__file__), "distributed", "fsdp", "sharded_grad_scaler.py")
    spec = importlib.util.spec_from_file_location("sharded_grad_scaler", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.cuda.amp.grad_scaler.amp_definitely_not_available = lambda: False

    class Alone(module.ShardedGradScaler):
        """One process: what unscale_ does, without telling other ranks."""

        def unscale_(self, optimizer):
            state = self._per_optimizer_states[id(optimizer)]
            inverse = self._scale.double().reciprocal().float()
            found = torch.full((1,), 0.0)
            state["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, found, True)
            state["stage"] = torch.cuda.amp.grad_scaler.OptState.UNSCALED

    return Alone


def write_scaler(f):
    random = np.random.default_rng(8)
    for initial, growth in ((65536.0, 4), (1024.0, 7), (3.0, 2)):
        scaler = scaler_of_fsdp()(init_scale=initial, growth_interval=growth, process_group=None)
        w = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=1.0)
        f.write(f"scaler {numbers([initial])} {growth}\n")
        for _ in range(100):
            overflow = random.random() < 0.15
            scaler.scale(torch.zeros(1))
            scale = scaler.get_scale()
            w.grad = torch.tensor([1.0, float("inf") if overflow else 2.0])
            with torch.no_grad():
                w.zero_()
            scaler.unscale_(optimizer)
            unscaled = 0 if overflow else w.grad[0].item()
            scaler.step(optimizer)
            scaler.update()
            skipped = bool((w == 0).all())
            f.write(f"{int(overflow)} {numbers([scale])} {numbers([unscaled])} {int(skipped)}\n")


def main():
    for name, write in (("transformer", write_transformer), ("optimizers", write_optimizers), ("scaler", write_scaler)):
        path = os.path.join(GOLDEN, name + ".txt")
        with open(path, "w") as f:
            write(f)
        print(f"{path}: {os.path.getsize(path)} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
