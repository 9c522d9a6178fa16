"""libbinade.shims: the names of QPyTorch and microxcaling, and where their results differ."""
import doctest
import unittest

import support

torch = support.torch()

import libbinade as bd  # noqa: E402
from libbinade.shims import mx_specs, qtorch  # noqa: E402


class QPyTorch(unittest.TestCase):
    def test_values(self):
        x = torch.randn(1000) * 10
        for exp, man, f in ((5, 10, "fp16"), (8, 7, "bf16"), (5, 2, "e5m2")):
            y = qtorch.float_quantize(x, exp, man, "nearest")
            self.assertTrue(torch.equal(y, bd.round(x, f, overflow="saturate")), f)
        torch.manual_seed(1)
        a = qtorch.float_quantize(x, 4, 3)
        torch.manual_seed(1)
        self.assertTrue(torch.equal(a, qtorch.float_quantize(x, 4, 3)))
        self.assertEqual(float(qtorch.float_quantize(torch.tensor(1e9), 4, 3)), 240.0)
        self.assertEqual(qtorch.float_quantize(torch.tensor([0.3, 7.0]), 2, 0, "nearest").tolist(), [0.0, 2.0])
        with self.assertRaisesRegex(ValueError, "exp must be a whole number from 2 to 8, not 1"):
            qtorch.float_quantize(x, 1, 2, "nearest")

    def test_fixed_point(self):
        """A multiple of 2^-fl is kept, and the others become one of their neighbours, the nearer one more often."""
        torch.manual_seed(1)
        for value, wl, fl in ((2.0**50, 52, 0), (2.0**50 + 1, 52, 0), (-2.0**51, 52, 0), (1 - 2.0**-20, 24, 22)):
            x = torch.full((100000,), value, dtype=torch.float64)
            self.assertTrue(torch.equal(qtorch.fixed_point_quantize(x, wl, fl), x), value)
        x = torch.full((100000,), -1.75, dtype=torch.float64)
        y = qtorch.fixed_point_quantize(x, 8, 0)
        self.assertEqual(sorted(set(y.tolist())), [-2.0, -1.0])
        self.assertLess(abs(float(y.mean()) + 1.75), 0.01)  # 7 standard deviations
        special = torch.tensor([float("inf"), float("-inf"), float("nan")])
        self.assertEqual(repr(qtorch.fixed_point_quantize(special, 8, 0, clamp=False).tolist()), "[inf, -inf, nan]")

    def test_differences(self):
        """What the source of QPyTorch says, number by number: ties away, no subnormals, NaN to the largest."""
        x = torch.tensor([1.0625, -1.0625, 0.0078125, 0.004, float("nan"), float("inf"), -0.0, 0.01])
        theirs = qtorch._of_qtorch(x, 4, 3)
        self.assertEqual(theirs.tolist(), [1.125, -1.125, 0.0078125, 0.0, 240.0, 240.0, 0.0, 0.009765625])
        torch.manual_seed(2)
        y = torch.randn(20000) * torch.exp2(torch.randint(-20, 20, (20000,)).float())
        for exp, man in ((4, 3), (5, 2), (8, 7), (5, 10), (2, 1)):
            self.assertEqual(qtorch.differences(y, exp, man)["others"], 0)

    def test_quantizer(self):
        f = qtorch.quantizer(qtorch.FloatingPoint(4, 3), qtorch.FloatingPoint(5, 2), "nearest", "nearest")
        x = torch.tensor([0.3, 2.0], requires_grad=True)
        y = f(x)
        self.assertEqual(y.tolist(), [0.3125, 2.0])
        y.backward(torch.tensor([1.1, 3.3]))
        self.assertEqual(x.grad.tolist(), [1.0, 3.5])
        fixed = qtorch.fixed_point_quantize(torch.tensor([0.3, -9.0, 0.125]), 4, 2, rounding="nearest")
        self.assertEqual(fixed.tolist(), [0.25, -2.0, 0.0])
        with self.assertRaises(ValueError):
            qtorch.float_quantize(x, 4, 3, "up")


class Microxcaling(unittest.TestCase):
    def test_values(self):
        x = torch.randn(16, 64) * 10
        specs = mx_specs.finalize_mx_specs({"a_elem_format": "fp8_e4m3", "block_size": 32, "round": "even"})
        y = mx_specs.quantize_mx_op(x, specs, "fp8_e4m3", axes=[-1], round="even")
        self.assertTrue(torch.equal(y, bd.fake_quantize(x, "mxfp8", rule="floor", overflow="saturate")))
        y = mx_specs.quantize_mx_op(x, specs, "fp8_e4m3", axes=0, round="even")
        self.assertTrue(torch.equal(y, bd.fake_quantize(x, "mxfp8", 0, rule="floor", overflow="saturate")))
        self.assertIs(mx_specs.quantize_mx_op(x, specs, None), x)
        self.assertIsNone(mx_specs.finalize_mx_specs({"block_size": 32}))
        with self.assertRaises(KeyError):
            mx_specs.MxSpecs({"blocksize": 32})
        with self.assertRaises(ValueError):
            mx_specs.quantize_mx_op(x, specs, "fp7", axes=-1)
        with self.assertRaisesRegex(ValueError, "mx_flush_fp32_subnorms must be False"):
            mx_specs.quantize_mx_op(x, {"mx_flush_fp32_subnorms": True}, "fp4", axes=-1)

    def test_smallest_scales(self):
        """Scales are those of E8M0, from 2^-127 on."""
        x = torch.tensor([[4e-39, 9e-39]])
        y = mx_specs.quantize_mx_op(x, {"block_size": 32}, "fp4", axes=[-1])
        self.assertEqual(y.tolist(), [[2.0**-128, 1.5 * 2.0**-127]])
        x = torch.randn(64, 64) * torch.exp2(torch.randint(-149, -100, (64, 1)).float())
        for element, block in (("fp4_e2m1", "mxfp4"), ("fp8_e4m3", "mxfp8"), ("fp8_e5m2", "mxfp8-e5m2")):
            y = mx_specs.quantize_mx_op(x, {"block_size": 32}, element, axes=[-1])
            self.assertTrue(torch.equal(y, bd.fake_quantize(x, block, rule="floor", rounding="rna",
                                                            overflow="saturate")), element)
            self.assertEqual(mx_specs.differences(x, element)["others"], 0)

    def test_differences(self):
        torch.manual_seed(3)
        x = torch.randn(64, 96) * torch.exp2(torch.randint(-9, 9, (64, 1)).float())
        x[0, 0], x[3, 40] = float("inf"), float("nan")
        for element in ("fp8_e5m2", "fp8_e4m3", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1", "int8"):
            for mode in ("nearest", "floor", "even"):
                self.assertEqual(mx_specs.differences(x, element, 32, mode),
                                 {"scales just below a power of two": 0, "others": 0}, (element, mode))


class Doctests(unittest.TestCase):
    def test_examples(self):
        for module in (qtorch, mx_specs):
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0, module.__name__)
            self.assertGreater(result.attempted, 0, module.__name__)


if __name__ == "__main__":
    unittest.main()
