"""Arrays of every kind, in and out: in place and without copies, with their lifetimes, strides and faults."""
import gc
import sys
import tracemalloc
import types
import unittest
import warnings
import weakref

from support import normal, np, same_bits, torch

import libbinade as bd
from libbinade import _arrays


def address(x):
    return x.__array_interface__["data"][0]


class Allocations(unittest.TestCase):
    """A conversion allocates its result and nothing else; with `out` it allocates nothing."""

    SIZE = 1 << 20

    def peak(self, call):
        """The most memory that numpy and Python had at once during a call."""
        call()  # what a first call keeps
        gc.collect()
        tracemalloc.start()
        kept = call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        del kept
        return peak

    def test_results(self):
        x = normal(self.SIZE)
        codes, halves = bd.encode(x, "e4m3"), x.astype(np.float16)
        slack = 20000
        for name, call, size in (("encode", lambda: bd.encode(x, "e4m3"), 1),
                                 ("encode fp16", lambda: bd.encode(x, "fp16"), 2),
                                 ("decode", lambda: bd.decode(codes, "e4m3"), 4),
                                 ("round", lambda: bd.round(x, "e4m3"), 4),
                                 ("stochastic", lambda: bd.encode(x, "e4m3", "sr", seed=1), 1),
                                 ("convert", lambda: bd.convert(codes, "e4m3", "e5m2"), 1),
                                 ("float16", lambda: bd.encode(halves, "e4m3"), 1),
                                 ("strided", lambda: bd.encode(x[::2], "e4m3"), .5),
                                 ("fake_quantize", lambda: bd.fake_quantize(x[None], "mxfp8"), 4)):
            peak = self.peak(call)
            self.assertLess(peak, size * self.SIZE + slack, name)
            self.assertGreaterEqual(peak, size * self.SIZE, name)

    def test_out(self):
        x = normal(self.SIZE)
        codes, y = np.empty(x.shape, np.uint8), np.empty_like(x)
        for name, call in (("encode", lambda: bd.encode(x, "e4m3", out=codes)),
                           ("decode", lambda: bd.decode(codes, "e4m3", out=y)),
                           ("round", lambda: bd.round(y, "e4m3", out=y)),
                           ("convert", lambda: bd.convert(codes, "e4m3", "e5m2", out=codes)),
                           ("fake_quantize", lambda: bd.fake_quantize(y[None], "mxfp8", out=y[None])),
                           ("as_dtype", lambda: bd.encode(x, "fp16", out=y[:self.SIZE // 2].view(np.uint16))),
                           ("matmul", lambda: bd.matmul(x.reshape(1024, -1)[:8], x.reshape(-1, 1024)[:, :8],
                                                        out=y[:64].reshape(8, 8)))):
            self.assertLess(self.peak(call), 20000, name)

    def test_torch(self):
        t = torch()
        x, out = t.randn(self.SIZE), t.empty(self.SIZE, dtype=t.uint8)
        for name, given in (("float32", x), ("bfloat16", x.bfloat16()), ("float16", x.half()),
                            ("strided", x.bfloat16()[::2])):
            self.assertLess(self.peak(lambda: bd.encode(given, "e4m3", out=out[:given.numel()])), 20000, name)


class Out(unittest.TestCase):
    def test_encode(self):
        x = normal(40, 6)
        want = bd.encode(x, "e4m3")
        for out in (np.empty((40, 6), np.uint8), np.empty((40, 12), np.uint8)[:, ::2], np.empty((6, 40), np.uint8).T,
                    np.empty((40, 6), np.int8)):
            self.assertIs(bd.encode(x, "e4m3", out=out), out)
            self.assertTrue(np.array_equal(out.view(np.uint8) if out.flags.c_contiguous else out, want))
        packed = np.empty(40 * 6 * 6 // 8, np.uint8)
        bd.encode(x, "e3m2", packed=True, out=packed)
        self.assertTrue(same_bits(packed, bd.encode(x, "e3m2", packed=True)))

    def test_overlap(self):
        """A result that shares memory with what is read is right all the same."""
        x = normal(64)
        want = bd.encode(x, "fp16")
        words = x.copy()
        bd.encode(words, "fp16", out=words.view(np.uint16)[:64])
        self.assertTrue(same_bits(words.view(np.uint16)[:64].copy(), want))
        memory = np.zeros(4 * 64, np.uint8)
        memory[:64] = bd.encode(x, "e4m3")
        want = bd.decode(memory[:64].copy(), "e4m3")
        bd.decode(memory[:64], "e4m3", out=memory.view(np.float32))
        self.assertTrue(same_bits(memory.view(np.float32).copy(), want))
        codes = bd.encode(x, "e4m3")
        want = bd.convert(codes, "e4m3", "e5m2")[::-1].copy()
        bd.convert(codes, "e4m3", "e5m2", out=codes[::-1])
        self.assertTrue(same_bits(codes[::-1].copy(), bd.convert(bd.encode(x, "e4m3"), "e4m3", "e5m2")))

    def test_refusals(self):
        x = normal(4)
        frozen = np.zeros(4, np.uint8)
        frozen.flags.writeable = False
        for out, words in ((np.zeros(5, np.uint8), "the shape (4,)"), (np.zeros(4, np.uint16), "codes of e4m3"),
                           (frozen, "read-only"),
                           (np.zeros(4, np.float32), "codes of e4m3")):
            with self.assertRaisesRegex(ValueError, words.replace("(", "\\(").replace(")", "\\)")):
                bd.encode(x, "e4m3", out=out)
        with self.assertRaisesRegex(ValueError, "as_dtype"):
            bd.encode(x, "e4m3", as_dtype=True, out=np.zeros(4, np.uint8))


class Kinds(unittest.TestCase):
    def test_strides(self):
        base = normal(6, 8, 4)
        codes = bd.encode(base, "e4m3")
        for cut in (np.s_[::-1], np.s_[:, ::-2], np.s_[..., 1], np.s_[2, 3, ::-1], np.s_[2, 3, 1], np.s_[:0],
                    np.s_[None, 2]):
            self.assertTrue(np.array_equal(bd.encode(base[cut], "e4m3"), codes[cut]), cut)
            self.assertTrue(np.array_equal(bd.decode(codes[cut], "e4m3"), bd.round(base, "e4m3")[cut]), cut)
            self.assertTrue(np.array_equal(bd.convert(codes[cut], "e4m3", "bf16"),
                                           bd.convert(codes, "e4m3", "bf16")[cut]), cut)
        record = np.zeros(5, [("a", np.float32), ("b", np.uint8)])  # elements at odd addresses
        record["a"] = normal(5)
        self.assertTrue(np.array_equal(bd.encode(record["a"], "e4m3"), bd.encode(record["a"].copy(), "e4m3")))

    def test_without_dimensions(self):
        for x in (np.float32(1.5), np.array(1.5), 1.5, 3, np.float16(1.5)):
            code = bd.encode(x, "e4m3")
            self.assertIsInstance(code, np.uint8)
            self.assertIsInstance(bd.decode(code, "e4m3"), np.float32)
            self.assertEqual(bd.round(x, "e4m3"), float(x))

    def test_empty(self):
        for shape in ((0,), (3, 0), (0, 3, 2)):
            self.assertEqual(bd.encode(np.zeros(shape), "fp16").shape, shape)
            self.assertEqual(bd.decode(np.zeros(shape, np.uint8), "e4m3").shape, shape)
            self.assertEqual(bd.fake_quantize(np.zeros(shape, np.float32), "mxfp8").shape, shape)
        self.assertEqual((bd.decode([], "e4m3").shape, bd.convert([], "e4m3", "bf16").dtype), ((0,), np.uint16))

    def test_byte_order_and_read_only(self):
        x = normal(100)
        want = bd.encode(x, "bf16")
        frozen = x.copy()
        frozen.flags.writeable = False
        for other in (x.astype(">f4"), frozen, x.astype(np.float64), x.astype(">f8")):
            self.assertTrue(same_bits(bd.encode(other, "bf16"), want))
        half = x.astype(np.float16)
        swapped = half.astype(">f2")
        for call in (lambda h: bd.encode(h, "e4m3"), bd.decode, lambda h: bd.convert(h, None, "bf16"),
                     lambda h: bd.round(h, "e4m3"), lambda h: bd.matmul(h, h)):
            self.assertTrue(same_bits(call(swapped), call(half)))
        signed = half.view(np.int16)
        self.assertTrue(same_bits(bd.decode(signed.astype(">i2"), "fp16"), bd.decode(signed, "fp16")))
        self.assertTrue(same_bits(bd.decode(want.astype(">u2"), "bf16"), bd.decode(want, "bf16")))

    def test_lifetime(self):
        """A result does not keep its input alive, and outlives it."""
        x = normal(1000)
        gone, codes = weakref.ref(x), bd.encode(x, "e4m3")
        want = codes.copy()
        del x
        gc.collect()
        self.assertIsNone(gone())
        self.assertTrue(same_bits(codes, want))

    def test_interfaces(self):
        """Whatever has __array_interface__, __array__ or __dlpack__; buffers and lists, too."""
        x = normal(12)
        want = bd.encode(x, "e4m3")
        interface = types.SimpleNamespace(__array_interface__=x.__array_interface__, keep=x)

        class Array:
            def __array__(self, dtype=None, copy=None):
                return x

        class Capsule:
            def __dlpack__(self, **options):
                return x.__dlpack__()

            def __dlpack_device__(self):
                return x.__dlpack_device__()

        for other in (interface, Array(), Capsule(), memoryview(x), x.tolist(), tuple(x.tolist())):
            self.assertTrue(same_bits(bd.encode(other, "e4m3"), want), type(other).__name__)
        with_interface = _arrays.seen(interface).array
        self.assertEqual(address(with_interface), address(x))
        self.assertEqual(address(_arrays.seen(Capsule()).array), address(x))

    def test_other_devices(self):
        """An array on another device is refused with a sentence, or copied where copy=True."""
        class Elsewhere:
            def __dlpack_device__(self):
                return 2, 0

            def __dlpack__(self, **options):
                raise AssertionError("this is never read in place")

        class Gettable(Elsewhere):
            def get(self):
                return np.float32([1, 2])

        with self.assertRaisesRegex(ValueError, "computes on the CPU; copy=True copies it"):
            bd.encode(Elsewhere(), "e4m3")
        with self.assertRaisesRegex(TypeError, "copy it to numpy first"):
            bd.encode(Elsewhere(), "e4m3", copy=True)
        self.assertEqual(bd.encode(Gettable(), "e4m3", copy=True).tolist(), [0x38, 0x40])

    def test_whole_numbers(self):
        """Integers beyond 2^53 are taken if float64 holds them; Python's, too, which numpy keeps as objects."""
        for x in (np.array([2**60, -3]), np.uint64([2**63, 0]), np.int64([-2**63]), np.array([2**70, -2**70, 1]), 2**70,
                  np.uint64([2**64 - 2**11])):
            want = np.asarray(x).astype(np.float64)
            self.assertTrue(np.array_equal(bd.encode(x, "fp64"), want.view(np.uint64)))
        for x in (np.array([2**60 + 1]), np.uint64([2**64 - 1, 0]), np.int64([-2**63 + 1]), 2**70 + 1, 10**400,
                  np.longdouble("1e4000")):
            if np.asarray(x).dtype.kind == "f" and np.isinf(x):
                continue  # where the longest float is float64
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with self.assertRaisesRegex(ValueError, "float64 does not hold these .* exactly"):
                    bd.encode(x, "bf16")
        for kind, gives in ((np.int8, np.float64), (np.int32, np.float64), (bool, np.float64), (np.float16, np.float32)):
            self.assertEqual(bd.round(np.ones(3, kind), "e4m3").dtype, gives)

    def test_wrong_types(self):
        for x, words in ((np.array(["a"]), "real numbers"), (np.array([1j]), "real numbers"), (None, "real numbers"),
                         ({}, "real numbers"),
                         ([[1], [1, 2]], ""), (np.array([object()]), "real numbers"), ("1.5", "real numbers"),
                         (np.array(["2020-01-01"], "M8[D]"), "real numbers")):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with self.assertRaises((TypeError, ValueError)) as caught:
                    bd.encode(x, "e4m3")
            self.assertIn(words, str(caught.exception))

    def test_formats_by_type(self):
        """float16 arrays are codes of fp16: they are decoded and converted without being told."""
        half = normal(50).astype(np.float16)
        self.assertTrue(same_bits(bd.decode(half), half.astype(np.float32)))
        self.assertTrue(same_bits(bd.convert(half, None, "e5m2"), bd.encode(half.astype(np.float32), "e5m2")))
        self.assertTrue(same_bits(bd.encode(half, "bf16"), bd.encode(half.astype(np.float32), "bf16")))
        self.assertTrue(same_bits(bd.encode(half.astype(np.float32), "fp16", as_dtype=True), half))
        self.assertEqual(bd.encode(half, "fp32", as_dtype=True).dtype, np.float32)
        with self.assertRaisesRegex(ValueError, "codes of fp16, not of bf16"):
            bd.decode(half, "bf16")
        with self.assertRaisesRegex(TypeError, "the format of the codes"):
            bd.decode([1, 2])
        with self.assertRaisesRegex(TypeError, "codes must be integers, or of a type that names their format, not float"):
            bd.decode([1.5, 2])
        _, here = bd.encode(half, "e4m3", stats=True)
        _, there = bd.encode(half.astype(np.float32), "e4m3", stats=True)
        self.assertEqual((here.inexact, here.underflows, here.squared_error),
                         (there.inexact, there.underflows, there.squared_error))


class Convert(unittest.TestCase):
    def test_once(self):
        """Each code of one format to another: one rounding of its value."""
        names = ["e4m3", "e5m2", "e4m3fnuz", "e3m2", "e2m1", "fp16", "bf16"]
        for source in names:
            f = bd.Format(source)
            codes = np.arange(2**f.width, dtype=f.dtype)
            for target in names:
                for rounding in ("rne", "rtz"):
                    got = bd.convert(codes, source, target, rounding, nan="canonical")
                    want = bd.encode(bd.decode(codes, source), target, rounding, nan="canonical")
                    self.assertTrue(same_bits(got, want), f"{source} {target} {rounding}")
        _, stats = bd.convert(codes, "bf16", "e4m3", stats=True)
        self.assertEqual(stats.elements, 65536)


class FakeQuantize(unittest.TestCase):
    def test_is_quantize_and_dequantize(self):
        x = normal(6, 96)
        for block in ("mxfp8", "nvfp4", "mxfp4:floor", "e4m3/tile:2x32", "int8/row", "e4m3/tensor"):
            q = bd.quantize(x, block, stats=True)
            y, stats = bd.fake_quantize(x, block, stats=True)
            self.assertTrue(same_bits(y, bd.dequantize(q)), block)
            self.assertEqual((stats.inexact, stats.squared_error), (q.stats.inexact, q.stats.squared_error))
            given = bd.fake_quantize(x, block, scales=q.scales, tensor_scale=q.tensor_scale)
            self.assertTrue(same_bits(given, y), block)
        z = x.copy()
        self.assertIs(bd.fake_quantize(z, "mxfp8", axis=0, out=z), z)
        self.assertTrue(same_bits(z, bd.dequantize(bd.quantize(x, "mxfp8", axis=0))))
        self.assertTrue(same_bits(bd.fake_quantize(x, "nvfp4", rounding="sr:8", seed=3),
                                  bd.dequantize(bd.quantize(x, "nvfp4", rounding="sr:8", seed=3))))
        self.assertIn("mxfp8", bd.block_formats())


class Torch(unittest.TestCase):
    def setUp(self):
        self.torch = torch()

    def test_numbers(self):
        t = self.torch
        x = t.randn(5, 7)
        for given in (x, x.double(), x.t(), x[::2], x[:, ::3], t.nn.Parameter(x), x[0, 0], x[:0]):
            plain = given.detach().numpy()
            got = bd.encode(given, "e4m3")
            self.assertEqual((type(got), got.dtype, tuple(got.shape)), (t.Tensor, t.uint8, plain.shape))
            self.assertTrue(np.array_equal(got.numpy(), bd.encode(plain, "e4m3")))
            rounded = bd.round(given, "e3m2")
            self.assertEqual(rounded.dtype, given.dtype)
            self.assertTrue(np.array_equal(rounded.numpy(), bd.round(plain, "e3m2")))
        self.assertEqual(bd.encode(t.arange(3), "e4m3").tolist(), bd.encode([0, 1, 2], "e4m3").tolist())

    def test_in_place(self):
        t = self.torch
        x = t.randn(100)
        self.assertIs(bd.round(x, "e4m3", out=x), x)
        self.assertTrue(t.equal(x, bd.round(x, "e4m3")))
        for given in (x, x.bfloat16(), x.half(), x.double()):
            self.assertEqual(address(_arrays.seen(given).array), given.data_ptr())
        out = t.empty(100, dtype=t.bfloat16)
        self.assertIs(bd.encode(x, "bf16", out=out), out)
        self.assertTrue(t.equal(out, x.bfloat16()))

    def test_gradients(self):
        """A backward pass that needs what `out` overwrote is refused, as torch refuses it for its own functions."""
        t = self.torch
        calls = ((lambda x, out: bd.round(x, "e2m1", out=out)), (lambda x, out: bd.fake_quantize(x, "mxfp4", out=out)),
                 (lambda x, out: bd.decode(bd.encode(x, "e2m1"), "e2m1", out=out)),
                 (lambda x, out: bd.dequantize(bd.quantize(x, "mxfp4"), out=out)),
                 (lambda x, out: bd.matmul(x, x, out=out)))
        for at, call in enumerate(calls):
            leaf = t.ones(3, 3, requires_grad=True)
            h = leaf * 2.1
            z = (h * h).sum()
            for out in (leaf, h):
                with self.assertRaisesRegex(ValueError, "out must not be a tensor that requires a gradient"):
                    call(h.detach(), out)
            self.assertEqual(h._version, 0)
            with t.no_grad():
                self.assertIs(call(h, h), h)
            self.assertGreater(h._version, 0, at)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                z.backward()
        for shape in ((), (0, 2), (2, 3)):
            for kind in (t.float32, t.float64):
                out = t.zeros(shape, dtype=kind)
                bd.round(t.ones(shape, dtype=kind), "e4m3", out=out)
                self.assertEqual(out._version, 1)
                self.assertTrue(bool((out == 1).all()))
        self.assertFalse(bd.round(leaf, "e4m3").requires_grad)
        with t.inference_mode():
            out = t.full((3,), 1.1)
        self.assertEqual(bd.round(out, "e2m1", out=out).tolist(), [1, 1, 1])
        with self.assertRaisesRegex(ValueError, "elements that share memory"):
            bd.round(t.ones(4), "bf16", out=t.zeros(1).expand(4))
        self.assertEqual(bd.quantize(t.zeros(0, 3), "e4m3/tensor").scales.tolist(), 1)

    def test_types_name_formats(self):
        """bfloat16 and float16 tensors are codes of their formats, and as_dtype=True gives such tensors."""
        t = self.torch
        x = t.randn(1000) * 100
        for kind, name in ((t.bfloat16, "bf16"), (t.float16, "fp16")):
            narrow = x.to(kind)
            self.assertTrue(t.equal(bd.encode(x, name, as_dtype=True), narrow))
            self.assertTrue(t.equal(bd.decode(narrow), narrow.float()))
            self.assertTrue(t.equal(bd.encode(narrow, "e5m2"), bd.encode(narrow.float(), "e5m2")))
            self.assertTrue(t.equal(bd.decode(bd.encode(x, name), name), narrow.float()))
            self.assertTrue(t.equal(bd.convert(narrow, None, "e4m3"), bd.encode(narrow.float(), "e4m3")))
        self.assertEqual(bd.encode(x, "bf16").dtype, t.int16)
        self.assertEqual(bd.encode(x, "fp32").dtype, t.int32)
        self.assertEqual(bd.encode(x, "fp32", as_dtype=True).dtype, t.float32)
        self.assertEqual(bd.encode(x, t.bfloat16).tolist(), bd.encode(x, "bf16").tolist())
        if hasattr(t, "float8_e4m3fn"):
            got = bd.encode(x, "e4m3", overflow="saturate", as_dtype=True)
            self.assertEqual(got.dtype, t.float8_e4m3fn)
            self.assertTrue(t.equal(bd.decode(got), got.float()))
        else:
            with self.assertRaisesRegex(TypeError, "has no type for e4m3"):
                bd.encode(x, "e4m3", as_dtype=True)

    def test_blocks(self):
        t = self.torch
        x = t.randn(4, 64)
        for block in ("mxfp8", "nvfp4", "e4m3/tensor", "int8/row", "e4m3/row:bf16"):
            q, there = bd.quantize(x, block), bd.quantize(x.numpy(), block)
            self.assertIsInstance(q.scales, t.Tensor)
            self.assertTrue(np.array_equal(q.codes.numpy(), there.codes))
            self.assertTrue(np.array_equal(bd.dequantize(q).numpy(), bd.dequantize(there)))
            self.assertTrue(t.equal(bd.dequantize(q), bd.fake_quantize(x, block)))
        self.assertTrue(t.equal(bd.fake_quantize(x.bfloat16()), bd.fake_quantize(x.bfloat16().float())))

    def test_refusals(self):
        t = self.torch
        for x, kind, words in ((t.empty(3, device="meta"), ValueError, "meta"),
                               (t.eye(3).to_sparse(), TypeError, "dense"),
                               (t.ones(3, dtype=t.complex64), TypeError, "real numbers"),
                               (t.quantize_per_tensor(t.ones(3), 1, 0, t.qint8), TypeError, "dense")):
            with self.assertRaisesRegex(kind, words):
                bd.encode(x, "e4m3")

    def test_cuda(self):
        t = self.torch
        if not t.cuda.is_available():
            self.skipTest("there is no CUDA device")
        x = t.randn(100, device="cuda")
        with self.assertRaisesRegex(ValueError, "copy=True"):
            bd.encode(x, "e4m3")
        got = bd.encode(x, "e4m3", copy=True)
        self.assertEqual(got.device, x.device)
        self.assertTrue(t.equal(got.cpu(), bd.encode(x.cpu(), "e4m3")))


class Jax(unittest.TestCase):
    """A module that looks like jax: its arrays give results of its own kind."""

    def test_results(self):
        if "jax" in sys.modules:
            self.skipTest("jax itself is here")

        class Array:
            def __init__(self, x):
                self.x = np.asarray(x)

            def __array__(self, dtype=None, copy=None):
                return self.x

            def __dlpack_device__(self):
                return 1, 0

        Array.__module__ = "jaxlib.xla_extension"
        jax = types.ModuleType("jax")
        jax.config, jax.numpy = types.SimpleNamespace(jax_enable_x64=False), types.SimpleNamespace(asarray=Array)
        sys.modules["jax"] = jax
        try:
            x = normal(10)
            got = bd.encode(Array(x), "e4m3")
            self.assertIsInstance(got, Array)
            self.assertTrue(same_bits(got.x, bd.encode(x, "e4m3")))
            self.assertEqual(_arrays.seen(Array(x)).array.ctypes.data, x.ctypes.data)
            self.assertIsInstance(bd.encode(Array(x), "fp64"), np.ndarray)  # it has no 64-bit types
            jax.config.jax_enable_x64 = True
            self.assertIsInstance(bd.encode(Array(x), "fp64"), Array)
        finally:
            del sys.modules["jax"]


class MlDtypes(unittest.TestCase):
    def test_all(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not here")
        x = normal(500) * 10
        for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
                     "float8_e4m3b11fnuz"):
            kind = getattr(ml_dtypes, name)
            got = bd.encode(x, name, dialect="ml_dtypes", as_dtype=True)
            self.assertEqual(got.dtype, np.dtype(kind))
            self.assertEqual(got.tobytes(), x.astype(kind).tobytes())
            self.assertTrue(same_bits(bd.decode(got), got.astype(np.float32)))
            self.assertTrue(same_bits(bd.encode(got, "fp16"), bd.encode(got.astype(np.float32), "fp16")))

    def test_missing(self):
        """Without ml_dtypes, as_dtype=True says what is needed."""
        if "ml_dtypes" in sys.modules:
            self.skipTest("ml_dtypes is here")
        sys.modules["ml_dtypes"] = None
        try:
            with self.assertRaisesRegex(ImportError, "needs the package ml_dtypes"):
                bd.encode(normal(3), "e4m3", as_dtype=True)
        finally:
            del sys.modules["ml_dtypes"]

    def test_names(self):
        """A type of a module named ml_dtypes is read as its format; its values need not be known to numpy."""
        kind = types.new_class("float8_e4m3fn", (), {}, lambda ns: ns.update(__module__="ml_dtypes"))
        dtype = types.SimpleNamespace(type=kind, name="float8_e4m3fn")
        self.assertEqual(_arrays._named_format(dtype), bd.Format("e4m3"))
        kind = types.new_class("int4", (), {}, lambda ns: ns.update(__module__="ml_dtypes"))
        self.assertIsNone(_arrays._named_format(types.SimpleNamespace(type=kind, name="int4")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
