"""Matrix products: against exact sums with every step rounded by the codec, for every kind of accumulator."""
import fractions
import unittest

from support import np, normal, same_bits, torch

import libbinade as bd
from libbinade import _types
from libbinade._native import lib

Fraction = fractions.Fraction
ZERO = Fraction(0)


def rounded(x, f, rounding=None, random=None):
    return bd.show(x, f, rounding, random=random).as_fraction()


def bits(seed, e, count):
    return lib.bnd_random_bits(seed, 0, e, count)


def truncated(x, exponent):
    """x toward zero, to a multiple of 2^exponent."""
    unit = Fraction(2) ** exponent
    whole = abs(x) // unit * unit
    return whole if x >= 0 else -whole


def log2(x):
    """floor(log2 |x|)"""
    x, n = abs(x), 0
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if Fraction(2) ** n <= x else n - 1


class Judge:
    """One element of C = A B, by the text of matmul.h."""

    def __init__(self, kind, f="fp32", rounding=None, random_bits=0, seed=0, width=0, group=32, promote=0):
        self.kind, self.f, self.rounding, self.random_bits, self.seed = kind, f, rounding, random_bits, seed
        self.width, self.group, self.promote = width, group, promote

    def random(self, e):
        return bits(self.seed, e, self.random_bits) if self.random_bits else None

    def step(self, s, p, e, steps):
        if self.kind == "fused":
            return rounded(s + p, self.f, self.rounding, self.random(e))
        p = rounded(p, self.f, self.rounding, self.random(e))
        return rounded(s + p, self.f, self.rounding, self.random(e + steps))

    def aligned(self, s, factors):
        terms = [t for t in [s, *(x * y for x, y in factors)] if t != 0]
        if not terms:
            return ZERO
        last = max(max(log2(t) for t in terms), -126) - (self.width - 1)
        total = sum((truncated(t, last) for t in terms), ZERO)
        return truncated(total, log2(total) - self.width + 1) if total else total

    def tensor(self, s, factors):
        """Operands are fp32: none of the numbers here is subnormal."""
        terms = [(log2(x) + log2(y), x * y) for x, y in factors if x * y != 0] + ([(log2(s), s)] if s else [])
        if not terms:
            return ZERO
        last = max(max(e for e, _ in terms), -21 if self.f == "fp16" else -133) - self.width
        total = sum((truncated(t, last) for _, t in terms), ZERO)
        precision = {"fp32": 24, "e8m13": 14, "fp16": 11}[self.f]
        if self.f == "fp16":
            return rounded(total, self.f)
        return truncated(total, log2(total) - precision + 1) if total else total

    def element(self, a, b, i, j, n, start=ZERO):
        k, s, wide = len(a), start, ZERO
        m_n_k = self.rows * n * k
        count = 0
        at = 0
        while at < k:
            if self.kind in ("aligned", "tensor"):
                size = min(self.group, k - at, self.promote - count if self.promote else k)
                s = getattr(self, self.kind)(s, [(a[t], b[t]) for t in range(at, at + size)])
            else:
                size = 1
                s = self.step(s, a[at] * b[at], (i * k + at) * n + j, m_n_k)
            at, count = at + size, count + size
            if self.promote and (count == self.promote or at == k):
                wide, s, count = rounded(wide + s, "fp32"), ZERO, 0
        return rounded(wide if self.promote else s, "fp32")

    def product(self, a, b):
        self.rows = a.shape[0]
        exact = [[Fraction(float(x)) for x in row] for row in a], [[Fraction(float(x)) for x in row] for row in b.T]
        return np.array([[float(self.element(row, column, i, j, b.shape[1])) for j, column in enumerate(exact[1])]
                         for i, row in enumerate(exact[0])], np.float32)


CASES = [("fp32", Judge("fused")), ("fp64", Judge("fused", "fp64")), ("fp16", Judge("each", "fp16")),
         ("bf16", Judge("each", "bf16")), ("fma:bf16", Judge("fused", "bf16")), ("each:fp32", Judge("each", "fp32")),
         ("bf16:rtz", Judge("each", "bf16", "rtz")), ("fma:e5m10", Judge("fused", "e5m10")),
         ("fma:e5m2:sr:8", Judge("fused", "e5m2", "sr:8", 8, 5)), ("bf16:sr:8", Judge("each", "bf16", "sr:8", 8, 5)),
         ("trunc14", Judge("aligned", width=14)), ("trunc14g16", Judge("aligned", width=14, group=16)),
         ("trunc14/promote32", Judge("aligned", width=14, promote=32)),
         ("fp16/promote8", Judge("each", "fp16", promote=8)),
         ("trunc10g4/promote12", Judge("aligned", width=10, group=4, promote=12)),
         ("hopper-fp8", Judge("tensor", "e8m13", width=13)),
         ("hopper-fp16-fp16", Judge("tensor", "fp16", width=25, group=16)),
         ("tensor7g5:fp32/promote20", Judge("tensor", "fp32", width=7, group=5, promote=20))]


class Products(unittest.TestCase):
    def test_accumulators(self):
        a, b = normal(3, 37), normal(37, 2)
        for name, judge in CASES:
            got, want = bd.matmul(a, b, name, seed=judge.seed), judge.product(a, b)
            self.assertEqual(got.tolist(), want.tolist(), name)

    def test_names(self):
        """Every kind of accumulator of the library has a case above."""
        kinds = {"fused": _types.BND_ACCUMULATE_FUSED, "each": _types.BND_ACCUMULATE_EACH,
                 "aligned": _types.BND_ACCUMULATE_ALIGNED, "tensor": _types.BND_ACCUMULATE_TENSOR}
        tried = {kinds[judge.kind] for _, judge in CASES} | {_types.BND_ACCUMULATE_CBLAS}
        self.assertEqual(tried, set(range(_types.BND_ACCUMULATE_COUNT)))
        self.assertGreater(len(bd.accumulators()), 6)

    def test_wide_codes(self):
        """Codes that fp32 does not hold are refused, with numbers and with rounded operands, too."""
        wide = bd.encode(np.array([[1 + 2.0 ** -8 + 2.0 ** -40]]), "fp64")
        for options in ({}, {"round_a": "bf16"}):
            with self.assertRaisesRegex(ValueError, "float32, which does not hold these numbers"):
                bd.matmul(wide, np.ones((1, 1), np.float32), a_format="fp64", **options)
        exact = bd.encode(np.array([[1.5]]), "fp64")
        self.assertEqual(bd.matmul(exact, np.ones((1, 1), np.float32), a_format="fp64").tolist(), [[1.5]])

    def test_cblas(self):
        a, b = normal(20, 30), normal(30, 10)
        if not lib.bnd_cblas_here():
            self.skipTest("OpenBLAS cannot be loaded")
        self.assertTrue(np.allclose(bd.matmul(a, b, "cblas"), a @ b, rtol=1e-5, atol=1e-5))

    def test_shapes(self):
        """Those of numpy.matmul: vectors, stacks, broadcasting, transposes and other strides, empty ones."""
        cases = [((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)),
                 ((3, 4), (2, 4, 5)),
                 ((2, 1, 3, 4), (6, 4, 5)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)), ((0, 4), (4, 5)), ((3, 0), (0, 5)),
                 ((0, 3, 4), (4, 5))]
        for left, right in cases:
            a, b = normal(*left), normal(*right)
            got, want = bd.matmul(a, b), np.matmul(a.astype(np.float64), b.astype(np.float64))
            self.assertEqual(np.shape(got), np.shape(want))
            self.assertTrue(np.allclose(got, want, rtol=1e-5, atol=1e-6), (left, right))
        a, b = normal(8, 12), normal(12, 10)
        want = bd.matmul(a, b, "fp16")
        padded = np.zeros((16, 24), np.float32)
        padded[::2, ::2] = a
        for other in (np.asfortranarray(a), padded[::2, ::2], a[::-1][::-1], a.astype(">f4"), a.astype(np.float64)):
            self.assertTrue(same_bits(bd.matmul(other, b, "fp16"), want))
        self.assertTrue(same_bits(bd.matmul(b.T, a.T, "fp16"), np.ascontiguousarray(want.T)))
        self.assertTrue(same_bits(bd.matmul(a[::-1], b[:, ::-1], "fp16"), np.ascontiguousarray(want[::-1, ::-1])))
        ones = np.broadcast_to(np.float32(1), (8, 12))
        self.assertTrue(same_bits(bd.matmul(ones, b), bd.matmul(ones.copy(), b)))

    def test_codes(self):
        a, b = normal(6, 20), normal(20, 7)
        x, y = bd.encode(a, "e4m3"), bd.encode(b, "bf16")
        want = bd.matmul(bd.decode(x, "e4m3"), bd.decode(y, "bf16"), "bf16")
        self.assertTrue(same_bits(bd.matmul(x, y, "bf16", a_format="e4m3", b_format="bf16"), want))
        self.assertTrue(same_bits(bd.matmul(x, bd.decode(y, "bf16"), "bf16", a_format="e4m3"), want))
        self.assertTrue(same_bits(bd.matmul(a, b, "bf16", round_a="e4m3", round_b="bf16"), want))
        half = a.astype(np.float16)
        self.assertTrue(same_bits(bd.matmul(half, b), bd.matmul(half.astype(np.float32), b)))
        self.assertTrue(same_bits(bd.matmul(half, b.astype(np.float16)),
                                  bd.matmul(half.astype(np.float32), b.astype(np.float16).astype(np.float32))))

    def test_sums_and_out(self):
        a, b, c = normal(5, 5), normal(5, 5), normal(5, 5)
        self.assertTrue(np.allclose(bd.matmul(a, b, c=c), c + a @ b, rtol=1e-5, atol=1e-5))
        out = np.empty((5, 5), np.float32)
        self.assertIs(bd.matmul(a, b, "fp16", out=out), out)
        self.assertTrue(same_bits(out, bd.matmul(a, b, "fp16")))
        want, same = bd.matmul(a, b), a.copy()
        bd.matmul(same, b, out=same)
        self.assertTrue(same_bits(same, want))
        wide = np.zeros((5, 10), np.float32)
        bd.matmul(a, b, out=wide[:, ::2])
        self.assertTrue(same_bits(wide[:, ::2].copy(), want))
        stack = bd.matmul(np.stack([a, a]), b, "bf16:sr:8", seed=1)
        self.assertTrue(same_bits(stack[0], bd.matmul(a, b, "bf16:sr:8", seed=1)))
        self.assertFalse(same_bits(stack[0], stack[1]))

    def test_torch(self):
        t = torch()
        a, b = t.randn(4, 6), t.randn(6, 3)
        got = bd.matmul(a, b, "fp16")
        self.assertIsInstance(got, t.Tensor)
        self.assertTrue(same_bits(got.numpy(), bd.matmul(a.numpy(), b.numpy(), "fp16")))
        self.assertTrue(t.equal(bd.matmul(b.t(), a.t(), "fp16").t(), got))
        self.assertTrue(t.equal(bd.matmul(a.bfloat16(), b.bfloat16()),
                                bd.matmul(a.bfloat16().float(), b.bfloat16().float())))

    def test_refusals(self):
        a = normal(3, 4)
        for call, words in ((lambda: bd.matmul(a, a), "as many columns as rows"),
                            (lambda: bd.matmul(a, 3.0), "at least one"),
                            (lambda: bd.matmul(a, a.T, "fp17"), "fp17"), (lambda: bd.matmul(a, a.T, c=a), "c must be"),
                            (lambda: bd.matmul(a, a.T, out=a), "out must be"),
                            (lambda: bd.matmul(a.astype(np.float64) * 0.1, a.T), "float32"),
                            (lambda: bd.matmul(np.ones((2, 2), np.uint64), np.ones((2, 2), np.uint64), a_format="fp64",
                                               b_format="fp64"), "fp64")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(words, str(caught.exception))

    def test_integers_need_a_format(self):
        codes, a, t = bd.encode(normal(4, 4), "e4m3"), normal(4, 4), torch()
        wide = bd.encode(t.ones(4, 4), "fp16")
        for call, name in ((lambda: bd.matmul(codes, codes, a_format="e4m3"), "b"),
                           (lambda: bd.matmul(codes, codes), "a"), (lambda: bd.matmul(a, codes), "b"),
                           (lambda: bd.matmul(wide, wide, a_format="fp16"), "b"),
                           (lambda: bd.matmul(np.arange(16).reshape(4, 4), a), "a")):
            with self.assertRaisesRegex(TypeError, f"{name} is an array of .*give their format as {name}_format"):
                call()
        self.assertEqual(bd.matmul([[1, 2]], [[3], [4]]).tolist(), [[11]])


if __name__ == "__main__":
    unittest.main(verbosity=1)
