"""libbinade: numbers, arrays, training runs and checkpoints in any floating-point format, bit for bit.

    import libbinade as bd, numpy as np
    x = np.random.randn(4, 1000).astype(np.float32)

    bd.show(465, "e4m3", dialect="torch")               # one number: bits, exact value, flags, neighbours
    bd.dialects(465, "e4m3")                            # the same number in each library
    bd.calc("fp16", "2049 + 1")                         # an expression with every operation rounded
    codes = bd.encode(x, "e4m3", overflow="saturate")   # uint8, the shape of x
    y = bd.decode(codes, "e4m3")                        # float32
    z = bd.round(x, "e5m7", rounding="sr:16", seed=7)   # float32, with values of a format of your own
    codes, stats = bd.encode(x, "bf16", stats=True)     # what it did: stats.underflows, stats.sqnr_db ...
    codes, scales = bd.quantize(x, "mxfp8")             # blocks of 32 that share a scale
    c = bd.matmul(x, x.T, acc="fp16")                   # a product with the accumulator as a parameter
    runs = bd.train("transformer", ["fp32", "bf16-sr"], seeds=3)  # training in each recipe: verdicts, losses, memory
    bd.evaluate("runs/fp32-0", "mxfp8,nvfp4")           # the loss of trained weights in each recipe, without training
    bd.cost.memory("llama3-70b", recipe="bf16-amp")     # what it needs, on paper; cost.time, cost.roofline ...
    bd.scan("model/", "e4m3/row,nvfp4")                 # what weights lose; lint, diff, quantize_checkpoint ...
    bd.formats()                                        # the built-in formats; bd.Format("e4m3").max is 448.0
    bd.testing.assert_cast(my_cast, "e4m3")             # tests of your casts, blocks and products: help(bd.testing)
    bd.torch.wrap(model, "mxfp8")                       # a PyTorch model under a recipe of recipes(): help(bd.torch)

torch tensors and JAX arrays work as numpy arrays do, and results come in the same kind. Everything is ctypes: nothing
is compiled. The shared libraries are those that the environment variable BINADE_LIBRARY names (a folder), or else those
in the package, or those that `make install` installed. BINADE_BACKEND and BINADE_THREADS choose kernels and cores;
results do not depend on them.
"""
import importlib as _importlib

from . import checkpoints, cost
from ._lab import Interrupted
from ._native import Error, __version__
from ._options import Stats
from .arrays import convert, decode, encode, round
from .blocks import Quantized, block_formats, dequantize, fake_quantize, quantize
from .checkpoints import Checkpoint, diff, lint, open_checkpoint, quantize_checkpoint, relayout, scan
from .evaluation import Evaluation, evaluate
from .formats import Format, formats
from .numbers import Calculated, Ranges, Shown, ShownList, calc, dialects, range, show
from .products import accumulators, matmul
from .runs import Run, Runs, Sweep, compare, learning_rates, load_run, models, optimizers, recipes, sweep, train

__all__ = [
    "Error", "Format", "Interrupted", "Quantized", "Stats", "__version__",
    "convert", "decode", "encode", "round",
    "block_formats", "dequantize", "fake_quantize", "quantize",
    "Checkpoint", "checkpoints", "diff", "lint", "open_checkpoint", "quantize_checkpoint", "relayout", "scan",
    "Calculated", "Ranges", "Shown", "ShownList", "calc", "dialects", "formats", "range", "show",
    "accumulators", "matmul",
    "Evaluation", "Run", "Runs", "Sweep", "compare", "cost", "evaluate", "learning_rates", "load_run", "models",
    "optimizers", "recipes", "sweep", "train",
]
_LATER = ("shims", "testing", "torch")  # imported when first used: numpy or PyTorch may be missing


def __dir__():
    return sorted({*globals(), *_LATER})


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return _importlib.import_module(f"{__name__}.{name}")
    except ImportError as why:
        raise AttributeError(f"{__name__}.{name} cannot be imported: {why}") from why
