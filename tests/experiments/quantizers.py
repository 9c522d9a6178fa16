"""What casts of operands lose, for quantizers.sh: `errors` of 2^20 numbers, or the exact `expectation` of MS-EDEN.

errors: rows "data,cast,1000 x mean squared error / mean square, rounded to three digits". The cast is the library's
(tests/tensor/cast_through): a matrix of 4096 x 256 numbers, along its rows.

expectation: rows "numbers,dimension,correction,bias,along x". The algorithm (arXiv 2601.22813, algorithm 1) in fp64,
over all 2^16 signs of a Hadamard transform of 16; of 64 and 128 over 2^16 drawn ones. The expectation over the random
bits of a scale is that scale. `bias` is |E[q] - x| / |x|, `along x` is <E[q], x> / <x, x> - 1, and `error` the standard
error of |E[q] - x| / |x|, 0 where all signs were taken. tests/tensor/rationals_judge.py compares the library with the
algorithm."""
import os
import subprocess
import sys

import numpy as np

ROWS, COLUMNS = 4096, 256
CASTS = {
    "NVFP4": "e2m1/nvfp4",
    "NVFP4, 4/6": "e2m1/nvfp4:fouroversix",
    "NVFP4 by 16x16": "e2m1/nvfp4:16x16",
    "NVFP4 by 16x16, 4/6": "e2m1/nvfp4:16x16:fouroversix",
    "NVFP4, SR": "e2m1:sr/nvfp4:unclamped",
    "NVFP4, SR, 4/6": "e2m1:sr/nvfp4:fouroversix",
    "MS-EDEN": "e2m1/nvfp4:eden/hadamard:128",
    "NVFP4, scales in UE5M3": "e2m1/row:16:ue5m3",
    "NVINT4": "nvint4",
    "NVFP4, Hadamard": "e2m1/nvfp4/hadamard:16",
    "NVINT4, Hadamard": "nvint4/hadamard:16",
    "MXFP8": "mxfp8",
    "MXFP8, floor": "e4m3/mx:floor",
    "MXINT8": "mxint8",
    "MXFP4": "mxfp4",
    "MXFP4, SR": "e2m1:sr/mx:unclamped",
}
through = os.environ.get("BND_THROUGH", "").split()


def cast(x, setting):
    done = subprocess.run([*through, f"gemm_fwd.x={setting}", "x", str(ROWS), str(COLUMNS), "1", "0"], check=True,
                          input=x.astype("<f4").tobytes(), stdout=subprocess.PIPE)
    return np.frombuffer(done.stdout, "<f4").reshape(x.shape).astype("f8")


def errors():
    generator = np.random.default_rng(1)
    data = {"normal": generator.standard_normal((ROWS, COLUMNS)),
            "heavy": generator.standard_t(3, (ROWS, COLUMNS))}
    for name, x in data.items():
        x = x.astype("<f4")
        for title, setting in CASTS.items():
            parts = setting.split("/hadamard")
            before = cast(x, "fp32/hadamard" + parts[1]) if len(parts) > 1 else x.astype("f8")
            error = np.square(cast(x, setting) - before).sum() / np.square(before).sum()
            print(f'{name}|{title}|{1000 * error:.3g}')


# ---- MS-EDEN in fp64 ----

MOST = 6 * 16 / 17 / 0.93


def to_e2m1(v):
    unit = np.where(abs(v) < 2, 0.5, np.where(abs(v) < 4, 1.0, 2.0))
    return np.clip(np.rint(v / unit) * unit, -6, 6)


def to_e4m3(v):
    unit = 2.0 ** (np.maximum(np.floor(np.log2(np.maximum(v, 2.0 ** -9))), -6) - 3)
    return np.minimum(np.rint(v / unit) * unit, 448)


def transform(v):
    size, distance = v.shape[1], 1
    while distance < size:
        pair = v.reshape(len(v), -1, 2, distance)
        v = np.stack([pair[:, :, 0] + pair[:, :, 1], pair[:, :, 0] - pair[:, :, 1]], 2).reshape(v.shape)
        distance *= 2
    return v / np.sqrt(size)


def eden(y, corrects):
    blocks = y.reshape(len(y), -1, 16)
    tensor = abs(y).max(1)[:, None] / (MOST * 256)
    scale = to_e4m3(abs(blocks).max(2) / (tensor * MOST)) * tensor
    q = to_e2m1(blocks / scale[:, :, None]) * scale[:, :, None]
    if corrects:
        q *= (np.square(blocks).sum(2) / (blocks * q).sum(2))[:, :, None]
    return q.reshape(y.shape)


def expectation():
    generator = np.random.default_rng(1)
    all_signs = 1 - 2.0 * (np.arange(1 << 16)[:, None] >> np.arange(16) & 1)
    for size in (16, 64, 128):
        normal = generator.standard_normal(size)
        outlier = np.r_[20, generator.standard_normal(size - 1)]
        signs = all_signs if size == 16 else 1 - 2.0 * generator.integers(0, 2, (1 << 16, size))
        for name, x in (("normal", normal), ("ramp", np.arange(1.0, size + 1)), ("outlier", outlier)):
            for corrects in (True, False):
                q = signs * transform(eden(transform(signs * x), corrects))
                mean, length = q.mean(0), np.linalg.norm(x)
                error = np.linalg.norm(q.std(0)) / np.sqrt(len(q)) / length if size > 16 else 0
                print(f"{name}|{size}|{'with' if corrects else 'without'}|{np.linalg.norm(mean - x) / length:.2g}|"
                      f"{mean @ x / (x @ x) - 1:.2g}|{error:.2g}")


{"errors": errors, "expectation": expectation}[sys.argv[1]]()
