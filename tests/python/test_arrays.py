"""Arrays: against numpy's own conversions, a search in the table of values, what other libraries are known to do, and
the command."""
import copy
import json
import math
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import unittest

from support import bits_to_float32, command, normal, np, same_bits, spread, torch, RANDOM

import libbinade as bd


def ocp_value(code, exponent_bits, fraction_bits, bias):
    """A finite code by the formula of OCP's specifications."""
    fraction = code & ((1 << fraction_bits) - 1)
    exponent = code >> fraction_bits & ((1 << exponent_bits) - 1)
    sign = -1.0 if code >> (exponent_bits + fraction_bits) else 1.0
    if exponent == 0:
        return sign * fraction * 2.0**(1 - bias - fraction_bits)
    return sign * ((1 << fraction_bits) + fraction) * 2.0**(exponent - bias - fraction_bits)


# name, exponent bits, fraction bits, bias, the largest finite magnitude's code, what overflow gives
SMALL = [("e4m3", 4, 3, 7, 0x7e, 0x7f), ("e5m2", 5, 2, 15, 0x7b, 0x7c), ("e3m2", 3, 2, 3, 0x1f, 0x1f),
         ("e2m3", 2, 3, 1, 0x1f, 0x1f), ("e2m1", 2, 1, 1, 0x7, 0x7)]


def nearest_codes(x, row):
    """The codes of finite numbers, by a search among all values: ties to the even code, then overflow."""
    _, exponent_bits, fraction_bits, bias, largest, beyond = row
    values = np.array([ocp_value(c, exponent_bits, fraction_bits, bias) for c in range(largest + 1)])
    step = values[-1] - values[-2]
    values = np.append(values, values[-1] + step)
    magnitude = np.abs(x.astype(np.float64))
    above = np.clip(np.searchsorted(values, magnitude, "left"), 1, largest + 1)
    middle = (values[above] + values[above - 1]) / 2
    up = (magnitude > middle) | ((magnitude == middle) & (above % 2 == 0))
    code = np.where(up, above, above - 1)
    code = np.where(code > largest, beyond, code)
    return (code | np.signbit(x).astype(int) << (exponent_bits + fraction_bits)).astype(np.uint8)



class Numpy(unittest.TestCase):
    """numpy converts float16 correctly; NaNs keep sign and payload there, and their sign alone here."""

    def check_fp16(self, x):
        with np.errstate(all="ignore"):
            want = x.astype(np.float16).view(np.uint16)
        got = bd.encode(x, "fp16")
        finite = ~np.isnan(x)
        self.assertEqual(np.count_nonzero(got[finite] != want[finite]), 0)
        self.assertTrue(np.all(got[~finite] == (want[~finite] & 0x8000 | 0x7e00)))
        self.assertTrue(np.all(bd.encode(x, "fp16", nan="canonical")[~finite] == 0x7e00))

    def test_fp16_of_float32(self):
        self.check_fp16(bits_to_float32(200000))
        self.check_fp16(normal(100000))
        near = np.arange(0, 0x7c00, dtype=np.uint16).view(np.float16).astype(np.float32)
        middle = ((near[1:].astype(np.float64) + near[:-1]) / 2).astype(np.float32)
        for x in (near, middle, np.nextafter(middle, np.float32(0)), np.nextafter(middle, np.float32(1e9))):
            self.check_fp16(x)
            self.check_fp16(-x)

    def test_fp16_of_float64(self):
        self.check_fp16(RANDOM.standard_normal(100000) * 2.0**RANDOM.randint(-30, 20, 100000))
        self.assertEqual(bd.decode(bd.encode(1 + 2**-11 + 2**-40, "fp16"), "fp16"), 1 + 2**-10)

    def test_fp32_of_float64(self):
        x = RANDOM.standard_normal(100000) * 2.0**RANDOM.randint(-160, 135, 100000)
        with np.errstate(all="ignore"):
            self.assertTrue(same_bits(bd.encode(x, "fp32"), x.astype(np.float32).view(np.uint32)))
            self.assertTrue(same_bits(bd.round(x, "fp32"), x.astype(np.float32).astype(np.float64)))

    def test_fp16_decoded(self):
        codes = np.arange(65536, dtype=np.uint16)
        want = codes.view(np.float16).astype(np.float32)
        got = bd.decode(codes, "fp16")
        self.assertTrue(same_bits(got[~np.isnan(want)], want[~np.isnan(want)]))
        self.assertTrue(np.array_equal(np.isnan(got), np.isnan(want)))

    def test_bf16(self):
        x = bits_to_float32(200000)
        x = x[~np.isnan(x)]
        bits = x.view(np.uint32).astype(np.uint64)
        want = (bits + 0x7fff + (bits >> 16 & 1) >> 16).astype(np.uint16)
        self.assertTrue(same_bits(bd.encode(x, "bf16"), want))
        self.assertTrue(same_bits(bd.decode(want, "bf16"), (want.astype(np.uint32) << 16).view(np.float32)))

    def test_limits(self):
        for name, kind in (("fp16", np.float16), ("fp32", np.float32), ("fp64", np.float64)):
            f, info = bd.Format(name), np.finfo(kind)
            self.assertEqual((f.max, f.smallest_normal, f.smallest, f.epsilon),
                             (float(info.max), float(info.tiny), float(np.nextafter(kind(0), kind(1))),
                              float(info.eps)))


class SmallFormats(unittest.TestCase):
    def test_encode(self):
        x = np.concatenate([bits_to_float32(20000), spread(20000)])
        x = x[np.isfinite(x)]
        for row in SMALL:
            values = np.array([ocp_value(c, *row[1:4]) for c in range(row[4] + 1)], np.float32)
            middles = ((values[1:].astype(np.float64) + values[:-1]) / 2).astype(np.float32)
            all_of_them = np.concatenate([x, values, middles, -middles])
            got, want = bd.encode(all_of_them, row[0], nan="signed"), nearest_codes(all_of_them, row)
            for i in np.flatnonzero(got != want)[:3]:
                print(f"{row[0]}: {all_of_them[i]!r} gives {got[i]:#x}, not {want[i]:#x}")
            self.assertEqual(np.count_nonzero(got != want), 0, row[0])

    def test_decode(self):
        for name, exponent_bits, fraction_bits, bias, largest, _ in SMALL:
            sign = 1 << (exponent_bits + fraction_bits)
            codes = np.concatenate([np.arange(largest + 1), np.arange(largest + 1) + sign]).astype(np.uint8)
            want = np.array([ocp_value(int(c), exponent_bits, fraction_bits, bias) for c in codes])
            self.assertTrue(same_bits(bd.decode(codes, name), want.astype(np.float32)), name)
            self.assertTrue(same_bits(bd.decode(codes, name, np.float64), want), name)

    def test_ml_dtypes(self):
        """What ml_dtypes gives, format by format."""
        nan, inf = float("nan"), float("inf")
        facts = [("float8_e4m3fn", [(inf, 0x7f), (-inf, 0xff), (464, 0x7e), (465, 0x7f), (448, 0x7e), (-0.0, 0x80),
                                    (nan, 0x7f), (-nan, 0xff), (2**-10, 0), (3 * 2**-10, 2),
                                    (-431.99999999999994, 0xfd)]),
                 ("float8_e5m2", [(inf, 0x7c), (61440, 0x7c), (57344, 0x7b), (-0.0, 0x80), (nan, 0x7e), (-nan, 0xfe)]),
                 ("float8_e4m3fnuz", [(inf, 0x80), (1e9, 0x80), (-0.0, 0), (nan, 0x80), (240, 0x7f)]),
                 ("float8_e5m2fnuz", [(inf, 0x80), (-inf, 0x80), (-0.0, 0), (nan, 0x80)]),
                 ("float8_e4m3b11fnuz", [(inf, 0x80), (-0.0, 0), (nan, 0x80)]),
                 ("float4_e2m1fn", [(inf, 7), (100, 7), (-0.0, 8), (nan, 8), (-nan, 0)]),
                 ("float6_e3m2fn", [(inf, 0x1f), (1e9, 0x1f), (nan, 0x20), (-nan, 0)]),
                 ("float6_e2m3fn", [(-inf, 0x3f), (nan, 0x20), (-nan, 0)]),
                 ("float8_e8m0fnu", [(inf, 0xff), (nan, 0xff), (0, 0xff), (-1, 0xff), (1.5, 128), (3, 129), (6, 130),
                                     (2**-128, 0), (1, 127)])]
        for name, pairs in facts:
            x = np.array([value for value, _ in pairs], np.float64)
            x[[str(value) == "nan" and np.signbit(value) for value, _ in pairs]] = -nan
            got = bd.encode(x, name, dialect="ml_dtypes").tolist()
            self.assertEqual(got, [code for _, code in pairs], name)

    def test_torch_bf16(self):
        """PyTorch's bf16: the dialect's codes, but for NaN, which vectorised code for x86 writes as ffff and the scalar
        rule as 7fc0 (doc/reference/dialects.md)."""
        t = torch()
        ties = np.arange(0x3f7f7ff0, 0x3f818010, dtype=np.uint32).view(np.float32)
        x = np.concatenate([bits_to_float32(100000), ties, np.array([0, np.inf], np.float32)])
        for y in (x, x[::3], -x):
            got = t.from_numpy(y.copy()).to(t.bfloat16).view(t.int16).numpy().view(np.uint16)
            want, nan = bd.encode(y, "bf16", dialect="torch-2.11"), np.isnan(y)
            self.assertTrue(np.array_equal(got[~nan], want[~nan]))
        nans = np.array([0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0xffffffff] * 7, np.uint32).view(np.float32)
        self.assertEqual(set(bd.encode(nans, "bf16", dialect="torch-2.11").tolist()), {0x7fc0})
        for n in range(1, len(nans) + 1):
            got = t.from_numpy(nans[:n].copy()).to(t.bfloat16).view(t.int16).numpy().view(np.uint16)
            self.assertIn(set(got.tolist()), ({0x7fc0}, {0xffff}), "scalar rule: 7fc0; vectorised code: ffff")
        one = t.tensor(float("nan"), dtype=t.bfloat16)
        self.assertEqual(one.reshape(1).view(t.int16).item(), 0x7fc0)

    def test_policies(self):
        x = np.array([1e9, -1e9, np.inf, np.nan, 300.0], np.float32)
        self.assertEqual(bd.encode(x, "e4m3", overflow="saturate").tolist(), [0x7e, 0xfe, 0x7e, 0x7f, 0x79])
        self.assertEqual(bd.encode(x, "e5m2", "rne", "propagate").tolist(), [0x7b, 0xfb, 0x7c, 0x7e, 0x5d])
        up, down = (bd.decode(bd.encode(x[4:], "e4m3", mode), "e4m3")[0] for mode in ("rup", "rdn"))
        self.assertEqual((up, down), (320, 288))
        self.assertEqual(bd.encode(2.0**-15, "fp16", flush="out"), 0)
        self.assertEqual(bd.encode(2.0**-15, "fp16"), 0x200)


class Arrays(unittest.TestCase):
    def test_shapes_and_strides(self):
        base = normal(7, 12, 5)
        big = base.astype(">f4")
        views = [base, base[::2], base[:, ::-1], base.T, base[1, :, 2], base.ravel()[::7], base.ravel()[::-3],
                 np.broadcast_to(base[0, 0], (4, 5)), big, base[:, :0], base[2, 3, 4], np.asfortranarray(base)]
        for x in views:
            native = np.array(x, np.float32, order="C")
            codes = bd.encode(x, "e4m3")
            self.assertEqual((codes.shape, codes.dtype), (x.shape, np.dtype(np.uint8)))
            want = np.array([bd.encode(value, "e4m3") for value in native.ravel()], np.uint8)
            self.assertTrue(np.array_equal(np.ravel(codes), want))
            self.assertTrue(np.array_equal(bd.decode(codes, "e4m3"), bd.round(x, "e4m3")))
        strided = np.arange(256, dtype=np.uint8)[::3]
        self.assertTrue(same_bits(bd.decode(strided, "e5m2"), bd.decode(strided.copy(), "e5m2")))

    def test_types(self):
        for name, kind in (("e2m1", np.uint8), ("e4m3", np.uint8), ("fp16", np.uint16), ("tf32", np.uint32),
                           ("fp32", np.uint32), ("e8m24", np.uint64), ("fp64", np.uint64)):
            self.assertEqual(bd.encode(np.ones(3), name).dtype, np.dtype(kind))
            self.assertEqual(bd.decode(bd.encode(np.ones(3), name), name).tolist(), [1, 1, 1])
        self.assertEqual(bd.decode(np.zeros(1, np.uint64), "fp64").dtype, np.float64)
        self.assertEqual(bd.decode(np.zeros(1, np.uint32), "fp32").dtype, np.float32)
        x16 = np.array([0.1, 65504], np.float16)
        self.assertTrue(same_bits(bd.encode(x16, "e5m2"), bd.encode(x16.astype(np.float32), "e5m2")))
        self.assertEqual(bd.encode([3, -5], "e4m3").tolist(), bd.encode([3.0, -5.0], "e4m3").tolist())
        self.assertEqual(bd.encode(np.array([2**53, True], np.int64), "fp64").tolist()[1], 0x3ff0000000000000)
        with self.assertRaisesRegex(ValueError, "rounding twice"):
            bd.encode(np.array([2**60 + 1]), "bf16")
        with self.assertRaisesRegex(TypeError, "real numbers"):
            bd.encode(np.array([1j]), "bf16")

    def test_lists_of_large_integers(self):
        """numpy makes floats of them beside negative numbers and floats: refused where that rounds."""
        odd = 2**53 + 1
        for wrong in ([2**63 + 2**39 + 1, -1], [odd, 0.5], (0.5, -odd), [[0.5, 1], [odd, 2]], [np.int64(odd), 0.5],
                      [np.array([odd]), np.array([0.5])]):
            with self.assertRaisesRegex(ValueError, "does not hold these integers exactly, and rounding twice"):
                bd.encode(wrong, "fp32")
        for right in ([2**63, -1], [2**53, 0.5], [2**60, 1e300, float("inf")], [[odd + 1, 0.5]], [float(odd), 0.5]):
            self.assertEqual(bd.round(right, "fp64").tolist(), [list(map(float, right[0]))]
                             if isinstance(right[0], list) else list(map(float, right)))

    def test_round(self):
        x = normal(1000)
        kept = x.copy()
        want = bd.decode(bd.encode(x, "e6m9"), "e6m9")
        self.assertTrue(same_bits(bd.round(x, "e6m9"), want))
        self.assertTrue(same_bits(x, kept))
        self.assertIs(bd.round(x, "e6m9", out=x), x)
        self.assertTrue(same_bits(x, want))
        holes, again = np.zeros(2000, np.float32), kept.copy()
        bd.round(kept, "e6m9", out=holes[::2])
        self.assertTrue(same_bits(holes[::2].copy(), want))
        self.assertFalse(holes[1::2].any())
        bd.round(again[:-1], "e6m9", out=again[1:])
        self.assertTrue(same_bits(again[1:], want[:-1]))
        self.assertEqual(bd.round(kept.astype(np.float64), "e6m9").dtype, np.float64)
        self.assertEqual(bd.round(0.3, "p3emin-5emax5"), 0.3125)
        with self.assertRaisesRegex(ValueError, "out must be"):
            bd.round(x, "e6m9", out=np.zeros(1000))

    def test_out_that_cannot_have_the_result(self):
        """What is read as a copy, and elements that share memory: refused, and not returned as if it were written."""
        strided, codes, x = np.lib.stride_tricks.as_strided, np.array([1, 2], np.uint8), normal(8, 32)
        copied, shared = "out must be an array that can be written to in place", "elements that share memory"
        for call, words in ((lambda: bd.round([1.1, 2.2], "bf16", out=[0.0, 0.0]), copied),
                            (lambda: bd.round(1.1, "bf16", out=0.0), copied),
                            (lambda: bd.round(1.1, "bf16", out=np.float64(0)), copied),
                            (lambda: bd.encode([1.0, 2.0], "fp64", out=[0, 0]), copied),
                            (lambda: bd.encode([1.0, 2.0], "fp16", out=np.zeros(2, ">f2")), copied),
                            (lambda: bd.convert(codes, "e4m3", "fp16", out=np.zeros(2, ">f2")), copied),
                            (lambda: bd.round(np.ones(3), "bf16", out=strided(np.zeros(1), (3,), (0,))), shared),
                            (lambda: bd.round(np.ones(3), "bf16", out=strided(np.zeros(3), (3,), (4,))), shared),
                            (lambda: bd.round(np.ones((2, 2)), "bf16", out=strided(np.zeros(3), (2, 2), (8, 8))),
                             shared),
                            (lambda: bd.matmul(x, x.T, out=strided(np.zeros(8, np.float32), (8, 8), (0, 4))), shared),
                            (lambda: bd.fake_quantize(x, out=strided(x[0].copy(), x.shape, (0, 4))), shared)):
            with self.assertRaisesRegex(ValueError, words):
                call()
        for out in (strided(np.zeros(10), (2, 3), (24, 16)), np.zeros((3, 2)).T, np.zeros((4, 6))[::-2, ::2]):
            self.assertIs(bd.round(np.full((2, 3), 1.1), "e2m1", out=out), out)
            self.assertEqual(out.tolist(), [[1.0] * 3] * 2)
        self.assertEqual(bd.round(np.empty((0, 3)), "bf16", out=np.empty((0, 3))).shape, (0, 3))

    def test_packed(self):
        for name, width in (("e3m2", 6), ("e2m1", 4), ("e5m6", 12), ("e1m1", 3), ("e4m3", 8), ("fp16", 16)):
            x = normal(3, 37)
            codes = bd.encode(x, name)
            packed = bd.encode(x, name, packed=True)
            each = codes.ravel()[:, None] >> np.arange(width, dtype=codes.dtype) & 1
            want = np.packbits(each.astype(np.uint8).ravel(), bitorder="little")
            self.assertTrue(same_bits(packed, want), name)
            self.assertTrue(same_bits(bd.decode(packed, name, packed=True, shape=(3, 37)), bd.round(x, name)))
        with self.assertRaisesRegex(ValueError, "are 12 bytes"):
            bd.decode(np.zeros(11, np.uint8), "e3m2", packed=True, shape=16)
        with self.assertRaisesRegex(ValueError, "need"):
            bd.decode(np.zeros(12, np.uint8), "e3m2", packed=True)

    def test_stochastic(self):
        x = normal(100000)
        codes = bd.encode(x, "e4m3", "sr:16", seed=5)
        parts = [bd.encode(x[at:at + 33333], "e4m3", "sr:16", seed=5, first=at) for at in range(0, 100000, 33333)]
        self.assertTrue(same_bits(codes, np.concatenate(parts)))
        self.assertTrue(same_bits(codes, bd.encode(x, "e4m3", "sr:16", seed=5, threads=2)))
        self.assertGreater(np.count_nonzero(codes != bd.encode(x, "e4m3", "sr:16", seed=6)), 10000)
        third = bd.round(np.full(100000, 1 + 0.125 / 3, np.float32), "e4m3", "sr:16")
        self.assertEqual(sorted(set(third.tolist())), [1.0, 1.125])
        share = float((third > 1).mean())  # of 100,000 with probability 1/3: six deviations are 0.009
        self.assertAlmostEqual(share, 1 / 3, delta=0.009)

    def test_backends(self):
        x, found = bits_to_float32(5003), []
        for name in ("portable", "avx2", "avx512", "neon", "wasm128"):
            try:
                got = bd.encode(x, "e4m3", backend=name)
            except bd.Error as why:
                self.assertIn("is not available on this machine", str(why))
                continue
            found.append(name)
            self.assertTrue(same_bits(got, bd.encode(x, "e4m3")), name)
        self.assertIn("portable", found)

    def test_stats(self):
        x = np.concatenate([normal(10000), np.float32([0, 1e9, -1e9, np.inf, -np.inf, np.nan, 2**-12, 0.5])])
        codes, s = bd.encode(x, "e4m3", overflow="saturate", stats=True)
        y = bd.decode(codes, "e4m3").astype(np.float64)
        finite = np.isfinite(x)
        self.assertEqual(s.elements, x.size)
        self.assertEqual((s.infinities_in, s.nans_in, s.nans_out), (2, 1, 1))
        self.assertEqual(s.inexact, np.count_nonzero(x[finite] != y[finite]))
        self.assertEqual(s.overflows, 2)
        self.assertEqual(s.saturated, 4)
        self.assertEqual(s.to_zero, np.count_nonzero((x != 0) & (y == 0)))
        self.assertEqual((s.largest, s.smallest), (1e9, np.abs(x[finite & (x != 0)]).min()))
        error = float(((x[finite] - y[finite])**2).sum())
        self.assertAlmostEqual(s.squared_error / error, 1, places=9)
        self.assertEqual(s.compared, np.count_nonzero(finite))
        self.assertAlmostEqual(s.mse / (error / s.compared), 1, places=9)
        nothing = bd.encode(np.float32([]), "e4m3", stats=True)[1]
        self.assertTrue(math.isnan(nothing.mse) and math.isnan(nothing.sqnr_db))
        exact = bd.encode(np.float32([1, 2]), "e4m3", stats=True)[1]
        self.assertEqual((exact.mse, exact.sqnr_db), (0, math.inf))
        ordinary = np.abs(x[finite & (x != 0)]).astype(np.float64)
        exponents = np.clip(np.frexp(ordinary)[1] - 1, -41, 22) + 41
        self.assertEqual(list(s.exponents), np.bincount(exponents, minlength=64).tolist())
        _, of_round = bd.round(x, "e4m3", overflow="saturate", stats=True)
        self.assertEqual(of_round.inexact, s.inexact)
        self.assertEqual(bd.encode(np.ones(4), "fp16", stats=True)[1].sqnr_db, np.inf)


class Messages(unittest.TestCase):
    def test_errors(self):
        x = np.ones(3, np.float32)
        for call, kind, text in (
                (lambda: bd.encode(x, "e4m3q"), bd.Error, "e4m3"),
                (lambda: bd.encode(x, "e4m3", "nearest-ish"), bd.Error, "unknown rounding mode"),
                (lambda: bd.encode(x, "e4m3", overflow="burst"), bd.Error, "burst"),
                (lambda: bd.encode(x, "e4m3", backend="sse"), bd.Error, "unknown back end 'sse'"),
                (lambda: bd.encode(x, "e4m3", dialect="latin"), bd.Error, "unknown dialect"),
                (lambda: bd.encode(x, "e6m9", dialect="cuda-nosat"), ValueError, "has no rule for e6m9"),
                (lambda: bd.encode(x, "p11"), ValueError, "value set"),
                (lambda: bd.encode(x, "e4m3", seed=-1), ValueError, "seed must be a whole number"),
                (lambda: bd.encode(x, "e4m3", seed=1.5), TypeError, "seed must be a whole number, not 1.5"),
                (lambda: bd.encode(x, "e4m3", first="1"), TypeError, "first must be a whole number, not '1'"),
                (lambda: bd.decode(np.uint8([0, 0x10]), "e2m1", packed=True, shape=3), ValueError,
                 "the last byte, 0x10, must have only zeros after the last code of e2m1, element 2"),
                (lambda: bd.decode(np.uint32([0, 0x3f800001]), "tf32", packed=True, shape=2), ValueError, "uint8"),
                (lambda: bd.decode(np.uint32([0, 0x3f800001]).view(np.uint8), "tf32", packed=True, shape=2),
                 ValueError, "element 1 is 0x3f800001, not a code of tf32"),
                (lambda: bd.decode(np.uint8([0]), "e4m3", packed=True, shape=1.5), TypeError, "a shape must be"),
                (lambda: bd.decode(np.uint8([0]), "e4m3", packed=True, shape=(2**63, 2**63)), ValueError,
                 "no array"),
                (lambda: bd.decode(np.uint8([0, 0]), "e4m3", packed=True, shape=(-1, -2)), ValueError, "no array"),
                (lambda: bd.quantize(x, "mxfp8", axis="a"), TypeError, "axis must be a whole number, not 'a'"),
                (lambda: bd.dequantize(*bd.quantize(x, "nvfp4"), "nvfp4", tensor_scale="a"), TypeError,
                 "tensor_scale must be a number, not 'a'"),
                (lambda: bd.formats(3), TypeError, "a list of formats is a str"),
                (lambda: bd.dequantize(np.uint8([1] * 6 + [0x12, 1]), np.uint8([127]), "mxfp4"), ValueError,
                 "element 6 is 0x12, not a code of e2m1"),
                (lambda: bd.dequantize(np.uint8([0, 0x20]), np.uint8([127]), "mxfp4", packed=True, shape=(3,)),
                 ValueError, "the last byte, 0x20"),
                (lambda: bd.encode(x, "e4m3", flush="often"), ValueError, "flush must be"),
                (lambda: bd.encode(x, 5), TypeError, "is a str"),
                (lambda: bd.encode(x, x), TypeError, "not ndarray"),
                (lambda: bd.encode(np.ma.array(x, mask=x > 0), "e4m3"), TypeError, "masked"),
                (lambda: bd.decode([256], "e4m3"), ValueError, "a code of e4m3 must be a number from 0 to 0xff"),
                (lambda: bd.decode([-1], "e4m3"), ValueError, "from 0 to 0xff"),
                (lambda: bd.decode(x, "e4m3"), TypeError, "codes must be integers"),
                (lambda: bd.decode([1], "e4m3", np.float16), TypeError, "float32 or float64")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        with self.assertRaises(bd.Error) as caught:
            bd.Format("e4m3q")
        self.assertEqual(caught.exception.status, "BND_BAD_NAME")

    def test_formats(self):
        table = bd.formats()
        names = [f.name for f in table]
        self.assertEqual(names, [f.name for f in bd.formats("all")][:len(names)])
        self.assertIn("e4m3", names)
        self.assertEqual([f.name for f in bd.formats("e4m3,e6m9")], ["e4m3", "e6m9"])
        f = bd.Format("float8_e4m3fn")
        self.assertEqual((f.name, f.max, f.smallest, f.dtype), ("e4m3", 448.0, 2.0**-9, np.dtype(np.uint8)))
        self.assertIn("F8_E4M3", f.names["safetensors"])
        self.assertEqual(f, bd.Format(f))
        for again in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
            self.assertEqual((again, hash(again), again.max), (f, hash(f), 448.0))
        for kind in (np.float16, np.dtype("f2"), np.dtype(np.float16)):
            self.assertEqual(bd.Format(kind).name, "fp16")
        for kind in (float, np.float64, np.dtype(float), np.dtype(">f8")):
            self.assertEqual(bd.Format(kind).name, "fp64")
        self.assertEqual(bd.encode(np.ones(2), np.float32).tolist(), [0x3f800000] * 2)
        self.assertIn("448", repr(f))
        for other in (int, bool, pathlib.Path("/x/e4m3"), np.float32(1), [1], None):
            with self.assertRaisesRegex(TypeError, "a format's name is a str or a type such as float16"):
                bd.Format(other)
        if np.dtype(np.longdouble).itemsize > 8:
            with self.assertRaisesRegex(TypeError, "another format on each machine"):
                bd.Format(np.longdouble)

    def test_a_format_cannot_be_changed(self):
        f = bd.Format("e4m3")
        for name in ("emin", "width", "max", "new"):
            with self.assertRaisesRegex(AttributeError, "a Format cannot be changed"):
                setattr(f, name, 0)
        with self.assertRaisesRegex(AttributeError, "a Format cannot be changed"):
            del f.emin
        self.assertEqual(bd.encode([1.0], f).tolist(), [0x38])

    def test_epsilon(self):
        """The number after 1 where 1 is normal or subnormal, in formats and in value sets; NaN without both."""
        for name, epsilon in (("e4m3", 0.125), ("fp64", 2.0**-52), ("p3emin-5emax5", 0.25), ("e2m3b0", 0.25),
                              ("p11emin-14emax15", 2.0**-10), ("e8m0", 1.0), ("e2m1", 0.5), ("e15m10", 2.0**-10)):
            self.assertEqual(bd.Format(name).epsilon, epsilon, name)
        self.assertTrue(np.isnan(bd.Format("e3m2b20").epsilon))
        for f in bd.formats():
            if 0 < f.width <= 16:
                numbers = np.unique(bd.decode(np.arange(2**f.width, dtype=f.dtype), f, np.float64))
                above = numbers[(numbers > 1) & np.isfinite(numbers)]
                want = above[0] - 1 if len(above) and 1 in numbers else np.nan
                self.assertTrue(np.array_equal(f.epsilon, want, equal_nan=True), f.name)


class Command(unittest.TestCase):
    def test_show(self):
        """The same codes as `binade show --json` of the same numbers."""
        x = np.concatenate([normal(20), bits_to_float32(40)])
        x = x[~np.isnan(x)]
        formats = "fp16,bf16,e4m3,e5m2,e4m3fnuz,e3m2,e2m1,binary8p3se,e6m9"
        for mode in ("rne", "rtz", "rup", "rna", "rto"):
            values = [float(value).hex() for value in x.astype(np.float64)]
            run = subprocess.run([command(), "show", "--json", "-f", formats, "-r", mode, "-"],
                                 input="\n".join(values).encode(), stdout=subprocess.PIPE, check=True)
            shown = [json.loads(line)["results"] for line in run.stdout.decode().splitlines()]
            self.assertEqual(len(shown), x.size)
            for column, name in enumerate(formats.split(",")):
                codes = [int(results[column]["code"], 16) for results in shown]
                self.assertEqual(bd.encode(x, name, mode).tolist(), codes, f"{name} {mode}")


class Fork(unittest.TestCase):
    def test_children(self):
        """multiprocessing's fork: the parent's threads are gone in a child, which must not wait for them."""
        if not hasattr(os, "fork"):
            self.skipTest("no fork() here")
        x = np.linspace(-500, 500, 1000000, dtype=np.float32)
        want = bd.encode(x, "e4m3", threads=2)

        def child():
            signal.alarm(60)  # ends a child that waits for ever
            same = np.array_equal(bd.encode(x, "e4m3", threads=2), want)
            os._exit(0 if same else 1)

        children = [multiprocessing.get_context("fork").Process(target=child) for _ in range(2)]
        for process in children:
            process.start()
        for process in children:
            process.join()
        self.assertEqual([process.exitcode for process in children], [0, 0])
        self.assertTrue(np.array_equal(bd.encode(x, "e4m3", threads=2), want))


if __name__ == "__main__":
    unittest.main(verbosity=1)
