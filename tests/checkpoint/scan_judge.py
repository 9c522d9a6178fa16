"""`binade scan` next to the model in Python: counts, and sums of squares that are exact before they are rounded once.

    scan_judge.py FOLDER BINADE ...     FOLDER of make-checkpoint-fixtures.py"""
import json
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import check, conclude  # noqa: E402
from layouts import BLOCKY, Model  # noqa: E402
from small_formats import (E2M1, E4M3, E5M2, bf16, f32, groups, int8, nvfp4_scales, power_of_two, spread)  # noqa: E402

folder, binade = sys.argv[1], sys.argv[2:]


def given(element, x, scale, rows, columns):
    """The values that x has after a quantization with these scales."""
    each = spread(np.asarray(scale, "f8"), rows, columns, x.shape)
    codes = element.encode(x, each)
    return f32(element.decode(codes) * each)


def amax_scale(x, rows, columns, top):
    return f32(groups(x, rows, columns) / top).astype("f8")


def powers(element, x, rule):
    return given(element, x, np.ldexp(1.0, power_of_two(groups(x, 1, 32), element, rule)), 1, 32)


def nvfp4(x, least):
    second = float(f32(np.abs(x).max() / 2688))
    return given(E2M1, x, E4M3.decode(nvfp4_scales(x, second, least)) * second, 1, 16)


def integers(x, rows, columns):
    scale = spread(amax_scale(x, rows, columns, 127), rows, columns, x.shape)
    return f32(int8(x, scale) * scale)


CANDIDATES = {
    "bf16": bf16, "e4m3": lambda x: given(E4M3, x, np.ones((1, 1)), *x.shape),
    "e5m2/tensor": lambda x: given(E5M2, x, amax_scale(x, *x.shape, 57344), *x.shape),
    "e4m3/tensor": lambda x: given(E4M3, x, amax_scale(x, *x.shape, 448), *x.shape),
    "e4m3/row": lambda x: given(E4M3, x, amax_scale(x, 1, x.shape[1], 448), 1, x.shape[1]),
    "e4m3/row:bf16": lambda x: given(E4M3, x, bf16(groups(x, 1, x.shape[1]) / 448), 1, x.shape[1]),
    "e4m3/tile:128x128": lambda x: given(E4M3, x, amax_scale(x, 128, 128, 448), 128, 128),
    "e4m3/tile:128x128:rceil": lambda x: given(
        E4M3, x, np.ldexp(1.0, power_of_two(groups(x, 128, 128), E4M3, "rceil")), 128, 128),
    "mxfp8": lambda x: powers(E4M3, x, "rceil"), "mxfp8:floor": lambda x: powers(E4M3, x, "floor"),
    "mxfp8:even": lambda x: powers(E4M3, x, "even"), "mxfp8:ct": lambda x: powers(E4M3, x, "ct"),
    "mxfp4": lambda x: powers(E2M1, x, "rceil"), "mxfp4:ceil": lambda x: powers(E2M1, x, "ceil"),
    "nvfp4": lambda x: nvfp4(x, 2.0 ** -6), "nvfp4-subnormal": lambda x: nvfp4(x, 2.0 ** -9),
    "int8/row": lambda x: integers(x, 1, x.shape[1]), "int8/tensor": lambda x: integers(x, *x.shape),
}


def squares(a):
    return sum(Fraction(float(v)) ** 2 for v in a.ravel())


run = subprocess.run(binade + ["scan", os.path.join(folder, "right", "plain-bf16-wide"), "--to", ",".join(CANDIDATES),
                               "--json", "--all"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
check(run.returncode == 0, f"scan: {run.returncode} {run.stderr.decode()[:300]}")
answer = json.loads(run.stdout)
model = Model(**BLOCKY)
seen = {tensor["name"]: tensor for tensor in answer["tensors"]}
for stem in model.linears[:3] + model.linears[-1:]:
    x = model.weights[stem + ".weight"].astype("f8")
    tensor = seen[stem + ".weight"]
    norm = squares(x)
    check(tensor["input"]["largest"] == float(np.abs(x).max()), f"{stem}: largest")
    check(tensor["input"]["smallest"] == float(np.abs(x[x != 0]).min()), f"{stem}: smallest")
    check(tensor["input"]["zeros"] == int((x == 0).sum()), f"{stem}: zeros")
    for row in tensor["candidates"]:
        y = CANDIDATES[row["name"]](x).astype("f8")
        error = sum((Fraction(float(a)) - Fraction(float(b))) ** 2 for a, b in zip(x.ravel(), y.ravel()))
        what = f"{stem} {row['name']}"
        check(row["exact"] == int((x == y).sum()), f"{what}: exact {row['exact']}, {int((x == y).sum())}")
        zero = int(((y == 0) & (x != 0)).sum())
        check(row["to_zero"] == zero, f"{what}: to zero {row['to_zero']}, {zero}")
        check(row["squared_error"] == float(error), f"{what}: squared error {row['squared_error']}, {float(error)}")
        check(row["squared_input"] == float(norm), f"{what}: squares {row['squared_input']}, {float(norm)}")
        if error:
            close = math.isclose(row["sqnr"], 10 * math.log10(norm / error), rel_tol=1e-13)
            check(close, f"{what}: SQNR {row['sqnr']}")
conclude()
