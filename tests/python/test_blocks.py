"""Block formats: against elements and scales computed one by one."""
import unittest

from support import normal, np, same_bits, spread

import libbinade as bd


class Blocks(unittest.TestCase):
    def test_exact(self):
        """What comes back as it was is exact, though 1 over the scale is no number of the element's format."""
        for block in ("e4m3/tensor", "e4m3/row", "e5m2/tensor", "nvfp4", "mxfp8"):
            s = bd.quantize(np.ones((1, 64), np.float32), block, stats=True).stats
            self.assertEqual((s.exact, s.inexact, s.mse, s.sqnr_db), (64, 0, 0, np.inf), block)

    def check_powers(self, block, element, rule, exponent_of):
        """Elements of x / 2^s, where s follows from the largest magnitude of each 32."""
        x = spread(6, 80)
        x[0, :32] = 0
        q = bd.quantize(x, block, rule=rule, stats=True)
        self.assertEqual((q.codes.shape, q.scales.shape, q.scales.dtype), ((6, 80), (6, 3), np.dtype(np.uint8)))
        amax = np.stack([np.abs(x[:, at:at + 32]).max(1) for at in (0, 32, 64)], 1).astype(np.float64)
        with np.errstate(divide="ignore"):
            exponent = np.where(amax > 0, exponent_of(amax), -127)
        self.assertEqual(q.scales.tolist(), (exponent + 127).astype(int).tolist())
        scaled = x.astype(np.float64) / np.repeat(2.0**exponent, 32, 1)[:, :80]
        want = bd.encode(scaled, element, overflow="saturate")
        self.assertTrue(same_bits(q.codes, want))
        back = bd.decode(want, element, np.float64) * np.repeat(2.0**exponent, 32, 1)[:, :80]
        self.assertTrue(same_bits(bd.dequantize(q), back.astype(np.float32)))
        codes, scales = q
        self.assertTrue(same_bits(bd.dequantize(codes, scales, block), bd.dequantize(q)))
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
            q = bd.quantize(x, block)
            given = bd.quantize(x, block, scales=q.scales, tensor_scale=q.tensor_scale)
            self.assertTrue(same_bits(given.codes, q.codes), block)
            self.assertEqual(given.tensor_scale, q.tensor_scale)
            self.assertTrue(same_bits(bd.dequantize(given), bd.dequantize(q)))
        doubled = bd.quantize(x, "e4m3/row", scales=2 * bd.quantize(x, "e4m3/row").scales)
        self.assertTrue(np.abs(bd.decode(doubled.codes, "e4m3")).max() <= 224)
        whole = bd.quantize(x, "nvfp4")
        part = bd.quantize(x[:2], "nvfp4", tensor_scale=whole.tensor_scale)
        self.assertTrue(same_bits(part.codes, whole.codes[:2]) and same_bits(part.scales, whole.scales[:2]))
        with self.assertRaisesRegex(ValueError, "shape"):
            bd.quantize(x, "e4m3/row", scales=np.ones(5, np.float32))
        with self.assertRaisesRegex(ValueError, "no scale for the whole array"):
            bd.quantize(x, "mxfp8", tensor_scale=1)
        with self.assertRaisesRegex(bd.Error, "given, too"):
            bd.quantize(x, "nvfp4", scales=whole.scales)

    def test_axes(self):
        x = normal(64, 5, 3)
        q = bd.quantize(x, "mxfp8", axis=0)
        self.assertEqual(q.scales.shape, (2, 5, 3))
        moved = bd.quantize(np.moveaxis(x, 0, -1), "mxfp8")
        self.assertTrue(np.array_equal(np.moveaxis(q.codes, 0, -1), moved.codes))
        self.assertTrue(np.array_equal(np.moveaxis(q.scales, 0, -1), moved.scales))
        self.assertTrue(np.array_equal(np.moveaxis(bd.dequantize(q), 0, -1), bd.dequantize(moved)))

    def test_scalings(self):
        x = normal(20, 300)
        for name, shape in (("e4m3/tensor", ()), ("e4m3/row", (20, 1)), ("e4m3/tile:1x128", (20, 3)),
                            ("e4m3/tile:8x128", (3, 3))):
            q = bd.quantize(x, name)
            self.assertEqual((q.scales.shape, q.scales.dtype), (shape, np.dtype(np.float32)), name)
            error = np.abs(bd.dequantize(q) - x).max() / np.abs(x).max()
            self.assertLess(error, 2.0**-4, name)  # half an ulp of e4m3 relative to the largest number of a block

    def test_nvfp4(self):
        x = normal(4, 64)
        q = bd.quantize(x, "nvfp4")
        self.assertEqual((q.codes.shape, q.scales.shape), ((4, 64), (4, 4)))
        self.assertAlmostEqual(q.tensor_scale * 6 * 448 / float(np.abs(x).max()), 1, places=6)
        self.assertLess(np.abs(bd.dequantize(q) - x).max(), np.abs(x).max() / 4)
        with self.assertRaisesRegex(ValueError, "tensor_scale"):
            bd.dequantize(q.codes, q.scales, "nvfp4")

    def test_packed(self):
        x = normal(3, 64)
        q, plain = bd.quantize(x, "mxfp4", packed=True), bd.quantize(x, "mxfp4")
        self.assertEqual((q.codes.shape, q.codes.dtype), ((96,), np.dtype(np.uint8)))
        self.assertTrue(same_bits(bd.dequantize(q), bd.dequantize(plain)))

    def test_int8(self):
        q = bd.quantize(normal(2, 32), "mxint8")
        self.assertEqual(q.codes.dtype, np.dtype(np.int8))
        self.assertTrue(np.array_equal(bd.dequantize(q), q.codes * 2.0**-6 * 2.0**(q.scales.astype(int) - 127)))

    def test_shapes_of_given_scales(self):
        """As many scales in another shape are those of other blocks."""
        x = normal(4, 32)
        q = bd.quantize(x, "nvfp4")
        words = r"the shape \(4, 2\), not \(2, 4\) of uint8"
        with self.assertRaisesRegex(ValueError, words):
            bd.dequantize(q.codes, q.scales.T, "nvfp4", tensor_scale=q.tensor_scale)
        with self.assertRaisesRegex(ValueError, words):
            bd.fake_quantize(x, "nvfp4", scales=q.scales.T, tensor_scale=q.tensor_scale)
        with self.assertRaisesRegex(ValueError, r"the shape \(2, 2\), not \(4,\)"):
            bd.quantize(normal(2, 64), "mxfp8", scales=np.full(4, 127, np.uint8))
        with self.assertRaisesRegex(ValueError, r"the shape \(\), not \(1,\)"):
            bd.quantize(x, "e4m3/tensor", scales=np.ones(1, np.float32))

    def test_empty_arrays(self):
        """A scale for the whole array is there without elements, too."""
        for block in ("e4m3/tensor", "e4m3/tensor:bf16", "int8/tensor", "nvfp4", "e4m3/row", "e4m3/tile:2x2", "mxfp8"):
            for shape in ((0, 3), (3, 0)):
                q = bd.quantize(np.zeros(shape, np.float32), block)
                self.assertEqual(q.codes.shape, shape, block)
                self.assertEqual(bd.dequantize(q).shape, shape, block)
                if block.startswith("e4m3/tensor"):
                    self.assertTrue(same_bits(q.scales, bd.quantize(np.zeros((1, 3), np.float32), block).scales))

    def test_tensor_scales(self):
        x = normal(2, 32)
        for wrong in (0, -1, np.nan, np.inf, 1e300, 1e-60):
            with self.assertRaisesRegex(ValueError, "tensor_scale must be", msg=str(wrong)):
                bd.quantize(x, "nvfp4", tensor_scale=wrong)
        q = bd.quantize(x, "nvfp4")
        with self.assertRaisesRegex(ValueError, "tensor_scale must be within the range of float32, not 1e[+]300"):
            bd.dequantize(q.codes, q.scales, "nvfp4", tensor_scale=1e300)

    def test_what_quantize_returned_brings_its_arguments(self):
        q = bd.quantize(normal(2, 32), "nvfp4")
        for given in ({"tensor_scale": 99.0}, {"block": "mxfp8"}, {"axis": 0}, {"shape": (64,)}, {"packed": True},
                      {"scales": q.scales}):
            with self.assertRaisesRegex(ValueError, f"{next(iter(given))} cannot be used with a Quantized"):
                bd.dequantize(q, **given)
        zero = bd.dequantize(q._replace(codes=np.zeros_like(q.codes)))
        self.assertFalse(zero.any())
        self.assertEqual(q._replace(scales=q.scales).block, q.block)
        plain = bd.Quantized(*bd.quantize(normal(2, 32), "mxfp8"))
        self.assertIsNone(plain.block)
        self.assertTrue(same_bits(bd.dequantize(plain, None, "mxfp8"), bd.dequantize(*plain, "mxfp8")))
        with self.assertRaisesRegex(TypeError, "the name of the block format"):
            bd.dequantize(plain)

    def test_out_in_the_memory_of_the_scales(self):
        """Scales are read until the end: a result that is written over them waits for it."""
        rows, columns = 300, 64
        x, scales = normal(rows, columns), np.exp2(np.arange(rows) % 7 - 3).astype(np.float32)[:, None]
        codes = bd.quantize(x, "e4m3/row", scales=scales).codes
        want = bd.decode(codes, "e4m3") * scales
        for at in (0, 1, 9000, rows * (columns - 1)):
            memory = np.zeros(rows * columns, np.float32)
            held, out = memory[at:at + rows, None], memory.reshape(rows, columns)
            held[...] = scales
            self.assertIs(bd.dequantize(codes, held, "e4m3/row", out=out), out)
            self.assertTrue(same_bits(out, want), at)
            held[...] = scales
            self.assertIs(bd.fake_quantize(x, "e4m3/row", scales=held, out=out), out)
            self.assertTrue(same_bits(out, want), at)

    def test_types_that_name_another_format(self):
        q = bd.quantize(np.ones((2, 3), np.float32), "bf16/row")
        with self.assertRaisesRegex(ValueError, "codes of fp16, not of bf16"):
            bd.dequantize(q.codes.view(np.float16), q.scales, "bf16/row")

    def test_refusals(self):
        x = normal(2, 32)
        for call, text in ((lambda: bd.quantize(x, "mxfp9"), "mxfp9"),
                           (lambda: bd.quantize(x, axis=2), "no axis 2"),
                           (lambda: bd.quantize(np.array([0.1])), "float32"),
                           (lambda: bd.dequantize(x.astype(np.uint8), np.zeros((2, 2), np.uint8), "mxfp8"), "scales"),
                           (lambda: bd.dequantize(x, np.zeros((2, 1), np.uint8), "mxfp8"), "codes")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(text, str(caught.exception))


if __name__ == "__main__":
    unittest.main(verbosity=1)
