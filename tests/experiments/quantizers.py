"""What casts of operands lose, for quantizers.sh: `errors` of 2^20 numbers, the `crest` factors at which integers begin to
lose more than floating-point elements, or the exact `expectation` of MS-EDEN.

errors: rows "data,cast,1000 x mean squared error / mean square, rounded to three digits". The cast is the library's
(tests/tensor/cast_through): a matrix of 4096 x 256 numbers, along its rows.

crest: rows "pair|rest|crest factor|dB of the integers|dB of the others", the ratio of the mean square to the mean squared
error (a block's, averaged) of blocks whose largest element is that many times their root mean square; and rows
"cross|pair|rest|crest factor" where the two are equal, between two of them. The rest of a block is normal, or t with 3
degrees of freedom, below the largest; blocks are scaled by 1 to 2, so that the scales' own rounding averages out.

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
    done = subprocess.run([*through, f"gemm_fwd.x={setting}", "x", str(len(x)), str(COLUMNS), "1", "0"], check=True,
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


# ---- crest factors (arXiv 2510.25602, theorems 1 and 2) ----

INTEGERS = {  # pair: block, integers, floating point, crest factors
    "MXINT8, MXFP8": (32, "mxint8", "mxfp8", (2, 3, 4, 5, 5.5)),
    "INT8, E4M3 by 256": (256, "p7emin0emax0/row:256:rceil", "e4m3/row:256:rceil", (4, 5, 6, 7, 8, 9, 10, 12)),
    "MXINT4, MXFP4": (32, "p3emin2emax2/mx:rceil", "e2m1/mx:rceil", (1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.5)),
    "NVINT4, NVFP4": (16, "nvint4", "nvfp4", (1.7, 1.8, 2, 2.2, 2.4, 2.6, 3)),
}


def blocks(generator, rest, size, crest):
    """Blocks with this crest factor: the first element follows from the others."""
    count = 100000 if crest < 2 else 8000
    y = generator.standard_normal((count, size)) if rest == "normal" else generator.standard_t(3, (count, size))
    square = np.square(y[:, 1:]).sum(1)
    y[:, 0] = np.sqrt(crest ** 2 * square / (size - crest ** 2))
    y = y[abs(y[:, 1:]).max(1) < y[:, 0]]
    y *= np.exp2(generator.uniform(0, 1, (len(y), 1)))
    count = len(y) * size // COLUMNS * COLUMNS // size
    return y[:count].reshape(-1, COLUMNS).astype("<f4").astype("f8")


def decibels(x, setting, size):
    q, x = cast(x, setting).reshape(-1, size), x.reshape(-1, size)
    return -10 * np.log10((np.square(q - x).sum(1) / np.square(x).sum(1)).mean())


def crest():
    generator = np.random.default_rng(1)
    for pair, (size, integers, others, factors) in INTEGERS.items():
        for rest in ("normal", "heavy"):
            before = None
            for factor in factors:
                x = blocks(generator, rest, size, factor)
                if x.size < 100 * size:
                    continue
                a, b = decibels(x, integers, size), decibels(x, others, size)
                print(f"{pair}|{rest}|{factor}|{a:.1f}|{b:.1f}")
                if before and before[1] > 0 >= a - b:
                    at = before[0] + (factor - before[0]) * before[1] / (before[1] - (a - b))
                    print(f"cross|{pair}|{rest}|{at:.2f}")
                before = factor, a - b


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


{"errors": errors, "crest": crest, "expectation": expectation}[sys.argv[1]]()
