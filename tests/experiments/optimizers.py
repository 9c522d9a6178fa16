"""What optimizers do in narrow formats, for optimizers.sh: rows with | between their fields. Steps are the library's (the
package libbinade, a run of one matrix); singular values, formulas and their judges are numpy's, in fp64.

singular FOLDER   "matrices|ns|least|most|share in 0.65 .. 1.25|error": singular values of Muon's direction, of normal 64 x 192
                  matrices and of the momenta of real gradients in FOLDER/*.safetensors (.m of hidden matrices): the
                  largest ones, as many as five steps in fp64 bring to 0.65 at least. error: of the direction, relative
                  to that of fp64, in the Frobenius norm
stalls            "v|step|measured|predicted|standard error|with reset": the share of second moments that an update with beta2
                  = 0.999 leaves where they are, for 2^15 elements with normal gradients of fixed deviations; and predicted
                  by its formula for each stored v: a stall is g^2 within half a gap of v, over 1 - beta2. With a reset
                  after 500 steps
bias              "v|v over the mean of g^2, after 4000 steps|with reset": medians of the same elements"""
import ctypes
import glob
import json
import math
import os
import sys

import numpy as np
from libbinade import _types as t
from libbinade._native import call, lib


class Run:
    """A run with one parameter: a matrix, or a vector where it has one axis."""

    def __init__(self, optimizer, recipe, w, hidden=False, **rates):
        training, self.pointer, index = t.bnd_training(), ctypes.c_void_p(), ctypes.c_size_t()
        call("bnd_training_default", ctypes.byref(training), b"own", optimizer.encode(), recipe.encode())
        training.weight_decay = 0
        for name, value in rates.items():
            setattr(training, name, value)
        context = t.bnd_context(backend=t.BND_BACKEND_BEST, threads=1)
        call("bnd_run_new_own", ctypes.byref(self.pointer), ctypes.byref(training), ctypes.byref(context))
        self.shape, self.count = w.shape, w.size
        sizes = (ctypes.c_size_t * w.ndim)(*w.shape)
        call("bnd_run_add_parameter", ctypes.byref(index), self.pointer, b"w.bias" if w.ndim == 1 else b"w.weight",
             numbers(w), sizes, w.ndim, False)
        if hidden:
            call("bnd_run_set_hidden", self.pointer, 0, True)

    def step(self, g):
        done = t.bnd_step()
        call("bnd_run_begin_step", self.pointer)
        call("bnd_tensor_set_gradient", self.part(t.BND_ROLE_PARAM), numbers(g), self.count)
        call("bnd_run_update", ctypes.byref(done), self.pointer, 0.0, None)

    def part(self, role):
        return lib.bnd_run_parameter(self.pointer, 0, role)

    def read(self, role):
        out = np.empty(self.shape, np.float32)
        call("bnd_tensor_read_f32", out.ctypes.data, self.count, self.part(role))
        return out.astype(np.float64)

    def close(self):
        lib.bnd_run_free(self.pointer)


def numbers(x):
    numbers.kept = np.ascontiguousarray(x, np.float32)
    return numbers.kept.ctypes.data


# ---- Newton-Schulz ----

def steps_in_fp64(x):
    x = x / np.linalg.norm(x)
    for _ in range(5):
        s = x @ x.T
        x = 3.4445 * x + (-4.7750 * s + 2.0315 * s @ s) @ x
    return x


def direction(x, ns):
    """Muon's, of one step: the first momentum is a multiple of the gradient. The Jordan rate is 1 for such a shape."""
    run = Run("muon-original", f"ns={ns}", np.zeros(x.shape), hidden=True, lr=1.0)
    run.step(x)
    w = -run.read(t.BND_ROLE_PARAM)
    run.close()
    return w


def momenta(folder):
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*.safetensors"))):
        with open(path, "rb") as f:
            size = int.from_bytes(f.read(8), "little")
            header, data = json.loads(f.read(size)), f.read()
        for name, entry in header.items():
            if name.startswith("blocks.") and name.endswith(".weight.m"):
                at = entry["data_offsets"]
                x = np.frombuffer(data[at[0]:at[1]], "<f4").reshape(entry["shape"]).astype(np.float64)
                found.append(x if x.shape[0] <= x.shape[1] else x.T)
    return found


def singular(folder):
    random = np.random.default_rng(1)
    sets = {"normal": [random.normal(0, 1, (64, 192)) for _ in range(8)], "momenta": momenta(folder)}
    for name, matrices in sets.items():
        exact = [steps_in_fp64(x) for x in matrices]
        kept = [np.sum(np.linalg.svd(x, compute_uv=False) >= 0.65) for x in exact]
        count = f"{sum(kept)} of {sum(min(x.shape) for x in matrices)}"
        for ns in ("fp64", "fp32", "bf16", "fp16", "e4m3/current", "e5m2/current", "e4m3", "e5m2"):
            made = exact if ns == "fp64" else [direction(x, ns) for x in matrices]
            if not all(np.isfinite(x).all() for x in made):
                print(f"{name}|{ns}|nan|nan|0|nan|{count}")
                continue
            s = np.concatenate([np.linalg.svd(x, compute_uv=False)[:k] for x, k in zip(made, kept)])
            off = math.sqrt(sum(np.sum((x - y) ** 2) for x, y in zip(made, exact)) / sum(np.sum(y * y) for y in exact))
            print(f"{name}|{ns}|{s.min():.3f}|{s.max():.3f}|{np.mean((s > 0.65) & (s < 1.25)):.4f}|{off:.2g}|{count}")


# ---- averages that stall ----

BITS = {"bf16": (8, -126), "e5m2": (3, -14)}  # of the significand, and the least normal exponent
N, BETA = 1 << 15, 0.999


def share_below(x):
    """Of squares of normal numbers."""
    return np.array([math.erf(math.sqrt(max(y, 0) / 2)) for y in x])


def predicted(v, squares, bits, least):
    """Of each v: the chance that (1 - beta) (g^2 - v) is within half a gap; below a power of two the gap is half."""
    exponent = np.floor(np.log2(np.maximum(v, 2.0 ** least)))
    up = 2.0 ** (exponent - bits)
    down = np.where((v == 2.0 ** exponent) & (exponent > least), up / 2, up)
    return share_below((v + up / (1 - BETA)) / squares) - share_below((v - down / (1 - BETA)) / squares)


def trace(recipe, steps, at):
    """At these steps: the share of v that stay, what is predicted for it, and v itself."""
    random = np.random.default_rng(2)
    deviations = 2.0 ** random.uniform(-8, 0, N)
    run = Run("adamw", recipe, np.zeros(N), lr=1e-30, beta1=0.9, beta2=BETA)
    for step in range(1, steps + 1):
        g = (deviations * random.normal(0, 1, N)).astype(np.float32)
        before = run.read(t.BND_ROLE_V) if step in at else None
        run.step(g)
        if step in at:
            yield step, before, run.read(t.BND_ROLE_V), deviations ** 2
    run.close()


def stalls():
    at = (2, 10, 100, 499, 1000, 2000)
    for name, (bits, least) in BITS.items():
        again = {step: np.mean(after == before) for step, before, after, _ in
                 trace(f"v={name},optimizer=fused,reset=v:500", 2000, at)}
        for step, before, after, squares in trace(f"v={name},optimizer=fused", 2000, at):
            chance = predicted(before, squares, bits, least)
            error = math.sqrt(np.sum(chance * (1 - chance))) / N
            print(f"{name}|{step}|{np.mean(after == before):.4f}|{np.mean(chance):.4f}|{error:.4f}|{again[step]:.4f}")


def bias():
    for name in BITS:
        ends = [np.median(after / (squares * (1 - BETA ** clock)))
                for recipe, clock in ((f"v={name},optimizer=fused", 4000), (f"v={name},optimizer=fused,reset=v:500", 500))
                for step, before, after, squares in trace(recipe, 4000, (4000,))]
        print(f"{name}|{ends[0]:.4f}|{ends[1]:.4f}")


{"singular": lambda: singular(sys.argv[2]), "stalls": stalls, "bias": bias}[sys.argv[1]]()
