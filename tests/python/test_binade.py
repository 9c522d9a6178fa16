"""tools/python/binade.py against numpy's own conversions, a search in the table of values, what other libraries are
known to do, the command, and the tutorial."""

import doctest
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import unittest

import binade
import numpy as np

BUILD = os.environ["BND_BUILD"]
RANDOM = np.random.RandomState(1)


def bits_to_float32(count):
    """Random bits as float32: every exponent, NaNs and infinities too."""
    return RANDOM.randint(0, 2**32, count, np.uint64).astype(np.uint32).view(np.float32)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def spread(*shape):
    """Numbers of many magnitudes, from 2^-20 to 2^20."""
    return np.ldexp(normal(*shape), RANDOM.randint(-20, 20, shape))


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


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


class Mirror(unittest.TestCase):
    def test_types(self):
        """Every size, offset and constant is the compiler's."""
        printed = subprocess.run([os.path.join(BUILD, "tests/python/sizes")], stdout=subprocess.PIPE, check=True)
        here = {"BND_PACKING_PACKED": binade._PACKED, "BND_PACKING_UNPACKED": binade._UNPACKED,
                "BND_ECOSYSTEM_COUNT": binade._ECOSYSTEMS,
                "BND_SHARE_BLOCK": binade._SHARE_BLOCK, "BND_SHARE_TILE": binade._SHARE_TILE,
                "BND_SHARE_TENSOR": binade._SHARE_TENSOR}
        here.update({binade._library.bnd_status_name(i).decode(): i for i in range(7)})
        for name, mirror in (("rule", binade._Rule), ("context", binade._Context), ("array", binade._Array),
                             ("format", binade.Format), ("stats", binade.Stats), ("error", binade._Error),
                             ("block", binade._Block), ("shape", binade._Shape), ("given_scales", binade._Given)):
            here[f"bnd_{name}"] = binade.ctypes.sizeof(mirror)
            here.update({f"bnd_{name}.{field[0].lstrip('_')}": getattr(mirror, field[0]).offset
                         for field in mirror._fields_})
        there = dict(line.split() for line in printed.stdout.decode().splitlines())
        self.assertEqual(here, {name: int(value) for name, value in there.items()})

    def test_missing_library(self):
        environment = dict(os.environ, BINADE_LIBRARY="/nowhere/libbinade.so")
        run = subprocess.run([sys.executable, "-c", "import binade"], env=environment, stderr=subprocess.PIPE)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("set BINADE_LIBRARY to the shared library", run.stderr.decode())

    def test_other_version(self):
        """A mirror that is not the library's is refused, whichever type it is."""
        with open(binade.__file__, encoding="utf-8") as file:
            source = file.read()
        for field in ('("seed", ctypes.c_uint64),', '("ties", ctypes.c_uint8)', '("exponents", ctypes.c_uint64 * 64)',
                      'ctypes.c_char * 40'):
            self.assertEqual(source.count(field), 1)
            more = field[:-1] + "1" if field.endswith("40") else f'("more", ctypes.c_uint64), {field}'
            with self.assertRaisesRegex(ImportError, "its types differ"):
                exec(source.replace(field, more), {"__file__": binade.__file__, "__name__": "other"})

    def test_folder(self):
        environment = dict(os.environ, BINADE_LIBRARY=os.path.dirname(os.environ["BINADE_LIBRARY"]))
        program = "import binade; print(binade.Format('e4m3').max)"
        run = subprocess.run([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, check=True)
        self.assertEqual(run.stdout.decode().strip(), "448.0")


class Numpy(unittest.TestCase):
    """numpy converts float16 correctly; NaNs keep sign and payload there, and their sign alone here."""

    def check_fp16(self, x):
        with np.errstate(all="ignore"):
            want = x.astype(np.float16).view(np.uint16)
        got = binade.encode(x, "fp16")
        finite = ~np.isnan(x)
        self.assertEqual(np.count_nonzero(got[finite] != want[finite]), 0)
        self.assertTrue(np.all(got[~finite] == (want[~finite] & 0x8000 | 0x7e00)))
        self.assertTrue(np.all(binade.encode(x, "fp16", nan="canonical")[~finite] == 0x7e00))

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
        self.assertEqual(binade.decode(binade.encode(1 + 2**-11 + 2**-40, "fp16"), "fp16"), 1 + 2**-10)

    def test_fp32_of_float64(self):
        x = RANDOM.standard_normal(100000) * 2.0**RANDOM.randint(-160, 135, 100000)
        with np.errstate(all="ignore"):
            self.assertTrue(same_bits(binade.encode(x, "fp32"), x.astype(np.float32).view(np.uint32)))
            self.assertTrue(same_bits(binade.round(x, "fp32"), x.astype(np.float32).astype(np.float64)))

    def test_fp16_decoded(self):
        codes = np.arange(65536, dtype=np.uint16)
        want = codes.view(np.float16).astype(np.float32)
        got = binade.decode(codes, "fp16")
        self.assertTrue(same_bits(got[~np.isnan(want)], want[~np.isnan(want)]))
        self.assertTrue(np.array_equal(np.isnan(got), np.isnan(want)))

    def test_bf16(self):
        x = bits_to_float32(200000)
        x = x[~np.isnan(x)]
        bits = x.view(np.uint32).astype(np.uint64)
        want = (bits + 0x7fff + (bits >> 16 & 1) >> 16).astype(np.uint16)
        self.assertTrue(same_bits(binade.encode(x, "bf16"), want))
        self.assertTrue(same_bits(binade.decode(want, "bf16"), (want.astype(np.uint32) << 16).view(np.float32)))

    def test_limits(self):
        for name, kind in (("fp16", np.float16), ("fp32", np.float32), ("fp64", np.float64)):
            f, info = binade.Format(name), np.finfo(kind)
            self.assertEqual((f.max, f.smallest_normal, f.smallest, f.epsilon),
                             (float(info.max), float(info.tiny), float(np.nextafter(kind(0), kind(1))), float(info.eps)))


class SmallFormats(unittest.TestCase):
    def test_encode(self):
        x = np.concatenate([bits_to_float32(20000), spread(20000)])
        x = x[np.isfinite(x)]
        for row in SMALL:
            values = np.array([ocp_value(c, *row[1:4]) for c in range(row[4] + 1)], np.float32)
            middles = ((values[1:].astype(np.float64) + values[:-1]) / 2).astype(np.float32)
            all_of_them = np.concatenate([x, values, middles, -middles])
            got, want = binade.encode(all_of_them, row[0], nan="signed"), nearest_codes(all_of_them, row)
            for i in np.flatnonzero(got != want)[:3]:
                print(f"{row[0]}: {all_of_them[i]!r} gives {got[i]:#x}, not {want[i]:#x}")
            self.assertEqual(np.count_nonzero(got != want), 0, row[0])

    def test_decode(self):
        for name, exponent_bits, fraction_bits, bias, largest, _ in SMALL:
            sign = 1 << (exponent_bits + fraction_bits)
            codes = np.concatenate([np.arange(largest + 1), np.arange(largest + 1) + sign]).astype(np.uint8)
            want = np.array([ocp_value(int(c), exponent_bits, fraction_bits, bias) for c in codes])
            self.assertTrue(same_bits(binade.decode(codes, name), want.astype(np.float32)), name)
            self.assertTrue(same_bits(binade.decode(codes, name, np.float64), want), name)

    def test_ml_dtypes(self):
        """What ml_dtypes gives, format by format."""
        nan, inf = float("nan"), float("inf")
        facts = [("float8_e4m3fn", [(inf, 0x7f), (-inf, 0xff), (464, 0x7e), (465, 0x7f), (448, 0x7e), (-0.0, 0x80),
                                    (nan, 0x7f), (-nan, 0xff), (2**-10, 0), (3 * 2**-10, 2), (-431.99999999999994, 0xfd)]),
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
            got = binade.encode(x, name, dialect="ml_dtypes").tolist()
            self.assertEqual(got, [code for _, code in pairs], name)

    def test_policies(self):
        x = np.array([1e9, -1e9, np.inf, np.nan, 300.0], np.float32)
        self.assertEqual(binade.encode(x, "e4m3", overflow="saturate").tolist(), [0x7e, 0xfe, 0x7e, 0x7f, 0x79])
        self.assertEqual(binade.encode(x, "e5m2", "rne", "propagate").tolist(), [0x7b, 0xfb, 0x7c, 0x7e, 0x5d])
        up, down = (binade.decode(binade.encode(x[4:], "e4m3", mode), "e4m3")[0] for mode in ("rup", "rdn"))
        self.assertEqual((up, down), (320, 288))
        self.assertEqual(binade.encode(2.0**-15, "fp16", flush="out"), 0)
        self.assertEqual(binade.encode(2.0**-15, "fp16"), 0x200)


class Arrays(unittest.TestCase):
    def test_shapes_and_strides(self):
        base = normal(7, 12, 5)
        big = base.astype(">f4")
        views = [base, base[::2], base[:, ::-1], base.T, base[1, :, 2], base.ravel()[::7], base.ravel()[::-3],
                 np.broadcast_to(base[0, 0], (4, 5)), big, base[:, :0], base[2, 3, 4], np.asfortranarray(base)]
        for x in views:
            native = np.array(x, np.float32, order="C")
            codes = binade.encode(x, "e4m3")
            self.assertEqual((codes.shape, codes.dtype), (x.shape, np.dtype(np.uint8)))
            want = np.array([binade.encode(value, "e4m3") for value in native.ravel()], np.uint8)
            self.assertTrue(np.array_equal(np.ravel(codes), want))
            self.assertTrue(np.array_equal(binade.decode(codes, "e4m3"), binade.round(x, "e4m3")))
        strided = np.arange(256, dtype=np.uint8)[::3]
        self.assertTrue(same_bits(binade.decode(strided, "e5m2"), binade.decode(strided.copy(), "e5m2")))

    def test_types(self):
        for name, kind in (("e2m1", np.uint8), ("e4m3", np.uint8), ("fp16", np.uint16), ("tf32", np.uint32),
                           ("fp32", np.uint32), ("e8m24", np.uint64), ("fp64", np.uint64)):
            self.assertEqual(binade.encode(np.ones(3), name).dtype, np.dtype(kind))
            self.assertEqual(binade.decode(binade.encode(np.ones(3), name), name).tolist(), [1, 1, 1])
        self.assertEqual(binade.decode(np.zeros(1, np.uint64), "fp64").dtype, np.float64)
        self.assertEqual(binade.decode(np.zeros(1, np.uint32), "fp32").dtype, np.float32)
        x16 = np.array([0.1, 65504], np.float16)
        self.assertTrue(same_bits(binade.encode(x16, "e5m2"), binade.encode(x16.astype(np.float32), "e5m2")))
        self.assertEqual(binade.encode([3, -5], "e4m3").tolist(), binade.encode([3.0, -5.0], "e4m3").tolist())
        self.assertEqual(binade.encode(np.array([2**53, True], np.int64), "fp64").tolist()[1], 0x3ff0000000000000)
        with self.assertRaisesRegex(ValueError, "rounding twice"):
            binade.encode(np.array([2**60 + 1]), "bf16")
        with self.assertRaisesRegex(TypeError, "real numbers"):
            binade.encode(np.array([1j]), "bf16")

    def test_round(self):
        x = normal(1000)
        kept = x.copy()
        want = binade.decode(binade.encode(x, "e6m9"), "e6m9")
        self.assertTrue(same_bits(binade.round(x, "e6m9"), want))
        self.assertTrue(same_bits(x, kept))
        self.assertIs(binade.round(x, "e6m9", out=x), x)
        self.assertTrue(same_bits(x, want))
        holes, again = np.zeros(2000, np.float32), kept.copy()
        binade.round(kept, "e6m9", out=holes[::2])
        self.assertTrue(same_bits(holes[::2].copy(), want))
        self.assertFalse(holes[1::2].any())
        binade.round(again[:-1], "e6m9", out=again[1:])
        self.assertTrue(same_bits(again[1:], want[:-1]))
        self.assertEqual(binade.round(kept.astype(np.float64), "e6m9").dtype, np.float64)
        self.assertEqual(binade.round(0.3, "p3emin-5emax5"), 0.3125)
        with self.assertRaisesRegex(ValueError, "out must be"):
            binade.round(x, "e6m9", out=np.zeros(1000))

    def test_packed(self):
        for name, width in (("e3m2", 6), ("e2m1", 4), ("e5m6", 12), ("e1m1", 3), ("e4m3", 8), ("fp16", 16)):
            x = normal(3, 37)
            codes = binade.encode(x, name)
            packed = binade.encode(x, name, packed=True)
            each = codes.ravel()[:, None] >> np.arange(width, dtype=codes.dtype) & 1
            want = np.packbits(each.astype(np.uint8).ravel(), bitorder="little")
            self.assertTrue(same_bits(packed, want), name)
            self.assertTrue(same_bits(binade.decode(packed, name, packed=True, shape=(3, 37)), binade.round(x, name)))
        with self.assertRaisesRegex(ValueError, "are 12 bytes"):
            binade.decode(np.zeros(11, np.uint8), "e3m2", packed=True, shape=16)
        with self.assertRaisesRegex(ValueError, "need"):
            binade.decode(np.zeros(12, np.uint8), "e3m2", packed=True)

    def test_stochastic(self):
        x = normal(100000)
        codes = binade.encode(x, "e4m3", "sr:16", seed=5)
        parts = [binade.encode(x[at:at + 33333], "e4m3", "sr:16", seed=5, first=at) for at in range(0, 100000, 33333)]
        self.assertTrue(same_bits(codes, np.concatenate(parts)))
        self.assertTrue(same_bits(codes, binade.encode(x, "e4m3", "sr:16", seed=5, threads=2)))
        self.assertGreater(np.count_nonzero(codes != binade.encode(x, "e4m3", "sr:16", seed=6)), 10000)
        third = binade.round(np.full(100000, 1 + 0.125 / 3, np.float32), "e4m3", "sr:16")
        self.assertEqual(sorted(set(third.tolist())), [1.0, 1.125])
        share = float((third > 1).mean())  # of 100,000 with probability 1/3: six deviations are 0.009
        self.assertAlmostEqual(share, 1 / 3, delta=0.009)

    def test_backends(self):
        x, found = bits_to_float32(5003), []
        for name in ("portable", "avx2", "avx512", "neon", "wasm128"):
            try:
                got = binade.encode(x, "e4m3", backend=name)
            except binade.Error as why:
                self.assertIn("is not available on this machine", str(why))
                continue
            found.append(name)
            self.assertTrue(same_bits(got, binade.encode(x, "e4m3")), name)
        self.assertIn("portable", found)

    def test_stats(self):
        x = np.concatenate([normal(10000), np.float32([0, 1e9, -1e9, np.inf, -np.inf, np.nan, 2**-12, 0.5])])
        codes, s = binade.encode(x, "e4m3", overflow="saturate", stats=True)
        y = binade.decode(codes, "e4m3").astype(np.float64)
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
        nothing = binade.encode(np.float32([]), "e4m3", stats=True)[1]
        self.assertTrue(math.isnan(nothing.mse) and math.isnan(nothing.sqnr_db))
        exact = binade.encode(np.float32([1, 2]), "e4m3", stats=True)[1]
        self.assertEqual((exact.mse, exact.sqnr_db), (0, math.inf))
        ordinary = np.abs(x[finite & (x != 0)]).astype(np.float64)
        exponents = np.clip(np.frexp(ordinary)[1] - 1, -41, 22) + 41
        self.assertEqual(list(s.exponents), np.bincount(exponents, minlength=64).tolist())
        _, of_round = binade.round(x, "e4m3", overflow="saturate", stats=True)
        self.assertEqual(of_round.inexact, s.inexact)
        self.assertEqual(binade.encode(np.ones(4), "fp16", stats=True)[1].sqnr_db, np.inf)


class Messages(unittest.TestCase):
    def test_errors(self):
        x = np.ones(3, np.float32)
        for call, kind, text in (
                (lambda: binade.encode(x, "e4m3q"), binade.Error, "e4m3"),
                (lambda: binade.encode(x, "e4m3", "nearest-ish"), binade.Error, "unknown rounding mode"),
                (lambda: binade.encode(x, "e4m3", overflow="burst"), binade.Error, "burst"),
                (lambda: binade.encode(x, "e4m3", backend="sse"), binade.Error, "unknown back end 'sse'"),
                (lambda: binade.encode(x, "e4m3", dialect="latin"), binade.Error, "unknown dialect"),
                (lambda: binade.encode(x, "e6m9", dialect="cuda-nosat"), ValueError, "says nothing about e6m9"),
                (lambda: binade.encode(x, "p11"), ValueError, "value set"),
                (lambda: binade.encode(x, "e4m3", seed=-1), ValueError, "seed is a whole number"),
                (lambda: binade.encode(x, "e4m3", seed=1.5), TypeError, "seed is a whole number, not 1.5"),
                (lambda: binade.encode(x, "e4m3", first="1"), TypeError, "first is a whole number, not '1'"),
                (lambda: binade.decode(np.uint8([0, 0x10]), "e2m1", packed=True, shape=3), ValueError,
                 "the last byte, 0x10, must have only zeros after the last code of e2m1, element 2"),
                (lambda: binade.decode(np.uint32([0, 0x3f800001]), "tf32", packed=True, shape=2), ValueError, "uint8"),
                (lambda: binade.decode(np.uint32([0, 0x3f800001]).view(np.uint8), "tf32", packed=True, shape=2),
                 ValueError, "element 1 is 0x3f800001, not a code of tf32"),
                (lambda: binade.decode(np.uint8([0]), "e4m3", packed=True, shape=1.5), TypeError, "a shape is"),
                (lambda: binade.decode(np.uint8([0]), "e4m3", packed=True, shape=(2**63, 2**63)), ValueError,
                 "no arrays"),
                (lambda: binade.decode(np.uint8([0, 0]), "e4m3", packed=True, shape=(-1, -2)), ValueError, "no arrays"),
                (lambda: binade.quantize(x, "mxfp8", axis="a"), TypeError, "axis is a whole number, not 'a'"),
                (lambda: binade.dequantize(*binade.quantize(x, "nvfp4"), "nvfp4", tensor_scale="a"), ValueError,
                 "float"),
                (lambda: binade.formats(3), TypeError, "a list of formats is a str"),
                (lambda: binade.dequantize(np.uint8([1] * 6 + [0x12, 1]), np.uint8([127]), "mxfp4"), ValueError,
                 "element 6 is 0x12, not a code of e2m1"),
                (lambda: binade.dequantize(np.uint8([0, 0x20]), np.uint8([127]), "mxfp4", packed=True, shape=(3,)),
                 ValueError, "the last byte, 0x20"),
                (lambda: binade.encode(x, "e4m3", flush="often"), ValueError, "flush is one of"),
                (lambda: binade.encode(x, 5), TypeError, "is a str"),
                (lambda: binade.decode([256], "e4m3"), ValueError, "a code of e4m3 is a number from 0 to 0xff"),
                (lambda: binade.decode([-1], "e4m3"), ValueError, "from 0 to 0xff"),
                (lambda: binade.decode(x, "e4m3"), TypeError, "codes are integers"),
                (lambda: binade.decode([1], "e4m3", np.float16), TypeError, "float32 or float64")):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        with self.assertRaises(binade.Error) as caught:
            binade.Format("e4m3q")
        self.assertEqual(caught.exception.status, "BND_BAD_NAME")

    def test_formats(self):
        table = binade.formats()
        names = [f.name for f in table]
        self.assertEqual(names, [f.name for f in binade.formats("all")][:len(names)])
        self.assertIn("e4m3", names)
        self.assertEqual([f.name for f in binade.formats("e4m3,e6m9")], ["e4m3", "e6m9"])
        f = binade.Format("float8_e4m3fn")
        self.assertEqual((f.name, f.max, f.smallest, f.dtype), ("e4m3", 448.0, 2.0**-9, np.dtype(np.uint8)))
        self.assertIn("F8_E4M3", f.names["safetensors"])
        self.assertEqual(f, binade.Format(f))
        self.assertIn("448", repr(f))


class Documents(unittest.TestCase):
    def test_tutorial(self):
        """The tutorial's session prints what the page shows."""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../doc/tutorials/library-python.md")
        failed, tried = doctest.testfile(page, module_relative=False, encoding="utf-8")
        self.assertGreater(tried, 5)
        self.assertEqual(failed, 0)


class Command(unittest.TestCase):
    def test_show(self):
        """The same codes as `binade show --json` of the same numbers."""
        x = np.concatenate([normal(20), bits_to_float32(40)])
        x = x[~np.isnan(x)]
        formats = "fp16,bf16,e4m3,e5m2,e4m3fnuz,e3m2,e2m1,binary8p3se,e6m9"
        for mode in ("rne", "rtz", "rup", "rna", "rto"):
            values = [float(value).hex() for value in x.astype(np.float64)]
            run = subprocess.run([os.path.join(BUILD, "binade"), "show", "--json", "-f", formats, "-r", mode, "-"],
                                 input="\n".join(values).encode(), stdout=subprocess.PIPE, check=True)
            shown = [json.loads(line)["results"] for line in run.stdout.decode().splitlines()]
            self.assertEqual(len(shown), x.size)
            for column, name in enumerate(formats.split(",")):
                codes = [int(results[column]["code"], 16) for results in shown]
                self.assertEqual(binade.encode(x, name, mode).tolist(), codes, f"{name} {mode}")


class Fork(unittest.TestCase):
    def test_children(self):
        """multiprocessing's fork: the parent's threads are gone in a child, which must not wait for them."""
        if not hasattr(os, "fork"):
            self.skipTest("no fork() here")
        x = np.linspace(-500, 500, 1000000, dtype=np.float32)
        want = binade.encode(x, "e4m3", threads=2)

        def child():
            signal.alarm(60)  # ends a child that waits for ever
            same = np.array_equal(binade.encode(x, "e4m3", threads=2), want)
            os._exit(0 if same else 1)

        children = [multiprocessing.get_context("fork").Process(target=child) for _ in range(2)]
        for process in children:
            process.start()
        for process in children:
            process.join()
        self.assertEqual([process.exitcode for process in children], [0, 0])
        self.assertTrue(np.array_equal(binade.encode(x, "e4m3", threads=2), want))


class Blocks(unittest.TestCase):
    def test_exact(self):
        """What comes back as it was is exact, though 1 over the scale is no number of the element's format."""
        for block in ("e4m3/tensor", "e4m3/row", "e5m2/tensor", "nvfp4", "mxfp8"):
            s = binade.quantize(np.ones((1, 64), np.float32), block, stats=True).stats
            self.assertEqual((s.exact, s.inexact, s.mse, s.sqnr_db), (64, 0, 0, np.inf), block)

    def check_powers(self, block, element, rule, exponent_of):
        """Elements of x / 2^s, where s follows from the largest magnitude of each 32."""
        x = spread(6, 80)
        x[0, :32] = 0
        q = binade.quantize(x, block, rule=rule, stats=True)
        self.assertEqual((q.codes.shape, q.scales.shape, q.scales.dtype), ((6, 80), (6, 3), np.dtype(np.uint8)))
        amax = np.stack([np.abs(x[:, at:at + 32]).max(1) for at in (0, 32, 64)], 1).astype(np.float64)
        with np.errstate(divide="ignore"):
            exponent = np.where(amax > 0, exponent_of(amax), -127)
        self.assertEqual(q.scales.tolist(), (exponent + 127).astype(int).tolist())
        scaled = x.astype(np.float64) / np.repeat(2.0**exponent, 32, 1)[:, :80]
        want = binade.encode(scaled, element, overflow="saturate")
        self.assertTrue(same_bits(q.codes, want))
        back = binade.decode(want, element, np.float64) * np.repeat(2.0**exponent, 32, 1)[:, :80]
        self.assertTrue(same_bits(binade.dequantize(q), back.astype(np.float32)))
        codes, scales = q
        self.assertTrue(same_bits(binade.dequantize(codes, scales, block), binade.dequantize(q)))
        self.assertEqual(q.stats.elements, 480)
        self.assertIn(rule, q.block)

    def test_mx(self):
        for block, element, top, largest in (("mxfp8", "e4m3", 8, 448), ("mxfp8-e5m2", "e5m2", 15, 57344),
                                             ("mxfp6-e3m2", "e3m2", 4, 28), ("mxfp4", "e2m1", 2, 6)):
            self.check_powers(block, element, "floor", lambda a: np.frexp(a)[1] - 1 - top)
            self.check_powers(block, element, "rceil", lambda a: np.ceil(np.log2(a / largest)))

    def test_given_scales(self):
        x = spread(6, 80)
        for block in ("mxfp8", "nvfp4", "e4m3/row", "e4m3/row:bf16", "int8/tile:2x16", "nvfp4:4/6", "e4m3/tensor:mse"):
            q = binade.quantize(x, block)
            given = binade.quantize(x, block, scales=q.scales, tensor_scale=q.tensor_scale)
            self.assertTrue(same_bits(given.codes, q.codes), block)
            self.assertEqual(given.tensor_scale, q.tensor_scale)
            self.assertTrue(same_bits(binade.dequantize(given), binade.dequantize(q)))
        doubled = binade.quantize(x, "e4m3/row", scales=2 * binade.quantize(x, "e4m3/row").scales)
        self.assertTrue(np.abs(binade.decode(doubled.codes, "e4m3")).max() <= 224)
        whole = binade.quantize(x, "nvfp4")
        part = binade.quantize(x[:2], "nvfp4", tensor_scale=whole.tensor_scale)
        self.assertTrue(same_bits(part.codes, whole.codes[:2]) and same_bits(part.scales, whole.scales[:2]))
        with self.assertRaisesRegex(ValueError, "shape"):
            binade.quantize(x, "e4m3/row", scales=np.ones(5, np.float32))
        with self.assertRaisesRegex(ValueError, "no scale for the whole array"):
            binade.quantize(x, "mxfp8", tensor_scale=1)
        with self.assertRaisesRegex(binade.Error, "given, too"):
            binade.quantize(x, "nvfp4", scales=whole.scales)

    def test_axes(self):
        x = normal(64, 5, 3)
        q = binade.quantize(x, "mxfp8", axis=0)
        self.assertEqual(q.scales.shape, (2, 5, 3))
        moved = binade.quantize(np.moveaxis(x, 0, -1), "mxfp8")
        self.assertTrue(np.array_equal(np.moveaxis(q.codes, 0, -1), moved.codes))
        self.assertTrue(np.array_equal(np.moveaxis(q.scales, 0, -1), moved.scales))
        self.assertTrue(np.array_equal(np.moveaxis(binade.dequantize(q), 0, -1), binade.dequantize(moved)))

    def test_scalings(self):
        x = normal(20, 300)
        for name, shape in (("e4m3/tensor", ()), ("e4m3/row", (20, 1)), ("e4m3/tile:1x128", (20, 3)),
                            ("e4m3/tile:8x128", (3, 3))):
            q = binade.quantize(x, name)
            self.assertEqual((q.scales.shape, q.scales.dtype), (shape, np.dtype(np.float32)), name)
            error = np.abs(binade.dequantize(q) - x).max() / np.abs(x).max()
            self.assertLess(error, 2.0**-4, name)  # half an ulp of e4m3 relative to the largest number of a block

    def test_nvfp4(self):
        x = normal(4, 64)
        q = binade.quantize(x, "nvfp4")
        self.assertEqual((q.codes.shape, q.scales.shape), ((4, 64), (4, 4)))
        self.assertAlmostEqual(q.tensor_scale * 6 * 448 / float(np.abs(x).max()), 1, places=6)
        self.assertLess(np.abs(binade.dequantize(q) - x).max(), np.abs(x).max() / 4)
        with self.assertRaisesRegex(ValueError, "tensor_scale"):
            binade.dequantize(q.codes, q.scales, "nvfp4")

    def test_packed(self):
        x = normal(3, 64)
        q, plain = binade.quantize(x, "mxfp4", packed=True), binade.quantize(x, "mxfp4")
        self.assertEqual((q.codes.shape, q.codes.dtype), ((96,), np.dtype(np.uint8)))
        self.assertTrue(same_bits(binade.dequantize(q), binade.dequantize(plain)))

    def test_int8(self):
        q = binade.quantize(normal(2, 32), "mxint8")
        self.assertEqual(q.codes.dtype, np.dtype(np.int8))
        self.assertTrue(np.array_equal(binade.dequantize(q), q.codes * 2.0**-6 * 2.0**(q.scales.astype(int) - 127)))

    def test_refusals(self):
        x = normal(2, 32)
        for call, text in ((lambda: binade.quantize(x, "mxfp9"), "mxfp9"),
                           (lambda: binade.quantize(x, axis=2), "no axis 2"),
                           (lambda: binade.quantize(np.array([0.1])), "float32"),
                           (lambda: binade.dequantize(x.astype(np.uint8), np.zeros((2, 2), np.uint8), "mxfp8"), "scales"),
                           (lambda: binade.dequantize(x, np.zeros((2, 1), np.uint8), "mxfp8"), "codes")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(text, str(caught.exception))


if __name__ == "__main__":
    unittest.main(verbosity=1)
