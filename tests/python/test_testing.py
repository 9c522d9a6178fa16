"""libbinade.testing against casts, blocks and products with faults that were written for this test, in numpy alone."""
import sys
import unittest
import warnings

import numpy as np
from support import torch as support_torch

import libbinade as bd
from libbinade import testing

SIGN, MAX, NAN = 0x80, 0x7e, 0x7f  # of E4M3


def e4m3(x, *, nearest=np.rint, fraction=3, bias=7, overflow=MAX, threshold=464.0, infinity=MAX, nan=NAN, nan_sign=True,
         zero_sign=True, carry=True, subnormals="right"):
    """fp32 to E4M3, saturating, with a choice for each mistake."""
    with np.errstate(all="ignore"):
        x = x.astype(np.float64)
    finite = np.isfinite(x)
    size = np.where(finite, np.abs(x), 1.0)
    _, e = np.frexp(size)
    least = 1 - bias
    e = np.where(size == 0, least, np.maximum(e - 1, least))
    n = nearest(np.ldexp(size, fraction - e)).astype(np.int64)  # in units of the last place
    if not carry:
        n = np.where(n == 2 << fraction, 1 << fraction, n)
    code = n + ((e - least) << fraction)  # a carry of n goes into the exponent by itself
    below = size < 2.0 ** least
    if subnormals == "zero":
        code = np.where(n < (1 << fraction), np.where(below, 0, code), code)
    elif subnormals == "tiny":
        code = np.where(below & (nearest(np.ldexp(size, fraction - least + 1)) < 2 << fraction), 0, code)
    elif subnormals == "below":
        code = np.where(below, 0, code)
    elif subnormals == "truncated":
        code = np.where(below, np.floor(np.ldexp(size, fraction - least)).astype(np.int64), code)
    elif subnormals == "shifted":
        code = np.where(below, np.rint(np.ldexp(size, fraction - least - 1)).astype(np.int64), code)
    elif subnormals == "least":
        code = np.where((code == 0) & (size > 0), 1, code)
    code = np.where(size > threshold, overflow, code) if threshold is not None else code & 0x7f
    code = np.where(np.isinf(x), infinity, code)
    code = np.where(np.isnan(x), nan, code)
    signed = np.signbit(x)
    if not nan_sign:
        signed = signed & ~np.isnan(x)
    if not zero_sign:
        signed = signed & (x != 0)
    return (code | np.where(signed, SIGN, 0)).astype(np.uint8)


def few_bits(bits):
    """Rounds by the first bits that are lost, and to even where these are halfway."""
    return lambda n: np.rint(np.floor(n * 2**bits) / 2**bits)


def ties_to_zero(n):
    return np.ceil(n - 0.5)


def ties_away(n):
    return np.floor(n + 0.5)


def noisy(x, draw=np.random.default_rng(1)):
    return e4m3(x, nearest=lambda n: np.floor(n + draw.random(n.shape)))


def tail(x):
    """A loop over vectors of 8 that forgets what is left over."""
    codes = e4m3(x)
    codes[len(x) // 8 * 8:] = 0
    return codes


def bf16_bits(x):
    bits = x.view(np.uint32)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def bf16_cut_nan(x):
    """Nearest even, but NaN is cut."""
    return np.where(np.isnan(x), (x.view(np.uint32) >> 16).astype(np.uint16), bf16_bits(x))


def bf16_flushed(x):
    codes = bf16_bits(np.where(np.abs(x) < np.float32(2.0 ** -126), np.copysign(np.float32(0), x), x))
    return np.where(np.isnan(x), (((x.view(np.uint32) >> 16) & 0x8000) | 0x7fc0).astype(np.uint16), codes)


SATURATE = {"overflow": "saturate"}
# What is planted, the cast that is asked for, and what the report must say.
PLANTED = [
    ("double rounding", "e4m3", SATURATE, lambda x: e4m3(x.astype(np.float16)), "rounds twice: first to fp16"),
    ("double rounding by bf16", "e4m3", SATURATE,
     lambda x: e4m3((bf16_bits(x).astype(np.uint32) << 16).view(np.float32)), "rounds twice: first to bf16"),
    ("ties away", "e4m3", SATURATE, lambda x: e4m3(x, nearest=lambda n: np.floor(n + 0.5)), "rounding rna"),
    ("truncation", "e4m3", SATURATE, lambda x: e4m3(x, nearest=np.floor, threshold=448.0), "rounding rtz"),
    ("saturation off", "e4m3", SATURATE, lambda x: e4m3(x, overflow=NAN, infinity=NAN), "dialect ml_dtypes"),
    ("infinity saturates", "e4m3", {"dialect": "torch"}, lambda x: e4m3(x), "dialect onnx-saturate"),
    ("NaN for 480", "e4m3", SATURATE, lambda x: np.where((np.abs(x) > 464) & (np.abs(x) < 496),
                                                         e4m3(x) | 0x7f, e4m3(x)),
     "takes the code after the largest number"),
    ("overflow before rounding", "e4m3", {}, lambda x: e4m3(x, overflow=NAN, infinity=NAN, threshold=448.0),
     "overflows before rounding"),
    ("wraps around", "e4m3", {}, lambda x: e4m3(np.clip(x, -2.0 ** 30, 2.0 ** 30), threshold=None),
     "overflow"),
    ("fnuz as fn", "e4m3", SATURATE, lambda x: np.where(
        np.isnan(x), 0x80, np.where(e4m3(x, bias=8) & 0x7f == 0, 0, e4m3(x, bias=8, threshold=248.0, overflow=0x7f,
                                                                        infinity=0x7f))).astype(np.uint8),
     "gives codes of e4m3fnuz"),
    ("maximum of 240", "e4m3", SATURATE, lambda x: e4m3(x, overflow=0x77, infinity=0x77, threshold=248.0, nan=0x7c),
     "gives codes of e4m3ieee"),
    ("subnormals flushed", "e4m3", SATURATE, lambda x: e4m3(x, subnormals="zero"), "gives subnormal results as zero"),
    ("tiny results flushed", "e4m3", SATURATE, lambda x: e4m3(x, subnormals="tiny"), "gives tiny results as zero"),
    ("all below the normal numbers flushed", "e4m3", SATURATE, lambda x: e4m3(x, subnormals="below"),
     "gives zero for every number below"),
    ("subnormals truncated", "e4m3", SATURATE, lambda x: e4m3(x, subnormals="truncated"),
     "truncates subnormal results"),
    ("subnormals shifted", "e4m3", SATURATE, lambda x: e4m3(x, subnormals="shifted"), "shifts subnormal results"),
    ("never zero", "e4m3", SATURATE, lambda x: e4m3(x, subnormals="least"), "gives the smallest number"),
    ("sign of NaN", "e4m3", SATURATE, lambda x: e4m3(x, nan_sign=False), "loses the sign of NaN"),
    ("NaN is zero", "e4m3", SATURATE, lambda x: e4m3(x, nan=0, nan_sign=False), "gives zero for NaN"),
    ("sign of zero", "e4m3", SATURATE, lambda x: e4m3(x, zero_sign=False), "gives +0 for -0"),
    ("lost carry", "e4m3", SATURATE, lambda x: e4m3(x, carry=False), "loses the carry"),
    ("no sticky bit", "e4m3", SATURATE, lambda x: e4m3(x, nearest=few_bits(1)), "looks at one bit"),
    ("sign dropped", "e4m3", SATURATE, lambda x: e4m3(np.abs(x)), "drops the sign"),
    ("stochastic", "e4m3", SATURATE, noisy, "two calls with the same numbers"),
    ("tail of a vector loop", "e4m3", SATURATE, tail, "depends on the length"),
    ("NaN rounded", "bf16", {}, bf16_bits, "rounds NaN as if it were a number"),
    ("NaN becomes infinity", "bf16", {"nan": "propagate"}, bf16_cut_nan, "payload"),
    ("subnormal inputs", "bf16", {}, bf16_flushed, "reads subnormal inputs as zero"),
    ("byte order", "fp16", {"nan": "propagate"}, lambda x: x.astype(np.float16).view(np.uint16).byteswap(),
     "in the other order"),
]


class Casts(unittest.TestCase):
    def test_right_cast_is_silent(self):
        report = testing.check_cast(e4m3, "e4m3", **SATURATE)
        self.assertTrue(report, str(report))
        self.assertEqual(report.wrong, 0)
        testing.assert_cast(e4m3, "e4m3", **SATURATE)
        testing.assert_cast(lambda x: bd.decode(e4m3(x), "e4m3"), "e4m3", **SATURATE)  # numbers instead of codes

    def test_every_planted_fault_is_found_and_named(self):
        for name, format, rule, fn, words in PLANTED:
            with self.subTest(name):
                with self.assertRaises(AssertionError) as caught:
                    testing.assert_cast(fn, format, **rule)
                self.assertIn(words, str(caught.exception))

    def test_one_fault_is_named_and_no_other(self):
        def saturating(x, nearest=np.rint):
            return e4m3(x, nearest=nearest, threshold=448.0)

        def bf16_up(x):  # half a step is added to a positive number, a little less to a negative one; the rest is cut
            bits = x.view(np.uint32)
            up = (bits + np.where(np.signbit(x), 0x7fff, 0x8000).astype(np.uint32)) >> 16
            return np.where(np.isnan(x), bf16_flushed(x), up).astype(np.uint16)
        bits = "bits behind the last place only, and not at the bits after them"
        up = "rounds ties toward plus infinity, as floor(x + 0.5) does"
        for name, format, rule, fn in (
                ("gives half of the right number: the exponent is one too small", "e4m3", SATURATE,
                 lambda x: saturating(x / 2)),
                ("gives twice the right number: the exponent is one too large", "e4m3", SATURATE,
                 lambda x: saturating(x * np.float32(2))),
                (f"looks at two {bits}", "e4m3", SATURATE, lambda x: saturating(x, few_bits(2))),
                (f"looks at three {bits}", "e4m3", SATURATE, lambda x: saturating(x, few_bits(3))),
                ("rounds ties toward zero", "e4m3", SATURATE, lambda x: saturating(x, ties_to_zero)),
                (up, "e4m3", SATURATE,
                 lambda x: np.where(np.signbit(x), saturating(x, ties_to_zero), saturating(x, ties_away))),
                (up, "bf16", {}, bf16_up)):
            with self.subTest(name, format=format):
                with np.errstate(all="ignore"):
                    report = testing.check_cast(fn, format, **rule)
                self.assertEqual((report.faults, report.rules, report.dialects), ([name], [], []), str(report))
        # What a rule explains is that rule's.
        report = testing.check_cast(lambda x: saturating(x, ties_away), "e4m3", **SATURATE)
        self.assertIn("rounding rna, overflow saturate, nan signed", report.rules)
        self.assertEqual(report.faults, [])

    def test_ties_below_the_smallest_number(self):
        for format in ("e5m2nosub", "dlfloat16"):
            middle = bd.Format(format).smallest / 2

            def tie_up(x, format=format, middle=middle):
                return np.where(x == -middle, bd.encode(x, format, "rtz"), bd.encode(x, format, "rna"))
            with self.subTest(format):
                report = testing.check_cast(tie_up, format, inputs=middle * np.array([1, -1, -1.25, -1.5, -1.75, 2]))
                self.assertEqual(report.faults, ["rounds ties toward plus infinity, as floor(x + 0.5) does"])

    def test_the_classes_that_are_wrong_are_counted(self):
        report = testing.check_cast(lambda x: e4m3(x, nearest=lambda n: np.floor(n + 0.5)), "e4m3", **SATURATE)
        wrong = {name for name, (bad, _) in report.classes.items() if bad}
        self.assertEqual(wrong, {"tie"})
        report = testing.check_cast(lambda x: e4m3(x, overflow=NAN), "e4m3", **SATURATE)
        self.assertEqual({name for name, (bad, _) in report.classes.items() if bad}, {"overflow"})
        report = testing.check_cast(lambda x: e4m3(x, subnormals="zero"), "e4m3", **SATURATE)
        self.assertLessEqual({name for name, (bad, _) in report.classes.items() if bad}, {"subnormal", "tie", "exact"})
        self.assertEqual(sum(all_ for _, all_ in report.classes.values()), report.inputs)
        self.assertEqual(sum(bad for bad, _ in report.classes.values()), report.wrong)

    def test_the_first_wrong_input_is_shown(self):
        report = testing.check_cast(lambda x: e4m3(x, overflow=NAN), "e4m3", inputs=np.float32([1, 500, 600]),
                                    **SATURATE)
        self.assertEqual((report.inputs, report.wrong), (3, 2))
        self.assertEqual(report.first, "500.0 (0x43fa0000) gives 0x7f (nan), and 0x7e (448.0) is right")

    def test_bits_of_nan_can_be_left_out(self):
        self.assertFalse(testing.check_cast(lambda x: e4m3(x, nan_sign=False), "e4m3", **SATURATE))
        testing.assert_cast(lambda x: e4m3(x, nan_sign=False), "e4m3", nan_bits=False, **SATURATE)

    def test_inputs(self):
        self.assertEqual(testing.check_cast(e4m3, "e4m3", inputs="all-fp16", **SATURATE).inputs, 65536)
        self.assertEqual(testing.check_cast(e4m3, "e4m3", inputs="all-e5m2+all-bf16", **SATURATE).inputs, 65792)
        for wrong in ("all", "sampled-fp32:x", "", "all-fp64"):
            with self.assertRaises(ValueError):
                testing.check_cast(e4m3, "e4m3", inputs=wrong)

    def test_a_result_of_another_shape_or_type(self):
        with self.assertRaises(AssertionError):
            testing.check_cast(lambda x: e4m3(x)[:-1], "e4m3")
        with self.assertRaises(TypeError):
            testing.check_cast(lambda x: e4m3(x).astype(complex), "e4m3")
        with self.assertRaises(ValueError):
            testing.check_cast(e4m3, "p11emin-14emax15")

    def test_wide_codes_are_wrong_codes(self):
        report = testing.check_cast(lambda x: e4m3(x).astype(np.uint32) + 256, "e4m3", inputs="landmarks", **SATURATE)
        self.assertEqual(report.wrong, report.inputs)

    def test_every_format_has_a_report(self):
        """Widths that fill no word, exponents beyond those of fp64, no sign, and fractions longer than the source's."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for format in ("tf32", "e5m4", "e5m6", "binary12p4se", "e11m20", "e15m16", "e15m0", "e5m2b-2000",
                           "e5m2b2000", "ue4m4none", "ue3m5none", "ue8m0none", "e5m26"):
                f = bd.Format(format)
                for fn in (lambda x, f=f: bd.encode(x, f), lambda x, f=f: bd.round(x.astype(np.float64), f)):
                    with self.subTest(format):
                        report = testing.check_cast(fn, f, inputs="landmarks+sampled-fp32:500")
                        self.assertTrue(report, str(report))
                        report = testing.check_cast(lambda x, fn=fn: fn(np.negative(x)), f, inputs="landmarks")
                        self.assertFalse(report, str(report))
        report = testing.check_cast(lambda x: bd.encode(x, "tf32", "rtz"), "tf32")
        self.assertIn("rounding rtz, overflow format, nan signed", report.rules)


class OtherCasts(unittest.TestCase):
    def test_numpy(self):
        report = testing.check_cast(lambda x: x.astype(np.float16), "fp16")
        self.assertEqual({name for name, (bad, _) in report.classes.items() if bad}, {"NaN"})
        self.assertIn("as numpy's astype(float16) does", str(report))
        testing.assert_cast(lambda x: x.astype(np.float16), "fp16", nan_bits=False)
        testing.assert_cast(lambda x: x.astype(np.float32), "fp32", source="fp64", inputs="sampled-fp64",
                            nan_bits=False)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not here")
        report = testing.check_cast(lambda x: x.to(torch.bfloat16), "bf16", library="torch", dialect="torch")
        if not report:  # in vectors, older versions have another NaN
            self.assertEqual({name for name, (bad, _) in report.classes.items() if bad}, {"NaN"})
            self.assertIn("all ones for every NaN", str(report))
        testing.assert_cast(lambda x: x.to(torch.float16), "fp16", library="torch", nan_bits=False)
        if hasattr(torch, "float8_e4m3fn"):
            report = testing.check_cast(lambda x: x.to(torch.float8_e4m3fn), "e4m3", library="torch", dialect="torch")
            self.assertTrue({"torch", "torch-2.11"} & set(report.dialects), str(report))

    def test_ml_dtypes(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not here")
        for name, format in (("bfloat16", "bf16"), ("float8_e4m3fn", "e4m3"), ("float8_e5m2", "e5m2"),
                             ("float8_e4m3fnuz", "e4m3fnuz"), ("float8_e4m3b11fnuz", "e4m3b11fnuz")):
            with self.subTest(name):
                report = testing.check_cast(lambda x: x.astype(getattr(ml_dtypes, name)), format, dialect="ml_dtypes")
                self.assertIn("ml_dtypes", report.dialects, str(report))


def from_e4m3(codes, bias=7, subnormals=True, nan=float("nan"), zero_sign=True):
    """E4M3 to fp32, with a choice for each mistake."""
    sign, field, fraction = codes >> 7, ((codes >> 3) & 15).astype(int), (codes & 7).astype(float)
    with np.errstate(all="ignore"):
        x = np.where(field > 0, np.ldexp(1 + fraction / 8, field - bias), np.ldexp(fraction / 8, 1 - bias) * subnormals)
    x = np.where((codes & 0x7f) == 0x7f, nan, x)
    signed = (sign == 1) & ((x != 0) | zero_sign)
    return np.where(signed, -x, x).astype(np.float32)


class Decoding(unittest.TestCase):
    def test_right_decoders_are_silent(self):
        testing.assert_decode(from_e4m3, "e4m3")
        testing.assert_decode(lambda codes: codes.view(np.float16), "fp16")
        testing.assert_decode(lambda codes: (codes.astype(np.uint32) << 16).view(np.float32), "bf16")

    def test_faults_are_named(self):
        for words, fn, wrong in (("zero for subnormal codes", lambda c: from_e4m3(c, subnormals=False), 14),
                                 ("reads codes of infinity and NaN as numbers", lambda c: from_e4m3(c, nan=480.0), 2),
                                 ("infinity for NaN", lambda c: from_e4m3(c, nan=np.inf), 2),
                                 ("+0 for -0", lambda c: from_e4m3(c, zero_sign=False), 1),
                                 ("bias that is one too large", lambda c: from_e4m3(c, bias=8), 252),
                                 ("drops the sign", lambda c: from_e4m3(c & 0x7f), 127)):
            with self.subTest(words):
                with self.assertRaises(AssertionError) as caught:
                    testing.assert_decode(fn, "e4m3")
                self.assertIn(words, str(caught.exception))
                self.assertIn(f": {wrong:,} of 256 codes", str(caught.exception))

    def test_wrong_results(self):
        with self.assertRaises(AssertionError):
            testing.check_decode(lambda c: from_e4m3(c)[1:], "e4m3")
        with self.assertRaises(TypeError):
            testing.check_decode(lambda c: c, "e4m3")
        with self.assertRaises(ValueError):
            testing.check_decode(from_e4m3, "fp32")

    def test_codes_that_fill_no_word(self):
        def twice(codes):  # five bits of exponent and six of fraction, as fp16 with fewer
            return (codes.astype(np.uint16) << 4).view(np.float16).astype(np.float64) * 2
        report = testing.check_decode(twice, "e5m6")
        self.assertEqual(report.faults, ["has an exponent bias that is one too small"])
        self.assertEqual(report.wrong, 4096 - 2 - 2 - 2 * 63)  # all but zeros, infinities and NaNs
        report = testing.check_decode(lambda codes: codes.byteswap().view(np.float16), "fp16")
        self.assertEqual(report.faults, ["reads the bytes of each code in the other order"])


def mxfp8(x, floor=True, rounded=np.rint, transposed=False):
    """MXFP8 along rows, by OCP's rule or by rounding the exponent up."""
    blocks = x.astype(np.float64).reshape(x.shape[0], -1, 32)
    amax = np.abs(blocks).max(axis=2)
    with np.errstate(all="ignore"):
        e = np.floor(np.log2(amax)) - 8 if floor else np.ceil(np.log2(amax / 448))
    e = np.clip(np.where(amax == 0, -127, e), -127, 127)
    codes = e4m3((blocks / np.exp2(e)[..., None]).reshape(x.shape).astype(np.float32))
    scales = (e + 127).astype(np.uint8)
    return codes, np.ascontiguousarray(scales.T) if transposed else scales


class Blocks(unittest.TestCase):
    def test_codes_in_wider_integers(self):
        x = [np.ones((4, 32), np.float32), np.linspace(-3, 3, 128, dtype=np.float32).reshape(4, 32)]
        for block in ("mxfp8", "mxint8"):
            for kind in (np.int64, np.int16, np.uint8 if block == "mxfp8" else np.int8):
                def fn(x, block=block, kind=kind):
                    q = bd.quantize(x, block)
                    return q.codes.astype(kind), q.scales.astype(np.int64)
                report = testing.check_block(fn, block, inputs=x)
                self.assertTrue(report, str(report))

        def narrow(x):  # the lower halves of bf16's codes
            q = bd.quantize(x, "bf16/row")
            return q.codes.astype(np.uint8), q.scales
        self.assertFalse(testing.check_block(narrow, "bf16/row", inputs=x))

    def test_sign_of_zero(self):
        x = [np.full((2, 32), -0.0, np.float32)]
        self.assertTrue(testing.check_block(lambda x: bd.fake_quantize(x, "mxfp8"), "mxfp8", inputs=x))
        self.assertFalse(testing.check_block(lambda x: np.abs(bd.fake_quantize(x, "mxfp8")), "mxfp8", inputs=x))

    def test_sources(self):
        """A function that takes half precision is judged by the numbers that it was given."""
        kinds = []

        def ours(x):
            kinds.append(x.dtype)
            return mxfp8(x)
        for source in ("fp16", "fp32", "fp64"):
            report = testing.check_block(ours, "mxfp8", rule="floor", inputs=testing.block.samples()[:3], source=source)
            self.assertTrue(report, str(report))
        self.assertEqual(kinds[::3], [np.float16, np.float32, np.float64])
        report = testing.check_block(lambda x: bd.quantize(x, "mxfp8"), "mxfp8", source="fp16")
        self.assertTrue(report, str(report))
        x = [np.float32([[np.inf, -np.inf, np.nan, 1e9, -1e9, 1e-9] * 32])]
        seen = []
        testing.check_block(lambda x: seen.append(x) or bd.quantize(x, "mxfp8"), "mxfp8", inputs=x, source="fp16")
        self.assertEqual(repr(seen[0][0, :6].tolist()), "[inf, -inf, nan, 65504.0, -65504.0, 0.0]")

    def test_sources_of_torch(self):
        torch = support_torch()
        for source in ("bf16", "fp16"):
            for fn in (lambda x: mxfp8(x.float().numpy()), lambda x: mxfp8(x.to(torch.float64).numpy())):
                report = testing.check_block(fn, "mxfp8", rule="floor", inputs=testing.block.samples()[:3],
                                             source=source, library="torch")
                self.assertTrue(report, str(report))
            report = testing.check_gemm(lambda a, b: each_step(a.float().numpy(), b.float().numpy(), np.float32),
                                        "each:fp32", source=source, library="torch")
            self.assertTrue(report, str(report))

    def test_rules_are_recognized(self):
        inputs = testing.block.samples()[:3]
        report = testing.check_block(mxfp8, "mxfp8", rule="floor", inputs=inputs)
        self.assertTrue(report, str(report))
        self.assertEqual(report.rules, ["floor"])
        report = testing.check_block(mxfp8, "mxfp8", rule="rceil", inputs=inputs)
        self.assertFalse(report)
        self.assertEqual(report.rules, ["floor"])
        self.assertEqual(report.wrong_for_own_scales, 0)
        report = testing.check_block(lambda x: mxfp8(x, floor=False), "mxfp8", rule="rceil", inputs=inputs)
        self.assertIn("rceil", report.rules)

    def test_scales_that_are_transposed(self):
        with self.assertRaises(AssertionError) as caught:
            testing.assert_block(lambda x: mxfp8(x, transposed=True), "mxfp8", rule="floor",
                                 inputs=testing.block.samples()[:3])
        self.assertIn("gives the scales transposed", str(caught.exception))

    def test_every_block_format_recognizes_itself(self):
        for block in ("mxfp8", "mxfp4", "nvfp4", "e4m3/row", "e4m3/tile:1x128", "e4m3/tile:128x128"):
            with self.subTest(block):
                testing.assert_block(lambda x: bd.quantize(x, block), block)
                testing.assert_block(lambda x: bd.dequantize(bd.quantize(x, block)), block)
                with self.assertRaises(AssertionError) as caught:
                    testing.assert_block(lambda x: bd.quantize(x, block, rounding="rtz"), block)
                self.assertIn("rounds codes by rtz", str(caught.exception))

    def test_matrices_that_differ_are_named(self):
        report = testing.check_block(lambda x: bd.quantize(x, "mxfp4", rule="floor"), "mxfp4", rule="rceil")
        self.assertEqual(report.wrong_matrices, ["plain", "outliers", "rows", "powers", "zeros", "huge"])
        self.assertIn("in 6 of 7 matrices: plain", str(report))
        inputs = testing.block.samples()
        report = testing.check_block(lambda x: bd.quantize(x, "mxfp4", rule="floor"), "mxfp4", rule="rceil",
                                     inputs=[inputs[5], inputs[0]])
        self.assertEqual((report.matrices, report.wrong_matrices), (2, [1]))

    def test_scales_that_are_numbers(self):
        def numbers(x, factor=1.0):
            q = bd.quantize(x, "mxfp4")
            return q.codes, factor * bd.decode(q.scales, "e8m0").astype(np.float64)
        report = testing.check_block(numbers, "mxfp4")
        self.assertTrue(report, str(report))
        self.assertIn("scales are numbers in float64, where mxfp4 has codes of e8m0", str(report))
        report = testing.check_block(lambda x: numbers(x, 1.5), "mxfp4")
        self.assertEqual(report.wrong_scales, report.blocks)
        self.assertIn("which e8m0 does not have", report.first)
        report = testing.check_block(lambda x: numbers(x, 2.0), "mxfp4")
        self.assertEqual(report.wrong_scales, report.blocks)
        self.assertTrue(testing.check_block(lambda x: bd.quantize(x, "e4m3/row"), "e4m3/row"))

    def test_reciprocals(self):
        def inverse(x):
            q = bd.quantize(x, "e4m3/row")
            with np.errstate(all="ignore"):
                return q.codes, np.float32(1) / q.scales
        with self.assertRaises(AssertionError) as caught:
            testing.assert_block(inverse, "e4m3/row")
        self.assertIn("gives the reciprocals of the scales", str(caught.exception))

        def tensor(x):
            q = bd.quantize(x, "nvfp4")
            return q.codes, q.scales, 1 / q.tensor_scale if q.tensor_scale else 0.0
        report = testing.check_block(tensor, "nvfp4", inputs=testing.block.samples()[:2])
        self.assertIn("gives the reciprocal of the array's scale", str(report))

    def test_packed_codes(self):
        def packed(x):
            q = bd.quantize(x, "nvfp4")
            return q.codes[:, ::2] | q.codes[:, 1::2] << 4, q.scales, q.tensor_scale
        testing.assert_block(packed, "nvfp4")

    def test_wrong_sizes(self):
        with self.assertRaises(AssertionError):
            testing.check_block(lambda x: (mxfp8(x)[0], mxfp8(x)[1][:, :-1]), "mxfp8")
        with self.assertRaises(TypeError):
            testing.check_block(lambda x: mxfp8(x)[0], "mxfp8")


def each_step(a, b, kind):
    """A product with a sum in float16 or float32, by numpy: each product and each sum rounded."""
    s = np.zeros((a.shape[0], b.shape[1]), kind)
    for k in range(a.shape[1]):
        s = s + a[:, k:k + 1].astype(kind) * b[k:k + 1].astype(kind)
    return s.astype(np.float32)


class FunctionsThatWrite(unittest.TestCase):
    """The right results are those of the inputs, whatever the function does to its argument."""

    WORDS = "the function writes to its argument"

    def test_casts(self):
        def clipped(x):
            np.clip(x, -448, 448, out=x)
            return bd.encode(x, "e4m3")
        report = testing.check_cast(clipped, "e4m3", inputs="all-fp16")
        plain = testing.check_cast(lambda x: bd.encode(np.clip(x, -448, 448), "e4m3"), "e4m3", inputs="all-fp16")
        self.assertEqual((report.wrong, report.first), (plain.wrong, plain.first))
        self.assertGreater(report.wrong, 0)
        self.assertIn(self.WORDS, str(report))
        self.assertNotIn(self.WORDS, str(plain))

        def zero(x):
            codes = bd.encode(x, "e4m3")
            x[...] = 0
            return codes
        report = testing.check_cast(zero, "e4m3", inputs="landmarks")
        self.assertTrue(report and report.writes, str(report))  # right, but it is said

    def test_an_array_that_was_given(self):
        def negated(x):
            return bd.encode(np.negative(x, out=x), "e4m3")
        inputs = np.float32([1, 500, 600])
        for library in ("numpy", lambda x: x):
            self.assertEqual(testing.check_cast(negated, "e4m3", inputs=inputs, library=library).wrong, 3)
        self.assertEqual(inputs.tolist(), [1, 500, 600])

    def test_torch(self):
        torch = support_torch()
        for source in ("fp32", "fp64", "fp16", "bf16"):
            report = testing.check_cast(lambda x: bd.encode(x.zero_(), "e4m3"), "e4m3", inputs="all-fp16",
                                        library="torch", source=source)
            self.assertGreater(report.wrong, 0, source)
            self.assertTrue(report.writes, source)
        report = testing.check_decode(lambda codes: bd.decode(codes.zero_(), "e4m3"), "e4m3", library="torch")
        self.assertGreater(report.wrong, 250)
        report = testing.check_gemm(lambda a, b: bd.matmul(a.zero_(), b), library="torch")
        self.assertTrue(report.wrong and report.writes, str(report))

    def test_the_others(self):
        def zero(*arrays):
            for x in arrays:
                x[...] = 0
            return arrays
        for report in (testing.check_decode(lambda codes: bd.decode(*zero(codes), "e4m3"), "e4m3"),
                       testing.check_block(lambda x: bd.quantize(*zero(x), "mxfp8"), "mxfp8"),
                       testing.check_gemm(lambda a, b: bd.matmul(*zero(a, b)))):
            self.assertFalse(report, str(report))
            self.assertIn(self.WORDS, str(report))


class OtherTypes(unittest.TestCase):
    """Numbers in half precision are not read as codes of another format."""

    def test_cast(self):
        with self.assertRaisesRegex(TypeError, "float16, which is not the type of e4m3: convert it to float32"):
            testing.check_cast(lambda x: bd.round(x, "e4m3").astype(np.float16), "e4m3")
        self.assertTrue(testing.check_cast(lambda x: bd.encode(x, "fp16").view(np.float16), "fp16"))

    def test_block(self):
        with self.assertRaisesRegex(TypeError, "float16, which is not the type of dequantized numbers"):
            testing.check_block(lambda x: bd.fake_quantize(x, "mxfp8").astype(np.float16), "mxfp8")

    def test_product(self):
        with self.assertRaisesRegex(TypeError, "float16, which is not the type of fp32"):
            testing.check_gemm(lambda a, b: (a @ b).astype(np.float16), "fp32")
        self.assertTrue(testing.check_gemm(lambda a, b: bd.matmul(a, b, acc="fp32").astype(np.float16), "fp32",
                                           out="fp16"))


class Products(unittest.TestCase):
    def test_accumulators_are_recognized(self):
        testing.assert_gemm(lambda a, b: each_step(a, b, np.float32), "each:fp32")
        with np.errstate(all="ignore"):
            report = testing.check_gemm(lambda a, b: each_step(a, b, np.float16), "each:fp32", operands="fp16")
        self.assertFalse(report)
        self.assertEqual(report.accumulators, ["fp16"])
        for acc in ("trunc14/promote128", "fma:bf16", "fp16/promote128"):
            report = testing.check_gemm(lambda a, b: bd.matmul(a, b, acc=acc), "fp32", operands="e4m3")
            self.assertIn(acc, report.accumulators)
            self.assertFalse(report)

    def test_sources(self):
        kinds = []

        def ours(a, b):
            kinds.append(a.dtype)
            return each_step(a.astype(np.float32), b.astype(np.float32), np.float32)
        for source, kind in (("fp16", np.float16), ("fp64", np.float64)):
            report = testing.check_gemm(ours, "each:fp32", source=source)
            self.assertTrue(report, str(report))
            self.assertEqual(kinds[-1], kind)

    def test_mistakes(self):
        for name, fn in (("from the last product", lambda a, b: bd.matmul(a[:, ::-1].copy(), b[::-1].copy())),
                         ("leaves out the last product", lambda a, b: bd.matmul(a[:, :-1].copy(), b[:-1].copy())
                          if a.shape[1] > 1 else bd.matmul(a, b))):
            with self.subTest(name):
                with self.assertRaises(AssertionError) as caught:
                    testing.assert_gemm(fn)
                self.assertIn(name, str(caught.exception))

    def test_wrong_shape(self):
        with self.assertRaises(AssertionError):
            testing.check_gemm(lambda a, b: (a @ b).T[:-1])

    def test_without_inputs(self):
        """A check that has compared nothing has not passed."""
        used = iter([(np.ones((2, 2)), np.ones((2, 2)))])
        testing.assert_gemm(bd.matmul, inputs=used)
        for call in (lambda: testing.check_gemm(bd.matmul, inputs=[]),
                     lambda: testing.assert_gemm(bd.matmul, inputs=used),
                     lambda: testing.check_block(lambda x: bd.quantize(x, "mxfp4"), "mxfp4", inputs=[]),
                     lambda: testing.assert_block(lambda x: bd.quantize(x, "mxfp4"), "mxfp4", inputs=iter(())),
                     lambda: testing.check_cast(e4m3, "e4m3", inputs=[])):
            with self.assertRaisesRegex(ValueError, "there are no inputs"):
                call()


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
