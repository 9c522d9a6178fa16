"""numpy reads what `binade cast` writes, and `binade cast` reads what numpy writes: every type, order, shape and
version.

numpy's own conversions are the judge of the values where it has them (fp16, fp32, fp64). BND_COMMAND is the command."""
import io
import os
import subprocess

import numpy as np

from checks import check, conclude, sample

COMMAND = os.environ["BND_COMMAND"].split()


def cast(*arguments, feed=None):
    done = subprocess.run([*COMMAND, "cast", *arguments], input=feed, capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode()


def converted(array, *arguments, version=None):
    """The array through files in.npy and out.npy, as numpy loads it."""
    with open("in.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    status, _, message = cast(*arguments, "in.npy", "out.npy")
    if status != 0:
        print(message, end="")
        return None
    return np.load("out.npy", allow_pickle=False)


def same(a, b):
    """Equal bit for bit, but for the sign and payload of NaNs; equal shapes, and the same order in memory."""
    if a is None or a.shape != b.shape or a.dtype != b.dtype:
        return False
    nans = np.isnan(a) & np.isnan(b)
    word = f"u{a.dtype.itemsize}"
    bits = np.ascontiguousarray(a).view(word) == np.ascontiguousarray(b).view(word) if a.ndim else a == b
    return bool(np.all(bits | nans)) and np.isfortran(a) == np.isfortran(b)


def conversions():
    formats = {"f2": "fp16", "f4": "fp32", "f8": "fp64"}
    shapes = [(), (0,), (1,), (1000,), (3, 0, 2), (20, 30), (2, 3, 4, 5, 6), (1,) * 32]
    for source in formats:
        for target in formats:
            for shape in shapes:
                for order, arrange in (("<", np.ascontiguousarray), (">", np.asfortranarray)):
                    array = sample(source, shape).astype(order + source)
                    array = arrange(array) if shape else array
                    with np.errstate(all="ignore"):
                        expected = array.astype("<" + target, order="K")
                    got = converted(array, "--to", formats[target])
                    check(same(got, expected), f"{order}{source} to {target}, {shape}, {arrange.__name__}")


def versions():
    array = np.arange(12, dtype="<f4").reshape(3, 4)
    for version in ((1, 0), (2, 0), (3, 0)):
        check(same(converted(array, "--to", "fp64", version=version), array.astype("f8")), f"version {version}")


def opaque():
    """ml_dtypes' arrays come as bytes without a meaning."""
    bits = sample("u2", (8, 9))
    expected = (bits.astype("u4") << 16).view("f4")
    for dtype in ("V2", "<u2", "<i2"):
        array = bits.view(dtype)
        check(converted(array, "--to", "fp32") is None, f"{dtype} without --dtype is refused")
        check(same(converted(array, "--dtype", "bf16", "--to", "fp32"), expected), f"{dtype} as bf16")
    check(same(converted(bits.astype(">u2"), "--from", "bfloat16", "--to", "fp32"), expected), "big-endian bf16")
    got = converted(expected, "--to", "bf16", "--nan", "propagate")
    finite = np.isfinite(expected)
    check(got.dtype == np.dtype("V2") and np.all(got.view("u2")[finite] == bits[finite]), "bf16 is written as V2")
    bytes_ = np.arange(256, dtype="u1").reshape(16, 16)
    wide = converted(bytes_.view("V1"), "--dtype", "e4m3", "--to", "fp64", "--nan", "signed")
    back = converted(wide, "--to", "e4m3", "--nan", "signed")
    check(back.dtype == np.dtype("V1") and np.all(back.view("u1") == bytes_), "every e4m3 code there and back")
    check(wide[3, 8] == 1.0 and wide[7, 14] == 448 and np.isnan(wide[7, 15]), "e4m3 codes mean what they mean")
    codes = np.arange(64, dtype="u1")
    wide = converted(codes.view("V1"), "--dtype", "e3m2", "--to", "fp32")
    back = converted(wide, "--to", "e3m2")
    check(np.all(back.view("u1") == codes) and np.all(np.diff(wide[:32]) > 0), "fp6 codes are bytes of their own")


def refused():
    record = np.zeros(3, dtype=[("a", "<f4"), ("b", "<i4")])
    for array in (record, np.zeros(3, "c8"), np.zeros(3, "?"), np.zeros(3, "U4"), np.zeros(3, "M8[s]"),
                  np.zeros(3, "V3")):
        check(converted(array, "--from", "fp32", "--to", "fp16") is None, f"{array.dtype} is refused")
    if np.dtype("longdouble").itemsize == 16:
        check(converted(np.zeros(3, "longdouble"), "--to", "fp16") is None, "long double is refused")
    np.save("object.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    status, _, message = cast("--to", "fp16", "object.npy", "never.npy")
    check(status == 2 and "objects" in message and not os.path.exists("never.npy"), "pickled objects are refused")


def streams():
    array = np.asfortranarray(np.arange(6, dtype=">f4").reshape(2, 3))
    file = io.BytesIO()
    np.save(file, array)
    status, out, _ = cast("--to", "fp16", feed=file.getvalue())
    check(status == 0 and same(np.load(io.BytesIO(out)), array.astype("<f2", order="K")), "a .npy stream is one")
    status, out, _ = cast("--to", "fp16", "--raw", feed=file.getvalue())
    check(status == 0 and out == array.astype("<f2").tobytes("F"), "--raw is the elements as they lie")
    status, out, _ = cast("--from", "fp32", "--to", "fp32", "-", "bare.npy", feed=np.arange(5, dtype="<f4").tobytes())
    with open("bare.npy", "rb") as made:
        file = io.BytesIO()
        np.save(file, np.arange(5, dtype="<f4"))
        check(status == 0 and made.read() == file.getvalue(), "one dimension is written byte for byte as numpy does")
    big = np.random.default_rng(5).standard_normal(300001).astype("f4")
    got = converted(big.reshape(-1, 1), "--to", "fp16", "--threads", "2")
    check(same(got, big.astype("f2").reshape(-1, 1)), "an array of several pieces")


def packed():
    """Bits counted by numpy: lowest first, back to back."""
    codes = np.random.default_rng(6).integers(0, 64, 1001).astype("u1")
    bits = np.unpackbits(codes[:, None], axis=1, bitorder="little")[:, :6].ravel()
    expected = np.packbits(bits, bitorder="little").tobytes()
    status, wide, _ = cast("--from", "e2m3", "--to", "fp32", "--unpacked", feed=codes.tobytes())
    check(status == 0, "unpacked fp6")
    status, out, _ = cast("--from", "fp32", "--to", "e2m3", feed=wide)
    check(status == 0 and out == expected, "fp6 packed as numpy packs bits")
    status, out, _ = cast("--from", "e2m3", "--to", "fp32", "--count", "1001", feed=expected)
    check(status == 0 and out == wide, "packed fp6 read")
    np.save("codes.npy", codes.view("V1"))
    status, out, _ = cast("--dtype", "e2m3", "--to", "e2m3", "--raw", "codes.npy")
    check(status == 0 and out == expected, "from the bytes of .npy to packed bits")
    status, _, _ = cast("--from", "e2m3", "--count", "1001", "--to", "e2m3", "-", "back.npy", feed=expected)
    check(status == 0 and np.all(np.load("back.npy").view("u1") == codes), "from packed bits to the bytes of .npy")


for group in (conversions, versions, opaque, refused, streams, packed):
    group()
conclude()
