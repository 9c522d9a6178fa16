"""What the package does with arguments that are wrong, and with its objects in other threads and processes."""
import copy
import json
import multiprocessing
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from decimal import Decimal

from support import normal, np, same_bits

import libbinade as bd

try:
    import torch
except ImportError:
    torch = None

X = normal(4, 32)


class Loop:
    def __index__(self):
        raise TypeError("not a number")


# Values of every kind. No argument may crash the interpreter, hang it, or raise what is not about the argument.
VALUES = [None, -1, 2**64, 10**400, 0.5, float("nan"), float("inf"), 1j, "", "a", "e4m3", "a" * 10000, "\0", "e4m3\0x",
          "\ud800", "%s%n", "1e999999999", b"e4m3", [], [[]], [1, [2]], (1,), {}, {"a": 1}, object(), Loop(), int,
          np.float16, lambda *a, **k: None, np.zeros(0), np.array(1.0), X, X.T, X.astype(">f4"), np.array([1 + 2j]),
          np.array(["a"]), np.array([None]), np.zeros(3, "M8[s]"), np.zeros(3, [("a", "f4")]),
          np.ma.masked_array([1., 2.], [0, 1]), np.full((2, 2), np.nan, np.float32), np.int64(3), Decimal("0.1"),
          memoryview(b"abc"), bd.Format("e4m3")]
ALLOWED = (TypeError, ValueError, MemoryError, ImportError)


def checkpoint_at(path):
    header = json.dumps({"w": {"dtype": "F32", "shape": [2, 32], "data_offsets": [0, 256]}}).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + normal(2, 32).tobytes())
    return path


class Values(unittest.TestCase):
    def swept(self, function, good, names):
        for name in names:
            for value in VALUES:
                with self.subTest(name=name, value=repr(value)[:40]):
                    try:
                        function(**{**good, name: value})
                    except ALLOWED as why:
                        self.assertLess(len(str(why)), 2000)
                        self.assertNotIsInstance(why, UnicodeError)

    def test_arrays(self):
        rule = ("rounding", "overflow", "nan", "flush", "seed", "first", "threads", "out")
        self.swept(bd.encode, {"x": X, "format": "e4m3"}, ("x", "format", "dialect", *rule))
        self.swept(bd.round, {"x": X, "format": "e4m3"}, ("x", "format", "out"))
        self.swept(bd.decode, {"codes": [1, 2], "format": "e4m3"}, ("codes", "format", "dtype", "shape", "out"))
        self.swept(bd.quantize, {"x": X, "block": "nvfp4"}, ("x", "block", "axis", "rule", "scales", "tensor_scale"))
        q = bd.quantize(X, "nvfp4")
        self.swept(bd.dequantize, {"codes": q.codes, "scales": q.scales, "block": "nvfp4", "tensor_scale": 1.0},
                   ("codes", "scales", "block", "axis", "tensor_scale", "shape"))
        self.swept(bd.matmul, {"a": X, "b": X.T}, ("a", "b", "acc", "c", "a_format", "round_a", "seed"))

    def test_numbers(self):
        rule = ("rounding", "flush", "dialect", "tininess", "seed")
        self.swept(bd.show, {"value": 1, "format": "e4m3"}, ("value", "format", "random", *rule))
        self.swept(bd.calc, {"format": "e4m3", "expression": "1+2"}, ("format", "expression", *rule))
        self.swept(bd.range, {"format": "e4m3", "values": [1]}, ("format", "values", *rule))
        self.swept(bd.dialects, {}, ("value", "format"))
        self.swept(bd.formats, {}, ("which",))
        self.swept(bd.Format, {}, ("name",))

    def test_cost(self):
        self.swept(bd.cost.flops, {}, ("product", "params", "tokens", "gpu", "gpus", "days"))
        self.swept(bd.cost.memory, {"model": "llama3-70b"}, ("model", "recipe", "zero", "ranks", "batch", "gpu"))
        self.swept(bd.cost.tensor, {"shape": "4x4"}, ("shape", "format"))

    def test_runs(self):
        self.swept(bd.learning_rates, {"low": 1e-3, "high": 1e-1, "count": 3}, ("low", "high", "count"))
        # With a recipe that is refused, no run is made, whatever the argument is.
        self.swept(bd.train, {"model": "mlp", "recipe": "nosuch"}, ("seeds", "switch", "margin", "lr", "betas"))
        self.swept(bd.compare, {}, ("margin", "step_column"))

    def test_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            path = checkpoint_at(os.path.join(folder, "a.safetensors"))
            scan = {"checkpoint": path, "formats": "e4m3"}
            self.swept(bd.scan, scan, ("formats", "sqnr", "max_underflow", "only", "skip"))
            with bd.open_checkpoint(path) as opened:
                for call in (opened.weight, opened.describe, opened.dtype, opened.__getitem__):
                    for value in VALUES:
                        with self.assertRaises((KeyError, TypeError, ValueError)):
                            call(value)

    def test_testing(self):
        cast = {"fn": lambda x: bd.encode(x, "e4m3"), "format": "e4m3", "inputs": [1.0]}
        self.swept(bd.testing.check_cast, cast, ("format", "inputs", "source", "library", "seed", "flush"))
        decode = {"fn": lambda c: bd.decode(c, "e4m3"), "format": "e4m3"}
        self.swept(bd.testing.check_decode, decode, ("format", "library"))
        block = {"fn": lambda x: bd.quantize(x, "mxfp4"), "block": "mxfp4", "inputs": [X]}
        self.swept(bd.testing.check_block, block, ("block", "inputs", "source", "seed", "axis"))
        gemm = {"fn": bd.matmul, "inputs": [(X, X.T)]}
        self.swept(bd.testing.check_gemm, gemm, ("acc", "inputs", "operands", "out", "source", "seed"))


class Refused(unittest.TestCase):
    """What was taken for something else without a word."""

    def refuses(self, said, call, *arguments, kind=(TypeError, ValueError), **named):
        with self.assertRaises(kind) as caught:
            call(*arguments, **named)
        self.assertIn(said, str(caught.exception))

    def test_numbers(self):
        self.refuses("seed must be a whole number", bd.show, 1, "e4m3", seed="a")
        self.refuses("seed must be a whole number", bd.range, "e4m3", [1], seed=0.5)
        self.refuses("calc takes the format first: calc('fp16', '1+2')", bd.calc, "1+2", "fp16")
        self.refuses("dialects of a value need a format", bd.dialects, 465)
        self.refuses("unknown format", bd.dialects, format="nosuch")
        self.refuses("libbinade.dialects(value, format) shows them", bd.show, 1, "e4m3", dialect="nosuch")
        self.assertNotIn("ml_dtypes-saturate", bd.dialects(format="e8m0"))
        self.assertIn("cuda-satfinite", bd.dialects(format="e8m0"))

    def test_arrays(self):
        self.refuses("seed must be a whole number, not True", bd.encode, X, "e4m3", seed=True)
        self.refuses("flush must be one of 'none'", bd.encode, X, "e4m3", flush=X)
        self.refuses("tensor_scale must be a number, not '1'", bd.quantize, X, "nvfp4", tensor_scale="1")
        self.refuses("(10,002 characters)", bd.encode, X, "e4m3", seed="a" * 10000)
        self.refuses("half of a surrogate pair", bd.encode, X, "\ud800")
        swapped = X.astype(X.dtype.newbyteorder())
        self.assertTrue(same_bits(bd.round(swapped, "e4m3"), bd.round(X, "e4m3")))

    def test_cost(self):
        self.refuses("gpus needs a machine", bd.cost.flops, params="70e9", tokens="1e12", gpus=8)
        self.refuses("tokens cannot be used with a matrix product", bd.cost.flops, "8x8x8", tokens=5)
        self.refuses("a shape must be a text or several whole numbers", bd.cost.tensor, 5)
        self.assertEqual(bd.cost.flops(gpu="h100", gpus=np.int64(8)).value, bd.cost.flops(gpu="h100", gpus=8).value)

    def test_runs(self):
        self.refuses("unknown option 'recipes'; did you mean recipe?", bd.train, "mlp", recipes=["fp32"])
        self.refuses("from 1 to 10000", bd.train, "mlp", seeds=2**31)
        self.refuses("lr must be a list", bd.sweep, "mlp", lr=0.1)
        self.refuses("betas must be two numbers", bd.train, "mlp", betas=(0.9,))

    def test_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            path = checkpoint_at(os.path.join(folder, "a.safetensors"))
            self.refuses("sqnr must be finite", bd.scan, path, "e4m3", sqnr=float("nan"))
            self.refuses("only must be a str or several", bd.scan, path, "e4m3", only=5)
            self.refuses("shard_size must be", bd.relayout, path, os.path.join(folder, "b"), "fp8", shard_size=-1)

    def test_testing(self):
        check = bd.testing
        self.refuses("must be the function under test", check.check_cast, "fp16", "fp16")
        self.refuses("source must be one of", check.check_block, bd.quantize, "mxfp4", source="e4m3")
        self.refuses("library", check.check_decode, lambda c: bd.decode(c, "e4m3"), "e4m3", library="pytorch")
        self.refuses("unknown block format", check.check_block, lambda x: x, "mxfp5")
        self.refuses("seed must be", check.check_gemm, bd.matmul, seed="a")
        self.refuses("an array of real numbers", check.check_cast, lambda x: x, "fp16", inputs=[1j])
        self.refuses("say library='torch'", check.check_cast, lambda x: x.half(), "fp16", kind=AttributeError)

    @unittest.skipIf(torch is None, "PyTorch is not here")
    def test_torch(self):
        bt, wide = bd.torch, torch.tensor(X)

        def wrapped(recipe="bf16-sr", **how):
            return bt.wrap(torch.nn.Sequential(torch.nn.Linear(32, 2)), recipe, **how)
        self.refuses("the name of a recipe is empty", wrapped, "")
        self.refuses("NUL character", wrapped, "\0")
        self.refuses("exceptions must be a dictionary", wrapped, exceptions=["0"])
        self.refuses("the name of a module is a str, not 0", wrapped, exceptions={0: "fp32"})
        self.refuses("seed must be", wrapped, seed=-1)
        self.refuses("unwrap takes a torch.nn.Module", bt.unwrap, 5)
        for rates in ({"lr": float("nan")}, {"lr": -1}, {"lr": "a"}, {"betas": (1,)}, {"betas": (2, 3)}, {"eps": -1},
                      {"weight_decay": float("inf")}, {"seed": "1"}):
            self.refuses(f"{next(iter(rates))}", bt.optim.AdamW, wrapped(), **rates)
        self.refuses("momentum must be", bt.optim.SGD, wrapped(), momentum=-1)
        self.refuses("rule is for scales", bt.quantize, wide, "e4m3", rule="floor")
        self.refuses("axis is that of blocks, and e4m3 has none", bt.quantize, wide, "e4m3", axis=0)
        self.assertTrue(torch.equal(bt.quantize(wide, "e4m3", axis=0, backward="mxfp8"), bt.quantize(wide, "e4m3")))
        self.refuses("backward must be 'straight-through'", bt.quantize, wide, "e4m3", backward="ste")
        self.refuses("a format's name is a str", bt.quantize, wide, wide)

    @unittest.skipIf(torch is None, "PyTorch is not here")
    def test_seed_of_the_gradient(self):
        """The seed 0 is a seed: the gradient's random bits follow it as the result's do."""
        found = []
        for draw in (1, 2):
            torch.manual_seed(draw)
            x = torch.ones(64, requires_grad=True)
            y = bd.torch.quantize(x, "e4m3", rounding="sr", seed=0, backward="e4m3")
            y.backward(torch.full((64,), 1.03))
            found.append(x.grad)
        self.assertTrue(torch.equal(*found))

    @unittest.skipIf(torch is None, "PyTorch is not here")
    def test_shims(self):
        from libbinade.shims import mx_specs, qtorch
        x = torch.tensor(X)
        self.refuses("exp must be a whole number from 2 to 8", qtorch.float_quantize, x, 2**32, 3)
        self.refuses("wl must be a whole number", qtorch.fixed_point_quantize, x, -1, 3)
        self.refuses("fl must be a whole number", qtorch.FixedPoint, 8, 0.5)
        self.refuses("a floating-point tensor", qtorch.fixed_point_quantize, X, 8, 4)
        self.refuses("not supported", qtorch.quantizer, 5)
        self.refuses("mx_specs must be", mx_specs.quantize_elemwise_op, x, 5)
        self.refuses("block_size must be", mx_specs.quantize_mx_op, x, {}, "fp4_e2m1", "a")


class Reports(unittest.TestCase):
    def test_nearest(self):
        """The nearest rule is compared on all pieces of the inputs; nothing is near a function that does not round."""
        def truncated(x):
            return (x.view(np.uint32) & 0xffff0000).view(np.float32)
        report = bd.testing.check_cast(truncated, "bf16", inputs="all-bf16+sampled-fp32:2000")
        self.assertRegex(report.nearest, r"^rule rounding rtz.*: \d+ of [\d,]+ inputs compared differ$")
        report = bd.testing.check_cast(lambda x: x, "fp16", inputs="all-fp16+sampled-fp32:2000")
        self.assertEqual(report.nearest, "")
        self.assertEqual(report.outside, report.wrong)
        self.assertIn("results are not numbers of fp16", str(report))

    def test_signature(self):
        """help() of an assertion names the arguments, which are those of the check."""
        import inspect
        for name in ("cast", "block", "decode", "gemm"):
            check, assertion = (getattr(bd.testing, f"{kind}_{name}") for kind in ("check", "assert"))
            self.assertEqual(list(inspect.signature(assertion).parameters), list(inspect.signature(check).parameters))

    @unittest.skipIf(torch is None, "PyTorch is not here")
    def test_decode_of_torch(self):
        bd.testing.assert_decode(lambda c: c.view(torch.bfloat16).float(), "bf16", library="torch")


def in_child(number):
    codes = bd.encode(X, "e4m3", "sr", seed=number)
    if number == 3:
        bd.show(1, "nosuch")
    return codes


class Elsewhere(unittest.TestCase):
    def test_modules(self):
        """The other modules are there when they are named."""
        code = "import libbinade as bd, sys; bd.testing.check_cast; bd.shims; " \
               "assert 'torch' not in sys.modules; assert not hasattr(bd, 'nosuch')"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_without_torch(self):
        code = "import sys; sys.modules['torch'] = None\nimport libbinade as bd, pydoc\npydoc.render_doc(bd)\n" \
               "try: bd.torch\nexcept AttributeError as why: assert 'cannot be imported' in str(why)\nelse: raise 1"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_threads(self):
        want, failed = (bd.encode(X, "e4m3", "sr", seed=1), bd.matmul(X, X.T, acc="fp16")), []

        def work(number):
            try:
                for _ in range(20):
                    assert same_bits(bd.encode(X, "e4m3", "sr", seed=1), want[0])
                    assert same_bits(bd.matmul(X, X.T, acc="fp16"), want[1])
                    try:
                        bd.show(1, f"nosuch{number}")
                    except bd.Error as why:
                        assert f"'nosuch{number}'" in str(why), why
            except BaseException as why:
                failed.append(why)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    @unittest.skipIf("fork" not in multiprocessing.get_all_start_methods(), "no fork")
    def test_processes(self):
        """A child has the bits of its parent, and an Error comes back as what it was."""
        large = normal(1 << 17)
        bd.encode(large, "e4m3", threads=2)  # the parent has had threads
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertTrue(same_bits(pool.apply(in_child, (1,)), bd.encode(X, "e4m3", "sr", seed=1)))
            with self.assertRaises(bd.Error) as caught:
                pool.apply(in_child, (3,))
        self.assertEqual(caught.exception.status, "BND_BAD_NAME")

    def test_copies(self):
        q, runs = bd.quantize(X, "nvfp4"), bd.train("mlp", "fp32", steps=2)
        things = [bd.Format("e4m3"), bd.encode(X, "e4m3", stats=True)[1], q, bd.show(0.1, "e4m3"), bd.show(0.1),
                  bd.calc("fp16", "1+1/3"), bd.range("e4m3"), bd.cost.memory("llama3-70b"), bd.Interrupted([1])]
        for thing in things:
            for made in (pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing), copy.copy(thing)):
                self.assertEqual((type(made), repr(made)), (type(thing), repr(thing)))
        self.assertTrue(same_bits(bd.dequantize(pickle.loads(pickle.dumps(q))), bd.dequantize(q)))
        for thing in (runs, runs[0]):
            self.assertEqual(repr(copy.copy(thing)), repr(thing))
            with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                pickle.dumps(thing)

    def test_checkpoint_elsewhere(self):
        """A checkpoint that is sent to another process is opened there."""
        with tempfile.TemporaryDirectory() as folder:
            opened = bd.open_checkpoint(checkpoint_at(os.path.join(folder, "a.safetensors")))
            again, held = pickle.loads(pickle.dumps(opened)), opened["w"]
            opened.close()
            self.assertTrue(same_bits(again["w"], held))
            again.close()
            with self.assertRaisesRegex(ValueError, "is closed"):
                pickle.dumps(opened)


if __name__ == "__main__":
    unittest.main(verbosity=1)
