"""What the function under test takes and gives: arrays of numpy, torch or JAX, made from numpy's and read back."""
import sys

import numpy

import libbinade as bd


def to_argument(x, source, library):
    """x, numbers in float32 or float64, as an array of `source` of numpy, torch or jax, or of what a callable makes."""
    if callable(library):
        return library(x)
    if library == "torch":
        import torch
        kinds = {"fp64": torch.float64, "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
        if source == "bf16":
            bits = (x.view(numpy.uint32) >> 16).astype(numpy.uint16).view(numpy.int16)
            return torch.from_numpy(bits).view(torch.bfloat16)
        return torch.from_numpy(x).to(kinds[source])
    if library == "jax":
        import jax.numpy
        return jax.numpy.asarray(_of_numpy(x, source))
    if library == "numpy":
        return _of_numpy(x, source)
    raise ValueError(f"library is 'numpy', 'torch', 'jax' or a function, not {library!r}")


def _of_numpy(x, source):
    if source == "bf16":
        try:
            import ml_dtypes
        except ImportError:
            raise ImportError("numpy has bf16 arrays only with the package ml_dtypes; library='torch' has them too, "
                              "and a function can make them from float32") from None
        return (x.view(numpy.uint32) >> 16).astype(numpy.uint16).view(ml_dtypes.bfloat16)
    with numpy.errstate(all="ignore"):
        return x.astype(numpy.float16) if source == "fp16" else x


def read(result, what):
    """(array, whether it is codes) of what the function gave. Unsigned and signed integers, and arrays of a format's own
    type, are codes; float32 and float64 are numbers."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(result, torch.Tensor):
        result = result.detach().cpu()
        if result.dtype in (torch.float32, torch.float64):
            return result.numpy(), False
        if result.is_floating_point():
            word = {1: torch.uint8, 2: torch.int16}[result.element_size()]
            result = result.view(word).numpy()
        else:
            result = result.numpy()
    result = numpy.asarray(result)
    if result.dtype in (numpy.float32, numpy.float64):
        return result, False
    if result.dtype.kind in "iu":
        return result.view(numpy.dtype(f"u{result.dtype.itemsize}")), True
    if result.dtype.kind in "fV" and result.dtype.itemsize <= 2:
        return result.view(numpy.dtype(f"u{result.dtype.itemsize}")), True
    raise TypeError(f"{what} gave an array of {result.dtype}: codes are integers or an array of the format's own type, "
                    "and numbers are float32 or float64")


def numbers(result, what):
    """The numbers that a function gave, of any floating-point type of numpy, torch or ml_dtypes."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(result, torch.Tensor):
        result = result.detach().cpu().to(torch.float64).numpy()
    result = numpy.asarray(result)
    if result.dtype.kind in "iub" or result.dtype.kind == "c":
        raise TypeError(f"{what} gave an array of {result.dtype}: numbers are of a floating-point type")
    with numpy.errstate(all="ignore"):
        return result.astype(numpy.float64)
