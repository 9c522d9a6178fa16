"""What the function under test takes and gives: arrays of numpy, torch or JAX, made from numpy's and read back."""
import inspect
import sys

import numpy

import libbinade as bd

from .._native import brief
from .._options import one_of


def like(check):
    """Decorates an assertion, which takes the arguments of a check: help() shows them."""
    def decorate(function):
        function.__signature__ = inspect.signature(check).replace(return_annotation=None)
        return function
    return decorate


_SOURCES = ("fp64", "fp32", "fp16", "bf16")
_LIBRARIES = ("numpy", "torch", "jax")
_ANY = object()  # instead of a format: a result may have any type


class Tested:
    """The function under test: how it is called, and what it is called in messages."""

    def __init__(self, fn, source="fp32", library="numpy"):
        if not callable(fn):
            raise TypeError(f"the first argument must be the function under test, not {brief(fn)}")
        if not callable(library):
            one_of(library, _LIBRARIES, "library, if it is not a function,")
        self.fn, self.library = fn, library
        self.source = one_of(source, _SOURCES, "source")
        self.what = getattr(fn, "__name__", "the function")
        self.expected = _ANY  # the name of the format whose codes it may give
        self.writes = False  # whether a call changed what it was given

    def __call__(self, *arrays):
        """What the function gives for arrays of numpy, as arrays of its own library."""
        return self._of(arrays, lambda x: to_argument(x, self.source, self.library))

    def of_codes(self, codes):
        """What the function gives for an array of codes."""
        return self._of([codes], lambda x: codes_as_argument(x, self.library))

    def _of(self, arrays, made):
        """Its result for copies, as it may write to its arguments: the right results are those of the arrays."""
        arguments = [made(x.copy()) for x in arrays]
        before = [_bytes_of(argument) for argument in arguments]
        result = self._called(arguments)
        self.writes = self.writes or [_bytes_of(argument) for argument in arguments] != before
        return result

    def _called(self, arguments):
        try:
            return self.fn(*arguments)
        except (AttributeError, TypeError) as why:
            if self.library != "numpy" or "ndarray" not in str(why):
                raise
            raise type(why)(f"{why}. {self.what} was given a numpy array: if it takes tensors of torch or arrays of "
                            "JAX, say library='torch' or library='jax'") from why


def _bytes_of(argument):
    """The memory of an array of numpy, or of a tensor; None for other arrays."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(argument, torch.Tensor) and argument.layout == torch.strided:
        argument = argument.detach().cpu().contiguous().view(torch.uint8).numpy()
    return argument.tobytes() if isinstance(argument, numpy.ndarray) else None


WRITES = ["  the function writes to its argument"]  # a line of reports


def codes_as_argument(codes, library):
    """Codes, unsigned integers of numpy, as an array of numpy, torch or jax, or of what a callable makes."""
    if callable(library):
        return library(codes)
    if library == "torch":  # which has no unsigned types beyond uint8
        import torch
        return torch.from_numpy(codes.view(f"i{codes.itemsize}") if codes.itemsize > 1 else codes)
    if library == "jax":
        import jax.numpy
        return jax.numpy.asarray(codes)
    return codes


def to_argument(x, source, library):
    """x, numbers in float32 or float64, as an array of `source` of numpy, torch or jax, or of what a callable makes."""
    x = x.astype(numpy.float64, copy=False) if source == "fp64" else x
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
    return _of_numpy(x, source)


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


_HALVES = {"float16": "fp16", "bfloat16": "bf16"}


def _refuse_other_half(dtype, what, expected):
    """Numbers in half precision are codes of fp16 or bf16, and of nothing else."""
    name = str(dtype).replace("torch.", "")
    if expected is not _ANY and name in _HALVES and _HALVES[name] != expected:
        raise TypeError(f"{what} gave an array of {name}, which is not the type of "
                        f"{expected or 'dequantized numbers'}: convert it to float32")


def read(result, what, expected=_ANY):
    """(array, whether it is codes) of what the function gave. Unsigned and signed integers, and arrays of the own type
    of the format that is expected, are codes; float32 and float64 are numbers."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(result, torch.Tensor):
        result = result.detach().cpu()
        if result.dtype in (torch.float32, torch.float64):
            return result.numpy(), False
        _refuse_other_half(result.dtype, what, expected)
        if result.is_floating_point():
            word = {1: torch.uint8, 2: torch.int16}[result.element_size()]
            result = result.view(word).numpy()
        else:
            result = result.numpy()
    result = numpy.asarray(result)
    if result.dtype in (numpy.float32, numpy.float64):
        return result, False
    _refuse_other_half(result.dtype, what, expected)
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


def several(values, what, expected):
    """The values of something that has several."""
    if isinstance(values, (str, bytes, bytearray)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{what} must be {expected}, not {brief(values)}")
    return values


def refuse_none(count):
    """Refuses a check that has compared nothing."""
    if count == 0:
        raise ValueError("there are no inputs: inputs must have at least one number, and an iterator can be used once")


def matrix(x):
    """A matrix of real numbers as float32, in C order."""
    x = numpy.asarray(x)
    if x.ndim != 2 or x.dtype.kind not in "biuf":
        raise TypeError(f"expected a matrix of real numbers, not {x.ndim} dimensions of {x.dtype}")
    return numpy.ascontiguousarray(x, numpy.float32)


def of_source(x, source):
    """x, in float32, with the numbers that an array of `source` has. Finite ones stay finite."""
    if source not in ("fp16", "bf16"):
        return x
    return numpy.where(numpy.isinf(x), x, bd.round(x, source, overflow="saturate"))
