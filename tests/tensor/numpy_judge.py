"""numpy at both ends: what it saves becomes a tensor, is saved again, and loaded here: the same elements in the same
place.

BND_THROUGH is tests/tensor/npy_through."""
import os
import subprocess

import numpy as np

from checks import check, conclude, sample

THROUGH = os.environ["BND_THROUGH"].split()


def through(array, role, *form, version=None):
    """The array as the tensor wrote it, or None and what was said."""
    with open("in.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    done = subprocess.run([*THROUGH, "in.npy", "out.npy", role, *form], capture_output=True)
    return np.load("out.npy", allow_pickle=False) if done.returncode == 0 else None, done.stderr.decode()


def same(got, expected):
    """Row-major, and bit for bit."""
    if got is None or got.shape != expected.shape or got.dtype != expected.dtype or not got.flags.c_contiguous:
        return False
    return got.tobytes() == expected.tobytes("C")


SHAPES = [(), (0,), (1,), (5000,), (3, 0, 2), (20, 30), (2, 3, 4, 5), (1,) * 8]


def floats():
    for dtype in ("f2", "f4", "f8"):
        for shape in SHAPES:
            for order, arrange in (("<", np.ascontiguousarray), (">", np.asfortranarray), ("<", np.asfortranarray)):
                little = sample(dtype, shape)
                array = arrange(little.astype(order + dtype)) if shape else little.astype(order + dtype)
                for role in ("data", "param"):
                    got, said = through(array, role)
                    check(same(got, little), f"{order}{dtype} {shape} {arrange.__name__} {role}: {said}")


def integers():
    """As the numbers that numpy converts them to."""
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        wide = "<f4" if np.dtype(dtype).itemsize <= 2 else "<f8"
        for shape in SHAPES:
            for order, arrange in (("<", np.ascontiguousarray), (">", np.asfortranarray)):
                little = sample(dtype, shape)
                array = arrange(little.astype(order + dtype)) if shape else little.astype(order + dtype)
                got, said = through(array, "data")
                check(same(got, little.astype(wide)), f"{order}{dtype} {shape} {arrange.__name__}: {said}")


def codes():
    """The bytes that ml_dtypes leaves: any codes of formats of 1 and 2 bytes, and fp4 and fp6 a byte each."""
    for form, dtype, mask in (("bf16", "<u2", 0xffff), ("e4m3", "u1", 0xff), ("e5m2", "u1", 0xff), ("e2m1", "u1", 0x0f),
                              ("e3m2", "u1", 0x3f), ("e5m6", "<u2", 0x0fff)):
        for shape in SHAPES:
            array = sample(dtype, shape) & np.array(mask, dtype)
            array = array if shape else np.array(array, dtype)
            for role in ("data", "param"):
                got, said = through(array, role, form)
                check(got is not None and same(got.view(dtype), array), f"{form} {shape} {role}: {said}")
        got, said = through(np.full(3, mask + 1 if mask not in (0xff, 0xffff) else 0, dtype), "data", form)
        check((got is None) == (mask not in (0xff, 0xffff)), f"{form}: what is no code: {said}")


def refused():
    record = np.zeros(3, dtype=[("a", "<f4"), ("b", "<i4")])
    for array in (record, np.zeros(3, "c8"), np.zeros(3, "?"), np.zeros(3, "U4"), np.zeros(3, "M8[s]"),
                  np.zeros(3, "V3"), np.zeros(3, "V2"), np.zeros((1,) * 9, "f4")):
        got, said = through(array, "data")
        check(got is None and said, f"{array.dtype} of {array.ndim} axes is refused")


for group in (floats, integers, codes, refused):
    group()
conclude()
