"""Rounding errors of P V in bf16, for flash.sh (Qiu and Yao 2025, arXiv 2510.04212).

O = P V, P = exp(S - m) without its sum, as flash attention has it; S, P, V and O in bf16. m is the
largest score of a row, so that P is exactly 1 there; or, in rows whose largest score is repeated, 7 times that if it is
positive and 0 if it is negative (the paper's cure). Only the last rounding is looked at, by the library's casts
(tests/tensor/cast_through); the sum before it is exact (fp64).

planted: rows "rule|V|below|largest P|mean error|standard error" in units of the last place of O, positive: away from
zero. Rows of 64 keys, two of them with the largest score; the others' lie `below` to `below` + 4 under it.

trained RUN BATCHES: the same of the first block of a model that the command has trained, for the sequences in BATCHES:
"rule|mean error|standard error", then "repeated|per cent of the rows whose largest score (bf16) is repeated" and "one
sign|mean of |sum of the signs of a column of V| / its length, of a sequence"."""
import os
import subprocess
import sys

import numpy as np

from threshold import read

ROWS, KEYS, WIDTH = 4096, 64, 16
RULES = ("rne", "sr:16", "rtz")
through = os.environ.get("BND_THROUGH", "").split()


def bf16(x):
    """To nearest, ties to even."""
    bits = x.astype("<f4").view("<u4")
    return ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).view("<f4").astype("f8")


def cast(x, setting):
    """By the library, in matrices of 256 x 256 numbers."""
    out = np.zeros(-(-x.size // 65536) * 65536, "<f4")
    out[:x.size] = x.ravel()
    for part in out.reshape(-1, 65536):
        done = subprocess.run([*through, f"gemm_fwd.x={setting}", "x", "256", "256", "1", "0"], check=True,
                              input=part.tobytes(), stdout=subprocess.PIPE)
        part[:] = np.frombuffer(done.stdout, "<f4")
    return out[:x.size].reshape(x.shape).astype("f8")


def row_shift(s, cures):
    largest = s.max(-1, keepdims=True)
    repeated = (s == largest).sum(-1, keepdims=True) > 1
    return np.where(repeated & cures, np.where(largest > 0, 7 * largest, 0), largest)


def errors(s, v, rule, cures):
    """Of each element of O: the error of the rounding, in units of the last place, positive away from zero."""
    exact = bf16(np.exp(s - row_shift(s, cures))) @ v
    place = np.exp2(np.floor(np.log2(np.maximum(abs(exact), 2.0 ** -100))) - 7)
    return np.sign(exact) * (cast(exact, "bf16:" + rule) - exact) / place


def mean_of(e):
    return f"{e.mean():+.4f}|{e.std() / np.sqrt(e.size):.4f}"


def planted():
    generator = np.random.default_rng(1)
    top = generator.uniform(0.5, 1.5, (ROWS, 1, 1))
    normal = generator.standard_normal((ROWS, KEYS, WIDTH))
    for sign, v in (("one sign", bf16(-abs(normal) - 1)), ("both signs", bf16(normal))):
        for below in (5, 10, 15):
            s = bf16(top - generator.uniform(below, below + 4, (ROWS, 1, KEYS)))
            s[..., :2] = bf16(top)
            for rule, cures in (("rne", False), ("rne", True), ("sr:16", False), ("rtz", False)):
                print(f"{rule}|{sign}|{below}|{'below 1' if cures else '1'}|{mean_of(errors(s, v, rule, cures))}")


def trained(run, batches):
    w, x = read(run + "/checkpoint.safetensors"), read(batches, "I32")["x"].astype(int)
    x = x.reshape(-1, x.shape[-1])
    length, heads = x.shape[1], 4
    h = w["tokens"][x] + w["positions"][:length]
    h = h - h.mean(-1, keepdims=True)
    h = h / np.sqrt(np.square(h).mean(-1, keepdims=True) + 1e-5) * w["blocks.0.norm1.gain"] + w["blocks.0.norm1.bias"]
    all_three = h @ w["blocks.0.qkv.weight"].T + w["blocks.0.qkv.bias"]
    q, k, v = bf16(all_three).reshape(len(x), length, 3, heads, -1).transpose(2, 0, 3, 1, 4)
    s = bf16(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
    s = np.where(np.tri(length, dtype=bool), s, -np.inf)
    for rule in RULES:
        print(f"{rule}|{mean_of(errors(s, v, rule, False)[:, :, 1:])}")
    print(f"repeated|{100 * ((s == s.max(-1, keepdims=True)).sum(-1) > 1)[..., 1:].mean():.2g}")
    print(f"one sign|{abs(np.sign(v).mean(-2)).mean():.2f}")


if sys.argv[1] == "planted":
    planted()
else:
    trained(*sys.argv[2:])
